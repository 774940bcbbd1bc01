//! Loops that add up elements and products of two, such as those of a product of matrices. Strips run them without
//! dispatch.
//!
//! Input: the code of the body of a loop. Output: the terms, one for each state, if there is nothing else in it.
//!
//! ```text
//! for k < n with s = 0.0 { a = x[i, k]; b = y[k, j]; t = mul(a, b); s' = add(s, t); yield s' }     x[i, k] · y[k, j]
//! ```

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::eval::code::{Code, Element, Instr, Reg, Term};

/// What a register holds.
#[derive(Clone)]
enum Holds {
    Element(Element),
    /// Its factors, and whether it is 0 where the first is.
    Product(Element, Element, bool),
}

/// What a body adds to its states.
pub(super) fn terms(code: &Code, body: Range<usize>, states: &[Reg]) -> Option<Vec<Term>> {
    let mut held: FxHashMap<Reg, Holds> = FxHashMap::default();
    let mut terms = vec![];
    for instr in &code.instrs[body] {
        let element = |array, at: &[u32]| {
            let is_outside = |reg: &u32| !held.contains_key(reg);
            let at = at.to_vec();
            let all_outside = is_outside(&array) && at.iter().all(is_outside);
            all_outside.then_some(Holds::Element(Element { array, at }))
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "reads, products and sums")]
        let (d, holds) = match *instr {
            Instr::Index1 { d, a, i } => (d, element(a, &[i])?),
            Instr::Index2 { d, a, i, j } => (d, element(a, &[i, j])?),
            Instr::Index { d, a, at } => (d, element(a, code.list(at))?),
            Instr::RealMul { d, a, b } | Instr::MulZero { d, a, b } => {
                let is_strong = matches!(instr, Instr::MulZero { .. });
                let (Holds::Element(a), Holds::Element(b)) = (held.get(&a)?, held.get(&b)?) else {
                    return None;
                };
                (d, Holds::Product(a.clone(), b.clone(), is_strong))
            }
            Instr::RealAdd { d, a, b } if states.contains(&d) => {
                let (factor, other) = match held.get(if a == d { &b } else { &a })?.clone() {
                    Holds::Element(element) => (element, None),
                    Holds::Product(one, other, is_strong) => (one, Some((other, is_strong))),
                };
                terms.push(Term { state: d, factor, other });
                continue;
            }
            _ => return None,
        };
        held.insert(d, holds);
    }
    (terms.len() == states.len() && !terms.is_empty()).then_some(terms)
}
