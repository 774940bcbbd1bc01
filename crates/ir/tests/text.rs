//! The files of `tests/ir`. A program there keeps the rules and prints as itself. A file of `broken` is a
//! list of cases: `--@ breaks RULE: how` says what the verifier tells of the program after it (with
//! `--@ stage FLAGS` in between), `--@ mistake LINE:COLUMN why` what the parser tells of the text after it.
//! `BLESS=1` rewrites the programs as they print.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pullback_base::{FileId, SourceMap};
use pullback_ir::{Program, RULES, Stage, parse, verify};

fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ir"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn stage(text: &str) -> Stage {
    let flags: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("--@ stage ")).collect();
    let has = |flag: &str| flags.iter().any(|flags| flags.split(' ').any(|known| known == flag));
    Stage { resolved: has("resolved"), linear: has("linear") }
}

/// The program of a text, or its first mistake as `line:column why`.
fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.ir", text);
    parse(text, file).map_err(|problem| {
        let at = sources.line_col(problem.span());
        format!("{}:{} {}", at.line, at.column, problem.labels[0].text)
    })
}

#[test]
fn programs_keep_the_rules_and_print_as_themselves() {
    let files = files(".");
    assert!(files.len() >= 5, "only {} programs", files.len());
    for (path, text) in files {
        let program = read(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        if let Err(breaches) = verify(&program, stage(&text)) {
            let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
            panic!("{}:\n{}", path.display(), breaches.join("\n"));
        }
        let is_head = |line: &&str| line.starts_with("--") || line.is_empty();
        let head: String =
            text.split_inclusive('\n').take_while(|line| is_head(&line.trim_end())).collect();
        let printed = program.print();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, head + &printed).expect("the file can be written");
        } else {
            assert_eq!(printed, text[head.len()..], "{}", path.display());
        }
    }
}

#[test]
fn every_rule_is_broken_by_a_program() {
    let (mut broken, mut failures) = (BTreeSet::new(), vec![]);
    for (path, text) in files("broken") {
        let cases = text.split("--@ breaks ").skip(1);
        for case in cases {
            let (head, code) = case.split_once('\n').expect("a program");
            let (rule, how) = head.split_once(": ").expect("a rule and how it is broken");
            let rule = RULES.iter().find(|known| known.name() == rule).expect("the rule's name");
            let program = read(code).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            let Err(breaches) = verify(&program, stage(code)) else {
                panic!("{}: nothing is wrong with\n{code}", path.display());
            };
            let is_told = breaches.iter().all(|breach| breach.rule == *rule)
                && breaches.iter().any(|breach| breach.text.contains(how));
            if !is_told {
                let told: Vec<_> = breaches.iter().map(ToString::to_string).collect();
                failures.push(format!("{}: {head}\n{}", path.display(), told.join("\n")));
            }
            broken.insert(*rule);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    for rule in RULES {
        assert!(broken.contains(rule), "nothing breaks the rule `{}`", rule.name());
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let (mut count, mut failures) = (0, vec![]);
    for (path, text) in files("broken") {
        for case in text.split("--@ mistake ").skip(1) {
            let (wanted, code) = case.split_once('\n').expect("a text");
            let told = read(code).map(|_| ()).expect_err(code);
            if told != wanted {
                failures.push(format!("{}: {told}\n{code}", path.display()));
            }
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(count >= 10, "only {count} mistakes");
}

/// A source of numbers for tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn mutilated_text_is_read_and_judged_without_panic() {
    const PIECES: [&str; 14] =
        ["", "(", "x.7", "7", " | ", "\"", "`", ".", "[", "{ ", "}", "lin ", "acc ", "yield "];
    let mut numbers = Numbers(1);
    let (mut good, mut bad) = (0, 0);
    for (_, text) in files(".") {
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..400 {
            let mut chars = chars.clone();
            let from = numbers.below(chars.len());
            if let Some(digit) = chars[from..].iter().position(char::is_ascii_digit)
                && numbers.below(2) == 0
            {
                // Another variable, function, tag, dimension or number.
                chars[from + digit] = char::from(b'0' + numbers.below(10) as u8);
            } else {
                let to = (from + 1 + numbers.below(6)).min(chars.len());
                chars.splice(from..to, PIECES[numbers.below(PIECES.len())].chars());
            }
            let mutilated: String = chars.into_iter().collect();
            let Ok(program) = parse(&mutilated, FileId(0)) else {
                bad += 1;
                continue;
            };
            good += 1;
            let _judged = verify(&program, Stage { resolved: true, linear: true });
            let printed = program.print();
            let again = read(&printed).unwrap_or_else(|why| panic!("{why}\n{printed}"));
            assert_eq!(again.print(), printed);
        }
    }
    assert!(good > 200 && bad > 200, "{good} read, {bad} did not");
}

#[test]
fn deep_nesting_is_a_mistake() {
    let text = format!("fn @f.0() {{ {}", "if true { ".repeat(100_000));
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let thread = thread.spawn(move || read(&text).map(|_| ()).expect_err("too deep"));
    let told = thread.expect("threads start").join().expect("no panic");
    assert!(told.contains("nested more than 2000 levels"), "{told}");
}
