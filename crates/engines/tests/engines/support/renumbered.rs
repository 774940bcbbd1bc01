//! Printed definitions up to the numbers of their names.

use std::collections::BTreeMap;

/// A text with its names `x.17` numbered by their first use: `x.#0`. Literals and projections stay.
pub fn renumbered(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_'{}".contains(c);
    let (mut out, mut numbers) = (String::new(), BTreeMap::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match rest.strip_prefix('`').and_then(|quoted| quoted.find('`')) {
            Some(closed) => closed + 2,
            None => rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8()),
        };
        let (name, tail) = rest.split_at(end);
        out.push_str(name);
        rest = tail;
        let digits = rest.strip_prefix('.').unwrap_or_default();
        let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
        if (first.is_alphabetic() || first == '`') && !digits.is_empty() {
            let fresh = numbers.len();
            let number = numbers.entry(format!("{name}.{digits}")).or_insert(fresh);
            out.push_str(&format!(".#{number}"));
            rest = &rest[1 + digits.len()..];
        }
    }
    out
}

#[test]
fn numbers_of_names_alone_are_renumbered() {
    assert_eq!(
        renumbered("let x.7 = add x.3.0 2.5 in @D{f}.9 x.7 `Bar (Real)`.4"),
        "let x.#0 = add x.#1.0 2.5 in @D{f}.#2 x.#0 `Bar (Real)`.#3"
    );
}
