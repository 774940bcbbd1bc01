//! The conversion of terms: functions as values become constructors, calls of known functions stay calls.

use pullback_base::Span;
use pullback_lambda::{DefId, Expr, ExprKind, VarId};

use super::Conversion;

impl Conversion<'_> {
    /// A term of the source as a term of the type that its values have here.
    pub(super) fn term(&mut self, mut expr: Expr) -> Expr {
        if let ExprKind::Proj(base, 0) = &expr.kind
            && let Some(pair) = self.kept_pair(base)
        {
            return Expr::proj(pair, 0, expr.span);
        }
        let span = expr.span;
        match expr.kind {
            ExprKind::Var(var) => match self.locals.get(&var).cloned() {
                Some(local) => {
                    let captured = self.captured(&local, span);
                    self.call(local.def, captured, span)
                }
                None => self.occurrence(var, &expr),
            },
            ExprKind::Global(def) => {
                let made = self.definition(def);
                if self.takes_arguments(def) {
                    return self.call(made, vec![], span);
                }
                self.program.global(made, span)
            }
            ExprKind::Lam(..) => {
                let local = self.lift(vec![(None, expr)]).remove(0);
                let captured = self.captured(&local, span);
                self.call(local.def, captured, span)
            }
            ExprKind::App(function, args) => self.application(*function, args, span),
            ExprKind::Let(var, value, body) => {
                let escapes = escapes(&body, var);
                self.let_(var, *value, escapes, |this| this.term(*body))
            }
            ExprKind::LetRec(functions, body) => {
                self.lift(functions.into_iter().map(|(var, f)| (Some(var), f)).collect());
                self.term(*body)
            }
            ExprKind::Ad(op, args) => self.operator(op, args, &expr.ty, span),
            ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Match(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. } => {
                expr.binders().into_iter().for_each(|var| self.bind(var));
                expr.for_each_child_mut(&mut |child| {
                    let part = std::mem::replace(child, Expr::unit(span));
                    *child = self.term(part);
                });
                expr.ty = self.rep(&expr.ty);
                expr
            }
        }
    }

    /// Whether the source has a definition as a function of parameters.
    pub(super) fn takes_arguments(&self, def: DefId) -> bool {
        matches!(self.program.defs[def].body.kind, ExprKind::Lam(..))
    }

    /// A binding around what is made of its body, and whether the function in its value must be a value.
    pub(super) fn let_(
        &mut self,
        var: VarId,
        value: Expr,
        escapes: bool,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        if let ExprKind::Lam(..) = value.kind {
            self.lift(vec![(Some(var), value)]);
            return body(self);
        }
        let kept = if escapes {
            None
        } else {
            self.kept_pair(&value).or_else(|| self.kept_function(&value))
        };
        if let Some(kept) = kept {
            self.native.insert(var);
            return Expr::let_(var, kept, body(self));
        }
        let value = self.term(value);
        self.bind(var);
        Expr::let_(var, value, body(self))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "others are values")]
    fn application(&mut self, function: Expr, args: Vec<Expr>, span: Span) -> Expr {
        if let Some(kept) = self.kept_function(&function) {
            let args = args.into_iter().map(|arg| self.term(arg)).collect();
            return Expr::app(kept, args, span);
        }
        let ty = function.ty.clone();
        match function.kind {
            ExprKind::App(inner, first) => {
                self.application(*inner, first.into_iter().chain(args).collect(), span)
            }
            ExprKind::Global(def) if self.takes_arguments(def) => {
                let made = self.definition(def);
                self.known_call(made, vec![], args, span)
            }
            ExprKind::Var(var) if self.locals.contains_key(&var) => {
                let local = self.locals[&var].clone();
                let captured = self.captured(&local, span);
                self.known_call(local.def, captured, args, span)
            }
            ExprKind::Lam(params, body) if params.len() <= args.len() => {
                let mut args: Vec<Expr> = args.into_iter().map(|arg| self.term(arg)).collect();
                let mut later = vec![];
                let mut bindings = vec![];
                for arg in args.split_off(params.len()) {
                    let (atom, binding) = self.program.share("x", arg);
                    later.push(atom);
                    bindings.extend(binding);
                }
                params.iter().for_each(|var| self.bind(*var));
                let result = ty.result_after(params.len());
                let body = self.term(*body);
                let body = self.apply_all(result, body, later);
                let bound: Vec<_> = params.into_iter().zip(args).chain(bindings).collect();
                Expr::lets(bound, body)
            }
            _ => {
                let head = self.term(function);
                self.evaluated(head, args, &mut |this, head, args| {
                    this.apply_all(ty.clone(), head, args)
                })
            }
        }
    }

    fn known_call(&mut self, def: DefId, captured: Vec<Expr>, args: Vec<Expr>, span: Span) -> Expr {
        if captured.len() + args.len() <= self.arity(def) {
            let args = args.into_iter().map(|arg| self.term(arg));
            let args: Vec<Expr> = args.collect();
            return self.call(def, captured.into_iter().chain(args).collect(), span);
        }
        self.evaluated(Expr::unit(span), args, &mut |this, _, args| {
            this.call(def, captured.iter().cloned().chain(args).collect(), span)
        })
    }

    /// The function and all arguments have values before the first of them is applied.
    fn evaluated(
        &mut self,
        head: Expr,
        args: Vec<Expr>,
        apply: &mut dyn FnMut(&mut Self, Expr, Vec<Expr>) -> Expr,
    ) -> Expr {
        if args.len() == 1 {
            let args = args.into_iter().map(|arg| self.term(arg)).collect();
            return apply(self, head, args);
        }
        let (head, binding) = self.program.share("f", head);
        let mut bindings: Vec<_> = binding.into_iter().collect();
        let mut atoms = vec![];
        for arg in args {
            let arg = self.term(arg);
            let (atom, binding) = self.program.share("x", arg);
            atoms.push(atom);
            bindings.extend(binding);
        }
        let applied = apply(self, head, atoms);
        Expr::lets(bindings, applied)
    }
}

/// Whether a variable that holds a function, or a pair with one, is more than called: its function would
/// have to be a value.
#[expect(clippy::wildcard_enum_match_arm, reason = "others are looked into")]
pub(super) fn escapes(expr: &Expr, var: VarId) -> bool {
    let is = |expr: &Expr| matches!(expr.kind, ExprKind::Var(other) if other == var);
    let is_second = |expr: &Expr| matches!(&expr.kind, ExprKind::Proj(base, 1) if is(base));
    match &expr.kind {
        ExprKind::Var(other) => *other == var,
        ExprKind::Proj(base, index) if is(base) => *index == 1,
        ExprKind::App(function, args) if is(function) || is_second(function) => {
            args.iter().any(|arg| escapes(arg, var))
        }
        ExprKind::Let(bound, value, body) if is_second(value) => {
            escapes(body, *bound) || escapes(body, var)
        }
        ExprKind::Lam(..) => expr.free_vars().contains(&var),
        ExprKind::LetRec(functions, body) => {
            functions.iter().any(|(_, function)| function.free_vars().contains(&var))
                || escapes(body, var)
        }
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= escapes(child, var));
            found
        }
    }
}
