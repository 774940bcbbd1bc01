//! Interprocedural propagation of equalities: of parameters that are the same in each call of a function one does for
//! all, and sizes of parameters that are the same are known to be.
//!
//! ```text
//! z = @f(n, n, y)                   z = @f(n, n, y)
//! fn @f(a, b, c) {            =>    fn @f(a, b, c) requires dim(c, 0) = a {
//!   d = int_add(a, b)                 d = int_add(a, a)
//! ```
//!
//! Here `y` has `n` elements wherever `f` is called. The two halves of a derivative are two functions where a function
//! is called more than once: what the first one saves comes to the second one with sizes of which that knows
//! nothing else.
//!
//! Law: values and failures stay. The analysis is that of `preconditions`. Parameters stay until `dce` takes out those
//! that nobody reads.

use pullback_ir::{Atom, FuncId, Program};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, bodies};
use pullback_analysis::preconditions::preconditions;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "preconditions",
    phase: Phase::Simplify,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "writes one for parameters that are the same in all calls of a function, and says which sizes of parameters \
            are the same",
    law: "body of f = body of f with x for y, if every call of f is f(a, a)",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    let facts = analyses.facts(program);
    let same = preconditions(program, &graph, &facts);
    let mut changed = vec![];
    for (id, same) in program.funcs.ids().zip(same) {
        let func = &mut program.funcs[id];
        let mut is_used = false;
        let atoms: FxHashMap<_, _> =
            same.params.into_iter().map(|(param, first)| (param, Atom::Var(first))).collect();
        func.body.visit_atoms(&mut |atom| {
            is_used |= atom.var().is_some_and(|var| atoms.contains_key(&var))
        });
        if is_used {
            func.body.substitute(&atoms);
        }
        if is_used || func.preconditions != same.sizes {
            func.preconditions = same.sizes;
            changed.push(id);
        }
    }
    bodies(changed)
}
