//! `match`, and every other pattern: from decision trees to one-level case analysis.
//!
//! Laws: the value matched on is evaluated once; an arm's body is elaborated once, and becomes a local
//! function where several leaves of the tree reach it (unless it is a name or a literal).

use pullback_base::Span;
use pullback_lambda::{Arm, Expr, ExprKind, Lit, Type, VarId};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::tree::{NODE_COST, Node, Row, bound_by};
use super::types::bug;
use crate::tir::{LocalId, TArm, TExpr, TExprKind, TPat, TPatKind};
use crate::ty::Ty;

/// The most one decision tree may cost, altogether and for each arm; beyond it arms are tried one by one.
const MAX_TREE: (usize, usize) = (10_000 * NODE_COST, 10 * NODE_COST);

const NO_ARM: &str = "no arm of this match fits the value";

/// What stands at the leaves of a tree.
type Leaf<'a, 't> = dyn FnMut(&mut Elab<'t>, usize, &[(LocalId, VarId)]) -> Expr + 'a;

impl<'t> Elab<'t> {
    /// `let pattern = value in body`
    pub(super) fn open(
        &mut self,
        pattern: &'t TPat,
        value: Expr,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        if matches!(pattern.kind, TPatKind::Wild) && value.is_atom() {
            return body(self);
        }
        let var = self.pattern_var(pattern, value.ty.clone(), "whole");
        let body = self.open_var(pattern, var, body);
        Expr::let_(var, value, body)
    }

    /// `body` with the variables of an irrefutable pattern bound to parts of `var`.
    pub(super) fn open_var(
        &mut self,
        pattern: &'t TPat,
        var: VarId,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        if let TPatKind::Var(local) = pattern.kind {
            self.rebind(local, var);
            return body(self);
        }
        let row = Row { tests: vec![(var, pattern)], binds: vec![], arm: 0 };
        let mut budget = usize::MAX;
        let Some(node) = self.tree(vec![row], &mut budget) else { return body(self) };
        let mut binds = Vec::new();
        binds_of(&node, &mut binds);
        for (local, var) in binds {
            self.rebind(local, var);
        }
        let body = body(self);
        let ty = body.ty.clone();
        let mut body = Some(body);
        let mut leaf = |_: &mut Self, _: usize, _: &[(LocalId, VarId)]| {
            body.take().expect("one row makes a tree with one leaf")
        };
        self.emit(node, &ty, pattern.span, &mut leaf, None)
    }

    fn rebind(&mut self, local: LocalId, var: VarId) {
        self.env.insert(local, var);
        self.group_of.remove(&local);
    }

    /// `match scrutinee with arms`
    pub(super) fn match_(
        &mut self,
        scrutinee: &'t TExpr,
        arms: &'t [TArm],
        ty: &Ty,
        span: Span,
    ) -> Expr {
        let ty = self.lower(ty);
        let apart =
            arms.iter().all(|arm| matches!(arm.pattern.kind, TPatKind::Tuple(_) | TPatKind::Wild));
        if let (TExprKind::Tuple(items), true) = (&scrutinee.kind, apart) {
            return self.match_items(items, arms, &ty, span);
        }
        let value = self.expr(scrutinee);
        let (var, binding) = self.scrutinee(value, &arms.first().map(|arm| &arm.pattern));
        let rows = arms.iter().enumerate().map(|(index, arm)| Row {
            tests: vec![(var, &arm.pattern)],
            binds: vec![],
            arm: index,
        });
        let body = self.match_rows(rows.collect(), arms, &ty, span);
        Expr::lets(binding, body)
    }

    /// Matching on a tuple that is written out does not make the tuple.
    fn match_items(&mut self, items: &'t [TExpr], arms: &'t [TArm], ty: &Type, span: Span) -> Expr {
        let mut vars = Vec::new();
        let mut bindings = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let pattern = arms.iter().find_map(|arm| item_pattern(&arm.pattern, place));
            let value = self.expr(item);
            let (var, binding) = self.scrutinee(value, &pattern);
            vars.push(var);
            bindings.extend(binding);
        }
        let mut rows = Vec::new();
        for (index, arm) in arms.iter().enumerate() {
            let tests = vars
                .iter()
                .enumerate()
                .filter_map(|(place, var)| Some((*var, item_pattern(&arm.pattern, place)?)));
            rows.push(Row { tests: tests.collect(), binds: vec![], arm: index });
        }
        let body = self.match_rows(rows, arms, ty, span);
        Expr::lets(bindings, body)
    }

    /// A variable that holds a value, and its binding if it is new.
    fn scrutinee(
        &mut self,
        value: Expr,
        pattern: &Option<&TPat>,
    ) -> (VarId, Option<(VarId, Expr)>) {
        if let ExprKind::Var(var) = value.kind {
            return (var, None);
        }
        let ty = value.ty.clone();
        let var = match pattern {
            Some(pattern) => self.pattern_var(pattern, ty, "scrutinee"),
            None => self.fresh("scrutinee", ty),
        };
        (var, Some((var, value)))
    }

    fn match_rows(&mut self, rows: Vec<Row<'t>>, arms: &'t [TArm], ty: &Type, span: Span) -> Expr {
        let (altogether, each) = MAX_TREE;
        let mut budget = altogether + each * rows.len();
        let Some(node) = self.tree(rows.clone(), &mut budget) else {
            return self.one_by_one(rows, arms, ty, span);
        };
        let mut counts = vec![0usize; arms.len()];
        count_leaves(&node, &mut counts);
        let mut shared = Vec::new();
        let mut functions = Vec::new();
        for (arm, count) in arms.iter().zip(counts) {
            if count > 1 && !is_small(&arm.body) {
                let (function, locals) = self.arm_function(arm);
                let var = self.fresh("arm", function.ty.clone());
                functions.push((var, function));
                shared.push(Some((var, locals)));
            } else {
                shared.push(None);
            }
        }
        let mut leaf = |this: &mut Self, index: usize, binds: &[(LocalId, VarId)]| {
            let arm: &'t TArm = &arms[index];
            let Some((function, locals)) = &shared[index] else {
                for (local, var) in binds {
                    this.rebind(*local, *var);
                }
                return this.expr(&arm.body);
            };
            let function = this.var(*function, arm.body.span);
            let mut args = Vec::new();
            for local in locals {
                let bound = binds.iter().find(|(known, _)| known == local);
                let (_, var) =
                    bound.expect("every leaf of an arm binds all variables of its pattern");
                args.push(this.var(*var, arm.body.span));
            }
            if args.is_empty() {
                args.push(Expr::unit(arm.body.span));
            }
            Expr::app(function, args, arm.body.span)
        };
        let body = self.emit(node, ty, span, &mut leaf, None);
        Expr::lets(functions, body)
    }

    /// The body of an arm as a function of the variables of its pattern.
    fn arm_function(&mut self, arm: &'t TArm) -> (Expr, Vec<LocalId>) {
        let mut locals = Vec::new();
        bound_by(&arm.pattern, &mut locals);
        let mut params = Vec::new();
        for &local in &locals {
            let ty = self.lower(&self.typed.locals[local].ty);
            params.push(self.bind_local(local, ty));
        }
        if params.is_empty() {
            params.push(self.fresh("_", Type::unit()));
        }
        let body = self.expr(&arm.body);
        (self.program.lam(params, body), locals)
    }

    /// Tries the arms in turn: code linear in the patterns, where a tree would be too large.
    fn one_by_one(&mut self, rows: Vec<Row<'t>>, arms: &'t [TArm], ty: &Type, span: Span) -> Expr {
        let mut rest: Option<Expr> = None;
        for row in rows.into_iter().rev() {
            let arm: &'t TArm = &arms[row.arm];
            let mut budget = usize::MAX;
            let Some(node) = self.tree(vec![row], &mut budget) else {
                bug("a tree of one row within any budget", arm.pattern.span)
            };
            let mut leaf = |this: &mut Self, _: usize, binds: &[(LocalId, VarId)]| {
                for (local, var) in binds {
                    this.rebind(*local, *var);
                }
                this.expr(&arm.body)
            };
            let Some(next) = rest.take() else {
                rest = Some(self.emit(node, ty, span, &mut leaf, None));
                continue;
            };
            let param = self.fresh("_", Type::unit());
            let function = self.program.lam(vec![param], next);
            let var = self.fresh("next", function.ty.clone());
            let body = self.emit(node, ty, span, &mut leaf, Some(var));
            rest = Some(Expr::let_(var, function, body));
        }
        // Without arms no value fits.
        rest.unwrap_or_else(|| build::fail(NO_ARM, ty.clone(), span))
    }

    /// The code of a tree; where no arm fits, `next ()` or a run-time error.
    fn emit(
        &mut self,
        node: Node,
        ty: &Type,
        span: Span,
        leaf: &mut Leaf<'_, 't>,
        next: Option<VarId>,
    ) -> Expr {
        match node {
            Node::Leaf(arm, binds) => leaf(self, arm, &binds),
            Node::Fail => match next {
                Some(next) => {
                    let next = self.var(next, span);
                    Expr::app(next, vec![Expr::unit(span)], span)
                }
                None => build::fail(NO_ARM, ty.clone(), span),
            },
            Node::Parts(parts, then) => {
                let mut bindings = Vec::new();
                for (var, whole, place) in parts {
                    let whole = self.var(whole, span);
                    bindings.push((var, Expr::proj(whole, place, span)));
                }
                let body = self.emit(*then, ty, span, leaf, next);
                Expr::lets(bindings, body)
            }
            Node::Switch(var, cases, default) => {
                let scrutinee = self.var(var, span);
                let mut arms = Vec::new();
                for (tag, vars, node) in cases {
                    arms.push(Arm { tag, vars, body: self.emit(node, ty, span, leaf, next) });
                }
                let default = default.map(|node| self.emit(*node, ty, span, leaf, next));
                Expr::match_(scrutinee, arms, default, span)
            }
            Node::Test(var, cases, others) => {
                let mut tests = Vec::new();
                for (literal, same) in cases {
                    let test = self.literal_test(var, literal, span);
                    tests.push((test, self.emit(same, ty, span, leaf, next)));
                }
                let others = self.emit(*others, ty, span, leaf, next);
                let tests = tests.into_iter().rev();
                tests.fold(others, |others, (test, same)| Expr::if_(test, same, others, span))
            }
        }
    }

    fn literal_test(&mut self, var: VarId, literal: Lit, span: Span) -> Expr {
        let value = self.var(var, span);
        match literal {
            Lit::Bool(_) => value,
            Lit::Int(_) => Expr::prim(Prim::IntEq, [value, Expr::lit(literal, span)], span),
            Lit::Real(_) => Expr::prim(Prim::Eq, [value, Expr::lit(literal, span)], span),
            Lit::Str(_) => Expr::prim(Prim::StrEq, [value, Expr::lit(literal, span)], span),
        }
    }
}

/// The pattern of one item, where the tuple is written out.
fn item_pattern(pattern: &TPat, place: usize) -> Option<&TPat> {
    if let TPatKind::Tuple(items) = &pattern.kind { items.get(place) } else { None }
}

/// Whether a body is so small that repeating it costs less than a function.
fn is_small(body: &TExpr) -> bool {
    matches!(
        body.kind,
        TExprKind::IntLit(_)
            | TExprKind::RealLit(_)
            | TExprKind::BoolLit(_)
            | TExprKind::Local(..)
            | TExprKind::Global(..)
            | TExprKind::Con(..)
    )
}

fn count_leaves(node: &Node, counts: &mut [usize]) {
    match node {
        Node::Leaf(arm, _) => counts[*arm] += 1,
        Node::Fail => {}
        Node::Parts(_, then) => count_leaves(then, counts),
        Node::Switch(_, cases, default) => {
            cases.iter().for_each(|(_, _, node)| count_leaves(node, counts));
            default.iter().for_each(|node| count_leaves(node, counts));
        }
        Node::Test(_, cases, others) => {
            cases.iter().for_each(|(_, same)| count_leaves(same, counts));
            count_leaves(others, counts);
        }
    }
}

/// What the only leaf of a tree of one row binds.
fn binds_of(node: &Node, out: &mut Vec<(LocalId, VarId)>) {
    match node {
        Node::Leaf(_, binds) => out.extend(binds.iter().copied()),
        Node::Fail => {}
        Node::Parts(_, then) => binds_of(then, out),
        Node::Switch(_, cases, default) => {
            cases.iter().for_each(|(_, _, node)| binds_of(node, out));
            default.iter().for_each(|node| binds_of(node, out));
        }
        Node::Test(_, cases, others) => {
            cases.iter().for_each(|(_, same)| binds_of(same, out));
            binds_of(others, out);
        }
    }
}
