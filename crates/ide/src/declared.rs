//! What a module declares, as its text says.

use std::collections::HashMap;

use pullback_base::Name;
use pullback_session::load::Loaded;
use pullback_syntax::ast::{Ident, Item, ItemKind, TypeBody, TypeDecl, TypeExpr, TypeExprKind};

/// The types that need no declaration.
pub const BUILT_IN_TYPES: [&str; 5] = ["Real", "Int", "Bool", "String", "T"];

/// The items of a module by what they declare.
pub fn declaring(module: &Loaded) -> HashMap<Name, Vec<usize>> {
    let mut found: HashMap<Name, Vec<usize>> = HashMap::new();
    for (place, item) in module.module.items.iter().enumerate() {
        let mut declares = |name: &Name| {
            let places = found.entry(name.clone()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        };
        match &item.kind {
            ItemKind::Def(def) => declares(&def.name.node),
            ItemKind::Type(decl) => {
                declares(&decl.name.node);
                let constructors = constructors(module, decl).into_iter();
                constructors.for_each(|(name, _)| declares(&name.node));
            }
            ItemKind::Import(_) | ItemKind::Error => {}
        }
    }
    found
}

/// The constructors of a type with their fields. `type T = Foo Real` declares one where no type is called `Foo`.
pub fn constructors<'f>(
    module: &'f Loaded,
    decl: &'f TypeDecl,
) -> Vec<(&'f Ident, &'f [TypeExpr])> {
    match &decl.body {
        TypeBody::Sum(all) => all.iter().map(|it| (&it.name, it.fields.as_slice())).collect(),
        TypeBody::Alias(body) => {
            let TypeExprKind::Named { path, sizes, args } = &body.kind else { return vec![] };
            let name = &path.name.node;
            let is_type = |item: &Item| matches!(&item.kind, ItemKind::Type(other) if other.name.node == *name);
            let known =
                BUILT_IN_TYPES.contains(&name.as_str()) || module.module.items.iter().any(is_type);
            let is_constructor =
                path.module.is_none() && sizes.is_empty() && (!known || *name == decl.name.node);
            if is_constructor { vec![(&path.name, args.as_slice())] } else { vec![] }
        }
    }
}
