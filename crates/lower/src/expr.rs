//! Translation of terms to A-normal form: each term becomes statements of the block that is being made, and a value.
//!
//! Input: a term of the calculus, in an environment from its variables to values. Output: a [`Value`]; statements are
//! appended.
//!
//! ```text
//! calculus  let y = x * x in y + sin y
//! IR        t.1: f64 = mul(x.0, x.0)   t.2: f64 = sin(t.1)   t.3: f64 = add(t.1, t.2)
//! ```
//!
//! Law: statements stand in the order in which the calculus evaluates, so values and the first error are the same. A
//! chain of bindings takes no native stack.

use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Loop, LoopForm, Match, Op, Type};
use pullback_lambda as lambda;
use pullback_lambda::{Expr, ExprKind, Lit, VarId};

use crate::context::Ctx;
use crate::name::NAME;
use crate::prim::element;
use crate::value::{Fun, Value};

impl Ctx<'_> {
    /// A term as a value; its statements go to the block that is being made.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    pub(crate) fn expr(&mut self, expr: &Expr) -> Value {
        let mut expr = expr;
        // Long chains of bindings take no native stack.
        loop {
            match &expr.kind {
                ExprKind::Let(var, value, body) => {
                    let value = self.expr(value);
                    self.env.insert(*var, value);
                    expr = body;
                }
                ExprKind::LetRec(functions, body) => {
                    self.span = expr.span;
                    self.recursive(functions);
                    expr = body;
                }
                _ => break,
            }
        }
        let value = self.node(expr);
        self.span = expr.span;
        value
    }

    fn node(&mut self, expr: &Expr) -> Value {
        self.span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => match self.env.get(var) {
                Some(value) => value.clone(),
                None => bug(NAME, format_args!("{var:?} to be in scope")),
            },
            ExprKind::Global(def) => self.global(*def),
            ExprKind::Lit(lit) => Value::Leaf(match lit {
                Lit::Real(x) => Atom::Real(*x),
                Lit::Int(n) => Atom::Int(*n),
                Lit::Bool(b) => Atom::Bool(*b),
                Lit::Str(text) => Atom::Str(self.out.string(text)),
            }),
            ExprKind::Prim(prim, args) => self.at(expr.span, |ctx| ctx.prim(*prim, args, &expr.ty)),
            ExprKind::Lam(params, body) => self.lambda(params, body, &expr.free_vars(), expr.span),
            ExprKind::App(function, args) => {
                let value = self.expr(function);
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.span = expr.span;
                self.apply(value, &function.ty, args)
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.expr(cond);
                let cond = self.leaf(&cond);
                self.if_(cond, then, other, &expr.ty, expr.span)
            }
            ExprKind::Tuple(items) => {
                Value::Tuple(items.iter().map(|item| self.expr(item)).collect())
            }
            ExprKind::Proj(base, at) => {
                let Value::Tuple(mut items) = self.expr(base) else {
                    bug(NAME, "a structure to take a component of")
                };
                items.swap_remove(*at)
            }
            ExprKind::Con(position, fields) => self.con(*position, fields, &expr.ty, expr.span),
            ExprKind::Match(scrutinee, arms, default) => {
                let scrutinee_value = self.expr(scrutinee);
                let scrutinee = self.leaf(&scrutinee_value);
                self.match_(scrutinee, arms, default.as_deref(), &expr.ty, expr.span)
            }
            ExprKind::Array(items) => {
                let items = items.iter().map(|item| self.expr(item)).collect();
                self.span = expr.span;
                self.array(items, element(&expr.ty))
            }
            ExprKind::Build { size, var, body } => {
                let size = self.expr(size);
                let size = self.leaf(&size);
                self.span = expr.span;
                let index = self.out.fresh(self.source.vars[*var].name.clone(), Type::INT);
                self.env.insert(*var, Value::Leaf(Atom::Var(index)));
                let value = self.build(size, index, element(&expr.ty), |ctx| {
                    let value = ctx.expr(body);
                    ctx.span = expr.span;
                    value
                });
                self.span = expr.span;
                value
            }
            ExprKind::Loop { var, init, form, body } => self.loop_(*var, init, form, body, expr),
            ExprKind::Ad(op, args) => self.request(*op, args, expr.span),
            ExprKind::Let(..) | ExprKind::LetRec(..) => self.expr(expr),
        }
    }

    /// What `make` gives, whose statements get this place in the source; parts of it set their own.
    fn at<T>(&mut self, span: Span, make: impl FnOnce(&mut Self) -> T) -> T {
        self.span = span;
        make(self)
    }

    fn global(&mut self, def: lambda::DefId) -> Value {
        let source = &self.source.defs[def];
        if matches!(source.body.kind, ExprKind::Lam(..)) {
            return Value::Fun(Box::new(Fun::Def(def)));
        }
        let func = self.def(def);
        let leaves = self.leaves(&source.ty);
        let results = self.emit_all("constant", &leaves, Op::Call(func, vec![]));
        self.unflatten(results, &source.ty)
    }

    fn if_(
        &mut self,
        cond: Atom,
        then: &Expr,
        other: &Expr,
        ty: &lambda::Type,
        span: Span,
    ) -> Value {
        let then = self.branch(then, ty);
        let other = self.branch(other, ty);
        self.span = span;
        let leaves = self.leaves(ty);
        let results = self.emit_all("t", &leaves, Op::If(cond, then, other));
        self.unflatten(results, ty)
    }

    fn branch(&mut self, body: &Expr, ty: &lambda::Type) -> pullback_ir::Block {
        self.block(|ctx| {
            let value = ctx.expr(body);
            ctx.flatten(value, ty)
        })
    }

    fn con(&mut self, position: usize, fields: &[Expr], ty: &lambda::Type, span: Span) -> Value {
        let mut atoms = vec![];
        for field in fields {
            let value = self.expr(field);
            atoms.extend(self.flatten(value, &field.ty));
        }
        self.span = span;
        let [leaf] = self.leaves(ty)[..] else { bug(NAME, "a sum to be one leaf") };
        Value::Leaf(self.emit("data", leaf, Op::Con(Self::tag(position), atoms)))
    }

    fn match_(
        &mut self,
        scrutinee: Atom,
        arms: &[lambda::Arm],
        default: Option<&Expr>,
        ty: &lambda::Type,
        span: Span,
    ) -> Value {
        let mut lowered = vec![];
        for arm in arms {
            let mut params = vec![];
            for var in &arm.vars {
                let source = &self.source.vars[*var];
                let (leaves, value) = self.fresh(&source.name.clone(), &source.ty);
                params.extend(leaves);
                self.env.insert(*var, value);
            }
            let block = self.branch(&arm.body, ty);
            lowered.push(Arm { tag: Self::tag(arm.tag), params, block });
        }
        let default = default.map(|body| self.branch(body, ty));
        self.span = span;
        let leaves = self.leaves(ty);
        let cases = Match { scrutinee, arms: lowered, default };
        let results = self.emit_all("t", &leaves, Op::Match(cases));
        self.unflatten(results, ty)
    }

    fn loop_(
        &mut self,
        var: VarId,
        init: &Expr,
        form: &lambda::LoopForm,
        body: &Expr,
        expr: &Expr,
    ) -> Value {
        let ty = &expr.ty;
        let first = self.expr(init);
        let first = self.flatten(first, ty);
        let (states, state) = self.fresh(&self.source.vars[var].name.clone(), ty);
        let form = match form {
            lambda::LoopForm::For { var: index, count } => {
                let count = self.expr(count);
                let count = self.leaf(&count);
                let name = self.source.vars[*index].name.clone();
                let fresh = self.out.fresh(name, Type::INT);
                self.env.insert(*index, Value::Leaf(Atom::Var(fresh)));
                self.env.insert(var, state);
                LoopForm::For { index: fresh, count, down: false }
            }
            lambda::LoopForm::While(cond) => {
                self.env.insert(var, state);
                LoopForm::While(self.branch(cond, &lambda::Type::bool()))
            }
        };
        let body = self.branch(body, ty);
        self.span = expr.span;
        let leaves = self.leaves(ty);
        let op = Op::Loop(Loop { form, states, init: first, body });
        let results = self.emit_all("state", &leaves, op);
        self.unflatten(results, ty)
    }
}
