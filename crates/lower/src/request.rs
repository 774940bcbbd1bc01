//! Translation of differentiation operators: each becomes a request for a derivation of a function of the IR.
//!
//! ```text
//! calculus  vjp (\y -> y * y * x) x
//! IR        request q0 = pull @`function in g`.1(_, x) residual `X function in g`.0
//!           y.1: f64, y.2: `X function in g`.0 = linearize q0(x.0, x.0)        d.3: f64 = apply q0(y.2) to (1.0)
//! ```
//!
//! Law: the function takes what it captured before its argument, and by what is captured (`_`) nothing is
//! differentiated. Equal requests are one. `stop_gradient`, `zeros` and checkpoints become operations and functions of
//! the IR; rules of users become a [`Rule`] with functions over the IR's tangents.

use std::ops::Range;

use pullback_base::{Span, bug};
use pullback_ir::{Atom, Data, FuncId, Mode, Op, Request, Role, Rule, RuleId, Type};
use pullback_lambda as lambda;
use pullback_lambda::{AdOp, Expr};

use crate::context::{Ctx, Signature};
use crate::layout::fresh_vars;
use crate::name::NAME;
use crate::value::{Fun, Linear, Value};

/// A function of the IR from one argument of the calculus, with the atoms of what it captured.
struct Closed {
    func: FuncId,
    captured: Vec<Atom>,
}

impl Ctx<'_> {
    /// The value of a differentiation operator at its arguments.
    pub(crate) fn request(&mut self, op: AdOp, args: &[Expr], span: Span) -> Value {
        let values: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
        self.span = span;
        match op {
            AdOp::StopGradient => self.stop(&values[0], &args[0].ty),
            AdOp::Zeros => self.zeros(&args[0].ty, &values[0]),
            AdOp::Checkpoint => {
                let [function, x] = pair(values);
                self.checkpoint(function, &args[0].ty, x)
            }
            AdOp::AssumeLinear => {
                let [function, x] = pair(values);
                self.apply(function, &args[0].ty, vec![x])
            }
            AdOp::DifferentiatedAs => self.differentiated_as(pair(values), &args[0].ty),
            // What is known has been moved by now.
            AdOp::Perturb => {
                let [_, value] = pair(values);
                value
            }
            AdOp::Vjp | AdOp::Linearize => {
                let [function, x] = pair(values);
                self.linearized(op == AdOp::Vjp, function, &args[0].ty, x)
            }
            AdOp::Jvp => {
                let [function, x, x_dot] = triple(values);
                self.jvp(function, &args[0].ty, &x, &x_dot)
            }
            AdOp::CustomVjp | AdOp::CustomJvp => {
                let [function, rule, x] = triple(values);
                self.custom(op, (function, &args[0].ty), (rule, &args[1].ty), x)
            }
        }
    }

    fn stop(&mut self, value: &Value, ty: &lambda::Type) -> Value {
        let mut leaves = self.leaves(ty).into_iter();
        let mut stopped = value.clone();
        stopped.for_each_atom(&mut |atom| {
            let Some(leaf) = leaves.next() else { bug(NAME, "as many atoms as leaves") };
            if self.out.has_tangent(leaf) {
                *atom = self.emit("stopped", leaf, Op::Stop(*atom));
            }
        });
        stopped
    }

    /// A call of a function that is made for it: what else calls the same function is no checkpoint.
    fn checkpoint(&mut self, function: Value, ty: &lambda::Type, x: Value) -> Value {
        let (from, to) = ty.sides();
        let Closed { func: inner, captured: mut args } = self.closed(function, ty);
        args.extend(self.flatten(x, from));
        let types: Vec<Type> = args.iter().map(|arg| self.out.type_of(*arg)).collect();
        let results = self.leaves(to);
        let func = self.caller(inner, &types, 0..types.len(), &results);
        self.out.funcs[func].is_checkpoint = true;
        let atoms = self.emit_all("y", &results, Op::Call(func, args));
        self.unflatten(atoms, to)
    }

    /// A call of a function that calls the first one, of which it is known that it is differentiated as one that calls
    /// the second. Both take what the two functions captured.
    fn differentiated_as(&mut self, functions: [Value; 2], ty: &lambda::Type) -> Value {
        let [value, differentiated] = functions.map(|function| self.closed(function, ty));
        let (own, mut args) = (value.captured.len(), value.captured);
        args.extend(differentiated.captured);
        let types: Vec<Type> = args.iter().map(|arg| self.out.type_of(*arg)).collect();
        let (_, to) = ty.sides();
        let results = self.leaves(to);
        let func = self.caller(value.func, &types, 0..own, &results);
        let other = self.caller(differentiated.func, &types, own..types.len(), &results);
        self.derived.insert(func, other);
        let atoms = self.emit_all("y", &results, Op::Call(func, args));
        self.unflatten(atoms, to)
    }

    /// A function with parameters of these types that gives some of them to another one.
    fn caller(
        &mut self,
        callee: FuncId,
        types: &[Type],
        given: Range<usize>,
        results: &[Type],
    ) -> FuncId {
        let func = self.declare(self.out.funcs[callee].name.clone(), self.span);
        let params = fresh_vars(&mut self.out, "x", types);
        let given = params[given].iter().map(|var| Atom::Var(*var)).collect();
        self.define_flat(func, params, results.to_vec(), |ctx| {
            ctx.emit_all("y", results, Op::Call(callee, given))
        });
        func
    }

    /// `vjp` and `linearize`: the value, and the linear map as a known function.
    fn linearized(
        &mut self,
        is_pullback: bool,
        function: Value,
        ty: &lambda::Type,
        x: Value,
    ) -> Value {
        let (from, to) = ty.sides();
        let closed = self.closed(function, ty);
        let residual = self.residual(&closed, is_pullback);
        let mode = if is_pullback { Mode::Pull(residual) } else { Mode::Push(residual) };
        let request = self.derivation(&closed, from, mode);
        let (Mode::Pull(residual) | Mode::Push(residual)) = self.out.requests[request].mode else {
            bug(NAME, "a linear derivation")
        };
        let mut atoms = closed.captured;
        atoms.extend(self.flatten(x.clone(), from));
        let mut types = self.leaves(to);
        types.push(Type::data(residual));
        let mut results = self.emit_all("y", &types, Op::Linearize(request, atoms));
        let Some(residual) = results.pop() else { bug(NAME, "a residual") };
        let y = self.unflatten(results, to);
        let (x, y_shape) = (self.shape(&x, from), self.shape(&y, to));
        let linear = Linear {
            request,
            is_pullback,
            residual,
            from: from.clone(),
            to: to.clone(),
            x,
            y: y_shape,
        };
        Value::Tuple(vec![y, Value::Fun(Box::new(Fun::Linear(linear)))])
    }

    /// A data type for what a derivation saves, which has no constructors until the derivation is made.
    fn residual(&mut self, closed: &Closed, is_pullback: bool) -> pullback_ir::DataId {
        let known = self.out.requests.iter().find_map(|request| match request.mode {
            Mode::Pull(data) if is_pullback && request.func == closed.func => Some(data),
            Mode::Push(data) if !is_pullback && request.func == closed.func => Some(data),
            Mode::Pull(_) | Mode::Push(_) | Mode::Jvp => None,
        });
        known.unwrap_or_else(|| {
            let name = format!("X {}", self.out.funcs[closed.func].name).into();
            let data = Data { name, constructors: vec![], tangent: None, is_tangent: false };
            self.out.datas.push(data)
        })
    }

    fn derivation(
        &mut self,
        closed: &Closed,
        from: &lambda::Type,
        mode: Mode,
    ) -> pullback_ir::RequestId {
        let mut active = vec![false; closed.captured.len()];
        active.extend(self.moving(from));
        self.out.request(Request { func: closed.func, active, mode })
    }

    fn jvp(&mut self, function: Value, ty: &lambda::Type, x: &Value, x_dot: &Value) -> Value {
        let (from, to) = ty.sides();
        let closed = self.closed(function, ty);
        let request = self.derivation(&closed, from, Mode::Jvp);
        let tangents = self.from_program(Role::Tangent, from, x, x_dot);
        let mut atoms = closed.captured;
        atoms.extend(self.flatten(x.clone(), from));
        let values = self.leaves(to);
        let mut types = values.clone();
        types.extend(self.tangent_leaves(to));
        let mut results = self.emit_all("y", &types, Op::Jvp(request, atoms, tangents));
        let tangents = results.split_off(values.len());
        let y = self.unflatten(results, to);
        let y_dot = self.to_program(to, &y, &mut tangents.into_iter());
        Value::Tuple(vec![y, y_dot])
    }

    /// A pullback or pushforward applied.
    pub(crate) fn apply_linear(&mut self, linear: &Linear, direction: Value) -> Value {
        let Linear { request, is_pullback, residual, from, to, x, y } = linear;
        let (role, given, given_shape, wanted, wanted_shape) = if *is_pullback {
            (Role::Cotangent, to, y, from, x)
        } else {
            (Role::Tangent, from, x, to, y)
        };
        let directions = self.from_program(role, given, given_shape, &direction);
        let types = self.tangent_leaves(wanted);
        let op = Op::Apply(*request, *residual, directions);
        let results = self.emit_all("d", &types, op);
        self.to_program(wanted, wanted_shape, &mut results.into_iter())
    }

    /// A function as one of the IR: from what it captured and its argument to its result.
    fn closed(&mut self, function: Value, ty: &lambda::Type) -> Closed {
        match function {
            Value::Fun(fun) if self.arity(&fun) == 1 => match *fun {
                Fun::Def(def) => Closed { func: self.def(def), captured: vec![] },
                Fun::Lifted { func, captured } => Closed { func, captured },
                fun @ (Fun::Partial(..) | Fun::Linear(_)) => self.wrapped(fun, ty),
            },
            Value::Fun(fun) => self.wrapped(*fun, ty),
            Value::Leaf(closure) => Closed { func: self.applier(ty, 1), captured: vec![closure] },
            Value::Tuple(_) | Value::Array(_) => bug(NAME, "a function that is differentiated"),
        }
    }

    fn wrapped(&mut self, fun: Fun, ty: &lambda::Type) -> Closed {
        let (from, to) = ty.sides();
        let captured = fun.atoms();
        let types: Vec<Type> = captured.iter().map(|atom| self.out.type_of(*atom)).collect();
        let func = self.declare("differentiated", self.span);
        let mut params = fresh_vars(&mut self.out, "captured", &types);
        let inside: Vec<Atom> = params.iter().map(|var| Atom::Var(*var)).collect();
        let (vars, x) = self.fresh("x", from);
        params.extend(vars);
        let signature = Signature { params: vec![from.clone()], result: to.clone() };
        self.lifted.insert(func, signature);
        let fun = Value::Fun(Box::new(fun.with_atoms(&inside)));
        self.define(func, params, to, |ctx| ctx.apply(fun, ty, vec![x]));
        Closed { func, captured }
    }

    /// The value of a function that has a derivative rule of the user's.
    fn custom(
        &mut self,
        op: AdOp,
        (function, ty): (Value, &lambda::Type),
        (rule, rule_type): (Value, &lambda::Type),
        x: Value,
    ) -> Value {
        let (from, to) = ty.sides();
        let value = self.closed(function, ty);
        let (rule, rule_captured) = if op == AdOp::CustomVjp {
            let forward = self.closed(rule, rule_type);
            let pullback = self.rule_pullback(from, to);
            let rule = Rule::Vjp { value: value.func, forward: forward.func, pullback };
            (rule, forward.captured)
        } else {
            let forward = self.rule_pushforward(rule, rule_type, from, to);
            (Rule::Jvp { value: value.func, forward: forward.func }, forward.captured)
        };
        let rule = self.rule(rule);
        let args = self.flatten(x, from);
        let leaves = self.leaves(to);
        let value_captured = value.captured;
        let op = Op::Custom { rule, value_captured, rule_captured, args };
        let results = self.emit_all("y", &leaves, op);
        self.unflatten(results, to)
    }

    fn rule(&mut self, rule: Rule) -> RuleId {
        let known = self.out.rules.iter_enumerated().find(|(_, known)| **known == rule);
        match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.out.rules.push(rule),
        }
    }

    /// `(pullback, x…, y…, ȳ…) -> x̄…`
    fn rule_pullback(&mut self, from: &lambda::Type, to: &lambda::Type) -> FuncId {
        let (from_dot, to_dot) = (self.layouts.tangent(from), self.layouts.tangent(to));
        let ty = lambda::Type::fun(to_dot.clone(), from_dot.clone());
        let func = self.declare("rule_pullback", self.span);
        let data = self.layouts.function(&mut self.out, &ty);
        let pullback = self.out.fresh("pullback", Type::data(data));
        let mut params = vec![pullback];
        let (x_vars, x) = self.fresh("x", from);
        let (y_vars, y) = self.fresh("y", to);
        let tangents = self.tangent_leaves(to);
        let bars = fresh_vars(&mut self.out, "y_bar", &tangents);
        params.extend(x_vars.into_iter().chain(y_vars).chain(bars.iter().copied()));
        let results = self.tangent_leaves(from);
        self.define_flat(func, params, results, |ctx| {
            let y_bar = ctx.to_program(to, &y, &mut bars.into_iter().map(Atom::Var));
            let x_bar = ctx.apply(Value::Leaf(Atom::Var(pullback)), &ty, vec![y_bar]);
            ctx.from_program(Role::Cotangent, from, &x, &x_bar)
        });
        func
    }

    /// `(captured…, x…, ẋ…) -> (y…, ẏ…)`
    fn rule_pushforward(
        &mut self,
        rule: Value,
        ty: &lambda::Type,
        from: &lambda::Type,
        to: &lambda::Type,
    ) -> Closed {
        let mut rule = match rule {
            Value::Fun(fun) => *fun,
            Value::Leaf(_) => {
                let (captured, func) = (vec![self.leaf(&rule)], self.applier(ty, 2));
                let (first, rest) = ty.sides();
                let (second, result) = rest.sides();
                let params = vec![first.clone(), second.clone()];
                self.lifted.insert(func, Signature { params, result: result.clone() });
                Fun::Lifted { func, captured }
            }
            Value::Tuple(_) | Value::Array(_) => bug(NAME, "a rule to be a function"),
        };
        let captured = rule.atoms();
        let types: Vec<Type> = captured.iter().map(|atom| self.out.type_of(*atom)).collect();
        let func = self.declare("rule_pushforward", self.span);
        let mut params = fresh_vars(&mut self.out, "captured", &types);
        let inside: Vec<Atom> = params.iter().map(|var| Atom::Var(*var)).collect();
        rule = rule.with_atoms(&inside);
        let (x_vars, x) = self.fresh("x", from);
        let tangents = self.tangent_leaves(from);
        let dots = fresh_vars(&mut self.out, "x_dot", &tangents);
        params.extend(x_vars.into_iter().chain(dots.iter().copied()));
        let mut results = self.leaves(to);
        results.extend(self.tangent_leaves(to));
        self.define_flat(func, params, results, |ctx| {
            let x_dot = ctx.to_program(from, &x, &mut dots.into_iter().map(Atom::Var));
            let both = ctx.apply(Value::Fun(Box::new(rule)), ty, vec![x, x_dot]);
            let Value::Tuple(both) = both else { bug(NAME, "a value and its tangent") };
            let [y, y_dot] = pair(both);
            let mut atoms = ctx.flatten(y.clone(), to);
            atoms.extend(ctx.from_program(Role::Tangent, to, &y, &y_dot));
            atoms
        });
        Closed { func, captured }
    }
}

fn pair(values: Vec<Value>) -> [Value; 2] {
    values.try_into().unwrap_or_else(|_| bug(NAME, "two arguments"))
}

fn triple(values: Vec<Value>) -> [Value; 3] {
    values.try_into().unwrap_or_else(|_| bug(NAME, "three arguments"))
}
