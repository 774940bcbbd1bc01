//! Engines of automatic differentiation over the calculus, side by side: same calls, same description,
//! and each can show its work.

pub mod categories;
mod compiled;
pub mod curry;
pub mod delta;
mod dual;
mod engine;
mod follow;
mod go;
mod levels;
mod linear;
pub mod linear_maps;
mod page;
mod run;
pub mod semantics;
pub mod source;
mod table;
mod trace;
mod watch;

pub use dual::{engine as dual_engine, show_dual};
pub use engine::{EngineInfo, How, Page, ShowFn, Stage};
pub use follow::follow;
pub use linear::Pullbacks;
pub use page::page;
pub use run::{Batch, evaluate, run, run_in_machine, vet, wants_vetting};
pub use source::TRANSLATE;
pub use table::{BOUNDED, ENGINES, engine_named, fused, modes};
pub use trace::{engine as trace_engine, show_trace, show_trace_bounded};
