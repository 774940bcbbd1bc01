//! Recognition of recurrences (Redon & Feautrier 1994): what a loop makes of each of its states.
//!
//! Input: a loop, and which of its states. Output: the [`Shape`] of that state.
//!
//! ```text
//! for i.4 < n.1 with s.5 = 0.0, k.6 = 0, a.7 = x.2, t.8 = 1.0 {
//!   u.9 = add(s.5, e.10)            s.5 is a reduction by `add`: nothing else asks for it
//!   m.11 = int_add(k.6, 1)          k.6 is a counter, 1 more in each iteration
//!   b.12 = a.7 with [i.4] = u.9     a.7 is written at one place
//!   v.13 = sin(t.8)                 t.8 is a scan: each iteration waits for the one before
//!   yield u.9, m.11, b.12, v.13
//! }
//! ```
//!
//! Law: an iteration makes of the state what its shape says. A state that is a reduction is named once in an iteration,
//! and so is what it becomes: iterations wait for each other only to reduce.

use pullback_ir::{Atom, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;

use crate::affine::Ints;

/// What a loop makes of a state.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'l> {
    /// It stays what it was before the loop.
    Unchanged,
    /// It is reduced with what each iteration brings.
    Reduction(Reduction<'l>),
    /// It is an Int that becomes so much more in each iteration, which may look at it.
    Counter(i64),
    /// It is an array of which each iteration writes one place.
    Written(Write<'l>),
    /// It may become anything.
    Scan,
}

/// A state that iterations only reduce.
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'l> {
    /// By what it is reduced.
    pub fold: Fold,
    /// What an iteration brings.
    pub more: Atom,
    /// The statement that reduces.
    pub stmt: &'l Stmt,
}

/// How a state is folded with what an iteration brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The sum.
    Add,
    /// The state less what iterations bring.
    Sub,
    /// The maximum.
    Max,
    /// The minimum.
    Min,
    /// The sum of Ints.
    IntAdd,
}

/// A state of which an iteration writes one place.
#[derive(Clone, Copy, Debug)]
pub struct Write<'l> {
    /// Which statement of the body writes.
    pub at: usize,
    /// Where it writes, and what.
    pub place: &'l [Atom],
    /// What it writes.
    pub value: Atom,
}

impl<'l> Shape<'l> {
    /// The shape of a state of a loop.
    pub fn of(looped: &'l Loop, at: usize) -> Self {
        if is_unchanged(looped, at) {
            Self::Unchanged
        } else if let Some(reduction) = reduction(looped, at) {
            Self::Reduction(reduction)
        } else if let Some(step) = step(looped, at) {
            Self::Counter(step)
        } else if let Some(write) = write(looped, at) {
            Self::Written(write)
        } else {
            Self::Scan
        }
    }

    /// The reduction, if it is one.
    pub fn reduction(self) -> Option<Reduction<'l>> {
        if let Self::Reduction(reduction) = self { Some(reduction) } else { None }
    }

    /// By how much the state grows in each iteration, if that is one number, whether the iteration looks at it or not.
    pub fn step(self) -> Option<i64> {
        match self {
            Self::Counter(step)
            | Self::Reduction(Reduction { fold: Fold::IntAdd, more: Atom::Int(step), .. }) => {
                Some(step)
            }
            Self::Unchanged | Self::Reduction(_) | Self::Written(_) | Self::Scan => None,
        }
    }

    /// What an iteration writes, if the state is an array of which it writes one place.
    pub fn written(self) -> Option<Write<'l>> {
        if let Self::Written(write) = self { Some(write) } else { None }
    }
}

/// Whether a state is in all iterations what it was before the loop.
pub fn is_unchanged(looped: &Loop, at: usize) -> bool {
    let next = looped.body.results[at];
    next == Atom::Var(looped.states[at]) || next.is_same(looped.init[at])
}

/// The reduction that a state of a loop is, if it is one.
fn reduction(looped: &Loop, at: usize) -> Option<Reduction<'_>> {
    let (state, next) = (looped.states[at], looped.body.results[at].var()?);
    let stmt = looped.body.stmts.iter().find(|stmt| stmt.vars.contains(&next))?;
    let (prim, more) = joined(&stmt.op, state)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others depend on the order")]
    let fold = match prim {
        Prim::Add => Fold::Add,
        Prim::Sub => Fold::Sub,
        Prim::Max => Fold::Max,
        Prim::Min => Fold::Min,
        Prim::IntAdd => Fold::IntAdd,
        _ => return None,
    };
    let uses = |var: VarId| looped.blocks().map(|block| block.mentions(var)).sum::<usize>();
    (uses(state) == 1 && uses(next) == 1).then_some(Reduction { fold, more, stmt })
}

/// Whether iterations of a loop do nothing with a state of it but add to it or take from it, in several steps or in
/// loops inside: `for i with s { a = add(s, x); for j with t = a { b = sub(t, y); yield b } }`.
pub fn is_sum(looped: &Loop, at: usize) -> bool {
    let mut sum = looped.states[at];
    for stmt in &looped.body.stmts {
        if let Some(next) = added_to(stmt, sum) {
            if looped.body.mentions(sum) != 1 {
                return false;
            }
            sum = next;
        }
    }
    let is_next = sum != looped.states[at] && looped.body.results[at] == Atom::Var(sum);
    is_next && looped.body.mentions(sum) == 1
}

/// What a sum has become behind a statement that adds to it or takes from it.
fn added_to(stmt: &Stmt, sum: VarId) -> Option<VarId> {
    if let Op::Loop(inner @ Loop { form: LoopForm::For { .. }, .. }) = &stmt.op {
        let at = inner.init.iter().position(|init| *init == Atom::Var(sum))?;
        return is_sum(inner, at).then(|| stmt.vars[at]);
    }
    let (prim, _) = joined(&stmt.op, sum)?;
    matches!(prim, Prim::Add | Prim::Sub).then(|| stmt.vars[0])
}

/// How an operation joins a state with something else: a sum, a difference, a maximum or a minimum of Reals or Ints,
/// and the other operand.
#[expect(clippy::wildcard_enum_match_arm, reason = "others join no more than one state")]
pub fn joined(op: &Op, state: VarId) -> Option<(Prim, Atom)> {
    let Op::Prim(prim, args) = op else { return None };
    let &[a, b] = args.as_slice() else { return None };
    let state = Atom::Var(state);
    let more = match prim {
        Prim::Add | Prim::IntAdd | Prim::Max | Prim::Min | Prim::IntMax | Prim::IntMin => {
            if a == state { b } else { (b == state).then_some(a)? }
        }
        Prim::Sub | Prim::IntSub => (a == state).then_some(b)?,
        _ => return None,
    };
    (more != state).then_some((*prim, more))
}

/// By how much an Int grows in each iteration, if that is a number.
fn step(looped: &Loop, at: usize) -> Option<i64> {
    let (state, next) = (looped.states[at], looped.body.results[at].var()?);
    Ints::of(&looped.body).distance(next.into(), state.into()).filter(|step| *step != 0)
}

/// Where an iteration writes an array that is a state, if it does so once and nothing else sees what it has written.
fn write(looped: &Loop, at: usize) -> Option<Write<'_>> {
    let (state, next) = (looped.states[at], looped.body.results[at].var()?);
    let stmt = looped.body.stmts.iter().position(|stmt| stmt.vars.contains(&next))?;
    let Op::Update(Atom::Var(of), place, value) = &looped.body.stmts[stmt].op else { return None };
    let is_it = *of == state && looped.body.mentions(next) == 1;
    is_it.then_some(Write { at: stmt, place, value: *value })
}
