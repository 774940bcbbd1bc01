//! Commands with what they print, as one program: those of `tests/cli`, those in the documentation, and all
//! of them on a file that takes every name.

mod as_source;
mod bench;
mod bounds;
mod build;
#[cfg(unix)]
mod cache;
mod cancelling;
mod casadi;
mod clarke;
#[cfg(unix)]
mod compilers;
mod dev;
mod docs;
#[cfg(unix)]
mod editor;
mod embed;
#[cfg(target_os = "linux")]
mod ends;
mod golden;
mod gradbench;
mod hygiene;
mod kept;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(unix)]
mod plot;
#[cfg(target_os = "linux")]
mod progress;
mod reference;
#[cfg(unix)]
mod repl;
mod targets;
mod tiers;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Whether a test looks at all that it has, as `cargo xtask laws` asks: `ALL` is set. Else it looks at a part, which spares
/// minutes of the C compiler.
fn asks_for_all() -> bool {
    std::env::var_os("ALL").is_some()
}

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Splits at spaces outside quotes of either kind.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut open) = (vec![], String::new(), None, false);
    for c in line.chars() {
        match quote {
            Some(mark) if mark == c => quote = None,
            None if c == '\'' || c == '"' => (quote, open) = (Some(c), true),
            None if c.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            Some(_) | None => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Runs a command: its exit code, the lines of its standard output, those of its standard error. Its standard input is
/// empty, or the file behind a `<`.
fn output(line: &str) -> (String, Vec<String>, Vec<String>) {
    let mut words = words(line);
    let mut input = Stdio::null();
    if let Some(place) = words.iter().position(|word| word == "<") {
        let file = std::fs::File::open(root().join(&words[place + 1]));
        input = file.expect("a file to read").into();
        words.truncate(place);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(words)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .stdin(input)
        .output()
        .expect("the command starts");
    let code = output.status.code().map_or_else(|| "by signal".to_owned(), |code| code.to_string());
    let lines = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().map(|line| line.trim_end().to_owned()).collect()
    };
    (code, lines(&output.stdout), lines(&output.stderr))
}
