//! What `pullback show` knows by name: the stages that it prints, and the passes between programs with their laws.

use std::collections::BTreeSet;

use pullback_compile::{JVP, LIMIT_TAPES, LOWER, TRANSPOSE, UNZIP};
use pullback_engines::{ENGINES, EngineInfo, Stage as Form, TRANSLATE};
use pullback_lambda::Pass;
use pullback_reduce::{DEFUNCTIONALISE, ELIMINATE, FUEL, SPECIALISE, TIDY, TRIM, UNARY};
use pullback_types::ELABORATE;

/// A stage that `pullback show --stage` prints.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What `--stage` calls it.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
}

/// The passes between programs, in the order data flows, before those of the optimiser (`PASSES` of the crate
/// `opt`): which of them run is up to the command and the engine.
pub const PASSES: &[(&Pass, &str)] = &[
    (&ELABORATE, "always, first"),
    (&FUEL, "with `--fuel`"),
    (&SPECIALISE, "where a function that is differentiated inside the program is not known"),
    (&DEFUNCTIONALISE, "where it is still not known after `specialise`"),
    (&ELIMINATE, "in engines that transform programs"),
    (&UNARY, "before `translate`"),
    (&TRANSLATE, "in engines that transform programs: its pages in docs/engines"),
    (&TIDY, "in `curry-list` and `curry-env`, after reverse mode"),
    (&TRIM, "before and after the passes of an engine"),
    (&LOWER, "in `ir`, after `specialise`"),
    (&LIMIT_TAPES, "in `ir`, with `--max-tape`"),
    (&JVP, "in `ir`, once for each function and what moves of it"),
    (&UNZIP, "in `ir`, after `jvp`, for linear maps"),
    (&TRANSPOSE, "in `ir`, after `unzip`, for reverse mode"),
];

/// The stages before the engines, in the order data flows.
pub const STAGES: &[Stage] = &[
    Stage { name: "tokens", about: "the words of the text" },
    Stage { name: "ast", about: "the syntax tree" },
    Stage { name: "types", about: "the inferred type of every definition" },
    Stage { name: "lambda", about: "the typed lambda-calculus that is evaluated" },
];

/// All stages: [`STAGES`], then the forms of each engine.
pub fn stages() -> impl Iterator<Item = Stage> {
    let forms = ENGINES.iter().flat_map(|engine| engine.stages);
    let forms = forms.map(|form| Stage { name: form.name, about: form.about });
    // Engines may share a stage.
    let mut seen = BTreeSet::new();
    STAGES.iter().copied().chain(forms).filter(move |stage| seen.insert(stage.name))
}

/// The engine that has a stage, and the stage: the engine of this name if it is one of several.
pub fn form_named(
    name: &str,
    preferred: Option<&str>,
) -> Option<(&'static EngineInfo, &'static Form)> {
    let forms =
        ENGINES.iter().flat_map(|engine| engine.stages.iter().map(move |form| (engine, form)));
    let mut forms: Vec<_> = forms.filter(|(_, form)| form.name == name).collect();
    forms.sort_by_key(|(engine, _)| preferred != Some(engine.name));
    forms.into_iter().next()
}
