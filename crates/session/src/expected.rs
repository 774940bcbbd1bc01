//! A file with its expectations, loaded, inferred and checked together: mistakes in them are found like mistakes in
//! definitions.

use std::path::Path;

use pullback_base::{Diagnostic, Span, did_you_mean};
use pullback_engine::Registry;
use pullback_types::show_scheme;
use pullback_types::tir::GlobalId;

use crate::entry::holds_functions;
use crate::expect::{Expectation, ExpectationKind, Failure, NO_COMPARISON, Reason, expectations};
use crate::load::{Modules, load};
use crate::pipeline::{Inferred, typed};
use crate::query::{Query, Stop};

/// Loads a file with its expectations.
pub fn load_with_expectations(
    query: &mut Query<'_>,
    path: &Path,
) -> Result<(Modules, Vec<Expectation>), Stop> {
    let modules = load(query, path)?;
    let registry = query.registry;
    let (lines, problems) = expectations(&query.sources, &modules.main().module);
    query.diagnostics.extend(problems);
    query.diagnostics.extend(lines.iter().filter_map(|line| unknown_engine(&registry, line)));
    Ok((modules, lines))
}

/// Infers a program and a definition for each of its expectations that is evaluated, so that mistakes in
/// them are found like mistakes in definitions.
pub fn infer_with_expectations<'m>(
    query: &mut Query<'_>,
    modules: &'m Modules,
    lines: &'m [Expectation],
) -> (Inferred<'m>, Vec<Option<GlobalId>>) {
    let mut inferred = typed(query, modules);
    let add = |line: &'m Expectation| match &line.kind {
        ExpectationKind::Equal(left, right) | ExpectationKind::Close(left, right, _) => {
            Some(inferred.sides(left, right, line.span))
        }
        ExpectationKind::Fails(body, _) => Some(inferred.expression(body)),
        ExpectationKind::Type(..) | ExpectationKind::Engines(_) => None,
    };
    let ids = lines.iter().map(add).collect();
    inferred.report(query);
    (inferred, ids)
}

/// Reports the expectations that fail whatever is evaluated: claims about types, and comparisons of
/// functions. Where there are errors, the types are not known.
pub fn check_lines(
    query: &mut Query<'_>,
    inferred: &Inferred<'_>,
    lines: &[Expectation],
    ids: &[Option<GlobalId>],
) {
    if query.has_errors() {
        return;
    }
    for (line, id) in lines.iter().zip(ids) {
        let failure = match (&line.kind, id) {
            (ExpectationKind::Type(name, text), _) => check_type(inferred, line.span, name, text),
            (ExpectationKind::Equal(..) | ExpectationKind::Close(..), Some(id)) => {
                let typed = inferred.typed();
                let functions = holds_functions(typed, &typed.globals[*id].ty);
                let reason = Reason::Other(NO_COMPARISON.to_owned());
                functions.then_some(Failure { span: line.span, engines: vec![], reason })
            }
            (
                ExpectationKind::Fails(..)
                | ExpectationKind::Engines(_)
                | ExpectationKind::Equal(..)
                | ExpectationKind::Close(..),
                _,
            ) => None,
        };
        query.diagnostics.extend(failure.map(|failure| failure.diagnostic()));
    }
}

/// What is wrong with the claim that a definition has a type, if it has another.
pub fn check_type(inferred: &Inferred<'_>, span: Span, name: &str, text: &str) -> Option<Failure> {
    let failure = |reason| Some(Failure { span, engines: vec![], reason });
    let Some((id, _)) = inferred.global(name) else {
        let hint = did_you_mean("definition", name, inferred.names());
        return failure(Reason::Other(format!("there is no definition `{name}`; {hint}")));
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = words(&show_scheme(inferred.typed(), id));
    let expected = words(text);
    if found == expected { None } else { failure(Reason::Differs { found, expected }) }
}

/// What is said of a line that names an engine which is nowhere.
fn unknown_engine(registry: &Registry, line: &Expectation) -> Option<Diagnostic> {
    let ExpectationKind::Engines(listed) = &line.kind else { return None };
    let is_unknown = |name: &&String| registry.has_all && registry.named(name).is_none();
    let name = listed.iter().find(is_unknown)?;
    let title = format!("there is no engine `{name}`");
    let hint = did_you_mean("engine", name, registry.names());
    Some(Diagnostic::error("E0812", line.span, title, "").hint(hint))
}
