//! **The primitive table**: one row each with name, type, class, value, smooth domain, linearity and
//! partial derivatives, or how it moves values. It is the only place with derivative rules.
//!
//! Partials are written as S-expressions over the primitives: `x` and `y` are the first and second
//! argument, `r` the result, `nan` and plain literals constants, `zero` the structural zero, `_` stands
//! for an Int parameter. Before them is where the row is smooth, one open set for all arguments together: comparisons of
//! such terms, `all` and `any`. So `x % y` is smooth off the multiples of y and where there is a remainder; `x ^ y` is
//! smooth for positive bases, since beside others y has no neighbours that give a number; the angle of a point jumps from
//! -pi to pi. Partials are finite wherever the derivative is and the arguments are not extreme,
//! give the one-sided limit at the edge of a domain and NaN outside, and stay right when they are
//! differentiated again; so a branch that is constant in an argument is used only where all further
//! derivatives agree or the table of conventions leaves no better choice.
//! Adding `0.0` turns a zero of either sign into the positive one, as the one-sided limits need.
//! The number after the name is the weight of a primitive in counts of operations. What several partials
//! of a row have in common stands once more after `sharing`, so that it is computed once. After `fails` a row
//! has the cases in which the primitive gives a run-time error; without it the primitive always has a value.

use crate::moves::{Move, Place};
use crate::row::{
    Beside, Class, Domain, Failure, Linearity, Prim, PrimTy, RealFn, Row, Smooth, Term,
};
use crate::straight::Straightened;
use crate::values;

/// `2 / sqrt pi`
const TWO_OVER_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;
const THIRD: f64 = 1.0 / 3.0;

/// The numbers of the table that binary64 rounds, with what they stand for: in a proof the true number takes their
/// place.
pub const ROUNDED: &[(f64, &str)] = &[(TWO_OVER_SQRT_PI, "TwoOverSqrtPi"), (THIRD, "Third")];

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

macro_rules! domain {
    (everywhere) => {
        Domain::Everywhere
    };
    ((all $one:tt $other:tt)) => {
        Domain::All(&domain!($one), &domain!($other))
    };
    ((any $one:tt $other:tt)) => {
        Domain::Any(&domain!($one), &domain!($other))
    };
    (($comparison:ident $x:tt $y:tt)) => {
        Domain::Is(Prim::$comparison, term!($x), term!($y))
    };
}

macro_rules! class {
    (smooth { $kind:ident $value:ident, $domain:tt, $linearity:ident, [$($partial:tt)*] $(sharing [$($shared:tt)*])? }) => {
        Class::Smooth(Smooth {
            value: RealFn::$kind(values::$value),
            domain: domain!($domain),
            linearity: Linearity::$linearity,
            partials: &[$(partial!($partial)),*],
            shared: &[$($(term!($shared)),*)?],
            straight: Straightened::new(),
        })
    };
    (moves { $kind:ident, $($operand:ident $place:expr),* }) => {
        Class::Structural(Move::$kind { $($operand: $place),* })
    };
    ($class:ident {}) => { Class::$class };
}

macro_rules! table {
    ($($prim:ident $name:literal $weight:literal ($($param:tt)*) -> $result:tt, $class:ident $body:tt $(fails [$($case:ident)*])? $doc:literal;)*) => {
        impl Prim {
            /// All primitives, in the order of the table.
            pub const ALL: &'static [Prim] = &[$(Prim::$prim),*];

            /// Its row of the table.
            pub fn row(self) -> &'static Row {
                match self {
                    $(Prim::$prim => {
                        static ROW: Row = Row {
                            name: $name,
                            weight: $weight,
                            params: &[$(ty!($param)),*],
                            result: ty!($result),
                            class: class!($class $body),
                            fails: &[$($(Failure::$case),*)?],
                            doc: $doc,
                        };
                        &ROW
                    })*
                    Prim::Beside(Beside(row)) => row,
                }
            }
        }
    };
}

table! {
    Neg "neg" 1 (Real) -> Real, smooth { Real1 neg, everywhere, Linear, [(real -1.0)] }
        "`-x`";
    Add "add" 1 (Real Real) -> Real, smooth { Real2 add, everywhere, Linear, [1.0 1.0] }
        "`x + y`";
    Sub "sub" 1 (Real Real) -> Real, smooth { Real2 sub, everywhere, Linear, [1.0 (real -1.0)] }
        "`x - y`";
    Mul "mul" 1 (Real Real) -> Real, smooth { Real2 mul, everywhere, Bilinear, [y x] }
        "`x * y`";
    Div "div" 4 (Real Real) -> Real, smooth { Real2 div, (Ne y 0.0), LinearInFirst, [
            (Div 1.0 y)
            (Neg (Mul r (Div 1.0 y)))
        ] sharing [(Div 1.0 y)] }
        "`x / y`";
    Rem "rem" 7 (Real Real) -> Real, smooth { Real2 rem, (all (Ne (Rem x y) 0.0) (any (Eq (Rem x y) (Rem x y)) (any (Ne x x) (Ne y y)))), Nonlinear, [
            1.0
            (Round (Div (Sub r x) y))
        ] }
        "`x % y`, the remainder with the divisor's sign: exact, and rounded once where the signs differ; NaN for y = 0 and infinite x. It jumps at multiples of y; d/dx is 1 everywhere, d/dy the negated whole quotient.";
    Pow "pow" 16 (Real Real) -> Real, smooth { Real2 pow, (Gt x 0.0), Nonlinear, [
            (if (Eq y 0.0)
                (if (Eq x 0.0) zero (Mul y (Pow x (Sub y 1.0))))
                (Mul y (Pow x (Sub y 1.0))))
            (if (Eq x 0.0)
                (if (Ge y 0.0) zero (Mul r (Log x)))
                (Mul r (Log x)))
        ] }
        "`x ^ y`; at x = 0: `0^0 = 1`, d/dx is 0 for y = 0, 1 for y = 1, 0 for y > 1, +inf for 0 < y < 1, and d/dy is 0 for y >= 0.";
    Max "max" 2 (Real Real) -> Real, smooth { Real2 max, (Ne x y), Nonlinear, [
            (if (Eq x y) 0.5 (if (Gt x y) 1.0 (if (Lt x y) zero nan)))
            (if (Eq x y) 0.5 (if (Gt x y) zero (if (Lt x y) 1.0 nan)))
        ] sharing [(Eq x y) (Gt x y) (Lt x y)] }
        "The larger; at a tie the common value (`max (-0.0) 0.0 = 0.0`) and derivative ½ to each; NaN if either is.";
    Min "min" 2 (Real Real) -> Real, smooth { Real2 min, (Ne x y), Nonlinear, [
            (if (Eq x y) 0.5 (if (Lt x y) 1.0 (if (Gt x y) zero nan)))
            (if (Eq x y) 0.5 (if (Lt x y) zero (if (Gt x y) 1.0 nan)))
        ] sharing [(Eq x y) (Lt x y) (Gt x y)] }
        "The smaller; at a tie the common value and derivative ½ to each; NaN if either is.";
    Atan2 "atan2" 12 (Real Real) -> Real, smooth { Real2 atan2, (any (Ne x 0.0) (Gt y 0.0)), Nonlinear, [
            (Mul (Mul y (Div 1.0 (Hypot x y))) (Div 1.0 (Hypot x y)))
            (Neg (Mul (Mul x (Div 1.0 (Hypot x y))) (Div 1.0 (Hypot x y))))
        ] sharing [(Div 1.0 (Hypot x y))] }
        "The angle of the point with ordinate x and abscissa y; `atan2 0 0 = 0` with derivative NaN.";
    Hypot "hypot" 8 (Real Real) -> Real, smooth { Real2 hypot, (any (Ne x 0.0) (Ne y 0.0)), Nonlinear, [
            (if (Eq r 0.0) zero (Div x r))
            (if (Eq r 0.0) zero (Div y r))
        ] sharing [(Eq r 0.0)] }
        "`sqrt (x^2 + y^2)` without overflow; at `hypot 0 0` the derivative is 0 (minimum-norm subgradient).";
    Xlogy "xlogy" 9 (Real Real) -> Real, smooth { Real2 xlogy, (Gt y 0.0), LinearInFirst, [
            (Log y)
            (if (Le y 0.0)
                (if (Eq x 0.0) zero (Mul x (Exp (Neg (Log y)))))
                (Div x y))
        ] }
        "`x * log y`, with 0 at x = 0 unless y is NaN.";
    Abs "abs" 1 (Real) -> Real, smooth { Real1 abs, (Ne x 0.0), Nonlinear, [(Signum x)] }
        "`|x|`; derivative 0 at 0.";
    Signum "signum" 1 (Real) -> Real, smooth { Real1 signum, (Ne x 0.0), Nonlinear, [zero] }
        "-1, 0 or 1; derivative 0.";
    Floor "floor" 1 (Real) -> Real, smooth { Real1 floor, (Ne x (Floor x)), Nonlinear, [zero] }
        "Largest integer not above x; derivative 0.";
    Ceil "ceil" 1 (Real) -> Real, smooth { Real1 ceil, (Ne x (Floor x)), Nonlinear, [zero] }
        "Smallest integer not below x; derivative 0.";
    Round "round" 1 (Real) -> Real, smooth { Real1 round, (Ne (Add (Abs x) 0.5) (Floor (Add (Abs x) 0.5))), Nonlinear, [zero] }
        "Nearest integer, ties away from zero; derivative 0.";
    Sqrt "sqrt" 4 (Real) -> Real, smooth { Real1 sqrt, (Gt x 0.0), Nonlinear, [(Div 0.5 (Add r 0.0))] }
        "Square root; derivative +inf at 0; NaN below.";
    Cbrt "cbrt" 8 (Real) -> Real, smooth { Real1 cbrt, (Ne x 0.0), Nonlinear, [
            (Div (real THIRD) (Mul r r))
        ] }
        "Real cube root; derivative +inf at 0.";
    Exp "exp" 8 (Real) -> Real, smooth { Real1 exp, everywhere, Nonlinear, [r] }
        "`e^x`";
    Expm1 "expm1" 8 (Real) -> Real, smooth { Real1 expm1, everywhere, Nonlinear, [(Exp x)] }
        "`e^x - 1` without cancellation.";
    Log "log" 8 (Real) -> Real, smooth { Real1 log, (Gt x 0.0), Nonlinear, [
            (if (Gt x 0.0) (Div 1.0 x) (Exp (Neg r)))
        ] }
        "Natural logarithm; at 0 the value is -inf and the derivative +inf; NaN below.";
    Log1p "log1p" 8 (Real) -> Real, smooth { Real1 log1p, (Gt x (real -1.0)), Nonlinear, [
            (if (Ge x (real -1.0)) (Div 1.0 (Add 1.0 x)) nan)
        ] }
        "`log (1 + x)` without cancellation; at -1 the value is -inf and the derivative +inf; NaN below.";
    Sin "sin" 8 (Real) -> Real, smooth { Real1 sin, everywhere, Nonlinear, [(Cos x)] }
        "Sine.";
    Cos "cos" 8 (Real) -> Real, smooth { Real1 cos, everywhere, Nonlinear, [(Neg (Sin x))] }
        "Cosine.";
    Tan "tan" 8 (Real) -> Real, smooth { Real1 tan, (Ne (Cos x) 0.0), Nonlinear, [(Add 1.0 (Mul r r))] }
        "Tangent.";
    Asin "asin" 8 (Real) -> Real, smooth { Real1 asin, (Lt (Abs x) 1.0), Nonlinear, [
            (Div 1.0 (Sqrt (Mul (Sub 1.0 x) (Add 1.0 x))))
        ] }
        "Arc sine; derivative +inf at -1 and 1; NaN outside.";
    Acos "acos" 8 (Real) -> Real, smooth { Real1 acos, (Lt (Abs x) 1.0), Nonlinear, [
            (Div (real -1.0) (Sqrt (Mul (Sub 1.0 x) (Add 1.0 x))))
        ] }
        "Arc cosine; derivative -inf at -1 and 1; NaN outside.";
    Atan "atan" 8 (Real) -> Real, smooth { Real1 atan, everywhere, Nonlinear, [
            (Div 1.0 (Add 1.0 (Mul x x)))
        ] }
        "Arc tangent.";
    Sinh "sinh" 8 (Real) -> Real, smooth { Real1 sinh, everywhere, Nonlinear, [(Cosh x)] }
        "Hyperbolic sine.";
    Cosh "cosh" 8 (Real) -> Real, smooth { Real1 cosh, everywhere, Nonlinear, [(Sinh x)] }
        "Hyperbolic cosine.";
    Tanh "tanh" 8 (Real) -> Real, smooth { Real1 tanh, everywhere, Nonlinear, [(Sech2 x)] }
        "Hyperbolic tangent; its derivative keeps its precision in the tails, where `1 - r^2` would not.";
    Sech2 "sech2" 8 (Real) -> Real, smooth { Real1 sech2, everywhere, Nonlinear, [
            (Mul (real -2.0) (Mul r (Tanh x)))
        ] }
        "`1 / cosh x ^ 2`, the derivative of `tanh`, bounded with all its derivatives.";
    Asinh "asinh" 8 (Real) -> Real, smooth { Real1 asinh, everywhere, Nonlinear, [(Div 1.0 (Hypot 1.0 x))] }
        "Inverse hyperbolic sine.";
    Acosh "acosh" 8 (Real) -> Real, smooth { Real1 acosh, (Gt x 1.0), Nonlinear, [(Div 1.0 (Sinh r))] }
        "Inverse hyperbolic cosine; derivative +inf at 1; NaN below.";
    Atanh "atanh" 8 (Real) -> Real, smooth { Real1 atanh, (Lt (Abs x) 1.0), Nonlinear, [(PowInt (Cosh r) (int 2))] }
        "Inverse hyperbolic tangent; derivative +inf at -1 and 1; NaN outside.";
    Erf "erf" 8 (Real) -> Real, smooth { Real1 erf, everywhere, Nonlinear, [
            (Mul (real TWO_OVER_SQRT_PI) (Exp (Neg (Mul x x))))
        ] }
        "The error function.";
    Erfc "erfc" 8 (Real) -> Real, smooth { Real1 erfc, everywhere, Nonlinear, [
            (Mul (real -TWO_OVER_SQRT_PI) (Exp (Neg (Mul x x))))
        ] }
        "`1 - erf x` without cancellation.";
    Lgamma "lgamma" 8 (Real) -> Real, smooth { Real1 lgamma, (any (Gt x 0.0) (Ne x (Floor x))), Nonlinear, [(Digamma x)] }
        "The logarithm of |gamma x|; +inf with derivative NaN at 0, -1, -2, …";
    Digamma "digamma" 8 (Real) -> Real, smooth { Real1 digamma, (any (Gt x 0.0) (Ne x (Floor x))), Nonlinear, [(Polygamma (int 1) x)] }
        "The derivative of lgamma; NaN at 0, -1, -2, …";
    Sigmoid "sigmoid" 8 (Real) -> Real, smooth { Real1 sigmoid, everywhere, Nonlinear, [(Mul r (Sigmoid (Neg x)))] }
        "`1 / (1 + exp (-x))`, accurate in both tails.";
    Softplus "softplus" 8 (Real) -> Real, smooth { Real1 softplus, everywhere, Nonlinear, [(Sigmoid x)] }
        "`log (1 + exp x)` without overflow.";
    PowInt "pow_int" 4 (Real Int) -> Real, smooth { RealInt pow_int, (any (Ne x 0.0) (Ge y 0.0)), Nonlinear, [
            (if (IntEq y (int 0)) zero (PowSlope x y))
            _
        ] }
        "`x ^ n` as a repeated product; derivative `n * x^(n-1)`, which is 0 for n = 0.";
    PowSlope "pow_slope" 5 (Real Int) -> Real, smooth { RealInt pow_slope, (any (Ne x 0.0) (Ge y 0.0)), Nonlinear, [
            (if (IntEq y (int 0)) zero (Mul (ToReal y) (PowSlope x (IntSub y (int 1)))))
            _
        ] }
        "`n * x^(n-1)`, and 0 for n = 0: the derivative of `x ^ n`.";
    Polygamma "polygamma" 8 (Int Real) -> Real, smooth { IntReal polygamma, (any (Gt y 0.0) (Ne y (Floor y))), Nonlinear, [
            _
            (Polygamma (IntAdd x (int 1)) y)
        ] }
        "The n-th derivative of digamma, n >= 0; NaN at 0, -1, -2, …";

    IntNeg "int_neg" 1 (Int) -> Int, Discrete {} fails [Overflow] "`-n`";
    IntAdd "int_add" 1 (Int Int) -> Int, Discrete {} fails [Overflow] "`m + n`";
    IntSub "int_sub" 1 (Int Int) -> Int, Discrete {} fails [Overflow] "`m - n`";
    IntMul "int_mul" 1 (Int Int) -> Int, Discrete {} fails [Overflow] "`m * n`";
    IntDiv "int_div" 1 (Int Int) -> Int, Discrete {} fails [Overflow DivisionByZero] "Floor of the quotient.";
    IntRem "int_rem" 1 (Int Int) -> Int, Discrete {} fails [DivisionByZero] "Remainder with the divisor's sign.";
    IntPow "int_pow" 1 (Int Int) -> Int, Discrete {} fails [Overflow NegativeExponent] "`m ^ n`, n >= 0.";
    IntMax "int_max" 1 (Int Int) -> Int, Discrete {} "The larger.";
    IntMin "int_min" 1 (Int Int) -> Int, Discrete {} "The smaller.";
    IntAbs "int_abs" 1 (Int) -> Int, Discrete {} fails [Overflow] "`|n|`";
    IntSignum "int_signum" 1 (Int) -> Int, Discrete {} "-1, 0 or 1.";

    Lt "lt" 1 (Real Real) -> Bool, Discrete {} "`x < y`; false if either is NaN.";
    Le "le" 1 (Real Real) -> Bool, Discrete {} "`x <= y`; false if either is NaN.";
    Gt "gt" 1 (Real Real) -> Bool, Discrete {} "`x > y`; false if either is NaN.";
    Ge "ge" 1 (Real Real) -> Bool, Discrete {} "`x >= y`; false if either is NaN.";
    Eq "eq" 1 (Real Real) -> Bool, Discrete {} "`x == y`; false if either is NaN.";
    Ne "ne" 1 (Real Real) -> Bool, Discrete {} "`x != y`, the negation of `==`.";
    IntLt "int_lt" 1 (Int Int) -> Bool, Discrete {} "`m < n`";
    IntLe "int_le" 1 (Int Int) -> Bool, Discrete {} "`m <= n`";
    IntGt "int_gt" 1 (Int Int) -> Bool, Discrete {} "`m > n`";
    IntGe "int_ge" 1 (Int Int) -> Bool, Discrete {} "`m >= n`";
    IntEq "int_eq" 1 (Int Int) -> Bool, Discrete {} "`m == n`";
    IntNe "int_ne" 1 (Int Int) -> Bool, Discrete {} "`m != n`";
    BoolEq "bool_eq" 1 (Bool Bool) -> Bool, Discrete {} "Whether both are true or both false.";
    StrEq "str_eq" 1 (Str Str) -> Bool, Discrete {} "Whether both are the same text.";
    Not "not" 1 (Bool) -> Bool, Discrete {} "Negation.";
    IsNan "is_nan" 1 (Real) -> Bool, Discrete {} "Whether x is not a number.";

    ShowReal "show_real" 8 (Real) -> Str, Discrete {} "As the language writes it, with the fewest digits that read back as x.";
    ShowInt "show_int" 4 (Int) -> Str, Discrete {} "As the language writes it.";
    Quote "quote" 4 (Str) -> Str, Discrete {} "The text in quotation marks, as the language writes it.";
    Enclose "enclose" 4 (Str) -> Str, Discrete {} "The text of a value as an argument: in parentheses where it needs them.";
    StrJoin "str_join" 4 (Str Str) -> Str, Discrete {} "One text after the other.";
    ReadReal "read_real" 8 (Str) -> Real, Discrete {} "The number that the text says; NaN where it says none.";
    Tell "tell" 0 (Str) -> unit, Tell {} "Tells a line to whoever runs the program.";

    ToReal "real" 1 (Int) -> Real, Discrete {} "The nearest Real; an Int carries no tangent.";
    ToInt "int" 1 (Real) -> Int, Discrete {} fails [NotAnInt] "Towards zero; NaN and numbers out of range are errors.";

    Size "size" 0 ([a]) -> Int, Discrete {} "How many elements.";
    Index "index" 0 ([a] Int) -> a, moves { Pick, array 0, index Place::Arg(1) } fails [OutOfRange] "An element; repeated indices add up their contributions.";
    Update "update" 0 ([a] Int a) -> [a], moves { Put, array 0, index Place::Arg(1), element 2 } fails [OutOfRange] "The array with one element replaced.";
    Slice "slice" 0 ([a] Int Int) -> [a], moves { Cut, array 0, from Place::Arg(1), to Place::Arg(2) } fails [OutOfRange] "From the first index to before the second.";
    Concat "concat" 0 ([a] [a]) -> [a], moves { Join, first 0, second 1 } "One array after the other.";
    Flatten "flatten" 0 ([[a]]) -> [a], moves { Unnest, rows 0 } "All inner arrays one after the other.";
    Sum "sum" 1 ([Real]) -> Real, moves { Total, array 0 } "From left to right; `sum [] = 0`.";
    Argsort "argsort" 0 ([Real]) -> [Int], Discrete {} "The indices in ascending order: stable, NaN last.";

    Sized "sized" 0 ([a] Int Int) -> [a], moves { Keep, array 0 } "The same array; where rows at this nesting depth are absent, this is their size.";
    Dim "dim" 0 ([..] Int) -> Int, Discrete {} "The size at a nesting depth, also of absent rows.";
    CheckSize "check_size" 0 ([..] Int Int Str) -> unit, Control {} fails [SizeMismatch] "An error unless the rows at a nesting depth, if there are any, have this size.";
    Fail "fail" 0 (Str) -> a, Fail {} fails [Always] "A run-time error with this message.";
    OutOfFuel "out_of_fuel" 0 (Str) -> a, Fail {} fails [Always] "A function of this name has no fuel left.";
    EngineLimit "engine_limit" 0 (Str) -> a, Fail {} fails [Always] "The engine does not cover what the program does.";
    OtherShape "other_shape" 0 (Str) -> a, Fail {} fails [Always] "A cotangent has another shape than its value.";
    Broken "broken" 0 (Str) -> a, Fail {} fails [Always] "An assumption of a translation does not hold: a bug.";
}
