//! The parser on good texts: no diagnostics, and the right tree.

use pullback_base::FileId;
use pullback_syntax::{ast, parse, parse_expr};

#[test]
fn samples_have_no_mistakes() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let parsed = parse(&text, FileId(0));
        assert!(parsed.diagnostics.is_empty(), "{}: {:#?}", path.display(), parsed.diagnostics);
    }
}
