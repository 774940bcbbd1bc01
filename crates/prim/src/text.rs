//! Values as text: as the language writes numbers and Strings, for whoever prints a value and for the primitives
//! that make a String of one.

/// A Real: the fewest digits that read back as the same number.
pub fn real_text(real: f64) -> String {
    if real.is_nan() {
        "nan".to_owned()
    } else if real.is_infinite() {
        if real > 0.0 { "inf" } else { "-inf" }.to_owned()
    } else {
        format!("{real:?}")
    }
}

/// The number that a text says, as the language writes numbers, with a sign or without; NaN where it says none. Spaces
/// are no part of numbers, nor are digits of which no Real has so many before the point.
pub fn read_real(text: &str) -> f64 {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = if matches!(unsigned, "inf" | "Infinity") {
        true
    } else {
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_exponent = |text: &str| {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            !digits.is_empty() && are_digits(digits)
        };
        are_digits(whole)
            && are_digits(fraction)
            && !(whole.is_empty() && fraction.is_empty())
            && exponent.is_none_or(is_exponent)
    };
    let number = text.parse().ok().filter(|_| is_number);
    number.filter(|x: &f64| x.is_finite() || unsigned.starts_with(['i', 'I'])).unwrap_or(f64::NAN)
}

/// A String in quotation marks.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of a value as an argument: in parentheses if it is a number with a sign, or a constructor with fields.
pub fn enclosed(text: &str) -> String {
    let is_signed = text.starts_with('-');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || !c.is_ascii());
    let is_applied = is_name && text.contains(' ');
    if is_signed || is_applied { format!("({text})") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for x in [0.0, -0.0, 1.5, -2e-308, 5e-324, 1.797_693_134_862_315_7e308, 1e22, f64::INFINITY]
        {
            assert_eq!(read_real(&real_text(x)).to_bits(), x.to_bits());
        }
        assert_eq!((read_real("+1.5"), read_real(".5"), read_real("2.")), (1.5, 0.5, 2.0));
        assert_eq!((read_real("1E3"), read_real("1e+3"), read_real("1e-400")), (1e3, 1e3, 0.0));
        for text in [
            "", " 1", "1 ", "1,5", "0x10", "1e", "e5", ".", "+", "--1", "1e999", "infinity",
            "nan(1)", "1_000", "١",
        ] {
            assert!(read_real(text).is_nan(), "{text}");
        }
    }
}
