//! How long the examples take: one row of a table for each, as in `docs/examples.md`.
//!
//! Input: for each example a Real-valued definition to measure, in terms of the example's own, and what
//! it is applied to. Output: the seconds of its value, and of value and gradient together. Seconds are
//! of this machine; the ratio is not.

use std::io;
use std::path::{Path, PathBuf};

use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Files, Query, Settings};
use pullback_suite::root;
use pullback_tools::measure;

const REPEAT: usize = 3;

/// Where the rest of the arguments come from.
enum Input {
    /// There are none.
    None,
    /// A file of the repository.
    File(&'static str),
    /// The recorded input of this eval and workload.
    Recorded(&'static str, &'static str),
}

/// What is measured of an example.
struct Row {
    /// The file, below `examples/`.
    file: &'static str,
    /// What the table calls it.
    what: &'static str,
    /// The parameters and body of the definition that is measured.
    timed: &'static str,
    /// Its first arguments.
    args: &'static [&'static str],
    input: Input,
}

const fn row(
    file: &'static str,
    what: &'static str,
    timed: &'static str,
    args: &'static [&'static str],
) -> Row {
    Row { file, what, timed, args, input: Input::None }
}

const fn recorded(
    file: &'static str,
    what: &'static str,
    timed: &'static str,
    workload: (&'static str, &'static str),
) -> Row {
    Row { file, what, timed, args: &[], input: Input::Recorded(workload.0, workload.1) }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("least_squares.pull", "the loss after 100 steps, by the rate",
        "(rate: Real): Real = loss features answers (train rate features answers 100)", &["0.5"]),
    Row { file: "logistic.pull", what: "the loss on 150 flowers",
        timed: "[n] (m: Model) (xs: [n][4]Real) (labels: [n]Int): Real = loss (standardise xs) labels m",
        args: &["zero"], input: Input::File("examples/data/iris.json") },
    Row { file: "lstm_text.pull", what: "the loss on 127 letters, 2951 weights",
        timed: "[v] [t] (net: Net [v] [16]) (alphabet: [v]String) (text: [t]Int): Real = loss text net",
        args: &["(start 23 16)"], input: Input::File("examples/data/jabberwocky.json") },
    row("rnn.pull", "the loss of three steps", "(p: Params [2] [1]): Real = loss target inputs start p", &["params"]),
    row("neural_ode.pull", "the loss through ten Runge–Kutta steps", "(net: Net): Real = loss net", &["start"]),
    row("tree_network.pull", "the loss of two phrases", "(net: Net): Real = loss net", &["start"]),
    row("tree_product.pull", "the product of 1024 leaves", "(t: Tree Real): Real = leaf_product t", &["(full 10 1.01)"]),
    row("soft_tree.pull", "the loss on nine points", "(tree: Tree): Real = loss tree", &["start"]),
    row("attitude.pull", "the loss of five stars", "(v: [3]Real): Real = loss (move (Attitude lie.one) v)", &["[0.1, 0.2, 0.3]"]),
    row("hmc.pull", "the end of 50 leapfrog steps",
        "(q: [2]Real): Real = sum (leapfrog (log_posterior xs ys) 0.1 50 q [0.3, -0.2]).0", &["[1.0, 2.0]"]),
    row("cart_pole.pull", "the cost of 200 steps", "(gains: [4]Real): Real = cost gains", &["first"]),
    row("spring.pull", "10,000 steps, by stiffness and friction",
        "(c: (Real, Real)): Real = distance 10000 c.0 c.1", &["(2.0, 0.1)"]),
    row("arm.pull", "50 Gauss–Newton steps", "(target: [2]Real): Real = sum (reach target)", &["[0.9, 0.9]"]),
    row("implicit_layer.pull", "the layer, by its equation", "(p: Layer): Real = sum (layer p)", &["params"]),
    row("embed-casadi/chain.pull", "the heights of 1001 points", "[n] (y: [n+1]Real): Real = height y",
        &["[ real (i * i % 7) | i < 1001 ]"]),
    row("newton.pull", "five Newton steps, with their Hessians",
        "(x: [2]Real): Real = sum (iterate 5 (newton_step rosenbrock) x)", &["[-1.2, 1.0]"]),
    Row { file: "gmm.pull", what: "the log-posterior of 20 points",
        timed: "(d: Int) (k: Int) (n: Int) (x: [n][d]Real) (m: Int) (gamma: Real) (alpha: [k]Real) (mu: [k][d]Real) (q: [k][d]Real) (l: [k][d * (d - 1) / 2]Real): Real = objective d k n x m gamma alpha mu q l",
        args: &[], input: Input::File("examples/data/gmm.json") },
    row("programs/logistic_regression.pull", "the weights of 23 flights, by the prior", "(ridge: Real): Real = sum (fit ridge)", &["0.1"]),
    row("programs/kalman.pull", "the likelihood of 100 years", "(v: [2]Real): Real = surprise flow v", &["[9.6, 7.3]"]),
    row("programs/gaussian_process.pull", "the likelihood of 19 readings", "(h: Hyper): Real = surprise years readings h", &["rough"]),
    row("programs/convolution.pull", "the loss on 12 images", "(net: Net): Real = loss images net", &["start"]),
    row("programs/transformer.pull", "the loss on 13 letters", "(layer: Layer [5] [4] [8]): Real = loss phrase layer", &["small"]),
    row("programs/lotka_volterra.pull", "the residuals of 21 years, through the solver", "(p: [6]Real): Real = dot (residuals p) (residuals p)", &["guess"]),
    row("programs/options.pull", "an Asian call by 1000 paths", "(q: Market): Real = asian 1000 105.0 q", &["today"]),
    row("programs/hidden_markov.pull", "the likelihood of 107 years", "(m: Model): Real = surprise quakes m", &["first"]),
    row("programs/variational.pull", "the bound by 10 draws", "(q: Guess [2]): Real = bound log_joint (random.normal_matrix 10 2 (random.key 1)) q", &["some"]),
    row("programs/ilqr.pull", "the cost after three rounds, by the start", "(x: [2]Real): Real = (roll swing_up x (iterate 3 (improve swing_up x) push)).1", &["[0.0, 0.0]"]),
    row("programs/molecular_dynamics.pull", "the distance after 200 steps", "(distance: Real): Real = distance_after 200 distance", &["1.3"]),
    row("programs/ray_tracing.pull", "the mistake on 64 pixels, by the lamp", "(lamp: [3]Real): Real = mistake 8 lamp", &["[1.0, 4.0, -2.0]"]),
    row("programs/interpreter.pull", "ten of Heron's steps, interpreted", "(x: Real): Real = run heron x", &["2.0"]),
    row("programs/learning_to_learn.pull", "the outcome of three descents, by their settings", "(s: Settings): Real = outcome 15 three s", &["timid"]),
    row("cookbook/minibatch.pull", "the loss on three flowers", "(m: Model): Real = loss three m", &["start"]),
    row("cookbook/resume.pull", "the loss of one step", "(m: Model): Real = loss 3 m", &["begin.model"]),
    row("cookbook/constraints.pull", "the cost of a portfolio", "(w: [3]Real): Real = cost w", &["[0.4, 0.3, 0.3]"]),
    row("cookbook/plotting.pull", "a wave", "(x: Real): Real = wave x", &["1.0"]),
    row("cookbook/checking.pull", "the energy of three points", "(x: [3]Real): Real = energy x", &["x"]),
    row("cookbook/custom_rules.pull", "Kepler's equation, by its rule", "(p: (Real, Real)): Real = kepler p.0 p.1", &["(1.0, 0.5)"]),
    row("papers/quaternion.pull", "figure 12", "(q: Quaternion) (v: Vec3): Real = rotate_x q v", &["q0", "v0"]),
    row("papers/notes.pull", "thirty squarings", "(x: Real): Real = squarings 30 x", &["1.0"]),
    row("papers/working_notes.pull", "the running example", "(x: Real): Real = f2 x", &["1.5"]),
    row("papers/differentiable_curry.pull", "figure 4, partial application",
        "(p: (Real, Real)): Real = partial_1 f p", &["(3.0, 5.0)"]),
    row("papers/higher_order.pull", "thirty doublings", "(x: Real): Real = doubled x", &["1.0"]),
    row("papers/nested.pull", "a function of its own derivative", "(x: Real): Real = own x", &["1.0"]),
    row("papers/towers.pull", "the fortieth derivative", "(x: Real): Real = order 40 x", &["0.5"]),
    row("papers/training.pull", "a training, by its data", "(right: Real): Real = trained_parameter right", &["6.0"]),
    row("gradbench/hello.pull", "a square", "(x: Real): Real = square x", &["3.0"]),
    recorded("gradbench/llsq.pull", "1024 points, 128 coefficients",
        "[m] (x: [m]Real) (n: Int): Real = primal x n", ("llsq", "n=1024,m=128")),
    recorded("gradbench/lse.pull", "2500 numbers", "[n] (x: [n]Real): Real = primal x", ("lse", "n=2500")),
    recorded("gradbench/det.pull", "7 by 7", "(a: []Real) (ell: Int): Real = primal a ell", ("det", "7")),
    recorded("gradbench/ode.pull", "1000 components, 10 steps",
        "[n] (x: [n]Real) (s: Int): Real = last (primal x s)", ("ode", "n=1000,s=10")),
    recorded("gradbench/kmeans.pull", "1000 points, 10 centroids",
        "[n] [k] [d] (points: [n][d]Real) (centroids: [k][d]Real): Real = cost points centroids",
        ("kmeans", "k=10,n=1000,d=8")),
    recorded("gradbench/lstm.pull", "4 layers, 300 characters",
        "[l] [h] [t] (main_params: [2 * l][4 * h]Real) (extra_params: [3][h]Real) (state: [2 * l][h]Real) (sequence: [t][h]Real): Real = objective main_params extra_params state sequence",
        ("lstm", "l=4,c=300")),
    recorded("gradbench/ba.pull", "8 cameras, 55 observations",
        "(n: Int) (m: Int) (p: Int) (cam: [11]Real) (x: [3]Real) (w: Real) (feat: [2]Real): Real = let r = objective n m p cam x w feat in sum r.reproj_error.elements + r.w_err.element",
        ("ba", "ba5_n257_m65132_p225911-shrunk-n8_m15_p55")),
    recorded("gradbench/ht.pull", "544 points, 22 bones",
        "[b] [v] [t] [n] (theta: [26]Real) (data: Data [b] [v] [t] [n]) (us: [][2]Real): Real = sum (objective theta data us)",
        ("ht", "simple_small-hand1-c20")),
    row("gradbench/particle.pull", "one flight, forces by reverse mode", "(w: Real): Real = landing value_and_grad w", &["0.1"]),
    row("gradbench/saddle.pull", "the greatest value, by ascent",
        "(x: [2]Real): Real = greatest value_and_grad [1.0, 1.0] x", &["[1.0, 1.0]"]),
];

/// The file system, an example with one more definition, and its input.
struct Measured {
    example: (PathBuf, Vec<u8>),
    input: (PathBuf, Vec<u8>),
}

impl Files for Measured {
    fn read_at_most(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        for (known, bytes) in [&self.example, &self.input] {
            if path == known {
                return Ok(bytes.clone());
            }
        }
        Disk.read_at_most(path, most)
    }
    fn identity(&self, path: &Path) -> PathBuf {
        Disk.identity(path)
    }
}

/// The table, one line for each example.
pub fn table() -> Vec<String> {
    let mut lines = vec![
        "| example | measured | value | value and gradient | ratio |".to_owned(),
        "|---|---|---:|---:|---:|".to_owned(),
    ];
    for row in ROWS {
        let times = row.times().unwrap_or_else(|problem| format!("cannot be measured: {problem}"));
        lines.push(format!("| `{}` | {} | {times} |", row.file, row.what));
    }
    lines
}

impl Row {
    fn times(&self) -> Result<String, String> {
        let path = root().join("examples").join(self.file);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let text = format!("{text}\ndef timed {}\n", self.timed);
        let input = root().join("input.json");
        let given = self.input.bytes()?;
        let call = Call {
            file: path.clone(),
            entry: "timed".to_owned(),
            args: self.args.iter().map(|arg| (*arg).to_owned()).collect(),
            inputs: given.is_some().then(|| input.clone().into()).into_iter().collect(),
            settings: Settings::default(),
            ..Call::default()
        };
        let files = Measured {
            example: (path, text.into_bytes()),
            input: (input, given.unwrap_or_default()),
        };
        let mut query = Query::new(&files, REGISTRY);
        let cost = measure(&mut query, &call, REPEAT)
            .map_err(|_| query.diagnostics.iter().map(|it| it.title.clone()).collect::<String>())?;
        let (value, gradient) = (cost.primal_time.as_secs_f64(), cost.gradient_time.as_secs_f64());
        Ok(format!("{} | {} | {:.1}", seconds(value), seconds(gradient), gradient / value))
    }
}

fn seconds(time: f64) -> String {
    if time >= 1.0 {
        format!("{time:.2} s")
    } else if time >= 1e-3 {
        format!("{:.2} ms", time * 1e3)
    } else {
        format!("{:.1} µs", time * 1e6)
    }
}

impl Input {
    /// The JSON of the arguments by name.
    fn bytes(&self) -> Result<Option<Vec<u8>>, String> {
        let read = |path: &str| std::fs::read(root().join(path)).map_err(|it| it.to_string());
        match self {
            Input::None => Ok(None),
            Input::File(path) => read(path).map(Some),
            Input::Recorded(eval, workload) => {
                let text = String::from_utf8(read(&format!("tests/gradbench/{eval}.jsonl"))?);
                let text = text.map_err(|error| error.to_string())?;
                let mark = format!("\"{workload}\"");
                let line =
                    text.lines().find(|line| line.contains(&mark)).ok_or("no such workload")?;
                let after = line.split_once("\"input\": ").ok_or("no input")?.1;
                let input = after.split_once(", \"output\": ").ok_or("no output")?.0;
                // Names of values are lower-case.
                Ok(Some(input.replace("\"A\"", "\"a\"").into_bytes()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example files that are programs of their own.
    fn examples() -> Vec<String> {
        let folder = root().join("examples");
        let files = pullback_suite::corpus(&["examples"], "pull");
        let names = files.iter().filter_map(|path| path.strip_prefix(&folder).ok());
        let names = names.map(|path| path.to_string_lossy().replace('\\', "/"));
        names.filter(|name| name != "gradbench/descent.pull").collect()
    }

    #[test]
    fn every_example_is_measured_and_documented() {
        let document = std::fs::read_to_string(root().join("docs/examples.md")).unwrap();
        for name in examples() {
            assert!(ROWS.iter().any(|row| row.file == name), "{name} is not measured");
            assert!(
                document.contains(&format!("`{name}` | ")),
                "{name} is not in docs/examples.md"
            );
            let text = std::fs::read_to_string(root().join("examples").join(&name)).unwrap();
            assert!(text.contains("What it teaches: "), "{name} does not say what it teaches");
        }
        assert_eq!(ROWS.len(), examples().len());
    }

    #[test]
    fn small_examples_can_be_measured() {
        for row in ROWS.iter().filter(|row| matches!(row.input, Input::None)) {
            if !["gradbench/particle.pull", "gradbench/saddle.pull"].contains(&row.file) {
                assert_eq!(row.times().err(), None, "{}", row.file);
            }
        }
    }
}
