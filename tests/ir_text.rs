//! Tests of the IR as text: programs, and cases of what is wrong with one.
//!
//! A program keeps the rules of the verifier and prints as itself; its lines `--@ stage FLAGS` say by which rules it is
//! judged. A file of cases has `--@ breaks RULE: how` before a program, for what the verifier says of it, and
//! `--@ mistake LINE:COLUMN why` before a text, for what the parser says of it.

use std::collections::BTreeSet;

use pullback_base::SourceMap;
use pullback_ir::{Program, RULES, Stage, parse, verify};

const BREAKS: &str = "--@ breaks ";
const MISTAKE: &str = "--@ mistake ";

/// What follows a word after `--@`, if a line says that.
pub fn header<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("--@ ")?.strip_prefix(word)).map(str::trim)
}

/// The program of a text, or its first mistake as `line:column why`.
pub fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ir", text);
    parse(text, file).map_err(|problem| {
        let at = sources.line_col(problem.span());
        let why = problem.labels.first().map_or("", |label| &*label.text);
        format!("{}:{} {why}", at.line, at.column)
    })
}

/// Whether a program keeps the rules of a stage, or which it breaks.
pub fn keeps_rules(program: &Program, stage: Stage) -> Result<(), String> {
    verify(program, stage).map_err(|breaches| {
        let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
        format!("{}\n{}", breaches.join("\n"), program.print())
    })
}

/// The text that the test of a program should be, from the one that it is.
pub fn ir_text_test(text: &str) -> Result<String, String> {
    let is_head = |line: &str| line.starts_with("--") || line.trim().is_empty();
    let head: String = text.split_inclusive('\n').take_while(|line| is_head(line)).collect();
    let program = read(text)?;
    keeps_rules(&program, stage(text))?;
    Ok(head + &program.print())
}

/// Checks a file of cases.
pub fn ir_broken_test(text: &str) -> Result<(), String> {
    let breaches = text.split(BREAKS).skip(1).map(breach);
    let mistakes = text.split(MISTAKE).skip(1).map(mistake);
    let failures: Vec<String> = breaches.chain(mistakes).filter_map(Result::err).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n\n")) }
}

/// The rules that the cases of a text break.
pub fn broken_rules(text: &str) -> BTreeSet<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix(BREAKS)?.split_once(": "));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn breach(case: &str) -> Result<(), String> {
    let (head, code) = case.split_once('\n').ok_or("a case without a program")?;
    let (name, how) = head.split_once(": ").ok_or("a case says what is broken, and how")?;
    let rule = RULES.iter().find(|rule| rule.name() == name);
    let rule = rule.ok_or_else(|| format!("there is no rule `{name}`"))?;
    // Another case may follow, of what the parser tells.
    let code = code.split(MISTAKE).next().unwrap_or_default();
    let Err(breaches) = verify(&read(code)?, stage(code)) else {
        return Err(format!("nothing is wrong with\n{code}"));
    };
    let is_told = breaches.iter().all(|breach| breach.rule == *rule)
        && breaches.iter().any(|breach| breach.text.contains(how));
    if is_told {
        return Ok(());
    }
    let told: Vec<_> = breaches.iter().map(ToString::to_string).collect();
    Err(format!("{head}\n{}", told.join("\n")))
}

fn mistake(case: &str) -> Result<(), String> {
    let (wanted, code) = case.split_once('\n').ok_or("a case without a text")?;
    let code = code.split(BREAKS).next().unwrap_or_default();
    match read(code) {
        Err(told) if told == wanted => Ok(()),
        Err(told) => Err(format!("expected {wanted}, found {told}\n{code}")),
        Ok(_) => Err(format!("expected {wanted}, but this is a program\n{code}")),
    }
}

fn stage(text: &str) -> Stage {
    let flags: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("--@ stage ")).collect();
    let has = |flag: &str| flags.iter().any(|flags| flags.split(' ').any(|other| other == flag));
    Stage { resolved: has("resolved"), linear: has("linear") }
}
