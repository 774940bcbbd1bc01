//! Traversal: children of a term, free variables, copies with fresh binders, substitution.
//!
//! Since binders are unique, substitution needs no renaming; but a term that is to occur twice must be
//! copied by [`Program::copy`], which gives the copy binders of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::{AdOp, DefId, Expr, ExprKind, LoopForm, Program, VarId};

impl Expr {
    /// Visits the immediate parts in order of evaluation.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Lit(_) => {}
            ExprKind::Prim(_, items)
            | ExprKind::Tuple(items)
            | ExprKind::Con(_, items)
            | ExprKind::Array(items)
            | ExprKind::Ad(_, items) => items.iter().for_each(visit),
            ExprKind::Lam(_, body) => visit(body),
            ExprKind::App(function, args) => {
                visit(function);
                args.iter().for_each(visit);
            }
            ExprKind::Let(_, value, body) => {
                visit(value);
                visit(body);
            }
            ExprKind::LetRec(functions, body) => {
                functions.iter().for_each(|(_, function)| visit(function));
                visit(body);
            }
            ExprKind::If(cond, then, other) => {
                visit(cond);
                visit(then);
                visit(other);
            }
            ExprKind::Proj(base, _) => visit(base),
            ExprKind::Match(scrutinee, arms, default) => {
                visit(scrutinee);
                arms.iter().for_each(|arm| visit(&arm.body));
                default.iter().for_each(|default| visit(default));
            }
            ExprKind::Build { size, body, .. } => {
                visit(size);
                visit(body);
            }
            ExprKind::Loop { init, form, body, .. } => {
                visit(init);
                match form {
                    LoopForm::For { count, .. } => visit(count),
                    LoopForm::While(cond) => visit(cond),
                }
                visit(body);
            }
        }
    }

    /// Visits the immediate parts in order of evaluation; they may be replaced.
    pub fn for_each_child_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Var(_) | ExprKind::Global(_) | ExprKind::Lit(_) => {}
            ExprKind::Prim(_, items)
            | ExprKind::Tuple(items)
            | ExprKind::Con(_, items)
            | ExprKind::Array(items)
            | ExprKind::Ad(_, items) => items.iter_mut().for_each(visit),
            ExprKind::Lam(_, body) => visit(body),
            ExprKind::App(function, args) => {
                visit(function);
                args.iter_mut().for_each(visit);
            }
            ExprKind::Let(_, value, body) => {
                visit(value);
                visit(body);
            }
            ExprKind::LetRec(functions, body) => {
                functions.iter_mut().for_each(|(_, function)| visit(function));
                visit(body);
            }
            ExprKind::If(cond, then, other) => {
                visit(cond);
                visit(then);
                visit(other);
            }
            ExprKind::Proj(base, _) => visit(base),
            ExprKind::Match(scrutinee, arms, default) => {
                visit(scrutinee);
                arms.iter_mut().for_each(|arm| visit(&mut arm.body));
                default.iter_mut().for_each(|default| visit(default));
            }
            ExprKind::Build { size, body, .. } => {
                visit(size);
                visit(body);
            }
            ExprKind::Loop { init, form, body, .. } => {
                visit(init);
                match form {
                    LoopForm::For { count, .. } => visit(count),
                    LoopForm::While(cond) => visit(cond),
                }
                visit(body);
            }
        }
    }

    /// The variables this node itself binds, in order.
    pub fn binders(&self) -> Vec<VarId> {
        let mut found = vec![];
        self.for_each_binder(&mut |var| found.push(var));
        found
    }

    fn for_each_binder(&self, visit: &mut dyn FnMut(VarId)) {
        match &self.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(_, _)
            | ExprKind::App(_, _)
            | ExprKind::If(_, _, _)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(_, _)
            | ExprKind::Con(_, _)
            | ExprKind::Array(_)
            | ExprKind::Ad(_, _) => {}
            ExprKind::Lam(params, _) => params.iter().copied().for_each(visit),
            ExprKind::Let(var, _, _) | ExprKind::Build { var, .. } => visit(*var),
            ExprKind::LetRec(functions, _) => functions.iter().for_each(|(var, _)| visit(*var)),
            ExprKind::Match(_, arms, _) => {
                arms.iter().flat_map(|arm| &arm.vars).copied().for_each(visit);
            }
            ExprKind::Loop { var, form, .. } => {
                visit(*var);
                if let LoopForm::For { var: index, .. } = form {
                    visit(*index);
                }
            }
        }
    }

    fn binders_mut(&mut self) -> Vec<&mut VarId> {
        match &mut self.kind {
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(_, _)
            | ExprKind::App(_, _)
            | ExprKind::If(_, _, _)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(_, _)
            | ExprKind::Con(_, _)
            | ExprKind::Array(_)
            | ExprKind::Ad(_, _) => vec![],
            ExprKind::Lam(params, _) => params.iter_mut().collect(),
            ExprKind::Let(var, _, _) => vec![var],
            ExprKind::LetRec(functions, _) => functions.iter_mut().map(|(var, _)| var).collect(),
            ExprKind::Match(_, arms, _) => arms.iter_mut().flat_map(|arm| &mut arm.vars).collect(),
            ExprKind::Build { var, .. } => vec![var],
            ExprKind::Loop { var, form, .. } => match form {
                LoopForm::For { var: index, .. } => vec![var, index],
                LoopForm::While(_) => vec![var],
            },
        }
    }

    /// Visits this term and all its parts, outermost first.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        self.for_each_child(&mut |child| child.visit(visit));
    }

    /// Rewrites this term and all its parts, innermost first.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&mut Expr)) {
        self.for_each_child_mut(&mut |child| child.rewrite(rewrite));
        rewrite(self);
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// How many nodes it has, if no more than this; what goes beyond is not counted.
    pub fn size_up_to(&self, limit: usize) -> Option<usize> {
        fn count(expr: &Expr, size: &mut usize, limit: usize) {
            *size += 1;
            if *size <= limit {
                expr.for_each_child(&mut |child| count(child, size, limit));
            }
        }
        let mut size = 0;
        count(self, &mut size, limit);
        (size <= limit).then_some(size)
    }

    /// Its free variables, each once, in order of first occurrence. As binders are unique, it is enough to
    /// leave out what is bound anywhere inside.
    pub fn free_vars(&self) -> Vec<VarId> {
        let (mut bound, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut occurring = vec![];
        self.visit(&mut |part| {
            part.for_each_binder(&mut |var| {
                bound.insert(var);
            });
            if let ExprKind::Var(var) = part.kind
                && seen.insert(var)
            {
                occurring.push(var);
            }
        });
        occurring.retain(|var| !bound.contains(var));
        occurring
    }

    /// The definitions it mentions, each once, in order of first occurrence.
    pub fn globals(&self) -> Vec<DefId> {
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        self.visit(&mut |expr| {
            if let ExprKind::Global(def) = expr.kind
                && seen.insert(def)
            {
                found.push(def);
            }
        });
        found
    }
}

/// The application that a mark for some engines stands for.
fn unmarked(op: AdOp, args: &[Expr]) -> Option<ExprKind> {
    let apply = |function: &Expr, args| Some(ExprKind::App(Box::new(function.clone()), args));
    match (op, args) {
        (AdOp::Checkpoint | AdOp::AssumeLinear, [function, args @ ..]) => {
            apply(function, args.to_vec())
        }
        (AdOp::DifferentiatedAs, [_, differentiated]) => {
            apply(differentiated, vec![Expr::tuple(vec![], differentiated.span)])
        }
        _ => None,
    }
}

impl Program {
    /// The program with applications in the place of checkpoints, of what is assumed to be linear and of what is
    /// differentiated as something else, which is what they mean.
    pub fn without_marks(&self) -> Cow<'_, Self> {
        let mut has = false;
        for def in self.defs.iter() {
            def.body.visit(&mut |expr| {
                has |= matches!(&expr.kind, ExprKind::Ad(op, args) if unmarked(*op, args).is_some());
            });
        }
        if !has {
            return Cow::Borrowed(self);
        }
        let mut program = self.clone();
        for def in program.defs.ids().collect::<Vec<_>>() {
            program.defs[def].body.rewrite(&mut |expr| {
                if let ExprKind::Ad(op, args) = &expr.kind
                    && let Some(application) = unmarked(*op, args)
                {
                    expr.kind = application;
                }
            });
        }
        Cow::Owned(program)
    }

    /// The definitions that some reach, themselves first.
    pub fn reachable(&self, roots: &[DefId]) -> Vec<DefId> {
        let mut reached = vec![];
        let mut seen = BTreeSet::new();
        for root in roots {
            if seen.insert(*root) {
                reached.push(*root);
            }
        }
        let mut next = 0;
        while next < reached.len() {
            for callee in self.defs[reached[next]].body.globals() {
                if seen.insert(callee) {
                    reached.push(callee);
                }
            }
            next += 1;
        }
        reached
    }
    /// A copy of a term in which every binder is fresh.
    pub fn copy(&mut self, expr: &Expr) -> Expr {
        self.copy_with(expr, &BTreeMap::new())
    }

    /// A copy of a term in which every binder is fresh and free variables are replaced. A replacement
    /// that is used more than once is copied afresh for every use after the first.
    pub fn copy_with(&mut self, expr: &Expr, replacements: &BTreeMap<VarId, Expr>) -> Expr {
        let mut copy = expr.clone();
        let mut renamed = BTreeMap::new();
        copy.rewrite(&mut |node| {
            for binder in node.binders_mut() {
                let fresh = self.fresh_like(*binder);
                renamed.insert(*binder, fresh);
                *binder = fresh;
            }
        });
        let mut used = BTreeSet::new();
        copy.rewrite(&mut |node| {
            let ExprKind::Var(var) = &mut node.kind else { return };
            if let Some(fresh) = renamed.get(var) {
                *var = *fresh;
            } else if let Some(replacement) = replacements.get(var) {
                let first = used.insert(*var);
                *node = if first { replacement.clone() } else { self.copy(replacement) };
            }
        });
        copy
    }

    /// Replaces free variables in place; see [`Program::copy_with`] for repeated uses.
    pub fn substitute(&mut self, expr: &mut Expr, replacements: &BTreeMap<VarId, Expr>) {
        let mut used = BTreeSet::new();
        expr.rewrite(&mut |node| {
            let ExprKind::Var(var) = node.kind else { return };
            if let Some(replacement) = replacements.get(&var) {
                let first = used.insert(var);
                *node = if first { replacement.clone() } else { self.copy(replacement) };
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_base::SourceMap;

    fn program(text: &str) -> Program {
        crate::parse(text, SourceMap::default().add("<lambda>", text)).expect("a program")
    }

    #[test]
    fn copies_share_no_binder_and_keep_free_variables() {
        let text = "def sum.0 : Real -> Real =\n  \\(y.0 : Real) -> let f.1 : Real -> Real = \\(x.2 : Real) -> add x.2 y.0 in f.1 y.0\n";
        let mut program = program(text);
        let ExprKind::Lam(params, body) = program.defs[DefId(0)].body.kind.clone() else {
            panic!("a function")
        };
        let ExprKind::Let(_, lam, _) = body.kind else { panic!("a binding") };
        assert_eq!(lam.free_vars(), params);
        let copy = program.copy(&lam);
        assert_eq!(copy.free_vars(), params);
        assert_ne!(copy.binders(), lam.binders());
        assert_eq!(copy.size(), lam.size());
    }

    #[test]
    fn a_repeated_replacement_keeps_binders_unique() {
        let text = "def twice.0 : (Real -> Real) -> (Real -> Real, Real -> Real) =\n  \\(f.0 : Real -> Real) -> (f.0, f.0)\n\
                    def identity.1 : Real -> Real =\n  \\(x.1 : Real) -> x.1\n";
        let mut program = program(text);
        let ExprKind::Lam(params, mut pair) = program.defs[DefId(0)].body.kind.clone() else {
            panic!("a function")
        };
        let identity = program.defs[DefId(1)].body.clone();
        program.substitute(&mut pair, &BTreeMap::from([(params[0], identity)]));
        let mut binders = Vec::new();
        pair.visit(&mut |node| binders.extend(node.binders()));
        assert_eq!(binders.len(), 2);
        assert_ne!(binders[0], binders[1]);
    }
}
