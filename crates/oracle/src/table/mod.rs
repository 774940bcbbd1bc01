//! The walk over the primitive table: every primitive with a derivative × whoever differentiates × modes
//! × orders 1–3 × ordinary and extreme points, against Taylor jets; and at kinks, edges of domains, NaN
//! and infinities against the table of conventions, which is written out once more in `points`.
//!
//! Who differentiates is a [`Subject`]: this crate knows no engine. A primitive that gets no case here
//! fails the walk.

mod cases;
mod nested;
mod points;

use std::collections::BTreeMap;
use std::fmt;

use pullback_prim::Prim;

use crate::contender::{Contender, Failure};
use crate::{Data, jvp_complex_step, taylor};
pub use cases::{Case, cases};
pub use nested::{DerivativeMode, nested, plain};
pub use points::{Expected, Point, points};

/// Whoever differentiates.
pub trait Subject {
    /// Its name in the report.
    fn name(&self) -> &str;
    /// The partial derivative of a case by these arguments, one after the other, each in its mode
    /// (first innermost), at a point. `None` if it has no such mode.
    fn partial(
        &self,
        case: &Case,
        by: &[(usize, DerivativeMode)],
        at: &[f64],
    ) -> Option<Result<f64, String>>;
}

impl Subject for Contender {
    fn name(&self) -> &str {
        &self.name
    }

    fn partial(
        &self,
        case: &Case,
        by: &[(usize, DerivativeMode)],
        at: &[f64],
    ) -> Option<Result<f64, String>> {
        let mut cache = self.ready.borrow_mut();
        if cache.0 != case.name {
            *cache = (case.name.clone(), BTreeMap::new());
        }
        let ready = cache.1.entry(format!("{by:?}")).or_insert_with(|| {
            let (program, def) = nested(case, by);
            self.open(&program)(def)
        });
        let arg = Data::Tuple(at.iter().map(|x| Data::Real(*x)).collect());
        match ready(&[arg]) {
            Ok(Data::Real(x)) => Some(Ok(x)),
            Ok(other) => Some(Err(format!("not a Real: {other:?}"))),
            Err(Failure::Refused(_)) => None,
            Err(failure) => Some(Err(failure.to_string())),
        }
    }
}

/// What the walk found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One row a primitive and subject: checks at each order.
    pub rows: Vec<Row>,
    /// What differed, in words.
    pub failures: Vec<String>,
    /// Points where the oracle itself has no sure answer.
    pub undecided: usize,
}

/// The checks of one primitive by one subject.
#[derive(Clone, Debug)]
pub struct Row {
    /// The primitive.
    pub prim: Prim,
    /// Who differentiated.
    pub subject: String,
    /// Right answers at orders 1, 2, 3.
    pub right: [usize; 3],
    /// Wrong ones.
    pub wrong: usize,
}

impl Row {
    fn of(case: &Case, subject: &dyn Subject) -> Self {
        Self { prim: case.prim, subject: subject.name().to_string(), right: [0; 3], wrong: 0 }
    }
}

impl Report {
    /// Adds a row to that of the same primitive and subject, if there is one.
    fn add(&mut self, row: Row) {
        let same = |old: &&mut Row| old.prim == row.prim && old.subject == row.subject;
        match self.rows.iter_mut().find(same) {
            Some(old) => {
                old.wrong += row.wrong;
                old.right.iter_mut().zip(row.right).for_each(|(old, new)| *old += new);
            }
            None => self.rows.push(row),
        }
    }

    /// The report of other subjects over the same table, added to this one.
    pub fn merge(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.failures.extend(other.failures);
        self.undecided = self.undecided.max(other.undecided);
    }

    /// How many checks were made.
    pub fn checks(&self) -> usize {
        self.rows.iter().map(|row| row.right.iter().sum::<usize>() + row.wrong).sum()
    }
}

/// The highest order of derivatives that a walk checks.
pub const HIGHEST: usize = 3;

/// Walks the whole table, up to this order of derivatives and never above [`HIGHEST`].
pub fn report(subjects: &[&dyn Subject], orders: usize) -> Report {
    let mut report = Report::default();
    for case in cases() {
        let points = points(&case);
        let expectations: Vec<_> = points.iter().map(|point| expectation(&case, point)).collect();
        report.undecided += expectations.iter().filter(|found| found.is_none()).count();
        for subject in subjects {
            let mut row = Row::of(&case, *subject);
            for (point, expected) in points.iter().zip(&expectations) {
                let Some(expected) = expected else { continue };
                let expected = expected.up_to(orders);
                check(&case, *subject, point, &expected, &mut row, &mut report.failures);
            }
            report.add(row);
        }
    }
    report
}

/// The partial derivatives expected at a point.
#[derive(Clone)]
struct Partials {
    /// By the multiset of arguments, as `(how often by the first, how often by the second)`.
    values: Vec<((usize, usize), f64)>,
    /// At orders 1, 2, 3: what may be off relative to the derivative, and what absolutely.
    relative: [f64; 3],
    absolute: [f64; 3],
}

impl Partials {
    fn up_to(&self, orders: usize) -> Self {
        let mut kept = self.clone();
        kept.values.retain(|((first, second), _)| first + second <= orders);
        kept
    }
}

fn check(
    case: &Case,
    subject: &dyn Subject,
    point: &Point,
    expected: &Partials,
    row: &mut Row,
    failures: &mut Vec<String>,
) {
    for ((first, second), value) in &expected.values {
        let order = first + second;
        let mut by = vec![0; *first];
        by.extend(vec![1; *second]);
        for modes in DerivativeMode::words(order) {
            let word: Vec<_> = by.iter().copied().zip(modes).collect();
            let Some(found) = subject.partial(case, &word, &point.at) else { continue };
            let error = match found {
                Ok(x) if agrees(x, *value, expected, order) => {
                    row.right[order - 1] += 1;
                    continue;
                }
                Ok(x) => format!("{x:e}"),
                Err(error) => error,
            };
            row.wrong += 1;
            failures.push(format!(
                "{} of `{}` at {:?}, order {order} by {word:?}: {error}, not {value:e}",
                subject.name(),
                case.name,
                point.at
            ));
        }
    }
}

fn agrees(found: f64, wanted: f64, expected: &Partials, order: usize) -> bool {
    let allowed = expected.relative[order - 1] * wanted.abs() + expected.absolute[order - 1];
    found == wanted || (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() <= allowed
}

fn expectation(case: &Case, point: &Point) -> Option<Partials> {
    match &point.expected {
        Expected::Stated { partials, higher } => {
            let mut values = Vec::new();
            for (index, partial) in partials.iter().enumerate() {
                let order = |n: usize| if index == 0 { (n, 0) } else { (0, n) };
                values.extend(partial.map(|partial| (order(1), partial)));
                values.extend(higher.iter().flat_map(|x| [(order(2), *x), (order(3), *x)]));
            }
            Some(Partials { values, relative: [1e-14; 3], absolute: [0.0; 3] })
        }
        Expected::Oracle { extreme } => by_jets(case, point, *extreme),
    }
}

/// The partial derivatives by Taylor jets, confirmed at order one by the complex step.
fn by_jets(case: &Case, point: &Point, extreme: bool) -> Option<Partials> {
    let (program, def) = plain(case);
    let arg = [Data::Tuple(point.at.iter().map(|x| Data::Real(*x)).collect())];
    let along = |direction: &[f64]| -> Option<Vec<f64>> {
        let series = taylor(&program, def, &arg, direction, 3).ok()?;
        let (_, slope) = jvp_complex_step(&program, def, &arg, direction).ok()?;
        let series = series.first()?;
        let sure = (series[1] - slope[0]).abs() <= 1e-10 * series[1].abs();
        let finite = series.iter().all(|x| x.is_finite());
        (sure && finite).then(|| vec![series[1], 2.0 * series[2], 6.0 * series[3]])
    };
    let mut values = Vec::new();
    if case.arity == 1 {
        let d = along(&[1.0])?;
        values.extend((1..=3).map(|n| ((n, 0), d[n - 1])));
    } else {
        let (x, y) = (along(&[1.0, 0.0])?, along(&[0.0, 1.0])?);
        values.extend((1..=3).map(|n| ((n, 0), x[n - 1])));
        values.extend((1..=3).map(|n| ((0, n), y[n - 1])));
        // Mixed ones from the diagonals, which cancel too much where numbers differ in size.
        if !extreme {
            let (up, down) = (along(&[1.0, 1.0])?, along(&[1.0, -1.0])?);
            values.push(((1, 1), (up[1] - down[1]) / 4.0));
            values.push(((2, 1), (up[2] - down[2] - 2.0 * y[2]) / 6.0));
            values.push(((1, 2), (up[2] + down[2] - 2.0 * x[2]) / 6.0));
        }
    }
    let largest = |order: usize| {
        let of_order = values.iter().filter(|((i, j), _)| i + j == order);
        of_order.fold(0.0, |size: f64, (_, x)| size.max(x.abs()))
    };
    // Terms that cancel leave the rounding of what is of lower order; far out and near zero that is
    // the derivatives alone, and whatever underflows in the complex step.
    let (least, relative) =
        if extreme { (1e-200, [1e-11, 1e-9, 1e-8]) } else { (1e-13, [1e-13, 1e-11, 1e-10]) };
    let first = largest(1);
    let second = first.max(largest(2));
    let third = if extreme { second } else { second.max(largest(3)) };
    let mixed = if extreme { 1e-14 } else { 1e-12 };
    let absolute = [least, least + mixed * first, least + 10.0 * mixed * third];
    Some(Partials { values, relative, absolute })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:<14} {:>8} {:>8} {:>8} {:>6}",
            "primitive", "engine", "order 1", "order 2", "order 3", "wrong"
        )?;
        for row in &self.rows {
            let [first, second, third] = row.right;
            writeln!(
                f,
                "{:<12} {:<14} {first:>8} {second:>8} {third:>8} {:>6}",
                row.prim.row().name,
                row.subject,
                row.wrong
            )?;
        }
        writeln!(
            f,
            "{} checks, {} wrong, {} points without a sure answer",
            self.checks(),
            self.failures.len(),
            self.undecided
        )?;
        for failure in self.failures.iter().take(50) {
            writeln!(f, "wrong: {failure}")?;
        }
        Ok(())
    }
}
