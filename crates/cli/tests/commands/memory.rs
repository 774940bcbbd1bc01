//! `--max-memory` bounds what the process takes, as the system measures it.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::root;

/// The most kibibytes that a run that ends for want of memory had in use at once.
fn peak(entry: &str, limit: &str) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(["run", "tests/cli/programs/limits.pull", entry, "--max-memory", limit])
        .current_dir(root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(kibibytes.unwrap_or(0));
        if let Some(status) = child.try_wait().expect("the command can be waited for") {
            assert_eq!(status.code(), Some(1), "{entry} ends for want of memory");
            return peak;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_run_takes_little_more_than_the_limit() {
    // Code and libraries take some 20 MiB; the allocator adds a tenth, and more for small limits.
    let allowed = (100 + 20 + 30) << 10;
    for entry in ["taped", "followed", "recursion", "listed"] {
        let peak = peak(entry, "100M");
        assert!(peak < allowed, "{entry} took {peak} KiB of {allowed}");
    }
}
