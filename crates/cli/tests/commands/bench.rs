//! `bench` tells times, which differ from run to run, and counts, which do not.

use super::output;

/// The number after a key, inside the object of a mode.
fn number(json: &str, mode: &str, key: &str) -> f64 {
    let (_, part) = json.split_once(&format!("\"{mode}\": {{")).expect("the mode");
    let (_, rest) = part.split_once(&format!("\"{key}\": ")).expect("the key");
    let end = rest.find([',', '}']).expect("an end");
    rest[..end].parse().unwrap_or_else(|_| panic!("{key} of {mode}: {rest}"))
}

const SQUARES: &str =
    "bench tests/cli/programs/squares.pull loss [1.0,2.0,3.0] 0.5 --time 1ms --runs 5";

#[test]
fn every_mode_is_measured() {
    for engine in ["native", "ir", "trace"] {
        let (code, out, errors) = output(&format!("{SQUARES} --json --engine {engine}"));
        assert_eq!((code.as_str(), out.len()), ("0", 1), "{engine}: {errors:?}");
        for mode in ["value", "jvp", "vjp", "grad"] {
            let [median, least, runs] =
                ["median", "least", "runs"].map(|key| number(&out[0], mode, key));
            assert!(least > 0.0 && least <= median && runs >= 5.0, "{engine} {mode}: {}", out[0]);
        }
        assert!((number(&out[0], "value", "ratio") - 1.0).abs() < 1e-12);
    }
}

#[test]
fn counts_are_those_of_the_array_code() {
    let (code, out, _) = output(&format!("{SQUARES} --json"));
    assert_eq!(code, "0");
    let (_, counted, _) =
        output("dev tests/cli/programs/squares.pull loss [1.0,2.0,3.0] 0.5 --count");
    let row = |name: &str| {
        let line = counted.iter().find(|line| line.starts_with(name)).expect("a row");
        line.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok()).expect("a count")
    };
    for key in ["operations", "bytes"] {
        assert!((number(&out[0], "value", key) - row(key)).abs() < 1e-12, "{key}: {}", out[0]);
    }
    let peak = number(&out[0], "value", "peak");
    assert!(peak > 0.0 && peak <= row("peak"), "{peak}");
}

#[test]
fn a_table_has_a_line_for_each() {
    let (code, out, errors) = output(&format!("{SQUARES} --wrt x"));
    assert_eq!((code.as_str(), out.len()), ("0", 6), "{errors:?}");
    assert!(out[0].starts_with("loss on native: medians of "), "{}", out[0]);
    let names: Vec<_> = out[1..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["time", "value", "jvp", "vjp", "grad"]);
    // No bar is drawn where nobody looks.
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn what_nothing_moves_has_a_value_alone() {
    let (code, out, errors) =
        output("bench tests/cli/programs/long.pull fib 10 --time 1ms --runs 5 --json");
    assert_eq!((code.as_str(), out.len()), ("0", 1), "{errors:?}");
    assert!(number(&out[0], "value", "median") > 0.0);
    assert!(!out[0].contains("jvp"), "{}", out[0]);
}

#[test]
fn what_cannot_be_measured_says_why() {
    for (line, exit, why) in [
        ("bench tests/cli/programs/checks.pull nothing", "2", "error[E0811]"),
        ("bench tests/cli/programs/long.pull fib 10 --wrt n", "2", "error[E0811]"),
        ("bench tests/cli/programs/squares.pull loss [1.0] true", "1", "error[E03"),
        ("bench tests/cli/programs/squares.pull nothing", "2", "error[E0809]"),
        ("bench tests/cli/programs/limits.pull endless 1.0 --timeout 300ms", "1", "error[E07"),
        (
            "bench tests/cli/programs/squares.pull loss [1.0] 0.5 --engine delta",
            "2",
            "error[E0812]",
        ),
    ] {
        let (code, _, errors) = output(line);
        assert_eq!(code, exit, "{line}: {errors:?}");
        assert!(errors[0].starts_with(why), "{line}: {errors:?}");
    }
}
