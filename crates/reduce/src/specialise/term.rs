//! Terms: those without functions in their values are rebuilt, the others become known.

use std::rc::Rc;

use pullback_base::Span;
use pullback_lambda::{AdOp, Arm, Expr, ExprKind, LoopForm, Scope};

use super::Pass;
use crate::known::{Closure, Env, Known};
use crate::rules::{Selected, decided, selected};

impl Pass<'_> {
    /// A term: a rebuilt one, or known if its values hold functions.
    pub(super) fn any(&mut self, expr: &Expr, out: &mut Scope) -> Known {
        if self.plain(expr) { Known::Dynamic(self.expr(expr)) } else { self.known(expr, out) }
    }

    /// A term rebuilt with fresh binders, applications of known functions reduced.
    pub(super) fn expr(&mut self, expr: &Expr) -> Expr {
        self.made += 1;
        if !self.plain(expr) {
            return self.branch(|pass, out| pass.known(expr, out));
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => match self.env.get(var) {
                Some(Known::Dynamic(value)) => Expr { span, ..value.clone() },
                Some(_) | None => expr.clone(),
            },
            ExprKind::Global(_) | ExprKind::Lit(_) => expr.clone(),
            ExprKind::Let(..) | ExprKind::LetRec(..) => {
                self.branch(|pass, out| pass.let_chain(expr, out))
            }
            ExprKind::App(function, args) => {
                if let ExprKind::Global(_) = function.kind
                    && args.iter().all(|arg| self.plain(arg))
                    && self.saturates(function, args.len())
                {
                    let args = args.iter().map(|arg| self.expr(arg)).collect();
                    return Expr::app((**function).clone(), args, span);
                }
                self.branch(|pass, out| pass.application(function, args, span, out))
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.expr(cond);
                if let Some(truth) = decided(&cond) {
                    return self.expr(if truth { then } else { other });
                }
                let then = self.expr(then);
                Expr::if_(cond, then, self.expr(other), span)
            }
            ExprKind::Proj(base, _) | ExprKind::Match(base, _, _) if !self.plain(base) => {
                self.branch(|pass, out| pass.known(expr, out))
            }
            ExprKind::Lam(params, body) => self.lambda(params, body, span),
            ExprKind::Ad(AdOp::Perturb, args) => self.branch(|pass, out| pass.perturbed(args, out)),
            ExprKind::Match(scrutinee, arms, default) => {
                let scrutinee = self.expr(scrutinee);
                self.residual_match(scrutinee, arms, default.as_deref(), span)
            }
            ExprKind::Prim(_, _)
            | ExprKind::Ad(_, _)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(_, _)
            | ExprKind::Con(_, _)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. } => self.rebuilt(expr),
        }
    }

    /// Whether a definition is applied to as many arguments as its body takes.
    fn saturates(&self, function: &Expr, count: usize) -> bool {
        let ExprKind::Global(def) = function.kind else { return false };
        let body = &self.source.defs[def].body;
        matches!(&body.kind, ExprKind::Lam(params, _) if params.len() == count)
    }

    /// The same node with rebuilt parts.
    fn rebuilt(&mut self, expr: &Expr) -> Expr {
        let all = |pass: &mut Self, items: &[Expr]| -> Vec<Expr> {
            items.iter().map(|item| pass.expr(item)).collect()
        };
        let kind = match &expr.kind {
            ExprKind::Prim(prim, items) => ExprKind::Prim(*prim, all(self, items)),
            ExprKind::Ad(op, items) => ExprKind::Ad(*op, all(self, items)),
            ExprKind::Tuple(items) => ExprKind::Tuple(all(self, items)),
            ExprKind::Con(tag, items) => ExprKind::Con(*tag, all(self, items)),
            ExprKind::Array(items) => ExprKind::Array(all(self, items)),
            ExprKind::Proj(base, index) => ExprKind::Proj(Box::new(self.expr(base)), *index),
            ExprKind::Build { size, var, body } => {
                let size = Box::new(self.expr(size));
                let var = self.rebind(*var);
                ExprKind::Build { size, var, body: Box::new(self.expr(body)) }
            }
            ExprKind::Loop { var, init, form, body } => {
                let init = Box::new(self.expr(init));
                let (var, form) = match form {
                    LoopForm::For { var: index, count } => {
                        let count = Box::new(self.expr(count));
                        (self.rebind(*var), LoopForm::For { var: self.rebind(*index), count })
                    }
                    LoopForm::While(cond) => {
                        let var = self.rebind(*var);
                        (var, LoopForm::While(Box::new(self.expr(cond))))
                    }
                };
                ExprKind::Loop { var, init, form, body: Box::new(self.expr(body)) }
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Lam(_, _)
            | ExprKind::App(_, _)
            | ExprKind::Let(_, _, _)
            | ExprKind::LetRec(_, _)
            | ExprKind::If(_, _, _)
            | ExprKind::Match(_, _, _) => return expr.clone(),
        };
        Expr::new(kind, expr.ty.clone(), expr.span)
    }

    fn residual_match(
        &mut self,
        scrutinee: Expr,
        arms: &[Arm],
        default: Option<&Expr>,
        span: Span,
    ) -> Expr {
        let mut made = vec![];
        for arm in arms {
            let vars = arm.vars.iter().map(|var| self.rebind(*var)).collect();
            let body = self.expr(&arm.body);
            made.push(Arm { tag: arm.tag, vars, body });
        }
        let default = default.map(|default| self.expr(default));
        Expr::match_(scrutinee, made, default, span)
    }

    /// Bindings one after the other, without recursion in their number.
    fn let_chain(&mut self, expr: &Expr, out: &mut Scope) -> Known {
        let mut inner = expr;
        while let Some(next) = self.enter_let(inner, out) {
            inner = next;
        }
        self.any(inner, out)
    }

    /// Evaluates the binding of a `let` and gives its body.
    pub(super) fn enter_let<'e>(&mut self, expr: &'e Expr, out: &mut Scope) -> Option<&'e Expr> {
        if let ExprKind::Let(var, value, body) = &expr.kind {
            let value = self.any(value, out);
            self.enter_binding(*var, value, out);
            return Some(body);
        }
        let ExprKind::LetRec(functions, body) = &expr.kind else { return None };
        self.enter_group(functions);
        Some(body)
    }

    /// An application: function first, then the arguments from left to right.
    fn application(
        &mut self,
        function: &Expr,
        args: &[Expr],
        span: Span,
        out: &mut Scope,
    ) -> Known {
        // A function that is applied where it is written is written nowhere else.
        let direct =
            matches!(&function.kind, ExprKind::Lam(params, _) if params.len() <= args.len());
        let function = self.known(function, out);
        let args = self.in_order(args, out);
        if direct {
            return self.saturate(function, args, out);
        }
        self.apply(function, args, span, out)
    }

    /// Values in order of evaluation: those before one that needs bindings are bound first.
    fn in_order(&mut self, items: &[Expr], out: &mut Scope) -> Vec<Known> {
        let mut values: Vec<Known> = vec![];
        for item in items {
            let mut more = Scope::default();
            let value = self.any(item, &mut more);
            if !more.is_empty() {
                for value in &mut values {
                    if let Known::Dynamic(expr) = value {
                        *expr = self.bound("x", expr.clone(), out);
                    }
                }
                out.append(more);
            }
            values.push(value);
        }
        values
    }

    /// A term whose values hold functions.
    pub(super) fn known(&mut self, expr: &Expr, out: &mut Scope) -> Known {
        self.made += 1;
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => {
                self.env.get(var).cloned().unwrap_or_else(|| Known::Dynamic(expr.clone()))
            }
            ExprKind::Global(def) => self.known_global(*def, expr, out),
            ExprKind::Lam(params, body) => {
                let free = expr.free_vars();
                let env =
                    free.into_iter().filter_map(|var| Some((var, self.env.get(&var)?.clone())));
                let env: Env = env.collect();
                Known::Function(Rc::new(Closure {
                    params: params.clone(),
                    body: (**body).clone(),
                    ty: expr.ty.clone(),
                    env,
                    span,
                }))
            }
            ExprKind::App(function, args) => {
                let result = self.application(function, args, span, out);
                self.settled(result, out)
            }
            ExprKind::Let(..) | ExprKind::LetRec(..) => {
                let result = self.let_chain(expr, out);
                self.settled(result, out)
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.expr(cond);
                if let Some(truth) = decided(&cond) {
                    return self.known(if truth { then } else { other }, out);
                }
                self.known_if(cond, then, other, span, out)
            }
            ExprKind::Tuple(items) => {
                let values = self.in_order(items, out);
                let values = values.into_iter().map(|value| self.settled(value, out)).collect();
                Known::Tuple(values, expr.ty.clone(), span)
            }
            ExprKind::Con(tag, items) => {
                let values = self.in_order(items, out);
                let values = values.into_iter().map(|value| self.settled(value, out)).collect();
                Known::Con(*tag, values, expr.ty.clone(), span)
            }
            ExprKind::Proj(base, index) => {
                let base = self.known(base, out);
                if let Some(part) = base.part(*index) {
                    return part.clone();
                }
                let base = self.residual(base);
                let part = Known::Dynamic(Expr::proj(base, *index, span));
                self.settled(part, out)
            }
            ExprKind::Match(scrutinee, arms, default) => {
                let value = self.any(scrutinee, out);
                if let Some((tag, fields)) = value.constructor() {
                    let arm = match selected(tag, arms, default.as_deref()) {
                        Selected::Arm(arm) => arm,
                        Selected::Default(default) => return self.any(default, out),
                    };
                    for (var, field) in arm.vars.iter().zip(fields) {
                        self.enter_binding(*var, field.clone(), out);
                    }
                    return self.any(&arm.body, out);
                }
                let scrutinee = self.residual(value);
                let made = self.residual_match(scrutinee, arms, default.as_deref(), span);
                self.settled(Known::Dynamic(made), out)
            }
            ExprKind::Ad(AdOp::Perturb, args) => self.perturbed(args, out),
            ExprKind::Lit(_)
            | ExprKind::Prim(_, _)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(_, _) => {
                let made = self.rebuilt(expr);
                self.settled(Known::Dynamic(made), out)
            }
        }
    }

    /// A value that may be used more than once.
    pub(super) fn settled(&mut self, known: Known, out: &mut Scope) -> Known {
        if let Known::Dynamic(expr) = known {
            Known::Dynamic(self.bound("x", expr, out))
        } else {
            known
        }
    }

    fn known_global(&mut self, def: pullback_lambda::DefId, expr: &Expr, out: &mut Scope) -> Known {
        let body = self.source.defs[def].body.clone();
        let is_function = matches!(body.kind, ExprKind::Lam(..));
        if is_function || !self.constants.insert(def) {
            return Known::Global(def, expr.ty.clone(), expr.span);
        }
        let outer = std::mem::take(&mut self.env);
        let known = self.known(&body, out);
        self.env = outer;
        self.constants.remove(&def);
        known
    }

    fn known_if(
        &mut self,
        cond: Expr,
        then: &Expr,
        other: &Expr,
        span: Span,
        out: &mut Scope,
    ) -> Known {
        let (mut then_out, mut other_out) = (Scope::default(), Scope::default());
        let then = self.known(then, &mut then_out);
        let other = self.known(other, &mut other_out);
        if then_out.is_empty() && other_out.is_empty() {
            let cond = self.bound("choice", cond, out);
            return Known::Either(cond, Rc::new(then), Rc::new(other));
        }
        let then = self.residual(then);
        let other = self.residual(other);
        let made = Expr::if_(cond, then_out.around(then), other_out.around(other), span);
        self.settled(Known::Dynamic(made), out)
    }
}
