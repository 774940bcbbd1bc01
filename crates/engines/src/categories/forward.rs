//! The forward half: `revf$f : S -> (T, X)`. The steps as they are, and beside their values what the
//! plans of the reverse half ask to save.

use std::collections::BTreeMap;

use pullback_base::{Span, bug};
use pullback_lambda::{
    Arm, DataId, DefId, Expr, ExprKind, LoopForm, Program, Scope, Type, TypeKind, VarId,
};
use pullback_prim::Prim;

use super::cl::{Function, NAME};
use super::meaning::apply_function;
use super::plan::{Halves, Plan};
use super::steps::{Region, Step, StepKind};

pub(super) struct Forward<'p> {
    pub program: &'p mut Program,
    pub plans: &'p BTreeMap<VarId, Plan>,
    pub halves: &'p BTreeMap<DefId, Halves>,
}

impl Forward<'_> {
    /// The steps of a region as bindings.
    pub fn bindings(&mut self, region: &Region) -> Scope {
        let mut out = Scope::default();
        for step in &region.steps {
            match self.plans.get(&step.out).cloned() {
                Some(plan) => self.saving(step, &plan, &mut out),
                None => {
                    let value = self.value(step);
                    out.push(step.out, value);
                }
            }
        }
        out
    }

    /// A region as a term.
    fn region(&mut self, region: &Region) -> Expr {
        let bindings = self.bindings(region);
        bindings.around(region.result.clone())
    }

    /// A region that gives its value with something more.
    fn region_with(&mut self, region: &Region, more: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let bindings = self.bindings(region);
        let span = region.result.span;
        let more = more(self);
        bindings.around(Expr::tuple(vec![region.result.clone(), more], span))
    }

    fn vars(&self, vars: &[VarId], span: Span) -> Vec<Expr> {
        vars.iter().map(|var| self.program.var(*var, span)).collect()
    }

    /// The value of a step.
    pub fn value(&mut self, step: &Step) -> Expr {
        let (ty, span) = (&step.ty, step.span);
        match &step.kind {
            StepKind::Smooth(prim, args) | StepKind::Structural(prim, _, args) => {
                Expr::new(ExprKind::Prim(*prim, args.clone()), ty.clone(), span)
            }
            StepKind::Plain(function, args) => {
                apply_function(self.program, function, args.clone(), ty, span)
            }
            StepKind::Tuple(items) => Expr::record(items.clone(), ty.clone(), span),
            StepKind::Component(base, at) => Expr::proj(base.clone(), *at, span),
            StepKind::Con(tag, items) => {
                Expr::new(ExprKind::Con(*tag, items.clone()), ty.clone(), span)
            }
            StepKind::Array(items) => Expr::new(ExprKind::Array(items.clone()), ty.clone(), span),
            StepKind::Call(def, args) => {
                Expr::app(self.program.global(*def, span), args.clone(), span)
            }
            StepKind::Custom(custom, args) => {
                let function = Function::Custom(custom.clone());
                apply_function(self.program, &function, args.clone(), ty, span)
            }
            StepKind::If(cond, then, other) => {
                let then = self.region(then);
                Expr::if_(cond.clone(), then, self.region(other), span)
            }
            StepKind::Build(size, index, body) => {
                let body = self.region(body);
                Expr::build(size.clone(), *index, body, span)
            }
            StepKind::Fold { state, init, index, count, body } => {
                let body = self.region(body);
                Expr::loop_for(*state, init.clone(), *index, count.clone(), body, span)
            }
            StepKind::While { state, init, cond, body } => {
                let form = LoopForm::While(Box::new(self.region(cond)));
                let (init, body) = (Box::new(init.clone()), Box::new(self.region(body)));
                let kind = ExprKind::Loop { var: *state, init, form, body };
                Expr::new(kind, ty.clone(), span)
            }
            StepKind::Case(scrutinee, arms, default) => {
                let mut made = vec![];
                for arm in arms {
                    let body = self.region(&arm.body);
                    made.push(Arm { tag: arm.tag, vars: arm.vars.clone(), body });
                }
                let default = default.as_ref().map(|default| self.region(default));
                Expr::match_(scrutinee.clone(), made, default, span)
            }
        }
    }

    /// A step with what it saves.
    fn saving(&mut self, step: &Step, plan: &Plan, out: &mut Scope) {
        let span = step.span;
        match plan {
            Plan::Call { token } => {
                let (def, args) = if let StepKind::Call(def, args) = &step.kind {
                    (*def, args)
                } else if let StepKind::Custom(custom, args) = &step.kind {
                    (custom.value, args)
                } else {
                    bug(NAME, "the plan of a call at a call")
                };
                let Some(halves) = self.halves.get(&def) else { bug(NAME, "halves of a callee") };
                let callee = self.program.global(halves.forward, span);
                let both = Expr::app(callee, args.clone(), span);
                self.unpack(step, both, *token, out);
            }
            Plan::Branch { token, data, saved } => {
                let both = self.branch(step, *data, saved);
                self.unpack(step, both, *token, out);
            }
            Plan::Build { token, saved } => {
                let StepKind::Build(size, index, body) = &step.kind else {
                    bug(NAME, "the plan of an array at an array")
                };
                let body = self.region_with(body, |this| Expr::tuple(this.vars(saved, span), span));
                let pairs = Expr::build(size.clone(), *index, body, span);
                let pairs_var = self.program.fresh("pairs", pairs.ty.clone());
                let pairs_atom = self.program.var(pairs_var, span);
                out.push(pairs_var, pairs);
                for (part, var) in [(0, step.out), (1, *token)] {
                    let (index, at) = self.program.place(span);
                    let size = Expr::size_of(pairs_atom.clone(), span);
                    let pair = Expr::index(pairs_atom.clone(), at, span);
                    let part = Expr::build(size, index, Expr::proj(pair, part, span), span);
                    out.push(var, part);
                }
            }
            Plan::Loop { stack, count, saved } => self.turns(step, *stack, *count, saved, out),
        }
    }

    /// Binds value and token to the parts of a pair.
    fn unpack(&mut self, step: &Step, both: Expr, token: VarId, out: &mut Scope) {
        let span = step.span;
        let var = self.program.fresh("both", both.ty.clone());
        let atom = self.program.var(var, span);
        out.push(var, both);
        out.push(step.out, Expr::proj(atom.clone(), 0, span));
        out.push(token, Expr::proj(atom, 1, span));
    }

    fn branch(&mut self, step: &Step, data: DataId, saved: &[Vec<VarId>]) -> Expr {
        let span = step.span;
        let ty = Type::new(TypeKind::Data(data));
        let alternative = |this: &mut Self, tag: usize, region: &Region| {
            this.region_with(region, |this| {
                let fields = this.vars(&saved[tag], span);
                Expr::new(ExprKind::Con(tag, fields), ty.clone(), span)
            })
        };
        if let StepKind::If(cond, then, other) = &step.kind {
            let then = alternative(self, 0, then);
            let other = alternative(self, 1, other);
            return Expr::if_(cond.clone(), then, other, span);
        }
        let StepKind::Case(scrutinee, arms, default) = &step.kind else {
            bug(NAME, "the plan of a branch at a branch")
        };
        let mut made = vec![];
        for (at, arm) in arms.iter().enumerate() {
            let body = alternative(self, at, &arm.body);
            made.push(Arm { tag: arm.tag, vars: arm.vars.clone(), body });
        }
        let default = default.as_ref();
        let default = default.map(|region| alternative(self, arms.len(), region));
        Expr::match_(scrutinee.clone(), made, default, span)
    }

    /// The condition of a loop whose state is a part of another: it has it under a name of its own.
    pub fn condition(&mut self, state: VarId, part: Expr, cond: &Region) -> Expr {
        let mut cond = self.region(cond);
        let inner = self.program.fresh_like(state);
        let replacement = self.program.var(inner, cond.span);
        self.program.substitute(&mut cond, &BTreeMap::from([(state, replacement)]));
        Expr::let_(inner, part, cond)
    }

    /// A loop that counts its turns and pushes what they save.
    fn turns(
        &mut self,
        step: &Step,
        stack: Option<(VarId, DataId)>,
        count: Option<VarId>,
        saved: &[VarId],
        out: &mut Scope,
    ) {
        let span = step.span;
        let (StepKind::Fold { state, init, body, .. } | StepKind::While { state, init, body, .. }) =
            &step.kind
        else {
            bug(NAME, "the plan of a loop at a loop")
        };
        let state = *state;
        let mut types = vec![self.program.vars[state].ty.clone()];
        let mut starts = vec![init.clone()];
        if let Some((_, data)) = stack {
            let ty = Type::new(TypeKind::Data(data));
            types.push(ty.clone());
            starts.push(Expr::new(ExprKind::Con(0, vec![]), ty, span));
        }
        if count.is_some() {
            types.push(Type::int());
            starts.push(Expr::int(0, span));
        }
        let whole = self.program.fresh("turn", Type::tuple(types.clone()));
        let whole_atom = self.program.var(whole, span);
        let part = |at| Expr::proj(whole_atom.clone(), at, span);
        let mut next = vec![body.result.clone()];
        if let Some((_, data)) = stack {
            let mut fields = self.vars(saved, span);
            fields.push(part(1));
            let ty = Type::new(TypeKind::Data(data));
            next.push(Expr::new(ExprKind::Con(1, fields), ty, span));
        }
        if count.is_some() {
            let one = vec![part(types.len() - 1), Expr::int(1, span)];
            next.push(Expr::prim(Prim::IntAdd, one, span));
        }
        let bindings = self.bindings(body);
        let code = bindings.around(Expr::tuple(next, span));
        let code = Expr::let_(state, part(0), code);
        let init = Expr::tuple(starts, span);
        let done = if let StepKind::Fold { index, count, .. } = &step.kind {
            Expr::loop_for(whole, init, *index, count.clone(), code, span)
        } else {
            let StepKind::While { cond, .. } = &step.kind else { bug(NAME, "a loop") };
            let cond = self.condition(state, part(0), cond);
            Expr::loop_while(whole, init, cond, code, span)
        };
        let all = self.program.fresh("all", done.ty.clone());
        let atom = self.program.var(all, span);
        out.push(all, done);
        out.push(step.out, Expr::proj(atom.clone(), 0, span));
        let tokens = stack.iter().map(|(token, _)| *token).chain(count);
        for (at, token) in tokens.enumerate() {
            out.push(token, Expr::proj(atom.clone(), at + 1, span));
        }
    }
}
