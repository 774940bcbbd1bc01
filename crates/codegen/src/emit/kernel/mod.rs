//! Outer-loop vectorisation of loop nests (Nuzman & Zaks 2008): a nest of loops over numbers becomes a kernel, which is
//! C without checks in it.
//!
//! This file has the order of the work. `plan` asks whether a loop is a kernel. `loop_versioning` writes the guard that
//! stands before it. `cost` and `vectorise` choose the loops that go eight iterations at a time; `unroll_and_jam`,
//! `jam_inner`, `pack_rows` and `index_tables` choose what goes with that. `text` and the files around it write the
//! loops, and `threads` shares the outermost one out.
//!
//! Input: a loop of the IR, and which of its statements cannot fail. Output: C in the body of a function, and whether a
//! checked copy of the loop has to follow it. A loop that is no kernel goes to [`super::loops`], and the schedule notes
//! why.
//!
//! ```text
//! IR  total.2 = for i.3 < n.1 with s.4 = 0.0 { a.5 = x.0[i.3]; t.6 = exp(a.5); s.7 = add(s.4, t.6); yield s.7 }
//! C   for (; k3 <= end1 - 8; k3 += 8) { k5 = pb_load(a0 + k3); k6 = pb_v_Exp(k5); k4 = PB_OP(k4, +, k6); }
//! C   … the rest of fewer than eight …   k2 = 0.0 + pb_across(k4);
//! ```
//!
//! Law: the C gives the values that the loop gives, and the errors too, since a kernel runs only where nothing in it
//! can fail. All its memory is there before it runs, and it calls nothing that the program defines. With `Fp::Strict`
//! bits are the evaluator's. With `Fp::Fast` two things may differ: a loop across lanes adds up lane by lane, and the
//! lanes in one fixed order; and `exp` and the like are the runtime's own, within 2 units in the last place.

mod carried_stores;
mod carried_stores_text;
mod combined_functions;
mod combined_functions_text;
mod cost;
mod elide_masks;
mod fill;
mod horizontal_reduce;
mod in_lanes;
mod index_tables;
mod jam_inner;
mod jam_inner_text;
mod known_conditions;
mod loop_versioning;
mod masked_while;
mod pack_columns;
mod pack_rows;
mod piece_sums;
mod places;
mod plain_products;
mod plan;
mod schedule;
mod scheduling;
mod skip_zeros;
mod text;
mod threads;
mod tile_products;
mod tile_products_text;
mod types;
mod unroll_and_jam;
mod vectorise;

use pullback_base::Id;
use pullback_ir::{Atom, Elem, Loop, LoopForm, Program, Stmt, VarId};

use self::index_tables::Tables;
use self::piece_sums::Sums;
use self::plan::{Given, Plan, has_loops};
use self::scheduling::Scheduling;
use self::text::Text;
use self::types::c_type;
use self::vectorise::{Kind, LANES, Layout};
use crate::emit::body::Body;
use crate::emit::{Emit, Fp};
use crate::layout::elem_type;
use crate::schedule::{Decision, Directives, Way};
use crate::transformations::Which;
use pullback_analysis::cost::iterations_of_nest;
use pullback_analysis::facts::FuncFacts;
use pullback_analysis::sizes::Size;

/// A nest that is known to run no more often than this is no kernel.
const TINY: i64 = 16;
/// The largest array, in numbers, that lies in a kernel's own frame.
const IN_FRAME: i64 = 64;

impl Body<'_, '_> {
    /// The text of a loop as a kernel, if it is one, and whether it may go on at the label `slow_` of this number
    /// instead, where every step is checked.
    pub(in crate::emit) fn kernel(
        &mut self,
        looped: &Loop,
        vars: &[VarId],
        number: usize,
    ) -> Option<bool> {
        let LoopForm::For { index, count, down } = looped.form else { return None };
        let program = self.emit.program;
        let way = self.emit.directives.get(&index).map(|directive| directive.way);
        if way == Some(Way::Plain) || (way.is_none() && is_tiny(looped)) {
            return self.no_kernel(index, if way.is_some() { "as chosen" } else { "too short" });
        }
        if self.moved(looped).is_some() {
            return self.no_kernel(index, "only moves elements, at once");
        }
        let plan =
            match Plan::of(program, looped, vars, (self.is_proven, self.facts()), self.given()) {
                Ok(plan) => plan,
                Err(lack) => return self.no_kernel(index, &schedule::lack(program, lack)),
            };
        let label = format!("slow_{number}");
        let Some(guard) = loop_versioning::guard(&plan, &label, self.lines.depth + 1) else {
            return self.no_kernel(index, "what may fail in it cannot be asked before it");
        };
        if !guard.is_empty() && !plan.has(Which::LoopVersioning) {
            return self.no_kernel(index, "something in it may fail");
        }
        let is_strict = self.emit.fp == Fp::Strict;
        let is_worth_code = !self.is_text_of_routine();
        let schedule = &mut self.emit.schedule;
        let (registers, directives) = (self.emit.registers, self.emit.directives);
        let by = Scheduling { is_strict, registers, directives };
        let layout = schedule::scheduled(&plan, &by, is_worth_code, &mut schedule.refused);
        schedule::decide(schedule, &plan, &layout, (&by, !guard.is_empty()));
        let (states, collected) = vars.split_at(looped.states.len());
        for var in states {
            self.declare(*var);
            self.bind_owned(*var);
        }
        self.declare_collected(collected);
        self.open(format_args!("{{"));
        if let (false, true, Atom::Var(count)) =
            (guard.is_empty(), layout.lanes.contains(&index), count)
        {
            // Lanes that are empty cost as much as full ones.
            self.line(format_args!("if (v{} < {LANES}) goto slow_{number};", count.index()));
        }
        self.lines.text.push_str(&guard);
        let tables = Tables::of(&plan, &layout);
        let share = self.share(&plan);
        let mut rooms = vec![];
        if share.is_none() {
            self.inputs(&plan, None);
            rooms = self.buffers(&plan, &layout);
        }
        rooms.extend(self::tables(self, &plan, &tables));
        let block = self.scratch(&rooms);
        let count = self.atom(count);
        for var in collected {
            let mut sizes = plan.sizes.get(var).cloned().unwrap_or_default();
            sizes.remove(0);
            for (at, size) in sizes.iter().enumerate() {
                if let Size::Atom(Atom::Int(size)) = size {
                    self.know_size(*var, at + 1, *size);
                }
            }
            let sizes = self.row_sizes(*var, &count, &sizes);
            self.allocate(*var, &sizes);
            if !self.places.contains_key(var) {
                self.bind_collected(*var);
            }
        }
        let poll = self.poll_line();
        let mut text = Text::new(&plan, &layout, &tables, is_strict, poll, self.lines.depth);
        text.fill();
        // Lanes that have nothing but a few numbers to compute are done before anybody looks.
        let tells = share.is_none()
            && self.is_once()
            && (has_loops(looped) || !layout.lanes.contains(&index));
        text.tells = tells;
        if share.is_none() {
            text.turn();
            text.repeat(looped, vars);
        }
        let text = text.lines.text;
        if tells {
            self.tell_begin(&count, down);
        }
        self.lines.text.push_str(&text);
        if tells {
            self.tell_end();
        }
        if let Some(share) = share {
            self.shared(&plan, &layout, &tables, &share);
        } else {
            for var in states {
                let name = var.index();
                self.line(format_args!("v{name} = k{name};"));
            }
        }
        if let Some(block) = block {
            self.line(format_args!("pb_free_plain(c, {block});"));
        }
        self.close();
        Some(!guard.is_empty())
    }

    /// What is known where the next line stands.
    fn given(&self) -> Given {
        let (rounded, known) = (self.emit.rounded.clone(), self.emit.known.clone());
        Given { rounded, known, without: self.emit.without }
    }

    /// Notes why a loop is no kernel.
    fn no_kernel(&mut self, index: VarId, why: &str) -> Option<bool> {
        let Emit { program, directives, schedule, .. } = &mut *self.emit;
        let asked = directives.get(&index);
        let decision = Decision::new(Way::Plain, vec![why.to_owned()]);
        if asked.is_some_and(|asked| asked.way != Way::Plain) {
            let index = program.print_var(index);
            schedule.refused.push(format!("`{index}` is in no kernel: {why}"));
        }
        schedule.decide(program, (index, decision), &Directives::default());
        None
    }

    /// The sizes of what a kernel collects, 0 for those of absent rows.
    fn row_sizes(&mut self, var: VarId, count: &str, rows: &[Size]) -> Vec<String> {
        let mut texts = vec![count.to_owned()];
        for (at, size) in rows.iter().enumerate() {
            let (name, size) = (var.index(), self.size_text(*size));
            self.line(format_args!(
                "const int64_t z{name}_{at} = {count} > 0 && {size} > 0 ? {size} : 0;"
            ));
            texts.push(format!("z{name}_{at}"));
        }
        texts
    }

    fn size_text(&self, size: Size) -> String {
        match size {
            Size::Atom(atom) => self.atom(atom),
            Size::Of(var, at) => format!("v{}.d[{at}]", var.index()),
        }
    }

    /// Whether no two accumulators from outside are parts of one: there is one only, or all were made here.
    fn are_apart(&self, plan: &Plan<'_>) -> bool {
        let mut accs = plan.inputs.iter().filter(|var| self.ty(**var).is_acc);
        accs.clone().count() < 2 || accs.all(|acc| self.emit.whole_accs.contains(acc))
    }

    /// Names for the elements of arrays from outside, but for what a piece has places for of its own.
    fn inputs(&mut self, plan: &Plan<'_>, own: Option<&Sums>) {
        let are_apart = self.are_apart(plan);
        for var in plan.inputs.iter().filter(|var| !own.is_some_and(|own| own.has(**var))) {
            let (ty, name) = (self.ty(*var), var.index());
            let elem = elem_type(ty.elem);
            let place = if ty.is_array() { format!("v{name}.p") } else { format!("v{name}") };
            if !ty.is_acc {
                self.line(format_args!("const {elem} *const restrict a{name} = {place};"));
            } else if are_apart {
                self.line(format_args!("{elem} *const restrict a{name} = {place};"));
            } else {
                self.line(format_args!("{elem} *const a{name} = {place};"));
            }
        }
    }

    /// Room for what is made inside.
    fn buffers(&mut self, plan: &Plan<'_>, layout: &Layout) -> Vec<Room> {
        let mut rooms = vec![];
        let parts = layout.jams.values().copied().max().unwrap_or(1);
        let mut made: Vec<VarId> =
            plan.defs.keys().copied().filter(|var| is_made(plan, layout, *var)).collect();
        made.sort();
        for var in made {
            let ty = self.ty(var);
            let is_varying = layout.kind(Atom::Var(var)) == Kind::Varying;
            let elem = c_type(ty.elem, is_varying);
            let sizes: Vec<Size> = plan
                .sizes
                .get(&var)
                .into_iter()
                .flatten()
                .filter_map(|size| plan.bound(*size))
                .collect();
            let known: Option<i64> = sizes.iter().try_fold(1_i64, |total, bound| match bound {
                Size::Atom(Atom::Int(n)) => total.checked_mul((*n).max(1)),
                Size::Atom(_) | Size::Of(..) => None,
            });
            let (name, own_parts) =
                (format!("b{}", var.index()), if is_varying { parts } else { 1 });
            if let Some(total) = known.filter(|total| *total * parts as i64 <= IN_FRAME) {
                self.line(format_args!("{elem} {name}[{total} * {own_parts}];"));
                continue;
            }
            let bytes = if elem == "_Bool" {
                1
            } else if is_varying {
                8 * LANES
            } else {
                8
            };
            let sizes = sizes.into_iter().map(|size| self.size_text(size)).collect();
            rooms.push(Room { elem, name, sizes, bytes: bytes * own_parts as i64 });
        }
        for (pack, sizes) in pack_rows::rooms(plan, layout) {
            let parts = layout.jams.get(&pack.1).copied().unwrap_or(1);
            let bytes = 8 * LANES * parts as i64;
            let sizes = sizes.into_iter().map(|size| self.size_text(size)).collect();
            rooms.push(Room { elem: "pb_v", name: pack_rows::name(pack), sizes, bytes });
        }
        let turned = pack_columns::turned_rooms(plan, layout, self.is_shared);
        let beside = pack_columns::beside_rooms(plan, layout);
        let turned = turned.into_iter().map(|room| ("double", room));
        for (elem, room) in turned.chain(beside.into_iter().map(|room| ("pb_v", room))) {
            self.line(format_args!("{}", room.line));
            rooms.push(Room { elem, name: room.name, sizes: room.sizes.into(), bytes: 8 });
        }
        rooms
    }

    /// Takes a block that has all these rooms, one behind the other, if there are any. Its name.
    fn scratch(&mut self, rooms: &[Room]) -> Option<String> {
        let first = rooms.first()?;
        let (block, site) = (format!("s_{}", first.name), self.site());
        let (mut shapes, mut sizes) = (vec![], vec![]);
        for room in rooms {
            shapes.push(format!("{{{}, {}}}", room.sizes.len(), room.bytes));
            sizes.extend(room.sizes.iter().cloned());
        }
        let (count, shapes, sizes) = (rooms.len(), shapes.join(", "), sizes.join(", "));
        self.line(format_args!("static const pb_shape h{block}[] = {{{shapes}}};"));
        self.line(format_args!("void *p{block}[{count}];"));
        self.line(format_args!(
            "pb_block *const {block} = pb_scratch(c, {site}, {count}, h{block}, (int64_t[]){{{sizes}}}, p{block});"
        ));
        for (at, Room { elem, name, .. }) in rooms.iter().enumerate() {
            self.line(format_args!("{elem} *const restrict {name} = p{block}[{at}];"));
        }
        Some(block)
    }
}

/// Room in memory for an array of a kernel: what it has, its name, its sizes, and the bytes of an element.
struct Room {
    elem: &'static str,
    name: String,
    sizes: Vec<String>,
    bytes: i64,
}

/// Room for tables.
fn tables(body: &Body<'_, '_>, plan: &Plan<'_>, tables: &Tables<'_>) -> Vec<Room> {
    let mut rooms = vec![];
    for (looped, _, kept) in &tables.loops {
        let bound = looped.for_count().and_then(|count| plan.bound(Size::Atom(count)));
        let sizes: Vec<String> = bound.into_iter().map(|size| body.size_text(size)).collect();
        let names = kept.iter().map(|var| index_tables::name(*var));
        rooms.extend(names.map(|name| Room {
            elem: "int64_t",
            name,
            sizes: sizes.clone(),
            bytes: 8,
        }));
    }
    rooms
}

/// Whether a loop, which this statement is, may become a kernel.
pub(in crate::emit) fn may_be_kernel(
    program: &Program,
    looped: &Loop,
    stmt: &Stmt,
    facts: &FuncFacts,
) -> bool {
    let known = (facts.is_proven(stmt), facts);
    Plan::of(program, looped, &stmt.vars, known, Given::default()).is_ok()
}

/// Whether a loop with all that is inside it runs so few times, and surely, that C's compiler does better.
fn is_tiny(looped: &Loop) -> bool {
    iterations_of_nest(looped).is_some_and(|times| times <= TINY)
}

/// Whether an array is made inside, in a place of its own.
fn is_made(plan: &Plan<'_>, layout: &Layout, var: VarId) -> bool {
    let ty = plan.ty(Atom::Var(var));
    let is_own = layout.view(var).root == var;
    (ty.is_array() || ty.is_acc)
        && is_own
        && !plan.is_zero(var)
        && matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool)
}
