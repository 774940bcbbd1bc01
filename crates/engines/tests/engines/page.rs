//! `docs/engines.md` is what the table of engines says. `BLESS=1` writes it; what the worked examples print
//! is recorded by the test that runs the sessions in the documentation.

use std::collections::BTreeMap;
use std::path::Path;

use pullback_engines::{ENGINES, page};

/// What each command printed when the document was written.
fn recorded(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut command = None;
    for line in text.lines() {
        if line.starts_with("```") {
            command = None;
        } else if line.starts_with("$ ") {
            command = Some(line);
        } else if let Some(command) = command {
            found.entry(command).or_default().push(line);
        }
    }
    found
}

/// The page with what its commands printed.
fn completed(page: &str, recorded: &BTreeMap<&str, Vec<&str>>) -> String {
    let mut text = String::new();
    for line in page.lines() {
        text += &format!("{line}\n");
        for printed in recorded.get(line).into_iter().flatten() {
            text += &format!("{printed}\n");
        }
    }
    text
}

#[test]
fn the_page_of_engines_is_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let recorded = recorded(&text);
    let wanted = completed(&page(), &recorded);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
        return;
    }
    for (written, wanted) in text.lines().zip(wanted.lines()) {
        assert_eq!(written, wanted, "BLESS=1 rewrites {}", path.display());
    }
    assert_eq!(text, wanted, "BLESS=1 rewrites {}", path.display());
}

#[test]
fn the_table_says_everything_of_every_engine() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines");
    for engine in ENGINES {
        let page = &engine.page;
        let said = [
            engine.summary,
            page.paper,
            page.ty,
            page.law,
            page.cost,
            page.reverse,
            page.covers,
            page.limits,
            page.teaches,
            page.example,
        ];
        assert!(said.iter().all(|text| !text.is_empty() && !text.contains('|')), "{}", engine.name);
        assert!(!engine.stages.is_empty(), "{} shows nothing", engine.name);
        let own = std::fs::read_to_string(docs.join(page.file)).unwrap();
        assert!(own.contains(&format!("`{}`", engine.name)), "{}", engine.name);
        // Its own page shows every form by name.
        for stage in engine.stages {
            assert!(own.contains(stage.name), "{}: `{}` is not shown", engine.name, stage.name);
        }
    }
}
