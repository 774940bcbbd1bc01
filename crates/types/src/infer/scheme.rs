//! Generalisation and instantiation.
//!
//! A definition quantifies over the type variables that only it mentions, over the sizes likewise, and
//! keeps the constraints that speak of them. An Int parameter that a size mentions becomes a size of
//! the scheme too: `replicate : (n: Int) -> a -> [n]a`; a use says which size its argument is.

use indexmap::IndexSet;
use pullback_base::{Name, Span, bug};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::bindings::Scheme;
use super::callee::{Callee, Cause};
use super::constraints::Pending;
use super::instance::Instance;
use super::solver::Solver;
use super::state::Infer;
use super::table::{SizeCell, size_of};
use super::unifier::Unifier;
use crate::show::letter;
use crate::tir::{Constraint, ParamId, SizeParam};
use crate::ty::{Atom, Poly, Size, SizeVar, Ty, TyVar};

/// A use of a generalised definition.
#[derive(Debug)]
pub(super) struct Use {
    pub ty: Ty,
    /// What its quantified variables are here.
    pub args: Vec<Ty>,
    /// The sizes that the arguments at these positions give.
    pub dependents: Vec<(usize, SizeVar)>,
}

/// A member of a group that is being generalised.
#[derive(Debug)]
pub(super) struct Member {
    pub ty: Ty,
    /// Its declared type variables.
    pub rigid: Vec<ParamId>,
    /// For each parameter without a declared type, the place that decided its type.
    pub decided: Vec<Option<Span>>,
    /// Its own sizes: the declared ones, and the Int parameters with their positions.
    pub own: Vec<(Atom, Name, Option<usize>)>,
    /// Whether it may be computed again for each use: it is a function.
    pub is_function: bool,
}

/// How many constraints back an equal one is looked for.
const NEIGHBOURS: usize = 64;

impl Solver<'_> {
    /// New unknowns for everything a scheme quantifies over; its constraints arise at `span`.
    pub(super) fn instantiate(&mut self, scheme: &Scheme, name: &Name, span: Span) -> Use {
        if scheme.params.is_empty() && scheme.sizes.is_empty() {
            return Use { ty: scheme.ty.clone(), args: vec![], dependents: vec![] };
        }
        let args: Vec<Ty> = scheme.params.iter().map(|_| self.unifier.fresh()).collect();
        let sizes: Vec<SizeVar> =
            scheme.sizes.iter().map(|_| self.unifier.fresh_size_var()).collect();
        let instance = Instance {
            types: scheme.params.iter().copied().zip(args.iter().cloned()).collect(),
            sizes: scheme.sizes.iter().map(|size| size.id).zip(sizes.iter().copied()).collect(),
        };
        let ty = self.unifier.instance_at(span, &scheme.ty, &instance);
        for (constraint, place) in scheme.constraints.iter().zip(&scheme.places) {
            let constraint =
                map_constraint(constraint, &mut |ty| self.unifier.instance_at(span, ty, &instance));
            let used = Some(Callee::Named(name.clone(), None));
            let cause = Cause { used, inside: Some(*place), operator: None };
            self.caused(cause, |this| this.require_at(span, constraint));
        }
        let dependents =
            scheme.sizes.iter().zip(sizes).filter_map(|(size, var)| Some((size.value_of?, var)));
        Use { ty, args, dependents: dependents.collect() }
    }

    /// Two types of this group of which nothing is known but that they have the same shape are the
    /// same: there are no sizes in which they could differ.
    fn settle_shapes(&mut self, start: usize) {
        for index in start..self.unifier.constraints.len() {
            let Some(Pending { constraint: Constraint::SameShape(a, b), .. }) =
                self.unifier.constraints.get(index).cloned()
            else {
                continue;
            };
            let (Ty::Var(a), Ty::Var(b)) =
                (self.unifier.table.resolve(&a), self.unifier.table.resolve(&b))
            else {
                continue;
            };
            if a == b {
                self.unifier.constraints.take(index);
            } else if self.unifier.is_deep(a) && self.unifier.is_deep(b) {
                self.unifier.constraints.take(index);
                self.unifier.merge(b, a);
            }
        }
        self.run_ready();
    }

    /// Declares a quantified type variable owned by a binding of this level.
    pub(super) fn new_param(&mut self, name: &Name, level: u32, written: bool) -> ParamId {
        self.typed.params.push(name.clone());
        self.unifier.table.param(level, written)
    }
}

impl Unifier {
    /// One instance of a type, which may have as many nodes as any type; a larger one is reported at `span`.
    fn instance_at(&mut self, span: Span, ty: &Ty, instance: &Instance) -> Ty {
        self.table.begin_steps();
        self.table
            .instance_of(ty, instance)
            .unwrap_or_else(|_| self.reports.report_too_large(span).ty())
    }

    /// Replaces the parameters of a declaration by types, for a use of it at `span`.
    pub(super) fn substitute(
        &mut self,
        span: Span,
        ty: &Ty,
        params: &[ParamId],
        args: &[Ty],
    ) -> Ty {
        let types = params.iter().copied().zip(args.iter().cloned()).collect();
        self.instance_at(span, ty, &Instance { types, sizes: FxHashMap::default() })
    }

    /// Constrained variables of a value that is computed once are not generalised.
    fn keep_constrained(&mut self, start: usize) {
        for constraint in self.constraints.since(start) {
            for ty in types_of(&constraint) {
                self.keep_all(ty);
            }
        }
    }

    /// Variables that a constraint determines from one of the surroundings are not generalised.
    fn keep_determined(&mut self, start: usize) {
        let constraints = self.constraints.since(start);
        let mut changed = true;
        while changed {
            changed = false;
            for constraint in &constraints {
                let types = types_of(constraint);
                let vars: Vec<TyVar> =
                    types.iter().flat_map(|ty| self.table.free_vars(ty, false)).collect();
                let outer = |infer: &Self, var: &TyVar| !infer.is_deep(*var);
                if types.len() > 1
                    && vars.iter().any(|var| outer(self, var))
                    && !vars.iter().all(|var| outer(self, var))
                {
                    types.into_iter().for_each(|ty| self.keep_all(ty));
                    changed = true;
                }
            }
        }
    }

    fn is_deep(&self, var: TyVar) -> bool {
        self.table.free(var).is_some_and(|free| free.level > self.level())
    }

    fn keep_all(&mut self, ty: &Ty) {
        for var in self.table.free_vars(ty, false) {
            if let Some(mut free) = self.table.free(var) {
                free.level = free.level.min(self.level());
                self.table.set_free(var, free);
            }
        }
    }

    fn quantify_sizes(&mut self, members: &[Member], start: usize) -> Vec<SizeParam> {
        let mut taken: Vec<Name> =
            members.iter().flat_map(|m| m.own.iter().map(|(_, name, _)| name.clone())).collect();
        let mut sizes = Vec::new();
        let mut names = ["n", "m", "k", "l"]
            .iter()
            .map(|name| Name::from(*name))
            .chain((1..).map(|i| Name::from(format!("n{i}"))));
        let mut types: Vec<Ty> = members.iter().map(|member| member.ty.clone()).collect();
        for constraint in self.constraints.since(start) {
            if let Constraint::Product(..) = constraint {
                types.extend(types_of(&constraint).into_iter().cloned());
            }
        }
        for ty in types {
            for var in self.free_sizes(&ty) {
                let SizeCell::Free(level, _) = *self.table.size(var) else { continue };
                if level <= self.level() {
                    continue;
                }
                let Some(name) = names.by_ref().find(|name| !taken.contains(name)) else {
                    continue;
                };
                taken.push(name.clone());
                let id = self.table.size_param();
                self.table
                    .set_size(var, SizeCell::Bound(Size::Poly(Poly::atom(Atom::Param(id)).into())));
                sizes.push(SizeParam { id, name, value_of: None });
            }
        }
        sizes
    }

    /// The free size variables of a type, in order of appearance.
    fn free_sizes(&mut self, ty: &Ty) -> Vec<SizeVar> {
        let mut found = Vec::new();
        let ty = self.known(ty);
        each_size(&ty, &mut |size| {
            if let Size::Poly(poly) = size {
                for atom in poly.atoms() {
                    if let Atom::Var(var) = atom
                        && !found.contains(var)
                    {
                        found.push(*var);
                    }
                }
            }
        });
        found
    }

    /// Takes out the constraints that speak of variables this group quantifies over.
    fn take_constraints(&mut self, start: usize) -> Vec<(Constraint, Span)> {
        let mut taken: Vec<(Constraint, Span)> = Vec::new();
        for index in start..self.constraints.len() {
            let Some(Pending { constraint, span, .. }) = self.constraints.get(index).cloned()
            else {
                continue;
            };
            let constraint = map_constraint(&constraint, &mut |ty| self.known(ty));
            let mine = types_of(&constraint).into_iter().any(|ty| self.mentions_own_param(ty));
            if mine {
                self.constraints.take(index);
                // Only neighbours are compared: equal constraints mostly arise side by side.
                if !taken.iter().rev().take(NEIGHBOURS).any(|(known, _)| *known == constraint) {
                    taken.push((constraint, span));
                }
            }
        }
        taken
    }

    fn mentions_own_param(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Param(param) => self.table.param_level(*param) > self.level(),
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Var(_) | Ty::Error => false,
            Ty::Tuple(items) | Ty::Sum(_, items) => {
                items.iter().any(|item| self.mentions_own_param(item))
            }
            Ty::Record(fields) => fields.iter().any(|(_, ty)| self.mentions_own_param(ty)),
            Ty::Array(_, element) | Ty::Tangent(element) => self.mentions_own_param(element),
            Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
                self.mentions_own_param(a) || self.mentions_own_param(b)
            }
        }
    }
}

impl Infer<'_> {
    /// Generalises what is a group of its own.
    pub(super) fn generalise_one(&mut self, member: Member, start: usize) -> Scheme {
        let scheme = self.generalise(&[member], start).pop();
        scheme.unwrap_or_else(|| bug("infer", "a scheme for each member of a group"))
    }

    /// Generalises a group whose constraints begin at `start`; the level is that of the surroundings.
    pub(super) fn generalise(&mut self, members: &[Member], start: usize) -> Vec<Scheme> {
        self.solver().run_ready();
        self.solver().settle_shapes(start);
        for member in members {
            if !member.is_function {
                self.unifier.keep_constrained(start);
            }
        }
        self.unifier.keep_determined(start);
        let mut params: Vec<ParamId> =
            members.iter().flat_map(|member| member.rigid.iter().copied()).collect();
        self.quantify(members, start, &mut params);
        let sizes = self.unifier.quantify_sizes(members, start);
        let (constraints, places): (Vec<Constraint>, Vec<Span>) =
            self.unifier.take_constraints(start).into_iter().unzip();
        let scheme = |infer: &mut Self, member: &Member| {
            let mut own = Vec::new();
            let mut rename = FxHashMap::default();
            for (atom, name, value_of) in &member.own {
                let id = infer.unifier.table.size_param();
                own.push(SizeParam { id, name: name.clone(), value_of: *value_of });
                rename.insert(atom.clone(), id);
            }
            let ty = infer.unifier.known(&member.ty);
            let ty = rename_sizes(&ty, &rename);
            let constraints: Vec<Constraint> = constraints
                .iter()
                .map(|constraint| {
                    map_constraint(constraint, &mut |ty| {
                        rename_sizes(&infer.unifier.known(ty), &rename)
                    })
                })
                .collect();
            let mut mentioned = sizes_of(&ty);
            for constraint in &constraints {
                mentioned.extend(types_of(constraint).into_iter().flat_map(sizes_of));
            }
            own.extend(sizes.iter().cloned());
            own.retain(|size| mentioned.contains(&size.id));
            let decided = member.decided.clone().into();
            let (params, places) = (params.clone(), places.clone());
            Scheme { params, sizes: own, constraints, places, decided, ty }
        };
        members.iter().map(|member| scheme(self, member)).collect()
    }

    /// Turns the variables that only this group mentions into parameters.
    fn quantify(&mut self, members: &[Member], start: usize, params: &mut Vec<ParamId>) {
        let mut vars: IndexSet<TyVar, FxBuildHasher> = IndexSet::default();
        for member in members {
            let free = self.unifier.table.free_vars(&member.ty, false);
            vars.extend(free.into_iter().filter(|var| self.unifier.is_deep(*var)));
        }
        let constraints = self.unifier.constraints.since(start);
        let mut changed = true;
        while changed {
            changed = false;
            for constraint in &constraints {
                let mentioned: Vec<TyVar> = types_of(constraint)
                    .into_iter()
                    .flat_map(|ty| self.unifier.table.free_vars(ty, false))
                    .collect();
                if mentioned.iter().any(|var| vars.contains(var)) {
                    let new = mentioned
                        .into_iter()
                        .filter(|var| !vars.contains(var) && self.unifier.is_deep(*var));
                    let new: Vec<TyVar> = new.collect();
                    changed |= !new.is_empty();
                    vars.extend(new);
                }
            }
        }
        let mut taken: FxHashSet<Name> = self.scope.type_var_names().cloned().collect();
        taken.extend(params.iter().map(|param| self.typed.params[*param].clone()));
        let mut next = 0;
        for var in vars {
            if self.unifier.table.free(var).is_none() {
                continue;
            }
            let name = loop {
                let name = Name::from(letter(next, b'a'));
                next += 1;
                if !taken.contains(&name) {
                    break name;
                }
            };
            let level = self.unifier.level() + 1;
            let param = self.solver().new_param(&name, level, false);
            params.push(param);
            let woken = self.unifier.table.bind(var, Ty::Param(param), Span::NONE);
            self.unifier.constraints.wake(woken);
        }
        self.solver().run_ready();
    }
}

/// The types a constraint speaks of.
pub(super) fn types_of(constraint: &Constraint) -> Vec<&Ty> {
    match constraint {
        Constraint::Num(ty) | Constraint::Vector(ty) | Constraint::Whole(ty) => vec![ty],
        Constraint::Scalar(ty) => vec![ty],
        Constraint::Ord(ty) | Constraint::Eq(ty) | Constraint::Diff(ty) => vec![ty],
        Constraint::Field(a, _, b) | Constraint::Component(a, _, b) => vec![a, b],
        Constraint::Power(a, b) | Constraint::MatRow(a, b) => vec![a, b],
        Constraint::Leaf(a, b) => vec![a, b],
        Constraint::Tangent(a, b) | Constraint::SameShape(a, b) => vec![a, b],
        Constraint::Jacobian(_, a, b, c) | Constraint::Product(a, b, c) => vec![a, b, c],
    }
}

/// The same constraint on other types.
pub(super) fn map_constraint(constraint: &Constraint, f: &mut impl FnMut(&Ty) -> Ty) -> Constraint {
    match constraint {
        Constraint::Num(ty) => Constraint::Num(f(ty)),
        Constraint::Vector(ty) => Constraint::Vector(f(ty)),
        Constraint::Whole(ty) => Constraint::Whole(f(ty)),
        Constraint::Scalar(ty) => Constraint::Scalar(f(ty)),
        Constraint::Ord(ty) => Constraint::Ord(f(ty)),
        Constraint::Eq(ty) => Constraint::Eq(f(ty)),
        Constraint::Diff(ty) => Constraint::Diff(f(ty)),
        Constraint::Field(a, name, b) => Constraint::Field(f(a), name.clone(), f(b)),
        Constraint::Component(a, index, b) => Constraint::Component(f(a), *index, f(b)),
        Constraint::Power(a, b) => Constraint::Power(f(a), f(b)),
        Constraint::MatRow(a, b) => Constraint::MatRow(f(a), f(b)),
        Constraint::Product(a, b, c) => Constraint::Product(f(a), f(b), f(c)),
        Constraint::Leaf(a, b) => Constraint::Leaf(f(a), f(b)),
        Constraint::Tangent(a, b) => Constraint::Tangent(f(a), f(b)),
        Constraint::SameShape(a, b) => Constraint::SameShape(f(a), f(b)),
        Constraint::Jacobian(of, a, b, c) => Constraint::Jacobian(*of, f(a), f(b), f(c)),
    }
}

/// Calls `f` on every size in a type whose variables are resolved.
pub(super) fn each_size(ty: &Ty, f: &mut impl FnMut(&Size)) {
    match ty {
        Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Var(_) | Ty::Param(_) | Ty::Error => {}
        Ty::Tuple(items) | Ty::Sum(_, items) => items.iter().for_each(|item| each_size(item, f)),
        Ty::Record(fields) => fields.iter().for_each(|(_, ty)| each_size(ty, f)),
        Ty::Array(size, element) => {
            f(size);
            each_size(element, f);
        }
        Ty::Tangent(inner) => each_size(inner, f),
        Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
            each_size(a, f);
            each_size(b, f);
        }
    }
}

fn sizes_of(ty: &Ty) -> Vec<u32> {
    let mut found = Vec::new();
    each_size(ty, &mut |size| {
        if let Size::Poly(poly) = size {
            found.extend(
                poly.atoms()
                    .filter_map(|atom| if let Atom::Param(id) = atom { Some(*id) } else { None }),
            );
        }
    });
    found
}

/// Replaces atoms by size parameters.
fn rename_sizes(ty: &Ty, rename: &FxHashMap<Atom, u32>) -> Ty {
    if rename.is_empty() {
        return ty.clone();
    }
    let again = |ty: &Ty| rename_sizes(ty, rename);
    match ty {
        Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Var(_) | Ty::Param(_) | Ty::Error => {
            ty.clone()
        }
        Ty::Tuple(items) => Ty::Tuple(items.iter().map(again).collect()),
        Ty::Sum(id, args) => Ty::Sum(*id, args.iter().map(again).collect()),
        Ty::Record(fields) => {
            Ty::Record(fields.iter().map(|(name, ty)| (name.clone(), again(ty))).collect())
        }
        Ty::Array(size, element) => {
            let size = match size {
                Size::Any => Size::Any,
                Size::Poly(poly) => size_of(poly.substitute(&mut |atom| {
                    Some(Poly::atom(
                        rename.get(atom).map_or_else(|| atom.clone(), |id| Atom::Param(*id)),
                    ))
                })),
            };
            Ty::Array(size, again(element).into())
        }
        Ty::Tangent(inner) => Ty::Tangent(again(inner).into()),
        Ty::Fun(a, b) => Ty::Fun(again(a).into(), again(b).into()),
        Ty::Jacobian(a, b) => Ty::Jacobian(again(a).into(), again(b).into()),
    }
}
