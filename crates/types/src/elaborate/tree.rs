//! Decision trees of patterns.
//!
//! Input: rows of tests on variables, tried from top to bottom. Output: a tree that tests each part of
//! a value at most once on each path. A tree can be larger than its rows, so its size is bounded and
//! the caller must be ready to do without.

use pullback_base::Name;
use pullback_lambda::{Lit, Type, TypeKind, VarId};
use rustc_hash::FxHashMap;

use super::Elab;
use super::types::bug;
use crate::tir::{LocalId, TPat, TPatKind};

/// What a node of a tree costs, in rows looked at.
pub(super) const NODE_COST: usize = 400;

/// One arm: what is still to be tested and what is bound already.
#[derive(Clone)]
pub(super) struct Row<'t> {
    pub(super) tests: Vec<(VarId, &'t TPat)>,
    pub(super) binds: Vec<(LocalId, VarId)>,
    pub(super) arm: usize,
}

/// What to do with a value.
pub(super) enum Node {
    /// Take this arm, with its variables bound so.
    Leaf(usize, Vec<(LocalId, VarId)>),
    /// No arm fits.
    Fail,
    /// Name components of tuples and records: name, whole, position.
    Parts(Vec<(VarId, VarId, usize)>, Box<Node>),
    /// Case analysis of a sum.
    Switch(VarId, Vec<(usize, Vec<VarId>, Node)>, Option<Box<Node>>),
    /// Equality with a literal.
    Test(VarId, Lit, Box<Node>, Box<Node>),
}

impl<'t> Elab<'t> {
    /// The tree of these rows; none if it costs more than `budget`, at [`NODE_COST`] for a node and 1
    /// for each row that is looked at.
    pub(super) fn tree(&mut self, mut rows: Vec<Row<'t>>, budget: &mut usize) -> Option<Node> {
        *budget = budget.checked_sub(rows.len() + NODE_COST)?;
        let mut parts = Parts::default();
        for row in &mut rows {
            self.reduce(row, &mut parts);
        }
        let node = self.branch(rows, budget)?;
        if parts.bound.is_empty() {
            return Some(node);
        }
        Some(Node::Parts(parts.bound, Box::new(node)))
    }

    /// Binds variables and takes tuples and records apart, so that only real tests are left.
    fn reduce(&mut self, row: &mut Row<'t>, parts: &mut Parts) {
        let mut work: Vec<(VarId, &'t TPat)> = std::mem::take(&mut row.tests);
        work.reverse();
        while let Some((var, pattern)) = work.pop() {
            match &pattern.kind {
                TPatKind::Wild => {}
                TPatKind::Var(local) => row.binds.push((*local, var)),
                TPatKind::As(local, inner) => {
                    row.binds.push((*local, var));
                    work.push((var, inner));
                }
                TPatKind::Tuple(items) => {
                    let first = work.len();
                    for (place, item) in items.iter().enumerate() {
                        self.part(var, place, item, parts, &mut work);
                    }
                    work[first..].reverse();
                }
                TPatKind::Record(fields) => {
                    let first = work.len();
                    for (name, field) in fields {
                        let ty = self.program.vars[var].ty.clone();
                        let place = Self::field_index(&ty, name);
                        self.part(var, place, field, parts, &mut work);
                    }
                    work[first..].reverse();
                }
                TPatKind::Int(_)
                | TPatKind::Real(_)
                | TPatKind::Bool(_)
                | TPatKind::Str(_)
                | TPatKind::Con(..) => row.tests.push((var, pattern)),
                TPatKind::Error => bug("a pattern without errors", pattern.span),
            }
        }
    }

    /// Adds the test of one component, which gets a name unless nothing looks at it.
    fn part(
        &mut self,
        whole: VarId,
        place: usize,
        pattern: &'t TPat,
        parts: &mut Parts,
        work: &mut Vec<(VarId, &'t TPat)>,
    ) {
        if matches!(pattern.kind, TPatKind::Wild) {
            return;
        }
        if let Some(&known) = parts.known.get(&(whole, place)) {
            work.push((known, pattern));
            return;
        }
        let ty = self.program.vars[whole].ty.component(place).cloned();
        let ty = ty.unwrap_or_else(|| bug("a component", pattern.span));
        let var = self.pattern_var(pattern, ty, "part");
        parts.known.insert((whole, place), var);
        parts.bound.push((var, whole, place));
        work.push((var, pattern));
    }

    fn branch(&mut self, rows: Vec<Row<'t>>, budget: &mut usize) -> Option<Node> {
        let Some(first) = rows.first() else { return Some(Node::Fail) };
        // The variable most rows test tells them apart best.
        let uses = |var: VarId| {
            rows.iter().filter(|row| row.tests.iter().any(|test| test.0 == var)).count()
        };
        let best = first.tests.iter().rev().max_by_key(|(var, _)| uses(*var));
        let Some(&(var, pattern)) = best else {
            return Some(Node::Leaf(first.arm, first.binds.clone()));
        };
        match &pattern.kind {
            TPatKind::Con(..) => self.switch(var, &rows, budget),
            TPatKind::Bool(_) => {
                let truth = self.tree(matching(&rows, var, &Lit::Bool(true), self), budget)?;
                let falsehood = self.tree(matching(&rows, var, &Lit::Bool(false), self), budget)?;
                Some(Node::Test(var, Lit::Bool(true), Box::new(truth), Box::new(falsehood)))
            }
            TPatKind::Int(_) | TPatKind::Real(_) | TPatKind::Str(_) => {
                let literal = self.literal(var, pattern);
                let same = matching(&rows, var, &literal, self);
                let same = self.tree(same, budget)?;
                let others = rows
                    .into_iter()
                    .filter(|row| test_of(row, var).is_none_or(|p| self.literal(var, p) != literal))
                    .collect();
                let others = self.tree(others, budget)?;
                Some(Node::Test(var, literal, Box::new(same), Box::new(others)))
            }
            TPatKind::Wild
            | TPatKind::Var(_)
            | TPatKind::As(..)
            | TPatKind::Tuple(_)
            | TPatKind::Record(_)
            | TPatKind::Error => bug("a reduced pattern", pattern.span),
        }
    }

    fn switch(&mut self, var: VarId, rows: &[Row<'t>], budget: &mut usize) -> Option<Node> {
        let TypeKind::Data(data) = self.program.vars[var].ty.kind() else {
            bug("a sum", pullback_base::Span::NONE)
        };
        let data = *data;
        let mut tags: Vec<usize> = Vec::new();
        for row in rows {
            if let Some(TPatKind::Con(_, tag, _)) = test_of(row, var).map(|pattern| &pattern.kind)
                && !tags.contains(tag)
            {
                tags.push(*tag);
            }
        }
        tags.sort_unstable();
        let mut cases = Vec::new();
        for &tag in &tags {
            let types = self.program.datas[data].constructors[tag].fields.clone();
            let vars = self.field_vars(var, tag, &types, rows);
            let mut kept = Vec::new();
            for row in rows {
                let Some(pattern) = test_of(row, var) else {
                    kept.push(row.clone());
                    continue;
                };
                if let TPatKind::Con(_, own, fields) = &pattern.kind
                    && *own == tag
                {
                    let mut row = without(row, var);
                    row.tests.extend(vars.iter().copied().zip(fields));
                    kept.push(row);
                }
            }
            let node = self.tree(kept, budget)?;
            cases.push((tag, vars, node));
        }
        let complete = tags.len() == self.program.datas[data].constructors.len();
        let default = if complete {
            None
        } else {
            let rest = rows.iter().filter(|row| test_of(row, var).is_none()).cloned().collect();
            Some(Box::new(self.tree(rest, budget)?))
        };
        Some(Node::Switch(var, cases, default))
    }

    /// Variables for the fields of a constructor, named as the first row that has it names them.
    fn field_vars(
        &mut self,
        var: VarId,
        tag: usize,
        types: &[Type],
        rows: &[Row<'t>],
    ) -> Vec<VarId> {
        let named = rows.iter().find_map(|row| match &test_of(row, var)?.kind {
            TPatKind::Con(_, own, fields) if *own == tag => Some(fields),
            TPatKind::Con(..)
            | TPatKind::Wild
            | TPatKind::Var(_)
            | TPatKind::As(..)
            | TPatKind::Int(_)
            | TPatKind::Real(_)
            | TPatKind::Bool(_)
            | TPatKind::Str(_)
            | TPatKind::Tuple(_)
            | TPatKind::Record(_)
            | TPatKind::Error => None,
        });
        let mut vars = Vec::new();
        for (place, ty) in types.iter().enumerate() {
            vars.push(match named.and_then(|fields| fields.get(place)) {
                Some(pattern) => self.pattern_var(pattern, ty.clone(), "field"),
                None => self.fresh("field", ty.clone()),
            });
        }
        vars
    }

    /// The literal a pattern tests a variable for; `0` tests a Real too.
    fn literal(&self, var: VarId, pattern: &TPat) -> Lit {
        let is_real = matches!(self.program.vars[var].ty.kind(), TypeKind::Real);
        match &pattern.kind {
            TPatKind::Int(value) if is_real => Lit::Real(*value as f64),
            TPatKind::Int(value) => Lit::Int(*value),
            TPatKind::Real(value) => Lit::Real(*value),
            TPatKind::Bool(value) => Lit::Bool(*value),
            TPatKind::Str(text) => Lit::Str(text.as_str().into()),
            TPatKind::Wild
            | TPatKind::Var(_)
            | TPatKind::As(..)
            | TPatKind::Tuple(_)
            | TPatKind::Record(_)
            | TPatKind::Con(..)
            | TPatKind::Error => bug("a literal pattern", pattern.span),
        }
    }
}

/// Components named at one point of the tree.
#[derive(Default)]
struct Parts {
    known: FxHashMap<(VarId, usize), VarId>,
    bound: Vec<(VarId, VarId, usize)>,
}

/// The variables a pattern binds, from left to right.
pub(super) fn bound_by(pattern: &TPat, out: &mut Vec<LocalId>) {
    match &pattern.kind {
        TPatKind::Var(local) => out.push(*local),
        TPatKind::As(local, inner) => {
            out.push(*local);
            bound_by(inner, out);
        }
        TPatKind::Tuple(items) | TPatKind::Con(_, _, items) => {
            items.iter().for_each(|item| bound_by(item, out));
        }
        TPatKind::Record(fields) => {
            let fields: &[(Name, TPat)] = fields;
            fields.iter().for_each(|(_, field)| bound_by(field, out));
        }
        TPatKind::Wild
        | TPatKind::Int(_)
        | TPatKind::Real(_)
        | TPatKind::Bool(_)
        | TPatKind::Str(_)
        | TPatKind::Error => {}
    }
}

fn test_of<'t>(row: &Row<'t>, var: VarId) -> Option<&'t TPat> {
    row.tests.iter().find(|test| test.0 == var).map(|test| test.1)
}

fn without<'t>(row: &Row<'t>, var: VarId) -> Row<'t> {
    let mut row = row.clone();
    row.tests.retain(|test| test.0 != var);
    row
}

/// The rows that fit where `var` equals a literal, with that test done.
fn matching<'t>(rows: &[Row<'t>], var: VarId, literal: &Lit, elab: &Elab<'t>) -> Vec<Row<'t>> {
    let fits = |row: &&Row<'t>| test_of(row, var).is_none_or(|p| elab.literal(var, p) == *literal);
    rows.iter().filter(fits).map(|row| without(row, var)).collect()
}
