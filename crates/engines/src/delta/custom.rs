//! Functions with a derivative rule of their own, and what stops or zeroes derivatives.
//!
//! The value of `custom_vjp f rule x` is that of `custom_vjp` at the primal of `x`, so that the rule also
//! holds for derivatives of the derivative. Its delta is a node that holds the rule's pullback: when the
//! cotangents of the results are known, the pullback turns them into cotangents of `x`. A `custom_jvp` rule
//! is linear in its tangent, so its translation, run on the deltas of `x` as tangents, gives the deltas of
//! the result. What the function captured keeps the derivative that the function itself gives it; what
//! the rule captured counts as constant. A rule runs only if `x` depends on an input.

use std::collections::BTreeMap;

use pullback_lambda::{AdOp, Expr, ExprKind, Lit, Type, VarId, is_first_order, tangent};
use pullback_prim::Prim;
use pullback_reduce::outside_fragment;

use super::block::{Block, NONE, Val};
use super::op::Op;
use super::translation::{Outcome, Translation};
use super::version::Version;

impl Translation<'_> {
    pub(super) fn operator(
        &mut self,
        op: AdOp,
        args: &[Expr],
        whole: &Expr,
        block: &mut Block,
    ) -> Outcome<Expr> {
        match op {
            AdOp::StopGradient => {
                let x = self.whole(&args[0], block)?;
                if self.is_fixed(&whole.ty) {
                    return Ok(x);
                }
                let x = self.bind(block, "x", x);
                Ok(self.rebuild(Op::Stop, &whole.ty, x, block))
            }
            AdOp::Zeros => {
                let x = self.whole(&args[0], block)?;
                let x = self.bind(block, "x", x);
                Ok(self.rebuild(Op::Zeros, &args[0].ty, x, block))
            }
            AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs => {
                pullback_engine::unseen_mark()
            }
            AdOp::Perturb => pullback_engine::unseen_perturbation(),
            AdOp::CustomVjp | AdOp::CustomJvp => {
                self.custom(op, &args[0], &args[1], &args[2], block)
            }
            AdOp::Vjp | AdOp::Jvp | AdOp::Linearize => Err(outside_fragment(
                self.version.name(),
                "a derivative that is still to be taken",
                whole.span,
            )),
        }
    }

    fn custom(
        &mut self,
        op: AdOp,
        function: &Expr,
        rule: &Expr,
        x: &Expr,
        block: &mut Block,
    ) -> Outcome<Expr> {
        let types = Types::of(self, function)?;
        let plain_function = self.closed(function);
        let plain_rule = self.plain_rule(rule, block);
        let function = match plain_function {
            None => Some(self.bound(function, "f", block)?),
            Some(_) => None,
        };
        let translated_rule = match plain_rule {
            Some(_) if op == AdOp::CustomVjp || self.version == Version::Forward => None,
            Some(_) | None => Some(self.bound(rule, "rule", block)?),
        };
        let x = self.bound(x, "x", block)?;
        let primal = self.rebuild(Op::Primal, &types.from, x.clone(), block);
        let primal = self.bind(block, "x", primal);
        // The value, by the same operator at the primal.
        let plain_function = match (plain_function, &function) {
            (Some(plain), _) => plain,
            (None, Some(function)) => self.lowered_function(function.clone(), &types),
            (None, None) => return Ok(self.unit()),
        };
        let plain_rule = match (plain_rule, &translated_rule) {
            (Some(plain), _) => plain,
            (None, Some(rule)) if op == AdOp::CustomVjp => self.lowered_vjp(rule.clone(), &types),
            (None, Some(rule)) => self.lowered_jvp(rule.clone(), &types),
            (None, None) => return Ok(self.unit()),
        };
        let plain_rule = self.bind(block, "rule", plain_rule);
        let args = vec![plain_function, plain_rule.clone(), primal.clone()];
        let y = self.bind(block, "y", Expr::ad(op, args, types.to.clone(), NONE));
        let constant = self.rebuild(Op::InitZeros, &types.to, y.clone(), block);
        let constant = self.bind(block, "y", constant);
        let base = match function {
            None => constant,
            Some(function) => {
                // The deltas of what the function captured.
                let x = self.rebuild(Op::InitZeros, &types.from, primal.clone(), block);
                let whole = self.call_with_state(function, vec![x], NONE, block);
                let dots = self.rebuild(Op::Tangents, &types.to, whole, block);
                let inputs = vec![y.clone(), constant, dots];
                let base = self.structure(Op::Graft, &types.to, inputs, None, block);
                self.bind(block, "y", base)
            }
        };
        let no = Expr::bool(false, NONE);
        let active = self.gathered(Op::Active, &types.from, vec![x.clone()], no, block);
        let mut inner = Block::new(block.state);
        let attached = match translated_rule {
            _ if op == AdOp::CustomJvp && self.version == Version::Forward => {
                self.push_forward(plain_rule, &x, primal, (&y, &base), &types, &mut inner)
            }
            Some(rule) if op == AdOp::CustomJvp => {
                self.attach_jvp(rule, &x, &primal, (&y, &base), &types, &mut inner)
            }
            Some(_) | None => {
                let pair = Expr::app(plain_rule, vec![primal], NONE);
                let pair = self.bind(&mut inner, "pair", pair);
                let pullback = self.bind(&mut inner, "pullback", Expr::proj(pair, 1, NONE));
                self.attach_vjp(pullback, &x, (&y, &base), &types, &mut inner)
            }
        };
        if let ExprKind::Lit(Lit::Bool(true)) = active.kind {
            block.extend(inner);
            return Ok(attached);
        }
        if inner.state == block.state {
            let attached = inner.close(attached);
            return Ok(self.bind(block, "r", Expr::if_(active, attached, base, NONE)));
        }
        let attached = self.end(inner, attached);
        let untouched = self.end(Block::new(block.state), base);
        Ok(self.run(block, "r", Expr::if_(active, attached, untouched, NONE)))
    }

    fn bound(&mut self, expr: &Expr, name: &str, block: &mut Block) -> Outcome<Expr> {
        let whole = self.whole(expr, block)?;
        Ok(self.bind(block, name, whole))
    }

    /// A term that depends on no Real and no function around it, as it stands in the source.
    fn closed(&mut self, expr: &Expr) -> Option<Expr> {
        let mut replacements = BTreeMap::new();
        for var in expr.free_vars() {
            let ty = self.program.vars[var].ty.clone();
            if !self.is_fixed(&ty) || super::translate::is_function(&ty) {
                return None;
            }
            let Some(Val::Whole(whole)) = self.vars.get(&var) else { return None };
            replacements.insert(var, whole.clone());
        }
        Some(self.program.copy_with(expr, &replacements))
    }

    /// A rule as it stands in the source, what it captured being constant; not if it captured functions.
    /// So a rule may use the function that it is for, whose rule would else run without end where every
    /// number has a tangent.
    fn plain_rule(&mut self, rule: &Expr, block: &mut Block) -> Option<Expr> {
        let mut captured = vec![];
        for var in rule.free_vars() {
            let ty = self.program.vars[var].ty.clone();
            if !is_first_order(&self.program.datas, &ty) {
                return None;
            }
            captured.push((var, self.vars.get(&var)?.clone(), ty));
        }
        let mut replacements = BTreeMap::new();
        for (var, value, ty) in captured {
            let primal = match value {
                Val::Dual(primal, _) => primal,
                Val::Whole(whole) if self.is_fixed(&ty) => whole,
                Val::Whole(whole) => {
                    let primal = self.rebuild(Op::Primal, &ty, whole, block);
                    self.bind(block, "c", primal)
                }
            };
            replacements.insert(var, primal);
        }
        Some(self.program.copy_with(rule, &replacements))
    }

    /// A block with an empty state of its own: for computations whose deltas are of no use.
    fn aside(&mut self) -> Block {
        let mut block = Block::new(None);
        if self.version == Version::Final {
            let state = self.program.fresh("s", self.library.state());
            let empty = self.empty_state(Expr::int(0, NONE));
            block.push(state, empty);
            block.state = Some(state);
        }
        block
    }

    /// A parameter, and the constant that it is.
    fn constant_parameter(&mut self, name: &str, ty: &Type, block: &mut Block) -> (VarId, Expr) {
        let param = self.program.fresh(name, ty.clone());
        let given = self.program.var(param, NONE);
        (param, self.rebuild(Op::InitZeros, ty, given, block))
    }

    /// `\x -> primal (f (initZeros x))`
    fn lowered_function(&mut self, function: Expr, types: &Types) -> Expr {
        let mut block = self.aside();
        let (x, arg) = self.constant_parameter("x", &types.from, &mut block);
        let result = self.call_with_state(function, vec![arg], NONE, &mut block);
        let result = self.rebuild(Op::Primal, &types.to, result, &mut block);
        let body = block.close(result);
        self.program.lam(vec![x], body)
    }

    /// `\x -> let (y, pullback) = rule (initZeros x) in (primal y, \y_bar -> primal (pullback …))`
    fn lowered_vjp(&mut self, rule: Expr, types: &Types) -> Expr {
        let mut block = self.aside();
        let (x, arg) = self.constant_parameter("x", &types.from, &mut block);
        let pair = self.call_with_state(rule, vec![arg], NONE, &mut block);
        let y = Expr::proj(pair.clone(), 0, NONE);
        let y = self.rebuild(Op::Primal, &types.to, y, &mut block);
        let pullback = self.bind(&mut block, "pullback", Expr::proj(pair, 1, NONE));
        let pullback =
            Types { from: types.to_dot.clone(), to: types.from_dot.clone(), ..types.clone() }
                .lower(self, pullback);
        let body = block.close(Expr::tuple(vec![y, pullback], NONE));
        self.program.lam(vec![x], body)
    }

    /// `\x x_dot -> primal (rule (initZeros x) (initZeros x_dot))`
    fn lowered_jvp(&mut self, rule: Expr, types: &Types) -> Expr {
        let mut block = self.aside();
        let (x, arg) = self.constant_parameter("x", &types.from, &mut block);
        let (x_dot, dot) = self.constant_parameter("x_dot", &types.from_dot, &mut block);
        let pair = self.apply_rule(rule, arg, dot, &mut block);
        let y = Expr::proj(pair.clone(), 0, NONE);
        let y = self.rebuild(Op::Primal, &types.to, y, &mut block);
        let y_dot = Expr::proj(pair, 1, NONE);
        let y_dot = self.rebuild(Op::Primal, &types.to_dot, y_dot, &mut block);
        let body = block.close(Expr::tuple(vec![y, y_dot], NONE));
        self.program.lam(vec![x, x_dot], body)
    }

    /// A translated rule of forward mode, applied to both its arguments.
    fn apply_rule(&mut self, rule: Expr, x: Expr, x_dot: Expr, block: &mut Block) -> Expr {
        if self.version != Version::Final {
            let call = Expr::app(rule, vec![x, x_dot], NONE);
            return self.bind(block, "pair", call);
        }
        let partial = self.call_with_state(rule, vec![x], NONE, block);
        self.call_with_state(partial, vec![x_dot], NONE, block)
    }

    /// In forward mode a rule of forward mode is applied as it stands.
    fn push_forward(
        &mut self,
        rule: Expr,
        x: &Expr,
        primal: Expr,
        (y, base): (&Expr, &Expr),
        types: &Types,
        block: &mut Block,
    ) -> Expr {
        let dot = self.rebuild(Op::Delta, &types.from, x.clone(), block);
        let pair = Expr::app(rule, vec![primal, dot], NONE);
        let pair = self.bind(block, "pair", pair);
        let y_dot = self.bind(block, "y_dot", Expr::proj(pair, 1, NONE));
        let inputs = vec![y_dot.clone(), y_dot];
        let y_dot = self.structure(Op::Zip, &types.to_dot, inputs, None, block);
        let y_dot = self.bind(block, "y_dot", y_dot);
        let inputs = vec![y.clone(), base.clone(), y_dot];
        self.structure(Op::Graft, &types.to, inputs, None, block)
    }

    fn attach_jvp(
        &mut self,
        rule: Expr,
        x: &Expr,
        primal: &Expr,
        (y, base): (&Expr, &Expr),
        types: &Types,
        block: &mut Block,
    ) -> Expr {
        let dot = self.rebuild(Op::Tangents, &types.from, x.clone(), block);
        let x = self.rebuild(Op::InitZeros, &types.from, primal.clone(), block);
        let pair = self.apply_rule(rule, x, dot, block);
        let y_dot = self.bind(block, "y_dot", Expr::proj(pair, 1, NONE));
        let inputs = vec![y.clone(), base.clone(), y_dot];
        self.structure(Op::Graft, &types.to, inputs, None, block)
    }

    fn attach_vjp(
        &mut self,
        pullback: Expr,
        x: &Expr,
        (y, base): (&Expr, &Expr),
        types: &Types,
        block: &mut Block,
    ) -> Expr {
        let zero = Expr::int(0, NONE);
        let count = self.gathered(Op::Count, &types.to, vec![y.clone()], zero.clone(), block);
        let count = self.bind(block, "n", count);
        let position = self.program.fresh("k", Type::int());
        let k = self.program.var(position, NONE);
        let delta = if self.version == Version::Final {
            let maybes = Type::array(self.library.maybe());
            let slots = self.program.fresh("y_bars", maybes);
            let given = self.program.var(slots, NONE);
            let work = self.program.fresh("work", self.library.work());
            let rest = self.program.var(work, NONE);
            let body = self.pulled(pullback, x, y, given, rest, types);
            let node = self.program.lam(vec![slots, work], body);
            let args = [count, node].into_iter().chain(self.state(block)).collect();
            let first = self.call("letRule", args);
            let first = self.run(block, "first", first);
            let uid = Expr::prim(Prim::IntAdd, vec![first, k], NONE);
            Expr::new(ExprKind::Con(1, vec![uid]), self.library.delta(), NONE)
        } else {
            let forward = self.version == Version::Forward;
            let cotangent = self.program.fresh("y_bar", Type::real());
            let y_bar =
                if forward { Expr::real(1.0, NONE) } else { self.program.var(cotangent, NONE) };
            let given = self.just(y_bar);
            let work = self.program.fresh("work", self.library.work());
            let rest = if forward { self.done() } else { self.program.var(work, NONE) };
            let index = self.program.fresh("i", Type::int());
            let here = Expr::prim(Prim::IntEq, vec![self.program.var(index, NONE), k], NONE);
            let slot = Expr::if_(here, given, self.nothing(), NONE);
            let slots = Expr::build(count, index, slot, NONE);
            let mut inner = Block::new(None);
            let slots = self.bind(&mut inner, "y_bars", slots);
            let body = self.pulled(pullback, x, y, slots, rest, types);
            let body = inner.close(body);
            if forward {
                body
            } else {
                let node = self.program.lam(vec![cotangent, work], body);
                if self.version == Version::Two {
                    Expr::new(ExprKind::Con(4, vec![node]), self.library.delta(), NONE)
                } else {
                    let row = Expr::app(node, vec![Expr::real(1.0, NONE), self.done()], NONE);
                    self.call("total", vec![row])
                }
            }
        };
        let input = self.program.lam(vec![position], delta);
        let input = self.bind(block, "input", input);
        let inputs = vec![base.clone()];
        let out = self.poly(Op::Attach, &types.to, inputs, Some(input), Some(zero), block).0;
        out.expect("the function makes a structure")
    }

    /// The work that remains when the cotangents of the results are known, before the `rest`.
    fn pulled(
        &mut self,
        pullback: Expr,
        x: &Expr,
        y: &Expr,
        slots: Expr,
        rest: Expr,
        types: &Types,
    ) -> Expr {
        let mut inner = Block::new(None);
        let zero = Some(Expr::int(0, NONE));
        let inputs = vec![y.clone()];
        let y_bar = self.poly(Op::Lookup, &types.to, inputs, Some(slots), zero, &mut inner).0;
        let y_bar = y_bar.expect("the function makes a structure");
        let x_bar = Expr::app(pullback, vec![y_bar], NONE);
        let x_bar = self.bind(&mut inner, "x_bar", x_bar);
        let inputs = vec![x.clone(), x_bar];
        let more = self.gathered(Op::Spread, &types.from, inputs, rest, &mut inner);
        inner.close(more)
    }
}

/// The types around a function `from -> to` with a rule.
#[derive(Clone)]
struct Types {
    from: Type,
    to: Type,
    from_dot: Type,
    to_dot: Type,
}

impl Types {
    fn of(translation: &mut Translation<'_>, function: &Expr) -> Outcome<Self> {
        let engine = translation.version.name();
        let refused = || {
            let what = "derivative rules for functions of functions";
            outside_fragment(engine, what, function.span)
        };
        let Some((from, to)) = function.ty.as_fun() else { return Err(refused()) };
        let datas = &mut translation.program.datas;
        let (Some(from_dot), Some(to_dot)) = (tangent(datas, from), tangent(datas, to)) else {
            return Err(refused());
        };
        Ok(Self { from: from.clone(), to: to.clone(), from_dot, to_dot })
    }

    /// `\x -> primal (f (initZeros x))` at these types.
    fn lower(&self, translation: &mut Translation<'_>, function: Expr) -> Expr {
        translation.lowered_function(function, self)
    }
}
