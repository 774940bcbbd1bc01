//! The typed, monomorphic lambda-calculus of the papers: a dozen forms, **the primitive table**,
//! a printer and a parser, a verifier, and the reference evaluator, which is the language's meaning.

mod build;
pub mod eval;
mod expr;
mod layout;
mod parse;
mod prim;
mod print;
mod show;
mod tangent;
#[cfg(test)]
mod text_tests;
mod ty;
mod verify;
mod walk;

pub use expr::*;
pub use parse::parse;
pub use prim::*;
pub use tangent::{Datas, ad_type, contains_real, is_first_order, is_self_tangent, tangent};
pub use ty::{DataId, Type, TypeKind};
pub use verify::verify;
