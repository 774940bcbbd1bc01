//! The diagnostics of constraints and of single expressions.

use std::rc::Rc;

use pullback_base::{Diagnostic, Fix, Name, Span, nearest};

use super::array::ArrayUse;
use super::callee::{Callee, Cause};
use super::foreign::{foreign_method, method_spelling};
use super::reports::Reported;
use super::solver::Solver;
use super::unifier::Unifier;
use crate::builtins;
use crate::tir::{Builtin, Constraint, JacobianOf};
use crate::ty::Ty;

impl Solver<'_> {
    pub(super) fn report_arithmetic(&mut self, ty: &Ty, constraint: &Constraint) {
        let found = self.show(ty);
        let (title, note) = if let Constraint::Vector(_) = constraint {
            (
                format!("`{found}` is not made of Reals"),
                "this operation takes Reals, and arrays, tuples and records of them",
            )
        } else if let Constraint::Whole(_) = constraint {
            (
                format!("`{found}` is not made of Ints"),
                "the number here is an Int, and this operation takes numbers of one type",
            )
        } else {
            (
                format!("there is no arithmetic on `{found}`"),
                "arithmetic works on Int and Real, and elementwise on arrays, tuples and records of them",
            )
        };
        let mut diagnostic =
            Diagnostic::error("E0306", self.unifier.at, title, format!("this involves `{found}`"))
                .note(note);
        diagnostic = match ty {
            Ty::Int => diagnostic.hint("write `real n` to turn an Int into a Real, or `*` for a product of Ints"),
            Ty::Fun(..) => diagnostic.hint("an argument may be missing; to compute with functions, write `\\x -> f x + g x`"),
            Ty::Bool => diagnostic.hint("the opposite of a condition is `not c`; write `if c then 1 else 0` to count a condition"),
            Ty::Sum(..) => diagnostic.hint("a sum type has arithmetic if it is made of Reals only; `move x dx` displaces a value of any type by a tangent, and `match` takes it apart"),
            Ty::Tangent(_) => diagnostic.hint("take the value apart with `match` and compute with its parts"),
            Ty::Str => diagnostic.fixes("Strings are joined with `++`, as in `\"n = \" ++ string n`", self.joined()),
            Ty::Real if matches!(constraint, Constraint::Whole(_)) => diagnostic.hint("write `real n` to turn the Int into a Real"),
            Ty::Real | Ty::Tuple(_) | Ty::Record(_) | Ty::Array(..) | Ty::Jacobian(..) | Ty::Param(_) | Ty::Var(_) | Ty::Error => diagnostic.hint("compute with numbers instead"),
        };
        diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic);
    }

    /// What joins Strings that were added.
    fn joined(&self) -> Option<Fix> {
        let Cause { used, inside, operator } = &self.unifier.cause;
        let adds = matches!(used, Some(Callee::Builtin(Builtin::Add))) && inside.is_none();
        operator.filter(|_| adds).map(|operator| Fix::new(operator, "++"))
    }

    /// A type that is no single number, where one is needed.
    pub(super) fn report_scalar(&mut self, ty: &Ty, ordered: bool) {
        let found = self.show(ty);
        let used = self.unifier.cause.used.clone();
        let name = used.as_ref().and_then(Callee::name).map(str::to_owned);
        if !ordered && name.is_none() && !self.unifier.reports.is_first_literal() {
            // The literals of one group mostly have one cause.
            return;
        }
        let is_comparison = matches!(
            used,
            None | Some(Callee::Builtin(Builtin::Lt | Builtin::Le | Builtin::Gt | Builtin::Ge))
        );
        let at = self.unifier.at;
        let mut diagnostic = if ordered && is_comparison {
            Diagnostic::error(
                "E0307",
                at,
                format!("values of type `{found}` have no order"),
                format!("this compares `{found}`"),
            )
            .note("only Int and Real are ordered")
        } else if let Some(name) = &name {
            let code = if ordered { "E0307" } else { "E0309" };
            let title = format!("`{name}` works on single numbers, not on `{found}`");
            Diagnostic::error(code, at, title, format!("used on `{found}`"))
                .note("a single number is an `Int` or a `Real`")
        } else {
            Diagnostic::error(
                "E0309",
                at,
                format!("a number is `Int` or `Real`, not `{found}`"),
                format!("this would have to be `{found}`"),
            )
            .note("an integer literal is an Int or a Real")
        };
        let fix = scalar_fix(used.as_ref(), ty, at);
        diagnostic = diagnostic.fixes(scalar_hint(used.as_ref(), ty, ordered), fix);
        diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic);
        // A literal that was given to the same function is not to blame.
        self.unifier.reports.is_first_literal();
    }

    /// Adds the place inside a definition that asks for what its use does not have.
    fn with_place(&self, diagnostic: Diagnostic) -> Diagnostic {
        let cause = &self.unifier.cause;
        match (&cause.used, cause.inside) {
            (Some(used), Some(place)) if !self.unifier.library.contains(&place.file) => {
                let name = used.name().unwrap_or("the function");
                diagnostic.label(place, format!("`{name}` needs it here"))
            }
            _ => diagnostic,
        }
    }

    pub(super) fn report_function(&mut self, ty: &Ty, differentiated: bool) {
        let found = self.show(ty);
        let diagnostic = if differentiated {
            Diagnostic::error("E0601", self.unifier.at, format!("a derivative cannot go through `{found}` at its boundary"), format!("this involves `{found}`"))
                .note("what is differentiated takes and gives first-order data: numbers, tuples, records, arrays and sums without functions inside")
                .hint("capture the function instead of passing it, as in `grad (\\x -> f g x)`, or pass the parameters it is made from; captured numbers are differentiated too")
        } else {
            Diagnostic::error(
                "E0308",
                self.unifier.at,
                format!("values of type `{found}` cannot be compared with `==`"),
                format!("this compares `{found}`"),
            )
            .note("whether two functions are the same cannot be decided")
            .hint("compare their results at some argument instead")
        };
        let diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic);
    }

    pub(super) fn report_no_field(
        &mut self,
        fields: &Rc<[(Name, Ty)]>,
        name: &Name,
        span: Span,
    ) -> Reported {
        let found = self.show(&Ty::Record(fields.clone()));
        let mut diagnostic = Diagnostic::error(
            "E0310",
            span,
            format!("there is no field `{name}` in `{found}`"),
            "unknown field",
        );
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        diagnostic = match nearest(name, names.iter().copied()) {
            Some(near) => diagnostic.fix(format!("did you mean `{near}`?"), span, near),
            None => diagnostic.hint(format!("its fields are {}", names.join(", "))),
        };
        diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic)
    }

    pub(super) fn report_not_record(
        &mut self,
        ty: &Ty,
        name: &Name,
        span: Span,
        field: Span,
    ) -> Reported {
        let found = self.show(ty);
        let mut diagnostic = Diagnostic::error(
            "E0311",
            span,
            format!("`.{name}` needs a record, but this is `{found}`"),
            format!("this is `{found}`"),
        );
        let method = self.method_hint(ty, name);
        let function = method.as_ref().and_then(|(_, function)| function.clone());
        // The place is another one where a use decides what a definition takes.
        let fixes = function.filter(|_| field != span).map(|function| {
            let [open, _] = Fix::around(span, format!("({function} "), "");
            [open, Fix::new(span.end().to(field), ")")]
        });
        let hint = if let Some((method, _)) = &method {
            method
        } else if let Ty::Fun(..) = ty {
            "an argument may be missing before the field is read; functions are composed as `\\x -> f (g x)`"
        } else if let Ty::Sum(..) | Ty::Tangent(_) = ty {
            "take the value apart with `match` first"
        } else if let Ty::Param(_) = ty {
            "declare the record's type instead of a type variable, or leave the type out"
        } else {
            "only records have fields; a component of a tuple is `.0`, `.1`, …"
        };
        diagnostic = diagnostic.fixes(hint, fixes.into_iter().flatten());
        diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic)
    }

    /// What to write where a function is asked for as a method of an array or a number, as other languages have them,
    /// and the function if it takes the array or number alone.
    fn method_hint(&self, ty: &Ty, name: &Name) -> Option<(String, Option<Name>)> {
        let what = match ty {
            Ty::Array(..) => "arrays",
            Ty::Real | Ty::Int => "numbers",
            Ty::Str => "Strings",
            Ty::Bool
            | Ty::Tuple(_)
            | Ty::Record(_)
            | Ty::Sum(..)
            | Ty::Fun(..)
            | Ty::Tangent(_)
            | Ty::Jacobian(..)
            | Ty::Param(_)
            | Ty::Var(_)
            | Ty::Error => return None,
        };
        if let Some(instead) = foreign_method(name) {
            return Some((instead.to_owned(), method_spelling(name).map(Name::new)));
        }
        let mut globals = self.typed.globals.iter();
        let is_known = builtins::lookup(name).is_some()
            || globals.any(|global| &*global.module == "prelude" && global.name == *name);
        let argument = if matches!(ty, Ty::Array(..)) { "xs" } else { "x" };
        is_known.then(|| {
            let hint = format!(
                "{what} have no methods: a function stands before its argument, `{name} {argument}`"
            );
            (hint, Some(name.clone()))
        })
    }

    pub(super) fn report_no_component(&mut self, ty: &Ty, index: usize, span: Span) -> Reported {
        let found = self.show(ty);
        let diagnostic = if let Ty::Tuple(items) = ty {
            let hint = match items.len() {
                0 => "`()` has no components".to_string(),
                count => format!("components count from 0: the last one is `.{}`", count - 1),
            };
            Diagnostic::error(
                "E0312",
                span,
                format!("there is no component `.{index}` in `{found}`"),
                "no such component",
            )
            .hint(hint)
        } else {
            let hint = if matches!(ty, Ty::Fun(..)) {
                "this is a function still waiting for an argument; give it all of them before taking a component"
            } else {
                "only tuples have numbered components; an element of an array is `a[0]`, a field of a record `.name`"
            };
            Diagnostic::error(
                "E0312",
                span,
                format!("`.{index}` needs a tuple, but this is `{found}`"),
                format!("this is `{found}`"),
            )
            .hint(hint)
        };
        let diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic)
    }

    pub(super) fn report_exponent(&mut self, ty: &Ty) {
        let found = self.show(ty);
        let diagnostic = Diagnostic::error(
            "E0315",
            self.unifier.at,
            format!("an exponent is `Int` or `Real`, not `{found}`"),
            "",
        )
        .note(
            "`x ^ n` multiplies repeatedly for an Int `n`, and is `exp (y * log x)` for a Real `y`",
        )
        .hint("raise to a single number; a number to every power in an array is `s ^. v`, and `map2` takes two arrays");
        let diagnostic = self.with_place(diagnostic);
        self.unifier.report(diagnostic);
    }

    pub(super) fn report_matmul(&mut self, ty: &Ty) {
        let found = self.show(ty);
        let diagnostic = Diagnostic::error(
            "E0316",
            self.unifier.at,
            format!("`@` cannot multiply by rows of `{found}`"),
            "",
        )
        .note("`@` multiplies a matrix `[n][m]Real` by a matrix `[m][k]Real` or a vector `[m]Real`, and a row `[n]Real` by a matrix")
        .hint("use `dot` for two vectors and `*.` to scale");
        self.unifier.report(diagnostic);
    }

    pub(super) fn report_jacobian_of_sum(&mut self, of: JacobianOf, ty: &Ty) {
        let found = self.show(ty);
        let diagnostic = match of {
            JacobianOf::Result => Diagnostic::error(
                "E0603",
                self.unifier.at,
                format!("`{found}` has no Jacobian"),
                format!("the function's result involves `{found}`"),
            )
            .note("a Jacobian replaces every Real in the function's result by a tangent of its argument, which a declared sum type has no room for")
            .hint("let the function give a tuple, a record or an array, or use `vjp` or `jvp`"),
            JacobianOf::Gradient => Diagnostic::error(
                "E0603",
                self.unifier.at,
                format!("there is no Hessian by a `{found}`"),
                format!("the function's argument involves `{found}`"),
            )
            .note("a Hessian replaces every Real in the gradient by a tangent of the argument, which a declared sum type has no room for")
            .hint("let the function take its numbers as a tuple, a record or an array, or use `hvp f x v`, the Hessian times a tangent"),
        };
        self.unifier.report(diagnostic);
    }

    pub(super) fn report_not_array(&mut self, ty: &Ty, span: Span, used: ArrayUse) {
        let (found, what) = (self.show(ty), used.text());
        let mut diagnostic = Diagnostic::error(
            "E0314",
            span,
            format!("{what} needs an array, but this is `{found}`"),
            format!("this is `{found}`"),
        );
        let fix = match (ty, used) {
            (Ty::Fun(..), _) => Some(Fix::new(span.end(), " ")),
            (Ty::Int, ArrayUse::Source(arrow)) => Some(Fix::new(arrow, " < ")),
            _ => None,
        };
        let hint = if let Ty::Fun(..) = ty {
            "to apply a function to an array literal, put a space before `[`"
        } else if let Ty::Tuple(_) = ty {
            "a component of a tuple is `.0`, `.1`, …"
        } else if let Ty::Record(_) = ty {
            "a field of a record is `.name`"
        } else if matches!((ty, used), (Ty::Int, ArrayUse::Source(_))) {
            "to count up to a number, write `i < n`"
        } else {
            "only arrays have elements"
        };
        diagnostic = diagnostic.fixes(hint, fix);
        self.unifier.report(diagnostic);
    }
}

impl Unifier {
    pub(super) fn report_int_base(&mut self) {
        let diagnostic = Diagnostic::error(
            "E0315",
            self.at,
            "an Int cannot be raised to a Real power",
            "the exponent is a Real",
        )
        .note("an Int to an Int power is an Int, a Real to any power is a Real")
        .hint("write `real n ^ x`, or `n ^ int x` if the exponent is whole");
        self.report(diagnostic);
    }
}

/// What makes a function of single numbers, at `at`, one of the elements of an array.
fn scalar_fix(used: Option<&Callee>, ty: &Ty, at: Span) -> Option<Fix> {
    let Some(Callee::Builtin(used)) = used.filter(|_| matches!(ty, Ty::Array(..))) else {
        return None;
    };
    if matches!(used, Builtin::Abs | Builtin::Signum) {
        return Some(Fix::new(at.start(), "map "));
    }
    None
}

/// What to write where an array or another structure stands for a number.
fn scalar_hint(used: Option<&Callee>, ty: &Ty, ordered: bool) -> String {
    let is_array = matches!(ty, Ty::Array(..));
    #[expect(clippy::wildcard_enum_match_arm, reason = "the built-ins with a hint of their own")]
    match used {
        Some(Callee::Builtin(one @ (Builtin::Abs | Builtin::Signum))) if is_array => {
            let name = builtins::name_of(*one);
            format!("`map {name} xs` takes the `{name}` of every element")
        }
        Some(Callee::Builtin(one @ (Builtin::Max | Builtin::Min))) if is_array => {
            let name = builtins::name_of(*one);
            let (whole, which) = match one {
                Builtin::Max => ("maximum", "largest"),
                _ => ("minimum", "smallest"),
            };
            format!(
                "the {which} element is `{whole} xs`; `map ({name} 0.0) xs` compares every element with a number, `map2 {name} xs ys` two arrays element by element"
            )
        }
        Some(Callee::Builtin(Builtin::Sum)) if matches!(ty, Ty::Tuple(_) | Ty::Record(_)) => {
            "`reduce (+) zero xs` adds tuples or records part by part, from a `zero` of their type; `sum_reals xs` adds all Reals in them".to_owned()
        }
        Some(Callee::Builtin(op @ (Builtin::Lt | Builtin::Le | Builtin::Gt | Builtin::Ge))) if is_array => {
            let op = builtins::name_of(*op);
            format!("`map2 (\\x y -> x {op} y) xs ys` compares the elements; numbers computed from the arrays have an order, as in `norm xs {op} norm ys`")
        }
        Some(Callee::Named(name, _)) if is_array => format!(
            "`{name} (flatten m)` goes through all the numbers of a matrix, `map {name} m` through each row"
        ),
        _ if ordered => "compare numbers computed from the values, such as `norm a < norm b`, or use `==`".to_owned(),
        _ => "operators like `+` work elementwise on two values of the same shape; a number with every number of a structure is `v .+ 1.0` or `2.0 *. v`, the dot on its side".to_owned(),
    }
}
