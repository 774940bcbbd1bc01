//! What the transforming engines share: specialisation keeps the meaning and makes functions known.

use crate::support::deep;
use crate::support::source::{expectations, files, source, value};
use pullback_engines::{ENGINES, engine_named};
use pullback_eval::{Value, equal};
use pullback_lambda::{DefId, ExprKind, Program, Stage, is_first_order, verify};
use pullback_reduce::specialise;

fn show(result: &Result<Value, Box<pullback_base::Diagnostic>>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(diagnostic) => format!("{} {}", diagnostic.code, diagnostic.title),
    }
}

/// Every definition evaluates to the same before and after, errors included.
fn same_before_and_after(program: &Program, defs: &[DefId], place: &str) {
    let engine = &ENGINES[0];
    for &def in defs {
        let before = value(engine, program, def);
        let (specialised, def) = specialise(program, def);
        if let Err(problems) = verify(&specialised, Stage::Any) {
            panic!("{place}: {problems:?}");
        }
        let after = value(engine, &specialised, def);
        let same = match (&before, &after) {
            (Ok(a), Ok(b)) => equal(a, b),
            (Err(a), Err(b)) => a.code == b.code && a.title == b.title,
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        // The limits of memory are met at other depths.
        let limited = matches!(&before, Err(fault) if ["E0709", "E0710"].contains(&fault.code));
        assert!(same || limited, "{place}\nbefore {}\nafter {}", show(&before), show(&after));
    }
}

/// Checks one file in `step` of a folder.
fn check_folder(folder: &str, step: usize) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<_> = std::fs::read_dir(root.join(folder))
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let mut checked = 0;
    for path in paths.into_iter().step_by(step) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if text.contains("\nimport ") || text.starts_with("import ") || stem == "runtime_resources"
        {
            continue;
        }
        let (text, names) = expectations(&text);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (program, defs) = files(&[(stem, &text)], &names);
        checked += defs.len();
        same_before_and_after(&program, &defs, &path.display().to_string());
    }
    assert!(checked > 50, "{folder}: {checked}");
}

#[test]
fn specialisation_keeps_the_meaning_of_the_suite() {
    deep(|| check_folder("tests/run", 1));
}

#[test]
fn specialisation_keeps_the_meaning_of_the_library() {
    deep(|| check_folder("lib", 1));
}

#[test]
fn specialisation_keeps_derivatives() {
    deep(|| check_folder("tests/ad", 9));
}

/// What a definition reaches binds no variable of function type and calls no unknown function.
fn first_order(program: &Program, def: DefId) -> Result<(), String> {
    let mut todo = vec![def];
    let mut seen = vec![];
    while let Some(def) = todo.pop() {
        if seen.contains(&def) {
            continue;
        }
        seen.push(def);
        todo.extend(program.defs[def].body.globals());
        let mut obstacle = None;
        program.defs[def].body.visit(&mut |expr| {
            for var in expr.binders() {
                if !is_first_order(&program.datas, &program.vars[var].ty) {
                    obstacle.get_or_insert(program.vars[var].name.to_string());
                }
            }
            if let ExprKind::App(function, _) = &expr.kind
                && !matches!(function.kind, ExprKind::Global(_))
            {
                obstacle.get_or_insert("an unknown function".to_owned());
            }
        });
        if let Some(obstacle) = obstacle {
            return Err(format!("{}: {obstacle}\n{}", program.defs[def].name, program.print()));
        }
    }
    Ok(())
}

#[test]
fn functions_become_known() {
    let text = "
def twice f x = f (f x)
def choose b = if b then sin else cos
def folded (xs: []Real) = fold (\\acc x -> acc * x + 1.0) 0.0 xs
def through (x: Real) = twice (twice (\\y -> y * x)) x
def chosen (x: Real) = choose (x > 0.0) x
def local (x: Real) = let rec go n acc = if n == 0 then acc else go (n - 1) (acc * x) in go 3 1.0
def mapped (xs: []Real) = sum (map2 (\\a b -> a * b) (map exp xs) (scan (+) 0.0 xs))
def pairs (x: Real) = let p = (\\y -> y + x, 2.0) in p.0 p.1
def partial (x: Real) = let add a b = a + b in sum (map (add x) [1.0, 2.0])
def arranged (xs: []Real) = sum (sort xs) + maximum xs
";
    let names = ["folded", "through", "chosen", "local", "mapped", "pairs", "partial", "arranged"];
    let (program, defs) = source(text, &names);
    for (name, def) in names.iter().zip(defs) {
        let (specialised, def) = specialise(&program, def);
        verify(&specialised, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
        if let Err(why) = first_order(&specialised, def) {
            // Rules of differentiation are functions by nature.
            assert!(*name == "arranged", "{name}: {why}");
        }
    }
}

#[test]
fn chains_of_functions_grow_linearly() {
    let sizes: Vec<usize> = [10, 20, 40]
        .iter()
        .map(|count| {
            let mut text = "def f0 (x: Real) = x * 0.5 + 1.0\n".to_owned();
            let mut chain = "let g0 = \\(x: Real) -> x * 0.5 + 1.0 in\n".to_owned();
            for n in 1..=*count {
                chain += &format!("let g{n} = compose g{m} g{m} in\n", m = n - 1);
            }
            text += &format!("def main (x: Real) = {chain} if x > 0.0 then x else g{count} x\n");
            text += "def value = main 1.0";
            let (program, defs) = source(&text, &["main", "value"]);
            same_before_and_after(&program, &defs[1..], "a chain");
            let (specialised, def) = specialise(&program, defs[0]);
            let mut seen = vec![def];
            let mut next = 0;
            let mut size = 0;
            while next < seen.len() {
                size += specialised.defs[seen[next]].body.size();
                for callee in specialised.defs[seen[next]].body.globals() {
                    if !seen.contains(&callee) {
                        seen.push(callee);
                    }
                }
                next += 1;
            }
            size
        })
        .collect();
    assert!(sizes[2] < 40_000, "{sizes:?}");
    assert!(engine_named("trace").is_some());
}
