//! Run-time values. A value is 16 bytes; structures are shared by reference count and dropped
//! without recursion, however deep they are. The types of values refer to each other, so all stand
//! here; what arrays and fields can do is in files of their own.

mod array;
mod chain;
mod fields;
mod free;

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::{Text, memory};

use crate::chunks::Chunks;

/// A value of the calculus.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// The empty tuple.
    #[default]
    Unit,
    /// A Bool.
    Bool(bool),
    /// An Int.
    Int(i64),
    /// A Real with no derivative attached.
    Real(f64),
    /// A constructor without fields, by its tag.
    Tag(u32),
    /// A Real that some running differentiation follows.
    Active(Rc<Active>),
    /// A String.
    Str(Rc<Text>),
    /// A tuple or record of one or more components.
    Tuple(Rc<Fields>),
    /// A constructor with one or more fields.
    Data(Rc<Fields>),
    /// A constructor whose one field is an Int, of a type that is stored packed.
    IntOf(u32, i64),
    /// A constructor whose one field is a Real, of a type that is stored packed.
    RealOf(u32, f64),
    /// So many of the nodes of a chain, of a type that is stored packed.
    Chain(u32, Rc<Chain>),
    /// An array.
    Array(Rc<Array>),
    /// A function: its code and what it captured.
    Closure(u32, Option<Rc<Fields>>),
    /// A function that still lacks arguments; the first field is the function, the rest what it has.
    Partial(Rc<Fields>),
    /// A function made by an engine, such as a pullback.
    Native(Rc<NativeValue>),
}

/// A Real that the differentiation of one level follows.
#[derive(Debug)]
pub struct Active {
    /// The activation it belongs to; later activations have higher levels.
    pub level: u64,
    /// Its value, which an earlier activation may follow too.
    pub primal: Value,
    /// What the engine of its level keeps of its derivative: a tangent or the index of a node.
    pub tangent: Value,
}

/// An array.
#[derive(Debug)]
pub struct Array {
    items: Items,
    charged: usize,
}

/// How the elements are stored.
#[derive(Debug)]
pub enum Items {
    /// Reals that nothing follows.
    Real(Vec<f64>),
    /// Ints.
    Int(Vec<i64>),
    /// Anything.
    Values(Vec<Value>),
    /// No arrays: the sizes that each of them would have, outermost first; zeros at the end are left out.
    Absent(Rc<[usize]>),
}

/// A constructor's tag (0 where there is none) and one or more fields.
#[derive(Debug)]
pub struct Fields {
    tag: u32,
    items: FieldItems,
}

#[derive(Debug)]
enum FieldItems {
    One([Value; 1]),
    Two([Value; 2]),
    Three([Value; 3]),
    Many(Vec<Value>),
}

/// The nodes of a chain.
#[derive(Debug)]
pub struct Chain {
    /// What the first node is added to.
    before: Value,
    nodes: RefCell<Nodes>,
}

#[derive(Debug, Default)]
struct Nodes {
    heads: Chunks<Head>,
    /// The fields of all nodes: numbers as they are, of others where they stand.
    words: Chunks<u64>,
    others: Chunks<Value>,
}

/// What a node is and where its fields begin.
#[derive(Debug)]
struct Head {
    tag: u16,
    /// What each field is, in two bits.
    kinds: u16,
    start: u32,
}

/// A function that an engine made, such as a pullback.
pub struct NativeValue(Box<dyn NativeFunction>);

/// What values know of a function that an engine made; whoever made it knows how to apply it.
pub(super) trait NativeFunction: Any {
    /// What it is, for messages.
    fn name(&self) -> &'static str;
    /// Moves the functions it holds into `work`, so that long chains are freed without recursion.
    fn release(&mut self, work: &mut Vec<Value>);
}

impl NativeValue {
    pub(super) fn new(function: Box<dyn NativeFunction>) -> Self {
        Self(function)
    }
    /// The function as what it was made of.
    pub(super) fn made_of<T: NativeFunction>(&self) -> Option<&T> {
        let function: &dyn Any = &*self.0;
        function.downcast_ref()
    }
}

impl std::fmt::Debug for NativeValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.0.name())
    }
}

const ACTIVE_BYTES: usize = memory::shared::<Active>();

impl Active {
    /// A followed Real.
    #[inline]
    pub fn value(level: u64, primal: Value, tangent: Value) -> Value {
        memory::charge(ACTIVE_BYTES);
        Value::Active(Rc::new(Self { level, primal, tangent }))
    }
}

impl Drop for Active {
    #[inline]
    fn drop(&mut self) {
        memory::release(ACTIVE_BYTES);
    }
}

impl Value {
    /// `()`
    pub fn unit() -> Self {
        Self::Unit
    }
    /// A Real.
    pub fn real(x: f64) -> Self {
        Self::Real(x)
    }
    /// An Int.
    pub fn int(n: i64) -> Self {
        Self::Int(n)
    }
    /// A Bool.
    pub fn bool(b: bool) -> Self {
        Self::Bool(b)
    }
    /// A String.
    pub fn str(text: &str) -> Self {
        Self::Str(Rc::new(Text::new(&[text])))
    }
    /// A tuple, or a record with its fields in canonical order.
    pub fn tuple(items: Vec<Self>) -> Self {
        if items.is_empty() { Self::Unit } else { Self::Tuple(Fields::shared(0, items)) }
    }
    /// A constructor, by its position in its sum type, with its fields.
    pub fn data(tag: usize, fields: Vec<Self>) -> Self {
        let tag = u32::try_from(tag).expect("fewer than 2^32 constructors of a type");
        if fields.is_empty() { Self::Tag(tag) } else { Self::Data(Fields::shared(tag, fields)) }
    }
    /// An array; one of Reals or Ints only is stored packed.
    pub fn array(items: Vec<Self>) -> Self {
        Self::Array(Rc::new(Array::from_values(items)))
    }
    /// An array of Reals.
    pub fn reals(items: Vec<f64>) -> Self {
        Self::Array(Rc::new(Array::from_reals(items)))
    }
    /// An array of Ints.
    pub fn ints(items: Vec<i64>) -> Self {
        Self::Array(Rc::new(Array::from_ints(items)))
    }

    /// The Real it is, without any derivative.
    #[inline]
    pub fn as_real(&self) -> Option<f64> {
        let mut value = self;
        loop {
            if let Self::Real(x) = value {
                return Some(*x);
            }
            let Self::Active(active) = value else { return None };
            value = &active.primal;
        }
    }
    /// The Int it is.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(n) = self { Some(*n) } else { None }
    }
    /// The Bool it is.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(b) = self { Some(*b) } else { None }
    }
    /// The String it is.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }
    /// The components of the tuple or record it is.
    pub fn as_tuple(&self) -> Option<&[Self]> {
        if let Self::Tuple(fields) = self {
            return Some(fields.items());
        }
        matches!(self, Self::Unit).then_some(&[])
    }
    /// Tag and fields of the constructor it is.
    pub fn as_data(&self) -> Option<(usize, &[Self])> {
        if let Self::Data(fields) = self {
            return Some((fields.tag() as usize, fields.items()));
        }
        if let Self::Tag(tag) = self { Some((*tag as usize, &[])) } else { None }
    }
    /// Tag and fields of the constructor it is, also if it is stored packed.
    pub fn constructor(&self) -> Option<(usize, Vec<Self>)> {
        if let Self::IntOf(tag, n) = self {
            return Some((*tag as usize, vec![Self::Int(*n)]));
        }
        if let Self::RealOf(tag, x) = self {
            return Some((*tag as usize, vec![Self::Real(*x)]));
        }
        if let Self::Chain(length, chain) = self {
            return Some((chain.tag(*length) as usize, Chain::fields(chain, *length)));
        }
        let (tag, fields) = self.as_data()?;
        Some((tag, fields.to_vec()))
    }
    /// The array it is.
    pub fn as_array(&self) -> Option<&Array> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }
    /// Whether it is a Real.
    #[inline]
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Real(_) | Self::Active(_))
    }
    /// Whether it is in itself all that it is, so that there is nothing to free.
    #[inline(always)]
    pub(super) fn owns_nothing(&self) -> bool {
        matches!(
            self,
            Self::Unit
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Real(_)
                | Self::Tag(_)
                | Self::IntOf(..)
                | Self::RealOf(..)
        )
    }
    /// Whether it is a function.
    pub fn is_function(&self) -> bool {
        matches!(self, Self::Closure(..) | Self::Partial(_) | Self::Native(_))
    }
    /// The level of the latest activation that follows this Real; 0 if none does.
    #[inline]
    pub fn level(&self) -> u64 {
        if let Self::Active(active) = self { active.level } else { 0 }
    }
    /// What kind of thing it is, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Unit => "()",
            Self::Bool(_) => "a Bool",
            Self::Int(_) => "an Int",
            Self::Real(_) | Self::Active(_) => "a Real",
            Self::Str(_) => "a String",
            Self::Tuple(_) => "a tuple or record",
            Self::Tag(_) | Self::Data(_) | Self::IntOf(..) | Self::RealOf(..) | Self::Chain(..) => {
                "a constructor"
            }
            Self::Array(_) => "an array",
            Self::Closure(..) | Self::Partial(_) | Self::Native(_) => "a function",
        }
    }
}

/// The value without the derivative of this level; the level must be the highest or absent.
#[inline]
pub fn primal(value: &Value, level: u64) -> &Value {
    if let Value::Active(active) = value
        && active.level == level
    {
        return &active.primal;
    }
    value
}

/// What a level keeps of the derivative of a value, if it follows it.
#[inline]
pub fn tangent_at(value: &Value, level: u64) -> Option<&Value> {
    let Value::Active(active) = value else { return None };
    (active.level == level).then_some(&active.tangent)
}

/// Equality of values without functions: NaN equals NaN, zeros of either sign are equal, and
/// derivatives are not looked at.
pub fn equal(left: &Value, right: &Value) -> bool {
    let mut work = vec![(left.clone(), right.clone())];
    while let Some((a, b)) = work.pop() {
        let same = match (&a, &b) {
            (Value::Unit, Value::Unit) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Tag(a), Value::Tag(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Tuple(a), Value::Tuple(b)) | (Value::Data(a), Value::Data(b)) => {
                work.extend(a.items().iter().cloned().zip(b.items().iter().cloned()));
                a.tag() == b.tag() && a.items().len() == b.items().len()
            }
            (Value::Array(a), Value::Array(b)) => {
                work.extend(a.iter().zip(b.iter()));
                a.len() == b.len()
            }
            (a, b) => match (a.as_real(), b.as_real()) {
                (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
                (None, _) | (_, None) => false,
            },
        };
        if !same {
            return false;
        }
    }
    true
}

/// Whether these are one Real: comparing it with itself is a test for NaN.
pub(super) fn same(x: &Value, y: &Value) -> bool {
    matches!((x, y), (Value::Active(x), Value::Active(y)) if Rc::ptr_eq(x, y))
}
