//! Normalisation of reductions: a maximum or minimum begins with its identity instead of the first element.
//!
//! ```text
//! m = a[0]                                    b = for i < n with s = -inf {
//! k = int_sub(n, 1)                             e = a[i]
//! b = for i < k with s = m {                    t = max(s, e)
//!   j = int_add(i, 1)                    =>     yield t
//!   e = a[j]                                  }
//!   t = max(s, e)
//!   yield t
//! }
//! ```
//!
//! The loop has as many iterations then as others over the same array, and `fuse` can join them.
//!
//! Law: the value keeps its bits. It applies where `n` is the size of the array, which has a first element, since the
//! state begins with it; that read stays, and fails where it did. It runs on derived code only: an element may tie
//! with the identity, and the derivative of a tie is not that of the element alone.

use std::rc::Rc;

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::affine::Ints;
use pullback_analysis::loop_shape::{Fold, Reduction, Shape};
use pullback_analysis::sizes::Sizes;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "reduce_from_identity",
    phase: Phase::Simplify,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "finds largest and smallest elements from an infinity on",
    law: "loop m = a[0] for i < n - 1 { min(m, a[i + 1]) } = loop m = inf for i < n { min(m, a[i]) }, where a has n \
          elements",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    each_func(program, |program, func, body| {
        let (ints, sizes) = (analyses.ints(func, body), analyses.sizes(program, func, body));
        let mut ctx =
            ReduceFromIdentity { elements: FxHashMap::default(), ints, sizes, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct ReduceFromIdentity {
    /// Elements: the array and the place.
    elements: FxHashMap<VarId, (Atom, Vec<Atom>)>,
    ints: Rc<Ints>,
    sizes: Rc<Sizes>,
    changed: bool,
}

impl ReduceFromIdentity {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let Op::Loop(repeat) = &mut stmt.op
                && let Some(all) = self.over_all(repeat)
            {
                *repeat = all;
                self.changed = true;
            }
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            self.learn(stmt);
        }
    }

    /// Notes which element a statement reads.
    fn learn(&mut self, stmt: &Stmt) {
        if let (Op::Index(a, at), &[var]) = (&stmt.op, stmt.vars.as_slice()) {
            self.elements.insert(var, (*a, at.clone()));
        }
    }

    /// The loop over all elements, if the given one is over those after the first. There is a first element, since
    /// the state begins with it.
    fn over_all(&self, repeat: &Loop) -> Option<Loop> {
        let LoopForm::For { index, count, down: false } = repeat.form else { return None };
        let ([_], [Atom::Var(init)]) = (repeat.states.as_slice(), repeat.init.as_slice()) else {
            return None;
        };
        let [_, element, extreme] = repeat.body.stmts.as_slice() else { return None };
        let Reduction { fold, more, .. } = Shape::of(repeat, 0).reduction()?;
        let neutral = match fold {
            Fold::Min => f64::INFINITY,
            Fold::Max => f64::NEG_INFINITY,
            Fold::Add | Fold::Sub | Fold::IntAdd => return None,
        };
        let Op::Index(a, at) = &element.op else { return None };
        let (last, row) = at.split_last()?;
        let begins = self
            .elements
            .get(init)
            .is_some_and(|(b, first)| a == b && first.split_last() == Some((&Atom::Int(0), row)));
        let steps = self.ints.distance(*last, index.into()) == Some(1)
            && more == element.vars[0].into()
            && repeat.body.results == [extreme.vars[0].into()];
        if !begins || !steps {
            return None;
        }
        let (array, k) = (a.var()?, u8::try_from(row.len()).ok()?);
        let count = self.ints.beyond(count, 1).filter(|n| self.sizes.is_size(*n, array, k))?;
        let place = [row, &[index.into()]].concat();
        let element = Stmt::new(element.vars.clone(), Op::Index(*a, place), element.span);
        Some(Loop {
            form: LoopForm::For { index, count, down: false },
            states: repeat.states.clone(),
            init: vec![Atom::Real(neutral)],
            body: Block {
                stmts: vec![element, extreme.clone()],
                results: repeat.body.results.clone(),
            },
        })
    }
}
