//! Tokens to tree. Total: any text gives a tree, with `Error` nodes where it is wrong.
//!
//! Input: a text and its file. Output: [`Parse`]. Invariants: node ids are dense and a parent's id
//! is greater than its children's; no tree is higher than [`MAX_DEPTH`]; time is linear.
//!
//! ```text
//! module   = { item } ;
//! item     = "import" STRING [ "as" lower ]
//!          | "type" Upper { "[" lower "]" } { lower } "=" ( sum | type )
//!          | "def" function ;
//! function = lower { "[" lower "]" } { param } [ ":" type ] "=" expr ;
//! sum      = [ "|" ] con { "|" con } ;            (one `con` without `|` is read as a type)
//! con      = Upper { type_atom } ;
//!
//! type     = type_arg [ "->" type ] ;
//! type_arg = "[" [ expr ] "]" type_arg | path { "[" expr "]" } { type_atom } | type_atom ;
//! type_atom= lower | path | "[" [ expr ] "]" type_atom | "(" [ type { "," type } ] ")"
//!          | "{" [ lower ":" type { "," lower ":" type } ] "}" ;
//! path     = [ lower "." ] Upper ;
//!            (after a type's name, `[n]` is a size argument unless it touches what follows:
//!             `Net [n] a` has a size and a type argument, `List [n]a` one argument, an array)
//!
//! pattern  = pattern_con { "as" lower } ;
//! pattern_con  = path { pattern_atom } | pattern_atom ;
//! pattern_atom = "_" | lower | path | literal | "-" number | "(" [ pattern { "," pattern } ] ")"
//!          | "(" pattern ":" type ")" | "{" [ lower [ "=" pattern ] { "," … } ] "}" ;
//! param    = "_" | lower | "(" pattern ":" type ")" | other pattern_atom ;
//!
//! expr     = pipe { "with" place "=" pipe } ;
//! place    = ( [ "." ] lower | index ) { "." lower | index } ;
//! pipe     = or { "|>" or } ;
//! or       = and [ "||" or ] ;           and = comparison [ "&&" and ] ;
//! comparison = sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ] ;
//! sum      = product { ( "+" | "-" ) product } ;
//! product  = unary { ( "*" | "/" | "%" | "*." | "@" ) unary } ;
//! unary    = "-" unary | power ;         power = apply [ "^" unary ] ;
//! apply    = open | postfix { postfix } ;
//! postfix  = atom { "." lower | "." Upper | "." INT | index } ;
//! index    = "[" expr { "," expr } "]" | "[" [ expr ] ":" [ expr ] "]" ;    (touching what precedes)
//! atom     = lower | Upper | literal | "(" [ expr { "," expr } ] ")" | "(" expr ":" type ")"
//!          | "(" operator ")" | "{" [ lower "=" expr { "," … } ] "}"
//!          | "[" [ expr { "," expr } ] "]" | "[" expr "|" clause { "," clause } "]" ;
//! clause   = ( lower | "_" ) "<" sum | pattern "<-" expr ;
//! open     = "\" param { param } "->" expr
//!          | "if" expr "then" expr "else" expr
//!          | "match" pipe "with" [ "|" ] pattern "->" expr { "|" pattern "->" expr }
//!          | "let" pattern [ ":" type ] "=" expr "in" expr
//!          | "let" function "in" expr                              (with at least one parameter)
//!          | "let" "rec" function { "and" function } "in" expr
//!          | "loop" pattern [ ":" type ] "=" expr ( "for" lower "<" sum | "while" expr ) "do" expr ;
//! ```
//!
//! A comma may follow the last element of any bracketed list.

use pullback_base::{Diagnostic, FileId, Fix, Name, Span, Spanned};

use crate::ast::{
    Expr, ExprKind, Ident, MAX_DEPTH, MAX_PARTS, Module, Pattern, PatternKind, TypeExpr,
};
use crate::brackets::{self, NO_PARTNER};
use crate::errors::{self, MAX_DIAGNOSTICS, code};
use crate::height::Heights;
use crate::lexer;
use crate::token::{Token, TokenKind};
use crate::width;

/// What parsing a file gives.
#[derive(Clone, Debug)]
pub struct Parse {
    /// The tree, with `Error` nodes where the text is wrong.
    pub module: Module,
    /// What is wrong, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file.
pub fn parse(text: &str, file: FileId) -> Parse {
    let (mut parser, comments) = Parser::new(text, 0..text.len(), file);
    let items = parser.items(&comments);
    let node_count = parser.heights.len();
    Parse { module: Module { items, comments, node_count }, diagnostics: parser.finish() }
}

/// Parses a text that is one expression. Ids start at 0 and the root has the greatest.
pub fn parse_expr(text: &str, file: FileId) -> (Expr, Vec<Diagnostic>) {
    parse_expr_at(text, 0..text.len(), file)
}

/// Parses the part `range` of a file's text, which is one expression.
/// The range must lie on character boundaries; ids are as in [`parse_expr`].
pub fn parse_expr_at(
    text: &str,
    range: std::ops::Range<usize>,
    file: FileId,
) -> (Expr, Vec<Diagnostic>) {
    let (mut parser, _) = Parser::new(text, range, file);
    let expr = parser.expr_or_eq();
    parser.expect_end();
    (expr, parser.finish())
}

/// Parses a text that is one type. Ids (of its sizes) start at 0.
pub fn parse_type(text: &str, file: FileId) -> (TypeExpr, Vec<Diagnostic>) {
    parse_type_at(text, 0..text.len(), file)
}

/// Parses the part `range` of a file's text, which is one type.
/// The range must lie on character boundaries.
pub fn parse_type_at(
    text: &str,
    range: std::ops::Range<usize>,
    file: FileId,
) -> (TypeExpr, Vec<Diagnostic>) {
    let (mut parser, _) = Parser::new(text, range, file);
    let ty = parser.ty();
    parser.expect_end();
    (ty, parser.finish())
}

/// The parser's state; the grammar's rules are its methods, in `grammar/`.
pub(crate) struct Parser<'t> {
    pub text: &'t str,
    pub file: FileId,
    tokens: Vec<Token>,
    /// For each bracket, the token it pairs with.
    partner: Vec<u32>,
    pub pos: usize,
    /// How many rules that build a level of the tree are under way.
    depth: usize,
    heights: Heights,
    diagnostics: Vec<Diagnostic>,
    /// Where the lexer and the bracket pass found mistakes, in order.
    early: Vec<u32>,
    /// Where the parser found mistakes in this item.
    item_mistakes: Vec<u32>,
    /// Set by an error, cleared by the next token taken: one mistake gives one message.
    quiet: bool,
    /// A limit was hit; everything up to the next item is skipped in silence.
    skipping: bool,
    /// `and` continues a `let rec` here.
    pub in_rec: bool,
    /// A loop's head, outside of brackets in it: `checkpoint` may be its keyword here.
    pub in_head: bool,
    /// Whether the value of a `let` is being parsed, which another `let` ends.
    pub in_let: bool,
    /// Whether the innermost bracket is that of an index, where colons are of slices.
    pub in_index: bool,
    /// How many brackets are open here.
    pub brackets: usize,
    item_start: usize,
    /// The item that follows stands inside another whose body is missing.
    pub nested_item: bool,
    /// Something in the item has been reported that explains whatever is left over at its end.
    pub bad_in_item: bool,
}

impl<'t> Parser<'t> {
    fn new(
        text: &'t str,
        range: std::ops::Range<usize>,
        file: FileId,
    ) -> (Self, Vec<crate::ast::Comment>) {
        let lexed = lexer::lex(text, range, file);
        let (mut tokens, mut diagnostics) = (lexed.tokens, lexed.diagnostics);
        let partner = brackets::pair(&mut tokens, file, &mut diagnostics);
        let mut early: Vec<u32> = diagnostics.iter().map(|found| found.span().lo).collect();
        early.sort_unstable();
        let parser = Self {
            text,
            file,
            tokens,
            partner,
            pos: 0,
            depth: 0,
            heights: Heights::default(),
            diagnostics,
            early,
            item_mistakes: Vec::new(),
            quiet: false,
            skipping: false,
            in_rec: false,
            in_head: false,
            in_let: false,
            in_index: false,
            brackets: 0,
            item_start: 0,
            nested_item: false,
            bad_in_item: false,
        };
        (parser, lexed.comments)
    }
    fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span().lo);
        self.diagnostics.truncate(MAX_DIAGNOSTICS);
        self.diagnostics
    }

    // --- looking

    /// The kind of the token `ahead` tokens on.
    pub fn nth(&self, ahead: usize) -> TokenKind {
        self.token_at(self.pos + ahead).kind
    }
    pub fn token_at(&self, index: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[index.min(last)]
    }
    pub fn kind(&self) -> TokenKind {
        self.nth(0)
    }
    pub fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }
    /// Nothing of this item is left.
    pub fn at_item_end(&self) -> bool {
        self.at(TokenKind::Eof) || self.kind().starts_item()
    }
    pub fn token_text(&self, token: Token) -> &'t str {
        &self.text[token.range()]
    }
    pub fn current_text(&self) -> &'t str {
        self.token_text(self.token_at(self.pos))
    }
    pub fn span_of(&self, token: Token) -> Span {
        Span::new(self.file, token.lo as usize, token.hi as usize)
    }
    pub fn span(&self) -> Span {
        self.span_of(self.token_at(self.pos))
    }
    /// The token before the current one.
    pub fn previous(&self) -> Option<Token> {
        self.pos.checked_sub(1).map(|index| self.token_at(index))
    }
    /// The span of the token before the current one; of the text's start if there is none.
    pub fn previous_span(&self) -> Span {
        self.previous().map_or(Span::new(self.file, 0, 0), |token| self.span_of(token))
    }
    /// From token `start` to the last token taken.
    pub fn span_from(&self, start: usize) -> Span {
        let lo = self.token_at(start).lo as usize;
        Span::new(self.file, lo, (self.previous_span().hi as usize).max(lo))
    }
    /// Whether token `index` touches the one before it.
    pub fn is_tight(&self, index: usize) -> bool {
        index > 0 && self.token_at(index - 1).hi == self.token_at(index).lo
    }
    /// Whether token `index` is the first of its line.
    pub fn starts_line(&self, index: usize) -> bool {
        let lo = self.token_at(index).lo as usize;
        let before = index.checked_sub(1).map_or(0, |before| self.token_at(before).hi as usize);
        index == 0 || self.text[before.min(lo)..lo].contains('\n')
    }
    /// Whether token `index` stands at the very left.
    pub fn in_first_column(&self, index: usize) -> bool {
        let lo = self.token_at(index).lo as usize;
        lo == 0 || self.text.as_bytes()[lo - 1] == b'\n'
    }
    /// The partner of bracket `index`.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.partner.get(index).filter(|other| **other != NO_PARTNER).map(|other| *other as usize)
    }

    // --- taking

    /// Takes the current token.
    pub fn bump(&mut self) -> Token {
        let token = self.token_at(self.pos);
        if token.kind != TokenKind::Eof {
            self.pos += 1;
            self.quiet = false;
            self.bad_in_item |= token.kind == TokenKind::Bad;
        }
        token
    }
    pub fn eat(&mut self, kind: TokenKind) -> bool {
        let here = self.at(kind);
        if here {
            self.bump();
        }
        here
    }
    /// The current token as a name.
    pub fn ident(&mut self) -> Ident {
        let token = self.bump();
        Spanned { node: Name::new(self.token_text(token)), span: self.span_of(token) }
    }
    /// An empty name, for where one is missing.
    pub fn no_ident(&self) -> Ident {
        Spanned { node: Name::new("_"), span: self.span().start() }
    }

    // --- building

    pub fn make(&mut self, kind: ExprKind, span: Span) -> Expr {
        let height = self.heights.of_expr(&kind);
        if height > MAX_DEPTH {
            self.overflow(span);
            return Expr { id: self.heights.push(1), kind: ExprKind::Error, span };
        }
        let kind = if self.fits(width::of_expr(&kind), span) { kind } else { ExprKind::Error };
        Expr { id: self.heights.push(height), kind, span }
    }
    pub fn make_pattern(&mut self, kind: PatternKind, span: Span) -> Pattern {
        let height = self.heights.of_pattern(&kind);
        if height > MAX_DEPTH {
            self.overflow(span);
            return Pattern { id: self.heights.push(1), kind: PatternKind::Error, span };
        }
        let fits = self.fits(width::of_pattern(&kind), span);
        let kind = if fits { kind } else { PatternKind::Error };
        Pattern { id: self.heights.push(height), kind, span }
    }
    /// Whether a construct has no more parts than it may have; reports it otherwise.
    pub fn fits(&mut self, (count, what): width::Width, span: Span) -> bool {
        if count <= MAX_PARTS {
            return true;
        }
        self.report(errors::too_many(span, count, what));
        false
    }
    pub fn error_expr(&mut self) -> Expr {
        let span = self.span().start();
        self.make(ExprKind::Error, span)
    }
    pub fn error_pattern(&mut self) -> Pattern {
        let span = self.span().start();
        self.make_pattern(PatternKind::Error, span)
    }
    /// Replaces a definition's type that is too high, which only its height can tell.
    pub fn checked_ty(&mut self, ty: TypeExpr) -> TypeExpr {
        let deep = self.heights.ty(&ty) >= MAX_DEPTH;
        if deep {
            self.overflow(ty.span);
        } else if self.fits(width::of_type(&ty), ty.span) {
            return ty;
        }
        TypeExpr { kind: crate::ast::TypeExprKind::Error, span: ty.span }
    }
    /// Enters one level of the tree; false where that is one too many. Pairs with `leave`.
    pub fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            let span = self.span();
            self.overflow(span);
            return false;
        }
        self.depth += 1;
        true
    }
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
    /// Gives up this item: reports it once and skips to the next.
    fn overflow(&mut self, span: Span) {
        if !self.skipping {
            let item_lo = self.token_at(self.item_start).lo;
            // A forgotten bracket found in so deep an item says nothing more.
            self.diagnostics.retain(|found| {
                !(found.code == code::UNCLOSED
                    && found.span().lo >= item_lo
                    && found.span().lo <= span.hi)
            });
            self.diagnostics.push(errors::nested_too_deeply(span));
            self.item_mistakes.push(span.lo);
            self.skipping = true;
        }
        self.skip_to_item();
    }
    pub fn begin_item(&mut self) {
        self.item_start = self.pos;
        self.skipping = false;
        self.item_mistakes.clear();
        self.quiet = false;
        self.in_rec = false;
        self.in_head = false;
        self.in_let = false;
        self.in_index = false;
        self.bad_in_item = false;
        self.brackets = 0;
    }

    /// Where the first mistake of this item stands, if it has any; everything up to the current token
    /// belongs to it.
    pub fn first_mistake(&self) -> Option<u32> {
        let (lo, hi) = (self.token_at(self.item_start).lo, self.span().lo);
        let early = self.early.get(self.early.partition_point(|found| *found < lo)).copied();
        let early = early.filter(|found| *found < hi || self.at(TokenKind::Eof));
        self.item_mistakes.iter().copied().chain(early).min()
    }

    /// Whether there is a mistake between token `start` and the current one, in the item that is being read.
    pub fn is_mistaken_since(&self, start: usize) -> bool {
        let (lo, hi) = (self.token_at(start).lo, self.span().lo);
        let next = self.early.partition_point(|found| *found < lo);
        self.early.get(next).is_some_and(|found| *found < hi)
            || self.item_mistakes.iter().any(|found| (lo..hi).contains(found))
    }

    // --- mistakes

    /// Reports a mistake, unless it follows from the one before.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let worth =
            !self.quiet && !self.skipping && !self.at_bad_token() && !self.is_habit(&diagnostic);
        if worth {
            self.item_mistakes.push(diagnostic.span().lo);
            self.diagnostics.push(diagnostic);
        }
        if self.diagnostics.len() > 4 * MAX_DIAGNOSTICS {
            // So many mistakes are no program; the rest of the text is not read.
            self.skipping = true;
            self.pos = self.tokens.len() - 1;
        }
        self.quiet = true;
    }
    /// Reports a mistake whose fix depends on what follows; gives what [`Parser::mend`] asks for, if it is reported.
    pub fn report_open(&mut self, diagnostic: Diagnostic) -> Option<Span> {
        let (told, span) = (self.diagnostics.len(), diagnostic.span());
        self.report(diagnostic);
        (self.diagnostics.len() > told).then_some(span)
    }
    /// Adds the changes that mend a mistake to the last of its hints.
    pub fn mend(&mut self, told: Option<Span>, fixes: impl IntoIterator<Item = Fix>) {
        let mut latest = self.diagnostics.iter_mut().rev();
        let told = told.and_then(|span| latest.find(|found| found.span() == span));
        if let Some(hint) = told.and_then(|told| told.hints.last_mut()) {
            hint.fixes.extend(fixes);
        }
    }
    /// Where the text between the current token and one of `wanted` ends. Nothing if there is none, or if it has a form
    /// that extends as far right as it can.
    pub fn end_before(&mut self, wanted: &[TokenKind]) -> Option<Span> {
        let here = self.pos;
        self.pos += 1;
        let first = self.pos;
        self.skip_to(wanted);
        let tokens = first..self.pos;
        let end = self.previous_span().end();
        self.pos = here;
        let is_plain = !tokens.is_empty()
            && !tokens.clone().any(|index| self.token_at(index).kind.is_keyword());
        is_plain.then_some(end)
    }
    /// The tokens between the bracket at `opener` and its partner, without what stands in brackets among them.
    pub fn inside(&self, opener: usize) -> Vec<Token> {
        let closer = self.partner(opener).unwrap_or(opener);
        let mut tokens = vec![];
        let mut index = opener + 1;
        while index < closer {
            tokens.push(self.token_at(index));
            index = self.partner(index).filter(|other| *other > index).unwrap_or(index) + 1;
        }
        tokens
    }
    /// Whether this item has been told about the same habit of another language, such as `:` for
    /// `=` in a record: once is enough.
    fn is_habit(&self, diagnostic: &Diagnostic) -> bool {
        const HABITS: [&str; 5] =
            [code::BAD_RECORD, code::WRONG_CASE, code::BAD_MATCH, code::SEMICOLON, code::BAD_TYPE];
        let item_lo = self.token_at(self.item_start).lo;
        HABITS.contains(&diagnostic.code)
            && self.diagnostics.iter().rev().take(16).any(|found| {
                found.code == diagnostic.code
                    && found.span().lo >= item_lo
                    && found.title == diagnostic.title
            })
    }
    /// Whether this item has been told that a word is reserved.
    pub fn knows_reserved(&self, word: &str) -> bool {
        let item_lo = self.token_at(self.item_start).lo;
        self.diagnostics.iter().rev().take(16).any(|found| {
            found.code == code::RESERVED
                && found.span().lo >= item_lo
                && found.title.starts_with(&format!("`{word}`"))
        })
    }
    /// What follows up to the next token taken needs no message.
    pub fn silence(&mut self) {
        self.quiet = true;
    }
    /// The lexer has already reported what stands here.
    fn at_bad_token(&self) -> bool {
        self.at(TokenKind::Bad)
    }
    pub fn is_quiet(&self) -> bool {
        self.quiet || self.skipping
    }
    /// What stands here, for messages.
    pub fn found(&self) -> String {
        errors::describe(self.kind(), self.current_text())
    }
    /// What stands before, for messages.
    pub fn after(&self) -> String {
        let text = |token: Token| {
            format!(" after {}", errors::describe(token.kind, self.token_text(token)))
        };
        self.previous().map_or_else(String::new, text)
    }

    pub fn skip_to_item(&mut self) {
        while !self.at_item_end() {
            self.pos += 1;
        }
    }
    /// Skips what cannot be read: up to one of `wanted`, or to a place where an enclosing construct
    /// goes on. Brackets and inner `let … in`, `if … else`, `loop … do` are skipped whole.
    pub fn skip_to(&mut self, wanted: &[TokenKind]) {
        let (mut lets, mut ifs, mut loops) = (0, 0, 0);
        while !self.at_item_end() && !self.kind().is_closer() {
            let kind = self.kind();
            let nested = lets + ifs + loops > 0;
            let stops = matches!(
                kind,
                TokenKind::In
                    | TokenKind::Then
                    | TokenKind::Else
                    | TokenKind::Do
                    | TokenKind::Bar
                    | TokenKind::Comma
                    | TokenKind::And
            );
            if !nested && (wanted.contains(&kind) || stops) {
                return;
            }
            for (depth, begins, ends) in [
                (&mut lets, TokenKind::Let, TokenKind::In),
                (&mut ifs, TokenKind::If, TokenKind::Else),
                (&mut loops, TokenKind::Loop, TokenKind::Do),
            ] {
                if kind == begins {
                    *depth += 1;
                } else if kind == ends && *depth > 0 {
                    *depth -= 1;
                }
            }
            self.pos = self.partner(self.pos).unwrap_or(self.pos) + 1;
        }
    }
    /// After `open` was taken at token `opener`: takes its closing bracket, skipping what is left
    /// inside. Where none exists the bracket pass has said so, and nothing is skipped.
    pub fn close(&mut self, opener: usize, in_what: &str) {
        let Some(closer) = self.partner(opener) else {
            self.quiet = true;
            return;
        };
        if self.pos < closer {
            let span = self.span();
            let opener = self.span_of(self.token_at(opener));
            let unexpected = errors::unexpected_in_bracket(
                self.kind(),
                self.current_text(),
                span,
                in_what,
                opener,
            );
            self.report(unexpected);
            self.pos = closer;
        }
        if self.pos == closer && !self.skipping {
            self.bump();
        }
    }
    fn expect_end(&mut self) {
        if !self.at(TokenKind::Eof) {
            let unexpected = errors::leftover(self.kind(), self.current_text(), self.span());
            self.report(unexpected);
        }
    }
}
