//! Jacobians by compressed columns: the C of a few sweeps, each along the sum of several columns or rows, and of where in
//! their answers each entry stands.
//!
//! ```text
//! jac_f(arg, res, …)     for each sweep that tells an entry of a block that is wanted:
//!                          fwd1_f(…) or adj1_f(…);  res[block][at] = answer[place]
//! ```
//!
//! Law: each entry is told by one sweep, so a block is filled without being cleared.

use std::fmt::Write;

/// Which entries a matrix has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// All.
    #[default]
    Dense,
    /// None, ever.
    Zero,
    /// Some, column by column.
    Some {
        /// Where the entries of each column begin, and where those of the last one end.
        starts: Vec<usize>,
        /// The row of each entry.
        rows: Vec<u32>,
    },
}

/// A Jacobian by few sweeps.
#[derive(Debug)]
pub struct Compressed {
    /// The number of the table of tangents.
    pub forward: usize,
    /// That of the table of cotangents, if sweeps go in reverse.
    pub reverse: Option<usize>,
    /// The number of the table of the function.
    pub function: usize,
    /// The sweeps.
    pub sweeps: Vec<Sweep>,
}

/// A directional derivative, or a product with the transposed matrix. Numbers of inputs, and of outputs, are counted through
/// all that move.
#[derive(Debug)]
pub struct Sweep {
    /// Whether it is along inputs.
    pub is_forward: bool,
    /// Where its direction is 1.
    pub seeds: Vec<u32>,
    /// For each block, of an output and an input, the number of the answer that each entry is, and its place in the block.
    pub told: Vec<Vec<(u32, u32)>>,
}

impl Compressed {
    /// The tables of the sweeps, named by the number of the Jacobian.
    pub(super) fn tables(&self, number: usize) -> String {
        let mut text = String::new();
        let (mut seeds, mut from) = (vec![], vec![0]);
        let (mut told, mut places, mut at) = (vec![0], vec![], vec![]);
        for sweep in &self.sweeps {
            seeds.extend_from_slice(&sweep.seeds);
            from.push(seeds.len() as u32);
            for block in &sweep.told {
                places.extend(block.iter().map(|(place, _)| *place));
                at.extend(block.iter().map(|(_, at)| *at));
                told.push(places.len() as u32);
            }
        }
        let ways: Vec<u32> = self.sweeps.iter().map(|sweep| u32::from(sweep.is_forward)).collect();
        let lists = [
            ("ways", &ways),
            ("from", &from),
            ("seeds", &seeds),
            ("told", &told),
            ("places", &places),
            ("at", &at),
        ];
        for (word, list) in lists {
            let _ = writeln!(text, "static const int pb_{word}{number}[] = {{{}}};", numbers(list));
        }
        let _ = writeln!(
            text,
            "static const pb_sweeps pb_plan{number} = {{{}, pb_ways{number}, pb_from{number}, pb_seeds{number}, \
             pb_told{number}, pb_places{number}, pb_at{number}}};",
            self.sweeps.len()
        );
        text
    }
}

impl Entries {
    /// The constant that describes a matrix of so many rows and columns, if it is sparse.
    pub(super) fn sparse_sizes(&self, (height, width): (i64, i64), name: &str) -> Option<String> {
        let Self::Some { starts, rows } = self else { return None };
        let starts: Vec<u32> = starts.iter().map(|start| *start as u32).collect();
        let all = [vec![height as u32, width as u32], starts, rows.clone()].concat();
        Some(format!("static const long long {name}[] = {{{}}};\n", numbers(&all)))
    }
}

/// Numbers in lines; C wants at least one.
fn numbers(list: &[u32]) -> String {
    if list.is_empty() {
        return "0".to_owned();
    }
    let mut text = String::new();
    for (at, number) in list.iter().enumerate() {
        text.push_str(match at % 24 {
            _ if at == 0 => "",
            0 => ",\n  ",
            _ => ", ",
        });
        let _ = write!(text, "{number}");
    }
    text
}
