//! Scalarisation of array additions: an array that is used once, to be added, is added element by element.
//!
//! ```text
//! c = for i < n { … collect y }            c = for i < n { … collect y }
//! acc += c                           =>    for j < n {
//!                                            z = c[j]
//!                                            acc[j] += z
//!                                          }
//! ```
//!
//! The new loop has the count of the loop that collects the array, so that `fuse` joins the two, and the array is
//! never made. The same is done for `plus` of two arrays.
//!
//! Law: every sum keeps its bits, since each element is added at the same moment in the order of additions to it. It
//! applies to an array that a loop in scope collects, of which the count is therefore the size.

use std::rc::Rc;

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::sizes::Sizes;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "elementwise_adds",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "adds an array that is used once element by element",
    law: "a += x = for i < n { a[i] += x[i] }, x + y = [x[i] + y[i] | i < n], if x has n elements",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    each_func(program, |program, func, body| {
        let (uses, sizes) = (body.uses(), analyses.sizes(program, func, body));
        let mut ctx = ElementwiseAdds { program, uses, sizes, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct ElementwiseAdds<'p> {
    program: &'p mut Program,
    /// How often each variable is used.
    uses: FxHashMap<VarId, usize>,
    sizes: Rc<Sizes>,
    changed: bool,
}

impl ElementwiseAdds<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            self.stmt(stmt);
        }
    }

    /// The number of elements of an array, if a loop collects it and it is used only once.
    fn count(&self, atom: Atom) -> Option<Atom> {
        let var = atom.var()?;
        self.sizes.collected(var).filter(|_| self.uses.get(&var) == Some(&1))
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let span = stmt.span;
        if let Op::AddAcc(acc, at, value) = &stmt.op
            && let Some(count) = self.count(*value)
        {
            let (index, element, first) = self.element(*value, stmt);
            let at = [&at[..], &[index.into()]].concat();
            let add = Op::AddAcc(*acc, at, element);
            let body = Block { stmts: vec![first, Stmt::new(vec![], add, span)], results: vec![] };
            stmt.op = repeat(index, count, body);
            self.changed = true;
        } else if let Op::Plus(a, b) = stmt.op
            && self.program.type_of(a).rank == 1
            && let Some(count) = self.count(a).or_else(|| self.count(b))
        {
            let (index, one, first) = self.element(a, stmt);
            let ty = self.program.type_of(one);
            let [other, sum] = [(); 2].map(|()| self.program.fresh("bar", ty));
            let second = Stmt::new(vec![other], Op::Index(b, vec![index.into()]), span);
            let add = Stmt::new(vec![sum], Op::Plus(one, other.into()), span);
            let body = Block { stmts: vec![first, second, add], results: vec![sum.into()] };
            stmt.op = repeat(index, count, body);
            self.changed = true;
        }
    }

    /// An index, an element of an array there, and the statement that reads it.
    fn element(&mut self, array: Atom, stmt: &Stmt) -> (VarId, Atom, Stmt) {
        let index = self.program.fresh("i", pullback_ir::Type::INT);
        let ty = self.program.type_of(array);
        let element = self.program.fresh("bar", ty.with_rank(ty.rank - 1));
        let read = Stmt::new(vec![element], Op::Index(array, vec![index.into()]), stmt.span);
        (index, element.into(), read)
    }
}

fn repeat(index: VarId, count: Atom, body: Block) -> Op {
    let form = LoopForm::For { index, count, down: false };
    Op::Loop(Loop { form, states: vec![], init: vec![], body })
}
