//! The suite as native code under AddressSanitizer and UndefinedBehaviorSanitizer: `cargo xtask sanitize`.
//!
//! Input: which files. A compiler that adds the sanitizers is put in the place of `cc`, the sanitizers are loaded before
//! everything else, and `cargo xtask suite --engine native` runs so; every block of native code is one of the system's.
//! Output: what went wrong; a sanitizer that has found something ends the run with its report.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use pullback_suite::root;

const SANITIZERS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all -DPB_SMALL=0";

/// Runs the suite, or the files whose path has this in it.
pub fn sanitize(only: Option<&str>) -> Vec<String> {
    match start(only) {
        Ok(true) => vec![],
        Ok(false) => vec!["the suite does not hold under the sanitizers".to_owned()],
        Err(problem) => vec![problem],
    }
}

fn start(only: Option<&str>) -> Result<bool, String> {
    let told = |error: std::io::Error| error.to_string();
    let folder = root().join("target/sanitize");
    std::fs::create_dir_all(&folder).map_err(told)?;
    let compiler = folder.join("cc");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] || set -- \"$@\" {SANITIZERS}\nexec cc \"$@\"\n"
    );
    std::fs::write(&compiler, text).map_err(told)?;
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).map_err(told)?;
    let libraries = [runtime("libasan.so")?, runtime("libubsan.so")?].join(" ");
    let own = std::env::current_exe().map_err(told)?;
    let mut command = Command::new(own);
    command.args(["suite", "--engine", "native"]);
    command.args(only.iter().flat_map(|only| ["--only", *only]));
    command
        .env("CC", compiler)
        .env("PULLBACK_CACHE", "off")
        .env("LD_PRELOAD", libraries)
        // What Pullback itself holds at its end is its own affair.
        .env("ASAN_OPTIONS", "detect_leaks=0");
    Ok(command.status().map_err(told)?.success())
}

/// Where the compiler has a sanitizer.
fn runtime(name: &str) -> Result<String, String> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output();
    let output = output.map_err(|error| format!("there is no C compiler: {error}"))?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if path.starts_with('/') { Ok(path) } else { Err(format!("the C compiler has no {name}")) }
}
