//! Rules about source text: headers, lengths, leftovers.

use super::repository::Repository;

const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 100;

/// Files without `//!` at their top, and files that are too long.
pub fn files(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in repository.rust() {
        if !text.starts_with("//!") {
            breaches.push(format!("{path}:1: has no `//!` header"));
        }
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES {
            breaches.push(format!("{path}: has {lines} lines"));
        }
    }
    breaches
}

/// Functions that are too long, unless almost all their lines are one-line arms of a `match`.
pub fn functions(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in repository.rust() {
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let Some(name) = function_name(line) else { continue };
            let body = body_of(&lines, start);
            let arms = body.iter().filter(|line| is_one_line_arm(line)).count();
            if body.len() - arms > MAX_FUNCTION_LINES {
                breaches.push(format!("{path}:{}: `{name}` has {} lines", start + 1, body.len()));
            }
        }
    }
    breaches
}

/// The name of the function that starts on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().peekable();
    while words.next_if(|word| *word != "fn" && is_modifier(word)).is_some() {}
    if words.next() != Some("fn") {
        return None;
    }
    words.next()?.split(['(', '<']).next()
}

fn is_modifier(word: &str) -> bool {
    ["pub", "const", "async", "unsafe", "extern"].contains(&word) || word.starts_with("pub(")
}

/// The lines of a function up to the brace that closes it, which rustfmt puts at its indentation.
fn body_of<'a>(lines: &'a [&'a str], start: usize) -> &'a [&'a str] {
    let indent = lines[start].len() - lines[start].trim_start().len();
    let closes = |line: &&str| {
        let at = line.len() - line.trim_start().len();
        at == indent && line.trim_start().starts_with('}')
    };
    let has_no_body = lines[start].ends_with(';') || lines[start].ends_with('}');
    if has_no_body {
        return &lines[start..=start];
    }
    let length = lines[start..].iter().position(closes).map_or(1, |end| end + 1);
    &lines[start..start + length]
}

fn is_one_line_arm(line: &str) -> bool {
    let line = line.trim();
    // An alternative of an or-pattern belongs to its arm.
    line.starts_with("| ")
        || line.contains(" => ")
            && (line.ends_with(',') || line.ends_with('}'))
            && !line.ends_with("{")
}

/// Words that mark unfinished work. This file has to spell them without containing them.
pub fn leftovers(repository: &Repository) -> Vec<String> {
    let words =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("dbg", "!(")];
    grep(repository, &words, |path| path.ends_with(".rs") || path.ends_with(".pull"))
}

/// Absolute paths of somebody's machine.
pub fn machine_paths(repository: &Repository) -> Vec<String> {
    let words = [concat!("/wo", "rk/"), concat!("/tm", "p/"), concat!("/ho", "me/")];
    grep(repository, &words, |_| true)
}

/// What invents a type or a value where one is missing. Whoever promised it has a bug, which must be told
/// (`pullback_base::bug`) and not end in a wrong number.
const INVENTIONS: [&str; 9] = [
    "unwrap_or_else(Type::unit)",
    "unwrap_or(Type::unit())",
    "unwrap_or(Ty::Error)",
    "unwrap_or(&Ty::Error)",
    "unwrap_or(u16::MAX)",
    "unwrap_or(u32::MAX)",
    "unwrap_or(usize::MAX)",
    "components().unwrap_or_default()",
    "as_tuple().unwrap_or_default()",
];

/// What invents a value, or anything of a type that has a default. In engines `()` is the structural zero.
const DEFAULTS: [&str; 3] =
    ["unwrap_or(Value::Unit)", "unwrap_or(&Value::Unit)", "unwrap_or_default()"];

/// What leaves a pass without a word, so that a cotangent is lost or a term stays as it was.
const SILENT_RETURNS: [&str; 2] = ["else { return }", "else { return; }"];

/// Fallbacks in the crates between the parser and the command, and silent returns in the engines. In the
/// front end something may be missing, but then it has been reported, and the code says so.
pub fn fallbacks(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in repository.rust() {
        let inside = |name: &&str| path.starts_with(&format!("crates/{name}/src/"));
        if [
            "data", "engine", "engines", "eval", "lambda", "prim", "reduce", "session", "tools",
            "types",
        ]
        .iter()
        .any(inside)
        {
            breaches.extend(patterns(path, text, &INVENTIONS));
        }
        if ["data", "eval", "lambda", "prim", "reduce", "session", "syntax", "tools", "types"]
            .iter()
            .any(inside)
        {
            breaches.extend(patterns(path, text, &DEFAULTS));
        }
        if inside(&"engines") {
            breaches.extend(patterns(path, text, &SILENT_RETURNS));
        }
    }
    breaches
}

/// Where a text has one of some patterns, however rustfmt has broken it into lines.
fn patterns(path: &str, text: &str, wanted: &[&str]) -> Vec<String> {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let lines: Vec<String> = text.lines().map(dense).collect();
    let wanted: Vec<String> = wanted.iter().map(|pattern| dense(pattern)).collect();
    let mut breaches = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        // A pattern begins on this line and may go on for two more.
        let after = lines[number..].iter().take(3).cloned().collect::<String>();
        for pattern in &wanted {
            if after.find(pattern.as_str()).is_some_and(|start| start < line.len()) {
                breaches.push(format!("{path}:{}: has `{pattern}`", number + 1));
            }
        }
    }
    breaches
}

fn grep(repository: &Repository, words: &[&str], wanted: fn(&str) -> bool) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in repository.files.iter().filter(|(path, _)| wanted(path)) {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                breaches.push(format!("{path}:{}: contains `{word}`", number + 1));
            }
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fallbacks_are_found_across_lines() {
        let text = "fn f() {\n    let Some(x) = y\n    else {\n        return;\n    };\n    let t = a.unwrap_or_else(Type::unit);\n    let u = a\n        .components()\n        .unwrap_or_default();\n}\n";
        assert_eq!(patterns("a.rs", text, &SILENT_RETURNS), ["a.rs:3: has `else{return;}`"]);
        let invented = [
            "a.rs:6: has `unwrap_or_else(Type::unit)`",
            "a.rs:8: has `components().unwrap_or_default()`",
        ];
        assert_eq!(patterns("a.rs", text, &INVENTIONS), invented);
        assert_eq!(patterns("a.rs", "if a { b } else { return c; }", &SILENT_RETURNS), [""; 0]);
    }

    #[test]
    fn functions_are_found_with_their_bodies() {
        let text = "impl A {\n    pub(crate) fn f<T>(x: T) -> T\n    where\n        T: Copy,\n    {\n        x\n    }\n}\n";
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(function_name(lines[1]), Some("f"));
        assert_eq!(body_of(&lines, 1).len(), 6);
        assert_eq!(function_name("let fn_name = 1;"), None);
    }
}
