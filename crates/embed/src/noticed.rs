//! What a run meets that is worth a word: ties and edges of domains, and the first NaN; and what a function is like at a tie.
//!
//! Input: the texts of a module, a definition, and its arguments as files. Output: warnings, those of the command line's
//! `--warn kinks` and `--trace-nan`, or the answer of its `clarke --json` or `bounds --json`. The evaluator runs, so this takes longer than a
//! call.

use std::path::{Path, PathBuf};

use pullback_engine::BUILT_IN;
use pullback_session::{Call, Findings, Input, Query, Settings, Stop, grad, on_large_stack, run};
use pullback_tools::Around;

use crate::asked::Source;
use crate::failure::Failure;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Ties, and edges of domains.
    Kinks,
    /// Where the first NaN arises.
    FirstNan,
}

/// An argument, or several, as a file that the command line reads.
#[derive(Clone, Debug)]
pub struct ArgumentFile {
    /// The parameter whose value it is; none if it has values by parameter name.
    pub parameter: Option<String>,
    /// What kind of file it is: `json` or `npz`.
    pub ending: &'static str,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// The warnings of a run, or why there is none. With names of parameters it is a run for the gradient with respect to them.
pub(crate) fn noticed(
    source: &Source,
    definition: &str,
    wrt: Option<&[String]>,
    arguments: &[ArgumentFile],
    look: Look,
) -> Result<Failure, Failure> {
    let (warn_kinks, trace_nan) = (look == Look::Kinks, look == Look::FirstNan);
    let settings = Settings { warn_kinks, trace_nan, ..Settings::default() };
    let (done, findings) =
        asked(source, definition, arguments, settings, |query, call| match wrt {
            Some(wrt) => grad(query, call, wrt).map(drop),
            None => run(query, call).map(drop),
        });
    if done.is_ok() { Ok(findings.into()) } else { Err(findings.into()) }
}

/// The derivatives of all smooth pieces that meet at a point, as JSON.
pub(crate) fn clarke(
    source: &Source,
    definition: &str,
    wrt: &[String],
    arguments: &[ArgumentFile],
) -> Result<String, Failure> {
    let settings = Settings::default();
    let (found, findings) = asked(source, definition, arguments, settings, |query, call| {
        let found = pullback_tools::clarke(query, call, wrt)?;
        Ok(found.shown(&query.sources, true))
    });
    found.map_err(|Stop| findings.into())
}

/// What a definition and its derivatives are on a box, as JSON.
pub(crate) fn bounds(
    source: &Source,
    definition: &str,
    wrt: &[String],
    arguments: &[ArgumentFile],
    around: &Around,
) -> Result<String, Failure> {
    let settings = Settings::default();
    let (found, findings) = asked(source, definition, arguments, settings, |query, call| {
        Ok(pullback_tools::bounds(query, call, wrt, around)?.shown(true))
    });
    found.map_err(|Stop| findings.into())
}

/// What is answered to a question about a call whose arguments are files.
fn asked<T: Send>(
    source: &Source,
    definition: &str,
    arguments: &[ArgumentFile],
    settings: Settings,
    question: impl FnOnce(&mut Query<'_>, &Call) -> Result<T, Stop> + Send,
) -> (Result<T, Stop>, Findings) {
    let mut files = source.files.clone();
    let mut inputs = vec![];
    for (at, argument) in arguments.iter().enumerate() {
        let path = beside(&source.path, &format!("argument {at}.{}", argument.ending));
        files = files.with(&path, argument.bytes.clone());
        inputs.push(Input { parameter: argument.parameter.clone(), path, is_headless: false });
    }
    let (file, entry) = (source.path.clone(), definition.to_owned());
    on_large_stack(|| {
        let call = Call { file, entry, inputs, settings, ..Call::default() };
        let mut query = Query::new(&files, BUILT_IN);
        let answer = question(&mut query, &call);
        (answer, Findings { diagnostics: query.diagnostics, sources: query.sources })
    })
}

/// A file beside another.
fn beside(path: &Path, name: &str) -> PathBuf {
    path.parent().map_or_else(|| name.into(), |folder| folder.join(name))
}
