//! Where a sweep makes its first NaN: the sweep is looked at node by node before it does its work,
//! with the same numbers. Only while a watch looks for NaN.

use pullback_base::bug;
use pullback_eval::watch::{NanCause, Watch};
use pullback_eval::{Ctx, Value, tangent_at};
use pullback_prim::Prim;

use super::record::Record;
use super::tape::{Aside, NONE, Recorder, View, node};
use crate::watch::{Note, Noting, Product, look_at_step, nan_watch, numbers};

impl Noting for Recorder {
    fn noted(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value], result: &Value) {
        if let (Some(watch), Some(tangent)) = (ctx.watch(), tangent_at(result, level)) {
            let value = result.as_real().unwrap_or_else(|| bug("trace", "a Real"));
            let (args, place) = (numbers(prim, args), watch.place());
            let note = Note { node: node(tangent), place, prim: Some(prim), args, value };
            self.notes.borrow_mut().push(note);
        }
    }

    fn noted_rule(&self, ctx: &mut Ctx) {
        if let Some(watch) = ctx.watch() {
            let (place, args) = (watch.place(), vec![]);
            let note = Note { node: self.next(), place, prim: None, args, value: 0.0 };
            self.notes.borrow_mut().push(note);
        }
    }
}

/// What ran at a node.
fn note_of(record: &Record, at: usize) -> Option<&Note> {
    record.notes.find_by_key(&(at as u32), |note| note.node)
}

/// A sweep begins.
pub(super) fn enter(ctx: &Ctx, record: &Record) {
    if let (Some(watch), false) = (nan_watch(ctx), record.notes.is_empty()) {
        watch.enter_sweep();
    }
}

/// A sweep ends.
pub(super) fn leave(ctx: &Ctx, record: &Record) {
    if let (Some(watch), false) = (nan_watch(ctx), record.notes.is_empty()) {
        watch.leave_sweep();
    }
}

/// The nodes and partial derivatives of a node; a structural zero is none.
fn edges(record: &Record, at: usize) -> Vec<(usize, u32, f64)> {
    let plain: Vec<(usize, u32, f64)> = match record.tape.view(at) {
        View::Leaf | View::Aside(Aside::Custom(_)) => vec![],
        View::Plain(node) => (0..2).map(|by| (by, node.parents[by], node.partials[by])).collect(),
        View::Aside(Aside::General { parents, partials }) => {
            (0..2).map(|by| (by, parents[by], number(&partials[by]))).collect()
        }
        View::Aside(Aside::Sum(parents)) => {
            parents.iter().enumerate().map(|(by, parent)| (by, *parent, 1.0)).collect()
        }
    };
    plain.into_iter().filter(|(_, parent, _)| *parent != NONE).collect()
}

fn number(value: &Value) -> f64 {
    value.as_real().unwrap_or_else(|| bug("trace", "a Real"))
}

/// Looks at the work that the sweep backwards is about to do at a node.
pub(super) fn look_backwards(ctx: &Ctx, record: &Record, bars: &[Value], at: usize) {
    look_at(ctx, record, at, |watch, note| {
        // Nothing has arrived at a node with a structural zero.
        if let Some(factor) = bars[at].as_real() {
            // Both arguments may be one node, which then has both products added.
            let mut before: Option<(u32, f64)> = None;
            for (by, parent, partial) in edges(record, at) {
                let known = before.filter(|(node, _)| *node == parent).map(|(_, total)| total);
                let total = known.or_else(|| bars[parent as usize].as_real());
                let step = Product { by, backwards: true, partial, factor, total };
                if look_at_step(watch, note, step) {
                    break;
                }
                before = Some((parent, total.unwrap_or(0.0) + partial * factor));
            }
        }
    });
}

/// Looks at the work that the sweep forwards is about to do at a node.
pub(super) fn look_forwards(ctx: &Ctx, record: &Record, dots: &[Value], at: usize) {
    look_at(ctx, record, at, |watch, note| {
        let mut total = None;
        for (by, parent, partial) in edges(record, at) {
            let Some(factor) = dots[parent as usize].as_real() else { continue };
            let step = Product { by, backwards: false, partial, factor, total };
            if look_at_step(watch, note, step) {
                break;
            }
            total = Some(total.unwrap_or(0.0) + partial * factor);
        }
    });
}

/// Looks at what a rule gave.
pub(super) fn look_at_rule(ctx: &Ctx, record: &Record, at: usize, leaves: &[Value]) {
    look_at(ctx, record, at, |watch, note| {
        if leaves.iter().any(|leaf| leaf.as_real().is_some_and(f64::is_nan)) {
            watch.note_nan(note.place, NanCause::Rule);
        }
    });
}

/// Looks at a node, if a watch looks for NaN and has noted what ran there.
fn look_at(ctx: &Ctx, record: &Record, at: usize, look: impl FnOnce(&Watch, &Note)) {
    if let (Some(watch), Some(note)) = (nan_watch(ctx), note_of(record, at)) {
        watch.set_place(note.place);
        look(&watch, note);
    }
}
