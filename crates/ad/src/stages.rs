//! The derivative of one function after each of the three passes: for people to read, and for tests of the laws.
//!
//! Input: a program, a function, and how far to go (`Until`). Output: a program with the functions that were made,
//! and which these are.
//! Invariants: derivatives inside the function are made before. After `jvp`, variables keep their marks of linearity.

use pullback_base::{Diagnostic, Span};
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, Type, VarId};

use crate::state::{Ad, Derived, Kind};
use crate::{Between, finished, resolved};

/// How far a derivation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The function with tangents beside its values.
    Jvp,
    /// The function with what it saves, and its linear part.
    Unzip,
    /// The function with what it saves, and the transpose of its linear part.
    Transpose,
}

/// The derivative of a function by all its parameters that have tangents, and which functions that is.
/// The derivatives inside it are made before. After [`Until::Jvp`], variables keep their marks of linearity.
pub fn derivation(
    program: Program,
    func: FuncId,
    until: Until,
    between: &mut Between<'_>,
) -> Result<(Program, Vec<FuncId>), Box<Diagnostic>> {
    let (ad, derived, _) = derived(program, func, until, between)?;
    let roots = match until {
        Until::Jvp => vec![derived.forward],
        Until::Unzip => vec![derived.forward, derived.push],
        Until::Transpose => vec![derived.forward, derived.pull],
    };
    Ok((finished(ad.program, &roots), roots))
}

fn derived(
    program: Program,
    func: FuncId,
    until: Until,
    between: &mut Between<'_>,
) -> Result<(Ad, Derived, FuncId), Box<Diagnostic>> {
    let mut roots = [func];
    let (mut ad, has_resolved) = resolved(program, &mut roots, None, between)?;
    if has_resolved {
        ad = ad.after(&mut roots, between);
    }
    let [func] = roots;
    let kind = match until {
        Until::Jvp => Kind::Jvp,
        Until::Unzip => Kind::Push,
        Until::Transpose => Kind::Pull,
    };
    ad.order += 1;
    ad.keeps_marks = until == Until::Jvp;
    let params = ad.program.funcs[func].params.iter();
    let moving: Vec<bool> =
        params.map(|param| ad.program.has_tangent(ad.program.vars[*param].ty)).collect();
    let derived = ad.derive(func, &moving, kind, true, Span::NONE)?;
    ad.quieten();
    Ok((ad, derived, func))
}

/// A function that gives the value of another one and the cotangents of its parameters: at the cotangent 1 if
/// it gives one Real, else at cotangents that it takes last.
pub fn vjp(
    program: Program,
    func: FuncId,
    between: &mut Between<'_>,
) -> Result<(Program, FuncId), Box<Diagnostic>> {
    let (ad, derived, func) = derived(program, func, Until::Transpose, between)?;
    let mut program = ad.program;
    let Func { name, params, results, span, .. } = program.funcs[func].clone();
    let copies = |program: &mut Program, vars: &[VarId]| -> Vec<VarId> {
        vars.iter().map(|var| program.fresh_like(*var)).collect()
    };
    let atoms = |vars: &[VarId]| vars.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
    let mut taken = copies(&mut program, &params);
    let values: Vec<VarId> = results.iter().map(|ty| program.fresh("y", *ty)).collect();
    let saved: Vec<VarId> = derived.residuals.iter().map(|ty| program.fresh("x", *ty)).collect();
    let forward = Op::Call(derived.forward, atoms(&taken));
    let both = values.iter().chain(&saved).copied().collect();
    let mut stmts = vec![Stmt::new(both, forward, span)];
    let mut args = atoms(&saved);
    let is_gradient = results == [Type::REAL];
    if is_gradient {
        args.push(Atom::Real(1.0));
    } else {
        let bars = program.funcs[derived.pull].params[saved.len()..].to_vec();
        let bars = copies(&mut program, &bars);
        args.extend(atoms(&bars));
        taken.extend(bars);
    }
    let types = program.funcs[derived.pull].results.clone();
    let bars: Vec<VarId> = types.iter().map(|ty| program.fresh("bar", *ty)).collect();
    stmts.push(Stmt::new(bars.clone(), Op::Call(derived.pull, args), span));
    let body = Block { stmts, results: [atoms(&values), atoms(&bars)].concat() };
    let prefix = if is_gradient { "grad" } else { "vjp" };
    let root = program.funcs.push(Func {
        name: format!("{prefix} {name}").into(),
        params: taken,
        results: results.into_iter().chain(types).collect(),
        body,
        is_constant: false,
        is_checkpoint: false,
        routine: None,
        preconditions: vec![],
        span,
    });
    Ok((finished(program, &[root]), root))
}
