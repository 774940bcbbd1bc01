//! What code calls.

use pullback_ir::{Block, FuncId, Op, Program};

/// The functions that a function calls.
pub(super) fn callees(program: &Program, func: FuncId) -> Vec<FuncId> {
    callees_in(program, &program.funcs[func].body)
}

/// Those that a block calls.
pub(super) fn callees_in(program: &Program, block: &Block) -> Vec<FuncId> {
    let mut callees = vec![];
    block.visit(&mut |stmt| callees.extend(callee(program, &stmt.op)));
    callees
}

/// The one that an operation calls.
pub(super) fn callee(program: &Program, op: &Op) -> Option<FuncId> {
    if let Op::Call(callee, _) = op {
        Some(*callee)
    } else if let Op::Custom { rule, .. } = op {
        Some(program.rules[*rule].value())
    } else {
        None
    }
}

/// Whether code has no loops and calls inside, so that it takes little time.
pub(super) fn is_straight(body: &Block) -> bool {
    let mut is_straight = true;
    body.visit(&mut |stmt| {
        is_straight &= !matches!(stmt.op, Op::Loop(_) | Op::Call(..) | Op::Custom { .. });
    });
    is_straight
}
