//! Text under construction, which knows how tightly it holds together and which place of the program it comes from.

use std::ops::Range;

use pullback_base::Span;

/// How tightly an expression holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A name, a literal, or something in brackets.
    Atom,
    /// An application.
    App,
    /// Anything.
    Open,
}

/// A piece of code.
#[derive(Clone, Debug)]
pub struct Code {
    pieces: Vec<Piece>,
    level: Level,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Enter(Span),
    Leave,
}

impl Code {
    /// A name or a literal.
    pub fn atom(text: impl Into<String>) -> Self {
        Self { pieces: vec![Piece::Text(text.into())], level: Level::Atom }
    }
    /// Pieces after each other.
    pub fn of(level: Level, parts: Vec<Self>) -> Self {
        Self { pieces: parts.into_iter().flat_map(|part| part.pieces).collect(), level }
    }
    /// As an argument of an application.
    pub fn arg(&self) -> Self {
        if self.level == Level::Atom { self.clone() } else { self.in_parens() }
    }
    /// As an operand of an operator.
    pub fn operand(&self) -> Self {
        if self.level <= Level::App { self.clone() } else { self.in_parens() }
    }
    /// Whether it is one name or literal.
    pub fn is_word(&self) -> bool {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Enter(_) | Piece::Leave => None,
        });
        let text = texts.collect::<String>();
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_'.\"".contains(c))
    }
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(text) if text.is_empty()))
    }
    fn in_parens(&self) -> Self {
        Self::of(Level::Atom, vec![Self::atom("("), self.clone(), Self::atom(")")])
    }
    /// The same, with the place of the program that it comes from.
    pub fn at(mut self, span: Span) -> Self {
        self.pieces.insert(0, Piece::Enter(span));
        self.pieces.push(Piece::Leave);
        self
    }
    /// How tightly it holds together.
    pub fn with_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}

/// An application.
pub fn app(text: impl Into<String>) -> Code {
    Code::atom(text).with_level(Level::App)
}

/// Any text.
pub fn open(text: impl Into<String>) -> Code {
    Code::atom(text).with_level(Level::Open)
}

/// A tuple; of one it is the thing itself.
pub fn tuple(items: &[Code]) -> Code {
    match items {
        [] => Code::atom("()"),
        [only] => only.clone(),
        [first, rest @ ..] => {
            let mut parts = vec![Code::atom("("), first.clone()];
            for item in rest {
                parts.extend([Code::atom(", "), item.clone()]);
            }
            parts.push(Code::atom(")"));
            Code::of(Level::Atom, parts)
        }
    }
}

/// What can be a part of code.
pub trait Part {
    /// As code.
    fn code(self) -> Code;
}

impl Part for Code {
    fn code(self) -> Code {
        self
    }
}

impl Part for &Code {
    fn code(self) -> Code {
        self.clone()
    }
}

impl Part for &str {
    fn code(self) -> Code {
        Code::atom(self)
    }
}

impl Part for String {
    fn code(self) -> Code {
        Code::atom(self)
    }
}

impl Part for &String {
    fn code(self) -> Code {
        Code::atom(self)
    }
}

/// Code of a level, made of parts.
macro_rules! cat {
    ($level:ident; $($part:expr),+ $(,)?) => {
        $crate::emit::code::Code::of(
            $crate::emit::code::Level::$level,
            vec![$($crate::emit::code::Part::code($part)),+],
        )
    };
}
pub(super) use cat;

/// A value under a condition.
pub fn asserted(condition: Code, value: Code, span: Span) -> Code {
    let fails = app("error \"an assertion does not hold\"").at(span);
    cat![Open; "if ", condition, " then ", value, " else ", fails]
}

/// Finished text.
#[derive(Default)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Which of its bytes come from where.
    pub marks: Vec<(Range<usize>, Span)>,
}

impl Text {
    /// Adds code at the end.
    pub fn add(&mut self, code: &Code) {
        let mut entered = vec![];
        for piece in &code.pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Enter(span) => {
                    entered.push(self.marks.len());
                    self.marks.push((self.text.len()..self.text.len(), *span));
                }
                Piece::Leave => {
                    if let Some(at) = entered.pop() {
                        self.marks[at].0.end = self.text.len();
                    }
                }
            }
        }
    }
}
