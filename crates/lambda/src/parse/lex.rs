//! Tokens of the textual form of programs.

use std::rc::Rc;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A word.
    Name(String),
    /// A name in backquotes, which is never a word with a meaning.
    Quoted(String),
    /// A name with its number: `x.3`.
    Numbered(String, u32),
    /// A projection that follows its base directly: `.0` or `.w`.
    Part(String),
    /// A Real literal.
    Real(f64),
    /// An Int literal.
    Int(i64),
    /// A String literal.
    Str(Rc<str>),
    /// Punctuation.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and its byte range.
pub(super) type Placed = (Token, usize, usize);

/// Longer ones first where one begins another.
const SIGNS: [&str; 15] =
    ["->", "::", "\\", "(", ")", "[", "]", "{", "}", ",", ":", "=", "|", "<", "@"];

/// All tokens with their byte ranges, the last being [`Token::End`]; or what is wrong, and where.
pub(super) fn lex(text: &str) -> Result<Vec<Placed>, (String, usize)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if text[at..].starts_with("--") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let start = at;
        let token = token(text, &mut at).map_err(|why| (why, start))?;
        tokens.push((token, start, at));
    }
    tokens.push((Token::End, text.len(), text.len()));
    Ok(tokens)
}

fn token(text: &str, at: &mut usize) -> Result<Token, String> {
    let rest = &text[*at..];
    let first = rest.chars().next().unwrap_or(' ');
    let number = rest.strip_prefix('-').unwrap_or(rest);
    if number.starts_with(|c: char| c.is_ascii_digit()) || starts_with_word(rest, "-inf") {
        return lex_number(rest, at);
    }
    if first == '"' {
        return lex_quoted(rest, '"', at).map(|text| Token::Str(Rc::from(text)));
    }
    if first == '.' {
        *at += 1;
        let digits = prefix(&text[*at..], |c| c.is_ascii_digit());
        if !digits.is_empty() {
            *at += digits.len();
            return Ok(Token::Part(digits.to_string()));
        }
        return lex_name(&text[*at..], at).map(Token::Part);
    }
    if first == '`' || first == '_' || first.is_ascii_alphabetic() {
        let name = lex_name(rest, at)?;
        let digits = text[*at..].strip_prefix('.').map(|rest| prefix(rest, |c| c.is_ascii_digit()));
        return match digits {
            Some(digits) if !digits.is_empty() => {
                *at += 1 + digits.len();
                let number =
                    digits.parse().map_err(|_| format!("the number {digits} is too large"))?;
                Ok(Token::Numbered(name, number))
            }
            Some(_) | None if first == '`' => Ok(Token::Quoted(name)),
            Some(_) | None => Ok(word(name)),
        };
    }
    for sign in SIGNS {
        if rest.starts_with(sign) {
            *at += sign.len();
            return Ok(Token::Sign(sign));
        }
    }
    Err(format!("`{first}` has no meaning here"))
}

fn word(name: String) -> Token {
    match name.as_str() {
        "inf" => Token::Real(f64::INFINITY),
        "nan" => Token::Real(f64::NAN),
        _ => Token::Name(name),
    }
}

fn lex_number(rest: &str, at: &mut usize) -> Result<Token, String> {
    if starts_with_word(rest, "-inf") {
        *at += 4;
        return Ok(Token::Real(f64::NEG_INFINITY));
    }
    let mut previous = '-';
    let digits = prefix(rest, |c| {
        let sign = (c == '-' || c == '+') && (previous == 'e' || previous == '-');
        let part = c.is_ascii_digit() || c == '.' || c == 'e' || sign;
        previous = if c == '-' { ' ' } else { c };
        part
    });
    *at += digits.len();
    let token = if digits.contains(['.', 'e']) {
        digits.parse().ok().map(Token::Real)
    } else {
        digits.parse().ok().map(Token::Int)
    };
    token.ok_or_else(|| format!("`{digits}` is no number"))
}

fn lex_name(rest: &str, at: &mut usize) -> Result<String, String> {
    if rest.starts_with('`') {
        return lex_quoted(rest, '`', at);
    }
    let name = prefix(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
    *at += name.len();
    if name.is_empty() { Err("a name is missing".to_string()) } else { Ok(name.to_string()) }
}

/// Text between quotes, with its escapes resolved.
fn lex_quoted(rest: &str, quote: char, at: &mut usize) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        if c == quote {
            *at += index + c.len_utf8();
            return Ok(out);
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next().map(|(_, c)| c) {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let code: String =
                    chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                let c = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                out.push(c.ok_or_else(|| format!("`\\u{{{code}}}` is no character"))?);
            }
            Some(c) => out.push(c),
            None => break,
        }
    }
    Err(format!("the closing {quote} is missing"))
}

fn starts_with_word(rest: &str, word: &str) -> bool {
    let after = rest.strip_prefix(word);
    after.is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

fn prefix(text: &str, mut accept: impl FnMut(char) -> bool) -> &str {
    let end = text.find(|c| !accept(c)).unwrap_or(text.len());
    &text[..end]
}
