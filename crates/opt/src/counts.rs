//! A loop that counts up to a bound that it does not change runs over indices.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type};
use pullback_prim::Prim;

use crate::pass::{Pass, each_body};

pub(crate) const PASS: Pass = Pass {
    name: "counts",
    about: "makes loops over indices of those that count up to a bound",
    law: "loop i = a, s while i < n { (i + 1, b) } = for j < max(n, a) - a with s { i = a + j; b }, max(n, a), if a is a \
          number from 0 on",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    each_body(program, |program, body| {
        let mut counts = Counts { program, changed: false };
        counts.block(body);
        counts.changed
    })
}

struct Counts<'p> {
    program: &'p mut Program,
    changed: bool,
}

impl Counts<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            if let Op::Loop(repeat) = &stmt.op
                && let Some((place, start, bound)) = counter(repeat)
            {
                self.changed = true;
                self.count(&mut stmt, place, start, bound, &mut stmts);
            } else {
                stmts.push(stmt);
            }
        }
        block.stmts = stmts;
    }

    /// Writes a loop, of which a state counts from a number up to a bound, over indices.
    fn count(
        &mut self,
        stmt: &mut Stmt,
        place: usize,
        start: i64,
        bound: Atom,
        out: &mut Vec<Stmt>,
    ) {
        let span = stmt.span;
        let mut named = |name: &str| self.program.fresh(name, Type::INT);
        let [index, count] = ["i", "count"].map(&mut named);
        let end = stmt.vars.remove(place);
        let end_of = Op::Prim(Prim::IntMax, vec![bound, Atom::Int(start)]);
        out.push(Stmt::new(vec![end], end_of, span));
        let count_of = Op::Prim(Prim::IntSub, vec![Atom::Var(end), Atom::Int(start)]);
        out.push(Stmt::new(vec![count], count_of, span));
        if let Op::Loop(Loop { form, states, init, body }) = &mut stmt.op {
            let state = states.remove(place);
            init.remove(place);
            body.results.remove(place);
            let value = Op::Prim(Prim::IntAdd, vec![Atom::Var(index), Atom::Int(start)]);
            body.stmts.insert(0, Stmt::new(vec![state], value, span));
            *form = LoopForm::For { index, count: Atom::Var(count), down: false };
        }
        out.push(stmt.clone());
    }
}

/// The state of a loop that counts, the number that it starts from, and the bound.
fn counter(repeat: &Loop) -> Option<(usize, i64, Atom)> {
    let LoopForm::While(cond) = &repeat.form else { return None };
    let ([asked], [result]) = (cond.stmts.as_slice(), cond.results.as_slice()) else { return None };
    let Op::Prim(prim, args) = &asked.op else { return None };
    let (counter, bound) = if *prim == Prim::IntLt {
        (args[0], args[1])
    } else if *prim == Prim::IntGt {
        (args[1], args[0])
    } else {
        return None;
    };
    let place = repeat.states.iter().position(|state| Atom::Var(*state) == counter)?;
    let is_steady = !repeat.states.iter().any(|state| Atom::Var(*state) == bound);
    let Atom::Int(start @ 0..) = repeat.init[place] else { return None };
    let next = repeat.body.results[place].var()?;
    let step = repeat.body.stmts.iter().find(|stmt| stmt.vars.contains(&next))?;
    let adds_one =
        |args: &[Atom]| args == [counter, Atom::Int(1)] || args == [Atom::Int(1), counter];
    let counts = matches!(&step.op, Op::Prim(Prim::IntAdd, args) if adds_one(args));
    (asked.vars.first().map(|var| Atom::Var(*var)) == Some(*result) && is_steady && counts)
        .then_some((place, start, bound))
}
