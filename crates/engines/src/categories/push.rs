//! Forward mode along the same steps: `fwd$f : (S, δS) -> (T, δT)`.
//!
//! Input: the steps of a region and the tangents of the variables outside. Output: code that computes the
//! values as they are and the tangent of the result beside them. A tangent that is absent for certain
//! costs nothing; one that may be absent is told apart by its constructor.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Span, bug};
use pullback_lambda::{AdOp, Arm, DefId, Expr, ExprKind, Scope, Slope, Type, TypeKind, VarId};
use pullback_prim::{Move, Prim};

use super::absence::{ABSENT, Arithmetic};
use super::branches::{fails, two};
use super::callees::Callees;
use super::cl::{Custom, NAME};
use super::cotangent::{Cot, Shape};
use super::flow::{Aliases, Flows, flows_of};
use super::forward::Forward;
use super::plan::Halves;
use super::reverse::{Reverse, impossible};
use super::steps::{Region, Step, StepArm, StepKind, var_of};

/// What goes through regions in the order of evaluation.
pub(super) struct Push<'p> {
    pub arith: Arithmetic<'p>,
    pub callees: &'p mut Callees,
    /// The halves of the rules of reverse mode, which are transposed.
    pub halves: &'p BTreeMap<DefId, Halves>,
    pub flows: &'p Flows,
    pub active: BTreeSet<VarId>,
    pub tangents: BTreeMap<VarId, Cot>,
}

impl Push<'_> {
    /// Goes through a region; the tangent of its result.
    pub fn region(&mut self, region: &Region) -> Cot {
        for step in &region.steps {
            self.arith.span = step.span;
            let tangent = if self.active.contains(&step.out) { self.step(step) } else { None };
            if tangent.is_none() {
                self.plain(step);
            }
            self.tangents.remove(&step.out);
            match tangent {
                None | Some(Cot::None) => {}
                Some(tangent) => {
                    self.tangents.insert(step.out, tangent);
                }
            }
        }
        self.of(&region.result)
    }

    /// The value of a step alone.
    fn plain(&mut self, step: &Step) {
        let (plans, halves) = (BTreeMap::new(), BTreeMap::new());
        let mut forward = Forward { program: self.arith.program, plans: &plans, halves: &halves };
        let value = forward.value(step);
        self.arith.out.push(step.out, value);
    }

    fn value(&self, var: VarId) -> Expr {
        self.arith.program.var(var, self.arith.span)
    }

    /// The tangent of an operand.
    fn of(&self, operand: &Expr) -> Cot {
        let found = var_of(operand).and_then(|var| self.tangents.get(&var));
        found.cloned().unwrap_or(Cot::None)
    }

    fn all(&self, operands: &[Expr]) -> Vec<Cot> {
        operands.iter().map(|operand| self.of(operand)).collect()
    }

    /// Binds the value of a step, and gives its tangent; nothing if the value is left to the caller, as
    /// there is no tangent.
    fn step(&mut self, step: &Step) -> Option<Cot> {
        match &step.kind {
            StepKind::Smooth(prim, args) => {
                self.plain(step);
                Some(self.smooth(*prim, args, step.out))
            }
            StepKind::Structural(prim, moves, args) => {
                self.plain(step);
                Some(self.structural(*prim, *moves, args))
            }
            StepKind::Plain(..) => None,
            StepKind::Tuple(items) => {
                self.plain(step);
                let parts = self.all(items);
                let none = parts.iter().all(|part| matches!(part, Cot::None));
                Some(if none { Cot::None } else { Cot::Parts(parts) })
            }
            StepKind::Component(base, at) => {
                self.plain(step);
                let whole = self.of(base);
                let mut parts = self.arith.parts(whole, &base.ty);
                Some(parts.swap_remove(*at))
            }
            StepKind::Con(tag, items) => {
                self.plain(step);
                Some(self.structure(items, &step.ty, |sure, ty, items, span| {
                    let tag = if sure { *tag } else { tag + 1 };
                    Expr::new(ExprKind::Con(tag, items), ty, span)
                }))
            }
            StepKind::Array(items) => {
                self.plain(step);
                Some(self.structure(items, &step.ty, |_, ty, items, span| {
                    Expr::new(ExprKind::Array(items), ty, span)
                }))
            }
            StepKind::Call(def, args) => {
                let flows = flows_of(self.flows, *def);
                self.call(*def, args, flows, step.out)
            }
            StepKind::Custom(custom, args) => self.custom(custom, args, step),
            StepKind::If(cond, then, other) => {
                let regions: [(&Region, &[VarId]); 2] = [(then, &[]), (other, &[])];
                let choose = |codes: Vec<Expr>, span| {
                    let [then, other] = two(codes);
                    Expr::if_(cond.clone(), then, other, span)
                };
                self.branches(&regions, None, step.out, choose)
            }
            StepKind::Case(scrutinee, arms, default) => {
                self.case(scrutinee, arms, default.as_ref(), step.out)
            }
            StepKind::Build(size, index, body) => self.build(size, *index, body, step.out),
            StepKind::Fold { .. } | StepKind::While { .. } => self.turns(step),
        }
    }

    /// The partial derivatives times the tangents of the arguments.
    fn smooth(&mut self, prim: Prim, args: &[Expr], out: VarId) -> Cot {
        let (span, result) = (self.arith.span, self.value(out));
        let tangents: Vec<Cot> = args.iter().map(|arg| self.of(arg)).collect();
        let wanted = |at: usize| !matches!(tangents[at], Cot::None);
        let slopes = self.arith.linearised(prim, args, &result, wanted);
        let mut total = Cot::None;
        for (tangent, slope) in tangents.iter().zip(&slopes) {
            let product = match tangent {
                Cot::Sure(d) => match self.arith.product(slope, d) {
                    Cot::Sure(term) => self.arith.formed(term, true),
                    Cot::Maybe(term) => self.arith.formed(term, false),
                    Cot::None | Cot::Parts(_) => continue,
                },
                Cot::Maybe(maybe) if matches!(slope, Slope::One) => Cot::Maybe(maybe.clone()),
                Cot::Maybe(maybe) if !matches!(slope, Slope::Zero) => {
                    let absent = self.arith.absent(&result);
                    let product = self.arith.where_present(maybe, absent, |arith, d| {
                        let product = arith.product(slope, d);
                        let number = Expr::real(0.0, span);
                        arith.whole(&product, &number)
                    });
                    self.arith.formed(product, false)
                }
                Cot::None | Cot::Maybe(_) | Cot::Parts(_) => continue,
            };
            total = self.arith.add(total, product, &Type::real());
        }
        total
    }

    /// Tangents in one form: as terms of tangent types if all are there; none if none is.
    fn together(&mut self, operands: &[Expr]) -> Option<(Vec<Expr>, bool)> {
        let tangents = self.all(operands);
        if tangents.iter().all(|tangent| matches!(tangent, Cot::None)) {
            return None;
        }
        let pairs = || tangents.iter().zip(operands);
        let sure = pairs().all(|(tangent, operand)| self.arith.is_sure(tangent, &operand.ty));
        let mut terms = vec![];
        for (tangent, operand) in pairs() {
            let term = if sure { self.arith.sure(tangent, operand) } else { None };
            let term = match term {
                Some(term) => term,
                None => self.arith.whole(tangent, operand),
            };
            terms.push(self.arith.bind("d", term));
        }
        Some((terms, sure))
    }

    /// The tangent of a constructor or array.
    fn structure(
        &mut self,
        items: &[Expr],
        ty: &Type,
        make: impl FnOnce(bool, Type, Vec<Expr>, Span) -> Expr,
    ) -> Cot {
        let Some((items, sure)) = self.together(items) else { return Cot::None };
        let ty = if sure { self.arith.dot(ty) } else { self.arith.maybe_of(ty) };
        let term = make(sure, ty, items, self.arith.span);
        self.arith.formed(term, sure)
    }

    /// Tangents move as values do.
    fn structural(&mut self, prim: Prim, moves: Move, args: &[Expr]) -> Cot {
        let span = self.arith.span;
        let operands: Vec<Expr> = moves.carriers().map(|at| args[at].clone()).collect();
        let Some((terms, sure)) = self.together(&operands) else { return Cot::None };
        if matches!(moves, Move::Total { .. }) && !sure {
            return self.total(&terms[0]);
        }
        let mut args = args.to_vec();
        for (at, term) in moves.carriers().zip(terms) {
            args[at] = term;
        }
        let term = Expr::prim(prim, args, span);
        self.arith.formed(term, sure)
    }

    /// The sum of Reals that may be absent.
    fn total(&mut self, all: &Expr) -> Cot {
        let span = self.arith.span;
        let (index, start) =
            (self.arith.program.fresh("i", Type::int()), self.arith.absent(&Expr::real(0.0, span)));
        let acc = self.arith.program.fresh("acc", start.ty.clone());
        let (sum, at) = (self.arith.program.var(acc, span), self.arith.program.var(index, span));
        let part = Expr::index(all.clone(), at, span);
        let next = self.arith.sum(&sum, &part);
        let size = Expr::size_of(all.clone(), span);
        let total = Expr::loop_for(acc, start, index, size, next, span);
        self.arith.formed(total, false)
    }

    /// A call with tangents beside the arguments that have some.
    fn call(&mut self, def: DefId, args: &[Expr], flows: Vec<bool>, out: VarId) -> Option<Cot> {
        let span = self.arith.span;
        let mut kinds = vec![];
        let mut given = args.to_vec();
        for (arg, flows) in args.iter().zip(flows) {
            let tangent = if flows { self.of(arg) } else { Cot::None };
            let shape = self.arith.shape(&[&tangent], &arg.ty);
            self.arith.leaves(&tangent, &shape, arg, &mut given);
            kinds.push(shape);
        }
        if kinds.iter().all(|kind| matches!(kind, Shape::None)) {
            return None;
        }
        let to = self.arith.program.vars[out].ty.clone();
        let types: Vec<Type> = given.iter().map(|term| term.ty.clone()).collect();
        let maybe = self.arith.maybe_of(&to);
        let result = Type::tuple(vec![to, maybe]);
        let pushforward = self.callees.pushforward(self.arith.program, def, kinds, types, result);
        let given = given.into_iter().map(|term| self.arith.bind("d", term)).collect();
        let both = Expr::app(self.arith.program.global(pushforward, span), given, span);
        let both = self.arith.bind("both", both);
        self.arith.out.push(out, Expr::proj(both.clone(), 0, span));
        Some(self.arith.formed(Expr::proj(both, 1, span), false))
    }

    /// The argument moves as the rule says, what was captured as the function itself says.
    fn custom(&mut self, custom: &Custom, args: &[Expr], step: &Step) -> Option<Cot> {
        let (span, last) = (self.arith.span, args.len() - 1);
        let x = &args[last];
        let tangent = self.of(x);
        let mut flows = flows_of(self.flows, custom.value);
        flows[last] = false;
        // With the derivative by what was captured, the value is there too.
        let captured = self.call(custom.value, args, flows, step.out);
        if captured.is_none() {
            self.plain(step);
        }
        let by_rule = if matches!(tangent, Cot::None) {
            Cot::None
        } else if custom.op == AdOp::CustomJvp {
            let rule = self.arith.program.global(custom.derivative, span);
            let result = self.value(step.out);
            let call = |d| Expr::app(rule, args.iter().cloned().chain([d]).collect(), span);
            self.arith.by_rule(&tangent, x, &result, call)
        } else {
            self.transposed(custom, args, &tangent, step.out)
        };
        Some(self.arith.add(captured.unwrap_or(Cot::None), by_rule, &step.ty))
    }

    /// A rule of reverse mode is linear: its own reverse half takes the tangent of the argument to that of
    /// the result.
    fn transposed(&mut self, custom: &Custom, args: &[Expr], tangent: &Cot, out: VarId) -> Cot {
        let span = self.arith.span;
        let Some(halves) = self.halves.get(&custom.derivative).cloned() else { return Cot::None };
        let Some(x) = var_of(&args[args.len() - 1]) else { return Cot::None };
        if halves.flows.last() != Some(&true) {
            return Cot::None;
        }
        let result = self.value(out);
        let token = self.arith.saved_at_zero(&halves, args, ("y_bar", &result));
        let targets: Vec<Expr> = args.iter().cloned().chain([result]).collect();
        let mut flows = vec![false; args.len()];
        flows.push(true);
        let arith = Arithmetic {
            program: self.arith.program,
            library: self.arith.library,
            out: std::mem::take(&mut self.arith.out),
            span,
        };
        let mut reverse = Reverse {
            arith,
            halves: self.halves,
            flows: self.flows,
            active: BTreeSet::from([out]),
            aliases: Aliases::new(),
            cots: BTreeMap::new(),
            plans: BTreeMap::new(),
        };
        reverse.through(&halves, token, &targets, &flows, x, tangent);
        let found = reverse.cots.remove(&out).unwrap_or(Cot::None);
        self.arith.out = std::mem::take(&mut reverse.arith.out);
        found
    }

    /// Values and tangents of the branch that runs. Tangents of the fields come first.
    fn branches(
        &mut self,
        regions: &[(&Region, &[VarId])],
        scrutinee: Option<(&Cot, &[StepArm])>,
        out: VarId,
        choose: impl FnOnce(Vec<Expr>, Span) -> Expr,
    ) -> Option<Cot> {
        let span = self.arith.span;
        let mut runs: Vec<(Scope, Cot)> = vec![];
        for (at, (region, vars)) in regions.iter().enumerate() {
            let before = std::mem::take(&mut self.arith.out);
            if let Some((tangent, arms)) = scrutinee
                && let Some(arm) = arms.get(at)
            {
                self.fields(tangent, arm.tag, vars);
            }
            let tangent = self.region(region);
            runs.push((std::mem::replace(&mut self.arith.out, before), tangent));
        }
        let leaving = runs.iter().zip(regions).filter(|(_, (region, _))| !fails(region));
        let tangents: Vec<&Cot> = leaving.map(|((_, tangent), _)| tangent).collect();
        let ty = self.arith.program.vars[out].ty.clone();
        let shape = self.arith.shape(&tangents, &ty);
        if matches!(shape, Shape::None) {
            return None;
        }
        let leaf_types = self.arith.leaf_types(&shape, &ty);
        let mut codes = vec![];
        for ((bindings, tangent), (region, _)) in runs.into_iter().zip(regions) {
            let before = std::mem::replace(&mut self.arith.out, bindings);
            let mut items = vec![region.result.clone()];
            if fails(region) {
                items.extend(leaf_types.iter().map(|ty| impossible(ty.clone(), span)));
            } else {
                self.arith.leaves(&tangent, &shape, &region.result, &mut items);
            }
            let bindings = std::mem::replace(&mut self.arith.out, before);
            codes.push(bindings.around(Expr::tuple(items, span)));
        }
        let both = self.arith.bind("both", choose(codes, span));
        Some(self.opened(both, &shape, out))
    }

    /// Binds a value to the first component, and gives the tangent in the others.
    fn opened(&mut self, both: Expr, shape: &Shape, out: VarId) -> Cot {
        let span = self.arith.span;
        self.arith.out.push(out, Expr::proj(both.clone(), 0, span));
        let mut leaves = vec![];
        for at in 1..=shape.count() {
            leaves.push(self.arith.bind("d", Expr::proj(both.clone(), at, span)));
        }
        shape.rebuilt(&mut leaves.into_iter())
    }

    fn case(
        &mut self,
        scrutinee: &Expr,
        arms: &[StepArm],
        default: Option<&Region>,
        out: VarId,
    ) -> Option<Cot> {
        let tangent = self.of(scrutinee);
        let tangent = if matches!(tangent, Cot::None) {
            tangent
        } else {
            let (term, sure) = self.arith.form(&tangent, scrutinee);
            self.arith.formed(term, sure)
        };
        let mut regions: Vec<(&Region, &[VarId])> =
            arms.iter().map(|arm| (&arm.body, &arm.vars[..])).collect();
        regions.extend(default.map(|region| (region, &[][..])));
        let choose = |mut codes: Vec<Expr>, span| {
            let default = if default.is_some() { codes.pop() } else { None };
            let made = arms.iter().zip(codes);
            let made = made.map(|(old, code)| Arm::new(old.tag, old.vars.clone(), code)).collect();
            Expr::match_(scrutinee.clone(), made, default, span)
        };
        self.branches(&regions, Some((&tangent, arms)), out, choose)
    }

    /// The tangents of the fields under a constructor.
    fn fields(&mut self, tangent: &Cot, tag: usize, vars: &[VarId]) {
        let span = self.arith.span;
        for var in vars {
            self.tangents.remove(var);
        }
        let (d, sure) = match tangent {
            Cot::Sure(d) => (d, true),
            Cot::Maybe(d) => (d, false),
            Cot::None => return,
            Cot::Parts(_) => bug(NAME, "a tangent of a sum as a whole"),
        };
        let TypeKind::Data(data) = d.ty.kind() else { bug(NAME, "the tangent of a sum") };
        if !vars.iter().any(|var| self.active.contains(var)) {
            return;
        }
        let tag = if sure { tag } else { tag + 1 };
        let constructors = &self.arith.program.datas[*data].constructors;
        let (types, count) = (constructors[tag].fields.clone(), constructors.len());
        let dots: Vec<VarId> =
            types.iter().map(|ty| self.arith.program.fresh("d", ty.clone())).collect();
        let items = dots.iter().map(|var| self.arith.program.var(*var, span)).collect();
        let body = Expr::tuple(items, span);
        let ty = body.ty.clone();
        let mut arms = vec![Arm::new(tag, dots, body)];
        if !sure {
            let mut absent = vec![];
            for var in vars {
                let value = self.value(*var);
                absent.push(self.arith.absent(&value));
            }
            arms.push(Arm::new(ABSENT, vec![], Expr::tuple(absent, span)));
        }
        let other = (arms.len() < count).then(|| impossible(ty, span));
        let fields = self.arith.bind("fields", Expr::match_(d.clone(), arms, other, span));
        for (at, var) in vars.iter().enumerate() {
            if self.active.contains(var) {
                let part = self.arith.formed(Expr::proj(fields.clone(), at, span), sure);
                self.tangents.insert(*var, part);
            }
        }
    }

    /// An array of values and one of tangents.
    fn build(&mut self, size: &Expr, index: VarId, body: &Region, out: VarId) -> Option<Cot> {
        let span = self.arith.span;
        let before = std::mem::take(&mut self.arith.out);
        let tangent = self.region(body);
        if matches!(tangent, Cot::None) {
            self.arith.out = before;
            return None;
        }
        let (d, sure) = self.arith.form(&tangent, &body.result);
        let pair = Expr::tuple(vec![body.result.clone(), d], span);
        let bindings = std::mem::replace(&mut self.arith.out, before);
        let pairs = Expr::build(size.clone(), index, bindings.around(pair), span);
        let pairs = self.arith.bind("pairs", pairs);
        let [values, dots] = [0, 1].map(|part| {
            let (index, at) = self.arith.program.place(span);
            let size = Expr::size_of(pairs.clone(), span);
            let pair = Expr::index(pairs.clone(), at, span);
            Expr::build(size, index, Expr::proj(pair, part, span), span)
        });
        self.arith.out.push(out, values);
        Some(self.arith.formed(dots, sure))
    }

    /// A loop whose state is the value with its tangent.
    fn turns(&mut self, step: &Step) -> Option<Cot> {
        let (StepKind::Fold { state, init, body, .. } | StepKind::While { state, init, body, .. }) =
            &step.kind
        else {
            return None;
        };
        let (span, ty) = (self.arith.span, step.ty.clone());
        let start = self.of(init);
        let mut shape = self.arith.shape(&[&start], &ty);
        let before = std::mem::take(&mut self.arith.out);
        // The parts that have tangents after any number of turns, and which of those are all there.
        let (whole, bindings, last) = loop {
            let mut types = vec![ty.clone()];
            types.extend(self.arith.leaf_types(&shape, &ty));
            let whole = self.arith.program.fresh("turn", Type::tuple(types));
            let atom = self.arith.program.var(whole, span);
            let tangent = self.opened(atom, &shape, *state);
            self.tangents.insert(*state, tangent);
            let last = self.region(body);
            let bindings = std::mem::take(&mut self.arith.out);
            let joined = self.arith.shape(&[&shape.given(), &last], &ty);
            if joined == shape {
                break (whole, bindings, last);
            }
            shape = joined;
        };
        self.arith.out = before;
        if matches!(shape, Shape::None) {
            return None;
        }
        let mut starts = vec![init.clone()];
        self.arith.leaves(&start, &shape, init, &mut starts);
        let starts = starts.into_iter().map(|term| self.arith.bind("d", term)).collect();
        let code = {
            let before = std::mem::replace(&mut self.arith.out, bindings);
            let mut items = vec![body.result.clone()];
            self.arith.leaves(&last, &shape, &body.result, &mut items);
            std::mem::replace(&mut self.arith.out, before).around(Expr::tuple(items, span))
        };
        let init = Expr::tuple(starts, span);
        let done = if let StepKind::Fold { index, count, .. } = &step.kind {
            Expr::loop_for(whole, init, *index, count.clone(), code, span)
        } else {
            let StepKind::While { cond, .. } = &step.kind else { return None };
            let atom = self.arith.program.var(whole, span);
            let (plans, halves) = (BTreeMap::new(), BTreeMap::new());
            let mut forward =
                Forward { program: self.arith.program, plans: &plans, halves: &halves };
            let cond = forward.condition(*state, Expr::proj(atom, 0, span), cond);
            Expr::loop_while(whole, init, cond, code, span)
        };
        let done = self.arith.bind("all", done);
        Some(self.opened(done, &shape, step.out))
    }
}
