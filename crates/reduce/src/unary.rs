//! Functions of one parameter: what engines differentiate.

use pullback_lambda::{Def, DefId, Expr, ExprKind, Pass, Program, Stage};

/// What is known of [`unary`].
pub const UNARY: Pass = Pass {
    name: "unary",
    ty: "(Program, root) -> (Program, root)",
    law: "the new root has the meaning of the old one, and its body is a function of one parameter",
};

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
    let unary = program.defs.push(Def { name, ty, body, span });
    UNARY.verified(program, Stage::Unary(&[unary]));
    unary
}
