//! Lambdas, `if`, `match` and `loop`.
//!
//! Input: tokens at the form's keyword. Output: the form, which extends as far right as it can.

use crate::ast::{Arm, Expr, ExprKind, LoopForm, Param};
use crate::errors::{control, expression, lambda};
use crate::grammar::expr::SUM;
use crate::parser::Parser;
use crate::token::TokenKind;
use pullback_base::Span;

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
            self.report(lambda::no_arrow(self.kind(), &self.found(), self.span()));
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
        self.report(lambda::foreign(self.current_text(), self.span()));
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
            self.report(control::no_then(&self.found(), self.span(), keyword));
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
            self.report(expression::semicolon(self.span(), "leave it out"));
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
            self.report(control::no_with(&self.found(), self.span(), keyword));
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
            arms.push(self.arm());
            if !self.eat(TokenKind::Bar) {
                return ExprKind::Match { scrutinee, arms };
            }
        }
    }
    fn arm(&mut self) -> Arm {
        let start = self.pos;
        let pattern = self.pattern();
        if !self.eat(TokenKind::Arrow) {
            self.report(control::no_arm_arrow(
                self.kind(),
                self.current_text(),
                &self.found(),
                self.span(),
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
            self.report(control::no_do(&self.found(), self.span(), keyword));
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
                self.report(control::bad_range(&self.found(), self.span(), &var.node));
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
