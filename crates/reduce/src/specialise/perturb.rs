//! `perturb` where it is known what a function captured: its Reals are moved by terms, and the operator is gone.
//!
//! What stays unknown, a function that is chosen or found in an array while the program runs, is left alone.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_lambda::weights::{SPREAD, STRIDE, phase, weight};
use pullback_lambda::{
    AdOp, Arm, DataId, Expr, ExprKind, Scope, Type, TypeKind, VarId, contains_real,
};
use pullback_prim::Prim;

use super::Pass;
use crate::known::{Closure, Env, Group, Known};

/// The phase of a value: a number, or a term inside arrays.
#[derive(Clone)]
enum Phase {
    Number(f64),
    Term(Expr),
}

/// The recursive functions that walk over sums under way.
type Walks = Vec<(Type, VarId)>;

impl Pass<'_> {
    /// `perturb by value`
    pub(super) fn perturbed(&mut self, args: &[Expr], out: &mut Scope) -> Known {
        let by = self.expr(&args[0]);
        let by = self.bound("by", by, out);
        let value = self.any(&args[1], out);
        let value = self.settled(value, out);
        self.moved_known(&by, &value, 0.0, out)
    }

    fn moved_known(&mut self, by: &Expr, known: &Known, whole: f64, out: &mut Scope) -> Known {
        match known {
            Known::Dynamic(expr) => {
                if !self.plain(expr) || !contains_real(&self.program.datas, &expr.ty) {
                    return known.clone();
                }
                let moved = self.moved(by, expr.clone(), Phase::Number(whole), &mut vec![]);
                Known::Dynamic(self.bound("moved", moved, out))
            }
            Known::Global(..) => known.clone(),
            Known::Function(closure) => Known::Function(Rc::new(Closure {
                params: closure.params.clone(),
                body: closure.body.clone(),
                ty: closure.ty.clone(),
                env: self.moved_env(by, &closure.env, closure.body.free_vars(), whole, out),
                span: closure.span,
            })),
            Known::Recursive(group, index) => {
                let free = group.functions.iter().flat_map(|(_, function)| function.free_vars());
                let env = self.moved_env(by, &group.env, free.collect(), whole, out);
                let functions = group.functions.clone();
                Known::Recursive(Rc::new(Group { functions, env }), *index)
            }
            Known::Partial(function, held) => {
                let function = self.moved_known(by, function, phase(whole, 0), out);
                let held = held.iter().enumerate();
                let held =
                    held.map(|(at, arg)| self.moved_known(by, arg, phase(whole, at + 1), out));
                Known::Partial(Rc::new(function), held.collect())
            }
            Known::Tuple(items, ty, span) => {
                Known::Tuple(self.all_moved(by, items, whole, out), ty.clone(), *span)
            }
            Known::Con(tag, items, ty, span) => {
                Known::Con(*tag, self.all_moved(by, items, whole, out), ty.clone(), *span)
            }
            Known::Either(cond, then, other) => {
                let then = self.moved_known(by, then, whole, out);
                let other = self.moved_known(by, other, whole, out);
                Known::Either(cond.clone(), Rc::new(then), Rc::new(other))
            }
        }
    }

    fn all_moved(&mut self, by: &Expr, items: &[Known], whole: f64, out: &mut Scope) -> Vec<Known> {
        let items = items.iter().enumerate();
        items.map(|(at, item)| self.moved_known(by, item, phase(whole, at), out)).collect()
    }

    /// What a function captured, in the order in which its body names it first, as the evaluator holds it.
    fn moved_env(
        &mut self,
        by: &Expr,
        env: &Env,
        order: Vec<VarId>,
        whole: f64,
        out: &mut Scope,
    ) -> Env {
        let mut moved: BTreeMap<VarId, Known> = BTreeMap::new();
        for var in order {
            if let Some(known) = env.get(&var)
                && !moved.contains_key(&var)
            {
                let place = phase(whole, moved.len());
                moved.insert(var, self.moved_known(by, known, place, out));
            }
        }
        let rest = env.iter().filter(|(var, _)| !moved.contains_key(var));
        let rest: Env = rest.map(|(var, known)| (*var, known.clone())).collect();
        moved.into_iter().chain(rest).collect()
    }

    /// A first-order value, an atom, with its Reals moved.
    fn moved(&mut self, by: &Expr, value: Expr, at: Phase, walks: &mut Walks) -> Expr {
        if !contains_real(&self.program.datas, &value.ty) {
            return value;
        }
        let (ty, span) = (value.ty.clone(), value.span);
        match ty.kind() {
            TypeKind::Real => {
                let weight = match at {
                    Phase::Number(phase) => Expr::real(weight(phase), span),
                    Phase::Term(phase) => {
                        Expr::prim(Prim::Add, [Expr::real(1.0, span), phase], span)
                    }
                };
                let held = Expr::ad(AdOp::StopGradient, vec![value], ty, span);
                let change = Expr::prim(Prim::Mul, [weight, by.clone()], span);
                Expr::prim(Prim::Add, [held, change], span)
            }
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let parts = value.parts(span).into_iter().enumerate();
                let parts = parts.map(|(index, part)| self.moved_part(by, part, &at, index, walks));
                Expr::record(parts.collect(), ty.clone(), span)
            }
            TypeKind::Array(_) => {
                let index = self.program.fresh("i", Type::int());
                let place = self.program.var(index, span);
                let part = Expr::index(value.clone(), place.clone(), span);
                let body = self.within(|pass, out| {
                    let part = pass.bound("element", part, out);
                    let at = pass.element_phase(&at, place, out);
                    pass.moved(by, part, at, walks)
                });
                let size = Expr::size_of(value.clone(), span);
                Expr::build(size, index, body, span).sized_like(&value)
            }
            TypeKind::Data(data) => self.moved_sum(by, value, *data, at, walks),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => value,
        }
    }

    fn moved_part(
        &mut self,
        by: &Expr,
        part: Expr,
        at: &Phase,
        index: usize,
        walks: &mut Walks,
    ) -> Expr {
        self.within(|pass, out| {
            let part = pass.bound("part", part, out);
            let place = Expr::int(index as i64, part.span);
            let at = match at {
                Phase::Number(whole) => Phase::Number(phase(*whole, index)),
                Phase::Term(_) => pass.element_phase(at, place, out),
            };
            pass.moved(by, part, at, walks)
        })
    }

    /// A term with the bindings that it needs.
    fn within(&mut self, make: impl FnOnce(&mut Self, &mut Scope) -> Expr) -> Expr {
        let mut out = Scope::default();
        let made = make(self, &mut out);
        out.around(made)
    }

    /// [`phase`] of a part whose index is a term.
    fn element_phase(&mut self, whole: &Phase, index: Expr, out: &mut Scope) -> Phase {
        let span = index.span;
        let number = |value: f64| Expr::real(value, span);
        let spread = match whole {
            Phase::Number(whole) => number(whole * SPREAD),
            Phase::Term(whole) => Expr::prim(Prim::Mul, [whole.clone(), number(SPREAD)], span),
        };
        let place = Expr::prim(Prim::ToReal, [index], span);
        let place = Expr::prim(Prim::Add, [place, number(1.0)], span);
        let stride = Expr::prim(Prim::Mul, [place, number(STRIDE)], span);
        let sum = Expr::prim(Prim::Add, [spread, stride], span);
        let phase = Expr::prim(Prim::Rem, [sum, number(1.0)], span);
        Phase::Term(self.bound("phase", phase, out))
    }

    /// A value of a sum: a match, inside a function where the sum holds itself.
    fn moved_sum(
        &mut self,
        by: &Expr,
        value: Expr,
        data: DataId,
        at: Phase,
        walks: &mut Walks,
    ) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let at = match at {
            Phase::Number(phase) => Expr::real(phase, span),
            Phase::Term(phase) => phase,
        };
        if let Some((_, walk)) = walks.iter().find(|(known, _)| *known == ty) {
            return Expr::app(self.program.var(*walk, span), vec![at, value], span);
        }
        let whole = Type::funs([Type::real(), ty.clone()], ty.clone());
        let walk = self.program.fresh("moved", whole);
        let params = vec![
            self.program.fresh("phase", Type::real()),
            self.program.fresh("value", ty.clone()),
        ];
        let (phase, whole) = (self.program.var(params[0], span), self.program.var(params[1], span));
        walks.push((ty, walk));
        let mut arms = vec![];
        for tag in 0..self.program.datas[data].constructors.len() {
            let fields = self.program.datas[data].constructors[tag].fields.clone();
            let vars: Vec<VarId> =
                fields.into_iter().map(|field| self.program.fresh("field", field)).collect();
            let fields = vars.iter().enumerate().map(|(index, var)| {
                let field = self.program.var(*var, span);
                self.moved_part(by, field, &Phase::Term(phase.clone()), index, walks)
            });
            let fields = fields.collect();
            arms.push(Arm { tag, vars, body: Expr::con(data, tag, fields, span) });
        }
        walks.pop();
        let body = Expr::match_(whole, arms, None, span);
        let mut is_recursive = false;
        body.visit(&mut |part| {
            is_recursive |= matches!(part.kind, ExprKind::Var(var) if var == walk)
        });
        if !is_recursive {
            return Expr::lets(params.into_iter().zip([at, value]).collect::<Vec<_>>(), body);
        }
        let function = self.program.lam(params, body);
        let call = Expr::app(self.program.var(walk, span), vec![at, value], span);
        Expr::let_rec(vec![(walk, function)], call)
    }
}
