//! Unroll-and-jam (Callahan, Cocke & Kennedy 1988) of a loop across lanes: two or four vectors of iterations go at
//! once, jammed into the loops inside.
//!
//! What all lanes share is then read once for all vectors. Sums that wait for each other become several that do not.
//! What goes to one place of an accumulator is added up before.
//!
//! ```text
//! IR  for i.9 < n.3 { total.10 = for j.11 < k.1 with s.12 = 0.0 { y.13 = y.2[j.11]; …; add(s.12, t.14) } … }
//! C   for (; k9 <= v3 - 32; k9 += 32) { …  for (int64_t k11 = 0; k11 < v1; k11++) { const double k13 = a2[k11];
//! C       …   k12_0 = PB_OP(k12_0, +, k14_0); … k12_3 = PB_OP(k12_3, +, k14_3); } }   then eight at a time, then fewer
//! ```
//!
//! It applies to loops across lanes that reduce or have loops inside, with few slow operations, with a body that is
//! short enough and with no more vectors than a processor has registers. Sums that go by `tile_products` take none of these. Loops with edges, with a condition to end by
//! inside, or in code that keeps the order of sums stay as they are.
//!
//! Law: an iteration computes what it computed. What changes is the order in which iterations add to one sum or place:
//! it is fixed, and hangs on sizes and the processor's registers alone.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use super::elide_masks;
use super::plan::Plan;
use super::scheduling::Scheduling;
use super::text::Text;
use super::vectorise::{Kind, LANES, Layout};
use crate::registers::Registers;
use pullback_analysis::cost::{copies, is_slow};

/// The most statements that a loop written several times may have then.
const LONGEST: usize = 480;
/// The most operations in it that take long, which have long texts.
const SLOW: usize = 4;
/// How many registers there are for each vector of iterations where loops inside go by [`super::tile_products`].
const TILED: usize = 4;
/// The most vectors of iterations that go at once.
const MOST: i64 = 4;

/// How many times eight iterations of each loop across lanes go at once, where that is more than one.
pub(super) fn jams(
    plan: &Plan<'_>,
    layout: &Layout,
    by: &Scheduling<'_>,
) -> FxHashMap<VarId, usize> {
    let mut jams = FxHashMap::default();
    // The order of sums stays.
    if by.is_strict {
        return jams;
    }
    let mut note = |looped: &Loop| {
        if let LoopForm::For { index, count, .. } = looped.form
            && layout.lanes.contains(&index)
            && may_jam(plan, looped, index)
        {
            let most = if let Atom::Int(count) = count { count / LANES } else { MOST };
            let most = most.clamp(1, MOST) as usize;
            let times = match by.at_once(index) {
                Some(count) => usize::try_from(count / LANES).unwrap_or(1),
                None => times(layout, by.registers, looped),
            };
            let times = times.min(most);
            if times > 1 {
                jams.insert(index, 1 << times.ilog2());
            }
        }
    };
    note(plan.looped);
    plan.looped.body.visit(&mut |stmt| {
        if let Op::Loop(looped) = &stmt.op {
            note(looped);
        }
    });
    jams
}

/// Whether vectors of iterations can go at once: none has edges, and eight that end each on its own would wait for
/// fewer than all.
fn may_jam(plan: &Plan<'_>, looped: &Loop, index: VarId) -> bool {
    let mut is_open = false;
    looped.body.visit(&mut |stmt| {
        is_open |= matches!(&stmt.op, Op::Loop(inner) if inner.condition().is_some());
    });
    !is_open && elide_masks::usual(plan, looped, index).is_empty()
}

/// How many vectors of iterations are worth to go at once.
fn times(layout: &Layout, registers: Registers, looped: &Loop) -> usize {
    let (mut is_worth, mut slow) = (!looped.states.is_empty(), 0);
    looped.body.visit(&mut |stmt| {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are as they are")]
        match &stmt.op {
            Op::Prim(prim, _) => slow += usize::from(is_slow(*prim) && *prim != Prim::Div),
            Op::Loop(_) => is_worth = true,
            _ => {}
        }
    });
    if !is_worth || slow > SLOW {
        return 1;
    }
    let mut is_tiled = false;
    looped.body.visit(&mut |stmt| {
        let index = if let Op::Loop(inner) = &stmt.op { inner.for_index() } else { None };
        is_tiled |= index.is_some_and(|index| layout.tiled.contains(&index));
    });
    // Sums of products are in the registers of the runtime's function.
    let at_hand = if is_tiled {
        registers.kept / TILED
    } else {
        registers.at_hand / pressure(layout, &looped.body).max(1)
    };
    match at_hand.min(copies(&looped.body, LONGEST)) {
        0 | 1 => 1,
        2 | 3 => 2,
        _ => 4,
    }
}

/// The most vectors that one block without loops inside has, and what it is given: more than it has at once.
fn pressure(layout: &Layout, block: &Block) -> usize {
    let is_vector = |var: &&VarId| layout.kind(Atom::Var(**var)) == Kind::Varying;
    let (mut own, mut inner) = (0, 0);
    for stmt in &block.stmts {
        let blocks = stmt.op.blocks();
        if blocks.is_empty() {
            own += usize::from(is_computed(stmt) && stmt.vars.iter().any(|var| is_vector(&var)));
        }
        for block in blocks {
            let states = if let Op::Loop(looped) = &stmt.op {
                looped.states.iter().filter(is_vector).count()
            } else {
                0
            };
            inner = inner.max(states + pressure(layout, block));
        }
    }
    own.max(inner)
}

/// Whether the result of a statement needs a register until it is used. What is read can be read again.
fn is_computed(stmt: &Stmt) -> bool {
    matches!(stmt.op, Op::Prim(..) | Op::MulZero(..) | Op::Select(..))
}

impl<'k> Text<'_, 'k> {
    /// The name of a variable inside: a vector has one for each eight iterations.
    pub fn name(&self, var: VarId) -> String {
        let name = self.name_in_column(var);
        if self.parts > 1 && self.kind(Atom::Var(var)) == Kind::Varying {
            format!("{name}_{}", self.part)
        } else {
            name
        }
    }

    /// The place of an element of which each lane has its own: those of all iterations at work lie together.
    pub fn own(&self, at: &str) -> String {
        if self.parts > 1 {
            format!("({at}) * {} + {}", self.parts, self.part)
        } else {
            at.to_owned()
        }
    }

    /// The places of elements, for each lane another one.
    pub fn own_vector(&self, at: &str) -> String {
        if self.parts > 1 {
            let [times, more] =
                [self.parts, self.part].map(|number| format!("pb_all_int({number})"));
            format!("PB_OP(PB_OP({at}, *, {times}), +, {more})")
        } else {
            at.to_owned()
        }
    }

    /// Writes something for each eight iterations.
    pub fn each_part(&mut self, write: &mut dyn FnMut(&mut Self)) {
        if self.is_alone {
            return write(self);
        }
        for part in 0..self.parts {
            self.part = part;
            write(self);
        }
        self.part = 0;
    }

    /// Writes something that is about a variable: for each eight iterations, if they differ in it.
    pub fn each_of(&mut self, var: VarId, write: &mut dyn FnMut(&mut Self)) {
        let is_varying = self.kind(Atom::Var(var)) == Kind::Varying;
        let mut write =
            |text: &mut Self| if is_varying { text.each_part(write) } else { write(text) };
        if self.differs_by_column(var) { self.each_column(&mut write) } else { write(self) }
    }

    /// A statement for several times eight iterations.
    pub fn in_parts(&mut self, stmt: &'k Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are written once or for each")]
        match &stmt.op {
            Op::If(cond, ..) if self.kind(*cond) != Kind::Uniform => {
                self.each_part(&mut |text| {
                    text.is_alone = true;
                    text.stmt(stmt);
                    text.is_alone = false;
                });
            }
            Op::Loop(_) | Op::If(..) => self.stmt(stmt),
            Op::AddAcc(acc, at, value) => self.add_columns(*acc, at, *value),
            _ => match stmt.vars.as_slice() {
                &[var] => self.each_of(var, &mut |text| text.stmt(stmt)),
                _ => self.stmt(stmt),
            },
        }
    }
}
