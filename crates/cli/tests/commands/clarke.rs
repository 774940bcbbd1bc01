//! `clarke` against derivatives beside the point: each of them is one of the pieces, and each piece is met.

use std::collections::BTreeSet;

use serde_json::Value;

use super::output;

const FILE: &str = "tests/cli/programs/clarke.pull";

/// The gradients in an answer, as text.
fn json(line: &str) -> Value {
    let (code, out, errors) = output(line);
    assert_eq!(code, "0", "{line}: {errors:?}");
    serde_json::from_str(&out.join("")).expect("JSON")
}

fn numbers(value: &Value) -> Vec<String> {
    let of = |value: &Value| value.as_f64().expect("a number");
    match value.as_array() {
        Some(items) => items.iter().map(|item| of(item).to_string()).collect(),
        None => vec![of(value).to_string()],
    }
}

#[test]
fn the_pieces_are_the_derivatives_beside_the_point() {
    let cases: [(&str, &[f64]); 7] = [
        ("f", &[0.0]),
        ("size", &[0.0]),
        ("nested", &[1.0]),
        ("clipped", &[3.0]),
        ("slope", &[0.0]),
        ("lines", &[0.0, 0.0]),
        ("middle", &[1.0, 1.0, 1.0]),
    ];
    for (entry, point) in cases {
        let argument = |point: &[f64]| match point {
            [x] => format!("({x:?})"),
            _ => format!("'{point:?}'"),
        };
        let found = json(&format!("clarke {FILE} {entry} {} --json", argument(point)));
        let pieces = found["pieces"].as_array().expect("pieces");
        let pieces: BTreeSet<Vec<String>> =
            pieces.iter().map(|piece| numbers(&piece["gradient"])).collect();
        // Directions all around, none of which lies on a tie.
        let mut met = BTreeSet::new();
        for turn in 0..40 {
            let angle = |at: usize| (f64::from(turn) * 0.7 + at as f64 * 2.1 + 0.3).sin();
            let beside: Vec<f64> =
                point.iter().enumerate().map(|(at, x)| x + 1e-3 * angle(at)).collect();
            let answer = json(&format!("grad {FILE} {entry} {} --json", argument(&beside)));
            let gradient = numbers(&answer["gradient"]["x"]);
            // The derivative of `slope` is constant on each side up to rounding.
            let gradient: Vec<String> = gradient
                .iter()
                .map(|x| x.parse::<f64>().expect("a number"))
                .map(|x| ((x * 1e9).round() / 1e9).to_string())
                .collect();
            assert!(pieces.contains(&gradient), "{entry} at {beside:?}: {gradient:?}");
            met.insert(gradient);
        }
        assert_eq!(met, pieces, "{entry}");
    }
}
