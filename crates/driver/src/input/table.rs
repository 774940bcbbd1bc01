//! CSV: columns with names, as cells of text that a type gives a meaning to.
//!
//! Input: the text of a `.csv` file, whose first line names the columns. Output: a [`Table`], or the first
//! line that is wrong. Every row has a cell for each name. A cell knows its row, so that a message can
//! point at it.

use std::rc::Rc;

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use pullback_eval::memory::Charge;

use super::Stopped;
use crate::limits::Limits;

/// The columns of a file.
#[derive(Debug)]
pub struct Table {
    names: Vec<String>,
    /// All cells in order, row by row.
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<u32>,
    /// Where each row starts in the file.
    rows: Vec<u32>,
    /// The memory of all these.
    held: Charge,
}

/// Cells of a table: a column, or all of them row by row.
#[derive(Clone, Debug)]
pub struct Cells {
    table: Rc<Table>,
    column: Option<usize>,
}

/// Where a cell is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where its row starts.
    pub row: usize,
    /// Which cell of the row it is.
    pub column: usize,
}

/// Why a text is no table.
#[derive(Debug, PartialEq, Eq)]
pub struct CsvError {
    /// The line's first byte.
    pub at: usize,
    /// What is wrong there.
    pub title: String,
    /// What to do, where that is clear.
    pub hint: Option<String>,
}

impl From<CsvError> for Stopped<CsvError> {
    fn from(wrong: CsvError) -> Self {
        Self::Wrong(wrong)
    }
}

/// How many rows are read between two looks at the limits.
const TICK: usize = 1 << 12;

impl Table {
    /// Reads a table.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, Stopped<CsvError>> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .trim(Trim::All)
            .from_reader(&text.as_bytes()[start..]);
        let mut table = Self {
            names: vec![],
            text: String::new(),
            ends: vec![],
            rows: vec![],
            held: Charge::default(),
        };
        let mut record = StringRecord::new();
        let mut count = 0_usize;
        loop {
            let at = start + reader.position().byte() as usize;
            let at = at + blank(&text[at..]);
            let more = reader.read_record(&mut record);
            if !more.map_err(|error| unequal(&error, at))? {
                break;
            }
            if count == 0 {
                table.names = names(&record, at)?;
            } else {
                table.rows.push(at as u32);
                for cell in &record {
                    table.text.push_str(cell);
                    table.ends.push(table.text.len() as u32);
                }
            }
            count += 1;
            if count.is_multiple_of(TICK) {
                // Storage that is full doubles.
                limits.check(table.bytes())?;
                table.held.set(table.bytes());
            }
        }
        if count == 0 {
            return Err(wrong(0, "the file is empty")
                .hint("the first line names the columns")
                .into());
        }
        table.held.set(table.bytes());
        Ok(table)
    }
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    fn bytes(&self) -> usize {
        self.text.capacity() + 4 * (self.ends.capacity() + self.rows.capacity())
    }
    /// How many rows there are.
    pub fn height(&self) -> usize {
        self.rows.len()
    }
    /// The cells of a column, or all row by row.
    pub fn cells(self: &Rc<Self>, column: Option<usize>) -> Cells {
        Cells { table: Rc::clone(self), column }
    }
}

impl Cells {
    /// How many there are.
    pub fn len(&self) -> usize {
        if self.column.is_some() { self.table.rows.len() } else { self.table.ends.len() }
    }
    /// One of them.
    pub fn get(&self, index: usize) -> &str {
        let index = self.index(index);
        let table = &self.table;
        let start = index.checked_sub(1).map_or(0, |before| table.ends[before] as usize);
        &table.text[start..table.ends[index] as usize]
    }
    /// Where it is.
    pub fn place(&self, index: usize) -> Place {
        let (index, width) = (self.index(index), self.table.names.len());
        Place { row: self.table.rows[index / width] as usize, column: index % width }
    }
    /// The name of its column.
    pub fn column_name(&self, index: usize) -> &str {
        &self.table.names[self.place(index).column]
    }
    fn index(&self, index: usize) -> usize {
        match self.column {
            Some(column) => index * self.table.names.len() + column,
            None => index,
        }
    }
}

impl Place {
    /// The bytes of the cell in the file.
    pub fn range(self, text: &str) -> std::ops::Range<usize> {
        let (mut column, mut quoted, mut start) = (0, false, self.row);
        for (offset, c) in text[self.row..].char_indices() {
            let at = self.row + offset;
            match c {
                // Inside a cell that does not start with one, a quote is a character like others.
                '"' if quoted || at == start => quoted = !quoted,
                ',' | '\n' | '\r' if !quoted && column == self.column => return start..at,
                ',' if !quoted => (column, start) = (column + 1, at + 1),
                _ => {}
            }
        }
        start..text.len()
    }
}

impl CsvError {
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

fn wrong(at: usize, title: impl Into<String>) -> CsvError {
    CsvError { at, title: title.into(), hint: None }
}

/// How many bytes of empty lines there are.
fn blank(text: &str) -> usize {
    text.len() - text.trim_start_matches(['\r', '\n']).len()
}

fn unequal(error: &csv::Error, at: usize) -> CsvError {
    if let ErrorKind::UnequalLengths { expected_len, len, .. } = error.kind() {
        let cells = if *len == 1 { "1 cell".to_owned() } else { format!("{len} cells") };
        return wrong(at, format!("this line has {cells}, the first line names {expected_len}"))
            .hint("every line has a cell for each column; text with a comma stands in quotes");
    }
    wrong(at, error.to_string())
}

/// The names in the first line.
fn names(record: &StringRecord, at: usize) -> Result<Vec<String>, CsvError> {
    let names: Vec<String> = record.iter().map(str::to_owned).collect();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(wrong(at, "this line is all numbers, and names no columns")
            .hint("put a line with the names of the columns in front"));
    }
    for (position, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..position].contains(name) {
            return Err(wrong(at, format!("two columns have the name `{name}`"))
                .hint("give each column a name of its own"));
        }
    }
    if let [only] = names.as_slice()
        && let Some(separator) = [';', '\t'].into_iter().find(|mark| only.contains(*mark))
    {
        return Err(wrong(
            at,
            format!("the columns are separated by `{}`", separator.escape_debug()),
        )
        .hint("a CSV file has commas between its columns, and points in its numbers"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::super::no_limits;
    use super::*;

    fn error(text: &str) -> String {
        let Err(Stopped::Wrong(error)) = Table::parse(text, &no_limits()) else {
            panic!("a table: {text}")
        };
        format!("{} {}", error.at, error.title)
    }

    #[test]
    fn cells_keep_their_text_and_their_place() {
        let text = "\u{feff}a,b\r\n\r\n1 ,\"x, y\"\r\n\n3,\"\"\"\"\n";
        let table = Rc::new(Table::parse(text, &no_limits()).unwrap());
        assert_eq!(table.names(), ["a", "b"]);
        let cells = Cells { table, column: Some(1) };
        assert_eq!((cells.get(0), cells.get(1), cells.len()), ("x, y", "\"", 2));
        assert_eq!(&text[cells.place(0).range(text)], "\"x, y\"");
        assert_eq!(&text[cells.place(1).range(text)], "\"\"\"\"");
        assert_eq!(cells.column_name(1), "b");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(error(""), "0 the file is empty");
        assert_eq!(error("\n\n"), "0 the file is empty");
        assert_eq!(error("a,b\n1,2\n\n3\n"), "9 this line has 1 cell, the first line names 2");
        assert_eq!(error("1,2\n3,4\n"), "0 this line is all numbers, and names no columns");
        assert_eq!(error("a,a\n"), "0 two columns have the name `a`");
        assert_eq!(error("a;b\n1;2\n"), "0 the columns are separated by `;`");
    }

    #[test]
    fn reading_stops_at_the_limits() {
        let text = format!("a\n{}", "1\n".repeat(100_000));
        let limits = Limits { max_memory: 1 << 10, ..no_limits() };
        assert!(matches!(Table::parse(&text, &limits), Err(Stopped::Exceeded(_))));
    }
}
