//! Deep, huge and broken texts: no panic, no overflow, linear time, bounded trees.

use std::time::{Duration, Instant};

use crate::common::{Lcg, codes, read, samples, with_stack};
use pullback_base::FileId;
use pullback_syntax::{dump_ast, format, parse_expr};

/// `open` and `close` around `inner`, `count` times.
fn nested(open: &str, inner: &str, close: &str, count: usize) -> String {
    [open.repeat(count).as_str(), inner, close.repeat(count).as_str()].concat()
}

#[test]
fn depth_is_one_diagnostic() {
    with_stack(|| {
        let many = 100_000;
        let expressions = [
            nested("(", "1", ")", many),
            nested("[", "1", "]", many),
            nested("{ x = ", "1", "}", many),
            nested("f (", "1", ")", many),
            nested("f[", "1", "]", many),
            nested("\\x -> ", "1", "", many),
            nested("if a then b else ", "1", "", many),
            nested("if a then ", "1", " else b", many),
            nested("if ", "a", " then b else c", many),
            nested("let x = 1 in ", "x", "", many),
            nested("let x = ", "1", " in x", many),
            nested("let f x = ", "1", " in x", many),
            nested("let rec f x = ", "1", " in x", many),
            nested("loop x = 1 for i < n do ", "x", "", many),
            nested("loop x = ", "1", " while c do x", many),
            nested("match x with | a -> ", "1", "", many),
            nested("match ", "1", " with | a -> x", many),
            nested("- ", "1", "", many),
            nested("1 + ", "1", "", many),
            nested("", "1", " - 1", many),
            nested("1 ^ ", "1", "", many),
            nested("a || ", "b", "", many),
            nested("", "a", " |> f", many),
            nested("", "a", ".x", many),
            nested("", "a", ".0", many),
            nested("", "a", "[0]", many),
            nested("", "a", "[0:]", many),
            nested("", "a", " with x = 1", many),
            nested("a with x = (", "1", ")", many),
            nested("[ ", "x", " | x <- xs ]", many),
            nested("(", "x", ", 1)", many),
            nested("(", "x", " : Real)", many),
            nested("(x : [", "n", "]Real)", many),
        ];
        for text in expressions {
            let start = text.get(..40).unwrap_or(&text).to_owned();
            let file = format!("def f = {text}\ndef g = 1");
            let found = codes(&file);
            assert_eq!(found, ["E0109"], "for {start}…");
            let alone = parse_expr(&text, FileId(0)).1;
            assert!(alone.iter().any(|found| found.code == "E0109"), "alone, for {start}…");
        }
    });
}

#[test]
fn deep_patterns_and_types_are_one_diagnostic() {
    with_stack(|| {
        let many = 100_000;
        let files = [
            format!("def f {} = 1", nested("(", "x", ")", many)),
            format!("def f {} = 1", nested("(", "x", ", y)", many)),
            format!("def f {} = 1", nested("{ a = ", "x", " }", many)),
            format!("def f {} = 1", nested("(A ", "x", ")", many)),
            format!("def f = let x {} = 1 in x", nested("", "", "as x ", many)),
            format!("def f: {} = 1", nested("(", "Real", ")", many)),
            format!("def f: {} = 1", nested("[]", "Real", "", many)),
            format!("def f: {} = 1", nested("Real -> ", "Real", "", many)),
            format!("def f: {} = 1", nested("Option (", "Real", ")", many)),
            format!("def f: {} = 1", nested("{ x: ", "Real", " }", many)),
            format!("type T = {}", nested("(", "Real", ", Int)", many)),
            format!("type T = A {} | B", nested("[]", "Real", "", many)),
        ];
        for file in files {
            assert_eq!(codes(&file), ["E0109"], "for {}…", &file[..40]);
        }
    });
}

#[test]
fn just_below_the_limit_everything_works() {
    with_stack(|| {
        for text in [
            nested("(", "1", ")", 990),
            nested("let x = 1 in ", "x", "", 990),
            nested("", "1", " + 1", 990),
            nested("", "x", ".a", 990),
            nested("f (", "1", ")", 490),
        ] {
            let file = format!("def f =\n  {text}\n");
            let parsed = read(&file);
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
            let copy = parsed.module.clone();
            assert_eq!(dump_ast(&file, &copy), dump_ast(&file, &parsed.module));
            let once = format(&file).unwrap();
            assert_eq!(format(&once).unwrap(), once);
        }
    });
}

#[test]
fn unclosed_brackets_by_the_thousand_are_few_messages() {
    with_stack(|| {
        for text in
            ["(", ")", "[", "]", "{", "}", "([{", "(]", "f(", "if (", "\\(", "let (", "a[(", "((]"]
        {
            let file = format!("def f = {}", text.repeat(50_000));
            assert!(codes(&file).len() <= 100, "for {text}");
        }
    });
}

#[test]
fn broken_samples_never_panic() {
    with_stack(|| {
        let mut lcg = Lcg(42);
        let pieces = [
            "(", ")", "[", "]", "{", "}", "let", "in", "def", "type", "|", "->", "=", "\\", "with",
            "\"", "\n", ".", ",", ":", "--", "if", "then", "else", "match", "loop", "for", "while",
            "do", "and", "rec", "<-", "é", "1.", "..", ";", "_", "as", "X", "--@", "/*", "import",
            "0", "^", "*.",
        ];
        for text in samples() {
            let checked = |text: &str| {
                let parsed = read(text);
                dump_ast(text, &parsed.module);
                if parsed.diagnostics.is_empty() {
                    let once = format(text).unwrap();
                    assert_eq!(format(&once).unwrap(), once, "not stable:\n{text}");
                } else {
                    assert!(parsed.diagnostics.iter().all(|found| !found.labels.is_empty()));
                }
            };
            for at in (0..text.len()).step_by(29).filter(|at| text.is_char_boundary(*at)) {
                checked(&text[..at]);
                checked(&text[at..]);
            }
            for _ in 0..400 {
                let mut broken = text.clone();
                for _ in 0..=lcg.below(3) {
                    let mut at = lcg.below(broken.len());
                    while !broken.is_char_boundary(at) {
                        at -= 1;
                    }
                    let piece = pieces[lcg.below(pieces.len())];
                    match lcg.below(3) {
                        0 => broken.insert_str(at, piece),
                        1 => broken.replace_range(
                            at..at + broken[at..].chars().next().map_or(0, char::len_utf8),
                            piece,
                        ),
                        _ => broken.replace_range(
                            at..at + broken[at..].chars().next().map_or(0, char::len_utf8),
                            "",
                        ),
                    }
                }
                checked(&broken);
            }
            for _ in 0..150 {
                let mut bytes = text.clone().into_bytes();
                for _ in 0..=lcg.below(8) {
                    let at = lcg.below(bytes.len());
                    bytes[at] = u8::try_from(lcg.below(256)).unwrap();
                }
                checked(&String::from_utf8_lossy(&bytes));
            }
        }
    });
}

/// How long parsing takes.
fn time(text: &str) -> Duration {
    let begin = Instant::now();
    assert!(read(text).diagnostics.len() <= 100);
    begin.elapsed()
}

#[test]
fn time_is_linear() {
    with_stack(|| {
        let mut lcg = Lcg(3);
        let mut noise = |bytes: usize| -> String {
            (0..bytes)
                .map(|_| char::from(u8::try_from(32 + lcg.below(95)).expect("below 127")))
                .collect()
        };
        // Sixteen times the text may take sixteen times as long, not 256 times; machines are noisy.
        let (small, large) = (1 << 14, 1 << 18);
        let in_proportion = |small: &str, large: &str| {
            let (less, more) = (time(small), time(large));
            let allowed = less * 100 + Duration::from_secs(2);
            assert!(more < allowed, "{less:?} and {more:?} for {:?}…", &large[..20]);
        };
        in_proportion(&noise(small), &noise(large));
        let pieces = [
            "a ",
            "a\n",
            "(",
            ")",
            "( ",
            "[a",
            "a = ",
            "a =\n",
            "def ",
            "def a = ",
            "def f = a\ng = b\n",
            "let ",
            "let a = ",
            "let a = 1\n",
            "if ",
            "match ",
            "fun ",
            "fun a ",
            "type T = A ",
            "type ",
            "| ",
            "type T = | A ",
            "\"",
            "-- a\n",
            "é",
            "1.",
            "a.",
            "with ",
            "{ a = ",
            "\\",
            "where = ",
            "import ",
            "--",
            "-- |\n",
            "+ ",
            "- ",
            "a[",
            "}",
            "=\n",
            "(a,",
            "def f = (\n",
            "a where = ",
            "x: ",
            ": ",
            "let a\n=\n",
            "\na where\n",
            "loop a = b for i in ",
            "f \\x ",
            "0",
        ];
        for piece in pieces {
            for before in ["", "def f = "] {
                let text = |bytes: usize| before.to_owned() + &piece.repeat(bytes / piece.len());
                in_proportion(&text(small), &text(large));
            }
        }
    });
}
