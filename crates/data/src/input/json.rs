//! JSON text to a flat tape, without recursion: nesting of any depth is a tape of that length.
//!
//! Input: the text of one document. Output: a [`Tape`] whose entries lie in document order; each
//! entry knows its bytes and where the next sibling starts. The first mistake is a [`JsonError`].
//! Invariant: every container's children lie between it and its `next`, keys before their values.

use std::borrow::Cow;

use pullback_base::{Exceeded, Limits};
use pullback_eval::memory::Charge;

use super::Stopped;
use crate::bug::bug;

/// A parsed document. Entry 0 is the whole.
#[derive(Debug)]
pub struct Tape<'t> {
    text: &'t str,
    entries: Cow<'t, [Entry]>,
    held: Charge,
}

/// One value or key.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// The entry after this one and all it contains.
    pub next: u32,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number; its text is that of a JSON number.
    Number,
    /// A string, quotes included.
    Str,
    /// `[ … ]`
    List,
    /// `{ … }`: its children are keys (strings), each followed by its value.
    Object,
}

impl Kind {
    /// How messages call it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a truth value",
            Self::Number => "a number",
            Self::Str => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// Why a text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Where, in bytes.
    pub at: usize,
    /// What is wrong there.
    pub title: String,
    /// What to do, where that is clear.
    pub hint: Option<&'static str>,
}

impl From<JsonError> for Stopped<JsonError> {
    fn from(wrong: JsonError) -> Self {
        Self::Wrong(wrong)
    }
}

impl<'t> Tape<'t> {
    /// Parses one document. A byte order mark at the start is passed over.
    pub fn parse(text: &'t str, limits: &Limits) -> Result<Self, Stopped<JsonError>> {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (entries, held) = (Vec::new(), Charge::default());
        let mut parser = Parser { text, at, entries, open: Vec::new(), limits, held };
        parser.document()?;
        Ok(Self { text, entries: Cow::Owned(parser.entries), held: parser.held })
    }
    /// The tape of a text that has been parsed before, from its entries.
    pub fn of_entries(text: &'t str, entries: &'t [Entry]) -> Self {
        Self { text, entries: Cow::Borrowed(entries), held: Charge::default() }
    }
    /// What to keep of a tape whose text is kept elsewhere, and its place in the account of memory.
    pub fn into_entries(self) -> (Vec<Entry>, Charge) {
        (self.entries.into_owned(), self.held)
    }
    /// An entry.
    pub fn entry(&self, index: u32) -> Entry {
        self.entries[index as usize]
    }
    /// The bytes of an entry as written.
    pub fn slice(&self, index: u32) -> &'t str {
        let entry = self.entry(index);
        &self.text[entry.lo as usize..entry.hi as usize]
    }
    /// The content of a string entry.
    pub fn string(&self, index: u32) -> Cow<'t, str> {
        let quoted = self.slice(index);
        unescaped(&quoted[1..quoted.len() - 1])
    }
    /// The children of a list, or the values of an object with their keys in between.
    pub fn children(&self, index: u32) -> Children<'_, 't> {
        Children { tape: self, at: index + 1, end: self.entry(index).next }
    }
    /// The keys of an object with their values.
    pub fn fields(&self, index: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut children = self.children(index);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }
    /// Where in the document an entry stands, such as `$.alpha[3]`.
    pub fn path(&self, target: u32) -> String {
        let mut path = String::from("$");
        let mut at = 0;
        while at != target {
            let inside = |&child: &u32| (child..self.entry(child).next).contains(&target);
            if self.entry(at).kind == Kind::Object {
                let Some((key, value)) =
                    self.fields(at).find(|(key, value)| *key == target || inside(value))
                else {
                    break;
                };
                path.push('.');
                path.push_str(&self.string(key));
                if key == target {
                    break;
                }
                at = value;
            } else {
                let Some((position, child)) =
                    self.children(at).enumerate().find(|(_, child)| inside(child))
                else {
                    break;
                };
                path.push_str(&format!("[{position}]"));
                at = child;
            }
            // A path as long as the document helps nobody.
            if path.len() > 200 {
                path.push('…');
                break;
            }
        }
        path
    }
}

/// See [`Tape::children`].
#[derive(Clone)]
pub struct Children<'a, 't> {
    tape: &'a Tape<'t>,
    at: u32,
    end: u32,
}

impl Iterator for Children<'_, '_> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        (self.at < self.end).then(|| {
            let child = self.at;
            self.at = self.tape.entry(child).next;
            child
        })
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    entries: Vec<Entry>,
    /// The containers around the current place.
    open: Vec<u32>,
    limits: &'t Limits,
    /// The memory of the entries.
    held: Charge,
}

/// How many entries at least there is room for, before one value is read: a container and a key.
const AHEAD: usize = 4;

impl Parser<'_> {
    fn document(&mut self) -> Result<(), Stopped<JsonError>> {
        self.space();
        if self.at == self.text.len() {
            return Err(self.error("the file holds no JSON value").into());
        }
        loop {
            self.value()?;
            // Close what ends here; then either a comma leads to the next value or we are done.
            loop {
                self.space();
                let Some(&container) = self.open.last() else {
                    return Ok(self.end()?);
                };
                let is_object = self.entries[container as usize].kind == Kind::Object;
                let close = if is_object { b'}' } else { b']' };
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        self.space();
                        if self.peek() == Some(close) {
                            let hint = "JSON allows no comma after the last element";
                            return Err(self.error_hint("nothing follows this comma", hint).into());
                        }
                        if is_object {
                            self.key()?;
                        }
                        break;
                    }
                    Some(byte) if byte == close => {
                        self.at += 1;
                        self.close(container);
                    }
                    _ => {
                        let wanted = if is_object { "`,` or `}`" } else { "`,` or `]`" };
                        return Err(self.expected(wanted).into());
                    }
                }
            }
        }
    }
    fn end(&self) -> Result<(), JsonError> {
        if self.at < self.text.len() {
            return Err(self.error("there is more text after the JSON value"));
        }
        Ok(())
    }
    /// One scalar or empty container, or the openings of containers down to their first scalar.
    fn value(&mut self) -> Result<(), Stopped<JsonError>> {
        loop {
            self.make_room()?;
            self.space();
            let lo = self.at;
            match self.peek() {
                Some(b'[') => {
                    let container = self.start(Kind::List);
                    self.space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        self.close(container);
                        return Ok(());
                    }
                }
                Some(b'{') => {
                    let container = self.start(Kind::Object);
                    self.space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        self.close(container);
                        return Ok(());
                    }
                    self.key()?;
                }
                Some(b'"') => return Ok(self.string()?),
                Some(b'-' | b'0'..=b'9') => return Ok(self.number()?),
                _ => {
                    let kind = self.word()?;
                    self.push(kind, lo);
                    return Ok(());
                }
            }
        }
    }
    /// Makes room for the next entries, and looks at the clock every so often.
    fn make_room(&mut self) -> Result<(), Exceeded> {
        let length = self.entries.len();
        if self.entries.capacity() < length + AHEAD {
            let grown = (2 * length).max(1024);
            self.limits.check(grown * size_of::<Entry>())?;
            self.entries.reserve_exact(grown - length);
            self.held.set(self.entries.capacity() * size_of::<Entry>());
        } else if length.is_multiple_of(1 << 16) {
            self.limits.check(0)?;
        }
        Ok(())
    }
    fn start(&mut self, kind: Kind) -> u32 {
        let lo = self.at;
        self.at += 1;
        let index = self.push(kind, lo);
        self.open.push(index);
        index
    }
    fn close(&mut self, container: u32) {
        self.open.pop();
        let next = self.entries.len() as u32;
        let entry = &mut self.entries[container as usize];
        entry.hi = self.at as u32;
        entry.next = next;
    }
    fn push(&mut self, kind: Kind, lo: usize) -> u32 {
        let index = self.entries.len() as u32;
        self.entries.push(Entry { kind, lo: lo as u32, hi: self.at as u32, next: index + 1 });
        index
    }
    fn key(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in double quotes"));
        }
        self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:` after the key"));
        }
        self.at += 1;
        Ok(())
    }
    fn word(&mut self) -> Result<Kind, JsonError> {
        let rest = &self.text[self.at..];
        let words =
            [("null", Kind::Null), ("true", Kind::Bool(true)), ("false", Kind::Bool(false))];
        for (word, kind) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(kind);
            }
        }
        if ["NaN", "nan", "Infinity", "inf"].iter().any(|word| rest.starts_with(word)) {
            return Err(self.error_hint(
                "JSON has no such number",
                "write it as a string: \"NaN\", \"Infinity\" or \"-Infinity\"",
            ));
        }
        Err(self.expected("a JSON value"))
    }
    fn number(&mut self) -> Result<(), JsonError> {
        let lo = self.at;
        let mut cursor = self.at;
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        if bytes[cursor] == b'-' {
            cursor += 1;
        }
        let whole = digits(cursor);
        if whole == cursor {
            if self.text[cursor..].starts_with("Infinity") {
                return Err(self.error_hint("JSON has no such number", "write \"-Infinity\""));
            }
            return Err(self.error("a minus must be followed by a digit"));
        }
        if bytes[cursor] == b'0' && whole > cursor + 1 {
            return Err(self.error("a JSON number has no leading zeros"));
        }
        cursor = whole;
        if bytes.get(cursor) == Some(&b'.') {
            let fraction = digits(cursor + 1);
            if fraction == cursor + 1 {
                return Err(self.error("a decimal point must be followed by a digit"));
            }
            cursor = fraction;
        }
        if matches!(bytes.get(cursor), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(cursor + 1), Some(b'+' | b'-')));
            let exponent = digits(cursor + 1 + sign);
            if exponent == cursor + 1 + sign {
                return Err(self.error("an exponent needs a digit"));
            }
            cursor = exponent;
        }
        self.at = cursor;
        self.push(Kind::Number, lo);
        Ok(())
    }
    fn string(&mut self) -> Result<(), JsonError> {
        let lo = self.at;
        let bytes = self.text.as_bytes();
        let mut cursor = self.at + 1;
        loop {
            match bytes.get(cursor) {
                None => return Err(self.error("this string does not end")),
                Some(b'"') => break,
                Some(b'\\') => cursor += self.escape(cursor)?,
                Some(0..=0x1f) => {
                    self.at = cursor;
                    return Err(self.error_hint(
                        "a control character in a string",
                        "write line breaks as `\\n`",
                    ));
                }
                Some(_) => cursor += 1,
            }
        }
        self.at = cursor + 1;
        self.push(Kind::Str, lo);
        Ok(())
    }
    /// The length of the escape at `cursor`, which must be one of JSON's.
    fn escape(&mut self, cursor: usize) -> Result<usize, JsonError> {
        let rest = &self.text.as_bytes()[cursor + 1..];
        let unit = |from: usize| {
            let digits = rest.get(from..from + 4)?;
            let digits = digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)?;
            u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        let title = match (rest.first(), unit(1)) {
            (Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'), _) => return Ok(2),
            (Some(b'u'), Some(0xd800..=0xdfff)) => {
                // Characters beyond 16 bits are two units, the high one first.
                let low = if rest[5..].starts_with(b"\\u") { unit(7) } else { None };
                if let (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) = (unit(1), low) {
                    return Ok(12);
                }
                "half of a surrogate pair, which is no character"
            }
            (Some(b'u'), Some(_)) => return Ok(6),
            _ => "an escape that JSON does not know",
        };
        self.at = cursor;
        Err(self.error(title))
    }
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
    fn expected(&self, what: &str) -> JsonError {
        match self.text[self.at..].chars().next() {
            None => self.error(format!("the file ends where {what} should stand")),
            Some(found) => self.error(format!("expected {what}, found `{}`", found.escape_debug())),
        }
    }
    fn error(&self, title: impl Into<String>) -> JsonError {
        JsonError { at: self.at, title: title.into(), hint: None }
    }
    fn error_hint(&self, title: &str, hint: &'static str) -> JsonError {
        JsonError { hint: Some(hint), ..self.error(title) }
    }
}

/// Takes escapes apart; surrogates come in pairs.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        let unit = match chars.next() {
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let unit = u16::from_str_radix(&digits, 16);
                unit.unwrap_or_else(|_| bug("the tape has escapes as JSON writes them"))
            }
            Some('n') => u16::from(b'\n'),
            Some('t') => u16::from(b'\t'),
            Some('r') => u16::from(b'\r'),
            Some('b') => 8,
            Some('f') => 12,
            Some(other) => other as u16,
            None => bug("the tape has escapes as JSON writes them"),
        };
        units.push(unit);
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::super::no_limits;
    use super::*;

    fn parse(text: &str) -> Tape<'_> {
        Tape::parse(text, &no_limits()).unwrap()
    }

    fn fails(text: &str) -> String {
        let Err(Stopped::Wrong(error)) = Tape::parse(text, &no_limits()) else { panic!("{text}") };
        error.title
    }

    #[test]
    fn values_lie_in_document_order_with_paths() {
        let tape = parse(r#" {"a": [1, {"b": -2.5e3}], "\u00e9": null} "#);
        let kinds: Vec<Kind> = tape.entries.iter().map(|entry| entry.kind).collect();
        use Kind::{List, Null, Number, Object, Str};
        assert_eq!(kinds, [Object, Str, List, Number, Object, Str, Number, Str, Null]);
        assert_eq!(tape.path(6), "$.a[1].b");
        assert_eq!(tape.slice(6), "-2.5e3");
        assert_eq!(tape.string(7), "é");
        assert_eq!(tape.fields(0).map(|(_, value)| value).collect::<Vec<_>>(), [2, 8]);
    }

    #[test]
    fn nesting_is_bounded_by_memory_only() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(parse(&deep).entries.len(), 1_000_000);
        assert!(fails(&"[".repeat(1_000_000)).contains("ends where"));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("", "no JSON value"),
            ("{\"a\" 1}", "`:` after the key"),
            ("[1,]", "nothing follows"),
            ("[1 2]", "`,` or `]`"),
            ("{a: 1}", "a key in double quotes"),
            ("01", "leading zeros"),
            ("1. ", "decimal point"),
            ("1e", "exponent"),
            ("-", "minus"),
            ("NaN", "no such number"),
            ("\"ab", "does not end"),
            ("\"\\x\"", "escape"),
            ("\"a\nb\"", "control character"),
            ("1 2", "more text"),
            ("[1", "ends where `,` or `]`"),
            ("truth", "a JSON value"),
        ] {
            let title = fails(text);
            assert!(title.contains(part), "{text:?}: {title}");
        }
    }

    #[test]
    fn surrogates_join_and_halves_are_refused() {
        assert_eq!(parse(r#""\ud83d\ude00""#).string(0), "😀");
        for half in
            [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\n", r"\ud83d\ud83d", r"\ude00\ud83d"]
        {
            assert!(fails(&format!("\"{half}\"")).contains("half"), "{half}");
        }
        assert_eq!(fails(r#""\ud83""#), "an escape that JSON does not know");
    }

    #[test]
    fn reading_stops_at_the_limits() {
        let text = format!("[{}0]", "0,".repeat(300_000));
        let memory = Limits { max_memory: 1 << 20, ..no_limits() };
        assert_eq!(Tape::parse(&text, &memory).unwrap_err(), Stopped::Exceeded(Exceeded::Memory));
        let time = Limits { timeout: Some(std::time::Duration::ZERO), ..no_limits() };
        assert_eq!(Tape::parse(&text, &time).unwrap_err(), Stopped::Exceeded(Exceeded::Time));
        let before = pullback_eval::memory::live();
        let tape = parse(&text);
        assert!(pullback_eval::memory::live() - before >= 300_000 * size_of::<Entry>());
        drop(tape);
        assert_eq!(pullback_eval::memory::live(), before);
    }
}
