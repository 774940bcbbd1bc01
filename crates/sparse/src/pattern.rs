//! Which entries of a matrix can be other than zero.
//!
//! Input: the columns of each row. Output: a [`Pattern`], its transpose, what it has in common with its mirror image.
//! Invariants. The columns of a row ascend. Room is linear in entries, rows and columns.

use std::ops::Range;

/// The places of a sparse matrix, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Where the entries of each row begin, and where those of the last one end.
    starts: Vec<usize>,
    /// The column of each entry.
    entries: Vec<u32>,
}

impl Pattern {
    /// Without rows yet.
    pub fn new(columns: usize) -> Self {
        Self { columns, starts: vec![0], entries: vec![] }
    }

    /// A pattern of rows, each with its columns in order.
    pub fn of_rows<R: AsRef<[u32]>>(columns: usize, rows: impl IntoIterator<Item = R>) -> Self {
        let mut pattern = Self::new(columns);
        for row in rows {
            pattern.push(|entries| entries.extend_from_slice(row.as_ref()));
        }
        pattern
    }

    /// Adds a row: `fill` appends its columns in order.
    pub fn push(&mut self, fill: impl FnOnce(&mut Vec<u32>)) {
        fill(&mut self.entries);
        self.starts.push(self.entries.len());
    }

    /// Adds a row that is like an earlier one.
    pub fn repeat(&mut self, row: usize) {
        let (from, to) = (self.starts[row], self.starts[row + 1]);
        self.entries.extend_from_within(from..to);
        self.starts.push(self.entries.len());
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }
    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// How many entries.
    pub fn count(&self) -> usize {
        self.entries.len()
    }
    /// What it takes, and what its plan takes, in bytes: about.
    pub fn bytes(&self) -> usize {
        8 * self.starts.len() + 40 * self.entries.len()
    }
    /// The columns of a row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }
    /// Where the entries of each row begin, and where those of the last one end.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }
    /// The column of each entry, row by row.
    pub fn entries(&self) -> &[u32] {
        &self.entries
    }
    /// Whether each place is an entry.
    pub fn is_full(&self) -> bool {
        self.count() == self.rows() * self.columns
    }
    /// A block: the columns from one on up to another, of the rows from one on up to another.
    pub fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Self {
        let mut block = Self::new(columns.len());
        for row in rows {
            let all = self.row(row);
            let at = |bound: usize| all.partition_point(|column| (*column as usize) < bound);
            let kept = &all[at(columns.start)..at(columns.end)];
            block.push(|entries| {
                entries.extend(kept.iter().map(|column| column - columns.start as u32));
            });
        }
        block
    }
    /// The entries as pairs of row and column, row by row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |at| (row, *at as usize)))
    }

    /// The same matrix, column by column.
    pub fn transpose(&self) -> Self {
        let mut starts = vec![0; self.columns + 1];
        for column in &self.entries {
            starts[*column as usize + 1] += 1;
        }
        for at in 0..self.columns {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; self.entries.len()];
        for (row, column) in self.places() {
            entries[next[column]] = row as u32;
            next[column] += 1;
        }
        Self { columns: self.rows(), starts, entries }
    }

    /// The order in which the entries of the transpose stand: for each of them, its place among these entries.
    pub fn transposed_order(&self) -> Vec<usize> {
        let mut next = vec![0; self.columns + 1];
        for column in &self.entries {
            next[*column as usize + 1] += 1;
        }
        for at in 0..self.columns {
            next[at + 1] += next[at];
        }
        let mut order = vec![0; self.entries.len()];
        for (at, column) in self.entries.iter().enumerate() {
            order[next[*column as usize]] = at;
            next[*column as usize] += 1;
        }
        order
    }

    /// A square matrix with each entry and its mirror image.
    pub fn symmetric(&self) -> Self {
        let mirror = self.transpose();
        let mut whole = Self::new(self.columns);
        for row in 0..self.rows() {
            let (one, other) = (self.row(row), mirror.row(row));
            whole.push(|entries| {
                let from = entries.len();
                entries.extend(one.iter().chain(other));
                entries[from..].sort_unstable();
                let mut kept = from;
                for at in from..entries.len() {
                    if kept == from || entries[kept - 1] != entries[at] {
                        entries[kept] = entries[at];
                        kept += 1;
                    }
                }
                entries.truncate(kept);
            });
        }
        whole
    }

    /// These rows alone, in this order.
    pub fn part(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        Self::of_rows(self.columns, rows.into_iter().map(|row| self.row(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transpose_has_the_entries_of_the_matrix() {
        let pattern = Pattern::of_rows(4, [&[0, 3][..], &[], &[1, 2, 3]]);
        let turned = pattern.transpose();
        assert_eq!((turned.rows(), turned.columns(), turned.count()), (4, 3, 5));
        assert_eq!(turned.row(3), [0, 2]);
        assert_eq!(turned.transpose(), pattern);
        let places: Vec<_> = pattern.places().collect();
        let ordered: Vec<_> =
            pattern.transposed_order().into_iter().map(|at| (places[at].1, places[at].0)).collect();
        assert!(turned.places().eq(ordered));
    }

    #[test]
    fn a_block_has_the_entries_within() {
        let pattern = Pattern::of_rows(4, [&[0, 3][..], &[], &[1, 2, 3]]);
        assert_eq!(pattern.block(0..3, 1..3), Pattern::of_rows(2, [&[][..], &[], &[0, 1]]));
        assert!(pattern.block(2..3, 1..4).is_full() && !pattern.block(1..3, 1..4).is_full());
    }

    #[test]
    fn a_symmetric_pattern_has_each_entry_once() {
        let pattern = Pattern::of_rows(3, [&[0, 1][..], &[0], &[1]]);
        let rows = [&[0, 1][..], &[0, 2], &[1]];
        assert_eq!(pattern.symmetric(), Pattern::of_rows(3, rows));
    }
}
