//! Section 6.2: conditionals, case analysis, arrays of computed elements and loops, as combinators
//! over rep-functions. Which way a program went is remembered by the closure that it returned.

use std::collections::BTreeSet;

use pullback_lambda::{Arm, Expr, LoopForm, Type, TypeKind, VarId};
use pullback_prim::Prim;

use super::code::Code;
use super::comb::{CaseArm, Comb, CombLoop};
use super::erased::ENV;
use super::pull::{Fed, Pull};
use super::tan::Tan;
use super::transform::ends;

impl Code<'_> {
    /// The parts of the environment that something may flow back to from any of these arrows, given
    /// what each binds itself.
    fn joint_sinks(&mut self, arrows: &[(&[VarId], &Comb)]) -> Vec<VarId> {
        let mut seen = BTreeSet::new();
        let mut found = vec![];
        for (bound, comb) in arrows {
            for var in self.sinks(comb) {
                if !bound.contains(&var) && seen.insert(var) {
                    found.push(var);
                }
            }
        }
        found
    }

    /// Where what flows back to variables of the environment goes.
    pub fn environment(&self, sinks: &[VarId]) -> Vec<Fed> {
        let types = self.types_of(sinks);
        sinks.iter().zip(types).map(|(var, ty)| Fed { pull: Pull::Var(*var), ty }).collect()
    }

    /// `cond c a b`: the pullback is that of the branch taken.
    pub fn cond(&mut self, cond: &Comb, then: &Comb, other: &Comb, whole: &Comb) -> (Expr, Pull) {
        let (cond, _) = self.forward(cond);
        let sinks = self.joint_sinks(&[(&[], then), (&[], other)]);
        let sinks = if self.is_active(&whole.ty) { sinks } else { vec![] };
        let then = self.branch(then, &sinks);
        let other = self.branch(other, &sinks);
        let chosen = Expr::if_(cond, then, other, self.span);
        let fed = self.environment(&sinks);
        self.answer_of(chosen, fed, !sinks.is_empty())
    }

    /// `case s arms`: the pullback puts the cotangents of the fields under their constructor.
    pub fn case(
        &mut self,
        scrutinee: &Comb,
        arms: &[CaseArm],
        default: Option<&Comb>,
        whole: &Comb,
    ) -> (Expr, Pull) {
        let (value, pull) = self.forward(scrutinee);
        let flows = self.is_active(&whole.ty);
        let mut arrows: Vec<(&[VarId], &Comb)> = vec![];
        for arm in arms {
            arrows.push((&arm.vars, &arm.body));
        }
        arrows.extend(default.map(|default| (&[][..], default)));
        let sinks = self.joint_sinks(&arrows);
        let sinks = if flows { sinks } else { vec![] };
        let opened = flows && !pull.is_none();
        let scrutinee_type = opened.then(|| scrutinee.ty.clone());
        let mut made = vec![];
        for source in arms {
            let targets: Vec<VarId> = source.vars.iter().map(|var| self.parameter(*var)).collect();
            if !opened {
                self.held.extend(&source.vars);
            }
            let fields = Some((source.tag, &source.vars[..]));
            let body = self.arm(&source.body, fields, scrutinee_type.as_ref(), &sinks);
            made.push(Arm::new(source.tag, targets, body));
        }
        let default =
            default.map(|default| self.arm(default, None, scrutinee_type.as_ref(), &sinks));
        let chosen = Expr::match_(value, made, default, self.span);
        let mut fed = vec![];
        if let Some(ty) = scrutinee_type {
            fed.push(Fed { pull, ty });
        }
        fed.extend(self.environment(&sinks));
        let any = !fed.is_empty();
        self.answer_of(chosen, fed, any)
    }

    /// One arm: value and pullback, whose first result is the scrutinee's cotangent if that is asked.
    fn arm(
        &mut self,
        body: &Comb,
        fields: Option<(usize, &[VarId])>,
        scrutinee: Option<&Type>,
        sinks: &[VarId],
    ) -> Expr {
        let Some(scrutinee) = scrutinee else { return self.branch(body, sinks) };
        self.open();
        let (value, pull) = self.forward(body);
        let mut types = vec![scrutinee.clone()];
        types.extend(self.types_of(sinks));
        let pullback = self.pullback(&pull, &body.ty, &types, &mut |code| {
            let mut results = vec![code.under(fields, scrutinee)];
            results.extend(code.take_all(sinks));
            results
        });
        let pair = Expr::tuple(vec![value, pullback], self.span);
        self.close(pair)
    }

    /// The cotangent of a constructor from what has arrived at its fields.
    fn under(&mut self, fields: Option<(usize, &[VarId])>, ty: &Type) -> Expr {
        let Some((tag, vars)) = fields else { return self.zero(ty) };
        if self.is_package(ty) && tag == ENV {
            let types = self.types_of(&vars[..1]);
            if self.program.is_erased(&types[0]) {
                // Who adds packages does not open them.
                return self.zero(ty);
            }
            let fields = self.take_all(&vars[..1]);
            return self.packed(fields, &types);
        }
        let mut active = vec![];
        for (var, ty) in vars.iter().zip(self.types_of(vars)) {
            if self.is_active(&ty) {
                active.push(*var);
            }
        }
        let items = self.take_all(&active);
        if items.is_empty() {
            return self.zero(ty);
        }
        let data = self.bar_data(ty);
        Expr::con(data, tag + 1, items, self.span)
    }

    /// `build n b`: a closure for each element.
    pub fn build(&mut self, size: &Comb, var: VarId, body: &Comb, whole: &Comb) -> (Expr, Pull) {
        let (size, _) = self.forward(size);
        let target = self.parameter(var);
        let sinks = self.joint_sinks(&[(&[var], body)]);
        let sinks = if self.is_active(&whole.ty) { sinks } else { vec![] };
        let element = self.branch(body, &sinks);
        let built = Expr::build(size, target, element, self.span);
        if sinks.is_empty() {
            return (self.emit("a", built), Pull::None);
        }
        let pairs = self.emit("qs", built);
        let size = Expr::size_of(pairs.clone(), self.span);
        let (index_var, index) = self.fresh("i", Type::int());
        let pair = Expr::index(pairs.clone(), index, self.span);
        let value = Expr::proj(pair, 0, self.span);
        let values = Expr::build(size, index_var, value, self.span);
        (self.emit("a", values), Pull::Build { pairs, sinks })
    }

    /// Each element's closure on its cotangent; what flows to the environment is added up.
    pub fn build_backward(&mut self, pairs: &Expr, sinks: &[VarId], tan: &Tan, ty: &Type) {
        let span = self.span;
        let size = Expr::size_of(pairs.clone(), self.span);
        let size = self.emit("n", size);
        let all = self.dense(size.clone(), tan, ty);
        let types = self.types_of(sinks);
        let bars: Vec<Type> = types.iter().map(|ty| self.bar(ty)).collect();
        let zeros = types.iter().map(|ty| self.zero(ty)).collect();
        let init = self.pack(zeros);
        let (state_var, state) = self.fresh("st", Self::pack_type(bars));
        let (index_var, index) = self.fresh("i", Type::int());
        let body = self.scope(|code| {
            let pair = Expr::index(pairs.clone(), index.clone(), code.span);
            let pullback = code.emit("pb", Expr::proj(pair, 1, span));
            let item = Expr::index(all, index, code.span);
            let item = code.emit("g", item);
            let shares = code.apply(pullback, vec![item]);
            let shares = code.emit("e", shares);
            code.add_all(&state, &shares, &types)
        });
        let totals = Expr::loop_for(state_var, init, index_var, size, body, span);
        let totals = self.emit("e", totals);
        for (index, var) in sinks.iter().enumerate() {
            let total = self.unpack(&totals, index, sinks.len());
            self.arrive(*var, Tan::Any(total));
        }
    }

    /// The sums of two packed tuples of cotangents.
    pub fn add_all(&mut self, left: &Expr, right: &Expr, types: &[Type]) -> Expr {
        let count = types.len();
        let mut sums = vec![];
        for (index, ty) in types.iter().enumerate() {
            let a = self.unpack(left, index, count);
            let b = self.unpack(right, index, count);
            sums.push(self.add_boxed(a, b, ty));
        }
        self.pack(sums)
    }

    /// A loop: the closures of its iterations are kept in a list.
    pub fn iterate(
        &mut self,
        var: VarId,
        init: &Comb,
        form: &CombLoop,
        body: &Comb,
    ) -> (Expr, Pull) {
        let (first, first_pull) = self.forward(init);
        let count = match form {
            CombLoop::For { var, count } => Some((self.forward(count).0, *var)),
            CombLoop::While(_) => None,
        };
        let mut bound = vec![var];
        bound.extend(count.as_ref().map(|(_, index)| *index));
        let sinks = self.joint_sinks(&[(&bound, body)]);
        let still = sinks.is_empty() && first_pull.is_none();
        let state = self.parameter(var);
        if still || !self.is_active(&init.ty) {
            self.held.insert(var);
            let occurrence = self.program.var(state, self.span);
            let (form, body) = self.loop_parts(form, count, body, &mut |code, body, _| {
                let _ = &occurrence;
                code.branch(body, &[])
            });
            let looped = self.looped(state, first, form, body);
            return (self.emit("s", looped), Pull::None);
        }
        let closures = Closures { state, first, count, sinks };
        self.remembered(var, init, form, body, first_pull, closures)
    }

    /// A loop whose iterations leave a closure each: in the element of their index if it is counted,
    /// on a list that becomes an array if it is not.
    fn remembered(
        &mut self,
        var: VarId,
        init: &Comb,
        form: &CombLoop,
        body: &Comb,
        first_pull: Pull,
        closures: Closures,
    ) -> (Expr, Pull) {
        let Closures { state, first, count, sinks } = closures;
        let span = self.span;
        let mut types = vec![init.ty.clone()];
        types.extend(self.types_of(&sinks));
        let bars: Vec<Type> = types.iter().map(|ty| self.bar(ty)).collect();
        let closure = Type::fun(bars[0].clone(), Self::pack_type(bars));
        let list = self.list_of(&closure);
        let (kept, start) = match &count {
            Some((count, _)) => {
                let none = self.prim(Prim::IntMax, vec![count.clone(), self.int(0)]);
                let none = self.no_closures(none, &closure);
                (Type::array(closure.clone()), none)
            }
            None => {
                let kept = Type::tuple(vec![Type::new(TypeKind::Data(list)), Type::int()]);
                let nil = Expr::con(list, 0, vec![], span);
                (kept, Expr::tuple(vec![nil, self.int(0)], span))
            }
        };
        let pair = Type::tuple(vec![self.program.vars[state].ty.clone(), kept]);
        let (pair_var, pair) = self.fresh("st", pair);
        self.vars.insert(var, Expr::proj(pair.clone(), 0, span));
        let mut outs = vec![var];
        outs.extend(&sinks);
        let index = count.as_ref().map(|(_, index)| *index);
        let (form, body) = self.loop_parts(form, count, body, &mut |code, body, _| {
            let current = code.emit("s", Expr::proj(pair.clone(), 0, span));
            code.vars.insert(var, current);
            let (value, pull) = code.forward(body);
            let closure = code.pullback(&pull, &body.ty, &types, &mut |code| code.take_all(&outs));
            let closure = code.emit("pb", closure);
            let before = Expr::proj(pair.clone(), 1, span);
            let index = index.and_then(|index| code.vars.get(&index).cloned());
            let kept = match index {
                Some(index) => code.prim(Prim::Update, vec![before, index, closure]),
                None => {
                    let known = Expr::proj(before.clone(), 0, span);
                    let known = Expr::con(list, 1, vec![closure, known], span);
                    let number = Expr::proj(before, 1, span);
                    let number = code.prim(Prim::IntAdd, vec![number, code.int(1)]);
                    Expr::tuple(vec![known, number], span)
                }
            };
            Expr::tuple(vec![value, kept], span)
        });
        let start = Expr::tuple(vec![first, start], span);
        let looped = self.looped(pair_var, start, form, body);
        let looped = self.emit("q", looped);
        let value = self.emit("s", Expr::proj(looped.clone(), 0, span));
        let closures = self.emit("pbs", Expr::proj(looped, 1, span));
        let closures =
            if index.is_some() { closures } else { self.as_array(closures, list, &closure) };
        let init = Box::new(Fed { pull: first_pull, ty: init.ty.clone() });
        (value, Pull::Loop { closures, init, sinks })
    }

    /// An array of this many closures that are still to come.
    fn no_closures(&mut self, size: Expr, closure: &Type) -> Expr {
        let (from, to) = ends(closure);
        let (unused, _) = self.fresh("y_bar", from);
        let broken = self.broken("an iteration left no pullback", to);
        let nothing = self.program.lam(vec![unused], broken);
        let nothing = self.emit("none", nothing);
        let (index, _) = self.fresh("i", Type::int());
        Expr::build(size, index, nothing, self.span)
    }

    /// The closures of a list, the last first, in an array from first to last.
    fn as_array(&mut self, kept: Expr, list: pullback_lambda::DataId, closure: &Type) -> Expr {
        let span = self.span;
        let size = self.emit("n", Expr::proj(kept.clone(), 1, span));
        let none = self.no_closures(size.clone(), closure);
        let start = Expr::tuple(vec![none, Expr::proj(kept, 0, span)], span);
        let (state_var, state) = self.fresh("st", start.ty.clone());
        let (index_var, index) = self.fresh("i", Type::int());
        let (head_var, head) = self.fresh("pb", closure.clone());
        let (rest_var, rest) = self.fresh("r", Type::new(TypeKind::Data(list)));
        let last = self.prim(Prim::IntSub, vec![size.clone(), self.int(1)]);
        let place = self.prim(Prim::IntSub, vec![last, index]);
        let array = Expr::proj(state.clone(), 0, span);
        let array = self.prim(Prim::Update, vec![array, place, head]);
        let step = Expr::tuple(vec![array, rest], span);
        let waiting = Expr::proj(state.clone(), 1, span);
        let arms = vec![Arm::new(0, vec![], state), Arm::new(1, vec![head_var, rest_var], step)];
        let body = Expr::match_(waiting, arms, None, span);
        let looped = Expr::loop_for(state_var, start, index_var, size, body, span);
        self.emit("pbs", Expr::proj(looped, 0, span))
    }

    /// The form of a loop and its body, each in a scope of its own.
    fn loop_parts(
        &mut self,
        form: &CombLoop,
        count: Option<(Expr, VarId)>,
        body: &Comb,
        make: &mut dyn FnMut(&mut Self, &Comb, bool) -> Expr,
    ) -> (LoopForm, Expr) {
        let form = match (form, count) {
            (CombLoop::For { .. }, Some((count, index))) => {
                let var = self.parameter(index);
                LoopForm::For { var, count: Box::new(count) }
            }
            (CombLoop::For { count, .. }, None) => {
                LoopForm::While(Box::new(self.scope(|code| code.forward(count).0)))
            }
            (CombLoop::While(cond), _) => {
                LoopForm::While(Box::new(self.scope(|code| code.forward(cond).0)))
            }
        };
        self.open();
        let body = make(self, body, true);
        (form, self.close(body))
    }

    fn looped(&self, var: VarId, init: Expr, form: LoopForm, body: Expr) -> Expr {
        match form {
            LoopForm::For { var: index, count } => {
                Expr::loop_for(var, init, index, *count, body, self.span)
            }
            LoopForm::While(cond) => Expr::loop_while(var, init, *cond, body, self.span),
        }
    }

    /// The closures of a loop's iterations, the last first.
    pub fn loop_backward(&mut self, closures: &Expr, init: &Fed, sinks: &[VarId], tan: &Tan) {
        let span = self.span;
        let mut types = vec![init.ty.clone()];
        types.extend(self.types_of(sinks));
        let count = types.len();
        let mut start = vec![self.boxed(tan, &init.ty)];
        for ty in &types[1..] {
            start.push(self.zero(ty));
        }
        let start = self.pack(start);
        let number = Expr::size_of(closures.clone(), self.span);
        let number = self.emit("n", number);
        let (state_var, state) = self.fresh("st", start.ty.clone());
        let (index_var, index) = self.fresh("i", Type::int());
        let body = self.scope(|code| {
            let last = code.prim(Prim::IntSub, vec![number.clone(), code.int(1)]);
            let place = code.prim(Prim::IntSub, vec![last, index]);
            let closure = Expr::index(closures.clone(), place, code.span);
            let closure = code.emit("pb", closure);
            let y_bar = code.unpack(&state, 0, count);
            let shares = code.apply(closure, vec![y_bar]);
            let shares = code.emit("e", shares);
            let mut next = vec![code.unpack(&shares, 0, count)];
            for (index, ty) in types.iter().enumerate().skip(1) {
                let share = code.unpack(&shares, index, count);
                let total = code.unpack(&state, index, count);
                next.push(code.add_boxed(total, share, ty));
            }
            code.pack(next)
        });
        let looped = Expr::loop_for(state_var, start, index_var, number, body, span);
        let looped = self.emit("e", looped);
        for (index, var) in sinks.iter().enumerate() {
            let total = self.unpack(&looped, index + 1, count);
            self.arrive(*var, Tan::Any(total));
        }
        let first = self.unpack(&looped, 0, count);
        self.backward(&init.pull, Tan::Any(first), &init.ty);
    }
}

/// What a loop starts with and what its closures answer for.
struct Closures {
    state: VarId,
    first: Expr,
    count: Option<(Expr, VarId)>,
    sinks: Vec<VarId>,
}
