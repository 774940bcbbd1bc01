//! Update to accumulation: a loop's state, to whose rows each iteration adds, becomes an accumulator.
//!
//! ```text
//! b = for i < n with s = a {            acc = new_acc(a)
//!   t = to[i]                           for i < n {
//!   r = for j < m {                       t = to[i]
//!     old = s[t, j]                       for j < m {
//!     v = x[i, j]              =>           v = x[i, j]
//!     new = add(old, v)                     acc[t, j] += v
//!     collect new                         }
//!   }                                   }
//!   next = s with [t] = r               b = read_acc(acc)
//!   yield next
//! }
//! ```
//!
//! A row is made, copied and given back no more. And a transposed accumulator is a cotangent that all iterations read,
//! where that of a state is taken out of an array, cleared and put back in each of them. What is added to elements of
//! a vector has no such rows, and stays.
//!
//! Law: each element keeps its bits, since its terms are added in the same order. It applies where the loop looks at the state
//! in no other way, and rows are known to have `m` elements: then the update cannot fail for its size. What fails for its place
//! still does, by a read of the array's sizes.

use std::rc::Rc;

use pullback_analysis::sizes::Sizes;
use pullback_analysis::{Analyses, Changed};
use pullback_base::bug;
use pullback_ir::{Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;

use crate::pass::{Pass, Phase, Scope, each_func, take};

pub(crate) const PASS: Pass = Pass {
    name: "update_to_accumulate",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "adds to rows of an accumulator what a loop adds to rows of its state",
    law: "loop s = a for i < n { s with [p] = [ s[p, j] + x | j < m ] } = acc = new_acc(a); for i < n { for j < m { \
          acc[p, j] += x } }; read_acc(acc), if rows of a have m elements",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    each_func(program, |program, func, body| {
        let sizes = analyses.sizes(program, func, body);
        let mut ctx = UpdateToAccumulate { program, sizes, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct UpdateToAccumulate<'p> {
    program: &'p mut Program,
    sizes: Rc<Sizes>,
    changed: bool,
}

/// Where the body of a loop adds to a row of a state.
struct Adding {
    /// The place of the state among the loop's.
    state: usize,
    /// The place of the row.
    at: Vec<Atom>,
    /// The statement that makes the row, which of what it collects that is, and the statement that writes it.
    row: usize,
    collected: usize,
    update: usize,
    /// Reads of the whole row, of which only the place matters.
    looks: Vec<usize>,
    /// In the body of the row's loop, the statements that read an element and that add to it, and what is added.
    old: usize,
    new: usize,
    more: Atom,
}

impl UpdateToAccumulate<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let mut read = vec![];
            while let Op::Loop(looped @ Loop { form: LoopForm::For { .. }, .. }) = &stmt.op
                && let Some(adding) =
                    (0..looped.states.len()).find_map(|at| self.adding(looped, at))
            {
                self.changed = true;
                read.push(self.accumulate(&mut stmt, &adding, &mut block.stmts));
            }
            block.stmts.push(stmt);
            block.stmts.extend(read);
        }
    }

    /// Where a loop adds to a row of a state, if it does nothing else with it.
    fn adding(&self, looped: &Loop, state: usize) -> Option<Adding> {
        let (body, array) = (&looped.body, looped.states[state]);
        let ty = self.program.vars[array].ty;
        let next = body.results[state].var()?;
        let update = binds(body, next)?;
        let Op::Update(Atom::Var(of), at, Atom::Var(whole)) = &body.stmts[update].op else {
            return None;
        };
        let is_row = at.len() + 1 == usize::from(ty.rank) && !at.is_empty();
        if ty.elem != Elem::Real || *of != array || !is_row {
            return None;
        }
        let row = binds(body, *whole)?;
        let Op::Loop(inner @ Loop { form: LoopForm::For { index, count, .. }, .. }) =
            &body.stmts[row].op
        else {
            return None;
        };
        let collected = body.stmts[row].vars.iter().position(|var| var == whole)?;
        let sum = inner.body.results[collected].var().filter(|_| inner.states.is_empty())?;
        let new = binds(&inner.body, sum)?;
        let Op::Prim(Prim::Add, terms) = &inner.body.stmts[new].op else { return None };
        let element = [&at[..], &[(*index).into()]].concat();
        let reads = |term: &Atom| {
            let old = binds(&inner.body, term.var()?)?;
            let is_old = matches!(&inner.body.stmts[old].op, Op::Index(Atom::Var(of), at)
                if *of == array && *at == element);
            (is_old && inner.body.mentions(term.var()?) == 1).then_some(old)
        };
        let (old, more) = match reads(&terms[0]) {
            Some(old) => (old, terms[1]),
            None => (reads(&terms[1])?, terms[0]),
        };
        let is_look = |at: &usize| {
            matches!(&body.stmts[*at].op, Op::Index(Atom::Var(of), _) if *of == array)
                && body.stmts[*at].vars.iter().all(|var| body.mentions(*var) == 0)
        };
        let looks: Vec<usize> = (0..body.stmts.len()).filter(is_look).collect();
        let is_all = body.mentions(array) == looks.len() + 2
            && [next, *whole].iter().all(|var| body.mentions(*var) == 1)
            && inner.body.mentions(sum) == 1;
        let rows = looped.init[state].var()?;
        let is_whole = self.sizes.is_size(*count, rows, ty.rank - 1);
        let at = at.clone();
        (is_all && is_whole).then_some(Adding {
            state,
            at,
            row,
            collected,
            update,
            looks,
            old,
            new,
            more,
        })
    }

    /// Makes a loop add to an accumulator, which begins in `before`; gives the statement that reads it.
    fn accumulate(&mut self, stmt: &mut Stmt, adding: &Adding, before: &mut Vec<Stmt>) -> Stmt {
        let span = stmt.span;
        let Op::Loop(looped) = &mut stmt.op else { bug(PASS.name, "a loop") };
        let init = looped.init.remove(adding.state);
        let ty = self.program.vars[looped.states.remove(adding.state)].ty;
        looped.body.results.remove(adding.state);
        let acc = self.program.fresh("acc", ty.acc());
        if !adding.looks.is_empty() {
            let unit = |rank: u8| Type { elem: Elem::Unit, rank, is_acc: false };
            let sizes = self.program.fresh("sizes", unit(ty.rank));
            before.push(Stmt::new(vec![sizes], Op::Shape(init, ty.rank), span));
            for look in &adding.looks {
                let stmt = &mut looped.body.stmts[*look];
                let Op::Index(of, at) = &mut stmt.op else { bug(PASS.name, "a read") };
                *of = sizes.into();
                stmt.vars = vec![self.program.fresh("row", unit(ty.rank - at.len() as u8))];
            }
        }
        // Behind the last look at the array, which it takes the place of.
        before.push(Stmt::new(vec![acc], Op::NewAcc(init), span));
        let row = &mut looped.body.stmts[adding.row];
        row.vars.remove(adding.collected);
        let Op::Loop(inner) = &mut row.op else { bug(PASS.name, "a loop") };
        inner.body.results.remove(adding.collected);
        let index = inner.for_index().unwrap_or_else(|| bug(PASS.name, "a loop that counts"));
        let at = [&adding.at[..], &[index.into()]].concat();
        let new = &mut inner.body.stmts[adding.new];
        *new = Stmt::new(vec![], Op::AddAcc(acc.into(), at, adding.more), new.span);
        inner.body.stmts.remove(adding.old);
        looped.body.stmts.remove(adding.update);
        Stmt::new(vec![stmt.vars.remove(adding.state)], Op::ReadAcc(acc.into()), span)
    }
}

/// The statement of a block that binds a variable.
fn binds(block: &Block, var: VarId) -> Option<usize> {
    block.stmts.iter().position(|stmt| stmt.vars.contains(&var))
}
