//! `m ⊙ x` on terms: the semantics of figure 4 from left to right, which eliminates linear maps, with
//! the folds of figures 13 to 15.

use pullback_prim::Prim;

use super::anf::wrap;
use super::laws::{choose, mappable, one_hot};
use super::term::{Book, FoldKind, Form, Op, Term, op, prim, var};
use super::vectors::{component, gathered, plus, simple};

impl Book {
    /// Applies a map to a term.
    pub(super) fn apply(&mut self, map: Term, x: Term) -> Term {
        if map.is(Op::LmZero) || x.is(Op::Zero) {
            // 0 ⊙ x = 0, m ⊙ 0 = 0
            return op(Op::Zero, vec![]);
        }
        if map.is(Op::LmOne) {
            // 1 ⊙ x = x
            return x;
        }
        // Each element of a vector that is built is used once by the elements of a row.
        let fused = matches!(&x, Term::Build(..))
            && map.args_of(Op::LmHCatV).is_some_and(|items| matches!(items[0], Term::Build(..)));
        if !simple(&x) && !fused && !map.is(Op::LmScale) {
            let sym = self.fresh("d", true);
            let applied = self.apply(map, var(sym));
            return wrap(vec![(sym, x)], applied);
        }
        self.apply_simple(map, x)
    }

    fn applied(&mut self, map: Term, x: &Term) -> Term {
        self.op(Op::LmApply, vec![map, x.clone()])
    }

    /// Applies a map to a term that may be repeated.
    fn apply_simple(&mut self, map: Term, x: Term) -> Term {
        match map {
            Term::Op(name, args) => self.apply_operator(name, args, x),
            Term::If(cond, a, b) => {
                let a = self.applied(*a, &x);
                choose(*cond, a, self.applied(*b, &x))
            }
            // ∂f(e) ⊙ x = fwd$f(e, x), ∂ᴿf(e) ⊙ r = rev$f(e, r)
            Term::Call(def, Form::Jacobian, args) => {
                let tangents = self.tangents(def, x);
                Term::Call(def, Form::Forward, args.into_iter().chain(tangents).collect())
            }
            Term::Call(def, Form::Transposed, mut args) => {
                args.push(x);
                Term::Call(def, Form::Reverse, args)
            }
            // lmFold ⊙ (env, dacc) = FFold
            Term::Fold(mut fold) => {
                let FoldKind::Map(map) = fold.kind else {
                    return op(Op::LmApply, vec![Term::Fold(fold), x]);
                };
                let tangent = self.fresh("d", true);
                let environment = component(x.clone(), 0, 2);
                let inside = Term::Tuple(vec![environment, var(tangent)]);
                let body = self.op(Op::LmApply, vec![map, inside]);
                fold.kind = FoldKind::Forward { tangent, body, init: component(x, 1, 2) };
                Term::Fold(fold)
            }
            other @ Term::Lit(_)
            | other @ Term::Var(_)
            | other @ Term::Prim(..)
            | other @ Term::Call(..)
            | other @ Term::Tuple(_)
            | other @ Term::Proj(..)
            | other @ Term::Array(_)
            | other @ Term::Let(..)
            | other @ Term::Build(..) => op(Op::LmApply, vec![other, x]),
        }
    }

    fn apply_operator(&mut self, name: Op, mut args: Vec<Term>, x: Term) -> Term {
        match name {
            // S(k) ⊙ x = k * x
            Op::LmScale => prim(Prim::Mul, vec![args.remove(0), x]),
            // (m ∘ n) ⊙ x = m ⊙ (n ⊙ x)
            Op::LmCompose => {
                let inner = self.applied(args.remove(1), &x);
                self.op(Op::LmApply, vec![args.remove(0), inner])
            }
            // (m ⊕ n) ⊙ x = (m ⊙ x) + (n ⊙ x)
            Op::LmAdd => {
                let terms: Vec<Term> = args.into_iter().map(|m| self.applied(m, &x)).collect();
                sum(terms)
            }
            // (m × n) ⊙ x = (m ⊙ x, n ⊙ x)
            Op::LmVCat => {
                let items = args.into_iter().map(|m| self.applied(m, &x)).collect();
                gathered(items, Term::Tuple)
            }
            // (m ⋈ n) ⊙ (x, y) = (m ⊙ x) + (n ⊙ y)
            Op::LmHCat => {
                let count = args.len();
                let parts = args.into_iter().enumerate();
                let terms = parts.map(|(place, m)| {
                    let part = component(x.clone(), place, count);
                    self.applied(m, &part)
                });
                sum(terms.collect())
            }
            // V(m) ⊙ x = build(sz(m), λi. m[i] ⊙ x), and L
            Op::LmVCatV | Op::LmLambda if mappable(&args[0]) => match args.remove(0) {
                Term::Build(count, index, body) => {
                    let body = self.applied(*body, &x);
                    self.built(*count, index, body)
                }
                Term::Array(items) => {
                    let items = items.into_iter().map(|m| self.applied(m, &x)).collect();
                    gathered(items, Term::Array)
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
                | other @ Term::Fold(_) => op(Op::LmApply, vec![op(name, vec![other]), x]),
            },
            // H(m) ⊙ x = Σᵢ (m[i] ⊙ x[i]), and L'
            Op::LmHCatV | Op::LmLambdaT if mappable(&args[0]) => {
                self.apply_row(name, args.remove(0), x)
            }
            // lmOmit(i) ⊙ x = update(x, i, 0)
            Op::LmOmit => {
                let zero = op(Op::Zero, vec![]);
                prim(Prim::Update, vec![x, args.remove(0), zero])
            }
            // r ⊙ᴿ lmFold = RFold
            Op::LmTranspose => self.apply_transposed(args.remove(0), x),
            Op::Zero
            | Op::LmZero
            | Op::LmOne
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
            | Op::Unzip => op(Op::LmApply, vec![op(name, args), x]),
        }
    }

    /// The tangents of a function's active parameters.
    fn tangents(&self, def: pullback_lambda::DefId, x: Term) -> Vec<Term> {
        let params = self.functions.get(&(def, Form::Original)).map(|function| &function.params);
        let params = params.map_or(&[][..], |params| params);
        if params.len() == 1 {
            return vec![x];
        }
        let active = params.iter().enumerate().filter(|(_, param)| self.known(**param).active);
        active.map(|(place, _)| component(x.clone(), place, params.len())).collect()
    }

    fn apply_row(&mut self, name: Op, items: Term, x: Term) -> Term {
        let element = |book: &mut Self, index: Term| {
            if let Term::Build(_, at, body) = &x {
                let by = std::collections::BTreeMap::from([(*at, index)]);
                return book.replace(body, &by);
            }
            prim(Prim::Index, vec![x.clone(), index])
        };
        match items {
            Term::Build(count, index, body) => {
                // Σᵢ (if i == e then m else 0) ⊙ x[i] = m[i := e] ⊙ x[e], as 0 ≤ e < n
                if let Some((at, then)) = one_hot(index, &body) {
                    let by = std::collections::BTreeMap::from([(index, at.clone())]);
                    let map = self.replace(then, &by);
                    let part = element(self, at.clone());
                    return self.applied(map, &part);
                }
                let part = element(self, var(index));
                let body = self.applied(*body, &part);
                let built = self.built(*count, index, body);
                self.total(built)
            }
            Term::Array(items) => {
                let terms = (0..).zip(items);
                let terms = terms.map(|(place, m)| {
                    let part = element(self, super::term::int(place));
                    self.applied(m, &part)
                });
                sum(terms.collect())
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
            | other @ Term::Fold(_) => op(Op::LmApply, vec![op(name, vec![other]), x]),
        }
    }

    fn apply_transposed(&mut self, map: Term, r: Term) -> Term {
        let Term::Fold(mut fold) = map else {
            return op(Op::LmApply, vec![op(Op::LmTranspose, vec![map]), r]);
        };
        let FoldKind::Map(map) = fold.kind else {
            return op(Op::LmApply, vec![op(Op::LmTranspose, vec![Term::Fold(fold)]), r]);
        };
        let cotangent = self.fresh("r", true);
        let transposed = self.op(Op::LmTranspose, vec![map]);
        let body = self.op(Op::LmApply, vec![transposed, var(cotangent)]);
        fold.kind = FoldKind::Reverse { cotangent, body, last: r };
        Term::Fold(fold)
    }
}

fn sum(terms: Vec<Term>) -> Term {
    let (bindings, terms) = super::laws::float(terms);
    let mut terms = terms.into_iter();
    let first = terms.next().unwrap_or_else(|| op(Op::Zero, vec![]));
    wrap(bindings, terms.fold(first, plus))
}
