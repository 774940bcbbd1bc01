//! Usefulness of patterns by matrix specialisation (Maranget, *Warnings for pattern matching*).
//!
//! Law: `missing(rows, row)` is a value vector that `row` matches and no row of `rows` does, if there
//! is one. The work of one [`Checker`] is bounded by [`MAX_STEPS`]; beyond it the answer errs towards
//! accepting the program.

use pullback_base::Name;

use super::witness::Case;
use crate::tir::{TPat, TPatKind, Typed};
use crate::ty::{Ty, TypeDeclId};

/// The most matrix rows that are looked at for one match.
const MAX_STEPS: usize = 200_000;

/// What a pattern tests: everything that binds is a wildcard.
#[derive(Clone, Debug)]
pub enum Pat {
    /// Matches everything.
    Wild,
    /// A head with its fields.
    Head(Head, Vec<Pat>),
}

/// What can stand at the head of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// A constructor of a declared sum.
    Con(TypeDeclId, usize),
    /// The only form of a tuple.
    Tuple,
    /// The only form of a record, with its fields.
    Record(Vec<Name>),
    /// A literal.
    Int(i64),
    /// A literal (0.0 and -0.0 are equal, as `==` says).
    Real(f64),
    /// A literal.
    Bool(bool),
    /// A literal.
    Str(String),
}

impl Pat {
    /// The test a typed pattern makes; none if it contains an error.
    pub fn of(pattern: &TPat) -> Option<Self> {
        let all = |items: &[TPat]| items.iter().map(Self::of).collect::<Option<Vec<_>>>();
        Some(match &pattern.kind {
            TPatKind::Wild | TPatKind::Var(_) => Self::Wild,
            TPatKind::As(_, inner) => Self::of(inner)?,
            TPatKind::Int(value) if pattern.ty == Ty::Real => {
                Self::Head(Head::Real(*value as f64), vec![])
            }
            TPatKind::Int(value) => Self::Head(Head::Int(*value), vec![]),
            TPatKind::Real(value) => Self::Head(Head::Real(*value), vec![]),
            TPatKind::Bool(value) => Self::Head(Head::Bool(*value), vec![]),
            TPatKind::Str(text) => Self::Head(Head::Str(text.clone()), vec![]),
            TPatKind::Tuple(items) => Self::Head(Head::Tuple, all(items)?),
            TPatKind::Record(fields) => Self::of_record(fields, &pattern.ty)?,
            TPatKind::Con(decl, tag, fields) => Self::Head(Head::Con(*decl, *tag), all(fields)?),
            TPatKind::Error => return None,
        })
    }

    /// A record pattern as a test of all fields of its type.
    fn of_record(fields: &[(Name, TPat)], ty: &Ty) -> Option<Self> {
        let names: Vec<Name> = if let Ty::Record(all) = ty {
            all.iter().map(|(name, _)| name.clone()).collect()
        } else {
            fields.iter().map(|(name, _)| name.clone()).collect()
        };
        let mut tests = Vec::new();
        for name in &names {
            let field = fields.iter().find(|(written, _)| written == name);
            tests.push(field.map_or(Some(Self::Wild), |(_, pattern)| Self::of(pattern))?);
        }
        Some(Self::Head(Head::Record(names), tests))
    }
}

/// A row of the matrix, by reference into the patterns.
pub type Row<'p> = Vec<&'p Pat>;

const WILD: &Pat = &Pat::Wild;

/// Answers usefulness questions within a budget.
pub struct Checker<'t> {
    typed: &'t Typed,
    steps: usize,
}

impl<'t> Checker<'t> {
    /// A checker with a full budget.
    pub fn new(typed: &'t Typed) -> Self {
        Self { typed, steps: 0 }
    }

    /// A vector of cases that `row` matches and none of `rows` does. When the budget is used up: none
    /// for a whole matrix (taken as complete), the row itself otherwise (taken as reachable).
    pub fn missing(&mut self, rows: &[Row<'_>], row: &[&Pat]) -> Option<Vec<Case>> {
        let found = self.search(rows, row);
        let wild = row.iter().all(|pattern| matches!(pattern, Pat::Wild));
        if self.steps > MAX_STEPS && !wild {
            return Some(vec![Case::Any; row.len()]);
        }
        found
    }

    fn search(&mut self, rows: &[Row<'_>], row: &[&Pat]) -> Option<Vec<Case>> {
        self.steps += rows.len() + 1;
        if self.steps > MAX_STEPS {
            return None;
        }
        let Some((first, rest)) = row.split_first() else {
            return rows.is_empty().then(Vec::new);
        };
        match first {
            Pat::Head(head, fields) => self.search_head(rows, head, fields, rest),
            Pat::Wild => self.search_wild(rows, rest),
        }
    }

    /// The row starts with `head`: only rows that can start so matter.
    fn search_head(
        &mut self,
        rows: &[Row<'_>],
        head: &Head,
        fields: &[Pat],
        rest: &[&Pat],
    ) -> Option<Vec<Case>> {
        let special = specialise(rows, head, fields.len());
        let row: Row<'_> = fields.iter().chain(rest.iter().copied()).collect();
        let mut found = self.search(&special, &row)?;
        let tail = found.split_off(fields.len());
        Some(std::iter::once(Case::Head(head.clone(), found)).chain(tail).collect())
    }

    /// The row starts with a wildcard: try every head if the rows name them all, else one they leave out.
    fn search_wild(&mut self, rows: &[Row<'_>], rest: &[&Pat]) -> Option<Vec<Case>> {
        let mut heads: Vec<(&Head, usize)> = Vec::new();
        for row in rows {
            if let Pat::Head(head, fields) = row[0]
                && !heads.iter().any(|(known, _)| *known == head)
            {
                heads.push((head, fields.len()));
            }
        }
        if self.complete(&heads) {
            for (head, arity) in heads {
                let special = specialise(rows, head, arity);
                let row: Row<'_> =
                    std::iter::repeat_n(WILD, arity).chain(rest.iter().copied()).collect();
                if let Some(mut found) = self.search(&special, &row) {
                    let tail = found.split_off(arity);
                    let case = Case::Head(head.clone(), found);
                    return Some(std::iter::once(case).chain(tail).collect());
                }
            }
            return None;
        }
        let defaults: Vec<Row<'_>> = rows
            .iter()
            .filter(|row| matches!(row[0], Pat::Wild))
            .map(|row| row[1..].to_vec())
            .collect();
        let found = self.search(&defaults, rest)?;
        let case = self.absent(&heads);
        Some(std::iter::once(case).chain(found).collect())
    }

    /// Whether these are all heads a value of their type can have.
    fn complete(&self, heads: &[(&Head, usize)]) -> bool {
        match heads.first().map(|(head, _)| *head) {
            None | Some(Head::Int(_) | Head::Real(_) | Head::Str(_)) => false,
            Some(Head::Tuple | Head::Record(_)) => true,
            Some(Head::Bool(_)) => heads.len() == 2,
            Some(Head::Con(decl, _)) => heads.len() == self.typed.types[*decl].constructors.len(),
        }
    }

    /// A case with a head that is not among `heads`. A value other than the literals of the arms is
    /// just any value.
    fn absent(&self, heads: &[(&Head, usize)]) -> Case {
        let used = |head: Head| heads.iter().any(|(known, _)| **known == head);
        match heads.first().map(|(head, _)| *head) {
            None
            | Some(Head::Tuple | Head::Record(_) | Head::Str(_) | Head::Int(_) | Head::Real(_)) => {
                Case::Any
            }
            Some(Head::Bool(_)) => Case::Head(Head::Bool(used(Head::Bool(false))), vec![]),
            Some(Head::Con(decl, _)) => {
                let constructors = &self.typed.types[*decl].constructors;
                let tag = (0..constructors.len()).find(|tag| !used(Head::Con(*decl, *tag)));
                tag.map_or(Case::Any, |tag| {
                    let fields = vec![Case::Any; constructors[tag].fields.len()];
                    Case::Head(Head::Con(*decl, tag), fields)
                })
            }
        }
    }
}

/// The rows that can start with `head`, with its fields in place of their first pattern.
fn specialise<'p>(rows: &[Row<'p>], head: &Head, arity: usize) -> Vec<Row<'p>> {
    let mut special = Vec::new();
    for row in rows {
        match row[0] {
            Pat::Wild => {
                let wilds = std::iter::repeat_n(WILD, arity);
                special.push(wilds.chain(row[1..].iter().copied()).collect());
            }
            Pat::Head(known, fields) if known == head => {
                special.push(fields.iter().chain(row[1..].iter().copied()).collect());
            }
            Pat::Head(..) => {}
        }
    }
    special
}
