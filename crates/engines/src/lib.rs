//! Engines of automatic differentiation over the calculus, side by side: same calls, same description,
//! and each can show its work. What an engine is, and those of the evaluator, are in the crate `engine`.

mod as_source;
pub mod categories;
mod compiled;
pub mod curry;
pub mod delta;
pub mod linear_maps;
mod page;
mod parameters;
pub mod semantics;
mod show_trace;
mod table;

pub use page::page;
pub use pullback_engine::{
    Batch, EngineInfo, How, Letter, Page, Pullbacks, Registry, ShowFn, Stage, TRANSLATE, Variant,
    dual_engine, evaluate, follow, run, run_in_machine, show_dual, source, trace_engine, vet,
    wants_vetting,
};
pub use show_trace::show_trace;
pub use table::{ENGINES, LETTERS, REGISTRY, SOURCES, engine_named, modes, variant};
