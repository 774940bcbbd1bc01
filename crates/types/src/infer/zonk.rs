//! The end of inference for a group: every type written out, size checks decided.
//!
//! What is unchanged is shared, and a variable is rebound to its written-out type, so a type that is
//! shared stays shared.

use std::rc::Rc;

use pullback_base::{Diagnostic, Id};

use super::clash::Clash;
use super::solver::Solver;
use super::state::Infer;
use super::table::{SizeCell, Table};
use super::unifier::Unifier;
use crate::tir::{
    Builtin, LocalId, ParamId, SizedDim, Step, TAccess, TCheckpoint, TExpr, TExprKind, TLoopForm,
    TParam, TPat, TPatKind,
};
use crate::ty::{Atom, Poly, Size, Ty, TyVar};

impl Table {
    fn zonk_size(&mut self, size: &Size, last: bool) -> Size {
        let size = self.resolve_size(size);
        let Size::Poly(poly) = &size else { return size };
        let open = |atom: &Atom| matches!(atom, Atom::Var(_));
        if last && poly.atoms().any(open) {
            for atom in poly.atoms() {
                if let Atom::Var(var) = atom {
                    self.set_size(*var, SizeCell::Bound(Size::Any));
                }
            }
            return Size::Any;
        }
        size
    }
}

impl Unifier {
    /// A type with everything known filled in; unknown variables stay.
    pub(super) fn known(&mut self, ty: &Ty) -> Ty {
        if self.reports.has_stopped() {
            return Ty::Error;
        }
        let before = self.table.begin_steps();
        let known = self.zonk_in(ty, false);
        self.table.resume_steps(before);
        match known {
            Ok(new) => new.unwrap_or_else(|| ty.clone()),
            Err(_) => {
                self.reports.report_too_large(self.at);
                Ty::Error
            }
        }
    }

    /// A type with everything filled in; what nothing is known of is `()`.
    pub(super) fn zonk_ty(&mut self, ty: &mut Ty) {
        if self.reports.has_stopped() {
            *ty = Ty::Error;
            return;
        }
        self.table.begin_steps();
        match self.zonk_in(ty, true) {
            Ok(Some(new)) => *ty = new,
            Ok(None) => {}
            Err(_) => {
                self.reports.report_too_large(self.at);
                *ty = Ty::Error;
            }
        }
    }

    /// `None`: it is written out already.
    fn zonk_in(&mut self, ty: &Ty, last: bool) -> Result<Option<Ty>, Clash> {
        self.table.spend()?;
        Ok(match ty {
            Ty::Real | Ty::Int | Ty::Bool | Ty::Str | Ty::Param(_) | Ty::Error => None,
            Ty::Var(var) => self.zonk_var(*var, last)?,
            Ty::Tuple(items) => {
                self.zonk_all(items.iter(), last)?.map(|items| Ty::Tuple(items.into()))
            }
            Ty::Sum(id, args) => {
                self.zonk_all(args.iter(), last)?.map(|args| Ty::Sum(*id, args.into()))
            }
            Ty::Record(fields) => {
                self.zonk_all(fields.iter().map(|(_, ty)| ty), last)?.map(|types| {
                    Ty::Record(fields.iter().map(|(name, _)| name.clone()).zip(types).collect())
                })
            }
            Ty::Array(size, element) => {
                let new_element = self.zonk_in(element, last)?;
                let new_size = self.table.zonk_size(size, last);
                (new_element.is_some() || new_size != *size).then(|| {
                    let element = new_element.map_or_else(|| element.clone(), Rc::new);
                    Ty::Array(new_size, element)
                })
            }
            Ty::Tangent(_) => Some(self.zonk_tangent(ty, last)?),
            Ty::Fun(a, b) | Ty::Jacobian(a, b) => {
                let (new_a, new_b) = (self.zonk_in(a, last)?, self.zonk_in(b, last)?);
                (new_a.is_some() || new_b.is_some()).then(|| {
                    let a = new_a.map_or_else(|| a.clone(), Rc::new);
                    let b = new_b.map_or_else(|| b.clone(), Rc::new);
                    if matches!(ty, Ty::Fun(..)) { Ty::Fun(a, b) } else { Ty::Jacobian(a, b) }
                })
            }
        })
    }

    fn zonk_var(&mut self, var: TyVar, last: bool) -> Result<Option<Ty>, Clash> {
        let known = self.table.resolve(&Ty::Var(var));
        let Ty::Var(free) = known else {
            let new = self.zonk_in(&known, last)?;
            if let Some(new) = &new {
                self.table.bind(var, new.clone(), self.at);
            }
            return Ok(Some(new.unwrap_or(known)));
        };
        if !last {
            return Ok((free != var).then_some(Ty::Var(free)));
        }
        let unit = Ty::Tuple(Rc::new([]));
        let woken = self.table.bind(free, unit.clone(), self.at);
        self.constraints.wake(woken);
        Ok(Some(unit))
    }

    fn zonk_tangent(&mut self, ty: &Ty, last: bool) -> Result<Ty, Clash> {
        let mut head = self.table.head(ty);
        if let Ty::Tangent(inner) = &head {
            // A variable that is decided now may make the tangent known.
            let new = self.zonk_in(inner, last)?;
            let tangent = Ty::Tangent(new.map_or_else(|| inner.clone(), Rc::new));
            head = self.table.head(&tangent);
            if matches!(head, Ty::Tangent(_)) {
                return Ok(head);
            }
        }
        Ok(self.zonk_in(&head, last)?.unwrap_or(head))
    }

    fn zonk_all<'t>(
        &mut self,
        items: impl Iterator<Item = &'t Ty>,
        last: bool,
    ) -> Result<Option<Vec<Ty>>, Clash> {
        let mut any = false;
        let mut all = Vec::new();
        for item in items {
            let new = self.zonk_in(item, last)?;
            any |= new.is_some();
            all.push(new.unwrap_or_else(|| item.clone()));
        }
        Ok(any.then_some(all))
    }

    fn zonk_pattern(&mut self, pattern: &mut TPat) {
        self.at = pattern.span;
        self.zonk_ty(&mut pattern.ty);
        match &mut pattern.kind {
            TPatKind::Int(value) if matches!(pattern.ty, Ty::Real) => {
                // Literals are overloaded in patterns too; the nearest binary64 is meant.
                #[allow(clippy::cast_precision_loss)]
                let value = *value as f64;
                pattern.kind = TPatKind::Real(value);
            }
            TPatKind::As(_, inner) => self.zonk_pattern(inner),
            TPatKind::Tuple(items) | TPatKind::Con(_, _, items) => {
                items.iter_mut().for_each(|item| self.zonk_pattern(item))
            }
            TPatKind::Record(fields) => {
                fields.iter_mut().for_each(|(_, field)| self.zonk_pattern(field))
            }
            TPatKind::Wild
            | TPatKind::Var(_)
            | TPatKind::Int(_)
            | TPatKind::Real(_)
            | TPatKind::Bool(_)
            | TPatKind::Str(_)
            | TPatKind::Error => {}
        }
    }

    fn report_large_literal(&mut self, value: u64) {
        let diagnostic =
            Diagnostic::error("E0319", self.at, format!("`{value}` does not fit an Int"), "")
                .note(format!("the largest Int is {}", i64::MAX))
                .fix("write it as a Real, with `.0`", self.at.end(), ".0");
        self.report(diagnostic);
    }
}

impl Solver<'_> {
    /// The types of the locals from `first` on.
    pub(super) fn zonk_locals(&mut self, first: usize) {
        for index in first..self.typed.locals.len() {
            let id = LocalId::from_index(index);
            let mut ty = std::mem::take(&mut self.typed.locals[id].ty);
            self.unifier.zonk_ty(&mut ty);
            self.typed.locals[id].ty = ty;
        }
    }
}

impl Infer<'_> {
    /// The types of what stands inside of erroneous expressions of this group, about which nothing more is told.
    pub(super) fn zonk_salvaged(&mut self) {
        let told = self.unifier.reports.len();
        let mut salvaged = std::mem::take(&mut self.typed.salvaged);
        for expr in &mut salvaged[self.salvaged..] {
            self.zonk_expr(expr);
        }
        self.salvaged = salvaged.len();
        self.typed.salvaged = salvaged;
        self.unifier.reports.truncate(told);
    }

    /// All types of an expression.
    pub(super) fn zonk_expr(&mut self, expr: &mut TExpr) {
        self.unifier.at = expr.span;
        self.unifier.zonk_ty(&mut expr.ty);
        if let TExprKind::Local(id, args) = &mut expr.kind {
            if args.is_empty() {
                *args = own_params(&self.typed.locals[*id].params);
            }
            args.iter_mut().for_each(|arg| self.unifier.zonk_ty(arg));
        } else if let TExprKind::Global(id, args) = &mut expr.kind {
            if args.is_empty() {
                *args = own_params(&self.typed.globals[*id].params);
            }
            args.iter_mut().for_each(|arg| self.unifier.zonk_ty(arg));
        } else if let TExprKind::IntLit(value) = &expr.kind {
            if *value > i64::MAX as u64 && matches!(expr.ty, Ty::Int) {
                self.unifier.report_large_literal(*value);
            }
        } else if let TExprKind::App(head, args) = &mut expr.kind {
            let negated = matches!(head.kind, TExprKind::Builtin(Builtin::Neg));
            self.zonk_expr(head);
            match args.as_mut_slice() {
                // The literal of the smallest Int does not fit without its sign.
                [TExpr { kind: TExprKind::IntLit(value), ty, .. }]
                    if negated && *value <= 1 << 63 =>
                {
                    self.unifier.zonk_ty(ty);
                }
                args => args.iter_mut().for_each(|arg| self.zonk_expr(arg)),
            }
        } else if matches!(expr.kind, TExprKind::CheckSizes(..)) {
            self.zonk_check(expr);
        } else {
            self.zonk_parts(&mut expr.kind);
        }
    }

    /// The parts of an expression that is no name, no call and no check.
    fn zonk_parts(&mut self, kind: &mut TExprKind) {
        match kind {
            TExprKind::Builtin(_)
            | TExprKind::Con(..)
            | TExprKind::IntLit(_)
            | TExprKind::RealLit(_)
            | TExprKind::BoolLit(_)
            | TExprKind::StrLit(_)
            | TExprKind::Local(..)
            | TExprKind::Global(..)
            | TExprKind::App(..)
            | TExprKind::CheckSizes(..)
            | TExprKind::Error => {}
            TExprKind::Lam(lambda) => {
                lambda.params.iter_mut().for_each(|param| self.zonk_param(param));
                self.zonk_expr(&mut lambda.body);
            }
            TExprKind::Let(pattern, value, body) => {
                self.unifier.zonk_pattern(pattern);
                self.zonk_expr(value);
                self.zonk_expr(body);
            }
            TExprKind::LetPoly(_, value, body) => {
                self.zonk_expr(value);
                self.zonk_expr(body);
            }
            TExprKind::LetRec(functions, body) => {
                functions.iter_mut().for_each(|(_, function)| self.zonk_expr(function));
                self.zonk_expr(body);
            }
            TExprKind::If(cond, then, otherwise) => {
                self.zonk_expr(cond);
                self.zonk_expr(then);
                self.zonk_expr(otherwise);
            }
            TExprKind::Match(scrutinee, arms) => {
                self.zonk_expr(scrutinee);
                for arm in arms {
                    self.unifier.zonk_pattern(&mut arm.pattern);
                    self.zonk_expr(&mut arm.body);
                }
            }
            TExprKind::Tuple(items) | TExprKind::Array(items) => {
                items.iter_mut().for_each(|item| self.zonk_expr(item))
            }
            TExprKind::Record(fields) => {
                fields.iter_mut().for_each(|(_, field)| self.zonk_expr(field))
            }
            TExprKind::TupleField(base, _) | TExprKind::Field(base, _) => self.zonk_expr(base),
            TExprKind::Build(_, bound, body) => {
                self.zonk_expr(bound);
                self.zonk_expr(body);
            }
            TExprKind::For(pattern, source, body) => {
                self.unifier.zonk_pattern(pattern);
                self.zonk_expr(source);
                self.zonk_expr(body);
            }
            TExprKind::Index(base, index) => {
                self.zonk_expr(base);
                self.zonk_expr(index);
            }
            TExprKind::Slice(base, range) => {
                self.zonk_expr(base);
                range.iter_mut().for_each(|bound| self.zonk_expr(bound));
            }
            TExprKind::With(base, place, value) => {
                self.zonk_expr(base);
                for access in place {
                    if let TAccess::Index(index) = access {
                        self.zonk_expr(index);
                    }
                }
                self.zonk_expr(value);
            }
            TExprKind::Loop { pattern, init, form, checkpoint, body } => {
                self.unifier.zonk_pattern(pattern);
                self.zonk_expr(init);
                match form {
                    TLoopForm::For(_, bound) | TLoopForm::While(bound) => self.zonk_expr(bound),
                }
                if let Some(TCheckpoint::Every(steps)) = checkpoint {
                    self.zonk_expr(steps);
                }
                self.zonk_expr(body);
            }
        }
    }

    fn zonk_param(&mut self, param: &mut TParam) {
        self.unifier.zonk_pattern(&mut param.pattern);
        self.unifier.zonk_ty(&mut param.ty);
        for dim in param.sized.iter_mut().flat_map(|sized| &mut sized.dims) {
            self.zonk_expr(&mut dim.size);
        }
    }

    /// Keeps the checks of sizes that are not known to agree: those declared, or else every size of
    /// the expected type that can be computed here.
    fn zonk_check(&mut self, expr: &mut TExpr) {
        let TExprKind::CheckSizes(inner, sized) = &mut expr.kind else { return };
        self.zonk_expr(inner);
        if sized.dims.is_empty() {
            let mut dims = Vec::new();
            self.differing_sizes(&inner.ty, &expr.ty, &mut vec![], 0, &mut dims);
            sized.dims = dims;
        } else {
            sized.dims.retain(|dim| {
                let (actual, expected) = (size_at(&inner.ty, dim), size_at(&expr.ty, dim));
                !matches!((actual, expected), (Some(Size::Poly(a)), Some(Size::Poly(b))) if a == b)
            });
        }
        sized.dims.iter_mut().for_each(|dim| self.zonk_expr(&mut dim.size));
        if sized.dims.is_empty() {
            let inner = std::mem::replace(inner.as_mut(), TExpr::error(expr.span));
            *expr = TExpr { ty: std::mem::take(&mut expr.ty), ..inner };
        }
    }

    fn differing_sizes(
        &mut self,
        actual: &Ty,
        expected: &Ty,
        path: &mut Vec<Step>,
        depth: usize,
        out: &mut Vec<SizedDim>,
    ) {
        match (actual, expected) {
            (Ty::Array(left, a), Ty::Array(right, b)) => {
                if let Size::Poly(poly) = right
                    && left != right
                    && let Some(size) = self.expr_of_poly(poly)
                {
                    out.push(SizedDim { path: path.clone(), depth, size });
                }
                self.differing_sizes(a, b, path, depth + 1, out);
            }
            (Ty::Tuple(left), Ty::Tuple(right)) if depth == 0 => {
                for (index, (a, b)) in left.iter().zip(right.iter()).enumerate() {
                    path.push(Step::Tuple(index));
                    self.differing_sizes(a, b, path, 0, out);
                    path.pop();
                }
            }
            (Ty::Record(left), Ty::Record(right)) if depth == 0 => {
                for ((name, a), (_, b)) in left.iter().zip(right.iter()) {
                    path.push(Step::Field(name.clone()));
                    self.differing_sizes(a, b, path, 0, out);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    /// An Int expression for a size, if all its names are variables.
    pub(super) fn expr_of_poly(&self, poly: &Poly) -> Option<TExpr> {
        let span = self.unifier.at;
        let int = |kind| TExpr { kind, ty: Ty::Int, span };
        let binary = |builtin, a: TExpr, b: TExpr| {
            let ty =
                Ty::Fun(Rc::new(Ty::Int), Rc::new(Ty::Fun(Rc::new(Ty::Int), Rc::new(Ty::Int))));
            let head = TExpr { kind: TExprKind::Builtin(builtin), ty, span };
            int(TExprKind::App(Box::new(head), vec![a, b]))
        };
        let mut sum: Option<TExpr> = None;
        let mut terms: Vec<_> = poly.terms.iter().collect();
        terms.sort_by_key(|(_, value)| *value < 0);
        for (monomial, value) in terms {
            let mut product: Option<TExpr> = (value.unsigned_abs() != 1 || monomial.is_empty())
                .then(|| int(TExprKind::IntLit(value.unsigned_abs())));
            for atom in monomial {
                let factor = match atom {
                    Atom::Rigid(local) if self.bindings.local(*local).phantom => return None,
                    Atom::Rigid(local) | Atom::Local(local) => {
                        int(TExprKind::Local(*local, vec![]))
                    }
                    Atom::Opaque(id) => self.unifier.opaque.expr(*id).clone(),
                    Atom::Param(_) | Atom::Var(_) => return None,
                };
                product = Some(match product {
                    Some(product) => binary(Builtin::Mul, product, factor),
                    None => factor,
                });
            }
            let product = product?;
            sum = Some(match sum {
                None if *value < 0 => binary(Builtin::Sub, int(TExprKind::IntLit(0)), product),
                None => product,
                Some(sum) if *value < 0 => binary(Builtin::Sub, sum, product),
                Some(sum) => binary(Builtin::Add, sum, product),
            });
        }
        // A polynomial without terms is zero.
        Some(sum.unwrap_or_else(|| int(TExprKind::IntLit(0))))
    }
}

/// The type arguments of a use inside the group that quantifies.
fn own_params(params: &[ParamId]) -> Vec<Ty> {
    params.iter().map(|param| Ty::Param(*param)).collect()
}

/// The size that a declared dimension speaks of.
fn size_at<'t>(ty: &'t Ty, dim: &SizedDim) -> Option<&'t Size> {
    let mut ty = ty;
    for step in &dim.path {
        ty = match (ty, step) {
            (Ty::Tuple(items), Step::Tuple(index)) => items.get(*index)?,
            (Ty::Record(fields), Step::Field(name)) => {
                &fields.iter().find(|(field, _)| field == name)?.1
            }
            _ => return None,
        };
    }
    for _ in 0..dim.depth {
        let Ty::Array(_, element) = ty else { return None };
        ty = element;
    }
    if let Ty::Array(size, _) = ty { Some(size) } else { None }
}
