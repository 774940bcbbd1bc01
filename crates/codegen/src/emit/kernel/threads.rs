//! Kernels on several threads.
//!
//! What is shared out is the outermost loop of a kernel whose iterations do not wait for each other: it has no state,
//! and adds only to the parts of accumulators that its index names. Nothing in a kernel fails, is counted, allocates
//! what others see, or calls anything, so that an iteration touches what it alone writes and what all only read. The
//! loop becomes a function of its own, from an iteration to another, with what it needs from around it in a frame; each
//! thread has a context for its scratch memory, and looks at the run's flag to stop. `runtime/threads.c` cuts the
//! iterations into pieces. Little work is done where it stands: whether it is little hangs on sizes alone.
//!
//! Law: the bits are those of one thread. Pieces begin where vectors of iterations do, so that each iteration is
//! computed by the same code, whoever computes it, on one thread too; no sum goes over the threads. Where the memory allowed is too little
//! for all threads, the first of them does what is left with all of it, so a run fails as on one thread.

use std::collections::BTreeSet;
use std::fmt::Write;

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, VarId};

use super::cost::is_slow;
use super::lanes::{LANES, Layout};
use super::plan::{Plan, Size};
use super::tables::{self, Tables};
use super::text::Text;
use crate::emit::body::Body;
use crate::emit::{Fp, Lines};
use crate::layout::elem_type;
use crate::limits::Threads;

/// How often a loop is taken to run whose count is made inside.
const USUAL: f64 = 32.0;

/// How many statements are run, roughly: C text, and the number if it is known.
struct Work {
    text: String,
    known: Option<f64>,
}

impl Work {
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

impl Body<'_, '_> {
    /// How many statements a kernel runs, roughly, as C text, if it may be run by several threads.
    pub(super) fn share(&self, plan: &Plan<'_>, layout: &Layout) -> Option<String> {
        let LoopForm::For { index, down, .. } = plan.looped.form else { return None };
        let is_apart = plan.looped.states.is_empty()
            && !down
            && adds_apart(plan, layout, &plan.looped.body, index)
            && self.are_apart(plan);
        if !self.emit.may_share || !is_apart {
            return None;
        }
        let work = self.times(plan, plan.looped).times(&self.work(plan, &plan.looped.body));
        work.known.is_none_or(|known| known >= Threads::of(2).worth).then_some(work.text)
    }

    /// The statements of a block, those of loops inside as often as they run.
    fn work(&self, plan: &Plan<'_>, block: &Block) -> Work {
        let mut work = Work::known(0.0);
        for stmt in &block.stmts {
            let is_slow = matches!(&stmt.op, Op::Prim(prim, _) if is_slow(*prim));
            work = work.plus(&Work::known(if is_slow { 8.0 } else { 1.0 }));
            for block in stmt.op.blocks() {
                let inner = self.work(plan, block);
                work = work.plus(&if let Op::Loop(looped) = &stmt.op {
                    self.times(plan, looped).times(&inner)
                } else {
                    inner
                });
            }
        }
        work
    }

    /// How often a loop runs.
    fn times(&self, plan: &Plan<'_>, looped: &Loop) -> Work {
        match looped.for_count().and_then(|count| plan.bound(Size::Atom(count))) {
            Some(Size::Atom(Atom::Int(count))) => Work::known(count as f64),
            Some(size) => Work { text: format!("(double){}", self.size_text(size)), known: None },
            None => Work::known(USUAL),
        }
    }

    /// The loop of a kernel with what it has for itself alone: a part of it, if its index is given.
    pub(super) fn alone(
        &mut self,
        plan: &Plan<'_>,
        layout: &Layout,
        tables: &Tables<'_>,
        part: Option<VarId>,
    ) {
        self.inputs(plan);
        let blocks = self.buffers(plan, layout);
        let (poll, is_strict) = (self.poll_line(), self.emit.fp == Fp::Strict);
        let mut text = Text::new(plan, layout, tables, is_strict, poll, self.lines.depth);
        text.shared = part;
        text.repeat(plan.looped, plan.vars);
        self.lines.text.push_str(&text.lines.text);
        for block in blocks {
            self.line(format_args!("pb_dec(c, {block});"));
        }
    }

    /// The function that runs a part of a kernel, and the line that shares the kernel out.
    pub(super) fn worker(&mut self, plan: &Plan<'_>, layout: &Layout, tables: &Tables<'_>) {
        let LoopForm::For { index, count, .. } = plan.looped.form else {
            bug("codegen", "a loop with a count")
        };
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
        for var in plan.vars {
            let elem = elem_type(self.ty(*var).elem);
            field(&format!("{elem} *restrict"), &format!("q{}", var.index()));
        }
        for (_, _, kept) in &tables.loops {
            for var in kept {
                field("const int64_t *restrict", &tables::name(*var));
            }
        }
        let outer = std::mem::replace(&mut self.lines, Lines { text: String::new(), depth: 1 });
        self.is_shared = true;
        self.alone(plan, layout, tables, Some(index));
        self.is_shared = false;
        let inside = std::mem::replace(&mut self.lines, outer).text;
        let _ = write!(
            self.workers,
            "typedef struct {{\n  volatile int *stop;\n{fields}}} {name}_frame;\n\
             static void {name}(pb_ctx *c, const void *frame, int64_t from, int64_t to) {{\n\
             \x20 const {name}_frame *e = frame;\n{heads}{inside}}}\n"
        );
        let parts = layout.jams.get(&index).copied().unwrap_or(1) as i64;
        let step = if layout.lanes.contains(&index) { LANES * parts } else { 1 };
        let count = self.atom(count);
        values.insert(0, "&c->stop".to_owned());
        self.line(format_args!("const {name}_frame e = {{{}}};", values.join(", ")));
        self.line(format_args!("pb_share(c, {name}, &e, {count}, {step});"));
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
    for size in plan.sizes.values().flatten() {
        if let Size::Atom(atom) = plan.bound(*size).unwrap_or(*size) {
            note(atom);
        }
    }
    vars
}

/// Whether whatever a block adds to is made in it, or a part of an accumulator from outside that no other iteration
/// adds to.
fn adds_apart(plan: &Plan<'_>, layout: &Layout, block: &Block, index: VarId) -> bool {
    block.stmts.iter().all(|stmt| {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others change nothing from outside")]
        let is_apart = match &stmt.op {
            Op::AddAcc(acc, at, _) => acc.var().is_some_and(|acc| {
                let view = layout.view(acc);
                let first = view.prefix.first().or(at.first());
                plan.local.contains(&view.root) || first == Some(&Atom::Var(index))
            }),
            Op::ReadAcc(acc) => acc.var().is_some_and(|acc| plan.local.contains(&acc)),
            _ => true,
        };
        is_apart && stmt.op.blocks().iter().all(|block| adds_apart(plan, layout, block, index))
    })
}
