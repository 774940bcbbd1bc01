//! Vectorised loops with horizontal reduction: the text of a loop across lanes, and of what it adds to accumulators.
//!
//! Each lane reduces on its own, in a vector that begins with zeros (for a maximum or minimum, with the state itself).
//! After the loop the lanes are put together, and joined with what the state began with.
//!
//! ```text
//! IR  total.2 = for i.3 < n.1 with total.4 = 0.0 { …; total.7 = add(total.4, t.6); yield total.7 }
//! C   pb_v k4 = {0};  for (; k3 <= end - 8; k3 += 8) { …; k4 = PB_OP(k4, +, k6); }
//! C   if (k3 < v1) { tm = pb_first(v1 - k3); …; k4 = PB_OP(k4, +, pb_where(tm, k6, 0.0)); }  k2 = 0.0 + pb_across(k4);
//! ```
//!
//! Where iterations add in several steps, or a loop inside goes on with the state (`for j with t = total.4 { add(t, x) }`),
//! each lane adds to what it has, and the state becomes what comes of it.
//!
//! A short body is written twice, for full vectors and for the rest. A long one is written once, with the mask `tm` of
//! the lanes that are not behind the end; one with loops in it counts as long sooner. Full vectors go in stretches (strip
//! mining), so that only the end of a stretch asks whether the run is to stop.
//!
//! Law: maxima, minima and sums of Ints are those of the loop. A sum of Reals has its addends in another order, which
//! is the same in every run and on every machine. What lanes behind the end compute is masked wherever somebody sees
//! it. Where lanes add to places of an accumulator that are not their own, they do so in the order of their iterations
//! (`pb_add_each`), or as one sum (`pb_across`) if the place is one.

use pullback_analysis::loop_shape::{Fold, Reduction};
use pullback_base::bug;
use pullback_ir::{Atom, Loop, StmtId, VarId};

use super::elide_masks::{self, Settled};
use super::in_lanes::{InLanes, reductions};
use super::places::Offset;
use super::plan::{has_loops, local_name};
use super::text::Text;
use super::vectorise::{Kind, LANES};
use crate::emit::loops::STRETCH;
use pullback_analysis::cost::copies;

/// A loop whose body is no longer than this is written twice, for full vectors and for the rest.
const SHORT: usize = 60;
/// As [`SHORT`], of a body with loops in it: those take the time, and most of what is in them needs no mask.
const SHORT_WITH_LOOPS: usize = 12;
/// A loop with carried stores, which only full vectors have, is written twice if its body is no longer than this.
const SHORT_BESIDE: usize = 600;

impl<'k> Text<'_, 'k> {
    /// A loop across lanes.
    pub fn across_lanes(&mut self, looped: &'k Loop, vars: &[VarId], index: VarId, count: Atom) {
        let reductions = reductions(looped);
        let skipped: Vec<_> =
            reductions.iter().filter_map(|reduction| Some(reduction.stmt()?.id)).collect();
        for (at, reduction) in reductions.iter().enumerate() {
            let state = local_name(looped.states[at]);
            let (ty, start) = match reduction.fold() {
                Fold::Max | Fold::Min => {
                    ("pb_v", format!("pb_all({})", self.scalar(looped.init[at])))
                }
                Fold::IntAdd => ("pb_w", "{0}".to_owned()),
                Fold::Add | Fold::Sub => ("pb_v", "{0}".to_owned()),
            };
            self.line(format_args!("{ty} {state} = {start};"));
        }
        let i = local_name(index);
        let (first, count) = self.range(index, count);
        let parts = self.layout.jams.get(&index).copied().unwrap_or(1);
        let is_within = |most: usize| parts <= copies(&looped.body, most);
        let edges =
            if is_within(SHORT) { elide_masks::usual(self.plan, looped, index) } else { vec![] };
        let short = if has_loops(looped) { SHORT_WITH_LOOPS } else { SHORT };
        let is_short = !edges.is_empty() || is_within(short);
        let is_beside = is_within(SHORT_BESIDE) && edges.is_empty();
        let neighbours = if is_beside { self.neighbours(looped, index) } else { vec![] };
        let is_twice = is_short || !neighbours.is_empty();
        if is_twice || parts > 1 {
            self.line(format_args!("int64_t {i} = {first};"));
        }
        if parts > 1 {
            self.several(looped, vars, (index, count.as_str()), &skipped, parts);
        }
        if is_twice {
            self.await_nothing(&neighbours);
            self.whole(looped, (&i, &count), LANES, &mut |text| {
                for usual in &edges {
                    let holds: Vec<String> =
                        usual.iter().map(|edge| edge.holds(&i, &text.scalar(edge.bound))).collect();
                    text.open(format_args!("if ({}) {{", holds.join(" && ")));
                    text.settled =
                        usual.iter().map(|edge| (edge.cond, Settled::Known(edge.truth))).collect();
                    text.lanes(looped, vars, index, &skipped, false);
                    text.settled.clear();
                    text.line(format_args!("continue;"));
                    text.close();
                }
                text.begin_neighbours(&neighbours);
                text.lanes(looped, vars, index, &skipped, false);
                text.neighbours.clear();
                text.add_neighbours(&neighbours);
            });
            self.add_waiting(&neighbours, &format!("{i} > {first}"));
            self.open(format_args!("if ({i} < {count}) {{"));
            self.line(format_args!("const int64_t m = {count} - {i};"));
        } else {
            let start = if parts > 1 { String::new() } else { format!("int64_t {i} = {first}") };
            self.open(format_args!("for ({start}; {i} < {count}; {i} += {LANES}) {{"));
            self.line(format_args!(
                "const int64_t m = {count} - {i} < {LANES} ? {count} - {i} : {LANES};"
            ));
        }
        self.line(format_args!("const pb_w tm = pb_first(m);"));
        self.is_rest = is_twice || parts > 1;
        self.lanes(looped, vars, index, &skipped, true);
        self.is_rest = false;
        self.close();
        for (at, reduction) in reductions.iter().enumerate() {
            let state = local_name(looped.states[at]);
            let init = self.start(looped, at, self.scalar(looped.init[at]));
            let value = match reduction.fold() {
                Fold::Max => format!("pb_across_max({state})"),
                Fold::Min => format!("pb_across_min({state})"),
                Fold::Sub => format!("{init} - pb_across({state})"),
                Fold::IntAdd => format!("{init} + pb_across_int({state})"),
                Fold::Add => format!("{init} + pb_across({state})"),
            };
            self.define(vars[at], &value);
        }
    }

    /// So many iterations at once, as long as there are so many; in stretches, where nothing in them looks at whether
    /// the run is to stop: a vector takes half as long without that.
    fn whole(
        &mut self,
        looped: &Loop,
        (i, count): (&str, &str),
        step: i64,
        iteration: &mut dyn FnMut(&mut Self),
    ) {
        let is_stretched = self.depth < 2 && !has_loops(looped);
        let mut end = count.to_owned();
        if is_stretched {
            end = format!("end{}", self.fresh());
            self.open(format_args!("for (int64_t {end} = {i};;) {{"));
            self.line(format_args!(
                "{end} = {count} - {end} < {STRETCH} ? {count} : {end} + {STRETCH};"
            ));
        }
        self.open(format_args!("for (; {i} <= {end} - {step}; {i} += {step}) {{"));
        iteration(self);
        self.close();
        if is_stretched {
            let poll = self.poll.clone();
            self.line(format_args!("if ({end} >= {count}) break;"));
            self.line(format_args!("{poll}"));
            self.close();
        }
    }

    /// An iteration in each lane.
    fn lanes(
        &mut self,
        looped: &'k Loop,
        vars: &[VarId],
        index: VarId,
        skipped: &[StmtId],
        has_end: bool,
    ) {
        if has_loops(looped) || self.parts > copies(&looped.body, SHORT) {
            self.look(looped);
        }
        self.across = Some(has_end);
        self.depth += 1;
        self.pack(index);
        self.take_columns(index);
        self.block(&looped.body, skipped);
        self.collect(looped, vars, index);
        for (at, reduction) in reductions(looped).into_iter().enumerate() {
            let (state, next) = (looped.states[at], looped.body.results[at]);
            self.each_part(&mut |text| match reduction {
                InLanes::Here(reduction) => text.reduce(state, reduction, has_end),
                InLanes::InSteps => text.go_on(state, next, has_end),
            });
        }
        self.depth -= 1;
        self.across = None;
    }

    /// Adds what an iteration brings in each lane to a state, or the like.
    fn reduce(&mut self, state: VarId, reduction: Reduction<'k>, has_end: bool) {
        let (state, more) = (self.name(state), self.vector(reduction.more));
        let next = match (reduction.fold, has_end) {
            (Fold::Max, false) => format!("pb_v_Max({state}, {more})"),
            (Fold::Min, false) => format!("pb_v_Min({state}, {more})"),
            (Fold::Max, true) => format!("pb_where(tm, pb_v_Max({state}, {more}), {state})"),
            (Fold::Min, true) => format!("pb_where(tm, pb_v_Min({state}, {more}), {state})"),
            (Fold::Add | Fold::Sub | Fold::IntAdd, false) => format!("PB_OP({state}, +, {more})"),
            (Fold::IntAdd, true) => format!("PB_OP({state}, +, PB_OP(tm, &, {more}))"),
            (Fold::Add | Fold::Sub, true) => {
                format!("PB_OP({state}, +, pb_where(tm, {more}, pb_all(0.0)))")
            }
        };
        self.line(format_args!("{state} = {next};"));
    }

    /// Leaves in each lane what the steps have made of a state.
    fn go_on(&mut self, state: VarId, next: Atom, has_end: bool) {
        let (state, next) = (self.name(state), self.vector(next));
        let next = if has_end { format!("pb_where(tm, {next}, {state})") } else { next };
        self.line(format_args!("{state} = {next};"));
    }

    /// Several times eight iterations at once, as long as there are so many.
    fn several(
        &mut self,
        looped: &'k Loop,
        vars: &[VarId],
        (index, count): (VarId, &str),
        skipped: &[StmtId],
        parts: usize,
    ) {
        let (i, step) = (local_name(index), LANES * parts as i64);
        self.open(format_args!("if ({i} <= {count} - {step}) {{"));
        self.parts = parts;
        for state in &looped.states {
            let (ty, start) = (self.c_type(*state), local_name(*state));
            self.each_part(&mut |text| {
                let name = text.name(*state);
                text.line(format_args!("{ty} {name} = {start};"));
            });
        }
        self.whole(looped, (&i, count), step, &mut |text| {
            text.lanes(looped, vars, index, skipped, false);
        });
        for (state, reduction) in looped.states.iter().zip(reductions(looped)) {
            let mut names: Vec<String> = vec![];
            self.each_part(&mut |text| names.push(text.name(*state)));
            let total = together(&names, reduction.fold());
            self.line(format_args!("{} = {total};", local_name(*state)));
        }
        self.parts = 1;
        self.close();
    }

    /// Adds to an accumulator in several times eight iterations.
    pub fn add_parts(&mut self, acc: Atom, at: &[Atom], value: Atom) {
        if self.parts == 1 {
            return self.add(acc, at, value);
        }
        let Some(var) = acc.var() else { bug("codegen", "an accumulator") };
        let root = self.layout.view(var).root;
        let (base, offset) = (self.base(root), self.offset(var, at));
        let is_inside = self.layout.is_inside(root);
        match (self.kind(Atom::Var(root)), offset) {
            (Kind::Uniform, _) if is_inside => self.add(acc, at, value),
            (Kind::Uniform, Offset::Uniform(at)) => {
                let mut values: Vec<String> = vec![];
                self.each_part(&mut |text| values.push(text.addend(value, true)));
                let total = together(&values, Fold::Add);
                self.line(format_args!("{base}[{at}] += pb_across({total});"));
            }
            _ => self.each_part(&mut |text| text.add(acc, at, value)),
        }
    }

    /// Adds to an accumulator.
    pub fn add(&mut self, acc: Atom, at: &[Atom], value: Atom) {
        if self.waits(acc, at, value) {
            return;
        }
        let Some(acc) = acc.var() else { bug("codegen", "an accumulator") };
        let root = self.layout.view(acc).root;
        let (base, offset) = (self.base(root), self.offset(acc, at));
        if self.across.is_none()
            || (self.layout.is_inside(root) && self.kind(Atom::Var(root)) == Kind::Uniform)
        {
            let (offset, value) = (offset.scalar(), self.addend(value, false));
            return self.line(format_args!("{base}[{offset}] += {value};"));
        }
        let vector = self.addend(value, true);
        // What lanes behind the end have of their own is never read.
        let is_own = self.kind(Atom::Var(root)) == Kind::Varying;
        let active = if is_own { self.mask.clone() } else { self.active() };
        let kept = match &active {
            Some(active) => format!("pb_where({active}, {vector}, pb_all(0.0))"),
            None => vector.clone(),
        };
        let lanes = self.active().unwrap_or_else(|| "pb_all_bool(1)".to_owned());
        if is_own {
            match offset {
                Offset::Uniform(at) => {
                    let at = self.own(&at);
                    self.line(format_args!("{base}[{at}] = PB_OP({base}[{at}], +, {kept});"));
                }
                other @ (Offset::Linear(..) | Offset::Varying(_)) => {
                    let at = self.own_vector(&other.vector());
                    self.line(format_args!("pb_add_own({base}, {at}, {vector}, {lanes});"));
                }
            }
            return;
        }
        match offset {
            Offset::Uniform(at) => self.line(format_args!("{base}[{at}] += pb_across({kept});")),
            Offset::Linear(at, stride) if stride == "1" && active.is_none() => {
                self.line(format_args!(
                    "pb_store({base} + {at}, PB_OP(pb_load({base} + {at}), +, {vector}));"
                ));
            }
            Offset::Linear(at, stride) if stride == "1" => {
                self.line(format_args!("pb_add_where({base} + {at}, {vector}, {lanes});"));
            }
            other @ (Offset::Linear(..) | Offset::Varying(_)) => {
                let at = other.vector();
                self.line(format_args!("pb_add_each({base}, {at}, {vector}, {lanes});"));
            }
        }
    }
}

/// Several vectors folded into one, always from the first to the last.
pub(super) fn together(vectors: &[String], fold: Fold) -> String {
    let Some((first, rest)) = vectors.split_first() else { bug("codegen", "vectors") };
    rest.iter().fold(first.clone(), |total, vector| match fold {
        Fold::Max => format!("pb_v_Max({total}, {vector})"),
        Fold::Min => format!("pb_v_Min({total}, {vector})"),
        Fold::Add | Fold::Sub | Fold::IntAdd => format!("PB_OP({total}, +, {vector})"),
    })
}
