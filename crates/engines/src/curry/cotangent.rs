//! Cotangents while code is made: what is known of them statically, their zero and their sum.
//!
//! A structural zero is never a number: it meets no partial derivative, so `0 * inf` cannot arise from
//! a path that does not exist.

use pullback_base::bug;
use pullback_lambda::{Arm, DefId, Expr, Slope, Type, TypeKind};
use pullback_prim::Prim;

use super::code::{Code, Helper, Package, Style};
use super::tan::Tan;
use super::types::{APPEND, SOME, ZERO, owned_components};

impl Code<'_> {
    /// The zero cotangent.
    pub fn zero(&mut self, ty: &Type) -> Expr {
        if !self.is_active(ty) {
            return Expr::unit(self.span);
        }
        let data = self.bar_data(ty);
        Expr::con(data, ZERO, vec![], self.span)
    }

    /// A cotangent as a value.
    pub fn boxed(&mut self, tan: &Tan, ty: &Type) -> Expr {
        match tan {
            Tan::Zero => self.zero(ty),
            Tan::Any(expr) => expr.clone(),
            Tan::Real(number) => {
                let data = self.bar_data(ty);
                Expr::con(data, SOME, vec![number.clone()], self.span)
            }
            Tan::Parts(parts) => {
                if parts.iter().all(|part| matches!(part, Tan::Zero)) {
                    return self.zero(ty);
                }
                let mut fields = vec![];
                for (part, ty) in parts.iter().zip(owned_components(ty)) {
                    if self.is_active(&ty) {
                        fields.push(self.boxed(part, &ty));
                    }
                }
                let data = self.bar_data(ty);
                Expr::con(data, SOME, fields, self.span)
            }
        }
    }

    /// A cotangent as an atom.
    pub fn boxed_atom(&mut self, tan: &Tan, ty: &Type) -> Expr {
        let boxed = self.boxed(tan, ty);
        self.emit("y_bar", boxed)
    }

    /// The sum of two.
    pub fn add(&mut self, left: Tan, right: Tan, ty: &Type) -> Tan {
        match (left, right) {
            (Tan::Zero, tan) | (tan, Tan::Zero) => tan,
            (Tan::Real(a), Tan::Real(b)) => {
                let sum = self.prim(Prim::Add, vec![a, b]);
                Tan::Real(self.emit("s", sum))
            }
            (Tan::Real(a), Tan::Any(b)) | (Tan::Any(b), Tan::Real(a)) => {
                let (var, number) = self.fresh("r", Type::real());
                let sum = self.prim(Prim::Add, vec![number, a.clone()]);
                let arms = vec![Arm::new(ZERO, vec![], a), Arm::new(SOME, vec![var], sum)];
                let sum = Expr::match_(b, arms, None, self.span);
                Tan::Real(self.emit("s", sum))
            }
            (Tan::Parts(a), Tan::Parts(b)) => self.add_parts(a, b, ty),
            (Tan::Parts(a), Tan::Any(b)) | (Tan::Any(b), Tan::Parts(a)) => {
                let b = self.parts(Tan::Any(b), ty);
                self.add_parts(a, b, ty)
            }
            (left, right) => {
                let (left, right) = (self.boxed_atom(&left, ty), self.boxed_atom(&right, ty));
                Tan::Any(self.add_boxed(left, right, ty))
            }
        }
    }

    fn add_parts(&mut self, left: Vec<Tan>, right: Vec<Tan>, ty: &Type) -> Tan {
        let types = owned_components(ty);
        let parts = left.into_iter().zip(right).zip(&types);
        Tan::Parts(parts.map(|((a, b), ty)| self.add(a, b, ty)).collect())
    }

    /// The sum of two values.
    pub fn add_boxed(&mut self, left: Expr, right: Expr, ty: &Type) -> Expr {
        if !self.is_active(ty) {
            return Expr::unit(self.span);
        }
        self.by_helper(Helper::Add, ty, vec![left, right], "s")
    }

    /// What a helper for a type makes of these.
    pub fn by_helper(&mut self, helper: Helper, ty: &Type, args: Vec<Expr>, name: &str) -> Expr {
        let def = self.helper(helper, ty);
        let helper = self.program.global(def, self.span);
        let made = self.apply(helper, args);
        self.emit(name, made)
    }

    /// The components of a cotangent of a tuple or record.
    pub fn parts(&mut self, tan: Tan, ty: &Type) -> Vec<Tan> {
        let types = owned_components(ty);
        match tan {
            Tan::Parts(parts) => parts,
            Tan::Zero | Tan::Real(_) => types.iter().map(|_| Tan::Zero).collect(),
            Tan::Any(expr) => {
                let fields = self.fields(expr, ty, SOME, &types, true);
                let tans = fields.into_iter();
                tans.map(|field| field.map_or(Tan::Zero, Tan::Any)).collect()
            }
        }
    }

    /// The fields under one constructor of a cotangent, zeros if it is zero; `None` for what nothing
    /// flows back to. Any other constructor means that the tag is wrong.
    pub fn fields(
        &mut self,
        expr: Expr,
        ty: &Type,
        tag: usize,
        types: &[Type],
        only: bool,
    ) -> Vec<Option<Expr>> {
        let active: Vec<bool> = types.iter().map(|ty| self.is_active(ty)).collect();
        let (mut vars, mut found, mut zeros) = (vec![], vec![], vec![]);
        for (ty, _) in types.iter().zip(&active).filter(|(_, active)| **active) {
            let bar = self.bar(ty);
            let (var, occurrence) = self.fresh("c", bar);
            vars.push(var);
            found.push(occurrence);
            zeros.push(self.zero(ty));
        }
        let count = found.len();
        if count == 0 {
            return types.iter().map(|_| None).collect();
        }
        let (found, zeros) = (self.pack(found), self.pack(zeros));
        let default = (!only).then(|| {
            let what = format!("a {} was unpacked under the wrong tag", self.program.show_type(ty));
            self.broken(&what, found.ty.clone())
        });
        let arms = vec![Arm::new(ZERO, vec![], zeros), Arm::new(tag, vars, found)];
        let opened = Expr::match_(expr, arms, default, self.span);
        let opened = self.emit("t", opened);
        let mut next = 0;
        let mut items = vec![];
        for active in active {
            items.push(active.then(|| {
                next += 1;
                self.unpack(&opened, next - 1, count)
            }));
        }
        items
    }

    /// A partial derivative times a cotangent that is there; a zero branch stays structural.
    pub fn times(&mut self, slope: &Slope, factor: &Expr) -> Tan {
        if let Slope::If(cond, then, other) = slope {
            let cond = cond.clone();
            let real = Type::real();
            let span = self.span;
            self.open();
            let then = self.times(then, factor);
            let Some(then_scope) = self.scopes.pop() else { bug("curry", "an open scope") };
            self.open();
            let other = self.times(other, factor);
            if let (Tan::Real(a), Tan::Real(b)) = (&then, &other) {
                let b = self.close(b.clone());
                self.scopes.push(then_scope);
                let a = self.close(a.clone());
                let chosen = Expr::if_(cond, a, b, span);
                return Tan::Real(self.emit("p", chosen));
            }
            let b = self.boxed(&other, &real);
            let b = self.close(b);
            self.scopes.push(then_scope);
            let a = self.boxed(&then, &real);
            let a = self.close(a);
            let chosen = Expr::if_(cond, a, b, span);
            return Tan::Any(self.emit("p", chosen));
        }
        match slope.times(factor, self.span) {
            None => Tan::Zero,
            Some(product) => Tan::Real(self.emit("p", product)),
        }
    }

    /// A helper definition for a type, made on first demand.
    pub fn helper(&mut self, helper: Helper, ty: &Type) -> DefId {
        if let Some(known) = self.helpers.get(&(helper, ty.clone())) {
            return *known;
        }
        let (name, signature) = self.helper_type(helper, ty);
        let def = self.reserve(name, signature);
        self.helpers.insert((helper, ty.clone()), def);
        // Helpers are closed: they must not see the scopes and spans of who asks first.
        let scopes = std::mem::take(&mut self.scopes);
        let body = match helper {
            Helper::Add => self.add_body(ty),
            Helper::Dense => self.dense_body(ty),
            Helper::Inject => self.inject_body(ty),
            Helper::Extract => self.extract_body(ty),
            Helper::Plus => self.plus_body(ty),
        };
        self.scopes = scopes;
        self.program.defs[def].body = body;
        def
    }

    fn helper_type(&mut self, helper: Helper, ty: &Type) -> (&'static str, Type) {
        if helper == Helper::Plus {
            return self.plus_signature();
        }
        let bar = self.bar(ty);
        match helper {
            Helper::Plus => self.plus_signature(),
            Helper::Add => ("add", Type::funs([bar.clone(), bar.clone()], bar)),
            Helper::Dense => {
                let element = ty.item().clone();
                let element = self.bar(&element);
                ("dense", Type::funs([Type::int(), bar], Type::array(element)))
            }
            Helper::Inject => ("inject", Type::funs([ty.clone(), self.tangent(ty)], bar)),
            Helper::Extract => ("extract", Type::funs([bar, ty.clone()], self.tangent(ty))),
        }
    }

    /// The tangent type of first-order data.
    pub fn tangent(&mut self, ty: &Type) -> Type {
        self.program.tangent(ty)
    }

    /// `\a b -> a + b`: a zero is neutral; two under one constructor are added by component, two
    /// arrays or lists are kept side by side.
    fn add_body(&mut self, ty: &Type) -> Expr {
        let bar = self.bar(ty);
        let (left, a) = self.fresh("a", bar.clone());
        let (right, b) = self.fresh("b", bar.clone());
        let is_environment = matches!(self.style, Style::Env(_)) && ty.as_fun().is_some();
        if is_environment || self.is_package(ty) {
            let (_, add) = self.packages();
            let add = self.program.global(add, self.span);
            let body = self.apply(add, vec![a, b]);
            return self.program.lam(vec![left, right], body);
        }
        let data = self.bar_data(ty);
        let span = self.span;
        let both = match ty.kind() {
            TypeKind::Array(_) => self.add_arrays(&a, &b, ty),
            TypeKind::Fun(..) => Expr::con(data, APPEND, vec![a.clone(), b.clone()], span),
            TypeKind::Data(source) => {
                let constructors = self.program.datas[*source].constructors.clone();
                let fields: Vec<Vec<Type>> =
                    constructors.into_iter().map(|con| con.fields).collect();
                self.add_tagged(data, &a, &b, &fields)
            }
            TypeKind::Real => self.add_tagged(data, &a, &b, &[]),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                self.add_tagged(data, &a, &b, &[owned_components(ty)])
            }
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => a.clone(),
        };
        let inner =
            Expr::match_(b.clone(), vec![Arm::new(ZERO, vec![], a.clone())], Some(both), span);
        let body = Expr::match_(a, vec![Arm::new(ZERO, vec![], b)], Some(inner), span);
        self.program.lam(vec![left, right], body)
    }

    /// The sum of two that have the same constructor; `fields` are those of the source, by tag, and
    /// empty for a number.
    fn add_tagged(
        &mut self,
        data: pullback_lambda::DataId,
        a: &Expr,
        b: &Expr,
        fields: &[Vec<Type>],
    ) -> Expr {
        let ty = a.ty.clone();
        let mut arms = vec![];
        if fields.is_empty() {
            let ((x, first), (y, second)) =
                (self.fresh("x", Type::real()), self.fresh("y", Type::real()));
            let sum = self.prim(Prim::Add, vec![first, second]);
            let sum = Expr::con(data, SOME, vec![sum], self.span);
            let inner = self.same_tag(b, SOME, vec![y], sum, &ty);
            arms.push(Arm::new(SOME, vec![x], inner));
        }
        for (index, types) in fields.iter().enumerate() {
            let (mut left, mut right) = (vec![], vec![]);
            self.open();
            let mut sums = vec![];
            for ty in types {
                if self.is_active(ty) {
                    let bar = self.bar(ty);
                    let (x, first) = self.fresh("x", bar.clone());
                    let (y, second) = self.fresh("y", bar);
                    left.push(x);
                    right.push(y);
                    sums.push(self.add_boxed(first, second, ty));
                }
            }
            let sum = Expr::con(data, index + 1, sums, self.span);
            let sum = self.close(sum);
            let inner = self.same_tag(b, index + 1, right, sum, &ty);
            arms.push(Arm::new(index + 1, left, inner));
        }
        let default = self.broken("a zero cotangent was added by component", ty);
        Expr::match_(a.clone(), arms, Some(default), self.span)
    }

    fn same_tag(
        &mut self,
        scrutinee: &Expr,
        tag: usize,
        vars: Vec<pullback_lambda::VarId>,
        body: Expr,
        ty: &Type,
    ) -> Expr {
        let default = self.broken("two cotangents of one value have different tags", ty.clone());
        Expr::match_(scrutinee.clone(), vec![Arm::new(tag, vars, body)], Some(default), self.span)
    }

    /// `add_environments`: two packages of one closure have the same tag, which is checked.
    pub fn finish_packages(&mut self) {
        match self.packages {
            Some((_, def)) if self.style == Style::Env(Package::Erased) => self.add_erased(def),
            Some((data, def)) => self.add_environments(data, def),
            None => {}
        }
    }

    fn add_environments(&mut self, data: pullback_lambda::DataId, def: DefId) {
        let ty = Type::new(TypeKind::Data(data));
        let (left, a) = self.fresh("a", ty.clone());
        let (right, b) = self.fresh("b", ty.clone());
        let mut arms = vec![];
        for (tag, fields) in self.package_fields.clone().iter().enumerate() {
            let tag = tag + 1;
            let (mut xs, mut ys, mut sums) = (vec![], vec![], vec![]);
            self.open();
            for field in fields {
                let bar = self.bar(field);
                let (x, first) = self.fresh("x", bar.clone());
                let (y, second) = self.fresh("y", bar);
                xs.push(x);
                ys.push(y);
                sums.push(self.add_boxed(first, second, field));
            }
            let sum = Expr::con(data, tag, sums, self.span);
            let sum = self.close(sum);
            let inner = self.same_tag(&b, tag, ys, sum, &ty);
            arms.push(Arm::new(tag, xs, inner));
        }
        let span = self.span;
        let broken = self.broken("a zero package was added by component", ty);
        let both = Expr::match_(a.clone(), arms, Some(broken), span);
        let inner =
            Expr::match_(b.clone(), vec![Arm::new(ZERO, vec![], a.clone())], Some(both), span);
        let body = Expr::match_(a, vec![Arm::new(ZERO, vec![], b)], Some(inner), span);
        self.program.defs[def].body = self.program.lam(vec![left, right], body);
    }
}
