//! Arrays of numbers and of other short values as rows, in columns that are aligned at the decimal points.
//!
//! Input: an array of such values or of rows of them, and the room there is. Output: lines that fit into it. What is
//! left out in the middle is counted or marked by `…`.

use pullback_eval::{Array, Value};

use super::reals::rounded_text;
use crate::value::{View, view};

/// The most lines of an array of numbers, and of a matrix, before their middle is left out.
const LINES: usize = 8;
const ROWS: usize = 20;

/// What stands for columns that are left out.
const GAP: &str = "…, ";

/// How much of an array is shown.
#[derive(Clone, Copy)]
pub struct Room {
    /// How many columns of the page there are.
    pub width: usize,
    /// Whether nothing may be left out.
    pub full: bool,
    /// How many digits the elements have.
    pub digits: Option<usize>,
}

/// A value as two texts, which meet where values below each other are aligned.
struct Cell {
    head: String,
    tail: String,
}

/// The widths of the two parts of the cells of a column.
#[derive(Clone, Copy, Default)]
struct Column {
    head: usize,
    tail: usize,
}

impl Cell {
    fn new(value: &Value, digits: Option<usize>) -> Self {
        let (text, at) = match view(value) {
            View::Real(real) => {
                let text = rounded_text(real, digits);
                let at = text.find(['.', 'e']).unwrap_or(text.len());
                (text, at)
            }
            View::Int(int) => {
                let text = int.to_string();
                let at = text.len();
                (text, at)
            }
            View::Bool(truth) => (truth.to_string(), 0),
            View::Str(_) | View::Fun | View::Array(_) | View::Tuple(_) | View::Data(..) => {
                crate::bug::bug("the cells of a grid are numbers and truth values")
            }
        };
        let tail = text[at..].to_owned();
        Self { head: text[..at].to_owned(), tail }
    }
}

impl Column {
    fn holding(self, cell: &Cell) -> Self {
        Self { head: self.head.max(cell.head.len()), tail: self.tail.max(cell.tail.len()) }
    }
    fn width(self) -> usize {
        self.head + self.tail
    }
    /// A cell with the comma that follows it, unless it is the last one.
    fn push(self, cell: &Cell, last: bool, line: &mut String) {
        let comma = if last { "" } else { ", " };
        let (head, pad) = (self.head, self.tail - cell.tail.len());
        line.push_str(&format!("{:>head$}{}{comma}{:pad$}", cell.head, cell.tail, ""));
    }
}

/// What is kept of so many, and of how many there are more in the middle.
pub fn kept(count: usize, most: usize, full: bool) -> (Vec<usize>, usize) {
    if full || count <= most {
        return ((0..count).collect(), 0);
    }
    let end = most / 2;
    ((0..end).chain(count - end..count).collect(), count - 2 * end)
}

/// The line for what is left out.
pub fn more(count: usize) -> String {
    format!(" … {count} more")
}

/// An array of numbers that does not fit into a line, as lines.
pub fn vector(array: &Array, room: Room) -> Vec<String> {
    let inner = room.width.saturating_sub(2);
    // No cell takes less than three columns with its comma, so these fill the lines that may be shown.
    let (sample, _) = kept(array.len(), 2 * LINES * (inner / 3 + 1), room.full);
    let cells: Vec<Cell> = sample.iter().map(|at| Cell::new(&array.at(*at), room.digits)).collect();
    let column = cells.iter().fold(Column::default(), Column::holding);
    let per_line = ((inner + 2) / (column.width() + 2)).max(1);
    let count = array.len().div_ceil(per_line);
    let (lines, left_out) = kept(count, LINES, room.full);
    let mut text = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        if left_out > 0 && position == LINES / 2 {
            text.push(more(left_out * per_line));
        }
        let mut out = String::from(if position == 0 { "[" } else { " " });
        let from = line * per_line;
        for at in from..array.len().min(from + per_line) {
            let last = at + 1 == array.len();
            let sampled = if at < sample.len() && sample[at] == at {
                at
            } else {
                cells.len() - (array.len() - at)
            };
            column.push(&cells[sampled], last, &mut out);
        }
        text.push(out.trim_end().to_owned());
    }
    close(&mut text);
    text
}

fn close(text: &mut [String]) {
    if let Some(last) = text.last_mut() {
        last.push(']');
    }
}

/// A matrix of numbers as rows; nothing if a whole row is wanted and does not fit into a line.
pub fn matrix(rows: &Array, room: Room) -> Option<Vec<String>> {
    let inner = room.width.saturating_sub(4);
    let columns = rows.dim(1);
    let (kept_rows, rows_left_out) = kept(rows.len(), ROWS, room.full);
    let (sample, sampled_out) = kept(columns, 2 * (inner / 3 + 1), room.full);
    let mut cells = Vec::new();
    for row in &kept_rows {
        let row = rows.at(*row);
        let row = row.as_array()?;
        let line: Vec<Cell> =
            sample.iter().map(|at| Cell::new(&row.at(*at), room.digits)).collect();
        cells.push(line);
    }
    let widths: Vec<Column> = (0..sample.len())
        .map(|at| cells.iter().map(|line| &line[at]).fold(Column::default(), Column::holding))
        .collect();
    let (from_left, from_right) = fitting(&widths, inner, sampled_out > 0);
    let is_cut = from_left + from_right < columns;
    if is_cut && room.full {
        return None;
    }
    let mut text = Vec::new();
    for (position, line) in cells.iter().enumerate() {
        if rows_left_out > 0 && position == ROWS / 2 {
            text.push(more(rows_left_out));
        }
        let mut out = String::from(if position == 0 { "[[" } else { " [" });
        for at in (0..from_left).chain(widths.len() - from_right..widths.len()) {
            if is_cut && at == widths.len() - from_right {
                out.push_str(GAP);
            }
            widths[at].push(&line[at], at + 1 == widths.len(), &mut out);
        }
        if is_cut && from_right == 0 {
            out.push('…');
        }
        out.push_str(if position + 1 == cells.len() { "]" } else { "]," });
        text.push(out);
    }
    close(&mut text);
    Some(text)
}

/// How many of the first and of the last columns fit into so much room. All do, or some are left out in the middle.
fn fitting(widths: &[Column], room: usize, is_cut: bool) -> (usize, usize) {
    let with_comma = |column: &Column| column.width() + 2;
    let total: usize = widths.iter().map(with_comma).sum();
    if !is_cut && total <= room + 2 {
        return (widths.len(), 0);
    }
    // The last column has no comma, which makes up for the two columns that the mark takes beside its own.
    let (mut left, mut right, mut taken) = (1, 0, with_comma(&widths[0]) + 1);
    while left + right < widths.len() {
        let from_left = left <= right;
        let next = if from_left { left } else { widths.len() - 1 - right };
        taken += with_comma(&widths[next]);
        if taken > room {
            break;
        }
        if from_left { left += 1 } else { right += 1 }
    }
    (left, right)
}
