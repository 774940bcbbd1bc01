//! Flattening: how the leaves of a call make up values.
//!
//! Input: a type, and the number of its first leaf. Output: a [`Form`], a tree like the type whose leaves have numbers.
//!
//! ```text
//! { w: [3]Real, b: Real }     Record [ w: Leaf 0 of rank 1, b: Leaf 1 of rank 0 ]
//! [n]{ x: Real, id: Int }     Record [ x: Leaf 0 of rank 1, id: Leaf 1 of rank 1 ]
//! its tangent                 Record [ x: Leaf 0 of rank 1, id: Absent 1 ]
//! ```
//!
//! Invariant: leaves come in the order of those of a library for C: an array of structures is a structure of arrays.

use std::collections::BTreeMap;

use pullback_lambda::{Type, TypeKind};

use crate::bug::bug;

/// What a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// Reals.
    Real,
    /// Ints.
    Int,
    /// Truth values.
    Bool,
}

/// How leaves make up a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number, a truth value, or a dense array of such.
    Leaf {
        /// Which leaf.
        at: usize,
        /// What it holds.
        elem: Elem,
        /// How many dimensions it has.
        rank: usize,
    },
    /// Nothing: the tangent of what has no Reals. If there is a leaf for it, it has the sizes of this other leaf.
    Nothing,
    /// A tuple.
    Tuple(Vec<Self>),
    /// A record, by what its type is called.
    Record(String, Vec<(String, Self)>),
}

impl Form {
    /// How many leaves make it up.
    pub fn leaves(&self) -> usize {
        match self {
            Self::Leaf { .. } => 1,
            Self::Nothing => 0,
            Self::Tuple(items) => items.iter().map(Self::leaves).sum(),
            Self::Record(_, fields) => fields.iter().map(|(_, field)| field.leaves()).sum(),
        }
    }
    /// Whether there are Reals in it.
    pub fn has_reals(&self) -> bool {
        match self {
            Self::Leaf { elem, .. } => *elem == Elem::Real,
            Self::Nothing => false,
            Self::Tuple(items) => items.iter().any(Self::has_reals),
            Self::Record(_, fields) => fields.iter().any(|(_, field)| field.has_reals()),
        }
    }
}

/// What record types are called, with their fields in the order of the text, by the sorted names of these.
pub(crate) type Names = BTreeMap<Vec<String>, (String, Vec<String>)>;

/// A leaf without contents: its own number, and that of the leaf whose sizes it has.
pub(crate) type Absent = (usize, usize);

/// The forms of values whose leaves follow each other.
pub(crate) struct Forms<'n> {
    names: &'n Names,
    /// The number of the next leaf.
    pub next: usize,
    /// The leaves without contents so far.
    pub absent: Vec<Absent>,
}

/// How a tangent is met.
#[derive(Clone, Copy)]
struct Tangent {
    /// The next leaf of the value that it belongs to.
    value: usize,
    /// Whether arrays without contents are leaves.
    has_absent: bool,
}

impl<'n> Forms<'n> {
    pub fn new(names: &'n Names) -> Self {
        Self { names, next: 0, absent: vec![] }
    }
    /// The form of a value.
    pub fn value(&mut self, ty: &Type) -> Form {
        self.walk(ty, 0, &mut None)
    }
    /// The form of a tangent or cotangent of a value whose leaves begin at a number.
    pub fn tangent(&mut self, ty: &Type, value: usize, has_absent: bool) -> Form {
        self.walk(ty, 0, &mut Some(Tangent { value, has_absent }))
    }

    fn walk(&mut self, ty: &Type, rank: usize, tangent: &mut Option<Tangent>) -> Form {
        match ty.kind() {
            TypeKind::Real => self.leaf(Elem::Real, rank, tangent),
            TypeKind::Int => self.leaf(Elem::Int, rank, tangent),
            TypeKind::Bool => self.leaf(Elem::Bool, rank, tangent),
            TypeKind::Tuple(items) => {
                Form::Tuple(items.iter().map(|item| self.walk(item, rank, tangent)).collect())
            }
            TypeKind::Record(fields) => {
                let mut key: Vec<String> =
                    fields.iter().map(|(name, _)| name.to_string()).collect();
                key.sort();
                let name = self.names.get(&key).map_or("Record", |(name, _)| name).to_owned();
                let forms = fields
                    .iter()
                    .map(|(name, item)| (name.to_string(), self.walk(item, rank, tangent)));
                Form::Record(name, forms.collect())
            }
            TypeKind::Array(element) => {
                let (before, first) = (self.next, tangent.map_or(0, |tangent| tangent.value));
                let form = self.walk(element, rank + 1, tangent);
                if self.next == before && tangent.is_some_and(|tangent| tangent.has_absent) {
                    self.absent.push((self.next, first));
                    self.next += 1;
                }
                form
            }
            TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => {
                bug("what is called from outside is numbers, arrays and structures")
            }
        }
    }

    fn leaf(&mut self, elem: Elem, rank: usize, tangent: &mut Option<Tangent>) -> Form {
        if let Some(tangent) = tangent {
            tangent.value += 1;
            if elem != Elem::Real {
                return Form::Nothing;
            }
        }
        self.next += 1;
        Form::Leaf { at: self.next - 1, elem, rank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_numbered_as_values_lie() {
        let array = Type::array;
        let fields = vec![("x".into(), Type::real()), ("id".into(), array(Type::int()))];
        let item = Type::new(TypeKind::Record(fields));
        let names = Names::new();
        let mut forms = Forms::new(&names);
        let leaf = |at, elem, rank| Form::Leaf { at, elem, rank };
        let record =
            |x, id| Form::Record("Record".into(), vec![("x".into(), x), ("id".into(), id)]);
        let value = forms.value(&array(item.clone()));
        assert_eq!(value, record(leaf(0, Elem::Real, 1), leaf(1, Elem::Int, 2)));
        let tangent = forms.tangent(&array(item), 0, true);
        assert_eq!(tangent, record(leaf(2, Elem::Real, 1), Form::Nothing));
        assert_eq!((forms.next, forms.absent), (4, vec![(3, 1)]));
    }
}
