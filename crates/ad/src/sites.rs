//! Scopes of the variables of a function's values: the loops and branches around each, and the operation that binds
//! it.
//!
//! ```text
//! for i < n { p = lt(x, 0.0);  y = if p { z = sin(x); yield z } else { … } }      z: in the loop, then in the first side
//! ```
//!
//! Input: the values of a function, as `split` gives them. Output: for each variable the path of blocks around it,
//! the outermost first, and the operation that computes it, if that has no blocks.
//! Invariants: a block on a path is named by the key of its pair and by its place among the blocks of the pair
//! (`split`).

use pullback_ir::{Block, Loop, LoopForm, Op, VarId};
use rustc_hash::FxHashMap;

use crate::split::Halves;

/// A block on the way from a function's body to a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// The key of the pair that the block belongs to.
    pub(crate) key: VarId,
    /// Which of the pair's blocks it is.
    pub(crate) branch: usize,
}

/// Where a variable is bound.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The blocks around it, the outermost first.
    pub(crate) path: Vec<Step>,
    /// What computes it, if that is an operation without blocks.
    pub(crate) op: Option<Op>,
}

impl Site {
    /// The site of a result of the innermost block around.
    pub(crate) fn outside(&self) -> Self {
        let mut path = self.path.clone();
        path.pop();
        Self { path, op: None }
    }
}

/// The sites of all variables.
pub(crate) struct Sites {
    sites: FxHashMap<VarId, Site>,
}

impl Sites {
    pub(crate) fn of(params: &[VarId], halves: &Halves) -> Self {
        let mut sites = Self { sites: FxHashMap::default() };
        for param in params {
            sites.insert(*param, Site { path: vec![], op: None });
        }
        sites.block(&halves.values, &mut vec![]);
        sites
    }

    pub(crate) fn get(&self, var: VarId) -> Option<Site> {
        self.sites.get(&var).cloned()
    }

    pub(crate) fn insert(&mut self, var: VarId, site: Site) {
        self.sites.insert(var, site);
    }

    /// Whether the values bind a variable.
    pub(crate) fn is_of_values(&self, var: VarId) -> bool {
        self.sites.contains_key(&var)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn block(&mut self, block: &Block, path: &mut Vec<Step>) {
        for stmt in &block.stmts {
            let inner = stmt.op.blocks();
            let op = if inner.is_empty() { Some(stmt.op.clone()) } else { None };
            for var in &stmt.vars {
                let op = if stmt.vars.len() == 1 { op.clone() } else { None };
                self.insert(*var, Site { path: path.clone(), op });
            }
            match &stmt.op {
                Op::If(cond, _, _) => {
                    if let Some(key) = cond.var() {
                        self.branches(key, &inner, &[], path);
                    }
                }
                Op::Match(cases) => {
                    if let Some(key) = cases.scrutinee.var() {
                        let params: Vec<&[VarId]> =
                            cases.arms.iter().map(|arm| arm.params.as_slice()).collect();
                        self.branches(key, &inner, &params, path);
                    }
                }
                Op::Loop(Loop { form, states, body, .. }) => {
                    // A `while` without a counter has no linear half: any of its states names it.
                    let key = match form {
                        LoopForm::For { index, .. } => Some(*index),
                        LoopForm::While(_) => states.last().copied(),
                    };
                    if let Some(key) = key {
                        path.push(Step { key, branch: 0 });
                        for var in stmt.op.inner_params() {
                            self.insert(var, Site { path: path.clone(), op: None });
                        }
                        self.block(body, path);
                        path.pop();
                    }
                }
                _ => {}
            }
        }
    }

    fn branches(
        &mut self,
        key: VarId,
        blocks: &[&Block],
        params: &[&[VarId]],
        path: &mut Vec<Step>,
    ) {
        for (branch, block) in blocks.iter().enumerate() {
            path.push(Step { key, branch });
            for var in params.get(branch).copied().unwrap_or_default() {
                self.insert(*var, Site { path: path.clone(), op: None });
            }
            self.block(block, path);
            path.pop();
        }
    }
}
