//! The committed files of `proofs` are what the compiler gives today. `BLESS=1` writes them.

use std::path::Path;

#[test]
fn the_files_of_the_proofs_are_those_of_the_compiler() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proofs");
    for (name, text) in pullback_proofs::files() {
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(folder.join(name), &text).unwrap();
        }
        let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let line = text.lines().zip(committed.lines()).position(|(new, old)| new != old);
        assert!(
            committed == text,
            "proofs/{name} is not what the compiler gives now, from line {}: run `cargo xtask proofs`, then `make check -C proofs`",
            line.unwrap_or(0) + 1
        );
    }
}
