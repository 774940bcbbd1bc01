//! What sizes the parameters of a function are to have, as far as types tell: the parts of one array have one size, and
//! each array the declared sizes. What types do not tell is looked at when the function runs.
//!
//! Input: the type of a definition with the names of sizes, and the parts of what a function takes. Output: the sizes to
//! look at, in the order in which the command line reads the same values from a file ([`pullback_session::sizes`]).

use std::collections::BTreeMap;

use pullback_codegen::{Field, Fit, Known, Place, Wanted};
use pullback_ir::Elem;
use pullback_lambda::Type;
use pullback_session::sizes::parameters;
use pullback_types::tir::Global;
use pullback_types::ty::{Atom, Poly, Size, Ty};

use super::fields::directions;
use super::shape::{Kind, Param, Shape};
use crate::bug::bug;

/// The declared sizes of a part of a value.
struct Part {
    /// The sizes of its dimensions.
    sizes: Vec<Size>,
    /// For each dimension the first part of the array that it counts the elements of, and what that array is called.
    arrays: Vec<(usize, String)>,
    /// The parameter.
    param: usize,
    /// Whether its elements say these sizes first, as those of sums do.
    is_told: bool,
}

/// The parts of values, in the order in which they are given.
struct Walk {
    param: usize,
    outer: Vec<(Size, usize, String)>,
    parts: Vec<Part>,
}

impl Walk {
    /// Adds the parts of a value of a type, which crosses as a value of another.
    fn value(&mut self, ty: &Ty, crosses: &Type, name: &str) {
        match ty {
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str => self.part(false),
            Ty::Sum(..) => {
                // Its Ints begin with the sizes of arrays of it; how many Reals and Strings there are follows from these.
                self.part(true);
                for _ in crosses.parts().iter().skip(1) {
                    let (sizes, param) = (vec![Size::Any], self.param);
                    self.parts.push(Part { sizes, arrays: vec![], param, is_told: false });
                }
            }
            Ty::Tuple(items) => {
                let parts = element(crosses).parts();
                for (at, (item, crosses)) in items.iter().zip(parts).enumerate() {
                    self.value(item, crosses, &format!("{name}.{at}"));
                }
            }
            Ty::Record(fields) => {
                let parts = element(crosses).parts();
                for ((field, item), crosses) in fields.iter().zip(parts) {
                    self.value(item, crosses, &format!("{name}.{field}"));
                }
            }
            Ty::Array(size, element) => {
                self.outer.push((size.clone(), self.parts.len(), name.to_owned()));
                self.value(element, crosses, name);
                self.outer.pop();
            }
            Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error => bug("what is in a library has C types"),
        }
    }

    fn part(&mut self, is_told: bool) {
        let sizes = self.outer.iter().map(|(size, ..)| size.clone()).collect();
        let arrays = self.outer.iter().map(|(_, first, name)| (*first, name.clone()));
        let arrays = arrays.collect();
        self.parts.push(Part { sizes, arrays, param: self.param, is_told });
    }
}

/// What is in arrays.
fn element(ty: &Type) -> &Type {
    ty.element().map_or(ty, element)
}

/// What the declared names are known by.
type Names = BTreeMap<Atom, Known>;

/// The sizes of what a function takes.
pub fn fits(global: &Global, shape: &Shape, params: &[Field]) -> Vec<Fit> {
    let types = parameters(&global.ty);
    let mut walk = Walk { param: 0, outer: vec![], parts: vec![] };
    let mut firsts = vec![];
    for (param, ty) in types.iter().enumerate() {
        firsts.push(walk.parts.len());
        walk.param = param;
        let Param { name, ty: crosses, .. } = &shape.params[param];
        walk.value(ty, crosses, name);
    }
    let parts = std::mem::take(&mut walk.parts);
    let mut result = &global.ty;
    while let Ty::Fun(_, to) = result {
        result = to;
    }
    walk.value(result, &shape.result, "value");
    let known = known(global, &parts, &firsts);
    let mut fits = alike(&parts);
    fits.extend(declared(&parts, shape, &known));
    fits.extend(of_directions(&walk.parts, shape, params, &known));
    fits
}

/// Each dimension of each part that is the first one of its array.
fn dimensions(parts: &[Part]) -> impl Iterator<Item = (Place, &Size)> {
    parts.iter().enumerate().flat_map(move |(param, part)| {
        let own = part.arrays.iter().enumerate().filter(move |(_, (first, _))| *first == param);
        own.map(move |(at, _)| (place(parts, param, at), &part.sizes[at]))
    })
}

fn place(parts: &[Part], param: usize, dimension: usize) -> Place {
    Place { is_told: parts[param].is_told, ..size(param, dimension) }
}

fn size(param: usize, dimension: usize) -> Place {
    let Ok(dimension) = u8::try_from(dimension) else { bug("an array has few dimensions") };
    Place { param, dimension, is_told: false }
}

/// The names of sizes whose values are given, or which a size is alone.
fn known(global: &Global, parts: &[Part], firsts: &[usize]) -> Names {
    let mut known = Names::new();
    for size in &global.sizes {
        if let Some(first) = size.value_of.and_then(|param| firsts.get(param)) {
            known.insert(Atom::Param(size.id), Known::Int(*first));
        }
    }
    for (place, size) in dimensions(parts) {
        if let Size::Poly(declared) = size
            && let Some(atom) = declared.as_atom()
        {
            known.entry(atom.clone()).or_insert(Known::Size(place));
        }
    }
    known
}

/// That the parts of one array have its size.
fn alike(parts: &[Part]) -> Vec<Fit> {
    let mut fits = vec![];
    for (param, part) in parts.iter().enumerate() {
        for (at, (first, name)) in part.arrays.iter().enumerate() {
            if *first != param {
                let wanted = Wanted::Alike(place(parts, *first, at));
                fits.push(Fit { place: place(parts, param, at), name: name.clone(), wanted });
            }
        }
    }
    fits
}

/// That sizes are the declared ones.
fn declared(parts: &[Part], shape: &Shape, known: &Names) -> Vec<Fit> {
    let of = |(place, size): (Place, &Size)| {
        let Size::Poly(declared) = size else { return None };
        let terms = terms(declared, known)?;
        let is_itself = terms == [(1, vec![Known::Size(place)])];
        let name = shape.params[parts[place.param].param].name.clone();
        (!is_itself).then_some(Fit { place, name, wanted: Wanted::Declared(terms) })
    };
    dimensions(parts).filter_map(of).collect()
}

/// That tangents and cotangents have the sizes of what they belong to.
fn of_directions(result: &[Part], shape: &Shape, params: &[Field], known: &Names) -> Vec<Fit> {
    let counts = directions(shape);
    let values = params.iter().take_while(|field| field.like.is_none()).count();
    let mut fits = vec![];
    for (param, field) in params.iter().enumerate() {
        let Some(whose) = field.like else { continue };
        let at = param - values;
        let is_of_value = match shape.kind {
            Kind::Vjp => true,
            Kind::VjpJvp => !(counts.cotangents..counts.cotangents + counts.tangents).contains(&at),
            Kind::Value | Kind::Jvp | Kind::Grad | Kind::Hvp => false,
        };
        if field.ty.elem == Elem::Unit {
            continue;
        }
        for dimension in 0..usize::from(field.ty.rank) {
            let terms = if is_of_value {
                let Size::Poly(declared) = &result[whose].sizes[dimension] else { continue };
                terms(declared, known)
            } else {
                Some(vec![(1, vec![Known::Size(size(whose, dimension))])])
            };
            if let Some(terms) = terms {
                let (place, name) = (size(param, dimension), field.name.clone());
                fits.push(Fit { place, name, wanted: Wanted::Direction(terms) });
            }
        }
    }
    fits
}

/// A polynomial of what is known, if all of it is.
fn terms(declared: &Poly, known: &Names) -> Option<Vec<(i64, Vec<Known>)>> {
    let product = |(atoms, coefficient): &(Vec<Atom>, i64)| {
        let factors: Option<Vec<Known>> =
            atoms.iter().map(|atom| known.get(atom).copied()).collect();
        Some((*coefficient, factors?))
    };
    declared.terms.iter().map(product).collect()
}
