//! The typed, monomorphic lambda-calculus of the papers: about twenty forms, a printer and a parser, and a
//! verifier.

mod build;
mod expr;
mod groups;
mod layout;
mod parse;
mod partial;
mod pass;
mod print;
mod show;
mod signature;
mod structure;
#[cfg(test)]
mod table_tests;
mod tangent;
#[cfg(test)]
mod text_tests;
mod ty;
mod verify;
mod walk;
pub mod weights;

pub use build::{Bound, Scope};
pub use expr::*;
pub use groups::{Calls, Group, groups};
pub use parse::parse;
pub use partial::{Linearised, Slope, place};
pub use pass::Pass;
pub use signature::{admits, result_type};
pub use tangent::{
    Datas, ad_type, contains_real, contains_string, is_first_order, is_self_tangent, tangent,
    wrong_tangent,
};
pub use ty::{DataId, Type, TypeKind};
pub use verify::{Stage, verify};
