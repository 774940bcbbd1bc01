//! Loops that are no kernels give the same bits on any number of threads, and the same faults: those of the evaluator.

#[path = "spread/programs.rs"]
mod programs;

use std::time::Duration;

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, Threads, Unit, WORTH, emit};
use pullback_ir::Program;
use pullback_ir::eval::{self, Value, evaluate};
use pullback_opt::{Options, optimise};

use programs::ANYTHING;

/// Recursion that fits on the stack of a run, but not on that of each of several threads.
const DEEP: [&str; 2] = [include_str!("spread/deep.ir"), include_str!("spread/adds.ir")];

fn program(text: &str, simplified: bool) -> Program {
    let program = pullback_ir::parse(text, FileId(0)).expect("a program");
    if !simplified {
        return program;
    }
    let mut roots = vec![program.funcs.ids().next().expect("a function")];
    optimise(program, &mut roots, &mut Options::default())
}

/// The program on one thread and on several.
fn compiled(program: &Program, fp: Fp, level: Level, worth: f64) -> Vec<Native> {
    let roots: Vec<_> = program.funcs.ids().take(1).collect();
    let mut program = program.clone();
    let facts = Facts::of(&mut program);
    let unit = Unit { program: &program, roots: &roots, facts: &facts, fp, worth };
    let native =
        Native::batch(&[unit], level, None).expect("native code").pop().expect("a program");
    [1, 2, 3, 4, 100].map(|most| native.clone().on(Threads { most, worth })).to_vec()
}

fn limits(max_memory: usize) -> Limits {
    Limits { max_memory, timeout: None, since: None, tell: |_| {}, progress: None }
}

fn bits(values: &[Value]) -> String {
    let Some(Value::Array(array)) = values.first() else { panic!("an array") };
    let reals = array.reals().expect("Reals");
    reals.iter().map(|x| format!("{:x} ", x.to_bits())).collect()
}

/// Whether numbers are those of another order of their sums.
fn are_near(bits: &str, others: &str) -> bool {
    let numbers = |bits: &str| -> Vec<f64> {
        let number = |word| u64::from_str_radix(word, 16).map(f64::from_bits);
        bits.split_whitespace().filter_map(|word| number(word).ok()).collect()
    };
    let (ones, others) = (numbers(bits), numbers(others));
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * x.abs().max(1.0);
    ones.len() == others.len() && ones.iter().zip(&others).all(is_near)
}

/// The results, or an error.
fn told(native: &Native, program: &Program, x: &[f64], limits: &Limits) -> String {
    match native.call(program, 0, &[Value::reals(x.to_vec())], limits) {
        Ok(values) => bits(&values),
        Err(problem) => format!("{problem:?}"),
    }
}

fn numbers(count: i32) -> Vec<f64> {
    (0..count).map(|i| f64::from(i * 37 % 101) / 20.0 - 1.5).collect()
}

#[test]
fn threads_change_no_bit() {
    for (text, simplified) in ANYTHING.iter().flat_map(|text| [(text, false), (text, true)]) {
        let program = program(text, simplified);
        let root = program.funcs.ids().next().expect("a function");
        let other = if simplified { (Level::Quick, WORTH) } else { (Level::Fast, 0.0) };
        for (fp, (level, worth)) in [(Fp::Strict, (Level::Quick, 0.0)), (Fp::Fast, other)] {
            let natives = compiled(&program, fp, level, worth);
            for count in [0, 1, 2, 3, 29, 30, 64, 150, 700] {
                let xs = numbers(count);
                let wanted = told(&natives[0], &program, &xs, &limits(1 << 28));
                let args = vec![Value::reals(xs.clone())];
                let evaluated = evaluate(&program, root, args, eval::Limits::default());
                let same = evaluated.map_or_else(
                    |problem| wanted.contains(&problem.title),
                    |(values, _)| match fp {
                        Fp::Strict => bits(&values) == wanted,
                        Fp::Fast => are_near(&bits(&values), &wanted),
                    },
                );
                assert!(same, "{count} elements\n{text}\n{wanted}");
                for (at, native) in natives.iter().enumerate().skip(1) {
                    let found = told(native, &program, &xs, &limits(1 << 28));
                    assert_eq!(found, wanted, "{count} elements, {fp:?}, native {at}\n{text}");
                }
            }
        }
    }
}

#[test]
fn what_holds_arrays_in_data_stays_with_one_thread() {
    let shared_by = |text: &str, fp: Fp| {
        let mut program = program(text, false);
        let roots: Vec<_> = program.funcs.ids().take(1).collect();
        let facts = Facts::of(&mut program);
        let code = emit(&program, &roots, &facts, fp).expect("native code");
        code.text.matches("_loop = {").count()
    };
    let shared = |text: &str| shared_by(text, Fp::Strict);
    assert_eq!(ANYTHING.iter().filter(|text| shared_by(text, Fp::Fast) == 0).count(), 0);
    // What all iterations add to is added to in their order.
    assert_eq!(shared(include_str!("spread/shares.ir")), 0);
    // Both that collect trees, and those that look at them.
    assert_eq!(shared(include_str!("spread/tops.ir")), 2);
    assert_eq!(shared(include_str!("spread/keeps.ir")), 3);
    assert_eq!(shared(include_str!("spread/holds.ir")), 0);
}

#[test]
fn limits_hold_on_threads() {
    let small = [2, 5, 9, 10, 14].map(|at| (ANYTHING[at], 3000, 700));
    for (text, least, step) in small.into_iter().chain([(ANYTHING[11], 600_000, 20_000)]) {
        let program = program(text, false);
        let natives = compiled(&program, Fp::Fast, Level::Quick, 0.0);
        let xs = numbers(200);
        for max_memory in (0..100).map(|k| least + k * step) {
            let wanted = told(&natives[0], &program, &xs, &limits(max_memory));
            for native in &natives[1..] {
                let found = told(native, &program, &xs, &limits(max_memory));
                assert_eq!(found, wanted, "{max_memory} bytes\n{text}");
            }
        }
    }
    let program = program(ANYTHING[0], false);
    let natives = compiled(&program, Fp::Fast, Level::Quick, 0.0);
    let limits = Limits { timeout: Some(Duration::from_millis(20)), ..limits(1 << 30) };
    // A search that has no end.
    let xs = vec![1.2345e20; 8];
    for native in &natives {
        assert!(told(native, &program, &xs, &limits).contains("E0711"));
    }
}

#[test]
fn recursion_goes_as_deep_as_on_one_thread() {
    for text in DEEP {
        let program = program(text, false);
        let natives = compiled(&program, Fp::Fast, Level::Quick, 0.0);
        let mut ends = [false; 2];
        for max_memory in [1 << 20, 16 << 20, 40 << 20, 256 << 20, 1 << 30] {
            let xs = numbers(6);
            let wanted = told(&natives[0], &program, &xs, &limits(max_memory));
            ends[usize::from(wanted.contains("E0710"))] = true;
            for native in &natives[1..] {
                let found = told(native, &program, &xs, &limits(max_memory));
                assert_eq!(found, wanted, "{max_memory} bytes\n{text}");
            }
        }
        assert_eq!(ends, [true; 2]);
    }
}
