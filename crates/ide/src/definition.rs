//! Where a name is declared, in the library too.

use pullback_session::Place;
use pullback_syntax::ast::ItemKind;

use crate::file::File;

/// Where the name at an offset is declared; of the path of an import, the file.
pub fn definition(file: &File, offset: usize) -> Option<Place> {
    if let Some(it) = file.occurrence_at(offset) {
        return file.place(file.meaning(it)?.declared(file));
    }
    let main = file.main();
    let imports = main.module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Import(import) => Some(import),
        ItemKind::Type(_) | ItemKind::Def(_) | ItemKind::Error => None,
    });
    let number = imports.into_iter().position(|it| it.path.span.range().contains(&offset))?;
    let (_, module) = main.imports.get(number)?;
    let module = file.analysis.modules.get((*module)?)?;
    file.place(pullback_base::Span::new(module.file, 0, 0))
}
