//! **The primitive table**: one row each with name, type, class, value, smooth domain, linearity and
//! partial derivatives. It is the only place with derivative rules.
//!
//! Partials are written as S-expressions over the primitives: `x` and `y` are the first and second
//! argument, `r` the result, `nan` and plain literals constants, `zero` the structural zero, `_` stands
//! for an Int parameter. They are finite wherever the derivative is and the arguments are not extreme,
//! give the one-sided limit at the edge of a domain and NaN outside, and stay right when they are
//! differentiated again; so a branch that is constant in an argument is used only where all further
//! derivatives agree or the table of conventions leaves no better choice.
//! Adding `0.0` turns a zero of either sign into the positive one, as the one-sided limits need.

use super::row::{Class, Linearity, PrimTy, RealFn, Row, Smooth, Term};
use super::{Prim, values};

/// `2 / sqrt pi`
const TWO_OVER_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

macro_rules! term {
    (x) => { Term::Arg(0) };
    (y) => { Term::Arg(1) };
    (r) => { Term::Result };
    (zero) => { Term::Zero };
    (nan) => { Term::Real(f64::NAN) };
    ((real $value:expr)) => { Term::Real($value) };
    ((int $value:expr)) => { Term::Int($value) };
    ((if $cond:tt $then:tt $other:tt)) => {
        Term::If(&term!($cond), &term!($then), &term!($other))
    };
    (($prim:ident $($arg:tt)*)) => { Term::Prim(Prim::$prim, &[$(term!($arg)),*]) };
    ($value:literal) => { Term::Real($value) };
}

macro_rules! partial {
    (_) => {
        None
    };
    ($term:tt) => {
        Some(term!($term))
    };
}

macro_rules! ty {
    (Real) => {
        PrimTy::Real
    };
    (Int) => {
        PrimTy::Int
    };
    (Bool) => {
        PrimTy::Bool
    };
    (Str) => {
        PrimTy::Str
    };
    (unit) => {
        PrimTy::Unit
    };
    (a) => {
        PrimTy::Elem
    };
    ([..]) => {
        PrimTy::AnyArray
    };
    ([$inner:tt]) => {
        PrimTy::Array(&ty!($inner))
    };
}

macro_rules! class {
    (smooth { $kind:ident $value:ident, $domain:expr, $linearity:ident, [$($partial:tt)*] }) => {
        Class::Smooth(Smooth {
            value: RealFn::$kind(values::$value),
            domain: $domain,
            linearity: Linearity::$linearity,
            partials: &[$(partial!($partial)),*],
        })
    };
    ($class:ident {}) => { Class::$class };
}

macro_rules! table {
    ($($prim:ident $name:literal ($($param:tt)*) -> $result:tt, $class:ident $body:tt $doc:literal;)*) => {
        impl Prim {
            /// All primitives, in the order of the table.
            pub const ALL: &'static [Prim] = &[$(Prim::$prim),*];

            /// Its row of the table.
            pub fn row(self) -> &'static Row {
                match self {
                    $(Prim::$prim => {
                        static ROW: Row = Row {
                            prim: Prim::$prim,
                            name: $name,
                            params: &[$(ty!($param)),*],
                            result: ty!($result),
                            class: class!($class $body),
                            doc: $doc,
                        };
                        &ROW
                    })*
                }
            }
        }
    };
}

fn everywhere(_: &[f64]) -> bool {
    true
}

fn nonzero(v: &[f64]) -> bool {
    v[0] != 0.0
}

fn positive(v: &[f64]) -> bool {
    v[0] > 0.0
}

fn inside_unit(v: &[f64]) -> bool {
    v[0].abs() < 1.0
}

fn no_tie(v: &[f64]) -> bool {
    v[0] != v[1]
}

fn not_integer(v: &[f64]) -> bool {
    v[0] != v[0].floor()
}

fn not_half_integer(v: &[f64]) -> bool {
    let shifted = v[0].abs() + 0.5;
    shifted != shifted.floor()
}

fn not_pole(v: &[f64]) -> bool {
    v[0] > 0.0 || v[0] != v[0].floor()
}

/// Where `x ^ y` is differentiable by `x`: integers as exponents admit negative bases.
fn power(v: &[f64]) -> bool {
    let integer = v[1] == v[1].floor();
    v[0] > 0.0 || (integer && v[0] < 0.0) || (v[0] == 0.0 && (v[1] == 0.0 || v[1] >= 1.0))
}

table! {
    Neg "neg" (Real) -> Real, smooth { Real1 neg, everywhere, Linear, [(real -1.0)] }
        "`-x`";
    Add "add" (Real Real) -> Real, smooth { Real2 add, everywhere, Linear, [1.0 1.0] }
        "`x + y`";
    Sub "sub" (Real Real) -> Real, smooth { Real2 sub, everywhere, Linear, [1.0 (real -1.0)] }
        "`x - y`";
    Mul "mul" (Real Real) -> Real, smooth { Real2 mul, everywhere, Bilinear, [y x] }
        "`x * y`";
    Div "div" (Real Real) -> Real, smooth { Real2 div, |v| v[1] != 0.0, LinearInFirst, [
            (Div 1.0 y)
            (Neg (Div r y))
        ] }
        "`x / y`";
    Pow "pow" (Real Real) -> Real, smooth { Real2 pow, power, Nonlinear, [
            (if (Eq y 0.0)
                (if (Eq x 0.0) zero (Mul y (Pow x (Sub y 1.0))))
                (Mul y (Pow x (Sub y 1.0))))
            (if (Eq x 0.0)
                (if (Ge y 0.0) zero (Mul r (Log x)))
                (Mul r (Log x)))
        ] }
        "`x ^ y`; at x = 0: `0^0 = 1`, d/dx is 0 for y = 0, 1 for y = 1, 0 for y > 1, +inf for 0 < y < 1, and d/dy is 0 for y >= 0.";
    Max "max" (Real Real) -> Real, smooth { Real2 max, no_tie, Nonlinear, [
            (if (Gt x y) 1.0 (if (Lt x y) zero (if (Eq x y) 0.5 nan)))
            (if (Gt x y) zero (if (Lt x y) 1.0 (if (Eq x y) 0.5 nan)))
        ] }
        "The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.";
    Min "min" (Real Real) -> Real, smooth { Real2 min, no_tie, Nonlinear, [
            (if (Lt x y) 1.0 (if (Gt x y) zero (if (Eq x y) 0.5 nan)))
            (if (Lt x y) zero (if (Gt x y) 1.0 (if (Eq x y) 0.5 nan)))
        ] }
        "The smaller; at a tie the common value and derivative ½ to each; NaN if either is.";
    Atan2 "atan2" (Real Real) -> Real, smooth { Real2 atan2, |v| v[0] != 0.0 || v[1] != 0.0, Nonlinear, [
            (Div (Div y (Hypot x y)) (Hypot x y))
            (Neg (Div (Div x (Hypot x y)) (Hypot x y)))
        ] }
        "The angle of the point with ordinate x and abscissa y; `atan2 0 0 = 0` with derivative NaN.";
    Hypot "hypot" (Real Real) -> Real, smooth { Real2 hypot, |v| v[0] != 0.0 || v[1] != 0.0, Nonlinear, [
            (if (Eq r 0.0) zero (Div x r))
            (if (Eq r 0.0) zero (Div y r))
        ] }
        "`sqrt (x^2 + y^2)` without overflow; at `hypot 0 0` the derivative is 0 (minimum-norm subgradient).";
    Xlogy "xlogy" (Real Real) -> Real, smooth { Real2 xlogy, |v| v[1] > 0.0, LinearInFirst, [
            (Log y)
            (if (Le y 0.0)
                (if (Eq x 0.0) zero (Mul x (Exp (Neg (Log y)))))
                (Div x y))
        ] }
        "`x * log y`, with 0 at x = 0 unless y is NaN.";
    Abs "abs" (Real) -> Real, smooth { Real1 abs, nonzero, Nonlinear, [(Signum x)] }
        "`|x|`; derivative 0 at 0.";
    Signum "signum" (Real) -> Real, smooth { Real1 signum, nonzero, Nonlinear, [zero] }
        "-1, 0 or 1; derivative 0.";
    Floor "floor" (Real) -> Real, smooth { Real1 floor, not_integer, Nonlinear, [zero] }
        "Largest integer not above x; derivative 0.";
    Ceil "ceil" (Real) -> Real, smooth { Real1 ceil, not_integer, Nonlinear, [zero] }
        "Smallest integer not below x; derivative 0.";
    Round "round" (Real) -> Real, smooth { Real1 round, not_half_integer, Nonlinear, [zero] }
        "Nearest integer, ties away from zero; derivative 0.";
    Sqrt "sqrt" (Real) -> Real, smooth { Real1 sqrt, positive, Nonlinear, [(Div 0.5 (Add r 0.0))] }
        "Square root; derivative +inf at 0; NaN below.";
    Cbrt "cbrt" (Real) -> Real, smooth { Real1 cbrt, nonzero, Nonlinear, [
            (Div (real 1.0 / 3.0) (Mul r r))
        ] }
        "Real cube root; derivative +inf at 0.";
    Exp "exp" (Real) -> Real, smooth { Real1 exp, everywhere, Nonlinear, [r] }
        "`e^x`";
    Expm1 "expm1" (Real) -> Real, smooth { Real1 expm1, everywhere, Nonlinear, [(Exp x)] }
        "`e^x - 1` without cancellation.";
    Log "log" (Real) -> Real, smooth { Real1 log, positive, Nonlinear, [
            (if (Gt x 0.0) (Div 1.0 x) (Exp (Neg r)))
        ] }
        "Natural logarithm; at 0 the value is -inf and the derivative +inf; NaN below.";
    Log1p "log1p" (Real) -> Real, smooth { Real1 log1p, |v| v[0] > -1.0, Nonlinear, [
            (if (Ge x (real -1.0)) (Div 1.0 (Add 1.0 x)) nan)
        ] }
        "`log (1 + x)` without cancellation; at -1 the value is -inf and the derivative +inf; NaN below.";
    Sin "sin" (Real) -> Real, smooth { Real1 sin, everywhere, Nonlinear, [(Cos x)] }
        "Sine.";
    Cos "cos" (Real) -> Real, smooth { Real1 cos, everywhere, Nonlinear, [(Neg (Sin x))] }
        "Cosine.";
    Tan "tan" (Real) -> Real, smooth { Real1 tan, everywhere, Nonlinear, [(Add 1.0 (Mul r r))] }
        "Tangent.";
    Asin "asin" (Real) -> Real, smooth { Real1 asin, inside_unit, Nonlinear, [
            (Div 1.0 (Sqrt (Mul (Sub 1.0 x) (Add 1.0 x))))
        ] }
        "Arc sine; derivative +inf at -1 and 1; NaN outside.";
    Acos "acos" (Real) -> Real, smooth { Real1 acos, inside_unit, Nonlinear, [
            (Div (real -1.0) (Sqrt (Mul (Sub 1.0 x) (Add 1.0 x))))
        ] }
        "Arc cosine; derivative -inf at -1 and 1; NaN outside.";
    Atan "atan" (Real) -> Real, smooth { Real1 atan, everywhere, Nonlinear, [
            (Div 1.0 (Add 1.0 (Mul x x)))
        ] }
        "Arc tangent.";
    Sinh "sinh" (Real) -> Real, smooth { Real1 sinh, everywhere, Nonlinear, [(Cosh x)] }
        "Hyperbolic sine.";
    Cosh "cosh" (Real) -> Real, smooth { Real1 cosh, everywhere, Nonlinear, [(Sinh x)] }
        "Hyperbolic cosine.";
    Tanh "tanh" (Real) -> Real, smooth { Real1 tanh, everywhere, Nonlinear, [(PowInt (Sech x) (int 2))] }
        "Hyperbolic tangent; its derivative keeps its precision in the tails, where `1 - r^2` would not.";
    Sech "sech" (Real) -> Real, smooth { Real1 sech, everywhere, Nonlinear, [(Neg (Mul r (Tanh x)))] }
        "`1 / cosh x`, bounded with all its derivatives.";
    Asinh "asinh" (Real) -> Real, smooth { Real1 asinh, everywhere, Nonlinear, [(Div 1.0 (Hypot 1.0 x))] }
        "Inverse hyperbolic sine.";
    Acosh "acosh" (Real) -> Real, smooth { Real1 acosh, |v| v[0] > 1.0, Nonlinear, [(Div 1.0 (Sinh r))] }
        "Inverse hyperbolic cosine; derivative +inf at 1; NaN below.";
    Atanh "atanh" (Real) -> Real, smooth { Real1 atanh, inside_unit, Nonlinear, [(PowInt (Cosh r) (int 2))] }
        "Inverse hyperbolic tangent; derivative +inf at -1 and 1; NaN outside.";
    Erf "erf" (Real) -> Real, smooth { Real1 erf, everywhere, Nonlinear, [
            (Mul (real TWO_OVER_SQRT_PI) (Exp (Neg (Mul x x))))
        ] }
        "The error function.";
    Erfc "erfc" (Real) -> Real, smooth { Real1 erfc, everywhere, Nonlinear, [
            (Mul (real -TWO_OVER_SQRT_PI) (Exp (Neg (Mul x x))))
        ] }
        "`1 - erf x` without cancellation.";
    Lgamma "lgamma" (Real) -> Real, smooth { Real1 lgamma, not_pole, Nonlinear, [(Digamma x)] }
        "The logarithm of |gamma x|; +inf with derivative NaN at 0, -1, -2, …";
    Digamma "digamma" (Real) -> Real, smooth { Real1 digamma, not_pole, Nonlinear, [(Polygamma (int 1) x)] }
        "The derivative of lgamma; NaN at 0, -1, -2, …";
    Sigmoid "sigmoid" (Real) -> Real, smooth { Real1 sigmoid, everywhere, Nonlinear, [(Mul r (Sigmoid (Neg x)))] }
        "`1 / (1 + exp (-x))`, accurate in both tails.";
    Softplus "softplus" (Real) -> Real, smooth { Real1 softplus, everywhere, Nonlinear, [(Sigmoid x)] }
        "`log (1 + exp x)` without overflow.";
    PowInt "pow_int" (Real Int) -> Real, smooth { RealInt pow_int, |v| v[0] != 0.0 || v[1] >= 0.0, Nonlinear, [
            (if (IntEq y (int 0)) zero (Mul (ToReal y) (PowInt x (IntSub y (int 1)))))
            _
        ] }
        "`x ^ n` as a repeated product; derivative `n * x^(n-1)`, which is 0 for n = 0.";
    Polygamma "polygamma" (Int Real) -> Real, smooth { IntReal polygamma, |v| not_pole(&v[1..]), Nonlinear, [
            _
            (Polygamma (IntAdd x (int 1)) y)
        ] }
        "The n-th derivative of digamma, n >= 0; NaN at 0, -1, -2, …";

    IntNeg "int_neg" (Int) -> Int, Discrete {} "`-n`";
    IntAdd "int_add" (Int Int) -> Int, Discrete {} "`m + n`";
    IntSub "int_sub" (Int Int) -> Int, Discrete {} "`m - n`";
    IntMul "int_mul" (Int Int) -> Int, Discrete {} "`m * n`";
    IntDiv "int_div" (Int Int) -> Int, Discrete {} "Floor of the quotient.";
    IntRem "int_rem" (Int Int) -> Int, Discrete {} "Remainder with the divisor's sign.";
    IntPow "int_pow" (Int Int) -> Int, Discrete {} "`m ^ n`, n >= 0.";
    IntMax "int_max" (Int Int) -> Int, Discrete {} "The larger.";
    IntMin "int_min" (Int Int) -> Int, Discrete {} "The smaller.";
    IntAbs "int_abs" (Int) -> Int, Discrete {} "`|n|`";
    IntSignum "int_signum" (Int) -> Int, Discrete {} "-1, 0 or 1.";

    Lt "lt" (Real Real) -> Bool, Discrete {} "`x < y`; false if either is NaN.";
    Le "le" (Real Real) -> Bool, Discrete {} "`x <= y`; false if either is NaN.";
    Gt "gt" (Real Real) -> Bool, Discrete {} "`x > y`; false if either is NaN.";
    Ge "ge" (Real Real) -> Bool, Discrete {} "`x >= y`; false if either is NaN.";
    Eq "eq" (Real Real) -> Bool, Discrete {} "`x == y`; false if either is NaN.";
    Ne "ne" (Real Real) -> Bool, Discrete {} "`x != y`, the negation of `==`.";
    IntLt "int_lt" (Int Int) -> Bool, Discrete {} "`m < n`";
    IntLe "int_le" (Int Int) -> Bool, Discrete {} "`m <= n`";
    IntGt "int_gt" (Int Int) -> Bool, Discrete {} "`m > n`";
    IntGe "int_ge" (Int Int) -> Bool, Discrete {} "`m >= n`";
    IntEq "int_eq" (Int Int) -> Bool, Discrete {} "`m == n`";
    IntNe "int_ne" (Int Int) -> Bool, Discrete {} "`m != n`";
    BoolEq "bool_eq" (Bool Bool) -> Bool, Discrete {} "Whether both are true or both false.";
    StrEq "str_eq" (Str Str) -> Bool, Discrete {} "Whether both are the same text.";
    Not "not" (Bool) -> Bool, Discrete {} "Negation.";
    IsNan "is_nan" (Real) -> Bool, Discrete {} "Whether x is not a number.";

    ToReal "real" (Int) -> Real, Discrete {} "The nearest Real; an Int carries no tangent.";
    ToInt "int" (Real) -> Int, Discrete {} "Towards zero; NaN and numbers out of range are errors.";

    Size "size" ([a]) -> Int, Discrete {} "How many elements.";
    Index "index" ([a] Int) -> a, Structural {} "An element; repeated indices add up their contributions.";
    Update "update" ([a] Int a) -> [a], Structural {} "The array with one element replaced.";
    Slice "slice" ([a] Int Int) -> [a], Structural {} "From the first index to before the second.";
    Concat "concat" ([a] [a]) -> [a], Structural {} "One array after the other.";
    Flatten "flatten" ([[a]]) -> [a], Structural {} "All inner arrays one after the other.";
    Sum "sum" ([Real]) -> Real, Sum {} "From left to right; `sum [] = 0`.";
    Argsort "argsort" ([Real]) -> [Int], Discrete {} "The indices in ascending order: stable, NaN last.";

    Dim "dim" ([..] Int) -> Int, Discrete {} "The size at a nesting depth; -1 where nothing is left to measure.";
    CheckSize "check_size" (Int Int Str) -> unit, Control {} "An error unless both sizes agree or the first is -1.";
    Fail "fail" (Str) -> a, Control {} "A run-time error with this message.";
}
