//! Programs whose first function, from an array to an array, has loops that are no kernels.

/// Those that take any array.
pub const ANYTHING: &[&str] = &[
    // They search, and call what calls itself.
    include_str!("solves.ir"),
    include_str!("calls.ir"),
    // They change what all see, each for itself: an array from outside, and a constant.
    include_str!("updates.ir"),
    include_str!("looks.ir"),
    // Their results are rows, whose size is known or not; one is shorter than the others.
    include_str!("rows.ir"),
    include_str!("ragged.ir"),
    include_str!("unlike.ir"),
    // They add up, or look for the least.
    include_str!("total.ir"),
    include_str!("least.ir"),
    // They make trees and take them apart, or look at some from outside, in which much is shared.
    include_str!("trees.ir"),
    include_str!("tops.ir"),
    include_str!("forest.ir"),
    // Their iterations add to the same accumulators.
    include_str!("shares.ir"),
    // So do these, but the accumulator is large beside what they do.
    include_str!("large.ir"),
    // They collect trees, with parts of a tree and of trees from outside in them.
    include_str!("keeps.ir"),
    // A loop with data from outside, by itself and inside another one with some.
    include_str!("nests.ir"),
    // They are in what calls itself, with an array that it is lent.
    include_str!("agains.ir"),
    // The last iterations fail, if there are any.
    include_str!("fails.ir"),
];
