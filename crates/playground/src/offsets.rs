//! Offsets in a text, from bytes to units of UTF-16 and back.

use std::ops::Range;

/// The offsets of a text. One inside a character stands for its beginning, one beyond the end for the end.
pub(crate) struct Offsets {
    /// The offset in units of UTF-16 of each byte, and of the end.
    units: Vec<usize>,
}

impl Offsets {
    pub fn of(text: &str) -> Self {
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut unit = 0;
        for letter in text.chars() {
            units.extend(std::iter::repeat_n(unit, letter.len_utf8()));
            unit += letter.len_utf16();
        }
        units.push(unit);
        Self { units }
    }
    /// The offset of a byte.
    pub fn unit(&self, byte: usize) -> usize {
        self.units[byte.min(self.units.len() - 1)]
    }
    /// Where bytes begin and end.
    pub fn units(&self, bytes: &Range<usize>) -> (usize, usize) {
        (self.unit(bytes.start), self.unit(bytes.end))
    }
    /// The byte at an offset.
    pub fn byte(&self, unit: usize) -> usize {
        let after = self.units.partition_point(|known| *known <= unit);
        let at = after.saturating_sub(1);
        self.units.partition_point(|known| *known < self.units[at])
    }
}

#[cfg(test)]
mod tests {
    use super::Offsets;

    #[test]
    fn offsets_go_to_units_and_back() {
        let offsets = Offsets::of("a𝛼b");
        for (byte, unit) in [(0, 0), (1, 1), (5, 3), (6, 4)] {
            assert_eq!(offsets.unit(byte), unit);
            assert_eq!(offsets.byte(unit), byte);
        }
        assert_eq!(offsets.unit(3), 1, "inside a character");
        assert_eq!(offsets.byte(2), 1, "inside a character");
        assert_eq!(offsets.byte(99), 6, "beyond the end");
    }
}
