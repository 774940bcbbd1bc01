//! Every function of the standard library on every empty shape against NumPy's answers.
//!
//! `tests/library/empty_shapes.tsv` has a line for each call: the module, the function, the input, the
//! call on the input `x`, and what NumPy 2.4 gave for the same call: kind, sizes and elements, or `error`
//! with the code that the call fails with here. Calls that NumPy has no function for are recorded by the
//! composition of slices, sums and stacks that defines them. In both, `v n`, `m n k` and `c n k l` are
//! arrays of these sizes with the elements 1, 2, 3, … in row-major order.
//!
//! The tangent of a result has its sizes, and the cotangent of an input those of the input: that is
//! tested for the same calls on the engines that run while the program does. The engines that transform
//! programs, which take a second for each, have `tests/run/empty_shapes.pull`.
//!
//! A documented function with an array in its declaration that has no line is a failure.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use pullback_base::{FileId, Style, render};
use pullback_engines::REGISTRY;
use pullback_session::{Memory, Query, Settings};
use pullback_suite::{deep, root};
use pullback_syntax::ast::ItemKind;
use pullback_tools::test;

const MODULES: [(&str, &str); 20] = [
    ("prelude", ""),
    ("linalg", "la"),
    ("stats", "st"),
    ("math", "ma"),
    ("list", "li"),
    ("option", "op"),
    ("tree", "tr"),
    ("random", "ra"),
    ("optim", "om"),
    ("ode", "od"),
    ("root", "ro"),
    ("implicit", "im"),
    ("krylov", "kr"),
    ("distributions", "di"),
    ("array", "ar"),
    ("signal", "si"),
    ("interpolate", "it"),
    ("quadrature", "qu"),
    ("sparse", "sp"),
    ("nn", "nn"),
];

const INPUTS: &str = r"
def v (n: Int): [n]Real = [ 1.0 + real i | i < n ]
def m (n: Int) (k: Int): [n][k]Real = [ 1.0 + real (k * i + j) | i < n, j < k ]
def c (n: Int) (k: Int) (l: Int): [n][k][l]Real =
  [ 1.0 + real (l * (k * h + i) + j) | h < n, i < k, j < l ]
def total1 (x: []Real): Real = sum x
def total2 (x: [][]Real): Real = sum (flatten x)
def total3 (x: [][][]Real): Real = sum (flatten (flatten x))
def shape1 [n] (x: [n]a): []Int = [n]
def shape2 [n] [m] (x: [n][m]a): []Int = [n, m]
def shape3 [n] [m] [k] (x: [n][m][k]a): []Int = [n, m, k]
def shape4 [n] [m] [k] [l] (x: [n][m][k][l]a): []Int = [n, m, k, l]
def flat1 (x: []a): []a = x
def flat2 (x: [][]a): []a = flatten x
def flat3 (x: [][][]a): []a = flatten (flatten x)
def flat4 (x: [][][][]a): []a = flatten (flatten (flatten x))
";

/// A line of the table.
struct Line {
    module: String,
    function: String,
    /// The input, if the call has one.
    input: Option<String>,
    call: String,
    kind: String,
    /// The sizes, none for a scalar.
    sizes: Vec<String>,
    elements: Vec<String>,
}

fn table() -> Result<Vec<Line>, String> {
    let path = root().join("tests/library/empty_shapes.tsv");
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let words = |cell: &str, between: char| {
        cell.split(between).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [module, function, input, call, answer, elements] = cells[..] else {
            return Err(format!("six cells are needed: {line}"));
        };
        let (kind, sizes) = answer.split_once(' ').unwrap_or((answer, ""));
        Ok(Line {
            module: module.to_owned(),
            function: function.to_owned(),
            input: (input != "-").then(|| input.to_owned()),
            call: call.to_owned(),
            kind: kind.to_owned(),
            sizes: words(sizes, 'x'),
            elements: words(elements, ' '),
        })
    };
    text.lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

impl Line {
    /// `term`, with the input for `x`.
    fn applied(&self, term: &str) -> String {
        self.input
            .as_ref()
            .map_or_else(|| format!("({term})"), |x| format!("(let x = {x} in {term})"))
    }

    /// What must hold of the value.
    fn value(&self) -> String {
        let call = self.applied(&self.call);
        if self.kind == "error" {
            return format!("--@ {call} fails {}\n", self.elements.join(" "));
        }
        let sign = if self.kind == "Real" { "~=" } else { "=" };
        let elements = self.elements.join(", ");
        if self.sizes.is_empty() {
            return format!("--@ {call} {sign} {elements}\n");
        }
        let rank = self.sizes.len();
        let shape = format!("--@ shape{rank} {call} = [{}]\n", self.sizes.join(", "));
        if elements.is_empty() {
            return shape;
        }
        format!("{shape}--@ flat{rank} {call} {sign} [{elements}]\n")
    }

    /// What must hold of tangent and cotangent, if the result is an array of Reals.
    fn derivatives(&self) -> String {
        let Some(input) = self.input.as_ref().filter(|_| self.kind == "Real") else {
            return String::new();
        };
        if self.sizes.is_empty() {
            return String::new();
        }
        let inputs: Vec<&str> = input.trim_matches(['(', ')']).split(' ').skip(1).collect();
        let function = format!("(\\x -> {})", self.call);
        let tangent = self.applied(&format!("(jvp {function} x x).1"));
        let pulled = format!("(let r = vjp {function} x in r.1 (zeros r.0))");
        let cotangent = self.applied(&pulled);
        format!(
            "--@ shape{} {tangent} = [{}]\n--@ shape{} {cotangent} = [{}]\n",
            self.sizes.len(),
            self.sizes.join(", "),
            inputs.len(),
            inputs.join(", "),
        )
    }
}

/// Holds expectations on an engine.
fn hold(expectations: &str, engine: &str) -> Result<(), String> {
    let mut text = String::new();
    for (module, short) in MODULES.iter().skip(1) {
        writeln!(text, "import \"{module}\" as {short}").map_err(|error| error.to_string())?;
    }
    text.push_str(INPUTS);
    text.push_str(expectations);
    let path = Path::new("empty_shapes.pull");
    let files = Memory::default().with(path, text);
    let mut query = Query::new(&files, REGISTRY);
    let settings = Settings { engine: Some(engine.to_owned()), ..Settings::default() };
    let report = test(&mut query, path, &settings);
    let told = match &report {
        Ok(report) => report.failed.iter().map(|failure| failure.diagnostic()).collect(),
        Err(_) => query.diagnostics.clone(),
    };
    let told: Vec<String> =
        told.iter().map(|problem| render(&query.sources, problem, Style::Plain)).collect();
    if told.is_empty() { Ok(()) } else { Err(format!("{engine}:\n{}", told.join("\n\n"))) }
}

#[test]
fn every_shape_is_numpys() {
    let held = deep(|| hold(&table()?.iter().map(Line::value).collect::<String>(), "trace"));
    assert_eq!(held.and_then(|held| held), Ok(()));
}

#[test]
fn tangents_and_cotangents_have_the_shapes_of_their_primals() {
    let held = deep(|| {
        let expectations: String = table()?.iter().map(Line::derivatives).collect();
        ["trace", "dual", "linear-maps"].iter().try_for_each(|engine| hold(&expectations, engine))
    });
    assert_eq!(held.and_then(|held| held), Ok(()));
}

#[test]
fn every_function_of_arrays_has_a_line() {
    let lines = table().expect("the table can be read");
    let known: BTreeSet<(&str, &str)> =
        lines.iter().map(|line| (line.module.as_str(), line.function.as_str())).collect();
    let mut missing = vec![];
    for (module, _) in MODULES {
        let path = root().join("lib").join(format!("{module}.pull"));
        let text = std::fs::read_to_string(path).expect("the library can be read");
        let tree = pullback_syntax::parse(&text, FileId(0)).module;
        for item in tree.items.iter().filter(|item| !item.doc.is_empty()) {
            let ItemKind::Def(def) = &item.kind else { continue };
            let written = &text[item.span.lo as usize..item.span.hi as usize];
            let declaration = written.split(" =").next().unwrap_or(written);
            if declaration.contains("]") && !known.contains(&(module, def.name.node.as_str())) {
                missing.push(format!("{module}.{}", def.name.node));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}
