//! `pullback clarke`: the generalised gradient of an entry at a point (Clarke 1975): the derivatives of the smooth pieces
//! that meet there, and their convex hull.
//!
//! Input: a [`Call`] of a Real-valued entry. Output: a [`Clarke`]. A run that meets a tie is run again on each of its sides
//! ([`pullback_eval::ties`]), in every direction of the argument. A side is left out if no direction leads to it, given
//! the sides before: what is 0 at a tie changes by `⟨d, h⟩` along a direction `h`, and signs of such products for several
//! ties at once are those of a point in an open cone, or of none.
//!
//! ```text
//! f x = if x >= 1.0 then (if x >= 1.0 then 2.0 * x else 0.0) else x + 1.0        at 1.0: 2 pieces of 4, {1.0, 2.0}
//! ```
//!
//! A function with a rule of its own has the derivative of the rule. But where the rule chooses one of what the function's own
//! pieces have, as that of `maximum` does at a tie, those pieces are the answer.
//!
//! Where `d` is 0, as for `x * x >= 0.0` at 0, the first order does not decide which sides there are. Then both are taken,
//! and the answer says so: the hull may be too large.

mod hulls;
mod words;

use std::rc::Rc;

use pullback_base::{Diagnostic, Span};
use pullback_compile::Mode;
use pullback_data::shape::{leaves, tangent_like};
use pullback_eval::Value;
use pullback_eval::ties::{Side, Ties};
use pullback_session::call::{Prepared, Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::parts::{Part, components};
use pullback_session::{Call, Query, Stop};

use crate::bug::bug;
use crate::rules::{rules, without_rules};
use hulls::{have_direction, is_within};

/// The most pieces that are looked for.
const MOST: usize = 4096;

/// The generalised gradient at a point.
pub struct Clarke {
    /// The parameters: name, and the hull of each Real of its gradient.
    pub hull: Vec<(String, Vec<Interval>)>,
    /// The pieces that differ, in the order in which they were found.
    pub pieces: Vec<Piece>,
    /// The gradient by the table's convention, and whether it is a convex combination of those of the pieces.
    pub convention: (Vec<f64>, bool),
    /// Where the function jumps, its value and those of the pieces: there is no generalised gradient.
    pub jump: Option<(f64, Vec<f64>)>,
    /// Ties whose sides the first order does not decide.
    pub undecided: Vec<Span>,
}

/// All numbers from one to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// A smooth piece of the function that has the point on its border, or inside.
pub struct Piece {
    /// The value at the point.
    pub value: f64,
    /// The gradient there.
    pub gradient: Vec<f64>,
    /// Each tie, and on which side of it the piece is.
    pub sides: Vec<(Span, Side)>,
}

/// The generalised gradient with respect to the parameters named, or all.
pub fn clarke(query: &mut Query<'_>, call: &Call, wrt: &[String]) -> Result<Clarke, Stop> {
    let engine = Engine::resolve(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: true, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    let found = with_neighbours(&prepared).and_then(|()| found(&engine, &prepared));
    let (Found { pieces, undecided }, (value, convention)) = match found {
        Ok(found) => found,
        Err(fault) => return query.fail(*fault),
    };
    let values: Vec<f64> = pieces.iter().map(|piece| piece.value).collect();
    let is_continuous = values.iter().all(|other| *other == value);
    let jump = (!is_continuous).then_some((value, values));
    let gradients: Vec<Vec<f64>> = pieces.iter().map(|piece| piece.gradient.clone()).collect();
    let is_inside = is_within(&convention, &gradients);
    let mut at = 0;
    let mut hull = vec![];
    for (part, value) in moving(&prepared) {
        let count = leaves(&value).len();
        let interval = |at: usize| {
            let numbers = gradients.iter().map(|gradient| gradient[at]);
            Interval {
                low: numbers.clone().fold(f64::INFINITY, f64::min),
                high: numbers.fold(f64::NEG_INFINITY, f64::max),
            }
        };
        hull.push((part.name.clone(), (at..at + count).map(interval).collect()));
        at += count;
    }
    Ok(Clarke { hull, pieces, convention: (convention, is_inside), jump, undecided })
}

/// Refuses a point that has no neighbourhood.
fn with_neighbours(prepared: &Prepared) -> Result<(), Box<Diagnostic>> {
    let numbers = moving(prepared).into_iter().flat_map(|(_, value)| leaves(&value));
    let Some(number) = numbers.into_iter().find(|x| !x.is_finite()) else { return Ok(()) };
    let title = format!("{} is no real number, so that nothing is next to it", shown(number));
    Err(Box::new(
        Diagnostic::error("E0721", prepared.entry, title, "at this point")
            .hint("give an argument of finite numbers"),
    ))
}

fn shown(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { number.to_string() }
}

/// A value with its gradient.
type Gradient = (f64, Vec<f64>);

/// The pieces, and the value with the gradient by the table's convention.
fn found(engine: &Engine, prepared: &Prepared) -> Result<(Found, Gradient), Box<Diagnostic>> {
    let mut search = Search::new(engine, prepared);
    search.all()?;
    let convention = search.convention()?;
    if let Some(number) = convention.1.iter().chain([&convention.0]).find(|x| !x.is_finite()) {
        let title = format!("a value or a derivative is {}", shown(*number));
        let fault = Diagnostic::error("E0721", prepared.entry, title, "at this point");
        return Err(Box::new(
            fault.note("`--trace-nan` of `pullback grad` tells where the first NaN arises"),
        ));
    }
    let found = search.found();
    let program = prepared.code.program();
    let count = rules(program).len();
    if count == 0 {
        return Ok((found, convention));
    }
    let own = prepared.with_program(without_rules(program, 0..count));
    let mut search = Search::new(engine, &own);
    match search.all() {
        Ok(()) => {}
        // The rule is what tells the derivative here.
        Err(fault) if fault.code == "E0715" => return Ok((found, convention)),
        Err(fault) => return Err(fault),
    }
    let own = search.found();
    let gradients: Vec<Vec<f64>> = own.pieces.iter().map(|piece| piece.gradient.clone()).collect();
    let has_ties = own.pieces.iter().any(|piece| !piece.sides.is_empty());
    let is_choice = has_ties
        && own.pieces.iter().all(|piece| piece.value == convention.0)
        && found.pieces.iter().all(|piece| is_within(&piece.gradient, &gradients));
    Ok((if is_choice { own } else { found }, convention))
}

/// The parameters that the derivative is by, with their arguments.
fn moving(prepared: &Prepared) -> Vec<(&Part, Value)> {
    let values = components(&prepared.argument, prepared.parts.len());
    prepared.parts.iter().zip(values).filter(|(part, _)| part.wrt).collect()
}

/// A function at a point, and what has been found of it.
struct Search<'s> {
    engine: &'s Engine,
    prepared: &'s Prepared,
    /// For each Real of the argument, whether the derivative is by it.
    moves: Vec<bool>,
    pieces: Vec<Piece>,
    undecided: Vec<Span>,
}

/// What a search has found.
struct Found {
    pieces: Vec<Piece>,
    undecided: Vec<Span>,
}

/// Sides that were taken, and what the directions that lead to them satisfy.
#[derive(Clone, Default)]
struct Taken {
    sides: Vec<(Span, Side)>,
    /// Vectors whose products with such a direction are positive.
    cone: Vec<Vec<f64>>,
}

/// How a run in one direction ends.
enum Ended {
    /// With the result, and its derivative.
    Result(f64, f64),
    /// At a tie without a side, with its place, and the derivative of what is 0 there.
    Open(Span, f64),
}

impl<'s> Search<'s> {
    fn new(engine: &'s Engine, prepared: &'s Prepared) -> Self {
        let values = components(&prepared.argument, prepared.parts.len());
        let parts = prepared.parts.iter().zip(&values);
        let moves = parts.flat_map(|(part, value)| leaves(value).into_iter().map(|_| part.wrt));
        Self { engine, prepared, moves: moves.collect(), pieces: vec![], undecided: vec![] }
    }

    fn found(self) -> Found {
        Found { pieces: self.pieces, undecided: self.undecided }
    }

    /// Finds all pieces.
    fn all(&mut self) -> Result<(), Box<Diagnostic>> {
        let mut work = vec![Taken::default()];
        while let Some(taken) = work.pop() {
            self.look(taken, &mut work)?;
            if self.pieces.len() + work.len() > MOST {
                let title = format!("more than {MOST} smooth pieces meet here");
                let diagnostic =
                    Diagnostic::error("E0830", self.prepared.entry, title, "at this point");
                return Err(Box::new(
                    diagnostic.hint("take fewer parameters by `--wrt`, or a point with fewer ties"),
                ));
            }
        }
        Ok(())
    }

    /// Runs on these sides: finds a piece, or a tie with more sides to take.
    fn look(&mut self, taken: Taken, work: &mut Vec<Taken>) -> Result<(), Box<Diagnostic>> {
        let mut numbers = vec![];
        let (mut tie, mut value) = (None, 0.0);
        for at in (0..self.moves.len()).filter(|at| self.moves[*at]) {
            match self.along(&taken.sides, at)? {
                Ended::Result(result, slope) => {
                    value = result;
                    numbers.push(slope);
                }
                Ended::Open(place, slope) => {
                    tie = Some(place);
                    numbers.push(slope);
                }
            }
        }
        let Some(place) = tie else {
            self.keep(Piece { value, gradient: numbers, sides: taken.sides });
            return Ok(());
        };
        let with = |side, row: Option<Vec<f64>>| {
            let mut next = taken.clone();
            next.sides.push((place, side));
            next.cone.extend(row);
            next
        };
        if numbers.iter().any(|x| *x != 0.0) {
            let opposite = numbers.iter().map(|x| -x).collect();
            for (side, row) in [(Side::Below, opposite), (Side::Above, numbers)] {
                let next = with(side, Some(row));
                if have_direction(&next.cone) {
                    work.push(next);
                }
            }
        } else if self.is_of_others(&taken.sides)? {
            // What does not move decides it.
            work.push(with(Side::Equal, None));
        } else {
            if !self.undecided.contains(&place) {
                self.undecided.push(place);
            }
            work.extend([Side::Below, Side::Above].map(|side| with(side, None)));
        }
        Ok(())
    }

    /// Whether what is 0 at the next tie changes with Reals that the derivative is not by.
    fn is_of_others(&self, sides: &[(Span, Side)]) -> Result<bool, Box<Diagnostic>> {
        for at in (0..self.moves.len()).filter(|at| !self.moves[*at]) {
            if let Ended::Open(_, slope) = self.along(sides, at)?
                && slope != 0.0
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs on these sides, along one Real of the argument.
    fn along(&self, sides: &[(Span, Side)], by: usize) -> Result<Ended, Box<Diagnostic>> {
        let Prepared { code, function, argument, .. } = self.prepared;
        let mut at = 0;
        let direction = tangent_like(argument, &mut |_| {
            at += 1;
            f64::from(u8::from(at - 1 == by))
        });
        let ties = Rc::new(Ties::new(sides.iter().map(|(_, side)| *side).collect()));
        let found = self.engine.choose(code, *function, (argument.clone(), direction), &ties);
        match (found, ties.open()) {
            (Err(fault), Some(slope)) => Ok(Ended::Open(fault.span(), slope)),
            (Err(fault), None) => Err(told(*fault)),
            (Ok(answer), _) => {
                let (value, slope) = answer.with_derivative();
                match (&leaves(&value)[..], &leaves(&slope)[..]) {
                    // A zero has no sign here.
                    ([value], [slope]) => Ok(Ended::Result(*value, *slope + 0.0)),
                    _ => bug("the value and the derivative of a Real are numbers"),
                }
            }
        }
    }

    /// Keeps a piece, unless one with its gradient is known.
    fn keep(&mut self, piece: Piece) {
        if self
            .pieces
            .iter()
            .all(|known| known.gradient != piece.gradient || known.value != piece.value)
        {
            self.pieces.push(piece);
        }
    }

    /// The value, and the gradient by the table's convention.
    fn convention(&self) -> Result<Gradient, Box<Diagnostic>> {
        let Prepared { code, function, argument, .. } = self.prepared;
        let mode = Mode::Vjp(Value::Real(1.0));
        let answer = self.engine.try_run(code, *function, argument.clone(), &mode)?;
        let (value, gradient) = answer.with_derivative();
        let value = value.as_real().unwrap_or_else(|| bug("the value of a Real is a number"));
        let gradient = leaves(&gradient);
        let moving = gradient
            .into_iter()
            .zip(&self.moves)
            .filter_map(|(x, moves)| moves.then_some(x))
            .collect();
        Ok((value, moving))
    }
}

/// The fault of a run whose sides are chosen.
fn told(fault: Diagnostic) -> Box<Diagnostic> {
    if fault.code != "E0715" {
        return Box::new(fault);
    }
    let mut told = Diagnostic::error(
        "E0715",
        fault.span(),
        fault.title.clone(),
        "this is being differentiated",
    );
    told = told.note("here the function is not the meeting of smooth pieces: it jumps, has no value beside the point, or is infinitely steep");
    Box::new(told.hint("take a point beside this one"))
}
