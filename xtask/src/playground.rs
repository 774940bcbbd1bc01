//! `cargo xtask playground`: the page, from the crate of that name and the folder of that name, below `target/playground`.
//!
//! WebAssembly needs a standard library of its own. Where the toolchain has one it is taken. Debian's compiler makes one
//! of its sources, with Debian's linker; `playground/prepare` installs both.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the module is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";
/// The options of the compiler: a stack for deep trees. What is only used elsewhere is no reason for a warning here.
const OPTIONS: &str = "-Clink-arg=-zstack-size=67108864 -Awarnings";

/// Makes the page; tells what went wrong.
pub fn playground(root: &Path) -> Vec<String> {
    make(root).err().into_iter().collect()
}

fn make(root: &Path) -> Result<(), String> {
    run(Command::new("bash").arg(root.join("playground/prepare")))?;
    let built = root.join("target/playground");
    let (mut cargo, library) = compiler()?;
    // Everywhere else the crate is an ordinary library.
    cargo.args(["rustc", "--locked", "--target", TARGET, "--profile", "playground"]).args(library);
    cargo.args(["-p", "pullback-playground", "--lib", "--crate-type", "cdylib"]);
    cargo.arg("--target-dir").arg(&built).env("RUSTFLAGS", OPTIONS).current_dir(root);
    run(&mut cargo)?;
    let module = built.join(TARGET).join("playground/pullback_playground.wasm");
    let builder = root.join("playground/build.mjs");
    let (packages, page) = (built.join("page"), built.join("index.html"));
    run(Command::new("node").args([builder, module, packages, page]))
}

/// Cargo, and the options that give it a standard library for the target.
fn compiler() -> Result<(Command, &'static [&'static str]), String> {
    let asked =
        Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let asked = asked.map_err(|error| format!("rustc: {error}"))?;
    if Path::new(String::from_utf8_lossy(&asked.stdout).trim()).exists() {
        return Ok((Command::new("cargo"), &[]));
    }
    let there = |path: &str| Some(PathBuf::from(path)).filter(|path| path.exists());
    let sources = there("/usr/lib/rustlib/src/rust/library");
    let (Some(cargo), Some(rustc), Some(_)) =
        (there("/usr/bin/cargo"), there("/usr/bin/rustc"), sources)
    else {
        let how = "`rustup target add wasm32-unknown-unknown`, or Debian's rust-web-src";
        return Err(format!("there is no standard library for {TARGET}: {how}"));
    };
    let mut command = Command::new(cargo);
    // The libraries of another toolchain are not this one's.
    command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTUP_TOOLCHAIN");
    command.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19");
    Ok((command, &["-Zbuild-std=std,panic_abort"]))
}

/// Runs a command to its end.
fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}
