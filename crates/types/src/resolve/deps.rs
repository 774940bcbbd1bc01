//! Which definitions of a module each definition mentions, and the groups that follow: strongly
//! connected components, dependencies first. Locals hide definitions, so scopes are followed.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use pullback_base::Name;
use pullback_syntax::ast::{
    Access, Clause, Def, Expr, ExprKind, LoopForm, Param, Pattern, PatternKind, SlicePart,
    TypeExpr, TypeExprKind,
};

use super::names::Names;
use super::{Declared, Scopes};
use crate::tir::GlobalId;

/// A strongly connected component; `cyclic` says that its members depend on themselves.
#[derive(Debug)]
pub(crate) struct Group {
    pub members: Vec<GlobalId>,
    pub cyclic: bool,
}

/// The groups of a module's definitions, dependencies first, members in source order.
pub(crate) fn groups(declared: &Declared<'_>, module: usize) -> Vec<Group> {
    let mut graph: DiGraph<GlobalId, ()> = DiGraph::new();
    let mut nodes = rustc_hash::FxHashMap::default();
    let mine: Vec<(GlobalId, &Def)> = declared.defs_of(module).collect();
    // The order follows the node order where the dependencies leave a choice.
    for (id, _) in &mine {
        nodes.insert(*id, graph.add_node(*id));
    }
    for (id, def) in &mine {
        let mut walk =
            Walk { scopes: &declared.scopes, module, locals: Names::default(), found: vec![] };
        walk.def(def);
        walk.found.sort();
        walk.found.dedup();
        for used in walk.found {
            if let Some(node) = nodes.get(&used) {
                graph.add_edge(nodes[id], *node, ());
            }
        }
    }
    let components = kosaraju_scc(&graph);
    let group = |component: Vec<petgraph::graph::NodeIndex>| {
        let cyclic = component.len() > 1 || graph.contains_edge(component[0], component[0]);
        let mut members: Vec<GlobalId> = component.into_iter().map(|node| graph[node]).collect();
        members.sort();
        Group { members, cyclic }
    };
    components.into_iter().map(group).collect()
}

struct Walk<'a> {
    scopes: &'a Scopes,
    module: usize,
    locals: Names<()>,
    found: Vec<GlobalId>,
}

impl Walk<'_> {
    fn name(&mut self, name: &Name) {
        if !self.locals.contains(name) {
            self.found.extend(self.scopes.global(self.module, name));
        }
    }

    fn def(&mut self, def: &Def) {
        let mark = self.locals.len();
        self.locals.extend(def.sizes.iter().map(|size| (size.node.clone(), ())));
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
            self.pattern(&param.pattern);
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
            PatternKind::Var(name) => self.locals.push(name.clone(), ()),
            PatternKind::Tuple(items) => items.iter().for_each(|item| self.pattern(item)),
            PatternKind::Record(fields) => {
                for (name, field) in fields {
                    match field {
                        Some(field) => self.pattern(field),
                        None => self.locals.push(name.node.clone(), ()),
                    }
                }
            }
            PatternKind::Con { args, .. } => args.iter().for_each(|arg| self.pattern(arg)),
            PatternKind::Ascribe { pattern, ty } => {
                self.ty(ty);
                self.pattern(pattern);
            }
            PatternKind::As { pattern, name } => {
                self.pattern(pattern);
                self.locals.push(name.node.clone(), ());
            }
            PatternKind::Paren(pattern) => self.pattern(pattern),
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Var(_) | TypeExprKind::Error => {}
            TypeExprKind::Named { sizes, args, .. } => {
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

    fn expr(&mut self, expr: &Expr) {
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
                    self.locals.push(var.node.clone(), ());
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
        let names = defs.iter().map(|def| (def.name.node.clone(), ()));
        if recursive {
            self.locals.extend(names);
            defs.iter().for_each(|def| self.def(def));
        } else {
            defs.iter().for_each(|def| self.def(def));
            self.locals.extend(names);
        }
        self.expr(body);
        self.locals.truncate(mark);
    }

    fn repeat(&mut self, pattern: &Pattern, form: &LoopForm, body: &Expr) {
        match form {
            LoopForm::For { var, bound } => {
                self.expr(bound);
                let mark = self.locals.len();
                self.locals.push(var.node.clone(), ());
                self.under(pattern, &[body]);
                self.locals.truncate(mark);
            }
            LoopForm::While(cond) => self.under(pattern, &[cond, body]),
        }
    }
}
