//! Forwarding of elements (delayed arrays; Keller and others, 2010): an element of a view is read from what it views.
//!
//! ```text
//! t = for j < m {                     x = a[i, k]
//!   r = for i < n {
//!     e = a[i, j]             =>
//!     collect e
//!   }
//!   collect r
//! }
//! x = t[k, i]
//! ```
//!
//! A view only arranges what is there anyway: a constant, its index, elements of other arrays. So broadcasts,
//! transposes and rows in another order are not built, once `dce` has seen that nobody reads them.
//!
//! Law: the value keeps its bits. The index must be proved to be inside, since a read of the source does not fail
//! where a read of the view would. At most two elements and four operations on Ints are done again for one read;
//! arrays that compute Reals from Reals are left alone, and so are those whose elements need a state of their loop.

use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId, rename};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::cost::{Again, again};
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "forward_elements",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "reads elements of arrays that only arrange others from those",
    law: "x = [a[j] | i < n]; x[k] = a[j] with k for i, if k is inside",
    run,
};

/// The most elements that are read for one, and the most operations on Ints: more would cost as much as the array that
/// is not built.
const LOADS: u64 = 2;
const INTS: u64 = 4;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects(program);
    each_func(program, |program, func, body| {
        let (effects, makers) = (effects.func(func), FxHashMap::default());
        let mut elements = Elements { program, effects, makers, changed: false };
        elements.block(body);
        elements.changed
    })
}

/// How an element of an array is computed: statements over an index, and their result. If there is an `inner` maker,
/// the result is itself an array, and `inner` computes its elements with the help of these statements.
#[derive(Clone)]
struct Maker {
    index: VarId,
    element: Block,
    inner: Option<Box<Maker>>,
    /// Whether absent rows have sizes that the maker does not compute: then it stands for elements only, not for
    /// rows.
    is_sized: bool,
}

struct Elements<'p> {
    program: &'p mut Program,
    effects: FuncEffects<'p>,
    makers: FxHashMap<VarId, Maker>,
    changed: bool,
}

impl Elements<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Op::Loop(form) = &stmt.op {
                self.learn(&stmt, form);
            } else if let Op::Sized(Atom::Var(a), ..) = &stmt.op
                && let Some(maker) = self.makers.get(a)
            {
                self.makers.insert(stmt.vars[0], Maker { is_sized: true, ..maker.clone() });
            }
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            if let Op::Index(Atom::Var(a), at) = &stmt.op
                && !self.effects.fails_itself(self.program, &stmt)
                && let Some(maker) = self.makers.get(a)
                && (!maker.is_sized || at.len() == usize::from(self.program.vars[*a].ty.rank))
                && let Some(op) = self.element(&maker.clone(), &at.clone(), &mut stmts)
            {
                stmt.op = op;
                self.changed = true;
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// The operation that gives the element at some indices; `out` gets the statements that it needs.
    fn element(&mut self, maker: &Maker, at: &[Atom], out: &mut Vec<Stmt>) -> Option<Op> {
        let (mut maker, mut at) = (maker, at);
        let mut atoms = FxHashMap::default();
        let mut stmts = vec![];
        loop {
            let (first, rest) = at.split_first()?;
            atoms.insert(maker.index, *first);
            stmts.extend(maker.element.stmts.iter().cloned());
            at = rest;
            match &maker.inner {
                Some(inner) => maker = inner,
                None => break,
            }
        }
        let element = Block { stmts, results: maker.element.results.clone() };
        let mut element = rename(self.program, &element, &mut atoms);
        out.append(&mut element.stmts);
        let element = element.results[0];
        Some(if at.is_empty() { Op::Copy(element) } else { Op::Index(element, at.to_vec()) })
    }

    /// Learns how the elements of the arrays of a loop come about, if that is cheap.
    fn learn(&mut self, stmt: &Stmt, form: &Loop) {
        for (at, var) in stmt.vars.iter().enumerate().skip(form.states.len()) {
            let mut cost = Again::default();
            if let Some(maker) = self.maker(form, at, &mut cost) {
                self.makers.insert(*var, maker);
            }
        }
    }

    /// How the elements come about that a loop collects as this result of its body.
    fn maker(&self, form: &Loop, at: usize, cost: &mut Again) -> Option<Maker> {
        let LoopForm::For { index, .. } = form.form else { return None };
        let (mut result, mut is_sized) = (form.body.results[at], false);
        let place = |result: Atom| {
            let is_made = |stmt: &Stmt| result.var().is_some_and(|var| stmt.vars.contains(&var));
            form.body.stmts.iter().position(is_made)
        };
        let mut row = place(result);
        while let Some(at) = row
            && let Op::Sized(array, ..) = form.body.stmts[at].op
        {
            (result, row, is_sized) = (array, place(array), true);
        }
        let mut needed: FxHashSet<VarId> = result.var().into_iter().collect();
        let mut inner = None;
        if let Some(place) = row
            && let Op::Loop(row) = &form.body.stmts[place].op
        {
            let nth =
                form.body.stmts[place].vars.iter().position(|var| Atom::Var(*var) == result)?;
            if nth < row.states.len() {
                return None;
            }
            let maker = self.maker(row, nth, cost)?;
            needed = maker.free().into_iter().collect();
            is_sized |= maker.is_sized;
            inner = Some(Box::new(maker));
        }
        let stmts = self.slice(&form.body, needed, cost)?;
        let maker =
            Maker { index, element: Block { stmts, results: vec![result] }, inner, is_sized };
        // The value of a state in that iteration is not at hand.
        let is_of_states = maker.free().iter().any(|var| form.states.contains(var));
        (!is_of_states).then_some(maker)
    }

    /// The statements of a body that compute some variables, if they are cheap and cannot fail.
    fn slice(
        &self,
        body: &Block,
        mut needed: FxHashSet<VarId>,
        cost: &mut Again,
    ) -> Option<Vec<Stmt>> {
        let mut stmts = vec![];
        for stmt in body.stmts.iter().rev() {
            if !stmt.vars.iter().any(|var| needed.contains(var)) {
                continue;
            }
            if self.effects.fails_itself(self.program, stmt) {
                return None;
            }
            let [var] = stmt.vars[..] else { return None };
            *cost += again(&stmt.op, self.program.vars[var].ty)?;
            stmt.op.for_each_atom(&mut |atom| needed.extend(atom.var()));
            stmts.push(stmt.clone());
        }
        stmts.reverse();
        (cost.loads <= LOADS && cost.ints <= INTS && cost.reals == 0).then_some(stmts)
    }
}

impl Maker {
    /// The variables that it needs from around the loop.
    fn free(&self) -> Vec<VarId> {
        let mut free = self.element.free();
        // The result of this maker is an array that is not made.
        if let Some(inner) = &self.inner {
            let result = self.element.results[0].var();
            free.retain(|var| Some(*var) != result);
            let bound = self.element.bound();
            free.extend(inner.free().into_iter().filter(|var| !bound.contains(var)));
        }
        free.retain(|var| *var != self.index);
        free
    }
}
