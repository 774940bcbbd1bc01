//! Every program of the repository infers without a diagnostic.

use std::path::{Path, PathBuf};

fn programs(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "pull") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn programs_have_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for dir in ["examples", "lib", "tests/ad", "tests/run"] {
        programs(&root.join(dir), &mut found);
    }
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = String::new();
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a listed file");
        let shown = path.display().to_string();
        // Programs of several files are the concern of the crate `session`.
        if text.contains("\nimport ") || text.starts_with("import ") || !shown.contains(&only) {
            continue;
        }
        let prelude = !shown.ends_with("prelude.pull");
        let inferred = crate::support::infer_files(&[(&shown, &text)], prelude);
        wrong += &inferred.messages();
        if !only.is_empty() {
            for (name, _) in inferred.scopes.globals(inferred.main) {
                println!("{name} : {}", inferred.scheme(name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
