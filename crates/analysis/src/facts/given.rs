//! Sizes of arrays by what is bound before them.
//!
//! ```text
//! n.1: i64 = dim(x.0, 0)
//! for i.2 < m.3 { r.4: []f64 = for j.5 < n.1 { … } … }      the size of r.4 is n.1
//! for i.2 < m.3 { s.6: []f64 = for j.7 < i.2 { … } … }      the size of s.6 is i.2
//! ```
//!
//! Input: the parameters and the body of a function. Output: for each array that the body binds, operations that give
//! the array's sizes, on numbers and on variables that are there where it is bound.

use pullback_ir::{Block, Op, Program, VarId};
use rustc_hash::FxHashMap;

use super::{Ctx, Moves, Size, Symbol};

/// What gives the sizes of the arrays of a function.
pub struct GivenSizes(FxHashMap<VarId, Vec<Option<Given>>>);

/// What gives a size.
#[derive(Clone)]
pub struct Given {
    /// The operation.
    pub op: Op,
    /// Whether it gives the size also where the array has no rows. Otherwise the size is 0 there.
    pub is_exact: bool,
}

impl GivenSizes {
    /// Those of a body with these parameters. It numbers the body's statements.
    pub fn of(program: &Program, params: &[VarId], body: &mut Block) -> Self {
        body.number();
        let ctx = Ctx::swept(program, (params, &[]), body, Moves::Nowhere);
        let given = |array: VarId, sizes: &Vec<Size>| {
            let mut has_rows = true;
            let sizes = sizes.iter().map(|size| {
                let symbol = ctx.representative(size.symbol);
                let is_exact = size.is_exact || has_rows;
                has_rows &= is_exact && matches!(symbol, Symbol::Number(1..));
                let is_own = matches!(symbol, Symbol::Dim(of, _) if of == array);
                let op = ctx.given(symbol).filter(|_| (is_exact || size.or_zero) && !is_own);
                op.map(|op| Given { op, is_exact })
            });
            sizes.collect()
        };
        Self(ctx.dims.iter().map(|(var, sizes)| (*var, given(*var, sizes))).collect())
    }

    /// What gives the size of a dimension of an array.
    pub fn size(&self, array: VarId, at: usize) -> Option<&Given> {
        self.0.get(&array)?.get(at)?.as_ref()
    }
}
