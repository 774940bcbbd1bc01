//! What does not depend on a program: the engines, and the stages that can be shown.

use pullback_engines::{ENGINES, EngineInfo};
use pullback_tools::STAGES;
use serde_json::{Value as Json, json};

/// The engines that run here: all but the one that needs a C compiler.
pub(crate) fn engines() -> impl Iterator<Item = &'static EngineInfo> {
    ENGINES.iter().filter(|engine| !engine.needs_compiler())
}

/// The stages before the engines, and the engines with their stages. The engine `native` has stages, though it does not
/// run.
pub(crate) fn about() -> Json {
    let first = STAGES.iter().map(|stage| json!({ "name": stage.name, "about": stage.about }));
    let engine = |engine: &EngineInfo| {
        let stages = engine.stages.iter().map(|stage| {
            json!({ "name": stage.name, "about": stage.about, "atPoint": stage.needs_argument })
        });
        json!({
            "name": engine.name,
            "summary": engine.summary,
            "paper": engine.page.paper,
            "cost": engine.page.reverse,
            "teaches": engine.page.teaches,
            "runs": !engine.needs_compiler(),
            "stages": stages.collect::<Json>(),
        })
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "stages": first.collect::<Json>(),
        "engines": ENGINES.iter().map(engine).collect::<Json>(),
    })
}
