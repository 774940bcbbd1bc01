//! The typed, monomorphic lambda-calculus of the papers: a dozen forms, **the primitive table**,
//! a printer and a parser, a verifier, and the reference evaluator, which is the language's meaning.

mod build;
mod expr;
mod prim;
mod ty;

pub use expr::*;
pub use prim::*;
pub use ty::{DataId, Type, TypeKind};
