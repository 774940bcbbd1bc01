//! A-normal form: every argument of an operation is a variable or a constant, every intermediate
//! result has a name, and no `let` stands in a `let` (section 5.1). Without it `∂f(e)` would repeat `e`.

use super::term::{Book, Function, Sym, Term, let_};

/// A function in A-normal form.
pub fn anf(book: &mut Book, function: &Function) -> Function {
    let body = normal(book, &function.body);
    Function { params: function.params.clone(), body }
}

/// A term in A-normal form.
pub(super) fn normal(book: &mut Book, term: &Term) -> Term {
    let mut bindings = vec![];
    let last = flatten(book, term, &mut bindings);
    wrap(bindings, last)
}

/// `let`s around a body, the first outermost.
pub(super) fn wrap(bindings: Vec<(Sym, Term)>, body: Term) -> Term {
    bindings.into_iter().rev().fold(body, |body, (sym, value)| let_(sym, value, body))
}

/// The operation of a term, of atoms; what it needs is bound.
fn flatten(book: &mut Book, term: &Term, bindings: &mut Vec<(Sym, Term)>) -> Term {
    match term {
        Term::Let(sym, value, body) => {
            let value = flatten(book, value, bindings);
            bindings.push((*sym, value));
            flatten(book, body, bindings)
        }
        Term::Build(count, index, body) => {
            let count = atom(book, count, bindings);
            Term::Build(Box::new(count), *index, Box::new(normal(book, body)))
        }
        Term::If(cond, then, other) => {
            let cond = atom(book, cond, bindings);
            let (then, other) = (normal(book, then), normal(book, other));
            Term::If(Box::new(cond), Box::new(then), Box::new(other))
        }
        Term::Fold(fold) => {
            let mut fold = fold.clone();
            fold.for_each_outside(&mut |part| *part = atom(book, part, bindings));
            fold.for_each_inside(&mut |part| *part = normal(book, part));
            Term::Fold(fold)
        }
        Term::Lit(_)
        | Term::Var(_)
        | Term::Prim(..)
        | Term::Op(..)
        | Term::Call(..)
        | Term::Tuple(_)
        | Term::Proj(..)
        | Term::Array(_) => {
            let mut flat = term.clone();
            flat.for_each_child_mut(&mut |child| *child = atom(book, child, bindings));
            flat
        }
    }
}

fn atom(book: &mut Book, term: &Term, bindings: &mut Vec<(Sym, Term)>) -> Term {
    let flat = flatten(book, term, bindings);
    if flat.is_atom() {
        return flat;
    }
    let sym = book.fresh("t", active(book, &flat));
    bindings.push((sym, flat));
    Term::Var(sym)
}

/// Whether the value of a term can hold a Real: whether it depends on active variables in a way that
/// carries derivatives.
pub(super) fn active(book: &Book, term: &Term) -> bool {
    match term {
        Term::Lit(lit) => matches!(lit, pullback_lambda::Lit::Real(_)),
        Term::Var(sym) => book.known(*sym).active,
        Term::Prim(prim, args) => match prim.row().class {
            pullback_prim::Class::Smooth(_)
            | pullback_prim::Class::Structural(pullback_prim::Move::Total { .. }) => true,
            pullback_prim::Class::Discrete
            | pullback_prim::Class::Control
            | pullback_prim::Class::Tell
            | pullback_prim::Class::Fail => false,
            pullback_prim::Class::Structural(_) => args.iter().any(|arg| active(book, arg)),
        },
        Term::Op(..) | Term::Fold(_) => true,
        Term::Call(def, _, _) => !book.inactive.contains(def),
        Term::Tuple(items) | Term::Array(items) => items.iter().any(|item| active(book, item)),
        Term::Proj(base, _, _) => active(book, base),
        Term::Let(_, _, body) | Term::Build(_, _, body) => active(book, body),
        Term::If(_, then, other) => active(book, then) || active(book, other),
    }
}
