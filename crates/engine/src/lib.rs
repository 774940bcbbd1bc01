//! What an engine of differentiation is, how every engine runs, and the two that run inside the evaluator: a tape that is
//! swept backwards, and dual numbers.
//!
//! Input: an engine, a program, a definition. Output: its value and its derivative, or the fault of the run. The
//! engines that transform programs as papers do are given as values ([`How::Transform`]); nothing here names one.

mod go;
mod levels;
mod linear;
mod watch;

mod dual;
mod trace;

mod bounds;
mod choose;
mod follow;

mod engine;

pub mod source;

mod run;

mod registry;

pub use bounds::{Bounds, bounds};
pub use choose::choose;
pub use dual::{engine as dual_engine, show_dual};
pub use engine::{
    EngineInfo, How, Letter, LetterFn, Page, ShowFn, Stage, needed, parts, unseen_mark,
    unseen_perturbation,
};
pub use follow::follow;
pub use go::Go;
pub use levels::{attach, checked_leaves, finite};
pub use linear::{Pullbacks, carried_by_rule, demand_linear};
pub use registry::{BUILT_IN, Registry, Variant};
pub use run::{Batch, evaluate, placed, run, run_in_machine, vet, wants_vetting};
pub use source::TRANSLATE;
pub use trace::{engine as trace_engine, linear_engine, show_record};
