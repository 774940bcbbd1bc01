//! Values as tables, in the form that `--input NAME=FILE` reads back.
//!
//! Input: a value and its type: a matrix, a vector, an array of records or tuples, or a record or tuple of vectors.
//! Output: the text of a `.csv` file, or why there is none. A line of names is in front, except of Reals in rows,
//! whose first line shows by itself that it names nothing. NaN and infinite Reals are words, the other Reals have
//! the digits that read back as the same; `None` is an empty cell, and an empty text stands in quotes.

use pullback_eval::Value;
use pullback_lambda::{Program, Type, TypeKind};

use super::reals::real_text;
use crate::bug::bug;
use crate::input::{dotted, option, parts};
use crate::value::{View, view};

/// What a table is made of.
enum Form<'t> {
    /// A vector or a matrix, of so many dimensions, of cells of a type.
    Cells(&'t Type, usize),
    /// An array of what has these columns.
    Rows(Vec<Column<'t>>),
    /// Columns side by side.
    Columns(Vec<Column<'t>>),
}

/// A column: its name, the way to it, and the type of its cells.
struct Column<'t> {
    name: String,
    path: Vec<usize>,
    ty: &'t Type,
}

/// Whether values of a type are tables.
pub fn is_table(program: &Program, ty: &Type) -> bool {
    form(program, ty).is_some()
}

/// The table of a value whose type is that of a table.
pub fn to_csv(program: &Program, value: &Value, ty: &Type) -> Result<String, String> {
    let Some(form) = form(program, ty) else {
        bug("what is written as a table has been found to be one")
    };
    let mut out = Writer { program, out: String::new() };
    match form {
        Form::Cells(ty, dimensions) => out.cells(value, ty, dimensions)?,
        Form::Rows(columns) => {
            out.header(columns.iter().map(|column| &*column.name));
            for row in elements(value) {
                out.line(columns.iter().map(|column| (part(&row, &column.path), column.ty)));
            }
        }
        Form::Columns(columns) => {
            out.header(columns.iter().map(|column| &*column.name));
            let values: Vec<Vec<Value>> =
                columns.iter().map(|column| elements(&part(value, &column.path))).collect();
            let height = values.first().map_or(0, Vec::len);
            if let Some(at) = values.iter().position(|column| column.len() != height) {
                let (first, other) = (&columns[0].name, &columns[at].name);
                let size = values[at].len();
                return Err(format!(
                    "the columns `{first}` and `{other}` have {height} and {size} elements"
                ));
            }
            for row in 0..height {
                let cells = values.iter().zip(&columns);
                out.line(cells.map(|(column, of)| (column[row].clone(), of.ty)));
            }
        }
    }
    Ok(out.out)
}

fn form<'t>(program: &Program, ty: &'t Type) -> Option<Form<'t>> {
    let cell = |ty: &'t Type| is_cell(program, ty).then_some(ty);
    let vector = |ty: &'t Type| ty.element().and_then(cell);
    let Some(element) = ty.element() else { return columns(ty, vector).map(Form::Columns) };
    if let Some(cell) = cell(element) {
        Some(Form::Cells(cell, 1))
    } else if let Some(cell) = vector(element) {
        Some(Form::Cells(cell, 2))
    } else {
        columns(element, cell).map(Form::Rows)
    }
}

/// The columns of a record or tuple. Components of a tuple are read back by their position alone, fields of records
/// by names, which are dotted inside each other.
fn columns<'t>(
    ty: &'t Type,
    cell: impl Fn(&'t Type) -> Option<&'t Type> + Copy,
) -> Option<Vec<Column<'t>>> {
    let parts = parts(ty)?;
    if let TypeKind::Tuple(_) = ty.kind() {
        let named = parts.iter().enumerate().map(|(at, (_, ty))| {
            cell(ty).map(|ty| Column { name: format!("column{at}"), path: vec![at], ty })
        });
        return named.collect();
    }
    let mut found = Vec::new();
    add_columns(ty, "", &[], &cell, &mut found)?;
    Some(found)
}

fn add_columns<'t>(
    ty: &'t Type,
    name: &str,
    path: &[usize],
    cell: &impl Fn(&'t Type) -> Option<&'t Type>,
    found: &mut Vec<Column<'t>>,
) -> Option<()> {
    if let Some(ty) = cell(ty) {
        found.push(Column { name: name.to_owned(), path: path.to_vec(), ty });
        return Some(());
    }
    for (at, (part, ty)) in parts(ty)?.into_iter().enumerate() {
        let path: Vec<usize> = path.iter().copied().chain([at]).collect();
        add_columns(ty, &dotted(name, &part), &path, cell, found)?;
    }
    Some(())
}

/// Whether values of a type are cells.
fn is_cell(program: &Program, ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => true,
        TypeKind::Data(data) => {
            let constructors = &program.datas[*data].constructors;
            match option(constructors) {
                Some((_, _, inner)) => {
                    is_cell(program, inner)
                        && !matches!(inner.kind(), TypeKind::Data(data) if option(&program.datas[*data].constructors).is_some())
                }
                None => constructors.iter().all(|constructor| constructor.fields.is_empty()),
            }
        }
        TypeKind::Tuple(_) | TypeKind::Record(_) | TypeKind::Array(_) | TypeKind::Fun(..) => false,
    }
}

fn elements(value: &Value) -> Vec<Value> {
    let View::Array(items) = view(value) else { bug("values fit their types") };
    items.iter().collect()
}

/// The part of a record or tuple at the end of a way.
fn part(value: &Value, path: &[usize]) -> Value {
    let mut value = value.clone();
    for at in path {
        let View::Tuple(items) = view(&value) else { bug("values fit their types") };
        value = items[*at].clone();
    }
    value
}

struct Writer<'p> {
    program: &'p Program,
    out: String,
}

impl Writer<'_> {
    fn header<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let names: Vec<&str> = names.collect();
        self.out.push_str(&names.join(","));
        self.out.push('\n');
    }
    fn line<'t>(&mut self, cells: impl Iterator<Item = (Value, &'t Type)>) {
        for (at, (value, ty)) in cells.enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            self.cell(&value, ty);
        }
        self.out.push('\n');
    }
    /// The rows of a matrix, or the elements of a vector.
    fn cells(&mut self, value: &Value, ty: &Type, dimensions: usize) -> Result<(), String> {
        let View::Array(rows) = view(value) else { bug("values fit their types") };
        let width = match (dimensions, rows.get(0)) {
            (1, _) => 1,
            (_, Some(first)) => elements(&first).len(),
            (_, None) => rows.row_sizes().first().copied().unwrap_or(0),
        };
        if width == 0 {
            return Err("its rows have no elements".to_owned());
        }
        let row = |row: Value| if dimensions == 1 { vec![row] } else { elements(&row) };
        let shows_no_names = rows.get(0).is_some_and(|first| {
            row(first).iter().all(|cell| matches!(view(cell), View::Real(x) if x.is_finite()))
        });
        if !shows_no_names {
            let names: Vec<String> = match dimensions {
                1 => vec!["value".to_owned()],
                _ => (0..width).map(|at| format!("column{at}")).collect(),
            };
            self.header(names.iter().map(String::as_str));
        }
        for item in rows.iter() {
            self.line(row(item).into_iter().map(|cell| (cell, ty)));
        }
        Ok(())
    }
    fn cell(&mut self, value: &Value, ty: &Type) {
        match view(value) {
            View::Real(real) => self.out.push_str(&real_text(real)),
            View::Int(int) => self.out.push_str(&int.to_string()),
            View::Bool(truth) => self.out.push_str(if truth { "true" } else { "false" }),
            View::Str(text) => self.text(text),
            View::Data(tag, fields) => {
                let TypeKind::Data(data) = ty.kind() else { bug("values fit their types") };
                let constructors = &self.program.datas[*data].constructors;
                match (option(constructors), fields) {
                    (Some((_, _, inner)), [field]) => self.cell(field, inner),
                    (Some(_), _) => {}
                    (None, _) => self.out.push_str(&constructors[tag].name),
                }
            }
            View::Tuple(_) | View::Array(_) | View::Fun => bug("values fit their types"),
        }
    }
    /// A text, in quotes where it would be read as something else.
    fn text(&mut self, text: &str) {
        let is_plain = !text.is_empty()
            && text.trim() == text
            && !text.contains(['"', ',', ';', '\t', '\n', '\r', '\u{feff}']);
        if is_plain {
            self.out.push_str(text);
        } else {
            self.out.push('"');
            self.out.push_str(&text.replace('"', "\"\""));
            self.out.push('"');
        }
    }
}
