//! Bounded recursion for the whole language: `letrec_n` of figure 8 as a transformation.
//!
//! Type: programs to programs; every definition keeps its type.
//! Law: if the result has a value, the program has the same one (Lemma 6.6); if the program has a value,
//! so has the result for all large enough bounds (Lemma 6.5). A recursive function may be entered `n`
//! times inside one another, then it fails.
//! How: a recursive function gets a first parameter that says how often it may still be entered.
//! Functions that call each other share it. Loops are no recursion.

use std::collections::BTreeMap;

use pullback_base::Name;
use pullback_lambda::{Def, DefId, Expr, ExprKind, Pass, Program, Stage, Type, VarId};
use pullback_prim::Prim;

/// What is known of [`with_fuel`].
pub const FUEL: Pass = Pass {
    name: "fuel",
    ty: "(Program, n) -> Program",
    law: "if the result has a value, the program has the same one; a recursive function may be entered `n` times \
          inside one another, then it fails (Lemmas 6.5 and 6.6 of the first paper)",
};

/// Limits every recursive function of a program.
pub fn with_fuel(program: &mut Program, fuel: u64) {
    let fuel = i64::try_from(fuel).unwrap_or(i64::MAX);
    let groups = recursive_definitions(program);
    let ids: Vec<DefId> = program.defs.ids().collect();
    for id in ids {
        let mut body = program.defs[id].body.clone();
        local(program, &mut body, fuel);
        program.defs[id].body = body;
    }
    for group in groups {
        limit_definitions(program, &group, fuel);
    }
    FUEL.verified(program, Stage::Any);
}

/// Groups of definitions of functions that reach themselves.
fn recursive_definitions(program: &Program) -> Vec<Vec<DefId>> {
    let is_function = |id: &DefId| matches!(program.defs[*id].body.kind, ExprKind::Lam(_, _));
    let all: Vec<DefId> = program.defs.ids().collect();
    let groups = program.groups(&all).into_iter().filter(|group| group.recursive);
    let mut groups: Vec<Vec<DefId>> = groups
        .map(|group| {
            let mut functions: Vec<DefId> = group.defs.into_iter().filter(is_function).collect();
            functions.sort_unstable();
            functions
        })
        .filter(|functions| !functions.is_empty())
        .collect();
    groups.sort_unstable();
    groups
}

/// `f = \x -> M` becomes `f' = \n x -> if n <= 0 then fail else M[f' (n - 1) / f]` and
/// `f = \x -> f' fuel x`.
fn limit_definitions(program: &mut Program, group: &[DefId], fuel: i64) {
    let mut limited = BTreeMap::new();
    for id in group {
        let Def { name, ty, span, .. } = program.defs[*id].clone();
        let ty = Type::fun(Type::int(), ty);
        let body = Expr::unit(span);
        limited.insert(*id, program.defs.push(Def { name, ty, body, span }));
    }
    for (id, with) in &limited {
        let Def { name, body, span, .. } = program.defs[*id].clone();
        let left = program.fresh("fuel", Type::int());
        let mut inner = program.copy(&body);
        inner.rewrite(&mut |node| {
            if let ExprKind::Global(called) = node.kind
                && let Some(with) = limited.get(&called)
            {
                let less = less(program, left, node);
                *node = Expr::app(program.global(*with, node.span), vec![less], node.span);
            } else {
                flatten(node);
            }
        });
        program.defs[*with].body = guarded(program, &name, left, inner);
        let call = Expr::app(program.global(*with, span), vec![Expr::int(fuel, span)], span);
        program.defs[*id].body = eta(program, &body, call);
    }
}

/// The local recursive functions of a term, innermost first.
fn local(program: &mut Program, term: &mut Expr, fuel: i64) {
    term.rewrite(&mut |node| {
        let ExprKind::LetRec(functions, body) = &mut node.kind else {
            flatten(node);
            return;
        };
        let mut limited: BTreeMap<VarId, (VarId, VarId)> = BTreeMap::new();
        for (var, _) in functions.iter() {
            let (name, ty) = (program.vars[*var].name.clone(), program.vars[*var].ty.clone());
            let with = program.fresh(name, Type::fun(Type::int(), ty));
            limited.insert(*var, (with, program.fresh("fuel", Type::int())));
        }
        for (var, value) in functions.iter_mut() {
            let (with, left) = limited[var];
            let name = program.vars[*var].name.clone();
            let mut inner = value.clone();
            replace(program, &mut inner, &limited, |program, node| less(program, left, node));
            *value = guarded(program, &name, left, inner);
            *var = with;
        }
        replace(program, body, &limited, |_, node| Expr::int(fuel, node.span));
    });
}

fn replace(
    program: &mut Program,
    term: &mut Expr,
    limited: &BTreeMap<VarId, (VarId, VarId)>,
    mut amount: impl FnMut(&Program, &Expr) -> Expr,
) {
    term.rewrite(&mut |node| {
        if let ExprKind::Var(var) = node.kind
            && let Some((with, _)) = limited.get(&var)
        {
            let amount = amount(program, node);
            *node = Expr::app(program.var(*with, node.span), vec![amount], node.span);
        } else {
            flatten(node);
        }
    });
}

/// `n - 1`
fn less(program: &Program, left: VarId, at: &Expr) -> Expr {
    let one = Expr::int(1, at.span);
    Expr::prim(Prim::IntSub, vec![program.var(left, at.span), one], at.span)
}

/// `\n x… -> if n <= 0 then fail else M` for `\x… -> M`.
fn guarded(program: &Program, name: &Name, left: VarId, function: Expr) -> Expr {
    let span = function.span;
    let ExprKind::Lam(mut params, body) = function.kind else { return function };
    let fail = Expr::stop(Prim::OutOfFuel, Expr::str(name, span), body.ty.clone(), span);
    let zero = Expr::int(0, span);
    let empty = Expr::prim(Prim::IntLe, vec![program.var(left, span), zero], span);
    params.insert(0, left);
    program.lam(params, Expr::if_(empty, fail, *body, span))
}

/// `\x… -> call x…`, with as many parameters as the function has.
fn eta(program: &mut Program, function: &Expr, call: Expr) -> Expr {
    let ExprKind::Lam(params, _) = &function.kind else { return call };
    let params: Vec<VarId> = params.iter().map(|param| program.fresh_like(*param)).collect();
    let args = params.iter().map(|param| program.var(*param, function.span)).collect();
    let mut body = Expr::app(call, args, function.span);
    flatten(&mut body);
    program.lam(params, body)
}

/// `(f a) b` becomes `f a b`.
fn flatten(node: &mut Expr) {
    if let ExprKind::App(function, args) = &mut node.kind
        && let ExprKind::App(inner, first) = &mut function.kind
    {
        let mut all = std::mem::take(first);
        all.append(args);
        *args = all;
        let inner = std::mem::replace(&mut **inner, Expr::unit(node.span));
        **function = inner;
    }
}
