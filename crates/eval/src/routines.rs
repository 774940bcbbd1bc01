//! Calls of routines: arrays of arrays become matrices, row by row, and what the routine gives becomes arrays of arrays.
//!
//! Input: a routine and its arguments as the calculus has them, in structures. Output: its result, or nothing if the text
//! is to run. That is so for Reals that a derivative follows. Invariant: room is asked for before it is taken, and counted
//! while it is used.

use pullback_base::memory::Charge;
use pullback_machine::Meter;
use pullback_prim::{Fault, Routine, Slot};
use pullback_routines::{Given, Outcome, Plan, Wanted, plan, run};

use crate::hooks::Ctx;
use crate::value::Value;

/// How many operations of a routine take about as long as reading an element.
const FASTER: usize = 16;

/// An argument, taken out of its structure.
enum Taken<'a> {
    Real(f64),
    Bool(bool),
    Reals(&'a [f64]),
    Matrix(Vec<f64>, [usize; 2]),
    Ints(&'a [i64]),
}

/// A result while it is being made.
enum Made {
    Real(f64),
    Bool(bool),
    Reals(Vec<f64>),
    Matrix(Vec<f64>, usize),
    Ints(Vec<i64>),
}

/// What a routine gives for these arguments, if it is worth a call and does not decline.
#[inline(never)]
pub(super) fn routine_of(
    ctx: &mut Ctx,
    routine: Routine,
    args: &[Value],
) -> Result<Option<Value>, Fault> {
    let (row, meter) = (routine.row(), &ctx.meter);
    let mut leaves = vec![];
    args.iter().for_each(|arg| parts(arg, &mut leaves));
    let size = leaves.get(routine.sized_by()).and_then(|leaf| leaf.as_array());
    if leaves.len() != row.params.len() || size.is_none_or(|array| array.len() < Routine::LEAST) {
        return Ok(None);
    }
    let mut taken = vec![];
    for (leaf, slot) in leaves.into_iter().zip(row.params) {
        match take(meter, leaf, *slot)? {
            Some(leaf) => taken.push(leaf),
            None => return Ok(None),
        }
    }
    let given: Vec<Given<'_>> = taken.iter().map(Taken::given).collect();
    let Some(Plan { sizes, work, operations }) = plan(routine, &given) else { return Ok(None) };
    let count = |sizes: &[usize; 2]| sizes[0] * sizes[1];
    let room: usize = sizes.iter().map(count).sum();
    meter.reserve_elements(2 * room + work / 8, 8)?;
    let held: usize = taken.iter().map(Taken::bytes).sum();
    let charge = Charge::new(work + held + 8 * room);
    let mut made: Vec<Made> =
        row.results.iter().zip(&sizes).map(|(slot, sizes)| Made::of(*slot, *sizes)).collect();
    let mut wanted: Vec<Wanted<'_>> = made.iter_mut().map(Made::wanted).collect();
    let outcome = run(routine, &given, &mut wanted, &|| meter.check().is_err());
    drop(charge);
    if outcome != Outcome::Done {
        meter.check()?;
        return Ok(None);
    }
    ctx.meter.counts.operations += operations;
    // A routine does what it does much faster than the evaluator would.
    ctx.count_summed(operations as usize, 0)?;
    ctx.count_elements(operations as usize / FASTER, 1)?;
    let mut values: Vec<Value> = made.into_iter().map(Made::value).collect();
    Ok(if values.len() == 1 { values.pop() } else { Some(Value::tuple(values)) })
}

/// The parts of a value that are no structures.
fn parts<'a>(value: &'a Value, out: &mut Vec<&'a Value>) {
    if let Value::Tuple(fields) = value {
        fields.items().iter().for_each(|field| parts(field, out));
    } else {
        out.push(value);
    }
}

/// A part as a routine takes it; none if a derivative follows a Real of it.
fn take<'a>(meter: &Meter, value: &'a Value, slot: Slot) -> Result<Option<Taken<'a>>, Fault> {
    Ok(match (slot, value) {
        (Slot::Real, Value::Real(x)) => Some(Taken::Real(*x)),
        (Slot::Bool, Value::Bool(truth)) => Some(Taken::Bool(*truth)),
        (Slot::Vector, Value::Array(array)) => array.reals().map(Taken::Reals),
        (Slot::Ints, Value::Array(array)) => array.ints().map(Taken::Ints),
        (Slot::Matrix, Value::Array(array)) => {
            let columns = array.dim(1);
            meter.reserve_elements(array.len().saturating_mul(columns), 8)?;
            let mut items = Vec::with_capacity(array.len() * columns);
            let Some(rows) = array.values() else { return Ok(None) };
            for row in rows {
                let Some(row) = row.as_array().and_then(|row| row.reals()) else { return Ok(None) };
                items.extend_from_slice(row);
            }
            Some(Taken::Matrix(items, [array.len(), columns]))
        }
        _ => None,
    })
}

impl Taken<'_> {
    fn given(&self) -> Given<'_> {
        match self {
            Self::Real(x) => Given::Real(*x),
            Self::Bool(truth) => Given::Bool(*truth),
            Self::Reals(items) => Given::Reals(items, [items.len(), 1]),
            Self::Matrix(items, sizes) => Given::Reals(items, *sizes),
            Self::Ints(items) => Given::Ints(items),
        }
    }

    fn bytes(&self) -> usize {
        if let Self::Matrix(items, _) = self { size_of_val(&items[..]) } else { 0 }
    }
}

impl Made {
    fn of(slot: Slot, [rows, columns]: [usize; 2]) -> Self {
        match slot {
            Slot::Real => Self::Real(0.0),
            Slot::Bool => Self::Bool(false),
            Slot::Vector => Self::Reals(vec![0.0; rows]),
            Slot::Matrix => Self::Matrix(vec![0.0; rows * columns], columns),
            Slot::Ints => Self::Ints(vec![0; rows]),
        }
    }

    fn wanted(&mut self) -> Wanted<'_> {
        match self {
            Self::Real(x) => Wanted::Real(x),
            Self::Bool(truth) => Wanted::Bool(truth),
            Self::Reals(items) | Self::Matrix(items, _) => Wanted::Reals(items),
            Self::Ints(items) => Wanted::Ints(items),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Real(x) => Value::Real(x),
            Self::Bool(truth) => Value::Bool(truth),
            Self::Reals(items) => Value::reals(items),
            Self::Matrix(items, columns) => {
                Value::array(items.chunks(columns).map(|row| Value::reals(row.to_vec())).collect())
            }
            Self::Ints(items) => Value::ints(items),
        }
    }
}
