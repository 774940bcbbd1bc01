//! Constructor specialisation (Mogensen, 1993): a constructor that keeps what a branch gave becomes one for each way.
//!
//! ```text
//! x = if p { yield a } else { yield b }       x, d = if p {
//! d = Saved(p, x)                               e = Saved.0(a)
//! y = match d {                                 yield a, e
//!   Saved(q, z) => {                          } else { … }
//!     w = if q { … } else { … }          =>   y = match d {
//!     yield w                                   Saved.0(z) => { … }
//!   }                                           Saved.1(z) => { … }
//! }                                           }
//! ```
//!
//! What is looked at later, to go the same way again, is then the constructor alone. So residuals of a recursive
//! function keep no condition or value for it, and nothing at all of where the recursion ends.
//!
//! Law: values stay. It applies where the constructor is applied in one place, holds what the branch goes by, and
//! every match on it does nothing but go by that field. A field that one way does not read goes from its constructor;
//! a Bool is known from the way. Types that roots take or give, and types that have tangents or are tangents, keep
//! their constructors. It runs on derived code only, in the phase *specialise*: `fuse_recursive_sweeps` knows
//! residuals as they were.

use pullback_base::bug;
use pullback_ir::{
    Arm, Atom, Block, Constructor, DataId, Elem, FuncId, Match, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::datas::{signature, within};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "specialise_constructors",
    phase: Phase::Specialise,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "makes constructors for each way of the branch whose results and condition one constructor keeps",
    law: "x = if c { a } else { b }; d = C(c, x) and match d { C(c, x) => if c { e } else { f } } = \
          d = if c { C(a) } else { C'(b) } and match d { C(x) => e, C'(x) => f }",
    run,
};

/// A constructor: its type and its tag.
pub(crate) type Key = (DataId, u32);

fn run(program: &mut Program, roots: &mut [FuncId], _: &mut Analyses) -> Changed {
    let changed = each_body(program, gather);
    let plans = Sites::of(program, roots).plans(program);
    if plans.is_empty() {
        return changed;
    }
    let mut split = Split { program, plans };
    split.constructors();
    for func in split.program.funcs.ids() {
        let mut body = std::mem::take(&mut split.program.funcs[func].body);
        split.block(&mut body);
        split.program.funcs[func].body = body;
    }
    Changed::All
}

/// Moves a branch into the arm of the match before it, if that match has one arm and gives what the branch goes by.
fn gather(program: &mut Program, block: &mut Block) -> bool {
    let mut changed = false;
    for inner in block.stmts.iter_mut().flat_map(|stmt| stmt.op.blocks_mut()) {
        changed |= gather(program, inner);
    }
    let mut stmts: Vec<Stmt> = Vec::with_capacity(block.stmts.len());
    for stmt in std::mem::take(&mut block.stmts) {
        match stmts.last_mut() {
            Some(last) if follows(program, last, &stmt) => {
                changed = true;
                append(program, last, stmt);
            }
            _ => stmts.push(stmt),
        }
    }
    block.stmts = stmts;
    changed
}

/// Whether a statement branches on what the statement before takes out of a residual.
fn follows(program: &Program, before: &Stmt, stmt: &Stmt) -> bool {
    let Op::Match(Match { scrutinee, arms, default: None }) = &before.op else { return false };
    let only_takes_out = matches!(arms.as_slice(), [arm] if arm.block.stmts.is_empty());
    let decides = Decision::of(stmt).is_some_and(|decision| {
        decision.by.var().is_some_and(|condition| before.vars.contains(&condition))
    });
    only_takes_out && decides && is_plain(program, *scrutinee)
}

fn append(program: &mut Program, before: &mut Stmt, mut stmt: Stmt) {
    let Op::Match(Match { arms, .. }) = &mut before.op else { bug(PASS.name, "a match") };
    let block = &mut arms[0].block;
    let results = before.vars.iter().copied().zip(block.results.iter().copied());
    let known = FxHashMap::from_iter(results);
    stmt.op.for_each_atom_mut(&mut |atom| replace(&known, atom));
    stmt.op.blocks_mut().into_iter().for_each(|inner| inner.substitute(&known));
    before.vars.extend(&stmt.vars);
    for var in &mut stmt.vars {
        *var = program.fresh_like(*var);
        block.results.push(Atom::Var(*var));
    }
    block.stmts.push(stmt);
}

fn replace(known: &FxHashMap<VarId, Atom>, atom: &mut Atom) {
    if let Some(other) = atom.var().and_then(|var| known.get(&var)) {
        *atom = *other;
    }
}

/// The data type of a value that is no array.
fn data_of(ty: Type) -> Option<DataId> {
    if let Type { elem: Elem::Data(data), rank: 0, .. } = ty { Some(data) } else { None }
}

/// Whether a value is of a type that has no tangents and is of none.
fn is_plain(program: &Program, atom: Atom) -> bool {
    data_of(program.type_of(atom)).is_some_and(|data| has_no_tangent(program, data))
}

/// Whether a type has no tangents and is none of tangents.
pub(crate) fn has_no_tangent(program: &Program, data: DataId) -> bool {
    let data = &program.datas[data];
    data.tangent.is_none() && !data.is_tangent
}

/// A branch: what it goes by, and its ways.
struct Decision<'s> {
    by: Atom,
    /// The tag of each way, its parameters and its block.
    ways: Vec<(Way, &'s [VarId], &'s Block)>,
}

/// When a branch goes one of its ways.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    If(bool),
    Tag(u32),
    Default,
}

impl<'s> Decision<'s> {
    fn of(stmt: &'s Stmt) -> Option<Self> {
        if let Op::If(by, then, other) = &stmt.op {
            let ways = vec![(Way::If(true), &[][..], then), (Way::If(false), &[][..], other)];
            return Some(Self { by: *by, ways });
        }
        let Op::Match(Match { scrutinee, arms, default }) = &stmt.op else { return None };
        let arms = arms.iter().map(|arm| (Way::Tag(arm.tag), arm.params.as_slice(), &arm.block));
        let default = default.iter().map(|block| (Way::Default, &[][..], block));
        let ways: Vec<_> = arms.chain(default).collect();
        (ways.len() > 1).then_some(Self { by: *scrutinee, ways })
    }

    fn is_like(&self, ways: &[Way]) -> bool {
        self.ways.iter().map(|(way, _, _)| *way).eq(ways.iter().copied())
    }
}

/// Where a constructor is applied.
struct Application {
    /// The branch before, in the same block.
    branch: usize,
    ways: Vec<Way>,
    /// Which fields hold what the branch goes by.
    by: Vec<usize>,
    /// What the fields hold on each way, where they hold anything.
    fields: Vec<Vec<Option<Atom>>>,
    /// The fields of the scrutinee that each way binds.
    params: Vec<Vec<VarId>>,
}

impl Application {
    /// What is known of the application of a constructor at a place of a block.
    fn at(block: &Block, at: usize) -> Option<Self> {
        let Op::Con(_, fields) = &block.stmts[at].op else { return None };
        for (branch, stmt) in block.stmts[..at].iter().enumerate().rev() {
            if let Some(decision) = Decision::of(stmt)
                && fields.contains(&decision.by)
                && decision.by.var().is_some()
            {
                return Some(Self::after(branch, stmt, &decision, fields));
            }
            // A field that is bound after the branch could not be stored on the ways of the branch.
            if fields.iter().any(|field| field.var().is_some_and(|var| stmt.vars.contains(&var))) {
                return None;
            }
        }
        None
    }

    fn after(branch: usize, stmt: &Stmt, decision: &Decision<'_>, fields: &[Atom]) -> Self {
        let by = fields.iter().enumerate().filter(|(_, field)| **field == decision.by);
        let by = by.map(|(at, _)| at).collect();
        let on_way = |block: &Block| {
            let undefined: FxHashSet<VarId> = block
                .stmts
                .iter()
                .filter(|stmt| matches!(stmt.op, Op::Undef))
                .flat_map(|stmt| stmt.vars.iter().copied())
                .collect();
            let field = |field: &Atom| {
                let result = stmt.vars.iter().position(|var| Atom::Var(*var) == *field);
                let value = result.map_or(*field, |at| block.results[at]);
                value.var().is_none_or(|var| !undefined.contains(&var)).then_some(value)
            };
            fields.iter().map(field).collect()
        };
        Self {
            branch,
            ways: decision.ways.iter().map(|(way, _, _)| *way).collect(),
            by,
            fields: decision.ways.iter().map(|(_, _, block)| on_way(block)).collect(),
            params: decision.ways.iter().map(|(_, params, _)| params.to_vec()).collect(),
        }
    }
}

/// What is read of a constructor, by one arm or by all.
#[derive(Default)]
struct Reads {
    /// Which fields on each way.
    fields: Vec<FxHashSet<usize>>,
    /// Which fields of what the branch goes by on each way.
    params: Vec<FxHashSet<usize>>,
}

/// Where the program has which constructors.
struct Sites<'p> {
    program: &'p Program,
    /// The one application of each constructor that can be specialised; `None` if there are several, or none that
    /// can.
    applications: FxHashMap<Key, Option<Application>>,
    /// The arms, with their parameters.
    arms: Vec<(Key, &'p [VarId], &'p Block)>,
    /// The types that keep their constructors.
    fixed: FxHashSet<DataId>,
}

impl<'p> Sites<'p> {
    fn of(program: &'p Program, roots: &[FuncId]) -> Self {
        let mut sites = Self {
            program,
            applications: FxHashMap::default(),
            arms: vec![],
            fixed: FxHashSet::default(),
        };
        // Callers from outside see these.
        let is_seen = within(program, roots.iter().flat_map(|root| signature(program, *root)));
        sites.fixed.extend(program.datas.ids().filter(|data| is_seen[*data]));
        for func in program.funcs.iter() {
            sites.block(&func.body);
        }
        sites
    }

    fn block(&mut self, block: &'p Block) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.stmt(block, at, stmt);
            stmt.op.blocks().into_iter().for_each(|inner| self.block(inner));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others look into data")]
    fn stmt(&mut self, block: &'p Block, at: usize, stmt: &'p Stmt) {
        match &stmt.op {
            Op::Con(tag, _) => {
                let Some(data) = data_of(self.program.vars[stmt.vars[0]].ty) else { return };
                let is_first = !self.applications.contains_key(&(data, *tag));
                let application = is_first.then(|| Application::at(block, at)).flatten();
                self.applications.insert((data, *tag), application);
            }
            Op::Match(Match { scrutinee, arms, default }) => {
                let Some(data) = data_of(self.program.type_of(*scrutinee)) else { return };
                if default.is_some() {
                    self.fixed.insert(data);
                }
                let arms = arms.iter().map(|arm| ((data, arm.tag), &*arm.params, &arm.block));
                self.arms.extend(arms);
            }
            Op::Copy(_)
            | Op::Undef
            | Op::Call(_, _)
            | Op::If(_, _, _)
            | Op::Loop(_)
            | Op::Select(_, _, _)
            | Op::Array(_)
            | Op::Index(_, _)
            | Op::Dim(_, _) => {}
            op => {
                let mut types: Vec<Type> =
                    stmt.vars.iter().map(|var| self.program.vars[*var].ty).collect();
                op.for_each_atom(&mut |atom| types.push(self.program.type_of(atom)));
                for ty in types {
                    if let Elem::Data(data) = ty.elem {
                        self.fixed.insert(data);
                    }
                }
            }
        }
    }

    fn plans(self, program: &Program) -> FxHashMap<Key, Plan> {
        let Self { applications, mut arms, fixed, .. } = self;
        let mut plans = FxHashMap::default();
        let mut keys: Vec<Key> = applications.keys().copied().collect();
        keys.sort_unstable();
        arms.sort_by_key(|(key, _, _)| *key);
        for key in keys {
            let Some(Some(application)) = applications.get(&key) else { continue };
            if fixed.contains(&key.0) || !has_no_tangent(program, key.0) {
                continue;
            }
            let from = arms.partition_point(|(other, _, _)| *other < key);
            let own = arms[from..].iter().take_while(|(other, _, _)| *other == key);
            let mut reads = Reads::default();
            let none = || vec![FxHashSet::default(); application.ways.len()];
            (reads.fields, reads.params) = (none(), none());
            let mut own = own.peekable();
            if own.peek().is_some()
                && own.all(|(_, params, block)| reads.add(application, params, block))
            {
                plans.insert(key, Plan::of(application, &reads));
            }
        }
        plans
    }
}

impl Reads {
    /// Adds what an arm reads, if it does nothing but go the way that the value was made on.
    fn add(&mut self, application: &Application, params: &[VarId], block: &Block) -> bool {
        let [stmt] = block.stmts.as_slice() else { return false };
        let Some(decision) = Decision::of(stmt).filter(|it| it.is_like(&application.ways)) else {
            return false;
        };
        let by = params.iter().position(|param| Atom::Var(*param) == decision.by);
        if !by.is_some_and(|by| application.by.contains(&by)) {
            return false;
        }
        let mut keeps_known = true;
        for (at, (way, own, inner)) in decision.ways.iter().enumerate() {
            let mut used = FxHashSet::default();
            inner.visit_atoms(&mut |atom| used.extend(atom.var()));
            used.extend(block.results.iter().filter_map(|result| result.var()));
            let read = |vars: &[VarId]| -> Vec<usize> {
                (0..vars.len()).filter(|at| used.contains(&vars[*at])).collect()
            };
            self.fields[at].extend(read(params));
            self.params[at].extend(read(own));
            // On a way of a match the scrutinee itself is not at hand, only its fields.
            keeps_known &= matches!(way, Way::If(_))
                || application.by.iter().all(|by| !self.fields[at].contains(by));
        }
        keeps_known
    }
}

/// What becomes of a field of the old constructor on one way.
enum Field {
    /// A field of the new constructor.
    Kept(usize),
    Known(Atom),
    Undefined,
}

/// The constructor for one way.
struct Variant {
    tag: u32,
    /// What the old fields are.
    fields: Vec<Field>,
    /// By field of the scrutinee, the field of this constructor that holds it.
    params: FxHashMap<usize, usize>,
    /// What it is made from.
    values: Vec<Atom>,
}

/// What becomes of a constructor.
struct Plan {
    variants: Vec<Variant>,
}

impl Plan {
    fn of(application: &Application, reads: &Reads) -> Self {
        let variant = |way: usize| {
            let mut values = vec![];
            let mut fields = vec![];
            for (at, value) in application.fields[way].iter().enumerate() {
                fields.push(match (application.ways[way], value) {
                    (Way::If(side), _) if application.by.contains(&at) => {
                        Field::Known(Atom::Bool(side))
                    }
                    (_, Some(value)) if value.var().is_none() => Field::Known(*value),
                    (_, Some(value)) if reads.fields[way].contains(&at) => {
                        values.push(*value);
                        Field::Kept(values.len() - 1)
                    }
                    _ => Field::Undefined,
                });
            }
            let mut read: Vec<usize> = reads.params[way].iter().copied().collect();
            read.sort_unstable();
            let mut params = FxHashMap::default();
            for at in read {
                params.insert(at, values.len());
                values.push(application.params[way][at].into());
            }
            Variant { tag: 0, fields, params, values }
        };
        Self { variants: (0..application.ways.len()).map(variant).collect() }
    }
}

/// The rewriting under way.
struct Split<'p> {
    program: &'p mut Program,
    plans: FxHashMap<Key, Plan>,
}

impl Split<'_> {
    /// Adds the new constructors: the first in the place of the old one, the others at the end.
    fn constructors(&mut self) {
        let mut keys: Vec<Key> = self.plans.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let Some(plan) = self.plans.get_mut(&key) else { bug(PASS.name, "a plan") };
            for (at, variant) in plan.variants.iter_mut().enumerate() {
                let types = variant.values.iter().map(|value| self.program.type_of(*value));
                let fields = types.collect();
                let constructors = &mut self.program.datas[key.0].constructors;
                let name = constructors[key.1 as usize].name.clone();
                let constructor = Constructor::new(name, fields);
                if at == 0 {
                    variant.tag = key.1;
                    constructors[key.1 as usize] = constructor;
                } else {
                    let Ok(tag) = u32::try_from(constructors.len()) else {
                        bug(PASS.name, "few constructors")
                    };
                    variant.tag = tag;
                    constructors.push(constructor);
                }
            }
        }
    }

    /// Changes a block, those inside it first: what is made there later has new constructors.
    fn block(&mut self, block: &mut Block) {
        for inner in block.stmts.iter_mut().flat_map(|stmt| stmt.op.blocks_mut()) {
            self.block(inner);
        }
        let mut at = 0;
        while at < block.stmts.len() {
            if self.is_planned(&block.stmts[at]) {
                self.sink(block, at);
            } else {
                at += 1;
            }
        }
        for stmt in &mut block.stmts {
            if let Op::Match(cases) = &mut stmt.op
                && let Some(data) = data_of(self.program.type_of(cases.scrutinee))
            {
                let arms = std::mem::take(&mut cases.arms);
                cases.arms = arms.into_iter().flat_map(|arm| self.arms(data, arm)).collect();
            }
        }
    }

    fn is_planned(&self, stmt: &Stmt) -> bool {
        let Op::Con(tag, _) = &stmt.op else { return false };
        let data = data_of(self.program.vars[stmt.vars[0]].ty);
        data.is_some_and(|data| self.plans.contains_key(&(data, *tag)))
    }

    /// Makes the value on each way of the branch before.
    fn sink(&mut self, block: &mut Block, at: usize) {
        let Some(application) = Application::at(block, at) else {
            bug(PASS.name, "a branch before")
        };
        let Stmt { vars, op, span, .. } = block.stmts.remove(at);
        let (Op::Con(tag, _), Some(data)) = (op, data_of(self.program.vars[vars[0]].ty)) else {
            bug(PASS.name, "a constructor")
        };
        let branch = &mut block.stmts[application.branch];
        branch.vars.push(vars[0]);
        for (variant, inner) in self.plans[&(data, tag)].variants.iter().zip(branch.op.blocks_mut())
        {
            let value = self.program.fresh_like(vars[0]);
            let op = Op::Con(variant.tag, variant.values.clone());
            inner.stmts.push(Stmt::new(vec![value], op, span));
            inner.results.push(value.into());
        }
    }

    /// The arms in the place of one.
    fn arms(&mut self, data: DataId, arm: Arm) -> Vec<Arm> {
        let Some(plan) = self.plans.get(&(data, arm.tag)) else { return vec![arm] };
        let Arm { params, block: Block { mut stmts, results }, .. } = arm;
        let Some(Stmt { vars, mut op, span, .. }) = stmts.pop() else { bug(PASS.name, "a branch") };
        let own: Vec<Vec<VarId>> = if let Op::Match(cases) = &op {
            let own = cases.arms.iter().map(|arm| arm.params.clone());
            own.chain(cases.default.iter().map(|_| vec![])).collect()
        } else {
            vec![vec![], vec![]]
        };
        let mut arms = vec![];
        for ((variant, own), inner) in plan.variants.iter().zip(own).zip(op.blocks_mut()) {
            let mut block = std::mem::take(inner);
            let chosen: FxHashMap<VarId, Atom> =
                vars.iter().copied().zip(block.results.iter().copied()).collect();
            block.results.clone_from(&results);
            block.results.iter_mut().for_each(|atom| replace(&chosen, atom));
            let types = variant.values.iter().map(|value| self.program.type_of(*value));
            let types: Vec<Type> = types.collect();
            let fresh: Vec<VarId> =
                types.into_iter().map(|ty| self.program.fresh("field", ty)).collect();
            let mut known = FxHashMap::default();
            for (param, field) in params.iter().zip(&variant.fields) {
                let value = match field {
                    Field::Kept(at) => fresh[*at].into(),
                    Field::Known(value) => *value,
                    Field::Undefined => {
                        let undefined = self.program.fresh_like(*param);
                        block.stmts.insert(0, Stmt::new(vec![undefined], Op::Undef, span));
                        undefined.into()
                    }
                };
                known.insert(*param, value);
            }
            for (at, param) in own.iter().enumerate() {
                if let Some(field) = variant.params.get(&at) {
                    known.insert(*param, fresh[*field].into());
                }
            }
            block.substitute(&known);
            arms.push(Arm { tag: variant.tag, params: fresh, block });
        }
        arms
    }
}
