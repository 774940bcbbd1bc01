//! The oracle: derivatives without derivative rules, to test all others against.
//!
//! One small evaluator of the calculus, generic over the kind of number: binary64, complex numbers
//! (complex step), exact fractions, Taylor jets over either. It shares no rule with the primitive
//! table. Beside it a generator of well-typed programs, and the walk over the primitive table.
//! For tests and fuzzing only.

mod complex;
mod contender;
#[cfg(test)]
mod cross_check;
mod data;
mod derivative;
mod error;
mod eval;
mod extent;
pub mod fuzz;
mod generate;
mod jet;
mod prim;
mod rational;
pub mod reference;
mod scalar;
mod special;
pub mod table;
mod value;

pub use complex::Complex;
pub use contender::{
    Contender, Failure, Opened, Outcome, Ready, failure, of_value, on_image, on_machine, to_value,
};
pub use data::Data;
pub use derivative::{
    Estimate, difference_quotients, eval_f64, exact, extent, finite_difference, jvp_complex_step,
    taylor, taylor_exact,
};
pub use error::{Error, ErrorKind};
pub use eval::Limits;
pub use extent::Extent;
pub use generate::{Config, Entropy, Feature, Generated, Mode, bytes_of_seed, generate, shrink};
pub use jet::{Coefficient, Jet, Special};
pub use rational::Rational;
pub use scalar::{Binary, Scalar, Unary};
