//! Combined functions (as GCC's pass `cse_sincos`): two functions of one argument that share most of their work are
//! computed by one call.
//!
//! ```text
//! IR  s.3 = sin(x.1);  t.4 = mul(s.3, s.3);  c.5 = cos(x.1)
//! C   pb_v k3_of, k5_of;  pb_v_SinCos(k1, &k3_of, &k5_of);  const pb_v k3 = k3_of;  …  const pb_v k5 = k5_of;
//! ```
//!
//! The derivative of the one is the other, so that most gradients have both. Much code calls such functions, and a C
//! compiler sees no common work behind two calls.
//!
//! It applies to statements of one block whose results differ between the lanes. This file finds them;
//! `combined_functions_text` writes.
//!
//! Law: each result is what the function alone gives.

use pullback_ir::{Atom, Block, Op, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::Plan;
use crate::transformations::Which;

/// Functions that go together, and what the runtime calls both.
const PAIRS: [(Prim, Prim, &str); 2] =
    [(Prim::Tanh, Prim::Sech2, "pb_v_TanhSech2"), (Prim::Sin, Prim::Cos, "pb_v_SinCos")];

/// Two results of one argument, and the function that gives both.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub results: [VarId; 2],
    pub function: &'static str,
}

/// The pairs of a kernel, and the names of which the values are there already.
#[derive(Default)]
pub(super) struct Combined {
    pub pairs: FxHashMap<VarId, Pair>,
    pub there: FxHashSet<String>,
}

impl Combined {
    pub fn of(plan: &Plan<'_>) -> Self {
        let mut combined = Self::default();
        if plan.has(Which::CombinedFunctions) {
            combined.look(&plan.looped.body);
        }
        combined
    }

    fn look(&mut self, block: &Block) {
        let mut met: Vec<(Prim, Atom, VarId)> = vec![];
        for stmt in &block.stmts {
            if let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice())
                && let &[arg] = args.as_slice()
            {
                self.meet((*prim, arg, var), &met);
                met.push((*prim, arg, var));
            }
            stmt.op.blocks().into_iter().for_each(|block| self.look(block));
        }
    }

    /// Notes the pair that a statement makes with one before it, which is in none yet.
    fn meet(&mut self, (prim, arg, var): (Prim, Atom, VarId), met: &[(Prim, Atom, VarId)]) {
        for (first, second, function) in PAIRS {
            let is_free = |wanted: Prim, (prim, of, before): &(Prim, Atom, VarId)| {
                (*prim, *of) == (wanted, arg) && !self.pairs.contains_key(before)
            };
            let partner = |wanted| met.iter().find(|one| is_free(wanted, one)).map(|one| one.2);
            let results = if prim == first {
                partner(second).map(|other| [var, other])
            } else if prim == second {
                partner(first).map(|other| [other, var])
            } else {
                None
            };
            if let Some(results) = results {
                self.pairs.extend(results.map(|result| (result, Pair { results, function })));
            }
        }
    }
}
