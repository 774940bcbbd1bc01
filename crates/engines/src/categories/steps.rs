//! Arrows along an environment: what `env ◇ c` computes, one named step after the other.
//!
//! Input: an arrow and the variables of its environment. Output: a region of steps whose operands are
//! atoms, so that the reverse half can go through them backwards.

use std::collections::BTreeMap;

use pullback_base::{Name, Span};
use pullback_lambda::{DefId, Expr, ExprKind, Program, Type, VarId};
use pullback_prim::{Class, Move, Prim};

use super::cl::{Cl, ClKind, Custom, Function};

/// Steps, and what they give.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub steps: Vec<Step>,
    pub result: Expr,
}

/// A step: `out = …`.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub out: VarId,
    pub ty: Type,
    pub span: Span,
    pub kind: StepKind,
}

#[derive(Clone, Debug)]
pub(super) enum StepKind {
    /// A smooth primitive.
    Smooth(Prim, Vec<Expr>),
    /// A primitive that moves or adds up values.
    Structural(Prim, Move, Vec<Expr>),
    /// Whatever has no derivative.
    Plain(Function, Vec<Expr>),
    Tuple(Vec<Expr>),
    Component(Expr, usize),
    Con(usize, Vec<Expr>),
    Array(Vec<Expr>),
    Call(DefId, Vec<Expr>),
    Custom(Custom, Vec<Expr>),
    If(Expr, Region, Region),
    Build(Expr, VarId, Region),
    Fold {
        state: VarId,
        init: Expr,
        index: VarId,
        count: Expr,
        body: Region,
    },
    While {
        state: VarId,
        init: Expr,
        cond: Region,
        body: Region,
    },
    Case(Expr, Vec<StepArm>, Option<Region>),
}

#[derive(Clone, Debug)]
pub(super) struct StepArm {
    pub tag: usize,
    pub vars: Vec<VarId>,
    pub body: Region,
}

/// The steps of an arrow.
pub(super) fn steps_of(program: &mut Program, cl: &Cl, env: &[Expr]) -> Region {
    let mut walk = Walk { program, steps: vec![], tuples: BTreeMap::new() };
    let result = walk.atom(cl, env);
    Region { steps: walk.steps, result }
}

struct Walk<'p> {
    program: &'p mut Program,
    steps: Vec<Step>,
    /// The components of tuples made here.
    tuples: BTreeMap<VarId, Vec<Expr>>,
}

impl Walk<'_> {
    fn push(&mut self, name: &str, ty: &Type, span: Span, kind: StepKind) -> Expr {
        let out = self.program.fresh(Name::new(name), ty.clone());
        if let StepKind::Tuple(items) = &kind {
            self.tuples.insert(out, items.clone());
        }
        self.steps.push(Step { out, ty: ty.clone(), span, kind });
        self.program.var(out, span)
    }

    /// The value of an arrow as an atom.
    fn atom(&mut self, cl: &Cl, env: &[Expr]) -> Expr {
        let (ty, span) = (&cl.to, cl.span);
        match &cl.kind {
            ClKind::Constant(lit) => Expr::lit(lit.clone(), span),
            ClKind::Identity => self.push("t", ty, span, StepKind::Tuple(env.to_vec())),
            ClKind::Prune(kept, _) => {
                let kept = kept.iter().map(|at| env[*at].clone()).collect();
                self.push("t", ty, span, StepKind::Tuple(kept))
            }
            ClKind::Function(function) => self.function(function, env.to_vec(), ty, span),
            ClKind::Compose(first, second) => self.compose(first, second, env),
            ClKind::Tuple(items) => {
                let items = items.iter().map(|item| self.atom(item, env)).collect();
                self.push("t", ty, span, StepKind::Tuple(items))
            }
            ClKind::If(cond, then, other) => {
                let cond = self.atom(cond, env);
                let then = steps_of(self.program, then, env);
                let other = steps_of(self.program, other, env);
                self.push("y", ty, span, StepKind::If(cond, then, other))
            }
            ClKind::Let(var, value, body) => {
                let value = self.atom(value, env);
                if let ExprKind::Var(out) = value.kind
                    && self.steps.last().is_some_and(|step| step.out == out)
                {
                    self.program.vars[out].name = self.program.vars[*var].name.clone();
                }
                let env: Vec<Expr> = env.iter().cloned().chain([value]).collect();
                self.atom(body, &env)
            }
            ClKind::Build(size, var, body) => {
                let size = self.atom(size, env);
                let (index, env) = self.extended(env, &[*var], span);
                let body = steps_of(self.program, body, &env);
                self.push("y", ty, span, StepKind::Build(size, index[0], body))
            }
            ClKind::Fold { state, init, index, count, body } => {
                let init = self.atom(init, env);
                let count = self.atom(count, env);
                let (vars, env) = self.extended(env, &[*state, *index], span);
                let body = steps_of(self.program, body, &env);
                let kind = StepKind::Fold { state: vars[0], init, index: vars[1], count, body };
                self.push("y", ty, span, kind)
            }
            ClKind::While { state, init, cond, body } => {
                let init = self.atom(init, env);
                let (vars, env) = self.extended(env, &[*state], span);
                let cond = steps_of(self.program, cond, &env);
                let body = steps_of(self.program, body, &env);
                self.push("y", ty, span, StepKind::While { state: vars[0], init, cond, body })
            }
            ClKind::Case(scrutinee, arms, default) => {
                let scrutinee = self.atom(scrutinee, env);
                let mut made = vec![];
                for arm in arms {
                    let (vars, env) = self.extended(env, &arm.vars, span);
                    let body = steps_of(self.program, &arm.body, &env);
                    made.push(StepArm { tag: arm.tag, vars, body });
                }
                let default = default.as_ref();
                let default = default.map(|default| steps_of(self.program, default, env));
                self.push("y", ty, span, StepKind::Case(scrutinee, made, default))
            }
        }
    }

    fn compose(&mut self, first: &Cl, second: &Cl, env: &[Expr]) -> Expr {
        if let ClKind::Prune(kept, _) = &first.kind {
            let inner: Vec<Expr> = kept.iter().map(|at| env[*at].clone()).collect();
            return self.atom(second, &inner);
        }
        if let ClKind::Tuple(items) = &first.kind {
            let inner: Vec<Expr> = items.iter().map(|item| self.atom(item, env)).collect();
            return self.atom(second, &inner);
        }
        let middle = self.atom(first, env);
        if let ClKind::Function(Function::Component(at)) = second.kind {
            return self.component(middle, at, second.span);
        }
        let count = middle.ty.parts().len();
        let inner: Vec<Expr> =
            (0..count).map(|at| self.component(middle.clone(), at, first.span)).collect();
        self.atom(second, &inner)
    }

    fn component(&mut self, base: Expr, at: usize, span: Span) -> Expr {
        if let ExprKind::Var(var) = base.kind
            && let Some(items) = self.tuples.get(&var)
        {
            return items[at].clone();
        }
        let ty = base.ty.part(at).clone();
        self.push("p", &ty, span, StepKind::Component(base, at))
    }

    fn function(&mut self, function: &Function, args: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let kind = match function {
            Function::Component(at) => return args[*at].clone(),
            Function::Def(def) if args.is_empty() => return self.program.global(*def, span),
            Function::Def(def) => StepKind::Call(*def, args),
            Function::Prim(prim) => match prim.row().class {
                Class::Smooth(_) => StepKind::Smooth(*prim, args),
                Class::Structural(moves) => StepKind::Structural(*prim, moves, args),
                Class::Discrete | Class::Control | Class::Tell | Class::Fail => {
                    StepKind::Plain(function.clone(), args)
                }
            },
            Function::Con(tag) => StepKind::Con(*tag, args),
            Function::Array => StepKind::Array(args),
            Function::StopGradient | Function::Zeros => StepKind::Plain(function.clone(), args),
            Function::Custom(custom) => StepKind::Custom(custom.clone(), args),
        };
        self.push("y", ty, span, kind)
    }

    fn extended(&mut self, env: &[Expr], vars: &[VarId], span: Span) -> (Vec<VarId>, Vec<Expr>) {
        let fresh: Vec<VarId> = vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        let more = fresh.iter().map(|var| self.program.var(*var, span));
        let env = env.iter().cloned().chain(more).collect();
        (fresh, env)
    }
}

impl Region {
    /// The variables bound in it, not those of regions inside it.
    pub fn bound(&self) -> impl Iterator<Item = VarId> + '_ {
        self.steps.iter().map(|step| step.out)
    }
    /// The regions inside a step, with the variables that they bind themselves.
    pub fn inner(step: &Step) -> Vec<(&Region, Vec<VarId>)> {
        match &step.kind {
            StepKind::If(_, then, other) => vec![(then, vec![]), (other, vec![])],
            StepKind::Build(_, index, body) => vec![(body, vec![*index])],
            StepKind::Fold { state, index, body, .. } => vec![(body, vec![*state, *index])],
            StepKind::While { state, body, .. } => vec![(body, vec![*state])],
            StepKind::Case(_, arms, default) => {
                let arms = arms.iter().map(|arm| (&arm.body, arm.vars.clone()));
                arms.chain(default.iter().map(|region| (region, vec![]))).collect()
            }
            StepKind::Smooth(..)
            | StepKind::Structural(..)
            | StepKind::Plain(..)
            | StepKind::Tuple(_)
            | StepKind::Component(..)
            | StepKind::Con(..)
            | StepKind::Array(_)
            | StepKind::Call(..)
            | StepKind::Custom(..) => vec![],
        }
    }
}

/// The variable that an atom is.
pub(super) fn var_of(expr: &Expr) -> Option<VarId> {
    if let ExprKind::Var(var) = expr.kind { Some(var) } else { None }
}
