//! Plans: along which directions to differentiate, and where in the answers each entry stands.
//!
//! Input: a pattern. Output: a [`Plan`]: sweeps, each along the sum of several columns (forward) or rows (reverse), and for
//! each entry the sweep and the place that hold it. Law: if the entries outside the pattern are zeros, then the answers
//! hold every entry alone, so nothing is solved for and nothing rounds.

use crate::colouring::{Colours, Columns, NONE};
use crate::pattern::Pattern;
use crate::star::star_coloured;

/// A sweep: a directional derivative, or a product with the transposed matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Along the sum of these columns: the answer has a number for each row.
    Forward(Vec<u32>),
    /// Along the sum of these rows: the answer has a number for each column.
    Reverse(Vec<u32>),
}

/// How to get all entries of a matrix.
#[derive(Clone, Debug)]
pub struct Plan {
    pattern: Pattern,
    sweeps: Vec<Sweep>,
    /// The place in its answer that holds each entry.
    places: Vec<u32>,
    /// The entries that each sweep tells, sweep by sweep, and where those of each begin.
    told: Vec<usize>,
    starts: Vec<usize>,
}

/// The entries of a matrix, as answers tell them.
#[derive(Debug)]
pub struct Answers<'p> {
    plan: &'p Plan,
    values: Vec<f64>,
}

/// How sparse columns and rows are coloured together: colours of columns for the rows that are not peeled off, and of
/// the rows that are.
struct Both {
    peeled: Vec<bool>,
    columns: Colours,
    rows: Colours,
}

impl Both {
    fn count(&self) -> usize {
        self.columns.count + self.rows.count
    }
}

impl Plan {
    /// A plan for a matrix of any pattern, with few sweeps.
    pub fn of(pattern: Pattern) -> Self {
        let turned = pattern.transpose();
        let columns = Columns { rows: &pattern, columns: &turned, without: &[] };
        let rows = Columns { rows: &turned, columns: &pattern, without: &[] };
        let (least_forward, least_reverse) = (columns.least(), rows.least());
        let peels = [peel(&pattern, least_forward), peel(&turned, least_reverse)];
        // What surely has more colours than another is not coloured.
        let mut bound = usize::MAX;
        let mut best = None;
        let mut ways: Vec<(usize, usize)> = vec![(least_forward, 0), (least_reverse, 1)];
        ways.extend(
            peels.iter().enumerate().filter_map(|(at, peel)| Some((peel.as_ref()?.0, 2 + at))),
        );
        ways.sort_unstable();
        for (least, way) in ways {
            if least >= bound {
                continue;
            }
            let (rows, columns, peeled) = match (way, &peels) {
                (2, [Some((_, peeled)), _]) => (&pattern, &turned, peeled.clone()),
                (3, [_, Some((_, peeled))]) => (&turned, &pattern, peeled.clone()),
                (way, _) if way % 2 == 0 => (&pattern, &turned, vec![]),
                _ => (&turned, &pattern, vec![]),
            };
            let both = both(rows, columns, peeled);
            if both.count() < bound {
                bound = both.count();
                best = Some((both, way % 2 == 1));
            }
        }
        let Some((both, is_turned)) = best else {
            return Self::made(pattern, vec![], vec![], vec![]);
        };
        Self::bidirectional(pattern, &both, is_turned)
    }

    /// A plan for a symmetric matrix, whose pattern has each entry with its mirror image.
    pub fn symmetric(pattern: Pattern) -> Self {
        let colours = star_coloured(&pattern);
        let turned = pattern.transpose();
        let columns = Columns { rows: &pattern, columns: &turned, without: &[] };
        if columns.least() < colours.count {
            let alone = columns.coloured();
            if alone.count < colours.count {
                let rows = Colours { of: vec![], count: 0 };
                let both = Both { peeled: vec![], columns: alone, rows };
                return Self::bidirectional(pattern, &both, false);
            }
        }
        // How often a colour is met in a row.
        let mut met = vec![(0_u32, 0_u32); colours.count];
        let (mut sweeps, mut places) = (vec![], vec![]);
        for row in 0..pattern.rows() {
            let mark = row as u32 + 1;
            for column in pattern.row(row) {
                let (by, times) = &mut met[colours.of[*column as usize] as usize];
                *times = if *by == mark { *times + 1 } else { 1 };
                *by = mark;
            }
            for column in pattern.row(row) {
                let colour = colours.of[*column as usize];
                let is_alone = met[colour as usize].1 == 1;
                sweeps.push(if is_alone { colour } else { colours.of[row] });
                places.push(if is_alone { row as u32 } else { *column });
            }
        }
        let seeds = groups(&colours).into_iter().map(Sweep::Forward).collect();
        Self::made(pattern, seeds, sweeps, places)
    }

    /// A plan for a matrix of any pattern, by directional derivatives alone.
    pub fn by_columns(pattern: Pattern) -> Self {
        let turned = pattern.transpose();
        let columns = Columns { rows: &pattern, columns: &turned, without: &[] }.coloured();
        let rows = Colours { of: vec![], count: 0 };
        let both = Both { peeled: vec![], columns, rows };
        Self::bidirectional(pattern, &both, false)
    }

    fn bidirectional(pattern: Pattern, both: &Both, is_turned: bool) -> Self {
        let forward = |lines: Vec<u32>| {
            if is_turned { Sweep::Reverse(lines) } else { Sweep::Forward(lines) }
        };
        let reverse = |lines: Vec<u32>| {
            if is_turned { Sweep::Forward(lines) } else { Sweep::Reverse(lines) }
        };
        let mut seeds: Vec<Sweep> = groups(&both.columns).into_iter().map(forward).collect();
        seeds.extend(groups(&both.rows).into_iter().map(reverse));
        let (mut sweeps, mut places) = (vec![], vec![]);
        for (row, column) in pattern.places() {
            let (line, across) = if is_turned { (column, row) } else { (row, column) };
            if both.peeled.get(line).is_some_and(|peeled| *peeled) {
                sweeps.push(both.columns.count as u32 + both.rows.of[line]);
                places.push(across as u32);
            } else {
                sweeps.push(both.columns.of[across]);
                places.push(line as u32);
            }
        }
        Self::made(pattern, seeds, sweeps, places)
    }

    fn made(pattern: Pattern, sweeps: Vec<Sweep>, by: Vec<u32>, places: Vec<u32>) -> Self {
        let mut starts = vec![0; sweeps.len() + 1];
        for sweep in &by {
            starts[*sweep as usize + 1] += 1;
        }
        for at in 0..sweeps.len() {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut told = vec![0; by.len()];
        for (entry, sweep) in by.iter().enumerate() {
            told[next[*sweep as usize]] = entry;
            next[*sweep as usize] += 1;
        }
        Self { pattern, sweeps, places, told, starts }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }
    /// The sweeps, one for each colour.
    pub fn sweeps(&self) -> &[Sweep] {
        &self.sweeps
    }
    /// How many sweeps go forward, and how many in reverse.
    pub fn counts(&self) -> (usize, usize) {
        let forward = self.sweeps.iter().filter(|sweep| matches!(sweep, Sweep::Forward(_))).count();
        (forward, self.sweeps.len() - forward)
    }
    /// The entries that a sweep tells, row by row, and the place of each in its answer.
    pub fn told(&self, sweep: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let told = &self.told[self.starts[sweep]..self.starts[sweep + 1]];
        told.iter().map(|entry| (*entry, self.places[*entry]))
    }
    /// Entries that are not told yet.
    pub fn answers(&self) -> Answers<'_> {
        Answers { plan: self, values: vec![0.0; self.pattern.count()] }
    }
}

impl Answers<'_> {
    /// Takes the entries that a sweep tells from its answer.
    pub fn take(&mut self, sweep: usize, answer: &[f64]) {
        for (entry, place) in self.plan.told(sweep) {
            self.values[entry] = answer[place as usize];
        }
    }
    /// The entries, row by row.
    pub fn values(self) -> Vec<f64> {
        self.values
    }
}

/// The members of each colour.
fn groups(colours: &Colours) -> Vec<Vec<u32>> {
    let mut groups = vec![vec![]; colours.count];
    for (at, colour) in colours.of.iter().enumerate() {
        if *colour != NONE {
            groups[*colour as usize].push(at as u32);
        }
    }
    groups
}

/// The fullest rows, if fewer colours may do without them: a bound of how many, and which. The rows that are peeled off
/// need as many colours as the fullest column has of them.
fn peel(pattern: &Pattern, least: usize) -> Option<(usize, Vec<bool>)> {
    let mut order: Vec<u32> = (0..pattern.rows() as u32).collect();
    order.sort_by_key(|row| std::cmp::Reverse(pattern.row(*row as usize).len()));
    let mut counts = vec![0; pattern.columns()];
    let mut fullest = 0;
    let mut best = (least, 0);
    for (at, row) in order.iter().enumerate() {
        let len = |row: &u32| pattern.row(*row as usize).len();
        for column in pattern.row(*row as usize) {
            counts[*column as usize] += 1;
            fullest = fullest.max(counts[*column as usize]);
        }
        let bound = fullest + order.get(at + 1).map_or(0, len);
        if bound < best.0 {
            best = (bound, at + 1);
        }
        if fullest >= best.0 {
            break;
        }
    }
    let (bound, count) = best;
    if count == 0 || count == pattern.rows() {
        return None;
    }
    let mut peeled = vec![false; pattern.rows()];
    order[..count].iter().for_each(|row| peeled[*row as usize] = true);
    Some((bound, peeled))
}

/// Colours of columns for the rows that are not peeled off, and of those that are.
fn both(pattern: &Pattern, turned: &Pattern, peeled: Vec<bool>) -> Both {
    let columns = Columns { rows: pattern, columns: turned, without: &peeled }.coloured();
    if peeled.is_empty() {
        return Both { peeled, columns, rows: Colours { of: vec![], count: 0 } };
    }
    let ids: Vec<usize> = (0..pattern.rows()).filter(|row| peeled[*row]).collect();
    let part = pattern.part(ids.iter().copied());
    let colours = Columns { rows: &part.transpose(), columns: &part, without: &[] }.coloured();
    let mut of = vec![NONE; pattern.rows()];
    for (id, colour) in ids.iter().zip(&colours.of) {
        of[*id] = *colour;
    }
    Both { peeled, columns, rows: Colours { of, count: colours.count } }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % bound
        }
    }

    /// The entries that the sweeps of a plan tell of a matrix.
    fn recovered(plan: &Plan, matrix: &[Vec<f64>]) -> Vec<f64> {
        let mut answers = plan.answers();
        for (at, sweep) in plan.sweeps().iter().enumerate() {
            let answer: Vec<f64> = match sweep {
                Sweep::Forward(columns) => (matrix.iter())
                    .map(|row| columns.iter().map(|column| row[*column as usize]).sum())
                    .collect(),
                Sweep::Reverse(rows) => (0..plan.pattern().columns())
                    .map(|column| rows.iter().map(|row| matrix[*row as usize][column]).sum())
                    .collect(),
            };
            answers.take(at, &answer);
        }
        answers.values()
    }

    fn check(plan: &Plan, is_symmetric: bool) {
        let pattern = plan.pattern();
        let mut matrix = vec![vec![0.0; pattern.columns()]; pattern.rows()];
        let mut expected = vec![];
        for (at, (row, column)) in pattern.places().enumerate() {
            let value = if is_symmetric {
                (row.min(column) * 1000 + row.max(column) + 1) as f64
            } else {
                (at + 1) as f64 * 1.5
            };
            matrix[row][column] = value;
            expected.push(value);
        }
        assert_eq!(recovered(plan, &matrix), expected, "{pattern:?}");
    }

    fn pattern(rows: usize, columns: usize, is_entry: impl Fn(usize, usize) -> bool) -> Pattern {
        let row = |row| (0..columns as u32).filter(|at| is_entry(row, *at as usize)).collect();
        Pattern::of_rows(columns, (0..rows).map(row).collect::<Vec<Vec<u32>>>())
    }

    #[test]
    fn plans_of_random_patterns_tell_every_entry() {
        let mut random = Random(1);
        for _ in 0..2000 {
            let (rows, columns) = (random.below(9), random.below(9));
            let density = 1 + random.below(9);
            let mut is_entry = vec![false; rows * columns];
            is_entry.iter_mut().for_each(|entry| *entry = random.below(10) < density);
            let pattern = pattern(rows, columns, |row, column| is_entry[row * columns + column]);
            let least = pattern.rows().min(pattern.columns());
            let plan = Plan::of(pattern);
            assert!(plan.sweeps().len() <= least, "{plan:?}");
            check(&plan, false);
            let forward = Plan::by_columns(plan.pattern().clone());
            assert_eq!(forward.counts().1, 0);
            check(&forward, false);
        }
    }

    #[test]
    fn plans_of_random_symmetric_patterns_tell_every_entry() {
        let mut random = Random(2);
        for _ in 0..3000 {
            let size = random.below(11);
            let density = 1 + random.below(9);
            let mut is_entry = vec![false; size * size];
            is_entry.iter_mut().for_each(|entry| *entry = random.below(10) < density);
            let pattern = pattern(size, size, |row, column| {
                is_entry[row.min(column) * size + row.max(column)]
            });
            let plan = Plan::symmetric(pattern);
            assert!(plan.sweeps().len() <= size);
            check(&plan, true);
        }
    }

    #[test]
    fn a_star_colouring_has_no_path_of_four_with_two_colours() {
        let mut random = Random(3);
        for _ in 0..500 {
            let size = 2 + random.below(9);
            let density = 1 + random.below(6);
            let mut is_entry = vec![false; size * size];
            is_entry.iter_mut().for_each(|entry| *entry = random.below(10) < density);
            let edge = |a: usize, b: usize| a != b && is_entry[a.min(b) * size + a.max(b)];
            let pattern = pattern(size, size, |row, column| row == column || edge(row, column));
            let of = star_coloured(&pattern).of;
            for (a, b) in pattern.places().filter(|(a, b)| a != b) {
                assert_ne!(of[a], of[b]);
                for c in (0..size).filter(|c| *c != a && edge(b, *c)) {
                    for d in (0..size).filter(|d| *d != b && *d != a && edge(c, *d)) {
                        assert!(of[a] != of[c] || of[b] != of[d], "{pattern:?} {of:?}");
                    }
                }
            }
        }
    }

    fn sweeps(plan: &Plan) -> (usize, usize) {
        check(plan, false);
        plan.counts()
    }

    #[test]
    fn a_tridiagonal_matrix_takes_three() {
        let of = |n| pattern(n, n, |row, column| row.abs_diff(column) <= 1);
        assert_eq!(sweeps(&Plan::of(of(50))), (3, 0));
        let plan = Plan::symmetric(of(50));
        check(&plan, true);
        assert_eq!(plan.sweeps().len(), 3);
    }

    #[test]
    fn a_full_row_is_peeled_off_and_a_full_column_too() {
        let frame = pattern(60, 60, |row, column| row == 0 || column == 0);
        assert_eq!(sweeps(&Plan::of(frame)), (1, 1));
        // With a full row, a full column and a diagonal, two sweeps have 2 n answers for 3 n - 2 entries.
        let arrow = |row: usize, column: usize| row == 0 || column == 0 || row == column;
        let (forward, reverse) = sweeps(&Plan::of(pattern(60, 60, arrow)));
        assert_eq!(forward + reverse, 3);
        let row = pattern(60, 60, |row, column| row == 0 || row == column);
        let (forward, reverse) = sweeps(&Plan::of(row));
        assert_eq!(forward + reverse, 2);
        let plan = Plan::symmetric(pattern(60, 60, arrow));
        check(&plan, true);
        assert_eq!(plan.sweeps().len(), 2);
    }

    #[test]
    fn a_five_point_laplacian_takes_five() {
        for (height, width) in [(7, 7), (10, 13), (20, 20), (31, 16), (40, 41)] {
            let near = |one: usize, other: usize| {
                (one / width).abs_diff(other / width) + (one % width).abs_diff(other % width) <= 1
            };
            let plan = Plan::of(pattern(height * width, height * width, near));
            assert_eq!(sweeps(&plan), (5, 0), "{height} x {width}");
        }
    }
}
