//! What nothing needs goes: results, states, fields, parameters, sums that are never read, and what computes
//! them. What may fail stays, and with it what decides whether it is reached.
//!
//! `graph` says what needs what; what is needed is marked from the roots, and the rest swept out. An array with another
//! element that is needed only since its index may be outside is a look at the element: that fails alike.

mod graph;
mod sweep;

use pullback_ir::{Block, FuncId, Op, Program, Type, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_body};

pub(crate) const PASS: Pass = Pass {
    name: "dce",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: true,
    about: "leaves out what no result and no error depends on, through loops, branches, calls and boxes",
    law: "x = e, b = b, if e does not fail and x is not in b",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let graph = graph::Graph::of(program, roots);
    let live = graph.live();
    let is_swept = sweep::sweep(program, &graph.nodes, &live);
    let are_less = each_body(program, looks);
    is_swept || are_less
}

/// Looks at the elements of arrays that nobody needs with other ones.
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
