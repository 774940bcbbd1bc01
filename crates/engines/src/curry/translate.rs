//! Figure 1: from terms to combinators, with the extensions of section 6.2.
//!
//! Input: a term. Output: an arrow from its variables to its value. Functions of several parameters
//! are curried one at a time; a definition or a recursive function that is applied to all its
//! parameters is called uncurried (`prod f x ∘ eval` after `curry b` is `b`), and is curried where it
//! is used as a value.

use std::collections::BTreeMap;

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, LoopForm, Program, Type, VarId};

use super::comb::{Arrow, CaseArm, Comb, CombKind, CombLoop, Recursive};

/// The arrow of a term.
pub fn translate(program: &mut Program, expr: &Expr) -> Comb {
    Ctx { program, arities: BTreeMap::new() }.expr(expr)
}

/// The parameters of a definition or recursive function, uncurried, and its body.
pub fn uncurried(expr: &Expr) -> (Vec<VarId>, &Expr) {
    let mut params = vec![];
    let mut body = expr;
    while let ExprKind::Lam(vars, inner) = &body.kind {
        params.extend(vars);
        body = inner;
    }
    (params, body)
}

struct Ctx<'p> {
    program: &'p mut Program,
    /// How many parameters the recursive functions in scope take.
    arities: BTreeMap<VarId, usize>,
}

impl Ctx<'_> {
    fn all(&mut self, items: &[Expr]) -> Vec<Comb> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Comb> {
        Box::new(self.expr(expr))
    }

    fn expr(&mut self, expr: &Expr) -> Comb {
        let kind = match &expr.kind {
            ExprKind::Var(_) | ExprKind::Global(_) => return self.head(expr, &[], expr),
            ExprKind::App(function, args) => return self.head(function, args, expr),
            ExprKind::Lit(_) => CombKind::Const(expr.clone()),
            ExprKind::Prim(prim, args) => CombKind::Then(self.all(args), Arrow::Op(*prim)),
            ExprKind::Lam(params, body) => {
                let body = self.expr(body);
                return self.curried(params, body);
            }
            ExprKind::Let(..) => return self.lets(expr),
            ExprKind::LetRec(functions, body) => {
                for (name, function) in functions {
                    self.arities.insert(*name, uncurried(function).0.len());
                }
                let group = functions
                    .iter()
                    .map(|(name, function)| {
                        let (params, body) = uncurried(function);
                        Recursive { name: *name, params, body: self.expr(body) }
                    })
                    .collect();
                CombKind::Fix(group, self.boxed(body))
            }
            ExprKind::If(cond, then, other) => {
                CombKind::Cond(self.boxed(cond), self.boxed(then), self.boxed(other))
            }
            ExprKind::Tuple(items) => CombKind::Then(self.all(items), Arrow::Tuple),
            ExprKind::Proj(base, index) => {
                CombKind::Then(vec![self.expr(base)], Arrow::Field(*index))
            }
            ExprKind::Con(tag, fields) => CombKind::Then(self.all(fields), Arrow::Con(*tag)),
            ExprKind::Array(items) => CombKind::Then(self.all(items), Arrow::Array),
            ExprKind::Match(scrutinee, arms, default) => {
                let scrutinee = self.boxed(scrutinee);
                let arms = arms
                    .iter()
                    .map(|arm| CaseArm {
                        tag: arm.tag,
                        vars: arm.vars.clone(),
                        body: self.expr(&arm.body),
                    })
                    .collect();
                let default = default.as_ref().map(|default| self.boxed(default));
                CombKind::Case(scrutinee, arms, default)
            }
            ExprKind::Build { size, var, body } => {
                CombKind::Build { size: self.boxed(size), var: *var, body: self.boxed(body) }
            }
            ExprKind::Loop { var, init, form, body } => {
                let init = self.boxed(init);
                let form = match form {
                    LoopForm::For { var, count } => {
                        CombLoop::For { var: *var, count: self.boxed(count) }
                    }
                    LoopForm::While(cond) => CombLoop::While(self.boxed(cond)),
                };
                CombKind::Loop { var: *var, init, form, body: self.boxed(body) }
            }
            ExprKind::Ad(op, args) => CombKind::Then(self.all(args), operator(*op)),
        };
        Comb::new(kind, expr.ty.clone(), expr.span)
    }

    /// A chain of `let`s, without recursion in its length.
    fn lets(&mut self, expr: &Expr) -> Comb {
        let mut bindings = vec![];
        let mut inner = expr;
        while let ExprKind::Let(var, value, body) = &inner.kind {
            bindings.push((*var, self.expr(value)));
            inner = body;
        }
        let body = self.boxed(inner);
        Comb::new(CombKind::Bind(bindings, body), expr.ty.clone(), expr.span)
    }

    /// An application; without arguments, the function as a value.
    fn head(&mut self, function: &Expr, args: &[Expr], whole: &Expr) -> Comb {
        let Some((arrow, arity)) = self.known(function) else {
            let start = if let ExprKind::Var(var) = function.kind {
                Comb::new(CombKind::Proj(var), function.ty.clone(), function.span)
            } else if let ExprKind::Global(_) = function.kind {
                Comb::new(CombKind::Const(function.clone()), function.ty.clone(), function.span)
            } else {
                self.expr(function)
            };
            return self.eval(start, args, whole.span);
        };
        if args.len() < arity {
            let start = self.eta(arrow, &function.ty, arity, function.span);
            return self.eval(start, args, whole.span);
        }
        let ty = function.ty.result_after(arity);
        let call = CombKind::Then(self.all(&args[..arity]), arrow);
        let call = Comb::new(call, ty, whole.span);
        self.eval(call, &args[arity..], whole.span)
    }

    /// A function whose parameters are known here, and how many they are.
    fn known(&self, function: &Expr) -> Option<(Arrow, usize)> {
        if let ExprKind::Global(def) = function.kind {
            let arity = uncurried(&self.program.defs[def].body).0.len();
            return (arity > 0).then_some((Arrow::Call(def), arity));
        }
        let ExprKind::Var(var) = function.kind else { return None };
        self.arities.get(&var).map(|arity| (Arrow::Rec(var), *arity))
    }

    /// `prod f x ∘ eval`, for one argument after the other.
    fn eval(&mut self, mut function: Comb, args: &[Expr], span: Span) -> Comb {
        for arg in args {
            let ty = function.ty.result_after(1);
            let arg = self.expr(arg);
            function = Comb::new(CombKind::Then(vec![function, arg], Arrow::Eval), ty, span);
        }
        function
    }

    /// A known function as a value: `curry (curry (… ∘ call f))`.
    fn eta(&mut self, arrow: Arrow, ty: &Type, arity: usize, span: Span) -> Comb {
        let mut params = vec![];
        let mut rest = ty.clone();
        while params.len() < arity
            && let Some((from, to)) = rest.clone().as_fun()
        {
            params.push(self.program.fresh("x", from.clone()));
            rest = to.clone();
        }
        let args = params
            .iter()
            .map(|var| Comb::new(CombKind::Proj(*var), self.program.vars[*var].ty.clone(), span))
            .collect();
        let call = Comb::new(CombKind::Then(args, arrow), rest, span);
        self.curried(&params, call)
    }

    fn curried(&self, params: &[VarId], body: Comb) -> Comb {
        params.iter().rev().fold(body, |body, var| {
            let ty = Type::fun(self.program.vars[*var].ty.clone(), body.ty.clone());
            let span = body.span;
            Comb::new(CombKind::Curry(*var, Box::new(body)), ty, span)
        })
    }
}

fn operator(op: AdOp) -> Arrow {
    match op {
        AdOp::Vjp => Arrow::Vjp,
        AdOp::Jvp => Arrow::Jvp,
        AdOp::Linearize => Arrow::Linearize,
        AdOp::StopGradient => Arrow::Stop,
        AdOp::CustomVjp => Arrow::CustomVjp,
        AdOp::CustomJvp => Arrow::CustomJvp,
        AdOp::Zeros => Arrow::Zeros,
        AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs => {
            pullback_engine::unseen_mark()
        }
        AdOp::Perturb => pullback_engine::unseen_perturbation(),
    }
}
