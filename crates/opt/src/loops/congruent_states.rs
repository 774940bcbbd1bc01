//! Elimination of congruent loop states, by partition refinement (Alpern, Wegman and Zadeck, 1988).
//!
//! ```text
//! x, y = for i < n with p = 1.0, q = 1.0 {         x = for i < n with p = 1.0 {
//!   e = a[i]                                         e = a[i]
//!   t = mul(p, e)                             =>     t = mul(p, e)
//!   u = mul(q, e)                                    yield t
//!   yield t, u                                     }
//! }                                                y = x
//! ```
//!
//! States are congruent if they begin with the same value and each step keeps them the same. The pass starts with the
//! largest classes, of all states that begin alike, replaces in the body each state by the first of its class, and
//! asks `cse` which results are then equal. It splits classes until that agrees.
//!
//! Law: all values keep their bits; `0.0` and `-0.0` are two values. Failures stay, since the steps of the class are
//! the same computations.
//!
//! Derivatives inside each other have many such states. What moves in each of `k` directions that are the same moves
//! alike, so that `k + 1` states are left of the `2^k` that the `k`-th derivative has in forward mode.

use std::mem::{Discriminant, discriminant};

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId, keep};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use crate::local::cse::shared;
use crate::pass::{Pass, Phase, Scope, each_body, take};
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "congruent_states",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes one state of states of a loop that are always the same",
    law: "loop (x, y) = (a, a) do (f x y, g x y), where f z z = g z z: loop x = a do f x x, y = x",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let tells = analyses.tells(program);
    each_body(program, |program, body| in_block(program, &tells, body))
}

fn in_block(program: &Program, tells: &Tells, block: &mut Block) -> bool {
    let mut changed = false;
    for mut stmt in take(block) {
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(program, tells, inner);
        }
        let (vars, span) = (stmt.vars.clone(), stmt.span);
        let mut copies = vec![];
        if let Op::Loop(repeat) = &mut stmt.op {
            let twin_of = classes(program, tells, repeat);
            let stays: Vec<bool> = twin_of.iter().enumerate().map(|(at, of)| at == *of).collect();
            if stays.contains(&false) {
                for (at, of) in twin_of.iter().enumerate().filter(|(at, of)| at != *of) {
                    copies.push(Stmt::new(vec![vars[at]], Op::Copy(vars[*of].into()), span));
                }
                merge(repeat, &twin_of, &stays);
                keep_first(&mut stmt.vars, &stays);
            }
        }
        changed |= !copies.is_empty();
        block.stmts.push(stmt);
        block.stmts.append(&mut copies);
    }
    changed
}

/// For each state the first state of its class: those of a class always have one value.
fn classes(program: &Program, tells: &Tells, repeat: &Loop) -> Vec<usize> {
    let Loop { states, init, body, .. } = repeat;
    let is_alike = |a: usize, b: usize| {
        let [one, other] = [a, b].map(|at| program.vars[states[at]].ty);
        one == other && init[a].is_same(init[b])
    };
    let mut twin_of = first_of(states.len(), is_alike);
    if !is_parted(&twin_of) {
        // Most of those that begin alike go on in other ways, which is soon seen.
        let makers = makers(body);
        let maker = |at: usize| body.results[at].var().and_then(|var| makers.get(&var));
        twin_of = first_of(states.len(), |a, b| twin_of[a] == twin_of[b] && maker(a) == maker(b));
    }
    loop {
        if is_parted(&twin_of) {
            return twin_of;
        }
        let mut after = body.clone();
        shared(program, tells, &mut after, standing_for(states, &twin_of));
        let is_alike = |a: usize, b: usize| {
            twin_of[a] == twin_of[b] && after.results[a].is_same(after.results[b])
        };
        let next = first_of(states.len(), is_alike);
        if next == twin_of {
            return twin_of;
        }
        twin_of = next;
    }
}

/// Whether no two of these are alike.
fn is_parted(twin_of: &[usize]) -> bool {
    twin_of.iter().enumerate().all(|(at, of)| at == *of)
}

/// What makes a variable, as far as equal computations are the same in it: the operation, and which of how many results
/// the variable is.
#[derive(PartialEq)]
struct Maker {
    op: Discriminant<Op>,
    prim: Option<Prim>,
    place: (usize, usize),
}

/// What makes the variables that a block binds.
fn makers(block: &Block) -> FxHashMap<VarId, Maker> {
    let mut makers = FxHashMap::default();
    for stmt in &block.stmts {
        let prim = if let Op::Prim(prim, _) = stmt.op { Some(prim) } else { None };
        let vars = stmt.vars.iter().enumerate();
        makers.extend(vars.map(|(at, var)| {
            (*var, Maker { op: discriminant(&stmt.op), prim, place: (at, stmt.vars.len()) })
        }));
    }
    makers
}

/// For each of so many the first one that is like it.
fn first_of(count: usize, is_alike: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    (0..count).map(|at| (0..at).find(|first| is_alike(*first, at)).unwrap_or(at)).collect()
}

/// The replacement of each state that is not the first of its class.
fn standing_for(states: &[VarId], twin_of: &[usize]) -> FxHashMap<VarId, Atom> {
    let twins = twin_of.iter().enumerate().filter(|(at, of)| at != *of);
    twins.map(|(at, of)| (states[at], Atom::Var(states[*of]))).collect()
}

/// Leaves out the states that do not stay.
fn merge(repeat: &mut Loop, twin_of: &[usize], stays: &[bool]) {
    let atoms = standing_for(&repeat.states, twin_of);
    if let LoopForm::While(condition) = &mut repeat.form {
        condition.substitute(&atoms);
    }
    repeat.body.substitute(&atoms);
    keep(&mut repeat.states, stays);
    keep(&mut repeat.init, stays);
    keep_first(&mut repeat.body.results, stays);
}

/// Leaves out of the first items those that do not stay.
fn keep_first<T>(items: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.to_vec();
    stays.resize(items.len(), true);
    keep(items, &stays);
}
