//! `pullback demo`: the derivation of a derivative by linear maps, in the twelve stages of the working
//! notes' section 9.
//!
//! Input: a [`Call`] that names a definition. Output: the text of all stages, or a diagnostic that names
//! what keeps the definition outside the notes' first-order language.

use pullback_engines::linear_maps::notes::print_demo;
use pullback_session::{Call, Query, Stop};

use crate::show::unapplied;

/// The stages for an entry.
pub fn demo(query: &mut Query<'_>, call: &Call) -> Result<String, Stop> {
    let (program, function) = unapplied(query, call, &call.entry)?;
    print_demo(&program.without_marks(), function).or_else(|fault| query.fail(*fault))
}
