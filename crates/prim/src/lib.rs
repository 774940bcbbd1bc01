//! The primitives. Their one table (type, value, failures, smooth domain, linearity, partial derivatives, how
//! values move) is in `table.rs`; every engine and the evaluator read it, none has rules of its own.
//!
//! A new variant of [`Prim`] does not compile until it has a row. [`Prim::row`] gives the row, [`Prim::ALL`]
//! all primitives in the order of the table, [`Prim::from_name`] the one of a name. [`Fault`] is what can go wrong
//! at run time, in the words of every evaluator. [`Routine`] names what numerical libraries compute. [`activity`] says through which variables of a program
//! derivatives flow, by what the table says of its primitives.

pub mod activity;
mod domain;
mod enclosure;
mod fault;
pub mod interval;
mod moves;
mod names;
mod partials;
mod powers;
mod routine;
mod row;
mod scalar;
mod special;
mod straight;
mod straighten;
mod table;
mod text;
pub mod values;

pub use fault::{
    FUEL_HINT, FUEL_NOTE, Fault, MAX_NESTING, Nonlinear, NotFinite, OUT_OF_FUEL, Request, Ruled,
    amount,
};
pub use moves::{Move, Place};
pub use partials::{Application, Partials};
pub use routine::{Routine, RoutineRow, Slot};
pub use row::{Beside, Class, Domain, Failure, Linearity, Prim, PrimTy, RealFn, Row, Smooth, Term};
pub use scalar::{AtScalars, Scalar, ScalarFault};
pub use straight::{Straight, Straightened};
pub use table::ROUNDED;
pub use text::{enclosed, quoted, read_real, real_text};
