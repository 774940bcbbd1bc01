//! Snapshots: files beside a test that say what must come out. `BLESS=1` rewrites them.

use std::path::Path;

/// Compares text with the snapshot at `path`; the error shows the first line that differs.
pub fn matches(path: &Path, found: &str) -> Result<(), String> {
    if std::env::var_os("BLESS").is_some() {
        return write(path, found).map_err(|error| format!("{}: {error}", path.display()));
    }
    let expected = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "{}: {error}\nrun the tests with BLESS=1 to write it; found:\n{found}",
            path.display()
        )
    })?;
    if expected == found {
        return Ok(());
    }
    let same = expected.lines().zip(found.lines()).take_while(|(a, b)| a == b).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("<end>").to_owned();
    Err(format!(
        "{}:{}: the snapshot differs (BLESS=1 rewrites it)\nexpected: {}\n   found: {}\nall that was found:\n{found}",
        path.display(),
        same + 1,
        line(&expected),
        line(found)
    ))
}

/// Writes a snapshot if it changes, so that unchanged ones keep their time.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    std::fs::write(path, text)
}
