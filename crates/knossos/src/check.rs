//! Names and types: a program whose calls are resolved, or what is wrong with it.
//!
//! Input: declarations. Output: a [`Program`]. A function is known by what is made of it, its name, and the type of its
//! argument; it is defined before it is used, but may call itself. The first mistake in a declaration is told, and the
//! next declaration is looked at.

mod built_in;
mod call;
mod prim;

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, Span};

use crate::ast::{self, Binder, Decl, DeclKind, Derivation, FunName, Pattern};
use crate::tree::{Body, Callee, Expr, ExprKind, Function, FunctionId, Program};
use crate::ty::Type;

pub use built_in::{known, takes};

type Checked<T> = Result<T, Box<Diagnostic>>;

/// How large a type may be: what tuples of tuples make grows fast.
const MAX_TYPE: usize = 10_000;

/// What a function is known by.
type Key = (Vec<Derivation>, String, Type);

/// Checks a program.
pub fn check(decls: &[Decl]) -> Result<Program, Vec<Diagnostic>> {
    let mut checker = Checker::default();
    let mut diagnostics = vec![];
    for decl in decls {
        checker.scope.clear();
        if let Err(diagnostic) = checker.declaration(decl) {
            diagnostics.push(*diagnostic);
        }
    }
    if diagnostics.is_empty() { Ok(checker.program) } else { Err(diagnostics) }
}

#[derive(Default)]
struct Checker {
    program: Program,
    known: BTreeMap<Key, FunctionId>,
    /// The variables in scope, innermost last.
    scope: Vec<(String, Type)>,
}

impl Checker {
    fn declaration(&mut self, decl: &Decl) -> Checked<()> {
        match &decl.kind {
            DeclKind::Def { name, result, params, body } => {
                self.definition(name, result, params, body)
            }
            DeclKind::External { name, result, argument } => self.external(name, result, argument),
            DeclKind::Wanted(name) => self.wanted(name),
            DeclKind::Rule { params, pattern, replacement } => {
                self.bind(params)?;
                let pattern = self.expr(pattern)?;
                let replacement = self.expr(replacement)?;
                same_type("a rule keeps the type", &pattern, &replacement)
            }
        }
    }
    fn bind(&mut self, params: &[Binder]) -> Checked<()> {
        for (at, param) in params.iter().enumerate() {
            if params[..at].iter().any(|other| other.name.node == param.name.node) {
                let title = format!("the parameter `{}` is bound twice", param.name.node);
                let diagnostic = Diagnostic::error("E0903", param.name.span, title, "once more");
                return Err(Box::new(diagnostic.hint("give each a name of its own")));
            }
            self.scope.push((param.name.node.clone(), param.ty.clone()));
        }
        Ok(())
    }
    fn definition(
        &mut self,
        name: &FunName,
        result: &Type,
        params: &[Binder],
        body: &ast::Expr,
    ) -> Checked<()> {
        let argument = Type::of_arguments(params.iter().map(|param| param.ty.clone()).collect());
        for ty in [result, &argument] {
            no_linear_map(ty, name.span)?;
        }
        if result.has_function() {
            let title = format!("`{}` gives a function", name.text());
            let diagnostic = Diagnostic::error("E0904", name.span, title, "a function is no value");
            return Err(Box::new(diagnostic.note("functions are only arguments of primitives")));
        }
        let key = self.key(name, &argument)?;
        let named = |param: &Binder| (param.name.node.clone(), param.ty.clone());
        let params_of = params.iter().map(named).collect();
        let id = self.declare(key, name.span, result, params_of, Body::Missing)?;
        self.bind(params)?;
        let body = self.expr(body)?;
        if body.ty != *result {
            let title = format!("`{}` is declared to give another type", name.text());
            let label = format!("this is `{}`, declared is `{result}`", body.ty);
            return Err(Box::new(Diagnostic::error("E0904", body.span, title, label)));
        }
        self.program.functions[id].body = Body::Defined(body);
        Ok(())
    }
    fn external(&mut self, name: &FunName, result: &Type, argument: &Type) -> Checked<()> {
        let has_map = |ty: &Type| ty.any(&|ty| matches!(ty, Type::Map(..)));
        if has_map(result) || has_map(argument) {
            // The linear map of a function that is defined elsewhere: nobody can ask for it.
            return Ok(());
        }
        let params =
            if let Type::Tuple(items) = argument { items.clone() } else { vec![argument.clone()] };
        let params = params.into_iter().map(|ty| (String::new(), ty)).collect();
        let body = match built_in::known(&name.base, argument) {
            Some((known, ty)) if ty == *result && name.derivations.is_empty() => {
                Body::BuiltIn(known)
            }
            _ => Body::Missing,
        };
        if let [derivation, ..] = name.derivations[..] {
            // What Pullback makes itself takes the place of what is declared and defined nowhere.
            let of = self.base_type(name, derivation, argument)?;
            let is_missing =
                |id: &FunctionId| matches!(self.program.functions[*id].body, Body::Missing);
            let base = self.known.get(&(vec![], name.base.clone(), of));
            if !base.is_some_and(is_missing) {
                return Ok(());
            }
        }
        let key = self.key(name, argument)?;
        self.declare(key, name.span, result, params, body).map(|_| ())
    }
    fn wanted(&mut self, name: &FunName) -> Checked<()> {
        let Some(ty) = &name.ty else { return Ok(()) };
        if name.derivations.first() == Some(&Derivation::D) {
            return Err(no_such_derivative(name, "`gdef` makes no linear map"));
        }
        if self.base(&name.base, ty).is_some() {
            return Ok(());
        }
        Err(self.unknown(&FunName { derivations: vec![], ..name.clone() }, ty))
    }

    /// The key of a definition. What is made of a function says what is made of which.
    fn key(&mut self, name: &FunName, argument: &Type) -> Checked<Key> {
        if let [derivation, rest @ ..] = &name.derivations[..] {
            if !rest.is_empty() && *derivation != Derivation::Shape {
                return Err(no_such_derivative(name, "a derivative of a derivative has no name"));
            }
            let of = self.base_type(name, *derivation, argument)?;
            if self.base(&name.base, &of).is_none() {
                return Err(self.unknown(&FunName { derivations: vec![], ..name.clone() }, &of));
            }
            if *derivation == Derivation::ReversePass {
                // Two functions may keep what is of one type; the base type tells them apart.
                return Ok((name.derivations.clone(), name.base.clone(), of));
            }
        } else if let Some(ty) = &name.ty
            && ty != argument
        {
            return Err(other_base(name, ty, argument));
        }
        Ok((name.derivations.clone(), name.base.clone(), argument.clone()))
    }
    /// The type that the base of a derived function takes.
    fn base_type(&self, name: &FunName, derivation: Derivation, argument: &Type) -> Checked<Type> {
        let first = match (derivation, argument) {
            (Derivation::Fwd | Derivation::Rev | Derivation::BothPasses, Type::Tuple(items)) => {
                match &items[..] {
                    [first, _] => Some(first.clone()),
                    _ => None,
                }
            }
            (Derivation::Fwd | Derivation::Rev | Derivation::BothPasses, _) => None,
            (Derivation::ReversePass, _) => name.ty.clone(),
            (
                Derivation::D | Derivation::ForwardPass | Derivation::Shape | Derivation::Category,
                _,
            ) => {
                // The shape of a derived function is told by what that one takes.
                let inner = name.derivations.get(1);
                match inner {
                    Some(inner) => Some(self.base_type(name, *inner, argument)?),
                    None => Some(argument.clone()),
                }
            }
        };
        let Some(first) = first else {
            let title = format!("`{}` takes something else", name.text());
            let label = format!("not `{argument}`");
            let note = if derivation == Derivation::ReversePass {
                "`[sufrevpass [f T]]` says the type `T` that `f` takes: it takes a cotangent and what is kept"
            } else {
                "it takes a pair: the argument of the function, and a tangent or a cotangent"
            };
            return Err(Box::new(Diagnostic::error("E0904", name.span, title, label).note(note)));
        };
        match &name.ty {
            Some(ty) if *ty != first => Err(other_base(name, ty, &first)),
            _ => Ok(first),
        }
    }
    fn declare(
        &mut self,
        key: Key,
        span: Span,
        result: &Type,
        params: Vec<(String, Type)>,
        body: Body,
    ) -> Checked<FunctionId> {
        if let Some(first) = self.known.get(&key) {
            let title = format!("`{}` is defined twice at `{}`", key.1, key.2);
            return Err(Box::new(
                Diagnostic::error("E0903", span, title, "once more")
                    .label(self.program.functions[*first].span, "the first time")
                    .note("functions of one name differ in the type of their argument"),
            ));
        }
        let id = self.program.functions.len();
        self.program.functions.push(Function {
            derivations: key.0.clone(),
            base: key.1.clone(),
            argument: key.2.clone(),
            result: result.clone(),
            params,
            body,
            span,
        });
        self.known.insert(key, id);
        Ok(id)
    }
    /// The function of this name at this type, and what it gives.
    fn base(&self, name: &str, argument: &Type) -> Option<(Callee, Type)> {
        let key = (vec![], name.to_owned(), argument.clone());
        if let Some(id) = self.known.get(&key) {
            return Some((Callee::Function(*id), self.program.functions[*id].result.clone()));
        }
        built_in::known(name, argument).map(|(known, ty)| (Callee::BuiltIn(known), ty))
    }

    fn expr(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let (kind, ty) = match &expr.kind {
            ast::ExprKind::Int(value) => (ExprKind::Int(*value), Type::Int),
            ast::ExprKind::Float(value) => (ExprKind::Float(*value), Type::Float),
            ast::ExprKind::Str(value) => (ExprKind::Str(value.clone()), Type::Str),
            ast::ExprKind::Bool(value) => (ExprKind::Bool(*value), Type::Bool),
            ast::ExprKind::Var(name) => {
                let known = self.scope.iter().rev().find(|(known, _)| known == name);
                let Some((_, ty)) = known else { return Err(self.unbound(name, expr.span)) };
                (ExprKind::Var(name.clone()), ty.clone())
            }
            ast::ExprKind::If(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.condition(condition)?;
                let (yes, no) = (self.expr(yes)?, self.expr(no)?);
                same_type("both branches have one type", &yes, &no)?;
                let ty = yes.ty.clone();
                (ExprKind::If(Box::new([condition, yes, no])), ty)
            }
            ast::ExprKind::Assert(parts) => {
                let [condition, value] = &**parts;
                let (condition, value) = (self.condition(condition)?, self.expr(value)?);
                let ty = value.ty.clone();
                (ExprKind::Assert(Box::new([condition, value])), ty)
            }
            ast::ExprKind::Let(bindings, body) => self.bindings(bindings, body)?,
            ast::ExprKind::Tuple(items) => {
                let items = self.exprs(items)?;
                let ty = Type::Tuple(items.iter().map(|item| item.ty.clone()).collect());
                (ExprKind::Tuple(items), ty)
            }
            ast::ExprKind::Dummy(ty) if !ty.has_function() => (ExprKind::Dummy, ty.clone()),
            ast::ExprKind::Dummy(_) | ast::ExprKind::Lam(..) => {
                let title = "a function stands where a value is needed";
                let diagnostic = Diagnostic::error("E0904", expr.span, title, "this is a function");
                return Err(Box::new(
                    diagnostic.note(
                        "a `lam` is an argument of `build`, `fold` and other primitives only",
                    ),
                ));
            }
            ast::ExprKind::Call(name, args) => return self.call(name, args, expr.span),
        };
        sized(Expr { kind, ty, span: expr.span })
    }
    fn exprs(&mut self, exprs: &[ast::Expr]) -> Checked<Vec<Expr>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }
    fn condition(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let expr = self.expr(expr)?;
        if expr.ty == Type::Bool {
            return Ok(expr);
        }
        let label = format!("this is `{}`", expr.ty);
        Err(Box::new(Diagnostic::error("E0904", expr.span, "a condition is a `Bool`", label)))
    }
    fn bindings(
        &mut self,
        bindings: &[(Pattern, ast::Expr)],
        body: &ast::Expr,
    ) -> Checked<(ExprKind, Type)> {
        let outer = self.scope.len();
        let mut checked = vec![];
        for (pattern, value) in bindings {
            let value = self.expr(value)?;
            match (pattern, &value.ty) {
                (Pattern::Var(name), ty) => self.scope.push((name.node.clone(), ty.clone())),
                (Pattern::Tuple(names, _), Type::Tuple(items)) if names.len() == items.len() => {
                    let names = names.iter().map(|name| name.node.clone());
                    self.scope.extend(names.zip(items.iter().cloned()));
                }
                (Pattern::Tuple(names, span), ty) => {
                    let title = format!("this takes {} components apart", names.len());
                    let diagnostic = Diagnostic::error("E0904", *span, title, "this pattern");
                    return Err(Box::new(diagnostic.label(value.span, format!("this is `{ty}`"))));
                }
            }
            checked.push((pattern.clone(), value));
        }
        let body = self.expr(body)?;
        self.scope.truncate(outer);
        let ty = body.ty.clone();
        Ok((ExprKind::Let(checked, Box::new(body)), ty))
    }
    /// An argument, which may be a function.
    fn argument(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let ast::ExprKind::Lam(binder, body) = &expr.kind else { return self.expr(expr) };
        self.scope.push((binder.name.node.clone(), binder.ty.clone()));
        let body = self.expr(body)?;
        self.scope.pop();
        let ty = Type::Lam(Box::new(binder.ty.clone()), Box::new(body.ty.clone()));
        let kind = ExprKind::Lam(binder.name.node.clone(), Box::new(body));
        Ok(Expr { kind, ty, span: expr.span })
    }
    fn unbound(&self, name: &str, span: Span) -> Box<Diagnostic> {
        let title = format!("there is no variable `{name}`");
        let diagnostic = Diagnostic::error("E0903", span, title, "not known here");
        let known = self.scope.iter().map(|(known, _)| known.as_str());
        Box::new(if self.known.keys().any(|(_, base, _)| base == name) {
            diagnostic.hint(format!("a function is called in parentheses: `({name} …)`"))
        } else if let Some(near) = pullback_base::nearest(name, known) {
            diagnostic.hint(format!("did you mean `{near}`?"))
        } else {
            diagnostic.hint("bind it by `let`, or make it a parameter")
        })
    }
}

/// Refuses what is of a type that is too large.
fn sized(expr: Expr) -> Checked<Expr> {
    fn size(ty: &Type) -> usize {
        match ty {
            Type::Tuple(items) => 1 + items.iter().map(size).sum::<usize>(),
            Type::Tensor(_, element) => 1 + size(element),
            Type::Lam(from, to) | Type::Map(from, to) | Type::Pass(from, to) => {
                1 + size(from) + size(to)
            }
            Type::Int | Type::Float | Type::Str | Type::Bool => 1,
        }
    }
    if size(&expr.ty) <= MAX_TYPE {
        return Ok(expr);
    }
    let title = "the type of this is too large";
    Err(Box::new(Diagnostic::error("E0904", expr.span, title, "tuples of tuples of tuples")))
}

fn same_type(what: &str, one: &Expr, other: &Expr) -> Checked<()> {
    if one.ty == other.ty {
        return Ok(());
    }
    let label = format!("this is `{}`", other.ty);
    let diagnostic = Diagnostic::error("E0904", other.span, what, label);
    Err(Box::new(diagnostic.label(one.span, format!("this is `{}`", one.ty))))
}

fn no_linear_map(ty: &Type, span: Span) -> Checked<()> {
    if ty.any(&|ty| matches!(ty, Type::Map(..))) {
        let title = "a linear map is no value";
        let diagnostic = Diagnostic::error("E0905", span, title, "`LM` stands in this type");
        return Err(Box::new(diagnostic.hint("apply the derivative: `[fwd f]` or `[rev f]`")));
    }
    Ok(())
}

fn no_such_derivative(name: &FunName, note: &str) -> Box<Diagnostic> {
    let title = format!("there is no `{}`", name.text());
    let diagnostic = Diagnostic::error("E0905", name.span, title, "this derivative");
    Box::new(diagnostic.note(note).hint("there are `[fwd f]`, `[rev f]`, `[sufrev f]`, `[suffwdpass f]`, `[sufrevpass [f T]]`, `[CL f]` and `[shape f]`"))
}

fn other_base(name: &FunName, written: &Type, found: &Type) -> Box<Diagnostic> {
    let title = format!("`{}` is written at one type and used at another", name.text());
    let label = format!("`{written}` is written, but it is `{found}`");
    Box::new(Diagnostic::error("E0904", name.span, title, label))
}
