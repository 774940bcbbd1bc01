//! Functions that do nothing but call another one on parts of their argument.

use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Program, VarId, contains_real};

/// The definition that another one hands its whole argument to (`\s -> f s`) or, in order, all components
/// of it, of which this tells the number: `\s -> f s.0 s.1`.
pub(super) fn applied(program: &Program, def: DefId) -> Option<(DefId, Option<usize>)> {
    let ExprKind::Lam(params, body) = &program.defs[def].body.kind else { return None };
    let [s] = &params[..] else { return None };
    let (named, body) = component_names(*s, body);
    let ExprKind::App(function, args) = &body.kind else { return None };
    let ExprKind::Global(inner) = function.kind else { return None };
    let ExprKind::Lam(taken, result) = &program.defs[inner].body.kind else { return None };
    if inner == def || taken.len() != args.len() || result.ty.as_fun().is_some() {
        return None;
    }
    let is_part = |expr: &Expr, index| {
        let mut expr = expr;
        while let ExprKind::Ad(AdOp::StopGradient, inner) = &expr.kind
            && !contains_real(&program.datas, &expr.ty)
        {
            // Discrete data has no derivative to be stopped.
            expr = &inner[0];
        }
        part_of(*s, expr) == Some(index)
            || matches!(expr.kind, ExprKind::Var(var) if named.contains(&(var, index)))
    };
    if let [arg] = &args[..]
        && is_part(arg, None)
    {
        return Some((inner, None));
    }
    let count = program.vars[*s].ty.components().map_or(0, |components| components.len());
    let all = args.len() == count && (0..count).all(|index| is_part(&args[index], Some(index)));
    all.then_some((inner, Some(count)))
}

/// The variables that the head of a body binds to components of a variable, or to the whole, with the
/// rest of the body.
pub(super) fn component_names(s: VarId, body: &Expr) -> (Vec<(VarId, Option<usize>)>, &Expr) {
    let (mut named, mut body) = (vec![], body);
    while let ExprKind::Let(var, value, rest) = &body.kind
        && let Some(part) = part_of(s, value)
    {
        named.push((*var, part));
        body = rest;
    }
    (named, body)
}

/// Which component of a variable a term is, or the whole.
fn part_of(s: VarId, expr: &Expr) -> Option<Option<usize>> {
    let is_s = |expr: &Expr| matches!(expr.kind, ExprKind::Var(var) if var == s);
    if let ExprKind::Proj(base, index) = &expr.kind {
        return is_s(base).then_some(Some(*index));
    }
    is_s(expr).then_some(None)
}
