//! Conditional constant propagation (Wegman & Zadeck 1991) of branches: which are decided, and what is known inside
//! and after one.
//!
//! ```text
//! before   y.2 = if p.0 { a.1 = if p.0 { yield u } else { yield v };  yield a.1 } else { yield w }
//! after    y.2 = if p.0 { yield u } else { yield w }
//! ```
//!
//! Input: a branch, with what is known of its condition or scrutinee. Output: the side that is taken, a selection, a
//! guard before the code that it guards, or the branch with fewer results.
//!
//! Invariants: knowledge of a Bool is withdrawn where its scope ends (`forget`). A side moves out of a branch only if
//! the other side surely fails, so that what follows runs exactly when it did.

use pullback_base::Id;
use pullback_ir::{Arm, Atom, Block, LoopForm, Op, Stmt, Type, keep};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use super::{Def, New, Simplify, copy};
use pullback_analysis::cost::all_speculative;

/// The cost that both sides of a branch may have together to become a selection of Ints or Bools: a few comparisons.
const FEW: u64 = 8;

impl Simplify<'_> {
    /// if true then a else b = a; if not c then a else b = if c then b else a
    pub(super) fn if_law(&mut self, stmt: &Stmt) -> Option<New> {
        let Op::If(cond, then, other) = &stmt.op else { return None };
        match cond {
            Atom::Bool(true) => Some(splice(then.clone(), vec![])),
            Atom::Bool(false) => Some(splice(other.clone(), vec![])),
            Atom::Var(_) => {
                let positive = self.operands(*cond, Prim::Not)?[0];
                New::op(Op::If(positive, other.clone(), then.clone()))
            }
            Atom::Real(_) | Atom::Int(_) | Atom::Str(_) => None,
        }
    }

    /// match C(a…) { C(x…) => b } = b with a… for x…
    pub(super) fn match_law(&mut self, stmt: &Stmt) -> Option<New> {
        let Op::Match(cases) = &stmt.op else { return None };
        let Some(Op::Con(tag, fields)) = self.def(cases.scrutinee) else { return None };
        let arm = cases.arms.iter().find(|arm| arm.tag == *tag);
        match (arm, &cases.default) {
            (Some(arm), _) => {
                let params = arm.params.iter().zip(fields);
                let params = params.map(|(param, field)| copy(*param, *field, stmt)).collect();
                Some(splice(arm.block.clone(), params))
            }
            (None, Some(default)) => Some(splice(default.clone(), vec![])),
            (None, None) => None,
        }
    }

    /// Simplifies a block in which a Bool is known.
    pub(super) fn assuming(&mut self, cond: Atom, value: bool, block: &mut Block) {
        let mut known = vec![];
        self.assume(cond, value, &mut known);
        self.block(block);
        self.forget(known);
    }

    /// Notes what is known after a branch of which one side fails: the other was taken.
    pub(super) fn pass(&mut self, stmt: &Stmt) {
        let Op::If(cond, then, other) = &stmt.op else { return };
        if then.surely_fails() || other.surely_fails() {
            let mut passed = std::mem::take(&mut self.passed);
            self.assume(*cond, other.surely_fails(), &mut passed);
            self.passed = passed;
        }
    }

    /// Forgets Bools that were known.
    pub(super) fn forget(&mut self, known: Vec<usize>) {
        for atom in known {
            self.atoms[atom] = None;
        }
    }

    /// if c then a else b = select(c, a, b) for Ints and Bools that cost little: these carry no derivatives, so that
    /// it holds before derivatives are made too.
    pub(super) fn choice_law(&self, stmt: &Stmt) -> Option<New> {
        let Op::If(cond, then, other) = &stmt.op else { return None };
        let is_discrete = |var: &_| {
            let ty = self.program.vars[*var].ty;
            ty == Type::INT || ty == Type::BOOL
        };
        let is_choice = !stmt.vars.is_empty() && stmt.vars.iter().all(is_discrete);
        let is_cheap = || all_speculative([then, other]).is_some_and(|cost| cost <= FEW);
        if !is_choice || !is_cheap() {
            return None;
        }
        let stmts = then.stmts.iter().chain(&other.stmts).cloned();
        let results = then.results.iter().zip(&other.results);
        let chosen = stmt
            .vars
            .iter()
            .zip(results)
            .map(|(var, (a, b))| Stmt::new(vec![*var], Op::Select(*cond, *a, *b), stmt.span));
        Some(New::Stmts(stmts.chain(chosen).collect(), vec![]))
    }

    /// Notes that a Bool is known, and what follows from that.
    fn assume(&mut self, cond: Atom, value: bool, known: &mut Vec<usize>) {
        let Atom::Var(var) = cond else { return };
        if self.atoms[var.index()].is_some() {
            return;
        }
        self.atoms[var.index()] = Some(Atom::Bool(value));
        known.push(var.index());
        match self.def(cond).cloned() {
            Some(Op::Prim(Prim::Not, args)) => self.assume(args[0], !value, known),
            // p and q; p or q
            Some(Op::Select(p, q, Atom::Bool(false))) if value => {
                self.assume(p, true, known);
                self.assume(q, true, known);
            }
            Some(Op::Select(p, Atom::Bool(true), q)) if !value => {
                self.assume(p, false, known);
                self.assume(q, false, known);
            }
            _ => {}
        }
    }

    /// Simplifies an arm, in which the constructor is known.
    pub(super) fn in_arm(&mut self, scrutinee: Atom, arm: &mut Arm) {
        let Atom::Var(var) = scrutinee else { return self.block(&mut arm.block) };
        let fields = arm.params.iter().map(|param| Atom::Var(*param)).collect();
        let known = Some(Box::new(Def::Op(Op::Con(arm.tag, fields))));
        let before = std::mem::replace(&mut self.defs[var.index()], known);
        self.block(&mut arm.block);
        self.defs[var.index()] = before;
    }

    /// if c { fail } else { b } = if c { fail } else { }; b
    ///
    /// Passes can fuse loops that are outside of a branch, so it is done for sides with loops and sums. It is not done where b
    /// might not end.
    pub(super) fn guard_law(stmt: &Stmt) -> Option<New> {
        let Op::If(cond, then, other) = &stmt.op else { return None };
        let empty = || Block { stmts: vec![], results: vec![] };
        let guard = |block: &Block| Block { results: vec![], ..block.clone() };
        let (op, rest) = match (then.surely_fails(), other.surely_fails()) {
            (true, false) => (Op::If(*cond, guard(then), empty()), other),
            (false, true) => (Op::If(*cond, empty(), guard(other)), then),
            _ => return None,
        };
        let (mut has_loop, mut may_not_end) = (false, false);
        rest.visit(&mut |stmt| {
            if let Op::Loop(repeat) = &stmt.op {
                has_loop = true;
                may_not_end |= matches!(repeat.form, LoopForm::While(_));
            }
            // A sum becomes one with the loop that makes what is added up, outside of a branch.
            has_loop |= matches!(stmt.op, Op::Sum(_));
            may_not_end |= matches!(stmt.op, Op::Call(_, _));
        });
        let moves = has_loop && !may_not_end;
        moves.then(|| splice(rest.clone(), vec![Stmt::new(vec![], op, stmt.span)]))
    }

    /// Replaces a result on which all branches agree; an undefined one agrees with any.
    pub(super) fn equal_results(&mut self, stmt: &mut Stmt) -> Option<New> {
        let blocks = stmt.op.blocks();
        // A result of a block is bound by the block itself, and by none inside it.
        let stmts = blocks.iter().flat_map(|block| &block.stmts);
        let bound: FxHashSet<_> = stmts.flat_map(|stmt| stmt.vars.iter().copied()).collect();
        let params = stmt.op.inner_params();
        let is_outer = |atom: Atom| {
            atom.var().is_none_or(|var| !bound.contains(&var) && !params.contains(&var))
        };
        let mut stays = vec![true; stmt.vars.len()];
        let mut agreed = vec![];
        for (at, var) in stmt.vars.iter().enumerate() {
            let results = blocks.iter().map(|block| block.results[at]);
            let mut looked_at = results.filter(|atom| !self.is_undefined(*atom));
            let Some(result) = looked_at.next() else { continue };
            if looked_at.all(|other| other.is_same(result)) && is_outer(result) {
                stays[at] = false;
                agreed.push((*var, result));
            }
        }
        if agreed.is_empty() && !is_idle(stmt) {
            return None;
        }
        self.changed = true;
        for (var, atom) in agreed {
            self.replace(&[var], &[atom]);
        }
        keep(&mut stmt.vars, &stays);
        for block in stmt.op.blocks_mut() {
            keep(&mut block.results, &stays);
        }
        is_idle(stmt).then(|| New::Atoms(vec![]))
    }
}

/// Whether a branch binds nothing and does nothing.
fn is_idle(stmt: &Stmt) -> bool {
    stmt.vars.is_empty() && stmt.op.blocks().iter().all(|block| block.stmts.is_empty())
}

/// The statements of a block after these, and its results.
fn splice(block: Block, mut before: Vec<Stmt>) -> New {
    before.extend(block.stmts);
    New::Stmts(before, block.results)
}
