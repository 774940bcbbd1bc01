//! `W.R_V(x:T. C)`, as in figure 6.
//!
//! Type: if `Γ[x:T] ⊢ C : U`, `Γ ⊢ V : T` and `Γ ⊢ W : U`, the result has type `T` in `Γ`
//! (Proposition 3.3). Law: it means the reverse-mode derivative of `x ↦ C` at `V`, applied to `W`
//! (Theorem 6.1). The figure's case of `let` differentiates the body twice, so the result may be
//! exponentially large: a bound is given.
//!
//! Instead of `x:T` a tuple of variables may be bound, as in the figure's first case (`y = xᵢ`). Where `V`
//! is what is bound, `let x:T = V in` is left out.

use std::collections::{BTreeMap, BTreeSet};

use pullback_prim::{Prim, Scalar, Term as Partial};

use super::term::{Binder, Supply, Symbol, Term, Test, Ty, Var, operand_type, operands};

/// `W.R_V(x:T. C)` for values `V` and `W`, or nothing if it takes more steps than the bound.
pub fn reverse(
    supply: &mut Supply,
    w: &Term,
    v: &Term,
    x: &Binder,
    trace: &Term,
    bound: usize,
) -> Option<Term> {
    let same = false;
    let mut rules = Reverse { supply, v: v.clone(), x: x.clone(), same, ty: x.ty(), left: bound };
    let result = rules.of(w, trace)?;
    Some(freshen(supply, &result))
}

struct Reverse<'s> {
    supply: &'s mut Supply,
    v: Term,
    x: Binder,
    /// Whether `V` is what is bound.
    same: bool,
    ty: Ty,
    left: usize,
}

impl Reverse<'_> {
    fn of(&mut self, w: &Term, trace: &Term) -> Option<Term> {
        self.left = self.left.checked_sub(1)?;
        stacker::maybe_grow(64 << 10, 1 << 20, || self.cases(w, trace))
    }

    fn cases(&mut self, w: &Term, trace: &Term) -> Option<Term> {
        match trace {
            Term::Var(y) => Some(self.variable(w, *y)),
            Term::Real(_) | Term::Int(_) => Some(self.ty.zero()),
            Term::Op(Symbol { prim: Prim::Add, .. }, items) if items.len() == 2 => {
                let (d, e) = (self.of(w, &items[0])?, self.of(w, &items[1])?);
                Some(self.plus(d, e))
            }
            Term::Op(symbol, args) => {
                let tys = operand_type(args);
                let y = self.supply.fresh("y", tys.clone());
                let inner = self.operands(&Term::Var(y), &tys, args)?;
                let value = Term::Reverse(*symbol, args.clone(), Box::new(w.clone()));
                Some(self.at_v(Term::let_(y, tys, value, inner)))
            }
            // The derivative of op_r is that of what the table says it is.
            Term::Reverse(symbol, args, u) => {
                let expanded = expand(self.supply, *symbol, args, u);
                self.of(w, &expanded)
            }
            Term::Let(y, d, e) => {
                let direct = self.of(w, e)?;
                // W.R_y(y:S. E) is the same transformation for another variable and point.
                let (left, s) = (self.left, y.ty());
                let (x, v, ty) = (y.clone(), y.term(), s.clone());
                let mut by_y = Reverse { supply: self.supply, v, x, same: true, ty, left };
                let e_bar = by_y.of(w, e)?;
                self.left = by_y.left;
                let bar = self.supply.fresh("ȳ", s.clone());
                let through = self.of(&Term::Var(bar), d)?;
                let through = Term::let_(bar, s, e_bar, through);
                let sum = self.plus(direct, through);
                Some(self.at_v(Term::bind(y.clone(), (**d).clone(), sum)))
            }
            Term::Tuple(items) => {
                let tys: Vec<_> = items.iter().map(|item| self.supply.type_of(item)).collect();
                self.components(w, &tys, &items.iter().collect::<Vec<_>>())
            }
            Term::Proj(index, tys, d) => {
                let parts = tys.iter().enumerate();
                let parts = parts.map(|(at, ty)| if at == *index { w.clone() } else { ty.zero() });
                let inner = self.of(&Term::Tuple(parts.collect()), d)?;
                let y = self.supply.fresh("y", Ty::Tuple(tys.clone()));
                let inner = Term::let_(y, Ty::Tuple(tys.clone()), (**d).clone(), inner);
                Some(self.at_v(inner))
            }
            Term::If(test, then, other) => {
                let (then, other) = (self.of(w, then)?, self.of(w, other)?);
                Some(self.at_v(Term::If(test.clone(), Box::new(then), Box::new(other))))
            }
            Term::Letrec(_, _) | Term::Call(_, _) | Term::Rd { .. } => None,
        }
    }

    /// `⟨0, …, W, …, 0⟩` if the variable is one of those bound, or `W` if it is the only one, else `0_T`.
    fn variable(&self, w: &Term, y: Var) -> Term {
        match &self.x {
            Binder::Var(x, _) if *x == y => w.clone(),
            Binder::Tuple(items) if items.iter().any(|(x, _)| *x == y) => {
                let part = |(x, ty): &(Var, Ty)| if *x == y { w.clone() } else { ty.zero() };
                Term::Tuple(items.iter().map(part).collect())
            }
            Binder::Var(_, _) | Binder::Tuple(_) => self.ty.zero(),
        }
    }

    /// The figure binds `x` to `V` around what mentions `x`; where `V` is `x` there is nothing to do.
    fn at_v(&self, body: Term) -> Term {
        if self.same {
            return body;
        }
        Term::bind(self.x.clone(), self.v.clone(), body)
    }

    /// `y.R_V(x:T. ⟨args⟩)` for the argument of an operation, which is of this type.
    fn operands(&mut self, y: &Term, ty: &Ty, args: &[Term]) -> Option<Term> {
        let args = operands(args);
        match (ty, &args[..]) {
            (Ty::Real, [arg]) => self.of(y, arg),
            (Ty::Tuple(tys), _) => self.components(y, tys, &args),
            (Ty::Real, _) => None,
        }
    }

    /// `let ⟨z₀, …⟩ = W in z₀.R_V(x:T. M₀) + …`
    fn components(&mut self, w: &Term, tys: &[Ty], items: &[&Term]) -> Option<Term> {
        let parts: Vec<_> =
            tys.iter().map(|ty| (self.supply.fresh("z", ty.clone()), ty.clone())).collect();
        let mut sum = None;
        for ((part, _), item) in parts.iter().zip(items) {
            let term = self.of(&Term::Var(*part), item)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.plus(sum, term),
            });
        }
        let Some(sum) = sum else { return Some(self.ty.zero()) };
        Some(Term::bind(Binder::Tuple(parts), w.clone(), sum))
    }

    /// `M +_T N`
    fn plus(&mut self, m: Term, n: Term) -> Term {
        let ty = self.ty.clone();
        plus(self.supply, &ty, m, n)
    }
}

/// `M +_T N`, by the structure of `T` (§2).
pub fn plus(supply: &mut Supply, ty: &Ty, m: Term, n: Term) -> Term {
    let Ty::Tuple(items) = ty else { return Term::Op(Prim::Add.into(), vec![m, n]) };
    let mut binder = |name| {
        Binder::Tuple(items.iter().map(|ty| (supply.fresh(name, ty.clone()), ty.clone())).collect())
    };
    let (xs, ys) = (binder("a"), binder("b"));
    let pairs: Vec<_> = xs.vars().zip(ys.vars()).map(|((x, ty), (y, _))| (x, y, ty)).collect();
    let sums = pairs.into_iter().map(|(x, y, ty)| plus(supply, ty, Term::Var(x), Term::Var(y)));
    let sum = Term::Tuple(sums.collect());
    Term::bind(xs, m, Term::bind(ys, n, sum))
}

/// `W.op_r(M₀, …)` in terms of operations, as the table defines it: what is differentiated again.
pub fn expand(supply: &mut Supply, symbol: Symbol, args: &[Term], w: &Term) -> Term {
    let mut bindings = vec![];
    let mut name = |supply: &mut Supply, hint: &str, term: &Term| {
        if matches!(term, Term::Var(_) | Term::Real(_) | Term::Int(_)) {
            return term.clone();
        }
        let var = supply.fresh(hint, Ty::Real);
        bindings.push((var, term.clone()));
        Term::Var(var)
    };
    let args: Vec<_> = args.iter().map(|arg| name(supply, "m", arg)).collect();
    let w = name(supply, "w", w);
    let partials = symbol.prim.row().smooth().map_or(&[][..], |smooth| smooth.partials);
    let uses_result = partials.iter().flatten().any(mentions_result);
    let operation = Term::Op(symbol, args.clone());
    let result = if uses_result { name(supply, "r", &operation) } else { operation };
    let applied = Applied { symbol, args: &args, result: &result };
    let parts = partials.iter().flatten();
    let mut parts: Vec<_> = parts.map(|partial| applied.times(partial, &w)).collect();
    let body = if parts.len() == 1 { parts.remove(0) } else { Term::Tuple(parts) };
    bindings
        .into_iter()
        .rev()
        .fold(body, |body, (var, value)| Term::let_(var, Ty::Real, value, body))
}

fn mentions_result(partial: &Partial) -> bool {
    match partial {
        Partial::Result => true,
        Partial::Prim(_, items) => items.iter().any(mentions_result),
        Partial::If(cond, then, other) => {
            mentions_result(cond) || mentions_result(then) || mentions_result(other)
        }
        Partial::Arg(_) | Partial::Real(_) | Partial::Int(_) | Partial::Zero => false,
    }
}

/// An operation at arguments, in whose terms its partial derivatives are written.
struct Applied<'t> {
    symbol: Symbol,
    args: &'t [Term],
    result: &'t Term,
}

impl Applied<'_> {
    /// A partial derivative times a cotangent; the factors 1 and 0 are left out.
    fn times(&self, partial: &Partial, w: &Term) -> Term {
        match partial {
            Partial::Zero => Term::Real(0.0),
            Partial::Real(1.0) => w.clone(),
            Partial::If(cond, then, other) => {
                let test = self.condition(cond);
                let (then, other) = (self.times(then, w), self.times(other, w));
                match test {
                    Test::Known(truth) => {
                        if truth {
                            then
                        } else {
                            other
                        }
                    }
                    Test::Pred(_, _) | Test::If(_, _, _) => {
                        Term::If(Box::new(test), Box::new(then), Box::new(other))
                    }
                }
            }
            Partial::Arg(_)
            | Partial::Result
            | Partial::Real(_)
            | Partial::Int(_)
            | Partial::Prim(_, _) => {
                let product = self.symbol.in_table(Prim::Mul);
                Term::Op(product, vec![self.factor(partial), w.clone()])
            }
        }
    }

    fn factor(&self, partial: &Partial) -> Term {
        match partial {
            Partial::Arg(index) => self.args[*index].clone(),
            Partial::Result => self.result.clone(),
            Partial::Real(x) => Term::Real(*x),
            Partial::Int(n) => Term::Int(*n),
            Partial::Zero => Term::Real(0.0),
            Partial::Prim(prim, items) => {
                let items: Vec<_> = items.iter().map(|item| self.factor(item)).collect();
                let operation = |items| Term::Op(self.symbol.in_table(*prim), items);
                literal(*prim, &items).unwrap_or_else(|| operation(items))
            }
            Partial::If(cond, then, other) => {
                let (then, other) = (self.factor(then), self.factor(other));
                Term::If(Box::new(self.condition(cond)), Box::new(then), Box::new(other))
            }
        }
    }

    fn condition(&self, partial: &Partial) -> Test {
        let Partial::Prim(prim, items) = partial else { return Test::Known(false) };
        if *prim == Prim::Not {
            let (no, yes) = (Box::new(Test::Known(false)), Box::new(Test::Known(true)));
            return Test::If(Box::new(self.condition(&items[0])), no, yes);
        }
        let items: Vec<_> = items.iter().map(|item| self.factor(item)).collect();
        if let Some(items) = integers(&items)
            && let Ok(Scalar::Bool(truth)) = prim.eval_scalar(&items)
        {
            return Test::Known(truth);
        }
        Test::Pred(self.symbol.in_table(*prim), items)
    }
}

/// The value of an operation on exponents and orders.
fn literal(prim: Prim, items: &[Term]) -> Option<Term> {
    match prim.eval_scalar(&integers(items)?).ok()? {
        Scalar::Int(n) => Some(Term::Int(n)),
        Scalar::Real(x) => Some(Term::Real(x)),
        Scalar::Bool(_) | Scalar::Str(_) => None,
    }
}

fn integers(items: &[Term]) -> Option<Vec<Scalar>> {
    items
        .iter()
        .map(|item| if let Term::Int(n) = item { Some(Scalar::Int(*n)) } else { None })
        .collect()
}

/// A copy in which all binding variables are different: those that are bound again get new ones.
pub fn freshen(supply: &mut Supply, term: &Term) -> Term {
    Freshen { supply, bound: BTreeSet::new(), names: BTreeMap::new() }.term(term)
}

struct Freshen<'s> {
    supply: &'s mut Supply,
    /// The variables that were bound already.
    bound: BTreeSet<Var>,
    names: BTreeMap<Var, Var>,
}

impl Freshen<'_> {
    fn term(&mut self, term: &Term) -> Term {
        stacker::maybe_grow(64 << 10, 1 << 20, || match term {
            Term::Var(var) => Term::Var(self.names.get(var).copied().unwrap_or(*var)),
            Term::Real(_) | Term::Int(_) => term.clone(),
            Term::Op(symbol, items) => Term::Op(*symbol, self.terms(items)),
            Term::Tuple(items) => Term::Tuple(self.terms(items)),
            Term::Reverse(symbol, items, w) => {
                Term::Reverse(*symbol, self.terms(items), Box::new(self.term(w)))
            }
            Term::Let(binder, value, body) => {
                let value = self.term(value);
                let mut shadowed = vec![];
                let fresh = binder.renamed(|var, ty| {
                    let fresh = self.variable(var, ty);
                    shadowed.push((var, self.names.insert(var, fresh)));
                    fresh
                });
                let body = self.term(body);
                for (var, shadowed) in shadowed {
                    match shadowed {
                        Some(shadowed) => self.names.insert(var, shadowed),
                        None => self.names.remove(&var),
                    };
                }
                Term::bind(fresh, value, body)
            }
            Term::Proj(index, tys, base) => {
                Term::Proj(*index, tys.clone(), Box::new(self.term(base)))
            }
            Term::If(test, then, other) => {
                let test = self.test(test);
                Term::If(Box::new(test), Box::new(self.term(then)), Box::new(self.term(other)))
            }
            // Not part of traces.
            Term::Letrec(_, _) | Term::Call(_, _) | Term::Rd { .. } => term.clone(),
        })
    }

    fn variable(&mut self, var: Var, ty: &Ty) -> Var {
        if self.bound.insert(var) {
            return var;
        }
        let name = self.supply.vars[var].0.clone();
        self.supply.fresh(name, ty.clone())
    }

    fn terms(&mut self, items: &[Term]) -> Vec<Term> {
        items.iter().map(|item| self.term(item)).collect()
    }

    fn test(&mut self, test: &Test) -> Test {
        match test {
            Test::Known(truth) => Test::Known(*truth),
            Test::Pred(symbol, items) => Test::Pred(*symbol, self.terms(items)),
            Test::If(cond, then, other) => {
                let (cond, then) = (self.test(cond), self.test(then));
                Test::If(Box::new(cond), Box::new(then), Box::new(self.test(other)))
            }
        }
    }
}
