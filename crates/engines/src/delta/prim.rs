//! The translation of primitives: figure 14, instantiated from the one table of primitives.
//!
//! A smooth primitive computes its partial derivatives in the forward pass; its delta is the sum of the
//! deltas of its arguments, each scaled by its partial derivative. Structural zeros contribute nothing, a
//! factor of one is left out. Primitives that move values move dual numbers in the same way.
//!
//! A sum of scaled deltas is a pair of vectors (§8.3): `Dot as us` means `Σᵢ as[i] us[i]`, one node for the whole.
//!
//! ```text
//! before   Add (Add (Scale a0 u0) (Scale b0 v0)) (Add (Scale a1 u1) (Scale b1 v1))
//! after    Add (Dot [a0, a1] [u0, u1]) (Dot [b0, b1] [v0, v1])
//! ```

use pullback_base::Span;
use pullback_lambda::{Expr, ExprKind, Linearised, Slope, Type};
use pullback_prim::{Class, Move, Prim, PrimTy, Term};

use super::block::{Block, NONE, Val, is_zero};
use super::translation::{Outcome, Translation};
use super::version::Version;

/// Which deltas are bound to names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// That of each operation, since it may be used several times.
    Each,
    /// Not that of the last operation, which is used once: a sum takes its factors and deltas, `(y, a, u, b, v)`, if that is
    /// all there is to it, and the delta else, `(y, u)`.
    None,
}

impl Translation<'_> {
    /// A Real that the program gives: constant.
    pub(super) fn real_literal(&mut self, primal: Expr, block: &mut Block) -> Val {
        let zero = self.zero();
        if self.bind_constants && block.state.is_some() {
            let delta = self.let_delta("bindAlways", zero, block);
            return Val::Dual(primal, delta);
        }
        Val::Dual(primal, zero)
    }

    /// `u <- deltaLet delta`
    fn let_delta(&mut self, function: &str, delta: Expr, block: &mut Block) -> Expr {
        if self.version != Version::Final {
            return self.bind(block, "u", delta);
        }
        let args = [delta].into_iter().chain(self.state(block)).collect();
        let computation = self.call(function, args);
        self.run(block, "u", computation)
    }

    /// A delta as a value that may be repeated without repeating work.
    pub(super) fn delta_let(&mut self, delta: Expr, block: &mut Block) -> Expr {
        if delta.is_atom() || is_zero(&delta) || matches!(delta.kind, ExprKind::Proj(_, _)) {
            return delta;
        }
        self.let_delta("deltaLet", delta, block)
    }

    pub(super) fn prim(
        &mut self,
        prim: Prim,
        args: &[Expr],
        whole: &Expr,
        block: &mut Block,
    ) -> Outcome<Val> {
        let row = prim.row();
        match &row.class {
            Class::Smooth(smooth) => {
                self.smooth(prim, smooth.partials, args, whole.span, block, Names::Each)
            }
            Class::Structural(Move::Total { array }) => {
                let xs = self.summands(&args[*array], block)?;
                let xs = self.bind(block, "xs", xs);
                Ok(self.summed(prim, xs, whole.span, block))
            }
            Class::Fail => {
                let message = self.whole(&args[0], block)?;
                let ty = self.ty(&whole.ty);
                let fail = Expr::stop(prim, message, ty, whole.span);
                Ok(Val::Whole(self.bind(block, "r", fail)))
            }
            Class::Discrete | Class::Structural(_) | Class::Control | Class::Tell => {
                let mut moved = vec![];
                for (param, arg) in row.params.iter().zip(args) {
                    moved.push(match param {
                        PrimTy::Real => self.dual(arg, block)?.0,
                        PrimTy::Array(PrimTy::Real) => {
                            let xs = self.whole(arg, block)?;
                            self.call("primals", vec![xs])
                        }
                        PrimTy::Int
                        | PrimTy::Bool
                        | PrimTy::Str
                        | PrimTy::Unit
                        | PrimTy::Elem
                        | PrimTy::Array(_)
                        | PrimTy::AnyArray => self.whole(arg, block)?,
                    });
                }
                let result = self.bind(block, "r", Expr::prim(prim, moved, whole.span));
                if row.result == PrimTy::Real {
                    return Ok(Val::Dual(result, self.zero()));
                }
                Ok(Val::Whole(result))
            }
        }
    }

    /// The sum of dual numbers that stand side by side, or of numbers with factors and deltas.
    fn summed(&mut self, prim: Prim, xs: Expr, span: Span, block: &mut Block) -> Val {
        let parts = xs.ty.item().parts().len();
        if parts == 2 {
            let values = self.call("primals", vec![xs.clone()]);
            let primal = self.bind(block, "y", Expr::prim(prim, vec![values], span));
            let delta = self.call("sumDeltas", vec![xs]);
            return Val::Dual(primal, self.delta_let(delta, block));
        }
        let values = self.column(&xs, 0);
        let primal = self.bind(block, "y", Expr::prim(prim, vec![values], span));
        let mut total = self.zero();
        for at in (1..parts).step_by(2) {
            let factors = self.column(&xs, at);
            let deltas = self.column(&xs, at + 1);
            let dot = self.call("dotDeltas", vec![factors, deltas]);
            total = if at == 1 { dot } else { self.call("plus", vec![total, dot]) };
        }
        Val::Dual(primal, self.delta_let(total, block))
    }

    /// The components at a place of an array of tuples.
    fn column(&mut self, xs: &Expr, at: usize) -> Expr {
        let var = self.program.fresh("i", Type::int());
        let row = Expr::index(xs.clone(), self.program.var(var, NONE), NONE);
        Expr::build(Expr::size_of(xs.clone(), NONE), var, Expr::proj(row, at, NONE), NONE)
    }

    fn smooth(
        &mut self,
        prim: Prim,
        partials: &[Option<Term>],
        args: &[Expr],
        span: Span,
        block: &mut Block,
        names: Names,
    ) -> Outcome<Val> {
        let (mut primals, mut deltas) = (vec![], vec![]);
        let order: Vec<usize> = if self.right_to_left {
            (0..args.len()).rev().collect()
        } else {
            (0..args.len()).collect()
        };
        for index in order {
            let (primal, delta) = if partials[index].is_some() {
                let (primal, delta) = self.dual(&args[index], block)?;
                (primal, Some(delta))
            } else {
                (self.whole(&args[index], block)?, None)
            };
            primals.push(primal);
            deltas.push(delta);
        }
        if self.right_to_left {
            primals.reverse();
            deltas.reverse();
        }
        let primal = self.bind(block, "y", Expr::prim(prim, primals.clone(), span));
        let wanted = |at: usize| deltas[at].as_ref().is_some_and(|delta| !is_zero(delta));
        let Linearised { slopes, bindings } =
            self.program.linearise(prim, &primals, &primal, wanted, span);
        bindings.into_iter().for_each(|(var, term)| block.push(var, term));
        if names == Names::None
            && let parts @ ([_] | [_, _]) = &active(&slopes, &deltas)[..]
            && parts.iter().all(|(slope, _)| is_number(slope))
        {
            let factors =
                parts.iter().flat_map(|(slope, delta)| [slope.number(span), (*delta).clone()]);
            return Ok(Val::Whole(Expr::tuple(
                [primal].into_iter().chain(factors).collect(),
                NONE,
            )));
        }
        let delta = match names {
            Names::Each => self.bind_row(&slopes, &deltas, span, block),
            Names::None => self.tree(&slopes, &deltas, span).unwrap_or_else(|| self.zero()),
        };
        Ok(Val::Dual(primal, delta))
    }

    /// A name for the sum of deltas, each scaled by its partial derivative.
    pub(super) fn bind_row(
        &mut self,
        slopes: &[Slope],
        deltas: &[Option<Expr>],
        span: Span,
        block: &mut Block,
    ) -> Expr {
        if let Some(delta) = self.row(slopes, deltas, span, block) {
            return delta;
        }
        match self.tree(slopes, deltas, span) {
            Some(delta) => self.delta_let(delta, block),
            None => self.zero(),
        }
    }

    /// The sum of deltas as a tree; none if it is structurally zero.
    fn tree(&self, slopes: &[Slope], deltas: &[Option<Expr>], span: Span) -> Option<Expr> {
        let parts = slopes.iter().zip(deltas).filter_map(|(slope, delta)| {
            delta.as_ref().and_then(|delta| self.scaled(slope, delta, span))
        });
        parts.reduce(|total, part| self.call("plus", vec![total, part]))
    }

    /// An array that is only summed: a comprehension of it gives its elements deltas without names, since each is used once.
    fn summands(&mut self, array: &Expr, block: &mut Block) -> Outcome<Expr> {
        let mut array = array;
        if self.version == Version::Final && !self.right_to_left {
            while let ExprKind::Let(var, value, body) = &array.kind {
                self.let_(*var, value, block)?;
                array = body;
            }
            if let ExprKind::Build { size, var, body } = &array.kind {
                return self.build(size, *var, body, block, Names::None);
            }
        }
        self.whole(array, block)
    }

    /// A dual number whose delta is used once, so that it needs no name.
    pub(super) fn once(&mut self, expr: &Expr, block: &mut Block) -> Outcome<Expr> {
        let mut expr = expr;
        while let ExprKind::Let(var, value, body) = &expr.kind {
            self.let_(*var, value, block)?;
            expr = body;
        }
        if let ExprKind::Prim(prim, args) = &expr.kind
            && let Class::Smooth(smooth) = &prim.row().class
        {
            let found = self.smooth(*prim, smooth.partials, args, expr.span, block, Names::None)?;
            return Ok(match found {
                Val::Dual(primal, delta) => Expr::tuple(vec![primal, delta], NONE),
                Val::Whole(factors) => factors,
            });
        }
        self.whole(expr, block)
    }

    /// `deltaLet (plus (scale a u) (scale b v))`, and the like with fewer factors, where the library does it in one step. What
    /// is bound then is one node of the chain, without a tree.
    fn row(
        &mut self,
        slopes: &[Slope],
        deltas: &[Option<Expr>],
        span: Span,
        block: &mut Block,
    ) -> Option<Expr> {
        if self.version != Version::Final {
            return None;
        }
        let parts = active(slopes, deltas);
        let (function, args) = match parts[..] {
            [(a, u)] if is_number(a) => ("letScale", vec![a.number(span), u.clone()]),
            [(Slope::One, u), (Slope::One, v)] => ("letAdd", vec![u.clone(), v.clone()]),
            [(Slope::One, u), (b, v)] if is_number(b) => {
                ("letStep", vec![u.clone(), b.number(span), v.clone()])
            }
            [(a, u), (b, v)] if is_number(a) && is_number(b) => {
                ("letRow", vec![a.number(span), u.clone(), b.number(span), v.clone()])
            }
            _ => return None,
        };
        let args = args.into_iter().chain(self.state(block)).collect();
        let computation = self.call(function, args);
        Some(self.run(block, "u", computation))
    }

    /// A partial derivative times a delta; `None` is a structural zero.
    fn scaled(&self, slope: &Slope, delta: &Expr, span: Span) -> Option<Expr> {
        match slope {
            Slope::Zero => None,
            Slope::One => Some(delta.clone()),
            Slope::MinusOne | Slope::By(_) => {
                Some(self.call("scale", vec![slope.number(span), delta.clone()]))
            }
            Slope::If(cond, then, other) => {
                let or_zero =
                    |slope: &Slope| self.scaled(slope, delta, span).unwrap_or_else(|| self.zero());
                Some(Expr::if_(cond.clone(), or_zero(then), or_zero(other), span))
            }
        }
    }

    /// `()`, where a value is wanted that nobody looks at.
    pub(super) fn unit(&self) -> Expr {
        Expr::unit(NONE)
    }
}

/// What a sum of scaled deltas has: the slopes and deltas that are not structurally zero.
fn active<'d>(slopes: &'d [Slope], deltas: &'d [Option<Expr>]) -> Vec<(&'d Slope, &'d Expr)> {
    let parts = slopes.iter().zip(deltas).filter_map(|(slope, delta)| {
        let delta = delta.as_ref().filter(|delta| !is_zero(delta))?;
        (!matches!(slope, Slope::Zero)).then_some((slope, delta))
    });
    parts.collect()
}

/// Whether a slope is a factor.
fn is_number(slope: &Slope) -> bool {
    matches!(slope, Slope::MinusOne | Slope::By(_))
}
