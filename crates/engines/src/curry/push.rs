//! Forward mode: an arrow gives its value and its tangent side by side.
//!
//! Type:  `a ~> b = (a, T a) -> (b, T b)`. A function and its tangent are one closure, over the environment and the
//!        tangent of the environment: a way forward adds no two tangents of functions, so `T (a ~> b)` is `()`.
//! Law:   the tangent is `J (T a)`, where the pullback takes `y_bar` to `Jᵀ y_bar`. A structural zero meets no
//!        partial derivative, as on the way back.
//! Cost:  a constant times the program in time, and its memory.
//! Limits: rules of the program's own, and `stop_gradient` of a function, have no arrow of this type ([`has_arrows`]); the
//!        pullback is transposed there.

use pullback_lambda::{
    AdOp, DefId, Expr, ExprKind, Linearised, Program, Scope, Slope, Type, VarId, is_first_order,
};
use pullback_prim::{Class, Prim};

use super::code::{Code, Known, Pending};
use super::comb::{Arrow, Comb, CombKind, Recursive};
use super::tan::Tan;
use super::translate::{translate, uncurried};

/// Whether a definition and all it reaches have arrows of forward mode.
pub fn has_arrows(program: &Program, def: DefId) -> bool {
    let mut found = true;
    for def in pullback_reduce::reachable(program, def) {
        program.defs[def].body.visit(&mut |term| {
            if let ExprKind::Ad(op, args) = &term.kind {
                found &= if let AdOp::StopGradient = op {
                    args.iter().all(|arg| is_first_order(&program.datas, &arg.ty))
                } else {
                    !matches!(op, AdOp::CustomVjp | AdOp::CustomJvp)
                };
            }
        });
    }
    found
}

/// A branch: its bindings, its value and its tangent.
pub struct Branch {
    scope: Scope,
    value: Expr,
    tan: Tan,
}

/// What branches leave beside their values.
enum Left {
    Nothing,
    Number,
    Boxed,
}

impl Code<'_> {
    /// The value of an arrow in the innermost scope, as an atom, and its tangent.
    pub fn push(&mut self, comb: &Comb) -> (Expr, Tan) {
        let outer = std::mem::replace(&mut self.span, comb.span);
        let (value, tan) = match &comb.kind {
            CombKind::Proj(var) => {
                let value = self.vars.get(var).cloned();
                let value = value.unwrap_or_else(|| self.program.var(*var, comb.span));
                (value, self.tans.get(var).cloned().unwrap_or(Tan::Zero))
            }
            CombKind::Const(expr) => (self.constant(expr), Tan::Zero),
            CombKind::Then(args, arrow) => self.push_generator(args, arrow, comb),
            CombKind::Bind(bindings, body) => {
                for (var, bound) in bindings {
                    let (value, tan) = self.push(bound);
                    let value = self.named(*var, value);
                    self.vars.insert(*var, value);
                    self.tans.insert(*var, tan);
                }
                self.push(body)
            }
            CombKind::Curry(var, body) => {
                let params = self.dual_parameter(*var);
                let flows = self.is_active(&body.ty);
                let answer = self.dual_body(body, flows);
                let function = self.program.lam(params, answer);
                (self.emit("f", function), Tan::Zero)
            }
            CombKind::Fix(group, body) => {
                self.push_fix(group);
                self.push(body)
            }
            CombKind::Cond(cond, then, other) => self.push_cond(cond, then, other, comb),
            CombKind::Case(scrutinee, arms, default) => {
                self.push_case(scrutinee, arms, default.as_deref(), comb)
            }
            CombKind::Build { size, var, body } => self.push_build(size, *var, body, comb),
            CombKind::Loop { var, init, form, body } => self.push_loop(*var, init, form, body),
        };
        let tan = if self.is_active(&comb.ty) { tan } else { Tan::Zero };
        self.span = outer;
        (value, tan)
    }

    /// The type of a value with its tangent, if it has one.
    pub fn dual(&mut self, ty: &Type, flows: bool) -> Type {
        let value = self.rep(ty);
        if !flows || !self.is_active(ty) {
            return value;
        }
        Type::tuple(vec![value, self.bar(ty)])
    }

    /// A parameter, and one for its tangent if it has one.
    pub fn dual_parameter(&mut self, var: VarId) -> Vec<VarId> {
        let target = self.parameter(var);
        let source = self.program.vars[var].clone();
        self.tans.remove(&var);
        let mut params = vec![target];
        if self.is_active(&source.ty) {
            let bar = self.bar(&source.ty);
            let (dot, occurrence) = self.fresh(&format!("{}_dot", source.name), bar);
            self.tans.insert(var, Tan::Any(occurrence));
            params.push(dot);
        }
        params
    }

    /// The types of such parameters.
    pub fn dual_parameter_types(&mut self, ty: &Type, held: bool) -> Vec<Type> {
        let mut types = vec![self.rep(ty)];
        if !held && self.is_active(ty) {
            types.push(self.bar(ty));
        }
        types
    }

    /// A value with its tangent if it flows, in a scope of its own.
    pub fn dual_body(&mut self, comb: &Comb, flows: bool) -> Expr {
        self.open();
        let (value, tan) = self.push(comb);
        let result = if flows {
            Expr::tuple(vec![value, self.boxed(&tan, &comb.ty)], self.span)
        } else {
            value
        };
        self.close(result)
    }

    /// Takes a value with its tangent apart.
    fn dual_answer(&mut self, answer: Expr, flows: bool) -> (Expr, Tan) {
        if !flows {
            return (self.emit("y", answer), Tan::Zero);
        }
        let answer = self.emit("q", answer);
        let value = self.emit("y", Expr::proj(answer.clone(), 0, self.span));
        let dot = self.emit("y_dot", Expr::proj(answer, 1, self.span));
        (value, Tan::Any(dot))
    }

    /// Values, each followed by its tangent if it is not held.
    fn dual_arguments(
        &mut self,
        args: &[Comb],
        values: Vec<Expr>,
        tans: &[Option<Tan>],
    ) -> Vec<Expr> {
        let mut all = vec![];
        for ((arg, value), tan) in args.iter().zip(values).zip(tans) {
            all.push(value);
            if let Some(tan) = tan
                && self.is_active(&arg.ty)
            {
                let tan = self.boxed_atom(tan, &arg.ty);
                all.push(tan);
            }
        }
        all
    }

    fn push_generator(&mut self, args: &[Comb], arrow: &Arrow, comb: &Comb) -> (Expr, Tan) {
        let (mut values, mut tans) = (vec![], vec![]);
        for arg in args {
            let (value, tan) = self.push(arg);
            values.push(value);
            tans.push(tan);
        }
        let span = comb.span;
        let ty = self.rep(&comb.ty);
        let still = tans.iter().all(Tan::is_zero);
        match arrow {
            Arrow::Tuple => {
                let value = self.emit("t", Expr::record(values, ty, span));
                (value, if still { Tan::Zero } else { Tan::Parts(tans) })
            }
            Arrow::Field(index) => {
                let value = self.emit("x", Expr::proj(values.remove(0), *index, span));
                let mut parts = self.parts(tans.remove(0), &args[0].ty);
                (value, parts.swap_remove(*index))
            }
            Arrow::Eval => {
                let function = values.remove(0);
                let tan = Some(tans.remove(1));
                let arguments = self.dual_arguments(&args[1..], values, &[tan]);
                let answer = self.apply(function, arguments);
                let flows = self.is_active(&comb.ty);
                self.dual_answer(answer, flows)
            }
            Arrow::Op(prim) => self.push_operation(*prim, args, values, &tans, comb),
            Arrow::Con(tag) => {
                let con = Expr::new(ExprKind::Con(*tag, values), ty, span);
                let value = self.emit("c", con);
                if still {
                    return (value, Tan::Zero);
                }
                if self.is_package(&comb.ty) {
                    let environment = self.boxed(&tans[0], &args[0].ty);
                    let package = self.packed(vec![environment], &[args[0].ty.clone()]);
                    return (value, Tan::Any(self.emit("c_dot", package)));
                }
                let mut fields = vec![];
                for (arg, tan) in args.iter().zip(&tans) {
                    if self.is_active(&arg.ty) {
                        fields.push(self.boxed(tan, &arg.ty));
                    }
                }
                let data = self.bar_data(&comb.ty);
                let con = Expr::con(data, tag + 1, fields, span);
                (value, Tan::Any(self.emit("c_dot", con)))
            }
            Arrow::Array => {
                let array = Expr::new(ExprKind::Array(values), ty, span);
                let value = self.emit("a", array);
                if still {
                    return (value, Tan::Zero);
                }
                let element = comb.ty.item().clone();
                let dots = tans.iter().map(|tan| self.boxed(tan, &element)).collect();
                let dots = Expr::new(ExprKind::Array(dots), Type::array(self.bar(&element)), span);
                (value, self.all_elements(dots, &comb.ty))
            }
            Arrow::Call(def) => self.push_call(*def, args, values, tans, comb),
            Arrow::Rec(name) => {
                let Some(known) = self.known.get(name).cloned() else {
                    return (self.broken("a recursive function is out of scope", ty), Tan::Zero);
                };
                let tans: Vec<Option<Tan>> = tans.into_iter().map(Some).collect();
                let arguments = self.dual_arguments(args, values, &tans);
                let answer = self.apply(known.function, arguments);
                let flows = self.is_active(&comb.ty);
                self.dual_answer(answer, flows)
            }
            Arrow::Stop => {
                (self.emit("x", Expr::ad(AdOp::StopGradient, values, ty, span)), Tan::Zero)
            }
            Arrow::Zeros => (self.emit("z", Expr::ad(AdOp::Zeros, values, ty, span)), Tan::Zero),
            Arrow::CustomJvp | Arrow::CustomVjp | Arrow::Vjp | Arrow::Jvp | Arrow::Linearize => {
                self.outside(
                    "a derivative of a function that is not known before the program runs",
                );
                (self.broken("outside", ty), Tan::Zero)
            }
        }
    }

    /// A primitive: its partial derivatives, each times the tangent of its argument.
    fn push_operation(
        &mut self,
        prim: Prim,
        args: &[Comb],
        values: Vec<Expr>,
        tans: &[Tan],
        comb: &Comb,
    ) -> (Expr, Tan) {
        let ty = self.rep(&comb.ty);
        let applied = Expr::new(ExprKind::Prim(prim, values.clone()), ty, comb.span);
        let value = self.emit("y", applied);
        if tans.iter().all(Tan::is_zero) || !self.is_active(&comb.ty) {
            return (value, Tan::Zero);
        }
        let tan = match &prim.row().class {
            Class::Smooth(_) => {
                let wanted = |at: usize| !tans[at].is_zero();
                let Linearised { slopes, bindings } =
                    self.program.linearise(prim, &values, &value, wanted, self.span);
                self.innermost().extend(bindings);
                let mut total = Tan::Zero;
                for (tan, slope) in tans.iter().zip(&slopes) {
                    if !tan.is_zero() && !matches!(slope, Slope::Zero) {
                        let share = self.scaled(slope, tan);
                        total = self.add(total, share, &Type::real());
                    }
                }
                total
            }
            Class::Discrete | Class::Control | Class::Tell | Class::Fail => Tan::Zero,
            Class::Structural(moves) => self.push_moved(*moves, &values, tans, &value, args),
        };
        (value, tan)
    }

    /// Whether calls of a definition give a tangent.
    fn gives_tangent(&mut self, def: DefId, held: &[bool]) -> bool {
        let body = self.program.defs[def].body.clone();
        let (params, inside) = uncurried(&body);
        let datas = &self.program.datas;
        let any = |var: &VarId| !is_first_order(datas, &self.program.vars[*var].ty);
        let moves = held.contains(&false) || params.iter().any(any);
        moves && self.is_active(&inside.ty)
    }

    /// The arrow of a definition, uncurried, where the tangents of some parameters are zero.
    pub fn pushed(&mut self, def: DefId, held: &[bool]) -> DefId {
        let key = (def, held.to_vec());
        if let Some(known) = self.directs.get(&key) {
            return *known;
        }
        let source = self.program.defs[def].clone();
        let (params, body) = uncurried(&source.body);
        let flows = self.gives_tangent(def, held);
        let result = self.dual(&body.ty, flows);
        let mut types = vec![];
        for (var, held) in params.iter().zip(held) {
            let ty = self.program.vars[*var].ty.clone();
            types.extend(self.dual_parameter_types(&ty, *held));
        }
        let place = self.reserve(source.name.clone(), Type::funs(types, result));
        self.directs.insert(key, place);
        self.pending.push(Pending { def, held: held.to_vec(), place });
        place
    }

    /// A definition applied to all its parameters.
    fn push_call(
        &mut self,
        def: DefId,
        args: &[Comb],
        values: Vec<Expr>,
        tans: Vec<Tan>,
        comb: &Comb,
    ) -> (Expr, Tan) {
        let held: Vec<bool> = tans.iter().map(Tan::is_zero).collect();
        let datas = &self.program.datas;
        let plain = !held.contains(&false)
            && is_first_order(datas, &comb.ty)
            && args.iter().all(|arg| is_first_order(datas, &arg.ty));
        if plain {
            let function = self.program.global(def, self.span);
            let value = self.apply(function, values);
            return (self.emit("y", value), Tan::Zero);
        }
        let flows = self.gives_tangent(def, &held);
        let direct = self.pushed(def, &held);
        let function = self.program.global(direct, self.span);
        let tans = tans.into_iter().map(|tan| (!tan.is_zero()).then_some(tan));
        let tans: Vec<Option<Tan>> = tans.collect();
        let arguments = self.dual_arguments(args, values, &tans);
        let answer = self.apply(function, arguments);
        self.dual_answer(answer, flows)
    }

    /// Recursive functions over their environment and its tangent.
    fn push_fix(&mut self, group: &[Recursive]) {
        let mut targets = vec![];
        for function in group {
            let mut types = vec![];
            for ty in self.types_of(&function.params) {
                types.extend(self.dual_parameter_types(&ty, false));
            }
            let result = self.dual(&function.body.ty, true);
            let name = self.program.vars[function.name].name.clone();
            let (target, occurrence) = self.fresh(&name, Type::funs(types, result));
            targets.push(target);
            self.known.insert(function.name, Known { function: occurrence, sinks: vec![] });
        }
        let mut functions = vec![];
        for (function, target) in group.iter().zip(targets) {
            let mut params = vec![];
            for var in &function.params {
                params.extend(self.dual_parameter(*var));
            }
            let flows = self.is_active(&function.body.ty);
            let body = self.dual_body(&function.body, flows);
            functions.push((target, self.program.lam(params, body)));
        }
        self.innermost().push_rec(functions);
    }

    /// Makes all arrows that were asked for.
    pub fn finish_pushes(&mut self) {
        while let Some(Pending { def, held, place }) = self.pending.pop() {
            self.tans.clear();
            self.known.clear();
            let source = self.program.defs[def].clone();
            self.span = source.span;
            let (params, body) = uncurried(&source.body);
            let comb = translate(self.program, body);
            let flows = self.gives_tangent(def, &held);
            let mut targets = vec![];
            for (index, var) in params.iter().enumerate() {
                if held.get(index) == Some(&false) {
                    targets.extend(self.dual_parameter(*var));
                } else {
                    targets.push(self.parameter(*var));
                    self.tans.remove(var);
                }
            }
            let body = self.dual_body(&comb, flows);
            self.program.defs[place].body = self.program.lam(targets, body);
        }
    }

    /// The bindings, the value and the tangent of an arrow that only some runs take.
    pub fn push_branch(&mut self, comb: &Comb) -> Branch {
        self.open();
        self.push_branch_on(comb)
    }

    /// As [`Code::push_branch`], in the scope that is open.
    pub fn push_branch_on(&mut self, comb: &Comb) -> Branch {
        let (value, tan) = self.push(comb);
        let scope = std::mem::take(self.innermost());
        self.scopes.pop();
        Branch { scope, value, tan }
    }

    /// Closes branches, and takes apart what the term that they stand in gives.
    pub fn push_joined(
        &mut self,
        branches: Vec<Branch>,
        ty: &Type,
        whole: impl FnOnce(Vec<Expr>) -> Expr,
    ) -> (Expr, Tan) {
        let left = if !self.is_active(ty) || branches.iter().all(|branch| branch.tan.is_zero()) {
            Left::Nothing
        } else if branches.iter().all(|branch| matches!(branch.tan, Tan::Real(_))) {
            Left::Number
        } else {
            Left::Boxed
        };
        let mut closed = vec![];
        for Branch { scope, value, tan } in branches {
            self.scopes.push(scope);
            let result = match (&left, tan) {
                (Left::Nothing, _) => value,
                (Left::Number, Tan::Real(number)) => Expr::tuple(vec![value, number], self.span),
                (Left::Number | Left::Boxed, tan) => {
                    Expr::tuple(vec![value, self.boxed(&tan, ty)], self.span)
                }
            };
            closed.push(self.close(result));
        }
        let (value, tan) = {
            let flows = !matches!(left, Left::Nothing);
            self.dual_answer(whole(closed), flows)
        };
        match (left, tan) {
            (Left::Number, Tan::Any(number)) => (value, Tan::Real(number)),
            (Left::Nothing | Left::Number | Left::Boxed, tan) => (value, tan),
        }
    }

    /// Whether a term may give a tangent, or a function that does.
    pub fn may_flow(&self, comb: &Comb) -> bool {
        let mut found = if let CombKind::Proj(var) = &comb.kind {
            self.tans.get(var).is_some_and(|tan| !tan.is_zero())
                || !is_first_order(&self.program.datas, &comb.ty)
        } else {
            matches!(&comb.kind, CombKind::Then(_, Arrow::Rec(_) | Arrow::Eval))
        };
        comb.for_each_child(&mut |child| found = found || self.may_flow(child));
        found
    }
}
