//! When to fuse: what a fused body saves, by count of primitives.
//!
//! `D{e}` binds a delta for each operation. A binding takes a primitive, to count its name; a delta that is a name already is
//! not bound. If `eval` reaches it, each of its parts takes one to multiply unless the partial derivative is 1, and one to add if
//! there is something in its slot of the map. A fused body multiplies and adds as often, but binds results alone. It does so for
//! each result, whether `eval` reaches that or not, and for each part of the argument, whether that has a delta or not.
//!
//! Law: where [`saved`] is not negative, the fused body executes no more primitives than `D{e}` and `eval` together, as long as
//! the parts of the argument in `active` have deltas and `eval` reaches at least one of the results.

use super::static_chain::{Branches, Chain, Factor, Node, Part};

/// The primitives of a binding that nothing reaches.
const BINDING: i64 = 1;

/// How many primitives a fused body saves at least, with these results, where these parts of the argument have deltas.
pub(super) fn saved(chain: &Chain, results: &[Option<usize>], active: &[bool]) -> i64 {
    let results: Vec<usize> = results.iter().flatten().copied().collect();
    let each = results.iter().map(|used| saved_for(chain, &results, *used, active));
    each.min().unwrap_or(0)
}

fn saved_for(chain: &Chain, results: &[usize], used: usize, active: &[bool]) -> i64 {
    let is_active = activity(chain, &|slot| active[slot], &[]);
    let reached = reach(chain, &[used], &is_active);
    let mut saved = recorded(chain, &reached, &is_active) - swept(chain, results);
    for result in results {
        if let Node::Row(_) | Node::Join(_) = chain.nodes[*result] {
            // Its row.
            saved -= BINDING;
        }
    }
    let all = vec![true; chain.nodes.len()];
    for (at, count) in reach(chain, &[used], &all).iter().enumerate() {
        if matches!(chain.nodes[at], Node::Input { .. }) && *count > 0 && at != used {
            // The multiplication of its part of a row.
            saved -= 1;
        }
    }
    saved + chain.branches.iter().map(|it| saved_inside(it, &is_active, &reached)).sum::<i64>()
}

/// What branches save, in the one that saves the least.
fn saved_inside(branches: &Branches, outer: &[bool], reached: &[i64]) -> i64 {
    let one = |(chain, results): &(Chain, Vec<Option<usize>>)| {
        let is_active = activity(chain, &|_| false, outer);
        let joined = results.iter().zip(&branches.joined);
        let used = joined.filter(|(_, node)| node.is_some_and(|node| reached[node] > 0));
        let used: Vec<usize> = used.filter_map(|(result, _)| *result).collect();
        let all: Vec<usize> = results.iter().flatten().copied().collect();
        let inside = reach(chain, &used, &is_active);
        let own = recorded(chain, &inside, &is_active) - swept(chain, &all);
        let within = chain.branches.iter().map(|it| saved_inside(it, &is_active, &inside));
        own + within.sum::<i64>()
    };
    branches.each.iter().map(one).min().unwrap_or(0)
}

/// Which nodes have deltas.
fn activity(chain: &Chain, input: &dyn Fn(usize) -> bool, outer: &[bool]) -> Vec<bool> {
    let mut active: Vec<bool> = vec![];
    for (at, node) in chain.nodes.iter().enumerate() {
        active.push(match node {
            Node::Input { slot, .. } => input(*slot),
            Node::Outer => outer[at],
            Node::Row(parts) | Node::Join(parts) => parts.iter().any(|part| active[part.node]),
        });
    }
    active
}

/// How often `eval` adds to each node, from these results.
fn reach(chain: &Chain, results: &[usize], active: &[bool]) -> Vec<i64> {
    let mut reached = vec![0; chain.nodes.len()];
    for result in results {
        reached[*result] += i64::from(active[*result]);
    }
    for (at, node) in chain.nodes.iter().enumerate().rev() {
        let (Node::Row(parts) | Node::Join(parts)) = node else { continue };
        if reached[at] > 0 {
            for part in parts.iter().filter(|part| active[part.node]) {
                reached[part.node] += 1;
            }
        }
    }
    reached
}

/// The fewest primitives of `D{e}` and `eval` for bindings: conditions on parts may not hold.
fn recorded(chain: &Chain, reached: &[i64], active: &[bool]) -> i64 {
    let mut cost = 0;
    for (at, node) in chain.nodes.iter().enumerate() {
        let Node::Row(parts) = node else { continue };
        // What a condition chooses may be a name, or nothing.
        let there = parts.iter().filter(|part| active[part.node] && part.chosen_by == 0);
        let there: Vec<&Part> = there.collect();
        if let [] | [Part { factor: Factor::One, .. }] = there[..] {
            // It may be handed on.
            continue;
        }
        cost += BINDING;
        if reached[at] > 0 {
            cost += there.into_iter().map(multiplied).sum::<i64>();
        }
    }
    let is_conditional = chain.nodes.iter().any(|node| {
        matches!(node, Node::Row(parts) | Node::Join(parts) if parts.iter().any(|part| part.when.is_some()))
    });
    if is_conditional {
        return cost;
    }
    cost + reached.iter().map(|count| (count - 1).max(0)).sum::<i64>()
}

/// The most primitives of the sweeps of a fused body.
fn swept(chain: &Chain, results: &[usize]) -> i64 {
    let mut cost = 0;
    for result in results {
        let mut filled = vec![0; chain.nodes.len()];
        filled[*result] = 1;
        for (at, node) in chain.nodes.iter().enumerate().rev() {
            let (Node::Row(parts) | Node::Join(parts)) = node else { continue };
            if filled[at] == 0 {
                continue;
            }
            for part in parts {
                // The first factor is 1.
                cost += if at == *result { 0 } else { multiplied(part) };
                cost += i64::from(filled[part.node] > 0);
                filled[part.node] += 1;
            }
        }
    }
    // `D{e}` asks for the first of the conditions that choose a partial derivative, and mostly for no other.
    let rows = chain.nodes.iter().filter_map(|node| match node {
        Node::Row(parts) => Some(
            parts.iter().map(|part| part.chosen_by - i64::from(part.chosen_by > 0)).sum::<i64>(),
        ),
        Node::Input { .. } | Node::Outer | Node::Join(_) => None,
    });
    cost + rows.sum::<i64>()
}

fn multiplied(part: &Part) -> i64 {
    i64::from(!matches!(part.factor, Factor::One))
}
