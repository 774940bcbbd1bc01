//! Named arrays as values: records and tuples are made of arrays with dotted names.
//!
//! Input: the arrays of a file, the name of a value and its type. Output: the value, or what is missing or
//! does not fit. `m.w` is the field `w` of the record `m`, `t.0` the first component of the tuple `t`. An
//! array of records has an array for each field, whose first dimension counts the records. What is used is
//! taken from the list of arrays. Recursion is over the type.

use pullback_base::Limits;
use pullback_eval::{Array, Items, Value};
use pullback_lambda::{Program, Type, TypeKind};

use super::Stopped;
use super::npy::NamedArray;
use super::numbers::from_numbers;
use super::unfit::Unfit;
use crate::bug::bug;

/// The value of this name. The empty name is that of a file that is one value: its arrays are called after
/// the fields, or have no name.
pub fn from_arrays(
    program: &Program,
    arrays: &mut Vec<NamedArray>,
    name: &str,
    ty: &Type,
    limits: &Limits,
) -> Result<Value, Stopped<Unfit>> {
    Reader { program, arrays, limits }.value(name, ty, 0)
}

/// The names of the fields or components of a record or tuple.
pub fn parts(ty: &Type) -> Option<Vec<(String, &Type)>> {
    match ty.kind() {
        TypeKind::Record(fields) => {
            Some(fields.iter().map(|(name, ty)| (name.to_string(), ty)).collect())
        }
        TypeKind::Tuple(items) if !items.is_empty() => {
            Some(items.iter().enumerate().map(|(at, ty)| (at.to_string(), ty)).collect())
        }
        TypeKind::Tuple(_)
        | TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Array(_)
        | TypeKind::Fun(..) => None,
    }
}

/// The name of a part of what has this name.
pub fn dotted(name: &str, part: &str) -> String {
    if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") }
}

struct Reader<'a> {
    program: &'a Program,
    arrays: &'a mut Vec<NamedArray>,
    limits: &'a Limits,
}

impl Reader<'_> {
    /// The value of this name, whose type is so many arrays of `ty`.
    fn value(&mut self, name: &str, ty: &Type, depth: usize) -> Result<Value, Stopped<Unfit>> {
        if let Some(at) = self.arrays.iter().position(|array| array.name == name) {
            let array = self.arrays.swap_remove(at);
            let wanted = (0..depth).fold(ty.clone(), |element, _| Type::array(element));
            let value = from_numbers(self.program, array, &wanted, self.limits);
            return value.map_err(|stopped| stopped.map(|unfit| unfit.of_array(name)));
        }
        if let TypeKind::Array(element) = ty.kind() {
            return self.value(name, element, depth + 1);
        }
        let Some(parts) = parts(ty) else {
            let names: Vec<String> =
                self.arrays.iter().take(12).map(|array| format!("`{}`", array.name)).collect();
            let title = if names.is_empty() {
                format!("the file has no array `{name}`")
            } else if name.is_empty() {
                format!("the file holds several arrays, {}, where one is wanted", names.join(", "))
            } else {
                format!("the file has no array `{name}`, but {}", names.join(", "))
            };
            return Err(title.into());
        };
        let mut values = Vec::with_capacity(parts.len());
        for (part, ty) in &parts {
            values.push(self.value(&dotted(name, part), ty, depth)?);
        }
        self.zip(name, values, depth)
    }
    /// Arrays of the parts as an array of what has the parts.
    fn zip(&self, name: &str, values: Vec<Value>, depth: usize) -> Result<Value, Stopped<Unfit>> {
        if depth == 0 {
            return Ok(Value::tuple(values));
        }
        let arrays: Vec<&Array> = values
            .iter()
            .map(|value| {
                let Value::Array(array) = value else { bug("what is decoded as an array is one") };
                &**array
            })
            .collect();
        let size = arrays[0].len();
        if let Some(other) = arrays.iter().find(|array| array.len() != size) {
            let what = if name.is_empty() { "the file" } else { name };
            let reason = format!(
                "the parts of `{what}` have {size} and {} elements, and make no array together",
                other.len()
            );
            return Err(reason.into());
        }
        self.limits.check(size * size_of::<Value>())?;
        if let Items::Absent(rows) = arrays[0].items() {
            let rows = &rows[..rows.len().min(depth - 1)];
            return Ok(Value::Array(std::rc::Rc::new(Array::without_rows(rows))));
        }
        let element = |at: usize| {
            self.zip(name, arrays.iter().map(|array| array.at(at)).collect(), depth - 1)
        };
        Ok(Value::array((0..size).map(element).collect::<Result<_, _>>()?))
    }
}
