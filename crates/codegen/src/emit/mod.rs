//! Code generation: C text for programs of the IR.
//!
//! Input: programs without requests for derivatives, their roots, and which statements are known not to fail. Output: C
//! that has one variable for each variable of the IR, and C's own loops and branches. Several programs share the
//! runtime and the types of arrays; the names of each begin with its number.
//!
//! ```text
//! IR  fn @tail.0(n.0: i64, s.1: f64) -> f64 { none.2: bool = int_lt(n.0, 1) … x.5: f64 = mul(s.1, 0.5) … }
//! C   static double f_3e(pb_ctx *c, int64_t v0, double v1) { _Bool v2 = v0 < INT64_C(1); … v5 = v1 * (0x1.0p-1); … }
//! ```
//!
//! Law: the C gives the values and the errors that the evaluator of the IR gives, each error at its place in the
//! program; [`Fp`] says what numbers may differ in. The text has no names of the program but hashes of them
//! (`stable_names`), is the same for the same program, and calls nothing but C's library.
//!
//! Ownership: reference counts are inserted as by Perceus (Reinking et al. 2021). Every counted variable (an array, a
//! String, or a data value that may have fields) either owns one count or borrows from a variable that outlives the
//! block it is bound in. A parameter owns, and so does a result. What keeps a value takes its count over if that is the
//! last use, else it adds one; an owner that dies otherwise gives its count back. Reading takes no part in this. So
//! what changes an array sees at its count whether anybody else holds it. A run that fails frees nothing one by one:
//! its memory goes as a whole.

mod accumulators;
mod arrays;
mod blocks;
mod body;
mod borrow;
mod control;
mod data;
mod declarations;
mod function;
mod inline_base_cases;
mod kernel;
mod literals;
mod loop_idioms;
mod loops;
mod numbers;
mod outline_slow_path;
mod ownership;
mod parallel_loops;
mod parallel_loops_text;
mod places;
pub(crate) mod precompiled;
mod primitives;
mod progress;
mod rounded;
mod routines;
mod runtime;
mod shared;
mod split_functions;
mod stable_names;
mod statements;
mod translation_units;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

use pullback_analysis::call_graph::{CallGraph, reaching, running, runs};
use pullback_analysis::facts::Facts;
use pullback_base::{Id, IdVec, Span};
use pullback_ir::{DataId, Func, FuncId, LoopForm, Op, Program, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::layout::{MAX_RANK, canonical_strings, own_types, with_cells};
use crate::limits::WORTH;
use crate::registers::Registers;
use crate::schedule::{Directives, Schedule};
use crate::transformations::{Which, Without};
use inline_base_cases::bases;
use parallel_loops::{ParallelLoops, whole_accs};
use runtime::{Place, Role, Runtime};
use shared::{OWN, array_types, run};
pub use stable_names::Sites;
pub(crate) use stable_names::{function_numbers, named_by};

pub(crate) use shared::{bytes, texts};

/// What numbers may differ in from those of the evaluator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fp {
    /// Nothing.
    Strict,
    /// The order in which sums are added up, and the last places of `exp` and the like; always the same for the
    /// same program and input.
    #[default]
    Fast,
}

/// A program as C.
#[derive(Debug)]
pub struct Code {
    /// The text.
    pub text: String,
    /// The same as several translation units, which can be compiled side by side; empty if there is only one.
    pub(crate) units: Vec<String>,
    /// The places in the source that errors name by number.
    pub sites: Sites,
    /// Whether it recurses, so that it needs a large stack.
    pub recurses: bool,
    /// What numbers may differ in.
    pub fp: Fp,
}

impl Code {
    /// The texts of its translation units without the runtime; none if there is only one.
    pub fn translation_units(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|text| text.split_once(OWN).map_or("", |(_, own)| own).trim_start())
    }

    /// The part of the text that is this program's own.
    pub fn own(&self) -> &str {
        self.text.split_once(OWN).map_or("", |(_, own)| own).trim_start()
    }
}

/// A program that is to become C.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'p> {
    /// The program, without requests.
    pub program: &'p Program,
    /// The functions that are called from outside.
    pub roots: &'p [FuncId],
    /// What is known of its statements, which have the ids that they had then.
    pub facts: &'p Facts,
    /// What numbers may differ in.
    pub fp: Fp,
    /// How many multiplications a loop that does a known number of them is to do for several threads: usually [`WORTH`].
    pub worth: f64,
    /// How long functions and texts may be.
    pub cuts: Cuts,
    /// The vector registers of the processor that it is for.
    pub registers: Registers,
    /// The transformations that are left out.
    pub without: Without,
    /// What somebody has decided of its loops.
    pub directives: &'p Directives,
}

/// What is decided where nobody decides.
static UNDECIDED: Directives = Directives::new();

impl<'p> Unit<'p> {
    /// A program as it usually becomes C: fast code, for the widest registers.
    pub fn of(program: &'p Program, roots: &'p [FuncId], facts: &'p Facts) -> Self {
        let (fp, cuts, registers) = (Fp::default(), Cuts::USUAL, Registers::WIDE);
        let (worth, without, directives) = (WORTH, Without::default(), &UNDECIDED);
        Self { program, roots, facts, fp, worth, cuts, registers, without, directives }
    }
}

/// How long functions and texts may be before they become several.
#[derive(Clone, Copy, Debug)]
pub struct Cuts {
    /// From how many statements on a function becomes several, those of loops counted as often as a kernel writes them.
    pub statements: usize,
    /// From how many bytes on a text becomes several.
    pub bytes: usize,
}

impl Cuts {
    /// What C's compiler is quick with.
    pub const USUAL: Self = Self { statements: 600, bytes: 100_000 };
}

/// The C of a program, for the widest registers; as [`Unit`] says. An error says what C cannot do.
pub fn emit(program: &Program, roots: &[FuncId], facts: &Facts, fp: Fp) -> Result<Code, String> {
    emit_all(&[Unit { fp, ..Unit::of(program, roots, facts) }])
}

/// The C of a program, and the schedule of its loops.
pub fn emit_scheduled(unit: Unit<'_>) -> Result<(Code, Schedule), String> {
    emit_with(&[unit], Place::Alone)
}

/// What numbers may differ in, in a file with these programs.
fn fp_of(units: &[Unit<'_>]) -> Fp {
    if units.iter().all(|unit| unit.fp == Fp::Fast) { Fp::Fast } else { Fp::Strict }
}

/// What files begin with. Where bits may differ a product and a sum are rounded once; where not, C's functions are
/// called for constants too. The compiler takes long over the line that asks for the former, which it reads again for
/// each function: so whoever defines `PB_CONTRACTS` asks by an option. `PB_PORTABLE` says that bits are to be those of
/// other machines, some of which cannot round once.
fn first_lines(fp: Fp) -> String {
    let mut text = String::from("/* Made by Pullback. */\n#define _GNU_SOURCE\n");
    match fp {
        Fp::Fast => text.push_str(
            "#if !defined(PB_CONTRACTS) && !defined(PB_PORTABLE)\n#ifdef __clang__\n#pragma clang fp contract(fast)\n#elif defined(__GNUC__)\n\
             #pragma GCC optimize(\"fp-contract=fast\")\n#endif\n#endif\n",
        ),
        Fp::Strict => text.push_str("#define PB_STRICT\n"),
    }
    text
}

/// The functions of programs, without what calls them from outside.
pub(crate) struct Parts {
    pub own: String,
    pub sites: Sites,
}

/// A file for a library of these programs: with what is to stand first, and the rest of it.
pub(crate) fn library_file(units: &[Unit<'_>], rest: &str) -> String {
    file(fp_of(units), Place::Library, rest)
}

/// A file with what is to stand first.
fn file(fp: Fp, place: Place, rest: &str) -> String {
    let runtime = Runtime { is_strict: fp == Fp::Strict, place, unit: Role::Only };
    let is_library = place == Place::Library;
    let library = if is_library && runtime.is_strict { "#define PB_LIBRARY\n" } else { "" };
    [&first_lines(fp), library, &runtime.for_text(rest), rest].concat()
}

/// What the names of a program begin with, of so many in a file: not as local names do, which are numbered anew.
pub(crate) fn prefix(number: usize, count: usize) -> String {
    if count == 1 { String::new() } else { format!("u_{number}_") }
}

/// The C of programs, for a library.
pub(crate) fn parts(units: &[Unit<'_>]) -> Result<Parts, String> {
    let (mut shared, mut programs) = (Shared::default(), String::new());
    for (number, unit) in units.iter().enumerate() {
        check_ranks(unit.program)?;
        let split = unit.split();
        let mut emit = Emit::new(split.unit(unit), prefix(number, units.len()), shared);
        programs.push_str(&emit.text(None).whole());
        shared = emit.shared;
    }
    let own = [array_types(&shared.types), programs].concat();
    Ok(Parts { own, sites: shared.sites })
}

/// The C of several programs in one file, which nothing else is needed for. Their roots are numbered through, in order.
pub fn emit_all(units: &[Unit<'_>]) -> Result<Code, String> {
    emit_with(units, Place::Alone).map(|(code, _)| code)
}

/// The same for this process, which has the precompiled part of the runtime.
pub fn emit_here(units: &[Unit<'_>]) -> Result<Code, String> {
    let place = if cfg!(precompiled) { Place::Here } else { Place::Alone };
    emit_with(units, place).map(|(code, _)| code)
}

fn emit_with(units: &[Unit<'_>], place: Place) -> Result<(Code, Schedule), String> {
    let fp = fp_of(units);
    let mut code =
        Code { text: String::new(), units: vec![], sites: Sites::default(), recurses: false, fp };
    let mut shared = Shared::default();
    let mut schedule = Schedule::default();
    let (mut texts, mut starts) = (vec![], vec![]);
    for (number, unit) in units.iter().enumerate() {
        check_ranks(unit.program)?;
        let split = unit.split();
        let unit = split.unit(unit);
        let mut emit = Emit::new(unit, prefix(number, units.len()), shared);
        emit.is_library = false;
        if !unit.without.has(Which::ParallelLoops) {
            emit.parallel_loops = Some(ParallelLoops::of(
                unit.program,
                unit.roots,
                &emit.whole_accs,
                unit.fp == Fp::Strict,
            ));
        }
        texts.push(emit.text(Some(unit.roots)));
        starts.push((emit.named("start"), unit.roots.len()));
        code.recurses |= emit.graph.is_recursive.iter().any(|recurses| *recurses);
        shared = emit.shared;
        schedule = emit.schedule;
    }
    let (types, run) = (array_types(&shared.types), run(&starts));
    let own: String = texts.iter().map(|text| text.whole()).collect();
    code.text = file(fp, place, &[types.as_str(), &own, &run].concat());
    if !units.iter().any(|unit| unit.without.has(Which::TranslationUnits)) {
        let most = units.iter().map(|unit| unit.cuts.bytes).min().unwrap_or(0);
        code.divide(&texts, (&types, &run), most, place);
    }
    code.sites = shared.sites;
    Ok((code, schedule))
}

fn check_ranks(program: &Program) -> Result<(), String> {
    let fields =
        program.datas.iter().flat_map(|data| &data.constructors).flat_map(|con| &con.fields);
    let mut types = program.vars.iter().map(|var| var.ty).chain(fields.copied());
    if types.any(|ty| ty.rank > MAX_RANK) {
        return Err(format!("native code has arrays of at most {MAX_RANK} dimensions"));
    }
    Ok(())
}

/// A program while its text is being written.
struct Emit<'p> {
    pub program: &'p Program,
    pub facts: &'p Facts,
    pub fp: Fp,
    /// The products that are not to be rounded with a difference at once.
    rounded: Rc<FxHashSet<VarId>>,
    /// The sizes that what is emitted has checked: of an array, at a dimension.
    known: Rc<FxHashMap<(VarId, u8), i64>>,
    /// Whether the code is for a library: no thread runs its loops, and it also looks at deadlines and listeners.
    pub is_library: bool,
    /// From how many statements on threads may run its loops, where that number is known.
    worth: f64,
    pub registers: Registers,
    /// The transformations that are left out.
    without: Without,
    /// Which loops over anything threads may share out.
    parallel_loops: Option<ParallelLoops>,
    /// Whether threads get the constants that are known.
    shares_constants: bool,
    /// What the names of this program begin with.
    prefix: String,
    /// The numbers by which C and errors know functions.
    numbers: IdVec<FuncId, u32>,
    /// The number of the function that is being written.
    writes: u32,
    has_cells: IdVec<DataId, bool>,
    own_types: IdVec<DataId, bool>,
    /// Accumulators that the functions which use them made: no two are parts of one.
    whole_accs: Rc<FxHashSet<VarId>>,
    strings: Vec<usize>,
    graph: Graph,
    /// Which parameters of functions are lent to them.
    lent: IdVec<FuncId, Vec<bool>>,
    /// Which they get by their places.
    by_place: IdVec<FuncId, Vec<bool>>,
    /// Which something may hold when they have returned.
    held: FxHashSet<VarId>,
    /// Which ways of their last branch callers have in their place.
    bases: IdVec<FuncId, Option<Vec<bool>>>,
    shared: Shared,
    /// What somebody has decided of loops.
    pub directives: &'p Directives,
    /// The schedule of all loops so far.
    pub schedule: Schedule,
}

/// What the programs of a file share.
#[derive(Default)]
struct Shared {
    sites: Sites,
    /// The array types that the text names.
    types: BTreeSet<Type>,
}

/// No parameter of any function.
fn none_of(program: &Program) -> IdVec<FuncId, Vec<bool>> {
    program.funcs.iter().map(|func| vec![false; func.params.len()]).collect()
}

impl<'p> Emit<'p> {
    fn new(unit: Unit<'p>, prefix: String, shared: Shared) -> Self {
        let graph = Graph::of(unit.program, unit.roots);
        let without = unit.without;
        let (mut lent, mut by_place) = (none_of(unit.program), none_of(unit.program));
        if !without.has(Which::Borrow) {
            lent = borrow::lent(unit.program, unit.roots, &graph.is_recursive);
            by_place = borrow::by_place(unit.program, unit.roots, &graph.is_recursive, &lent);
        }
        Self {
            program: unit.program,
            facts: unit.facts,
            fp: unit.fp,
            known: Rc::default(),
            rounded: Rc::new(match unit.fp {
                Fp::Fast => rounded::rounded(unit.program),
                Fp::Strict => FxHashSet::default(),
            }),
            is_library: true,
            worth: unit.worth,
            registers: unit.registers,
            parallel_loops: None,
            shares_constants: false,
            prefix,
            numbers: function_numbers(unit.program),
            writes: 0,
            has_cells: with_cells(&unit.program.datas),
            own_types: own_types(unit.program, unit.roots),
            whole_accs: Rc::new(whole_accs(unit.program)),
            strings: canonical_strings(unit.program),
            held: borrow::held(unit.program, &lent),
            lent,
            by_place,
            bases: unit
                .program
                .funcs
                .ids()
                .map(|func| {
                    let may_go = !without.has(Which::InlineBaseCases);
                    may_go.then(|| bases(unit.program, &graph.is_recursive, func)).flatten()
                })
                .collect(),
            graph,
            shared,
            directives: unit.directives,
            without,
            schedule: Schedule::default(),
        }
    }
}

impl Emit<'_> {
    /// The number of a place in the function that is being written. A library has a table of all places.
    fn site(&mut self, span: Span) -> u32 {
        let function = (!self.is_library).then_some(self.writes);
        self.shared.sites.number(function, span)
    }

    /// The number by which errors know a function. A library has a table of their names.
    fn number(&self, func: FuncId) -> usize {
        if self.is_library { func.index() } else { self.numbers[func] as usize }
    }

    /// The name of something of this program.
    fn named(&self, name: &str) -> String {
        format!("pb_{}{name}", self.prefix)
    }

    /// The name of a function.
    fn name(&self, func: FuncId) -> String {
        self.named_by("f", func)
    }

    /// The name of what computes a constant.
    fn constant_name(&self, func: FuncId) -> String {
        self.named_by("k", func)
    }

    /// The name of something of this kind that belongs to a function.
    fn named_by(&self, kind: &str, func: FuncId) -> String {
        named_by(&self.prefix, kind, self.numbers[func])
    }

    /// Where a constant is kept.
    fn memo_of(&self, func: FuncId) -> String {
        format!("PB_MEMO({}, {})", self.named_by("m", func), self.named_by("o", func))
    }

    /// Whether it has constants that are reached.
    fn has_constants(&self) -> bool {
        let mut funcs = self.program.funcs.iter_enumerated();
        funcs.any(|(func, def)| def.is_constant && self.graph.is_reached[func])
    }

    /// Whether values of a type are counted.
    fn is_counted(&self, ty: Type) -> bool {
        use pullback_ir::Elem;
        match ty.elem {
            _ if ty.is_acc => false,
            Elem::Unit => false,
            Elem::Data(data) if !ty.is_array() => self.has_cells[data],
            Elem::Str => true,
            Elem::Real | Elem::Int | Elem::Bool | Elem::Data(_) => ty.is_array(),
        }
    }
}

/// How functions call each other.
struct Graph {
    is_reached: IdVec<FuncId, bool>,
    /// Whether a function can reach a call of itself.
    is_recursive: IdVec<FuncId, bool>,
    /// Whether errors in it may be told at a place in the library.
    meets_library: IdVec<FuncId, bool>,
    /// Whether a function is reached outside loops and recursion alone, so that its loops are outermost ones.
    is_outermost: IdVec<FuncId, bool>,
}

impl Graph {
    fn of(program: &Program, roots: &[FuncId]) -> Self {
        let graph = running(program, roots);
        let mut is_reached: IdVec<FuncId, bool> = program.funcs.ids().map(|_| false).collect();
        for func in &graph.order {
            is_reached[*func] = true;
        }
        let in_library = |func: &Func| {
            let mut meets = false;
            func.body.visit(&mut |stmt| meets |= program.library.contains(&stmt.span.file));
            meets
        };
        Self {
            is_reached,
            meets_library: reaching(program, in_library),
            is_outermost: outermost(program, &graph),
            is_recursive: graph.is_recursive,
        }
    }
}

/// Which functions are outside circles, and no loop and no circle leads to them.
fn outermost(program: &Program, graph: &CallGraph) -> IdVec<FuncId, bool> {
    let mut todo: Vec<FuncId> = vec![];
    for func in program.funcs.ids() {
        if graph.is_recursive[func] {
            todo.push(func);
        }
        program.funcs[func].body.visit(&mut |stmt| {
            if let Op::Loop(looped) = &stmt.op {
                todo.extend(runs(program, &looped.body));
                if let LoopForm::While(cond) = &looped.form {
                    todo.extend(runs(program, cond));
                }
            }
        });
    }
    let mut is_outermost: IdVec<FuncId, bool> = program.funcs.ids().map(|_| true).collect();
    while let Some(func) = todo.pop() {
        if std::mem::replace(&mut is_outermost[func], false) {
            todo.extend(&graph.named[func].calls);
        }
    }
    is_outermost
}

/// Text with indented lines.
#[derive(Default)]
struct Lines {
    pub text: String,
    pub depth: usize,
}

impl Lines {
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        // Writing to a String does not fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    /// A line that opens a block of C.
    pub fn open(&mut self, line: std::fmt::Arguments<'_>) {
        self.line(line);
        self.depth += 1;
    }

    /// A line that ends one block of C and opens the next.
    pub fn between(&mut self, line: std::fmt::Arguments<'_>) {
        self.depth -= 1;
        self.open(line);
    }

    /// The end of a block of C.
    pub fn close(&mut self) {
        self.depth -= 1;
        self.line(format_args!("}}"));
    }
}
