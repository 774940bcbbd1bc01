//! `cargo xtask install`: what `cargo install` leaves, as `docs/install.md` has it, and whether it stays small and works.

use std::path::Path;
use std::process::Command;

/// How many bytes the program may have.
const MOST: u64 = 18_000_000;

/// Installs the program below `target/install`; tells what is wrong with it.
pub fn install(root: &Path, say: &mut dyn FnMut(&str)) -> Vec<String> {
    make(root, say).err().into_iter().collect()
}

fn make(root: &Path, say: &mut dyn FnMut(&str)) -> Result<(), String> {
    let folder = root.join("target/install");
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--locked", "--profile", "dist", "--path", "crates/cli", "--force"]);
    cargo.arg("--root").arg(&folder).arg("--target-dir").arg(root.join("target"));
    let status = cargo.current_dir(root).status().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(format!("cargo: {status}"));
    }
    let program = folder.join("bin").join(format!("pullback{}", std::env::consts::EXE_SUFFIX));
    let size = program.metadata().map_err(|error| error.to_string())?.len();
    say(&format!("{size} bytes"));
    let mut grad = Command::new(&program);
    grad.args(["grad", "examples/newton.pull", "square_root", "2.0", "--engine", "native"]);
    let output = grad.current_dir(root).output().map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stdout);
    // 1 / (2 √2)
    if !output.status.success() || !told.contains("a = 0.353553390593273") {
        return Err(format!("the program does not work: {told}"));
    }
    if size > MOST { Err(format!("more than {MOST} bytes")) } else { Ok(()) }
}
