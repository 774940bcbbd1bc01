//! What the delta engines show: figure 12 to the letter, do-notation, fused functions.

use pullback_engines::{ENGINES, Stage, engine_named, fused};

use crate::support::deep;
use crate::support::source::source;

fn stage(name: &str) -> &'static Stage {
    ENGINES.iter().flat_map(|engine| engine.stages).find(|stage| stage.name == name).unwrap()
}

fn shown(text: &str, name: &str) -> String {
    let text = text.to_owned();
    let name = name.to_owned();
    deep(move || {
        let (program, roots) = source(&text, &["f"]);
        (stage(&name).show)(&program, roots[0], None).unwrap()
    })
}

/// The chain of the figure, copied from the paper with `xN` for its subscripts; it writes `2` where
/// Reals are written `2.0` here.
const FIGURE_12: &str = "\
Let x1 = Add (Scale 5.5 (Var qy)) (Scale 2.2 (Var vx)) in
Let x2 = Add (Scale 6.6 (Var qx)) (Scale 1.1 (Var vy)) in
Let x3 = Add (Var x2) (Scale (-1.0) (Var x1)) in
Let x4 = Add (Scale 7.7 (Var qx)) (Scale 1.1 (Var vz)) in
Let x5 = Add (Scale 5.5 (Var qz)) (Scale 3.3 (Var vx)) in
Let x6 = Add (Var x5) (Scale (-1.0) (Var x4)) in
Let x7 = Add (Scale 6.6 (Var qz)) (Scale 3.3 (Var vy)) in
Let x8 = Add (Scale 7.7 (Var qy)) (Scale 2.2 (Var vz)) in
Let x9 = Add (Var x8) (Scale (-1.0) (Var x7)) in
Let x10 = Zero in
Let x11 = Add (Scale 4.4 (Var x10)) (Scale 2.0 (Var qw)) in
Let x12 = Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x3)) in
Let x13 = Add (Scale 9.68 (Var x11)) (Scale 8.8 (Var x6)) in
Let x14 = Add (Scale (-4.84) (Var x11)) (Scale 8.8 (Var x9)) in
Let x15 = Add (Scale 3.3 (Var qz)) (Scale 3.3 (Var qz)) in
Let x16 = Add (Scale 2.2 (Var qy)) (Scale 2.2 (Var qy)) in
Let x17 = Add (Scale 1.1 (Var qx)) (Scale 1.1 (Var qx)) in
Let x18 = Add (Var x17) (Var x16) in
Let x19 = Add (Var x18) (Var x15) in
Let x20 = Add (Scale 4.4 (Var qw)) (Scale 4.4 (Var qw)) in
Let x21 = Add (Var x20) (Scale (-1.0) (Var x19)) in
Let x22 = Add (Scale 7.7 (Var x21)) (Scale 2.42 (Var vz)) in
Let x23 = Add (Scale 6.6 (Var x21)) (Scale 2.42 (Var vy)) in
Let x24 = Add (Scale 5.5 (Var x21)) (Scale 2.42 (Var vx)) in
Let x25 = Add (Scale 7.7 (Var qz)) (Scale 3.3 (Var vz)) in
Let x26 = Add (Scale 6.6 (Var qy)) (Scale 2.2 (Var vy)) in
Let x27 = Add (Scale 5.5 (Var qx)) (Scale 1.1 (Var vx)) in
Let x28 = Add (Var x27) (Var x26) in
Let x29 = Add (Var x28) (Var x25) in
Let x30 = Zero in
Let x31 = Add (Scale 45.98 (Var x30)) (Scale 2.0 (Var x29)) in
Let x32 = Add (Scale 3.3 (Var x31)) (Scale 91.96 (Var qz)) in
Let x33 = Add (Scale 2.2 (Var x31)) (Scale 91.96 (Var qy)) in
Let x34 = Add (Scale 1.1 (Var x31)) (Scale 91.96 (Var qx)) in
Let x35 = Add (Var x32) (Var x22) in
Let x36 = Add (Var x33) (Var x23) in
Let x37 = Add (Var x34) (Var x24) in
Let x38 = Add (Var x35) (Var x12) in
Let x39 = Add (Var x36) (Var x13) in
Let x40 = Add (Var x37) (Var x14) in
Var x40
";

#[test]
fn figure_12_to_the_letter() {
    let example = include_str!("../../../../examples/papers/quaternion.pull");
    let example: Vec<&str> = example.lines().filter(|line| !line.starts_with("--@")).collect();
    let both = "def f (s: (Quaternion, Vec3)): Real = rotate_x s.0 s.1";
    let text = format!("{}\n{both}", example.join("\n"));
    // Without arguments the stage takes the numbers of the figure: 1.1, 2.2, …, 7.7.
    let found = shown(&text, "delta-trace");
    let chain: String = found
        .lines()
        .filter(|line| !line.starts_with("--"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(chain, FIGURE_12);
    // As it runs: from left to right, literals not bound.
    let found = shown(&text, "delta-lets");
    assert_eq!(found.lines().filter(|line| line.starts_with("Let ")).count(), 38);
    assert!(!found.contains("Zero"), "{found}");
}

#[test]
fn do_notation_is_that_of_figure_9() {
    let text = "def f (x: Real): Real = let y = x * x in (\\z -> z + y) 2.0";
    let found = shown(text, "delta");
    let expected = "\
D{f} = \\x -> do
  let y = mul x.0 x.0
  u_y <- deltaLet (plus (scale x.0 x.1) (scale x.0 x.1))
";
    assert!(found.starts_with(expected), "{found}");
    assert!(found.contains("runDelta 1 (D{f} (s, u))"), "{found}");
    assert!(
        shown(text, "delta-library").contains("data Delta = Zero | Var Int | Scale Real Delta")
    );
}

#[test]
fn the_first_two_translations_have_no_monad() {
    let text = "def f (x: Real): Real = let y = x * x in y + y";
    for (name, letter) in [("delta1", "D1"), ("delta2", "D2")] {
        let found = shown(text, name);
        let expected = format!(
            "{letter}{{f}} = \\x ->\n  let y = mul x.0 x.0\n  let u_y = plus (scale x.0 x.1) (scale x.0 x.1)\n"
        );
        assert!(found.starts_with(&expected), "{found}");
        assert!(!found.contains("<-"), "{found}");
    }
}

#[test]
fn fused_functions_are_shown_around_the_plain_ones() {
    let text =
        "def g (x: Real) (y: Real): Real = x * sin y\ndef f (x: Real): Real = g x x + g 2.0 x";
    let found = shown(text, "delta-fused");
    // Figure 15, where an empty slot of the map gives `Zero`.
    let expected = "\
D'{g} = \\x x2 -> do
  let u = Var 0
  let u2 = Var 1
  let (y, own) = runDelta 2 (D{g} (x.0, u) (x2.0, u2))
  let finalMap = eval 1.0 y.1 own.binds (emptyMap own.next)
  u3 <- deltaLet (plus (scaleAt 0 finalMap x.1) (scaleAt 1 finalMap x2.1))
  pure (y.0, u3)
";
    assert!(found.contains(expected), "{found}");
    assert!(found.contains("D{g} = \\x y -> do"), "{found}");
    assert!(!shown(text, "delta").contains("D'"), "{found}");
}

/// The stages of fused `delta`.
fn shown_fused(text: &str, name: &str) -> String {
    let (text, name) = (text.to_owned(), name.to_owned());
    deep(move || {
        let (program, roots) = source(&text, &["f"]);
        let engine = fused(engine_named("delta").unwrap()).unwrap();
        let stage = engine.stages.iter().find(|stage| stage.name == name).unwrap();
        (stage.show)(&program, roots[0], None).unwrap()
    })
}

#[test]
fn fusion_shortens_the_chain_of_bindings() {
    let text = "def g (x: Real): Real = x * sin x\ndef f (x: Real): Real = g (g (g x))";
    for name in ["delta-lets", "delta-trace"] {
        let count = |text: &str| text.lines().filter(|line| line.starts_with("Let ")).count();
        assert_eq!(count(&shown(text, name)), 6);
        assert_eq!(count(&shown_fused(text, name)), 3);
    }
    assert_eq!(shown_fused(text, "delta"), shown(text, "delta-fused"));
    let library = shown_fused(text, "delta-library");
    assert!(library.contains("scaleAt = "), "{library}");
}

/// The names that a text defines, in lines `NAME = …`.
fn defined(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.starts_with([' ', '-', ')']));
    lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect()
}

#[test]
fn every_definition_is_translated_and_printed_once() {
    let text = "\
def g (x: Real): Real = x * sin x
def twice (h: a -> a) (x: a): a = h (h x)
def inner (x: Real) (y: Real): Real = twice g x * (twice (\\p -> (p.1, p.0)) (y, x)).0
def f (s: (Real, Real)): Real = inner s.0 s.1";
    let twice = ["{twice}", "{twice.2}"];
    for (name, letter) in
        [("delta", "D"), ("delta1", "D1"), ("delta2", "D2"), ("dual-source", "D→")]
    {
        let found = shown(text, name);
        let names = defined(&found);
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{found}");
        // The wrapper takes the tuple apart; there is no definition that does only that.
        assert!(!names.contains(&format!("{letter}{{f}}").as_str()), "{found}");
        assert!(names.contains(&format!("{letter}{{inner}}").as_str()), "{found}");
        for instance in twice {
            assert!(names.contains(&format!("{letter}{instance}").as_str()), "{found}");
        }
    }
}

#[test]
fn what_is_chosen_is_told() {
    let text = "def f (s: (Bool, Real)): Real = if s.0 then s.1 * s.1 else s.1";
    let expected = "\
-- 1 input, chosen: no arguments were given
--   s.1 = 1.1
--   constant: s.0 = true
";
    let found = shown(text, "delta-lets");
    assert!(found.starts_with(expected), "{found}");
}
