//! The evaluator: the calculus without differentiation, over any kind of number.
//!
//! Plain structural recursion on a stack that grows on demand; a step limit and a depth limit stop
//! what does not end. Operators that take derivatives are unsupported by design; a function with a rule
//! of the user's is the function alone, and `stop_gradient` holds its argument constant.

use std::rc::Rc;

use pullback_base::Id;
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Lit, LoopForm, Program, VarId};

use crate::value::{Closure, Env, Value, close, wrong};
use crate::{Data, Error, ErrorKind, Scalar};

/// How long and how deep a run may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Terms evaluated.
    pub steps: u64,
    /// Terms under evaluation at the same time.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20_000_000, depth: 200_000 }
    }
}

pub(crate) struct Evaluator<'p, S> {
    program: &'p Program,
    constants: Vec<Constant<'p, S>>,
    steps: u64,
    depth: usize,
    max_depth: usize,
}

#[derive(Clone)]
enum Constant<'p, S> {
    Unknown,
    UnderWay,
    Known(Value<'p, S>),
}

type Eval<'p, S> = Result<Value<'p, S>, Error>;

impl<'p, S: Scalar> Evaluator<'p, S> {
    pub fn new(program: &'p Program, limits: Limits) -> Self {
        Self {
            program,
            constants: vec![Constant::Unknown; program.defs.len()],
            steps: limits.steps,
            depth: 0,
            max_depth: limits.depth,
        }
    }

    /// Applies a definition to arguments.
    pub fn run(&mut self, def: DefId, args: &[Data<S>]) -> Result<Data<S>, Error> {
        let function = self.global(def)?;
        let args = args.iter().map(Value::of_data).collect();
        self.apply(function, args)?.to_data()
    }

    fn global(&mut self, def: DefId) -> Eval<'p, S> {
        let program = self.program;
        let Some(definition) = program.defs.get(def) else {
            return Err(Error::new(ErrorKind::Malformed, "no such definition"));
        };
        match &self.constants[def.index()] {
            Constant::Known(value) => return Ok(value.clone()),
            Constant::UnderWay => {
                return Err(Error::new(ErrorKind::Malformed, "a constant that needs itself"));
            }
            Constant::Unknown => {}
        }
        self.constants[def.index()] = Constant::UnderWay;
        let value = self.eval(&definition.body, &Env::empty())?;
        self.constants[def.index()] = Constant::Known(value.clone());
        Ok(value)
    }

    fn eval(&mut self, expr: &'p Expr, env: &Env<'p, S>) -> Eval<'p, S> {
        if self.steps == 0 || self.depth >= self.max_depth {
            return Err(Error::new(ErrorKind::Limit, "too long or too deep a run"));
        }
        self.steps -= 1;
        self.depth += 1;
        let value = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.form(expr, env));
        self.depth -= 1;
        value.map_err(|error| error.at(expr.span))
    }

    fn form(&mut self, expr: &'p Expr, env: &Env<'p, S>) -> Eval<'p, S> {
        match &expr.kind {
            ExprKind::Var(var) => env.lookup(*var),
            ExprKind::Global(def) => self.global(*def),
            ExprKind::Lit(lit) => Ok(literal(lit)),
            ExprKind::Prim(prim, args) => {
                let args = self.all(args, env)?;
                crate::prim::apply(*prim, args)
            }
            ExprKind::Lam(..) => close(expr, env),
            ExprKind::App(function, args) => {
                let function = self.eval(function, env)?;
                let args = self.all(args, env)?;
                self.apply(function, args)
            }
            ExprKind::Let(var, value, body) => {
                let value = self.eval(value, env)?;
                self.eval(body, &env.bind(*var, value))
            }
            ExprKind::LetRec(functions, body) => self.eval(body, &env.bind_recursive(functions)),
            ExprKind::If(cond, then, otherwise) => {
                let chosen = if self.eval(cond, env)?.bool()? { then } else { otherwise };
                self.eval(chosen, env)
            }
            ExprKind::Tuple(items) => Ok(Value::Tuple(Rc::new(self.all(items, env)?))),
            ExprKind::Proj(tuple, index) => {
                let Value::Tuple(items) = self.eval(tuple, env)? else {
                    return Err(wrong("a tuple"));
                };
                items.get(*index).cloned().ok_or_else(|| wrong("a longer tuple"))
            }
            ExprKind::Con(tag, fields) => Ok(Value::Con(*tag, Rc::new(self.all(fields, env)?))),
            ExprKind::Match(scrutinee, arms, default) => {
                let Value::Con(tag, fields) = self.eval(scrutinee, env)? else {
                    return Err(wrong("a constructor"));
                };
                if let Some(arm) = arms.iter().find(|arm| arm.tag == tag) {
                    let mut inner = env.clone();
                    for (var, field) in arm.vars.iter().zip(fields.iter()) {
                        inner = inner.bind(*var, field.clone());
                    }
                    return self.eval(&arm.body, &inner);
                }
                let Some(default) = default else {
                    return Err(wrong("an arm for every constructor"));
                };
                self.eval(default, env)
            }
            ExprKind::Array(items) => Ok(Value::Array(Rc::new(self.all(items, env)?))),
            ExprKind::Build { size, var, body } => {
                let size = self.eval(size, env)?.int()?;
                if size < 0 {
                    return Err(Error::new(ErrorKind::Negative, format!("size {size}")));
                }
                if size.unsigned_abs() > self.steps {
                    return Err(Error::new(ErrorKind::Limit, format!("size {size}")));
                }
                let items = (0..size).map(|i| self.eval(body, &env.bind(*var, Value::Int(i))));
                Ok(Value::Array(Rc::new(items.collect::<Result<_, _>>()?)))
            }
            ExprKind::Loop { var, init, form, body } => self.run_loop(*var, init, form, body, env),
            ExprKind::Ad(op, args) => self.without_rules(*op, args, env),
        }
    }

    /// What needs no rule of the operators: tangents of zero, values held constant, and functions
    /// with rules of their own, which are evaluated as if they had none.
    fn without_rules(&mut self, op: AdOp, args: &'p [Expr], env: &Env<'p, S>) -> Eval<'p, S> {
        let mut args = self.all(args, env)?.into_iter();
        if matches!(op, AdOp::Checkpoint | AdOp::AssumeLinear)
            && let (Some(function), Some(arg)) = (args.next(), args.next())
        {
            return self.apply(function, vec![arg]);
        }
        if op == AdOp::DifferentiatedAs
            && let (Some(_), Some(differentiated)) = (args.next(), args.next())
        {
            return self.apply(differentiated, vec![Value::unit()]);
        }
        if op == AdOp::Perturb
            && let (Some(by), Some(value)) = (args.next(), args.next())
        {
            return value.perturbed(&by.real()?, 0.0);
        }
        match (op, args.next(), args.nth(1)) {
            (AdOp::Zeros, Some(arg), None) => arg.map_leaves(&|leaf| {
                let real = matches!(leaf, Value::Real(_));
                if real { Value::Real(S::from_f64(0.0)) } else { Value::unit() }
            }),
            (AdOp::StopGradient, Some(arg), None) => arg.map_leaves(&|leaf| {
                if let Value::Real(x) = leaf { Value::Real(x.held()) } else { leaf.clone() }
            }),
            (AdOp::CustomVjp | AdOp::CustomJvp, Some(function), Some(arg)) => {
                self.apply(function, vec![arg])
            }
            _ => Err(Error::new(ErrorKind::Unsupported, "a derivative inside the program")),
        }
    }

    fn all(&mut self, exprs: &'p [Expr], env: &Env<'p, S>) -> Result<Vec<Value<'p, S>>, Error> {
        exprs.iter().map(|expr| self.eval(expr, env)).collect()
    }

    fn run_loop(
        &mut self,
        var: VarId,
        init: &'p Expr,
        form: &'p LoopForm,
        body: &'p Expr,
        env: &Env<'p, S>,
    ) -> Eval<'p, S> {
        let mut state = self.eval(init, env)?;
        match form {
            LoopForm::For { var: index, count } => {
                let count = self.eval(count, env)?.int()?;
                for i in 0..count {
                    let inner = env.bind(var, state).bind(*index, Value::Int(i));
                    state = self.eval(body, &inner)?;
                }
            }
            LoopForm::While(cond) => loop {
                let inner = env.bind(var, state.clone());
                if !self.eval(cond, &inner)?.bool()? {
                    break;
                }
                state = self.eval(body, &inner)?;
            },
        }
        Ok(state)
    }

    fn apply(&mut self, function: Value<'p, S>, args: Vec<Value<'p, S>>) -> Eval<'p, S> {
        let mut function = function;
        let mut args = args.into_iter();
        while args.len() > 0 {
            let Value::Fun(closure) = function else {
                return Err(wrong("a function"));
            };
            let mut given = closure.given.clone();
            given.extend(args.by_ref().take(closure.params.len() - given.len()));
            if given.len() < closure.params.len() {
                return Ok(Value::Fun(Rc::new(Closure { given, ..(*closure).clone() })));
            }
            let mut env = closure.env.clone();
            for (param, arg) in closure.params.iter().zip(given) {
                env = env.bind(*param, arg);
            }
            function = self.eval(closure.body, &env)?;
        }
        Ok(function)
    }
}

fn literal<'p, S: Scalar>(lit: &Lit) -> Value<'p, S> {
    match lit {
        Lit::Real(x) => Value::Real(S::from_f64(*x)),
        Lit::Int(n) => Value::Int(*n),
        Lit::Bool(b) => Value::Bool(*b),
        Lit::Str(text) => Value::Str(text.clone()),
    }
}
