//! Partial derivatives at arguments: the one walk over the terms of a row that computes.
//!
//! Input: an application of a primitive, in a domain of values (numbers, or what an evaluator computes with).
//! Output: the partial derivatives there; what several of them share is computed once.

use crate::row::{MAX_SHARED, Prim, Smooth, Term};

/// An application of a primitive, in a domain that terms can be computed in.
pub trait Application {
    /// What is computed with.
    type Value: Clone;
    /// Why nothing can be computed.
    type Fault;
    /// An argument.
    fn arg(&self, index: usize) -> Self::Value;
    /// The value of the primitive.
    fn result(&self) -> Self::Value;
    /// A constant.
    fn real(&self, value: f64) -> Self::Value;
    /// An Int constant.
    fn int(&self, value: i64) -> Self::Value;
    /// Whether a condition holds.
    fn holds(&self, condition: &Self::Value) -> bool;
    /// A primitive in a term.
    fn apply(&mut self, prim: Prim, args: &[Self::Value]) -> Result<Self::Value, Self::Fault>;
}

/// The partial derivatives of one application.
pub struct Partials<'s, A: Application> {
    application: A,
    smooth: &'s Smooth,
    /// The shared terms that have been asked for.
    known: [Option<A::Value>; MAX_SHARED],
}

impl<'s, A: Application> Partials<'s, A> {
    /// Of a primitive with this analysis; nothing is computed yet.
    #[inline]
    pub fn new(smooth: &'s Smooth, application: A) -> Self {
        Self { application, smooth, known: [const { None }; MAX_SHARED] }
    }

    /// That by an argument: none if it is structurally zero.
    #[inline]
    pub fn by(&mut self, index: usize) -> Result<Option<A::Value>, A::Fault> {
        let smooth = self.smooth;
        smooth.partials[index].as_ref().map_or(Ok(None), |term| self.term(term))
    }

    fn term(&mut self, term: &Term) -> Result<Option<A::Value>, A::Fault> {
        Ok(Some(match term {
            Term::Arg(index) => self.application.arg(*index),
            Term::Result => self.application.result(),
            Term::Real(x) => self.application.real(*x),
            Term::Int(n) => self.application.int(*n),
            Term::Zero => return Ok(None),
            Term::Prim(prim, terms) => self.prim(term, *prim, terms)?,
            Term::If(cond, then, other) => {
                let cond = self.number(cond)?;
                return self.term(if self.application.holds(&cond) { then } else { other });
            }
        }))
    }

    /// A term that is computed with: a structural zero is the number there.
    fn number(&mut self, term: &Term) -> Result<A::Value, A::Fault> {
        Ok(self.term(term)?.unwrap_or_else(|| self.application.real(0.0)))
    }

    fn prim(&mut self, term: &Term, prim: Prim, terms: &[Term]) -> Result<A::Value, A::Fault> {
        // Most rows share nothing, and comparing terms is dearer than what they say.
        let shared = self.smooth.shared;
        let slot = if shared.is_empty() { None } else { shared.iter().position(|it| it == term) };
        if let Some(value) = slot.and_then(|slot| self.known[slot].clone()) {
            return Ok(value);
        }
        let value = match terms {
            [x] => {
                let x = self.number(x)?;
                self.application.apply(prim, &[x])?
            }
            [x, y] => {
                let x = self.number(x)?;
                let y = self.number(y)?;
                self.application.apply(prim, &[x, y])?
            }
            terms => {
                let args: Result<Vec<_>, _> = terms.iter().map(|term| self.number(term)).collect();
                self.application.apply(prim, &args?)?
            }
        };
        if let Some(slot) = slot {
            self.known[slot] = Some(value.clone());
        }
        Ok(value)
    }

    /// What the application is by now.
    pub fn application(self) -> A {
        self.application
    }
}
