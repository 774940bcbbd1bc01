//! Positions as editors count them: lines and columns from 0, the columns in units of UTF-16.
//!
//! Input: a text. Output: [`Lines`], which turns an offset in bytes into a position and back. An offset inside a
//! character stands for its beginning. A position beyond the end of its line stands for that end.

/// A position as editors count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utf16 {
    /// Line, from 0.
    pub line: u32,
    /// Column in units of UTF-16, from 0.
    pub column: u32,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// Of each block of bytes, where its first character begins and how many units stand before it. None where every
    /// character is one byte and one unit.
    marks: Vec<(usize, usize)>,
}

/// How many bytes are counted anew for a column: a line may be as long as a file.
const BLOCK: usize = 256;

impl<'t> Lines<'t> {
    /// Of this text.
    pub fn of(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { text, starts, marks: if text.is_ascii() { vec![] } else { marks(text) } }
    }
    /// The position of an offset in bytes.
    pub fn position(&self, offset: usize) -> Utf16 {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.units(offset) - self.units(self.starts[line]);
        Utf16 { line: narrow(line), column: narrow(column) }
    }
    /// How many units stand before the character at an offset.
    fn units(&self, offset: usize) -> usize {
        let before = self.marks.partition_point(|(at, _)| *at <= offset);
        let Some((at, units)) = before.checked_sub(1).map(|index| self.marks[index]) else {
            return offset;
        };
        units + self.text[at..offset].encode_utf16().count()
    }
    /// The offset in bytes of a position.
    pub fn offset(&self, position: Utf16) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, letter) in text.char_indices() {
            column += letter.len_utf16();
            if column > position.column as usize {
                return start + at;
            }
        }
        start + text.len()
    }
}

fn marks(text: &str) -> Vec<(usize, usize)> {
    let mut marks = vec![];
    let mut units = 0;
    for (at, letter) in text.char_indices() {
        if at >= BLOCK * marks.len() {
            marks.push((at, units));
        }
        units += letter.len_utf16();
    }
    marks
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Lines, Utf16};

    #[test]
    fn columns_of_a_long_line_are_those_of_its_units() {
        for letters in ["a", "a𝛼", "β\n", "𝛼"] {
            let text = letters.repeat(700);
            let lines = Lines::of(&text);
            for (offset, _) in text.char_indices() {
                let line = text[..offset].matches('\n').count();
                let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
                let found = lines.position(offset);
                let column = text[start..offset].encode_utf16().count();
                assert_eq!((found.line as usize, found.column as usize), (line, column));
            }
        }
    }

    #[test]
    fn columns_are_units_of_utf16() {
        let text = "a𝛼b\r\nβ\n";
        let lines = Lines::of(text);
        let places =
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (6, 0, 4), (8, 1, 0), (10, 1, 1), (11, 2, 0)];
        for (offset, line, column) in places {
            assert_eq!(lines.position(offset), Utf16 { line, column }, "at {offset}");
            assert_eq!(lines.offset(Utf16 { line, column }), offset, "{line}:{column}");
        }
        assert_eq!(lines.offset(Utf16 { line: 0, column: 2 }), 1, "inside a character");
        assert_eq!(lines.offset(Utf16 { line: 0, column: 99 }), 6, "behind the line");
        assert_eq!(lines.offset(Utf16 { line: 9, column: 0 }), text.len());
    }
}
