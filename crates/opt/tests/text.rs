//! The files of `tests/opt`: a program, and after `--- becomes` what a pass makes of it.
//!
//! `--@ pass NAME` names the pass, or `all` of them; `--@ roots @f @g` the functions that are called from
//! outside, which are all functions without that line. `BLESS=1` rewrites what becomes of the programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pullback_base::SourceMap;
use pullback_ir::{FuncId, Program, Stage, parse, verify};
use pullback_opt::{Options, PASSES, optimise, pass_named};

const BECOMES: &str = "--- becomes\n";

fn files() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/opt");
    let entries = std::fs::read_dir(&folder).expect("the folder of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn read(name: &str, text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    parse(text, file).unwrap_or_else(|problem| {
        let at = sources.line_col(problem.span());
        panic!("{name}:{}:{} {}", at.line, at.column, problem.labels[0].text)
    })
}

fn check(name: &str, program: &Program) {
    if let Err(breaches) = verify(program, Stage::default()) {
        let breaches: Vec<_> = breaches.iter().map(ToString::to_string).collect();
        panic!("{name}:\n{}\n{}", breaches.join("\n"), program.print());
    }
}

fn header<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix("--@ ")?.strip_prefix(name)).map(str::trim)
}

fn roots(program: &Program, text: &str) -> Vec<FuncId> {
    match header(text, "roots") {
        None => program.funcs.ids().collect(),
        Some(names) => {
            let named = |name: &str| {
                let found =
                    program.funcs.iter_enumerated().find(|(_, func)| func.name.as_str() == name);
                found.unwrap_or_else(|| panic!("no function @{name}")).0
            };
            names.split(" ").map(|name| named(name.trim_start_matches('@'))).collect()
        }
    }
}

#[test]
fn passes_do_what_the_files_say() {
    let (mut covered, mut failures) = (BTreeSet::new(), vec![]);
    for (path, text) in files() {
        let name = path.display().to_string();
        let (before, after) = text.split_once(BECOMES).unwrap_or((&text, ""));
        let mut program = read(&name, before);
        check(&name, &program);
        let mut roots = roots(&program, before);
        let pass = header(before, "pass").expect("the name of a pass");
        if pass == "all" {
            let mut options = Options { verify: true, ..Options::default() };
            program = optimise(program, &mut roots, &mut options);
        } else {
            covered.insert(pass.to_owned());
            let pass = pass_named(pass).expect("a pass of this name");
            (pass.run)(&mut program, &mut roots);
        }
        check(&name, &program);
        let printed = program.print();
        if std::env::var_os("BLESS").is_some() {
            let text = format!("{}\n\n{BECOMES}{printed}", before.trim_end());
            std::fs::write(&path, text).expect("the file can be written");
        } else if printed != after {
            failures.push(format!("{name}\n{printed}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let untested: Vec<_> =
        PASSES.iter().map(|pass| pass.name).filter(|name| !covered.contains(*name)).collect();
    assert!(untested.is_empty(), "no file runs {untested:?}");
}
