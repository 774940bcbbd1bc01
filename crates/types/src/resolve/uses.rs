//! The names that a text uses and binds. Locals hide definitions, so scopes are followed.
//!
//! Input: trees. Output: [`Uses`]: what is bound, and where it is in scope; what each name that is written stands for,
//! as far as the text alone says. What a free name means is for whoever knows the modules.

use pullback_base::{Name, Span};
use pullback_syntax::ast::{
    Access, Clause, Def, Expr, ExprKind, Ident, Import, ItemKind, LoopForm, Module, Param, Path,
    Pattern, PatternKind, SlicePart, TypeBody, TypeDecl, TypeExpr, TypeExprKind,
};
use rustc_hash::FxHashSet;

use super::names::Names;

/// What a local name is bound by, as far as that matters where it is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundBy {
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
pub struct Bound {
    /// The name.
    pub name: Name,
    /// Where it is bound.
    pub span: Span,
    /// By what.
    pub by: BoundBy,
    /// Whether something reads it.
    pub is_used: bool,
    /// Where it is in scope, its end included.
    pub scope: Span,
}

/// What kind of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A local name, by its place among [`Uses::bound`].
    Local(usize),
    /// A definition, or what is built in.
    Value,
    /// A constructor.
    Constructor,
    /// A type.
    Type,
    /// A type variable.
    TypeVariable,
    /// A field of a record.
    Field,
    /// A module, by the name of its import.
    Module,
}

/// A name where it is written.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The name.
    pub name: Name,
    /// Where it is written.
    pub span: Span,
    /// What kind of thing it stands for.
    pub role: Role,
    /// The import of the module that it is looked up in, if it is qualified.
    pub module: Option<Name>,
    /// Whether it is declared here.
    pub declares: bool,
}

/// The names that some text uses and binds.
#[derive(Debug, Default)]
pub struct Uses {
    /// The names that are no locals: of definitions, and qualifiers of modules.
    pub free: FxHashSet<Name>,
    /// The locals that were bound, in the order of their scopes.
    pub bound: Vec<Bound>,
    /// The names that are written, in no order.
    pub occurrences: Vec<Occurrence>,
    /// What the imports are called.
    modules: FxHashSet<Name>,
    locals: Names<usize>,
}

/// The names of a whole file, its declarations among them; `beside` are the expressions of its expectations.
pub fn uses(module: &Module, beside: &[&Expr]) -> Uses {
    let mut uses = Uses::default();
    for item in &module.items {
        if let ItemKind::Import(import) = &item.kind {
            uses.import(import);
        }
    }
    for item in &module.items {
        match &item.kind {
            ItemKind::Def(def) => {
                uses.declare(&def.name, Role::Value);
                uses.def(def);
            }
            ItemKind::Type(decl) => uses.type_decl(decl, item.span),
            ItemKind::Import(_) | ItemKind::Error => {}
        }
    }
    beside.iter().for_each(|expr| uses.expr(expr));
    uses
}

impl Uses {
    /// The type variables, and where they stand.
    pub fn type_vars(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(|it| it.role == Role::TypeVariable && !it.declares)
    }

    fn occurs(&mut self, name: &Name, span: Span, role: Role) {
        let name = name.clone();
        self.occurrences.push(Occurrence { name, span, role, module: None, declares: false });
    }

    fn declare(&mut self, ident: &Ident, role: Role) {
        let (name, span) = (ident.node.clone(), ident.span);
        self.occurrences.push(Occurrence { name, span, role, module: None, declares: true });
    }

    fn import(&mut self, import: &Import) {
        let path = &import.path.node;
        let name = match &import.alias {
            Some(alias) => {
                self.declare(alias, Role::Module);
                alias.node.clone()
            }
            None => Name::new(path.rsplit('/').next().unwrap_or(path)),
        };
        self.modules.insert(name);
    }

    fn type_decl(&mut self, decl: &TypeDecl, whole: Span) {
        let mark = self.locals.len();
        self.declare(&decl.name, Role::Type);
        decl.sizes.iter().for_each(|size| self.bind(&size.node, size.span, BoundBy::Size));
        decl.params.iter().for_each(|param| self.declare(param, Role::TypeVariable));
        match &decl.body {
            TypeBody::Alias(ty) => self.ty(ty),
            TypeBody::Sum(constructors) => {
                for constructor in constructors {
                    self.declare(&constructor.name, Role::Constructor);
                    constructor.fields.iter().for_each(|field| self.ty(field));
                }
            }
        }
        if let Some(tangent) = &decl.tangent {
            self.ty(&tangent.ty);
        }
        self.leave(mark, whole);
        if let Some(tangent) = &decl.tangent {
            self.expr(&tangent.retract);
            self.expr(&tangent.local);
        }
    }

    fn name(&mut self, name: &Name, span: Span) {
        if let Some(place) = self.locals.get(name).copied() {
            self.bound[place].is_used = true;
            self.occurs(name, span, Role::Local(place));
            return;
        }
        self.free.insert(name.clone());
        let upper = name.starts_with(|first: char| first.is_ascii_uppercase());
        self.occurs(name, span, if upper { Role::Constructor } else { Role::Value });
    }

    fn bind(&mut self, name: &Name, span: Span, by: BoundBy) {
        let place = self.bound.len();
        self.locals.push(name.clone(), place);
        let scope = Span::NONE;
        self.bound.push(Bound { name: name.clone(), span, by, is_used: false, scope });
        self.declare(&Ident { node: name.clone(), span }, Role::Local(place));
    }

    /// What came into scope since the mark leaves it: it was in scope there.
    fn leave(&mut self, mark: usize, scope: Span) {
        for (_, place) in self.locals.split_off(mark) {
            self.bound[place].scope = scope;
        }
    }

    fn path(&mut self, path: &Path, role: Role) {
        let module = path.module.as_ref().map(|module| module.node.clone());
        if let Some(module) = &path.module {
            self.free.insert(module.node.clone());
            self.occurs(&module.node, module.span, Role::Module);
        }
        let (name, span) = (path.name.node.clone(), path.name.span);
        self.occurrences.push(Occurrence { name, span, role, module, declares: false });
    }

    /// `base.field`: a field, or what a module has.
    fn field(&mut self, base: &Expr, field: &Ident) {
        if let ExprKind::Name(module) = &base.kind
            && self.modules.contains(module)
            && self.locals.get(module).is_none()
        {
            self.free.insert(module.clone());
            self.occurs(module, base.span, Role::Module);
            let upper = field.node.starts_with(|first: char| first.is_ascii_uppercase());
            let role = if upper { Role::Constructor } else { Role::Value };
            let (name, span, module) = (field.node.clone(), field.span, Some(module.clone()));
            self.occurrences.push(Occurrence { name, span, role, module, declares: false });
            return;
        }
        self.expr(base);
        self.occurs(&field.node, field.span, Role::Field);
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
        self.leave(mark, def.name.span.end().to(def.body.span));
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

    /// Visits the parts of `bodies` with the names of `pattern` in scope, which begins behind `after`.
    fn under(&mut self, pattern: &Pattern, after: Span, bodies: &[&Expr]) {
        let mark = self.locals.len();
        self.pattern(pattern);
        for body in bodies {
            self.expr(body);
        }
        self.leave(mark, bodies.iter().fold(after.end(), |scope, body| scope.to(body.span)));
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Lit { .. } | PatternKind::Error => {}
            PatternKind::Var(name) => self.bind(name, pattern.span, BoundBy::Pattern),
            PatternKind::Tuple(items) => items.iter().for_each(|item| self.pattern(item)),
            PatternKind::Record(fields) => {
                for (name, field) in fields {
                    match field {
                        Some(field) => {
                            self.occurs(&name.node, name.span, Role::Field);
                            self.pattern(field);
                        }
                        None => self.bind(&name.node, name.span, BoundBy::Field),
                    }
                }
            }
            PatternKind::Con { path, args } => {
                self.path(path, Role::Constructor);
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
                self.occurs(name, ty.span, Role::TypeVariable);
            }
            TypeExprKind::Named { path, sizes, args } => {
                self.path(path, Role::Type);
                sizes.iter().for_each(|size| self.expr(size));
                args.iter().for_each(|arg| self.ty(arg));
            }
            TypeExprKind::Array { size, element } => {
                size.iter().for_each(|size| self.expr(size));
                self.ty(element);
            }
            TypeExprKind::Tuple(items) => items.iter().for_each(|item| self.ty(item)),
            TypeExprKind::Record(fields) => {
                for (name, field) in fields {
                    self.occurs(&name.node, name.span, Role::Field);
                    self.ty(field);
                }
            }
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
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Lit(_) | ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Tuple(items) | ExprKind::Array(items) => self.exprs(items),
            ExprKind::Record(fields) => {
                for (name, field) in fields {
                    self.occurs(&name.node, name.span, Role::Field);
                    self.expr(field);
                }
            }
            ExprKind::Comprehension { body, clauses } => {
                self.comprehension(body, clauses, expr.span);
            }
            ExprKind::App { fun, args } => {
                self.expr(fun);
                self.exprs(args);
            }
            ExprKind::Lambda { params, body } => {
                let mark = self.locals.len();
                self.params(params);
                self.expr(body);
                self.leave(mark, expr.span);
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Negate(inner) | ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Field { base, field } => self.field(base, field),
            ExprKind::TupleField { base, .. } => self.expr(base),
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
                    match access {
                        Access::Index(indices, _) => self.exprs(indices),
                        Access::Field(field) => self.occurs(&field.node, field.span, Role::Field),
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
                    self.under(&arm.pattern, arm.pattern.span, &[&arm.body]);
                }
            }
            ExprKind::Let { pattern, ty, value, body } => {
                ty.iter().for_each(|ty| self.ty(ty));
                self.expr(value);
                self.under(pattern, value.span, &[body]);
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

    fn comprehension(&mut self, body: &Expr, clauses: &[Clause], whole: Span) {
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
        self.leave(mark, whole);
    }

    fn let_fun(&mut self, recursive: bool, defs: &[Def], body: &Expr) {
        let mark = self.locals.len();
        let last = defs.last().map_or(Span::NONE, |def| def.body.span.end());
        let mut scope = last.to(body.span);
        if recursive {
            self.names(defs);
            defs.iter().for_each(|def| self.def(def));
            scope = defs.first().map_or(scope, |def| def.name.span.end().to(scope));
        } else {
            defs.iter().for_each(|def| self.def(def));
            self.names(defs);
        }
        self.expr(body);
        self.leave(mark, scope);
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
                self.under(pattern, bound.span, &[body]);
                self.leave(mark, bound.span.end().to(body.span));
            }
            LoopForm::While(cond) => self.under(pattern, cond.span.start(), &[cond, body]),
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
