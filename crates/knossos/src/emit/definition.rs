//! Definitions: one for each function, two for `main` that prints and for what has a derivative of its own.

use super::code::{self, Code, app, asserted, cat, open};
use super::emitter::Emitter;
use super::{rules, text};
use crate::tree::{Body, Expr, ExprKind, Function, FunctionId, Prim};
use crate::ty::Type;

/// Whether a function is the one that a command runs.
pub fn is_main(function: &Function) -> bool {
    function.base == "main" && function.derivations.is_empty() && function.params.is_empty()
}

/// What the program calls a function.
pub fn written(function: &Function, base: &str) -> String {
    let mut text = base.to_owned();
    for derivation in function.derivations.iter().rev() {
        text = format!("[{} {text}]", derivation.word());
    }
    text
}

/// How many things are printed at the end, if on every way to it as many are.
pub fn printed(body: &Expr) -> Option<usize> {
    match &body.kind {
        ExprKind::Prim(Prim::Print, args) => Some(args.len()),
        ExprKind::Let(_, inner) => printed(inner),
        ExprKind::If(parts) => {
            let (yes, no) = (printed(&parts[1])?, printed(&parts[2])?);
            (yes == no).then_some(yes)
        }
        ExprKind::Assert(parts) => printed(&parts[1]),
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bool(_)
        | ExprKind::Var(_)
        | ExprKind::Lam(..)
        | ExprKind::Tuple(_)
        | ExprKind::Dummy
        | ExprKind::Call(..)
        | ExprKind::Derived(..)
        | ExprKind::Prim(..) => None,
    }
}

impl Emitter<'_> {
    /// The definitions of a function: one, or two if it has a derivative of its own.
    pub fn function(&mut self, id: FunctionId, function: &Function) -> Vec<Code> {
        let name = self.functions[id].clone();
        let params: Vec<(String, Type)> = (1..)
            .zip(&function.params)
            .map(|(at, (name, ty))| match name.as_str() {
                "" => (format!("a{at}"), ty.clone()),
                known => (known.to_owned(), ty.clone()),
            })
            .map(|(name, ty)| (self.names.local(&name), ty))
            .collect();
        self.ruled = rules::base_of(self.program, function);
        let body = match &function.body {
            Body::Defined(body) => self.expr(body),
            Body::BuiltIn(known) => {
                let args: Vec<Code> = params.iter().map(|(name, _)| Code::atom(name)).collect();
                self.built_in(known, &args)
            }
            Body::Missing => {
                let title = format!(
                    "`{}` is declared by `edef`, and defined nowhere",
                    written(function, &function.base)
                );
                cat![App; "error ", text::literal(&title)]
            }
        };
        self.ruled = None;
        let header = self.header(&name, &params, &function.result);
        match self.rules.get(&id).copied().filter(|_| function.derivations.is_empty()) {
            None => vec![cat![Open; header, body].at(function.span)],
            Some(rules) => {
                let plain = self.plain[&id].clone();
                let itself = cat![Open; self.header(&plain, &params, &function.result), body];
                let ruled = self.ruled(&plain, function, rules);
                let args: Vec<Code> = params.iter().map(|(name, _)| Code::atom(name)).collect();
                let call = cat![App; ruled, " ", code::tuple(&args)];
                let outer = cat![Open; header, call];
                vec![itself.at(function.span), outer.at(function.span)]
            }
        }
    }
    fn header(&mut self, name: &str, params: &[(String, Type)], result: &Type) -> Code {
        let mut header = open(format!("def {name}"));
        for (param, ty) in params {
            header = cat![Open; header, format!(" ({param}: {})", self.ty(ty))];
        }
        cat![Open; header, format!(": {} =\n  ", self.ty(result))]
    }
    /// `main`, and what it prints as a definition of its own.
    pub fn output(
        &mut self,
        function: &Function,
        body: &Expr,
        name: Option<&str>,
        count: usize,
    ) -> Vec<Code> {
        let name = name.unwrap_or_default();
        let text = self.printed_by(body);
        let main = self.program.functions.iter().position(is_main).unwrap_or_default();
        let main = self.functions[main].clone();
        let count = count.saturating_sub(1);
        let of = cat![Open; self.header(name, &[], &Type::Str), text];
        let call = app(format!("{} {name} {count}", self.helper("ks_print")));
        let call = cat![Open; self.header(&main, &[], &Type::Int), call];
        vec![of.at(function.span), call.at(function.span)]
    }
    /// What a body prints at its end.
    fn printed_by(&mut self, body: &Expr) -> Code {
        match &body.kind {
            ExprKind::Prim(Prim::Print, args) => self.texts(args),
            ExprKind::Let(bindings, inner) => {
                let bindings = self.bindings(bindings);
                let inner = self.printed_by(inner);
                cat![Open; bindings, inner]
            }
            ExprKind::If(parts) => {
                let condition = self.expr(&parts[0]);
                let (yes, no) = (self.printed_by(&parts[1]), self.printed_by(&parts[2]));
                cat![Open; "if ", condition, " then ", yes, " else ", no]
            }
            ExprKind::Assert(parts) => {
                let condition = self.expr(&parts[0]);
                let value = self.printed_by(&parts[1]);
                asserted(condition, value, parts[0].span)
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Bool(_)
            | ExprKind::Var(_)
            | ExprKind::Lam(..)
            | ExprKind::Tuple(_)
            | ExprKind::Dummy
            | ExprKind::Call(..)
            | ExprKind::Derived(..)
            | ExprKind::Prim(..) => self.expr(body),
        }
    }
}
