//! Sizes that are known when a library is made.
//!
//! Input: the type of a definition, and sizes by name. Output: the rows and columns of each part of what it takes and
//! gives, in the order of [`super::fields`].

use std::collections::BTreeMap;

use pullback_session::sizes::{evaluate, parameters};
use pullback_types::tir::{Global, SizeParam};
use pullback_types::ty::{Atom, Size, Ty};

use crate::bug::bug;

/// Rows and columns of each part.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Of the parameters.
    pub params: Vec<[i64; 2]>,
    /// Of the result.
    pub results: Vec<[i64; 2]>,
    /// Of each part of the parameters, the size that it is, if it is an Int that is one.
    pub values: Vec<Option<i64>>,
}

/// The sizes of what a definition takes and gives, or why they are not known.
pub fn sizes(global: &Global, count: usize, given: &[(String, i64)]) -> Result<Sizes, String> {
    let mut known: BTreeMap<Atom, i64> = BTreeMap::new();
    for size in &global.sizes {
        if let Some((_, number)) = given.iter().find(|(name, _)| *name == *size.name) {
            known.insert(Atom::Param(size.id), *number);
        }
    }
    let types = parameters(&global.ty);
    let mut result = &global.ty;
    while let Ty::Fun(_, to) = result {
        result = to;
    }
    if types.len() != count {
        bug("a library offers definitions with all their parameters");
    }
    let look = Look { global, known: &known };
    let mut sizes = Sizes { params: vec![], results: vec![], values: vec![] };
    for (at, ty) in types.into_iter().enumerate() {
        look.at(ty, &mut vec![], &mut sizes.params)?;
        let of = global.sizes.iter().find(|size| size.value_of == Some(at));
        let value = of.and_then(|size| known.get(&Atom::Param(size.id)).copied());
        sizes.values.resize(sizes.params.len(), value);
    }
    look.at(result, &mut vec![], &mut sizes.results)?;
    Ok(sizes)
}

struct Look<'g> {
    global: &'g Global,
    known: &'g BTreeMap<Atom, i64>,
}

impl Look<'_> {
    /// Adds the sizes of the parts of a type below arrays of these sizes.
    fn at(&self, ty: &Ty, outer: &mut Vec<i64>, all: &mut Vec<[i64; 2]>) -> Result<(), String> {
        match ty {
            Ty::Real | Ty::Int | Ty::Bool => {
                all.push(match outer.as_slice() {
                    [] => [1, 1],
                    [rows] => [*rows, 1],
                    [rows, columns] => [*rows, *columns],
                    _ => return Err("it has an array of more than two dimensions".to_owned()),
                });
                Ok(())
            }
            Ty::Tuple(items) => items.iter().try_for_each(|item| self.at(item, outer, all)),
            Ty::Record(fields) => {
                fields.iter().try_for_each(|(_, field)| self.at(field, outer, all))
            }
            Ty::Array(size, element) => {
                outer.push(self.size(size)?);
                self.at(element, outer, all)?;
                outer.pop();
                Ok(())
            }
            Ty::Str
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error => bug("what is in a library has C types"),
        }
    }

    fn size(&self, size: &Size) -> Result<i64, String> {
        let Size::Poly(poly) = size else {
            return Err("it has an array of some size that is not named".to_owned());
        };
        match evaluate(poly, self.known) {
            Some(number) if (0..1 << 31).contains(&number) => Ok(number),
            Some(number) => Err(format!("it has an array of size {number}")),
            None => {
                let unknown = |size: &&SizeParam| {
                    let atom = Atom::Param(size.id);
                    !self.known.contains_key(&atom) && poly.atoms().any(|other| *other == atom)
                };
                Err(match self.global.sizes.iter().find(unknown) {
                    Some(size) => format!("the size `{}` is not known", size.name),
                    None => "it has an array whose size is not known".to_owned(),
                })
            }
        }
    }
}
