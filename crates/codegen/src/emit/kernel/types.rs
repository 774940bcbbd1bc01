//! C types of the numbers in a kernel: `double`, `int64_t` and `_Bool` in one lane, `pb_v` (Reals) and `pb_w` (Ints and
//! masks) in all.
//!
//! ```text
//! x.4: f64      double where all lanes share it, else pb_v
//! p.5: bool     _Bool where all lanes share it, else pb_w
//! ```
//!
//! Input: what a variable holds, and whether it differs between lanes. Output: its C type, and the text of a sum of two
//! such numbers.

use pullback_base::bug;
use pullback_ir::Elem;

/// A sum of numbers of a C type, in one lane or all.
pub(super) fn sum_of(ty: &str, a: &str, b: &str) -> String {
    match ty {
        "pb_v" | "pb_w" => format!("PB_OP({a}, +, {b})"),
        _ => format!("({a} + {b})"),
    }
}

/// The C type of numbers, in one lane or all.
pub(super) fn c_type(elem: Elem, is_varying: bool) -> &'static str {
    match (elem, is_varying) {
        (Elem::Real, true) => "pb_v",
        (Elem::Real, false) => "double",
        (Elem::Int | Elem::Bool, true) => "pb_w",
        (Elem::Int, false) => "int64_t",
        (Elem::Bool, false) => "_Bool",
        (Elem::Str | Elem::Unit | Elem::Data(_), _) => bug("codegen", "a number"),
    }
}
