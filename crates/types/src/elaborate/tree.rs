//! Decision trees of patterns.
//!
//! Input: rows of tests on variables, tried from top to bottom. Output: a tree that tests each part of
//! a value at most once on each path. A tree can be larger than its rows, so its size is bounded and
//! the caller must be ready to do without.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::Name;
use pullback_lambda::{Lit, Type, TypeKind, VarId};
use rustc_hash::FxHashMap;

use super::state::Elab;
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
    /// Equality with one literal after the other.
    Test(VarId, Vec<(Lit, Node)>, Box<Node>),
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
        let uses = Uses::of(&rows);
        let Some(&(var, pattern)) = uses.best(first) else {
            return Some(Node::Leaf(first.arm, first.binds.clone()));
        };
        match &pattern.kind {
            TPatKind::Con(..) => self.switch(var, &rows, budget),
            TPatKind::Bool(_) => {
                let truth = self.tree(matching(&rows, var, &Lit::Bool(true), self), budget)?;
                let falsehood = self.tree(matching(&rows, var, &Lit::Bool(false), self), budget)?;
                Some(Node::Test(var, vec![(Lit::Bool(true), truth)], Box::new(falsehood)))
            }
            TPatKind::Int(_) | TPatKind::Real(_) | TPatKind::Str(_) => {
                self.literals(var, rows, uses, budget)
            }
            TPatKind::Wild
            | TPatKind::Var(_)
            | TPatKind::As(..)
            | TPatKind::Tuple(_)
            | TPatKind::Record(_)
            | TPatKind::Error => bug("a reduced pattern", pattern.span),
        }
    }

    /// Tests `var` for one literal after the other, as long as the first row that is left is best told
    /// apart by it.
    fn literals(
        &mut self,
        var: VarId,
        mut rows: Vec<Row<'t>>,
        mut uses: Uses,
        budget: &mut usize,
    ) -> Option<Node> {
        let by_literal = self.rows_by_literal(var, &rows);
        let mut cases = Vec::new();
        let mut is_left = vec![true; rows.len()];
        for first in 0..rows.len() {
            if !is_left[first] {
                continue;
            }
            if uses.best(&rows[first]).is_none_or(|(best, _)| *best != var) {
                break;
            }
            let Some(pattern) = test_of(&rows[first], var) else { break };
            let literal = self.literal(var, pattern);
            let own = by_literal.rows.get(&Key::of(&literal)).map_or(&[][..], Vec::as_slice);
            let mut fitting = [own, &by_literal.untested].concat();
            fitting.sort_unstable();
            let same = fitting.iter().map(|&row| without(&rows[row], var)).collect();
            let same = self.tree(same, budget)?;
            cases.push((literal, same));
            for &row in own {
                is_left[row] = false;
                uses.forget(&rows[row]);
            }
        }
        let mut is_left = is_left.into_iter();
        rows.retain(|_| is_left.next() == Some(true));
        let others = self.tree(rows, budget)?;
        Some(Node::Test(var, cases, Box::new(others)))
    }

    /// Which rows test `var` for each literal, and which do not test it.
    fn rows_by_literal(&self, var: VarId, rows: &[Row<'t>]) -> ByLiteral {
        let mut by_literal = ByLiteral::default();
        for (index, row) in rows.iter().enumerate() {
            match test_of(row, var) {
                Some(pattern) => {
                    let key = Key::of(&self.literal(var, pattern));
                    by_literal.rows.entry(key).or_default().push(index);
                }
                None => by_literal.untested.push(index),
            }
        }
        by_literal
    }

    fn switch(&mut self, var: VarId, rows: &[Row<'t>], budget: &mut usize) -> Option<Node> {
        let TypeKind::Data(data) = self.program.vars[var].ty.kind() else {
            bug("a sum", pullback_base::Span::NONE)
        };
        let data = *data;
        let mut tags: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut untested = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            if let Some(TPatKind::Con(_, tag, _)) = test_of(row, var).map(|pattern| &pattern.kind) {
                tags.entry(*tag).or_default().push(index);
            } else {
                untested.push(index);
            }
        }
        let mut cases = Vec::new();
        for (&tag, own) in &tags {
            let types = self.program.datas[data].constructors[tag].fields.clone();
            let vars =
                self.field_vars(&types, own.first().and_then(|&row| fields_of(&rows[row], var)));
            let mut fitting = [own.as_slice(), &untested].concat();
            fitting.sort_unstable();
            let kept = fitting.into_iter().map(|row| {
                let mut kept = without(&rows[row], var);
                // A row that does not test the variable takes any fields.
                if let Some(fields) = fields_of(&rows[row], var) {
                    kept.tests.extend(vars.iter().copied().zip(fields));
                }
                kept
            });
            let node = self.tree(kept.collect(), budget)?;
            cases.push((tag, vars, node));
        }
        let complete = tags.len() == self.program.datas[data].constructors.len();
        let default = if complete {
            None
        } else {
            let rest = untested.into_iter().map(|row| rows[row].clone()).collect();
            Some(Box::new(self.tree(rest, budget)?))
        };
        Some(Node::Switch(var, cases, default))
    }

    /// Variables for the fields of a constructor, named as the patterns of the first row name them.
    fn field_vars(&mut self, types: &[Type], named: Option<&[TPat]>) -> Vec<VarId> {
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

/// How many rows test each variable.
struct Uses {
    counts: FxHashMap<VarId, usize>,
}

impl Uses {
    fn of(rows: &[Row<'_>]) -> Self {
        let mut counts = FxHashMap::default();
        for (var, _) in rows.iter().flat_map(|row| &row.tests) {
            *counts.entry(*var).or_default() += 1;
        }
        Self { counts }
    }

    /// Leaves a row out.
    fn forget(&mut self, row: &Row<'_>) {
        for (var, _) in &row.tests {
            if let Some(count) = self.counts.get_mut(var) {
                *count -= 1;
            }
        }
    }

    /// The test of a row on the variable that most rows test: it tells them apart best.
    fn best<'r, 't>(&self, row: &'r Row<'t>) -> Option<&'r (VarId, &'t TPat)> {
        row.tests.iter().rev().max_by_key(|(var, _)| self.counts.get(var))
    }
}

/// The rows that test a variable for literals.
#[derive(Default)]
struct ByLiteral {
    rows: FxHashMap<Key, Vec<usize>>,
    untested: Vec<usize>,
}

/// A literal, such that equal ones are equal keys.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Bits(u64),
    Text(Rc<str>),
}

impl Key {
    fn of(literal: &Lit) -> Self {
        match literal {
            // Adding 0.0 makes one of the two zeros, which are equal.
            Lit::Real(value) => Self::Bits((value + 0.0).to_bits()),
            Lit::Int(value) => Self::Bits(value.cast_unsigned()),
            Lit::Bool(value) => Self::Bits(u64::from(*value)),
            Lit::Str(text) => Self::Text(text.clone()),
        }
    }
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

/// The patterns of the fields, if the row tests `var` for a constructor.
fn fields_of<'t>(row: &Row<'t>, var: VarId) -> Option<&'t [TPat]> {
    let pattern = test_of(row, var)?;
    if let TPatKind::Con(_, _, fields) = &pattern.kind { Some(fields) } else { None }
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
