//! Written types: to [`Ty`], with the Int expression of every size that can be measured in a value.

use std::rc::Rc;

use pullback_base::{Diagnostic, Fix, Name, Span, nearest};
use pullback_syntax::ast::{Expr, Ident, MAX_DEPTH, Path, TypeExpr, TypeExprKind};

use super::foreign::{foreign_type, type_spelling};
use super::mismatch::Why;
use super::names::what_it_has;
use super::reports::Reports;
use super::scope::Binding;
use super::state::Infer;
use super::tangent::tangent;
use crate::resolve::{TypeName, is_builtin_type};
use crate::tir::{SizedDim, Step, TExpr, TExprKind};
use crate::ty::{Atom, Size, Ty};
use crate::walk::for_each_child;

/// The sizes of a written type, as they are met on the way through it.
#[derive(Debug, Default)]
struct Dims {
    /// The way from the value to the array; `None` inside functions, sums and array elements, where
    /// nothing can be measured.
    path: Option<Vec<Step>>,
    depth: usize,
    found: Vec<SizedDim>,
    /// How many nodes have been written out.
    count: usize,
}

/// How large a written type may become when its abbreviations are expanded, and how much of it may be
/// copies of sizes that abbreviations are given.
const MAX_NODES: usize = 10_000;

/// How many parts one size that an abbreviation is given may have when it is written out. The limit
/// also bounds how deep sizes nest.
const MAX_SIZE_PARTS: usize = MAX_DEPTH;

impl Reports {
    fn check_type_arity(
        &mut self,
        span: Span,
        path: &Path,
        wanted: (usize, usize),
        found: (usize, usize),
    ) -> bool {
        if wanted == found {
            return true;
        }
        let name = &path.name.node;
        let (what, wanted, found) = if wanted.0 == found.0 {
            ("type argument", wanted.1, found.1)
        } else {
            ("size argument", wanted.0, found.0)
        };
        let plural = |count: usize| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let just_name = wanted == 0 && what == "type argument";
        let found = if found == 0 { "none".to_string() } else { found.to_string() };
        let diagnostic = Diagnostic::error(
            "E0213",
            span,
            format!("`{name}` takes {}, not {found}", plural(wanted)),
            "",
        )
        .fixes(
            match wanted {
                0 if what == "size argument" => {
                    format!("write just `{name}`; an array is `[n]{name}`")
                }
                0 => format!("write just `{name}`"),
                _ => format!(
                    "give it {}; one that is itself several words needs parentheses",
                    plural(wanted)
                ),
            },
            just_name.then(|| Fix::new(path.name.span.end().to(span.end()), "")),
        );
        self.add(diagnostic);
        false
    }

    /// Reports fields that are named twice.
    pub(super) fn check_fields<'n>(&mut self, names: impl Iterator<Item = &'n Ident>) {
        let mut seen: Vec<&Ident> = Vec::new();
        for name in names {
            if let Some(first) = seen.iter().find(|known| known.node == name.node) {
                let diagnostic = Diagnostic::error(
                    "E0210",
                    name.span,
                    format!("the field `{}` is given twice", name.node),
                    "again here",
                )
                .label(first.span, "first here")
                .hint("remove or rename one of them");
                self.add(diagnostic);
            }
            seen.push(name);
        }
    }
}

impl<'a> Infer<'a> {
    /// A written type and its measurable sizes.
    pub(super) fn annotation(&mut self, ty: &'a TypeExpr) -> (Ty, Vec<SizedDim>) {
        let mut dims = Dims { path: Some(vec![]), ..Dims::default() };
        let outer = self.aliases.enter_type(ty.span);
        let converted = self.convert(ty, &mut dims);
        self.aliases.leave_type(outer);
        (converted, dims.found)
    }

    fn convert(&mut self, ty: &'a TypeExpr, dims: &mut Dims) -> Ty {
        dims.count += 1;
        if dims.count > MAX_NODES {
            self.unifier.reports.report_too_large(ty.span);
            return Ty::Error;
        }
        match &ty.kind {
            TypeExprKind::Error => Ty::Error,
            TypeExprKind::Var(name) => {
                if let Some(known) = self.scope.type_var(name) {
                    return known.clone();
                }
                let fresh = self.unifier.fresh();
                self.scope.add_type_var(name.clone(), fresh.clone());
                fresh
            }
            TypeExprKind::Named { path, sizes, args } => {
                self.convert_named(ty.span, path, sizes, args, dims)
            }
            TypeExprKind::Array { size, element } => {
                let size = match size {
                    Some(size) => self.convert_size(size, dims),
                    None => Size::Any,
                };
                dims.depth += 1;
                let element = self.convert(element, dims);
                dims.depth -= 1;
                Ty::Array(size, element.into())
            }
            TypeExprKind::Tuple(items) => {
                let part = |(index, item)| self.convert_part(item, Step::Tuple(index), dims);
                Ty::Tuple(items.iter().enumerate().map(part).collect())
            }
            TypeExprKind::Record(fields) => {
                self.unifier.reports.check_fields(fields.iter().map(|(name, _)| name));
                let mut types: Vec<(Name, Ty)> = Vec::new();
                for (name, field) in fields {
                    let converted = self.convert_part(field, Step::Field(name.node.clone()), dims);
                    if !types.iter().any(|(known, _)| *known == name.node) {
                        types.push((name.node.clone(), converted));
                    }
                }
                self.records.record(types)
            }
            TypeExprKind::Fun(from, to) => {
                let from = self.convert_inside(from, dims);
                Ty::Fun(from.into(), self.convert_inside(to, dims).into())
            }
        }
    }

    /// A component of a tuple or record.
    fn convert_part(&mut self, part: &'a TypeExpr, step: Step, dims: &mut Dims) -> Ty {
        if dims.depth > 0 {
            return self.convert_inside(part, dims);
        }
        if let Some(path) = &mut dims.path {
            path.push(step);
        }
        let converted = self.convert(part, dims);
        if let Some(path) = &mut dims.path {
            path.pop();
        }
        converted
    }

    /// A type in which nothing can be measured.
    fn convert_inside(&mut self, part: &'a TypeExpr, dims: &mut Dims) -> Ty {
        let (path, depth) = (dims.path.take(), std::mem::take(&mut dims.depth));
        let converted = self.convert(part, dims);
        dims.path = path;
        dims.depth = depth;
        converted
    }

    fn convert_size(&mut self, size: &'a Expr, dims: &mut Dims) -> Size {
        if let Some(name) = self.unknown_size_name(size) {
            self.report_unknown_size(&name);
            return Size::Any;
        }
        let outer = self.scope.enter_size();
        let expr = self.check(size, &Ty::Int, &Why::Index);
        let phantom = self.scope.leave_size(outer).saw_phantom;
        let size = self.size_of_expr(&expr);
        if let Size::Poly(poly) = &size
            && poly.as_constant().is_some_and(|size| size < 0)
        {
            let diagnostic =
                Diagnostic::error("E0404", expr.span, "an array cannot have a negative size", "")
                    .hint("sizes count from 0");
            self.unifier.report(diagnostic);
        }
        if let Some(path) = &dims.path
            && !phantom
            && !matches!(expr.kind, TExprKind::Error)
        {
            dims.found.push(SizedDim { path: path.clone(), depth: dims.depth, size: expr });
        }
        // Callers see no more of such a size than that there is one. A value is measured against it;
        // what a function takes and gives cannot be, so nothing is promised of that.
        let is_opaque =
            matches!(&size, Size::Poly(poly) if poly.atoms().any(|a| matches!(a, Atom::Opaque(_))));
        if dims.path.is_none() && is_opaque { Size::Any } else { size }
    }

    /// The name that a size consists of, if nothing in scope has it.
    fn unknown_size_name(&self, size: &Expr) -> Option<Ident> {
        let pullback_syntax::ast::ExprKind::Name(name) = &size.kind else { return None };
        let known = self.scope.binding(name).is_some()
            || self.declared.scopes.value(self.scope.module(), name).is_some()
            || crate::builtins::lookup(name).is_some();
        (!known).then(|| Ident { node: name.clone(), span: size.span })
    }

    fn convert_named(
        &mut self,
        span: Span,
        path: &'a Path,
        sizes: &'a [Expr],
        args: &'a [TypeExpr],
        dims: &mut Dims,
    ) -> Ty {
        match self.find_type(path) {
            Some(TypeName::Alias(alias)) => self.expand_alias(alias, span, sizes, args, dims),
            Some(TypeName::Sum(id)) => {
                let decl = self.declared.sums[id.0 as usize].decl;
                self.unifier.reports.check_type_arity(
                    span,
                    path,
                    (decl.sizes.len(), decl.params.len()),
                    (sizes.len(), args.len()),
                );
                for size in sizes {
                    self.check(size, &Ty::Int, &Why::Index);
                }
                let mut types: Vec<Ty> =
                    args.iter().map(|arg| self.convert_inside(arg, dims)).collect();
                types.resize(decl.params.len(), Ty::Error);
                Ty::Sum(id, types.into())
            }
            None if path.module.is_none() && is_builtin_type(&path.name.node) => {
                self.convert_builtin(span, path, sizes, args, dims)
            }
            None => {
                self.report_unknown_type(path);
                Ty::Error
            }
        }
    }

    fn convert_builtin(
        &mut self,
        span: Span,
        path: &'a Path,
        sizes: &'a [Expr],
        args: &'a [TypeExpr],
        dims: &mut Dims,
    ) -> Ty {
        let name = path.name.node.as_str();
        let wanted = usize::from(name == "T");
        if !self.unifier.reports.check_type_arity(
            span,
            path,
            (0, wanted),
            (sizes.len(), args.len()),
        ) {
            return Ty::Error;
        }
        match (name, args) {
            ("T", [arg]) => {
                let inner = self.convert_inside(arg, dims);
                tangent(&inner)
            }
            ("Real", _) => Ty::Real,
            ("Int", _) => Ty::Int,
            ("Bool", _) => Ty::Bool,
            _ => Ty::Str,
        }
    }

    fn find_type(&self, path: &Path) -> Option<TypeName> {
        match &path.module {
            None => self.declared.scopes.type_name(self.scope.module(), &path.name.node),
            Some(module) => {
                let imports = &self.declared.scopes.modules[self.scope.module()].imports;
                let scope = &self.declared.scopes.modules[*imports.get(&module.node)?];
                scope.types.get(&path.name.node).copied()
            }
        }
    }

    /// The declared type of an abbreviation, with its parameters replaced.
    fn expand_alias(
        &mut self,
        alias: usize,
        span: Span,
        sizes: &'a [Expr],
        args: &'a [TypeExpr],
        dims: &mut Dims,
    ) -> Ty {
        let (module, decl, body) = {
            let declared = &self.declared.aliases[alias];
            (declared.module, declared.decl, declared.body)
        };
        let path = Path { module: None, name: decl.name.clone() };
        let fits = self.unifier.reports.check_type_arity(
            span,
            &path,
            (decl.sizes.len(), decl.params.len()),
            (sizes.len(), args.len()),
        );
        if self.aliases.is_bad(alias) || !fits {
            // It needs no message of its own.
            self.aliases.spoil_expanding();
            return Ty::Error;
        }
        if let Some(cycle) = self.aliases.cycle(alias) {
            self.report_cyclic_alias(&cycle);
            return Ty::Error;
        }
        if self.aliases.depth() >= MAX_DEPTH {
            self.report_deep_alias(span);
            return Ty::Error;
        }
        let types: Vec<Ty> = args.iter().map(|arg| self.convert_inside(arg, dims)).collect();
        let sizes: Vec<Binding> = sizes.iter().map(|size| self.size_argument(size)).collect();
        let sizes = decl.sizes.iter().map(|name| name.node.clone()).zip(sizes);
        let params = decl.params.iter().map(|param| param.node.clone()).zip(types).collect();
        let scope = self.scope.replace(sizes.collect(), params);
        let outer = self.scope.enter_module(module);
        self.aliases.enter(alias);
        let converted = self.convert(body, dims);
        self.aliases.leave();
        self.scope.enter_module(outer);
        self.scope.restore(scope);
        converted
    }

    /// A size that an abbreviation is given.
    fn size_argument(&mut self, size: &'a Expr) -> Binding {
        let checked = self.check(size, &Ty::Int, &Why::Index);
        let mut parts = 0;
        count_parts(&checked, &mut parts);
        if parts > MAX_SIZE_PARTS {
            self.report_large_size(MAX_SIZE_PARTS);
        }
        Binding::SizeArg(Rc::new(checked), parts)
    }

    /// Whether the written type at work may have one more copy of a size argument with so many parts.
    pub(super) fn may_copy_size(&mut self, parts: usize) -> bool {
        let may = self.aliases.count_copy(parts) <= MAX_NODES;
        if !may {
            self.report_large_size(MAX_NODES);
        }
        may
    }

    fn report_large_size(&mut self, limit: usize) {
        let span = self.aliases.written_type();
        let diagnostic = Diagnostic::error("E0305", span, "the sizes of this type are too large", "")
            .note(format!(
                "an abbreviation puts the size it is given in place of its size name; written out, the sizes here have more than {limit} parts"
            ))
            .hint("mention the size name of an abbreviation once, or write the size that is meant");
        self.unifier.reports.stop(diagnostic);
    }

    fn report_deep_alias(&mut self, span: Span) {
        self.aliases.spoil_expanding();
        let diagnostic = Diagnostic::error(
            "E0109",
            span,
            "this is nested too deeply",
            "too many abbreviations inside one another",
        )
        .note(format!("abbreviations may be nested {MAX_DEPTH} levels deep"))
        .hint("write the type that is meant");
        self.unifier.report(diagnostic);
    }

    fn report_cyclic_alias(&mut self, cycle: &[usize]) {
        cycle.iter().for_each(|member| self.aliases.spoil(*member));
        let Some(first) = cycle.iter().copied().min() else { return };
        let decl = self.declared.aliases[first].decl;
        let name = &decl.name.node;
        let diagnostic = Diagnostic::error(
            "E0212",
            decl.name.span,
            format!("the type `{name}` stands for itself"),
            "defined by itself",
        )
        .note("a type without constructors is an abbreviation, which must end somewhere")
        .hint(format!(
            "a recursive type needs a constructor, as in `type {name} = Leaf | Node {name} {name}`"
        ));
        self.unifier.report(diagnostic);
    }

    fn report_unknown_size(&mut self, name: &Ident) {
        let text = &name.node;
        let candidates: Vec<&str> = self.scope.names().map(Name::as_str).collect();
        let near = nearest(text, candidates);
        let mut diagnostic =
            Diagnostic::error("E0215", name.span, format!("unknown size `{text}`"), "not declared");
        if let Some(near) = near {
            diagnostic = diagnostic.fix(format!("did you mean `{near}`?"), name.span, near);
        }
        let diagnostic =
            diagnostic.note("the size names of a definition or a type are declared after its name");
        let owner = self.unifier.reports.owner();
        let diagnostic = if owner.is_empty() {
            diagnostic.hint("write `[]` for some size")
        } else {
            let words = format!("write `{owner} [{text}] …` to declare it, or `[]` for some size");
            diagnostic.fix(words, self.unifier.reports.owner_name().end(), format!(" [{text}]"))
        };
        self.unifier.report(diagnostic);
    }

    fn report_unknown_type(&mut self, path: &Path) {
        let name = &path.name.node;
        if !self.unifier.reports.is_first_unknown(format!("type {name}")) {
            return;
        }
        let may_suggest = self.unifier.reports.may_suggest();
        if let Some(module) = &path.module {
            let imports = &self.declared.scopes.modules[self.scope.module()].imports;
            let Some(index) = imports.get(&module.node) else {
                self.report_unknown_module(module, None);
                return;
            };
            let types = &self.declared.scopes.modules[*index].types;
            let near = nearest(name, types.keys().map(Name::as_str));
            let diagnostic = Diagnostic::error(
                "E0205",
                path.name.span,
                format!("`{}` has no type `{name}`", module.node),
                "unknown type",
            );
            self.unifier.report(match near {
                Some(near) => {
                    diagnostic.fix(format!("did you mean `{near}`?"), path.name.span, near)
                }
                None => diagnostic.hint(what_it_has("types", types.keys())),
            });
            return;
        }
        let mut known = vec!["Real", "Int", "Bool", "String"];
        known.extend(
            self.declared
                .scopes
                .visible(self.scope.module())
                .flat_map(|scope| scope.types.keys())
                .map(Name::as_str),
        );
        let near = if may_suggest { nearest(name, known) } else { None };
        let is_constructor = self.declared.scopes.constructor(self.scope.module(), name).is_some();
        let mut diagnostic = Diagnostic::error(
            "E0202",
            path.name.span,
            format!("unknown type `{name}`"),
            "no type has this name",
        );
        diagnostic = match near {
            _ if let Some(instead) = foreign_type(name) => {
                let spelling = type_spelling(name);
                diagnostic.fixes(instead, spelling.map(|text| Fix::new(path.name.span, text)))
            }
            _ if is_constructor => {
                diagnostic.hint(format!("`{name}` is a constructor; write the type it belongs to"))
            }
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), path.name.span, near),
            None => diagnostic.hint(format!(
                "declare it with `type {name} = …`; type variables begin with a lower-case letter"
            )),
        };
        self.unifier.report(diagnostic);
    }
}

fn count_parts(size: &TExpr, parts: &mut usize) {
    *parts += 1;
    for_each_child(size, &mut |part| count_parts(part, parts));
}
