//! Full unrolling of loops that make functions, so that what each iteration makes is told apart.
//!
//! ```text
//! before   g = for i < 2 with f = Id { yield Twice(f) }
//! after    f1 = Twice(Id);  g = Twice(f1)
//! ```
//!
//! Input: a function, and how many iterations are written out at most. Output: the function, with loops of a constant
//! count over states that are data as their iterations one after the other.
//! Invariants: the program computes what it did. A loop with more iterations stays, and its count is noted as a
//! limit.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

use super::form::is_told;
use super::limit::{Limit, Limits};

/// Unrolls the loops of a function that have data as states and a constant count of at most `most`.
pub(super) fn loops(program: &mut Program, func: FuncId, most: i64, limits: &mut Limits) {
    let mut body = std::mem::take(&mut program.funcs[func].body);
    block(program, &mut body, most, limits);
    program.funcs[func].body = body;
}

fn block(program: &mut Program, code: &mut Block, most: i64, limits: &mut Limits) {
    for mut stmt in std::mem::take(&mut code.stmts) {
        stmt.op.blocks_mut().into_iter().for_each(|inner| block(program, inner, most, limits));
        if let Op::Loop(repeat) = &stmt.op
            && let LoopForm::For { index, count: Atom::Int(count), down } = repeat.form
            && repeat.states.len() == stmt.vars.len()
            && repeat.states.iter().any(|state| is_told(program, program.vars[*state].ty))
        {
            if count > most {
                limits.insert(Limit::Iterations(count));
                code.stmts.push(stmt);
                continue;
            }
            let order: Vec<i64> =
                if down { (0..count).rev().collect() } else { (0..count).collect() };
            written_out(program, repeat, index, &order, (&stmt.vars, stmt.span), &mut code.stmts);
        } else {
            code.stmts.push(stmt);
        }
    }
}

fn written_out(
    program: &mut Program,
    repeat: &Loop,
    index: VarId,
    order: &[i64],
    (vars, span): (&[VarId], pullback_base::Span),
    stmts: &mut Vec<Stmt>,
) {
    let mut current = repeat.init.clone();
    for at in order {
        let mut atoms: FxHashMap<VarId, Atom> =
            repeat.states.iter().copied().zip(current.iter().copied()).collect();
        atoms.insert(index, Atom::Int(*at));
        let body = pullback_ir::rename(program, &repeat.body, &mut atoms);
        stmts.extend(body.stmts);
        current = body.results;
    }
    for (var, atom) in vars.iter().zip(current) {
        stmts.push(Stmt::new(vec![*var], Op::Copy(atom), span));
    }
}
