//! The words for a generalised gradient, and its JSON.

use pullback_base::{SourceMap, Span};
use pullback_eval::ties::Side;

use super::{Clarke, Interval};
use crate::json::{list, number, quoted};

impl Clarke {
    /// The answer, in words or as JSON.
    pub fn shown(&self, sources: &SourceMap, json: bool) -> String {
        let place = |span: Span| {
            let at = sources.line_col(span);
            format!("{}:{}:{}", sources.name(span.file), at.line, at.column)
        };
        if json { self.json(&place) } else { self.text(&place) }
    }

    fn json(&self, place: &dyn Fn(Span) -> String) -> String {
        let hull = self.hull.iter().map(|(name, intervals)| {
            let intervals = intervals.iter().map(|one| numbers(&[one.low, one.high]));
            format!("{}: {}", quoted(name), list(intervals))
        });
        let pieces = self.pieces.iter().map(|piece| {
            let ties = piece.sides.iter().map(|(span, side)| {
                format!("{{\"at\": {}, \"side\": \"{}\"}}", quoted(&place(*span)), word(*side))
            });
            let value = number(piece.value);
            let gradient = numbers(&piece.gradient);
            format!("{{\"value\": {value}, \"gradient\": {gradient}, \"ties\": {}}}", list(ties))
        });
        let (convention, is_inside) = &self.convention;
        format!(
            "{{\"hull\": {{{}}}, \"pieces\": {}, \"convention\": {}, \"inside\": {is_inside}, \"jumps\": {}, \"undecided\": {}}}",
            hull.collect::<Vec<_>>().join(", "),
            list(pieces),
            numbers(convention),
            self.jump.is_some(),
            list(self.undecided.iter().map(|span| quoted(&place(*span)))),
        )
    }

    fn text(&self, place: &dyn Fn(Span) -> String) -> String {
        let mut lines = vec![];
        for (name, intervals) in &self.hull {
            let shown: Vec<String> = intervals.iter().map(|interval| interval.text()).collect();
            let shown = if shown.is_empty() { "()".to_owned() } else { shown.join(" × ") };
            lines.push(if self.hull.len() == 1 { shown } else { format!("{name}: {shown}") });
        }
        let (convention, is_inside) = &self.convention;
        if let [only] = &*self.pieces {
            if only.sides.is_empty() {
                lines.push("differentiable here: the run meets no tie".to_owned());
            } else {
                lines.push("all pieces that meet here have this gradient".to_owned());
            }
        } else {
            lines.push(format!("{} pieces meet here:", self.pieces.len()));
            for piece in &self.pieces {
                let sides = piece.sides.iter();
                let sides: Vec<String> = sides
                    .map(|(span, side)| format!("{} at {}", word(*side), place(*span)))
                    .collect();
                lines.push(format!("  {}   {}", vector(&piece.gradient), sides.join(", ")));
            }
        }
        let is_inside = if *is_inside { "inside the hull" } else { "outside the hull" };
        lines.push(format!("by convention: {}, {is_inside}", vector(convention)));
        if let Some((value, values)) = &self.jump {
            lines.push(format!(
                "the function jumps here, so that it has no generalised gradient: its value is {value}, those of the pieces are {}",
                vector(values)
            ));
        }
        for span in &self.undecided {
            lines.push(format!(
                "the first order does not decide the tie at {}: both sides were taken, and the hull may be too large",
                place(*span)
            ));
        }
        lines.join("\n")
    }
}

impl Interval {
    fn text(self) -> String {
        let Self { low, high } = self;
        if low == high { format!("{{{low}}}") } else { format!("[{low}, {high}]") }
    }
}

fn vector(numbers: &[f64]) -> String {
    let shown: Vec<String> = numbers.iter().map(f64::to_string).collect();
    if let [only] = &*shown { only.clone() } else { format!("({})", shown.join(", ")) }
}

/// On which side of a tie a piece is.
fn word(side: Side) -> &'static str {
    match side {
        Side::Above => "above",
        Side::Below => "below",
        Side::Equal => "equal",
    }
}

fn numbers(all: &[f64]) -> String {
    list(all.iter().map(|x| number(*x)))
}
