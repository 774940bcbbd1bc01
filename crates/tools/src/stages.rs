//! What `pullback show` knows by name: the stages that it prints, and the passes between programs with their laws.

use std::collections::BTreeSet;

use pullback_compile::{JVP, LIMIT_TAPES, LOWER, TRANSPOSE, UNZIP};
use pullback_engines::{ENGINES, EngineInfo, Stage as Form, TRANSLATE};
use pullback_lambda::Pass;
use pullback_reduce::{DEFUNCTIONALISE, ELIMINATE, FUEL, PIECES, SPECIALISE, TIDY, TRIM, UNARY};
use pullback_types::ELABORATE;

/// A stage that `pullback show --stage` prints.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// What `--stage` calls it.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
}

/// The part of the compiler that a pass belongs to: the parts follow each other in this order, and the optimiser and
/// code generation follow them with phases of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// From the tree to the calculus, and what makes functions known there.
    Calculus,
    /// The engines that transform programs of the calculus.
    Engines,
    /// From the calculus to the IR.
    Lower,
    /// Derivatives on the IR.
    Differentiate,
}

impl Phase {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calculus => "calculus",
            Self::Engines => "engines",
            Self::Lower => "lower",
            Self::Differentiate => "differentiate",
        }
    }
}

/// A pass between programs, as it is listed.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The pass, with its law.
    pub pass: &'static Pass,
    /// The part of the compiler.
    pub phase: Phase,
    /// What it does.
    pub about: &'static str,
    /// When it runs.
    pub when: &'static str,
}

const fn listed(
    phase: Phase,
    pass: &'static Pass,
    about: &'static str,
    when: &'static str,
) -> Listed {
    Listed { pass, phase, about, when }
}

/// The passes between programs, in the order data flows, before those of the optimiser (`PASSES` of the crate
/// `opt`): which of them run is up to the command and the engine.
pub const PASSES: &[Listed] = &[
    listed(
        Phase::Calculus,
        &ELABORATE,
        "makes the typed calculus of the tree, with a copy of a definition for each list of types",
        "always, first",
    ),
    listed(Phase::Calculus, &FUEL, "bounds how deep functions recur", "with `--fuel`"),
    listed(
        Phase::Calculus,
        &SPECIALISE,
        "applies functions that are known where they are used",
        "where a function that is differentiated inside the program is not known",
    ),
    listed(
        Phase::Calculus,
        &DEFUNCTIONALISE,
        "makes data of functions that are passed on, and a match where one is applied",
        "where it is still not known after `specialise`",
    ),
    listed(
        Phase::Engines,
        &ELIMINATE,
        "replaces operators of differentiation by calls of what the engine makes, those inside others first",
        "in engines that transform programs",
    ),
    listed(
        Phase::Engines,
        &UNARY,
        "gives a function one parameter, a tuple of those that it had",
        "before `translate`",
    ),
    listed(
        Phase::Engines,
        &TRANSLATE,
        "differentiates a function as the engine's paper does",
        "in engines that transform programs: its pages in docs/engines",
    ),
    listed(
        Phase::Engines,
        &TIDY,
        "takes known functions, tuples and constructors out of what an engine made",
        "in `curry-list` and `curry-env`, after reverse mode",
    ),
    listed(
        Phase::Engines,
        &PIECES,
        "carries the state of a translation through loops piece by piece",
        "in `delta`, before a run",
    ),
    listed(
        Phase::Engines,
        &TRIM,
        "empties the definitions that nothing reaches",
        "before and after the passes of an engine",
    ),
    listed(
        Phase::Lower,
        &LOWER,
        "makes functions of the IR, with structures as several variables",
        "in `ir`, after `specialise`",
    ),
    listed(
        Phase::Lower,
        &LIMIT_TAPES,
        "puts checkpoints into loops that would save too much",
        "in `ir`, with `--max-tape`",
    ),
    listed(
        Phase::Differentiate,
        &JVP,
        "puts tangents beside the values of a function",
        "in `ir`, once for each function and what moves of it",
    ),
    listed(
        Phase::Differentiate,
        &UNZIP,
        "takes a function with tangents apart, into its values and a linear part of what these save",
        "in `ir`, after `jvp`, for linear maps",
    ),
    listed(
        Phase::Differentiate,
        &TRANSPOSE,
        "turns the linear part around, from cotangents of results to those of parameters",
        "in `ir`, after `unzip`, for reverse mode",
    ),
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
