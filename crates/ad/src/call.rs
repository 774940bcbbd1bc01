//! Forward mode of calls: of functions, and of functions with a rule that a user wrote.
//!
//! ```text
//! before   y = @f(x)
//! after    y, y_dot = @jvp_f(x, x_dot)             in reverse mode   y, X = @forward(x);  y_dot = push(X, x_dot)
//! ```
//!
//! Type: a call `y = f(x)` becomes `y, y_dot = (jvp f)(x, x_dot)`; in reverse mode `y, X = forward(x)`, `y_dot =
//! push(X, x_dot)`.
//! Law: that of `jvp`. A function is differentiated once for each set of parameters that move and each use.
//! Cost: one call for each call, or two. A checkpoint saves its arguments only (`checkpoint`).
//!
//! A rule `custom_vjp` gives the transpose, so that forward mode takes the transpose of it at zero cotangents;
//! reverse mode calls it as it is. A rule `custom_jvp` is linear in tangents, so that its linear part is its
//! derivative by them. What the function captured is differentiated by the function itself, and the contributions are
//! added up.

use pullback_base::bug;
use pullback_ir::{Atom, Func, FuncId, Op, Rule, RuleId, Type, VarId};

use crate::activity::is_in;
use crate::jvp::Jvp;
use crate::name::NAME;
use crate::state::{Kind, Result};

impl Jvp<'_> {
    pub(crate) fn call(&mut self, vars: Vec<VarId>, func: FuncId, args: Vec<Atom>) -> Result<()> {
        let moving: Vec<bool> = args.iter().map(|arg| self.dot(*arg).is_some()).collect();
        if !moving.contains(&true) {
            self.push(vars, Op::Call(func, args));
            return Ok(());
        }
        let summary = self.ad.summaries.of(&self.ad.program, func, &moving);
        let varying: Vec<VarId> = vars
            .iter()
            .zip(&summary.results)
            .filter(|(_, varies)| **varies)
            .map(|(var, _)| *var)
            .collect();
        let dots = args.iter().filter_map(|arg| self.dot(*arg)).collect();
        let out: Vec<VarId> = varying.iter().map(|var| self.dot_var(*var)).collect();
        for dot in &out {
            self.mark_absent(Atom::Var(*dot), true);
        }
        self.derived_call((func, &moving), vars, out, args, dots)
    }

    /// Calls a function's derivative, which gives values to `vars` and tangents to `out`.
    fn derived_call(
        &mut self,
        (func, moving): (FuncId, &[bool]),
        vars: Vec<VarId>,
        out: Vec<VarId>,
        mut args: Vec<Atom>,
        dots: Vec<Atom>,
    ) -> Result<()> {
        let span = self.span;
        if self.kind == Kind::Pull && self.is_run_again(func, moving) {
            let derived = self.ad.run_again(func, moving, span)?;
            let is_acc = |arg: &Atom| self.ad.program.type_of(*arg).is_acc;
            let linear_args = args.iter().copied().filter(|arg| !is_acc(arg)).chain(dots).collect();
            self.push(vars, Op::Call(derived.forward, args));
            self.push(out, Op::Call(derived.push, linear_args));
            return Ok(());
        }
        let derived = self.ad.derive(func, moving, self.kind, false, span)?;
        if self.kind == Kind::Jvp {
            args.extend(dots);
            self.push(vars.into_iter().chain(out).collect(), Op::Call(derived.forward, args));
        } else {
            let residuals = self.fresh_all("x", &derived.residuals);
            let mut linear_args: Vec<Atom> = residuals.iter().map(|var| Atom::Var(*var)).collect();
            linear_args.extend(dots);
            self.push(vars.into_iter().chain(residuals).collect(), Op::Call(derived.forward, args));
            self.push(out, Op::Call(derived.push, linear_args));
        }
        Ok(())
    }

    /// Whether a call saves its arguments only. All accumulators must vary: only a cotangent tells the size of the
    /// accumulator with which the function runs again.
    fn is_run_again(&self, func: FuncId, moving: &[bool]) -> bool {
        let Func { params, is_checkpoint, .. } = &self.ad.program.funcs[func];
        let mut pairs = params.iter().zip(moving);
        *is_checkpoint
            && pairs.all(|(param, moves)| *moves || !self.ad.program.vars[*param].ty.is_acc)
    }

    fn fresh_all(&mut self, name: &str, types: &[Type]) -> Vec<VarId> {
        types.iter().map(|ty| self.program().fresh(name, *ty)).collect()
    }

    fn types_of(&self, vars: &[VarId]) -> Vec<Type> {
        vars.iter().map(|var| self.ad.program.vars[*var].ty).collect()
    }

    /// Differentiates a function with a user's rule: by its argument through the rule, and by what the function
    /// captured through the function.
    pub(crate) fn custom(
        &mut self,
        vars: Vec<VarId>,
        rule: RuleId,
        value_captured: Vec<Atom>,
        rule_captured: Vec<Atom>,
        args: Vec<Atom>,
    ) -> Result<()> {
        let value = self.program().rules[rule].value();
        let moves = |ctx: &Self, arg: &Atom| ctx.dot(*arg).is_some();
        let by_rule = args.iter().any(|arg| moves(self, arg));
        let mut moving: Vec<bool> = value_captured.iter().map(|arg| moves(self, arg)).collect();
        let by_captured = moving.contains(&true);
        let mut value_args = value_captured.clone();
        value_args.extend(args.iter().copied());
        let mut parts: Vec<Vec<Option<Atom>>> = vec![];
        if by_captured {
            let dots = value_captured.iter().filter_map(|arg| self.dot(*arg)).collect();
            moving.resize(value_args.len(), false);
            let summary = self.ad.summaries.of(&self.ad.program, value, &moving);
            let mut part = vec![];
            let mut out = vec![];
            for (var, varies) in vars.iter().zip(&summary.results) {
                part.push(varies.then(|| {
                    let dot = self.dot_var(*var);
                    self.mark_absent(Atom::Var(dot), true);
                    out.push(dot);
                    Atom::Var(dot)
                }));
            }
            parts.push(part);
            let types = self.types_of(&vars);
            let ignored = self.fresh_all("y", &types);
            self.derived_call((value, &moving), ignored, out, value_args, dots)?;
        }
        // The value keeps its rule, for derivatives of this derivative.
        let (captured, at) = (rule_captured.clone(), args.clone());
        let op = Op::Custom { rule, value_captured, rule_captured: captured, args: at };
        self.push(vars.clone(), op);
        if by_rule {
            let part = match self.program().rules[rule].clone() {
                Rule::Vjp { forward, pullback, .. } => {
                    self.by_pullback(&vars, rule, forward, pullback, rule_captured, args)?
                }
                Rule::Jvp { forward, .. } => {
                    self.by_pushforward(&vars, forward, rule_captured, args)?
                }
            };
            parts.push(part);
        }
        self.sum_parts(&vars, parts);
        Ok(())
    }

    fn sum_parts(&mut self, vars: &[VarId], parts: Vec<Vec<Option<Atom>>>) {
        for (at, var) in vars.iter().enumerate() {
            if !is_in(self.active(), Atom::Var(*var)) {
                continue;
            }
            let dots: Vec<Atom> = parts.iter().filter_map(|part| part[at]).collect();
            let mut dots = dots.into_iter();
            let Some(mut dot) = dots.next() else { continue };
            for other in dots {
                let ty = self.program().type_of(dot);
                dot = self.emit_linear(ty, Op::Plus(dot, other));
                self.mark_absent(dot, true);
            }
            self.tangent(*var, dot);
        }
    }

    /// Assigns tangents to the results that can have them.
    fn spread(&self, vars: &[VarId], dots: Vec<VarId>) -> Vec<Option<Atom>> {
        let mut dots = dots.into_iter();
        vars.iter()
            .map(|var| {
                let has = self.ad.program.has_tangent(self.ad.program.vars[*var].ty);
                if has { dots.next().map(Atom::Var) } else { None }
            })
            .collect()
    }

    /// New tangents of those variables that can have some.
    fn out_dots(&mut self, vars: &[VarId]) -> Vec<VarId> {
        let mut out = vec![];
        for var in vars {
            if self.ad.program.has_tangent(self.ad.program.vars[*var].ty) {
                let dot = self.dot_var(*var);
                self.mark_absent(Atom::Var(dot), true);
                out.push(dot);
            }
        }
        out
    }

    /// The tangents of all arguments that can have some.
    fn arg_dots(&mut self, args: &[Atom]) -> Vec<Atom> {
        let mut dots = vec![];
        for arg in args {
            if self.ad.program.has_tangent(self.ad.program.type_of(*arg)) {
                dots.push(self.dot_or_zero(*arg));
            }
        }
        dots
    }

    /// `custom_vjp`: the rule gives the transpose, so forward mode takes the transpose of that.
    fn by_pullback(
        &mut self,
        vars: &[VarId],
        rule: RuleId,
        forward: FuncId,
        pullback: FuncId,
        captured: Vec<Atom>,
        args: Vec<Atom>,
    ) -> Result<Vec<Option<Atom>>> {
        let types = self.program().funcs[forward].results.clone();
        let results = self.fresh_all("y", &types);
        let forward_args = captured.into_iter().chain(args.iter().copied()).collect();
        self.push(results.clone(), Op::Call(forward, forward_args));
        let (ys, residual) = results.split_at(vars.len());
        let at: Vec<Atom> = residual
            .iter()
            .map(|var| Atom::Var(*var))
            .chain(args.iter().copied())
            .chain(ys.iter().map(|var| Atom::Var(*var)))
            .collect();
        let dots = self.arg_dots(&args);
        let out = self.out_dots(vars);
        let spread = self.spread(vars, out.clone());
        if self.kind == Kind::Pull {
            let op = Op::Custom { rule, value_captured: vec![], rule_captured: at, args: dots };
            self.push(out, op);
            return Ok(spread);
        }
        // The pullback is linear in its last arguments, so its transpose is the same at every cotangent: zeros will
        // do.
        let mut moving = vec![false; at.len()];
        let zeros: Vec<Atom> = ys.iter().copied().map(Atom::Var).collect();
        let zeros = zeros
            .into_iter()
            .filter(|y| self.ad.program.has_tangent(self.ad.program.type_of(*y)))
            .collect::<Vec<_>>();
        let zeros: Vec<Atom> = zeros.into_iter().map(|y| self.value_zero(y)).collect();
        moving.resize(at.len() + zeros.len(), true);
        let span = self.span;
        let derived = self.ad.derive(pullback, &moving, Kind::Pull, true, span)?;
        let values = self.program().funcs[pullback].results.clone();
        let ignored = self.fresh_all("x_bar", &values);
        let residuals = self.fresh_all("x", &derived.residuals);
        let call_args = at.into_iter().chain(zeros).collect();
        self.push(
            ignored.into_iter().chain(residuals.iter().copied()).collect(),
            Op::Call(derived.forward, call_args),
        );
        let mut linear_args: Vec<Atom> = residuals.into_iter().map(Atom::Var).collect();
        linear_args.extend(dots);
        self.push(out, Op::Call(derived.pull, linear_args));
        Ok(spread)
    }

    /// A zero that is a value: where a linear function is looked at.
    fn value_zero(&mut self, like: Atom) -> Atom {
        let zero = self.zero(like);
        if let Atom::Var(var) = zero {
            self.program().vars[var].linear = false;
        }
        zero
    }

    /// `custom_jvp`: the rule is linear in the tangents, so its derivative by them is itself.
    fn by_pushforward(
        &mut self,
        vars: &[VarId],
        forward: FuncId,
        captured: Vec<Atom>,
        args: Vec<Atom>,
    ) -> Result<Vec<Option<Atom>>> {
        let types = self.types_of(vars);
        let values = self.fresh_all("y", &types);
        let out = self.out_dots(vars);
        let spread = self.spread(vars, out.clone());
        let dots = self.arg_dots(&args);
        let mut forward_args: Vec<Atom> =
            captured.into_iter().chain(args.iter().copied()).collect();
        if self.kind == Kind::Jvp {
            forward_args.extend(dots);
            self.push(values.into_iter().chain(out).collect(), Op::Call(forward, forward_args));
            return Ok(spread);
        }
        let mut moving = vec![false; forward_args.len()];
        for arg in &args {
            if self.ad.program.has_tangent(self.ad.program.type_of(*arg)) {
                let zero = self.value_zero(*arg);
                forward_args.push(zero);
                moving.push(true);
            }
        }
        let summary = self.ad.summaries.of(&self.ad.program, forward, &moving);
        let tangent_types: Vec<Type> = self.types_of(&out);
        let ignored = self.fresh_all("y_dot", &tangent_types);
        // Results that do not vary with the tangents have zero tangents; values that do vary are ignored.
        let mut linear_out = vec![];
        let mut zeros = vec![];
        for (value, varies) in values.iter().zip(&summary.results) {
            if *varies {
                linear_out.push(self.dot_var(*value));
            }
        }
        for (dot, varies) in out.iter().zip(&summary.results[values.len()..]) {
            if *varies {
                linear_out.push(*dot);
            } else {
                zeros.push(*dot);
            }
        }
        let vars: Vec<VarId> = values.into_iter().chain(ignored).collect();
        self.derived_call((forward, &moving), vars, linear_out, forward_args, dots)?;
        if !zeros.is_empty() {
            for dot in zeros {
                let Some(primal) = self.primal_of(dot) else { bug(NAME, "the value of a tangent") };
                let zero = self.zero(primal);
                self.push(vec![dot], Op::Copy(zero));
            }
        }
        Ok(spread)
    }
}
