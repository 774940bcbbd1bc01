//! What separates the cells of a table: commas, semicolons or tabs.
//!
//! Input: the text of a table. Output: the separator that gives its first lines equally many cells. Marks in
//! quotes separate nothing.

use super::spelling::number;

/// What may separate cells, in the order in which it is tried.
const MARKS: [char; 3] = ['\t', ';', ','];

/// How many lines are looked at.
const LINES: usize = 8;

/// The separator of a table.
pub fn separator(text: &str) -> char {
    let lines = first_lines(text);
    let Some(first) = lines.first() else { return ',' };
    let count = |line: &&str, mark: char| cells(line, mark).count();
    let is_regular = |mark: char| {
        count(first, mark) > 1 && lines.iter().all(|line| count(line, mark) == count(first, mark))
    };
    let regular: Vec<char> = MARKS.into_iter().filter(|mark| is_regular(*mark)).collect();
    match regular.as_slice() {
        // Decimal commas separate nothing, and commas may stand in the cells of text.
        [';', ','] if !lines.last().is_some_and(|line| is_numbers(line)) => ',',
        [mark, ..] => *mark,
        // The first line decides where lines differ, so that these are told.
        [] => [',', ';', '\t'].into_iter().find(|mark| count(first, *mark) > 1).unwrap_or(','),
    }
}

/// Whether a line has numbers between semicolons, with decimal commas.
fn is_numbers(line: &str) -> bool {
    cells(line, ';').all(|cell| cell.trim().is_empty() || number(cell.trim(), true).is_some())
}

/// The lines at the start that are not blank; a line break in quotes ends none.
fn first_lines(text: &str) -> Vec<&str> {
    let (mut lines, mut start, mut quoted, mut before) = (Vec::new(), 0, false, '\n');
    for (at, c) in text.char_indices() {
        match c {
            '"' if quoted || MARKS.contains(&before) || matches!(before, '\n' | '\r') => {
                quoted = !quoted;
            }
            '\n' | '\r' if !quoted => {
                lines.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        before = c;
        if lines.len() > 2 * LINES {
            break;
        }
    }
    if lines.len() <= 2 * LINES && !quoted {
        lines.push(&text[start..]);
    }
    lines.retain(|line| !line.trim_matches(['\r', ' ']).is_empty());
    lines.truncate(LINES);
    lines
}

/// The cells of a line, quotes and spaces included.
pub fn cells(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut quoted, mut end) = (false, None);
        for (at, c) in text.char_indices() {
            match c {
                // Inside a cell that does not start with one, a quote is a character like others.
                '"' if quoted || at == 0 => quoted = !quoted,
                c if c == separator && !quoted => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        rest = end.map(|at| &text[at + separator.len_utf8()..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_gives_lines_equally_many_cells() {
        assert_eq!(separator("a,b\n1,2\n"), ',');
        assert_eq!(separator("a;b\r\n1,5;2\r\n"), ';');
        assert_eq!(separator("a\tb\n1\t2\n"), '\t');
        assert_eq!(separator("1,5;2,5\n3,5;4,5\n"), ';');
        assert_eq!(separator("width (cm; raw),length\n1,2\n"), ',');
        assert_eq!(separator("id,tags a;b\n1,x;y\n"), ',');
        assert_eq!(separator("\"a;b\",c\n1,2\n"), ',');
        assert_eq!(separator("\"a\n;;b\";c\n1,5;2\n"), ';');
        assert_eq!(separator("x\n1\n"), ',');
        assert_eq!(separator(""), ',');
        assert_eq!(separator("a;b\n1;2\n3\n"), ';');
    }

    #[test]
    fn marks_in_quotes_separate_nothing() {
        let parts: Vec<&str> = cells("a,\"b,c\",d\"e,", ',').collect();
        assert_eq!(parts, ["a", "\"b,c\"", "d\"e", ""]);
    }
}
