//! What is not in a library, and why: told on standard error and in the manifest.

use pullback_base::Name;

use super::asked::{Abi, Build};
use super::shape::{Kind, Param};

/// A definition that is left out, or some derivatives of one.
pub struct LeftOut {
    /// The definition.
    pub entry: Name,
    /// Its derivatives, if it itself is there.
    pub derivatives: Vec<Kind>,
    /// Why.
    pub reason: String,
}

impl LeftOut {
    /// A definition.
    pub fn new(entry: &Name, reason: &str) -> Self {
        Self { entry: entry.clone(), derivatives: vec![], reason: reason.to_owned() }
    }

    /// The derivatives of a definition that are asked for, but for those that there are.
    pub fn derivatives(
        entry: &Name,
        params: &[Param],
        made: &[Kind],
        asked: &Build,
    ) -> Option<Self> {
        let all: &[Kind] = match asked.abi {
            Abi::C => &[Kind::Jvp, Kind::Vjp, Kind::Grad, Kind::Hvp],
            Abi::Casadi => &[Kind::Jvp, Kind::Vjp, Kind::VjpJvp],
        };
        let lacks = |kind: &&Kind| !made.contains(kind) && asked.wants(**kind);
        let derivatives: Vec<Kind> = all.iter().filter(lacks).copied().collect();
        let reason = if params.iter().any(|param| param.moves) {
            "its value is no Real"
        } else {
            "it takes no Reals"
        };
        (!derivatives.is_empty()).then(|| Self { derivatives, ..Self::new(entry, reason) })
    }

    /// What is said of it.
    pub fn words(&self) -> String {
        let Self { entry, derivatives, reason } = self;
        if derivatives.is_empty() {
            return format!("`{entry}` is left out: {reason}");
        }
        let names: Vec<&str> = derivatives.iter().map(|kind| kind.name()).collect();
        format!("{} of `{entry}` left out: {reason}", names.join(", "))
    }
}
