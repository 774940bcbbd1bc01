//! A cell of a table as a value of a type.
//!
//! Input: the text of a cell and the type wanted. Output: the value, or what does not fit. Reals may be
//! `nan` and `inf`; Bools are `true` and `false` in the case of any language; a constructor without fields
//! is its name. A cell with nothing in it is NaN as a Real, and `None` where the type is an `Option`.

use pullback_eval::Value;
use pullback_lambda::{Constructor, Program, Type, TypeKind};

use super::spelling::{int, number, truth};
use super::table::Cells;
use super::unfit::Unfit;
use crate::bug::bug;

/// The value of a cell.
pub fn value(program: &Program, cells: &Cells, index: usize, ty: &Type) -> Result<Value, Unfit> {
    let text = cells.get(index);
    let comma = cells.has_decimal_commas();
    let value = match ty.kind() {
        TypeKind::Real if cells.is_missing(index) => Some(Value::Real(f64::NAN)),
        TypeKind::Real => number(text, comma).map(Value::Real),
        TypeKind::Int => int(text, comma).map(Value::Int),
        TypeKind::Bool => truth(text).map(Value::Bool),
        TypeKind::Str => Some(Value::str(text)),
        TypeKind::Data(data) => {
            let constructors = &program.datas[*data].constructors;
            if let Some((none, some, inner)) = option(constructors) {
                let is_text = matches!(inner.kind(), TypeKind::Str);
                let is_missing = if is_text {
                    text.is_empty() && !cells.is_empty_text(index)
                } else {
                    cells.is_missing(index) || text == "None"
                };
                if is_missing {
                    return Ok(Value::data(none, vec![]));
                }
                return value(program, cells, index, inner)
                    .map(|inner| Value::data(some, vec![inner]));
            }
            let tag =
                constructors.iter().position(|con| con.name == *text && con.fields.is_empty());
            tag.map(|tag| Value::data(tag, vec![]))
        }
        TypeKind::Tuple(_) | TypeKind::Record(_) | TypeKind::Array(_) | TypeKind::Fun(..) => {
            bug("a cell is wanted as a single value")
        }
    };
    value.ok_or_else(|| unfit(program, cells, index, ty))
}

/// What does not fit about a cell.
fn unfit(program: &Program, cells: &Cells, index: usize, ty: &Type) -> Unfit {
    let text = cells.get(index);
    let found = if text.is_empty() { "empty".to_owned() } else { format!("`{}`", short(text)) };
    let wanted = program.show_type(ty);
    let is_number = matches!(ty.kind(), TypeKind::Real | TypeKind::Int);
    let hint = if cells.is_missing(index) {
        Some(format!("a column with cells that are missing has the type `Option {wanted}`"))
    } else if !is_number || number(text, true).is_none() && !text.contains('.') {
        None
    } else if cells.has_decimal_commas() {
        Some("numbers of this file have decimal commas, and so no points".to_owned())
    } else if text.contains(',') {
        Some(
            "numbers have points; decimal commas are read where `;` separates the columns"
                .to_owned(),
        )
    } else {
        None
    };
    let title = format!("the column {} does not fit its parameter", cells.column_name(index));
    let label = format!("this is {found}, not a value of `{wanted}`");
    Unfit { title, label, place: Some(cells.place(index)), hint }
}

/// The tags of `None` and `Some` and the type inside, if these are the constructors.
pub fn option(constructors: &[Constructor]) -> Option<(usize, usize, &Type)> {
    let [_, _] = constructors else { return None };
    let tag = |name: &str, fields: usize| {
        constructors.iter().position(|con| *con.name == *name && con.fields.len() == fields)
    };
    let (none, some) = (tag("None", 0)?, tag("Some", 1)?);
    Some((none, some, constructors[some].fields.first()?))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
