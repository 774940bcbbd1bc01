//! Functions and the sizes their declarations speak of.
//!
//! Law: on entry each size name is bound to a place that measures it, and every other place, and every
//! compound size, is checked. A name that nothing mentions and one place measures needs no code. Rows
//! that are absent agree with every size.

use pullback_base::Span;
use pullback_lambda::{Expr, VarId};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use crate::tir::{
    LocalId, SizeSource, SizedDim, SizedTy, Step, TExpr, TExprKind, TLam, TPat, TPatKind,
};
use crate::walk::for_each_child;

/// A place that measures a size.
struct Place<'t> {
    param: usize,
    dim: &'t SizedDim,
}

impl<'t> Elab<'t> {
    /// A function.
    pub(super) fn lam(&mut self, lam: &'t TLam, span: Span) -> Expr {
        let mut vars = Vec::new();
        for param in &lam.params {
            let ty = self.lower(&param.ty);
            vars.push(self.pattern_var(&param.pattern, ty, "arg"));
        }
        for &size in &lam.sizes {
            self.bind_local(size, pullback_lambda::Type::int());
        }
        let body = self.open_params(lam, &vars, 0);
        let function = self.program.lam(vars, body);
        Expr { span, ..function }
    }

    /// The body, with the parameters from `next` on taken apart.
    fn open_params(&mut self, lam: &'t TLam, vars: &[VarId], next: usize) -> Expr {
        let Some(param) = lam.params.get(next) else {
            let body = self.expr(&lam.body);
            return self.entry_sizes(lam, vars, body);
        };
        self.open_var(&param.pattern, vars[next], |this| this.open_params(lam, vars, next + 1))
    }

    /// `body` after the sizes are bound and checked.
    fn entry_sizes(&mut self, lam: &'t TLam, vars: &[VarId], body: Expr) -> Expr {
        let mut checks = Vec::new();
        let mut measures: Vec<Vec<Place<'t>>> = lam.sizes.iter().map(|_| vec![]).collect();
        for (param, sized) in
            lam.params.iter().enumerate().filter_map(|(i, p)| Some((i, p.sized.as_ref()?)))
        {
            for dim in &sized.dims {
                let name = sole_local(&dim.size);
                match name.and_then(|name| lam.sizes.iter().position(|size| *size == name)) {
                    Some(size) => measures[size].push(Place { param, dim }),
                    None => checks.push((Place { param, dim }, None)),
                }
            }
        }
        let mut bindings = Vec::new();
        for (size, mut places) in measures.into_iter().enumerate() {
            let var = self.env[&lam.sizes[size]];
            // A place that can always be measured comes first, so that one is enough.
            if let Some(sure) = places.iter().position(|place| place.dim.depth == 0) {
                let sure = places.remove(sure);
                places.insert(0, sure);
            }
            let sure = places.first().is_some_and(|place| place.dim.depth == 0);
            let binding = self.first_measure(lam, vars, if sure { &places[..1] } else { &places });
            bindings.push((var, binding));
            // Rows of size 0 are not told from absent ones by their measure.
            let measured = usize::from(sure || places.len() == 1);
            checks.extend(places.into_iter().skip(measured).map(|place| (place, Some(var))));
        }
        checks.sort_by_key(|(place, _)| place.param);
        let mut terms = Vec::new();
        for (place, expected) in checks {
            let pattern = &lam.params[place.param].pattern;
            let array =
                Self::array_at(self.var(vars[place.param], pattern.span), place.dim, pattern.span);
            let expected = match expected {
                Some(var) => self.var(var, pattern.span),
                None => self.expr(&place.dim.size),
            };
            let name = pattern_name(pattern).map(|local| &self.typed.locals[local].name);
            let whole = match name {
                Some(name) => format!("parameter `{name}{}`", path_text(place.dim)),
                None => "this parameter".to_owned(),
            };
            let what = self.described(&whole, place.dim, &SizeSource::Declared);
            let depth = place.dim.depth;
            terms.push(build::check_size(array, depth, expected, &what, pattern.span));
        }
        let body = terms.into_iter().rev().fold(body, |body, check| self.after(check, body));
        let bindings: Vec<_> =
            bindings.into_iter().filter(|(var, _)| self.used.contains(var)).collect();
        Expr::lets(bindings, body)
    }

    /// The first of these places whose size is not 0: where one is 0 because its rows are absent, another
    /// may have rows.
    fn first_measure(&mut self, lam: &TLam, vars: &[VarId], places: &[Place<'_>]) -> Expr {
        let Some((first, rest)) = places.split_first() else { return Expr::int(0, Span::NONE) };
        let span = lam.params[first.param].pattern.span;
        let array = Self::array_at(self.var(vars[first.param], span), first.dim, span);
        let measured = Expr::dim(array, first.dim.depth, span);
        if first.dim.depth == 0 || rest.is_empty() {
            return measured;
        }
        let otherwise = self.first_measure(lam, vars, rest);
        self.bind(measured, "size", |_, measured| {
            let known = Expr::prim(Prim::IntGt, [measured.clone(), Expr::int(0, span)], span);
            Expr::if_(known, measured, otherwise, span)
        })
    }

    /// The array at a place of a value.
    fn array_at(value: Expr, dim: &SizedDim, span: Span) -> Expr {
        let mut array = value;
        for step in &dim.path {
            let part = match step {
                Step::Tuple(index) => *index,
                Step::Field(name) => Self::field_index(&array.ty, name),
            };
            array = Expr::proj(array, part, span);
        }
        array
    }

    /// "the size of parameter `ys` and `n`", for the message of a failed check.
    fn described(&self, whole: &str, dim: &SizedDim, source: &SizeSource) -> String {
        let kind =
            if dim.depth == 0 { "the size".into() } else { format!("dimension {}", dim.depth + 1) };
        match (source, sole_local(&dim.size)) {
            (SizeSource::FirstState, _) => format!(
                "{kind} of the next state and that of the first (a state declared with `[]`, as in `loop xs: []Real = …`, may change its size)"
            ),
            (SizeSource::Arguments(function), _) => format!(
                "{kind} of what this function gives and that of the other arguments of `{function}` (an argument written `([1.0, 2.0] : []Real)` leaves its size open)"
            ),
            (SizeSource::Argument(function, index), local) => {
                let wanted = match local {
                    Some(local) => format!("`{}`", self.typed.locals[local].name),
                    None => "the size that it must have there".to_owned(),
                };
                format!("{kind} of {whole} as argument {} of `{function}` and {wanted}", index + 1)
            }
            (SizeSource::Beside(other), _) => format!("{kind} of {whole} and {other}"),
            (SizeSource::Declared, Some(local)) => {
                format!("{kind} of {whole} and `{}`", self.typed.locals[local].name)
            }
            (SizeSource::Declared, None) => format!("{kind} of {whole} and its declared size"),
        }
    }

    /// `value`, after its sizes are checked.
    pub(super) fn check_sizes(&mut self, value: &'t TExpr, sized: &'t SizedTy) -> Expr {
        let span = value.span;
        let name = sole_local(value).map(|local| &self.typed.locals[local].name);
        let value = self.expr(value);
        self.bind(value, "value", |this, value| {
            let mut checks = Vec::new();
            for dim in &sized.dims {
                // A size in terms of another definition's parameters is checked on entry to that.
                if !this.is_known(&dim.size) {
                    continue;
                }
                let array = Self::array_at(value.clone(), dim, span);
                let expected = this.expr(&dim.size);
                let whole = match name {
                    Some(name) => format!("`{name}{}`", path_text(dim)),
                    None => "this value".to_owned(),
                };
                let what = this.described(&whole, dim, &sized.source);
                checks.push(build::check_size(array, dim.depth, expected, &what, span));
            }
            let value = this.as_declared(value, sized);
            checks.into_iter().rev().fold(value, |body, check| this.after(check, body))
        })
    }
}

impl Elab<'_> {
    /// Whether all variables of a size expression are in scope.
    pub(super) fn is_known(&self, size: &TExpr) -> bool {
        if let Some(local) = sole_local(size) {
            return self.env.contains_key(&local) || self.group_of.contains_key(&local);
        }
        let mut known = true;
        for_each_child(size, &mut |child| known &= self.is_known(child));
        known
    }
}

/// The variable an expression is, if it is one.
fn sole_local(expr: &TExpr) -> Option<LocalId> {
    if let TExprKind::Local(local, _) = &expr.kind { Some(*local) } else { None }
}

/// The name of the whole a pattern takes apart.
fn pattern_name(pattern: &TPat) -> Option<LocalId> {
    match pattern.kind {
        TPatKind::Var(local) | TPatKind::As(local, _) => Some(local),
        TPatKind::Wild
        | TPatKind::Int(_)
        | TPatKind::Real(_)
        | TPatKind::Bool(_)
        | TPatKind::Str(_)
        | TPatKind::Tuple(_)
        | TPatKind::Record(_)
        | TPatKind::Con(..)
        | TPatKind::Error => None,
    }
}

/// The way to the array as it is written after a name: `.w.0`.
fn path_text(dim: &SizedDim) -> String {
    let steps = dim.path.iter().map(|step| match step {
        Step::Tuple(index) => format!(".{index}"),
        Step::Field(field) => format!(".{field}"),
    });
    steps.collect()
}
