//! Values of Pullback as Knossos shows them: six significant digits, 1 and 0 for truth values.
//!
//! Input: the text of a value on one line, as Pullback prints it. Output: the same value as `print` shows it.

/// A value as Knossos shows it.
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let (value, length) = string(rest);
            out.push_str(&value);
            rest = &rest[length..];
        } else if c.is_alphanumeric() || c == '-' || c == '_' {
            let is_part = |c: char| c.is_alphanumeric() || "+-._".contains(c);
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            word(&rest[..length], &mut out);
            rest = &rest[length..];
        } else {
            // Tuples are joined by commas without parentheses and spaces; a constructor is not shown.
            match c {
                '(' | ')' => {}
                ' ' if out.ends_with(',') => out.push(' '),
                ' ' => {}
                _ => out.push(c),
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn word(word: &str, out: &mut String) {
    match word {
        "true" => out.push('1'),
        "false" => out.push('0'),
        "inf" | "-inf" => out.push_str(word),
        "nan" | "NaN" => out.push_str("nan"),
        _ if word.starts_with(|c: char| c.is_ascii_uppercase()) => {}
        _ if word.contains(['.', 'e']) => match word.parse::<f64>() {
            Ok(value) => out.push_str(&six_digits(value)),
            Err(_) => out.push_str(word),
        },
        _ => out.push_str(word),
    }
}

/// A text in quotes, and how long it is with them.
pub fn string(text: &str) -> (String, usize) {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, at + 1),
            '\\' => match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, '0')) => value.push('\0'),
                Some((start, 'u')) => {
                    let digits = text[start + 1..].trim_start_matches('{');
                    let code = digits.split('}').next().unwrap_or_default();
                    let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                    value.extend(code);
                    for (_, c) in chars.by_ref() {
                        if c == '}' {
                            break;
                        }
                    }
                }
                Some((_, other)) => value.push(other),
                None => {}
            },
            _ => value.push(c),
        }
    }
    (value, text.len())
}

/// A number as C prints it by `%g`.
pub fn six_digits(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value == 0.0 || value.is_infinite() {
        return format!("{value}");
    }
    let text = format!("{value:.5e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{value:.*}", usize::try_from(5 - exponent).unwrap_or(0)));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        for (value, text) in [
            (1.0, "1"),
            (-2.5, "-2.5"),
            (1e6, "1e+06"),
            (123456.7, "123457"),
            (1e-5, "1e-05"),
            (0.000123456789, "0.000123457"),
            (f64::INFINITY, "inf"),
            (1e300, "1e+300"),
            (-0.0, "-0"),
            (999999.5, "1e+06"),
        ] {
            assert_eq!(six_digits(value), text);
        }
    }

    #[test]
    fn values_lose_parentheses_and_constructors() {
        assert_eq!(
            shown("(1.5, [Vec [true, false], Vec []], \"a\\nb\")"),
            "1.5, [[1, 0], []], a\nb"
        );
    }
}
