//! Views of the pipeline for people: one function as code, and its derivative after each pass, as text.
//!
//! Input: a program and a definition. Output: what `pullback show --stage` prints. Only what the function reaches is
//! shown, numbered anew. What the verifier finds is a bug here too.

use pullback_ad::{Until, derivation, vjp};
use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Span};
use pullback_codegen::{Fp, emit};
use pullback_ir::{Atom, Func, FuncId, Op, Stmt, VarId, trimmed};
use pullback_lambda::{DefId, Program};
use pullback_lower::{Lowered, lower};
use pullback_prim::Fault;
use pullback_reduce::{SPECIALISE, specialise};

use crate::path::{JVP, Plan, TRANSPOSE, UNZIP, finished, simplified, verified};

/// First-order code over arrays, before derivatives are made.
pub fn ir(program: &Program, def: DefId) -> String {
    text(lowered(program, def))
}

/// The C code of the value and the cotangents of the parameters, without its runtime.
pub fn c(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    let (code, roots) = gradient(program, def)?;
    let (mut code, roots) = trimmed(&code, &roots);
    let facts = Facts::of(&mut code);
    match emit(&code, &roots, &facts, Fp::Fast) {
        Ok(emitted) => Ok(emitted.own().to_owned()),
        Err(what) => Err(Box::new(Fault::Unsupported { what }.diagnostic(Span::NONE))),
    }
}

fn lowered(program: &Program, def: DefId) -> (pullback_ir::Program, Vec<FuncId>) {
    let Plan { without, .. } = Plan::of(program);
    let Lowered { program, roots, .. } = if without.contains(&SPECIALISE.name) {
        lower(program, &[def])
    } else {
        let (program, def) = specialise(program, def);
        lower(&program, &[def])
    };
    let entry = called(&program, roots[0]);
    (program, vec![entry])
}

/// The function that one only calls, with what it takes and for what it gives: the entry behind the function of
/// a tuple that stands for it.
fn called(program: &pullback_ir::Program, mut func: FuncId) -> FuncId {
    for _ in program.funcs.ids() {
        let Func { params, body, .. } = &program.funcs[func];
        let [Stmt { vars, op: Op::Call(callee, args), .. }] = &body.stmts[..] else { break };
        let are = |atoms: &[Atom], vars: &[VarId]| {
            atoms.iter().copied().eq(vars.iter().map(|var| Atom::Var(*var)))
        };
        if !are(args, params) || !are(&body.results, vars) {
            break;
        }
        func = *callee;
    }
    func
}

/// As [`lowered`], simplified as it is before derivatives are made.
fn ready(program: &Program, def: DefId) -> (pullback_ir::Program, FuncId) {
    let (code, mut roots) = lowered(program, def);
    let code = simplified(code, &mut roots, &Plan::of(program));
    (code, roots[0])
}

/// The code of a derivative after one of the passes that make it.
pub fn derived(program: &Program, def: DefId, until: Until) -> Result<String, Box<Diagnostic>> {
    let (code, entry) = ready(program, def);
    let plan = Plan::of(program);
    let (code, roots) =
        derivation(code, entry, until, &mut |code, roots| simplified(code, roots, &plan))?;
    let (pass, linear) = match until {
        Until::Jvp => (&JVP, true),
        Until::Unzip => (&UNZIP, false),
        Until::Transpose => (&TRANSPOSE, false),
    };
    verified(&code, pass, pullback_ir::Stage { resolved: true, linear }, program.verify_passes);
    Ok(text((code, roots)))
}

/// The value and the cotangents of the parameters, optimised.
pub fn optimised(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
    gradient(program, def).map(text)
}

/// The value of a function and the cotangents of its parameters, optimised.
fn gradient(
    program: &Program,
    def: DefId,
) -> Result<(pullback_ir::Program, Vec<FuncId>), Box<Diagnostic>> {
    let (code, entry) = ready(program, def);
    let plan = Plan::of(program);
    let (code, root) = vjp(code, entry, &mut |code, roots| simplified(code, roots, &plan))?;
    let mut roots = vec![root];
    let code = finished(code, &mut roots, &plan);
    Ok((code, roots))
}

fn text((code, roots): (pullback_ir::Program, Vec<FuncId>)) -> String {
    trimmed(&code, &roots).0.print()
}
