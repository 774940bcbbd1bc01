//! Functions with a derivative of their own: the rule takes the place of the function's pullback.

use pullback_lambda::{AdOp, Arm, Expr, Type, is_first_order};

use super::code::{Code, Style};
use super::comb::{Comb, CombKind};
use super::pull::{Fed, Pull, Rule};
use super::tan::Tan;
use super::types::{CALL, ZERO};

impl Code<'_> {
    /// A rep-function without its pullbacks: an ordinary function of first-order data.
    fn plain(&mut self, value: Expr, ty: &Type) -> Expr {
        if is_first_order(&self.program.datas, ty) {
            return value;
        }
        let span = self.span;
        if let Some((from, to)) = ty.as_fun() {
            let (from, to) = (from.clone(), to.clone());
            let rep = self.rep(&from);
            let (var, argument) = self.fresh("x", rep);
            let body = self.scope(|code| {
                let answer = code.apply(value, vec![argument]);
                let answer = if code.is_active(&to) { Expr::proj(answer, 0, span) } else { answer };
                let answer = code.emit("y", answer);
                code.plain(answer, &to)
            });
            return self.program.lam(vec![var], body);
        }
        let mut items = vec![];
        for (index, ty) in super::types::owned_components(ty).iter().enumerate() {
            let item = Expr::proj(value.clone(), index, span);
            items.push(self.plain(item, ty));
        }
        Expr::record(items, ty.clone(), span)
    }

    /// `custom_vjp f rule x` or `custom_jvp f rule x`: the value stays one of a function with its own derivative, for the
    /// derivatives of this program.
    pub fn custom(
        &mut self,
        op: AdOp,
        args: &[Comb],
        values: &[Expr],
        mut pulls: Vec<Pull>,
        comb: &Comb,
    ) -> (Expr, Pull) {
        let plain = vec![
            self.plain(values[0].clone(), &args[0].ty),
            self.plain(values[1].clone(), &args[1].ty),
            values[2].clone(),
        ];
        let applied = Expr::ad(op, plain, comb.ty.clone(), comb.span);
        let value = self.emit("y", applied);
        let base = Fed { pull: pulls.remove(2), ty: args[2].ty.clone() };
        let captured = Fed { pull: pulls.remove(0), ty: args[0].ty.clone() };
        if base.pull.is_none() && captured.pull.is_none() {
            return (value, Pull::None);
        }
        let linear = (op == AdOp::CustomJvp).then(|| self.linear_part(&args[1])).flatten();
        let rule = Rule {
            forward: op == AdOp::CustomJvp,
            linear,
            rule: values[1].clone(),
            argument: values[2].clone(),
            value: value.clone(),
            ty: args[1].ty.clone(),
            base,
            function: values[0].clone(),
            captured,
        };
        (value, Pull::Rule(Box::new(rule)))
    }

    /// The rule `\x x_dot -> (y, y_dot)` with a pullback to `x_dot` alone, if it is written as a function
    /// of two parameters. All else is held, so that a rule may use the function it belongs to.
    fn linear_part(&mut self, rule: &Comb) -> Option<Expr> {
        let CombKind::Curry(x, inner) = &rule.kind else { return None };
        let CombKind::Curry(x_dot, body) = &inner.kind else { return None };
        if !self.is_active(&body.ty) {
            return None;
        }
        let params = vec![self.parameter(*x), self.parameter(*x_dot)];
        let mut others = self.sinks(body);
        others.retain(|var| var != x_dot);
        self.held.extend(&others);
        let answer = self.branch(body, &[*x_dot]);
        for var in others {
            self.held.remove(&var);
        }
        let function = self.program.lam(params, answer);
        Some(self.emit("rule", function))
    }

    /// The value of a rep-function's answer at this type.
    fn value_of(&mut self, answer: Expr, ty: &Type) -> Expr {
        let answer = if self.is_active(ty) { Expr::proj(answer, 0, self.span) } else { answer };
        self.emit("y", answer)
    }

    /// The rule on the cotangent, as the user sees both; a rule of forward mode is transposed by its
    /// own pullback, since it is linear.
    pub fn rule_backward(&mut self, rule: &Rule, tan: &Tan, ty: &Type) {
        let span = self.span;
        let boxed = self.boxed_atom(tan, ty);
        if !rule.captured.pull.is_none() {
            self.captured_by_ruled(rule, &boxed);
        }
        if rule.base.pull.is_none() {
            return;
        }
        let (from, rest) = rule.ty.sides();
        let (from, rest) = (from.clone(), rest.clone());
        // A structural zero asks nothing of the rule; a rule that uses its own function would otherwise
        // go on for ever.
        let zero = self.zero(&from);
        let share = self.scope(|code| code.ruled_share(rule, &boxed, &from, &rest, ty));
        let arms = vec![Arm::new(ZERO, vec![], zero)];
        let share = Expr::match_(boxed, arms, Some(share), span);
        let share = self.emit("x_bar", share);
        self.backward(&rule.base.pull, Tan::Any(share), &from);
    }

    /// The cotangent of the argument that the rule gives.
    fn ruled_share(
        &mut self,
        rule: &Rule,
        boxed: &Expr,
        from: &Type,
        rest: &Type,
        ty: &Type,
    ) -> Expr {
        let span = self.span;
        if rule.forward {
            return self.transposed(rule, boxed, [from, rest, ty]);
        }
        let answer = self.apply(rule.rule.clone(), vec![rule.argument.clone()]);
        let applied = self.value_of(answer, rest);
        let given = self.extract(boxed.clone(), rule.value.clone(), ty);
        let back = self.emit("pb", Expr::proj(applied, 1, span));
        let tangent = self.tangent(from);
        let answer = self.apply(back, vec![given]);
        let x_bar = self.value_of(answer, &tangent);
        self.inject(rule.argument.clone(), x_bar, from)
    }

    /// The cotangent of the argument from a linear function `T a -> (b, T b)`. Structural zeros stay
    /// what they are where a type is its own tangent.
    fn transposed(&mut self, rule: &Rule, boxed: &Expr, [from, rest, ty]: [&Type; 3]) -> Expr {
        let span = self.span;
        let zeros = self.zeros(rule.argument.clone());
        let zeros = self.emit("z", zeros);
        let (tangent, pair) = rest.sides();
        let (tangent, pair) = (tangent.clone(), pair.clone());
        let answer = match &rule.linear {
            Some(linear) => self.apply(linear.clone(), vec![rule.argument.clone(), zeros.clone()]),
            None => {
                let answer = self.apply(rule.rule.clone(), vec![rule.argument.clone()]);
                let applied = self.value_of(answer, rest);
                self.apply(applied, vec![zeros.clone()])
            }
        };
        let answer = self.emit("q", answer);
        let dot = pair.part(1).clone();
        let given = if dot == *ty {
            boxed.clone()
        } else {
            let given = self.extract(boxed.clone(), rule.value.clone(), ty);
            self.inject(given.clone(), given, &dot)
        };
        let both = Tan::Parts(vec![Tan::Zero, Tan::Any(given)]);
        let both = self.boxed_atom(&both, &pair);
        let share = self.apply(Expr::proj(answer, 1, span), vec![both]);
        let share = if rule.linear.is_none() && matches!(self.style, Style::Env(_)) {
            Expr::proj(share, 0, span)
        } else {
            share
        };
        let share = self.emit("t", share);
        if tangent == *from {
            return share;
        }
        let share = self.extract(share, zeros, &tangent);
        self.inject(rule.argument.clone(), share, from)
    }

    /// What a function with its own rule captured keeps the derivative that the function gives it.
    fn captured_by_ruled(&mut self, rule: &Rule, boxed: &Expr) {
        let span = self.span;
        let ty = &rule.captured.ty;
        let arrived = match self.style {
            Style::List => {
                let data = self.bar_data(ty);
                let call = vec![rule.argument.clone(), boxed.clone()];
                Expr::con(data, CALL, call, span)
            }
            Style::Env(_) => {
                let answer = self.apply(rule.function.clone(), vec![rule.argument.clone()]);
                let shares = self.apply(Expr::proj(answer, 1, span), vec![boxed.clone()]);
                Expr::proj(shares, 1, span)
            }
        };
        let arrived = self.emit("c", arrived);
        self.backward(&rule.captured.pull, Tan::Any(arrived), ty);
    }
}
