//! Lambdas, `if`, `match` and `loop`.
//!
//! Input: tokens at the form's keyword. Output: the form, which extends as far right as it can.

use crate::ast::{Arm, Expr, ExprKind, LoopForm, Param};
use crate::errors::{control, expression, lambda};
use crate::grammar::expr::SUM;
use crate::parser::Parser;
use crate::token::TokenKind;
use pullback_base::{Fix, Span};

impl Parser<'_> {
    /// Whether a form stands here that extends as far right as it can.
    pub fn at_open_form(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Backslash
                | TokenKind::If
                | TokenKind::Match
                | TokenKind::Let
                | TokenKind::Loop
        )
    }
    /// `open`
    pub fn open_form(&mut self) -> Expr {
        let start = self.pos;
        let token = self.bump().kind;
        let kind = if token == TokenKind::Backslash {
            self.lambda()
        } else if token == TokenKind::If {
            self.if_form()
        } else if token == TokenKind::Match {
            self.match_form()
        } else if token == TokenKind::Loop {
            self.loop_form()
        } else {
            self.let_form(start)
        };
        let span = self.span_from(start);
        self.make(kind, span)
    }

    fn lambda(&mut self) -> ExprKind {
        let params = self.params();
        if params.is_empty() {
            self.report(lambda::no_parameter(&self.found(), self.previous_span()));
        }
        self.lambda_rest(params)
    }
    fn lambda_rest(&mut self, params: Vec<Param>) -> ExprKind {
        if !self.eat(TokenKind::Arrow) {
            let fixes = self.lambda_fixes(&params);
            self.report(lambda::no_arrow(self.kind(), &self.found(), self.span(), fixes));
            if matches!(self.kind(), TokenKind::FatArrow | TokenKind::Dot | TokenKind::Eq) {
                self.bump();
            } else {
                self.skip_to(&[TokenKind::Arrow]);
                if !self.eat(TokenKind::Arrow) {
                    let body = Box::new(self.error_expr());
                    return ExprKind::Lambda { params, body };
                }
            }
        }
        ExprKind::Lambda { params, body: Box::new(self.expr()) }
    }

    /// What makes `\\x -> e` of `\\x. e`, `\\(x: T) -> e` of `\\x: T -> e`, and `\\x y -> e` of `\\x, y -> e`.
    fn lambda_fixes(&mut self, params: &[Param]) -> Vec<Fix> {
        let span = self.span();
        if matches!(self.kind(), TokenKind::FatArrow | TokenKind::Eq) {
            return vec![Fix::new(span, "->")];
        }
        if self.at(TokenKind::Dot) {
            return vec![Fix::new(span, " ->")];
        }
        if self.at(TokenKind::Colon)
            && let Some(end) = self.end_before(&[TokenKind::Arrow])
            && let Some(last) = params.last()
        {
            return vec![Fix::new(last.pattern.span.start(), "("), Fix::new(end, ")")];
        }
        let mut commas = vec![];
        let mut index = self.pos;
        loop {
            let token = self.token_at(index);
            if token.kind == TokenKind::Comma {
                commas.push(Fix::new(self.span_of(token), ""));
            } else if token.kind == TokenKind::Arrow {
                return commas;
            } else if !matches!(token.kind, TokenKind::Lower | TokenKind::Underscore) {
                return vec![];
            }
            index += 1;
        }
    }

    /// `fun x -> e` and its like in other languages.
    pub fn at_foreign_lambda(&self) -> bool {
        if !matches!(self.current_text(), "fun" | "fn" | "function" | "lambda") {
            return false;
        }
        let mut index = self.pos + 1;
        for _ in 0..16 {
            let kind = self.token_at(index).kind;
            if matches!(kind, TokenKind::Arrow | TokenKind::FatArrow) {
                return index > self.pos + 1;
            }
            if !matches!(kind, TokenKind::Lower | TokenKind::Underscore | TokenKind::LParen) {
                return false;
            }
            index = self.partner(index).unwrap_or(index) + 1;
        }
        false
    }
    pub fn foreign_lambda(&mut self) -> Expr {
        let start = self.pos;
        let params = self.span_of(self.token_at(start + 1));
        self.report(lambda::foreign(self.current_text(), self.span(), params));
        self.bump();
        let params = self.params();
        if !self.eat(TokenKind::Arrow) {
            self.bump();
        }
        let body = Box::new(self.expr());
        let span = self.span_from(start);
        self.make(ExprKind::Lambda { params, body }, span)
    }

    fn if_form(&mut self) -> ExprKind {
        let keyword = self.previous_span();
        let cond = Box::new(self.expr_or_eq());
        if !self.eat(TokenKind::Then) {
            self.report(control::no_then(self.kind(), &self.found(), self.span(), keyword));
            self.skip_to(&[TokenKind::Then]);
            self.eat(TokenKind::Then);
        }
        let then = Box::new(self.expr_or_eq());
        if self.at_elif() {
            self.report(control::elif(self.current_text(), self.span()));
            let start = self.pos;
            self.bump();
            let nested = if self.enter() {
                let nested = self.if_form();
                self.leave();
                nested
            } else {
                ExprKind::Error
            };
            let span = self.span_from(start);
            let otherwise = Box::new(self.make(nested, span));
            return ExprKind::If { cond, then, otherwise };
        }
        if self.at(TokenKind::Semi) && self.nth(1) == TokenKind::Else {
            self.report(expression::semicolon(self.span(), "leave it out", Some("")));
            self.bump();
        }
        if !self.eat(TokenKind::Else) {
            self.report(control::no_else(&self.found(), self.previous_span().end(), keyword));
            if !self.at_closer() {
                self.skip_to(&[TokenKind::Else]);
            }
            if !self.eat(TokenKind::Else) {
                let otherwise = Box::new(self.error_expr());
                return ExprKind::If { cond, then, otherwise };
            }
        }
        ExprKind::If { cond, then, otherwise: Box::new(self.expr()) }
    }

    fn match_form(&mut self) -> ExprKind {
        let keyword = self.previous_span();
        let scrutinee = Box::new(self.expr_or_eq());
        if !self.eat(TokenKind::With) {
            let fix = self.with_fix();
            self.report(control::no_with(&self.found(), self.span(), keyword, fix));
            self.skip_to(&[TokenKind::With]);
            self.eat(TokenKind::With);
        }
        self.eat(TokenKind::Bar);
        let mut arms = Vec::new();
        if self.at_item_end() || self.kind().is_closer() {
            self.report(control::no_arms(keyword));
            return ExprKind::Match { scrutinee, arms };
        }
        loop {
            let is_first = arms.is_empty();
            arms.push(self.arm(keyword, is_first));
            if !self.eat(TokenKind::Bar) {
                return ExprKind::Match { scrutinee, arms };
            }
        }
    }
    /// The `with` that a `match` lacks, where its arms begin: in the place of an `of` if there is one.
    fn with_fix(&self) -> Option<Fix> {
        let before = self.previous_span();
        if !self.at(TokenKind::Bar) {
            return None;
        }
        let is_of = self.text.get(before.range()) == Some("of");
        Some(if is_of { Fix::new(before, "with") } else { Fix::new(before.end(), " with") })
    }

    /// What mends an arm without an arrow behind its pattern.
    fn arm_fixes(&mut self, start: usize, keyword: Span, is_first: bool) -> Vec<Fix> {
        let span = self.span();
        if matches!(self.kind(), TokenKind::FatArrow | TokenKind::Eq | TokenKind::Colon) {
            return vec![Fix::new(span, "->")];
        }
        if self.at(TokenKind::Lt) && !is_first && start >= 2 {
            // What precedes the bar is the last arm.
            let end = self.span_of(self.token_at(start - 2)).end();
            return vec![Fix::new(keyword.start(), "("), Fix::new(end, ")")];
        }
        if !self.at(TokenKind::Bar) {
            return vec![];
        }
        let (here, end) = (self.pos, self.previous_span().end());
        while self.at(TokenKind::Bar) {
            self.pos += 1;
            self.skip_to(&[TokenKind::Arrow]);
        }
        let body = self.at(TokenKind::Arrow).then(|| self.span());
        let last = self.end_before(&[]);
        self.pos = here;
        let body = body.zip(last).and_then(|(arrow, last)| {
            self.text.get(arrow.hi as usize..last.hi as usize).map(str::trim)
        });
        body.map(|body| Fix::new(end, format!(" -> {body}"))).into_iter().collect()
    }

    fn arm(&mut self, keyword: Span, is_first: bool) -> Arm {
        let start = self.pos;
        let pattern = self.pattern();
        if !self.eat(TokenKind::Arrow) {
            let fixes = self.arm_fixes(start, keyword, is_first);
            self.report(control::no_arm_arrow(
                self.kind(),
                self.current_text(),
                &self.found(),
                self.span(),
                fixes,
            ));
            if matches!(self.kind(), TokenKind::FatArrow | TokenKind::Eq | TokenKind::Colon) {
                self.bump();
            } else {
                self.skip_to(&[TokenKind::Arrow]);
                if !self.eat(TokenKind::Arrow) {
                    let body = self.error_expr();
                    return Arm { pattern, body, span: self.span_from(start) };
                }
            }
        }
        let body = self.expr_or_eq();
        Arm { pattern, body, span: self.span_from(start) }
    }

    fn loop_form(&mut self) -> ExprKind {
        let keyword = self.previous_span();
        let outer = std::mem::replace(&mut self.in_head, false);
        let pattern = Box::new(self.pattern());
        let ty = self.optional_type().map(Box::new);
        self.expect_eq(crate::errors::binding::Equals::Loop);
        let init = Box::new(self.expr_or_eq());
        self.in_head = true;
        let form = self.rounds(keyword);
        self.in_head = true;
        let has_checkpoint = self.at_checkpoint();
        self.in_head = false;
        let checkpoint = has_checkpoint.then(|| {
            self.bump();
            Box::new(self.expr_or_eq())
        });
        self.in_head = outer;
        if !self.eat(TokenKind::Do) {
            self.report(control::no_do(self.kind(), &self.found(), self.span(), keyword));
            self.skip_to(&[TokenKind::Do]);
            if !self.eat(TokenKind::Do) {
                let body = Box::new(self.error_expr());
                return ExprKind::Loop { pattern, ty, init, form, checkpoint, body };
            }
        }
        ExprKind::Loop { pattern, ty, init, form, checkpoint, body: Box::new(self.expr()) }
    }

    /// `for i < n` or `while c`
    fn rounds(&mut self, keyword: Span) -> LoopForm {
        if self.eat(TokenKind::For) {
            let var = self.variable("a loop's counter");
            if !self.eat(TokenKind::Lt) {
                let fixes = self.range_fixes();
                self.report(control::bad_range(&self.found(), self.span(), &var.node, fixes));
                if self.at(TokenKind::Le) {
                    self.bump();
                } else {
                    self.skip_to(&[TokenKind::Do]);
                }
            }
            LoopForm::For { var, bound: Box::new(self.operators(SUM)) }
        } else if self.eat(TokenKind::While) {
            LoopForm::While(Box::new(self.expr_or_eq()))
        } else {
            self.report(control::no_loop_form(&self.found(), self.span(), keyword));
            LoopForm::While(Box::new(self.error_expr()))
        }
    }

    /// What makes `i < n` of `i in n`, `i <- n`, `i in 0..n` and `i <= n`, of which the last runs once more.
    fn range_fixes(&mut self) -> Vec<Fix> {
        let span = self.span();
        if self.at(TokenKind::Le) {
            let end = self.end_before(&[TokenKind::Do]);
            let once_more = |end| vec![Fix::new(span, "<"), Fix::new(end, " + 1")];
            return end.map_or_else(Vec::new, once_more);
        }
        if !matches!(self.kind(), TokenKind::In | TokenKind::LArrow | TokenKind::Eq) {
            return vec![];
        }
        let text = |ahead: usize| self.token_text(self.token_at(self.pos + ahead));
        if (text(1), text(2)) == ("0", "..") {
            let dots = self.span_of(self.token_at(self.pos + 2));
            return vec![Fix::new(span.to(dots), "< ")];
        }
        if self.at(TokenKind::Eq) { vec![] } else { vec![Fix::new(span, "<")] }
    }

    /// The word `checkpoint` in a loop's head, outside of brackets, with the beginning of a number of steps behind
    /// it. Everywhere else it is a name like others.
    pub fn at_checkpoint(&self) -> bool {
        let begins_steps = matches!(
            self.nth(1),
            TokenKind::Lower
                | TokenKind::Upper
                | TokenKind::Int
                | TokenKind::Real
                | TokenKind::LParen
                | TokenKind::If
                | TokenKind::Match
                | TokenKind::Let
                | TokenKind::Loop
        );
        self.in_head
            && self.at(TokenKind::Lower)
            && self.current_text() == "checkpoint"
            && begins_steps
    }
}
