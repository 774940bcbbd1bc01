//! The unification variables: their cells, path compression, and which constraints wait for them.

use pullback_base::IdVec;

use crate::tir::ParamId;
use crate::ty::{Poly, Size, SizeVar, Ty, TyVar};

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

/// All variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    types: IdVec<TyVar, TyCell>,
    sizes: IdVec<SizeVar, SizeCell>,
    waiting: IdVec<TyVar, Vec<usize>>,
    params: IdVec<ParamId, (u32, bool)>,
}

impl Table {
    pub fn fresh(&mut self, free: Free) -> TyVar {
        self.waiting.push(vec![]);
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
    /// Makes a variable known and returns the constraints that waited for it.
    pub fn bind(&mut self, var: TyVar, ty: Ty) -> Vec<usize> {
        self.types[var] = TyCell::Bound(ty);
        std::mem::take(&mut self.waiting[var])
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
    pub fn size(&self, var: SizeVar) -> &SizeCell {
        &self.sizes[var]
    }
    pub fn set_size(&mut self, var: SizeVar, cell: SizeCell) {
        self.sizes[var] = cell;
    }
}

/// The size of a polynomial that overflowed or grew too far.
pub(super) fn size_of(poly: Option<Poly>) -> Size {
    poly.map_or(Size::Any, |poly| Size::Poly(poly.into()))
}
