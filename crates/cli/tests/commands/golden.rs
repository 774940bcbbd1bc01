//! Command lines with what they print: the files `tests/cli/*.cmd`.
//!
//! A file holds `$ pullback …` (words split at spaces, quotes as in a shell, `< FILE` for standard input), then what came out:
//! a line `exit N`, the lines of standard output after `> `, those of standard error after `! `.
//! Commands run in the repository's root. `BLESS=1` rewrites what came out.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{output, root};

fn run(line: &str) -> String {
    let (code, out, errors) = output(line);
    let mut text = format!("{}\nexit {code}\n", format!("$ pullback {line}").trim_end());
    for (mark, lines) in [('>', out), ('!', errors)] {
        for line in lines {
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
