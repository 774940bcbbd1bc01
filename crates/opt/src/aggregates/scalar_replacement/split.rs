//! The rewriting of scalar replacement: at each place that is split elements come, and the array is made where it is
//! read.
//!
//! ```text
//! before   a = [x, y];  b = for i < n with s = a { e = s[0]; … yield [u, v] };  r = b[1]
//! after    c, d = for i < n with s0 = x, s1 = y { e = s0; … yield u, v };  r = d
//! ```
//!
//! Input: the program and the places of `choice`. Output: the program with one variable for each element at these
//! places.
//! Invariants: each variable is still bound once, and an array that was bound by a place is bound right after it,
//! from its elements. The elements of an array without a value are `undef`, or zeros if it was the zero of one.

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::choice::{Choice, has_no_value};
use crate::pass::take;
use pullback_analysis::flow::Place;
use pullback_analysis::reorder::names;

/// The rewriting under way.
pub(super) struct Split<'p> {
    program: &'p mut Program,
    choice: &'p Choice,
    /// The elements of arrays that have been put together.
    elements: FxHashMap<VarId, Vec<Atom>>,
    undefined: FxHashSet<VarId>,
    /// Those of `undefined` that are zeros of something undefined: they may be added to what is defined.
    zeros: FxHashSet<VarId>,
}

impl<'p> Split<'p> {
    pub fn new(program: &'p mut Program, choice: &'p Choice) -> Self {
        let elements = FxHashMap::default();
        let (undefined, zeros) = (FxHashSet::default(), FxHashSet::default());
        Self { program, choice, elements, undefined, zeros }
    }

    /// Rewrites all functions. It is only called if there is something to split.
    pub fn run(mut self) -> bool {
        for id in self.program.funcs.ids() {
            self.func(id);
        }
        true
    }

    fn func(&mut self, id: FuncId) {
        let func = &mut self.program.funcs[id];
        let (params, mut body) = (std::mem::take(&mut func.params), std::mem::take(&mut func.body));
        let (types, span) = (std::mem::take(&mut func.results), func.span);
        let mut first = vec![];
        let params = self.bind(&params, span, &mut first);
        self.block(&mut body);
        body.stmts.splice(0..0, first);
        let mut results = vec![];
        let mut now = vec![];
        for (at, (result, ty)) in
            std::mem::take(&mut body.results).into_iter().zip(types).enumerate()
        {
            let parts = self.parts(Place::Result(id, at), result, span, &mut body.stmts);
            let is_split = self.choice.sizes(Place::Result(id, at)).is_some();
            let ty = if is_split { ty.with_rank(0) } else { ty };
            now.extend(parts.iter().map(|_| ty));
            results.extend(parts);
        }
        body.results = results;
        let func = &mut self.program.funcs[id];
        (func.params, func.body, func.results) = (params, body, now);
    }

    /// The variables for the elements of those that are split; `out` gets the statements that put the arrays
    /// together.
    fn bind(&mut self, vars: &[VarId], span: Span, out: &mut Vec<Stmt>) -> Vec<VarId> {
        vars.iter().flat_map(|var| self.bind_one(Place::Var(*var), *var, span, out)).collect()
    }

    fn bind_one(
        &mut self,
        place: Place,
        var: VarId,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Vec<VarId> {
        let Some(sizes) = self.choice.sizes(place) else { return vec![var] };
        let sizes = sizes.to_vec();
        let ty = self.program.vars[var].ty.with_rank(0);
        let name = self.program.vars[var].name.clone();
        let count = sizes.iter().product::<i64>();
        let vars: Vec<VarId> = (0..count).map(|_| self.program.fresh(name.clone(), ty)).collect();
        let atoms: Vec<Atom> = vars.iter().copied().map(Atom::Var).collect();
        self.put_together(var, &sizes, &atoms, span, out);
        self.elements.insert(var, atoms);
        vars
    }

    /// An array of these elements.
    fn put_together(
        &mut self,
        var: VarId,
        sizes: &[i64],
        atoms: &[Atom],
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let [count, inner @ ..] = sizes else { return };
        let items = if inner.is_empty() {
            atoms.to_vec()
        } else {
            let ty = self.program.vars[var].ty;
            let length = usize::try_from(inner.iter().product::<i64>()).unwrap_or(usize::MAX);
            let rows = atoms.chunks(length).map(|row| {
                let of = self.program.fresh("row", ty.with_rank(ty.rank - 1));
                self.put_together(of, inner, row, span, out);
                Atom::Var(of)
            });
            rows.collect()
        };
        debug_assert_eq!(items.len() as i64, *count);
        out.push(Stmt::new(vec![var], Op::Array(items), span));
    }

    /// The atoms that go to a place instead of one: its elements, if the place is split.
    fn parts(&mut self, place: Place, atom: Atom, span: Span, out: &mut Vec<Stmt>) -> Vec<Atom> {
        let (Some(sizes), Atom::Var(var)) = (self.choice.sizes(place), atom) else {
            return vec![atom];
        };
        if let Some(elements) = self.elements.get(&var) {
            return elements.clone();
        }
        let sizes = sizes.to_vec();
        let ty = self.program.vars[var].ty.with_rank(0);
        let count = sizes.iter().product::<i64>();
        let element = |at: i64| {
            let op = if self.zeros.contains(&var) {
                Op::Copy(Atom::Real(0.0))
            } else if self.undefined.contains(&var) {
                Op::Undef
            } else {
                Op::Index(atom, place_of(at, &sizes))
            };
            let element = self.program.fresh("element", ty);
            out.push(Stmt::new(vec![element], op, span));
            Atom::Var(element)
        };
        (0..count).map(element).collect()
    }

    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            let mut after = vec![];
            self.stmt(&mut stmt, &mut block.stmts, &mut after);
            block.stmts.push(stmt);
            block.stmts.append(&mut after);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt, before: &mut Vec<Stmt>, after: &mut Vec<Stmt>) {
        let span = stmt.span;
        let old = stmt.vars.clone();
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have no place that is split")]
        match &mut stmt.op {
            op if has_no_value(op, &self.undefined) => {
                if matches!(op, Op::Zero(_)) || names(op, &self.zeros) {
                    self.zeros.extend(&stmt.vars);
                }
                self.undefined.extend(&stmt.vars);
            }
            Op::Call(func, args) => {
                let params = self.choice.params(*func).to_vec();
                let parts = params
                    .iter()
                    .zip(std::mem::take(args))
                    .flat_map(|(param, arg)| self.parts(Place::Var(*param), arg, span, before));
                *args = parts.collect();
                let func = *func;
                stmt.vars = old
                    .iter()
                    .enumerate()
                    .flat_map(|(at, var)| self.bind_one(Place::Result(func, at), *var, span, after))
                    .collect();
            }
            Op::Loop(looped) => {
                stmt.vars = self.repeat(looped, &old, span, before, after);
            }
            Op::If(..) | Op::Match(_) => {
                for block in stmt.op.blocks_mut() {
                    self.block(block);
                    let results = std::mem::take(&mut block.results);
                    for (var, result) in old.iter().zip(results) {
                        let parts = self.parts(Place::Var(*var), result, span, &mut block.stmts);
                        block.results.extend(parts);
                    }
                }
                stmt.vars = self.bind(&old, span, after);
            }
            _ => {}
        }
    }

    fn repeat(
        &mut self,
        looped: &mut Loop,
        vars: &[VarId],
        span: Span,
        before: &mut Vec<Stmt>,
        after: &mut Vec<Stmt>,
    ) -> Vec<VarId> {
        let states = std::mem::take(&mut looped.states);
        let inits = std::mem::take(&mut looped.init);
        for (state, init) in states.iter().zip(inits) {
            let parts = self.parts(Place::Var(*state), init, span, before);
            looped.init.extend(parts);
        }
        let mut first = vec![];
        looped.states = self.bind(&states, span, &mut first);
        if let LoopForm::While(condition) = &mut looped.form {
            // Every variable is bound once: the condition puts together arrays of its own.
            let mut own = Block { stmts: first.clone(), results: vec![] };
            let mut atoms = FxHashMap::default();
            own = pullback_ir::rename(self.program, &own, &mut atoms);
            for state in &states {
                if let (Some(elements), Some(Atom::Var(new))) =
                    (self.elements.get(state), atoms.get(state))
                {
                    self.elements.insert(*new, elements.clone());
                }
            }
            condition.substitute(&atoms);
            self.block(condition);
            condition.stmts.splice(0..0, own.stmts);
        }
        self.block(&mut looped.body);
        looped.body.stmts.splice(0..0, first);
        let results = std::mem::take(&mut looped.body.results);
        for (at, result) in results.into_iter().enumerate() {
            match states.get(at) {
                Some(state) => {
                    let place = Place::Var(*state);
                    let parts = self.parts(place, result, span, &mut looped.body.stmts);
                    looped.body.results.extend(parts);
                }
                None => looped.body.results.push(result),
            }
        }
        vars.iter()
            .enumerate()
            .flat_map(|(at, var)| match states.get(at) {
                Some(state) => self.bind_one(Place::Var(*state), *var, span, after),
                None => vec![*var],
            })
            .collect()
    }
}

/// The indices of an element, row by row.
fn place_of(mut at: i64, sizes: &[i64]) -> Vec<Atom> {
    let mut indices: Vec<Atom> = sizes
        .iter()
        .rev()
        .map(|size| {
            let index = at % size;
            at /= size;
            Atom::Int(index)
        })
        .collect();
    indices.reverse();
    indices
}
