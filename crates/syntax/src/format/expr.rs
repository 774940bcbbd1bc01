//! Expressions.
//!
//! Input: expressions, with the cursor at their first token. Output: their documents. Chains of
//! operators break before every operator of the chain, or before none.

use crate::ast::{Access, BinaryOp, Expr, ExprKind, Literal, SlicePart};
use crate::doc::{Doc, concat, group, nest, text};
use crate::format::source::Source;
use crate::token::TokenKind;

impl Source<'_> {
    /// An expression. The comments before it are outside its groups, so that they break no line of it.
    pub fn expr(&mut self, expr: &Expr) -> Doc {
        let before = self.leading();
        concat([before, self.without_comments_before(expr)])
    }

    fn without_comments_before(&mut self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Name(_) | ExprKind::Lit(_) | ExprKind::Error => self.token(),
            ExprKind::Operator(_) => concat([self.token(), self.token(), self.token()]),
            ExprKind::Tuple(parts) => self.bracketed(Doc::SoftLine, parts, Self::expr),
            ExprKind::Record(fields) => {
                self.bracketed(Doc::Line, fields, |source, field| source.record_field(&field.1))
            }
            ExprKind::Array(parts) => self.array(parts),
            ExprKind::Comprehension { body, clauses } => self.comprehension(body, clauses),
            ExprKind::App { fun, args } => self.application(fun, args),
            ExprKind::Lambda { params, body } => self.lambda(params, body),
            ExprKind::Binary { op, .. } if op.node.is_power() => self.power(expr),
            ExprKind::Binary { op, .. } if matches!(op.node, BinaryOp::Or | BinaryOp::And) => {
                self.right_chain(expr, op.node)
            }
            ExprKind::Binary { op, .. } => self.left_chain(expr, class(op.node)),
            ExprKind::Negate(inner) => {
                let sign = self.take(TokenKind::Minus);
                let gap = if matches!(inner.kind, ExprKind::Negate(_)) { " " } else { "" };
                concat([sign, text(gap), self.expr(inner)])
            }
            ExprKind::Index { base, indices } => {
                let base = self.expr(base);
                concat([base, self.bracketed(Doc::SoftLine, indices, Self::expr)])
            }
            ExprKind::Slice { base, parts } => {
                let base = self.expr(base);
                concat([base, self.bracketed(Doc::SoftLine, parts, Self::slice_part)])
            }
            ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => {
                // A number would run into the point.
                let is_number =
                    matches!(base.kind, ExprKind::Lit(Literal::Int(_) | Literal::Real(_)));
                let base = self.expr(base);
                let gap = if is_number { " " } else { "" };
                concat([base, text(gap), self.take(TokenKind::Dot), self.token()])
            }
            ExprKind::With { .. } => self.update(expr),
            ExprKind::If { .. } => self.if_form(expr),
            ExprKind::Match { scrutinee, arms } => self.match_form(scrutinee, arms),
            ExprKind::Let { .. } | ExprKind::LetFun { .. } => self.let_chain(expr),
            ExprKind::Loop { pattern, ty, init, form, checkpoint, body } => {
                let head = (&**pattern, ty.as_deref(), &**init);
                self.loop_form(head, form, checkpoint.as_deref(), body)
            }
            ExprKind::Ascribe { expr, ty } => {
                let open = self.take(TokenKind::LParen);
                let inner = self.expr(expr);
                let colon = self.take(TokenKind::Colon);
                let inside = concat([
                    Doc::SoftLine,
                    inner,
                    text(" "),
                    colon,
                    text(" "),
                    self.whole_type(ty),
                ]);
                group(concat([open, nest(2, inside), Doc::SoftLine, self.take(TokenKind::RParen)]))
            }
            ExprKind::Paren(inner) => self.paren(inner),
        }
    }

    /// `f a b`. A function as the last argument starts on the line of the others.
    fn application(&mut self, fun: &Expr, args: &[Expr]) -> Doc {
        let fun = self.expr(fun);
        let is_lambda = |expr: &Expr| {
            let mut inner = expr;
            while let ExprKind::Paren(next) = &inner.kind {
                inner = next;
            }
            matches!(expr.kind, ExprKind::Paren(_)) && matches!(inner.kind, ExprKind::Lambda { .. })
        };
        let (last, others) = match args.split_last() {
            Some((last, others)) if is_lambda(last) => (Some(last), others),
            _ => (None, args),
        };
        let mut rest = Vec::new();
        for arg in others {
            rest.extend([Doc::Line, self.expr(arg)]);
        }
        let head = group(concat([fun, nest(2, concat(rest))]));
        match last {
            Some(last) => concat([head, text(" "), self.expr(last)]),
            None => head,
        }
    }

    /// `a + b - c`: operators of one class, to the left.
    fn left_chain(&mut self, expr: &Expr, of: u8) -> Doc {
        let mut first = expr;
        let mut operands = Vec::new();
        while let ExprKind::Binary { op, lhs, rhs } = &first.kind
            && class(op.node) == of
        {
            operands.push(&**rhs);
            first = lhs;
        }
        operands.reverse();
        self.chain(first, &operands)
    }
    /// `a || b || c`: one operator, to the right.
    fn right_chain(&mut self, expr: &Expr, of: BinaryOp) -> Doc {
        let mut parts = Vec::new();
        let mut last = expr;
        while let ExprKind::Binary { op, lhs, rhs } = &last.kind
            && op.node == of
        {
            parts.push(&**lhs);
            last = rhs;
        }
        parts.push(last);
        self.chain(parts[0], &parts[1..])
    }
    fn chain(&mut self, first: &Expr, operands: &[&Expr]) -> Doc {
        let first = self.expr(first);
        let mut rest = Vec::new();
        for operand in operands {
            rest.extend([Doc::Line, self.token(), text(" "), self.expr(operand)]);
        }
        group(concat([first, nest(2, concat(rest))]))
    }
    fn power(&mut self, expr: &Expr) -> Doc {
        let ExprKind::Binary { lhs, rhs, .. } = &expr.kind else {
            return self.expr(expr);
        };
        let base = self.expr(lhs);
        concat([base, text(" "), self.take(TokenKind::Caret), text(" "), self.expr(rhs)])
    }

    /// `a with [i] = v with …`
    fn update(&mut self, expr: &Expr) -> Doc {
        let mut first = expr;
        let mut updates = Vec::new();
        while let ExprKind::With { base, place, value } = &first.kind {
            updates.push((place, value));
            first = base;
        }
        let first = self.expr(first);
        let mut rest = Vec::new();
        for (place, value) in updates.into_iter().rev() {
            rest.extend([Doc::Line, self.take(TokenKind::With), text(" ")]);
            for (index, access) in place.iter().enumerate() {
                rest.push(self.access(access, index == 0));
            }
            rest.extend([text(" "), self.take(TokenKind::Eq), text(" "), self.expr(value)]);
        }
        group(concat([first, nest(2, concat(rest))]))
    }
    fn slice_part(&mut self, part: &SlicePart) -> Doc {
        let (lo, hi, step) = match part {
            SlicePart::At(index) => return self.expr(index),
            SlicePart::Range { lo, hi, step } => (lo, hi, step),
        };
        let mut parts: Vec<Doc> = lo.iter().map(|bound| self.expr(bound)).collect();
        if self.at(TokenKind::ColonColon) {
            parts.push(self.token());
        } else {
            parts.push(self.take(TokenKind::Colon));
            parts.extend(hi.iter().map(|bound| self.expr(bound)).collect::<Vec<_>>());
            parts.push(match step {
                Some(_) => self.take(TokenKind::Colon),
                None => self.drop_if(TokenKind::Colon),
            });
        }
        parts.extend(step.iter().map(|step| self.expr(step)).collect::<Vec<_>>());
        concat(parts)
    }
    fn access(&mut self, access: &Access, is_first: bool) -> Doc {
        let dot = if is_first { self.drop_if(TokenKind::Dot) } else { concat([]) };
        match access {
            Access::Index(indices, _) => {
                let dot = concat([dot, self.drop_if(TokenKind::Dot)]);
                concat([dot, self.bracketed(Doc::SoftLine, indices, Self::expr)])
            }
            Access::Field(_) if is_first => concat([dot, self.token()]),
            Access::Field(_) => concat([self.take(TokenKind::Dot), self.token()]),
        }
    }
}

/// Operators that share a chain.
fn class(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Pipe => 0,
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt => 3,
        BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 3,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Join => 4,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 5,
        BinaryOp::MatMul => 5,
        BinaryOp::Pow => 6,
        BinaryOp::Dotted(_, plain) => class(plain.plain()),
    }
}
