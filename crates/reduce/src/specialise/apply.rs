//! Application of known functions.

use std::rc::Rc;

use pullback_base::{Name, Span, bug};
use pullback_lambda::{Arm, Expr, ExprKind, Scope, VarId, is_first_order};

use super::{DEEPEST, Pass, SHALLOW, SMALL};
use crate::known::{Env, Group, Known};
use crate::rules::beta;

impl Pass<'_> {
    /// Applies a known function. A first-order result is a term that need not be an atom.
    pub(super) fn apply(
        &mut self,
        function: Known,
        args: Vec<Known>,
        span: Span,
        out: &mut Scope,
    ) -> Known {
        if args.is_empty() {
            return function;
        }
        let arity = match &function {
            Known::Partial(inner, held) => {
                let args = held.iter().cloned().chain(args).collect();
                return self.apply((**inner).clone(), args, span, out);
            }
            Known::Either(cond, then, other) => {
                let args: Vec<Known> = args.into_iter().map(|arg| self.settled(arg, out)).collect();
                let (cond, then, other) = (cond.clone(), (**then).clone(), (**other).clone());
                let then = self.branch(|pass, out| pass.apply(then, args.clone(), span, out));
                let other = self.branch(|pass, out| pass.apply(other, args, span, out));
                return Known::Dynamic(Expr::if_(cond, then, other, span));
            }
            Known::Dynamic(callee) => {
                return Known::Dynamic(self.residual_call(callee.clone(), args, span));
            }
            Known::Global(def, ty, _) if self.arity(&function) == 0 => {
                let callee = self.program.global(*def, span);
                debug_assert_eq!(callee.ty, *ty, "a definition has one type");
                return Known::Dynamic(self.residual_call(callee, args, span));
            }
            Known::Function(_) | Known::Recursive(..) | Known::Global(..) => self.arity(&function),
            Known::Tuple(..) | Known::Con(..) => unreachable!("only functions are applied"),
        };
        if args.len() < arity {
            // They are evaluated now, however often the function is called.
            let args = args.into_iter().map(|arg| self.settled(arg, out)).collect();
            return Known::Partial(Rc::new(function), args);
        }
        if let Known::Global(def, ..) = &function
            && self.source.routines.contains_key(def)
            && args.len() == arity
        {
            // Its text stays a function of its own, whose place the routine can take.
            let callee = self.residual(function);
            return Known::Dynamic(self.residual_call(callee, args, span));
        }
        let result = function.ty().result_after(args.len());
        let plain_result = is_first_order(&self.program.datas, &result);
        if self.should_reduce(&function, &args, plain_result) {
            return self.saturate(function, args, out);
        }
        if plain_result && self.made < self.room {
            let direct = matches!(&function, Known::Global(..))
                && args.len() == arity
                && args.iter().all(|arg| matches!(arg, Known::Dynamic(expr) if self.plain(expr)));
            let name = self.name_of(&function);
            if !direct && let Some(call) = self.call(&name, &function, &args, span) {
                return Known::Dynamic(call);
            }
        }
        let callee = self.residual(function);
        Known::Dynamic(self.residual_call(callee, args, span))
    }

    /// How many arguments the body of a function or definition takes.
    pub(super) fn arity(&self, function: &Known) -> usize {
        match function {
            Known::Function(closure) => closure.params.len(),
            Known::Recursive(group, index) => lambda_arity(&group.functions[*index].1),
            Known::Global(def, _, _) => lambda_arity(&self.source.defs[*def].body),
            Known::Dynamic(_)
            | Known::Partial(..)
            | Known::Tuple(..)
            | Known::Con(..)
            | Known::Either(..) => 0,
        }
    }

    fn residual_call(&mut self, callee: Expr, args: Vec<Known>, span: Span) -> Expr {
        let args = args.into_iter().map(|arg| self.residual(arg)).collect();
        Expr::app(callee, args, span)
    }

    fn name_of(&self, function: &Known) -> Name {
        if let Known::Global(def, _, _) = function {
            return self.program.defs[*def].name.clone();
        }
        if let Known::Recursive(group, index) = function {
            return self.program.vars[group.functions[*index].0].name.clone();
        }
        Name::new_static("lambda")
    }

    /// Whether an application is replaced by the function's body.
    fn should_reduce(&self, function: &Known, args: &[Known], plain_result: bool) -> bool {
        if self.depth >= DEEPEST || self.made >= self.room {
            return false;
        }
        let size = match function {
            Known::Function(closure) => closure.body.size(),
            Known::Global(def, _, _) => {
                let all_plain =
                    args.iter().all(|arg| matches!(arg, Known::Dynamic(expr) if self.plain(expr)));
                if self.recursive.contains(def) || (all_plain && plain_result) {
                    return false;
                }
                self.source.defs[*def].body.size()
            }
            Known::Recursive(..)
            | Known::Dynamic(_)
            | Known::Partial(..)
            | Known::Tuple(..)
            | Known::Con(..)
            | Known::Either(..) => return false,
        };
        !plain_result || (size <= SMALL && self.depth < SHALLOW)
    }

    /// The body of a known function with all its arguments (and maybe more, for its result).
    pub(super) fn saturate(&mut self, function: Known, args: Vec<Known>, out: &mut Scope) -> Known {
        let (params, body, env) = match function {
            Known::Function(closure) => {
                (closure.params.clone(), closure.body.clone(), closure.env.clone())
            }
            Known::Global(def, _, _) => {
                let body = self.source.defs[def].body.clone();
                let ExprKind::Lam(params, body) = body.kind else {
                    return self.apply_again(body, args, out);
                };
                (params, *body, Env::new())
            }
            Known::Recursive(group, index) => {
                let env = with_group(&group);
                let ExprKind::Lam(params, body) = group.functions[index].1.kind.clone() else {
                    unreachable!("recursive bindings are functions")
                };
                (params, *body, env)
            }
            Known::Partial(inner, held) => {
                let args = held.into_iter().chain(args).collect();
                return self.saturate((*inner).clone(), args, out);
            }
            Known::Dynamic(_) | Known::Tuple(..) | Known::Con(..) | Known::Either(..) => {
                unreachable!("definitions are made for known functions")
            }
        };
        let Some((bindings, more)) = beta(&params, args) else {
            bug("specialise", "a function is saturated that lacks arguments")
        };
        let outer = std::mem::replace(&mut self.env, env);
        for (param, arg) in bindings {
            self.enter_binding(param, arg, out);
        }
        self.depth += 1;
        let result = self.body(&body, more, out);
        self.depth -= 1;
        self.env = outer;
        result
    }

    fn apply_again(&mut self, body: Expr, args: Vec<Known>, out: &mut Scope) -> Known {
        let span = body.span;
        let outer = std::mem::take(&mut self.env);
        let function = self.known(&body, out);
        self.env = outer;
        self.apply(function, args, span, out)
    }

    /// Lets a binder stand for a value, which is evaluated now.
    pub(super) fn enter_binding(&mut self, var: VarId, value: Known, out: &mut Scope) {
        let unknown =
            if let Known::Dynamic(expr) = &value { !expr.is_atom() } else { value.is_long() };
        let value = if unknown {
            let expr = self.residual(value);
            let fresh = self.program.fresh_like(var);
            let atom = self.program.var(fresh, expr.span);
            out.push(fresh, expr);
            Known::Dynamic(atom)
        } else {
            value
        };
        self.env.insert(var, value);
    }

    /// A term with the bindings it needs.
    pub(super) fn branch(&mut self, make: impl FnOnce(&mut Self, &mut Scope) -> Known) -> Expr {
        let mut out = Scope::default();
        let known = make(self, &mut out);
        let body = self.residual(known);
        out.around(body)
    }

    /// The body of a function, applied to further arguments inside its branches.
    fn body(&mut self, body: &Expr, more: Vec<Known>, out: &mut Scope) -> Known {
        if more.is_empty() {
            return self.any(body, out);
        }
        let span = body.span;
        if let ExprKind::Let(..) | ExprKind::LetRec(..) = &body.kind {
            let mut inner = body;
            while let Some(next) = self.enter_let(inner, out) {
                inner = next;
            }
            return self.body(inner, more, out);
        }
        if let ExprKind::If(cond, then, other) = &body.kind {
            let more: Vec<Known> = more.into_iter().map(|arg| self.settled(arg, out)).collect();
            let cond = self.expr(cond);
            let then = self.branch(|pass, out| pass.body(then, more.clone(), out));
            let other = self.branch(|pass, out| pass.body(other, more, out));
            return Known::Dynamic(Expr::if_(cond, then, other, span));
        }
        if let ExprKind::Match(scrutinee, arms, default) = &body.kind
            && self.plain(scrutinee)
        {
            let more: Vec<Known> = more.into_iter().map(|arg| self.settled(arg, out)).collect();
            let scrutinee = self.expr(scrutinee);
            let mut made = vec![];
            for arm in arms {
                let vars = arm.vars.iter().map(|var| self.rebind(*var)).collect();
                let body = self.branch(|pass, out| pass.body(&arm.body, more.clone(), out));
                made.push(Arm { tag: arm.tag, vars, body });
            }
            let default = default
                .as_ref()
                .map(|default| self.branch(|pass, out| pass.body(default, more.clone(), out)));
            return Known::Dynamic(Expr::match_(scrutinee, made, default, span));
        }
        let function = self.known(body, out);
        self.apply(function, more, span, out)
    }

    /// Lets the functions of a recursive group be known.
    pub(super) fn enter_group(&mut self, functions: &[(VarId, Expr)]) {
        let mut captured = std::collections::BTreeSet::new();
        for (_, function) in functions {
            captured.extend(function.free_vars());
        }
        let env = self.env.iter().filter(|(var, _)| captured.contains(var));
        let mut env: Env = env.map(|(var, known)| (*var, known.clone())).collect();
        for (var, _) in functions {
            env.remove(var);
        }
        let group = Rc::new(Group { functions: functions.to_vec(), env });
        for (index, (var, _)) in functions.iter().enumerate() {
            self.env.insert(*var, Known::Recursive(group.clone(), index));
        }
    }
}

fn lambda_arity(function: &Expr) -> usize {
    if let ExprKind::Lam(params, _) = &function.kind { params.len() } else { 0 }
}

/// What the functions of a group see: what they captured, and themselves.
fn with_group(group: &Rc<Group>) -> Env {
    let mut env = group.env.clone();
    for (index, (var, _)) in group.functions.iter().enumerate() {
        env.insert(*var, Known::Recursive(group.clone(), index));
    }
    env
}
