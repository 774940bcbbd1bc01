//! Two types that do not agree, told in the user's words.

use pullback_base::{Diagnostic, Fix, Name, Span};
use pullback_syntax::ast::{BinaryOp, NumberSide};

use super::clash::{Clash, Sizes};
use super::conversion::{conversion, conversion_hint, rank_hint};
use super::reports::{Reported, Reports};
use super::solver::Solver;
use super::unifier::Unifier;
pub(super) use super::why::Why;
use crate::show::Show;
use crate::tir::{Constraint, SizedTy, TExpr, TExprKind};
use crate::ty::{Poly, Ty};

impl Reports {
    /// A type that contains itself, seen when following it did not end.
    pub(super) fn report_infinite(&mut self, span: Span) {
        if self.has_literal() {
            // The literal is at fault: with another one in its place the type would be found.
            return;
        }
        let diagnostic = Diagnostic::error("E0304", span, "this value would have a type that contains itself", "used recursively here")
            .note("every recursive use wraps its type once more, so the type has no end")
            .hint("a recursive structure needs a declared `type`; otherwise write the types of the definition to find the use that does not fit");
        self.add(diagnostic);
    }

    pub(super) fn report_too_large(&mut self, span: Span) -> Reported {
        let diagnostic = Diagnostic::error("E0305", span, "the type of this is too large", "")
            .note("written out it has more than ten thousand parts")
            .hint("repeated pairing doubles a type every time; use an array or a declared `type` instead");
        self.stop(diagnostic)
    }
}

impl Solver<'_> {
    /// Makes an expression have the type `want`; sizes that are not proven are checked at run time.
    pub(super) fn coerce(&mut self, expr: TExpr, want: &Ty, why: &Why) -> TExpr {
        let span = expr.span;
        if self.report_unlike_literal(&expr, want, why) {
            return TExpr::error(span);
        }
        let before = std::mem::replace(&mut self.unifier.at, span);
        let result = self.unify(&expr.ty, want, Sizes::Strict);
        self.unifier.at = before;
        match result {
            Ok(true) => expr,
            Ok(false) => {
                let source = why.size_source();
                let kind = TExprKind::CheckSizes(Box::new(expr), SizedTy { dims: vec![], source });
                TExpr { kind, ty: want.clone(), span }
            }
            Err(clash) => {
                self.report_clash(span, &expr.ty.clone(), want, &clash, why);
                self.typed.salvaged.push(expr);
                TExpr::error(span)
            }
        }
    }

    /// Reports an expression that is no number where what came before it, such as the first element of
    /// an array, is an integer literal: then the expression is at fault, and not the literal. Whether
    /// it is one.
    pub(super) fn report_unlike_literal(&mut self, expr: &TExpr, want: &Ty, why: &Why) -> bool {
        let unlike = self.unifier.unlike_literal(&expr.ty, want, why);
        if unlike {
            self.report_mismatch(expr.span, &expr.ty, &Ty::Int, why);
        }
        unlike
    }

    /// Makes two types agree; reports at `span` if they do not.
    pub(super) fn agree(&mut self, actual: &Ty, expected: &Ty, span: Span, why: &Why) -> bool {
        let before = std::mem::replace(&mut self.unifier.at, span);
        let result = self.unify(actual, expected, Sizes::Strict);
        self.unifier.at = before;
        if let Err(clash) = &result {
            self.report_clash(span, actual, expected, clash, why);
        }
        result.is_ok()
    }

    pub(super) fn report_clash(
        &mut self,
        span: Span,
        actual: &Ty,
        expected: &Ty,
        clash: &Clash,
        why: &Why,
    ) -> Reported {
        match clash {
            Clash::Types => self.report_mismatch(span, actual, expected, why),
            Clash::Infinite => self.report_circular(span, actual, expected),
            Clash::Sizes(left, right) => {
                self.report_sizes(span, actual, expected, (left, right), why)
            }
            Clash::Escape(param) => self.report_escape(span, param),
            Clash::TooLarge => self.unifier.reports.report_too_large(span),
        }
    }

    pub(super) fn show(&mut self, ty: &Ty) -> String {
        let ty = self.unifier.known(ty);
        Show::new(self.typed, &[]).ty(&ty)
    }

    pub(super) fn report_mismatch(
        &mut self,
        span: Span,
        actual: &Ty,
        expected: &Ty,
        why: &Why,
    ) -> Reported {
        let (actual, expected) = (self.unifier.known(actual), self.unifier.known(expected));
        let mut show = Show::new(self.typed, &[]);
        let (found, wanted) = (show.ty(&actual), show.ty(&expected));
        let (inner, outer) = difference(&actual, &expected);
        let label = format!("this is `{found}`");
        let waiting = missing_arguments(&actual, &expected);
        let mut diagnostic = if let Some(count) = waiting {
            let arguments = if count == 1 {
                "one more argument".to_string()
            } else {
                format!("{count} more arguments")
            };
            Diagnostic::error(
                "E0303",
                span,
                format!("expected `{wanted}`, found a function"),
                label,
            )
            .note(format!("this is a function still waiting for {arguments}"))
            .hint(if matches!(why, Why::Argument(..)) {
                "put parentheses around an argument that is itself a call, as in `f (g x)`, or give it the missing arguments"
            } else {
                "give it the missing arguments, or check that it has all it needs"
            })
        } else if matches!(why, Why::Branch(_)) {
            let title = format!("the branches have different types: `{wanted}` and `{found}`");
            Diagnostic::error("E0317", span, title, label)
                .hint("make every branch give a value of the same type")
        } else if matches!(why, Why::Side(_)) {
            let title = format!("the sides have different types: `{wanted}` and `{found}`");
            Diagnostic::error("E0317", span, title, label)
                .note("an expectation compares two values of the same type")
        } else if let Some(param) = rigid(&inner).or_else(|| rigid(&outer)) {
            let name = show.ty(&param);
            let other = if rigid(&inner).is_some() { show.ty(&outer) } else { show.ty(&inner) };
            Diagnostic::error("E0313", span, format!("expected `{wanted}`, found `{found}`"), label)
                .note(format!("the declared type variable `{name}` stands for every type, but here it would have to be `{other}`"))
                .hint(format!("write `{other}` instead of `{name}` in the declaration, or leave the type out"))
        } else {
            Diagnostic::error("E0301", span, format!("expected `{wanted}`, found `{found}`"), label)
        };
        let hint = match rank_hint(&actual, &expected, why) {
            Some(hint) => Some(hint),
            // A function is not mended by what mends an argument.
            None if matches!((&actual, &expected), (Ty::Fun(..), Ty::Fun(..)))
                && !(is_single(&inner) && is_single(&outer)) =>
            {
                None
            }
            None => conversion_hint(&inner, &outer, why),
        };
        if let Some(hint) = hint
            && waiting.is_none()
        {
            let mut fixes = self.call_fixes(&actual, &expected, span, why);
            if fixes.is_empty() {
                fixes = conversion(&actual, &expected, span, why);
            }
            diagnostic = diagnostic.fixes(hint, fixes);
        }
        if let (Ty::Sum(one, _), Ty::Sum(other, _)) = (&inner, &outer)
            && let (one, other) = (&self.typed.types[*one], &self.typed.types[*other])
            && one.name == other.name
            && one.span != other.span
        {
            diagnostic = diagnostic
                .label(other.span, format!("the `{}` that is expected", other.name))
                .label(one.span, format!("the `{}` that is found", one.name))
                .note(format!("there are two types of the name `{}`", one.name));
        }
        let diagnostic = explain(diagnostic, why, &wanted);
        let diagnostic = self.explain_guess(diagnostic, why);
        self.unifier.report(diagnostic)
    }

    /// What makes a call fit, where an argument is of another shape than what it is for.
    fn call_fixes(&self, actual: &Ty, expected: &Ty, span: Span, why: &Why) -> Vec<Fix> {
        let Why::Argument(callee, _) = why else { return vec![] };
        let Some(call) = self.unifier.calls.iter().rev().find(|call| call.has(span)) else {
            return vec![];
        };
        match (actual, expected) {
            (Ty::Array(_, element), Ty::Real | Ty::Int)
                if callee.takes_one_number() && matches!(**element, Ty::Real | Ty::Int) =>
            {
                call.mapped()
            }
            (other, Ty::Tuple(items)) if items.len() > 1 && items.first() == Some(other) => {
                call.in_a_tuple(span, items.len())
            }
            (Ty::Tuple(items), other) if items.first() == Some(other) => {
                call.out_of_the_tuple(span)
            }
            _ => vec![],
        }
    }

    /// Adds the place that decided what a definition without a signature takes.
    fn explain_guess(&self, diagnostic: Diagnostic, why: &Why) -> Diagnostic {
        let Why::Argument(callee, index) = why else { return diagnostic };
        let Some(place) = callee.decided_at(*index) else { return diagnostic };
        if self.unifier.library.contains(&place.file) {
            return diagnostic;
        }
        let name = callee.name().unwrap_or("the function");
        diagnostic
            .label(place, format!("this decides what `{name}` takes there"))
            .note(format!("`{name}` has no signature, so its types come from its body"))
    }

    fn report_circular(&mut self, span: Span, actual: &Ty, expected: &Ty) -> Reported {
        let (actual, expected) = (self.unifier.known(actual), self.unifier.known(expected));
        let mut show = Show::new(self.typed, &[]);
        let (found, wanted) = (show.ty(&actual), show.ty(&expected));
        let diagnostic = Diagnostic::error("E0304", span, "this value would have a type that contains itself", format!("this is `{found}`"))
            .note(format!("`{found}` and `{wanted}` can only be the same type if it is infinitely large"))
            .hint("often an argument is missing or one too many, or a function is applied to itself; a recursive structure needs a declared `type`");
        self.unifier.report(diagnostic)
    }

    fn report_sizes(
        &mut self,
        span: Span,
        actual: &Ty,
        expected: &Ty,
        sizes: (&Poly, &Poly),
        why: &Why,
    ) -> Reported {
        let (actual, expected) = (self.unifier.known(actual), self.unifier.known(expected));
        let mut show = Show::new(self.typed, &[]);
        let (found, wanted) = (show.ty(&actual), show.ty(&expected));
        let (left, right) = (show.poly(sizes.0), show.poly(sizes.1));
        let diagnostic = Diagnostic::error(
            "E0401",
            span,
            format!("array sizes disagree: `{left}` is not `{right}`"),
            format!("this is `{found}`, expected `{wanted}`"),
        );
        let names = sizes.0.atoms().chain(sizes.1.atoms()).next().is_some();
        let hint = if matches!(why, Why::State(_)) {
            "if the size changes from round to round, declare the state's type with `[]`, as in `loop xs: []Real = …`"
        } else if matches!(why, Why::Operator(BinaryOp::MatMul)) {
            "the columns of the left operand must be as many as the rows of the right one; perhaps `transpose` is missing"
        } else if matches!(why, Why::Operand(BinaryOp::Mul, _))
            && is_matrix(&actual)
            && is_matrix(&expected)
        {
            "`*` multiplies number by number; the product of two matrices is `a @ b`"
        } else if names {
            "a declared size stands for every size; if these are always equal, say so with one name, or write `(e : []Real)` to have it checked when the program runs"
        } else {
            "use arrays of the same size, or write the type with `[]` to have it checked when the program runs"
        };
        let diagnostic = explain(diagnostic.hint(hint), why, &wanted);
        self.unifier.report(diagnostic)
    }

    fn report_escape(&mut self, span: Span, param: &Ty) -> Reported {
        let name = self.show(param);
        let diagnostic = Diagnostic::error("E0313", span, format!("the type variable `{name}` is not known outside of its declaration"), "")
            .note(format!("`{name}` stands for every type inside the function that declares it, so no value of that type can come from or go outside"))
            .hint("declare the type variable in the signature of the enclosing definition");
        self.unifier.report(diagnostic)
    }
}

impl Unifier {
    fn unlike_literal(&mut self, actual: &Ty, want: &Ty, why: &Why) -> bool {
        let why = if let Why::Part(whole) = why { whole.as_ref() } else { why };
        let follows =
            matches!(why, Why::Element(_) | Why::Branch(_) | Why::Side(_) | Why::State(_));
        let Ty::Var(var) = self.table.head(want) else { return false };
        let plain = matches!(
            self.table.head(actual),
            Ty::Bool | Ty::Str | Ty::Tuple(_) | Ty::Record(_) | Ty::Sum(..) | Ty::Fun(..)
        );
        if !follows || !plain {
            return false;
        }
        let waiting = self.table.waiting(var).to_vec();
        waiting.into_iter().any(|index| {
            let pending = self.constraints.get(index);
            let scalar = pending.and_then(|pending| {
                let Constraint::Scalar(ty) = &pending.constraint else { return None };
                Some(ty.clone())
            });
            scalar.is_some_and(|ty| self.table.head(&ty) == Ty::Var(var))
        })
    }
}

/// What the components of a tuple belong to, if there are several.
fn in_order(names: &[Name], lead: &str) -> String {
    let [first, rest @ .., last] = names else { return String::new() };
    let list: Vec<String> =
        std::iter::once(first).chain(rest).map(|name| format!("`{name}`")).collect();
    format!("{lead} {} and `{last}`, in this order", list.join(", "))
}

/// Adds why the type is expected.
fn explain(diagnostic: Diagnostic, why: &Why, wanted: &str) -> Diagnostic {
    match why {
        Why::Plain => diagnostic,
        Why::Argument(callee, index) => {
            let called = callee.name().map_or("this function".into(), |name| format!("`{name}`"));
            diagnostic.note(format!("argument {} of {called} must be `{wanted}`", index + 1))
        }
        Why::Cotangent => diagnostic.note(format!("the cotangent of this call must be `{wanted}`")),
        Why::Tangent(names) => diagnostic.note(format!(
            "the tangent of this call must be `{wanted}`{}",
            in_order(names, ": for")
        )),
        Why::Chart(name) => {
            diagnostic.note(format!("what `{name}` names with its tangent type is `{wanted}` here"))
        }
        Why::Number => diagnostic.note(format!("what is asked for here is `{wanted}`")),
        Why::Result(name) => {
            diagnostic.note(format!("the result of `{name}` is declared as `{wanted}`"))
        }
        Why::Annotation(span) => diagnostic.label(*span, "the type declared here"),
        Why::Branch(span) => diagnostic.label(*span, format!("this branch is `{wanted}`")),
        Why::Side(span) => diagnostic.label(*span, format!("this side is `{wanted}`")),
        Why::Given(name, index) => diagnostic.note(format!(
            "the function that is argument {} of `{name}` must give `{wanted}`",
            index + 1
        )),
        Why::Condition => diagnostic.note("a condition is a `Bool`"),
        Why::Element(span) => diagnostic
            .label(*span, format!("the first element is `{wanted}`"))
            .note("all elements of an array have the same type"),
        Why::Operand(op, span) => diagnostic
            .label(*span, format!("this is `{wanted}`"))
            .note(format!("both operands of `{}` must have the same type", op.text())),
        Why::Operator(BinaryOp::Dotted(side, plain)) => {
            let (op, plain) = (BinaryOp::Dotted(*side, *plain).text(), plain.plain().text());
            diagnostic.note(match side {
                NumberSide::Left => format!("the number stands on the left, away from the dot: `s {op} v`; with it on the right, write `v .{plain} s`"),
                NumberSide::Right => format!("the number stands on the right, away from the dot: `v {op} s`; with it on the left, write `s {plain}. v`"),
            })
        }
        Why::Operator(BinaryOp::Join) => diagnostic.note("`++` joins two Strings"),
        Why::Operator(op) => {
            diagnostic.note(format!("this operand of `{}` must be `{wanted}`", op.text()))
        }
        Why::Index => diagnostic.note("indices and sizes are `Int`"),
        Why::State(span) => diagnostic
            .label(*span, format!("the first state is `{wanted}`"))
            .note("every round of a loop gives a state of the same type"),
        Why::Scrutinee(span) => diagnostic.label(*span, format!("the value is `{wanted}`")),
        Why::Place => diagnostic.note(format!("the value replaced by `with` is `{wanted}`")),
        Why::Part(whole) => {
            if let Why::Result(name) = whole.as_ref() {
                diagnostic.note(format!("it is part of the declared result of `{name}`"))
            } else if let Why::Argument(callee, index) = whole.as_ref()
                && let Some(name) = callee.name()
            {
                diagnostic.note(format!("it is part of argument {} of `{name}`", index + 1))
            } else if matches!(whole.as_ref(), Why::Cotangent) {
                diagnostic.note("it is part of the cotangent of this call")
            } else if let Why::Tangent(names) = whole.as_ref() {
                let order = in_order(names, ", which is for");
                diagnostic.note(format!("it is part of the tangent of this call{order}"))
            } else {
                diagnostic
            }
        }
        Why::Group(name) => diagnostic.note(format!("elsewhere `{name}` is used as `{wanted}`")),
    }
}

/// How many arguments `actual` still needs to be no function, where `expected` is none.
fn missing_arguments(actual: &Ty, expected: &Ty) -> Option<usize> {
    if matches!(expected, Ty::Fun(..) | Ty::Var(_) | Ty::Param(_) | Ty::Error) {
        return None;
    }
    let mut count = 0;
    let mut rest = actual;
    while let Ty::Fun(_, to) = rest {
        count += 1;
        rest = to;
    }
    (count > 0).then_some(count)
}

/// The first place where two types differ.
fn difference(actual: &Ty, expected: &Ty) -> (Ty, Ty) {
    let mut pair = (actual.clone(), expected.clone());
    for _ in 0..100 {
        let next = match (&pair.0, &pair.1) {
            (Ty::Array(_, a), Ty::Array(_, b)) => (a.as_ref().clone(), b.as_ref().clone()),
            (Ty::Fun(a, a_to), Ty::Fun(b, b_to)) => {
                if a == b {
                    (a_to.as_ref().clone(), b_to.as_ref().clone())
                } else {
                    (a.as_ref().clone(), b.as_ref().clone())
                }
            }
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => differing(a.iter().zip(b.iter())),
            (Ty::Sum(s, a), Ty::Sum(t, b)) if s == t => differing(a.iter().zip(b.iter())),
            (Ty::Record(a), Ty::Record(b)) if a.len() == b.len() => {
                differing(a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b)))
            }
            _ => return pair,
        };
        pair = next;
    }
    pair
}

fn differing<'t>(mut pairs: impl Iterator<Item = (&'t Ty, &'t Ty)>) -> (Ty, Ty) {
    pairs.find(|(a, b)| a != b).map_or((Ty::Error, Ty::Error), |(a, b)| (a.clone(), b.clone()))
}

fn is_matrix(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(_, row) if matches!(**row, Ty::Array(..)))
}

fn is_single(ty: &Ty) -> bool {
    matches!(ty, Ty::Real | Ty::Int | Ty::Bool | Ty::Str)
}

fn rigid(ty: &Ty) -> Option<Ty> {
    matches!(ty, Ty::Param(_)).then(|| ty.clone())
}
