//! Loop fission (loop distribution): a loop that writes an array becomes one that computes and one that writes.
//!
//! ```text
//! b = for i < n with a = m {            v = for i < n {
//!   x = a[i]                              x = m[i]
//!   y = sin(x)                            y = sin(x)
//!   c = a with [i] = y             =>     collect y
//!   yield c                             }
//! }                                     b = for j < n with a = m {
//!                                         e = v[j]
//!                                         c = a with [j] = e
//!                                         yield c
//!                                       }
//! ```
//!
//! The iterations that compute no longer wait for each other, so native code runs several in one vector; the second
//! loop only moves numbers.
//!
//! Law: every element keeps its bits, and so do failures: either what computes or the place where it writes cannot
//! fail. It applies where no iteration reads an element that an earlier one wrote. That is decided by affine indices,
//! as sums of variables, of which those of loops are at least 0 and less than the count. A read is apart from earlier
//! writes if one dimension shows it. In the dimension along which the loop writes, it is if it reads what the same
//! iteration or a later one writes, or what lies before the first of these. In any other dimension, the two indices
//! must never be equal.
//!
//! A loop that runs down keeps its other states. What it writes is computed in a loop beside it, where that does not
//! need them. Loops that are known to be short, and loops that compute nothing, are left alone.

use pullback_base::{Span, bug};
use pullback_ir::{
    Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename,
};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, slice};
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "distribute_loops",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "computes what a loop writes into an array before it is written",
    law: "m' = for j < n with a = m { s; b = a with [p, c + j] = x; yield b } = v = for j < n { s with m for a; collect x }; \
          m' = for j < n with a = m { b = a with [p, c + j] = v[j]; yield b }, if s reads nothing of a that an iteration \
          before has written, and s or the place does not fail",
    run,
};

/// The largest known count of a loop that is left alone.
const TINY: i64 = 16;
/// How many nested sums are followed, and how often an index is replaced by its bound.
const DEPTH: usize = 8;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects_in_place(program);
    each_func(program, |program, func, body| {
        let mut known = Known::default();
        known.block(body);
        let effects = effects.func(func);
        let mut ahead = Ahead { program, effects, known: &known, changed: false };
        ahead.block(body);
        ahead.changed
    })
}

/// What is known of the Ints of a function.
#[derive(Default)]
struct Known {
    sums: FxHashMap<VarId, (Prim, Vec<Atom>)>,
    /// The counts of loops by their indices.
    counts: FxHashMap<VarId, Atom>,
}

impl Known {
    fn block(&mut self, block: &Block) {
        block.visit(&mut |stmt| {
            if let Op::Prim(prim @ (Prim::IntAdd | Prim::IntSub), args) = &stmt.op {
                self.sums.insert(stmt.vars[0], (*prim, args.clone()));
            } else if let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, .. }) = &stmt.op
            {
                self.counts.insert(*index, *count);
            }
        });
    }

    /// An Int as an affine form over variables that are no sums themselves.
    fn sum(&self, atom: Atom) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add(self, atom, 1, DEPTH)?;
        Some(sum)
    }

    fn difference(&self, one: Atom, other: Atom) -> Option<Sum> {
        let mut sum = self.sum(one)?;
        sum.add(self, other, -1, DEPTH)?;
        Some(sum)
    }

    /// A lower bound of an affine form, over all iterations of all loops.
    fn least(&self, mut sum: Sum) -> Option<i64> {
        for _ in 0..DEPTH {
            let found =
                sum.terms.iter().find(|(var, times)| **times < 0 && self.counts.contains_key(var));
            let Some((var, times)) = found.map(|(var, times)| (*var, *times)) else { break };
            sum.terms.remove(&var);
            sum.add(self, self.counts[&var], times, DEPTH)?;
            sum.constant = sum.constant.checked_sub(times)?;
        }
        let is_fine = |(var, times): (&VarId, &i64)| *times >= 0 && self.counts.contains_key(var);
        sum.terms.iter().all(is_fine).then_some(sum.constant)
    }

    /// Whether two indices are different in all iterations.
    fn are_apart(&self, one: Atom, other: Atom) -> bool {
        let least = |one, other| self.difference(one, other).and_then(|sum| self.least(sum));
        least(one, other).is_some_and(|least| least > 0)
            || least(other, one).is_some_and(|least| least > 0)
    }
}

/// An affine form: multiples of variables, and a number.
#[derive(Clone, Default, PartialEq)]
struct Sum {
    terms: std::collections::BTreeMap<VarId, i64>,
    constant: i64,
}

impl Sum {
    fn add(&mut self, known: &Known, atom: Atom, times: i64, depth: usize) -> Option<()> {
        let var = match atom {
            Atom::Int(n) => {
                self.constant = self.constant.checked_add(n.checked_mul(times)?)?;
                return Some(());
            }
            Atom::Var(var) => var,
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => bug(PASS.name, "an index to be an Int"),
        };
        match known.sums.get(&var) {
            Some((prim, args)) if depth > 0 => {
                let second = if *prim == Prim::IntSub { times.checked_neg()? } else { times };
                self.add(known, args[0], times, depth - 1)?;
                self.add(known, args[1], second, depth - 1)
            }
            _ => {
                let all = self.terms.entry(var).or_default();
                *all = all.checked_add(times)?;
                if *all == 0 {
                    self.terms.remove(&var);
                }
                Some(())
            }
        }
    }
}

struct Ahead<'a> {
    program: &'a mut Program,
    effects: FuncEffects<'a>,
    known: &'a Known,
    changed: bool,
}

/// How a loop writes an element of an array in each iteration.
struct Writes {
    /// Which state the array is.
    state: usize,
    /// Which statement of the body writes.
    at: usize,
}

impl Ahead<'_> {
    /// For each statement of a block whether it is calm: it neither fails nor tells anything.
    fn block(&mut self, block: &mut Block) -> Vec<bool> {
        let mut calm = vec![];
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            let is_calm = self.effects.is_calm(self.program, &stmt);
            let mut inside = vec![];
            for inner in stmt.op.blocks_mut() {
                inside.extend(self.block(inner));
            }
            let split = match self.written(&stmt, &inside) {
                Some(writes) => self.split(stmt, &writes),
                None => vec![stmt],
            };
            let all_calm = is_calm && inside.iter().all(|calm| *calm);
            calm.extend(split.iter().map(|_| all_calm));
            stmts.extend(split);
        }
        block.stmts = stmts;
        calm
    }

    /// How a loop writes an array, if it may as well write it after all iterations have computed.
    fn written(&self, stmt: &Stmt, calm: &[bool]) -> Option<Writes> {
        let Op::Loop(Loop { form, states, body, .. }) = &stmt.op else { return None };
        let LoopForm::For { index, count, down } = *form else { return None };
        if down && body.results.len() > states.len() {
            return None;
        }
        if matches!(count, Atom::Int(n) if n <= TINY) || !body.stmts.iter().all(is_plain) {
            return None;
        }
        let mut inside = body.bound();
        inside.extend(states.iter().copied().chain([index]));
        (0..states.len()).find_map(|state| {
            let array = states[state];
            let ty = self.program.vars[array].ty;
            let written = body.results[state].var()?;
            let at = body.stmts.iter().position(|stmt| stmt.vars.contains(&written))?;
            let Op::Update(Atom::Var(of), place, value) = &body.stmts[at].op else { return None };
            let is_it = *of == array
                && ty.is_array()
                && place.len() == usize::from(ty.rank)
                && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool)
                && body.mentions(written) == 1;
            let others = calm.iter().enumerate().filter(|(other, _)| *other != at);
            if !is_it || !calm[at] && !others.into_iter().all(|(_, calm)| *calm) {
                return None;
            }
            let dimension = self.moving(place, index, &inside)?;
            let looks = Looks { known: self.known, array, place, dimension, index, down };
            // A loop that runs down keeps its other states, so what it writes must not need them.
            let is_apart = !down || {
                let (_, needed) = slice(body.stmts.iter(), *value);
                !states.iter().any(|state| *state != array && needed.contains(state))
            };
            (is_apart && looks.are_apart(body) && is_work(self.program, body, array))
                .then_some(Writes { state, at })
        })
    }

    /// The dimension in which a place grows by one with each iteration, if it stays the same in all others.
    fn moving(&self, place: &[Atom], index: VarId, inside: &FxHashSet<VarId>) -> Option<usize> {
        let mut moving = None;
        for (dimension, atom) in place.iter().enumerate() {
            let sum = self.known.sum(*atom)?;
            let mut changing = sum.terms.iter().filter(|(var, _)| inside.contains(var));
            match (changing.next(), changing.next()) {
                (None, _) => {}
                (Some((var, 1)), None) if *var == index && moving.is_none() => {
                    moving = Some(dimension);
                }
                _ => return None,
            }
        }
        moving
    }

    /// The loop that computes, and the one that writes.
    fn split(&mut self, stmt: Stmt, writes: &Writes) -> Vec<Stmt> {
        let Stmt { mut vars, op: Op::Loop(mut repeat), span, .. } = stmt else {
            bug(PASS.name, "a loop that writes")
        };
        let LoopForm::For { index, count, down } = repeat.form else {
            bug(PASS.name, "a loop that counts")
        };
        self.changed = true;
        let written = vars.remove(writes.state);
        let array = repeat.states.remove(writes.state);
        let start = repeat.init.remove(writes.state);
        repeat.body.results.remove(writes.state);
        let Op::Update(_, place, value) = repeat.body.stmts.remove(writes.at).op else {
            bug(PASS.name, "an update")
        };
        // A loop that collects has a count that is not negative.
        let times = self.program.fresh("count", Type::INT);
        let no_less = Op::Prim(Prim::IntMax, vec![count, Atom::Int(0)]);
        let mut stmts = vec![Stmt::new(vec![times], no_less, span)];

        let [own, next] = [(); 2].map(|()| self.program.fresh_like(array));
        let j = self.program.fresh_like(index);
        let inside = repeat.body.bound();
        let mut body = Block { stmts: vec![], results: vec![Atom::Var(next)] };
        let place = place.iter();
        let place = place.map(|atom| self.again(*atom, (index, j, span), &inside, &mut body.stmts));
        let place = place.collect();
        let ty = self.program.vars[array].ty;
        let element = self.program.fresh("element", Type::scalar(ty.elem));
        let elements = self.program.fresh("ahead", Type::scalar(ty.elem).array());
        let read = Op::Index(Atom::Var(elements), vec![Atom::Var(j)]);
        body.stmts.push(Stmt::new(vec![element], read, span));
        let update = Op::Update(Atom::Var(own), place, Atom::Var(element));
        body.stmts.push(Stmt::new(vec![next], update, span));

        repeat.form = LoopForm::For { index, count: Atom::Var(times), down };
        repeat.body.substitute(&[(array, start)].into_iter().collect());
        if down {
            let (needed, _) = slice(repeat.body.stmts.iter(), value);
            let needed = needed.into_iter().cloned().collect();
            let apart = Block { stmts: needed, results: vec![value] };
            let index_apart = self.program.fresh_like(index);
            let mut names = [(index, Atom::Var(index_apart))].into_iter().collect();
            let body = rename(self.program, &apart, &mut names);
            if !vars.is_empty() {
                stmts.push(Stmt::new(vars, Op::Loop(repeat), span));
            }
            let form = LoopForm::For { index: index_apart, count: Atom::Var(times), down: false };
            let collect = Loop { form, states: vec![], init: vec![], body };
            stmts.push(Stmt::new(vec![elements], Op::Loop(collect), span));
        } else {
            repeat.body.results.push(value);
            vars.push(elements);
            stmts.push(Stmt::new(vars, Op::Loop(repeat), span));
        }
        let form = LoopForm::For { index: j, count: Atom::Var(times), down: false };
        let repeat = Loop { form, states: vec![own], init: vec![start], body };
        stmts.push(Stmt::new(vec![written], Op::Loop(repeat), span));
        stmts
    }

    /// An index of the old loop, computed again from the index `j` of the loop that writes.
    fn again(
        &mut self,
        atom: Atom,
        (index, j, span): (VarId, VarId, Span),
        inside: &FxHashSet<VarId>,
        stmts: &mut Vec<Stmt>,
    ) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if var == index {
            return Atom::Var(j);
        }
        if !inside.contains(&var) {
            return atom;
        }
        let Some((prim, args)) = self.known.sums.get(&var) else {
            bug(PASS.name, "how an index is computed")
        };
        let args = args.iter();
        let args = args.map(|atom| self.again(*atom, (index, j, span), inside, stmts)).collect();
        let own = self.program.fresh_like(var);
        stmts.push(Stmt::new(vec![own], Op::Prim(*prim, args), span));
        Atom::Var(own)
    }
}

/// Whether a statement has nothing in it that native code could not do for several iterations at once.
fn is_plain(stmt: &Stmt) -> bool {
    let is_fine = matches!(
        &stmt.op,
        Op::Prim(..)
            | Op::Copy(_)
            | Op::Select(..)
            | Op::MulZero(..)
            | Op::If(..)
            | Op::Index(..)
            | Op::Dim(..)
            | Op::Update(..)
            | Op::Loop(Loop { form: LoopForm::For { .. }, .. })
    );
    is_fine && stmt.op.blocks().into_iter().all(|block| block.stmts.iter().all(is_plain))
}

/// Whether a block computes anything, or moves elements of an array within it.
fn is_work(program: &Program, block: &Block, array: VarId) -> bool {
    let mut is_work = false;
    block.visit(&mut |stmt| {
        let is_int = |var: &VarId| program.vars[*var].ty == Type::INT;
        is_work |= if let Op::Index(Atom::Var(of), _) = &stmt.op {
            *of == array
        } else if let Op::Prim(..) = &stmt.op {
            !stmt.vars.iter().all(is_int)
        } else {
            !stmt.op.blocks().is_empty()
        };
    });
    is_work
}

/// The reads, in a loop's body, of the array that it writes.
struct Looks<'l> {
    known: &'l Known,
    array: VarId,
    /// Where the loop writes, and the dimension in which that place grows with the index.
    place: &'l [Atom],
    dimension: usize,
    index: VarId,
    down: bool,
}

impl Looks<'_> {
    /// Whether no read is at a place that an earlier iteration has written.
    fn are_apart(&self, body: &Block) -> bool {
        let (mut count, mut is_fine) = (0, true);
        body.visit(&mut |stmt| {
            if let Op::Index(Atom::Var(of), at) = &stmt.op
                && *of == self.array
            {
                count += 1;
                let is_unused = stmt.vars.iter().all(|var| body.mentions(*var) == 0);
                is_fine &= is_unused || self.is_apart(at);
            } else if let Op::Dim(Atom::Var(of), _) | Op::Update(Atom::Var(of), ..) = &stmt.op {
                count += usize::from(*of == self.array);
            }
        });
        // These are all mentions of the array.
        is_fine && count == body.mentions(self.array)
    }

    fn is_apart(&self, at: &[Atom]) -> bool {
        let pairs = at.iter().zip(self.place).enumerate();
        pairs.into_iter().any(|(dimension, (look, write))| {
            if dimension != self.dimension {
                return self.known.are_apart(*look, *write);
            }
            if self.down {
                let ahead = self.known.difference(*write, *look);
                return ahead.and_then(|sum| self.known.least(sum)).is_some_and(|least| least >= 0);
            }
            let ahead = self.known.difference(*look, *write);
            let behind = self.known.difference(*write, *look).map(|mut first| {
                // Where the first iteration writes.
                let times = first.terms.entry(self.index).or_default();
                *times -= 1;
                first.terms.retain(|_, times| *times != 0);
                first
            });
            let least = |sum: Option<Sum>| sum.and_then(|sum| self.known.least(sum));
            least(ahead).is_some_and(|least| least >= 0)
                || least(behind).is_some_and(|least| least > 0)
        })
    }
}
