//! The words for bounds on a box, and their JSON.

use pullback_prim::interval::Interval;
use pullback_prim::real_text;

use super::Bounded;
use crate::json::{list, number, quoted};

impl Bounded {
    /// The answer, in words or as JSON.
    pub fn shown(&self, json: bool) -> String {
        if json { self.json() } else { self.text() }
    }

    fn text(&self) -> String {
        let mut lines = vec![];
        for (at, bound) in self.bounds.iter().enumerate() {
            let place = if self.bounds.len() == 1 { String::new() } else { format!(" {at}") };
            lines.push(format!("value{place}: {}", text(bound.value)));
            for (name, slopes) in &bound.slopes {
                let slopes: Vec<String> = slopes.iter().map(|slope| text(*slope)).collect();
                let slopes = if slopes.is_empty() { "()".to_owned() } else { slopes.join(" × ") };
                lines.push(format!("  derivative by {name}: {slopes}"));
            }
            lines.push(if bound.change.is_nan() {
                "  change: not bounded, since NaN may arise".to_owned()
            } else {
                format!("  change: at most {}", real_text(bound.change))
            });
        }
        if self.bounds.is_empty() {
            lines.push("the result has no Reals".to_owned());
        }
        if self.ways > 1 {
            lines.push(format!(
                "{} ways: the intervals do not decide all comparisons; where the function jumps, derivatives do not bound the change",
                self.ways
            ));
        }
        lines.join("\n")
    }

    fn json(&self) -> String {
        let bounds = self.bounds.iter().map(|bound| {
            let slopes = bound.slopes.iter().map(|(name, slopes)| {
                format!("{}: {}", quoted(name), list(slopes.iter().map(|slope| json(*slope))))
            });
            let slopes: Vec<String> = slopes.collect();
            let (value, change) = (json(bound.value), number(bound.change));
            format!(
                "{{\"value\": {value}, \"derivatives\": {{{}}}, \"change\": {change}}}",
                slopes.join(", ")
            )
        });
        format!("{{\"bounds\": {}, \"ways\": {}}}", list(bounds), self.ways)
    }
}

fn text(interval: Interval) -> String {
    let Interval { low, high, nan } = interval;
    if interval.is_empty() {
        return "NaN".to_owned();
    }
    let [first, last] = [low, high].map(real_text);
    let numbers = if low == high { format!("{{{first}}}") } else { format!("[{first}, {last}]") };
    if nan { format!("{numbers} or NaN") } else { numbers }
}

fn json(interval: Interval) -> String {
    let Interval { low, high, nan } = interval;
    let ends = if interval.is_empty() { vec![] } else { vec![number(low), number(high)] };
    format!("{{\"interval\": {}, \"nan\": {nan}}}", list(ends.into_iter()))
}
