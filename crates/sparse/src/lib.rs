//! Sparse derivatives: which numbers of a derivative can be other than zero, and how few sweeps give all of them.
//!
//! Input: code of the IR that computes a directional derivative, and a point. Output: a [`Pattern`] with the rows and
//! columns of the Jacobian, a [`Plan`] that says along which directions to differentiate, and where in the answers each
//! entry stands.
//!
//! ```text
//! code of jvp --symbolic, or else tracer--> pattern --colourings--> plan: seeds --(a sweep each)--> answers --> entries
//! ```
//!
//! Law: no entry outside the pattern is other than zero at the point. Where [`Dependences::holds_everywhere`] says so,
//! that is so at each point with the same sizes and Ints.

mod colouring;
mod dependences;
mod given;
mod pattern;
mod plan;
mod prepare;
mod sets;
mod star;
mod symbolic;
mod told;
mod tracer;

pub use dependences::{Dependences, Way, dependences};
pub use given::Given;
pub use pattern::Pattern;
pub use plan::{Answers, Plan, Sweep};
pub use sets::{Set, Sets};
pub use symbolic::Rows;
pub use told::{followed, told};
