//! Branch merging: two branches by the same condition become one.
//!
//! ```text
//! x = if c { yield a } else { yield b }        w = sin(z)
//! w = sin(z)                              =>   x, y = if c { yield a, a } else { yield b, v }
//! y = if c { yield x } else { yield v }
//! ```
//!
//! In the merged branch it is known which value the first one gave. What only one side of the second needs of the
//! other side of the first is then dead.
//!
//! Law: values, failures and the order of what is added to each accumulator stay. What stands between the two
//! branches goes before the merged branch or after it; where that cannot be, as for what is added in between, the
//! branches stay two (`reorder::are_free`). A branch is merged with the nearest earlier one by the same variable in
//! the same block.

use pullback_ir::{Block, Op, Program, Stmt};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::access::Roots;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::reorder::{Info, are_free, join};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "merge_branches",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "makes one branch of two that ask the same",
    law: "x = if c { a } else { b }; y = if c { d } else { e } = x, y = if c { a; d with a for x } else { b; e with b \
          for x }",
    run,
};

fn run(program: &mut Program, _: &mut [pullback_ir::FuncId], analyses: &mut Analyses) -> Changed {
    let (aliased, tells) = (analyses.aliased(program), analyses.tells(program));
    each_func(program, |program, func, body| {
        let roots = Roots::within(program, &program.funcs[func].params, body, aliased[func]);
        let mut branches = Branches { program, tells: &tells, roots, changed: false };
        branches.block(body);
        branches.changed
    })
}

struct Branches<'p> {
    program: &'p Program,
    tells: &'p Tells,
    roots: Roots,
    changed: bool,
}

impl Branches<'_> {
    fn block(&mut self, block: &mut Block) {
        let count = block.stmts.iter().filter(|stmt| matches!(stmt.op, Op::If(..))).count();
        if count > 1 {
            self.merge(block);
        }
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// Merges each branch with the nearest earlier one by the same condition.
    fn merge(&mut self, block: &mut Block) {
        let mut infos: Vec<Info> = block.stmts.iter().map(|stmt| self.info(stmt)).collect();
        let mut second = 0;
        while second < block.stmts.len() {
            let Some(first) =
                partner(block, second).filter(|first| are_free(block, &infos, *first, second))
            else {
                second += 1;
                continue;
            };
            self.changed = true;
            // What has become one branch may be made one with others yet.
            second = join(block, &mut infos, first, second, |earlier, later| {
                let merged = merged(earlier, later);
                let info = self.info(&merged);
                (merged, info)
            });
        }
    }

    fn info(&self, stmt: &Stmt) -> Info {
        Info::of(self.program, self.tells, &self.roots, stmt)
    }
}

/// The nearest earlier branch with the condition of a branch.
fn partner(block: &Block, second: usize) -> Option<usize> {
    let Op::If(cond, _, _) = &block.stmts[second].op else { return None };
    (0..second)
        .rev()
        .find(|first| matches!(&block.stmts[*first].op, Op::If(other, _, _) if other == cond))
}

/// One branch that does what two did one after the other.
fn merged(earlier: Stmt, later: Stmt) -> Stmt {
    let (Op::If(cond, one, other), Op::If(_, then, or_else)) = (earlier.op, later.op) else {
        pullback_base::bug("merge_branches", "two branches")
    };
    let side = |mut first: Block, mut second: Block| {
        let known = earlier.vars.iter().copied().zip(first.results.iter().copied());
        second.substitute(&FxHashMap::from_iter(known));
        first.stmts.append(&mut second.stmts);
        first.results.append(&mut second.results);
        first
    };
    let op = Op::If(cond, side(one, then), side(other, or_else));
    Stmt::new([earlier.vars.clone(), later.vars].concat(), op, earlier.span)
}
