//! Analysis of an output effect: what tells something to whoever runs the program ([`Op::Tell`]), at any depth and
//! through calls.
//!
//! Input: a program. Output: [`Tells`], which answers for functions, operations and blocks.
//!
//! Law for those who ask: such code is neither left out nor done twice, and nothing that may fail or tell comes before
//! it that came after it.

use pullback_base::IdVec;

use pullback_ir::{Block, FuncId, Op, Program, Rule};

use crate::call_graph::above;

/// Which functions tell something.
#[derive(Debug)]
pub struct Tells {
    tells: IdVec<FuncId, bool>,
    any: bool,
}

impl Tells {
    /// The functions of a program that tell something.
    pub fn of(program: &Program) -> Self {
        let tells = |func: &FuncId| {
            let mut tells = false;
            let body = &program.funcs[*func].body;
            body.visit(&mut |stmt| tells |= matches!(stmt.op, Op::Tell(_)));
            tells
        };
        let telling: Vec<FuncId> = program.funcs.ids().filter(tells).collect();
        let any = !telling.is_empty();
        let runs = |block: &Block| {
            let mut runs = vec![];
            block.visit(&mut |stmt| runs.extend(run_by(program, &stmt.op)));
            runs
        };
        Self { tells: above(program, runs, telling), any }
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
        let itself = matches!(op, Op::Tell(_))
            || run_by(program, op).into_iter().any(|func| self.tells[func]);
        itself || op.blocks().into_iter().any(|block| self.block(program, block))
    }

    /// Whether anything in a block tells something.
    pub fn block(&self, program: &Program, block: &Block) -> bool {
        self.any && block.stmts.iter().any(|stmt| self.op(program, &stmt.op))
    }
}

/// The functions that an operation runs, or the derivative of which it runs. A function with a rule stands for its
/// value, and for its value where it is differentiated.
fn run_by(program: &Program, op: &Op) -> Vec<FuncId> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others run none")]
    match op {
        Op::Call(callee, _) => vec![*callee],
        Op::Custom { rule, .. } => {
            let (Rule::Vjp { value, forward, .. } | Rule::Jvp { value, forward }) =
                program.rules[*rule];
            vec![value, forward]
        }
        Op::Jvp(request, ..) | Op::Linearize(request, _) => vec![program.requests[*request].func],
        _ => vec![],
    }
}
