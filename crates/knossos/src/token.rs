//! Words, numbers, texts and brackets of a Knossos program.
//!
//! Input: a text. Output: its tokens with comments among them, and what is wrong with its characters. A literal is tried
//! before an identifier, so `-1` is a number and `-x` a name.

use pullback_base::{Diagnostic, FileId, Span};

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// `(` or `[`
    Open(char),
    /// `)` or `]`
    Close(char),
    /// A whole number.
    Int(i64),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// The text of a string, escapes taken apart.
    Str(String),
    /// A name.
    Word(String),
    /// A comment as it is written; whether it begins its line.
    Comment(String, bool),
}

/// Takes a text apart.
pub fn tokens(text: &str, file: FileId) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, file, at: 0, tokens: vec![], diagnostics: vec![] };
    while lexer.next() {}
    (lexer.tokens, lexer.diagnostics)
}

/// Whether a name may begin so.
pub fn begins_name(c: char) -> bool {
    c.is_alphabetic() || "_':!$%&*+.,/<=>?@\\^|-~".contains(c)
}

fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit()
}

struct Lexer<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    /// Takes a token; whether there may be more.
    fn next(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(c) = rest.chars().next() else { return false };
        let start = self.at;
        match c {
            _ if c.is_whitespace() => self.at += c.len_utf8(),
            '(' | '[' => self.single(TokenKind::Open(c)),
            ')' | ']' => self.single(TokenKind::Close(c)),
            ';' => {
                self.at += rest.find('\n').unwrap_or(rest.len());
                self.comment(start);
            }
            '#' if rest.starts_with("#|") => self.block(),
            '"' => self.string(),
            _ if continues_name(c) => self.word(),
            _ => {
                self.at += c.len_utf8();
                let diagnostic = Diagnostic::error(
                    "E0901",
                    self.span(start),
                    format!("`{c}` is not part of a Knossos program"),
                    "not understood",
                );
                self.diagnostics.push(diagnostic.hint("delete it"));
            }
        }
        true
    }
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }
    fn push(&mut self, start: usize, kind: TokenKind) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span });
    }
    fn single(&mut self, kind: TokenKind) {
        let start = self.at;
        self.at += 1;
        self.push(start, kind);
    }
    fn comment(&mut self, start: usize) {
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let is_alone = self.text[line..start].trim().is_empty();
        let text = self.text[start..self.at].trim_end().to_owned();
        self.push(start, TokenKind::Comment(text, is_alone));
    }
    /// A comment `#| … |#`, with others inside.
    fn block(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("#|") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("|#") {
                depth -= 1;
                self.at += 2;
            } else if let Some(c) = rest.chars().next() {
                self.at += c.len_utf8();
            } else {
                let open = Span::new(self.file, start, start + 2);
                let title = "this comment is never closed";
                let diagnostic = Diagnostic::error("E0901", open, title, "opened here");
                self.diagnostics.push(diagnostic.hint("close it with `|#`"));
                return;
            }
            if depth == 0 {
                return self.comment(start);
            }
        }
    }
    fn string(&mut self) {
        let start = self.at;
        let mut value = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else {
                let open = Span::new(self.file, start, start + 1);
                let title = "this string is never closed";
                let diagnostic = Diagnostic::error("E0901", open, title, "opened here");
                self.diagnostics.push(diagnostic.hint("close it with `\"`"));
                return;
            };
            match c {
                '"' => {
                    self.at += 1;
                    return self.push(start, TokenKind::Str(value));
                }
                '\\' => self.escape(&mut value),
                _ => {
                    value.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }
    /// An escape as Haskell has them: of a character, of a code, or of nothing (`\&`).
    fn escape(&mut self, value: &mut String) {
        let start = self.at;
        let rest = &self.text[start + 1..];
        let Some(c) = rest.chars().next() else {
            self.at = self.text.len();
            return;
        };
        let digits =
            |radix: u32, text: &str| text.chars().take(8).take_while(|c| c.is_digit(radix)).count();
        let code =
            |radix: u32, text: &str| u32::from_str_radix(text, radix).ok().and_then(char::from_u32);
        let (length, found) = match c {
            'n' => (1, Some('\n')),
            't' => (1, Some('\t')),
            'r' => (1, Some('\r')),
            'a' => (1, Some('\u{7}')),
            'b' => (1, Some('\u{8}')),
            'f' => (1, Some('\u{c}')),
            'v' => (1, Some('\u{b}')),
            '"' | '\\' | '\'' => (1, Some(c)),
            '&' => {
                self.at += 2;
                return;
            }
            'x' => {
                let count = digits(16, &rest[1..]);
                (1 + count, code(16, &rest[1..1 + count]))
            }
            '0'..='9' => {
                let count = digits(10, rest);
                (count, code(10, &rest[..count]))
            }
            _ => (c.len_utf8(), None),
        };
        self.at += 1 + length;
        match found {
            Some(found) => value.push(found),
            None => {
                let span = self.span(start);
                let title = "this escape means nothing";
                let diagnostic = Diagnostic::error("E0901", span, title, "in this string");
                self.diagnostics.push(diagnostic.hint(
                    "there are `\\n`, `\\t`, `\\\"`, `\\\\`, and codes as in `\\65` or `\\x41`",
                ));
            }
        }
    }
    fn word(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        let word = &self.text[start..self.at];
        let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return self.push(start, TokenKind::Word(word.to_owned()));
        }
        match number(word, unsigned) {
            Ok(kind) => self.push(start, kind),
            Err(title) => {
                let span = self.span(start);
                let diagnostic = Diagnostic::error("E0901", span, title, "this number");
                self.diagnostics.push(diagnostic.note(
                    "a whole number has at most 64 bits; a Float has a fraction or an exponent, as in `1.5` or `1e-9`",
                ));
            }
        }
    }
}

/// The number that a word is; else what is wrong with it.
fn number(word: &str, unsigned: &str) -> Result<TokenKind, &'static str> {
    let too_large = "this number is too large";
    let whole = |radix: u32, digits: &str| {
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err("this number is malformed");
        }
        let sign = if word.starts_with('-') { "-" } else { "" };
        i64::from_str_radix(&format!("{sign}{digits}"), radix)
            .map(TokenKind::Int)
            .map_err(|_| too_large)
    };
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return whole(16, digits);
    }
    if let Some(digits) = unsigned.strip_prefix("0o").or_else(|| unsigned.strip_prefix("0O")) {
        return whole(8, digits);
    }
    if unsigned.chars().all(|c| c.is_ascii_digit()) {
        return whole(10, unsigned);
    }
    let mantissa = unsigned.split(['e', 'E']).next().unwrap_or_default();
    let parts = mantissa.split('.').collect::<Vec<_>>();
    let are_digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if parts.len() > 2 || !parts.iter().all(are_digits) {
        return Err("this number is malformed");
    }
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(TokenKind::Float(value)),
        Ok(_) => Err(too_large),
        Err(_) => Err("this number is malformed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text, FileId(0)).0.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn literals_are_tried_before_names() {
        let word = |text: &str| TokenKind::Word(text.to_owned());
        assert_eq!(kinds("-1 - -x"), [TokenKind::Int(-1), word("-"), word("-x")]);
        assert_eq!(kinds("1e3 1.5"), [TokenKind::Float(1000.0), TokenKind::Float(1.5)]);
        assert_eq!(kinds("0x1F exp$Vec"), [TokenKind::Int(31), word("exp$Vec")]);
        for wrong in ["1.", "1abc", "1e", "1.2.3", "9223372036854775808", "1e999", "{"] {
            assert_eq!(tokens(wrong, FileId(0)).1.len(), 1, "{wrong}");
        }
    }

    #[test]
    fn comments_nest() {
        assert!(matches!(kinds("#| a #| b |# c |#")[..], [TokenKind::Comment(..)]));
        assert_eq!(tokens("#| a #| b |#", FileId(0)).1.len(), 1);
    }

    #[test]
    fn strings_have_the_escapes_of_haskell() {
        assert_eq!(kinds(r#""a\n\65\&1\x42""#), [TokenKind::Str("a\nA1B".to_owned())]);
    }
}
