//! How fast the evaluator is, and what gradients cost beside the functions they are of.
//!
//! Output: one line for each benchmark. Operations are exact and the same everywhere; times are of
//! this machine, so look at the ratios.

use std::path::PathBuf;

use pullback_driver::{Call, Disk, Memory, Session, Settings, measure};

const REPEAT: usize = 5;

/// Programs for the evaluator: a name and an entry of one Real parameter.
const PROGRAMS: &str = "
def scalar_loop (x: Real): Real = loop y = x for i < 200000 do y * 0.999 + sin y * 1e-3
def array_sum (x: Real): Real = sum [ x * real i + exp (-real i) | i < 200000 ]
def recursion (x: Real): Real =
  let rec go (n: Int) (acc: Real) = if n == 0 then acc else go (n - 1) (acc * 0.999 + x) in
  go 200000 0.0
def matrix (x: Real): Real =
  let a = [ [ x + real (i * j % 7) | j < 60 ] | i < 60 ] in sum (flatten (a @ a))
";

/// Measures everything.
pub fn bench() -> Vec<String> {
    let mut lines = vec![format!(
        "{:<34}{:>14}{:>12}{:>16}{:>14}",
        "program", "operations", "Mop/s", "gradient ops", "gradient time"
    )];
    let own = Memory::default().with("bench.pull", PROGRAMS);
    for entry in ["scalar_loop", "array_sum", "recursion", "matrix"] {
        let call = Call {
            file: PathBuf::from("bench.pull"),
            entry: entry.to_owned(),
            args: vec!["0.5".to_owned()],
            ..Call::default()
        };
        lines.push(line(entry, &mut Session::new(&own), &call));
    }
    let call = Call {
        file: PathBuf::from("examples/gmm.pull"),
        entry: "objective".to_owned(),
        input: Some(PathBuf::from("examples/data/gmm.json")),
        settings: Settings::default(),
        ..Call::default()
    };
    lines.push(line("examples/gmm.pull", &mut Session::new(&Disk), &call));
    lines
}

fn line(name: &str, session: &mut Session<'_>, call: &Call) -> String {
    let Ok(cost) = measure(session, call, REPEAT) else {
        let problem = session.diagnostics.first().map_or("", |problem| &problem.title);
        return format!("{name:<34}cannot be measured: {problem}");
    };
    let per_second = cost.primal_operations as f64 / cost.primal_time.as_secs_f64() / 1e6;
    let operations = cost.gradient_operations as f64 / cost.primal_operations as f64;
    let time = cost.gradient_time.as_secs_f64() / cost.primal_time.as_secs_f64();
    format!(
        "{name:<34}{:>14}{per_second:>12.1}{operations:>15.2}×{time:>13.2}×",
        cost.primal_operations
    )
}
