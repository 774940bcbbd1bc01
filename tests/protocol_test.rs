//! The protocol of GradBench: recorded inputs as messages, and messages that are wrong.

use pullback_suite::{RECORDED, deep, recorded, replayed, tool};
use serde_json::{Value, json};

#[test]
fn recorded_inputs_give_recorded_outputs() {
    let problems = deep(|| {
        let mut tool = tool(None);
        let mut problems = vec![];
        for (eval, count) in RECORDED {
            let defined =
                tool.answer(&format!(r#"{{"id": 7, "kind": "define", "module": "{eval}"}}"#));
            let defined: Value = serde_json::from_str(&defined).expect("JSON");
            assert_eq!((&defined["id"], &defined["success"]), (&json!(7), &json!(true)), "{eval}");
            assert!(defined["timings"][0]["nanoseconds"].as_u64().is_some());
            let lines = recorded(eval).expect("the recorded lines can be read");
            assert_eq!(lines.len(), *count);
            problems.extend(lines.iter().filter_map(|line| replayed(&mut tool, eval, line)));
        }
        problems
    });
    let problems = problems.expect("the tool answers");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn other_engines_take_part() {
    let problems = deep(|| {
        let mut problems = vec![];
        for engine in ["ir", "trace", "dual"] {
            let mut tool = tool(Some(engine));
            for eval in ["hello", "llsq", "ba"] {
                let lines = recorded(eval).expect("the recorded lines can be read");
                problems.extend(
                    lines.iter().take(2).filter_map(|line| replayed(&mut tool, eval, line)),
                );
            }
        }
        problems
    });
    assert_eq!(problems.expect("the tool answers"), Vec::<String>::new());
}

/// Messages that are wrong, and a part of what their answers say.
const WRONG: &[(&str, &str)] = &[
    ("nonsense", "not JSON"),
    ("\u{0}", "not JSON"),
    (r#"{"id": 1, "kind": "eval"#, "not JSON"),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "hello", "function": "square", "input": NaN}"#,
        "not JSON",
    ),
    ("[1, 2]", "`id`"),
    ("{}", "`id`"),
    (r#"{"id": 1}"#, "no `kind`"),
    (r#"{"id": 1, "kind": 5}"#, "`kind` is a number"),
    (r#"{"id": 1, "kind": "define"}"#, "no `module`"),
    (r#"{"id": 1, "kind": "define", "module": "../ba"}"#, "no module `../ba`"),
    (r#"{"id": 1, "kind": "evaluate"}"#, "no `module`"),
    (r#"{"id": 1, "kind": "evaluate", "module": "det"}"#, "no `function`"),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "minor"}"#,
        "no function `minor`",
    ),
    (r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal"}"#, "no `input`"),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "hello", "function": "square", "input": "2"}"#,
        "expected a Real",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "hello", "function": "square", "input": 1e999}"#,
        "too large",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal", "input": {"ell": 2}}"#,
        "no `a`",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal", "input": 3}"#,
        "expected a list",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal", "input": {"A": [1, 2], "ell": 2}}"#,
        "E0701",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal", "input": {"A": [1], "ell": 1000000000000}}"#,
        "E0709",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "kmeans", "function": "cost", "input": {"points": [[1, 2], [3]], "centroids": [[1, 2]]}}"#,
        "has size 1",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "kmeans", "function": "cost", "input": {"points": [[1, 2]], "centroids": [[1]]}}"#,
        "size",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1], "min_runs": 1e300}}"#,
        "`min_runs`",
    ),
    (
        r#"{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1], "min_seconds": "long"}}"#,
        "`min_seconds`",
    ),
];

#[test]
fn wrong_messages_get_answers_that_say_so() {
    deep(|| {
        let mut tool = tool(Some("ir"));
        let nested = format!(r#"{{"id": 1, "kind": "evaluate", "input": {}"#, "[".repeat(100_000));
        let wrong = WRONG.iter().copied().chain([(nested.as_str(), "not JSON")]);
        for (message, why) in wrong {
            let text = tool.answer(message);
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(answer["success"], json!(false), "{message}: {text}");
            assert!(answer["error"].as_str().is_some_and(|error| error.contains(why)), "{message}: {text}");
            assert!(!text.contains('\n'));
            let message = r#"{"id": "a\nb", "kind": "evaluate", "module": "hello", "function": "double", "input": 3.0}"#;
            let answer: Value = serde_json::from_str(&tool.answer(message)).expect("JSON");
            assert_eq!((&answer["id"], &answer["output"]), (&json!("a\nb"), &json!(6.0)));
        }
        for message in [r#"{"id": {"a": 1}, "kind": "analysis"}"#, r#"{"kind": "new", "id": {"a": 1}}"#] {
            let answer: Value = serde_json::from_str(&tool.answer(message)).expect("JSON");
            assert_eq!(answer, json!({"id": {"a": 1}}));
        }
        let start = tool.answer(r#"{"id": 0, "kind": "start", "eval": "ba"}"#);
        assert_eq!(start, r#"{"id": 0, "tool": "pullback"}"#);
    })
    .expect("the tool answers");
}
