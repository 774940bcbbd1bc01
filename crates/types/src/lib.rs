//! From tree to calculus: name resolution, inference with sizes, exhaustiveness, elaboration.

pub mod builtins;
pub mod elaborate;
pub mod exhaustive;
mod ids;
pub mod infer;
pub mod poly;
pub mod records;
pub mod resolve;
pub mod show;
pub mod tir;
pub mod ty;
pub mod walk;

pub use elaborate::{ELABORATE, Elaborated, elaborate, open_types};
pub use exhaustive::check_patterns;
pub use infer::{Argument, Call, Direction, Inference, foreign_value, infer};
pub use resolve::{Scopes, Shelf, Source, leftovers, type_like_variables};
pub use show::{show_scheme, show_type};
