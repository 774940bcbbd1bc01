//! Static arguments (Santos, 1995), taken out of recursive data: what each value would keep is handed to its
//! consumer.
//!
//! ```text
//! t = @built(w, n)                              t = @built(w, n)
//! y = @folded(t)                                y = @folded(t, w)
//! fn @folded(s) {                               fn @folded(s, v) {
//!   … Node(u, l) => {                     =>      … Node(u, l) => {
//!     z = @folded(l)                                z = @folded(l, v)
//!     a = mul(z, u)                                 a = mul(z, v)
//! ```
//!
//! Here `built` hands its parameter `w` on to each recursive call as it is, a *static argument*, and puts it in every
//! `Node`. `folded` gets it as a parameter, and `dce` takes out the field that nothing reads any more. So the
//! residuals of a recursive function keep no parameter that stays as it is, such as the weights of a network that
//! folds a tree.
//!
//! Law: values stay. Consider the functions that know of a recursive data type, with the types that it contains and
//! that contain it:
//! - a *maker* gets no such value from outside: all there are in a call of it, it has made or got from makers that it
//!   calls;
//! - a *taker* gets one parameter of such a type and makes none: all that it sees are parts of that parameter;
//! - all *others* call makers, and call takers with what makers gave, and do nothing else with it.
//!
//! It applies if each function is one of the three, and all makers hand the parameter on. A taker then finds in each
//! field that has it what the maker was called with. Functions that requests name are neither makers nor takers. At
//! most 16 parameters are handed on.

use pullback_base::IdVec;
use pullback_ir::{Atom, DataId, Elem, FuncId, Match, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::functions::specialise_constructors::{Key, has_no_tangent};
use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::call_graph::CallGraph;
use pullback_analysis::datas::held_by;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "static_arguments",
    phase: Phase::Specialise,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "hands what a recursive function puts into each of its values to what takes these apart",
    law: "g (f a) = g' a (f a), if f p = C(p, f p …) and g (C(p, x …)) = e and g' p (C(_, x …)) = e",
    run,
};

/// The most parameters that takers get: they hand all of them to each call.
const MOST: usize = 16;

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let families = families(program);
    if families.is_empty() {
        return Changed::Nothing;
    }
    let graph = analyses.call_graph(program, roots);
    if graph.order.len() < program.funcs.len() {
        // What nothing reaches may call what others do, and goes first.
        return Changed::Nothing;
    }
    let known: Vec<_> = graph.order.iter().map(|func| (*func, known(program, *func))).collect();
    let mut changed = false;
    for family in families {
        if let Some(plan) = Sites::of(program, &graph, &known, &family).and_then(Sites::plan) {
            plan.apply(program);
            changed = true;
        }
    }
    changed.into()
}

/// A recursive data type, with the types through which its values hold values of its own (`members`).
struct Family {
    members: FxHashSet<DataId>,
    /// Other types whose values hold values of the family.
    outside: FxHashSet<DataId>,
}

fn families(program: &Program) -> Vec<Family> {
    let reached: IdVec<DataId, IdVec<DataId, bool>> =
        program.datas.ids().map(|data| held_by(program, data)).collect();
    let mut families: Vec<Family> = vec![];
    for data in program.datas.ids().filter(|data| reached[*data][*data]) {
        let is_known = families.iter().any(|family| family.members.contains(&data));
        if is_known || !has_no_tangent(program, data) {
            continue;
        }
        let (members, outside) = program
            .datas
            .ids()
            .filter(|other| reached[*other][data])
            .partition(|other| reached[data][*other]);
        families.push(Family { members, outside });
    }
    families
}

/// The data types that a function knows of.
fn known(program: &Program, func: FuncId) -> FxHashSet<DataId> {
    let def = &program.funcs[func];
    let mut known = FxHashSet::default();
    let mut add = |ty: Type| known.extend(data_of(ty));
    def.results.iter().for_each(|ty| add(*ty));
    def.params.iter().for_each(|var| add(program.vars[*var].ty));
    def.body.visit(&mut |stmt| {
        let vars = stmt.vars.iter().copied().chain(stmt.op.inner_params());
        vars.for_each(|var| add(program.vars[var].ty));
    });
    known
}

/// The data type of a value or of the elements of an array.
fn data_of(ty: Type) -> Option<DataId> {
    if let Elem::Data(data) = ty.elem { Some(data) } else { None }
}

/// What a function does with the values of a family.
enum Role {
    Maker,
    /// At which parameter it gets the value.
    Taker(usize),
    Other,
}

/// Where a program makes and takes the values of a family.
struct Sites<'p> {
    program: &'p Program,
    members: &'p FxHashSet<DataId>,
    roles: FxHashMap<FuncId, Role>,
    /// From callees to callers.
    makers: Vec<FuncId>,
    /// Calls of makers by makers.
    calls: Vec<(FuncId, FuncId, Vec<Atom>)>,
    /// The applications of constructors, and in which function.
    applied: FxHashMap<Key, Vec<(FuncId, Vec<Atom>)>>,
    /// Values that makers have given to other functions, by the call that gave them.
    handed_out: FxHashMap<VarId, (FuncId, Vec<Atom>)>,
    /// The fields that takers look at.
    read: Vec<(Key, usize, VarId)>,
}

impl<'p> Sites<'p> {
    fn of(
        program: &'p Program,
        graph: &CallGraph,
        known: &[(FuncId, FxHashSet<DataId>)],
        family: &'p Family,
    ) -> Option<Self> {
        let mut sites = Self {
            program,
            members: &family.members,
            roles: FxHashMap::default(),
            makers: vec![],
            calls: vec![],
            applied: FxHashMap::default(),
            handed_out: FxHashMap::default(),
            read: vec![],
        };
        let mut funcs = vec![];
        for (func, known) in known {
            if !known.is_disjoint(&family.outside) {
                return None;
            }
            if !known.is_disjoint(&family.members) {
                let role = sites.role(*func, graph.is_held[*func])?;
                if matches!(role, Role::Maker) {
                    sites.makers.push(*func);
                }
                sites.roles.insert(*func, role);
                funcs.push(*func);
            }
        }
        funcs.into_iter().all(|func| sites.func(func)).then_some(sites)
    }

    fn holds(&self, ty: Type) -> bool {
        data_of(ty).is_some_and(|data| self.members.contains(&data))
    }

    fn is_one(&self, atom: Atom) -> bool {
        self.holds(self.program.type_of(atom))
    }

    /// The role of a function, if it has one that fits.
    fn role(&self, func: FuncId, is_held: bool) -> Option<Role> {
        let def = &self.program.funcs[func];
        let mut makes = def.results.iter().any(|ty| self.holds(*ty));
        def.body.visit(&mut |stmt| {
            makes |= matches!(stmt.op, Op::Con(..)) && self.is_one(Atom::Var(stmt.vars[0]));
        });
        let takes = |(_, param): &(usize, &VarId)| self.is_one(Atom::Var(**param));
        let mut taken = def.params.iter().enumerate().filter(takes).map(|(at, _)| at);
        match (makes, taken.next(), taken.next()) {
            (false, None, None) => Some(Role::Other),
            (true, None, None) if !is_held => Some(Role::Maker),
            (false, Some(at), None) if !is_held => Some(Role::Taker(at)),
            _ => None,
        }
    }

    /// Whether a function keeps to its role; notes its calls, constructors and reads.
    fn func(&mut self, func: FuncId) -> bool {
        let def = &self.program.funcs[func];
        let mut fits = true;
        def.body.visit(&mut |stmt| fits = fits && self.stmt(func, stmt));
        if matches!(self.roles[&func], Role::Taker(_)) {
            let uses = def.body.uses();
            def.body.visit(&mut |stmt| {
                let Op::Match(Match { scrutinee, arms, .. }) = &stmt.op else { return };
                let Some(data) = data_of(self.program.type_of(*scrutinee)) else { return };
                for arm in arms.iter().filter(|_| self.members.contains(&data)) {
                    let params = arm.params.iter().enumerate();
                    let params = params.filter(|(_, param)| uses.contains_key(*param));
                    self.read.extend(params.map(|(at, param)| ((data, arm.tag), at, *param)));
                }
            });
        }
        fits
    }

    /// Whether a statement is one of those that its function may have.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others give what they take")]
    fn stmt(&mut self, func: FuncId, stmt: &Stmt) -> bool {
        let gives = stmt.vars.iter().any(|var| self.is_one(Atom::Var(*var)));
        let mut takes = false;
        stmt.op.for_each_atom(&mut |atom| takes |= self.is_one(atom));
        if !gives && !takes {
            return true;
        }
        let role = &self.roles[&func];
        match &stmt.op {
            Op::Call(callee, args) => match (role, self.roles.get(callee)) {
                (Role::Maker, Some(Role::Maker)) => {
                    self.calls.push((func, *callee, args.clone()));
                    true
                }
                (Role::Other, Some(Role::Maker)) => {
                    self.handed_out
                        .extend(stmt.vars.iter().map(|var| (*var, (*callee, args.clone()))));
                    true
                }
                (Role::Taker(_), Some(Role::Taker(_))) => true,
                // What makers give is before what takes it.
                (Role::Other, Some(Role::Taker(at))) => {
                    args[*at].var().is_some_and(|var| self.handed_out.contains_key(&var))
                }
                _ => false,
            },
            Op::Custom { .. }
            | Op::Jvp(..)
            | Op::Linearize(..)
            | Op::Apply(..)
            | Op::ToTangent(..)
            | Op::FromTangent(..)
            | Op::Unpack { .. } => false,
            Op::Con(tag, fields) => {
                // It is of the family: others hold none of it.
                if let Some(data) = data_of(self.program.vars[stmt.vars[0]].ty) {
                    self.applied.entry((data, *tag)).or_default().push((func, fields.clone()));
                }
                true
            }
            _ => !matches!(role, Role::Other),
        }
    }

    /// The plan: which parameters of makers are handed to takers, if any.
    fn plan(self) -> Option<Plan> {
        let start = *self.makers.last()?;
        let mut plan = Plan::default();
        let mut planned: FxHashSet<VarId> = FxHashSet::default();
        for at in 0..self.program.funcs[start].params.len() {
            let param = self.program.funcs[start].params[at];
            if plan.handed.len() == MOST || self.program.vars[param].ty.is_acc {
                continue;
            }
            let Some(handed) = self.handed(start, at) else { continue };
            let is_alike = |(key, field, var): &&(Key, usize, VarId)| {
                !planned.contains(var)
                    && self.applied.get(key).is_some_and(|applied| {
                        applied.iter().all(|(func, fields)| {
                            let param = self.program.funcs[*func].params[handed[func]];
                            fields[*field] == Atom::Var(param)
                        })
                    })
            };
            let read: Vec<VarId> =
                self.read.iter().filter(is_alike).map(|(_, _, var)| *var).collect();
            if !read.is_empty() {
                planned.extend(&read);
                plan.handed.push(Handed { of: param, at: handed, read });
            }
        }
        let takers = self.roles.into_iter().filter_map(|(func, role)| match role {
            Role::Taker(at) => Some((func, at)),
            Role::Maker | Role::Other => None,
        });
        plan.takers = takers.collect();
        plan.handed_out = self.handed_out;
        (!plan.handed.is_empty()).then_some(plan)
    }

    /// For each maker the parameter that is always parameter `at` of `start`, if all makers hand it on.
    fn handed(&self, start: FuncId, at: usize) -> Option<FxHashMap<FuncId, usize>> {
        let mut handed = FxHashMap::from_iter([(start, at)]);
        let mut todo = vec![start];
        while let Some(func) = todo.pop() {
            let param = Atom::Var(self.program.funcs[func].params[handed[&func]]);
            for (_, callee, args) in self.calls.iter().filter(|(caller, _, _)| *caller == func) {
                let known = handed.get(callee).copied();
                let at = match known {
                    Some(at) => Some(at).filter(|at| args[*at] == param),
                    None => args.iter().position(|arg| *arg == param),
                };
                handed.insert(*callee, at?);
                if known.is_none() {
                    todo.push(*callee);
                }
            }
        }
        (handed.len() == self.makers.len()).then_some(handed)
    }
}

/// A static argument: a parameter that all makers hand on as it is.
struct Handed {
    /// The parameter.
    of: VarId,
    /// Its place in each maker.
    at: FxHashMap<FuncId, usize>,
    /// What takers find in fields that have it.
    read: Vec<VarId>,
}

#[derive(Default)]
struct Plan {
    handed: Vec<Handed>,
    /// With the place of what they take.
    takers: FxHashMap<FuncId, usize>,
    /// By which call a value was made.
    handed_out: FxHashMap<VarId, (FuncId, Vec<Atom>)>,
}

impl Plan {
    fn apply(&self, program: &mut Program) {
        let funcs: Vec<FuncId> = program.funcs.ids().collect();
        for id in funcs {
            let own: Vec<Atom> = self.takers.get(&id).map_or(vec![], |_| self.params(program, id));
            program.funcs[id].body.visit_mut(&mut |stmt| {
                let Op::Call(callee, args) = &mut stmt.op else { return };
                let Some(at) = self.takers.get(callee) else { return };
                let maker = args[*at].var().and_then(|var| self.handed_out.get(&var));
                if let Some((maker, inputs)) = maker {
                    args.extend(self.handed.iter().map(|handed| inputs[handed.at[maker]]));
                } else {
                    args.extend(&own);
                }
            });
        }
    }

    /// Gives a taker parameters, in place of what it finds in fields.
    fn params(&self, program: &mut Program, taker: FuncId) -> Vec<Atom> {
        let (mut params, mut atoms) = (vec![], FxHashMap::default());
        for handed in &self.handed {
            let param = program.fresh_like(handed.of);
            params.push(param);
            atoms.extend(handed.read.iter().map(|var| (*var, Atom::Var(param))));
        }
        let def = &mut program.funcs[taker];
        def.params.extend(&params);
        def.body.substitute(&atoms);
        params.into_iter().map(Atom::Var).collect()
    }
}
