//! The kinds of token, and how messages call them.
//!
//! Input: nothing. Output: [`TokenKind`] (the `logos` scanner is derived here) and [`Token`].
//! Invariant: every byte of a text is white space, a comment or part of exactly one token.

use logos::Logos;

use crate::ast::{Arithmetic, BinaryOp, NumberSide};
use crate::scan::{self, Found};

/// What a token is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(extras = Vec<Found>)]
#[logos(skip r"[ \t\r\n\u{c}]+")]
pub(crate) enum TokenKind {
    #[token("def")]
    Def,
    #[token("type")]
    Type,
    #[token("import")]
    Import,
    #[token("as")]
    As,
    #[token("let")]
    Let,
    #[token("rec")]
    Rec,
    #[token("and")]
    And,
    #[token("in")]
    In,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("match")]
    Match,
    #[token("with")]
    With,
    #[token("for")]
    For,
    #[token("loop")]
    Loop,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("true")]
    True,
    #[token("false")]
    False,

    /// A variable or a type variable.
    #[regex(r"[a-z_][A-Za-z0-9_']*", priority = 3)]
    Lower,
    /// A type or a constructor.
    #[regex(r"[A-Z][A-Za-z0-9_']*")]
    Upper,
    #[token("_", priority = 10)]
    Underscore,
    #[regex(r"[0-9]", scan::number)]
    Int,
    /// Never scanned directly: [`scan::number`] decides.
    Real,
    #[token("\"", scan::string)]
    Str,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token("=")]
    Eq,
    #[token("->")]
    Arrow,
    #[token("<-")]
    LArrow,
    #[token("\\")]
    Backslash,
    #[token("|")]
    Bar,

    #[token("|>")]
    Pipe,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("==")]
    EqEq,
    #[token("!=")]
    NotEq,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("++")]
    PlusPlus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("+.")]
    PlusDot,
    #[token("-.")]
    MinusDot,
    #[token("*.")]
    StarDot,
    #[token("/.")]
    SlashDot,
    #[token("^.")]
    CaretDot,
    #[token(".+")]
    DotPlus,
    #[token(".-")]
    DotMinus,
    #[token(".*")]
    DotStar,
    #[token("./")]
    DotSlash,
    #[token(".^")]
    DotCaret,
    #[token("@")]
    At,
    #[token("^")]
    Caret,

    /// Punctuation of other languages; the parser says what to write instead.
    #[token(";")]
    Semi,
    #[token(":=")]
    ColonEq,
    #[token("=>")]
    FatArrow,
    #[token("!")]
    Bang,
    /// Two colons of a slice that stand together; elsewhere of another language.
    #[token("::")]
    ColonColon,
    #[token("**")]
    #[token("<>")]
    #[token("/=")]
    #[token("===")]
    #[token("!==")]
    #[token("&")]
    #[token("$")]
    #[token("..")]
    #[token("~=")]
    #[token("<|")]
    #[token(">>")]
    #[token("<<")]
    #[token("+=")]
    #[token("-=")]
    #[token("*=")]
    #[token("<$>")]
    Foreign,

    /// `-- …`; goes to the side list.
    #[token("--", scan::comment)]
    Comment,
    /// A comment of another language, already reported.
    #[token("//", scan::line_comment)]
    #[token("#", scan::line_comment)]
    #[token("/*", scan::block_comment)]
    ForeignComment,
    /// Characters that mean nothing, already reported; stands for any name, value, pattern or type.
    /// A terminal's control sequence is one mistake, not one of its escape and others of its rest.
    #[regex(r"\x1b\[[0-9;]*[A-Za-z]")]
    Bad,
    /// The end of the text.
    Eof,
}

/// A token and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Token {
    /// The bytes it covers.
    pub fn range(self) -> std::ops::Range<usize> {
        self.lo as usize..self.hi as usize
    }
}

impl TokenKind {
    /// Whether a top-level item starts with it.
    pub fn starts_item(self) -> bool {
        matches!(self, Self::Def | Self::Type | Self::Import)
    }
    /// Whether it is a reserved word.
    pub fn is_keyword(self) -> bool {
        (self as u8) <= (Self::False as u8)
    }
    /// The bracket that closes this one.
    pub fn closer(self) -> Option<Self> {
        if self == Self::LParen {
            Some(Self::RParen)
        } else if self == Self::LBracket {
            Some(Self::RBracket)
        } else if self == Self::LBrace {
            Some(Self::RBrace)
        } else {
            None
        }
    }
    /// Whether it is a literal.
    pub fn is_literal(self) -> bool {
        matches!(self, Self::Int | Self::Real | Self::Str | Self::True | Self::False)
    }
    /// Whether it closes a bracket.
    pub fn is_closer(self) -> bool {
        matches!(self, Self::RParen | Self::RBracket | Self::RBrace)
    }
    /// The binary operator it spells. (Powers and unary minus are the parser's.)
    pub fn binary(self) -> Option<BinaryOp> {
        OPERATORS.iter().find(|(kind, _)| *kind == self).map(|(_, op)| *op)
    }
}

const OPERATORS: [(TokenKind, BinaryOp); 27] = [
    (TokenKind::Pipe, BinaryOp::Pipe),
    (TokenKind::OrOr, BinaryOp::Or),
    (TokenKind::AndAnd, BinaryOp::And),
    (TokenKind::EqEq, BinaryOp::Eq),
    (TokenKind::NotEq, BinaryOp::Ne),
    (TokenKind::Lt, BinaryOp::Lt),
    (TokenKind::Le, BinaryOp::Le),
    (TokenKind::Gt, BinaryOp::Gt),
    (TokenKind::Ge, BinaryOp::Ge),
    (TokenKind::Plus, BinaryOp::Add),
    (TokenKind::Minus, BinaryOp::Sub),
    (TokenKind::PlusPlus, BinaryOp::Join),
    (TokenKind::Star, BinaryOp::Mul),
    (TokenKind::Slash, BinaryOp::Div),
    (TokenKind::Percent, BinaryOp::Rem),
    (TokenKind::PlusDot, BinaryOp::Dotted(NumberSide::Left, Arithmetic::Add)),
    (TokenKind::MinusDot, BinaryOp::Dotted(NumberSide::Left, Arithmetic::Sub)),
    (TokenKind::StarDot, BinaryOp::Dotted(NumberSide::Left, Arithmetic::Mul)),
    (TokenKind::SlashDot, BinaryOp::Dotted(NumberSide::Left, Arithmetic::Div)),
    (TokenKind::CaretDot, BinaryOp::Dotted(NumberSide::Left, Arithmetic::Pow)),
    (TokenKind::DotPlus, BinaryOp::Dotted(NumberSide::Right, Arithmetic::Add)),
    (TokenKind::DotMinus, BinaryOp::Dotted(NumberSide::Right, Arithmetic::Sub)),
    (TokenKind::DotStar, BinaryOp::Dotted(NumberSide::Right, Arithmetic::Mul)),
    (TokenKind::DotSlash, BinaryOp::Dotted(NumberSide::Right, Arithmetic::Div)),
    (TokenKind::DotCaret, BinaryOp::Dotted(NumberSide::Right, Arithmetic::Pow)),
    (TokenKind::At, BinaryOp::MatMul),
    (TokenKind::Caret, BinaryOp::Pow),
];
