//! What is applied in a call, as diagnostics speak of it.

use std::rc::Rc;

use pullback_base::{Name, Span};

use crate::builtins;
use crate::tir::Builtin;

/// What is applied in a call.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    Builtin(Builtin),
    /// A definition, constructor or variable of this name, and what decided its parameters' types.
    Named(Name, Option<Rc<[Option<Span>]>>),
    /// Any other expression.
    Unnamed,
}

impl Callee {
    /// What diagnostics call it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Builtin(builtin) => Some(builtins::name_of(*builtin)),
            Self::Named(name, _) => Some(name),
            Self::Unnamed => None,
        }
    }

    /// Whether it is a function of one number.
    pub fn takes_one_number(&self) -> bool {
        matches!(self, Self::Builtin(Builtin::Prim(prim)) if prim.row().params.len() == 1)
    }

    /// The place inside a definition without a signature that decided what its parameter at this position
    /// takes; that of an earlier parameter if this one's type is that one's.
    pub fn decided_at(&self, position: usize) -> Option<Span> {
        let Self::Named(_, Some(places)) = self else { return None };
        places.get(..=position)?.iter().rev().find_map(|place| *place)
    }
}

/// What a constraint is for, as diagnostics speak of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cause {
    /// The function or operator whose use gave rise to it.
    pub used: Option<Callee>,
    /// The place inside that function's definition that asks for it, if it is a definition.
    pub inside: Option<Span>,
}
