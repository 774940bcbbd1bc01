//! Patterns.
//!
//! Input: tokens at a pattern. Output: the pattern; `Error` where none stands, after a report.

use crate::ast::{Ident, Path, Pattern, PatternKind};
use crate::errors::{self, pattern as mistake};
use crate::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `pattern`
    pub fn pattern(&mut self) -> Pattern {
        if !self.enter() {
            return self.error_pattern();
        }
        let start = self.pos;
        let mut pattern = self.constructor_pattern();
        while self.eat(TokenKind::As) {
            let name = self.variable("a pattern");
            let span = self.span_from(start);
            pattern = self.make_pattern(PatternKind::As { pattern: Box::new(pattern), name }, span);
        }
        self.leave();
        pattern
    }

    fn constructor_pattern(&mut self) -> Pattern {
        let start = self.pos;
        let Some(path) = self.path() else {
            return self.pattern_atom();
        };
        let mut args = Vec::new();
        while self.at_pattern_atom() {
            args.push(self.pattern_atom());
        }
        let span = self.span_from(start);
        self.make_pattern(PatternKind::Con { path, args }, span)
    }
    fn at_pattern_atom(&self) -> bool {
        self.at_atom() && !self.at(TokenKind::LBracket)
    }

    /// `[lower "."] Upper`, if it stands here.
    pub fn path(&mut self) -> Option<Path> {
        if self.at(TokenKind::Upper) {
            return Some(Path { module: None, name: self.ident() });
        }
        let qualified = self.at(TokenKind::Lower)
            && self.nth(1) == TokenKind::Dot
            && self.nth(2) == TokenKind::Upper;
        qualified.then(|| {
            let module = Some(Box::new(self.ident()));
            self.bump();
            Path { module, name: self.ident() }
        })
    }

    /// `pattern_atom`
    pub fn pattern_atom(&mut self) -> Pattern {
        let start = self.pos;
        if let Some(path) = self.path() {
            let span = self.span_from(start);
            return self.make_pattern(PatternKind::Con { path, args: Vec::new() }, span);
        }
        let is_number = matches!(self.nth(1), TokenKind::Int | TokenKind::Real);
        let kind = if self.at(TokenKind::Lower) {
            PatternKind::Var(self.ident().node)
        } else if self.eat(TokenKind::Underscore) {
            PatternKind::Wildcard
        } else if self.eat(TokenKind::Bad) {
            PatternKind::Error
        } else if self.kind().is_literal() {
            PatternKind::Lit { value: self.literal(), negative: false }
        } else if self.at(TokenKind::Minus) && is_number {
            self.bump();
            PatternKind::Lit { value: self.literal(), negative: true }
        } else if self.at(TokenKind::LParen) {
            self.paren_pattern()
        } else if self.at(TokenKind::LBrace) {
            self.record_pattern()
        } else {
            self.no_pattern()
        };
        let span = self.span_from(start);
        self.make_pattern(kind, span)
    }
    fn no_pattern(&mut self) -> PatternKind {
        if self.at_keyword_as_name() {
            self.report(errors::name::reserved(self.current_text(), self.span(), "a variable"));
            self.bump();
        } else if self.at(TokenKind::LBracket) {
            self.report(mistake::array(self.span()));
            self.pos = self.partner(self.pos).unwrap_or(self.pos) + 1;
        } else {
            self.report(mistake::missing(&self.found(), self.span(), &self.after()));
        }
        PatternKind::Error
    }

    /// Everything that starts with `(`.
    pub fn paren_pattern(&mut self) -> PatternKind {
        let opener = self.open_bracket();
        let mut ascribed = None;
        // `(x: Real, y: Real)` is one mistake, however many components it has.
        let mut told = false;
        let mut parts = Vec::new();
        while !self.at_closer() {
            let before = self.pos;
            parts.push(self.pattern());
            if self.at(TokenKind::Colon) && parts.len() == 1 {
                self.bump();
                let ty = self.ty();
                ascribed = Some(Box::new(self.checked_ty(ty)));
            }
            let is_closed = self.partner(opener.0).is_some();
            if self.at(TokenKind::Colon) && is_closed {
                if !std::mem::replace(&mut told, true) {
                    self.report(mistake::typed_component(self.span()));
                }
                self.skip_to(&[TokenKind::Comma]);
            }
            if !self.eat(TokenKind::Comma) || self.pos == before {
                break;
            }
            if ascribed.is_some() && !std::mem::replace(&mut told, true) {
                let colon = self.previous_span();
                self.report(mistake::typed_component(colon));
            }
        }
        self.close_bracket(opener, "this pattern");
        match (parts.len(), ascribed) {
            (1, Some(ty)) => PatternKind::Ascribe { pattern: Box::new(parts.remove(0)), ty },
            (1, None) => PatternKind::Paren(Box::new(parts.remove(0))),
            _ => PatternKind::Tuple(parts),
        }
    }

    fn record_pattern(&mut self) -> PatternKind {
        let opener = self.open_bracket();
        let fields = self.list(opener.0, "this pattern", Self::record_pattern_field);
        self.close_bracket(opener, "this pattern");
        PatternKind::Record(fields)
    }
    fn record_pattern_field(&mut self) -> (Ident, Option<Pattern>) {
        let name = self.field_name();
        let pattern = self.eat(TokenKind::Eq).then(|| self.pattern());
        (name, pattern)
    }
}
