//! Ordinary evaluation `φ | ρ ⊢ M ⇒ V` (figures 2 and 3), symbolic evaluation `φ | ρ ⊢ M ⤳ C`
//! (figures 4 and 5) and bounded recursion (figure 8).
//!
//! The environment ρ maps each variable of the source to a new one, whose value [`Run`] knows: so all
//! binders of a trace are different, as figure 6 assumes. Evaluation contexts are the Rust call stack;
//! in symbolic evaluation every redex inside a context gets a `let`, as in figure 5.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_lambda::{Prim, Scalar, Term as Partial};

use super::print::Printer;
use super::reverse::reverse;
use super::term::{Fun, Function, Supply, Term, Test, Val, Var};

/// How many redexes are reduced at most.
pub const MAX_STEPS: usize = 200_000;
/// How deep calls and parts of terms nest at most.
pub const MAX_DEPTH: usize = 20_000;
/// How many bindings a trace has at most.
const MAX_TRACE: usize = 1_000;
/// How large a derivative becomes at most.
const MAX_SIZE: usize = 200_000;

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// More than [`MAX_STEPS`] steps.
    Steps,
    /// Deeper than [`MAX_DEPTH`].
    Depth,
    /// A trace or a derivative that is too large.
    Trace,
    /// A `letrec_n` whose calls nest deeper than n.
    Fuel(Fun),
    /// A term that does not type check: a bug of whoever made it.
    Untyped,
}

/// One reduction, for `--stage trace-run`.
#[derive(Clone, Debug)]
pub struct Step {
    /// How many evaluations it is inside of.
    pub depth: usize,
    /// `⇒`, `⤳` or `R`.
    pub relation: &'static str,
    /// What was reduced.
    pub redex: String,
    /// To what.
    pub result: String,
}

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
    depth: usize,
    /// How many evaluations the log is inside of.
    nesting: usize,
}

impl<'s> Run<'s> {
    /// An evaluation with no variables bound.
    pub fn new(supply: &'s mut Supply, talkative: bool) -> Self {
        let log = talkative.then(Vec::new);
        let values = BTreeMap::new();
        Self { supply, log, values, steps: 0, bindings: 0, depth: 0, nesting: 0 }
    }

    /// Gives a variable a value.
    pub fn bind(&mut self, var: Var, value: Val) {
        self.values.insert(var, value);
    }

    /// The reductions so far.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// `φ | ρ ⊢ M ⇒ V`, for the ρ of [`Run::bind`].
    pub fn evaluate(&mut self, functions: &Functions, term: &Term) -> Result<Val, Stuck> {
        self.ordinary(functions, &mut Aliases::new(), term)
    }

    /// `φ | ρ ⊢ M ⤳ C`, for the ρ of [`Run::bind`].
    pub fn symbolic(&mut self, functions: &Functions, term: &Term) -> Result<Term, Stuck> {
        self.trace(functions, &mut Aliases::new(), term)
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

    fn step(
        &mut self,
        relation: &'static str,
        text: impl FnOnce(&mut Printer<'_>) -> (String, String),
    ) -> Result<(), Stuck> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Stuck::Steps);
        }
        if let Some(log) = &mut self.log {
            let (redex, result) = text(&mut Printer::new(self.supply));
            log.push(Step { depth: self.nesting, relation, redex, result });
        }
        Ok(())
    }

    fn alias(&mut self, aliases: &mut Aliases, var: Var, value: Val) -> Var {
        let (name, ty) = self.supply.vars[var].clone();
        let alias = self.supply.fresh(name, ty);
        self.values.insert(alias, value);
        aliases.insert(var, alias);
        alias
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
        self.nested(|run| match term {
            Term::Var(var) => run.known(aliases, *var),
            Term::Real(x) => Ok(Val::Real(*x)),
            Term::Int(_) => Err(Stuck::Untyped),
            Term::Tuple(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| run.ordinary(functions, aliases, item)).collect();
                Ok(Val::Tuple(Rc::new(items?)))
            }
            Term::Op(prim, args) => {
                let args = run.operands(functions, aliases, args)?;
                let value = operate(*prim, &args)?;
                let redex = Term::Op(*prim, terms(&args));
                run.step("⇒", |p| (p.term(&redex), p.value(&value)))?;
                Ok(value)
            }
            Term::Reverse(prim, args, w) => {
                let args = run.operands(functions, aliases, args)?;
                let w = run.ordinary(functions, aliases, w)?;
                let value = derive(*prim, &args, &w)?;
                let redex = Term::Reverse(*prim, terms(&args), Box::new(w.to_term()));
                run.step("⇒", |p| (p.term(&redex), p.value(&value)))?;
                Ok(value)
            }
            Term::Let(var, _, value, body) => {
                let value = run.ordinary(functions, aliases, value)?;
                let alias = run.alias(aliases, *var, value.clone());
                run.step("⇒", |p| {
                    (format!("let {} = {} in …", p.var(alias), p.value(&value)), "…".to_owned())
                })?;
                run.ordinary(functions, aliases, body)
            }
            Term::Proj(index, tys, base) => {
                let base = run.ordinary(functions, aliases, base)?;
                let Val::Tuple(items) = &base else { return Err(Stuck::Untyped) };
                let item = items.get(*index).cloned().ok_or(Stuck::Untyped)?;
                let redex = Term::Proj(*index, tys.clone(), Box::new(base.to_term()));
                run.step("⇒", |p| (p.term(&redex), p.value(&item)))?;
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
                run.step("⇒", |p| (p.term(&redex), "…".to_owned()))?;
                let mut aliases = Aliases::new();
                run.alias(&mut aliases, function.param, arg);
                run.inside(|run| run.ordinary(&functions, &mut aliases, &function.body))
            }
            Term::Rd { .. } => {
                let trace = run.inside(|run| run.trace(functions, aliases, term))?;
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
            Test::Pred(prim, args) => {
                let args = self.operands(functions, aliases, args)?;
                self.predicate("⇒", *prim, &args)
            }
            Test::If(cond, then, other) => {
                let chosen = if self.truth(functions, aliases, cond)? { then } else { other };
                self.truth(functions, aliases, chosen)
            }
        }
    }

    fn predicate(
        &mut self,
        relation: &'static str,
        prim: Prim,
        args: &[Scalar],
    ) -> Result<bool, Stuck> {
        let Ok(Scalar::Bool(truth)) = prim.eval_scalar(args) else { return Err(Stuck::Untyped) };
        let redex = Test::Pred(prim, terms(args));
        self.step(relation, |p| (p.test(&redex), truth.to_string()))?;
        Ok(truth)
    }

    /// `M ⤳ C` as a whole: the bindings of its redexes around what is left.
    fn trace(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
    ) -> Result<Term, Stuck> {
        let mut bindings = vec![];
        let last = self.last(functions, aliases, term, &mut bindings)?;
        Ok(bindings.into_iter().rev().fold(last, |body, (var, value): (Var, Term)| {
            let ty = self.values[&var].ty();
            Term::let_(var, ty, value, body)
        }))
    }

    /// Reduces a part in an evaluation context to a value with free variables.
    fn operand(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
        bindings: &mut Vec<(Var, Term)>,
    ) -> Result<Term, Stuck> {
        if let Term::Tuple(items) = term {
            let items: Result<Vec<_>, _> =
                items.iter().map(|item| self.operand(functions, aliases, item, bindings)).collect();
            return items.map(Term::Tuple);
        }
        let trace = self.last(functions, aliases, term, bindings)?;
        if trace.is_value() {
            return Ok(trace);
        }
        self.bindings += 1;
        if self.bindings > MAX_TRACE {
            return Err(Stuck::Trace);
        }
        let quiet = self.log.take();
        let value = self.ordinary(functions, &mut Aliases::new(), &trace);
        self.log = quiet;
        let value = value?;
        let var = self.supply.fresh("v", value.ty());
        self.values.insert(var, value);
        bindings.push((var, trace));
        Ok(Term::Var(var))
    }

    /// The trace of the redex that a term is once its operands are values.
    fn last(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        term: &Term,
        bindings: &mut Vec<(Var, Term)>,
    ) -> Result<Term, Stuck> {
        self.nested(|run| match term {
            Term::Var(var) => Ok(Term::Var(aliases.get(var).copied().unwrap_or(*var))),
            Term::Real(_) | Term::Int(_) => Ok(term.clone()),
            Term::Tuple(_) => run.operand(functions, aliases, term, bindings),
            Term::Op(prim, args) => {
                let args: Result<Vec<_>, _> =
                    args.iter().map(|arg| run.operand(functions, aliases, arg, bindings)).collect();
                run.kept(Term::Op(*prim, args?))
            }
            Term::Reverse(prim, args, w) => {
                let args: Result<Vec<_>, _> =
                    args.iter().map(|arg| run.operand(functions, aliases, arg, bindings)).collect();
                let w = run.operand(functions, aliases, w, bindings)?;
                run.kept(Term::Reverse(*prim, args?, Box::new(w)))
            }
            Term::Proj(index, tys, base) => {
                let base = run.operand(functions, aliases, base, bindings)?;
                run.kept(Term::Proj(*index, tys.clone(), Box::new(base)))
            }
            Term::Let(var, ty, value, body) => {
                let value = run.operand(functions, aliases, value, bindings)?;
                let closed = run.close(&value)?;
                let alias = run.alias(aliases, *var, closed);
                run.step("⤳", |p| {
                    (format!("let {} = {} in …", p.var(alias), p.term(&value)), "…".to_owned())
                })?;
                let body = run.trace(functions, aliases, body)?;
                Ok(Term::let_(alias, ty.clone(), value, body))
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
                let arg = run.operand(functions, aliases, arg, bindings)?;
                let (functions, function) = enter(functions, *name)?;
                let redex = Term::Call(*name, Box::new(arg.clone()));
                run.step("⤳", |p| (p.term(&redex), "…".to_owned()))?;
                let closed = run.close(&arg)?;
                let mut aliases = Aliases::new();
                let param = run.alias(&mut aliases, function.param, closed);
                let body = &function.body;
                let body = run.inside(|run| run.trace(&functions, &mut aliases, body))?;
                Ok(Term::let_(param, function.from.clone(), arg, body))
            }
            Term::Rd { cotangent, at, var, ty, body } => {
                let at = run.operand(functions, aliases, at, bindings)?;
                let cotangent = run.operand(functions, aliases, cotangent, bindings)?;
                let closed = run.close(&at)?;
                let x = run.alias(aliases, *var, closed);
                let trace = run.inside(|run| run.trace(functions, aliases, body))?;
                let result = reverse(run.supply, &cotangent, &at, x, ty, &trace, MAX_SIZE);
                let result = result.ok_or(Stuck::Trace)?;
                run.step("R", |p| {
                    let (w, v) = (p.term(&cotangent), p.term(&at));
                    (format!("{w}.R_{v}({}. {})", p.var(x), p.term(&trace)), p.term(&result))
                })?;
                Ok(result)
            }
        })
    }

    /// An operation on values is its own trace.
    fn kept(&mut self, redex: Term) -> Result<Term, Stuck> {
        self.step("⤳", |p| (p.term(&redex), p.term(&redex)))?;
        Ok(redex)
    }

    fn test(
        &mut self,
        functions: &Functions,
        aliases: &mut Aliases,
        test: &Test,
        bindings: &mut Vec<(Var, Term)>,
    ) -> Result<bool, Stuck> {
        match test {
            Test::Known(truth) => Ok(*truth),
            Test::Pred(prim, args) => {
                let mut values = vec![];
                for arg in args {
                    let value = self.operand(functions, aliases, arg, bindings)?;
                    values.push(self.close(&value)?);
                }
                let scalars: Result<Vec<_>, _> = values
                    .iter()
                    .map(|value| match value {
                        Val::Real(x) => Ok(Scalar::Real(*x)),
                        Val::Tuple(_) => Err(Stuck::Untyped),
                    })
                    .collect();
                self.predicate("⤳", *prim, &scalars?)
            }
            Test::If(cond, then, other) => {
                let chosen =
                    if self.test(functions, aliases, cond, bindings)? { then } else { other };
                self.test(functions, aliases, chosen, bindings)
            }
        }
    }

    /// `ρ(V)`
    fn close(&self, value: &Term) -> Result<Val, Stuck> {
        if let Term::Tuple(items) = value {
            let items: Result<Vec<_>, _> = items.iter().map(|item| self.close(item)).collect();
            return Ok(Val::Tuple(Rc::new(items?)));
        }
        if let Term::Real(x) = value {
            return Ok(Val::Real(*x));
        }
        let Term::Var(var) = value else { return Err(Stuck::Untyped) };
        self.values.get(var).cloned().ok_or(Stuck::Untyped)
    }
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

fn terms(args: &[Scalar]) -> Vec<Term> {
    let term = |arg: &Scalar| match arg {
        Scalar::Real(x) => Term::Real(*x),
        Scalar::Int(n) => Term::Int(*n),
        Scalar::Bool(_) | Scalar::Str(_) => Term::Tuple(vec![]),
    };
    args.iter().map(term).collect()
}

fn operate(prim: Prim, args: &[Scalar]) -> Result<Val, Stuck> {
    match prim.eval_scalar(args) {
        Ok(Scalar::Real(x)) => Ok(Val::Real(x)),
        Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => Err(Stuck::Untyped),
    }
}

/// `ev(op_r, ⟨args, W⟩)`, from the partial derivatives of the table.
fn derive(prim: Prim, args: &[Scalar], w: &Val) -> Result<Val, Stuck> {
    let (Val::Real(w), Val::Real(result)) = (w, operate(prim, args)?) else {
        return Err(Stuck::Untyped);
    };
    let smooth = prim.row().smooth().ok_or(Stuck::Untyped)?;
    let parts: Result<Vec<_>, _> = smooth
        .partials
        .iter()
        .map(|partial| match partial {
            None => Ok(Val::Tuple(Rc::new(vec![]))),
            Some(partial) => times(partial, *w, args, result).map(Val::Real),
        })
        .collect();
    let mut parts = parts?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Val::Tuple(Rc::new(parts)) })
}

fn times(partial: &Partial, w: f64, args: &[Scalar], result: f64) -> Result<f64, Stuck> {
    match partial {
        Partial::Zero => Ok(0.0),
        Partial::If(cond, then, other) => {
            let truth = cond.eval(args, result).map_err(|_| Stuck::Untyped)?;
            let chosen = if truth == Scalar::Bool(true) { then } else { other };
            times(chosen, w, args, result)
        }
        Partial::Arg(_)
        | Partial::Result
        | Partial::Real(_)
        | Partial::Int(_)
        | Partial::Prim(_, _) => match partial.eval(args, result) {
            Ok(Scalar::Real(factor)) => Ok(factor * w),
            Ok(Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_)) | Err(_) => Err(Stuck::Untyped),
        },
    }
}

/// The value of an operation that gives a Real.
pub fn operate_reals(prim: Prim, args: &[Scalar]) -> Option<f64> {
    match operate(prim, args) {
        Ok(Val::Real(x)) => Some(x),
        Ok(Val::Tuple(_)) | Err(_) => None,
    }
}
