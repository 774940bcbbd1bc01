//! What each word of a file is, for colours that follow its meaning.
//!
//! Input: a file. Output: [`Token`]s in the order of the text, none of which covers a line break.

use std::collections::BTreeMap;
use std::ops::Range;

use pullback_syntax::ast::CommentKind;
use pullback_syntax::{Class, classes};
use pullback_types::{BoundBy, Occurrence};

use crate::file::File;
use crate::meaning::Meaning;
use crate::words::{is_function, scheme};

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A reserved word, or a truth value.
    Keyword,
    /// A local name.
    Variable,
    /// A definition that is no function.
    Constant,
    /// A function.
    Function,
    /// A type.
    Type,
    /// A type variable or a size.
    TypeParameter,
    /// A constructor.
    Constructor,
    /// A field of a record.
    Field,
    /// A module.
    Module,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An operator.
    Operator,
    /// A comment.
    Comment,
}

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it stands.
    pub range: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
    /// Whether it is declared here.
    pub declares: bool,
    /// Whether it comes with the language.
    pub of_library: bool,
    /// Whether it documents something.
    pub documents: bool,
}

/// The words of a file.
pub fn tokens(file: &File) -> Vec<Token> {
    let names: BTreeMap<usize, &Occurrence> =
        file.occurrences().iter().map(|it| (it.span.range().start, it)).collect();
    let mut tokens = vec![];
    for (range, class) in classes(file.text()) {
        if let Class::Comment(kind) = class {
            comment(file, range, kind, &names, &mut tokens);
            continue;
        }
        let known = names.get(&range.start).filter(|it| it.span.range() == range);
        let token = known.and_then(|it| named(file, it)).or_else(|| plain(range, class));
        tokens.extend(token);
    }
    tokens
}

fn token(range: Range<usize>, kind: TokenKind) -> Token {
    Token { range, kind, declares: false, of_library: false, documents: false }
}

/// A comment; of an expectation the words of its expressions, and the rest between them.
fn comment(
    file: &File,
    range: Range<usize>,
    kind: CommentKind,
    names: &BTreeMap<usize, &Occurrence>,
    tokens: &mut Vec<Token>,
) {
    let documents = kind == CommentKind::Doc;
    let mut at = range.start;
    for it in names.range(range.clone()).map(|(_, it)| it) {
        let Some(name) = named(file, it) else { continue };
        if name.range.start > at {
            tokens.push(Token { documents, ..token(at..name.range.start, TokenKind::Comment) });
        }
        at = name.range.end;
        tokens.push(name);
    }
    if at < range.end {
        tokens.push(Token { documents, ..token(at..range.end, TokenKind::Comment) });
    }
}

fn plain(range: Range<usize>, class: Class) -> Option<Token> {
    let kind = match class {
        Class::Keyword | Class::Truth => TokenKind::Keyword,
        Class::Number => TokenKind::Number,
        Class::Text => TokenKind::Text,
        Class::Operator => TokenKind::Operator,
        Class::Lower => TokenKind::Variable,
        Class::Upper => TokenKind::Type,
        Class::Punctuation | Class::Unknown | Class::Comment(_) => return None,
    };
    Some(token(range, kind))
}

fn named(file: &File, it: &Occurrence) -> Option<Token> {
    let meaning = file.meaning(it)?;
    let function = |is_function| {
        if is_function { TokenKind::Function } else { TokenKind::Constant }
    };
    let kind = match &meaning {
        Meaning::Local(number) => match file.local(*number).by {
            BoundBy::Size => TokenKind::TypeParameter,
            BoundBy::Definition => TokenKind::Function,
            BoundBy::Pattern | BoundBy::Field => TokenKind::Variable,
        },
        Meaning::Definition(_, def) => {
            let known = scheme(file, def).map(is_function);
            function(known.unwrap_or(!def.params.is_empty()))
        }
        Meaning::Type(..) => TokenKind::Type,
        Meaning::Constructor(..) => TokenKind::Constructor,
        Meaning::Module(_) => TokenKind::Module,
        Meaning::BuiltIn if it.name.starts_with(|c: char| c.is_ascii_uppercase()) => {
            TokenKind::Type
        }
        Meaning::BuiltIn => TokenKind::Function,
        Meaning::TypeVariable => TokenKind::TypeParameter,
        Meaning::Field => TokenKind::Field,
    };
    let of_library = match meaning {
        Meaning::BuiltIn => true,
        Meaning::Local(_)
        | Meaning::Definition(..)
        | Meaning::Type(..)
        | Meaning::Constructor(..)
        | Meaning::Module(_)
        | Meaning::TypeVariable
        | Meaning::Field => file.analysis.library.contains(&meaning.declared(file).file),
    };
    Some(Token { declares: it.declares, of_library, ..token(it.span.range(), kind) })
}
