//! Which values become tags and fields.

use pullback_ir::{
    Arm, Atom, Block, DataId, Elem, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most fields that a value may become.
const MOST: usize = 8;

/// Where the fields of a type are.
pub(super) struct Layout {
    /// The types of all fields: constructors share those of one type.
    pub slots: Vec<Type>,
    /// For each constructor, where its fields are among those.
    pub places: Vec<Vec<usize>>,
}

/// What becomes tags and fields.
pub(super) struct Choice {
    layouts: FxHashMap<DataId, Layout>,
    /// States of loops and results of branches.
    split: FxHashSet<VarId>,
    /// The results of loops whose value is wanted as a whole too.
    pub whole: FxHashSet<VarId>,
}

impl Choice {
    pub fn of(program: &Program) -> Self {
        let mut search = Search::default();
        for data in program.datas.ids() {
            search.layouts.extend(layout(program, data).map(|layout| (data, layout)));
        }
        for func in program.funcs.iter() {
            search.block(program, &func.body);
            func.body.results.iter().for_each(|result| search.want(*result));
        }
        search.settle()
    }

    pub fn is_any(&self) -> bool {
        !self.split.is_empty()
    }

    /// Where the fields of a state or result are, if it is split.
    pub fn layout(&self, program: &Program, var: VarId) -> Option<&Layout> {
        if self.split.contains(&var) { self.known(program.vars[var].ty) } else { None }
    }

    /// Where the fields of a value of a type would be.
    pub fn known(&self, ty: Type) -> Option<&Layout> {
        data_of(ty).and_then(|data| self.layouts.get(&data))
    }
}

fn data_of(ty: Type) -> Option<DataId> {
    if let Type { elem: Elem::Data(data), rank: 0, is_acc: false } = ty { Some(data) } else { None }
}

/// The layout of a type that is no vector, holds no value of its own type and has few fields.
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
    (slots.len() <= MOST).then_some(Layout { slots, places })
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

/// What is found out on the way.
#[derive(Default)]
struct Search {
    layouts: FxHashMap<DataId, Layout>,
    /// The states and results that may be split.
    split: FxHashSet<VarId>,
    /// The state whose last value the result of a loop is.
    last: FxHashMap<VarId, VarId>,
    /// Values that constructors make, and those that nothing looks at.
    made: FxHashSet<VarId>,
    /// The values that are wanted as a whole.
    wanted: FxHashSet<VarId>,
    /// What comes to a state or result, but for what a state begins with.
    flows: Vec<(Atom, VarId)>,
    /// What states begin with.
    begins: Vec<(Atom, VarId)>,
}

impl Search {
    fn may_split(&self, program: &Program, var: VarId) -> bool {
        data_of(program.vars[var].ty).is_some_and(|data| self.layouts.contains_key(&data))
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
            let may_split = self.may_split(program, *var);
            for block in blocks {
                if may_split {
                    self.flows.push((block.results[at], *var));
                } else {
                    self.want(block.results[at]);
                }
            }
            if may_split {
                self.split.insert(*var);
            }
        }
        for block in blocks {
            self.block(program, block);
        }
    }

    fn repeat(&mut self, program: &Program, stmt: &Stmt, looped: &Loop) {
        for (at, next) in looped.body.results.iter().enumerate() {
            match looped.states.get(at) {
                Some(state) if self.may_split(program, *state) => {
                    self.split.insert(*state);
                    self.last.insert(stmt.vars[at], *state);
                    self.begins.push((looped.init[at], *state));
                    self.flows.push((*next, *state));
                }
                Some(_) => {
                    self.want(looped.init[at]);
                    self.want(*next);
                }
                None => self.want(*next),
            }
        }
        if let LoopForm::While(condition) = &looped.form {
            self.block(program, condition);
        }
        self.block(program, &looped.body);
    }

    /// Drops states and results until none is left that is wanted as a whole or to which something comes that no
    /// constructor has made.
    fn settle(mut self) -> Choice {
        self.split.retain(|var| !self.wanted.contains(var));
        loop {
            let before = self.split.len();
            for (atom, to) in self.flows.iter().chain(&self.begins) {
                if !self.split.contains(to)
                    && let Some(var) = atom.var()
                {
                    self.split.remove(&var);
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
        let is_last =
            |var: &VarId| self.last.get(var).is_some_and(|state| self.split.contains(state));
        let whole = self.wanted.into_iter().filter(is_last).collect();
        Choice { layouts: self.layouts, split: self.split, whole }
    }

    /// Whether tag and fields of a value are there.
    fn is_made(&self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return false };
        let place = self.last.get(&var).unwrap_or(&var);
        self.made.contains(&var) || self.split.contains(place)
    }
}
