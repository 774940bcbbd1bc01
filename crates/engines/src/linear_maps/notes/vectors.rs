//! The operations of vector spaces on terms, with structural zeros left out and one-hot vectors kept as
//! such.

use std::collections::BTreeMap;

use pullback_prim::Prim;

use super::anf::wrap;
use super::laws::{float, is_zero, one_hot};
use super::term::{Book, Op, Sym, Term, build, op, prim, proj, var};

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
        let Term::Build(count, index, body) = items else {
            return prim(Prim::Sum, vec![items]);
        };
        // Σᵢ (x, y) = (Σᵢ x, Σᵢ y)
        if let Term::Tuple(parts) = *body {
            let sums = parts.into_iter().map(|part| {
                let fresh = self.fresh_index(index);
                let by = BTreeMap::from([(index, var(fresh))]);
                let part = self.replace(&part, &by);
                let built = self.built((*count).clone(), fresh, part);
                self.summed(built)
            });
            return Term::Tuple(sums.collect());
        }
        // Σᵢ (if i == e then x else 0) = x[i := e], as 0 ≤ e < n
        if let Some((at, x)) = one_hot(index, &body) {
            return self.replace(x, &BTreeMap::from([(index, at.clone())]));
        }
        // Σᵢ deltaVec(n, i, x) = build(n, λi. x)
        if let Some([size, at, x]) = body.args_of(Op::DeltaVec)
            && *at == Term::Var(index)
            && *size == *count
        {
            return build(*count, index, x.clone());
        }
        prim(Prim::Sum, vec![build(*count, index, *body)])
    }

    fn fresh_index(&mut self, of: Sym) -> Sym {
        let name = self.known(of).name.clone();
        self.fresh(&name, false)
    }

    /// `sz(v)`, by what is known of `v`.
    pub(super) fn size_of(&self, term: &Term) -> Term {
        if let Term::Build(count, _, _) = term {
            return (**count).clone();
        }
        if let Term::Var(sym) = term
            && let Some(size) = self.sizes.get(sym)
            && size.free().iter().all(|sym| self.scope.contains(sym))
        {
            return size.clone();
        }
        prim(Prim::Size, vec![term.clone()])
    }
}
