//! Values of the evaluator as values of the IR, and back, along their types.

use std::rc::Rc;

use pullback_base::bug;
use pullback_eval::{Array, Value};
use pullback_ir::eval::{Items, Shape, Value as Leaf};
use pullback_ir::{Elem, Type as LeafType};
use pullback_lambda::{Type, TypeKind};
use pullback_lower::Lowered;

/// The name of the stage, for bugs.
const NAME: &str = "compiled";

/// Adds the leaves of a value.
pub(super) fn given(lowered: &mut Lowered, ty: &Type, value: &Value, leaves: &mut Vec<Leaf>) {
    match (ty.kind(), value) {
        (TypeKind::Real, _) => leaves.push(Leaf::Real(value.as_real().unwrap_or(f64::NAN))),
        (TypeKind::Int, Value::Int(n)) => leaves.push(Leaf::Int(*n)),
        (TypeKind::Bool, Value::Bool(b)) => leaves.push(Leaf::Bool(*b)),
        (TypeKind::Str, Value::Str(text)) => leaves.push(Leaf::str(text)),
        (TypeKind::Tuple(_) | TypeKind::Record(_), _) => {
            let Some(items) = value.as_tuple() else { bug(NAME, "a structure") };
            for (ty, item) in ty.parts().into_iter().zip(items) {
                given(lowered, ty, item, leaves);
            }
        }
        (TypeKind::Data(data), _) => {
            let Some((tag, fields)) = value.as_data() else { bug(NAME, "a constructor") };
            let types = lowered.sums()[*data].constructors[tag].fields.clone();
            let mut inner = vec![];
            for (ty, field) in types.iter().zip(fields) {
                given(lowered, ty, field, &mut inner);
            }
            let Ok(tag) = u32::try_from(tag) else { bug(NAME, "a tag") };
            leaves.push(Leaf::data(tag, inner));
        }
        (TypeKind::Array(_), Value::Array(array)) => given_array(lowered, ty, array, leaves),
        (..) => bug(NAME, format_args!("a value of its type, not {}", value.kind_name())),
    }
}

/// The type in the innermost of arrays that are directly inside each other, and how many there are.
fn innermost(ty: &Type) -> (&Type, usize) {
    let (mut ty, mut rank) = (ty, 0);
    while let TypeKind::Array(element) = ty.kind() {
        ty = element;
        rank += 1;
    }
    (ty, rank)
}

fn given_array(lowered: &mut Lowered, ty: &Type, array: &Rc<Array>, leaves: &mut Vec<Leaf>) {
    let (element, rank) = innermost(ty);
    let mut sizes = vec![array.len()];
    sizes.extend(array.row_sizes());
    sizes.resize(rank, 0);
    let types = lowered.element_leaves(element);
    let mut columns: Vec<Items> = types.iter().map(|ty| empty(*ty)).collect();
    rows(lowered, element, array, rank, &mut columns);
    for column in columns {
        leaves.push(Leaf::array(Shape::new(&sizes), column));
    }
}

fn empty(ty: LeafType) -> Items {
    match ty.elem {
        Elem::Real => Items::Real(vec![]),
        Elem::Int => Items::Int(vec![]),
        Elem::Bool => Items::Bool(vec![]),
        Elem::Unit => Items::Unit,
        Elem::Str | Elem::Data(_) => Items::Values(vec![]),
    }
}

fn rows(lowered: &mut Lowered, element: &Type, array: &Array, rank: usize, columns: &mut [Items]) {
    if rank > 1 {
        for row in array.iter() {
            let Value::Array(row) = row else { bug(NAME, "an array of arrays") };
            rows(lowered, element, &row, rank - 1, columns);
        }
        return;
    }
    if let (Some(reals), [Items::Real(column)]) = (array.reals(), &mut *columns) {
        return column.extend_from_slice(reals);
    }
    for item in array.iter() {
        let mut leaves = vec![];
        components(lowered, element, &item, &mut leaves);
        for (column, leaf) in columns.iter_mut().zip(leaves) {
            match (column, leaf) {
                (Items::Real(column), Leaf::Real(x)) => column.push(x),
                (Items::Int(column), Leaf::Int(n)) => column.push(n),
                (Items::Bool(column), Leaf::Bool(b)) => column.push(b),
                (Items::Values(column), leaf) => column.push(leaf),
                (..) => bug(NAME, "elements of one type"),
            }
        }
    }
}

/// The leaves of an element: arrays inside structures are boxed.
fn components(lowered: &mut Lowered, ty: &Type, value: &Value, leaves: &mut Vec<Leaf>) {
    if let TypeKind::Tuple(_) | TypeKind::Record(_) = ty.kind() {
        let Some(items) = value.as_tuple() else { bug(NAME, "a structure") };
        for (ty, item) in ty.parts().into_iter().zip(items) {
            if let TypeKind::Array(_) = ty.kind() {
                let mut inner = vec![];
                given(lowered, ty, item, &mut inner);
                leaves.push(Leaf::data(0, inner));
            } else {
                components(lowered, ty, item, leaves);
            }
        }
    } else {
        given(lowered, ty, value, leaves);
    }
}

/// The value of the next leaves.
pub(super) fn shown(
    lowered: &mut Lowered,
    ty: &Type,
    leaves: &mut dyn Iterator<Item = Leaf>,
) -> Value {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let parts = ty.parts();
            Value::tuple(parts.into_iter().map(|ty| shown(lowered, ty, leaves)).collect())
        }
        TypeKind::Array(_) => shown_array(lowered, ty, leaves),
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => {
            let Some(leaf) = leaves.next() else { bug(NAME, "as many leaves as the type has") };
            shown_leaf(lowered, ty, &leaf)
        }
    }
}

fn shown_leaf(lowered: &mut Lowered, ty: &Type, leaf: &Leaf) -> Value {
    match (ty.kind(), leaf) {
        (TypeKind::Real, Leaf::Real(x)) => Value::Real(*x),
        (TypeKind::Int, Leaf::Int(n)) => Value::Int(*n),
        (TypeKind::Bool, Leaf::Bool(b)) => Value::Bool(*b),
        (TypeKind::Str, Leaf::Str(text)) => Value::str(text),
        // What a function is cannot be looked at.
        (TypeKind::Fun(..), _) => Value::Closure(0, None),
        (TypeKind::Data(data), leaf) => {
            let Some((tag, fields)) = leaf.as_data() else { bug(NAME, "a data value") };
            let types = lowered.sums()[*data].constructors[tag as usize].fields.clone();
            let mut inner = fields.iter().cloned();
            let fields = types.iter().map(|ty| shown(lowered, ty, &mut inner)).collect();
            Value::data(tag as usize, fields)
        }
        (..) => bug(NAME, format_args!("a leaf of its type, not {leaf:?}")),
    }
}

fn shown_array(lowered: &mut Lowered, ty: &Type, leaves: &mut dyn Iterator<Item = Leaf>) -> Value {
    let (element, rank) = innermost(ty);
    let count = lowered.element_leaves(element).len();
    let columns: Vec<Leaf> = leaves.take(count).collect();
    let sizes: Vec<usize> = match columns.first().and_then(Leaf::as_array) {
        Some(array) => array.sizes().to_vec(),
        None => bug(NAME, "an array"),
    };
    let mut next = 0;
    nested(lowered, element, &sizes[..rank], &columns, &mut next)
}

fn nested(
    lowered: &mut Lowered,
    element: &Type,
    sizes: &[usize],
    columns: &[Leaf],
    next: &mut usize,
) -> Value {
    let Some((size, inner)) = sizes.split_first() else { bug(NAME, "an array with sizes") };
    if *size == 0 {
        return Value::Array(Rc::new(Array::without_rows(inner)));
    }
    if !inner.is_empty() {
        let rows = (0..*size).map(|_| nested(lowered, element, inner, columns, next)).collect();
        return Value::array(rows);
    }
    if let (TypeKind::Real, [column]) = (element.kind(), columns)
        && let Some(reals) = column.as_array().and_then(|array| array.reals())
    {
        let from = *next;
        *next += size;
        return Value::reals(reals[from..*next].to_vec());
    }
    let mut items = vec![];
    for _ in 0..*size {
        let mut leaves =
            columns.iter().map(|column| item(column, *next)).collect::<Vec<_>>().into_iter();
        items.push(component(lowered, element, &mut leaves));
        *next += 1;
    }
    Value::array(items)
}

fn item(column: &Leaf, at: usize) -> Leaf {
    let Some(array) = column.as_array() else { bug(NAME, "a column") };
    if let Some(reals) = array.reals() {
        Leaf::Real(reals[at])
    } else if let Some(ints) = array.ints() {
        Leaf::Int(ints[at])
    } else if let Some(bools) = array.bools() {
        Leaf::Bool(bools[at])
    } else if let Some(values) = array.values() {
        values[at].clone()
    } else {
        Leaf::Undef
    }
}

fn component(lowered: &mut Lowered, ty: &Type, leaves: &mut dyn Iterator<Item = Leaf>) -> Value {
    if let TypeKind::Tuple(_) | TypeKind::Record(_) = ty.kind() {
        let parts = ty.parts().into_iter().map(|ty| {
            if let TypeKind::Array(_) = ty.kind() {
                let Some(boxed) = leaves.next() else { bug(NAME, "a boxed array") };
                let Some((_, fields)) = boxed.as_data() else { bug(NAME, "a boxed array") };
                shown(lowered, ty, &mut fields.iter().cloned())
            } else {
                component(lowered, ty, leaves)
            }
        });
        return Value::tuple(parts.collect());
    }
    shown(lowered, ty, leaves)
}
