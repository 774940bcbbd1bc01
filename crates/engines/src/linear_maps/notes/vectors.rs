//! The operations of vector spaces on terms, with structural zeros left out and one-hot vectors kept as
//! such.

use std::collections::BTreeMap;

use pullback_prim::{Class, Prim};

use super::anf::wrap;
use super::laws::{choose, float, is_zero, one_hot};
use super::term::{Book, Known, Op, Sym, Term, build, op, prim, proj, var};

/// `a + b`
pub(super) fn plus(a: Term, b: Term) -> Term {
    if is_zero(&a) {
        b
    } else if is_zero(&b) {
        a
    } else if let (Term::Tuple(xs), Term::Tuple(ys)) = (&a, &b)
        && xs.len() == ys.len()
    {
        let pairs = xs.iter().cloned().zip(ys.iter().cloned());
        Term::Tuple(pairs.map(|(x, y)| plus(x, y)).collect())
    } else {
        added_at(&a, &b).or_else(|| added_at(&b, &a)).unwrap_or_else(|| prim(Prim::Add, vec![a, b]))
    }
}

/// `a + deltaVec(n, i, y)`, where `a` is `deltaVec(n, i, x)` or `update(v, i, x)`: one place is written.
fn added_at(a: &Term, b: &Term) -> Option<Term> {
    let [_, at, y] = b.args_of(Op::DeltaVec)? else { return None };
    let written = |parts: &[Term]| match parts {
        [whole, place, x] if place == at => {
            Some(vec![whole.clone(), at.clone(), plus(x.clone(), y.clone())])
        }
        _ => None,
    };
    if let Term::Op(Op::DeltaVec, parts) = a {
        return Some(op(Op::DeltaVec, written(parts)?));
    }
    let Term::Prim(Prim::Update, parts) = a else { return None };
    Some(prim(Prim::Update, written(parts)?))
}

/// A component, of a tuple at once.
pub(super) fn component(base: Term, index: usize, count: usize) -> Term {
    if let Term::Tuple(mut items) = base {
        if index < items.len() {
            return items.swap_remove(index);
        }
        return proj(Term::Tuple(items), index, count);
    }
    if base.is(Op::Zero) { base } else { proj(base, index, count) }
}

/// A tuple or an array of which all may be zero.
pub(super) fn gathered(items: Vec<Term>, make: fn(Vec<Term>) -> Term) -> Term {
    if !items.is_empty() && items.iter().all(|item| item.is(Op::Zero)) {
        op(Op::Zero, vec![])
    } else {
        make(items)
    }
}

/// Whether a term costs nothing to repeat: a part of a variable.
pub(super) fn simple(term: &Term) -> bool {
    match term {
        Term::Lit(_) | Term::Var(_) | Term::Op(Op::Zero, _) => true,
        Term::Proj(base, ..) => simple(base),
        Term::Tuple(items) | Term::Prim(Prim::Index, items) => items.iter().all(simple),
        Term::Prim(..)
        | Term::Op(..)
        | Term::Call(..)
        | Term::Array(_)
        | Term::Let(..)
        | Term::If(..)
        | Term::Build(..)
        | Term::Fold(_) => false,
    }
}

impl Book {
    /// `build(n, λi. e)`; a one-hot vector as such.
    pub(super) fn built(&mut self, count: Term, index: Sym, body: Term) -> Term {
        if body.is(Op::Zero) {
            return body;
        }
        if let Term::If(_, _, other) = &body
            && other.is(Op::Zero)
            && let Some((at, value)) = one_hot(index, &body)
            && value.uses(index) == 0
        {
            return op(Op::DeltaVec, vec![count, at.clone(), value.clone()]);
        }
        build(count, index, body)
    }

    /// `Σᵢ e`, over the elements of a built vector.
    pub(super) fn total(&mut self, items: Term) -> Term {
        let (bindings, mut items) = float(vec![items]);
        let sum = self.summed(items.remove(0));
        wrap(bindings, sum)
    }

    fn summed(&mut self, items: Term) -> Term {
        if items.is(Op::Zero) {
            return items;
        }
        // Σ deltaVec(n, i, x) = x
        if let Some([_, _, x]) = items.args_of(Op::DeltaVec) {
            return x.clone();
        }
        if let Term::Build(count, index, body) = items {
            return self.sum_over(&count, index, *body);
        }
        prim(Prim::Sum, vec![items])
    }

    /// `Σᵢ e` for the indices `i` below `count`. One-hot vectors are not added up but put where they belong: each law
    /// takes one of them out of the sum, and `let`s that stand in the way become vectors of their values, so that
    /// nothing is computed more often than before.
    fn sum_over(&mut self, count: &Term, index: Sym, body: Term) -> Term {
        // Σᵢ (if i == e then x else 0) = x[i := e], as 0 ≤ e < n
        if let Some((at, x)) = one_hot(index, &body) {
            return self.replace(x, &BTreeMap::from([(index, at.clone())]));
        }
        if body.is(Op::Zero) {
            return body;
        }
        match body {
            // Σᵢ (x, y) = (Σᵢ x, Σᵢ y)
            Term::Tuple(parts) => {
                let sums = parts.into_iter().map(|part| self.own_sum(count, index, part));
                let (bindings, sums) = float(sums.collect());
                wrap(bindings, Term::Tuple(sums))
            }
            Term::Op(Op::DeltaVec, mut parts) if parts.len() == 3 => {
                let (x, at, size) = (parts.remove(2), parts.remove(1), parts.remove(0));
                // Σᵢ deltaVec(n, i, x) = build(n, λi. x)
                if at == var(index) && size == *count {
                    return self.built(size, index, x);
                }
                // Σᵢ deltaVec(n, e, x) = deltaVec(n, e, Σᵢ x), as 0 ≤ e < n
                if at.uses(index) == 0 && size.uses(index) == 0 && self.is_inside(&at, &size) {
                    let x = self.sum_over(count, index, x);
                    return delta(size, at, x);
                }
                prim(Prim::Sum, vec![build(count.clone(), index, delta(size, at, x))])
            }
            // Σᵢ (x + y) = Σᵢ x + Σᵢ y
            Term::Prim(Prim::Add, mut terms) if terms.iter().any(holds_one_hot) => {
                let y = terms.pop().unwrap_or_else(|| op(Op::Zero, vec![]));
                let x = terms.pop().unwrap_or_else(|| op(Op::Zero, vec![]));
                let (bindings, mut sums) =
                    float(vec![self.own_sum(count, index, x), self.own_sum(count, index, y)]);
                let second = sums.remove(1);
                wrap(bindings, plus(sums.remove(0), second))
            }
            // Σᵢ build(m, λj. x) = build(m, λj. Σᵢ x)
            Term::Build(inner, at, x) if inner.uses(index) == 0 && holds_one_hot(&x) => {
                let x = self.sum_over(count, index, *x);
                self.built(*inner, at, x)
            }
            // Σᵢ let x = e in y = let xs = build(n, λi. e) in Σᵢ y[x := xs[i]]
            Term::Let(sym, value, rest) if holds_one_hot(&rest) => {
                let (bindings, by) = self.tabled(count, index, sym, *value);
                let rest = self.replace(&rest, &by);
                wrap(bindings, self.sum_over(count, index, rest))
            }
            Term::If(cond, then, other) if holds_one_hot(&then) || holds_one_hot(&other) => {
                self.sum_of_choices(count, index, *cond, (*then, *other))
            }
            body @ Term::Lit(_)
            | body @ Term::Var(_)
            | body @ Term::Prim(..)
            | body @ Term::Op(..)
            | body @ Term::Call(..)
            | body @ Term::Proj(..)
            | body @ Term::Array(_)
            | body @ Term::Let(..)
            | body @ Term::If(..)
            | body @ Term::Build(..)
            | body @ Term::Fold(_) => prim(Prim::Sum, vec![build(count.clone(), index, body)]),
        }
    }

    /// The sum of one of several parts, with an index of its own.
    fn own_sum(&mut self, count: &Term, index: Sym, part: Term) -> Term {
        let name = self.known(index).name.clone();
        let fresh = self.fresh_index(&name, count.clone());
        let part = self.replace(&part, &BTreeMap::from([(index, var(fresh))]));
        self.sum_over(count, fresh, part)
    }

    /// `Σᵢ if c then x else y`, of which one has one-hot vectors.
    fn sum_of_choices(
        &mut self,
        count: &Term,
        index: Sym,
        cond: Term,
        (then, other): (Term, Term),
    ) -> Term {
        let parts =
            |term: &Term| if let Term::Tuple(items) = term { Some(items.len()) } else { None };
        let zero = other.is(Op::Zero) || then.is(Op::Zero);
        let width = parts(&then).or(parts(&other));
        // if c then (x, y) else (z, w) = (if c then x else z, if c then y else w)
        if let Some(width) = width
            && (zero || parts(&then) == parts(&other))
        {
            let sym = self.fresh("c", false);
            let (bindings, mut by) = self.tabled(count, index, sym, cond);
            let cond = by.remove(&sym).unwrap_or_else(|| var(sym));
            let choices = (0..width).map(|at| {
                let (x, y) =
                    (component(then.clone(), at, width), component(other.clone(), at, width));
                choose(cond.clone(), x, y)
            });
            let choices = Term::Tuple(choices.collect());
            return wrap(bindings, self.sum_over(count, index, choices));
        }
        // if c then deltaVec(n, e, x) else 0 = deltaVec(n, e, if c then x else 0), as 0 ≤ e < n
        if let Term::Op(Op::DeltaVec, hot) = &then
            && self.is_inside(&hot[1], &hot[0])
        {
            let same = other.args_of(Op::DeltaVec).filter(|parts| parts[..2] == hot[..2]);
            let zero = other.is(Op::Zero).then(|| other.clone());
            if let Some(y) = same.map(|parts| parts[2].clone()).or(zero) {
                let x = choose(cond, hot[2].clone(), y);
                let hot = delta(hot[0].clone(), hot[1].clone(), x);
                return self.sum_over(count, index, hot);
            }
        }
        let choice = Term::If(Box::new(cond), Box::new(then), Box::new(other));
        prim(Prim::Sum, vec![build(count.clone(), index, choice)])
    }

    /// What stands for `x = e` in a sum over `i`: `e` itself where it costs nothing, or `x`, bound outside, where `e` is
    /// the same in each term; else an element of the vector of its values, which is bound.
    fn tabled(
        &mut self,
        count: &Term,
        index: Sym,
        sym: Sym,
        value: Term,
    ) -> (Vec<(Sym, Term)>, BTreeMap<Sym, Term>) {
        if simple(&value) {
            return (vec![], BTreeMap::from([(sym, value)]));
        }
        // Where there are no terms nothing may fail.
        if value.uses(index) == 0 && self.cannot_fail(&value) {
            return (vec![(sym, value)], BTreeMap::new());
        }
        let Known { name, active, .. } = self.known(sym).clone();
        let (own, table) = (self.fresh_index("i", count.clone()), self.fresh(&name, active));
        let value = self.replace(&value, &BTreeMap::from([(index, var(own))]));
        let values = build(count.clone(), own, value);
        self.note_sizes(table, &values);
        let element = prim(Prim::Index, vec![var(table), var(index)]);
        (vec![(table, values)], BTreeMap::from([(sym, element)]))
    }

    /// Whether an index is known to be inside a vector of this size.
    fn is_inside(&self, at: &Term, size: &Term) -> bool {
        matches!(at, Term::Var(sym) if self.bounds.get(sym) == Some(size))
    }

    /// Whether a number has a value wherever it stands.
    fn cannot_fail(&self, term: &Term) -> bool {
        match term {
            Term::Lit(_) | Term::Var(_) => true,
            Term::Prim(Prim::Index, args) => {
                let size = args.first().and_then(|array| self.size_at(array, 0));
                let inside = |size| self.is_inside(&args[1], &size);
                size.is_some_and(inside) && self.cannot_fail(&args[0])
            }
            Term::Prim(name, args) => {
                matches!(name.row().class, Class::Smooth(_))
                    && args.iter().all(|arg| self.cannot_fail(arg))
            }
            Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Let(..)
            | Term::If(..)
            | Term::Build(..)
            | Term::Fold(_) => false,
        }
    }

    /// `sz(v)`, by what is known of `v`.
    pub(super) fn size_of(&self, term: &Term) -> Term {
        self.size_at(term, 0).unwrap_or_else(|| prim(Prim::Size, vec![term.clone()]))
    }

    /// The size of a vector, or of its rows at a depth, if it is written out somewhere in scope.
    pub(super) fn size_at(&self, term: &Term, depth: usize) -> Option<Term> {
        match term {
            Term::Build(count, ..) if depth == 0 => Some((**count).clone()),
            Term::Build(_, index, body) => {
                self.size_at(body, depth - 1).filter(|size| size.uses(*index) == 0)
            }
            Term::Var(sym) => {
                let size = self.sizes.get(&(*sym, depth))?;
                size.free().iter().all(|sym| self.scope.contains(sym)).then(|| size.clone())
            }
            Term::Prim(Prim::Index, args) => self.size_at(args.first()?, depth + 1),
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Let(..)
            | Term::If(..)
            | Term::Fold(_) => None,
        }
    }

    /// Notes the sizes of a variable that has this value.
    pub(super) fn note_sizes(&mut self, sym: Sym, value: &Term) {
        let sizes = (0..DEEPEST).map_while(|depth| self.size_at(value, depth)).enumerate();
        let sizes: Vec<_> = sizes.filter(|(_, size)| size.is_atom()).collect();
        self.sizes.extend(sizes.into_iter().map(|(depth, size)| ((sym, depth), size)));
    }
}

/// So deep are the sizes of rows followed.
const DEEPEST: usize = 4;

/// `deltaVec(n, e, x)`
fn delta(size: Term, at: Term, x: Term) -> Term {
    if x.is(Op::Zero) { x } else { op(Op::DeltaVec, vec![size, at, x]) }
}

/// Whether the value of a term is made of one-hot vectors, which a sum need not go through.
fn holds_one_hot(term: &Term) -> bool {
    match term {
        Term::Op(name, _) => *name == Op::DeltaVec,
        Term::Tuple(items) | Term::Prim(Prim::Add | Prim::Sum, items) => {
            items.iter().any(holds_one_hot)
        }
        Term::Let(_, _, body) | Term::Build(_, _, body) => holds_one_hot(body),
        Term::If(_, then, other) => holds_one_hot(then) || holds_one_hot(other),
        Term::Lit(_)
        | Term::Var(_)
        | Term::Prim(..)
        | Term::Call(..)
        | Term::Proj(..)
        | Term::Array(_)
        | Term::Fold(_) => false,
    }
}
