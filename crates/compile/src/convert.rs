//! Marshalling between the values of the two evaluators: values of the calculus as leaves of the IR, and back, along
//! their types.
//!
//! Input: a value and its type, or leaves and the type. Output: the other. [`given`] goes to the IR, and [`shown`]
//! comes back.
//!
//! Invariants. Leaves come in the order of `leaves` in the crate `lower`, and `shown (given x) = x`, but for functions,
//! which nobody can look at. What is yet to be done stands on a stack of its own, so data may be as deep as memory
//! allows.

use std::rc::Rc;
use std::vec::IntoIter;

use pullback_base::bug;
use pullback_eval::{Array, Value};
use pullback_ir::eval::{Items, Shape, Value as Leaf};
use pullback_ir::{Elem, Type as LeafType};
use pullback_lambda::{Type, TypeKind};
use pullback_lower::Lowered;

/// The name of the stage, for bugs.
const NAME: &str = "compiled";

/// The type in the innermost of arrays that are directly inside each other, and how many there are.
fn innermost(ty: &Type) -> (&Type, usize) {
    let (mut ty, mut rank) = (ty, 0);
    while let TypeKind::Array(element) = ty.kind() {
        ty = element;
        rank += 1;
    }
    (ty, rank)
}

/// The last of several, of which there is one.
fn top<T>(stack: &mut [T]) -> &mut T {
    let Some(last) = stack.last_mut() else { bug(NAME, "steps that end what they begin") };
    last
}

fn popped<T>(stack: &mut Vec<T>) -> T {
    let Some(last) = stack.pop() else { bug(NAME, "steps that end what they begin") };
    last
}

/// A step on the way to leaves, which are added to the list on top.
enum Give {
    /// The leaves of a value.
    Value(Type, Value),
    /// Those of an element of an array: arrays inside structures are boxed.
    Component(Type, Value),
    /// Those of the elements of an array with so many levels of arrays, from this row on.
    Rows(Type, Rc<Array>, usize, usize),
    /// A list begins.
    Open,
    /// The list ends: it holds the fields of this constructor.
    Fields(u32),
    /// The list ends: it holds the elements of arrays of these types and sizes, element by element.
    Columns(Vec<LeafType>, Vec<usize>),
}

/// The leaves of a value.
pub(crate) fn given(lowered: &mut Lowered, ty: &Type, value: &Value) -> Vec<Leaf> {
    let mut lists = vec![vec![]];
    let mut steps = vec![Give::Value(ty.clone(), value.clone())];
    while let Some(step) = steps.pop() {
        match step {
            Give::Value(ty, value) => give(lowered, &ty, &value, &mut steps, top(&mut lists)),
            Give::Component(ty, value) => component(ty, value, &mut steps),
            Give::Rows(element, array, rank, row) => {
                if let Some(item) = array.get(row) {
                    steps.push(Give::Rows(element.clone(), array, rank, row + 1));
                    steps.push(
                        if rank > 1
                            && let Value::Array(inner) = item
                        {
                            Give::Rows(element, inner, rank - 1, 0)
                        } else {
                            Give::Component(element, item)
                        },
                    );
                }
            }
            Give::Open => lists.push(vec![]),
            Give::Fields(tag) => {
                let fields = popped(&mut lists);
                top(&mut lists).push(Leaf::data(tag, fields));
            }
            Give::Columns(types, sizes) => {
                let columns = columns(&types, popped(&mut lists));
                let arrays = columns.into_iter().map(|it| Leaf::array(Shape::new(&sizes), it));
                top(&mut lists).extend(arrays);
            }
        }
    }
    popped(&mut lists)
}

fn give(
    lowered: &mut Lowered,
    ty: &Type,
    value: &Value,
    steps: &mut Vec<Give>,
    leaves: &mut Vec<Leaf>,
) {
    match (ty.kind(), value) {
        (TypeKind::Real, _) => leaves.push(Leaf::Real(value.as_real().unwrap_or(f64::NAN))),
        (TypeKind::Int, Value::Int(n)) => leaves.push(Leaf::Int(*n)),
        (TypeKind::Bool, Value::Bool(b)) => leaves.push(Leaf::Bool(*b)),
        (TypeKind::Str, Value::Str(text)) => leaves.push(Leaf::str(text)),
        (TypeKind::Tuple(_) | TypeKind::Record(_), _) => {
            steps.extend(parts(ty, value).rev().map(|(ty, item)| Give::Value(ty, item)));
        }
        (TypeKind::Data(data), _) => {
            let Some((tag, fields)) = value.as_data() else { bug(NAME, "a constructor") };
            let types = &lowered.sums()[*data].constructors[tag].fields;
            let fields = types.iter().zip(fields).rev();
            let Ok(tag) = u32::try_from(tag) else { bug(NAME, "a tag") };
            steps.push(Give::Fields(tag));
            steps.extend(fields.map(|(ty, field)| Give::Value(ty.clone(), field.clone())));
            steps.push(Give::Open);
        }
        (TypeKind::Array(_), Value::Array(array)) => {
            let (element, rank) = innermost(ty);
            let mut sizes = vec![array.len()];
            sizes.extend(array.row_sizes());
            sizes.resize(rank, 0);
            if let TypeKind::Real = element.kind() {
                let mut column = vec![];
                reals(array, rank, &mut column);
                leaves.push(Leaf::array(Shape::new(&sizes), Items::Real(column)));
            } else {
                steps.push(Give::Columns(lowered.element_leaves(element), sizes));
                steps.push(Give::Rows(element.clone(), array.clone(), rank, 0));
                steps.push(Give::Open);
            }
        }
        (..) => bug(NAME, format_args!("a value of its type, not {}", value.kind_name())),
    }
}

fn component(ty: Type, value: Value, steps: &mut Vec<Give>) {
    let (TypeKind::Tuple(_) | TypeKind::Record(_)) = ty.kind() else {
        return steps.push(Give::Value(ty, value));
    };
    for (ty, item) in parts(&ty, &value).rev() {
        if let TypeKind::Array(_) = ty.kind() {
            steps.extend([Give::Fields(0), Give::Value(ty, item), Give::Open]);
        } else {
            steps.push(Give::Component(ty, item));
        }
    }
}

/// The parts of a structure with their types.
fn parts<'v>(
    ty: &'v Type,
    value: &'v Value,
) -> impl DoubleEndedIterator<Item = (Type, Value)> + use<'v> {
    let Some(items) = value.as_tuple() else { bug(NAME, "a structure") };
    ty.parts().into_iter().zip(items).map(|(ty, item)| (ty.clone(), item.clone()))
}

/// The Reals of nested arrays.
fn reals(array: &Array, rank: usize, column: &mut Vec<f64>) {
    if let Some(reals) = array.reals() {
        return column.extend_from_slice(reals);
    }
    for item in array.iter() {
        if rank > 1
            && let Value::Array(row) = item
        {
            reals(&row, rank - 1, column);
        } else {
            column.push(item.as_real().unwrap_or(f64::NAN));
        }
    }
}

/// The elements of arrays of these types, from those of one place after the other.
fn columns(types: &[LeafType], leaves: Vec<Leaf>) -> Vec<Items> {
    let mut columns: Vec<Items> = types.iter().map(|ty| empty(*ty)).collect();
    for (at, leaf) in leaves.into_iter().enumerate() {
        match (&mut columns[at % types.len()], leaf) {
            (Items::Real(column), Leaf::Real(x)) => column.push(x),
            (Items::Int(column), Leaf::Int(n)) => column.push(n),
            (Items::Bool(column), Leaf::Bool(b)) => column.push(b),
            (Items::Values(column), leaf) => column.push(leaf),
            (..) => bug(NAME, "elements of one type"),
        }
    }
    columns
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

/// A step on the way to a value, from the leaves that are taken from the list on top.
enum Show {
    /// The value of the next leaves.
    Value(Type),
    /// An element of an array, of the next leaves.
    Component(Type),
    /// Rows of this many dimensions, from this element on.
    Rows(Rc<Elements>, usize, usize),
    /// One element after the other, from this one to that.
    Each(Rc<Elements>, usize, usize),
    /// The next leaf is a box: a list of what is in it begins.
    Open,
    /// A list ends.
    Close,
    /// The last values, so many, are a structure.
    Tuple(usize),
    /// The last values, so many, are the fields of this constructor.
    Data(u32, usize),
    /// The last values, so many, are the elements of an array.
    Array(usize),
}

/// The elements of an array, outermost first.
struct Elements {
    ty: Type,
    sizes: Vec<usize>,
    columns: Vec<Leaf>,
}

/// The value of leaves.
pub(crate) fn shown(lowered: &mut Lowered, ty: &Type, leaves: Vec<Leaf>) -> Value {
    let mut lists = vec![leaves.into_iter()];
    let mut values = vec![];
    let mut steps = vec![Show::Value(ty.clone())];
    while let Some(step) = steps.pop() {
        match step {
            Show::Value(ty) => show(lowered, &ty, &mut steps, &mut lists, &mut values),
            Show::Component(ty) => {
                let (TypeKind::Tuple(_) | TypeKind::Record(_)) = ty.kind() else {
                    steps.push(Show::Value(ty));
                    continue;
                };
                let parts = ty.parts();
                steps.push(Show::Tuple(parts.len()));
                for part in parts.into_iter().rev() {
                    if let TypeKind::Array(_) = part.kind() {
                        steps.extend([Show::Close, Show::Value(part.clone()), Show::Open]);
                    } else {
                        steps.push(Show::Component(part.clone()));
                    }
                }
            }
            Show::Rows(elements, rank, from) => {
                values.extend(rows(elements, rank, from, &mut steps));
            }
            Show::Each(elements, from, to) => {
                if from < to {
                    let leaves = elements.columns.iter().map(|column| item(column, from));
                    lists.push(leaves.collect::<Vec<_>>().into_iter());
                    let component = Show::Component(elements.ty.clone());
                    steps.extend([Show::Each(elements, from + 1, to), Show::Close, component]);
                }
            }
            Show::Open => {
                let Some((_, fields)) = fields(&next(&mut lists)) else { bug(NAME, "a box") };
                lists.push(fields.into_iter());
            }
            Show::Close => drop(popped(&mut lists)),
            Show::Tuple(count) => {
                let items = last(&mut values, count);
                values.push(Value::tuple(items));
            }
            Show::Data(tag, count) => {
                let fields = last(&mut values, count);
                values.push(Value::data(tag as usize, fields));
            }
            Show::Array(count) => {
                let items = last(&mut values, count);
                values.push(Value::array(items));
            }
        }
    }
    popped(&mut values)
}

fn next(lists: &mut [IntoIter<Leaf>]) -> Leaf {
    let Some(leaf) = top(lists).next() else { bug(NAME, "as many leaves as the type has") };
    leaf
}

fn last(values: &mut Vec<Value>, count: usize) -> Vec<Value> {
    values.split_off(values.len() - count)
}

/// The tag and the fields of a data value.
fn fields(leaf: &Leaf) -> Option<(u32, Vec<Leaf>)> {
    let (tag, fields) = leaf.as_data()?;
    Some((tag, fields.to_vec()))
}

fn show(
    lowered: &mut Lowered,
    ty: &Type,
    steps: &mut Vec<Show>,
    lists: &mut Vec<IntoIter<Leaf>>,
    values: &mut Vec<Value>,
) {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            let parts = ty.parts();
            steps.push(Show::Tuple(parts.len()));
            steps.extend(parts.into_iter().rev().map(|ty| Show::Value(ty.clone())));
        }
        TypeKind::Array(_) => {
            let (element, rank) = innermost(ty);
            let count = lowered.element_leaves(element).len();
            let columns: Vec<Leaf> = top(lists).take(count).collect();
            let Some(array) = columns.first().and_then(Leaf::as_array) else {
                bug(NAME, "an array")
            };
            let sizes = array.sizes()[..rank].to_vec();
            steps.push(Show::Rows(
                Rc::new(Elements { ty: element.clone(), sizes, columns }),
                rank,
                0,
            ));
        }
        TypeKind::Data(data) => {
            let Some((tag, fields)) = fields(&next(lists)) else { bug(NAME, "a data value") };
            let types = &lowered.sums()[*data].constructors[tag as usize].fields;
            steps.extend([Show::Data(tag, types.len()), Show::Close]);
            steps.extend(types.iter().rev().map(|ty| Show::Value(ty.clone())));
            lists.push(fields.into_iter());
        }
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
            values.push(scalar(ty, &next(lists)));
        }
    }
}

fn scalar(ty: &Type, leaf: &Leaf) -> Value {
    match (ty.kind(), leaf) {
        (TypeKind::Real, Leaf::Real(x)) => Value::Real(*x),
        (TypeKind::Int, Leaf::Int(n)) => Value::Int(*n),
        (TypeKind::Bool, Leaf::Bool(b)) => Value::Bool(*b),
        (TypeKind::Str, Leaf::Str(text)) => Value::str(text),
        // What a function is cannot be looked at.
        (TypeKind::Fun(..), _) => Value::Closure(0, None),
        (..) => bug(NAME, format_args!("a leaf of its type, not {leaf:?}")),
    }
}

/// The array of the elements from a place on, as far as its innermost dimensions reach; or steps to it.
fn rows(elements: Rc<Elements>, rank: usize, from: usize, steps: &mut Vec<Show>) -> Option<Value> {
    let sizes = &elements.sizes[elements.sizes.len() - rank..];
    let (size, inner) = (sizes[0], &sizes[1..]);
    if size == 0 {
        return Some(Value::Array(Rc::new(Array::without_rows(inner))));
    }
    if !inner.is_empty() {
        let each: usize = inner.iter().product();
        steps.push(Show::Array(size));
        let row = |at| Show::Rows(elements.clone(), rank - 1, from + at * each);
        steps.extend((0..size).rev().map(row));
        return None;
    }
    if let (TypeKind::Real, [column]) = (elements.ty.kind(), &elements.columns[..])
        && let Some(reals) = column.as_array().and_then(|array| array.reals())
    {
        return Some(Value::reals(reals[from..from + size].to_vec()));
    }
    steps.extend([Show::Array(size), Show::Each(elements, from, from + size)]);
    None
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
