//! Choice between a routine and its text by size: where a matrix is known to be small, its text is called.
//!
//! ```text
//! a.1: [][]f64 of 3 rows
//! f.2, o.3, s.4 = @lu.0(a.1)        =>      f.2, o.3, s.4 = @lu.5(a.1)     the text of @lu.0, without a routine
//! ```
//!
//! The text is then a function like any other, which may be put in the place of its call.
//!
//! Law: values stay, as a routine does nothing for arguments of these sizes. Sizes are known as [`Constants`] says.

use pullback_base::Id;
use pullback_ir::{Atom, Func, FuncId, Op, Program, VarId, rename};
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::constants::Constants;
use pullback_analysis::lattice::Flat;
use pullback_analysis::{Analyses, Changed};
use pullback_prim::Routine;

pub(crate) const PASS: Pass = Pass {
    name: "small_routines",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "calls the text of a routine where its argument is known to be small",
    law: "a routine is called for large arguments alone, and gives what its text gives",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    if program.funcs.iter().all(|func| func.routine.is_none()) {
        return Changed::Nothing;
    }
    let constants = analyses.constants(program, roots);
    let mut texts: FxHashMap<FuncId, FuncId> = FxHashMap::default();
    let mut small = vec![];
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| small.extend(small_call(program, &constants, &stmt.op)));
    }
    if small.is_empty() {
        return Changed::Nothing;
    }
    for func in small {
        texts.entry(func).or_insert_with(|| text(program, func));
    }
    each_body(program, |program, body| {
        let mut changed = false;
        body.visit_mut(&mut |stmt| {
            if let Some(small) = small_call(program, &constants, &stmt.op)
                && let Op::Call(func, _) = &mut stmt.op
            {
                *func = texts[&small];
                changed = true;
            }
        });
        changed
    });
    Changed::All
}

/// The function with a routine that is called, if its argument is small.
fn small_call(program: &Program, constants: &Constants, op: &Op) -> Option<FuncId> {
    let Op::Call(func, args) = op else { return None };
    let routine = program.funcs[*func].routine.filter(|routine| routine.is_numerical())?;
    let array = args.get(routine.sized_by())?.var()?;
    // What came into the program after it was looked at is not known.
    let size = (array.index() < constants.len()).then(|| constants.sizes(array).first())?;
    let is_small = matches!(size, Some(Flat::Is(n)) if *n < Routine::LEAST as i64);
    is_small.then_some(*func)
}

/// A function of the same text.
fn text(program: &mut Program, func: FuncId) -> FuncId {
    let source = program.funcs[func].clone();
    let params: Vec<VarId> = source.params.iter().map(|param| program.fresh_like(*param)).collect();
    let fresh = params.iter().map(|param| Atom::Var(*param));
    let mut atoms = source.params.iter().copied().zip(fresh).collect();
    let body = rename(program, &source.body, &mut atoms);
    program.funcs.push(Func { params, body, routine: None, preconditions: vec![], ..source })
}
