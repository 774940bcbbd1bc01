//! Tests of loops that threads share, and that are no kernels: programs whose first function is from an array to an
//! array. They give the same bits on any number of threads, and the same faults, those of the evaluator.
//!
//! `--@ loops NUMBER` says how many loops threads share where sums keep their order, `--@ alone` that they share none at
//! all. `--@ memory LEAST STEP` also tries a hundred limits from the least one on, and `--@ endless NUMBER` an array of
//! this number, of which nothing comes in time. `--@ deep` tries nothing but how deep recursion goes.

use std::time::Duration;

use pullback_analysis::facts::Facts;
use pullback_codegen::{Fp, Level, Limits, Native, Threads, Unit, WORTH, emit};
use pullback_ir::eval::{self, Value, evaluate};
use pullback_ir::{FuncId, Program, Stage};
use pullback_opt::{Options, optimise};

use crate::ir_text::{header, keeps_rules, read};

/// Runs the first function of a file on one thread and on several.
pub fn threads_test(text: &str) -> Result<(), String> {
    let program = read(text)?;
    keeps_rules(&program, Stage::default())?;
    if header(text, "deep").is_some() {
        return goes_deep(&program);
    }
    shares(text, &program)?;
    let optimised = optimise(program.clone(), &mut roots(&program), &mut Options::default());
    changes_no_bit(&program, (Level::Fast, 0.0))?;
    changes_no_bit(&optimised, (Level::Quick, WORTH))?;
    if let Some(numbers) = header(text, "memory") {
        let numbers: Result<Vec<usize>, _> = numbers.split_whitespace().map(str::parse).collect();
        let Ok([least, step]) = numbers.as_deref() else {
            return Err("`--@ memory` has no two numbers".to_owned());
        };
        stays_within_memory(&program, *least, *step)?;
    }
    if let Some(number) = header(text, "endless") {
        let number = number.parse().map_err(|_| "`--@ endless` has no number")?;
        ends_in_time(&program, number)?;
    }
    Ok(())
}

fn roots(program: &Program) -> Vec<FuncId> {
    program.funcs.ids().take(1).collect()
}

/// The program on one thread and on several.
fn compiled(program: &Program, fp: Fp, level: Level, worth: f64) -> Result<[Native; 5], String> {
    let (mut program, roots) = (program.clone(), roots(program));
    let facts = Facts::of(&mut program);
    let unit = Unit { fp, worth, ..Unit::of(&program, &roots, &facts) };
    let mut natives = Native::batch(&[unit], level, None).map_err(|why| format!("{why:?}"))?;
    let native = natives.pop().ok_or("no native code")?;
    Ok([1, 2, 3, 4, 100].map(|most| native.clone().on(Threads { most, worth })))
}

fn limits(max_memory: usize) -> Limits {
    Limits { max_memory, timeout: None, since: None, tell: |_| {}, progress: None }
}

fn bits(values: &[Value]) -> String {
    let reals = if let Some(Value::Array(array)) = values.first() { array.reals() } else { None };
    reals.into_iter().flatten().map(|x| format!("{:x} ", x.to_bits())).collect()
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
fn told(native: &Native, program: &Program, xs: &[f64], limits: &Limits) -> String {
    match native.call(program, 0, &[Value::reals(xs.to_vec())], limits) {
        Ok(values) => bits(&values),
        Err(problem) => format!("{problem:?}"),
    }
}

fn numbers(count: i32) -> Vec<f64> {
    (0..count).map(|i| f64::from(i * 37 % 101) / 20.0 - 1.5).collect()
}

/// Several threads tell what one thread does, which this gives.
fn agree(
    program: &Program,
    natives: &[Native; 5],
    xs: &[f64],
    limits: &Limits,
) -> Result<String, String> {
    let [one, several @ ..] = natives;
    let wanted = told(one, program, xs, limits);
    for native in several {
        let other = told(native, program, xs, limits);
        if other != wanted {
            let of = format!("{} elements in {} bytes", xs.len(), limits.max_memory);
            return Err(format!("{native:?} tells of {of}\n{other}\nand not\n{wanted}"));
        }
    }
    Ok(wanted)
}

/// How many loops threads share is as a file says; without that it is at least one.
fn shares(text: &str, program: &Program) -> Result<(), String> {
    let shared = |fp: Fp| {
        let (mut program, roots) = (program.clone(), roots(program));
        let facts = Facts::of(&mut program);
        let code = emit(&program, &roots, &facts, fp).map_err(|why| format!("{why:?}"))?;
        Ok::<usize, String>(code.text.matches("_loop = {").count())
    };
    let (strict, fast) = (shared(Fp::Strict)?, shared(Fp::Fast)?);
    let is_alone = header(text, "alone").is_some();
    let wanted = if is_alone { Some("0") } else { header(text, "loops") };
    if (fast == 0) != is_alone || wanted.is_some_and(|wanted| wanted != strict.to_string()) {
        return Err(format!("threads share {strict} loops, and {fast} where sums may be split"));
    }
    Ok(())
}

fn changes_no_bit(program: &Program, fast: (Level, f64)) -> Result<(), String> {
    let root = roots(program)[0];
    for (fp, (level, worth)) in [(Fp::Strict, (Level::Quick, 0.0)), (Fp::Fast, fast)] {
        let natives = compiled(program, fp, level, worth)?;
        for count in [0, 1, 2, 3, 29, 30, 64, 150, 700] {
            let xs = numbers(count);
            let wanted = agree(program, &natives, &xs, &limits(1 << 28))?;
            let args = vec![Value::reals(xs)];
            let is_so = match evaluate(program, root, args, eval::Limits::default()) {
                Ok((values, _)) if fp == Fp::Strict => bits(&values) == wanted,
                Ok((values, _)) => are_near(&bits(&values), &wanted),
                Err(problem) => wanted.contains(&problem.title),
            };
            if !is_so {
                return Err(format!("the evaluator tells something else of {count} elements"));
            }
        }
    }
    Ok(())
}

/// Limits of memory hold on threads.
fn stays_within_memory(program: &Program, least: usize, step: usize) -> Result<(), String> {
    let natives = compiled(program, Fp::Fast, Level::Quick, 0.0)?;
    let xs = numbers(200);
    (0..100)
        .try_for_each(|nth| agree(program, &natives, &xs, &limits(least + nth * step)).map(|_| ()))
}

/// Limits of time hold on threads.
fn ends_in_time(program: &Program, number: f64) -> Result<(), String> {
    let limits = Limits { timeout: Some(Duration::from_millis(20)), ..limits(1 << 30) };
    for native in &compiled(program, Fp::Fast, Level::Quick, 0.0)? {
        let told = told(native, program, &[number; 8], &limits);
        if !told.contains("E0711") {
            return Err(format!("{native:?} tells {told}"));
        }
    }
    Ok(())
}

/// Recursion goes as deep as on one thread: it ends well, or for want of stack in the smaller memories.
fn goes_deep(program: &Program) -> Result<(), String> {
    let natives = compiled(program, Fp::Fast, Level::Quick, 0.0)?;
    let mut ends = [false; 2];
    for max_memory in [1 << 20, 16 << 20, 40 << 20, 256 << 20, 1 << 30] {
        let wanted = agree(program, &natives, &numbers(6), &limits(max_memory))?;
        ends[usize::from(wanted.contains("E0710"))] = true;
    }
    if ends == [true; 2] { Ok(()) } else { Err("recursion is not as deep as it should be".into()) }
}
