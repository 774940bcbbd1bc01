//! `pullback show`: a stage of the pipeline as text.
//!
//! Input: a [`Call`] and the name of a stage. Output: the text of that stage, for the entry and all it
//! needs if the call names one, else for the whole file.

use pullback_base::{Diagnostic, Span};
use pullback_types::show_scheme;

use crate::call::{Prepared, Purpose, prepare};
use crate::engine::{Engine, engine_form};
use crate::load::load;
use crate::pipeline::{Inferred, STAGES, typed};
use crate::request::Call;
use crate::session::{Session, Stop};
use crate::suggest::did_you_mean;

/// The text of a stage.
pub fn show(session: &mut Session<'_>, call: &Call, stage: &str) -> Result<String, Stop> {
    match stage {
        "tokens" => {
            let file = session.read_text(&call.file)?;
            Ok(pullback_syntax::dump_tokens(session.sources.text(file)))
        }
        "ast" => ast(session, call),
        "types" => types(session, call),
        "lambda" => lambda(session, call),
        "trace" | "dual" => form(session, call, stage),
        _ => {
            let title = format!("there is no stage `{stage}`");
            let names = STAGES.iter().map(|stage| stage.name);
            let hint = did_you_mean("stage", stage, names);
            session.fail(Diagnostic::error("E0813", Span::NONE, title, "").hint(hint))
        }
    }
}

fn ast(session: &mut Session<'_>, call: &Call) -> Result<String, Stop> {
    let file = session.read_text(&call.file)?;
    let parse = pullback_syntax::parse(session.sources.text(file), file);
    session.diagnostics.extend(parse.diagnostics);
    Ok(pullback_syntax::dump_ast(session.sources.text(file), &parse.module))
}

fn inferred(session: &mut Session<'_>, call: &Call) -> Result<Inferred, Stop> {
    let modules = load(session, &call.file)?;
    let inferred = typed(session, &modules);
    session.stop_on_errors()?;
    Ok(inferred)
}

fn types(session: &mut Session<'_>, call: &Call) -> Result<String, Stop> {
    let inferred = inferred(session, call)?;
    let line = |name: &str| {
        let (id, _) = inferred.global(name)?;
        Some(format!("{name} : {}\n", show_scheme(&inferred.typed, id)))
    };
    if call.entry.is_empty() {
        return Ok(inferred.names().filter_map(line).collect());
    }
    inferred.entry(session, &call.entry)?;
    Ok(line(&call.entry).unwrap_or_default())
}

/// The calculus of the entry, or of every definition of the file.
fn lambda(session: &mut Session<'_>, call: &Call) -> Result<String, Stop> {
    let inferred = inferred(session, call)?;
    let roots = if call.entry.is_empty() {
        inferred.scopes.globals(inferred.main).map(|(_, id)| id).collect()
    } else {
        vec![inferred.entry(session, &call.entry)?]
    };
    let (program, _) = inferred.program(session, &roots)?;
    Ok(program.print())
}

/// The intermediate form of an engine, for a call with arguments.
fn form(session: &mut Session<'_>, call: &Call, stage: &str) -> Result<String, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let purpose = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
    let prepared = prepare(session, call, &engine, &purpose)?;
    let Prepared { program, function, argument, .. } = prepared;
    match engine_form(stage, &program, function, argument) {
        Some(Ok(text)) => Ok(text),
        Some(Err(fault)) => session.fail(*fault),
        None => Err(Stop),
    }
}
