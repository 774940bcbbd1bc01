//! Functions whose code says which results depend on which inputs: what stands between a direction and its derivative
//! becomes a function of its own, for the routine that reads it.
//!
//! `dependences : Program -> Program`
//!
//! ```text
//! before  y.3, d.4 = jvp q0(x.0) along (v.2)
//!         s.5, p.6 = @told.1(v.2, d.4)                routine dependences fn @told.1
//! after   d.4, y.3, s.5, p.6 = @told.7(x.0, v.2)      routine followed fn @told.7(x.8, v.9) {
//!                                                       y.10, d.11 = jvp q0(x.8) along (v.9)
//!                                                       s.12, p.13 = @told.14(d.11, x.8, v.9)
//!                                                       yield d.11, y.10, s.12, p.13
//!                                                     }
//! ```
//!
//! Law: values are the same. A function with the mark `dependences` takes the result and then all parameters of the one
//! that calls it, of which the direction is the last; so who runs it knows at which sizes and Ints to read that code. Where
//! the result does not stand behind the direction in one block, the text alone remains.

use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, VarId, rename};
use pullback_prim::Routine;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) fn dependences(program: &mut Program) {
    let is_asked = |func: &FuncId| program.funcs[*func].routine == Some(Routine::Dependences);
    let asked: Vec<FuncId> = program.funcs.ids().filter(is_asked).collect();
    if asked.is_empty() {
        return;
    }
    let all: Vec<FuncId> = program.funcs.ids().collect();
    for func in all {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        block(program, &mut body, &asked);
        program.funcs[func].body = body;
    }
    for func in asked {
        program.funcs[func].routine = None;
    }
}

fn block(program: &mut Program, of: &mut Block, asked: &[FuncId]) {
    let mut at = 0;
    while at < of.stmts.len() {
        for inner in of.stmts[at].op.blocks_mut() {
            block(program, inner, asked);
        }
        if let Op::Call(func, args) = &of.stmts[at].op
            && asked.contains(func)
            && let [Atom::Var(direction), Atom::Var(result)] = args[..]
            && let Some(between) = Between::of(of, at, direction, result)
        {
            at = between.outline(program, of, (at, *func));
        }
        at += 1;
    }
}

/// The statements that lie between a direction and its derivative.
struct Between {
    direction: VarId,
    result: VarId,
    /// For each statement before the question, whether it is one of them.
    is_between: Vec<bool>,
    /// What they bind.
    bound: FxHashSet<VarId>,
}

impl Between {
    /// None if there are none, or if another statement before the question looks at what they bind.
    fn of(block: &Block, at: usize, direction: VarId, result: VarId) -> Option<Self> {
        let before = &block.stmts[..at];
        let mut after: FxHashSet<VarId> = [direction].into_iter().collect();
        let mut is_after = vec![];
        for stmt in before {
            let follows = stmt.op.free().iter().any(|var| after.contains(var));
            if follows {
                after.extend(&stmt.vars);
            }
            is_after.push(follows);
        }
        let mut needed: FxHashSet<VarId> = [result].into_iter().collect();
        let mut is_between = vec![false; at];
        let mut bound = FxHashSet::default();
        for (k, stmt) in before.iter().enumerate().rev() {
            if is_after[k] && stmt.vars.iter().any(|var| needed.contains(var)) {
                is_between[k] = true;
                needed.extend(stmt.op.free());
                bound.extend(&stmt.vars);
            }
        }
        let others = before.iter().zip(&is_between).filter(|(_, is_between)| !**is_between);
        let is_apart = !others
            .into_iter()
            .any(|(stmt, _)| stmt.op.free().iter().any(|var| bound.contains(var)));
        let found = Self { direction, result, is_between, bound };
        (is_apart && found.bound.contains(&result)).then_some(found)
    }

    /// Puts them into a function, and gives the place of its call.
    fn outline(self, program: &mut Program, of: &mut Block, (at, text): (usize, FuncId)) -> usize {
        let mut after = of.stmts.split_off(at);
        let question = after.remove(0);
        let (mut body, mut before) = (Block::default(), vec![]);
        for (stmt, is_between) in of.stmts.drain(..).zip(&self.is_between) {
            if *is_between { &mut body.stmts } else { &mut before }.push(stmt);
        }
        let mut results = vec![self.result];
        let mut used: FxHashSet<VarId> = of.results.iter().filter_map(|atom| atom.var()).collect();
        after.iter().for_each(|stmt| used.extend(stmt.op.free()));
        let bound = body.stmts.iter().flat_map(|stmt| &stmt.vars).copied();
        results.extend(bound.filter(|var| *var != self.result && used.contains(var)));
        let mut params: Vec<VarId> = body.free();
        params.retain(|var| *var != self.direction);
        params.push(self.direction);
        body.results = results.iter().map(|var| Atom::Var(*var)).collect();
        let vars: Vec<VarId> = results.into_iter().chain(question.vars.iter().copied()).collect();
        let func = followed(program, &params, &body, &question, text);
        let args = params.into_iter().map(Atom::Var).collect();
        of.stmts = before;
        let place = of.stmts.len();
        of.stmts.push(Stmt::new(vars, Op::Call(func, args), question.span));
        of.stmts.append(&mut after);
        place
    }
}

/// The function of some statements, which then asks.
fn followed(
    program: &mut Program,
    params: &[VarId],
    body: &Block,
    question: &Stmt,
    text: FuncId,
) -> FuncId {
    let own: Vec<VarId> = params.iter().map(|var| program.fresh_like(*var)).collect();
    let mut atoms = params.iter().copied().zip(own.iter().map(|var| Atom::Var(*var))).collect();
    let mut body = rename(program, body, &mut atoms);
    let Atom::Var(result) = body.results[0] else { unreachable!("a result that is bound") };
    let asks = asking(program, text, result, &own);
    let told: Vec<VarId> = question.vars.iter().map(|var| program.fresh_like(*var)).collect();
    let args = std::iter::once(result).chain(own.iter().copied()).map(Atom::Var).collect();
    body.stmts.push(Stmt::new(told.clone(), Op::Call(asks, args), question.span));
    body.results.extend(told.into_iter().map(Atom::Var));
    let results = body.results.iter().map(|atom| program.type_of(*atom)).collect();
    let func = Func {
        params: own,
        results,
        body,
        routine: Some(Routine::Followed),
        ..program.funcs[text].clone()
    };
    program.funcs.push(func)
}

/// A function of the text that is asked, which takes the result and all that it is computed from.
fn asking(program: &mut Program, text: FuncId, result: VarId, given: &[VarId]) -> FuncId {
    let source = program.funcs[text].clone();
    let params: Vec<VarId> =
        std::iter::once(&result).chain(given).map(|var| program.fresh_like(*var)).collect();
    let mut atoms = FxHashMap::default();
    for (param, stands) in source.params.iter().zip([params.last(), params.first()]) {
        atoms.extend(stands.map(|var| (*param, Atom::Var(*var))));
    }
    let body = rename(program, &source.body, &mut atoms);
    program.funcs.push(Func { params, body, ..source })
}
