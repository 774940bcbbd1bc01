//! The recorded lines of the GradBench suite, on the default engine and on the compiler.

use pullback_suite::{Configuration, RECORDED, corpus, deep, gradbench, recorded};
use serde_json::json;

fn holds(eval: &str) {
    let problems = deep(|| {
        let lines = recorded(eval).expect("the recorded lines can be read");
        let known = RECORDED.iter().find(|(name, _)| *name == eval);
        assert_eq!(known.map(|(_, count)| *count), Some(lines.len()), "{eval}");
        // On the compiler, each line takes another way, and each eval starts with another one.
        let mut ways = Configuration::all().into_iter().cycle().skip(eval.len());
        let mut problems = vec![];
        for line in &lines {
            problems.extend(gradbench(eval, line, None));
            let way = ways.next().expect("ways without end");
            let problem = gradbench(eval, line, Some(&way));
            problems.extend(problem.map(|problem| format!("{}: {problem}", way.name)));
        }
        problems
    });
    let problems = problems.expect("the recorded lines can be run");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

macro_rules! evals {
    ($($eval:ident)*) => {
        $(#[test]
        fn $eval() {
            holds(stringify!($eval));
        })*

        #[test]
        fn every_recorded_eval_is_tried() {
            let tried = [$(stringify!($eval)),*];
            let files = corpus(&["tests/gradbench"], "jsonl");
            assert_eq!(files.len(), tried.len());
            assert!(RECORDED.iter().all(|(name, _)| tried.contains(name)));
        }
    };
}

evals! { ba det gmm hello ht kmeans llsq lse lstm ode particle saddle }

#[test]
fn a_small_error_is_found() {
    let mut line = recorded("gmm").expect("lines").remove(1);
    assert_eq!(gradbench("gmm", &line, None), None);
    let entry = &mut line["output"]["mu"][0][1];
    *entry = json!(entry.as_f64().unwrap_or_default() + 3e-8);
    assert!(gradbench("gmm", &line, None).is_some_and(|told| told.contains("mu[0][1]")));
}
