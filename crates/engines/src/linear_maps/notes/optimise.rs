//! The optimiser: the laws everywhere, linear maps inlined where that repeats little, unused bindings
//! dropped.
//!
//! The notes inline every `∂x` at each of its uses, which for n chained squarings gives 2ⁿ copies.
//! Here a map that is used more than once is inlined if it is small, after its numbers have been given
//! names; any other stays a binder, `let ∂x = m in b`, in the form `b' ∘ (1 × m)` in which `∂x` is `π₂`:
//! so transposing it accumulates at the binder, `(1 ⋈ mᵀ) ∘ b'ᵀ`.

use std::collections::{BTreeMap, BTreeSet};

use super::anf::wrap;
use super::laws::{SMALL, choose, float, is_cheap, is_cheap_by_element, unlet, whole_numbers};
use super::term::{
    Book, FoldKind, Form, Function, Op, Sym, Term, compose, let_, lm_one, lm_zero, op, prim, var,
};
use super::vectors::{component, gathered, plus};
use pullback_lambda::Lit;
use pullback_prim::Prim;

/// A function with its body optimised.
pub fn optimise(book: &mut Book, function: &Function) -> Function {
    let function = super::nabla::refreshed(book, function);
    book.scope = function.params.iter().copied().collect();
    let body = optimised(book, &function.body);
    // What the first pass has put together may be simplified further.
    let body = optimised(book, &body);
    book.scope.clear();
    Function { params: function.params, body }
}

/// A term optimised.
pub fn optimised(book: &mut Book, term: &Term) -> Term {
    let mut pass = Pass { book, inlined: BTreeMap::new() };
    let body = pass.term(term);
    tidy(body)
}

struct Pass<'b> {
    book: &'b mut Book,
    /// Bindings to be inlined.
    inlined: BTreeMap<Sym, Term>,
}

/// Whether a term is a linear map.
pub(in crate::linear_maps) fn is_map(book: &Book, term: &Term) -> bool {
    match term {
        Term::Var(sym) => book.known(*sym).of.is_some(),
        Term::Call(_, form, _) => matches!(form, Form::Jacobian | Form::Transposed),
        Term::Op(name, _) => !matches!(
            name,
            Op::Zero
                | Op::LmApply
                | Op::LmReverseApply
                | Op::DeltaVec
                | Op::Here
                | Op::Stop
                | Op::Unzip
        ),
        Term::Let(_, _, body) => is_map(book, body),
        Term::If(_, then, _) => is_map(book, then),
        Term::Fold(fold) => matches!(fold.kind, FoldKind::Map(_)),
        Term::Lit(_)
        | Term::Prim(..)
        | Term::Tuple(_)
        | Term::Proj(..)
        | Term::Array(_)
        | Term::Build(..) => false,
    }
}

impl Pass<'_> {
    fn terms(&mut self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|term| self.term(term)).collect()
    }

    fn term(&mut self, term: &Term) -> Term {
        match term {
            Term::Lit(_) => term.clone(),
            Term::Var(sym) => match self.inlined.get(sym).cloned() {
                Some(value) => self.book.copy(&value),
                None => term.clone(),
            },
            Term::Let(sym, value, body) => self.binding(*sym, value, body),
            Term::Op(name, args) => {
                let args = self.terms(args);
                self.book.op(*name, args)
            }
            Term::Prim(name, args) => {
                let (bindings, args) = float(self.terms(args));
                let result = match (name, args.as_slice()) {
                    (Prim::Size, [vector]) => self.book.size_of(vector),
                    (Prim::Dim, [array, Term::Lit(Lit::Int(depth))]) => {
                        let known = self.book.size_at(array, *depth as usize);
                        known.unwrap_or_else(|| primitive(*name, args))
                    }
                    (Prim::Sum, [items]) => self.book.total(items.clone()),
                    _ => primitive(*name, args),
                };
                wrap(bindings, result)
            }
            Term::Call(def, form, args) => {
                let (bindings, args) = float(self.terms(args));
                wrap(bindings, Term::Call(*def, *form, args))
            }
            Term::Tuple(items) => {
                let (bindings, items) = float(self.terms(items));
                wrap(bindings, gathered(items, Term::Tuple))
            }
            Term::Array(items) => {
                let (bindings, items) = float(self.terms(items));
                wrap(bindings, gathered(items, Term::Array))
            }
            Term::Proj(base, index, count) => {
                let mut bindings = vec![];
                let base = unlet(self.term(base), &mut bindings);
                wrap(bindings, component(base, *index, *count))
            }
            Term::If(cond, then, other) => {
                let mut bindings = vec![];
                let cond = unlet(self.term(cond), &mut bindings);
                let then = self.term(then);
                wrap(bindings, choose(cond, then, self.term(other)))
            }
            Term::Build(count, index, body) => {
                let mut bindings = vec![];
                let count = unlet(self.term(count), &mut bindings);
                self.book.bounds.insert(*index, count.clone());
                let body = self.term(body);
                wrap(bindings, self.book.built(count, *index, body))
            }
            Term::Fold(fold) => {
                let mut bindings = vec![];
                let mut fold = fold.clone();
                fold.for_each_outside(&mut |part| *part = unlet(self.term(part), &mut bindings));
                fold.for_each_inside(&mut |part| *part = self.term(part));
                wrap(bindings, Term::Fold(fold))
            }
        }
    }

    fn binding(&mut self, sym: Sym, value: &Term, body: &Term) -> Term {
        let mut bindings = vec![];
        let value = unlet(self.term(value), &mut bindings);
        let (uses, weight) = (body.uses(sym), weight(body, sym));
        let by_element = is_cheap_by_element(&value);
        let cheap = is_cheap(&value) || (by_element && weight <= uses);
        let once = uses <= 1 && (by_element || weight <= 1);
        if value.is_atom() {
            self.inlined.insert(sym, value);
        } else if !is_map(self.book, &value) {
            self.book.note_sizes(sym, &value);
            bindings.push((sym, value));
        } else if once || (cheap && value.size() <= SMALL) {
            self.inlined.insert(sym, value);
        } else {
            let value = self.with_names(value, &mut bindings);
            if cheap && value.size() <= SMALL {
                self.inlined.insert(sym, value);
            } else if let Some(rebased) = self.rebased(body, sym, &mut BTreeSet::new()) {
                // let ∂x = m in b = b' ∘ (1 × m)
                let body = self.inside(&bindings, &rebased);
                let pair = op(Op::LmVCat, vec![lm_one(), value]);
                return wrap(bindings, self.book.op(Op::LmCompose, vec![body, pair]));
            } else {
                bindings.push((sym, value));
            }
        }
        let body = self.inside(&bindings, body);
        wrap(bindings, body)
    }

    /// A term where these variables are bound.
    fn inside(&mut self, bindings: &[(Sym, Term)], body: &Term) -> Term {
        let outer = self.book.scope.clone();
        self.book.scope.extend(bindings.iter().map(|(sym, _)| *sym));
        let body = self.term(body);
        self.book.scope = outer;
        body
    }

    /// A map whose numbers are atoms, which are bound before.
    fn with_names(&mut self, map: Term, bindings: &mut Vec<(Sym, Term)>) -> Term {
        let mut inside = BTreeSet::new();
        map.visit(&mut |node| inside.extend(node.binders()));
        self.named(map, &inside, bindings)
    }

    fn named(
        &mut self,
        mut term: Term,
        inside: &BTreeSet<Sym>,
        bindings: &mut Vec<(Sym, Term)>,
    ) -> Term {
        let vectors = matches!(term, Term::Array(_) | Term::Build(..) | Term::Let(..));
        if vectors || is_map(self.book, &term) {
            if !matches!(term, Term::Fold(_)) {
                term.for_each_child_mut(&mut |child| {
                    let taken = std::mem::replace(child, lm_zero());
                    *child = self.named(taken, inside, bindings);
                });
            }
            return term;
        }
        if term.is_atom() || term.free().iter().any(|sym| inside.contains(sym)) {
            return term;
        }
        let sym = self.book.fresh("k", true);
        bindings.push((sym, term));
        var(sym)
    }

    /// A map from `(s, x)` instead of `s`, in which `∂x` is the second part; `own` are the maps that are
    /// bound in it. `None` if it uses maps in a way that `∇` does not give.
    fn rebased(&self, map: &Term, sym: Sym, own: &mut BTreeSet<Sym>) -> Option<Term> {
        let first = || op(Op::LmHCat, vec![lm_one(), lm_zero()]);
        Some(match map {
            Term::Var(name) if *name == sym => op(Op::LmHCat, vec![lm_zero(), lm_one()]),
            Term::Var(name) if own.contains(name) => map.clone(),
            Term::Var(_) => compose(map.clone(), first()),
            Term::Let(name, value, body) => {
                let mut value = (**value).clone();
                if is_map(self.book, &value) {
                    value = self.rebased(&value, sym, own)?;
                    own.insert(*name);
                }
                let_(*name, value, self.rebased(body, sym, own)?)
            }
            Term::If(cond, then, other) => {
                let then = self.rebased(then, sym, own)?;
                let other = self.rebased(other, sym, own)?;
                Term::If(cond.clone(), Box::new(then), Box::new(other))
            }
            Term::Op(Op::LmZero, _) => map.clone(),
            // The outer part starts where the inner one ends, so only the inner one moves.
            Term::Op(Op::LmCompose, parts) if parts[0].uses(sym) == 0 => {
                compose(parts[0].clone(), self.rebased(&parts[1], sym, own)?)
            }
            Term::Op(name @ (Op::LmAdd | Op::LmVCat), parts) => {
                op(*name, self.all_rebased(parts, sym, own)?)
            }
            Term::Op(name @ (Op::LmVCatV | Op::LmLambda), parts) => match parts.as_slice() {
                [Term::Build(count, index, body)] => {
                    let body = Box::new(self.rebased(body, sym, own)?);
                    op(*name, vec![Term::Build(count.clone(), *index, body)])
                }
                [Term::Array(items)] => {
                    op(*name, vec![Term::Array(self.all_rebased(items, sym, own)?)])
                }
                _ => return None,
            },
            Term::Lit(_)
            | Term::Prim(..)
            | Term::Op(..)
            | Term::Call(..)
            | Term::Tuple(_)
            | Term::Proj(..)
            | Term::Array(_)
            | Term::Build(..)
            | Term::Fold(_) => {
                let stays = is_map(self.book, map) && !self.mentions(map);
                return stays.then(|| compose(map.clone(), first()));
            }
        })
    }

    fn all_rebased(&self, items: &[Term], sym: Sym, own: &mut BTreeSet<Sym>) -> Option<Vec<Term>> {
        items.iter().map(|item| self.rebased(item, sym, own)).collect()
    }

    /// Whether a term mentions maps that are bound outside of it.
    fn mentions(&self, term: &Term) -> bool {
        term.free().iter().any(|name| self.book.known(*name).of.is_some())
    }
}

/// A primitive on vectors that may be structurally zero.
fn primitive(name: Prim, mut args: Vec<Term>) -> Term {
    let zero = |term: &Term| term.is(Op::Zero);
    match (name, args.as_slice()) {
        (Prim::Add, [_, _]) => {
            let b = args.remove(1);
            plus(args.remove(0), b)
        }
        (Prim::Mul, [a, b]) if zero(a) || zero(b) => op(Op::Zero, vec![]),
        (Prim::Update, [a, _, x]) if zero(a) && zero(x) => op(Op::Zero, vec![]),
        (Prim::Sum | Prim::Index, [a, ..]) if zero(a) => op(Op::Zero, vec![]),
        // A negative exponent is a constant too.
        (Prim::IntNeg, [_]) => whole_numbers(name, args),
        _ => prim(name, args),
    }
}

/// Drops bindings that are not used, and inlines those used once where that repeats no work.
pub(super) fn tidy(mut term: Term) -> Term {
    term.for_each_child_mut(&mut |child| {
        let taken = std::mem::replace(child, lm_zero());
        *child = tidy(taken);
    });
    let Term::Let(sym, value, body) = term else { return term };
    match weight(&body, sym) {
        0 => *body,
        1 => {
            let by = BTreeMap::from([(sym, *value)]);
            let mut body = *body;
            substitute(&mut body, &by);
            body
        }
        _ => Term::Let(sym, value, body),
    }
}

/// How often a variable is used; twice where it is used inside something that runs many times.
fn weight(term: &Term, sym: Sym) -> usize {
    let mut count = usize::from(*term == Term::Var(sym));
    let many = matches!(term, Term::Build(..) | Term::Fold(_));
    term.for_each_child(&mut |child| count += weight(child, sym));
    if many { count * 2 } else { count }
}

/// Replaces variables that occur once.
fn substitute(term: &mut Term, by: &BTreeMap<Sym, Term>) {
    if let Term::Var(sym) = term
        && let Some(value) = by.get(sym)
    {
        *term = value.clone();
        return;
    }
    term.for_each_child_mut(&mut |child| substitute(child, by));
}
