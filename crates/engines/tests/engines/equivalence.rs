//! Tangents of functions up to the paper's equivalence (§4.1): calls at equal arguments are one call with the sum of the
//! cotangents, and a call with a zero cotangent is no call.

use std::collections::BTreeMap;

use pullback_base::Name;
use pullback_engines::curry::{Arrived, Call, Seen};
use pullback_eval::{Value, equal};

/// Whether it is zero, structurally, by number, or by the paper's equivalence.
pub(crate) fn is_zero(seen: &Seen) -> bool {
    match seen {
        Seen::Zero | Seen::Unit => true,
        Seen::Real(x) => *x == 0.0,
        Seen::Parts(parts) | Seen::Con(_, parts) => parts.iter().all(is_zero),
        Seen::Array(elements) => elements.values().all(is_zero),
        Seen::Function(Arrived::Calls(calls)) => normal(calls).is_empty(),
        Seen::Function(Arrived::Environment { fields, .. }) => {
            fields.iter().all(|(_, seen)| is_zero(seen))
        }
        Seen::Rest => false,
    }
}

fn is_close(seen: &Seen, other: &Seen) -> bool {
    let all =
        |a: &[Seen], b: &[Seen]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b));
    match (seen, other) {
        (Seen::Real(a), Seen::Real(b)) => (a - b).abs() <= 1e-9 * (1.0 + b.abs()),
        (Seen::Parts(a), Seen::Parts(b)) => all(a, b),
        (Seen::Con(a, left), Seen::Con(b, right)) => a == b && all(left, right),
        (Seen::Array(a), Seen::Array(b)) => a.keys().chain(b.keys()).all(|index| {
            let at = |seen: &BTreeMap<i64, Seen>| seen.get(index).cloned().unwrap_or(Seen::Zero);
            is_close(&at(a), &at(b))
        }),
        (Seen::Function(a), Seen::Function(b)) => equivalent(a, b),
        (a, b) => is_zero(a) && is_zero(b),
    }
}

/// The normal form of a list: each argument once, in order of first call, without zeros.
fn normal(calls: &[Call]) -> Vec<(&Value, Seen)> {
    let mut merged: Vec<(&Value, Seen)> = vec![];
    for Call { argument, result, .. } in calls {
        match merged.iter_mut().find(|(known, _)| equal(known, argument)) {
            Some((_, total)) => *total = std::mem::replace(total, Seen::Zero).plus(result.clone()),
            None => merged.push((argument, result.clone())),
        }
    }
    merged.retain(|(_, seen)| !is_zero(seen));
    merged
}

/// Whether two tangents of a function are equivalent: `[(x, 0)] ~ []` and
/// `[(x, g), (x, h)] ~ [(x, g + h)]`; packages by component.
pub(crate) fn equivalent(left: &Arrived, right: &Arrived) -> bool {
    match (left, right) {
        (Arrived::Calls(left), Arrived::Calls(right)) => {
            let (left, right) = (normal(left), normal(right));
            left.len() == right.len()
                && left.iter().all(|(argument, seen)| {
                    let other = right.iter().find(|(known, _)| equal(known, argument));
                    other.is_some_and(|(_, other)| is_close(seen, other))
                })
        }
        (Arrived::Environment { fields: left, .. }, Arrived::Environment { fields: right, .. }) => {
            let all_zero = |fields: &[(Name, Seen)]| fields.iter().all(|(_, seen)| is_zero(seen));
            (all_zero(left) && all_zero(right))
                || (left.len() == right.len()
                    && left.iter().zip(right).all(|((_, a), (_, b))| is_close(a, b)))
        }
        (Arrived::Calls(_), Arrived::Environment { .. })
        | (Arrived::Environment { .. }, Arrived::Calls(_)) => false,
    }
}
