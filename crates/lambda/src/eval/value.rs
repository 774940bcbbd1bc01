//! Run-time values. A value is 16 bytes; structures are shared by reference count and dropped
//! without recursion, however deep they are.

use std::rc::Rc;

/// A value of the calculus.
#[derive(Clone, Debug)]
pub enum Value {
    /// A Bool.
    Bool(bool),
    /// An Int.
    Int(i64),
    /// A Real with no derivative attached.
    Real(f64),
    /// A Real that some running differentiation follows.
    Active(Rc<Active>),
    /// A String.
    Str(Rc<str>),
    /// A tuple or record, `()` included.
    Tuple(Rc<Fields>),
    /// A constructor and its fields.
    Data(Rc<Data>),
    /// An array.
    Array(Rc<Array>),
    /// A function.
    Fun(Rc<super::Fun>),
}
