//! `let`, `let rec` and what they share with `def`: names, parameters, types, `=`.
//!
//! Input: tokens after the keyword. Output: the binding.

use pullback_base::{Fix, Span};

use crate::ast::{Def, ExprKind, Ident, MAX_PARTS, Param, PatternKind, TypeExpr};
use crate::errors::{self, binding};
use crate::grammar::atom::begins_atom;
use crate::parser::Parser;
use crate::token::TokenKind;
use crate::width;

impl Parser<'_> {
    /// After `let`, which is token `start`.
    pub fn let_form(&mut self, start: usize) -> ExprKind {
        if self.eat(TokenKind::Rec) {
            return self.let_rec(start);
        }
        let is_function =
            self.at(TokenKind::Lower) && (self.at_param(1) || self.nth(1) == TokenKind::LBracket);
        if is_function {
            let def = self.let_value(|this| this.function(this.pos));
            self.expect_in(start, None);
            let body = Box::new(self.expr());
            return ExprKind::LetFun { recursive: false, defs: vec![def], body };
        }
        let mut pattern = self.pattern();
        if self.at(TokenKind::Comma) {
            let told = self.report_open(errors::pattern::bare_tuple(pattern.span.to(self.span())));
            let mut parts = vec![pattern];
            while self.eat(TokenKind::Comma) {
                parts.push(self.pattern());
            }
            let span = self.span_from(start + 1);
            self.mend(told, Fix::around(span, "(", ")"));
            pattern = self.make_pattern(PatternKind::Tuple(parts), span);
        }
        let pattern = Box::new(pattern);
        let ty = self.optional_type().map(Box::new);
        self.expect_eq(binding::Equals::Let);
        let value = Box::new(self.let_value(Self::expr_or_eq));
        self.expect_in(start, ty.is_none().then(|| pattern.span.end()));
        let body = Box::new(self.expr());
        ExprKind::Let { pattern, ty, value, body }
    }
    fn let_rec(&mut self, start: usize) -> ExprKind {
        let outer = std::mem::replace(&mut self.in_rec, true);
        let mut defs = vec![self.let_value(|this| this.function(this.pos))];
        while self.eat(TokenKind::And) {
            defs.push(self.let_value(|this| this.function(this.pos)));
        }
        self.in_rec = outer;
        self.expect_in(start, None);
        ExprKind::LetFun { recursive: true, defs, body: Box::new(self.expr()) }
    }

    /// What a `let` binds, up to `in` or the next `let`.
    fn let_value<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.in_let, true);
        let value = value(self);
        self.in_let = outer;
        value
    }

    /// `in`, after the value of the `let` at token `start`. Another `let` needs none before it. A type that stands
    /// behind the value belongs to the place `typed`, if there is one.
    fn expect_in(&mut self, start: usize, typed: Option<Span>) {
        if self.eat(TokenKind::In) || self.at(TokenKind::Let) {
            return;
        }
        let keyword = self.span_of(self.token_at(start));
        let body = if self.is_quiet() { None } else { self.likely_body(start) };
        let (next, after) = match body {
            Some(body) => (self.token_at(body), self.span_of(self.token_at(body - 1))),
            None => (self.token_at(self.pos), self.previous_span()),
        };
        let found = errors::describe(next.kind, self.token_text(next));
        let has_body = begins_atom(next.kind);
        let mistake =
            binding::no_in(next.kind, has_body, &found, after.end(), self.span(), keyword);
        let told = self.report_open(mistake);
        if self.at(TokenKind::Semi) {
            self.bump();
            self.eat(TokenKind::In);
        } else if !self.at_open_form() && !self.at_closer() {
            let (before, colon) = (self.previous_span().end(), self.pos);
            let has_colon = self.at(TokenKind::Colon);
            self.pos += usize::from(has_colon);
            let has_type = has_colon && self.at_type_atom();
            self.skip_to(&[TokenKind::In]);
            if let Some(place) = typed.filter(|_| has_type && self.at(TokenKind::In)) {
                let ty = self.span_of(self.token_at(colon)).to(self.previous_span());
                let text = &self.text[ty.range()];
                self.mend(told, [Fix::new(place, text), Fix::new(before.to(ty), "")]);
            }
            self.eat(TokenKind::In);
        }
    }

    /// The token with which what follows the value of the `let` at token `start` probably begins: the first line that
    /// starts no further right than the `let` does and with no operator.
    fn likely_body(&self, start: usize) -> Option<usize> {
        let column = |index: usize| {
            let lo = self.token_at(index).lo as usize;
            lo - self.text[..lo].rfind('\n').map_or(0, |newline| newline + 1)
        };
        let limit = column(start);
        let mut index = start + 1;
        while index < self.pos {
            let token = self.token_at(index);
            if begins_atom(token.kind) && self.starts_line(index) && column(index) <= limit {
                return Some(index);
            }
            index = self.partner(index).filter(|other| *other > index).unwrap_or(index) + 1;
        }
        None
    }

    /// `=`, or what other languages write for it.
    pub fn expect_eq(&mut self, of: binding::Equals) {
        if self.eat(TokenKind::Eq) {
            return;
        }
        // What follows an arrow is a type if the `=` comes after it, and else what is defined.
        let here = self.pos;
        self.pos += usize::from(self.at(TokenKind::Arrow));
        self.skip_to_eq();
        let has_equals = self.at(TokenKind::Eq);
        self.pos = here;
        let is_result = of == binding::Equals::Def && self.at(TokenKind::Arrow) && has_equals;
        let of = if is_result { binding::Equals::Result } else { of };
        let meant = matches!(
            self.kind(),
            TokenKind::ColonEq
                | TokenKind::EqEq
                | TokenKind::LArrow
                | TokenKind::FatArrow
                | TokenKind::Arrow
        );
        self.report(binding::no_equals(of, &self.found(), self.span(), meant));
        if meant {
            self.bump();
            if is_result {
                self.skip_to_eq();
                self.eat(TokenKind::Eq);
            }
        } else if !self.at_atom() {
            self.skip_to_eq();
            self.eat(TokenKind::Eq);
        }
    }
    fn skip_to_eq(&mut self) {
        self.skip_to(&[TokenKind::Eq, TokenKind::Colon]);
    }

    /// `function`: a name, sizes, parameters, a result type, a body. Its span starts at token `start`.
    pub fn function(&mut self, start: usize) -> Def {
        let name = self.variable("a definition");
        let sizes = self.sizes();
        let last = self.previous_span().end();
        let mut params = self.params();
        while self.at(TokenKind::LBracket) && !self.is_quiet() {
            let closer = self.partner(self.pos).unwrap_or(self.pos);
            let size = self.span().to(self.span_of(self.token_at(closer)));
            let text = &self.text[size.range()];
            let gap = self.previous_span().end().to(size);
            self.report(binding::late_size(self.span(), (text, gap), last));
            self.sizes();
            params.extend(self.params());
        }
        let result = self.optional_type();
        self.expect_eq(binding::Equals::Def);
        let is_broken = self.is_mistaken_since(start);
        let body = self.expr_or_eq();
        let span = self.span_from(start);
        let mut def = Def { name, sizes, params, result, body, is_broken, span };
        if !self.fits(width::of_def(&def), def.name.span) {
            def.sizes.truncate(MAX_PARTS);
            def.params.truncate(MAX_PARTS);
        }
        def
    }

    /// `[n] [m]`
    pub fn sizes(&mut self) -> Vec<Ident> {
        let mut sizes = Vec::new();
        while self.at(TokenKind::LBracket) {
            let opener = self.open_bracket();
            sizes.push(self.variable("a size"));
            self.close_bracket(opener, "this size parameter");
        }
        sizes
    }

    /// Parameters, as many as stand here.
    pub fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        while self.at_param(0) {
            let start = self.pos;
            if !self.at(TokenKind::LParen) {
                params.push(Param { pattern: self.pattern_atom(), ty: None });
                continue;
            }
            let kind = self.paren_pattern();
            if let PatternKind::Ascribe { pattern, ty } = kind {
                params.push(Param { pattern: *pattern, ty: Some(ty) });
            } else {
                let span = self.span_from(start);
                params.push(Param { pattern: self.make_pattern(kind, span), ty: None });
            }
        }
        params
    }
    /// Whether a parameter stands `ahead` tokens on.
    fn at_param(&self, ahead: usize) -> bool {
        matches!(
            self.nth(ahead),
            TokenKind::Lower
                | TokenKind::Upper
                | TokenKind::Underscore
                | TokenKind::LParen
                | TokenKind::LBrace
                | TokenKind::Int
                | TokenKind::Real
                | TokenKind::Str
                | TokenKind::True
                | TokenKind::False
                | TokenKind::Bad
        )
    }

    /// `: type`, if it stands here.
    pub fn optional_type(&mut self) -> Option<TypeExpr> {
        self.eat(TokenKind::Colon).then(|| {
            let ty = self.ty();
            self.checked_ty(ty)
        })
    }
}
