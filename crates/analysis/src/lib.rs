//! Static analyses of programs of the IR. A question about a program is answered here, once; the passes that
//! differentiate, optimise and emit code ask it here.
//!
//! Input: a program of the IR. Output: tables about it, which hold until the program changes. No analysis changes a
//! program, and none knows why it is asked.

pub mod access;
pub mod call_graph;
pub mod effects;
pub mod facts;
pub mod reorder;
