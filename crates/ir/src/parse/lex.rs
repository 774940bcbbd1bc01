//! Lexer of the textual form of programs.
//!
//! Input: text. Output: tokens with their byte ranges, the last being the end; or what is wrong, and where. White space
//! and comments, which begin with `--`, are skipped.

use logos::Logos;

/// The kind of a token; its text is that of its byte range.
#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n]+")]
#[logos(skip(r"--[^\n]*", allow_greedy = true))]
pub(super) enum Token {
    /// A word.
    #[regex(r"[A-Za-z_][A-Za-z0-9_']*")]
    Word,
    /// A name, which may stand in backquotes, with its number: `x.3`.
    #[regex(r"([A-Za-z_][A-Za-z0-9_']*|`([^`\\]|\\[^\n])*`)\.[0-9]+")]
    Numbered,
    /// A Real literal that is no word.
    #[regex(r"-?[0-9]+(\.[0-9]+(e[+-]?[0-9]+)?|e[+-]?[0-9]+)|-inf")]
    Real,
    /// An Int literal.
    #[regex(r"-?[0-9]+")]
    Int,
    /// A String literal.
    #[regex(r#""([^"\\]|\\[^\n])*""#)]
    Str,
    /// Punctuation.
    #[regex(r"->|=>|\+=|[()\[\]{},:=|<@]")]
    Sign,
    /// The end of the text.
    End,
}

/// A token and its byte range.
pub(super) type Placed = (Token, usize, usize);

/// All tokens with their byte ranges, the last being [`Token::End`]; or what is wrong, and where.
pub(super) fn lex(text: &str) -> Result<Vec<Placed>, (String, usize, usize)> {
    let mut tokens = Vec::new();
    for (token, range) in Token::lexer(text).spanned() {
        let Ok(token) = token else {
            let first = text[range.start..].chars().next().unwrap_or(' ');
            let why = match first {
                '"' => "the closing \" is missing".to_string(),
                '`' => "a name in backquotes ends with a backquote and its number".to_string(),
                first => format!("`{first}` has no meaning here"),
            };
            return Err((why, range.start, range.start + first.len_utf8()));
        };
        tokens.push((token, range.start, range.end));
    }
    tokens.push((Token::End, text.len(), text.len()));
    Ok(tokens)
}

/// Text between quotes with its escapes resolved; the quotes are the first and last character.
pub(super) fn unescape(quoted: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = quoted.chars().skip(1).peekable();
    while let Some(c) = chars.next() {
        if chars.peek().is_none() {
            break;
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let c = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                out.push(c.ok_or_else(|| format!("`\\u{{{code}}}` is no character"))?);
            }
            Some(c) => out.push(c),
            None => break,
        }
    }
    Ok(out)
}
