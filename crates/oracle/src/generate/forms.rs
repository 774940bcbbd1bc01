//! Forms that fit every type: binding, branching, functions, loops, calls.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, Type, VarId};
use pullback_prim::Prim;

use super::{Callable, Feature, Generator};

impl Generator<'_> {
    pub(super) fn let_form(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Let);
        let bound = self.some_type(2);
        let value = self.expr(&bound, fuel.saturating_sub(1));
        let var = self.program.fresh("x", bound);
        let body = self.under(&[var], |this| this.expr(ty, fuel.saturating_sub(1)));
        Expr::let_(var, value, body)
    }

    pub(super) fn if_form(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::If);
        let cond = self.expr(&Type::bool(), fuel.min(3));
        let then = self.expr(ty, fuel.saturating_sub(1));
        Expr::if_(cond, then, self.expr(ty, fuel.saturating_sub(1)), Span::NONE)
    }

    pub(super) fn projection(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Tuple);
        let other = self.some_type(1);
        let first = self.entropy.below(2) == 0;
        let items = if first { vec![ty.clone(), other] } else { vec![other, ty.clone()] };
        let tuple = self.expr(&Type::tuple(items), fuel.saturating_sub(1));
        Expr::proj(tuple, usize::from(!first), Span::NONE)
    }

    /// A function of any type: all its parameters at once, or one that returns a function.
    pub(super) fn function(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Closure);
        let mut params = Vec::new();
        let mut result = ty.clone();
        while let Some((from, to)) = result.as_fun() {
            params.push(self.program.fresh("p", from.clone()));
            result = to.clone();
            if self.entropy.below(4) == 3 {
                break;
            }
        }
        let body = self.under(&params, |this| this.expr(&result, fuel.saturating_sub(1)));
        self.program.lam(params, body)
    }

    /// `let f = \… -> … in …` with `f` in scope, which captures what it likes.
    pub(super) fn local_function(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Closure);
        let result = if self.entropy.below(2) == 0 { ty.clone() } else { self.some_type(1) };
        let from = self.some_type(1);
        let function = self.function(&Type::fun(from, result), fuel.saturating_sub(1));
        let var = self.program.fresh("f", function.ty.clone());
        let body = self.under(&[var], |this| {
            if this.entropy.below(2) == 0 {
                this.application(ty, fuel.saturating_sub(1))
            } else {
                this.expr(ty, fuel.saturating_sub(1))
            }
        });
        Expr::let_(var, function, body)
    }

    /// Applies a function in scope that gives this type, or a new one.
    pub(super) fn application(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Closure);
        let fuel = fuel.saturating_sub(1);
        let gives = |var: &VarId, count: usize| {
            self.program.vars[*var].ty.after(count).as_ref() == Some(ty)
        };
        let candidates: Vec<(VarId, usize)> = (1..=2)
            .flat_map(|count| self.scope.iter().map(move |var| (*var, count)))
            .filter(|(var, count)| gives(var, *count))
            .collect();
        let function = if candidates.is_empty() {
            let mut params = vec![self.some_type(1)];
            if self.may(Feature::Partial) && self.entropy.below(3) == 2 {
                params.push(self.some_type(1));
            }
            self.expr(&Type::funs(params, ty.clone()), fuel)
        } else {
            let (var, _) = candidates[self.entropy.below(candidates.len().min(256))];
            self.program.var(var, Span::NONE)
        };
        let mut args = Vec::new();
        let mut rest = function.ty.clone();
        while rest != *ty {
            let Some((from, to)) = rest.as_fun() else { return self.leaf(ty) };
            args.push(self.expr(from, fuel));
            rest = to.clone();
        }
        if args.len() > 1 && self.may(Feature::Partial) && self.entropy.below(2) == 1 {
            self.note(Feature::Partial);
            let last = args.split_off(1);
            let partial = Expr::app(function, args, Span::NONE);
            return Expr::app(partial, last, Span::NONE);
        }
        Expr::app(function, args, Span::NONE)
    }

    pub(super) fn counted_loop(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Loop);
        let init = self.expr(ty, fuel.saturating_sub(1));
        let state = self.program.fresh("state", ty.clone());
        let index = self.program.fresh("i", Type::int());
        let count = Expr::int(self.entropy.below(5) as i64, Span::NONE);
        let body = self.under(&[state, index], |this| this.expr(ty, fuel.saturating_sub(1)));
        Expr::loop_for(state, init, index, count, body, Span::NONE)
    }

    /// A loop that counts down beside its state, so that it ends.
    pub(super) fn while_loop(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::While);
        let count = Expr::int(self.entropy.below(4) as i64, Span::NONE);
        let init = Expr::tuple(vec![count, self.expr(ty, fuel.saturating_sub(1))], Span::NONE);
        let state = self.program.fresh("state", init.ty.clone());
        let left = |this: &Self| Expr::proj(this.program.var(state, Span::NONE), 0, Span::NONE);
        let zero = Expr::int(0, Span::NONE);
        let cond = Expr::prim(Prim::IntGt, vec![left(self), zero], Span::NONE);
        let one = Expr::int(1, Span::NONE);
        let fewer = Expr::prim(Prim::IntSub, vec![left(self), one], Span::NONE);
        let next = self.under(&[state], |this| this.expr(ty, fuel.saturating_sub(1)));
        let body = Expr::tuple(vec![fewer, next], Span::NONE);
        Expr::proj(Expr::loop_while(state, init, cond, body, Span::NONE), 1, Span::NONE)
    }

    pub(super) fn call(&mut self, ty: &Type, fuel: usize) -> Expr {
        let fits: Vec<Callable> =
            self.calls.iter().filter(|callable| callable.result == *ty).cloned().collect();
        if fits.is_empty() {
            return self.own(ty, fuel);
        }
        self.note(Feature::Call);
        let callable = &fits[self.entropy.below(fits.len())];
        let mut args = Vec::new();
        for (index, param) in callable.params.iter().enumerate() {
            args.push(if index == 0 && callable.counted {
                self.note(Feature::Recursion);
                Expr::int(self.entropy.below(5) as i64, Span::NONE)
            } else {
                self.expr(param, fuel.saturating_sub(1))
            });
        }
        let call = Expr::app(self.program.global(callable.def, Span::NONE), args, Span::NONE);
        if self.entropy.below(4) == 3 { self.either_way(call) } else { call }
    }

    /// An expression that is differentiated as a copy of itself.
    fn either_way(&mut self, value: Expr) -> Expr {
        let (ty, copy) = (value.ty.clone(), self.program.copy(&value));
        let functions = [value, copy].map(|body| {
            let unit = self.program.fresh("unit", Type::unit());
            self.program.lam(vec![unit], body)
        });
        Expr::ad(AdOp::DifferentiatedAs, functions.into(), ty, Span::NONE)
    }

    /// `let rec go n x = if n <= 0 then x else … go (n - 1) … in go k …`
    pub(super) fn let_rec(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::LetRec);
        let go_type = Type::funs([Type::int(), ty.clone()], ty.clone());
        let go = self.program.fresh("go", go_type);
        let function =
            self.recursive_function(ty, &[], fuel, |this| this.program.var(go, Span::NONE));
        let count = Expr::int(self.entropy.below(5) as i64, Span::NONE);
        let start = self.expr(ty, fuel.saturating_sub(1));
        let call = Expr::app(self.program.var(go, Span::NONE), vec![count, start], Span::NONE);
        Expr::let_rec(vec![(go, function)], call)
    }

    /// `\n x … -> if n <= 0 then x else step`, where the step calls itself once with `n - 1`.
    fn recursive_function(
        &mut self,
        ty: &Type,
        more: &[VarId],
        fuel: usize,
        itself: impl Fn(&Self) -> Expr,
    ) -> Expr {
        let left = self.program.fresh("n", Type::int());
        let state = self.program.fresh("x", ty.clone());
        let var = |this: &Self, var| this.program.var(var, Span::NONE);
        let zero = Expr::int(0, Span::NONE);
        let done = Expr::prim(Prim::IntLe, vec![var(self, left), zero], Span::NONE);
        let one = Expr::int(1, Span::NONE);
        let fewer = Expr::prim(Prim::IntSub, vec![var(self, left), one], Span::NONE);
        let mut params = vec![left, state];
        params.extend_from_slice(more);
        let next = self.under(&params, |this| this.expr(ty, fuel.saturating_sub(1)));
        let mut args = vec![fewer, next];
        args.extend(more.iter().map(|param| var(self, *param)));
        let again = Expr::app(itself(self), args, Span::NONE);
        // Half of them do something after the call, and so are no loops.
        let step = if self.entropy.below(2) == 0 {
            again
        } else {
            let result = self.program.fresh("r", ty.clone());
            params.push(result);
            let after = self.under(&params, |this| this.expr(ty, fuel.saturating_sub(1)));
            params.pop();
            Expr::let_(result, again, after)
        };
        let body = Expr::if_(done, var(self, state), step, Span::NONE);
        self.program.lam(params, body)
    }

    /// Definitions to call: plain ones, higher-order ones and recursive ones.
    pub(super) fn helpers(&mut self) {
        if !self.may(Feature::Call) {
            return;
        }
        for _ in 0..self.entropy.below(4) {
            self.budget = self.config.size / 3;
            self.scope.clear();
            if self.may(Feature::Recursion) && self.entropy.below(3) == 2 {
                self.recursive_helper();
                continue;
            }
            let mut params = vec![Type::real()];
            if self.entropy.below(2) == 1 {
                params.push(self.some_type(2));
            }
            let result = if self.entropy.below(3) == 2 { self.some_type(1) } else { Type::real() };
            let vars: Vec<_> =
                params.iter().map(|ty| self.program.fresh("p", ty.clone())).collect();
            let body = self.under(&vars, |this| this.expr(&result, 5));
            let lam = self.program.lam(vars, body);
            let def = self.define("helper", lam);
            self.calls.push(Callable { def, params, result, counted: false });
        }
    }

    fn recursive_helper(&mut self) {
        let (ty, more) = (self.some_type(1), Type::real());
        // The definition's own place in the table is known before its body is.
        let def = self.program.defs.next_id();
        let params = vec![Type::int(), ty.clone(), more.clone()];
        let own_type = Type::funs(params.clone(), ty.clone());
        let extra = self.program.fresh("y", more);
        let function = self.recursive_function(&ty, &[extra], 4, |_| {
            Expr::new(pullback_lambda::ExprKind::Global(def), own_type.clone(), Span::NONE)
        });
        let defined = self.define("again", function);
        debug_assert!(defined == def, "helpers are defined one after the other");
        self.calls.push(Callable { def, params, result: ty, counted: true });
    }

    /// `(vjp (\t -> …) x).1 1.0` or the forward mode of it.
    pub(super) fn derivative(&mut self, fuel: usize) -> Expr {
        self.note(Feature::NestedAd);
        let real = Type::real;
        let var = self.program.fresh("t", real());
        let body = self.under(&[var], |this| this.expr(&real(), fuel.saturating_sub(1)));
        let function = self.program.lam(vec![var], body);
        let point = self.expr(&real(), fuel.saturating_sub(1));
        let one = Expr::real(1.0, Span::NONE);
        if self.entropy.below(2) == 0 {
            let ty = Type::tuple(vec![real(), Type::fun(real(), real())]);
            let pair = Expr::ad(AdOp::Vjp, vec![function, point], ty, Span::NONE);
            return Expr::app(Expr::proj(pair, 1, Span::NONE), vec![one], Span::NONE);
        }
        let ty = Type::tuple(vec![real(), real()]);
        let pair = Expr::ad(AdOp::Jvp, vec![function, point, one], ty, Span::NONE);
        Expr::proj(pair, 1, Span::NONE)
    }
}
