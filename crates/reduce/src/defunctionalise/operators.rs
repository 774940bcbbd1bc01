//! The conversion of operators of differentiation: they take functions as they are, and those that `vjp` and
//! `linearize` give stay functions where they are only called.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, Type, VarId, ad_type};

use super::Conversion;
use super::terms::escapes;

/// Bindings that go around a term.
type Bindings = Vec<(VarId, Expr)>;

impl Conversion<'_> {
    /// What `vjp` or `linearize` gives, its function as it is; none for other terms.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no such pairs")]
    pub(super) fn kept_pair(&mut self, expr: &Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Var(var) if self.native.contains(var) && expr.ty.as_fun().is_none() => {
                Some(self.occurrence(*var, expr))
            }
            ExprKind::Ad(op @ (AdOp::Vjp | AdOp::Linearize), args) => {
                Some(self.applied(*op, args.clone(), expr.span))
            }
            _ => None,
        }
    }

    /// The function of such a pair.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are no such functions")]
    pub(super) fn kept_function(&mut self, expr: &Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Var(var) if self.native.contains(var) && expr.ty.as_fun().is_some() => {
                Some(self.occurrence(*var, expr))
            }
            ExprKind::Proj(base, 1) => {
                let pair = self.kept_pair(base)?;
                Some(Expr::proj(pair, 1, expr.span))
            }
            _ => None,
        }
    }

    /// An operator whose result is a value like others.
    pub(super) fn operator(&mut self, op: AdOp, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        match op {
            AdOp::Vjp | AdOp::Linearize => self.pair_as_value(op, args, span),
            AdOp::Jvp | AdOp::CustomVjp | AdOp::CustomJvp => self.applied(op, args, span),
            AdOp::StopGradient
            | AdOp::Zeros
            | AdOp::Checkpoint
            | AdOp::AssumeLinear
            | AdOp::Perturb
            | AdOp::DifferentiatedAs => {
                let args = args.into_iter().map(|arg| self.term(arg)).collect();
                Expr::ad(op, args, self.rep(ty), span)
            }
        }
    }

    /// An operator on functions as they are.
    fn applied(&mut self, op: AdOp, args: Vec<Expr>, span: Span) -> Expr {
        let mut bindings = vec![];
        let mut made = vec![];
        for (index, arg) in args.into_iter().enumerate() {
            let arg = match (op, index) {
                (_, 0) => self.function(arg, &mut bindings),
                (AdOp::CustomVjp, 1) => self.reverse_rule(arg, &mut bindings),
                (AdOp::CustomJvp, 1) => self.forward_rule(arg, &mut bindings),
                _ => self.term(arg),
            };
            made.push(arg);
        }
        let types: Vec<Type> = made.iter().map(|arg| arg.ty.clone()).collect();
        let ty = ad_type(&mut self.program.datas, op, &types);
        let ty = ty.unwrap_or_else(|why| pullback_base::bug("defunctionalise", why));
        Expr::lets(bindings, Expr::ad(op, made, ty, span))
    }

    /// `let f = … in let x = … in (apply f x, Pullback f x)`: the pullback runs the function again.
    fn pair_as_value(&mut self, op: AdOp, mut args: Vec<Expr>, span: Span) -> Expr {
        let x = args.remove(1);
        let function = args.remove(0);
        let function_type = function.ty.clone();
        let function = self.term(function);
        let x = self.term(x);
        let (function, first) = self.program.share("f", function);
        let (x, second) = self.program.share("x", x);
        let value = self.apply(&function_type, function.clone(), x.clone());
        let key = (op == AdOp::Linearize, function_type.clone());
        let def = match self.pullbacks.get(&key) {
            Some(known) => *known,
            None => {
                let def = self.pullback(op, &function_type, span);
                self.pullbacks.insert(key, def);
                def
            }
        };
        let pullback = self.call(def, vec![function, x], span);
        let pair = Expr::tuple(vec![value, pullback], span);
        Expr::lets(first.into_iter().chain(second).collect::<Vec<_>>(), pair)
    }

    /// `\f x given -> (vjp (\y -> apply f y) x).1 given`
    fn pullback(&mut self, op: AdOp, ty: &Type, span: Span) -> pullback_lambda::DefId {
        let kind = self.rep(ty);
        let from = ty.sides().0.clone();
        let f = self.program.fresh("f", kind);
        let x = self.program.fresh("x", from.clone());
        let y = self.program.fresh("y", from.clone());
        let (held, argument) = (self.program.var(f, span), self.program.var(y, span));
        let body = self.apply(ty, held, argument);
        let function = self.program.lam(vec![y], body);
        let point = self.program.var(x, span);
        let types = [function.ty.clone(), from.clone()];
        let pair = ad_type(&mut self.program.datas, op, &types);
        let pair = pair.unwrap_or_else(|why| pullback_base::bug("defunctionalise", why));
        let back = Expr::proj(Expr::ad(op, vec![function, point], pair, span), 1, span);
        let (given, result) = back.ty.sides();
        let signature = Type::funs([ty.clone(), from, given.clone()], result.clone());
        let bar = self.program.fresh("given", given.clone());
        let body = Expr::app(back, vec![self.program.var(bar, span)], span);
        let body = self.program.lam(vec![f, x, bar], body);
        let name = if op == AdOp::Linearize { "pushforward" } else { "pullback" };
        let def = self.program.declare(name, body.ty.clone(), span);
        self.program.defs[def].body = body;
        self.signatures.insert(def, signature);
        def
    }

    /// A function of data as a function; what must have a value before goes into the bindings.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are known functions or values")]
    fn function(&mut self, expr: Expr, bindings: &mut Bindings) -> Expr {
        let span = expr.span;
        match expr.kind {
            ExprKind::Lam(params, body) if params.len() == 1 => {
                params.iter().for_each(|var| self.bind(*var));
                let body = self.term(*body);
                return self.program.lam(params, body);
            }
            ExprKind::Let(var, value, body) => {
                if let ExprKind::Lam(..) = value.kind {
                    self.lift(vec![(Some(var), *value)]);
                } else {
                    let value = self.term(*value);
                    self.bind(var);
                    bindings.push((var, value));
                }
                return self.function(*body, bindings);
            }
            ExprKind::LetRec(functions, body) => {
                self.lift(functions.into_iter().map(|(var, f)| (Some(var), f)).collect());
                return self.function(*body, bindings);
            }
            _ => {}
        }
        if let Some((def, mut args)) = self.known(&expr, 1) {
            for arg in &mut args {
                let (atom, binding) = self.program.share("x", arg.clone());
                *arg = atom;
                bindings.extend(binding);
            }
            return Expr::app(self.program.global(def, span), args, span);
        }
        let ty = expr.ty.clone();
        let (function, binding) = {
            let value = self.term(expr);
            self.program.share("f", value)
        };
        bindings.extend(binding);
        let x = self.program.fresh("x", ty.sides().0.clone());
        let argument = self.program.var(x, span);
        let body = self.apply(&ty, function, argument);
        self.program.lam(vec![x], body)
    }

    /// A known function that lacks so many arguments, and those that it has.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are not known")]
    fn known(
        &mut self,
        expr: &Expr,
        lacking: usize,
    ) -> Option<(pullback_lambda::DefId, Vec<Expr>)> {
        let (function, given) = match &expr.kind {
            ExprKind::App(function, given) => (&**function, given.clone()),
            _ => (expr, vec![]),
        };
        let (def, mut args) = match &function.kind {
            ExprKind::Global(def) if self.takes_arguments(*def) => (self.definition(*def), vec![]),
            ExprKind::Var(var) => {
                let local = self.locals.get(var)?.clone();
                (local.def, self.captured(&local, expr.span))
            }
            _ => return None,
        };
        if args.len() + given.len() + lacking != self.arity(def) {
            return None;
        }
        args.extend(given.into_iter().map(|arg| self.term(arg)));
        Some((def, args))
    }

    /// `\x -> (value, \y_bar -> …)`
    fn reverse_rule(&mut self, expr: Expr, bindings: &mut Bindings) -> Expr {
        let span = expr.span;
        if let ExprKind::Lam(params, body) = expr.kind {
            if let [param] = params[..] {
                self.bind(param);
                let body = self.pair(*body);
                return self.program.lam(vec![param], body);
            }
            return self.reverse_rule_of_value(
                Expr::new(ExprKind::Lam(params, body), expr.ty, span),
                bindings,
            );
        }
        self.reverse_rule_of_value(expr, bindings)
    }

    fn reverse_rule_of_value(&mut self, expr: Expr, bindings: &mut Bindings) -> Expr {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let value = self.term(expr);
        let (rule, binding) = self.program.share("rule", value);
        bindings.extend(binding);
        let (from, to) = ty.sides();
        let x = self.program.fresh("x", from.clone());
        let argument = self.program.var(x, span);
        let answer = self.apply(&ty, rule, argument);
        let body = self.opened(answer, to, span);
        self.program.lam(vec![x], body)
    }

    /// What a rule of reverse mode gives, with its pullback as a function.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are opened")]
    fn pair(&mut self, expr: Expr) -> Expr {
        if let Some(kept) = self.kept_pair(&expr) {
            return kept;
        }
        let (ty, span) = (expr.ty.clone(), expr.span);
        match expr.kind {
            ExprKind::Tuple(mut items) if items.len() == 2 => {
                let back = items.remove(1);
                let value = self.term(items.remove(0));
                let (value, binding) = self.program.share("y", value);
                let mut bindings: Bindings = binding.into_iter().collect();
                let back = self.function(back, &mut bindings);
                Expr::lets(bindings, Expr::record(vec![value, back], ty, span))
            }
            ExprKind::Let(var, value, body) => {
                let escapes = escapes(&body, var);
                self.let_(var, *value, escapes, |this| this.pair(*body))
            }
            ExprKind::LetRec(functions, body) => {
                self.lift(functions.into_iter().map(|(var, f)| (Some(var), f)).collect());
                self.pair(*body)
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.term(*cond);
                let (then, other) = (self.pair(*then), self.pair(*other));
                Expr::if_(cond, then, other, span)
            }
            kind => {
                let answer = self.term(Expr::new(kind, ty.clone(), span));
                self.opened(answer, &ty, span)
            }
        }
    }

    /// `let p = … in (p.0, \y -> apply p.1 y)`
    fn opened(&mut self, answer: Expr, ty: &Type, span: Span) -> Expr {
        let (pair, binding) = self.program.share("p", answer);
        let back = ty.part(1).clone();
        let y = self.program.fresh("y_bar", back.sides().0.clone());
        let given = self.program.var(y, span);
        let body = self.apply(&back, Expr::proj(pair.clone(), 1, span), given);
        let back = self.program.lam(vec![y], body);
        let pair = Expr::record(vec![Expr::proj(pair, 0, span), back], ty.clone(), span);
        Expr::lets(binding.into_iter().collect::<Vec<_>>(), pair)
    }

    /// `\x x_dot -> …`
    fn forward_rule(&mut self, expr: Expr, bindings: &mut Bindings) -> Expr {
        let (ty, span) = (expr.ty.clone(), expr.span);
        if let ExprKind::Lam(params, body) = expr.kind {
            if params.len() == 2 {
                params.iter().for_each(|var| self.bind(*var));
                let body = self.term(*body);
                return self.program.lam(params, body);
            }
            let whole = Expr::new(ExprKind::Lam(params, body), ty.clone(), span);
            return self.forward_rule_of_value(whole, bindings);
        }
        self.forward_rule_of_value(expr, bindings)
    }

    fn forward_rule_of_value(&mut self, expr: Expr, bindings: &mut Bindings) -> Expr {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let value = self.term(expr);
        let (rule, binding) = self.program.share("rule", value);
        bindings.extend(binding);
        let (from, rest) = ty.sides();
        let (x, x_dot) = (
            self.program.fresh("x", from.clone()),
            self.program.fresh("x_dot", rest.sides().0.clone()),
        );
        let args = vec![self.program.var(x, span), self.program.var(x_dot, span)];
        let body = self.apply_all(ty.clone(), rule, args);
        self.program.lam(vec![x, x_dot], body)
    }
}
