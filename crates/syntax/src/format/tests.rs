//! The formatter's laws on the sample programs, with comments put everywhere and at several widths.

mod generated;

use super::*;
use crate::ast::Module;
use crate::{dump_shape, parse};

/// A fixed stream of numbers.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }
}

fn samples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of samples")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

fn comments(text: &str, module: &Module) -> Vec<(CommentKind, String)> {
    let shown = |comment: &crate::ast::Comment| {
        (comment.kind, text[comment.span.range()].trim_end().to_owned())
    };
    module.comments.iter().map(shown).collect()
}

fn check(text: &str, width: usize) {
    let parsed = parse(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    let once = format_width(text, FileId(0), width).unwrap();
    let again = parse(&once, FileId(0));
    assert!(again.diagnostics.is_empty(), "{:#?}\n{text}\n-->\n{once}", again.diagnostics);
    let (before, after) = (dump_shape(&parsed.module), dump_shape(&again.module));
    assert_eq!(before, after, "the meaning changed:\n{text}\n-->\n{once}");
    let (before, after) = (comments(text, &parsed.module), comments(&once, &again.module));
    assert_eq!(before, after, "comments changed:\n{text}\n-->\n{once}");
    let twice = format_width(&once, FileId(0), width).unwrap();
    assert_eq!(once, twice, "not stable:\n{text}");
    let blank = |line: &str| line.ends_with(' ') || line.ends_with('\t');
    assert!(!once.lines().any(blank), "a line ends in blanks:\n{once}");
}

#[test]
fn samples_keep_their_meaning_at_every_width() {
    for text in samples() {
        for width in [100, 60, 30, 10, 1] {
            check(&text, width);
        }
    }
}

#[test]
fn comments_may_stand_anywhere() {
    let mut lcg = Lcg(7);
    for text in samples() {
        let tokens = crate::lexer::lex(&text, 0..text.len(), FileId(0)).tokens;
        for round in 0..60 {
            let mut mixed = String::new();
            let mut last = 0;
            for pair in tokens.windows(2) {
                let (lo, hi) = (pair[0].hi as usize, pair[1].lo as usize);
                mixed.push_str(&text[last..lo]);
                last = lo;
                // Between a name and its bracket there is no room for one.
                let chosen = lo < hi && lcg.below(1 + round) == 0;
                if chosen {
                    mixed.push_str(["\n-- own\n", " -- end\n", "\n\n--@ one\n"][lcg.below(3)]);
                }
            }
            mixed.push_str(&text[last..]);
            check(&mixed, [100, 40][round % 2]);
        }
    }
}

#[test]
fn prints_the_house_style() {
    let cases = [
        ("def  x=1", "def x = 1\n"),
        ("def f x=\n\n  x\n\n\n\ndef g=2", "def f x = x\n\ndef g = 2\n"),
        ("def f = ((((x))))", "def f = (x)\n"),
        ("def f = let x=1 in x+ - - 2", "def f =\n  let x = 1 in\n  x + - -2\n"),
        ("def f = [1,2,] -- c", "def f = [1, 2] -- c\n"),
        ("type T=|A|B (Int->Int) ([]Real)", "type T = A | B (Int -> Int) []Real\n"),
        ("type T=|A", "type T = | A\n"),
        ("type T=((a))->((b)->(c))", "type T = a -> b -> c\n"),
        ("def f = a . b .0 .1 [2]", "def f = a.b.0.1 [2]\n"),
        ("def f = 3 .x", "def f = 3 .x\n"),
        ("def f = match x with A->1|B->2", "def f =\n  match x with\n  | A -> 1\n  | B -> 2\n"),
        ("-- only a comment", "-- only a comment\n"),
        ("", ""),
        ("def f n =\n  -- why\n  g n+h n", "def f n =\n  -- why\n  g n + h n\n"),
        (
            "def f n=if n>1 then -- large\n g n+h n else n",
            "def f n =\n  if n > 1 then -- large\n    g n + h n\n  else\n    n\n",
        ),
        (
            "def f x = -- why\n  x\n--@ f 1 = 1\ndef g =\n  let x = 1 in x",
            "def f x = -- why\n  x\n--@ f 1 = 1\n\ndef g =\n  let x = 1 in\n  x\n",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(format(text).unwrap(), wanted, "for {text:?}");
        check(text, 100);
    }
}

#[test]
fn refuses_wrong_texts() {
    assert!(format("def f = (").is_err());
}

#[test]
fn long_lists_take_linear_time() {
    let numbers: Vec<String> = (0..50_000).map(|number| number.to_string()).collect();
    let text =
        format!("def xs = [{}]\ndef ys = f {}", numbers.join(","), numbers[..1000].join(" "));
    check(&text, 100);
}
