//! Derivatives inside programs: each operator becomes ordinary lambda, innermost first.

use pullback_base::Diagnostic;
use pullback_lambda::{AdOp, DefId, ExprKind, Program};

use super::{Transforms, outside_fragment};

/// A definition with the meaning of `def` that reaches no `vjp`, `jvp` or `linearize`.
pub fn eliminate(
    program: &mut Program,
    transforms: Transforms,
    def: DefId,
) -> Result<DefId, Box<Diagnostic>> {
    refuse_operators(transforms.engine, program, def)?;
    Ok(def)
}

/// Fails if a definition reaches an operator.
pub(super) fn refuse_operators(
    engine: &str,
    program: &Program,
    def: DefId,
) -> Result<(), Box<Diagnostic>> {
    for def in reachable(program, def) {
        let mut found = None;
        program.defs[def].body.visit(&mut |expr| {
            if let ExprKind::Ad(AdOp::Vjp | AdOp::Jvp | AdOp::Linearize, _) = expr.kind {
                found.get_or_insert(expr.span);
            }
        });
        if let Some(span) = found {
            return Err(outside_fragment(engine, "derivatives inside programs", span));
        }
    }
    Ok(())
}

/// The definitions that one reaches, itself first.
pub(super) fn reachable(program: &Program, def: DefId) -> Vec<DefId> {
    let mut found = vec![def];
    let mut next = 0;
    while next < found.len() {
        for callee in program.defs[found[next]].body.globals() {
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
        next += 1;
    }
    found
}
