//! A primitive, what its row of the table says, and the little language its partial derivatives are
//! written in.
//!
//! A partial derivative is a [`Term`] over the same primitives, so it has partial derivatives itself:
//! the table gives derivatives of every order.

use pullback_base::bug;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::moves::Move;
use crate::straight::Straightened;

/// A primitive operation, always saturated. Real arithmetic follows binary64; Int arithmetic is
/// checked (overflow and division by zero are run-time errors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the table documents the variants that their names do not")]
pub enum Prim {
    // Real -> Real and Real -> Real -> Real, differentiable.
    Neg, Add, Sub, Mul, Div,
    /// `Real -> Real -> Real`: remainder with the divisor's sign.
    Rem, Pow, Max, Min, Atan2, Hypot, Xlogy,
    Abs, Signum, Floor, Ceil, Round, Sqrt, Cbrt, Exp, Expm1, Log, Log1p,
    Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Sech2, Asinh, Acosh, Atanh,
    Erf, Erfc, Lgamma, Digamma, Sigmoid, Softplus,
    /// `Real -> Int -> Real`: repeated product; a negative exponent gives the reciprocal.
    PowInt,
    /// `Real -> Int -> Real`: the derivative of [`Prim::PowInt`], `n * x ^ (n - 1)`.
    PowSlope,
    /// `Int -> Real -> Real`: the n-th derivative of digamma (n = 0 is digamma), n ≥ 0.
    Polygamma,

    // Int -> Int and Int -> Int -> Int, checked.
    IntNeg, IntAdd, IntSub, IntMul,
    /// Floor of the quotient.
    IntDiv,
    /// Remainder with the divisor's sign.
    IntRem,
    /// `Int -> Int -> Int`, exponent ≥ 0.
    IntPow, IntMax, IntMin, IntAbs, IntSignum,

    // Comparisons to Bool.
    Lt, Le, Gt, Ge, Eq, Ne,
    IntLt, IntLe, IntGt, IntGe, IntEq, IntNe,
    BoolEq, StrEq, Not, IsNan,

    /// `Real -> String`: as the language writes it.
    ShowReal,
    /// `Int -> String`: as the language writes it.
    ShowInt,
    /// `String -> String`: in quotation marks, as the language writes it.
    Quote,
    /// `String -> String`: the text of a value as an argument: in parentheses where it needs them.
    Enclose,
    /// `String -> String -> String`: one text after the other.
    StrJoin,
    /// `String -> Real`: the number that a text says, or NaN.
    ReadReal,
    /// `String -> ()`: tells a line to whoever runs the program.
    Tell,

    /// `Int -> Real`
    ToReal,
    /// `Real -> Int`, towards zero; NaN and numbers out of range are errors.
    ToInt,

    // Arrays: polymorphic in the element, they move values without looking at them.
    /// `[]a -> Int`
    Size,
    /// `[]a -> Int -> a`
    Index,
    /// `[]a -> Int -> a -> []a`: in place when the array is not shared.
    Update,
    /// `[]a -> Int -> Int -> []a`: first index, one past the last.
    Slice,
    /// `[]a -> []a -> []a`
    Concat,
    /// `[][]a -> []a`
    Flatten,
    /// `[]Real -> Real`: from left to right, `sum [] = 0`; linear.
    Sum,
    /// `[]Real -> []Int`: the stable ascending order, NaN last.
    Argsort,

    /// `[]…a -> Int -> Int -> []…a`: the same array, in which rows that are absent, since an array
    /// around them is empty, have this size at this nesting depth (1 is that of the elements). Stands
    /// beside what makes arrays of arrays.
    Sized,
    /// `[]…a -> Int -> Int`: the size at a nesting depth (0 is outermost), also of absent rows.
    Dim,
    /// `[]…a -> Int -> Int -> String -> ()`: an error unless the rows at a nesting depth have this size;
    /// where there are none, there is nothing to check. The string says what is compared.
    CheckSize,
    /// `String -> a`: a run-time error with this message.
    Fail,
    /// `String -> a`: the error of a function of `letrec_n`, named by the string, whose calls nest deeper
    /// than its fuel allows.
    OutOfFuel,
    /// `String -> a`: the error of a translated program that stops because an engine does not cover it;
    /// the string says why.
    EngineLimit,
    /// `String -> a`: the error of a translated program that is given a cotangent of another shape than
    /// the value that it belongs to.
    OtherShape,
    /// `String -> a`: a bug. What a translation assumed of the program that it made does not hold; the
    /// string says what.
    Broken,

    /// A primitive beside the table, which brings its row along.
    Beside(Beside),
}

/// A row that is not in the table. Primitives with such a row are the same if it is one row in memory.
/// Whoever has one can use the primitive wherever terms are made; text cannot name it.
#[derive(Clone, Copy, Debug)]
pub struct Beside(pub &'static Row);

impl PartialEq for Beside {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Beside {}

impl Ord for Beside {
    fn cmp(&self, other: &Self) -> Ordering {
        // The address decides only between two rows of one name.
        let key = |beside: &Self| (beside.0.name, std::ptr::from_ref(beside.0).addr());
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Beside {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Beside {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    /// Its name in printed programs, mostly that of the surface language.
    pub name: &'static str,
    /// How many multiplications it counts as where operations are weighed; 0 if it computes nothing.
    pub weight: u64,
    /// The types of its arguments.
    pub params: &'static [PrimTy],
    /// The type of its result.
    pub result: PrimTy,
    /// How it takes part in differentiation.
    pub class: Class,
    /// In which cases it gives a run-time error and no value. But for those that tell, there is nothing else
    /// that a primitive does.
    pub fails: &'static [Failure],
    /// What it is, with the convention for its derivative where there is one.
    pub doc: &'static str,
}

/// A case in which a primitive gives a run-time error and no value. Any evaluation can end at a limit of
/// memory or time; that is none of these cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// An index or a range is not inside its array.
    OutOfRange,
    /// The result is no 64-bit integer.
    Overflow,
    /// An Int is divided by zero.
    DivisionByZero,
    /// An Int is raised to a negative power.
    NegativeExponent,
    /// A Real that is NaN or out of range is made an Int.
    NotAnInt,
    /// Two sizes that must agree differ.
    SizeMismatch,
    /// Whatever the arguments are.
    Always,
}

/// The types primitives are declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrimTy {
    /// `Real`
    Real,
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// `String`
    Str,
    /// `()`
    Unit,
    /// The one type variable `a`.
    Elem,
    /// `[]t`
    Array(&'static PrimTy),
    /// An array of anything, of any depth.
    AnyArray,
}

/// How a primitive takes part in differentiation.
#[derive(Debug)]
pub enum Class {
    /// A real function of reals (and integers), with partial derivatives.
    Smooth(Smooth),
    /// From any scalars or arrays to a result whose derivative is zero: it carries no tangent
    /// ([`Prim::ToReal`]: its argument carries none).
    Discrete,
    /// Moves values without looking at them, or adds them up: tangents and cotangents move with them.
    Structural(Move),
    /// No value of its own: checks.
    Control,
    /// No value of its own: tells its one argument, a String, to whoever runs the program, each time that it is
    /// reached. Nothing may leave it out, do it twice, or change what comes before and after it.
    Tell,
    /// Has no value: always a run-time error, which its one argument, a String, describes.
    Fail,
}

/// The analysis of a smooth primitive.
#[derive(Debug)]
pub struct Smooth {
    /// Its value.
    pub value: RealFn,
    /// Where it is differentiable. Elsewhere the value and the partials follow the table of conventions.
    pub domain: Domain,
    /// In which arguments it is linear.
    pub linearity: Linearity,
    /// The partial derivative by each parameter; `None` for an Int parameter.
    pub partials: &'static [Option<Term>],
    /// What occurs in several of them: whoever needs more than one computes it once.
    pub shared: &'static [Term],
    /// The partials as code for plain numbers, once it has been asked for.
    pub straight: Straightened,
}

/// Where a primitive is differentiable by all its Reals together: an open set of arguments. An Int argument counts as the
/// Real that it is.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// All arguments.
    Everywhere,
    /// Where a comparison of two terms over the arguments holds.
    Is(Prim, Term, Term),
    /// Where both hold.
    All(&'static Domain, &'static Domain),
    /// Where one of them holds.
    Any(&'static Domain, &'static Domain),
}

/// How many shared terms a row may have.
pub const MAX_SHARED: usize = 3;

/// The value of a smooth primitive: a named function of [`crate::values`].
#[derive(Clone, Copy, Debug)]
pub enum RealFn {
    /// `Real -> Real`
    Real1(fn(f64) -> f64),
    /// `Real -> Real -> Real`
    Real2(fn(f64, f64) -> f64),
    /// `Real -> Int -> Real`
    RealInt(fn(f64, i64) -> f64),
    /// `Int -> Real -> Real`
    IntReal(fn(i64, f64) -> f64),
}

/// In which arguments a primitive is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearity {
    /// In all of them together.
    Linear,
    /// In each of two while the other is held.
    Bilinear,
    /// In the first while the others are held.
    LinearInFirst,
    /// In none.
    Nonlinear,
}

/// A partial derivative as a term over the arguments and the result of its primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// An argument, Real or Int as the row declares it.
    Arg(usize),
    /// The value of the primitive itself.
    Result,
    /// A constant.
    Real(f64),
    /// An Int constant.
    Int(i64),
    /// Structurally zero: it contributes nothing, whatever it is multiplied with.
    Zero,
    /// A primitive.
    Prim(Prim, &'static [Term]),
    /// By a Bool-valued term; only the chosen branch counts.
    If(&'static Term, &'static Term, &'static Term),
}

impl Smooth {
    /// The parameters that the result varies with: the partial by such a one is not structurally zero.
    pub fn carriers(&self) -> impl Iterator<Item = usize> {
        let partials = self.partials.iter().enumerate();
        let counts = |partial: &Option<Term>| !matches!(partial, None | Some(Term::Zero));
        partials.filter(move |(_, partial)| counts(partial)).map(|(at, _)| at)
    }
}

impl Row {
    /// The analysis, if the primitive is smooth.
    pub fn smooth(&self) -> Option<&Smooth> {
        if let Class::Smooth(smooth) = &self.class { Some(smooth) } else { None }
    }

    /// The analysis of what is known to be smooth.
    #[track_caller]
    pub fn analysis(&self) -> &Smooth {
        let Some(smooth) = self.smooth() else {
            bug("prim", format_args!("`{}` to be smooth", self.name))
        };
        smooth
    }

    /// How it moves values, if it does.
    pub fn moves(&self) -> Option<Move> {
        if let Class::Structural(moves) = self.class { Some(moves) } else { None }
    }

    /// Whether it gives a value whatever its arguments are, and does nothing else: code that needs no value of
    /// it may leave it out.
    pub fn is_pure(&self) -> bool {
        self.fails.is_empty() && !self.tells()
    }

    /// Whether it is seen from outside that it was reached.
    pub fn tells(&self) -> bool {
        matches!(self.class, Class::Tell)
    }

    /// Whether it never gives a value: nothing after it is reached.
    pub fn always_fails(&self) -> bool {
        self.fails.contains(&Failure::Always)
    }

    /// Its type for people, such as `[]a -> Int -> a`.
    pub fn show_type(&self) -> String {
        let parts: Vec<_> = self.params.iter().chain([&self.result]).map(PrimTy::show).collect();
        parts.join(" -> ")
    }
}

impl Smooth {
    /// Whether it is differentiable at these arguments, or none of its Reals is followed. The domain is the same by
    /// which argument ever the derivative is taken.
    pub fn differentiable(&self, args: &[f64], followed: impl Fn(usize) -> bool) -> bool {
        let moves = |at: usize| self.partials[at].is_some() && followed(at);
        !(0..self.partials.len()).any(moves) || self.domain.holds(args)
    }
}

impl PrimTy {
    fn show(&self) -> String {
        match self {
            PrimTy::Real => "Real".to_string(),
            PrimTy::Int => "Int".to_string(),
            PrimTy::Bool => "Bool".to_string(),
            PrimTy::Str => "String".to_string(),
            PrimTy::Unit => "()".to_string(),
            PrimTy::Elem => "a".to_string(),
            PrimTy::Array(inner) => format!("[]{}", inner.show()),
            PrimTy::AnyArray => "[]…a".to_string(),
        }
    }
}

impl Term {
    /// The number of primitives in this term, each branch counted.
    pub fn size(&self) -> usize {
        match self {
            Term::Arg(_) | Term::Result | Term::Real(_) | Term::Int(_) | Term::Zero => 0,
            Term::Prim(_, args) => 1 + args.iter().map(Term::size).sum::<usize>(),
            Term::If(cond, then, other) => cond.size() + then.size() + other.size(),
        }
    }
}
