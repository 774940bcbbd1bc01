//! `let`, `let rec` and what they share with `def`: names, parameters, types, `=`.
//!
//! Input: tokens after the keyword. Output: the binding.

use crate::ast::{Def, ExprKind, Ident, Param, PatternKind, TypeExpr};
use crate::errors::{self, binding};
use crate::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// After `let`, which is token `start`.
    pub fn let_form(&mut self, start: usize) -> ExprKind {
        let keyword = self.span_of(self.token_at(start));
        if self.eat(TokenKind::Rec) {
            return self.let_rec(start);
        }
        let is_function =
            self.at(TokenKind::Lower) && (self.at_param(1) || self.nth(1) == TokenKind::LBracket);
        if is_function {
            let def = self.function(self.pos);
            self.expect_in(keyword);
            let body = Box::new(self.expr());
            return ExprKind::LetFun { recursive: false, defs: vec![def], body };
        }
        let pattern = self.pattern();
        if self.at(TokenKind::Comma) {
            self.report(errors::pattern::bare_tuple(pattern.span.to(self.span())));
            self.skip_to_eq();
        }
        let ty = self.optional_type();
        self.expect_eq(binding::Equals::Let);
        let value = Box::new(self.expr_or_eq());
        self.expect_in(keyword);
        let body = Box::new(self.expr());
        ExprKind::Let { pattern, ty, value, body }
    }
    fn let_rec(&mut self, start: usize) -> ExprKind {
        let keyword = self.span_of(self.token_at(start));
        let outer = std::mem::replace(&mut self.in_rec, true);
        let mut defs = vec![self.function(self.pos)];
        while self.eat(TokenKind::And) {
            defs.push(self.function(self.pos));
        }
        self.in_rec = outer;
        self.expect_in(keyword);
        ExprKind::LetFun { recursive: true, defs, body: Box::new(self.expr()) }
    }

    /// `in`, after the value of the `let` at `keyword`.
    fn expect_in(&mut self, keyword: pullback_base::Span) {
        if self.eat(TokenKind::In) {
            return;
        }
        let after = self.previous_span().end();
        self.report(binding::no_in(self.kind(), &self.found(), after, self.span(), keyword));
        if self.at(TokenKind::Semi) {
            self.bump();
            self.eat(TokenKind::In);
        } else if !self.at_open_form() && !self.at_closer() {
            self.skip_to(&[TokenKind::In]);
            self.eat(TokenKind::In);
        }
    }

    /// `=`, or what other languages write for it.
    pub fn expect_eq(&mut self, of: binding::Equals) {
        if self.eat(TokenKind::Eq) {
            return;
        }
        self.report(binding::no_equals(of, &self.found(), self.span()));
        let meant = matches!(
            self.kind(),
            TokenKind::ColonEq
                | TokenKind::EqEq
                | TokenKind::LArrow
                | TokenKind::FatArrow
                | TokenKind::Arrow
        );
        if meant {
            self.bump();
        } else if !self.at_atom() {
            self.skip_to_eq();
            self.eat(TokenKind::Eq);
        }
    }
    fn skip_to_eq(&mut self) {
        self.skip_to(&[TokenKind::Eq, TokenKind::Colon]);
        while self.at(TokenKind::Comma) {
            self.bump();
            self.skip_to(&[TokenKind::Eq, TokenKind::Colon]);
        }
    }

    /// `function`: a name, sizes, parameters, a result type, a body. Its span starts at token `start`.
    pub fn function(&mut self, start: usize) -> Def {
        let name = self.variable("a definition");
        let sizes = self.sizes();
        let params = self.params();
        let result = self.optional_type();
        self.expect_eq(binding::Equals::Def);
        let body = self.expr_or_missing_def();
        Def { name, sizes, params, result, body, span: self.span_from(start) }
    }
    /// The body of a definition. An `=` after it may belong to a definition without `def`, which the
    /// item's end sees to.
    fn expr_or_missing_def(&mut self) -> crate::ast::Expr {
        self.expr_or_eq()
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
            let mut pattern = self.pattern_atom();
            let mut ty = None;
            if let PatternKind::Ascribe { .. } = pattern.kind
                && let PatternKind::Ascribe { pattern: inner, ty: declared } = pattern.kind
            {
                pattern = *inner;
                ty = Some(declared);
            }
            params.push(Param { pattern, ty });
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
