//! The backward half of every rep-function: code that takes a cotangent of the value and leaves its
//! shares at the components of the environment.

use std::collections::BTreeMap;

use pullback_lambda::{Arm, Expr, Linearised, Slope, Type, TypeKind, VarId};
use pullback_prim::Prim;

use super::code::Code;
use super::comb::Comb;
use super::pull::{Fed, Pull};
use super::tan::Tan;
use super::types::{SOME, ZERO, owned_components};

impl Code<'_> {
    /// `(value, pullback)` in a scope of its own, the pullback giving the cotangents of these
    /// components of the environment; the value alone if there are none.
    pub fn branch(&mut self, comb: &Comb, sinks: &[VarId]) -> Expr {
        self.open();
        let (value, pull) = self.forward(comb);
        if sinks.is_empty() || !self.is_active(&comb.ty) {
            return self.close(value);
        }
        let types = self.types_of(sinks);
        let pullback = self.pullback(&pull, &comb.ty, &types, &mut |code| code.take_all(sinks));
        let pair = Expr::tuple(vec![value, pullback], self.span);
        self.close(pair)
    }

    /// The types of variables of the source.
    pub fn types_of(&self, vars: &[VarId]) -> Vec<Type> {
        vars.iter().map(|var| self.program.vars[*var].ty.clone()).collect()
    }

    /// `\y_bar -> results`, where the results are of these types; a zero gives zeros.
    pub fn pullback(
        &mut self,
        pull: &Pull,
        ty: &Type,
        types: &[Type],
        results: &mut dyn FnMut(&mut Self) -> Vec<Expr>,
    ) -> Expr {
        self.pullback_to(pull, ty, &mut |code, zero| {
            let items =
                if zero { types.iter().map(|ty| code.zero(ty)).collect() } else { results(code) };
            code.pack(items)
        })
    }

    /// As [`Code::pullback`], with any way to make the result; it is told if the cotangent is zero.
    pub fn pullback_to(
        &mut self,
        pull: &Pull,
        ty: &Type,
        results: &mut dyn FnMut(&mut Self, bool) -> Expr,
    ) -> Expr {
        let bar = self.bar(ty);
        let (var, y_bar) = self.fresh("y_bar", bar);
        self.open();
        self.arrived.push(BTreeMap::new());
        let mut vars = vec![];
        let tan = if let TypeKind::Real = ty.kind() {
            let (number, occurrence) = self.fresh("g", Type::real());
            vars.push(number);
            Tan::Real(occurrence)
        } else if ty.is_product() {
            let mut parts = vec![];
            for ty in owned_components(ty) {
                if self.is_active(&ty) {
                    let bar = self.bar(&ty);
                    let (part, occurrence) = self.fresh("g", bar);
                    vars.push(part);
                    parts.push(Tan::Any(occurrence));
                } else {
                    parts.push(Tan::Zero);
                }
            }
            Tan::Parts(parts)
        } else {
            Tan::Any(y_bar.clone())
        };
        self.backward(pull, tan, ty);
        let result = results(self, false);
        self.arrived.pop();
        let body = self.close(result);
        let zeros = self.scope(|code| results(code, true));
        let mut arms = vec![Arm::new(ZERO, vec![], zeros)];
        let mut default = None;
        if vars.is_empty() {
            default = Some(body);
        } else {
            arms.push(Arm::new(SOME, vars, body));
        }
        let body = Expr::match_(y_bar, arms, default, self.span);
        self.program.lam(vec![var], body)
    }

    /// What has arrived at a variable.
    pub fn take(&mut self, var: VarId) -> Tan {
        let arrived = self.arrived.last_mut().and_then(|arrived| arrived.remove(&var));
        arrived.unwrap_or(Tan::Zero)
    }

    /// What has arrived at variables, as values.
    pub fn take_all(&mut self, vars: &[VarId]) -> Vec<Expr> {
        let mut found = vec![];
        for (var, ty) in vars.iter().zip(self.types_of(vars)) {
            let tan = self.take(*var);
            found.push(self.boxed(&tan, &ty));
        }
        found
    }

    /// Adds to what has arrived at a variable.
    pub fn arrive(&mut self, var: VarId, tan: Tan) {
        let ty = self.program.vars[var].ty.clone();
        let before = self.take(var);
        let sum = self.add(before, tan, &ty);
        if let Some(arrived) = self.arrived.last_mut() {
            arrived.insert(var, sum);
        }
    }

    /// Sends a cotangent through a pullback.
    pub fn backward(&mut self, pull: &Pull, tan: Tan, ty: &Type) {
        if matches!(tan, Tan::Zero) {
            return;
        }
        match pull {
            Pull::None => {}
            Pull::Var(var) => self.arrive(*var, tan),
            Pull::Parts(pulls) => {
                let parts = self.parts(tan, ty);
                for ((pull, part), ty) in pulls.iter().zip(parts).zip(owned_components(ty)) {
                    self.backward(pull, part, &ty);
                }
            }
            Pull::Field(base, index, base_type) => {
                let count = owned_components(base_type).len();
                let mut parts: Vec<Tan> = (0..count).map(|_| Tan::Zero).collect();
                parts[*index] = tan;
                self.backward(base, Tan::Parts(parts), base_type);
            }
            Pull::Chain(bindings, body) => {
                self.backward(body, tan, ty);
                for (var, pull, ty) in bindings.iter().rev() {
                    let tan = self.take(*var);
                    self.backward(pull, tan, ty);
                }
            }
            Pull::Smooth { prim, args, result, pulls } => {
                self.smooth(*prim, args, result, pulls, &tan);
            }
            Pull::Sum { size, base } => {
                let number = self.boxed_atom(&tan, ty);
                let (var, _) = self.fresh("i", Type::int());
                let all = Expr::build(size.clone(), var, number, self.span);
                let array = Type::array(Type::real());
                let tan = self.all_elements(all, &array);
                self.backward(base, tan, &array);
            }
            Pull::Index { .. }
            | Pull::Update { .. }
            | Pull::Slice { .. }
            | Pull::Concat { .. }
            | Pull::Flatten { .. }
            | Pull::Array(_) => self.array_backward(pull, &tan, ty),
            Pull::Con(tag, pulls, types) => {
                let boxed = self.boxed_atom(&tan, ty);
                if self.is_package(ty) {
                    let environment = self.unpacked(boxed, &types[..1]).remove(0);
                    return self.backward(&pulls[0], Tan::Any(environment), &types[0]);
                }
                let fields = self.fields(boxed, ty, tag + 1, types, false);
                for ((pull, field), ty) in pulls.iter().zip(fields).zip(types) {
                    self.backward(pull, field.map_or(Tan::Zero, Tan::Any), ty);
                }
            }
            Pull::Opaque(pullback, fed) => self.opaque(pullback, fed, &tan, ty),
            Pull::Eval { pullback, argument, function, base } => {
                self.eval_backward(pullback, argument, function, base, &tan, ty);
            }
            Pull::CurryList { uncurried, captured, site } => {
                self.curry_list_backward(uncurried, captured, *site, &tan, ty);
            }
            Pull::CurryEnv { tag, captured, site } => {
                self.curry_env_backward(*tag, captured, *site, &tan, ty);
            }
            Pull::Build { pairs, sinks } => self.build_backward(pairs, sinks, &tan, ty),
            Pull::Loop { closures, init, sinks } => {
                self.loop_backward(closures, init, sinks, &tan);
            }
            Pull::Rule(rule) => self.rule_backward(rule, &tan, ty),
        }
    }

    fn opaque(&mut self, pullback: &Expr, fed: &[Fed], tan: &Tan, ty: &Type) {
        let boxed = self.boxed_atom(tan, ty);
        let bars = self.apply(pullback.clone(), vec![boxed]);
        let bars = self.emit("e", bars);
        for (index, Fed { pull, ty }) in fed.iter().enumerate() {
            let bar = self.unpack(&bars, index, fed.len());
            self.backward(pull, Tan::Any(bar), ty);
        }
    }

    /// The partial derivatives of the table, each times the cotangent.
    fn smooth(&mut self, prim: Prim, args: &[Expr], result: &Expr, pulls: &[Pull], tan: &Tan) {
        let wanted = |at: usize| !pulls[at].is_none();
        let Linearised { slopes, bindings } =
            self.program.linearise(prim, args, result, wanted, self.span);
        self.innermost().extend(bindings);
        let real = Type::real();
        for (pull, slope) in pulls.iter().zip(&slopes) {
            if pull.is_none() || matches!(slope, Slope::Zero) {
                continue;
            }
            let share = self.scaled(slope, tan);
            self.backward(pull, share, &real);
        }
    }

    /// A partial derivative times a tangent or cotangent of a Real.
    pub fn scaled(&mut self, slope: &Slope, tan: &Tan) -> Tan {
        let real = Type::real();
        match tan {
            Tan::Any(unknown) => {
                let (var, number) = self.fresh("g", Type::real());
                self.open();
                let share = self.times(slope, &number);
                let share = self.boxed(&share, &real);
                let share = self.close(share);
                let zero = self.zero(&real);
                let arms = vec![Arm::new(ZERO, vec![], zero), Arm::new(SOME, vec![var], share)];
                let share = Expr::match_(unknown.clone(), arms, None, self.span);
                Tan::Any(self.emit("p", share))
            }
            Tan::Real(number) => self.times(slope, number),
            Tan::Zero | Tan::Parts(_) => Tan::Zero,
        }
    }

    fn array_backward(&mut self, pull: &Pull, tan: &Tan, ty: &Type) {
        if let Pull::Index { index, base, ty: array } = pull {
            let at = self.at(index, tan, array);
            self.backward(base, at, array);
        } else if let Pull::Update { size, index, base, element } = pull {
            let element_type = ty.item().clone();
            let all = self.dense(size.clone(), tan, ty);
            let replaced = Expr::index(all.clone(), index.clone(), self.span);
            let replaced = self.emit("v_bar", replaced);
            if !base.is_none() {
                let zero = self.zero(&element_type);
                let rest = self.prim(Prim::Update, vec![all, index.clone(), zero]);
                let rest = self.all_elements(rest, ty);
                self.backward(base, rest, ty);
            }
            self.backward(element, Tan::Any(replaced), &element_type);
        } else if let Pull::Slice { from, base } = pull {
            let shifted = self.shift(from, tan, ty);
            self.backward(base, shifted, ty);
        } else if let Pull::Concat { sizes, left, right } = pull {
            let [first, second] = self.cut(tan, sizes.clone(), ty);
            self.backward(left, first, ty);
            self.backward(right, second, ty);
        } else if let Pull::Flatten { sizes, base, ty: nested } = pull {
            let rows = self.unflatten(tan, sizes, nested, ty);
            self.backward(base, rows, nested);
        } else if let Pull::Array(pulls) = pull {
            let element = ty.item().clone();
            let all = self.dense(self.int(pulls.len() as i64), tan, ty);
            for (index, pull) in pulls.iter().enumerate() {
                if !pull.is_none() {
                    let item = Expr::index(all.clone(), self.int(index as i64), self.span);
                    let item = self.emit("g", item);
                    self.backward(pull, Tan::Any(item), &element);
                }
            }
        }
    }
}
