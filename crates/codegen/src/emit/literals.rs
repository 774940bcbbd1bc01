//! Constant data in tables: array literals that hold only constants become static tables of C, which are copied at
//! once.
//!
//! ```text
//! IR  a.1: []f64 = [1.0, 2.0, …, 10.0]
//! C   static const double table1[10] = {(0x1.0p+0), (0x1.0p+1), …};
//! C   v1 = … new memory …;   from1 = table1, hidden from the compiler;   memcpy(v1.p, from1, sizeof table1);
//! ```
//!
//! Input: the body of a function. Output: the literals in it that hold only numbers, with their sizes; rows that only
//! other literals name are part of those and get no array of their own.
//!
//! Law: values are the same. A store for each element would take the C compiler longer than linear time. Literals of
//! one dimension with few elements, literals of unequal rows and literals of data stay stores.

use pullback_ir::{Atom, Block, Elem, Op, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a literal holds: its sizes, outermost first, none of which is zero, and its elements in order.
pub(super) struct Table {
    pub sizes: Vec<usize>,
    pub elements: Vec<Atom>,
}

/// The literals of a function that hold only constants.
#[derive(Default)]
pub(super) struct Literals {
    tables: FxHashMap<VarId, Table>,
    /// The literals that are only rows of others: nothing else needs them.
    rows: FxHashSet<VarId>,
}

impl Literals {
    pub fn of(program: &Program, body: &Block) -> Self {
        let (mut tables, mut rows) = (FxHashMap::default(), FxHashSet::default());
        let mut used_elsewhere = FxHashSet::default();
        body.visit(&mut |stmt| {
            let table = match (&stmt.op, stmt.vars.as_slice()) {
                (Op::Array(elements), [var]) => {
                    table(&tables, elements, program.vars[*var].ty.elem).map(|table| (*var, table))
                }
                _ => None,
            };
            let uses = if table.is_some() { &mut rows } else { &mut used_elsewhere };
            stmt.op.for_each_atom(&mut |atom| uses.extend(atom.var()));
            for block in stmt.op.blocks() {
                used_elsewhere.extend(block.results.iter().filter_map(|atom| atom.var()));
            }
            tables.extend(table);
        });
        used_elsewhere.extend(body.results.iter().filter_map(|atom| atom.var()));
        rows.retain(|row| !used_elsewhere.contains(row));
        Self { tables, rows }
    }

    /// The table of the literal that a variable is.
    pub fn table(&self, var: VarId) -> Option<&Table> {
        self.tables.get(&var)
    }

    /// Whether a variable is a literal that another one has in its table.
    pub fn is_row(&self, var: VarId) -> bool {
        self.rows.contains(&var)
    }
}

/// What a literal of these elements holds, if that is constant and regular.
fn table(known: &FxHashMap<VarId, Table>, elements: &[Atom], elem: Elem) -> Option<Table> {
    if !matches!(elem, Elem::Real | Elem::Int | Elem::Bool) || elements.is_empty() {
        return None;
    }
    let rows: Option<Vec<&Table>> =
        elements.iter().map(|atom| atom.var().and_then(|var| known.get(&var))).collect();
    if let Some(rows) = rows {
        let inner = &rows[0].sizes;
        let is_regular = rows.iter().all(|row| row.sizes == *inner);
        let sizes = std::iter::once(rows.len()).chain(inner.iter().copied()).collect();
        let elements = rows.iter().flat_map(|row| row.elements.iter().copied()).collect();
        return is_regular.then_some(Table { sizes, elements });
    }
    let is_constant = elements.iter().all(|atom| atom.var().is_none());
    is_constant.then(|| Table { sizes: vec![elements.len()], elements: elements.to_vec() })
}
