//! How numbers, truth values and what is missing are spelled in the cells of tables.
//!
//! Input: the text of a cell. Output: the number or truth value, `None` where the text is none.

/// Whether a cell says that nothing is there, as tables of R and of Python do.
pub fn is_missing(text: &str) -> bool {
    matches!(text, "" | "NA" | "N/A" | "n/a" | "#N/A" | "<NA>" | "null" | "NULL")
}

/// A number that is infinite or NaN only if it says so; `comma` says that it may have one for a point.
pub fn number(text: &str, comma: bool) -> Option<f64> {
    if comma {
        return if text.contains('.') { None } else { real(&text.replace(',', ".")) };
    }
    real(text)
}

/// A number that is infinite or NaN only if it says so.
fn real(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() || !text.contains(|c: char| c.is_ascii_digit())).then_some(number)
}

/// An integer, which may be written with a fraction of zeros.
pub fn int(text: &str, comma: bool) -> Option<i64> {
    let point = if comma { ',' } else { '.' };
    let (whole, fraction) = text.split_once(point).unwrap_or((text, ""));
    whole.parse().ok().filter(|_| fraction.bytes().all(|digit| digit == b'0'))
}

/// A truth value, in the case of any language.
pub fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_they_are() {
        assert_eq!(real("-1.5e3"), Some(-1500.0));
        assert_eq!(real("inf"), Some(f64::INFINITY));
        assert!(real("NaN").is_some_and(f64::is_nan));
        assert_eq!((real("1e999"), real(""), real("1,5"), real("NA")), (None, None, None, None));
        let int = |text| super::int(text, false);
        assert_eq!((int("3.0"), int("-7"), int("3.5"), int("")), (Some(3), Some(-7), None, None));
        assert_eq!((number("1,5", true), number("1.5", true)), (Some(1.5), None));
        assert_eq!((number("1.234,5", true), number("1,234,5", true)), (None, None));
        assert_eq!(super::int("3,0", true), Some(3));
        assert_eq!((truth("True"), truth("1")), (Some(true), None));
    }
}
