//! What a call of a routine is given and gives, and how it ends.

/// An argument.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// A Real.
    Real(f64),
    /// A Bool.
    Bool(bool),
    /// Reals, row by row, and the sizes; of one dimension the second size is 1.
    Reals(&'a [f64], [usize; 2]),
    /// Ints.
    Ints(&'a [i64]),
}

/// Where a result goes.
#[derive(Debug)]
pub enum Wanted<'a> {
    /// A Real.
    Real(&'a mut f64),
    /// A Bool.
    Bool(&'a mut bool),
    /// Reals, row by row.
    Reals(&'a mut [f64]),
    /// Ints.
    Ints(&'a mut [i64]),
}

/// What a call will take and give.
#[derive(Debug)]
pub struct Plan {
    /// The sizes of each result; those of a number are 1.
    pub sizes: Vec<[usize; 2]>,
    /// The bytes that it needs besides its results.
    pub work: usize,
    /// How many operations it counts as: the products of the usual algorithm, with their sums.
    pub operations: u64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All results are there.
    Done,
    /// The text is to run.
    Declined,
    /// The caller asked it to stop.
    Stopped,
}

/// The choices that faer makes itself.
pub(crate) fn auto<Config: faer::Auto<f64>>() -> faer::Spec<Config, f64> {
    Config::auto().into()
}
