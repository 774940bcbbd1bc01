//! Constant folding and algebraic simplification of numbers and Bools.
//!
//! ```text
//! before   a.1 = mul(x.0, 1.0);  b.2 = int_add(2, 3);  c.3 = not(not(p.4))
//! after    a.1 = x.0;            b.2 = 5;              c.3 = p.4
//! ```
//!
//! Input: a primitive with its operands. Output: what replaces it, if a law applies, or its value if all operands are
//! constants and it has one.
//!
//! Invariants: a law that is not exact in every bit has no place here: `x + 0 = x` holds only where `x` is surely no
//! negative zero (`is_never_negative_zero`). NaNs count as one. An operation that fails on constants stays, and fails
//! when it runs.

use pullback_base::Id;
use pullback_ir::{Atom, Op, Type};
use pullback_prim::{Prim, Scalar};

use super::{Def, New, Simplify};

/// How many operations back a Real is followed.
pub(super) const DEEPEST: usize = 8;

impl Simplify<'_> {
    pub(super) fn scalar_law(&self, prim: Prim, args: &[Atom]) -> Option<New> {
        if let Some(value) = self.fold(prim, args) {
            return New::atom(value);
        }
        match args {
            [x] => self.unary_law(prim, *x),
            [x, y] => {
                let law = self.binary_law(prim, *x, *y).or_else(|| self.scale_law(prim, *x, *y));
                law.or_else(|| self.same_law(prim, *x, *y))
            }
            _ => None,
        }
    }

    /// The value of a primitive on constants, if it has one.
    fn fold(&self, prim: Prim, args: &[Atom]) -> Option<Atom> {
        let scalar = |atom: &Atom| match atom {
            Atom::Var(_) => None,
            Atom::Real(x) => Some(Scalar::Real(*x)),
            Atom::Int(n) => Some(Scalar::Int(*n)),
            Atom::Bool(p) => Some(Scalar::Bool(*p)),
            Atom::Str(text) => Some(Scalar::Str((*self.program.strings[*text]).into())),
        };
        let scalars: Option<Vec<Scalar>> = args.iter().map(scalar).collect();
        match prim.eval_scalar(&scalars?).ok()? {
            Scalar::Real(x) => Some(Atom::Real(x)),
            Scalar::Int(n) => Some(Atom::Int(n)),
            Scalar::Bool(p) => Some(Atom::Bool(p)),
            Scalar::Str(_) => None,
        }
    }

    /// The operands of a primitive that an atom is the result of.
    pub(super) fn operands(&self, atom: Atom, prim: Prim) -> Option<&[Atom]> {
        let Op::Prim(known, args) = self.def(atom)? else { return None };
        (*known == prim).then_some(args)
    }

    fn unary_law(&self, prim: Prim, x: Atom) -> Option<New> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "most primitives have no law")]
        match prim {
            // - (- x) = x
            Prim::Neg => New::atom(self.operands(x, Prim::Neg)?[0]),
            // not (not x) = x
            Prim::Not => New::atom(self.operands(x, Prim::Not)?[0]),
            // |-x| = |x|
            Prim::Abs => prim_op(Prim::Abs, &[self.operands(x, Prim::Neg)?[0]]),
            _ => None,
        }
    }

    #[rustfmt::skip]
    fn binary_law(&self, prim: Prim, x: Atom, y: Atom) -> Option<New> {
        use Atom::{Bool, Int, Real};
        match (prim, x, y) {
            (Prim::Mul, x, Real(1.0)) | (Prim::Mul, Real(1.0), x) => New::atom(x),
            (Prim::Div, x, Real(1.0)) => New::atom(x),
            (Prim::Mul, x, Real(-1.0)) | (Prim::Mul, Real(-1.0), x) => prim_op(Prim::Neg, &[x]),
            (Prim::Div, x, Real(-1.0)) => prim_op(Prim::Neg, &[x]),
            // x / c = x * (1 / c) where 1 / c is exact
            (Prim::Div, x, Real(c)) if has_exact_reciprocal(c) => prim_op(Prim::Mul, &[x, Real(1.0 / c)]),
            // x + (-0) = x for every x; x + 0 = x unless x is -0
            (Prim::Add, x, Real(z)) | (Prim::Add, Real(z), x) if is_negative_zero(z) => New::atom(x),
            (Prim::Add, x, Real(0.0)) | (Prim::Add, Real(0.0), x) if self.is_never_negative_zero(x, DEEPEST) => New::atom(x),
            (Prim::Sub, x, Real(z)) if z == 0.0 && !is_negative_zero(z) => New::atom(x),
            // -0 - x = -x
            (Prim::Sub, Real(z), x) if is_negative_zero(z) => prim_op(Prim::Neg, &[x]),
            (Prim::PowInt, _, Int(0)) => New::atom(Real(1.0)),
            (Prim::PowInt, x, Int(1)) => New::atom(x),
            (Prim::PowInt, x, Int(2)) => prim_op(Prim::Mul, &[x, x]),
            (Prim::PowInt, x, Int(-1)) => prim_op(Prim::Div, &[Real(1.0), x]),
            (Prim::PowSlope, _, Int(0)) => New::atom(Real(0.0)),
            (Prim::PowSlope, _, Int(1)) => New::atom(Real(1.0)),
            (Prim::PowSlope, x, Int(2)) => prim_op(Prim::Mul, &[Real(2.0), x]),
            (Prim::IntAdd, x, Int(0)) | (Prim::IntAdd, Int(0), x) | (Prim::IntSub, x, Int(0)) => New::atom(x),
            (Prim::IntMul, x, Int(1)) | (Prim::IntMul, Int(1), x) | (Prim::IntDiv, x, Int(1)) => New::atom(x),
            (Prim::IntMul, _, Int(0)) | (Prim::IntMul, Int(0), _) | (Prim::IntRem, _, Int(1)) => New::atom(Int(0)),
            (Prim::IntPow, x, Int(1)) => New::atom(x),
            (Prim::IntPow, _, Int(0)) => New::atom(Int(1)),
            (Prim::BoolEq, p, Bool(true)) | (Prim::BoolEq, Bool(true), p) => New::atom(p),
            (Prim::BoolEq, p, Bool(false)) | (Prim::BoolEq, Bool(false), p) => prim_op(Prim::Not, &[p]),
            _ => self.law_of_signs(prim, x, y),
        }
    }

    /// Laws of a negation, or of the opposite operation, below an operation.
    fn law_of_signs(&self, prim: Prim, x: Atom, y: Atom) -> Option<New> {
        let negated = |atom: Atom| self.operands(atom, Prim::Neg).map(|args| args[0]);
        match (prim, negated(x), negated(y)) {
            // x + (-y) = x - y, (-x) + y = y - x, x - (-y) = x + y
            (Prim::Add, _, Some(y)) => prim_op(Prim::Sub, &[x, y]),
            (Prim::Add, Some(x), None) => prim_op(Prim::Sub, &[y, x]),
            (Prim::Sub, _, Some(y)) => prim_op(Prim::Add, &[x, y]),
            // (-x) * (-y) = x * y, (-x) / (-y) = x / y
            (Prim::Mul | Prim::Div, Some(x), Some(y)) => prim_op(prim, &[x, y]),
            // (m + n) - n = m and (m - n) + n = m: the inner operation stays, and fails as before
            (Prim::IntSub, _, _) => match self.operands(x, Prim::IntAdd)? {
                [m, n] if *n == y => New::atom(*m),
                [n, m] if *n == y => New::atom(*m),
                _ => None,
            },
            (Prim::IntAdd, _, _) => {
                match (self.operands(x, Prim::IntSub), self.operands(y, Prim::IntSub)) {
                    (Some([m, n]), _) if *n == y => New::atom(*m),
                    (_, Some([m, n])) if *n == x => New::atom(*m),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// (x * b) * c = x * (b * c) for powers of two that make nothing smaller: neither product rounds, and what is too
    /// large is so both ways. Derivatives of higher orders have such chains.
    fn scale_law(&self, prim: Prim, x: Atom, y: Atom) -> Option<New> {
        let scaled = |args: &[Atom]| match args {
            [x, Atom::Real(c)] | [Atom::Real(c), x] if is_enlarging(*c) => Some((*x, *c)),
            _ => None,
        };
        let (product, c) = if prim == Prim::Mul { scaled(&[x, y])? } else { return None };
        let (x, b) = scaled(self.operands(product, Prim::Mul)?)?;
        if (b * c).is_finite() { prim_op(Prim::Mul, &[x, Atom::Real(b * c)]) } else { None }
    }

    /// Laws of two operands that are the same.
    fn same_law(&self, prim: Prim, x: Atom, y: Atom) -> Option<New> {
        if x != y {
            return None;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "most primitives have no law")]
        match prim {
            Prim::IntMax | Prim::IntMin | Prim::Max | Prim::Min => New::atom(x),
            Prim::IntSub => New::atom(Atom::Int(0)),
            Prim::IntEq | Prim::IntLe | Prim::IntGe | Prim::BoolEq | Prim::StrEq => {
                New::atom(Atom::Bool(true))
            }
            Prim::IntNe | Prim::IntLt | Prim::IntGt | Prim::Lt | Prim::Gt => {
                New::atom(Atom::Bool(false))
            }
            Prim::Ne => prim_op(Prim::IsNan, &[x]),
            _ => None,
        }
    }

    /// Whether a Real is surely no negative zero; `depth` bounds the operations that are followed.
    pub(super) fn is_never_negative_zero(&self, atom: Atom, depth: usize) -> bool {
        if let Atom::Real(x) = atom {
            return !is_negative_zero(x);
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let (prim, args) = match self.def(atom) {
            Some(Op::Prim(prim, args)) => (prim, args),
            Some(Op::Sum(_)) => return true,
            Some(Op::Index(array, _)) => return self.has_no_negative_zero(*array),
            _ => return false,
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match prim {
            Prim::Exp | Prim::Abs | Prim::ToReal | Prim::Sigmoid | Prim::Hypot | Prim::Sech2 => {
                true
            }
            // A sum is a negative zero only if both are.
            Prim::Add => args.iter().any(|arg| self.is_never_negative_zero(*arg, depth)),
            Prim::Mul => args[0] == args[1],
            Prim::Sqrt => self.is_never_negative_zero(args[0], depth),
            _ => false,
        }
    }

    /// Whether nothing of an array, or a Real, is a negative zero.
    pub(super) fn has_no_negative_zero(&self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return self.is_never_negative_zero(atom, 1) };
        if self.program.vars[var].ty == Type::REAL {
            return self.is_never_negative_zero(atom, DEEPEST);
        }
        if let Some(Some(Def::Collected(_, is_unsigned))) =
            self.defs.get(var.index()).map(Option::as_deref)
        {
            return *is_unsigned;
        }
        match self.def(atom) {
            Some(Op::Zero(_)) => true,
            // A sum that begins with 0 is none.
            Some(Op::ReadAcc(acc)) => match self.def(*acc) {
                Some(Op::NewAcc(init)) => self.has_no_negative_zero(*init),
                _ => false,
            },
            Some(Op::Index(array, _)) => self.has_no_negative_zero(*array),
            _ => false,
        }
    }

    pub(super) fn select_law(&self, cond: Atom, a: Atom, b: Atom) -> Option<New> {
        match (cond, a, b) {
            (Atom::Bool(true), a, _) => New::atom(a),
            (Atom::Bool(false), _, b) => New::atom(b),
            (_, Atom::Bool(true), Atom::Bool(false)) => New::atom(cond),
            (_, Atom::Bool(false), Atom::Bool(true)) => prim_op(Prim::Not, &[cond]),
            _ if a.is_same(b) || self.is_undefined(b) => New::atom(a),
            _ if self.is_undefined(a) => New::atom(b),
            _ => New::op(Op::Select(self.operands(cond, Prim::Not)?[0], b, a)),
        }
    }

    /// Products with a (co)tangent that may be absent.
    pub(super) fn strong_law(&self, tangent: Atom, x: Atom) -> Option<New> {
        match (tangent, x) {
            (Atom::Real(0.0), _) => New::atom(Atom::Real(0.0)),
            (Atom::Real(t), x) => prim_op(Prim::Mul, &[Atom::Real(t), x]),
            (t, Atom::Real(c)) if c.is_finite() => prim_op(Prim::Mul, &[t, Atom::Real(c)]),
            // An Int is finite.
            (t, x) if self.operands(x, Prim::ToReal).is_some() => prim_op(Prim::Mul, &[t, x]),
            _ => None,
        }
    }
}

/// Whether two atoms are the same to the bit: not only equal, as zeros are.
pub(super) fn prim_op(prim: Prim, args: &[Atom]) -> Option<New> {
    New::op(Op::Prim(prim, args.to_vec()))
}

fn is_negative_zero(x: f64) -> bool {
    x == 0.0 && x.is_sign_negative()
}

/// Whether a product with this is exact, where it is not too large: that of a power of two from 1 on.
fn is_enlarging(c: f64) -> bool {
    let mantissa = c.to_bits() & ((1 << 52) - 1);
    mantissa == 0 && c.is_finite() && c.abs() >= 1.0
}

/// Whether the reciprocal is exact: that of a power of two that is neither too large nor too small.
fn has_exact_reciprocal(c: f64) -> bool {
    let mantissa = c.to_bits() & ((1 << 52) - 1);
    mantissa == 0 && c.is_normal() && (1.0 / c).is_normal()
}
