//! The semantics of CL: `e ◇ c` is the term that an arrow gives for an environment (figure 10).
//!
//! Input: arrows. Output: definitions of the calculus, to be run like any other. The environment is a
//! list of atoms, so nothing is evaluated twice; arguments keep their order of evaluation.

use pullback_base::Span;
use pullback_lambda::{AdOp, Arm, DefId, Expr, ExprKind, LoopForm, Program, Type, VarId};

use super::cl::{Cl, ClArm, ClKind, ClProgram, Custom, Function};

/// Replaces the definitions of a program by the meanings of their arrows.
pub fn replace(program: &mut Program, defs: &ClProgram) {
    for (id, def) in defs {
        let params: Vec<VarId> = def.params.iter().map(|var| program.fresh_like(*var)).collect();
        let env: Vec<Expr> = params.iter().map(|var| program.var(*var, def.span)).collect();
        let body = apply(program, &def.body, &env);
        program.defs[*id].body = program.lam(params, body);
    }
}

/// `env ◇ cl`; the environment is made of atoms.
pub fn apply(program: &mut Program, cl: &Cl, env: &[Expr]) -> Expr {
    let span = cl.span;
    match &cl.kind {
        ClKind::Identity => Expr::record(env.to_vec(), cl.to.clone(), span),
        ClKind::Constant(lit) => Expr::lit(lit.clone(), span),
        ClKind::Prune(kept, _) => {
            let kept = kept.iter().map(|at| env[*at].clone()).collect();
            Expr::record(kept, cl.to.clone(), span)
        }
        ClKind::Function(function) => apply_function(program, function, env.to_vec(), &cl.to, span),
        ClKind::Compose(first, second) => compose(program, first, second, env),
        ClKind::Tuple(items) => {
            let items = items.iter().map(|item| apply(program, item, env)).collect();
            Expr::record(items, cl.to.clone(), span)
        }
        ClKind::If(cond, then, other) => {
            let cond = apply(program, cond, env);
            let then = apply(program, then, env);
            Expr::if_(cond, then, apply(program, other, env), span)
        }
        ClKind::Let(var, value, body) => {
            let value = apply(program, value, env);
            let var = program.fresh_like(*var);
            let env = extended(program, env, &[var], span);
            Expr::let_(var, value, apply(program, body, &env))
        }
        ClKind::Build(size, var, body) => {
            let size = apply(program, size, env);
            let var = program.fresh_like(*var);
            let env = extended(program, env, &[var], span);
            Expr::build(size, var, apply(program, body, &env), span)
        }
        ClKind::Fold { state, init, index, count, body } => {
            let init = Box::new(apply(program, init, env));
            let count = Box::new(apply(program, count, env));
            let (var, index) = (program.fresh_like(*state), program.fresh_like(*index));
            let env = extended(program, env, &[var, index], span);
            let body = Box::new(apply(program, body, &env));
            let form = LoopForm::For { var: index, count };
            Expr::new(ExprKind::Loop { var, init, form, body }, cl.to.clone(), span)
        }
        ClKind::While { state, init, cond, body } => {
            let init = Box::new(apply(program, init, env));
            let var = program.fresh_like(*state);
            let env = extended(program, env, &[var], span);
            let form = LoopForm::While(Box::new(apply(program, cond, &env)));
            let body = Box::new(apply(program, body, &env));
            Expr::new(ExprKind::Loop { var, init, form, body }, cl.to.clone(), span)
        }
        ClKind::Case(scrutinee, arms, default) => {
            let scrutinee = apply(program, scrutinee, env);
            let arms = arms.iter().map(|arm| apply_arm(program, arm, env)).collect();
            let default = default.as_ref().map(|default| apply(program, default, env));
            Expr::match_(scrutinee, arms, default, span)
        }
    }
}

fn apply_arm(program: &mut Program, arm: &ClArm, env: &[Expr]) -> Arm {
    let vars: Vec<VarId> = arm.vars.iter().map(|var| program.fresh_like(*var)).collect();
    let env = extended(program, env, &vars, arm.body.span);
    Arm { tag: arm.tag, vars, body: apply(program, &arm.body, &env) }
}

/// `(env ◇ first) ◇ second`, where a tuple of arrows is no tuple of the calculus if it need not be.
fn compose(program: &mut Program, first: &Cl, second: &Cl, env: &[Expr]) -> Expr {
    if let ClKind::Prune(kept, _) = &first.kind {
        let inner: Vec<Expr> = kept.iter().map(|at| env[*at].clone()).collect();
        return apply(program, second, &inner);
    }
    if let (ClKind::Tuple(items), ClKind::Function(function)) = (&first.kind, &second.kind) {
        let args = items.iter().map(|item| apply(program, item, env)).collect();
        return apply_function(program, function, args, &second.to, second.span);
    }
    let middle = apply(program, first, env);
    if let ClKind::Function(Function::Component(at)) = second.kind {
        return Expr::proj(middle, at, second.span);
    }
    let count = middle.ty.parts().len();
    let (middle, binding) = program.share("t", middle);
    let inner: Vec<Expr> =
        (0..count).map(|at| Expr::proj(middle.clone(), at, first.span)).collect();
    let body = apply(program, second, &inner);
    Expr::lets(binding, body)
}

/// A function constant on arguments.
pub(super) fn apply_function(
    program: &mut Program,
    function: &Function,
    args: Vec<Expr>,
    to: &Type,
    span: Span,
) -> Expr {
    match function {
        Function::Def(def) => Expr::app(program.global(*def, span), args, span),
        Function::Prim(prim) => Expr::new(ExprKind::Prim(*prim, args), to.clone(), span),
        Function::Component(at) => args[*at].clone(),
        Function::Con(tag) => Expr::new(ExprKind::Con(*tag, args), to.clone(), span),
        Function::Array => Expr::new(ExprKind::Array(args), to.clone(), span),
        Function::StopGradient => Expr::ad(AdOp::StopGradient, args, to.clone(), span),
        Function::Zeros => Expr::ad(AdOp::Zeros, args, to.clone(), span),
        Function::Custom(custom) => apply_custom(program, custom, args, to, span),
    }
}

fn apply_custom(
    program: &mut Program,
    custom: &Custom,
    mut args: Vec<Expr>,
    to: &Type,
    span: Span,
) -> Expr {
    let Some(x) = args.pop() else { return Expr::unit(span) };
    let mut bindings = vec![];
    for arg in &mut args {
        let value = std::mem::replace(arg, Expr::unit(span));
        let (atom, binding) = program.share("captured", value);
        bindings.extend(binding);
        *arg = atom;
    }
    let value = partial(program, custom.value, &args, span);
    let rule = partial(program, custom.rule, &args, span);
    let operator = Expr::ad(custom.op, vec![value, rule, x], to.clone(), span);
    Expr::lets(bindings, operator)
}

fn partial(program: &Program, def: DefId, captured: &[Expr], span: Span) -> Expr {
    Expr::app(program.global(def, span), captured.to_vec(), span)
}

fn extended(program: &Program, env: &[Expr], vars: &[VarId], span: Span) -> Vec<Expr> {
    env.iter().cloned().chain(vars.iter().map(|var| program.var(*var, span))).collect()
}
