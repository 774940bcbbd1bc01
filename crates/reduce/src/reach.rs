//! Which definitions of a program others reach.

use std::collections::BTreeSet;

use pullback_base::Span;
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Program, Type};

/// The definitions that one reaches, itself first.
pub fn reachable(program: &Program, def: DefId) -> Vec<DefId> {
    reachable_all(program, &[def])
}

/// The definitions that some reach, themselves first.
pub fn reachable_all(program: &Program, roots: &[DefId]) -> Vec<DefId> {
    let mut found = vec![];
    let mut seen = BTreeSet::new();
    for root in roots {
        if seen.insert(*root) {
            found.push(*root);
        }
    }
    let mut next = 0;
    while next < found.len() {
        for callee in program.defs[found[next]].body.globals() {
            if seen.insert(callee) {
                found.push(callee);
            }
        }
        next += 1;
    }
    found
}

/// Empties the definitions that none of these reaches, so that the program is cheap to copy and compile.
pub fn trim(program: &mut Program, roots: &[DefId]) {
    let kept: BTreeSet<DefId> = reachable_all(program, roots).into_iter().collect();
    let ids: Vec<DefId> = program.defs.ids().collect();
    for id in ids {
        if !kept.contains(&id) {
            let entry = &mut program.defs[id];
            entry.body = Expr::unit(entry.span);
            entry.ty = Type::unit();
        }
    }
}

/// Where an operator stands that a definition reaches.
pub fn operator_in(program: &Program, def: DefId) -> Option<Span> {
    let mut found = None;
    for def in reachable(program, def) {
        program.defs[def].body.visit(&mut |expr| {
            if let ExprKind::Ad(AdOp::Vjp | AdOp::Jvp | AdOp::Linearize, _) = expr.kind {
                found.get_or_insert(expr.span);
            }
        });
    }
    found
}
