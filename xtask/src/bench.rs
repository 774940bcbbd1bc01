//! How fast the evaluator is, and what gradients cost beside the functions they are of.
//!
//! Output: one line for each benchmark, and one for each floor: how many scalar operations a second
//! the evaluator promises on one core, plain and while a gradient is taken, and what misses it.
//! Operations are exact and the same everywhere; times are of this machine.

use std::path::PathBuf;

use pullback_engines::REGISTRY;
use pullback_session::{Call, Disk, Memory, Query, Settings};
use pullback_tools::measure;

const REPEAT: usize = 5;

/// The promised operations a second: plain, and while value and gradient are computed by traces.
const PLAIN_FLOOR: f64 = 20e6;
const TRACED_FLOOR: f64 = 5e6;

/// Operations a second of one program.
struct Rates {
    name: String,
    plain: f64,
    traced: f64,
}

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
        "{:<28}{:>12}{:>12}{:>14}{:>16}{:>16}",
        "program", "operations", "Mop/s", "traced Mop/s", "gradient ops", "gradient time"
    )];
    let own = Memory::default().with("bench.pull", PROGRAMS);
    let mut rates = Vec::new();
    for entry in ["scalar_loop", "array_sum", "recursion", "matrix"] {
        let call = Call {
            file: PathBuf::from("bench.pull"),
            entry: entry.to_owned(),
            args: vec!["0.5".to_owned()],
            ..Call::default()
        };
        lines.push(line(entry, &mut Query::new(&own, REGISTRY), &call, &mut rates));
    }
    let call = Call {
        file: PathBuf::from("examples/gmm.pull"),
        entry: "objective".to_owned(),
        inputs: vec![PathBuf::from("examples/data/gmm.json").into()],
        settings: Settings::default(),
        ..Call::default()
    };
    lines.push(line("examples/gmm.pull", &mut Query::new(&Disk, REGISTRY), &call, &mut rates));
    lines.push(verdict(
        "plain",
        PLAIN_FLOOR,
        rates.iter().map(|rates| (&*rates.name, rates.plain)),
    ));
    let traced = rates.iter().map(|rates| (&*rates.name, rates.traced));
    lines.push(verdict("traced", TRACED_FLOOR, traced));
    lines
}

fn line(name: &str, query: &mut Query<'_>, call: &Call, rates: &mut Vec<Rates>) -> String {
    let Ok(cost) = measure(query, call, REPEAT) else {
        let problem = query.diagnostics.first().map_or("", |problem| &problem.title);
        return format!("{name:<28}cannot be measured: {problem}");
    };
    let plain = cost.primal_operations as f64 / cost.primal_time.as_secs_f64();
    let traced = cost.primal_operations as f64 / cost.gradient_time.as_secs_f64();
    let operations = cost.gradient_operations as f64 / cost.primal_operations as f64;
    let time = cost.gradient_time.as_secs_f64() / cost.primal_time.as_secs_f64();
    rates.push(Rates { name: name.to_owned(), plain, traced });
    format!(
        "{name:<28}{:>12}{:>12.1}{:>14.1}{operations:>15.2}×{time:>15.2}×",
        cost.primal_operations,
        plain / 1e6,
        traced / 1e6,
    )
}

/// Says which programs reach a floor.
fn verdict<'n>(what: &str, floor: f64, rates: impl Iterator<Item = (&'n str, f64)>) -> String {
    let below: Vec<&str> = rates.filter(|(_, rate)| *rate < floor).map(|(name, _)| name).collect();
    let met =
        if below.is_empty() { "met".to_owned() } else { format!("missed by {}", below.join(", ")) };
    format!("the floor of {} million {what} operations a second is {met}", floor / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_met_by_all_or_missed_by_some() {
        let rates = [("slow", 4e6), ("fast", 30e6)];
        assert_eq!(
            verdict("traced", TRACED_FLOOR, rates.into_iter()),
            "the floor of 5 million traced operations a second is missed by slow"
        );
        assert_eq!(
            verdict("plain", PLAIN_FLOOR, rates.into_iter().skip(1)),
            "the floor of 20 million plain operations a second is met"
        );
    }
}
