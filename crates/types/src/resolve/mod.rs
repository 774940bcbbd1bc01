//! Names: what each module defines, and which definitions depend on which.
//!
//! Input: the modules of a program, dependencies first. Output: [`Scopes`], the definitions of every
//! module in the order of their groups ([`deps`]), and diagnostics for names defined twice.
//! Invariant: every [`GlobalId`] and [`TypeDeclId`] handed out here is declared exactly once.

pub(crate) mod deps;
mod leftovers;
pub(crate) mod names;
mod uses;

use indexmap::IndexMap;
use pullback_base::{Diagnostic, FileId, Fix, Id, Name, Span};
use pullback_syntax::ast;
use rustc_hash::FxHashSet;

use crate::tir::GlobalId;
use crate::ty::TypeDeclId;

pub use leftovers::{leftovers, type_like_variables};
pub use uses::{Bound, BoundBy, Occurrence, Role, Uses, uses};

/// A module to infer.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The module's name: the stem of its file.
    pub name: Name,
    /// Its file.
    pub file: FileId,
    /// Its syntax tree.
    pub module: &'a ast::Module,
    /// What its imports are called, and which module each is (an index among the sources, smaller
    /// than this module's own).
    pub imports: Vec<(Name, usize)>,
    /// What the imports are called whose files could not be read, which has been reported.
    pub unread: Vec<Name>,
    /// Whether its definitions are in scope everywhere without a qualifier.
    pub prelude: bool,
    /// Whether it is part of the library, whose inside says nothing to users.
    pub library: bool,
}

/// The modules that a program could import, for messages about names that they define.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    /// The names of all of them.
    pub modules: fn() -> Vec<&'static str>,
    /// The names of those that define a value of this name for their users.
    pub with: fn(&str) -> Vec<&'static str>,
}

impl Shelf {
    /// There is nothing to import.
    pub const EMPTY: Self = Self { modules: Vec::new, with: |_| Vec::new() };
}

/// What a type name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeName {
    /// An abbreviation, by its index among all aliases.
    Alias(usize),
    /// A sum type.
    Sum(TypeDeclId),
}

/// The top-level names of one module.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleScope {
    pub values: IndexMap<Name, GlobalId>,
    pub constructors: IndexMap<Name, (TypeDeclId, usize)>,
    pub types: IndexMap<Name, TypeName>,
    pub imports: IndexMap<Name, usize>,
    pub unread: FxHashSet<Name>,
}

/// The top-level names of every module.
#[derive(Clone, Debug, Default)]
pub struct Scopes {
    pub(crate) modules: Vec<ModuleScope>,
    pub(crate) preludes: Vec<usize>,
}

impl Scopes {
    /// The definition of this name in a module (by its index among the sources).
    pub fn global(&self, module: usize, name: &str) -> Option<GlobalId> {
        self.modules.get(module)?.values.get(name).copied()
    }
    /// The definitions of a module, in source order.
    pub fn globals(&self, module: usize) -> impl Iterator<Item = (&Name, GlobalId)> {
        self.modules
            .get(module)
            .into_iter()
            .flat_map(|scope| scope.values.iter().map(|(name, id)| (name, *id)))
    }
    /// The modules in which an unqualified name of `module` is looked up, first to last.
    pub(crate) fn visible(&self, module: usize) -> impl Iterator<Item = &ModuleScope> {
        let preludes =
            self.preludes.iter().filter(move |index| **index != module && **index < module);
        std::iter::once(&module)
            .chain(preludes)
            .filter_map(|index| self.modules.get(*index))
            .collect::<Vec<_>>()
            .into_iter()
    }
    /// The definition that an unqualified name means in `module`.
    pub(crate) fn value(&self, module: usize, name: &Name) -> Option<GlobalId> {
        self.visible(module).find_map(|scope| scope.values.get(name).copied())
    }
    /// The constructor that an unqualified name means in `module`.
    pub(crate) fn constructor(&self, module: usize, name: &Name) -> Option<(TypeDeclId, usize)> {
        self.visible(module).find_map(|scope| scope.constructors.get(name).copied())
    }
    /// The type that an unqualified name means in `module`.
    pub(crate) fn type_name(&self, module: usize, name: &Name) -> Option<TypeName> {
        self.visible(module).find_map(|scope| scope.types.get(name).copied())
    }
}

/// The declared type that a [`TypeName::Alias`] abbreviates.
#[derive(Clone, Debug)]
pub(crate) struct AliasDecl<'a> {
    pub module: usize,
    pub decl: &'a ast::TypeDecl,
    pub body: &'a ast::TypeExpr,
}

/// A sum type as declared: its constructors' names and field types.
#[derive(Clone, Debug)]
pub(crate) struct SumSource<'a> {
    pub module: usize,
    pub decl: &'a ast::TypeDecl,
    pub constructors: Vec<(&'a ast::Ident, &'a [ast::TypeExpr])>,
}

/// A definition as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefSource<'a> {
    pub module: usize,
    pub def: &'a ast::Def,
    pub doc: &'a str,
}

/// Everything declared at top level.
#[derive(Debug, Default)]
pub(crate) struct Declared<'a> {
    pub scopes: Scopes,
    pub aliases: Vec<AliasDecl<'a>>,
    pub sums: Vec<SumSource<'a>>,
    /// The definitions, in the order of their modules.
    pub defs: Vec<DefSource<'a>>,
}

impl<'a> Declared<'a> {
    /// The definitions of a module, in source order.
    pub(crate) fn defs_of(&self, module: usize) -> impl Iterator<Item = (GlobalId, &'a ast::Def)> {
        let start = self.defs.partition_point(|def| def.module < module);
        let end = self.defs.partition_point(|def| def.module <= module);
        (start..end).map(|index| (GlobalId::from_index(index), self.defs[index].def))
    }

    /// The number that a definition is written as, if it is just a literal.
    pub(crate) fn literal(&self, global: GlobalId) -> Option<i64> {
        let def = self.defs.get(global.0 as usize)?.def;
        let mut body = &def.body;
        while let ast::ExprKind::Paren(inner) = &body.kind {
            body = inner;
        }
        let is_int = def.result.as_ref().is_none_or(is_int);
        if let ast::ExprKind::Lit(ast::Literal::Int(value)) = &body.kind
            && def.params.is_empty()
            && is_int
        {
            return i64::try_from(*value).ok();
        }
        None
    }

    /// How many parameters a definition has, if it says that they and its result are Ints.
    pub(crate) fn ints(&self, global: GlobalId) -> Option<usize> {
        let def = self.defs.get(global.0 as usize)?.def;
        let params = def.params.iter().map(|param| param.ty.as_deref());
        let mut types = params.chain([def.result.as_ref()]);
        types.all(|ty| ty.is_some_and(is_int)).then_some(def.params.len())
    }
}

fn is_int(ty: &ast::TypeExpr) -> bool {
    matches!(&ty.kind, ast::TypeExprKind::Named { path, .. } if path.name.node == "Int")
}

/// Collects the declarations of all modules.
pub(crate) fn declare<'a>(
    sources: &[Source<'a>],
    diagnostics: &mut Vec<Diagnostic>,
) -> Declared<'a> {
    let mut declared = Declared::default();
    for (module, source) in sources.iter().enumerate() {
        if source.prelude {
            declared.scopes.preludes.push(module);
        }
        declared.scopes.modules.push(ModuleScope::default());
        declare_imports(&mut declared, source, module, diagnostics);
        declare_types(&mut declared, source, module, diagnostics);
        declare_defs(&mut declared, source, module, diagnostics);
    }
    declared
}

fn declare_imports(
    declared: &mut Declared<'_>,
    source: &Source<'_>,
    module: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let scope = &mut declared.scopes.modules[module];
    scope.unread = source.unread.iter().cloned().collect();
    scope.imports = source.imports.iter().cloned().collect();
    let mut seen: IndexMap<Name, Span> = IndexMap::new();
    for item in &source.module.items {
        let ast::ItemKind::Import(import) = &item.kind else { continue };
        let (name, place) = match &import.alias {
            Some(alias) => (alias.node.clone(), alias.span),
            None => {
                let path = &import.path.node;
                let stem = path.rsplit_once('/').map_or(path.as_str(), |(_, stem)| stem);
                (Name::new(stem), import.path.span)
            }
        };
        // What could not be read has been reported already.
        let is_read = scope.imports.contains_key(&name);
        if let Some(first) = seen.get(&name).filter(|_| is_read) {
            diagnostics.push(twice("E0206", "import", &name, *first, place).fixes(
                format!("give one of them another name: `import \"…\" as {name}2`"),
                [match &import.alias {
                    Some(alias) => Fix::new(alias.span, format!("{name}2")),
                    None => Fix::new(import.path.span.end(), format!(" as {name}2")),
                }],
            ));
        } else {
            seen.insert(name, place);
        }
    }
}

fn declare_types<'a>(
    declared: &mut Declared<'a>,
    source: &Source<'a>,
    module: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let decls: Vec<&'a ast::TypeDecl> = source
        .module
        .items
        .iter()
        .filter_map(
            |item| if let ast::ItemKind::Type(decl) = &item.kind { Some(decl) } else { None },
        )
        .collect();
    // All names first: whether `type A = B Real` declares a constructor depends on all of them.
    let names: FxHashSet<&Name> = decls.iter().map(|decl| &decl.name.node).collect();
    let mut seen: IndexMap<Name, Span> = IndexMap::new();
    for decl in &decls {
        if let Some(first) = seen.get(&decl.name.node) {
            let name = &decl.name.node;
            diagnostics.push(
                twice("E0207", "type", name, *first, decl.name.span)
                    .hint("rename or remove one of them"),
            );
            continue;
        }
        seen.insert(decl.name.node.clone(), decl.name.span);
        let constructors = match &decl.body {
            ast::TypeBody::Sum(constructors) => {
                constructors.iter().map(|c| (&c.name, c.fields.as_slice())).collect()
            }
            ast::TypeBody::Alias(body) => {
                match lone_constructor(declared, module, decl, body, &names) {
                    Some(constructor) => vec![constructor],
                    None => {
                        let index = declared.aliases.len();
                        declared.aliases.push(AliasDecl { module, decl, body });
                        let scope = &mut declared.scopes.modules[module];
                        scope.types.insert(decl.name.node.clone(), TypeName::Alias(index));
                        continue;
                    }
                }
            }
        };
        declare_sum(declared, module, decl, constructors, diagnostics);
    }
}

/// The constructor that `type T = Foo Real` declares where there is no type `Foo` (or it is `T`).
fn lone_constructor<'a>(
    declared: &Declared<'a>,
    module: usize,
    decl: &'a ast::TypeDecl,
    body: &'a ast::TypeExpr,
    names: &FxHashSet<&Name>,
) -> Option<(&'a ast::Ident, &'a [ast::TypeExpr])> {
    let ast::TypeExprKind::Named { path, sizes, args } = &body.kind else { return None };
    let name = &path.name.node;
    let known = is_builtin_type(name)
        || names.contains(name)
        || declared.scopes.type_name(module, name).is_some();
    let is_constructor =
        path.module.is_none() && sizes.is_empty() && (!known || *name == decl.name.node);
    is_constructor.then_some((&path.name, args.as_slice()))
}

/// Whether the name is one of the types that need no declaration.
pub(crate) fn is_builtin_type(name: &Name) -> bool {
    matches!(name.as_str(), "Real" | "Int" | "Bool" | "String" | "T")
}

fn declare_sum<'a>(
    declared: &mut Declared<'a>,
    module: usize,
    decl: &'a ast::TypeDecl,
    constructors: Vec<(&'a ast::Ident, &'a [ast::TypeExpr])>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let id = TypeDeclId::from_index(declared.sums.len());
    let scope = &mut declared.scopes.modules[module];
    scope.types.insert(decl.name.node.clone(), TypeName::Sum(id));
    for (tag, (name, _)) in constructors.iter().enumerate() {
        if let Some((owner, first)) = scope.constructors.get(&name.node).copied() {
            let place = if owner == id {
                constructors[first].0.span
            } else {
                declared.sums[owner.0 as usize].constructors[first].0.span
            };
            diagnostics.push(
                twice("E0208", "constructor", &name.node, place, name.span)
                    .note("a constructor's name says which type a value has, so each belongs to one type")
                    .hint("rename one of them"),
            );
        } else {
            scope.constructors.insert(name.node.clone(), (id, tag));
        }
    }
    declared.sums.push(SumSource { module, decl, constructors });
}

fn declare_defs<'a>(
    declared: &mut Declared<'a>,
    source: &Source<'a>,
    module: usize,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for item in &source.module.items {
        let ast::ItemKind::Def(def) = &item.kind else { continue };
        let id = GlobalId::from_index(declared.defs.len());
        let name = &def.name.node;
        if let Some(first) = declared.scopes.modules[module].values.get(name) {
            let first = declared.defs[first.0 as usize].def.name.span;
            diagnostics.push(
                twice("E0206", "definition", name, first, def.name.span)
                    .hint("rename or remove one of them"),
            );
        } else if name != "_" {
            declared.scopes.modules[module].values.insert(name.clone(), id);
        }
        declared.defs.push(DefSource { module, def, doc: &item.doc });
    }
}

fn twice(code: &'static str, what: &str, name: &Name, first: Span, second: Span) -> Diagnostic {
    Diagnostic::error(
        code,
        second,
        format!("the {what} `{name}` is declared twice"),
        "declared again here",
    )
    .label(first, "first declared here")
}
