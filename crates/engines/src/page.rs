//! The page of engines, `docs/engines.md`, from the table of engines.
//!
//! Output: Markdown, with the command of each worked example but without what it prints: that is recorded
//! in the document, where the tests run it.

use std::fmt::Write;

use crate::ENGINES;

const PREFACE: &str = "\
# The engines

Every engine takes a closed function `S -> T` whose types hold no functions, and gives its value, its
pullback and its pushforward; `S'` and `T'` are the tangent types. `--engine NAME` chooses one;
`pullback show … --stage STAGE` prints the forms that it goes through. All read the one primitive table, and
every test runs on every engine that admits it: a program outside an engine's fragment is refused with
E0717, which names an engine that covers it.

This page is made from the table of engines (`crates/engines/src/table.rs`).
";

const AFTER: &str = "\
The forms of the working notes, all twelve of them, are printed by `pullback demo FILE ENTRY`.
";

/// The page.
pub fn page() -> String {
    let mut text = String::from(PREFACE);
    text.push_str("\n| engine | covers | reverse mode costs | it teaches |\n|---|---|---|---|\n");
    for engine in ENGINES {
        let (name, page) = (engine.name, &engine.page);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| [`{name}`](engines/{}) | {} | {} | {} |",
            page.file, page.covers, page.reverse, page.teaches
        );
    }
    let _ = write!(text, "\n{AFTER}");
    for engine in ENGINES {
        let page = &engine.page;
        let _ =
            write!(text, "\n## `{}`\n\nIt {}.\n\n| | |\n|---|---|\n", engine.name, engine.summary);
        let stages: Vec<String> = engine
            .stages
            .iter()
            .map(|stage| format!("`{}` ({})", stage.name, stage.about))
            .collect();
        let rows = [
            ("paper", page.paper),
            ("type", page.ty),
            ("law", page.law),
            ("cost", page.cost),
            ("limits", page.limits),
            ("stages", &stages.join("; ")),
        ];
        for (what, said) in rows {
            let _ = writeln!(text, "| {what} | {said} |");
        }
        let _ = write!(text, "\n```console\n$ pullback {}\n```\n", page.example);
    }
    text
}
