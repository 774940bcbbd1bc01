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
