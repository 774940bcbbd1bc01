//! The functions that go eight lanes at a time are near those of the C library, which for `exp` and `log` are within 1
//! unit in the last place of the truth, for the others within 2; and they have its special values. `POINTS=1000000`
//! tries so many of each.

use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native};
use pullback_ir::eval::Value;
use pullback_opt::proven;

/// How many points each function is tried at.
const POINTS: usize = 20_000;

/// The distance of two numbers, in numbers that lie between.
fn distance(a: f64, b: f64) -> u64 {
    let order = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    if a.is_nan() && b.is_nan() { 0 } else { order(a).abs_diff(order(b)) }
}

/// Points of every size, of both signs where the function has them, and special ones.
fn points(count: usize, largest: f64, has_negative: bool) -> Vec<f64> {
    let special =
        [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, 1e-300, 1e300];
    let mut points = special.to_vec();
    points.extend(special.map(|x| if has_negative { -x } else { x }));
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    while points.len() < count {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 / (1_u64 << 53) as f64;
        let sign = if has_negative && state & 1024 != 0 { -1.0 } else { 1.0 };
        let size = if state & 512 == 0 { unit * largest } else { largest * (unit * -60.0).exp2() };
        points.push(sign * size);
    }
    points
}

#[test]
fn functions_on_lanes_are_accurate() {
    let count =
        std::env::var("POINTS").ok().map_or(POINTS, |count| count.parse().expect("a number"));
    let sigmoid =
        |x: f64| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
    type Case<'c> = (&'c str, &'c dyn Fn(f64) -> f64, f64, bool, u64);
    let cases: [Case<'_>; 5] = [
        ("exp", &f64::exp, 760.0, true, 1),
        ("log", &f64::ln, 1e6, false, 1),
        ("tanh", &f64::tanh, 25.0, true, 3),
        ("sigmoid", &sigmoid, 760.0, true, 3),
        ("sech", &|x| 1.0 / x.cosh(), 700.0, true, 3),
    ];
    for (name, wanted, largest, has_negative, allowed) in cases {
        let text = format!(
            "fn @main.0(x.0: []f64) -> []f64 {{\n  n.1: i64 = dim(x.0, 0)\n  array.2: []f64 = for i.3 < n.1 {{\n    \
             e.4: f64 = x.0[i.3]\n    t.5: f64 = {name}(e.4)\n    collect t.5\n  }}\n  yield array.2\n}}\n"
        );
        let mut program = pullback_ir::parse(&text, FileId(0)).expect("a program");
        let roots: Vec<_> = program.funcs.ids().collect();
        let native = Native::new(&program, &roots, &proven(&program), Level::Fast, Fp::Fast)
            .expect("native code");
        let limits = Limits { max_memory: 1 << 30, timeout: None, since: None };
        let xs = points(count, largest, has_negative);
        let results =
            native.call(&mut program, 0, &[Value::reals(xs.clone())], &limits).expect("a result");
        let Some(Value::Array(array)) = results.first() else { panic!("an array") };
        for (x, found) in xs.iter().zip(array.reals().expect("Reals")) {
            let wanted = wanted(*x);
            let is_tiny = wanted.abs() < f64::MIN_POSITIVE && (wanted - found).abs() <= 1e-323;
            assert!(
                is_tiny || distance(*found, wanted) <= allowed,
                "{name} {x:e} = {found:e}, not {wanted:e}"
            );
        }
    }
}

#[test]
fn a_long_kernel_ends_at_its_limit() {
    for body in [
        "t.4: f64 = real(i.2)\n    t.5: f64 = add(s.3, t.4)\n    yield t.5",
        // Every step waits for the one before.
        "t.4: f64 = mul(s.3, 0.5)\n    t.5: f64 = add(t.4, 1.0)\n    yield t.5",
    ] {
        let text = format!(
            "fn @main.0(n.0: i64) -> f64 {{\n  r.1: f64 = for i.2 < n.0 with s.3: f64 = 0.0 {{\n    \
             {body}\n  }}\n  yield r.1\n}}\n"
        );
        let mut program = pullback_ir::parse(&text, FileId(0)).expect("a program");
        let roots: Vec<_> = program.funcs.ids().collect();
        let native =
            Native::new(&program, &roots, &proven(&program), Level::Quick, Fp::Fast).expect("code");
        let timeout = Some(std::time::Duration::from_millis(50));
        let limits = Limits { max_memory: 1 << 30, timeout, since: None };
        let result = native.call(&mut program, 0, &[Value::Int(1 << 60)], &limits);
        assert_eq!(result.err().map(|problem| problem.code), Some("E0711"));
    }
}
