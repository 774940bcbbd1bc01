//! Walks the table of conventions: values and partial derivatives at the points where a formula alone
//! would not decide, against the numbers the conventions give.

use super::{applied, derivative, env_of, eval, eval_real};
use pullback_prim::{Prim, Scalar, values};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

fn check(prim: Prim, point: &[f64], value: f64, slopes: &[f64]) {
    let (expr, vars) = applied(prim);
    let env = env_of(prim, &vars, point);
    let Scalar::Real(found) = eval(&expr, &env) else { panic!("{prim:?} gives no Real") };
    assert!(same(found, value), "{prim:?} {point:?} = {found}, not {value}");
    let reals = vars.iter().filter(|var| matches!(env[var], Scalar::Real(_)));
    let found: Vec<_> = reals.map(|var| eval_real(&derivative(&expr, *var), &env)).collect();
    let agree = found.len() == slopes.len() && found.iter().zip(slopes).all(|(a, b)| same(*a, *b));
    assert!(agree, "{prim:?} {point:?} has slopes {found:?}, not {slopes:?}");
}

/// The derivative of a one-argument primitive (or by its only Real) of this order.
fn higher(prim: Prim, point: &[f64], by: &[usize]) -> f64 {
    let (expr, vars) = applied(prim);
    let env = env_of(prim, &vars, point);
    let slope = by.iter().try_fold(expr, |expr, index| derivative(&expr, vars[*index]));
    eval_real(&slope, &env)
}

#[test]
fn kinks_and_steps() {
    check(Prim::Abs, &[0.0], 0.0, &[0.0]);
    check(Prim::Abs, &[-0.0], 0.0, &[0.0]);
    check(Prim::Abs, &[NAN], NAN, &[NAN]);
    check(Prim::Abs, &[-2.0], 2.0, &[-1.0]);
    for prim in [Prim::Signum, Prim::Floor, Prim::Ceil, Prim::Round] {
        assert_eq!(higher(prim, &[2.0], &[0]), 0.0);
    }
    check(Prim::Signum, &[-0.0], 0.0, &[0.0]);
    check(Prim::Round, &[-2.5], -3.0, &[0.0]);
}

#[test]
fn remainders() {
    let sign = |x: f64, y: f64| values::rem(x, y).is_sign_negative();
    assert!([(6.0, 3.0), (-6.0, 3.0), (-0.0, 3.0)].iter().all(|(x, y)| !sign(*x, *y)));
    assert!([(6.0, -3.0), (-6.0, -3.0), (0.0, -3.0)].iter().all(|(x, y)| sign(*x, *y)));
    check(Prim::Rem, &[4.0, 2.0], 0.0, &[1.0, -2.0]);
    check(Prim::Rem, &[-5.5, 2.0], 0.5, &[1.0, 3.0]);
    check(Prim::Rem, &[5.5, -2.0], -0.5, &[1.0, 3.0]);
    check(Prim::Rem, &[1e300, 3.0], 0.0, &[1.0, -1e300 / 3.0]);
    check(Prim::Rem, &[1e300, 7.0], 1.0, &[1.0, -1e300 / 7.0]);
    check(Prim::Rem, &[128.773, 0.131], 128.773 % 0.131, &[1.0, -982.0]);
    check(Prim::Rem, &[-1e-20, 1.0], 1.0, &[1.0, 1.0]);
    check(Prim::Rem, &[5.0, INF], 5.0, &[1.0, 0.0]);
    check(Prim::Rem, &[5.0, -INF], -INF, &[1.0, NAN]);
    check(Prim::Rem, &[1.0, 0.0], NAN, &[1.0, NAN]);
    check(Prim::Rem, &[INF, 1.0], NAN, &[1.0, NAN]);
    check(Prim::Rem, &[NAN, 1.0], NAN, &[1.0, NAN]);
    for by in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        assert_eq!(higher(Prim::Rem, &[5.5, 2.0], &by), 0.0);
    }
}

#[test]
fn maxima_and_minima() {
    check(Prim::Max, &[1.0, 1.0], 1.0, &[0.5, 0.5]);
    check(Prim::Min, &[1.0, 1.0], 1.0, &[0.5, 0.5]);
    check(Prim::Max, &[-0.0, 0.0], 0.0, &[0.5, 0.5]);
    assert!(values::max(-0.0, 0.0).is_sign_positive() && values::max(0.0, -0.0).is_sign_positive());
    assert!(values::min(-0.0, 0.0).is_sign_negative() && values::min(0.0, -0.0).is_sign_negative());
    check(Prim::Max, &[1.0, 2.0], 2.0, &[0.0, 1.0]);
    check(Prim::Min, &[1.0, 2.0], 1.0, &[1.0, 0.0]);
    check(Prim::Max, &[NAN, 2.0], NAN, &[NAN, NAN]);
    check(Prim::Min, &[1.0, NAN], NAN, &[NAN, NAN]);
    check(Prim::Max, &[INF, INF], INF, &[0.5, 0.5]);
}

#[test]
fn edges_of_domains_have_one_sided_limits() {
    for zero in [0.0, -0.0] {
        check(Prim::Sqrt, &[zero], 0.0, &[INF]);
        check(Prim::Log, &[zero], -INF, &[INF]);
        check(Prim::Cbrt, &[zero], 0.0, &[INF]);
    }
    check(Prim::Log1p, &[-1.0], -INF, &[INF]);
    check(Prim::Asin, &[1.0], std::f64::consts::FRAC_PI_2, &[INF]);
    check(Prim::Asin, &[-1.0], -std::f64::consts::FRAC_PI_2, &[INF]);
    check(Prim::Acos, &[1.0], 0.0, &[-INF]);
    check(Prim::Acos, &[-1.0], std::f64::consts::PI, &[-INF]);
    check(Prim::Acosh, &[1.0], 0.0, &[INF]);
    check(Prim::Atanh, &[1.0], INF, &[INF]);
    check(Prim::Atanh, &[-1.0], -INF, &[INF]);
    assert_eq!(higher(Prim::Sqrt, &[0.0], &[0, 0]), -INF);
    assert_eq!(higher(Prim::Log, &[0.0], &[0, 0]), -INF);
}

#[test]
fn outside_of_domains_all_is_nan() {
    let outside = [
        (Prim::Sqrt, -1.0),
        (Prim::Log, -1.0),
        (Prim::Log1p, -1.5),
        (Prim::Asin, 1.5),
        (Prim::Acos, -1.5),
        (Prim::Acosh, 0.5),
        (Prim::Atanh, 1.5),
        (Prim::Digamma, -1.0),
    ];
    for (prim, x) in outside {
        check(prim, &[x], NAN, &[NAN]);
    }
    check(Prim::Xlogy, &[1.0, -1.0], NAN, &[NAN, NAN]);
    check(Prim::Lgamma, &[-1.0], INF, &[NAN]);
}

#[test]
fn powers_at_zero() {
    check(Prim::Pow, &[0.0, 0.0], 1.0, &[0.0, 0.0]);
    check(Prim::Pow, &[0.0, 1.0], 0.0, &[1.0, 0.0]);
    check(Prim::Pow, &[0.0, 2.0], 0.0, &[0.0, 0.0]);
    check(Prim::Pow, &[0.0, 2.5], 0.0, &[0.0, 0.0]);
    check(Prim::Pow, &[0.0, 0.5], 0.0, &[INF, 0.0]);
    check(Prim::Pow, &[-2.0, 3.0], -8.0, &[12.0, NAN]);
    check(Prim::Pow, &[3.0, 0.0], 1.0, &[0.0, 3.0_f64.ln()]);
    check(Prim::Pow, &[-1.0, 0.5], NAN, &[NAN, NAN]);
    assert_eq!(higher(Prim::Pow, &[0.0, 2.0], &[0, 0]), 2.0);
    assert_eq!(higher(Prim::Pow, &[0.0, 3.0], &[0, 0, 0]), 6.0);
    assert_eq!(higher(Prim::Pow, &[0.0, 2.0], &[1, 1]), 0.0);
    assert_eq!(higher(Prim::Pow, &[2.0, 0.0], &[0, 1]), 0.5);
}

#[test]
fn repeated_products() {
    check(Prim::PowInt, &[0.0, 0.0], 1.0, &[0.0]);
    check(Prim::PowInt, &[0.0, 1.0], 0.0, &[1.0]);
    check(Prim::PowInt, &[-2.0, 3.0], -8.0, &[12.0]);
    check(Prim::PowInt, &[2.0, -2.0], 0.25, &[-0.25]);
    check(Prim::PowInt, &[INF, 0.0], 1.0, &[0.0]);
    assert_eq!(higher(Prim::PowInt, &[0.0, 2.0], &[0, 0]), 2.0);
    assert_eq!(higher(Prim::PowInt, &[0.0, 2.0], &[0, 0, 0]), 0.0);
    assert_eq!(higher(Prim::PowInt, &[0.0, 1.0], &[0, 0]), 0.0);
}

#[test]
fn lengths_and_angles() {
    check(Prim::Hypot, &[0.0, 0.0], 0.0, &[0.0, 0.0]);
    for scale in [2.0_f64.powi(900), 2.0_f64.powi(-900)] {
        check(Prim::Hypot, &[3.0 * scale, 4.0 * scale], 5.0 * scale, &[0.6, 0.8]);
    }
    check(Prim::Hypot, &[NAN, INF], NAN, &[NAN, NAN]);
    check(Prim::Atan2, &[0.0, 0.0], 0.0, &[NAN, NAN]);
    check(Prim::Atan2, &[0.0, 2.0], 0.0, &[0.5, 0.0]);
    let (expr, vars) = applied(Prim::Atan2);
    let env = env_of(Prim::Atan2, &vars, &[3e200, 4e200]);
    let slope = eval_real(&derivative(&expr, vars[0]), &env);
    assert!((slope * 1e200 - 0.16).abs() < 1e-15, "{slope}");
}

#[test]
fn lengths_scale_exactly() {
    for k in (-900..=900).step_by(50) {
        let scale = 2.0_f64.powi(k);
        let (x, y) = (0.7 * scale, -1.9 * scale);
        assert_eq!(values::hypot(x, y), values::hypot(0.7, -1.9) * scale);
    }
}

#[test]
fn entropy() {
    check(Prim::Xlogy, &[0.0, 0.0], 0.0, &[-INF, 0.0]);
    check(Prim::Xlogy, &[0.0, 2.0], 0.0, &[2.0_f64.ln(), 0.0]);
    check(Prim::Xlogy, &[2.0, 0.0], -INF, &[-INF, INF]);
    check(Prim::Xlogy, &[0.0, NAN], NAN, &[NAN, NAN]);
    assert_eq!(higher(Prim::Xlogy, &[0.0, 2.0], &[1, 0]), 0.5);
}

#[test]
fn tails_keep_their_precision() {
    let close = |found: f64, wanted: f64| {
        assert!((found - wanted).abs() <= 1e-14 * wanted.abs(), "{found}, not {wanted}");
    };
    close(higher(Prim::Tanh, &[20.0], &[0]), 4.0 * (-40.0_f64).exp());
    close(higher(Prim::Sigmoid, &[40.0], &[0]), (-40.0_f64).exp());
    close(higher(Prim::Softplus, &[-40.0], &[0]), (-40.0_f64).exp());
    for prim in [Prim::Tanh, Prim::Sigmoid, Prim::Softplus, Prim::Sech2] {
        for x in [-1e3, 1e3] {
            assert_eq!(higher(prim, &[x], &[0, 0]), 0.0, "{prim:?} at {x}");
            assert_eq!(higher(prim, &[x], &[0, 0, 0]), 0.0, "{prim:?} at {x}");
        }
    }
    assert_eq!(higher(Prim::Softplus, &[1e3], &[0]), 1.0);
}

#[test]
fn comparisons_with_nan_are_false() {
    for prim in [Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge, Prim::Eq] {
        let found = prim.eval_scalar(&[Scalar::Real(NAN), Scalar::Real(1.0)]);
        assert_eq!(found, Ok(Scalar::Bool(false)), "{prim:?}");
    }
    let found = Prim::Ne.eval_scalar(&[Scalar::Real(NAN), Scalar::Real(NAN)]);
    assert_eq!(found, Ok(Scalar::Bool(true)));
}

#[test]
fn integers_are_checked_and_floor() {
    assert_eq!(values::int_div(-7, 2), Some(-4));
    assert_eq!(values::int_div(7, -2), Some(-4));
    assert_eq!(values::int_div(-8, 2), Some(-4));
    assert_eq!(values::int_rem(-7, 2), Some(1));
    assert_eq!(values::int_rem(7, -2), Some(-1));
    assert_eq!(values::int_div(i64::MIN, -1), None);
    assert_eq!(values::int_rem(i64::MIN, -1), Some(0));
    assert_eq!(values::int_pow(2, 62), Some(1 << 62));
    assert_eq!(values::int_pow(2, 63), None);
    assert_eq!(values::int_pow(-1, i64::MAX), Some(-1));
    assert_eq!(values::to_int(-2.9), Some(-2));
    assert_eq!(values::to_int(9.3e18), None);
    assert_eq!(values::to_int(NAN), None);
    assert_eq!(values::to_int(-9_223_372_036_854_775_808.0), Some(i64::MIN));
}
