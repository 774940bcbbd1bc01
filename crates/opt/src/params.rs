//! A parameter that is one number in every call is that number: sparse conditional constants without the conditions,
//! across calls. A recursive call that hands on its own parameter says nothing new.

use pullback_base::IdVec;
use pullback_ir::{Atom, FuncId, Op, Program, VarId};
use rustc_hash::FxHashMap;

use crate::calls::call_graph;
use crate::pass::Pass;

pub(crate) const PASS: Pass = Pass {
    name: "params",
    about: "takes numbers from all calls of a function, where they are one number in all of them",
    law: "body of f = body of f with 3 for x, if every call of f has 3 for x, or x itself",
    run,
};

/// What is known of a parameter: the least is that no call of it has been seen.
#[derive(Clone, Copy)]
enum Known {
    Unseen,
    Is(Atom),
    Varies,
}

impl Known {
    /// What is known if both are possible.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unseen, known) | (known, Self::Unseen) => known,
            (Self::Is(one), Self::Is(other)) if is_same(one, other) => self,
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

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let graph = call_graph(program, roots);
    let mut places = FxHashMap::default();
    for (id, func) in program.funcs.iter_enumerated() {
        places.extend(func.params.iter().enumerate().map(|(at, param)| (*param, (id, at))));
    }
    let mut known: IdVec<FuncId, Vec<Known>> = IdVec::default();
    for (id, func) in program.funcs.iter_enumerated() {
        let first = if graph.is_held[id] { Known::Varies } else { Known::Unseen };
        known.push(vec![first; func.params.len()]);
    }
    let calls = calls(program, &graph.order);
    let mut changes = true;
    while std::mem::take(&mut changes) {
        for (callee, args) in &calls {
            for (at, arg) in args.iter().enumerate() {
                let given = given(&known, &places, *arg);
                let before = known[*callee][at];
                let after = before.join(given);
                changes |= std::mem::discriminant(&before) != std::mem::discriminant(&after);
                known[*callee][at] = after;
            }
        }
    }
    replace(program, &known)
}

/// The calls in the functions that are reached.
fn calls(program: &Program, reached: &[FuncId]) -> Vec<(FuncId, Vec<Atom>)> {
    let mut calls = vec![];
    for func in reached {
        program.funcs[*func].body.visit(&mut |stmt| {
            if let Op::Call(callee, args) = &stmt.op {
                calls.push((*callee, args.clone()));
            }
        });
    }
    calls
}

/// What is known of an argument.
fn given(
    known: &IdVec<FuncId, Vec<Known>>,
    places: &FxHashMap<VarId, (FuncId, usize)>,
    arg: Atom,
) -> Known {
    let Atom::Var(var) = arg else { return Known::Is(arg) };
    places.get(&var).map_or(Known::Varies, |(func, at)| known[*func][*at])
}

fn replace(program: &mut Program, known: &IdVec<FuncId, Vec<Known>>) -> bool {
    let mut changed = false;
    for id in program.funcs.ids() {
        let func = &mut program.funcs[id];
        let mut atoms = FxHashMap::default();
        for (param, known) in func.params.iter().zip(&known[id]) {
            if let Known::Is(atom) = *known {
                atoms.insert(*param, atom);
            }
        }
        let mut uses = false;
        func.body.visit_atoms(&mut |atom| {
            uses |= atom.var().is_some_and(|var| atoms.contains_key(&var))
        });
        if uses {
            func.body.substitute(&atoms);
            changed = true;
        }
    }
    changed
}
