//! Which parameters, results, states and results of branches become elements: a whole-program flow analysis.
//!
//! Input: the program, its roots, and the sizes that are known. Output: the places to split, each with its sizes.
//! Invariants: a place is offered if its sizes are known and small. It is dropped if the array is wanted as a whole,
//! if it goes to a place that is not split, or if an array without a value may come to it, which has no elements to
//! read. Dropping goes on until nothing changes, so that both ends of every flow agree.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, DataId, Elem, FuncId, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::constants::Constants;
use pullback_analysis::flow::Place;
use pullback_analysis::lattice::Flat;

/// The most numbers that an array becomes.
const MOST: i64 = 16;

/// The places whose arrays become their elements.
pub(super) struct Choice {
    /// With their sizes.
    split: FxHashMap<Place, Vec<i64>>,
    /// The parameters of all functions, as they were.
    params: IdVec<FuncId, Vec<VarId>>,
}

/// The search under way.
struct Search<'p> {
    program: &'p Program,
    constants: &'p Constants,
    /// The places that may be split.
    split: FxHashMap<Place, Vec<i64>>,
    /// For each variable that holds an array of a place, or a part of one, where it comes from.
    of: FxHashMap<VarId, Origin>,
    /// The places whose arrays are wanted as a whole.
    wanted: FxHashSet<Place>,
    /// The atoms that come to a place.
    flows: Vec<(Atom, Place)>,
    /// The variables that are always undefined.
    undefined: FxHashSet<VarId>,
    /// What is made of arrays and data values that may be undefined.
    made: Vec<Made>,
    /// The arrays and data values that are put into fields.
    fields: Vec<(VarId, Source)>,
}

/// An array that is made of others, or a field.
struct Made {
    of: Vec<Source>,
    var: VarId,
    /// Whether it is defined as soon as one of these is.
    is_either: bool,
}

/// What an array is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Var(VarId),
    /// A field of a constructor of a type, in any value.
    Field(DataId, u32, usize),
}

/// Where the array in a variable comes from.
#[derive(Clone, Copy)]
struct Origin {
    place: Place,
    /// Whether it is outside of the loop or function of the place: there the array may be put together again.
    is_outside: bool,
}

impl Choice {
    /// The choice for a program.
    pub fn of(program: &Program, graph: &CallGraph, constants: &Constants) -> Self {
        let mut search = Search {
            program,
            constants,
            split: FxHashMap::default(),
            of: FxHashMap::default(),
            wanted: FxHashSet::default(),
            flows: vec![],
            undefined: FxHashSet::default(),
            made: vec![],
            fields: vec![],
        };
        for id in &graph.order {
            let func = &program.funcs[*id];
            if !graph.is_held[*id] && !func.is_constant {
                for param in &func.params {
                    search.offer(Place::Var(*param), *param, constants.sizes(*param));
                    search.inside(*param, Place::Var(*param));
                }
                for (at, ty) in func.results.iter().enumerate() {
                    let sizes = constants.result_sizes(*id, at);
                    search.offer_type(Place::Result(*id, at), *ty, sizes);
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
    fn offer(&mut self, place: Place, var: VarId, sizes: &[Flat<i64>]) {
        self.offer_type(place, self.program.vars[var].ty, sizes);
    }

    fn offer_type(&mut self, place: Place, ty: Type, sizes: &[Flat<i64>]) {
        let is_of_numbers = matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool);
        if !ty.is_array() || ty.is_acc || !is_of_numbers {
            return;
        }
        let small = |size: &Flat<i64>| size.value().filter(|n| (1..=MOST).contains(n));
        if let Some(sizes) = sizes.iter().map(small).collect::<Option<Vec<i64>>>()
            && sizes.iter().product::<i64>() <= MOST
        {
            self.split.insert(place, sizes);
        }
    }

    /// Notes that an array comes to a place. If it is wanted as a whole there, it is wanted where it comes from.
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

    /// Notes that a variable holds what an atom holds, or a part of that.
    fn same(&mut self, var: VarId, atom: Atom) {
        if self.program.vars[var].ty.is_array()
            && let Some(origin) = atom.var().and_then(|var| self.of.get(&var))
        {
            self.of.insert(var, *origin);
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.make(stmt);
            self.stmt(stmt);
        }
    }

    /// Notes which arrays a statement makes of others. Results of calls, loops and branches come from places instead.
    fn make(&mut self, stmt: &Stmt) {
        let program = self.program;
        let is_large = |var: &VarId| {
            let ty = program.vars[*var].ty;
            ty.is_array() || matches!(ty.elem, Elem::Data(_))
        };
        if let Op::Match(cases) = &stmt.op
            && let Elem::Data(data) = program.type_of(cases.scrutinee).elem
        {
            for arm in &cases.arms {
                for (at, param) in arm.params.iter().enumerate().filter(|(_, var)| is_large(var)) {
                    let of = vec![Source::Field(data, arm.tag, at)];
                    self.made.push(Made { of, var: *param, is_either: false });
                }
            }
        }
        if matches!(stmt.op, Op::Call(..)) || !stmt.op.blocks().is_empty() {
            return;
        }
        if let (Op::Con(tag, values), [var]) = (&stmt.op, stmt.vars.as_slice())
            && let Elem::Data(data) = program.vars[*var].ty.elem
        {
            let values = values.iter().enumerate();
            let vars = values.filter_map(|(at, value)| Some((value.var().filter(is_large)?, at)));
            self.fields.extend(vars.map(|(var, at)| (var, Source::Field(data, *tag, at))));
            return;
        }
        let mut of = vec![];
        stmt.op.for_each_atom(&mut |atom| of.extend(atom.var().filter(is_large).map(Source::Var)));
        let is_either = matches!(stmt.op, Op::Plus(..));
        for var in stmt.vars.iter().filter(|var| is_large(var) && !of.is_empty()) {
            self.made.push(Made { of: of.clone(), var: *var, is_either });
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others want arrays as a whole")]
        match &stmt.op {
            op if has_no_value(op, &self.undefined) => self.undefined.extend(&stmt.vars),
            Op::Dim(..) | Op::CheckSize(..) | Op::Zero(_) => {}
            Op::Copy(a) | Op::Stop(a) => self.same(stmt.vars[0], *a),
            Op::Index(a, at) if at.iter().all(|at| matches!(at, Atom::Int(_))) => {
                self.same(stmt.vars[0], *a);
            }
            // What is put together from rows lies in memory in any case, and `simplify` takes elements out of the
            // others.
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
                    let sizes = self.constants.sizes(*state);
                    self.offer(place, *state, sizes);
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
            self.offer(place, *var, self.constants.sizes(*var));
            self.inside(*var, place);
        }
        for block in blocks {
            self.block(block);
            for (var, result) in stmt.vars.iter().zip(&block.results) {
                self.flow(*result, Place::Var(*var));
            }
        }
    }

    /// Drops places until none is left whose array is wanted as a whole, or to which an undefined array may come,
    /// which has no elements.
    fn settle(&mut self) {
        self.split.retain(|place, _| !self.wanted.contains(place));
        let mut hollow: FxHashSet<Place> = FxHashSet::default();
        let mut without = self.undefined.iter().copied().map(Source::Var).collect();
        loop {
            let before = (self.split.len(), hollow.len());
            self.spread(&hollow, &mut without);
            for (atom, to) in &self.flows {
                let Atom::Var(var) = atom else { continue };
                if without.contains(&Source::Var(*var)) {
                    hollow.insert(*to);
                    // The elements of an array that is always undefined are `undef`; one that may be undefined has
                    // none to read.
                    if !self.undefined.contains(var) {
                        self.split.remove(to);
                    }
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

    /// Adds to `without` what is made of undefined values. An array of a place that is split is defined, since it is
    /// put together from elements.
    fn spread(&self, hollow: &FxHashSet<Place>, without: &mut FxHashSet<Source>) {
        loop {
            let before = without.len();
            for Made { of, var, is_either } in &self.made {
                let has_none = |source: &Source| {
                    let origin =
                        if let Source::Var(var) = source { self.of.get(var) } else { None };
                    without.contains(source)
                        || origin.is_some_and(|Origin { place, .. }| {
                            hollow.contains(place) && !self.split.contains_key(place)
                        })
                };
                let may_lack =
                    if *is_either { of.iter().all(has_none) } else { of.iter().any(has_none) };
                if may_lack {
                    without.insert(Source::Var(*var));
                }
            }
            for (value, field) in &self.fields {
                if without.contains(&Source::Var(*value)) {
                    without.insert(*field);
                }
            }
            if without.len() == before {
                return;
            }
        }
    }
}

/// Whether the result of an operation is undefined, or the zero of something undefined.
pub(super) fn has_no_value(op: &Op, undefined: &FxHashSet<VarId>) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others look at what they are given")]
    match op {
        Op::Undef => true,
        Op::Copy(a) | Op::Stop(a) | Op::Zero(a) => {
            a.var().is_some_and(|var| undefined.contains(&var))
        }
        _ => false,
    }
}
