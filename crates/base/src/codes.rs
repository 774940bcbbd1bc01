//! The one table of diagnostic codes. Each has a page `docs/errors/CODE.md`, which is itself a test.
//!
//! `E01` syntax, `E02` names and modules, `E03` types, `E04` sizes, `E05` patterns, `E06`
//! differentiation, `E07` run time, `E08` arguments, input files and usage, `W` warnings.

/// Every code with its general title, in order.
#[rustfmt::skip]
pub const CODES: &[(&str, &str)] = &[
    // --- E01: syntax

    // --- E02: names and modules

    // --- E03: types

    // --- E04: sizes

    // --- E05: patterns

    // --- E06: differentiation

    // --- E07: run time

    // --- E08: arguments, input files, usage

    // --- W: warnings

];

/// The general title of a code.
pub fn title_of(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, title)| *title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
