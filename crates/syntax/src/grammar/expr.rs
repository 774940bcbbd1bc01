//! Operators, application and postfix forms: the rules `expr` down to `postfix` of the grammar.
//!
//! Input: tokens at the start of an expression. Output: the expression; `Error` where none stands,
//! after a report. Invariant: every rule that can contain itself goes through `enter`.

use pullback_base::{Fix, Span, Spanned};

use crate::ast::{Access, BinaryOp, Expr, ExprKind, SlicePart};
use crate::errors::{self, access, expression, operator};
use crate::parser::Parser;
use crate::token::TokenKind;

/// Levels of binary operators; higher binds tighter.
const PIPE: u8 = 1;
const COMPARISON: u8 = 4;
/// What bounds of ranges are made of: anything tighter than a comparison.
pub(crate) const SUM: u8 = 5;

/// Level of an operator, and the least level of its right operand.
fn levels(op: BinaryOp) -> (u8, u8) {
    match op {
        BinaryOp::Pipe => (PIPE, PIPE + 1),
        BinaryOp::Or => (2, 2),
        BinaryOp::And => (3, 3),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt => (COMPARISON, SUM),
        BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => (COMPARISON, SUM),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Join => (SUM, SUM + 1),
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => (6, 7),
        BinaryOp::MatMul | BinaryOp::Pow => (6, 7),
        BinaryOp::Dotted(_, plain) => levels(plain.plain()),
    }
}

impl Parser<'_> {
    /// `expr`
    pub fn expr(&mut self) -> Expr {
        if !self.enter() {
            return self.error_expr();
        }
        let start = self.pos;
        let mut expr = self.operators(PIPE);
        while self.at(TokenKind::With) && self.with_is_update() {
            expr = self.update(expr, start);
        }
        self.leave();
        expr
    }

    /// `expr` where an `=` can only be meant as `==`.
    pub fn expr_or_eq(&mut self) -> Expr {
        let start = self.pos;
        let mut lhs = self.expr();
        while self.at(TokenKind::Eq) && !self.is_quiet() {
            let where_clause = self.where_before(start);
            if let Some(found) = where_clause {
                self.report(expression::where_clause(found));
            } else if self.pos > start + 1 && self.starts_line(self.pos - 1) {
                let name = self.previous_span();
                let end = self.line_end();
                self.report(expression::missing_let(name, self.span(), end));
                // Its `in` will be left over.
                self.bad_in_item = true;
            } else {
                let place = self.place_before(&lhs);
                self.report(operator::single_equals(self.span(), place.as_deref()));
            }
            let op = Spanned { node: BinaryOp::Eq, span: self.span() };
            self.bump();
            let rhs = self.expr();
            let span = self.span_from(start);
            lhs = self.make(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span);
        }
        lhs
    }

    /// Where the last token on the current token's line ends.
    fn line_end(&self) -> Span {
        let mut index = self.pos;
        while self.token_at(index + 1).kind != TokenKind::Eof && !self.starts_line(index + 1) {
            index += 1;
        }
        self.span_of(self.token_at(index)).end()
    }

    /// An element or a field that seems to be assigned to, as a `with` would write it.
    fn place_before(&self, lhs: &Expr) -> Option<String> {
        let (ExprKind::Index { base, .. } | ExprKind::Field { base, .. }) = &lhs.kind else {
            return None;
        };
        let (base, whole) = (base.span.range(), lhs.span.range());
        let place = self.text.get(base.end..whole.end)?;
        Some(format!("{} with {place}", self.text.get(base)?))
    }

    /// The word `where` among the last few tokens of the expression that starts at token `start`.
    fn where_before(&self, start: usize) -> Option<Span> {
        let first = start.max(self.pos.saturating_sub(16));
        let tokens = (first..self.pos).map(|index| self.token_at(index));
        let mut found = tokens.filter(|token| self.token_text(*token) == "where");
        found.next().map(|token| self.span_of(token))
    }

    /// Binary operators of at least this level.
    pub fn operators(&mut self, least: u8) -> Expr {
        let start = self.pos;
        let mut lhs = self.unary();
        let mut compared: Option<BinaryOp> = None;
        let mut middle = lhs.span;
        let mut told = false;
        // Operators of other languages whose right operand reaches to the end of all this.
        let mut applied = Vec::new();
        while let Some((op, foreign)) = self.operator() {
            let (level, right) = levels(op);
            if level < least {
                break;
            }
            if level == COMPARISON {
                if let Some(before) = compared.filter(|_| !told) {
                    told = true;
                    let text = self.text.get(middle.range()).filter(|text| !text.is_empty());
                    self.report(operator::chained(before, op, text, self.span()));
                }
                compared = Some(op);
            } else if level < COMPARISON {
                compared = None;
            }
            let token = self.bump();
            // What such an operator means is a guess, which nobody should build on.
            let guessed = token.kind.binary().is_none() || (told && level == COMPARISON);
            if token.kind == TokenKind::PlusPlus && self.at_closer() {
                let after = lhs.span.end();
                self.report(operator::increment(after, self.span_of(token)));
                self.silence();
            } else if guessed && self.at_closer() {
                // Such an operator may need no second operand, whatever is meant by it.
                self.silence();
            }
            let op = Spanned { node: op, span: self.span_of(token) };
            if matches!(self.token_text(token), "$" | "<|") {
                applied.push((foreign, op.span));
            }
            let rhs = if self.enter() {
                let rhs = self.operators(right);
                self.leave();
                rhs
            } else {
                self.error_expr()
            };
            let span = self.span_from(start);
            middle = rhs.span;
            let kind = ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) };
            lhs = self.make(if guessed { ExprKind::Error } else { kind }, span);
        }
        let end = self.previous_span().end();
        for (told, op) in applied {
            self.mend_application(told, op, end);
        }
        lhs
    }

    /// Makes `f (x)` of `f $ x`, whose `$` is `op` and which reaches to `end`.
    fn mend_application(&mut self, told: Option<Span>, op: Span, end: Span) {
        let blanks = |text: &str| text.len() - text.trim_start().len();
        let behind = self.text.get(op.hi as usize..end.lo as usize).map_or(0, blanks);
        let hi = op.hi + u32::try_from(behind).unwrap_or(0);
        if hi < end.lo {
            self.mend(told, [Fix::new(Span { hi, ..op }, "("), Fix::new(end, ")")]);
        }
    }

    /// The operator that stands here; those of other languages are reported and translated, with what was told.
    fn operator(&mut self) -> Option<(BinaryOp, Option<Span>)> {
        let kind = self.kind();
        if let Some(op) = kind.binary() {
            return Some((op, None));
        }
        let op = if kind == TokenKind::And && !self.in_rec {
            BinaryOp::And
        } else if kind == TokenKind::LArrow {
            BinaryOp::Lt
        } else if kind == TokenKind::ColonColon && !self.in_index {
            BinaryOp::Add
        } else if kind == TokenKind::Foreign {
            match self.current_text() {
                "**" => BinaryOp::Mul,
                "<>" | "/=" | "!==" => BinaryOp::Ne,
                "===" | "~=" => BinaryOp::Eq,
                "&" => BinaryOp::And,
                "$" | "<|" | "<$>" | ">>" | "<<" => BinaryOp::Pipe,
                _ => return None,
            }
        } else {
            return None;
        };
        let told = self.report_open(operator::foreign(self.current_text(), self.span()));
        Some((op, told))
    }

    /// `unary`
    fn unary(&mut self) -> Expr {
        let mut minuses = Vec::new();
        let mut bang = None;
        loop {
            if self.at(TokenKind::Minus) {
                minuses.push(self.pos);
            } else if self.at(TokenKind::Bang) {
                let told = self.report_open(operator::foreign("!", self.span()));
                bang = told.map(|_| (told, self.pos));
            } else {
                break;
            }
            self.bump();
        }
        let mut expr = self.power();
        if let Some((told, at)) = bang {
            let (from, to) = (at + 1, self.previous_span().end());
            let is_single = from + 1 == self.pos || self.partner(from) == Some(self.pos - 1);
            let (open, close) = if is_single { ("not ", "") } else { ("not (", ")") };
            let fixes = [Fix::new(self.span_of(self.token_at(at)), open), Fix::new(to, close)];
            self.mend(told, fixes);
        }
        while let Some(start) = minuses.pop() {
            let span = self.span_from(start);
            expr = self.make(ExprKind::Negate(Box::new(expr)), span);
        }
        expr
    }

    /// `power`
    fn power(&mut self) -> Expr {
        let start = self.pos;
        let lhs = self.apply();
        let Some(op) = self.kind().binary().filter(|op| op.is_power()) else { return lhs };
        let token = self.bump();
        let op = Spanned { node: op, span: self.span_of(token) };
        let rhs = if self.enter() {
            let rhs = self.unary();
            self.leave();
            rhs
        } else {
            self.error_expr()
        };
        let span = self.span_from(start);
        self.make(ExprKind::Binary { op, lhs: Box::new(lhs), rhs: Box::new(rhs) }, span)
    }

    /// `apply`
    fn apply(&mut self) -> Expr {
        if self.at_open_form() {
            return self.open_form();
        }
        let start = self.pos;
        let fun = self.postfix();
        if !self.at_argument() {
            return fun;
        }
        let mut args = Vec::new();
        while self.at_argument() {
            if self.at_open_form() {
                let told = self.report_open(expression::bare_argument(&self.found(), self.span()));
                let form = self.open_form();
                let span = form.span;
                args.push(form);
                self.mend(told, Fix::around(span, "(", ")"));
                break;
            }
            args.push(self.postfix());
        }
        let span = self.span_from(start);
        // Beside text that nobody understands, even the function is in doubt.
        let clean = args.iter().chain([&fun]).all(|part| !matches!(part.kind, ExprKind::Error));
        let kind = ExprKind::App { fun: Box::new(fun), args };
        self.make(if clean { kind } else { ExprKind::Error }, span)
    }

    /// Whether one more argument stands here. A keyword on a line of its own is no argument: there
    /// something is missing before it.
    fn at_argument(&self) -> bool {
        if (self.is_quiet() && !self.at(TokenKind::Bad)) || (self.in_let && self.at(TokenKind::Let))
        {
            return false;
        }
        if self.at_open_form() {
            return !self.starts_line(self.pos);
        }
        self.at_atom() && !self.at_elif() && !self.at_forgotten_def() && !self.at_checkpoint()
    }

    /// `elif` of other languages; nobody names a variable so.
    pub fn at_elif(&self) -> bool {
        self.at(TokenKind::Lower) && matches!(self.current_text(), "elif" | "elsif" | "elseif")
    }

    /// `postfix`
    fn postfix(&mut self) -> Expr {
        let start = self.pos;
        let mut expr = self.atom();
        loop {
            if self.at(TokenKind::Dot) {
                expr = self.field(expr, start);
            } else if self.at(TokenKind::LBracket) && self.pos > start && self.is_tight(self.pos) {
                expr = self.index(expr, start);
            } else {
                return expr;
            }
        }
    }

    /// `.name`, `.0`
    fn field(&mut self, base: Expr, start: usize) -> Expr {
        self.bump();
        let kind = self.kind();
        if kind == TokenKind::Int {
            let span = self.span();
            let number = self.current_text().parse::<u32>().ok();
            if number.is_none() {
                self.report(access::field_number(span));
            }
            self.bump();
            let index = Spanned { node: number.unwrap_or(0), span };
            let whole = self.span_from(start);
            return self.make(ExprKind::TupleField { base: Box::new(base), index }, whole);
        }
        let reserved = kind.is_keyword() && !self.starts_line(self.pos) && self.is_tight(self.pos);
        if reserved {
            self.report(errors::name::reserved(self.current_text(), self.span(), "a field"));
        }
        if reserved || matches!(kind, TokenKind::Lower | TokenKind::Upper | TokenKind::Bad) {
            let field = self.ident();
            let span = self.span_from(start);
            return self.make(ExprKind::Field { base: Box::new(base), field }, span);
        }
        if kind == TokenKind::LBracket {
            self.report(access::dot_bracket(self.previous_span(), self.span()));
            return self.index(base, start);
        }
        self.report(access::no_field(&self.found(), self.previous_span()));
        let span = self.span_from(start);
        self.make(ExprKind::Error, span)
    }

    /// `[i, j]`, `[lo:hi]`, `[:, j]`, touching what precedes.
    fn index(&mut self, base: Expr, start: usize) -> Expr {
        let opener = self.open_bracket();
        self.in_index = true;
        let base = Box::new(base);
        let mut parts = Vec::new();
        if self.at(TokenKind::RBracket) {
            self.report(access::empty_index(self.previous_span().to(self.span())));
            parts.push(SlicePart::At(self.error_expr()));
        } else {
            parts = self.list(opener.0, "this index", Self::slice_part);
        }
        if self.at(TokenKind::Colon) || self.at(TokenKind::ColonColon) {
            self.report(access::bad_slice(self.span()));
        }
        let kind = if parts.iter().all(|part| matches!(part, SlicePart::At(_))) {
            let index = |part| if let SlicePart::At(index) = part { Some(index) } else { None };
            ExprKind::Index { base, indices: parts.into_iter().filter_map(index).collect() }
        } else {
            ExprKind::Slice { base, parts }
        };
        let clean = self.close_bracket(opener, "this index");
        let span = self.span_from(start);
        self.make(if clean { kind } else { ExprKind::Error }, span)
    }
    /// An index or a range.
    fn slice_part(&mut self) -> SlicePart {
        let at_colon = |this: &Self| this.at(TokenKind::Colon) || this.at(TokenKind::ColonColon);
        let at_end = |this: &Self| this.at_closer() || this.at(TokenKind::Comma) || at_colon(this);
        let lo = (!at_colon(self)).then(|| self.index_element());
        if !at_colon(self) {
            return SlicePart::At(lo.unwrap_or_else(|| self.error_expr()));
        }
        let mut hi = None;
        let both = self.at(TokenKind::ColonColon);
        self.bump();
        if !both && !at_end(self) {
            hi = Some(self.index_element());
        }
        let stepped = both || self.eat(TokenKind::Colon);
        let step = (stepped && !at_end(self)).then(|| self.index_element());
        SlicePart::Range { lo: lo.map(Box::new), hi: hi.map(Box::new), step: step.map(Box::new) }
    }
    fn index_element(&mut self) -> Expr {
        let index = self.expr_or_eq();
        if self.at(TokenKind::Foreign) && self.current_text() == ".." {
            self.report(access::dotted_slice(self.span()));
        }
        index
    }

    /// Whether the `with` that stands here changes a copy; otherwise it begins the arms of a `match`.
    fn with_is_update(&self) -> bool {
        let second = self.nth(2);
        let first = self.nth(1);
        if first == TokenKind::Lower && second == TokenKind::Dot {
            // `with la.Some x -> …` begins arms.
            return self.nth(3) != TokenKind::Upper;
        }
        let named = first == TokenKind::Lower || first.is_keyword();
        matches!(first, TokenKind::LBracket | TokenKind::Dot | TokenKind::Eq)
            || named && matches!(second, TokenKind::Eq | TokenKind::LBracket | TokenKind::ColonEq)
    }

    /// `with place = value`
    fn update(&mut self, base: Expr, start: usize) -> Expr {
        self.bump();
        let mut place = Vec::new();
        if self.at(TokenKind::Eq) {
            self.report(access::no_place(self.previous_span()));
            place.push(Access::Field(self.no_ident()));
        }
        loop {
            let first = place.is_empty();
            if self.at(TokenKind::LBracket) {
                // Nothing else than an index or `=` can stand here.
                if !first && !self.is_tight(self.pos) {
                    let follows_index = matches!(place.last(), Some(Access::Index(..)));
                    let before = self.previous_span();
                    self.report(access::loose_index(before, follows_index, self.span()));
                }
                let at = self.pos;
                let opener = self.open_bracket();
                let indices = self.list(opener.0, "this index", Self::expr_or_eq);
                if self.at(TokenKind::Colon) {
                    self.report(access::slice_update(self.span()));
                }
                self.close_bracket(opener, "this index");
                if indices.is_empty() {
                    self.report(access::empty_index(self.span_from(at)));
                }
                place.push(Access::Index(indices, self.span_from(at)));
            } else if self.eat(TokenKind::Dot) || first {
                if self.at(TokenKind::LBracket) {
                    continue;
                }
                place.push(Access::Field(self.field_name()));
            } else {
                break;
            }
            if self.at_item_end() {
                break;
            }
        }
        self.expect_eq(errors::binding::Equals::Update);
        let value = if self.enter() {
            let value = self.operators(PIPE);
            self.leave();
            value
        } else {
            self.error_expr()
        };
        let span = self.span_from(start);
        self.make(ExprKind::With { base: Box::new(base), place, value: Box::new(value) }, span)
    }
}
