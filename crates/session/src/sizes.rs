//! Sizes of the input against the sizes that the entry declares.
//!
//! Input: the entry's definition and a value for some of its parameters. Output: the first size that
//! cannot be right, or the values in which rows that are absent have the declared sizes, as far as these
//! are known. What is not decided here is checked when the entry runs.

use std::collections::BTreeMap;

use pullback_data::value::{View, view};
use pullback_eval::Value;
use pullback_types::tir::Global;
use pullback_types::ty::{Atom, Poly, Size, Ty};

use crate::bug::bug;

/// A size that is not as declared.
#[derive(Debug, PartialEq)]
pub struct WrongSize {
    /// Which parameter.
    pub param: usize,
    /// What is wrong, in words.
    pub words: String,
}

/// A size found in a value, beside the declared one.
struct Found<'t> {
    param: usize,
    declared: &'t Poly,
    size: i64,
}

/// Compares sizes; `values` are parameters by position.
pub fn wrong_size(global: &Global, values: &[(usize, Value)]) -> Option<WrongSize> {
    let (found, known) = measured(global, values);
    found.iter().find_map(|place| {
        let wanted = evaluate(place.declared, &known)?;
        (wanted != place.size).then(|| WrongSize {
            param: place.param,
            words: format!("it has size {} where the size must be {wanted}", place.size),
        })
    })
}

/// The values, with the declared sizes where rows are absent; `values` are parameters by position.
pub fn with_declared_sizes(global: &Global, values: &[(usize, Value)]) -> Vec<Value> {
    let (_, known) = measured(global, values);
    let params = parameters(&global.ty);
    let sized = values.iter().map(|(param, value)| match params.get(*param) {
        Some(ty) => sized(ty, value.clone(), &known),
        None => value.clone(),
    });
    sized.collect()
}

/// The sizes in the values, and what they say about the declared names.
fn measured<'t>(
    global: &'t Global,
    values: &[(usize, Value)],
) -> (Vec<Found<'t>>, BTreeMap<Atom, i64>) {
    let mut known: BTreeMap<Atom, i64> = BTreeMap::new();
    for size in &global.sizes {
        let value = size.value_of.and_then(|at| values.iter().find(|(param, _)| *param == at));
        if let Some(number) = value.and_then(|(_, value)| value.as_int()) {
            known.insert(Atom::Param(size.id), number);
        }
    }
    let params = parameters(&global.ty);
    let mut found = Vec::new();
    for (param, value) in values {
        if let Some(ty) = params.get(*param) {
            collect(*param, ty, value, &mut found);
        }
    }
    for place in &found {
        if let Some(atom) = lone(place.declared) {
            known.entry(atom.clone()).or_insert(place.size);
        }
    }
    (found, known)
}

/// A value whose arrays of arrays have the sizes that are known where rows are absent.
fn sized(ty: &Ty, value: Value, known: &BTreeMap<Atom, i64>) -> Value {
    if !holds_rows(ty) {
        return value;
    }
    match (ty, view(&value)) {
        (Ty::Array(_, element), View::Array(items)) => {
            let (mut row, mut depth, mut value) = (element, 0, value.clone());
            while let Ty::Array(size, element) = row.as_ref() {
                depth += 1;
                if let Size::Poly(declared) = size
                    && let Some(size) = evaluate(declared, known)
                {
                    value = value.sized(depth, size);
                }
                row = element;
            }
            if !holds_rows(row) {
                return value;
            }
            // What is here is an array of structures with arrays of arrays inside.
            let items: Vec<Value> = items.iter().map(|item| sized(element, item, known)).collect();
            if items.is_empty() { value } else { Value::array(items) }
        }
        (Ty::Tuple(types), View::Tuple(items)) => Value::tuple(
            types.iter().zip(items).map(|(ty, item)| sized(ty, item.clone(), known)).collect(),
        ),
        (Ty::Record(types), View::Tuple(items)) => Value::tuple(
            types.iter().zip(items).map(|((_, ty), item)| sized(ty, item.clone(), known)).collect(),
        ),
        _ => value,
    }
}

/// Whether a type has arrays of arrays, not counting those in sums.
fn holds_rows(ty: &Ty) -> bool {
    match ty {
        Ty::Array(_, element) => matches!(element.as_ref(), Ty::Array(..)) || holds_rows(element),
        Ty::Tuple(items) => items.iter().any(holds_rows),
        Ty::Record(fields) => fields.iter().any(|(_, field)| holds_rows(field)),
        Ty::Real
        | Ty::Int
        | Ty::Bool
        | Ty::Str
        | Ty::Sum(..)
        | Ty::Fun(..)
        | Ty::Tangent(_)
        | Ty::Jacobian(..)
        | Ty::Param(_)
        | Ty::Var(_)
        | Ty::Error => false,
    }
}

/// The types of the parameters of a function.
pub fn parameters(ty: &Ty) -> Vec<&Ty> {
    let mut params = Vec::new();
    let mut ty = ty;
    while let Ty::Fun(from, to) = ty {
        params.push(&**from);
        ty = to;
    }
    params
}

/// The sizes of the arrays in a value. Arrays are regular, so the first element stands for all; of rows
/// that are absent, those sizes count that are not 0, which may mean that nothing is known.
fn collect<'t>(param: usize, ty: &'t Ty, value: &Value, found: &mut Vec<Found<'t>>) {
    match (ty, view(value)) {
        (Ty::Array(size, element), View::Array(items)) => {
            if let Size::Poly(declared) = size {
                let size = i64::try_from(items.len()).expect("a length that fits into memory");
                found.push(Found { param, declared, size });
            }
            if is_structure(element)
                && let Some(first) = items.get(0)
            {
                collect(param, element, &first, found);
            }
            let mut row = element;
            for size in if items.is_empty() { items.row_sizes() } else { vec![] } {
                let Ty::Array(declared, element) = row.as_ref() else { break };
                if let (Size::Poly(declared), true) = (declared, size != 0) {
                    let Ok(size) = i64::try_from(size) else {
                        bug("absent rows have sizes of Ints")
                    };
                    found.push(Found { param, declared, size });
                }
                row = element;
            }
        }
        (Ty::Tuple(types), View::Tuple(items)) => {
            for (ty, item) in types.iter().zip(items) {
                collect(param, ty, item, found);
            }
        }
        (Ty::Record(types), View::Tuple(items)) => {
            for ((_, ty), item) in types.iter().zip(items) {
                collect(param, ty, item, found);
            }
        }
        _ => {}
    }
}

fn is_structure(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_))
}

/// The atom that a polynomial is, if it is one alone.
fn lone(poly: &Poly) -> Option<&Atom> {
    if let [(atoms, 1)] = poly.terms.as_slice()
        && let [atom] = atoms.as_slice()
    {
        return Some(atom);
    }
    None
}

/// The value of a polynomial, if all its atoms are known and nothing overflows.
pub fn evaluate(poly: &Poly, known: &BTreeMap<Atom, i64>) -> Option<i64> {
    let mut sum = 0_i64;
    for (atoms, coefficient) in &poly.terms {
        let mut product = *coefficient;
        for atom in atoms {
            product = product.checked_mul(*known.get(atom)?)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}
