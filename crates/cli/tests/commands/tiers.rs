//! Without `--engine` a long run goes on in the evaluator of the array code or as native code, and answers as the evaluator
//! does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use super::{asks_for_all, root, words};

const FILE: &str = "tests/cli/programs/long.pull";
const ELEMENTS: &str = "tests/cli/programs/elements.pull";
const EVALUATOR: &str = "note: the evaluator answered, within 500000 steps";
const ARRAY_CODE: &str = "note: the evaluator of the array code answered, within 4";
const NATIVE: &str = "note: native code answered, after 4";

/// Runs a command with a C compiler: its exit code, its output, and the last line of standard error.
fn answer(line: &str, compiler: &str) -> (Option<i32>, String, String) {
    let output = output(line, compiler);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default().to_owned();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), last)
}

/// Its standard error.
fn errors(line: &str) -> String {
    String::from_utf8_lossy(&output(line, "cc").stderr).into_owned()
}

fn output(line: &str, compiler: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(words(line))
        .current_dir(root())
        .env("CC", compiler)
        .env("PULLBACK_CACHE", "off")
        .output()
        .expect("the command starts")
}

/// Whether two answers differ by rounding at most: sums of derivatives have another order in native code.
fn agree(one: &str, other: &str) -> bool {
    let (ones, others) = (one.split_whitespace(), other.split_whitespace());
    one.split_whitespace().count() == other.split_whitespace().count()
        && ones.zip(others).all(|(x, y)| match (x.parse::<f64>(), y.parse::<f64>()) {
            (Ok(x), Ok(y)) => (x - y).abs() <= 1e-10 * y.abs(),
            (..) => x == y,
        })
}

#[test]
fn long_runs_are_native_and_short_ones_are_not() {
    for (line, note) in [
        ("run FILE fib 20", EVALUATOR),
        ("run FILE fib 32", NATIVE),
        // What would be much code is given more steps.
        ("run tests/cli/programs/wide.pull wide 0.4 1000", EVALUATOR),
        (
            "run tests/cli/programs/wide.pull wide 0.4 2200000",
            "note: the evaluator of the array code answered, within 2",
        ),
        (
            "run tests/cli/programs/wide.pull wide 0.4 22000000",
            "note: native code answered, after 2",
        ),
        ("run FILE logistic 0.4 1000", EVALUATOR),
        ("run FILE logistic 0.4 2500000", ARRAY_CODE),
        ("run FILE logistic 0.4 5000000", NATIVE),
        ("grad FILE steady 0.4 1000", EVALUATOR),
        // Iterations that run at once are fewer steps.
        ("grad FILE steady 0.4 2500000", ARRAY_CODE),
        ("vjp FILE steady 0.4 2500000 --cotangent 2.0", ARRAY_CODE),
        ("jvp FILE steady 0.4 2500000 --tangent 2.0", ARRAY_CODE),
        ("run FILE grown '(Slab { width = 1.5, height = 2.0 })' 2500000", ARRAY_CODE),
        ("run FILE grown '(Slab { width = 1.5, height = 2.0 })' 5000000", NATIVE),
        // Little is called here, and much is done.
        ("run ELEMENTS copied 1000", EVALUATOR),
        ("run ELEMENTS copied 100000", ARRAY_CODE),
        ("run ELEMENTS copied 300000", NATIVE),
        ("run ELEMENTS replaced 1000", EVALUATOR),
        ("run ELEMENTS replaced 200000", ARRAY_CODE),
        ("run ELEMENTS summed 1000", EVALUATOR),
        ("run ELEMENTS summed 50000", ARRAY_CODE),
        ("run ELEMENTS sorted 10", EVALUATOR),
        ("run ELEMENTS sorted 2000", ARRAY_CODE),
        ("grad ELEMENTS followed 0.4 1000", EVALUATOR),
        ("grad ELEMENTS followed 0.4 150000", ARRAY_CODE),
        ("grad ELEMENTS followed 0.4 800000", NATIVE),
        ("vjp ELEMENTS followed 0.4 800000 --cotangent 2.0", NATIVE),
        ("jvp ELEMENTS followed 0.4 800000 --tangent 2.0", NATIVE),
        ("grad FILE steady 0.4 2500000 --domain strict", "note: the engine `trace` answered"),
        ("grad FILE steady 0.4 2500000 --timeout 60s", "note: the engine `trace` answered"),
        ("run FILE fib 32 --max-memory 1G", "note: the engine `trace` answered"),
        ("grad FILE steady 0.4 1000 --engine dual", "note: the engine `dual` answered"),
    ] {
        let line = line.replace("FILE", FILE).replace("ELEMENTS", ELEMENTS);
        let (code, out, last) = answer(&format!("{line} --verbose"), "cc");
        assert!(code == Some(0) && last.starts_with(note), "{line}: {last}");
        // It says nothing unless it is asked, and twice the same.
        assert_eq!(answer(&line, "cc"), (Some(0), out.clone(), String::new()), "{line}");
        if !line.contains("--engine") {
            let (_, evaluated, _) = answer(&format!("{line} --engine trace"), "cc");
            assert!(agree(&out, &evaluated), "{line}:\n{out}\n{evaluated}");
        }
    }
}

#[test]
fn checks_go_on_as_native_code() {
    let check = format!("check-grad {FILE} steady 0.4");
    for (line, note) in [
        (format!("{check} 1000"), "note: the evaluator answered 90 times, native code 0 times"),
        (format!("{check} 2500000"), "note: the evaluator answered 67 times, native code 23 times"),
        // The steps at all points together count.
        (format!("{check} 150000"), "note: the evaluator answered 90 times, native code 0 times"),
        (format!("{check} 1000 --engine dual"), ""),
    ] {
        let (code, out, last) = answer(&format!("{line} --verbose"), "cc");
        assert_eq!((code, last.as_str()), (Some(0), note), "{line}");
        assert!(out.contains("\ndirection 4: Taylor holds"), "{line}: {out}");
        assert_eq!(answer(&line, "cc").1, out, "{line}");
    }
    if !asks_for_all() {
        return;
    }
    // Without a compiler it says the same, and takes longer.
    let (_, native, _) = answer(&format!("{check} 2500000"), "cc");
    let (_, evaluated, _) = answer(&format!("{check} 2500000"), "no-such-compiler");
    assert!(agree(&native, &evaluated), "{native}\n{evaluated}");
}

#[test]
fn long_lines_of_tests_are_native() {
    const LINES: &str = "test tests/cli/programs/long_tests.pull";
    let (code, out, last) = answer(&format!("{LINES} --verbose"), "cc");
    assert_eq!(code, Some(1));
    assert_eq!(last, "note: the evaluator answered twice, native code once");
    assert!(out.ends_with("\n2 passed, 1 failed\n"), "{out}");
    // Engines that give up after so many steps say so; the one that does not names itself.
    assert!(out.contains("2 on dual") && !out.contains("on trace"), "{out}");
    for (options, whose) in
        [("", " on engine native"), (" --engine trace", ""), (" --steps 9", " on engine native")]
    {
        let errors = errors(&format!("{LINES}{options}"));
        let title = format!("error[E0820]: this expectation does not hold{whose}\n");
        assert!(errors.contains(&title), "{options}: {errors}");
    }
}

#[test]
fn strict_code_keeps_every_bit_of_a_value() {
    // A small difference anywhere would be all of the result in the end.
    let line = format!("run {FILE} logistic 0.4 3000000");
    let (_, evaluated, _) = answer(&format!("{line} --engine trace"), "cc");
    for option in ["", "--engine native --fp strict", "--fp strict"] {
        let (code, out, _) = answer(&format!("{line} {option}"), "cc");
        assert_eq!((code, out.as_str()), (Some(0), evaluated.as_str()), "{option}");
    }
    let (code, _, last) = answer(&format!("{line} --fp fast --verbose"), "cc");
    assert_eq!((code, last.starts_with(NATIVE)), (Some(0), true));
}

#[test]
fn strict_gradients_are_those_of_the_array_code() {
    let line = "grad examples/gmm.pull objective 2 3 10 points 0 1.0 alpha mu q l --json";
    let (code, strict, _) = answer(&format!("{line} --fp strict"), "cc");
    for option in ["--engine ir", "--engine native --fp strict", "--engine ir --fp strict"] {
        assert_eq!(answer(&format!("{line} {option}"), "cc").1, strict, "{option}");
    }
    let (_, without, _) = answer(&format!("{line} --fp strict"), "/nowhere/cc");
    assert_eq!((code, without), (Some(0), strict));
}

#[test]
fn strict_matrices_have_the_bits_of_strict_gradients() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrices");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("loss.pull");
    // Code that knows the size of rows adds up their cotangents in another order.
    let text = "def loss [n] [k] (w: [n][k]Real) (v: [k]Real): Real =
  sum [ (sum [ w[i, j] * v[j] * v[j] + exp w[i, j] | j < k ]) ^ 2 | i < n ]";
    fs::write(&file, text).expect("written");
    let at = "[[-0.5,0.1,-0.3],[0.2,0.3,-0.7],[-1.0,0.7,-0.5],[-0.5,0.9,0.2],[0.7,-0.3,0.5]] [-0.5,0.3,0.9]";
    let file = file.display();
    let (_, gradient, _) = answer(&format!("grad {file} loss {at} --fp strict --json"), "cc");
    let gradient = &numbers(&gradient)[1..];
    assert_eq!(gradient.len(), 18);
    for option in ["--fp strict", "--engine native --fp strict", "--engine ir"] {
        let (_, matrix, _) = answer(&format!("jacobian {file} loss {at} --json {option}"), "cc");
        assert_eq!(numbers(&matrix), gradient, "{option}");
    }
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|of: char| !of.is_ascii_digit() && !".-e".contains(of));
    parts.filter_map(|part| part.parse().ok()).collect()
}

#[test]
fn fast_code_gives_zero_for_what_is_below_the_normal_numbers() {
    // Numbers of the program itself would be multiplied while it is compiled.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vanishing");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("input.json");
    for (weight, x, evaluated, fast) in [
        ("1e-300", "1e-10", "1e-310", "0.0"),
        ("1e-300", "1e-7", "1e-307", "1e-307"),
        // What is given stays as it is.
        ("1e-310", "1.0", "1e-310", "0.0"),
        ("1e-310", "1e10", "9.999999999999969e-301", "9.999999999999969e-301"),
    ] {
        let input = format!("{{\"weight\": {weight}, \"x\": {x}}}");
        fs::write(&path, &input).expect("a file");
        let line = format!("run {FILE} vanishing --input {}", path.display());
        for (options, wanted) in
            [("", evaluated), ("--engine native --fp strict", evaluated), ("--engine native", fast)]
        {
            let (code, out, _) = answer(&format!("{line} {options}"), "cc");
            assert_eq!((code, out.trim()), (Some(0), wanted), "{input} {options}");
        }
    }
}

#[test]
fn errors_and_rules_are_the_evaluators() {
    for (line, note) in [
        ("run FILE late 3000000", "note: the evaluator answered: the array code ended in an error"),
        ("run FILE later 7000000", "note: the evaluator answered: native code ended in an error"),
        (
            "grad FILE ruled 0.5 2500000",
            "note: the evaluator answered: it follows rules of the program's own",
        ),
    ] {
        let line = line.replace("FILE", FILE);
        let (code, out, last) = answer(&format!("{line} --verbose"), "cc");
        assert_eq!(last, note, "{line}");
        let (evaluated, same, _) = answer(&format!("{line} --engine trace"), "cc");
        assert_eq!((code, out), (evaluated, same), "{line}");
    }
}

#[test]
fn without_a_compiler_the_evaluator_answers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tiers");
    fs::create_dir_all(&folder).expect("a folder");
    let script = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path.display().to_string()
    };
    let fails = script("fails", "#!/bin/sh\n[ \"$1\" = --version ]\n");
    let lies = script("lies", "#!/bin/sh\nexit 1\n");
    for (compiler, note) in [
        ("no-such-compiler", "there is no C compiler"),
        (&*lies, "there is no C compiler"),
        (&*fails, "the C compiler failed"),
    ] {
        let line = format!("run {FILE} fib 32");
        let (code, out, last) = answer(&format!("{line} --verbose"), compiler);
        assert_eq!(last, format!("note: the evaluator answered: {note}"));
        assert_eq!((code, out.as_str()), (Some(0), "2178309\n"));
        assert_eq!(answer(&line, compiler), (Some(0), out, String::new()));
    }
}

#[test]
fn threads_show_in_no_result_and_no_error() {
    const THREADS: &str = "tests/cli/programs/threads.pull";
    for (line, code) in [
        ("run FILE field 3000 0.3", 0),
        ("jvp FILE field 3000 0.3 --tangent 1.0", 0),
        ("run FILE late 3000 0.3", 0),
        ("run FILE late 3000 11.0", 1),
    ] {
        let line = format!("{} --engine native", line.replace("FILE", THREADS));
        let one = answer(&line, "cc");
        assert_eq!(one.0, Some(code), "{line}: {}", one.2);
        for threads in [2, 4] {
            assert_eq!(answer(&format!("{line} --threads {threads}"), "cc"), one, "{line}");
        }
    }
}

/// Where code would be made of much, the passes are not waited for.
#[test]
fn what_is_much_code_on_the_way_stays_in_the_evaluator() {
    let terms: Vec<String> = (0..21_000).map(|i| format!("sin (x + {i}.0)")).collect();
    let terms = terms.join(", ");
    let text = format!(
        "def long (x: Real): Real =\n  if x > 5.0 then sum [{terms}] else loop s = x for i < 3500000 do s * 0.5\n"
    );
    let path = std::env::temp_dir().join(format!("pullback_much_{}.pull", std::process::id()));
    fs::write(&path, text).expect("written");
    let (code, out, last) = answer(&format!("run {} long 1.5 --verbose", path.display()), "cc");
    fs::remove_file(&path).expect("removed");
    let told = "note: the evaluator answered: code would be made of more than 40000 statements";
    assert_eq!((code, out.as_str(), last.as_str()), (Some(0), "0.0\n", told));
}
