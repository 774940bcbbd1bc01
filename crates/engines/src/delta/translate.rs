//! The translation of terms. In the first two versions it is the dual-number translation, homomorphic on
//! everything but Reals; in the final version it is Moggi's call-by-value monadic translation with the
//! state passed along explicitly.
//!
//! Invariant: if `Γ ⊢ e : A` then `D{Γ} ⊢ D{e} : D{A}`, in the final version `M D{A}`. Operands run in the
//! order of the source. Where the code of a part does not use the monad, no state is passed through it;
//! a function that is known where it is called gets all its arguments at once.

use pullback_base::Name;
use pullback_lambda::{Arm, Def, DefId, Expr, ExprKind, Type, TypeKind, VarId, is_first_order};

use super::block::{Block, NONE, Val};
use super::op::Op;
use super::prim::Names;
use super::translation::{MAX_SIZE, Outcome, Translation};
use super::version::Version;
use pullback_reduce::outside_fragment;

impl Translation<'_> {
    /// The translation of a definition; it is made once. For a function of `n` parameters this is the
    /// function that takes all of them and the state at once.
    pub(super) fn def(&mut self, def: DefId) -> DefId {
        if let Some(known) = self.defs.get(&def) {
            return *known;
        }
        let Def { name, ty, body, span } = self.program.defs[def].clone();
        let ty = if let ExprKind::Lam(params, inner) = &body.kind {
            let params = params.iter().map(|var| self.program.vars[*var].ty.clone());
            let params: Vec<Type> = params.collect();
            let params = params.iter().map(|ty| self.ty(ty)).collect();
            let result = self.ty(&inner.ty);
            self.function(params, result)
        } else {
            self.ty(&ty)
        };
        let made = Def { name: self.name(&name), ty, body: Expr::unit(NONE), span };
        let made = self.program.defs.push(made);
        self.defs.insert(def, made);
        self.todo.push(def);
        made
    }

    fn name(&self, name: &Name) -> Name {
        format!("{}{{{name}}}", self.version.letter()).into()
    }

    /// Translates the bodies of all definitions that were asked for.
    pub(super) fn finish(&mut self) -> Outcome<()> {
        while let Some(def) = self.todo.pop() {
            let body = self.program.defs[def].body.clone();
            let translated = self.body(def, &body)?;
            self.size += translated.size();
            if self.size > MAX_SIZE {
                return Err(self.too_large(self.program.defs[def].span));
            }
            let made = self.defs[&def];
            self.program.defs[made].body = translated;
        }
        Ok(())
    }

    fn body(&mut self, def: DefId, body: &Expr) -> Outcome<Expr> {
        if let ExprKind::Lam(params, inner) = &body.kind {
            if let Some(fused) = self.fused(def, params, inner)? {
                return Ok(fused);
            }
            return self.lam_at_once(params, inner);
        }
        let mut block = Block::new(None);
        if is_first_order(&self.program.datas, &body.ty) {
            // Evaluated once, by the original; it is a constant.
            let value = self.program.global(def, body.span);
            let value = self.rebuild(Op::InitZeros, &body.ty, value, &mut block);
            return Ok(block.close(value));
        }
        if self.version == Version::Final {
            let state = self.program.fresh("s", self.library.state());
            block.push(state, self.empty_state(Expr::int(0, NONE)));
            block.state = Some(state);
        }
        let value = self.whole(body, &mut block)?;
        Ok(block.close(value))
    }

    /// `\params s -> body`: all parameters at once.
    pub(super) fn lam_at_once(&mut self, params: &[VarId], body: &Expr) -> Outcome<Expr> {
        let mut made: Vec<VarId> = params.iter().map(|var| self.binder(*var)).collect();
        let state = self.fresh_state();
        made.extend(state);
        let mut block = Block::new(state);
        let value = self.whole(body, &mut block)?;
        let body = self.end(block, value);
        Ok(self.program.lam(made, body))
    }

    /// A fresh variable for a state, if there are states.
    pub(super) fn fresh_state(&mut self) -> Option<VarId> {
        let with_state = self.version == Version::Final;
        with_state.then(|| self.program.fresh("s", self.library.state()))
    }

    /// A block with its value, paired with the state where there is one.
    pub(super) fn end(&mut self, mut block: Block, value: Expr) -> Expr {
        if let Some(last) = block.take_last(&value) {
            return block.close(last);
        }
        let value = match block.state {
            Some(state) => Expr::tuple(vec![value, self.program.var(state, NONE)], NONE),
            None => value,
        };
        block.close(value)
    }

    /// `{ next = next, binds = Empty }`
    pub(super) fn empty_state(&self, next: Expr) -> Expr {
        let ty = self.library.state();
        let binds = ty.part(1).clone();
        let empty = Expr::new(ExprKind::Con(0, vec![]), binds, NONE);
        Expr::record(vec![next, empty], ty, NONE)
    }

    /// A variable for the translated values of another.
    pub(super) fn binder(&mut self, var: VarId) -> VarId {
        let pullback_lambda::Var { name, ty, .. } = self.program.vars[var].clone();
        let ty = self.ty(&ty);
        let made = self.program.fresh(name, ty);
        let whole = self.program.var(made, NONE);
        self.vars.insert(var, Val::Whole(whole));
        made
    }

    /// Binds a term to a variable unless it is an atom.
    pub(super) fn bind(&mut self, block: &mut Block, name: &str, expr: Expr) -> Expr {
        block.bind(self.program, name, expr)
    }

    /// Runs a computation of a pair of result and state.
    pub(super) fn run(&mut self, block: &mut Block, name: &str, computation: Expr) -> Expr {
        if self.version != Version::Final {
            return self.bind(block, name, computation);
        }
        let span = computation.span;
        let pair = self.program.fresh("p", computation.ty.clone());
        block.push(pair, computation);
        let pair = self.program.var(pair, span);
        let (result, state) = (Expr::proj(pair.clone(), 0, span), Expr::proj(pair, 1, span));
        let var = self.program.fresh(name, result.ty.clone());
        block.push(var, result);
        let next = self.program.fresh("s", state.ty.clone());
        block.push(next, state);
        block.state = Some(next);
        self.program.var(var, span)
    }

    /// The state after a block, as an argument.
    pub(super) fn state(&self, block: &Block) -> Option<Expr> {
        block.state.map(|state| self.program.var(state, NONE))
    }

    /// A term as one translated value that may be repeated.
    pub(super) fn whole(&mut self, expr: &Expr, block: &mut Block) -> Outcome<Expr> {
        Ok(match self.term(expr, block)? {
            Val::Whole(whole) => whole,
            Val::Dual(primal, delta) => Expr::tuple(vec![primal, delta], expr.span),
        })
    }

    fn wholes(&mut self, items: &[Expr], block: &mut Block) -> Outcome<Vec<Expr>> {
        if !self.right_to_left {
            return items.iter().map(|item| self.whole(item, block)).collect();
        }
        let mut made = vec![];
        for item in items.iter().rev() {
            made.push(self.whole(item, block)?);
        }
        made.reverse();
        Ok(made)
    }

    /// A Real as its primal and its delta.
    pub(super) fn dual(&mut self, expr: &Expr, block: &mut Block) -> Outcome<(Expr, Expr)> {
        Ok(match self.term(expr, block)? {
            Val::Dual(primal, delta) => (primal, delta),
            Val::Whole(whole) => {
                let whole = self.bind(block, "x", whole);
                (Expr::proj(whole.clone(), 0, expr.span), Expr::proj(whole, 1, expr.span))
            }
        })
    }

    /// Translates a term: what must run is added to the block.
    pub(super) fn term(&mut self, expr: &Expr, block: &mut Block) -> Outcome<Val> {
        let mut expr = expr;
        while let ExprKind::Let(var, value, body) = &expr.kind {
            if let Some((second, other, rest)) = self.second_operand(*var, body) {
                self.let_(second, other, block)?;
                self.let_(*var, value, block)?;
                expr = rest;
                continue;
            }
            self.let_(*var, value, block)?;
            expr = body;
        }
        let span = expr.span;
        let whole = match &expr.kind {
            ExprKind::Var(var) => return Ok(self.variable(*var)),
            ExprKind::Global(def) => self.global(*def, block),
            ExprKind::Lit(pullback_lambda::Lit::Real(x)) => {
                return Ok(self.real_literal(Expr::real(*x, span), block));
            }
            ExprKind::Lit(lit) => Expr::lit(lit.clone(), span),
            ExprKind::Prim(prim, args) => return self.prim(*prim, args, expr, block),
            ExprKind::Lam(params, body) => {
                let lam = self.curried(params, body)?;
                self.bind(block, "f", lam)
            }
            ExprKind::App(function, args) => self.app(function, args, block)?,
            ExprKind::Let(_, _, _) => return self.term(expr, block),
            ExprKind::LetRec(functions, body) => {
                self.let_rec(functions, block)?;
                return self.term(body, block);
            }
            ExprKind::If(cond, then, other) => {
                let cond = self.whole(cond, block)?;
                let cond = self.bind(block, "c", cond);
                let branches = vec![(vec![], &**then), (vec![], &**other)];
                self.branches(branches, block, |mut bodies| {
                    let other = bodies.pop().expect("there are two branches");
                    let then = bodies.pop().expect("there are two branches");
                    Expr::if_(cond, then, other, span)
                })?
            }
            ExprKind::Tuple(items) => {
                let items = self.wholes(items, block)?;
                let ty = self.ty(&expr.ty);
                Expr::record(items, ty, span)
            }
            ExprKind::Proj(base, index) => {
                let base = self.whole(base, block)?;
                if let ExprKind::Tuple(items) = &base.kind {
                    items[*index].clone()
                } else {
                    Expr::proj(base, *index, span)
                }
            }
            ExprKind::Con(tag, fields) => {
                let fields = self.wholes(fields, block)?;
                let ty = self.ty(&expr.ty);
                Expr::new(ExprKind::Con(*tag, fields), ty, span)
            }
            ExprKind::Match(scrutinee, arms, default) => {
                self.match_(scrutinee, arms, default.as_deref(), block)?
            }
            ExprKind::Array(items) => {
                let items = self.wholes(items, block)?;
                let ty = self.ty(&expr.ty);
                self.bind(block, "xs", Expr::new(ExprKind::Array(items), ty, span))
            }
            ExprKind::Build { size, var, body } => {
                self.build(size, *var, body, block, Names::Each)?
            }
            ExprKind::Loop { var, init, form, body } => {
                self.loop_(*var, init, form, body, block)?
            }
            ExprKind::Ad(op, args) => self.operator(*op, args, expr, block)?,
        };
        Ok(Val::Whole(whole))
    }

    /// The second operand of an operator on structures, if it is to run before the first.
    fn second_operand<'e>(
        &self,
        first: VarId,
        body: &'e Expr,
    ) -> Option<(VarId, &'e Expr, &'e Expr)> {
        let ExprKind::Let(second, value, rest) = &body.kind else { return None };
        let is_operand = |var: VarId| self.program.vars[var].is_operand;
        (self.right_to_left && is_operand(first) && is_operand(*second))
            .then_some((*second, &**value, &**rest))
    }

    pub(super) fn let_(&mut self, var: VarId, value: &Expr, block: &mut Block) -> Outcome<()> {
        let name = self.program.vars[var].name.clone();
        if let ExprKind::Lam(params, body) = &value.kind
            && self.version == Version::Final
            && params.len() > 1
        {
            let function = self.lam_at_once(params, body)?;
            let made = self.program.fresh(name, function.ty.clone());
            block.push(made, function);
            self.known.insert(var, params.len());
            self.vars.insert(var, Val::Whole(self.program.var(made, NONE)));
            return Ok(());
        }
        let val = match self.term(value, block)? {
            Val::Dual(primal, delta) => {
                self.rename(&primal, "y", &name);
                self.rename(&delta, "u", &format!("u_{name}").into());
                Val::Dual(primal, delta)
            }
            Val::Whole(whole) => {
                for old in ["y", "r", "f", "xs", "x"] {
                    self.rename(&whole, old, &name);
                }
                Val::Whole(self.bind(block, &name, whole))
            }
        };
        self.vars.insert(var, val);
        Ok(())
    }

    /// Gives a variable that has no name of its own the one of the source.
    pub(super) fn rename(&mut self, expr: &Expr, old: &str, name: &Name) {
        if let ExprKind::Var(var) = expr.kind
            && self.program.vars[var].name == old
        {
            self.program.vars[var].name = name.clone();
        }
    }

    fn variable(&mut self, var: VarId) -> Val {
        let val = self.vars[&var].clone();
        if let (Val::Whole(function), Some(arity)) = (&val, self.known.get(&var).copied()) {
            return Val::Whole(self.one_by_one(function.clone(), arity));
        }
        val
    }

    fn global(&mut self, def: DefId, block: &mut Block) -> Expr {
        let made = self.def(def);
        let function = self.program.global(made, NONE);
        match self.arity(def) {
            Some(arity) if arity > 1 && self.version == Version::Final => {
                let function = self.one_by_one(function, arity);
                self.bind(block, "f", function)
            }
            Some(_) | None => function,
        }
    }

    /// How many parameters a definition takes at once.
    fn arity(&self, def: DefId) -> Option<usize> {
        if let ExprKind::Lam(params, _) = &self.program.defs[def].body.kind {
            Some(params.len())
        } else {
            None
        }
    }

    /// Where a function that takes its parameters one after the other takes each: a state of an earlier
    /// translation comes together with the parameter before it.
    fn steps<T>(&self, items: Vec<T>, ty: impl Fn(&Self, &T) -> Type) -> Vec<Vec<T>> {
        let mut steps: Vec<Vec<T>> = vec![];
        for item in items {
            match steps.last_mut() {
                Some(step) if self.program.is_state(&ty(self, &item)) => step.push(item),
                Some(_) | None => steps.push(vec![item]),
            }
        }
        steps
    }

    /// The steps of parameters.
    fn param_steps(&self, params: Vec<VarId>) -> Vec<Vec<VarId>> {
        self.steps(params, |this, var| this.program.vars[*var].ty.clone())
    }

    /// From a function of all parameters and the state at once to one that takes a parameter and the
    /// state at a time.
    fn one_by_one(&mut self, function: Expr, arity: usize) -> Expr {
        if arity < 2 {
            return function;
        }
        let mut ty = function.ty.clone();
        let mut params = vec![];
        for _ in 0..arity {
            let Some((from, to)) = ty.as_fun().map(|(from, to)| (from.clone(), to.clone())) else {
                return function;
            };
            params.push(self.program.fresh("x", from));
            ty = to;
        }
        let mut steps = self.param_steps(params.clone());
        if steps.len() < 2 {
            return function;
        }
        let last = steps.pop().expect("there are two steps or more");
        let mut args: Vec<Expr> = params.iter().map(|var| self.program.var(*var, NONE)).collect();
        let state = self.program.fresh("s", self.library.state());
        args.push(self.program.var(state, NONE));
        let call = Expr::app(function, args, NONE);
        let inner = self.program.lam(last.into_iter().chain([state]).collect(), call);
        self.step_by_step(steps, inner)
    }

    /// `\p s -> pure inner`, for the parameters of each step.
    fn step_by_step(&mut self, steps: Vec<Vec<VarId>>, mut inner: Expr) -> Expr {
        for step in steps.into_iter().rev() {
            let state = self.program.fresh("s", self.library.state());
            let pure = Expr::tuple(vec![inner, self.program.var(state, NONE)], NONE);
            inner = self.program.lam(step.into_iter().chain([state]).collect(), pure);
        }
        inner
    }

    /// A function as a value: in the final version each step comes with a state of its own.
    fn curried(&mut self, params: &[VarId], body: &Expr) -> Outcome<Expr> {
        let mut steps = self.param_steps(params.to_vec());
        if self.version != Version::Final || steps.len() < 2 {
            return self.lam_at_once(params, body);
        }
        let last = steps.pop().expect("there are two steps or more");
        for step in &mut steps {
            *step = step.iter().map(|var| self.binder(*var)).collect();
        }
        let inner = self.lam_at_once(&last, body)?;
        Ok(self.step_by_step(steps, inner))
    }

    fn app(&mut self, function: &Expr, args: &[Expr], block: &mut Block) -> Outcome<Expr> {
        if let ExprKind::App(inner, first) = &function.kind {
            let all: Vec<Expr> = first.iter().chain(args).cloned().collect();
            return self.app(inner, &all, block);
        }
        if self.version != Version::Final {
            let function = self.whole(function, block)?;
            let args = self.wholes(args, block)?;
            let call = Expr::app(function, args, NONE);
            return Ok(self.bind(block, "r", call));
        }
        let known = if let ExprKind::Global(def) = function.kind {
            self.arity(def).map(|arity| {
                let made = self.def(def);
                (self.program.global(made, function.span), arity)
            })
        } else if let ExprKind::Var(var) = function.kind
            && let (Some(Val::Whole(made)), Some(arity)) =
                (self.vars.get(&var), self.known.get(&var))
        {
            Some((made.clone(), *arity))
        } else {
            None
        };
        if let Some((callee, arity)) = known
            && arity <= args.len()
        {
            let mut now = self.wholes(args, block)?;
            let later = now.split_off(arity);
            let result = self.call_with_state(callee, now, function.span, block);
            return Ok(self.apply_one_by_one(result, later, function.span, block));
        }
        let callee = self.whole(function, block)?;
        let callee = self.bind(block, "f", callee);
        let args = self.wholes(args, block)?;
        Ok(self.apply_one_by_one(callee, args, function.span, block))
    }

    fn apply_one_by_one(
        &mut self,
        mut callee: Expr,
        args: Vec<Expr>,
        span: pullback_base::Span,
        block: &mut Block,
    ) -> Expr {
        for step in self.steps(args, |_, arg| arg.ty.clone()) {
            callee = self.call_with_state(callee, step, span, block);
        }
        callee
    }

    /// Applies a translated function to translated arguments (and the state).
    pub(super) fn call_with_state(
        &mut self,
        callee: Expr,
        mut args: Vec<Expr>,
        span: pullback_base::Span,
        block: &mut Block,
    ) -> Expr {
        args.extend(self.state(block));
        self.run(block, "r", Expr::app(callee, args, span))
    }

    fn let_rec(&mut self, functions: &[(VarId, Expr)], block: &mut Block) -> Outcome<()> {
        let mut made = vec![];
        for (var, function) in functions {
            let ExprKind::Lam(params, body) = &function.kind else {
                return Err(outside_fragment(
                    self.version.name(),
                    "recursive values that are not functions",
                    function.span,
                ));
            };
            let mut types = vec![];
            for param in params {
                let ty = self.program.vars[*param].ty.clone();
                types.push(self.ty(&ty));
            }
            let result = self.ty(&body.ty);
            let ty = self.function(types, result);
            let name = self.program.vars[*var].name.clone();
            let translated = self.program.fresh(name, ty);
            self.vars.insert(*var, Val::Whole(self.program.var(translated, NONE)));
            if self.version == Version::Final {
                self.known.insert(*var, params.len());
            }
            made.push(translated);
        }
        let mut bodies = vec![];
        for (translated, (_, function)) in made.into_iter().zip(functions) {
            if let ExprKind::Lam(params, body) = &function.kind {
                bodies.push((translated, self.lam_at_once(params, body)?));
            }
        }
        block.push_rec(bodies);
        Ok(())
    }

    /// Alternatives, each with the variables it binds. The state passes through them if one of them
    /// uses it.
    fn branches(
        &mut self,
        branches: Vec<(Vec<VarId>, &Expr)>,
        block: &mut Block,
        join: impl FnOnce(Vec<Expr>) -> Expr,
    ) -> Outcome<Expr> {
        let mut made = vec![];
        for (_, body) in branches {
            let mut inner = Block::new(block.state);
            let value = self.whole(body, &mut inner)?;
            made.push((inner, value));
        }
        if made.iter().all(|(inner, _)| inner.state == block.state) {
            let bodies = made.into_iter().map(|(inner, value)| inner.close(value)).collect();
            return Ok(self.bind(block, "r", join(bodies)));
        }
        let bodies = made.into_iter().map(|(inner, value)| self.end(inner, value)).collect();
        Ok(self.run(block, "r", join(bodies)))
    }

    fn match_(
        &mut self,
        scrutinee: &Expr,
        arms: &[Arm],
        default: Option<&Expr>,
        block: &mut Block,
    ) -> Outcome<Expr> {
        let span = scrutinee.span;
        let scrutinee = self.whole(scrutinee, block)?;
        let mut binders = vec![];
        let mut branches = vec![];
        for arm in arms {
            let vars: Vec<VarId> = arm.vars.iter().map(|var| self.binder(*var)).collect();
            binders.push((arm.tag, vars));
            branches.push((vec![], &arm.body));
        }
        branches.extend(default.map(|default| (vec![], default)));
        let has_default = default.is_some();
        self.branches(branches, block, |mut bodies| {
            let default = if has_default { bodies.pop() } else { None };
            let arms = binders.into_iter().zip(bodies);
            let arms = arms.map(|((tag, vars), body)| Arm::new(tag, vars, body)).collect();
            Expr::match_(scrutinee, arms, default, span)
        })
    }
}

/// Whether a type has a function in it somewhere, on the surface.
pub(super) fn is_function(ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Fun(_, _))
}
