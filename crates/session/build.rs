//! Embeds what the binary carries with it: the pages of the diagnostics and of the language, and the library's
//! modules.
//!
//! Input: `docs/errors/*.md`, `docs/language.md` and `lib/*.pull` of the repository. Output: `embedded.rs` with the tables
//! `PAGES` and `MODULES`, sorted by name, and `LANGUAGE`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.join("../..").canonicalize()?;
    let mut text = String::new();
    table(&mut text, "PAGES", &root.join("docs/errors"), "md")?;
    table(&mut text, "MODULES", &root.join("lib"), "pull")?;
    let language = root.join("docs/language.md");
    println!("cargo::rerun-if-changed={}", language.display());
    let _ = writeln!(text, "/// The page on the language.");
    let _ = writeln!(
        text,
        "pub const LANGUAGE: &str = include_str!({:?});",
        language.display().to_string()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("embedded.rs"), text)
}

/// A constant with the stem and the content of every file of a folder.
fn table(text: &mut String, name: &str, folder: &Path, ending: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?,
        Err(_) => Vec::new(),
    };
    paths.retain(|path| path.extension().is_some_and(|found| found == ending));
    paths.sort();
    let _ = writeln!(text, "/// Name and content of every file.");
    let _ = writeln!(text, "pub const {name}: &[(&str, &str)] = &[");
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(text, "    ({:?}, include_str!({:?})),", stem, path.display().to_string());
    }
    let _ = writeln!(text, "];");
    Ok(())
}
