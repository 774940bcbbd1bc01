//! From tree to calculus: name resolution, inference with sizes, exhaustiveness, elaboration.

pub mod tir;
pub mod ty;
