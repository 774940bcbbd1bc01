//! Run-time sparsity of directional derivatives: iterations that would only add zeros are passed over.
//!
//! ```text
//!                                                 z = for p < n { … collect q }  -- q: x[p] is 0
//! s = for p < n with t = 0.0 {                    s = for p < n with t = 0.0 {
//!   x_dot = x[p]                             =>     skip = z[p]
//!   y = mul_zero(x_dot, c)                          u = if skip { yield t } else { … }
//!   u = add(t, y)                                   yield u
//!   yield u                                       }
//! }
//! ```
//!
//! A Jacobian takes a derivative along one unit direction after another, and most of what may move does not move in
//! most of them. The pass looks for such a loop over directions, a loop inside it, and an innermost loop of sums.
//! Once for each direction, before the loop in the middle, it finds out which tangents are zero.
//!
//! Law: every sum keeps its bits: it begins with `+0`, so it is never `-0`, and adding a zero of either sign changes
//! nothing. What is passed over cannot fail and tells nothing; what may fail stays in every iteration. Loops of fewer
//! than 16 statements to pass over are left alone, since asking costs as much.

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::affine::Inside;
use pullback_analysis::zeros::{hands_on, is_either_zero, is_zero};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "skip_zero_directions",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "passes over iterations that add zeros, in loops over directions",
    law: "for i < n with s = 0 { s + f x[i] } = z = [x[i] == 0 | i < n], \
          for i < n with s = 0 { if z[i] { s } else { s + f x[i] } }, if f 0 = 0",
    run,
};

/// The fewest statements that a skipped iteration must save: fewer cost no more than the test.
const WORTH: usize = 16;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (facts, effects) = (analyses.facts(program), analyses.effects(program));
    let undefined = analyses.undefined(program);
    each_func(program, |program, func, body| {
        let (counted, effects) = (&facts.func(func).counted, effects.func(func));
        let mut safe = FxHashSet::default();
        body.visit(&mut |stmt| {
            let is_pure = !effects.tells(program, &stmt.op);
            if is_pure && !effects.fails_outside(program, stmt) {
                safe.extend(&stmt.vars);
            }
        });
        let undefined = &undefined;
        let mut ctx = SkipZeroDirections { program, counted, undefined, safe, changed: false };
        ctx.block(body, &Around::Nothing);
        ctx.changed
    })
}

struct SkipZeroDirections<'p> {
    program: &'p mut Program,
    /// The indices of loops whose counts are not negative.
    counted: &'p FxHashSet<VarId>,
    undefined: &'p FxHashSet<VarId>,
    /// What is bound by statements that cannot fail, wherever they stand, and that tell nothing.
    safe: FxHashSet<VarId>,
    changed: bool,
}

/// Which of the loops that the pass looks for are around a block.
enum Around<'a> {
    Nothing,
    /// A loop over directions, with what it binds.
    Directions(Inside),
    /// A loop inside the loop over directions.
    Middle(Middle<'a>),
}

/// What the loop over directions binds, and what the loop inside it does.
struct Middle<'a> {
    directions: &'a Inside,
    inside: Inside,
}

impl Middle<'_> {
    /// Whether a variable depends on the direction, and is the same in all iterations of the loop inside.
    fn moves(&self, var: VarId) -> bool {
        self.directions.has(var) && !self.inside.has(var)
    }
}

impl Around<'_> {
    /// The loops around the blocks of a statement.
    fn inside(&self, op: &Op) -> Option<Around<'_>> {
        let Op::Loop(looped) = op else { return None };
        let inside = Inside::of(looped);
        match self {
            Self::Nothing => is_over_directions(looped).then_some(Around::Directions(inside)),
            Self::Directions(directions) => Some(Around::Middle(Middle { directions, inside })),
            Self::Middle(_) => None,
        }
    }
}

/// Whether the iterations of a loop make an array that is 1 in the place of their index.
fn is_over_directions(looped: &Loop) -> bool {
    let LoopForm::For { index, .. } = looped.form else { return false };
    looped.body.stmts.iter().any(|stmt| {
        matches!(&stmt.op, Op::Update(_, at, Atom::Real(1.0)) if at[..] == [Atom::Var(index)])
    })
}

impl SkipZeroDirections<'_> {
    /// Changes the innermost loops in a block. Gives the loops that find out which tangents are zero, which belong
    /// before the loop in the middle.
    fn block(&mut self, block: &mut Block, around: &Around<'_>) -> Vec<Stmt> {
        let mut before = vec![];
        for mut stmt in take(block) {
            let inside = around.inside(&stmt.op);
            let mut asked = vec![];
            for inner in stmt.op.blocks_mut() {
                asked.append(&mut self.block(inner, inside.as_ref().unwrap_or(around)));
            }
            if let Around::Middle(middle) = around
                && let Op::Loop(looped) = &mut stmt.op
                && stmt.vars.len() == looped.states.len()
            {
                asked.extend(self.pass_over(looped, stmt.span, middle));
            }
            let is_middle = matches!(around, Around::Directions(_));
            if is_middle { &mut block.stmts } else { &mut before }.append(&mut asked);
            block.stmts.push(stmt);
        }
        before
    }

    /// Makes a loop of sums skip the iterations that add zeros. Gives the loop that finds out which these are.
    fn pass_over(&mut self, looped: &mut Loop, span: Span, middle: &Middle<'_>) -> Option<Stmt> {
        let LoopForm::For { index, count, .. } = looped.form else { return None };
        if !self.counted.contains(&index)
            || !middle.inside.is_uniform(count)
            || !looped.init.iter().all(|init| is_zero(*init))
        {
            return None;
        }
        let loads: Vec<&Stmt> = (looped.body.stmts.iter())
            .filter(|stmt| self.may_be_asked(stmt, index, middle))
            .collect();
        let adds = Adds::of(&looped.body, &looped.states, loads.iter().map(|load| load.vars[0]));
        let (kept, passed) = self.divided(&looped.body);
        if loads.is_empty() || !adds.are_zero(&looped.body) || passed.len() < WORTH {
            return None;
        }
        let (asks, is_zero) = self.asks(&loads, index, count, span);
        looped.body = self.guarded(looped, index, is_zero, kept, passed, span);
        self.changed = true;
        Some(asks)
    }

    /// Whether a statement loads a tangent that depends on the direction, and could do so before the loop in the
    /// middle.
    fn may_be_asked(&self, stmt: &Stmt, index: VarId, middle: &Middle<'_>) -> bool {
        let Op::Index(Atom::Var(array), at) = &stmt.op else { return false };
        let is_there = |at: &Atom| {
            at.var().is_none_or(|var| {
                var == index || !middle.inside.has(var) && !self.undefined.contains(&var)
            })
        };
        middle.moves(*array)
            && !self.undefined.contains(array)
            && at.iter().all(is_there)
            && self.program.vars[stmt.vars[0]].ty == Type::REAL
            && self.safe.contains(&stmt.vars[0])
    }

    /// The statements that must run in every iteration, and those that may be skipped. The first may fail or tell
    /// something, or are needed by statements that may.
    fn divided(&self, body: &Block) -> (Vec<Stmt>, Vec<Stmt>) {
        let mut needed = FxHashSet::default();
        let mut kept = vec![false; body.stmts.len()];
        for (stmt, is_kept) in body.stmts.iter().zip(&mut kept).rev() {
            let mut is_safe = !stmt.vars.is_empty();
            is_safe &= stmt.vars.iter().all(|var| self.safe.contains(var));
            for block in stmt.op.blocks() {
                block.visit(&mut |stmt| {
                    is_safe &= !stmt.vars.is_empty();
                    is_safe &= stmt.vars.iter().all(|var| self.safe.contains(var));
                });
            }
            if !is_safe || stmt.vars.iter().any(|var| needed.contains(var)) {
                *is_kept = true;
                stmt.op.for_each_atom(&mut |atom| needed.extend(atom.var()));
                for block in stmt.op.blocks() {
                    block.visit_atoms(&mut |atom| needed.extend(atom.var()));
                }
            }
        }
        let mut kept = kept.into_iter();
        body.stmts.iter().cloned().partition(|_| kept.next() == Some(true))
    }

    /// The loop that collects, for each iteration, whether all that it loads is zero.
    fn asks(&mut self, loads: &[&Stmt], index: VarId, count: Atom, span: Span) -> (Stmt, VarId) {
        let other = self.program.fresh_like(index);
        let renamed = FxHashMap::from_iter([(index, Atom::Var(other))]);
        let mut body = Block::default();
        let mut all = Atom::Bool(true);
        for load in loads {
            let value = self.program.fresh_like(load.vars[0]);
            let mut load = Stmt::new(vec![value], load.op.clone(), span);
            load.op.for_each_atom_mut(&mut |atom| {
                if let Some(other) = atom.var().and_then(|var| renamed.get(&var)) {
                    *atom = *other;
                }
            });
            let is_zero = self.program.fresh("is_zero", Type::BOOL);
            let test = Op::Prim(Prim::Eq, vec![value.into(), Atom::Real(0.0)]);
            body.stmts.extend([load, Stmt::new(vec![is_zero], test, span)]);
            let both = self.program.fresh("is_zero", Type::BOOL);
            let op = Op::Select(all, is_zero.into(), Atom::Bool(false));
            body.stmts.push(Stmt::new(vec![both], op, span));
            all = both.into();
        }
        body.results = vec![all];
        let array = self.program.fresh("is_zero", Type::BOOL.array());
        let form = LoopForm::For { index: other, count, down: false };
        let op = Op::Loop(Loop { form, states: vec![], init: vec![], body });
        (Stmt::new(vec![array], op, span), array)
    }

    /// The body that keeps its states where `is_zero` holds for the iteration.
    fn guarded(
        &mut self,
        looped: &mut Loop,
        index: VarId,
        is_zero: VarId,
        mut kept: Vec<Stmt>,
        passed: Vec<Stmt>,
        span: Span,
    ) -> Block {
        let test = self.program.fresh("is_zero", Type::BOOL);
        kept.push(Stmt::new(vec![test], Op::Index(is_zero.into(), vec![index.into()]), span));
        let states = looped.states.iter().map(|state| (*state).into()).collect();
        let then = Block { stmts: vec![], results: states };
        let other = Block { stmts: passed, results: std::mem::take(&mut looped.body.results) };
        let sums: Vec<VarId> =
            looped.states.iter().map(|state| self.program.fresh_like(*state)).collect();
        let results = sums.iter().map(|sum| (*sum).into()).collect();
        kept.push(Stmt::new(sums, Op::If(test.into(), then, other), span));
        Block { stmts: kept, results }
    }
}

/// Which variables are zero, and which are a state plus zeros, if the loads that are asked for are zero.
struct Adds {
    zeros: FxHashSet<VarId>,
    sums: FxHashMap<VarId, VarId>,
    states: Vec<VarId>,
}

impl Adds {
    fn of(body: &Block, states: &[VarId], asked: impl Iterator<Item = VarId>) -> Self {
        let sums = states.iter().map(|state| (*state, *state)).collect();
        let mut adds = Self { zeros: asked.collect(), sums, states: states.to_vec() };
        for stmt in &body.stmts {
            let &[var] = &stmt.vars[..] else { continue };
            if hands_on(&stmt.op, |atom| adds.is_zero(atom)) {
                adds.zeros.insert(var);
            } else if let Op::Prim(Prim::Add, atoms) = &stmt.op
                && let Some(state) = adds.sum(atoms[0], atoms[1]).or(adds.sum(atoms[1], atoms[0]))
            {
                adds.sums.insert(var, state);
            }
        }
        adds
    }

    /// A zero of either sign.
    fn is_zero(&self, atom: Atom) -> bool {
        is_either_zero(atom) || atom.var().is_some_and(|var| self.zeros.contains(&var))
    }

    /// The state that a sum equals, if it is one of a state and a zero. No state is ever -0, since it begins as 0.
    fn sum(&self, state: Atom, zero: Atom) -> Option<VarId> {
        let state = self.sums.get(&state.var()?)?;
        self.is_zero(zero).then_some(*state)
    }

    /// Whether the states of the loop stay what they are.
    fn are_zero(&self, body: &Block) -> bool {
        let stays = |(result, state): (&Atom, &VarId)| {
            result.var().and_then(|var| self.sums.get(&var)) == Some(state)
        };
        body.results.iter().zip(&self.states).all(stays)
    }
}
