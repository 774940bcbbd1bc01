//! The ways of running the compiler: with all passes, with none of those that may be left out, and with each
//! alone left out; and native code without its transformations in the same way. Programs mean the same on all of them.

use std::path::{Path, PathBuf};

use pullback_base::Diagnostic;
use pullback_codegen::optional;
use pullback_compile::{Back, optional_passes};
use pullback_engines::REGISTRY;
use pullback_lambda::Program;
use pullback_opt::PASSES;
use pullback_reduce::SPECIALISE;
use pullback_session::{Files, Query, Settings};
use pullback_tools::{TestReport, test};

use crate::corpus::root;
use crate::held::rendered;

/// Dozens of derivatives inside each other: code that is not left out is differentiated with the rest, and doubles.
const HIGH_TOWERS: &str = "tests/ad/high_towers.pull";

/// Files of which functions must have become known: `perturb` moves what they captured there.
const PERTURBED: [&str; 2] = ["tests/ad/perturb.pull", "lib/ode.pull"];
/// Which way was gone decides what a number 0 gives there, and a checkpoint does not keep that.
const WAYS: &str = "tests/ad/number_zeros.pull";

/// The path of a file in the repository.
pub fn in_repository(path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.strip_prefix(root()).map(Path::to_owned).unwrap_or(path)
}

/// A number for a path in the repository: over many files, what is chosen by it has its turn.
pub fn number_of(path: &Path) -> u32 {
    let text = path.to_string_lossy();
    text.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte))
}

/// A way of running the compiler.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// What it is called in reports.
    pub name: String,
    /// The engine: the evaluator of the compiler's code, or native code.
    pub back: Back,
    /// The names of the passes that are left out.
    pub without: Vec<String>,
    /// How many bytes a loop may save before it gets checkpoints.
    pub max_tape: Option<usize>,
}

impl Configuration {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let every: Vec<String> = optional_passes().map(str::to_owned).collect();
        let laws: Vec<String> = PASSES.iter().map(|pass| pass.name.to_owned()).collect();
        let named = |name: &str, without| Self::new(name.to_owned(), Back::Evaluator, without);
        let mut all = vec![
            named("ir", vec![]),
            named("ir without any pass", every.clone()),
            named("ir without the optimiser", laws),
        ];
        let alone = |pass: &String| named(&format!("ir without {pass}"), vec![pass.clone()]);
        all.extend(every.iter().map(alone));
        all
    }

    /// Native code without each transformation that may be left out, and without all.
    pub fn native() -> Vec<Self> {
        let every: Vec<String> = optional().map(|one| one.name.to_owned()).collect();
        let alone = |one: &String| {
            Self::new(format!("native without {one}"), Back::Native, vec![one.clone()])
        };
        let mut all: Vec<Self> = every.iter().map(alone).collect();
        all.push(Self::new("native without any transformation".to_owned(), Back::Native, every));
        all
    }

    /// A compiler without these passes or transformations.
    pub fn new(name: String, back: Back, without: Vec<String>) -> Self {
        Self { name, back, without, max_tape: None }
    }

    /// The one in which every loop that can has checkpoints.
    pub fn saving() -> Self {
        let name = "ir with checkpoints".to_owned();
        Self { max_tape: Some(1), ..Self::new(name, Back::Evaluator, vec![]) }
    }

    /// Its engine.
    pub fn engine(&self) -> &'static str {
        match self.back {
            Back::Evaluator => "ir",
            Back::Native => "native",
        }
    }

    /// A program that asks for this.
    pub fn asked_of(&self, program: &Program) -> Program {
        Program { without_passes: self.without.clone(), ..program.clone() }
    }

    /// Whether it may refuse programs that the others take: where functions have not become known, more of
    /// them could be called in a derivative of themselves.
    pub fn may_refuse(&self) -> bool {
        self.without.iter().any(|pass| pass == SPECIALISE.name)
    }

    /// Whether it can run a file, by its path in the repository.
    pub fn takes(&self, path: &Path) -> bool {
        let keeps_all = !self.may_refuse() && self.without.iter().any(|pass| pass == "dce");
        let is_known = !self.may_refuse() || !PERTURBED.iter().any(|file| path == Path::new(file));
        let is_exact = self.max_tape.is_none() || path != Path::new(WAYS);
        is_known && is_exact && (path != Path::new(HIGH_TOWERS) || !keeps_all)
    }

    /// The one that a test of this file takes: by its path in the repository, so that over many files all
    /// have their turn.
    pub fn of_file(path: &Path) -> Self {
        let path = &in_repository(path);
        let mut all = Self::all();
        all.retain(|one| one.takes(path));
        all.swap_remove(number_of(path) as usize % all.len())
    }

    /// What testing a file found, if every line of expectation holds on the compiler that the file does not
    /// exclude. What takes more steps than these is given up.
    pub fn held(&self, files: &dyn Files, path: &Path, steps: u64) -> Result<TestReport, String> {
        let mut query = Query::new(files, REGISTRY);
        query.verify_passes = true;
        query.without_passes.clone_from(&self.without);
        let engine = Some(self.engine().to_owned());
        // Native code counts no steps.
        let steps = (self.back == Back::Evaluator).then_some(steps);
        let max_tape = self.max_tape;
        let settings = Settings { engine, steps, max_tape, ..Settings::default() };
        let failures: Vec<Diagnostic> = match test(&mut query, path, &settings) {
            Ok(report) if report.failed.is_empty() => return Ok(report),
            Ok(report) => report.failed.iter().map(|failure| failure.diagnostic()).collect(),
            Err(_) => query.diagnostics.clone(),
        };
        Err(format!("{}: {}", self.name, rendered(&query, &failures)))
    }
}
