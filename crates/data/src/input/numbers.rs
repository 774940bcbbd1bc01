//! An array as a value of a type.
//!
//! Input: an array with its shape, and the type wanted. Output: the value, or what does not fit.
//! Arrays take one dimension each, tuples take one of exactly their length. Cells of tables are read as
//! the type wants them. Recursion is over the type.

use std::rc::Rc;

use pullback_base::Limits;
use pullback_eval::{Array, Value};
use pullback_lambda::{Program, Type, TypeKind};

use super::Stopped;
use super::cell;
use super::npy::{Elements, NamedArray};
use super::unfit::Unfit;

/// How many cells are read between two looks at the limits.
const TICK: usize = 1 << 12;

/// Decodes an array as a value of a type.
pub fn from_numbers(
    program: &Program,
    mut array: NamedArray,
    ty: &Type,
    limits: &Limits,
) -> Result<Value, Stopped<Unfit>> {
    if let Elements::Other(reason) = array.elements {
        return Err(reason.into());
    }
    if let ([_], TypeKind::Array(element), Elements::Reals(numbers)) =
        (array.shape.as_slice(), ty.kind(), &mut array.elements)
        && matches!(element.kind(), TypeKind::Real)
    {
        return Ok(Value::reals(std::mem::take(numbers)));
    }
    let builder = Builder { program, array: &array, limits };
    builder.build(ty, &array.shape, 0, array.len())
}

impl NamedArray {
    fn len(&self) -> usize {
        match &self.elements {
            Elements::Reals(numbers) => numbers.len(),
            Elements::Ints(numbers) => numbers.len(),
            Elements::Bools(truths) => truths.len(),
            Elements::Cells(cells) => cells.len(),
            Elements::Other(_) => 0,
        }
    }
    fn noun(&self) -> &'static str {
        match &self.elements {
            Elements::Reals(_) => "Reals",
            Elements::Ints(_) => "Ints",
            Elements::Bools(_) => "Bools",
            Elements::Cells(_) => "cells",
            Elements::Other(_) => "no numbers",
        }
    }
}

struct Builder<'a> {
    program: &'a Program,
    array: &'a NamedArray,
    limits: &'a Limits,
}

impl Builder<'_> {
    /// The part of the array with these dimensions that starts at element `start` and has `len` elements.
    fn build(
        &self,
        ty: &Type,
        dims: &[usize],
        start: usize,
        len: usize,
    ) -> Result<Value, Stopped<Unfit>> {
        let scalar = |wanted: &str| {
            Err(Stopped::from(if dims.is_empty() {
                format!("the file has {}, {wanted} is wanted", self.array.noun())
            } else {
                format!("{wanted} is wanted where the file has {}", dimensions(dims))
            }))
        };
        match (ty.kind(), &self.array.elements) {
            (
                TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Data(_),
                Elements::Cells(cells),
            ) if dims.is_empty() => {
                if start.is_multiple_of(TICK) {
                    self.limits.check(0)?;
                }
                cell::value(self.program, cells, start, ty).map_err(Stopped::Wrong)
            }
            (TypeKind::Real, Elements::Reals(numbers)) if dims.is_empty() => {
                Ok(Value::Real(numbers[start]))
            }
            (TypeKind::Real, Elements::Ints(numbers)) if dims.is_empty() => {
                Ok(Value::Real(numbers[start] as f64))
            }
            (TypeKind::Int, Elements::Ints(numbers)) if dims.is_empty() => {
                Ok(Value::Int(numbers[start]))
            }
            (TypeKind::Bool, Elements::Bools(truths)) if dims.is_empty() => {
                Ok(Value::Bool(truths[start]))
            }
            (TypeKind::Real, _) => scalar("a Real"),
            (TypeKind::Int, _) => scalar("an Int"),
            (TypeKind::Bool, _) => scalar("a Bool"),
            (TypeKind::Array(element), Elements::Reals(numbers))
                if dims.len() == 1 && matches!(element.kind(), TypeKind::Real) =>
            {
                self.limits.check(len * size_of::<f64>())?;
                Ok(Value::reals(numbers[start..start + len].to_vec()))
            }
            (TypeKind::Array(element), _) => {
                let items = self.parts(dims, start, len, |_| element)?;
                if items.is_empty() {
                    return absent(element, &dims[1..]);
                }
                Ok(Value::array(items))
            }
            (TypeKind::Tuple(types), _) => {
                if dims.first() != Some(&types.len()) {
                    return Err(format!(
                        "a tuple of {} is wanted where the file has {}",
                        types.len(),
                        dimensions(dims)
                    )
                    .into());
                }
                Ok(Value::tuple(self.parts(dims, start, len, |at| &types[at])?))
            }
            (TypeKind::Record(_) | TypeKind::Data(_) | TypeKind::Str | TypeKind::Fun(..), _) => {
                Err(format!("`{}` cannot be given by an array", self.program.show_type(ty)).into())
            }
        }
    }
    fn parts<'t>(
        &self,
        dims: &[usize],
        start: usize,
        len: usize,
        ty: impl Fn(usize) -> &'t Type,
    ) -> Result<Vec<Value>, Stopped<Unfit>> {
        let Some((&size, inner)) = dims.split_first() else {
            return Err("an array is wanted where the file has a single number".to_owned().into());
        };
        // Without parts there is no step from one to the next.
        let step = len.checked_div(size).unwrap_or(0);
        self.limits.check(size.saturating_mul(size_of::<Value>()))?;
        (0..size).map(|at| self.build(ty(at), inner, start + at * step, step)).collect()
    }
}

/// An empty array whose rows would be of this type and have these dimensions; the dimensions may be fewer
/// than the type has.
fn absent(element: &Type, dims: &[usize]) -> Result<Value, Stopped<Unfit>> {
    let (mut ty, mut left) = (element, dims);
    while let Some((size, rest)) = left.split_first() {
        let next = if let TypeKind::Array(element) = ty.kind() {
            Some(element)
        } else if let TypeKind::Tuple(items) = ty.kind() {
            items.first().filter(|_| items.len() == *size)
        } else {
            None
        };
        let Some(next) = next else {
            let found = dimensions(dims);
            return Err(
                format!("its absent rows are {found}, for which its type has no place").into()
            );
        };
        (ty, left) = (next, rest);
    }
    Ok(Value::Array(Rc::new(Array::without_rows(&dims[..dims.len().min(element.nesting())]))))
}

fn dimensions(dims: &[usize]) -> String {
    let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
    format!("an array of shape [{}]", dims.join(", "))
}
