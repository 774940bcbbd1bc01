//! Primitives beside the table: a program that uses this crate adds a row of its own, and with it the
//! primitive works wherever primitives of the table do. So the tests show that a row is all it takes.
//!
//! Invariant: a slot is filled at most once in a process, before programs use the primitive.

use std::sync::OnceLock;

use super::Prim;
use super::row::{Class, PrimTy, Row};

/// How many primitives can be added.
pub const ADDED: usize = 8;

static ROWS: [OnceLock<&'static Row>; ADDED] = [const { OnceLock::new() }; ADDED];

/// What stands for a row that nobody has added: no argument fits it.
static ABSENT: Row = Row {
    prim: Prim::Added(u8::MAX),
    name: "added",
    weight: 0,
    params: &[],
    result: PrimTy::Unit,
    class: Class::Control,
    doc: "A primitive that has not been added.",
};

impl Prim {
    /// Adds a row beside the table, of [`Prim::Added`] with a slot below [`ADDED`]. `None` if the row is of
    /// another primitive or its slot has another row.
    pub fn add(row: &'static Row) -> Option<Prim> {
        let Prim::Added(slot) = row.prim else { return None };
        let found = ROWS.get(usize::from(slot))?.get_or_init(|| row);
        std::ptr::eq(*found, row).then_some(row.prim)
    }
}

/// The row of a slot.
pub(super) fn row(slot: u8) -> &'static Row {
    ROWS.get(usize::from(slot)).and_then(OnceLock::get).copied().unwrap_or(&ABSENT)
}

/// The added primitive of this name.
pub(super) fn from_name(name: &str) -> Option<Prim> {
    ROWS.iter().filter_map(OnceLock::get).find(|row| row.name == name).map(|row| row.prim)
}
