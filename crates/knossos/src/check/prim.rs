//! The types of primitives.

use pullback_base::{Diagnostic, Span, Spanned};

use super::{Checked, Checker, sized};
use crate::ast::{FunName, Pattern};
use crate::tree::{Expr, ExprKind, Prim};
use crate::ty::Type;

/// Each primitive with its name, and how many arguments it takes; none is any number.
pub(super) const PRIMS: &[(&str, Prim, Option<usize>)] = &[
    ("build", Prim::Build, Some(2)),
    ("sumbuild", Prim::SumBuild, Some(2)),
    ("fold", Prim::Fold, Some(3)),
    ("map", Prim::Map, Some(2)),
    ("map2", Prim::Map2, Some(3)),
    ("index", Prim::Index, Some(2)),
    ("size", Prim::Size, Some(1)),
    ("sum", Prim::Sum, Some(1)),
    ("constVec", Prim::ConstVec, Some(2)),
    ("deltaVec", Prim::DeltaVec, Some(3)),
    ("delta", Prim::Delta, Some(3)),
    ("Vec_init", Prim::VecInit, None),
    ("eq", Prim::Eq, Some(2)),
    ("ne", Prim::Ne, Some(2)),
    ("shape", Prim::Shape, Some(1)),
    ("buildFromSparse", Prim::BuildFromSparse, Some(3)),
    ("buildFromSparseTupled", Prim::BuildFromSparseTupled, Some(3)),
    ("ts_add", Prim::TsAdd, Some(2)),
    ("ts_scale", Prim::TsScale, Some(2)),
    ("ts_neg", Prim::TsNeg, Some(1)),
    ("ts_dot", Prim::TsDot, Some(2)),
    ("print", Prim::Print, None),
    ("$trace", Prim::Trace, Some(1)),
    ("$copydown", Prim::Same, Some(1)),
    ("$inline", Prim::Same, Some(1)),
    ("$check", Prim::Check, Some(5)),
];

impl Checker {
    /// A call of a primitive.
    pub(super) fn prim(
        &mut self,
        prim: Prim,
        name: &FunName,
        args: Vec<Expr>,
        span: Span,
    ) -> Checked<Expr> {
        let listed = PRIMS.iter().find(|(_, known, _)| *known == prim);
        let count = listed.map_or(Some(1), |(_, _, count)| *count);
        let args = match (prim, count) {
            // Several arguments are one tuple.
            (Prim::Get(..) | Prim::Shape | Prim::Trace | Prim::Same, _) if args.len() != 1 => {
                let ty = Type::of_arguments(args.iter().map(|arg| arg.ty.clone()).collect());
                vec![Expr { kind: ExprKind::Tuple(args), ty, span }]
            }
            _ => args,
        };
        if let (Some(count), [only]) = (count, &args[..])
            && count > 1
            && let Type::Tuple(items) = &only.ty
            && items.len() == count
        {
            return self.taken_apart(prim, name, only, items, span);
        }
        let types: Vec<&Type> = args.iter().map(|arg| &arg.ty).collect();
        match result(prim, &types) {
            Some(ty) if count.is_none_or(|count| count == args.len()) => {
                sized(Expr { kind: ExprKind::Prim(prim, args), ty, span })
            }
            _ => {
                let given = Type::of_arguments(types.into_iter().cloned().collect());
                let title = format!("`{}` does not take this", name.text());
                let label = format!("it is given `{given}`");
                let diagnostic = Diagnostic::error("E0904", span, title, label);
                Err(Box::new(diagnostic.note(takes(prim))))
            }
        }
    }
    /// A primitive of a tuple that holds all its arguments.
    fn taken_apart(
        &mut self,
        prim: Prim,
        name: &FunName,
        only: &Expr,
        items: &[Type],
        span: Span,
    ) -> Checked<Expr> {
        // No variable of a program has a space in its name.
        let names: Vec<String> = (1..=items.len()).map(|at| format!("argument {at}")).collect();
        let var = |(name, ty): (&String, &Type)| Expr {
            kind: ExprKind::Var(name.clone()),
            ty: ty.clone(),
            span: only.span,
        };
        let body = self.prim(prim, name, names.iter().zip(items).map(var).collect(), span)?;
        let names = names.into_iter().map(|node| Spanned { node, span: only.span }).collect();
        let ty = body.ty.clone();
        let pattern = Pattern::Tuple(names, only.span);
        let kind = ExprKind::Let(vec![(pattern, only.clone())], Box::new(body));
        Ok(Expr { kind, ty, span })
    }
}

/// What a primitive gives for these types; none if it does not take them.
fn result(prim: Prim, types: &[&Type]) -> Option<Type> {
    Some(match (prim, types) {
        (Prim::Get(at, count), [Type::Tuple(items)]) if items.len() == count => items[at].clone(),
        (Prim::Build, [n, Type::Lam(from, to)]) if !to.has_function() => {
            Type::Tensor(indexed(n, from)?, to.clone())
        }
        (Prim::SumBuild, [n, Type::Lam(from, to)]) if is_sum(to) => {
            indexed(n, from)?;
            (**to).clone()
        }
        (Prim::Fold, [Type::Lam(from, to), start, Type::Tensor(1, element)])
            if *from == pair(start, element) && **to == **start && !start.has_function() =>
        {
            (**to).clone()
        }
        (Prim::Map, [Type::Lam(from, to), Type::Tensor(rank, element)])
            if from == element && !to.has_function() =>
        {
            Type::Tensor(*rank, to.clone())
        }
        (Prim::Map2, [Type::Lam(from, to), Type::Tensor(rank, one), Type::Tensor(other, two)])
            if rank == other && *from == pair(one, two) && !to.has_function() =>
        {
            Type::Tensor(*rank, to.clone())
        }
        (Prim::Index, [at, Type::Tensor(rank, element)]) if **at == Type::index(*rank) => {
            (**element).clone()
        }
        (Prim::Size, [Type::Tensor(rank, _)]) => Type::index(*rank),
        (Prim::Sum, [Type::Tensor(_, element)]) if is_sum(element) => (**element).clone(),
        (Prim::ConstVec, [n, element]) if !element.has_function() => {
            Type::Tensor(n.rank()?, Box::new((*element).clone()))
        }
        (Prim::DeltaVec, [n, at, element]) if n == at && is_sum(element) => {
            Type::Tensor(n.rank()?, Box::new((*element).clone()))
        }
        (Prim::Delta, [one, other, value]) if one == other && is_sum(value) => {
            one.rank()?;
            (*value).clone()
        }
        (Prim::VecInit, [first, rest @ ..])
            if !first.has_function() && rest.iter().all(|ty| ty == first) =>
        {
            Type::vec((*first).clone())
        }
        (Prim::Eq | Prim::Ne, [one, other]) if one == other && !one.has_function() => Type::Bool,
        (Prim::Shape, [ty]) => ty.shape()?,
        (Prim::BuildFromSparse, [shape, n, Type::Lam(from, to)]) => {
            indexed(n, from)?;
            sparse(shape, to)?
        }
        (Prim::BuildFromSparseTupled, [Type::Tuple(shapes), n, Type::Lam(from, to)]) => {
            indexed(n, from)?;
            let Type::Tuple(items) = &**to else { return None };
            let all = shapes.iter().zip(items).map(|(shape, item)| sparse(shape, item));
            let all = all.collect::<Option<Vec<_>>>()?;
            (shapes.len() == items.len()).then_some(Type::Tuple(all))?
        }
        (Prim::TsAdd, [ty, tangent]) if ty.tangent().as_ref() == Some(*tangent) => (*ty).clone(),
        (Prim::TsScale, [Type::Float, ty]) | (Prim::TsNeg, [ty]) if is_tangent(ty) => (*ty).clone(),
        (Prim::TsDot, [one, other]) if one == other && is_tangent(one) => Type::Float,
        (Prim::Print, types) if types.iter().all(|ty| !ty.has_function()) => Type::Int,
        (Prim::Trace, [ty]) if !ty.has_function() => (*ty).clone(),
        (Prim::Same, [ty]) => (*ty).clone(),
        (Prim::Check, [Type::Lam(from, to), Type::Lam(back, bar), at, along, seed]) => {
            let (from_dot, to_dot) = (from.tangent()?, to.tangent()?);
            let is_right = **back == *pair(from, &to_dot)
                && **bar == from_dot
                && *at == &**from
                && *along == &from_dot
                && *seed == &to_dot;
            is_right.then_some(Type::Float)?
        }
        _ => return None,
    })
}

fn pair(one: &Type, other: &Type) -> Box<Type> {
    Box::new(Type::Tuple(vec![one.clone(), other.clone()]))
}

/// The rank of a tensor of this size, if its indices are what a function takes.
fn indexed(size: &Type, from: &Type) -> Option<usize> {
    if size == from { size.rank() } else { None }
}

/// The tensor that pairs of an index and a value add up to, of the shape of a tensor of units.
fn sparse(shape: &Type, pair: &Type) -> Option<Type> {
    let (Type::Tensor(rank, units), Type::Tuple(items)) = (shape, pair) else { return None };
    let [at, value] = &items[..] else { return None };
    let fits = *at == Type::index(*rank) && **units == value.skeleton() && is_sum(value);
    fits.then(|| Type::Tensor(*rank, Box::new(value.clone())))
}

/// Whether there are sums of this type.
fn is_sum(ty: &Type) -> bool {
    !ty.has_function() && !ty.any(&|ty| matches!(ty, Type::Str | Type::Bool))
}

/// Whether this may be a type of tangents.
fn is_tangent(ty: &Type) -> bool {
    !ty.has_function() && !ty.has_discrete()
}

/// What a primitive takes, in words.
fn takes(prim: Prim) -> &'static str {
    match prim {
        Prim::Get(..) => "`get$i$n` takes a tuple of `n` components",
        Prim::Build => {
            "it takes a size and a function of an index: `(build n (lam (i : Integer) …))`"
        }
        Prim::SumBuild => {
            "it takes a size and a function of an index that gives numbers, or tuples or tensors of them"
        }
        Prim::Fold => {
            "it takes a function of a pair `(Tuple state element)` that gives the next state, the first state, and a vector"
        }
        Prim::Map => "it takes a function of an element, and a tensor",
        Prim::Map2 => "it takes a function of a pair of elements, and two tensors of one rank",
        Prim::Index => {
            "it takes an index and a tensor: an Integer for a vector, a tuple of `d` for a `Tensor d`"
        }
        Prim::Size => "it takes a tensor",
        Prim::Sum => "it takes a tensor of numbers, or of tuples or tensors of them",
        Prim::ConstVec => "it takes a size and an element",
        Prim::DeltaVec => "it takes a size, an index and a number, or a tuple or tensor of them",
        Prim::Delta => "it takes two indices and a number, or a tuple or tensor of them",
        Prim::VecInit => "it takes at least one element, all of one type",
        Prim::Eq | Prim::Ne => "it takes two values of one type",
        Prim::Shape => "it takes a value without functions",
        Prim::BuildFromSparse => {
            "it takes a tensor of units for the shape, a size, and a function of an index that gives an index and a value"
        }
        Prim::BuildFromSparseTupled => {
            "it takes a tuple of tensors of units, a size, and a function of an index that gives as many pairs of an index and a value"
        }
        Prim::TsAdd => "it takes a value and a tangent of its type",
        Prim::TsScale => "it takes a Float and a tangent: Floats, and units for what is discrete",
        Prim::TsNeg => "it takes a tangent: Floats, and units for what is discrete",
        Prim::TsDot => "it takes two tangents of one type: Floats, and units for what is discrete",
        Prim::Print | Prim::Trace => "it takes values without functions",
        Prim::Same => "it takes one value",
        Prim::Check => {
            "it takes a function, its reverse derivative as a function of a pair, a point, a tangent of the point and a cotangent of the result"
        }
    }
}
