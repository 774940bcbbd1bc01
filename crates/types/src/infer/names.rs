//! Uses of names: locals, definitions, constructors, built-ins, and names of other modules.

use std::rc::Rc;

use pullback_base::{Diagnostic, FileId, Fix, Name, Span, nearest, nearest_few};
use pullback_syntax::ast::{Expr, ExprKind, Ident, Path, TypeExprKind};

use super::bindings::{Assumed, GlobalState};
use super::callee::{Callee, Cause};
use super::differentiate::BuiltinUse;
use super::foreign::{foreign_value, is_foreign_package, spelling};
use super::mismatch::Why;
use super::scheme::Use;
use super::scope::Binding;
use super::solver::Solver;
use super::state::Infer;
use super::table::Table;
use super::tangent::tangent;
use crate::builtins;
use crate::resolve::TypeName;
use crate::tir::{Builtin, GlobalId, LocalId, TExpr, TExprKind};
use crate::ty::{SizeVar, Ty, TypeDeclId};

/// The function of a call, or a name used as a value.
#[derive(Debug)]
pub(super) struct Head {
    pub expr: TExpr,
    /// What diagnostics call it.
    pub name: Option<Name>,
    /// For each parameter of a definition without a signature, the place that decided its type.
    pub decided: Option<Rc<[Option<Span>]>>,
    /// The sizes that the arguments at these positions give.
    pub dependents: Vec<(usize, SizeVar)>,
    /// What a built-in demands once its arguments are known.
    pub builtin: Option<(Builtin, BuiltinUse)>,
}

impl Head {
    /// What this is the head of a call of.
    pub fn callee(&self) -> Callee {
        match (&self.builtin, &self.name) {
            (Some((builtin, _)), _) => Callee::Builtin(*builtin),
            (None, Some(name)) => Callee::Named(name.clone(), self.decided.clone()),
            (None, None) => Callee::Unnamed,
        }
    }

    pub fn plain(expr: TExpr, name: Option<Name>) -> Self {
        Self { expr, name, decided: None, dependents: vec![], builtin: None }
    }
}

impl Table {
    /// Sizes given by arguments from position `from` on are unknown.
    pub(super) fn forget_dependents(&mut self, dependents: &[(usize, SizeVar)], from: usize) {
        for (position, var) in dependents {
            if *position >= from {
                self.set_size(*var, super::table::SizeCell::Bound(crate::ty::Size::Any));
            }
        }
    }
}

impl Solver<'_> {
    /// A name as a value: nothing is applied to it.
    pub(super) fn name_value(&mut self, head: Head) -> TExpr {
        self.unifier.table.forget_dependents(&head.dependents, 0);
        if let Some((Builtin::Einsum, _)) = head.builtin {
            self.unifier.reports.report_no_text(head.expr.span, "stands without its text");
            return TExpr::error(head.expr.span);
        }
        if let Some((builtin, used)) = &head.builtin {
            self.finish_builtin(*builtin, used, head.expr.span, &[]);
        }
        head.expr
    }

    pub(super) fn builtin_head(&mut self, builtin: Builtin, span: Span) -> Head {
        let used = Some(Callee::Builtin(builtin));
        let cause = Cause { used, ..Cause::default() };
        let mut used = self.caused(cause, |this| this.builtin_use(builtin, span));
        let expr =
            TExpr { kind: TExprKind::Builtin(builtin), ty: std::mem::take(&mut used.ty), span };
        let dependents = std::mem::take(&mut used.dependents);
        Head {
            expr,
            name: Some(builtins::name_of(builtin).into()),
            decided: None,
            dependents,
            builtin: Some((builtin, used)),
        }
    }

    /// A use of a definition inside its own group: its types are those of the group, its sizes are new.
    fn use_in_group(&mut self, assumed: &Rc<Assumed>, span: Span) -> Use {
        self.unifier.table.begin_steps();
        self.unifier.at = span;
        let own: Vec<_> = assumed
            .own
            .iter()
            .map(|(atom, _)| (atom.clone(), self.unifier.fresh_size_var()))
            .collect();
        let copy = self.unifier.group_copy(&assumed.ty, &own, assumed.complete);
        let ty = copy.unwrap_or_else(|_| self.unifier.reports.report_too_large(span).ty());
        self.run_ready();
        let positions = assumed.own.iter().zip(&own);
        let dependents =
            positions.filter_map(|((_, position), (_, var))| Some(((*position)?, *var))).collect();
        Use { ty, args: vec![], dependents }
    }

    fn constructor_head(
        &mut self,
        sum: TypeDeclId,
        tag: usize,
        span: Span,
        want: Option<&Ty>,
    ) -> Head {
        // A tangent alone does not tell of which type it is.
        let wanted = want.and_then(|want| self.unifier.table.args_of_tangent(want, sum));
        let of_tangent = wanted.is_some();
        let args = wanted.unwrap_or_else(|| {
            self.typed.types[sum].params.iter().map(|_| self.unifier.fresh()).collect()
        });
        let (fields, whole) = self.constructor_types(span, (sum, tag), &args, of_tangent);
        let ty = fields.into_iter().rev().fold(whole, |to, from| Ty::Fun(from.into(), to.into()));
        let name =
            self.typed.types[sum].constructors.get(tag).map(|constructor| constructor.name.clone());
        Head::plain(TExpr { kind: TExprKind::Con(sum, tag), ty, span }, name)
    }

    /// The fields of a constructor at `span` and the type of the whole, or their tangent types.
    pub(super) fn constructor_types(
        &mut self,
        span: Span,
        (sum, tag): (TypeDeclId, usize),
        args: &[Ty],
        of_tangent: bool,
    ) -> (Vec<Ty>, Ty) {
        let decl = &self.typed.types[sum];
        let params = decl.params.clone();
        let fields = decl
            .constructors
            .get(tag)
            .map_or_else(Vec::new, |constructor| constructor.fields.clone());
        let fields = fields.iter().map(|field| {
            let field = self.unifier.substitute(span, field, &params, args);
            if of_tangent { tangent(&field) } else { field }
        });
        let fields = fields.collect();
        let whole = Ty::Sum(sum, args.into());
        (fields, if of_tangent { Ty::Tangent(whole.into()) } else { whole })
    }
}

impl Infer<'_> {
    /// An unqualified name. `want` is the type of the whole value that a constructor makes, if known.
    pub(super) fn name_head(&mut self, name: &Name, span: Span, want: Option<&Ty>) -> Head {
        if let Some(binding) = self.scope.binding(name) {
            return match binding.clone() {
                Binding::Local(local) => self.local_head(local, span),
                Binding::SizeArg(size, parts) => {
                    let copied = self.may_copy_size(parts);
                    let size = if copied { size.as_ref().clone() } else { TExpr::error(span) };
                    Head::plain(TExpr { span, ..size }, None)
                }
                Binding::AnySize => {
                    Head::plain(TExpr { kind: TExprKind::Error, ty: Ty::Int, span }, None)
                }
            };
        }
        if name.starts_with(|first: char| first.is_ascii_uppercase()) {
            return match self.declared.scopes.constructor(self.scope.module(), name) {
                Some((sum, tag)) => self.solver().constructor_head(sum, tag, span, want),
                None => self.unknown_constructor(name, span, false),
            };
        }
        if let Some(global) = self.declared.scopes.value(self.scope.module(), name) {
            return self.global_head(global, span);
        }
        if let Some(builtin) = builtins::lookup(name) {
            return self.solver().builtin_head(builtin, span);
        }
        self.unknown_name(name, span)
    }

    fn local_head(&mut self, local: LocalId, span: Span) -> Head {
        let name = self.typed.locals[local].name.clone();
        let info = self.bindings.local(local);
        if info.phantom {
            let in_size = self.scope.see_phantom();
            if !in_size {
                self.unifier.reports.report_unmeasured(&name, span);
            }
        }
        let info = self.bindings.local(local);
        let mut decided = None;
        let used = if let Some(scheme) = info.scheme.clone() {
            decided = Some(scheme.decided.clone());
            self.solver().instantiate(&scheme, &name, span)
        } else if let Some(assumed) = info.assumed.clone() {
            self.solver().use_in_group(&assumed, span)
        } else {
            Use { ty: self.typed.locals[local].ty.clone(), args: vec![], dependents: vec![] }
        };
        let expr = TExpr { kind: TExprKind::Local(local, used.args), ty: used.ty, span };
        Head { expr, name: Some(name), decided, dependents: used.dependents, builtin: None }
    }

    pub(super) fn global_head(&mut self, global: GlobalId, span: Span) -> Head {
        let name = self.typed.globals[global].name.clone();
        let mut decided = None;
        let used = match self.bindings.global(global).clone() {
            GlobalState::Done(scheme) => {
                decided = Some(scheme.decided.clone());
                self.solver().instantiate(&scheme, &name, span)
            }
            GlobalState::Assumed(assumed) => self.solver().use_in_group(&assumed, span),
            // Only sizes inside declared types are looked at before the definitions they mention.
            GlobalState::Unseen => {
                let params = self.declared.ints(global).unwrap_or(0);
                let ty = (0..params).fold(Ty::Int, |to, _| Ty::Fun(Ty::Int.into(), to.into()));
                let mention = (global, span, ty.clone());
                if !self.sizes_in_types.contains(&mention) {
                    self.sizes_in_types.push(mention);
                }
                Use { ty, args: vec![], dependents: vec![] }
            }
        };
        let expr = TExpr { kind: TExprKind::Global(global, used.args), ty: used.ty, span };
        Head { expr, name: Some(name), decided, dependents: used.dependents, builtin: None }
    }

    /// The definitions that sizes in types mention have the types as which these use them.
    pub(super) fn check_sizes_in_types(&mut self) {
        for (global, span, ty) in std::mem::take(&mut self.sizes_in_types) {
            let head = self.global_head(global, span);
            let definition = self.solver().name_value(head);
            self.solver().coerce(definition, &ty, &Why::Index);
        }
    }

    /// `module.name`, if `base` names an imported module and nothing nearer.
    pub(super) fn qualified_head(
        &mut self,
        base: &Expr,
        field: &Ident,
        want: Option<&Ty>,
    ) -> Option<Head> {
        if let ExprKind::Field { base: package, .. } = &base.kind {
            return self.packaged(package, base.span, field);
        }
        let ExprKind::Name(qualifier) = &base.kind else { return None };
        if self.scope.binding(qualifier).is_some() {
            return None;
        }
        let module =
            self.declared.scopes.modules[self.scope.module()].imports.get(qualifier).copied();
        let Some(module) = module else {
            let upper = field.node.starts_with(|first: char| first.is_ascii_uppercase());
            let unknown = self.declared.scopes.value(self.scope.module(), qualifier).is_none()
                && builtins::lookup(qualifier).is_none();
            let near = nearest(qualifier, self.scope.names().map(Name::as_str));
            if !unknown || (near.is_some() && !upper) {
                return None;
            }
            let qualifier = Ident { node: qualifier.clone(), span: base.span };
            self.report_unknown_module(&qualifier, Some(field));
            return Some(Head::plain(TExpr::error(base.span.to(field.span)), None));
        };
        let span = base.span.to(field.span);
        let scope = &self.declared.scopes.modules[module];
        if let Some((sum, tag)) = scope.constructors.get(&field.node).copied() {
            return Some(self.solver().constructor_head(sum, tag, span, want));
        }
        if let Some(global) = scope.values.get(&field.node).copied() {
            return Some(self.global_head(global, span));
        }
        self.report_not_in_module(qualifier, module, field);
        Some(Head::plain(TExpr::error(span), None))
    }

    /// A member of a package inside a package, such as `np.linalg.norm`: other languages have these.
    fn packaged(&mut self, package: &Expr, base: Span, field: &Ident) -> Option<Head> {
        let ExprKind::Name(name) = &package.kind else { return None };
        let known = self.scope.binding(name).is_some()
            || self.declared.scopes.value(self.scope.module(), name).is_some()
            || self.declared.scopes.modules[self.scope.module()].imports.contains_key(name);
        if known || !is_foreign_package(name) {
            return None;
        }
        let package = Ident { node: name.clone(), span: package.span };
        let package = Ident { node: package.node, span: base };
        self.report_unknown_module(&package, Some(field));
        Some(Head::plain(TExpr::error(base.to(field.span)), None))
    }

    /// The constructor that a pattern names.
    pub(super) fn pattern_constructor(&mut self, path: &Path) -> Option<(TypeDeclId, usize)> {
        let name = &path.name;
        let Some(qualifier) = &path.module else {
            let found = self.declared.scopes.constructor(self.scope.module(), &name.node);
            if found.is_none() {
                self.unknown_constructor(&name.node, name.span, true);
            }
            return found;
        };
        let Some(module) =
            self.declared.scopes.modules[self.scope.module()].imports.get(&qualifier.node).copied()
        else {
            self.report_unknown_module(qualifier, None);
            return None;
        };
        let found = self.declared.scopes.modules[module].constructors.get(&name.node).copied();
        if found.is_none() {
            self.report_not_in_module(&qualifier.node, module, name);
        }
        found
    }

    fn unknown_name(&mut self, name: &Name, span: Span) -> Head {
        if !self.unifier.reports.is_first_unknown(name.clone()) {
            // This definition has been told.
            return Head::plain(TExpr::error(span), None);
        }
        let may_suggest = self.unifier.reports.may_suggest();
        let near = if may_suggest { self.nearest_values(name) } else { vec![] };
        let is_size = name.len() == 1 && self.scope.in_size();
        let own = self.scope.not_recursive_at(name);
        let mut diagnostic =
            Diagnostic::error("E0201", span, format!("unknown name `{name}`"), "not in scope");
        let elsewhere = shelf_hint(&(self.shelf.with)(name), name);
        diagnostic = match (foreign_value(name), near.as_slice()) {
            (Some(instead), _) => {
                diagnostic.fixes(instead, spelling(name).map(|text| Fix::new(span, text)))
            }
            _ if let Some(at) = own => diagnostic.fix(
                format!("a function that calls itself is bound with `let rec {name} …`"),
                at,
                "rec ",
            ),
            (None, _) if let Some(elsewhere) = elsewhere => {
                let modules = (self.shelf.with)(name);
                let fixes = modules.first().map(|first| shelf_fixes(first, span));
                diagnostic.fixes(elsewhere, fixes.into_iter().flatten())
            }
            (None, [near, others @ ..]) => {
                let told = diagnostic.fix(format!("did you mean `{near}`?"), span, near.as_str());
                others.iter().fold(told, |told, other| {
                    told.fix(format!("or did you mean `{other}`?"), span, other.as_str())
                })
            }
            (None, []) if is_size => {
                diagnostic.hint("declare a size after the definition's name: `def f [n] …`")
            }
            (None, []) if name.ends_with('\'') => diagnostic.hint(format!(
                "names may end in `'`; the derivative of a function `{0}` at `x` is `grad {0} x`",
                name.trim_end_matches('\'')
            )),
            (None, []) => diagnostic.hint(
                "define it with `def`, bind it with `let`, or `import` the file that defines it",
            ),
        };
        self.unifier.report(diagnostic);
        Head::plain(TExpr::error(span), None)
    }

    /// The values and modules in scope whose names are nearest to this one.
    fn nearest_values(&self, name: &Name) -> Vec<Name> {
        let scopes = self.declared.scopes.visible(self.scope.module());
        let mut known: Vec<&str> = self.scope.names().rev().map(Name::as_str).collect();
        let global = scopes.flat_map(|scope| scope.values.keys().chain(scope.imports.keys()));
        known.extend(global.map(Name::as_str));
        for other in builtins::names().chain(["true", "false"]) {
            known.push(other);
        }
        nearest_few(name, known).into_iter().map(Name::from).collect()
    }

    fn unknown_constructor(&mut self, name: &Name, span: Span, in_pattern: bool) -> Head {
        if !self.unifier.reports.is_first_unknown(name.clone()) {
            return Head::plain(TExpr::error(span), None);
        }
        let may_suggest = self.unifier.reports.may_suggest();
        let near = if may_suggest {
            let scopes = self.declared.scopes.visible(self.scope.module());
            let known = scopes.flat_map(|scope| scope.constructors.keys());
            nearest(name, known.map(Name::as_str)).map(Name::from)
        } else {
            None
        };
        let lower = Name::from(name.to_lowercase());
        let is_value = self.declared.scopes.value(self.scope.module(), &lower).is_some()
            || builtins::lookup(&lower).is_some();
        let is_type = self.declared.scopes.type_name(self.scope.module(), name).is_some()
            || crate::resolve::is_builtin_type(name);
        let mut diagnostic = Diagnostic::error(
            "E0203",
            span,
            format!("unknown constructor `{name}`"),
            "no type has this constructor",
        );
        diagnostic = match (near, name.as_str()) {
            (_, "True" | "False") => {
                diagnostic.fix("truth values are `true` and `false`", span, lower)
            }
            _ if is_type && in_pattern => diagnostic
                .note(format!("`{name}` is a type, and stands after the name"))
                .hint(format!("write `(x: {name})`")),
            _ if is_type => {
                let fix = self.is_record(name).then(|| Fix::new(span, ""));
                diagnostic
                    .note(format!("`{name}` is a type, not a value"))
                    .fixes(self.how_to_make(name), fix)
            }
            _ if is_value => diagnostic.fix(
                format!("did you mean `{lower}`? Upper-case names are constructors"),
                span,
                lower,
            ),
            (Some(near), _) => diagnostic.fix(format!("did you mean `{near}`?"), span, near),
            (None, _) if in_pattern => diagnostic
                .note("names that begin with an upper-case letter are constructors")
                .fix(format!("a variable begins with a lower-case letter: `{lower}`"), span, lower),
            (None, _) => diagnostic
                .note("names that begin with an upper-case letter are constructors")
                .hint(format!("declare it, as in `type … = {name} …`; variables begin with a lower-case letter")),
        };
        self.unifier.report(diagnostic);
        Head::plain(TExpr::error(span), None)
    }

    /// Whether a type of this name stands for a record.
    fn is_record(&self, name: &Name) -> bool {
        let named = self.declared.scopes.type_name(self.scope.module(), name);
        let Some(TypeName::Alias(index)) = named else { return false };
        matches!(self.declared.aliases[index].body.kind, TypeExprKind::Record(_))
    }

    /// How values of a type are made.
    fn how_to_make(&self, name: &Name) -> String {
        match self.declared.scopes.type_name(self.scope.module(), name) {
            Some(TypeName::Sum(id)) => {
                let names = self.typed.types[id]
                    .constructors
                    .iter()
                    .map(|constructor| format!("`{}`", constructor.name));
                format!("its values are made by {}", names.collect::<Vec<_>>().join(", "))
            }
            Some(TypeName::Alias(index)) => {
                let TypeExprKind::Record(fields) = &self.declared.aliases[index].body.kind else {
                    return "write a value of the type it stands for".into();
                };
                let fields: Vec<String> =
                    fields.iter().map(|(name, _)| format!("{} = …", name.node)).collect();
                format!("a record is made by its braces alone: `{{ {} }}`", fields.join(", "))
            }
            None => format!("write a value of type `{name}`"),
        }
    }

    /// What makes a value of this language, or of a module of its library, of one that other languages have in a
    /// package: `span` covers the package too.
    fn fixes_without_package(&self, name: &Name, span: Span) -> Vec<Fix> {
        let known = self.declared.scopes.value(self.scope.module(), name).is_some()
            || builtins::lookup(name).is_some();
        if foreign_value(name).is_some() {
            spelling(name).map(|text| Fix::new(span, text)).into_iter().collect()
        } else if known {
            vec![Fix::new(span, name.as_str())]
        } else {
            let modules = (self.shelf.with)(name);
            let Some(first) = modules.first() else { return vec![] };
            let [import, _] = shelf_fixes(first, span);
            vec![import, Fix::new(span, format!("{first}.{name}"))]
        }
    }

    /// What the value of this name is called here, which other languages have in a package.
    fn without_package(&self, name: &Name) -> String {
        let known = self.declared.scopes.value(self.scope.module(), name).is_some()
            || builtins::lookup(name).is_some();
        if let Some(instead) = foreign_value(name) {
            instead.to_owned()
        } else if known {
            format!("write `{name}` alone: it is in scope everywhere")
        } else if let Some(elsewhere) = shelf_hint(&(self.shelf.with)(name), name) {
            elsewhere
        } else {
            "what is in scope everywhere is in lib/prelude.pull; other functions are in modules, such as `linalg` and `random`".to_owned()
        }
    }

    pub(super) fn report_unknown_module(&mut self, qualifier: &Ident, member: Option<&Ident>) {
        let name = &qualifier.node;
        let scope = &self.declared.scopes.modules[self.scope.module()];
        if scope.unread.contains(name) || !self.unifier.reports.is_first_unknown(format!("{name}."))
        {
            // The import has been reported, or this definition has been told.
            return;
        }
        let imports = &self.declared.scopes.modules[self.scope.module()].imports;
        let near = nearest(name, imports.keys().map(Name::as_str));
        let mut diagnostic = Diagnostic::error(
            "E0204",
            qualifier.span,
            format!("no module is imported as `{name}`"),
            "neither a module nor a value",
        );
        diagnostic = match (near, member) {
            (_, Some(member)) if is_foreign_package(name) => {
                let span = qualifier.span.to(member.span);
                let fixes = self.fixes_without_package(&member.node, span);
                diagnostic.fixes(self.without_package(&member.node), fixes)
            }
            (_, Some(member)) if matches!(&*member.node, "csv" | "json" | "npy" | "npz") => {
                let member = &member.node;
                diagnostic.hint(format!("a file of values is given with `--input {name}.{member}`"))
            }
            _ if (self.shelf.modules)().contains(&name.as_str()) => {
                let top = Span::new(qualifier.span.file, 0, 0);
                let line = format!("import \"{name}\"\n");
                diagnostic.fix(format!("add `import \"{name}\"` at the top of the file"), top, line)
            }
            (Some(near), _) => {
                diagnostic.fix(format!("did you mean `{near}`?"), qualifier.span, near)
            }
            (None, _) => {
                diagnostic.hint(format!("add `import \"…\" as {name}` at the top of the file"))
            }
        };
        self.unifier.report(diagnostic);
    }

    fn report_not_in_module(&mut self, qualifier: &Name, module: usize, name: &Ident) {
        let scope = &self.declared.scopes.modules[module];
        let known = scope.values.keys().chain(scope.constructors.keys());
        let near = nearest(&name.node, known.map(Name::as_str));
        let diagnostic = Diagnostic::error(
            "E0205",
            name.span,
            format!("`{qualifier}` has no `{}`", name.node),
            "not defined there",
        );
        self.unifier.report(match near {
            Some(near) => {
                diagnostic.fix(format!("did you mean `{qualifier}.{near}`?"), name.span, near)
            }
            None if name.node.starts_with(|first: char| first.is_ascii_uppercase()) => {
                diagnostic.hint(what_it_has("constructors", scope.constructors.keys()))
            }
            None => diagnostic.hint(what_it_has("definitions", scope.values.keys())),
        });
    }
}

/// Where a name is defined that the module does not import. A single letter is rather a variable that is missing.
fn shelf_hint(modules: &[&str], name: &str) -> Option<String> {
    if name.chars().count() == 1 {
        return None;
    }
    let (first, others) = modules.split_first()?;
    let also = match others {
        [] => String::new(),
        [other] => format!("; `{other}` has one too"),
        [many @ .., last] => format!("; `{}` and `{last}` have one too", many.join("`, `")),
    };
    Some(format!(
        "write `import \"{first}\"` at the top of the file, and `{first}.{name}` here{also}"
    ))
}

/// The import of a module that defines a name, and the name as that module's.
fn shelf_fixes(first: &str, name: Span) -> [Fix; 2] {
    [shelf_import(first, name.file), Fix::new(name.start(), format!("{first}."))]
}

/// What imports a module of the library.
pub(super) fn shelf_import(module: &str, file: FileId) -> Fix {
    Fix::new(Span::new(file, 0, 0), format!("import \"{module}\"\n"))
}

/// The hint that lists the first few names of a module.
pub(super) fn what_it_has<'n>(
    what: &str,
    names: impl ExactSizeIterator<Item = &'n Name>,
) -> String {
    const SHOWN: usize = 8;
    let count = names.len();
    let shown: Vec<String> = names.take(SHOWN).map(|name| format!("`{name}`")).collect();
    match count {
        0 => format!("it has no {what}"),
        _ if count > SHOWN => {
            format!("its {what} are {} and {} more", shown.join(", "), count - SHOWN)
        }
        _ => format!("its {what} are {}", shown.join(", ")),
    }
}
