//! Overloaded arithmetic at concrete types: a primitive on numbers, and elementwise on structures of them.

use pullback_base::Span;
use pullback_lambda::{Expr, Type};
use pullback_prim::Prim;
use pullback_syntax::ast::{Arithmetic, NumberSide};

use super::build;
use super::state::Elab;
use super::structure::{Elementwise, Leaf};
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
    fn scalar(self, [a, b]: [Expr; 2], span: Span) -> Expr {
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
            (Self::Rem, false) => Prim::Rem,
        };
        Expr::prim(prim, [a, b], span)
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }
}

impl<'t> Elab<'t> {
    /// `a + b`, `a - b`, `a * b`, `a / b`, `a % b`
    pub(super) fn arithmetic(&mut self, op: Operator, operands: [Expr; 2], span: Span) -> Expr {
        let leaf: &mut Leaf<'_, 't> = &mut |_, operands| op.scalar(pair(operands), span);
        let mut walk = Elementwise::new(leaf, op.symbol(), span);
        self.elementwise(operands.into(), &mut walk)
    }

    /// `-a`
    pub(super) fn negate(&mut self, [a]: [Expr; 1], span: Span) -> Expr {
        self.numbers(a, span, &mut |_, x| {
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
        let on_numbers = |[a, b]: [Expr; 2]| match op {
            Some(op) => op.scalar([a, b], span),
            None if build::is_int(&a.ty) => Expr::prim(Prim::IntPow, [a, b], span),
            None => Expr::prim(Prim::Pow, [a, b], span),
        };
        match side {
            NumberSide::Left => self.bind(a, "scale", |this, s| {
                this.numbers(b, span, &mut |_, x| on_numbers([s.clone(), x]))
            }),
            // The structure is on the left, so it is evaluated first.
            NumberSide::Right => self.bind_operands(vec![a, b], |this, operands| {
                let (v, s) = (operands[0].clone(), &operands[1]);
                this.numbers(v, span, &mut |_, x| on_numbers([x, s.clone()]))
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
        self.numbers(a, span, &mut |_, x| Expr::prim(prim(&x.ty), [x, exponent.clone()], span))
    }

    /// `a` with every number in it replaced.
    fn numbers(
        &mut self,
        a: Expr,
        span: Span,
        number: &mut dyn FnMut(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let leaf: &mut Leaf<'_, 't> = &mut |this, operands| {
            let [x] = operands.try_into().unwrap_or_else(|_| bug("one operand", span));
            number(this, x)
        };
        self.elementwise(vec![a], &mut Elementwise::new(leaf, "this", span))
    }
}

/// Two operands.
fn pair(operands: Vec<Expr>) -> [Expr; 2] {
    operands.try_into().unwrap_or_else(|_| bug("two operands", Span::NONE))
}
