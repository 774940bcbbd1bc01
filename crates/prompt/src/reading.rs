//! What kind of line one is, and whether it goes on.

use pullback_base::{FileId, Span};
use pullback_syntax::ast::ItemKind;
use pullback_syntax::{Class, classes, parse, parse_expr};

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'l> {
    /// Nothing but white space and comments.
    Empty,
    /// `:name rest`
    Command(&'l str, &'l str),
    /// Definitions, types and imports.
    Items,
    /// Anything else.
    Expression,
}

/// What kind of line one is.
pub fn line(text: &str) -> Line<'_> {
    let text = text.trim();
    if let Some(command) = text.strip_prefix(':') {
        let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        return Line::Command(name, rest.trim());
    }
    let mut pieces = classes(text).into_iter();
    let first = pieces.find(|(_, class)| !matches!(class, Class::Comment(_)));
    match first.map(|(range, class)| (&text[range], class)) {
        None => Line::Empty,
        Some(("def" | "type" | "import", Class::Keyword)) => Line::Items,
        Some(_) => Line::Expression,
    }
}

/// Whether a line is a beginning that goes on: what is wrong with it is that it ends.
pub fn goes_on(text: &str) -> bool {
    // Places are looked at, and a place in no file is none.
    let file = FileId(0);
    let found = match line(text) {
        Line::Empty | Line::Command(..) => return false,
        Line::Items => parse(text, file).diagnostics,
        Line::Expression => parse_expr(text, file).1,
    };
    let end = text.trim_end().len();
    found.iter().filter(|it| it.is_error()).any(|it| {
        let at_end = it.labels.iter().any(|label| label.span.range().start >= end);
        it.code == "E0115"
            || it.title.contains("the end of the text")
            || (it.code == "E0107" && at_end)
            || (it.code == "E0127" && text[..end].ends_with("with"))
    })
}

/// The names that a text of items declares, with whether each is a type.
pub fn declared(text: &str) -> Vec<(String, bool)> {
    let items = parse(text, Span::NONE.file).module.items;
    let names = items.into_iter().filter_map(|item| match item.kind {
        ItemKind::Def(def) => Some((def.name.node.to_string(), false)),
        ItemKind::Type(decl) => Some((decl.name.node.to_string(), true)),
        ItemKind::Import(_) | ItemKind::Error => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(line("  :type f x "), Line::Command("type", "f x"));
        assert_eq!(line(":quit"), Line::Command("quit", ""));
        assert_eq!(line("def f = 1"), Line::Items);
        assert_eq!(line("defy"), Line::Expression);
        assert_eq!(line("-- nothing"), Line::Empty);
    }

    #[test]
    fn a_beginning_goes_on() {
        for text in
            ["def f (x: Real) =", "f (1.0,", "let x = 1 in", "if true then 1", "match x with"]
        {
            assert!(goes_on(text), "{text}");
        }
        for text in ["def f = 1", "f x", "f )", "", ":type f (", "let x = in 2"] {
            assert!(!goes_on(text), "{text}");
        }
    }
}
