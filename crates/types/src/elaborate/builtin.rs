//! Applications: of built-in operations, of constructors, and of everything else.
//!
//! Law: a built-in or constructor with fewer arguments than it takes is eta-expanded, its arguments
//! evaluated first; with more, its result is applied to the rest.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, Lit, Type};
use pullback_prim::Prim;
use pullback_syntax::ast::{Arithmetic, NumberSide};

use super::arith::Operator;
use super::build;
use super::state::Elab;
use super::types::bug;
use crate::tir::{Builtin, TExpr, TExprKind};
use crate::ty::Ty;

impl<'t> Elab<'t> {
    /// An application, or a built-in or constructor on its own.
    pub(super) fn spine(&mut self, expr: &'t TExpr) -> Expr {
        let mut callee = expr;
        let mut groups: Vec<&'t [TExpr]> = Vec::new();
        while let TExprKind::App(function, args) = &callee.kind {
            groups.push(args);
            callee = function;
        }
        let args: Vec<&'t TExpr> = groups.into_iter().rev().flatten().collect();
        if let TExprKind::Builtin(builtin) = callee.kind {
            return self.builtin(builtin, callee, &args, expr.span);
        }
        let TExprKind::Con(decl, tag) = callee.kind else {
            let function = self.expr(callee);
            let count = args.len();
            let args = args.into_iter().map(|arg| self.expr(arg)).collect();
            let result = Expr::app(function, args, expr.span);
            return self.sized_result(result, callee, count, &expr.ty, expr.span);
        };
        let arity = self.typed.types[decl].constructors[tag].fields.len();
        let ty = self.lower(&callee.ty);
        let args = args.into_iter().map(|arg| self.expr(arg)).collect();
        self.saturate(arity, &ty, args, expr.span, |_, fields, sum| {
            Expr::new(ExprKind::Con(tag, fields), sum, expr.span)
        })
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        callee: &'t TExpr,
        args: &[&'t TExpr],
        span: Span,
    ) -> Expr {
        let ty = self.lower(&callee.ty);
        if let (Builtin::Neg, [TExpr { kind: TExprKind::IntLit(value), .. }]) = (builtin, args)
            && *value == 1 << 63
            && ty == Type::fun(Type::int(), Type::int())
        {
            return Expr::int(i64::MIN, span);
        }
        let args = args.iter().map(|arg| self.expr(arg)).collect();
        let concat = builtin == Builtin::Prim(Prim::Concat);
        let place = if is_operator(builtin) && !callee.span.is_none() { callee.span } else { span };
        self.saturate(arity(builtin), &ty, args, span, |this, args, result| {
            let value = this.saturated(builtin, args, result, place);
            match built_type(&callee.ty) {
                Some(built) if builtin == Builtin::Build => {
                    let value = this.sized(value, Some(built), span);
                    this.regular(value, built, span)
                }
                Some(built) if concat => this.regular(value, built, span),
                Some(_) | None => value,
            }
        })
    }

    /// Applies something of type `ty` that takes `arity` arguments, given in code by `make` from all
    /// of them and the type of the result.
    fn saturate(
        &mut self,
        arity: usize,
        ty: &Type,
        mut args: Vec<Expr>,
        span: Span,
        make: impl FnOnce(&mut Self, Vec<Expr>, Type) -> Expr,
    ) -> Expr {
        let result = ty.after(arity).unwrap_or_else(|| bug("a function", span));
        if args.len() >= arity {
            let rest = args.split_off(arity);
            let applied = make(self, args, result);
            return Expr::app(applied, rest, span);
        }
        self.bind_all(args, "arg", |this, mut args| {
            let mut params = Vec::new();
            while args.len() < arity {
                let from =
                    ty.after(args.len()).and_then(|ty| ty.as_fun().map(|(from, _)| from.clone()));
                let param = this.fresh("x", from.unwrap_or_else(|| bug("a function", span)));
                params.push(param);
                args.push(this.var(param, span));
            }
            let body = make(this, args, result);
            Expr { span, ..this.program.lam(params, body) }
        })
    }

    fn saturated(&mut self, builtin: Builtin, args: Vec<Expr>, result: Type, span: Span) -> Expr {
        let scalar = args.first().is_some_and(|first| build::is_int(&first.ty));
        let by_type = |of_int, of_real| if scalar { of_int } else { of_real };
        let simple = |prim: Prim, args: Vec<Expr>| Expr::prim(prim, args, span);
        match builtin {
            Builtin::Prim(prim) => Expr::new(ExprKind::Prim(prim, args), result, span),
            Builtin::Add => self.arithmetic(Operator::Add, take(args, span), span),
            Builtin::Sub => self.arithmetic(Operator::Sub, take(args, span), span),
            Builtin::Mul => self.arithmetic(Operator::Mul, take(args, span), span),
            Builtin::Div => self.arithmetic(Operator::Div, take(args, span), span),
            Builtin::Rem => self.arithmetic(Operator::Rem, take(args, span), span),
            Builtin::Neg => self.negate(take(args, span), span),
            Builtin::Pow | Builtin::Dotted(NumberSide::Right, Arithmetic::Pow) => {
                let [a, b] = take(args, span);
                if b.is_atom() {
                    return self.power(a, &b, span);
                }
                self.bind_operands(vec![a, b], |this, operands| {
                    let [a, b] = take(operands, span);
                    this.power(a, &b, span)
                })
            }
            Builtin::Dotted(side, arithmetic) => {
                self.dotted(side, arithmetic, take(args, span), span)
            }
            Builtin::MatMul => self.matmul(take(args, span), span),
            Builtin::Eq => {
                let [a, b] = take(args, span);
                self.equal(a, b, span)
            }
            Builtin::Ne => {
                let [a, b] = take(args, span);
                self.unequal(a, b, span)
            }
            Builtin::Lt => simple(by_type(Prim::IntLt, Prim::Lt), args),
            Builtin::Le => simple(by_type(Prim::IntLe, Prim::Le), args),
            Builtin::Gt => simple(by_type(Prim::IntGt, Prim::Gt), args),
            Builtin::Ge => simple(by_type(Prim::IntGe, Prim::Ge), args),
            Builtin::And => {
                let [a, b] = take(args, span);
                Expr::if_(a, b, Expr::bool(false, span), span)
            }
            Builtin::Or => {
                let [a, b] = take(args, span);
                Expr::if_(a, Expr::bool(true, span), b, span)
            }
            Builtin::Max => simple(by_type(Prim::IntMax, Prim::Max), args),
            Builtin::Min => simple(by_type(Prim::IntMin, Prim::Min), args),
            Builtin::Abs => simple(by_type(Prim::IntAbs, Prim::Abs), args),
            Builtin::Signum => simple(by_type(Prim::IntSignum, Prim::Signum), args),
            Builtin::Sum => self.total(take(args, span), span),
            Builtin::Einsum => bug("a function in place of `einsum`", span),
            Builtin::Build => self.build(take(args, span), span),
            Builtin::Assert => {
                let [cond, message, value] = take(args, span);
                Expr::if_(cond, value, Expr::fail(message, result, span), span)
            }
            Builtin::Error => {
                let [message] = take(args, span);
                Expr::fail(message, result, span)
            }
            Builtin::String => {
                let [value] = take(args, span);
                self.text(value, span)
            }
            Builtin::Debug => self.debug(take(args, span), span),
            Builtin::Vjp => self.charted(AdOp::Vjp, args, result, span),
            Builtin::Jvp => self.charted(AdOp::Jvp, args, result, span),
            Builtin::Linearize => self.charted(AdOp::Linearize, args, result, span),
            Builtin::StopGradient => Expr::ad(AdOp::StopGradient, args, result, span),
            Builtin::CustomVjp => self.charted(AdOp::CustomVjp, args, result, span),
            Builtin::CustomJvp => self.charted(AdOp::CustomJvp, args, result, span),
            Builtin::Zeros => {
                let [x] = take(args, span);
                self.zeros(x, span)
            }
            Builtin::Move => self.move_by(take(args, span), span),
            Builtin::Displacement => self.displacement(take(args, span), span),
            Builtin::AsTangent => self.as_tangent(take(args, span), span),
            Builtin::MapReals => self.map_reals("map_reals", args, span),
            Builtin::MapReals2 => self.map_reals("map_reals2", args, span),
            Builtin::FoldReals => self.fold_reals(take(args, span), span),
            Builtin::SumReals => self.sum_reals(take(args, span), span),
            Builtin::Checkpoint => Expr::ad(AdOp::Checkpoint, args, result, span),
            Builtin::AssumeLinear => Expr::ad(AdOp::AssumeLinear, args, result, span),
            Builtin::Perturb => Expr::ad(AdOp::Perturb, args, result, span),
            Builtin::DifferentiatedAs => Expr::ad(AdOp::DifferentiatedAs, args, result, span),
            Builtin::Rd => self.rd(take(args, span), span),
            Builtin::Grad => self.grad(take(args, span), span),
            Builtin::ValueAndGrad => self.value_and_grad(take(args, span), span),
            Builtin::Jacobian => self.jacobian(take(args, span), span),
            Builtin::JacobianForward => self.jacobian_forward(take(args, span), span),
            Builtin::JacobianReverse => self.jacobian_reverse(take(args, span), span),
            Builtin::Hessian => self.hessian(take(args, span), span),
            Builtin::Hvp => self.hvp(take(args, span), span),
        }
    }

    /// `build n f`; the body of an `f` that is written out becomes the body of the array.
    fn build(&mut self, [count, function]: [Expr; 2], span: Span) -> Expr {
        match function {
            Expr { kind: ExprKind::Lam(mut params, body), .. } => {
                let var = params.remove(0);
                let body = Expr { span: body.span, ..self.program.lam(params, *body) };
                Expr::build(count, var, body, span)
            }
            function => self.bind_all(vec![count, function], "arg", |this, args| {
                let [count, function] = take(args, span);
                this.build_array(count, span, |_, index| Expr::app(function, vec![index], span))
            }),
        }
    }

    /// The sum of all numbers of an array, whatever its rank is: that of the sums of its rows. Rows that
    /// are written out are added where they are made.
    fn total(&mut self, [array]: [Expr; 1], span: Span) -> Expr {
        let element = array.ty.element().cloned().unwrap_or_else(|| bug("an array", span));
        if element.element().is_none() {
            return match build::is_int(&element) {
                true => self.int_sum([array], span),
                false => Expr::prim(Prim::Sum, [array], span),
            };
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "all others are summed row by row")]
        let (kind, ty) = match array.kind {
            // The sizes of absent rows add nothing.
            ExprKind::Prim(Prim::Sized, mut args) => return self.total([args.remove(0)], span),
            ExprKind::Let(var, value, body) => {
                let body = self.total([*body], span);
                return Expr::let_(var, *value, body);
            }
            ExprKind::Build { size, var, body } => {
                let row = self.total([*body], span);
                return self.total([Expr::build(*size, var, row, array.span)], span);
            }
            other => (other, array.ty),
        };
        let array = Expr { kind, ty, span: array.span };
        self.bind(array, "array", |this, array| {
            let size = Expr::size_of(array.clone(), span);
            let sums = this.build_array(size, span, |this, index| {
                this.total([Expr::index(array, index, span)], span)
            });
            this.total([sums], span)
        })
    }

    /// The sum of an array of Ints.
    pub(super) fn int_sum(&mut self, [array]: [Expr; 1], span: Span) -> Expr {
        self.bind(array, "array", |this, array| {
            let size = Expr::size_of(array.clone(), span);
            this.accumulate(size, Expr::lit(Lit::Int(0), span), span, |_, total, index| {
                Expr::prim(Prim::IntAdd, [total, Expr::index(array, index, span)], span)
            })
        })
    }

    /// `loop total = init for i < count do step total i`
    pub(super) fn accumulate(
        &mut self,
        count: Expr,
        init: Expr,
        span: Span,
        step: impl FnOnce(&mut Self, Expr, Expr) -> Expr,
    ) -> Expr {
        let total = self.fresh("total", init.ty.clone());
        let index = self.fresh("i", Type::int());
        let (total_now, index_now) = (self.var(total, span), self.var(index, span));
        let body = step(self, total_now, index_now);
        Expr::loop_for(total, init, index, count, body, span)
    }
}

/// The result type in the type of `build`.
fn built_type(ty: &Ty) -> Option<&Ty> {
    let Ty::Fun(_, ty) = ty else { return None };
    if let Ty::Fun(_, built) = ty.as_ref() { Some(built) } else { None }
}

/// The arguments, as many as `arity` says.
fn take<const N: usize>(args: Vec<Expr>, span: Span) -> [Expr; N] {
    args.try_into().unwrap_or_else(|_| bug("as many arguments as the built-in takes", span))
}

/// How many arguments a built-in takes before it does something.
fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::Prim(prim) => prim.row().params.len(),
        Builtin::Neg
        | Builtin::Abs
        | Builtin::Signum
        | Builtin::Sum
        | Builtin::Einsum
        | Builtin::Error
        | Builtin::String
        | Builtin::StopGradient
        | Builtin::SumReals
        | Builtin::AsTangent
        | Builtin::Zeros => 1,
        Builtin::Add
        | Builtin::Sub
        | Builtin::Mul
        | Builtin::Div
        | Builtin::Rem
        | Builtin::Pow
        | Builtin::Dotted(..)
        | Builtin::MatMul
        | Builtin::Eq
        | Builtin::Ne
        | Builtin::Lt
        | Builtin::Le
        | Builtin::Gt
        | Builtin::Ge
        | Builtin::And
        | Builtin::Or
        | Builtin::Max
        | Builtin::Min
        | Builtin::Build
        | Builtin::Debug
        | Builtin::Vjp
        | Builtin::Linearize
        | Builtin::Checkpoint
        | Builtin::AssumeLinear
        | Builtin::Perturb
        | Builtin::DifferentiatedAs
        | Builtin::Move
        | Builtin::Displacement
        | Builtin::MapReals
        | Builtin::Grad
        | Builtin::ValueAndGrad
        | Builtin::Jacobian
        | Builtin::JacobianForward
        | Builtin::JacobianReverse
        | Builtin::Hessian => 2,
        Builtin::Assert
        | Builtin::MapReals2
        | Builtin::FoldReals
        | Builtin::Jvp
        | Builtin::Rd
        | Builtin::Hvp
        | Builtin::CustomVjp
        | Builtin::CustomJvp => 3,
    }
}

/// Whether errors should point to the operator and not to the whole application.
fn is_operator(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Add
            | Builtin::Sub
            | Builtin::Mul
            | Builtin::Div
            | Builtin::Rem
            | Builtin::Pow
            | Builtin::Dotted(..)
            | Builtin::MatMul
    )
}
