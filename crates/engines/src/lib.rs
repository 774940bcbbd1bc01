//! Engines of automatic differentiation over the calculus, side by side: same calls, same description,
//! and each can show its work.

pub mod categories;
pub mod curry;
pub mod delta;
mod dual;
mod engine;
mod follow;
pub mod linear_maps;
pub mod semantics;
pub mod source;
mod trace;
mod watch;

pub use dual::{engine as dual_engine, show_dual};
pub use engine::{
    Answer, EngineInfo, ForwardFn, How, Mode, RunFn, ShowFn, Stage, TransformFn, evaluate, run,
    run_in_machine,
};
pub use trace::{engine as trace_engine, show_trace};
pub use watch::follow;

use engine::needed;

/// Every engine, the one to use unless told otherwise first.
pub const ENGINES: &[EngineInfo] = &[
    EngineInfo {
        name: "trace",
        summary: "records the executed primitives and sweeps over the record",
        paper: "A Simple Differentiable Programming Language, §3",
        covers: "the whole language",
        cost: "vjp and jvp: a constant times the program; memory linear in operations executed",
        how: How::Runtime(trace::engine),
        stages: &[
            Stage {
                name: "trace",
                about: "the trace term of one evaluation and its derivative",
                needs_argument: true,
                show: |program, def, argument| show_trace(program, def, needed(argument)?),
            },
            Stage {
                name: "trace-run",
                about: "the numbered steps of evaluation and differentiation, by the paper's rules",
                needs_argument: true,
                show: |program, def, argument| {
                    semantics::show_run(program, def, &needed(argument)?)
                },
            },
        ],
    },
    EngineInfo {
        name: "dual",
        summary: "computes with dual numbers; reverse mode as one forward pass for each input",
        paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §4 and §9.1",
        covers: "the whole language",
        cost: "jvp: a constant times the program in time and memory; vjp: n such passes",
        how: How::Runtime(dual::engine),
        stages: &[
            Stage {
                name: "dual",
                about: "the program over dual numbers",
                needs_argument: true,
                show: |program, def, argument| show_dual(program, def, needed(argument)?),
            },
            Stage {
                name: "dual-source",
                about: "the translation to programs over dual numbers, and its wrapper",
                needs_argument: false,
                show: |program, def, _| delta::show_forward(program, def),
            },
        ],
    },
    EngineInfo {
        name: "delta1",
        summary: "translates to numbers that carry the vector of their derivatives",
        paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §5.1",
        covers: "the whole language, up to 512 inputs",
        cost: "vjp and jvp: n times the program in time and memory",
        how: How::Transform { vjp: delta::delta1_vjp, jvp: delta::delta1_jvp },
        stages: delta::DELTA1_STAGES,
    },
    EngineInfo {
        name: "delta2",
        summary: "translates to numbers that carry a tree of deltas",
        paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §5.2",
        covers: "the whole language, as long as unshared trees stay below 200000 nodes",
        cost: "vjp and jvp: exponential in the depth of sharing",
        how: How::Transform { vjp: delta::delta2_vjp, jvp: delta::delta2_jvp },
        stages: delta::DELTA2_STAGES,
    },
    EngineInfo {
        name: "delta",
        summary: "translates to a monad that names every delta, and evaluates the names once",
        paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §5.3, §8, §9.2",
        covers: "the whole language",
        cost: "vjp and jvp: a constant times the program; memory linear in operations executed",
        how: How::Transform { vjp: delta::delta_vjp, jvp: delta::delta_jvp },
        stages: delta::DELTA_STAGES,
    },
    EngineInfo {
        name: "curry-list",
        summary: "composes functions with their pullbacks by combinators; functions have lists of calls",
        paper: "The Differentiable Curry, §3, §4 and §6.2",
        covers: "the whole language; derivatives of known functions, not too deeply nested",
        cost: "vjp: the program, run again for each nesting of functions that capture functions",
        how: How::Transform { vjp: curry::vjp_list, jvp: curry::jvp_list },
        stages: curry::STAGES_LIST,
    },
    EngineInfo {
        name: "curry-env",
        summary: "composes functions with their pullbacks by combinators; functions have tagged environments",
        paper: "The Differentiable Curry, §3, §5 and §6.2",
        covers: "the whole language; derivatives of known functions, not too deeply nested",
        cost: "vjp and jvp: a constant times the program; memory linear in operations executed",
        how: How::Transform { vjp: curry::vjp_env, jvp: curry::jvp_env },
        stages: curry::STAGES_ENV,
    },
    EngineInfo {
        name: "linear-maps",
        summary: "builds the derivative as a linear map and applies it from either side",
        paper: "Working notes on Automatic differentiation, §2 to §5, §8 and §9",
        covers: "the whole language; its source forms show first-order programs",
        cost: "vjp and jvp: a constant times the program; memory linear in operations executed",
        how: How::Runtime(linear_maps::engine),
        stages: linear_maps::STAGES,
    },
    EngineInfo {
        name: "categories",
        summary: "compiles to a categorical language and splits every arrow into two halves",
        paper: "Working notes on Automatic differentiation, §6",
        covers: "programs whose functions are known before they run",
        cost: "vjp and jvp: a constant times the program; memory linear in operations executed",
        how: How::Transform { vjp: categories::vjp, jvp: categories::jvp },
        stages: categories::STAGES,
    },
];

/// `delta` with fused functions.
static FUSED_DELTA: EngineInfo = EngineInfo {
    name: "delta",
    summary: "translates as `delta`, and each call of a function of numbers leaves one binding",
    paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §8.7",
    covers: "the whole language",
    cost: "vjp and jvp: a constant times the program; memory linear in operations outside fused calls",
    how: How::Transform { vjp: delta::fused_vjp, jvp: delta::fused_jvp },
    stages: &[],
};

/// The fused form of an engine, if it has one.
pub fn fused(engine: &EngineInfo) -> Option<&'static EngineInfo> {
    (engine.name == "delta").then_some(&FUSED_DELTA)
}

/// The engine of this name.
pub fn engine_named(name: &str) -> Option<&'static EngineInfo> {
    ENGINES.iter().find(|engine| engine.name == name)
}
