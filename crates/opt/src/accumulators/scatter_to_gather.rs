//! Scatter to gather: what a loop adds to neighbours of its index is collected, and the reader adds up neighbours.
//!
//! ```text
//! for i < n {                       c = for i < n {
//!   x = v[i]                          x = v[i]
//!   p = int_eq(i, 0)                  p = int_eq(i, 0)
//!   if p { } else {                   y = if p { yield 0.0 } else { yield x }
//!     j = int_sub(i, 1)        =>     collect y
//!     acc[j] += x                   }
//!   }                               r = for j < n {
//! }                                   q = int_eq(j, last)
//! r = read_acc(acc)                   z = if q { yield 0.0 } else { … c[j + 1] … }
//!                                     collect z
//!                                   }
//! ```
//!
//! The transpose of reading neighbours is so again a reading of neighbours, and no iteration writes where another
//! does: the adjoint of a stencil is a stencil (Hückelheim and others, 2019).
//!
//! Law: each element keeps its bits: terms are added in the order of the iterations that gave them. It applies where
//! the accumulator begins with as many zeros as the loop has iterations, the loop runs upwards, and each iteration
//! adds once to each of its places, all surely inside and at most four away from the index. An accumulator to which
//! others have added before keeps that, with what is added at the index itself.

use std::rc::Rc;

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::affine::Ints;
use pullback_analysis::sizes::Sizes;
use pullback_analysis::zeros::{Extent, Zeros};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "scatter_to_gather",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "reads at neighbours what would be added to them",
    law: "a = new_acc(0); for i < n { if i != 0 { a[i - 1] += v } }; y = read_acc(a) = b = [if i != 0 { v } else { 0 } | \
          i < n]; y = [if j == n - 1 { 0 } else { b[j + 1] } | j < n], and one element after the other for several places",
    run,
};

/// Whether a statement makes an accumulator a part of another one.
fn splits(stmt: &Stmt) -> bool {
    matches!(stmt.op, Op::AtAcc(..) | Op::PartAcc(..))
}

/// How far away from the index a loop may add.
const FARTHEST: i64 = 4;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (facts, effects) = (analyses.facts(program), analyses.effects(program));
    each_func(program, |program, func, body| {
        let effects = effects.func(func);
        let mut ctx = ScatterToGather {
            counted: &facts.func(func).counted,
            sure: FxHashSet::default(),
            ints: analyses.ints(func, body),
            zeros: analyses.zeros(func, body),
            sizes: analyses.sizes(program, func, body),
            program,
        };
        body.visit(&mut |stmt| {
            ctx.learn(stmt, !effects.fails_itself(ctx.program, stmt));
        });
        ctx.block(body)
    })
}

struct ScatterToGather<'p> {
    program: &'p mut Program,
    /// The indices of loops whose counts are not negative.
    counted: &'p FxHashSet<VarId>,
    /// The accumulators and places at which adding something does not fail.
    sure: FxHashSet<(VarId, VarId)>,
    ints: Rc<Ints>,
    /// The arrays that consist of zeros, with their lengths.
    zeros: Rc<Zeros>,
    sizes: Rc<Sizes>,
}

/// An accumulator of a block, and the loop that adds to it last.
struct Life {
    acc: VarId,
    repeat: usize,
    end: usize,
    /// Whether something adds to it before: then what the loop adds at its own index stays with that.
    is_begun: bool,
    /// The distances from the index at which it adds. Those that are added first to an element come first.
    places: Vec<i64>,
}

impl ScatterToGather<'_> {
    fn learn(&mut self, stmt: &Stmt, is_sure: bool) {
        if let (Op::AddAcc(Atom::Var(acc), at, _), true) = (&stmt.op, is_sure)
            && let [Atom::Var(at)] = at.as_slice()
        {
            self.sure.insert((*acc, *at));
        }
    }

    fn block(&mut self, block: &mut Block) -> bool {
        let mut changed = false;
        while let Some(life) = self.life(block) {
            self.gather(block, &life);
            changed = true;
        }
        for stmt in &mut block.stmts {
            for inner in stmt.op.blocks_mut() {
                changed |= self.block(inner);
            }
        }
        changed
    }

    /// The first accumulator of a block to which a loop adds last, at places around its index.
    fn life(&self, block: &Block) -> Option<Life> {
        block.stmts.iter().enumerate().find_map(|(begin, stmt)| {
            let (Op::NewAcc(Atom::Var(init)), [acc]) = (&stmt.op, stmt.vars.as_slice()) else {
                return None;
            };
            if self.program.vars[*acc].ty.value() != Type::REAL.array() {
                return None;
            }
            let uses = |stmt: &Stmt| {
                let mut uses = false;
                stmt.op.for_each_atom(&mut |atom| uses |= atom.var() == Some(*acc));
                for inner in stmt.op.blocks() {
                    inner.visit_atoms(&mut |atom| uses |= atom.var() == Some(*acc));
                }
                uses
            };
            let after = (begin + 1..block.stmts.len()).filter(|at| uses(&block.stmts[*at]));
            let after: Vec<usize> = after.collect();
            let [before @ .., repeat, end] = after.as_slice() else { return None };
            let Op::ReadAcc(_) = block.stmts[*end].op else { return None };
            let mut places = self.places(&block.stmts[*repeat], *acc, *init)?;
            let is_begun = !before.is_empty();
            if is_begun {
                // Terms that come after those at the index itself can wait for the reader.
                places.retain(|place| *place != 0);
                if places.iter().any(|place| *place > 0)
                    || before.iter().any(|at| splits(&block.stmts[*at]))
                {
                    return None;
                }
            }
            Some(Life { acc: *acc, repeat: *repeat, end: *end, is_begun, places })
        })
    }

    /// The places around its index at which a loop adds to an accumulator that begins with as many zeros as the loop
    /// has iterations, each place once in an iteration.
    fn places(&self, stmt: &Stmt, acc: VarId, init: VarId) -> Option<Vec<i64>> {
        let Op::Loop(Loop { form: LoopForm::For { index, count, down: false }, body, .. }) =
            &stmt.op
        else {
            return None;
        };
        let is_as_long = match self.zeros.extent(init.into())? {
            Extent::Count(zeros) => zeros == *count,
            Extent::Like(like) => {
                like.var().is_some_and(|like| self.sizes.is_size(*count, like, 0))
            }
            Extent::Unknown => false,
        };
        let mut places = vec![];
        if !is_as_long
            || !self.counted.contains(index)
            || !self.look(body, acc, *index, &mut places)
        {
            return None;
        }
        // An element gets its first term from the earliest iteration, which is the one of the largest distance.
        places.sort_unstable_by_key(|place| std::cmp::Reverse(*place));
        let is_once = places.windows(2).all(|pair| pair[0] != pair[1]);
        let is_shifted = places.iter().any(|place| *place != 0);
        (is_once && is_shifted).then_some(places)
    }

    /// Whether a block adds to an accumulator at places around an index, which are noted, and does nothing else with it.
    fn look(&self, block: &Block, acc: VarId, index: VarId, places: &mut Vec<i64>) -> bool {
        !block.results.contains(&acc.into())
            && block.stmts.iter().all(|stmt| {
                if let Op::AddAcc(Atom::Var(to), at, value) = &stmt.op
                    && *to == acc
                {
                    let &[Atom::Var(at)] = at.as_slice() else { return false };
                    let place = self.ints.distance(at.into(), index.into());
                    places.extend(place);
                    let is_near = place.is_some_and(|place| place.abs() <= FARTHEST);
                    return is_near && self.sure.contains(&(acc, at)) && *value != Atom::Var(acc);
                }
                let mut mentions = false;
                stmt.op.for_each_atom(&mut |atom| mentions |= atom.var() == Some(acc));
                if let Op::Loop(_) = stmt.op {
                    for inner in stmt.op.blocks() {
                        inner.visit_atoms(&mut |atom| mentions |= atom.var() == Some(acc));
                    }
                }
                !mentions && self.look_inside(stmt, acc, index, places)
            })
    }

    /// Looks at the sides of a branch, of which one is taken: each may add at the same places.
    fn look_inside(&self, stmt: &Stmt, acc: VarId, index: VarId, places: &mut Vec<i64>) -> bool {
        let mut either = vec![];
        for inner in stmt.op.blocks() {
            let mut own = vec![];
            if !self.look(inner, acc, index, &mut own) {
                return false;
            }
            own.retain(|place| !either.contains(place));
            either.append(&mut own);
        }
        places.append(&mut either);
        true
    }

    /// Lets the loop collect what it adds at each place, and the reader add that up.
    fn gather(&mut self, block: &mut Block, life: &Life) {
        let repeat = &mut block.stmts[life.repeat];
        let span = repeat.span;
        let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, body, .. }) = &mut repeat.op
        else {
            pullback_base::bug("scatter_to_gather", "a loop with an index")
        };
        let (index, count) = (*index, *count);
        let (mut stmts, mut reads, mut added, mut accs) = (vec![], vec![], vec![], vec![]);
        for place in &life.places {
            let acc = self.program.fresh("acc", Type::REAL.acc());
            let value = self.program.fresh("bar", Type::REAL);
            stmts.push(Stmt::new(vec![acc], Op::NewAcc(Atom::Real(0.0)), span));
            reads.push(Stmt::new(vec![value], Op::ReadAcc(acc.into()), span));
            body.results.push(value.into());
            let array = self.program.fresh("bar", Type::REAL.array());
            repeat.vars.push(array);
            added.push((*place, array));
            accs.push((*place, acc));
        }
        body.visit_mut(&mut |stmt| {
            if let Op::AddAcc(to, at, _) = &mut stmt.op
                && *to == Atom::Var(life.acc)
                && let Some(place) = self.ints.distance(at[0], index.into())
            {
                // The accumulator keeps what is added at the index itself if it stays.
                if let Some((_, acc)) = accs.iter().find(|(known, _)| *known == place) {
                    *to = (*acc).into();
                    at.clear();
                }
            }
        });
        stmts.append(&mut body.stmts);
        stmts.append(&mut reads);
        body.stmts = stmts;
        let var = block.stmts[life.end].vars[0];
        let mut instead = vec![];
        if life.is_begun {
            let begun = self.program.fresh_like(var);
            let read = block.stmts[life.end].op.clone();
            instead.push(Stmt::new(vec![begun], read, span));
            added.insert(0, (0, begun));
        } else {
            block.stmts.retain(|stmt| !matches!(stmt.op, Op::NewAcc(_)) || stmt.vars != [life.acc]);
        }
        let end = if life.is_begun { life.end } else { life.end - 1 };
        instead.extend(self.sum(var, count, &added, span));
        block.stmts.splice(end..=end, instead);
    }

    /// The array of the sums of what has been added at each place.
    fn sum(&mut self, var: VarId, count: Atom, added: &[(i64, VarId)], span: Span) -> Vec<Stmt> {
        let mut before = vec![];
        let index = self.program.fresh("i", Type::INT);
        let mut body = Block::default();
        let mut sum = Atom::Real(0.0);
        for (place, array) in added {
            let term = self.neighbour(index, count, (*place, *array), &mut before, &mut body, span);
            if sum == Atom::Real(0.0) {
                sum = term.into();
                continue;
            }
            let next = self.program.fresh("bar", Type::REAL);
            let add = Op::Prim(Prim::Add, vec![sum, term.into()]);
            body.stmts.push(Stmt::new(vec![next], add, span));
            sum = next.into();
        }
        body.results.push(sum);
        let form = LoopForm::For { index, count, down: false };
        let repeat = Loop { form, states: vec![], init: vec![], body };
        before.push(Stmt::new(vec![var], Op::Loop(repeat), span));
        before
    }

    /// What the iteration `place` places before this one has added, or 0 if there is none.
    fn neighbour(
        &mut self,
        index: VarId,
        count: Atom,
        (place, array): (i64, VarId),
        before: &mut Vec<Stmt>,
        body: &mut Block,
        span: Span,
    ) -> VarId {
        let value = self.program.fresh("bar", Type::REAL);
        if place == 0 {
            body.stmts.push(Stmt::new(
                vec![value],
                Op::Index(array.into(), vec![index.into()]),
                span,
            ));
            return value;
        }
        // Where there is none: below `place`, or from the count less as many on.
        let is_none = self.program.fresh("t", Type::BOOL);
        let test = match place {
            1 => Op::Prim(Prim::IntEq, vec![index.into(), Atom::Int(0)]),
            2.. => Op::Prim(Prim::IntLt, vec![index.into(), Atom::Int(place)]),
            _ => {
                let end = self.program.fresh("t", Type::INT);
                let less = Op::Prim(Prim::IntSub, vec![count, Atom::Int(-place)]);
                before.push(Stmt::new(vec![end], less, span));
                let prim = if place == -1 { Prim::IntEq } else { Prim::IntGe };
                Op::Prim(prim, vec![index.into(), end.into()])
            }
        };
        let at = self.program.fresh("t", Type::INT);
        let element = self.program.fresh("element", Type::REAL);
        let neighbour = if place > 0 {
            Op::Prim(Prim::IntSub, vec![index.into(), Atom::Int(place)])
        } else {
            Op::Prim(Prim::IntAdd, vec![index.into(), Atom::Int(-place)])
        };
        let there = Block {
            stmts: vec![
                Stmt::new(vec![at], neighbour, span),
                Stmt::new(vec![element], Op::Index(array.into(), vec![at.into()]), span),
            ],
            results: vec![element.into()],
        };
        let absent = Block { stmts: vec![], results: vec![Atom::Real(0.0)] };
        body.stmts.push(Stmt::new(vec![is_none], test, span));
        body.stmts.push(Stmt::new(vec![value], Op::If(is_none.into(), absent, there), span));
        value
    }
}
