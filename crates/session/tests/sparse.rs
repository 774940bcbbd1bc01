//! Sparse Jacobians and Hessians: patterns, numbers of sweeps and values, against closed forms, the complex step, dense
//! derivatives by another engine, the recorded pattern of GradBench, and random programs.

use pullback_compile::{Compiled, Mode, Packing, gradient};
use pullback_engine::{BUILT_IN, run};
use pullback_eval::{Options, Value, walk};
use pullback_oracle::{
    Config, Mode as Kind, bytes_of_seed, generate, jvp_complex_step, of_value, to_value,
};
use pullback_session::call::{Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::{Call, Matrix, Memory, Query, Settings, Wanted, jacobian, on_large_stack};

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

def fails [n] (x: [n]Real): [n]Real = [ x[i + 1] | i < n ]
def not_a_number (x: [2]Real): [2]Real = [ log x[0], x[1] ]
";

fn in_query<T: Send>(
    entry: &str,
    args: &[&str],
    engine: Option<&str>,
    work: impl FnOnce(&mut Query<'_>, &Call) -> T + Send,
) -> T {
    on_large_stack(|| {
        let ba = include_str!("../../../examples/gradbench/ba.pull");
        let files = Memory::default().with("a.pull", TEXT).with("ba.pull", ba);
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
    let lines = include_str!("../../../tests/gradbench/ba.jsonl").lines();
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

/// The patterns of the Jacobian and the Hessian of random programs have a place for every number that is not zero.
#[test]
fn patterns_of_random_programs_miss_nothing() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let (entries, empty) = on_large_stack(|| {
        let (mut entries, mut empty) = (0, 0);
        for (seed, kind) in (0..count).flat_map(|seed| Kind::ALL.map(|kind| (seed, kind))) {
            let bytes = bytes_of_seed(seed, 40 + (seed as usize * 37) % 600);
            let config = Config { mode: kind, size: 90, nested_ad: false, texts_and_rules: false };
            let mut made = generate(&bytes, &config);
            let argument = to_value(&made.arg);
            let second = gradient(&mut made.program, made.def);
            for function in [made.def, second] {
                let (more, less) = misses_nothing(&made.program, function, &argument, seed);
                entries += more;
                empty += less;
            }
        }
        (entries, empty)
    });
    assert!(entries > count && empty > count, "{entries} entries, {empty} empty places");
}

/// How many places of the matrix the pattern has, and how many not.
fn misses_nothing(
    program: &pullback_lambda::Program,
    function: pullback_lambda::DefId,
    argument: &Value,
    seed: u64,
) -> (u64, u64) {
    let options = Options::default();
    let engine = BUILT_IN.named("trace").expect("an engine");
    let mut inputs = 0;
    walk::for_each_real(argument, |_| inputs += 1);
    let along = |numbers: Vec<f64>| {
        walk::tangent_of(argument, numbers.into_iter().map(Value::Real)).expect("a tangent")
    };
    let numbers = along((0..inputs).map(|at| (at + 1) as f64).collect());
    let packing = Packing::along(program, function, argument, Some(&numbers));
    let Ok(code) = Compiled::to_be_traced(program, function, packing) else { return (0, 0) };
    let traced = code.dependences(argument, &numbers, &options);
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
            Err(_) => return (0, 0),
        }
    }
    let (tangent, found) = traced.unwrap_or_else(|fault| panic!("seed {seed}: {}", fault.title));
    let mut sets = vec![];
    walk::for_each_real(&tangent, |set| sets.extend(set.as_real()));
    let sets = sets.into_iter().map(|set| set as u32);
    let pattern = found.pattern(sets, inputs, &options.limits).expect("room");
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
        }
    }
    (entries, (pattern.rows() * pattern.columns()) as u64 - entries)
}
