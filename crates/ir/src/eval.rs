//! The reference evaluator: what a program of the IR means, and what it costs.
//!
//! A program is compiled to register bytecode ([`Image`]) and run by a [`Machine`] on an explicit stack of frames:
//! nothing recurses on the native stack in proportion to data or to the depth of calls. Values are moved at their last
//! use, so that what changes an array works in place where nothing else sees it.
//!
//! Input: a program in which all derivations are made, a function, its arguments and [`Limits`]. Output: its results
//! and [`Counts`], or an error at its place in the source.
//!
//! Law: native code is compared with this evaluator, bit for bit where it keeps bits. Operations, copies, moves and
//! steps are counted alike in every run of the same program.

mod build;
mod code;
mod compile;
mod core;
mod lanes;
mod machine;
mod progress;
mod tangent;
mod value;

pub use code::Image;
pub use core::Dependences;
pub use lanes::Strips;
pub use machine::{Machine, evaluate};
pub use pullback_base::Limits;
pub use pullback_machine::Counts;
pub use value::{Acc, Array, Items, Kind, Node, Shape, Value};
