//! Top-level items.
//!
//! Input: the whole token list. Output: the items. Invariant: a mistake in one item does not reach
//! the next, which starts at its keyword.

use pullback_base::{Span, Spanned};

use crate::ast::{
    Comment, CommentKind, Constructor, Def, Expr, ExprKind, Import, Item, ItemKind, TangentClause,
    TypeBody, TypeDecl,
};
use crate::errors::{self, item as mistake};
use crate::lexer;
use crate::parser::Parser;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `module`
    pub fn items(&mut self, comments: &[Comment]) -> Vec<Item> {
        let mut items = Vec::new();
        let mut comments = comments.iter().peekable();
        while !self.at(TokenKind::Eof) {
            self.begin_item();
            let start = self.pos;
            let lo = self.span().lo;
            let mut before = Vec::new();
            while let Some(comment) = comments.next_if(|comment| comment.span.lo < lo) {
                before.push(comment);
            }
            let doc = self.documentation(&before, start);
            let nested = std::mem::replace(&mut self.nested_item, false);
            let mut kind = self.item();
            let span = self.span_from(start);
            self.end_of_item();
            if let (ItemKind::Def(def), Some(mistake)) = (&mut kind, self.first_mistake()) {
                silence(def, mistake, self.text);
            }
            if let (ItemKind::Def(def), true) = (&mut kind, nested) {
                def.body.kind = ExprKind::Error;
            }
            items.push(Item { kind, span, doc });
            // Comments inside the item document nothing.
            let end = self.previous_span().hi;
            while comments.next_if(|comment| comment.span.lo < end).is_some() {}
            if self.pos == start {
                self.pos += 1;
            }
        }
        items
    }

    /// The text of the last documentation comment before token `start`, without its marks.
    fn documentation(&self, comments: &[&Comment], start: usize) -> String {
        let previous = start.checked_sub(1).map_or(0, |before| self.token_at(before).hi as usize);
        let mut lines: Vec<&str> = Vec::new();
        for comment in comments.iter().filter(|comment| comment.kind == CommentKind::Doc) {
            let lo = comment.span.lo as usize;
            let trails = start > 0 && !self.text[previous.min(lo)..lo].contains('\n');
            let text = self.text[comment.span.range()][2..].trim_start();
            if trails {
                continue;
            }
            if let Some(first) = text.strip_prefix('|') {
                lines.clear();
                lines.push(first.trim());
            } else {
                lines.push(text.trim_end());
            }
        }
        lines.join("\n")
    }

    fn item(&mut self) -> ItemKind {
        let start = self.pos;
        if self.eat(TokenKind::Import) {
            self.import()
        } else if self.eat(TokenKind::Type) {
            self.type_declaration()
        } else if self.eat(TokenKind::Def) {
            ItemKind::Def(self.def(start))
        } else {
            self.stray_item()
        }
    }
    /// What starts with no item's keyword.
    fn stray_item(&mut self) -> ItemKind {
        let start = self.pos;
        let word = self.current_text();
        if self.at(TokenKind::Let) {
            self.report(mistake::let_at_top(self.span()));
            self.bump();
            self.eat(TokenKind::Rec);
            let def = self.def(start);
            if self.at(TokenKind::In) {
                // A whole expression stands here, and one message is enough.
                self.skip_to_item();
            }
            return ItemKind::Def(def);
        }
        let next = self.nth(1);
        let meant = mistake::meant_keyword(word).filter(|_| self.at(TokenKind::Lower));
        let declares_type = meant == Some("type") && next == TokenKind::Upper;
        if self.looks_like_def(self.pos) && self.at(TokenKind::Lower) && !declares_type {
            let foreign = meant == Some("def") && next == TokenKind::Lower;
            self.report(mistake::no_def(word, self.span(), foreign));
            if foreign {
                self.bump();
            }
            return ItemKind::Def(self.def(start));
        }
        let after = self.token_text(self.token_at(self.pos + 1));
        self.report(mistake::stray_text(self.kind(), word, after, &self.found(), self.span()));
        if declares_type {
            self.bump();
            return self.type_declaration();
        }
        if self.at(TokenKind::Lower) && self.looks_like_import() {
            self.bump();
            return self.import();
        }
        self.skip_to_item();
        ItemKind::Error
    }

    fn def(&mut self, start: usize) -> Def {
        if self.at(TokenKind::Lower) && self.current_text() == "rec" {
            self.bump();
        }
        self.function(start)
    }

    /// A definition at the very left whose `def` was forgotten.
    pub fn at_forgotten_def(&self) -> bool {
        self.at(TokenKind::Lower)
            && self.brackets == 0
            && self.in_first_column(self.pos)
            && (self.looks_like_def(self.pos) || self.looks_like_import())
    }
    /// Whether what stands for `import` is followed by a path.
    fn looks_like_import(&self) -> bool {
        self.nth(1) == TokenKind::Str
            && mistake::meant_keyword(self.current_text()) == Some("import")
    }
    /// Whether the name at token `index` is followed by what looks like parameters and `=`.
    fn looks_like_def(&self, index: usize) -> bool {
        let mut at = index + 1;
        for _ in 0..24 {
            let token = self.token_at(at);
            let passes = matches!(
                token.kind,
                TokenKind::Lower
                    | TokenKind::Upper
                    | TokenKind::Underscore
                    | TokenKind::Colon
                    | TokenKind::Arrow
                    | TokenKind::Dot
                    | TokenKind::LParen
                    | TokenKind::LBracket
                    | TokenKind::LBrace
            );
            if token.kind == TokenKind::Eq {
                return true;
            }
            if !passes || self.in_first_column(at) {
                return false;
            }
            at = self.partner(at).unwrap_or(at) + 1;
        }
        false
    }

    /// What is left between an item and the next one.
    fn end_of_item(&mut self) {
        if self.at_item_end() || self.at_forgotten_def() {
            return;
        }
        if self.at(TokenKind::Semi) {
            let hint = "nothing stands between definitions; leave it out";
            self.report(errors::expression::semicolon(self.span(), hint, Some("")));
            self.bump();
            if self.at_item_end() || self.at_forgotten_def() {
                return;
            }
        }
        if !self.bad_in_item {
            self.report(errors::leftover(self.kind(), self.current_text(), self.span()));
        }
        while !self.at_item_end() {
            self.pos += 1;
            self.brackets = 0;
            if self.at_forgotten_def() {
                return;
            }
        }
    }

    fn import(&mut self) -> ItemKind {
        if !self.at(TokenKind::Str) {
            self.report(mistake::import_path(self.current_text(), &self.found(), self.span()));
            self.skip_to_item();
            return ItemKind::Error;
        }
        let token = self.bump();
        let path =
            Spanned { node: lexer::unescape(self.token_text(token)).0, span: self.span_of(token) };
        let alias = self.eat(TokenKind::As).then(|| self.variable("a qualifier"));
        ItemKind::Import(Import { path, alias })
    }

    fn type_declaration(&mut self) -> ItemKind {
        let what = "a type";
        let name = if self.at(TokenKind::Upper) || self.at(TokenKind::Bad) {
            self.ident()
        } else if self.at(TokenKind::Lower) {
            self.report(errors::name::lower_case(self.current_text(), self.span(), what));
            self.ident()
        } else if self.kind().is_keyword() && !self.at_item_end() {
            self.report(errors::name::reserved(self.current_text(), self.span(), what));
            self.ident()
        } else {
            self.report(errors::name::missing(&self.found(), self.span(), what, &self.after()));
            self.no_ident()
        };
        let sizes = self.sizes();
        let mut params = Vec::new();
        while matches!(self.kind(), TokenKind::Lower | TokenKind::Upper | TokenKind::Bad) {
            params.push(self.variable("a type parameter"));
        }
        if !self.fits((sizes.len().max(params.len()), "parameters"), name.span) {
            params.clear();
        }
        self.expect_eq(errors::binding::Equals::Type);
        let body = if self.is_sum() { self.sum() } else { TypeBody::Alias(self.whole_type()) };
        let tangent = self.at(TokenKind::With).then(|| Box::new(self.tangent_clause()));
        ItemKind::Type(TypeDecl { name, sizes, params, body, tangent })
    }

    /// `with tangent U by retract, local`; the words after `with` are names everywhere else.
    fn tangent_clause(&mut self) -> TangentClause {
        let start = self.pos;
        self.bump();
        self.tangent_word("tangent");
        let ty = self.type_atom();
        let ty = self.checked_ty(ty);
        self.tangent_word("by");
        let retract = self.tangent_function();
        if !self.eat(TokenKind::Comma) && !self.is_quiet() {
            self.report(mistake::bad_tangent("a `,`", &self.found(), self.span()));
        }
        let local = self.tangent_function();
        TangentClause { ty, retract, local, span: self.span_from(start) }
    }
    fn tangent_word(&mut self, word: &str) {
        if self.at(TokenKind::Lower) && self.current_text() == word {
            self.bump();
        } else if !self.is_quiet() {
            let wanted = format!("`{word}`");
            self.report(mistake::bad_tangent(&wanted, &self.found(), self.span()));
        }
    }
    fn tangent_function(&mut self) -> Expr {
        let name = self.variable("a definition");
        let span = name.span;
        let kind = if name.node == "_" { ExprKind::Error } else { ExprKind::Name(name.node) };
        self.make(kind, span)
    }
    fn whole_type(&mut self) -> crate::ast::TypeExpr {
        let ty = self.ty();
        self.checked_ty(ty)
    }
    /// Whether a `|` stands outside brackets before the end of the item.
    fn is_sum(&self) -> bool {
        let mut at = self.pos;
        loop {
            let kind = self.token_at(at).kind;
            if kind == TokenKind::Bar {
                return true;
            }
            if kind == TokenKind::Eof || kind.starts_item() {
                return false;
            }
            at = self.partner(at).filter(|other| *other > at).unwrap_or(at) + 1;
        }
    }
    fn sum(&mut self) -> TypeBody {
        self.eat(TokenKind::Bar);
        let mut constructors = Vec::new();
        loop {
            let start = self.pos;
            let name = self.constructor_name();
            let mut fields = Vec::new();
            while self.at_type_atom() {
                let field = self.type_atom();
                fields.push(self.checked_ty(field));
            }
            let ends = self.at(TokenKind::Bar) || self.at(TokenKind::With) || self.at_item_end();
            if !ends && !self.at_forgotten_def() {
                self.report(mistake::bad_constructor(&self.found(), self.span(), &name.node));
                self.skip_to(&[TokenKind::Bar]);
            }
            let span: Span = self.span_from(start);
            if !self.fits((fields.len(), "fields"), span) {
                fields.clear();
            }
            constructors.push(Constructor { name, fields, span });
            if !self.eat(TokenKind::Bar) {
                return TypeBody::Sum(constructors);
            }
        }
    }
    fn constructor_name(&mut self) -> crate::ast::Ident {
        if self.at(TokenKind::Lower) {
            self.report(errors::name::lower_case(
                self.current_text(),
                self.span(),
                "a constructor",
            ));
        } else if !matches!(self.kind(), TokenKind::Upper | TokenKind::Bad) {
            self.report(errors::name::missing(
                &self.found(),
                self.span(),
                "a constructor",
                &self.after(),
            ));
            return self.no_ident();
        }
        self.ident()
    }
}

/// Takes out of a definition what a mistake makes doubtful, so that later stages do not report what
/// follows from it: the body, and the types too if the mistake stands before the body.
fn silence(def: &mut Def, mistake: u32, text: &str) {
    let before_body = text[..def.body.span.lo as usize].trim_end();
    if mistake < def.body.span.lo || !before_body.ends_with('=') {
        def.result = None;
        def.params.iter_mut().for_each(|param| param.ty = None);
    }
    def.body.kind = ExprKind::Error;
}
