//! Index-set splitting (Griebl, Feautrier & Lengauer 2000), decided for each vector at run time: where eight iterations
//! lie on one side of every comparison of the index, their conditions are known and nothing is masked.
//!
//! ```text
//! IR  for i.3 < n.1 { t.4 = int_eq(i.3, 0); t.5 = if t.4 { yield a } else { yield b }; … }
//! C   for (; k3 <= end - 8; k3 += 8) { if (0 < k3 || k3 + 7 < 0) { k5 = b; …; continue; }
//! C     … both sides, masked by `k4`, which is the comparison lane by lane … }
//! ```
//!
//! Input: a loop across lanes. Output: one or two lists of [`Edge`]s: what usually holds of the comparisons together. A
//! comparison for equality usually fails. Of the first comparison for order both answers are likely, so there are two
//! lists; later ones are left to masks.
//!
//! Law: which blocks a lane runs stays the same, and so does the order. The loop stays one loop; only its body is
//! written more than once, for loops with short bodies ([`super::horizontal_reduce`] says how short). It applies to
//! comparisons of the index with what the loop does not change.

use pullback_analysis::affine::Inside;
use pullback_ir::{Atom, Block, Loop, Op, VarId};
use pullback_prim::Prim;

use super::plan::Plan;
use super::vectorise::LANES;
use crate::transformations::Which;

/// What is taken to hold of a comparison of the index of a loop with what is the same in all iterations.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// The variable that holds the comparison.
    pub cond: VarId,
    /// Its value.
    pub truth: bool,
    /// What the index is compared with.
    pub bound: Atom,
    prim: Prim,
}

impl Edge {
    /// The C condition under which it holds for the eight iterations from one on.
    pub fn holds(self, first: &str, bound: &str) -> String {
        let last = format!("{first} + {}", LANES - 1);
        match (self.prim, self.truth) {
            (Prim::IntLt, true) | (Prim::IntGe, false) => format!("{last} < {bound}"),
            (Prim::IntLt, false) | (Prim::IntGe, true) => format!("{first} >= {bound}"),
            (Prim::IntLe, true) | (Prim::IntGt, false) => format!("{last} <= {bound}"),
            (Prim::IntLe, false) | (Prim::IntGt, true) => format!("{first} > {bound}"),
            _ => format!("({bound} < {first} || {last} < {bound})"),
        }
    }
}

/// What is known of a condition in the eight iterations that are being written.
#[derive(Clone)]
pub(super) enum Settled {
    /// Its value.
    Known(bool),
    /// All lanes have the value of this C expression.
    Same(String),
}

impl Settled {
    /// What is known, as a C expression.
    pub fn text(&self) -> &str {
        match self {
            Self::Known(true) => "1",
            Self::Known(false) => "0",
            Self::Same(text) => text,
        }
    }
}

/// What usually holds of the edges of a loop, as one or two lists of what holds together; none without edges.
pub(super) fn usual(plan: &Plan<'_>, looped: &Loop, index: VarId) -> Vec<Vec<Edge>> {
    if !plan.has(Which::ElideMasks) {
        return vec![];
    }
    let mut edges = vec![];
    look(&Inside::of(looped), &looped.body, index, &mut edges);
    if edges.is_empty() {
        return vec![];
    }
    let (mut usual, mut is_parted) = (vec![vec![]], false);
    for edge in edges {
        // A place is seldom met.
        if let Prim::IntEq | Prim::IntNe = edge.prim {
            let truth = edge.prim == Prim::IntNe;
            usual.iter_mut().for_each(|list| list.push(Edge { truth, ..edge }));
        } else if !is_parted {
            // Either side is as likely as the other; of a second such edge nothing is taken to hold.
            is_parted = true;
            let mut other = usual[0].clone();
            usual[0].push(edge);
            other.push(Edge { truth: false, ..edge });
            usual.push(other);
        }
    }
    usual
}

/// Collects the comparisons of the index in a block and its branches. `inside` is what the loop binds.
fn look(inside: &Inside, block: &Block, index: VarId, edges: &mut Vec<Edge>) {
    for stmt in &block.stmts {
        if let (Op::Prim(prim, args), &[cond]) = (&stmt.op, stmt.vars.as_slice())
            && let &[a, b] = args.as_slice()
        {
            let index = Atom::Var(index);
            let (prim, other) = match (mirrored(*prim), a == index, b == index) {
                (Some(_), true, false) if inside.is_uniform(b) => (*prim, b),
                (Some(mirrored), false, true) if inside.is_uniform(a) => (mirrored, a),
                _ => continue,
            };
            edges.push(Edge { cond, truth: true, bound: other, prim });
        }
        if let Op::If(..) = &stmt.op {
            stmt.op.blocks().into_iter().for_each(|block| look(inside, block, index, edges));
        }
    }
}

/// The comparison of two Ints the other way round.
fn mirrored(prim: Prim) -> Option<Prim> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others compare no Ints")]
    match prim {
        Prim::IntEq | Prim::IntNe => Some(prim),
        Prim::IntLt => Some(Prim::IntGt),
        Prim::IntGt => Some(Prim::IntLt),
        Prim::IntLe => Some(Prim::IntGe),
        Prim::IntGe => Some(Prim::IntLe),
        _ => None,
    }
}
