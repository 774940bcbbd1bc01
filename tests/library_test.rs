//! Every function of the standard library against the oracle.
//!
//! `tests/library/of_MODULE.pull` covers `lib/MODULE.pull`. For a library function `f` it defines
//! `of_f`, a function of one argument that calls `f` at concrete types (with standard arguments where
//! `f` takes functions), and `at_f`, an array or tuple of points; `of_f'NAME` and `at_f'NAME` are
//! further ways to call it. At every point, along random directions, value, first and second
//! derivatives of every engine (forward, reverse and the four mixtures) must be the oracle's, which
//! evaluates the calculus over Taylor series and complex numbers, knows no rule of differentiation,
//! and evaluates a function with a custom rule as the function alone. Where the function itself takes
//! derivatives, which the oracle cannot, differences of values stand in.
//!
//! The documented definitions are read off the library's syntax tree: one that is neither covered nor
//! excused by a line `-- not f: reason` is a failure, and so is an excuse for nothing. The files'
//! expectations hold the edge points, where a convention decides.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use pullback_base::{FileId, SourceMap, Style, render};
use pullback_driver::{Call, Disk, Memory, Session, Settings, show, test};
use pullback_engines::{ENGINES, How};
use pullback_eval::{Engine, Image, Machine, Options, compile};
use pullback_lambda::{DefId, Program};
use pullback_oracle::{
    Data, ErrorKind, difference_quotients, eval_f64, jvp_complex_step, of_value, taylor, to_value,
};
use pullback_suite::{corpus, deep, root};
use pullback_syntax::ast::{CommentKind, ItemKind};

/// How far derivatives may be from the oracle's, beside their size.
const TOLERANCE: f64 = 1e-9;
/// The same where the oracle can only take differences.
const DIFFERENCE_TOLERANCE: f64 = 1e-6;
/// How many directions at each point.
const DIRECTIONS: usize = 2;

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
    let ways = text.lines().filter_map(|line| after(line, "def of_", " ")).collect();
    Coverage { path, text, excused, ways }
}

/// The function that a way of calling is for.
fn function_of(way: &str) -> &str {
    way.split('\'').next().unwrap_or(way)
}

/// A module's ways as a program, with the derivatives that are asked for.
struct Questions {
    program: Program,
    image: Image,
    defs: BTreeMap<String, DefId>,
}

fn questions(coverage: &Coverage) -> Result<Questions, String> {
    let mut text = coverage.text.clone();
    for way in &coverage.ways {
        text.push_str(&format!(
            "
def jvp_{way} p v = jvp of_{way} p v
def rd_{way} p u = rd of_{way} p u
def ff_{way} p v = (jvp (\\q -> (jvp of_{way} q v).1) p v).1
def fr_{way} p u v = (jvp (\\q -> rd of_{way} q u) p v).1
def rf_{way} p u v = rd (\\q -> (jvp of_{way} q v).1) p u
def rr_{way} p u v = rd (\\q -> rd of_{way} q u) p v
"
        ));
    }
    let files = Memory::default().with(&coverage.path, text);
    let mut session = Session::new(&files);
    let call = Call { file: coverage.path.clone(), ..Call::default() };
    let Ok(text) = show(&mut session, &call, "lambda") else {
        return Err(rendered(&session));
    };
    let mut sources = SourceMap::default();
    let file = sources.add("<lambda>", text.clone());
    let program = pullback_lambda::parse(&text, file)
        .map_err(|problem| render(&sources, &problem, Style::Plain))?;
    let image = compile(&program);
    let defs = program.defs.ids().map(|id| (program.defs[id].name.to_string(), id)).collect();
    Ok(Questions { program, image, defs })
}

fn rendered(session: &Session<'_>) -> String {
    let problems = session.diagnostics.iter();
    problems.map(|problem| render(&session.sources, problem, Style::Plain) + "\n").collect()
}

/// Numbers between -1 and 1, none of them near 0, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        x + 0.1 * x.signum()
    }

    /// A random tangent of a value.
    fn tangent(&mut self, at: &Data<f64>) -> Data<f64> {
        let mut all = |items: &[Data<f64>]| items.iter().map(|item| self.tangent(item)).collect();
        match at {
            Data::Tuple(items) => Data::Tuple(all(items)),
            Data::Con(tag, items) => Data::Con(*tag, all(items)),
            Data::Array(items) => Data::Array(all(items)),
            Data::Real(_) => Data::Real(self.next()),
            Data::Int(_) | Data::Bool(_) | Data::Str(_) => Data::Tuple(vec![]),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// What the oracle knows of a function along a direction: its value, and the first and second
/// derivative, with how far off they may be.
struct Truth {
    value: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    tolerance: f64,
}

impl Questions {
    fn def(&self, kind: &str, way: &str) -> Result<DefId, String> {
        let name = format!("{kind}_{way}");
        self.defs.get(&name).copied().ok_or_else(|| format!("`{name}` is missing"))
    }

    fn run(
        &self,
        engine: &Rc<dyn Engine>,
        def: DefId,
        args: &[&Data<f64>],
    ) -> Result<Data<f64>, String> {
        let mut machine = Machine::new(&self.image, engine.clone(), Options::default());
        let told = |diagnostic: &pullback_base::Diagnostic| diagnostic.title.clone();
        let function = machine.global(def).map_err(|fault| told(&fault))?;
        let args = args.iter().map(|arg| to_value(arg)).collect();
        let result = machine.call(function, args).map_err(|fault| told(&fault))?;
        of_value(&result).map_err(|failure| failure.to_string())
    }

    /// The points of a way.
    fn points(&self, way: &str) -> Result<Vec<Data<f64>>, String> {
        let engine = engines().swap_remove(0).1;
        let mut machine = Machine::new(&self.image, engine, Options::default());
        let at = machine.global(self.def("at", way)?).map_err(|fault| fault.title.clone())?;
        let at = of_value(&at).map_err(|failure| failure.to_string())?;
        if let Data::Array(points) | Data::Tuple(points) = at
            && !points.is_empty()
        {
            return Ok(points);
        }
        Err("the points are neither an array nor a tuple".to_owned())
    }

    fn truth(&self, way: &str, point: &Data<f64>, direction: &[f64]) -> Result<Truth, String> {
        let (of, args) = (self.def("of", way)?, std::slice::from_ref(point));
        let series = match taylor(&self.program, of, args, direction, 2) {
            Ok(series) => series,
            Err(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Limit) => {
                return self.differences(way, point, direction);
            }
            Err(error) => return Err(format!("the oracle: {error}")),
        };
        let value = eval_f64(&self.program, of, args).map_err(|error| error.to_string())?.leaves();
        let column = |k: usize, factor: f64| -> Vec<f64> {
            series.iter().map(|coefficients| coefficients[k] * factor).collect()
        };
        let (first, second) = (column(1, 1.0), column(2, 2.0));
        // The oracle's two ways must agree with each other; the complex step is no small step beside
        // numbers that are smaller.
        let tiny = point.leaves().iter().any(|x| *x != 0.0 && x.abs() < 1e-80);
        if let (Ok((_, slopes)), false) =
            (jvp_complex_step(&self.program, of, args, direction), tiny)
        {
            let size = 1e-60 + first.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let apart = first.iter().zip(&slopes).any(|(a, b)| (a - b).abs() > TOLERANCE * size);
            if apart {
                return Err(format!("the oracle's ways differ: {first:?} and {slopes:?}"));
            }
        }
        Ok(Truth { value, first, second, tolerance: TOLERANCE })
    }

    /// The truth by differences, for functions that take derivatives themselves.
    fn differences(
        &self,
        way: &str,
        point: &Data<f64>,
        direction: &[f64],
    ) -> Result<Truth, String> {
        let engine = engines().swap_remove(0).1;
        let moved = |t: f64| {
            let mut components = direction.iter();
            point.map(&mut |x| x + t * components.next().copied().unwrap_or_default())
        };
        let mut components = direction.iter();
        let tangent = Random(0).tangent(point).map(&mut |_| *components.next().unwrap_or(&0.0));
        let (of, jvp) = (self.def("of", way)?, self.def("jvp", way)?);
        let value = self.run(&engine, of, &[point])?.leaves();
        let at = |t: f64| -> Result<Vec<f64>, String> {
            Ok(self.run(&engine, of, &[&moved(t)])?.leaves())
        };
        let slope_at = |t: f64| -> Result<Vec<f64>, String> {
            let pair = self.run(&engine, jvp, &[&moved(t), &tangent])?;
            Ok(parts(&pair)?.1.leaves())
        };
        let first = difference_quotients(at, 0.01)?;
        let second = difference_quotients(slope_at, 0.01)?;
        let numbers = |estimates: Vec<pullback_oracle::Estimate>| {
            estimates.iter().map(|estimate| estimate.value).collect()
        };
        let (first, second) = (numbers(first), numbers(second));
        Ok(Truth { value, first, second, tolerance: DIFFERENCE_TOLERANCE })
    }

    /// Compares an engine with the oracle at a point along two random directions.
    fn check(
        &self,
        engine: &Rc<dyn Engine>,
        way: &str,
        point: &Data<f64>,
        random: &mut Random,
    ) -> Result<(), String> {
        let x_dot = random.tangent(point);
        let direction = x_dot.leaves();
        let truth = self.truth(way, point, &direction)?;
        let run = |kind: &str, args: &[&Data<f64>]| {
            self.run(engine, self.def(kind, way)?, args).map_err(|told| format!("{kind}: {told}"))
        };
        let near = |what: &str, found: &[f64], expected: &[f64]| {
            let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let bound = truth.tolerance * (size + 1e-3);
            let near = found.len() == expected.len()
                && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= bound);
            if near {
                Ok(())
            } else {
                Err(format!("{what} along {direction:?} is {found:?} and should be {expected:?}"))
            }
        };
        let forward = run("jvp", &[point, &x_dot])?;
        let (y, y_dot) = parts(&forward)?;
        near("the value", &y.leaves(), &truth.value)?;
        near("the derivative", &y_dot.leaves(), &truth.first)?;
        let u = random.tangent(y);
        let weights = u.leaves();
        let x_bar = run("rd", &[point, &u])?.leaves();
        let first: Vec<f64> = products(&weights, &truth.first);
        let second: Vec<f64> = products(&weights, &truth.second);
        adjoint("reverse", dot(&x_bar, &direction), &first, truth.tolerance)?;
        near("the second derivative", &run("ff", &[point, &x_dot])?.leaves(), &truth.second)?;
        for (kind, args) in
            [("fr", [point, &u, &x_dot]), ("rf", [point, &u, &x_dot]), ("rr", [point, &u, &x_dot])]
        {
            let covector = run(kind, &args)?.leaves();
            adjoint(kind, dot(&covector, &direction), &second, truth.tolerance)?;
        }
        Ok(())
    }
}

fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x * y).collect()
}

/// A number against the sum of some terms, on the scale of the terms.
fn adjoint(what: &str, found: f64, terms: &[f64], tolerance: f64) -> Result<(), String> {
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    let expected: f64 = terms.iter().sum();
    if (found - expected).abs() <= 10.0 * tolerance * (size + 1e-3) {
        Ok(())
    } else {
        Err(format!("{what}: the pairing is {found} and should be {expected}"))
    }
}

/// The parts of a pair.
fn parts(pair: &Data<f64>) -> Result<(&Data<f64>, &Data<f64>), String> {
    if let Data::Tuple(items) = pair
        && let [first, second] = items.as_slice()
    {
        return Ok((first, second));
    }
    Err("no pair".to_owned())
}

/// The engines that run inside the evaluator: those that take the whole language.
fn engines() -> Vec<(&'static str, Rc<dyn Engine>)> {
    let runtime = |engine: &pullback_engines::EngineInfo| {
        if let How::Runtime(make) = engine.how { Some((engine.name, make())) } else { None }
    };
    ENGINES.iter().filter_map(runtime).collect()
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
    let questions = match questions(&coverage) {
        Ok(questions) => questions,
        Err(told) => return vec![told],
    };
    let mut checks = 0;
    for way in &coverage.ways {
        let points = match questions.points(way) {
            Ok(points) => points,
            Err(told) => {
                problems.push(format!("{module}.{way}: {told}"));
                continue;
            }
        };
        for point in &points {
            for (name, engine) in engines() {
                let mut random = Random(checks);
                for _ in 0..DIRECTIONS {
                    checks += 1;
                    if let Err(told) = questions.check(&engine, way, point, &mut random) {
                        problems.push(format!("{module}.{way} on {name} at {point:?}: {told}"));
                        break;
                    }
                }
            }
        }
    }
    let mut session = Session::new(&Disk);
    match test(&mut session, &coverage.path, &Settings::default()) {
        Ok(report) => problems.extend(
            report.failed.iter().map(|it| render(&session.sources, &it.diagnostic(), Style::Plain)),
        ),
        Err(_) => problems.push(rendered(&session)),
    }
    if checks < minimum {
        problems.push(format!("{module}: only {checks} checks"));
    }
    problems
}

/// Every module, and the least number of checks that it takes.
const MODULES: &[(&str, u64)] = &[
    ("implicit", 24),
    ("linalg", 120),
    ("list", 80),
    ("math", 250),
    ("ode", 24),
    ("optim", 24),
    ("option", 50),
    ("prelude", 450),
    ("random", 12),
    ("root", 16),
    ("stats", 180),
    ("tree", 50),
];

#[test]
fn every_module_is_known() {
    for path in corpus(&["lib"], "pull") {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        assert!(MODULES.iter().any(|(module, _)| *module == stem), "{stem}");
    }
}

/// Everything documented shows how it is used, as a tested expectation beside its documentation.
#[test]
fn every_documented_definition_has_an_example() {
    for (module, _) in MODULES {
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

#[test]
fn every_function_has_the_derivatives_of_the_oracle() {
    let found = deep(|| {
        let all = MODULES.iter().flat_map(|(module, minimum)| problems(module, *minimum));
        all.collect::<Vec<_>>()
    });
    let found = found.expect("the library can be asked");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A wrong rule is found: the derivative of a square by a rule that says 3x.
#[test]
fn a_wrong_rule_is_found() {
    let text = "def of_wrong (x: Real): Real = \
                custom_jvp (\\x -> x * x) (\\x dx -> (x * x, 3.0 * x * dx)) x\n\
                def at_wrong: [1]Real = [2.0]\n";
    let coverage = Coverage {
        path: PathBuf::from("wrong.pull"),
        text: text.to_owned(),
        excused: vec![],
        ways: vec!["wrong".to_owned()],
    };
    let told = deep(|| {
        let questions = questions(&coverage)?;
        let point = questions.points("wrong")?.remove(0);
        questions.check(&engines().swap_remove(0).1, "wrong", &point, &mut Random(1))
    });
    assert!(told.is_ok_and(|told| told.is_err_and(|why| why.contains("derivative"))));
}
