//! The reverse half: `revr$f : (X, δT) -> δS`, by going through the steps backwards.
//!
//! Input: a region and the cotangent of its result. Output: code that gives the cotangents of the
//! variables outside, and for each step with regions inside, a plan of what the forward half has to save.
//! The reverse code mentions variables of the forward half freely; what it mentions is `X`, nothing else.
//! Cotangents of arrays are updated in place at the element that was read, so every step costs a
//! constant times its forward half.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Span, bug};
use pullback_lambda::{AdOp, Arm, DefId, Expr, Slope, Type, TypeKind, VarId};
use pullback_prim::Prim;

use super::absence::{ABSENT, Arithmetic};
use super::cl::{Custom, NAME};
use super::cotangent::Cot;
use super::flow::{Aliases, Flows, flows_of};
use super::plan::{Choice, Halves, Plan};
use super::steps::{Region, Step, StepKind, var_of};

pub(super) struct Reverse<'p> {
    pub arith: Arithmetic<'p>,
    pub halves: &'p BTreeMap<DefId, Halves>,
    pub flows: &'p Flows,
    pub active: BTreeSet<VarId>,
    pub aliases: Aliases,
    pub cots: BTreeMap<VarId, Cot>,
    pub plans: BTreeMap<VarId, Plan>,
}

impl Reverse<'_> {
    /// Goes through a region backwards.
    pub fn region(&mut self, region: &Region, dt: Cot) {
        self.give(&region.result, dt);
        for step in region.steps.iter().rev() {
            if !self.active.contains(&step.out) || self.aliases.contains_key(&step.out) {
                continue;
            }
            if let Some(dt) = self.cots.remove(&step.out) {
                self.arith.span = step.span;
                self.step(step, dt);
            }
        }
    }

    /// A contribution to the cotangent of an operand, if that is asked for: constants have none.
    pub fn give(&mut self, operand: &Expr, delta: Cot) {
        if let Some(var) = self.asked(operand)
            && !matches!(delta, Cot::None)
        {
            self.deposit(var, delta);
        }
    }

    fn deposit(&mut self, var: VarId, delta: Cot) {
        let mut path = vec![];
        let mut var = var;
        while let Some((base, access)) = self.aliases.get(&var) {
            path.push(access.clone());
            var = *base;
        }
        path.reverse();
        let old = self.cots.remove(&var).unwrap_or(Cot::None);
        let value = self.value(var);
        let new = self.arith.deposit(old, &path, delta, &value);
        self.cots.insert(var, new);
    }

    pub fn value(&self, var: VarId) -> Expr {
        self.arith.program.var(var, self.arith.span)
    }

    /// The cotangent of a variable as a term.
    pub fn taken(&mut self, var: VarId) -> Expr {
        let cot = self.cots.remove(&var).unwrap_or(Cot::None);
        let value = self.value(var);
        self.arith.whole(&cot, &value)
    }

    /// A cotangent in one of its two forms, and whether all of it is there.
    pub fn form(&mut self, cot: &Cot, out: VarId) -> (Expr, bool) {
        let value = self.value(out);
        self.arith.form(cot, &value)
    }

    fn step(&mut self, step: &Step, dt: Cot) {
        match &step.kind {
            StepKind::Smooth(prim, args) => self.smooth(*prim, args, step.out, &dt),
            StepKind::Structural(_, moves, args) => {
                let (dt, sure) = self.form(&dt, step.out);
                self.structural(*moves, args, dt, sure);
            }
            StepKind::Plain(..) | StepKind::Component(..) => {}
            StepKind::Tuple(items) => {
                let parts = self.arith.parts(dt, &step.ty);
                for (item, part) in items.iter().zip(parts) {
                    self.give(item, part);
                }
            }
            StepKind::Con(tag, items) => self.constructor(*tag, items, &dt, step.out),
            StepKind::Array(items) => {
                let span = self.arith.span;
                let (dt, sure) = self.form(&dt, step.out);
                for (at, item) in items.iter().enumerate() {
                    let at = Expr::int(i64::try_from(at).unwrap_or(i64::MAX), span);
                    let part = Expr::index(dt.clone(), at, span);
                    let part = self.arith.formed(part, sure);
                    self.give(item, part);
                }
            }
            StepKind::Call(def, args) => {
                let flows = flows_of(self.flows, *def);
                self.call(*def, args, &flows, step.out, &dt);
            }
            StepKind::Custom(custom, args) => self.custom(custom, args, step.out, &dt),
            StepKind::If(cond, then, other) => self.branches(
                step.out,
                &dt,
                &[("Then".into(), &[], then), ("Else".into(), &[], other)],
                &Choice::Bool(cond),
            ),
            StepKind::Build(_, index, body) => self.build(step.out, &dt, *index, body),
            StepKind::Fold { state, init, index, count, body } => {
                let back = Turns { state: *state, index: Some(*index), count: Some(count), init };
                self.turns(step.out, &dt, &back, body);
            }
            StepKind::While { state, init, body, .. } => {
                let back = Turns { state: *state, index: None, count: None, init };
                self.turns(step.out, &dt, &back, body);
            }
            StepKind::Case(scrutinee, arms, default) => {
                self.case(scrutinee, arms, default.as_ref(), step.out, &dt);
            }
        }
    }

    /// Each partial derivative times the cotangent.
    fn smooth(&mut self, prim: Prim, args: &[Expr], out: VarId, dt: &Cot) {
        let (span, result) = (self.arith.span, self.value(out));
        let wanted: Vec<bool> = args.iter().map(|arg| self.wants(arg)).collect();
        let slopes = self.arith.linearised(prim, args, &result, |at| wanted[at]);
        let asked = args.iter().zip(slopes).filter(|(_, slope)| !matches!(slope, Slope::Zero));
        let asked: Vec<(&Expr, Slope)> = asked.collect();
        let maybe = match dt {
            Cot::Sure(d) => {
                for (arg, slope) in asked {
                    let product = self.arith.product(&slope, d);
                    self.give_bound(arg, product);
                }
                return;
            }
            Cot::Maybe(maybe) => maybe,
            Cot::None | Cot::Parts(_) => bug(NAME, "a cotangent of a Real that is there"),
        };
        let (same, asked): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|(_, slope)| matches!(slope, Slope::One));
        for (arg, _) in same {
            self.give(arg, Cot::Maybe(maybe.clone()));
        }
        if asked.is_empty() {
            return;
        }
        let absent = asked.iter().map(|_| self.arith.absent(&result)).collect();
        let absent = gathered(absent, span);
        let products = self.arith.where_present(maybe, absent, |arith, d| {
            let mut products = vec![];
            for (_, slope) in &asked {
                let product = arith.product(slope, d);
                products.push(arith.whole(&product, &result));
            }
            gathered(products, span)
        });
        let parts = self.spread(products, asked.len());
        for ((arg, _), part) in asked.into_iter().zip(parts) {
            self.give(arg, Cot::Maybe(part));
        }
    }

    /// A contribution that is not bound to a variable yet.
    fn give_bound(&mut self, operand: &Expr, delta: Cot) {
        let bound = match delta {
            Cot::Sure(term) => self.arith.formed(term, true),
            Cot::Maybe(term) => self.arith.formed(term, false),
            Cot::None | Cot::Parts(_) => delta,
        };
        self.give(operand, bound);
    }

    /// Whether the cotangent of an operand is asked for.
    pub fn wants(&self, operand: &Expr) -> bool {
        self.asked(operand).is_some()
    }

    /// The variable that an operand is, if its cotangent is asked for.
    pub fn asked(&self, operand: &Expr) -> Option<VarId> {
        var_of(operand).filter(|var| self.active.contains(var))
    }

    /// The cotangents of the fields.
    fn constructor(&mut self, tag: usize, items: &[Expr], dt: &Cot, out: VarId) {
        let span = self.arith.span;
        let (dt, sure) = self.form(dt, out);
        let TypeKind::Data(data) = dt.ty.kind() else { bug(NAME, "the cotangent of a sum") };
        let constructors = &self.arith.program.datas[*data].constructors;
        // What may be absent has a constructor more.
        let tag = if sure { tag } else { tag + 1 };
        let (fields, count) = (constructors[tag].fields.clone(), constructors.len());
        let vars: Vec<VarId> =
            fields.iter().map(|ty| self.arith.program.fresh("d", ty.clone())).collect();
        let given = vars.iter().map(|var| self.arith.program.var(*var, span)).collect();
        let body = Expr::tuple(given, span);
        let mut arms = vec![Arm::new(tag, vars, body)];
        if !sure {
            let absent = items.iter().map(|item| self.arith.absent(item)).collect();
            arms.push(Arm::new(ABSENT, vec![], Expr::tuple(absent, span)));
        }
        let ty = arms[0].body.ty.clone();
        let other = (arms.len() < count).then(|| impossible(ty, span));
        let fields = Expr::match_(dt, arms, other, span);
        let fields = self.arith.bind("fields", fields);
        for (at, item) in items.iter().enumerate() {
            if self.wants(item) {
                let part = Expr::proj(fields.clone(), at, span);
                let part = self.arith.formed(part, sure);
                self.give(item, part);
            }
        }
    }

    /// The reverse half of the callee.
    fn call(&mut self, def: DefId, args: &[Expr], flows: &[bool], out: VarId, dt: &Cot) {
        let Some(halves) = self.halves.get(&def).cloned() else { bug(NAME, "halves of a callee") };
        if !flows.iter().zip(args).any(|(flows, arg)| *flows && self.wants(arg)) {
            return;
        }
        let token = self.arith.program.fresh("saved", halves.saved.clone());
        self.plans.insert(out, Plan::Call { token });
        let token = self.arith.program.var(token, self.arith.span);
        self.through(&halves, token, args, flows, out, dt);
    }

    /// The cotangents of arguments by the reverse half of a definition, from what its forward half saved;
    /// those that do not flow are left out.
    pub(super) fn through(
        &mut self,
        halves: &Halves,
        token: Expr,
        args: &[Expr],
        flows: &[bool],
        out: VarId,
        dt: &Cot,
    ) {
        let span = self.arith.span;
        let value = self.value(out);
        let (dt, sure) = self.arith.form(dt, &value);
        let (mut given, mut direct): (Vec<Expr>, Vec<Option<VarId>>) = (vec![], vec![]);
        for (at, arg) in args.iter().enumerate().filter(|(at, _)| halves.flows[*at]) {
            let own = var_of(arg).filter(|var| {
                flows[at]
                    && halves.accumulates[at]
                    && self.active.contains(var)
                    && !self.aliases.contains_key(var)
                    && !direct.contains(&Some(*var))
            });
            if halves.accumulates[at] {
                let start = match own {
                    Some(var) => self.taken(var),
                    None => self.arith.absent(arg),
                };
                given.push(self.arith.bind("acc", start));
            }
            direct.push(own);
        }
        let reverse = self.arith.program.global(halves.reverse, span);
        let call = |dt: Expr| {
            let both = Expr::tuple(vec![token.clone(), dt], span);
            let args = [both].into_iter().chain(given.iter().cloned()).collect();
            Expr::app(reverse.clone(), args, span)
        };
        let unsure = halves.definite && !sure;
        let result = if unsure {
            self.unless_absent(halves, args, &given, &dt, call)
        } else if halves.definite || !sure {
            call(dt)
        } else {
            let whole = self.arith.inject(&dt);
            call(self.arith.bind("dy", whole))
        };
        let parts = self.spread(result, direct.len());
        let mut next = parts.into_iter().zip(direct);
        let mut others = vec![];
        for (at, arg) in args.iter().enumerate().filter(|(at, _)| halves.flows[*at]) {
            let Some((part, own)) = next.next() else { bug(NAME, "as many cotangents as flow") };
            match own {
                Some(var) => {
                    self.cots.insert(var, Cot::Maybe(part));
                }
                None if flows[at] && halves.sure[at] && !unsure => {
                    others.push((arg, Cot::Sure(part)));
                }
                None if flows[at] => others.push((arg, Cot::Maybe(part))),
                None => {}
            }
        }
        for (arg, part) in others {
            self.give(arg, part);
        }
    }

    /// The call with a cotangent that is there, or what was given.
    fn unless_absent(
        &mut self,
        halves: &Halves,
        args: &[Expr],
        given: &[Expr],
        dt: &Expr,
        call: impl FnOnce(Expr) -> Expr,
    ) -> Expr {
        let span = self.arith.span;
        let mut accumulators = given.iter().cloned();
        let (mut unchanged, mut sure) = (vec![], vec![]);
        for (at, arg) in args.iter().enumerate().filter(|(at, _)| halves.flows[*at]) {
            let given = if halves.accumulates[at] { accumulators.next() } else { None };
            unchanged.push(given.unwrap_or_else(|| self.arith.absent(arg)));
            sure.push(halves.sure[at]);
        }
        self.arith.where_present(dt, gathered(unchanged, span), |arith, d| {
            let result = arith.bind("r", call(d.clone()));
            let count = sure.len();
            let mut parts = vec![];
            for (at, sure) in sure.into_iter().enumerate() {
                let part =
                    if count == 1 { result.clone() } else { Expr::proj(result.clone(), at, span) };
                parts.push(if sure {
                    let part = arith.bind("d", part);
                    arith.inject(&part)
                } else {
                    part
                });
            }
            gathered(parts, span)
        })
    }

    /// The parts of a result that is a tuple unless it is one.
    pub(super) fn spread(&mut self, result: Expr, count: usize) -> Vec<Expr> {
        let result = self.arith.bind("r", result);
        if count == 1 {
            return vec![result];
        }
        let span = self.arith.span;
        let mut parts = vec![];
        for at in 0..count {
            parts.push(self.arith.bind("d", Expr::proj(result.clone(), at, span)));
        }
        parts
    }

    /// The argument gets what the rule says, what was captured what the function itself says.
    fn custom(&mut self, custom: &Custom, args: &[Expr], out: VarId, dt: &Cot) {
        let last = args.len() - 1;
        if custom.op == AdOp::CustomVjp {
            self.rule(custom, args, out, dt);
        } else if let Some(halves) = self.halves.get(&custom.derivative).cloned()
            && halves.flows.last() == Some(&true)
            && self.wants(&args[last])
        {
            // The rule is linear in its last parameter: its derivative there is itself.
            let token = self.arith.saved_at_zero(&halves, args, ("x_dot", &args[last]));
            let targets: Vec<Expr> = args.iter().chain([&args[last]]).cloned().collect();
            let mut flows = vec![false; args.len()];
            flows.push(true);
            self.through(&halves, token, &targets, &flows, out, dt);
        }
        let mut flows = flows_of(self.flows, custom.value);
        flows[last] = false;
        self.call(custom.value, args, &flows, out, dt);
    }

    /// A rule of reverse mode. It is not asked where nothing is there.
    fn rule(&mut self, custom: &Custom, args: &[Expr], out: VarId, dt: &Cot) {
        let (span, value) = (self.arith.span, self.value(out));
        let x = &args[args.len() - 1];
        if !self.wants(x) {
            return;
        }
        let rule = self.arith.program.global(custom.derivative, span);
        let call = |d: Expr| Expr::app(rule, args.iter().cloned().chain([d]).collect(), span);
        let part = self.arith.by_rule(dt, &value, x, call);
        self.give(x, part);
    }

    /// The variables of a region that its reverse code needs.
    pub fn saved(&self, code: &Expr, region: &Region, own: &[VarId]) -> Vec<VarId> {
        let mut bound: BTreeSet<VarId> = region.bound().chain(own.iter().copied()).collect();
        for step in &region.steps {
            if let Some(plan) = self.plans.get(&step.out) {
                bound.extend(plan.tokens());
            }
        }
        code.free_vars().into_iter().filter(|var| bound.contains(var)).collect()
    }

    /// Fresh names for saved variables, in reverse code.
    pub fn opened(&mut self, code: &mut Expr, saved: &[VarId]) -> Vec<VarId> {
        let mut replacements = BTreeMap::new();
        let mut fresh = vec![];
        for var in saved {
            let new = self.arith.program.fresh_like(*var);
            replacements.insert(*var, self.arith.program.var(new, code.span));
            fresh.push(new);
        }
        self.arith.program.substitute(code, &replacements);
        fresh
    }
}

/// One value as it is, several as a tuple.
pub(super) fn gathered(items: Vec<Expr>, span: Span) -> Expr {
    let mut items = items;
    match items.pop() {
        Some(only) if items.is_empty() => only,
        Some(last) => {
            items.push(last);
            Expr::tuple(items, span)
        }
        None => Expr::unit(span),
    }
}

/// A loop to go back through.
pub(super) struct Turns<'s> {
    pub state: VarId,
    pub index: Option<VarId>,
    pub count: Option<&'s Expr>,
    pub init: &'s Expr,
}

/// What cannot be reached.
pub(super) fn impossible(ty: Type, span: Span) -> Expr {
    let message = Expr::str("the reverse half does not fit the forward half", span);
    Expr::stop(Prim::Broken, message, ty, span)
}
