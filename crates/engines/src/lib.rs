//! Engines of automatic differentiation over the calculus, side by side: same calls, same description,
//! and each can show its work.

mod dual;
mod engine;
mod follow;
pub mod source;
mod trace;

pub use dual::{engine as dual_engine, show_dual};
pub use engine::{
    Answer, EngineInfo, How, Mode, RunFn, ShowFn, Stage, TransformFn, evaluate, run, run_in_machine,
};
pub use trace::{engine as trace_engine, show_trace};

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
        stages: &[Stage {
            name: "trace",
            about: "the trace of one evaluation and its reverse sweep",
            needs_argument: true,
            show: |program, def, argument| show_trace(program, def, needed(argument)?),
        }],
    },
    EngineInfo {
        name: "dual",
        summary: "computes with dual numbers; reverse mode as one forward pass for each input",
        paper: "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD, §4 and §9.1",
        covers: "the whole language",
        cost: "jvp: a constant times the program in time and memory; vjp: n such passes",
        how: How::Runtime(dual::engine),
        stages: &[Stage {
            name: "dual",
            about: "the program over dual numbers",
            needs_argument: true,
            show: |program, def, argument| show_dual(program, def, needed(argument)?),
        }],
    },
];

/// The engine of this name.
pub fn engine_named(name: &str) -> Option<&'static EngineInfo> {
    ENGINES.iter().find(|engine| engine.name == name)
}
