//! Watching a run: where it meets ties and edges of domains, and where its first NaN arises.
//!
//! Input: an image in which [`super::Image::watched`] has put a look before each primitive of Reals,
//! and a [`Watch`] in the options of the machine. Output: what the watch has found. An image without
//! looks runs as if there were no watch, so watching costs nothing unless it is asked for.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pullback_base::Span;

use pullback_prim::{Class, Move, Prim};

use super::numeric::{jumps, smooth_value};
use super::value::Value;

/// A place of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The latest place outside the library that led there, or the place itself.
    pub call: Span,
    /// The place itself.
    pub at: Span,
}

/// How a primitive takes part in a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Nothing in it is being differentiated.
    None,
    /// It is being differentiated.
    Followed,
    /// It belongs to a function with its own rule, which decides the derivative.
    Ruled,
}

/// A tie or an edge of a domain that the run met.
#[derive(Clone, Debug)]
pub struct Kink {
    /// Where.
    pub place: Place,
    /// The primitive.
    pub prim: Prim,
    /// How it takes part in a derivative.
    pub part: Part,
    /// Its arguments, when it was met first; of an array primitive, the number that is there twice.
    pub args: Vec<f64>,
    /// How often.
    pub count: u64,
}

/// What a NaN came from.
#[derive(Clone, Debug)]
pub enum NanCause {
    /// A primitive made it of these numbers, none of which is NaN.
    Value {
        /// The primitive.
        prim: Prim,
        /// Its arguments; of an array primitive, the elements that are not finite.
        args: Vec<f64>,
    },
    /// A step of a derivative made it, where the values were numbers.
    Derivative(NanStep),
    /// A rule of the program gave it as a derivative.
    Rule,
}

/// A step of a derivative: what was there gets a product added.
#[derive(Clone, Debug)]
pub struct NanStep {
    /// The primitive.
    pub prim: Prim,
    /// Its arguments.
    pub args: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// The argument that the partial derivative is by, from 0.
    pub by: usize,
    /// Whether cotangents are swept backwards; else tangents go forwards.
    pub backwards: bool,
    /// The partial derivative.
    pub partial: f64,
    /// The cotangent or tangent it is multiplied with.
    pub factor: f64,
    /// What the product is added to.
    pub total: Option<f64>,
}

/// The first NaN.
#[derive(Clone, Debug)]
pub struct FirstNan {
    /// Where.
    pub place: Place,
    /// What it came from.
    pub cause: NanCause,
    /// Whether the program was being run by the sweep of a derivative, as the function of a rule.
    pub in_sweep: bool,
}

/// What to look for, and what was found.
#[derive(Debug)]
pub struct Watch {
    kinks: bool,
    nans: bool,
    found: RefCell<Found>,
}

#[derive(Debug)]
struct Found {
    kinks: BTreeMap<(Place, Prim, Part), Kink>,
    nan: Option<FirstNan>,
    /// Where the library's constant was asked for.
    constant: Option<Place>,
    /// Where the latest look was.
    place: Place,
    /// How many functions with rules of their own are under way.
    ruled: usize,
    /// In how many of them it is not known what depends on what is followed.
    blind: usize,
    /// How many sweeps are under way.
    sweeps: usize,
}

impl Watch {
    /// A watch for ties and edges.
    pub fn for_kinks() -> Self {
        Self::new(true, false)
    }

    /// A watch for the first NaN.
    pub fn for_nans() -> Self {
        Self::new(false, true)
    }

    fn new(kinks: bool, nans: bool) -> Self {
        let place = Place { call: Span::NONE, at: Span::NONE };
        let (ruled, blind, sweeps) = (0, 0, 0);
        let found = Found {
            kinks: BTreeMap::new(),
            nan: None,
            constant: None,
            place,
            ruled,
            blind,
            sweeps,
        };
        Self { kinks, nans, found: RefCell::new(found) }
    }

    /// Whether it looks for NaN.
    pub fn nans(&self) -> bool {
        self.nans
    }

    /// The ties and edges found, by their place.
    pub fn kinks(&self) -> Vec<Kink> {
        self.found.borrow().kinks.values().cloned().collect()
    }

    /// The first NaN found.
    pub fn first_nan(&self) -> Option<FirstNan> {
        self.found.borrow().nan.clone()
    }

    /// Where the library's constant `nan` was asked for first.
    pub fn constant(&self) -> Option<Place> {
        self.found.borrow().constant
    }

    /// Where the latest look was: the place of the primitive that is running.
    pub fn place(&self) -> Place {
        self.found.borrow().place
    }

    /// Says where the work belongs that an engine does next.
    pub fn set_place(&self, place: Place) {
        self.found.borrow_mut().place = place;
    }

    /// Notes the first NaN; later ones are forgotten.
    pub fn note_nan(&self, place: Place, cause: NanCause) {
        let found = &mut *self.found.borrow_mut();
        let in_sweep = found.sweeps > 0;
        found.nan.get_or_insert(FirstNan { place, cause, in_sweep });
    }

    /// A function with its own rule begins; `blind` if nothing is followed inside.
    pub(super) fn enter_rule(&self, blind: bool) {
        let found = &mut *self.found.borrow_mut();
        found.ruled += 1;
        found.blind += usize::from(blind);
    }

    /// A function with its own rule ends.
    pub(super) fn leave_rule(&self, blind: bool) {
        let found = &mut *self.found.borrow_mut();
        found.ruled = found.ruled.saturating_sub(1);
        found.blind = found.blind.saturating_sub(usize::from(blind));
    }

    /// A sweep begins.
    pub fn enter_sweep(&self) {
        self.found.borrow_mut().sweeps += 1;
    }

    /// A sweep ends.
    pub fn leave_sweep(&self) {
        let found = &mut *self.found.borrow_mut();
        found.sweeps = found.sweeps.saturating_sub(1);
    }

    /// Looks at a primitive that is about to run.
    /// `followed` tells whether a Real is being differentiated, `place` where the primitive stands.
    pub(super) fn look(
        &self,
        prim: Prim,
        args: &[&Value],
        followed: &dyn Fn(&Value) -> bool,
        place: &dyn Fn() -> Place,
    ) {
        if self.kinks {
            self.look_for_kink(prim, args, followed, place);
        }
        if self.nans {
            let place = place();
            self.set_place(place);
            if let Some(args) = nan_of(prim, args) {
                self.note_nan(place, NanCause::Value { prim, args });
            }
        }
    }

    /// Notes that the library's NaN was asked for.
    pub(super) fn look_at_constant(&self, place: Place) {
        self.found.borrow_mut().constant.get_or_insert(place);
    }

    fn look_for_kink(
        &self,
        prim: Prim,
        args: &[&Value],
        followed: &dyn Fn(&Value) -> bool,
        place: &dyn Fn() -> Place,
    ) {
        let (numbers, any_followed, count) = if let [Value::Array(array)] = args {
            if prim != Prim::Argsort {
                return;
            }
            let items: Vec<Value> = array.iter().collect();
            let mut keys: Vec<f64> = items.iter().filter_map(Value::as_real).collect();
            keys.sort_by(f64::total_cmp);
            let mut ties = keys.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
            let Some(tie) = ties.next() else { return };
            (vec![tie], items.iter().any(followed), 1 + ties.count() as u64)
        } else {
            let any_followed = args.iter().any(|arg| followed(arg));
            let numbers: Vec<f64> = args.iter().filter_map(|arg| number(arg)).collect();
            let followed = |by: usize| any_followed && followed(args[by]);
            if numbers.len() < args.len() || !is_kink(prim, &numbers, any_followed, followed) {
                return;
            }
            (numbers, any_followed, 1)
        };
        let found = &mut *self.found.borrow_mut();
        let part = if found.blind > 0 || (any_followed && found.ruled > 0) {
            Part::Ruled
        } else if any_followed {
            Part::Followed
        } else {
            Part::None
        };
        let place = place();
        let kink = found.kinks.entry((place, prim, part));
        kink.or_insert(Kink { place, prim, part, args: numbers, count: 0 }).count += count;
    }
}

/// Whether primitives of this kind are to be looked at.
pub(super) fn concerns(prim: Prim) -> bool {
    match prim.row().class {
        Class::Smooth(_) | Class::Structural(Move::Total { .. }) => true,
        Class::Discrete => compares(prim) || matches!(prim, Prim::Argsort | Prim::ToInt),
        Class::Structural(_) | Class::Control | Class::Tell | Class::Fail => false,
    }
}

pub(super) fn compares(prim: Prim) -> bool {
    matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne)
}

fn number(value: &Value) -> Option<f64> {
    value.as_real().or_else(|| value.as_int().map(|n| n as f64))
}

/// Whether a primitive of scalars is at a tie or an edge: by an argument that is followed, or by all where
/// none is. NaN is neither.
fn is_kink(prim: Prim, args: &[f64], any_followed: bool, followed: impl Fn(usize) -> bool) -> bool {
    if args.iter().any(|x| x.is_nan()) {
        return false;
    }
    match (&prim.row().class, args) {
        (Class::Smooth(smooth), _) if any_followed => !smooth.differentiable(args, followed),
        (Class::Smooth(smooth), _) => !smooth.domain.holds(args),
        (Class::Discrete, [x, y]) => compares(prim) && x == y,
        // Where nothing is differentiated, making an Int of a whole number is no edge.
        (Class::Discrete, [x]) => prim == Prim::ToInt && any_followed && jumps(*x),
        (
            Class::Discrete | Class::Structural(_) | Class::Control | Class::Tell | Class::Fail,
            _,
        ) => false,
    }
}

/// The numbers that a primitive makes a NaN of, if none of them is one.
fn nan_of(prim: Prim, args: &[&Value]) -> Option<Vec<f64>> {
    if let [Value::Array(array)] = args {
        if prim != Prim::Sum {
            return None;
        }
        let items: Vec<f64> = array.iter().filter_map(|item| item.as_real()).collect();
        let fresh = items.iter().sum::<f64>().is_nan() && !items.iter().any(|x| x.is_nan());
        return fresh.then(|| items.into_iter().filter(|x| !x.is_finite()).collect());
    }
    let numbers: Vec<f64> = args.iter().filter_map(|arg| number(arg)).collect();
    if numbers.len() < args.len() || numbers.iter().any(|x| x.is_nan()) {
        return None;
    }
    let smooth = prim.row().smooth()?;
    let plain: Vec<Value> = args
        .iter()
        .zip(&numbers)
        .map(|(arg, x)| if arg.as_int().is_some() { (*arg).clone() } else { Value::Real(*x) })
        .collect();
    smooth_value(smooth.value, &plain).filter(|value| value.is_nan()).map(|_| numbers)
}
