//! `pullback bounds`: what an entry and its derivatives are on a box, and how much its results can change there.
//!
//! Input: a [`Call`] of an entry, and intervals for parameters. Output: [`Bound`]s of each Real of the result, of its derivatives,
//! and of its change. A run on intervals that meets a comparison which they do not decide is run again with each answer
//! ([`pullback_eval::boxes`]); the bounds are the hulls of all runs.
//!
//! Law: at every point of the box the value is within its bounds. Where the function is continuous on the box, the mean value
//! theorem gives `|f y - f x| <= sum of |df/dx_i| |y_i - x_i|`, with the derivatives between their bounds.

mod words;

use std::rc::Rc;

use pullback_base::{Diagnostic, Span};
use pullback_data::shape::leaves;
use pullback_engine::Bounds;
use pullback_eval::boxes::Boxes;
use pullback_prim::interval::Interval;
use pullback_session::call::{Prepared, Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::parts::components;
use pullback_session::{Call, Query, Stop};

/// The most runs.
const MOST: usize = 4096;

/// The box on which a function is looked at.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Intervals for all Reals of parameters.
    pub intervals: Vec<Named>,
    /// How far all other Reals may be from their arguments.
    pub radius: f64,
}

/// An interval for all Reals of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The parameter.
    pub name: String,
    /// The least number.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Named {
    /// Reads `x=[0,1]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "an interval is written `x=[0,1]`";
        let (name, ends) = text.split_once('=').ok_or(form)?;
        let ends = ends.trim().strip_prefix('[').and_then(|ends| ends.strip_suffix(']'));
        let (low, high) = ends.and_then(|ends| ends.split_once(',')).ok_or(form)?;
        let number = |text: &str| {
            let number =
                text.trim().parse::<f64>().map_err(|_| format!("`{text}` is no number"))?;
            if number.is_nan() {
                Err("a bound is a number, not NaN".to_owned())
            } else {
                Ok(number)
            }
        };
        let (low, high) = (number(low)?, number(high)?);
        if low > high {
            return Err(format!("{low} is above {high}: the least number comes first"));
        }
        Ok(Self { name: name.trim().to_owned(), low, high })
    }
    /// A number of the interval: its middle, or a finite bound if there is one.
    fn point(&self) -> f64 {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => (0.5 * self.low + 0.5 * self.high).clamp(self.low, self.high),
            (true, false) => self.low,
            (false, true) => self.high,
            (false, false) => 0.0,
        }
    }
}

/// The bounds of a Real of the result.
pub struct Bound {
    /// Of its value.
    pub value: Interval,
    /// Of its derivatives, by the Reals of each parameter.
    pub slopes: Vec<(String, Vec<Interval>)>,
    /// Of the difference of two of its values.
    pub change: f64,
}

/// All bounds, and in how many ways the program goes on the box.
pub struct Bounded {
    /// For each Real of the result.
    pub bounds: Vec<Bound>,
    /// The number of runs that the hulls are of.
    pub ways: usize,
}

/// The bounds of an entry on a box, with derivatives with respect to the parameters named, or all.
pub fn bounds(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    around: &Around,
) -> Result<Bounded, Stop> {
    let engine = Engine::resolve(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: false, direction: None };
    // An interval is enough where the type tells how many Reals there are.
    let points = around.intervals.iter().map(|named| (named.name.clone(), named.point()));
    let call = Call { points: points.collect(), ..call.clone() };
    let prepared = prepare(query, &call, &engine, &purpose)?;
    let intervals = match intervals(&prepared, around) {
        Ok(intervals) => intervals,
        Err(fault) => return query.fail(*fault),
    };
    let (found, ways) = match all_ways(&engine, &prepared, &intervals) {
        Ok(found) => found,
        Err(fault) => return query.fail(*fault),
    };
    let rows = found.values.iter().zip(&found.slopes);
    let bounds = rows.map(|(value, row)| bound(&prepared, &intervals, *value, row)).collect();
    Ok(Bounded { bounds, ways })
}

/// The interval of each Real of the argument.
fn intervals(prepared: &Prepared, around: &Around) -> Result<Vec<Interval>, Box<Diagnostic>> {
    let values = components(&prepared.argument, prepared.parts.len());
    let parts: Vec<_> = prepared.parts.iter().zip(&values).collect();
    let has_reals: Vec<&str> = parts
        .iter()
        .filter(|(_, value)| !leaves(value).is_empty())
        .map(|(part, _)| &*part.name)
        .collect();
    for named in &around.intervals {
        if !has_reals.contains(&&*named.name) {
            let title = format!("there is no parameter `{}` with Reals", named.name);
            let hint = format!("those that have some are {}", has_reals.join(", "));
            let fault = Diagnostic::error("E0833", prepared.entry, title, "of this definition");
            return Err(Box::new(fault.hint(hint)));
        }
    }
    let mut all = vec![];
    for (part, value) in parts {
        let named = around.intervals.iter().rev().find(|named| named.name == part.name);
        all.extend(leaves(value).into_iter().map(|x| match named {
            Some(Named { low, high, .. }) => Interval { low: *low, high: *high, nan: false },
            None if x.is_nan() => Interval::EMPTY,
            None if around.radius == 0.0 => Interval::point(x),
            None => {
                let low = (x - around.radius).next_down();
                Interval { low, high: (x + around.radius).next_up(), nan: false }
            }
        }));
    }
    Ok(all)
}

/// The hulls of the runs with all answers to comparisons that are not decided, and how many there are.
fn all_ways(
    engine: &Engine,
    prepared: &Prepared,
    intervals: &[Interval],
) -> Result<(Bounds, usize), Box<Diagnostic>> {
    let Prepared { code, function, argument, .. } = prepared;
    let (mut hulls, mut ways, mut runs) = (None, 0, 0);
    let mut work = vec![vec![]];
    while let Some(answers) = work.pop() {
        runs += 1;
        if runs > MOST {
            let title = format!("more than {MOST} ways through the program, and there are others");
            let fault = Diagnostic::error("E0831", prepared.entry, title, "on these intervals");
            return Err(Box::new(fault.hint("take smaller intervals")));
        }
        let boxes = Rc::new(Boxes::new(answers.clone()));
        let found = engine.bounds(code, *function, (argument, intervals), &boxes);
        let fault = match found {
            Ok(found) => {
                ways += 1;
                hulls = Some(match hulls {
                    Some(before) => hull(prepared.entry, before, found)?,
                    None => found,
                });
                continue;
            }
            Err(fault) => fault,
        };
        if boxes.is_open() {
            for answer in [false, true] {
                work.push(answers.iter().copied().chain([answer]).collect());
            }
        } else if let Some(what) = boxes.unknown() {
            let title = format!("the interval does not tell {what}");
            let told = Diagnostic::error("E0832", fault.span(), title, "at this point");
            return Err(Box::new(told.hint("take smaller intervals")));
        } else {
            return Err(fault);
        }
    }
    hulls.map(|hulls| (hulls, ways)).ok_or_else(|| crate::bug::bug("one run at least ends"))
}

/// The hulls of two runs, whose results have the same shape.
fn hull(entry: Span, one: Bounds, other: Bounds) -> Result<Bounds, Box<Diagnostic>> {
    if one.values.len() != other.values.len() {
        let title = "the result has more numbers on one way than on another".to_owned();
        let fault = Diagnostic::error("E0832", entry, title, "on these intervals");
        return Err(Box::new(fault.hint("take smaller intervals")));
    }
    let hull = |one: Vec<Interval>, other: Vec<Interval>| {
        one.into_iter().zip(other).map(|(x, y)| x.hull(y)).collect::<Vec<_>>()
    };
    let slopes = one.slopes.into_iter().zip(other.slopes).map(|(x, y)| hull(x, y)).collect();
    Ok(Bounds { values: hull(one.values, other.values), slopes })
}

fn bound(prepared: &Prepared, intervals: &[Interval], value: Interval, row: &[Interval]) -> Bound {
    let values = components(&prepared.argument, prepared.parts.len());
    let (mut at, mut slopes, mut change) = (0, vec![], Interval::point(0.0));
    for (part, argument) in prepared.parts.iter().zip(&values) {
        let count = leaves(argument).len();
        for place in at..at + count {
            let Interval { low, high, .. } = intervals[place];
            if low < high {
                let width = Interval { low: 0.0, high: (high - low).next_up(), nan: false };
                let slope = row[place];
                let size = Interval { low: 0.0, high: slope.magnitude(), nan: slope.nan };
                let more = pullback_prim::Prim::Mul.enclosure(&[size, width]);
                change = pullback_prim::Prim::Add.enclosure(&[change, more]);
            }
        }
        if part.wrt {
            slopes.push((part.name.clone(), row[at..at + count].to_vec()));
        }
        at += count;
    }
    let spread = Interval { low: 0.0, high: (value.high - value.low).next_up(), nan: value.nan };
    // What the values leave room for bounds the change too, also where the function jumps.
    let by_slopes = if change.nan { f64::INFINITY } else { change.high };
    let change = if spread.nan { f64::NAN } else { by_slopes.min(spread.high) };
    Bound { value, slopes, change }
}
