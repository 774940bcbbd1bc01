//! Activity analysis, its backward half (dead-code elimination): a linear part loses what no result depends on.
//!
//! ```text
//! before   a_dot = mul(p, x_dot);  b_dot = mul(q, x_dot);  yield a_dot
//! after    a_dot = mul(p, x_dot);  yield a_dot
//! ```
//!
//! Input: a linear part whose results are all wanted. Output: the linear part without the other statements, states
//! and results.
//! Invariants: every tangent that is left reaches a result, or an accumulator that the caller hands in or that is
//! read. So no cotangent in the transpose is zero for want of a use.

use pullback_ir::{Atom, Block, Loop, Op, Program, Stmt, VarId, keep};
use rustc_hash::{FxHashMap, FxHashSet};

/// Prunes a linear part whose results are all wanted.
pub(crate) fn prune(program: &Program, block: &mut Block, params: &[VarId]) {
    let mut roots = FxHashMap::default();
    block.visit(&mut |stmt| {
        if let Op::AtAcc(Atom::Var(acc), _) | Op::PartAcc(Atom::Var(acc), _, _) = stmt.op {
            let root = roots.get(&acc).copied().unwrap_or(acc);
            roots.insert(stmt.vars[0], root);
        }
    });
    let mut ctx = Prune { program, roots, needed: FxHashSet::default() };
    // The caller reads the accumulators that it hands in.
    ctx.needed.extend(params.iter().filter(|param| program.vars[**param].ty.is_acc));
    let all = vec![true; block.results.len()];
    ctx.mark(block, &all);
    ctx.sweep(block);
}

struct Prune<'p> {
    program: &'p Program,
    /// For parts of accumulators, the whole accumulator.
    roots: FxHashMap<VarId, VarId>,
    needed: FxHashSet<VarId>,
}

impl Prune<'_> {
    fn need(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            let root = self.roots.get(&var).copied();
            self.needed.insert(var);
            self.needed.extend(root);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn is_needed(&self, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::AddAcc(Atom::Var(acc), _, _) => {
                let root = self.roots.get(acc).unwrap_or(acc);
                self.needed.contains(root)
            }
            // A call may be needed only for what it adds to accumulators.
            Op::Call(_, args) => {
                let accumulates = self.accs(args).any(|acc| {
                    let root = self.roots.get(&acc).unwrap_or(&acc);
                    self.needed.contains(root)
                });
                accumulates || stmt.vars.iter().any(|var| self.needed.contains(var))
            }
            Op::If(..) | Op::Match(_) | Op::Loop(_) => {
                stmt.vars.iter().any(|var| self.needed.contains(var))
                    || stmt.op.blocks().into_iter().any(|block| {
                        block.stmts.iter().any(|stmt| self.is_needed(stmt) && self.has_effect(stmt))
                    })
            }
            _ => stmt.vars.iter().any(|var| self.needed.contains(var)),
        }
    }

    /// The accumulators among operands.
    fn accs(&self, args: &[Atom]) -> impl Iterator<Item = VarId> {
        let vars = args.iter().filter_map(|arg| arg.var());
        vars.filter(|var| self.program.vars[*var].ty.is_acc)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn has_effect(&self, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::AddAcc(..) => true,
            Op::Call(_, args) => self.accs(args).next().is_some(),
            op => {
                let mut blocks = op.blocks().into_iter();
                blocks.any(|block| block.stmts.iter().any(|stmt| self.has_effect(stmt)))
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn mark(&mut self, block: &Block, wanted: &[bool]) {
        for (result, wanted) in block.results.iter().zip(wanted) {
            if *wanted {
                self.need(*result);
            }
        }
        for stmt in block.stmts.iter().rev() {
            if !self.is_needed(stmt) {
                continue;
            }
            let wanted: Vec<bool> = stmt.vars.iter().map(|var| self.needed.contains(var)).collect();
            match &stmt.op {
                Op::If(..) | Op::Match(_) => {
                    for block in stmt.op.blocks() {
                        self.mark(block, &wanted);
                    }
                    stmt.op.for_each_atom(&mut |atom| self.need(atom));
                }
                Op::Loop(repeat) => self.mark_loop(repeat, wanted),
                op => op.for_each_atom(&mut |atom| self.need(atom)),
            }
        }
    }

    fn mark_loop(&mut self, repeat: &Loop, mut wanted: Vec<bool>) {
        loop {
            self.mark(&repeat.body, &wanted);
            let mut changed = false;
            for (state, wanted) in repeat.states.iter().zip(&mut wanted) {
                if !*wanted && self.needed.contains(state) {
                    *wanted = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (state, (first, wanted)) in repeat.states.iter().zip(repeat.init.iter().zip(&wanted)) {
            if *wanted {
                self.needed.insert(*state);
                self.need(*first);
            }
        }
    }

    fn sweep(&self, block: &mut Block) {
        block.stmts.retain(|stmt| self.is_needed(stmt));
        for stmt in &mut block.stmts {
            if let Op::Loop(Loop { states, init, body, .. }) = &mut stmt.op {
                let count = states.len();
                let is_kept: Vec<bool> = (0..body.results.len())
                    .map(|at| {
                        let state = states.get(at).is_some_and(|state| self.needed.contains(state));
                        state || self.needed.contains(&stmt.vars[at])
                    })
                    .collect();
                keep(&mut stmt.vars, &is_kept);
                keep(&mut body.results, &is_kept);
                keep(states, &is_kept[..count]);
                keep(init, &is_kept[..count]);
            } else if matches!(stmt.op, Op::If(..) | Op::Match(_)) {
                let is_kept: Vec<bool> =
                    stmt.vars.iter().map(|var| self.needed.contains(var)).collect();
                keep(&mut stmt.vars, &is_kept);
                for block in stmt.op.blocks_mut() {
                    keep(&mut block.results, &is_kept);
                }
            }
            for block in stmt.op.blocks_mut() {
                self.sweep(block);
            }
        }
    }
}
