//! The flow analysis of unboxed sums (Peyton Jones & Launchbury 1991), over the whole program: which parameters,
//! results, states and results of branches become a tag and fields.
//!
//! ```text
//! s.1 = for i < n with t.2 = A(x) { … match t.2 { A(u) … B(v) … }; yield B(w) }    t.2: a tag, and one Real
//! ```
//!
//! Input: the program and its roots. Output: the places to split, and the layout of each type (`Layout`):
//! constructors share fields of the same type.
//! Invariants: to a place that is split only values come whose tag and fields are at hand, by a constructor or from
//! another such place. A place whose value is wanted as a whole is dropped, and with it what comes to it, until
//! nothing changes. The values that loops end with are the exception: `whole` lists those to be put together after
//! the loop.

use pullback_base::IdVec;
use pullback_ir::{Atom, DataId, Elem, FuncId, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::datas::held_by;
use pullback_analysis::flow::{Place, Way, arrivals, departures, returns};
use pullback_analysis::horn::Horn;

/// The most fields, and the most constructors, of a type whose values are split.
const MOST: usize = 8;

/// The layout of a type: which variables hold the fields of which constructor.
pub(super) struct Layout {
    /// The types of all fields: constructors share those of one type.
    pub slots: Vec<Type>,
    /// For each constructor, the slots of its fields.
    pub places: Vec<Vec<usize>>,
}

/// The places whose values become tags and fields.
pub(super) struct Choice {
    layouts: FxHashMap<DataId, Layout>,
    split: FxHashSet<Place>,
    /// The results of loops whose value is also wanted as a whole.
    pub whole: FxHashSet<VarId>,
    /// The parameters and the types of the results of all functions, as they were.
    pub funcs: IdVec<FuncId, (Vec<VarId>, Vec<Type>)>,
}

impl Choice {
    /// The choice for a program, if any data type can be taken apart.
    pub fn of(program: &Program, graph: &CallGraph) -> Option<Self> {
        let layouts = program.datas.ids();
        let layouts = layouts.filter_map(|data| Some((data, layout(program, data)?)));
        let mut search = Search {
            program,
            layouts: layouts.collect(),
            offered: FxHashSet::default(),
            from: FxHashMap::default(),
            constructed: FxHashSet::default(),
            wanted: vec![],
            arrivals: vec![],
        };
        if search.layouts.is_empty() {
            return None;
        }
        for (id, func) in program.funcs.iter_enumerated() {
            if !graph.is_held[id] && !func.is_constant {
                for param in &func.params {
                    search.offer(Place::Var(*param), program.vars[*param].ty);
                }
                for (at, ty) in func.results.iter().enumerate() {
                    search.offer(Place::Result(id, at), *ty);
                }
            }
            func.body.visit(&mut |stmt| search.stmt(stmt));
            returns(id, func, &mut |atom, place, way| search.arrive(atom, place, way));
        }
        let funcs = program.funcs.iter();
        let funcs = funcs.map(|func| (func.params.clone(), func.results.clone())).collect();
        Some(search.settle(funcs)).filter(Self::is_any)
    }

    fn is_any(&self) -> bool {
        !self.split.is_empty()
    }

    /// The layout of a parameter, state or result, if it is split.
    pub fn layout(&self, program: &Program, var: VarId) -> Option<&Layout> {
        self.layout_at(Place::Var(var), program.vars[var].ty)
    }

    /// The layout of a value in a place, if the place is split.
    pub fn layout_at(&self, place: Place, ty: Type) -> Option<&Layout> {
        if self.split.contains(&place) { self.known(ty) } else { None }
    }

    /// The layout of a type, if its values may be split.
    pub fn known(&self, ty: Type) -> Option<&Layout> {
        data_of(ty).and_then(|data| self.layouts.get(&data))
    }
}

fn data_of(ty: Type) -> Option<DataId> {
    if let Type { elem: Elem::Data(data), rank: 0, is_acc: false } = ty { Some(data) } else { None }
}

/// The layout of a type that is no vector, holds no value of its own type and has few fields and constructors.
fn layout(program: &Program, data: DataId) -> Option<Layout> {
    let known = &program.datas[data];
    if known.is_tangent || known.constructors.is_empty() || held_by(program, data)[data] {
        return None;
    }
    let mut slots: Vec<Type> = vec![];
    let mut places = vec![];
    for constructor in &known.constructors {
        let mut taken: Vec<usize> = vec![];
        for field in &constructor.fields {
            let free = (0..slots.len()).find(|at| slots[*at] == *field && !taken.contains(at));
            let at = free.unwrap_or(slots.len());
            if free.is_none() {
                slots.push(*field);
            }
            taken.push(at);
        }
        places.push(taken);
    }
    (slots.len().max(places.len()) <= MOST).then_some(Layout { slots, places })
}

/// The search under way.
struct Search<'p> {
    program: &'p Program,
    layouts: FxHashMap<DataId, Layout>,
    /// The places that may be split.
    offered: FxHashSet<Place>,
    /// For results of loops and calls, the place that they come from.
    from: FxHashMap<VarId, Place>,
    /// Values whose tag and fields are at hand: those that constructors make, and undefined ones.
    constructed: FxHashSet<VarId>,
    /// The values that are wanted as a whole.
    wanted: Vec<VarId>,
    /// The variables that come to a place.
    arrivals: Vec<(VarId, Place, Way)>,
}

impl Search<'_> {
    /// Whether values of a type may be split.
    fn has_layout(&self, ty: Type) -> bool {
        data_of(ty).is_some_and(|data| self.layouts.contains_key(&data))
    }

    /// Notes that a place may be split, if values of its type may be.
    fn offer(&mut self, place: Place, ty: Type) {
        if self.has_layout(ty) {
            self.offered.insert(place);
        }
    }

    /// The variable that an atom is, if its value may be split.
    fn candidate(&self, atom: Atom) -> Option<VarId> {
        atom.var().filter(|var| self.has_layout(self.program.vars[*var].ty))
    }

    /// Notes that a value comes to a place.
    fn arrive(&mut self, atom: Atom, place: Place, way: Way) {
        self.arrivals.extend(self.candidate(atom).map(|var| (var, place, way)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        departures(stmt, &mut |var, place| {
            self.from.insert(var, place);
        });
        let places = if let Op::Loop(form) = &stmt.op { &form.states } else { &stmt.vars };
        let is_joined = matches!(stmt.op, Op::If(..) | Op::Match(_) | Op::Loop(_));
        if is_joined {
            places.iter().for_each(|var| self.offer(Place::Var(*var), self.program.vars[*var].ty));
        }
        if is_joined || matches!(stmt.op, Op::Call(..)) {
            let program = self.program;
            arrivals(program, stmt, &mut |atom, place, way| self.arrive(atom, place, way));
            return;
        }
        if matches!(stmt.op, Op::Con(..) | Op::Undef) {
            self.constructed.extend(&stmt.vars);
        }
        stmt.op.for_each_atom(&mut |atom| self.wanted.extend(self.candidate(atom)));
    }

    /// Drops places until none is left whose value is wanted as a whole or to which something comes that no
    /// constructor has made. After a loop a value is put together again.
    fn settle(mut self, funcs: IdVec<FuncId, (Vec<VarId>, Vec<Type>)>) -> Choice {
        let (mut horn, mut facts) = (Horn::default(), vec![]);
        for (var, to, way) in &self.arrivals {
            let from = self.place(*var);
            let may_be_split = *way != Way::Row && self.offered.contains(to);
            if !self.is_last(*var) {
                // What is wanted as a whole where it goes is wanted where it comes from.
                horn.imply(*to, from);
                facts.extend((!may_be_split).then_some(from));
            }
            // What a state begins with is taken apart before the loop.
            if may_be_split && *way != Way::First && !self.constructed.contains(var) {
                horn.imply(from, *to);
                facts.extend((!self.offered.contains(&from)).then_some(from));
            }
        }
        facts.extend(
            self.wanted.iter().filter(|var| !self.is_last(**var)).map(|var| self.place(*var)),
        );
        let wholes = horn.consequences(facts);
        let mut split = std::mem::take(&mut self.offered);
        split.retain(|place| !wholes.contains(place));
        let is_split = |(_, to, way): &&(VarId, Place, Way)| *way != Way::Row && split.contains(to);
        let arrivals = self.arrivals.iter().filter(|arrival| !is_split(arrival));
        let wanted = arrivals.map(|(var, _, _)| *var).chain(self.wanted.iter().copied());
        let is_whole = |var: &VarId| self.is_last(*var) && split.contains(&self.place(*var));
        let whole = wanted.filter(is_whole).collect();
        Choice { layouts: self.layouts, split, whole, funcs }
    }

    /// The place of a value, or the one that it comes from.
    fn place(&self, var: VarId) -> Place {
        self.from.get(&var).copied().unwrap_or(Place::Var(var))
    }

    /// Whether a value is the last value of a loop's state.
    fn is_last(&self, var: VarId) -> bool {
        matches!(self.from.get(&var), Some(Place::Var(_)))
    }
}
