//! Code under construction: a sequence of bindings, in the order in which they run, and the variable that
//! holds the state of the monad after them.

use pullback_base::Span;
use pullback_lambda::{Expr, ExprKind, Lit, VarId};

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
    steps: Vec<Step>,
    /// The state after the bindings; none in a translation without state.
    pub(super) state: Option<VarId>,
}

enum Step {
    Let(VarId, Expr),
    Rec(Vec<(VarId, Expr)>),
}

impl Block {
    /// No bindings yet.
    pub(super) fn new(state: Option<VarId>) -> Self {
        Self { steps: vec![], state }
    }
    /// One more binding.
    pub(super) fn push(&mut self, var: VarId, value: Expr) {
        self.steps.push(Step::Let(var, value));
    }
    /// Recursive functions.
    pub(super) fn push_rec(&mut self, functions: Vec<(VarId, Expr)>) {
        self.steps.push(Step::Rec(functions));
    }
    /// Takes back the last computation if the block's value is its result: `x <- m; pure x` is `m`.
    pub(super) fn take_last(&mut self, value: &Expr) -> Option<Expr> {
        let ExprKind::Var(result) = value.kind else { return None };
        let [.., Step::Let(pair, _), Step::Let(first, a), Step::Let(second, b)] =
            self.steps.as_slice()
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
        self.steps.truncate(self.steps.len() - 2);
        if let Some(Step::Let(_, computation)) = self.steps.pop() {
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
            && !self.steps.iter().any(|step| match step {
                Step::Let(_, value) => mentions(value),
                Step::Rec(functions) => functions.iter().any(|(_, value)| mentions(value)),
            })
    }
    /// The bindings of another block that goes on where this one ends.
    pub(super) fn extend(&mut self, other: Self) {
        self.steps.extend(other.steps);
        self.state = other.state;
    }
    /// The bindings around a body.
    pub(super) fn close(self, body: Expr) -> Expr {
        self.steps.into_iter().rev().fold(body, |body, step| match step {
            Step::Let(var, value) => {
                // `let x = e in x` is `e`.
                if matches!(&body.kind, ExprKind::Var(found) if *found == var) {
                    value
                } else {
                    Expr::let_(var, value, body)
                }
            }
            Step::Rec(functions) => Expr::let_rec(functions, body),
        })
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
