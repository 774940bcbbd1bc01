//! Recognition of counted loops: a `while` over an induction variable with a fixed bound becomes a `for`.
//!
//! ```text
//! i, s = loop with j = 3, t = x while {       i = int_max(n, 3)
//!   p = int_lt(j, n)                          c = int_sub(i, 3)
//!   yield p                                   s = for k < c with t = x {
//! } do {                                 =>     j = int_add(k, 3)
//!   m = int_add(j, 1)                           u = sin(t)
//!   u = sin(t)                                  yield u
//!   yield m, u                                }
//! }
//! ```
//!
//! Law: the same steps run in the same order, with the same values and failures. The counter starts with a constant
//! of at least 0, grows by 1 in each step, and is compared with a bound that is no state. Other conditions and other
//! steps leave the loop as it is.

use pullback_ir::{Atom, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;

use crate::pass::{Pass, Phase, Scope, each_stmt};
use pullback_analysis::loop_shape::Shape;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "while_to_for",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes loops over indices of those that count up to a bound",
    law: "loop i = a, s while i < n { (i + 1, b) } = for j < max(n, a) - a with s { i = a + j; b }, max(n, a), if a is a \
          number from 0 on",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_stmt(program, |program, stmt, before| {
        let Op::Loop(repeat) = &mut stmt.op else { return false };
        let Some((place, start, bound)) = counter(repeat) else { return false };
        let (span, end) = (stmt.span, stmt.vars.remove(place));
        let [index, count] = ["i", "count"].map(|name| program.fresh(name, Type::INT));
        let define = |var: VarId, prim: Prim, args: [Atom; 2]| {
            Stmt::new(vec![var], Op::Prim(prim, args.to_vec()), span)
        };
        before.push(define(end, Prim::IntMax, [bound, Atom::Int(start)]));
        before.push(define(count, Prim::IntSub, [Atom::Var(end), Atom::Int(start)]));
        repeat.init.remove(place);
        repeat.body.results.remove(place);
        let value =
            define(repeat.states.remove(place), Prim::IntAdd, [Atom::Var(index), Atom::Int(start)]);
        repeat.body.stmts.insert(0, value);
        repeat.form = LoopForm::For { index, count: Atom::Var(count), down: false };
        true
    })
}

/// The place of the state that counts, the constant that it starts from, and the bound.
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
    let counts = Shape::of(repeat, place).step() == Some(1);
    (asked.vars.first().map(|var| Atom::Var(*var)) == Some(*result) && is_steady && counts)
        .then_some((place, start, bound))
}
