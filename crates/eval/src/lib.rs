//! The reference evaluator: the meaning of the language.
//!
//! A program is compiled to bytecode ([`compile`]) and run by a [`Machine`] on an explicit stack of
//! frames; nothing recurses on the native stack in proportion to data or to the depth of calls.
//! Differentiation is done by an [`Engine`], which follows Reals through the same machine.

mod arith;
pub mod boxes;
mod chunks;
mod code;
mod compile;
mod core;
mod custom;
mod discrete;
mod edges;
mod effects;
mod hooks;
mod intervals;
mod linearity;
mod machine;
mod numeric;
mod options;
mod perturb;
mod prims;
mod progress;
mod routines;
pub mod ties;
mod value;
pub mod walk;
pub mod watch;
mod watched;

pub use arith::Linearised;
pub use chunks::Chunks;
pub use code::{Code, Image, Instr, Place};
pub use compile::compile;
pub use hooks::{Ctx, Engine, Level, Native, NoEngine, Step, Then};
pub use machine::Machine;
pub use numeric::Plain;
pub use options::{Options, Quota};
pub use prims::{Operation, PrimId, Prims};
pub use pullback_base::{Budget, Limits, Since, memory};
pub use pullback_machine::{Counts, Meter};
pub use pullback_prim::{
    FUEL_HINT, FUEL_NOTE, Fault, MAX_NESTING, Nonlinear, NotFinite, OUT_OF_FUEL, Request, Ruled,
    amount,
};
pub use value::{
    Active, Array, Chain, Fields, Items, NativeValue, Value, equal, primal, tangent_at,
};
