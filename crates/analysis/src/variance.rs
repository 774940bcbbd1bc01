//! Variance of the variables in a loop (loop-variant and loop-invariant values; Aho, Lam, Sethi & Ullman 2006): which
//! of them may differ from iteration to iteration.
//!
//! Input: a loop. Output: the variables that vary ([`varying`]).
//!
//! ```text
//! for i.3 < n.1 with s.4 = 0.0 {
//!   a.5 = x.0[i.3]                          varies, as i.3 and s.4 do
//!   b.6 = mul(k.2, k.2)                     does not
//!   c.7 = for j.8 < n.1 with t.9 = b.6 { … add(t.9, a.5) … }      c.7 and t.9 vary, and j.8 does not
//! }
//! ```
//!
//! Law: what is not said to vary has one value in all iterations, at the same iteration of loops inside.

use pullback_ir::{Atom, Block, Loop, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::affine::Inside;

/// The variables of a loop that may differ from iteration to iteration: its index and its states, and what hangs on
/// them.
pub fn varying(looped: &Loop) -> FxHashSet<VarId> {
    let mut vars: FxHashSet<VarId> = looped.states.iter().copied().collect();
    vars.extend(looped.for_index());
    let mut walk = Walk { vars, inside: Inside::of(looped) };
    let mut before = 0;
    while walk.vars.len() > before {
        before = walk.vars.len();
        looped.blocks().for_each(|block| walk.block(block));
    }
    walk.vars
}

struct Walk {
    vars: FxHashSet<VarId>,
    inside: Inside,
}

impl Walk {
    fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.vars.contains(&var))
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let mut is_varying = false;
            stmt.op.for_each_atom(&mut |atom| is_varying |= self.has(atom));
            if let Op::Loop(looped) = &stmt.op {
                self.repeat(stmt, looped);
            } else if is_varying {
                self.vars.extend(&stmt.vars);
                self.vars.extend(stmt.op.inner_params());
            } else {
                for results in stmt.op.blocks().into_iter().map(|inner| &inner.results) {
                    self.join(&stmt.vars, results);
                }
            }
            self.accumulator(stmt, is_varying);
            stmt.op.blocks().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// The first variables vary where the second do.
    fn join(&mut self, vars: &[VarId], atoms: &[Atom]) {
        let pairs = vars.iter().zip(atoms).filter(|(_, atom)| self.has(**atom));
        let vars: Vec<VarId> = pairs.map(|(var, _)| *var).collect();
        self.vars.extend(vars);
    }

    /// A loop inside: all that it gives varies if how often it runs does.
    fn repeat(&mut self, stmt: &Stmt, looped: &Loop) {
        let is_uneven = looped.for_count().is_some_and(|count| self.has(count))
            || looped.condition().is_some_and(|cond| cond.results.iter().any(|end| self.has(*end)));
        if is_uneven {
            self.vars.extend(&looped.states);
            self.vars.extend(&stmt.vars);
        }
        self.join(&looped.states, &looped.init);
        self.join(&looped.states, &looped.body.results);
        self.join(&stmt.vars, &looped.init);
        self.join(&stmt.vars, &looped.body.results);
    }

    /// An accumulator that is made inside varies if what is added to it or to a part of it does.
    fn accumulator(&mut self, stmt: &Stmt, is_varying: bool) {
        if let Op::AddAcc(Atom::Var(acc), ..)
        | Op::AtAcc(Atom::Var(acc), _)
        | Op::PartAcc(Atom::Var(acc), ..) = &stmt.op
            && self.inside.has(*acc)
            && (is_varying || stmt.vars.iter().any(|part| self.vars.contains(part)))
        {
            self.vars.insert(*acc);
        }
    }
}
