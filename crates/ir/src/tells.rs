//! Analysis of an output effect: what tells something to whoever runs the program ([`Op::Tell`]), at any depth and
//! through calls.
//!
//! Input: a program. Output: [`Tells`], which answers for functions, operations and blocks.
//!
//! Law for those who ask: such code is neither left out nor done twice, and nothing that may fail or tell comes before
//! it that came after it.

use pullback_base::IdVec;

use crate::program::{Block, FuncId, Op, Program, Rule, RuleId};

/// Which functions tell something.
#[derive(Debug)]
pub struct Tells {
    tells: IdVec<FuncId, bool>,
    any: bool,
}

impl Tells {
    /// The functions of a program that tell something.
    pub fn of(program: &Program) -> Self {
        let none: IdVec<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
        let mut found = Self { tells: none, any: false };
        let mut callers: IdVec<FuncId, Vec<FuncId>> =
            program.funcs.iter().map(|_| vec![]).collect();
        let mut todo = vec![];
        for (id, func) in program.funcs.iter_enumerated() {
            #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
            func.body.visit(&mut |stmt| match &stmt.op {
                Op::Tell(_) => todo.push(id),
                Op::Call(callee, _) => callers[*callee].push(id),
                Op::Custom { rule, .. } => {
                    values(program, *rule).into_iter().for_each(|value| callers[value].push(id));
                }
                Op::Jvp(request, ..) | Op::Linearize(request, _) => {
                    callers[program.requests[*request].func].push(id);
                }
                _ => {}
            });
        }
        found.any = !todo.is_empty();
        while let Some(func) = todo.pop() {
            if !std::mem::replace(&mut found.tells[func], true) {
                todo.extend(&callers[func]);
            }
        }
        found
    }

    /// Whether anything in the program tells something.
    pub fn any(&self) -> bool {
        self.any
    }

    /// Whether a function tells something.
    pub fn func(&self, func: FuncId) -> bool {
        self.tells[func]
    }

    /// Whether an operation tells something, or anything inside it.
    pub fn op(&self, program: &Program, op: &Op) -> bool {
        if !self.any {
            return false;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
        let itself = match op {
            Op::Tell(_) => true,
            Op::Call(func, _) => self.tells[*func],
            Op::Custom { rule, .. } => {
                values(program, *rule).into_iter().any(|value| self.tells[value])
            }
            Op::Jvp(request, ..) | Op::Linearize(request, _) => {
                self.tells[program.requests[*request].func]
            }
            _ => false,
        };
        itself || op.blocks().into_iter().any(|block| self.block(program, block))
    }

    /// Whether anything in a block tells something.
    pub fn block(&self, program: &Program, block: &Block) -> bool {
        self.any && block.stmts.iter().any(|stmt| self.op(program, &stmt.op))
    }
}

/// The functions that a function with a rule stands for: its value, and its value where it is differentiated.
fn values(program: &Program, rule: RuleId) -> [FuncId; 2] {
    let (Rule::Vjp { value, forward, .. } | Rule::Jvp { value, forward }) = program.rules[rule];
    [value, forward]
}
