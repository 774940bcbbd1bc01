//! Ordinary evaluation `φ | ρ ⊢ M ⇒ V` (figures 2 and 3), symbolic evaluation `φ | ρ ⊢ M ⤳ C`
//! (figures 4 and 5) and bounded recursion (figure 8).
//!
//! The environment ρ maps each variable of the source to a new one, whose value [`Run`] knows: so all
//! binders of a trace are different, as figure 6 assumes. Evaluation contexts are the Rust call stack;
//! in symbolic evaluation every redex inside a context gets a `let`, as in figure 5.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_prim::Scalar;

use super::operation::{derive, operate, terms};
use super::reverse::reverse;
use super::step::{LISTED, Rule, SHOWN, Step};
use super::stuck::{Stuck, Undefined};
use super::sweep::sweep_within;
use super::term::{Binder, Fun, Function, Supply, Symbol, Term, Test, Ty, Val, Var};

/// How many redexes are reduced at most.
pub const MAX_STEPS: usize = 200_000;
/// How deep calls and parts of terms nest at most.
pub const MAX_DEPTH: usize = 20_000;
/// How many bindings a trace has at most.
const MAX_TRACE: usize = 10_000;
/// How large the derivatives of one evaluation become at most together.
const MAX_MADE: usize = 1_000_000;

/// A function environment φ.
#[derive(Clone, Debug, Default)]
pub struct Functions(Option<Rc<Entry>>);

#[derive(Debug)]
struct Entry {
    function: Rc<Function>,
    /// The φ of the closure; the entry itself is added when it is called.
    scope: Functions,
    fuel: Option<u64>,
    next: Functions,
}

impl Functions {
    fn lookup(&self, name: Fun) -> Option<&Rc<Entry>> {
        let mut at = self;
        while let Some(entry) = &at.0 {
            if entry.function.name == name {
                return Some(entry);
            }
            at = &entry.next;
        }
        None
    }
    /// The φ of `letrec`s, each in the scope of those before it.
    pub fn of(functions: &[Rc<Function>], entry: &Rc<Function>) -> Self {
        functions
            .iter()
            .chain([entry])
            .fold(Self::default(), |scope, function| scope.with(function, &scope, function.fuel))
    }
    /// `φ[clo_{n,φ'}(f(x:T):U. M)/f]`
    fn with(&self, function: &Rc<Function>, scope: &Self, fuel: Option<u64>) -> Self {
        let (function, scope, next) = (function.clone(), scope.clone(), self.clone());
        Self(Some(Rc::new(Entry { function, scope, fuel, next })))
    }
}

/// A trace and its value.
type Traced = Result<(Term, Val), Stuck>;

/// The redexes of a term in their order, with the variables that stand for them.
type Bindings = Vec<(Var, Ty, Term)>;

/// ρ: what each variable of the source is called in this activation.
type Aliases = BTreeMap<Var, Var>;

/// The state of an evaluation.
#[derive(Debug)]
pub struct Run<'s> {
    /// Where new variables come from.
    pub supply: &'s mut Supply,
    /// What was done, if asked for.
    pub log: Option<Vec<Step>>,
    values: BTreeMap<Var, Val>,
    steps: usize,
    bindings: usize,
    /// How large its derivatives are together.
    made: usize,
    depth: usize,
    /// How many evaluations the log is inside of.
    nesting: usize,
    /// Whether `ev` and `bev` are partial; else the table of conventions gives them values.
    is_strict: bool,
    /// Where they are undefined and the table gave a value, first, and how often.
    conventions: Option<(Box<Undefined>, usize)>,
}

impl<'s> Run<'s> {
    /// An evaluation with no variables bound.
    pub fn new(supply: &'s mut Supply, talkative: bool) -> Self {
        let log = talkative.then(Vec::new);
        Self {
            supply,
            log,
            values: BTreeMap::new(),
            steps: 0,
            bindings: 0,
            made: 0,
            depth: 0,
            nesting: 0,
            is_strict: false,
            conventions: None,
        }
    }

    /// The same, stuck where an operation or a predicate is undefined.
    #[must_use]
    pub fn strict(self, is_strict: bool) -> Self {
        Self { is_strict, ..self }
    }

    /// Where the table of conventions gave a value that the paper does not give, first, and how often.
    pub fn conventions(&self) -> Option<&(Box<Undefined>, usize)> {
        self.conventions.as_ref()
    }

    /// Goes on where `ev` or `bev` has a value, or the table of conventions gives one.
    fn go_on(&mut self, undefined: Option<Box<Undefined>>) -> Result<(), Stuck> {
        let Some(undefined) = undefined else { return Ok(()) };
        if self.is_strict {
            return Err(Stuck::Undefined(undefined));
        }
        self.conventions.get_or_insert((undefined, 0)).1 += 1;
        Ok(())
    }

    /// `ev(op, args)`
    fn operate(&mut self, symbol: Symbol, args: &[Scalar]) -> Result<Val, Stuck> {
        self.go_on(Undefined::operation(symbol, args))?;
        operate(symbol.prim, args)
    }

    /// `ev(op_r, ⟨args, W⟩)`
    fn derive(&mut self, symbol: Symbol, args: &[Scalar], w: &Val) -> Result<Val, Stuck> {
        let value = derive(symbol.prim, args, w)?;
        self.go_on(Undefined::slope(symbol, args, &value.reals()))?;
        Ok(value)
    }

    /// Gives variables their values; nothing if the value is no such tuple.
    pub fn bind(&mut self, binder: &Binder, value: &Val) {
        self.values.extend(binder.taken(value).into_iter().flatten());
    }

    /// `φ | ρ ⊢ M ⇒ V`, for the ρ of [`Run::bind`].
    pub fn evaluate(&mut self, functions: &Functions, term: &Term) -> Result<Val, Stuck> {
        self.ordinary(functions, &mut Aliases::new(), term)
    }

    /// `φ | ρ ⊢ M ⤳ C`, for the ρ of [`Run::bind`].
    pub fn symbolic(&mut self, functions: &Functions, term: &Term) -> Result<Term, Stuck> {
        self.trace(functions, &mut Aliases::new(), term).map(|(trace, _)| trace)
    }

    fn nested<T>(&mut self, go: impl FnOnce(&mut Self) -> Result<T, Stuck>) -> Result<T, Stuck> {
        if self.depth >= MAX_DEPTH {
            return Err(Stuck::Depth);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 << 10, 1 << 20, || go(self));
        self.depth -= 1;
        result
    }

    fn step(&mut self, rule: impl FnOnce() -> Rule) -> Result<(), Stuck> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Stuck::Steps);
        }
        if let Some(log) = &mut self.log {
            let rule = if log.len() < LISTED { rule() } else { Rule::Unlisted };
            log.push(Step { depth: self.nesting, rule });
        }
        Ok(())
    }

    /// New variables for those of a binder, with their values.
    fn alias(
        &mut self,
        aliases: &mut Aliases,
        binder: &Binder,
        value: &Val,
    ) -> Result<Binder, Stuck> {
        let taken = binder.taken(value).ok_or(Stuck::Untyped)?;
        let fresh = binder.renamed(|var, ty| {
            let name = self.supply.vars[var].0.clone();
            let fresh = self.supply.fresh(name, ty.clone());
            aliases.insert(var, fresh);
            fresh
        });
        for ((var, _), (_, value)) in fresh.vars().zip(taken) {
            self.values.insert(var, value);
        }
        Ok(fresh)
    }

    fn known(&self, aliases: &Aliases, var: Var) -> Result<Val, Stuck> {
        let alias = aliases.get(&var).copied().unwrap_or(var);
        self.values.get(&alias).cloned().ok_or(Stuck::Untyped)
    }

    fn ordinary(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
    ) -> Result<Val, Stuck> {
        // As many as a trace has bindings: they do not nest.
        let mut term = term;
        while let Term::Let(binder, value, body) = term {
            let value = self.ordinary(functions, aliases, value)?;
            self.alias(aliases, binder, &value)?;
            self.step(|| Rule::Let(binder.clone(), value.to_term()))?;
            term = body;
        }
        self.nested(|run| match term {
            Term::Var(var) => run.known(aliases, *var),
            Term::Real(x) => Ok(Val::Real(*x)),
            Term::Int(_) => Err(Stuck::Untyped),
            Term::Tuple(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| run.ordinary(functions, aliases, item)).collect();
                Ok(Val::Tuple(Rc::new(items?)))
            }
            Term::Op(symbol, args) => {
                let args = run.operands(functions, aliases, args)?;
                let value = run.operate(*symbol, &args)?;
                let redex = Term::Op(*symbol, terms(&args));
                run.step(|| Rule::Value(redex, value.clone()))?;
                Ok(value)
            }
            Term::Reverse(symbol, args, w) => {
                let args = run.operands(functions, aliases, args)?;
                let w = run.ordinary(functions, aliases, w)?;
                let value = run.derive(*symbol, &args, &w)?;
                let redex = Term::Reverse(*symbol, terms(&args), Box::new(w.to_term()));
                run.step(|| Rule::Value(redex, value.clone()))?;
                Ok(value)
            }
            Term::Let(_, _, _) => run.ordinary(functions, aliases, term),
            Term::Proj(index, tys, base) => {
                let base = run.ordinary(functions, aliases, base)?;
                let Val::Tuple(items) = &base else { return Err(Stuck::Untyped) };
                let item = items.get(*index).cloned().ok_or(Stuck::Untyped)?;
                let redex = Term::Proj(*index, tys.clone(), Box::new(base.to_term()));
                run.step(|| Rule::Value(redex, item.clone()))?;
                Ok(item)
            }
            Term::If(test, then, other) => {
                let truth = run.truth(functions, aliases, test)?;
                run.ordinary(functions, aliases, if truth { then } else { other })
            }
            Term::Letrec(function, rest) => {
                let functions = functions.with(function, functions, function.fuel);
                run.ordinary(&functions, aliases, rest)
            }
            Term::Call(name, arg) => {
                let arg = run.ordinary(functions, aliases, arg)?;
                let (functions, function) = enter(functions, *name)?;
                let redex = Term::Call(*name, Box::new(arg.to_term()));
                run.step(|| Rule::Call(redex))?;
                let mut aliases = Aliases::new();
                run.alias(&mut aliases, &function.param, &arg)?;
                run.inside(|run| run.ordinary(&functions, &mut aliases, &function.body))
            }
            Term::Rd { .. } => {
                let (trace, _) = run.inside(|run| run.trace(functions, aliases, term))?;
                run.ordinary(functions, &mut Aliases::new(), &trace)
            }
        })
    }

    fn inside<T>(&mut self, go: impl FnOnce(&mut Self) -> Result<T, Stuck>) -> Result<T, Stuck> {
        self.nesting += 1;
        let result = go(self);
        self.nesting -= 1;
        result
    }

    fn operands(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        args: &[Term],
    ) -> Result<Vec<Scalar>, Stuck> {
        let operand = |arg: &Term| {
            if let Term::Int(n) = arg {
                return Ok(Scalar::Int(*n));
            }
            match self.ordinary(functions, aliases, arg)? {
                Val::Real(x) => Ok(Scalar::Real(x)),
                Val::Tuple(_) => Err(Stuck::Untyped),
            }
        };
        args.iter().map(operand).collect()
    }

    fn truth(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        test: &Test,
    ) -> Result<bool, Stuck> {
        match test {
            Test::Known(truth) => Ok(*truth),
            Test::Pred(symbol, args) => {
                let args = self.operands(functions, aliases, args)?;
                self.predicate(Test::Pred(*symbol, terms(&args)), *symbol, &args)
            }
            Test::If(cond, then, other) => {
                let chosen = if self.truth(functions, aliases, cond)? { then } else { other };
                self.truth(functions, aliases, chosen)
            }
        }
    }

    fn predicate(&mut self, shown: Test, symbol: Symbol, args: &[Scalar]) -> Result<bool, Stuck> {
        self.go_on(Undefined::predicate(symbol, args))?;
        let Ok(Scalar::Bool(truth)) = symbol.prim.eval_scalar(args) else {
            return Err(Stuck::Untyped);
        };
        self.step(|| Rule::Truth(shown, truth))?;
        Ok(truth)
    }

    /// `M ⤳ C` as a whole: the bindings of its redexes around what is left, and its value.
    fn trace(&mut self, functions: &Functions, aliases: &mut Aliases, term: &Term) -> Traced {
        let mut bindings = vec![];
        let (last, value) = self.last(functions, aliases, term, &mut bindings)?;
        let around = |body, (var, ty, value): (Var, Ty, Term)| Term::let_(var, ty, value, body);
        Ok((bindings.into_iter().rev().fold(last, around), value))
    }

    /// Reduces a part in an evaluation context to a value with free variables.
    fn operand(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
        bindings: &mut Bindings,
    ) -> Traced {
        if let Term::Tuple(items) = term {
            let (items, values) = self.operands_of(functions, aliases, items, bindings)?;
            return Ok((Term::Tuple(items), Val::Tuple(Rc::new(values))));
        }
        let (trace, value) = self.last(functions, aliases, term, bindings)?;
        if trace.is_value() {
            return Ok((trace, value));
        }
        self.bindings += 1;
        if self.bindings > MAX_TRACE {
            return Err(Stuck::Trace);
        }
        let ty = value.ty();
        let var = self.supply.fresh("v", ty.clone());
        self.values.insert(var, value.clone());
        self.step(|| Rule::Context(var, trace.clone(), value.clone()))?;
        bindings.push((var, ty, trace));
        Ok((Term::Var(var), value))
    }

    fn operands_of(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        args: &[Term],
        bindings: &mut Bindings,
    ) -> Result<(Vec<Term>, Vec<Val>), Stuck> {
        let mut both = (vec![], vec![]);
        for arg in args {
            let (term, value) = self.operand(functions, aliases, arg, bindings)?;
            both.0.push(term);
            both.1.push(value);
        }
        Ok(both)
    }

    /// The trace of the redex that a term is once its operands are values, and its value.
    fn last(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
        bindings: &mut Bindings,
    ) -> Traced {
        self.nested(|run| match term {
            Term::Var(var) => {
                let var = aliases.get(var).copied().unwrap_or(*var);
                let value = run.values.get(&var).cloned().ok_or(Stuck::Untyped)?;
                Ok((Term::Var(var), value))
            }
            Term::Real(x) => Ok((term.clone(), Val::Real(*x))),
            // An exponent has no value of its own.
            Term::Int(_) => Ok((term.clone(), Val::Tuple(Rc::new(vec![])))),
            Term::Tuple(_) => run.operand(functions, aliases, term, bindings),
            Term::Op(symbol, args) => {
                let (args, values) = run.operands_of(functions, aliases, args, bindings)?;
                let value = run.operate(*symbol, &scalars(&args, &values)?)?;
                run.kept(Term::Op(*symbol, args), value)
            }
            Term::Reverse(symbol, args, w) => {
                let (args, values) = run.operands_of(functions, aliases, args, bindings)?;
                let (w, w_value) = run.operand(functions, aliases, w, bindings)?;
                let value = run.derive(*symbol, &scalars(&args, &values)?, &w_value)?;
                run.kept(Term::Reverse(*symbol, args, Box::new(w)), value)
            }
            Term::Proj(index, tys, base) => {
                let (base, value) = run.operand(functions, aliases, base, bindings)?;
                let Val::Tuple(items) = &value else { return Err(Stuck::Untyped) };
                let item = items.get(*index).cloned().ok_or(Stuck::Untyped)?;
                run.kept(Term::Proj(*index, tys.clone(), Box::new(base)), item)
            }
            Term::Let(binder, value, body) => {
                let (term, value) = run.operand(functions, aliases, value, bindings)?;
                let binder = run.alias(aliases, binder, &value)?;
                run.step(|| Rule::Let(binder.clone(), term.clone()))?;
                let (body, value) = run.trace(functions, aliases, body)?;
                Ok((Term::bind(binder, term, body), value))
            }
            Term::If(test, then, other) => {
                let truth = run.test(functions, aliases, test, bindings)?;
                run.trace(functions, aliases, if truth { then } else { other })
            }
            Term::Letrec(function, rest) => {
                let functions = functions.with(function, functions, function.fuel);
                run.trace(&functions, aliases, rest)
            }
            Term::Call(name, arg) => {
                let (arg, value) = run.operand(functions, aliases, arg, bindings)?;
                let (functions, function) = enter(functions, *name)?;
                let mut aliases = Aliases::new();
                let param = run.alias(&mut aliases, &function.param, &value)?;
                let redex = Term::Call(*name, Box::new(arg.clone()));
                run.step(|| Rule::Entered(redex, param.clone()))?;
                let body = &function.body;
                let (body, value) = run.inside(|run| run.trace(&functions, &mut aliases, body))?;
                Ok((Term::bind(param, arg, body), value))
            }
            Term::Rd { cotangent, at, binder, body } => {
                let (v, value) = run.operand(functions, aliases, at, bindings)?;
                let w = run.operand(functions, aliases, cotangent, bindings)?;
                let x = run.alias(aliases, binder, &value)?;
                let (trace, _) = run.inside(|run| {
                    let (w, v, value) = (w.0.clone(), v.clone(), value.clone());
                    run.step(|| Rule::Open { w, v, x: x.clone(), value })?;
                    run.trace(functions, aliases, body)
                })?;
                run.derivative(w, (v, value), x, trace)
            }
        })
    }

    /// `W.R_V(x:T. C)`, by the whole environment at once, and its value.
    fn derivative(
        &mut self,
        (w, w_value): (Term, Val),
        (v, value): (Term, Val),
        x: Binder,
        trace: Term,
    ) -> Traced {
        let values = &self.values;
        let around = |var| values.get(&var).cloned();
        let (w_at, v_at) = ((&w, &w_value), (&v, &value));
        let result = sweep_within(self.supply, w_at, v_at, &x, &trace, &around);
        let result = result.ok_or(Stuck::Untyped)?;
        self.made += result.size();
        if self.made > MAX_MADE {
            return Err(Stuck::Trace);
        }
        if self.log.as_ref().is_some_and(|log| log.len() < LISTED) {
            let literal = reverse(self.supply, &w, &v, &x, &trace, SHOWN);
            let literal = literal.filter(|term| !term.is_larger(SHOWN));
            let result = result.clone();
            self.step(|| Rule::Reverse { w, v, x, trace, result, literal })?;
        } else {
            self.step(|| Rule::Unlisted)?;
        }
        let quiet = self.log.take();
        let value = self.ordinary(&Functions::default(), &mut Aliases::new(), &result);
        self.log = quiet;
        Ok((result, value?))
    }

    /// An operation on values is its own trace.
    fn kept(&mut self, redex: Term, value: Val) -> Traced {
        self.step(|| Rule::Kept(redex.clone()))?;
        Ok((redex, value))
    }

    fn test(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        test: &Test,
        bindings: &mut Bindings,
    ) -> Result<bool, Stuck> {
        match test {
            Test::Known(truth) => Ok(*truth),
            Test::Pred(symbol, args) => {
                let (args, values) = self.operands_of(functions, aliases, args, bindings)?;
                let scalars = scalars(&args, &values)?;
                self.predicate(Test::Pred(*symbol, args), *symbol, &scalars)
            }
            Test::If(cond, then, other) => {
                let chosen =
                    if self.test(functions, aliases, cond, bindings)? { then } else { other };
                self.test(functions, aliases, chosen, bindings)
            }
        }
    }
}

/// The arguments of an operation as numbers: those that are part of its symbol are in the terms.
fn scalars(args: &[Term], values: &[Val]) -> Result<Vec<Scalar>, Stuck> {
    let scalar = |(arg, value): (&Term, &Val)| match (arg, value) {
        (Term::Int(n), _) => Ok(Scalar::Int(*n)),
        (_, Val::Real(x)) => Ok(Scalar::Real(*x)),
        (_, Val::Tuple(_)) => Err(Stuck::Untyped),
    };
    args.iter().zip(values).map(scalar).collect()
}

/// What a call evaluates, and in which φ: `φ'[φ(f)/f]`, with one unit of fuel less.
pub fn enter(functions: &Functions, name: Fun) -> Result<(Functions, Rc<Function>), Stuck> {
    let entry = functions.lookup(name).ok_or(Stuck::Untyped)?;
    let fuel = match entry.fuel {
        Some(0) => return Err(Stuck::Fuel(name)),
        Some(fuel) => Some(fuel - 1),
        None => None,
    };
    Ok((entry.scope.with(&entry.function, &entry.scope, fuel), entry.function.clone()))
}
