//! Why a type is expected, as diagnostics say it.

use std::rc::Rc;

use pullback_base::{Name, Span};
use pullback_syntax::ast::BinaryOp;

use super::callee::Callee;
use crate::tir::SizeSource;

/// Why a type is expected.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// Nothing more to say.
    Plain,
    /// The n-th argument (from 0) of what is called.
    Argument(Callee, usize),
    /// The declared result of this definition.
    Result(Name),
    /// A type written here.
    Annotation(Span),
    /// Another branch of the same `if` or `match`.
    Branch(Span),
    /// The other side of the expectation.
    Side(Span),
    /// The cotangent of a call from the command line.
    Cotangent,
    /// The tangent of a call from the command line: for these parameters, in this order.
    Tangent(Rc<[Name]>),
    /// A number that the command line asks for.
    Number,
    /// What the function that is the n-th argument (from 0) of the function with this name gives.
    Given(Name, usize),
    /// The condition of an `if` or a `while`.
    Condition,
    /// The first element of the array literal.
    Element(Span),
    /// The other operand of this operator.
    Operand(BinaryOp, Span),
    /// What this operator works on.
    Operator(BinaryOp),
    /// An index, or the bound of one.
    Index,
    /// The state of a loop before its first round.
    State(Span),
    /// The value that is taken apart.
    Scrutinee(Span),
    /// The value at the place that `with` replaces.
    Place,
    /// A component, field or element of something that is expected for this reason.
    Part(Rc<Why>),
    /// What moves values of this type, or tells tangents of them.
    Chart(Name),
    /// The types inside one group of definitions that use each other.
    Group(Name),
}

impl Why {
    /// Who says what sizes are wanted.
    pub fn size_source(&self) -> SizeSource {
        if let Self::State(_) = self {
            SizeSource::FirstState
        } else if let Self::Given(name, _) = self {
            SizeSource::Arguments(name.clone())
        } else if let Self::Argument(callee, index) = self
            && let Some(name) = callee.name()
        {
            SizeSource::Argument(name.into(), *index)
        } else if let Self::Branch(_) = self {
            SizeSource::Beside("that of the other branch")
        } else if let Self::Operand(..) = self {
            SizeSource::Beside("that of the other operand")
        } else if let Self::Place = self {
            SizeSource::Beside("that of what it replaces")
        } else if let Self::Part(whole) = self {
            whole.size_source()
        } else {
            SizeSource::Declared
        }
    }

    /// The reason for a part of what this is the reason for.
    pub fn part(&self) -> Self {
        if matches!(self, Self::Part(_) | Self::Annotation(_)) {
            self.clone()
        } else {
            Self::Part(Rc::new(self.clone()))
        }
    }
}
