//! The laws of linear maps (figures 4 and 5) as smart constructors: each builds the operator it is
//! named after, or what a law makes of it, one law a line.
//!
//! Beside the laws as printed there are the two that figure 4 lacks, `1 ⊕ S(k) = S(1 + k)` and
//! `m ∘ (a ⊕ b) = (m ∘ a) ⊕ (m ∘ b)`; the sum of a one-hot vector, for an index inside its bounds; and
//! `(S(a) ∘ m) ⊕ (S(b) ∘ m) = S(a + b) ∘ m`. Laws that repeat a map repeat only small ones ([`SMALL`]).

use std::collections::BTreeMap;

use pullback_lambda::Lit;
use pullback_prim::{Class, Prim, Scalar, Term as Partial};

use super::anf::wrap;
use super::nabla::{selection, structural};
use super::polytransposed::turned;
use super::term::{
    Book, Form, Op, Sym, Term, if_, int, lm_one, lm_scale, lm_zero, op, prim, real, var,
};

/// The most nodes of a map that a law may repeat.
pub(super) const SMALL: usize = 8;

fn small(map: &Term) -> bool {
    map.size() <= SMALL && is_cheap(map)
}

/// Whether a map may be applied several times for the price of the names in it: no call, no fold, no
/// vector but a one-hot one.
pub(super) fn is_cheap(map: &Term) -> bool {
    costs_little(map, &[Op::LmHCatV, Op::LmVCatV])
}

/// As [`is_cheap`], where vectors that are built may be read element by element.
pub(super) fn is_cheap_by_element(map: &Term) -> bool {
    costs_little(map, &[Op::LmHCatV])
}

fn costs_little(map: &Term, dear: &[Op]) -> bool {
    let whole = |part: &Term| {
        let Term::Op(name, items) = part else { return false };
        let built = items.first().is_some_and(
            |items| matches!(items, Term::Build(_, index, body) if one_hot(*index, body).is_none()),
        );
        dear.contains(name) && built
    };
    let mut cheap = true;
    map.visit(&mut |part| {
        cheap &= !whole(part) && !matches!(part, Term::Call(..) | Term::Fold(_));
    });
    cheap
}

/// Takes `let`s from around the arguments of an operation.
pub(super) fn float(args: Vec<Term>) -> (Vec<(Sym, Term)>, Vec<Term>) {
    let mut bindings = vec![];
    let args = args.into_iter().map(|arg| unlet(arg, &mut bindings)).collect();
    (bindings, args)
}

/// The body under the `let`s of a term.
pub(super) fn unlet(mut term: Term, bindings: &mut Vec<(Sym, Term)>) -> Term {
    while let Term::Let(sym, value, body) = term {
        bindings.push((sym, *value));
        term = *body;
    }
    term
}

pub(super) fn is_zero(term: &Term) -> bool {
    term.is(Op::Zero) || term.is(Op::LmZero)
}

/// `0 ≤ j < n ⊢ if j == e then b else 0`: the index `e` and the body.
pub(super) fn one_hot(index: Sym, body: &Term) -> Option<(&Term, &Term)> {
    let Term::If(cond, then, other) = body else { return None };
    let [Term::Var(sym), at] = cond.args_of(Op::Here)? else { return None };
    (*sym == index && is_zero(other) && at.uses(index) == 0).then_some((at, &**then))
}

/// The index that `H(build(n, λj. if j == e then 1 else 0))` picks.
fn picked(items: &Term) -> Option<&Term> {
    let Term::Build(_, index, body) = items else { return None };
    one_hot(*index, body).filter(|(_, body)| body.is(Op::LmOne)).map(|(at, _)| at)
}

impl Book {
    /// An operator, by the laws.
    pub fn op(&mut self, name: Op, args: Vec<Term>) -> Term {
        let (bindings, mut args) = float(args);
        let mut next = || args.remove(0);
        let result = match name {
            Op::LmCompose => {
                let (m, n) = (next(), next());
                self.compose(m, n)
            }
            Op::LmAdd => {
                let (m, n) = (next(), next());
                self.add_maps(m, n)
            }
            Op::LmTranspose => {
                let m = next();
                self.transpose(m)
            }
            Op::LmApply => {
                let (m, x) = (next(), next());
                self.apply(m, x)
            }
            Op::LmReverseApply => {
                let (r, m) = (next(), next());
                // r ⊙ᴿ m = mᵀ ⊙ r
                let m = self.transpose(m);
                self.op(Op::LmApply, vec![m, r])
            }
            Op::D(name) => self.derivative(name, &args),
            Op::DProj(index, count) => selection(index, count),
            Op::LmVCat | Op::LmHCat if args.iter().all(is_zero) => lm_zero(),
            Op::LmVCatV | Op::LmHCatV | Op::LmLambda | Op::LmLambdaT if zero_items(&args) => {
                lm_zero()
            }
            Op::Zero
            | Op::LmZero
            | Op::LmOne
            | Op::LmScale
            | Op::LmVCat
            | Op::LmHCat
            | Op::LmVCatV
            | Op::LmHCatV
            | Op::LmLambda
            | Op::LmLambdaT
            | Op::LmOmit
            | Op::DeltaVec
            | Op::Here
            | Op::Stop
            | Op::Unzip => op(name, args),
        };
        wrap(bindings, result)
    }

    /// `m ∘ n`, with a copy of `m`.
    fn after_copy(&mut self, m: &Term, n: Term) -> Term {
        let m = self.copy(m);
        self.op(Op::LmCompose, vec![m, n])
    }

    /// `m ∘ n`, with a copy of `n`.
    fn before_copy(&mut self, m: Term, n: &Term) -> Term {
        let n = self.copy(n);
        self.op(Op::LmCompose, vec![m, n])
    }

    fn sum_of_maps(&mut self, terms: Vec<Term>) -> Term {
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_else(lm_zero);
        terms.fold(first, |total, term| self.op(Op::LmAdd, vec![total, term]))
    }

    /// `m ∘ n`
    fn compose(&mut self, m: Term, n: Term) -> Term {
        match (m, n) {
            // 0 ∘ m = 0, m ∘ 0 = 0
            (m, n) if is_zero(&m) || is_zero(&n) => lm_zero(),
            // 1 ∘ m = m
            (m, n) if m.is(Op::LmOne) => n,
            // m ∘ 1 = m
            (m, n) if n.is(Op::LmOne) => m,
            // (a ∘ b) ∘ n = a ∘ (b ∘ n)
            (Term::Op(Op::LmCompose, mut pair), n) if pair.len() == 2 => {
                let b = pair.remove(1);
                let inner = self.op(Op::LmCompose, vec![b, n]);
                self.op(Op::LmCompose, vec![pair.remove(0), inner])
            }
            // S(k₁) ∘ S(k₂) = S(k₁ * k₂)
            (Term::Op(Op::LmScale, mut a), Term::Op(Op::LmScale, mut b)) => {
                lm_scale(prim(Prim::Mul, vec![a.remove(0), b.remove(0)]))
            }
            // S(k₁) ∘ (S(k₂) ∘ m) = S(k₁ * k₂) ∘ m
            (Term::Op(Op::LmScale, mut a), Term::Op(Op::LmCompose, mut b))
                if b[0].is(Op::LmScale) =>
            {
                let m = b.remove(1);
                let Term::Op(_, mut k) = b.remove(0) else { return lm_zero() };
                let k = lm_scale(prim(Prim::Mul, vec![a.remove(0), k.remove(0)]));
                self.compose(k, m)
            }
            // (m₁ ⋈ m₂) ∘ (n₁ × n₂) = (m₁ ∘ n₁) ⊕ (m₂ ∘ n₂)
            (Term::Op(Op::LmHCat, ms), Term::Op(Op::LmVCat, ns)) if ms.len() == ns.len() => {
                let pairs = ms.into_iter().zip(ns);
                let terms: Vec<Term> =
                    pairs.map(|(m, n)| self.op(Op::LmCompose, vec![m, n])).collect();
                self.sum_of_maps(terms)
            }
            // m ∘ (a ⊕ b) = (m ∘ a) ⊕ (m ∘ b)
            (m, Term::Op(Op::LmAdd, terms)) if small(&m) => {
                let terms = terms.into_iter().map(|n| self.after_copy(&m, n)).collect();
                self.sum_of_maps(terms)
            }
            // (a ⊕ b) ∘ n = (a ∘ n) ⊕ (b ∘ n)
            (Term::Op(Op::LmAdd, terms), n) if small(&n) => {
                let terms = terms.into_iter().map(|m| self.before_copy(m, &n)).collect();
                self.sum_of_maps(terms)
            }
            // (m₁ × m₂) ∘ n = (m₁ ∘ n) × (m₂ ∘ n)
            (Term::Op(Op::LmVCat, ms), n) if small(&n) => {
                let ms = ms.into_iter().map(|m| self.before_copy(m, &n)).collect();
                self.op(Op::LmVCat, ms)
            }
            // m ∘ (n₁ ⋈ n₂) = (m ∘ n₁) ⋈ (m ∘ n₂)
            (m, Term::Op(Op::LmHCat, ns)) if small(&m) => {
                let ns = ns.into_iter().map(|n| self.after_copy(&m, n)).collect();
                self.op(Op::LmHCat, ns)
            }
            (m, n) => self.compose_vectors(m, n),
        }
    }

    /// The vector versions, and conditionals.
    fn compose_vectors(&mut self, m: Term, n: Term) -> Term {
        match (m, n) {
            // H(one-hot at e) ∘ V(build(n, λi. m)) = m[i := e]
            (Term::Op(Op::LmHCatV, h), Term::Op(Op::LmVCatV, v)) if picked(&h[0]).is_some() => {
                let element = picked(&h[0]).and_then(|at| self.element(&v[0], at));
                element.unwrap_or_else(|| {
                    op(Op::LmCompose, vec![op(Op::LmHCatV, h), op(Op::LmVCatV, v)])
                })
            }
            // V(build(n, λi. m)) ∘ n = V(build(n, λi. m ∘ n)), and m ∘ H(build(n, λi. n)) likewise
            (Term::Op(Op::LmVCatV, v), n) if small(&n) && mappable(&v[0]) => {
                self.map_items(Op::LmVCatV, v, |book, m| book.before_copy(m, &n))
            }
            (m, Term::Op(Op::LmHCatV, v)) if small(&m) && mappable(&v[0]) => {
                self.map_items(Op::LmHCatV, v, |book, n| book.after_copy(&m, n))
            }
            // S(k) ∘ V(build(n, λi. m)) = V(build(n, λi. S(k) ∘ m))
            (m, Term::Op(Op::LmVCatV, v))
                if m.args_of(Op::LmScale).is_some_and(|k| k[0].is_atom()) && mappable(&v[0]) =>
            {
                self.map_items(Op::LmVCatV, v, |book, n| book.op(Op::LmCompose, vec![m.clone(), n]))
            }
            // (if c then a else b) ∘ n = if c then a ∘ n else b ∘ n
            (Term::If(cond, a, b), n) if small(&n) => {
                let [a, b] = [a, b].map(|m| self.before_copy(*m, &n));
                choose(*cond, a, b)
            }
            (m, Term::If(cond, a, b)) if small(&m) => {
                let [a, b] = [a, b].map(|n| self.after_copy(&m, *n));
                choose(*cond, a, b)
            }
            (m, n) => op(Op::LmCompose, vec![m, n]),
        }
    }

    /// `v[at]` for a vector that is written out or built.
    pub(in crate::linear_maps) fn element(&mut self, items: &Term, at: &Term) -> Option<Term> {
        if let Term::Build(_, index, body) = items {
            let by = BTreeMap::from([(*index, at.clone())]);
            return Some(self.replace(body, &by));
        }
        let Term::Array(items) = items else { return None };
        let Term::Lit(Lit::Int(at)) = at else { return None };
        items.get(usize::try_from(*at).ok()?).cloned()
    }

    fn map_items(
        &mut self,
        name: Op,
        mut items: Vec<Term>,
        mut each: impl FnMut(&mut Self, Term) -> Term,
    ) -> Term {
        let items = match items.remove(0) {
            Term::Build(count, index, body) => {
                let body = each(self, *body);
                Term::Build(count, index, Box::new(body))
            }
            Term::Array(items) => {
                Term::Array(items.into_iter().map(|item| each(self, item)).collect())
            }
            other @ Term::Lit(_)
            | other @ Term::Var(_)
            | other @ Term::Prim(..)
            | other @ Term::Op(..)
            | other @ Term::Call(..)
            | other @ Term::Tuple(_)
            | other @ Term::Proj(..)
            | other @ Term::Let(..)
            | other @ Term::If(..)
            | other @ Term::Fold(_) => other,
        };
        self.op(name, vec![items])
    }

    /// `m ⊕ n`
    fn add_maps(&mut self, m: Term, n: Term) -> Term {
        let mut terms = vec![];
        for term in summands(m).into_iter().chain(summands(n)) {
            // m ⊕ 0 = m, 0 ⊕ m = m
            if is_zero(&term) {
                continue;
            }
            let merged = (0..terms.len()).find_map(|at| {
                let found = self.merge(&terms[at], &term)?;
                Some((at, found))
            });
            match merged {
                Some((at, found)) => terms[at] = found,
                None => terms.push(term),
            }
        }
        let mut terms = terms.into_iter();
        let Some(first) = terms.next() else { return lm_zero() };
        terms.fold(first, |total, term| op(Op::LmAdd, vec![total, term]))
    }

    /// Two summands as one.
    fn merge(&mut self, m: &Term, n: &Term) -> Option<Term> {
        let ((k1, base1), (k2, base2)) = (factor(m), factor(n));
        // S(k₁) ⊕ S(k₂) = S(k₁ + k₂), 1 ⊕ S(k) = S(1 + k), and before a common map
        if base1 == base2 {
            let k = lm_scale(prim(Prim::Add, vec![k1, k2]));
            return Some(match base1 {
                Some(base) => op(Op::LmCompose, vec![k, base.clone()]),
                None => k,
            });
        }
        match (m, n) {
            // (a ⋈ b) ⊕ (c ⋈ d) = (a ⊕ c) ⋈ (b ⊕ d), and × likewise
            (Term::Op(name @ (Op::LmHCat | Op::LmVCat), ms), Term::Op(other, ns))
                if name == other && ms.len() == ns.len() =>
            {
                let pairs: Vec<_> = ms.iter().cloned().zip(ns.iter().cloned()).collect();
                let parts =
                    pairs.into_iter().map(|(m, n)| self.op(Op::LmAdd, vec![m, n])).collect();
                Some(self.op(*name, parts))
            }
            (Term::Op(name @ (Op::LmHCatV | Op::LmVCatV), ms), Term::Op(other, ns))
                if name == other =>
            {
                let [Term::Build(count, index, body)] = ms.as_slice() else { return None };
                let [Term::Build(count_n, ..)] = ns.as_slice() else { return None };
                if count != count_n {
                    return None;
                }
                let second = self.element(&ns[0], &var(*index))?;
                // One-hot vectors stay one-hot: they are merged if they are so at one place only.
                let places = [body, &second].map(|body| one_hot(*index, body).map(|(at, _)| at));
                if places[0] != places[1] {
                    return None;
                }
                let body = self.op(Op::LmAdd, vec![(**body).clone(), second]);
                Some(op(*name, vec![Term::Build(count.clone(), *index, Box::new(body))]))
            }
            // (if c then a else b) ⊕ (if c then d else e) = if c then a ⊕ d else b ⊕ e
            (Term::If(cond, a, b), Term::If(same, c, d)) if cond == same => {
                let then = self.op(Op::LmAdd, vec![(**a).clone(), (**c).clone()]);
                let other = self.op(Op::LmAdd, vec![(**b).clone(), (**d).clone()]);
                Some(choose((**cond).clone(), then, other))
            }
            _ => None,
        }
    }

    /// `mᵀ` (figure 5)
    fn transpose(&mut self, map: Term) -> Term {
        match map {
            Term::Op(name, mut args) => match name {
                // 0ᵀ = 0, 1ᵀ = 1, S(k)ᵀ = S(k), and a diagonal of ones and a zero likewise
                Op::LmZero | Op::LmOne | Op::LmScale | Op::LmOmit => op(name, args),
                // (mᵀ)ᵀ = m
                Op::LmTranspose => args.remove(0),
                // (m ∘ n)ᵀ = nᵀ ∘ mᵀ
                Op::LmCompose => {
                    let n = self.op(Op::LmTranspose, vec![args.remove(1)]);
                    let m = self.op(Op::LmTranspose, vec![args.remove(0)]);
                    self.op(Op::LmCompose, vec![n, m])
                }
                // (m ⊕ n)ᵀ = mᵀ ⊕ nᵀ, (m × n)ᵀ = mᵀ ⋈ nᵀ, (m ⋈ n)ᵀ = mᵀ × nᵀ
                Op::LmAdd | Op::LmVCat | Op::LmHCat => self.transposed(turned(name), args),
                // V(v)ᵀ = H(map (·)ᵀ v), H(v)ᵀ = V(map (·)ᵀ v), L(λi. m)ᵀ = L'(λi. mᵀ), L'(λi. m)ᵀ = L(λi. mᵀ)
                Op::LmVCatV | Op::LmHCatV | Op::LmLambda | Op::LmLambdaT if mappable(&args[0]) => {
                    self.transposed_items(turned(name), args)
                }
                Op::Zero
                | Op::LmVCatV
                | Op::LmHCatV
                | Op::LmLambda
                | Op::LmLambdaT
                | Op::LmApply
                | Op::LmReverseApply
                | Op::D(_)
                | Op::DProj(..)
                | Op::DeltaVec
                | Op::Here
                | Op::Stop
                | Op::Unzip => op(Op::LmTranspose, vec![op(name, args)]),
            },
            // ∂f(e)ᵀ = ∂ᴿf(e)
            Term::Call(def, Form::Jacobian, args) => Term::Call(def, Form::Transposed, args),
            Term::Call(def, Form::Transposed, args) => Term::Call(def, Form::Jacobian, args),
            Term::If(cond, a, b) => {
                let a = self.op(Op::LmTranspose, vec![*a]);
                choose(*cond, a, self.op(Op::LmTranspose, vec![*b]))
            }
            other @ Term::Lit(_)
            | other @ Term::Var(_)
            | other @ Term::Prim(..)
            | other @ Term::Call(..)
            | other @ Term::Tuple(_)
            | other @ Term::Proj(..)
            | other @ Term::Array(_)
            | other @ Term::Let(..)
            | other @ Term::Build(..)
            | other @ Term::Fold(_) => op(Op::LmTranspose, vec![other]),
        }
    }

    fn transposed(&mut self, name: Op, args: Vec<Term>) -> Term {
        let args = args.into_iter().map(|arg| self.op(Op::LmTranspose, vec![arg])).collect();
        self.op(name, args)
    }

    fn transposed_items(&mut self, name: Op, args: Vec<Term>) -> Term {
        self.map_items(name, args, |book, item| book.op(Op::LmTranspose, vec![item]))
    }

    /// `∂p(x, …)` of a primitive: its partial derivatives side by side.
    fn derivative(&mut self, name: Prim, args: &[Term]) -> Term {
        let smooth = match &name.row().class {
            Class::Smooth(smooth) => smooth,
            Class::Structural(moves) => return structural(self, name, *moves, args),
            Class::Discrete | Class::Control | Class::Tell | Class::Fail => return lm_zero(),
        };
        let maps = smooth.partials.iter().map(|partial| match partial {
            Some(partial) => scale_by(partial, name, args),
            None => lm_zero(),
        });
        let mut maps: Vec<Term> = maps.collect();
        if maps.len() == 1 { maps.remove(0) } else { self.op(Op::LmHCat, maps) }
    }
}

/// Whether the elements of a vector are at hand.
pub(super) fn mappable(items: &Term) -> bool {
    matches!(items, Term::Build(..) | Term::Array(_))
}

fn zero_items(args: &[Term]) -> bool {
    match args {
        [Term::Build(_, _, body)] => is_zero(body),
        [Term::Array(items)] => items.iter().all(is_zero),
        _ => false,
    }
}

fn summands(map: Term) -> Vec<Term> {
    let mut found = vec![];
    let mut work = vec![map];
    while let Some(map) = work.pop() {
        if let Term::Op(Op::LmAdd, terms) = map {
            work.extend(terms.into_iter().rev());
        } else {
            found.push(map);
        }
    }
    found
}

/// A map as a scale and the map that is scaled; none is `1`.
fn factor(map: &Term) -> (Term, Option<&Term>) {
    if map.is(Op::LmOne) {
        return (real(1.0), None);
    }
    if let Some([k]) = map.args_of(Op::LmScale) {
        return (k.clone(), None);
    }
    if let Some([k, base]) = map.args_of(Op::LmCompose)
        && let Some([k]) = k.args_of(Op::LmScale)
    {
        return (k.clone(), Some(base));
    }
    (real(1.0), Some(map))
}

/// `if cond then a else b`, where a choice between equal things is none.
pub(super) fn choose(cond: Term, a: Term, b: Term) -> Term {
    if a == b || (is_zero(&a) && is_zero(&b)) { a } else { if_(cond, a, b) }
}

/// `S` of a partial derivative: `1` for one, `0` where it is structurally zero.
fn scale_by(partial: &Partial, name: Prim, args: &[Term]) -> Term {
    match partial {
        Partial::Zero => lm_zero(),
        Partial::Real(1.0) => lm_one(),
        Partial::If(cond, then, other) => {
            let cond = partial_term(cond, name, args);
            if let Term::Lit(Lit::Bool(truth)) = cond {
                return scale_by(if truth { then } else { other }, name, args);
            }
            choose(cond, scale_by(then, name, args), scale_by(other, name, args))
        }
        Partial::Arg(_)
        | Partial::Result
        | Partial::Real(_)
        | Partial::Int(_)
        | Partial::Prim(..) => lm_scale(partial_term(partial, name, args)),
    }
}

/// A primitive, or its value where all arguments are Int constants.
pub(super) fn whole_numbers(name: Prim, args: Vec<Term>) -> Term {
    let ints = args
        .iter()
        .map(|arg| if let Term::Lit(Lit::Int(n)) = arg { Some(Scalar::Int(*n)) } else { None });
    let value = ints.collect::<Option<Vec<_>>>().and_then(|ints| name.eval_scalar(&ints).ok());
    match value {
        Some(Scalar::Int(n)) => int(n),
        Some(Scalar::Real(x)) => real(x),
        Some(Scalar::Bool(truth)) => Term::Lit(Lit::Bool(truth)),
        Some(Scalar::Str(_)) | None => prim(name, args),
    }
}

/// `n * x ^ (n - 1)`, as one writes it.
fn slope_of_power(x: &Term, n: i64) -> Term {
    let power = match n {
        0 => return real(0.0),
        1 => return real(1.0),
        2 => x.clone(),
        n => prim(Prim::PowInt, vec![x.clone(), int(n.saturating_sub(1))]),
    };
    prim(Prim::Mul, vec![real(n as f64), power])
}

/// A partial derivative at these arguments.
fn partial_term(partial: &Partial, name: Prim, args: &[Term]) -> Term {
    match partial {
        Partial::Arg(index) => args[*index].clone(),
        Partial::Result => prim(name, args.to_vec()),
        Partial::Real(x) => real(*x),
        Partial::Int(n) => int(*n),
        Partial::Zero => real(0.0),
        Partial::Prim(inner, terms) => {
            let terms: Vec<Term> =
                terms.iter().map(|term| partial_term(term, name, args)).collect();
            if let (Prim::PowSlope, [x, Term::Lit(Lit::Int(n))]) = (*inner, terms.as_slice()) {
                return slope_of_power(x, *n);
            }
            whole_numbers(*inner, terms)
        }
        Partial::If(cond, then, other) => if_(
            partial_term(cond, name, args),
            partial_term(then, name, args),
            partial_term(other, name, args),
        ),
    }
}
