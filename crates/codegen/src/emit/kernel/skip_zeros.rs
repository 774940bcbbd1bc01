//! Branches on superword condition codes (Shin 2007) around zero contributions: statements that only hand on a number
//! which is zero unless a condition holds run only if the condition holds in some lane.
//!
//! Such a number is the cotangent of a minimum: it is zero for all elements but the least.
//!
//! ```text
//! IR  t.11 = select(hit.10, 1.0, 0.0);  a.12 = x.1[i.9, 0];  b.13 = mul_zero(t.11, a.12);  acc.8[0] += b.13
//! C   const pb_v k10 = pb_where(k9, 1.0, 0.0);
//! C   if (pb_some(k9)) { k11 = … x …;  k12 = pb_v_mul_zero(k10, k11);  a7[0] += pb_across(k12); }
//! ```
//!
//! Input: the statements of a block from a selection on. Output: a [`Skip`], which parts them into those before, those
//! that are skipped, and those after, if skipping saves a sum across lanes or a loop. With them go the statements that
//! only they need (sinking of partially dead code, Knoop, Rüthing & Steffen 1994).
//!
//! Law: an addition that is skipped would have added zeros, and a strong product of an absent factor is zero whatever
//! the other factor is. What is read of the skipped statements behind them is zero. Sums keep their order: nothing is
//! skipped where other statements add to accumulators meanwhile.

use pullback_ir::{Atom, Loop, LoopForm, Op, Stmt, StmtId, VarId};
use rustc_hash::FxHashSet;

use super::text::Text;
use super::vectorise::Kind;
use crate::transformations::Which;
use pullback_analysis::zeros::{hands_on, is_either_zero};

/// Statements of a block, from a selection on, of which some need to run only under its condition.
pub(super) struct Skip<'k> {
    /// The condition, and whether it is to hold.
    cond: Atom,
    truth: bool,
    /// The statements that come before the skipped ones.
    before: Vec<&'k Stmt>,
    skipped: Vec<&'k Stmt>,
    /// The variables of skipped statements that are used behind them: zero if those do not run.
    wanted: Vec<VarId>,
    /// The statements that come after the skipped ones.
    after: Vec<&'k Stmt>,
}

impl<'k> Text<'_, 'k> {
    /// How to skip what hangs on a selection, which is the first of these statements, if that is worth it.
    pub fn skip(&self, stmts: &'k [Stmt], results: &[Atom]) -> Option<Skip<'k>> {
        // What several columns have is used together, whichever of them want it.
        let is_alone = self.columns.is_none() && self.tile.is_none();
        let is_alone = is_alone && self.plan.has(Which::SkipZeros);
        let (first, rest) = stmts.split_first().filter(|_| is_alone)?;
        let (Op::Select(cond, a, b), &[chosen]) = (&first.op, first.vars.as_slice()) else {
            return None;
        };
        let truth = match (is_either_zero(*a), is_either_zero(*b)) {
            (false, true) => true,
            (true, false) => false,
            (true, true) | (false, false) => return None,
        };
        let mut zeros = FxHashSet::from_iter([chosen]);
        let mut skipped: FxHashSet<StmtId> = FxHashSet::default();
        let (mut is_worth, mut adds) = (false, false);
        for stmt in rest {
            if let Some(is_dear) = self.hands_on(stmt, &mut zeros) {
                skipped.insert(stmt.id);
                is_worth |= is_dear;
            } else {
                // The order of sums stays.
                for_each_add(stmt, &mut |_| adds = true);
            }
        }
        if !is_worth || adds {
            return None;
        }
        self.sink(rest, results, &mut skipped);
        self.parted(first, rest, results, &skipped, (*cond, truth))
    }

    /// The statements in the order in which they can stand then, if there is one.
    fn parted(
        &self,
        first: &'k Stmt,
        rest: &'k [Stmt],
        results: &[Atom],
        skipped: &FxHashSet<StmtId>,
        (cond, truth): (Atom, bool),
    ) -> Option<Skip<'k>> {
        let is_skipped = |stmt: &Stmt| skipped.contains(&stmt.id);
        let mut touched: FxHashSet<VarId> = FxHashSet::default();
        let mut bound: FxHashSet<VarId> = FxHashSet::default();
        for stmt in rest.iter().filter(|stmt| is_skipped(stmt)) {
            bound.extend(&stmt.vars);
            for_each_add(stmt, &mut |acc| {
                touched.extend(acc.var().map(|acc| self.layout.view(acc).root))
            });
        }
        let mut skip = Skip {
            cond,
            truth,
            before: vec![first],
            skipped: vec![],
            wanted: vec![],
            after: vec![],
        };
        let mut late: FxHashSet<VarId> = FxHashSet::default();
        for stmt in rest {
            let vars = mentioned(stmt);
            if is_skipped(stmt) {
                if vars.iter().any(|var| late.contains(var)) {
                    return None;
                }
                skip.skipped.push(stmt);
                continue;
            }
            let is_late = |var: &VarId| {
                bound.contains(var)
                    || late.contains(var)
                    || (touched.contains(&self.layout.view(*var).root)
                        && !matches!(stmt.op, Op::AtAcc(..)))
            };
            if vars.iter().any(is_late) {
                late.extend(&stmt.vars);
                skip.after.push(stmt);
            } else {
                skip.before.push(stmt);
            }
            skip.wanted.extend(vars.into_iter().filter(|var| bound.contains(var)));
        }
        let results = results.iter().filter_map(|atom| atom.var());
        skip.wanted.extend(results.filter(|var| bound.contains(var)));
        skip.wanted.sort();
        skip.wanted.dedup();
        Some(skip)
    }

    /// Whether a statement only hands zeros on, and if so whether it costs much.
    fn hands_on(&self, stmt: &'k Stmt, zeros: &mut FxHashSet<VarId>) -> Option<bool> {
        let is_zero =
            |atom: Atom| is_either_zero(atom) || atom.var().is_some_and(|var| zeros.contains(&var));
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are numbers alone")]
        let hands_on = match &stmt.op {
            Op::AddAcc(acc, at, value) => {
                let root = acc.var().map(|acc| self.layout.view(acc))?;
                let is_apart = self.layout.is_inside(root.root);
                let mut place = at.iter().chain(&root.prefix);
                let is_dear = self.across.is_some()
                    && !is_apart
                    && place.all(|atom| self.kind(*atom) == Kind::Uniform);
                return is_zero(*value).then_some(is_dear);
            }
            Op::Loop(Loop { form: LoopForm::For { .. }, states, body, .. }) => {
                // One by one, a loop is worth the question.
                let (mut inner, mut all, mut is_dear) =
                    (zeros.clone(), true, self.across.is_none());
                for stmt in &body.stmts {
                    match self.hands_on(stmt, &mut inner) {
                        Some(dear) => is_dear |= dear,
                        None => {
                            all &= stmt.op.blocks().is_empty()
                                && !matches!(stmt.op, Op::AddAcc(..) | Op::NewAcc(_));
                        }
                    }
                }
                return (all && states.is_empty() && body.results.is_empty()).then_some(is_dear);
            }
            op => hands_on(op, is_zero),
        };
        if hands_on {
            zeros.extend(&stmt.vars);
        }
        hands_on.then_some(false)
    }

    /// Adds the statements that only those need.
    fn sink(&self, stmts: &'k [Stmt], results: &[Atom], skipped: &mut FxHashSet<StmtId>) {
        let mut needed: FxHashSet<VarId> = results.iter().filter_map(|atom| atom.var()).collect();
        for stmt in stmts.iter().rev() {
            let is_number = |var: &VarId| !self.ty(Atom::Var(*var)).is_array();
            let is_plain = matches!(
                stmt.op,
                Op::Prim(..) | Op::Copy(_) | Op::Select(..) | Op::Index(..) | Op::MulZero(..)
            );
            if skipped.contains(&stmt.id) {
                continue;
            }
            let is_idle = stmt.vars.iter().all(|var| is_number(var) && !needed.contains(var));
            if is_plain && is_idle && !self.tables.left_out.contains(&stmt.id) {
                skipped.insert(stmt.id);
                continue;
            }
            needed.extend(mentioned(stmt));
        }
    }

    /// The text of statements of which some are skipped.
    pub fn skipping(&mut self, skip: &Skip<'k>, leave: &[StmtId]) {
        for stmt in &skip.before {
            self.one(stmt, leave);
        }
        for var in &skip.wanted {
            let zero = if self.kind(Atom::Var(*var)) == Kind::Varying { "{0}" } else { "0" };
            self.each_of(*var, &mut |text| {
                let (ty, name) = (text.c_type(*var), text.name(*var));
                text.line(format_args!("{ty} w{name} = {zero};"));
            });
        }
        let is_varying = self.kind(skip.cond) == Kind::Varying;
        let cond = if is_varying {
            let mut conds = vec![];
            self.each_part(&mut |text| {
                let cond = text.vector(skip.cond);
                let own = if skip.truth { cond } else { format!("PB_NOT({cond})") };
                let own = text
                    .active()
                    .map_or(own.clone(), |active| format!("PB_OP({active}, &, {own})"));
                conds.push(format!("pb_some({own})"));
            });
            conds.join(" || ")
        } else {
            let cond = self.scalar(skip.cond);
            if skip.truth { cond } else { format!("!{cond}") }
        };
        self.open(format_args!("if ({cond}) {{"));
        self.within(|text| skip.skipped.iter().for_each(|stmt| text.one(stmt, leave)));
        for var in &skip.wanted {
            self.each_of(*var, &mut |text| {
                let name = text.name(*var);
                text.line(format_args!("w{name} = {name};"));
            });
        }
        self.close();
        for var in &skip.wanted {
            self.each_of(*var, &mut |text| {
                let (ty, name) = (text.c_type(*var), text.name(*var));
                text.line(format_args!("const {ty} {name} = w{name};"));
            });
        }
        for stmt in &skip.after {
            self.one(stmt, leave);
        }
    }
}

/// Calls `tell` on each accumulator that a statement adds to, inside it too.
fn for_each_add(stmt: &Stmt, tell: &mut dyn FnMut(Atom)) {
    let mut look = |stmt: &Stmt| {
        if let Op::AddAcc(acc, _, _) = stmt.op {
            tell(acc);
        }
    };
    look(stmt);
    stmt.op.blocks().into_iter().for_each(|block| block.visit(&mut look));
}

/// The variables that a statement mentions, inside it too.
fn mentioned(stmt: &Stmt) -> Vec<VarId> {
    let mut vars = vec![];
    stmt.op.for_each_atom(&mut |atom| vars.extend(atom.var()));
    for block in stmt.op.blocks() {
        block.visit_atoms(&mut |atom| vars.extend(atom.var()));
    }
    vars
}
