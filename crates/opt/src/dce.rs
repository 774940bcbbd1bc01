//! What nothing needs goes: results, states, fields, parameters, sums that are never read, and what computes
//! them. What may fail stays, and with it what decides whether it is reached.
//!
//! `graph` says what needs what; what is needed is marked from the roots, and the rest swept out.

mod graph;
mod sweep;

use pullback_ir::{FuncId, Program};

use crate::pass::Pass;

pub(crate) const PASS: Pass = Pass {
    name: "dce",
    about: "leaves out what no result and no error depends on, through loops, branches, calls and boxes",
    law: "x = e, b = b, if e does not fail and x is not in b",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let graph = graph::Graph::of(program, roots);
    let live = graph.live();
    sweep::sweep(program, &graph.nodes, &live)
}
