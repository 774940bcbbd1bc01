//! What people see of the path: one function as code, and its derivative after each pass.

use pullback_ad::{Until, derivation, vjp};
use pullback_analysis::facts::proven;
use pullback_base::{Diagnostic, Span};
use pullback_codegen::{Fp, emit};
use pullback_ir::{Atom, Func, FuncId, Op, Stmt, VarId, trimmed};
use pullback_lambda::{DefId, Program};
use pullback_lower::{Lowered, lower};
use pullback_prim::Fault;
use pullback_reduce::{SPECIALISE, specialise};

use super::path::{JVP, Plan, TRANSPOSE, UNZIP, finished, simplified, verified};
use crate::engine::Stage;

/// The forms of this engine.
pub(crate) const STAGES: &[Stage] = &[
    Stage {
        name: "ir",
        about: "first-order code over arrays, before derivatives are made",
        needs_argument: false,
        show: |program, def, _| Ok(text(lowered(program, def))),
    },
    Stage {
        name: "jvp",
        about: "that code, simplified, with tangents beside its values",
        needs_argument: false,
        show: |program, def, _| derived(program, def, Until::Jvp),
    },
    Stage {
        name: "unzip",
        about: "the values, with what is saved of them, and the linear part",
        needs_argument: false,
        show: |program, def, _| derived(program, def, Until::Unzip),
    },
    Stage {
        name: "transpose",
        about: "the values, with what is saved of them, and the transposed linear part",
        needs_argument: false,
        show: |program, def, _| derived(program, def, Until::Transpose),
    },
    Stage {
        name: "opt",
        about: "the value and the cotangents of the parameters, optimised",
        needs_argument: false,
        show: |program, def, _| optimised(program, def),
    },
];

/// The form of native code.
pub(crate) const NATIVE_STAGES: &[Stage] = &[Stage {
    name: "c",
    about: "the C code of the value and the cotangents of the parameters, without its runtime",
    needs_argument: false,
    show: |program, def, _| {
        let (code, roots) = gradient(program, def)?;
        let (code, roots) = trimmed(&code, &roots);
        match emit(&code, &roots, &proven(&code), Fp::Fast) {
            Ok(emitted) => Ok(emitted.own().to_owned()),
            Err(what) => Err(Box::new(Fault::Unsupported { what }.diagnostic(Span::NONE))),
        }
    },
}];

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

fn derived(program: &Program, def: DefId, until: Until) -> Result<String, Box<Diagnostic>> {
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

fn optimised(program: &Program, def: DefId) -> Result<String, Box<Diagnostic>> {
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
