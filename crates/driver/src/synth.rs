//! Building syntax trees: the definitions that stand for a command line or an expectation.
//!
//! Names made here start with two underscores; spans are those of the text a tree stands for, so that
//! a type error points at the argument that causes it.

use pullback_base::{Name, Span, Spanned};
use pullback_syntax::ast::{
    Arm, Def, Expr, ExprKind, Item, ItemKind, NodeId, Param, Pattern, PatternKind,
};

/// An identifier at a place.
pub fn ident(name: impl Into<Name>, span: Span) -> Spanned<Name> {
    Spanned { node: name.into(), span }
}

/// An expression at a place.
pub fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { id: NodeId(0), kind, span }
}

/// A variable.
pub fn var(name: &str, span: Span) -> Expr {
    expr(ExprKind::Name(Name::new(name)), span)
}

/// `f a b`, or `f` if there are no arguments.
pub fn app(fun: Expr, args: Vec<Expr>, span: Span) -> Expr {
    if args.is_empty() {
        return fun;
    }
    expr(ExprKind::App { fun: Box::new(fun), args }, span)
}

/// `(a, b)`; one component is the component itself.
pub fn tuple(mut items: Vec<Expr>, span: Span) -> Expr {
    if items.len() == 1 { items.remove(0) } else { expr(ExprKind::Tuple(items), span) }
}

/// A variable pattern.
pub fn bind(name: &str, span: Span) -> Pattern {
    Pattern { id: NodeId(0), kind: PatternKind::Var(Name::new(name)), span }
}

/// `(a, b)` as a pattern; one component is the component itself.
pub fn bind_tuple(names: &[String], span: Span) -> Pattern {
    match names {
        [only] => bind(only, span),
        _ => {
            let items = names.iter().map(|name| bind(name, span)).collect();
            Pattern { id: NodeId(0), kind: PatternKind::Tuple(items), span }
        }
    }
}

/// `\p q -> body`; just the body without parameters.
pub fn lambda(patterns: Vec<Pattern>, body: Expr) -> Expr {
    if patterns.is_empty() {
        return body;
    }
    let span = body.span;
    let params = patterns.into_iter().map(|pattern| Param { pattern, ty: None }).collect();
    expr(ExprKind::Lambda { params, body: Box::new(body) }, span)
}

/// `match value with | name -> body`: binds without generalising the type.
pub fn bind_in(name: &str, value: Expr, body: Expr) -> Expr {
    let span = value.span;
    let arm = Arm { pattern: bind(name, span), body, span };
    expr(ExprKind::Match { scrutinee: Box::new(value), arms: vec![arm] }, span)
}

/// `let _ = \_ -> checked in body`: demands that `checked` has a type, and never evaluates it.
pub fn demand(checked: Expr, body: Expr) -> Expr {
    let span = checked.span;
    let wild = || Pattern { id: NodeId(0), kind: PatternKind::Wildcard, span };
    let value = Box::new(lambda(vec![wild()], checked));
    let pattern = Box::new(wild());
    expr(ExprKind::Let { pattern, ty: None, value, body: Box::new(body) }, span)
}

/// `def name = body`
pub fn def(name: &str, body: Expr) -> Item {
    let span = body.span;
    let name = ident(name, span);
    let def = Def { name, sizes: vec![], params: vec![], result: None, body, span };
    Item { kind: ItemKind::Def(def), span, doc: String::new() }
}
