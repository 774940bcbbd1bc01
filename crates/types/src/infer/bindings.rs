//! What inference knows about definitions and local variables beside their entries in the typed tree.

use std::rc::Rc;

use pullback_base::{IdVec, Span, bug};

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
    /// The places in the definition where the constraints arose, in the same order.
    pub places: Vec<Span>,
    /// For each parameter without a declared type, the place that decided its type.
    pub decided: Rc<[Option<Span>]>,
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
    globals: IdVec<GlobalId, GlobalState>,
    locals: IdVec<LocalId, LocalInfo>,
}

impl Bindings {
    /// Declares the next definition, whose group comes later.
    pub fn declare_global(&mut self) {
        self.globals.push(GlobalState::Unseen);
    }

    /// Declares the next local variable.
    pub fn declare_local(&mut self) -> LocalId {
        self.locals.push(LocalInfo::default())
    }

    pub fn global(&self, global: GlobalId) -> &GlobalState {
        &self.globals[global]
    }

    /// The type of a definition whose group has been generalised.
    pub fn scheme(&self, global: GlobalId) -> &Scheme {
        let GlobalState::Done(scheme) = &self.globals[global] else {
            bug("infer", "a scheme of each definition of a group")
        };
        scheme
    }

    pub fn local(&self, local: LocalId) -> &LocalInfo {
        &self.locals[local]
    }

    /// Notes the size that a variable is bound to.
    pub fn set_size(&mut self, local: LocalId, size: Option<Poly>) {
        self.locals[local].size = size;
    }

    /// Makes a variable a declared size name.
    pub fn make_rigid(&mut self, local: LocalId) {
        self.locals[local].rigid = true;
    }

    /// Notes that no argument measures a declared size.
    pub fn make_phantom(&mut self, local: LocalId) {
        self.locals[local].phantom = true;
    }

    /// Whether some declared size is measured by no argument.
    pub fn has_phantoms(&self) -> bool {
        self.locals.iter().any(|info| info.phantom)
    }

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
