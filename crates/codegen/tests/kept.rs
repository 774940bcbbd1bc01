//! What threads make of data goes when nothing holds it any more, and so does what they had begun where one of them had
//! too little memory. No other test is in this process, whose memory is looked at.

mod pages;

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Level, Limits, Native, Threads, Unit};
use pullback_ir::eval::Value;

use pages::pages;

#[test]
fn what_threads_make_is_let_go_of() {
    let text = include_str!("../../../tests/threads/keeps.ir");
    let mut program = pullback_ir::parse(text, FileId(0)).expect("a program");
    let roots: Vec<_> = program.funcs.ids().take(1).collect();
    let facts = Facts::of(&mut program);
    let unit = Unit { worth: 0.0, ..Unit::of(&program, &roots, &facts) };
    let native = Native::batch(&[unit], Level::Quick, None).expect("native code").remove(0);
    let xs = Value::reals((0..300).map(|i| f64::from(i * 37 % 101) / 20.0 - 1.5).collect());
    // The smaller memory is enough for one thread and too little for what each of several makes.
    for (most, max_memory) in [1, 2, 3, 4].into_iter().flat_map(|n| [(n, 1 << 28), (n, 300_000)]) {
        let native = native.clone().on(Threads { most, worth: 0.0 });
        let limits =
            Limits { max_memory, timeout: None, since: None, tell: |_| {}, progress: None };
        let (mut held, mut before) = (vec![], vec![]);
        let args = [xs.clone()];
        let ran = native.repeat(&program, 0, &args, &limits, &mut |ran| {
            held.push(ran.held);
            before.push(pages());
            held.len() < 1500
        });
        ran.expect("results");
        // Room for constants is made in the first run.
        assert!(held[1..].iter().all(|bytes| *bytes == held[1]), "{held:?}");
        // At first threads have too little, and take more.
        let growth = before[1499].saturating_sub(before[499]);
        assert!(growth < 500, "{growth} pages in 1000 runs of {most} threads");
    }
}
