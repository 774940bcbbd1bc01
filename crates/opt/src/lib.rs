//! The optimiser: passes from the IR to the IR, each with a law, in one list, [`PASSES`]. It may run before
//! derivations are made and after that: what asks for one is left alone.
//!
//! Law of all: a program that has a value keeps it, bit for bit, but that NaNs are one and that a
//! product with an absent (co)tangent, and the sum of a zero that an accumulator begins with and another zero, may
//! be a zero of either sign; one that fails still fails. Which of
//! several errors comes first may change, and errors that cannot happen may go. Limits of time and memory are
//! no errors: what is left out for them, such as a loop without end, is no change.

mod accs;
mod added;
mod addends;
mod ahead;
mod alike;
mod between;
mod branches;
mod calls;
mod cells;
mod collect;
mod counts;
mod cse;
mod dce;
mod deforest;
mod edges;
mod effects;
mod elements;
mod extremes;
mod facts;
mod fields;
mod fixed;
mod fuse;
mod hoist;
mod inline;
mod later;
mod outer;
mod params;
mod pass;
mod pipeline;
mod powers;
mod present;
mod prune;
mod scalars;
mod select;
mod shift;
mod simplify;
mod sizes;
mod sparse;
mod spread;
mod starts;
mod states;
mod sums;
mod sweeps;
mod tags;
mod tails;
mod twins;
mod unbox;
mod undo;
mod unfold;
mod unread;
mod unroll;
mod variants;

pub use facts::proven;
pub use pass::Pass;
pub use pipeline::{DERIVED, LATE, Options, PASSES, Step, THEN, optimise, pass_named};
pub use tails::loops;
