//! Functions with derivatives of their own, made first-order: value and derivative become definitions
//! over what was captured.

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{AdOp, Def, DefId, Expr, ExprKind, Program, VarId, is_first_order};

use super::cl::{Custom, NAME};
use pullback_reduce::{outside_fragment, specialise_all};

/// What the definition of a value belongs to.
pub type Customs = BTreeMap<DefId, Custom>;

/// So often rules may use functions with rules.
const DEEPEST: usize = 20;

/// Specialises what a definition reaches, with all rules as definitions.
pub fn prepare(program: &Program, def: DefId) -> Result<(Program, Customs), Box<Diagnostic>> {
    let mut customs = Customs::new();
    let mut roots = vec![def];
    let mut program = specialise_all(program, &roots);
    for _ in 0..DEEPEST {
        let known = customs.len();
        for id in program.reachable(&roots) {
            let mut body = program.defs[id].body.clone();
            lift_in(&mut program, &mut customs, &mut body)?;
            program.defs[id].body = body;
        }
        if customs.len() == known {
            return Ok((program, customs));
        }
        roots = vec![def];
        for custom in customs.values() {
            roots.extend([custom.value, custom.rule, custom.derivative]);
        }
        program = specialise_all(&program, &roots);
    }
    let span = program.defs[def].span;
    Err(outside_fragment(NAME, "rules of differentiation that need each other", span))
}

/// The definitions of an operator, and what it captured.
pub fn look_up(customs: &Customs, op: AdOp, args: &[Expr]) -> Option<(Custom, Vec<Expr>)> {
    let value = args.first()?;
    let (value, captured) = if let ExprKind::App(value, captured) = &value.kind {
        (&**value, captured.clone())
    } else {
        (value, vec![])
    };
    let ExprKind::Global(def) = value.kind else { return None };
    let custom = customs.get(&def)?;
    (custom.op == op).then(|| (custom.clone(), captured))
}

fn lift_in(
    program: &mut Program,
    customs: &mut Customs,
    expr: &mut Expr,
) -> Result<(), Box<Diagnostic>> {
    let mut result = Ok(());
    expr.for_each_child_mut(&mut |child| {
        if result.is_ok() {
            result = lift_in(program, customs, child);
        }
    });
    result?;
    let span = expr.span;
    let ExprKind::Ad(op @ (AdOp::CustomVjp | AdOp::CustomJvp), args) = &mut expr.kind else {
        return Ok(());
    };
    if look_up(customs, *op, args).is_some() {
        return Ok(());
    }
    let both = Expr::tuple(vec![args[0].clone(), args[1].clone()], span);
    let captured = both.free_vars();
    let known = |var: &VarId| is_first_order(&program.datas, &program.vars[*var].ty);
    if !captured.iter().all(known) {
        let construct = "a derivative rule that is not known before the program runs";
        return Err(outside_fragment(NAME, construct, span));
    }
    let Some((from, to)) = args[0].ty.as_fun() else { return Ok(()) };
    let (from, to) = (from.clone(), to.clone());
    let value = {
        let x = program.fresh("x", from.clone());
        let arg = program.var(x, span);
        let body = Expr::app(args[0].clone(), vec![arg], span);
        closed(program, "value", &captured, vec![x], body, span)
    };
    let rule = {
        let x = program.fresh("x", from.clone());
        let mut params = vec![x];
        if *op == AdOp::CustomJvp
            && let Some(rest) = args[1].ty.after(1)
            && let Some((dot, _)) = rest.as_fun()
        {
            params.push(program.fresh("x_dot", dot.clone()));
        }
        let given = params.iter().map(|var| program.var(*var, span)).collect();
        let body = Expr::app(args[1].clone(), given, span);
        closed(program, "rule", &captured, params, body, span)
    };
    let derivative = {
        let x = program.fresh("x", from);
        let arg = program.var(x, span);
        let dot = pullback_lambda::tangent(
            &mut program.datas,
            if *op == AdOp::CustomVjp { &to } else { &program.vars[x].ty },
        );
        let Some(dot) = dot else { return Ok(()) };
        let name = if *op == AdOp::CustomVjp { "y_bar" } else { "x_dot" };
        let d = program.fresh(name, dot);
        let given = program.var(d, span);
        let body = if *op == AdOp::CustomVjp {
            let pair = Expr::app(args[1].clone(), vec![arg], span);
            Expr::app(Expr::proj(pair, 1, span), vec![given], span)
        } else {
            Expr::proj(Expr::app(args[1].clone(), vec![arg, given], span), 1, span)
        };
        closed(program, "derivative", &captured, vec![x, d], body, span)
    };
    customs.insert(value, Custom { op: *op, value, rule, derivative });
    let captured = || captured.iter().map(|var| program.var(*var, span)).collect::<Vec<_>>();
    args[0] = Expr::app(program.global(value, span), captured(), span);
    args[1] = Expr::app(program.global(rule, span), captured(), span);
    Ok(())
}

/// A definition over what was captured and further parameters.
fn closed(
    program: &mut Program,
    name: &'static str,
    captured: &[VarId],
    params: Vec<VarId>,
    body: Expr,
    span: Span,
) -> DefId {
    let all = captured.iter().copied().chain(params).collect();
    let whole = program.lam(all, body);
    // The binders of the copy are its own; captured variables become parameters.
    let whole = program.copy(&whole);
    program.defs.push(Def { name: Name::new_static(name), ty: whole.ty.clone(), body: whole, span })
}
