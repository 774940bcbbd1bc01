//! The reverse half: `revr$f : (X, δT) -> δS`, by going through the steps backwards.
//!
//! Input: a region and the cotangent of its result. Output: code that gives the cotangents of the
//! variables outside, and for each step with regions inside, a plan of what the forward half has to save.
//! The reverse code mentions variables of the forward half freely; what it mentions is `X`, nothing else.
//! Cotangents of arrays are updated in place at the element that was read, so every step costs a
//! constant times its forward half.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::Span;
use pullback_lambda::{AdOp, Arm, DataId, DefId, Expr, Prim, Type, TypeKind, VarId};

use super::branches::Choice;
use super::cl::Custom;
use super::cotangent::{Arithmetic, Cot};
use super::flow::{Aliases, Flows, root};
use super::steps::{Region, Step, StepKind, var_of};

/// The two halves of a definition.
#[derive(Clone, Debug)]
pub struct Halves {
    /// `revf$f : S -> (T, X)`
    pub forward: DefId,
    /// `revr$f : X -> δT -> accumulated… -> δS`: only the cotangents of parameters through which
    /// derivatives flow; those with arrays are given and added to in place.
    pub reverse: DefId,
    /// `X`
    pub saved: Type,
    /// Through which parameters derivatives flow.
    pub flows: Vec<bool>,
    /// Which cotangents are given, to be added to.
    pub accumulates: Vec<bool>,
    /// Whether the cotangent of the result has all contributions: callers see to that.
    pub definite: bool,
    /// Whether the cotangents it gives may lack contributions.
    pub partial: Vec<bool>,
}

/// What the forward half of a step saves beside its value.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// Which branch ran, with the variables of each: a sum with a constructor for each branch.
    Branch { token: VarId, data: DataId, saved: Vec<Vec<VarId>> },
    /// An array with the variables of each element.
    Build { token: VarId, saved: Vec<VarId> },
    /// A stack with the variables of each turn, if there are any, and the number of turns if the loop
    /// does not say it.
    Loop { stack: Option<(VarId, DataId)>, count: Option<VarId>, saved: Vec<VarId> },
    /// What the callee saved.
    Call { token: VarId },
}

impl Plan {
    /// The variables that the forward half binds for the reverse half.
    pub fn tokens(&self) -> Vec<VarId> {
        match self {
            Plan::Branch { token, .. } | Plan::Build { token, .. } | Plan::Call { token } => {
                vec![*token]
            }
            Plan::Loop { stack, count, .. } => {
                stack.iter().map(|(token, _)| *token).chain(*count).collect()
            }
        }
    }
}

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

    /// A contribution to the cotangent of an operand.
    pub fn give(&mut self, operand: &Expr, delta: Cot) {
        let Some(var) = var_of(operand) else { return };
        if !self.active.contains(&var) || matches!(delta, Cot::None) {
            return;
        }
        let mut path = vec![];
        let mut var = var;
        while let Some((base, access)) = self.aliases.get(&var) {
            path.insert(0, access.clone());
            var = *base;
        }
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

    fn whole(&mut self, cot: &Cot, out: VarId) -> Expr {
        let value = self.value(out);
        let whole = self.arith.whole(cot, &value);
        self.arith.bind("dy", whole)
    }

    fn step(&mut self, step: &Step, dt: Cot) {
        match &step.kind {
            StepKind::Smooth(prim, args) => self.smooth(*prim, args, step.out, &dt),
            StepKind::Structural(prim, args) => {
                let dt = self.whole(&dt, step.out);
                self.structural(*prim, args, dt);
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
                let (span, dt) = (self.arith.span, self.whole(&dt, step.out));
                for (at, item) in items.iter().enumerate() {
                    let at = Expr::int(i64::try_from(at).unwrap_or(i64::MAX), span);
                    let part = Expr::prim(Prim::Index, vec![dt.clone(), at], span);
                    let part = self.arith.bind("d", part);
                    self.give(item, Cot::Whole(part, true));
                }
            }
            StepKind::Call(def, args) => {
                let flows = self.flows.get(def).cloned().unwrap_or_default();
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
        let (Cot::Whole(d, maybe), Some(smooth)) = (dt, prim.row().smooth()) else { return };
        let mut none = None;
        for (arg, partial) in args.iter().zip(smooth.partials) {
            let (Some(var), Some(partial)) = (var_of(arg), partial) else { continue };
            if !self.active.contains(&var) {
                continue;
            }
            let Some(mut product) = partial.times(d, args, &result, span) else { continue };
            if *maybe && !product.is_atom() {
                let none = none.get_or_insert_with(|| {
                    let test = self.arith.is_absent(d);
                    self.arith.bind("none", test)
                });
                product = Expr::if_(none.clone(), d.clone(), product, span);
            }
            let product = self.arith.bind("d", product);
            self.give(arg, Cot::Whole(product, *maybe));
        }
    }

    /// Whether the cotangent of an operand is asked for.
    fn wants(&self, operand: &Expr) -> bool {
        var_of(operand).is_some_and(|var| self.active.contains(&var))
    }

    /// Cotangents move back the way that values came.
    fn structural(&mut self, prim: Prim, args: &[Expr], dt: Expr) {
        let span = self.arith.span;
        let primitive = |prim, args| Expr::prim(prim, args, span);
        let size = |array: &Expr| primitive(Prim::Size, vec![array.clone()]);
        if prim == Prim::Update {
            self.update(args, dt);
        } else if prim == Prim::Slice {
            self.slice(args, &dt);
        } else if prim == Prim::Concat {
            let middle = self.arith.bind("n", size(&args[0]));
            let first = vec![dt.clone(), Expr::int(0, span), middle.clone()];
            let second = vec![dt.clone(), middle, size(&dt)];
            for (arg, part) in args.iter().zip([first, second]) {
                if self.wants(arg) {
                    let part = self.arith.bind("d", primitive(Prim::Slice, part));
                    self.give(arg, Cot::Whole(part, true));
                }
            }
        } else if prim == Prim::Flatten {
            self.flatten(&args[0], dt);
        } else if prim == Prim::Sum {
            let index = self.arith.program.fresh("i", Type::int());
            let each = Expr::build(size(&args[0]), index, dt, span);
            let each = self.arith.bind("d", each);
            self.give(&args[0], Cot::Whole(each, true));
        }
    }

    fn update(&mut self, args: &[Expr], dt: Expr) {
        let span = self.arith.span;
        if self.wants(&args[2]) {
            let place = Expr::prim(Prim::Index, vec![dt.clone(), args[1].clone()], span);
            let part = self.arith.bind("d", place);
            self.give(&args[2], Cot::Whole(part, true));
        }
        if self.wants(&args[0]) {
            let old = Expr::prim(Prim::Index, vec![args[0].clone(), args[1].clone()], span);
            let gone = self.arith.absent(&old);
            let rest = Expr::prim(Prim::Update, vec![dt, args[1].clone(), gone], span);
            let rest = self.arith.bind("d", rest);
            self.give(&args[0], Cot::Whole(rest, true));
        }
    }

    fn flatten(&mut self, array: &Expr, dt: Expr) {
        let span = self.arith.span;
        let primitive = |prim, args| Expr::prim(prim, args, span);
        let row = self.arith.program.fresh("i", Type::int());
        let at = self.arith.program.var(row, span);
        let count = self.arith.bind("n", primitive(Prim::Size, vec![array.clone()]));
        let first = primitive(Prim::Index, vec![array.clone(), Expr::int(0, span)]);
        let empty = primitive(Prim::IntEq, vec![count.clone(), Expr::int(0, span)]);
        let length = primitive(Prim::Size, vec![first]);
        let length = Expr::if_(empty, Expr::int(0, span), length, span);
        let length = self.arith.bind("n", length);
        let from = primitive(Prim::IntMul, vec![at, length.clone()]);
        let to = primitive(Prim::IntAdd, vec![from.clone(), length]);
        let part = primitive(Prim::Slice, vec![dt, from, to]);
        let rows = self.arith.bind("d", Expr::build(count, row, part, span));
        self.give(array, Cot::Whole(rows, true));
    }

    /// Adds the cotangent of a slice in its place.
    fn slice(&mut self, args: &[Expr], dt: &Expr) {
        let span = self.arith.span;
        let Some(var) = var_of(&args[0]) else { return };
        if !self.active.contains(&var) {
            return;
        }
        let place = root(&self.aliases, var);
        let direct = place == var;
        let start = if direct { self.taken(var) } else { self.arith.absent(&args[0]) };
        let acc = self.arith.program.fresh("acc", start.ty.clone());
        let index = self.arith.program.fresh("i", Type::int());
        let whole = self.arith.program.var(acc, span);
        let at = self.arith.program.var(index, span);
        let part = Expr::prim(Prim::Index, vec![dt.clone(), at.clone()], span);
        let there = Expr::prim(Prim::IntAdd, vec![args[1].clone(), at], span);
        let there_var = self.arith.program.fresh("at", Type::int());
        let there_atom = self.arith.program.var(there_var, span);
        let old = Expr::prim(Prim::Index, vec![whole.clone(), there_atom.clone()], span);
        let new = self.arith.sum(&old, &part);
        let next = Expr::prim(Prim::Update, vec![whole, there_atom, new], span);
        let next = Expr::let_(there_var, there, next);
        let count = Expr::prim(Prim::Size, vec![dt.clone()], span);
        let done = Expr::loop_for(acc, start, index, count, next, span);
        let done = self.arith.bind("d", done);
        if direct {
            self.cots.insert(var, Cot::Whole(done, true));
        } else {
            self.give(&args[0], Cot::Whole(done, true));
        }
    }

    /// The cotangents of the fields.
    fn constructor(&mut self, tag: usize, items: &[Expr], dt: &Cot, out: VarId) {
        let span = self.arith.span;
        let dt = self.whole(dt, out);
        let TypeKind::Data(data) = dt.ty.kind() else { return };
        let constructors = &self.arith.program.datas[*data].constructors;
        let (fields, alone) = (constructors[tag].fields.clone(), constructors.len() == 1);
        let vars: Vec<VarId> =
            fields.iter().map(|ty| self.arith.program.fresh("d", ty.clone())).collect();
        let given = vars.iter().map(|var| self.arith.program.var(*var, span)).collect();
        let body = Expr::tuple(given, span);
        let other = (!alone).then(|| impossible(body.ty.clone(), span));
        let fields = Expr::match_(dt, vec![Arm { tag, vars, body }], other, span);
        let ty = fields.ty.clone();
        let fields = self.arith.bind("fields", fields);
        let parts = self.arith.parts(Cot::Whole(fields, true), &ty);
        for (item, part) in items.iter().zip(parts) {
            self.give(item, part);
        }
    }

    /// The reverse half of the callee.
    fn call(&mut self, def: DefId, args: &[Expr], flows: &[bool], out: VarId, dt: &Cot) {
        let span = self.arith.span;
        let Some(halves) = self.halves.get(&def).cloned() else { return };
        if !flows
            .iter()
            .zip(args)
            .any(|(flows, arg)| *flows && var_of(arg).is_some_and(|var| self.active.contains(&var)))
        {
            return;
        }
        let token = self.arith.program.fresh("saved", halves.saved.clone());
        self.plans.insert(out, Plan::Call { token });
        let maybe = !definite(dt);
        let dt = self.whole(dt, out);
        let mut given = vec![self.arith.program.var(token, span), dt];
        let mut direct = vec![];
        for (at, arg) in args.iter().enumerate() {
            if !halves.flows[at] {
                continue;
            }
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
                let start = self.arith.bind("acc", start);
                given.push(start);
            }
            direct.push(own);
        }
        let call = Expr::app(self.arith.program.global(halves.reverse, span), given.clone(), span);
        let unsure = halves.definite && maybe;
        let call = if unsure { self.unless_absent(&halves, args, given, call) } else { call };
        let parts = self.spread(call, direct.len());
        let mut next = parts.into_iter().zip(direct);
        let mut others = vec![];
        for (at, arg) in args.iter().enumerate() {
            if !halves.flows[at] {
                continue;
            }
            let Some((part, own)) = next.next() else { return };
            match own {
                Some(var) => {
                    self.cots.insert(var, Cot::Whole(part, true));
                }
                None if flows[at] => others.push((arg, part, unsure || halves.partial[at])),
                None => {}
            }
        }
        for (arg, part, maybe) in others {
            self.give(arg, Cot::Whole(part, maybe));
        }
    }

    /// The call, or what was given where the cotangent of the result has no contribution.
    fn unless_absent(
        &mut self,
        halves: &Halves,
        args: &[Expr],
        given: Vec<Expr>,
        call: Expr,
    ) -> Expr {
        let span = self.arith.span;
        let none = self.arith.is_absent(&given[1]);
        let mut accumulators = given.into_iter().skip(2);
        let mut items = vec![];
        for (at, arg) in args.iter().enumerate() {
            if halves.flows[at] {
                let given = if halves.accumulates[at] { accumulators.next() } else { None };
                items.push(given.unwrap_or_else(|| self.arith.absent(arg)));
            }
        }
        let unchanged = self.gathered(items);
        Expr::if_(none, unchanged, call, span)
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
        let span = self.arith.span;
        let whole = self.whole(dt, out);
        let last = args.len() - 1;
        if custom.op == AdOp::CustomVjp {
            let given = args.iter().cloned().chain([whole.clone()]).collect();
            let rule = self.arith.program.global(custom.derivative, span);
            let part = self.arith.bind("d", Expr::app(rule, given, span));
            self.give(&args[last], Cot::Whole(part, false));
        } else if let Some(halves) = self.halves.get(&custom.derivative).cloned() {
            // The rule is linear in its last parameter: its derivative there is itself.
            let (given, zeros) = {
                let dot = self.arith.dot(&args[last].ty);
                let zeros = Expr::ad(AdOp::Zeros, vec![args[last].clone()], dot, span);
                let zeros = self.arith.bind("x_dot", zeros);
                (args.iter().cloned().chain([zeros.clone()]).collect::<Vec<_>>(), zeros)
            };
            let forward = self.arith.program.global(halves.forward, span);
            let both = self.arith.bind("both", Expr::app(forward, given.clone(), span));
            let mut reverse = vec![Expr::proj(both, 1, span), whole.clone()];
            for (at, arg) in given.iter().enumerate() {
                if halves.flows[at] && halves.accumulates[at] {
                    let start = self.arith.absent(arg);
                    reverse.push(self.arith.bind("acc", start));
                }
            }
            let flowing = halves.flows.iter().filter(|flows| **flows).count();
            let call = Expr::app(self.arith.program.global(halves.reverse, span), reverse, span);
            if halves.flows.last() == Some(&true) {
                let parts = self.spread(call, flowing);
                let part = parts.last().cloned().unwrap_or(zeros);
                self.give(&args[last], Cot::Whole(part, true));
            }
        }
        let mut flows = self.flows.get(&custom.value).cloned().unwrap_or_default();
        if let Some(flows) = flows.last_mut() {
            *flows = false;
        }
        self.call(custom.value, args, &flows, out, &Cot::Whole(whole, true));
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

/// Whether a cotangent has contributions in all its Reals.
pub(super) fn definite(cot: &Cot) -> bool {
    match cot {
        Cot::None => false,
        Cot::Whole(_, maybe) => !maybe,
        Cot::Parts(parts) => parts.iter().all(definite),
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
    Expr::fail(message, ty, span)
}
