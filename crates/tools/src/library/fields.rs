//! The parts of what a function of a library is given and gives, with their names: as values lie in the IR.

use std::collections::BTreeSet;

use pullback_codegen::Field;
use pullback_ir::{Elem, Type as Leaf};
use pullback_lambda::{DataId, Program, Type, TypeKind};

use super::asked::Abi;
use super::names::Names;
use super::shape::{Kind, Shape};
use crate::bug::bug;

/// Why a type has no C type, if it has none. CasADi has none for sums and Strings. What is known are sum types that have been looked at.
pub fn problem(
    program: &Program,
    ty: &Type,
    abi: Abi,
    known: &mut BTreeSet<DataId>,
) -> Option<&'static str> {
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool => None,
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            ty.parts().into_iter().find_map(|part| problem(program, part, abi, known))
        }
        TypeKind::Array(element) => match problem(program, element, abi, known) {
            None if is_empty(element) => Some("it has an array without contents"),
            other => other,
        },
        TypeKind::Data(data) => {
            if abi == Abi::Casadi {
                return Some("it has a value of a sum type");
            }
            if !known.insert(*data) {
                return None;
            }
            let mut fields = program.datas[*data].constructors.iter().flat_map(|con| &con.fields);
            fields.find_map(|ty| problem(program, ty, abi, known))
        }
        TypeKind::Str => (abi == Abi::Casadi).then_some("it has a String"),
        TypeKind::Fun(..) => Some("it has a function in what it takes or gives"),
    }
}

/// Whether nothing is in the values of a type.
fn is_empty(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => ty.parts().into_iter().all(is_empty),
        TypeKind::Array(element) => is_empty(element),
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => false,
    }
}

/// A part of a value: its name, its type.
struct Part {
    name: String,
    ty: Leaf,
}

/// Adds the parts of a value.
fn add_parts(ty: &Type, name: &str, rank: u8, parts: &mut Vec<Part>) {
    let elem = match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            for (name, item) in components(ty, name) {
                add_parts(item, &name, rank, parts);
            }
            return;
        }
        TypeKind::Array(element) => return add_parts(element, name, rank + 1, parts),
        TypeKind::Real => Elem::Real,
        TypeKind::Int => Elem::Int,
        TypeKind::Bool => Elem::Bool,
        TypeKind::Str => Elem::Str,
        TypeKind::Data(_) | TypeKind::Fun(..) => bug("what is in a library has C types"),
    };
    parts.push(Part { name: name.to_owned(), ty: Leaf::scalar(elem).with_rank(rank) });
}

/// The components of a structure, with their names.
fn components<'t>(ty: &'t Type, name: &str) -> Vec<(String, &'t Type)> {
    match ty.kind() {
        TypeKind::Tuple(items) => {
            let named = |(at, item)| (format!("{name}_{at}"), item);
            items.iter().enumerate().map(named).collect()
        }
        TypeKind::Record(fields) => {
            fields.iter().map(|(field, item)| (format!("{name}_{field}"), item)).collect()
        }
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Array(_)
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => vec![],
    }
}

fn parts(ty: &Type, name: &str) -> Vec<Part> {
    let mut parts = vec![];
    add_parts(ty, name, 0, &mut parts);
    parts
}

/// The parts of a tangent of a value whose parts begin at a number, each with the part of the value that has its
/// sizes.
fn tangents(ty: &Type, name: &str, first: usize, end: &str) -> Vec<(Part, usize)> {
    let mut found = vec![];
    let mut next = first;
    walk_tangents(ty, name, 0, &mut next, &mut found);
    for (part, _) in &mut found {
        part.name.push_str(end);
    }
    found
}

fn walk_tangents(
    ty: &Type,
    name: &str,
    rank: u8,
    next: &mut usize,
    found: &mut Vec<(Part, usize)>,
) {
    let part = |elem, rank| Part { name: name.to_owned(), ty: Leaf::scalar(elem).with_rank(rank) };
    match ty.kind() {
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            for (name, item) in components(ty, name) {
                walk_tangents(item, &name, rank, next, found);
            }
        }
        TypeKind::Array(element) => {
            let (before, first) = (found.len(), *next);
            walk_tangents(element, name, rank + 1, next, found);
            if found.len() == before {
                found.push((part(Elem::Unit, rank + 1), first));
            }
        }
        TypeKind::Real => {
            found.push((part(Elem::Real, rank), *next));
            *next += 1;
        }
        TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => {
            *next += 1;
        }
    }
}

/// How many parts directions have.
pub struct Directions {
    /// Those of the parameters that move.
    pub tangents: usize,
    /// Those of the value.
    pub cotangents: usize,
}

/// How many parts the directions of a function have.
pub fn directions(shape: &Shape) -> Directions {
    let count = |ty: &Type| tangents(ty, "", 0, "").len();
    let has_contents = |(part, _): &(Part, usize)| part.ty.elem != Elem::Unit;
    let cotangents =
        tangents(&shape.result, "", 0, "").iter().filter(|part| has_contents(part)).count();
    let moving = shape.params.iter().filter(|param| param.moves);
    Directions { tangents: moving.map(|param| count(&param.ty)).sum(), cotangents }
}

/// Whether derivatives are with respect to each part of the parameters.
pub fn moving(shape: &Shape) -> Vec<bool> {
    let of = |param: &super::shape::Param| {
        let moves = param.moves;
        let all = parts(&param.ty, "").into_iter();
        all.map(move |part| moves && part.ty.elem == Elem::Real).collect::<Vec<_>>()
    };
    shape.params.iter().flat_map(of).collect()
}

/// The parts that a function is given, and those that it gives; they have these types in the IR.
pub fn of(shape: &Shape, given: &[Leaf], gives: &[Leaf]) -> (Vec<Field>, Vec<Field>) {
    let mut names = Names::new([]);
    let mut params: Vec<Field> = vec![];
    let mut results: Vec<Field> = vec![];
    let value = |names: &mut Names, part: Part| Field {
        name: names.unique(&part.name),
        ty: part.ty,
        like: None,
    };
    let mut moving = vec![];
    for param in &shape.params {
        let first = params.len();
        if param.moves {
            moving.push((param, first));
        }
        params
            .extend(parts(&param.ty, &param.name).into_iter().map(|part| value(&mut names, part)));
    }
    let tangent = |names: &mut Names, (part, like): (Part, usize)| Field {
        name: names.unique(&part.name),
        ty: part.ty,
        like: Some(like),
    };
    let of_params = |names: &mut Names, end: &str| -> Vec<Field> {
        let all = moving.iter().flat_map(|(param, at)| tangents(&param.ty, &param.name, *at, end));
        all.map(|part| tangent(names, part)).collect()
    };
    let of_value = |names: &mut Names, end: &str| -> Vec<Field> {
        let all = tangents(&shape.result, "value", 0, end).into_iter();
        all.map(|part| tangent(names, part)).collect()
    };
    // What is given of a cotangent has contents; the rest is made where the sizes are known.
    let given_of_value = |names: &mut Names, end: &str| -> Vec<Field> {
        of_value(names, end).into_iter().filter(Field::is_seen).collect()
    };
    match shape.kind {
        Kind::Value | Kind::Grad => {}
        Kind::Jvp | Kind::Hvp => params.extend(of_params(&mut names, "_dot")),
        Kind::Vjp => params.extend(given_of_value(&mut names, "_bar")),
        Kind::VjpJvp => {
            params.extend(given_of_value(&mut names, "_bar"));
            params.extend(of_params(&mut names, "_dot"));
            params.extend(given_of_value(&mut names, "_bar_dot"));
        }
    }
    if !matches!(shape.kind, Kind::Hvp | Kind::VjpJvp) {
        let all = parts(&shape.result, "value").into_iter();
        results.extend(all.map(|part| value(&mut names, part)));
    }
    match shape.kind {
        Kind::Value => {}
        Kind::Jvp => results.extend(of_value(&mut names, "_dot")),
        Kind::Vjp | Kind::Grad => results.extend(of_params(&mut names, "_bar")),
        Kind::Hvp | Kind::VjpJvp => results.extend(of_params(&mut names, "_bar_dot")),
    }
    let types = |fields: &[Field]| fields.iter().map(|field| field.ty).collect::<Vec<_>>();
    if types(&params) != given || types(&results) != gives {
        bug("the parts of values are those of their types");
    }
    (params, results)
}
