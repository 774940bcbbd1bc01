//! Cost model of vectorisation: of the loops of a nest that may be laid across lanes, it chooses those that make the
//! nest cheapest.
//!
//! Input: the plan of a kernel, and what somebody has decided for some loops. Output: the indices of the loops to lay
//! across lanes, and the decisions that cannot be followed.
//!
//! For each loop the model compares its iterations one by one, with loops inside at their best, with its iterations
//! eight at a time. A block costs what its statements cost, and a loop its block as often as it runs; a count that is
//! not known is taken for 32. Memory that lies together costs little, scattered memory much:
//!
//! ```text
//! x.0[i.9, e.14] in lanes of e.14   1.5   one vector from places beside each other
//! x.0[i.9, e.14] in lanes of i.9    12    eight places, a row apart; 1 if `pack_rows` copies the row
//! ```
//!
//! Law: the choice changes how long a kernel takes. It also changes the order in which sums are added, which is why it
//! hangs on the program alone and never on a measurement.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use super::pack_rows::{self, row};
use super::plan::Plan;
use super::scheduling::Scheduling;
use super::tile_products::{may_tile, products};
use super::vectorise::{Kind, LANES, Layout, may_lie};
use crate::schedule::Way;
use crate::transformations::Which;
use pullback_analysis::cost::{Lanes, USUAL, accumulate, is_slow, iterations, load, work};

/// How much longer than usual the last of eight lanes goes on.
const LONGER: f64 = 2.0;

/// The loops to lay across lanes, but for what somebody has decided, and which of that cannot be.
pub(super) fn chosen(
    plan: &Plan<'_>,
    by: &Scheduling<'_>,
    refused: &mut Vec<String>,
) -> FxHashSet<VarId> {
    let mut lanes = FxHashSet::default();
    if plan.has(Which::Vectorise) {
        choose(plan, plan.looped, by, &mut lanes);
    }
    for (index, asked) in by.directives.iter().filter(|(index, _)| plan.loops.contains_key(*index))
    {
        let why = match asked.way {
            Way::Lanes if !lanes.contains(index) => "cannot go across lanes there",
            Way::Plain => "is in the kernel of another loop, which is not plain",
            Way::Lanes | Way::OneByOne => continue,
        };
        refused.push(format!("`{}` {why}", plan.program.print_var(*index)));
    }
    lanes
}

/// The loops to lay across lanes of a loop and those in it.
fn choose(plan: &Plan<'_>, looped: &Loop, by: &Scheduling<'_>, lanes: &mut FxHashSet<VarId>) {
    let Some(index) = looped.for_index() else { return };
    let is_decided =
        |looped: &Loop| looped.for_index().is_some_and(|index| by.directive(index).is_some());
    let mut has_decision = is_decided(looped);
    looped.body.visit(&mut |stmt| {
        has_decision |= matches!(&stmt.op, Op::Loop(inner) if is_decided(inner));
    });
    if !has_decision {
        cheapest(plan, looped, by, lanes);
        return;
    }
    if by.directive(index).is_some_and(|asked| asked.way == Way::Lanes) {
        let layout = pack_rows::layout(plan, [index].into_iter().collect(), by);
        if may_lie(plan, &layout, looped, by.is_strict) {
            lanes.insert(index);
        }
        return;
    }
    inner(&looped.body, &mut |looped| choose(plan, looped, by, lanes));
}

/// The outermost loops of a block.
fn inner(block: &Block, see: &mut dyn FnMut(&Loop)) {
    for stmt in &block.stmts {
        if let Op::Loop(looped) = &stmt.op {
            see(looped);
        } else {
            stmt.op.blocks().into_iter().for_each(|block| inner(block, see));
        }
    }
}

/// The cost of a loop, the indices of loops across lanes added.
fn cheapest(
    plan: &Plan<'_>,
    looped: &Loop,
    by: &Scheduling<'_>,
    lanes: &mut FxHashSet<VarId>,
) -> f64 {
    let LoopForm::For { index, .. } = looped.form else {
        let blocks = looped.blocks();
        return USUAL * blocks.map(|block| sequential(plan, block, by, lanes)).sum::<f64>();
    };
    let mut inner = FxHashSet::default();
    let count = iterations(looped, USUAL);
    let rows = repeated_rows(plan, looped);
    let row = |lanes| rows * USUAL * load(lanes);
    let one_by_one = count
        * (sequential(plan, &looped.body, by, &mut inner) + row(Lanes::Beside) / LANES as f64);
    let layout = pack_rows::layout(plan, [index].into_iter().collect(), by);
    if may_lie(plan, &layout, looped, by.is_strict) {
        let blocks = (count / LANES as f64).ceil();
        let across = blocks
            * (3.0
                + across(&In { plan, layout: &layout, by }, &looped.body)
                + row(Lanes::Scattered));
        if across <= one_by_one {
            lanes.insert(index);
            return across;
        }
    }
    lanes.extend(inner);
    one_by_one
}

/// How many rows from outside a loop collects in each iteration: one after the other they are copied, and eight at once
/// go to eight places.
fn repeated_rows(plan: &Plan<'_>, looped: &Loop) -> f64 {
    let collected = &looped.body.results[looped.states.len()..];
    let is_row = |atom: &&Atom| {
        plan.ty(**atom).is_array() && atom.var().is_some_and(|var| !plan.local.contains(&var))
    };
    collected.iter().filter(is_row).count() as f64
}

/// The cost of a block one iteration at a time, loops inside it at their cheapest.
fn sequential(
    plan: &Plan<'_>,
    block: &Block,
    by: &Scheduling<'_>,
    lanes: &mut FxHashSet<VarId>,
) -> f64 {
    let of_stmt = |stmt: &Stmt, lanes: &mut FxHashSet<VarId>| {
        if let Op::Loop(looped) = &stmt.op {
            return cheapest(plan, looped, by, lanes);
        }
        let inside: f64 =
            stmt.op.blocks().into_iter().map(|block| sequential(plan, block, by, lanes)).sum();
        inside + work(&stmt.op) as f64
    };
    1.0 + block.stmts.iter().map(|stmt| of_stmt(stmt, lanes)).sum::<f64>()
}

/// The kernel that a block is of, and a layout of it.
struct In<'a> {
    plan: &'a Plan<'a>,
    layout: &'a Layout,
    by: &'a Scheduling<'a>,
}

/// The cost of a block for all lanes at once.
fn across(of: &In<'_>, block: &Block) -> f64 {
    block.stmts.iter().map(|stmt| across_stmt(of, stmt)).sum()
}

fn across_stmt(of: &In<'_>, stmt: &Stmt) -> f64 {
    let In { plan, layout, .. } = *of;
    let place = |array: Atom, at: &[Atom]| {
        let view = array.var().map(|array| layout.view(array));
        let prefix = view.map(|view| view.prefix).unwrap_or_default();
        let all: Vec<Kind> = prefix.iter().chain(at).map(|atom| layout.kind(*atom)).collect();
        let Some((last, others)) = all.split_last() else { return Kind::Uniform };
        if others.iter().any(|kind| *kind != Kind::Uniform) { Kind::Varying } else { *last }
    };
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "others cost as much for all lanes as for one"
    )]
    match &stmt.op {
        Op::Loop(looped) => across_loop(of, looped),
        Op::If(_, then, other) => 2.0 + across(of, then) + across(of, other),
        Op::Prim(prim, args) => {
            let is_varying = args.iter().any(|arg| layout.kind(*arg) != Kind::Uniform);
            let times = if is_varying && is_lane_by_lane(*prim) { LANES as f64 } else { 1.0 };
            times * work(&stmt.op) as f64
        }
        Op::Index(array, at) if is_packed(plan, layout, *array, at) => load(Lanes::Together),
        Op::Index(array, at)
            if stmt.vars.iter().any(|var| !plan.ty(Atom::Var(*var)).is_array()) =>
        {
            load(match (layout.kind(*array), place(*array, at)) {
                (_, Kind::Uniform) => Lanes::Together,
                (Kind::Uniform, Kind::Linear(1)) => Lanes::Beside,
                (_, Kind::Linear(_) | Kind::Varying) => Lanes::Scattered,
            })
        }
        Op::AddAcc(acc, at, _) => accumulate(match (layout.kind(*acc), place(*acc, at)) {
            (Kind::Uniform, Kind::Uniform) => Lanes::Together,
            (Kind::Uniform, Kind::Linear(1)) | (_, Kind::Uniform) => Lanes::Beside,
            (_, Kind::Linear(_) | Kind::Varying) => Lanes::Scattered,
        }),
        op => work(op) as f64,
    }
}

/// The cost of a loop inside one across lanes. Sums of products that go in registers take a step each.
fn across_loop(of: &In<'_>, looped: &Loop) -> f64 {
    let LoopForm::For { .. } = looped.form else {
        let once = looped.blocks().map(|block| across(of, block)).sum::<f64>();
        return LONGER * USUAL * (3.0 + once);
    };
    let tiles = may_tile(of.plan, looped, of.by).then(|| products(of.plan, of.layout, looped));
    let tiles = tiles.flatten();
    let in_registers = |stmt: &Stmt| {
        let Op::Loop(inner) = &stmt.op else { return None };
        let sums = tiles.iter().flatten().find(|sums| inner.for_index() == Some(sums.index))?;
        Some(iterations(inner, USUAL) * sums.products.len() as f64)
    };
    let once = |stmt| in_registers(stmt).unwrap_or_else(|| across_stmt(of, stmt));
    iterations(looped, USUAL) * (1.0 + looped.body.stmts.iter().map(once).sum::<f64>())
}

/// Whether an element is of a row that has been copied.
fn is_packed(plan: &Plan<'_>, layout: &Layout, array: Atom, at: &[Atom]) -> bool {
    let row = array.var().and_then(|array| row(plan, layout, array, at));
    row.is_some_and(|row| row.is_copied(layout))
}

/// Whether a primitive takes as long in eight lanes as eight times in one.
fn is_lane_by_lane(prim: Prim) -> bool {
    is_slow(prim) && !has_vector_form(prim) && !matches!(prim, Prim::Div | Prim::Rem | Prim::Sqrt)
}

/// Whether the runtime has a primitive that takes long for all lanes at once.
#[rustfmt::skip]
pub(super) fn has_vector_form(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Exp | Prim::Expm1 | Prim::Log | Prim::Log1p | Prim::Xlogy | Prim::Pow
            | Prim::Sin | Prim::Cos | Prim::Tan | Prim::Asin | Prim::Acos | Prim::Atan
            | Prim::Sinh | Prim::Cosh | Prim::Tanh | Prim::Sech2 | Prim::Sigmoid | Prim::Softplus | Prim::Erf
            | Prim::Erfc
    )
}
