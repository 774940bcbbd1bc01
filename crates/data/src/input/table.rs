//! CSV: columns with names, as cells of text that a type gives a meaning to.
//!
//! Input: the text of a `.csv` file, whose first line names the columns, or is numbers like the others. Output: a
//! [`Table`], or the first line that is wrong. Every row has as many cells as the first. A cell knows its row,
//! so that a message can point at it. Spaces around a cell are no part of it, unless they are in quotes.

use std::rc::Rc;

use csv::{ErrorKind, ReaderBuilder, StringRecord};
use pullback_base::Limits;
use pullback_eval::memory::Charge;

use super::Stopped;
use super::separator::{cells, separator};
use super::spelling::{is_missing, number};

/// The columns of a file.
#[derive(Debug)]
pub struct Table {
    /// The names of the columns; empty ones where the file has none.
    names: Vec<String>,
    /// Whether the first line names the columns.
    has_names: bool,
    separator: char,
    /// Whether numbers have commas where others have points.
    has_decimal_commas: bool,
    /// All cells in order, row by row.
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<u32>,
    /// Where each row starts in the file.
    rows: Vec<u32>,
    /// The cells that are empty and stand in quotes: they are text, and not missing.
    empty_texts: Vec<u32>,
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
    /// What separates cells.
    pub separator: char,
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
    /// Reads a table. `is_headless` says that the first line names no columns; otherwise it shows.
    pub fn parse(
        text: &str,
        is_headless: bool,
        limits: &Limits,
    ) -> Result<Self, Stopped<CsvError>> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let separator = separator(&text[start..]);
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .delimiter(separator as u8)
            .from_reader(&text.as_bytes()[start..]);
        let mut table = Self {
            names: vec![],
            has_names: false,
            separator,
            has_decimal_commas: false,
            text: String::new(),
            ends: vec![],
            rows: vec![],
            empty_texts: vec![],
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
            let end = start + reader.position().byte() as usize;
            if count == 0 {
                let names = if is_headless { None } else { names(&record, separator, at)? };
                table.has_names = names.is_some();
                table.names = names.unwrap_or_else(|| vec![String::new(); record.len()]);
            }
            if count > 0 || !table.has_names {
                table.add_row(&record, at, &text[at..end]);
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
    /// Adds a row that starts at this byte of the file, where it is written so.
    fn add_row(&mut self, record: &StringRecord, at: usize, written: &str) {
        self.rows.push(at as u32);
        let needs_quotes = |cell: &str| cell.is_empty() || cell.trim().len() != cell.len();
        let quoted: Vec<bool> = if written.contains('"') && record.iter().any(needs_quotes) {
            cells(written, self.separator).map(|cell| cell.starts_with('"')).collect()
        } else {
            vec![]
        };
        for (column, cell) in record.iter().enumerate() {
            let is_quoted = quoted.get(column).copied().unwrap_or(false);
            if is_quoted && cell.is_empty() {
                self.empty_texts.push(self.ends.len() as u32);
            }
            let cell = if is_quoted { cell } else { cell.trim() };
            self.has_decimal_commas |=
                self.separator == ';' && cell.contains(',') && number(cell, true).is_some();
            self.text.push_str(cell);
            self.ends.push(self.text.len() as u32);
        }
    }
    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// Whether the first line names the columns.
    pub fn has_names(&self) -> bool {
        self.has_names
    }
    fn bytes(&self) -> usize {
        let counts = [self.ends.capacity(), self.rows.capacity(), self.empty_texts.capacity()];
        self.text.capacity() + 4 * counts.into_iter().sum::<usize>()
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
    /// Whether it is empty without quotes, so that there is nothing, or says that nothing is there.
    pub fn is_missing(&self, index: usize) -> bool {
        is_missing(self.get(index)) && !self.is_empty_text(index)
    }
    /// Whether it is an empty text, in quotes.
    pub fn is_empty_text(&self, index: usize) -> bool {
        let at = u32::try_from(self.index(index));
        at.is_ok_and(|at| self.table.empty_texts.binary_search(&at).is_ok())
    }
    /// Whether numbers of this table have commas where others have points.
    pub fn has_decimal_commas(&self) -> bool {
        self.table.has_decimal_commas
    }
    /// Where it is.
    pub fn place(&self, index: usize) -> Place {
        let (index, width) = (self.index(index), self.table.names.len());
        Place {
            row: self.table.rows[index / width] as usize,
            column: index % width,
            separator: self.table.separator,
        }
    }
    /// What to call its column.
    pub fn column_name(&self, index: usize) -> String {
        let column = self.place(index).column;
        let name = &self.table.names[column];
        if name.is_empty() { (column + 1).to_string() } else { format!("`{name}`") }
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
                '\n' | '\r' if !quoted => return start..at,
                c if !quoted && c == self.separator => {
                    if column == self.column {
                        return start..at;
                    }
                    (column, start) = (column + 1, at + 1);
                }
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
        return wrong(at, format!("this line has {cells}, the first line {expected_len}")).hint(
            "every line has a cell for each column; text with a separator in it stands in quotes",
        );
    }
    wrong(at, error.to_string())
}

/// The names in the first line, or none if it is numbers like the others.
fn names(
    record: &StringRecord,
    separator: char,
    at: usize,
) -> Result<Option<Vec<String>>, CsvError> {
    let names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
    let is_number = |name: &String| number(name, separator == ';').is_some();
    if names.iter().all(|name| is_number(name) || is_missing(name)) && names.iter().any(is_number) {
        let has_digits = |name: &String| name.contains(|c: char| c.is_ascii_digit());
        let counts = |from: usize| {
            names.iter().zip(from..).all(|(name, position)| *name == position.to_string())
        };
        return if names.iter().all(has_digits) && !counts(0) && !counts(1) {
            Ok(None)
        } else {
            Err(wrong(at, "this line may name the columns, or be the first of the numbers")
                .hint("say that no line names the columns by `--no-header`, or give them names that are no numbers"))
        };
    }
    for (position, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..position].contains(name) {
            return Err(wrong(at, format!("two columns have the name `{name}`"))
                .hint("give each column a name of its own; if this line names none, say so by `--no-header`"));
        }
    }
    Ok(Some(names))
}

#[cfg(test)]
mod tests {
    use super::super::no_limits;
    use super::*;

    fn error(text: &str) -> String {
        let Err(Stopped::Wrong(error)) = Table::parse(text, false, &no_limits()) else {
            panic!("a table: {text}")
        };
        format!("{} {}", error.at, error.title)
    }

    #[test]
    fn cells_keep_their_text_and_their_place() {
        let text = "\u{feff}a,b\r\n\r\n1 ,\"x, y\"\r\n\n3,\"\"\"\"\n";
        let table = Rc::new(Table::parse(text, false, &no_limits()).unwrap());
        assert_eq!(table.names(), ["a", "b"]);
        let cells = Cells { table, column: Some(1) };
        assert_eq!((cells.get(0), cells.get(1), cells.len()), ("x, y", "\"", 2));
        assert_eq!(&text[cells.place(0).range(text)], "\"x, y\"");
        assert_eq!(&text[cells.place(1).range(text)], "\"\"\"\"");
        assert_eq!(cells.column_name(1), "`b`");
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(error(""), "0 the file is empty");
        assert_eq!(error("\n\n"), "0 the file is empty");
        assert_eq!(error("a,b\n1,2\n\n3\n"), "9 this line has 1 cell, the first line 2");
        assert_eq!(error("a,a\n"), "0 two columns have the name `a`");
        let in_doubt = "0 this line may name the columns, or be the first of the numbers";
        for first in ["0,1,2", "1,2", "nan,inf", ",1", "NA,1.5", "0", "nan"] {
            assert_eq!(error(&format!("{first}\n{first}\n")), in_doubt);
        }
    }

    #[test]
    fn a_first_line_of_numbers_names_nothing() {
        for (text, height) in [("1.5,2\n3,4\n", 2), ("1,5;2\n", 1), ("-1\t1e3\n2\t3\n", 2)] {
            let table = Table::parse(text, false, &no_limits()).unwrap();
            assert_eq!((table.has_names(), table.height()), (false, height), "{text}");
        }
        for text in ["x,1990\n", ",a\n", "a;b\n", "x1\n"] {
            assert!(Table::parse(text, false, &no_limits()).unwrap().has_names(), "{text}");
            assert!(!Table::parse(text, true, &no_limits()).unwrap().has_names(), "{text}");
        }
    }

    #[test]
    fn quotes_keep_spaces_and_empty_texts() {
        let text = "a;b\n \"x\" ;\" y \"\n;\"\"\n";
        let table = Rc::new(Table::parse(text, false, &no_limits()).unwrap());
        let cells = table.cells(None);
        let texts: Vec<&str> = (0..cells.len()).map(|at| cells.get(at)).collect();
        assert_eq!(texts, ["\"x\"", " y ", "", ""]);
        assert_eq!((cells.is_missing(2), cells.is_missing(3)), (true, false));
        assert_eq!(&text[cells.place(1).range(text)], "\" y \"");
    }

    #[test]
    fn reading_stops_at_the_limits() {
        let text = format!("a\n{}", "1\n".repeat(100_000));
        let limits = Limits { max_memory: 1 << 10, ..no_limits() };
        assert!(matches!(Table::parse(&text, false, &limits), Err(Stopped::Exceeded(_))));
    }
}
