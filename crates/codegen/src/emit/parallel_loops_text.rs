//! Loop parallelisation with an ordered fold: loops that call, search, allocate or fail are outlined into functions
//! over a range of iterations, and threads share the ranges out.
//!
//! ```text
//! IR  s.3 = for i.4 < n.2 with s.5 = 0.0 { v.6 = @f.1(x.7, t.0)  s.8 = add(s.5, v.6)  yield s.8 }
//! C   static void f0_s2(pb_ctx *c, const void *frame, int64_t from, int64_t to, double *own) { … left[…].r = v6; }
//! C   static void f0_s2_fold(void *frame, int64_t from, int64_t to) { … v8 = v5 + v6; … }   pb_spread(c, …);
//! ```
//!
//! What is shared out is a loop whose iterations hang on each other by a few numbers at their end at most, such as a
//! sum ([`super::parallel_loops`] says which). The frame holds what the body needs from around it. The numbers that an
//! iteration leaves for the next ones are kept, and what is made of them is made afterwards, in order. Each thread has
//! a context of its own, with its memory, its stack, and its copy of the constants that are known. No block is counted
//! by two threads: the function holds arrays from outside by heads of its own, and of data it has a copy in each
//! thread. What an iteration makes goes when it ends, but for what is collected: numbers have their place before, and
//! the memory of threads in which data lies that stays is the run's afterwards. What iterations add to accumulators is
//! added in their own part of it where there is one; else each piece of the loop adds to zeros, and these sums are
//! added in order. Such pieces are the same however many threads there are, one too.
//!
//! Law: bits and errors are those of the loop, and of one thread, since the text is the same for any number of threads,
//! each iteration is computed alone, and what adds up is added up in order. A piece that fails is not done; what is not
//! done is done in order by the run itself, with all its memory and its stack.
//!
//! Cost: a frame, and what iterations leave. Where there may be several threads, the first iterations are timed, and
//! the others are shared out if that is worth it (`runtime/spread.c`).

use std::fmt::Write;

use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Type, VarId};

use super::blocks::Exit;
use super::body::Body;
use super::loops::Counted;
use super::parallel_loops::ParallelLoop;
use super::{Lines, progress};
use crate::layout::{elem_number, elem_type};
use pullback_analysis::cost::{Unknown, steps};

/// The copies that threads have of data.
struct Copies {
    /// The type of what holds them.
    fields: String,
    /// The lines that make them once, and find them.
    lines: String,
    /// The lines that give the copies back.
    ends: String,
}

/// A loop inside another one is not shared out if it is known to run less often than this.
const FEW: i64 = 16;
/// How often a loop is thought to run, and how many statements a recursive call, where nothing says so. The pieces in
/// which accumulators are added up hang on it, so that other numbers would give other last bits.
const UNKNOWN: Unknown = Unknown { iterations: 16.0, recursion: 64.0 };
/// The most statements of an iteration that the runtime tells apart.
const MOST_STEPS: f64 = 1_048_576.0;

/// The functions of a loop that is shared out.
struct Made {
    name: String,
    /// The values of its frame.
    frame: Vec<String>,
    /// Which of its arrays are made row by row.
    builds: Vec<VarId>,
    /// How many accumulators it adds to such that each iteration has a part of its own.
    sums: usize,
    /// Whether there is a function that lets go of the copies of a thread.
    ends: bool,
}

impl Body<'_, '_> {
    /// How a loop is shared out among threads, if it may be.
    pub(super) fn parallel_loop(&self, looped: &Loop, vars: &[VarId]) -> Option<ParallelLoop> {
        let LoopForm::For { count, .. } = looped.form else { return None };
        let is_once = self.is_once();
        let is_short = matches!(count, Atom::Int(count) if count < FEW) && !is_once;
        let parallel_loops = self.emit.parallel_loops.as_ref()?;
        let collected = &vars[looped.states.len()..];
        let stays = self.is_slow
            || self.is_parallel
            || is_short
            || !parallel_loops.holds(self.func)
            || collected.iter().any(|var| self.places.contains_key(var));
        if stays {
            return None;
        }
        parallel_loops.parallel_loop(self.emit.program, looped, self.facts())
    }

    /// The lines that run such a loop; its states are there, and its arrays are begun.
    pub(super) fn share_out(&mut self, of: &Counted<'_>, parallel: &ParallelLoop, is_once: bool) {
        let (looped, count) = (of.looped, &of.text);
        if of.tells {
            self.tell_begin(count, of.down);
        }
        let Made { name, frame, builds, sums, ends } = self.functions_of(of, parallel);
        let fold = if looped.states.is_empty() { "0".to_owned() } else { format!("{name}_fold") };
        // What keeps cells uses no constant.
        let known = if self.emit.has_constants() && !parallel.keeps {
            self.emit.shares_constants = true;
            self.emit.named("lend")
        } else {
            "0".to_owned()
        };
        let site = self.site();
        let (rows, words, is_once) = (builds.len(), parallel.left.len(), i32::from(is_once));
        let (adds, weight) = (parallel.summed.len(), self.weight(looped));
        let (keeps, end) =
            (i32::from(parallel.keeps), if ends { format!("{name}_end") } else { "0".to_owned() });
        self.line(format_args!(
            "static const pb_loop {name}_loop = {{{name}, {fold}, {known}, {end}, {site}, {words}, {rows}, {sums}, {adds}, {keeps}, {is_once}, {weight}}};"
        ));
        self.line(format_args!("{name}_frame e = {{{}}};", frame.join(", ")));
        self.line(format_args!("pb_spread(c, &{name}_loop, &e, {count});"));
        for state in &looped.states {
            self.line(format_args!("v{0} = e.k{0};", state.index()));
        }
        for var in builds {
            self.line(format_args!("g{}.len = {count};", var.index()));
        }
        if of.tells {
            self.tell_end();
        }
    }

    /// The functions that run iterations, and what is done in order.
    fn functions_of(&mut self, of: &Counted<'_>, parallel: &ParallelLoop) -> Made {
        let Counted { looped, vars, .. } = *of;
        let name = format!("{}_s{}", self.emit.name(self.func), self.fresh());
        let collected = &vars[looped.states.len()..];
        let (mut fields, mut heads) = (String::from("  pb_left left;\n"), String::new());
        let mut ends = String::new();
        let mut frame = vec!["{0, 0, 0}".to_owned()];
        let rows: Vec<VarId> =
            collected.iter().copied().filter(|var| !self.begun.contains(var)).collect();
        for var in rows.iter().map(|var| var.index()) {
            let _ = writeln!(fields, "  pb_build *g{var};");
            let _ = writeln!(heads, "  pb_build g{var} = *e->g{var};");
            let _ = writeln!(ends, "  if (e->left.is_ordered) *e->g{var} = g{var};");
            frame.push(format!("&g{var}"));
        }
        let is_summed = |acc: &VarId| parallel.summed.contains(acc);
        let mut accs: Vec<VarId> =
            parallel.outside.iter().copied().filter(|var| self.ty(*var).is_acc).collect();
        accs.sort_by_key(is_summed);
        for acc in &accs {
            let (name, rank) = (acc.index(), self.ty(*acc).rank);
            let _ = writeln!(fields, "  pb_sums s{name};");
            frame.push(if rank > 0 {
                format!("{{v{name}.p, pb_count(v{name}.d, {rank})}}")
            } else {
                format!("{{v{name}, 1}}")
            });
        }
        let sums = accs.iter().filter(|acc| !is_summed(acc)).count();
        let mut places = String::new();
        for acc in &accs[sums..] {
            let (name, part) = (acc.index(), if self.ty(*acc).is_array() { ".p" } else { "" });
            let _ = write!(places, "    v{name}{part} = own;\n    own += e->s{name}.count;\n");
        }
        if !places.is_empty() {
            places = format!("  if (own) {{\n{places}  }}\n");
        }
        let mut field = |ty: &str, name: &str| {
            let _ = writeln!(fields, "  {ty} {name};");
            let _ = writeln!(heads, "  {ty} {name} = e->{name};");
            frame.push(name.to_owned());
        };
        let mut own = String::new();
        for var in &parallel.outside {
            let (ty, name) = (self.ty(*var), format!("v{}", var.index()));
            field(&self.c_type(ty), &name);
            own.push_str(&self.own_head(*var));
        }
        for (var, row) in collected.iter().zip(&looped.body.results[looped.states.len()..]) {
            let (ty, name) = (self.ty(*var), var.index());
            if self.begun.contains(var) {
                field(&format!("{} *restrict", elem_type(ty.elem)), &format!("q{name}"));
            }
            if row.var().is_some_and(|row| self.places.contains_key(&row)) {
                (1..ty.rank).for_each(|at| field("int64_t", &format!("z{name}_{}", at - 1)));
            }
        }
        let states: Vec<(String, usize)> = looped
            .states
            .iter()
            .map(|state| (self.c_type(self.ty(*state)), state.index()))
            .collect();
        for (ty, state) in &states {
            let _ = writeln!(fields, "  {ty} k{state};");
            frame.push(format!("v{state}"));
        }
        let copies = self.copies(&parallel.outside, &name);
        let has_ends = parallel.keeps && !copies.ends.is_empty();
        let ending = if has_ends {
            format!("static void {name}_end(pb_ctx *c, void *copies) {{\n{}}}\n", copies.ends)
        } else {
            String::new()
        };
        let inside = self.iterations(of, parallel);
        let fold = self.fold(of, parallel, &name);
        let _ = write!(
            self.workers,
            "typedef struct {{\n{fields}}} {name}_frame;\n\
             {copied}{ending}static void {name}(pb_ctx *c, const void *frame, int64_t from, int64_t to, double *own) {{\n\
             \x20 const {name}_frame *e = frame;\n{heads}{places}{copying}{own}{inside}{ends}}}\n{fold}",
            copied = copies.fields,
            copying = copies.lines,
        );
        Made { name, frame, builds: rows, sums, ends: has_ends }
    }

    /// How many statements an iteration runs, roughly.
    fn weight(&self, looped: &Loop) -> u32 {
        let (program, graph) = (self.emit.program, &self.emit.graph);
        steps(program, &graph.is_recursive, UNKNOWN, &looped.body).min(MOST_STEPS) as u32
    }

    /// How each thread gets its own copies of the data from outside.
    fn copies(&mut self, outside: &[VarId], name: &str) -> Copies {
        let (mut fields, mut copy, mut get) = (String::new(), String::new(), String::new());
        let mut end = String::new();
        for var in outside {
            let (ty, name) = (self.ty(*var), format!("v{}", var.index()));
            if !has_cells(ty) {
                continue;
            }
            let _ = writeln!(fields, "  {} {name};", self.c_type(ty));
            let _ = writeln!(copy, "      mine->{name} = {name};");
            if ty.is_array() {
                let _ = writeln!(copy, "      pb_copy_array(&copier, &mine->{name});");
                let _ = writeln!(end, "  pb_dec(c, mine->{name}.b);");
            } else {
                let _ = writeln!(copy, "      mine->{name} = pb_copy_block(&copier, {name});");
                let _ = writeln!(end, "  pb_dec_data(c, mine->{name});");
            }
            let _ = writeln!(get, "    {name} = mine->{name};");
        }
        if fields.is_empty() {
            return Copies { fields, lines: String::new(), ends: String::new() };
        }
        Copies {
            fields: format!("typedef struct {{\n{fields}}} {name}_copies;\n"),
            lines: format!(
                "  if (c->in_crew && !e->left.is_ordered) {{\n\
                 \x20   {name}_copies *mine = c->copies;\n\
                 \x20   if (!mine) {{\n\
                 \x20     pb_copier copier = {{.c = c}};\n\
                 \x20     mine = pb_take(c, -1, (sizeof *mine + 15) / 16 * 16);\n\
                 {copy}\
                 \x20     pb_copied(&copier);\n\
                 \x20     c->copies = mine;\n\
                 \x20   }}\n\
                 {get}\
                 \x20 }}\n"
            ),
            ends: format!(
                "  {name}_copies *mine = copies;\n\
                 {end}\
                 \x20 pb_give(c, mine, (sizeof *mine + 15) / 16 * 16);\n"
            ),
        }
    }

    /// The lines by which a function holds an array from outside by a head of its own, and has a place for it where its
    /// callers have one.
    fn own_head(&self, var: VarId) -> String {
        let (ty, name) = (self.ty(var), var.index());
        let mut lines = String::new();
        let has_block = ty.is_array() && !ty.is_acc && ty.elem != Elem::Unit;
        if has_block && !has_cells(ty) {
            let elem = elem_number(ty.elem);
            let _ = writeln!(lines, "  pb_buffer h{name} = PB_LENT({elem});");
            let _ = writeln!(lines, "  if (v{name}.b != &pb_undef) v{name}.b = &h{name}.head;");
        }
        let params = &self.emit.program.funcs[self.func].params;
        let at = params.iter().position(|param| *param == var);
        if at.is_some_and(|at| self.emit.by_place[self.func][at]) {
            let ty = crate::layout::var_type(ty);
            let _ = writeln!(lines, "  const {ty} *const l{name} = &v{name};");
        }
        lines
    }

    /// The lines that run iterations.
    fn iterations(&mut self, of: &Counted<'_>, parallel: &ParallelLoop) -> String {
        let (looped, collected) = (of.looped, &of.vars[of.looped.states.len()..]);
        let outer = std::mem::replace(&mut self.lines, Lines { text: String::new(), depth: 1 });
        self.open(format_args!("for (int64_t turn = from; turn < to; turn++) {{"));
        self.iteration(of);
        self.poll();
        if of.tells {
            let line = progress::done("turn", &of.text, false);
            self.line(format_args!("{line}"));
        }
        let body = Block {
            stmts: looped.body.stmts.clone(),
            results: looped.body.results[looped.states.len()..].to_vec(),
        };
        let bare =
            Loop { form: looped.form.clone(), states: vec![], init: vec![], body: body.clone() };
        let is_parallel = std::mem::replace(&mut self.is_parallel, true);
        self.folded.clone_from(&parallel.folded);
        self.block(&body, of.inner, &[], Exit::Next(&bare, collected));
        self.folded.clear();
        self.is_parallel = is_parallel;
        let words = parallel.left.len();
        for (at, var) in parallel.left.iter().enumerate() {
            let (name, field) = (var.index(), word(self.ty(*var).elem));
            self.line(format_args!(
                "e->left.left[(turn - e->left.first) * {words} + {at}].{field} = v{name};"
            ));
        }
        self.close();
        std::mem::replace(&mut self.lines, outer).text
    }

    /// The index of an iteration.
    fn iteration(&mut self, Counted { index, text: count, down, .. }: &Counted<'_>) {
        let i = index.index();
        if *down {
            self.line(format_args!("const int64_t v{i} = {count} - 1 - turn;"));
        } else {
            self.line(format_args!("const int64_t v{i} = turn;"));
        }
    }

    /// The function that does what is done in order, if there is anything.
    fn fold(&mut self, of: &Counted<'_>, parallel: &ParallelLoop, name: &str) -> String {
        let looped = of.looped;
        if looped.states.is_empty() {
            return String::new();
        }
        let outer = std::mem::replace(&mut self.lines, Lines { text: String::new(), depth: 1 });
        let (span, is_proven) = (self.span, self.is_proven);
        let mut used: Vec<Atom> = looped.body.results[..looped.states.len()].to_vec();
        let folded = |stmt: &&pullback_ir::Stmt| {
            stmt.vars.first().is_some_and(|var| parallel.folded.contains(var))
        };
        for stmt in looped.body.stmts.iter().filter(folded) {
            stmt.op.for_each_atom(&mut |atom| used.push(atom));
        }
        used.extend(of.down.then_some(of.count));
        for var in parallel.outside.iter().filter(|var| used.contains(&Atom::Var(**var))) {
            self.define(*var, &format!("e->v{}", var.index()));
        }
        for state in &looped.states {
            self.define(*state, &format!("e->k{}", state.index()));
        }
        self.open(format_args!("for (int64_t turn = from; turn < to; turn++) {{"));
        self.iteration(of);
        let words = parallel.left.len();
        for (at, var) in parallel.left.iter().enumerate() {
            let field = word(self.ty(*var).elem);
            self.define(
                *var,
                &format!("e->left.left[(turn - e->left.first) * {words} + {at}].{field}"),
            );
        }
        for stmt in looped.body.stmts.iter().filter(folded) {
            // What may fail is there only where it does not.
            (self.span, self.is_proven) = (stmt.span, true);
            self.stmt(stmt, &[], &[]);
        }
        (self.span, self.is_proven) = (span, is_proven);
        let values: Vec<String> = looped.body.results[..looped.states.len()]
            .iter()
            .map(|atom| self.atom(*atom))
            .collect();
        self.assign(&looped.states, &values);
        self.close();
        for state in looped.states.iter().map(|state| state.index()) {
            self.line(format_args!("e->k{state} = v{state};"));
        }
        let lines = std::mem::replace(&mut self.lines, outer).text;
        format!(
            "static void {name}_fold(void *frame, int64_t from, int64_t to) {{\n\
             \x20 {name}_frame *e = frame;\n{lines}}}\n"
        )
    }
}

/// The field of a word that has a number.
fn word(elem: Elem) -> &'static str {
    if elem == Elem::Real { "r" } else { "i" }
}

/// Whether there are cells in a value, or Strings: these have counts.
fn has_cells(ty: Type) -> bool {
    matches!(ty.elem, Elem::Data(_) | Elem::Str) && !ty.is_acc
}
