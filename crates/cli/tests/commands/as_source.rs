//! `show --as-source`: what is printed is a program. Saved, it is tested and run, and gives what the engine itself gives.

use crate::build::Folder;
use crate::{output, root};

/// Programs of names that the library and the text itself use, of several types, with calls, recursion, loops and branches.
const PROGRAM: &str = r"
def prod3 (x: Real) (y: Real) (z: Real): Real = x * y * z
def exp (size: Real): Real = size * size * sin size
def calls (x: Real) (zeros: Real): Real = exp (x / zeros) - prod3 x zeros 0.5 ^ 3
def rev_clash (x: Real): Real = x * x
def clash (x: Real): Real = rev_clash x + 1.0
def power (x: Real) (n: Int): Real = if n == 0 then 1.0 else x * power x (n - 1)
def pair (p: (Real, Real)) (k: Real): (Real, Real) = (p.0 * k - 1.5, tanh (p.1 / k))
def inner [n] (a: [n]Real) (b: [n]Real): Real = sum (build n (\i -> a[i] * b[i]))
def branch (x: Real) (y: Real): Real = if x < y && x > 0.0 then x ^ 2 * y else hypot x (-y)
def rows [n] [m] (w: [n][m]Real) (x: [m]Real): [n]Real = [ sum [ w[i][j] * x[j] | j < m ] | i < n ]
def outer [n] [m] (a: [n]Real) (b: [m]Real): [n][m]Real = [ a[i] * b[j] | i < n, j < m ]
def form [n] (q: [n][n]Real) (x: [n]Real): Real =
  sum [ x[i] * sum [ q[i][j] * x[j] | j < n ] | i < n ]
def point (p: { x: Real, y: Real }): Real = sin p.x * p.y + p.x
def steps (n: Int) (x: Real): Real = loop y = x for _ < n do y * y - 0.1
";

fn shown(program: &str, entry: &str, stage: &str) -> (String, Vec<String>, Vec<String>) {
    output(&format!("show {program} {entry} --stage {stage} --as-source"))
}

/// Saves what is shown and tests it: every line is a program's, and there is an expectation that holds.
fn tested(folder: &Folder, program: &str, entry: &str, stage: &str) -> (String, String) {
    let (code, lines, errors) = shown(program, entry, stage);
    assert_eq!(code, "0", "{entry} {stage}: {errors:?}");
    let text = lines.join("\n") + "\n";
    assert!(text.starts_with("--@ "), "{entry} {stage}: {text}");
    let saved = folder.path(&format!("{entry}_{stage}.pull"));
    std::fs::write(&saved, &text).expect("a file to write");
    let (code, lines, errors) = output(&format!("test {saved}"));
    assert_eq!(code, "0", "{text}\n{lines:?}\n{errors:?}");
    (text, saved)
}

#[test]
fn what_is_shown_as_source_holds_and_gives_what_the_engine_gives() {
    let folder = Folder::new("as_source");
    let program = folder.path("program.pull");
    std::fs::write(&program, PROGRAM).expect("a file to write");
    let calls = [
        ("prod3", "0.5 1.5 2.5", "0.5 1.5 2.5"),
        ("exp", "1.25", "1.25"),
        ("calls", "0.5 2.5", "0.5 2.5"),
        ("power", "1.5 3", "1.5 3"),
        ("inner", "[1.0,2.0] [3.0,4.0]", "[1.0,2.0] [3.0,4.0]"),
        ("branch", "0.5 1.5", "0.5 1.5"),
    ];
    for (entry, args, same) in calls {
        let (_, saved) = tested(&folder, &program, entry, "reverse");
        let run = output(&format!("run {saved} rev_{entry} {args} 1.0 --json"));
        let vjp = output(&format!(
            "vjp {program} {entry} {same} --cotangent 1.0 --engine linear-maps --json"
        ));
        let numbers = |text: &str| -> Vec<f64> {
            let parts = text.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
            parts.filter_map(|part| part.parse().ok()).collect()
        };
        let (own, engine) = (numbers(&run.1.concat()), numbers(&vjp.1.concat()));
        // The engine tells the value first.
        let engine = &engine[engine.len() - own.len()..];
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(!own.is_empty() && own.iter().zip(engine).all(near), "{entry}: {run:?} {vjp:?}");
    }
    for entry in ["pair", "rows", "outer", "form", "clash"] {
        tested(&folder, &program, entry, "reverse");
    }
    // What `categories` runs: loops, sums and records too.
    for entry in ["prod3", "calls", "power", "pair", "inner", "branch", "rows", "steps", "point"] {
        let (text, _) = tested(&folder, &program, entry, "cl-rev");
        assert!(text.contains("def revf_") && text.contains("def revr_"), "{text}");
        let (text, _) = tested(&folder, &program, entry, "cl-fwd");
        assert!(text.contains("def fwd_"), "{text}");
    }
    for entry in ["prod3", "exp", "calls", "power", "pair", "inner", "branch", "rows", "steps"] {
        tested(&folder, &program, entry, "forward");
    }
    // Maps are values there, applied from either side.
    for entry in
        ["prod3", "exp", "calls", "power", "pair", "inner", "branch", "rows", "outer", "form"]
    {
        let (text, _) = tested(&folder, &program, entry, "jacobian");
        assert!(text.contains("--@ forwards (d_") && text.contains("--@ backwards (d_"), "{text}");
    }
}

/// Values travel with their maps, also through loops.
#[test]
fn values_with_their_maps_are_shown_as_source() {
    let folder = Folder::new("as_source_of_pairs");
    let program = folder.path("program.pull");
    std::fs::write(&program, PROGRAM).expect("a file to write");
    for entry in
        ["prod3", "calls", "power", "pair", "inner", "branch", "rows", "form", "steps", "point"]
    {
        for (stage, name, map) in
            [("poly-tupled", "dp", " -> a)"), ("poly-transposed", "rp", " -> a, a -> ")]
        {
            let (text, _) = tested(&folder, &program, entry, stage);
            let expectations = ["forwards", "backwards"].map(|way| format!("--@ {way} ({name}_"));
            for expected in expectations.iter().map(String::as_str).chain([map]) {
                assert!(text.contains(expected), "{text}");
            }
        }
    }
    let program = root().join("examples/papers/notes.pull").display().to_string();
    for entry in ["f2", "fold_product", "squarings"] {
        tested(&folder, &program, entry, "poly-tupled");
        tested(&folder, &program, entry, "poly-transposed");
    }
}

#[test]
fn the_paper_s_examples_are_shown_as_source() {
    let folder = Folder::new("as_source_of_examples");
    let program = root().join("examples/papers/notes.pull").display().to_string();
    for entry in ["f2", "sum_squares", "inner", "power"] {
        let (text, _) = tested(&folder, &program, entry, "reverse");
        assert!(text.contains(&format!("def rev_{entry} ")), "{text}");
        tested(&folder, &program, entry, "forward");
    }
    for entry in ["f2", "sum_squares", "inner", "fold_product", "squarings", "power"] {
        tested(&folder, &program, entry, "cl-rev");
        tested(&folder, &program, entry, "cl-fwd");
    }
}

#[test]
fn a_stage_without_a_text_says_so() {
    let program = root().join("examples/papers/notes.pull").display().to_string();
    let (code, _, errors) = shown(&program, "f2", "cl");
    assert!(code == "2" && errors[0].contains("E0813"), "{code} {errors:?}");
    for stage in ["reverse", "jacobian"] {
        let (code, _, errors) = shown(&program, "fold_product", stage);
        assert!(code == "1" && errors[0].contains("E0717"), "{code} {errors:?}");
    }
}
