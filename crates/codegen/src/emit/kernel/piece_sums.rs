//! Privatisation of reductions: what the pieces of a kernel add up, each in a place of its own, and how these places
//! are joined.
//!
//! ```text
//! IR  total.2 = for i.3 < n.1 with total.4 = 0.0 { … add(total.4, t.6) … }
//! C   static void f0_w2(…, int64_t from, int64_t to, double *own) { double *const r = own ? own : e->r; … r[0] = k2; }
//! C   static void f0_w2_join(const void *frame, const double *own) { …; e->r[0] = e->r[0] + own[0]; }
//! ```
//!
//! A loop whose iterations wait for each other only to add up is cut into pieces. Each piece begins with nothing, and
//! the sums of the pieces are joined in their order. The place of a piece is a run of numbers: first the states of the
//! loop, then the accumulators from outside that it adds to, each from a line of the cache on, so that threads do not
//! share lines.
//!
//! Law: a sum is that of the loop but for the order of its addends. That order hangs on sizes alone and not on how many
//! threads there are. So this is only for code that need not keep the order. No kernel reads what it adds to, unless it
//! has made that itself.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_analysis::access::{Access, Roots, accumulators};
use pullback_analysis::loop_shape::Fold;
use pullback_base::Id;
use pullback_ir::{Atom, Elem, Loop, LoopForm, VarId};
use pullback_prim::Prim;

use super::in_lanes::InLanes;
use super::plan::Plan;
use super::text::Text;
use crate::emit::primitives::primitive_text;

/// What a piece adds up.
pub(super) struct Sums {
    /// How each state is folded, and whether it is an Int.
    states: Vec<(Fold, bool)>,
    /// The accumulators from outside.
    accs: Vec<VarId>,
}

/// How many numbers a line of the cache has.
const LINE: usize = 8;

impl Sums {
    /// What a kernel adds up, if that is all for which its iterations wait for each other. `are_apart` says whether
    /// accumulators from outside have no parts in common.
    pub fn of(plan: &Plan<'_>, are_apart: bool) -> Option<Self> {
        let LoopForm::For { down: false, .. } = plan.looped.form else { return None };
        let states =
            (0..plan.looped.states.len()).map(|at| state(plan, at)).collect::<Option<_>>()?;
        let roots = Roots::within(plan.program, &[], &plan.looped.body, false);
        let mut accs = BTreeSet::new();
        for (acc, way) in accumulators(plan.program, &roots, plan.looped) {
            if !(are_apart && way == Access::Own(acc, 0)) {
                accs.insert(acc);
            }
        }
        let are_reals = accs.iter().all(|acc| plan.ty(Atom::Var(*acc)).elem == Elem::Real);
        are_reals.then(|| Self { states, accs: accs.into_iter().collect() })
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.accs.is_empty()
    }

    pub fn has(&self, acc: VarId) -> bool {
        self.accs.contains(&acc)
    }

    /// How many numbers the states take.
    fn first(&self) -> usize {
        self.states.len().next_multiple_of(LINE)
    }

    /// How many numbers the place of a piece has, as C text.
    pub fn total(&self, plan: &Plan<'_>) -> String {
        let of = |acc: &VarId| format!(" + ({})", room(plan, *acc, ""));
        format!("{}{}", self.first(), self.accs.iter().map(of).collect::<String>())
    }

    /// The lines by which a piece finds its place.
    pub fn places(&self, plan: &Plan<'_>) -> String {
        let mut text = String::new();
        if !self.states.is_empty() {
            let _ = writeln!(text, "  double *const r = own ? own : e->r;");
        }
        if !self.accs.is_empty() {
            let _ = writeln!(text, "  int64_t at = {};", self.first());
        }
        for acc in &self.accs {
            let name = acc.index();
            let _ = writeln!(
                text,
                "  double *const restrict a{name} = own ? own + at : {};\n  at += {};",
                pointer(plan, *acc),
                room(plan, *acc, "")
            );
        }
        text
    }

    /// The lines that leave the states where they are looked for.
    pub fn leave(&self, vars: &[VarId]) -> String {
        let mut text = String::new();
        for (at, ((_, is_int), var)) in self.states.iter().zip(vars).enumerate() {
            let _ = writeln!(text, "  {} = k{};", slot("r", at, *is_int), var.index());
        }
        text
    }

    /// The lines that begin the states of all, from these values, in a variable of this name.
    pub fn begin(&self, name: &str, values: &[String]) -> Vec<String> {
        let set = |(at, (_, is_int)): (usize, &(Fold, bool))| {
            format!("{} = {};", slot(name, at, *is_int), values[at])
        };
        let declare = format!("double {name}[{}];", self.states.len());
        std::iter::once(declare).chain(self.states.iter().enumerate().map(set)).collect()
    }

    /// The state of this number in a variable.
    pub fn state(&self, name: &str, at: usize) -> String {
        slot(name, at, self.states[at].1)
    }

    /// The lines that join what a piece has added up with all.
    pub fn join(&self, plan: &Plan<'_>) -> String {
        let mut text = String::new();
        for (at, (fold, is_int)) in self.states.iter().enumerate() {
            let (all, more) = (slot("e->r", at, *is_int), slot("own", at, *is_int));
            let value = match fold {
                Fold::Add | Fold::Sub | Fold::IntAdd => format!("{all} + {more}"),
                Fold::Max => primitive_text(Prim::Max, &[all.clone(), more], true, "0"),
                Fold::Min => primitive_text(Prim::Min, &[all.clone(), more], true, "0"),
            };
            let _ = writeln!(text, "  {all} = {value};");
        }
        if !self.accs.is_empty() {
            let _ = writeln!(text, "  int64_t at = {};", self.first());
        }
        for acc in &self.accs {
            let _ = writeln!(
                text,
                "  pb_join_to(e->{}, own + at, {});\n  at += {};",
                pointer(plan, *acc),
                count(plan, *acc, "e->"),
                room(plan, *acc, "e->")
            );
        }
        text
    }
}

impl Text<'_, '_> {
    /// What a state begins with that begins so otherwise: in a piece that has a place of its own, with nothing.
    pub fn start(&self, looped: &Loop, at: usize, init: String) -> String {
        if self.adds_up && looped.for_index() == self.plan.looped.for_index() {
            match InLanes::of(looped, at).map(InLanes::fold) {
                Some(Fold::Add | Fold::Sub) => return format!("(own ? 0.0 : {init})"),
                Some(Fold::IntAdd) => return format!("(own ? 0 : {init})"),
                Some(Fold::Max | Fold::Min) | None => {}
            }
        }
        init
    }
}

/// How a state is folded, if the order does not matter, and whether it is an Int.
fn state(plan: &Plan<'_>, at: usize) -> Option<(Fold, bool)> {
    let reduction = InLanes::of(plan.looped, at)?;
    let mut stmt = reduction.stmt().into_iter();
    let is_proven = stmt.all(|stmt| !plan.unproven.contains(&stmt.id));
    let is_int = plan.ty(Atom::Var(plan.looped.states[at])).elem == Elem::Int;
    is_proven.then_some((reduction.fold(), is_int))
}

/// The C of the number at a place.
fn slot(name: &str, at: usize, is_int: bool) -> String {
    if is_int { format!("((int64_t *){name})[{at}]") } else { format!("{name}[{at}]") }
}

/// Where the numbers of an accumulator begin.
fn pointer(plan: &Plan<'_>, acc: VarId) -> String {
    let suffix = if plan.ty(Atom::Var(acc)).is_array() { ".p" } else { "" };
    format!("v{}{suffix}", acc.index())
}

/// How many numbers an accumulator has.
fn count(plan: &Plan<'_>, acc: VarId, of: &str) -> String {
    let rank = plan.ty(Atom::Var(acc)).rank;
    let sizes: Vec<String> = (0..rank).map(|at| format!("{of}v{}.d[{at}]", acc.index())).collect();
    if sizes.is_empty() { "1".to_owned() } else { sizes.join(" * ") }
}

/// How many numbers of a piece's place an accumulator takes: whole lines of the cache.
fn room(plan: &Plan<'_>, acc: VarId, of: &str) -> String {
    format!("({} + {}) / {LINE} * {LINE}", count(plan, acc, of), LINE - 1)
}
