//! Colourings of columns: columns of one colour have no row in common, so one sweep along all of them together tells
//! each of their entries.
//!
//! Input: a pattern, its transpose, and which rows count. Output: a colour for each column that has entries there. The
//! colouring is greedy, in several orders, and ends as soon as it has as few colours as the fullest row needs. Terms: this
//! is a distance-2 colouring of the bipartite graph on one side (Curtis, Powell and Reid; Gebremedhin, Manne and Pothen).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::pattern::Pattern;

/// The colour of what has none.
pub const NONE: u32 = u32::MAX;

/// The most steps that a colouring takes. Beyond it rows are so full that there is little to be saved.
const STEPS: usize = 4_000_000_000;

/// The most steps of a colouring that looks for the column with the least choice.
const STEPS_BY_CHOICE: usize = 300_000_000;

/// Colours by column.
#[derive(Clone, Debug)]
pub struct Colours {
    pub of: Vec<u32>,
    pub count: usize,
}

/// The columns of a pattern, to be coloured as far as these rows need it.
pub struct Columns<'p> {
    /// By row.
    pub rows: &'p Pattern,
    /// The same by column.
    pub columns: &'p Pattern,
    /// The rows that do not count.
    pub without: &'p [bool],
}

impl Columns<'_> {
    fn counts(&self, row: usize) -> bool {
        !self.without.get(row).is_some_and(|without| *without)
    }

    fn counting<'s>(&'s self, column: usize) -> impl Iterator<Item = usize> + 's {
        let rows = self.columns.row(column).iter().map(|row| *row as usize);
        rows.filter(|row| self.counts(*row))
    }

    /// How many colours the fullest row needs.
    pub fn least(&self) -> usize {
        let rows = (0..self.rows.rows()).filter(|row| self.counts(*row));
        rows.map(|row| self.rows.row(row).len()).max().unwrap_or(0)
    }

    /// The columns with a row in common, with repetitions, which is how many steps a colouring takes.
    fn steps(&self) -> usize {
        let rows = (0..self.rows.rows()).filter(|row| self.counts(*row));
        rows.map(|row| self.rows.row(row).len()).fold(0, |sum, len| sum.saturating_add(len * len))
    }

    /// As few colours as greedy orders find.
    pub fn coloured(&self) -> Colours {
        let filled = (0..self.columns.rows()).filter(|at| self.counting(*at).next().is_some());
        let mut order: Vec<u32> = filled.map(|at| at as u32).collect();
        let steps = self.steps();
        if steps > STEPS {
            let mut of = vec![NONE; self.columns.rows()];
            for (colour, column) in order.iter().enumerate() {
                of[*column as usize] = colour as u32;
            }
            return Colours { of, count: order.len() };
        }
        let least = self.least();
        let mut best = self.first_fit(&order);
        if best.count > least {
            order.sort_by_key(|at| Reverse(self.counting(*at as usize).count()));
            best = fewer(best, self.first_fit(&order));
        }
        if best.count > least && least < 64 && steps <= STEPS_BY_CHOICE {
            best = self.by_choice(&order).map_or(best.clone(), |other| fewer(best, other));
        }
        best
    }

    /// Each column in turn gets the first colour that is free.
    fn first_fit(&self, order: &[u32]) -> Colours {
        let mut of = vec![NONE; self.columns.rows()];
        let mut taken: Vec<u32> = vec![];
        for column in order {
            for row in self.counting(*column as usize) {
                for other in self.rows.row(row) {
                    if let Some(taken) = taken.get_mut(of[*other as usize] as usize) {
                        *taken = *column + 1;
                    }
                }
            }
            let free = taken.iter().position(|by| *by != *column + 1).unwrap_or(taken.len());
            if free == taken.len() {
                taken.push(0);
            }
            of[*column as usize] = free as u32;
        }
        Colours { of, count: taken.len() }
    }

    /// The column that has the fewest colours left is next, and of these the one with most others in its rows (Brélaz).
    /// None if 64 colours are too few.
    fn by_choice(&self, order: &[u32]) -> Option<Colours> {
        let mut of = vec![NONE; self.columns.rows()];
        let mut taken = vec![0_u64; self.columns.rows()];
        let mut heap: BinaryHeap<(u32, u32, Reverse<u32>)> = BinaryHeap::new();
        let crowd = |at: usize| -> u32 {
            self.counting(at).map(|row| self.rows.row(row).len() as u32).sum()
        };
        let crowds: Vec<u32> = (0..self.columns.rows()).map(crowd).collect();
        let mut count = 0;
        for start in order {
            if of[*start as usize] != NONE {
                continue;
            }
            heap.push((0, 0, Reverse(*start)));
            while let Some((choice, _, Reverse(column))) = heap.pop() {
                let at = column as usize;
                if of[at] != NONE || choice != taken[at].count_ones() {
                    continue;
                }
                let colour = taken[at].trailing_ones();
                if colour >= 64 {
                    return None;
                }
                of[at] = colour;
                count = count.max(colour as usize + 1);
                for row in self.counting(at) {
                    for other in self.rows.row(row) {
                        let near = *other as usize;
                        if of[near] == NONE && taken[near] & (1 << colour) == 0 {
                            taken[near] |= 1 << colour;
                            heap.push((taken[near].count_ones(), crowds[near], Reverse(*other)));
                        }
                    }
                }
            }
        }
        Some(Colours { of, count })
    }
}

fn fewer(one: Colours, other: Colours) -> Colours {
    if other.count < one.count { other } else { one }
}
