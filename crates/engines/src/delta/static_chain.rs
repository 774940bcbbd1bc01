//! The bindings of a fused body while it is translated: what figure 15 consumes at compile time.
//!
//! `D{e}` builds deltas and `eval` takes them apart. Here both are known when the program is translated. A chain holds one
//! node for each Real that depends on an input: the Reals it is made of, each with its partial derivative as a term. `sweep`
//! is `eval` on this chain. It gives terms for the partial derivatives by the inputs, and no `Delta` is built.
//!
//! ```text
//! y = sin x             node 1: cos x · node 0
//! r = x * y             node 2: y · node 0 + x · node 1
//! sweep from node 2     by x: y + x * cos x
//! ```
//!
//! Law: a partial derivative that is structurally zero contributes nothing, as `Zero` does. Where that hangs on a condition,
//! the term comes with the condition (`when`), and nothing is multiplied where it does not hold.

use pullback_base::Span;
use pullback_lambda::{Expr, ExprKind, Slope};
use pullback_prim::Prim;

use super::block::{Block, NONE};
use super::translation::Translation;

/// A partial derivative of a node, which is not structurally zero.
#[derive(Clone, Debug)]
pub(super) enum Factor {
    One,
    MinusOne,
    /// A Real, which is an atom.
    By(Expr),
}

/// What a node has of an older one.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) factor: Factor,
    /// When there is anything at all; always if this is none.
    pub(super) when: Option<Expr>,
    /// How many conditions choose the partial derivative.
    pub(super) chosen_by: i64,
    pub(super) node: usize,
}

/// A Real that depends on inputs.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// An input, with its delta and the part of the argument that it belongs to.
    Input { delta: Expr, slot: usize },
    /// A node of the chain around a branch.
    Outer,
    /// The result of an operation, for which `D{e}` binds a delta.
    Row(Vec<Part>),
    /// A result of branches, for which `D{e}` binds nothing: the partial derivatives of the branch that was taken.
    Join(Vec<Part>),
}

/// The branches at one place: the chain of each, and the nodes that its results are. A result that is constant in a branch
/// has none there. `joined` are the nodes that the results are in the chain around them.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    pub(super) each: Vec<(Chain, Vec<Option<usize>>)>,
    pub(super) joined: Vec<Option<usize>>,
}

/// The nodes of a body, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub(super) nodes: Vec<Node>,
    pub(super) branches: Vec<Branches>,
}

impl Chain {
    /// The chain of a branch inside of this one.
    pub(super) fn branch(&self) -> Self {
        Self { nodes: vec![Node::Outer; self.nodes.len()], branches: vec![] }
    }
    pub(super) fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }
    /// The node of an operation; one that hands on another is that one.
    pub(super) fn row(&mut self, parts: Vec<Part>) -> Option<usize> {
        match &parts[..] {
            [] => None,
            [Part { factor: Factor::One, when: None, node, .. }] => Some(*node),
            _ => Some(self.push(Node::Row(parts))),
        }
    }
}

/// What a sweep has for a node.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) value: Factor,
    pub(super) when: Option<Expr>,
}

impl Translation<'_> {
    /// A partial derivative as a part, with names for what it is made of; none if it is structurally zero.
    pub(super) fn part(
        &mut self,
        slope: &Slope,
        node: usize,
        span: Span,
        block: &mut Block,
    ) -> Option<Part> {
        let (factor, when) = match slope {
            Slope::Zero => return None,
            Slope::One => (Factor::One, None),
            Slope::MinusOne => (Factor::MinusOne, None),
            Slope::By(partial) if matches!(partial.kind, ExprKind::Proj(..)) => {
                (Factor::By(partial.clone()), None)
            }
            Slope::By(partial) => (Factor::By(self.bind(block, "p", partial.clone())), None),
            Slope::If(cond, then, other) => {
                let named = self.with_named_conditions(cond, then, other, block);
                let when = is_there(&named).map(|when| self.bind(block, "has", when));
                (Factor::By(self.bind(block, "p", named.number(span))), when)
            }
        };
        Some(Part { factor, when, chosen_by: conditions(slope), node })
    }

    fn with_named_conditions(
        &mut self,
        cond: &Expr,
        then: &Slope,
        other: &Slope,
        block: &mut Block,
    ) -> Slope {
        let cond = self.bind(block, "c", cond.clone());
        let mut branch = |slope: &Slope| match slope {
            Slope::If(cond, then, other) => self.with_named_conditions(cond, then, other, block),
            Slope::Zero | Slope::One | Slope::MinusOne | Slope::By(_) => slope.clone(),
        };
        let (then, other) = (branch(then), branch(other));
        Slope::If(cond, Box::new(then), Box::new(other))
    }

    /// The partial derivatives of a node by all nodes that it is made of, the inputs among them.
    pub(super) fn sweep(
        &mut self,
        chain: &Chain,
        from: usize,
        block: &mut Block,
    ) -> Vec<Option<Slot>> {
        let mut slots: Vec<Option<Slot>> = vec![None; chain.nodes.len()];
        slots[from] = Some(Slot { value: Factor::One, when: None });
        for (at, node) in chain.nodes.iter().enumerate().rev() {
            let (Node::Row(parts) | Node::Join(parts)) = node else { continue };
            let Some(slot) = slots[at].take() else { continue };
            for part in parts {
                let more = self.product(&slot, part, block);
                slots[part.node] = Some(match slots[part.node].take() {
                    Some(before) => self.total(before, more, block),
                    None => more,
                });
            }
        }
        slots
    }

    fn product(&mut self, slot: &Slot, part: &Part, block: &mut Block) -> Slot {
        let when = match (&slot.when, &part.when) {
            (None, when) | (when, None) => when.clone(),
            (Some(first), Some(second)) => {
                let both = Expr::if_(first.clone(), second.clone(), Expr::bool(false, NONE), NONE);
                Some(self.bind(block, "has", both))
            }
        };
        let product = match (&slot.value, &part.factor) {
            (Factor::One, factor) | (factor, Factor::One) => {
                return Slot { value: factor.clone(), when };
            }
            (Factor::MinusOne, Factor::MinusOne) => return Slot { value: Factor::One, when },
            (Factor::By(x), Factor::MinusOne) | (Factor::MinusOne, Factor::By(x)) => {
                Expr::prim(Prim::Neg, vec![x.clone()], NONE)
            }
            (Factor::By(x), Factor::By(p)) => {
                Expr::prim(Prim::Mul, vec![p.clone(), x.clone()], NONE)
            }
        };
        let product = match &when {
            Some(when) => Expr::if_(when.clone(), product, Expr::real(0.0, NONE), NONE),
            None => product,
        };
        Slot { value: Factor::By(self.bind(block, "p", product)), when }
    }

    fn total(&mut self, before: Slot, more: Slot, block: &mut Block) -> Slot {
        let (x, y) = (before.value.number(), more.value.number());
        let sum = Expr::prim(Prim::Add, vec![x.clone(), y.clone()], NONE);
        let truth = || Expr::bool(true, NONE);
        let (value, when) = match (before.when, more.when) {
            (None, None) => (sum, None),
            (None, Some(there)) => (Expr::if_(there, sum, x, NONE), None),
            (Some(there), None) => (Expr::if_(there, sum, y, NONE), None),
            (Some(first), Some(second)) => {
                let either = Expr::if_(first.clone(), truth(), second.clone(), NONE);
                let either = self.bind(block, "has", either);
                let with_first = Expr::if_(second, sum, x, NONE);
                (Expr::if_(first, with_first, y, NONE), Some(either))
            }
        };
        Slot { value: Factor::By(self.bind(block, "p", value)), when }
    }

    /// A result of a fused body: what it has of the inputs, as one row.
    pub(super) fn bind_result(
        &mut self,
        chain: &Chain,
        node: Option<usize>,
        block: &mut Block,
    ) -> Expr {
        let Some(node) = node else { return self.zero() };
        let (mut slopes, mut deltas) = (vec![], vec![]);
        let slots = self.sweep(chain, node, block);
        for (slot, node) in slots.into_iter().zip(&chain.nodes) {
            let (Some(Slot { value, when }), Node::Input { delta, .. }) = (slot, node) else {
                continue;
            };
            let slope = match value {
                Factor::One => Slope::One,
                Factor::MinusOne => Slope::MinusOne,
                Factor::By(p) => Slope::By(p),
            };
            slopes.push(match when {
                Some(when) => Slope::If(when, Box::new(slope), Box::new(Slope::Zero)),
                None => slope,
            });
            deltas.push(Some(delta.clone()));
        }
        self.bind_row(&slopes, &deltas, NONE, block)
    }
}

impl Factor {
    /// As a number.
    pub(super) fn number(&self) -> Expr {
        match self {
            Factor::One => Expr::real(1.0, NONE),
            Factor::MinusOne => Expr::real(-1.0, NONE),
            Factor::By(p) => p.clone(),
        }
    }
}

/// How many conditions are in a partial derivative.
fn conditions(slope: &Slope) -> i64 {
    match slope {
        Slope::If(_, then, other) => 1 + conditions(then) + conditions(other),
        Slope::Zero | Slope::One | Slope::MinusOne | Slope::By(_) => 0,
    }
}

/// When a partial derivative is not structurally zero; none if it never is.
fn is_there(slope: &Slope) -> Option<Expr> {
    let Slope::If(cond, then, other) = slope else { return None };
    let truth = |slope: &Slope| {
        is_there(slope).unwrap_or_else(|| Expr::bool(!matches!(slope, Slope::Zero), NONE))
    };
    let always = |slope: &Slope| !matches!(slope, Slope::Zero) && is_there(slope).is_none();
    if always(then) && always(other) {
        return None;
    }
    Some(Expr::if_(cond.clone(), truth(then), truth(other), NONE))
}
