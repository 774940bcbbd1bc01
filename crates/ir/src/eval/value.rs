//! Values of the IR at run time: scalars, counted data and arrays, and accumulators.
//!
//! A value is 16 bytes; what is larger is shared by reference count, in the account of memory, and freed without
//! recursion. The types refer to each other, so all stand here; what each can do is in files of their own.

mod acc;
mod array;
mod free;
mod items;
mod node;
mod shape;

pub(super) use array::{check_sizes, position};
pub use items::Kind;

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::Text;

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// One that nothing looks at.
    #[default]
    Undef,
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(Rc<Text>),
    /// A data value without fields, by its tag.
    Tag(u32),
    /// A data value with fields.
    Data(Rc<Node>),
    /// An array.
    Array(Rc<Array>),
    /// An accumulator, or a part of one.
    Acc(Rc<Acc>),
}

/// The tag of a data value and its fields, of which there are some.
#[derive(Debug)]
pub struct Node {
    tag: u32,
    fields: Fields,
}

#[derive(Debug)]
enum Fields {
    One([Value; 1]),
    Two([Value; 2]),
    Three([Value; 3]),
    Many(Vec<Value>),
}

/// The sizes of an array, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Dims);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Dims {
    Zero,
    One([usize; 1]),
    Two([usize; 2]),
    Three([usize; 3]),
    Many(Box<[usize]>),
}

/// A dense array: a contiguous part of a row-major buffer, which others may share.
#[derive(Debug)]
pub struct Array {
    buffer: Rc<Buffer>,
    /// Where its first element is in the buffer.
    offset: usize,
    shape: Shape,
}

/// The elements of arrays.
#[derive(Debug)]
pub struct Buffer {
    items: Items,
    /// The bytes of it in the account.
    charged: usize,
}

/// How elements are stored.
#[derive(Clone, Debug)]
pub enum Items {
    /// Reals.
    Real(Vec<f64>),
    /// Ints.
    Int(Vec<i64>),
    /// Bools.
    Bool(Vec<bool>),
    /// Nothing: an array of units has sizes alone.
    Unit,
    /// Strings or data values.
    Values(Vec<Value>),
}

/// An accumulator, or the part of one that a place in it leads to.
#[derive(Debug)]
pub struct Acc {
    /// What is accumulated; all parts of an accumulator share it.
    cell: Rc<Cell>,
    offset: usize,
    /// Without sizes for one element.
    shape: Shape,
}

/// What is accumulated, until it has been read. Nothing else shares the buffer.
#[derive(Debug)]
struct Cell(RefCell<Option<Rc<Buffer>>>);

impl Value {
    /// A String.
    pub fn str(text: &str) -> Self {
        Self::Str(Rc::new(Text::new(&[text])))
    }
    /// A data value.
    pub fn data(tag: u32, fields: Vec<Self>) -> Self {
        Self::con(tag, fields.len(), fields.into_iter())
    }
    /// A data value of the next fields, so many.
    #[inline]
    pub(super) fn con(tag: u32, count: usize, fields: impl Iterator<Item = Self>) -> Self {
        if count == 0 {
            Self::Tag(tag)
        } else {
            Self::Data(Rc::new(Node::collect(tag, count, fields)))
        }
    }
    /// An array with this shape of these elements, in row-major order.
    pub fn array(shape: Shape, items: Items) -> Self {
        Self::Array(Rc::new(Array::new(shape, items)))
    }
    /// An array of Reals of one dimension.
    pub fn reals(items: Vec<f64>) -> Self {
        Self::array(Shape::new(&[items.len()]), Items::Real(items))
    }
    /// An array of Ints of one dimension.
    pub fn ints(items: Vec<i64>) -> Self {
        Self::array(Shape::new(&[items.len()]), Items::Int(items))
    }
    /// The Real it is.
    pub fn as_real(&self) -> Option<f64> {
        if let Self::Real(x) = self { Some(*x) } else { None }
    }
    /// The Int it is.
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(n) = self { Some(*n) } else { None }
    }
    /// The array it is.
    pub fn as_array(&self) -> Option<&Array> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }
    /// The tag and fields of the data value it is.
    #[inline]
    pub fn as_data(&self) -> Option<(u32, &[Self])> {
        if let Self::Tag(tag) = self {
            Some((*tag, &[]))
        } else if let Self::Data(node) = self {
            Some((node.tag, node.fields()))
        } else {
            None
        }
    }
    /// Whether the value holds nothing that is counted, so that it may be forgotten without a drop.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Undef | Self::Real(_) | Self::Int(_) | Self::Bool(_) | Self::Tag(_))
    }
}
