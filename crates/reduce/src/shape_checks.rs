//! Checks that tangents and cotangents have the shape of what they belong to, as terms.
//!
//! The derivative of the identity gives back its tangent or cotangent, and checks its shape: so a check
//! is an operator on the identity, which the machine that runs the program must answer.

use pullback_base::bug;
use pullback_lambda::{AdOp, Expr, ExprKind, Program, ad_type};

/// `(jvp (\x -> x) value tangent).1`
pub(super) fn tangent(program: &mut Program, value: Expr, tangent: Expr) -> Expr {
    let span = tangent.span;
    let id = identity(program, &value);
    Expr::proj(operator(program, AdOp::Jvp, vec![id, value, tangent]), 1, span)
}

/// `(vjp (\x -> x) value).1 cotangent`
pub(super) fn cotangent(program: &mut Program, value: Expr, cotangent: Expr) -> Expr {
    let span = cotangent.span;
    let id = identity(program, &value);
    let pair = operator(program, AdOp::Vjp, vec![id, value]);
    Expr::app(Expr::proj(pair, 1, span), vec![cotangent], span)
}

fn identity(program: &mut Program, value: &Expr) -> Expr {
    let x = program.fresh("x", value.ty.clone());
    let body = program.var(x, value.span);
    program.lam(vec![x], body)
}

fn operator(program: &mut Program, op: AdOp, args: Vec<Expr>) -> Expr {
    let types: Vec<_> = args.iter().map(|arg| arg.ty.clone()).collect();
    let span = args[1].span;
    match ad_type(&mut program.datas, op, &types) {
        Ok(ty) => Expr::ad(op, args, ty, span),
        Err(why) => bug("eliminate", format!("a typed check of a shape: {why}")),
    }
}

/// Takes the checks out. There must be no other operators.
pub(super) fn unchecked(expr: &mut Expr) {
    expr.rewrite(&mut |node| {
        if let ExprKind::Proj(base, 1) = &node.kind
            && let ExprKind::Ad(AdOp::Jvp, args) = &base.kind
            && is_identity(&args[0])
        {
            *node = args[2].clone();
        } else if let ExprKind::App(function, given) = &node.kind
            && let ExprKind::Proj(base, 1) = &function.kind
            && let ExprKind::Ad(AdOp::Vjp, args) = &base.kind
            && is_identity(&args[0])
            && let [cotangent] = &given[..]
        {
            *node = cotangent.clone();
        }
    });
}

fn is_identity(function: &Expr) -> bool {
    if let ExprKind::Lam(params, body) = &function.kind
        && let [param] = params[..]
    {
        return matches!(body.kind, ExprKind::Var(var) if var == param);
    }
    false
}
