//! A String as evaluators hold it: text that does not change, in the account of memory.

use std::fmt;
use std::ops::Deref;

use crate::memory::Charge;

/// Text, shared by reference count.
pub struct Text {
    text: Box<str>,
    /// What it takes, released with it.
    _charge: Charge,
}

impl Text {
    /// It of these parts, one after the other.
    pub fn new(parts: &[&str]) -> Self {
        let text: Box<str> = parts.concat().into();
        let charge = Charge::new(size_of::<Self>() + text.len());
        Self { text, _charge: charge }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}
