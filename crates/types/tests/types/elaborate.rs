//! From text to the calculus: every small program here must elaborate to what the verifier accepts,
//! and the pattern checks must say what they promise.

use pullback_base::{Diagnostic, FileId, Severity};
use pullback_lambda::{Stage, verify};
use pullback_types::elaborate::elaborate;
use pullback_types::exhaustive::check_patterns;
use pullback_types::tir::{ParamId, Typed};
use pullback_types::ty::{Ty, TyVar};
use pullback_types::{Source, infer};

fn typed(text: &str) -> Typed {
    let parse = pullback_syntax::parse(text, FileId(0));
    assert!(parse.diagnostics.is_empty(), "{:?}", parse.diagnostics);
    let source = Source {
        name: "test".into(),
        file: FileId(0),
        module: &parse.module,
        imports: vec![],
        unread: vec![],
        prelude: false,
        library: false,
    };
    let (typed, _, diagnostics) = infer(&[source]);
    let errors: Vec<_> = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    typed
}

/// The printed program of all definitions of `text`, after the verifier has accepted it.
fn program(text: &str) -> String {
    let typed = typed(text);
    let roots: Vec<_> = typed.globals.ids().collect();
    let out = elaborate(&typed, &roots);
    assert!(out.diagnostics.is_empty(), "{:?}", out.diagnostics);
    let printed = out.program.print();
    if let Err(errors) = verify(&out.program, Stage::Any) {
        panic!("{printed}\n{}", errors.join("\n"));
    }
    printed
}

fn pattern_diagnostics(text: &str) -> Vec<Diagnostic> {
    check_patterns(&typed(text), 0)
}

const TREE: &str = "type Tree a = Leaf a | Node (Tree a) (Tree a)\n";

#[test]
fn missing_cases_are_named() {
    let cases = [
        ("def f (b: Bool): Int = match b with | true -> 1", "`false` is not covered"),
        (
            "type S = A Real | B Real\ndef f (s: S): Real = match s with | A r -> r",
            "`B _` is not covered",
        ),
        (
            "type O = N | S Real\ndef f (p: (O, O)): Real = match p with | (S a, S b) -> a + b | (S a, N) -> a | (N, N) -> 0.0",
            "`(N, S _)` is not covered",
        ),
        (
            "type Tree = Leaf Real | Node Tree Tree\ndef f (t: Tree): Real = match t with | Leaf x -> x | Node (Leaf a) _ -> a",
            "`Node (Node _ _) _` is not covered",
        ),
        (
            "def f (n: Int): Int = match n with | 0 -> 0",
            "values other than those in the arms are not covered",
        ),
        (
            "type Op = Add | Sub | Mul\ndef f (o: Op): Int = match o with | Add -> 1",
            "`Sub`, `Mul` are not covered",
        ),
        (
            "type R = R { a: Bool, b: Bool }\ndef f (r: R): Int = match r with | R { a = true } -> 1",
            "`R { a = false }` is not covered",
        ),
    ];
    for (text, label) in cases {
        let diagnostics = pattern_diagnostics(text);
        assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:?}");
        assert_eq!(diagnostics[0].code, "E0501", "{text}");
        assert_eq!(diagnostics[0].labels[0].text, label, "{text}");
    }
}

#[test]
fn refutable_patterns_are_errors() {
    let cases = [
        "def f (o: O): Real = let S x = o in x",
        "def f (S x: O): Real = x",
        "def f (os: [2]O): [2]Real = [ x | S x <- os ]",
        "def f (o: O): O = loop (S x) = o for _ < 3 do S (x + 1.0)",
        "def f (p: (Int, Real)): Real = let (0, x) = p in x",
    ];
    for case in cases {
        let diagnostics = pattern_diagnostics(&format!("type O = N | S Real\n{case}"));
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["E0502"], "{case}");
    }
}

#[test]
fn arms_never_reached_are_warnings() {
    let text = "type C = Red | Green\ndef f (c: C): Int = match c with | red -> 1 | Green -> 2";
    let diagnostics = pattern_diagnostics(text);
    assert_eq!(diagnostics.len(), 1);
    assert_eq!((diagnostics[0].code, diagnostics[0].severity), ("W0501", Severity::Warning));
    assert!(diagnostics[0].hints[0].text.contains("`Red`"));
    let text = "def f (n: Int): Int = match n with | 1 -> 10 | 1 -> 20 | _ -> 30";
    assert_eq!(pattern_diagnostics(text).len(), 1);
}

#[test]
fn wide_matches_are_checked_in_bounded_time() {
    let mut text = String::from("def f ");
    for index in 0..24 {
        text.push_str(&format!("(a{index}: Bool) "));
    }
    text.push_str(": Int = match (");
    let names: Vec<_> = (0..24).map(|index| format!("a{index}")).collect();
    text.push_str(&names.join(", "));
    text.push_str(") with ");
    for row in 0..24 {
        let items: Vec<_> =
            (0..24).map(|item| if item == row || item == row / 2 { "true" } else { "_" }).collect();
        text.push_str(&format!("| ({}) -> {row} ", items.join(", ")));
    }
    text.push_str("| _ -> 99");
    let errors =
        pattern_diagnostics(&text).iter().filter(|diagnostic| diagnostic.is_error()).count();
    assert_eq!(errors, 0);
    program(&text);
}

#[test]
fn a_type_that_inference_left_open_is_a_bug() {
    for broken in [Ty::Error, Ty::Var(TyVar(0)), Ty::Param(ParamId(99))] {
        let mut typed = typed("def f (x: Real): Real = x");
        while typed.params.len() < 100 {
            typed.params.push("a".into());
        }
        let root = typed.globals.ids().last().expect("the definition");
        typed.globals[root].body.ty = broken.clone();
        typed.globals[root].ty = broken;
        let panic = std::panic::catch_unwind(|| elaborate(&typed, &[root])).expect_err("a bug");
        let text = panic.downcast_ref::<String>().expect("a message");
        assert!(text.starts_with("elaborate: expected a type"), "{text}");
    }
}

#[test]
fn too_many_instances_are_an_error() {
    let mut text = String::from("def f0 x: Int = 0\n");
    for level in 1..18 {
        let below = level - 1;
        text.push_str(&format!("def f{level} x: Int = f{below} (x, 1) + f{below} (1, x)\n"));
    }
    text.push_str("def main: Int = f17 1");
    let typed = typed(&text);
    let roots: Vec<_> = typed.globals.ids().collect();
    let codes: Vec<_> = elaborate(&typed, &roots).diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0503"]);
}

#[test]
fn polymorphic_definitions_get_one_instance_for_each_type() {
    let text = format!(
        "{TREE}def fold (f: a -> a -> a) (t: Tree a): a = match t with | Leaf x -> x | Node l r -> f (fold f l) (fold f r)
         def main: (Real, Int) = (fold (\\x y -> x + y) (Leaf 1.0), fold (\\x y -> x * y) (Node (Leaf 2) (Leaf 3)))"
    );
    let printed = program(&text);
    assert_eq!(printed.matches("def fold").count(), 2, "{printed}");
    assert!(printed.contains("Tree Int") && printed.contains("Tree Real"), "{printed}");
}

#[test]
fn local_functions_are_generalised_and_recursive() {
    program("def main: (Real, Int) = let id x = x in (id 1.0, id (id 2))");
    program(
        "def main: Int = let rec even n = if n == 0 then true else odd (n - 1) and odd n = if n == 0 then false else even (n - 1) in if even 10 then 1 else 0",
    );
    program(
        "def f (y: Real): (Real, Int) = let pair x = (y, x) in let twice x = pair (pair x).1 in (pair 1.0, twice 2).1 |> \\q -> (q.0, q.1)",
    );
}

#[test]
fn overloaded_arithmetic_is_resolved() {
    program("def f (x: Real) (n: Int): Real = -x ^ 2 + x ^ n * real (n ^ 2 / 2 % 3) - 2 ^ x");
    program(
        "def f [n] (a: [n](Real, { w: [3]Real })) (b: [n](Real, { w: [3]Real })) = 0.5 *. (a + b * a) / -b",
    );
    program("def f [n] [m] [k] (a: [n][m]Real) (b: [m][k]Real) (v: [k]Real) = (a @ b) @ v");
    program("def f (a: [2][3]Int) (b: [3][2]Int): [2][2]Int = a @ b");
    program("def f: Int = sum [ i * i | i < 10 ]\ndef g: Real = sum [ 1.0 | _ < 3 ]");
    program(
        "def f = max 1 2 + min 3 4 + abs (-5) + signum 3\ndef g: Real = max 1.0 (abs (-2.0)) + signum 3.0",
    );
    program("def f: Int = -9223372036854775808");
}

#[test]
fn equality_is_structural() {
    program(&format!(
        "{TREE}def f (a: Tree (Int, String)) (b: Tree (Int, String)) = a == b || a != b"
    ));
    program(
        "def f (a: [2][]Real) (b: [2][]Real): Bool = a == b && !(a != b)"
            .replace("!(", "not (")
            .as_str(),
    );
    program(
        "def f: Bool = () == () && { a = 1, b = true } == { b = true, a = 1 } && \"x\" != \"y\"",
    );
}

#[test]
fn built_ins_without_all_arguments_are_expanded() {
    program(
        "def add: Real -> Real -> Real = (+)\ndef inc: Int -> Int = (+) 1\ndef g: (Real -> Real) -> Real -> Real = grad",
    );
    program("def f (x: Real) = x |> sin |> exp\ndef s: [3]Real -> Int = size\ndef b = build 3");
    program(
        "def f (x: Real): Real = assert (x > 0.0) \"positive\" (log x)\ndef g (x: Int): Int = error \"no\"",
    );
    program(&format!(
        "{TREE}def n: Tree Int -> Tree Int = Node (Leaf 1)\ndef l: Real -> Tree Real = Leaf"
    ));
}

#[test]
fn sizes_are_bound_and_checked() {
    let printed =
        program("def dot [n] (a: [n]Real) (b: [n]Real): Real = sum [ a[i] * b[i] | i < n ]");
    assert!(printed.contains("check_size"), "{printed}");
    let printed = program("def f [n] (a: [n]Real): Real = sum a");
    assert!(!printed.contains("size"), "{printed}");
    program(
        "def f [n] [m] (p: ([n]Real, { w: [m][n]Real })) (k: Int) (q: [n + k]Real): [m]Real = p.1.w @ p.0",
    );
    program(
        "def replicate (n: Int) (x: a): [n]a = [ x | _ < n ]\ndef f (n: Int) = replicate (n + 1) 2.0",
    );
    program("def f [n] (m: [][n]Real): Int = n");
}

#[test]
fn places_are_updated() {
    program("def f (a: [3][3]Real) (i: Int): [3][3]Real = a with [i, 1] = a[1, i] + 1.0");
    program("def f (s: { w: [3]{ x: Real, y: Int }, b: Real }) = s with w[1].x = 2.0 with b = 3.0");
    program("def f (s: { p: { q: [2]Int } }) = s with .p.q[0] = 1");
}

#[test]
fn loops_and_comprehensions() {
    program("def f (n: Int): (Real, Int) = loop (x, k) = (1.0, 0) for i < n do (x * 2.0, k + i)");
    program(
        "def f (x: Real): Real = (loop { a, b } = { a = x, b = 0 } while b < 10 && a > 1.0 do { a = a / 2.0, b = b + 1 }) |> \\r -> r.a",
    );
    program("def f (ps: [4](Real, Real)) = [ x * y + real i | (x, y) <- ps, i < 2 ]");
    program("def f [n] (xs: [n]Real) = (xs[1:], xs[:2], xs[1:2])");
}

#[test]
fn matches_share_the_bodies_of_arms() {
    let text = format!(
        "{TREE}def g (t: Tree Real) (u: Tree Real): Real =
          match (t, u) with
          | (Leaf x, Leaf y) -> x + y
          | (Node (Leaf x) _, Node _ (Leaf y)) -> x * y
          | (_, z as w) -> g w z * 2.0 + 1.0"
    );
    let printed = program(&text);
    assert_eq!(printed.matches("mul (@g").count(), 1, "{printed}");
    program(
        "def f (x: Real) (s: String): Int = match (x, s) with | (0, \"a\") -> 1 | (1.5, _) -> 2 | (_, \"a\" as t) -> 3 | _ -> 4",
    );
    program(
        "def f (b: Bool) (c: Bool): Int = match (b, c) with | (true, false) -> 1 | (false, c) -> 2 | (_, true) -> 3",
    );
}

#[test]
fn derivatives() {
    program(
        "def f (x: [3]Real): Real = sum x\ndef g x = grad f x\ndef h x = hessian f x\ndef v x y = hvp f x y",
    );
    program(
        "def f (x: Real): ([2]Real, Int) = ([x, x * x], 1)\ndef j x = jacobian f x\ndef l x = (linearize f x).1 1.0\ndef k (x: Real): { u: ([2]Real, Bool), v: [1][2](Real, Int) } = { u = ([x, x], true), v = [[(x, 1), (1.0, 2)]] }\ndef m x = jacobian k x",
    );
    program(&format!(
        "{TREE}def f (t: Tree Real): Tree (Real, Int) = match t with | Leaf x -> Leaf (x, 1) | Node l r -> Node (f l) (f r)\ndef p t = (vjp f t).1 (zeros (f t))"
    ));
    program(
        "def f (x: Real): Real = custom_vjp (\\y -> y * y) (\\y -> (y * y, \\d -> 2.0 * d * y)) x\ndef h x = grad (grad f) x\ndef s (x: Real) = stop_gradient x\ndef w x = (value_and_grad f x, rd f x 1.0, jvp f x 1.0)",
    );
    program("def poly f x = (grad f x, jacobian f x)\ndef use = poly (\\x -> sum x) [1.0, 2.0]");
}
