//! Types. The tree has no parentheses for them: those that are needed are printed, others are not.
//!
//! Input: types, with the cursor at their first token. Output: their documents.

use crate::ast::{TypeExpr, TypeExprKind};
use crate::doc::{Doc, concat, group, nest, text};
use crate::format::source::Source;
use crate::token::TokenKind;

/// What may stand somewhere without parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Any type.
    Whole,
    /// Left of an arrow: no function.
    Argument,
    /// An argument of a named type: no named type with arguments either.
    Atom,
}

impl Source<'_> {
    pub fn whole_type(&mut self, ty: &TypeExpr) -> Doc {
        self.ty(ty, Place::Whole)
    }
    pub fn type_atom(&mut self, ty: &TypeExpr) -> Doc {
        self.ty(ty, Place::Atom)
    }

    fn ty(&mut self, ty: &TypeExpr, place: Place) -> Doc {
        let mut parts = Vec::new();
        let parens = self.open_parens(ty, &mut parts);
        let needed = needs_parens(ty, place);
        let (open, close) = if needed { ("(", ")") } else { ("", "") };
        let inner = self.bare_type(ty, if needed { Place::Whole } else { place });
        parts.extend([text(open), inner, text(close)]);
        self.close_parens(parens, &mut parts);
        concat(parts)
    }
    /// Leaves out the parentheses before a type. Gives the places in `out` where they may have to
    /// stand after all.
    fn open_parens(&mut self, ty: &TypeExpr, out: &mut Vec<Doc>) -> Vec<usize> {
        let mut places = Vec::new();
        while self.at(TokenKind::LParen) && self.here().lo < ty.span.lo {
            self.drop_opener();
            places.push(out.len());
            out.push(concat([]));
        }
        places
    }
    /// Leaves out the parentheses after a type, but for a pair with a comment before its end: that
    /// could get out of the definition, and document the next one.
    fn close_parens(&mut self, mut places: Vec<usize>, out: &mut Vec<Doc>) {
        while let Some(place) = places.pop() {
            out.push(self.drop_if(TokenKind::Comma));
            if self.has_leading() {
                out[place] = text("(");
                out.push(self.token());
            } else {
                out.push(self.drop_token());
            }
        }
    }

    fn bare_type(&mut self, ty: &TypeExpr, place: Place) -> Doc {
        match &ty.kind {
            TypeExprKind::Var(_) | TypeExprKind::Error => self.token(),
            TypeExprKind::Named { path, sizes, args } => {
                let mut parts = vec![self.path(path)];
                for size in sizes {
                    parts.extend([text(" "), self.token(), self.expr(size), self.token()]);
                }
                for arg in args {
                    parts.extend([text(" "), self.type_atom(arg)]);
                }
                concat(parts)
            }
            TypeExprKind::Array { size, element } => {
                let open = self.take(TokenKind::LBracket);
                let size = size.as_ref().map_or(concat([]), |size| self.expr(size));
                let close = self.take(TokenKind::RBracket);
                let inside = if place == Place::Whole { Place::Argument } else { place };
                // A comment before an opening parenthesis goes inside it.
                let commented =
                    self.has_trailed() || self.has_leading() && !needs_parens(element, inside);
                let array = concat([open, size, close, self.ty(element, inside)]);
                if commented && place == Place::Atom {
                    // As an argument its element must touch it, which a comment prevents.
                    return concat([text("("), array, text(")")]);
                }
                array
            }
            TypeExprKind::Tuple(parts) => self.bracketed(Doc::SoftLine, parts, Self::whole_type),
            TypeExprKind::Record(fields) => self.bracketed(Doc::Line, fields, |source, field| {
                let name = source.token();
                let colon = source.take(TokenKind::Colon);
                concat([name, colon, text(" "), source.whole_type(&field.1)])
            }),
            TypeExprKind::Fun(from, to) => self.function_type(from, to),
        }
    }
    /// `a -> b -> c`
    fn function_type(&mut self, from: &TypeExpr, to: &TypeExpr) -> Doc {
        let (mut from, mut to) = (from, to);
        let mut parens = Vec::new();
        let first = self.ty(from, Place::Argument);
        let mut rest = Vec::new();
        loop {
            rest.extend([Doc::Line, self.take(TokenKind::Arrow), text(" ")]);
            let TypeExprKind::Fun(next_from, next_to) = &to.kind else {
                rest.push(self.ty(to, Place::Whole));
                break;
            };
            parens.extend(self.open_parens(to, &mut rest));
            (from, to) = (next_from, next_to);
            rest.push(self.ty(from, Place::Argument));
        }
        self.close_parens(parens, &mut rest);
        group(concat([first, nest(2, concat(rest))]))
    }
}

/// Whether a type cannot stand somewhere without parentheses.
fn needs_parens(ty: &TypeExpr, place: Place) -> bool {
    match &ty.kind {
        TypeExprKind::Fun(..) => place != Place::Whole,
        TypeExprKind::Named { sizes, args, .. } => {
            place == Place::Atom && !(sizes.is_empty() && args.is_empty())
        }
        TypeExprKind::Array { .. }
        | TypeExprKind::Var(_)
        | TypeExprKind::Tuple(_)
        | TypeExprKind::Record(_)
        | TypeExprKind::Error => false,
    }
}
