//! A String as evaluators hold it: text in the account of memory, which grows only where nobody else sees it.

use std::fmt;
use std::ops::Deref;

use crate::memory::Charge;

/// Text, shared by reference count.
pub struct Text {
    text: String,
    /// What it takes, released with it.
    charge: Charge,
}

impl Text {
    /// It of these parts, one after the other.
    pub fn new(parts: &[&str]) -> Self {
        let text = parts.concat();
        let charge = Charge::new(size_of::<Self>() + text.capacity());
        Self { text, charge }
    }

    /// How many bytes it can have without asking for memory.
    pub fn room(&self) -> usize {
        self.text.capacity()
    }

    /// Adds text at the end, in memory for so many bytes if that is more than it has.
    pub fn push(&mut self, text: &str, room: usize) {
        self.text.reserve_exact(room.saturating_sub(self.text.len()));
        self.text.push_str(text);
        self.charge.set(size_of::<Self>() + self.text.capacity());
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
