//! Progress reporting: lines of C that store how far the outermost loop of a run is, for whoever watches the run.
//!
//! ```text
//! IR  for i.3 < n.1 { … }
//! C   pb_tell_all(c, v1, …);  for (…) { pb_tell_done(c, v3); … }  pb_tell_all(c, 0, 0);
//! ```
//!
//! Input: a loop while it is written. Output: lines that say that it begins, how many iterations are done, and that it
//! has ended.
//!
//! Law: values do not change. Loops inside others tell nothing, nor do loops of functions that loops or recursion lead
//! to, nor kernels that threads may share out.

use pullback_base::Counted;

use super::body::Body;

impl Body<'_, '_> {
    /// The line that tells that a loop with so many iterations begins.
    pub fn tell_begin(&mut self, all: &str, down: bool) {
        let counted = if down { Counted::Backward } else { Counted::Iterations };
        self.line(format_args!("pb_tell_all(c, {all}, {});", counted.number()));
    }

    /// The line that tells that the loop has ended.
    pub fn tell_end(&mut self) {
        self.line(format_args!("pb_tell_all(c, 0, 0);"));
    }
}

/// The line that tells how many iterations are done where the next one has this index.
pub(super) fn done(index: &str, count: &str, down: bool) -> String {
    if down {
        format!("pb_tell_done(c, {count} - 1 - {index});")
    } else {
        format!("pb_tell_done(c, {index});")
    }
}
