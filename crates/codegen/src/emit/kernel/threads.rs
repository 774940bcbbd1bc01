//! Loop parallelisation of kernels (DOALL loops and parallel reductions): the outermost loop of a kernel is outlined
//! into a function over a range of iterations, and threads share the ranges out.
//!
//! ```text
//! IR  array.2 = for i.3 < n.1 { … collect t.5 }
//! C   static void f0_w2(pb_ctx *c, const void *frame, int64_t from, int64_t to, double *own) { … the loop … }
//! C   if ((double)v1 * 15.0 < c->worth) f0_w2(c, &e, 0, v1, 0); else pb_share(c, f0_w2, &e, v1, 8);
//! ```
//!
//! It applies to a loop whose iterations do not wait for each other: it has no state, and adds only to the parts of
//! accumulators that its index names. Or they wait only to add up (`piece_sums`). Nothing in a kernel fails, is
//! counted, allocates what others see, or calls anything: so an iteration touches what it alone writes and what all
//! only read. The frame holds what the function needs from around it. Each thread has a context for its scratch memory,
//! and looks at the run's flag to stop. `runtime/threads.c` cuts the iterations into pieces. A loop with little work is
//! done at once; whether it is little hangs on sizes alone. Libraries start no threads, so their loops stay as they
//! are.
//!
//! Law: the bits are those of one thread. Pieces begin where vectors of iterations do, so each iteration is computed by
//! the same code, whoever computes it, on one thread too. Pieces that add up are the same however many threads there
//! are, and are joined in their order. Where the memory allowed is too little for all threads, the first of them does
//! what is left with all of it, so a run fails as on one thread.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Loop, VarId};

use super::index_tables::{self, Tables};
use super::piece_sums::Sums;
use super::plan::Plan;
use super::text::Text;
use super::vectorise::{LANES, Layout};
use crate::emit::body::Body;
use crate::emit::{Fp, Lines};
use crate::layout::elem_type;
use crate::transformations::Which;
use pullback_analysis::cost::{USUAL, Work, work};
use pullback_analysis::sizes::Size;

/// A loop that adds up so many numbers needs twice the work to be worth several threads, as its pieces are joined.
const BETWEEN: f64 = 1024.0;
/// Text longer than this is not written twice, in a place where a run comes again and again.
const LONG: usize = 4000;

/// How many multiplications are done, roughly: C text, and the number if it is known.
struct Amount {
    text: String,
    known: Option<f64>,
}

impl Amount {
    fn known(number: f64) -> Self {
        Self { text: format!("{number:?}"), known: Some(number) }
    }

    fn plus(self, other: &Self) -> Self {
        match (self.known, other.known) {
            (Some(a), Some(b)) => Self::known(a + b),
            (None, _) | (_, None) => {
                Self { text: format!("({} + {})", self.text, other.text), known: None }
            }
        }
    }

    fn times(self, other: &Self) -> Self {
        match (self.known, other.known) {
            (Some(a), Some(b)) => Self::known(a * b),
            (None, _) | (_, None) => {
                Self { text: format!("{} * {}", self.text, other.text), known: None }
            }
        }
    }
}

/// How a kernel is shared out.
pub(super) struct Share {
    /// How many multiplications it does, roughly, as C text.
    work: String,
    /// The reductions of its pieces.
    sums: Sums,
}

/// The function that runs pieces of a kernel.
struct Worker {
    name: String,
    /// The length of its text.
    length: usize,
    /// The values of its frame.
    frame: String,
    /// How many iterations go at once.
    step: i64,
}

impl Body<'_, '_> {
    /// How a kernel is shared out, if it may be run by several threads.
    pub(super) fn share(&self, plan: &Plan<'_>) -> Option<Share> {
        if self.emit.is_library || self.is_text_of_routine() {
            return None;
        }
        let sums = Sums::of(plan, self.are_apart(plan))?;
        let may_add_up = self.emit.fp == Fp::Fast && plan.has(Which::PieceSums);
        if !plan.has(Which::Threads) || !(sums.is_empty() || may_add_up) {
            return None;
        }
        let once = Work::of(&plan.looped.body, &mut |stmt| work(&stmt.op) as f64);
        let work = self.times(plan, plan.looped).times(&self.amount(plan, &once));
        let is_worth = work.known.is_none_or(|known| known >= self.emit.worth);
        is_worth.then_some(Share { work: work.text, sums })
    }

    /// All that a block does, loops inside as often as they run.
    fn amount(&self, plan: &Plan<'_>, work: &Work<'_>) -> Amount {
        let loops = work.loops.iter();
        let loops =
            loops.map(|(looped, inner)| self.times(plan, looped).times(&self.amount(plan, inner)));
        loops.fold(Amount::known(work.once), |sum, more| sum.plus(&more))
    }

    /// How often a loop runs.
    fn times(&self, plan: &Plan<'_>, looped: &Loop) -> Amount {
        match looped.for_count().and_then(|count| plan.bound(Size::Atom(count))) {
            Some(Size::Atom(Atom::Int(count))) => Amount::known(count as f64),
            Some(size) => Amount { text: format!("(double){}", self.size_text(size)), known: None },
            None => Amount::known(USUAL),
        }
    }

    /// The loop of a kernel with what it has for itself alone: a part of it, if what pieces add up is given.
    fn alone(
        &mut self,
        plan: &Plan<'_>,
        layout: &Layout,
        tables: &Tables<'_>,
        part: Option<&Sums>,
    ) {
        self.inputs(plan, part);
        let rooms = self.buffers(plan, layout);
        let block = self.scratch(&rooms);
        let (poll, is_strict) = (self.poll_line(), self.emit.fp == Fp::Strict);
        let mut text = Text::new(plan, layout, tables, is_strict, poll, self.lines.depth);
        text.shared = plan.looped.for_index().filter(|_| part.is_some());
        text.adds_up = part.is_some_and(|sums| !sums.is_empty());
        text.turn();
        text.repeat(plan.looped, plan.vars);
        self.lines.text.push_str(&text.lines.text);
        if let Some(block) = block {
            self.line(format_args!("pb_free_plain(c, {block});"));
        }
    }

    /// The lines that run a kernel: here if there is little to do, else shared out.
    pub(super) fn shared(
        &mut self,
        plan: &Plan<'_>,
        layout: &Layout,
        tables: &Tables<'_>,
        share: &Share,
    ) {
        let Some(count) = plan.looped.for_count().map(|count| self.atom(count)) else {
            bug("codegen", "a loop with a count")
        };
        let (sums, total, states) = (&share.sums, share.sums.total(plan), plan.looped.states.len());
        let worker = self.worker(plan, layout, tables, sums);
        let Worker { name, frame, step, .. } = &worker;
        let worth = if sums.is_empty() {
            "c->worth".to_owned()
        } else {
            format!("c->worth * (1.0 + (double)({total}) / {BETWEEN:?})")
        };
        let is_little = format!("{} < {worth}", share.work);
        let is_once = self.is_once();
        let is_long = is_once || worker.length > LONG;
        if !is_long {
            self.open(format_args!("if ({is_little}) {{"));
            self.alone(plan, layout, tables, None);
            for var in &plan.vars[..states] {
                self.line(format_args!("v{0} = k{0};", var.index()));
            }
            self.lines.between(format_args!("}} else {{"));
        }
        if states > 0 {
            let values: Vec<String> =
                plan.looped.init.iter().map(|init| self.atom(*init)).collect();
            for line in sums.begin("r", &values) {
                self.line(format_args!("{line}"));
            }
        }
        self.line(format_args!("const {name}_frame e = {{{frame}}};"));
        if is_long {
            self.line(format_args!("if ({is_little}) {name}(c, &e, 0, {count}, 0);"));
        }
        let or = if is_long { "else " } else { "" };
        if sums.is_empty() {
            self.line(format_args!("{or}pb_share(c, {name}, &e, {count}, {step});"));
        } else {
            let site = self.site();
            self.line(format_args!(
                "{or}pb_share_sums(c, {site}, {name}, {name}_join, &e, {count}, {step}, {total});"
            ));
        }
        for (at, var) in plan.vars[..states].iter().enumerate() {
            let value = sums.state("r", at);
            self.line(format_args!("v{} = {value};", var.index()));
        }
        if !is_long {
            self.close();
        }
    }

    /// The function that runs a part of a kernel, with what is joined of the parts.
    fn worker(
        &mut self,
        plan: &Plan<'_>,
        layout: &Layout,
        tables: &Tables<'_>,
        sums: &Sums,
    ) -> Worker {
        let number = self.fresh();
        let name = format!("{}_w{number}", self.emit.name(self.func));
        let (mut fields, mut values, mut heads) = (String::new(), vec![], String::new());
        let mut field = |ty: &str, name: &str| {
            let _ = writeln!(fields, "  {ty} {name};");
            let _ = writeln!(heads, "  {ty} {name} = e->{name};");
            values.push(name.to_owned());
        };
        for var in outside(plan) {
            field(&self.c_type(self.ty(var)), &format!("v{}", var.index()));
        }
        let states = plan.looped.states.len();
        for var in &plan.vars[states..] {
            let elem = elem_type(self.ty(*var).elem);
            field(&format!("{elem} *restrict"), &format!("q{}", var.index()));
        }
        for (_, _, kept) in &tables.loops {
            for var in kept {
                field("const int64_t *restrict", &index_tables::name(*var));
            }
        }
        if states > 0 {
            let _ = writeln!(fields, "  double *r;");
            values.push("r".to_owned());
        }
        let outer = std::mem::replace(&mut self.lines, Lines { text: String::new(), depth: 1 });
        self.is_shared = true;
        self.alone(plan, layout, tables, Some(sums));
        self.is_shared = false;
        let inside = std::mem::replace(&mut self.lines, outer).text;
        let (places, leave) = (sums.places(plan), sums.leave(&plan.vars[..states]));
        let _ = write!(
            self.workers,
            "typedef struct {{\n  volatile int *stop;\n{fields}}} {name}_frame;\n\
             static void {name}(pb_ctx *c, const void *frame, int64_t from, int64_t to, double *own) {{\n\
             \x20 const {name}_frame *e = frame;\n{heads}{places}{inside}{leave}}}\n"
        );
        if !sums.is_empty() {
            let _ = write!(
                self.workers,
                "static void {name}_join(const void *frame, const double *own) {{\n\
                 \x20 const {name}_frame *e = frame;\n{}}}\n",
                sums.join(plan)
            );
        }
        let step = plan.looped.for_index().map_or(1, |index| {
            let parts = layout.jams.get(&index).copied().unwrap_or(1) as i64;
            if layout.lanes.contains(&index) { LANES * parts } else { 1 }
        });
        values.insert(0, "&c->stop".to_owned());
        Worker { name, length: inside.len(), frame: values.join(", "), step }
    }
}

/// The variables from around a kernel that its text names.
fn outside(plan: &Plan<'_>) -> BTreeSet<VarId> {
    let mut vars: BTreeSet<VarId> = plan.inputs.iter().copied().collect();
    let mut note = |atom: Atom| {
        vars.extend(atom.var().filter(|var| !plan.local.contains(var) && !plan.vars.contains(var)));
    };
    plan.looped.body.visit_atoms(&mut note);
    plan.looped.for_count().into_iter().for_each(&mut note);
    plan.looped.init.iter().copied().for_each(&mut note);
    for size in plan.sizes.values().flatten() {
        if let Size::Atom(atom) = plan.bound(*size).unwrap_or(*size) {
            note(atom);
        }
    }
    vars
}
