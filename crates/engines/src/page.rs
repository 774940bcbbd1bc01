//! The page of engines, `docs/engines.md`, from the table of engines.
//!
//! Output: Markdown, with the command of each worked example but without what it prints: that is recorded
//! in the document, where the tests run it.

use std::fmt::Write;

use crate::ENGINES;

const PREFACE: &str = "\
# The engines

An *engine* is one way to differentiate. Each engine takes a closed function `S -> T` whose types hold no functions. It
gives three things: the value, the pullback and the pushforward. `S'` and `T'` are the tangent types.

Most engines implement a paper, so that you can run its rules and compare them with others. `ir` and `native` are the
compiler. For work you need not choose: without `--engine` a run begins in `trace`, and goes on as native code when it
turns out to be long ([three tiers](cli.md#three-tiers)).

- `--engine NAME` chooses an engine.
- `pullback show … --stage STAGE` prints a form that a program goes through in an engine.
- All engines read the one primitive table, and every test runs on every engine that admits it.
- An engine refuses a program outside its fragment with E0717, which names an engine that covers it.

This page is made from the table of engines (`crates/engines/src/table.rs`). In it, `n` is the number of Reals of the
input. A number in brackets leads to the [references](#references).
";

const AFTER: &str = "\
`pullback demo FILE ENTRY` prints all twelve forms of the working notes [4].
";

const REFERENCES: &str = "
## References

1. M. Abadi, G. Plotkin: *A Simple Differentiable Programming Language.* POPL 2020.
2. F. Krawiec, S. Peyton Jones, N. Krishnaswami, T. Ellis, R. Eisenberg, A. Fitzgibbon: *Provably Correct,
   Asymptotically Efficient, Higher-Order Reverse-Mode Automatic Differentiation.* POPL 2022.
3. M. Abadi, R. Wei, G. Plotkin, D. Vytiniotis, D. Belov: *The Differentiable Curry.* 2019.
4. T. Ellis, S. Peyton Jones, A. Fitzgibbon: *Working notes on Automatic differentiation.* 2020.
5. A. Radul, A. Paszke, R. Frostig, M. Johnson, D. Maclaurin: *You Only Linearize Once: Tangents Transpose to
   Gradients.* POPL 2023.
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
    text.push_str(REFERENCES);
    text
}
