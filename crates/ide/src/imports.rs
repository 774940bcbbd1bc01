//! Names that nothing here has and a module of the library does: with its import they are known.

use pullback_session::stdlib::{Export, exporters};
use pullback_types::{Occurrence, Role};

use crate::edit::Edit;
use crate::file::File;
use crate::layout;

/// What would make a name known, in words and as changes: one for each module that has it.
pub fn imports(file: &File, it: &Occurrence) -> Vec<(String, Vec<Edit>)> {
    let export = match it.role {
        Role::Value => Export::Value,
        Role::Type => Export::Type,
        Role::Constructor => Export::Constructor,
        Role::Local(_) | Role::TypeVariable | Role::Field | Role::Module => return vec![],
    };
    if it.module.is_some() || it.declares || file.meaning(it).is_some() {
        return vec![];
    }
    let modules = exporters(&it.name, export).into_iter();
    modules.filter_map(|module| import(file, it, module)).collect()
}

/// What would make a name known that a module has; none if the module's name means something else here.
fn import(file: &File, it: &Occurrence, module: &str) -> Option<(String, Vec<Edit>)> {
    let at = it.span.range().start;
    let known = |qualifier: &str| {
        let loaded = file.imported(qualifier);
        loaded.is_some_and(|it| it.name == *module && file.analysis.library.contains(&it.file))
    };
    let mut qualifiers = file.main().imports.iter().map(|(name, _)| name.as_str());
    if let Some(qualifier) = qualifiers.find(|name| known(name)) {
        let title = format!("write `{qualifier}.{}`", it.name);
        return Some((title, vec![Edit::insert(at, format!("{qualifier}."))]));
    }
    let is_local = file.locals_at(at).iter().any(|(_, local)| local.name == *module);
    let is_taken = file.main().imports.iter().any(|(name, _)| name == module);
    if is_local || is_taken {
        return None;
    }
    let title = format!("import \"{module}\" and write `{module}.{}`", it.name);
    Some((title, vec![layout::import(file, module), Edit::insert(at, format!("{module}."))]))
}
