//! Scheduling of a kernel: the transformations that decide how its loops go, in their order, and the report that
//! `--dump loops` prints.
//!
//! Input: the plan of a kernel, and what somebody has decided. Output: its [`Layout`], which is all that the text follows,
//! and entries of the [`Schedule`]. Each transformation follows a directive where that is legal; else it decides by its
//! own costs. What was asked for and did not come about is refused at the end, in one place.
//!
//! ```text
//! for i.9: lanes, 32 at once, copies rows of x.0  # n.3 times
//!   for j.11: one by one, 4 at once  # k.1 times
//! ```

use pullback_analysis::loop_shape::Fold;
use pullback_ir::{Loop, Op, Program, Stmt, VarId};

use super::in_lanes::InLanes;
use super::plan::Plan;
use super::scheduling::Scheduling;
use super::vectorise::{LANES, Layout};
use super::{cost, jam_inner, pack_columns, pack_rows, tile_products, unroll_and_jam};
use crate::schedule::{Copied, Decision, Schedule, Way};
use crate::transformations::Which;

/// The layout of a kernel with all decisions. `is_worth_code`: whether its loops are worth being written several times.
pub(super) fn scheduled(
    plan: &Plan<'_>,
    by: &Scheduling<'_>,
    is_worth_code: bool,
    refused: &mut Vec<String>,
) -> Layout {
    let lanes = cost::chosen(plan, by, refused);
    let mut layout = pack_rows::layout(plan, lanes, by);
    if !is_worth_code {
        return layout;
    }
    if plan.has(Which::TileProducts) {
        layout.tiled = tile_products::tiled(plan, &layout, by);
    }
    if plan.has(Which::UnrollAndJam) {
        layout.jams = unroll_and_jam::jams(plan, &layout, by);
    }
    if plan.has(Which::JamInner) {
        layout.columns = jam_inner::columns(plan, &layout, by);
    }
    if plan.has(Which::PackColumns) {
        layout.read_down = pack_columns::columns(plan, &layout, by);
    }
    layout
}

/// Notes how the loops of a kernel go.
pub(super) fn decide(
    schedule: &mut Schedule,
    plan: &Plan<'_>,
    layout: &Layout,
    (by, has_guard): (&Scheduling<'_>, bool),
) {
    let mut note = |looped: &Loop| {
        let Some(index) = looped.for_index() else { return };
        let is_across = layout.lanes.contains(&index);
        let is_outermost = plan.looped.for_index() == Some(index);
        let mut notes = if is_across { added_up(plan, looped) } else { vec![] };
        if has_guard && is_outermost {
            notes.push("asked beforehand what may fail".to_owned());
        }
        let way = if is_across { Way::Lanes } else { Way::OneByOne };
        let jams = layout.jams.get(&index).map(|times| LANES * *times as i64);
        let columns = layout.columns.get(&index).map(|times| *times as i64);
        let decision = Decision {
            way,
            at_once: jams.or(columns),
            tiles: layout.tiled.contains(&index),
            copies: copies(layout, index, is_outermost),
            notes,
        };
        schedule.decide(plan.program, (index, decision), by.directives);
    };
    note(plan.looped);
    plan.looped.body.visit(&mut |stmt| {
        if let Op::Loop(looped) = &stmt.op {
            note(looped);
        }
    });
}

/// What is copied before a loop.
fn copies(layout: &Layout, index: VarId, is_outermost: bool) -> Vec<Copied> {
    let rows = layout.packs.keys().filter(|(_, of)| *of == index).map(|pack| Copied::Rows(pack.0));
    let beside = layout.read_down.beside.iter().filter(|(_, of)| *of == index);
    let turned = if is_outermost { layout.read_down.turned.as_slice() } else { &[] };
    let mut copies: Vec<Copied> = rows
        .chain(beside.map(|pack| Copied::Columns(pack.0)))
        .chain(turned.iter().copied().map(Copied::Turned))
        .collect();
    copies.sort();
    copies
}

/// What a loop across lanes adds up.
fn added_up(plan: &Plan<'_>, looped: &Loop) -> Vec<String> {
    let mut notes = vec![];
    for (at, state) in looped.states.iter().enumerate() {
        let word = match InLanes::of(looped, at).map(InLanes::fold) {
            Some(Fold::Add | Fold::IntAdd) => "adds up",
            Some(Fold::Sub) => "subtracts from",
            Some(Fold::Max) => "greatest",
            Some(Fold::Min) => "least",
            None => pullback_base::bug("codegen", "a reduction"),
        };
        notes.push(format!("{word} {}", plan.program.print_var(*state)));
    }
    notes
}

/// The reason why a loop is no kernel, in words.
pub(super) fn lack(program: &Program, stmt: Option<&Stmt>) -> String {
    match stmt {
        Some(stmt) => format!("no kernel has `{}`", program.print_stmt_head(stmt).trim()),
        None => "its states are not numbers, or its rows differ in size".to_owned(),
    }
}
