//! `bounds` against values and derivatives at points of the box.

use serde_json::Value;

use super::output;

const FILE: &str = "tests/cli/programs/bounds.pull";

fn json(line: &str) -> Value {
    let (code, out, errors) = output(line);
    assert_eq!(code, "0", "{line}: {errors:?}");
    serde_json::from_str(&out.join("")).expect("JSON")
}

/// The ends of an interval.
fn ends(bound: &Value) -> [f64; 2] {
    let end = |at: usize| bound["interval"][at].as_f64().expect("a number");
    [end(0), end(1)]
}

#[test]
fn values_and_derivatives_are_within_their_bounds() {
    let mut least_share: f64 = 1.0;
    for (entry, boxes) in [
        ("mixed", [[-0.5, 0.5], [0.25, 0.35], [1.0, 1.0625]]),
        ("grown", [[-0.5, 0.5], [0.5, 0.75], [-1.0, -0.9375]]),
        ("nested", [[-0.5, 0.5], [0.5, 0.75], [1.0, 1.0625]]),
    ] {
        for [low, high] in boxes {
            let line = format!("bounds {FILE} {entry} 0.0 --interval x=[{low},{high}] --json");
            let found = json(&line);
            let bound = &found["bounds"][0];
            let [value, slope] = [ends(&bound["value"]), ends(&bound["derivatives"]["x"][0])];
            let change = bound["change"].as_f64().expect("a number");
            let mut values = vec![];
            for step in 0..=4 {
                let x = low + (high - low) * f64::from(step) / 4.0;
                let answer = json(&format!("grad {FILE} {entry} ({x:?}) --json"));
                let at = answer["value"].as_f64().expect("a number");
                let by = answer["gradient"]["x"].as_f64().expect("a number");
                assert!(value[0] <= at && at <= value[1], "{line} at {x}: {at} {value:?}");
                assert!(slope[0] <= by && by <= slope[1], "{line} at {x}: {by} {slope:?}");
                values.push(at);
            }
            let spread = values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                - values.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(entry == "mixed" || spread <= change, "{line}: {spread} {change}");
            least_share = least_share.min(change);
        }
    }
    // The smaller the box the sharper the bounds.
    assert!(least_share < 0.3, "{least_share}");
}
