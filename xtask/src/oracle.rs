//! The oracle's two long checks: the walk over the primitive table and the campaign of random programs.
//! Both give their report as text and what went wrong, one line each.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pullback_engines::{ENGINES, EngineInfo, modes};
use pullback_oracle::fuzz::{Campaign, Disagreement, Statistics};
use pullback_suite::{random_programs, walk_table};

/// Every primitive × engine × order up to this one, for the engines of these names or for all.
pub fn table(names: &[String], orders: usize) -> (String, Vec<String>) {
    match engines(names).and_then(|engines| walk_table(&engines, orders)) {
        Ok(report) => (report.to_string(), report.failures),
        Err(problem) => (String::new(), vec![problem]),
    }
}

/// The engines and modes of these names, or all that need no compiler.
fn engines(names: &[String]) -> Result<Vec<&'static EngineInfo>, String> {
    let all = || modes().chain(ENGINES.iter().filter(|engine| engine.needs_compiler()));
    if let Some(unknown) = names.iter().find(|name| !all().any(|mode| mode.name == **name)) {
        return Err(format!("there is no engine `{unknown}`"));
    }
    if names.is_empty() {
        return Ok(modes().collect());
    }
    Ok(all().filter(|engine| names.iter().any(|wanted| wanted == engine.name)).collect())
}

/// Random programs, for the engines of these names or for all. Now and then a line on standard error says
/// how far it is; a disagreement is told at once.
pub fn fuzz(campaign: Campaign, names: &[String], passes: bool) -> (String, Vec<String>) {
    let line = |found: &Disagreement| format!("seed {}: {}", found.seed, found.what);
    let progress = Progress::new(campaign.count);
    let watch = |part, numbers: &Statistics| progress.watch(part, numbers);
    let run =
        |engines: Vec<&'static EngineInfo>| random_programs(campaign, &engines, passes, &watch);
    match engines(names).and_then(run) {
        Ok(statistics) => {
            (statistics.to_string(), statistics.disagreements.iter().map(line).collect())
        }
        Err(problem) => (String::new(), vec![problem]),
    }
}

/// How often the progress is told.
const EVERY: Duration = Duration::from_secs(10);

/// How far a campaign is.
struct Progress {
    count: u64,
    start: Instant,
    threads: Mutex<Threads>,
}

/// What each thread has done.
#[derive(Default)]
struct Threads {
    /// Programs and disagreements.
    done: BTreeMap<u64, (u64, usize)>,
    told: Duration,
}

impl Progress {
    fn new(count: u64) -> Self {
        Self { count, start: Instant::now(), threads: Mutex::default() }
    }

    #[expect(clippy::print_stderr, reason = "this is a command")]
    fn watch(&self, part: u64, numbers: &Statistics) {
        let Ok(mut threads) = self.threads.lock() else { return };
        let before = threads.done.get(&part).map_or(0, |(_, found)| *found);
        threads.done.insert(part, (numbers.count(), numbers.disagreements.len()));
        for found in &numbers.disagreements[before..] {
            eprintln!("disagreement, seed {}: {}\n{}", found.seed, found.what, found.text);
        }
        let taken = self.start.elapsed();
        if taken < threads.told + EVERY {
            return;
        }
        threads.told = taken;
        let (done, found) =
            threads.done.values().fold((0, 0), |(done, found), (a, b)| (done + a, found + b));
        let left = taken.as_secs_f64() * (self.count.saturating_sub(done)) as f64 / done as f64;
        eprintln!(
            "{done} of {} programs in {} s, {found} disagreements; about {} s to go",
            self.count,
            taken.as_secs(),
            left.ceil()
        );
    }
}
