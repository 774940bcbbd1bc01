//! Storage of array elements by kind: Reals, Ints, Bools, units, or values (a vector for each kind, instead of boxed
//! elements).
//!
//! Input: a kind and elements. Output: vectors that grow, are copied, overwritten and turned round alike for each kind.
//! Invariant: arrays of different kinds never mix.

use std::ops::Range;

use pullback_base::bug;
use pullback_machine::Meter;
use pullback_prim::Fault;

use super::{Items, Value};
use crate::ty::Elem;

/// A kind of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reals.
    Real,
    /// Ints.
    Int,
    /// Bools.
    Bool,
    /// Nothing.
    Unit,
    /// Strings or data values.
    Values,
}

impl Kind {
    /// How elements of this type are stored.
    pub fn of(elem: Elem) -> Self {
        match elem {
            Elem::Real => Self::Real,
            Elem::Int => Self::Int,
            Elem::Bool => Self::Bool,
            Elem::Unit => Self::Unit,
            Elem::Str | Elem::Data(_) => Self::Values,
        }
    }
    /// The bytes that one element takes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Real | Self::Int => 8,
            Self::Bool => 1,
            Self::Unit => 0,
            Self::Values => size_of::<Value>(),
        }
    }
}

/// Does the same with the vector of any kind of elements.
macro_rules! each {
    ($items:expr, $vec:ident => $do:expr, $unit:expr) => {
        match $items {
            Items::Real($vec) => $do,
            Items::Int($vec) => $do,
            Items::Bool($vec) => $do,
            Items::Values($vec) => $do,
            Items::Unit => $unit,
        }
    };
}

impl Items {
    /// No elements.
    pub fn empty(kind: Kind) -> Self {
        match kind {
            Kind::Real => Self::Real(vec![]),
            Kind::Int => Self::Int(vec![]),
            Kind::Bool => Self::Bool(vec![]),
            Kind::Unit => Self::Unit,
            Kind::Values => Self::Values(vec![]),
        }
    }
    /// So many elements that nothing looks at.
    pub(in super::super) fn blank(kind: Kind, count: usize, meter: &Meter) -> Result<Self, Fault> {
        meter.reserve_elements(count, kind.bytes())?;
        let mut items = Self::empty(kind);
        items.extend_blank(count);
        Ok(items)
    }
    /// Their kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Real(_) => Kind::Real,
            Self::Int(_) => Kind::Int,
            Self::Bool(_) => Kind::Bool,
            Self::Unit => Kind::Unit,
            Self::Values(_) => Kind::Values,
        }
    }
    /// How many there are; none of units.
    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        each!(self, items => items.len(), 0)
    }
    /// What the elements, and the room for more, take.
    #[inline]
    pub(in super::super) fn bytes(&self) -> usize {
        each!(self, items => items.capacity() * size_of_val_of(items), 0)
    }
    /// Makes room for more, exactly so many if there are none yet.
    pub(in super::super) fn make_room(&mut self, more: usize, meter: &Meter) -> Result<(), Fault> {
        let bytes = self.kind().bytes();
        each!(self, items => {
            let wanted = items.len().saturating_add(more);
            if wanted > items.capacity() {
                let capacity = wanted.max(items.capacity().saturating_mul(2));
                meter.reserve_elements(capacity, bytes)?;
                items.reserve_exact(capacity - items.len());
            }
        }, ());
        Ok(())
    }
    /// The element at a place.
    #[inline]
    pub fn get(&self, at: usize) -> Value {
        match self {
            Self::Real(items) => Value::Real(items[at]),
            Self::Int(items) => Value::Int(items[at]),
            Self::Bool(items) => Value::Bool(items[at]),
            Self::Values(items) => items[at].clone(),
            Self::Unit => Value::Undef,
        }
    }
    /// Replaces an element. What nothing looks at leaves a number as it is.
    #[inline]
    pub(in super::super) fn set(&mut self, at: usize, value: Value) {
        match (self, value) {
            (Self::Real(items), Value::Real(x)) => items[at] = x,
            (Self::Int(items), Value::Int(n)) => items[at] = n,
            (Self::Bool(items), Value::Bool(b)) => items[at] = b,
            (Self::Values(items), value) => items[at] = value,
            (Self::Unit, _) | (_, Value::Undef) => {}
            (_, value) => bug("ir", format_args!("an element of the array's type, not {value:?}")),
        }
    }
    /// Appends an element.
    #[inline]
    pub(in super::super) fn push(&mut self, value: Value) {
        match (self, value) {
            (Self::Real(items), Value::Real(x)) => items.push(x),
            (Self::Int(items), Value::Int(n)) => items.push(n),
            (Self::Bool(items), Value::Bool(b)) => items.push(b),
            (Self::Values(items), value) => items.push(value),
            (items, Value::Undef) => items.extend_blank(1),
            (_, value) => bug("ir", format_args!("an element of the array's type, not {value:?}")),
        }
    }
    /// Puts rows of so many elements into the opposite order.
    pub(in super::super) fn reverse_rows(&mut self, size: usize) {
        fn reverse<T>(items: &mut [T], size: usize) {
            items.reverse();
            if size > 1 {
                items.chunks_mut(size).for_each(<[T]>::reverse);
            }
        }
        each!(self, items => reverse(items, size), ())
    }
    /// Appends elements that nothing looks at.
    pub(in super::super) fn extend_blank(&mut self, count: usize) {
        match self {
            Self::Real(items) => items.resize(items.len() + count, 0.0),
            Self::Int(items) => items.resize(items.len() + count, 0),
            Self::Bool(items) => items.resize(items.len() + count, false),
            Self::Values(items) => items.resize(items.len() + count, Value::Undef),
            Self::Unit => {}
        }
    }
    /// Appends Reals.
    pub(in super::super) fn push_reals(&mut self, reals: &[f64]) {
        match self {
            Self::Real(items) => items.extend_from_slice(reals),
            Self::Int(_) | Self::Bool(_) | Self::Values(_) | Self::Unit => {
                mixed(self.kind(), Kind::Real)
            }
        }
    }
    /// Appends some of other elements.
    pub(in super::super) fn extend(&mut self, other: &Self, range: Range<usize>) {
        match (self, other) {
            (Self::Real(items), Self::Real(other)) => items.extend_from_slice(&other[range]),
            (Self::Int(items), Self::Int(other)) => items.extend_from_slice(&other[range]),
            (Self::Bool(items), Self::Bool(other)) => items.extend_from_slice(&other[range]),
            (Self::Values(items), Self::Values(other)) => items.extend_from_slice(&other[range]),
            (Self::Unit, Self::Unit) => {}
            (items, other) => mixed(items.kind(), other.kind()),
        }
    }
    /// Puts some of other elements from a place on.
    pub(in super::super) fn overwrite(&mut self, at: usize, other: &Self, range: Range<usize>) {
        let place = at..at + range.len();
        match (self, other) {
            (Self::Real(items), Self::Real(other)) => items[place].copy_from_slice(&other[range]),
            (Self::Int(items), Self::Int(other)) => items[place].copy_from_slice(&other[range]),
            (Self::Bool(items), Self::Bool(other)) => items[place].copy_from_slice(&other[range]),
            (Self::Values(items), Self::Values(other)) => {
                items[place].clone_from_slice(&other[range]);
            }
            (Self::Unit, Self::Unit) => {}
            (items, other) => mixed(items.kind(), other.kind()),
        }
    }
}

fn size_of_val_of<T>(_: &[T]) -> usize {
    size_of::<T>()
}

#[cold]
fn mixed(one: Kind, other: Kind) -> ! {
    bug("ir", format_args!("arrays of one type, not of {one:?} and {other:?}"))
}
