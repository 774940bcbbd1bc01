//! Calls at values whose types name their tangent types: derivatives by the tangent that moves a value, and of the
//! displacement from a result.
//!
//! Input: the slots of a call, and how inference has put its entry between charts. Law: for an entry `f` the function of the
//! call is `\(u, …, x, …, y) -> displacement y (f (move x u) …)` at `u = zeros x` and `y = f x …`. The values `x` of files and
//! `y` are held: they are parts of `S` with respect to which nothing is differentiated.

use pullback_compile::Mode;
use pullback_eval::Value;
use pullback_lambda::DefId;
use pullback_types::InCharts;

use crate::engine::{Code, Engine};
use crate::entry::Given;
use crate::parts::Slot;
use crate::query::{Query, Stop};

/// The slots with one more for each value that is held.
pub(crate) fn with_values(mut slots: Vec<Slot>, charts: &InCharts) -> Vec<Slot> {
    let first = slots.iter().filter(|slot| slot.data).count();
    for (place, at) in (first..).zip(&charts.held) {
        let slot = &mut slots[*at];
        let given = std::mem::replace(&mut slot.given, Given::Zeros(place));
        let held = Slot { name: String::new(), given, span: slot.span, data: true, wrt: false };
        slots.push(held);
    }
    slots
}

/// The values of the entry's own parameters: where each is among all data, and the position of its parameter.
pub(crate) fn of_entry(slots: &[Slot], charts: &InCharts, data: &[usize]) -> Vec<(usize, usize)> {
    let own = slots.len() - charts.held.len();
    let position = |at: usize| charts.held.get(at.wrapping_sub(own)).copied().unwrap_or(at);
    let is_value = |(_, at): &(usize, &usize)| !matches!(slots[**at].given, Given::Zeros(_));
    let values = data.iter().enumerate().filter(is_value);
    let mut found: Vec<_> = values.map(|(place, at)| (place, position(*at))).collect();
    found.sort_unstable_by_key(|(_, position)| *position);
    found
}

/// Puts zeros in the places of the tangents that move what is held.
pub(crate) fn fill_zeros(
    query: &mut Query<'_>,
    engine: &Engine,
    code: &Code,
    (data, zeros): (&[&Slot], &[DefId]),
    values: &mut [Value],
) -> Result<(), Stop> {
    let moved = data.iter().enumerate().filter_map(|(at, slot)| match slot.given {
        Given::Zeros(place) => Some((at, place)),
        Given::Arg(_) | Given::Free(_) | Given::Input(_) | Given::Message => None,
    });
    for ((at, place), def) in moved.zip(zeros) {
        let value = values[place].clone();
        let engine = engine.for_arguments().quiet();
        match engine.try_run(code, *def, value, &Mode::Value) {
            Ok(zeros) => values[at] = zeros.value,
            Err(fault) => return query.fail(*fault),
        }
    }
    Ok(())
}
