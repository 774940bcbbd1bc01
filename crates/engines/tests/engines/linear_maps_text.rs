//! How the forms of the working notes are written, and where a program without them is said to be wrong.

use pullback_base::Diagnostic;
use pullback_engines::linear_maps::notes::print_demo;

use crate::support::source::source;

/// The demonstration of `f`.
fn demonstrated(text: &str) -> Result<String, Box<Diagnostic>> {
    let (program, defs) = source(text, &["f"]);
    print_demo(&program, defs[0])
}

/// A part of the demonstration: the text between one title and the next rule.
fn stage(demo: &str, title: &str) -> String {
    let (_, rest) = demo.split_once(&format!("{title}\n{}\n", "-".repeat(28))).unwrap();
    rest.split_once("\n---").map_or(rest, |(text, _)| text).to_string()
}

#[test]
fn powers_of_powers_keep_their_meaning_over_lines() {
    let demo = demonstrated(
        "def f (first_of_two_numbers: Real) (second_of_two_numbers: Real): Real =
           ((sin first_of_two_numbers * second_of_two_numbers + cos second_of_two_numbers * 2.0) ^ 2) ^ 3",
    )
    .unwrap();
    let expected = "fun f(first_of_two_numbers, second_of_two_numbers)
  = ((sin(first_of_two_numbers) * second_of_two_numbers +
      cos(second_of_two_numbers) * 2) ^
     2) ^
    3
";
    assert_eq!(stage(&demo, "Original definition"), expected);
}

/// Over lines as on one: an element is `a[i]`, nothing is `0`.
#[test]
fn terms_are_written_over_lines_as_on_one() {
    let demo = demonstrated(
        "def f [n] (positions_of_the_particles: [n]Real): Real =
           sum (build n (\\i -> positions_of_the_particles[(i * i * i * i * i + 3 * i * i + 12) % n]))",
    )
    .unwrap();
    assert!(!demo.contains(" index("), "{demo}");
    assert!(demo.contains("positions_of_the_particles["), "{demo}");

    let name = "long_".repeat(16) + "name";
    let demo = demonstrated(&format!(
        "def {name} (x: Real) (y: Real): Real = x * y\ndef f (x: Real): Real = {name} x 2.0"
    ))
    .unwrap();
    assert!(!demo.contains("0()"), "{demo}");
    assert!(stage(&demo, "Forward-mode derivative (optimised)").contains(" 0)"), "{demo}");
}

#[test]
fn slopes_of_powers_are_written_out() {
    let demo =
        demonstrated("def f (x: Real): Real = (x ^ 3) * x ^ 2 + x ^ 1 + x ^ 0 + x ^ -1\n").unwrap();
    let slope = stage(&demo, "The full Jacobian (optimised)");
    assert!(slope.contains("3 * x ^ 2") && slope.contains("2 * x"), "{slope}");
    assert!(slope.contains("x ^ (-2)"), "{slope}");
    assert!(!demo.contains("pow_slope"), "{demo}");
    // Where the exponent is not known there is no simpler form.
    let demo = demonstrated("def f (n: Int) (x: Real): Real = x ^ n").unwrap();
    assert!(demo.contains("pow_slope(x, n)"), "{demo}");
}

/// Where functions are made known one definition becomes several functions.
#[test]
fn every_function_has_a_name_of_its_own() {
    let demo = demonstrated(
        "def part (x: Real): Real -> Real = \\y -> x * y
         def twice (g: Real -> Real) (n: Int) (x: Real): Real = if n == 0 then x else g (twice g (n - 1) x)
         def f (x: Real): Real = twice (part x) 2 x + twice sin 2 x",
    )
    .unwrap();
    let original = stage(&demo, "Original definition");
    let heads: Vec<&str> =
        original.lines().filter_map(|line| line.strip_prefix("fun ")?.split('(').next()).collect();
    let unique: std::collections::BTreeSet<&&str> = heads.iter().collect();
    assert!(heads.len() > 2 && unique.len() == heads.len(), "{original}");
}

/// The text of the first label of a diagnostic that is in the program itself.
fn place(text: &str) -> &str {
    let (program, defs) = source(text, &["f"]);
    let file = program.defs[defs[0]].span.file;
    let fault = print_demo(&program, defs[0]).unwrap_err();
    let label = fault.labels.iter().find(|label| label.span.file == file).unwrap();
    &text[label.span.lo as usize..label.span.hi as usize]
}

#[test]
fn what_has_no_form_is_shown_in_the_program() {
    let lambda =
        place("def f (x: Real) (y: Real): Real = let fs = [\\z -> z * x, \\z -> z + x] in fs[0] y");
    assert_eq!(lambda, "\\z -> z * x");
    let call = place("def f [n] (v: [n]Real): Real = maximum v * 2.0");
    assert_eq!(call, "maximum v");
}
