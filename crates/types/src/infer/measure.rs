//! Where the declared sizes of a definition come from.
//!
//! A size that stands alone somewhere in a parameter's type is measured there. One that occurs only in
//! compounds such as `[2 * n]` is computed from the first compound that is linear in it: that place
//! measures a hidden size `h`, `n` is `h / 2` everywhere, and `2 * n = h` is checked like any other size.
//!
//! A size that stands only inside function types, as in `(f: [n]Real -> [m]Real)`, is measured nowhere:
//! it speaks about types only, and using it as a number is a mistake.

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::Def;

use super::bindings::Bindings;
use super::reports::Reports;
use super::state::Infer;
use crate::tir::{Builtin, LocalId, SizedDim, TExpr, TExprKind, TParam};
use crate::ty::{Atom, Poly, Ty};

impl Reports {
    pub(super) fn report_unmeasured(&mut self, name: &str, span: Span) {
        let diagnostic = Diagnostic::error("E0403", span, format!("no argument says what the size `{name}` is"), "cannot be measured")
            .note("a declared size is read off an argument: it must be the size of an array in a parameter's type")
            .hint(format!("declare a parameter like `(xs: [{name}]Real)`, or pass the size itself, as in `({name}: Int)`"));
        self.add(diagnostic);
    }
}

impl Bindings {
    /// The dimensions whose expected size can be computed.
    pub(super) fn measurable(&self, dims: Vec<SizedDim>) -> Vec<SizedDim> {
        dims.into_iter().filter(|dim| !self.mentions_phantom(&dim.size)).collect()
    }

    fn mentions_phantom(&self, expr: &TExpr) -> bool {
        if let TExprKind::Local(local, _) = &expr.kind {
            return self.local(*local).phantom;
        }
        if let TExprKind::App(head, args) = &expr.kind {
            return self.mentions_phantom(head)
                || args.iter().any(|arg| self.mentions_phantom(arg));
        }
        // Other sizes are seldom written; they are checked unless some size cannot be measured.
        !is_plain(expr) && self.has_phantoms()
    }
}

impl Infer<'_> {
    /// Makes every declared size measured or computed; `sizes` become the measured ones, and the
    /// others are returned with their values.
    pub(super) fn solve_sizes(
        &mut self,
        def: &Def,
        sizes: &mut Vec<LocalId>,
        params: &mut [TParam],
    ) -> Vec<(LocalId, TExpr)> {
        let declared = sizes.clone();
        let mut derived = Vec::new();
        let mut phantoms = Vec::new();
        for (size, name) in declared.iter().zip(&def.sizes) {
            let twice = def.sizes.iter().filter(|other| other.node == name.node).count() > 1;
            let erroneous = params.iter().any(|param| matches!(param.ty, Ty::Error));
            if name.node == "_"
                || def.is_broken
                || twice
                || erroneous
                || dims(params).any(|dim| is_local(&dim.size, *size))
            {
                continue;
            }
            let known = |infer: &Self, poly: &Poly| {
                poly.atoms().all(|atom| match atom {
                    Atom::Rigid(other) => {
                        other == size
                            || sizes.contains(other)
                                && dims(params).any(|dim| is_local(&dim.size, *other))
                    }
                    Atom::Local(other) => !infer.bindings.local(*other).rigid,
                    Atom::Opaque(_) => true,
                    Atom::Param(_) | Atom::Var(_) => false,
                })
            };
            let place = dims(params).position(|dim| {
                self.poly_of(&dim.size)
                    .is_some_and(|poly| linear(&poly, *size).is_some() && known(self, &poly))
            });
            let plain = dims(params).all(|dim| is_plain(&dim.size));
            let solved =
                place.filter(|_| plain).and_then(|place| self.derive_size(*size, place, params));
            match solved {
                Some((hidden, value)) => {
                    sizes.retain(|other| other != size);
                    sizes.push(hidden);
                    derived.push((*size, value));
                }
                None => {
                    sizes.retain(|other| other != size);
                    let types: Vec<Ty> =
                        params.iter().map(|param| self.unifier.known(&param.ty)).collect();
                    if types.iter().any(|ty| mentions(ty, *size)) {
                        phantoms.push(*size);
                    } else {
                        self.unifier.reports.report_unmeasured(name.node.as_str(), name.span);
                    }
                }
            }
        }
        for size in phantoms {
            self.bindings.make_phantom(size);
        }
        for param in params {
            if let Some(sized) = param.sized.take() {
                param.sized = super::binding::sized(self.bindings.measurable(sized.dims));
            }
        }
        derived
    }

    /// Measures a hidden size at the given place and replaces `size` by its value everywhere.
    fn derive_size(
        &mut self,
        size: LocalId,
        place: usize,
        params: &mut [TParam],
    ) -> Option<(LocalId, TExpr)> {
        let dim = dims(params).nth(place)?.clone();
        let poly = self.poly_of(&dim.size)?;
        let (factor, rest) = linear(&poly, size)?;
        let span = dim.size.span;
        let shown = crate::show::Show::new(&self.typed, &[]).poly(&poly);
        let hidden = self.local(&shown.into(), Span::NONE, Ty::Int);
        self.bindings.make_rigid(hidden);
        let measured = TExpr { kind: TExprKind::Local(hidden, vec![]), ty: Ty::Int, span };
        let mut value = measured.clone();
        if rest.as_constant() != Some(0) {
            self.unifier.at = span;
            value = int_call(Builtin::Sub, value, self.expr_of_poly(&rest)?, span);
        }
        if factor != 1 {
            let divisor =
                TExpr { kind: TExprKind::IntLit(u64::try_from(factor).ok()?), ty: Ty::Int, span };
            value = int_call(Builtin::Div, value, divisor, span);
        }
        let mut left = Some(place);
        for sized in params.iter_mut().filter_map(|param| param.sized.as_mut()) {
            for dim in &mut sized.dims {
                replace(&mut dim.size, size, &value);
            }
            if let Some(at) = left.filter(|at| *at < sized.dims.len()) {
                // The compound itself stays as a check: the division may not come out even.
                sized.dims.insert(at, SizedDim { size: measured.clone(), ..dim.clone() });
                left = None;
            }
            left = left.map(|at| at - sized.dims.len());
        }
        Some((hidden, value))
    }
}

fn dims(params: &[TParam]) -> impl Iterator<Item = &SizedDim> {
    params.iter().filter_map(|param| param.sized.as_ref()).flat_map(|sized| &sized.dims)
}

/// Whether a size of the type mentions the declared size.
fn mentions(ty: &Ty, size: LocalId) -> bool {
    let mut found = false;
    super::scheme::each_size(ty, &mut |dim| {
        if let crate::ty::Size::Poly(poly) = dim {
            found |= poly.atoms().any(|atom| *atom == Atom::Rigid(size));
        }
    });
    found
}

fn is_local(expr: &TExpr, local: LocalId) -> bool {
    matches!(&expr.kind, TExprKind::Local(found, _) if *found == local)
}

/// `factor` and `rest` with `poly = factor * size + rest`, the factor a positive number.
fn linear(poly: &Poly, size: LocalId) -> Option<(i64, Poly)> {
    let atom = Atom::Rigid(size);
    let mut factor = None;
    let mut rest = Vec::new();
    for (monomial, value) in &poly.terms {
        match monomial.as_slice() {
            [only] if *only == atom => factor = Some(*value),
            others if others.contains(&atom) => return None,
            _ => rest.push((monomial.clone(), *value)),
        }
    }
    factor.filter(|factor| *factor > 0).map(|factor| (factor, Poly { terms: rest }))
}

/// Whether every variable of a size expression is seen by [`replace`].
fn is_plain(expr: &TExpr) -> bool {
    if let TExprKind::App(head, args) = &expr.kind {
        return is_plain(head) && args.iter().all(is_plain);
    }
    matches!(
        expr.kind,
        TExprKind::Local(..) | TExprKind::Global(..) | TExprKind::Builtin(_) | TExprKind::IntLit(_)
    )
}

fn replace(expr: &mut TExpr, size: LocalId, value: &TExpr) {
    if is_local(expr, size) {
        *expr = value.clone();
    } else if let TExprKind::App(_, args) = &mut expr.kind {
        args.iter_mut().for_each(|arg| replace(arg, size, value));
    }
}

fn int_call(builtin: Builtin, a: TExpr, b: TExpr, span: Span) -> TExpr {
    let one = Ty::Fun(Ty::Int.into(), Ty::Int.into());
    let head =
        TExpr { kind: TExprKind::Builtin(builtin), ty: Ty::Fun(Ty::Int.into(), one.into()), span };
    TExpr { kind: TExprKind::App(Box::new(head), vec![a, b]), ty: Ty::Int, span }
}
