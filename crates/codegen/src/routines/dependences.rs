//! The routine that reads off code what depends on what. Native code carries that code as text.
//!
//! Input: the text of the functions, and the arguments as they lie. Output: the places of what depends, which the plan of a
//! call finds and its run copies. Invariant: a run follows its plan on the same thread, with no other plan between
//! them.

use std::cell::RefCell;
use std::ffi::CStr;

use pullback_base::{FileId, Limits, bug};
use pullback_ir::eval::Value;
use pullback_ir::{Elem, Program};
use pullback_prim::Routine;
use pullback_sparse::told;

use super::operand::{Operand, places};
use crate::read::read;

thread_local! {
    /// What a plan has found.
    static FOUND: RefCell<(Vec<i64>, Vec<i64>)> = RefCell::default();
}

/// The bytes of the results, whose sizes it says; negative if the text is to run.
///
/// # Safety
///
/// The first operand is the text, and there are as many others as the function that asks has parameters.
pub(super) unsafe fn plan(given: *const Operand, results: *mut Operand) -> i64 {
    // SAFETY: the caller says so; the text is a constant.
    let text = unsafe { CStr::from_ptr((*given).items.cast()) };
    let program = text.to_str().ok().and_then(|text| pullback_ir::parse(text, FileId(0)).ok());
    let Some(program) = program else { bug("codegen", "the text of code that native code has") };
    // SAFETY: as above; beside the text stands how many bytes there are.
    let found = unsafe {
        let max_memory = usize::try_from((*given).number).unwrap_or(0);
        let limits = Limits { max_memory, ..Limits::default() };
        found(&program, given.add(1), &limits)
    };
    let Some(found) = found else { return -1 };
    let (starts, columns) = (found.0.len() as i64, found.1.len() as i64);
    // SAFETY: there are two results.
    unsafe {
        (*results).sizes = [starts, 1];
        (*results.add(1)).sizes = [columns, 1];
    }
    FOUND.replace(found);
    8 * (starts + columns)
}

unsafe fn found(
    program: &Program,
    given: *const Operand,
    limits: &Limits,
) -> Option<(Vec<i64>, Vec<i64>)> {
    let is_asking = |func: &_| program.funcs[*func].routine == Some(Routine::Dependences);
    let func = program.funcs.ids().find(is_asking)?;
    let mut args = vec![];
    for (at, param) in program.funcs[func].params.iter().enumerate() {
        let ty = program.vars[*param].ty;
        // SAFETY: the caller says so, and arrays lie as `read` takes them.
        args.push(unsafe {
            let operand = &*given.add(at);
            match ty.elem {
                _ if ty.is_array() => read(program, ty, operand.items.cast_const().cast()),
                Elem::Real => Value::Real(operand.real),
                Elem::Int => Value::Int(operand.number),
                Elem::Bool => Value::Bool(operand.number != 0),
                Elem::Str | Elem::Unit | Elem::Data(_) => Value::Undef,
            }
        });
    }
    told(program, func, &args, limits)
}

/// Copies what the plan has found.
///
/// # Safety
///
/// The results have the sizes of the plan.
pub(super) unsafe fn run(results: *mut Operand) -> i32 {
    let (starts, columns) = FOUND.take();
    // SAFETY: the caller says so.
    unsafe {
        places((*results).items, starts.len()).copy_from_slice(&starts);
        places((*results.add(1)).items, columns.len()).copy_from_slice(&columns);
    }
    1
}
