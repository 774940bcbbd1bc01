//! Report of a kernel's schedule: how each of its loops goes, and why a loop is no kernel, in the words that `--dump
//! loops` prints.
//!
//! Input: the plan and the layout of a kernel, after all decisions. Output: entries of the [`Schedule`]. Nothing is
//! decided here.
//!
//! ```text
//! for i.9: lanes  # n.3 times; 32 at once; copies rows of x.0
//!   for j.11: one by one  # k.1 times; 4 at once
//! ```

use pullback_analysis::loop_shape::Fold;
use pullback_ir::{Loop, Op, Program, Stmt, VarId};

use super::in_lanes::InLanes;
use super::plan::Plan;
use super::tile_products;
use super::vectorise::{LANES, Layout};
use crate::schedule::{Schedule, Way};

/// Notes how the loops of a kernel go.
pub(super) fn decide(schedule: &mut Schedule, plan: &Plan<'_>, layout: &Layout, has_guard: bool) {
    let mut note = |looped: &Loop| {
        let Some(index) = looped.for_index() else { return };
        let is_across = layout.lanes.contains(&index);
        let mut notes = if is_across { across(plan, layout, looped, index) } else { vec![] };
        if let Some(times) = layout.columns.get(&index) {
            notes.push(format!("{times} at once"));
        }
        if layout.tiled.contains(&index) {
            notes.push(format!("{} at once, by sums in registers", tile_products::COLUMNS));
        }
        let is_jammed = layout.is_jammed(index);
        let turned = if is_jammed { layout.read_down.turned.as_slice() } else { &[] };
        notes.extend(turned.iter().map(|root| format!("turns {}", plan.program.print_var(*root))));
        if has_guard && plan.looped.for_index() == Some(index) {
            notes.push("asked beforehand what may fail".to_owned());
        }
        schedule.decide(index, if is_across { Way::Lanes } else { Way::OneByOne }, notes);
    };
    note(plan.looped);
    plan.looped.body.visit(&mut |stmt| {
        if let Op::Loop(looped) = &stmt.op {
            note(looped);
        }
    });
}

/// What a loop across lanes adds up and copies.
fn across(plan: &Plan<'_>, layout: &Layout, looped: &Loop, index: VarId) -> Vec<String> {
    let mut notes = vec![];
    if let Some(times) = layout.jams.get(&index) {
        notes.push(format!("{} at once", LANES * *times as i64));
    }
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
    let mut packs: Vec<VarId> =
        layout.packs.keys().filter(|(_, of)| *of == index).map(|(root, _)| *root).collect();
    packs.sort();
    notes.extend(
        packs.iter().map(|root| format!("copies rows of {}", plan.program.print_var(*root))),
    );
    let beside = layout.read_down.beside.iter().filter(|(_, of)| *of == index);
    notes.extend(
        beside.map(|(root, _)| format!("copies columns of {}", plan.program.print_var(*root))),
    );
    notes
}

/// The reason why a loop is no kernel, in words.
pub(super) fn lack(program: &Program, stmt: Option<&Stmt>) -> String {
    match stmt {
        Some(stmt) => format!("no kernel has `{}`", program.print_stmt_head(stmt).trim()),
        None => "its states are not numbers, or its rows differ in size".to_owned(),
    }
}
