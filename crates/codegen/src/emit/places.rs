//! Places in arrays: checked indices, and the number of the first element that they lead to.

use pullback_ir::Atom;

use super::body::Body;

impl Body<'_, '_> {
    /// Checks indices into an array, unless the statement cannot fail.
    pub fn check_indices(&mut self, array: &str, at: &[Atom]) {
        if self.is_proven {
            return;
        }
        let site = self.site();
        for (dimension, index) in at.iter().enumerate() {
            let index = self.atom(*index);
            self.line(format_args!(
                "if (PB_RARE((uint64_t){index} >= (uint64_t){array}.d[{dimension}])) pb_fail_index(c, {site}, {index}, {array}.d[{dimension}]);"
            ));
        }
    }

    /// The number of the first element at indices into an array of so many dimensions.
    pub fn offset(&self, array: &str, at: &[Atom], rank: u8) -> String {
        let mut text = String::new();
        for dimension in 0..usize::from(rank) {
            let index = at.get(dimension).map(|index| self.atom(*index));
            text = match (dimension, index) {
                (0, Some(index)) => index,
                (0, None) => "0".to_owned(),
                (_, Some(index)) => format!("({text}) * {array}.d[{dimension}] + {index}"),
                (_, None) => format!("({text}) * {array}.d[{dimension}]"),
            };
        }
        text
    }

    /// The sizes of an array from a dimension on.
    pub fn rest(&self, array: &str, from: usize, rank: u8) -> String {
        let sizes: Vec<String> =
            (from..usize::from(rank)).map(|at| format!("{array}.d[{at}]")).collect();
        sizes.join(", ")
    }

    /// Whether an array has rows at a dimension.
    pub fn has_rows(&self, array: &str, dimension: u8) -> String {
        let sizes: Vec<String> = (0..dimension).map(|at| format!("{array}.d[{at}] > 0")).collect();
        if sizes.is_empty() { "1".to_owned() } else { sizes.join(" && ") }
    }
}
