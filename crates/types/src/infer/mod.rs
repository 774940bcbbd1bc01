//! Inference: types, sizes and constraints of whole programs.
//!
//! Input: modules, dependencies first. Output: [`Typed`], the names of every module, and diagnostics in
//! source order. Hindley–Milner with let-polymorphism over strongly connected groups of definitions;
//! overloading and record access are constraints, solved when their types are known ([`solve`]),
//! generalised with the type they speak of ([`scheme`]), or decided at the end ([`default`]).
//! Sizes are polynomials, unified by solving linear equations ([`size`]).
//!
//! The state is in parts, each with the methods that need no more than it has. What is known of types ([`table`])
//! and is still to be known ([`constraints`]), sizes that are no polynomials ([`opaque`]), and what there is to say
//! ([`reports`]) make the [`unifier`], which makes types agree. With the typed tree, whose names messages use, it
//! is the [`solver`] of constraints. What names are bound to ([`bindings`]), which are in scope ([`scope`]), and
//! abbreviations ([`aliases`]) come to these in the whole ([`state`]), which walks over programs.
//!
//! Invariants: without errors, no unification variable is left in [`Typed`]; an erroneous part has the
//! type [`crate::ty::Ty::Error`], which agrees with everything, so no mistake is reported twice. No traversal of a
//! type visits more than a fixed number of nodes, so types of exponential size end as a diagnostic.

mod access;
mod aliases;
mod annotation;
mod array;
mod binding;
mod bindings;
mod call;
mod callee;
mod chart;
mod clash;
mod constraints;
mod conversion;
mod decl;
mod default;
mod differentiate;
mod einsum;
mod errors;
mod expr;
mod foreign;
mod group;
mod inside;
mod instance;
mod literal;
mod measure;
mod mismatch;
mod names;
mod opaque;
mod operator;
mod pattern;
mod rank;
mod reports;
mod request;
mod respell;
mod scheme;
mod scope;
mod shape;
mod size;
mod slice;
mod solve;
mod solver;
mod state;
mod table;
mod tangent;
mod unifier;
mod unify;
mod why;
mod zonk;

use pullback_base::Diagnostic;

use crate::resolve::{Scopes, Shelf, Source};
use crate::tir::Typed;

pub use foreign::foreign_value;
pub use request::{Argument, Call, Direction, InCharts, Inference};

/// Infers all modules; they are in dependency order.
pub fn infer(modules: &[Source<'_>]) -> (Typed, Scopes, Vec<Diagnostic>) {
    let mut inference = Inference::new(modules, Shelf::EMPTY);
    let diagnostics = inference.take_diagnostics();
    let (typed, scopes) = inference.finish();
    (typed, scopes, diagnostics)
}
