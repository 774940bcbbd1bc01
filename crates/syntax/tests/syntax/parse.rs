//! The parser on good texts: no diagnostics, and the right tree.

use crate::common::{read, samples};
use pullback_base::{FileId, Id};
use pullback_syntax::ast::{CommentKind, Expr, ExprKind, ItemKind, Literal};
use pullback_syntax::{dump_ast, dump_shape, dump_tokens, parse_expr, parse_expr_at, parse_type};

/// The shape of an expression, on one line.
fn shape(text: &str) -> String {
    let (_, found) = parse_expr(text, FileId(0));
    assert!(found.is_empty(), "{text}: {found:#?}");
    let dumped = dump_shape(&read(&format!("def x = {text}")).module);
    let lines: Vec<(usize, &str)> = dumped
        .lines()
        .skip(1)
        .map(|line| (line.len() - line.trim_start().len(), line.trim_start()))
        .collect();
    let mut out = String::new();
    let mut open = Vec::new();
    for (index, (indent, node)) in lines.iter().enumerate() {
        while open.last().is_some_and(|last| last >= indent) {
            open.pop();
            out.push(')');
        }
        if index > 0 {
            out.push(' ');
        }
        let node = node.strip_prefix("name ").or(node.strip_prefix("literal ")).unwrap_or(node);
        if lines.get(index + 1).is_some_and(|(next, _)| next > indent) {
            out.push('(');
            open.push(*indent);
        }
        out.push_str(node);
    }
    out + &")".repeat(open.len())
}

#[test]
fn samples_have_no_mistakes() {
    for text in samples() {
        let parsed = read(&text);
        assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    }
}

#[test]
fn operators_bind_as_documented() {
    let cases = [
        ("a + b * c", "(+ a (* b c))"),
        ("a - b - c", "(- (- a b) c)"),
        ("a ^ b ^ c", "(^ a (^ b c))"),
        ("-x ^ 2", "(negate (^ x 2))"),
        ("x ^ -2", "(^ x (negate 2))"),
        ("-x * y", "(* (negate x) y)"),
        ("a * -b", "(* a (negate b))"),
        ("a || b || c && d", "(|| a (|| b (&& c d)))"),
        ("a + b < c * d && e", "(&& (< (+ a b) (* c d)) e)"),
        ("a |> f |> g", "(|> (|> a f) g)"),
        ("f a |> g b || c", "(|> (apply f a) (|| (apply g b) c))"),
        ("s *. v @ w", "(@ (*. s v) w)"),
        ("f -1", "(- f 1)"),
        ("f (-1)", "(apply f (paren (negate 1)))"),
        ("f a b.c d[i]", "(apply f a (field c b) (index d i))"),
        ("f x |> \\y -> y + 1", "(|> (apply f x) (lambda (param var y) (+ y 1)))"),
        ("a * if c then 1.0 else 2.0", "(* a (if c 1.0 2.0))"),
        ("a with [i] = b |> f with w = c", "(with (with a (at i) (|> b f)) at w c)"),
        ("(+) 1", "(apply (+) 1)"),
        ("- - x", "(negate (negate x))"),
    ];
    for (text, wanted) in cases {
        assert_eq!(shape(text), wanted, "for {text}");
    }
}

#[test]
fn brackets_index_only_where_they_touch() {
    assert_eq!(shape("f [1, 2]"), "(apply f (array 1 2))");
    assert_eq!(shape("f[1, 2]"), "(index f 1 2)");
    assert_eq!(shape("f a[0][1] [2]"), "(apply f (index (index a 0) 1) (array 2))");
    assert_eq!(shape("a[1:]"), "(slice a (from 1) to)");
    assert_eq!(shape("a[:n + 1]"), "(slice a from (to (+ n 1)))");
    assert_eq!(shape("p.0.1.x[2]"), "(index (field x (field 1 (field 0 p))) 2)");
}

#[test]
fn forms_reach_far_to_the_right() {
    assert_eq!(shape("let x = 1 in x + 2"), "(let var x 1 (+ x 2))");
    assert_eq!(
        shape("match a with b -> match c with d -> 1 | e -> 2"),
        "(match a (arm var b (match c (arm var d 1) (arm var e 2))))"
    );
    assert_eq!(shape("match r with w = 1 with w -> 2"), "(match (with r at w 1) (arm var w 2))");
    assert_eq!(
        shape("let rec f x = x and g y = f y in g"),
        "(let-rec (fun f (param var x) x) (fun g (param var y) (apply f y)) g)"
    );
    assert_eq!(
        shape("loop (a, b) = s for _ < n + 1 do (b, a)"),
        "(loop (tuple var a var b) s (for _ (+ n 1)) (tuple b a))"
    );
    assert_eq!(
        shape("[ x + i | x <- xs, i < n ]"),
        "(comprehension (+ x i) (from var x xs) (range i n))"
    );
}

#[test]
fn literals_have_their_values() {
    let value = |text: &str| {
        let ExprKind::Lit(literal) = parse_expr(text, FileId(0)).0.kind else {
            panic!("{text} is no literal");
        };
        literal
    };
    assert_eq!(value("1_000"), Literal::Int(1000));
    assert_eq!(value("9223372036854775808"), Literal::Int(1 << 63));
    assert_eq!(value("1.5e-3"), Literal::Real(1.5e-3));
    assert_eq!(value("1e3"), Literal::Real(1000.0));
    assert_eq!(value("1_0.2_5"), Literal::Real(10.25));
    assert_eq!(value("true"), Literal::Bool(true));
    assert_eq!(value(r#""a\n\"\\\u{3b1}""#), Literal::Str("a\n\"\\α".to_owned()));
}

#[test]
fn types_read_sizes_and_arrays_apart() {
    let shown = |text: &str| {
        let (_, found) = parse_type(text, FileId(0));
        assert!(found.is_empty(), "{text}: {found:#?}");
        let module = read(&format!("def x: {text} = 1")).module;
        dump_shape(&module).split_whitespace().skip(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown("Net [n] a"), "named Net name n type-variable a literal 1");
    assert_eq!(shown("List [n]a"), "named List array-type name n type-variable a literal 1");
    assert_eq!(shown("[n]List a"), "array-type name n named List type-variable a literal 1");
    assert_eq!(
        shown("(a -> b) -> []c"),
        "-> -> type-variable a type-variable b array-type type-variable c literal 1"
    );
}

#[test]
fn ids_are_dense_and_the_root_is_last() {
    let (expr, _) = parse_expr("f (a + 1) [ x | x <- xs ]", FileId(0));
    assert_eq!(expr.id.index(), 9);
    let parsed = read("def f x = x\ndef g (y: [n]Real) = y + 1");
    assert_eq!(parsed.module.node_count, 7);
}

#[test]
fn a_part_of_a_file_keeps_its_places() {
    let text = "--@ f 1 = 2";
    let (expr, found) = parse_expr_at(text, 4..7, FileId(0));
    assert!(found.is_empty());
    assert_eq!(expr.span.range(), 4..7);
}

#[test]
fn comments_have_kinds_and_items_their_documentation() {
    let text = "-- plain\n-- | one\n-- two\n\n--@ f = 1\ndef f = -- | not mine\n  1\n-- |other\ndef g = 2\ndef h = 3";
    let module = read(text).module;
    let kinds: Vec<CommentKind> = module.comments.iter().map(|comment| comment.kind).collect();
    use CommentKind::{Doc, Expectation, Plain};
    assert_eq!(kinds, [Plain, Doc, Doc, Expectation, Doc, Doc]);
    let docs: Vec<&str> = module.items.iter().map(|item| item.doc.as_str()).collect();
    assert_eq!(docs, ["one\ntwo", "other", ""]);
}

#[test]
fn line_ends_tabs_and_byte_order_marks_are_space() {
    let parsed = read("\u{feff}def f =\r\n\tlet x = 1 in\r\n\tx\r\n");
    assert!(parsed.diagnostics.is_empty());
    assert!(
        matches!(&parsed.module.items[0].kind, ItemKind::Def(def) if matches!(def.body, Expr { .. }))
    );
}

#[test]
fn dumps_show_places() {
    let text = "def f x =\n  x + 1";
    assert_eq!(
        dump_ast(text, &read(text).module),
        "def f  @1:1\n  param  @1:7\n    var x  @1:7\n  +  @2:3\n    name x  @2:3\n    literal 1  @2:7\n"
    );
    assert!(dump_tokens(text).starts_with("1:1     Def        def\n1:5     Lower      f\n"));
}
