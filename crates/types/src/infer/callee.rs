//! What is applied in a call, as diagnostics speak of it.

use pullback_base::Name;

use crate::builtins;
use crate::tir::Builtin;

/// What is applied in a call.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    Builtin(Builtin),
    /// A definition, constructor or variable of this name.
    Named(Name),
    /// Any other expression.
    Unnamed,
}

impl Callee {
    /// What diagnostics call it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Builtin(builtin) => Some(builtins::name_of(*builtin)),
            Self::Named(name) => Some(name),
            Self::Unnamed => None,
        }
    }
}
