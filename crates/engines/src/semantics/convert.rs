//! From `lambda` to the paper's language.
//!
//! Input: a program and a definition `S -> T`. Output: `letrec`s for all it needs and a function
//! `f(x:S):T`, or the construct that the paper's language does not have. Functions of several
//! parameters take a tuple; local functions take the variables they capture as further parameters, as
//! §2 suggests; `vjp f x` is allowed where its parts are a value and a pullback that is applied.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Lit, Program, Type, TypeKind, VarId};
use pullback_prim::Prim;

use crate::parameters::parameters;

use super::approximant::limited;
use super::term::{Binder, Fun, Function, Supply, Symbol, Term, Test, Ty, Val, Var};

/// A program of the paper: everything is around `entry`.
#[derive(Debug)]
pub struct Paper {
    /// Names.
    pub supply: Supply,
    /// The functions that the entry needs, callees first.
    pub functions: Vec<Rc<Function>>,
    /// `f(x:S):T`
    pub entry: Rc<Function>,
    /// Where the entry is in the source.
    pub span: Span,
}

/// A construct that the paper's language does not have.
pub type Foreign = (String, Span);

/// A definition of one parameter with everything it calls.
pub fn paper(program: &Program, def: DefId) -> Result<Paper, Foreign> {
    let mut convert = Convert {
        program,
        supply: Supply::default(),
        done: vec![],
        defs: BTreeMap::new(),
        open: vec![],
    };
    convert.definition(def)?;
    let Convert { supply, mut done, defs, .. } = convert;
    let mut entry = done.pop().ok_or_else(|| ("this definition".to_owned(), Span::NONE))?;
    // A definition that does nothing but call another with its parameters is as good as that.
    while let Some(called) = done.last()
        && only_calls(&entry, called)
        && let Some(called) = done.pop()
    {
        entry = called;
    }
    let known = defs.iter().find(|(_, fun)| **fun == entry.name);
    let span = program.defs[known.map_or(def, |(def, _)| *def)].span;
    Ok(Paper { supply, functions: done, entry, span })
}

impl Paper {
    /// The n-th approximant (§6.2): every `letrec` becomes `letrec_n`.
    pub fn approximant(mut self, fuel: u64) -> Self {
        let limit = |function: &Rc<Function>| Rc::new(limited(function, fuel));
        self.functions = self.functions.iter().map(limit).collect();
        self.entry = limit(&self.entry);
        self
    }
}

/// Whether `f(x) = g(x)`.
fn only_calls(function: &Function, called: &Function) -> bool {
    let Term::Call(name, arg) = &*function.body else { return false };
    let same = match (&**arg, &function.param) {
        (Term::Var(var), Binder::Var(param, _)) => var == param,
        (Term::Tuple(items), Binder::Tuple(params)) => {
            let part = |(item, (param, _)): (&Term, &(Var, Ty))| matches!(item, Term::Var(var) if var == param);
            items.len() == params.len() && items.iter().zip(params).all(part)
        }
        (_, Binder::Var(..) | Binder::Tuple(_)) => false,
    };
    same && *name == called.name
}

struct Convert<'p> {
    program: &'p Program,
    supply: Supply,
    /// Finished definitions, callees first.
    done: Vec<Rc<Function>>,
    defs: BTreeMap<DefId, Fun>,
    /// Definitions being converted.
    open: Vec<DefId>,
}

/// What a variable of `lambda` is.
#[derive(Clone)]
enum Meaning {
    Var(Var),
    /// A function, with the variables that it captures.
    Fun(Fun, Vec<VarId>),
    /// `vjp f x` that waits for its cotangent, or a condition: what stands for the variable.
    Written(Expr),
}

type Scope = BTreeMap<VarId, Meaning>;

fn foreign<T>(what: &str, span: Span) -> Result<T, Foreign> {
    Err((what.to_owned(), span))
}

impl Convert<'_> {
    fn ty(&self, ty: &Type, span: Span) -> Result<Ty, Foreign> {
        match ty.kind() {
            TypeKind::Real => Ok(Ty::Real),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let items = ty.parts();
                let items: Result<Vec<_>, _> =
                    items.into_iter().map(|item| self.ty(item, span)).collect();
                items.map(Ty::Tuple)
            }
            TypeKind::Int => foreign("an Int", span),
            TypeKind::Bool => foreign("a Bool outside a condition", span),
            TypeKind::Str => foreign("a String", span),
            TypeKind::Data(_) => foreign("a sum type", span),
            TypeKind::Array(_) => foreign("an array", span),
            TypeKind::Fun(_, _) => foreign("a function as a value", span),
        }
    }

    fn name(&self, var: VarId) -> Name {
        self.program.vars[var].name.clone()
    }

    fn definition(&mut self, def: DefId) -> Result<Fun, Foreign> {
        if let Some(fun) = self.defs.get(&def) {
            let own = self.open.last() == Some(&def) || !self.open.contains(&def);
            let span = self.program.defs[def].span;
            return if own { Ok(*fun) } else { foreign("mutual recursion", span) };
        }
        let source = &self.program.defs[def];
        let (params, body) = parameters(&source.body);
        let to = self.ty(&body.ty, source.span)?;
        let fun = self.supply.funs.push((source.name.clone(), to));
        self.defs.insert(def, fun);
        self.open.push(def);
        let mut scope = Scope::new();
        let function = match components(params, body) {
            Some((parts, body)) => self.function(fun, &[], &parts, body, &mut scope)?,
            None => self.function(fun, &[], params, body, &mut scope)?,
        };
        self.open.pop();
        self.done.push(Rc::new(function));
        Ok(fun)
    }

    /// A function whose one parameter is the tuple of what it captures and its parameters.
    fn function(
        &mut self,
        name: Fun,
        captured: &[VarId],
        params: &[VarId],
        body: &Expr,
        scope: &mut Scope,
    ) -> Result<Function, Foreign> {
        let all: Vec<VarId> = captured.iter().chain(params).copied().collect();
        let mut tys = vec![];
        for var in &all {
            tys.push(self.ty(&self.program.vars[*var].ty, body.span)?);
        }
        let vars: Vec<Var> = all
            .iter()
            .zip(&tys)
            .map(|(var, ty)| self.supply.fresh(self.name(*var), ty.clone()))
            .collect();
        for (var, new) in all.iter().zip(&vars) {
            scope.insert(*var, Meaning::Var(*new));
        }
        let to = self.ty(&body.ty, body.span)?;
        let body = self.expr(body, scope)?;
        let mut vars: Vec<(Var, Ty)> = vars.into_iter().zip(tys).collect();
        let param = match vars.pop() {
            Some((var, ty)) if vars.is_empty() => Binder::Var(var, ty),
            last => Binder::Tuple(vars.into_iter().chain(last).collect()),
        };
        Ok(Function { name, param, to, body: Rc::new(body), fuel: None })
    }

    /// `f(⟨captured, args⟩)`
    fn call(
        &mut self,
        fun: Fun,
        captured: &[VarId],
        args: &[Expr],
        scope: &mut Scope,
        span: Span,
    ) -> Result<Term, Foreign> {
        let mut items = vec![];
        for var in captured {
            match scope.get(var) {
                Some(Meaning::Var(var)) => items.push(Term::Var(*var)),
                Some(Meaning::Fun(..) | Meaning::Written(_)) | None => {
                    return foreign("a function as a value", span);
                }
            }
        }
        for arg in args {
            items.push(self.expr(arg, scope)?);
        }
        let arg = if items.len() == 1 { items.remove(0) } else { Term::Tuple(items) };
        Ok(Term::Call(fun, Box::new(arg)))
    }

    fn expr(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Term, Foreign> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) => match scope.get(var) {
                Some(Meaning::Var(var)) => Ok(Term::Var(*var)),
                Some(Meaning::Fun(..) | Meaning::Written(_)) | None => {
                    foreign("a function as a value", span)
                }
            },
            ExprKind::Lit(Lit::Real(x)) => Ok(Term::Real(*x)),
            ExprKind::Lit(Lit::Int(n)) => Ok(Term::Int(*n)),
            ExprKind::Lit(Lit::Bool(_) | Lit::Str(_)) => {
                self.ty(&expr.ty, span).map(|_| Term::Tuple(vec![]))
            }
            ExprKind::Global(def) => {
                if expr.ty.as_fun().is_some() {
                    return foreign("a function as a value", span);
                }
                if let ExprKind::Lit(Lit::Real(x)) = &self.program.defs[*def].body.kind {
                    return Ok(Term::Real(*x));
                }
                let fun = self.definition(*def)?;
                Ok(Term::Call(fun, Box::new(Term::Tuple(vec![]))))
            }
            ExprKind::Prim(prim, args) => self.operation(*prim, args, scope, span),
            ExprKind::App(function, args) => self.application(function, args, scope, span),
            ExprKind::Let(var, value, body) => self.binding(*var, value, body, scope),
            ExprKind::LetRec(functions, body) => {
                let [(var, value)] = &functions[..] else {
                    return foreign("mutual recursion", span);
                };
                self.local_function(*var, value, body, true, scope)
            }
            ExprKind::If(cond, then, other) => {
                let test = self.test(cond, scope)?;
                let then = self.expr(then, scope)?;
                let other = self.expr(other, scope)?;
                Ok(Term::If(Box::new(test), Box::new(then), Box::new(other)))
            }
            ExprKind::Tuple(items) => {
                let items: Result<Vec<_>, _> =
                    items.iter().map(|item| self.expr(item, scope)).collect();
                items.map(Term::Tuple)
            }
            ExprKind::Proj(base, index) => {
                if let Some((f, at)) = vjp_parts(base, scope) {
                    return match index {
                        0 => self.apply(&f, &[at], scope, span),
                        _ => foreign("a pullback as a value", span),
                    };
                }
                let Ty::Tuple(tys) = self.ty(&base.ty, span)? else {
                    return foreign("this projection", span);
                };
                Ok(Term::Proj(*index, tys, Box::new(self.expr(base, scope)?)))
            }
            ExprKind::Lam(_, _) => foreign("a function as a value", span),
            ExprKind::Con(_, _) | ExprKind::Match(_, _, _) => foreign("a sum type", span),
            ExprKind::Array(_) => foreign("an array", span),
            ExprKind::Build { .. } => foreign("an array comprehension", span),
            ExprKind::Loop { .. } => foreign("a loop", span),
            ExprKind::Ad(op, _) => match op {
                AdOp::Vjp => foreign("a pullback as a value", span),
                AdOp::Jvp | AdOp::Linearize => foreign("forward mode", span),
                AdOp::StopGradient => foreign("`stop_gradient`", span),
                AdOp::CustomVjp | AdOp::CustomJvp => foreign("a custom derivative", span),
                AdOp::Zeros => foreign("`zeros`", span),
                AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs => {
                    pullback_engine::unseen_mark()
                }
                AdOp::Perturb => foreign("`perturb`", span),
            },
        }
    }

    fn operation(
        &mut self,
        prim: Prim,
        args: &[Expr],
        scope: &mut Scope,
        span: Span,
    ) -> Result<Term, Foreign> {
        let terms: Result<Vec<_>, _> = args.iter().map(|arg| self.expr(arg, scope)).collect();
        if prim == Prim::ToReal
            && let [Term::Int(n)] = terms.as_deref().unwrap_or_default()
        {
            return Ok(Term::Real(*n as f64));
        }
        if prim.row().smooth().is_none() {
            return foreign(&format!("`{}`", prim.row().name), span);
        }
        for (arg, term) in args.iter().zip(terms.as_deref().unwrap_or_default()) {
            if arg.ty == Type::int() && !matches!(term, Term::Int(_)) {
                return foreign("an Int that is not a literal", arg.span);
            }
        }
        terms.map(|terms| Term::Op(Symbol::at(prim, span), terms))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the paper has no other conditions")]
    fn test(&mut self, cond: &Expr, scope: &mut Scope) -> Result<Test, Foreign> {
        match &cond.kind {
            ExprKind::Lit(Lit::Bool(truth)) => Ok(Test::Known(*truth)),
            ExprKind::Prim(Prim::Not, args) => {
                let test = self.test(&args[0], scope)?;
                let (no, yes) = (Box::new(Test::Known(false)), Box::new(Test::Known(true)));
                Ok(Test::If(Box::new(test), no, yes))
            }
            ExprKind::Prim(prim, args) if args.iter().all(|arg| arg.ty == Type::real()) => {
                let args: Result<Vec<_>, _> =
                    args.iter().map(|arg| self.expr(arg, scope)).collect();
                Ok(Test::Pred(Symbol::at(*prim, cond.span), args?))
            }
            ExprKind::If(cond, then, other) => Ok(Test::If(
                Box::new(self.test(cond, scope)?),
                Box::new(self.test(then, scope)?),
                Box::new(self.test(other, scope)?),
            )),
            ExprKind::Var(var) => match scope.get(var).cloned() {
                Some(Meaning::Written(cond)) => self.test(&cond, scope),
                Some(Meaning::Var(_) | Meaning::Fun(..)) | None => {
                    foreign("this condition", cond.span)
                }
            },
            _ => foreign("this condition", cond.span),
        }
    }

    fn binding(
        &mut self,
        var: VarId,
        value: &Expr,
        body: &Expr,
        scope: &mut Scope,
    ) -> Result<Term, Foreign> {
        if matches!(value.kind, ExprKind::Lam(_, _)) {
            return self.local_function(var, value, body, false, scope);
        }
        if matches!(value.kind, ExprKind::Ad(AdOp::Vjp, _)) || value.ty == Type::bool() {
            scope.insert(var, Meaning::Written(value.clone()));
            return self.expr(body, scope);
        }
        if value.ty.as_fun().is_some()
            && let Ok((fun, captured)) = self.known(value, scope, value.span)
        {
            scope.insert(var, Meaning::Fun(fun, captured));
            return self.expr(body, scope);
        }
        let ty = self.ty(&value.ty, value.span)?;
        let value = self.expr(value, scope)?;
        if let Term::Var(same) = value {
            scope.insert(var, Meaning::Var(same));
            return self.expr(body, scope);
        }
        let new = self.supply.fresh(self.name(var), ty.clone());
        scope.insert(var, Meaning::Var(new));
        Ok(Term::let_(new, ty, value, self.expr(body, scope)?))
    }

    fn local_function(
        &mut self,
        var: VarId,
        value: &Expr,
        rest: &Expr,
        recursive: bool,
        scope: &mut Scope,
    ) -> Result<Term, Foreign> {
        let ExprKind::Lam(params, body) = &value.kind else {
            return foreign("a function as a value", value.span);
        };
        let captured = captured(value, scope, var);
        let to = self.ty(&body.ty, body.span)?;
        let fun = self.supply.funs.push((self.name(var), to));
        let meaning = Meaning::Fun(fun, captured.clone());
        let mut inner = scope.clone();
        if recursive {
            inner.insert(var, meaning.clone());
        }
        let function = self.function(fun, &captured, params, body, &mut inner)?;
        scope.insert(var, meaning);
        Ok(Term::Letrec(Rc::new(function), Box::new(self.expr(rest, scope)?)))
    }

    fn application(
        &mut self,
        function: &Expr,
        args: &[Expr],
        scope: &mut Scope,
        span: Span,
    ) -> Result<Term, Foreign> {
        if let ExprKind::Proj(base, 1) = &function.kind
            && let Some((f, at)) = vjp_parts(base, scope)
        {
            let [cotangent] = args else { return foreign("this application", span) };
            if let ExprKind::Let(var, value, f) = &f.kind {
                // What the function is made of comes first.
                let both = Expr {
                    kind: ExprKind::Ad(AdOp::Vjp, vec![(**f).clone(), at]),
                    ..(**base).clone()
                };
                let kind = ExprKind::Proj(Box::new(both), 1);
                let pullback = Expr { kind, ..function.clone() };
                let rest = Expr::app(pullback, vec![cotangent.clone()], span);
                return self.binding(*var, value, &rest, scope);
            }
            let ty = self.ty(&at.ty, at.span)?;
            let at = self.expr(&at, scope)?;
            let cotangent = self.expr(cotangent, scope)?;
            let (var, body) = self.abstraction(&f, &ty, scope, span)?;
            let (cotangent, at) = (Box::new(cotangent), Box::new(at));
            let binder = Binder::Var(var, ty);
            return Ok(Term::Rd { cotangent, at, binder, body: Rc::new(body) });
        }
        self.apply(function, args, scope, span)
    }

    /// `x. N` for a function of one argument.
    fn abstraction(
        &mut self,
        function: &Expr,
        ty: &Ty,
        scope: &mut Scope,
        span: Span,
    ) -> Result<(Var, Term), Foreign> {
        if let ExprKind::Lam(params, body) = &function.kind
            && let [param] = &params[..]
        {
            let var = self.supply.fresh(self.name(*param), ty.clone());
            let mut inner = scope.clone();
            inner.insert(*param, Meaning::Var(var));
            return Ok((var, self.expr(body, &mut inner)?));
        }
        let var = self.supply.fresh("x", ty.clone());
        let (fun, captured) = self.known(function, scope, span)?;
        let mut call = self.call(fun, &captured, &[], scope, span)?;
        if let Term::Call(_, arg) = &mut call {
            let captured = std::mem::replace(&mut **arg, Term::Tuple(vec![]));
            **arg = if let Term::Tuple(mut items) = captured {
                items.push(Term::Var(var));
                if items.len() == 1 { Term::Var(var) } else { Term::Tuple(items) }
            } else {
                Term::Tuple(vec![captured, Term::Var(var)])
            };
        }
        Ok((var, call))
    }

    /// A function that is known by name.
    fn known(
        &mut self,
        function: &Expr,
        scope: &Scope,
        span: Span,
    ) -> Result<(Fun, Vec<VarId>), Foreign> {
        if let ExprKind::Global(def) = &function.kind {
            return Ok((self.definition(*def)?, vec![]));
        }
        if let ExprKind::Var(var) = &function.kind
            && let Some(Meaning::Fun(fun, captured)) = scope.get(var)
        {
            return Ok((*fun, captured.clone()));
        }
        foreign("a function as a value", span)
    }

    fn apply(
        &mut self,
        function: &Expr,
        args: &[Expr],
        scope: &mut Scope,
        span: Span,
    ) -> Result<Term, Foreign> {
        if let ExprKind::Lam(params, body) = &function.kind
            && params.len() == args.len()
        {
            let mut values = vec![];
            for (param, arg) in params.iter().zip(args) {
                let ty = self.ty(&arg.ty, arg.span)?;
                let value = self.expr(arg, scope)?;
                let name = self.name(*param);
                values.push((*param, self.supply.fresh(name, ty.clone()), ty, value));
            }
            for (param, var, _, _) in &values {
                scope.insert(*param, Meaning::Var(*var));
            }
            let body = self.expr(body, scope)?;
            return Ok(values
                .into_iter()
                .rev()
                .fold(body, |body, (_, var, ty, value)| Term::let_(var, ty, value, body)));
        }
        if function.ty.after(args.len()).is_none_or(|to| to.as_fun().is_some()) {
            return foreign("a partial application", span);
        }
        let (fun, captured) = self.known(function, scope, span)?;
        self.call(fun, &captured, args, scope, span)
    }
}

/// `a, …` and `M` of `\s -> let a = s.0 in … in M`, where the components are all that `s` is used for.
fn components<'e>(params: &[VarId], body: &'e Expr) -> Option<(Vec<VarId>, &'e Expr)> {
    let [param] = params else { return None };
    let (mut parts, mut rest, mut count) = (vec![], body, None);
    while let ExprKind::Let(var, value, body) = &rest.kind
        && let ExprKind::Proj(base, index) = &value.kind
        && matches!(base.kind, ExprKind::Var(var) if var == *param)
        && *index == parts.len()
    {
        parts.push(*var);
        count = base.ty.components().map(|items| items.len());
        rest = body;
    }
    (count == Some(parts.len()) && !rest.free_vars().contains(param)).then_some((parts, rest))
}

/// `f` and `x` of `vjp f x`, or of a variable that stands for it.
fn vjp_parts(base: &Expr, scope: &Scope) -> Option<(Expr, Expr)> {
    if let ExprKind::Var(var) = base.kind {
        return match scope.get(&var)? {
            Meaning::Written(value) => vjp_parts(&value.clone(), scope),
            Meaning::Var(_) | Meaning::Fun(_, _) => None,
        };
    }
    let ExprKind::Ad(AdOp::Vjp, args) = &base.kind else { return None };
    Some((args[0].clone(), args[1].clone()))
}

/// The ordinary variables that a local function needs, those of the functions it calls among them.
fn captured(value: &Expr, scope: &Scope, own: VarId) -> Vec<VarId> {
    let mut found = vec![];
    let mut work: Vec<VarId> = value.free_vars().into_iter().rev().collect();
    while let Some(var) = work.pop() {
        let needed = match scope.get(&var) {
            _ if var == own => continue,
            Some(Meaning::Var(_)) => vec![var],
            Some(Meaning::Fun(_, captured)) => captured.clone(),
            Some(Meaning::Written(value)) => {
                work.extend(value.free_vars());
                continue;
            }
            None => continue,
        };
        for var in needed {
            if !found.contains(&var) {
                found.push(var);
            }
        }
    }
    found
}

/// The value of `lambda` as one of the paper's.
pub fn to_val(value: &pullback_eval::Value) -> Option<Val> {
    if let Some(x) = value.as_real() {
        return Some(Val::Real(x));
    }
    let items: Option<Vec<_>> = value.as_tuple()?.iter().map(to_val).collect();
    Some(Val::Tuple(Rc::new(items?)))
}
