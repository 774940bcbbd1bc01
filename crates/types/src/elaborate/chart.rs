//! Tangent types that declarations name: `type T = … with tangent U by retract, local`.
//!
//! The calculus knows the tangents of a value's structure only. A program sees `T a`, in which `U` stands in place of
//! the structural tangents of `T`. Between the two stand the derivatives of the charts
//!
//! ```text
//! move x : T a -> a               by parts: retract x u where a declaration names it, x + u at a Real
//! displacement x : a -> T a       by parts: local x y where a declaration names it, y - x at a Real
//! ```
//!
//! the former at 0 and the latter at `x`, where each is the inverse of the other to first order.
//! Law: an operator that is given `f` and `x` gives the derivative of `\u -> displacement (f x) (f (move x u))` at 0.
//! The value beside it is `f x`. All of this is gone after elaboration, so that no engine knows of it.

use std::collections::BTreeSet;

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, Constructor, Data, DataId, Expr, ExprKind, Type, TypeKind};
use pullback_prim::Prim;

use super::state::{Elab, Subst};
use super::structure::{Elementwise, Leaf};
use super::types::bug;
use crate::tir::{OwnTangent, TExpr, Typed};

impl<'t> Elab<'t> {
    /// What the declaration of a type says of its tangents.
    fn own(&self, ty: &Type) -> Option<&'t OwnTangent> {
        let TypeKind::Data(data) = ty.kind() else { return None };
        let typed: &'t Typed = self.typed;
        typed.types[*self.tables.charts.get(data)?].tangent.as_ref()
    }

    /// Whether the declaration of the type names its tangent type.
    pub(super) fn has_own_tangent(&self, ty: &Type) -> bool {
        self.own(ty).is_some()
    }

    /// Whether charts stand between the tangents of the structure and those that a program sees.
    pub(super) fn has_charts(&self, ty: &Type) -> bool {
        if self.tables.charts.is_empty() {
            return false;
        }
        let (mut todo, mut seen) = (vec![ty.clone()], BTreeSet::new());
        while let Some(ty) = todo.pop() {
            match ty.kind() {
                TypeKind::Real
                | TypeKind::Int
                | TypeKind::Bool
                | TypeKind::Str
                | TypeKind::Fun(..) => {}
                TypeKind::Tuple(items) => todo.extend(items.iter().cloned()),
                TypeKind::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty.clone())),
                TypeKind::Array(element) => todo.push(element.clone()),
                TypeKind::Data(data) => {
                    if self.has_own_tangent(&ty) {
                        return true;
                    }
                    if seen.insert(*data) {
                        let constructors = &self.program.datas[*data].constructors;
                        todo.extend(constructors.iter().flat_map(|con| con.fields.clone()));
                    }
                }
            }
        }
        false
    }

    /// `T ty` of a type with charts.
    pub(super) fn charted_tangent(&mut self, ty: &Type) -> Type {
        if let Some(own) = self.own(ty) {
            return self.lower_with(&own.ty, &Subst::default());
        }
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                self.structural_tangent(ty)
            }
            TypeKind::Tuple(items) => {
                Type::tuple(items.iter().map(|item| self.tangent(item)).collect())
            }
            TypeKind::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.tangent(ty)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Array(element) => Type::array(self.tangent(element)),
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.charted_sum(*data))),
        }
    }

    /// The sum of the tangents of a sum with charts.
    fn charted_sum(&mut self, data: DataId) -> DataId {
        let name: Name = format!("T ({})", self.program.datas[data].name).into();
        let fresh = self.program.datas.push(Data::new(name, vec![]));
        self.tables.tangents.insert(data, Type::new(TypeKind::Data(fresh)));
        let constructors = self.program.datas[data].constructors.clone().into_iter().map(|con| {
            let fields = con.fields.iter().map(|field| self.tangent(field)).collect();
            Constructor { name: con.name, fields }
        });
        let constructors = constructors.collect();
        self.program.datas[fresh].constructors = constructors;
        fresh
    }

    /// A function that a declaration names.
    fn chart(&mut self, function: Option<&'t TExpr>, span: Span) -> Expr {
        let Some(function) = function else { bug("the functions of a tangent type", span) };
        Expr { span, ..self.expr(function) }
    }

    /// `move x dx`
    pub(super) fn move_by(&mut self, operands: [Expr; 2], span: Span) -> Expr {
        let leaf: &mut Leaf<'_, 't> = &mut |this, operands: Vec<Expr>| {
            if let Some(own) = this.own(&operands[0].ty) {
                let retract = this.chart(own.retract.as_ref(), span);
                return Expr::app(retract, operands, span);
            }
            let is_real = matches!(operands[0].ty.kind(), TypeKind::Real);
            let mut operands = operands.into_iter();
            match (operands.next(), operands.next()) {
                (Some(value), Some(tangent)) if is_real => {
                    Expr::prim(Prim::Add, [value, tangent], span)
                }
                (Some(value), Some(_)) => value,
                (None, _) | (_, None) => bug("a value and its tangent", span),
            }
        };
        self.elementwise(operands.into(), &mut Elementwise::new(leaf, "move", span))
    }

    /// `displacement x y`: the tangent that leads from `x` to `y`.
    pub(super) fn displacement(&mut self, operands: [Expr; 2], span: Span) -> Expr {
        let leaf: &mut Leaf<'_, 't> = &mut |this, operands: Vec<Expr>| {
            if let Some(own) = this.own(&operands[0].ty) {
                let local = this.chart(own.local.as_ref(), span);
                return Expr::app(local, operands, span);
            }
            if !matches!(operands[0].ty.kind(), TypeKind::Real) {
                return Expr::unit(span);
            }
            Expr::prim(Prim::Sub, operands.into_iter().rev().collect::<Vec<_>>(), span)
        };
        self.elementwise(operands.into(), &mut Elementwise::to_tangent(leaf, "displacement", span))
    }

    /// `zeros x`
    pub(super) fn zeros(&mut self, x: Expr, span: Span) -> Expr {
        if !self.has_charts(&x.ty) {
            let ty = self.tangent(&x.ty);
            return Expr::ad(AdOp::Zeros, vec![x], ty, span);
        }
        let leaf: &mut Leaf<'_, 't> = &mut |this, mut operands: Vec<Expr>| {
            let x = operands.pop().unwrap_or_else(|| bug("a value", span));
            if this.has_own_tangent(&x.ty) {
                // Only its sizes count.
                let local = this.bind(x, "x", |this, x| this.displacement([x.clone(), x], span));
                return this.zeros(local, span);
            }
            let is_real = matches!(x.ty.kind(), TypeKind::Real);
            if is_real { Expr::real(0.0, span) } else { Expr::unit(span) }
        };
        self.elementwise(vec![x], &mut Elementwise::to_tangent(leaf, "zeros", span))
    }

    /// `f` and `x` by names, but a function that is written out stays where the engines see it.
    fn bind_call(
        &mut self,
        mut args: Vec<Expr>,
        body: impl FnOnce(&mut Self, Vec<Expr>) -> Expr,
    ) -> Expr {
        if !matches!(args[0].kind, ExprKind::Lam(..)) {
            return self.bind_all(args, "arg", body);
        }
        let f = args.remove(0);
        self.bind_all(args, "arg", |this, mut args| {
            args.insert(0, f);
            body(this, args)
        })
    }

    /// `body` of `\u -> f (move x u)` and 0, where no charts are left at the argument.
    pub(super) fn in_chart(
        &mut self,
        [f, x]: [Expr; 2],
        span: Span,
        body: impl FnOnce(&mut Self, [Expr; 2]) -> Expr,
    ) -> Expr {
        if !self.has_charts(&x.ty) {
            return body(self, [f, x]);
        }
        self.bind_call(vec![f, x], |this, args| {
            let [f, x] = args.try_into().unwrap_or_else(|_| bug("a function and a point", span));
            let zero = this.zeros(x.clone(), span);
            let moved = this.moved(f, x, span);
            body(this, [moved, zero])
        })
    }

    /// `\u -> f (move x u)`, of an atom `x`
    fn moved(&mut self, f: Expr, x: Expr, span: Span) -> Expr {
        let ty = self.tangent(&x.ty);
        let var = self.fresh("u", ty);
        let u = self.var(var, span);
        let point = self.move_by([x, u], span);
        let body = applied(f, point, span);
        self.program.lam(vec![var], body)
    }

    /// `\y -> displacement (f x) (f y)` and `x`, where no charts are left at the result.
    pub(super) fn with_flat_result(
        &mut self,
        [f, x]: [Expr; 2],
        span: Span,
        body: impl FnOnce(&mut Self, [Expr; 2]) -> Expr,
    ) -> Expr {
        let (a, b) = self.boundary(&f, span);
        if !self.has_charts(&b) {
            return body(self, [f, x]);
        }
        self.bind_all(vec![f, x], "arg", |this, args| {
            let [f, x] = args.try_into().unwrap_or_else(|_| bug("a function and a point", span));
            let value = Expr::app(f.clone(), vec![x.clone()], span);
            this.bind(value, "y", |this, value| {
                let var = this.fresh("x", a);
                let point = this.var(var, span);
                let there = Expr::app(f, vec![point], span);
                let local =
                    this.bind(there, "y", |this, there| this.displacement([value, there], span));
                let flat = this.program.lam(vec![var], local);
                body(this, [flat, x])
            })
        })
    }

    /// `\u -> move x u` and 0, of an atom `x`
    fn mover(&mut self, x: &Expr, span: Span) -> [Expr; 2] {
        let ty = self.tangent(&x.ty);
        let var = self.fresh("u", ty);
        let u = self.var(var, span);
        let body = self.move_by([x.clone(), u], span);
        [self.program.lam(vec![var], body), self.zeros(x.clone(), span)]
    }

    /// `\y -> displacement x y` and `x`, of an atom `x`
    fn localiser(&mut self, x: &Expr, span: Span) -> [Expr; 2] {
        let var = self.fresh("y", x.ty.clone());
        let y = self.var(var, span);
        let body = self.displacement([x.clone(), y], span);
        [self.program.lam(vec![var], body), x.clone()]
    }

    fn pulled(&mut self, [f, x]: [Expr; 2], bar: Expr, span: Span) -> Expr {
        let result = self.structural_vjp(f, x, span);
        Expr::app(Expr::proj(result, 1, span), vec![bar], span)
    }

    fn pushed(&mut self, [f, x]: [Expr; 2], dot: Expr, span: Span) -> Expr {
        let (_, b) = self.boundary(&f, span);
        let ty = Type::tuple(vec![b.clone(), self.structural_tangent(&b)]);
        Expr::proj(Expr::ad(AdOp::Jvp, vec![f, x, dot], ty, span), 1, span)
    }

    /// The cotangent of a program, from that of the structure, at an atom `x`.
    fn bar_of_structure(&mut self, x: &Expr, bar: Expr, span: Span) -> Expr {
        if !self.has_charts(&x.ty) {
            return bar;
        }
        let mover = self.mover(x, span);
        self.pulled(mover, bar, span)
    }

    /// The cotangent of the structure, from that of a program, at an atom `x`.
    fn bar_of_program(&mut self, x: &Expr, bar: Expr, span: Span) -> Expr {
        if !self.has_charts(&x.ty) {
            return bar;
        }
        let localiser = self.localiser(x, span);
        self.pulled(localiser, bar, span)
    }

    /// The tangent of a program, from that of the structure, at an atom `x`.
    fn dot_of_structure(&mut self, x: &Expr, dot: Expr, span: Span) -> Expr {
        if !self.has_charts(&x.ty) {
            return dot;
        }
        let localiser = self.localiser(x, span);
        self.pushed(localiser, dot, span)
    }

    /// The tangent of the structure, from that of a program, at an atom `x`.
    fn dot_of_program(&mut self, x: &Expr, dot: Expr, span: Span) -> Expr {
        if !self.has_charts(&x.ty) {
            return dot;
        }
        let mover = self.mover(x, span);
        self.pushed(mover, dot, span)
    }

    /// An operator that takes a function and is given all its arguments, between charts if there are any.
    pub(super) fn charted(&mut self, op: AdOp, args: Vec<Expr>, result: Type, span: Span) -> Expr {
        let (a, b) = self.boundary(&args[0], span);
        if !self.has_charts(&a) && !self.has_charts(&b) {
            return Expr::ad(op, args, result, span);
        }
        if let AdOp::CustomVjp | AdOp::CustomJvp = op {
            return self.charted_rule(op, args, result, span);
        }
        self.bind_call(args, |this, mut args| {
            let dot =
                (op == AdOp::Jvp).then(|| args.pop().unwrap_or_else(|| bug("a tangent", span)));
            let x = args[1].clone();
            let (a_dot, b_dot) = (this.structural_tangent(&a), this.structural_tangent(&b));
            let second = if op == AdOp::Vjp {
                Type::fun(b_dot, a_dot)
            } else if op == AdOp::Linearize {
                Type::fun(a_dot, b_dot)
            } else {
                b_dot
            };
            if let Some(dot) = dot {
                args.push(this.dot_of_program(&x, dot, span));
            }
            let ad = Expr::ad(op, args, Type::tuple(vec![b.clone(), second]), span);
            this.bind(ad, "result", |this, pair| {
                let (y, second) = (Expr::proj(pair.clone(), 0, span), Expr::proj(pair, 1, span));
                this.bind(y, "y", |this, y| {
                    let second = if op == AdOp::Vjp {
                        this.linear(&b, span, |this, bar| {
                            let bar = this.bar_of_program(&y, bar, span);
                            let bar = Expr::app(second, vec![bar], span);
                            this.bar_of_structure(&x, bar, span)
                        })
                    } else if op == AdOp::Linearize {
                        this.linear(&a, span, |this, dot| {
                            let dot = this.dot_of_program(&x, dot, span);
                            let dot = Expr::app(second, vec![dot], span);
                            this.dot_of_structure(&y, dot, span)
                        })
                    } else {
                        this.dot_of_structure(&y, second, span)
                    };
                    Expr::tuple(vec![y, second], span)
                })
            })
        })
    }

    /// `\u -> body u` for a tangent `u` of a program
    fn linear(
        &mut self,
        of: &Type,
        span: Span,
        body: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let ty = self.tangent(of);
        self.function("u", ty, span, body)
    }

    fn function(
        &mut self,
        name: &str,
        ty: Type,
        span: Span,
        body: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let var = self.fresh(name, ty);
        let u = self.var(var, span);
        let body = body(self, u);
        self.program.lam(vec![var], body)
    }

    /// `custom_vjp f rule x` or `custom_jvp f rule x`, whose rule is one of tangents of the program.
    fn charted_rule(&mut self, op: AdOp, args: Vec<Expr>, result: Type, span: Span) -> Expr {
        self.bind_call(args, |this, args| {
            let [f, rule, point] =
                args.try_into().unwrap_or_else(|_| bug("a function with a rule", span));
            let (a, b) = this.boundary(&f, span);
            let b_bar = this.structural_tangent(&b);
            let rule = this.function("x", a.clone(), span, |this, x| {
                if op == AdOp::CustomVjp {
                    let result = Expr::app(rule, vec![x.clone()], span);
                    return this.bind(result, "result", |this, pair| {
                        let y = Expr::proj(pair.clone(), 0, span);
                        this.bind(y, "y", |this, y| {
                            let pullback = this.function("y_bar", b_bar, span, |this, bar| {
                                let bar = this.bar_of_structure(&y, bar, span);
                                let bar = Expr::app(Expr::proj(pair, 1, span), vec![bar], span);
                                this.bar_of_program(&x, bar, span)
                            });
                            Expr::tuple(vec![y, pullback], span)
                        })
                    });
                }
                let a_dot = this.structural_tangent(&a);
                this.function("x_dot", a_dot, span, |this, dot| {
                    let dot = this.dot_of_structure(&x, dot, span);
                    let result = Expr::app(rule, vec![x, dot], span);
                    this.bind(result, "result", |this, pair| {
                        let y = Expr::proj(pair.clone(), 0, span);
                        this.bind(y, "y", |this, y| {
                            let dot = this.dot_of_program(&y, Expr::proj(pair, 1, span), span);
                            Expr::tuple(vec![y, dot], span)
                        })
                    })
                })
            });
            Expr::ad(op, vec![f, rule, point], result, span)
        })
    }

    /// `rd f x dy` where there are charts.
    pub(super) fn charted_rd(&mut self, args: [Expr; 3], span: Span) -> Expr {
        self.bind_call(args.into(), |this, args| {
            let [f, x, bar] =
                args.try_into().unwrap_or_else(|_| bug("a function, a point, a cotangent", span));
            let (_, b) = this.boundary(&f, span);
            if !this.has_charts(&b) {
                let bar = this.pulled([f, x.clone()], bar, span);
                return this.bar_of_structure(&x, bar, span);
            }
            let result = this.structural_vjp(f, x.clone(), span);
            this.bind(result, "result", |this, pair| {
                this.bind(Expr::proj(pair.clone(), 0, span), "y", |this, y| {
                    let bar = this.bar_of_program(&y, bar, span);
                    let bar = Expr::app(Expr::proj(pair, 1, span), vec![bar], span);
                    this.bar_of_structure(&x, bar, span)
                })
            })
        })
    }
}

/// `f x`, where a function that is written out gets a name for `x`.
fn applied(f: Expr, x: Expr, span: Span) -> Expr {
    match f {
        Expr { kind: ExprKind::Lam(mut params, body), .. } if params.len() == 1 => {
            Expr::let_(params.remove(0), x, *body)
        }
        f => Expr::app(f, vec![x], span),
    }
}
