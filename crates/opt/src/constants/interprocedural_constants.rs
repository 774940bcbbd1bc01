//! Interprocedural constant propagation (Callahan, Cooper, Kennedy and Torczon, 1986), of parameters.
//!
//! ```text
//! y = @f(x, 0.5)                    y = @f(x, 0.5)
//! z = @f(u, 0.5)                    z = @f(u, 0.5)
//! fn @f(a, b) {               =>    fn @f(a, b) {
//!   c = mul(a, b)                     c = mul(a, 0.5)
//! ```
//!
//! The analysis is that of `constants`: it joins over all calls what each hands to a parameter, through bodies too, and
//! a recursive call that hands on its own parameter says nothing new. Constants are numbers, and constant functions that
//! are put together from numbers.
//!
//! Law: values keep their bits; `0.0` and `-0.0` are two constants. Parameters stay until `dce` takes out those that
//! nobody reads. Roots, and functions that requests or rules name, may be called with anything. Which branches can be
//! taken is not considered, unlike in sparse conditional constant propagation.

use pullback_ir::{Atom, FuncId, Op, Program, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::constants::{Constant, Constants};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "interprocedural_constants",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "takes numbers and constants from all calls of a function, where they are the same in all of them",
    law: "body of f = body of f with 3 for x, if every call of f has 3 for x, or x itself",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    let constants = analyses.constants(program, roots);
    let mut changed = false;
    for id in program.funcs.ids().filter(|id| !graph.is_held[*id]) {
        changed |= replace(program, id, &constants);
    }
    changed.into()
}

/// Writes constants for the parameters of a function that are constants and that it uses.
fn replace(program: &mut Program, id: FuncId, constants: &Constants) -> bool {
    let mut used = FxHashSet::default();
    program.funcs[id].body.visit_atoms(&mut |atom| used.extend(atom.var()));
    let (params, span) = (program.funcs[id].params.clone(), program.funcs[id].span);
    let (mut atoms, mut calls) = (FxHashMap::default(), vec![]);
    for param in params.into_iter().filter(|param| used.contains(param)) {
        let atom = match constants.value(param).value() {
            Some(Constant::Literal(atom)) => atom,
            Some(Constant::Result(func)) => {
                let var = program.fresh_like(param);
                calls.push(Stmt::new(vec![var], Op::Call(func, vec![]), span));
                Atom::Var(var)
            }
            None => continue,
        };
        atoms.insert(param, atom);
    }
    let body = &mut program.funcs[id].body;
    body.substitute(&atoms);
    body.stmts.splice(..0, calls);
    !atoms.is_empty()
}
