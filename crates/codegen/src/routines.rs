//! Routines as a table of C function pointers, which the loader writes into the code.
//!
//! Input: none. Output: [`Table::ALL`]. Invariant: order and types are those of `pb_routine_table` and `pb_operand` in
//! `runtime/routines.c`. Code calls with the operands that the table of routines says, and arrays have all their elements.
#![expect(unsafe_code, reason = "arrays of loaded code are read and written where it has them")]

mod dependences;
mod operand;

use std::ffi::c_void;
use std::panic::catch_unwind;

use pullback_prim::{Routine, Slot};
use pullback_routines::{Given, Outcome, Wanted};

use operand::{Operand, items, places};

/// Says whether a run is to stop.
type Stops = extern "C" fn(*const c_void) -> i32;

/// As `pb_routine_table` in `runtime/routines.c`.
#[repr(C)]
pub(crate) struct Table {
    plan: extern "C" fn(u32, *const Operand, *mut Operand) -> i64,
    run: extern "C" fn(u32, *const Operand, *mut Operand, *const c_void, Stops) -> i32,
}

impl Table {
    /// What calls the routines.
    pub(crate) const ALL: Self = Self { plan, run };
}

extern "C" fn plan(number: u32, given: *const Operand, results: *mut Operand) -> i64 {
    let Some(routine) = Routine::ALL.get(number as usize).copied() else { return -1 };
    if !routine.is_numerical() {
        // A panic may not pass through code in C. It has been told, and the text runs.
        // SAFETY: the first operand is the text, and the others are the arguments.
        return catch_unwind(|| unsafe { dependences::plan(given, results) }).unwrap_or(-1);
    }
    // SAFETY: there are as many operands as the table says.
    let given = unsafe { taken(routine, given) };
    let Some(plan) = pullback_routines::plan(routine, &given) else { return -1 };
    // SAFETY: as above.
    let results = unsafe { std::slice::from_raw_parts_mut(results, plan.sizes.len()) };
    let mut bytes = plan.work;
    for (result, sizes) in results.iter_mut().zip(plan.sizes) {
        result.sizes = sizes.map(|size| size as i64);
        bytes += 8 * sizes[0] * sizes[1];
    }
    bytes as i64
}

extern "C" fn run(
    number: u32,
    given: *const Operand,
    results: *mut Operand,
    context: *const c_void,
    stops: Stops,
) -> i32 {
    let Some(routine) = Routine::ALL.get(number as usize).copied() else { return 0 };
    if !routine.is_numerical() {
        // SAFETY: results have the sizes of the plan.
        return unsafe { dependences::run(results) };
    }
    // A panic may not pass through code in C. It has been told, and the text runs.
    let outcome = catch_unwind(|| {
        // SAFETY: there are as many operands as the table says, and results have the sizes of the plan.
        let (given, mut wanted) = unsafe { (taken(routine, given), made(routine, results)) };
        pullback_routines::run(routine, &given, &mut wanted, &|| stops(context) != 0)
    });
    match outcome {
        Ok(Outcome::Done) => 1,
        Ok(Outcome::Stopped) => 2,
        Ok(Outcome::Declined) | Err(_) => 0,
    }
}

/// The arguments of a routine.
///
/// # Safety
///
/// There are as many as the table says, and arrays have their elements.
unsafe fn taken<'a>(routine: Routine, given: *const Operand) -> Vec<Given<'a>> {
    let slots = routine.row().params;
    // SAFETY: the caller says so.
    let operands = unsafe { std::slice::from_raw_parts(given, slots.len()) };
    let take = |(slot, operand): (&Slot, &Operand)| {
        let sizes = operand.sizes.map(|size| usize::try_from(size).unwrap_or(0));
        match slot {
            Slot::Real => Given::Real(operand.real),
            Slot::Bool => Given::Bool(operand.number != 0),
            // SAFETY: the caller says so.
            Slot::Vector | Slot::Matrix => {
                Given::Reals(unsafe { items(operand.items, sizes[0] * sizes[1]) }, sizes)
            }
            // SAFETY: the caller says so.
            Slot::Ints => Given::Ints(unsafe { items(operand.items, sizes[0]) }),
        }
    };
    slots.iter().zip(operands).map(take).collect()
}

/// Where the results of a routine go.
///
/// # Safety
///
/// There are as many as the table says, and arrays have room for their elements, which nothing else looks at.
unsafe fn made<'a>(routine: Routine, results: *mut Operand) -> Vec<Wanted<'a>> {
    let slots = routine.row().results;
    let mut wanted = vec![];
    for (at, slot) in slots.iter().enumerate() {
        // SAFETY: the caller says so.
        let operand: &'a mut Operand = unsafe { &mut *results.add(at) };
        let count: usize =
            operand.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(0)).product();
        wanted.push(match slot {
            Slot::Real => Wanted::Real(&mut operand.real),
            Slot::Bool => {
                // A result that is there is true unless the routine says otherwise.
                // SAFETY: the number has room for a truth value, of which all other bytes are 0.
                Wanted::Bool(unsafe { &mut *(&raw mut operand.number).cast::<bool>() })
            }
            // SAFETY: the caller says so.
            Slot::Vector | Slot::Matrix => Wanted::Reals(unsafe { places(operand.items, count) }),
            // SAFETY: the caller says so.
            Slot::Ints => Wanted::Ints(unsafe { places(operand.items, count) }),
        });
    }
    wanted
}
