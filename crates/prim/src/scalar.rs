//! Scalar evaluation: primitives over numbers, truth values and text, and the terms of partial
//! derivatives. For constant folding, for the checks of the table, and for whatever has its arguments
//! at hand as plain numbers. Never panics: an Int fault is a value.

use std::rc::Rc;

use crate::fault::NotFinite;
use crate::partials::{Application, Partials};
use crate::row::{Failure, Prim, PrimTy, RealFn};
use crate::text::{enclosed, quoted, read_real, real_text};
use crate::values;

/// A scalar value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(Rc<str>),
}

/// Why a scalar primitive has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarFault {
    /// A case of its row.
    Fails(Failure),
    /// The arguments do not fit, or the primitive is not one of scalars.
    NotScalar,
}

impl Prim {
    /// Whether the order of its two operands is no matter: the same bits come out, but for those of a NaN.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Mul
                | Self::IntAdd
                | Self::IntMul
                | Self::Eq
                | Self::Ne
                | Self::IntEq
                | Self::IntNe
                | Self::BoolEq
        )
    }

    /// Its value on scalars.
    pub fn eval_scalar(self, args: &[Scalar]) -> Result<Scalar, ScalarFault> {
        let row = self.row();
        if let Some(smooth) = row.smooth() {
            return match (smooth.value, args) {
                (RealFn::Real1(f), [Scalar::Real(x)]) => Ok(Scalar::Real(f(*x))),
                (RealFn::Real2(f), [Scalar::Real(x), Scalar::Real(y)]) => {
                    Ok(Scalar::Real(f(*x, *y)))
                }
                (RealFn::RealInt(f), [Scalar::Real(x), Scalar::Int(n)]) => {
                    Ok(Scalar::Real(f(*x, *n)))
                }
                (RealFn::IntReal(f), [Scalar::Int(n), Scalar::Real(x)]) => {
                    Ok(Scalar::Real(f(*n, *x)))
                }
                (
                    RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_),
                    _,
                ) => Err(ScalarFault::NotScalar),
            };
        }
        if row.result == PrimTy::Str {
            return self.eval_text(args);
        }
        match args {
            [Scalar::Int(m), Scalar::Int(n)] => match compare_ints(self, *m, *n) {
                Some(truth) => Ok(Scalar::Bool(truth)),
                None => int2(self, *m, *n).map(Scalar::Int),
            },
            [Scalar::Real(x), Scalar::Real(y)] => {
                compare_reals(self, *x, *y).map(Scalar::Bool).ok_or(ScalarFault::NotScalar)
            }
            [Scalar::Int(n)] => int1(self, *n),
            [Scalar::Real(x)] if self == Prim::IsNan => Ok(Scalar::Bool(x.is_nan())),
            [Scalar::Real(x)] if self == Prim::ToInt => {
                values::to_int(*x).map(Scalar::Int).ok_or(ScalarFault::Fails(Failure::NotAnInt))
            }
            [Scalar::Bool(p)] if self == Prim::Not => Ok(Scalar::Bool(!p)),
            [Scalar::Bool(p), Scalar::Bool(q)] if self == Prim::BoolEq => Ok(Scalar::Bool(p == q)),
            [Scalar::Str(text)] if self == Prim::ReadReal => Ok(Scalar::Real(read_real(text))),
            [Scalar::Str(p), Scalar::Str(q)] if self == Prim::StrEq => Ok(Scalar::Bool(p == q)),
            _ => Err(ScalarFault::NotScalar),
        }
    }

    /// The value of a primitive that gives a text.
    fn eval_text(self, args: &[Scalar]) -> Result<Scalar, ScalarFault> {
        let text = match args {
            [Scalar::Real(x)] if self == Prim::ShowReal => real_text(*x),
            [Scalar::Int(n)] if self == Prim::ShowInt => n.to_string(),
            [Scalar::Str(text)] if self == Prim::Quote => quoted(text),
            [Scalar::Str(text)] if self == Prim::Enclose => enclosed(text),
            [Scalar::Str(one), Scalar::Str(other)] if self == Prim::StrJoin => {
                [&**one, &**other].concat()
            }
            _ => return Err(ScalarFault::NotScalar),
        };
        Ok(Scalar::Str(text.into()))
    }
}

impl Prim {
    /// Its partial derivatives at numbers, an Int argument among them converted. `None` is the
    /// structural zero, also that of a primitive without partial derivatives.
    pub fn partials_at(self, args: &[f64]) -> Vec<Option<f64>> {
        let Some(smooth) = self.row().smooth() else { return vec![None; args.len()] };
        let scalars = self.scalars(args);
        let Ok(Scalar::Real(result)) = self.eval_scalar(&scalars) else {
            return vec![None; args.len()];
        };
        let mut partials = Partials::new(smooth, AtScalars { args: &scalars, result });
        let number = |index| match partials.by(index) {
            Ok(Some(Scalar::Real(x))) => Some(x),
            Ok(Some(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | None) | Err(_) => None,
        };
        (0..smooth.partials.len()).map(number).collect()
    }

    /// Its value at numbers, an Int argument among them converted; none if that is no Real.
    pub fn value_at(self, args: &[f64]) -> Option<f64> {
        match self.eval_scalar(&self.scalars(args)) {
            Ok(Scalar::Real(x)) => Some(x),
            Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => None,
        }
    }

    /// Why a derivative by the arguments that are followed has no finite number at these: its value or a partial
    /// derivative is none.
    pub fn infinity_at(
        self,
        args: &[f64],
        followed: impl Fn(usize) -> bool,
    ) -> Option<(NotFinite, f64)> {
        let value = self.value_at(args).filter(|value| !value.is_finite());
        if let Some(value) = value {
            return Some((NotFinite::Value(self, args.to_vec()), value));
        }
        let partials = self.partials_at(args).into_iter().enumerate();
        let mut partials =
            partials.filter_map(|(by, partial)| partial.map(|partial| (by, partial)));
        let (by, partial) = partials.find(|(by, partial)| followed(*by) && !partial.is_finite())?;
        Some((NotFinite::Partial(self, args.to_vec(), by), partial))
    }

    /// Numbers as the scalars that the row takes.
    fn scalars(self, args: &[f64]) -> Vec<Scalar> {
        let scalar = |(ty, x): (&PrimTy, &f64)| {
            if *ty == PrimTy::Int { Scalar::Int(*x as i64) } else { Scalar::Real(*x) }
        };
        self.row().params.iter().zip(args).map(scalar).collect()
    }
}

/// A primitive at scalars.
#[derive(Clone, Copy, Debug)]
pub struct AtScalars<'a> {
    /// Its arguments.
    pub args: &'a [Scalar],
    /// Its value.
    pub result: f64,
}

impl Application for AtScalars<'_> {
    type Value = Scalar;
    type Fault = ScalarFault;

    fn arg(&self, index: usize) -> Scalar {
        self.args[index].clone()
    }

    fn result(&self) -> Scalar {
        Scalar::Real(self.result)
    }

    fn real(&self, value: f64) -> Scalar {
        Scalar::Real(value)
    }

    fn int(&self, value: i64) -> Scalar {
        Scalar::Int(value)
    }

    fn holds(&self, condition: &Scalar) -> bool {
        *condition == Scalar::Bool(true)
    }

    fn apply(&mut self, prim: Prim, args: &[Scalar]) -> Result<Scalar, ScalarFault> {
        prim.eval_scalar(args)
    }
}

fn compare_reals(prim: Prim, x: f64, y: f64) -> Option<bool> {
    let table = [
        (Prim::Lt, x < y),
        (Prim::Le, x <= y),
        (Prim::Gt, x > y),
        (Prim::Ge, x >= y),
        (Prim::Eq, x == y),
        (Prim::Ne, x != y),
    ];
    table.into_iter().find(|(known, _)| *known == prim).map(|(_, truth)| truth)
}

fn compare_ints(prim: Prim, m: i64, n: i64) -> Option<bool> {
    let table = [
        (Prim::IntLt, m < n),
        (Prim::IntLe, m <= n),
        (Prim::IntGt, m > n),
        (Prim::IntGe, m >= n),
        (Prim::IntEq, m == n),
        (Prim::IntNe, m != n),
    ];
    table.into_iter().find(|(known, _)| *known == prim).map(|(_, truth)| truth)
}

fn int1(prim: Prim, n: i64) -> Result<Scalar, ScalarFault> {
    if prim == Prim::ToReal {
        return Ok(Scalar::Real(n as f64));
    }
    let value = if prim == Prim::IntNeg {
        n.checked_neg()
    } else if prim == Prim::IntAbs {
        n.checked_abs()
    } else if prim == Prim::IntSignum {
        Some(n.signum())
    } else {
        return Err(ScalarFault::NotScalar);
    };
    value.map(Scalar::Int).ok_or(ScalarFault::Fails(Failure::Overflow))
}

fn int2(prim: Prim, m: i64, n: i64) -> Result<i64, ScalarFault> {
    let value = if prim == Prim::IntAdd {
        m.checked_add(n)
    } else if prim == Prim::IntSub {
        m.checked_sub(n)
    } else if prim == Prim::IntMul {
        m.checked_mul(n)
    } else if prim == Prim::IntMax {
        Some(m.max(n))
    } else if prim == Prim::IntMin {
        Some(m.min(n))
    } else if prim == Prim::IntPow {
        if n < 0 {
            return Err(ScalarFault::Fails(Failure::NegativeExponent));
        }
        values::int_pow(m, n)
    } else if prim == Prim::IntDiv || prim == Prim::IntRem {
        if n == 0 {
            return Err(ScalarFault::Fails(Failure::DivisionByZero));
        }
        if prim == Prim::IntDiv { values::int_div(m, n) } else { values::int_rem(m, n) }
    } else {
        return Err(ScalarFault::NotScalar);
    };
    value.ok_or(ScalarFault::Fails(Failure::Overflow))
}
