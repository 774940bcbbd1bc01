//! Native code gives the same bits on any number of threads, and the same faults: of loops over numbers, over rows, of
//! loops that add to what is theirs alone, of those that wait for each other, and of those that fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, Threads, Unit, compiler, emit_all};
use pullback_ir::eval::Value;
use pullback_ir::{FuncId, Program};

/// Functions from an array to an array.
const PROGRAMS: &[&str] = &[
    // Numbers, eight at a time.
    "  array.2: []f64 = for i.3 < n.1 {
    e.4: f64 = x.0[i.3]
    s.5: f64 = sin(e.4)
    t.6: f64 = exp(s.5)
    collect t.6
  }
  yield array.2",
    // Each waits for an inner loop that adds in order, and for an array of its own.
    "  array.2: []f64 = for i.3 < n.1 {
    row.4: []f64 = for j.5 < i.3 {
      e.6: f64 = x.0[j.5]
      f.7: f64 = x.0[i.3]
      p.8: f64 = mul(e.6, f.7)
      collect p.8
    }
    total.9: f64 = sum(row.4)
    collect total.9
  }
  yield array.2",
    // What is added to hangs on the outer index.
    "  zero.2: []f64 = for i.3 < n.1 { collect 0.0 }
  acc.4: acc []f64 = new_acc(zero.2)
  for i.5 < n.1 {
    e.6: f64 = x.0[i.5]
    for j.7 < 9 {
      r.8: f64 = real(j.7)
      p.9: f64 = mul(e.6, r.8)
      acc.4[i.5] += p.9
    }
  }
  array.10: []f64 = read_acc(acc.4)
  yield array.10",
    // All add to one place each, in order.
    "  zero.2: []f64 = for i.3 < n.1 { collect 0.0 }
  acc.4: acc []f64 = new_acc(zero.2)
  for i.5 < n.1 {
    e.6: f64 = x.0[i.5]
    for j.7 < n.1 {
      r.8: f64 = x.0[j.7]
      p.9: f64 = mul(e.6, r.8)
      acc.4[j.7] += p.9
    }
  }
  array.10: []f64 = read_acc(acc.4)
  yield array.10",
    // They add up, across lanes.
    "  n.17: f64 = real(n.1)
  half.16: f64 = mul(n.17, 0.5)
  total.2: f64, least.3: f64, many.4: i64 = for i.5 < n.1 with total.6: f64 = half.16, least.7: f64 = 9.0, many.8: i64 = 0 {
    e.9: f64 = x.0[i.5]
    s.10: f64 = exp(e.9)
    t.11: f64 = sub(total.6, s.10)
    l.12: f64 = min(least.7, s.10)
    m.13: i64 = int_add(many.8, 1)
    yield t.11, l.12, m.13
  }
  r.14: f64 = real(many.4)
  array.15: []f64 = [total.2, least.3, r.14]
  yield array.15",
    // They add to the same places, and up, one after the other; each to one of its own too.
    "  zero.2: []f64 = for i.3 < n.1 { collect 0.0 }
  own.4: acc []f64 = new_acc(zero.2)
  five.5: []f64 = [1.0, 2.0, 3.0, 4.0, 5.0]
  bins.6: acc []f64 = new_acc(five.5)
  all.7: acc f64 = new_acc(0.25)
  total.8: f64 = for i.9 < n.1 with sum.10: f64 = 1.0 {
    e.11: f64 = x.0[i.9]
    own.4[i.9] += e.11
    for j.13 < 5 {
      r.14: f64 = real(j.13)
      p.15: f64 = mul(e.11, r.14)
      bins.6[j.13] += p.15
    }
    all.7[] += e.11
    s.16: f64 = sin(e.11)
    t.17: f64 = add(sum.10, s.16)
    yield t.17
  }
  array.18: []f64 = read_acc(own.4)
  bins.19: []f64 = read_acc(bins.6)
  all.20: f64 = read_acc(all.7)
  last.21: []f64 = [total.8, all.20]
  more.22: []f64 = concat(bins.19, last.21)
  whole.23: []f64 = concat(array.18, more.22)
  yield whole.23",
    // The last iterations fail where there are many.
    "  array.2: []f64 = for i.3 < n.1 {
    twice.4: i64 = int_mul(i.3, 2)
    half.5: i64 = int_div(twice.4, 3)
    k.6: i64 = int_add(half.5, 7)
    e.7: f64 = x.0[k.6]
    t.8: f64 = exp(e.7)
    collect t.8
  }
  yield array.2",
];

fn program(body: &str) -> Program {
    let text =
        format!("fn @main.0(x.0: []f64) -> []f64 {{\n  n.1: i64 = dim(x.0, 0)\n{body}\n}}\n");
    pullback_ir::parse(&text, FileId(0)).expect("a program")
}

/// The results, or the code and the words of an error.
fn told(native: &Native, program: &Program, x: &[f64], limits: &Limits) -> String {
    match native.call(program, 0, &[Value::reals(x.to_vec())], limits) {
        Ok(values) => {
            let Some(Value::Array(array)) = values.first() else { panic!("an array") };
            let reals = array.reals().expect("Reals");
            reals.iter().map(|x| format!("{:x} ", x.to_bits())).collect()
        }
        Err(problem) => format!("{}: {}", problem.code, problem.title),
    }
}

/// A program all of whose loops are worth threads.
fn unit<'p>(program: &'p Program, roots: &'p [FuncId], facts: &'p Facts, fp: Fp) -> Unit<'p> {
    Unit { fp, worth: 0.0, ..Unit::of(program, roots, facts) }
}

fn compiled(text: &str, fp: Fp, level: Level) -> (Program, [Native; 5]) {
    let mut program = program(text);
    let roots: Vec<_> = program.funcs.ids().collect();
    let facts = Facts::of(&mut program);
    let native = Native::batch(&[unit(&program, &roots, &facts, fp)], level, None)
        .expect("native code")
        .pop()
        .expect("a program");
    let on = |most| native.clone().on(Threads { most, worth: 0.0 });
    let natives = [1, 2, 3, 4, 100].map(on);
    (program, natives)
}

/// Whether two runs give nearly the same numbers, or tell the same.
fn is_near(one: &str, other: &str) -> bool {
    let numbers = |told: &str| -> Option<Vec<f64>> {
        let bits = told.split_whitespace().map(|bits| u64::from_str_radix(bits, 16));
        bits.map(|bits| bits.ok().map(f64::from_bits)).collect()
    };
    match (numbers(one), numbers(other)) {
        (Some(one), Some(other)) => {
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * (1.0 + b.abs());
            one.len() == other.len() && one.iter().zip(&other).all(near)
        }
        _ => one == other,
    }
}

#[test]
fn sums_are_shared_out_where_their_order_may_change() {
    let shared = |fp| {
        let sums = |text: &&&str| {
            let mut program = program(text);
            let roots: Vec<_> = program.funcs.ids().collect();
            let facts = Facts::of(&mut program);
            let code = emit_all(&[unit(&program, &roots, &facts, fp)]);
            code.expect("native code").text.contains("pb_share_sums(c, ")
        };
        PROGRAMS.iter().filter(sums).count()
    };
    assert_eq!((shared(Fp::Strict), shared(Fp::Fast)), (0, 3));
}

#[test]
fn threads_change_no_bit() {
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    let xs: Vec<f64> = (0..3000).map(|i| f64::from(i * 37 % 101) / 10.0 - 3.0).collect();
    for text in PROGRAMS {
        let mut in_order = vec![];
        for (fp, level) in
            [(Fp::Strict, Level::Quick), (Fp::Fast, Level::Quick), (Fp::Fast, Level::Fast)]
        {
            let (program, [one, several @ ..]) = compiled(text, fp, level);
            for (at, count) in
                [0, 1, 7, 8, 17, 40, 63, 64, 65, 127, 200, 1001, 3000].into_iter().enumerate()
            {
                let wanted = told(&one, &program, &xs[..count], &limits);
                if fp == Fp::Strict {
                    in_order.push(wanted.clone());
                }
                assert!(is_near(&wanted, &in_order[at]), "{count} elements, {fp:?}\n{text}");
                for native in &several {
                    let found = told(native, &program, &xs[..count], &limits);
                    assert_eq!(found, wanted, "{count} elements, {fp:?}, {native:?}\n{text}");
                }
            }
        }
    }
}

#[test]
fn limits_hold_on_threads() {
    let xs = vec![0.5; 500];
    for text in [PROGRAMS[3], PROGRAMS[5], PROGRAMS[1]] {
        let (program, [one, .., several, _]) = compiled(text, Fp::Fast, Level::Quick);
        // Every amount of memory that is too little for one, two, three or four of the threads.
        for max_memory in (0..150).map(|k| 4000 + k * 1000) {
            let limits =
                Limits { max_memory, timeout: None, since: None, tell: |_| {}, progress: None };
            let wanted = told(&one, &program, &xs, &limits);
            assert_eq!(told(&several, &program, &xs, &limits), wanted, "{max_memory} bytes");
        }
    }
    let (program, [.., several, _]) = compiled(PROGRAMS[1], Fp::Fast, Level::Quick);
    let timeout = Some(Duration::from_millis(20));
    let limits = Limits { max_memory: 1 << 30, timeout, since: None, tell: |_| {}, progress: None };
    let large = vec![0.5; 400_000];
    assert!(told(&several, &program, &large, &limits).starts_with("E0711"));
}

/// The programs of `tests/threads`, but for those that recur deeply.
fn others() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/threads");
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).expect("a text"));
    let shallow = texts.filter(|text| !text.contains("--@ deep"));
    shallow.map(|text| pullback_ir::parse(&text, FileId(0)).expect("a program")).collect()
}

/// Runs each root on a large array.
const MAIN: &str = "
#include <stdio.h>
int main(void) {
  for (uint32_t root = 0; root < ROOTS; root++) {
    pb_ctx *c = pb_open(UINT64_C(64) << 20, 0);
    if (!c) return 1;
    pb_threads(c, 4, 0.0);
    pb_block *one = pb_make(c, PB_ARRAY, PB_REAL, 1000);
    if (!one) return 1;
    for (int k = 0; k < 1000; k++) ((double *)PB_ITEMS(one))[k] = k * 0.01;
    int64_t args[3] = {(int64_t)(intptr_t)one, (int64_t)(intptr_t)PB_ITEMS(one), 1000};
    static int64_t results[16];
    if (pb_run(c, root, args, results, UINT64_C(2) << 20)) printf(\"%u fails\\n\", root);
    pb_close(c);
  }
  puts(\"done\");
  return 0;
}
";

#[test]
fn threads_do_not_race() {
    let folder = std::env::temp_dir().join(format!("pullback_threads_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("code.c"), folder.join("program"));
    let compile = |text: &str, sanitizer: &str| {
        std::fs::write(&source, text).expect("a file");
        let mut command = Command::new(compiler().expect("a C compiler"));
        command.args(["-std=gnu11", "-O1", "-g", "-w", "-pthread", sanitizer]);
        command.arg(&source).arg("-o").arg(&program).arg("-lm");
        command.output().expect("a compiler")
    };
    for sanitizer in ["-fsanitize=thread", "-fsanitize=address,undefined"] {
        // A compiler without sanitizers has nothing to say here.
        if !compile("int main(void) { return 0; }\n", sanitizer).status.success() {
            continue;
        }
        let mut programs: Vec<Program> = PROGRAMS.iter().map(|text| self::program(text)).collect();
        programs.extend(others());
        let roots: Vec<Vec<_>> =
            programs.iter().map(|program| program.funcs.ids().take(1).collect()).collect();
        let facts: Vec<Facts> = programs.iter_mut().map(Facts::nothing).collect();
        let units: Vec<Unit<'_>> = (programs.iter().zip(&roots).zip(&facts))
            .map(|((program, roots), facts)| unit(program, roots, facts, Fp::Fast))
            .collect();
        let code = emit_all(&units).expect("code");
        let text = format!("{}#define ROOTS {}\n{MAIN}", code.text, units.len());
        let done = compile(&text, sanitizer);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let ran = Command::new(&program).output().expect("a program");
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        // The last iterations of `fails.ir` fail, and `unlike.ir` has rows that are unlike.
        assert_eq!((told.trim(), errors.as_str()), ("9 fails\n24 fails\ndone", ""));
    }
    // What cannot be removed stays with other temporary files.
    let _ = std::fs::remove_dir_all(&folder);
}
