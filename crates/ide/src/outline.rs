//! What a file declares, as a tree, and what of its text can be folded away.

use std::ops::Range;

use pullback_syntax::ast::ItemKind;

use crate::declared::constructors;
use crate::file::File;
use crate::words::{is_function, scheme};

/// Something that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its type, if it is known.
    pub detail: String,
    /// All of it.
    pub range: Range<usize>,
    /// Its name.
    pub selection: Range<usize>,
    /// What is declared inside.
    pub children: Vec<Symbol>,
}

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A definition that is no function.
    Constant,
    /// A type.
    Type,
    /// A constructor.
    Constructor,
    /// An imported module.
    Module,
}

/// What a file declares, in the order of the text.
pub fn outline(file: &File) -> Vec<Symbol> {
    let module = file.main();
    let symbols = module.module.items.iter().filter_map(|item| {
        let range = item.span.range();
        Some(match &item.kind {
            ItemKind::Error => return None,
            ItemKind::Import(import) => Symbol {
                name: import.path.node.clone(),
                kind: SymbolKind::Module,
                detail: import.alias.as_ref().map_or_else(String::new, |it| it.node.to_string()),
                range,
                selection: import.path.span.range(),
                children: vec![],
            },
            ItemKind::Def(def) => {
                let detail = scheme(file, def).unwrap_or_default().to_owned();
                let function = is_function(&detail) || !def.params.is_empty();
                let kind = if function { SymbolKind::Function } else { SymbolKind::Constant };
                let (name, selection) = (def.name.node.to_string(), def.name.span.range());
                Symbol { name, kind, detail, range, selection, children: vec![] }
            }
            ItemKind::Type(decl) => {
                let children = constructors(module, decl).into_iter().map(|(name, fields)| {
                    let fields = fields.iter().map(|it| file.slice(it.span)).collect::<Vec<_>>();
                    Symbol {
                        name: name.node.to_string(),
                        kind: SymbolKind::Constructor,
                        detail: fields.join(" "),
                        range: name.span.range(),
                        selection: name.span.range(),
                        children: vec![],
                    }
                });
                Symbol {
                    name: decl.name.node.to_string(),
                    kind: SymbolKind::Type,
                    detail: String::new(),
                    range,
                    selection: decl.name.span.range(),
                    children: children.collect(),
                }
            }
        })
    });
    symbols.collect()
}

/// What of a text can be folded away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The bytes.
    pub range: Range<usize>,
    /// What they are.
    pub kind: FoldKind,
}

/// What can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A declaration.
    Item,
    /// Lines of comments.
    Comment,
    /// Imports.
    Imports,
}

/// The parts of a file over several lines.
pub fn folds(file: &File) -> Vec<Fold> {
    let module = &file.main().module;
    let text = file.text();
    let mut folds = vec![];
    let comments = module.comments.iter().map(|it| (it.span.range(), FoldKind::Comment));
    let items = module.items.iter().filter_map(|item| match item.kind {
        ItemKind::Import(_) => Some((item.span.range(), FoldKind::Imports)),
        ItemKind::Type(_) | ItemKind::Def(_) => Some((item.span.range(), FoldKind::Item)),
        ItemKind::Error => None,
    });
    let mut last: Option<(Range<usize>, FoldKind)> = None;
    for (range, kind) in comments.chain(items) {
        if let Some((before, known)) = &mut last
            && *known == kind
            && kind != FoldKind::Item
            && joins(text, before.end..range.start)
        {
            before.end = range.end;
            continue;
        }
        folds.extend(last.replace((range, kind)));
    }
    folds.extend(last);
    folds.retain(|(range, _)| text[range.clone()].contains('\n'));
    folds.sort_by_key(|(range, _)| range.start);
    folds.into_iter().map(|(range, kind)| Fold { range, kind }).collect()
}

/// Whether what stands between two parts is one line break.
fn joins(text: &str, between: Range<usize>) -> bool {
    text.get(between).is_some_and(|it| it.trim().is_empty() && it.matches('\n').count() == 1)
}
