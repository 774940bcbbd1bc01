//! What the terms of a fused body are while it is translated ([`super::static_chain`]).

use std::collections::BTreeMap;

use pullback_lambda::{Arm, DefId, Expr, Type, VarId};

use super::block::NONE;
use super::static_chain::{Chain, Node};

/// How many nodes of terms a fused body may come from, with the bodies that become part of it.
pub(super) const MOST_NODES: usize = 600;

/// What a term of a fused body is.
#[derive(Clone)]
pub(super) enum Known {
    /// A Real: its primal, and its node unless it is constant.
    Real(Expr, Option<usize>),
    /// A tuple or a record.
    Product(Vec<Known>, Type),
    /// A constructor.
    Con(usize, Vec<Known>, Type),
    /// A sum of the argument, as a term of the translated type, with the slot that it belongs to.
    Sum(Expr, usize),
    /// A term of discrete data.
    Whole(Expr),
}

/// Why there is no fused body: it has something that only runs.
pub(super) struct Unfit;

/// A fused body while it is translated.
#[derive(Default)]
pub(super) struct Body {
    pub(super) known: BTreeMap<VarId, Known>,
    /// The definitions that became part of it and are not finished.
    pub(super) open: Vec<DefId>,
    pub(super) nodes: usize,
    /// The chain at each end of the body, and the nodes of the results there.
    pub(super) ends: Vec<(Chain, Vec<Option<usize>>)>,
}

/// A leaf of what a branch gives; a Real has its node, if it is not constant.
pub(super) type Leaf = (Expr, Option<Option<usize>>);

impl Known {
    pub(super) fn leaves(&self, leaves: &mut Vec<Leaf>) -> Result<(), Unfit> {
        match self {
            Known::Real(primal, node) => leaves.push((primal.clone(), Some(*node))),
            Known::Whole(whole) => leaves.push((whole.clone(), None)),
            Known::Product(items, _) => {
                for item in items {
                    item.leaves(leaves)?;
                }
            }
            Known::Con(..) | Known::Sum(..) => return Err(Unfit),
        }
        Ok(())
    }

    /// The same structure with other leaves.
    pub(super) fn rebuilt(&self, leaves: &mut impl Iterator<Item = Known>) -> Known {
        match self {
            Known::Product(items, ty) => {
                let items = items.iter().map(|item| item.rebuilt(leaves)).collect();
                Known::Product(items, ty.clone())
            }
            Known::Real(..) | Known::Whole(_) | Known::Con(..) | Known::Sum(..) => {
                leaves.next().expect("branches give values of one type")
            }
        }
    }
}

impl Body {
    /// The branch that a constructor takes, whose variables are its fields.
    pub(super) fn taken<'e>(
        &mut self,
        tag: usize,
        fields: Vec<Known>,
        branches: &[(Option<&Arm>, &'e Expr)],
    ) -> Result<&'e Expr, Unfit> {
        let taken = branches.iter().find(|(arm, _)| arm.is_none_or(|arm| arm.tag == tag));
        let (arm, rest) = taken.ok_or(Unfit)?;
        if let Some(arm) = arm {
            self.known.extend(arm.vars.iter().copied().zip(fields));
        }
        Ok(rest)
    }
}

/// A dual number of the argument.
pub(super) fn input(part: Expr, slot: usize, chain: &mut Chain) -> Known {
    let delta = Expr::proj(part.clone(), 1, NONE);
    Known::Real(Expr::proj(part, 0, NONE), Some(chain.push(Node::Input { delta, slot })))
}
