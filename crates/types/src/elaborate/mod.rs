//! Elaboration: from the typed tree to the monomorphic calculus.
//!
//! Input: a typed program without errors and the definitions wanted. Output: a [`Program`] with one
//! instance of each definition for each list of types it is used at, reached from the wanted ones.
//! Overloaded operators, patterns, sizes and the derived differentiation operators are gone. Every
//! binder is fresh, every term has the span that run-time errors should point to. What inference must
//! have excluded is a bug here and panics.

mod ad;
mod arith;
mod build;
mod builtin;
mod chart;
mod equality;
mod expr;
mod function;
mod instances;
mod jacobian;
mod matching;
mod matmul;
mod place;
mod regular;
mod segments;
mod sized;
mod slice;
mod state;
mod structure;
mod text;
mod tree;
mod types;

use std::collections::BTreeMap;

use pullback_base::Diagnostic;
use pullback_lambda::{DefId, Pass, Program, Type};

use crate::tir::{Constraint, GlobalId, Typed};
use state::Elab;

/// What elaboration makes.
#[derive(Debug)]
pub struct Elaborated {
    /// The program: everything the wanted definitions need.
    pub program: Program,
    /// Where each wanted definition is in it.
    pub roots: BTreeMap<GlobalId, DefId>,
    /// An error if definitions are needed at too many types, or if a wanted one is for any record or
    /// tuple with some part; the program is incomplete then.
    pub diagnostics: Vec<Diagnostic>,
}

/// What is known of [`elaborate`].
pub const ELABORATE: Pass = Pass {
    name: "elaborate",
    ty: "(typed tree, roots) -> Program",
    law: "each definition means what its source means, once for each list of types it is used at; operators, \
          patterns, sizes and the derived differentiation operators are gone",
};

/// Elaborates the definitions `roots` and all they need. A root that is polymorphic is taken at Real
/// in place of each type variable.
pub fn elaborate(typed: &Typed, roots: &[GlobalId]) -> Elaborated {
    let mut elab = Elab::new(typed);
    let mut found = BTreeMap::new();
    for &root in roots {
        if let Some(diagnostic) = open_types(typed, root) {
            elab.diagnostics.push(diagnostic);
            continue;
        }
        let types = vec![Type::real(); typed.globals[root].params.len()];
        let def = elab.instance(root, types);
        found.insert(root, def);
    }
    elab.run();
    Elaborated { program: elab.program, roots: found, diagnostics: elab.diagnostics }
}

/// The message for a definition that works on any record or tuple with some part, or multiplies arrays of any rank: it
/// has no code of its own before a use says on which.
pub fn open_types(typed: &Typed, global: GlobalId) -> Option<Diagnostic> {
    let source = &typed.globals[global];
    if source.constraints.iter().any(|constraint| matches!(constraint, Constraint::Product(..))) {
        let title = "it is not known which arrays `@` multiplies";
        let label = format!("`{}` takes rows and matrices", source.name);
        let diagnostic = Diagnostic::error("E0318", source.span, title, label)
            .note("a definition becomes code when the types of its parameters are known")
            .hint("give the parameters' types, as in `(m: [n][k]Real)`");
        return Some(diagnostic);
    }
    let (what, part) = source.constraints.iter().find_map(|constraint| {
        if let Constraint::Field(_, name, _) = constraint {
            Some(("record", name.to_string()))
        } else if let Constraint::Component(_, index, _) = constraint {
            Some(("tuple", index.to_string()))
        } else {
            None
        }
    })?;
    let title = format!("it is not known which {what} `.{part}` belongs to");
    let label = format!("`{}` takes any {what} with such a part", source.name);
    let diagnostic = Diagnostic::error("E0318", source.span, title, label)
        .note("a definition becomes code when the types of its parameters are known")
        .hint("give the parameter's type, as in `(r: Model)`");
    Some(diagnostic)
}
