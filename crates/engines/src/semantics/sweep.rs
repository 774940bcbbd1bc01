//! The derivative of a trace term in linear time: with respect to the whole environment at once.
//!
//! Type: as [`super::reverse`], for a trace whose free variables have values. Law: it means the same as `W.R_V(x:T. C)`.
//! Cost: the trace is first flattened to one `let` for each operation on numbers, then every binding is
//! visited once, backwards; its cotangent is complete when it is reached, since all its uses come later.
//! Of what does not depend on `x` no cotangent is made.
//! Limits: a partial derivative that chooses between two terms is decided at `V`, as symbolic evaluation
//! decides every conditional.
//!
//! ```text
//! C                  let v = x * x in v * y
//! W.R_V(x. C)        let x = V in let v = x * x in let u = v * y in
//!                    let p = W.mul_r(v, y) in let v̄ = fst(p) in let q = v̄.mul_r(x, x) in fst(q) + snd(q)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use pullback_prim::{Prim, Scalar};

use super::operation::operate_reals;
use super::reverse::expand;
use super::term::{Binder, Supply, Symbol, Term, Test, Ty, Val, Var, operand_type, operands};

/// `W.R_V(x:T. C)` for closed `V` and `W`, with a length proportional to that of `C`, or nothing if the terms do not fit.
pub fn sweep(supply: &mut Supply, w: &Val, v: &Val, x: &Binder, trace: &Term) -> Option<Term> {
    let (w, v) = ((&w.to_term(), w), (&v.to_term(), v));
    sweep_within(supply, w, v, x, trace, &|_| None)
}

/// The same for `V` and `W` that are values with free variables, beside their own values; `around` has the values of variables
/// that are free in all of them. The result has these variables free.
pub fn sweep_within(
    supply: &mut Supply,
    (w, w_value): (&Term, &Val),
    (v, v_value): (&Term, &Val),
    x: &Binder,
    trace: &Term,
    around: &dyn Fn(Var) -> Option<Val>,
) -> Option<Term> {
    let mut flat = Flat::new(supply, around);
    let mut parts = vec![];
    for ((var, ty), (_, value)) in x.vars().zip(x.taken(v_value)?) {
        let part = flat.given(&Term::Var(var), ty, &value)?;
        flat.env.insert(var, part.clone());
        parts.push(part);
    }
    let shape = match x {
        Binder::Var(_, _) => parts.pop()?,
        Binder::Tuple(_) => Shape::Tuple(parts),
    };
    shape.for_each_var(&mut |var| {
        flat.active.insert(var);
    });
    let y = flat.term(trace)?;
    let w = flat.given(w, &w_value.ty(), w_value)?;

    let mut bars = Bars::new();
    seed(&flat.active, &y, &w, &mut bars)?;
    let Flat { supply, code, inputs, active, .. } = flat;
    let mut backwards = vec![];
    for (var, symbol, args) in code.iter().rev() {
        let Some(bar) = total(supply, *var, bars.remove(var), &mut backwards) else { continue };
        for (arg, bar) in contributions(supply, *symbol, args, bar, &mut backwards) {
            if active.contains(&arg) {
                bars.entry(arg).or_default().push(bar);
            }
        }
    }
    let body = gather(supply, &shape, &mut bars, &mut backwards);
    let forwards =
        code.into_iter().map(|(var, symbol, args)| (var, Ty::Real, Term::Op(symbol, args)));
    let bindings: Vec<_> = (inputs.into_iter().map(|(var, term)| (var, Ty::Real, term)))
        .chain(forwards)
        .chain(backwards)
        .collect();
    let around = |body, (var, ty, value): (Var, Ty, Term)| Term::let_(var, ty, value, body);
    let body = bindings.into_iter().rev().fold(body, around);
    Some(Term::bind(x.clone(), v.clone(), body))
}

/// What variables have received so far.
type Bars = BTreeMap<Var, Vec<Term>>;

/// A term taken apart into variables and numbers.
#[derive(Clone, Debug)]
enum Shape {
    Atom(Term),
    Tuple(Vec<Shape>),
}

impl Shape {
    fn for_each_var(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Self::Atom(Term::Var(var)) => visit(*var),
            Self::Atom(_) => {}
            Self::Tuple(items) => items.iter().for_each(|item| item.for_each_var(visit)),
        }
    }
}

struct Flat<'s> {
    supply: &'s mut Supply,
    around: &'s dyn Fn(Var) -> Option<Val>,
    env: BTreeMap<Var, Shape>,
    /// The values at `V`, to decide conditions.
    values: BTreeMap<Var, f64>,
    /// The numbers inside of tuples that are given.
    inputs: Vec<(Var, Term)>,
    /// The variables that depend on `x`.
    active: BTreeSet<Var>,
    code: Vec<(Var, Symbol, Vec<Term>)>,
}

impl<'s> Flat<'s> {
    fn new(supply: &'s mut Supply, around: &'s dyn Fn(Var) -> Option<Val>) -> Self {
        Self {
            supply,
            around,
            env: BTreeMap::new(),
            values: BTreeMap::new(),
            inputs: vec![],
            active: BTreeSet::new(),
            code: vec![],
        }
    }

    /// Names the numbers of a term that is given.
    fn given(&mut self, term: &Term, ty: &Ty, value: &Val) -> Option<Shape> {
        match (ty, value) {
            (Ty::Real, Val::Real(value)) => {
                if let Term::Real(_) = term {
                    return Some(Shape::Atom(term.clone()));
                }
                let var = if let Term::Var(var) = term {
                    *var
                } else {
                    let var = self.supply.fresh("x", Ty::Real);
                    self.inputs.push((var, term.clone()));
                    var
                };
                self.values.insert(var, *value);
                Some(Shape::Atom(Term::Var(var)))
            }
            (Ty::Tuple(tys), Val::Tuple(values)) => {
                let mut items = vec![];
                for (index, (ty, value)) in tys.iter().zip(values.iter()).enumerate() {
                    items.push(if let Term::Tuple(items) = term {
                        self.given(items.get(index)?, ty, value)?
                    } else {
                        let part = Term::Proj(index, tys.clone(), Box::new(term.clone()));
                        self.given(&part, ty, value)?
                    });
                }
                Some(Shape::Tuple(items))
            }
            (Ty::Real, Val::Tuple(_)) | (Ty::Tuple(_), Val::Real(_)) => None,
        }
    }

    /// A variable: of the trace, or one from around it, which does not depend on `x`.
    fn variable(&mut self, var: Var) -> Option<Shape> {
        if let Some(known) = self.env.get(&var) {
            return Some(known.clone());
        }
        let value = (self.around)(var)?;
        let shape = self.given(&Term::Var(var), &value.ty(), &value)?;
        self.env.insert(var, shape.clone());
        Some(shape)
    }

    fn term(&mut self, term: &Term) -> Option<Shape> {
        self.named(term, None)
    }

    /// A term that a variable stands for, if it is a number: an operation keeps that name.
    fn named(&mut self, term: &Term, own: Option<Var>) -> Option<Shape> {
        stacker::maybe_grow(64 << 10, 1 << 20, || match term {
            Term::Var(var) => self.variable(*var),
            Term::Real(_) | Term::Int(_) => Some(Shape::Atom(term.clone())),
            Term::Op(symbol, args) => {
                let args = self.atoms(args)?;
                let value = operate_reals(symbol.prim, &self.scalars(&args)?)?;
                let var = own.unwrap_or_else(|| self.supply.fresh("v", Ty::Real));
                self.values.insert(var, value);
                let depends =
                    |arg: &Term| matches!(arg, Term::Var(arg) if self.active.contains(arg));
                if args.iter().any(depends) {
                    self.active.insert(var);
                }
                self.code.push((var, *symbol, args));
                Some(Shape::Atom(Term::Var(var)))
            }
            Term::Reverse(symbol, args, w) => {
                let expanded = expand(self.supply, *symbol, args, w);
                self.named(&expanded, own)
            }
            Term::Let(binder, value, body) => {
                let named = if let Binder::Var(var, Ty::Real) = binder { Some(*var) } else { None };
                let value = self.named(value, named)?;
                self.bind(binder, value)?;
                self.named(body, own)
            }
            Term::Tuple(items) => {
                let items: Option<Vec<_>> = items.iter().map(|item| self.term(item)).collect();
                items.map(Shape::Tuple)
            }
            Term::Proj(index, _, base) => match self.term(base)? {
                Shape::Tuple(items) => items.get(*index).cloned(),
                Shape::Atom(_) => None,
            },
            Term::If(test, then, other) => {
                let chosen = if self.test(test)? { then } else { other };
                self.named(chosen, own)
            }
            Term::Letrec(_, _) | Term::Call(_, _) | Term::Rd { .. } => None,
        })
    }

    fn bind(&mut self, binder: &Binder, value: Shape) -> Option<()> {
        match (binder, value) {
            (Binder::Var(var, _), value) => {
                self.env.insert(*var, value);
            }
            (Binder::Tuple(vars), Shape::Tuple(items)) if vars.len() == items.len() => {
                self.env.extend(vars.iter().map(|(var, _)| *var).zip(items));
            }
            (Binder::Tuple(_), Shape::Tuple(_) | Shape::Atom(_)) => return None,
        }
        Some(())
    }

    fn atoms(&mut self, args: &[Term]) -> Option<Vec<Term>> {
        let atom = |arg: &Term| match self.term(arg)? {
            Shape::Atom(atom) => Some(atom),
            Shape::Tuple(_) => None,
        };
        args.iter().map(atom).collect()
    }

    fn scalars(&self, atoms: &[Term]) -> Option<Vec<Scalar>> {
        let scalar = |atom: &Term| {
            if let Term::Int(n) = atom {
                return Some(Scalar::Int(*n));
            }
            let Term::Var(var) = atom else { return atom.real().map(Scalar::Real) };
            self.values.get(var).map(|x| Scalar::Real(*x))
        };
        atoms.iter().map(scalar).collect()
    }

    fn test(&mut self, test: &Test) -> Option<bool> {
        match test {
            Test::Known(truth) => Some(*truth),
            Test::Pred(symbol, args) => {
                let kept = self.code.len();
                let args = self.atoms(args)?;
                let args = self.scalars(&args)?;
                // What only a condition needs has no part in the derivative.
                self.code.truncate(kept);
                match symbol.prim.eval_scalar(&args) {
                    Ok(Scalar::Bool(truth)) => Some(truth),
                    Ok(Scalar::Real(_) | Scalar::Int(_) | Scalar::Str(_)) | Err(_) => None,
                }
            }
            Test::If(cond, then, other) => {
                let chosen = if self.test(cond)? { then } else { other };
                self.test(chosen)
            }
        }
    }
}

/// The cotangents of the result.
fn seed(active: &BTreeSet<Var>, y: &Shape, w: &Shape, bars: &mut Bars) -> Option<()> {
    match (y, w) {
        (Shape::Atom(y), Shape::Atom(w)) => {
            if let Term::Var(var) = y
                && active.contains(var)
            {
                bars.entry(*var).or_default().push(w.clone());
            }
            Some(())
        }
        (Shape::Tuple(items), Shape::Tuple(parts)) if items.len() == parts.len() => {
            items.iter().zip(parts).try_for_each(|(item, part)| seed(active, item, part, bars))
        }
        (Shape::Tuple(_) | Shape::Atom(_), Shape::Tuple(_) | Shape::Atom(_)) => None,
    }
}

type Bindings = Vec<(Var, Ty, Term)>;

/// The sum of what a variable received, as a variable or a number.
fn total(
    supply: &mut Supply,
    of: Var,
    parts: Option<Vec<Term>>,
    code: &mut Bindings,
) -> Option<Term> {
    let sum = parts?.into_iter().reduce(|sum, part| Term::Op(Prim::Add.into(), vec![sum, part]))?;
    if matches!(sum, Term::Var(_) | Term::Real(_)) {
        return Some(sum);
    }
    let var = supply.bar(of, Ty::Real);
    code.push((var, Ty::Real, sum));
    Some(Term::Var(var))
}

/// What the arguments of an operation receive.
fn contributions(
    supply: &mut Supply,
    symbol: Symbol,
    args: &[Term],
    bar: Term,
    code: &mut Bindings,
) -> Vec<(Var, Term)> {
    let vars = |part: &dyn Fn(usize) -> Term| {
        let args = operands(args).into_iter().enumerate();
        args.filter_map(
            |(index, arg)| {
                if let Term::Var(var) = arg { Some((*var, part(index))) } else { None }
            },
        )
        .collect()
    };
    if symbol.prim == Prim::Add {
        return vars(&|_| bar.clone());
    }
    let ty = operand_type(args);
    let term = Term::Reverse(symbol, args.to_vec(), Box::new(bar));
    match ty {
        Ty::Real => vars(&|_| term.clone()),
        Ty::Tuple(tys) => {
            let pair = supply.fresh("p", Ty::Tuple(tys.clone()));
            code.push((pair, Ty::Tuple(tys.clone()), term));
            vars(&|index| Term::Proj(index, tys.clone(), Box::new(Term::Var(pair))))
        }
    }
}

/// The cotangent of the argument, in its shape.
fn gather(supply: &mut Supply, shape: &Shape, bars: &mut Bars, code: &mut Bindings) -> Term {
    match shape {
        Shape::Tuple(items) => {
            Term::Tuple(items.iter().map(|item| gather(supply, item, bars, code)).collect())
        }
        Shape::Atom(Term::Var(var)) => {
            total(supply, *var, bars.remove(var), code).unwrap_or(Term::Real(0.0))
        }
        Shape::Atom(_) => Term::Real(0.0),
    }
}
