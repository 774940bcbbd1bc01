//! The language server as editors start it: `client.py` beside this file is the editor.

use std::process::Command;

use crate::root;

#[test]
fn an_editor_is_served_over_standard_input_and_output() {
    let client = root().join("crates/cli/tests/commands/client.py");
    let output = Command::new("python3")
        .arg(client)
        .arg(env!("CARGO_BIN_EXE_pullback"))
        .env("XDG_CACHE_HOME", std::env::temp_dir().join("pullback-editor-test"))
        .output();
    let Ok(output) = output else {
        eprintln!("skipped: there is no `python3`");
        return;
    };
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}
