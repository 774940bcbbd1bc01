//! An array with another element is made after the last look at the array before: then nobody holds that one, and the
//! element is written in its place. Where a cotangent is taken out of an array of cotangents and zero is left behind,
//! derivatives say the latter first.

use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::effects::Effects;
use crate::hoist::names;
use crate::pass::{Pass, each_body};

pub(crate) const PASS: Pass = Pass {
    name: "later",
    about: "makes an array with another element after what looks at the array before",
    law: "b = a with [i] = x; s = s; b = a with [i] = x, if s does not name b, and `a with [i] = x` does not fail",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    let effects = Effects::in_place(program);
    let mut next = 0;
    each_body(program, |program, body| {
        let mut later = Later { program, effects: &effects, next, changed: false };
        later.block(body);
        next = later.next;
        later.changed
    })
}

struct Later<'p> {
    program: &'p Program,
    effects: &'p Effects,
    /// The number that the next statement had in the beginning.
    next: usize,
    changed: bool,
}

impl Later<'_> {
    /// Whether nothing in a block fails or tells anything.
    fn block(&mut self, block: &mut Block) -> bool {
        let mut calm = Vec::with_capacity(block.stmts.len());
        for stmt in &mut block.stmts {
            let fails = self.effects.fails_itself(self.program, stmt, self.next);
            let mut is_calm = !fails && !self.effects.tells.op(self.program, &stmt.op);
            self.next += 1;
            for inner in stmt.op.blocks_mut() {
                is_calm &= self.block(inner);
            }
            calm.push(is_calm);
        }
        for at in (0..block.stmts.len()).rev() {
            let Some(last) = self.last_look(&block.stmts, at) else { continue };
            let place = at..=last;
            // One of them may fail: then it is that which fails first as before.
            if calm[at] || calm[at + 1..=last].iter().all(|calm| *calm) {
                block.stmts[place.clone()].rotate_left(1);
                calm[place].rotate_left(1);
                self.changed = true;
            }
        }
        calm.iter().all(|calm| *calm)
    }

    /// The last statement that looks at the array before, if the statement at a place makes one with another element:
    /// before anything looks at that.
    fn last_look(&self, stmts: &[Stmt], place: usize) -> Option<usize> {
        let (&Op::Update(Atom::Var(before), _, _), &[made]) =
            (&stmts[place].op, stmts[place].vars.as_slice())
        else {
            return None;
        };
        let made = FxHashSet::from_iter([made]);
        // The array and its rows, which lie in it.
        let mut parts = FxHashSet::from_iter([before]);
        let mut last = None;
        for (at, stmt) in stmts.iter().enumerate() {
            if names(&stmt.op, &made) {
                break;
            }
            if names(&stmt.op, &parts) {
                last = Some(at).filter(|at| *at > place);
                let is_array = |var: &&VarId| self.program.vars[**var].ty.is_array();
                parts.extend(stmt.vars.iter().filter(is_array).filter(|_| lies_there(&stmt.op)));
            }
        }
        last
    }
}

/// Whether what an operation gives may lie in what it is given.
fn lies_there(op: &Op) -> bool {
    matches!(
        op,
        Op::Copy(_)
            | Op::Stop(_)
            | Op::Index(..)
            | Op::Slice(..)
            | Op::Flatten(_)
            | Op::Sized(..)
            | Op::Select(..)
    )
}
