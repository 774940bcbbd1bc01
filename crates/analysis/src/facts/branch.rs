//! Branch refinement (conditional constraints): what the condition of a branch says of Ints inside it.
//!
//! Input: Bools that compare Ints or combine such Bools, and the branches that ask them. Output: narrower ranges inside
//! a block, and the old ones behind it.
//!
//! ```text
//! c.2 = int_lt(i.0, n.1)   if c.2 { here i.0 <= n.1 - 1 } else { here i.0 >= n.1 }
//! if c.2 { } else { fail }    behind it   i.0 <= n.1 - 1, for statements that stay where they are
//! ```
//!
//! Invariants. Both sides of a conjunction hold where it is true, and neither side of a disjunction where it is false;
//! of other combinations nothing is said. What is supposed is taken back when the block ends.

use pullback_ir::{Atom, Block, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use super::condition::Condition;
use super::{Ctx, Range};

impl<'p> Ctx<'p> {
    /// Notes what a Bool is about, if it is about Ints.
    pub(super) fn learn_condition(&mut self, stmt: &'p Stmt) {
        let &[var] = stmt.vars.as_slice() else { return };
        #[expect(clippy::wildcard_enum_match_arm, reason = "others say nothing of Ints")]
        let condition = match &stmt.op {
            Op::Prim(prim, args) if opposite(*prim).is_some() || *prim == Prim::Not => {
                Condition::Comparison(*prim, args)
            }
            // p or q; p and q
            Op::Select(p, Atom::Bool(true), q) => Condition::Both(false, *p, *q),
            Op::Select(p, q, Atom::Bool(false)) => Condition::Both(true, *p, *q),
            Op::If(p, then, other) => match (then.results.as_slice(), other.results.as_slice()) {
                ([Atom::Bool(true)], &[q]) => Condition::Both(false, *p, q),
                (&[q], [Atom::Bool(false)]) => Condition::Both(true, *p, q),
                _ => return,
            },
            _ => return,
        };
        self.conditions.insert(var, condition);
    }

    /// Sweeps a block that runs if a condition has this truth value.
    pub(super) fn inner_if(&mut self, cond: Atom, truth: bool, block: &'p Block) {
        let before = self.suppose(cond, truth);
        let outside = self.supposed.len();
        self.supposed.extend(&before);
        self.inner(block);
        self.supposed.truncate(outside);
        self.restore(before);
    }

    /// Whether a statement cannot fail even where the branches around it are not taken, as far as what it names is there.
    pub(super) fn prove_outside(&mut self, stmt: &Stmt) -> bool {
        let mut inside = vec![];
        for &(var, range) in self.supposed.iter().rev() {
            inside.push((var, self.ranges.get(&var).copied()));
            set(&mut self.ranges, var, range);
        }
        let is_proven = self.prove(stmt);
        self.restore(inside);
        is_proven
    }

    /// What is known after a statement: where one side of a branch fails, the other was taken, and what was checked
    /// holds. What was known before.
    pub(super) fn pass(&mut self, stmt: &Stmt) -> Vec<(VarId, Option<Range>)> {
        if let (true, Op::CheckCount(n)) = (self.in_place, &stmt.op) {
            return self.order(Atom::Int(0), *n, 0);
        }
        let Op::If(cond, then, other) = &stmt.op else { return vec![] };
        if !self.in_place || !(then.surely_fails() || other.surely_fails()) {
            return vec![];
        }
        let before = self.suppose(*cond, other.surely_fails());
        for (var, _) in &before {
            if let Range { lo: 1.., is: Some((symbol, 0)), .. } = self.ranges[var] {
                self.positive.push((symbol, usize::MAX));
            }
        }
        before
    }

    /// Gives variables back the ranges that they had before.
    pub(super) fn restore(&mut self, before: Vec<(VarId, Option<Range>)>) {
        for (var, range) in before.into_iter().rev() {
            set(&mut self.ranges, var, range);
        }
    }

    /// Assumes that a condition has a truth value. Gives what was known before of the variables that it is about.
    fn suppose(&mut self, cond: Atom, truth: bool) -> Vec<(VarId, Option<Range>)> {
        let known = cond.var().and_then(|cond| self.conditions.get(&cond));
        let (prim, args) = match known {
            Some(&Condition::Comparison(prim, args)) => (prim, args),
            Some(&Condition::Both(value, p, q)) if value == truth => {
                let mut before = self.suppose(p, truth);
                before.extend(self.suppose(q, truth));
                return before;
            }
            Some(Condition::Both(..)) | None => return vec![],
        };
        if prim == Prim::Not {
            return self.suppose(args[0], !truth);
        }
        let &[a, b] = args else { return vec![] };
        let holds = if truth { Some(prim) } else { opposite(prim) };
        match holds {
            Some(Prim::IntLt) => self.order(a, b, -1),
            Some(Prim::IntLe) => self.order(a, b, 0),
            Some(Prim::IntGt) => self.order(b, a, -1),
            Some(Prim::IntGe) => self.order(b, a, 0),
            Some(Prim::IntEq) => {
                let mut before = self.order(a, b, 0);
                before.extend(self.order(b, a, 0));
                before
            }
            Some(Prim::IntNe) => {
                let mut before = self.differ(a, b);
                before.extend(self.differ(b, a));
                before
            }
            _ => vec![],
        }
    }

    /// `a ≤ b + by`
    fn order(&mut self, a: Atom, b: Atom, by: i64) -> Vec<(VarId, Option<Range>)> {
        let (x, y) = (self.range(a), self.range(b));
        let below = x.below.or_else(|| y.is.and_then(|(s, c)| Some((s, c.checked_add(by)?))));
        let smaller = Range { hi: x.hi.min(y.hi.saturating_add(by)), below, ..x };
        let larger = Range { lo: y.lo.max(x.lo.saturating_sub(by)), ..y };
        [(a, smaller), (b, larger)]
            .into_iter()
            .filter_map(|(atom, range)| self.narrow(atom, range))
            .collect()
    }

    /// `a ≠ b`: if one is known, and the other begins or ends there, it does not.
    fn differ(&mut self, a: Atom, b: Atom) -> Vec<(VarId, Option<Range>)> {
        let (x, y) = (self.range(a), self.range(b));
        let range = match (x, y.is) {
            (Range { lo, .. }, _) if y.lo == y.hi && lo == y.lo => {
                Range { lo: lo.saturating_add(1), ..x }
            }
            (Range { hi, .. }, _) if y.lo == y.hi && hi == y.lo => {
                Range { hi: hi.saturating_sub(1), ..x }
            }
            (Range { below: Some((symbol, by)), .. }, Some(is)) if is == (symbol, by) => {
                Range { below: by.checked_sub(1).map(|by| (symbol, by)), ..x }
            }
            _ => return vec![],
        };
        self.narrow(a, range).into_iter().collect()
    }

    fn narrow(&mut self, atom: Atom, range: Range) -> Option<(VarId, Option<Range>)> {
        let var = atom.var()?;
        Some((var, self.ranges.insert(var, range)))
    }
}

fn set(ranges: &mut FxHashMap<VarId, Range>, var: VarId, range: Option<Range>) {
    match range {
        Some(range) => ranges.insert(var, range),
        None => ranges.remove(&var),
    };
}

/// The comparison that holds where another does not.
fn opposite(prim: Prim) -> Option<Prim> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others compare no Ints")]
    match prim {
        Prim::IntLt => Some(Prim::IntGe),
        Prim::IntGe => Some(Prim::IntLt),
        Prim::IntLe => Some(Prim::IntGt),
        Prim::IntGt => Some(Prim::IntLe),
        Prim::IntEq => Some(Prim::IntNe),
        Prim::IntNe => Some(Prim::IntEq),
        _ => None,
    }
}
