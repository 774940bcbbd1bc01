//! Command lines with what they print: the files `tests/cli/*.cmd`.
//!
//! A file holds `$ pullback …` (words split at spaces, quotes as in a shell), then what came out:
//! a line `exit N`, the lines of standard output after `> `, those of standard error after `! `.
//! Commands run in the repository's root. `BLESS=1` rewrites what came out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Splits at spaces outside single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn run(line: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(words(line))
        .current_dir(root())
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let code = output.status.code().map_or_else(|| "by signal".to_owned(), |code| code.to_string());
    let mut text = format!("{}\nexit {code}\n", format!("$ pullback {line}").trim_end());
    for (mark, bytes) in [('>', output.stdout), ('!', output.stderr)] {
        for line in String::from_utf8_lossy(&bytes).lines() {
            text.push_str(format!("{mark} {line}").trim_end());
            text.push('\n');
        }
    }
    text
}

#[test]
fn commands_print_what_their_files_say() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root().join("tests/cli"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cmd"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let expected = std::fs::read_to_string(&path).unwrap();
        let commands = expected.lines().filter_map(|line| line.strip_prefix("$ pullback"));
        let found: Vec<String> = commands.map(|line| run(line.trim())).collect();
        let found = found.join("\n");
        if bless && found != expected {
            std::fs::write(&path, &found).unwrap();
        } else if found != expected {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_closed_output_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(["show", "lib/prelude.pull", "--stage", "ast"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
