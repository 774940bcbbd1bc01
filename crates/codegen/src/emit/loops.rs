//! Code generation for loops that check every step, and the choice between them and kernels.
//!
//! ```text
//! IR  a.3 = for i.4 < n.2 { e.5 = x.0[at.1]; …; collect t.7 }
//! C   double *restrict q3 = v3.p;  for (int64_t s2 = 0, e2; s2 < v2; s2 = e2) { e2 = …; if (PB_RARE(c->stop)) …;
//! C     for (int64_t v4 = s2; v4 < e2; v4++) { if (PB_RARE((uint64_t)v1 >= …)) pb_fail_index(…);  …  q3[v4] = v7; } }
//! ```
//!
//! A loop without calls and loops inside goes in stretches (strip mining), and only the begin of a stretch asks whether
//! the run is to stop. A collected array has its memory before the loop where its sizes are known then (preallocation).
//! The rows that an inner loop collects go straight to their place in it (destination passing); other rows are copied
//! as they come.
//!
//! Law: iterations come in their order, and a failure ends the run where it happens. The count of a loop that collects
//! is checked before the first iteration.

use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Op, Scope, VarId};

use super::arrays::frame_block;
use super::blocks::Exit;
use super::body::{Body, Own};
use super::ownership::Dead;
use super::progress;
use crate::layout::elem_type;
use pullback_analysis::affine::Inside;
use pullback_analysis::cost::is_straight;

/// How many iterations of a loop without calls or loops inside pass between two looks at the limits.
pub(super) const STRETCH: i64 = 1 << 16;

/// A loop with a count.
pub(super) struct Counted<'l> {
    pub looped: &'l Loop,
    /// The last uses in its body.
    pub inner: &'l Scope,
    /// Its results.
    pub vars: &'l [VarId],
    pub index: VarId,
    pub count: Atom,
    /// The count, as it is written.
    pub text: String,
    /// Whether the index runs down.
    pub down: bool,
    /// Whether it tells how far it is.
    pub tells: bool,
}

impl Body<'_, '_> {
    /// A loop: a kernel if it can be one, and what checks every step where the kernel's guard says so.
    pub fn repeat(&mut self, looped: &Loop, inner: &[Scope], vars: &[VarId], dead: &mut Dead<'_>) {
        let number = self.fresh();
        let has_kernel = if self.is_slow { None } else { self.kernel(looped, vars, number) };
        match has_kernel {
            None => self.checked(looped, inner, vars, dead, false),
            Some(false) => {}
            Some(true) => {
                self.line(format_args!("goto done_{number};"));
                self.line(format_args!("slow_{number}:;"));
                self.is_slow = true;
                self.checked(looped, inner, vars, dead, true);
                self.is_slow = false;
                self.line(format_args!("done_{number}:;"));
            }
        }
    }

    /// A loop of which every step is checked. `is_declared`: whether its results are.
    fn checked(
        &mut self,
        looped: &Loop,
        inner: &[Scope],
        vars: &[VarId],
        dead: &mut Dead<'_>,
        is_declared: bool,
    ) {
        let (states, collected) = (looped.states.len(), &vars[looped.states.len()..]);
        for (at, (state, first)) in looped.states.iter().zip(&looped.init).enumerate() {
            let is_needed =
                first.var().is_some_and(|var| inner.iter().any(|scope| scope.uses(var)));
            let later = if is_needed { &looped.init[at..] } else { &looped.init[at + 1..] };
            let value = self.take(*first, later, dead);
            self.define(*state, &value);
            self.bind_owned(*state);
        }
        if !is_declared {
            self.declare_collected(collected);
        }
        self.open(format_args!("{{"));
        let moved = self.moved(looped);
        if let Some(moved) = &moved {
            self.begin_moved(moved);
        }
        let tells = self.is_once();
        let is_once = self.is_once();
        let parallel = self.parallel_loop(looped, vars);
        let outside = std::mem::replace(&mut self.is_inside, true);
        match &looped.form {
            LoopForm::For { index, count, down } => {
                let (text, inner) = (self.atom(*count), &inner[0]);
                let (index, count, down) = (*index, *count, *down);
                let counted = Counted { looped, inner, vars, index, count, text, down, tells };
                self.begin_all(&counted);
                match parallel {
                    Some(parallel) => self.share_out(&counted, &parallel, is_once),
                    None => self.counted(&counted),
                }
            }
            LoopForm::While(cond) => {
                for var in collected {
                    self.line(format_args!("pb_build g{} = {{.row = 1}};", var.index()));
                }
                let done = self.fresh();
                if tells {
                    self.tell_begin("-1", false);
                    self.line(format_args!("int64_t d{done} = 0;"));
                }
                self.open(format_args!("for (;;) {{"));
                self.poll();
                if tells {
                    let line = progress::done(&format!("d{done}++"), "", false);
                    self.line(format_args!("{line}"));
                }
                self.block(cond, &inner[0], &[], Exit::Condition);
                self.block(&looped.body, &inner[1], &looped.states, Exit::Next(looped, vars));
                self.close();
                if tells {
                    self.tell_end();
                }
            }
        }
        self.is_inside = outside;
        if moved.is_some() {
            self.close();
        }
        for var in collected {
            self.collected(*var);
        }
        self.close();
        for (state, var) in looped.states.iter().zip(&vars[..states]) {
            let value = format!("v{}", state.index());
            if is_declared {
                self.line(format_args!("v{} = {value};", var.index()));
            } else {
                self.define(*var, &value);
            }
            self.bind_owned(*var);
        }
    }

    /// Declares the arrays that a loop collects, but for those that lie in larger ones.
    pub fn declare_collected(&mut self, collected: &[VarId]) {
        for var in collected {
            if !self.places.contains_key(var) || self.read_there.contains(var) {
                self.declare(*var);
            }
            // Before the loop, whose end is not theirs.
            if let Some(count) = self.frame_of(*var) {
                self.frame(*var, count);
            }
        }
    }

    /// How many numbers a loop collects into an array in the frame of the function.
    fn frame_of(&self, var: VarId) -> Option<usize> {
        self.in_frame.get(&var).copied().flatten()
    }

    /// Says who counts for what a loop has collected.
    pub fn bind_collected(&mut self, var: VarId) {
        if self.frame_of(var).is_some() {
            // It goes with the frame.
            self.owns.insert(var, Own::Borrowed(var));
        } else {
            self.bind_owned(var);
        }
    }

    /// Begins what a loop with a count collects.
    fn begin_all(&mut self, of: &Counted<'_>) {
        let Counted { looped, vars, text: count, .. } = of;
        let collected = &vars[looped.states.len()..];
        if !collected.is_empty() {
            self.check_count(count);
        }
        for (var, row) in collected.iter().zip(&looped.body.results[looped.states.len()..]) {
            self.begin(*var, *row, of);
        }
    }

    /// Fails unless a number is one of elements, which is not negative.
    pub fn check_count(&mut self, count: &str) {
        let site = self.site();
        if !self.is_proven {
            self.line(format_args!(
                "if (PB_RARE({count} < 0)) pb_fail(c, {site}, PB_F_NEGATIVE, {count}, 0, 0);"
            ));
        }
    }

    /// A loop with a count, one iteration after the other.
    fn counted(&mut self, of: &Counted<'_>) {
        let Counted { looped, inner, vars, index, ref text, down, .. } = *of;
        // A few iterations without calls and loops inside take no time to speak of.
        let is_small =
            is_straight(&looped.body) && matches!(of.count, Atom::Int(n) if n <= STRETCH);
        let (i, count) = (index.index(), text);
        let is_short = is_straight(&looped.body) && !is_small;
        let tells = of.tells && !is_small;
        if tells {
            self.tell_begin(count, down);
        }
        let (start, test, step) = if down {
            (format!("{count} - 1"), format!("v{i} >= 0"), format!("v{i}--"))
        } else {
            ("0".to_owned(), format!("v{i} < {count}"), format!("v{i}++"))
        };
        if is_short {
            let e = self.fresh();
            let (whole, bound) = if down {
                (format!("s{e} >= 0"), format!("s{e} < {STRETCH} ? 0 : s{e} - {}", STRETCH - 1))
            } else {
                (
                    format!("s{e} < {count}"),
                    format!("{count} - s{e} < {STRETCH} ? {count} : s{e} + {STRETCH}"),
                )
            };
            let (next, inner_test) = if down {
                (format!("s{e} = e{e} - 1"), format!("v{i} >= e{e}"))
            } else {
                (format!("s{e} = e{e}"), format!("v{i} < e{e}"))
            };
            self.open(format_args!("for (int64_t s{e} = {start}, e{e}; {whole}; {next}) {{"));
            self.line(format_args!("e{e} = {bound};"));
            self.poll();
            if tells {
                let line = progress::done(&format!("s{e}"), count, down);
                self.line(format_args!("{line}"));
            }
            self.open(format_args!("for (int64_t v{i} = s{e}; {inner_test}; {step}) {{"));
        } else {
            self.open(format_args!("for (int64_t v{i} = {start}; {test}; {step}) {{"));
            if !is_small {
                self.poll();
            }
            if tells {
                let line = progress::done(&format!("v{i}"), count, down);
                self.line(format_args!("{line}"));
            }
        }
        self.block(&looped.body, inner, &looped.states, Exit::Next(looped, vars));
        self.close();
        if is_short {
            self.close();
        }
        if tells {
            self.tell_end();
        }
    }

    /// Begins an array that a loop with a count collects.
    fn begin(&mut self, var: VarId, row: Atom, of: &Counted<'_>) {
        let Counted { looped, index, text: count, .. } = of;
        let (ty, name) = (self.ty(var), var.index());
        let Some(sizes) = known_sizes(looped, row, ty.rank - 1) else {
            self.line(format_args!("pb_build g{name} = {{.row = 1}};"));
            return;
        };
        let mut texts = vec![count.clone()];
        for (at, size) in sizes.iter().enumerate() {
            if let Atom::Int(size) = size {
                self.know_size(var, at + 1, *size);
            }
            let size = self.atom(*size);
            self.line(format_args!(
                "const int64_t z{name}_{at} = {count} > 0 && {size} > 0 ? {size} : 0;"
            ));
            texts.push(format!("z{name}_{at}"));
        }
        if self.allocate(var, &texts) {
            self.begun.insert(var);
        }
        if let (Some(row), false) = (row.var(), sizes.is_empty()) {
            let size = texts[1..].join(" * ");
            if looped.body.mentions(row) > 1 {
                self.read_there.insert(row);
            }
            self.places.insert(row, format!("q{name} + v{} * ({size})", index.index()));
        }
    }

    /// Memory for an array of these sizes, `q` its first element; false if that is a part of a larger array.
    pub fn allocate(&mut self, var: VarId, texts: &[String]) -> bool {
        let (ty, name, site) = (self.ty(var), var.index(), self.site());
        let (elem, pointer) = (self.elem(ty), elem_type(ty.elem));
        if let Some(place) = self.places.get(&var).cloned() {
            self.line(format_args!("{pointer} *restrict q{name} = {place};"));
            if self.read_there.contains(&var) {
                let (c_type, sizes) = (self.c_type(ty), texts.join(", "));
                self.line(format_args!("v{name} = ({c_type}){{0, q{name}, {{{sizes}}}}};"));
            }
            false
        } else {
            let c_type = self.c_type(ty);
            let items =
                if ty.elem == Elem::Unit { "0".to_owned() } else { format!("PB_ITEMS(v{name}.b)") };
            self.line(format_args!("{{"));
            self.line(format_args!("  {c_type} t = {{0, 0, {{{}}}}};", texts.join(", ")));
            let block = if self.frame_of(var).is_some() {
                frame_block(var)
            } else if self.is_once() {
                format!("pb_room_once(c, {site}, {elem}, t.d, {})", ty.rank)
            } else {
                format!("pb_buffer_of(c, {site}, {elem}, pb_count_checked(t.d, {}))", ty.rank)
            };
            self.line(format_args!("  t.b = {block};"));
            self.line(format_args!("  v{name} = t;"));
            self.line(format_args!("}}"));
            self.line(format_args!("v{name}.p = {items};"));
            self.line(format_args!("{pointer} *restrict q{name} = v{name}.p;"));
            true
        }
    }

    /// The results of an iteration.
    pub fn next(&mut self, looped: &Loop, vars: &[VarId], results: &[Atom], dead: &mut Dead<'_>) {
        let states = looped.states.len();
        for (at, var) in vars.iter().enumerate().skip(states) {
            let later = [&results[at + 1..], &results[..states]].concat();
            self.collect(*var, results[at], &looped.form, &later, dead);
        }
        let values: Vec<String> =
            (0..states).map(|at| self.take(results[at], &results[at + 1..states], dead)).collect();
        // The states of this iteration end before their variables get the next ones.
        self.bury(dead);
        self.assign(&looped.states, &values);
    }

    /// Adds a value to what a loop collects. `later` are atoms that are still needed.
    fn collect(
        &mut self,
        var: VarId,
        value: Atom,
        form: &LoopForm,
        later: &[Atom],
        dead: &mut Dead<'_>,
    ) {
        let (ty, name, site) = (self.ty(var), var.index(), self.site());
        if value.var().is_some_and(|row| self.places.remove(&row).is_some()) {
            return;
        }
        let (elem, rank) = (self.elem(ty), ty.rank);
        if rank == 1 {
            let text = self.take(value, later, dead);
            match form {
                LoopForm::For { index, .. } => {
                    self.line(format_args!("q{name}[v{}] = {text};", index.index()));
                }
                LoopForm::While(_) => {
                    let pointer = elem_type(ty.elem);
                    self.line(format_args!(
                        "if (PB_RARE(g{name}.len == g{name}.room)) pb_build_room(c, {site}, {elem}, &g{name}, g{name}.room * 2 + 8);"
                    ));
                    self.line(format_args!("(({pointer} *)g{name}.p)[g{name}.len++] = {text};"));
                }
            }
            return;
        }
        let (text, row_type) = (self.atom(value), self.c_type(self.type_of(value)));
        let (place, expected) = match form {
            LoopForm::For { index, count, .. } => {
                (format!("v{}", index.index()), self.atom(*count))
            }
            LoopForm::While(_) => (format!("g{name}.len"), "0".to_owned()),
        };
        self.line(format_args!(
            "{{ const {row_type} t = {text}; pb_build_row(c, {site}, {elem}, {}, &g{name}, &t, {place}, {expected}); }}",
            rank - 1
        ));
    }

    /// The array that a loop has collected.
    fn collected(&mut self, var: VarId) {
        let (ty, name, site) = (self.ty(var), var.index(), self.site());
        if self.places.contains_key(&var) {
            return;
        }
        if self.begun.remove(&var) {
            self.bind_collected(var);
            return;
        }
        let (elem, c_type) = (self.elem(ty), self.c_type(ty));
        self.line(format_args!(
            "{{ {c_type} t; pb_built(c, {site}, {elem}, {}, &g{name}, &t); v{name} = t; }}",
            ty.rank
        ));
        self.bind_owned(var);
    }
}

/// The sizes of a row, if they are known before the loop whose body makes it: it is collected by a loop that
/// runs as often every time, and by nothing else needed.
fn known_sizes(looped: &Loop, row: Atom, rank: u8) -> Option<Vec<Atom>> {
    if rank == 0 {
        return Some(vec![]);
    }
    let mut sizes = vec![];
    row_sizes(&looped.body, row, rank, &Inside::of(looped), &mut sizes)?;
    Some(sizes)
}

fn row_sizes(
    body: &Block,
    row: Atom,
    rank: u8,
    inside: &Inside,
    sizes: &mut Vec<Atom>,
) -> Option<()> {
    let var = row.var()?;
    let stmt = body.stmts.iter().find(|stmt| stmt.vars.contains(&var))?;
    let Op::Loop(inner) = &stmt.op else { return None };
    let LoopForm::For { count, .. } = inner.form else { return None };
    let at = stmt.vars.iter().position(|other| *other == var)?;
    let is_state = at < inner.states.len();
    let is_uniform = inside.is_uniform(count);
    if body.mentions(var) != 1 + reads(body, var, rank) || is_state || !is_uniform {
        return None;
    }
    sizes.push(count);
    if rank > 1 {
        row_sizes(&inner.body, inner.body.results[at], rank - 1, inside, sizes)
    } else {
        Some(())
    }
}

/// How often a block reads a number from an array of this rank, or asks its size.
fn reads(block: &Block, array: VarId, rank: u8) -> usize {
    let mut reads = 0;
    block.visit(&mut |stmt| {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others may hold the array")]
        let is_read = match &stmt.op {
            Op::Index(of, at) => *of == array.into() && at.len() == usize::from(rank),
            Op::Dim(of, _) => *of == array.into(),
            _ => false,
        };
        reads += usize::from(is_read);
    });
    reads
}
