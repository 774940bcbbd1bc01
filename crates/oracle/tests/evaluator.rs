//! The reference evaluator against the oracle's, on random programs without derivatives.

use std::rc::Rc;

use pullback_lambda::eval::NoEngine;
use pullback_oracle::{
    Config, ErrorKind, Failure, Mode, bytes_of_seed, eval_f64, generate, on_machine, shrink,
};

/// What differs, if anything does.
fn difference(bytes: &[u8], mode: Mode) -> Option<String> {
    let made = generate(bytes, &Config { mode, size: 150, nested_ad: false });
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
