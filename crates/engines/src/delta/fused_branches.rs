//! Conditions inside of a fused body whose result goes on: the branches hand out partial derivatives beside the result.
//!
//! ```text
//! let y = if c then x * x else 2.0 in y * x
//!
//! let r = if c then (x * x, x + x, true) else (2.0, 0.0, false)       the result, its factor, whether there is any
//! ```
//!
//! Law: as in [`super::static_chain`], a branch in which nothing depends on an input contributes nothing.

use pullback_lambda::{Arm, Expr};

use super::block::{Block, NONE};
use super::fused_term::{Body, Known, Leaf, Unfit};
use super::static_chain::{Branches, Chain, Factor, Node, Part, Slot};
use super::translation::Translation;

/// An older node, and where the factor by it and whether it is there stand among what the branches give; nowhere, if that is one
/// or always.
type Column = (usize, Option<usize>, Option<usize>);

impl Translation<'_> {
    /// A term that goes on behind branches: they give its primals, and the partial derivatives by what there was before.
    pub(super) fn joined(
        &mut self,
        subject: Known,
        branches: &[(Option<&Arm>, &Expr)],
        body: &mut Body,
        chain: &mut Chain,
        block: &mut Block,
    ) -> Result<Known, Unfit> {
        let subject = match subject {
            Known::Con(tag, fields, _) => {
                let rest = body.taken(tag, fields, branches)?;
                return self.known(rest, body, chain, block);
            }
            Known::Whole(subject) => self.bind(block, "c", subject),
            Known::Sum(..) | Known::Real(..) | Known::Product(..) => return Err(Unfit),
        };
        let (mut arms, mut each) = (vec![], vec![]);
        for (arm, rest) in branches {
            let (mut inside, mut inner) = (chain.branch(), Block::new(None));
            if let Some(arm) = arm {
                arms.push((arm.tag, self.fields(arm, None, body, &mut inside)));
            }
            let known = self.known(rest, body, &mut inside, &mut inner)?;
            let mut leaves = vec![];
            known.leaves(&mut leaves)?;
            let mut branch = Branch { known, leaves, slots: vec![], items: vec![] };
            for (_, node) in &branch.leaves {
                branch.slots.push(match node.flatten() {
                    Some(node) => self.sweep(&inside, node, &mut inner),
                    None => vec![],
                });
            }
            branch.items.extend(branch.leaves.iter().map(|(primal, _)| primal.clone()));
            each.push((branch, inside, inner));
        }
        // What the branches give beside the primals: for each Real and each older node, a factor and whether it is there.
        let count = each[0].0.leaves.len();
        let mut rows: Vec<Vec<Column>> = vec![vec![]; count];
        for (leaf, row) in rows.iter_mut().enumerate() {
            for node in 0..chain.nodes.len() {
                let slots = each.iter().map(|(branch, _, _)| branch.slot(leaf, node));
                let slots: Vec<Option<Slot>> = slots.map(|slot| slot.cloned()).collect();
                if slots.iter().all(Option::is_none) {
                    continue;
                }
                let is_one = |slot: &Option<Slot>| {
                    matches!(slot, Some(Slot { value: Factor::One, when: None }))
                };
                let is_there = |slot: &Option<Slot>| matches!(slot, Some(Slot { when: None, .. }));
                let mut column = |item: &dyn Fn(&Option<Slot>) -> Expr| {
                    for ((branch, _, _), slot) in each.iter_mut().zip(&slots) {
                        branch.items.push(item(slot));
                    }
                    each[0].0.items.len() - 1
                };
                let value = (!slots.iter().all(is_one)).then(|| column(&factor_of));
                let when = (!slots.iter().all(is_there)).then(|| column(&presence_of));
                row.push((node, value, when));
            }
        }
        let (mut bodies, mut inside, mut shape) = (vec![], vec![], None);
        for (branch, chain, inner) in each {
            let results = branch.leaves.iter().filter_map(|(_, node)| *node).collect();
            inside.push((chain, results));
            bodies.push(inner.close(Expr::tuple(branch.items, NONE)));
            shape.get_or_insert((branch.known, branch.leaves));
        }
        let (known, leaves) = shape.ok_or(Unfit)?;
        let chosen = self.choice(subject, arms, bodies);
        let chosen = self.bind(block, "r", chosen);
        let item = |at: usize| Expr::proj(chosen.clone(), at, NONE);
        let (mut made, mut joined) = (vec![], vec![]);
        for (at, ((_, node), row)) in leaves.iter().zip(rows).enumerate() {
            if node.is_none() {
                made.push(Known::Whole(item(at)));
                continue;
            }
            let part = |(node, value, when): (usize, Option<usize>, Option<usize>)| Part {
                factor: value.map_or(Factor::One, |value| Factor::By(item(value))),
                when: when.map(item),
                chosen_by: i64::from(when.is_some()),
                node,
            };
            let parts: Vec<Part> = row.into_iter().map(part).collect();
            let node = (!parts.is_empty()).then(|| chain.push(Node::Join(parts)));
            joined.push(node);
            made.push(Known::Real(item(at), node));
        }
        chain.branches.push(Branches { each: inside, joined });
        Ok(known.rebuilt(&mut made.into_iter()))
    }
}

/// A branch that was translated: what it gives, the leaves of that, what each Real has of the nodes, and all that it hands out.
struct Branch {
    known: Known,
    leaves: Vec<Leaf>,
    slots: Vec<Vec<Option<Slot>>>,
    items: Vec<Expr>,
}

impl Branch {
    fn slot(&self, leaf: usize, node: usize) -> Option<&Slot> {
        self.slots[leaf].get(node).and_then(Option::as_ref)
    }
}

/// What a branch hands out for a node that it may have nothing of.
fn factor_of(slot: &Option<Slot>) -> Expr {
    slot.as_ref().map_or(Expr::real(0.0, NONE), |slot| slot.value.number())
}

/// Whether it has anything of it.
fn presence_of(slot: &Option<Slot>) -> Expr {
    match slot {
        Some(Slot { when: Some(when), .. }) => when.clone(),
        Some(Slot { when: None, .. }) => Expr::bool(true, NONE),
        None => Expr::bool(false, NONE),
    }
}
