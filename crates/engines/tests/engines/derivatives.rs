//! Both engines run inside the evaluator: right derivatives of any order, in any mixture of modes, and
//! in constant native stack.

use crate::support::{def, program};
use pullback_engines::{Answer, ENGINES, EngineInfo, Mode, evaluate, run};
use pullback_eval::{Options, Value, equal};

fn engines() -> impl Iterator<Item = &'static EngineInfo> {
    ENGINES.iter().filter(|engine| engine.name == "trace" || engine.name == "dual")
}

/// `main` evaluates to this, with every engine.
#[track_caller]
fn check(text: &str, expected: Value) {
    let program = program(text);
    for engine in engines() {
        let found = evaluate(engine, &program, def(&program, "main"), &Options::default())
            .unwrap_or_else(|problem| panic!("{}: {problem:?}", engine.name));
        assert!(equal(&found, &expected), "{}: {found:?} is not {expected:?}", engine.name);
    }
}

#[track_caller]
fn check_close(text: &str, expected: f64) {
    let program = program(text);
    for engine in engines() {
        let found = evaluate(engine, &program, def(&program, "main"), &Options::default())
            .unwrap_or_else(|problem| panic!("{}: {problem:?}", engine.name));
        let found = found.as_real().unwrap();
        assert!(
            (found - expected).abs() <= 1e-12 * (1.0 + expected.abs()),
            "{}: {found} {expected}",
            engine.name
        );
    }
}

#[track_caller]
fn code(text: &str, options: &Options) -> Vec<&'static str> {
    let program = program(text);
    engines()
        .map(|engine| match evaluate(engine, &program, def(&program, "main"), options) {
            Ok(_) => "none",
            Err(problem) => problem.code,
        })
        .collect()
}

/// Applies `f` in a mode, with one engine.
fn apply(text: &str, engine: &EngineInfo, x: Value, mode: &Mode) -> Answer {
    let program = program(text);
    run(engine, &program, def(&program, "f"), x, mode, &Options::default())
        .unwrap_or_else(|problem| panic!("{}: {problem:?}", engine.name))
}

fn named(name: &str) -> &'static EngineInfo {
    engines().find(|engine| engine.name == name).unwrap()
}

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap();
    thread.join().unwrap();
}

/// `grad f x` by reverse mode and by forward mode, for `f : Real -> Real`.
const GRADS: &str = "def rev : (Real -> Real) -> Real -> Real =
  \\($rf : Real -> Real) ($rx : Real) -> let $rp : (Real, Real -> Real) = vjp $rf $rx in $rp.1 1.0
def fwd : (Real -> Real) -> Real -> Real =
  \\($ff : Real -> Real) ($fx : Real) -> let $fp : (Real, Real) = jvp $ff $fx 1.0 in $fp.1
def lin : (Real -> Real) -> Real -> Real =
  \\($lf : Real -> Real) ($lx : Real) -> let $lp : (Real, Real -> Real) = linearize $lf $lx in $lp.1 1.0
";

fn with_grads(text: &str) -> String {
    format!("{GRADS}{text}")
}

#[test]
fn first_derivatives() {
    for mode in ["rev", "fwd", "lin"] {
        check_close(
            &with_grads(&format!(
                "def main : Real =\n @{mode} (\\($x : Real) -> mul (sin $x) (exp $x)) 0.7"
            )),
            (0.7f64.sin() + 0.7f64.cos()) * 0.7f64.exp(),
        );
        check(
            &with_grads(&format!("def main : Real =\n @{mode} (\\($x : Real) -> 3.0) 0.7")),
            Value::real(0.0),
        );
        check(
            &with_grads(&format!(
                "def main : Real =\n @{mode} (\\($x : Real) -> mul $x (stop_gradient $x)) 3.0"
            )),
            Value::real(3.0),
        );
        // The product of zero and infinity is not zero.
        check(
            &with_grads(&format!(
                "def main : Real =\n @{mode} (\\($x : Real) -> sqrt (mul $x 0.0)) 1.0"
            )),
            Value::real(f64::NAN),
        );
        check(
            &with_grads(&format!(
                "def main : Real =\n @{mode} (\\($x : Real) -> sum [$x, mul $x $x, 3.0, $x]) 4.0"
            )),
            Value::real(10.0),
        );
    }
}

#[test]
fn perturbations_are_not_confused() {
    for outer in ["rev", "fwd", "lin"] {
        for inner in ["rev", "fwd", "lin"] {
            let text = format!(
                "def main : Real =\n @{outer} (\\($x : Real) -> mul $x (@{inner} (\\($y : Real) -> add $x $y) 1.0)) 1.0"
            );
            check(&with_grads(&text), Value::real(1.0));
            let text = format!(
                "def main : Real =\n @{outer} (\\($x : Real) -> mul $x (@{inner} (\\($y : Real) -> mul $x (mul $y $y)) 3.0)) 2.0"
            );
            check(&with_grads(&text), Value::real(24.0));
        }
    }
}

#[test]
fn pullbacks_are_functions_to_be_called_anywhere() {
    // A pullback of an outer activation is applied to numbers that an inner one follows, twice.
    check(
        &with_grads(
            "def main : Real =
  let $p : (Real, Real -> Real) = vjp (\\($x : Real) -> mul $x (mul $x $x)) 2.0 in
  let $pb : Real -> Real = $p.1 in
  @rev (\\($y : Real) -> mul ($pb $y) ($pb (mul $y $y))) 1.0",
        ),
        Value::real(12.0 * 12.0 * 3.0),
    );
    // And where an outer level follows both the point and the cotangent.
    check(&with_grads("def main : Real =
  @fwd (\\($t : Real) -> let $p : (Real, Real -> Real) = vjp (\\($x : Real) -> mul $x (mul $x $x)) $t in
    let $pb : Real -> Real = $p.1 in @rev (\\($y : Real) -> mul ($pb $y) (mul $t $y)) 1.0) 2.0"), Value::real(72.0));
}

#[test]
fn fifth_derivative_of_sine() {
    for modes in
        ["rev rev rev rev rev", "fwd fwd fwd fwd fwd", "rev fwd rev fwd lin", "fwd rev lin rev fwd"]
    {
        let mut f = "(\\($x : Real) -> sin $x)".to_string();
        for (depth, mode) in modes.split(' ').enumerate() {
            f = format!("(\\($x{depth} : Real) -> @{mode} {f} $x{depth})");
        }
        check_close(&with_grads(&format!("def main : Real =\n {f} 0.3")), 0.3f64.cos());
    }
}

#[test]
fn ten_derivatives_of_an_exponential() {
    let mut f = "(\\($x : Real) -> exp (mul 2.0 $x))".to_string();
    for depth in 0..10 {
        f = format!("(\\($x{depth} : Real) -> @fwd {f} $x{depth})");
    }
    check_close(&with_grads(&format!("def main : Real =\n {f} 0.5")), 1024.0 * 1f64.exp());
}

#[test]
fn a_million_steps_and_a_million_calls() {
    on_small_stack(|| {
        let step = "def main : Real =\n @rev (\\($x : Real) -> loop $s : Real = $x for $i < 1000000 do mul $s 1.000001) 1.0";
        let recursion = "def deep : Real -> Int -> Real =
  \\($r : Real) ($n : Int) -> if int_eq $n 0 then $r else mul 1.000001 (@deep $r (int_sub $n 1))
def main : Real =
  @rev (\\($x : Real) -> @deep $x 1000000) 1.0";
        for text in [step, recursion] {
            for mode in ["rev", "fwd", "lin"] {
                let text = with_grads(&text.replace("@rev", &format!("@{mode}")));
                let program = program(&text);
                for engine in engines() {
                    let value =
                        evaluate(engine, &program, def(&program, "main"), &Options::default())
                            .unwrap();
                    assert!((value.as_real().unwrap() - 1f64.exp()).abs() < 1e-5);
                }
            }
        }
    });
}

#[test]
fn forward_mode_takes_constant_memory() {
    let options = Options { max_memory: 1 << 20, ..Options::default() };
    let answers = |mode: &str| {
        let text = with_grads(&format!(
            "def main : Real =\n @{mode} (\\($x : Real) -> loop $s : Real = $x for $i < 300000 do mul $s 1.000001) 1.0"
        ));
        code(&text, &options)
    };
    assert_eq!(answers("fwd"), ["none", "none"]);
    // A trace keeps its record for the pushforward; dual numbers run the function again.
    assert_eq!(answers("lin"), ["E0709", "none"]);
    assert_eq!(answers("rev"), ["E0709", "none"]);
}

#[test]
fn shared_results_are_swept_once() {
    // Sixty doublings by sharing: 2^60 paths through 60 nodes.
    check(
        &with_grads(
            "def main : Real =\n @rev (\\($x : Real) -> loop $s : Real = $x for $i < 60 do add $s $s) 1.0",
        ),
        Value::real(2f64.powi(60)),
    );
}

const TREE: &str = "data Tree.0 = Leaf(Real, Int) | Node(Tree.0, Tree.0) | End()
data TTree.1 = Leaf(Real, ()) | Node(TTree.1, TTree.1) | End()
";

#[test]
fn structures_at_the_boundary() {
    let text = format!(
        "{TREE}def f : (Tree.0, []Real, {{ k : Int, w : [][]Real }}) -> (Real, []Real) =
  \\($s : (Tree.0, []Real, {{ k : Int, w : [][]Real }})) ->
  let rec $total : Tree.0 -> Real = \\($t : Tree.0) -> match $t with
    | Leaf $v $n -> mul $v (real $n) | Node $l $r -> add ($total $l) ($total $r) | End -> 0.0 end
  in (mul ($total $s.0) (sum $s.1), [ mul (index $s.1 $i) (index (index $s.2.w 0) 0) | $i < 2 ])
"
    );
    let leaf = |x, n| Value::data(0, vec![Value::real(x), n]);
    let tree = |a, b, m, n| {
        let right = Value::data(1, vec![leaf(b, n), Value::data(2, vec![])]);
        Value::data(1, vec![leaf(a, m), right])
    };
    let x = Value::tuple(vec![
        tree(2.0, 3.0, Value::int(10), Value::int(100)),
        Value::reals(vec![1.0, 2.0]),
        Value::tuple(vec![Value::int(7), Value::array(vec![Value::reals(vec![5.0])])]),
    ]);
    let y = Value::tuple(vec![Value::real(320.0 * 3.0), Value::reals(vec![5.0, 10.0])]);
    let y_bar = Value::tuple(vec![Value::real(1.0), Value::reals(vec![0.5, 0.25])]);
    let x_bar = Value::tuple(vec![
        tree(30.0, 300.0, Value::unit(), Value::unit()),
        Value::reals(vec![320.0 + 2.5, 320.0 + 1.25]),
        Value::tuple(vec![Value::unit(), Value::array(vec![Value::reals(vec![1.0])])]),
    ]);
    let x_dot = x_bar.clone();
    let y_dot = Value::tuple(vec![
        Value::real(3.0 * (10.0 * 30.0 + 100.0 * 300.0) + 320.0 * (322.5 + 321.25)),
        Value::reals(vec![322.5 * 5.0 + 1.0, 321.25 * 5.0 + 2.0]),
    ]);
    for engine in engines() {
        let answer = apply(&text, engine, x.clone(), &Mode::Vjp(y_bar.clone()));
        assert!(equal(&answer.value, &y));
        assert!(equal(answer.derivative.as_ref().unwrap(), &x_bar), "{answer:?}");
        let answer = apply(&text, engine, x.clone(), &Mode::Jvp(x_dot.clone()));
        assert!(equal(&answer.value, &y));
        assert!(equal(answer.derivative.as_ref().unwrap(), &y_dot), "{answer:?}");
        assert!(equal(&apply(&text, engine, x.clone(), &Mode::Value).value, &y));
    }
}

#[test]
fn shapes_of_tangents_are_checked() {
    let text = format!(
        "{TREE}def f : (Tree.0, []Real) -> (Tree.0, []Real) =\n \\($s : (Tree.0, []Real)) -> $s\n"
    );
    let program = program(&text);
    let x = Value::tuple(vec![Value::data(2, vec![]), Value::reals(vec![1.0, 2.0])]);
    let wrong = [
        Value::tuple(vec![Value::data(2, vec![]), Value::reals(vec![1.0])]),
        Value::tuple(vec![
            Value::data(0, vec![Value::real(1.0), Value::unit()]),
            Value::reals(vec![1.0, 2.0]),
        ]),
    ];
    for engine in engines() {
        for bad in &wrong {
            for mode in [Mode::Vjp(bad.clone()), Mode::Jvp(bad.clone())] {
                let result = run(
                    engine,
                    &program,
                    def(&program, "f"),
                    x.clone(),
                    &mode,
                    &Options::default(),
                );
                assert_eq!(result.unwrap_err().code, "E0713");
            }
        }
    }
}

#[test]
fn a_list_of_a_million_numbers() {
    on_small_stack(|| {
        let text = "data List.0 = Nil() | Cons(Real, List.0)
data TList.1 = Nil() | Cons(Real, TList.1)
def f : List.0 -> Real =
  \\($l : List.0) -> let rec $go : List.0 -> Real -> Real = \\($s : List.0) ($t : Real) -> match $s with | Nil -> $t | Cons $x $rest -> $go $rest (add $t (mul $x $x)) end in $go $l 0.0
";
        let list = |k: f64| {
            (0..300_000).rev().fold(Value::data(0, vec![]), |l, i| {
                Value::data(1, vec![Value::real(k * f64::from(i)), l])
            })
        };
        let answer = apply(text, named("trace"), list(1.0), &Mode::Vjp(Value::real(1.0)));
        assert!(equal(answer.derivative.as_ref().unwrap(), &list(2.0)));
        let answer = apply(text, named("dual"), list(1.0), &Mode::Jvp(list(0.0)));
        assert!(equal(answer.derivative.as_ref().unwrap(), &Value::real(0.0)));
    });
}

#[test]
fn functions_in_data_and_captured_numbers() {
    check(&with_grads("def main : Real =
  @rev (\\($x : Real) -> let $fs : [](Real -> Real) = [ \\($y : Real) -> mul $x (mul $y (real $i)) | $i < 4 ] in
    (loop $s : Real = $x for $j < 4 do add $s ((index $fs $j) $s))) 1.0"),
        // s' = s (1 + j x): the derivative of x (1+x)(1+2x)(1+3x) at 1.
        Value::real(24.0 * (1.0 + 0.5 + 2.0 / 3.0 + 0.75)));
}

#[test]
fn active_arrays_are_updated_in_place() {
    let text = "def f : []Real -> Real =
  \\($x : []Real) -> let $n : Int = size $x in
  let $a : []Real = (loop $s : []Real = $x for $i < int_sub $n 1 do update $s (int_add $i 1) (add (index $s $i) (index $s (int_add $i 1)))) in index $a (int_sub $n 1)
";
    let n = 200_000;
    let answer =
        apply(text, named("trace"), Value::reals(vec![1.0; n]), &Mode::Vjp(Value::real(1.0)));
    assert!(equal(&answer.value, &Value::real(n as f64)));
    assert!(equal(answer.derivative.as_ref().unwrap(), &Value::reals(vec![1.0; n])));
}

/// A square whose rules lie: they say `3 x` and `5 x` instead of `2 x`.
const RULES: &str = "def sq_vjp : Real -> Real =
  \\($a : Real) -> custom_vjp (\\($b : Real) -> mul $b $b) (\\($c : Real) -> (mul $c $c, \\($d : Real) -> mul $d (mul 3.0 $c))) $a
def sq_jvp : Real -> Real =
  \\($e : Real) -> custom_jvp (\\($g : Real) -> mul $g $g) (\\($h : Real) ($k : Real) -> (mul $h $h, mul $k (mul 5.0 $h))) $e
";

#[test]
fn custom_rules_in_both_modes_and_nested() {
    for mode in ["rev", "fwd", "lin"] {
        let first = |rule: &str, k: f64| {
            let text = format!(
                "{RULES}def main : Real =\n @{mode} (\\($x : Real) -> mul 2.0 (@{rule} (mul 7.0 $x))) 2.0"
            );
            check(&with_grads(&text), Value::real(2.0 * 7.0 * k * 14.0));
        };
        first("sq_vjp", 3.0);
        first("sq_jvp", 5.0);
        // The rule is differentiated at the next order: the derivative of 3 x and 5 x.
        for outer in ["rev", "fwd", "lin"] {
            for (rule, k) in [("sq_vjp", 3.0), ("sq_jvp", 5.0)] {
                let text = format!(
                    "{RULES}def main : Real =\n @{outer} (\\($t : Real) -> mul $t (@{mode} (\\($x : Real) -> mul 2.0 (@{rule} (mul 7.0 $x))) $t)) 2.0"
                );
                check(&with_grads(&text), Value::real(2.0 * 2.0 * 7.0 * k * 14.0));
            }
        }
    }
    // Without differentiation the function itself runs.
    check(
        &with_grads(&format!("{RULES}def main : Real =\n add (@sq_vjp 3.0) (@sq_jvp 4.0)")),
        Value::real(25.0),
    );
}

#[test]
fn custom_rules_of_structures() {
    // f (a, [b, c]) = ([a b], a c) with the right rule, against the function itself.
    let text = |f: &str| {
        with_grads(&format!("def f : (Real, []Real) -> ([]Real, Real) =
  \\($u : (Real, []Real)) -> ([mul $u.0 (index $u.1 0)], mul $u.0 (index $u.1 1))
def rule : (Real, []Real) -> (([]Real, Real), ([]Real, Real) -> (Real, []Real)) =
  \\($v : (Real, []Real)) -> (@f $v, \\($d : ([]Real, Real)) ->
    (add (mul (index $d.0 0) (index $v.1 0)) (mul $d.1 (index $v.1 1)), [mul (index $d.0 0) $v.0, mul $d.1 $v.0]))
def g : Real -> Real =
  \\($x : Real) -> let $r : ([]Real, Real) = {f} (mul $x $x, [$x, sin $x]) in mul (index $r.0 0) $r.1
def main : Real =
  @MODE (\\($t : Real) -> @OTHER (\\($y : Real) -> @g (mul $t $y)) $t) 1.3"))
    };
    let reference = |mode: &str, other: &str, f: &str| {
        let text = text(f).replace("@MODE", mode).replace("@OTHER", other);
        let program = program(&text);
        let values: Vec<f64> = engines()
            .map(|engine| {
                let value = evaluate(engine, &program, def(&program, "main"), &Options::default());
                value.unwrap_or_else(|problem| panic!("{problem:?}")).as_real().unwrap()
            })
            .collect();
        assert!((values[0] - values[1]).abs() < 1e-9, "{values:?}");
        values[0]
    };
    let expected = reference("@rev", "@rev", "@f");
    for mode in ["@rev", "@fwd", "@lin"] {
        for other in ["@rev", "@fwd", "@lin"] {
            let found = reference(mode, other, "custom_vjp @f @rule");
            assert!(
                (found - expected).abs() < 1e-9 * expected.abs(),
                "{mode} {other}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_custom_rule_keeps_the_derivative_by_what_was_captured() {
    for mode in ["rev", "fwd"] {
        check(&with_grads(&format!("def main : Real =
  @{mode} (\\($c : Real) -> custom_vjp (\\($x : Real) -> mul $c $x) (\\($y : Real) -> (mul $c $y, \\($d : Real) -> mul $d $c)) (mul $c 2.0)) 3.0")), Value::real(12.0));
    }
}

#[test]
fn a_million_custom_rules() {
    on_small_stack(|| {
        for rule in ["sq_vjp", "sq_jvp"] {
            for mode in ["rev", "fwd"] {
                let text = with_grads(&format!(
                    "{RULES}def main : Real =\n @{mode} (\\($x : Real) -> loop $s : Real = $x for $i < 100000 do mul 0.0 (@{rule} $s)) 1.0"
                ));
                check(&text, Value::real(0.0));
            }
        }
    });
}

#[test]
fn deep_chains_of_pullbacks() {
    on_small_stack(|| {
        // Each function holds the pullback of the one before.
        let text = "def main : Real =
  let $f : Real -> Real = (loop $g : Real -> Real = \\($x : Real) -> mul 2.0 $x for $i < 100000 do (vjp (\\($y : Real) -> if lt $y 0.0 then $g $y else $y) 1.0).1) in $f 1.0
";
        check(text, Value::real(1.0));
        // Derivatives nested in each other by recursion.
        let nested = with_grads("def tower : Int -> Real -> Real =
  \\($n : Int) ($y : Real) -> if int_eq $n 0 then $y else @rev (\\($z : Real) -> add $z (@tower (int_sub $n 1) $y)) 1.0
def main : Real =
  @tower 2000 1.0");
        check(&nested, Value::real(1.0));
        let deep = with_grads("def tower : Int -> Real -> Real =
  \\($n : Int) ($y : Real) -> if int_eq $n 0 then $y else @fwd (\\($z : Real) -> @tower (int_sub $n 1) $z) $y
def main : Real =
  @tower 2000 1.0");
        assert_eq!(code(&deep, &Options::default()), ["E0716", "E0716"]);
    });
}

#[test]
fn the_strict_domain_refuses_ties_and_kinks_in_every_engine() {
    let strict = Options { strict_domain: true, ..Options::default() };
    for (body, expected) in [
        ("if lt $x 1.0 then $x else mul 2.0 $x", "E0714"),
        ("abs (sub $x 1.0)", "E0715"),
        ("sqrt (sub $x 1.0)", "E0715"),
        ("max $x 1.0", "E0715"),
        ("if lt $x 2.0 then $x else mul 2.0 $x", "none"),
        ("if lt 1.0 1.0 then $x else mul 2.0 $x", "none"),
        ("mul $x (stop_gradient (abs (sub (stop_gradient $x) 1.0)))", "none"),
    ] {
        for mode in ["rev", "fwd"] {
            let text =
                with_grads(&format!("def main : Real =\n @{mode} (\\($x : Real) -> {body}) 1.0"));
            let program = program(&text);
            for engine in ENGINES {
                for (options, expected) in [(&strict, expected), (&Options::default(), "none")] {
                    let found = evaluate(engine, &program, def(&program, "main"), options);
                    let found = found.map_or_else(|problem| problem.code, |_| "none");
                    assert_eq!(found, expected, "{}: {body}", engine.name);
                }
            }
        }
    }
}

#[test]
fn the_cost_of_a_derivative_is_a_constant_times_the_program() {
    let text = "def f : []Real -> Real =
  \\($x : []Real) -> loop $s : Real = 1.0 for $i < size $x do add (sin (mul $s (index $x $i))) (exp (mul $s 0.1))
";
    let x = Value::reals(vec![0.3; 1000]);
    let plain = apply(text, named("trace"), x.clone(), &Mode::Value).counts.total();
    for engine in engines() {
        let jvp = apply(text, engine, x.clone(), &Mode::Jvp(x.clone())).counts;
        assert!(jvp.total() <= 3 * plain, "{jvp:?} {plain}");
        assert_eq!(jvp.primitives, plain);
    }
    let vjp = apply(text, named("trace"), x.clone(), &Mode::Vjp(Value::real(1.0))).counts;
    assert!(vjp.total() <= 5 * plain, "{vjp:?} {plain}");
}

#[test]
fn stages_can_be_shown() {
    let program = program(
        "def f : (Real, Real) -> Real =\n \\($p : (Real, Real)) -> mul (add $p.0 2.0) (sin $p.1)\n",
    );
    let x = Value::tuple(vec![Value::real(1.0), Value::real(0.0)]);
    let trace = pullback_engines::show_trace(&program, def(&program, "f"), x.clone()).unwrap();
    assert!(trace.contains("value: ⟨0, 3⟩"), "{trace}");
    let dual = pullback_engines::show_dual(&program, def(&program, "f"), x).unwrap();
    assert!(dual.contains("-- tangent 1 on input 1\nadd (1.0, 0.0) 2.0 = (3.0, 0.0)\nsin (0.0, 1.0) = (0.0, 1.0)\n"), "{dual}");
    assert!(dual.ends_with("output (0.0, 3.0)\n"), "{dual}");
}
