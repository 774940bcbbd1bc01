//! Which definitions of a program others reach.

use std::collections::BTreeSet;

use pullback_base::Span;
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Pass, Program, Stage, Type};

/// The definitions that one reaches, itself first.
pub fn reachable(program: &Program, def: DefId) -> Vec<DefId> {
    program.reachable(&[def])
}

/// What is known of [`trim`].
pub const TRIM: Pass = Pass {
    name: "trim",
    ty: "(Program, roots) -> Program",
    law: "what the roots reach stays as it is; all else is emptied, so that the program is cheap to copy and compile",
};

/// Empties the definitions that none of these reaches.
pub fn trim(program: &mut Program, roots: &[DefId]) {
    let kept: BTreeSet<DefId> = program.reachable(roots).into_iter().collect();
    let ids: Vec<DefId> = program.defs.ids().collect();
    for id in ids {
        if !kept.contains(&id) {
            let entry = &mut program.defs[id];
            entry.body = Expr::unit(entry.span);
            entry.ty = Type::unit();
        }
    }
    TRIM.verified(program, Stage::Any);
}

/// Where an operator stands that a definition reaches.
pub fn operator_in(program: &Program, def: DefId) -> Option<Span> {
    found_in(program, def, |op| matches!(op, AdOp::Vjp | AdOp::Jvp | AdOp::Linearize))
}

/// Where an operator of some kind stands that a definition reaches.
pub fn found_in(program: &Program, def: DefId, is: impl Fn(AdOp) -> bool) -> Option<Span> {
    let mut found = None;
    for def in reachable(program, def) {
        program.defs[def].body.visit(&mut |expr| {
            if let ExprKind::Ad(op, _) = expr.kind
                && is(op)
            {
                found.get_or_insert(expr.span);
            }
        });
    }
    found
}
