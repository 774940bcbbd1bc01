//! The line that says how far a long run is: on a terminal, and nowhere else. `script` is the terminal.

use std::process::{Command, Stdio};

use crate::root;

/// Back to the beginning of the line, and nothing behind it.
const CLEAR: &str = "\r\u{1b}[K";
const PROGRAM: &str = "tests/cli/programs/counted.pull";

/// What a command prints on a terminal; none where there is no `script` to be one.
fn on_terminal(line: &str) -> Option<String> {
    let pullback = env!("CARGO_BIN_EXE_pullback");
    let output = Command::new("script")
        .args(["-qec", &format!("{pullback} {line}"), "/dev/null"])
        .current_dir(root())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no `script`");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Arguments for a run of a few seconds: the first n that takes at least two.
fn long(entry: &str) -> String {
    let mut n = 20_000;
    loop {
        let line = format!("run {PROGRAM} {entry} 0.5 {n} --engine ir");
        let started = std::time::Instant::now();
        let (code, out, errors) = crate::output(&line);
        assert_eq!((code.as_str(), out.len()), ("0", 1));
        let is_told = |line: &String| line.starts_with("at: ");
        assert!(errors.iter().all(is_told), "nothing is drawn in a pipe: {errors:?}");
        if started.elapsed().as_secs() >= 2 {
            return line;
        }
        n *= 2;
    }
}

#[test]
fn a_long_run_shows_how_far_it_is_until_the_answer_comes() {
    let line = long("work");
    let Some(shown) = on_terminal(&line) else { return };
    assert!(shown.contains(&format!("{CLEAR}iteration ")), "{shown:?}");
    assert!(shown.contains(" %"), "{shown:?}");
    let (_, end) = shown.rsplit_once(CLEAR).expect("the line goes away");
    let answer = end.trim_end();
    assert!(answer.parse::<f64>().is_ok(), "only the answer is left: {shown:?}");
    let quiet = on_terminal(&format!("{line} --json")).expect("a terminal");
    assert_eq!(quiet.trim_end(), answer, "nothing is drawn with `--json`");
}

#[test]
fn what_a_program_tells_stands_in_lines_of_its_own() {
    let line = long("told");
    let Some(shown) = on_terminal(&line) else { return };
    assert!(shown.contains(&format!("{CLEAR}iteration ")), "{shown:?}");
    let told = shown.lines().filter(|line| line.contains("at: "));
    let told: Vec<&str> = told.map(|line| line.rsplit(CLEAR).next().expect("a part")).collect();
    assert_eq!(told.len(), 10, "{shown:?}");
    assert!(told.iter().all(|line| line.starts_with("at: ") && !line.contains("iteration")));
}

#[test]
fn a_run_that_is_done_at_once_shows_nothing() {
    let Some(shown) = on_terminal(&format!("run {PROGRAM} work 0.5 10")) else { return };
    assert!(!shown.contains(CLEAR) && !shown.contains("iteration"), "{shown:?}");
}
