//! Huge programs are inferred in time proportional to their length: each of these took minutes where
//! names, abbreviations or declarations were searched one by one.

use std::time::{Duration, Instant};

use crate::support::infer_files;

/// Far more than a slow machine needs, far less than a search through everything takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Infers a program, on a stack as large as the front end has, and gives the codes of its
/// diagnostics.
fn codes(text: &str) -> Vec<&'static str> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20);
        let thread = thread.spawn_scoped(scope, || codes_here(text)).expect("a thread");
        thread.join().expect("no panic")
    })
}

fn codes_here(text: &str) -> Vec<&'static str> {
    codes_of(&[("main", text)])
}

/// The codes of the diagnostics of modules, each of which may import those before it.
fn codes_of(files: &[(&str, &str)]) -> Vec<&'static str> {
    let text = files.last().map_or("", |(_, text)| text);
    let start = Instant::now();
    let inferred = infer_files(files, false);
    let spent = start.elapsed();
    assert!(spent < LIMIT, "{spent:?} for {} bytes", text.len());
    inferred.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// One line for each number below `count`, made from it and the one before.
fn lines(first: &str, count: usize, line: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!("{first}\n");
    for index in 1..count {
        text.push_str(&line(index, index - 1));
        text.push('\n');
    }
    text
}

#[test]
fn a_chain_of_abbreviations_is_one_diagnostic() {
    let text = lines("type T0 = Int", 40_000, |this, before| format!("type T{this} = T{before}"));
    assert_eq!(codes(&text), ["E0109"]);
}

#[test]
fn a_circle_of_abbreviations_is_one_diagnostic() {
    let text =
        lines("type T0 = T39999", 40_000, |this, before| format!("type T{this} = T{before}"));
    assert_eq!(codes(&text), ["E0109"]);
}

#[test]
fn a_chain_of_sums_is_fine_in_both_directions() {
    let sum = |this, before| format!("type T{this} = A{this} T{before} T{before}");
    assert!(codes(&lines("type T0 = A0 Int", 20_000, sum)).is_empty());
    let back = |this, before| format!("type T{before} = A{before} T{this}");
    let text = lines("type T19999 = Last Bool", 20_000, back);
    assert!(codes(&text).is_empty());
}

#[test]
fn every_unknown_name_is_told() {
    let text = lines("def f0 = 1", 20_000, |this, _| format!("def f{this} = x{this}"));
    assert_eq!(codes(&text).len(), 19_999);
}

#[test]
fn every_import_under_one_name_is_told() {
    let text = lines("import \"other\"", 20_000, |_, _| "import \"other\"".to_owned());
    assert_eq!(codes_of(&[("other", "def x = 1"), ("main", &text)]).len(), 19_999);
}

#[test]
fn names_are_found_among_many() {
    let params: Vec<String> = (0..1000).map(|index| format!("x{index}")).collect();
    let uses = "f, ".repeat(100_000);
    let text = format!("def f = 1\ndef g {} = [{uses}f]", params.join(" "));
    assert!(codes(&text).is_empty());
}

#[test]
fn types_of_exponential_size_are_one_diagnostic() {
    let text = lines("def f0 x = (x, x)", 40, |this, before| {
        format!("def f{this} x = f{before} (f{before} x)")
    });
    assert_eq!(codes(&text), ["E0305"]);
}

#[test]
fn sizes_of_exponential_size_are_one_diagnostic() {
    let grows = |this, before| format!("type A{this} [n] = A{before} [n * n + n + 1]");
    assert_eq!(codes(&lines("type A0 [n] = [n]Real", 40, grows)), ["E0305"]);
    let sum = "+ 1".repeat(200);
    let grows = |this, before| format!("type A{this} [n] = A{before} [n {sum}]");
    assert_eq!(codes(&lines("type A0 [n] = [n]Real", 200, grows)), ["E0305"]);
    let doubles = |this, before| format!("type A{this} [n] = (A{before} [n], A{before} [n])");
    assert_eq!(codes(&lines("type A0 [n] = [n]Real", 40, doubles)), ["E0305"]);
}
