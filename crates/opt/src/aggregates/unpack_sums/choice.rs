//! Which parameters, results, states and results of branches become a tag and fields: a whole-program flow analysis.
//!
//! Input: the program and its roots. Output: the places to split, and the layout of each type (`Layout`):
//! constructors share fields of the same type.
//! Invariants: to a place that is split only values come whose tag and fields are at hand, by a constructor or from
//! another such place. A place whose value is wanted as a whole is dropped, and with it what comes to it, until
//! nothing changes. The values that loops end with are the exception: `whole` lists those to be put together after
//! the loop.

use pullback_base::IdVec;
use pullback_ir::{
    Arm, Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::flow::Place;

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
        let mut search = Search::default();
        for data in program.datas.ids() {
            search.layouts.extend(layout(program, data).map(|layout| (data, layout)));
        }
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
        }
        for (id, func) in program.funcs.iter_enumerated() {
            search.block(program, &func.body);
            for (at, result) in func.body.results.iter().enumerate() {
                search.flow(*result, Place::Result(id, at));
            }
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
    if known.is_tangent || known.constructors.is_empty() || holds(program, data) {
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

/// Whether values of a type may hold others of it.
fn holds(program: &Program, data: DataId) -> bool {
    let (mut seen, mut todo) = (FxHashSet::default(), vec![data]);
    while let Some(of) = todo.pop() {
        for field in program.constructors(of).iter().flat_map(|constructor| &constructor.fields) {
            let Elem::Data(inner) = field.elem else { continue };
            if inner == data {
                return true;
            }
            if seen.insert(inner) {
                todo.push(inner);
            }
        }
    }
    false
}

/// The search under way.
#[derive(Default)]
struct Search {
    layouts: FxHashMap<DataId, Layout>,
    /// The places that may be split.
    split: FxHashSet<Place>,
    /// For results of loops and calls, the place that they come from.
    from: FxHashMap<VarId, Place>,
    /// Values that constructors make, and undefined ones.
    made: FxHashSet<VarId>,
    /// The values that are wanted as a whole.
    wanted: FxHashSet<VarId>,
    /// The atoms that come to a place, without those that states begin with.
    flows: Vec<(Atom, Place)>,
    /// The atoms that states begin with.
    begins: Vec<(Atom, Place)>,
}

impl Search {
    /// Notes that a place may be split, if values of its type may be.
    fn offer(&mut self, place: Place, ty: Type) {
        if data_of(ty).is_some_and(|data| self.layouts.contains_key(&data)) {
            self.split.insert(place);
        }
    }

    /// Notes that a value comes to a place. It is wanted as a whole there, unless the place may be split.
    fn flow(&mut self, atom: Atom, place: Place) {
        if self.split.contains(&place) {
            self.flows.push((atom, place));
        } else {
            self.want(atom);
        }
    }

    fn want(&mut self, atom: Atom) {
        self.wanted.extend(atom.var());
    }

    fn block(&mut self, program: &Program, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(program, stmt);
        }
    }

    fn stmt(&mut self, program: &Program, stmt: &Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others want values as a whole")]
        match &stmt.op {
            Op::If(_, then, other) => self.branches(program, stmt, &[then, other]),
            Op::Match(Match { arms, default, .. }) => {
                let blocks = arms.iter().map(|Arm { block, .. }| block);
                let blocks: Vec<&Block> = blocks.chain(default).collect();
                self.branches(program, stmt, &blocks);
            }
            Op::Loop(looped) => self.repeat(program, stmt, looped),
            Op::Call(func, args) => {
                for (param, arg) in program.funcs[*func].params.iter().zip(args) {
                    self.flow(*arg, Place::Var(*param));
                }
                let results = stmt.vars.iter().enumerate();
                self.from.extend(results.map(|(at, var)| (*var, Place::Result(*func, at))));
            }
            op => {
                if matches!(op, Op::Con(..) | Op::Undef) {
                    self.made.extend(&stmt.vars);
                }
                op.for_each_atom(&mut |atom| self.want(atom));
            }
        }
    }

    fn branches(&mut self, program: &Program, stmt: &Stmt, blocks: &[&Block]) {
        for (at, var) in stmt.vars.iter().enumerate() {
            self.offer(Place::Var(*var), program.vars[*var].ty);
            for block in blocks {
                self.flow(block.results[at], Place::Var(*var));
            }
        }
        for block in blocks {
            self.block(program, block);
        }
    }

    fn repeat(&mut self, program: &Program, stmt: &Stmt, looped: &Loop) {
        for (at, next) in looped.body.results.iter().enumerate() {
            let Some(state) = looped.states.get(at) else {
                self.want(*next);
                continue;
            };
            let place = Place::Var(*state);
            self.offer(place, program.vars[*state].ty);
            self.from.insert(stmt.vars[at], place);
            self.flow(*next, place);
            if self.split.contains(&place) {
                self.begins.push((looped.init[at], place));
            } else {
                self.want(looped.init[at]);
            }
        }
        if let LoopForm::While(condition) = &looped.form {
            self.block(program, condition);
        }
        self.block(program, &looped.body);
    }

    /// Drops places until none is left whose value is wanted as a whole or to which something comes that no
    /// constructor has made. After a loop a value is put together again.
    fn settle(mut self, funcs: IdVec<FuncId, (Vec<VarId>, Vec<Type>)>) -> Choice {
        let wanted = self.wanted.iter().filter(|var| !self.is_last(**var));
        let wanted: FxHashSet<Place> = wanted.map(|var| self.place(*var)).collect();
        self.split.retain(|place| !wanted.contains(place));
        loop {
            let before = self.split.len();
            for (atom, to) in self.flows.iter().chain(&self.begins) {
                let Some(var) = atom.var().filter(|_| !self.split.contains(to)) else { continue };
                if !self.is_last(var) {
                    self.split.remove(&self.place(var));
                }
            }
            for (atom, to) in &self.flows {
                if !self.is_made(*atom) {
                    self.split.remove(to);
                }
            }
            if before == self.split.len() {
                break;
            }
        }
        for (atom, to) in self.flows.iter().chain(&self.begins) {
            if !self.split.contains(to) {
                self.wanted.extend(atom.var());
            }
        }
        let is_whole = |var: &VarId| self.is_last(*var) && self.split.contains(&self.place(*var));
        let whole = self.wanted.iter().copied().filter(is_whole).collect();
        Choice { layouts: self.layouts, split: self.split, whole, funcs }
    }

    /// The place of a value, or the one that it comes from.
    fn place(&self, var: VarId) -> Place {
        self.from.get(&var).copied().unwrap_or(Place::Var(var))
    }

    /// Whether a value is the last value of a loop's state.
    fn is_last(&self, var: VarId) -> bool {
        matches!(self.from.get(&var), Some(Place::Var(_)))
    }

    /// Whether the tag and the fields of a value are at hand.
    fn is_made(&self, atom: Atom) -> bool {
        let made = |var: VarId| self.made.contains(&var) || self.split.contains(&self.place(var));
        atom.var().is_some_and(made)
    }
}
