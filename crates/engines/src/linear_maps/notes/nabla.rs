//! `∂f` and `∇_S⟦e⟧` (figure 6), its tupled forms (figures 7 and 8), and folds (figure 13).
//!
//! As the notes' text lacks or misprints some of it: the derivative of an index, a size or a Bool is
//! `0`; `if c then a else b` has the derivative `if c then ∇a else ∇b`; `x` is bound before `∂x`, which
//! is a name of its own; figure 7 binds the primal value too.

use pullback_base::bug;
use pullback_lambda::{DefId, Lit};
use pullback_prim::{Class, Move, Place, Prim};

use super::anf::{active, wrap};
use super::term::{
    Book, Fold, FoldKind, Form, Function, Op, Sym, Term, build, compose, if_, let_, lm_one,
    lm_zero, op, prim, proj, var,
};
use std::collections::BTreeMap;

/// The map of each variable that has one.
type Scope = BTreeMap<Sym, Term>;

/// `∂f(x) = let ∂x = 1 in ∇_S⟦e⟧`, for a function in A-normal form.
pub fn jacobian(book: &mut Book, function: &Function) -> Function {
    let Function { params, body } = refreshed(book, function);
    let mut scope = Scope::new();
    let mut bindings = vec![];
    for (place, param) in params.iter().enumerate() {
        if book.known(*param).active {
            let map = book.fresh_of(*param);
            scope.insert(*param, var(map));
            bindings.push((map, selection(place, params.len())));
        }
    }
    let body = nabla(book, &scope, &body);
    Function { params, body: wrap(bindings, body) }
}

/// A function with binders of its own.
pub(super) fn refreshed(book: &mut Book, function: &Function) -> Function {
    let mut by = BTreeMap::new();
    let params: Vec<Sym> = function
        .params
        .iter()
        .map(|param| {
            let known = book.known(*param).clone();
            book.syms.push(known);
            let fresh = Sym(book.syms.len() as u32 - 1);
            by.insert(*param, var(fresh));
            fresh
        })
        .collect();
    let body = book.replace(&function.body, &by);
    Function { params, body }
}

/// `1` if it is the only one, else `0 ⋈ … ⋈ 1 ⋈ … ⋈ 0`.
pub(in crate::linear_maps) fn selection(place: usize, count: usize) -> Term {
    if count == 1 {
        return lm_one();
    }
    op(Op::LmHCat, (0..count).map(|at| if at == place { lm_one() } else { lm_zero() }).collect())
}

/// `∂f(e) ∘ (∇e₁ × … × ∇eₙ)`, where one argument needs no `×`.
fn chain(outer: Term, mut parts: Vec<Term>) -> Term {
    if parts.iter().all(|part| part.is(Op::LmZero)) {
        return lm_zero();
    }
    let inner = if parts.len() == 1 { parts.remove(0) } else { op(Op::LmVCat, parts) };
    compose(outer, inner)
}

fn nabla(book: &mut Book, scope: &Scope, term: &Term) -> Term {
    let all = |book: &mut Book, items: &[Term]| -> Vec<Term> {
        items.iter().map(|item| nabla(book, scope, item)).collect()
    };
    match term {
        Term::Lit(_) => lm_zero(),
        Term::Var(sym) => scope.get(sym).cloned().unwrap_or_else(lm_zero),
        Term::Prim(name, args) => match name.row().class {
            Class::Smooth(_) | Class::Structural(_) => {
                if !active(book, term) {
                    return lm_zero();
                }
                let parts = all(book, args);
                chain(op(Op::D(*name), args.clone()), parts)
            }
            Class::Discrete | Class::Control | Class::Tell | Class::Fail => lm_zero(),
        },
        Term::Call(def, _, args) => {
            if book.inactive.contains(def) || args.is_empty() {
                return lm_zero();
            }
            let parts = all(book, args);
            chain(Term::Call(*def, Form::Jacobian, args.clone()), parts)
        }
        Term::Tuple(items) => zero_or(op(Op::LmVCat, all(book, items))),
        Term::Array(items) => zero_or(op(Op::LmVCatV, vec![Term::Array(all(book, items))])),
        Term::Proj(base, index, count) => {
            if !active(book, base) {
                return lm_zero();
            }
            let inner = nabla(book, scope, base);
            chain(op(Op::DProj(*index, *count), vec![(**base).clone()]), vec![inner])
        }
        Term::Let(sym, value, body) => {
            let mut scope = scope.clone();
            let map = active(book, value).then(|| {
                let copy = book.copy(value);
                nabla(book, &scope, &copy)
            });
            let map = map.filter(|map| !map.is(Op::LmZero)).map(|map| {
                let name = book.fresh_of(*sym);
                scope.insert(*sym, var(name));
                (name, map)
            });
            let body = nabla(book, &scope, body);
            let body = match map {
                Some((name, map)) => let_(name, map, body),
                None => body,
            };
            let_(*sym, (**value).clone(), body)
        }
        Term::If(cond, then, other) => {
            let (then, other) = (nabla(book, scope, then), nabla(book, scope, other));
            if then.is(Op::LmZero) && other.is(Op::LmZero) {
                return lm_zero();
            }
            if_((**cond).clone(), then, other)
        }
        Term::Build(count, index, body) => {
            let body = nabla(book, scope, body);
            if body.is(Op::LmZero) {
                return body;
            }
            op(Op::LmVCatV, vec![build((**count).clone(), *index, body)])
        }
        Term::Fold(fold) => nabla_fold(book, scope, fold),
        Term::Op(..) => lm_zero(),
    }
}

fn zero_or(map: Term) -> Term {
    let Term::Op(_, items) = &map else { return map };
    let items = if let [Term::Array(items)] = items.as_slice() { items } else { items };
    if items.iter().all(|item| item.is(Op::LmZero)) { lm_zero() } else { map }
}

/// `lmFold (λt. e) (λt. e') acc v ∘ (env × ∇acc)`. The environment is the `×` of `∂x` for each `x` that
/// occurs free in `λt. e` (figure 13 takes the whole source, of which a reverse sweep would then have to
/// add up cotangents that are zero); in `e'` these variables have the maps `πₖ ∘ π₁` and the state `π₂`.
fn nabla_fold(book: &mut Book, scope: &Scope, fold: &Fold) -> Term {
    let init = nabla(book, scope, &fold.init);
    let outside: Vec<(Sym, Term)> = fold
        .body
        .free()
        .into_iter()
        .filter_map(|outside| scope.get(&outside).map(|map| (outside, map.clone())))
        .collect();
    let mut inner = Scope::new();
    let mut bindings = vec![];
    for (place, (free, _)) in outside.iter().enumerate() {
        let name = book.fresh_of(*free);
        let mut part = op(Op::LmHCat, vec![lm_one(), lm_zero()]);
        if outside.len() > 1 {
            part = compose(selection(place, outside.len()), part);
        }
        bindings.push((name, part));
        inner.insert(*free, var(name));
    }
    let name = book.fresh_of(fold.state);
    bindings.push((name, op(Op::LmHCat, vec![lm_zero(), lm_one()])));
    inner.insert(fold.state, var(name));
    let copy = book.copy(&fold.body);
    let map = nabla(book, &inner, &copy);
    let mut maps: Vec<Term> = outside.iter().map(|(_, map)| map.clone()).collect();
    let environment = match maps.len() {
        0 => lm_zero(),
        1 => maps.remove(0),
        _ => op(Op::LmVCat, maps),
    };
    let mut fold = fold.clone();
    fold.kind = FoldKind::Map(wrap(bindings, map));
    compose(Term::Fold(Box::new(fold)), op(Op::LmVCat, vec![environment, init]))
}

/// The two tupled forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tupling {
    /// Figure 7: `∂f : S -> (T, S ⊸ T)`.
    Basic,
    /// Figure 8: `∂f : ∀a. (S, a ⊸ S) -> (T, a ⊸ T)`.
    Polymorphic,
}

/// `∂f` of figure 7 or 8, for a function in A-normal form. Of several parameters the polymorphic form
/// takes the pairs.
pub fn tupled(book: &mut Book, function: &Function, tupling: Tupling) -> Function {
    let Function { params, body } = refreshed(book, function);
    let mut scope = Pairs::new();
    let mut bindings = vec![];
    let mut outer = vec![];
    for (place, param) in params.iter().enumerate() {
        if !book.known(*param).active {
            outer.push(*param);
            continue;
        }
        let pair = book.fresh_of(*param);
        scope.insert(*param, pair);
        match tupling {
            Tupling::Basic => {
                outer.push(*param);
                let map = selection(place, params.len());
                bindings.push((pair, Term::Tuple(vec![var(*param), map])));
            }
            Tupling::Polymorphic => {
                outer.push(pair);
                bindings.push((*param, proj(var(pair), 0, 2)));
            }
        }
    }
    let body = pairs(book, &scope, &body, tupling);
    Function { params: outer, body: wrap(bindings, body) }
}

/// Which variable is the pair of which.
type Pairs = BTreeMap<Sym, Sym>;

/// The maps in pairs.
fn maps_of(scope: &Pairs) -> Scope {
    scope.iter().map(|(sym, pair)| (*sym, proj(var(*pair), 1, 2))).collect()
}

/// A value with its map.
fn pair(value: Term, map: Term) -> Term {
    Term::Tuple(vec![value, map])
}

fn pairs(book: &mut Book, scope: &Pairs, term: &Term, tupling: Tupling) -> Term {
    match term {
        Term::Var(sym) if scope.contains_key(sym) => var(scope[sym]),
        // What has no parts in pairs has the map of figure 6.
        Term::Var(_)
        | Term::Lit(_)
        | Term::Op(..)
        | Term::Prim(..)
        | Term::Tuple(_)
        | Term::Array(_)
        | Term::Proj(..) => pair(term.clone(), nabla(book, &maps_of(scope), term)),
        Term::Call(def, _, args) => call_pairs(book, scope, *def, args, tupling),
        Term::Let(sym, value, body) => {
            if !active(book, value) {
                return let_(*sym, (**value).clone(), pairs(book, scope, body, tupling));
            }
            let value = pairs(book, scope, value, tupling);
            let name = book.fresh_of(*sym);
            let mut scope = scope.clone();
            scope.insert(*sym, name);
            let body = pairs(book, &scope, body, tupling);
            let_(name, value, let_(*sym, proj(var(name), 0, 2), body))
        }
        Term::If(cond, then, other) => {
            let then = pairs(book, scope, then, tupling);
            if_((**cond).clone(), then, pairs(book, scope, other, tupling))
        }
        Term::Build(count, index, body) => {
            let body = pairs(book, scope, body, tupling);
            let both = book.fresh("p", true);
            let built = op(Op::Unzip, vec![build((**count).clone(), *index, body)]);
            let map = op(Op::LmVCatV, vec![proj(var(both), 1, 2)]);
            let_(both, built, pair(proj(var(both), 0, 2), map))
        }
        Term::Fold(fold) => {
            // The state is a pair: value and map go through the fold together.
            let mut fold = fold.clone();
            fold.init = pairs(book, scope, &fold.init, tupling);
            let state = fold.state;
            let name = book.fresh_of(state);
            let mut inner = scope.clone();
            inner.insert(state, name);
            let value = proj(var(name), 0, 2);
            let body = pairs(book, &inner, &fold.body, tupling);
            fold.body = let_(state, value.clone(), body);
            fold.cond = fold.cond.map(|cond| {
                let by = BTreeMap::from([(state, value)]);
                book.replace(&cond, &by)
            });
            fold.state = name;
            Term::Fold(fold)
        }
    }
}

fn call_pairs(book: &mut Book, scope: &Pairs, def: DefId, args: &[Term], tupling: Tupling) -> Term {
    if book.inactive.contains(&def) || args.is_empty() {
        return pair(Term::Call(def, Form::Original, args.to_vec()), lm_zero());
    }
    if tupling == Tupling::Basic {
        let result = book.fresh("r", true);
        let scope = maps_of(scope);
        let maps = args.iter().map(|arg| nabla(book, &scope, arg)).collect();
        let map = chain(proj(var(result), 1, 2), maps);
        let call = Term::Call(def, Form::Tupled, args.to_vec());
        return let_(result, call, pair(proj(var(result), 0, 2), map));
    }
    // The callee's parameters say which of them are pairs.
    let Some(function) = book.functions.get(&(def, Form::Original)) else {
        bug("linear-maps", "the function that is called")
    };
    let params = function.params.clone();
    let args = params.iter().zip(args).map(|(param, arg)| {
        if !book.known(*param).active {
            return arg.clone();
        }
        let known = if let Term::Var(sym) = arg { scope.get(sym) } else { None };
        known.map_or_else(|| pair(arg.clone(), lm_zero()), |map| var(*map))
    });
    let args = args.collect();
    Term::Call(def, Form::Polymorphic, args)
}

/// `H(build(n, λj. if j == i then 1 else 0))`: the map that selects one element of a vector.
pub(in crate::linear_maps) fn pick(book: &mut Book, count: Term, index: Term) -> Term {
    let sym = book.fresh_index("j", count.clone());
    let chosen = if_(op(Op::Here, vec![var(sym), index]), lm_one(), lm_zero());
    op(Op::LmHCatV, vec![build(count, sym, chosen)])
}

/// `∂p(x, …)` of a primitive that moves elements or adds them up (figure 2).
pub(super) fn structural(book: &mut Book, name: Prim, moves: Move, args: &[Term]) -> Term {
    let sizes: Vec<Term> = args.iter().map(|arg| book.size_of(arg)).collect();
    let size = |at: usize| sizes[at].clone();
    let int2 = |name: Prim, a: Term, b: Term| prim(name, vec![a, b]);
    let place = |place: Place| match place {
        Place::Arg(at) => args[at].clone(),
        Place::Int(n) => Term::Lit(Lit::Int(n)),
    };
    // The maps from these arguments, and none from the others.
    let from = |maps: Vec<(usize, Term)>| {
        let mut row = vec![lm_zero(); args.len()];
        for (at, map) in maps {
            row[at] = map;
        }
        if row.len() == 1 { row.remove(0) } else { op(Op::LmHCat, row) }
    };
    let (sym, count, element) = match moves {
        Move::Keep { array } => return from(vec![(array, lm_one())]),
        Move::Total { array } => {
            let sym = book.fresh_index("i", size(array));
            let all = op(Op::LmHCatV, vec![build(size(array), sym, lm_one())]);
            return from(vec![(array, all)]);
        }
        Move::Pick { array, index } => {
            let picked = pick(book, size(array), place(index));
            return from(vec![(array, picked)]);
        }
        Move::Put { array, index, element } => {
            let sym = book.fresh("k", false);
            // All elements but one stay, and that one is new: a vector is nowhere gone through.
            let kept = op(Op::LmOmit, vec![place(index)]);
            let here = if_(op(Op::Here, vec![var(sym), place(index)]), lm_one(), lm_zero());
            let new = op(Op::LmVCatV, vec![build(size(array), sym, here)]);
            return from(vec![(array, kept), (element, new)]);
        }
        Move::Cut { array, from: first, to } => {
            let sym = book.fresh("k", false);
            let at = int2(Prim::IntAdd, place(first), var(sym));
            let picked = pick(book, size(array), at);
            let count = int2(Prim::IntSub, place(to), place(first));
            (sym, count, from(vec![(array, picked)]))
        }
        Move::Join { first, second } => {
            let sym = book.fresh("k", false);
            let left = pick(book, size(first), var(sym));
            let at = int2(Prim::IntSub, var(sym), size(first));
            let right = pick(book, size(second), at);
            let (left, right) = (from(vec![(first, left)]), from(vec![(second, right)]));
            let count = int2(Prim::IntAdd, size(first), size(second));
            (sym, count, if_(int2(Prim::IntLt, var(sym), size(first)), left, right))
        }
        Move::Unnest { rows } => {
            let sym = book.fresh("k", false);
            let row = prim(Prim::Index, vec![args[rows].clone(), Term::Lit(Lit::Int(0))]);
            let width = prim(Prim::Size, vec![row]);
            let at = int2(Prim::IntDiv, var(sym), width.clone());
            let column = int2(Prim::IntRem, var(sym), width.clone());
            let (outer, inner) = (pick(book, size(rows), at), pick(book, width, column));
            let count = prim(Prim::Size, vec![prim(name, args.to_vec())]);
            (sym, count, from(vec![(rows, compose(inner, outer))]))
        }
    };
    op(Op::LmVCatV, vec![build(count, sym, element)])
}
