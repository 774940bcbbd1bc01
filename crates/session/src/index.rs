//! What stands where in a file: the type of each expression and pattern, and where each name is defined.
//!
//! Input: the typed tree. Output: an [`Index`], which any thread may keep. Types are in words, as the file's user reads
//! them. What no program writes (the variables that inference makes up) is not in it.

use pullback_base::{FileId, Span};
use pullback_types::tir::{Local, LocalId, TExpr, TExprKind, TLoopForm, TPat, TPatKind, Typed};
use pullback_types::ty::Ty;
use pullback_types::walk::for_each_child;
use pullback_types::{show_scheme, show_type};

/// What stands where, the wider before what is inside of it.
#[derive(Clone, Debug, Default)]
pub struct Index {
    items: Vec<Item>,
}

/// An expression, a pattern or a name.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// Its type.
    pub ty: String,
    /// Where what it names is defined; none if it is no name, or the name of what is built in.
    pub definition: Span,
    /// The fields that its value has, if it is a record, or the components of a tuple, with their types.
    pub parts: Vec<(String, String)>,
}

impl Index {
    /// What stands in a file.
    pub fn of(typed: &Typed, file: FileId) -> Self {
        let mut indexer = Indexer { typed, file, items: vec![] };
        for (id, global) in typed.globals.iter_enumerated() {
            if global.span.file == file && !global.span.is_none() {
                indexer.add(global.span, show_scheme(typed, id), global.span);
                indexer.expression(&global.body);
            }
        }
        for expr in &typed.salvaged {
            if expr.span.file == file {
                indexer.expression(expr);
            }
        }
        let mut items = indexer.items;
        items.sort_by_key(|item| (item.span.lo, std::cmp::Reverse(item.span.hi)));
        Self { items }
    }
    /// The least that stands at an offset. A cursor behind the last letter of a name is still at the name.
    pub fn at(&self, offset: usize) -> Option<&Item> {
        let least = |touches: &dyn Fn(&Span) -> bool| {
            let items = self.items.iter().rev().filter(|item| touches(&item.span));
            items.min_by_key(|item| item.span.range().len())
        };
        let inside = |span: &Span| span.range().contains(&offset);
        least(&inside).or_else(|| least(&|span| span.range().end == offset))
    }
    /// What covers exactly these bytes. Of several, the one whose value has parts.
    pub fn exactly(&self, range: std::ops::Range<usize>) -> Option<&Item> {
        let first = self.items.partition_point(|item| item.span.range().start < range.start);
        let items =
            self.items[first..].iter().take_while(|it| it.span.range().start == range.start);
        let fits = items.filter(|item| item.span.range() == range);
        fits.max_by_key(|item| (!item.parts.is_empty(), !item.definition.is_none()))
    }
    /// All that stands in the file.
    pub fn items(&self) -> &[Item] {
        &self.items
    }
}

struct Indexer<'t> {
    typed: &'t Typed,
    file: FileId,
    items: Vec<Item>,
}

impl<'t> Indexer<'t> {
    fn add(&mut self, span: Span, ty: String, definition: Span) {
        self.items.push(Item { span, ty, definition, parts: vec![] });
    }
    fn typed_item(&mut self, span: Span, ty: &Ty, definition: Span) {
        if span.file != self.file || span.is_none() || matches!(ty, Ty::Error) {
            return;
        }
        let shown = |name: String, part: &Ty| (name, show_type(self.typed, part));
        let parts = match ty {
            Ty::Record(fields) => {
                fields.iter().map(|(name, ty)| shown(name.to_string(), ty)).collect()
            }
            Ty::Tuple(items) => {
                items.iter().enumerate().map(|(at, ty)| shown(at.to_string(), ty)).collect()
            }
            Ty::Real
            | Ty::Int
            | Ty::Bool
            | Ty::Str
            | Ty::Sum(..)
            | Ty::Array(..)
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error => vec![],
        };
        let ty = show_type(self.typed, ty);
        self.items.push(Item { span, ty, definition, parts });
    }
    /// The variable of a binder that is no pattern.
    fn local(&mut self, id: LocalId) {
        let Local { ty, span, .. } = &self.typed.locals[id];
        self.typed_item(*span, ty, *span);
    }
    /// An expression and all inside of it, without recursion.
    fn expression(&mut self, expr: &'t TExpr) {
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            let definition = match &expr.kind {
                TExprKind::Local(id, _) => self.typed.locals[*id].span,
                TExprKind::Global(id, _) => self.typed.globals[*id].span,
                TExprKind::Con(id, _) => self.typed.types[*id].span,
                TExprKind::Builtin(_)
                | TExprKind::IntLit(_)
                | TExprKind::RealLit(_)
                | TExprKind::BoolLit(_)
                | TExprKind::StrLit(_)
                | TExprKind::App(..)
                | TExprKind::Lam(_)
                | TExprKind::Let(..)
                | TExprKind::LetPoly(..)
                | TExprKind::LetRec(..)
                | TExprKind::If(..)
                | TExprKind::Match(..)
                | TExprKind::Tuple(_)
                | TExprKind::Record(_)
                | TExprKind::TupleField(..)
                | TExprKind::Field(..)
                | TExprKind::Array(_)
                | TExprKind::Build(..)
                | TExprKind::For(..)
                | TExprKind::Index(..)
                | TExprKind::Slice(..)
                | TExprKind::With(..)
                | TExprKind::Loop { .. }
                | TExprKind::CheckSizes(..)
                | TExprKind::Error => Span::NONE,
            };
            self.typed_item(expr.span, &expr.ty, definition);
            self.binders(expr);
            for_each_child(expr, &mut |child| todo.push(child));
        }
    }
    /// What an expression binds.
    fn binders(&mut self, expr: &'t TExpr) {
        if let TExprKind::Lam(lam) = &expr.kind {
            lam.sizes.iter().for_each(|size| self.local(*size));
            lam.params.iter().for_each(|param| self.pattern(&param.pattern));
        } else if let TExprKind::Let(pattern, ..) | TExprKind::For(pattern, ..) = &expr.kind {
            self.pattern(pattern);
        } else if let TExprKind::LetPoly(id, ..) | TExprKind::Build(id, ..) = &expr.kind {
            self.local(*id);
        } else if let TExprKind::LetRec(functions, _) = &expr.kind {
            functions.iter().for_each(|(id, _)| self.local(*id));
        } else if let TExprKind::Match(_, arms) = &expr.kind {
            arms.iter().for_each(|arm| self.pattern(&arm.pattern));
        } else if let TExprKind::Loop { pattern, form, .. } = &expr.kind {
            self.pattern(pattern);
            if let TLoopForm::For(id, _) = form {
                self.local(*id);
            }
        }
    }
    fn pattern(&mut self, pattern: &'t TPat) {
        let mut todo = vec![pattern];
        while let Some(TPat { kind, ty, span }) = todo.pop() {
            let definition = match kind {
                TPatKind::Var(id) => self.typed.locals[*id].span,
                TPatKind::As(id, inside) => {
                    self.local(*id);
                    todo.push(inside);
                    Span::NONE
                }
                TPatKind::Tuple(items) => {
                    todo.extend(items);
                    Span::NONE
                }
                TPatKind::Record(fields) => {
                    todo.extend(fields.iter().map(|(_, inside)| inside));
                    Span::NONE
                }
                TPatKind::Con(id, _, fields) => {
                    todo.extend(fields);
                    self.typed.types[*id].span
                }
                TPatKind::Wild
                | TPatKind::Int(_)
                | TPatKind::Real(_)
                | TPatKind::Bool(_)
                | TPatKind::Str(_)
                | TPatKind::Error => Span::NONE,
            };
            self.typed_item(*span, ty, definition);
        }
    }
}
