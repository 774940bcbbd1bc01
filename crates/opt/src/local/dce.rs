//! Dead-code elimination, through loops, branches, calls, fields of data and accumulators of the whole program.
//!
//! ```text
//! u, v = for i < n with s = 0.0, t = x {           u = for i < n with s = 0.0 {
//!   p = add(s, x)                                    p = add(s, x)
//!   q = mul(t, x)                             =>     yield p
//!   yield p, q                                     }
//! }
//! ```
//!
//! Here nothing reads `v`, and its state goes with it.
//!
//! `graph` says what needs what, the pass marks what the roots need, and `sweep` takes out the rest: statements,
//! results and states of loops, results and parameters of functions, fields of constructors, accumulators that nobody
//! reads. Marking begins with everything dead, so that what only needs itself goes, as a state that only its own step
//! reads.
//!
//! Law: the values of the roots, what is told (`debug`) and all failures stay. A statement that may fail is a root,
//! and with it stays what decides whether it is reached. An update of an element that is only needed since its index
//! may be outside becomes a read of the element, which fails alike. Loops that may not end are no failures, and may
//! go.

mod graph;
mod sweep;

use pullback_ir::{Block, FuncId, Op, Program, Type, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "dce",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: true,
    runs_in_trial: true,
    about: "leaves out what no result and no error depends on, through loops, branches, calls and boxes",
    law: "x = e, b = b, if e does not fail and x is not in b",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = graph::Graph::of(program, roots, analyses);
    let live = graph.live();
    let nodes = graph.nodes;
    let swept = sweep::sweep(program, &nodes, &live);
    swept.and(each_body(program, looks))
}

/// Turns updates whose result nobody reads into reads of the element, which fail alike.
fn looks(program: &mut Program, body: &mut Block) -> bool {
    let mut used: FxHashSet<VarId> = FxHashSet::default();
    body.visit_atoms(&mut |atom| used.extend(atom.var()));
    let mut changed = false;
    body.visit_mut(&mut |stmt| {
        let [var] = stmt.vars.as_slice() else { return };
        let ty = program.vars[*var].ty;
        if let Op::Update(array, at, _) = &stmt.op
            && at.len() == usize::from(ty.rank)
            && !used.contains(var)
        {
            stmt.op = Op::Index(*array, at.clone());
            stmt.vars = vec![program.fresh("element", Type::scalar(ty.elem))];
            changed = true;
        }
    });
    changed
}
