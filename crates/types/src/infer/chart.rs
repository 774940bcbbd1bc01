//! Tangent types that declarations name: `type T = … with tangent U by retract, local`.
//!
//! Before definitions have types, `U` is checked and `T T = U` is noted; `U` must be made of Reals by tuples, records
//! and arrays, so that it is a vector space and its own tangent type. When they have, `retract : T -> U -> T` and
//! `local : T -> T -> U` are looked up in the module of the declaration.

use pullback_base::{Diagnostic, Id, Name, Span};
use pullback_syntax::ast::{Expr, TypeDecl};

use super::mismatch::Why;
use super::request::{Argument, Call, InCharts};
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

/// The entry of a call in charts.
pub(super) struct Charted {
    /// The entry as the call uses it.
    pub entry: TExpr,
    /// `\x -> zeros x` for each parameter that is held.
    pub zeros: Vec<TExpr>,
    /// What it takes and gives.
    pub charts: InCharts,
}

/// A call's entry while its parameters are looked at.
#[derive(Default)]
struct Parameters {
    params: Vec<TParam>,
    given: Vec<TExpr>,
    held: Vec<TParam>,
    zeros: Vec<TExpr>,
    positions: Vec<usize>,
}

impl<'a> Infer<'a> {
    /// The entry of a call for a derivative. Where an argument is of a type that names its tangent type, the call is one of
    /// the tangent that moves it: `\u -> entry (move x u)`, given `zeros x` in place of the argument. Where the result is,
    /// the derivative will be that of a displacement.
    pub(super) fn entry_in_charts(
        &mut self,
        entry: TExpr,
        arguments: &mut [Option<TExpr>],
        call: &Call<'a>,
        wanted: &[Ty],
    ) -> Charted {
        let table = &mut self.unifier.table;
        let is_moved =
            |(ty, argument): (&Ty, &Argument<'a>)| argument.is_data && table.has_charts(ty);
        let moved: Vec<bool> = wanted.iter().zip(&call.arguments).map(is_moved).collect();
        let (_, to) = table.curried(&entry.ty, wanted.len());
        let is_derivative = call.arguments.iter().any(|argument| argument.is_data);
        let result = is_derivative && table.has_charts(&to);
        if !moved.contains(&true) && !result {
            return Charted { entry, zeros: vec![], charts: InCharts::default() };
        }
        let mut parts = Parameters::default();
        for (index, (from, moved)) in wanted.iter().zip(moved).enumerate() {
            let ty = if moved { tangent(from) } else { from.clone() };
            let (param, var) = self.parameter("u", ty.clone(), entry.span);
            parts.params.push(param);
            if !moved {
                parts.given.push(var);
                continue;
            }
            let value = if let Some(value) = &mut arguments[index] {
                let zeros = TExpr::built(Builtin::Zeros, vec![value.clone()], ty);
                std::mem::replace(value, zeros)
            } else {
                let (param, x) = self.parameter("x", from.clone(), entry.span);
                let zeros = TExpr::built(Builtin::Zeros, vec![x], ty);
                parts.zeros.push(function(vec![param], zeros));
                parts.positions.push(index);
                let (param, x) = self.parameter("x", from.clone(), entry.span);
                parts.held.push(param);
                x
            };
            parts.given.push(TExpr::built(Builtin::Move, vec![value, var], from.clone()));
        }
        let Parameters { mut params, given, held, zeros, positions } = parts;
        params.extend(held);
        let span = entry.span;
        let mut body = TExpr { kind: TExprKind::App(Box::new(entry), given), ty: to.clone(), span };
        if result {
            body = self.with_displacement(body, to);
        }
        let charts = InCharts { held: positions, result };
        Charted { entry: function(params, body), zeros, charts }
    }

    /// `let y = value in (y, \from -> displacement from y)`
    fn with_displacement(&mut self, value: TExpr, ty: Ty) -> TExpr {
        let span = value.span;
        let (TParam { pattern, .. }, y) = self.parameter("y", ty.clone(), span);
        let (param, from) = self.parameter("from", ty.clone(), span);
        let moved = TExpr::built(Builtin::Displacement, vec![from, y.clone()], tangent(&ty));
        let parts = vec![y, function(vec![param], moved)];
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        let pair = TExpr { kind: TExprKind::Tuple(parts), ty: ty.clone(), span };
        TExpr { kind: TExprKind::Let(pattern, Box::new(value), Box::new(pair)), ty, span }
    }

    /// A parameter that nobody wrote, and its occurrence.
    fn parameter(&mut self, name: &str, ty: Ty, span: Span) -> (TParam, TExpr) {
        let local = self.local(&Name::new(name), Span::NONE, ty.clone());
        let pattern = TPat { kind: TPatKind::Var(local), ty: ty.clone(), span };
        let var = TExpr { kind: TExprKind::Local(local, vec![]), ty: ty.clone(), span };
        (TParam { pattern, ty, sized: None }, var)
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

/// A function that nobody wrote.
fn function(params: Vec<TParam>, body: TExpr) -> TExpr {
    let to = |to: Ty, param: &TParam| Ty::Fun(param.ty.clone().into(), to.into());
    let (ty, span) = (params.iter().rev().fold(body.ty.clone(), to), body.span);
    TExpr { kind: TExprKind::Lam(Box::new(TLam { sizes: vec![], params, body })), ty, span }
}
