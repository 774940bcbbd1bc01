//! The smallest expressions of a type, and what can be taken out of the variables in scope.

use pullback_base::{Name, Span};
use pullback_lambda::{Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::data::ROW_SIZE;
use super::{Generator, Mode};

impl Generator<'_> {
    /// A small expression: mostly something out of a variable.
    pub(super) fn leaf(&mut self, ty: &Type) -> Expr {
        let found = self.reachable(ty);
        // A literal now and then, unless it would not be a leaf.
        let scalar = matches!(ty.kind(), TypeKind::Real | TypeKind::Int | TypeKind::Bool);
        if found.is_empty() || (scalar && self.entropy.below(4) == 3) {
            return self.smallest(ty);
        }
        // The latest binding first: it is the least likely to be used otherwise.
        let choice = self.entropy.below(found.len().min(256));
        found[found.len() - 1 - choice].clone()
    }

    /// Every variable and nested component of one that has this type.
    fn reachable(&self, ty: &Type) -> Vec<Expr> {
        let mut found = Vec::new();
        for var in &self.scope {
            self.components(self.program.var(*var, Span::NONE), ty, 2, &mut found);
        }
        found
    }

    fn components(&self, expr: Expr, ty: &Type, depth: usize, found: &mut Vec<Expr>) {
        if depth > 0 {
            let count = expr.ty.components().map_or(0, |items| items.len());
            for index in 0..count {
                let component = Expr::proj(expr.clone(), index, Span::NONE);
                self.components(component, ty, depth - 1, found);
            }
            if expr.ty.element() == Some(ty) {
                // The first element is there, because no array is empty.
                let zero = Expr::int(0, Span::NONE);
                found.push(Expr::prim(Prim::Index, vec![expr.clone(), zero], Span::NONE));
            }
        }
        if expr.ty == *ty {
            found.push(expr);
        }
    }

    /// An expression without variables, as small as possible.
    fn smallest(&mut self, ty: &Type) -> Expr {
        let all = |this: &mut Self, items: Vec<&Type>| {
            items.into_iter().map(|item| this.leaf(item)).collect::<Vec<_>>()
        };
        match ty.kind() {
            TypeKind::Real => Expr::real(self.real_literal(), Span::NONE),
            TypeKind::Int => {
                let value = self.entropy.below(6) as i64;
                Expr::int(if value == 5 { -1 } else { value }, Span::NONE)
            }
            TypeKind::Bool => Expr::bool(self.entropy.below(2) == 1, Span::NONE),
            TypeKind::Str if self.config.texts_and_rules => self.text_literal(),
            TypeKind::Str => Expr::str("text", Span::NONE),
            TypeKind::Tuple(items) => {
                let items = all(self, items.iter().collect());
                Expr::record(items, ty.clone(), Span::NONE)
            }
            TypeKind::Record(fields) => {
                let items = all(self, fields.iter().map(|(_, item)| item).collect());
                Expr::record(items, ty.clone(), Span::NONE)
            }
            TypeKind::Data(data) => {
                // The first constructor never contains its own type.
                let fields = self.program.datas[*data].constructors[0].fields.clone();
                let fields = all(self, fields.iter().collect());
                Expr::con(*data, 0, fields, Span::NONE)
            }
            TypeKind::Array(element) => {
                let item = self.row_leaf(element);
                Expr::array(vec![item], element.clone(), Span::NONE)
            }
            TypeKind::Fun(from, to) => {
                let param = self.program.fresh(Name::new("p"), from.clone());
                let body = self.under(&[param], |this| this.leaf(to));
                self.program.lam(vec![param], body)
            }
        }
    }

    /// The least element of an array: a row has the size that all rows have.
    fn row_leaf(&mut self, ty: &Type) -> Expr {
        let TypeKind::Array(inner) = ty.kind() else { return self.leaf(ty) };
        let items = (0..ROW_SIZE).map(|_| self.row_leaf(inner)).collect();
        Expr::array(items, inner.clone(), Span::NONE)
    }

    /// A literal that fits the mode.
    pub(super) fn real_literal(&mut self) -> f64 {
        match (self.config.mode, self.entropy.below(8)) {
            (Mode::Exact, _) => self.entropy.dyadic(),
            (Mode::Smooth, 0 | 1) | (Mode::Free, 0..4) => self.entropy.dyadic(),
            (Mode::Free, 7) => {
                let edges =
                    [-0.0, 1.0, -1.0, f64::INFINITY, f64::NAN, 1e300, 1e-300, f64::MIN_POSITIVE];
                edges[self.entropy.below(edges.len())]
            }
            (Mode::Smooth | Mode::Free, _) => self.entropy.uneven(),
        }
    }
}
