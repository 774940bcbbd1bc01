//! `gradbench` as a process: it answers every line at once, and ends quietly.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use super::root;

#[test]
fn lines_are_answered_as_they_come() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(["gradbench", "--engine", "ir", "--multithreaded"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("an input");
    let mut answers = BufReader::new(child.stdout.take().expect("an output")).lines();
    let square =
        r#"{"id": 3, "kind": "evaluate", "module": "hello", "function": "square", "input": 3}"#;
    let nan =
        r#"{"kind": "evaluate", "id": 4, "module": "hello", "input": [1.0, NaN], "function": "f"}"#;
    let lines: [(&[u8], &str); 5] = [
        (b"{\"id\": 0, \"kind\": \"start\"}", r#"{"id": 0, "tool": "pullback"}"#),
        (
            b"\xff\xfe",
            r#"{"id": null, "success": false, "error": "the message is not UTF-8 text"}"#,
        ),
        (b"\n{\"id\": 1, \"kind\": \"analysis\"}", r#"{"id": 1}"#),
        (square.as_bytes(), r#"{"id": 3, "success": true, "output": 9.0, "timings": "#),
        (
            nan.as_bytes(),
            r#"{"id": 4, "success": false, "error": "not JSON: JSON has no such number"#,
        ),
    ];
    for (line, expected) in lines {
        input.write_all(line).expect("room");
        input.write_all(b"\n").expect("room");
        let answer = answers.next().expect("an answer").expect("text");
        assert!(answer.starts_with(expected), "{answer}");
    }
    drop(input);
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_wrong_engine_is_wrong_usage() {
    for engine in ["nothing", "delta"] {
        let line = format!("gradbench --engine {engine}");
        let (code, out, errors) = super::output(&line);
        assert_eq!((code.as_str(), out.len()), ("2", 0), "{line}");
        assert!(errors[0].starts_with("error[E0812]"), "{errors:?}");
    }
}
