//! Compiles the precompiled part of the runtime, where there is a C compiler: without it programs bring their own.

use std::fmt::Write;
use std::path::{Path, PathBuf};

#[expect(dead_code, reason = "programs have the types of functions, and this their addresses")]
#[path = "src/emit/precompiled.rs"]
mod precompiled;

use precompiled::{FILES, HOST, LANE_FILES, lane_table, table};

/// The kinds of vectors for which there are functions, with how compilers call the processors that have them.
const VECTORS: [(&str, &str); 2] = [("v3", "-march=x86-64-v3"), ("v4", "-march=x86-64-v4")];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(precompiled)");
    println!("cargo::rustc-check-cfg=cfg(precompiled_lanes)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/emit/precompiled.rs");
    for (name, _) in FILES.iter().chain(&LANE_FILES) {
        println!("cargo::rerun-if-changed=src/runtime/{name}");
    }
    let is_unix = std::env::var_os("CARGO_CFG_UNIX").is_some();
    let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from).filter(|_| is_unix) else {
        return;
    };
    if !compiles(&folder, ("precompiled", 2), &text(), &[]) {
        return;
    }
    println!("cargo::rustc-cfg=precompiled");
    let is_x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "x86_64");
    let vectors = |(name, march): (&str, &str)| {
        let flags = [march, "-ffp-contract=fast", "-fno-trapping-math", "-DPB_CONTRACTS"];
        // Rows are turned in registers, which takes loops that are unrolled.
        compiles(&folder, (&format!("lanes_{name}"), 3), &lanes(name), &flags)
    };
    if is_x86 && VECTORS.into_iter().all(vectors) {
        println!("cargo::rustc-cfg=precompiled_lanes");
    }
}

/// Whether a text can be compiled at a level of optimisation with these flags too, which it then is.
fn compiles(folder: &Path, (name, level): (&str, u32), text: &str, flags: &[&str]) -> bool {
    let file = folder.join(format!("{name}.c"));
    if std::fs::write(&file, text).is_err() {
        return false;
    }
    let mut build = cc::Build::new();
    build
        .file(&file)
        .std("gnu11")
        .opt_level(level)
        .warnings(false)
        .pic(true)
        .cargo_warnings(false)
        .emit_rerun_if_env_changed(false);
    for flag in ["-fvisibility=hidden", "-fno-strict-aliasing", "-fno-math-errno"] {
        build.flag(flag);
    }
    for flag in flags {
        build.flag(flag);
    }
    build.try_compile(&format!("pullback_{name}")).is_ok()
}

/// The files, with the table at the end.
fn text() -> String {
    let mut text = files(&FILES);
    text.push_str("void *const pullback_precompiled[] = {");
    for name in table() {
        let address = if *name == precompiled::UNDEFINED { "&" } else { "" };
        let _ = write!(text, "(void *){address}{name}, ");
    }
    text + "(void *)sizeof(pb_ctx)};\n"
}

/// The files with functions of vectors, with the table for one kind of vectors at the end.
fn lanes(kind: &str) -> String {
    let mut text = files(&LANE_FILES);
    let _ = write!(text, "void *const pullback_lanes_{kind}[] = {{");
    for name in lane_table() {
        let _ = write!(text, "(void *){name}, ");
    }
    text + "};\n"
}

/// What files define, for this crate alone.
fn files(files: &[(&str, &str)]) -> String {
    let mut text = String::from("#define _GNU_SOURCE\n");
    for (_, file) in files {
        // The system takes its memory back when the process ends.
        let file = file.replace("__attribute__((destructor)) ", "PB_UNUSED ");
        text.push_str(&file.replace(HOST, "static "));
    }
    text
}
