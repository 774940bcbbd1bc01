//! Declared types: fields of constructors, abbreviations checked once, and what holds inside sums.

use pullback_base::{Diagnostic, Id, Name};
use pullback_syntax::ast::{Ident, TypeDecl, TypeExpr, TypeExprKind};

use super::reports::Reports;
use super::scope::Binding;
use super::state::Infer;
use crate::tir::{ConDecl, ParamId, SumDecl};
use crate::ty::{Ty, TypeDeclId};

impl Reports {
    /// Reports names that occur twice in one list of parameters.
    pub(super) fn check_distinct<'n>(
        &mut self,
        names: impl Iterator<Item = &'n Ident>,
        what: &str,
    ) {
        let mut seen: Vec<&Ident> = Vec::new();
        for name in names.filter(|name| name.node != "_") {
            if let Some(first) = seen.iter().find(|known| known.node == name.node) {
                let diagnostic = Diagnostic::error(
                    "E0209",
                    name.span,
                    format!("the {what} `{}` occurs twice", name.node),
                    "again here",
                )
                .label(first.span, "first here")
                .hint("give each its own name");
                self.add(diagnostic);
            }
            seen.push(name);
        }
    }
}

impl<'a> Infer<'a> {
    /// Declares every type of the program.
    pub(super) fn declare_types(&mut self) {
        self.declare_record_orders();
        for index in 0..self.declared.sums.len() {
            let decl = self.declared.sums[index].decl;
            let params = decl
                .params
                .iter()
                .map(|param| self.solver().new_param(&param.node, 0, true))
                .collect();
            self.typed.types.push(SumDecl {
                name: decl.name.node.clone(),
                params,
                constructors: vec![],
                tangent: None,
                span: decl.name.span,
            });
            self.unifier.table.declare_sum(decl.params.len());
        }
        for index in 0..self.declared.aliases.len() {
            self.declare_alias(index);
        }
        for index in 0..self.declared.sums.len() {
            self.declare_constructors(index);
        }
        self.check_tangents_of_aliases();
        self.solver().look_at_sums();
    }

    /// The order of record fields is that of their first declaration.
    fn declare_record_orders(&mut self) {
        let mut decls: Vec<(usize, u32, Vec<&'a TypeExpr>)> = Vec::new();
        for alias in &self.declared.aliases {
            decls.push((alias.module, alias.decl.name.span.lo, vec![alias.body]));
        }
        for sum in &self.declared.sums {
            let fields = sum.constructors.iter().flat_map(|(_, fields)| fields.iter()).collect();
            decls.push((sum.module, sum.decl.name.span.lo, fields));
        }
        decls.sort_by_key(|(module, place, _)| (*module, *place));
        for (_, _, mut types) in decls {
            types.reverse();
            while let Some(ty) = types.pop() {
                match &ty.kind {
                    TypeExprKind::Record(fields) => {
                        let mut names: Vec<Name> = Vec::new();
                        for (name, field) in fields {
                            if !names.contains(&name.node) {
                                names.push(name.node.clone());
                            }
                            types.push(field);
                        }
                        self.records.declare(&names);
                    }
                    TypeExprKind::Named { args, .. } => types.extend(args),
                    TypeExprKind::Array { element, .. } => types.push(element),
                    TypeExprKind::Tuple(items) => types.extend(items),
                    TypeExprKind::Fun(from, to) => types.extend([&**from, to]),
                    TypeExprKind::Var(_) | TypeExprKind::Error => {}
                }
            }
        }
    }

    /// Puts the parameters of a declaration in scope, and nothing else.
    fn enter_decl(&mut self, module: usize, decl: &'a TypeDecl, params: &[ParamId]) {
        self.scope.enter_module(module);
        let owner = format!("type {}", decl.name.node);
        self.unifier.reports.enter_owner(owner, decl.name.span);
        self.unifier.reports.check_distinct(decl.sizes.iter().chain(&decl.params), "parameter");
        let sizes = decl.sizes.iter().map(|size| (size.node.clone(), Binding::AnySize)).collect();
        let names = decl.params.iter().map(|param| param.node.clone());
        let type_vars = names.zip(params.iter().map(|param| Ty::Param(*param))).collect();
        self.scope.replace(sizes, type_vars);
    }

    /// Leaves a declaration; type variables that were not its parameters are mistakes.
    fn leave_decl(&mut self, decl: &TypeDecl, types: &[&'a TypeExpr]) {
        let unknown: Vec<Name> =
            self.scope.type_var_names().skip(decl.params.len()).cloned().collect();
        let known: String = decl.params.iter().map(|param| format!(" {}", param.node)).collect();
        for name in unknown {
            let Some(span) = types.iter().find_map(|ty| find_var(ty, &name)) else { continue };
            let diagnostic = Diagnostic::error(
                "E0214",
                span,
                format!("unknown type variable `{name}`"),
                "not a parameter",
            )
            .note("a declared type may only mention its own parameters");
            let diagnostic = if name == "of" {
                let words =
                    "leave out `of`: the fields follow the constructor, as in `Circle Real`";
                diagnostic.fix(words, span, "")
            } else {
                let head = format!("type {}{known} {name} = …", decl.name.node);
                diagnostic.hint(format!("write `{head}` to make it one"))
            };
            self.unifier.report(diagnostic);
        }
        self.scope.clear();
    }

    fn declare_alias(&mut self, index: usize) {
        let (module, decl, body) = {
            let alias = &self.declared.aliases[index];
            (alias.module, alias.decl, alias.body)
        };
        let params: Vec<ParamId> =
            decl.params.iter().map(|param| self.solver().new_param(&param.node, 0, true)).collect();
        self.enter_decl(module, decl, &params);
        let before = self.unifier.reports.len();
        self.aliases.enter(index);
        self.annotation(body);
        self.aliases.leave();
        self.leave_decl(decl, &[body]);
        if self.unifier.reports.len() > before {
            self.aliases.spoil(index);
        }
    }

    fn declare_constructors(&mut self, index: usize) {
        let (module, decl, constructors) = {
            let sum = &self.declared.sums[index];
            (sum.module, sum.decl, sum.constructors.clone())
        };
        let id = TypeDeclId::from_index(index);
        let params = self.typed.types[id].params.clone();
        self.enter_decl(module, decl, &params);
        let mut declared = Vec::new();
        for (name, fields) in &constructors {
            let fields = fields.iter().map(|field| self.annotation(field).0).collect();
            declared.push(ConDecl { name: name.node.clone(), fields });
        }
        self.typed.types[id].constructors = declared;
        let mut types: Vec<&'a TypeExpr> =
            constructors.iter().flat_map(|(_, fields)| fields.iter()).collect();
        if let Some(clause) = &decl.tangent {
            let (tangent, _) = self.annotation(&clause.ty);
            types.push(&clause.ty);
            self.declare_tangent(id, decl, tangent);
        }
        self.leave_decl(decl, &types);
    }
}

/// Where a type variable is written.
fn find_var(ty: &TypeExpr, name: &Name) -> Option<pullback_base::Span> {
    match &ty.kind {
        TypeExprKind::Var(found) => (found == name).then_some(ty.span),
        TypeExprKind::Error => None,
        TypeExprKind::Named { args, .. } => args.iter().find_map(|arg| find_var(arg, name)),
        TypeExprKind::Array { element, .. } => find_var(element, name),
        TypeExprKind::Tuple(items) => items.iter().find_map(|item| find_var(item, name)),
        TypeExprKind::Record(fields) => fields.iter().find_map(|(_, field)| find_var(field, name)),
        TypeExprKind::Fun(from, to) => find_var(from, name).or_else(|| find_var(to, name)),
    }
}
