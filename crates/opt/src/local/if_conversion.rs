//! If-conversion (Allen, Kennedy, Porterfield and Warren, 1983): a cheap branch becomes a selection.
//!
//! ```text
//! b = if p {
//!   c = add(x, 1.0)            c = add(x, 1.0)
//!   yield c               =>   b = select(p, c, x)
//! } else { yield x }
//! ```
//!
//! Then the processor has nothing to predict, and other passes see straight code.
//!
//! Law: the value keeps its bits. Both sides are computed, so the pass takes only branches whose sides cost at most
//! four multiplications together and hold nothing but scalar operations that cannot fail. It runs on derived code
//! only: the side that is not chosen would have a derivative too.

use pullback_ir::{Block, FuncId, Op, Program, Stmt};

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::cost::all_speculative;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "if_conversion",
    phase: Phase::Simplify,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "makes selections of branches that are cheap and surely have a value",
    law: "if c { a } else { b } = select(c, a, b)",
    run,
};

/// The cost that both sides of a branch may have together, in multiplications.
const CHEAP: u64 = 4;

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_body(program, |_, body| in_block(body))
}

fn in_block(block: &mut Block) -> bool {
    let mut changed = false;
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        for inner in stmt.op.blocks_mut() {
            changed |= in_block(inner);
        }
        if let Op::If(cond, then, other) = &mut stmt.op
            && all_speculative([&*then, &*other]).is_some_and(|cost| cost <= CHEAP)
        {
            changed = true;
            stmts.append(&mut then.stmts);
            stmts.append(&mut other.stmts);
            for (var, (a, b)) in stmt.vars.iter().zip(then.results.iter().zip(&other.results)) {
                stmts.push(Stmt::new(vec![*var], Op::Select(*cond, *a, *b), stmt.span));
            }
        } else {
            stmts.push(stmt);
        }
    }
    block.stmts = stmts;
    changed
}
