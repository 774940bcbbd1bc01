//! The flow analysis of scalar replacement (Callahan, Carr & Kennedy 1990), over the whole program: which parameters,
//! results, states and results of branches become elements.
//!
//! ```text
//! a.1 = [x, y];  b.2 = for i < n with s.3 = a.1 { … s.3[0] …; yield [u, v] };  b.2[1]      s.3, b.2: 2 elements
//! c.4 = for j < m { … }                                                                   none, as m is not known
//! ```
//!
//! Input: the program, its roots, and the sizes that are known. Output: the places to split, each with its sizes.
//! Invariants: a place is offered if its sizes are known and small. It is dropped if the array is wanted as a whole,
//! if it goes to a place that is not split, or if an array without a value may come to it, which has no elements to
//! read. Dropping goes on until nothing changes, so that both ends of every flow agree.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, DataId, Elem, FuncId, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::constants::Constants;
use pullback_analysis::flow::{Place, Way, arrivals, departures, returns};
use pullback_analysis::horn::Horn;
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
    offered: FxHashMap<Place, Vec<i64>>,
    /// For each variable that holds an array of a place, or a part of one, where it comes from.
    origins: FxHashMap<VarId, Origin>,
    /// The variables that come to a place.
    arrivals: Vec<(VarId, Place)>,
    /// The variables that are always undefined.
    undefined: FxHashSet<VarId>,
    /// The places that something comes to or from.
    places: Vec<Place>,
    /// What is so by itself.
    facts: Vec<Claim>,
    /// What follows for arrays and data values from others.
    horn: Horn<Claim>,
}

/// What may be said of an array or a data value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Claim {
    /// The arrays of a place are not split.
    IsWhole(Place),
    /// An array without a value may come to a place.
    IsHollow(Place),
    /// What a variable holds may have no value. An array of a place that is split has one, since it is put together
    /// from elements.
    Lacks(VarId),
    /// What a field of a constructor of a type holds may have no value.
    FieldLacks(DataId, u32, usize),
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
            offered: FxHashMap::default(),
            origins: FxHashMap::default(),
            arrivals: vec![],
            undefined: FxHashSet::default(),
            places: vec![],
            facts: vec![],
            horn: Horn::default(),
        };
        for id in &graph.order {
            let func = &program.funcs[*id];
            if !graph.is_held[*id] && !func.is_constant {
                for param in &func.params {
                    search.offer(
                        Place::Var(*param),
                        program.vars[*param].ty,
                        constants.sizes(*param),
                    );
                    search.comes(*param, Place::Var(*param), false);
                }
                for (at, ty) in func.results.iter().enumerate() {
                    let sizes = constants.result_sizes(*id, at);
                    search.offer(Place::Result(*id, at), *ty, sizes);
                }
            }
            search.block(&func.body);
            returns(*id, func, &mut |atom, place, way| search.arrive(atom, place, way));
        }
        let params = program.funcs.iter().map(|func| func.params.clone()).collect();
        Self { split: search.settle(), params }
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
    fn offer(&mut self, place: Place, ty: Type, sizes: &[Flat<i64>]) {
        let is_of_numbers = matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool);
        if !ty.is_array() || ty.is_acc || !is_of_numbers {
            return;
        }
        let small = |size: &Flat<i64>| size.value().filter(|n| (1..=MOST).contains(n));
        if let Some(sizes) = sizes.iter().map(small).collect::<Option<Vec<i64>>>()
            && sizes.iter().product::<i64>() <= MOST
        {
            self.offered.insert(place, sizes);
        }
    }

    /// Notes that an array comes to a place.
    fn arrive(&mut self, atom: Atom, place: Place, way: Way) {
        let array = atom.var().filter(|var| self.program.vars[*var].ty.is_array());
        self.arrivals.extend(array.filter(|_| way != Way::Row).map(|var| (var, place)));
    }

    fn want(&mut self, atom: Atom) {
        if let Some(origin) = atom.var().and_then(|var| self.origins.get(&var))
            && !origin.is_outside
        {
            self.facts.push(Claim::IsWhole(origin.place));
        }
    }

    /// Notes that a variable holds an array of a place, or a part of one. It lacks a value if the array does, which has
    /// one where it is put together from elements.
    fn comes(&mut self, var: VarId, place: Place, is_outside: bool) {
        self.origins.insert(var, Origin { place, is_outside });
        self.places.push(place);
        let (hollow, whole) = (Claim::IsHollow(place), Claim::IsWhole(place));
        self.horn.imply_jointly(hollow, whole, Claim::Lacks(var));
    }

    /// Notes that a variable holds what an atom holds, or a part of that.
    fn same(&mut self, var: VarId, atom: Atom) {
        if self.program.vars[var].ty.is_array()
            && let Some(origin) = atom.var().and_then(|var| self.origins.get(&var)).copied()
        {
            self.comes(var, origin.place, origin.is_outside);
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.lack(stmt);
            self.stmt(stmt);
        }
    }

    /// Whether a variable holds an array or a data value.
    fn is_large(&self, var: VarId) -> bool {
        let ty = self.program.vars[var].ty;
        ty.is_array() || matches!(ty.elem, Elem::Data(_))
    }

    /// States what lacks a value where others do. Results of calls, loops and branches come from places instead.
    fn lack(&mut self, stmt: &Stmt) {
        let program = self.program;
        if let Op::Match(cases) = &stmt.op
            && let Elem::Data(data) = program.type_of(cases.scrutinee).elem
        {
            for arm in &cases.arms {
                for (at, param) in arm.params.iter().enumerate() {
                    if self.is_large(*param) {
                        let field = Claim::FieldLacks(data, arm.tag, at);
                        self.horn.imply(field, Claim::Lacks(*param));
                    }
                }
            }
        }
        if matches!(stmt.op, Op::Call(..)) || !stmt.op.blocks().is_empty() {
            return;
        }
        if let (Op::Con(tag, values), [var]) = (&stmt.op, stmt.vars.as_slice())
            && let Elem::Data(data) = program.vars[*var].ty.elem
        {
            for (at, value) in values.iter().enumerate() {
                if let Some(value) = value.var().filter(|value| self.is_large(*value)) {
                    self.horn.imply(Claim::Lacks(value), Claim::FieldLacks(data, *tag, at));
                }
            }
            return;
        }
        let mut operands = vec![];
        stmt.op.for_each_atom(&mut |atom| {
            operands.extend(atom.var().filter(|var| self.is_large(*var)).map(Claim::Lacks));
        });
        for var in &stmt.vars {
            if !self.is_large(*var) {
                continue;
            }
            let lacks = Claim::Lacks(*var);
            // A sum is there as soon as one of its terms is.
            if let (Op::Plus(..), &[one, other]) = (&stmt.op, operands.as_slice()) {
                self.horn.imply_jointly(one, other, lacks);
            } else {
                operands.iter().for_each(|operand| self.horn.imply(*operand, lacks));
            }
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
            Op::Call(..) => self.flow(stmt),
            Op::If(..) | Op::Match(_) => {
                if let Op::Match(cases) = &stmt.op {
                    self.want(cases.scrutinee);
                }
                self.join(stmt, &stmt.vars);
            }
            Op::Loop(looped) => self.join(stmt, &looped.states),
            op => op.for_each_atom(&mut |atom| self.want(atom)),
        }
    }

    /// Offers the states of a loop, or the results of branches.
    fn join(&mut self, stmt: &Stmt, vars: &[VarId]) {
        for var in vars {
            let sizes = self.constants.sizes(*var);
            self.offer(Place::Var(*var), self.program.vars[*var].ty, sizes);
            self.comes(*var, Place::Var(*var), false);
        }
        stmt.op.blocks().into_iter().for_each(|block| self.block(block));
        self.flow(stmt);
    }

    /// Notes what a statement sends to places, and what it takes from them.
    fn flow(&mut self, stmt: &Stmt) {
        let program = self.program;
        arrivals(program, stmt, &mut |atom, place, way| self.arrive(atom, place, way));
        departures(stmt, &mut |var, place| self.comes(var, place, true));
    }

    /// The places that are left when those are dropped whose array is wanted as a whole, or to which an undefined
    /// array may come, which has no elements.
    fn settle(mut self) -> FxHashMap<Place, Vec<i64>> {
        self.facts.extend(self.undefined.iter().copied().map(Claim::Lacks));
        for (var, to) in std::mem::take(&mut self.arrivals) {
            self.places.push(to);
            self.horn.imply(Claim::Lacks(var), Claim::IsHollow(to));
            // The elements of an array that is always undefined are `undef`; one that may be undefined has none to
            // read.
            if !self.undefined.contains(&var) {
                self.horn.imply(Claim::Lacks(var), Claim::IsWhole(to));
            }
            if let Some(Origin { place, is_outside: false }) = self.origins.get(&var) {
                self.horn.imply(Claim::IsWhole(to), Claim::IsWhole(*place));
            }
        }
        let others = self.places.iter().filter(|place| !self.offered.contains_key(place));
        self.facts.extend(others.copied().map(Claim::IsWhole));
        let claims = self.horn.consequences(self.facts);
        self.offered.retain(|place, _| !claims.contains(&Claim::IsWhole(*place)));
        self.offered
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
