//! Accumulators, for all indices at once: what is added at a place inside loops is there for each of their indices.
//!
//! ```text
//! for i < n { acc[2 i] += f i }          acc[p]: f i for 0 <= i < n, where p = 2 i
//! ```
//!
//! Input: operations on accumulators. Output: parts of them, and in the end an array of Reals.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_ir::Atom;

use super::machine::Machine;
use super::relation::{Form, Found, GaveUp, Guard, Scope, Sym, is_zero, plus, within};
use super::value::{Acc, Part, Real, Sum, Value};

impl Acc {
    /// A new one.
    pub fn start(init: &Value, depth: usize, scope: &mut Scope) -> Found<Value> {
        let (params, sizes, real) = match init {
            Value::Real(real) => (vec![], vec![], real.clone()),
            Value::Array(array) => {
                let array = array.renamed(scope)?;
                let Value::Real(real) = array.element else { return Err(GaveUp) };
                (array.params, array.sizes, real)
            }
            _ => return Err(GaveUp),
        };
        let place = sizes.iter().map(|size| Part::From(Form::default(), *size)).collect();
        let sum = Sum { params, sizes, cases: (*real.by).clone() };
        let sum = Rc::new(RefCell::new(sum));
        Ok(Value::Acc(Rc::new(Self { sum, place, depth })))
    }

    /// The sizes of the part.
    pub fn sizes(&self) -> Vec<i64> {
        let size = |part: &Part| if let Part::From(_, size) = part { Some(*size) } else { None };
        self.place.iter().filter_map(size).collect()
    }

    /// The part at some indices.
    pub fn at(&self, indices: &[Form]) -> Found<Self> {
        let mut indices = indices.iter();
        let mut place = vec![];
        for part in &self.place {
            place.push(match part {
                Part::From(from, size) => match indices.next() {
                    Some(index) => Part::At(plus(from, index, 1)?),
                    None => Part::From(from.clone(), *size),
                },
                Part::At(form) => Part::At(form.clone()),
            });
        }
        Ok(Self { place, ..self.clone() })
    }

    /// The part from an index on, so many.
    pub fn range(&self, start: &Form, count: i64) -> Found<Self> {
        let mut part = self.clone();
        let first = part.place.iter_mut().find(|part| matches!(part, Part::From(..)));
        let Some(Part::From(from, size)) = first else { return Err(GaveUp) };
        (*from, *size) = (plus(from, start, 1)?, count);
        Ok(part)
    }

    /// That the part is at the indices of the whole, where `rest` are the indices inside of the part.
    pub fn is_here(&self, rest: &[Sym]) -> Found<Guard> {
        let (sum, mut rest) = (self.sum.borrow(), rest.iter());
        let mut given = vec![];
        for (sym, part) in sum.params.iter().zip(&self.place) {
            let place = match part {
                Part::At(form) => form.clone(),
                Part::From(from, size) => {
                    let inside = Form::of(*rest.next().ok_or(GaveUp)?);
                    given.extend(within(&inside, &Form::of_number(*size))?);
                    plus(from, &inside, 1)?
                }
            };
            given.extend(is_zero(&plus(&Form::of(*sym), &place, -1)?)?);
        }
        Ok(Guard::of(given))
    }
}

impl Machine<'_, '_> {
    fn acc_of(&self, atom: Atom) -> Found<Option<Rc<Acc>>> {
        match self.get(atom) {
            Value::Acc(acc) => Ok(Some(acc)),
            Value::Undef => Ok(None),
            _ => Err(GaveUp),
        }
    }

    pub fn add(&mut self, a: Atom, at: &[Atom], value: Value) -> Found<Value> {
        let Some(acc) = self.acc_of(a)? else { return Ok(Value::Undef) };
        let sizes = acc.sizes();
        let places = self.places(at, &sizes)?;
        let (rest, real) = match value {
            Value::Real(real) => (vec![], real),
            Value::Array(array) => {
                if array.sizes != sizes[at.len()..] {
                    return Err(GaveUp);
                }
                let array = array.renamed(&mut self.scope)?;
                let Value::Real(real) = array.element else { return Err(GaveUp) };
                (array.params, real)
            }
            Value::Undef => return Ok(Value::Undef),
            _ => return Err(GaveUp),
        };
        if real.by.is_empty() {
            return Ok(Value::Undef);
        }
        let ways = self.ways(acc.depth)?;
        let before = acc.sum.borrow().cases.len();
        self.added.push((acc.sum.clone(), before));
        for (when, place) in places {
            let here = acc.at(&place)?.is_here(&rest)?;
            for way in &ways {
                let way = way.and(&when, &mut self.scope)?;
                let mut way = way.and(&here, &mut self.scope)?;
                way.bound.extend(&rest);
                for case in &*real.by {
                    let case = case.under(&way, &mut self.scope)?;
                    acc.sum.borrow_mut().cases.push(case);
                }
            }
        }
        let count = acc.sum.borrow().cases.len();
        self.scope.check(count)?;
        Ok(Value::Undef)
    }

    pub fn part(&mut self, a: Atom, at: &[Atom]) -> Found<Value> {
        let Some(acc) = self.acc_of(a)? else { return Ok(Value::Undef) };
        let places = self.places(at, &acc.sizes())?;
        match &places[..] {
            [(when, place)] if when.is_always() => Ok(Value::Acc(Rc::new(acc.at(place)?))),
            _ => Err(GaveUp),
        }
    }

    pub fn range_of_acc(&mut self, a: Atom, from: Atom, to: Atom) -> Found<Value> {
        let Some(acc) = self.acc_of(a)? else { return Ok(Value::Undef) };
        let size = *acc.sizes().first().ok_or(GaveUp)?;
        let (start, count) = self.range(from, to, size)?;
        Ok(Value::Acc(Rc::new(acc.range(&start, count)?)))
    }

    /// What has been accumulated.
    pub fn read(&mut self, a: Atom) -> Found<Value> {
        let Some(acc) = self.acc_of(a)? else { return Ok(Value::Undef) };
        let sum = acc.sum.borrow();
        let real = Value::Real(Real::by(sum.cases.clone())).simplified(&mut self.scope)?;
        if sum.params.is_empty() {
            return Ok(real);
        }
        Ok(Value::array(sum.params.clone(), sum.sizes.clone(), real))
    }
}
