//! Interprocedural constant propagation (Callahan, Cooper, Kennedy and Torczon, 1986), of parameters.
//!
//! ```text
//! y = @f(x, 0.5)                    y = @f(x, 0.5)
//! z = @f(u, 0.5)                    z = @f(u, 0.5)
//! fn @f(a, b) {               =>    fn @f(a, b) {
//!   c = mul(a, b)                     c = mul(a, 0.5)
//! ```
//!
//! The analysis joins over all calls what each hands to a parameter: no call yet, one constant, or varying. A
//! recursive call that hands on its own parameter says nothing new. Constants are numbers, and constant functions
//! that are put together from numbers (`pass::is_plain`).
//!
//! Law: values keep their bits; `0.0` and `-0.0` are two constants. Parameters stay until `dce` takes out those that
//! nobody reads. Roots, and functions that requests or rules name, may be called with anything. Which branches can be
//! taken is not considered, unlike in sparse conditional constant propagation.

use pullback_base::IdVec;
use pullback_ir::{Atom, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, is_plain};

use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "interprocedural_constants",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "takes numbers and constants from all calls of a function, where they are the same in all of them",
    law: "body of f = body of f with 3 for x, if every call of f has 3 for x, or x itself",
    run,
};

/// What is known of a parameter. The least element is that no call has been seen.
#[derive(Clone, Copy)]
enum Known {
    Unseen,
    Is(Atom),
    /// It is the result of this constant function.
    Constant(FuncId),
    Varies,
}

impl Known {
    /// What is known if both are possible.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, known) | (known, Self::Unseen) => known,
            (Self::Is(one), Self::Is(other)) if is_same(one, other) => self,
            (Self::Constant(one), Self::Constant(other)) if one == other => self,
            _ => Self::Varies,
        }
    }
}

/// Whether two numbers are the same bit for bit.
fn is_same(one: Atom, other: Atom) -> bool {
    match (one, other) {
        (Atom::Real(x), Atom::Real(y)) => x.to_bits() == y.to_bits(),
        _ => one == other,
    }
}

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let graph = analyses.call_graph(program, roots);
    let mut vars = FxHashMap::default();
    for (id, func) in program.funcs.iter_enumerated() {
        let params = func.params.iter().enumerate();
        vars.extend(params.map(|(at, param)| (*param, Given::Param(id, at))));
    }
    let mut known: IdVec<FuncId, Vec<Known>> = IdVec::default();
    for (id, func) in program.funcs.iter_enumerated() {
        let first = if graph.is_held[id] { Known::Varies } else { Known::Unseen };
        known.push(vec![first; func.params.len()]);
    }
    let calls = calls(program, &graph.order, &mut vars);
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (callee, args) in &calls {
            for (at, arg) in args.iter().enumerate() {
                let given = given(&known, &vars, *arg);
                let before = known[*callee][at];
                let after = before.join(given);
                changes |= std::mem::discriminant(&before) != std::mem::discriminant(&after);
                known[*callee][at] = after;
            }
        }
    }
    replace(program, &known).into()
}

/// The origin of a variable that may be one constant in every call.
enum Given {
    Param(FuncId, usize),
    Constant(FuncId),
}

/// The calls in functions that are reached. Calls of plain constants are noted in `vars` instead.
fn calls(
    program: &Program,
    reached: &[FuncId],
    vars: &mut FxHashMap<VarId, Given>,
) -> Vec<(FuncId, Vec<Atom>)> {
    let mut calls = vec![];
    for func in reached {
        program.funcs[*func].body.visit(&mut |stmt| {
            let Op::Call(callee, args) = &stmt.op else { return };
            if is_plain(program, *callee) {
                vars.extend(stmt.vars.iter().map(|var| (*var, Given::Constant(*callee))));
            } else {
                calls.push((*callee, args.clone()));
            }
        });
    }
    calls
}

/// What is known of an argument.
fn given(known: &IdVec<FuncId, Vec<Known>>, vars: &FxHashMap<VarId, Given>, arg: Atom) -> Known {
    let Atom::Var(var) = arg else { return Known::Is(arg) };
    match vars.get(&var) {
        Some(Given::Param(func, at)) => known[*func][*at],
        Some(Given::Constant(func)) => Known::Constant(*func),
        None => Known::Varies,
    }
}

fn replace(program: &mut Program, known: &IdVec<FuncId, Vec<Known>>) -> bool {
    let mut changed = false;
    for id in program.funcs.ids() {
        let mut used = FxHashSet::default();
        program.funcs[id].body.visit_atoms(&mut |atom| used.extend(atom.var()));
        let params = program.funcs[id].params.clone();
        let (mut atoms, mut constants) = (FxHashMap::default(), vec![]);
        for (param, known) in
            params.iter().zip(&known[id]).filter(|(param, _)| used.contains(*param))
        {
            match *known {
                Known::Is(atom) => atoms.insert(*param, atom),
                Known::Constant(func) => {
                    let var = program.fresh_like(*param);
                    let span = program.funcs[id].span;
                    constants.push(Stmt::new(vec![var], Op::Call(func, vec![]), span));
                    atoms.insert(*param, Atom::Var(var))
                }
                Known::Unseen | Known::Varies => None,
            };
        }
        if !atoms.is_empty() {
            let body = &mut program.funcs[id].body;
            body.substitute(&atoms);
            body.stmts.splice(..0, constants);
            changed = true;
        }
    }
    changed
}
