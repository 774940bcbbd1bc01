//! Interprocedural propagation of sizes: the size of an array that is one number in every call is that number.
//!
//! ```text
//! fn @f(a, t) {                     fn @f(a, t) {
//!   n = dim(a, 0)             =>      n = 3
//!   u = to_tangent(a, t)              u = t
//! ```
//!
//! Here every `a` and every `t` that comes to `f` has 3 elements. A conversion to a tangent of the sizes that the
//! tangent has already is the tangent.
//!
//! Law: values and failures stay: checks of sizes are no sizes, and stay where they are. The analysis is that of
//! `constants`.

use pullback_ir::{Atom, Elem, FuncId, Op, Program};

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::constants::Constants;
use pullback_analysis::lattice::Flat;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "interprocedural_sizes",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "takes sizes from all calls of a function, where they are one number in all of them",
    law: "dim(x, 0) = 3, to_tangent(x, t) = t, if every x that comes here has 3 elements, and every t",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let constants = analyses.constants(program, roots);
    each_body(program, |program, body| {
        let mut changed = false;
        body.visit_mut(&mut |stmt| {
            let known = match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Dim(..), &[var]) => constants.number(var).map(Atom::Int),
                (Op::ToTangent(_, x, t), &[_]) => {
                    is_same(program, &constants, *x, *t).then_some(*t)
                }
                _ => None,
            };
            if let Some(known) = known {
                stmt.op = Op::Copy(known);
                changed = true;
            }
        });
        changed
    })
}

/// Whether an array, or its sizes, and a tangent of Reals are known to have the same sizes.
fn is_same(program: &Program, constants: &Constants, x: Atom, t: Atom) -> bool {
    let (Atom::Var(x), Atom::Var(t)) = (x, t) else { return false };
    let is_real = matches!(program.vars[x].ty.elem, Elem::Real | Elem::Unit)
        && program.vars[t].ty.elem == Elem::Real;
    let (x, t) = (constants.sizes(x), constants.sizes(t));
    is_real && x == t && x.iter().all(|size| matches!(size, Flat::Is(1..)))
}
