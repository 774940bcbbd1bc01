//! Overloaded arithmetic at concrete types: a primitive on scalars, and elementwise on arrays, tuples
//! and records. Operands are evaluated once, from left to right; arrays must agree in size.

use pullback_base::Span;
use pullback_lambda::{Expr, Type, TypeKind};
use pullback_prim::Prim;
use pullback_syntax::ast::{Arithmetic, NumberSide};

use super::build;
use super::state::Elab;
use super::types::bug;

/// An overloaded operator of two operands of one type.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Operator {
    /// Its value on two Ints or two Reals.
    fn scalar(self, this: &mut Elab<'_>, [a, b]: [Expr; 2], span: Span) -> Expr {
        let prim = match (self, build::is_int(&a.ty)) {
            (Self::Add, true) => Prim::IntAdd,
            (Self::Add, false) => Prim::Add,
            (Self::Sub, true) => Prim::IntSub,
            (Self::Sub, false) => Prim::Sub,
            (Self::Mul, true) => Prim::IntMul,
            (Self::Mul, false) => Prim::Mul,
            (Self::Div, true) => Prim::IntDiv,
            (Self::Div, false) => Prim::Div,
            (Self::Rem, true) => Prim::IntRem,
            (Self::Rem, false) => return this.real_remainder([a, b], span),
        };
        Expr::prim(prim, [a, b], span)
    }

    fn symbol(self) -> char {
        match self {
            Self::Add => '+',
            Self::Sub => '-',
            Self::Mul => '*',
            Self::Div => '/',
            Self::Rem => '%',
        }
    }
}

impl Elab<'_> {
    /// `a + b`, `a - b`, `a * b`, `a / b`
    pub(super) fn arithmetic(&mut self, op: Operator, [a, b]: [Expr; 2], span: Span) -> Expr {
        let ty = a.ty.clone();
        match ty.kind() {
            TypeKind::Int | TypeKind::Real => op.scalar(self, [a, b], span),
            TypeKind::Array(_) => self.bind_operands(vec![a, b], |this, operands| {
                let [a, b] = [operands[0].clone(), operands[1].clone()];
                let (m, n) = (Expr::size_of(a.clone(), span), Expr::size_of(b.clone(), span));
                let what = format!("the sizes of the operands of `{}`", op.symbol());
                let check = build::check_size(a.clone(), 0, n, &what, span);
                let result = this.build_array(m, span, |this, i| {
                    let (x, y) = (Expr::index(a, i.clone(), span), Expr::index(b, i, span));
                    this.arithmetic(op, [x, y], span)
                });
                this.after(check, result)
            }),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                self.bind_operands(vec![a, b], |this, operands| {
                    let xs = operands[0].parts(span);
                    let ys = operands[1].parts(span);
                    let pairs = xs.into_iter().zip(ys);
                    let items = pairs.map(|(x, y)| this.arithmetic(op, [x, y], span)).collect();
                    Expr::record(items, ty.clone(), span)
                })
            }
            TypeKind::Bool | TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => {
                bug("operands that are numbers", span)
            }
        }
    }

    /// `a - b * floor (a / b)`, which has the sign of `b`.
    fn real_remainder(&mut self, operands: [Expr; 2], span: Span) -> Expr {
        self.bind_operands(operands.into(), |_, operands| {
            let (a, b) = (operands[0].clone(), operands[1].clone());
            let quotient = Expr::prim(Prim::Div, [a.clone(), b.clone()], span);
            let times = Expr::prim(Prim::Floor, [quotient], span);
            let multiple = Expr::prim(Prim::Mul, [b, times], span);
            Expr::prim(Prim::Sub, [a, multiple], span)
        })
    }

    /// `-a`
    pub(super) fn negate(&mut self, [a]: [Expr; 1], span: Span) -> Expr {
        self.elementwise(a, span, &mut |_, x| {
            let prim = if build::is_int(&x.ty) { Prim::IntNeg } else { Prim::Neg };
            Expr::prim(prim, [x], span)
        })
    }

    /// `s *. v`, `v .+ s` and so on: one number with every number of a structure.
    pub(super) fn dotted(
        &mut self,
        side: NumberSide,
        arithmetic: Arithmetic,
        [a, b]: [Expr; 2],
        span: Span,
    ) -> Expr {
        let op = match arithmetic {
            Arithmetic::Add => Some(Operator::Add),
            Arithmetic::Sub => Some(Operator::Sub),
            Arithmetic::Mul => Some(Operator::Mul),
            Arithmetic::Div => Some(Operator::Div),
            Arithmetic::Pow => None,
        };
        let on_numbers = |this: &mut Self, [a, b]: [Expr; 2]| match op {
            Some(op) => op.scalar(this, [a, b], span),
            None if build::is_int(&a.ty) => Expr::prim(Prim::IntPow, [a, b], span),
            None => Expr::prim(Prim::Pow, [a, b], span),
        };
        match side {
            NumberSide::Left => self.bind(a, "scale", |this, s| {
                this.elementwise(b, span, &mut |this, x| on_numbers(this, [s.clone(), x]))
            }),
            // The structure is on the left, so it is evaluated first.
            NumberSide::Right => self.bind_operands(vec![a, b], |this, operands| {
                let (v, s) = (operands[0].clone(), &operands[1]);
                this.elementwise(v, span, &mut |this, x| on_numbers(this, [x, s.clone()]))
            }),
        }
    }

    /// `a ^ exponent` for an atom `exponent`
    pub(super) fn power(&mut self, a: Expr, exponent: &Expr, span: Span) -> Expr {
        let prim = |base: &Type| match (build::is_int(base), build::is_int(&exponent.ty)) {
            (true, _) => Prim::IntPow,
            (false, true) => Prim::PowInt,
            (false, false) => Prim::Pow,
        };
        self.elementwise(a, span, &mut |_, x| Expr::prim(prim(&x.ty), [x, exponent.clone()], span))
    }

    /// `a` with every scalar in it replaced.
    fn elementwise(
        &mut self,
        a: Expr,
        span: Span,
        scalar: &mut dyn FnMut(&mut Self, Expr) -> Expr,
    ) -> Expr {
        if a.ty.is_product() {
            return self.bind(a, "operand", |this, a| {
                let parts = a.parts(span).into_iter();
                let items = parts.map(|x| this.elementwise(x, span, scalar)).collect();
                Expr::record(items, a.ty, span)
            });
        }
        if matches!(a.ty.kind(), TypeKind::Array(_)) {
            return self.bind(a, "operand", |this, a| {
                let size = Expr::size_of(a.clone(), span);
                this.build_array(size, span, |this, i| {
                    this.elementwise(Expr::index(a, i, span), span, scalar)
                })
            });
        }
        scalar(self, a)
    }
}
