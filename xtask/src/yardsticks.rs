//! Hand-written C beside Pullback: `cargo xtask yardsticks`.
//!
//! Input: the programs in C below `benches/yardsticks`, each with a function written by hand, which calls the same
//! function and its derivative in a library that `pullback build` makes. All is compiled with the options of native
//! code and runs on the same numbers in one process. Output: a line for each workload, with medians and ratios to the
//! function written by hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use pullback_engines::REGISTRY;
use pullback_session::{Disk, Query, Target};
use pullback_suite::root;
use pullback_tools::{Build, Derivative, build};

/// A program in C.
struct Yardstick {
    /// Its name, which is that of the Pullback file.
    name: &'static str,
    /// The folder of the Pullback file.
    folder: &'static str,
    entries: &'static [&'static str],
    wrt: &'static [&'static str],
    /// The derivatives that it calls.
    derivatives: &'static [Derivative],
    /// The arguments of each run.
    workloads: &'static [&'static str],
}

const YARDSTICKS: &[Yardstick] = &[
    Yardstick {
        name: "gmm",
        folder: "examples",
        entries: &["objective"],
        wrt: &["alpha", "mu", "q", "l"],
        derivatives: &[Derivative::Grad],
        workloads: &["2 5 1000", "10 25 1000", "32 50 1000"],
    },
    Yardstick {
        name: "lstm",
        folder: "examples/gradbench",
        entries: &["objective"],
        wrt: &["main_params", "extra_params"],
        derivatives: &[Derivative::Grad],
        workloads: &["2 1024 14", "4 1024 14"],
    },
    Yardstick {
        name: "kmeans",
        folder: "examples/gradbench",
        entries: &["cost", "dir"],
        wrt: &["centroids"],
        derivatives: &[],
        workloads: &["10000 100 8", "1000 10 2"],
    },
    Yardstick {
        name: "llsq",
        folder: "examples/gradbench",
        entries: &["primal"],
        wrt: &["x"],
        derivatives: &[Derivative::Grad],
        workloads: &["16 128", "4096 128"],
    },
    Yardstick {
        name: "ba",
        folder: "examples/gradbench",
        entries: &["residuals", "jacobian_rows"],
        wrt: &[],
        derivatives: &[],
        workloads: &["49 7776 31843"],
    },
    Yardstick {
        name: "ht",
        folder: "benches/yardsticks",
        entries: &["objective", "jacobian_matrix"],
        wrt: &[],
        derivatives: &[],
        workloads: &["22 544 100 0", "22 544 100 1"],
    },
];

/// The options of native code.
const OPTIONS: &[&str] = &[
    "-std=gnu11",
    "-O3",
    "-march=native",
    #[cfg(target_arch = "x86_64")]
    "-mtune=generic",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
];

/// Measures those of these names, or all, and tells each line as it is there; gives what went wrong.
pub fn yardsticks(only: &[String], tell: &mut dyn FnMut(String)) -> Vec<String> {
    tell(format!(
        "{:<8}{:<16}{:>14}{:>14}{:>14}{:>8}{:>12}",
        "program", "workload", "C by hand", "Pullback", "derivative", "ratio", "derivative"
    ));
    let mut problems = vec![];
    let is_asked =
        |yardstick: &&Yardstick| only.is_empty() || only.iter().any(|name| name == yardstick.name);
    for yardstick in YARDSTICKS.iter().filter(is_asked) {
        match yardstick.compiled() {
            Ok(program) => {
                for workload in yardstick.workloads {
                    match measured(&program, workload) {
                        Ok(times) => tell(line(yardstick.name, workload, times)),
                        Err(problem) => problems.push(format!("{}: {problem}", yardstick.name)),
                    }
                }
            }
            Err(problem) => problems.push(format!("{}: {problem}", yardstick.name)),
        }
    }
    problems
}

fn line(name: &str, workload: &str, [by_hand, ours, derivative]: [f64; 3]) -> String {
    let micro = |time: f64| format!("{:.1} µs", time * 1e6);
    format!(
        "{name:<8}{workload:<16}{:>14}{:>14}{:>14}{:>8.2}{:>12.2}",
        micro(by_hand),
        micro(ours),
        micro(derivative),
        ours / by_hand,
        derivative / by_hand
    )
}

impl Yardstick {
    /// The path of the program, compiled with the library that it calls.
    fn compiled(&self) -> Result<PathBuf, String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let file = root().join(self.folder).join(format!("{}.pull", self.name));
        let mut query = Query::new(&Disk, REGISTRY);
        let asked = Build {
            file,
            entries: words(self.entries),
            wrt: words(self.wrt),
            derivatives: Some(self.derivatives.to_vec()),
            target: Some(Target::Native),
            ..Build::default()
        };
        let built = build(&mut query, &asked).map_err(|_| {
            let told = query.diagnostics.first().map(|told| told.title.clone());
            told.unwrap_or_else(|| "there is no library".to_owned())
        })?;
        let folder = root().join("target/yardsticks");
        let own = root().join("benches/yardsticks");
        let path = |ending: &str| folder.join(format!("{}{ending}", self.name));
        let write = |to: &Path, text: &str| {
            std::fs::write(to, text).map_err(|error| format!("{}: {error}", to.display()))
        };
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        write(&path(".h"), &built.header)?;
        write(&path(".c"), &built.source)?;
        let output = Command::new("cc")
            .args(OPTIONS)
            .arg("-I")
            .arg(&folder)
            .arg(own.join(format!("{}.c", self.name)))
            .arg(path(".c"))
            .arg("-lm")
            .arg("-o")
            .arg(path(""))
            .output()
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(path(""))
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

/// The seconds that a run prints.
fn measured(program: &Path, workload: &str) -> Result<[f64; 3], String> {
    let output = Command::new(program).args(workload.split(' ')).output();
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let times: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match *times.as_slice() {
        [by_hand, ours, derivative] if output.status.success() => Ok([by_hand, ours, derivative]),
        _ => Err(format!("{workload}: {text}{}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where there is a C compiler, the smallest workload runs, and both agree.
    #[test]
    fn what_is_written_by_hand_agrees() {
        if Command::new("cc").arg("--version").output().is_err() {
            return;
        }
        let llsq = YARDSTICKS.iter().find(|yardstick| yardstick.name == "llsq").unwrap();
        let times = llsq.compiled().and_then(|program| measured(&program, "5 3"));
        assert!(
            times.as_ref().is_ok_and(|times| times.iter().all(|time| *time > 0.0)),
            "{times:?}"
        );
    }
}
