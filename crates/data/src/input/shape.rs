//! The sizes inside a value, to see whether the elements of an array agree.
//!
//! Input: a value and its type. Output: the sizes of its arrays in order of the type, or nothing if
//! the type holds no array. Arrays in constructors are free to differ. Recursion is over the type.

use pullback_eval::Value;
use pullback_lambda::{Type, TypeKind};

use crate::value::{self, View};

/// The sizes of the arrays in a value, whose arrays are regular themselves.
pub fn shape(value: &Value, ty: &Type) -> Option<Vec<usize>> {
    if !holds_array(ty) {
        return None;
    }
    let mut sizes = Vec::new();
    collect(value, ty, &mut sizes);
    Some(sizes)
}

fn collect(value: &Value, ty: &Type, sizes: &mut Vec<usize>) {
    match (ty.kind(), value::view(value)) {
        (TypeKind::Array(element), View::Array(items)) => {
            sizes.push(items.len());
            if holds_array(element)
                && let Some(first) = items.get(0)
            {
                collect(&first, element, sizes);
            }
        }
        (TypeKind::Tuple(types), View::Tuple(items)) => {
            for (item, ty) in items.iter().zip(types) {
                collect(item, ty, sizes);
            }
        }
        (TypeKind::Record(types), View::Tuple(items)) => {
            for (item, (_, ty)) in items.iter().zip(types) {
                collect(item, ty, sizes);
            }
        }
        _ => {}
    }
}

fn holds_array(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(_) => true,
        TypeKind::Tuple(items) => items.iter().any(holds_array),
        TypeKind::Record(fields) => fields.iter().any(|(_, ty)| holds_array(ty)),
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => false,
    }
}
