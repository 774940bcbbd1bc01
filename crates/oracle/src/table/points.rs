//! Where the table is walked, and what the conventions say at kinks, edges, NaN and infinities.
//!
//! The stated derivatives are a second writing of the table of conventions, independent of the first.

use pullback_prim::Prim;

use super::Case;

/// A point of a walk.
#[derive(Clone, Debug)]
pub struct Point {
    /// The arguments.
    pub at: Vec<f64>,
    /// What is right there.
    pub expected: Expected,
}

/// What is right at a point.
#[derive(Clone, Debug)]
pub enum Expected {
    /// What the jets say; at extreme points relative to the result alone.
    Oracle {
        /// Whether numbers are so large or small that only relative errors count.
        extreme: bool,
    },
    /// What the conventions say.
    Stated {
        /// The partial derivatives of order one, where stated.
        partials: Vec<Option<f64>>,
        /// All unmixed partial derivatives of orders two and three, where stated.
        higher: Option<f64>,
    },
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const TINY: f64 = 1e-300;
const HUGE: f64 = 1e300;

const ORDINARY: [f64; 9] = [-3.4, -1.7, -0.6, 0.3, 0.8, 1.9, 3.3, 7.25, 12.5];
#[rustfmt::skip]
const EXTREME: [f64; 24] = [
    0.0, -0.0, TINY, -TINY, f64::MIN_POSITIVE, 1e-20, -1e-20, 1e-8, -1e-8, 1e-3, -1e-3,
    1.0 - 1e-9, -1.0 + 1e-9, 1.0 + 1e-9, 30.0, -30.0, 300.0, -300.0, 1e8, -1e8, 1e30, -1e30, HUGE, -HUGE,
];
const PAIRS: [(f64, f64); 11] = [
    (0.3, 0.8),
    (1.9, 0.6),
    (-1.7, 2.4),
    (0.8, -1.3),
    (-0.6, -3.3),
    (3.3, 3.0),
    (2.5, 1.0),
    (1.2, 0.0),
    (0.0, 1.2),
    (-2.0, 3.0),
    (7.0, -2.0),
];
const EXTREME_PAIRS: [(f64, f64); 10] = [
    (TINY, 1.0),
    (1.0, TINY),
    (HUGE, 1.0),
    (1.0, HUGE),
    (1e150, 1e150),
    (1e-150, -1e-150),
    (1e8, 1e-8),
    (-1e8, 1e8),
    (HUGE, HUGE),
    (TINY, TINY),
];

/// The points of a case.
pub fn points(case: &Case) -> Vec<Point> {
    let mut points = Vec::new();
    let mut oracle = |at: Vec<f64>, extreme| {
        if inside(case, &at) {
            points.push(Point { at, expected: Expected::Oracle { extreme } });
        }
    };
    if case.arity == 1 {
        ORDINARY.iter().for_each(|x| oracle(vec![*x], false));
        EXTREME.iter().for_each(|x| oracle(vec![*x], true));
    } else {
        PAIRS.iter().for_each(|(x, y)| oracle(vec![*x, *y], false));
        if case.bare {
            EXTREME_PAIRS.iter().for_each(|(x, y)| oracle(vec![*x, *y], true));
        }
    }
    if case.bare {
        let state = |(at, partials, higher): Stated| Point {
            at,
            expected: Expected::Stated { partials, higher },
        };
        points.extend(stated(case.prim, case.int.map(|(_, n)| n)).into_iter().map(state));
    }
    points
}

/// Whether the primitive is smooth at these arguments, by the first of its Reals at least.
fn inside(case: &Case, at: &[f64]) -> bool {
    let Some(smooth) = case.prim.row().smooth() else { return true };
    let mut args = at.to_vec();
    if let Some((position, n)) = case.int {
        args.insert(position, n as f64);
    }
    let first = smooth.partials.iter().position(Option::is_some);
    smooth.differentiable(&args, |by| Some(by) == first) || is_power_of_base(case.prim, &args)
}

/// Whether it is a power that has a derivative by its base alone, outside the open set where it has one by both.
fn is_power_of_base(prim: Prim, args: &[f64]) -> bool {
    let is_power = |x: f64, y: f64| x < 0.0 && y == y.floor() || x == 0.0 && y >= 1.0;
    prim == Prim::Pow && matches!(args, [x, y] if is_power(*x, *y))
}

type Stated = (Vec<f64>, Vec<Option<f64>>, Option<f64>);

fn one(x: f64, slope: f64) -> Stated {
    (vec![x], vec![Some(slope)], None)
}

fn flat(x: f64) -> Stated {
    (vec![x], vec![Some(0.0)], Some(0.0))
}

fn two(x: f64, y: f64, by_x: f64, by_y: f64) -> Stated {
    (vec![x, y], vec![Some(by_x), Some(by_y)], None)
}

/// Outside the domain, and for NaN: NaN.
fn outside(xs: &[f64]) -> Vec<Stated> {
    xs.iter().chain(&[NAN]).map(|x| one(*x, NAN)).collect()
}

fn ones(pairs: &[(f64, f64)]) -> Vec<Stated> {
    pairs.iter().map(|(x, slope)| one(*x, *slope)).collect()
}

fn steps(xs: &[f64]) -> Vec<Stated> {
    xs.iter().map(|x| flat(*x)).collect()
}

/// What the conventions say of a bare primitive.
fn stated(prim: Prim, n: Option<i64>) -> Vec<Stated> {
    match prim {
        Prim::Abs => {
            [steps(&[0.0, -0.0]), ones(&[(INF, 1.0), (-INF, -1.0)]), outside(&[])].concat()
        }
        Prim::Signum | Prim::Floor | Prim::Ceil => {
            steps(&[0.0, -0.0, 1.0, -2.0, 0.5, 1e300, INF, -INF])
        }
        Prim::Round => steps(&[0.0, 0.5, -0.5, 1.5, 2.0, -2.5, 1e300, INF, -INF]),
        Prim::Max | Prim::Min => extrema(),
        Prim::Sqrt => [ones(&[(0.0, INF), (INF, 0.0)]), outside(&[-1.0, -TINY, -INF])].concat(),
        Prim::Cbrt => [ones(&[(0.0, INF), (INF, 0.0), (-INF, 0.0)]), outside(&[])].concat(),
        Prim::Log => [ones(&[(0.0, INF), (INF, 0.0)]), outside(&[-1.0, -TINY, -INF])].concat(),
        Prim::Log1p => [ones(&[(-1.0, INF), (INF, 0.0)]), outside(&[-2.0, -INF])].concat(),
        Prim::Asin => [ones(&[(1.0, INF), (-1.0, INF)]), outside(&[1.5, -2.0, INF, -INF])].concat(),
        Prim::Acos => {
            [ones(&[(1.0, -INF), (-1.0, -INF)]), outside(&[1.5, -2.0, INF, -INF])].concat()
        }
        Prim::Acosh => [ones(&[(1.0, INF), (INF, 0.0)]), outside(&[0.5, -3.0, -INF])].concat(),
        Prim::Atanh => [ones(&[(1.0, INF), (-1.0, INF)]), outside(&[1.5, -2.0, INF])].concat(),
        Prim::Exp | Prim::Expm1 => [ones(&[(-INF, 0.0), (INF, INF)]), outside(&[])].concat(),
        Prim::Sin | Prim::Cos | Prim::Tan => outside(&[INF, -INF]),
        Prim::Atan | Prim::Tanh | Prim::Asinh | Prim::Erf | Prim::Erfc | Prim::Sigmoid => {
            [ones(&[(INF, 0.0), (-INF, 0.0)]), outside(&[])].concat()
        }
        Prim::Sinh => [ones(&[(INF, INF), (-INF, INF)]), outside(&[])].concat(),
        Prim::Cosh => [ones(&[(INF, INF), (-INF, -INF)]), outside(&[])].concat(),
        Prim::Sech2 => [ones(&[(INF, 0.0), (-INF, 0.0)]), outside(&[])].concat(),
        Prim::Softplus => [ones(&[(INF, 1.0), (-INF, 0.0)]), outside(&[])].concat(),
        Prim::Lgamma | Prim::Digamma => outside(&[0.0, -1.0, -7.0]),
        Prim::Polygamma => outside(&[0.0, -1.0]),
        Prim::Neg => ones(&[(INF, -1.0), (-INF, -1.0), (NAN, -1.0)]),
        Prim::PowInt => int_power(n.unwrap_or(0)),
        Prim::PowSlope => int_power_slope(n.unwrap_or(0)),
        Prim::Add => vec![two(INF, 1.0, 1.0, 1.0), two(NAN, 1.0, 1.0, 1.0)],
        Prim::Sub => vec![two(INF, 1.0, 1.0, -1.0), two(1.0, NAN, 1.0, -1.0)],
        Prim::Mul => {
            vec![two(0.0, INF, INF, 0.0), two(NAN, 2.0, 2.0, NAN), two(0.0, 0.0, 0.0, 0.0)]
        }
        Prim::Div => vec![two(1.0, INF, 0.0, 0.0), two(1.0, 0.0, INF, -INF)],
        Prim::Rem => vec![
            two(4.0, 2.0, 1.0, -2.0),
            two(-4.0, 2.0, 1.0, 2.0),
            two(0.0, 2.0, 1.0, 0.0),
            two(1.0, INF, 1.0, 0.0),
            two(1.0, 0.0, 1.0, NAN),
            two(INF, 1.0, 1.0, NAN),
            two(NAN, 1.0, 1.0, NAN),
        ],
        Prim::Pow => power(),
        Prim::Atan2 => vec![two(0.0, 0.0, NAN, NAN), two(NAN, 1.0, NAN, NAN)],
        Prim::Hypot => {
            vec![two(0.0, 0.0, 0.0, 0.0), two(-0.0, 0.0, 0.0, 0.0), two(NAN, 1.0, NAN, NAN)]
        }
        Prim::Xlogy => vec![two(0.0, 2.0, 2f64.ln(), 0.0), two(1.0, -1.0, NAN, NAN)],
        // Nothing is stated where nothing flows, or where the element decides.
        Prim::IntNeg
        | Prim::IntAdd
        | Prim::IntSub
        | Prim::IntMul
        | Prim::IntDiv
        | Prim::IntRem
        | Prim::IntPow
        | Prim::IntMax
        | Prim::IntMin
        | Prim::IntAbs
        | Prim::IntSignum
        | Prim::Lt
        | Prim::Le
        | Prim::Gt
        | Prim::Ge
        | Prim::Eq
        | Prim::Ne
        | Prim::IntLt
        | Prim::IntLe
        | Prim::IntGt
        | Prim::IntGe
        | Prim::IntEq
        | Prim::IntNe
        | Prim::BoolEq
        | Prim::StrEq
        | Prim::ShowReal
        | Prim::ShowInt
        | Prim::Quote
        | Prim::Enclose
        | Prim::StrJoin
        | Prim::ReadReal
        | Prim::Tell
        | Prim::Not
        | Prim::IsNan
        | Prim::ToReal
        | Prim::ToInt
        | Prim::Size
        | Prim::Index
        | Prim::Update
        | Prim::Slice
        | Prim::Concat
        | Prim::Flatten
        | Prim::Sum
        | Prim::Argsort
        | Prim::Sized
        | Prim::Dim
        | Prim::CheckSize
        | Prim::Fail
        | Prim::OutOfFuel
        | Prim::EngineLimit
        | Prim::OtherShape
        | Prim::Broken
        | Prim::Beside(_) => vec![],
    }
}

fn int_power(n: i64) -> Vec<Stated> {
    match n {
        0 => vec![flat(0.0), flat(INF), flat(-2.0)],
        1 => vec![one(0.0, 1.0), one(INF, 1.0), one(NAN, 1.0)],
        2 => vec![one(0.0, 0.0), one(-INF, -INF), one(NAN, NAN)],
        _ => vec![one(NAN, NAN)],
    }
}

/// `n * x^(n-1)`
fn int_power_slope(n: i64) -> Vec<Stated> {
    match n {
        0 | 1 => vec![flat(0.0), flat(INF), flat(-2.0)],
        2 => vec![one(0.0, 2.0), one(INF, 2.0), one(NAN, 2.0)],
        _ => vec![one(NAN, NAN)],
    }
}

fn extrema() -> Vec<Stated> {
    let mut all: Vec<Stated> = [1.5, 0.0, -3.0, 1e300, INF]
        .iter()
        .map(|x| (vec![*x, *x], vec![Some(0.5), Some(0.5)], Some(0.0)))
        .collect();
    all.push((vec![-0.0, 0.0], vec![Some(0.5), Some(0.5)], Some(0.0)));
    all.push(two(NAN, 1.0, NAN, NAN));
    all.push(two(1.0, NAN, NAN, NAN));
    all
}

/// At x = 0 the derivative by the exponent is 0, also of `0 ^ 0`.
fn power() -> Vec<Stated> {
    vec![
        two(0.0, 0.0, 0.0, 0.0),
        two(0.0, 1.0, 1.0, 0.0),
        two(0.0, 2.0, 0.0, 0.0),
        two(0.0, 2.5, 0.0, 0.0),
        two(0.0, 0.5, INF, 0.0),
        (vec![-2.0, 3.0], vec![Some(12.0), Some(NAN)], None),
        (vec![-2.0, 0.5], vec![Some(NAN), Some(NAN)], None),
    ]
}
