//! The report of ties and edges against the strict domain, which finds them in another way; and what
//! does not depend on the engine.

use pullback_engine::BUILT_IN;

use crate::{Call, Memory, Query, Settings, grad};

/// Bodies of functions of x, each at points where it meets something and at points where it does not.
const BODIES: &[(&str, &[&str], &[&str])] = &[
    ("abs x", &["0.0", "-0.0"], &["1.0", "-1e-300", "inf"]),
    ("signum x", &["0.0"], &["2.0"]),
    ("floor x + ceil x", &["3.0", "-2.0", "0.0"], &["0.5", "-1.5"]),
    ("round x", &["0.5", "-2.5"], &["1.0", "0.0"]),
    ("x % 2.0 + 2.0 % x", &["0.0", "2.0", "1.0", "-4.0"], &["3.0", "-1.5"]),
    ("max x 1.0", &["1.0"], &["0.0", "2.0"]),
    ("min (2.0 * x) x", &["0.0"], &["1.0"]),
    ("sqrt x", &["0.0", "-1.0"], &["1e-300", "4.0"]),
    ("log x", &["0.0", "-2.0"], &["1.0"]),
    ("asin x + acos x", &["1.0", "-1.0", "2.0"], &["0.5"]),
    ("1.0 / x", &["0.0"], &["3.0"]),
    ("x ^ 0.5", &["0.0", "-1.0"], &["2.0"]),
    ("x ^ 2.0", &["0.0", "-1.0"], &["2.0"]),
    ("x ^ x", &["0.0"], &["0.5", "2.0"]),
    ("0.0 ^ x", &["0.0", "1.0", "2.0"], &[]),
    ("x ^ 3", &[], &["0.0", "-1.0"]),
    ("x ^ (-1)", &["0.0"], &["2.0"]),
    ("atan2 x x", &["0.0"], &["1.0"]),
    ("atan2 x (-1.0)", &["0.0", "-0.0"], &["1e-300", "-2.0"]),
    ("atan2 x 1.0", &[], &["0.0", "-2.0"]),
    ("x * real (int x)", &["1.0", "-3.0"], &["0.0", "0.5"]),
    ("maximum [x, 1.0, x * x]", &["1.0"], &["0.5", "2.0"]),
    ("minimum [x, 3.0 * x, 0.0]", &["0.0"], &["2.0"]),
    ("let y = 2.0 * x in maximum [y, 0.0, y]", &["0.0"], &[]),
    ("hypot x x", &["0.0"], &["1.0"]),
    ("norm [x, 2.0 * x]", &["0.0"], &["1.0"]),
    ("relu x", &["0.0"], &["1.0", "-1.0"]),
    ("clamp 0.0 1.0 x", &["0.0", "1.0"], &["0.5", "7.0"]),
    ("if x == 1.0 then 0.0 else x", &["1.0"], &["2.0"]),
    ("if x != x then 0.0 else if x == x then x else 1.0", &[], &["1.0", "0.0"]),
    ("(sort [x, 1.0, 3.0])[0]", &["1.0", "3.0"], &["2.0"]),
    ("[1.0, x, 2.0][argmax [1.0, x, 2.0]]", &["2.0"], &["3.0", "0.0"]),
    ("lgamma x", &["0.0", "-3.0"], &["0.5", "-0.5"]),
    ("abs (stop_gradient x) + x", &[], &["0.0"]),
    ("if true then x else sqrt (x - x)", &[], &["0.0"]),
    ("grad (\\y -> y * abs y) x", &["0.0"], &["1.0"]),
];

/// The codes that a gradient gives, and whether it has a value.
fn codes(body: &str, x: &str, settings: Settings) -> (Vec<&'static str>, bool) {
    let files = Memory::default().with("t.pull", format!("def f (x: Real): Real = {body}\n"));
    let mut query = Query::new(&files, BUILT_IN);
    let (entry, args) = ("f".to_owned(), vec![x.to_owned()]);
    let call = Call { file: "t.pull".into(), entry, args, settings, ..Call::default() };
    let answer = grad(&mut query, &call, &[]);
    (query.diagnostics.iter().map(|found| found.code).collect(), answer.is_ok())
}

fn engine(name: &str) -> Settings {
    Settings { engine: Some(name.to_owned()), ..Settings::default() }
}

#[test]
fn what_is_warned_of_is_what_the_strict_domain_refuses() {
    let mut wrong = Vec::new();
    for (body, met, free) in BODIES {
        let points = met.iter().map(|x| (x, true)).chain(free.iter().map(|x| (x, false)));
        for (x, meets) in points {
            let kinks = Settings { warn_kinks: true, ..Settings::default() };
            let (warned, valued) = codes(body, x, kinks.clone());
            let dual = Settings { warn_kinks: true, ..engine("dual") };
            let strict = Settings { strict: true, ..Settings::default() };
            let (refused, _) = codes(body, x, strict);
            let refuses = refused.iter().any(|code| matches!(*code, "E0714" | "E0715"));
            if warned.is_empty() == meets || refuses != meets || !valued {
                wrong.push(format!("{body} at {x}: warned {warned:?}, refused {refused:?}"));
            }
            if codes(body, x, dual).0 != warned {
                wrong.push(format!("{body} at {x}: the engines differ"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_first_nan_is_told_exactly_where_there_is_one() {
    let cases = [
        ("sqrt x * 0.0", "0.0", vec!["W0704"]),
        ("sqrt (x * x)", "0.0", vec!["W0704"]),
        ("atan2 x 0.0", "0.0", vec!["W0704"]),
        ("log x", "-1.0", vec!["W0703"]),
        ("x - x", "inf", vec!["W0703"]),
        ("x * 0.0", "inf", vec!["W0703"]),
        ("sum [x, -x]", "inf", vec!["W0703"]),
        ("if is_nan (log x) then x else 0.0", "-1.0", vec!["W0703"]),
        ("x + 1.0", "nan", vec!["W0705"]),
        ("if x > 0.0 then x else nan", "-1.0", vec!["W0705"]),
        ("sqrt x", "0.0", vec![]),
        ("hypot x 0.0", "0.0", vec![]),
        ("if x > 0.0 then sqrt x else 0.0", "0.0", vec![]),
        ("custom_vjp exp (\\y -> (exp y, \\g -> g * log y)) x", "-1.0", vec!["W0703"]),
    ];
    for (body, x, expected) in cases {
        for name in ["trace", "dual"] {
            let settings = Settings { trace_nan: true, ..engine(name) };
            assert_eq!(codes(body, x, settings), (expected.clone(), true), "{body} at {x}, {name}");
        }
    }
}
