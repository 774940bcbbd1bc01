//! Which functions of a program have derivatives of their own.

use std::collections::BTreeMap;

use crate::ast::Derivation;
use crate::tree::{Body, Function, FunctionId, Program};
use crate::ty::Type;

/// What a program defines for a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// `[fwd f]`
    pub fwd: Option<FunctionId>,
    /// `[rev f]` or `[sufrev f]`
    pub rev: Option<FunctionId>,
    /// `[suffwdpass f]`
    pub forward_pass: Option<FunctionId>,
    /// `[sufrevpass f]`
    pub reverse_pass: Option<FunctionId>,
}

/// The rules of a program, by the function that they are for.
pub fn rules(program: &Program) -> BTreeMap<FunctionId, Rules> {
    let mut all: BTreeMap<FunctionId, Rules> = BTreeMap::new();
    for (id, function) in program.functions.iter().enumerate() {
        let Some(base) = base_of(program, function) else { continue };
        let Some(derivation) = function.derivations.first() else { continue };
        let rules = all.entry(base).or_default();
        let place = match *derivation {
            Derivation::Fwd => &mut rules.fwd,
            Derivation::Rev => &mut rules.rev,
            Derivation::BothPasses if rules.rev.is_none() => &mut rules.rev,
            Derivation::ForwardPass => &mut rules.forward_pass,
            Derivation::ReversePass => &mut rules.reverse_pass,
            Derivation::BothPasses | Derivation::D | Derivation::Shape | Derivation::Category => {
                continue;
            }
        };
        *place = Some(id);
    }
    all.retain(|_, rules| {
        rules.fwd.is_some()
            || rules.rev.is_some()
            || (rules.forward_pass.is_some() && rules.reverse_pass.is_some())
    });
    all
}

/// The function that a definition is a rule for, if it is one.
pub fn base_of(program: &Program, function: &Function) -> Option<FunctionId> {
    let [derivation] = function.derivations[..] else { return None };
    if !is_rule(derivation) || matches!(function.body, Body::Missing) {
        return None;
    }
    let of = match (derivation, &function.argument) {
        (Derivation::Fwd | Derivation::Rev | Derivation::BothPasses, Type::Tuple(items)) => {
            items.first()?
        }
        (_, argument) => argument,
    };
    program.functions.iter().position(|base| {
        base.derivations.is_empty() && base.base == function.base && base.argument == *of
    })
}

/// Whether it is one that programs may define as a rule for a function.
fn is_rule(derivation: Derivation) -> bool {
    matches!(
        derivation,
        Derivation::Fwd
            | Derivation::Rev
            | Derivation::ForwardPass
            | Derivation::ReversePass
            | Derivation::BothPasses
    )
}
