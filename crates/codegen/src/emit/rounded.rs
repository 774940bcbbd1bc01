//! Limits to floating-point contraction: products that are rounded before they are subtracted, where fast code may
//! round a product and a sum at once (fused multiply-add).
//!
//! ```text
//! IR  a.2 = mul(x.0, x.0);  b.3 = mul(y.1, y.1);  d.4 = sub(a.2, b.3)
//! C   double v2 = PB_ROUNDED(v0 * v0);  double v3 = PB_ROUNDED(v1 * v1);  double v4 = v2 - v3;
//! ```
//!
//! Input: a program. Output: the products to round on their own: both of a difference of products, and multiples of
//! whole numbers that are subtracted.
//!
//! Law: such a difference is as strict code has it. So `x * x - y * y` is 0 for equal numbers, and not negative where
//! `x >= y` and `y >= 0`, and `x - y * floor (x / y)`, a remainder by hand, has the sign that it has there. Other products and
//! sums may be contracted.

use pullback_ir::{Atom, Op, Program, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

/// The products from which products are subtracted, those that are subtracted from products, and multiples of whole
/// numbers that are subtracted.
pub(super) fn rounded(program: &Program) -> FxHashSet<VarId> {
    let mut rounded = FxHashSet::default();
    for func in program.funcs.iter() {
        let (mut products, mut floors) = (FxHashMap::default(), FxHashSet::default());
        func.body.visit(&mut |stmt| match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(Prim::Mul, args), &[var]) => {
                let is_floor = |atom: &Atom| atom.var().is_some_and(|var| floors.contains(&var));
                products.insert(var, args.iter().any(is_floor));
            }
            (Op::Prim(Prim::Floor, _), &[var]) => {
                floors.insert(var);
            }
            (Op::Prim(Prim::Sub, args), _) => {
                let product = |atom: Atom| {
                    let var = atom.var()?;
                    products.get(&var).map(|of_floor| (var, *of_floor))
                };
                match (product(args[0]), product(args[1])) {
                    (Some((one, _)), Some((other, _))) => rounded.extend([one, other]),
                    (None, Some((other, true))) => {
                        rounded.insert(other);
                    }
                    (_, None | Some((_, false))) => {}
                }
            }
            _ => {}
        });
    }
    rounded
}

/// The text of a value, which is rounded on its own if it is one of these.
pub(super) fn round(rounded: &FxHashSet<VarId>, var: VarId, value: String) -> String {
    if rounded.contains(&var) { format!("PB_ROUNDED({value})") } else { value }
}
