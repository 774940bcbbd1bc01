//! Calls of routines: arrays are lent to the routine, and what it gives become arrays.
//!
//! Input: a routine, whose arguments lie in the first registers of the function. Output: whether its results are in place.
//! Invariant: room for results and work is asked for before it is taken, and counted while it is used.

use pullback_base::bug;
use pullback_base::memory::Charge;
use pullback_prim::{Fault, Routine, Slot};
use pullback_routines::{Given, Outcome, Plan, Wanted, plan, run};

use super::registers::Window;
use crate::eval::code::ListId;
use crate::eval::core::Core;
use crate::eval::value::{Items, Shape, Value};
use crate::program::FuncId;

impl Window<'_> {
    /// Runs a routine if that is worth it; whether its results are there.
    #[inline(never)]
    pub fn routine(
        &mut self,
        core: &mut Core<'_>,
        (routine, func): (Routine, FuncId),
        dests: ListId,
    ) -> Result<bool, Fault> {
        if routine == Routine::Dependences {
            return Ok(self.dependences(core, func, dests));
        }
        let row = routine.row();
        let args = &self.regs[..row.params.len()];
        let args: Option<Vec<Given<'_>>> = args.iter().map(given).collect();
        let Some(args) = args else { return Ok(false) };
        let Some(Plan { sizes, work, operations }) = plan(routine, &args) else { return Ok(false) };
        let count = |sizes: &[usize; 2]| sizes[0] * sizes[1];
        let room: usize = sizes.iter().map(count).sum();
        core.meter.reserve_elements(room + work / 8, 8)?;
        let work = Charge::new(work);
        let mut made: Vec<Made> =
            row.results.iter().zip(&sizes).map(|(slot, sizes)| Made::of(*slot, *sizes)).collect();
        let mut wanted: Vec<Wanted<'_>> = made.iter_mut().map(Made::wanted).collect();
        let meter = &core.meter;
        let outcome = run(routine, &args, &mut wanted, &|| meter.check().is_err());
        drop(work);
        if outcome != Outcome::Done {
            core.meter.check()?;
            return Ok(false);
        }
        core.meter.counts.operations += operations;
        for (dest, made) in self.list(dests).iter().zip(made) {
            self.set(*dest, made.value());
        }
        Ok(true)
    }

    /// Reads off code what depends on what; whether the results are there.
    fn dependences(&mut self, core: &mut Core<'_>, func: FuncId, dests: ListId) -> bool {
        let program = core.image.program;
        let args = &self.regs[..program.funcs[func].params.len()];
        let found = core.dependences.and_then(|ask| ask(program, func, args, &core.meter.limits));
        let Some((starts, columns)) = found else { return false };
        for (dest, ints) in self.list(dests).iter().zip([starts, columns]) {
            self.set(*dest, Value::ints(ints));
        }
        true
    }
}

/// A result while it is being made.
enum Made {
    Real(f64),
    Bool(bool),
    Reals(Vec<f64>, Shape),
    Ints(Vec<i64>),
}

impl Made {
    fn of(slot: Slot, [rows, columns]: [usize; 2]) -> Self {
        match slot {
            Slot::Real => Self::Real(0.0),
            Slot::Bool => Self::Bool(false),
            Slot::Vector => Self::Reals(vec![0.0; rows], Shape::new(&[rows])),
            Slot::Matrix => Self::Reals(vec![0.0; rows * columns], Shape::new(&[rows, columns])),
            Slot::Ints => Self::Ints(vec![0; rows]),
        }
    }

    fn wanted(&mut self) -> Wanted<'_> {
        match self {
            Self::Real(x) => Wanted::Real(x),
            Self::Bool(truth) => Wanted::Bool(truth),
            Self::Reals(items, _) => Wanted::Reals(items),
            Self::Ints(items) => Wanted::Ints(items),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Real(x) => Value::Real(x),
            Self::Bool(truth) => Value::Bool(truth),
            Self::Reals(items, shape) => Value::array(shape, Items::Real(items)),
            Self::Ints(items) => Value::ints(items),
        }
    }
}

/// A value as a routine takes it; none for one that nothing looks at.
fn given(value: &Value) -> Option<Given<'_>> {
    Some(match value {
        Value::Real(x) => Given::Real(*x),
        Value::Bool(truth) => Given::Bool(*truth),
        Value::Array(array) => {
            if let Some(items) = array.ints() {
                return Some(Given::Ints(items));
            }
            let sizes = match *array.sizes() {
                [rows] => [rows, 1],
                [rows, columns] => [rows, columns],
                _ => bug("ir", "an array of at most two dimensions for a routine"),
            };
            Given::Reals(array.reals()?, sizes)
        }
        Value::Undef => return None,
        Value::Int(_) | Value::Str(_) | Value::Tag(_) | Value::Data(_) | Value::Acc(_) => {
            bug("ir", format_args!("an argument of a routine, not {value:?}"))
        }
    })
}
