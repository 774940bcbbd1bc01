//! The evaluator's elementary functions as a table of C function pointers, for code that is to have the evaluator's
//! bits: other libraries round in their own way.
//!
//! Input: none. Output: [`Functions::ALL`], which the loader writes into the code. Invariant: order and types are those
//! of `pb_maths` in `runtime/strict.c`.

use pullback_prim::values;

/// As `pb_maths` in `runtime/strict.c`.
#[repr(C)]
pub(crate) struct Functions {
    of_one: [extern "C" fn(f64) -> f64; 20],
    of_two: [extern "C" fn(f64, f64) -> f64; 3],
}

/// These functions as C calls them.
macro_rules! functions {
    ($($one:ident)*; $($two:ident)*) => {
        $(extern "C" fn $one(x: f64) -> f64 {
            values::$one(x)
        })*
        $(extern "C" fn $two(x: f64, y: f64) -> f64 {
            values::$two(x, y)
        })*
        impl Functions {
            /// The functions of the primitive table.
            pub(crate) const ALL: Self = Self { of_one: [$($one),*], of_two: [$($two),*] };
        }
    };
}

functions! {
    exp expm1 log log1p cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc lgamma;
    pow atan2 hypot
}
