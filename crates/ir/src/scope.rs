//! Liveness analysis on nested blocks: where variables are used last.
//!
//! Input: a block. Output: a [`Scope`], which says for each statement and for the results which variables die there,
//! and which variables a block uses from outside.
//!
//! ```text
//! a.1 = f(x.0)
//! b.2 = g(a.1, x.0)     a.1 and x.0 die here, if x.0 may
//! yield b.2             b.2 dies here
//! ```
//!
//! Invariants. Each variable that a block binds dies exactly once in it; one that is never used dies where it is bound.
//! Of variables from outside only those that the caller calls dying may die. What a loop uses from outside dies, if at
//! all, with the loop.

use rustc_hash::FxHashSet;

use crate::program::{Atom, Block, Stmt, VarId};

/// A block, with the variables from outside that it uses, and the blocks of its statements in order.
pub struct Scope {
    /// The variables from outside.
    pub free: Vec<VarId>,
    /// For each statement, the blocks inside it.
    pub inner: Vec<Vec<Scope>>,
}

impl Scope {
    /// The scope of a block.
    pub fn of(block: &Block) -> Self {
        let inner: Vec<Vec<Self>> = block
            .stmts
            .iter()
            .map(|stmt| stmt.op.blocks().into_iter().map(Self::of).collect())
            .collect();
        let mut scope = Self { free: vec![], inner };
        let mut seen = FxHashSet::default();
        for stmt in &block.stmts {
            seen.extend(stmt.vars.iter().chain(&stmt.op.inner_params()));
        }
        let mut free = vec![];
        let mut mention = |var| {
            if seen.insert(var) {
                free.push(var);
            }
        };
        for (at, stmt) in block.stmts.iter().enumerate() {
            scope.mentions(at, stmt, &mut mention);
        }
        block.results.iter().filter_map(|atom| atom.var()).for_each(mention);
        scope.free = free;
        scope
    }

    /// Calls `each` on the variables that a statement uses.
    fn mentions(&self, at: usize, stmt: &Stmt, each: &mut dyn FnMut(VarId)) {
        stmt.op.for_each_atom(&mut |atom| {
            if let Atom::Var(var) = atom {
                each(var);
            }
        });
        self.inner[at].iter().flat_map(|scope| &scope.free).for_each(|var| each(*var));
    }

    /// For each statement, and last for the results, which variables are used there for the last time, of
    /// those that the block binds and those from outside in `dying`. What is bound and never used dies where
    /// it is bound.
    pub fn deaths(&self, block: &Block, dying: &[VarId]) -> Vec<Vec<VarId>> {
        let mut mortal: FxHashSet<VarId> = dying.iter().copied().collect();
        mortal.extend(block.stmts.iter().flat_map(|stmt| &stmt.vars));
        let mut deaths = vec![vec![]; block.stmts.len() + 1];
        // What is taken out of the mortal ones has died, further down.
        for var in block.results.iter().filter_map(|atom| atom.var()) {
            if mortal.remove(&var) {
                deaths[block.stmts.len()].push(var);
            }
        }
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let dead = &mut deaths[at];
            dead.extend(stmt.vars.iter().filter(|var| mortal.remove(var)));
            self.mentions(at, stmt, &mut |var| {
                if mortal.remove(&var) {
                    dead.push(var);
                }
            });
        }
        deaths
    }

    /// Whether the block uses a variable from outside.
    pub fn uses(&self, var: VarId) -> bool {
        self.free.contains(&var)
    }
}
