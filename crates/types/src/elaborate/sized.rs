//! The sizes of absent rows: what makes an array of arrays says beside it which sizes the rows have,
//! since an array without rows has none to measure.
//!
//! Law: `sized` changes no element. A size comes from the type where inference knows it, else from the
//! term that makes a row; where neither tells, absent rows have the size 0. A definition that is made for
//! several types does not know the sizes inside its type variables, so its result gets them at the call.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, Lit, VarId};
use pullback_prim::Prim;

use super::state::Elab;
use super::types::bug;
use crate::tir::{SizedTy, TExpr, TExprKind};
use crate::ty::{Atom, Poly, Size, Ty};

impl<'t> Elab<'t> {
    /// The array that a term makes, of the type `ty` if there is one beside that of the calculus.
    pub(super) fn sized(&mut self, array: Expr, ty: Option<&Ty>, span: Span) -> Expr {
        let depths = array.ty.nesting().saturating_sub(1);
        if depths == 0 || has_elements(&array) {
            return array;
        }
        let row = if let ExprKind::Build { var, body, .. } = &array.kind {
            let mut scope = Scope::default();
            scope.inner.insert(*var);
            let sizes = (0..depths).map(|depth| part_size(body, depth, &mut scope));
            sizes.collect()
        } else {
            vec![None; depths]
        };
        let mut sizes = Vec::new();
        let mut known = ty;
        for of_term in row {
            known = known.and_then(element);
            let of_type = known.and_then(|known| self.outer_size(known, span));
            sizes.push(of_type.or(of_term));
        }
        with_sizes(array, 1, sizes)
    }

    /// The result of a call, given the type of what is called and that of the result: sizes inside type
    /// variables are those of the caller.
    pub(super) fn sized_result(
        &mut self,
        result: Expr,
        callee: &'t TExpr,
        args: usize,
        ty: &Ty,
        span: Span,
    ) -> Expr {
        let mut declared = if let TExprKind::Global(global, _) = &callee.kind {
            &self.typed.globals[*global].ty
        } else if let TExprKind::Local(local, _) = &callee.kind {
            &self.typed.locals[*local].ty
        } else {
            return result;
        };
        for _ in 0..args {
            let Ty::Fun(_, to) = declared else { return result };
            declared = to;
        }
        self.sized_parts(result, declared, ty, span)
    }

    fn sized_parts(&mut self, value: Expr, declared: &Ty, ty: &Ty, span: Span) -> Expr {
        if !self.has_outer_sizes(declared, ty, span) {
            return value;
        }
        if value.ty.is_product() {
            return self.bind(value, "result", |this, value| {
                let parts = value.parts(span).into_iter().enumerate();
                let parts =
                    parts.map(|(at, part)| match (component(declared, at), component(ty, at)) {
                        (Some(declared), Some(ty)) => this.sized_parts(part, declared, ty, span),
                        _ => part,
                    });
                let parts = parts.collect();
                Expr::record(parts, value.ty, span)
            });
        }
        let (first, sizes) = self.outer_sizes(declared, ty, span);
        with_sizes(value, first, sizes)
    }

    /// Whether some array in a result has sizes that only the caller knows.
    fn has_outer_sizes(&mut self, declared: &Ty, ty: &Ty, span: Span) -> bool {
        let sizes = self.outer_sizes(declared, ty, span).1;
        sizes.iter().any(Option::is_some)
            || (0..)
                .map_while(|at| component(declared, at).zip(component(ty, at)))
                .any(|(declared, ty)| self.has_outer_sizes(declared, ty, span))
    }

    /// The sizes of an array in a result that only the caller knows, from the depth at which they begin.
    fn outer_sizes(&mut self, declared: &Ty, ty: &Ty, span: Span) -> (usize, Vec<Option<Expr>>) {
        let (mut declared, mut ty, mut depth) = (declared, ty, 0);
        while let (Ty::Array(_, declared_row), Ty::Array(_, row)) = (declared, ty) {
            (declared, ty, depth) = (declared_row, row, depth + 1);
        }
        let mut sizes = Vec::new();
        if depth > 0 {
            while let Ty::Array(_, row) = ty {
                sizes.push(self.outer_size(ty, span));
                ty = row;
            }
        }
        (depth, sizes)
    }

    /// `value`, whose sizes agree with `sized` where it has rows: absent rows get them.
    pub(super) fn as_declared(&mut self, value: Expr, sized: &'t SizedTy) -> Expr {
        let mut value = value;
        for dim in sized.dims.iter().filter(|dim| dim.path.is_empty() && dim.depth > 0) {
            if self.is_known(&dim.size) {
                let size = self.expr(&dim.size);
                value = value.sized(dim.depth, size);
            }
        }
        value
    }

    /// The size of an array type, as a term, if its names have values here.
    fn outer_size(&mut self, ty: &Ty, span: Span) -> Option<Expr> {
        let Ty::Array(Size::Poly(poly), _) = ty else { return None };
        let known = poly.atoms().all(|atom| match atom {
            Atom::Rigid(local) | Atom::Local(local) => self.env.contains_key(local),
            Atom::Param(_) | Atom::Var(_) | Atom::Opaque(_) => false,
        });
        known.then(|| self.poly_term(poly, span))
    }

    /// A polynomial over variables in scope, terms with a minus last.
    fn poly_term(&mut self, poly: &Poly, span: Span) -> Expr {
        let mut sum: Option<Expr> = None;
        let mut terms: Vec<_> = poly.terms.iter().collect();
        terms.sort_by_key(|(_, factor)| *factor < 0);
        for (atoms, factor) in terms {
            let mut product =
                (factor.abs() != 1 || atoms.is_empty()).then(|| Expr::int(factor.abs(), span));
            for atom in atoms {
                let (Atom::Rigid(local) | Atom::Local(local)) = atom else {
                    bug("a size of names in scope", span)
                };
                let factor = self.var(self.env[local], span);
                product = Some(match product {
                    Some(product) => Expr::prim(Prim::IntMul, [product, factor], span),
                    None => factor,
                });
            }
            let product = product.unwrap_or_else(|| bug("a monomial with a factor", span));
            sum = Some(match sum {
                Some(sum) if *factor < 0 => Expr::prim(Prim::IntSub, [sum, product], span),
                Some(sum) => Expr::prim(Prim::IntAdd, [sum, product], span),
                None if *factor < 0 => Expr::prim(Prim::IntNeg, [product], span),
                None => product,
            });
        }
        // A polynomial without terms is zero.
        sum.unwrap_or_else(|| Expr::int(0, span))
    }
}

/// `array` with these sizes for absent rows, from the depth `first` on; absent rows have the size 0
/// without being told.
fn with_sizes(array: Expr, first: usize, sizes: Vec<Option<Expr>>) -> Expr {
    let mut array = array;
    for (offset, size) in sizes.into_iter().enumerate() {
        if let Some(size) = size.filter(|size| int_literal(size) != Some(0)) {
            array = array.sized(first + offset, size);
        }
    }
    array
}

/// Whether a term makes an array that is never empty.
fn has_elements(array: &Expr) -> bool {
    if let ExprKind::Build { size, .. } = &array.kind {
        return int_literal(size).is_some_and(|size| size > 0);
    }
    matches!(&array.kind, ExprKind::Array(items) if !items.is_empty())
}

fn element(ty: &Ty) -> Option<&Ty> {
    if let Ty::Array(_, element) = ty { Some(element) } else { None }
}

fn component(ty: &Ty, at: usize) -> Option<&Ty> {
    if let Ty::Tuple(items) = ty {
        return items.get(at);
    }
    if let Ty::Record(fields) = ty { fields.get(at).map(|(_, field)| field) } else { None }
}

fn int_literal(expr: &Expr) -> Option<i64> {
    if let ExprKind::Lit(Lit::Int(n)) = expr.kind { Some(n) } else { None }
}

/// What is bound between an array and the term whose size is asked for.
#[derive(Default)]
struct Scope<'e> {
    inner: BTreeSet<VarId>,
    lets: BTreeMap<VarId, &'e Expr>,
}

/// The size at a depth of what a term makes, as a term over variables from outside, without evaluating
/// the term.
fn part_size<'e>(term: &'e Expr, depth: usize, scope: &mut Scope<'e>) -> Option<Expr> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the terms whose sizes can be read off")]
    match &term.kind {
        ExprKind::Var(var) => match scope.lets.get(var).copied() {
            Some(value) => part_size(value, depth, scope),
            None => outside(term, scope).then(|| Expr::dim(term.clone(), depth, term.span)),
        },
        ExprKind::Proj(..) | ExprKind::Global(_) => {
            outside(term, scope).then(|| Expr::dim(term.clone(), depth, term.span))
        }
        ExprKind::Prim(Prim::Index, args) => part_size(&args[0], depth + 1, scope),
        ExprKind::Prim(Prim::Update, args) => part_size(&args[0], depth, scope),
        ExprKind::Prim(Prim::Sized, args) => match int_literal(&args[1]) {
            Some(at) if usize::try_from(at) == Ok(depth) => int_outside(&args[2], scope),
            Some(_) | None => part_size(&args[0], depth, scope),
        },
        ExprKind::Build { size, .. } if depth == 0 => int_outside(size, scope),
        ExprKind::Build { var, body, .. } => {
            scope.inner.insert(*var);
            part_size(body, depth - 1, scope)
        }
        ExprKind::Let(var, value, body) => {
            scope.lets.insert(*var, value.as_ref());
            part_size(body, depth, scope)
        }
        ExprKind::If(_, then, other) => {
            part_size(then, depth, scope).or_else(|| part_size(other, depth, scope))
        }
        ExprKind::Ad(AdOp::StopGradient | AdOp::Zeros, args) => part_size(&args[0], depth, scope),
        ExprKind::Ad(AdOp::Perturb, args) => part_size(&args[1], depth, scope),
        _ => None,
    }
}

/// An Int term, as one over variables from outside.
fn int_outside<'e>(term: &'e Expr, scope: &mut Scope<'e>) -> Option<Expr> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the terms whose sizes can be read off")]
    match &term.kind {
        ExprKind::Lit(_) => Some(term.clone()),
        ExprKind::Var(var) => match scope.lets.get(var).copied() {
            Some(value) => int_outside(value, scope),
            None => outside(term, scope).then(|| term.clone()),
        },
        ExprKind::Proj(..) => outside(term, scope).then(|| term.clone()),
        ExprKind::Prim(Prim::Size, args) => part_size(&args[0], 0, scope),
        ExprKind::Prim(Prim::Dim, args) => {
            part_size(&args[0], usize::try_from(int_literal(&args[1])?).ok()?, scope)
        }
        ExprKind::Prim(prim @ (Prim::IntAdd | Prim::IntSub | Prim::IntMul), args) => {
            let (a, b) = (int_outside(&args[0], scope)?, int_outside(&args[1], scope)?);
            Some(Expr::prim(*prim, [a, b], term.span))
        }
        _ => None,
    }
}

/// Whether a variable, or a component of one, is bound outside.
fn outside(term: &Expr, scope: &Scope<'_>) -> bool {
    if let ExprKind::Proj(base, _) = &term.kind {
        return outside(base, scope);
    }
    matches!(term.kind, ExprKind::Global(_))
        || matches!(&term.kind, ExprKind::Var(var)
        if !scope.inner.contains(var) && !scope.lets.contains_key(var))
}
