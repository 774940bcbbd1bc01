//! Whether arrays are regular: all rows of an array of arrays have the same sizes.
//!
//! Types of the calculus have no sizes, so this asks what terms tell. Elaboration knows more: where inference has
//! proved that rows agree it writes nothing, and where it has not it binds the array and checks its rows
//! ([`Prim::CheckSize`]). So a maker of an array of arrays is wrong if its terms tell that the sizes of its rows
//! differ, and no check of them follows: the rows of a literal, or those of a `build` whose size grows or shrinks
//! with its index.

use std::collections::{BTreeMap, BTreeSet};

use pullback_prim::Prim;

use crate::{Expr, ExprKind, Lit, VarId};

/// Sentences about the makers of irregular arrays in the body of a definition.
pub(super) fn irregular(body: &Expr) -> Vec<String> {
    let mut arrays = Arrays::default();
    body.visit(&mut |term| arrays.learn(term));
    arrays.visit(body, None);
    arrays.irregular
}

/// What is known of the arrays of a definition. Binders are unique, so variables need no scope.
#[derive(Default)]
struct Arrays<'e> {
    lets: BTreeMap<VarId, &'e Expr>,
    /// The depths at which the rows of an array that is bound to a variable are checked.
    checked: BTreeSet<(VarId, usize)>,
    irregular: Vec<String>,
}

/// The size of an array at a depth.
enum Size<'e> {
    Number(i64),
    /// The value of this term.
    Term(&'e Expr),
}

impl<'e> Arrays<'e> {
    fn learn(&mut self, term: &'e Expr) {
        if let ExprKind::Let(var, value, _) = &term.kind {
            self.lets.insert(*var, value);
        }
        if let ExprKind::Prim(Prim::CheckSize, args) = &term.kind
            && let [array, depth, ..] = args.as_slice()
            && let Some(depth) = literal(depth).and_then(|depth| usize::try_from(depth).ok())
        {
            let (mut root, mut indices) = (array, 0);
            while let ExprKind::Prim(Prim::Index, args) = &root.kind {
                (root, indices) = (&args[0], indices + 1);
            }
            if let ExprKind::Var(var) = root.kind {
                self.checked.insert((var, depth + indices));
            }
        }
    }

    /// Looks at every maker in a term whose value is bound to a variable, if it is.
    fn visit(&mut self, term: &'e Expr, bound: Option<VarId>) {
        let mut inner = term;
        while let ExprKind::Let(var, value, body) = &inner.kind {
            self.visit(value, Some(*var));
            inner = body;
        }
        if let ExprKind::Prim(Prim::Sized, args) = &inner.kind {
            args.iter().for_each(|arg| self.visit(arg, bound));
            return;
        }
        if let ExprKind::Array(_) | ExprKind::Build { .. } = &inner.kind {
            self.check(inner, bound);
        }
        inner.for_each_child(&mut |child| self.visit(child, None));
    }

    fn check(&mut self, maker: &Expr, bound: Option<VarId>) {
        for depth in 1..maker.ty.nesting() {
            let is_checked = bound.is_some_and(|var| self.checked.contains(&(var, depth)));
            if !is_checked && let Some(how) = self.differing(maker, depth) {
                let what =
                    if matches!(maker.kind, ExprKind::Array(_)) { "literal" } else { "build" };
                let text = format!("the rows of a {what} differ in size at depth {depth}: {how}");
                self.irregular.push(text);
            }
        }
    }

    /// How the rows of a maker differ at a depth, if its terms tell that they do.
    fn differing(&self, maker: &Expr, depth: usize) -> Option<String> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the makers of arrays")]
        match &maker.kind {
            ExprKind::Array(rows) => {
                let sizes = rows.iter().filter_map(|row| match self.size(row, depth - 1)? {
                    Size::Number(size) => Some(size),
                    Size::Term(_) => None,
                });
                let sizes: BTreeSet<i64> = sizes.collect();
                let different = (sizes.first()?, sizes.last()?);
                (different.0 != different.1).then(|| format!("{} and {}", different.0, different.1))
            }
            ExprKind::Build { var, body, .. } => {
                let Size::Term(size) = self.size(body, depth - 1)? else { return None };
                let slope = self.slope(size, *var)?;
                (slope != 0).then(|| format!("by {slope} from one to the next"))
            }
            _ => None,
        }
    }

    /// The size of an array at a depth, if its term tells it.
    fn size<'t>(&'t self, array: &'t Expr, depth: usize) -> Option<Size<'t>> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the terms that tell sizes")]
        match &array.kind {
            ExprKind::Var(var) => self.size(self.lets.get(var)?, depth),
            ExprKind::Let(_, _, body) => self.size(body, depth),
            ExprKind::Prim(Prim::Sized | Prim::Update, args) => self.size(&args[0], depth),
            ExprKind::Array(items) if depth == 0 => {
                Some(Size::Number(i64::try_from(items.len()).ok()?))
            }
            ExprKind::Array(items) => self.size(items.first()?, depth - 1),
            ExprKind::Build { size, .. } if depth == 0 => {
                Some(literal(size).map_or(Size::Term(size), Size::Number))
            }
            ExprKind::Build { body, .. } => self.size(body, depth - 1),
            _ => None,
        }
    }

    /// By how much an Int grows when the index of a `build` grows by one, if its term tells that.
    fn slope(&self, term: &Expr, index: VarId) -> Option<i64> {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the terms that are linear in the index"
        )]
        match &term.kind {
            ExprKind::Lit(_) => Some(0),
            ExprKind::Var(var) if *var == index => Some(1),
            ExprKind::Var(var) => {
                self.lets.get(var).map_or(Some(0), |value| self.slope(value, index))
            }
            ExprKind::Prim(Prim::IntNeg, args) => self.slope(&args[0], index)?.checked_neg(),
            ExprKind::Prim(Prim::IntAdd, args) => {
                self.slope(&args[0], index)?.checked_add(self.slope(&args[1], index)?)
            }
            ExprKind::Prim(Prim::IntSub, args) => {
                self.slope(&args[0], index)?.checked_sub(self.slope(&args[1], index)?)
            }
            ExprKind::Prim(Prim::IntMul, args) => {
                let factor = literal(&args[0]).or_else(|| literal(&args[1]))?;
                let other = if literal(&args[0]).is_some() { &args[1] } else { &args[0] };
                self.slope(other, index)?.checked_mul(factor)
            }
            _ => None,
        }
    }
}

fn literal(term: &Expr) -> Option<i64> {
    if let ExprKind::Lit(Lit::Int(n)) = term.kind { Some(n) } else { None }
}
