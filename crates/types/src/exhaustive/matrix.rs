//! Usefulness of patterns by matrix specialisation (Maranget, *Warnings for pattern matching*).
//!
//! Laws: `missing(rows)` is a value vector that no row matches, if there is one; `useful(rows)` says of
//! each row whether some value matches it and none above. The work of one [`Checker`] is bounded by
//! [`MAX_STEPS`]; beyond it the answers err towards accepting the program without a warning. A matrix
//! whose rows start with different heads takes time in proportion to its rows.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::pattern::{Head, Pat};
use super::witness::Case;
use crate::tir::Typed;

/// The most matrix rows that are looked at for one match, for each of its arms and altogether.
const MAX_STEPS: (usize, usize) = (100, 200_000);

/// A row of the matrix, by reference into the patterns.
pub type Row<'p> = Vec<&'p Pat>;

const WILD: &Pat = &Pat::Wild;

/// The rows of a matrix by the head of their first pattern.
struct Groups<'p> {
    /// Each head with the number of its fields and the rows that start with it, in order.
    heads: IndexMap<&'p Head, (usize, Vec<usize>), FxBuildHasher>,
    /// The rows that start with a wildcard.
    wild: Vec<usize>,
}

impl<'p> Groups<'p> {
    fn of(rows: &[Row<'p>]) -> Self {
        let mut groups = Self { heads: IndexMap::default(), wild: vec![] };
        for (index, row) in rows.iter().enumerate() {
            match row[0] {
                Pat::Wild => groups.wild.push(index),
                Pat::Head(head, fields) => {
                    let group = groups.heads.entry(head).or_insert_with(|| (fields.len(), vec![]));
                    group.1.push(index);
                }
            }
        }
        groups
    }

    /// The rows that can start with `head`, in order.
    fn starting_with(&self, head: &Head) -> Vec<usize> {
        let own = self.heads.get(head).map_or(&[][..], |(_, own)| own);
        let mut rows = [own, &self.wild].concat();
        rows.sort_unstable();
        rows
    }
}

/// A row without its first pattern, which is a wildcard or has `arity` fields: those come in its place.
fn specialised<'p>(row: &Row<'p>, arity: usize) -> Row<'p> {
    match row[0] {
        Pat::Wild => std::iter::repeat_n(WILD, arity).chain(row[1..].iter().copied()).collect(),
        Pat::Head(_, fields) => fields.iter().chain(row[1..].iter().copied()).collect(),
    }
}

/// Answers usefulness questions within a budget.
pub struct Checker<'t> {
    typed: &'t Typed,
    steps: usize,
    limit: usize,
}

impl<'t> Checker<'t> {
    /// A checker with a full budget for a match of so many arms.
    pub fn new(typed: &'t Typed, arms: usize) -> Self {
        let (each, altogether) = MAX_STEPS;
        Self { typed, steps: 0, limit: altogether + arms * each }
    }

    /// Whether there is budget to look at so many rows; uses it up.
    fn spend(&mut self, rows: usize) -> bool {
        self.steps += rows + 1;
        self.steps <= self.limit
    }

    /// A case that none of these rows of one pattern matches. There is none when the budget is used up.
    pub fn missing(&mut self, rows: &[Row<'_>]) -> Option<Case> {
        self.search(rows, &[WILD]).ok().flatten()?.pop()
    }

    /// Whether `above` matches all that `pattern` does; not when the budget is used up.
    pub fn covers(&mut self, above: &Pat, pattern: &Pat) -> bool {
        matches!(self.search(&[vec![above]], &[pattern]), Ok(None))
    }

    /// Which of the patterns some value gets to that matches none above; all when the budget is used up.
    pub fn useful(&mut self, patterns: &[Pat]) -> Vec<bool> {
        let mut useful = vec![false; patterns.len()];
        let rows = patterns.iter().map(|pattern| vec![pattern]).collect();
        let arms: Vec<usize> = (0..patterns.len()).collect();
        if self.mark_useful(rows, &arms, &mut useful).is_err() {
            useful.fill(true);
        }
        useful
    }

    /// Marks the arms, one for each row, that some value gets to.
    fn mark_useful(
        &mut self,
        rows: Vec<Row<'_>>,
        arms: &[usize],
        useful: &mut [bool],
    ) -> Result<(), OutOfBudget> {
        if !self.spend(rows.len()) {
            return Err(OutOfBudget);
        }
        let (Some(first), Some(arm)) = (rows.first(), arms.first()) else { return Ok(()) };
        if first.iter().all(|pattern| matches!(pattern, Pat::Wild)) {
            useful[*arm] = true;
            return Ok(());
        }
        let groups = Groups::of(&rows);
        let mut mark = |checker: &mut Self, indices: &[usize], arity: usize| {
            let rows = indices.iter().map(|&index| specialised(&rows[index], arity)).collect();
            let arms: Vec<usize> = indices.iter().map(|&index| arms[index]).collect();
            checker.mark_useful(rows, &arms, useful)
        };
        for (head, (arity, _)) in &groups.heads {
            mark(self, &groups.starting_with(head), *arity)?;
        }
        if self.complete(&groups) { Ok(()) } else { mark(self, &groups.wild, 0) }
    }

    /// A vector of cases that `row` matches and none of `rows` does.
    fn search(&mut self, rows: &[Row<'_>], row: &[&Pat]) -> Searched {
        if !self.spend(rows.len()) {
            return Err(OutOfBudget);
        }
        let Some((first, rest)) = row.split_first() else {
            return Ok(rows.is_empty().then(Vec::new));
        };
        let groups = Groups::of(rows);
        match first {
            Pat::Head(head, fields) => self.search_head(rows, &groups, head, fields, rest),
            Pat::Wild => self.search_wild(rows, &groups, rest),
        }
    }

    /// The row starts with `head`: only rows that can start so matter.
    fn search_head(
        &mut self,
        rows: &[Row<'_>],
        groups: &Groups<'_>,
        head: &Head,
        fields: &[Pat],
        rest: &[&Pat],
    ) -> Searched {
        let indices = groups.starting_with(head);
        let special: Vec<Row<'_>> =
            indices.iter().map(|&index| specialised(&rows[index], fields.len())).collect();
        let row: Row<'_> = fields.iter().chain(rest.iter().copied()).collect();
        let Some(mut cases) = self.search(&special, &row)? else { return Ok(None) };
        let tail = cases.split_off(fields.len());
        Ok(Some(std::iter::once(Case::Head(head.clone(), cases)).chain(tail).collect()))
    }

    /// The row starts with a wildcard: try every head if the rows name them all, else one they leave out.
    fn search_wild(&mut self, rows: &[Row<'_>], groups: &Groups<'_>, rest: &[&Pat]) -> Searched {
        if self.complete(groups) {
            for (head, (arity, _)) in &groups.heads {
                let wilds = vec![Pat::Wild; *arity];
                let cases = self.search_head(rows, groups, head, &wilds, rest)?;
                if cases.is_some() {
                    return Ok(cases);
                }
            }
            return Ok(None);
        }
        let defaults: Vec<Row<'_>> =
            groups.wild.iter().map(|&index| specialised(&rows[index], 0)).collect();
        let Some(cases) = self.search(&defaults, rest)? else { return Ok(None) };
        Ok(Some(std::iter::once(self.absent(groups)).chain(cases).collect()))
    }

    /// Whether these are all heads a value of their type can have.
    fn complete(&self, groups: &Groups<'_>) -> bool {
        match groups.heads.first().map(|(head, _)| *head) {
            None | Some(Head::Int(_) | Head::Real(_) | Head::Str(_)) => false,
            Some(Head::Tuple | Head::Record(_)) => true,
            Some(Head::Bool(_)) => groups.heads.len() == 2,
            Some(Head::Con(decl, _)) => {
                groups.heads.len() == self.typed.types[*decl].constructors.len()
            }
        }
    }

    /// A case with a head that is not among those of the rows. A value other than the literals of the
    /// arms is just any value.
    fn absent(&self, groups: &Groups<'_>) -> Case {
        let used = |head: Head| groups.heads.contains_key(&head);
        match groups.heads.first().map(|(head, _)| *head) {
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

/// The budget of a checker is used up.
struct OutOfBudget;

/// Cases that a search finds, one for each pattern of a row.
type Searched = Result<Option<Vec<Case>>, OutOfBudget>;
