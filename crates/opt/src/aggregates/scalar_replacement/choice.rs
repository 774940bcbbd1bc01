//! Which arrays become their elements.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, FuncId, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constants::interprocedural_sizes::sizes::{Known, Sizes};
use pullback_analysis::call_graph::{Place, call_graph};

/// The most numbers that an array becomes.
const MOST: i64 = 16;

/// The places whose arrays become their elements.
pub(super) struct Choice {
    /// With their sizes.
    split: FxHashMap<Place, Vec<i64>>,
    /// The parameters of all functions, as they were.
    params: IdVec<FuncId, Vec<VarId>>,
}

/// What is found out on the way.
struct Search<'p> {
    program: &'p Program,
    sizes: &'p Sizes,
    /// The places that may be split.
    split: FxHashMap<Place, Vec<i64>>,
    /// Of variables that hold what comes from a place, or a part of it.
    of: FxHashMap<VarId, Origin>,
    /// The places whose arrays are wanted as a whole.
    wanted: FxHashSet<Place>,
    /// What comes to a place.
    flows: Vec<(Atom, Place)>,
    /// The variables without a value.
    undefined: FxHashSet<VarId>,
}

/// Where the array in a variable comes from.
#[derive(Clone, Copy)]
struct Origin {
    place: Place,
    /// Whether it is there once for many times that the place was: it may be put together again.
    is_outside: bool,
}

impl Choice {
    /// The choice for a program.
    pub fn of(program: &Program, roots: &[FuncId], sizes: &Sizes) -> Self {
        let mut search = Search {
            program,
            sizes,
            split: FxHashMap::default(),
            of: FxHashMap::default(),
            wanted: FxHashSet::default(),
            flows: vec![],
            undefined: FxHashSet::default(),
        };
        let graph = call_graph(program, roots);
        for id in &graph.order {
            let func = &program.funcs[*id];
            if !graph.is_held[*id] && !func.is_constant {
                for param in &func.params {
                    search.offer(Place::Var(*param), *param, sizes.var(*param));
                    search.inside(*param, Place::Var(*param));
                }
                for (at, known) in sizes.results[*id].iter().enumerate() {
                    search.offer_type(Place::Result(*id, at), func.results[at], known);
                }
            }
            search.block(&func.body);
            for (at, result) in func.body.results.iter().enumerate() {
                search.flow(*result, Place::Result(*id, at));
            }
        }
        search.settle();
        let params = program.funcs.iter().map(|func| func.params.clone()).collect();
        Self { split: search.split, params }
    }

    pub fn params(&self, func: FuncId) -> &[VarId] {
        &self.params[func]
    }

    pub fn is_any(&self) -> bool {
        !self.split.is_empty()
    }

    /// The sizes of the arrays of a place that is split.
    pub fn sizes(&self, place: Place) -> Option<&[i64]> {
        self.split.get(&place).map(Vec::as_slice)
    }
}

impl Search<'_> {
    fn offer(&mut self, place: Place, var: VarId, known: &[Known]) {
        self.offer_type(place, self.program.vars[var].ty, known);
    }

    fn offer_type(&mut self, place: Place, ty: Type, known: &[Known]) {
        let is_of_numbers = matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool);
        if !ty.is_array() || ty.is_acc || !is_of_numbers {
            return;
        }
        let sizes: Option<Vec<i64>> = known
            .iter()
            .map(|known| if let Known::Is(n @ 1..=MOST) = known { Some(*n) } else { None })
            .collect();
        if let Some(sizes) = sizes
            && sizes.iter().product::<i64>() <= MOST
        {
            self.split.insert(place, sizes);
        }
    }

    /// An array comes to a place. One that is wanted as a whole there is wanted where it comes from.
    fn flow(&mut self, atom: Atom, place: Place) {
        if self.program.type_of(atom).is_array() {
            self.flows.push((atom, place));
        }
    }

    fn want(&mut self, atom: Atom) {
        if let Some(origin) = atom.var().and_then(|var| self.of.get(&var))
            && !origin.is_outside
        {
            self.wanted.insert(origin.place);
        }
    }

    fn inside(&mut self, var: VarId, place: Place) {
        self.of.insert(var, Origin { place, is_outside: false });
    }

    /// A variable holds what another does, or a part of that.
    fn same(&mut self, var: VarId, atom: Atom) {
        if self.program.vars[var].ty.is_array()
            && let Some(origin) = atom.var().and_then(|var| self.of.get(&var))
        {
            self.of.insert(var, *origin);
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others want arrays as a whole")]
        match &stmt.op {
            Op::Undef => self.undefined.extend(&stmt.vars),
            Op::Dim(..) | Op::CheckSize(..) | Op::Zero(_) => {}
            Op::Copy(a) | Op::Stop(a) => self.same(stmt.vars[0], *a),
            Op::Index(a, at) if at.iter().all(|at| matches!(at, Atom::Int(_))) => {
                self.same(stmt.vars[0], *a);
            }
            // What is put together from rows is in memory in any case; the laws of arrays know the others.
            Op::Array(_) | Op::NewAcc(_) | Op::Concat(..) | Op::Plus(..) | Op::Sum(_) => {}
            Op::AddAcc(acc, at, _) => {
                self.want(*acc);
                at.iter().for_each(|at| self.want(*at));
            }
            Op::Update(a, at, _) if at.iter().all(|at| matches!(at, Atom::Int(_))) => {
                self.same(stmt.vars[0], *a);
            }
            Op::ToTangent(_, x, t) => {
                let is_plain = self.program.type_of(*x).elem == Elem::Real;
                if !is_plain {
                    self.want(*x);
                    self.want(*t);
                }
            }
            Op::Call(func, args) => {
                let params = &self.program.funcs[*func].params;
                for (param, arg) in params.iter().zip(args) {
                    self.flow(*arg, Place::Var(*param));
                }
                for (at, var) in stmt.vars.iter().enumerate() {
                    let place = Place::Result(*func, at);
                    self.of.insert(*var, Origin { place, is_outside: true });
                }
            }
            Op::If(_, then, other) => self.branches(stmt, &[then, other]),
            Op::Match(arms) => {
                let blocks: Vec<&Block> =
                    arms.arms.iter().map(|arm| &arm.block).chain(&arms.default).collect();
                self.branches(stmt, &blocks);
            }
            Op::Loop(looped) => {
                for (at, state) in looped.states.iter().enumerate() {
                    let place = Place::Var(*state);
                    let known = self.sizes.var(*state);
                    self.offer(place, *state, known);
                    self.inside(*state, place);
                    self.of.insert(stmt.vars[at], Origin { place, is_outside: true });
                    self.flow(looped.init[at], place);
                }
                if let LoopForm::While(condition) = &looped.form {
                    self.block(condition);
                }
                self.block(&looped.body);
                for (state, next) in looped.states.iter().zip(&looped.body.results) {
                    self.flow(*next, Place::Var(*state));
                }
            }
            op => op.for_each_atom(&mut |atom| self.want(atom)),
        }
    }

    fn branches(&mut self, stmt: &Stmt, blocks: &[&Block]) {
        if let Op::Match(arms) = &stmt.op {
            self.want(arms.scrutinee);
        }
        for var in &stmt.vars {
            let place = Place::Var(*var);
            self.offer(place, *var, self.sizes.var(*var));
            self.inside(*var, place);
        }
        for block in blocks {
            self.block(block);
            for (var, result) in stmt.vars.iter().zip(&block.results) {
                self.flow(*result, Place::Var(*var));
            }
        }
    }

    /// Drops places until none is left whose array is wanted as a whole, or to which one may come that has no
    /// value and therefore no elements.
    fn settle(&mut self) {
        self.split.retain(|place, _| !self.wanted.contains(place));
        let mut hollow: FxHashSet<Place> = FxHashSet::default();
        loop {
            let before = (self.split.len(), hollow.len());
            for (atom, to) in &self.flows {
                let Atom::Var(var) = atom else { continue };
                if self.undefined.contains(var) {
                    hollow.insert(*to);
                }
                let Some(Origin { place, is_outside }) = self.of.get(var) else { continue };
                if hollow.contains(place) && !self.split.contains_key(place) {
                    self.split.remove(to);
                    hollow.insert(*to);
                }
                if !is_outside && !self.split.contains_key(to) {
                    self.split.remove(place);
                }
            }
            if before == (self.split.len(), hollow.len()) {
                return;
            }
        }
    }
}
