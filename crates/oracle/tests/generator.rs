//! The generator makes valid programs that do something, and the oracle's ways agree on them.

use std::collections::{BTreeMap, BTreeSet};

use pullback_lambda::ExprKind;
use pullback_oracle::{
    Config, Feature, Generated, Mode, bytes_of_seed, eval_f64, finite_difference, generate,
    jvp_complex_step, taylor, taylor_exact,
};
use pullback_prim::Prim;

const COUNT: u64 = 400;

fn program(seed: u64, mode: Mode, nested_ad: bool) -> Generated {
    let bytes = bytes_of_seed(seed, 40 + (seed as usize * 37) % 600);
    generate(&bytes, &Config { mode, size: 120, nested_ad, texts_and_rules: false })
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn programs_are_well_typed() {
    for mode in Mode::ALL {
        for seed in 0..COUNT {
            let bytes = bytes_of_seed(seed, 40 + (seed as usize * 37) % 600);
            let texts_and_rules = seed % 2 == 1;
            let config = Config { mode, size: 120, nested_ad: true, texts_and_rules };
            let made = generate(&bytes, &config);
            if let Err(mistakes) =
                pullback_lambda::verify(&made.program, pullback_lambda::Stage::Any)
            {
                panic!("{mode:?} {seed}: {mistakes:?}\n{}", made.program.print());
            }
        }
    }
}

#[test]
fn no_bytes_make_a_program() {
    let made = generate(
        &[],
        &Config { mode: Mode::Free, size: 100, nested_ad: true, texts_and_rules: false },
    );
    assert!(pullback_lambda::verify(&made.program, pullback_lambda::Stage::Any).is_ok());
}

#[test]
fn exact_programs_hold_without_tolerance() {
    let (mut compared, mut moving) = (0, 0);
    for seed in 0..COUNT {
        let made = program(seed, Mode::Exact, false);
        let args = [made.arg.clone()];
        let exact = taylor_exact(&made.program, made.def, &args, &made.direction, 2);
        let (Ok(exact), Ok(plain)) = (exact, eval_f64(&made.program, made.def, &args)) else {
            continue;
        };
        let jets = taylor(&made.program, made.def, &args, &made.direction, 2).unwrap();
        let (value, slope) =
            jvp_complex_step(&made.program, made.def, &args, &made.direction).unwrap();
        let exact: Vec<f64> = exact[0].iter().map(|fraction| fraction.to_f64()).collect();
        // Where numbers grew beyond 53 bits there is rounding, and nothing is exact.
        if exact.iter().any(|x| x.abs() > 1e9) {
            continue;
        }
        assert_eq!(plain.leaves()[0], exact[0], "seed {seed}");
        assert_eq!(jets[0], exact, "seed {seed}");
        assert_eq!((value[0], slope[0]), (exact[0], exact[1]), "seed {seed}");
        compared += 1;
        moving += i32::from(exact[1] != 0.0);
    }
    assert!(compared as u64 > COUNT * 8 / 10, "{compared} compared");
    assert!(moving as u64 > COUNT * 3 / 10, "{moving} moving");
}

#[test]
fn smooth_programs_agree() {
    let (mut compared, mut moving, mut differences) = (0, 0, 0);
    for seed in 0..COUNT {
        let made = program(seed, Mode::Smooth, false);
        let args = [made.arg.clone()];
        let complex = jvp_complex_step(&made.program, made.def, &args, &made.direction);
        let Ok((value, slope)) = complex else { continue };
        if !value[0].is_finite() || value[0].abs() > 1e8 || slope[0].abs() > 1e8 {
            continue;
        }
        let jets = taylor(&made.program, made.def, &args, &made.direction, 2).unwrap();
        assert!(near(value[0], jets[0][0], 1e-11), "seed {seed}: {} {}", value[0], jets[0][0]);
        assert!(near(slope[0], jets[0][1], 1e-9), "seed {seed}: {} {}", slope[0], jets[0][1]);
        compared += 1;
        moving += i32::from(slope[0] != 0.0);
        if let Ok(estimates) = finite_difference(&made.program, made.def, &args, &made.direction) {
            let error = (estimates[0].value - slope[0]).abs();
            differences += i32::from(error <= 1e-5 * (1.0 + slope[0].abs()));
        }
    }
    assert!(compared as u64 > COUNT * 8 / 10, "{compared} compared");
    assert!(moving as u64 > COUNT * 3 / 10, "{moving} moving");
    // The rest steps over a branch.
    assert!(differences > compared * 8 / 10, "{differences} of {compared} by differences");
}

#[test]
fn free_programs_end() {
    let (mut values, mut failures, mut other) = (0u64, 0u64, 0u64);
    for seed in 0..COUNT {
        let made = program(seed, Mode::Free, false);
        match eval_f64(&made.program, made.def, std::slice::from_ref(&made.arg)) {
            Ok(_) => values += 1,
            Err(error) if error.is_run_time() => failures += 1,
            Err(error) => {
                assert!(error.kind == pullback_oracle::ErrorKind::Limit, "seed {seed}: {error}");
                other += 1;
            }
        }
    }
    assert!(values > COUNT / 2, "{values} values, {failures} failures, {other} unended");
    assert!(other < COUNT / 20, "{other} programs did not end");
}

#[test]
fn every_feature_is_used() {
    let mut uses: BTreeMap<Feature, u64> = BTreeMap::new();
    for seed in 0..COUNT {
        for feature in program(seed, Mode::Smooth, true).features {
            *uses.entry(feature).or_default() += 1;
        }
    }
    for feature in Feature::ALL {
        let count = uses.get(&feature).copied().unwrap_or(0);
        assert!(count > COUNT / 40, "{feature:?} in {count} of {COUNT}: {uses:?}");
    }
}

/// Primitives that no random program uses, each with the reason.
const LEFT_OUT: &[(Prim, &str)] = &[
    (Prim::PowSlope, "only derivatives of integer powers contain it"),
    (Prim::Dim, "elaboration writes it, in checks of sizes"),
    (Prim::CheckSize, "elaboration writes it, in checks of sizes"),
    (Prim::Fail, "what always fails has no derivative to compare"),
    (Prim::OutOfFuel, "only programs with `--fuel` contain it"),
    (Prim::EngineLimit, "only what engines translate contains it"),
    (Prim::OtherShape, "only what engines translate contains it"),
    (Prim::Broken, "only what engines translate contains it"),
    (Prim::StrEq, "programs hold no strings to compare"),
    (Prim::ShowReal, "programs hold no strings"),
    (Prim::ShowInt, "programs hold no strings"),
    (Prim::Quote, "programs hold no strings"),
    (Prim::Enclose, "programs hold no strings"),
    (Prim::StrJoin, "programs hold no strings"),
    (Prim::ReadReal, "programs hold no strings"),
    (Prim::Tell, "it has no value"),
];

#[test]
fn every_primitive_is_used() {
    let mut used = BTreeSet::new();
    for seed in 0..COUNT {
        for mode in Mode::ALL {
            for def in program(seed, mode, false).program.defs.iter() {
                def.body.visit(&mut |expr| {
                    if let ExprKind::Prim(prim, _) = &expr.kind {
                        used.insert(*prim);
                    }
                });
            }
        }
    }
    for prim in Prim::ALL {
        let name = prim.row().name;
        match LEFT_OUT.iter().find(|(left_out, _)| left_out == prim) {
            None => assert!(used.contains(prim), "no random program uses `{name}`"),
            Some((_, reason)) => assert!(!used.contains(prim), "`{name}` is used, but {reason}"),
        }
    }
}
