//! Packing (Goto & van de Geijn 2008) of what products read down the columns of a matrix, where its rows lie far apart.
//!
//! ```text
//! IR  for i.6 < n.2 { for j.8 < m.3 { for l.10 < k.4 { x = a.0[l.10, i.6]; y = b.1[l.10, j.8]; … } } }
//! C   const int64_t w1 = pb_copied_rows(c, (double)n, v1.d[0], v1.d[1], 524288);     before the kernel: all rows, or none
//! C   const pb_matrix g1 = pb_turned(a1, v1.d[0], v1.d[1], w1, u1);                  b.1 turned, or as it stands
//! C   const pb_matrix g0_6 = pb_take_columns(u0_6, 4, a0 + k6, v0.d[1], w0_6);       before loop j: 32 columns of a.0
//! C   … pb_load(g0_6.p + (k10) * g0_6.row) …  g1.p[(k10) * g1.row + (k8) * g1.column] …
//! ```
//!
//! Each step down a column is in another line of the cache, and rows that lie a power of two apart have few places there.
//! Turned, a column of b.1 lies in one piece, as rows do where a product has the transpose. Of a.0 the lanes read some
//! neighbouring columns, which are copied together.
//!
//! Input: the plan of a kernel, and its layout with the loops of which several iterations go at once. Output: the matrices
//! that are read so inside such a loop. The run decides by their sizes whether a copy is made: the text is one.
//!
//! Law: what is read has the same bits. The copies lie in scratch memory, of which they take a quarter of what is left at most.

use pullback_analysis::sizes::Size;
use pullback_base::{Id, bug};
use pullback_ir::{Atom, Block, Elem, Loop, Op, VarId};

use super::pack_rows::each_stmt;
use super::places::Offset;
use super::plan::Plan;
use super::scheduling::Scheduling;
use super::text::Text;
use super::vectorise::{Kind, LANES, Layout, Pack, ReadDown};
use crate::schedule::Copied;

/// How many bytes a matrix has at least of which a copy is turned, and how many such columns have that lanes read.
const MATRIX: usize = 512 << 10;
const COLUMNS: usize = 16 << 10;

/// The matrices that are read so by loops inside one of which several iterations go at once.
pub(super) fn columns(plan: &Plan<'_>, layout: &Layout, by: &Scheduling<'_>) -> ReadDown {
    let mut columns = ReadDown::default();
    each_stmt(&plan.looped.body, &mut vec![], &mut |stmt, around| {
        if let Op::Index(Atom::Var(array), at) = &stmt.op
            && let Some((root, [Atom::Var(row), Atom::Var(column)])) =
                place(plan, layout, *array, at)
            && around.last() == Some(&row)
            && layout.kind(Atom::Var(row)) == Kind::Uniform
            && let Some(jammed) = around.iter().find(|index| layout.is_jammed(**index))
        {
            if column == *jammed {
                columns.turned.push(root);
            } else if layout.lanes.contains(&column) && layout.jams.contains_key(&column) {
                columns.beside.push((root, column));
            }
        }
    });
    // The outermost loop turns.
    if let Some(index) = plan.looped.for_index() {
        columns.turned.retain(|root| by.copies(index, Copied::Turned(*root)).unwrap_or(true));
    }
    columns
        .beside
        .retain(|(root, index)| by.copies(*index, Copied::Columns(*root)).unwrap_or(true));
    columns.turned.sort();
    columns.turned.dedup();
    columns.beside.sort();
    columns.beside.dedup();
    columns
}

/// The row and the column of an element of a matrix of Reals that comes from outside and is only read.
fn place(
    plan: &Plan<'_>,
    layout: &Layout,
    array: VarId,
    at: &[Atom],
) -> Option<(VarId, [Atom; 2])> {
    let view = layout.view(array);
    let ty = plan.ty(Atom::Var(view.root));
    let indices: Vec<Atom> = view.prefix.iter().chain(at).copied().collect();
    let [row, column] = *indices.as_slice() else { return None };
    let is_matrix = ty.rank == 2 && ty.elem == Elem::Real && !ty.is_acc;
    let is_outside = !plan.local.contains(&view.root) && !plan.vars.contains(&view.root);
    (is_matrix && is_outside).then_some((view.root, [row, column]))
}

/// Room for a copy: its name and its sizes, as C, with the line that says how many rows of it are worth one.
pub(super) struct Room {
    pub line: String,
    pub name: String,
    pub sizes: [String; 2],
}

/// The rooms for matrices to be turned.
pub(super) fn turned_rooms(plan: &Plan<'_>, layout: &Layout, is_shared: bool) -> Vec<Room> {
    let again = times(plan, layout, is_shared);
    let room = |root: &VarId| {
        let (name, rows) = (format!("u{}", root.index()), copied(root.index()));
        let columns = format!("v{}.d[1]", root.index());
        let line = copied_line(&rows, &again, *root, &columns, MATRIX);
        Room { line, name, sizes: [rows, columns] }
    };
    layout.read_down.turned.iter().map(room).collect()
}

/// The rooms for columns beside each other, of which vectors have so many.
pub(super) fn beside_rooms(plan: &Plan<'_>, layout: &Layout) -> Vec<Room> {
    let room = |pack: &Pack| {
        let (root, index) = *pack;
        let parts = layout.jams.get(&index).copied().unwrap_or(1) as i64;
        let name = name(*pack);
        let rows = format!("{}_{}", copied(root.index()), index.index());
        let columns = (LANES * parts).to_string();
        // As often as the loop inside runs of which several iterations go at once.
        let mut again = vec![];
        plan.looped.body.visit(&mut |stmt| {
            if let Op::Loop(looped) = &stmt.op
                && looped.for_index().is_some_and(|index| layout.is_jammed(index))
            {
                again.extend(looped.for_count().and_then(|count| outside(plan, count)));
            }
        });
        let again = again.pop().unwrap_or_else(|| "0".to_owned());
        let line = copied_line(&rows, &again, root, &columns, COLUMNS);
        Room { line, name, sizes: [rows, columns] }
    };
    layout.read_down.beside.iter().map(room).collect()
}

/// The C name of the room for columns beside each other.
fn name((root, index): Pack) -> String {
    format!("u{}_{}", root.index(), index.index())
}

/// The C name of the number of rows that are copied.
fn copied(root: usize) -> String {
    format!("w{root}")
}

fn copied_line(name: &str, again: &str, root: VarId, columns: &str, least: usize) -> String {
    let rows = format!("v{}.d[0]", root.index());
    format!("const int64_t {name} = pb_copied_rows(c, {again}, {rows}, {columns}, {least});")
}

/// How often a kernel runs for its lanes, as C: by the counts that are known before it.
fn times(plan: &Plan<'_>, layout: &Layout, is_shared: bool) -> String {
    let mut counts = vec![];
    let first = if is_shared {
        Some("(to - from)".to_owned())
    } else {
        plan.looped.for_count().and_then(|count| outside(plan, count))
    };
    counts.extend(first);
    path(&plan.looped.body, layout, &mut |looped| {
        counts.extend(looped.for_count().and_then(|count| outside(plan, count)));
    });
    counts.iter().map(|count| format!("(double){count}")).collect::<Vec<_>>().join(" * ")
}

/// The loops inside one down to that across lanes.
fn path(block: &Block, layout: &Layout, see: &mut dyn FnMut(&Loop)) {
    for stmt in &block.stmts {
        if let Op::Loop(looped) = &stmt.op
            && has_lanes(looped, layout)
        {
            see(looped);
            return path(&looped.body, layout, see);
        }
    }
}

/// Whether a loop is one across lanes, or has one inside.
fn has_lanes(looped: &Loop, layout: &Layout) -> bool {
    let is_lanes =
        |looped: &Loop| looped.for_index().is_some_and(|index| layout.lanes.contains(&index));
    let mut found = is_lanes(looped);
    looped.body.visit(&mut |stmt| {
        found |= matches!(&stmt.op, Op::Loop(inner) if is_lanes(inner));
    });
    found
}

/// A count that comes from outside, as C.
fn outside(plan: &Plan<'_>, count: Atom) -> Option<String> {
    match count {
        Atom::Int(count) => Some(count.to_string()),
        Atom::Var(var) if !plan.local.contains(&var) => Some(format!("v{}", var.index())),
        Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => None,
    }
}

impl Text<'_, '_> {
    /// Turns the matrices that are worth it.
    pub fn turn(&mut self) {
        for root in &self.layout.read_down.turned {
            let (base, n) = (self.base(*root), root.index());
            let rows = copied(n);
            self.lines.line(format_args!(
                "const pb_matrix g{n} = pb_turned({base}, v{n}.d[0], v{n}.d[1], {rows}, u{n});"
            ));
        }
    }

    /// Copies the columns that the lanes of a loop read, where these are as many as vectors have.
    pub fn take_columns(&mut self, index: VarId) {
        if self.across != Some(false) {
            return;
        }
        for pack in self.layout.read_down.beside.iter().filter(|pack| pack.1 == index) {
            let (name, n, parts) = (name(*pack), pack.0.index(), self.parts);
            let Offset::Linear(at, _) = self.offset(pack.0, &[Atom::Int(0), Atom::Var(index)])
            else {
                bug("codegen", "columns beside each other")
            };
            let (base, stride) = (self.base(pack.0), self.size(Size::Of(pack.0, 1)));
            let rows = format!("{}_{}", copied(n), index.index());
            self.lines.line(format_args!(
                "const pb_matrix g{n}_{} = pb_take_columns({name}, {parts}, {base} + {at}, {stride}, {rows});",
                index.index()
            ));
        }
    }

    /// An element of a matrix that is read down its columns, if it is one.
    pub fn read_down(&self, array: VarId, at: &[Atom], is_varying: bool) -> Option<String> {
        let (_, [row, _]) = place(self.plan, self.layout, array, at)?;
        if let Some((g, [row, column])) = self.turned(array, at) {
            let (row, column) = (self.scalar(row), self.scalar(column));
            let text = format!("{g}.p[({row}) * {g}.row + ({column}) * {g}.column]");
            return Some(if is_varying { format!("pb_all({text})") } else { text });
        }
        let (g, row) = (self.taken_columns(array, at)?, self.scalar(row));
        let part = match LANES * self.part as i64 {
            0 => String::new(),
            lane => format!(" + {lane}"),
        };
        Some(format!("pb_load({g}.p + (({row}) * {g}.row{part}))"))
    }

    /// The matrix as which an element is read that all lanes share, if its columns are, and its place there.
    pub fn turned(&self, array: VarId, at: &[Atom]) -> Option<(String, [Atom; 2])> {
        let (root, place) = place(self.plan, self.layout, array, at)?;
        let is_shared = place.map(|atom| self.kind(atom)) == [Kind::Uniform; 2];
        let is_turned = is_shared && self.layout.read_down.turned.contains(&root);
        is_turned.then(|| (format!("g{}", root.index()), place))
    }

    /// The matrix in which lanes read columns beside each other, if an element is in such a one.
    pub fn taken_columns(&self, array: VarId, at: &[Atom]) -> Option<String> {
        let (root, [row, column]) = place(self.plan, self.layout, array, at)?;
        let pack = (root, column.var()?);
        let is_whole = self.across == Some(false) && self.mask.is_none();
        let is_beside = is_whole
            && self.kind(row) == Kind::Uniform
            && self.layout.read_down.beside.contains(&pack);
        is_beside.then(|| format!("g{}_{}", root.index(), pack.1.index()))
    }
}
