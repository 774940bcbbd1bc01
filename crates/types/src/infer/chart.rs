//! Tangent types that declarations name: `type T = … with tangent U by retract, local`.
//!
//! Before definitions have types, `U` is checked and `T T = U` is noted; `U` must be made of Reals by tuples, records
//! and arrays, so that it is a vector space and its own tangent type. When they have, `retract : T -> U -> T` and
//! `local : T -> T -> U` are looked up in the module of the declaration.

use pullback_base::{Diagnostic, Id, Name, Span};
use pullback_syntax::ast::{Expr, TypeDecl};

use super::mismatch::Why;
use super::request::{Argument, Call};
use super::state::Infer;
use super::table::Table;
use super::tangent::tangent;
use crate::tir::{Builtin, OwnTangent, TExpr, TExprKind, TLam, TParam, TPat, TPatKind};
use crate::ty::{Ty, TypeDeclId};

impl Table {
    /// Whether the type is made of Reals by tuples, records and arrays. What is erroneous has been reported.
    fn is_vector_space(&mut self, ty: &Ty) -> bool {
        match self.head(ty) {
            Ty::Real | Ty::Error => true,
            Ty::Tuple(items) => items.iter().all(|item| self.is_vector_space(item)),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| self.is_vector_space(ty)),
            Ty::Array(_, element) => self.is_vector_space(&element),
            Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_) => false,
        }
    }
}

impl Table {
    /// Whether there are values in the type whose declaration names their tangent type.
    fn has_charts(&mut self, ty: &Ty) -> bool {
        let mut todo = vec![ty.clone()];
        while let Some(ty) = todo.pop() {
            match self.head(&ty) {
                Ty::Sum(id, args) => {
                    let info = self.sum(id);
                    if info.charts || info.tangent.is_some() {
                        return true;
                    }
                    todo.extend(args.iter().cloned());
                }
                Ty::Tuple(items) => todo.extend(items.iter().cloned()),
                Ty::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty.clone())),
                Ty::Array(_, element) => todo.push(element.as_ref().clone()),
                Ty::Real
                | Ty::Int
                | Ty::Bool
                | Ty::Str
                | Ty::Fun(..)
                | Ty::Tangent(_)
                | Ty::Jacobian(..)
                | Ty::Param(_)
                | Ty::Var(_)
                | Ty::Error => {}
            }
        }
        false
    }
}

impl<'a> Infer<'a> {
    /// The entry of a call for a derivative. Where an argument is of a type that names its tangent type, the call is one of
    /// the tangent that moves it: `\u -> entry (move x u)`, given `zeros x` in place of the argument.
    pub(super) fn entry_in_charts(
        &mut self,
        entry: TExpr,
        arguments: &mut [Option<TExpr>],
        call: &Call<'a>,
        wanted: &[Ty],
    ) -> TExpr {
        let table = &mut self.unifier.table;
        let is_moved =
            |(ty, argument): (&Ty, &Argument<'a>)| argument.is_data && table.has_charts(ty);
        let moved: Vec<bool> = wanted.iter().zip(&call.arguments).map(is_moved).collect();
        if !moved.contains(&true) {
            return entry;
        }
        let (mut params, mut given) = (Vec::new(), Vec::new());
        for (index, (from, moved)) in wanted.iter().zip(moved).enumerate() {
            let ty = if moved { tangent(from) } else { from.clone() };
            let local = self.local(&Name::new("u"), Span::NONE, ty.clone());
            let span = entry.span;
            let pattern = TPat { kind: TPatKind::Var(local), ty: ty.clone(), span };
            params.push(TParam { pattern, ty: ty.clone(), sized: None });
            let var = TExpr { kind: TExprKind::Local(local, vec![]), ty, span };
            if !moved {
                given.push(var);
                continue;
            }
            let Some(value) = &mut arguments[index] else {
                self.report_value_in_charts(from, call.arguments[index].span);
                return entry;
            };
            let zeros = TExpr::built(Builtin::Zeros, vec![value.clone()], var.ty.clone());
            let value = std::mem::replace(value, zeros);
            given.push(TExpr::built(Builtin::Move, vec![value, var], from.clone()));
        }
        let (whole, span) = (entry.ty.clone(), entry.span);
        let (_, result) = self.unifier.table.curried(&whole, params.len());
        let ty = params
            .iter()
            .rev()
            .fold(result.clone(), |to, param| Ty::Fun(param.ty.clone().into(), to.into()));
        let body = TExpr { kind: TExprKind::App(Box::new(entry), given), ty: result, span };
        let lam = TLam { sizes: vec![], params, body };
        TExpr { kind: TExprKind::Lam(Box::new(lam)), ty, span }
    }

    /// Reports a derivative of a command whose result is of a type that names its tangent type.
    pub(super) fn check_result_in_charts(&mut self, result: &Ty, span: Span) {
        if self.unifier.table.has_charts(result) {
            let found = self.solver().show(result);
            let title = format!("a command does not take the derivative of a `{found}`");
            let diagnostic = Diagnostic::error("E0834", span, title, "gives one")
                .note("its type names its tangent type, which `jvp`, `vjp` and `jacobian` in the program know")
                .hint("ask for the derivative in an expression: `pullback run FILE -e 'jacobian f x'`");
            self.unifier.report(diagnostic);
        }
    }

    fn report_value_in_charts(&mut self, ty: &Ty, span: Span) {
        let found = self.solver().show(ty);
        let title = format!("a command does not take the derivative by a `{found}` of a file");
        let diagnostic = Diagnostic::error("E0834", span, title, "given here")
            .note("its type names its tangent type, so the derivative is by a tangent that moves the value")
            .hint("give the value as an expression, by `--arg NAME=EXPR`");
        self.unifier.report(diagnostic);
    }

    /// Reports abbreviations that name a tangent type.
    pub(super) fn check_tangents_of_aliases(&mut self) {
        for index in 0..self.declared.aliases.len() {
            let decl = self.declared.aliases[index].decl;
            let Some(clause) = &decl.tangent else { continue };
            let name = &decl.name.node;
            let title =
                format!("`{name}` is another name for a type that has its tangents already");
            let diagnostic = Diagnostic::error("E0604", clause.span, title, "names others")
                .label(decl.name.span, "declared here")
                .hint(format!(
                    "make it a type of its own, by a constructor: `type {name} = {name} (…) with tangent …`"
                ));
            self.unifier.report(diagnostic);
        }
    }

    /// Notes the tangent type `ty` that the declaration of a sum names.
    pub(super) fn declare_tangent(&mut self, id: TypeDeclId, decl: &'a TypeDecl, ty: Ty) {
        let Some(clause) = &decl.tangent else { return };
        let name = &decl.name.node;
        let fault = if let Some(param) = decl.params.first() {
            let title = format!("`{name}` has type parameters, so it cannot name its tangent type");
            let note = "the two functions that are named work on one type";
            Some((title, param.span, "a parameter", note, "declare a type without parameters"))
        } else if !self.unifier.table.is_vector_space(&ty) {
            let title =
                format!("tangents of `{name}` cannot be of type `{}`", self.solver().show(&ty));
            let note = "tangents add up, so they are made of Reals by tuples, records and arrays";
            let hint = "name such a type, as `Real`, `[3]Real` or `(Real, Real)`";
            Some((title, clause.ty.span, "no vector space", note, hint))
        } else {
            None
        };
        if let Some((title, span, label, note, hint)) = fault {
            let diagnostic = Diagnostic::error("E0604", span, title, label).note(note).hint(hint);
            self.unifier.report(diagnostic);
            return;
        }
        let mut info = self.unifier.table.sum(id).clone();
        info.tangent = Some(ty.clone());
        self.unifier.table.learn_sum(id, info);
        self.typed.types[id].tangent = Some(OwnTangent { ty, retract: None, local: None });
    }

    /// Finds the functions that go with tangent types; all definitions have their types.
    pub(super) fn find_charts(&mut self) {
        for index in 0..self.declared.sums.len() {
            let id = TypeDeclId::from_index(index);
            let (module, decl) = (self.declared.sums[index].module, self.declared.sums[index].decl);
            let (Some(clause), Some(own)) = (&decl.tangent, &self.typed.types[id].tangent) else {
                continue;
            };
            let (whole, ty) = (Ty::Sum(id, [].into()), own.ty.clone());
            let chart = |from: Ty, to: Ty| {
                Ty::Fun(whole.clone().into(), Ty::Fun(from.into(), to.into()).into())
            };
            let (retract, local) = (chart(ty.clone(), whole.clone()), chart(whole.clone(), ty));
            let retract = self.chart_function(module, decl, (&clause.retract, &retract));
            let local = self.chart_function(module, decl, (&clause.local, &local));
            if let Some(own) = &mut self.typed.types[id].tangent {
                (own.retract, own.local) = (Some(retract), Some(local));
            }
        }
    }

    /// A function of this type that a declaration names.
    fn chart_function(
        &mut self,
        module: usize,
        decl: &'a TypeDecl,
        (name, ty): (&'a Expr, &Ty),
    ) -> TExpr {
        self.scope.enter_module(module);
        self.unifier.reports.enter_owner(String::new(), Span::NONE);
        let first_local = self.begin_group();
        self.unifier.enter_binding();
        let outer = self.enter_binder();
        let mut function = self.check(name, ty, &Why::Chart(decl.name.node.clone()));
        self.leave_binder(outer);
        self.unifier.leave_binding();
        self.solver().default_constraints();
        self.check_later_ranges();
        self.zonk_expr(&mut function);
        self.solver().zonk_locals(first_local);
        self.zonk_salvaged();
        self.unifier.constraints.clear();
        function
    }
}
