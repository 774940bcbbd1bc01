//! What the programs of the benchmarks cost on the compiled path, so that a change of a pass that costs them something
//! is seen where it is made: operations, bytes, and the most bytes in use at once, of the value and of the value with
//! its gradient. Counts are those of the optimised code and the same on every machine; how long they take is another
//! question, which `benches` answers.
//!
//! `BLESS=1` rewrites `costs.txt`: a line that grows wants a reason.

use std::fmt::Write;

use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Query};
use pullback_suite::{deep, matches, root};
use pullback_tools::{Dev, dev};

/// A file, a definition in it, and its arguments.
type Program = (&'static str, &'static str, &'static [&'static str]);

const SQUARE: &str = "[ [ sin (real (i + 2 * j)) | j < 8 ] | i < 8 ]";
const ROWS: &str = "[ [ cos (real (3 * i + j)) | j < 3 ] | i < 12 ]";
const FILTERS: &str = "[ [ [ 0.1 * real (i + j + k) | k < 5 ] | j < 5 ] | i < 2 ]";
const NUMBERS: &str = "[ 1.0 + 0.1 * sin (real i) | i < 16 ]";

const PROGRAMS: &[Program] = &[
    ("benches/jax/gradients.pull", "arm", &["[0.5, 0.25]"]),
    ("benches/jax/gradients.pull", "cart_pole", &["[0.1, 0.2, 0.3, 0.4]"]),
    ("benches/jax/gradients.pull", "det", &[NUMBERS, "4"]),
    ("benches/jax/gradients.pull", "interpreter_many", &[NUMBERS]),
    ("benches/jax/gradients.pull", "kalman", &["[0.1, 0.2]"]),
    ("benches/jax/gradients.pull", "kmeans", &["[ [ real (i + j) | j < 3 ] | i < 2 ]", ROWS]),
    ("benches/jax/gradients.pull", "least_squares", &["0.1"]),
    ("benches/jax/gradients.pull", "llsq", &[NUMBERS, "24"]),
    ("benches/jax/gradients.pull", "lse", &[NUMBERS]),
    ("benches/jax/gradients.pull", "newton", &["[1.5, 2.0]"]),
    ("benches/jax/gradients.pull", "notes_many", &[NUMBERS]),
    ("benches/jax/gradients.pull", "ode", &[NUMBERS, "10"]),
    ("benches/jax/gradients.pull", "ray_tracing_many", &["[0.1, 0.2, 3.0]", "8"]),
    (
        "benches/jax/gradients.pull",
        "tree_network_many",
        &["tree_network.start", "[0, 1, 2, 1, 0, 2]"],
    ),
    ("benches/jax/gradients.pull", "tree_product", &[NUMBERS]),
    ("benches/jax/models.pull", "attention", &[SQUARE, SQUARE, SQUARE, SQUARE, SQUARE, SQUARE]),
    ("benches/jax/models.pull", "convolution", &[FILTERS, SQUARE]),
    (
        "benches/jax/models.pull",
        "hidden_markov",
        &["[0.5, 1.5]", "[0.3, 0.7]", "[0, 1, 2, 3, 2, 1]"],
    ),
    ("benches/jax/models.pull", "lennard_jones", &[ROWS]),
    (
        "examples/gmm.pull",
        "objective",
        &["2", "3", "10", "points", "0", "1.0", "alpha", "mu", "q", "l"],
    ),
    ("examples/gradbench/ht.pull", "objective", &["pose", "small", "[]"]),
    (
        "examples/gradbench/lstm.pull",
        "objective",
        &["main_params", "extra_params", "state", "sequence"],
    ),
    ("examples/gradbench/particle.pull", "ff", &["0.0"]),
    ("examples/gradbench/particle.pull", "fr", &["0.0"]),
    ("examples/gradbench/particle.pull", "rf", &["0.0"]),
    ("examples/gradbench/particle.pull", "rr", &["0.0"]),
    ("examples/gradbench/saddle.pull", "rr", &["[1.0, 1.0]"]),
];

/// The lines of a program.
fn costs((file, entry, args): &Program) -> String {
    let path = root().join(file);
    let mut query = Query::new(&Disk, REGISTRY);
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let call = Call { file: path, entry: (*entry).to_owned(), args, ..Call::default() };
    let table = match dev(&mut query, &call, &Dev { count: true, ..Dev::default() }) {
        Ok(table) => table,
        Err(_) => panic!("{file} {entry}: {:?}", query.diagnostics),
    };
    let mut lines = format!("{file} {entry}\n");
    for name in ["operations", "bytes", "peak"] {
        let row = table.lines().find(|line| line.starts_with(name)).expect("a row");
        let _ = writeln!(lines, "    {row}");
    }
    lines
}

#[test]
fn programs_of_the_benchmarks_cost_what_they_did() {
    let found: String = deep(|| PROGRAMS.iter().map(costs).collect()).expect("counts");
    let path = root().join("tests/costs.txt");
    if let Err(difference) = matches(&path, &found) {
        panic!("{difference}");
    }
}
