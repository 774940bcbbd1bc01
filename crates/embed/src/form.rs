//! Flattening: how the leaves of a call make up values.
//!
//! Input: a type, and the number of its first leaf. Output: a [`Form`], a tree like the type whose leaves have numbers.
//!
//! ```text
//! { w: [3]Real, b: Real }     Record [ w: Leaf 0 of rank 1, b: Leaf 1 of rank 0 ]
//! [n]{ x: Real, id: Int }     Record [ x: Leaf 0 of rank 1, id: Leaf 1 of rank 1 ]
//! its tangent                 Record [ x: Leaf 0 of rank 1, id: Absent 1 ]
//! [n]Shape                    Sum of rank 1: its Ints are leaf 0, its Reals leaf 1, and its Strings would be leaf 2
//! ```
//!
//! Invariant: leaves come in the order of those of a library for C: an array of structures is a structure of arrays.

use std::collections::BTreeMap;

use pullback_base::{IdVec, Name};
use pullback_lambda::{Data, DataId, Type, TypeKind};

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
    /// Strings.
    Str,
}

/// How leaves make up a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number, a truth value, a String, or a dense array of such.
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
    /// A value with sums, written as numbers.
    Sum {
        /// The leaf of its Ints.
        ints: usize,
        /// The leaf of its Reals, if it can have some.
        reals: Option<usize>,
        /// The leaf of its Strings, if it can have some.
        strings: Option<usize>,
        /// Its type.
        ty: Written,
    },
    /// The tangent of such a value.
    SumTangent {
        /// The leaf of its Reals.
        reals: usize,
        /// The leaf of the Ints of the value, of those given.
        ints: usize,
        /// Whether the value is the one that comes back: then the leaf is one of those.
        is_of_value: bool,
        /// The type of the value.
        ty: Written,
    },
}

/// The type of a value that is written as numbers, parts first to last: a sum value is its tag and then its fields, an
/// array is its sizes and then its elements. Ints, truth values, tags and sizes are Ints. Strings are in an array of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A number, a truth value, or a String.
    One(Elem),
    /// A tuple.
    Tuple(Vec<Self>),
    /// A record, by what its type is called.
    Record(String, Vec<(String, Self)>),
    /// An array, with how many dimensions.
    Array(usize, Box<Self>),
    /// A value of a sum type, by its number among those of a function.
    Sum(usize),
}

/// A sum type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Its name, without those of types that it is applied to.
    pub name: String,
    /// Its constructors, each with the types of its fields: a tag is a position.
    pub constructors: Vec<(String, Vec<Written>)>,
}

impl Form {
    /// How many leaves make it up.
    pub fn leaves(&self) -> usize {
        match self {
            Self::Leaf { .. } => 1,
            Self::Nothing => 0,
            Self::Sum { reals, strings, .. } => {
                1 + usize::from(reals.is_some()) + usize::from(strings.is_some())
            }
            Self::SumTangent { .. } => 1,
            Self::Tuple(items) => items.iter().map(Self::leaves).sum(),
            Self::Record(_, fields) => fields.iter().map(|(_, field)| field.leaves()).sum(),
        }
    }
    /// Whether there are Reals in it.
    pub fn has_reals(&self) -> bool {
        match self {
            Self::Leaf { elem, .. } => *elem == Elem::Real,
            Self::Nothing => false,
            Self::Sum { reals, .. } => reals.is_some(),
            Self::SumTangent { .. } => true,
            Self::Tuple(items) => items.iter().any(Self::has_reals),
            Self::Record(_, fields) => fields.iter().any(|(_, field)| field.has_reals()),
        }
    }
}

/// What record types are called, with their fields in the order of the text, by the sorted names of these.
pub(crate) type Names = BTreeMap<Vec<String>, (String, Vec<String>)>;

/// A leaf without contents: its own number, and that of the leaf whose sizes it has.
pub(crate) type Absent = (usize, usize);

/// The sum types of a program, as far as values have them.
pub(crate) struct Sums<'n> {
    names: &'n Names,
    datas: &'n IdVec<DataId, Data>,
    numbers: BTreeMap<DataId, usize>,
    /// Those that are in values.
    pub all: Vec<Sum>,
}

impl<'n> Sums<'n> {
    pub fn new(names: &'n Names, datas: &'n IdVec<DataId, Data>) -> Self {
        Self { names, datas, numbers: BTreeMap::new(), all: vec![] }
    }

    fn record(&self, fields: &[(Name, Type)]) -> String {
        let mut key: Vec<String> = fields.iter().map(|(name, _)| name.to_string()).collect();
        key.sort();
        self.names.get(&key).map_or("Record", |(name, _)| name).to_owned()
    }

    fn written(&mut self, ty: &Type) -> Written {
        match ty.kind() {
            TypeKind::Real => Written::One(Elem::Real),
            TypeKind::Int => Written::One(Elem::Int),
            TypeKind::Bool => Written::One(Elem::Bool),
            TypeKind::Tuple(items) => {
                Written::Tuple(items.iter().map(|item| self.written(item)).collect())
            }
            TypeKind::Record(fields) => {
                let written =
                    fields.iter().map(|(name, item)| (name.to_string(), self.written(item)));
                let written = written.collect();
                Written::Record(self.record(fields), written)
            }
            TypeKind::Array(_) => {
                let (levels, element) = innermost(ty);
                Written::Array(levels, Box::new(self.written(element)))
            }
            TypeKind::Data(data) => Written::Sum(self.number(*data)),
            TypeKind::Str => Written::One(Elem::Str),
            TypeKind::Fun(..) => bug("what is called from outside holds no functions"),
        }
    }

    /// The number of a sum type, which has one before its fields are looked at.
    fn number(&mut self, data: DataId) -> usize {
        if let Some(number) = self.numbers.get(&data) {
            return *number;
        }
        let number = self.all.len();
        self.numbers.insert(data, number);
        let name = self.datas[data].name.split(' ').next().unwrap_or_default().to_owned();
        self.all.push(Sum { name, constructors: vec![] });
        let datas = self.datas;
        let constructors = datas[data].constructors.iter().map(|con| {
            let fields = con.fields.iter().map(|field| self.written(field));
            (con.name.to_string(), fields.collect())
        });
        let constructors = constructors.collect();
        self.all[number].constructors = constructors;
        number
    }
}

/// What is in the innermost of arrays that are directly inside each other, and how many there are.
fn innermost(ty: &Type) -> (usize, &Type) {
    let levels = ty.nesting();
    (levels, (0..levels).fold(ty, |ty, _| ty.item()))
}

/// The forms of values whose leaves follow each other.
pub(crate) struct Forms<'n, 's> {
    sums: &'s mut Sums<'n>,
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
    /// Whether that value is the one that comes back.
    is_of_value: bool,
}

/// A type, and that as which its values cross.
#[derive(Clone, Copy)]
pub(crate) struct Crossing<'t> {
    pub ty: &'t Type,
    pub crosses: &'t Type,
}

impl<'n, 's> Forms<'n, 's> {
    pub fn new(sums: &'s mut Sums<'n>) -> Self {
        Self { sums, next: 0, absent: vec![] }
    }
    /// The form of a value.
    pub fn value(&mut self, ty: Crossing<'_>) -> Form {
        self.walk(ty, 0, 0, &mut None)
    }
    /// The form of a tangent or cotangent of a parameter whose leaves begin at a number.
    pub fn tangent(&mut self, ty: Crossing<'_>, value: usize) -> Form {
        let tangent = Tangent { value, has_absent: true, is_of_value: false };
        self.walk(ty, 0, 0, &mut Some(tangent))
    }
    /// The form of a tangent or cotangent of the value that comes back.
    pub fn tangent_of_value(&mut self, ty: Crossing<'_>, has_absent: bool) -> Form {
        self.walk(ty, 0, 0, &mut Some(Tangent { value: 0, has_absent, is_of_value: true }))
    }

    /// The form of what is inside of so many arrays: all in all, and as it crosses.
    fn walk(
        &mut self,
        Crossing { ty, crosses }: Crossing<'_>,
        outer: usize,
        rank: usize,
        tangent: &mut Option<Tangent>,
    ) -> Form {
        let (levels, inner) = innermost(ty);
        if matches!(inner.kind(), TypeKind::Data(_)) {
            return self.sum(inner, outer + levels, crosses, tangent);
        }
        match crosses.kind() {
            TypeKind::Real => self.leaf(Elem::Real, rank, tangent),
            TypeKind::Int => self.leaf(Elem::Int, rank, tangent),
            TypeKind::Bool => self.leaf(Elem::Bool, rank, tangent),
            TypeKind::Str => self.leaf(Elem::Str, rank, tangent),
            TypeKind::Tuple(items) => {
                let parts = inner.parts().into_iter().zip(items);
                let forms = parts.map(|(ty, crosses)| {
                    self.walk(Crossing { ty, crosses }, outer + levels, rank, tangent)
                });
                Form::Tuple(forms.collect())
            }
            TypeKind::Record(fields) => {
                let name = self.sums.record(fields);
                let parts = inner.parts().into_iter().zip(fields);
                let forms = parts.map(|(ty, (name, crosses))| {
                    let crossing = Crossing { ty, crosses };
                    (name.to_string(), self.walk(crossing, outer + levels, rank, tangent))
                });
                Form::Record(name, forms.collect())
            }
            TypeKind::Array(element) => {
                let (before, first) = (self.next, tangent.map_or(0, |tangent| tangent.value));
                let form = self.walk(Crossing { ty, crosses: element }, outer, rank + 1, tangent);
                if self.next == before && tangent.is_some_and(|tangent| tangent.has_absent) {
                    self.absent.push((self.next, first));
                    self.next += 1;
                }
                form
            }
            TypeKind::Data(_) | TypeKind::Fun(..) => {
                bug("what is called from outside crosses as numbers, Strings and arrays")
            }
        }
    }

    fn sum(
        &mut self,
        ty: &Type,
        levels: usize,
        crosses: &Type,
        tangent: &mut Option<Tangent>,
    ) -> Form {
        let has = |element: &Type| crosses.parts().into_iter().any(|part| part.item() == element);
        let (has_reals, has_strings) = (has(&Type::real()), has(&Type::str()));
        let count = 1 + usize::from(has_reals) + usize::from(has_strings);
        let mut ty = self.sums.written(ty);
        if levels > 0 {
            ty = Written::Array(levels, Box::new(ty));
        }
        let Some(tangent) = tangent else {
            let ints = self.next;
            self.next += count;
            let reals = has_reals.then_some(ints + 1);
            let strings = has_strings.then_some(ints + count - 1);
            return Form::Sum { ints, reals, strings, ty };
        };
        let ints = tangent.value;
        tangent.value += count;
        let absent = |forms: &mut Self, like: usize| {
            if tangent.has_absent {
                forms.absent.push((forms.next, like));
                forms.next += 1;
            }
        };
        // Its Ints and its Strings are arrays without contents.
        absent(self, ints);
        let reals = self.next;
        self.next += usize::from(has_reals);
        if has_strings {
            absent(self, ints + count - 1);
        }
        if !has_reals {
            return Form::Nothing;
        }
        Form::SumTangent { reals, ints, is_of_value: tangent.is_of_value, ty }
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
        let (names, datas) = (Names::new(), IdVec::default());
        let mut sums = Sums::new(&names, &datas);
        let mut forms = Forms::new(&mut sums);
        let leaf = |at, elem, rank| Form::Leaf { at, elem, rank };
        let record =
            |x, id| Form::Record("Record".into(), vec![("x".into(), x), ("id".into(), id)]);
        let ty = array(item.clone());
        let columns =
            vec![("x".into(), array(Type::real())), ("id".into(), array(array(Type::int())))];
        let crosses = Type::new(TypeKind::Record(columns));
        let crossing = Crossing { ty: &ty, crosses: &crosses };
        let value = forms.value(crossing);
        assert_eq!(value, record(leaf(0, Elem::Real, 1), leaf(1, Elem::Int, 2)));
        let tangent = forms.tangent(crossing, 0);
        assert_eq!(tangent, record(leaf(2, Elem::Real, 1), Form::Nothing));
        assert_eq!((forms.next, forms.absent), (4, vec![(3, 1)]));
    }
}
