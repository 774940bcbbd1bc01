//! Patterns and parameters.
//!
//! Input: patterns, with the cursor at their first token. Output: their documents.

use crate::ast::{Param, Path, Pattern, PatternKind};
use crate::doc::{Doc, concat, text};
use crate::format::source::Source;
use crate::token::TokenKind;

impl Source<'_> {
    pub fn pattern(&mut self, pattern: &Pattern) -> Doc {
        match &pattern.kind {
            PatternKind::Wildcard | PatternKind::Var(_) | PatternKind::Error => self.token(),
            PatternKind::Lit { negative, .. } => {
                let sign = if *negative { self.token() } else { concat([]) };
                concat([sign, self.token()])
            }
            PatternKind::Tuple(parts) => self.bracketed(Doc::SoftLine, parts, Self::pattern),
            PatternKind::Record(fields) => self.bracketed(Doc::Line, fields, |source, field| {
                let name = source.token();
                let Some(pattern) = &field.1 else {
                    return name;
                };
                let equals = source.take(TokenKind::Eq);
                concat([name, text(" "), equals, text(" "), source.pattern(pattern)])
            }),
            PatternKind::Con { path, args } => {
                let mut parts = vec![self.path(path)];
                for arg in args {
                    parts.extend([text(" "), self.pattern(arg)]);
                }
                concat(parts)
            }
            PatternKind::Ascribe { pattern, ty } => self.typed(pattern, ty),
            PatternKind::As { pattern, .. } => {
                let pattern = self.pattern(pattern);
                concat([pattern, text(" "), self.take(TokenKind::As), text(" "), self.token()])
            }
            PatternKind::Paren(inner) => {
                // Of doubled parentheses the outermost pair is kept.
                let mut parts = vec![self.token()];
                let mut inner = inner;
                let mut doubled = 0;
                while let PatternKind::Paren(next) = &inner.kind {
                    self.drop_opener();
                    doubled += 1;
                    inner = next;
                }
                parts.push(self.pattern(inner));
                for _ in 0..doubled {
                    parts.extend([self.drop_if(TokenKind::Comma), self.drop_token()]);
                }
                parts.extend([self.drop_if(TokenKind::Comma), self.token()]);
                concat(parts)
            }
        }
    }
    /// `(p: T)`
    fn typed(&mut self, pattern: &Pattern, ty: &crate::ast::TypeExpr) -> Doc {
        let open = self.take(TokenKind::LParen);
        let pattern = self.pattern(pattern);
        let colon = self.take(TokenKind::Colon);
        let ty = self.whole_type(ty);
        concat([open, pattern, colon, text(" "), ty, self.take(TokenKind::RParen)])
    }
    pub fn param(&mut self, param: &Param) -> Doc {
        match &param.ty {
            Some(ty) => self.typed(&param.pattern, ty),
            None => self.pattern(&param.pattern),
        }
    }
    /// `Name`, `module.Name`
    pub fn path(&mut self, path: &Path) -> Doc {
        if path.module.is_none() {
            return self.token();
        }
        concat([self.token(), self.take(TokenKind::Dot), self.token()])
    }
}
