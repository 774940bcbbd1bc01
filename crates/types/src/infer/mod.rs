//! Inference: types, sizes and constraints of whole programs.
//!
//! Input: modules, dependencies first. Output: [`Typed`], the names of every module, and diagnostics in
//! source order. Hindley–Milner with let-polymorphism over strongly connected groups of definitions;
//! overloading and record access are constraints, solved when their types are known ([`solve`]),
//! generalised with the type they speak of ([`scheme`]), or decided at the end ([`default`]).
//! Sizes are polynomials, unified by solving linear equations ([`size`]).
//!
//! The state ([`state`]) is in parts: what is known of types ([`table`]) and what is still to be known
//! ([`constraints`]), what names are bound to ([`bindings`]) and which are in scope ([`scope`]),
//! abbreviations ([`aliases`]), sizes that are no polynomials ([`opaque`]), and what there is to say
//! ([`reports`]).
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
mod clash;
mod constraints;
mod decl;
mod default;
mod differentiate;
mod errors;
mod expr;
mod group;
mod inside;
mod literal;
mod measure;
mod mismatch;
mod names;
mod opaque;
mod operator;
mod pattern;
mod reports;
mod scheme;
mod scope;
mod shape;
mod size;
mod solve;
mod state;
mod table;
mod tangent;
mod unify;
mod zonk;

use pullback_base::Diagnostic;

use crate::resolve::{self, Scopes, Source, deps};
use crate::tir::Typed;
use state::Infer;

/// Infers all modules; they are in dependency order.
pub fn infer(modules: &[Source<'_>]) -> (Typed, Scopes, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let declared = resolve::declare(modules, &mut diagnostics);
    let mut infer = Infer::new(declared, diagnostics);
    infer.declare_types();
    infer.declare_globals(modules);
    for module in 0..modules.len() {
        infer.scope.module = module;
        for group in deps::groups(&infer.declared, module) {
            if !infer.reports.has_stopped() {
                infer.global_group(&group);
            }
        }
    }
    (infer.typed, infer.declared.scopes, infer.reports.finish())
}
