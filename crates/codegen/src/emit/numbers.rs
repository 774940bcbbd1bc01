//! Constants as C: Reals in hexadecimal, which C reads back to the same bits, and Ints with the width of the IR.
//!
//! Input: a number. Output: an expression of C in parentheses or of one token. All NaNs are one.
//!
//! ```text
//! 1.0     (0x1.0000000000000p+0)          -9223372036854775808   INT64_MIN
//! ```

/// A Real, exact, in parentheses.
pub(super) fn real(x: f64) -> String {
    if x.is_nan() {
        return "((double)NAN)".to_owned();
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    if x.is_infinite() {
        return format!("({sign}(double)INFINITY)");
    }
    let bits = x.to_bits();
    let (exponent, fraction) = (((bits >> 52) & 0x7ff) as i64, bits & ((1 << 52) - 1));
    if exponent == 0 && fraction == 0 {
        return format!("({sign}0x0p+0)");
    }
    let (lead, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent - 1023) };
    format!("({sign}0x{lead}.{fraction:013x}p{exponent:+})")
}

/// An Int, in parentheses.
pub(super) fn int(n: i64) -> String {
    // C has no literal of the smallest one.
    if n == i64::MIN { "INT64_MIN".to_owned() } else { format!("INT64_C({n})") }
}

#[cfg(test)]
mod tests {
    use super::{int, real};

    #[test]
    fn numbers_are_written_exactly() {
        let texts = [0.0, -0.0, 1.0, -2.5, 5e-324, f64::MAX, f64::NEG_INFINITY].map(real);
        let expected = [
            "(0x0p+0)",
            "(-0x0p+0)",
            "(0x1.0000000000000p+0)",
            "(-0x1.4000000000000p+1)",
            "(0x0.0000000000001p-1022)",
            "(0x1.fffffffffffffp+1023)",
            "(-(double)INFINITY)",
        ];
        assert_eq!(texts, expected);
        assert_eq!([7, -7, i64::MIN].map(int), ["INT64_C(7)", "INT64_C(-7)", "INT64_MIN"]);
    }
}
