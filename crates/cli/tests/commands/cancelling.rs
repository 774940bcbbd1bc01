//! `check-grad` where terms cancel: no right derivative fails for what rounding leaves, and no wrong one hides there.

use std::fs;
use std::process::Command;

use super::root;

const FILE: &str = "tests/cli/programs/cancelling.pull";
const POINTS: [&str; 7] = ["0.7", "-2.2", "5.5", "1e-3", "17.0", "0.123456", "0.25"];
/// Where the functions called `step` jump.
const WHOLE: [&str; 2] = ["2.0", "17.0"];

/// The definitions of the file of one Real.
fn entries() -> Vec<String> {
    let text = fs::read_to_string(root().join(FILE)).expect("the file is there");
    let heads = text.lines().filter_map(|line| line.strip_prefix("def "));
    let heads = heads.filter(|head| head.contains(" (x: Real): ") || head.contains(" (_: Real): "));
    let names = heads.filter_map(|head| head.split(' ').next());
    names.filter(|name| *name != "rule").map(str::to_owned).collect()
}

#[test]
fn rounding_is_no_mistake_and_hides_none() {
    let entries = entries();
    assert!(entries.len() > 20, "the file has its definitions");
    for entry in &entries {
        let jumps = entry.starts_with("step");
        for point in if jumps { &WHOLE[..] } else { &POINTS[..] } {
            let output = Command::new(env!("CARGO_BIN_EXE_pullback"))
                .args(["check-grad", FILE, entry, &format!("({point})")])
                .current_dir(root())
                .output()
                .expect("the command starts");
            let code = i32::from(jumps || entry.starts_with("wrong"));
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(code), "{entry} at {point}:\n{text}");
        }
    }
}
