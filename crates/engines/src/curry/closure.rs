//! `curry` and `eval`: figure 3 (list tangents) and figure 5 (environment tangents), and recursion.
//!
//! List tangents: `eval` records argument and cotangent of a call; the pullback of `curry` runs the
//! function again on each recorded argument. Environment tangents: the pullback of a function gives,
//! beside the cotangent of its argument, that of its environment in a package (Definition 5.2). Its tag says which
//! `curry` made it, and `curry` opens packages of its own tag only; or its type is erased ([`super::erased`]).

use pullback_base::bug;
use pullback_lambda::{Arm, Constructor, Expr, Type, TypeKind, VarId};

use super::code::{Code, Known, Package, Style};
use super::comb::{Comb, Recursive};
use super::erased::ENV;
use super::pull::{Fed, Pull};
use super::tan::Tan;
use super::transform::ends;
use super::types::{APPEND, CALL, ZERO};

impl Code<'_> {
    /// `curry b`
    pub fn curry(&mut self, var: VarId, body: &Comb) -> (Expr, Pull) {
        let target = self.parameter(var);
        if !self.is_active(&body.ty) {
            let body = self.branch(body, &[]);
            let function = self.program.lam(vec![target], body);
            return (self.emit("f", function), Pull::None);
        }
        let mut captured = self.sinks(body);
        captured.retain(|captured| *captured != var);
        match self.style {
            Style::List => self.curry_list(var, target, body, captured),
            Style::Env(_) => self.curry_env(var, target, body, captured),
        }
    }

    /// `new_g` of figure 3; the function uncurried is kept for `new_pb`.
    fn curry_list(
        &mut self,
        var: VarId,
        target: VarId,
        body: &Comb,
        captured: Vec<VarId>,
    ) -> (Expr, Pull) {
        let mut outs = vec![var];
        outs.extend(&captured);
        let answer = self.branch(body, &outs);
        let function = self.program.lam(vec![target], answer);
        if captured.is_empty() {
            return (self.emit("f", function), Pull::None);
        }
        let uncurried = self.emit("f", function);
        let argument = self.program.vars[target].clone();
        let (param, occurrence) = self.fresh(&argument.name, argument.ty);
        let span = self.span;
        let answer = self.scope(|code| {
            let answer = code.apply(uncurried.clone(), vec![occurrence]);
            let answer = code.emit("q", answer);
            let bar = code.bar(&body.ty);
            let (y_var, y_bar) = code.fresh("y_bar", bar);
            let shares = code.apply(Expr::proj(answer.clone(), 1, span), vec![y_bar]);
            let own = Expr::proj(shares, 0, span);
            let pullback = code.program.lam(vec![y_var], own);
            Expr::tuple(vec![Expr::proj(answer, 0, span), pullback], span)
        });
        let function = self.program.lam(vec![param], answer);
        let site = self.unnamed(var);
        (self.emit("g", function), Pull::CurryList { uncurried, captured, site })
    }

    /// `gf` of figure 5.
    fn curry_env(
        &mut self,
        var: VarId,
        target: VarId,
        body: &Comb,
        captured: Vec<VarId>,
    ) -> (Expr, Pull) {
        let (packages, _) = self.packages();
        let types = self.types_of(&captured);
        let tag = if captured.is_empty() { ZERO } else { self.package(&captured, &types) };
        self.open();
        let (value, pull) = self.forward(body);
        let span = self.span;
        let own = self.program.vars[var].ty.clone();
        let pullback = self.pullback_to(&pull, &body.ty, &mut |code, zero| {
            let (argument, package) = if zero {
                (code.zero(&own), Expr::con(packages, ZERO, vec![], span))
            } else {
                let argument = code.take_all(&[var]).remove(0);
                let fields = code.take_all(&captured);
                (argument, code.environment_of(tag, fields, &types))
            };
            Expr::tuple(vec![argument, package], span)
        });
        let pair = Expr::tuple(vec![value, pullback], span);
        let answer = self.close(pair);
        let function = self.program.lam(vec![target], answer);
        let value = self.emit("f", function);
        if captured.is_empty() {
            return (value, Pull::None);
        }
        let site = self.unnamed(var);
        (value, Pull::CurryEnv { tag, captured, site })
    }

    /// A name for a function of this parameter that has none.
    fn unnamed(&mut self, param: VarId) -> VarId {
        let name = format!("(\\{} -> …)", self.program.vars[param].name);
        self.program.fresh(&name, Type::unit())
    }

    /// An environment of these types in its package.
    fn environment_of(&mut self, tag: usize, fields: Vec<Expr>, types: &[Type]) -> Expr {
        if self.style == Style::Env(Package::Erased) && !types.is_empty() {
            return self.packed(fields, types);
        }
        let (packages, _) = self.packages();
        Expr::con(packages, tag, fields, self.span)
    }

    /// A new package for an environment of these types: its tag.
    fn package(&mut self, captured: &[VarId], types: &[Type]) -> usize {
        if self.style == Style::Env(Package::Erased) {
            return ENV;
        }
        let (data, _) = self.packages();
        let fields = types.iter().map(|ty| self.bar(ty)).collect();
        let constructors = &mut self.program.datas[data].constructors;
        let tag = constructors.len();
        constructors.push(Constructor { name: format!("Env{tag}").into(), fields });
        self.package_fields.push(types.to_vec());
        self.package_vars.push(captured.to_vec());
        tag
    }

    /// `eval`
    pub fn eval(
        &mut self,
        args: &[Comb],
        values: Vec<Expr>,
        mut pulls: Vec<Pull>,
        comb: &Comb,
    ) -> (Expr, Pull) {
        let [function, argument] =
            values.try_into().unwrap_or_else(|_| bug("curry", "a function and its argument"));
        let answer = self.apply(function, vec![argument.clone()]);
        if !self.is_active(&comb.ty) {
            return (self.emit("y", answer), Pull::None);
        }
        let nothing = pulls.iter().all(Pull::is_none);
        let answer = self.emit("q", answer);
        let value = self.emit("y", Expr::proj(answer.clone(), 0, self.span));
        if nothing {
            return (value, Pull::None);
        }
        let pullback = self.emit("pb", Expr::proj(answer, 1, self.span));
        let mut fed = |index: usize| Fed {
            pull: std::mem::replace(&mut pulls[index], Pull::None),
            ty: args[index].ty.clone(),
        };
        let (function, base) = (fed(0), fed(1));
        let pull = match self.style {
            Style::Env(_) => Pull::Opaque(pullback, vec![base, function]),
            Style::List => Pull::Eval {
                pullback,
                argument,
                function: Box::new(function),
                base: Box::new(base),
            },
        };
        (value, pull)
    }

    /// `λg. [(x, g)], pb g`
    pub fn eval_backward(
        &mut self,
        pullback: &Expr,
        argument: &Expr,
        function: &Fed,
        base: &Fed,
        tan: &Tan,
        ty: &Type,
    ) {
        let boxed = self.boxed_atom(tan, ty);
        if !function.pull.is_none() {
            let data = self.bar_data(&function.ty);
            let call = vec![argument.clone(), boxed.clone()];
            let call = self.emit("c", Expr::con(data, CALL, call, self.span));
            self.backward(&function.pull, Tan::Any(call), &function.ty);
        }
        if !base.pull.is_none() {
            let share = self.apply(pullback.clone(), vec![boxed]);
            let share = self.emit("x_bar", share);
            self.backward(&base.pull, Tan::Any(share), &base.ty);
        }
    }

    /// `new_pb grs = sum (map aux grs)`: the function is run again for each recorded call.
    pub fn curry_list_backward(
        &mut self,
        uncurried: &Expr,
        captured: &[VarId],
        site: VarId,
        tan: &Tan,
        ty: &Type,
    ) {
        let calls = self.boxed_atom(tan, ty);
        self.watch(site, ty, &calls);
        let span = self.span;
        let bar = calls.ty.clone();
        let list = self.list_of(&bar);
        let list_type = Type::new(TypeKind::Data(list));
        let types = self.types_of(captured);
        let bars: Vec<Type> = types.iter().map(|ty| self.bar(ty)).collect();
        let zeros: Vec<Expr> = types.iter().map(|ty| self.zero(ty)).collect();
        let (totals_type, zeros) = (Self::pack_type(bars), self.pack(zeros));
        let waiting = Expr::con(list, 1, vec![calls, Expr::con(list, 0, vec![], span)], span);
        let start = Expr::tuple(vec![zeros, waiting], span);
        let (state_var, state) = self.fresh("st", Type::tuple(vec![totals_type, list_type]));
        let waiting = Expr::proj(state.clone(), 1, span);
        let cond = self.has_more(&waiting, list, &bar);
        let (head_var, head) = self.fresh("c", bar.clone());
        let (rest_var, rest) = self.fresh("r", Type::new(TypeKind::Data(list)));
        let totals = Expr::proj(state.clone(), 0, span);

        let nothing = Expr::tuple(vec![totals.clone(), rest.clone()], span);
        let mut arms = vec![Arm::new(ZERO, vec![], nothing)];
        let (from, to) = ends(ty);
        let (from, to) = (self.rep(&from), self.bar(&to));
        let ((s_var, s), (g_var, g)) = (self.fresh("s", from), self.fresh("gr", to));
        let again = self.scope(|code| {
            let answer = code.apply(uncurried.clone(), vec![s]);
            let shares = code.apply(Expr::proj(answer, 1, span), vec![g]);
            let shares = code.emit("e", shares);
            let before = code.emit("t", totals.clone());
            let count = types.len();
            let mut sums = vec![];
            for (index, ty) in types.iter().enumerate() {
                let a = code.unpack(&before, index, count);
                let b = code.emit("t", Expr::proj(shares.clone(), index + 1, span));
                sums.push(code.add_boxed(a, b, ty));
            }
            Expr::tuple(vec![code.pack(sums), rest.clone()], span)
        });
        arms.push(Arm::new(CALL, vec![s_var, g_var], again));
        let ((left_var, left), (right_var, right)) =
            (self.fresh("a", bar.clone()), self.fresh("b", bar));
        let waiting_next = Expr::con(list, 1, vec![right, rest], span);
        let waiting_next = Expr::con(list, 1, vec![left, waiting_next], span);
        let both = Expr::tuple(vec![totals, waiting_next], span);
        arms.push(Arm::new(APPEND, vec![left_var, right_var], both));
        let step = Expr::match_(head, arms, None, span);
        let arms = vec![Arm::new(0, vec![], state), Arm::new(1, vec![head_var, rest_var], step)];
        let body = Expr::match_(waiting, arms, None, span);
        let looped = Expr::loop_while(state_var, start, cond, body, span);
        let looped = self.emit("e", Expr::proj(looped, 0, span));
        for (index, var) in captured.iter().enumerate() {
            let total = self.unpack(&looped, index, captured.len());
            self.arrive(*var, Tan::Any(total));
        }
    }

    /// `new_pb env = env`, after the package is opened.
    pub fn curry_env_backward(
        &mut self,
        tag: usize,
        captured: &[VarId],
        site: VarId,
        tan: &Tan,
        ty: &Type,
    ) {
        let package = self.boxed_atom(tan, ty);
        self.watch(site, ty, &package);
        let types = self.types_of(captured);
        if self.style == Style::Env(Package::Erased) {
            for (var, field) in captured.iter().zip(self.unpacked(package, &types)) {
                self.arrive(*var, Tan::Any(field));
            }
            return;
        }
        let fields = self.fields(package, ty, tag, &types, false);
        for (var, field) in captured.iter().zip(fields) {
            self.arrive(*var, field.map_or(Tan::Zero, Tan::Any));
        }
    }

    fn watch(&mut self, site: VarId, ty: &Type, arrived: &Expr) {
        // Only what arrives in the outermost pullback is in scope where it is shown.
        if self.arrived.len() == 1
            && let Some(watched) = &mut self.watched
        {
            watched.push((site, ty.clone(), arrived.clone()));
        }
    }

    /// Recursive functions: lifted over their environment, so that a call of a known function answers
    /// for its arguments and for the environment at once, in both styles.
    pub fn fix(&mut self, group: &[Recursive]) {
        let mut sinks = vec![];
        for function in group {
            for var in self.sinks(&function.body) {
                if !function.params.contains(&var) && !sinks.contains(&var) {
                    sinks.push(var);
                }
            }
        }
        let mut targets = vec![];
        for function in group {
            let mut outs = function.params.clone();
            outs.extend(&sinks);
            let outs = self.types_of(&outs);
            let result = self.answered(&function.body.ty, &outs);
            let mut params = vec![];
            for ty in self.types_of(&function.params) {
                params.push(self.rep(&ty));
            }
            let name = self.program.vars[function.name].name.clone();
            let (target, occurrence) = self.fresh(&name, Type::funs(params, result));
            targets.push(target);
            let known = Known { function: occurrence, sinks: sinks.clone() };
            self.known.insert(function.name, known);
        }
        let mut functions = vec![];
        for (function, target) in group.iter().zip(targets) {
            let params = function.params.iter().map(|var| self.parameter(*var)).collect();
            let mut outs = function.params.clone();
            outs.extend(&sinks);
            let body = self.branch(&function.body, &outs);
            functions.push((target, self.program.lam(params, body)));
        }
        self.innermost().push_rec(functions);
    }

    /// A recursive function applied to all its parameters.
    pub fn call_recursive(
        &mut self,
        name: VarId,
        args: &[Comb],
        values: Vec<Expr>,
        pulls: Vec<Pull>,
        comb: &Comb,
    ) -> (Expr, Pull) {
        let Some(known) = self.known.get(&name).cloned() else {
            let ty = self.rep(&comb.ty);
            return (self.broken("a recursive function is out of scope", ty), Pull::None);
        };
        let answer = self.apply(known.function, values);
        if !self.is_active(&comb.ty) {
            return (self.emit("y", answer), Pull::None);
        }
        let args = args.iter().zip(pulls);
        let mut fed: Vec<Fed> = args.map(|(arg, pull)| Fed { pull, ty: arg.ty.clone() }).collect();
        fed.extend(self.environment(&known.sinks));
        let nothing = fed.iter().all(|fed| fed.pull.is_none());
        let (value, pull) = self.answer_of(answer, fed, true);
        (value, if nothing { Pull::None } else { pull })
    }
}
