//! Mutation fuzzing: no text makes the front end or the reader of inputs panic or hang, and what the
//! front end accepts can be formatted, shown and run.
//!
//! Input: a seed and a number of cases. Each case takes a program or input file of the repository,
//! changes some of its bytes or words, and hands it to a query. Of an archive, either its bytes are
//! changed or those of an array that is then packed properly. Output: a [`Report`] with the cases
//! that panicked or took too long; each names its seed, which reproduces it alone. A case that does not
//! end is reported too: it runs on a thread of its own, which is left behind, and ends the campaign.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use pullback_engines::REGISTRY;
use pullback_session::{Call, Memory, Query, check, run};

use crate::mutants::{ARRAY, archive, formatted, limits, member, render_all, used};
use crate::{corpus, deep, input_at, root};

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// The first case's seed; the others follow.
    pub seed: u64,
    /// How many cases.
    pub count: u64,
    /// The longest time that a case may take.
    pub limit: Duration,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// How many cases ended in diagnostics.
    pub rejected: u64,
    /// How many cases had no errors.
    pub accepted: u64,
    /// What went wrong, one line a case.
    pub bugs: Vec<String>,
}

/// Runs a campaign.
pub fn fuzz(campaign: Campaign) -> Report {
    let programs = Arc::new(texts(&corpus(&["examples", "lib", "tests"], "pull")));
    let mut inputs = vec![];
    for ending in ["json", "npz", "npy", "csv"] {
        inputs.extend(corpus(&["tests/input"], ending));
    }
    let inputs = Arc::new(inputs);
    let mut report = Report::default();
    for seed in (campaign.seed..).take(campaign.count as usize) {
        let (programs, inputs) = (programs.clone(), inputs.clone());
        let start = Instant::now();
        let outcome = watched(campaign.limit, move || case(seed, &programs, &inputs));
        match outcome {
            Some(Ok(true)) => report.rejected += 1,
            Some(Ok(false)) => report.accepted += 1,
            Some(Err(reason)) => report.bugs.push(format!("seed {seed}: {reason}")),
            None => {
                let waited = start.elapsed().as_secs_f64();
                report.bugs.push(format!("seed {seed}: not done after {waited:.1} s"));
                break;
            }
        }
    }
    report
}

/// The case of a seed; says whether there were errors.
fn case(seed: u64, programs: &[(PathBuf, Vec<u8>)], inputs: &[PathBuf]) -> Result<bool, String> {
    let mut random = Random::new(seed);
    if random.below(4) == 0 && !inputs.is_empty() {
        input_case(&mut random, inputs)
    } else {
        program_case(&mut random, programs)
    }
}

/// The result of `work`, or `None` if it takes longer than the limit: it then goes on unattended.
fn watched<R: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let (sender, receiver) = mpsc::channel();
    // Nobody listens any more if it ends too late.
    std::thread::spawn(move || drop(sender.send(work())));
    receiver.recv_timeout(limit).ok()
}

/// Checks a changed program; says whether there were errors.
fn program_case(random: &mut Random, programs: &[(PathBuf, Vec<u8>)]) -> Result<bool, String> {
    let (path, text) = random.pick(programs);
    let (_, other) = random.pick(programs);
    let bytes = mutated(random, text, other);
    let files = Memory::default().with(path, bytes);
    let told = |reason: String| format!("{}: {reason}", path.display());
    let rejected = deep(|| {
        let mut query = Query::new(&files, REGISTRY);
        check(&mut query, path);
        render_all(&query);
        query.has_errors()
    });
    if rejected.clone().map_err(told)? {
        return Ok(true);
    }
    let (entry, argument, stage) = (random.next(), random.next(), random.next());
    deep(|| {
        formatted(&files, path).and_then(|text| used(&files, path, &text, [entry, argument, stage]))
    })
    .and_then(|found| found)
    .map_err(told)?;
    Ok(false)
}

/// Runs a program on a changed input; says whether there were errors.
fn input_case(random: &mut Random, inputs: &[PathBuf]) -> Result<bool, String> {
    let path = random.pick(inputs);
    let program = path.with_file_name("program.pull");
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let text = read(path)?;
    // Nested a hundred thousand deep, only the size of the case says anything new.
    let text = &text[..text.len().min(10_000)];
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let bytes = match (&*ending, random.below(2)) {
        ("csv", _) => mutated(random, text, b"x,\"y, z\"\r\n1,-2.5e3\nNaN,\n"),
        ("npy", _) | ("npz", 0) => mutated(random, text, ARRAY),
        ("json", _) => mutated(random, text, b"{\"x\": [1, -2.5e3, \"NaN\", null, true]}"),
        _ => archive(&member(&program), &mutated(random, ARRAY, ARRAY)),
    };
    let files = Memory::default().with(&program, read(&program)?).with(path, bytes);
    let call = Call {
        file: program,
        entry: "main".to_owned(),
        args: vec![],
        inputs: vec![input_at(path)],
        settings: limits(2.0),
        ..Call::default()
    };
    deep(|| {
        let mut query = Query::new(&files, REGISTRY);
        let answer = run(&mut query, &call);
        render_all(&query);
        answer.is_err()
    })
    .map_err(|reason| format!("{}: {reason}", path.display()))
}

fn texts(paths: &[PathBuf]) -> Vec<(PathBuf, Vec<u8>)> {
    let root = root();
    paths
        .iter()
        .filter_map(|path| {
            let text = std::fs::read(path).ok()?;
            let short = path.strip_prefix(&root).unwrap_or(path).to_owned();
            Some((short, text))
        })
        .collect()
}

/// Words that the grammar gives a meaning, and some that it does not.
const WORDS: &[&str] = &[
    "def ",
    "type ",
    "let ",
    " in ",
    "if ",
    " then ",
    " else ",
    "match ",
    " with ",
    "loop ",
    " for ",
    " while ",
    " do ",
    "rec ",
    " and ",
    "import ",
    "->",
    "<-",
    "|",
    "|>",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "=",
    "==",
    "~=",
    "--@ ",
    "-- ",
    "\"",
    "\\",
    "\\x -> ",
    ",",
    ":",
    ".",
    ".0",
    "^",
    "*.",
    ".+",
    ".-",
    "^.",
    "@",
    "-",
    "0",
    "1e308",
    "9223372036854775808",
    "nan",
    "grad ",
    "vjp ",
    "[n]",
    "Real",
    "x",
    "_",
    "\u{3b1}",
    "\u{0}",
    "\n",
    "\t",
];

/// The text with one to six changes.
fn mutated(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(24)).min(bytes.len());
        match random.below(9) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            3 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            4 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            5 => {
                let from = random.below(other.len() + 1);
                let to = (from + random.below(80)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].to_vec()));
            }
            6 => {
                let times = 1 + random.below(2000);
                let word = random.pick(WORDS).repeat(times);
                drop(bytes.splice(at..at, word.into_bytes()));
            }
            _ => drop(bytes.splice(at..end, random.pick(WORDS).bytes())),
        }
    }
    bytes
}

/// Steele, Lea and Flood's SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A number below `bound`, which is small; 0 if `bound` is.
    fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }
    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_end_is_given_up() {
        let limit = Duration::from_millis(20);
        let endless = || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        };
        assert_eq!(watched::<()>(limit, endless), None);
        assert_eq!(watched(Duration::from_secs(60), || 1), Some(1));
    }
}
