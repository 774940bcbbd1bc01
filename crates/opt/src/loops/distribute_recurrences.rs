//! Loop distribution around a recurrence (Kennedy and Allen, 2001, section 2.4): what an iteration computes without the
//! array that it updates gets a loop of its own.
//!
//! ```text
//! b = for k < e with a = m {            v = for k < e {
//!   x = tanh(w[k])                        x = tanh(w[k])
//!   i = to[k]                             i = to[k]
//!   y = a[i]                              _ = m[i]
//!   z = add(y, x)                  =>     collect x
//!   c = a with [i] = z                  }
//!   yield c                             b = for j < e with a = m {
//! }                                       x' = v[j]
//!                                         i' = to[j]
//!                                         y = a[i']
//!                                         z = add(y, x')
//!                                         c = a with [i'] = z
//!                                         yield c
//!                                       }
//! ```
//!
//! An iteration may write where the next one reads, so none of the first loop could run in a vector. Of the two loops the
//! first one can.
//!
//! Law: every element keeps its bits. The first loop fails where the old one failed, and as it did: it reads the places
//! of the array as it was before, which has the same sizes, in the old order; the second loop cannot fail then.
//!
//! It applies where the first loop computes what the library of C computes (an `exp`, say), and the second one needs only
//! numbers of it. Indices are computed again.

use pullback_base::bug;
use pullback_ir::{
    Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename,
};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, slice};
use pullback_analysis::affine::Inside;
use pullback_analysis::cost::calls_library;
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "distribute_recurrences",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "computes before the loop what does not need the array that the loop updates",
    law: "b = for k < e with a = m { x = s; c = a with [i] = add(a[i], x); yield c } = v = for k < e { x = s; _ = m[i]; \
          collect x }; b = for j < e with a = m { c = a with [i] = add(a[i], v[j]); yield c }, if s does not read a",
    run,
};

/// The largest known count of a loop that is left alone.
const TINY: i64 = 16;

/// The most numbers that an iteration of the second loop may need of the first one.
const MOST: usize = 4;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects_in_place(program);
    each_func(program, |program, func, body| {
        let effects = effects.func(func);
        let mut ctx = DistributeRecurrences { program, effects, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct DistributeRecurrences<'a> {
    program: &'a mut Program,
    effects: FuncEffects<'a>,
    changed: bool,
}

/// The recurrence of a loop.
struct Recurrence {
    /// Which state the array is.
    state: usize,
    /// For each statement of the body, whether it belongs to the recurrence.
    is_in: Vec<bool>,
    /// The numbers that it needs of the other statements.
    needs: Vec<VarId>,
    /// The indices that it computes again.
    again: FxHashSet<VarId>,
}

impl DistributeRecurrences<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
            match self.recurrence(&stmt) {
                Some(recurrence) => stmts.extend(self.split(stmt, &recurrence)),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
    }

    fn recurrence(&self, stmt: &Stmt) -> Option<Recurrence> {
        let Op::Loop(looped @ Loop { form, states, body, .. }) = &stmt.op else { return None };
        let LoopForm::For { count, down: false, .. } = *form else { return None };
        if matches!(count, Atom::Int(n) if n <= TINY) || !body.stmts.iter().all(is_scalar) {
            return None;
        }
        (0..states.len()).find_map(|state| {
            let found = self.of_state(looped, state)?;
            let apart = body.stmts.iter().zip(&found.is_in).filter(|(_, is_in)| !**is_in);
            calls_library(apart.map(|(stmt, _)| stmt)).then_some(found)
        })
    }

    /// The recurrence of a state, if all of it are updates of single elements of an array.
    fn of_state(&self, looped: &Loop, state: usize) -> Option<Recurrence> {
        let (array, body) = (looped.states[state], &looped.body);
        let ty = self.program.vars[array].ty;
        if !ty.is_array() || !matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool) {
            return None;
        }
        let inside = Inside::of(looped);
        let mut vars: FxHashSet<VarId> = [array].into_iter().collect();
        let (mut is_in, mut numbers, mut places) = (vec![], vec![], vec![]);
        for stmt in &body.stmts {
            let has = |atom: &Atom| atom.var().is_some_and(|var| vars.contains(&var));
            let mut hangs = false;
            stmt.op.for_each_atom(&mut |atom| hangs |= has(&atom));
            is_in.push(hangs);
            if !hangs {
                continue;
            }
            if let Op::Index(of, place) | Op::Update(of, place, _) = &stmt.op {
                if !has(of) || place.len() != usize::from(ty.rank) || place.iter().any(has) {
                    return None;
                }
                places.extend(place.iter().filter_map(|atom| atom.var()));
                if let Op::Update(_, _, value) = &stmt.op {
                    numbers.extend(value.var().filter(|_| !has(value)));
                }
            } else if let Op::Prim(_, args) = &stmt.op
                && self.effects.is_calm(self.program, stmt)
            {
                numbers.extend(args.iter().filter(|atom| !has(atom)).filter_map(|a| a.var()));
            } else {
                return None;
            }
            vars.extend(&stmt.vars);
        }
        let results = body.results.iter().enumerate();
        let is_apart = |(at, atom): (usize, &Atom)| {
            at == state || !atom.var().is_some_and(|var| vars.contains(&var))
        };
        if !results.into_iter().all(is_apart) {
            return None;
        }
        let again = self.again(looped, &places, &inside)?;
        let index = looped.for_index();
        numbers.retain(|var| inside.has(*var) && Some(*var) != index && !again.contains(var));
        numbers.sort_unstable();
        numbers.dedup();
        let are_numbers = numbers
            .iter()
            .all(|var| matches!(self.program.vars[*var].ty, Type::REAL | Type::INT | Type::BOOL));
        let is_it = are_numbers && numbers.len() <= MOST;
        is_it.then_some(Recurrence { state, is_in, needs: numbers, again })
    }

    /// The variables that the places need, if they are sums of Ints and elements of arrays from outside.
    fn again(&self, looped: &Loop, places: &[VarId], inside: &Inside) -> Option<FxHashSet<VarId>> {
        let is_int = |var: &VarId| self.program.vars[*var].ty == Type::INT;
        let is_cheap = |stmt: &&Stmt| {
            if let Op::Index(Atom::Var(of), _) = &stmt.op {
                !inside.has(*of)
            } else {
                matches!(stmt.op, Op::Prim(..) | Op::Copy(_)) && stmt.vars.iter().all(is_int)
            }
        };
        let mut again = FxHashSet::default();
        for place in places {
            let (stmts, needed) = slice(looped.body.stmts.iter(), Atom::Var(*place));
            if !stmts.iter().all(is_cheap) || looped.states.iter().any(|var| needed.contains(var)) {
                return None;
            }
            again.extend(stmts.into_iter().flat_map(|stmt| &stmt.vars));
        }
        Some(again)
    }

    /// The loop that computes, and the one that updates.
    fn split(&mut self, stmt: Stmt, recurrence: &Recurrence) -> Vec<Stmt> {
        let Stmt { mut vars, op: Op::Loop(mut repeat), span, .. } = stmt else {
            bug(PASS.name, "a loop with a recurrence")
        };
        let LoopForm::For { index, count, down } = repeat.form else {
            bug(PASS.name, "a loop that counts")
        };
        self.changed = true;
        let updated = vars.remove(recurrence.state);
        let array = repeat.states.remove(recurrence.state);
        let start = repeat.init.remove(recurrence.state);
        let result = repeat.body.results.remove(recurrence.state);
        // A loop that collects has a count that is not negative.
        let times = self.program.fresh("count", Type::INT);
        let no_less = Op::Prim(Prim::IntMax, vec![count, Atom::Int(0)]);

        let own = self.program.fresh_like(array);
        let j = self.program.fresh_like(index);
        let mut names: FxHashMap<VarId, Atom> =
            [(array, Atom::Var(own)), (index, Atom::Var(j))].into_iter().collect();
        let mut reads = vec![];
        for var in &recurrence.needs {
            let ahead = self.collected(&mut repeat, &mut vars, *var);
            let element = self.program.fresh_like(*var);
            let read = Op::Index(Atom::Var(ahead), vec![Atom::Var(j)]);
            reads.push(Stmt::new(vec![element], read, span));
            names.insert(*var, Atom::Var(element));
        }
        let is_kept = |(stmt, is_in): (&Stmt, &bool)| {
            (*is_in || recurrence.again.iter().any(|var| stmt.vars.contains(var)))
                .then(|| stmt.clone())
        };
        let kept = repeat.body.stmts.iter().zip(&recurrence.is_in).filter_map(is_kept).collect();
        let kept = Block { stmts: kept, results: vec![result] };
        let mut body = rename(self.program, &kept, &mut names);
        body.stmts.splice(0..0, reads);

        let mut read = vec![];
        let stmts = std::mem::take(&mut repeat.body.stmts).into_iter().zip(&recurrence.is_in);
        repeat.body.stmts = stmts
            .filter_map(
                |(stmt, is_in)| {
                    if *is_in { self.is_there(stmt, start, &mut read) } else { Some(stmt) }
                },
            )
            .collect();
        repeat.form = LoopForm::For { index, count: Atom::Var(times), down };
        let form = LoopForm::For { index: j, count: Atom::Var(times), down };
        let update = Loop { form, states: vec![own], init: vec![start], body };
        vec![
            Stmt::new(vec![times], no_less, span),
            Stmt::new(vars, Op::Loop(repeat), span),
            Stmt::new(vec![updated], Op::Loop(update), span),
        ]
    }

    /// The array of the values that a variable has in the iterations of a loop, which collects them.
    fn collected(&mut self, repeat: &mut Loop, vars: &mut Vec<VarId>, var: VarId) -> VarId {
        let collects = repeat.body.results.iter().zip(&*vars).skip(repeat.states.len());
        if let Some((_, known)) = collects.into_iter().find(|(atom, _)| **atom == Atom::Var(var)) {
            return *known;
        }
        let ahead = self.program.fresh("ahead", self.program.vars[var].ty.array());
        repeat.body.results.push(Atom::Var(var));
        vars.push(ahead);
        ahead
    }

    /// What stands in the first loop for a statement of the recurrence: a read that fails where the statement does.
    fn is_there(&mut self, stmt: Stmt, start: Atom, read: &mut Vec<Vec<Atom>>) -> Option<Stmt> {
        let may_fail = self.effects.fails_itself(self.program, &stmt);
        let (Op::Index(_, place) | Op::Update(_, place, _)) = stmt.op else { return None };
        if !may_fail || read.contains(&place) {
            return None;
        }
        read.push(place.clone());
        let ty = Type::scalar(self.program.type_of(start).elem);
        let unused = self.program.fresh("there", ty);
        Some(Stmt::new(vec![unused], Op::Index(start, place), stmt.span))
    }
}

/// Whether a statement computes a scalar, or reads or writes one, so that native code can do it for several iterations at
/// once.
fn is_scalar(stmt: &Stmt) -> bool {
    matches!(
        &stmt.op,
        Op::Prim(..)
            | Op::Copy(_)
            | Op::Select(..)
            | Op::MulZero(..)
            | Op::Index(..)
            | Op::Dim(..)
            | Op::Update(..)
    )
}
