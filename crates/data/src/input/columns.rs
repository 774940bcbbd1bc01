//! Tables as arrays.
//!
//! Input: a table. Output: its columns by name or by position, or all of it as a matrix.

use std::rc::Rc;

use super::npy::NamedArray;
use super::table::Table;

/// The columns that have names, each as an array.
pub fn columns(table: &Rc<Table>) -> Vec<NamedArray> {
    let columns = table.names().iter().enumerate();
    let named = columns.filter(|(_, name)| !name.is_empty());
    named.map(|(at, name)| column(table, at, name)).collect()
}

/// The columns, called after their positions.
pub fn by_position(table: &Rc<Table>) -> Vec<NamedArray> {
    (0..table.names().len()).map(|at| column(table, at, &at.to_string())).collect()
}

/// All cells as a matrix without a name, or as a vector if one is wanted and there is one column.
pub fn matrix(table: &Rc<Table>, dimensions: usize) -> NamedArray {
    let mut shape = vec![table.height(), table.names().len()];
    if dimensions == 1 && table.names().len() == 1 {
        shape.truncate(1);
    }
    NamedArray::of_cells("", shape, table.cells(None))
}

fn column(table: &Rc<Table>, at: usize, name: &str) -> NamedArray {
    NamedArray::of_cells(name, vec![table.height()], table.cells(Some(at)))
}
