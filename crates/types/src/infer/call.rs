//! Application: `f a b`, `x |> f`.

use pullback_base::{Diagnostic, Fix, Span};
use pullback_syntax::ast::{BinaryOp, Expr, ExprKind};

use super::bindings::GlobalState;
use super::callee::{CallPlaces, Callee};
use super::expr;
use super::mismatch::Why;
use super::names::Head;
use super::scope::Binding;
use super::solver::Solver;
use super::state::Infer;
use super::unifier::Unifier;
use crate::tir::{Builtin, Constraint, GlobalId, TExpr, TExprKind};
use crate::ty::{Size, Ty, TyVar};

impl<'a> Infer<'a> {
    /// `fun args`; `want` is the type of the whole, if known.
    pub(super) fn call(
        &mut self,
        fun: &'a Expr,
        args: Vec<&'a Expr>,
        span: Span,
        want: Option<&Ty>,
    ) -> TExpr {
        let (fun, mut args) = flatten(fun, args);
        let told = self.unifier.reports.len();
        let mut head = self.call_head(fun, want);
        if let Some((Builtin::Einsum, _)) = head.builtin {
            let Some(function) = self.einsum(fun.span, &args) else {
                let args = args.into_iter().map(|arg| self.infer(arg)).collect::<Vec<_>>();
                self.typed.salvaged.extend(args);
                return TExpr::error(span);
            };
            head = function;
            args.remove(0);
        }
        let ty = head.expr.ty.clone();
        let applied = self.apply(head, &args, span);
        if self.unifier.reports.len() > told {
            self.mend_call(fun, &ty, &args, told);
        }
        applied
    }

    /// What is applied.
    pub(super) fn call_head(&mut self, fun: &'a Expr, want: Option<&Ty>) -> Head {
        if let ExprKind::Name(name) = &fun.kind {
            return self.name_head(name, fun.span, want);
        }
        if let ExprKind::Field { base, field } = &fun.kind {
            return match self.qualified_head(base, field, want) {
                Some(head) => head,
                None => Head::plain(self.infer(fun), Some(field.node.clone())),
            };
        }
        if let ExprKind::Operator(op) = &fun.kind {
            return match crate::builtins::of_operator(*op) {
                Some(builtin) => self.solver().builtin_head(builtin, fun.span),
                None => Head::plain(self.pipe_function(fun.span), None),
            };
        }
        if let ExprKind::Paren(inner) = &fun.kind {
            return self.call_head(inner, want);
        }
        Head::plain(self.infer(fun), None)
    }

    fn apply(&mut self, head: Head, args: &[&'a Expr], span: Span) -> TExpr {
        self.unifier.calls.push(CallPlaces::of(head.expr.span, args));
        let applied = self.apply_each(head, args, span);
        self.unifier.calls.pop();
        applied
    }

    fn apply_each(&mut self, head: Head, args: &[&'a Expr], span: Span) -> TExpr {
        let mut call = Call::new(&head, args.len());
        self.plain_arguments(&head, args, &mut call);
        for (index, arg) in args.iter().enumerate() {
            if self.unifier.reports.has_stopped() {
                return TExpr::error(span);
            }
            match self.unifier.table.head(&call.at) {
                Ty::Fun(from, to) => {
                    if call.typed[index].is_none() {
                        self.argument(&head, index, arg, &from, &mut call);
                    }
                    call.at = to.as_ref().clone();
                }
                Ty::Error => {
                    call.typed[index] = Some(self.infer(arg));
                    call.at = Ty::Error;
                }
                Ty::Var(_) if call.wrong => {
                    call.typed[index] = Some(self.infer(arg));
                    call.at = Ty::Error;
                }
                Ty::Var(var) if !is_number(&head.expr) && !self.unifier.must_be_number(var) => {
                    let unknown = Ty::Var(var);
                    let arg = self.infer(arg);
                    let result = self.unifier.fresh();
                    let fun = Ty::Fun(arg.ty.clone().into(), result.clone().into());
                    let why = Why::Argument(call.callee.clone(), index);
                    let agrees = self.solver().agree(&fun, &unknown, arg.span, &why);
                    call.typed[index] = Some(arg);
                    call.at = if agrees { result } else { Ty::Error };
                }
                other @ (Ty::Real
                | Ty::Int
                | Ty::Bool
                | Ty::Str
                | Ty::Tuple(_)
                | Ty::Record(_)
                | Ty::Sum(..)
                | Ty::Array(..)
                | Ty::Tangent(_)
                | Ty::Jacobian(..)
                | Ty::Param(_)
                | Ty::Var(_)) => {
                    let before = self.unifier.reports.len();
                    for arg in &args[index..] {
                        let arg = self.infer(arg);
                        self.typed.salvaged.push(arg);
                    }
                    self.typed.salvaged.extend(call.typed.iter_mut().filter_map(Option::take));
                    // A mistake in an argument, such as `x mod y`, says more than that it is one.
                    if call.wrong || self.unifier.reports.len() > before {
                        return TExpr::error(span);
                    }
                    let hides = index == 0 && self.hides_function(&head);
                    if hides {
                        self.report_hidden(&head, &other);
                    } else if let Some(mentioned) = self.early_function(&head) {
                        self.report_early_function(&head, mentioned);
                    } else {
                        self.solver().report_not_function(
                            &head.expr,
                            &call.callee,
                            index,
                            &other,
                            arg,
                        );
                    }
                    return TExpr::error(span);
                }
            }
        }
        self.solver().finish_call(head, args, call, span)
    }

    /// Whether this is a local name that hides a definition or a built-in.
    fn hides_function(&self, head: &Head) -> bool {
        let (TExprKind::Local(..), Some(name)) = (&head.expr.kind, &head.name) else {
            return false;
        };
        self.declared.scopes.value(self.scope.module(), name).is_some()
            || crate::builtins::lookup(name).is_some()
    }

    /// A definition that the size of a declared type applies, if it may be a function and does not say of which type.
    fn early_function(&self, head: &Head) -> Option<GlobalId> {
        let TExprKind::Global(global, _) = head.expr.kind else { return None };
        let early = matches!(self.bindings.global(global), GlobalState::Unseen);
        (early && self.declared.ints(global).is_none()).then_some(global)
    }

    /// The size of a declared type applies a definition of which nothing is known yet.
    fn report_early_function(&mut self, head: &Head, global: GlobalId) {
        let name = &self.typed.globals[global].name;
        let diagnostic = Diagnostic::error(
            "E0302",
            head.expr.span,
            format!("`{name}` does not say that it takes and gives an `Int`"),
            "its type is not known here",
        )
        .note("sizes in `type` declarations are read before definitions")
        .hint(format!("write its types where it is defined, as in `def {name} (n: Int): Int`"));
        self.unifier.report(diagnostic);
    }

    /// A local name is applied, or given for a function, which is none; what it hides may have been meant.
    fn report_hidden(&mut self, head: &Head, ty: &Ty) {
        let name = head.name.as_ref().map_or("", |name| name.as_str());
        let found = self.solver().show(ty);
        let diagnostic = Diagnostic::error(
            "E0302",
            head.expr.span,
            format!("the local name `{name}` is no function, and hides the function `{name}`"),
            format!("this is the local `{found}`"),
        )
        .note("of several things with one name, the innermost is meant")
        .hint(format!("give the local name another one; then `{name}` is the function again"));
        self.unifier.report(diagnostic);
    }

    /// Checks the arguments that are not written functions before those that are: in
    /// `reduce (\a b -> …) 0.0 xs` the function waits until `0.0` and `xs` have told what it takes, so
    /// that a mistake inside it is found there. Built-ins, which differentiate, keep the order: one
    /// function may serve points of many sizes.
    fn plain_arguments(&mut self, head: &Head, args: &[&'a Expr], call: &mut Call) {
        let first = args.iter().position(|arg| is_lambda(arg));
        if head.builtin.is_some()
            || first.is_none_or(|first| args[first..].iter().all(|arg| is_lambda(arg)))
        {
            return;
        }
        let mut wanted = Vec::with_capacity(args.len());
        let mut ty = head.expr.ty.clone();
        for _ in args {
            let Ty::Fun(from, to) = self.unifier.table.head(&ty) else { return };
            wanted.push(from);
            ty = to.as_ref().clone();
        }
        for (index, (arg, from)) in args.iter().zip(&wanted).enumerate() {
            if !is_lambda(arg) && !self.unifier.reports.has_stopped() {
                self.argument(head, index, arg, from, call);
            }
        }
    }

    /// Checks one argument of a function that is known to take a `from` there.
    pub(super) fn argument(
        &mut self,
        head: &Head,
        index: usize,
        arg: &'a Expr,
        from: &Ty,
        call: &mut Call,
    ) {
        let arg = if call.wrong && !is_closed(from) {
            self.infer(arg)
        } else if let Some(hidden) = self.hidden_argument(arg, from) {
            hidden
        } else {
            self.check(arg, from, &Why::Argument(call.callee.clone(), index))
        };
        call.wrong |= matches!(arg.kind, TExprKind::Error);
        for (position, var) in &head.dependents {
            if *position == index {
                match self.size_of_expr(&arg) {
                    Size::Poly(poly) => self.unifier.bind_size(*var, &poly),
                    Size::Any => self.unifier.table.forget_dependents(&[(index, *var)], 0),
                }
            }
        }
        call.typed[index] = Some(arg);
    }

    /// A local name that is no function, given for one, where it hides a function: reported.
    fn hidden_argument(&mut self, arg: &Expr, from: &Ty) -> Option<TExpr> {
        let ExprKind::Name(name) = &arg.kind else { return None };
        let Some(Binding::Local(local)) = self.scope.binding(name) else { return None };
        if !matches!(self.unifier.table.head(from), Ty::Fun(..)) {
            return None;
        }
        // What has a scheme is a function; each look at it as a name is a use, with constraints of its own.
        let local = *local;
        if self.bindings.local(local).scheme.is_some() {
            return None;
        }
        let ty = self.unifier.table.head(&self.typed.locals[local].ty);
        if !matches!(ty, Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Array(..)) {
            return None;
        }
        let head = self.name_head(name, arg.span, None);
        if !self.hides_function(&head) {
            return None;
        }
        self.report_hidden(&head, &ty);
        Some(TExpr::error(arg.span))
    }

    /// `(|>)` as a function.
    fn pipe_function(&mut self, span: Span) -> TExpr {
        let (a, b) = (self.unifier.fresh(), self.unifier.fresh());
        let f = Ty::Fun(a.clone().into(), b.clone().into());
        let x_id = self.local(&"x".into(), Span::NONE, a.clone());
        let f_id = self.local(&"f".into(), Span::NONE, f.clone());
        let local =
            |id, ty: &Ty| TExpr { kind: TExprKind::Local(id, vec![]), ty: ty.clone(), span };
        let body = TExprKind::App(Box::new(local(f_id, &f)), vec![local(x_id, &a)]);
        let body = TExpr { kind: body, ty: b, span };
        expr::lambda_of(&[(x_id, a), (f_id, f)], body, span)
    }
}

impl Solver<'_> {
    fn finish_call(&mut self, head: Head, args: &[&Expr], call: Call, span: Span) -> TExpr {
        // What decided the types of a definition without a signature may be what is wrong.
        let is_guessed = head.decided.iter().flat_map(|places| places.iter()).any(Option::is_some);
        let Head { expr: function, dependents, builtin, .. } = head;
        self.unifier.table.forget_dependents(&dependents, args.len());
        if let Some((builtin, used)) = &builtin {
            let spans: Vec<Span> = args.iter().map(|arg| arg.span).collect();
            self.finish_builtin(*builtin, used, function.span, &spans);
        }
        let spoilt = call.wrong && (builtin.is_some() || is_guessed || !is_closed(&call.at));
        let ty = if spoilt { Ty::Error } else { call.at };
        let typed: Vec<TExpr> = call.typed.into_iter().flatten().collect();
        if typed.is_empty() {
            return TExpr { span, ..function };
        }
        TExpr { kind: TExprKind::App(Box::new(function), typed), ty, span }
    }

    fn report_not_function(
        &mut self,
        function: &TExpr,
        callee: &Callee,
        taken: usize,
        ty: &Ty,
        argument: &Expr,
    ) {
        let extra = argument.span;
        let found = self.show(ty);
        let called = callee.name().map_or_else(|| "this".to_string(), |name| format!("`{name}`"));
        let diagnostic = if taken == 0 {
            let is_index = matches!((ty, &argument.kind), (Ty::Array(..), ExprKind::Array(_)));
            let number = is_number(function) || matches!(ty, Ty::Int | Ty::Real);
            let label = if is_number(function) {
                "this is a number".to_string()
            } else {
                format!("this is `{found}`")
            };
            Diagnostic::error(
                "E0302",
                function.span,
                format!("{called} is no function, so it cannot be applied"),
                label,
            )
            .label(extra, "an argument is given here")
            .note("two expressions side by side mean application")
            .fixes(if is_index {
                "an index touches the array: `xs[i]`, without a space"
            } else if number {
                "a product is written with `*`; a comma or another operator may be missing"
            } else {
                "a comma or an operator may be missing, or the first is not the function you meant"
            }, is_index.then(|| Fix::new(function.span.end().to(extra.start()), "")))
        } else {
            let arguments =
                if taken == 1 { "1 argument".to_string() } else { format!("{taken} arguments") };
            Diagnostic::error(
                "E0302",
                extra,
                format!("{called} takes {arguments}, but more are given"),
                "one too many",
            )
            .note(format!("with {arguments} it gives `{found}`, which is no function"))
            .hint(extra_hint(callee))
        };
        self.unifier.report(diagnostic);
    }
}

impl Unifier {
    /// Whether a constraint says that an unknown type is one of numbers.
    fn must_be_number(&mut self, var: TyVar) -> bool {
        let numeric = |constraint: &Constraint| match constraint {
            Constraint::Num(ty)
            | Constraint::Vector(ty)
            | Constraint::Whole(ty)
            | Constraint::Scalar(ty)
            | Constraint::Ord(ty) => Some(ty.clone()),
            Constraint::Eq(_)
            | Constraint::Diff(_)
            | Constraint::Field(..)
            | Constraint::Component(..)
            | Constraint::Power(..)
            | Constraint::MatRow(..)
            | Constraint::Product(..)
            | Constraint::Leaf(..)
            | Constraint::Tangent(..)
            | Constraint::Jacobian(..)
            | Constraint::SameShape(..) => None,
        };
        let waiting: Vec<Ty> = self.constraints.unsolved().filter_map(numeric).collect();
        waiting.iter().any(|ty| self.table.resolve(ty) == Ty::Var(var))
    }
}

/// A call whose arguments are being checked.
pub(super) struct Call {
    callee: Callee,
    /// The arguments that have been checked.
    pub typed: Vec<Option<TExpr>>,
    /// An argument was wrong: only types that it cannot have spoilt are relied on.
    pub wrong: bool,
    /// The type of the function applied to the arguments so far.
    at: Ty,
}

impl Call {
    /// A call with so many arguments, of which none has been checked.
    pub fn new(head: &Head, arguments: usize) -> Self {
        let (callee, at) = (head.callee(), head.expr.ty.clone());
        Self { callee, typed: vec![None; arguments], wrong: false, at }
    }
}

/// Whether the type is known whatever the arguments are: not by way of a variable, which another
/// argument may have decided.
fn is_closed(ty: &Ty) -> bool {
    matches!(ty, Ty::Real | Ty::Int | Ty::Bool | Ty::Str)
}

pub(super) fn is_lambda(expr: &Expr) -> bool {
    let mut inner = expr;
    while let ExprKind::Paren(next) = &inner.kind {
        inner = next;
    }
    matches!(inner.kind, ExprKind::Lambda { .. })
}

/// What to write where a function got an argument too many.
fn extra_hint(callee: &Callee) -> &'static str {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the built-ins with a hint of their own")]
    match callee {
        Callee::Builtin(Builtin::Vjp) => {
            "the pullback is the second component: `(vjp f x).1 y_bar`; of a function with a Real result, `grad f x` is the derivative"
        }
        Callee::Builtin(Builtin::Linearize) => {
            "the pushforward is the second component: `(linearize f x).1 x_dot`"
        }
        Callee::Builtin(
            Builtin::Grad
            | Builtin::ValueAndGrad
            | Builtin::Jacobian
            | Builtin::JacobianForward
            | Builtin::JacobianReverse
            | Builtin::Hessian,
        ) => {
            "it differentiates a function of one argument: capture the others, as in `grad (\\x -> f x y) x`, or pass a tuple"
        }
        _ => "put parentheses around an argument that is itself a call, as in `f (g x)`",
    }
}

/// Whether the expression is a literal number.
fn is_number(expr: &TExpr) -> bool {
    matches!(expr.kind, TExprKind::IntLit(_) | TExprKind::RealLit(_))
}

/// `(f a) b` is `f a b`, and `a |> f` is `f a`, so that one call sees all its arguments.
fn flatten<'a>(mut fun: &'a Expr, mut args: Vec<&'a Expr>) -> (&'a Expr, Vec<&'a Expr>) {
    loop {
        if let ExprKind::Paren(inner) = &fun.kind {
            fun = inner;
        } else if let ExprKind::App { fun: inner, args: first } = &fun.kind {
            let mut all: Vec<&Expr> = first.iter().collect();
            all.extend(args);
            args = all;
            fun = inner;
        } else if let ExprKind::Binary { op, lhs, rhs } = &fun.kind
            && op.node == BinaryOp::Pipe
        {
            args.insert(0, lhs);
            fun = rhs;
        } else {
            return (fun, args);
        }
    }
}
