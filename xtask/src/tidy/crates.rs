//! Data flows one way: which crate may import which.

use super::repository::Repository;

/// Each crate of the workspace with the crates of the workspace it may import.
const ARROWS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("syntax", &["base"]),
    ("knossos", &["base"]),
    ("prim", &["base"]),
    ("routines", &["prim"]),
    ("machine", &["base", "prim"]),
    ("lambda", &["base", "prim"]),
    ("types", &["base", "prim", "syntax", "lambda"]),
    ("eval", &["base", "prim", "routines", "machine", "lambda"]),
    ("reduce", &["base", "prim", "lambda"]),
    ("ir", &["base", "prim", "routines", "machine"]),
    ("analysis", &["base", "prim", "ir"]),
    ("sparse", &["base", "prim", "machine", "ir", "analysis"]),
    ("lower", &["base", "prim", "lambda", "reduce", "ir", "analysis"]),
    ("ad", &["base", "prim", "ir", "analysis"]),
    ("opt", &["base", "prim", "ir", "analysis"]),
    ("proofs", &["base", "prim", "ir", "ad"]),
    ("codegen", &["base", "prim", "routines", "ir", "analysis", "sparse"]),
    (
        "compile",
        &[
            "base", "prim", "lambda", "reduce", "eval", "ir", "analysis", "lower", "ad", "opt",
            "codegen", "sparse",
        ],
    ),
    ("engine", &["base", "prim", "lambda", "reduce", "eval", "compile"]),
    (
        "engines",
        &[
            "compile", "engine", "base", "prim", "lambda", "reduce", "eval", "ir", "analysis",
            "lower", "ad", "opt", "codegen",
        ],
    ),
    ("oracle", &["base", "prim", "lambda", "eval"]),
    ("data", &["base", "prim", "lambda", "eval"]),
    (
        "session",
        &[
            "base", "knossos", "prim", "syntax", "types", "lambda", "reduce", "eval", "compile",
            "codegen", "engine", "data", "sparse",
        ],
    ),
    (
        "tools",
        &[
            "base", "prim", "syntax", "types", "lambda", "reduce", "eval", "ir", "analysis", "ad",
            "opt", "codegen", "compile", "engine", "engines", "oracle", "data", "session",
            "sparse",
        ],
    ),
    ("ide", &["base", "syntax", "types", "session", "tools"]),
    ("lsp", &["base", "session", "ide"]),
    ("prompt", &["base", "syntax", "session", "tools", "ide"]),
    ("playground", &["base", "syntax", "types", "engines", "session", "tools", "ide"]),
    ("cli", &["base", "codegen", "data", "engines", "session", "tools", "lsp", "prompt"]),
    (
        "embed",
        &[
            "base", "syntax", "types", "lambda", "ir", "analysis", "codegen", "engine", "session",
            "sparse", "tools",
        ],
    ),
];

/// Imports against the arrows, and crates without arrows. What only tests import is free.
pub fn arrows(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, text) in &repository.files {
        let Some(name) =
            path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml"))
        else {
            continue;
        };
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
            breaches.push(format!("{path}: the crate `{name}` has no line in the table of arrows"));
            continue;
        };
        for import in imports(text) {
            if !allowed.contains(&import) {
                breaches.push(format!("{path}: `{name}` may not import `{import}`"));
            }
        }
    }
    breaches
}

/// The workspace crates below `[dependencies]`.
fn imports(manifest: &str) -> Vec<&str> {
    let mut inside = false;
    let mut imports = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if inside && let Some(rest) = line.strip_prefix("pullback-") {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
            imports.push(&rest[..end]);
        }
    }
    imports
}
