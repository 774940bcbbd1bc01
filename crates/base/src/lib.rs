//! The ground floor: names, typed ids, source positions, diagnostics and their only renderer.
//!
//! Nothing here knows the language.

mod bug;
mod clock;
mod codes;
mod diagnostic;
mod index;
mod limits;
pub mod memory;
mod progress;
mod render;
mod source;
mod suggest;
mod text;
mod utf16;

pub use bug::{bug, unkept};
pub use clock::Instant;
#[cfg(target_family = "wasm")]
pub use clock::set_clock;
pub use codes::{CODES, title_of};
pub use diagnostic::{Diagnostic, Fix, Hint, Label, Severity};
pub use index::{Id, IdVec};
pub use limits::{Budget, Exceeded, Limits, Since};
pub use progress::{Counted, Progress, Stand};
pub use render::{Style, render};
pub use smol_str::SmolStr as Name;
pub use source::{FileId, LineCol, MAX_FILE_BYTES, SourceMap, Span, Spanned};
pub use suggest::{did_you_mean, nearest, nearest_few, same_letters};
pub use text::Text;
pub use utf16::{Lines, Utf16};
