//! Expressions and calls.

use super::code::{Code, asserted, cat, open, tuple};
use super::emitter::Emitter;
use super::text;
use crate::ast::Pattern;
use crate::tree::{BuiltIn, Callee, Expr, ExprKind, FunctionId};
use crate::ty::Type;

impl Emitter<'_> {
    /// An expression.
    pub fn expr(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Int(value) => int(*value),
            ExprKind::Float(value) => real(*value),
            ExprKind::Str(value) => Code::atom(text::literal(value)),
            ExprKind::Bool(value) => Code::atom(value.to_string()),
            ExprKind::Var(name) => Code::atom(self.names.local(name)),
            ExprKind::If(parts) => {
                let [condition, yes, no] = &**parts;
                let condition = self.expr(condition);
                let (yes, no) = (self.expr(yes), self.expr(no));
                cat![Open; "if ", condition, " then ", yes, " else ", no]
            }
            ExprKind::Let(bindings, body) => {
                let bindings = self.bindings(bindings);
                let body = self.expr(body);
                cat![Open; bindings, body]
            }
            ExprKind::Lam(name, body) => {
                let Type::Lam(from, _) = &expr.ty else { return self.expr(body) };
                let header = self.lambda(name, from);
                let body = self.expr(body);
                cat![Open; header, body]
            }
            ExprKind::Assert(parts) => {
                let condition = self.expr(&parts[0]);
                let value = self.expr(&parts[1]);
                asserted(condition, value, parts[0].span)
            }
            ExprKind::Tuple(items) => {
                let items: Vec<Code> = items.iter().map(|item| self.expr(item)).collect();
                tuple(&items)
            }
            ExprKind::Dummy => self.dummy(&expr.ty),
            ExprKind::Call(callee, args) => self.called(callee, args).at(expr.span),
            ExprKind::Derived(derivation, callee, args) => {
                self.derived(*derivation, callee, args).at(expr.span)
            }
            ExprKind::Prim(prim, args) => self.prim(*prim, args, &expr.ty).at(expr.span),
        }
    }
    /// The beginning of a function: `\(x : T) -> `.
    pub fn lambda(&mut self, name: &str, from: &Type) -> Code {
        let ty = self.ty(from);
        open(format!("\\({} : {ty}) -> ", self.names.local(name)))
    }
    /// `let`s in sequence, up to the `in` of the last one.
    pub fn bindings(&mut self, bindings: &[(Pattern, Expr)]) -> Code {
        let mut code = open("");
        for (pattern, value) in bindings {
            let value = self.expr(value);
            let names = match pattern {
                Pattern::Var(name) => Code::atom(self.names.local(&name.node)),
                Pattern::Tuple(names, _) => {
                    let names = names.iter().enumerate().map(|(at, name)| {
                        // Of two components of one name the later one is meant.
                        let is_hidden = names[at + 1..].iter().any(|other| other.node == name.node);
                        let text =
                            if is_hidden { "_".to_owned() } else { self.names.local(&name.node) };
                        Code::atom(text)
                    });
                    tuple(&names.collect::<Vec<_>>())
                }
            };
            code = cat![Open; code, "let ", names, " = ", value, " in\n  "];
        }
        code
    }
    /// A call with arguments as they are written.
    pub fn called(&mut self, callee: &Callee, args: &[Expr]) -> Code {
        let count = self.parameters(callee);
        let (before, args) = self.split(args, count);
        let call = self.applied(callee, &args);
        before_call(before, call)
    }
    /// How many arguments a function takes one after the other.
    pub fn parameters(&self, callee: &Callee) -> usize {
        match callee {
            Callee::Function(id) => self.program.functions[*id].params.len(),
            Callee::BuiltIn(known) => known.takes.len(),
        }
    }
    /// Arguments as written for a function that takes so many, and what must be bound before.
    pub fn split(&mut self, args: &[Expr], count: usize) -> (Code, Vec<Code>) {
        let nothing = Code::atom("");
        if args.len() == count {
            return (nothing, args.iter().map(|arg| self.expr(arg)).collect());
        }
        if let [Expr { kind: ExprKind::Tuple(items), .. }] = args
            && items.len() == count
        {
            return (nothing, items.iter().map(|item| self.expr(item)).collect());
        }
        let whole: Vec<Code> = args.iter().map(|arg| self.expr(arg)).collect();
        let whole = tuple(&whole);
        if count == 1 {
            return (nothing, vec![whole]);
        }
        let names: Vec<Code> = (0..count).map(|_| Code::atom(self.names.fresh("c"))).collect();
        let pattern = if count == 0 { Code::atom("_") } else { tuple(&names) };
        (cat![Open; "let ", pattern, " = ", whole, " in "], names)
    }
    /// A function of so many arguments, given them.
    pub fn applied(&mut self, callee: &Callee, args: &[Code]) -> Code {
        match callee {
            Callee::BuiltIn(known) => self.built_in(known, args),
            Callee::Function(id) => self.apply_named(*id, args),
        }
    }
    fn apply_named(&mut self, id: FunctionId, args: &[Code]) -> Code {
        let name = Code::atom(self.called_here(id));
        args.iter().fold(name, |code, arg| cat![App; code, " ", arg.arg()])
    }
    /// A built-in function, given its arguments.
    pub fn built_in(&mut self, known: &'static BuiltIn, args: &[Code]) -> Code {
        let words = known.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let helpers: Vec<&'static str> = words.filter(|word| word.starts_with("ks_")).collect();
        helpers.into_iter().for_each(|word| {
            self.helper(word);
        });
        let mut parts = vec![];
        let (mut rest, mut is_open) = (known.text, false);
        while let Some(at) = rest.find(['%', '@']) {
            let Some(digit) = rest[at + 1..].chars().next().and_then(|c| c.to_digit(10)) else {
                // The matrix product.
                parts.push(Code::atom(&rest[..=at]));
                rest = &rest[at + 1..];
                continue;
            };
            let is_operand = rest[at..].starts_with('%');
            is_open |= is_operand;
            parts.push(Code::atom(&rest[..at]));
            let arg = args.get(digit as usize).cloned().unwrap_or_else(|| Code::atom("()"));
            parts.push(if is_operand { arg.operand() } else { arg.arg() });
            rest = &rest[at + 2..];
        }
        parts.push(Code::atom(rest));
        let level = if is_open {
            super::code::Level::Open
        } else if known.takes.is_empty() {
            super::code::Level::Atom
        } else {
            super::code::Level::App
        };
        Code::of(level, parts)
    }
    /// A function as one of a single argument.
    pub fn of_one(&mut self, callee: &Callee) -> Code {
        if let (Callee::Function(id), 1) = (callee, self.parameters(callee)) {
            return Code::atom(self.called_here(*id));
        }
        let count = self.parameters(callee);
        let names: Vec<Code> = (0..count).map(|_| Code::atom(self.names.fresh("c"))).collect();
        let (of, _) = self.signature(callee);
        let ty = self.ty(&of);
        let body = self.applied(callee, &names);
        cat![Open; "\\(", tuple(&names), format!(" : {ty}) -> "), body]
    }
}

/// What is bound before, and the call.
pub fn before_call(before: Code, call: Code) -> Code {
    if before.is_empty() { call } else { cat![Open; before, call] }
}

/// A whole number.
pub fn int(value: i64) -> Code {
    match value {
        i64::MIN => Code::atom(format!("(-{} - 1)", i64::MAX)),
        0.. => Code::atom(value.to_string()),
        _ => Code::atom(format!("({value})")),
    }
}

/// A number.
pub fn real(value: f64) -> Code {
    let text = format!("{value:?}");
    if value.is_sign_negative() { Code::atom(format!("({text})")) } else { Code::atom(text) }
}
