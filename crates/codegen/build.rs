//! Compiles the precompiled part of the runtime, where there is a C compiler: without it programs bring their own.

use std::fmt::Write;
use std::path::PathBuf;

#[expect(dead_code, reason = "programs have the types of functions, and this their addresses")]
#[path = "src/emit/precompiled.rs"]
mod precompiled;

use precompiled::{FILES, HOST, table};

fn main() {
    println!("cargo::rustc-check-cfg=cfg(precompiled)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/emit/precompiled.rs");
    for (name, _) in FILES {
        println!("cargo::rerun-if-changed=src/runtime/{name}");
    }
    let is_unix = std::env::var_os("CARGO_CFG_UNIX").is_some();
    let Some(folder) = std::env::var_os("OUT_DIR").map(PathBuf::from).filter(|_| is_unix) else {
        return;
    };
    let file = folder.join("precompiled.c");
    if std::fs::write(&file, text()).is_err() {
        return;
    }
    let mut build = cc::Build::new();
    build
        .file(&file)
        .std("gnu11")
        .opt_level(2)
        .warnings(false)
        .pic(true)
        .cargo_warnings(false)
        .emit_rerun_if_env_changed(false);
    for flag in ["-fvisibility=hidden", "-fno-strict-aliasing", "-fno-math-errno"] {
        build.flag(flag);
    }
    if build.try_compile("pullback_precompiled").is_ok() {
        println!("cargo::rustc-cfg=precompiled");
    }
}

/// The files, with the table at the end.
fn text() -> String {
    let mut text = String::from("#define _GNU_SOURCE\n");
    for (_, file) in FILES {
        // The system takes its memory back when the process ends.
        let file = file.replace("__attribute__((destructor)) ", "PB_UNUSED ");
        text.push_str(&file.replace(HOST, "static "));
    }
    text.push_str("void *const pullback_precompiled[] = {");
    for name in table() {
        let address = if *name == precompiled::UNDEFINED { "&" } else { "" };
        let _ = write!(text, "(void *){address}{name}, ");
    }
    text + "(void *)sizeof(pb_ctx)};\n"
}
