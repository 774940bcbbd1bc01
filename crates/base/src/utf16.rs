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
}

impl<'t> Lines<'t> {
    /// Of this text.
    pub fn of(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }
    /// The position of an offset in bytes.
    pub fn position(&self, offset: usize) -> Utf16 {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let before = &self.text[self.starts[line]..offset];
        Utf16 { line: narrow(line), column: narrow(before.encode_utf16().count()) }
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

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Lines, Utf16};

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
