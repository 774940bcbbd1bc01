//! Values as the tracer holds them: numbers with the inputs that they depend on, and whether they depend on data.
//!
//! Input and output: leaves of the IR's evaluator. Invariants. An array without sets has numbers that depend on no input
//! which is followed. What is *tainted* depends on a Real of the arguments, followed or not.

use std::cell::RefCell;
use std::rc::Rc;

use pullback_base::bug;
use pullback_base::memory::Charge;
use pullback_ir::eval::{self, Shape};
use pullback_ir::{Elem, Type};

use crate::given::Known;
use crate::sets::{Set, Sets};

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// One that nothing looks at.
    #[default]
    Undef,
    /// A Real, what it depends on, and whether it is tainted.
    Real(f64, Set, bool),
    /// An Int, and whether it is tainted.
    Int(i64, bool),
    /// A Bool, and whether it is tainted.
    Bool(bool, bool),
    /// A String, and whether it is tainted.
    Str(Rc<str>, bool),
    /// A data value.
    Data(Rc<Node>),
    /// An array.
    Array(Rc<Array>),
    /// An accumulator, or a part of one.
    Acc(Rc<Acc>),
}

/// A data value: a tag and fields.
#[derive(Debug)]
pub struct Node {
    pub tag: u32,
    pub fields: Vec<Value>,
}

/// A part of a row-major buffer.
#[derive(Clone, Debug)]
pub struct Array {
    pub buffer: Rc<Buffer>,
    pub offset: usize,
    pub shape: Shape,
}

/// Elements of arrays.
#[derive(Debug, Default)]
pub struct Buffer {
    pub items: Items,
    /// Of Reals, what each depends on, if any depends on anything.
    pub sets: Option<Vec<Set>>,
    pub tainted: bool,
    held: Charge,
}

/// How elements are stored.
#[derive(Clone, Debug, Default)]
pub enum Items {
    #[default]
    Unit,
    Real(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
    Values(Vec<Value>),
}

/// An accumulator: what its parts share, and where this one is.
#[derive(Clone, Debug)]
pub struct Acc {
    pub cell: Rc<RefCell<Buffer>>,
    pub offset: usize,
    pub shape: Shape,
}

/// Long lists end one node after the other.
impl Drop for Node {
    fn drop(&mut self) {
        let mut work = std::mem::take(&mut self.fields);
        while let Some(value) = work.pop() {
            if let Value::Data(node) = value
                && let Ok(mut node) = Rc::try_unwrap(node)
            {
                work.append(&mut node.fields);
            }
        }
    }
}

impl Items {
    /// None yet, of what arrays of this type hold.
    pub fn of(elem: Elem) -> Self {
        match elem {
            Elem::Real => Self::Real(vec![]),
            Elem::Int => Self::Int(vec![]),
            Elem::Bool => Self::Bool(vec![]),
            Elem::Unit => Self::Unit,
            Elem::Str | Elem::Data(_) => Self::Values(vec![]),
        }
    }
    /// As many zeros, or values that nothing looks at.
    pub fn blank(elem: Elem, count: usize) -> Self {
        match elem {
            Elem::Real => Self::Real(vec![0.0; count]),
            Elem::Int => Self::Int(vec![0; count]),
            Elem::Bool => Self::Bool(vec![false; count]),
            Elem::Unit => Self::Unit,
            Elem::Str | Elem::Data(_) => Self::Values(vec![Value::Undef; count]),
        }
    }
    fn len(&self) -> usize {
        match self {
            Self::Unit => 0,
            Self::Real(items) => items.len(),
            Self::Int(items) => items.len(),
            Self::Bool(items) => items.len(),
            Self::Values(items) => items.len(),
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Self::Unit => 0,
            Self::Real(items) => 8 * items.capacity(),
            Self::Int(items) => 8 * items.capacity(),
            Self::Bool(items) => items.capacity(),
            Self::Values(items) => size_of::<Value>() * items.capacity(),
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        Self::new(self.items.clone(), self.sets.clone(), self.tainted)
    }
}

impl Buffer {
    /// A buffer whose room is in the account of memory.
    pub fn new(items: Items, sets: Option<Vec<Set>>, tainted: bool) -> Self {
        let mut buffer = Self { items, sets, tainted, held: Charge::default() };
        buffer.recharge();
        buffer
    }
    /// Tells the account what the elements take now.
    pub fn recharge(&mut self) {
        let bytes = self.items.bytes() + self.sets.as_ref().map_or(0, |sets| 4 * sets.capacity());
        if bytes != self.held.bytes() {
            self.held.set(bytes);
        }
    }
    /// The element at a place.
    pub fn get(&self, at: usize) -> Value {
        match &self.items {
            Items::Unit => Value::Undef,
            Items::Real(items) => {
                let set = self.sets.as_ref().map_or(Sets::EMPTY, |sets| sets[at]);
                Value::Real(items[at], set, self.tainted)
            }
            Items::Int(items) => Value::Int(items[at], self.tainted),
            Items::Bool(items) => Value::Bool(items[at], self.tainted),
            Items::Values(items) => items[at].clone(),
        }
    }
    /// Puts an element where there is one.
    pub fn set(&mut self, at: usize, value: Value) {
        match (&mut self.items, value) {
            (_, Value::Undef) | (Items::Unit, _) => {}
            (Items::Real(items), Value::Real(x, set, tainted)) => {
                items[at] = x;
                let count = items.len();
                self.note(at, set, count);
                self.tainted |= tainted;
            }
            (Items::Int(items), Value::Int(n, tainted)) => {
                items[at] = n;
                self.tainted |= tainted;
            }
            (Items::Bool(items), Value::Bool(truth, tainted)) => {
                items[at] = truth;
                self.tainted |= tainted;
            }
            (Items::Values(items), value) => items[at] = value,
            (_, value) => bug("sparse", format_args!("an element of its array, not {value:?}")),
        }
    }
    /// Notes what an element of so many depends on.
    fn note(&mut self, at: usize, set: Set, count: usize) {
        if let Some(sets) = &mut self.sets {
            sets[at] = set;
        } else if set != Sets::EMPTY {
            let mut sets = vec![Sets::EMPTY; count];
            sets[at] = set;
            self.sets = Some(sets);
            self.recharge();
        }
    }
    /// Adds an element behind the others.
    pub fn push(&mut self, value: Value) {
        match (&mut self.items, value) {
            (Items::Unit, _) => {}
            (Items::Real(items), Value::Real(x, set, tainted)) => {
                items.push(x);
                self.tainted |= tainted;
                let count = items.len();
                if let Some(sets) = &mut self.sets {
                    sets.push(set);
                } else if set != Sets::EMPTY {
                    let mut sets = Vec::with_capacity(items.capacity());
                    sets.resize(count - 1, Sets::EMPTY);
                    sets.push(set);
                    self.sets = Some(sets);
                }
            }
            (Items::Real(_), _) => self.push(Value::Real(0.0, Sets::EMPTY, false)),
            (Items::Int(items), Value::Int(n, tainted)) => {
                items.push(n);
                self.tainted |= tainted;
            }
            (Items::Int(items), _) => items.push(0),
            (Items::Bool(items), Value::Bool(truth, tainted)) => {
                items.push(truth);
                self.tainted |= tainted;
            }
            (Items::Bool(items), _) => items.push(false),
            (Items::Values(items), value) => items.push(value),
        }
    }
    /// Adds elements of another buffer behind these.
    pub fn extend(&mut self, other: &Self, from: usize, count: usize) {
        let before = self.items.len();
        let part = from..from + count;
        match (&mut self.items, &other.items) {
            (Items::Real(items), Items::Real(more)) => items.extend_from_slice(&more[part.clone()]),
            (Items::Int(items), Items::Int(more)) => items.extend_from_slice(&more[part.clone()]),
            (Items::Bool(items), Items::Bool(more)) => items.extend_from_slice(&more[part.clone()]),
            (Items::Values(items), Items::Values(more)) => {
                items.extend_from_slice(&more[part.clone()]);
            }
            (Items::Unit, Items::Unit) => {}
            (items, more) => {
                bug("sparse", format_args!("elements of one type, not {items:?} and {more:?}"))
            }
        }
        self.tainted |= other.tainted;
        if self.sets.is_some() || other.sets.is_some() {
            let sets = self.sets.get_or_insert_with(|| vec![Sets::EMPTY; before]);
            match &other.sets {
                Some(more) => sets.extend_from_slice(&more[part]),
                None => sets.resize(before + count, Sets::EMPTY),
            }
        }
    }
    /// Adds as many blank elements behind the others.
    pub fn extend_blank(&mut self, count: usize) {
        match &mut self.items {
            Items::Unit => {}
            Items::Real(items) => items.resize(items.len() + count, 0.0),
            Items::Int(items) => items.resize(items.len() + count, 0),
            Items::Bool(items) => items.resize(items.len() + count, false),
            Items::Values(items) => items.resize(items.len() + count, Value::Undef),
        }
        if let Some(sets) = &mut self.sets {
            sets.resize(sets.len() + count, Sets::EMPTY);
        }
    }
    /// Turns rows of so many elements round.
    pub fn reverse_rows(&mut self, count: usize) {
        match &mut self.items {
            Items::Unit => {}
            Items::Real(items) => reverse(items, count),
            Items::Int(items) => reverse(items, count),
            Items::Bool(items) => reverse(items, count),
            Items::Values(items) => reverse(items, count),
        }
        if let Some(sets) = &mut self.sets {
            reverse(sets, count);
        }
    }
    /// Whether it ends here, so that more may be put behind it.
    pub fn ends_at(&self, end: usize) -> bool {
        matches!(self.items, Items::Unit) || self.items.len() == end
    }
}

fn reverse<T>(items: &mut [T], count: usize) {
    items.reverse();
    if count > 1 {
        items.chunks_exact_mut(count).for_each(<[T]>::reverse);
    }
}

impl Value {
    /// A data value.
    pub fn data(tag: u32, fields: Vec<Self>) -> Self {
        Self::Data(Rc::new(Node { tag, fields }))
    }
    /// An array of these elements.
    pub fn array(shape: Shape, buffer: Buffer) -> Self {
        Self::Array(Rc::new(Array { buffer: Rc::new(buffer), offset: 0, shape }))
    }
    /// Whether it depends on a Real of the arguments, as far as it is a scalar or an array of scalars.
    pub fn is_tainted(&self) -> bool {
        match self {
            Self::Real(_, _, tainted)
            | Self::Int(_, tainted)
            | Self::Bool(_, tainted)
            | Self::Str(_, tainted) => *tainted,
            Self::Array(array) => array.buffer.tainted,
            Self::Undef | Self::Data(_) | Self::Acc(_) => false,
        }
    }

    /// A leaf that came from outside. Its Reals are tainted; if they are followed, each is the number of an input, counted
    /// from one, or 0 for none.
    pub fn given(leaf: &eval::Value, known: Known) -> Self {
        let is_followed = known == Known::Inputs;
        let is_data = known == Known::Data;
        let set = |x: f64| if is_followed { x as Set } else { Sets::EMPTY };
        match leaf {
            eval::Value::Undef => Self::Undef,
            eval::Value::Real(x) => Self::Real(*x, set(*x), true),
            eval::Value::Int(n) => Self::Int(*n, is_data),
            eval::Value::Bool(truth) => Self::Bool(*truth, is_data),
            eval::Value::Str(text) => Self::Str((***text).into(), is_data),
            eval::Value::Tag(_) | eval::Value::Data(_) => {
                let Some((tag, fields)) = leaf.as_data() else { bug("sparse", "a data value") };
                let fields = fields.iter().map(|field| Self::given(field, known)).collect();
                Self::data(tag, fields)
            }
            eval::Value::Array(array) => {
                let mut sets = None;
                let items = if let Some(reals) = array.reals() {
                    sets = is_followed.then(|| reals.iter().map(|x| set(*x)).collect());
                    Items::Real(reals.to_vec())
                } else if let Some(ints) = array.ints() {
                    Items::Int(ints.to_vec())
                } else if let Some(bools) = array.bools() {
                    Items::Bool(bools.to_vec())
                } else if let Some(values) = array.values() {
                    Items::Values(values.iter().map(|it| Self::given(it, known)).collect())
                } else {
                    Items::Unit
                };
                let tainted = is_data || matches!(items, Items::Real(_));
                Self::array(array.shape().clone(), Buffer::new(items, sets, tainted))
            }
            eval::Value::Acc(_) => bug("sparse", "a value from outside, not an accumulator"),
        }
    }

    /// The value as a leaf in which each Real is the number of the set of what it depends on.
    pub fn told(&self) -> eval::Value {
        match self {
            Self::Undef => eval::Value::Undef,
            Self::Real(_, set, _) => eval::Value::Real(f64::from(*set)),
            Self::Int(n, _) => eval::Value::Int(*n),
            Self::Bool(truth, _) => eval::Value::Bool(*truth),
            Self::Str(text, _) => eval::Value::str(text),
            Self::Data(node) => {
                eval::Value::data(node.tag, node.fields.iter().map(Self::told).collect())
            }
            Self::Array(array) => {
                let part = array.offset..array.offset + array.shape.count();
                let items = match &array.buffer.items {
                    Items::Unit => eval::Items::Unit,
                    Items::Real(_) => eval::Items::Real(match &array.buffer.sets {
                        Some(sets) => sets[part].iter().map(|set| f64::from(*set)).collect(),
                        None => vec![0.0; part.len()],
                    }),
                    Items::Int(items) => eval::Items::Int(items[part].to_vec()),
                    Items::Bool(items) => eval::Items::Bool(items[part].to_vec()),
                    Items::Values(items) => {
                        eval::Items::Values(items[part].iter().map(Self::told).collect())
                    }
                };
                eval::Value::array(array.shape.clone(), items)
            }
            Self::Acc(_) => bug("sparse", "a result, not an accumulator"),
        }
    }
}

/// The zero tangent of this type, in the shape of a value; `zero_tag` is that of a type of tangents.
pub fn zero(like: &Value, ty: Type, zero_tag: impl Fn(pullback_ir::DataId) -> u32) -> Value {
    let element = match ty.elem {
        Elem::Real => Value::Real(0.0, Sets::EMPTY, false),
        Elem::Data(data) => Value::data(zero_tag(data), vec![]),
        Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => Value::Undef,
    };
    if !ty.is_array() {
        return element;
    }
    let Value::Array(array) = like else { return Value::Undef };
    let count = array.shape.count();
    let items = match ty.elem {
        Elem::Data(_) => Items::Values(vec![element; count]),
        Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
            Items::blank(ty.elem, count)
        }
    };
    Value::array(array.shape.clone(), Buffer::new(items, None, false))
}
