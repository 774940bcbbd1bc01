//! Expressions: one case for each form of the typed tree.

use pullback_base::{Name, Span};
use pullback_lambda::{Expr, ExprKind, LoopForm, Type};

use super::build;
use super::state::{Elab, Group};
use super::types::bug;
use crate::tir::{GlobalId, LocalId, ParamId, TExpr, TExprKind, TLoopForm, TPat, TPatKind};
use crate::ty::Ty;

impl<'t> Elab<'t> {
    /// One expression, in the instance at work.
    pub(super) fn expr(&mut self, expr: &'t TExpr) -> Expr {
        let span = expr.span;
        self.place = span;
        match &expr.kind {
            TExprKind::Local(local, types) => self.local(*local, types, span),
            TExprKind::Global(global, types) => self.global(*global, types, span),
            TExprKind::Builtin(_) | TExprKind::Con(..) | TExprKind::App(..) => self.spine(expr),
            TExprKind::IntLit(value) => self.int_literal(*value, &expr.ty, span),
            TExprKind::RealLit(value) => Expr::real(*value, span),
            TExprKind::BoolLit(value) => Expr::bool(*value, span),
            TExprKind::StrLit(value) => Expr::str(value, span),
            TExprKind::Lam(lam) => self.lam(lam, span),
            TExprKind::Let(pattern, value, body) => {
                let value = self.expr(value);
                self.open(pattern, value, |this| this.expr(body))
            }
            TExprKind::LetPoly(local, value, body) => {
                self.group(vec![(*local, value.as_ref())], false, body)
            }
            TExprKind::LetRec(functions, body) => {
                let members = functions.iter().map(|(local, value)| (*local, value)).collect();
                self.group(members, true, body)
            }
            TExprKind::If(cond, then, otherwise) => {
                let (cond, then) = (self.expr(cond), self.expr(then));
                Expr::if_(cond, then, self.expr(otherwise), span)
            }
            TExprKind::Match(scrutinee, arms) => self.match_(scrutinee, arms, &expr.ty, span),
            TExprKind::Tuple(items) => Expr::tuple(self.exprs(items), span),
            TExprKind::Record(fields) => self.record_literal(fields, &expr.ty, span),
            TExprKind::TupleField(base, index) => Expr::proj(self.expr(base), *index, span),
            TExprKind::Field(base, name) => {
                let base = self.expr(base);
                let index = Self::field_index(&base.ty, name);
                Expr::proj(base, index, span)
            }
            TExprKind::Array(items) => {
                let several = items.len() > 1;
                let items = self.exprs(items);
                let array = Expr::new(ExprKind::Array(items), self.lower(&expr.ty), span);
                let array = self.sized(array, Some(&expr.ty), span);
                if several { self.regular(array, &expr.ty, span) } else { array }
            }
            TExprKind::Build(local, bound, body) => {
                let size = self.expr(bound);
                let var = self.bind_local(*local, Type::int());
                let array = Expr::build(size, var, self.expr(body), span);
                let array = self.sized(array, Some(&expr.ty), span);
                self.regular(array, &expr.ty, span)
            }
            TExprKind::For(pattern, source, body) => {
                let array = self.for_each([source, body], pattern, &expr.ty, span);
                self.regular(array, &expr.ty, span)
            }
            TExprKind::Index(base, at) => {
                let (base, at) = (self.expr(base), self.expr(at));
                let place = if at.span.is_none() { span } else { at.span };
                Expr::index(base, at, place)
            }
            TExprKind::Slice(base, range) => self.slice(base, range, &expr.ty, span),
            TExprKind::With(base, place, value) => self.with(base, place, value, span),
            TExprKind::Loop { pattern, init, form, checkpoint: None, body } => {
                self.loop_(pattern, init, form, body, span)
            }
            TExprKind::Loop { pattern, init, form, checkpoint: Some(checkpoint), body } => {
                self.segmented(pattern, [init, body], form, checkpoint, span)
            }
            TExprKind::CheckSizes(value, sized) => self.check_sizes(value, sized),
            TExprKind::Error => bug("an expression without errors", span),
        }
    }

    /// Several expressions, in order.
    pub(super) fn exprs(&mut self, exprs: &'t [TExpr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// A variable for a monomorphic local, in scope from now on.
    pub(super) fn bind_local(&mut self, local: LocalId, ty: Type) -> pullback_lambda::VarId {
        let name = self.typed.locals[local].name.clone();
        let var = self.fresh(&name, ty);
        self.env.insert(local, var);
        self.group_of.remove(&local);
        var
    }

    fn local(&mut self, local: LocalId, types: &[Ty], span: Span) -> Expr {
        if let Some(&group) = self.group_of.get(&local) {
            return self.member(group, local, types, span);
        }
        let Some(&var) = self.env.get(&local) else { bug("a bound variable", span) };
        self.var(var, span)
    }

    fn global(&mut self, global: GlobalId, types: &[Ty], span: Span) -> Expr {
        let types = types.iter().map(|ty| self.lower(ty)).collect();
        let def = self.instance(global, types);
        self.program.global(def, span)
    }

    /// A literal such as `2`, an Int or a Real by its type.
    fn int_literal(&mut self, value: u64, ty: &Ty, span: Span) -> Expr {
        let ty = self.lower(ty);
        if !build::is_int(&ty) {
            return Expr::real(value as f64, span);
        }
        i64::try_from(value).map_or_else(
            |_| build::fail("this number is too large for an Int (at most 2^63 - 1)", ty, span),
            |value| Expr::int(value, span),
        )
    }

    /// A record, its fields evaluated in the order written.
    fn record_literal(&mut self, fields: &'t [(Name, TExpr)], ty: &Ty, span: Span) -> Expr {
        let ty = self.lower(ty);
        let places: Vec<_> = fields.iter().map(|(name, _)| Self::field_index(&ty, name)).collect();
        let values: Vec<_> = fields.iter().map(|(_, value)| self.expr(value)).collect();
        if places.is_sorted() {
            return Expr::record(values, ty, span);
        }
        self.bind_all(values, "field", |_, values| {
            let mut placed: Vec<_> = places.into_iter().zip(values).collect();
            placed.sort_by_key(|(place, _)| *place);
            Expr::record(placed.into_iter().map(|(_, value)| value).collect(), ty, span)
        })
    }

    /// `[ body | pattern <- source ]`
    fn for_each(
        &mut self,
        [source, body]: [&'t TExpr; 2],
        pattern: &'t TPat,
        ty: &Ty,
        span: Span,
    ) -> Expr {
        let source = self.expr(source);
        self.bind(source, "source", |this, source| {
            let size = Expr::size_of(source.clone(), span);
            this.typed_array(size, Some(ty), span, |this, index| {
                let element = Expr::index(source, index, pattern.span);
                this.open(pattern, element, |this| this.expr(body))
            })
        })
    }

    fn loop_(
        &mut self,
        pattern: &'t TPat,
        init: &'t TExpr,
        form: &'t TLoopForm,
        body: &'t TExpr,
        span: Span,
    ) -> Expr {
        let init = self.expr(init);
        let var = self.pattern_var(pattern, init.ty.clone(), "state");
        match form {
            TLoopForm::For(local, bound) => {
                let count = self.expr(bound);
                let index = self.bind_local(*local, Type::int());
                let body = self.open_var(pattern, var, |this| this.expr(body));
                Expr::loop_for(var, init, index, count, body, span)
            }
            TLoopForm::While(cond) => {
                let cond = self.open_var(pattern, var, |this| this.expr(cond));
                let body = self.open_var(pattern, var, |this| this.expr(body));
                let form = LoopForm::While(Box::new(cond));
                let ty = init.ty.clone();
                let kind = ExprKind::Loop { var, init: Box::new(init), form, body: Box::new(body) };
                Expr::new(kind, ty, span)
            }
        }
    }

    /// A variable for the value a pattern takes apart, with the pattern's own name if it has one.
    pub(super) fn pattern_var(
        &mut self,
        pattern: &TPat,
        ty: Type,
        otherwise: &str,
    ) -> pullback_lambda::VarId {
        match pattern.kind {
            TPatKind::Var(local) | TPatKind::As(local, _) => {
                let name = self.typed.locals[local].name.clone();
                self.fresh(&name, ty)
            }
            TPatKind::Wild => self.fresh("_", ty),
            TPatKind::Int(_)
            | TPatKind::Real(_)
            | TPatKind::Bool(_)
            | TPatKind::Str(_)
            | TPatKind::Tuple(_)
            | TPatKind::Record(_)
            | TPatKind::Con(..)
            | TPatKind::Error => self.fresh(otherwise, ty),
        }
    }

    /// Functions of one `let`: the body asks for instances, which are then made around it.
    fn group(
        &mut self,
        members: Vec<(LocalId, &'t TExpr)>,
        recursive: bool,
        body: &'t TExpr,
    ) -> Expr {
        let mut params = Vec::new();
        for (local, _) in &members {
            for param in &self.typed.locals[*local].params {
                if !params.contains(param) {
                    params.push(*param);
                }
            }
        }
        let group = self.groups.len();
        for (local, _) in &members {
            self.group_of.insert(*local, group);
        }
        let instances = indexmap::IndexMap::new();
        self.groups.push(Group { members, params, instances, current: None });
        let mut result = self.expr(body);
        let mut done = 0;
        while let Some((types, vars)) = self.groups[group].instances.get_index(done) {
            let (types, vars) = (types.clone(), vars.clone());
            done += 1;
            let functions = self.group_instance(group, types, vars);
            if recursive {
                result = Expr::let_rec(functions, result);
            } else {
                result = Expr::lets(functions, result);
            }
        }
        result
    }

    /// The functions of a group at these types.
    fn group_instance(
        &mut self,
        group: usize,
        types: Vec<Type>,
        vars: Vec<pullback_lambda::VarId>,
    ) -> Vec<(pullback_lambda::VarId, Expr)> {
        let outer = self.enter_instance(group, &types);
        let previous = self.groups[group].current.replace(types);
        let mut functions = Vec::new();
        for (member, var) in vars.into_iter().enumerate() {
            let value = self.groups[group].members[member].1;
            functions.push((var, self.expr(value)));
        }
        self.groups[group].current = previous;
        self.leave_instance(outer);
        functions
    }

    /// Lets the type variables of a group stand for these types; gives what they stood for before.
    /// Groups nest, with ever more variables, so that copies of the whole substitution would be large.
    fn enter_instance(&mut self, group: usize, types: &[Type]) -> Vec<(ParamId, Option<Type>)> {
        let entries = self.groups[group].params.iter().copied().zip(types);
        entries.map(|(param, ty)| (param, self.subst.insert(param, ty.clone()))).collect()
    }

    /// Undoes [`Elab::enter_instance`].
    fn leave_instance(&mut self, outer: Vec<(ParamId, Option<Type>)>) {
        for (param, before) in outer {
            match before {
                Some(ty) => self.subst.insert(param, ty),
                None => self.subst.remove(&param),
            };
        }
    }

    /// A mention of a function of a group, at types for its own type variables.
    fn member(&mut self, group: usize, local: LocalId, types: &[Ty], span: Span) -> Expr {
        let own = &self.typed.locals[local].params;
        let types: Vec<_> = types.iter().map(|ty| self.lower(ty)).collect();
        let current = self.groups[group].current.clone();
        let mut key = Vec::new();
        for (place, param) in self.groups[group].params.iter().enumerate() {
            let given = own.iter().position(|known| known == param).and_then(|at| types.get(at));
            let inherited = || current.as_ref().and_then(|types| types.get(place));
            let known = given.or_else(inherited).cloned();
            key.push(known.unwrap_or_else(|| bug("a type for each variable of the group", span)));
        }
        let known = self.groups[group].instances.get(&key).cloned();
        if known.is_none() {
            let is_first = self.groups[group].instances.is_empty();
            let name = &self.typed.locals[local].name;
            self.count_instance(is_first, &key, name, span);
        }
        if self.overflowed {
            return self.missing_member(group, local, &key, span);
        }
        let vars = known.unwrap_or_else(|| self.new_instance(group, key));
        let place = self.groups[group].members.iter().position(|(member, _)| *member == local);
        let place = place.unwrap_or_else(|| bug("a member of the group", span));
        self.var(vars[place], span)
    }

    /// Stands for a function of a group in a program that stays incomplete.
    fn missing_member(&mut self, group: usize, local: LocalId, types: &[Type], span: Span) -> Expr {
        let outer = self.enter_instance(group, types);
        let ty = self.lower(&self.typed.locals[local].ty);
        self.leave_instance(outer);
        build::fail("a function that was not made", ty, span)
    }

    /// Variables for the members of a group at types it was not asked for before.
    fn new_instance(&mut self, group: usize, key: Vec<Type>) -> Vec<pullback_lambda::VarId> {
        let outer = self.enter_instance(group, &key);
        let mut vars = Vec::new();
        for place in 0..self.groups[group].members.len() {
            let local = &self.typed.locals[self.groups[group].members[place].0];
            let ty = self.lower(&local.ty);
            vars.push(self.fresh(&local.name, ty));
        }
        self.leave_instance(outer);
        self.groups[group].instances.insert(key, vars.clone());
        vars
    }
}
