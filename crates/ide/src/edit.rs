//! A change of a text.

use std::ops::Range;

/// What these bytes are becomes this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

impl Edit {
    /// Some text where nothing was.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { range: at..at, text: text.into() }
    }
}
