//! Programs for tests: the textual form of the calculus with numbers left out. `$x` is a variable,
//! `@f` a definition; each name stands for one thing in a program.

use pullback_base::{FileId, Id};
use pullback_lambda::{DefId, Program, Stage, parse, verify};

/// Reads a program and verifies it.
pub fn program(text: &str) -> Program {
    let numbered = number(text);
    let program = parse(&numbered, FileId::from_index(0)).unwrap_or_else(|problem| {
        let span = problem.span();
        panic!("{problem:?}\nat: {:?}\nin\n{numbered}", &numbered[span.range()])
    });
    if let Err(problem) = verify(&program, Stage::Any) {
        panic!("{problem:?}\nin\n{numbered}");
    }
    program
}

/// The definition of this name.
pub fn def(program: &Program, name: &str) -> DefId {
    let found = program.defs.iter_enumerated().find(|(_, def)| def.name == name);
    found.unwrap_or_else(|| panic!("no definition {name}")).0
}

fn number(text: &str) -> String {
    let defs: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("def "))
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    let mut vars: Vec<String> = vec![];
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '@']) {
        out.push_str(&rest[..at]);
        let sign = &rest[at..=at];
        let tail = &rest[at + 1..];
        let end = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len());
        let name = &tail[..end];
        if sign == "@" {
            let index = defs.iter().position(|def| *def == name);
            out.push_str(&format!("@{name}.{}", index.unwrap_or_else(|| panic!("no @{name}"))));
        } else {
            let known = vars.iter().position(|var| var == name);
            let index = known.unwrap_or_else(|| {
                vars.push(name.to_string());
                vars.len() - 1
            });
            out.push_str(&format!("{name}.{index}"));
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    for (index, name) in defs.iter().enumerate() {
        out = out.replacen(&format!("def {name} "), &format!("def {name}.{index} "), 1);
    }
    out
}
