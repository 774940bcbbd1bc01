//! The text of unroll-and-jam inside a loop across lanes: what [`super::jam_inner`] decides and describes, with the
//! example and the law.
//!
//! Input: while a loop is written, the [`Columns`] of the iterations that go at once. Output: each statement once for
//! every iteration in which it differs, else once. A variable `k17` that differs is `k17c0`, `k17c1`, … in the
//! iterations.
//!
//! Four addends for four places beside each other are reduced across lanes together, by one call of the runtime:
//!
//! ```text
//! IR  acc.7[j.11] += t.13        iterations j.11, j.11 + 1, j.11 + 2, j.11 + 3
//! C   pb_add_across(a7 + k11, k13c0, k13c1, k13c2, k13c3);
//! ```
//!
//! Where each lane has four such places, one call turns lanes into rows and adds these:
//!
//! ```text
//! IR  acc.7[i.9, j.11] += t.13   the same iterations, for lanes i.9, i.9 + 1, …
//! C   pb_add_rows(a7 + (k9 * v7.d[1] + k11), v7.d[1], k13c0, k13c1, k13c2, k13c3);
//! ```

use pullback_analysis::loop_shape::Fold;
use pullback_base::bug;
use pullback_ir::{Atom, Loop, LoopForm, VarId};

use super::horizontal_reduce::together;
use super::jam_inner::{Columns, ROW};
use super::places::Offset;
use super::plan::local_name;
use super::text::Text;
use super::types::sum_of;
use super::vectorise::{Kind, View};

impl<'k> Text<'_, 'k> {
    /// The name of a variable in the iteration that is being written.
    pub fn name_in_column(&self, var: VarId) -> String {
        self.columns.as_ref().map_or_else(|| local_name(var), |columns| columns.name(var))
    }

    /// Writes something for each iteration that goes at once.
    pub fn each_column(&mut self, write: &mut dyn FnMut(&mut Self)) {
        let Some((count, false)) =
            self.columns.as_ref().map(|columns| (columns.count, columns.is_alone))
        else {
            return write(self);
        };
        for at in 0..count {
            self.put_column(at, true);
            write(self);
        }
        self.put_column(0, false);
    }

    fn put_column(&mut self, at: usize, is_alone: bool) {
        if let Some(columns) = &mut self.columns {
            (columns.at, columns.is_alone) = (at, is_alone);
        }
    }

    /// Whether a variable differs between the iterations that go at once.
    pub fn differs_by_column(&self, var: VarId) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.own.contains(&var))
    }

    /// Adds to an accumulator in all iterations.
    pub fn add_columns(&mut self, acc: Atom, at: &[Atom], value: Atom) {
        let Some(columns) = &self.columns else { return self.add_parts(acc, at, value) };
        let prefix = acc.var().map(|acc| self.layout.view(acc).prefix).unwrap_or_default();
        let is_shared = prefix.iter().chain(at).all(|atom| !columns.differs(*atom));
        if is_shared && columns.differs(value) {
            return self.add_parts(acc, at, value);
        }
        if !self.add_row(acc, at, value) && !self.add_rows(acc, at, value) {
            self.each_column(&mut |text| text.add_parts(acc, at, value));
        }
    }

    /// The accumulator from outside to which four iterations add, where their places follow each other.
    fn beside(&self, acc: Atom, at: &[Atom], value: Atom) -> Option<VarId> {
        let columns = self.columns.as_ref()?;
        let View { root, prefix } = self.layout.view(acc.var()?);
        let indices: Vec<Atom> = prefix.iter().chain(at).copied().collect();
        let (last, others) = indices.split_last()?;
        let goes_up = columns.follows(*last) && !others.iter().any(|atom| columns.differs(*atom));
        let is_outside =
            self.kind(Atom::Var(root)) == Kind::Uniform && !self.layout.is_inside(root);
        let is_whole = columns.count == ROW && !columns.is_alone && self.mask.is_none();
        (goes_up && is_outside && is_whole && self.kind(value) == Kind::Varying).then_some(root)
    }

    /// Adds what four iterations bring in each lane to four places of its own that follow each other, if they do.
    fn add_rows(&mut self, acc: Atom, at: &[Atom], value: Atom) -> bool {
        let (Some(root), Some(acc)) = (self.beside(acc, at, value), acc.var()) else {
            return false;
        };
        let goes_apart = matches!(self.offset(acc, at), Offset::Linear(_, stride) if stride != "1");
        if !goes_apart || self.active().is_some() || !self.neighbours.is_empty() {
            return false;
        }
        let base = self.base(root);
        self.each_part(&mut |text| {
            let Offset::Linear(place, stride) = text.offset(acc, at) else {
                bug("codegen", "places at even distances")
            };
            let mut values = vec![];
            text.each_column(&mut |text| values.push(text.vector(value)));
            let values = values.join(", ");
            text.line(format_args!("pb_add_rows({base} + {place}, {stride}, {values});"));
        });
        true
    }

    /// Adds what four iterations bring in all lanes to four places that follow each other, if they do.
    fn add_row(&mut self, acc: Atom, at: &[Atom], value: Atom) -> bool {
        let (Some(root), Some(acc)) = (self.beside(acc, at, value), acc.var()) else {
            return false;
        };
        let Offset::Uniform(offset) = self.offset(acc, at) else { return false };
        let mut totals = vec![];
        self.each_column(&mut |text| {
            let mut values = vec![];
            text.each_part(&mut |text| values.push(text.vector(value)));
            let total = together(&values, Fold::Add);
            totals.push(match text.active() {
                Some(active) => format!("pb_where({active}, {total}, pb_all(0.0))"),
                None => total,
            });
        });
        let base = self.base(root);
        self.line(format_args!("pb_add_across({base} + {offset}, {});", totals.join(", ")));
        true
    }

    /// The sum of what all iterations add, as a vector or as a number that all lanes share.
    pub fn addend(&mut self, value: Atom, is_vector: bool) -> String {
        let text = |text: &Self| if is_vector { text.vector(value) } else { text.scalar(value) };
        let mut addends = vec![];
        if value.var().is_some_and(|var| self.differs_by_column(var)) {
            self.each_column(&mut |each| addends.push(text(each)));
        }
        match addends.len() {
            0 | 1 => text(self),
            _ => {
                let ty = if is_vector { "pb_v" } else { "double" };
                let first = addends.remove(0);
                addends.iter().fold(first, |sum, more| sum_of(ty, &sum, more))
            }
        }
    }

    /// The next value of a state. A state of the jammed loop has its value after the last of the iterations.
    pub fn next(&mut self, state: VarId, value: Atom) -> String {
        let last = self.columns.as_ref().filter(|columns| columns.next.contains_key(&state));
        let Some(count) = last.map(|columns| columns.count) else { return self.like(state, value) };
        self.put_column(count - 1, false);
        let next = self.like(state, value);
        self.put_column(0, false);
        next
    }

    /// Whether several iterations of a loop go at once here.
    pub fn goes_at_once(&self, index: VarId) -> bool {
        let is_here = match self.across {
            Some(true) => !self.is_rest && self.mask.is_none(),
            Some(false) => true,
            None => false,
        };
        is_here && self.columns.is_none() && self.layout.columns.contains_key(&index)
    }

    /// Several iterations at once of a loop of which several go, and whether these are all. If not, it is as long as there
    /// are so many, and the others are left.
    pub fn columns(
        &mut self,
        looped: &'k Loop,
        vars: &[VarId],
        (index, count): (VarId, &str),
    ) -> bool {
        let Some(times) = self.layout.columns.get(&index).copied() else { return false };
        let (i, columns) = (local_name(index), Columns::of(looped, index, times));
        let are_all = columns.repeats_last;
        if are_all {
            self.open(format_args!("for (; {i} < {count}; {i} += {times}) {{"));
            for at in 1..times {
                let name = columns.name_of_index(at);
                self.line(format_args!(
                    "const int64_t {name} = {i} + {at} < {count} ? {i} + {at} : {count} - 1;"
                ));
            }
        } else {
            self.open(format_args!("for (; {count} - {i} >= {times}; {i} += {times}) {{"));
        }
        self.columns = Some(columns);
        self.iteration(looped, vars, index);
        self.columns = None;
        self.close();
        are_all
    }

    /// The iterations that a loop inside has more in the later ones of those that go at once, if they differ.
    pub fn longer_columns(&mut self, looped: &'k Loop, vars: &[VarId], index: VarId, first: &str) {
        let Some((LoopForm::For { count, .. }, columns)) =
            self.columns.as_ref().map(|columns| (&looped.form, columns))
        else {
            return;
        };
        let (count, times) = (*count, columns.count);
        if columns.is_alone || !columns.differs(count) {
            return;
        }
        let i = local_name(index);
        for at in 1..times {
            self.put_column(at, true);
            let end = self.scalar(count);
            self.open(format_args!("for (int64_t {i} = {first}; {i} < {end}; {i}++) {{"));
            self.iteration(looped, vars, index);
            self.close();
        }
        self.put_column(0, false);
    }
}
