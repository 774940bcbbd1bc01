//! What a module says of itself: its header, its definitions with their comments, and their expectations.
//!
//! Input: the text of a module. Output: a [`Module`]. Types are those of the signature as it is written; a
//! definition of a user's file without a whole signature has its inferred type.

use std::path::Path;

use pullback_base::FileId;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Query, Stop};
use pullback_syntax::ast::{self, CommentKind, Def, Item, ItemKind, TypeBody};
use pullback_types::show_scheme;

/// How many lines that mention a definition stand for examples of its own.
const MENTIONS: usize = 3;

/// A module of the reference.
pub struct Module {
    /// The stem of its file.
    pub name: String,
    /// Its header, in lines without comment marks.
    pub about: String,
    /// Whether its definitions are in scope without an import.
    pub in_scope: bool,
    /// What it defines, in the order of the text.
    pub entries: Vec<Entry>,
}

/// A definition or type of the reference.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The heading it is the first one under.
    pub section: Option<String>,
    /// Its signature, or its declaration if it is a type.
    pub head: String,
    /// Its comment, in lines without comment marks.
    pub comment: String,
    /// Its expectations, without marks.
    pub examples: Vec<String>,
    /// The constructors of a type.
    pub constructors: Vec<String>,
}

impl Module {
    /// The entry of this name, or the type with this constructor.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let named = self.entries.iter().find(|entry| entry.name == name);
        named.or_else(|| {
            self.entries.iter().find(|entry| entry.constructors.iter().any(|it| it == name))
        })
    }
}

/// The documented part of a module of the library.
pub fn embedded(name: &str, text: &str) -> Module {
    let tree = pullback_syntax::parse(text, FileId(0)).module;
    let mut module = read(name, text, &tree, &mut |def| head(text, def));
    module.in_scope = name == "prelude";
    // A heading whose first definition has no comment goes to the next one that has.
    let mut heading = None;
    for entry in &mut module.entries {
        heading = entry.section.take().or(heading);
        if !entry.comment.is_empty() {
            entry.section = heading.take();
        }
    }
    module.entries.retain(|entry| !entry.comment.is_empty());
    module
}

/// All of a user's file.
pub fn file(query: &mut Query<'_>, path: &Path) -> Result<Module, Stop> {
    let modules = load(query, path)?;
    let inferred = typed(query, &modules);
    query.stop_on_errors()?;
    let main = modules.main();
    let text = query.sources.text(main.file);
    let mut type_of = |def: &Def| {
        if signed(def) {
            return head(text, def);
        }
        let name = def.name.node.as_str();
        match inferred.global(name) {
            Some((id, _)) => format!("def {name}: {}", show_scheme(inferred.typed(), id)),
            None => head(text, def),
        }
    };
    Ok(read(main.name.as_str(), text, &main.module, &mut type_of))
}

/// Whether a definition has its whole type written beside it.
fn signed(def: &Def) -> bool {
    def.result.is_some() && def.params.iter().all(|param| param.ty.is_some())
}

/// The text of a definition up to its result type, or to its last parameter or its name.
fn head(text: &str, def: &Def) -> String {
    let last = def.params.last().map(|param| param.pattern.span);
    let end = def.result.as_ref().map(|ty| ty.span).or(last).unwrap_or(def.name.span);
    text[def.span.lo as usize..end.hi as usize].to_owned()
}

fn read(
    name: &str,
    text: &str,
    tree: &ast::Module,
    head_of: &mut dyn FnMut(&Def) -> String,
) -> Module {
    let lines: Vec<&str> = tree
        .comments
        .iter()
        .filter(|comment| comment.kind == CommentKind::Expectation)
        .map(|comment| text[comment.span.range()][3..].trim())
        .filter(|line| !line.starts_with("engines "))
        .collect();
    let mut entries = vec![];
    let mut from = 0;
    for item in &tree.items {
        let (name, head, constructors) = match &item.kind {
            ItemKind::Import(_) | ItemKind::Error => continue,
            ItemKind::Type(declaration) => {
                let constructors = match &declaration.body {
                    TypeBody::Alias(_) => vec![],
                    TypeBody::Sum(all) => all.iter().map(|it| it.name.node.to_string()).collect(),
                };
                let head = text[item.span.range()].to_owned();
                (declaration.name.node.to_string(), head, constructors)
            }
            ItemKind::Def(def) => (def.name.node.to_string(), head_of(def), vec![]),
        };
        let above = comments_above(tree, item, from);
        let mut examples = own_examples(text, &above);
        if examples.is_empty() {
            let mentions = lines.iter().filter(|line| mentions(line, &name));
            examples = mentions.take(MENTIONS).map(|line| (*line).to_owned()).collect();
        }
        let section = section(text, &above);
        entries.push(Entry {
            name,
            section,
            head,
            comment: item.doc.clone(),
            examples,
            constructors,
        });
        from = item.span.hi;
    }
    Module { name: name.to_owned(), about: header(text), in_scope: false, entries }
}

/// The comments between the item before and this one.
fn comments_above<'t>(tree: &'t ast::Module, item: &Item, from: u32) -> Vec<&'t ast::Comment> {
    let between = from..item.span.lo;
    tree.comments.iter().filter(|comment| between.contains(&comment.span.lo)).collect()
}

/// The expectations below the documentation comment.
fn own_examples(text: &str, above: &[&ast::Comment]) -> Vec<String> {
    let Some(doc) = above.iter().rposition(|comment| comment.kind == CommentKind::Doc) else {
        return vec![];
    };
    above[doc..]
        .iter()
        .filter(|comment| comment.kind == CommentKind::Expectation)
        .map(|comment| text[comment.span.range()][3..].trim().to_owned())
        .collect()
}

/// Whether a line has this name as a word.
fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').any(|word| word == name)
}

/// The heading above an item: a plain comment below a rule of dashes.
fn section(text: &str, above: &[&ast::Comment]) -> Option<String> {
    let rule = above.iter().rposition(|comment| {
        let body = &text[comment.span.range()];
        body.len() > 10 && body.chars().skip(3).all(|c| c == '-')
    })?;
    let title = above.get(rule + 1)?;
    let plain = title.kind == CommentKind::Plain;
    plain.then(|| text[title.span.range()].trim_start_matches('-').trim().to_owned())
}

/// The comment lines that a file begins with.
fn header(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("--"));
    let plain = lines.take_while(|line| !line.starts_with('@') && !line.starts_with(" |"));
    let lines: Vec<&str> = plain
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .take_while(|line| !line.starts_with("---"))
        .collect();
    lines.join("\n").trim_end().to_owned()
}
