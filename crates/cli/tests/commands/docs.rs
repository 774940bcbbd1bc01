//! Sessions in the documentation print what they say: blocks of `console` in `README.md`,
//! `ARCHITECTURE.md` and below `docs/` whose commands start with `$ pullback`.
//!
//! Commands run in the repository's root; standard output comes before standard error. A line that is
//! only `…` stands for any lines. `BLESS=1` rewrites blocks without such a line.

use std::path::{Path, PathBuf};

use crate::{output, root, words};

/// Whether lines are as said, where `…` stands for any lines.
fn agrees(said: &[String], found: &[String]) -> bool {
    match said.split_first() {
        None => found.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=found.len()).any(|skipped| agrees(rest, &found[skipped..]))
        }
        Some((line, rest)) => found.first() == Some(line) && agrees(rest, &found[1..]),
    }
}

/// A document with what its commands print now, and the commands that print something else.
fn rerun(text: &str) -> (String, Vec<String>) {
    let (mut out, mut wrong) = (String::new(), vec![]);
    let mut lines = text.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if line.trim_start().starts_with("```") {
            inside = line == "```console";
        }
        let Some(command) = line.strip_prefix("$ pullback ").filter(|_| inside) else { continue };
        let mut said = vec![];
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ") && *next != "```") {
            said.push(next.trim_end().to_owned());
        }
        let blank = said.iter().rev().take_while(|line| line.is_empty()).count();
        said.truncate(said.len() - blank);
        let (_, out_lines, error_lines) = output(command);
        let mut found = [out_lines, error_lines].concat();
        let right = agrees(&said, &found);
        if !right {
            wrong.push(format!("$ pullback {command}\n{}", found.join("\n")));
        }
        if right || said.iter().any(|line| line == "…") {
            found = said;
        }
        found.extend(std::iter::repeat_n(String::new(), blank));
        found.iter().for_each(|line| {
            out.push_str(line);
            out.push('\n');
        });
    }
    (out, wrong)
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with("errors") {
            // The pages of diagnostics have a test of their own.
        } else if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

#[test]
fn sessions_in_the_documentation_are_real() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths = ["README.md", "ARCHITECTURE.md"].map(|name| root().join(name)).to_vec();
    documents(&root().join("docs"), &mut paths);
    paths.sort();
    let mut wrong = vec![];
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let (now, different) = rerun(&text);
        if bless && now != text {
            std::fs::write(&path, now).unwrap();
        }
        wrong.extend(different.iter().map(|found| format!("{}:\n{found}", path.display())));
    }
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn an_ellipsis_stands_for_any_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(agrees(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(!agrees(&lines("a\n…\nd"), &lines("a\nb\nc")));
    assert_eq!(words("run f '[1, 2]' \"\""), ["run", "f", "[1, 2]", ""]);
}
