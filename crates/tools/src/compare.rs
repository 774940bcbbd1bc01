//! Whether two values agree, for expectations. No recursion over the data.

use pullback_data::value::{View, view};
use pullback_eval::Value;

/// Whether two values are equal up to a tolerance, relative and absolute. NaN agrees with NaN, the
/// infinities with themselves; zeros of either sign are equal. None if there are functions inside.
pub fn agree(left: &Value, right: &Value, tolerance: f64) -> Option<bool> {
    let mut work = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = work.pop() {
        let same = match (view(&left), view(&right)) {
            (View::Fun, _) | (_, View::Fun) => return None,
            (View::Bool(left), View::Bool(right)) => left == right,
            (View::Int(left), View::Int(right)) => left == right,
            (View::Str(left), View::Str(right)) => left == right,
            (View::Real(left), View::Real(right)) => close(left, right, tolerance),
            (View::Tuple(left), View::Tuple(right)) => {
                work.extend(left.iter().cloned().zip(right.iter().cloned()));
                left.len() == right.len()
            }
            (View::Data(left_tag, left), View::Data(right_tag, right)) => {
                work.extend(left.iter().cloned().zip(right.iter().cloned()));
                left_tag == right_tag && left.len() == right.len()
            }
            (View::Array(left), View::Array(right)) => {
                work.extend(left.iter().zip(right.iter()));
                left.len() == right.len()
            }
            _ => false,
        };
        if !same {
            return Some(false);
        }
    }
    Some(true)
}

fn close(left: f64, right: f64, tolerance: f64) -> bool {
    left == right
        || (left.is_nan() && right.is_nan())
        || (left - right).abs() <= tolerance + tolerance * right.abs() && right.is_finite()
}
