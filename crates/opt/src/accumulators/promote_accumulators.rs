//! Scalar promotion (register promotion; Cooper and Lu, 1997): an accumulator of one value becomes states and
//! results.
//!
//! ```text
//! acc = new_acc(0.0)               s = for i < n with t = 0.0 {
//! for i < n {                        x = a[i]
//!   x = a[i]                   =>    u = add(t, x)
//!   acc += x                         yield u
//! }                                }
//! s = read_acc(acc)
//! ```
//!
//! What a loop adds up is a state of it; what a branch adds is a result of it.
//!
//! Law: the value keeps its bits, but that the first term may replace `0 + v`, which differs for `v = -0.0`. It
//! applies to accumulators of one number or one data value that are only begun, added to as a whole, and read. One
//! that is passed to a function, or taken a part of, stays.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_body, take};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "promote_accumulators",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "makes states of loops, and results of branches, of what is accumulated in one number",
    law: "a = new_acc(x); for i < n { a += v }; y = read_acc(a) = for i < n with y = x { yield y + v }; \
          0 + v = v, for the zero that an accumulator begins with",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_body(program, |program, body| {
        let kept = kept_accs(program, body);
        if kept.values().all(|is_kept| *is_kept) {
            return false;
        }
        let mut ctx =
            PromoteAccumulators { program, kept, values: FxHashMap::default(), changed: false };
        ctx.block(body, &mut vec![]);
        ctx.changed
    })
}

/// For each accumulator, whether it stays: it is an array, or something else is done with it than begin, add and
/// read.
fn kept_accs(program: &Program, body: &Block) -> FxHashMap<VarId, bool> {
    let mut kept = FxHashMap::default();
    body.visit(&mut |stmt| {
        if let (Op::NewAcc(_), [acc]) = (&stmt.op, &stmt.vars[..]) {
            let is_kept = program.vars[*acc].ty.rank > 0;
            kept.insert(*acc, is_kept);
        }
    });
    body.visit(&mut |stmt| {
        let is_plain = if let Op::AddAcc(_, at, _) = &stmt.op {
            at.is_empty()
        } else {
            matches!(stmt.op, Op::ReadAcc(_))
        };
        if !is_plain {
            stmt.op.for_each_atom(&mut |atom| {
                if let Some(is_kept) = atom.var().and_then(|var| kept.get_mut(&var)) {
                    *is_kept = true;
                }
            });
        }
        if let Op::Loop(Loop { form: LoopForm::While(condition), .. }) = &stmt.op {
            condition.visit_atoms(&mut |atom| {
                if let Some(is_kept) = atom.var().and_then(|var| kept.get_mut(&var)) {
                    *is_kept = true;
                }
            });
        }
    });
    kept
}

struct PromoteAccumulators<'p> {
    program: &'p mut Program,
    /// For each accumulator that begins in the function, whether it stays.
    kept: FxHashMap<VarId, bool>,
    /// What has been accumulated in those that do not.
    values: FxHashMap<VarId, Atom>,
    changed: bool,
}

impl PromoteAccumulators<'_> {
    /// Replaces accumulators in a block. `touched` gets those from outside to which it adds, in the order of first
    /// use; `values` has what they hold at its end.
    fn block(&mut self, block: &mut Block, touched: &mut Vec<VarId>) {
        let mut renamed = FxHashMap::default();
        let mut begun = vec![];
        for mut stmt in take(block) {
            stmt.op.for_each_atom_mut(&mut |atom| rename(&renamed, atom));
            #[expect(clippy::wildcard_enum_match_arm, reason = "only these touch accumulators")]
            match &stmt.op {
                Op::NewAcc(init) if self.kept.get(&stmt.vars[0]) == Some(&false) => {
                    self.values.insert(stmt.vars[0], *init);
                    begun.push(stmt.vars[0]);
                    self.changed = true;
                }
                Op::AddAcc(Atom::Var(acc), _, value) if self.values.contains_key(acc) => {
                    let (acc, value) = (*acc, *value);
                    if !touched.contains(&acc) {
                        touched.push(acc);
                    }
                    self.add(acc, value, &stmt, &mut block.stmts);
                }
                Op::ReadAcc(Atom::Var(acc)) if self.values.contains_key(acc) => {
                    renamed.insert(stmt.vars[0], self.values[acc]);
                }
                _ => {
                    self.inside(&mut stmt, touched, &renamed);
                    block.stmts.push(stmt);
                }
            }
        }
        block.results.iter_mut().for_each(|atom| rename(&renamed, atom));
        touched.retain(|acc| !begun.contains(acc));
    }

    /// Adds a value to what an accumulator holds.
    fn add(&mut self, acc: VarId, value: Atom, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let so_far = self.values[&acc];
        if so_far == Atom::Real(0.0) {
            self.values.insert(acc, value);
            return;
        }
        let ty = self.program.vars[acc].ty.value();
        let op = if ty == Type::REAL {
            Op::Prim(Prim::Add, vec![so_far, value])
        } else {
            Op::Plus(so_far, value)
        };
        let sum = self.program.fresh("bar", ty);
        out.push(Stmt::new(vec![sum], op, stmt.span));
        self.values.insert(acc, sum.into());
    }

    /// Replaces accumulators in the blocks of a statement, whose results then give what they hold after it.
    fn inside(
        &mut self,
        stmt: &mut Stmt,
        touched: &mut Vec<VarId>,
        renamed: &FxHashMap<VarId, Atom>,
    ) {
        for inner in stmt.op.blocks_mut() {
            inner.substitute(renamed);
        }
        let mut added = vec![];
        for inner in stmt.op.blocks() {
            inner.visit(&mut |stmt| {
                if let Op::AddAcc(Atom::Var(acc), _, _) = &stmt.op
                    && self.values.contains_key(acc)
                    && !added.contains(acc)
                {
                    added.push(*acc);
                }
            });
        }
        touched
            .extend(added.iter().filter(|acc| !touched.contains(acc)).copied().collect::<Vec<_>>());
        if let Op::Loop(form) = &mut stmt.op {
            self.repeat(form, &mut stmt.vars, &added);
            return;
        }
        let before: Vec<Atom> = added.iter().map(|acc| self.values[acc]).collect();
        for inner in stmt.op.blocks_mut() {
            for (acc, value) in added.iter().zip(&before) {
                self.values.insert(*acc, *value);
            }
            self.block(inner, &mut vec![]);
            inner.results.extend(added.iter().map(|acc| self.values[acc]));
        }
        for acc in added {
            let result = self.result(acc);
            stmt.vars.push(result);
            self.values.insert(acc, result.into());
        }
    }

    /// The accumulators that a loop adds to are its states.
    fn repeat(&mut self, form: &mut Loop, vars: &mut Vec<VarId>, added: &[VarId]) {
        let first = form.states.len();
        for acc in added {
            let state = self.result(*acc);
            form.init.push(self.values[acc]);
            form.states.push(state);
            self.values.insert(*acc, state.into());
        }
        if let LoopForm::While(condition) = &mut form.form {
            self.block(condition, &mut vec![]);
        }
        self.block(&mut form.body, &mut vec![]);
        let next = added.iter().map(|acc| self.values[acc]);
        form.body.results.splice(first..first, next);
        let results: Vec<VarId> = added.iter().map(|acc| self.result(*acc)).collect();
        for (acc, result) in added.iter().zip(&results) {
            self.values.insert(*acc, (*result).into());
        }
        vars.splice(first..first, results);
    }

    fn result(&mut self, acc: VarId) -> VarId {
        let ty = self.program.vars[acc].ty.value();
        self.program.fresh("bar", ty)
    }
}

fn rename(renamed: &FxHashMap<VarId, Atom>, atom: &mut Atom) {
    if let Atom::Var(var) = atom
        && let Some(other) = renamed.get(var)
    {
        *atom = *other;
    }
}
