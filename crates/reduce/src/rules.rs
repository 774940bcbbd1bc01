//! The rules of reduction, each written once for both that reduce: [`specialise`](crate::specialise), which
//! follows what variables stand for, and [`tidy`](crate::tidy), which rewrites in place.
//!
//! | rule | before | after |
//! |---|---|---|
//! | [`beta`] | `(\x… -> e) a… b…` | `e b…`, where each `x` stands for its `a` |
//! | [`Known::part`] | `(a, b).0` | `a` |
//! | [`selected`] | `match C a with C x -> e` | `e`, where `x` stands for `a` |
//! | [`decided`] | `if true then a else b` | `a` |
//!
//! They say what is left, not when it pays: whether a function is copied to where it is applied, and in which
//! order parts are evaluated, is the affair of those who call them.

use std::borrow::Borrow;

use pullback_base::bug;
use pullback_lambda::{Arm, Expr, ExprKind, Lit, VarId};

use crate::known::Known;

/// What parameters stand for, and the arguments that are left for the result.
type Applied<A> = (Vec<(VarId, A)>, Vec<A>);

/// A function applied to arguments; nothing if it takes more than these.
pub(super) fn beta<A>(params: &[VarId], mut args: Vec<A>) -> Option<Applied<A>> {
    if args.len() < params.len() {
        return None;
    }
    let rest = args.split_off(params.len());
    Some((params.iter().copied().zip(args).collect(), rest))
}

/// What a match comes to for a constructor.
pub(super) enum Selected<A, D> {
    Arm(A),
    Default(D),
}

/// The arm that a match takes for a constructor, or its default.
pub(super) fn selected<A: Borrow<Arm>, D>(
    tag: usize,
    arms: impl IntoIterator<Item = A>,
    default: Option<D>,
) -> Selected<A, D> {
    let arm = arms.into_iter().find(|arm| arm.borrow().tag == tag);
    match (arm, default) {
        (Some(arm), _) => Selected::Arm(arm),
        (None, Some(default)) => Selected::Default(default),
        (None, None) => {
            bug("reduce", "a match with neither the arm of a constructor nor a default")
        }
    }
}

/// Which branch a condition takes, if it is a literal.
pub(super) fn decided(cond: &Expr) -> Option<bool> {
    if let ExprKind::Lit(Lit::Bool(truth)) = cond.kind { Some(truth) } else { None }
}

impl Known {
    /// A component of what is known to be a tuple or record.
    pub fn part(&self, index: usize) -> Option<&Known> {
        if let Known::Tuple(items, _, _) = self { items.get(index) } else { None }
    }

    /// The constructor of what is known to be one of a sum, with its fields.
    pub fn constructor(&self) -> Option<(usize, &[Known])> {
        if let Known::Con(tag, fields, _, _) = self { Some((*tag, fields)) } else { None }
    }
}
