//! How far evaluation says it is, beside what a loop of known length must have done.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pullback_base::{Counted, Progress, Stand};
use pullback_engine::BUILT_IN;
use pullback_session::{Call, Memory, Query, Settings, grad, run};

/// Evaluators look up every 65,536 steps; a step is an iteration of any loop, or a call.
const LOOKED_AT: u64 = 1 << 16;

const NESTED: &str = "\
def counted (x: Real): Real =
  loop a = x for _ < 1000 do loop b = a for _ < 1000 do sin b
def until (x: Real): Real =
  let (a, _) = loop (a, i) = (x, 0) while i != 1000 do (loop b = a for _ < 1000 do sin b, i + 1) in a
def inner (x: Real): Real = loop b = x for _ < 1000 do sin b
def called (x: Real): Real = loop a = x for _ < 1000 do inner a
def apart (x: Real): Real = loop b = (loop a = x for _ < 10 do sin a) for _ < 1000 do inner b
def deep (x: Real) (n: Int): Real = if n == 0 then x else sin (deep x (n - 1))
def recursive (x: Real): Real = sum [ deep x 40 | _ < 5000 ]
";

const LONG: &str = "\
def step (x: Real) (total: Real): Real = sum [ sin (x * real k + total) | k < 2000 ]
def work (x: Real) (n: Int): Real = loop total = x for _ < n do step x total
def until (x: Real) (n: Int): Real =
  let (total, _) = loop (total, i) = (x, 0) while i != n do (step x total, i + 1) in total
";

fn call(entry: &str, args: &[&str], engine: &str, progress: &Arc<Progress>) -> Call {
    Call {
        file: PathBuf::from("a.pull"),
        entry: entry.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        settings: Settings {
            engine: Some(engine.to_owned()),
            progress: Some(progress.clone()),
            ..Settings::default()
        },
        ..Call::default()
    }
}

/// What is told at the first look, when somebody has asked.
fn first_stand(entry: &str, engine: &str) -> Option<Stand> {
    let progress = Arc::new(Progress::default());
    progress.ask();
    let files = Memory::default().with("a.pull", NESTED);
    let mut query = Query::new(&files, BUILT_IN);
    let answer = run(&mut query, &call(entry, &["0.5"], engine, &progress));
    assert!(answer.is_ok(), "{:?}", query.diagnostics);
    progress.stand()
}

#[test]
fn evaluators_tell_the_outermost_loop() {
    // The inner loops take 1,000 steps, so the outer one has done 65 iterations at the first look.
    let of = |done, all| Some(Stand { counted: Counted::Iterations, done, all });
    assert_eq!(LOOKED_AT / 1000, 65);
    for engine in ["trace", "ir"] {
        for (entry, all) in [("counted", Some(1000)), ("until", None), ("called", Some(1000))] {
            assert_eq!(first_stand(entry, engine), of(65, all), "{entry} on {engine}");
        }
        assert_eq!(first_stand("apart", engine), of(65, Some(1000)), "{engine}");
    }
    // Each of its iterations makes 41 calls.
    let stand = first_stand("recursive", "trace").expect("a stand");
    assert_eq!(stand.all, Some(5000));
    assert!((LOOKED_AT / 43..=LOOKED_AT / 41).contains(&stand.done), "{stand:?}");
}

#[test]
fn whoever_does_not_ask_is_told_nothing() {
    let progress = Arc::new(Progress::default());
    let files = Memory::default().with("a.pull", NESTED);
    let mut query = Query::new(&files, BUILT_IN);
    assert!(run(&mut query, &call("counted", &["0.5"], "trace", &progress)).is_ok());
    assert_eq!(progress.stand(), None);
}

/// All that is told while something runs, each once.
fn seen(call: &Call, progress: &Arc<Progress>, differentiate: bool) -> Vec<Stand> {
    let is_over = Arc::new(AtomicBool::new(false));
    let (watched, over) = (progress.clone(), is_over.clone());
    let watcher = std::thread::spawn(move || {
        let mut seen: Vec<Stand> = vec![];
        while !over.load(Ordering::Relaxed) {
            watched.ask();
            std::thread::sleep(Duration::from_millis(1));
            let stand = watched.stand();
            seen.extend(stand.filter(|stand| seen.last() != Some(stand)));
        }
        seen
    });
    let files = Memory::default().with("a.pull", LONG);
    let mut query = Query::new(&files, BUILT_IN);
    let answer = if differentiate { grad(&mut query, call, &[]) } else { run(&mut query, call) };
    is_over.store(true, Ordering::Relaxed);
    assert!(answer.is_ok(), "{:?}", query.diagnostics);
    watcher.join().expect("a watcher")
}

/// What is told while a loop runs that goes on long enough for many looks at each of these counts, and how many
/// iterations it has. How long it takes says little: a machine may be busy, and native code is compiled first.
fn seen_often(
    entry: &str,
    engine: &str,
    counts: &[Counted],
    differentiate: bool,
) -> (u64, Vec<Stand>) {
    let mut n = 64;
    loop {
        let progress = Arc::new(Progress::default());
        let call = call(entry, &["0.5", &n.to_string()], engine, &progress);
        let stands = seen(&call, &progress, differentiate);
        if engine == "native" {
            assert_eq!(progress.stand(), None, "nothing is under way at the end");
        }
        let often = |counted: &Counted| {
            stands.iter().filter(|stand| stand.counted == *counted).count() >= 20
        };
        if counts.iter().all(often) {
            return (n, stands);
        }
        assert!(n < 1 << 20, "{entry} on {engine}: {stands:?}");
        n *= 2;
    }
}

#[test]
fn loops_are_counted_while_they_run() {
    for engine in ["trace", "ir", "native"] {
        for entry in ["work", "until"] {
            let (n, stands) = seen_often(entry, engine, &[Counted::Iterations], false);
            let (about, all) = (format!("{entry} on {engine}: {stands:?}"), Some(n));
            let all = if entry == "work" { all } else { None };
            assert!(stands.iter().all(|stand| stand.all == all && stand.done <= n), "{about}");
            assert!(stands.iter().all(|stand| stand.counted == Counted::Iterations), "{about}");
            assert!(stands.is_sorted_by_key(|stand| stand.done), "{about}");
            assert!(stands.iter().any(|stand| stand.done > n / 2), "{about}");
        }
    }
}

#[test]
fn a_gradient_is_counted_there_and_back() {
    for (engine, back) in
        [("trace", Counted::Operations), ("ir", Counted::Backward), ("native", Counted::Backward)]
    {
        let (_, stands) = seen_often("work", engine, &[Counted::Iterations, back], true);
        let about = format!("{engine}: {stands:?}");
        let turn = stands.iter().position(|stand| stand.counted == back).expect(&about);
        let (forward, backward) = stands.split_at(turn);
        assert!(forward.iter().all(|stand| stand.counted == Counted::Iterations), "{about}");
        assert!(backward.iter().all(|stand| stand.counted == back), "{about}");
        for half in [forward, backward] {
            assert!(half.is_sorted_by_key(|stand| stand.done), "{about}");
            assert!(half.iter().any(|stand| stand.done * 2 > stand.all.unwrap_or(0)), "{about}");
        }
    }
}
