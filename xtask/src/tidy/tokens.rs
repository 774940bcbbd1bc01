//! The words of a Rust source, without comments and text.

use proc_macro2::{Delimiter, LexError, TokenStream, TokenTree};

/// A word or sign.
#[derive(Debug)]
pub struct Token {
    /// How it is written. Of the signs of several characters only `::` is one token.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Token {
    /// Whether it is a name or keyword.
    pub fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The tokens of a source. Literals are `"`, and lifetimes and the `$` of macros are left out.
pub fn read(text: &str) -> Result<Vec<Token>, LexError> {
    let mut tokens = vec![];
    flatten(text.parse()?, &mut tokens);
    Ok(tokens)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        let text = match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(Token { text: open.to_owned(), line });
                flatten(group.stream(), tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { text: close.to_owned(), line });
                continue;
            }
            TokenTree::Ident(name) => name.to_string(),
            TokenTree::Literal(_) => "\"".to_owned(),
            TokenTree::Punct(sign) => match sign.as_char() {
                '\'' => {
                    trees.next();
                    continue;
                }
                '$' => continue,
                ':' if trees.next_if(is_colon).is_some() => "::".to_owned(),
                sign => sign.to_string(),
            },
        };
        tokens.push(Token { text, line });
    }
}

fn is_colon(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Punct(sign) if sign.as_char() == ':')
}

/// Removes each item behind `#[cfg(test)]`.
pub fn remove_tests(tokens: &mut Vec<Token>) {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let is_mark =
        |window: &[Token]| window.iter().zip(MARK).all(|(token, mark)| token.text == mark);
    while let Some(start) = tokens.windows(MARK.len()).position(is_mark) {
        let end = end_of_item(tokens, start + MARK.len());
        tokens.drain(start..end);
    }
}

/// The end of an item: behind its `;` or its body.
fn end_of_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && ["}", ";"].contains(&token.text.as_str()) {
            break;
        }
    }
    at
}
