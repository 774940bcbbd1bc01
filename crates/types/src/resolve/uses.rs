//! The names that a text uses and binds. Locals hide definitions, so scopes are followed.

use pullback_base::{Name, Span};
use pullback_syntax::ast::{
    Access, Clause, Def, Expr, ExprKind, Ident, LoopForm, Param, Path, Pattern, PatternKind,
    SlicePart, TypeExpr, TypeExprKind,
};
use rustc_hash::FxHashSet;

use super::names::Names;

/// What a local name is bound by, as far as that matters where it is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundBy {
    /// A pattern or an index.
    Pattern,
    /// A field of a record pattern, whose name it has.
    Field,
    /// A local definition.
    Definition,
    /// A size declaration.
    Size,
}

/// A local name that is bound somewhere.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub name: Name,
    pub span: Span,
    pub by: BoundBy,
    pub is_used: bool,
}

/// The names that some text uses and binds.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    /// The names that are no locals: of definitions, and qualifiers of modules.
    pub free: FxHashSet<Name>,
    /// The locals that were bound, in the order of their scopes.
    pub bound: Vec<Bound>,
    /// The type variables, and where they stand.
    pub type_vars: Vec<Ident>,
    locals: Names<usize>,
}

impl Uses {
    fn name(&mut self, name: &Name) {
        match self.locals.get(name) {
            Some(place) => self.bound[*place].is_used = true,
            None => {
                self.free.insert(name.clone());
            }
        }
    }

    fn bind(&mut self, name: &Name, span: Span, by: BoundBy) {
        self.locals.push(name.clone(), self.bound.len());
        self.bound.push(Bound { name: name.clone(), span, by, is_used: false });
    }

    fn path(&mut self, path: &Path) {
        self.free.extend(path.module.iter().map(|module| module.node.clone()));
    }

    /// The names of a definition, without its own.
    pub fn def(&mut self, def: &Def) {
        let mark = self.locals.len();
        def.sizes.iter().for_each(|size| self.bind(&size.node, size.span, BoundBy::Size));
        self.params(&def.params);
        if let Some(result) = &def.result {
            self.ty(result);
        }
        self.expr(&def.body);
        self.locals.truncate(mark);
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            if let Some(ty) = &param.ty {
                self.ty(ty);
            }
            let first = self.bound.len();
            self.pattern(&param.pattern);
            if param.ty.as_deref().is_some_and(has_size) {
                // It may be there for its sizes alone.
                self.bound[first..].iter_mut().for_each(|bound| bound.is_used = true);
            }
        }
    }

    /// Visits the parts of `bodies` with the names of `pattern` in scope.
    fn under(&mut self, pattern: &Pattern, bodies: &[&Expr]) {
        let mark = self.locals.len();
        self.pattern(pattern);
        for body in bodies {
            self.expr(body);
        }
        self.locals.truncate(mark);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Lit { .. } | PatternKind::Error => {}
            PatternKind::Var(name) => self.bind(name, pattern.span, BoundBy::Pattern),
            PatternKind::Tuple(items) => items.iter().for_each(|item| self.pattern(item)),
            PatternKind::Record(fields) => {
                for (name, field) in fields {
                    match field {
                        Some(field) => self.pattern(field),
                        None => self.bind(&name.node, name.span, BoundBy::Field),
                    }
                }
            }
            PatternKind::Con { path, args } => {
                self.path(path);
                args.iter().for_each(|arg| self.pattern(arg));
            }
            PatternKind::Ascribe { pattern, ty } => {
                self.ty(ty);
                self.pattern(pattern);
            }
            PatternKind::As { pattern, name } => {
                self.pattern(pattern);
                self.bind(&name.node, name.span, BoundBy::Pattern);
            }
            PatternKind::Paren(pattern) => self.pattern(pattern),
        }
    }

    /// The names of a type.
    pub fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Error => {}
            TypeExprKind::Var(name) => {
                self.type_vars.push(Ident { node: name.clone(), span: ty.span });
            }
            TypeExprKind::Named { path, sizes, args } => {
                self.path(path);
                sizes.iter().for_each(|size| self.expr(size));
                args.iter().for_each(|arg| self.ty(arg));
            }
            TypeExprKind::Array { size, element } => {
                size.iter().for_each(|size| self.expr(size));
                self.ty(element);
            }
            TypeExprKind::Tuple(items) => items.iter().for_each(|item| self.ty(item)),
            TypeExprKind::Record(fields) => fields.iter().for_each(|(_, field)| self.ty(field)),
            TypeExprKind::Fun(from, to) => {
                self.ty(from);
                self.ty(to);
            }
        }
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    /// The names of an expression.
    pub fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Lit(_) | ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Tuple(items) | ExprKind::Array(items) => self.exprs(items),
            ExprKind::Record(fields) => self.exprs(fields.iter().map(|(_, field)| field)),
            ExprKind::Comprehension { body, clauses } => self.comprehension(body, clauses),
            ExprKind::App { fun, args } => {
                self.expr(fun);
                self.exprs(args);
            }
            ExprKind::Lambda { params, body } => {
                let mark = self.locals.len();
                self.params(params);
                self.expr(body);
                self.locals.truncate(mark);
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Negate(inner) | ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => self.expr(base),
            ExprKind::Index { base, indices } => {
                self.expr(base);
                self.exprs(indices);
            }
            ExprKind::Slice { base, parts } => {
                self.expr(base);
                self.exprs(parts.iter().flat_map(SlicePart::exprs));
            }
            ExprKind::With { base, place, value } => {
                self.expr(base);
                for access in place {
                    if let Access::Index(indices, _) = access {
                        self.exprs(indices);
                    }
                }
                self.expr(value);
            }
            ExprKind::If { cond, then, otherwise } => {
                self.exprs([&**cond, then, otherwise]);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                for arm in arms {
                    self.under(&arm.pattern, &[&arm.body]);
                }
            }
            ExprKind::Let { pattern, ty, value, body } => {
                ty.iter().for_each(|ty| self.ty(ty));
                self.expr(value);
                self.under(pattern, &[body]);
            }
            ExprKind::LetFun { recursive, defs, body } => self.let_fun(*recursive, defs, body),
            ExprKind::Loop { pattern, ty, init, form, checkpoint, body } => {
                ty.iter().for_each(|ty| self.ty(ty));
                self.expr(init);
                checkpoint.iter().for_each(|steps| self.expr(steps));
                self.repeat(pattern, form, body);
            }
            ExprKind::Ascribe { expr, ty } => {
                self.ty(ty);
                self.expr(expr);
            }
        }
    }

    fn comprehension(&mut self, body: &Expr, clauses: &[Clause]) {
        let mark = self.locals.len();
        for clause in clauses {
            match clause {
                Clause::Range { var, bound } => {
                    self.expr(bound);
                    self.bind(&var.node, var.span, BoundBy::Pattern);
                }
                Clause::In { pattern, source } => {
                    self.expr(source);
                    self.pattern(pattern);
                }
            }
        }
        self.expr(body);
        self.locals.truncate(mark);
    }

    fn let_fun(&mut self, recursive: bool, defs: &[Def], body: &Expr) {
        let mark = self.locals.len();
        if recursive {
            self.names(defs);
            defs.iter().for_each(|def| self.def(def));
        } else {
            defs.iter().for_each(|def| self.def(def));
            self.names(defs);
        }
        self.expr(body);
        self.locals.truncate(mark);
    }

    fn names(&mut self, defs: &[Def]) {
        for Def { name, .. } in defs {
            self.bind(&name.node, name.span, BoundBy::Definition);
        }
    }

    fn repeat(&mut self, pattern: &Pattern, form: &LoopForm, body: &Expr) {
        match form {
            LoopForm::For { var, bound } => {
                self.expr(bound);
                let mark = self.locals.len();
                self.bind(&var.node, var.span, BoundBy::Pattern);
                self.under(pattern, &[body]);
                self.locals.truncate(mark);
            }
            LoopForm::While(cond) => self.under(pattern, &[cond, body]),
        }
    }
}

/// Whether a type names the size of an array.
fn has_size(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeExprKind::Var(_) | TypeExprKind::Error => false,
        TypeExprKind::Named { sizes, args, .. } => !sizes.is_empty() || args.iter().any(has_size),
        TypeExprKind::Array { size, element } => size.is_some() || has_size(element),
        TypeExprKind::Tuple(items) => items.iter().any(has_size),
        TypeExprKind::Record(fields) => fields.iter().any(|(_, field)| has_size(field)),
        TypeExprKind::Fun(from, to) => has_size(from) || has_size(to),
    }
}
