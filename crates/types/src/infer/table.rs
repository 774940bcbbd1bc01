//! The unification variables: their cells, path compression, and which constraints wait for them.

use indexmap::IndexSet;
use pullback_base::{IdVec, Span};
use rustc_hash::FxBuildHasher;

use super::clash::Clash;
use crate::tir::ParamId;
use crate::ty::{Atom, Poly, Size, SizeVar, Ty, TyVar, TypeDeclId};

/// A type variable.
#[derive(Clone, Debug)]
pub(super) enum TyCell {
    /// Not known yet.
    Free(Free),
    /// Known.
    Bound(Ty),
}

/// What an unknown type may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    /// It may be generalised by a binding whose level is smaller.
    pub level: u32,
    /// Its sizes may mention variables up to this depth.
    pub depth: u32,
    /// Whether its sizes are forgotten: a use inside its own group of a definition without a full
    /// signature.
    pub loose: bool,
}

/// A size variable.
#[derive(Clone, Debug)]
pub(super) enum SizeCell {
    /// Not known yet: level and depth.
    Free(u32, u32),
    /// Known.
    Bound(Size),
}

/// Which variables of a type are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// The free ones.
    Free,
    /// The free ones, and one that stands for all that are quantified.
    WithParams,
    /// The free ones that the shape of the type depends on: that of a tangent or Jacobian is open.
    OfShape,
}

/// All variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    types: IdVec<TyVar, TyCell>,
    sizes: IdVec<SizeVar, SizeCell>,
    waiting: IdVec<TyVar, Vec<usize>>,
    /// Where a variable became known, and the variable that it became, if it became one.
    decided: IdVec<TyVar, Option<(Span, Option<TyVar>)>>,
    params: IdVec<ParamId, (u32, bool)>,
    /// How many sizes have been generalised.
    size_params: u32,
    /// What is inside the declared sums.
    sums: IdVec<TypeDeclId, SumInfo>,
    /// How many type nodes the current operation has visited.
    steps: u32,
}

/// How many type nodes one operation may visit.
const MAX_STEPS: u32 = 10_000;

/// What is inside a sum type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SumInfo {
    /// An Int, a Bool, a String or a value whose type names its tangent type, whatever its arguments are: what is not
    /// its own tangent.
    pub discrete: bool,
    /// A function, whatever its arguments are.
    pub function: bool,
    /// The tangent type that its declaration names.
    pub tangent: Option<Ty>,
    /// A value whose type names its tangent type, whatever its arguments are.
    pub charts: bool,
    /// Which parameters occur in it at all.
    pub uses: Vec<bool>,
}

impl Table {
    pub fn fresh(&mut self, free: Free) -> TyVar {
        self.waiting.push(vec![]);
        self.decided.push(None);
        self.types.push(TyCell::Free(free))
    }
    pub fn fresh_size(&mut self, level: u32, depth: u32) -> SizeVar {
        self.sizes.push(SizeCell::Free(level, depth))
    }
    /// Follows bound variables to a type whose head is known, or to an unknown variable.
    pub fn resolve(&mut self, ty: &Ty) -> Ty {
        let Ty::Var(first) = ty else { return ty.clone() };
        let mut last = *first;
        let end = loop {
            match &self.types[last] {
                TyCell::Free(_) => break Ty::Var(last),
                TyCell::Bound(Ty::Var(next)) => last = *next,
                TyCell::Bound(known) => break known.clone(),
            }
        };
        // Every variable on the way now points straight to the end.
        let mut var = *first;
        while let TyCell::Bound(Ty::Var(next)) = self.types[var] {
            self.types[var] = TyCell::Bound(end.clone());
            var = next;
        }
        end
    }
    /// The cell of an unknown variable.
    pub fn free(&self, var: TyVar) -> Option<Free> {
        if let TyCell::Free(free) = self.types[var] { Some(free) } else { None }
    }
    pub fn set_free(&mut self, var: TyVar, free: Free) {
        self.types[var] = TyCell::Free(free);
    }
    /// Makes a variable known, by what stands at `at`, and returns the constraints that waited for it.
    pub fn bind(&mut self, var: TyVar, ty: Ty, at: Span) -> Vec<usize> {
        self.decided[var] = Some((at, if let Ty::Var(next) = ty { Some(next) } else { None }));
        self.types[var] = TyCell::Bound(ty);
        std::mem::take(&mut self.waiting[var])
    }
    /// The place that decided what a type is which began as a variable: where it became known, or else
    /// where it became the same as another one.
    pub fn decided_at(&self, ty: &Ty) -> Option<Span> {
        let Ty::Var(first) = ty else { return None };
        let (mut place, mut next) = self.decided[*first]?;
        while let Some((later, following)) = next.and_then(|var| self.decided[var]) {
            (place, next) = (later, following);
        }
        (!place.is_none()).then_some(place)
    }
    pub fn wait(&mut self, var: TyVar, constraint: usize) {
        self.waiting[var].push(constraint);
    }
    /// The constraints that wait for a variable; some may be solved by now.
    pub fn waiting(&self, var: TyVar) -> &[usize] {
        &self.waiting[var]
    }
    /// Declares the next quantified variable, with the level of the binding that owns it, and whether
    /// it was written by the user.
    pub fn param(&mut self, level: u32, written: bool) -> ParamId {
        self.params.push((level, written))
    }
    /// Whether the variable was written by the user, and so stands for every type.
    pub fn is_written(&self, param: ParamId) -> bool {
        self.params.get(param).is_some_and(|(_, written)| *written)
    }
    /// The level of the binding that quantifies over `param`.
    pub fn param_level(&self, param: ParamId) -> u32 {
        self.params.get(param).map_or(0, |(level, _)| *level)
    }
    /// Declares the next sum, with so many parameters; nothing is known to be inside it yet.
    pub fn declare_sum(&mut self, params: usize) {
        self.sums.push(SumInfo { uses: vec![false; params], ..SumInfo::default() });
    }
    /// What is inside a sum.
    pub fn sum(&self, id: TypeDeclId) -> &SumInfo {
        &self.sums[id]
    }
    /// Notes what is inside a sum; whether that is new.
    pub fn learn_sum(&mut self, id: TypeDeclId, info: SumInfo) -> bool {
        let is_new = self.sums[id] != info;
        self.sums[id] = info;
        is_new
    }
    pub fn size(&self, var: SizeVar) -> &SizeCell {
        &self.sizes[var]
    }
    pub fn set_size(&mut self, var: SizeVar, cell: SizeCell) {
        self.sizes[var] = cell;
    }
    /// The next quantified size.
    pub fn size_param(&mut self) -> u32 {
        self.size_params += 1;
        self.size_params - 1
    }
    /// Begins a bounded operation; gives the steps of the one around it.
    pub fn begin_steps(&mut self) -> u32 {
        std::mem::take(&mut self.steps)
    }
    /// Goes on with the operation that has taken so many steps.
    pub fn resume_steps(&mut self, steps: u32) {
        self.steps = steps;
    }
    /// One step of bounded work on types.
    pub fn spend(&mut self) -> Result<(), Clash> {
        self.steps += 1;
        if self.steps >= MAX_STEPS { Err(Clash::TooLarge) } else { Ok(()) }
    }
    /// The size with every known variable replaced.
    pub fn resolve_size(&self, size: &Size) -> Size {
        let Size::Poly(poly) = size else { return Size::Any };
        if !poly.atoms().any(|atom| matches!(atom, Atom::Var(_))) {
            return size.clone();
        }
        size_of(self.resolve_poly(poly))
    }

    fn resolve_poly(&self, poly: &Poly) -> Option<Poly> {
        poly.substitute(&mut |atom| match atom {
            Atom::Var(var) => match self.size(*var) {
                SizeCell::Bound(Size::Poly(known)) => self.resolve_poly(known),
                SizeCell::Bound(Size::Any) => None,
                SizeCell::Free(..) => Some(Poly::atom(atom.clone())),
            },
            Atom::Rigid(_) | Atom::Local(_) | Atom::Param(_) | Atom::Opaque(_) => {
                Some(Poly::atom(atom.clone()))
            }
        })
    }

    /// The free variables of a type; with `params`, a quantified variable counts as some variable
    /// (the first there is stands for it). Looks at a bounded part of the type.
    pub fn free_vars(&mut self, ty: &Ty, params: bool) -> Vec<TyVar> {
        let among = if params { Among::WithParams } else { Among::Free };
        self.vars(ty, among).into_iter().collect()
    }

    pub fn vars(&mut self, ty: &Ty, among: Among) -> IndexSet<TyVar, FxBuildHasher> {
        let mut found = IndexSet::default();
        let mut stack = vec![ty.clone()];
        for _ in 0..10_000 {
            let Some(ty) = stack.pop() else { break };
            match self.resolve(&ty) {
                Ty::Var(var) => {
                    found.insert(var);
                }
                Ty::Param(_) if among == Among::WithParams => {
                    found.insert(TyVar(u32::MAX));
                }
                Ty::Tangent(_) | Ty::Jacobian(..) if among == Among::OfShape => {}
                Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Error => {}
                Ty::Tuple(items) | Ty::Sum(_, items) => stack.extend(items.iter().rev().cloned()),
                Ty::Record(fields) => stack.extend(fields.iter().rev().map(|(_, ty)| ty.clone())),
                Ty::Array(_, element) | Ty::Tangent(element) => {
                    stack.push(element.as_ref().clone())
                }
                Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
                    stack.extend([b.as_ref().clone(), a.as_ref().clone()])
                }
            }
        }
        found
    }

    /// Whether a variable is a part of a type.
    pub fn occurs(&mut self, var: TyVar, ty: &Ty) -> Result<bool, Clash> {
        self.spend()?;
        let head = self.resolve(ty);
        Ok(match &head {
            Ty::Var(other) => *other == var,
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Error => false,
            Ty::Tuple(items) | Ty::Sum(_, items) => self.occurs_in(var, items.iter())?,
            Ty::Record(fields) => self.occurs_in(var, fields.iter().map(|(_, ty)| ty))?,
            Ty::Array(_, element) | Ty::Tangent(element) => self.occurs(var, element)?,
            Ty::Fun(a, b) | Ty::Jacobian(a, b) => self.occurs(var, a)? || self.occurs(var, b)?,
        })
    }

    fn occurs_in<'t>(
        &mut self,
        var: TyVar,
        items: impl Iterator<Item = &'t Ty>,
    ) -> Result<bool, Clash> {
        for item in items {
            if self.occurs(var, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lowers a free variable's level and depth to those of the place it is now seen from.
    pub fn lower(&mut self, var: TyVar, to: Free) {
        if let Some(free) = self.free(var) {
            let level = free.level.min(to.level);
            let depth = free.depth.min(to.depth);
            self.set_free(var, Free { level, depth, loose: free.loose || to.loose });
        }
    }
}

/// The size of a polynomial that overflowed or grew too far.
pub(super) fn size_of(poly: Option<Poly>) -> Size {
    poly.map_or(Size::Any, |poly| Size::Poly(poly.into()))
}
