//! Functions of one parameter: what engines differentiate.

use pullback_lambda::{Def, DefId, Expr, ExprKind, Program};

/// A definition with the same meaning whose body is a function of one parameter.
pub fn unary(program: &mut Program, def: DefId) -> DefId {
    let Def { name, ty, body, span } = program.defs[def].clone();
    if matches!(&body.kind, ExprKind::Lam(params, _) if params.len() == 1) {
        return def;
    }
    let Some((from, _)) = ty.as_fun() else { return def };
    let x = program.fresh("x", from.clone());
    let function = program.copy(&body);
    let arg = program.var(x, span);
    let applied = Expr::app(function, vec![arg], span);
    let body = program.lam(vec![x], applied);
    program.defs.push(Def { name, ty, body, span })
}
