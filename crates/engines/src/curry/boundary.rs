//! The boundary: a function of first-order types between the tangents that users see and the
//! cotangents inside.
//!
//! Output: `S -> (T, T' -> S')`. A structural zero that reaches the boundary becomes a zero of the
//! shape of the argument.

use pullback_lambda::{Arm, Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::code::{Code, Helper};
use super::tan::Tan;
use super::types::{DENSE, SOME, ZERO, owned_components};

impl Code<'_> {
    /// A cotangent of this value, from one that the user gives.
    pub fn inject(&mut self, value: Expr, tangent: Expr, ty: &Type) -> Expr {
        if !self.is_active(ty) {
            return Expr::unit(self.span);
        }
        self.by_helper(Helper::Inject, ty, vec![value, tangent], "y_bar")
    }

    /// A cotangent of this value, for the user.
    pub fn extract(&mut self, tan: Expr, value: Expr, ty: &Type) -> Expr {
        if !self.is_active(ty) {
            return self.zeros(value);
        }
        self.by_helper(Helper::Extract, ty, vec![tan, value], "x_bar")
    }

    /// A tangent of this value, from one that the user gives, as far as it is known.
    pub fn given(&mut self, value: &Expr, dot: Expr, ty: &Type) -> Tan {
        if !self.is_active(ty) {
            return Tan::Zero;
        }
        if let TypeKind::Real = ty.kind() {
            return Tan::Real(dot);
        }
        if !ty.is_product() {
            return Tan::Any(self.inject(value.clone(), dot, ty));
        }
        let mut parts = vec![];
        for (index, ty) in owned_components(ty).iter().enumerate() {
            let part = self.emit("x", Expr::proj(value.clone(), index, self.span));
            let given = self.emit("x_dot", Expr::proj(dot.clone(), index, self.span));
            parts.push(self.given(&part, given, ty));
        }
        Tan::Parts(parts)
    }

    /// A tangent of this value, for the user.
    pub fn taken(&mut self, tan: &Tan, value: &Expr, ty: &Type) -> Expr {
        match tan {
            Tan::Zero => self.zeros(value.clone()),
            Tan::Real(number) => number.clone(),
            Tan::Parts(parts) => {
                let mut items = vec![];
                for (index, (ty, part)) in owned_components(ty).iter().zip(parts).enumerate() {
                    let value = self.emit("y", Expr::proj(value.clone(), index, self.span));
                    items.push(self.taken(part, &value, ty));
                }
                let tangent = self.tangent(ty);
                Expr::record(items, tangent, self.span)
            }
            Tan::Any(expr) => self.extract(expr.clone(), value.clone(), ty),
        }
    }

    /// `zeros value`
    pub fn zeros(&mut self, value: Expr) -> Expr {
        self.program.zeros(value, self.span)
    }

    /// `\value tangent -> …`
    pub fn inject_body(&mut self, ty: &Type) -> Expr {
        let tangent_type = self.tangent(ty);
        let (value_var, value) = self.fresh("y", ty.clone());
        let (tangent_var, tangent) = self.fresh("g", tangent_type.clone());
        let data = self.bar_data(ty);
        let span = self.span;
        let body = match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => self.scope(|code| {
                let mut fields = vec![];
                for (index, ty) in owned_components(ty).iter().enumerate() {
                    if code.is_active(ty) {
                        let part = code.emit("y", Expr::proj(value.clone(), index, span));
                        let given = code.emit("g", Expr::proj(tangent.clone(), index, span));
                        fields.push(code.inject(part, given, ty));
                    }
                }
                Expr::con(data, SOME, fields, span)
            }),
            TypeKind::Array(element) => self.scope(|code| {
                let needed = Expr::size_of(value.clone(), code.span);
                let needed = code.emit("n", needed);
                let found = Expr::size_of(tangent.clone(), code.span);
                let same = code.prim(Prim::IntEq, vec![found, needed.clone()]);
                let other = code.other_shape(Type::unit());
                code.emit("ok", Expr::if_(same, Expr::unit(span), other, span));
                let (var, index) = code.fresh("i", Type::int());
                let part = Expr::index(value.clone(), index.clone(), code.span);
                let given = Expr::index(tangent.clone(), index, code.span);
                let item = code.scope(|code| {
                    let part = code.emit("y", part);
                    let given = code.emit("g", given);
                    code.inject(part, given, element)
                });
                let all = Expr::build(needed, var, item, span);
                Expr::con(data, DENSE, vec![all, Expr::con(data, ZERO, vec![], span)], span)
            }),
            TypeKind::Data(source) => self.inject_data(*source, &value, &tangent, ty),
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                Expr::con(data, SOME, vec![tangent.clone()], span)
            }
        };
        self.program.lam(vec![value_var, tangent_var], body)
    }

    fn inject_data(
        &mut self,
        source: pullback_lambda::DataId,
        value: &Expr,
        tangent: &Expr,
        ty: &Type,
    ) -> Expr {
        let (data, bar) = (self.bar_data(ty), self.bar(ty));
        let span = self.span;
        let TypeKind::Data(tangent_data) = *tangent.ty.kind() else {
            return self.broken("a sum has a tangent that is no sum", bar);
        };
        let mut arms = vec![];
        for tag in 0..self.program.datas[source].constructors.len() {
            let types = self.program.datas[source].constructors[tag].fields.clone();
            let dots = self.program.datas[tangent_data].constructors[tag].fields.clone();
            let (mut vars, mut given_vars, mut fields) = (vec![], vec![], vec![]);
            self.open();
            for (ty, dot) in types.iter().zip(dots) {
                let (var, part) = self.fresh("y", ty.clone());
                let (given_var, given) = self.fresh("g", dot);
                vars.push(var);
                given_vars.push(given_var);
                if self.is_active(ty) {
                    fields.push(self.inject(part, given, ty));
                }
            }
            let whole = Expr::con(data, tag + 1, fields, span);
            let whole = self.close(whole);
            let other = self.other_shape(bar.clone());
            let inner = Arm::new(tag, given_vars, whole);
            let inner = Expr::match_(tangent.clone(), vec![inner], Some(other), span);
            arms.push(Arm::new(tag, vars, inner));
        }
        Expr::match_(value.clone(), arms, None, span)
    }

    /// The error of a cotangent that has another shape than its value.
    fn other_shape(&self, ty: Type) -> Expr {
        let what = if self.is_forward { "tangent" } else { "cotangent" };
        Expr::stop(Prim::OtherShape, Expr::str(what, self.span), ty, self.span)
    }

    /// `\cotangent value -> …`
    pub fn extract_body(&mut self, ty: &Type) -> Expr {
        let (bar, tangent_type) = (self.bar(ty), self.tangent(ty));
        let (tan_var, tan) = self.fresh("t", bar);
        let (value_var, value) = self.fresh("x", ty.clone());
        let span = self.span;
        let mut arms = vec![];
        let mut default = None;
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let types = owned_components(ty);
                let mut vars = vec![];
                let whole = self.scope(|code| {
                    let mut items = vec![];
                    for (index, ty) in types.iter().enumerate() {
                        let part = code.emit("x", Expr::proj(value.clone(), index, span));
                        let mut part_tan = Expr::unit(span);
                        if code.is_active(ty) {
                            let bar = code.bar(ty);
                            let (var, occurrence) = code.fresh("t", bar);
                            vars.push(var);
                            part_tan = occurrence;
                        }
                        items.push(code.extract(part_tan, part, ty));
                    }
                    Expr::record(items, tangent_type.clone(), span)
                });
                arms.push(Arm::new(SOME, vars, whole));
            }
            TypeKind::Array(element) => {
                let whole = self.scope(|code| {
                    let size = Expr::size_of(value.clone(), code.span);
                    let size = code.emit("n", size);
                    let tan = super::tan::Tan::Any(tan.clone());
                    let all = code.dense(size.clone(), &tan, ty);
                    let (var, index) = code.fresh("i", Type::int());
                    let item = code.scope(|code| {
                        let part = Expr::index(value.clone(), index.clone(), code.span);
                        let part = code.emit("x", part);
                        let tan = Expr::index(all.clone(), index.clone(), code.span);
                        let tan = code.emit("t", tan);
                        code.extract(tan, part, element)
                    });
                    Expr::build(size, var, item, span).sized_like(&value)
                });
                default = Some(whole);
            }
            TypeKind::Data(source) => self.extract_data(*source, &value, ty, &mut arms),
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => {
                let (var, number) = self.fresh("r", Type::real());
                arms.push(Arm::new(SOME, vec![var], number));
            }
        }
        let zeros = self.zeros(value);
        arms.insert(0, Arm::new(ZERO, vec![], zeros));
        let body = Expr::match_(tan, arms, default, span);
        self.program.lam(vec![tan_var, value_var], body)
    }

    fn extract_data(
        &mut self,
        source: pullback_lambda::DataId,
        value: &Expr,
        ty: &Type,
        arms: &mut Vec<pullback_lambda::Arm>,
    ) {
        let span = self.span;
        let tangent_type = self.tangent(ty);
        for tag in 0..self.program.datas[source].constructors.len() {
            let types = self.program.datas[source].constructors[tag].fields.clone();
            let (mut vars, mut tans, mut items) = (vec![], vec![], vec![]);
            self.open();
            for ty in &types {
                let (var, part) = self.fresh("x", ty.clone());
                vars.push(var);
                let mut part_tan = Expr::unit(span);
                if self.is_active(ty) {
                    let bar = self.bar(ty);
                    let (var, occurrence) = self.fresh("t", bar);
                    tans.push(var);
                    part_tan = occurrence;
                }
                items.push(self.extract(part_tan, part, ty));
            }
            let whole =
                Expr::new(pullback_lambda::ExprKind::Con(tag, items), tangent_type.clone(), span);
            let whole = self.close(whole);
            let other = self.other_shape(tangent_type.clone());
            let inner =
                Expr::match_(value.clone(), vec![Arm::new(tag, vars, whole)], Some(other), span);
            arms.push(Arm::new(tag + 1, tans, inner));
        }
    }
}
