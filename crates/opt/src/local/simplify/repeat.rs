//! Simplification of loops: those that run not at all or once (loop peeling), and states and collected arrays that are
//! redundant.
//!
//! ```text
//! before   s.1, t.2 = for i < 1 with u.3 = a, v.4 = b { yield add(u.3, 1.0), v.4 }
//! after    s.1 = add(a, 1.0);  t.2 = b
//! ```
//!
//! Input: a loop. Output: the loop without it, or with fewer states and results. A state that no step changes is what
//! it was before the loop; two arrays that collect the same are one.
//!
//! Invariants: a loop that collects and whose count is negative fails, so only a count of exactly 0 is no iteration
//! there.

use pullback_analysis::loop_shape::is_unchanged;
use pullback_base::Id;
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, keep};
use rustc_hash::FxHashMap;

use super::{New, Simplify, copy};

impl Simplify<'_> {
    /// for i < 0 { … } = nothing; for i < 1 { b } = b with 0 for i; while false { … } = nothing
    pub(super) fn loop_law(&mut self, stmt: &Stmt, form: &Loop) -> Option<New> {
        let states = form.states.len();
        match &form.form {
            LoopForm::For { count: Atom::Int(0), .. } => self.no_iteration(stmt, form, vec![]),
            LoopForm::For { count: Atom::Int(count), .. }
                if *count < 0 && stmt.vars.len() == states =>
            {
                self.no_iteration(stmt, form, vec![])
            }
            LoopForm::For { index, count: Atom::Int(1), .. } => {
                let mut stmts = vec![copy(*index, Atom::Int(0), stmt)];
                stmts.extend(first_states(stmt, form));
                stmts.extend(form.body.stmts.iter().cloned());
                let (next, collected) = form.body.results.split_at(states);
                let mut atoms = next.to_vec();
                for (var, value) in stmt.vars[states..].iter().zip(collected) {
                    let array = self.alike(*var);
                    stmts.push(Stmt::new(vec![array], Op::Array(vec![*value]), stmt.span));
                    atoms.push(Atom::Var(array));
                }
                Some(New::Stmts(stmts, atoms))
            }
            LoopForm::While(Block { stmts, results }) if results == &[Atom::Bool(false)] => {
                let condition = first_states(stmt, form).chain(stmts.iter().cloned()).collect();
                self.no_iteration(stmt, form, condition)
            }
            LoopForm::For { .. } | LoopForm::While(_) => None,
        }
    }

    fn no_iteration(&mut self, stmt: &Stmt, form: &Loop, mut stmts: Vec<Stmt>) -> Option<New> {
        let mut atoms = form.init.clone();
        for var in &stmt.vars[form.states.len()..] {
            let array = self.alike(*var);
            stmts.push(Stmt::new(vec![array], Op::Array(vec![]), stmt.span));
            atoms.push(Atom::Var(array));
        }
        Some(New::Stmts(stmts, atoms))
    }

    /// Replaces an array that collects the same as an earlier one by that one.
    pub(super) fn collected_twice(&mut self, stmt: &mut Stmt) {
        let Op::Loop(form) = &mut stmt.op else { return };
        let mut stays = vec![true; stmt.vars.len()];
        for at in form.states.len()..stmt.vars.len() {
            let mut earlier = form.states.len()..at;
            let results = &form.body.results;
            let Some(first) = earlier.find(|other| results[*other].is_same(results[at])) else {
                continue;
            };
            stays[at] = false;
            self.atoms[stmt.vars[at].index()] = Some(stmt.vars[first].into());
            self.changed = true;
        }
        keep(&mut stmt.vars, &stays);
        keep(&mut form.body.results, &stays);
    }

    /// Replaces a state that no step changes by its value before the loop.
    pub(super) fn steady_states(&mut self, stmt: &mut Stmt) {
        let Op::Loop(form) = &mut stmt.op else { return };
        let count = form.states.len();
        let mut stays = vec![true; stmt.vars.len()];
        let mut atoms = FxHashMap::default();
        for (at, (state, init)) in form.states.iter().zip(&form.init).enumerate() {
            let (state, init) = (*state, *init);
            if is_unchanged(form, at) {
                stays[at] = false;
                atoms.insert(state, init);
            }
        }
        if atoms.is_empty() {
            return;
        }
        self.changed = true;
        for (at, var) in stmt.vars.iter().enumerate().filter(|(at, _)| !stays[*at]) {
            self.atoms[var.index()] = Some(form.init[at]);
        }
        keep(&mut stmt.vars, &stays);
        keep(&mut form.body.results, &stays);
        keep(&mut form.states, &stays[..count]);
        keep(&mut form.init, &stays[..count]);
        if let LoopForm::While(condition) = &mut form.form {
            condition.substitute(&atoms);
        }
        form.body.substitute(&atoms);
    }
}

/// Copies of what the states begin with.
fn first_states<'s>(stmt: &'s Stmt, form: &'s Loop) -> impl Iterator<Item = Stmt> + 's {
    form.states.iter().zip(&form.init).map(|(state, init)| copy(*state, *init, stmt))
}
