//! The body of a definition as one run sees it: callees that make functions stand in the place of their calls, and
//! the branch that is taken in the place of a conditional.
//!
//! Input: a definition of one parameter, and its argument. Output: a definition with the same value at that argument, in
//! which `curry` stands outside branches and calls as far as that is possible.
//! Law: the value at the argument is the same; the cotangents of functions are those that the definition gives them.
//! Limits: recursive callees, loops and `match` stay; more than [`LARGEST`] terms stop the unfolding.

use std::collections::BTreeSet;
use std::rc::Rc;

use pullback_base::Name;
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{Def, DefId, Expr, ExprKind, Program, VarId};
use pullback_reduce::reachable;

/// A body is not unfolded beyond so many terms.
const LARGEST: usize = 20_000;

/// A definition whose body shows the functions that a run at this argument makes.
pub(super) fn unfolded(program: &mut Program, def: DefId, argument: &Value) -> DefId {
    let body = program.defs[def].body.clone();
    let body = program.copy(&body);
    let ExprKind::Lam(params, inner) = body.kind else { return def };
    let recursive = program.groups(&[def]).into_iter().filter(|group| group.recursive);
    let recursive = recursive.flat_map(|group| group.defs).collect();
    let mut unfolding =
        Unfolding { program, recursive, argument, params, around: vec![], room: LARGEST };
    let inner = unfolding.term(*inner);
    let Unfolding { program, params, .. } = unfolding;
    let body = program.lam(params, inner);
    let Def { name, ty, span, .. } = program.defs[def].clone();
    program.defs.push(Def { name, ty, body, span })
}

struct Unfolding<'p> {
    program: &'p mut Program,
    recursive: BTreeSet<DefId>,
    argument: &'p Value,
    params: Vec<VarId>,
    /// The bindings around the term.
    around: Vec<(VarId, Expr)>,
    room: usize,
}

impl Unfolding<'_> {
    fn term(&mut self, mut expr: Expr) -> Expr {
        let span = expr.span;
        match expr.kind {
            ExprKind::Let(var, value, body) => {
                let value = self.term(*value);
                self.around.push((var, value.clone()));
                let body = self.term(*body);
                self.around.pop();
                Expr::let_(var, value, body)
            }
            ExprKind::App(function, args) => {
                let args: Vec<Expr> = args.into_iter().map(|arg| self.term(arg)).collect();
                match self.callee(&function, args.len()) {
                    Some((params, body)) => {
                        let outer = self.around.len();
                        let bindings: Vec<(VarId, Expr)> = params.into_iter().zip(args).collect();
                        self.around.extend(bindings.iter().cloned());
                        let body = self.term(body);
                        self.around.truncate(outer);
                        Expr::lets(bindings, body)
                    }
                    None => Expr::new(ExprKind::App(function, args), expr.ty, span),
                }
            }
            ExprKind::If(cond, then, other) => match self.truth(&cond) {
                Some(true) => self.term(*then),
                Some(false) => self.term(*other),
                None => Expr::new(ExprKind::If(cond, then, other), expr.ty, span),
            },
            ExprKind::Prim(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_) => {
                expr.for_each_child_mut(&mut |child| {
                    let part = std::mem::replace(child, Expr::unit(span));
                    *child = self.term(part);
                });
                expr
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Lam(..)
            | ExprKind::LetRec(..)
            | ExprKind::Match(..)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => expr,
        }
    }

    /// The parameters and the body of a callee that makes functions.
    fn callee(&mut self, function: &Expr, count: usize) -> Option<(Vec<VarId>, Expr)> {
        let ExprKind::Global(def) = function.kind else { return None };
        let ExprKind::Lam(params, body) = &self.program.defs[def].body.kind else { return None };
        if params.len() != count || self.recursive.contains(&def) {
            return None;
        }
        let makes = |def: &DefId| {
            let ExprKind::Lam(_, body) = &self.program.defs[*def].body.kind else { return false };
            let mut makes = false;
            body.visit(&mut |part| makes |= matches!(part.kind, ExprKind::Lam(..)));
            makes
        };
        if !reachable(self.program, def).iter().any(makes) {
            return None;
        }
        self.room = self.room.checked_sub(body.size())?;
        let whole = self.program.defs[def].body.clone();
        let ExprKind::Lam(params, body) = self.program.copy(&whole).kind else { return None };
        Some((params, *body))
    }

    /// What a condition is at the argument.
    fn truth(&mut self, cond: &Expr) -> Option<bool> {
        let asked = Expr::lets(self.around.clone(), cond.clone());
        self.room = self.room.checked_sub(asked.size())?;
        let mut program = self.program.clone();
        let body = program.lam(self.params.clone(), asked);
        let body = program.copy(&body);
        let (name, ty) = (Name::new_static("condition"), body.ty.clone());
        let def = program.defs.push(Def { name, ty, body, span: cond.span });
        let image = compile(&program);
        let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
        let function = machine.global(def).ok()?;
        machine.call(function, vec![self.argument.clone()]).ok()?.as_bool()
    }
}
