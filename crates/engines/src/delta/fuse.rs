//! Fused reverse mode (figure 15): a function of a fixed number of Reals to one Real runs, evaluates
//! its deltas at once, and leaves a single binding with its partial derivatives.
//!
//! `D'{f} (x₁, δx₁) … (xₙ, δxₙ)` runs `D{f}` on variables of its own in a state of its own, evaluates the
//! result's delta, and binds the sum of the `δxᵢ`, each scaled by the partial derivative that the map has
//! for it: `scaleAt i finalMap δxᵢ` is `Scale (lookupOrZero i finalMap) δxᵢ`, but `Zero` for an empty slot.
//! What `D{f}` bound is dropped, so the bindings of a program no longer grow with the operations inside
//! such functions. A definition is fused if it is closed, its parameters are made of Reals and discrete
//! data by tuples, records and sums that are not recursive, and its result is a Real: then the sum has a
//! bounded number of terms. A definition is not fused that may reach itself through a derivative rule: `D'{f}` follows
//! its arguments whatever they depend on, so each rule would run for the one before, without end.

use pullback_lambda::{Def, DefId, Expr, ExprKind, Type, TypeKind, VarId, contains_real};

use super::block::{Block, NONE};
use super::op::Op;
use super::translation::{Outcome, Translation};
use super::version::Version;

impl Translation<'_> {
    /// The fused translation of a definition, if it is to be fused.
    pub(super) fn fused(
        &mut self,
        def: DefId,
        params: &[VarId],
        body: &Expr,
    ) -> Outcome<Option<Expr>> {
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        if !self.fuse
            || self.version != Version::Final
            || self.roots.contains(&def)
            || self.self_ruled.contains(&def)
            || !matches!(body.ty.kind(), TypeKind::Real)
            || !types.iter().all(|ty| self.is_bounded(ty, &mut vec![]))
            || !types.iter().any(|ty| contains_real(&self.program.datas, ty))
            || is_small(body)
        {
            return Ok(None);
        }
        // The ordinary translation, as a definition of its own.
        let plain = self.lam_at_once(params, body)?;
        let Def { name, span, .. } = self.program.defs[def].clone();
        let inside = self.program.defs.push(Def {
            name: format!("D{{{name}}}").into(),
            ty: plain.ty.clone(),
            body: plain,
            span,
        });
        let made = self.defs[&def];
        self.program.defs[made].name = format!("D'{{{name}}}").into();
        Ok(Some(self.around(inside, &types)))
    }

    /// Figure 15 around a translated function.
    fn around(&mut self, inside: DefId, types: &[Type]) -> Expr {
        let mut params = vec![];
        for ty in types {
            let ty = self.ty(ty);
            params.push(self.program.fresh("x", ty));
        }
        let xs: Vec<Expr> = params.iter().map(|var| self.program.var(*var, NONE)).collect();
        let state = self.program.fresh("s", self.library.state());
        let mut block = Block::new(Some(state));
        let input = self.input(None);
        let mut next = Expr::int(0, NONE);
        let mut args = vec![];
        for (ty, x) in types.iter().zip(&xs) {
            let primal = self.rebuild(Op::Primal, ty, x.clone(), &mut block);
            let (extra, acc) = (Some(input.clone()), Some(next));
            let (own, after) = self.poly(Op::InitVars, ty, vec![primal], extra, acc, &mut block);
            args.push(own.expect("the function makes a structure"));
            let after = after.expect("the function gives a number");
            next = self.bind(&mut block, "next", after);
        }
        args.push(self.empty_state(next));
        let call = Expr::app(self.program.global(inside, NONE), args, NONE);
        let result = self.bind(&mut block, "result", call);
        let y = self.bind(&mut block, "y", Expr::proj(result.clone(), 0, NONE));
        let own = self.bind(&mut block, "own", Expr::proj(result, 1, NONE));
        let empty = self.call("emptyMap", vec![Expr::proj(own.clone(), 0, NONE)]);
        let (one, delta) = (Expr::real(1.0, NONE), Expr::proj(y.clone(), 1, NONE));
        let map = self.call("eval", vec![one, delta, Expr::proj(own, 1, NONE), empty]);
        let map = self.bind(&mut block, "finalMap", map);
        let whole = Type::tuple(types.to_vec());
        let structure = Expr::tuple(xs, NONE);
        let delta = self.combine(&whole, structure, map, &mut block);
        let args = [delta].into_iter().chain(self.state(&block)).collect();
        let bind = self.call("deltaLet", args);
        let delta = self.run(&mut block, "u", bind);
        let dual = Expr::tuple(vec![Expr::proj(y, 0, NONE), delta], NONE);
        let body = self.end(block, dual);
        params.push(state);
        self.program.lam(params, body)
    }

    /// Whether the number of Reals in a value is bounded by its type.
    fn is_bounded(&self, ty: &Type, above: &mut Vec<pullback_lambda::DataId>) -> bool {
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => true,
            TypeKind::Tuple(items) => items.iter().all(|item| self.is_bounded(item, above)),
            TypeKind::Record(fields) => fields.iter().all(|(_, ty)| self.is_bounded(ty, above)),
            TypeKind::Array(_) | TypeKind::Fun(_, _) => false,
            TypeKind::Data(data) => {
                if above.contains(data) {
                    return false;
                }
                above.push(*data);
                let constructors = &self.program.datas[*data].constructors;
                let bounded = constructors
                    .iter()
                    .flat_map(|con| &con.fields)
                    .all(|field| self.is_bounded(field, above));
                above.pop();
                bounded
            }
        }
    }
}

/// Whether a body binds one delta at most, so that there is nothing to fuse.
fn is_small(body: &Expr) -> bool {
    let (mut smooth, mut other) = (0, false);
    body.visit(&mut |expr| match &expr.kind {
        ExprKind::Prim(prim, _) => smooth += usize::from(prim.row().smooth().is_some()),
        ExprKind::App(_, _) | ExprKind::Loop { .. } | ExprKind::Build { .. } => other = true,
        ExprKind::Var(_)
        | ExprKind::Global(_)
        | ExprKind::Lit(_)
        | ExprKind::Lam(_, _)
        | ExprKind::Let(_, _, _)
        | ExprKind::LetRec(_, _)
        | ExprKind::If(_, _, _)
        | ExprKind::Tuple(_)
        | ExprKind::Proj(_, _)
        | ExprKind::Con(_, _)
        | ExprKind::Match(_, _, _)
        | ExprKind::Array(_)
        | ExprKind::Ad(_, _) => {}
    });
    smooth < 2 && !other
}
