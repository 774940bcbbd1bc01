//! Sparse Jacobians and Hessians: patterns, numbers of sweeps and values, against closed forms, the complex step, dense
//! derivatives by another engine, the recorded pattern of GradBench, and random programs.

mod in_language;
mod indices;

use pullback_base::Diagnostic;
use pullback_compile::{Compiled, Mode, Packing, gradient};
use pullback_engine::{BUILT_IN, run};
use pullback_eval::{Options, Value, walk};
use pullback_oracle::{
    Config, Mode as Kind, bytes_of_seed, generate, jvp_complex_step, of_value, to_value,
};
use pullback_session::call::{Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::{Call, Matrix, Memory, Query, Settings, Wanted, jacobian, on_large_stack};
use pullback_sparse::{Dependences, Pattern, Way};

const TEXT: &str = "
import \"linalg\" as la

def tridiagonal [n] (x: [n]Real): [n]Real =
  [ (if i > 0 then x[i - 1] else 0.0) * x[i] + (if i < n - 1 then sin x[i + 1] else 0.0) | i < n ]
def chain [n] (x: [n]Real): Real = sum [ (x[i] * x[i + 1]) ^ 2 + exp x[i] | i < n - 1 ]
def arrow [n] (x: [n]Real): Real = sum [ x[0] * x[i] ^ 2 | i < n ]
def frame [n] (x: [n]Real): [n]Real =
  [ if i == 0 then sum (map exp x) else x[0] * real i | i < n ]
def laplacian [n] [m] (u: [n][m]Real): [n][m]Real =
  let at (i: Int) (j: Int): Real =
    if i < 0 || j < 0 || i >= n || j >= m then 0.0 else u[i][j] in
  [ [ u[i][j] ^ 3 - at (i - 1) j - at (i + 1) j - at i (j - 1) - at i (j + 1) | j < m ] | i < n ]
def prefix [n] (x: [n]Real): [n]Real =
  let start = [ 0.0 | _ < n ] in
  (loop (out, total) = (start, 0.0) for i < n do
    let next = total + x[i] ^ 2 in (out with [i] = next, next)).0
def record (p: { a: Real, u: [3]{ v: Real, k: Int } }) (c: Real): ({ s: Real }, [3]Real) =
  ({ s = p.a * c }, [ e.v * real e.k + c | e <- p.u ])
def solved [n] (b: [n]Real): [n]Real =
  la.solve [ [ if i == j then 2.0 else 0.1 * real (i - j) | j < n ] | i < n ] b
def gathered (x: [4]Real): [6]Real = [ x[(i * i) % 4] * exp x[3] | i < 6 ]
def growing [n] (x: [n]Real): []Real =
  let start: []Real = [] in loop xs = start for i < n do concat xs [x[i] * x[n - 1 - i]]
def sorted [n] (x: [n]Real): [n]Real = [ 2.0 * v | v <- sort x ]
def floors [n] (x: [n]Real): [n]Real = [ floor x[i] + x[0] | i < n ]
def largest [n] (x: [n]Real): [n]Real = [ max x[i] x[0] | i < n ]
def newton [n] (x: [n]Real): [n]Real =
  [ loop y = 1.0 while abs (y * y - a) > 1e-12 do 0.5 * (y + a / y) | a <- x ]
def nothing (x: [0]Real): [0]Real = x
def constant (x: [3]Real): [2]Real = [1.0, 2.0]
def whole (x: Real): (Int, Bool) = (3, true)

type Tree = Leaf Real | Fork Tree Tree
def tree (t: Tree): Real = match t with | Leaf x -> x * x | Fork l r -> tree l * tree r
def leaves (t: Tree): [2]Real = match t with
  | Leaf x -> [x, x * x]
  | Fork l r -> [tree l, tree r]
def shape (x: Real): Tree = Fork (Leaf x) (Leaf 1.0)

def springs [n] (p: [n]{ x: Real, y: Real }): []Real =
  [ (p[i + 1].x - p[i].x) ^ 2 + (p[i + 1].y - p[i].y) ^ 2 | i < n - 1 ]
def squashed [n] (x: [n]Real): [n]Real = scan (\\a b -> tanh (a + b)) 0.5 x
def marked [n] (x: [n]Real): [n]Real =
  loop y = x for i < n / 2 do y with [2 * i] = x[i] * x[n - 1]
def shifted [n] (x: [n]Real): [n]Real =
  let start = [ 0.0 | _ < n ] in
  (loop (out, before) = (start, 1.0) for i < n do (out with [n - 1 - i] = before * x[i], x[i])).0
def table [n] (x: [n]Real): [n][3]Real =
  let start = [ [ 0.0 | _ < 3 ] | _ < n ] in
  loop out = start for i < n - 1 do out with [i + 1] = [ x[i] * real j | j < 3 ]
def looked_back [n] (x: [n]Real): [n]Real =
  loop y = x for i < n - 1 do y with [i + 1] = y[i] * x[i]
def fails [n] (x: [n]Real): [n]Real = [ x[i + 1] | i < n ]
def around [n] (x: [n]Real): [n]Real = [ x[(i + 1) % n] - x[(i + n - 1) % n] | i < n ]
def wrapped [n] (x: [n]Real): [n]Real =
  [ let j = if i == 0 then n - 1 else i - 1 in let k = if i == n - 1 then 0 else i + 1 in x[j] * x[k] | i < n ]
def clamped [n] (x: [n]Real): [n]Real = [ x[max 0 (i - 2)] * x[min (n - 1) (i + 1)] | i < n ]
def halves [n] (x: [n]Real): []Real = [ x[2 * i] + x[2 * i + 1] | i < n / 2 ]
def flat [n] [m] (x: [n][m]Real): []Real = let y = flatten x in [ y[i] * y[i + 1] | i < n * m - 1 ]
def transposed [n] [m] (x: [n][m]Real): [m][n]Real = [ [ x[i][j] ^ 2 | i < n ] | j < m ]
def banded [n] (x: [n]Real): [n]Real = [ sum [ if i - j <= 2 && j - i <= 2 then x[j] else 0.0 | j < n ] | i < n ]
def window [n] (x: [n]Real): []Real = [ sum [ x[i + k] * real k | k < 4 ] | i < n - 3 ]
def lower [n] (x: [n]Real): [n]Real = [ sum [ x[j] * x[j] | j < i ] | i < n ]
def totals [n] (x: [n]Real): [n]Real = scan (\\a b -> a + b) 0.0 x
def product [n] [m] (a: [n][m]Real) (v: [m]Real): [n]Real = [ sum [ a[i][j] * v[j] | j < m ] | i < n ]
def heat [n] (x: [n]Real): [n]Real =
  loop u = x for _ < 3 do
    [ u[i] + 0.1 * ((if i > 0 then u[i - 1] else 0.0) - 2.0 * u[i] + (if i < n - 1 then u[i + 1] else 0.0)) | i < n ]
def parts [n] (x: [n]Real): []Real = concat x[1:n] (concat [ a * a | a <- x ] [x[0] * x[n - 1]])
def blocks [n] (x: [n]Real): [n]Real = [ x[(i / 3) * 3] * x[i] | i < n ]
def placed [n] (x: [n]Real): [n]Real = x with [1] = x[0] * x[2]
def pairs [n] (x: [n]Real): Real = sum [ sum [ (x[i] - x[j]) ^ 2 | j < i ] | i < n ]
def grid [n] [m] (u: [n][m]Real): Real =
  sum [ sum [ (u[i + 1][j] - u[i][j]) ^ 2 * (u[i][j + 1] - u[i][j]) ^ 2 | j < m - 1 ] | i < n - 1 ]
def ends [n] (x: [n]Real): Real =
  sum [ v ^ 3 | v <- x[2:4] ] + sum [ v ^ 2 * x[0] | v <- concat x[1:2] x[n - 1:n] ]
def zeroed [n] (x: [n]Real): Real = sum (x[1:2] with [0] = x[0] ^ 2)
def looked [n] (x: [n]Real) (at: [3]Int): [3]Real = [ x[at[i]] ^ 2 | i < 3 ]
def not_a_number (x: [2]Real): [2]Real = [ log x[0], x[1] ]
";

fn in_query<T: Send>(
    entry: &str,
    args: &[&str],
    engine: Option<&str>,
    work: impl FnOnce(&mut Query<'_>, &Call) -> T + Send,
) -> T {
    in_files(files(), entry, args, engine, work)
}

fn files() -> Memory {
    let ba = include_str!("../../../../examples/gradbench/ba.pull");
    Memory::default().with("a.pull", TEXT).with("ba.pull", ba)
}

fn in_files<T: Send>(
    files: Memory,
    entry: &str,
    args: &[&str],
    engine: Option<&str>,
    work: impl FnOnce(&mut Query<'_>, &Call) -> T + Send,
) -> T {
    on_large_stack(|| {
        let (file, entry) = entry.split_once(':').unwrap_or(("a.pull", entry));
        let call = Call {
            file: file.into(),
            entry: entry.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            settings: Settings { engine: engine.map(str::to_owned), ..Settings::default() },
            ..Call::default()
        };
        let mut query = Query::new(&files, BUILT_IN);
        work(&mut query, &call)
    })
}

/// A sparse matrix, or the code of the error.
fn sparse(
    entry: &str,
    args: &[&str],
    engine: Option<&str>,
    wanted: Wanted,
) -> Result<Found, String> {
    in_query(entry, args, engine, |query, call| {
        let answer = jacobian(query, call, &[], wanted, true);
        match answer {
            Ok(answer) => Ok(Found::of(answer.matrix().expect("a sparse matrix"))),
            Err(_) => Err(query.diagnostics[0].code.to_owned()),
        }
    })
}

/// Entries as rows, columns and values, and what is told beside them.
#[derive(Debug)]
struct Found {
    size: (usize, usize),
    entries: Vec<(usize, usize, f64)>,
    sweeps: (usize, usize),
    holds_everywhere: bool,
}

impl Found {
    fn of(matrix: &Matrix) -> Self {
        let places = matrix.pattern.places().zip(&matrix.values);
        Self {
            size: (matrix.pattern.rows(), matrix.pattern.columns()),
            entries: places.map(|((row, column), value)| (row, column, *value)).collect(),
            sweeps: matrix.sweeps,
            holds_everywhere: matrix.holds_everywhere,
        }
    }
    fn dense(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.size.1]; self.size.0];
        for (row, column, value) in &self.entries {
            rows[*row][*column] = *value;
        }
        rows
    }
    fn count(&self) -> usize {
        self.sweeps.0 + self.sweeps.1
    }
}

/// The dense matrix, by an engine that works in another way.
fn dense(entry: &str, args: &[&str], wanted: Wanted) -> Vec<Vec<f64>> {
    let text = in_query(entry, args, Some("dual"), |query, call| {
        match jacobian(query, call, &[], wanted, false) {
            Ok(answer) => answer.json(),
            Err(_) => panic!("{entry}: {:?}", query.diagnostics),
        }
    });
    let rows: Vec<Vec<serde_json::Value>> = serde_json::from_str(&text).expect("a matrix");
    let number = |x: &serde_json::Value| x.as_f64().unwrap_or(f64::NAN);
    rows.iter().map(|row| row.iter().map(number).collect()).collect()
}

/// The columns of a Jacobian by complex steps, which know no rule and no pattern.
fn by_complex_step(entry: &str, args: &[&str]) -> Vec<Vec<f64>> {
    in_query(entry, args, None, |query, call| {
        let engine = Engine::resolve(query, &call.settings).unwrap_or_else(|_| panic!("an engine"));
        let purpose = Purpose::Derivative { wrt: &[], scalar: false, direction: None };
        let Ok(prepared) = prepare(query, call, &engine, &purpose) else {
            panic!("{entry}: {:?}", query.diagnostics)
        };
        let mut inputs = 0;
        walk::for_each_real(&prepared.argument, |_| inputs += 1);
        let argument = of_value(&prepared.argument).expect("data");
        let column = |at| {
            let direction: Vec<f64> = (0..inputs).map(|it| f64::from(u8::from(it == at))).collect();
            let (program, function) = (prepared.code.program(), prepared.function);
            let found =
                jvp_complex_step(program, function, std::slice::from_ref(&argument), &direction);
            found.expect("analytic").1
        };
        (0..inputs).map(column).collect()
    })
}

fn close(one: f64, other: f64) -> bool {
    one == other
        || (one.is_nan() && other.is_nan())
        || (one - other).abs() <= 1e-10 * (1.0 + one.abs().max(other.abs()))
}

fn same(entry: &str, found: &[Vec<f64>], wanted: &[Vec<f64>]) {
    assert_eq!(found.len(), wanted.len(), "{entry}");
    for (row, other) in found.iter().zip(wanted) {
        assert_eq!(row.len(), other.len(), "{entry}");
        let all = row.iter().zip(other).all(|(x, y)| close(*x, *y));
        assert!(all, "{entry}: {row:?} and {other:?}");
    }
}

const ANALYTIC: [(&str, &[&str]); 9] = [
    ("tridiagonal", &["[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"]),
    ("frame", &["[0.1, 0.2, 0.3, 0.4, 0.5]"]),
    ("laplacian", &["[ [ real (i * j + 1) | j < 4 ] | i < 5 ]"]),
    ("prefix", &["[1.0, 2.0, 3.0, 4.0]"]),
    ("gathered", &["[1.0, 2.0, 3.0, 4.0]"]),
    ("growing", &["[1.0, 2.0, 3.0, 4.0]"]),
    ("solved", &["[1.0, 2.0, 3.0]"]),
    ("nothing", &["[]"]),
    ("constant", &["[1.0, 2.0, 3.0]"]),
];

const OTHERS: [(&str, &[&str]); 6] = [
    (
        "record",
        &["{ a = 2.0, u = [{ v = 1.0, k = 3 }, { v = 2.0, k = 4 }, { v = 3.0, k = 5 }] }", "7.0"],
    ),
    ("sorted", &["[3.0, 1.0, 2.0]"]),
    ("floors", &["[3.5, 1.5, 2.5]"]),
    ("largest", &["[3.0, 1.0, 5.0, 2.0]"]),
    ("newton", &["[2.0, 3.0, 4.0]"]),
    ("leaves", &["(Fork (Leaf 2.0) (Fork (Leaf 3.0) (Leaf 4.0)))"]),
];

#[test]
fn jacobians_are_those_of_the_complex_step() {
    for (entry, args) in ANALYTIC {
        let found = sparse(entry, args, None, Wanted::Jacobian).expect(entry);
        let columns = by_complex_step(entry, args);
        let rows = (0..found.size.0).map(|row| columns.iter().map(|column| column[row]).collect());
        same(entry, &found.dense(), &rows.collect::<Vec<_>>());
    }
}

#[test]
fn jacobians_are_the_dense_ones_on_every_engine() {
    for (entry, args) in ANALYTIC.iter().chain(&OTHERS) {
        let wanted = dense(entry, args, Wanted::Jacobian);
        for engine in [None, Some("ir"), Some("trace")] {
            let found = sparse(entry, args, engine, Wanted::Jacobian).expect(entry);
            same(entry, &found.dense(), &wanted);
        }
    }
}

#[test]
fn hessians_are_the_dense_ones_and_symmetric() {
    for (entry, args) in
        [("chain", &["[1.0, 2.0, 0.5, -1.0, 0.3]"][..]), ("arrow", &["[1.0, 2.0, 3.0, 4.0]"])]
    {
        let found = sparse(entry, args, None, Wanted::Hessian).expect(entry);
        same(entry, &found.dense(), &dense(entry, args, Wanted::Hessian));
        let rows = found.dense();
        let mirror = (0..rows.len()).map(|at| rows.iter().map(|row| row[at]).collect());
        same(entry, &rows, &mirror.collect::<Vec<_>>());
    }
}

#[test]
fn patterns_are_exact_and_take_few_sweeps() {
    let found = sparse("tridiagonal", &["[ real i | i < 40 ]"], None, Wanted::Jacobian).unwrap();
    assert_eq!((found.sweeps, found.entries.len(), found.holds_everywhere), ((3, 0), 118, true));
    let found = sparse("chain", &["[ 1.0 | _ < 40 ]"], None, Wanted::Hessian).unwrap();
    assert_eq!((found.count(), found.entries.len(), found.holds_everywhere), (3, 118, true));
    let found = sparse("arrow", &["[ real i | i < 40 ]"], None, Wanted::Hessian).unwrap();
    assert_eq!((found.count(), found.entries.len()), (2, 118));
    let found = sparse("frame", &["[ real i | i < 40 ]"], None, Wanted::Jacobian).unwrap();
    assert_eq!((found.sweeps, found.entries.len()), ((1, 1), 79));
    let found = sparse("laplacian", &["[ [ 1.0 | _ < 20 ] | _ < 20 ]"], None, Wanted::Jacobian);
    let found = found.unwrap();
    assert_eq!((found.sweeps, found.entries.len(), found.holds_everywhere), ((5, 0), 1920, true));
}

#[test]
fn what_data_decides_is_told() {
    for (entry, args) in OTHERS {
        let is_local = ["sorted", "newton"].contains(&entry);
        let found = sparse(entry, args, None, Wanted::Jacobian).unwrap();
        assert_eq!(found.holds_everywhere, !is_local, "{entry}");
    }
    // The derivative of a step is none, and the larger of two has places for both.
    let found = sparse("floors", &["[3.5, 1.5, 2.5]"], None, Wanted::Jacobian).unwrap();
    assert_eq!(found.entries, [(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0)]);
    let found = sparse("largest", &["[3.0, 1.0, 5.0]"], None, Wanted::Jacobian).unwrap();
    let all = [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 0.0), (2, 0, 0.0), (2, 2, 1.0)];
    assert_eq!(found.entries, all);
    let found = sparse("not_a_number", &["[-1.0, 2.0]"], None, Wanted::Jacobian).unwrap();
    let [(0, 0, x), (1, 1, 1.0)] = found.entries[..] else { panic!("{:?}", found.entries) };
    assert!(x.is_nan());
}

#[test]
fn what_has_no_matrix_is_an_error_or_empty() {
    let code =
        |entry, args: &[&str], wanted| sparse(entry, args, None, wanted).map(|_| ()).unwrap_err();
    assert_eq!(code("fails", &["[1.0, 2.0]"], Wanted::Jacobian), "E0701");
    assert_eq!(code("tridiagonal", &["[1.0]"], Wanted::Hessian), "E0810");
    let found = sparse("whole", &["1.0"], None, Wanted::Jacobian).unwrap();
    assert_eq!((found.size, found.count()), ((0, 1), 0));
    let found = sparse("nothing", &["[]"], None, Wanted::Jacobian).unwrap();
    assert_eq!((found.size, found.count()), ((0, 0), 0));
    let found = sparse("constant", &["[1.0, 2.0, 3.0]"], None, Wanted::Jacobian).unwrap();
    assert_eq!((found.size, found.count()), ((2, 3), 0));
    let found = sparse("shape", &["2.0"], None, Wanted::Jacobian).unwrap();
    assert_eq!(found.entries, [(0, 0, 1.0)]);
}

#[test]
fn bundle_adjustment_has_the_pattern_of_gradbench() {
    let lines = include_str!("../../../../tests/gradbench/ba.jsonl").lines();
    let line = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let line = line.into_iter().find(|line| line["function"] == "jacobian").unwrap();
    let (input, output) = (&line["input"], &line["output"]);
    let size = |name: &str| input[name].as_u64().unwrap() as usize;
    let (n, m, p) = (size("n"), size("m"), size("p"));
    let scene = format!(
        "scene {n} {m} {p} {} {} {} {}",
        input["cam"], input["x"], input["w"], input["feat"]
    );
    let found = sparse("ba.pull:residuals", &[&scene], None, Wanted::Jacobian).unwrap();
    // The features are inputs here too, and none there.
    let columns = 11 * n + 3 * m + p;
    let mut places: Vec<(usize, usize)> = found.entries.iter().map(|it| (it.0, it.1)).collect();
    places.retain(|(_, column)| *column < columns);
    // One number of the principal point moves each residual; GradBench has a place for the other one, which is zero.
    for observation in 0..p {
        places.push((2 * observation, 11 * (observation % n) + 8));
        places.push((2 * observation + 1, 11 * (observation % n) + 7));
    }
    places.sort_unstable();
    let count = places.len();
    places.dedup();
    assert_eq!(count, places.len());
    let ints = |name: &str| -> Vec<usize> {
        output[name].as_array().unwrap().iter().map(|it| it.as_u64().unwrap() as usize).collect()
    };
    let (rows, cols) = (ints("rows"), ints("cols"));
    let starts: Vec<usize> =
        (0..=3 * p).map(|row| places.iter().filter(|it| it.0 < row).count()).collect();
    assert_eq!(starts[..30], rows[..30]);
    assert_eq!(starts.last(), rows.last());
    let ours: Vec<usize> = places.iter().map(|(_, column)| *column).collect();
    assert_eq!(ours[..30], cols[..30]);
    assert_eq!(ours.last(), cols.last());
    let rows = found.dense();
    let wanted = output["vals"].as_array().unwrap()[..15].iter().map(|it| it.as_f64().unwrap());
    let first = cols[..15].iter().map(|column| rows[0][*column]);
    assert!(first.zip(wanted).all(|(x, y)| (x - y).abs() <= 1e-8 * (1.0 + y.abs())));
}

/// The pattern of the Jacobian of an entry, or of its Hessian, and whether it came from affine relations.
fn pattern(entry: &str, args: &[&str], wanted: Wanted, way: Way) -> (Pattern, bool) {
    pattern_in(files(), entry, args, wanted, way)
}

fn pattern_in(
    files: Memory,
    entry: &str,
    args: &[&str],
    wanted: Wanted,
    way: Way,
) -> (Pattern, bool) {
    in_files(files, entry, args, None, |query, call| {
        let engine = Engine::resolve(query, &call.settings).unwrap_or_else(|_| panic!("an engine"));
        let scalar = wanted == Wanted::Hessian;
        let purpose = Purpose::Derivative { wrt: &[], scalar, direction: None };
        let Ok(prepared) = prepare(query, call, &engine, &purpose) else {
            panic!("{entry}: {:?}", query.diagnostics)
        };
        let mut program = prepared.code.program().clone();
        let function =
            if scalar { gradient(&mut program, prepared.function) } else { prepared.function };
        let (argument, options) = (&prepared.argument, Options::default());
        let mut inputs = 0;
        walk::for_each_real(argument, |_| inputs += 1);
        let numbers = (0..inputs).map(|at| Value::Real((at + 1) as f64));
        let numbers = walk::tangent_of(argument, numbers).expect("a tangent");
        let packing = Packing::along(&program, function, argument, Some(&numbers));
        let code = Compiled::to_be_traced(&program, function, packing).expect("code");
        let found = code.dependences(argument, &numbers, way, &options);
        let (tangent, found) = found.unwrap_or_else(|fault| panic!("{entry}: {}", fault.title));
        let mut sets = vec![];
        walk::for_each_real(&tangent, |set| sets.extend(set.as_real()));
        let sets = sets.into_iter().map(|set| set as u32);
        (found.pattern(sets, inputs, &options.limits).expect("room"), found.relations.is_some())
    })
}

const AFFINE: [(&str, &[&str]); 29] = [
    ("tridiagonal", &["[ real i | i < 9 ]"]),
    ("frame", &["[ real i | i < 7 ]"]),
    ("laplacian", &["[ [ real (i * j + 1) | j < 4 ] | i < 5 ]"]),
    ("nothing", &["[]"]),
    ("constant", &["[1.0, 2.0, 3.0]"]),
    ("floors", &["[3.5, 1.5, 2.5]"]),
    ("largest", &["[3.0, 1.0, 5.0, 2.0]"]),
    ("around", &["[ real i | i < 7 ]"]),
    ("wrapped", &["[ real i | i < 7 ]"]),
    ("clamped", &["[ real i | i < 7 ]"]),
    ("halves", &["[ real i | i < 7 ]"]),
    ("transposed", &["[ [ real (i + j) | j < 4 ] | i < 3 ]"]),
    ("banded", &["[ real i | i < 9 ]"]),
    ("window", &["[ real i | i < 9 ]"]),
    ("lower", &["[ real i | i < 6 ]"]),
    ("totals", &["[ real i | i < 6 ]"]),
    ("product", &["[ [ real (i + j) | j < 4 ] | i < 3 ]", "[1, 2, 3, 4]"]),
    ("heat", &["[ real i | i < 9 ]"]),
    ("parts", &["[ real i | i < 5 ]"]),
    ("blocks", &["[ real i | i < 8 ]"]),
    ("placed", &["[ real i | i < 5 ]"]),
    ("looked", &["[ real i | i < 5 ]", "[4, 0, 4]"]),
    ("springs", &["[ { x = real i, y = real (i * i) } | i < 4 ]"]),
    ("prefix", &["[ real i | i < 90 ]"]),
    ("squashed", &["[ real i | i < 90 ]"]),
    ("shifted", &["[ real i | i < 90 ]"]),
    ("table", &["[ real i | i < 90 ]"]),
    ("flat", &["[ [ real (i + j) | j < 4 ] | i < 3 ]"]),
    ("growing", &["[1.0, 2.0, 3.0, 4.0]"]),
];

#[test]
fn affine_relations_are_what_a_run_finds() {
    for (entry, args) in AFFINE {
        let (derived, is_affine) = pattern(entry, args, Wanted::Jacobian, Way::Any);
        let (traced, _) = pattern(entry, args, Wanted::Jacobian, Way::Traced);
        assert!(is_affine, "{entry}");
        assert!(derived.places().eq(traced.places()), "{entry}: {derived:?} and {traced:?}");
    }
    // Of these there is no relation, or none that is found: places with gaps, what is written and then read, and what
    // data decides.
    for (entry, args) in [
        ("marked", "[ real i | i < 90 ]"),
        ("looked_back", "[ real i | i < 90 ]"),
        ("newton", "[2.0, 3.0]"),
    ] {
        let (derived, is_affine) = pattern(entry, &[args], Wanted::Jacobian, Way::Any);
        let (traced, _) = pattern(entry, &[args], Wanted::Jacobian, Way::Traced);
        assert!(derived.places().eq(traced.places()) && !is_affine, "{entry}");
    }
    for (entry, args) in [
        ("chain", "[1.0, 2.0, 0.5, -1.0, 0.3]"),
        ("arrow", "[1.0, 2.0, 3.0, 4.0]"),
        ("pairs", "[1.0, 2.0, 3.0, 4.0]"),
        ("grid", "[ [ real (i + j) | j < 4 ] | i < 3 ]"),
        ("ends", "[ real i | i < 7 ]"),
        ("zeroed", "[ real i | i < 3 ]"),
    ] {
        let (derived, is_affine) = pattern(entry, &[args], Wanted::Hessian, Way::Any);
        let (traced, _) = pattern(entry, &[args], Wanted::Hessian, Way::Traced);
        assert!(is_affine, "{entry}");
        assert!(derived.places().eq(traced.places()), "{entry}: {derived:?} and {traced:?}");
    }
}

#[test]
fn relations_are_told_for_all_rows() {
    for (entry, args, wanted) in [
        ("tridiagonal", "[ real i | i < 40 ]", "row i: i - 1 where i >= 1; i; i + 1 where i <= 38"),
        ("window", "[ real i | i < 40 ]", "row i: i; i + 1; i + 2; i + 3"),
        ("blocks", "[ real i | i < 40 ]", "row i: 3 j for 3 j <= i <= 3 j + 2; i"),
        (
            "springs",
            "[ { x = 1.0, y = real i } | i < 40 ]",
            "row i: 2 i; 2 i + 1; 2 i + 2; 2 i + 3",
        ),
        ("squashed", "[ real i | i < 90 ]", "row i: j for 0 <= j <= i - 1; i"),
        (
            "heat",
            "[ real i | i < 40 ]",
            "row i: i - 3 where i >= 3; i - 2 where i >= 2; i - 1 where i >= 1; i; \
             i + 1 where i <= 38; i + 2 where i <= 37; i + 3 where i <= 36",
        ),
    ] {
        let found = in_query(entry, &[args], None, |query, call| {
            let answer = jacobian(query, call, &[], Wanted::Jacobian, true);
            let answer = answer.unwrap_or_else(|_| panic!("{entry}: {:?}", query.diagnostics));
            answer.matrix().expect("a sparse matrix").relation.clone()
        });
        assert_eq!(found.as_deref(), Some(wanted), "{entry}");
    }
}

/// The patterns of the Jacobian and the Hessian of random programs have a place for every number that is not zero.
#[test]
fn patterns_of_random_programs_miss_nothing() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let (entries, empty, affine) = on_large_stack(|| {
        let (mut entries, mut empty, mut affine) = (0, 0, 0);
        for (seed, kind) in (0..count).flat_map(|seed| Kind::ALL.map(|kind| (seed, kind))) {
            let bytes = bytes_of_seed(seed, 40 + (seed as usize * 37) % 600);
            let config = Config { mode: kind, size: 90, nested_ad: false, texts_and_rules: false };
            let mut made = generate(&bytes, &config);
            let argument = to_value(&made.arg);
            let second = gradient(&mut made.program, made.def);
            for function in [made.def, second] {
                let (more, less, is_affine) =
                    misses_nothing(&made.program, function, &argument, seed);
                entries += more;
                empty += less;
                affine += is_affine;
            }
        }
        (entries, empty, affine)
    });
    assert!(entries > count && empty > count, "{entries} entries, {empty} empty places");
    assert!(affine > count / 4, "{affine} patterns of affine relations");
}

/// How many places of the matrix the pattern has, and how many not.
fn misses_nothing(
    program: &pullback_lambda::Program,
    function: pullback_lambda::DefId,
    argument: &Value,
    seed: u64,
) -> (u64, u64, u64) {
    let options = Options::default();
    let engine = BUILT_IN.named("trace").expect("an engine");
    let mut inputs = 0;
    walk::for_each_real(argument, |_| inputs += 1);
    let along = |numbers: Vec<f64>| {
        walk::tangent_of(argument, numbers.into_iter().map(Value::Real)).expect("a tangent")
    };
    let numbers = along((0..inputs).map(|at| (at + 1) as f64).collect());
    let packing = Packing::along(program, function, argument, Some(&numbers));
    let Ok(code) = Compiled::to_be_traced(program, function, packing) else { return (0, 0, 0) };
    let derived = code.dependences(argument, &numbers, Way::Any, &options);
    let traced = code.dependences(argument, &numbers, Way::Traced, &options);
    let mut columns = vec![];
    for column in 0..inputs {
        let direction = along((0..inputs).map(|at| f64::from(u8::from(at == column))).collect());
        let mode = Mode::Jvp(direction);
        match run(engine, program, function, argument.clone(), &mode, &options) {
            Ok(answer) => {
                let mut reals = vec![];
                walk::for_each_real(&answer.with_derivative().1, |x| reals.extend(x.as_real()));
                columns.push(reals);
            }
            Err(_) => return (0, 0, 0),
        }
    }
    let pattern = |found: Result<(Value, Dependences), _>| {
        let (tangent, found) = found.unwrap_or_else(|fault: Box<Diagnostic>| {
            panic!("seed {seed}: {}", fault.title);
        });
        let mut sets = vec![];
        walk::for_each_real(&tangent, |set| sets.extend(set.as_real()));
        let sets = sets.into_iter().map(|set| set as u32);
        (found.pattern(sets, inputs, &options.limits).expect("room"), found.relations.is_some())
    };
    let ((pattern, is_affine), (traced, _)) = (pattern(derived), pattern(traced));
    let mut entries = 0;
    for (column, reals) in columns.iter().enumerate() {
        for (row, x) in reals.iter().enumerate() {
            let is_there = pattern.row(row).contains(&(column as u32));
            entries += u64::from(is_there);
            // Where a 0 of the direction meets an infinite slope there is NaN, whatever depends on what.
            assert!(
                is_there || *x == 0.0 || x.is_nan(),
                "seed {seed}: entry {row}, {column} is {x}"
            );
            let is_traced = traced.row(row).contains(&(column as u32));
            assert_eq!(is_there, is_traced, "seed {seed}: entry {row}, {column}");
        }
    }
    let empty = (pattern.rows() * pattern.columns()) as u64 - entries;
    (entries, empty, u64::from(is_affine && entries > 0))
}
