//! Nested lists to declarations, with a diagnostic for each that is malformed.
//!
//! Input: nodes. Output: declarations. A `let` is read as one binding if that is possible, and else as a list of them, so
//! `(let ((p q) e) …)` binds the components of a tuple.

use pullback_base::{Diagnostic, Span, Spanned};

use crate::ast::{
    Binder, DERIVATIONS, Decl, DeclKind, Derivation, Expr, ExprKind, FunName, Pattern,
};
use crate::reader::{Node, NodeKind};
use crate::ty::{MAX_RANK, Type};

type Parsed<T> = Result<T, Box<Diagnostic>>;

/// What is no name of a variable or function.
const RESERVED: [&str; 17] = [
    "def", "edef", "rule", "let", "if", "assert", "call", "tuple", ":", "$dummy", "Integer",
    "Float", "Vec", "Lam", "String", "true", "false",
];

/// Reads a program.
pub fn program(nodes: &[Node]) -> (Vec<Decl>, Vec<Diagnostic>) {
    let (mut decls, mut diagnostics) = (vec![], vec![]);
    for node in nodes {
        match declaration(node) {
            Ok(decl) => decls.push(decl),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    (decls, diagnostics)
}

fn malformed(span: Span, title: impl Into<String>, hint: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0902", span, title, "this is malformed").hint(hint))
}

fn declaration(node: &Node) -> Parsed<Decl> {
    const DEF: &str = "write `(def NAME TYPE (PARAMETER : TYPE) BODY)`";
    const EXTERNAL: &str =
        "write `(edef NAME RESULT ARGUMENT)`, several arguments as one `(Tuple …)`";
    const WANTED: &str = "write `(gdef DERIVATION [NAME TYPE])`, as in `(gdef rev [f Float])`";
    const RULE: &str = "write `(rule \"NAME\" (PARAMETER : TYPE) PATTERN REPLACEMENT)`";
    let Some([head, parts @ ..]) = node.round() else {
        let hint = "a program is a list of `(def …)`, `(edef …)`, `(gdef …)` and `(rule …)`";
        return Err(malformed(node.span, "this is no declaration", hint));
    };
    let kind = match (head.word(), parts) {
        (Some("def"), [name, result, params, body]) => DeclKind::Def {
            name: fun_name(name)?,
            result: ty(result)?,
            params: binders(params)?,
            body: expr(body)?,
        },
        (Some("def"), _) => return Err(malformed(node.span, "a `def` has four parts", DEF)),
        (Some("edef"), [name, result, argument]) => DeclKind::External {
            name: fun_name(name)?,
            result: ty(result)?,
            argument: ty(argument)?,
        },
        (Some("edef"), _) => {
            return Err(malformed(node.span, "an `edef` has three parts", EXTERNAL));
        }
        (Some("gdef"), [word, of]) => DeclKind::Wanted(wanted(node, word, of, WANTED)?),
        (Some("gdef"), _) => return Err(malformed(node.span, "a `gdef` has two parts", WANTED)),
        (Some("rule"), [name, params, pattern, replacement]) => {
            if !matches!(name.kind, NodeKind::Str(_)) {
                return Err(malformed(name.span, "the name of a rule is a string", RULE));
            }
            DeclKind::Rule {
                params: binders(params)?,
                pattern: expr(pattern)?,
                replacement: expr(replacement)?,
            }
        }
        (Some("rule"), _) => return Err(malformed(node.span, "a `rule` has four parts", RULE)),
        _ => {
            let hint = "declarations are `(def …)`, `(edef …)`, `(gdef …)` and `(rule …)`";
            return Err(malformed(head.span, "this is no declaration", hint));
        }
    };
    Ok(Decl { kind })
}

fn wanted(node: &Node, word: &Node, of: &Node, hint: &str) -> Parsed<FunName> {
    let Some(derivation) = word.word().and_then(derivation) else {
        return Err(malformed(word.span, "this is no derivation", hint));
    };
    let mut name = fun_name(of)?;
    if name.ty.is_none() {
        return Err(malformed(of.span, "a `gdef` says which type its function takes", hint));
    }
    name.derivations.insert(0, derivation);
    name.span = node.span;
    Ok(name)
}

fn derivation(word: &str) -> Option<Derivation> {
    DERIVATIONS.iter().find(|(known, _)| *known == word).map(|(_, derivation)| *derivation)
}

fn is_name(word: &str) -> bool {
    !RESERVED.contains(&word)
}

fn fun_name(node: &Node) -> Parsed<FunName> {
    const HINT: &str = "a function is named as in `f`, `[f Float]`, `[rev f]` or `[rev [f Float]]`";
    if let Some(word) = node.word().filter(|word| is_name(word)) {
        let base = word.to_owned();
        return Ok(FunName { derivations: vec![], base, ty: None, span: node.span });
    }
    let Some([head, inner]) = node.square() else {
        return Err(malformed(node.span, "this is no name of a function", HINT));
    };
    if let Some(derivation) = head.word().and_then(derivation) {
        let mut name = fun_name(inner)?;
        name.derivations.insert(0, derivation);
        name.span = node.span;
        return Ok(name);
    }
    let Some(word) = head.word().filter(|word| is_name(word)) else {
        return Err(malformed(head.span, "this is no name of a function", HINT));
    };
    let base = word.to_owned();
    Ok(FunName { derivations: vec![], base, ty: Some(ty(inner)?), span: node.span })
}

fn variable(node: &Node) -> Parsed<Spanned<String>> {
    match node.word() {
        Some(word) if is_name(word) => Ok(Spanned { node: word.to_owned(), span: node.span }),
        Some(_) => {
            Err(malformed(node.span, "a reserved word is no variable", "choose another name"))
        }
        None => Err(malformed(node.span, "this is no variable", "write a name")),
    }
}

/// `()`, `(v : T)`, or a list of the latter.
fn binders(node: &Node) -> Parsed<Vec<Binder>> {
    let Some(items) = node.round() else {
        let hint = "write `()`, `(x : Float)` or `((x : Float) (y : Float))`";
        return Err(malformed(node.span, "these are no parameters", hint));
    };
    if items.get(1).and_then(Node::word) == Some(":") {
        return Ok(vec![binder(node)?]);
    }
    items.iter().map(binder).collect()
}

fn binder(node: &Node) -> Parsed<Binder> {
    let Some([name, colon, rest @ ..]) = node.round() else {
        return Err(malformed(node.span, "this is no parameter", "write `(x : Float)`"));
    };
    if colon.word() != Some(":") {
        return Err(malformed(colon.span, "a parameter has a type", "write `(x : Float)`"));
    }
    Ok(Binder { name: variable(name)?, ty: type_of(rest, node.span)? })
}

fn ty(node: &Node) -> Parsed<Type> {
    match node.round() {
        Some(items) => type_of(items, node.span),
        None => type_of(std::slice::from_ref(node), node.span),
    }
}

/// A type whose parts stand beside each other, as `Vec Float` does in `(x : Vec Float)`.
fn type_of(nodes: &[Node], span: Span) -> Parsed<Type> {
    const HINT: &str = "types are `Integer`, `Float`, `Bool`, `String`, `(Vec T)`, `(Tensor d T)`, `(Tuple T …)`, `(Lam T T)`";
    let Some((head, rest)) = nodes.split_first() else {
        return Err(malformed(span, "a type is missing", HINT));
    };
    let pair = |from: &Node, to: &Node| Ok((Box::new(ty(from)?), Box::new(ty(to)?)));
    match (head.word(), rest) {
        (Some("Vec"), [element]) => Ok(Type::vec(ty(element)?)),
        (Some("Tensor"), [rank, element]) => {
            let NodeKind::Int(count) = rank.kind else {
                return Err(malformed(rank.span, "the rank of a tensor is a whole number", HINT));
            };
            match usize::try_from(count) {
                Ok(count) if (1..=MAX_RANK).contains(&count) => {
                    Ok(Type::Tensor(count, Box::new(ty(element)?)))
                }
                _ => {
                    let title =
                        format!("the rank of a tensor is at least 1 and at most {MAX_RANK}");
                    Err(malformed(rank.span, title, HINT))
                }
            }
        }
        (Some("Tuple"), items) => Ok(Type::Tuple(items.iter().map(ty).collect::<Parsed<_>>()?)),
        (Some("Lam"), [from, to]) => pair(from, to).map(|(from, to)| Type::Lam(from, to)),
        (Some("LM"), [from, to]) => pair(from, to).map(|(from, to)| Type::Map(from, to)),
        (Some("Integer"), []) => Ok(Type::Int),
        (Some("Float"), []) => Ok(Type::Float),
        (Some("String"), []) => Ok(Type::Str),
        (Some("Bool"), []) => Ok(Type::Bool),
        (None, []) if head.round().is_some() => ty(head),
        _ => Err(malformed(span, "this is no type", HINT)),
    }
}

fn expr(node: &Node) -> Parsed<Expr> {
    let kind = match &node.kind {
        NodeKind::Int(value) => ExprKind::Int(*value),
        NodeKind::Float(value) => ExprKind::Float(*value),
        NodeKind::Str(value) => ExprKind::Str(value.clone()),
        NodeKind::Word(word) if word == "true" => ExprKind::Bool(true),
        NodeKind::Word(word) if word == "false" => ExprKind::Bool(false),
        NodeKind::Word(_) => ExprKind::Var(variable(node)?.node),
        NodeKind::Square(_) => {
            let title = "a name in brackets is no value";
            return Err(malformed(node.span, title, "call it, as in `([rev f] x 1.0)`"));
        }
        NodeKind::Round(list) => form(node, &list.items)?,
    };
    Ok(Expr { kind, span: node.span })
}

fn form(node: &Node, items: &[Node]) -> Parsed<ExprKind> {
    let Some((head, parts)) = items.split_first() else {
        let hint = "the empty tuple is `(tuple)`";
        return Err(malformed(node.span, "an expression is missing here", hint));
    };
    let wrong = |title: &str, hint: &str| Err(malformed(node.span, title, hint));
    match (head.word(), parts) {
        (Some("if"), [condition, yes, no]) => {
            Ok(ExprKind::If(Box::new([expr(condition)?, expr(yes)?, expr(no)?])))
        }
        (Some("if"), _) => wrong("an `if` has three parts", "write `(if CONDITION THEN ELSE)`"),
        (Some("let"), [_, _]) => lets(node),
        (Some("let"), _) => wrong("a `let` has two parts", "write `(let (x VALUE) BODY)`"),
        (Some("lam"), [param, body]) => Ok(ExprKind::Lam(binder(param)?, Box::new(expr(body)?))),
        (Some("lam"), _) => wrong("a `lam` has two parts", "write `(lam (x : Float) BODY)`"),
        (Some("assert"), [condition, value]) => {
            Ok(ExprKind::Assert(Box::new([expr(condition)?, expr(value)?])))
        }
        (Some("assert"), _) => {
            wrong("an `assert` has two parts", "write `(assert CONDITION VALUE)`")
        }
        (Some("tuple"), items) => {
            Ok(ExprKind::Tuple(items.iter().map(expr).collect::<Parsed<_>>()?))
        }
        (Some("$dummy"), [of]) => Ok(ExprKind::Dummy(ty(of)?)),
        (Some("$dummy"), _) => wrong("a `$dummy` has one part", "write `($dummy Float)`"),
        _ => {
            let name = fun_name(head)?;
            Ok(ExprKind::Call(name, parts.iter().map(expr).collect::<Parsed<_>>()?))
        }
    }
}

/// A chain of `let`s, each the body of the one before: it is read in a loop, so a chain may be long.
fn lets(node: &Node) -> Parsed<ExprKind> {
    let (mut all, mut rest) = (vec![], node);
    while let Some([head, binds, body]) = rest.round() {
        if head.word() != Some("let") {
            break;
        }
        bindings(binds, &mut all)?;
        rest = body;
    }
    Ok(ExprKind::Let(all, Box::new(expr(rest)?)))
}

fn bindings(node: &Node, all: &mut Vec<(Pattern, Expr)>) -> Parsed<()> {
    const HINT: &str = "write `(let (x VALUE) BODY)`, `(let ((x y) PAIR) BODY)` or `(let ((x VALUE) (y VALUE)) BODY)`";
    let Some(items) = node.round() else {
        return Err(malformed(node.span, "this binds nothing", HINT));
    };
    if let [first, value] = items
        && is_pattern(first)
    {
        all.push((pattern(first)?, expr(value)?));
        return Ok(());
    }
    for item in items {
        match item.round() {
            Some([first, value]) => all.push((pattern(first)?, expr(value)?)),
            _ => return Err(malformed(item.span, "this is no binding", HINT)),
        }
    }
    Ok(())
}

fn is_pattern(node: &Node) -> bool {
    let is_variable = |node: &Node| node.word().is_some_and(is_name);
    is_variable(node) || node.round().is_some_and(|items| items.iter().all(is_variable))
}

fn pattern(node: &Node) -> Parsed<Pattern> {
    match node.round() {
        Some(items) => {
            Ok(Pattern::Tuple(items.iter().map(variable).collect::<Parsed<_>>()?, node.span))
        }
        None => Ok(Pattern::Var(variable(node)?)),
    }
}
