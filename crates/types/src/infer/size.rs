//! Sizes: which Int expressions are sizes, how sizes unify, and when they leave their scope.
//!
//! Two sizes agree if their difference is the zero polynomial. A unification variable that stands
//! alone in the difference is solved for. A difference of which nothing but declared names and numbers
//! is left is a mistake; any other is left to run time.

use pullback_prim::Prim;

use super::bindings::GlobalState;
use super::clash::{Clash, Sizes};
use super::opaque::OpaqueSize;
use super::solver::Solver;
use super::state::Infer;
use super::table::{Free, SizeCell, Table, size_of};
use super::unifier::Unifier;
use crate::tir::{Builtin, GlobalId, Step, TExpr, TExprKind};
use crate::ty::{Atom, Poly, Size, SizeVar, Ty};

impl Table {
    /// An unknown size where `poly` is expected: proven only if nothing depends on it.
    fn accept_any(&mut self, poly: &Poly, sizes: Sizes) -> bool {
        if sizes == Sizes::Join {
            return true;
        }
        if let Some(Atom::Var(var)) = poly.as_atom() {
            self.set_size(*var, SizeCell::Bound(Size::Any));
            return true;
        }
        false
    }
}

impl Unifier {
    pub(super) fn unify_size(
        &mut self,
        actual: &Size,
        expected: &Size,
        sizes: Sizes,
    ) -> Result<bool, Clash> {
        let (actual, expected) =
            match (self.table.resolve_size(actual), self.table.resolve_size(expected)) {
                (_, Size::Any) => return Ok(true),
                (Size::Any, Size::Poly(poly)) => return Ok(self.table.accept_any(&poly, sizes)),
                (Size::Poly(actual), Size::Poly(expected)) => (actual, expected),
            };
        let Some(difference) = actual.sub(&expected) else { return Ok(false) };
        if difference.as_constant() == Some(0) {
            return Ok(true);
        }
        if sizes == Sizes::Join {
            if let (Some(Atom::Var(var)), Some(Atom::Var(_))) =
                (actual.as_atom(), expected.as_atom())
            {
                self.bind_size(*var, &expected);
            }
            return Ok(true);
        }
        if let Some((Atom::Var(var), solution)) =
            difference.solve(|atom| matches!(atom, Atom::Var(_)))
        {
            self.bind_size(var, &solution);
            return Ok(true);
        }
        if difference.atoms().all(|atom| matches!(atom, Atom::Rigid(_))) {
            return Err(Clash::Sizes(actual.as_ref().clone(), expected.as_ref().clone()));
        }
        Ok(false)
    }

    pub(super) fn bind_size(&mut self, var: SizeVar, poly: &Poly) {
        let SizeCell::Free(level, depth) = *self.table.size(var) else { return };
        let free = Free { level, depth, loose: false };
        let size = Size::Poly(poly.clone().into());
        let size = self.adjust_size(&size, free).unwrap_or(size);
        self.table.set_size(var, SizeCell::Bound(size));
    }

    /// Checks that a size may be seen under these limits and lowers its variables to them; `Some` if
    /// it is forgotten.
    pub(super) fn adjust_size(&mut self, size: &Size, limit: Free) -> Option<Size> {
        let size = self.table.resolve_size(size);
        let Size::Poly(poly) = &size else { return None };
        if limit.loose || poly.atoms().any(|atom| self.atom_depth(atom) > limit.depth) {
            return Some(Size::Any);
        }
        for atom in poly.atoms() {
            if let Atom::Var(var) = atom
                && let SizeCell::Free(level, depth) = *self.table.size(*var)
            {
                self.table
                    .set_size(*var, SizeCell::Free(level.min(limit.level), depth.min(limit.depth)));
            }
        }
        None
    }

    fn atom_depth(&self, atom: &Atom) -> u32 {
        match atom {
            Atom::Rigid(local) | Atom::Local(local) => self.depth_of(*local),
            Atom::Opaque(id) => self.opaque.depth(*id),
            Atom::Param(_) | Atom::Var(_) => 0,
        }
    }
}

impl Infer<'_> {
    /// The size that an Int expression is, or `Any`.
    pub(super) fn size_of_expr(&mut self, expr: &TExpr) -> Size {
        size_of(self.poly_of(expr))
    }

    /// The polynomial that an Int expression is.
    pub(super) fn poly_of(&mut self, expr: &TExpr) -> Option<Poly> {
        if let TExprKind::IntLit(value) = &expr.kind {
            return Some(Poly::constant(i64::try_from(*value).ok()?));
        }
        if let TExprKind::Local(local, _) = &expr.kind {
            return Some(self.bindings.size_of(*local));
        }
        if let TExprKind::Global(global, _) = &expr.kind {
            return self.poly_of_global(*global, expr);
        }
        if let TExprKind::TupleField(..) | TExprKind::Field(..) = &expr.kind {
            return self.solver().poly_of_part(expr);
        }
        let TExprKind::App(head, args) = &expr.kind else { return None };
        let TExprKind::Builtin(builtin) = head.kind else { return None };
        self.poly_of_call(builtin, args, expr)
    }

    fn poly_of_global(&mut self, global: GlobalId, expr: &TExpr) -> Option<Poly> {
        let ty = match self.bindings.global(global) {
            GlobalState::Done(scheme) => scheme.ty.clone(),
            GlobalState::Unseen | GlobalState::Assumed(_) => Ty::Int,
        };
        if !matches!(self.unifier.table.head(&ty), Ty::Int) {
            return None;
        }
        if let Some(value) = self.declared.literal(global) {
            return Some(Poly::constant(value));
        }
        let shown =
            format!("{}.{}", self.typed.globals[global].module, self.typed.globals[global].name);
        Some(self.solver().opaque_atom(OpaqueSize::Global(global), &shown, expr, 0))
    }

    fn poly_of_call(&mut self, builtin: Builtin, args: &[TExpr], expr: &TExpr) -> Option<Poly> {
        match (builtin, args) {
            (Builtin::Add, [a, b]) => self.poly_of(a)?.add(&self.poly_of(b)?),
            (Builtin::Sub, [a, b]) => self.poly_of(a)?.sub(&self.poly_of(b)?),
            (Builtin::Mul, [a, b]) => self.poly_of(a)?.mul(&self.poly_of(b)?),
            (Builtin::Neg, [a]) => self.poly_of(a)?.scale(-1),
            (Builtin::Div | Builtin::Rem, [a, b]) => {
                let (dividend, divisor) = (self.poly_of(a)?, self.poly_of(b)?);
                let depth = dividend
                    .atoms()
                    .chain(divisor.atoms())
                    .map(|atom| self.unifier.atom_depth(atom))
                    .max();
                let unknown = |atom: &Atom| matches!(atom, Atom::Var(_));
                if dividend.atoms().any(unknown) || divisor.atoms().any(unknown) {
                    return None;
                }
                let sign = if builtin == Builtin::Div { '/' } else { '%' };
                let shown = |poly: &Poly| match crate::show::Show::new(&self.typed, &[]).poly(poly)
                {
                    sum if poly.terms.len() > 1 => format!("({sum})"),
                    single => single,
                };
                let (left, right) = (shown(&dividend), shown(&divisor));
                let shown = format!("{left} {sign} {right}");
                let size = if builtin == Builtin::Div {
                    OpaqueSize::Quotient(dividend, divisor)
                } else {
                    OpaqueSize::Remainder(dividend, divisor)
                };
                // Where no name is mentioned, no binder encloses it.
                Some(self.solver().opaque_atom(size, &shown, expr, depth.unwrap_or(0)))
            }
            (Builtin::Prim(Prim::Size), [array]) => {
                let Ty::Array(size, _) = self.unifier.table.head(&array.ty) else { return None };
                let Size::Poly(poly) = self.unifier.table.resolve_size(&size) else { return None };
                Some(poly.as_ref().clone())
            }
            _ => None,
        }
    }
}

impl Solver<'_> {
    /// A component or field of a variable, which has the same value wherever the variable has.
    fn poly_of_part(&mut self, expr: &TExpr) -> Option<Poly> {
        let mut steps = Vec::new();
        let mut base = expr;
        loop {
            if let TExprKind::TupleField(whole, index) = &base.kind {
                steps.push(Step::Tuple(*index));
                base = whole;
            } else if let TExprKind::Field(whole, name) = &base.kind {
                steps.push(Step::Field(name.clone()));
                base = whole;
            } else {
                break;
            }
        }
        let TExprKind::Local(local, _) = &base.kind else { return None };
        steps.reverse();
        let mut shown = self.typed.locals[*local].name.to_string();
        for step in &steps {
            shown += &match step {
                Step::Tuple(index) => format!(".{index}"),
                Step::Field(name) => format!(".{name}"),
            };
        }
        let depth = self.unifier.depth_of(*local);
        Some(self.opaque_atom(OpaqueSize::Part(*local, steps), &shown, expr, depth))
    }

    fn opaque_atom(&mut self, size: OpaqueSize, shown: &str, expr: &TExpr, depth: u32) -> Poly {
        let (id, is_new) = self.unifier.opaque.id_of(size, depth, expr);
        if is_new {
            self.typed.opaques.push(shown.to_owned());
        }
        Poly::atom(Atom::Opaque(id))
    }
}
