//! The transformations of code generation as data: what the way from the IR to C decides, with its laws.
//!
//! Each is a file of `emit` or `emit/kernel`, whose header has the term, an example and the law in full. The order here
//! is the one in which they are asked. What a kernel's transformations decide is its schedule ([`crate::Schedule`]).
//! Those that are optional can be left out: the C then means the same, but for the order in which sums are added up.

/// When a transformation is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// On a function of the IR.
    Functions,
    /// On a nest of loops over numbers, which becomes a kernel.
    Kernels,
}

impl Phase {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Kernels => "kernels",
        }
    }
    /// When that is, in words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Functions => "in `native`, where a function becomes C",
            Self::Kernels => "in `native`, where a nest of loops over numbers becomes C",
        }
    }
}

/// Which transformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table has them")]
#[repr(u8)]
pub enum Which {
    SplitFunctions,
    InlineBaseCases,
    OutlineSlowPath,
    Borrow,
    Ownership,
    Literals,
    Rounded,
    ParallelLoops,
    LoopIdioms,
    TranslationUnits,
    LoopVersioning,
    Vectorise,
    PackRows,
    UnrollAndJam,
    TileProducts,
    JamInner,
    PackColumns,
    IndexTables,
    ElideMasks,
    HorizontalReduce,
    MaskedWhile,
    CarriedStores,
    SkipZeros,
    PlainProducts,
    CombinedFunctions,
    PieceSums,
    Threads,
}

/// A transformation between the IR and C.
#[derive(Debug)]
pub struct Transformation {
    /// Which it is.
    pub which: Which,
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// When it is asked.
    pub phase: Phase,
    /// What it does.
    pub about: &'static str,
    /// What it keeps.
    pub law: &'static str,
    /// Whether there is C without it that means the same.
    pub is_optional: bool,
}

/// The transformations that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Without(u32);

impl Without {
    /// All that may be left out.
    pub fn all() -> Self {
        optional().fold(Self::default(), |without, one| without.and(one.which))
    }

    /// This one too.
    #[must_use]
    pub fn and(self, which: Which) -> Self {
        Self(self.0 | 1 << which as u8)
    }

    /// This one not.
    #[must_use]
    pub fn but(self, which: Which) -> Self {
        Self(self.0 & !(1 << which as u8))
    }

    /// Whether it is left out.
    pub fn has(self, which: Which) -> bool {
        self.0 >> which as u8 & 1 == 1
    }

    /// Those of these names that are transformations.
    pub fn named<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let one = |name| optional().find(|one| one.name == name);
        names.filter_map(one).fold(Self::default(), |without, one| without.and(one.which))
    }
}

/// The transformations that may be left out, in their order.
pub fn optional() -> impl Iterator<Item = &'static Transformation> {
    TRANSFORMATIONS.iter().filter(|one| one.is_optional)
}

const fn on(
    phase: Phase,
    (which, name): (Which, &'static str),
    about: &'static str,
    law: &'static str,
) -> Transformation {
    Transformation { which, name, phase, about, law, is_optional: true }
}

const fn needed(one: Transformation) -> Transformation {
    Transformation { is_optional: false, ..one }
}

/// All transformations, in the order in which they are asked.
pub const TRANSFORMATIONS: &[Transformation] = &[
    on(
        Phase::Functions,
        (Which::SplitFunctions, "split_functions"),
        "makes several functions of one that has very many statements",
        "the statements are the same, in the same order",
    ),
    on(
        Phase::Functions,
        (Which::InlineBaseCases, "inline_base_cases"),
        "puts the base cases of recursive functions in the place of calls",
        "f(x) = if c { a } else { g(x) }, if the body of f is if c { a } else { b } and g(x) = b",
    ),
    needed(on(
        Phase::Functions,
        (Which::OutlineSlowPath, "outline_slow_path"),
        "writes such a function as two: base cases, and the rest",
        "both together are the statements of the function, in their order",
    )),
    on(
        Phase::Functions,
        (Which::Borrow, "borrow"),
        "lends arrays to recursive functions that only look at them",
        "values are the same, and no array lives longer than the outermost call that is lent it",
    ),
    needed(on(
        Phase::Functions,
        (Which::Ownership, "ownership"),
        "counts who holds an array or data, and gives back at the last use",
        "each owner gives its count back or hands it on, once on each way through a block",
    )),
    on(
        Phase::Functions,
        (Which::Literals, "literals"),
        "makes static tables of array literals that hold only constants",
        "values are the same",
    ),
    needed(on(
        Phase::Functions,
        (Which::Rounded, "rounded"),
        "rounds products before they are subtracted, where fast code could fuse the two",
        "x * x - y * y is as strict code has it",
    )),
    on(
        Phase::Functions,
        (Which::ParallelLoops, "parallel_loops"),
        "shares the iterations of loops that call, search or allocate out among threads",
        "the bits and errors are those of one thread",
    ),
    on(
        Phase::Functions,
        (Which::LoopIdioms, "loop_idioms"),
        "makes bare loops of those that copy elements or write one number",
        "the array is the same; where a place may be outside, the checked loop runs",
    ),
    on(
        Phase::Functions,
        (Which::TranslationUnits, "translation_units"),
        "writes a long program as several texts, which are compiled side by side",
        "together they are the functions of the program",
    ),
    on(
        Phase::Kernels,
        (Which::LoopVersioning, "loop_versioning"),
        "asks before a kernel whether anything in it could fail, and goes to the checked loop if so",
        "if the guard passes, no statement of the kernel fails",
    ),
    on(
        Phase::Kernels,
        (Which::Vectorise, "vectorise"),
        "lays loops across lanes whose iterations need not wait for each other",
        "a variable has in every lane the value that its kind says: uniform, linear or varying",
    ),
    on(
        Phase::Kernels,
        (Which::PackRows, "pack_rows"),
        "copies rows that are read again and again, the elements of eight rows side by side",
        "what is read has the same bits",
    ),
    on(
        Phase::Kernels,
        (Which::UnrollAndJam, "unroll_and_jam"),
        "runs two or four vectors of iterations at once, jammed into the loops inside",
        "an iteration computes what it computed; the order of sums hangs on sizes alone",
    ),
    on(
        Phase::Kernels,
        (Which::TileProducts, "tile_products"),
        "adds up the products of 24 columns at once, in registers, by a function of the runtime",
        "a sum has the same addends; products that are strong are 0 where they should be",
    ),
    on(
        Phase::Kernels,
        (Which::JamInner, "jam_inner"),
        "runs up to four iterations of a loop inside one across lanes at once",
        "an iteration computes what it computed; states go from one to the next in their order",
    ),
    on(
        Phase::Kernels,
        (Which::PackColumns, "pack_columns"),
        "reads the columns of large matrices from copies: turned, or some columns at a time",
        "what is read has the same bits",
    ),
    on(
        Phase::Kernels,
        (Which::IndexTables, "index_tables"),
        "does Int arithmetic on the index of an inner loop once, before the kernel",
        "values are the same; what could fail is not done early",
    ),
    on(
        Phase::Kernels,
        (Which::ElideMasks, "elide_masks"),
        "leaves out masks where eight iterations lie on one side of every comparison of the index",
        "which blocks an iteration runs stays the same",
    ),
    on(
        Phase::Kernels,
        (Which::HorizontalReduce, "horizontal_reduce"),
        "reduces in each lane, and puts the lanes together after the loop",
        "maxima, minima and Int sums are those of the loop; Real sums have one other, fixed order",
    ),
    on(
        Phase::Kernels,
        (Which::MaskedWhile, "masked_while"),
        "runs loops that end by a condition in lanes, with a mask of those that go on",
        "each lane ends with the states that it would end with alone",
    ),
    on(
        Phase::Kernels,
        (Which::CarriedStores, "carried_stores"),
        "carries what is added to neighbours in a vector, and stores each element once",
        "an element gets its addends in the order of the iterations",
    ),
    on(
        Phase::Kernels,
        (Which::SkipZeros, "skip_zeros"),
        "skips statements that only hand on a zero unless a condition holds in some lane",
        "what is skipped would have added zeros",
    ),
    on(
        Phase::Kernels,
        (Which::PlainProducts, "plain_products"),
        "adds up strong products as plain ones, and again as what they are if that gives NaN",
        "a sum that is not NaN had no product of 0 and an infinity",
    ),
    on(
        Phase::Kernels,
        (Which::CombinedFunctions, "combined_functions"),
        "computes functions of one argument that share their work, such as sine and cosine, by one call",
        "each result is what the function alone gives",
    ),
    on(
        Phase::Kernels,
        (Which::PieceSums, "piece_sums"),
        "gives each piece of a shared loop places of its own for what it adds up",
        "the order of addends hangs on sizes alone, not on the number of threads",
    ),
    on(
        Phase::Kernels,
        (Which::Threads, "threads"),
        "shares the iterations of a kernel's outermost loop out among threads",
        "the bits are those of one thread",
    ),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn each_is_a_file_and_stands_once() {
        let emit = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/emit");
        for (at, one) in TRANSFORMATIONS.iter().enumerate() {
            let folder = match one.phase {
                Phase::Functions => emit.clone(),
                Phase::Kernels => emit.join("kernel"),
            };
            assert!(folder.join(format!("{}.rs", one.name)).exists(), "{}", one.name);
            let mut before = TRANSFORMATIONS[..at].iter();
            assert!(before.all(|other| other.name != one.name), "{}", one.name);
            assert_eq!(one.which as usize, at, "{}", one.name);
        }
    }
}
