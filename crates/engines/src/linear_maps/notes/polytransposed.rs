//! `∂_R f̄`: value and transposed Jacobian to any target together, figure 8 with all maps turned around.
//!
//! Type: `∂_R f̄ : ∀a. (S, S ⊸ a) -> (T, T ⊸ a)`, from `∂f̄ : ∀a. (S, a ⊸ S) -> (T, a ⊸ T)`.
//! Law: the map that `∂_R f̄` makes of `mᵀ` is the transpose of the one that `∂f̄` makes of `m`. So `rev$f(x, dr)` is the map of
//! `∂_R f̄ (x, 1)`, applied to `dr`.
//!
//! ```text
//! (x * y, lmCompose(D*(x, y), lmVCat(m, n)))  =>  (x * y, lmCompose(lmHCat(m, n), lmTranspose(D*(x, y))))
//! ```
//!
//! Calls are of the same form, with the maps that have been made so far as an argument: no map is built of maps that a callee
//! would have to build again.

use super::term::{Form, Function, Op, Term, op};

/// `∂_R f̄` of `∂f̄`.
pub fn transposed(function: &Function) -> Function {
    let mut body = function.body.clone();
    turn(&mut body);
    Function { params: function.params.clone(), body }
}

/// Turns all maps in a term around. Values have none in them; variables and components are maps the other way already.
fn turn(term: &mut Term) {
    if let Term::Op(Op::D(_) | Op::DProj(..), _) = term {
        *term = op(Op::LmTranspose, vec![term.clone()]);
        return;
    }
    term.for_each_child_mut(&mut turn);
    if let Term::Op(name, args) = term {
        if *name == Op::LmCompose {
            args.reverse();
        }
        *name = turned(*name);
    } else if let Term::Call(_, form @ Form::Polymorphic, _) = term {
        *form = Form::PolymorphicTransposed;
    }
}

/// The operator that builds the transpose of what this one builds, of the transposes of its maps.
pub(in crate::linear_maps) fn turned(name: Op) -> Op {
    match name {
        Op::LmVCat => Op::LmHCat,
        Op::LmHCat => Op::LmVCat,
        Op::LmVCatV => Op::LmHCatV,
        Op::LmHCatV => Op::LmVCatV,
        Op::LmLambda => Op::LmLambdaT,
        Op::LmLambdaT => Op::LmLambda,
        Op::Zero
        | Op::LmZero
        | Op::LmOne
        | Op::LmScale
        | Op::LmCompose
        | Op::LmAdd
        | Op::LmTranspose
        | Op::LmOmit
        | Op::LmApply
        | Op::LmReverseApply
        | Op::D(_)
        | Op::DProj(..)
        | Op::DeltaVec
        | Op::Here
        | Op::Stop
        | Op::Unzip => name,
    }
}

/// What belongs to the two directions of a map, in the order of its transpose if it is turned around.
pub(super) fn in_direction([ahead, back]: [String; 2], turned: bool) -> [String; 2] {
    if turned { [back, ahead] } else { [ahead, back] }
}
