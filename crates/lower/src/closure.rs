//! Lambda lifting (Johnsson 1985) and defunctionalisation (Reynolds 1972): functions of the calculus become functions
//! of the IR, and those that go where they are not known become data.
//!
//! A known function is applied by a call, with what it captured before its arguments. Else it becomes a constructor of
//! a data type: one for each function of its type that the program makes, with what it captured and the arguments it
//! has. It is applied by a function `apply`, which the type has for each number of arguments: a match on the tag.
//!
//! ```text
//! calculus  if b then (\x -> x + k) else (\x -> x * 2.0)         f x
//! IR        data function.0 = `in pick`.0(f64) | `in pick`.1     y.4 = @apply.2(f.3, x.2)
//!           fn @apply.2(f, x) { match f { `in pick`.0(k) => { … @`in pick`.3(k, x) … }  `in pick`.1 => { … } } }
//! ```
//!
//! Law: an application computes what the function does, in the order of the calculus. This is the environment of *The
//! Differentiable Curry*, §5, with a tag in the place of the cast: so the tangent of a function is the tangent of what
//! it captured.

use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Constructor, DataId, FuncId, Match, Op, Type};
use pullback_lambda as lambda;
use pullback_lambda::{Expr, ExprKind, VarId};
use rustc_hash::FxHashMap;

use crate::context::{Ctx, Signature};
use crate::function::{Apply, Case};
use crate::layout::{fresh_vars, tag};
use crate::name::NAME;
use crate::value::{Fun, Value};

impl Ctx<'_> {
    /// Makes data of a function: a constructor of the type's data type, which is added if the program has not made this
    /// function before.
    pub(crate) fn closure(&mut self, fun: Fun, ty: &lambda::Type) -> Atom {
        let data = self.layouts.function(&mut self.out, ty);
        let atoms = fun.atoms();
        let skeleton = fun.with_atoms(&vec![Atom::Int(0); atoms.len()]);
        let cases = self.cases.entry(data).or_default();
        let known = cases.iter().position(|case| case.skeleton == skeleton);
        let position = known.unwrap_or_else(|| {
            cases.push(Case { template: fun.clone(), skeleton });
            cases.len() - 1
        });
        if known.is_none() {
            let fields: Vec<Type> = atoms.iter().map(|atom| self.out.type_of(*atom)).collect();
            let name = self.name_of(&fun);
            self.out.datas[data].constructors.push(Constructor::new(name, fields));
        }
        self.emit("closure", Type::data(data), Op::Con(tag(position), atoms))
    }

    fn name_of(&self, fun: &Fun) -> pullback_base::Name {
        match fun {
            Fun::Def(def) => self.source.defs[*def].name.clone(),
            Fun::Lifted { func, .. } => self.out.funcs[*func].name.clone(),
            Fun::Partial(fun, _) => self.name_of(fun),
            Fun::Linear(linear) if linear.is_pullback => "pullback".into(),
            Fun::Linear(_) => "pushforward".into(),
        }
    }

    /// The value of a function at arguments, fewer or more than it takes.
    pub(crate) fn apply(&mut self, function: Value, ty: &lambda::Type, args: Vec<Value>) -> Value {
        if args.is_empty() {
            return function;
        }
        match function {
            Value::Fun(fun) => self.apply_known(*fun, ty, args),
            Value::Leaf(closure) => {
                let mut types = vec![];
                let mut result = ty.clone();
                for _ in &args {
                    let (from, to) = result.sides();
                    types.push(from.clone());
                    result = to.clone();
                }
                let func = self.applier(ty, args.len());
                let mut atoms = vec![closure];
                atoms.extend(self.flatten_all(args, &types));
                let leaves = self.leaves(&result);
                let results = self.emit_all("y", &leaves, Op::Call(func, atoms));
                self.unflatten(results, &result)
            }
            Value::Tuple(_) | Value::Array(_) => bug(NAME, "a function that is applied"),
        }
    }

    fn apply_known(&mut self, fun: Fun, ty: &lambda::Type, mut args: Vec<Value>) -> Value {
        let arity = self.arity(&fun);
        if args.len() < arity {
            return Value::Fun(Box::new(match fun {
                Fun::Partial(fun, mut given) => {
                    given.append(&mut args);
                    Fun::Partial(fun, given)
                }
                fun @ (Fun::Def(_) | Fun::Lifted { .. } | Fun::Linear(_)) => {
                    Fun::Partial(Box::new(fun), args)
                }
            }));
        }
        let rest = args.split_off(arity);
        let result = self.saturate(fun, args);
        let mut rest_type = ty.clone();
        for _ in 0..arity {
            rest_type = rest_type.sides().1.clone();
        }
        self.apply(result, &rest_type, rest)
    }

    /// A call with as many arguments as the function takes.
    fn saturate(&mut self, fun: Fun, args: Vec<Value>) -> Value {
        match fun {
            Fun::Partial(fun, mut given) => {
                given.extend(args);
                self.saturate(*fun, given)
            }
            Fun::Def(def) => {
                let func = self.def(def);
                let signature = self.signature(def);
                self.call(func, vec![], &signature, args)
            }
            Fun::Lifted { func, captured } => {
                let signature = self.lifted[&func].clone();
                self.call(func, captured, &signature, args)
            }
            Fun::Linear(linear) => {
                let [direction] = <[Value; 1]>::try_from(args)
                    .unwrap_or_else(|_| bug(NAME, "one argument of a linear map"));
                self.apply_linear(&linear, direction)
            }
        }
    }

    fn call(
        &mut self,
        func: FuncId,
        captured: Vec<Atom>,
        signature: &Signature,
        args: Vec<Value>,
    ) -> Value {
        let mut atoms = captured;
        atoms.extend(self.flatten_all(args, &signature.params));
        let leaves = self.leaves(&signature.result);
        let results = self.emit_all("y", &leaves, Op::Call(func, atoms));
        self.unflatten(results, &signature.result)
    }

    /// The parameters and the result of a definition.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    pub(crate) fn signature(&self, def: lambda::DefId) -> Signature {
        match &self.source.defs[def].body.kind {
            ExprKind::Lam(params, body) => self.lam_signature(params, body),
            _ => Signature { params: vec![], result: self.source.defs[def].ty.clone() },
        }
    }

    fn lam_signature(&self, params: &[VarId], body: &Expr) -> Signature {
        let params = params.iter().map(|param| self.source.vars[*param].ty.clone()).collect();
        Signature { params, result: body.ty.clone() }
    }

    /// The function of the IR that a definition becomes.
    pub(crate) fn def(&mut self, def: lambda::DefId) -> FuncId {
        if let Some(func) = self.defs.get(&def) {
            return *func;
        }
        let source = &self.source.defs[def];
        let func = self.declare(source.name.clone(), source.span);
        self.out.funcs[func].is_constant = !matches!(source.body.kind, ExprKind::Lam(..));
        self.defs.insert(def, func);
        self.queue.push(def);
        func
    }

    /// Lifts a local function to a function of the IR, which takes what it captured before its parameters.
    pub(crate) fn lambda(
        &mut self,
        params: &[VarId],
        body: &Expr,
        free: &[VarId],
        span: Span,
    ) -> Value {
        // It has no name, so people are told where it is.
        let func = self.declare(format!("function in {}", self.within), span);
        let captures = self.captures(free);
        let captured = captures.outside.clone();
        self.lift(func, params, body, captures);
        Value::Fun(Box::new(Fun::Lifted { func, captured }))
    }

    /// Mutually recursive local functions become functions of the IR, each with what all of them captured.
    pub(crate) fn recursive(&mut self, functions: &[(VarId, Expr)]) {
        let mut free = vec![];
        for (_, function) in functions {
            for var in function.free_vars() {
                if !free.contains(&var) && functions.iter().all(|(own, _)| *own != var) {
                    free.push(var);
                }
            }
        }
        let outside = self.captures(&free).outside;
        let mut funcs = vec![];
        for (var, function) in functions {
            let ExprKind::Lam(params, body) = &function.kind else {
                bug(NAME, "recursive bindings to be functions")
            };
            let func = self.declare(self.source.vars[*var].name.clone(), function.span);
            self.lifted.insert(func, self.lam_signature(params, body));
            funcs.push((*var, func, params, body));
        }
        for (_, func, params, body) in &funcs {
            let mut captures = self.captures(&free);
            for (var, func, _, _) in &funcs {
                let captured = captures.inside.iter().map(|var| Atom::Var(*var)).collect();
                let fun = Value::Fun(Box::new(Fun::Lifted { func: *func, captured }));
                captures.env.insert(*var, fun);
            }
            self.lift(*func, params, body, captures);
        }
        for (var, func, _, _) in &funcs {
            let captured = outside.clone();
            self.env.insert(*var, Value::Fun(Box::new(Fun::Lifted { func: *func, captured })));
        }
    }

    fn lift(&mut self, func: FuncId, params: &[VarId], body: &Expr, captures: Captures) {
        let signature = self.lam_signature(params, body);
        self.lifted.insert(func, signature.clone());
        let mut vars = captures.inside;
        let mut env = captures.env;
        for param in params {
            let source = &self.source.vars[*param];
            let (leaves, value) = self.fresh(&source.name.clone(), &source.ty);
            vars.extend(leaves);
            env.insert(*param, value);
        }
        self.define(func, vars, &signature.result, |ctx| {
            ctx.env = env;
            ctx.expr(body)
        });
    }

    /// What a function captures: the atoms of its free variables, and variables for them inside.
    fn captures(&mut self, free: &[VarId]) -> Captures {
        let mut captures = Captures::default();
        let mut known = FxHashMap::default();
        for var in free {
            let Some(value) = self.env.get(var) else { bug(NAME, "a variable in scope") };
            let mut value = value.clone();
            value.for_each_atom(&mut |atom| {
                if let Atom::Var(outside) = *atom {
                    let inside = *known.entry(outside).or_insert_with(|| {
                        let inside = self.out.fresh_like(outside);
                        captures.outside.push(*atom);
                        captures.inside.push(inside);
                        inside
                    });
                    *atom = Atom::Var(inside);
                }
            });
            captures.env.insert(*var, value);
        }
        captures
    }

    /// The function that applies functions of a type to so many arguments.
    pub(crate) fn applier(&mut self, ty: &lambda::Type, args: usize) -> FuncId {
        let known = self.applies.iter().find(|apply| apply.args == args && apply.ty == *ty);
        if let Some(apply) = known {
            return apply.func;
        }
        let func = self.declare("apply", self.span);
        self.applies.push(Apply { ty: ty.clone(), args, func, covered: None });
        func
    }

    /// Makes the bodies of those `apply` functions that do not know all constructors of their type. Says whether
    /// there were any.
    pub(crate) fn complete_applies(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.applies.len() {
            let Apply { ty, args, func, covered } = &self.applies[index];
            let (ty, args, func, covered) = (ty.clone(), *args, *func, *covered);
            let data = self.layouts.function(&mut self.out, &ty);
            let count = self.cases.get(&data).map_or(0, Vec::len);
            if covered != Some(count) {
                self.applies[index].covered = Some(count);
                self.complete(&ty, args, func, data, count);
                changed = true;
            }
        }
        changed
    }

    fn complete(
        &mut self,
        ty: &lambda::Type,
        args: usize,
        func: FuncId,
        data: DataId,
        count: usize,
    ) {
        let closure = self.out.fresh("closure", Type::data(data));
        let mut vars = vec![closure];
        let mut values = vec![];
        let mut result = ty.clone();
        for _ in 0..args {
            let (from, to) = result.sides();
            let (leaves, value) = self.fresh("x", from);
            vars.extend(leaves);
            values.push(value);
            result = to.clone();
        }
        self.define(func, vars, &result, |ctx| {
            let leaves = ctx.leaves(&result);
            if count == 0 {
                let text = Atom::Str(ctx.out.string("a function of a type of which none is made"));
                let op = Op::Fail(pullback_prim::Prim::Broken, text);
                let never = ctx.emit_all("never", &leaves, op);
                return ctx.unflatten(never, &result);
            }
            let mut arms = vec![];
            for position in 0..count {
                let fields = ctx.out.datas[data].constructors[position].fields.clone();
                let params = fresh_vars(&mut ctx.out, "captured", &fields);
                let atoms: Vec<Atom> = params.iter().map(|var| Atom::Var(*var)).collect();
                let fun = ctx.cases[&data][position].template.with_atoms(&atoms);
                let values = values.clone();
                let block = ctx.block(|ctx| {
                    let value = ctx.apply_known(fun, ty, values);
                    ctx.flatten(value, &result)
                });
                arms.push(Arm { tag: tag(position), params, block });
            }
            let cases = Match { scrutinee: Atom::Var(closure), arms, default: None };
            let results = ctx.emit_all("y", &leaves, Op::Match(cases));
            ctx.unflatten(results, &result)
        });
    }
}

#[derive(Default)]
struct Captures {
    outside: Vec<Atom>,
    inside: Vec<pullback_ir::VarId>,
    env: FxHashMap<VarId, Value>,
}
