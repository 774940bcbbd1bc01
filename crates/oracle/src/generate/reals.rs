//! Numbers and truth values: where the modes differ.

use pullback_base::Span;
use pullback_lambda::{Expr, Type};
use pullback_prim::Prim;

use super::{Feature, Generator, Mode};

const EXACT_UNARY: &[Prim] = &[Prim::Neg, Prim::Abs, Prim::Floor, Prim::Signum];

/// Analytic on the whole real line.
const ENTIRE: &[Prim] = &[
    Prim::Sin,
    Prim::Neg,
    Prim::Tanh,
    Prim::Cos,
    Prim::Sigmoid,
    Prim::Atan,
    Prim::Erf,
    Prim::Softplus,
    Prim::Sech2,
    Prim::Asinh,
    Prim::Erfc,
];

const ANY_UNARY: &[Prim] = &[
    Prim::Neg,
    Prim::Abs,
    Prim::Signum,
    Prim::Floor,
    Prim::Ceil,
    Prim::Round,
    Prim::Sqrt,
    Prim::Cbrt,
    Prim::Exp,
    Prim::Expm1,
    Prim::Log,
    Prim::Log1p,
    Prim::Sin,
    Prim::Cos,
    Prim::Tan,
    Prim::Asin,
    Prim::Acos,
    Prim::Atan,
    Prim::Sinh,
    Prim::Cosh,
    Prim::Tanh,
    Prim::Sech2,
    Prim::Asinh,
    Prim::Acosh,
    Prim::Atanh,
    Prim::Erf,
    Prim::Erfc,
    Prim::Lgamma,
    Prim::Digamma,
    Prim::Sigmoid,
    Prim::Softplus,
];

const ANY_BINARY: &[Prim] = &[
    Prim::Add,
    Prim::Sub,
    Prim::Mul,
    Prim::Div,
    Prim::Rem,
    Prim::Pow,
    Prim::Max,
    Prim::Min,
    Prim::Atan2,
    Prim::Hypot,
    Prim::Xlogy,
];

const COMPARISONS: &[Prim] = &[Prim::Lt, Prim::Gt, Prim::Le, Prim::Ge, Prim::Eq, Prim::Ne];

const INT_COMPARISONS: &[Prim] =
    &[Prim::IntLt, Prim::IntGt, Prim::IntLe, Prim::IntGe, Prim::IntEq, Prim::IntNe];

fn prim(prim: Prim, args: Vec<Expr>) -> Expr {
    Expr::prim(prim, args, Span::NONE)
}

fn real(x: f64) -> Expr {
    Expr::real(x, Span::NONE)
}

impl Generator<'_> {
    fn pick(&mut self, prims: &[Prim]) -> Prim {
        prims[self.entropy.below(prims.len())]
    }

    pub(super) fn real(&mut self, fuel: usize) -> Expr {
        let (ty, fuel) = (Type::real(), fuel.saturating_sub(1));
        match self.entropy.below(if self.config.texts_and_rules { 13 } else { 10 }) {
            0..4 => {
                let op = self.pick(&[Prim::Mul, Prim::Add, Prim::Sub]);
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
            4 if self.may(Feature::Array) => {
                self.note(Feature::Array);
                let items = self.expr(&Type::array(ty), fuel);
                prim(Prim::Sum, vec![items])
            }
            5 => {
                let exponent = match self.config.mode {
                    Mode::Exact | Mode::Smooth => self.entropy.below(4) as i64,
                    Mode::Free => self.entropy.below(6) as i64 - 2,
                };
                let base = self.expr(&ty, fuel);
                prim(Prim::PowInt, vec![base, Expr::int(exponent, Span::NONE)])
            }
            6 => {
                let n = self.expr(&Type::int(), fuel.min(2));
                prim(Prim::ToReal, vec![n])
            }
            7 if self.may(Feature::NestedAd) && fuel > 0 => self.derivative(fuel),
            10 | 11 => self.ruled(fuel),
            12 => {
                let (same, then) = (self.same_text(fuel), self.expr(&ty, fuel));
                Expr::if_(same, then, self.expr(&ty, fuel), Span::NONE)
            }
            _ => match self.config.mode {
                Mode::Exact => self.exact_real(fuel),
                Mode::Smooth => self.smooth_real(fuel),
                Mode::Free => self.free_real(fuel),
            },
        }
    }

    fn exact_real(&mut self, fuel: usize) -> Expr {
        let ty = Type::real();
        if self.entropy.below(2) == 0 {
            let op = self.pick(EXACT_UNARY);
            return prim(op, vec![self.expr(&ty, fuel)]);
        }
        let op = self.pick(&[Prim::Max, Prim::Min]);
        prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
    }

    fn smooth_real(&mut self, fuel: usize) -> Expr {
        let ty = Type::real();
        let choice = self.entropy.below(10);
        if choice < 5 {
            let op = self.pick(ENTIRE);
            return prim(op, vec![self.expr(&ty, fuel)]);
        }
        // Between 1 and 3, so inside every domain and away from every singularity.
        let tanh = prim(Prim::Tanh, vec![self.expr(&ty, fuel)]);
        let inside = prim(Prim::Add, vec![real(2.0), tanh]);
        match choice {
            5 => prim(Prim::Log, vec![inside]),
            6 => prim(Prim::Sqrt, vec![inside]),
            7 => prim(Prim::Div, vec![self.expr(&ty, fuel), inside]),
            8 => prim(Prim::Exp, vec![prim(Prim::Sin, vec![inside])]),
            _ => {
                let op = self.pick(&[Prim::Pow, Prim::Hypot, Prim::Xlogy, Prim::Atan2]);
                // A bounded partner keeps the powers bounded.
                let partner = prim(Prim::Cos, vec![self.expr(&ty, fuel)]);
                let swapped = matches!(op, Prim::Xlogy | Prim::Atan2);
                prim(op, if swapped { vec![partner, inside] } else { vec![inside, partner] })
            }
        }
    }

    fn free_real(&mut self, fuel: usize) -> Expr {
        let ty = Type::real();
        match self.entropy.below(8) {
            0..4 => {
                let op = self.pick(ANY_UNARY);
                prim(op, vec![self.expr(&ty, fuel)])
            }
            7 => {
                let order = Expr::int(self.entropy.below(3) as i64, Span::NONE);
                prim(Prim::Polygamma, vec![order, self.expr(&ty, fuel)])
            }
            _ => {
                let op = self.pick(ANY_BINARY);
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
        }
    }

    pub(super) fn int(&mut self, fuel: usize) -> Expr {
        let (ty, fuel) = (Type::int(), fuel.saturating_sub(1));
        match self.entropy.below(8) {
            0..3 => {
                let op = self.pick(&[Prim::IntAdd, Prim::IntSub, Prim::IntMax, Prim::IntMin]);
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
            3 => {
                let op = self.pick(&[Prim::IntRem, Prim::IntDiv]);
                let divisor = Expr::int(1 + self.entropy.below(4) as i64, Span::NONE);
                prim(op, vec![self.expr(&ty, fuel), divisor])
            }
            4 if self.may(Feature::Array) => {
                self.note(Feature::Array);
                let element = self.some_type(1);
                let items = self.expr(&Type::array(element), fuel);
                prim(Prim::Size, vec![items])
            }
            5 if self.config.mode == Mode::Free => {
                let op = self.pick(&[Prim::IntMul, Prim::IntDiv, Prim::IntRem, Prim::IntPow]);
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
            6 if self.config.mode == Mode::Free => {
                let x = self.expr(&Type::real(), fuel);
                prim(Prim::ToInt, vec![x])
            }
            _ => {
                let op = self.pick(&[Prim::IntNeg, Prim::IntAbs, Prim::IntSignum]);
                prim(op, vec![self.expr(&ty, fuel)])
            }
        }
    }

    pub(super) fn bool(&mut self, fuel: usize) -> Expr {
        let fuel = (fuel.saturating_sub(1)).min(3);
        match self.entropy.below(if self.config.texts_and_rules { 9 } else { 8 }) {
            0..4 => {
                let op = self.pick(COMPARISONS);
                let ty = Type::real();
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
            4 if self.config.mode == Mode::Free => {
                prim(Prim::IsNan, vec![self.expr(&Type::real(), fuel)])
            }
            4 | 5 => {
                let op = self.pick(INT_COMPARISONS);
                let ty = Type::int();
                prim(op, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
            8 => self.same_text(fuel),
            6 => prim(Prim::Not, vec![self.expr(&Type::bool(), fuel)]),
            _ => {
                let ty = Type::bool();
                prim(Prim::BoolEq, vec![self.expr(&ty, fuel), self.expr(&ty, fuel)])
            }
        }
    }
}
