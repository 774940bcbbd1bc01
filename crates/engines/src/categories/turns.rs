//! The reverse half of repetitions: elements of arrays, turns of loops.

use std::collections::BTreeMap;

use pullback_lambda::{Arm, Constructor, Data, DataId, Expr, Type, TypeKind, VarId, contains_real};
use pullback_prim::Prim;

use super::cotangent::Cot;
use super::flow::targets;
use super::plan::Plan;
use super::reverse::{Reverse, Turns, gathered, impossible};
use super::steps::Region;

impl Reverse<'_> {
    /// Each element in turn; cotangents of what the elements share are added up.
    pub(super) fn build(&mut self, out: VarId, dt: &Cot, index: VarId, body: &Region) {
        let span = self.arith.span;
        let shared = targets(body, &[index], &self.active, &self.aliases);
        if shared.is_empty() {
            return;
        }
        let (dt, sure) = self.form(dt, out);
        let starts: Vec<Expr> = shared.iter().map(|var| self.taken(*var)).collect();
        let outer = std::mem::take(&mut self.cots);
        let before = std::mem::take(&mut self.arith.out);
        let types: Vec<Type> = starts.iter().map(|start| start.ty.clone()).collect();
        let state = self.arith.program.fresh("acc", gathered_type(&types));
        let turn = self.arith.program.fresh("i", Type::int());
        self.open_state(state, 0, &shared.iter().copied().collect::<Vec<_>>());
        let at = self.arith.program.var(turn, span);
        let part = Expr::index(dt.clone(), at.clone(), span);
        let part = self.arith.formed(part, sure);
        self.region(body, part);
        let next: Vec<Expr> = shared.iter().map(|var| self.taken(*var)).collect();
        let next = gathered(next, span);
        let bindings = std::mem::replace(&mut self.arith.out, before);
        let mut code = bindings.around(next);
        let saved = self.saved(&code, body, &[]);
        let fresh_index = self.opened(&mut code, &[index]);
        let mut bindings = vec![(fresh_index[0], at.clone())];
        if !saved.is_empty() {
            let fresh = self.opened(&mut code, &saved);
            let types = saved.iter().map(|var| self.arith.program.vars[*var].ty.clone());
            let tuple = Type::tuple(types.collect());
            let token = self.arith.program.fresh("saved", Type::array(tuple));
            self.plans.insert(out, Plan::Build { token, saved });
            let array = self.arith.program.var(token, span);
            let one = Expr::index(array, at, span);
            let one_var = self.arith.program.fresh("one", one.ty.clone());
            let atom = self.arith.program.var(one_var, span);
            bindings.push((one_var, one));
            for (field, var) in fresh.into_iter().enumerate() {
                bindings.push((var, Expr::proj(atom.clone(), field, span)));
            }
        }
        let size = Expr::size_of(dt, span);
        let code = Expr::lets(bindings, code);
        let done = Expr::loop_for(state, gathered(starts, span), turn, size, code, span);
        self.cots = outer;
        self.close_state(done, 0, &shared.into_iter().collect::<Vec<_>>());
    }

    /// The turns of a loop, the last one first.
    pub(super) fn turns(&mut self, out: VarId, dt: &Cot, turns: &Turns<'_>, body: &Region) {
        let span = self.arith.span;
        let own: Vec<VarId> = [turns.state].into_iter().chain(turns.index).collect();
        let shared: Vec<VarId> =
            targets(body, &own, &self.active, &self.aliases).into_iter().collect();
        if !self.active.contains(&turns.state) && shared.is_empty() {
            // The loop gives what it starts with, or a constant.
            return self.untouched(out, dt, turns);
        }
        let (dt, start_sure) = self.form(dt, out);
        let shared_starts: Vec<Expr> = shared.iter().map(|var| self.taken(*var)).collect();
        let outer = std::mem::take(&mut self.cots);
        let before = std::mem::take(&mut self.arith.out);
        // The state of the reverse loop: cotangents of state and shared variables, then the stack.
        let shared_vars: Vec<VarId> = shared_starts
            .iter()
            .map(|start| self.arith.program.fresh("acc", start.ty.clone()))
            .collect();
        for (var, acc) in shared.iter().zip(&shared_vars) {
            let acc = self.arith.program.var(*acc, span);
            self.cots.insert(*var, Cot::Maybe(acc));
        }
        let (d_state, last, sure) = self.turn(&dt.ty, start_sure, turns.state, body);
        let mut next = vec![last];
        next.extend(shared.iter().map(|var| self.taken(*var)).collect::<Vec<_>>());
        let bindings = std::mem::replace(&mut self.arith.out, before);
        let start = if start_sure && !sure { self.arith.inject(&dt) } else { dt };
        let mut starts = vec![start];
        starts.extend(shared_starts);
        let mut types: Vec<Type> = starts.iter().map(|start| start.ty.clone()).collect();
        let probe = bindings.clone().around(Expr::tuple(next.clone(), span));
        let saved = self.saved(&probe, body, &[turns.state]);
        let stack = (!saved.is_empty()).then(|| self.stack(&saved));
        let count_var =
            turns.count.is_none().then(|| self.arith.program.fresh("turns", Type::int()));
        let count = match (turns.count, count_var) {
            (Some(count), _) => count.clone(),
            (None, Some(var)) => self.arith.program.var(var, span),
            (None, None) => Expr::int(0, span),
        };
        let rest = stack.map(|(_, data)| {
            let ty = Type::new(TypeKind::Data(data));
            types.push(ty.clone());
            self.arith.program.fresh("rest", ty)
        });
        next.extend(rest.map(|rest| self.arith.program.var(rest, span)));
        starts.extend(stack.map(|(token, _)| self.arith.program.var(token, span)));
        let mut code = bindings.around(gathered(next, span));
        let state = self.arith.program.fresh("back", gathered_type(&types));
        let turn = self.arith.program.fresh("j", Type::int());
        let part = |this: &Self, at| {
            let whole = this.arith.program.var(state, span);
            if types.len() == 1 { whole } else { Expr::proj(whole, at, span) }
        };
        let mut opening = vec![(d_state, part(self, 0))];
        for (at, var) in shared_vars.iter().enumerate() {
            opening.push((*var, part(self, at + 1)));
        }
        if let Some(index) = turns.index {
            let fresh = self.opened(&mut code, &[index]);
            let last = vec![count.clone(), Expr::int(1, span)];
            let last = Expr::prim(Prim::IntSub, last, span);
            let turn = self.arith.program.var(turn, span);
            opening.push((fresh[0], Expr::prim(Prim::IntSub, vec![last, turn], span)));
        }
        if let (Some((_, _)), Some(rest)) = (stack, rest) {
            let mut vars = self.opened(&mut code, &saved);
            vars.push(rest);
            let other = impossible(code.ty.clone(), span);
            let held = self.arith.program.fresh("stack", self.arith.program.vars[rest].ty.clone());
            opening.push((held, part(self, types.len() - 1)));
            let held = self.arith.program.var(held, span);
            code = Expr::match_(held, vec![Arm::new(1, vars, code)], Some(other), span);
        }
        let code = Expr::lets(opening, code);
        if stack.is_some() || count_var.is_some() {
            self.plans.insert(out, Plan::Loop { stack, count: count_var, saved });
        }
        let done = Expr::loop_for(state, gathered(starts, span), turn, count, code, span);
        self.cots = outer;
        let done = self.arith.bind("back", done);
        let part = |at| {
            if types.len() == 1 { done.clone() } else { Expr::proj(done.clone(), at, span) }
        };
        let first = self.arith.bind("d", part(0));
        for (at, var) in shared.iter().enumerate() {
            let acc = self.arith.bind("acc", part(at + 1));
            self.cots.insert(*var, Cot::Maybe(acc));
        }
        if contains_real(&self.arith.program.datas, &turns.init.ty) {
            self.give(turns.init, if sure { Cot::Sure(first) } else { Cot::Maybe(first) });
        }
    }

    /// One turn backwards: the cotangent of the state after it, that before it, and whether all of this
    /// is there. It is if that holds at the start and after the turn.
    fn turn(
        &mut self,
        ty: &Type,
        start_sure: bool,
        state: VarId,
        body: &Region,
    ) -> (VarId, Expr, bool) {
        let span = self.arith.span;
        let opened = self.cots.clone();
        let value = self.value(state);
        let d_state = self.arith.program.fresh("d", ty.clone());
        let d = self.arith.program.var(d_state, span);
        self.region(body, if start_sure { Cot::Sure(d) } else { Cot::Maybe(d) });
        let cot = self.cots.remove(&state).unwrap_or(Cot::None);
        if !start_sure {
            return (d_state, self.arith.whole(&cot, &value), false);
        }
        if let Some(before) = self.arith.sure(&cot, &value) {
            return (d_state, before, true);
        }
        self.cots = opened;
        self.arith.out.clear();
        let maybe = self.arith.maybe_of(&value.ty);
        let d_state = self.arith.program.fresh("d", maybe);
        let d = self.arith.program.var(d_state, span);
        self.region(body, Cot::Maybe(d));
        (d_state, self.taken(state), false)
    }

    /// A loop whose turns pass no derivative on: what it starts with counts only if there are no turns.
    fn untouched(&mut self, out: VarId, dt: &Cot, turns: &Turns<'_>) {
        let span = self.arith.span;
        let value = self.value(out);
        let dt = self.arith.whole(dt, &value);
        // What it starts with may have another size than what it gives.
        let none = self.arith.absent(turns.init);
        let count = match turns.count {
            Some(count) => count.clone(),
            None => {
                let var = self.arith.program.fresh("turns", Type::int());
                let plan = Plan::Loop { stack: None, count: Some(var), saved: vec![] };
                self.plans.insert(out, plan);
                self.arith.program.var(var, span)
            }
        };
        let ran = Expr::prim(Prim::IntGt, vec![count, Expr::int(0, span)], span);
        let chosen = self.arith.bind("d", Expr::if_(ran, none, dt, span));
        self.give(turns.init, Cot::Maybe(chosen));
    }

    /// The type of a stack of saved variables, and the variable that holds one.
    fn stack(&mut self, saved: &[VarId]) -> (VarId, DataId) {
        let number = self.arith.program.datas.len();
        let name = format!("Stack{number}");
        let data = self.arith.program.datas.push(Data::new(name, vec![]));
        let ty = Type::new(TypeKind::Data(data));
        let fields = saved.iter().map(|var| self.arith.program.vars[*var].ty.clone());
        let fields = fields.chain([ty.clone()]).collect();
        self.arith.program.datas[data].constructors = vec![
            Constructor { name: "Empty".into(), fields: vec![] },
            Constructor { name: "Push".into(), fields },
        ];
        (self.arith.program.fresh("stack", ty), data)
    }

    /// Lets cotangents be the parts of the state of a reverse loop.
    fn open_state(&mut self, state: VarId, first: usize, vars: &[VarId]) {
        let span = self.arith.span;
        self.cots = BTreeMap::new();
        let whole = self.arith.program.var(state, span);
        for (at, var) in vars.iter().enumerate() {
            let part = if vars.len() == 1 && first == 0 {
                whole.clone()
            } else {
                let part = Expr::proj(whole.clone(), first + at, span);
                self.arith.bind("acc", part)
            };
            self.cots.insert(*var, Cot::Maybe(part));
        }
    }

    /// Takes cotangents from the last state of a reverse loop.
    fn close_state(&mut self, done: Expr, first: usize, vars: &[VarId]) {
        let span = self.arith.span;
        let done = self.arith.bind("acc", done);
        for (at, var) in vars.iter().enumerate() {
            let part = if vars.len() == 1 && first == 0 {
                done.clone()
            } else {
                self.arith.bind("acc", Expr::proj(done.clone(), first + at, span))
            };
            self.cots.insert(*var, Cot::Maybe(part));
        }
    }
}

fn gathered_type(types: &[Type]) -> Type {
    if let [only] = types { only.clone() } else { Type::tuple(types.to_vec()) }
}
