//! The sizes of what a call is given against those that its function declares.
//!
//! Input: what a function fits ([`Fit`]), and the leaves of a call. Output: nothing, or the first leaf that cannot be
//! right, in the words of the command line. What is not decided here is looked at while the function runs.

use pullback_base::{Diagnostic, Span};
use pullback_codegen::{Fit, Given, Known, Place, Wanted};

/// The error of the first leaf that does not fit.
pub(crate) fn misfit(fits: &[Fit], given: &[Given<'_>], span: Span) -> Option<Diagnostic> {
    fits.iter().find_map(|fit| {
        let size = size(given, fit.place)?;
        let Fit { name, wanted, .. } = fit;
        match wanted {
            Wanted::Alike(other) => {
                let other = self::size(given, *other)?;
                (size != other).then(|| parts(name, other, size, span))
            }
            Wanted::Declared(terms) => {
                let wanted = sum(terms, given);
                (wanted != Some(size)).then(|| declared(name, size, wanted, span))
            }
            Wanted::Direction(terms) => {
                let wanted = sum(terms, given);
                (wanted != Some(size)).then(|| direction(name, size, wanted, span))
            }
        }
    })
}

fn size(given: &[Given<'_>], place: Place) -> Option<i64> {
    if place.is_told {
        let Given::Ints(items, _) = given.get(place.param)? else { return None };
        return items.get(usize::from(place.dimension)).copied();
    }
    let sizes: &[usize] = match given.get(place.param)? {
        Given::Reals(_, sizes)
        | Given::Ints(_, sizes)
        | Given::Bools(_, sizes)
        | Given::Texts(_, sizes)
        | Given::Absent(sizes) => sizes,
        Given::Real(_) | Given::Int(_) | Given::Bool(_) | Given::Text(_) => return None,
    };
    i64::try_from(*sizes.get(usize::from(place.dimension))?).ok()
}

/// The value of a polynomial; none if it is no Int.
fn sum(terms: &[(i64, Vec<Known>)], given: &[Given<'_>]) -> Option<i64> {
    terms.iter().try_fold(0i64, |sum, (coefficient, factors)| {
        let product = factors.iter().try_fold(*coefficient, |product, factor| {
            let value = match factor {
                Known::Int(at) => {
                    let Given::Int(value) = given.get(*at)? else { return None };
                    *value
                }
                Known::Size(place) => size(given, *place)?,
            };
            product.checked_mul(value)
        });
        sum.checked_add(product?)
    })
}

fn words(size: i64, wanted: Option<i64>) -> String {
    match wanted {
        Some(wanted) => format!("it has size {size} where the size must be {wanted}"),
        None => format!("it has size {size} where the size must be one that no Int is"),
    }
}

fn parts(name: &str, first: i64, other: i64, span: Span) -> Diagnostic {
    let title = format!(
        "the parts of `{name}` have {first} and {other} elements, and make no array together"
    );
    Diagnostic::error("E0804", span, title, "defined here")
}

fn declared(name: &str, size: i64, wanted: Option<i64>, span: Span) -> Diagnostic {
    let title =
        format!("the value of `{name}` does not fit its parameter: {}", words(size, wanted));
    Diagnostic::error("E0804", span, title, "the sizes are declared here")
}

fn direction(name: &str, size: i64, wanted: Option<i64>, span: Span) -> Diagnostic {
    let title =
        format!("`{name}` has another shape than the value it belongs to: {}", words(size, wanted));
    Diagnostic::error("E0713", span, title, "defined here")
}
