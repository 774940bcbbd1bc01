//! Accumulation to update: an addition to one element of a loop's state becomes a read, a sum and a write.
//!
//! ```text
//! acc = new_acc(b)               old = b[k]
//! acc[k] += z               =>   sum = add(old, z)
//! d = read_acc(acc)              d = b with [k] = sum
//! ```
//!
//! A second rule goes before it. Where a cotangent is taken out of an array, a zero is left behind, and the same
//! cotangent is added again in the same place, it stays where it is:
//!
//! ```text
//! y = b[i]
//! c = b with [i] = 0.0           y = b[i]
//! acc = new_acc(c)          =>   acc = new_acc(b)
//! acc[i] += y
//! ```
//!
//! Law: to each element the same terms are added, up to the sign of a zero. By the second rule the element comes
//! first, so that a sum of three terms or more in one place may be rounded otherwise. Failures stay: the read asks
//! for the place. It applies where the array is a state of the loop around, and one place is added to; of other
//! accumulators nothing would be gained.

use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "accumulate_to_update",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "writes what is added to one element of an array, and leaves what is taken out and added again",
    law: "acc = new_acc(a); acc[p] += x; b = read_acc(acc) = r = a[p]; y = r + x; b = a with [p] = y; \
          r = a[p]; b = a with [p] = 0; acc = new_acc(b); s; acc[p] += r = r = a[p]; acc = new_acc(a); s",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_body(program, |program, body| in_block(program, body, &[]))
}

/// Over a block, the body of a loop with these states.
fn in_block(program: &mut Program, block: &mut Block, states: &[VarId]) -> bool {
    let mut changed = false;
    for stmt in &mut block.stmts {
        let states = if let Op::Loop(repeat) = &stmt.op { repeat.states.clone() } else { vec![] };
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, inner, &states);
        }
    }
    let mut at = 0;
    while at < block.stmts.len() {
        if let Op::NewAcc(Atom::Var(of)) = block.stmts[at].op {
            let acc = block.stmts[at].vars[0];
            if stays(block, at, acc, of) {
                (changed, at) = (true, at - 1);
            }
            changed |= written(program, block, states, acc);
        }
        at += 1;
    }
    changed
}

/// Where a statement of a block adds to an accumulator, the place and what it adds.
pub(crate) fn adds(stmt: &Stmt, acc: VarId) -> Option<(&[Atom], Atom)> {
    let Op::AddAcc(Atom::Var(of), at, value) = &stmt.op else { return None };
    (*of == acc).then_some((at.as_slice(), *value))
}

/// Leaves an element in its array, if it is replaced by zero before an accumulator begins with the array, and added
/// to that again in the same place.
fn stays(block: &mut Block, at: usize, acc: VarId, of: VarId) -> bool {
    let Some(update) = block.stmts[..at].iter().position(|stmt| stmt.vars.contains(&of)) else {
        return false;
    };
    let Op::Update(Atom::Var(before), place, Atom::Real(zero)) = &block.stmts[update].op else {
        return false;
    };
    if *zero != 0.0 || block.mentions(of) != 1 {
        return false;
    }
    let is_taken = |value: Atom| {
        let is_it = |stmt: &Stmt| {
            value == Atom::Var(stmt.vars[0])
                && matches!(&stmt.op, Op::Index(Atom::Var(of), i) if of == before && i == place)
        };
        block.stmts[..at].iter().filter(|stmt| stmt.vars.len() == 1).any(is_it)
    };
    let is_back = |stmt: &Stmt| {
        adds(stmt, acc).is_some_and(|(at, value)| at == place.as_slice() && is_taken(value))
    };
    let Some(back) = block.stmts.iter().position(is_back) else { return false };
    let before = *before;
    block.stmts[at].op = Op::NewAcc(Atom::Var(before));
    block.stmts.remove(back);
    // The read of the element fails alike if the place is outside.
    block.stmts.remove(update);
    true
}

/// Replaces an accumulator by an update, if it begins with a state and one element is added to. For other arrays an
/// accumulator is as good.
fn written(program: &mut Program, block: &mut Block, states: &[VarId], acc: VarId) -> bool {
    let find = |is_it: &dyn Fn(&Stmt) -> bool| block.stmts.iter().position(is_it);
    let start = find(&|stmt| stmt.vars.contains(&acc));
    let end = find(&|stmt| matches!(stmt.op, Op::ReadAcc(of) if of == Atom::Var(acc)));
    let (Some(start), Some(end)) = (start, end) else { return false };
    let Op::NewAcc(Atom::Var(array)) = block.stmts[start].op else { return false };
    let rank = usize::from(program.vars[array].ty.rank);
    let uses = block.mentions(acc);
    if uses == 1 {
        block.stmts[end].op = Op::Copy(Atom::Var(array));
        block.stmts.remove(start);
        return true;
    }
    let Some(at) = find(&|stmt| adds(stmt, acc).is_some_and(|(at, _)| at.len() == rank)) else {
        return false;
    };
    if uses != 2 || !states.contains(&array) {
        return false;
    }
    let Op::AddAcc(_, place, value) = block.stmts[at].op.clone() else { return false };
    let (span, result) = (block.stmts[at].span, block.stmts[end].vars.clone());
    let [old, new] = ["old", "sum"].map(|name| program.fresh(name, Type::REAL));
    let sum = Op::Prim(Prim::Add, vec![Atom::Var(old), value]);
    let write = Op::Update(Atom::Var(array), place.clone(), Atom::Var(new));
    block.stmts[end] = Stmt::new(result, write, span);
    let stmts = vec![
        Stmt::new(vec![old], Op::Index(Atom::Var(array), place), span),
        Stmt::new(vec![new], sum, span),
    ];
    block.stmts.splice(at..=at, stmts);
    block.stmts.remove(start);
    true
}
