//! The linearisation of a primitive at its arguments: partial derivatives of the table as terms of the calculus.

use pullback_base::Span;
use pullback_prim::{Place, Prim, Scalar, Term};

use crate::{Expr, ExprKind, Lit, Program, VarId};

/// The linearisation of a smooth primitive: what its tangent or cotangent is multiplied with.
#[derive(Clone, Debug)]
pub struct Linearised {
    /// The factor of each argument, in order.
    pub slopes: Vec<Slope>,
    /// What the factors mention: computed once, before any of them.
    pub bindings: Vec<(VarId, Expr)>,
}

/// A partial derivative at arguments.
#[derive(Clone, Debug)]
pub enum Slope {
    /// Structurally zero: there is nothing, whatever it is multiplied with.
    Zero,
    /// 1: the tangent or cotangent itself.
    One,
    /// -1.
    MinusOne,
    /// A number.
    By(Expr),
    /// By a condition, whose branches are not both zero. The product is taken inside of them.
    If(Expr, Box<Slope>, Box<Slope>),
}

impl Slope {
    /// As a number, where structure counts no more.
    pub fn number(&self, span: Span) -> Expr {
        match self {
            Self::Zero => Expr::real(0.0, span),
            Self::One => Expr::real(1.0, span),
            Self::MinusOne => Expr::real(-1.0, span),
            Self::By(partial) => partial.clone(),
            Self::If(cond, then, other) => {
                Expr::if_(cond.clone(), then.number(span), other.number(span), span)
            }
        }
    }

    /// Times a Real, which is an atom; nothing if it is structurally zero. A branch that is becomes a number.
    pub fn times(&self, factor: &Expr, span: Span) -> Option<Expr> {
        match self {
            Self::Zero => None,
            Self::One => Some(factor.clone()),
            Self::MinusOne => Some(Expr::prim(Prim::Neg, vec![factor.clone()], span)),
            Self::By(partial) => {
                Some(Expr::prim(Prim::Mul, vec![partial.clone(), factor.clone()], span))
            }
            Self::If(cond, then, other) => {
                let number = |slope: &Slope| {
                    slope.times(factor, span).unwrap_or_else(|| Expr::real(0.0, span))
                };
                Some(Expr::if_(cond.clone(), number(then), number(other), span))
            }
        }
    }
}

impl Program {
    /// Linearises a smooth primitive at its arguments and its value there, which are atoms, for the arguments
    /// that are wanted; the others have the factor zero. Conditions on Int literals are decided.
    pub fn linearise(
        &mut self,
        prim: Prim,
        args: &[Expr],
        result: &Expr,
        wanted: impl Fn(usize) -> bool,
        span: Span,
    ) -> Linearised {
        let smooth = prim.row().analysis();
        let partials = smooth.partials.iter().enumerate();
        let partials: Vec<Option<&Term>> =
            partials.map(|(at, partial)| partial.as_ref().filter(|_| wanted(at))).collect();
        let mut at = Point { args, result, span, shared: vec![] };
        let mut bindings = vec![];
        for term in smooth.shared {
            let uses: usize = partials.iter().flatten().map(|partial| uses(partial, term)).sum();
            if uses > 1 {
                let (atom, binding) = self.share("s", at.term(term));
                at.shared.push((term, atom));
                bindings.extend(binding);
            }
        }
        let slope = |partial: &Option<&Term>| partial.map_or(Slope::Zero, |term| at.slope(term));
        Linearised { slopes: partials.iter().map(slope).collect(), bindings }
    }
}

/// How often a term mentions another one.
fn uses(term: &Term, what: &Term) -> usize {
    if term == what {
        return 1;
    }
    match term {
        Term::Arg(_) | Term::Result | Term::Real(_) | Term::Int(_) | Term::Zero => 0,
        Term::Prim(_, terms) => terms.iter().map(|term| uses(term, what)).sum(),
        Term::If(cond, then, other) => uses(cond, what) + uses(then, what) + uses(other, what),
    }
}

/// Where terms of the table are taken.
struct Point<'p> {
    args: &'p [Expr],
    result: &'p Expr,
    span: Span,
    /// Terms that have a name.
    shared: Vec<(&'static Term, Expr)>,
}

impl Point<'_> {
    fn slope(&self, term: &Term) -> Slope {
        if let Term::If(cond, then, other) = term {
            let cond = self.term(cond);
            if let ExprKind::Lit(Lit::Bool(truth)) = cond.kind {
                return self.slope(if truth { then } else { other });
            }
            return match (self.slope(then), self.slope(other)) {
                (Slope::Zero, Slope::Zero) => Slope::Zero,
                (then, other) => Slope::If(cond, Box::new(then), Box::new(other)),
            };
        }
        if matches!(term, Term::Zero) {
            Slope::Zero
        } else if *term == Term::Real(1.0) {
            Slope::One
        } else if *term == Term::Real(-1.0) {
            Slope::MinusOne
        } else {
            Slope::By(self.term(term))
        }
    }

    fn term(&self, term: &Term) -> Expr {
        if let Some((_, atom)) = self.shared.iter().find(|(shared, _)| *shared == term) {
            return atom.clone();
        }
        match term {
            Term::Arg(index) => self.args[*index].clone(),
            Term::Result => self.result.clone(),
            Term::Real(value) => Expr::real(*value, self.span),
            Term::Int(value) => Expr::int(*value, self.span),
            Term::Zero => Expr::real(0.0, self.span),
            Term::Prim(prim, terms) => {
                fold_int(*prim, terms.iter().map(|term| self.term(term)).collect(), self.span)
            }
            Term::If(cond, then, other) => {
                let cond = self.term(cond);
                if let ExprKind::Lit(Lit::Bool(truth)) = cond.kind {
                    return self.term(if truth { then } else { other });
                }
                Expr::if_(cond, self.term(then), self.term(other), self.span)
            }
        }
    }
}

/// The index that a place is, given the arguments of a primitive: an atom if they are.
pub fn place(place: Place, args: &[Expr], span: Span) -> Expr {
    match place {
        Place::Arg(index) => args[index].clone(),
        Place::Int(n) => Expr::int(n, span),
    }
}

/// Builds a primitive, or its value where all arguments are Int literals.
fn fold_int(prim: Prim, args: Vec<Expr>, span: Span) -> Expr {
    let literals: Option<Vec<_>> =
        args.iter()
            .map(|arg| {
                if let ExprKind::Lit(Lit::Int(n)) = arg.kind { Some(Scalar::Int(n)) } else { None }
            })
            .collect();
    let value = literals.and_then(|literals| prim.eval_scalar(&literals).ok());
    match value {
        Some(Scalar::Int(n)) => Expr::int(n, span),
        Some(Scalar::Bool(p)) => Expr::bool(p, span),
        Some(Scalar::Real(x)) => Expr::real(x, span),
        Some(Scalar::Str(_)) | None => Expr::prim(prim, args, span),
    }
}
