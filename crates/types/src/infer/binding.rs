//! Binders: functions, `let`, local functions, `loop`, ascriptions.

use pullback_base::{Diagnostic, Name, Span, bug};
use pullback_prim::Prim;
use pullback_syntax::ast::{
    Def, Expr, ExprKind, Ident, LoopForm, Param, Pattern, PatternKind, TypeExpr,
};

use super::bindings::Binder;
use super::expr::Want;
use super::mismatch::Why;
use super::pattern::Bound;
use super::reports::Reports;
use super::scheme::Member;
use super::scope::{Binding, Scope};
use super::state::Infer;
use crate::tir::{
    Builtin, SizedDim, SizedTy, TCheckpoint, TExpr, TExprKind, TLam, TLoopForm, TParam, TPatKind,
};
use crate::ty::Ty;

impl Reports {
    fn report_recursive_value(&mut self, def: &Def) {
        let name = &def.name.node;
        let diagnostic = Diagnostic::error(
            "E0211",
            def.name.span,
            format!("`let rec` defines functions, but `{name}` is a value"),
            "not a function",
        )
        .note("a value cannot be used before it has been computed")
        .hint(format!("write `let {name} = …` without `rec`, or give it a parameter"));
        self.add(diagnostic);
    }
}

impl<'a> Infer<'a> {
    pub(super) fn lambda(
        &mut self,
        params: &'a [Param],
        body: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let mut typed = Vec::with_capacity(params.len());
        let mut wanted = want.map(|(ty, _)| ty.clone());
        let (body, ty) = self.scoped(|this| {
            let mut bound = Vec::new();
            for param in params {
                let expected = match wanted.take().map(|ty| this.unifier.table.head(&ty)) {
                    Some(Ty::Fun(from, to)) => {
                        wanted = Some(to.as_ref().clone());
                        Some(from.as_ref().clone())
                    }
                    _ => None,
                };
                typed.push(this.param(param, expected.as_ref(), &mut bound));
            }
            let result = wanted.as_ref().map(|ty| this.unifier.table.head(ty));
            let body = match &result {
                Some(result) if !matches!(result, Ty::Var(_)) => {
                    let why = want.map_or(Why::Plain, |(_, why)| lambda_result(why));
                    this.check(body, result, &why)
                }
                _ => this.infer(body),
            };
            let ty = typed.iter().rev().fold(body.ty.clone(), |to, param: &TParam| {
                Ty::Fun(param.ty.clone().into(), to.into())
            });
            (body, ty)
        });
        let ty = self.unifier.leave_scope(&ty);
        let lambda = TLam { sizes: vec![], params: typed, body };
        TExpr { kind: TExprKind::Lam(Box::new(lambda)), ty, span }
    }

    /// A parameter, its variables in scope and added to `bound`.
    pub(super) fn param(
        &mut self,
        param: &'a Param,
        expected: Option<&Ty>,
        bound: &mut Vec<Bound>,
    ) -> TParam {
        let (ty, dims) = match &param.ty {
            Some(written) => {
                let (declared, dims) = self.annotation(written);
                if let Some(expected) = expected {
                    self.solver().agree(
                        expected,
                        &declared,
                        param.pattern.span,
                        &Why::Annotation(written.span),
                    );
                }
                (declared, dims)
            }
            None => (expected.cloned().unwrap_or_else(|| self.unifier.fresh()), vec![]),
        };
        let before = bound.len();
        let pattern = self.pattern(&param.pattern, &ty, &Why::Plain, bound);
        let new = bound[before..].to_vec();
        self.scope.bring_in(&new);
        TParam { pattern, ty, sized: sized(dims) }
    }

    pub(super) fn ascribe(&mut self, expr: &'a Expr, written: &'a TypeExpr, span: Span) -> TExpr {
        let (declared, dims) = self.annotation(written);
        let typed = self.check(expr, &declared, &Why::Annotation(written.span));
        let typed = with_sizes(typed, &declared, dims);
        TExpr { span, ty: declared, ..typed }
    }

    pub(super) fn let_in(
        &mut self,
        pattern: &'a Pattern,
        written: Option<&'a TypeExpr>,
        value: &'a Expr,
        body: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let is_written_out =
            matches!(strip(value).kind, ExprKind::Lambda { .. }) || self.is_einsum(value);
        if let (PatternKind::Var(name), true) = (&strip_pattern(pattern).kind, is_written_out) {
            let name = (name, strip_pattern(pattern).span);
            return self.let_lambda(name, written, value, body, span, want);
        }
        let value = match written {
            Some(written) => self.ascribe(value, written, value.span),
            None => self.infer(value),
        };
        let (pattern, body) = self.scoped(|this| {
            let pattern = this.bind_pattern(pattern, &value.ty, &Why::Scrutinee(value.span));
            if let TPatKind::Var(local) = pattern.kind {
                let size = this.poly_of(&value);
                this.bindings.set_size(local, size);
            }
            (pattern, this.sub(body, want))
        });
        let ty = self.unifier.leave_scope(&body.ty);
        TExpr { kind: TExprKind::Let(pattern, Box::new(value), Box::new(body)), ty, span }
    }

    /// `let f = \x -> …` is generalised: it computes nothing when it is bound.
    fn let_lambda(
        &mut self,
        (name, written_at): (&'a Name, Span),
        written: Option<&'a TypeExpr>,
        value: &'a Expr,
        body: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let start = self.unifier.constraints.len();
        self.unifier.enter_binding();
        let around = self.scope.enter_not_recursive([(name.clone(), Span::NONE)]);
        let value = match written {
            Some(written) => self.ascribe(value, written, value.span),
            None => self.infer(value),
        };
        self.unifier.leave_binding();
        self.scope.leave_not_recursive(around);
        let member = Member {
            ty: value.ty.clone(),
            rigid: vec![],
            decided: vec![],
            own: vec![],
            is_function: true,
        };
        let scheme = self.generalise_one(member, start);
        let (local, body) = self.scoped(|this| {
            let local = this.local(name, written_at, scheme.ty.clone());
            this.set_scheme(Binder::Local(local), scheme);
            this.scope.bind(name.clone(), Binding::Local(local));
            (local, this.sub(body, want))
        });
        let ty = self.unifier.leave_scope(&body.ty);
        TExpr { kind: TExprKind::LetPoly(local, Box::new(value), Box::new(body)), ty, span }
    }

    pub(super) fn let_fun(
        &mut self,
        recursive: bool,
        defs: &'a [Def],
        body: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        self.unifier.reports.check_distinct(defs.iter().map(|def| &def.name), "function");
        let (functions, body) = self.scoped(|this| {
            let binders: Vec<_> = defs
                .iter()
                .map(|def| (this.local(&def.name.node, def.name.span, Ty::Error), def))
                .collect();
            let bind_all = |scope: &mut Scope| {
                for (local, def) in &binders {
                    scope.bind(def.name.node.clone(), Binding::Local(*local));
                }
            };
            let group = binders.iter().map(|(local, def)| (Binder::Local(*local), *def)).collect();
            let functions = if recursive {
                bind_all(&mut this.scope);
                this.group(group)
            } else {
                let names = defs.iter().map(|def| (def.name.node.clone(), def.name.span.start()));
                let around = this.scope.enter_not_recursive(names);
                let functions = this.group(group);
                this.scope.leave_not_recursive(around);
                bind_all(&mut this.scope);
                functions
            };
            let functions: Vec<_> =
                binders.iter().map(|(local, _)| *local).zip(functions).collect();
            (functions, this.sub(body, want))
        });
        let ty = self.unifier.leave_scope(&body.ty);
        let mut functions = functions;
        for ((_, function), def) in functions.iter().zip(defs) {
            if recursive && !matches!(function.kind, TExprKind::Lam(_) | TExprKind::Error) {
                self.unifier.reports.report_recursive_value(def);
            }
        }
        let kind = match functions.pop() {
            Some((local, function)) if !recursive => {
                TExprKind::LetPoly(local, Box::new(function), Box::new(body))
            }
            Some(last) => {
                functions.push(last);
                TExprKind::LetRec(functions, Box::new(body))
            }
            None => bug("infer", "a function in each group of local functions"),
        };
        TExpr { kind, ty, span }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn repeat(
        &mut self,
        pattern: &'a Pattern,
        written: Option<&'a TypeExpr>,
        init: &'a Expr,
        form: &'a LoopForm,
        steps: Option<&'a Expr>,
        body: &'a Expr,
        span: Span,
        want: Want<'_>,
    ) -> TExpr {
        let wanted = want.filter(|(ty, _)| holds_tangent(ty));
        let init = match written {
            Some(written) => self.ascribe(init, written, init.span),
            None => self.sub(init, wanted),
        };
        let state = init.ty.clone();
        let why = written.map_or(Why::State(init.span), |written| Why::Annotation(written.span));
        let rounds = match form {
            LoopForm::For { var, bound } => {
                Rounds::Count(var, self.check(bound, &Ty::Int, &Why::Index))
            }
            LoopForm::While(cond) => Rounds::While(cond),
        };
        let checkpoint = steps.map(|steps| self.steps(steps));
        let (pattern, form, body) = self.scoped(|this| {
            let pattern = this.bind_pattern(pattern, &state, &Why::Scrutinee(init.span));
            let form = match rounds {
                Rounds::Count(var, bound) => {
                    let index = this.local(&var.node, var.span, Ty::Int);
                    this.scope.name_local(&var.node, index);
                    TLoopForm::For(index, Box::new(bound))
                }
                Rounds::While(cond) => {
                    TLoopForm::While(Box::new(this.check(cond, &Ty::Bool, &Why::Condition)))
                }
            };
            let body = this.in_doubt(|this| this.check(body, &state, &why));
            (pattern, form, body)
        });
        let (init, body) = (Box::new(init), Box::new(body));
        let kind = TExprKind::Loop { pattern, init, form, checkpoint, body };
        TExpr { kind, ty: state, span }
    }

    /// How many steps lie between two checkpoints of a loop: an Int, or `sqrt` where that is the function.
    fn steps(&mut self, steps: &'a Expr) -> TCheckpoint {
        let typed = self.sub(steps, None);
        if matches!(typed.kind, TExprKind::Builtin(Builtin::Prim(Prim::Sqrt))) {
            return TCheckpoint::Root;
        }
        TCheckpoint::Every(Box::new(self.solver().coerce(typed, &Ty::Int, &Why::Index)))
    }
}

/// How often a loop goes round, before its state is in scope: the bound of a count stands outside.
enum Rounds<'a> {
    Count(&'a Ident, TExpr),
    While(&'a Expr),
}

/// Why the result of a function literal is wanted.
fn lambda_result(why: &Why) -> Why {
    if let Why::Annotation(span) = why {
        Why::Annotation(*span)
    } else if let Why::Argument(callee, index) = why
        && let Some(name) = callee.name()
    {
        Why::Given(name.into(), *index)
    } else {
        Why::Plain
    }
}

/// Whether constructors inside may have to be those of a tangent type.
fn holds_tangent(ty: &Ty) -> bool {
    matches!(ty, Ty::Tangent(_) | Ty::Real)
}

pub(super) fn sized(dims: Vec<SizedDim>) -> Option<SizedTy> {
    (!dims.is_empty()).then_some(SizedTy { dims, ..SizedTy::default() })
}

/// The expression with its declared sizes to be checked where they are not proven.
pub(super) fn with_sizes(expr: TExpr, declared: &Ty, dims: Vec<SizedDim>) -> TExpr {
    if dims.is_empty() {
        return expr;
    }
    let span = expr.span;
    TExpr {
        kind: TExprKind::CheckSizes(Box::new(expr), SizedTy { dims, ..SizedTy::default() }),
        ty: declared.clone(),
        span,
    }
}

/// The expression without parentheses around it.
pub(super) fn strip(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// The pattern without parentheses around it.
pub(super) fn strip_pattern(mut pattern: &Pattern) -> &Pattern {
    while let PatternKind::Paren(inner) = &pattern.kind {
        pattern = inner;
    }
    pattern
}
