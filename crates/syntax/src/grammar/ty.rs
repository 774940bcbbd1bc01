//! Types.
//!
//! Input: tokens at a type. Output: the type; `Error` where none stands, after a report.
//! Parentheses leave no node: the span of `(T)` is that of `T`, but spans of what contains it
//! include them.

use pullback_base::Fix;

use crate::ast::{Ident, TypeExpr, TypeExprKind};
use crate::errors::ty as mistake;
use crate::grammar::atom::Opened;
use crate::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `type`
    pub fn ty(&mut self) -> TypeExpr {
        if !self.enter() {
            return self.no_type();
        }
        let start = self.pos;
        let mut ty = self.type_argument();
        let foreign = matches!(self.kind(), TokenKind::Star | TokenKind::Lt | TokenKind::Slash);
        if foreign && self.brackets > 0 {
            let fixes = self.type_fixes(start);
            self.report(mistake::foreign(self.kind(), self.current_text(), self.span(), fixes));
            self.skip_to(&[TokenKind::Eq]);
        } else if self.at(TokenKind::FatArrow) {
            self.report(mistake::fat_arrow(self.span()));
            self.bump();
            self.ty();
        } else if self.eat(TokenKind::Arrow) {
            let result = self.ty();
            let kind = TypeExprKind::Fun(Box::new(ty), Box::new(result));
            ty = TypeExpr { kind, span: self.span_from(start) };
        }
        self.leave();
        ty
    }
    /// What makes `(a, b)` of `a * b` and `Option a` of `Option<a>`, where the type starts at token `start`.
    fn type_fixes(&mut self, start: usize) -> Vec<Fix> {
        let (span, before) = (self.span(), self.previous_span());
        if self.at(TokenKind::Lt) {
            let here = self.pos;
            self.pos += 1;
            let is_single = matches!(self.kind(), TokenKind::Lower | TokenKind::Upper);
            let closes = self.nth(1) == TokenKind::Gt;
            let closer = self.span_of(self.token_at(self.pos + 1));
            self.pos = here;
            if is_single && closes {
                return vec![Fix::new(before.end().to(span), " "), Fix::new(closer, "")];
            }
            return vec![];
        }
        if !self.at(TokenKind::Star) {
            return vec![];
        }
        let here = self.pos;
        let mut fixes = vec![Fix::new(self.span_of(self.token_at(start)).start(), "(")];
        while self.at(TokenKind::Star) {
            fixes.push(Fix::new(self.previous_span().end().to(self.span()), ","));
            self.pos += 1;
            while matches!(self.kind(), TokenKind::Lower | TokenKind::Upper | TokenKind::LBracket) {
                self.pos = self.partner(self.pos).unwrap_or(self.pos) + 1;
            }
        }
        fixes.push(Fix::new(self.previous_span().end(), ")"));
        self.pos = here;
        fixes
    }
    /// An error type, in silence.
    fn no_type(&self) -> TypeExpr {
        TypeExpr { kind: TypeExprKind::Error, span: self.span().start() }
    }

    /// What may stand left of an arrow.
    fn type_argument(&mut self) -> TypeExpr {
        if self.at(TokenKind::LBracket) {
            return self.array_type(Self::type_argument);
        }
        let start = self.pos;
        let Some(path) = self.path() else {
            return self.type_atom();
        };
        let mut sizes = Vec::new();
        while self.at(TokenKind::LBracket) && self.is_size_argument() {
            let opener = self.open_bracket();
            sizes.push(self.expr());
            self.close_bracket(opener, "this size");
        }
        let mut args = Vec::new();
        while self.at_type_atom() {
            args.push(self.type_atom());
        }
        TypeExpr { kind: TypeExprKind::Named { path, sizes, args }, span: self.span_from(start) }
    }
    /// After a type's name, `[n]` is an array only if it touches its element type.
    fn is_size_argument(&self) -> bool {
        self.partner(self.pos).is_some_and(|closer| {
            let next = self.token_at(closer + 1);
            let starts_type = matches!(
                next.kind,
                TokenKind::Lower
                    | TokenKind::Upper
                    | TokenKind::LParen
                    | TokenKind::LBracket
                    | TokenKind::LBrace
            );
            closer > self.pos + 1 && !(starts_type && self.is_tight(closer + 1))
        })
    }
    pub fn at_type_atom(&self) -> bool {
        let starts = matches!(
            self.kind(),
            TokenKind::Lower
                | TokenKind::Upper
                | TokenKind::LParen
                | TokenKind::LBracket
                | TokenKind::LBrace
                | TokenKind::Bad
        );
        starts && !self.at_forgotten_def()
    }

    /// `type_atom`
    pub fn type_atom(&mut self) -> TypeExpr {
        let start = self.pos;
        if let Some(path) = self.path() {
            let kind = TypeExprKind::Named { path, sizes: Vec::new(), args: Vec::new() };
            return TypeExpr { kind, span: self.span_from(start) };
        }
        let kind = if self.at(TokenKind::Lower) {
            TypeExprKind::Var(self.ident().node)
        } else if self.eat(TokenKind::Bad) {
            TypeExprKind::Error
        } else if self.at(TokenKind::LParen) {
            return self.paren_type();
        } else if self.at(TokenKind::LBracket) {
            return self.array_type(Self::type_atom);
        } else if self.at(TokenKind::LBrace) {
            let opener = self.open_bracket();
            let fields = self.list(opener.0, "this record type", Self::type_field);
            self.close_bracket(opener, "this record type");
            TypeExprKind::Record(fields)
        } else {
            self.report(mistake::missing(&self.found(), self.span(), &self.after()));
            return self.no_type();
        };
        TypeExpr { kind, span: self.span_from(start) }
    }
    fn paren_type(&mut self) -> TypeExpr {
        let start = self.pos;
        let opener = self.open_bracket();
        let mut parts = self.type_list(opener);
        self.close_bracket(opener, "this type");
        if parts.len() == 1 {
            return parts.remove(0);
        }
        TypeExpr { kind: TypeExprKind::Tuple(parts), span: self.span_from(start) }
    }
    fn type_list(&mut self, opener: Opened) -> Vec<TypeExpr> {
        self.list(opener.0, "this type", Self::ty)
    }
    fn type_field(&mut self) -> (Ident, TypeExpr) {
        let name = self.field_name();
        if !self.eat(TokenKind::Colon) {
            let (found, span) = (self.found(), self.span());
            let is_equals = self.eat(TokenKind::Eq);
            self.report(mistake::field_separator(&found, is_equals, span, &name));
        }
        (name, self.ty())
    }

    /// `[n]a`, whose element is read by `element`.
    fn array_type(&mut self, element: impl FnOnce(&mut Self) -> TypeExpr) -> TypeExpr {
        if !self.enter() {
            return self.no_type();
        }
        let start = self.pos;
        let opener = self.open_bracket();
        let size = (!self.at_closer()).then(|| Box::new(self.expr()));
        if self.at(TokenKind::Comma) {
            self.report(mistake::comma_in_size(self.span()));
        }
        let clean = self.close_bracket(opener, "this size");
        let element = if self.at_type_atom() || self.is_quiet() {
            element(self)
        } else {
            self.report(mistake::no_element(&self.found(), self.span(), self.span_from(start)));
            self.no_type()
        };
        self.leave();
        let kind = if clean {
            TypeExprKind::Array { size, element: Box::new(element) }
        } else {
            TypeExprKind::Error
        };
        TypeExpr { kind, span: self.span_from(start) }
    }
}
