//! What both halves of a definition agree on: their types, and what the forward half saves for the reverse half.

use pullback_lambda::{DataId, DefId, Expr, Type, VarId};

use super::steps::StepArm;

/// The two halves of a definition.
#[derive(Clone, Debug)]
pub struct Halves {
    /// `revf$f : S -> (T, X)`
    pub forward: DefId,
    /// `revr$f : (X, δT) -> accumulated… -> δS`: only the cotangents of parameters through which
    /// derivatives flow; those with arrays are given and added to in place.
    pub reverse: DefId,
    /// `X`
    pub saved: Type,
    /// Through which parameters derivatives flow.
    pub flows: Vec<bool>,
    /// Which cotangents are given, to be added to.
    pub accumulates: Vec<bool>,
    /// Whether the cotangent of the result is all there: callers see to that.
    pub definite: bool,
    /// Which cotangents it gives are all there: they have the tangent type itself.
    pub sure: Vec<bool>,
}

/// What the forward half of a step saves beside its value.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// Which branch ran, with the variables of each: a sum with a constructor for each branch.
    Branch { token: VarId, data: DataId, saved: Vec<Vec<VarId>> },
    /// An array with the variables of each element.
    Build { token: VarId, saved: Vec<VarId> },
    /// A stack with the variables of each turn, if there are any, and the number of turns if the loop
    /// does not say it.
    Loop { stack: Option<(VarId, DataId)>, count: Option<VarId>, saved: Vec<VarId> },
    /// What the callee saved.
    Call { token: VarId },
}

impl Plan {
    /// The variables that the forward half binds for the reverse half.
    pub fn tokens(&self) -> Vec<VarId> {
        match self {
            Plan::Branch { token, .. } | Plan::Build { token, .. } | Plan::Call { token } => {
                vec![*token]
            }
            Plan::Loop { stack, count, .. } => {
                stack.iter().map(|(token, _)| *token).chain(*count).collect()
            }
        }
    }
}

/// How the forward half chose.
pub(super) enum Choice<'s> {
    Bool(&'s Expr),
    Case(&'s Expr, &'s [StepArm]),
}

impl<'s> Choice<'s> {
    pub fn scrutinee(&self) -> Option<&'s Expr> {
        if let Choice::Case(scrutinee, _) = self { Some(scrutinee) } else { None }
    }
    /// The constructor of a region; none for the default.
    pub fn tag(&self, region: usize) -> Option<usize> {
        if let Choice::Case(_, arms) = self { arms.get(region).map(|arm| arm.tag) } else { None }
    }
}
