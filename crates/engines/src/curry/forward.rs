//! The forward half of every rep-function: the value, and a description of the pullback.
//!
//! `a ~> b = a -> (b, T b -o T a)`. What is composed statically needs no closure: the pullback of a
//! composition is the composition of pullbacks in the reverse order ([`super::backward`]).

use std::collections::BTreeSet;

use pullback_lambda::{AdOp, Bound, DefId, Expr, ExprKind, Type, VarId, is_first_order, place};
use pullback_prim::{Class, Move, Prim};

use super::code::{Code, Pending};
use super::comb::{Arrow, Comb, CombKind};
use super::pull::{Fed, Pull};
use super::translate::{translate, uncurried};

impl Code<'_> {
    /// The value of an arrow in the innermost scope, as an atom, and its pullback.
    pub fn forward(&mut self, comb: &Comb) -> (Expr, Pull) {
        let outer = std::mem::replace(&mut self.span, comb.span);
        let (value, pull) = match &comb.kind {
            CombKind::Proj(var) => {
                let value = self.vars.get(var).cloned();
                let value = value.unwrap_or_else(|| self.program.var(*var, comb.span));
                let pull = if self.held.contains(var) { Pull::None } else { Pull::Var(*var) };
                (value, pull)
            }
            CombKind::Const(expr) => (self.constant(expr), Pull::None),
            CombKind::Then(args, arrow) => self.generator(args, arrow, comb),
            CombKind::Bind(bindings, body) => self.chain(bindings, body),
            CombKind::Curry(var, body) => self.curry(*var, body),
            CombKind::Fix(group, body) => {
                self.fix(group);
                self.forward(body)
            }
            CombKind::Cond(cond, then, other) => self.cond(cond, then, other, comb),
            CombKind::Case(scrutinee, arms, default) => {
                self.case(scrutinee, arms, default.as_deref(), comb)
            }
            CombKind::Build { size, var, body } => self.build(size, *var, body, comb),
            CombKind::Loop { var, init, form, body } => self.iterate(*var, init, form, body),
        };
        let pull = if self.is_active(&comb.ty) { pull } else { Pull::None };
        self.span = outer;
        (value, pull)
    }

    fn chain(&mut self, bindings: &[(VarId, Comb)], body: &Comb) -> (Expr, Pull) {
        let mut pulls = vec![];
        for (var, bound) in bindings {
            let (value, mut pull) = self.forward(bound);
            if let Pull::CurryList { site, .. } | Pull::CurryEnv { site, .. } = &mut pull {
                *site = *var;
            }
            let value = self.named(*var, value);
            self.vars.insert(*var, value);
            if pull.is_none() {
                self.held.insert(*var);
            } else {
                self.held.remove(var);
                pulls.push((*var, pull, bound.ty.clone()));
            }
        }
        let (value, pull) = self.forward(body);
        if pulls.is_empty() || pull.is_none() {
            return (value, pull);
        }
        (value, Pull::Chain(pulls, Box::new(pull)))
    }

    /// Gives the latest binding the name that the user gave it.
    pub fn named(&mut self, var: VarId, value: Expr) -> Expr {
        if let ExprKind::Var(target) = value.kind
            && self.latest() == Some(target)
        {
            self.program.vars[target].name = self.program.vars[var].name.clone();
        }
        value
    }

    fn latest(&self) -> Option<VarId> {
        match self.scopes.last()?.bounds.last()? {
            Bound::Let(var, _) => Some(*var),
            Bound::Rec(_) => None,
        }
    }

    pub fn constant(&mut self, expr: &Expr) -> Expr {
        let ExprKind::Global(def) = expr.kind else { return expr.clone() };
        if is_first_order(&self.program.datas, &expr.ty) {
            return expr.clone();
        }
        let def = self.rep_constant(def);
        self.program.global(def, self.span)
    }

    /// A constant whose functions are rep-functions.
    fn rep_constant(&mut self, def: DefId) -> DefId {
        if let Some(known) = self.constants.get(&def) {
            return *known;
        }
        let ty = self.program.defs[def].ty.clone();
        let ty = self.rep(&ty);
        let place = self.reserve(self.program.defs[def].name.clone(), ty);
        self.constants.insert(def, place);
        self.pending.push(Pending { def, held: vec![], place });
        place
    }

    /// The rep-function of a definition, uncurried: from its parameters to the value and a pullback
    /// to those parameters that are not held; to the value alone if nothing flows back.
    pub fn direct(&mut self, def: DefId, held: &[bool]) -> DefId {
        let key = (def, held.to_vec());
        if let Some(known) = self.directs.get(&key) {
            return *known;
        }
        let source = self.program.defs[def].clone();
        let (params, body) = uncurried(&source.body);
        let types: Vec<Type> =
            params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let mut outs = vec![];
        for (ty, held) in types.iter().zip(held) {
            if !held {
                outs.push(ty.clone());
            }
        }
        let result = self.answered(&body.ty, &outs);
        let types: Vec<Type> = types.iter().map(|ty| self.rep(ty)).collect();
        let place = self.reserve(source.name.clone(), Type::funs(types, result));
        self.directs.insert(key, place);
        self.pending.push(Pending { def, held: held.to_vec(), place });
        place
    }

    /// The type of a value with a pullback to these.
    pub fn answered(&mut self, ty: &Type, outs: &[Type]) -> Type {
        let value = self.rep(ty);
        if !self.is_active(ty) || outs.is_empty() {
            return value;
        }
        let bars = outs.iter().map(|ty| self.bar(ty)).collect();
        let pullback = Type::fun(self.bar(ty), Self::pack_type(bars));
        Type::tuple(vec![value, pullback])
    }

    /// Makes all rep-functions that were asked for.
    pub fn finish(&mut self) {
        while let Some(Pending { def, held, place }) = self.pending.pop() {
            self.held.clear();
            self.known.clear();
            let source = self.program.defs[def].clone();
            self.span = source.span;
            let (params, body) = uncurried(&source.body);
            let comb = translate(self.program, body);
            let mut targets = vec![];
            let mut sinks = vec![];
            for (index, var) in params.iter().enumerate() {
                let target = self.parameter(*var);
                targets.push(target);
                if held.get(index) == Some(&false) {
                    sinks.push(*var);
                } else {
                    self.held.insert(*var);
                }
            }
            let body = self.branch(&comb, &sinks);
            self.program.defs[place].body = self.program.lam(targets, body);
        }
        self.finish_packages();
    }

    /// A parameter in the program that is made.
    pub fn parameter(&mut self, var: VarId) -> VarId {
        let source = self.program.vars[var].clone();
        let ty = self.rep(&source.ty);
        let target = self.program.fresh(source.name, ty);
        let occurrence = self.program.var(target, self.span);
        self.vars.insert(var, occurrence);
        self.held.remove(&var);
        target
    }

    /// The variables of the environment that something may flow back to from an arrow.
    pub fn sinks(&mut self, comb: &Comb) -> Vec<VarId> {
        let (mut bound, mut found) = (BTreeSet::new(), vec![]);
        self.reach(comb, &mut bound, &mut found);
        let mut seen = BTreeSet::new();
        found.retain(|var| !bound.contains(var) && seen.insert(*var));
        found
    }

    fn reach(&mut self, comb: &Comb, bound: &mut BTreeSet<VarId>, found: &mut Vec<VarId>) {
        if !self.is_active(&comb.ty) {
            return;
        }
        match &comb.kind {
            CombKind::Proj(var) => {
                if !self.held.contains(var) {
                    found.push(*var);
                }
            }
            CombKind::Then(_, Arrow::Stop | Arrow::Zeros) => return,
            CombKind::Then(_, Arrow::Rec(name)) => {
                if let Some(known) = self.known.get(name) {
                    found.extend(&known.sinks);
                }
            }
            CombKind::Bind(bindings, _) => bound.extend(bindings.iter().map(|(var, _)| *var)),
            CombKind::Curry(var, _) | CombKind::Build { var, .. } => {
                bound.insert(*var);
            }
            CombKind::Fix(group, _) => {
                for function in group {
                    bound.extend(&function.params);
                }
            }
            CombKind::Case(_, arms, _) => {
                bound.extend(arms.iter().flat_map(|arm| arm.vars.iter().copied()));
            }
            CombKind::Loop { var, form, .. } => {
                bound.insert(*var);
                if let super::comb::CombLoop::For { var, .. } = form {
                    bound.insert(*var);
                }
            }
            CombKind::Const(_) | CombKind::Then(..) | CombKind::Cond(..) => {}
        }
        comb.for_each_child(&mut |child| self.reach(child, bound, found));
    }

    fn generator(&mut self, args: &[Comb], arrow: &Arrow, comb: &Comb) -> (Expr, Pull) {
        let (mut values, mut pulls) = (vec![], vec![]);
        for arg in args {
            let (value, pull) = self.forward(arg);
            values.push(value);
            pulls.push(pull);
        }
        let span = comb.span;
        let ty = self.rep(&comb.ty);
        match arrow {
            Arrow::Tuple => {
                let value = self.emit("t", Expr::record(values, ty, span));
                (value, Pull::all(pulls, Pull::Parts))
            }
            Arrow::Field(index) => {
                let value = self.emit("x", Expr::proj(values.remove(0), *index, span));
                let base = pulls.remove(0);
                if base.is_none() {
                    return (value, Pull::None);
                }
                (value, Pull::Field(Box::new(base), *index, args[0].ty.clone()))
            }
            Arrow::Eval => self.eval(args, values, pulls, comb),
            Arrow::Op(prim) => self.operation(*prim, args, values, pulls, comb),
            Arrow::Con(tag) => {
                let con = Expr::new(ExprKind::Con(*tag, values), ty, span);
                let value = self.emit("c", con);
                let types = args.iter().map(|arg| arg.ty.clone()).collect();
                (value, Pull::all(pulls, |pulls| Pull::Con(*tag, pulls, types)))
            }
            Arrow::Array => {
                let array = Expr::new(ExprKind::Array(values), ty, span);
                (self.emit("a", array), Pull::all(pulls, Pull::Array))
            }
            Arrow::Call(def) => self.call(*def, args, values, pulls, comb),
            Arrow::Rec(name) => self.call_recursive(*name, args, values, pulls, comb),
            Arrow::Stop => {
                let stopped = if is_first_order(&self.program.datas, &comb.ty) {
                    Expr::ad(AdOp::StopGradient, values, ty, span)
                } else {
                    values.remove(0)
                };
                (self.emit("x", stopped), Pull::None)
            }
            Arrow::Zeros => (self.emit("z", Expr::ad(AdOp::Zeros, values, ty, span)), Pull::None),
            Arrow::CustomVjp => self.custom(AdOp::CustomVjp, args, &values, pulls, comb),
            Arrow::CustomJvp => self.custom(AdOp::CustomJvp, args, &values, pulls, comb),
            Arrow::Vjp | Arrow::Jvp | Arrow::Linearize => {
                self.outside(
                    "a derivative of a function that is not known before the program runs",
                );
                (self.broken("outside", ty), Pull::None)
            }
        }
    }

    /// Notes that the program is outside the fragment.
    pub fn outside(&mut self, construct: &str) {
        if self.problem.is_none() {
            let engine = self.style.engine();
            let span = self.span;
            self.problem = Some(pullback_reduce::outside_fragment(engine, construct, span));
        }
    }

    /// A definition applied to all its parameters.
    fn call(
        &mut self,
        def: DefId,
        args: &[Comb],
        values: Vec<Expr>,
        pulls: Vec<Pull>,
        comb: &Comb,
    ) -> (Expr, Pull) {
        let held: Vec<bool> = pulls.iter().map(Pull::is_none).collect();
        let flows = self.is_active(&comb.ty) && held.contains(&false);
        let datas = &self.program.datas;
        let plain = !flows
            && is_first_order(datas, &comb.ty)
            && args.iter().all(|arg| is_first_order(datas, &arg.ty));
        if plain {
            let function = self.program.global(def, self.span);
            let value = self.apply(function, values);
            return (self.emit("y", value), Pull::None);
        }
        let held = if self.is_active(&comb.ty) { held } else { vec![true; args.len()] };
        let direct = self.direct(def, &held);
        let function = self.program.global(direct, self.span);
        let answer = self.apply(function, values);
        let fed = self.fed(args, pulls);
        self.answer_of(answer, fed, flows)
    }

    /// Where the results of a pullback go: to the arguments that are not held.
    pub fn fed(&mut self, args: &[Comb], pulls: Vec<Pull>) -> Vec<Fed> {
        let mut fed = vec![];
        for (arg, pull) in args.iter().zip(pulls) {
            if !pull.is_none() {
                fed.push(Fed { pull, ty: arg.ty.clone() });
            }
        }
        fed
    }

    /// Takes a value with a pullback apart.
    pub fn answer_of(&mut self, answer: Expr, fed: Vec<Fed>, flows: bool) -> (Expr, Pull) {
        if !flows {
            return (self.emit("y", answer), Pull::None);
        }
        let answer = self.emit("q", answer);
        let value = self.emit("y", Expr::proj(answer.clone(), 0, self.span));
        let pullback = self.emit("pb", Expr::proj(answer, 1, self.span));
        (value, Pull::Opaque(pullback, fed))
    }

    fn operation(
        &mut self,
        prim: Prim,
        args: &[Comb],
        values: Vec<Expr>,
        pulls: Vec<Pull>,
        comb: &Comb,
    ) -> (Expr, Pull) {
        let ty = self.rep(&comb.ty);
        let applied = Expr::new(ExprKind::Prim(prim, values.clone()), ty, comb.span);
        let value = self.emit("y", applied);
        let nothing = pulls.iter().all(Pull::is_none) || !self.is_active(&comb.ty);
        if nothing {
            return (value, Pull::None);
        }
        let pull = match &prim.row().class {
            Class::Smooth(_) => Pull::Smooth { prim, args: values, result: value.clone(), pulls },
            Class::Discrete | Class::Control | Class::Tell | Class::Fail => Pull::None,
            Class::Structural(moves) => self.structural(*moves, &values, pulls, &value, args),
        };
        (value, pull)
    }

    /// The primitives that move elements or add them up.
    fn structural(
        &mut self,
        moves: Move,
        values: &[Expr],
        mut pulls: Vec<Pull>,
        result: &Expr,
        args: &[Comb],
    ) -> Pull {
        let span = self.span;
        let mut pull_of = |at: usize| Box::new(std::mem::replace(&mut pulls[at], Pull::None));
        match moves {
            Move::Keep { array } => *pull_of(array),
            Move::Pick { array, index } => {
                let (index, ty) = (place(index, values, span), args[array].ty.clone());
                Pull::Index { index, base: pull_of(array), ty }
            }
            Move::Put { array, index, element } => {
                let (size, index) = (self.size_of(result), place(index, values, span));
                Pull::Update { size, index, base: pull_of(array), element: pull_of(element) }
            }
            Move::Cut { array, from, to: _ } => {
                Pull::Slice { from: place(from, values, span), base: pull_of(array) }
            }
            Move::Join { first, second } => {
                let sizes = [self.size_of(&values[first]), self.size_of(&values[second])];
                Pull::Concat { sizes, left: pull_of(first), right: pull_of(second) }
            }
            Move::Unnest { rows } => {
                let count = self.size_of(&values[rows]);
                let (var, index) = self.fresh("i", Type::int());
                let row = Expr::index(values[rows].clone(), index, self.span);
                let row = Expr::size_of(row, self.span);
                let sizes = Expr::build(count, var, row, span);
                let sizes = self.emit("ns", sizes);
                Pull::Flatten { sizes, base: pull_of(rows), ty: args[rows].ty.clone() }
            }
            Move::Total { array } => {
                Pull::Sum { size: self.size_of(&values[array]), base: pull_of(array) }
            }
        }
    }

    pub fn size_of(&mut self, array: &Expr) -> Expr {
        let size = Expr::size_of(array.clone(), self.span);
        self.emit("n", size)
    }
}
