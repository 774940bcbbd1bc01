//! The reference evaluator: the meaning of the language.
//!
//! A program is compiled to bytecode ([`compile`]) and run by a [`Machine`] on an explicit stack of
//! frames; nothing recurses on the native stack in proportion to data or to the depth of calls.
//! Differentiation is done by an [`Engine`], which follows Reals through the same machine.

mod arith;
mod array;
mod chunks;
mod code;
mod compile;
mod core;
mod custom;
mod discrete;
mod effects;
mod fault;
mod hooks;
mod linearity;
mod machine;
pub mod memory;
pub mod numeric;
mod structure;
mod value;
pub mod walk;
pub mod watch;
mod watched;

pub use arith::{Budget, Counts, Ctx, Known, Options, Since, primal};
pub use array::{Array, Items};
pub use chunks::Chunks;
pub use code::{Code, Image, Instr, Place};
pub use compile::compile;
pub use fault::{
    FUEL_HINT, FUEL_NOTE, Fault, MAX_NESTING, Nonlinear, OUT_OF_FUEL, Request, amount,
};
pub use hooks::{Engine, Level, Native, NativeValue, NoEngine, Step, Then};
pub use machine::Machine;
pub use structure::Fields;
pub use value::{Active, Value, equal};
