//! Common subexpressions: every operation that is done twice is done once and named `t1`, `t2`, ….
//!
//! Terms are named in A-normal form, each operation by the variable that holds its value already if
//! there is one in scope; then names used once are put back in place.

use std::collections::BTreeMap;

use super::anf::{normal, wrap};
use super::optimise::tidy;
use super::term::{Book, FoldKind, Function, Sym, Term};

/// A function whose body shares what it computes twice.
pub fn cse(book: &mut Book, function: &Function) -> Function {
    let Function { params, body } = super::nabla::refreshed(book, function);
    let body = normal(book, &body);
    let body = shared(&body, &mut BTreeMap::new(), &mut Vec::new());
    let mut body = tidy(body);
    let mut next = 1;
    rename(book, &mut body, &mut next);
    Function { params, body }
}

/// The key of an operation on atoms; equal keys have equal values where both are in scope.
fn key(term: &Term) -> Option<String> {
    let commutes =
        matches!(term, Term::Prim(pullback_prim::Prim::Add | pullback_prim::Prim::Mul, _));
    let binds = term.binds() || matches!(term, Term::If(..));
    if binds || term.is_atom() {
        return None;
    }
    if let (Term::Prim(name, args), true) = (term, commutes) {
        let mut args: Vec<String> = args.iter().map(|arg| format!("{arg:?}")).collect();
        args.sort();
        return Some(format!("{name:?} {args:?}"));
    }
    Some(format!("{term:?}"))
}

fn shared(term: &Term, same: &mut BTreeMap<Sym, Sym>, known: &mut Vec<(String, Sym)>) -> Term {
    let mut bindings = vec![];
    let depth = known.len();
    let mut rest = term;
    while let Term::Let(sym, value, body) = rest {
        let value = inside(value, same, known);
        if let Term::Var(other) = value {
            same.insert(*sym, other);
        } else {
            let key = key(&value);
            let found = key.as_ref().and_then(|key| known.iter().rev().find(|(old, _)| old == key));
            if let Some((_, other)) = found {
                same.insert(*sym, *other);
            } else {
                known.extend(key.map(|key| (key, *sym)));
                bindings.push((*sym, value));
            }
        }
        rest = body;
    }
    let last = inside(rest, same, known);
    let found = key(&last).and_then(|key| known.iter().rev().find(|(old, _)| *old == key).cloned());
    known.truncate(depth);
    wrap(bindings, found.map_or(last, |(_, sym)| Term::Var(sym)))
}

/// The same for what stands in an operation.
fn inside(term: &Term, same: &mut BTreeMap<Sym, Sym>, known: &mut Vec<(String, Sym)>) -> Term {
    match term {
        Term::Var(sym) => Term::Var(same.get(sym).copied().unwrap_or(*sym)),
        Term::Let(..) => shared(term, same, known),
        Term::If(cond, then, other) => Term::If(
            Box::new(inside(cond, same, known)),
            Box::new(shared(then, same, known)),
            Box::new(shared(other, same, known)),
        ),
        Term::Build(count, index, body) => Term::Build(
            Box::new(inside(count, same, known)),
            *index,
            Box::new(shared(body, same, known)),
        ),
        Term::Fold(fold) => {
            let mut fold = fold.clone();
            fold.count = inside(&fold.count, same, known);
            fold.init = inside(&fold.init, same, known);
            fold.body = shared(&fold.body, same, known);
            fold.cond = fold.cond.map(|cond| shared(&cond, same, known));
            match &mut fold.kind {
                FoldKind::Value => {}
                FoldKind::Map(body) => *body = shared(body, same, known),
                FoldKind::Forward { body, init: rest, .. }
                | FoldKind::Reverse { body, last: rest, .. } => {
                    *body = shared(body, same, known);
                    *rest = inside(rest, same, known);
                }
            }
            Term::Fold(fold)
        }
        Term::Lit(_)
        | Term::Prim(..)
        | Term::Op(..)
        | Term::Call(..)
        | Term::Tuple(_)
        | Term::Proj(..)
        | Term::Array(_) => {
            let mut term = term.clone();
            term.for_each_child_mut(&mut |child| *child = inside(child, same, known));
            term
        }
    }
}

/// Names what is bound by `let` `t1`, `t2`, … in the order of the text.
fn rename(book: &mut Book, term: &mut Term, next: &mut usize) {
    if let Term::Let(sym, ..) = term {
        let known = &mut book.syms[sym.0 as usize];
        known.name = format!("t{next}");
        known.of = None;
        *next += 1;
    }
    term.for_each_child_mut(&mut |child| rename(book, child, next));
}
