//! What is asked of a function, written as a term around it, so that requests from outside and inside a program take one path:
//!
//! ```text
//! asked     value and cotangent of f at x           value and tangent
//! entry     \x y_bar -> let both = vjp f x in       \x x_dot -> jvp f x x_dot
//!             (both.0, both.1 y_bar)
//! ```
//!
//! Input: a program, a function, and what is asked. Output: the definition of the term.

use pullback_base::bug;
use pullback_lambda::{AdOp, Def, DefId, Expr, Program, Type, ad_type, tangent};

use crate::answer::Mode;

/// The name of the stage, for bugs.
const NAME: &str = "compile";

/// What is asked of a function, at arguments that are not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Its value.
    Value,
    /// Its value, and the cotangent of its argument for a cotangent of its result.
    Vjp,
    /// Its value, and the tangent of its result for a tangent of its argument.
    Jvp,
    /// Its value, which is a Real, and its gradient.
    Gradient,
}

impl Asked {
    /// What a mode asks.
    pub fn by(mode: &Mode) -> Self {
        match mode {
            Mode::Value => Self::Value,
            Mode::Vjp(_) => Self::Vjp,
            Mode::Jvp(_) => Self::Jvp,
        }
    }
}

/// A constant of its own for a definition, so that a function is a value too.
pub(crate) fn constant(program: &mut Program, def: DefId) -> DefId {
    let (ty, span) = (program.defs[def].ty.clone(), program.defs[def].span);
    let body = program.global(def, span);
    program.defs.push(Def { name: "main".into(), ty, body, span })
}

/// What is asked of a function, as a definition of so many parameters.
pub(crate) fn asked(program: &mut Program, function: DefId, asked: Asked) -> (DefId, usize) {
    let Def { name, ty, span, .. } = program.defs[function].clone();
    let (from, to) = ty.sides();
    let (op, along) = match asked {
        Asked::Value => (None, None),
        Asked::Vjp | Asked::Gradient => (Some(AdOp::Vjp), Some(tangent_of(program, to))),
        Asked::Jvp => (Some(AdOp::Jvp), Some(tangent_of(program, from))),
    };
    let x = program.fresh("x", from.clone());
    let mut vars = vec![x];
    let callee = program.global(function, span);
    let point = program.var(x, span);
    let body = match (op, along) {
        (Some(op), Some(along)) => {
            let given = if asked == Asked::Gradient {
                Expr::real(1.0, span)
            } else {
                let direction = program.fresh("direction", along);
                vars.push(direction);
                program.var(direction, span)
            };
            if op == AdOp::Vjp {
                let ty = operator_type(program, op, &[&callee, &point]);
                let both = program.fresh("both", ty.clone());
                let request = Expr::ad(op, vec![callee, point], ty, span);
                let value = Expr::proj(program.var(both, span), 0, span);
                let pullback = Expr::proj(program.var(both, span), 1, span);
                let cotangent = Expr::app(pullback, vec![given], span);
                Expr::let_(both, request, Expr::tuple(vec![value, cotangent], span))
            } else {
                let ty = operator_type(program, op, &[&callee, &point, &given]);
                Expr::ad(op, vec![callee, point, given], ty, span)
            }
        }
        (..) => Expr::app(callee, vec![point], span),
    };
    let count = vars.len();
    let body = program.lam(vars, body);
    let entry = program.defs.push(Def { name, ty: body.ty.clone(), body, span });
    (entry, count)
}

/// The gradient of a function that gives a Real, as a function of its own.
pub fn gradient(program: &mut Program, function: DefId) -> DefId {
    let (entry, _) = asked(program, function, Asked::Gradient);
    let Def { name, ty, span, .. } = program.defs[function].clone();
    let x = program.fresh("x", ty.sides().0.clone());
    let both = Expr::app(program.global(entry, span), vec![program.var(x, span)], span);
    let body = Expr::proj(both, 1, span);
    let body = program.lam(vec![x], body);
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

fn operator_type(program: &mut Program, op: AdOp, args: &[&Expr]) -> Type {
    let types: Vec<Type> = args.iter().map(|arg| arg.ty.clone()).collect();
    match ad_type(&mut program.datas, op, &types) {
        Ok(ty) => ty,
        Err(problem) => bug(NAME, format_args!("a function of data: {problem}")),
    }
}

fn tangent_of(program: &mut Program, ty: &Type) -> Type {
    match tangent(&mut program.datas, ty) {
        Some(ty) => ty,
        None => bug(NAME, "first-order data at the boundary of a derivative"),
    }
}
