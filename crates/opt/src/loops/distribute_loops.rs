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
//! fail. It applies where no iteration reads an element that an earlier one wrote
//! ([`pullback_analysis::dependence`]).
//!
//! A loop that runs down keeps its other states. What it writes is computed in a loop beside it, where that does not
//! need them. Loops that are known to be short, and loops that compute nothing, are left alone.

use pullback_base::{Span, bug};
use pullback_ir::{
    Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename,
};
use pullback_prim::Prim;

use crate::pass::{Pass, Phase, Scope, each_func, slice};
use pullback_analysis::affine::{Inside, Ints, Moving};
use pullback_analysis::dependence::Written;
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::loop_shape::Shape;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "distribute_loops",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "computes what a loop writes into an array before it is written",
    law: "m' = for j < n with a = m { s; b = a with [p, c + j] = x; yield b } = v = for j < n { s with m for a; collect x }; \
          m' = for j < n with a = m { b = a with [p, c + j] = v[j]; yield b }, if s reads nothing of a that an iteration \
          before has written, and s or the place does not fail",
    run,
};

/// The largest known count of a loop that is left alone.
const TINY: i64 = 16;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects_in_place(program);
    each_func(program, |program, func, body| {
        let ints = analyses.ints(func, body);
        let effects = effects.func(func);
        let mut ctx = DistributeLoops { program, effects, ints: &ints, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct DistributeLoops<'a> {
    program: &'a mut Program,
    effects: FuncEffects<'a>,
    ints: &'a Ints,
    changed: bool,
}

/// How a loop writes an element of an array in each iteration.
struct Writes {
    /// Which state the array is.
    state: usize,
    /// Which statement of the body writes.
    at: usize,
}

impl DistributeLoops<'_> {
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
        let Op::Loop(looped @ Loop { form, states, body, .. }) = &stmt.op else { return None };
        let LoopForm::For { index, count, down } = *form else { return None };
        if down && body.results.len() > states.len() {
            return None;
        }
        if matches!(count, Atom::Int(n) if n <= TINY) || !body.stmts.iter().all(is_plain) {
            return None;
        }
        let inside = Inside::of(looped);
        let is_given = |var: VarId| var == index || !inside.has(var);
        (0..states.len()).find_map(|state| {
            let (array, written) = (states[state], Shape::of(looped, state).written()?);
            let (at, ty) = (written.at, self.program.vars[array].ty);
            let mut place = written.place.iter();
            let is_it = ty.is_array()
                && place.len() == usize::from(ty.rank)
                && place.all(|atom| self.ints.follows_from(*atom, is_given))
                && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool);
            let others = calm.iter().enumerate().filter(|(other, _)| *other != at);
            if !is_it || !calm[at] && !others.into_iter().all(|(_, calm)| *calm) {
                return None;
            }
            let Moving { dimension, .. } = Moving::of(self.ints, written.place, index, &inside)?;
            // A loop that runs down keeps its other states, so what it writes must not need them.
            let is_apart = !down || {
                let (_, needed) = slice(body.stmts.iter(), written.value);
                !states.iter().any(|state| *state != array && needed.contains(state))
            };
            let written = Written { array, place: written.place, dimension, index, down };
            (is_apart
                && written.is_read_ahead(self.ints, body)
                && is_work(self.program, body, array))
            .then_some(Writes { state, at })
        })
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
        let inside = &repeat.body;
        let mut body = Block { stmts: vec![], results: vec![Atom::Var(next)] };
        let place = place.iter();
        let place = place.map(|atom| self.again(*atom, (index, j, span), inside, &mut body.stmts));
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
        inside: &Block,
        stmts: &mut Vec<Stmt>,
    ) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if var == index {
            return Atom::Var(j);
        }
        let Some(sum) = inside.stmts.iter().find(|stmt| stmt.vars == [var]) else { return atom };
        let mut op = sum.op.clone();
        op.for_each_atom_mut(&mut |atom| {
            *atom = self.again(*atom, (index, j, span), inside, stmts);
        });
        let own = self.program.fresh_like(var);
        stmts.push(Stmt::new(vec![own], op, span));
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
