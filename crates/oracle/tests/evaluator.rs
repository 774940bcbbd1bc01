//! The reference evaluator against the oracle's, on random programs without derivatives.

use std::rc::Rc;

use pullback_base::FileId;
use pullback_eval::NoEngine;
use pullback_lambda::parse;
use pullback_oracle::{
    Config, Data, ErrorKind, Failure, Mode, Rational, bytes_of_seed, eval_f64, generate,
    jvp_complex_step, on_machine, shrink, taylor, taylor_exact,
};

/// What differs, if anything does.
fn difference(bytes: &[u8], mode: Mode) -> Option<String> {
    let made =
        generate(bytes, &Config { mode, size: 150, nested_ad: false, texts_and_rules: false });
    let args = std::slice::from_ref(&made.arg);
    let oracle = eval_f64(&made.program, made.def, args);
    let machine = on_machine(&made.program, made.def, args, Rc::new(NoEngine));
    let agree = match (&oracle, &machine) {
        (Ok(a), Ok(b)) => a.agrees(b, &mut |a, b| {
            a == b || (a.is_nan() && b.is_nan()) || ((a - b) / a).abs() < 1e-13
        }),
        (Err(error), _) if error.kind == ErrorKind::Limit => true,
        (Err(error), Err(Failure::RunTime(kind))) => error.kind == *kind,
        _ => false,
    };
    (!agree).then(|| {
        format!("{machine:?}, the oracle {oracle:?}\n{}\n{:?}", made.program.print(), made.arg)
    })
}

#[test]
fn random_programs_have_one_value() {
    for mode in Mode::ALL {
        for seed in 0..3000 {
            let bytes = bytes_of_seed(seed, 40 + (seed as usize * 37) % 600);
            if difference(&bytes, mode).is_some() {
                let bytes = shrink(&bytes, 3000, |bytes| difference(bytes, mode).is_some());
                panic!("{mode:?} {seed}: {}", difference(&bytes, mode).unwrap());
            }
        }
    }
}

/// A function with a rule is the function alone, whatever the rule says, and what is held constant has
/// no slope: x² · [x] at 5 has the slope 2x · x.
#[test]
fn rules_are_not_asked_and_held_values_stand_still() {
    let text = "\
def f.0 : Real -> Real =
  \\(x.0 : Real) ->
    mul
      (custom_vjp
         (\\(x.1 : Real) -> mul x.1 x.1)
         (\\(x.2 : Real) -> (mul x.2 x.2, \\(c.3 : Real) -> mul (mul 3.0 x.2) c.3))
         x.0)
      (stop_gradient x.0)
";
    let program = parse(text, FileId(0)).unwrap();
    let def = program.defs.ids().next().unwrap();
    let args = [Data::Real(5.0)];
    assert_eq!(jvp_complex_step(&program, def, &args, &[1.0]).unwrap(), (vec![125.0], vec![50.0]));
    assert_eq!(taylor(&program, def, &args, &[1.0], 2).unwrap(), [[125.0, 50.0, 5.0]]);
    let exact = taylor_exact(&program, def, &args, &[1.0], 2).unwrap();
    assert_eq!(exact[0].iter().map(Rational::to_f64).collect::<Vec<_>>(), [125.0, 50.0, 5.0]);
}
