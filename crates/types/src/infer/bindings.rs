//! What inference knows about definitions and local variables beside their entries in the typed tree.

use std::rc::Rc;

use pullback_base::IdVec;

use crate::tir::{Constraint, GlobalId, LocalId, ParamId, SizeParam};
use crate::ty::{Atom, Poly, Ty};

/// What a definition binds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binder {
    Global(GlobalId),
    Local(LocalId),
}

/// A generalised type.
#[derive(Clone, Debug, Default)]
pub(super) struct Scheme {
    pub params: Vec<ParamId>,
    pub sizes: Vec<SizeParam>,
    pub constraints: Vec<Constraint>,
    pub ty: Ty,
}

/// The type of a definition while its group is inferred.
#[derive(Debug)]
pub(super) struct Assumed {
    pub ty: Ty,
    /// Its own sizes, with the position of the parameter if it is one's value.
    pub own: Vec<(Atom, Option<usize>)>,
    /// Whether its whole type was written.
    pub complete: bool,
}

/// What inference knows about a local variable.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalInfo {
    /// How many binders enclose it.
    pub depth: u32,
    /// The size it equals, for an Int variable bound to a size.
    pub size: Option<Poly>,
    /// Whether it is a declared size name.
    pub rigid: bool,
    /// Whether it is a declared size that no argument measures: it speaks about types only.
    pub phantom: bool,
    /// Its type scheme, once generalised.
    pub scheme: Option<Rc<Scheme>>,
    /// Its type while its own group is inferred.
    pub assumed: Option<Rc<Assumed>>,
}

/// What inference knows about a definition.
#[derive(Clone, Debug, Default)]
pub(super) enum GlobalState {
    /// Its group comes later.
    #[default]
    Unseen,
    /// Its group is being inferred.
    Assumed(Rc<Assumed>),
    /// Generalised.
    Done(Rc<Scheme>),
}

/// What is known of everything that is bound.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    pub globals: IdVec<GlobalId, GlobalState>,
    pub locals: IdVec<LocalId, LocalInfo>,
}

impl Bindings {
    /// Gives a definition its type inside its own group.
    pub fn assume(&mut self, binder: Binder, assumed: Assumed) {
        let assumed = Rc::new(assumed);
        match binder {
            Binder::Global(global) => self.globals[global] = GlobalState::Assumed(assumed),
            Binder::Local(local) => self.locals[local].assumed = Some(assumed),
        }
    }

    /// Gives a definition its generalised type.
    pub fn generalise(&mut self, binder: Binder, scheme: Scheme) {
        let scheme = Rc::new(scheme);
        match binder {
            Binder::Global(global) => self.globals[global] = GlobalState::Done(scheme),
            Binder::Local(local) => {
                self.locals[local].assumed = None;
                self.locals[local].scheme = Some(scheme);
            }
        }
    }

    /// The size that an Int variable is.
    pub fn size_of(&self, local: LocalId) -> Poly {
        let info = &self.locals[local];
        match &info.size {
            Some(size) => size.clone(),
            None if info.rigid => Poly::atom(Atom::Rigid(local)),
            None => Poly::atom(Atom::Local(local)),
        }
    }
}
