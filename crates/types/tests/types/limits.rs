//! Programs made to exhaust inference end soon, with a result or a diagnostic.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::support::infer_files;

/// The codes of a program's diagnostics, found on a thread with the front end's stack.
fn codes(text: String) -> Vec<&'static str> {
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        let inferred = infer_files(&[("test", &text)], false);
        inferred.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    });
    let codes = thread.expect("a thread").join().expect("no panic");
    assert!(started.elapsed() < Duration::from_secs(60), "too slow");
    codes
}

#[test]
fn doubling_pairs_are_too_large() {
    let mut text = String::from("def f x =\n  let p0 = (x, x) in\n");
    for i in 0..100 {
        writeln!(text, "  let p{} = (p{i}, p{i}) in", i + 1).expect("a string");
    }
    text += "  p100\n";
    assert_eq!(codes(text), ["E0305"]);
}

#[test]
fn doubling_polymorphic_functions_are_too_large() {
    let mut text = String::from("def f =\n  let d0 x = (x, x) in\n");
    for i in 0..20 {
        writeln!(text, "  let d{} x = d{i} (d{i} x) in", i + 1).expect("a string");
    }
    text += "  d20\n";
    assert_eq!(codes(text), ["E0305"]);
}

#[test]
fn doubling_across_definitions_is_too_large() {
    let mut text = String::from("def p0 x = (x, x)\n");
    for i in 0..60 {
        writeln!(text, "def p{} x = (p{i} x, p{i} x)", i + 1).expect("a string");
    }
    assert_eq!(codes(text), ["E0305"]);
}

#[test]
fn doubling_aliases_are_too_large() {
    let mut text = String::from("type A0 = (Real, Real)\n");
    for i in 0..60 {
        writeln!(text, "type A{} = (A{i}, A{i})", i + 1).expect("a string");
    }
    text += "def f (x: A60) = x\n";
    assert!(codes(text).contains(&"E0305"));
}

#[test]
fn long_chains_are_fine() {
    let mut text = String::from("def f0 (x: Real) = x\n");
    for i in 0..20_000 {
        writeln!(text, "def f{} x = f{i} x", i + 1).expect("a string");
    }
    assert!(codes(text).is_empty());
    let mut nested = String::from("def f x =\n");
    for i in 0..400 {
        writeln!(nested, "  let g{i} y = (y, x) in").expect("a string");
    }
    nested += "  g0 1\n";
    assert!(codes(nested).is_empty());
}

#[test]
fn deep_types_end() {
    let mut text = String::from("def f0 x = (x, true)\n");
    for i in 0..500 {
        writeln!(text, "def f{} x = (f{i} x, true)", i + 1).expect("a string");
    }
    assert!(codes(text).is_empty());
}

#[test]
fn mutual_recursion_of_many_is_fine() {
    let mut text = String::new();
    for i in 0..300 {
        writeln!(
            text,
            "def f{i} n x = if n == 0 then x else f{} (n - 1) (f{} n x)",
            (i + 1) % 300,
            (i + 7) % 300
        )
        .expect("a string");
    }
    assert!(codes(text).is_empty());
}

#[test]
fn nested_polymorphic_functions_take_little_memory() {
    let depth = 900;
    let text = format!("def f = {}1{} 1\n", "let rec g x = ".repeat(depth), " in g".repeat(depth));
    let before = peak_memory();
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        let inferred = infer_files(&[("test", &text)], false);
        let root = inferred.scopes.global(inferred.main, "f").expect("the definition");
        pullback_types::elaborate(&inferred.typed, &[root]).diagnostics.len()
    });
    assert_eq!(thread.expect("a thread").join().expect("no panic"), 0);
    assert!(peak_memory() - before < 3 << 20, "{before} KiB, then {} KiB", peak_memory());
}

/// The codes of what elaboration says of a program whose definition `main` is wanted.
fn elaboration_codes(text: String) -> Vec<&'static str> {
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        let inferred = infer_files(&[("test", &text)], false);
        assert_eq!(inferred.messages(), "");
        let root = inferred.scopes.global(inferred.main, "main").expect("the definition");
        let elaborated = pullback_types::elaborate(&inferred.typed, &[root]);
        elaborated.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    });
    let codes = thread.expect("a thread").join().expect("no panic");
    assert!(started.elapsed() < Duration::from_secs(60), "too slow");
    codes
}

/// `count` definitions that call each other in a row, the last called by `main`.
fn chain(count: usize, first: &str, next: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!("{first}\n");
    for index in 1..count {
        writeln!(text, "{}", next(index, index - 1)).expect("a string");
    }
    writeln!(text, "def main: Int = f{} 1", count - 1).expect("a string");
    text
}

#[test]
fn any_number_of_definitions_may_become_code_once() {
    let next = |this, before| format!("def f{this} (x: Int): Int = f{before} x");
    assert!(elaboration_codes(chain(100_000, "def f0 (x: Int): Int = x", next)).is_empty());
    let next = |this, before| format!("def f{this} x = f{before} x");
    assert!(elaboration_codes(chain(30_000, "def f0 x = x", next)).is_empty());
}

#[test]
fn copies_of_definitions_and_local_functions_are_counted_together() {
    let next = |this, before| format!("def f{this} x = f{before} (x, 1) + f{before} (x, true)");
    assert!(elaboration_codes(chain(14, "def f0 x = 1", next)).is_empty());
    let next =
        |this, before| format!("def f{this} x =\n  let g y = f{before} (y, x) in\n  g 1 + g true");
    assert!(elaboration_codes(chain(12, "def f0 x = 1", next)).is_empty());
    assert_eq!(elaboration_codes(chain(24, "def f0 x = 1", next)), ["E0503"]);
}

#[test]
fn huge_types_of_local_functions_are_an_error() {
    let mut text = String::from("def main: Int =\n  let f0 x = 1 in\n");
    for i in 0..12 {
        writeln!(text, "  let f{} x = f{i} (x, x) in", i + 1).expect("a string");
    }
    text += "  f12 1\n";
    assert_eq!(elaboration_codes(text), ["E0503"]);
}

/// The diagnostics about the patterns of a program, which is elaborated too.
fn pattern_codes(text: String) -> Vec<&'static str> {
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        let inferred = infer_files(&[("test", &text)], false);
        assert_eq!(inferred.messages(), "");
        let root = inferred.scopes.global(inferred.main, "f").expect("the definition");
        let elaborated = pullback_types::elaborate(&inferred.typed, &[root]);
        assert!(elaborated.diagnostics.is_empty());
        let diagnostics = pullback_types::check_patterns(&inferred.typed, 0);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    });
    let codes = thread.expect("a thread").join().expect("no panic");
    assert!(started.elapsed() < Duration::from_secs(20), "too slow");
    codes
}

/// `def f` by a match of so many arms on a value of this type.
fn long_match(ty: &str, count: usize, pattern: impl Fn(usize) -> String, last: &str) -> String {
    let mut text = format!("def f (x: {ty}): Int = match x with\n");
    for arm in 0..count {
        writeln!(text, "  | {} -> {arm}", pattern(arm)).expect("a string");
    }
    text + last
}

#[test]
fn long_matches_take_time_in_proportion_to_their_arms() {
    let count = 50_000;
    let last = "  | _ -> 0\n";
    let literal = |arm: usize| arm.to_string();
    assert!(pattern_codes(long_match("Int", count, literal, last)).is_empty());
    let literal = |arm: usize| format!("{arm}.5");
    assert!(pattern_codes(long_match("Real", count, literal, last)).is_empty());
    let literal = |arm: usize| format!("\"{arm}\"");
    assert!(pattern_codes(long_match("String", count, literal, last)).is_empty());
    let pair = |arm: usize| format!("({arm}, {})", arm + 1);
    assert!(pattern_codes(long_match("(Int, Int)", count, pair, last)).is_empty());
    let constructors: Vec<String> = (0..count).map(|arm| format!("C{arm}")).collect();
    let declaration = format!("type C = {}\n", constructors.join(" | "));
    let constructor = |arm: usize| format!("C{arm}");
    assert!(
        pattern_codes(declaration.clone() + &long_match("C", count, constructor, "")).is_empty()
    );
    let most = declaration + &long_match("C", count - 1, constructor, "");
    assert_eq!(pattern_codes(most), ["E0501"]);
}

#[test]
fn the_last_of_many_arms_is_reached() {
    let arms = |arm: usize| format!("({}, {})", arm % 700, arm / 700);
    assert!(pattern_codes(long_match("(Int, Int)", 5_000, arms, "  | (_, _) -> 0\n")).is_empty());
    let again = "  | (3, 2) -> 0\n  | _ -> 0\n";
    assert_eq!(pattern_codes(long_match("(Int, Int)", 5_000, arms, again)), ["W0501"]);
}

/// The most memory this process has had, in KiB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
