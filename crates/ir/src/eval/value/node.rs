//! Data values with fields: a tag and one to three fields in place, or more in a vector, as most constructors are
//! small.

use pullback_base::{bug, memory};

use super::{Fields, Node, Value};

impl Node {
    /// With a tag and the next fields, of which there is at least one.
    #[inline]
    pub(in super::super) fn collect(
        tag: u32,
        count: usize,
        mut fields: impl Iterator<Item = Value>,
    ) -> Self {
        let mut next = || match fields.next() {
            Some(field) => field,
            None => bug("ir", format_args!("{count} fields")),
        };
        let fields = match count {
            1 => Fields::One([next()]),
            2 => Fields::Two([next(), next()]),
            3 => Fields::Three([next(), next(), next()]),
            _ => Fields::Many(fields.take(count).collect()),
        };
        let node = Self { tag, fields };
        memory::charge(node.bytes());
        node
    }
    /// Its tag.
    #[inline]
    pub fn tag(&self) -> u32 {
        self.tag
    }
    /// Its fields.
    #[inline]
    pub fn fields(&self) -> &[Value] {
        match &self.fields {
            Fields::One(fields) => fields,
            Fields::Two(fields) => fields,
            Fields::Three(fields) => fields,
            Fields::Many(fields) => fields,
        }
    }
    /// Its fields, to be changed.
    #[inline]
    pub(in super::super) fn fields_mut(&mut self) -> &mut [Value] {
        match &mut self.fields {
            Fields::One(fields) => fields,
            Fields::Two(fields) => fields,
            Fields::Three(fields) => fields,
            Fields::Many(fields) => fields,
        }
    }
    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let rest = if let Fields::Many(fields) = &self.fields { fields.capacity() } else { 0 };
        memory::shared::<Self>() + rest * size_of::<Value>()
    }
}
