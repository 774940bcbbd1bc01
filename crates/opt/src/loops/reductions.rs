//! Reductions split and fused: a loop that only adds up becomes a map and a sum, and in the end one loop again.
//!
//! ```text
//! s = for i < n with t = 0.0 {                    v = for i < n {
//!   x = a[i]                                        x = a[i]
//!   u = add(t, x)      split_reductions =>          collect x
//!   yield u            <= fuse_reductions         }
//! }                                               s = sum(v)
//! ```
//!
//! `split_reductions` runs early: no iteration waits for another one then, and loops can be fused and turned.
//! `fuse_reductions` runs at the end, so that no array is made; a loop that maps and reduces at once is the `redomap`
//! of Futhark (Henriksen, Larsen and Oancea, 2016).
//!
//! Law: every value keeps its bits, since `sum` adds from 0 in the order of the elements. To split, each state must
//! begin with `+0`, each step must only add to it, and the loop must run upwards with a count that is not negative,
//! since that is an error for what collects. To fuse back, `dead_collects::check` keeps that error where an array
//! goes.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::loops::dead_collects::check;
use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::loop_shape::{Fold, Reduction, Shape};
use pullback_analysis::zeros::is_zero;
use pullback_analysis::{Analyses, Changed};

pub(crate) const SUMS: Pass = Pass {
    name: "split_reductions",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "takes apart loops that only add up: what is added, and the sum",
    law: "for i < n with s = 0 { yield s + e } = sum [e | i < n]",
    run: apart,
};

pub(crate) const REDUCE: Pass = Pass {
    name: "fuse_reductions",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "adds up in the loop that makes what is added, without an array",
    law: "sum [e | i < n] = for i < n with s = 0 { yield s + e }",
    run: together,
};

fn apart(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    each_func(program, |program, func, body| take_apart(program, body, &facts.func(func).counted))
}

fn together(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    each_func(program, |program, func, body| {
        let uses = body.uses();
        put_together(program, body, &Known { uses: &uses, counted: &facts.func(func).counted })
    })
}

/// What is known of a function.
struct Known<'k> {
    /// How often each variable is used.
    uses: &'k FxHashMap<VarId, usize>,
    /// The loops, by index, of which the count cannot be negative.
    counted: &'k FxHashSet<VarId>,
}

fn take_apart(program: &mut Program, block: &mut Block, counted: &FxHashSet<VarId>) -> bool {
    let mut changed = false;
    for mut stmt in take(block) {
        for inner in stmt.op.blocks_mut() {
            changed |= take_apart(program, inner, counted);
        }
        let summands = if let Op::Loop(form) = &stmt.op { summands(form, counted) } else { None };
        let (Op::Loop(form), Some(summands)) = (&mut stmt.op, summands) else {
            block.stmts.push(stmt);
            continue;
        };
        changed = true;
        let span = stmt.span;
        let sums: Vec<Atom> = form.body.results.drain(..summands.len()).collect();
        form.body.stmts.retain(|stmt| !stmt.vars.iter().any(|var| sums.contains(&(*var).into())));
        form.body.results.splice(0..0, summands);
        form.states.clear();
        form.init.clear();
        let mut totals = vec![];
        for var in &mut stmt.vars[..sums.len()] {
            let array = program.fresh("array", Type::REAL.array());
            let total = std::mem::replace(var, array);
            totals.push(Stmt::new(vec![total], Op::Sum(array.into()), span));
        }
        block.stmts.push(stmt);
        block.stmts.append(&mut totals);
    }
    changed
}

/// The term that a loop adds to each of its states, if it does nothing else with them. The count must not be
/// negative, which would be an error for a loop that collects.
fn summands(form: &Loop, counted: &FxHashSet<VarId>) -> Option<Vec<Atom>> {
    let LoopForm::For { index, down: false, .. } = form.form else { return None };
    if form.states.is_empty() || !counted.contains(&index) {
        return None;
    }
    if !form.init.iter().all(|init| is_zero(*init)) {
        return None;
    }
    let summand = |at: usize| {
        let Reduction { fold, more, .. } = Shape::of(form, at).reduction()?;
        (fold == Fold::Add).then_some(more)
    };
    let summands = (0..form.states.len()).map(summand).collect::<Option<Vec<Atom>>>()?;
    // A term that is the next value of another state would be removed with it.
    let are_free =
        summands.iter().all(|summand| !form.body.results[..form.states.len()].contains(summand));
    are_free.then_some(summands)
}

fn put_together(program: &mut Program, block: &mut Block, known: &Known<'_>) -> bool {
    let mut changed = false;
    let mut makers: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut checks: FxHashMap<usize, Stmt> = FxHashMap::default();
    let mut stmts: Vec<Stmt> = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        for inner in stmt.op.blocks_mut() {
            changed |= put_together(program, inner, known);
        }
        if let Op::Sum(Atom::Var(array)) = stmt.op
            && let Some(maker) = makers.get(&array)
        {
            let is_kept = known.uses.get(&array) != Some(&1);
            let maker = *maker;
            absorb(program, &mut stmts[maker], array, stmt.vars[0], is_kept);
            checks.extend(check(&stmts[maker], known.counted).map(|check| (maker, check)));
            changed = true;
            continue;
        }
        if let Op::Loop(Loop { form: LoopForm::For { down: false, .. }, states, .. }) = &stmt.op {
            makers.extend(stmt.vars[states.len()..].iter().map(|var| (*var, stmts.len())));
        }
        stmts.push(stmt);
    }
    for (at, stmt) in stmts.into_iter().enumerate() {
        block.stmts.extend(checks.remove(&at));
        block.stmts.push(stmt);
    }
    changed
}

/// Lets a loop add up what it collects in an array, which may be needed still.
fn absorb(program: &mut Program, stmt: &mut Stmt, array: VarId, total: VarId, is_kept: bool) {
    let span = stmt.span;
    let (Op::Loop(form), Some(place)) =
        (&mut stmt.op, stmt.vars.iter().position(|var| *var == array))
    else {
        pullback_base::bug("fuse_reductions", "a loop that collects the array")
    };
    let states = form.states.len();
    let state = program.fresh("total", Type::REAL);
    let next = program.fresh("total", Type::REAL);
    let summand = form.body.results[place];
    if !is_kept {
        form.body.results.remove(place);
        stmt.vars.remove(place);
    }
    let sum = Op::Prim(Prim::Add, vec![state.into(), summand]);
    form.body.stmts.push(Stmt::new(vec![next], sum, span));
    form.body.results.insert(states, next.into());
    form.states.push(state);
    form.init.push(Atom::Real(0.0));
    stmt.vars.insert(states, total);
}
