//! Types as Pullback has them, and values on their way into tensors and out of them.
//!
//! A type has two forms: by itself, where a tensor is an array, and as an element, where a tensor is an array in a
//! constructor.

use super::code::{Code, app, cat, tuple};
use super::emitter::Emitter;
use super::helpers::constructor;
use crate::tree::{Expr, ExprKind};
use crate::ty::Type;

/// A type by itself.
pub fn flat(ty: &Type) -> String {
    match ty {
        Type::Tensor(rank, inner) => {
            format!("{}{}", "[]".repeat(*rank), atom(&element(inner), inner))
        }
        Type::Tuple(items) => in_tuple(items, flat),
        Type::Int | Type::Float | Type::Str | Type::Bool => base(ty).to_owned(),
        Type::Lam(from, to) => format!("({} -> {})", flat(from), flat(to)),
        Type::Map(from, to) | Type::Pass(from, to) => {
            let tangent = |ty: &Type| flat(&ty.tangent().unwrap_or_else(Type::unit));
            format!("({} -> {})", tangent(to), tangent(from))
        }
    }
}

/// A type as an element of a tensor.
pub fn element(ty: &Type) -> String {
    match ty {
        Type::Tensor(rank, inner) => {
            format!("{} {}", constructor(*rank), atom(&element(inner), inner))
        }
        Type::Tuple(items) => in_tuple(items, element),
        Type::Int | Type::Float | Type::Str | Type::Bool => base(ty).to_owned(),
        Type::Lam(..) | Type::Map(..) | Type::Pass(..) => flat(ty),
    }
}

fn atom(text: &str, ty: &Type) -> String {
    if let Type::Tuple(items) = ty
        && let [only] = &items[..]
    {
        return atom(text, only);
    }
    if matches!(ty, Type::Tensor(..)) { format!("({text})") } else { text.to_owned() }
}

fn in_tuple(items: &[Type], each: fn(&Type) -> String) -> String {
    match items {
        [only] => each(only),
        items => format!("({})", items.iter().map(each).collect::<Vec<_>>().join(", ")),
    }
}

fn base(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "Int",
        Type::Float => "Real",
        Type::Str => "String",
        Type::Bool => "Bool",
        Type::Tuple(_) | Type::Tensor(..) => "()",
        Type::Lam(..) | Type::Map(..) | Type::Pass(..) => "()",
    }
}

/// The ranks of the tensors that are elements.
fn element_ranks(ty: &Type, is_element: bool, add: &mut dyn FnMut(usize)) {
    match ty {
        Type::Tensor(rank, inner) => {
            if is_element {
                add(*rank);
            }
            element_ranks(inner, true, add);
        }
        Type::Tuple(items) => items.iter().for_each(|item| element_ranks(item, is_element, add)),
        Type::Lam(from, to) | Type::Map(from, to) | Type::Pass(from, to) => {
            element_ranks(from, false, add);
            element_ranks(to, false, add);
        }
        Type::Int | Type::Float | Type::Str | Type::Bool => {}
    }
}

impl Emitter<'_> {
    /// A type by itself, with the declarations that it needs.
    pub fn ty(&mut self, ty: &Type) -> String {
        let helpers = &mut self.helpers;
        element_ranks(ty, false, &mut |rank| helpers.rank(rank));
        flat(ty)
    }
    /// A value on its way into a tensor.
    pub fn boxed(&mut self, ty: &Type, code: Code) -> Code {
        match ty {
            Type::Tensor(rank, _) => {
                self.helpers.rank(*rank);
                cat![App; constructor(*rank), " ", code.arg()]
            }
            Type::Tuple(items) if ty.has_tensor() => {
                self.components(items, code, |emitter, ty, code| emitter.boxed(ty, code))
            }
            Type::Int | Type::Float | Type::Str | Type::Bool | Type::Tuple(_) => code,
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => code,
        }
    }
    /// An element on its way out of a tensor.
    pub fn unboxed(&mut self, ty: &Type, code: Code) -> Code {
        match ty {
            Type::Tensor(rank, _) => {
                self.helpers.rank(*rank);
                cat![App; format!("ks_array{rank} "), code.arg()]
            }
            Type::Tuple(items) if ty.has_tensor() => {
                self.components(items, code, |emitter, ty, code| emitter.unboxed(ty, code))
            }
            Type::Int | Type::Float | Type::Str | Type::Bool | Type::Tuple(_) => code,
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => code,
        }
    }
    /// An expression on its way into a tensor.
    pub fn boxed_expr(&mut self, expr: &Expr) -> Code {
        if let ExprKind::Tuple(items) = &expr.kind {
            let items: Vec<Code> = items.iter().map(|item| self.boxed_expr(item)).collect();
            return tuple(&items);
        }
        let code = self.expr(expr);
        self.boxed(&expr.ty, code)
    }
    /// A tuple whose components are made of those of another one.
    pub fn components(
        &mut self,
        items: &[Type],
        code: Code,
        mut each: impl FnMut(&mut Self, &Type, Code) -> Code,
    ) -> Code {
        if let [only] = items {
            return each(self, only, code);
        }
        let names: Vec<Code> = items.iter().map(|_| Code::atom(self.names.fresh("c"))).collect();
        let made: Vec<Code> =
            items.iter().zip(&names).map(|(ty, name)| each(self, ty, name.clone())).collect();
        cat![Open; "let ", tuple(&names), " = ", code, " in ", tuple(&made)]
    }
    /// A name for a value, and the `let` that gives it, unless the value is a word already.
    pub fn named(&mut self, stem: &str, code: Code) -> (Code, Code) {
        if code.is_word() {
            return (Code::atom(""), code);
        }
        let name = Code::atom(self.names.fresh(stem));
        (cat![Open; "let ", &name, " = ", code, " in "], name)
    }
    /// A tensor whose size nobody shall know by its type.
    pub fn array(&mut self, rank: usize, inner: &Type, code: Code) -> Code {
        let ty = self.ty(&Type::Tensor(rank, Box::new(inner.clone())));
        cat![Atom; "(", code, format!(" : {ty})")]
    }
    /// An application of a helper.
    pub fn call(&mut self, helper: &'static str, args: &[Code]) -> Code {
        self.helper(helper);
        args.iter().fold(app(helper), |code, arg| cat![App; code, " ", arg.arg()])
    }
}
