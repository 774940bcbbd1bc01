//! What a call of a definition gives: value and gradient, a plot, a stage, what it costs, and where it meets kinks.
//!
//! Input: a session and a request. Output: the answer with the diagnostics. Each is that of the command of the same name.

use std::path::Path;

use pullback_base::{Severity, did_you_mean};
use pullback_session::{Call, Query, Session, Settings, Stop, grad, on_large_stack, run};
use pullback_tools::{Plot, operations, plot, show};
use serde_json::{Map, Value as Json, json};

use crate::about::engines;
use crate::heard::{hear, heard};
use crate::reports::reports;

/// How many points of a curve are computed, and how many cells of a heat map each way.
const POINTS: usize = 241;
const CELLS: usize = 48;

/// The call that a request describes.
fn call(path: &Path, request: &Map<String, Json>) -> Call {
    let texts = |name: &str| -> Vec<String> {
        let all = request.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        all.iter().filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let named = request.get("named").and_then(Json::as_object);
    let named = named.into_iter().flatten().filter_map(|(name, text)| {
        let text = text.as_str()?;
        Some((name.clone(), text.to_owned()))
    });
    let engine = text(request, "engine").filter(|name| !name.is_empty());
    // Without a compiler a long run stays where it is, so the first engine is named.
    let engine = engine.or_else(|| engines().next().map(|engine| engine.name));
    Call {
        file: path.to_owned(),
        entry: text(request, "entry").unwrap_or_default().to_owned(),
        args: texts("args"),
        named: named.collect(),
        settings: Settings {
            engine: engine.map(str::to_owned),
            tell: Some(hear),
            ..Settings::default()
        },
        ..Call::default()
    }
}

fn text<'r>(request: &'r Map<String, Json>, name: &str) -> Option<&'r str> {
    request.get(name).and_then(Json::as_str)
}

/// Asks a query on a large stack. The answer has the diagnostics and the lines of `debug` beside
/// what was found.
fn asked(
    session: &Session,
    path: &Path,
    work: impl FnOnce(&mut Query<'_>) -> Result<Json, Stop> + Send,
) -> Json {
    on_large_stack(|| {
        // An earlier question may have been left in its midst.
        heard();
        let mut query = session.query();
        let found = work(&mut query).ok();
        let name = path.display().to_string();
        let diagnostics = reports(&query.sources, &query.diagnostics, &name);
        json!({ "found": found, "diagnostics": diagnostics, "debug": heard() })
    })
}

/// The value; with it the gradient if the result is a Real that Reals lead to.
pub(crate) fn value(session: &Session, path: &Path, request: &Map<String, Json>) -> Json {
    let call = call(path, request);
    let wants_gradient = request.get("gradient").and_then(Json::as_bool).unwrap_or(true);
    asked(session, path, |query| {
        let answer = if wants_gradient { grad(query, &call, &[])? } else { run(query, &call)? };
        let data: Json = serde_json::from_str(&answer.json()).unwrap_or(Json::Null);
        Ok(json!({ "text": answer.text(None), "data": data }))
    })
}

/// A plot over a range of the parameter that is given nothing.
pub(crate) fn drawn(session: &Session, path: &Path, request: &Map<String, Json>) -> Json {
    let call = call(path, request);
    let end = |name: &str| text(request, name).unwrap_or_default().to_owned();
    let asked_for = Plot {
        entries: vec![call.entry.clone()],
        range: Some((end("from"), end("to"))),
        second: None,
        points: POINTS,
        grid: (CELLS, CELLS),
        derivatives: true,
    };
    asked(session, path, |query| {
        let figure = plot(query, &call, &asked_for)?;
        Ok(json!({ "svg": figure.svg() }))
    })
}

/// A stage, as `show` prints it.
pub(crate) fn stage(session: &Session, path: &Path, request: &Map<String, Json>) -> Json {
    let mut call = call(path, request);
    // The engine is that which has the stage.
    call.settings.engine = None;
    let name = text(request, "stage").unwrap_or_default();
    asked(session, path, |query| Ok(json!({ "text": show(query, &call, name)? })))
}

/// What an engine counts for the value, and for the value with a cotangent of every parameter.
pub(crate) fn cost(session: &Session, path: &Path, request: &Map<String, Json>) -> Json {
    let call = call(path, request);
    asked(session, path, |query| {
        let counted = operations(query, &call, false)?;
        let (value, both) = (counted.primal, counted.derived);
        Ok(json!({
            "value": { "operations": value.total(), "weight": value.weight() },
            "both": { "operations": both.total(), "weight": both.weight(), "bytes": both.peak },
        }))
    })
}

/// Ties and edges of domains that a run meets, and the first NaN.
pub(crate) fn kinks(session: &Session, path: &Path, request: &Map<String, Json>) -> Json {
    let mut call = call(path, request);
    call.settings.warn_kinks = true;
    call.settings.trace_nan = true;
    let wants_gradient = request.get("gradient").and_then(Json::as_bool).unwrap_or(true);
    asked(session, path, |query| {
        if wants_gradient {
            grad(query, &call, &[])?
        } else {
            run(query, &call)?
        };
        let met = query.diagnostics.iter().filter(|one| one.severity == Severity::Warning);
        Ok(json!({ "count": met.count() }))
    })
}

/// Says that there is no such question.
pub(crate) fn unknown(name: &str) -> Json {
    let known = ["about", "check", "hover", "complete", "format", "value", "plot", "stage"];
    let hint = did_you_mean("question", name, known);
    json!({ "refused": format!("there is no question `{name}`: {hint}") })
}
