//! Fused reverse mode (figure 15), at compile time: a function leaves one row for each Real of its result, with the partial
//! derivatives by its argument, and what it computes on the way builds no delta.
//!
//! ```text
//! f x = x * sin x
//! D{f}  = \x -> do { let y = sin x.0; u <- deltaLet (scale (cos x.0) x.1);
//!                    let r = mul x.0 y; v <- deltaLet (plus (scale y x.1) (scale x.0 u)); pure (r, v) }
//! D'{f} = \x -> do { let y = sin x.0; let p = cos x.0; let r = mul x.0 y;
//!                    let p2 = mul p x.0; let p3 = add y p2; u <- deltaLet (scale p3 x.1); pure (r, u) }
//! ```
//!
//! Input: a definition `S -> T`, both of tuples, records, sums that are not recursive, Reals and discrete data. Output: its
//! fused translation, of the type of `D{f}`. The body may have primitives on scalars, structures, conditions, and calls of
//! definitions, which become part of it. It may not have loops, arrays, recursion, functions as values, or rules.
//!
//! Law: `D'{f}` and `D{f}` mean the same. Where all parts of the argument that [`saved`] wants have deltas, `D'{f}` executes no
//! more primitives than `D{f}`, and otherwise it is `D{f}`. The function that is differentiated has nothing around it to gain
//! from that, and is not fused.

use pullback_lambda::{
    AdOp, Arm, DataId, Def, DefId, Expr, ExprKind, Lit, Type, TypeKind, VarId, contains_real,
};
use pullback_prim::{Class, Prim, PrimTy};

use super::block::{Block, NONE};
use super::fused_term::{Body, Known, MOST_NODES, Unfit, input};
use super::fusion_gain::saved;
use super::op::Op;
use super::static_chain::Chain;
use super::translation::{Outcome, Translation};
use super::version::Version;

impl Translation<'_> {
    /// The fused translation of a definition, if it saves something and never adds work.
    pub(super) fn fused(
        &mut self,
        def: DefId,
        params: &[VarId],
        body: &Expr,
    ) -> Outcome<Option<Expr>> {
        if !self.fuse || self.version != Version::Final || self.roots.contains(&def) {
            return Ok(None);
        }
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let mut all = types.iter().chain([&body.ty]);
        if !all.all(|ty| self.is_bounded(ty, &mut vec![])) {
            return Ok(None);
        }
        let mut made = vec![];
        for (var, ty) in params.iter().zip(&types) {
            let name = self.program.vars[*var].name.clone();
            let ty = self.ty(ty);
            made.push(self.program.fresh(name, ty));
        }
        let state = self.program.fresh("s", self.library.state());
        let mut block = Block::new(Some(state));
        let (mut fused, mut chain) =
            (Body { open: vec![def], ..Body::default() }, Chain::default());
        let mut slots = vec![];
        for ((var, ty), param) in params.iter().zip(&types).zip(&made) {
            let whole = self.program.var(*param, NONE);
            let known = self.argument(ty, whole, &mut chain, &mut slots);
            fused.known.insert(*var, known);
        }
        let Ok(value) = self.end_of(body, &mut fused, &mut chain, &mut block) else {
            return Ok(None);
        };
        let Some(wanted) = worthwhile(&fused.ends, slots.len()) else { return Ok(None) };
        let then = self.end(block, value);
        // The ordinary translation, as a definition of its own.
        let plain = self.lam_at_once(params, body)?;
        let Def { name, span, .. } = self.program.defs[def].clone();
        let ty = plain.ty.clone();
        let plain = Def { name: format!("D{{{name}}}").into(), ty, body: plain, span };
        let plain = self.program.defs.push(plain);
        let own = self.defs[&def];
        self.program.defs[own].name = format!("D'{{{name}}}").into();
        let mut params = made;
        params.push(state);
        let args = params.iter().map(|var| self.program.var(*var, NONE)).collect();
        let otherwise = Expr::app(self.program.global(plain, NONE), args, NONE);
        let mut tests = Block::new(None);
        let mut has_all: Option<Expr> = None;
        for ((ty, part), _) in slots.into_iter().zip(wanted).filter(|(_, wanted)| *wanted) {
            let test = self.has_deltas(&ty, part, &mut tests);
            has_all = Some(match has_all {
                Some(before) => Expr::if_(before, test, Expr::bool(false, NONE), NONE),
                None => test,
            });
        }
        let has_all = has_all.expect("a body without deltas saves nothing");
        let body = tests.close(Expr::if_(has_all, then, otherwise, NONE));
        Ok(Some(self.program.lam(params, body)))
    }

    /// Whether all Reals in a part of an argument have deltas.
    fn has_deltas(&mut self, ty: &Type, part: Expr, block: &mut Block) -> Expr {
        if matches!(ty.kind(), TypeKind::Real) {
            return self.call("isActive", vec![Expr::proj(part, 1, NONE)]);
        }
        self.gathered(Op::AllActive, ty, vec![part], Expr::bool(true, NONE), block)
    }

    /// A part of the argument. Each Real outside of sums is a slot, and each sum with Reals.
    fn argument(
        &mut self,
        ty: &Type,
        part: Expr,
        chain: &mut Chain,
        slots: &mut Vec<(Type, Expr)>,
    ) -> Known {
        match ty.kind() {
            TypeKind::Real => {
                let slot = slots.len();
                slots.push((ty.clone(), part.clone()));
                input(part, slot, chain)
            }
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let types: Vec<Type> = ty.parts().into_iter().cloned().collect();
                let parts = types.iter().enumerate().map(|(index, ty)| {
                    let part = self.component(&part, index);
                    self.argument(ty, part, chain, slots)
                });
                Known::Product(parts.collect(), ty.clone())
            }
            TypeKind::Data(_) if contains_real(&self.program.datas, ty) => {
                slots.push((ty.clone(), part.clone()));
                Known::Sum(part, slots.len() - 1)
            }
            TypeKind::Data(_)
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Array(_)
            | TypeKind::Fun(_, _) => Known::Whole(part),
        }
    }

    /// Whether the number of Reals in a value is bounded by its type.
    fn is_bounded(&self, ty: &Type, above: &mut Vec<DataId>) -> bool {
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

    /// The term at an end of a body: branches end each on their own.
    fn end_of(
        &mut self,
        expr: &Expr,
        body: &mut Body,
        chain: &mut Chain,
        block: &mut Block,
    ) -> Result<Expr, Unfit> {
        let mut expr = expr;
        while let ExprKind::Let(var, value, rest) = &expr.kind {
            self.bind_known(*var, value, body, chain, block)?;
            expr = rest;
        }
        let branches: Vec<(Option<&Arm>, &Expr)>;
        let subject = if let ExprKind::If(cond, then, other) = &expr.kind {
            branches = vec![(None, then), (None, other)];
            cond
        } else if let ExprKind::Match(subject, arms, default) = &expr.kind {
            let arms = arms.iter().map(|arm| (Some(arm), &arm.body));
            branches = arms.chain(default.iter().map(|default| (None, &**default))).collect();
            subject
        } else {
            let known = self.known(expr, body, chain, block)?;
            let mut results = vec![];
            let value = self.emitted(&known, chain, &mut results, block);
            body.ends.push((chain.clone(), results));
            return Ok(value);
        };
        let (subject, slot) = match self.known(subject, body, chain, block)? {
            Known::Con(tag, fields, _) => {
                let rest = body.taken(tag, fields, &branches)?;
                return self.end_of(rest, body, chain, block);
            }
            Known::Sum(subject, slot) => (subject, Some(slot)),
            Known::Whole(subject) => (subject, None),
            Known::Real(..) | Known::Product(..) => return Err(Unfit),
        };
        let subject = self.bind(block, "c", subject);
        let (mut arms, mut bodies) = (vec![], vec![]);
        for (arm, rest) in &branches {
            let (mut inside, mut inner) = (chain.clone(), Block::new(block.state));
            if let Some(arm) = arm {
                let vars = self.fields(arm, slot, body, &mut inside);
                arms.push((arm.tag, vars));
            }
            let value = self.end_of(rest, body, &mut inside, &mut inner)?;
            bodies.push(self.end(inner, value));
        }
        let chosen = self.choice(subject, arms, bodies);
        Ok(self.run(block, "r", chosen))
    }

    /// The variables of an arm. Reals in them are inputs, of the part of the argument that the sum is.
    pub(super) fn fields(
        &mut self,
        arm: &Arm,
        slot: Option<usize>,
        body: &mut Body,
        chain: &mut Chain,
    ) -> Vec<VarId> {
        let mut made = vec![];
        for var in &arm.vars {
            let pullback_lambda::Var { name, ty, .. } = self.program.vars[*var].clone();
            let translated = self.ty(&ty);
            let field = self.program.fresh(name, translated);
            made.push(field);
            let part = self.program.var(field, NONE);
            let known = self.field(&ty, part, slot, chain);
            body.known.insert(*var, known);
        }
        made
    }

    fn field(&mut self, ty: &Type, part: Expr, slot: Option<usize>, chain: &mut Chain) -> Known {
        let Some(at) = slot.filter(|_| contains_real(&self.program.datas, ty)) else {
            return Known::Whole(part);
        };
        if matches!(ty.kind(), TypeKind::Real) {
            return input(part, at, chain);
        }
        if !ty.is_product() {
            return Known::Sum(part, at);
        }
        let types: Vec<Type> = ty.parts().into_iter().cloned().collect();
        let parts = types.iter().enumerate().map(|(index, ty)| {
            let part = self.component(&part, index);
            self.field(ty, part, slot, chain)
        });
        Known::Product(parts.collect(), ty.clone())
    }

    /// `if` where there are no arms, and `match` otherwise.
    pub(super) fn choice(
        &mut self,
        subject: Expr,
        arms: Vec<(usize, Vec<VarId>)>,
        mut bodies: Vec<Expr>,
    ) -> Expr {
        if arms.is_empty() {
            let other = bodies.pop().expect("there are two branches");
            let then = bodies.pop().expect("there are two branches");
            return Expr::if_(subject, then, other, NONE);
        }
        let default = if bodies.len() > arms.len() { bodies.pop() } else { None };
        let arms = arms.into_iter().zip(bodies);
        let arms = arms.map(|((tag, vars), body)| Arm::new(tag, vars, body)).collect();
        Expr::match_(subject, arms, default, NONE)
    }

    fn bind_known(
        &mut self,
        var: VarId,
        value: &Expr,
        body: &mut Body,
        chain: &mut Chain,
        block: &mut Block,
    ) -> Result<(), Unfit> {
        let name = self.program.vars[var].name.clone();
        let mut known = self.known(value, body, chain, block)?;
        match &mut known {
            Known::Real(primal, _) => self.rename(primal, "y", &name),
            Known::Whole(whole) => {
                let term = std::mem::replace(whole, Expr::unit(NONE));
                *whole = self.bind(block, &name, term);
            }
            Known::Product(..) | Known::Con(..) | Known::Sum(..) => {}
        }
        body.known.insert(var, known);
        Ok(())
    }

    pub(super) fn known(
        &mut self,
        expr: &Expr,
        body: &mut Body,
        chain: &mut Chain,
        block: &mut Block,
    ) -> Result<Known, Unfit> {
        body.nodes += 1;
        if body.nodes > MOST_NODES {
            return Err(Unfit);
        }
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => body.known.get(var).cloned().ok_or(Unfit),
            ExprKind::Lit(Lit::Real(_)) => Ok(Known::Real(expr.clone(), None)),
            ExprKind::Lit(_) => Ok(Known::Whole(expr.clone())),
            ExprKind::Global(_) if matches!(expr.ty.kind(), TypeKind::Real) => {
                Ok(Known::Real(self.bind(block, "y", expr.clone()), None))
            }
            ExprKind::Prim(prim, args) => self.operation(*prim, args, expr, body, chain, block),
            ExprKind::Let(var, value, rest) => {
                self.bind_known(*var, value, body, chain, block)?;
                self.known(rest, body, chain, block)
            }
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.known(item, body, chain, block));
                Ok(Known::Product(items.collect::<Result<_, _>>()?, expr.ty.clone()))
            }
            ExprKind::Con(tag, fields) => {
                let fields = fields.iter().map(|field| self.known(field, body, chain, block));
                Ok(Known::Con(*tag, fields.collect::<Result<_, _>>()?, expr.ty.clone()))
            }
            ExprKind::Proj(base, index) => match self.known(base, body, chain, block)? {
                Known::Product(mut items, _) => Ok(items.swap_remove(*index)),
                Known::Whole(base) => Ok(Known::Whole(Expr::proj(base, *index, span))),
                Known::Real(..) | Known::Con(..) | Known::Sum(..) => Err(Unfit),
            },
            ExprKind::App(function, args) => {
                let ExprKind::Global(def) = function.kind else { return Err(Unfit) };
                let ExprKind::Lam(params, callee) = &self.program.defs[def].body.kind else {
                    return Err(Unfit);
                };
                if body.open.contains(&def) || params.len() != args.len() {
                    return Err(Unfit);
                }
                let (params, callee) = (params.clone(), (**callee).clone());
                let args = args.iter().map(|arg| self.known(arg, body, chain, block));
                let args: Vec<Known> = args.collect::<Result<_, _>>()?;
                body.known.extend(params.into_iter().zip(args));
                body.open.push(def);
                let result = self.known(&callee, body, chain, block)?;
                body.open.pop();
                Ok(result)
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.known(cond, body, chain, block)?;
                let branches = [(None, &**then), (None, &**other)];
                self.joined(cond, &branches, body, chain, block)
            }
            ExprKind::Match(subject, arms, default) => {
                let subject = self.known(subject, body, chain, block)?;
                let arms = arms.iter().map(|arm| (Some(arm), &arm.body));
                let default = default.iter().map(|default| (None, &**default));
                let branches: Vec<_> = arms.chain(default).collect();
                self.joined(subject, &branches, body, chain, block)
            }
            ExprKind::Ad(AdOp::StopGradient, args) if matches!(expr.ty.kind(), TypeKind::Real) => {
                let Known::Real(primal, _) = self.known(&args[0], body, chain, block)? else {
                    return Err(Unfit);
                };
                let stopped = Expr::ad(AdOp::StopGradient, vec![primal], Type::real(), span);
                Ok(Known::Real(self.bind(block, "y", stopped), None))
            }
            ExprKind::Global(_)
            | ExprKind::Lam(..)
            | ExprKind::LetRec(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => Err(Unfit),
        }
    }

    /// A primitive on scalars.
    fn operation(
        &mut self,
        prim: Prim,
        args: &[Expr],
        whole: &Expr,
        body: &mut Body,
        chain: &mut Chain,
        block: &mut Block,
    ) -> Result<Known, Unfit> {
        let row = prim.row();
        let is_scalar =
            |ty: &PrimTy| matches!(ty, PrimTy::Real | PrimTy::Int | PrimTy::Bool | PrimTy::Str);
        let is_smooth = matches!(row.class, Class::Smooth(_));
        if !(is_smooth || matches!(row.class, Class::Discrete))
            || !row.params.iter().all(is_scalar)
            || !is_scalar(&row.result)
        {
            return Err(Unfit);
        }
        let (mut primals, mut nodes) = (vec![], vec![]);
        for arg in args {
            let (primal, node) = match self.known(arg, body, chain, block)? {
                Known::Real(primal, node) => (primal, node),
                Known::Whole(whole) => (self.bind(block, "x", whole), None),
                Known::Product(..) | Known::Con(..) | Known::Sum(..) => return Err(Unfit),
            };
            primals.push(primal);
            nodes.push(node);
        }
        let value = Expr::prim(prim, primals.clone(), whole.span);
        let primal = self.bind(block, "y", value);
        if row.result != PrimTy::Real {
            return Ok(Known::Whole(primal));
        }
        if !is_smooth {
            return Ok(Known::Real(primal, None));
        }
        let linear =
            self.program.linearise(prim, &primals, &primal, |at| nodes[at].is_some(), whole.span);
        linear.bindings.into_iter().for_each(|(var, term)| block.push(var, term));
        let mut parts = vec![];
        for (slope, node) in linear.slopes.iter().zip(&nodes) {
            if let Some(node) = node {
                parts.extend(self.part(slope, *node, whole.span, block));
            }
        }
        Ok(Known::Real(primal, chain.row(parts)))
    }

    /// A term of the translated type: each Real with the row of what it depends on.
    fn emitted(
        &mut self,
        known: &Known,
        chain: &Chain,
        results: &mut Vec<Option<usize>>,
        block: &mut Block,
    ) -> Expr {
        match known {
            Known::Whole(whole) | Known::Sum(whole, _) => whole.clone(),
            Known::Real(primal, node) => {
                results.push(*node);
                let delta = self.bind_result(chain, *node, block);
                Expr::tuple(vec![primal.clone(), delta], NONE)
            }
            Known::Product(items, ty) => {
                let items = items.iter().map(|item| self.emitted(item, chain, results, block));
                let items = items.collect();
                let ty = self.ty(ty);
                Expr::record(items, ty, NONE)
            }
            Known::Con(tag, fields, ty) => {
                let fields = fields.iter().map(|field| self.emitted(field, chain, results, block));
                let fields = fields.collect();
                let ty = self.ty(ty);
                Expr::new(ExprKind::Con(*tag, fields), ty, NONE)
            }
        }
    }
}

/// The parts of the argument that must have deltas for a fused body to be no more work; none if it saves nothing even then.
fn worthwhile(ends: &[(Chain, Vec<Option<usize>>)], slots: usize) -> Option<Vec<bool>> {
    let all = vec![true; slots];
    let least = |active: &[bool]| ends.iter().map(|(chain, to)| saved(chain, to, active)).min();
    let most = ends.iter().map(|(chain, results)| saved(chain, results, &all)).max();
    if least(&all).is_none_or(|least| least < 0) || most.is_none_or(|most| most <= 0) {
        return None;
    }
    let mut wanted = all;
    for at in 0..slots {
        wanted[at] = false;
        if !wanted.contains(&true) || least(&wanted).is_none_or(|least| least < 0) {
            wanted[at] = true;
        }
    }
    Some(wanted)
}
