//! Foreign calls with marshalling: values of the evaluator are written where loaded code reads them, the code runs
//! under limits, and its results are read back.
//!
//! Input: [`Native`] code, the number of a root, its arguments and [`Limits`]. Output: its results, or the error that
//! the evaluator would give.
//!
//! Invariants. A run has a context with memory of its own, which goes as a whole when the run ends. A thread beside the
//! run looks at the clock and asks the run to stop. Recursive code runs on a thread whose stack is reserved as large as
//! half the limit of memory, and committed as it is used. Nothing here recurses over data.
#![expect(unsafe_code, reason = "values are read and written where loaded code has them")]

use std::ffi::c_void;
use std::io::Write;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Instant, Progress, bug};
use pullback_ir::eval::Value;
use pullback_ir::{Elem, FuncId, Program, Type};

use crate::compiler::Failure;
use crate::emit::{Fp, Unit, emit_here};
use crate::fault::{Names, Report, diagnostic};
use crate::layout::{cell_words, elem_number, words};
use crate::level::Level;
use crate::limits::{Limits, Threads};
use crate::load::{Context, Library, Loaded};
use crate::read::{literal, read, string};
use crate::stack::run_on_stack;

/// A program as native code.
#[derive(Clone, Debug)]
pub struct Native {
    loaded: Rc<Loaded>,
    roots: Vec<FuncId>,
    /// The number of the first root in the code.
    first: usize,
    threads: Threads,
}

/// One run of several.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// How long the function took, without what is done to pass values.
    pub time: Duration,
    /// The bytes that were held before: arguments, and constants once they are known.
    pub held: i64,
}

/// Is told of a run, and says whether there is to be another one.
pub type More<'m> = &'m mut (dyn FnMut(Ran) -> bool + Send);

/// How long it takes at most until a run that is to stop is told so.
const LOOK: Duration = Duration::from_millis(10);

impl Native {
    /// The code of a program; as [`Unit`] says.
    pub fn new(
        program: &Program,
        roots: &[FuncId],
        facts: &Facts,
        level: Level,
        fp: Fp,
    ) -> Result<Self, Failure> {
        let native = Self::batch(
            &[Unit { fp, registers: level.registers(), ..Unit::of(program, roots, facts) }],
            level,
            None,
        )?
        .pop();
        Ok(native.unwrap_or_else(|| bug("codegen", "native code of one program")))
    }

    /// The code of several programs, compiled together, in the time until then if there is a limit.
    pub fn batch(
        units: &[Unit<'_>],
        level: Level,
        until: Option<Instant>,
    ) -> Result<Vec<Self>, Failure> {
        let code = emit_here(units).map_err(Failure::Unsupported)?;
        let loaded = Rc::new(Loaded::new(code, level, until)?);
        let mut first = 0;
        let native = units.iter().map(|unit| {
            let (roots, threads) = (unit.roots.to_vec(), Threads::of(1));
            let native = Self { loaded: loaded.clone(), roots, first, threads };
            first += unit.roots.len();
            native
        });
        Ok(native.collect())
    }

    /// The code of one program, which has been loaded.
    pub fn of(loaded: Loaded, roots: &[FuncId]) -> Self {
        let loaded = Rc::new(loaded);
        Self { loaded, roots: roots.to_vec(), first: 0, threads: Threads::of(1) }
    }

    /// The code, unless it begins with another program.
    pub fn loaded(&self) -> Option<&Loaded> {
        (self.first == 0).then_some(&*self.loaded)
    }

    /// The same code, on so many threads.
    #[must_use]
    pub fn on(self, threads: Threads) -> Self {
        Self { threads, ..self }
    }

    /// The results of a root, by its number.
    pub fn call(
        &self,
        program: &Program,
        root: usize,
        args: &[Value],
        limits: &Limits,
    ) -> Result<Vec<Value>, Box<Diagnostic>> {
        self.open(limits).call(program, root, args, limits, None)
    }

    /// As [`Native::call`], again and again as long as `more` says, which is told of each run. Arguments are
    /// put in place once; the results are those of the last run.
    pub fn repeat(
        &self,
        program: &Program,
        root: usize,
        args: &[Value],
        limits: &Limits,
        more: More<'_>,
    ) -> Result<Vec<Value>, Box<Diagnostic>> {
        self.open(limits).call(program, root, args, limits, Some(more))
    }

    /// As [`Native::call`], with the bytes that the results hold in memory and all else that has not been let go
    /// of: the head of a run, and constants.
    pub fn call_held(
        &self,
        program: &Program,
        root: usize,
        args: &[Value],
        limits: &Limits,
    ) -> Result<(Vec<Value>, i64), Box<Diagnostic>> {
        let run = self.open(limits);
        let results = run.call(program, root, args, limits, None)?;
        Ok((results, run.told()[7]))
    }

    fn open(&self, limits: &Limits) -> Run<'_> {
        // SAFETY: opening has no conditions; what it gives is closed when the run is dropped.
        let context =
            unsafe { (self.loaded.library.open)(limits.max_memory as u64, std::ptr::null()) };
        if context.is_null() {
            bug("codegen", "memory for the state of a run");
        }
        let Threads { most, worth } = self.threads;
        // SAFETY: the context has just been opened.
        unsafe { (self.loaded.library.threads)(context, most as u64, worth) };
        let tell = Box::new(limits.tell);
        // SAFETY: the context is open, and the listener's pointer lives as long as the run.
        unsafe {
            let host = std::ptr::from_ref(&*tell).cast();
            (self.loaded.library.listen)(context, heard, host, written);
        }
        let progress = limits.progress.clone();
        if let Some(progress) = &progress {
            // SAFETY: the context is open, and the counters live as long as the run.
            unsafe { (self.loaded.library.watch)(context, progress.counters()) }
        }
        Run { native: self, context, _tell: tell, _progress: progress }
    }
}

/// Passes a line on that loaded code tells.
///
/// # Safety
/// The first pointer is that of a function, and the second that of so many bytes.
unsafe extern "C" fn heard(tell: *const c_void, text: *const u8, len: u64) {
    // SAFETY: as the caller promises.
    let (tell, text) =
        unsafe { (*tell.cast::<fn(&str)>(), std::slice::from_raw_parts(text, len as usize)) };
    tell(&String::from_utf8_lossy(text));
}

/// Writes a number as the evaluator does.
///
/// # Safety
/// There is room for 32 bytes.
unsafe extern "C" fn written(number: f64, to: *mut u8) -> u64 {
    // SAFETY: as the caller promises.
    let mut room = unsafe { std::slice::from_raw_parts_mut(to, 32) };
    // The longest text, of 17 digits with a point and an exponent, has 23 bytes.
    let text = write!(room, "{number:?}").map(|()| 32 - room.len());
    text.unwrap_or(0) as u64
}

/// A run of a root, with its context.
struct Run<'n> {
    native: &'n Native,
    context: *mut Context,
    /// What is told each line: the context has its address.
    _tell: Box<fn(&str)>,
    /// Who is told how far it is: the context has the address of the counters.
    _progress: Option<Arc<Progress>>,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        // SAFETY: the context is this run's, and nothing uses it afterwards.
        unsafe { (self.native.loaded.library.close)(self.context) }
    }
}

/// All that the thread of a run needs.
struct Job<'j, 'm> {
    library: &'j Library,
    context: *mut Context,
    root: u32,
    args: &'j [i64],
    /// Where among the words of the arguments there are counted blocks.
    arg_blocks: &'j [usize],
    results: &'j mut [i64],
    result_blocks: &'j [usize],
    more: Option<More<'m>>,
}

// SAFETY: whoever starts the thread waits for it, and touches nothing of this meanwhile.
unsafe impl Send for Job<'_, '_> {}

impl Job<'_, '_> {
    fn run(&mut self, stack: u64) -> i32 {
        loop {
            let held = if self.more.is_some() { self.hold() } else { 0 };
            let started = Instant::now();
            let (args, results) = (self.args.as_ptr(), self.results.as_mut_ptr());
            // SAFETY: the words of arguments and results are as many as the root has.
            let status =
                unsafe { (self.library.run)(self.context, self.root, args, results, stack) };
            let time = started.elapsed();
            let goes_on =
                status == 0 && self.more.as_mut().is_some_and(|more| more(Ran { time, held }));
            if !goes_on {
                return status;
            }
            self.let_go();
        }
    }

    /// Counts the arguments once more, as a run takes its own counts with it. Says how many bytes are held.
    fn hold(&self) -> i64 {
        for at in self.arg_blocks {
            let block = self.args[*at];
            if is_block(block) {
                // SAFETY: the word is a block of this context, which begins with its count.
                unsafe { *(block as *mut i64) += 1 }
            }
        }
        // SAFETY: the context is open.
        unsafe { told(self.library, self.context)[7] }
    }

    /// Gives back the counts of the results.
    fn let_go(&self) {
        for at in self.result_blocks {
            let block = self.results[*at];
            if is_block(block) {
                // SAFETY: a result is a block of this context, and one of its counts is ours.
                unsafe { (self.library.drop)(self.context, block as *mut i64) }
            }
        }
    }
}

/// The right to stop a run, which a thread beside it holds.
struct Stop {
    stop: unsafe extern "C" fn(*mut Context),
    context: *mut Context,
}

// SAFETY: a run may be told to stop from any thread.
unsafe impl Send for Stop {}

impl Stop {
    fn now(&self) {
        // SAFETY: the context is closed only after the thread that has this has ended.
        unsafe { (self.stop)(self.context) }
    }
}

/// Whether a word that may be a block is one: it may be a constructor without fields, which is odd, or nothing.
fn is_block(word: i64) -> bool {
    word != 0 && word & 1 == 0
}

/// Where among the words of values there may be counted blocks.
fn blocks(types: impl Iterator<Item = Type>) -> Vec<usize> {
    let (mut at, mut blocks) = (0, vec![]);
    for ty in types {
        let counted = match ty.elem {
            Elem::Real | Elem::Int | Elem::Bool => ty.is_array(),
            Elem::Str | Elem::Data(_) => true,
            Elem::Unit => false,
        };
        if counted {
            blocks.push(at);
        }
        at += words(ty);
    }
    blocks
}

/// What a run tells of itself.
///
/// # Safety
/// The context must be open.
unsafe fn told(library: &Library, context: *const Context) -> Report {
    let mut told: Report = [0; 8];
    // SAFETY: as many words are written.
    unsafe { (library.told)(context, told.as_mut_ptr()) }
    told
}

impl Run<'_> {
    fn call(
        &self,
        program: &Program,
        root: usize,
        args: &[Value],
        limits: &Limits,
        more: Option<More<'_>>,
    ) -> Result<Vec<Value>, Box<Diagnostic>> {
        let func = self.native.roots[root];
        let params: Vec<Type> =
            program.funcs[func].params.iter().map(|param| program.vars[*param].ty).collect();
        let results = program.funcs[func].results.clone();
        let mut arg_words = vec![];
        for (ty, arg) in params.iter().zip(args) {
            if self.write(program, *ty, arg, &mut arg_words).is_none() {
                return Err(self.failure(program, limits));
            }
        }
        let mut taken = vec![0i64; results.iter().map(|ty| words(*ty)).sum::<usize>()];
        // A constant is kept to the end of all runs, and what it gives goes with it.
        let given_back = if program.funcs[func].is_constant { &[][..] } else { &results };
        let job = Job {
            library: &self.native.loaded.library,
            context: self.context,
            root: (self.native.first + root) as u32,
            args: &arg_words,
            arg_blocks: &blocks(params.iter().copied()),
            results: &mut taken,
            result_blocks: &blocks(given_back.iter().copied()),
            more,
        };
        if self.timed(job, limits) != 0 {
            return Err(self.failure(program, limits));
        }
        let mut values = vec![];
        let mut at = 0;
        for ty in results {
            // SAFETY: a run that ends well has stored the words of its results.
            values.push(unsafe { read(program, ty, taken.as_ptr().add(at)) });
            at += words(ty);
        }
        Ok(values)
    }

    /// Runs, with somebody who looks at the clock if there is a limit of time, and whether the run is to stop.
    fn timed(&self, job: Job<'_, '_>, limits: &Limits) -> i32 {
        let started = limits.since.map_or_else(Instant::now, |since| since.time);
        let deadline = limits.timeout.and_then(|timeout| started.checked_add(timeout));
        let progress = limits.progress.as_deref();
        if deadline.is_none() && progress.is_none() {
            return self.stacked(job, limits);
        }
        let stop = Stop { stop: self.native.loaded.library.stop, context: self.context };
        let (done, ended) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while !progress.is_some_and(Progress::is_stopped) {
                    let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
                    let look = progress.map_or(Duration::MAX, |_| LOOK);
                    let wait = left.map_or(look, |left| left.min(look));
                    if wait.is_zero() {
                        break;
                    }
                    if ended.recv_timeout(wait) != Err(mpsc::RecvTimeoutError::Timeout) {
                        return;
                    }
                }
                stop.now();
            });
            let status = self.stacked(job, limits);
            drop(done);
            status
        })
    }

    /// Runs, on a large stack if the code recurses.
    fn stacked(&self, mut job: Job<'_, '_>, limits: &Limits) -> i32 {
        let recurses = self.native.loaded.recurses;
        run_on_stack(recurses, limits.max_memory, |stack| job.run(stack))
    }

    /// The error that the run has ended with.
    fn failure(&self, program: &Program, limits: &Limits) -> Box<Diagnostic> {
        // SAFETY: the words are those of texts of this run, which is not closed.
        let text = |word: i64| unsafe { string(&|at| literal(program, at), word) };
        let sites = &self.native.loaded.sites;
        diagnostic(&self.told(), &text, &Names::of(program), sites, limits)
    }

    fn told(&self) -> Report {
        // SAFETY: the context is open as long as the run is.
        unsafe { told(&self.native.loaded.library, self.context) }
    }

    /// Adds the words of a value; nothing if there is no memory for it.
    fn write(&self, program: &Program, ty: Type, value: &Value, to: &mut Vec<i64>) -> Option<()> {
        // Parts that are still to be written, with the place of each in the memory of the run.
        let mut todo: Vec<(Type, Value, *mut i64)> = vec![];
        let mut top = vec![0i64; words(ty)];
        todo.push((ty, value.clone(), top.as_mut_ptr()));
        while let Some((ty, value, place)) = todo.pop() {
            if ty.is_array() {
                self.write_array(ty, &value, place, &mut todo)?;
                continue;
            }
            let word = match (&value, ty.elem) {
                (Value::Real(x), _) => x.to_bits() as i64,
                (Value::Int(n), _) => *n,
                (Value::Bool(b), _) => i64::from(*b),
                (Value::Str(text), _) => self.write_text(text)?,
                (value, Elem::Data(data)) => match value.as_data() {
                    Some((tag, [])) => i64::from(tag) << 1 | 1,
                    Some((tag, fields)) => {
                        let con = &program.datas[data].constructors[tag as usize];
                        let size = cell_words(con) as u64 * 8;
                        // SAFETY: the context is open; a cell has a head of two words, and its fields.
                        let cell = unsafe {
                            (self.native.loaded.library.make)(self.context, data.0, tag, size)
                        };
                        if cell.is_null() {
                            return None;
                        }
                        let mut at = 2;
                        for (ty, field) in con.fields.iter().zip(fields) {
                            // SAFETY: the field's words are inside the cell.
                            todo.push((*ty, field.clone(), unsafe { cell.add(at) }));
                            at += words(*ty);
                        }
                        cell as i64
                    }
                    None => bug("codegen", format_args!("a data value, not {value:?}")),
                },
                (value, elem) => bug("codegen", format_args!("a value of {elem:?}, not {value:?}")),
            };
            // SAFETY: the place is in `top` or in a cell or array that has been made for it.
            unsafe { place.write(word) }
        }
        to.extend(top);
        Some(())
    }

    /// The word of a String; nothing if there is no memory for it.
    fn write_text(&self, text: &str) -> Option<i64> {
        let room = (8 + text.len()) as u64;
        let bytes = elem_number(Elem::Bool);
        // SAFETY: the context is open; after a head of four words come the length and the bytes.
        unsafe {
            let block = (self.native.loaded.library.make)(self.context, u32::MAX, bytes, room);
            if block.is_null() {
                return None;
            }
            block.add(4).write(text.len() as i64);
            std::ptr::copy_nonoverlapping(text.as_ptr(), block.add(5).cast(), text.len());
            Some(block as i64)
        }
    }

    fn write_array(
        &self,
        ty: Type,
        value: &Value,
        place: *mut i64,
        todo: &mut Vec<(Type, Value, *mut i64)>,
    ) -> Option<()> {
        let Value::Array(array) = value else {
            bug("codegen", format_args!("an array, not {value:?}"))
        };
        let mut head = [0i64; 2];
        if ty.elem != Elem::Unit {
            let (number, count) = (elem_number(ty.elem), array.count() as u64);
            // SAFETY: the context is open; the elements follow a head of four words.
            let block =
                unsafe { (self.native.loaded.library.make)(self.context, u32::MAX, number, count) };
            if block.is_null() {
                return None;
            }
            // SAFETY: as above.
            let items = unsafe { block.add(4) };
            head = [block as i64, items as i64];
            // SAFETY: the block has room for as many elements as the array has.
            unsafe {
                if let Some(reals) = array.reals() {
                    std::ptr::copy_nonoverlapping(reals.as_ptr(), items.cast(), reals.len());
                } else if let Some(ints) = array.ints() {
                    std::ptr::copy_nonoverlapping(ints.as_ptr(), items, ints.len());
                } else if let Some(bools) = array.bools() {
                    std::ptr::copy_nonoverlapping(bools.as_ptr(), items.cast(), bools.len());
                }
            }
            let element = ty.with_rank(0);
            for (at, value) in array.values().unwrap_or_default().iter().enumerate() {
                // SAFETY: as above.
                todo.push((element, value.clone(), unsafe { items.add(at) }));
            }
        }
        let sizes = array.sizes().iter().map(|size| *size as i64);
        for (at, word) in head.into_iter().chain(sizes).enumerate() {
            // SAFETY: the place has the words of an array of this type.
            unsafe { place.add(at).write(word) }
        }
        Some(())
    }
}
