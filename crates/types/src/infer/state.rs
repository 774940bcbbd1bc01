//! The state of inference, in parts that own what they keep.

use pullback_base::{Diagnostic, Name, Span};

use super::aliases::Aliases;
use super::bindings::Bindings;
use super::constraints::Constraints;
use super::opaque::OpaqueSizes;
use super::reports::{Reported, Reports};
use super::scope::Scope;
use super::table::Table;
use crate::records::RecordOrders;
use crate::resolve::{Declared, Source};
use crate::tir::{Global, Local, LocalId, TExpr, TExprKind, Typed};
use crate::ty::Ty;

/// The state of inference.
pub(super) struct Infer<'a> {
    /// What the modules declare.
    pub declared: Declared<'a>,
    /// The typed tree so far.
    pub typed: Typed,
    /// What is known of types and sizes.
    pub table: Table,
    /// What is to be known of them.
    pub constraints: Constraints,
    pub records: RecordOrders,
    pub aliases: Aliases,
    pub bindings: Bindings,
    pub scope: Scope,
    pub opaque: OpaqueSizes,
    pub reports: Reports,
    /// The expression that constraints arising now are blamed on.
    pub at: Span,
}

impl<'a> Infer<'a> {
    /// Nothing is inferred yet; `reports` are those of resolution.
    pub(super) fn new(declared: Declared<'a>, reports: Vec<Diagnostic>) -> Self {
        let aliases = Aliases::new(declared.aliases.len());
        Self {
            declared,
            typed: Typed::default(),
            table: Table::default(),
            constraints: Constraints::default(),
            records: RecordOrders::default(),
            aliases,
            bindings: Bindings::default(),
            scope: Scope::default(),
            opaque: OpaqueSizes::default(),
            reports: Reports::new(reports),
            at: Span::NONE,
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

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.reports.add(diagnostic)
    }

    /// Declares a local variable at the current depth.
    pub(super) fn local(&mut self, name: &Name, ty: Ty) -> LocalId {
        let id = self.typed.locals.push(Local { name: name.clone(), params: vec![], ty });
        let bound = self.bindings.declare_local(self.scope.depth());
        debug_assert_eq!(id, bound);
        id
    }

    /// Runs `body` with whatever it adds to the local scope taken away afterwards, one binder deeper.
    pub(super) fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.scope.enter_binder();
        let result = body(self);
        self.scope.leave_binder(outer);
        result
    }

    pub(super) fn error_expr(span: Span) -> TExpr {
        TExpr { kind: TExprKind::Error, ty: Ty::Error, span }
    }
}
