//! The types of the built-ins, those of differentiation among them.
//!
//! `grad`, `value_and_grad`, `hessian` and `hvp` want a Real result; that is checked after their
//! arguments, so that the message can say what to use instead.

use pullback_base::{Diagnostic, Span};
use pullback_prim::Prim;
use pullback_syntax::ast::{Arithmetic, NumberSide};

use super::solver::Solver;
use super::tangent::tangent;
use super::unifier::Unifier;
use crate::builtins::name_of;
use crate::tir::{Builtin, Constraint, JacobianOf};
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

impl Solver<'_> {
    /// The type of a built-in at a place.
    pub(super) fn builtin_use(&mut self, builtin: Builtin, span: Span) -> BuiltinUse {
        let plain = |ty: Ty| BuiltinUse { ty, ..BuiltinUse::default() };
        match builtin {
            Builtin::Prim(prim) => plain(self.unifier.prim_type(prim)),
            Builtin::Add | Builtin::Sub | Builtin::Mul | Builtin::Div | Builtin::Rem => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Num(a.clone()));
                plain(funs([&a, &a], a.clone()))
            }
            Builtin::Neg => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Num(a.clone()));
                plain(funs([&a], a.clone()))
            }
            Builtin::Pow => {
                let (base, exponent) = (self.unifier.fresh(), self.unifier.fresh());
                self.require_at(span, Constraint::Num(base.clone()));
                self.require_at(span, Constraint::Power(base.clone(), exponent.clone()));
                plain(funs([&base, &exponent], base.clone()))
            }
            Builtin::Dotted(NumberSide::Right, Arithmetic::Pow) => {
                self.builtin_use(Builtin::Pow, span)
            }
            Builtin::Dotted(side, _) => {
                let v = self.unifier.fresh();
                self.require_at(span, Constraint::Vector(v.clone()));
                plain(match side {
                    NumberSide::Left => funs([&Ty::Real, &v], v.clone()),
                    NumberSide::Right => funs([&v, &Ty::Real], v.clone()),
                })
            }
            Builtin::MatMul => {
                let product = self.open_product(span);
                plain(funs([&product.left, &product.right], product.result))
            }
            Builtin::Eq | Builtin::Ne => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Eq(a.clone()));
                plain(funs([&a, &a], Ty::Bool))
            }
            Builtin::Lt | Builtin::Le | Builtin::Gt | Builtin::Ge => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a, &a], Ty::Bool))
            }
            Builtin::And | Builtin::Or => plain(funs([&Ty::Bool, &Ty::Bool], Ty::Bool)),
            Builtin::Max | Builtin::Min => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a, &a], a.clone()))
            }
            Builtin::Abs | Builtin::Signum => {
                let a = self.unifier.fresh();
                self.require_at(span, Constraint::Ord(a.clone()));
                plain(funs([&a], a.clone()))
            }
            Builtin::Sum => {
                let (a, number) = (self.unifier.fresh(), self.unifier.fresh());
                self.require_at(span, Constraint::Scalar(number.clone()));
                self.require_at(span, Constraint::Leaf(a.clone(), number.clone()));
                let array = self.unifier.array_of(a);
                plain(funs([&array], number))
            }
            // Its text makes a function of it, or it has been reported.
            Builtin::Einsum => plain(Ty::Error),
            Builtin::Build => {
                let (a, n) = (self.unifier.fresh(), self.unifier.fresh_size_var());
                let array = Ty::Array(var_size(n), a.clone().into());
                let ty = funs([&Ty::Int, &funs([&Ty::Int], a)], array);
                BuiltinUse { ty, dependents: vec![(0, n)], ..BuiltinUse::default() }
            }
            Builtin::Assert | Builtin::Error | Builtin::String | Builtin::Debug => {
                plain(self.text_type(builtin))
            }
            Builtin::Checkpoint
            | Builtin::AssumeLinear
            | Builtin::Perturb
            | Builtin::DifferentiatedAs => plain(self.any_type(builtin)),
            Builtin::StopGradient | Builtin::Zeros | Builtin::AsTangent => {
                let a = self.unifier.fresh();
                let same = builtin == Builtin::StopGradient;
                let result = if same { a.clone() } else { tangent(&a) };
                BuiltinUse {
                    ty: funs([&a], result),
                    first_order: vec![(a, 0)],
                    ..BuiltinUse::default()
                }
            }
            Builtin::Move | Builtin::Displacement => {
                let a = self.unifier.fresh();
                let dx = tangent(&a);
                let moves = builtin == Builtin::Move;
                let ty = if moves { funs([&a, &dx], a.clone()) } else { funs([&a, &a], dx) };
                BuiltinUse { ty, first_order: vec![(a, 0)], ..BuiltinUse::default() }
            }
            Builtin::MapReals | Builtin::MapReals2 | Builtin::FoldReals | Builtin::SumReals => {
                plain(self.structure_type(builtin, span))
            }
            Builtin::Vjp
            | Builtin::Jvp
            | Builtin::Linearize
            | Builtin::Rd
            | Builtin::Grad
            | Builtin::ValueAndGrad
            | Builtin::Jacobian
            | Builtin::JacobianForward
            | Builtin::JacobianReverse
            | Builtin::Hessian
            | Builtin::Hvp
            | Builtin::CustomVjp
            | Builtin::CustomJvp => self.derivative_use(builtin, span),
        }
    }

    /// What takes values of all types.
    fn any_type(&mut self, builtin: Builtin) -> Ty {
        let a = self.unifier.fresh();
        if builtin == Builtin::Perturb {
            return funs([&Ty::Real, &a], a.clone());
        }
        if builtin == Builtin::DifferentiatedAs {
            let thunk = funs([&Ty::Tuple([].into())], a.clone());
            return funs([&thunk, &thunk], a);
        }
        let b = self.unifier.fresh();
        funs([&funs([&a], b.clone()), &a], b)
    }

    /// What takes or gives a String.
    fn text_type(&mut self, builtin: Builtin) -> Ty {
        let a = self.unifier.fresh();
        if builtin == Builtin::Assert {
            funs([&Ty::Bool, &Ty::Str, &a], a.clone())
        } else if builtin == Builtin::Error {
            funs([&Ty::Str], a)
        } else if builtin == Builtin::String {
            funs([&a], Ty::Str)
        } else {
            funs([&Ty::Str, &a], a.clone())
        }
    }

    /// What goes through all Reals of a structure.
    fn structure_type(&mut self, builtin: Builtin, span: Span) -> Ty {
        let (a, real) = (self.unifier.fresh(), &Ty::Real);
        self.require_at(span, Constraint::Vector(a.clone()));
        if builtin == Builtin::MapReals {
            funs([&funs([real], Ty::Real), &a], a.clone())
        } else if builtin == Builtin::MapReals2 {
            funs([&funs([real, real], Ty::Real), &a, &a], a.clone())
        } else if builtin == Builtin::FoldReals {
            let state = self.unifier.fresh();
            funs([&funs([&state, real], state.clone()), &state, &a], state.clone())
        } else {
            funs([&a], Ty::Real)
        }
    }

    /// The operators that take a function; the last case is `custom_jvp`.
    fn derivative_use(&mut self, builtin: Builtin, span: Span) -> BuiltinUse {
        let (a, b) = (self.unifier.fresh(), self.unifier.fresh());
        let f = funs([&a], b.clone());
        let (a_dot, b_dot) = (tangent(&a), tangent(&b));
        let mut real = None;
        let mut first_order = vec![(a.clone(), 1), (b.clone(), 0)];
        let ty = if builtin == Builtin::Vjp {
            funs([&f, &a], pair(&b, &funs([&b_dot], a_dot)))
        } else if builtin == Builtin::Jvp {
            funs([&f, &a, &a_dot], pair(&b, &b_dot))
        } else if builtin == Builtin::Linearize {
            funs([&f, &a], pair(&b, &funs([&a_dot], b_dot)))
        } else if builtin == Builtin::Rd {
            funs([&f, &a, &b_dot], a_dot)
        } else if builtin == Builtin::Grad {
            real = Some(b);
            funs([&f, &a], a_dot)
        } else if builtin == Builtin::ValueAndGrad {
            real = Some(b);
            funs([&f, &a], pair(&Ty::Real, &a_dot))
        } else if let Builtin::Jacobian | Builtin::JacobianForward | Builtin::JacobianReverse =
            builtin
        {
            let result = self.unifier.fresh();
            self.require_at(
                span,
                Constraint::Jacobian(JacobianOf::Result, b, a.clone(), result.clone()),
            );
            funs([&f, &a], result)
        } else if builtin == Builtin::Hessian {
            real = Some(b);
            let result = self.unifier.fresh();
            let constraint =
                Constraint::Jacobian(JacobianOf::Gradient, a_dot, a.clone(), result.clone());
            self.require_at(span, constraint);
            funs([&f, &a], result)
        } else if builtin == Builtin::Hvp {
            real = Some(b);
            funs([&f, &a, &a_dot], a_dot.clone())
        } else if builtin == Builtin::CustomVjp {
            first_order[0].1 = 2;
            let rule = funs([&a], pair(&b, &funs([&b_dot], a_dot)));
            funs([&f, &rule, &a], b)
        } else {
            first_order[0].1 = 2;
            let rule = funs([&a, &a_dot], pair(&b, &b_dot));
            funs([&f, &rule, &a], b)
        };
        BuiltinUse { ty, dependents: vec![], first_order, real_result: real }
    }

    /// Checks what a built-in demands once its arguments are known; `spans` are theirs.
    pub(super) fn finish_builtin(
        &mut self,
        builtin: Builtin,
        used: &BuiltinUse,
        span: Span,
        spans: &[Span],
    ) {
        // An argument that is not given yet cannot be blamed: then the built-in's own name is.
        let blame = |index: usize| spans.get(index).copied().unwrap_or(span);
        if let Some(result) = &used.real_result {
            self.require_real_result(builtin, result, blame(0));
        }
        for (ty, index) in &used.first_order {
            self.require_at(blame(*index), Constraint::Diff(ty.clone()));
        }
    }

    fn require_real_result(&mut self, builtin: Builtin, result: &Ty, span: Span) {
        let head = self.unifier.table.head(result);
        if matches!(head, Ty::Real | Ty::Error) {
            return;
        }
        if matches!(head, Ty::Var(_)) {
            self.agree(&head, &Ty::Real, span, &super::mismatch::Why::Plain);
            return;
        }
        let (name, found) = (name_of(builtin), self.show(&head));
        let diagnostic = Diagnostic::error(
            "E0602",
            span,
            format!("`{name}` needs a function with a `Real` result"),
            format!("the result of this is `{found}`"),
        )
        .note("a gradient says how one number changes with every part of the argument");
        let diagnostic = match &head {
            Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_) => diagnostic
                .hint("use `jacobian` for the derivatives of every component, or `vjp` to give each component a weight"),
            Ty::Int => diagnostic.hint("write `real n` to make the result a Real; derivatives of Ints are always `()`"),
            Ty::Fun(..) => diagnostic.hint("give the function its other arguments first, as in `grad (\\x -> f x y)`"),
            Ty::Param(_) => diagnostic.hint("declare the function's result as `Real`"),
            Ty::Real | Ty::Bool | Ty::Str | Ty::Sum(..) | Ty::Tangent(_) | Ty::Jacobian(..) | Ty::Var(_) | Ty::Error => diagnostic.hint("let the function give a single Real"),
        };
        self.unifier.report(diagnostic);
        // What follows is typed as if the result were right.
        self.agree(&Ty::Error, result, span, &super::mismatch::Why::Plain);
    }
}

impl Unifier {
    fn prim_type(&mut self, prim: Prim) -> Ty {
        let (real, int) = (&Ty::Real, &Ty::Int);
        if let Prim::Size | Prim::Concat | Prim::Flatten | Prim::Argsort = prim {
            self.array_prim_type(prim)
        } else if let Prim::Atan2 | Prim::Hypot | Prim::Xlogy = prim {
            funs([real, real], Ty::Real)
        } else if prim == Prim::Polygamma {
            funs([int, real], Ty::Real)
        } else if prim == Prim::ToReal {
            funs([int], Ty::Real)
        } else if prim == Prim::ToInt {
            funs([real], Ty::Int)
        } else if prim == Prim::IsNan {
            funs([real], Ty::Bool)
        } else if prim == Prim::ReadReal {
            funs([&Ty::Str], Ty::Real)
        } else if prim == Prim::StrJoin {
            funs([&Ty::Str, &Ty::Str], Ty::Str)
        } else if prim == Prim::Not {
            funs([&Ty::Bool], Ty::Bool)
        } else {
            // Every other primitive with a name of its own is a function of one Real.
            funs([real], Ty::Real)
        }
    }

    fn array_prim_type(&mut self, prim: Prim) -> Ty {
        let (a, n, m) = (self.fresh(), self.fresh_size_var(), self.fresh_size_var());
        let array = |size, element: &Ty| Ty::Array(size, element.clone().into());
        let (first, second) = (Poly::atom(Atom::Var(n)), Poly::atom(Atom::Var(m)));
        if prim == Prim::Size {
            funs([&array(var_size(n), &a)], Ty::Int)
        } else if prim == Prim::Argsort {
            funs([&array(var_size(n), &Ty::Real)], array(var_size(n), &Ty::Int))
        } else if prim == Prim::Concat {
            let sum = super::table::size_of(first.add(&second));
            funs([&array(var_size(n), &a), &array(var_size(m), &a)], array(sum, &a))
        } else {
            let product = super::table::size_of(first.mul(&second));
            let rows = array(var_size(n), &array(var_size(m), &a));
            funs([&rows], array(product, &a))
        }
    }

    /// An array of some size.
    pub(super) fn array_of(&mut self, element: Ty) -> Ty {
        Ty::Array(self.fresh_size(), element.into())
    }
}

fn var_size(var: SizeVar) -> Size {
    Size::Poly(Poly::atom(Atom::Var(var)).into())
}
