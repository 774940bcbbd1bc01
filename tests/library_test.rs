//! Every function of the standard library against the oracle.
//!
//! `tests/library/of_MODULE.pull` covers `lib/MODULE.pull`. For a library function `f` it defines
//! `of_f`, a function of one argument that calls `f` at concrete types (with standard arguments where
//! `f` takes functions), and `at_f`, an array or tuple of points; `of_f'NAME` and `at_f'NAME` are
//! further ways to call it. The engines that run in the evaluator are compared with the oracle there
//! (`tests/questions.rs`).
//!
//! The documented definitions are read off the library's syntax tree: one that is neither covered nor
//! excused by a line `-- not f: reason` is a failure, and so is an excuse for nothing. The files'
//! expectations hold the edge points, where a convention decides.

use std::path::{Path, PathBuf};

use pullback_base::{FileId, Style, render};
use pullback_oracle::Contender;
use pullback_session::{Disk, Query, Settings};
use pullback_suite::{
    Questions, Random, Wrong, asks_for_all, contenders, corpus, deep, engines_for, rendered, root,
    ways,
};
use pullback_syntax::ast::{CommentKind, ItemKind};
use pullback_tools::test;

/// How many directions at each point: `DIRECTIONS=4` tries more.
fn directions() -> usize {
    std::env::var("DIRECTIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// What a line may take on an engine that transforms programs: solvers take minutes on some of them. `cargo xtask suite`
/// gives more.
const STEPS: u64 = 500_000;

/// The documented definitions of a module of the library.
fn exported(module: &str) -> Vec<String> {
    let path = root().join("lib").join(format!("{module}.pull"));
    let text = std::fs::read_to_string(path).expect("the library can be read");
    let tree = pullback_syntax::parse(&text, FileId(0)).module;
    let documented = tree.items.iter().filter(|item| !item.doc.is_empty());
    documented
        .filter_map(|item| {
            if let ItemKind::Def(def) = &item.kind { Some(def.name.node.to_string()) } else { None }
        })
        .collect()
}

/// What covers a module: the text, and which functions it excuses.
struct Coverage {
    path: PathBuf,
    text: String,
    excused: Vec<String>,
    /// The names after `of_`, in order.
    ways: Vec<String>,
}

fn coverage(module: &str) -> Coverage {
    let path = root().join("tests/library").join(format!("of_{module}.pull"));
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let after = |line: &str, mark: &str, end: &str| {
        Some(line.strip_prefix(mark)?.split_once(end)?.0.trim().to_owned())
    };
    let excused = text.lines().filter_map(|line| after(line, "-- not ", ":")).collect();
    let ways = ways(&text);
    Coverage { path, text, excused, ways }
}

/// The function that a way of calling is for.
fn function_of(way: &str) -> &str {
    way.split('\'').next().unwrap_or(way)
}

/// The engines that run inside the evaluator: those that take the whole language.
fn engines() -> Vec<Contender> {
    contenders().into_iter().filter(|contender| !contender.costly).collect()
}

/// Everything wrong with a module's coverage.
fn problems(module: &str, minimum: u64) -> Vec<String> {
    let (names, coverage) = (exported(module), coverage(module));
    let mut problems = Vec::new();
    for name in &names {
        let covered = coverage.ways.iter().any(|way| function_of(way) == name);
        let excused = coverage.excused.contains(name);
        if covered == excused {
            problems.push(format!(
                "lib/{module}.pull: `{name}` is neither covered nor excused, or both"
            ));
        }
    }
    let stated = coverage.ways.iter().map(|way| function_of(way));
    for name in stated.chain(coverage.excused.iter().map(String::as_str)) {
        if !names.iter().any(|known| known == name) {
            problems.push(format!("lib/{module}.pull documents no `{name}`"));
        }
    }
    let questions = match Questions::new(&coverage.path, &coverage.text) {
        Ok(questions) => questions,
        Err(told) => return vec![told],
    };
    let directions = directions();
    let engines: Vec<_> = engines().iter().map(|engine| questions.ask(engine)).collect();
    let mut checks = 0;
    for (place, way) in coverage.ways.iter().enumerate() {
        let points = match questions.points(way) {
            Ok(points) => points,
            Err(told) => {
                problems.push(format!("{module}.{way}: {told}"));
                continue;
            }
        };
        for point in &points {
            for (turn, engine) in engines.iter().enumerate() {
                // To compile second derivatives takes longest: each engine has its turn.
                let second = asks_for_all() || place % engines.len() == turn;
                let mut random = Random(checks);
                for _ in 0..directions {
                    checks += 1;
                    if let Err(wrong) = questions.check(engine, way, point, &mut random, second) {
                        let name = &engine.name;
                        problems.push(format!("{module}.{way} on {name} at {point:?}: {wrong:?}"));
                        break;
                    }
                }
            }
        }
    }
    let mut query = Query::new(&Disk, engines_for(&coverage.path));
    let settings = Settings { steps: Some(STEPS), ..Settings::default() };
    match test(&mut query, &coverage.path, &settings) {
        Ok(report) => problems.extend(
            report.failed.iter().map(|it| render(&query.sources, &it.diagnostic(), Style::Plain)),
        ),
        Err(_) => problems.push(rendered(&query, &query.diagnostics)),
    }
    if checks < minimum {
        problems.push(format!("{module}: only {checks} checks"));
    }
    problems
}

/// Modules, each with the least number of checks that it takes: a test for each.
macro_rules! modules {
    ($($module:ident $minimum:literal)*) => {
        const MODULES: &[&str] = &[$(stringify!($module)),*];

        mod has_the_derivatives_of_the_oracle {
            $(#[test]
            fn $module() {
                super::has_the_derivatives_of_the_oracle(stringify!($module), $minimum);
            })*
        }
    };
}

modules! {
    array 75
    complex 100
    constrained 0
    dae 1
    distributions 50
    implicit 12
    interpolate 30
    krylov 4
    lie 100
    linalg 100
    list 40
    math 125
    nn 50
    ode 20
    optim 50
    option 25
    prelude 225
    quadrature 4
    random 6
    root 8
    rosenbrock 1
    sample 4
    sde 30
    signal 50
    sparse 25
    special 30
    stats 100
    tree 25
}

#[test]
fn every_module_is_known() {
    for path in corpus(&["lib"], "pull") {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        assert!(MODULES.contains(&stem), "{stem}");
    }
}

/// Everything documented shows how it is used, as a tested expectation beside its documentation.
#[test]
fn every_documented_definition_has_an_example() {
    for module in MODULES {
        let path = root().join("lib").join(format!("{module}.pull"));
        let text = std::fs::read_to_string(path).expect("the library can be read");
        let tree = pullback_syntax::parse(&text, FileId(0)).module;
        let mut before = 0;
        for item in &tree.items {
            let between = before..item.span.lo;
            before = item.span.hi;
            if let ItemKind::Def(def) = &item.kind
                && !item.doc.is_empty()
            {
                let shown = tree.comments.iter().any(|comment| {
                    comment.kind == CommentKind::Expectation && between.contains(&comment.span.lo)
                });
                assert!(shown, "lib/{module}.pull: `{}` has no example", def.name.node);
            }
        }
    }
}

/// What is documented says its types and ends its sentences; what is not is for its own module only.
#[test]
fn every_definition_that_others_use_is_documented_with_its_types() {
    let mut private = vec![];
    for module in MODULES {
        let path = root().join("lib").join(format!("{module}.pull"));
        let text = std::fs::read_to_string(path).expect("the library can be read");
        for item in pullback_syntax::parse(&text, FileId(0)).module.items {
            let ItemKind::Def(def) = &item.kind else { continue };
            let name = &def.name.node;
            if item.doc.is_empty() {
                private.push((*module, name.to_string()));
                continue;
            }
            let typed = def.params.iter().all(|param| param.ty.is_some()) && def.result.is_some();
            assert!(typed, "lib/{module}.pull: `{name}` does not say its types");
            let ended = item.doc.ends_with(['.', ')', '…']);
            assert!(ended, "lib/{module}.pull: the comment of `{name}` does not end a sentence");
        }
    }
    assert!(private.len() > 20, "only {private:?}");
    for path in corpus(&["lib", "examples", "tests/run", "tests/ad"], "pull") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for item in pullback_syntax::parse(&text, FileId(0)).module.items {
            let ItemKind::Import(import) = item.kind else { continue };
            let alias =
                import.alias.map_or(import.path.node.clone(), |alias| alias.node.to_string());
            for (_, name) in private.iter().filter(|(module, _)| *module == import.path.node) {
                let used = text.contains(&format!("{alias}.{name} "));
                assert!(!used, "{}: `{alias}.{name}` is not documented", path.display());
            }
        }
    }
}

fn has_the_derivatives_of_the_oracle(module: &str, minimum: u64) {
    let problems = deep(|| problems(module, minimum)).expect("the library can be asked");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A wrong rule is found: the derivative of a square by a rule that says 3x.
#[test]
fn a_wrong_rule_is_found() {
    let text = "def of_wrong (x: Real): Real = \
                custom_jvp (\\x -> x * x) (\\x dx -> (x * x, 3.0 * x * dx)) x\n\
                def at_wrong: [1]Real = [2.0]\n";
    let told = deep(|| {
        let questions = Questions::new(Path::new("wrong.pull"), text)?;
        let point = questions.points("wrong")?.remove(0);
        let engine = questions.ask(&engines()[0]);
        Ok::<_, String>(questions.check(&engine, "wrong", &point, &mut Random(1), true))
    });
    let wrong = told.and_then(|told| told).expect("a question");
    assert!(matches!(wrong, Err(Wrong::Answer(why)) if why.contains("derivative")));
}
