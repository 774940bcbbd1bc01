//! What a plot shows, as numbers.

use super::scale::{Scale, is_drawn};

/// A plot.
pub enum Figure {
    /// Curves over one range.
    Curves {
        /// What the horizontal axis is.
        name: String,
        /// Its range.
        range: (f64, f64),
        /// The curves, in the order of the legend.
        curves: Vec<Curve>,
    },
    /// A function of two numbers.
    Heat(Heat),
}

/// Places with their values.
pub type Points = Vec<(f64, f64)>;

/// A curve. Where a point is not finite it has a gap.
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// How it is drawn.
    pub stroke: Stroke,
    /// Whether it has the colour of the curve before it, whose derivative it is.
    pub colour_of_previous: bool,
    /// The points, from left to right.
    pub points: Points,
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// As a line.
    Solid,
    /// As dashes: derivatives.
    Dashed,
}

/// A function of two numbers on a grid.
pub struct Heat {
    /// What it is of.
    pub title: String,
    /// What the axes are, the horizontal one first.
    pub names: [String; 2],
    /// Their ranges.
    pub ranges: [(f64, f64); 2],
    /// The values in the middles of the cells: rows from below, each from left to right.
    pub cells: Vec<Vec<f64>>,
}

impl Figure {
    /// Whether there is anything to draw, beside derivatives.
    pub fn has_values(&self) -> bool {
        match self {
            Self::Curves { curves, .. } => {
                let curves = curves.iter().filter(|curve| curve.stroke == Stroke::Solid);
                curves.flat_map(|curve| &curve.points).any(|(_, y)| is_drawn(*y))
            }
            Self::Heat(heat) => heat.cells.iter().flatten().any(|value| is_drawn(*value)),
        }
    }
}

/// The vertical scale of curves.
pub fn vertical(curves: &[Curve]) -> Scale {
    Scale::of_values(curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| *y)))
}

/// The parts of a curve without gaps. It has one where a number is missing, and where it goes from beyond one end of
/// the scale to beyond the other between two points, as it does at a pole.
pub fn connected<'c>(curve: &'c Curve, scale: &Scale) -> Vec<&'c [(f64, f64)]> {
    let jumps = |(_, first): (f64, f64), (_, second): (f64, f64)| {
        !is_drawn(first)
            || !is_drawn(second)
            || (first.min(second) < scale.from && first.max(second) > scale.to)
    };
    let parts = curve.points.chunk_by(|first, second| !jumps(*first, *second));
    parts.filter(|part| is_drawn(part[0].1)).collect()
}

/// The number of the colour of each curve.
pub fn colour_numbers(curves: &[Curve]) -> Vec<usize> {
    let mut next = 0;
    let number = |curve: &Curve| {
        if !curve.colour_of_previous {
            next += 1;
        }
        next.max(1) - 1
    };
    curves.iter().map(number).collect()
}
