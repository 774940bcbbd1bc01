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
pub use infer::{Argument, Call, Direction, InCharts, Inference, foreign_value, infer};
pub use resolve::{
    Bound, BoundBy, Occurrence, Role, Scopes, Shelf, Source, Uses, leftovers, type_like_variables,
    uses,
};
pub use show::{show_scheme, show_type};
