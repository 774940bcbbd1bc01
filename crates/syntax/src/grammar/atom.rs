//! Atoms: names, literals and everything in brackets.
//!
//! Input: tokens at an atom. Output: the atom. Invariant: a bracket's contents never leak out of it:
//! whatever goes wrong inside, parsing continues after its closing bracket.

use crate::ast::{Clause, Expr, ExprKind, Ident, Literal};
use crate::errors::{self, collection, expression, lexical};
use crate::grammar::expr::SUM;
use crate::lexer;
use crate::parser::Parser;
use crate::token::TokenKind;
use pullback_base::{Fix, Name};

/// An open bracket: its token, and what to restore at its end.
pub(crate) type Opened = (usize, [bool; 4]);

/// Whether an atom starts with such a token.
pub(crate) fn begins_atom(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Lower
            | TokenKind::Upper
            | TokenKind::Underscore
            | TokenKind::Int
            | TokenKind::Real
            | TokenKind::Str
            | TokenKind::True
            | TokenKind::False
            | TokenKind::LParen
            | TokenKind::LBracket
            | TokenKind::LBrace
            | TokenKind::Bad
    )
}

impl Parser<'_> {
    /// Whether an atom starts here.
    pub fn at_atom(&self) -> bool {
        begins_atom(self.kind())
    }
    /// Whether nothing more can stand in the innermost bracket.
    pub fn at_closer(&self) -> bool {
        self.kind().is_closer() || self.at_item_end()
    }

    /// Takes an opening bracket.
    pub fn open_bracket(&mut self) -> Opened {
        let opener = self.pos;
        self.bump();
        self.brackets += 1;
        let outer = [self.in_rec, self.in_head, self.in_let, self.in_index];
        [self.in_rec, self.in_head, self.in_let, self.in_index] = [false; 4];
        (opener, outer)
    }
    /// Takes the closing bracket, skipping what cannot be read before it. False where the contents
    /// ended in a mistake.
    pub fn close_bracket(&mut self, (opener, outer): Opened, in_what: &str) -> bool {
        self.brackets = self.brackets.saturating_sub(1);
        [self.in_rec, self.in_head, self.in_let, self.in_index] = outer;
        let clean = !self.is_quiet() && self.partner(opener) == Some(self.pos);
        self.close(opener, in_what);
        clean
    }

    /// Elements separated by commas, up to the closing bracket (which is not taken).
    pub fn list<T>(
        &mut self,
        opener: usize,
        in_what: &str,
        mut element: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let mut elements = Vec::new();
        while !self.at_closer() {
            let before = self.pos;
            elements.push(element(self));
            if self.at_closer()
                || self.at(TokenKind::Colon)
                || self.at(TokenKind::ColonColon)
                || self.at(TokenKind::Bar)
            {
                break;
            }
            if self.at(TokenKind::Semi) {
                self.report(expression::semicolon(
                    self.span(),
                    "separate elements with commas",
                    Some(","),
                ));
                self.bump();
                continue;
            }
            if !self.at(TokenKind::Comma) {
                let opener = self.span_of(self.token_at(opener));
                self.report(errors::unexpected_inside(&self.found(), self.span(), in_what, opener));
                self.skip_to(&[TokenKind::Comma]);
            }
            if !self.eat(TokenKind::Comma) || self.pos == before {
                break;
            }
        }
        elements
    }

    /// `atom`
    pub fn atom(&mut self) -> Expr {
        let start = self.pos;
        let token = self.kind();
        if token == TokenKind::LParen {
            return self.paren();
        } else if token == TokenKind::LBracket {
            return self.array();
        } else if token == TokenKind::LBrace {
            return self.record();
        } else if token == TokenKind::Lower && self.at_foreign_lambda() {
            return self.foreign_lambda();
        }
        let kind = if matches!(token, TokenKind::Lower | TokenKind::Upper) {
            ExprKind::Name(self.ident().node)
        } else if token.is_literal() {
            ExprKind::Lit(self.literal())
        } else {
            if token != TokenKind::Bad {
                self.missing_expr();
            }
            if matches!(token, TokenKind::Bad | TokenKind::Underscore) {
                self.bump();
            }
            ExprKind::Error
        };
        let span = self.span_from(start);
        self.make(kind, span)
    }

    /// Reports that an expression should stand here.
    fn missing_expr(&mut self) {
        if self.knows_reserved(self.current_text()) {
            // It was meant as a name, which has been reported where it was bound.
            self.silence();
        }
        self.nested_item |= self.kind().starts_item() && !self.in_first_column(self.pos);
        let number = self.at(TokenKind::Dot) && self.nth(1) == TokenKind::Int;
        let report = if number {
            lexical::no_leading_zero(self.span())
        } else {
            expression::missing(
                self.kind(),
                &self.found(),
                self.span(),
                &self.after(),
                self.previous_span(),
            )
        };
        self.report(report);
    }

    /// The literal that stands here.
    pub fn literal(&mut self) -> Literal {
        let token = self.bump();
        let text = self.token_text(token);
        if token.kind == TokenKind::Str {
            Literal::Str(lexer::unescape(text).0)
        } else if matches!(token.kind, TokenKind::True | TokenKind::False) {
            Literal::Bool(token.kind == TokenKind::True)
        } else {
            lexer::number_value(text, token.kind)
        }
    }

    /// Everything that starts with `(`.
    fn paren(&mut self) -> Expr {
        let start = self.pos;
        let opener = self.open_bracket();
        let kind = if self.at(TokenKind::RParen) {
            ExprKind::Tuple(Vec::new())
        } else if self.at(TokenKind::Star) && self.nth(1) != TokenKind::RParen {
            self.report(lexical::foreign_comment(self.previous_span().to(self.span())));
            ExprKind::Error
        } else if let (Some(op), TokenKind::RParen) = (self.kind().binary(), self.nth(1)) {
            self.bump();
            ExprKind::Operator(op)
        } else {
            self.paren_contents(opener)
        };
        let clean = self.close_bracket(opener, "these parentheses");
        let span = self.span_from(start);
        self.make(if clean { kind } else { ExprKind::Error }, span)
    }
    fn paren_contents(&mut self, opener: Opened) -> ExprKind {
        if self.kind().binary().is_some() && !self.at(TokenKind::Minus) {
            self.report(expression::section(self.current_text(), self.span()));
            return ExprKind::Error;
        }
        let first = self.expr_or_eq();
        if self.eat(TokenKind::Colon) {
            let ty = Box::new(self.ty());
            return ExprKind::Ascribe { expr: Box::new(first), ty };
        }
        let semi = self.at(TokenKind::Semi);
        if semi {
            self.report(expression::semicolon(
                self.span(),
                "separate components with commas",
                Some(","),
            ));
        }
        if !semi && !self.at(TokenKind::Comma) {
            return ExprKind::Paren(Box::new(first));
        }
        self.bump();
        let mut parts = vec![first];
        parts.extend(self.list(opener.0, "this tuple", Self::expr_or_eq));
        if parts.len() == 1 {
            return ExprKind::Paren(Box::new(parts.remove(0)));
        }
        ExprKind::Tuple(parts)
    }

    /// `[a, b]`, `[ e | clauses ]`
    fn array(&mut self) -> Expr {
        let start = self.pos;
        let opener = self.open_bracket();
        let mut parts = self.list(opener.0, "this array", Self::array_element);
        let mut kind = None;
        if self.at(TokenKind::Bar) {
            let body = if parts.len() == 1 { parts.pop() } else { None };
            if body.is_none() {
                self.report(collection::comprehension_body(self.span()));
            }
            self.bump();
            let body = Box::new(body.unwrap_or_else(|| self.error_expr()));
            let clauses = self.clauses(opener.0);
            kind = Some(ExprKind::Comprehension { body, clauses });
        } else if self.at(TokenKind::Colon) {
            self.report(collection::range(self.span()));
        }
        let clean = self.close_bracket(opener, "this array");
        let span = self.span_from(start);
        let kind = kind.unwrap_or(ExprKind::Array(parts));
        self.make(if clean { kind } else { ExprKind::Error }, span)
    }
    fn array_element(&mut self) -> Expr {
        let element = self.expr_or_eq();
        let range = self.at(TokenKind::Foreign) && self.current_text() == "..";
        if range {
            self.report(collection::range(self.span()));
        } else if self.at(TokenKind::For) {
            let word = self.token_at(self.pos + 2);
            let word = (word.kind == TokenKind::In).then(|| self.span_of(word));
            self.report(collection::python_comprehension(self.span(), word));
        }
        element
    }

    /// The clauses of a comprehension: at least one.
    fn clauses(&mut self, opener: usize) -> Vec<Clause> {
        let mut clauses = self.list(opener, "this comprehension", Self::clause);
        clauses.retain(Option::is_some);
        if clauses.is_empty() {
            self.report(collection::no_clause(self.previous_span()));
            let bound = self.error_expr();
            return vec![Clause::Range { var: self.no_ident(), bound }];
        }
        clauses.into_iter().flatten().collect()
    }
    /// `i < n` or `p <- xs`; nothing where neither stands.
    fn clause(&mut self) -> Option<Clause> {
        let names =
            matches!(self.kind(), TokenKind::Lower | TokenKind::Underscore | TokenKind::Upper);
        if names && self.nth(1) == TokenKind::Lt {
            let var = self.variable("an index");
            self.bump();
            return Some(Clause::Range { var, bound: self.operators(SUM) });
        }
        let pattern = self.pattern();
        if !self.eat(TokenKind::LArrow) {
            let end = self.end_before(&[TokenKind::Comma]);
            self.report(collection::bad_clause(self.kind(), &self.found(), self.span(), end));
            return None;
        }
        Some(Clause::In { pattern, source: self.expr_or_eq() })
    }

    /// `{ w = a, b = c }`
    fn record(&mut self) -> Expr {
        let start = self.pos;
        let opener = self.open_bracket();
        let foreign_update = self.at(TokenKind::Lower) && self.nth(1) == TokenKind::With;
        let is_json = self.at(TokenKind::Str) && self.nth(1) == TokenKind::Colon;
        // What is meant is plain: the rest is not looked at, so that it is told once.
        let fields = if foreign_update {
            let fixes = self.update_fixes(start);
            self.report(collection::record_update(self.current_text(), self.span(), fixes));
            Vec::new()
        } else if self.starts_block() {
            let closer = self.partner(start).map(|closer| self.span_of(self.token_at(closer)));
            self.report(collection::block(self.current_text(), self.previous_span(), closer));
            Vec::new()
        } else if is_json {
            let text = self.current_text();
            let fixes = self.json_fixes(start);
            self.report(collection::json(text, self.span(), fixes));
            Vec::new()
        } else {
            self.list(opener.0, "this record", Self::record_field)
        };
        let clean = self.close_bracket(opener, "this record");
        let span = self.span_from(start);
        self.make(if clean { ExprKind::Record(fields) } else { ExprKind::Error }, span)
    }
    /// What makes `(r with b = 1 with c = 2)` of `{ r with b = 1, c = 2 }`.
    fn update_fixes(&self, opener: usize) -> Vec<Fix> {
        let Some(closer) = self.partner(opener) else { return vec![] };
        let at = |index| self.span_of(self.token_at(index));
        let mut fixes = vec![Fix::new(at(opener), "("), Fix::new(at(closer), ")")];
        let inside = self.inside(opener).into_iter();
        let commas = inside.filter(|token| token.kind == TokenKind::Comma);
        fixes.extend(commas.map(|token| Fix::new(self.span_of(token), " with")));
        fixes
    }
    /// What makes `{ x = 1 }` of `{ "x": 1 }`; nothing if a name could name no field.
    fn json_fixes(&self, opener: usize) -> Vec<Fix> {
        let inside = self.inside(opener);
        let mut fixes = vec![];
        for pair in inside.windows(2) {
            if (pair[0].kind, pair[1].kind) == (TokenKind::Str, TokenKind::Colon) {
                let name = self.token_text(pair[0]).trim_matches('"');
                if !collection::is_name(name) {
                    return vec![];
                }
                fixes.push(Fix::new(self.span_of(pair[0]), name));
                fixes.push(Fix::new(self.span_of(pair[1]), " ="));
            }
        }
        fixes
    }
    /// Whether a statement stands here, where a field's name should: not as one, followed by `=`.
    fn starts_block(&self) -> bool {
        matches!(self.kind(), TokenKind::Let | TokenKind::If | TokenKind::Match | TokenKind::Loop)
            && !matches!(self.nth(1), TokenKind::Eq | TokenKind::Colon)
    }
    fn record_field(&mut self) -> (Ident, Expr) {
        let name = self.field_name();
        if self.at(TokenKind::Colon) || self.at(TokenKind::ColonEq) {
            self.report(collection::field_separator(self.current_text(), self.span(), &name.node));
            self.bump();
        } else if !self.eat(TokenKind::Eq) {
            let ends = self.at(TokenKind::Comma) || self.at_closer();
            self.report(collection::no_field_value(&name.node, name.span, ends));
            if ends {
                let value = self.make(ExprKind::Error, name.span);
                return (name, value);
            }
        }
        let value = self.expr();
        if self.at(TokenKind::Eq) {
            let after = self.span_of(self.token_at(self.pos.saturating_sub(2))).end();
            self.report(collection::missing_comma(after, self.previous_span(), self.span()));
            self.bump();
            self.expr();
        }
        (name, value)
    }

    /// The name of a field; reports where none stands.
    pub fn field_name(&mut self) -> Ident {
        let kind = self.kind();
        if kind == TokenKind::Upper {
            self.report(errors::name::upper_case(self.current_text(), self.span(), "a field"));
        } else if self.at_keyword_as_name() {
            self.report(errors::name::reserved(self.current_text(), self.span(), "a field"));
        } else if kind == TokenKind::Str {
            self.report(collection::quoted_field(self.current_text(), self.span()));
        } else if !matches!(kind, TokenKind::Lower | TokenKind::Bad) {
            self.report(collection::no_field_name(&self.found(), self.span()));
            return self.no_ident();
        }
        self.ident()
    }

    /// Whether a reserved word stands here for a name. Words that continue other constructs only do
    /// so before what follows a name.
    pub fn at_keyword_as_name(&self) -> bool {
        let kind = self.kind();
        let next = self.nth(1);
        let continues = matches!(
            kind,
            TokenKind::In
                | TokenKind::Then
                | TokenKind::Else
                | TokenKind::Do
                | TokenKind::And
                | TokenKind::With
        );
        let names = next.is_closer()
            || matches!(next, TokenKind::Eq | TokenKind::Colon | TokenKind::Comma | TokenKind::Lt);
        kind.is_keyword()
            && !(kind.starts_item() && self.starts_line(self.pos))
            && (!continues || names)
    }

    /// A lower-case name or `_`; reports where none stands.
    pub fn variable(&mut self, what: &str) -> Ident {
        let kind = self.kind();
        if kind == TokenKind::Upper {
            self.report(errors::name::upper_case(self.current_text(), self.span(), what));
        } else if self.at_keyword_as_name() {
            self.report(errors::name::reserved(self.current_text(), self.span(), what));
        } else if !matches!(kind, TokenKind::Lower | TokenKind::Underscore | TokenKind::Bad) {
            self.report(errors::name::missing(&self.found(), self.span(), what, &self.after()));
            return self.no_ident();
        }
        let name = self.ident();
        if name.node.is_empty() { Ident { node: Name::new("_"), span: name.span } } else { name }
    }
}
