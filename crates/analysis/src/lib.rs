//! Static analyses of programs of the IR. A question about a program is answered here, once; the passes that
//! differentiate, optimise and emit code ask it here.
//!
//! Input: a program of the IR. Output: tables about it, which hold until the program changes. No analysis changes a
//! program, and none knows why it is asked.
//!
//! | module | question |
//! |---|---|
//! | [`access`] | which accumulator is a variable a part of, and how do iterations of a loop touch accumulators and arrays? |
//! | [`affine`] | which sum of multiples of others is an Int, and how does it differ from another one? |
//! | [`call_graph`] | which function names which, in which order, and which recur? |
//! | [`constants`] | which sizes and values are the same in all calls, branches and iterations? |
//! | [`cost`] | what does an operation take, or to do it again, and how much code is a body? |
//! | [`datas`] | which data types do values of a type hold, however deep? |
//! | [`dependence`] | does an iteration read what an earlier one has written? |
//! | [`effects`] | may an operation fail, tell something, or touch an accumulator? |
//! | [`facts`] | what is known of sizes and Ints, and what cannot fail because of it? |
//! | [`flow`] | to which parameters, results, states and results of branches do values go as they are? |
//! | [`horn`] | what follows from clauses and facts, such as what a pass may not change? |
//! | [`lattice`] | what is known of a value that is one of several? |
//! | [`loop_shape`] | what does a loop make of each of its states? |
//! | [`preconditions`] | which Ints and sizes are the same in each call of a function? |
//! | [`reorder`] | may one statement come before another? |
//! | [`sizes`] | which Int is the size of an array, or which other array has the same one, wherever the array is? |
//! | [`undefined`] | which variables may have no value? |
//! | [`variance`] | which variables of a loop differ from iteration to iteration? |
//! | [`zeros`] | which values are zeros, and where do accumulators begin with them? |

pub mod access;
pub mod affine;
pub mod call_graph;
pub mod constants;
pub mod cost;
pub mod datas;
pub mod dependence;
pub mod effects;
pub mod facts;
pub mod flow;
pub mod horn;
mod kept;
pub mod lattice;
pub mod loop_shape;
pub mod preconditions;
pub mod reorder;
pub mod sizes;
pub mod undefined;
pub mod variance;
pub mod zeros;

pub use kept::{Analyses, Changed};
