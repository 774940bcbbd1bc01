//! `D→`, the translation to dual numbers (§4, figure 3), with wrapper F for any first-order `S` and `T`
//! (§9.1, figure 16): the one that the others vary, with a tangent where they have a delta.
//!
//! `D→{Real} = (Real, Real)`; functions, products, sums and arrays are translated componentwise. Input: a
//! closed definition. Output: ordinary definitions of the calculus. Invariant: if `Γ ⊢ e : A` then
//! `D→{Γ} ⊢ D→{e} : D→{A}`, and the first components are what `e` computes. The tangent of a constant
//! is the number zero; it is left out where the text shows it.

use pullback_engine::source::vjp_from_jvp;
use pullback_lambda::{DefId, Expr, Program};
use pullback_prim::Prim;

use super::block::{Block, NONE, is_zero};
use super::op::Op;
use super::translation::{Outcome, Transformed, Translation};
use super::version::Version;

/// `D→{f}` for a definition `f`: of type `D→{A}` where `f` has type `A`.
pub fn forward_translation(program: &mut Program, def: DefId) -> Transformed {
    let mut translation = Translation::new(program, Version::Forward);
    let made = translation.def(def);
    translation.finish()?;
    Ok(made)
}

/// Wrapper F, with the value: from `S -> T` to `(S, S') -> (T, T')`.
pub fn forward_jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
    Translation::new(program, Version::Forward).wrapped(def, held)
}

/// Reverse mode by wrapper F, run once for each Real of the argument.
pub fn forward_vjp(program: &mut Program, def: DefId) -> Transformed {
    vjp_from_jvp(program, def, forward_jvp)
}

impl Translation<'_> {
    /// `\(s, ds) -> let t = D→{f} (zip s ds) in (primal t, delta t)`
    pub(super) fn wrapped(&mut self, def: DefId, held: usize) -> Outcome<DefId> {
        let ends = self.ends(def, held)?;
        let function = self.entry(def)?;
        let (param, s, ds) = self.point_and_tangent(&ends);
        let mut block = Block::new(None);
        let (mut parts, moving) = self.without_held(s, &ends, &mut block);
        parts.push(self.structure(Op::Zip, &ends.moving, vec![moving, ds], None, &mut block));
        let s = if held == 0 { parts.remove(0) } else { Expr::tuple(parts, NONE) };
        let t = self.enter(&function, s, None);
        let t = self.bind(&mut block, "t", t);
        let value = self.rebuild(Op::Primal, &ends.to, t.clone(), &mut block);
        let dt = self.rebuild(Op::Delta, &ends.to, t, &mut block);
        let body = block.close(Expr::tuple(vec![value, dt], NONE));
        let body = self.program.lam(vec![param], body);
        Ok(self.define("F", def, body))
    }

    /// What a function of the libraries is for tangents: mostly a primitive.
    pub(super) fn arithmetic(&self, name: &str, args: &[Expr]) -> Option<Expr> {
        let prim = |prim, args| Some(Expr::prim(prim, args, NONE));
        match name {
            "scale" => prim(Prim::Mul, args.to_vec()),
            "plus" if is_zero(&args[0]) => Some(args[1].clone()),
            "plus" if is_zero(&args[1]) => Some(args[0].clone()),
            "plus" => prim(Prim::Add, args.to_vec()),
            "sumDeltas" => prim(Prim::Sum, vec![self.call("tangents", args.to_vec())]),
            "lookupOrZero" => prim(Prim::Index, vec![args[1].clone(), args[0].clone()]),
            _ => None,
        }
    }
}
