//! The state of inference, in parts that own what they keep.

use pullback_base::{Diagnostic, Name, Span};

use super::aliases::Aliases;
use super::bindings::Bindings;
use super::scope::{Mark, Scope};
use super::solver::Solver;
use super::unifier::Unifier;
use crate::records::RecordOrders;
use crate::resolve::{Declared, Shelf, Source};
use crate::tir::{Global, GlobalId, Local, LocalId, TExpr, TExprKind, Typed};
use crate::ty::{Size, Ty};

/// The state of inference.
pub(super) struct Infer<'a> {
    /// What the modules declare.
    pub declared: Declared<'a>,
    /// What they could import.
    pub shelf: Shelf,
    /// The typed tree so far.
    pub typed: Typed,
    /// What is known of types and sizes, and is to be.
    pub unifier: Unifier,
    pub records: RecordOrders,
    pub aliases: Aliases,
    pub bindings: Bindings,
    pub scope: Scope,
    /// Constant indices into arrays whose sizes are not known yet, and where they stand.
    pub later_ranges: Vec<(i64, Size, Span)>,
    /// The definitions that sizes in types mention, where, and as what.
    pub sizes_in_types: Vec<(GlobalId, Span, Ty)>,
    /// How many branches and bodies of loops are open, which may never be evaluated.
    pub doubts: u32,
    /// How many of [`Typed::salvaged`] have their types written out.
    pub salvaged: usize,
}

impl<'a> Infer<'a> {
    /// Nothing is inferred yet; `reports` are those of resolution.
    pub(super) fn new(declared: Declared<'a>, shelf: Shelf, reports: Vec<Diagnostic>) -> Self {
        let aliases = Aliases::new(declared.aliases.len());
        Self {
            declared,
            shelf,
            typed: Typed::default(),
            unifier: Unifier::new(reports),
            records: RecordOrders::default(),
            aliases,
            bindings: Bindings::default(),
            scope: Scope::default(),
            later_ranges: Vec::new(),
            sizes_in_types: Vec::new(),
            doubts: 0,
            salvaged: 0,
        }
    }

    pub(super) fn declare_globals(&mut self, modules: &[Source<'_>]) {
        for source in &self.declared.defs {
            self.bindings.declare_global();
            self.typed.globals.push(Global {
                name: source.def.name.node.clone(),
                module: modules[source.module].name.clone(),
                params: vec![],
                sizes: vec![],
                constraints: vec![],
                ty: Ty::Error,
                body: TExpr { kind: TExprKind::Error, ty: Ty::Error, span: source.def.body.span },
                span: source.def.name.span,
                doc: source.doc.to_string(),
            });
        }
    }

    /// Declares a local variable at the current depth, whose name is written there.
    pub(super) fn local(&mut self, name: &Name, span: Span, ty: Ty) -> LocalId {
        let id = self.typed.locals.push(Local { name: name.clone(), params: vec![], ty, span });
        let (bound, known) = (self.bindings.declare_local(), self.unifier.declare_local());
        debug_assert!(id == bound && id == known, "the tables of locals go together");
        id
    }

    /// Runs `body` with whatever it adds to the local scope taken away afterwards, one binder deeper.
    pub(super) fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.enter_binder();
        let result = body(self);
        self.leave_binder(outer);
        result
    }

    /// Runs `body` for what may never be evaluated.
    pub(super) fn in_doubt<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.doubts += 1;
        let result = body(self);
        self.doubts -= 1;
        result
    }

    /// Begins what a binder encloses; gives what is in scope around it.
    pub(super) fn enter_binder(&mut self) -> Mark {
        self.unifier.enter_binder();
        self.scope.mark()
    }

    /// Ends what a binder encloses; what came into scope inside leaves it.
    pub(super) fn leave_binder(&mut self, outer: Mark) {
        self.unifier.leave_binder();
        self.scope.leave(outer);
    }

    /// The part that solves constraints.
    pub(super) fn solver(&mut self) -> Solver<'_> {
        Solver { unifier: &mut self.unifier, typed: &mut self.typed }
    }
}
