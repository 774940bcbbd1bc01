//! Symbolic values of lowering (binding-time separation): the parts of a value as atoms, and functions that are known
//! as what they are, so that applying one is a call.
//!
//! ```text
//! calculus  let f = \x -> mul k x in f y       f is known, with the atom k
//! IR        t.3 = mul(k.0, y.1)                applying it is its body, or a call
//! ```
//!
//! Input: none; `expr` makes them and `closure` applies them. Invariants. A value has as many atoms as its type has
//! leaves, in their order, unless it has known functions: those have the atoms of what they captured. A function that
//! becomes data is a [`Value::Leaf`] from then on.

use pullback_ir::{Atom, FuncId, RequestId};
use pullback_lambda as lambda;

/// A value of the calculus.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A scalar, a sum, or a function that is not known: a tagged environment.
    Leaf(Atom),
    /// A tuple or record.
    Tuple(Vec<Value>),
    /// The leaves of an array.
    Array(Vec<Atom>),
    /// A function that is known.
    Fun(Box<Fun>),
}

/// A function that is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fun {
    /// A definition.
    Def(lambda::DefId),
    /// A local function that has become one of the IR, with what it captured before its parameters.
    Lifted {
        /// The function.
        func: FuncId,
        /// What it captured.
        captured: Vec<Atom>,
    },
    /// A function with its first arguments.
    Partial(Box<Fun>, Vec<Value>),
    /// A pullback or pushforward.
    Linear(Linear),
}

/// The linear map that a derivation gives at a point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Linear {
    /// The derivation.
    pub(crate) request: RequestId,
    /// Whether it is the transpose.
    pub(crate) is_pullback: bool,
    /// What the derivation saved.
    pub(crate) residual: Atom,
    /// The type of the argument of the function that was differentiated.
    pub(crate) from: lambda::Type,
    /// The type of its result.
    pub(crate) to: lambda::Type,
    /// The shape of the argument; see [`crate::boundary`].
    pub(crate) x: Value,
    /// The shape of the result.
    pub(crate) y: Value,
}

impl Value {
    /// The unit value.
    pub(crate) fn unit() -> Self {
        Self::Tuple(vec![])
    }

    /// Calls `each` on every atom, in order.
    pub(crate) fn for_each_atom(&mut self, each: &mut dyn FnMut(&mut Atom)) {
        match self {
            Self::Leaf(atom) => each(atom),
            Self::Tuple(items) => items.iter_mut().for_each(|item| item.for_each_atom(each)),
            Self::Array(leaves) => leaves.iter_mut().for_each(each),
            Self::Fun(fun) => fun.for_each_atom(each),
        }
    }
}

impl Fun {
    /// Calls `each` on every atom, in order.
    pub(crate) fn for_each_atom(&mut self, each: &mut dyn FnMut(&mut Atom)) {
        match self {
            Self::Def(_) => {}
            Self::Lifted { captured, .. } => captured.iter_mut().for_each(each),
            Self::Partial(fun, given) => {
                fun.for_each_atom(each);
                given.iter_mut().for_each(|value| value.for_each_atom(each));
            }
            Self::Linear(linear) => {
                each(&mut linear.residual);
                linear.x.for_each_atom(each);
                linear.y.for_each_atom(each);
            }
        }
    }

    /// The atoms in it, in order.
    pub(crate) fn atoms(&self) -> Vec<Atom> {
        let mut atoms = vec![];
        self.clone().for_each_atom(&mut |atom| atoms.push(*atom));
        atoms
    }

    /// The same function, with other atoms in the same order.
    pub(crate) fn with_atoms(&self, atoms: &[Atom]) -> Self {
        let mut copy = self.clone();
        let mut atoms = atoms.iter();
        copy.for_each_atom(&mut |atom| {
            if let Some(other) = atoms.next() {
                *atom = *other;
            }
        });
        copy
    }
}
