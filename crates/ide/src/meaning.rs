//! What a name means: the names of this file, of the modules it imports, of the prelude, and what is built in.
//!
//! Input: a file and a name where it is written. Output: a [`Meaning`], with the place where it is declared. This follows
//! the text alone, so that it holds in a file with mistakes.

use pullback_base::Span;
use pullback_session::load::Loaded;
use pullback_syntax::ast::{Def, Ident, Item, ItemKind, TypeDecl};
use pullback_types::{Occurrence, Role, builtins};

use crate::declared::{BUILT_IN_TYPES, constructors};
use crate::file::File;

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'f> {
    /// A local name, by its number.
    Local(usize),
    /// A definition.
    Definition(&'f Item, &'f Def),
    /// A type.
    Type(&'f Item, &'f TypeDecl),
    /// A constructor of a type.
    Constructor(&'f Item, &'f TypeDecl, &'f Ident),
    /// A module.
    Module(&'f Loaded),
    /// A built-in operation or type.
    BuiltIn,
    /// A type variable.
    TypeVariable,
    /// A field of a record.
    Field,
}

impl Meaning<'_> {
    /// Where it is declared.
    pub fn declared(&self, file: &File) -> Span {
        match self {
            Self::Local(number) => file.local(*number).span,
            Self::Definition(_, def) => def.name.span,
            Self::Type(_, decl) => decl.name.span,
            Self::Constructor(_, _, name) => name.span,
            Self::Module(module) => Span::new(module.file, 0, 0),
            Self::BuiltIn | Self::TypeVariable | Self::Field => Span::NONE,
        }
    }
}

impl File {
    /// What a name means.
    pub fn meaning(&self, it: &Occurrence) -> Option<Meaning<'_>> {
        let name = it.name.as_str();
        match it.role {
            Role::Local(number) => return Some(Meaning::Local(number)),
            Role::TypeVariable => return Some(Meaning::TypeVariable),
            Role::Field => return Some(Meaning::Field),
            Role::Module => return self.imported(name).map(Meaning::Module),
            Role::Value | Role::Constructor | Role::Type => {}
        }
        if let Some(module) = &it.module {
            return self.find(self.imported(module)?, name, it.role);
        }
        let found = self.visible().find_map(|module| self.find(module, name, it.role));
        let is_built_in = match it.role {
            Role::Value => builtins::lookup(name).is_some(),
            Role::Type => BUILT_IN_TYPES.contains(&name),
            Role::Constructor
            | Role::Local(_)
            | Role::TypeVariable
            | Role::Field
            | Role::Module => false,
        };
        found.or(is_built_in.then_some(Meaning::BuiltIn))
    }
    /// The module that an import is called so.
    pub fn imported(&self, qualifier: &str) -> Option<&Loaded> {
        let import = self.main().imports.iter().find(|(name, _)| name == qualifier);
        self.analysis.modules.get(import?.1?)
    }
    /// Whether a name that is built in means that here: no definition takes it.
    pub fn keeps(&self, name: &str) -> bool {
        self.visible().all(|module| self.find(module, name, Role::Value).is_none())
    }
    /// What a module has under a name.
    fn find<'f>(&'f self, module: &'f Loaded, name: &str, role: Role) -> Option<Meaning<'f>> {
        let items = self.declaring(module, name).iter();
        let mut members = items.flat_map(|item| of_item(module, &module.module.items[*item]));
        let found = members.find(|(known, meaning)| {
            known.node == name
                && match meaning {
                    Meaning::Definition(..) => role == Role::Value,
                    Meaning::Type(..) => role == Role::Type,
                    Meaning::Constructor(..) => role == Role::Constructor,
                    Meaning::Local(_)
                    | Meaning::Module(_)
                    | Meaning::BuiltIn
                    | Meaning::TypeVariable
                    | Meaning::Field => false,
                }
        });
        found.map(|(_, meaning)| meaning)
    }
    /// The modules in which an unqualified name is looked up, first to last.
    pub fn visible(&self) -> impl Iterator<Item = &Loaded> {
        let main = self.main();
        let preludes = self.analysis.modules.iter().filter(|it| it.prelude && it.file != main.file);
        std::iter::once(main).chain(preludes)
    }
}

/// All that a module declares, in the order of the text.
pub fn members(module: &Loaded) -> impl Iterator<Item = (&Ident, Meaning<'_>)> {
    module.module.items.iter().flat_map(|item| of_item(module, item))
}

/// All that an item declares.
fn of_item<'f>(module: &'f Loaded, item: &'f Item) -> Vec<(&'f Ident, Meaning<'f>)> {
    match &item.kind {
        ItemKind::Import(_) | ItemKind::Error => vec![],
        ItemKind::Def(def) => vec![(&def.name, Meaning::Definition(item, def))],
        ItemKind::Type(decl) => {
            let mut found = vec![(&decl.name, Meaning::Type(item, decl))];
            let constructors = constructors(module, decl).into_iter();
            found.extend(constructors.map(|(it, _)| (it, Meaning::Constructor(item, decl, it))));
            found
        }
    }
}
