//! A cell of a table as a value of a type.
//!
//! Input: the text of a cell and the type wanted. Output: the value, or what does not fit. Reals may be
//! `nan` and `inf`; Bools are `true` and `false` in the case of any language; a constructor without fields
//! is its name.

use pullback_eval::Value;
use pullback_lambda::{Program, Type, TypeKind};

use super::table::Cells;
use super::unfit::Unfit;
use crate::session::bug;

/// The value of a cell.
pub fn value(program: &Program, cells: &Cells, index: usize, ty: &Type) -> Result<Value, Unfit> {
    let text = cells.get(index);
    let value = match ty.kind() {
        TypeKind::Real => real(text).map(Value::Real),
        TypeKind::Int => int(text).map(Value::Int),
        TypeKind::Bool => truth(text).map(Value::Bool),
        TypeKind::Str => Some(Value::str(text)),
        TypeKind::Data(data) => {
            let constructors = &program.datas[*data].constructors;
            let tag =
                constructors.iter().position(|con| con.name == *text && con.fields.is_empty());
            tag.map(|tag| Value::data(tag, vec![]))
        }
        TypeKind::Tuple(_) | TypeKind::Record(_) | TypeKind::Array(_) | TypeKind::Fun(..) => {
            bug("a cell is wanted as a single value")
        }
    };
    value.ok_or_else(|| {
        let found = if text.is_empty() { "empty".to_owned() } else { format!("`{}`", short(text)) };
        let wanted = program.show_type(ty);
        let title = format!("the column `{}` does not fit its parameter", cells.column_name(index));
        let label = format!("this is {found}, not a value of `{wanted}`");
        Unfit { title, label, place: Some(cells.place(index)) }
    })
}

/// A number that is infinite or NaN only if it says so.
fn real(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() || !text.contains(|c: char| c.is_ascii_digit())).then_some(number)
}

/// An integer, which may be written with a fraction of zeros.
fn int(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    whole.parse().ok().filter(|_| fraction.bytes().all(|digit| digit == b'0'))
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_what_they_are() {
        assert_eq!(real("-1.5e3"), Some(-1500.0));
        assert_eq!(real("inf"), Some(f64::INFINITY));
        assert!(real("NaN").is_some_and(f64::is_nan));
        assert_eq!((real("1e999"), real(""), real("1,5"), real("NA")), (None, None, None, None));
        assert_eq!((int("3.0"), int("-7"), int("3.5"), int("")), (Some(3), Some(-7), None, None));
        assert_eq!((truth("True"), truth("1")), (Some(true), None));
    }
}
