//! Cloning of functions without their output effect (`debug`): what a checkpoint runs again tells nothing again.
//!
//! ```text
//! before   @again(x) { tell("in");  y = @f(x);  yield y }        @f tells something
//! after    @again(x) { y = @f_quiet(x);  yield y }
//! ```
//!
//! Input: the transposes of checkpoints that were made (`checkpoint`). Output: they call functions without
//! [`Op::Tell`].
//! Invariants: a copy computes what its function computes. A function that tells nothing is called as it is, and one
//! is copied once, through recursion too.

use pullback_analysis::effects::debug::Tells;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Rule, VarId, rename};
use rustc_hash::FxHashMap;

use crate::state::Ad;

impl Ad {
    /// Makes the transposes of checkpoints call functions without `debug`.
    pub(crate) fn quieten(&mut self) {
        let again = std::mem::take(&mut self.ran_again);
        let tells = Tells::of(&self.program);
        let mut ctx =
            MuteDebug { program: &mut self.program, tells: &tells, copies: FxHashMap::default() };
        for func in again {
            let mut body = std::mem::take(&mut ctx.program.funcs[func].body);
            ctx.block(&mut body);
            ctx.program.funcs[func].body = body;
        }
    }
}

struct MuteDebug<'a> {
    program: &'a mut Program,
    tells: &'a Tells,
    /// The copies of functions that tell something.
    copies: FxHashMap<FuncId, FuncId>,
}

impl MuteDebug<'_> {
    /// A function that computes the same and tells nothing.
    fn func(&mut self, func: FuncId) -> FuncId {
        if let Some(copy) = self.copies.get(&func) {
            return *copy;
        }
        if !self.tells.func(func) {
            return func;
        }
        let source = self.program.funcs[func].clone();
        let params: Vec<VarId> =
            source.params.iter().map(|param| self.program.fresh_like(*param)).collect();
        let fresh = params.iter().map(|param| Atom::Var(*param));
        let mut atoms = source.params.iter().copied().zip(fresh).collect();
        let mut body = rename(self.program, &source.body, &mut atoms);
        let copy = self.program.funcs.push(Func {
            params,
            preconditions: vec![],
            body: Block::default(),
            ..source
        });
        self.copies.insert(func, copy);
        self.block(&mut body);
        self.program.funcs[copy].body = body;
        copy
    }

    fn block(&mut self, block: &mut Block) {
        block.stmts.retain(|stmt| !matches!(stmt.op, Op::Tell(_)));
        for stmt in &mut block.stmts {
            if let Op::Call(func, _) = &mut stmt.op {
                *func = self.func(*func);
            } else if let Op::Custom { rule, .. } = &mut stmt.op {
                let muted = match self.program.rules[*rule].clone() {
                    Rule::Vjp { value, forward, pullback } => {
                        let (value, forward) = (self.func(value), self.func(forward));
                        Rule::Vjp { value, forward, pullback }
                    }
                    Rule::Jvp { value, forward } => {
                        Rule::Jvp { value: self.func(value), forward: self.func(forward) }
                    }
                };
                if muted != self.program.rules[*rule] {
                    *rule = self.program.rules.push(muted);
                }
            }
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
        }
    }
}
