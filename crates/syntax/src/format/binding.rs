//! Definitions, `let`, `match`, `loop`, `if` and lambdas.
//!
//! Input: nodes, with the cursor at their first token. Output: their documents. Chains of `let` and
//! the arms of a `match` always stand one below the other.

use crate::ast::{Arm, Def, Expr, ExprKind, LoopForm, Pattern, TypeExpr};
use crate::doc::{self, Doc, concat, group, nest, text};
use crate::format::source::Source;
use crate::token::TokenKind;

impl Source<'_> {
    /// ` [n] [m]`
    pub fn sizes(&mut self, count: usize) -> Doc {
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.extend([text(" "), self.token(), self.token(), self.token()]);
        }
        concat(parts)
    }
    fn optional_type(&mut self, ty: Option<&TypeExpr>) -> Doc {
        let Some(ty) = ty else {
            return concat([]);
        };
        let colon = self.take(TokenKind::Colon);
        concat([colon, text(" "), self.whole_type(ty)])
    }

    /// `f [n] x: T = body`, and the keyword that ends it in a `let`.
    pub fn function(&mut self, def: &Def, end: Option<TokenKind>) -> Doc {
        let name = self.token();
        let mut params = vec![self.sizes(def.sizes.len())];
        for param in &def.params {
            params.extend([Doc::Line, self.param(param)]);
        }
        let result = self.optional_type(def.result.as_ref());
        let equals = self.take(TokenKind::Eq);
        let head = group(concat([name, nest(4, concat(params)), result, text(" "), equals]));
        concat([head, self.indented(&def.body, end)])
    }
    /// An expression after the rest of its line, or below it; `end` stands after it.
    fn indented(&mut self, body: &Expr, end: Option<TokenKind>) -> Doc {
        let body = nest(2, concat([Doc::Line, self.expr(body)]));
        // A `let` may follow without `in`.
        let end = end.filter(|_| !self.at(TokenKind::Let));
        let end = end.map_or(concat([]), |end| concat([Doc::Line, self.take(end)]));
        group(concat([body, end]))
    }

    /// `let` and everything below it in the chain.
    pub fn let_chain(&mut self, expr: &Expr) -> Doc {
        let mut expr = expr;
        let mut parts = Vec::new();
        loop {
            if let ExprKind::Let { pattern, ty, value, body } = &expr.kind {
                parts.extend([self.take(TokenKind::Let), text(" ")]);
                parts.push(self.typed_pattern(pattern, ty.as_deref()));
                parts.extend([text(" "), self.take(TokenKind::Eq)]);
                parts.push(self.indented(value, Some(TokenKind::In)));
                expr = body;
            } else if let ExprKind::LetFun { recursive, defs, body } = &expr.kind {
                parts.push(self.let_functions(*recursive, defs));
                expr = body;
            } else {
                parts.push(self.expr(expr));
                return concat(parts);
            }
            parts.push(Doc::HardLine);
        }
    }
    fn let_functions(&mut self, recursive: bool, defs: &[Def]) -> Doc {
        let mut parts = vec![self.take(TokenKind::Let)];
        if recursive {
            parts.extend([text(" "), self.take(TokenKind::Rec)]);
        }
        for (index, def) in defs.iter().enumerate() {
            if index > 0 {
                parts.extend([Doc::HardLine, self.take(TokenKind::And)]);
            }
            let end = (index + 1 == defs.len()).then_some(TokenKind::In);
            parts.extend([text(" "), self.function(def, end)]);
        }
        concat(parts)
    }
    fn typed_pattern(&mut self, pattern: &Pattern, ty: Option<&TypeExpr>) -> Doc {
        let pattern = self.pattern(pattern);
        concat([pattern, self.optional_type(ty)])
    }

    pub fn match_form(&mut self, scrutinee: &Expr, arms: &[Arm]) -> Doc {
        let mut parts = vec![self.take(TokenKind::Match), text(" "), self.expr(scrutinee)];
        parts.extend([text(" "), self.take(TokenKind::With)]);
        for arm in arms {
            parts.push(Doc::HardLine);
            parts.push(if self.at(TokenKind::Bar) { self.token() } else { text("|") });
            parts.extend([text(" "), self.pattern(&arm.pattern)]);
            parts.extend([text(" "), self.take(TokenKind::Arrow)]);
            parts.push(self.indented(&arm.body, None));
        }
        concat(parts)
    }

    pub fn loop_form(
        &mut self,
        head: (&Pattern, Option<&TypeExpr>, &Expr),
        form: &LoopForm,
        checkpoint: Option<&Expr>,
        body: &Expr,
    ) -> Doc {
        let (pattern, ty, init) = head;
        let keyword = self.take(TokenKind::Loop);
        let state = self.typed_pattern(pattern, ty);
        let equals = self.take(TokenKind::Eq);
        let init = self.expr(init);
        let form = match form {
            LoopForm::For { bound, .. } => {
                let counter = [self.take(TokenKind::For), text(" "), self.token(), text(" ")];
                concat([concat(counter), self.take(TokenKind::Lt), text(" "), self.expr(bound)])
            }
            LoopForm::While(cond) => {
                concat([self.take(TokenKind::While), text(" "), self.expr(cond)])
            }
        };
        let steps = match checkpoint {
            Some(steps) => concat([Doc::Line, self.token(), text(" "), self.expr(steps)]),
            None => doc::NIL,
        };
        let end = [text(" "), self.take(TokenKind::Do)];
        let rest = nest(4, concat([Doc::Line, init, Doc::Line, form, steps, concat(end)]));
        let head = group(concat([keyword, text(" "), state, text(" "), equals, rest]));
        concat([head, self.indented(body, None)])
    }

    pub fn if_form(&mut self, expr: &Expr) -> Doc {
        let mut expr = expr;
        let mut parts = Vec::new();
        while let ExprKind::If { cond, then, otherwise } = &expr.kind {
            parts.extend([self.take(TokenKind::If), text(" "), nest(2, self.expr(cond))]);
            parts.extend([text(" "), self.take(TokenKind::Then)]);
            parts.push(nest(2, concat([Doc::Line, self.expr(then)])));
            parts.extend([Doc::Line, self.take(TokenKind::Else)]);
            if matches!(otherwise.kind, ExprKind::If { .. }) {
                parts.push(text(" "));
            } else {
                parts.push(nest(2, concat([Doc::Line, self.expr(otherwise)])));
            }
            expr = otherwise;
        }
        group(concat(parts))
    }

    pub fn lambda(&mut self, params: &[crate::ast::Param], body: &Expr) -> Doc {
        let mut head = vec![self.take(TokenKind::Backslash)];
        for (index, param) in params.iter().enumerate() {
            if index > 0 {
                head.push(text(" "));
            }
            head.push(self.param(param));
        }
        head.extend([text(" "), self.take(TokenKind::Arrow)]);
        concat([concat(head), self.indented(body, None)])
    }
}
