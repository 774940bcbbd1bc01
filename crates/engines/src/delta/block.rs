//! Code under construction: a sequence of bindings, in the order in which they run, and the variable that
//! holds the state of the monad after them.

use pullback_base::Span;
use pullback_lambda::{Bound, Expr, ExprKind, Lit, Program, Scope, VarId};

/// What a term was translated to. Both forms may be repeated: they bind no variables.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// A term of the translated type: variables, components of them, structures of such.
    Whole(Expr),
    /// A Real: its primal and its delta, not paired yet.
    Dual(Expr, Expr),
}

/// Bindings, the first outermost.
pub(super) struct Block {
    scope: Scope,
    /// The state after the bindings; none in a translation without state.
    pub(super) state: Option<VarId>,
}

impl Block {
    /// No bindings yet.
    pub(super) fn new(state: Option<VarId>) -> Self {
        Self { scope: Scope::default(), state }
    }
    /// One more binding.
    pub(super) fn push(&mut self, var: VarId, value: Expr) {
        self.scope.push(var, value);
    }
    /// A name for a value, unless it is an atom.
    pub(super) fn bind(&mut self, program: &mut Program, name: &str, value: Expr) -> Expr {
        self.scope.bind(program, name, value)
    }
    /// Recursive functions.
    pub(super) fn push_rec(&mut self, functions: Vec<(VarId, Expr)>) {
        self.scope.push_rec(functions);
    }
    /// Takes back the last computation if the block's value is its result: `x <- m; pure x` is `m`.
    pub(super) fn take_last(&mut self, value: &Expr) -> Option<Expr> {
        let ExprKind::Var(result) = value.kind else { return None };
        let [.., Bound::Let(pair, _), Bound::Let(first, a), Bound::Let(second, b)] =
            self.scope.bounds.as_slice()
        else {
            return None;
        };
        let part = |expr: &Expr, wanted: usize| {
            matches!(&expr.kind, ExprKind::Proj(base, index) if *index == wanted
                && matches!(base.kind, ExprKind::Var(var) if var == *pair))
        };
        if *first != result || Some(*second) != self.state || !part(a, 0) || !part(b, 1) {
            return None;
        }
        self.scope.bounds.truncate(self.scope.bounds.len() - 2);
        if let Some(Bound::Let(_, computation)) = self.scope.bounds.pop() {
            Some(computation)
        } else {
            None
        }
    }
    /// Whether the block and its value have nothing to do with the state that it began with: they neither
    /// change it nor hand it to a computation.
    pub(super) fn leaves(&self, begun: Option<VarId>, value: &Expr) -> bool {
        let Some(begun) = begun else { return true };
        let mentions = |expr: &Expr| {
            let mut found = false;
            expr.visit(&mut |node| {
                found |= matches!(node.kind, ExprKind::Var(var) if var == begun)
            });
            found
        };
        self.state == Some(begun)
            && !mentions(value)
            && !self.scope.bounds.iter().any(|bound| match bound {
                Bound::Let(_, value) => mentions(value),
                Bound::Rec(functions) => functions.iter().any(|(_, value)| mentions(value)),
            })
    }
    /// The bindings of another block that goes on where this one ends.
    pub(super) fn extend(&mut self, other: Self) {
        self.scope.bounds.extend(other.scope.bounds);
        self.state = other.state;
    }
    /// The bindings around a body; `let x = e in x` is `e`.
    pub(super) fn close(mut self, mut body: Expr) -> Expr {
        while let (Some(Bound::Let(var, _)), ExprKind::Var(result)) =
            (self.scope.bounds.last(), &body.kind)
            && var == result
            && let Some(Bound::Let(_, value)) = self.scope.bounds.pop()
        {
            body = value;
        }
        self.scope.around(body)
    }
}

/// The delta of a constant.
pub(super) fn is_zero(delta: &Expr) -> bool {
    if let ExprKind::Lit(Lit::Real(x)) = delta.kind {
        // The tangent of a constant: no other tangent is written as a literal.
        return x.to_bits() == 0;
    }
    matches!(&delta.kind, ExprKind::Con(0, fields) if fields.is_empty())
}

/// `()` where there is nothing to say of places.
pub(super) const NONE: Span = Span::NONE;
