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
        let mut before = Vec::new();
        let parens = self.drop_parens(ty, &mut before);
        let needed = match &ty.kind {
            TypeExprKind::Fun(..) => place != Place::Whole,
            TypeExprKind::Named { sizes, args, .. } => {
                place == Place::Atom && !(sizes.is_empty() && args.is_empty())
            }
            TypeExprKind::Array { .. }
            | TypeExprKind::Var(_)
            | TypeExprKind::Tuple(_)
            | TypeExprKind::Record(_)
            | TypeExprKind::Error => false,
        };
        let (open, close) = if needed { ("(", ")") } else { ("", "") };
        let inner = self.bare_type(ty, if needed { Place::Whole } else { place });
        let mut after = Vec::new();
        self.drop_closers(parens, &mut after);
        concat([concat(before), text(open), inner, text(close), concat(after)])
    }
    /// Leaves out the parentheses around a type; their comments go to `out`.
    fn drop_parens(&mut self, ty: &TypeExpr, out: &mut Vec<Doc>) -> usize {
        let mut count = 0;
        while self.at(TokenKind::LParen) && self.here().lo < ty.span.lo {
            out.push(self.drop_token());
            count += 1;
        }
        count
    }
    fn drop_closers(&mut self, count: usize, out: &mut Vec<Doc>) {
        for _ in 0..count {
            out.push(self.drop_if(TokenKind::Comma));
            out.push(self.drop_token());
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
                let place = if place == Place::Whole { Place::Argument } else { place };
                concat([open, size, close, self.ty(element, place)])
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
        let mut parens = 0;
        let first = self.ty(from, Place::Argument);
        let mut rest = Vec::new();
        loop {
            rest.extend([Doc::Line, self.take(TokenKind::Arrow), text(" ")]);
            let TypeExprKind::Fun(next_from, next_to) = &to.kind else {
                rest.push(self.ty(to, Place::Whole));
                break;
            };
            parens += self.drop_parens(to, &mut rest);
            (from, to) = (next_from, next_to);
            rest.push(self.ty(from, Place::Argument));
        }
        self.drop_closers(parens, &mut rest);
        group(concat([first, nest(2, concat(rest))]))
    }
}
