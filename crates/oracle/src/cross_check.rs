//! The oracle's own ways against each other: complex step, Taylor jets and differences of jets agree
//! on every function, so that a slip in one of them cannot pass for a slip in an engine.

use pullback_prim::{Prim, PrimTy};

use crate::scalar::{Binary, Scalar, Unary};
use crate::{Complex, Jet};

const STEP: f64 = 1e-100;

/// Every function of one real with points inside its domain.
#[rustfmt::skip]
const UNARY: &[(Unary, &[f64])] = &[
    (Unary::Neg, &[0.0, 1.5, -2.0]),
    (Unary::Abs, &[1.5, -2.0]),
    (Unary::Signum, &[1.5, -2.0]),
    (Unary::Floor, &[1.5, -2.25]),
    (Unary::Ceil, &[1.5, -2.25]),
    (Unary::Round, &[1.25, -2.25]),
    (Unary::Sqrt, &[1e-10, 0.5, 4.0, 1e10]),
    (Unary::Cbrt, &[1e-10, 0.5, -4.0, 1e10]),
    (Unary::Exp, &[-700.0, -1.0, 0.0, 3.0, 700.0]),
    (Unary::Expm1, &[-1.0, 1e-12, 0.0, 3.0]),
    (Unary::Log, &[1e-10, 0.5, 1.0, 4.0, 1e300]),
    (Unary::Log1p, &[-0.9, 1e-12, 0.0, 4.0]),
    (Unary::Sin, &[-3.0, 0.0, 1.0, 100.0]),
    (Unary::Cos, &[-3.0, 0.0, 1.0, 100.0]),
    (Unary::Tan, &[-1.5, 0.0, 1.0, 4.0]),
    (Unary::Asin, &[-0.9, 0.0, 0.3]),
    (Unary::Acos, &[-0.9, 0.0, 0.3]),
    (Unary::Atan, &[-20.0, -0.5, 0.0, 1.0, 20.0]),
    (Unary::Sinh, &[-3.0, 0.0, 1.0, 20.0]),
    (Unary::Cosh, &[-3.0, 0.0, 1.0, 20.0]),
    (Unary::Tanh, &[-3.0, 0.0, 1.0, 10.0]),
    (Unary::Sech2, &[-3.0, 0.0, 1.0, 10.0]),
    (Unary::Asinh, &[-20.0, 0.0, 0.5, 20.0]),
    (Unary::Acosh, &[1.5, 2.0, 20.0]),
    (Unary::Atanh, &[-0.9, 0.0, 0.3]),
    (Unary::Erf, &[-2.0, 0.0, 0.5, 4.0]),
    (Unary::Erfc, &[-2.0, 0.0, 0.5, 4.0]),
    (Unary::Lgamma, &[-1.5, 0.3, 1.0, 2.5, 30.0]),
    (Unary::Digamma, &[-1.5, 0.3, 1.0, 2.5, 30.0]),
    (Unary::Sigmoid, &[-30.0, -1.0, 0.0, 1.0, 30.0]),
    (Unary::Softplus, &[-30.0, -1.0, 0.0, 1.0, 30.0]),
];

#[rustfmt::skip]
const BINARY: &[(Binary, &[(f64, f64)])] = &[
    (Binary::Add, &[(1.0, 2.0)]),
    (Binary::Sub, &[(1.0, 2.0)]),
    (Binary::Mul, &[(1.5, -2.0), (0.0, 3.0)]),
    (Binary::Div, &[(1.5, -2.0), (0.0, 3.0)]),
    (Binary::Rem, &[(5.5, 2.0), (-5.5, 2.0), (5.5, -2.0), (-5.5, -2.0), (0.5, 3.0), (70.25, 0.7)]),
    (Binary::Pow, &[(1.5, 2.5), (0.5, -3.0), (2.0, 0.0)]),
    (Binary::Max, &[(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)]),
    (Binary::Min, &[(1.0, 2.0), (2.0, 1.0), (1.0, 1.0)]),
    (Binary::Atan2, &[(1.0, 2.0), (2.0, -1.0), (-2.0, -3.0), (0.0, 2.0), (2.0, 0.0)]),
    (Binary::Hypot, &[(3.0, 4.0), (-3.0, 1e-5), (0.0, 2.0)]),
    (Binary::Xlogy, &[(1.5, 2.0), (0.0, 3.0), (-1.0, 0.5)]),
];

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn jet(f: &impl Fn(Jet<f64>) -> Jet<f64>, x: f64, order: usize) -> Vec<f64> {
    let y = f(Jet::line(x, 1.0, order));
    (0..=order).map(|k| y.coefficient(k)).collect()
}

fn check(
    what: &str,
    x: f64,
    complex: impl Fn(Complex) -> Complex,
    series: impl Fn(Jet<f64>) -> Jet<f64>,
    value: f64,
) {
    let z = complex(Complex { re: x, im: STEP });
    let taylor = jet(&series, x, 5);
    assert!(near(z.re, value, 1e-13), "{what} at {x}: complex value {} {value}", z.re);
    assert!(near(taylor[0], value, 1e-13), "{what} at {x}: series value {} {value}", taylor[0]);
    let slope = z.im / STEP;
    assert!(near(slope, taylor[1], 1e-13), "{what} at {x}: slopes {slope} {}", taylor[1]);
    // Each coefficient is the slope of the one below, seen by a central difference.
    let h = 1e-4 * if x == 0.0 { 1.0 } else { x.abs().min(1.0) };
    let (above, below) = (jet(&series, x + h, 5), jet(&series, x - h, 5));
    for k in 0..5 {
        let difference = (above[k] - below[k]) / (2.0 * h) / (k as f64 + 1.0);
        let scale = taylor[k + 1].abs().max(taylor[k].abs() * 1e-3);
        let error = (difference - taylor[k + 1]).abs();
        let noise = 1e-12 * taylor[k].abs() / h;
        assert!(
            error <= 1e-4 * (1e-9 + scale) + noise,
            "{what} at {x}, order {}: {difference} {}",
            k + 1,
            taylor[k + 1]
        );
    }
}

#[test]
fn functions_of_one_real() {
    for (op, points) in UNARY {
        for &x in *points {
            let value = f64::unary(*op, &x).unwrap();
            check(
                &format!("{op:?}"),
                x,
                |z| Complex::unary(*op, &z).unwrap(),
                |a| Jet::unary(*op, &a).unwrap(),
                value,
            );
        }
    }
}

#[test]
fn functions_of_two_reals() {
    // Along directions in which no tie is left: the differences would see the kink.
    for (op, points) in BINARY {
        for &(x, y) in *points {
            let tie = matches!(op, Binary::Max | Binary::Min) && x == y;
            let directions: &[(f64, f64)] =
                if tie { &[(1.0, 1.0)] } else { &[(1.0, 0.0), (0.0, 1.0), (1.0, -0.5)] };
            for &(u, v) in directions {
                check(
                    &format!("{op:?} {x} {y} along {u} {v} from"),
                    0.0,
                    |t| {
                        let at = |x, v| Complex { re: x + t.re * v, im: t.im * v };
                        Complex::binary(*op, &at(x, u), &at(y, v)).unwrap()
                    },
                    |t| {
                        let line = |x, v| {
                            if v == 0.0 {
                                Jet::constant(x)
                            } else {
                                Jet::line(x + t.coefficient(0) * v, v, 5)
                            }
                        };
                        Jet::binary(*op, &line(x, u), &line(y, v)).unwrap()
                    },
                    f64::binary(*op, &x, &y).unwrap(),
                );
            }
        }
    }
}

#[test]
fn powers_and_polygammas() {
    for n in [-3, -1, 0, 1, 2, 5] {
        for x in [-1.5, 0.5, 2.0] {
            check(
                &format!("power {n}"),
                x,
                |z| Complex::pow_int(&z, n).unwrap(),
                |a| Jet::pow_int(&a, n).unwrap(),
                x.powi(n as i32),
            );
        }
    }
    for n in [0, 1, 2, 4] {
        for x in [-1.5, 0.5, 2.0, 25.0] {
            check(
                &format!("polygamma {n}"),
                x,
                |z| Complex::polygamma(n, &z).unwrap(),
                |a| Jet::polygamma(n, &a).unwrap(),
                f64::polygamma(n, &x).unwrap(),
            );
        }
    }
}

#[test]
fn every_function_of_the_table_is_checked() {
    let functions_of = |params: &[PrimTy]| {
        let rows = Prim::ALL.iter().map(|prim| prim.row());
        rows.filter(|row| row.smooth().is_some() && row.params == params).count()
    };
    assert_eq!(UNARY.len(), functions_of(&[PrimTy::Real]));
    assert_eq!(BINARY.len(), functions_of(&[PrimTy::Real; 2]));
}
