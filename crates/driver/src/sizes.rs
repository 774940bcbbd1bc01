//! Sizes of the input against the sizes that the entry declares.
//!
//! Input: the entry's definition and a value for some of its parameters. Output: the first size that
//! cannot be right. What is not decided here is checked when the entry runs.

use std::collections::BTreeMap;

use pullback_eval::Value;
use pullback_types::tir::Global;
use pullback_types::ty::{Atom, Poly, Size, Ty};

use crate::value::{View, view};

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
    found.iter().find_map(|place| {
        let wanted = evaluate(place.declared, &known)?;
        (wanted != place.size).then(|| WrongSize {
            param: place.param,
            words: format!("it has size {} where the size must be {wanted}", place.size),
        })
    })
}

fn parameters(ty: &Ty) -> Vec<&Ty> {
    let mut params = Vec::new();
    let mut ty = ty;
    while let Ty::Fun(from, to) = ty {
        params.push(&**from);
        ty = to;
    }
    params
}

/// The sizes of the arrays in a value. Arrays are regular, so the first element stands for all.
fn collect<'t>(param: usize, ty: &'t Ty, value: &Value, found: &mut Vec<Found<'t>>) {
    match (ty, view(value)) {
        (Ty::Array(size, element), View::Array(items)) => {
            if let Size::Poly(declared) = size {
                let size = i64::try_from(items.len()).unwrap_or(i64::MAX);
                found.push(Found { param, declared, size });
            }
            if is_structure(element)
                && let Some(first) = items.get(0)
            {
                collect(param, element, &first, found);
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
fn evaluate(poly: &Poly, known: &BTreeMap<Atom, i64>) -> Option<i64> {
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
