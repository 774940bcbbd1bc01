//! Tokens and tree as text, for `pullback show --stage tokens` and `--stage ast`.
//!
//! Input: a text, a module parsed from it. Output: one token a line; an indented tree with one node
//! a line, each with its line and column. The shape (without places) says whether two texts mean the
//! same: redundant doubled parentheses are left out of it.

use pullback_base::{FileId, Span};

use crate::ast::{
    Access, Clause, Constructor, Def, Expr, ExprKind, Ident, Item, ItemKind, Literal, LoopForm,
    Module, Param, Path, Pattern, PatternKind, SlicePart, TypeBody, TypeDecl, TypeExpr,
    TypeExprKind,
};
use crate::lexer;
use crate::token::TokenKind;

/// The tokens and comments of `text`, one a line, each with its line and column.
pub fn dump_tokens(text: &str) -> String {
    let lexed = lexer::lex(text, 0..text.len(), FileId(0));
    let places = Places::new(text);
    let mut lines: Vec<(u32, String)> = Vec::new();
    for token in lexed.tokens {
        let kind = format!("{:?}", token.kind);
        let shown = if token.kind == TokenKind::Eof { "" } else { &text[token.range()] };
        lines.push((token.lo, format!("{:<10} {shown}", kind)));
    }
    for comment in lexed.comments {
        lines.push((comment.span.lo, format!("{:<10} {}", "Comment", &text[comment.span.range()])));
    }
    lines.sort();
    let show = |(lo, line): &(u32, String)| {
        format!("{:<7} {line}", places.show(*lo)).trim_end().to_owned() + "\n"
    };
    lines.iter().map(show).collect()
}

/// The tree of a module parsed from `text`, one node a line, each with its line and column.
pub fn dump_ast(text: &str, module: &Module) -> String {
    let mut dump = Dump { out: String::new(), indent: 0, places: Some(Places::new(text)) };
    dump.module(module);
    dump.out
}

/// The tree of a module without places: equal for two texts that mean the same.
pub fn dump_shape(module: &Module) -> String {
    let mut dump = Dump { out: String::new(), indent: 0, places: None };
    dump.module(module);
    dump.out
}

/// Offsets to lines and columns.
struct Places<'t> {
    text: &'t str,
    lines: Vec<u32>,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX));
        Self { text, lines: std::iter::once(0).chain(starts).collect() }
    }
    fn show(&self, lo: u32) -> String {
        let line = self.lines.partition_point(|start| *start <= lo);
        let start = self.lines[line - 1] as usize;
        // Long lines count bytes, so that showing all of them stays linear.
        let before = &self.text[start..lo as usize];
        let column = if before.len() < 1000 { before.chars().count() } else { before.len() };
        format!("{line}:{}", column + 1)
    }
}

struct Dump<'t> {
    out: String,
    indent: usize,
    places: Option<Places<'t>>,
}

impl Dump<'_> {
    /// A line for a node, then its children one level in.
    fn node(&mut self, head: &str, span: Span, children: impl FnOnce(&mut Self)) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(head);
        if let Some(places) = &self.places {
            self.out.push_str("  @");
            self.out.push_str(&places.show(span.lo));
        }
        self.out.push('\n');
        self.indent += 1;
        children(self);
        self.indent -= 1;
    }
    fn leaf(&mut self, head: &str, span: Span) {
        self.node(head, span, |_| {});
    }

    fn module(&mut self, module: &Module) {
        for item in &module.items {
            self.item(item);
        }
    }
    fn item(&mut self, item: &Item) {
        if !item.doc.is_empty() {
            self.leaf(&format!("doc {:?}", item.doc), item.span);
        }
        match &item.kind {
            ItemKind::Import(import) => {
                let alias = import.alias.as_ref().map_or("", |alias| &alias.node);
                self.leaf(&format!("import {:?} {alias}", import.path.node), item.span);
            }
            ItemKind::Type(decl) => self.type_decl(decl, item.span),
            ItemKind::Def(def) => self.def("def", def),
            ItemKind::Error => self.leaf("error", item.span),
        }
    }
    fn type_decl(&mut self, decl: &TypeDecl, span: Span) {
        let head =
            format!("type {}{}{}", decl.name.node, bracketed(&decl.sizes), spaced(&decl.params));
        self.node(&head, span, |dump| {
            match &decl.body {
                TypeBody::Alias(ty) => dump.ty(ty),
                TypeBody::Sum(constructors) => {
                    constructors.iter().for_each(|constructor| dump.constructor(constructor));
                }
            }
            if let Some(tangent) = &decl.tangent {
                dump.node("with tangent", tangent.span, |dump| {
                    dump.ty(&tangent.ty);
                    dump.expr(&tangent.retract);
                    dump.expr(&tangent.local);
                });
            }
        });
    }
    fn constructor(&mut self, constructor: &Constructor) {
        self.node(&format!("constructor {}", constructor.name.node), constructor.span, |dump| {
            constructor.fields.iter().for_each(|field| dump.ty(field));
        });
    }
    fn def(&mut self, keyword: &str, def: &Def) {
        let head = format!("{keyword} {}{}", def.name.node, bracketed(&def.sizes));
        self.node(&head, def.span, |dump| {
            dump.params(&def.params);
            def.result.iter().for_each(|ty| dump.ty(ty));
            dump.expr(&def.body);
        });
    }
    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.node("param", param.pattern.span, |dump| {
                dump.pattern(&param.pattern);
                param.ty.iter().for_each(|ty| dump.ty(ty));
            });
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        let span = ty.span;
        match &ty.kind {
            TypeExprKind::Var(name) => self.leaf(&format!("type-variable {name}"), span),
            TypeExprKind::Named { path, sizes, args } => {
                self.node(&format!("named {}", path_text(path)), span, |dump| {
                    sizes.iter().for_each(|size| dump.expr(size));
                    args.iter().for_each(|arg| dump.ty(arg));
                });
            }
            TypeExprKind::Array { size, element } => self.node("array-type", span, |dump| {
                size.iter().for_each(|size| dump.expr(size));
                dump.ty(element);
            }),
            TypeExprKind::Tuple(parts) => {
                self.node("tuple-type", span, |dump| parts.iter().for_each(|part| dump.ty(part)));
            }
            TypeExprKind::Record(fields) => self.node("record-type", span, |dump| {
                for (name, ty) in fields {
                    dump.node(&name.node, name.span, |dump| dump.ty(ty));
                }
            }),
            TypeExprKind::Fun(from, to) => self.node("->", span, |dump| {
                dump.ty(from);
                dump.ty(to);
            }),
            TypeExprKind::Error => self.leaf("error", span),
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Wildcard => self.leaf("_", span),
            PatternKind::Var(name) => self.leaf(&format!("var {name}"), span),
            PatternKind::Lit { value, negative } => {
                let sign = if *negative { "-" } else { "" };
                self.leaf(&format!("literal {sign}{}", literal_text(value)), span);
            }
            PatternKind::Tuple(parts) => self.node("tuple", span, |dump| {
                parts.iter().for_each(|part| dump.pattern(part));
            }),
            PatternKind::Record(fields) => self.node("record", span, |dump| {
                for (name, pattern) in fields {
                    dump.node(&name.node, name.span, |dump| {
                        pattern.iter().for_each(|pattern| dump.pattern(pattern));
                    });
                }
            }),
            PatternKind::Con { path, args } => {
                self.node(&format!("constructor {}", path_text(path)), span, |dump| {
                    args.iter().for_each(|arg| dump.pattern(arg));
                });
            }
            PatternKind::Ascribe { pattern, ty } => self.node("typed", span, |dump| {
                dump.pattern(pattern);
                dump.ty(ty);
            }),
            PatternKind::As { pattern, name } => {
                self.node(&format!("as {}", name.node), span, |dump| dump.pattern(pattern));
            }
            PatternKind::Paren(inner) => {
                if self.places.is_none() && matches!(inner.kind, PatternKind::Paren(_)) {
                    return self.pattern(inner);
                }
                self.node("paren", span, |dump| dump.pattern(inner));
            }
            PatternKind::Error => self.leaf("error", span),
        }
    }

    /// A node whose children are expressions.
    fn exprs<'e>(&mut self, head: &str, span: Span, parts: impl IntoIterator<Item = &'e Expr>) {
        self.node(head, span, |dump| parts.into_iter().for_each(|part| dump.expr(part)));
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Paren(inner) = &expr.kind
            && self.places.is_none()
            && matches!(inner.kind, ExprKind::Paren(_))
        {
            return self.expr(inner);
        }
        self.node(&head(&expr.kind), expr.span, |dump| dump.children(&expr.kind, expr.span));
    }
    fn children(&mut self, kind: &ExprKind, span: Span) {
        match kind {
            ExprKind::Name(_) | ExprKind::Lit(_) | ExprKind::Operator(_) | ExprKind::Error => {}
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.all(parts),
            ExprKind::Negate(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Field { base: inner, .. }
            | ExprKind::TupleField { base: inner, .. } => self.expr(inner),
            ExprKind::Record(fields) => {
                for (name, value) in fields {
                    self.exprs(&name.node, name.span, [value]);
                }
            }
            ExprKind::Comprehension { body, clauses } => {
                self.expr(body);
                clauses.iter().for_each(|clause| self.clause(clause));
            }
            ExprKind::App { fun: first, args: rest }
            | ExprKind::Index { base: first, indices: rest } => {
                self.expr(first);
                self.all(rest);
            }
            ExprKind::Lambda { params, body } => {
                self.params(params);
                self.expr(body);
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Slice { base, parts } => {
                self.expr(base);
                for part in parts {
                    match part {
                        SlicePart::At(index) => self.exprs("at", span, [index]),
                        SlicePart::Range { lo, hi, step } => {
                            self.exprs("from", span, lo.as_deref());
                            self.exprs("to", span, hi.as_deref());
                            step.iter().for_each(|step| self.exprs("step", span, [&**step]));
                        }
                    }
                }
            }
            ExprKind::With { base, place, value } => {
                self.expr(base);
                place.iter().for_each(|access| self.access(access));
                self.expr(value);
            }
            ExprKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Match { scrutinee, arms } => {
                self.expr(scrutinee);
                for arm in arms {
                    self.node("arm", arm.span, |dump| {
                        dump.pattern(&arm.pattern);
                        dump.expr(&arm.body);
                    });
                }
            }
            ExprKind::Let { pattern, ty, value, body } => {
                self.pattern(pattern);
                ty.iter().for_each(|ty| self.ty(ty));
                self.expr(value);
                self.expr(body);
            }
            ExprKind::LetFun { defs, body, .. } => {
                defs.iter().for_each(|def| self.def("fun", def));
                self.expr(body);
            }
            ExprKind::Loop { pattern, ty, init, form, checkpoint, body } => {
                self.pattern(pattern);
                ty.iter().for_each(|ty| self.ty(ty));
                self.expr(init);
                self.loop_form(form);
                if let Some(steps) = checkpoint {
                    self.exprs("checkpoint", steps.span, [&**steps]);
                }
                self.expr(body);
            }
            ExprKind::Ascribe { expr, ty } => {
                self.expr(expr);
                self.ty(ty);
            }
        }
    }
    fn all(&mut self, parts: &[Expr]) {
        parts.iter().for_each(|part| self.expr(part));
    }
    fn access(&mut self, access: &Access) {
        match access {
            Access::Index(indices, span) => self.exprs("at", *span, indices),
            Access::Field(name) => self.leaf(&format!("at {}", name.node), name.span),
        }
    }
    fn loop_form(&mut self, form: &LoopForm) {
        match form {
            LoopForm::For { var, bound } => {
                self.exprs(&format!("for {}", var.node), var.span, [&**bound]);
            }
            LoopForm::While(cond) => self.exprs("while", cond.span, [&**cond]),
        }
    }
    fn clause(&mut self, clause: &Clause) {
        match clause {
            Clause::Range { var, bound } => {
                self.exprs(&format!("range {}", var.node), var.span, [bound]);
            }
            Clause::In { pattern, source } => self.node("from", pattern.span, |dump| {
                dump.pattern(pattern);
                dump.expr(source);
            }),
        }
    }
}

/// What a node is called.
fn head(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Name(name) => format!("name {name}"),
        ExprKind::Lit(literal) => format!("literal {}", literal_text(literal)),
        ExprKind::Operator(op) => format!("({})", op.text()),
        ExprKind::Field { field, .. } => format!("field {}", field.node),
        ExprKind::TupleField { index, .. } => format!("field {}", index.node),
        ExprKind::Binary { op, .. } => op.node.text().to_owned(),
        ExprKind::Tuple(_) => "tuple".to_owned(),
        ExprKind::Array(_) => "array".to_owned(),
        ExprKind::Negate(_) => "negate".to_owned(),
        ExprKind::Paren(_) => "paren".to_owned(),
        ExprKind::If { .. } => "if".to_owned(),
        ExprKind::Record(_) => "record".to_owned(),
        ExprKind::Comprehension { .. } => "comprehension".to_owned(),
        ExprKind::App { .. } => "apply".to_owned(),
        ExprKind::Lambda { .. } => "lambda".to_owned(),
        ExprKind::Index { .. } => "index".to_owned(),
        ExprKind::Slice { .. } => "slice".to_owned(),
        ExprKind::With { .. } => "with".to_owned(),
        ExprKind::Match { .. } => "match".to_owned(),
        ExprKind::Let { .. } => "let".to_owned(),
        ExprKind::LetFun { recursive, .. } => {
            if *recursive { "let-rec" } else { "let-fun" }.to_owned()
        }
        ExprKind::Loop { .. } => "loop".to_owned(),
        ExprKind::Ascribe { .. } => "typed".to_owned(),
        ExprKind::Error => "error".to_owned(),
    }
}
fn path_text(path: &Path) -> String {
    let module = path.module.as_ref().map_or(String::new(), |module| format!("{}.", module.node));
    format!("{module}{}", path.name.node)
}
fn spaced(names: &[Ident]) -> String {
    names.iter().map(|name| format!(" {}", name.node)).collect()
}
fn bracketed(names: &[Ident]) -> String {
    names.iter().map(|name| format!(" [{}]", name.node)).collect()
}
fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Int(value) => value.to_string(),
        Literal::Real(value) => format!("{value:?}"),
        Literal::Bool(value) => value.to_string(),
        Literal::Str(text) => format!("{text:?}"),
    }
}
