//! The primitive table against the oracle without any engine between: its terms are differentiated as
//! they stand, up to order three.

use std::collections::BTreeMap;

use pullback_base::{Name, Span};
use pullback_lambda::{Def, Expr, ExprKind, Linearised, Program, Type, VarId};
use pullback_oracle::table::{Case, DerivativeMode, HIGHEST, Subject, cases, report};
use pullback_oracle::{Data, eval_f64};
use pullback_prim::{Class, Prim};

/// Symbolic differentiation by the terms of the table.
struct Terms;

impl Subject for Terms {
    fn name(&self) -> &str {
        "terms"
    }

    fn partial(
        &self,
        case: &Case,
        by: &[(usize, DerivativeMode)],
        at: &[f64],
    ) -> Option<Result<f64, String>> {
        if !case.bare || by.iter().any(|(_, mode)| *mode != DerivativeMode::Jvp) {
            return None;
        }
        let mut program = Program::default();
        let vars: Vec<VarId> = at.iter().map(|_| program.fresh("x", Type::real())).collect();
        let args = vars.iter().map(|var| program.var(*var, Span::NONE)).collect();
        let mut expr = (case.body)(&mut program, args);
        for (index, _) in by {
            let mut dots = Dots::from([(vars[*index], Expr::real(1.0, Span::NONE))]);
            let dot = slope(&mut program, &expr, &mut dots);
            expr = dot.unwrap_or_else(|| Expr::real(0.0, Span::NONE));
        }
        let body = program.lam(vars, expr);
        let (name, ty) = (Name::new("main"), body.ty.clone());
        let def = program.defs.push(Def { name, ty, body, span: Span::NONE });
        let args: Vec<_> = at.iter().map(|x| Data::Real(*x)).collect();
        Some(match eval_f64(&program, def, &args) {
            Ok(Data::Real(x)) => Ok(x),
            other => Err(format!("{other:?}")),
        })
    }
}

/// The derivative of a term, from those of its variables; `None` is a structural zero.
fn slope(program: &mut Program, expr: &Expr, dots: &mut Dots) -> Option<Expr> {
    if let ExprKind::Var(var) = &expr.kind {
        return dots.get(var).cloned();
    }
    if let ExprKind::Let(var, value, body) = &expr.kind {
        let dot = slope(program, value, dots);
        dots.extend(dot.map(|dot| (*var, dot)));
        let dot = slope(program, body, dots)?;
        return Some(Expr::let_(*var, (**value).clone(), dot));
    }
    if let ExprKind::If(cond, then, other) = &expr.kind {
        let (then, other) = (slope(program, then, dots), slope(program, other, dots));
        if then.is_none() && other.is_none() {
            return None;
        }
        let or_zero = |x: Option<Expr>| x.unwrap_or_else(|| Expr::real(0.0, Span::NONE));
        return Some(Expr::if_((**cond).clone(), or_zero(then), or_zero(other), Span::NONE));
    }
    let ExprKind::Prim(prim, args) = &expr.kind else { return None };
    prim.row().smooth()?;
    let Linearised { slopes, bindings } =
        program.linearise(*prim, args, expr, |_| true, Span::NONE);
    let mut sum: Option<Expr> = None;
    for (partial, arg) in slopes.iter().zip(args) {
        let Some(factor) = slope(program, arg, dots) else { continue };
        let product = partial.times(&factor, Span::NONE);
        sum = match (sum, product) {
            (Some(sum), Some(term)) => Some(Expr::prim(Prim::Add, vec![sum, term], Span::NONE)),
            (sum, term) => sum.or(term),
        };
    }
    sum.map(|sum| Expr::lets(bindings, sum))
}

/// The derivatives of variables; those that are missing are zero.
type Dots = BTreeMap<VarId, Expr>;

#[test]
fn every_primitive_with_a_derivative_has_a_case() {
    let cases = cases();
    for prim in Prim::ALL {
        let needed = matches!(prim.row().class, Class::Smooth(_) | Class::Structural(_));
        let found = cases.iter().any(|case| case.prim == *prim);
        assert!(found || !needed, "`{}` has no case", prim.row().name);
    }
}

#[test]
fn cases_are_well_typed() {
    for case in cases() {
        for order in 0..=2 {
            for modes in DerivativeMode::words(order) {
                let by: Vec<_> = modes.into_iter().map(|mode| (case.arity - 1, mode)).collect();
                let (program, _) = pullback_oracle::table::nested(&case, &by);
                assert_eq!(
                    pullback_lambda::verify(&program, pullback_lambda::Stage::Any),
                    Ok(()),
                    "{} {by:?}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn the_terms_are_right() {
    let report = report(&[&Terms], HIGHEST);
    assert!(report.failures.is_empty(), "{report}");
    assert!(report.checks() > 2000, "{report}");
}
