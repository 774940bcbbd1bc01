//! Loop unrolling, complete: a loop that runs a few times is written out.
//!
//! ```text
//! s = for i < 2 with t = x {         e = a[0]
//!   e = a[i]                         u = mul(x, e)
//!   u = mul(t, e)               =>   f = a[1]
//!   yield u                          s = mul(u, f)
//! }
//! ```
//!
//! What is small then lies in variables and not in arrays.
//!
//! Law: values, failures and their order stay. It applies to a constant count of 2 to 16, and to loops that use their
//! index or collect something; loops that only repeat a step stay. At most 128 statements come of a loop, or 600 if
//! it runs two or three times, as derivatives along a few directions do. Where a function has more than 1,500, or would
//! have, a loop may become 32 more. A loop that tells something and collects rows stays: a row of another size is an error
//! of its iteration, after which nothing is told.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId, rename};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_body, take};
use pullback_analysis::cost::copies;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "unroll",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "writes out short loops that run a few times, and work on elements of arrays",
    law: "for i < 3 { b } = b with 0 for i; b with 1 for i; b with 2 for i",
    run,
};

/// The largest count of a loop that is unrolled.
const MOST: i64 = 16;
/// The most statements that an unrolled loop becomes.
const LONGEST: usize = 128;
/// The same for two or three iterations, as derivatives along a few directions have.
const LONGEST_OF_FEW: usize = 600;
/// The statements that a function may grow to, and how many more a loop may become whatever the function has. Most time is
/// spent in a small part of a large function, and the passes and the C compiler take as long as there are statements.
const ROOM: usize = 1500;
const ALWAYS: usize = 32;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let tells = analyses.tells(program);
    each_body(program, |program, body| {
        let mut room = ROOM.saturating_sub(body.size());
        block(program, &tells, body, &mut room)
    })
}

fn block(program: &mut Program, tells: &Tells, of: &mut Block, room: &mut usize) -> bool {
    let mut changed = false;
    for mut stmt in take(of) {
        for inner in stmt.op.blocks_mut() {
            changed |= block(program, tells, inner, room);
        }
        let goes = |(_, more): &(i64, usize)| {
            *more <= (*room).max(ALWAYS) && !tells_of_rows(program, tells, &stmt)
        };
        match count(&stmt).filter(goes) {
            Some((count, more)) => {
                *room = room.saturating_sub(more);
                changed = true;
                write_out(program, &stmt, count, &mut of.stmts);
            }
            None => of.stmts.push(stmt),
        }
    }
    changed
}

/// The count of a loop, if it is short enough to be unrolled, and how many statements more it becomes.
fn count(stmt: &Stmt) -> Option<(i64, usize)> {
    let Op::Loop(looped) = &stmt.op else { return None };
    let LoopForm::For { index, count: Atom::Int(count), .. } = looped.form else { return None };
    let mut works_on_elements = looped.body.results.len() > looped.states.len();
    looped.body.visit_atoms(&mut |atom| works_on_elements |= atom == Atom::Var(index));
    let longest = if count <= 3 { LONGEST_OF_FEW } else { LONGEST };
    let fits = usize::try_from(count).is_ok_and(|count| count <= copies(&looped.body, longest));
    let more = looped.body.size() * usize::try_from(count - 1).unwrap_or(0);
    (works_on_elements && (2..=MOST).contains(&count) && fits).then_some((count, more))
}

/// Whether a loop tells something (`debug`) and collects rows.
fn tells_of_rows(program: &Program, tells: &Tells, stmt: &Stmt) -> bool {
    let Op::Loop(looped) = &stmt.op else { return false };
    let mut collected = stmt.vars[looped.states.len()..].iter();
    collected.any(|var| program.vars[*var].ty.rank > 1) && tells.block(program, &looped.body)
}

fn write_out(program: &mut Program, stmt: &Stmt, count: i64, out: &mut Vec<Stmt>) {
    let Op::Loop(looped @ Loop { form: LoopForm::For { index, down, .. }, .. }) = &stmt.op else {
        return;
    };
    let states = looped.states.len();
    let mut now = looped.init.clone();
    let mut collected: Vec<Vec<Atom>> = vec![vec![]; stmt.vars.len() - states];
    for at in 0..count {
        let at = if *down { count - 1 - at } else { at };
        let mut atoms: FxHashMap<VarId, Atom> =
            looped.states.iter().copied().zip(now.iter().copied()).collect();
        atoms.insert(*index, Atom::Int(at));
        let mut body = rename(program, &looped.body, &mut atoms);
        out.append(&mut body.stmts);
        for (array, value) in collected.iter_mut().zip(body.results.drain(states..)) {
            array.push(value);
        }
        now = body.results;
    }
    for (var, last) in stmt.vars.iter().zip(now) {
        out.push(Stmt::new(vec![*var], Op::Copy(last), stmt.span));
    }
    for (var, mut items) in stmt.vars[states..].iter().zip(collected) {
        if *down {
            items.reverse();
        }
        out.push(Stmt::new(vec![*var], Op::Array(items), stmt.span));
    }
}
