//! An image with a look before each primitive of Reals.
//!
//! Input: an image. Output: the same program, in which every instruction that does what a
//! [`Watch`](super::watch::Watch) wants to know is preceded by one that shows it the arguments.

use pullback_prim::Prim;

use super::code::{Code, Image, Instr};
use super::watch::concerns;

impl Image {
    /// The image to run under a watch.
    #[must_use]
    pub fn watched(mut self) -> Self {
        self.codes.iter_mut().for_each(watch);
        self
    }
}

fn watch(code: &mut Code) {
    let mut instrs = Vec::with_capacity(code.instrs.len());
    let mut spans = Vec::with_capacity(code.spans.len());
    // Where each instruction begins now, with its look.
    let mut moved = Vec::with_capacity(code.instrs.len() + 1);
    for (instr, span) in code.instrs.iter().zip(&code.spans) {
        moved.push(instrs.len() as u32);
        instrs.extend(look(instr));
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
fn look(instr: &Instr) -> Option<Instr> {
    let two = |prim, a, b| Some(Instr::Look2 { prim, a, b });
    let right = |prim, a, k| Some(Instr::LookK { prim, left: false, a, k });
    let left = |prim, a, k| Some(Instr::LookK { prim, left: true, a, k });
    #[expect(clippy::wildcard_enum_match_arm, reason = "the primitives of Reals among all instructions")]
    match *instr {
        // What is compared with itself is a test for NaN.
        Instr::JRealEq { a, b, .. } | Instr::JRealNe { a, b, .. } if a == b => None,
        Instr::Prim2 { prim: Prim::Eq | Prim::Ne, a, b, .. } if a == b => None,
        Instr::RealAdd { a, b, .. } => two(Prim::Add, a, b),
        Instr::RealSub { a, b, .. } => two(Prim::Sub, a, b),
        Instr::RealMul { a, b, .. } => two(Prim::Mul, a, b),
        Instr::RealDiv { a, b, .. } => two(Prim::Div, a, b),
        Instr::RealAddK { a, k, .. } => right(Prim::Add, a, k),
        Instr::RealSubK { a, k, .. } => right(Prim::Sub, a, k),
        Instr::RealMulK { a, k, .. } => right(Prim::Mul, a, k),
        Instr::RealDivK { a, k, .. } => right(Prim::Div, a, k),
        Instr::RealAddR { a, k, .. } => left(Prim::Add, a, k),
        Instr::RealSubR { a, k, .. } => left(Prim::Sub, a, k),
        Instr::RealMulR { a, k, .. } => left(Prim::Mul, a, k),
        Instr::RealDivR { a, k, .. } => left(Prim::Div, a, k),
        Instr::RealNeg { a, .. } => Some(Instr::Look1 { prim: Prim::Neg, a }),
        Instr::Sum { a, .. } => Some(Instr::Look1 { prim: Prim::Sum, a }),
        Instr::Real1 { prim, a, .. } => Some(Instr::Look1 { prim, a }),
        Instr::Prim1 { prim, a, .. } if concerns(prim) => Some(Instr::Look1 { prim, a }),
        Instr::Prim2 { prim, a, b, .. } if concerns(prim) => two(prim, a, b),
        Instr::JRealLt { a, b, .. } | Instr::JRealNotLt { a, b, .. } => two(Prim::Lt, a, b),
        Instr::JRealLe { a, b, .. } | Instr::JRealNotLe { a, b, .. } => two(Prim::Le, a, b),
        Instr::JRealEq { a, b, .. } => two(Prim::Eq, a, b),
        Instr::JRealNe { a, b, .. } => two(Prim::Ne, a, b),
        Instr::JRealLtK { a, k, .. } | Instr::JRealNotLtK { a, k, .. } => right(Prim::Lt, a, k),
        Instr::JRealLeK { a, k, .. } | Instr::JRealNotLeK { a, k, .. } => right(Prim::Le, a, k),
        Instr::JRealGtK { a, k, .. } | Instr::JRealNotGtK { a, k, .. } => right(Prim::Gt, a, k),
        Instr::JRealGeK { a, k, .. } | Instr::JRealNotGeK { a, k, .. } => right(Prim::Ge, a, k),
        _ => None,
    }
}
