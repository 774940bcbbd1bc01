//! The types of the built-ins, those of differentiation among them.
//!
//! `grad`, `value_and_grad`, `hessian` and `hvp` want a Real result; that is checked after their
//! arguments, so that the message can say what to use instead.

use pullback_base::{Diagnostic, Span};
use pullback_lambda::Prim;

use super::Infer;
use super::tangent::tangent;
use crate::builtins::name_of;
use crate::tir::{Builtin, Constraint};
use crate::ty::{Atom, Poly, Size, SizeVar, Ty};

/// The type of a use of a built-in and what is to be checked when its arguments are known.
#[derive(Debug, Default)]
pub(super) struct BuiltinUse {
    pub ty: Ty,
    /// The sizes that the arguments at these positions give.
    pub dependents: Vec<(usize, SizeVar)>,
    /// Types that must be first-order data, with the argument to blame.
    pub first_order: Vec<(Ty, usize)>,
    /// The result that must be Real.
    pub real_result: Option<Ty>,
}

fn funs<const N: usize>(args: [&Ty; N], result: Ty) -> Ty {
    args.into_iter().rev().fold(result, |to, from| Ty::Fun(from.clone().into(), to.into()))
}

fn pair(a: &Ty, b: &Ty) -> Ty {
    Ty::Tuple([a.clone(), b.clone()].into())
}

impl Infer<'_> {
    /// The type of a built-in at a place.
    pub(super) fn builtin_use(&mut self, builtin: Builtin, span: Span) -> BuiltinUse {
        let plain = |ty: Ty| BuiltinUse { ty, ..BuiltinUse::default() };
        match builtin {
            Builtin::Prim(prim) => plain(self.prim_type(prim)),
            Builtin::Add | Builtin::Sub | Builtin::Mul | Builtin::Div => {
                let a = self.fresh();
                self.require_at(span, Constraint::Num(a.clone()));
                plain(funs([&a, &a], a.clone()))
            }
            Builtin::Neg => {
                let a = self.fresh();
                self.require_at(span, Constraint::Num(a.clone()));
                plain(funs([&a], a.clone()))
            }
            Builtin::Rem => plain(funs([&Ty::Int, &Ty::Int], Ty::Int)),
            Builtin::Pow => {
                let (base, exponent) = (self.fresh(), self.fresh());
                self.require_at(span, Constraint::Num(base.clone()));
                self.require_at(span, Constraint::Power(base.clone(), exponent.clone()));
                plain(funs([&base, &exponent], base.clone()))
            }
            Builtin::Scale => {
                let v = self.fresh();
                self.require_at(span, Constraint::Vector(v.clone()));
                plain(funs([&Ty::Real, &v], v.clone()))
            }
            Builtin::MatMul => {
                let (a, b, c) = self.matmul_types(span);
                plain(funs([&a, &b], c))
            }
            Builtin::Eq | Builtin::Ne => {
                let a = self.fresh();
                self.require_at(span, Constraint::Eq(a.clone()));
                plain(funs([&a, &a], Ty::Bool))
            }
            Builtin::Lt | Builtin::Le | Builtin::Gt | Builtin::Ge => {
                let a = self.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a, &a], Ty::Bool))
            }
            Builtin::And | Builtin::Or => plain(funs([&Ty::Bool, &Ty::Bool], Ty::Bool)),
            Builtin::Max | Builtin::Min => {
                let a = self.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a, &a], a.clone()))
            }
            Builtin::Abs | Builtin::Signum => {
                let a = self.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a], a.clone()))
            }
            Builtin::Sum => {
                let a = self.fresh();
                self.require_at(span, Constraint::Scalar(a.clone()));
                let array = self.array_of(a.clone());
                plain(funs([&array], a))
            }
            Builtin::Build => {
                let (a, n) = (self.fresh(), self.fresh_size_var());
                let array = Ty::Array(var_size(n), a.clone().into());
                let ty = funs([&Ty::Int, &funs([&Ty::Int], a)], array);
                BuiltinUse { ty, dependents: vec![(0, n)], ..BuiltinUse::default() }
            }
            Builtin::Assert => {
                let a = self.fresh();
                plain(funs([&Ty::Bool, &Ty::Str, &a], a.clone()))
            }
            Builtin::Error => {
                let a = self.fresh();
                plain(funs([&Ty::Str], a))
            }
            Builtin::Vjp
            | Builtin::Jvp
            | Builtin::Linearize
            | Builtin::Rd
            | Builtin::Grad
            | Builtin::ValueAndGrad
            | Builtin::Jacobian
            | Builtin::Hessian
            | Builtin::Hvp
            | Builtin::StopGradient
            | Builtin::CustomVjp
            | Builtin::CustomJvp
            | Builtin::Zeros => self.derivative_use(builtin, span),
        }
    }

    fn derivative_use(&mut self, builtin: Builtin, span: Span) -> BuiltinUse {
        let (a, b) = (self.fresh(), self.fresh());
        let f = funs([&a], b.clone());
        let (a_dot, b_dot) = (tangent(&a), tangent(&b));
        let mut real = None;
        let mut first_order = vec![(a.clone(), 1), (b.clone(), 0)];
        let ty = match builtin {
            Builtin::Vjp => funs([&f, &a], pair(&b, &funs([&b_dot], a_dot))),
            Builtin::Jvp => funs([&f, &a, &a_dot], pair(&b, &b_dot)),
            Builtin::Linearize => funs([&f, &a], pair(&b, &funs([&a_dot], b_dot))),
            Builtin::Rd => funs([&f, &a, &b_dot], a_dot),
            Builtin::Grad => {
                real = Some(b);
                funs([&f, &a], a_dot)
            }
            Builtin::ValueAndGrad => {
                real = Some(b);
                funs([&f, &a], pair(&Ty::Real, &a_dot))
            }
            Builtin::Jacobian => {
                let result = self.fresh();
                self.require_at(span, Constraint::Jacobian(b, a.clone(), result.clone()));
                funs([&f, &a], result)
            }
            Builtin::Hessian => {
                real = Some(b);
                let result = self.fresh();
                self.require_at(span, Constraint::Jacobian(a_dot, a.clone(), result.clone()));
                funs([&f, &a], result)
            }
            Builtin::Hvp => {
                real = Some(b);
                funs([&f, &a, &a_dot], a_dot.clone())
            }
            Builtin::CustomVjp => {
                let rule = funs([&a], pair(&b, &funs([&b_dot], a_dot)));
                first_order[0].1 = 2;
                funs([&f, &rule, &a], b)
            }
            Builtin::CustomJvp => {
                let rule = funs([&a, &a_dot], pair(&b, &b_dot));
                first_order[0].1 = 2;
                funs([&f, &rule, &a], b)
            }
            Builtin::StopGradient => {
                first_order = vec![(a.clone(), 0)];
                funs([&a], a.clone())
            }
            // Only `zeros` is left.
            _ => {
                first_order = vec![(a.clone(), 0)];
                funs([&a], a_dot)
            }
        };
        BuiltinUse { ty, dependents: vec![], first_order, real_result: real }
    }

    fn prim_type(&mut self, prim: Prim) -> Ty {
        let (real, int) = (&Ty::Real, &Ty::Int);
        match prim {
            Prim::Atan2 | Prim::Hypot | Prim::Xlogy => funs([real, real], Ty::Real),
            Prim::Polygamma => funs([int, real], Ty::Real),
            Prim::ToReal => funs([int], Ty::Real),
            Prim::ToInt => funs([real], Ty::Int),
            Prim::IsNan => funs([real], Ty::Bool),
            Prim::Not => funs([&Ty::Bool], Ty::Bool),
            Prim::Size => {
                let a = self.fresh();
                let array = self.array_of(a);
                funs([&array], Ty::Int)
            }
            Prim::Concat => {
                let (a, n, m) = (self.fresh(), self.fresh_size_var(), self.fresh_size_var());
                let array = |size| Ty::Array(size, a.clone().into());
                let sum = Poly::atom(Atom::Var(n)).add(&Poly::atom(Atom::Var(m)));
                funs([&array(var_size(n)), &array(var_size(m))], array(super::table::size_of(sum)))
            }
            Prim::Flatten => {
                let (a, n, m) = (self.fresh(), self.fresh_size_var(), self.fresh_size_var());
                let inner = Ty::Array(var_size(m), a.clone().into());
                let product = Poly::atom(Atom::Var(n)).mul(&Poly::atom(Atom::Var(m)));
                let flat = Ty::Array(super::table::size_of(product), a.into());
                funs([&Ty::Array(var_size(n), inner.into())], flat)
            }
            Prim::Argsort => {
                let size = self.fresh_size();
                let array = |ty: Ty| Ty::Array(size.clone(), ty.into());
                funs([&array(Ty::Real)], array(Ty::Int))
            }
            // The table of names has no other primitive that is not a function of one Real.
            _ => funs([real], Ty::Real),
        }
    }

    /// An array of some size.
    pub(super) fn array_of(&mut self, element: Ty) -> Ty {
        Ty::Array(self.fresh_size(), element.into())
    }

    /// The operands and the result of `@`.
    pub(super) fn matmul_types(&mut self, span: Span) -> (Ty, Ty, Ty) {
        let (scalar, row) = (self.fresh(), self.fresh());
        let (n, m) = (self.fresh_size(), self.fresh_size());
        self.require_at(span, Constraint::Scalar(scalar.clone()));
        self.require_at(span, Constraint::MatRow(row.clone(), scalar.clone()));
        let left = Ty::Array(n.clone(), Ty::Array(m.clone(), scalar.into()).into());
        let right = Ty::Array(m, row.clone().into());
        (left, right, Ty::Array(n, row.into()))
    }

    /// Checks what a built-in demands once its arguments are known; `spans` are theirs.
    pub(super) fn finish_builtin(&mut self, builtin: Builtin, used: &BuiltinUse, span: Span, spans: &[Span]) {
        let blame = |index: usize| spans.get(index).copied().unwrap_or(span);
        if let Some(result) = &used.real_result {
            self.require_real_result(builtin, result, blame(0));
        }
        for (ty, index) in &used.first_order {
            self.require_at(blame(*index), Constraint::Diff(ty.clone()));
        }
    }

    fn require_real_result(&mut self, builtin: Builtin, result: &Ty, span: Span) {
        let head = self.head(result);
        if matches!(head, Ty::Real | Ty::Error) {
            return;
        }
        if matches!(head, Ty::Var(_)) {
            self.agree(&head, &Ty::Real, span, &super::mismatch::Why::Plain);
            return;
        }
        let (name, found) = (name_of(builtin), self.show(&head));
        let diagnostic = Diagnostic::error("E0602", span, format!("`{name}` needs a function with a `Real` result"), format!("the result of this is `{found}`"))
            .note("a gradient says how one number changes with every part of the argument");
        let diagnostic = match &head {
            Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) => diagnostic
                .hint("use `jacobian` for the derivatives of every component, or `vjp` to give each component a weight"),
            Ty::Int => diagnostic.hint("write `real n` to make the result a Real; derivatives of Ints are always `()`"),
            Ty::Fun(..) => diagnostic.hint("give the function its other arguments first, as in `grad (\\x -> f x y)`"),
            Ty::Param(_) => diagnostic.hint("declare the function's result as `Real`"),
            _ => diagnostic.hint("let the function give a single Real"),
        };
        self.report(diagnostic);
        // What follows is typed as if the result were right.
        self.agree(&Ty::Error, result, span, &super::mismatch::Why::Plain);
    }
}

fn var_size(var: SizeVar) -> Size {
    Size::Poly(Poly::atom(Atom::Var(var)).into())
}
