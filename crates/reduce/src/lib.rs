//! Passes from programs of the calculus to programs of the calculus: functions become known, and
//! derivatives inside programs are taken. The engines that transform programs stand on them, and so does
//! the compiler.
//!
//! The rules of reduction are written once (`rules.rs`, on what `known.rs` says of values). Two passes apply them,
//! since two laws are asked for: [`specialise`] makes functions known and keeps first-order code as the user wrote
//! it, [`tidy`] takes what an engine made apart as far as it goes.

mod defunctionalise;
mod eliminate;
mod fragment;
mod fuel;
mod growth;
mod known;
mod numbers;
mod pieces;
mod reach;
mod rules;
mod shape_checks;
mod specialise;
mod tidy;
mod transforms;
mod unary;

pub use defunctionalise::{DEFUNCTIONALISE, defunctionalise};
pub use eliminate::{ELIMINATE, Eliminated, eliminate, eliminate_checked, eliminate_to};
pub use fragment::{outside_fragment, with_origin};
pub use fuel::{FUEL, with_fuel};
pub use pieces::{PIECES, pieces};
pub use reach::{TRIM, found_in, operator_in, reachable, trim};
pub use specialise::{SPECIALISE, specialise, specialise_all};
pub use tidy::{TIDY, tidy, unfold};
pub use transforms::{ForwardFn, TransformFn, Transforms};
pub use unary::{UNARY, unary};
