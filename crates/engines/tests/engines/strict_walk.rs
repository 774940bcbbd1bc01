//! The strict domain over the whole table: every smooth primitive at every edge and pair of edges, by one argument and by
//! both, either ends in an error or gives finite numbers.

use std::rc::Rc;

use pullback_compile::Mode;
use pullback_engines::{How, engine_named, run_in_machine};
use pullback_eval::{Options, Value, compile, walk};
use pullback_prim::{Prim, PrimTy};

use crate::semantics::source;
use crate::support::def;

#[rustfmt::skip]
const EDGES: [f64; 31] = [
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, -1.5, 3.0, 710.0, -710.0, 1e-300, -1e-300, 5e-324, -5e-324,
    f64::MIN_POSITIVE, 1e300, -1e300, f64::MAX, f64::MIN, 1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON,
    std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_2, 9007199254740992.0, 0.49999999999999994,
    f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
];
const INTS: [i64; 6] = [-2, 0, 1, 2, 3, 1000];
const ENGINES: [&str; 3] = ["trace", "dual", "linear-maps"];

/// The codes of the strict domain.
const STRICT: [&str; 3] = ["E0714", "E0715", "E0721"];

/// The bodies of a function of a pair `$p` that apply a primitive, with the derivative by the first, by the second, and by
/// both; or of one Real `$p`.
fn bodies(prim: Prim) -> Vec<(bool, String)> {
    let name = prim.row().name;
    match prim.row().params {
        [PrimTy::Real] => vec![(false, format!("{name} $p"))],
        [PrimTy::Real, PrimTy::Real] => vec![
            (true, format!("{name} $p.0 $p.1")),
            (true, format!("{name} $p.0 (stop_gradient $p.1)")),
            (true, format!("{name} (stop_gradient $p.0) $p.1")),
        ],
        [PrimTy::Real, PrimTy::Int] => {
            INTS.iter().map(|n| (false, format!("{name} $p {n}"))).collect()
        }
        [PrimTy::Int, PrimTy::Real] => {
            INTS.iter().map(|n| (false, format!("{name} {n} $p"))).collect()
        }
        other => panic!("{prim:?} takes {other:?}"),
    }
}

#[test]
fn no_nan_and_no_infinity_comes_out_of_the_table() {
    let options = Options { strict_domain: true, ..Options::default() };
    let (mut given, mut refused) = (0, 0);
    for prim in Prim::ALL.iter().filter(|prim| prim.row().smooth().is_some()) {
        for (is_pair, body) in bodies(*prim) {
            let ty = if is_pair { "(Real, Real)" } else { "Real" };
            let program = source(&format!("def f : {ty} -> Real = \\($p : {ty}) -> {body}"));
            let (f, image) = (def(&program, "f"), compile(&program));
            let points: Vec<Value> = if is_pair {
                let pairs = EDGES.iter().flat_map(|x| EDGES.iter().map(move |y| (*x, *y)));
                pairs.map(|(x, y)| Value::tuple(vec![Value::Real(x), Value::Real(y)])).collect()
            } else {
                EDGES.iter().map(|x| Value::Real(*x)).collect()
            };
            for engine in ENGINES {
                let How::Runtime(make) = engine_named(engine).unwrap().how else {
                    panic!("{engine} runs in the evaluator")
                };
                let engine = make();
                for point in &points {
                    let mode = Mode::Vjp(Value::Real(1.0));
                    match run_in_machine(
                        Rc::clone(&engine),
                        &image,
                        f,
                        point.clone(),
                        &mode,
                        &options,
                    ) {
                        Ok(answer) => {
                            let both = [Some(answer.value), answer.derivative];
                            for number in both.into_iter().flatten() {
                                walk::for_each_real(&number, |leaf| {
                                    let x = leaf.as_real().unwrap();
                                    assert!(x.is_finite(), "{body} at {point:?}: {number:?}");
                                });
                            }
                            given += 1;
                        }
                        Err(fault) => {
                            assert!(STRICT.contains(&fault.code), "{body} at {point:?}: {fault:?}");
                            refused += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(given > 10_000 && refused > 10_000, "{given} given, {refused} refused");
}
