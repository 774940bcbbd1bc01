//! An image with a look before each primitive of Reals.
//!
//! Input: an image. Output: the same program, in which every instruction that does what a
//! [`Watch`](super::watch::Watch) wants to know is preceded by one that shows it the arguments.

use pullback_prim::Prim;

use super::code::{Code, Image, Instr};
use super::prims::Prims;
use super::watch::concerns;

impl Image {
    /// The image to run under a watch.
    #[must_use]
    pub fn watched(mut self) -> Self {
        let Self { codes, prims, .. } = &mut self;
        codes.iter_mut().for_each(|code| watch(code, prims));
        self
    }
}

fn watch(code: &mut Code, prims: &mut Prims) {
    let mut instrs = Vec::with_capacity(code.instrs.len());
    let mut spans = Vec::with_capacity(code.spans.len());
    // Where each instruction begins now, with its look.
    let mut moved = Vec::with_capacity(code.instrs.len() + 1);
    for (instr, span) in code.instrs.iter().zip(&code.spans) {
        moved.push(instrs.len() as u32);
        instrs.extend(look(instr, prims));
        instrs.push(*instr);
        spans.resize(instrs.len(), *span);
    }
    moved.push(instrs.len() as u32);
    let redirect = |to: &mut u32| {
        if let Some(now) = moved.get(*to as usize) {
            *to = *now;
        }
    };
    instrs.iter_mut().filter_map(Instr::target_mut).for_each(redirect);
    code.tables.iter_mut().flatten().for_each(redirect);
    (code.instrs, code.spans) = (instrs, spans);
}

/// The look that belongs before an instruction.
#[rustfmt::skip]
fn look(instr: &Instr, prims: &mut Prims) -> Option<Instr> {
    let one = |prims: &mut Prims, prim, a| Some(Instr::Look1 { prim: prims.id(prim), a });
    let two = |prims: &mut Prims, prim, a, b| Some(Instr::Look2 { prim: prims.id(prim), a, b });
    let right = |prims: &mut Prims, prim, a, k| Some(Instr::LookK { prim: prims.id(prim), left: false, a, k });
    let left = |prims: &mut Prims, prim, a, k| Some(Instr::LookK { prim: prims.id(prim), left: true, a, k });
    #[expect(clippy::wildcard_enum_match_arm, reason = "the primitives of Reals among all instructions")]
    match *instr {
        // What is compared with itself is a test for NaN.
        Instr::JRealEq { a, b, .. } | Instr::JRealNe { a, b, .. } if a == b => None,
        Instr::Prim2 { prim, a, b, .. } if a == b && matches!(prims[prim].prim, Prim::Eq | Prim::Ne) => None,
        Instr::RealAdd { a, b, .. } => two(prims, Prim::Add, a, b),
        Instr::RealSub { a, b, .. } => two(prims, Prim::Sub, a, b),
        Instr::RealMul { a, b, .. } => two(prims, Prim::Mul, a, b),
        Instr::RealDiv { a, b, .. } => two(prims, Prim::Div, a, b),
        Instr::RealAddK { a, k, .. } => right(prims, Prim::Add, a, k),
        Instr::RealSubK { a, k, .. } => right(prims, Prim::Sub, a, k),
        Instr::RealMulK { a, k, .. } => right(prims, Prim::Mul, a, k),
        Instr::RealDivK { a, k, .. } => right(prims, Prim::Div, a, k),
        Instr::RealAddR { a, k, .. } => left(prims, Prim::Add, a, k),
        Instr::RealSubR { a, k, .. } => left(prims, Prim::Sub, a, k),
        Instr::RealMulR { a, k, .. } => left(prims, Prim::Mul, a, k),
        Instr::RealDivR { a, k, .. } => left(prims, Prim::Div, a, k),
        Instr::RealNeg { a, .. } => one(prims, Prim::Neg, a),
        Instr::Sum { a, .. } => one(prims, Prim::Sum, a),
        Instr::Real1 { prim, a, .. } => Some(Instr::Look1 { prim, a }),
        Instr::Prim1 { prim, a, .. } if concerns(prims[prim].prim) => Some(Instr::Look1 { prim, a }),
        Instr::Prim2 { prim, a, b, .. } if concerns(prims[prim].prim) => Some(Instr::Look2 { prim, a, b }),
        Instr::JRealLt { a, b, .. } | Instr::JRealNotLt { a, b, .. } => two(prims, Prim::Lt, a, b),
        Instr::JRealLe { a, b, .. } | Instr::JRealNotLe { a, b, .. } => two(prims, Prim::Le, a, b),
        Instr::JRealEq { a, b, .. } => two(prims, Prim::Eq, a, b),
        Instr::JRealNe { a, b, .. } => two(prims, Prim::Ne, a, b),
        Instr::JRealLtK { a, k, .. } | Instr::JRealNotLtK { a, k, .. } => right(prims, Prim::Lt, a, k),
        Instr::JRealLeK { a, k, .. } | Instr::JRealNotLeK { a, k, .. } => right(prims, Prim::Le, a, k),
        Instr::JRealGtK { a, k, .. } | Instr::JRealNotGtK { a, k, .. } => right(prims, Prim::Gt, a, k),
        Instr::JRealGeK { a, k, .. } | Instr::JRealNotGeK { a, k, .. } => right(prims, Prim::Ge, a, k),
        _ => None,
    }
}
