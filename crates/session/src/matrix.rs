//! A sparse matrix as an answer: text for people, JSON, and SciPy's archive.
//!
//! Input: a pattern, a value for each entry, and what is to be told of how they came about. Output: texts. Entries stand
//! row by row; an archive has them column by column, as solvers want them.

use pullback_data::output::{
    Layout, push_json_real, push_json_string, rounded_text, to_sparse_npz,
};
use pullback_sparse::Pattern;

/// The most entries of a text, unless all are wanted.
const MOST: usize = 50;

/// A sparse matrix.
pub struct Matrix {
    /// Where its entries are.
    pub pattern: Pattern,
    /// Its entries, row by row.
    pub values: Vec<f64>,
    /// How many sweeps went forward, and how many in reverse.
    pub sweeps: (usize, usize),
    /// Whether the pattern is that of each point with these sizes and Ints.
    pub holds_everywhere: bool,
    /// The columns of each row as an affine relation, if one says all.
    pub relation: Option<String>,
    /// The parameters, each with its first column and how many it has.
    pub parameters: Vec<(String, usize, usize)>,
}

impl Matrix {
    /// Lines for people. A layout may want all entries, and a number of digits.
    pub fn text(&self, layout: Option<&Layout>) -> String {
        let Self { pattern, values, sweeps: (forward, reverse), .. } = self;
        let counted = |count: usize, one: &str, more: &str| {
            format!("{count} {}", if count == 1 { one } else { more })
        };
        let mut lines = vec![format!(
            "{}, {}, {}",
            counted(pattern.rows(), "row", "rows"),
            counted(pattern.columns(), "column", "columns"),
            counted(pattern.count(), "entry", "entries"),
        )];
        let sweeps = counted(forward + reverse, "sweep", "sweeps");
        lines.push(match (forward, reverse) {
            (_, 0) => format!("{sweeps}, forward"),
            (0, _) => format!("{sweeps}, in reverse"),
            (forward, reverse) => format!("{sweeps}: {forward} forward, {reverse} in reverse"),
        });
        lines.push(if self.holds_everywhere {
            "the pattern holds for all Reals".to_owned()
        } else {
            "the pattern is that of this point: Reals decide what is computed".to_owned()
        });
        lines.extend(self.relation.clone());
        if self.parameters.len() > 1 {
            let named = self.parameters.iter().map(|(name, first, count)| match count {
                0 => format!("{name} none"),
                1 => format!("{name} {first}"),
                _ => format!("{name} {first} to {}", first + count - 1),
            });
            lines.push(format!("columns: {}", named.collect::<Vec<_>>().join(", ")));
        }
        let shown = match layout {
            Some(layout) if layout.full => pattern.count(),
            Some(_) | None => pattern.count().min(MOST),
        };
        let precision = layout.and_then(|layout| layout.precision);
        let real = |x: f64| rounded_text(x, precision);
        let mut table = vec![["row".to_owned(), "column".to_owned(), "value".to_owned()]];
        for ((row, column), value) in pattern.places().zip(values).take(shown) {
            table.push([row.to_string(), column.to_string(), real(*value)]);
        }
        if shown > 0 {
            let width = |at: usize| table.iter().map(|cells| cells[at].len()).max().unwrap_or(0);
            let (first, second) = (width(0), width(1));
            lines.extend(
                table.iter().map(|[row, column, value]| {
                    format!("{row:>first$}  {column:>second$}  {value}")
                }),
            );
        }
        if shown < pattern.count() {
            lines.push(format!("… {} more: --full shows them", pattern.count() - shown));
        }
        lines.join("\n")
    }

    /// One line of JSON.
    pub fn json(&self) -> String {
        let Self { pattern, values, sweeps: (forward, reverse), .. } = self;
        let mut out = format!(
            "{{\"rows\": {}, \"columns\": {}, \"sweeps\": {{\"forward\": {forward}, \"reverse\": {reverse}}}, \
             \"everywhere\": {}, \"parameters\": {{",
            pattern.rows(),
            pattern.columns(),
            self.holds_everywhere,
        );
        for (at, (name, first, count)) in self.parameters.iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            push_json_string(&mut out, name);
            out.push_str(&format!(": [{first}, {}]", first + count));
        }
        out.push_str("}, \"row\": [");
        list(&mut out, pattern.places(), |out, (row, _)| out.push_str(&row.to_string()));
        out.push_str("], \"column\": [");
        list(&mut out, pattern.places(), |out, (_, at)| out.push_str(&at.to_string()));
        out.push_str("], \"value\": [");
        list(&mut out, values.iter(), |out, value| push_json_real(out, *value));
        out.push_str("]}");
        out
    }

    /// An archive that SciPy's `load_npz` reads.
    pub fn npz(&self) -> Vec<u8> {
        let turned = self.pattern.transpose();
        let ints = |from: &[usize]| from.iter().map(|at| *at as i64).collect::<Vec<_>>();
        let rows: Vec<i64> = turned.entries().iter().map(|row| i64::from(*row)).collect();
        let order = self.pattern.transposed_order();
        let values: Vec<f64> = order.into_iter().map(|at| self.values[at]).collect();
        let shape = [self.pattern.rows() as i64, self.pattern.columns() as i64];
        to_sparse_npz(shape, &ints(turned.starts()), &rows, &values)
    }
}

fn list<T>(out: &mut String, items: impl Iterator<Item = T>, each: impl Fn(&mut String, T)) {
    for (at, item) in items.enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        each(out, item);
    }
}
