//! Walks the table at ordinary points: every partial derivative, and the derivatives of partial
//! derivatives up to order three, against extrapolated central differences of the values, which share
//! no rule with the table. Special functions are compared with 40-digit values.

use std::collections::BTreeMap;

use pullback_base::{Id, Span};

use crate::signature::{admits, result_type};
use crate::{Expr, ExprKind, Linearised, Lit, Program, Slope, Type, VarId};
use pullback_prim::values::{digamma, erf, erfc, lgamma, polygamma, sigmoid, softplus};
use pullback_prim::{Class, Prim, PrimTy, Scalar};

mod edge_tests;

pub(super) const NONE: Span = Span::NONE;

/// The factors of a primitive by the table, what they share written out.
fn slopes(prim: Prim, args: &[Expr], result: &Expr, by: VarId) -> Vec<Slope> {
    let mut program = Program::default();
    // No variable of the terms is that of a shared part.
    let vars = args.iter().flat_map(Expr::free_vars).chain([by]);
    let last = vars.map(Id::index).max().unwrap_or(0);
    while program.fresh("_", Type::real()).index() < last {}
    let Linearised { mut slopes, bindings } = program.linearise(prim, args, result, |_| true, NONE);
    for (var, term) in bindings {
        slopes.iter_mut().for_each(|slope| written_out(slope, var, &term));
    }
    slopes
}

fn written_out(slope: &mut Slope, var: VarId, term: &Expr) {
    let replace = |expr: &mut Expr| {
        expr.rewrite(&mut |node| {
            if matches!(node.kind, ExprKind::Var(other) if other == var) {
                *node = term.clone();
            }
        });
    };
    match slope {
        Slope::Zero | Slope::One | Slope::MinusOne => {}
        Slope::By(partial) => replace(partial),
        Slope::If(cond, then, other) => {
            replace(cond);
            written_out(then, var, term);
            written_out(other, var, term);
        }
    }
}

/// The derivative of a scalar term by a variable, by the table; `None` is a structural zero.
#[expect(clippy::wildcard_enum_match_arm, reason = "only scalar terms are tested")]
pub(super) fn derivative(expr: &Expr, by: VarId) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Var(var) => {
            (*var == by && expr.ty == Type::real()).then(|| Expr::real(1.0, NONE))
        }
        ExprKind::Prim(prim, args) => {
            prim.row().smooth()?;
            let mut sum: Option<Expr> = None;
            for (slope, arg) in slopes(*prim, args, expr, by).iter().zip(args) {
                let product = derivative(arg, by).and_then(|dot| slope.times(&dot, NONE));
                let Some(product) = product else { continue };
                sum = Some(match sum {
                    Some(sum) => Expr::prim(Prim::Add, vec![sum, product], NONE),
                    None => product,
                });
            }
            sum
        }
        ExprKind::If(cond, then, other) => {
            let (then, other) = (derivative(then, by), derivative(other, by));
            let zero = || Expr::real(0.0, NONE);
            (then.is_some() || other.is_some()).then(|| {
                let (then, other) = (then.unwrap_or_else(zero), other.unwrap_or_else(zero));
                Expr::if_((**cond).clone(), then, other, NONE)
            })
        }
        ExprKind::Lit(_) => None,
        other => panic!("not a scalar term: {other:?}"),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only scalar terms are tested")]
pub(super) fn eval(expr: &Expr, env: &BTreeMap<VarId, Scalar>) -> Scalar {
    match &expr.kind {
        ExprKind::Var(var) => env[var].clone(),
        ExprKind::Lit(Lit::Real(x)) => Scalar::Real(*x),
        ExprKind::Lit(Lit::Int(n)) => Scalar::Int(*n),
        ExprKind::Prim(prim, args) => {
            let args: Vec<_> = args.iter().map(|arg| eval(arg, env)).collect();
            prim.eval_scalar(&args).unwrap_or_else(|fault| panic!("{prim:?} {args:?}: {fault:?}"))
        }
        ExprKind::If(cond, then, other) => {
            eval(if eval(cond, env) == Scalar::Bool(true) { then } else { other }, env)
        }
        other => panic!("not a scalar term: {other:?}"),
    }
}

pub(super) fn eval_real(expr: &Option<Expr>, env: &BTreeMap<VarId, Scalar>) -> f64 {
    let Some(expr) = expr else { return 0.0 };
    let Scalar::Real(x) = eval(expr, env) else { panic!("a Real is expected") };
    x
}

/// The application of a primitive to variables, and the variables.
pub(super) fn applied(prim: Prim) -> (Expr, Vec<VarId>) {
    let mut program = Program::default();
    let types = prim.row().params.iter();
    let types = types.map(|ty| if *ty == PrimTy::Real { Type::real() } else { Type::int() });
    let vars: Vec<_> = types.map(|ty| program.fresh("x", ty)).collect();
    let args: Vec<_> = vars.iter().map(|var| program.var(*var, NONE)).collect();
    (Expr::prim(prim, args, NONE), vars)
}

pub(super) fn env_of(prim: Prim, vars: &[VarId], point: &[f64]) -> BTreeMap<VarId, Scalar> {
    let scalar = |(ty, x): (&PrimTy, &f64)| {
        if *ty == PrimTy::Real { Scalar::Real(*x) } else { Scalar::Int(*x as i64) }
    };
    let scalars = prim.row().params.iter().zip(point).map(scalar);
    vars.iter().copied().zip(scalars).collect()
}

/// The derivative of `f` at `x` by central differences, extrapolated to step 0 (Ridders).
fn numeric(f: &dyn Fn(f64) -> f64, x: f64, step: f64) -> f64 {
    const LEVELS: usize = 8;
    let (mut best, mut best_error) = (f64::NAN, f64::INFINITY);
    let mut previous: Vec<f64> = Vec::new();
    for level in 0..LEVELS {
        let h = step / 1.6_f64.powi(level as i32);
        let mut row = vec![(f(x + h) - f(x - h)) / (2.0 * h)];
        let mut factor = 1.6 * 1.6;
        for k in 0..previous.len() {
            let next = (row[k] * factor - previous[k]) / (factor - 1.0);
            let error = (next - row[k]).abs().max((next - previous[k]).abs());
            if error <= best_error {
                (best, best_error) = (next, error);
            }
            row.push(next);
            factor *= 1.6 * 1.6;
        }
        previous = row;
    }
    best
}

/// Ordinary points of a primitive, all inside its smooth domain.
fn points(prim: Prim) -> Vec<Vec<f64>> {
    let smooth = prim.row().smooth().expect("smooth");
    let real = [-12.3, -3.3, -0.9, -0.45, -0.2, 0.15, 0.6, 0.8, 1.3, 2.7, 8.4];
    let int = [-3.0, 0.0, 1.0, 2.0, 5.0];
    let choices = |ty: &PrimTy| if *ty == PrimTy::Real { &real[..] } else { &int[..] };
    let mut all: Vec<Vec<f64>> = vec![vec![]];
    for param in prim.row().params {
        let extend = |point: Vec<f64>| {
            choices(param).iter().map(move |x| [&point[..], &[*x]].concat()).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    all.retain(|point| {
        let negative_order = prim == Prim::Polygamma && point[0] < 0.0;
        // Differences must not step over a multiple, where it jumps.
        let near_jump = prim == Prim::Rem && {
            let times = point[0] / point[1];
            (times - times.round()).abs() < 0.07 * times.abs()
        };
        smooth.differentiable(point, |_| true) && !negative_order && !near_jump
    });
    all
}

#[test]
fn derivatives_up_to_order_three_agree_with_differences() {
    let mut checked = 0;
    for &prim in Prim::ALL {
        let Class::Smooth(smooth) = &prim.row().class else { continue };
        assert_eq!(smooth.partials.len(), prim.row().params.len(), "{prim:?}");
        let (value, vars) = applied(prim);
        let reals: Vec<usize> =
            (0..vars.len()).filter(|index| prim.row().params[*index] == PrimTy::Real).collect();
        let mut layer = vec![(Some(value), String::new())];
        for order in 1..=3 {
            let mut next = Vec::new();
            for (expr, path) in &layer {
                for &index in &reals {
                    let slope = expr.as_ref().and_then(|expr| derivative(expr, vars[index]));
                    let path = format!("{path}{index}");
                    for point in points(prim) {
                        let env = |x: f64| {
                            let mut point = point.clone();
                            point[index] = x;
                            env_of(prim, &vars, &point)
                        };
                        let at = point[index];
                        let found = eval_real(&slope, &env(at));
                        let step = 0.03 * at.abs().min(1.0);
                        let wanted = numeric(&|x| eval_real(expr, &env(x)), at, step);
                        let size = 1.0 + eval_real(expr, &env(at)).abs() + wanted.abs();
                        assert!(
                            (found - wanted).abs() <= 2e-8 * size,
                            "{prim:?} order {order} by {path} at {point:?}: {found}, differences {wanted}"
                        );
                        checked += 1;
                    }
                    next.push((slope, path));
                }
            }
            layer = next;
        }
    }
    assert!(checked > 5000, "only {checked} points were checked");
}

#[test]
fn names_are_unique_and_lead_back() {
    for &prim in Prim::ALL {
        assert_eq!(Prim::from_name(prim.row().name), Some(prim));
    }
    assert_eq!(Prim::from_name("no such"), None);
}

#[test]
fn types_follow_the_element() {
    let reals = Type::array(Type::real());
    let nested = Type::array(reals.clone());
    assert_eq!(result_type(Prim::Index, &[nested.clone(), Type::int()]), Some(reals.clone()));
    assert_eq!(result_type(Prim::Flatten, std::slice::from_ref(&nested)), Some(reals.clone()));
    assert_eq!(result_type(Prim::Concat, &[nested, reals.clone()]), None);
    assert_eq!(result_type(Prim::Fail, &[Type::str()]), None);
    assert!(admits(Prim::Fail, &[Type::str()], &reals));
    assert_eq!(Prim::Index.row().show_type(), "[]a -> Int -> a");
}

fn close(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * wanted.abs().max(1e-300) || found == wanted
}

#[test]
fn polygamma_is_accurate() {
    for &(n, x, wanted) in POLYGAMMA {
        let found = polygamma(n, x);
        // Near zeros of the function only the absolute error is bounded.
        let tolerance = if n == 0 { 2e-15 * (1.0 + 1.0 / wanted.abs()) } else { 2e-14 };
        let tolerance = if x < 0.0 { 50.0 * tolerance } else { tolerance };
        assert!(close(found, wanted, tolerance), "polygamma {n} {x} = {found}, not {wanted}");
    }
    assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan() && polygamma(1, -2.0).is_nan());
    assert!(polygamma(-1, 2.0).is_nan());
    assert_eq!(polygamma(1, f64::INFINITY), 0.0);
}

#[test]
fn gamma_and_error_functions_are_accurate() {
    for &(x, wanted) in LGAMMA {
        let found = lgamma(x);
        let tolerance = if x < 0.0 { 1e-13 } else { 2e-15 };
        assert!(close(found, wanted, tolerance), "lgamma {x} = {found}, not {wanted}");
    }
    assert_eq!(lgamma(0.0), f64::INFINITY);
    assert_eq!(lgamma(-2.0), f64::INFINITY);
    for &(x, wanted, wanted_c) in ERF {
        assert!(close(erf(x), wanted, 1e-15), "erf {x}");
        assert!(close(erfc(x), wanted_c, 1e-14), "erfc {x}");
    }
}

#[test]
fn logistic_functions_are_stable_in_the_tails() {
    assert_eq!(sigmoid(-745.0), (-745.0_f64).exp());
    assert_eq!(sigmoid(-1e4), 0.0);
    assert_eq!(sigmoid(1e4), 1.0);
    assert!(close(sigmoid(-40.0), 4.248354255291589e-18, 1e-15));
    assert_eq!(softplus(1e4), 1e4);
    assert!(close(softplus(-40.0), 4.248354255291589e-18, 1e-15));
    assert_eq!(softplus(0.0), std::f64::consts::LN_2);
}

const POLYGAMMA: &[(i64, f64, f64)] = &[
    (0, 0.001, -1000.5755719318103),
    (1, 0.001, 1000001.6425331958),
    (2, 0.001, -2000000002.3976321),
    (3, 0.001, 6000000000006.469),
    (5, 0.001, 1.1999999999999998e+20),
    (8, 0.001, -4.0319999999999994e+31),
    (0, 0.25, -4.2274535333762655),
    (1, 0.25, 17.19732915450711),
    (2, 0.25, -129.32773993753693),
    (3, 0.25, 1538.7821440091884),
    (5, 0.25, 491552.5137676813),
    (8, 0.25, -10569651520.043915),
    (0, 0.5, -1.9635100260214235),
    (1, 0.5, 4.934802200544679),
    (2, 0.5, -16.82879664423432),
    (3, 0.5, 97.40909103400244),
    (5, 0.5, 7691.113548602436),
    (8, 0.5, -20644899.96176004),
    (0, 1.0, -0.5772156649015329),
    (1, 1.0, 1.6449340668482264),
    (2, 1.0, -2.4041138063191885),
    (3, 1.0, 6.493939402266829),
    (5, 1.0, 122.0811674381339),
    (8, 1.0, -40400.97839874763),
    (0, 1.5, 0.03648997397857652),
    (1, 1.5, 0.9348022005446793),
    (2, 1.5, -0.82879664423432),
    (3, 1.5, 1.4090910340024372),
    (5, 1.5, 11.113548602435497),
    (8, 1.5, -1059.9617600414265),
    (0, 2.0, 0.42278433509846713),
    (1, 2.0, 0.6449340668482264),
    (2, 2.0, -0.4041138063191886),
    (3, 2.0, 0.49393940226682914),
    (5, 2.0, 2.081167438133897),
    (8, 2.0, -80.97839874763488),
    (0, 3.7, 1.1671535393615113),
    (1, 3.7, 0.3100378576700383),
    (2, 3.7, -0.09539530872855403),
    (3, 3.7, 0.058279217956563614),
    (5, 3.7, 0.06393975390203979),
    (8, 3.7, -0.35476306402938856),
    (0, 9.99, 2.250700372831201),
    (1, 9.99, 0.10527695014824179),
    (2, 9.99, -0.011073070531461051),
    (3, 9.99, 0.0023272159399640798),
    (5, 9.99, 0.00030755170866456327),
    (8, 9.99, -7.41476537244379e-05),
    (0, 10.0, 2.251752589066721),
    (1, 10.0, 0.10516633568168575),
    (2, 10.0, -0.011049834970802067),
    (3, 10.0, 0.0023199013042898686),
    (5, 10.0, 0.0003059451621172682),
    (8, 10.0, -7.353051793554838e-05),
    (0, 25.5, 3.2189424728839198),
    (1, 25.5, 0.03999466964956292),
    (2, 25.5, -0.0015993605962783073),
    (3, 25.5, 0.00012789774302263916),
    (5, 25.5, 2.452697596558959e-06),
    (8, 25.5, -3.2872407862230405e-08),
    (0, 1000.0, 6.907255195648812),
    (1, 1000.0, 0.0010005001666666333),
    (2, 1000.0, -1.0010004999998333e-06),
    (3, 1000.0, 2.003001999999e-09),
    (5, 1000.0, 2.4060059999944e-14),
    (8, 1000.0, -5.06019023994456e-21),
    (0, 10000000000.0, 23.025850929890456),
    (1, 10000000000.0, 1.00000000005e-10),
    (2, 10000000000.0, -1.0000000001e-20),
    (3, 10000000000.0, 2.0000000003e-30),
    (5, 10000000000.0, 2.4000000006e-49),
    (8, 10000000000.0, -5.040000002016e-77),
    (0, -0.5, 0.03648997397857652),
    (1, -0.5, 8.934802200544679),
    (2, -0.5, -0.82879664423432),
    (3, -0.5, 193.40909103400244),
    (5, -0.5, 15371.113548602436),
    (8, -0.5, -1059.9617600414265),
    (0, -1.25, 3.714139120213528),
    (1, -1.25, 19.181879647671607),
    (2, -1.25, 123.72136678366236),
    (3, -1.25, 1558.2209125348506),
    (5, -1.25, 492230.21062287455),
    (8, -1.25, 10569114231.281567),
    (0, -2.75, -1.959055264977997),
    (1, -2.75, 19.433868949488463),
    (2, -2.75, -124.11765305971518),
    (3, -2.75, 1558.4897512832936),
    (5, -2.75, 492231.2077521004),
    (8, -2.75, -10569114259.982264),
    (0, -7.3, 4.33730730551005),
    (1, -7.3, 14.951383181433922),
    (2, -7.3, 68.82117406359033),
    (3, -7.3, 769.0167339816824),
    (5, -7.3, 165660.1736387418),
    (8, -7.3, 2047472533.9870892),
    (0, -20.6, 2.02860126183962),
    (1, -20.6, 10.864181760517212),
    (2, -20.6, -22.27854195784691),
    (3, -20.6, 283.60208741451584),
    (5, -20.6, 31893.174371305373),
    (8, -20.6, -149809052.14881423),
    (0, -100.25, 7.754238959208646),
    (1, -100.25, 19.729283325349364),
    (2, -100.25, 124.0250082069177),
    (3, -100.25, 1558.5454545884686),
    (5, -100.25, 492231.26711055357),
    (8, -100.25, 10569114259.666689),
    (30, 0.7, -1.681205625310475e+37),
    (30, 40.0, -1.0912335543822422e-17),
    (100, 5.0, -2.3661006842991455e+87),
    (150, 300.0, -1.3083361237650298e-111),
    (120, 10000.0, -5.608100728093865e-284),
    (20, -3.4, 5.530669673009853e+26),
    (90, -2.3, 5.674160426586047e+185),
    (130, -3.4, 8.726383441616777e+271),
    (130, -2.45, 1.7372161238244233e+265),
];

const LGAMMA: &[(f64, f64)] = &[
    (1e-10, 23.025850929882736),
    (0.001, 6.907178885383853),
    (0.25, 1.2880225246980774),
    (0.5, 0.5723649429247001),
    (1.5, -0.12078223763524522),
    (2.5, 0.2846828704729192),
    (3.7, 1.428072326665388),
    (10.0, 12.801827480081469),
    (100.5, 361.4355404677776),
    (100000.0, 1051287.7089736569),
    (1000000000000000.0, 3.3538776394910668e+16),
    (-0.5, 1.2655121234846454),
    (-1.25, 1.3664317612369763),
    (-2.75, 0.004487897535955773),
    (-7.3, -7.779101629826852),
];

const ERF: &[(f64, f64, f64)] = &[
    (1e-10, 1.1283791670955126e-10, 0.999999999887162),
    (0.1, 0.1124629160182849, 0.887537083981715),
    (0.5, 0.5204998778130465, 0.4795001221869535),
    (1.0, 0.8427007929497149, 0.15729920705028513),
    (2.0, 0.9953222650189527, 0.004677734981047266),
    (3.5, 0.9999992569016276, 7.430983723414128e-07),
    (5.0, 0.9999999999984626, 1.537459794428035e-12),
    (10.0, 1.0, 2.088487583762545e-45),
    (-0.7, -0.6778011938374184, 1.6778011938374184),
    (-3.0, -0.9999779095030014, 1.9999779095030015),
];
