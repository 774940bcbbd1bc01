//! Functions that a translation makes at each type.

use pullback_lambda::{DefId, Expr, Type};
use rustc_hash::FxHashMap;

/// A polytypic function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// `A -> D{A}`: every Real with the delta that the extra argument gives for its position.
    InitVars,
    /// `D{A} -> D{A}`: one more delta for every Real, likewise.
    Attach,
    /// `A -> D{A}`: every Real a constant.
    InitZeros,
    /// `D{A} -> A`
    Primal,
    /// `D{A} -> D{A}`: every Real made a constant, at this order and at those above.
    Stop,
    /// `D{A} -> D{T A}`: zeros, constant.
    Zeros,
    /// `D{A} -> D{T A}`: zeros with the deltas of the Reals: they stand for their tangents.
    Tangents,
    /// `A -> D{A} -> D{T A} -> D{A}`: the primal of the first, the deltas of both others.
    Graft,
    /// `A -> T A`: what a map has for each position.
    Lookup,
    /// `A -> T A -> map`: writes the tangent of each Real to its position.
    Seed,
    /// `D{A} -> T A -> Delta`: the dot product.
    Dot,
    /// `D{A} -> Bool`: whether a Real has a delta other than zero.
    Active,
    /// `D{A} -> T A -> Work`: each delta with its cotangent, to be evaluated.
    Spread,
    /// `D{A} -> T A`: the meaning of each delta.
    Meaning,
    /// `A -> T A -> D{A}`: every Real with its tangent.
    Zip,
    /// `D{A} -> T A`: the tangent of every Real.
    Delta,
    /// `A -> Int`: the number of Reals.
    Count,
    /// `D{A} -> Bool`: whether all Reals have deltas other than zero.
    AllActive,
}

/// In which translation a structure is given or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Dual,
    Tangent,
    DualTangent,
}

impl Op {
    pub(super) fn name(self) -> &'static str {
        match self {
            Op::InitVars => "initVars",
            Op::Attach => "attach",
            Op::InitZeros => "initZeros",
            Op::Primal => "primal",
            Op::Stop => "stop",
            Op::Zeros => "zeros",
            Op::Tangents => "tangents",
            Op::Graft => "graft",
            Op::Lookup => "lookup",
            Op::Seed => "seed",
            Op::Dot => "dot",
            Op::Active => "active",
            Op::Spread => "spread",
            Op::Meaning => "meaning",
            Op::Zip => "zip",
            Op::Delta => "delta",
            Op::Count => "count",
            Op::AllActive => "allActive",
        }
    }
    /// The structures it takes.
    pub(super) fn inputs(self) -> &'static [Form] {
        match self {
            Op::InitVars | Op::InitZeros | Op::Lookup | Op::Count => &[Form::Plain],
            Op::Graft => &[Form::Plain, Form::Dual, Form::DualTangent],
            Op::Seed | Op::Zip => &[Form::Plain, Form::Tangent],
            Op::Dot | Op::Spread => &[Form::Dual, Form::Tangent],
            Op::Attach
            | Op::Primal
            | Op::Stop
            | Op::Zeros
            | Op::Tangents
            | Op::Active
            | Op::Meaning
            | Op::Delta
            | Op::AllActive => &[Form::Dual],
        }
    }
    /// The structure it makes.
    pub(super) fn output(self) -> Option<Form> {
        match self {
            Op::InitVars | Op::Attach | Op::InitZeros | Op::Stop | Op::Graft | Op::Zip => {
                Some(Form::Dual)
            }
            Op::Primal => Some(Form::Plain),
            Op::Zeros | Op::Tangents => Some(Form::DualTangent),
            Op::Lookup | Op::Meaning | Op::Delta => Some(Form::Tangent),
            Op::Seed | Op::Dot | Op::Active | Op::Spread | Op::Count | Op::AllActive => None,
        }
    }
}

/// What a walk over a part gives.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) out: Option<Expr>,
    pub(super) acc: Option<Expr>,
}

/// The definitions made so far.
pub(super) type Made = FxHashMap<(Op, Type), DefId>;
