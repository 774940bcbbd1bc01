//! The parser on wrong texts: each mistake is reported once, and nothing else is.

use crate::common::{codes, read, with_stack};
use pullback_base::FileId;
use pullback_syntax::{parse_expr, parse_type};

/// A code, and a text with one mistake.
const MISTAKES: &[(&str, &str)] = &[
    ("E0101", "def f = 1 ? 2"),
    ("E0102", "def f = \"open"),
    ("E0103", r#"def f = "\q""#),
    ("E0104", "def f = 1."),
    ("E0104", "def f = 1e"),
    ("E0104", "def f = 0x10"),
    ("E0104", "def f = .5"),
    ("E0105", "def f = 9223372036854775809"),
    ("E0105", "def f = 1e400"),
    ("E0106", "// comment\ndef f = 1"),
    ("E0106", "/* a\nb */ def f = 1"),
    ("E0106", "def f = 1 # comment"),
    ("E0106", "def f = 1 + (* comment *) 2"),
    ("E0107", "def f = g (1 + 2"),
    ("E0107", "def f = let a = (1 + 2 in a"),
    ("E0107", "def f = [1, 2\ndef g = 3"),
    ("E0108", "def f = 1)"),
    ("E0108", "def f = (1]"),
    ("E0110", "let f = 1"),
    ("E0110", "f x = 1"),
    ("E0110", "fun f x = 1"),
    ("E0110", "data T = A | B"),
    ("E0110", "1 + 2"),
    ("E0111", "def = 1"),
    ("E0112", "def then = 1"),
    ("E0112", "def f (in: Int) = 1"),
    ("E0112", "def f = r.match"),
    ("E0113", "def F = 1"),
    ("E0113", "type t = Int"),
    ("E0113", "type T = A | b"),
    ("E0115", "def f = 1 + "),
    ("E0114", "def f =\ndef g = 1"),
    ("E0114", "def f = (1 +)"),
    ("E0114", "def f = map (+ 1) xs"),
    ("E0114", "def f = _"),
    ("E0115", "def f ="),
    ("E0116", "def f = 1 else 2"),
    ("E0116", "def f = 1, 2"),
    ("E0116", "def f = g x where x = 1"),
    ("E0117", "def f = a and b"),
    ("E0117", "def f = !a"),
    ("E0117", "def f = a <> b"),
    ("E0117", "def f = a ** b"),
    ("E0117", "def f = a $ b"),
    ("E0117", "def f = x <-1"),
    ("E0118", "def f = if a = 1 then 2 else 3"),
    ("E0118", "def f = (a = b)"),
    ("E0119", "def f = a < b < c"),
    ("E0119", "def f = a < b <= c == d"),
    ("E0120", "def f = 1;\ndef g = 2"),
    ("E0120", "def f = (1; 2)"),
    ("E0121", "def f := 1"),
    ("E0121", "def f x -> 1"),
    ("E0121", "def f = let x := 1 in x"),
    ("E0121", "def f = let x 1 in x"),
    ("E0122", "def f =\n  let x = 1\n  x + 2"),
    ("E0122", "def f = let x = 1; x"),
    ("E0122", "def f =\n  let x = 1 in\n  y = 2 in x"),
    ("E0123", "def f = fun x -> x"),
    ("E0123", "def f = \\x. x"),
    ("E0123", "def f = \\x => x"),
    ("E0123", "def f = \\ -> 1"),
    ("E0123", "def f = map (x -> x) xs"),
    ("E0124", "def f = map \\x -> x"),
    ("E0125", "def f = if a then b"),
    ("E0126", "def f = if a then b elif c then d else e"),
    ("E0127", "def f = match x with"),
    ("E0127", "def f = match x of A -> 1 | B -> 2"),
    ("E0127", "def f = match x with | A => 1"),
    ("E0127", "def f = match x with | A | B -> 1"),
    ("E0127", "def f = match x with | a when a > 1 -> 1"),
    ("E0128", "def f = loop x = 1 for i in 3 do x"),
    ("E0128", "def f = loop x = 1 for i <= 3 do x"),
    ("E0129", "def f = [x for x in xs]"),
    ("E0129", "def f = [1..10]"),
    ("E0129", "def f = [x | x > 0]"),
    ("E0129", "def f = [x | ]"),
    ("E0130", "def f = a[]"),
    ("E0130", "def f = a.[1]"),
    ("E0131", "def f = { x: 1 }"),
    ("E0131", "def f = { r with x = 1 }"),
    ("E0131", "def f = { x }"),
    ("E0131", "def f = { x = 1 y = 2 }"),
    ("E0132", "def f = r. + 1"),
    ("E0133", "def f = let a, b = c in a"),
    ("E0133", "def f = let = c in a"),
    ("E0133", "def f = let [a] = c in a"),
    ("E0134", "def f: = 1"),
    ("E0134", "def f (x: [2, 3]Real) = 1"),
    ("E0134", "def f (x: Real * Real) = 1"),
    ("E0135", "import linalg\ndef f = 1"),
    ("E0136", "def f = (1 then 2)"),
];

#[test]
fn one_mistake_gives_one_message() {
    let mut wrong = Vec::new();
    for (code, text) in MISTAKES {
        let found = read(text).diagnostics;
        let codes: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code).collect();
        let told = found.iter().all(|found| {
            !found.labels.is_empty() && (!found.hints.is_empty() || found.code == "E0114")
        });
        if codes != [*code] || !told {
            wrong.push((text, code, codes));
        }
    }
    assert!(wrong.is_empty(), "text, expected, found: {wrong:#?}");
}

#[test]
fn independent_mistakes_are_all_reported() {
    let text = "\
def a = let x = in x
def b = (1 + ) * [2, , 3]
type t = Real
def c = if p q else r
def d = match x with | A => 1 | -> 2
def e = 1 < 2 < 3 + loop s = 1 do s
def fine = 1
def g = let y = 1; y + (2
def h = \"open
def i = if a = b then [1; 2] else { x: 1 }
";
    assert_eq!(
        codes(text),
        [
            "E0114", "E0114", "E0114", "E0113", "E0125", "E0127", "E0133", "E0119", "E0128",
            "E0122", "E0107", "E0102", "E0118", "E0120", "E0131"
        ]
    );
    assert_eq!(read(text).module.items.len(), 10);
}

#[test]
fn a_forgotten_def_does_not_swallow_the_next() {
    let parsed = read("def f x = x + 1\ng y = f y\ndef h = g 2");
    assert_eq!(parsed.diagnostics.iter().map(|found| found.code).collect::<Vec<_>>(), ["E0110"]);
    assert_eq!(parsed.module.items.len(), 3);
}

#[test]
fn what_a_mistake_makes_doubtful_is_left_out_of_the_tree() {
    let shape = |text: &str| pullback_syntax::dump_shape(&read(text).module);
    assert_eq!(
        shape("def f (x: Real): Real = x +\ndef g = 1"),
        "def f\n  param\n    var x\n    named Real\n  named Real\n  error\ndef g\n  literal 1\n"
    );
    assert_eq!(shape("def f (x: Real): Real x"), "def f\n  param\n    var x\n  error\n");
    assert_eq!(
        shape("def f (x: Real) = (x"),
        "def f\n  param\n    var x\n    named Real\n  error\n"
    );
}

#[test]
fn single_expressions_and_types_end_with_their_text() {
    let codes = |text: &str| {
        parse_expr(text, FileId(0)).1.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("1 + 2"), [""; 0]);
    assert_eq!(codes(""), ["E0115"]);
    assert_eq!(codes("1 def"), ["E0116"]);
    assert_eq!(codes("1, 2"), ["E0116"]);
    assert_eq!(parse_type("[n]Real ->", FileId(0)).1[0].code, "E0134");
}

#[test]
fn pages_show_what_they_say() {
    with_stack(check_pages);
}

fn check_pages() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors");
    for number in 101..=136 {
        let code = format!("E0{number}");
        let page = std::fs::read_to_string(format!("{folder}/{code}.md")).expect("a page");
        let title = pullback_base::title_of(&code).expect("a title");
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: another title");
        let block = |fence: &str| {
            let start = page.find(fence).expect("a block") + fence.len();
            page[start..start + page[start..].find("```").expect("its end")].to_owned()
        };
        let mut bad = codes(&block("```pull,fails\n"));
        bad.dedup();
        assert_eq!(bad, [code.as_str()], "{code}");
        let good = block("```pull\n");
        assert_eq!(codes(&good), [""; 0], "{code}");
        assert_eq!(pullback_syntax::format(&good).expect("no mistakes"), good, "{code}");
    }
}
