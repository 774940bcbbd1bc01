//! The routine `dependences`: which results of a function depend on which numbers of its last argument.
//!
//! ```text
//! routine dependences fn @told.2(y.0, x.1, v.2)       called by @told.3(x.1, v.2) -> y.0, …
//! ```
//!
//! Input: a program, such a function, and its arguments: the result of the function that calls it, and then the arguments of
//! that one. Output: the places of what depends, by compressed rows, or nothing if the text is to run. It runs where a Real
//! decides what depends on what, so what is found is what a direction of NaN shows, where a direction of zeros gives
//! zeros.

use pullback_base::Limits;
use pullback_ir::{FuncId, Op, Program, eval};
use pullback_prim::Routine;

use crate::dependences::Dependences;
use crate::given::Given;
use crate::prepare::Ready;
use crate::sets::Set;
use crate::symbolic::derived;

/// The function whose code the routine reads: the one that calls it.
pub fn followed(program: &Program, asking: FuncId) -> Option<FuncId> {
    let calls = |func: &FuncId| {
        let mut calls = false;
        program.funcs[*func].body.visit(&mut |stmt| {
            calls |= matches!(&stmt.op, Op::Call(callee, _) if *callee == asking);
        });
        calls
    };
    let mut callers = program.funcs.ids().filter(calls);
    let followed = callers.next().filter(|func| {
        let func = &program.funcs[*func];
        let takes_its_own = func.params.len() + 1 == program.funcs[asking].params.len();
        takes_its_own && func.routine == Some(Routine::Followed)
    });
    if callers.next().is_some() { None } else { followed }
}

/// What depends on what, for a call of the routine with these arguments: where the places of each row begin, and where those
/// of the last one end; and their columns.
pub fn told(
    program: &Program,
    asking: FuncId,
    args: &[eval::Value],
    limits: &Limits,
) -> Option<(Vec<i64>, Vec<i64>)> {
    let func = followed(program, asking)?;
    let [_, points @ .., direction] = args else { return None };
    let inputs = direction.as_array()?.reals()?.len();
    if inputs < Routine::LEAST {
        return None;
    }
    let inputs = u32::try_from(inputs).ok()?;
    let numbers = eval::Value::reals((1..=inputs).map(f64::from).collect());
    let given: Vec<Given<'_>> =
        points.iter().map(Given::Point).chain([Given::Inputs(&numbers)]).collect();
    let found = derived(&Ready::new(program), func, &given, inputs, (limits, true))?;
    let rows = found.results.first()?.as_array()?.reals()?.to_vec();
    let found = Dependences::derived(found);
    let rows = rows.into_iter().map(|row| row as Set);
    let pattern = found.pattern(rows, inputs as usize, limits).ok()?;
    let starts = pattern.starts().iter().map(|start| *start as i64).collect();
    Some((starts, pattern.entries().iter().map(|column| i64::from(*column)).collect()))
}
