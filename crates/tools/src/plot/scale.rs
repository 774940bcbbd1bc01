//! Scales: ranges of numbers with ticks at round ones.

/// A range of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Its lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
}

/// How much of the values beyond which the others leave an end: a pole must not hide them.
const OUTLIERS: f64 = 0.05;

/// So many times the range of the others.
const FAR: f64 = 8.0;

/// With so many ticks there are two on every scale.
const ENOUGH: usize = 32;

impl Scale {
    /// The scale on which these values are seen, with some room at its ends.
    pub fn of_values(values: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.filter(|value| is_drawn(*value)).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(least), Some(most)) = (sorted.first().copied(), sorted.last().copied()) else {
            return Self { from: -1.0, to: 1.0 };
        };
        let beyond = (OUTLIERS * sorted.len() as f64) as usize;
        let (low, high) = (sorted[beyond], sorted[sorted.len() - 1 - beyond]);
        let usual = high - low;
        let from = if usual > 0.0 && low - least > FAR * usual { low - usual } else { least };
        let to = if usual > 0.0 && most - high > FAR * usual { high + usual } else { most };
        let room = if to > from { 0.05 * (to - from) } else { from.abs().max(1.0) / 2.0 };
        Self { from: from - room, to: to + room }
    }
    /// The scale from the least to the largest of these values.
    pub fn of_range(values: impl Iterator<Item = f64>) -> Self {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let values = values.filter(|value| is_drawn(*value));
        let (from, to) = values.fold(ends, |ends, value| (ends.0.min(value), ends.1.max(value)));
        if from < to { Self { from, to } } else { Self { from: from - 0.5, to: from + 0.5 } }
    }
    /// Where a number is: 0 at the lower end, 1 at the upper one.
    pub fn part(&self, number: f64) -> f64 {
        (number - self.from) / (self.to - self.from)
    }
    /// About so many round numbers, and two at least, with what they are called.
    pub fn ticks(&self, about: usize) -> Vec<(f64, String)> {
        let rough = (self.to - self.from) / about.max(1) as f64;
        let power = rough.log10().floor();
        let round = [1.0, 2.0, 5.0].into_iter().find(|round| *round >= rough / 10_f64.powf(power));
        let (factor, power) = round.map_or((1.0, power as i32 + 1), |round| (round, power as i32));
        // Divided by a power of ten, tenths are the numbers nearest to them.
        let multiple = |count: f64| match power {
            0.. => count * factor * 10_f64.powi(power),
            _ => count * factor / 10_f64.powi(-power),
        };
        let step = multiple(1.0);
        if !(step > 0.0 && step.is_finite()) {
            return vec![];
        }
        let (first, last) = ((self.from / step - 1e-9).ceil(), (self.to / step + 1e-9).floor());
        let count = (last - first).clamp(0.0, 100.0) as usize;
        let largest = self.from.abs().max(self.to.abs());
        if count == 0 && about < ENOUGH {
            return self.ticks(2 * about);
        }
        (0..=count)
            .map(|at| multiple(first + at as f64))
            .map(|tick| (tick, label(tick, power, largest)))
            .collect()
    }
}

/// Whether a number has a place in a plot: differences of larger ones may be infinite.
pub fn is_drawn(number: f64) -> bool {
    number.abs() < 1e300
}

/// A multiple of a power of ten, among numbers that are not larger than this.
fn label(tick: f64, power: i32, largest: f64) -> String {
    if tick == 0.0 {
        return "0".to_owned();
    }
    let text = if !(1e-3..1e6).contains(&largest) {
        let digits = (tick.abs().log10().floor() as i32 - power).max(0) as usize;
        format!("{tick:.digits$e}")
    } else {
        let digits = (-power).max(0) as usize;
        format!("{tick:.digits$}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: f64, to: f64) -> String {
        let ticks = Scale { from, to }.ticks(5);
        ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(-2.0, 2.0), "−2 −1 0 1 2");
        assert_eq!(labels(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0".replacen("0.0", "0", 1));
        assert_eq!(labels(0.0, 99.0), "0 20 40 60 80");
        assert_eq!(labels(1e-7, 3e-7), "1.0e−7 1.5e−7 2.0e−7 2.5e−7 3.0e−7");
        assert_eq!(labels(0.0, 3e9), "0 1e9 2e9 3e9");
    }

    #[test]
    fn a_pole_does_not_hide_the_rest() {
        let values = (1..=1000).map(|at| 1.0 / f64::from(at) - 0.001);
        let scale = Scale::of_values(values.chain([f64::NAN, f64::INFINITY, 1e9]));
        assert!(scale.to < 1.0 && scale.from < 0.0);
        let flat = Scale::of_values([3.0, 3.0].into_iter());
        assert!(flat.from < 3.0 && flat.to > 3.0);
    }
}
