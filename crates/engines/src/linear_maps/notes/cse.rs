//! Common subexpressions: every operation that is done twice is done once and named `t1`, `t2`, ….
//!
//! Terms are named in A-normal form, each operation by the variable that holds its value already if
//! there is one in scope; then names used once are put back in place.

use std::collections::BTreeMap;

use pullback_lambda::Lit;
use pullback_prim::Prim;

use super::anf::{normal, wrap};
use super::optimise::tidy;
use super::term::{Book, Function, Sym, Term};

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

/// Whether a term is an operation on atoms, so that one like it has the same value where both are in scope.
fn is_operation(term: &Term) -> bool {
    !(term.binds() || matches!(term, Term::If(..)) || term.is_atom())
}

/// Whether two operations on atoms have the same value.
fn alike(left: &Term, right: &Term) -> bool {
    let all = |left: &[Term], right: &[Term]| {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| alike(a, b))
    };
    match (left, right) {
        // The zeros differ, and a NaN is like itself.
        (Term::Lit(Lit::Real(x)), Term::Lit(Lit::Real(y))) => x.to_bits() == y.to_bits(),
        (Term::Prim(prim, args), Term::Prim(other, others)) if prim == other => {
            let swapped = || match &others[..] {
                [a, b] if matches!(prim, Prim::Add | Prim::Mul) => {
                    all(args, &[b.clone(), a.clone()])
                }
                _ => false,
            };
            all(args, others) || swapped()
        }
        (Term::Op(op, args), Term::Op(other, others)) => op == other && all(args, others),
        (Term::Call(def, form, args), Term::Call(other, other_form, others)) => {
            def == other && form == other_form && all(args, others)
        }
        (Term::Tuple(items), Term::Tuple(others)) | (Term::Array(items), Term::Array(others)) => {
            all(items, others)
        }
        (Term::Proj(base, at, count), Term::Proj(other, other_at, other_count)) => {
            at == other_at && count == other_count && alike(base, other)
        }
        _ => left == right,
    }
}

/// The operations that have a name, the last one last.
type Named = Vec<(Term, Sym)>;

/// The name of an operation like this one.
fn name_of(known: &Named, term: &Term) -> Option<Sym> {
    if !is_operation(term) {
        return None;
    }
    known.iter().rev().find(|(old, _)| alike(old, term)).map(|(_, sym)| *sym)
}

fn shared(term: &Term, same: &mut BTreeMap<Sym, Sym>, known: &mut Named) -> Term {
    let mut bindings = vec![];
    let depth = known.len();
    let mut rest = term;
    while let Term::Let(sym, value, body) = rest {
        let value = inside(value, same, known);
        if let Term::Var(other) = value {
            same.insert(*sym, other);
        } else {
            match name_of(known, &value) {
                Some(other) => {
                    same.insert(*sym, other);
                }
                None => {
                    if is_operation(&value) {
                        known.push((value.clone(), *sym));
                    }
                    bindings.push((*sym, value));
                }
            }
        }
        rest = body;
    }
    let last = inside(rest, same, known);
    let name = name_of(known, &last);
    known.truncate(depth);
    wrap(bindings, name.map_or(last, Term::Var))
}

/// The same for what stands in an operation.
fn inside(term: &Term, same: &mut BTreeMap<Sym, Sym>, known: &mut Named) -> Term {
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
            fold.for_each_outside(&mut |part| *part = inside(part, same, known));
            fold.for_each_inside(&mut |part| *part = shared(part, same, known));
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
