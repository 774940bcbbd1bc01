//! Bracketed things: tuples, arrays, comprehensions, records, parentheses.
//!
//! Input: nodes, with the cursor at their opening bracket. Output: a group that breaks after every
//! element, except that arrays of plain values fill their lines.

use crate::ast::{Clause, Expr, ExprKind};
use crate::doc::{Doc, concat, group, nest, text};
use crate::format::source::Source;
use crate::token::TokenKind;

impl Source<'_> {
    /// `open a, b close`, with `edge` inside the brackets.
    pub fn bracketed<T>(
        &mut self,
        edge: Doc,
        parts: &[T],
        mut each: impl FnMut(&mut Self, &T) -> Doc,
    ) -> Doc {
        let open = self.token();
        if parts.is_empty() {
            return concat([open, self.token()]);
        }
        let mut inner = vec![edge.clone()];
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                inner.push(Doc::Line);
            }
            inner.push(each(self, part));
            inner.push(self.comma(index + 1 == parts.len()));
        }
        group(concat([open, nest(2, concat(inner)), edge, self.token()]))
    }
    /// The comma after an element; none is kept after the last.
    fn comma(&mut self, is_last: bool) -> Doc {
        if is_last { self.drop_if(TokenKind::Comma) } else { self.take(TokenKind::Comma) }
    }

    /// `[a, b]`
    pub fn array(&mut self, parts: &[Expr]) -> Doc {
        if !parts.iter().all(is_plain) {
            return self.bracketed(Doc::SoftLine, parts, Self::expr);
        }
        let open = self.token();
        let mut inner = vec![if parts.is_empty() { concat([]) } else { Doc::SoftLine }];
        for (index, part) in parts.iter().enumerate() {
            let separator = if index > 0 { Doc::Line } else { concat([]) };
            let part = self.expr(part);
            inner.push(group(concat([separator, part, self.comma(index + 1 == parts.len())])));
        }
        let edge = inner[0].clone();
        group(concat([open, nest(2, concat(inner)), edge, self.token()]))
    }

    /// `[ e | clauses ]`
    pub fn comprehension(&mut self, body: &Expr, clauses: &[Clause]) -> Doc {
        let open = self.token();
        let mut inner = vec![Doc::Line, self.expr(body)];
        inner.push(self.drop_if(TokenKind::Comma));
        inner.extend([Doc::Line, self.take(TokenKind::Bar), text(" ")]);
        for (index, clause) in clauses.iter().enumerate() {
            if index > 0 {
                inner.push(Doc::Line);
            }
            inner.push(self.clause(clause));
            inner.push(self.comma(index + 1 == clauses.len()));
        }
        group(concat([open, nest(2, concat(inner)), Doc::Line, self.token()]))
    }
    fn clause(&mut self, clause: &Clause) -> Doc {
        match clause {
            Clause::Range { bound, .. } => concat([
                self.token(),
                text(" "),
                self.take(TokenKind::Lt),
                text(" "),
                self.expr(bound),
            ]),
            Clause::In { pattern, source } => {
                let pattern = self.pattern(pattern);
                concat([
                    pattern,
                    text(" "),
                    self.take(TokenKind::LArrow),
                    text(" "),
                    self.expr(source),
                ])
            }
        }
    }

    /// `(e)`; of doubled parentheses one pair is kept.
    pub fn paren(&mut self, inner: &Expr) -> Doc {
        // The outermost pair is kept, so that no comment inside it gets outside.
        let open = self.token();
        let mut inner = inner;
        let mut doubled = 0;
        while let ExprKind::Paren(next) = &inner.kind {
            self.drop_opener();
            doubled += 1;
            inner = next;
        }
        let mut shown = vec![self.expr(inner)];
        for _ in 0..doubled {
            shown.extend([self.drop_if(TokenKind::Comma), self.drop_token()]);
        }
        let shown = concat(shown);
        let comma = self.drop_if(TokenKind::Comma);
        if matches!(inner.kind, ExprKind::Lambda { .. }) {
            return concat([open, shown, comma, self.token()]);
        }
        let inside = nest(2, concat([Doc::SoftLine, shown, comma]));
        group(concat([open, inside, Doc::SoftLine, self.token()]))
    }

    /// `name = value`, in a record.
    pub fn record_field(&mut self, value: &Expr) -> Doc {
        let head = [self.token(), text(" "), self.take(TokenKind::Eq)];
        let value = self.expr(value);
        concat([concat(head), group(nest(2, concat([Doc::Line, value])))])
    }
}

/// Whether so many of them may share a line that they fill it.
fn is_plain(expr: &Expr) -> bool {
    if let ExprKind::Negate(inner) = &expr.kind {
        return matches!(inner.kind, ExprKind::Lit(_));
    }
    matches!(expr.kind, ExprKind::Lit(_) | ExprKind::Name(_))
}
