//! Code of one function that any thread may call, with arrays that are lent in both directions.
//!
//! Input: loaded code, and what is known of its function. Output: a [`Callable`], which takes and gives scalars and dense
//! arrays. Arrays that are given are borrowed. Large ones that come back leave the run that made them ([`Lent`]); small
//! ones are copied.
//!
//! Invariants. A context is used by one call at a time; calls that end well leave theirs to the next one, with its
//! constants. A context goes after a failure, and a process that has forked uses none of the other's. The lookout tells
//! a context to stop only while its post says that a call is under way.
#![expect(unsafe_code, reason = "loaded code is called, and its arrays are read where it has them")]

use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pullback_base::{Diagnostic, Instant, Limits, Progress, bug};
use pullback_ir::{Elem, FuncId, Program, Type};

use crate::fault::{Names, Report, diagnostic};
use crate::layout::{elem_number, words};
use crate::limits::WORTH;
use crate::load::{Context, Loaded};
use crate::lookout::{Going, Post, Watch, generation};
use crate::read::string;
use crate::stack::run_on_stack;
use crate::strings::{BORROWED, array_words, block_words, put_string, put_strings};

/// Code of one function.
pub struct Callable {
    /// Contexts that no call uses. They close before the code goes.
    idle: Mutex<Vec<Idle>>,
    loaded: Loaded,
    signature: Signature,
    /// How many words all results take.
    result_words: usize,
    threads: usize,
}

// SAFETY: loaded code keeps everything in its contexts, but for a pool of blocks with a lock of its own.
unsafe impl Send for Callable {}
// SAFETY: as above; contexts are handed out under a lock.
unsafe impl Sync for Callable {}

impl std::fmt::Debug for Callable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callable").field("params", &self.signature.params).finish_non_exhaustive()
    }
}

/// What a parameter is given.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// Reals, row by row, of these sizes.
    Reals(&'a [f64], &'a [usize]),
    /// Ints.
    Ints(&'a [i64], &'a [usize]),
    /// Truth values.
    Bools(&'a [bool], &'a [usize]),
    /// A String.
    Text(&'a str),
    /// Strings.
    Texts(&'a [String], &'a [usize]),
    /// An array without contents.
    Absent(&'a [usize]),
}

/// What a result is.
#[derive(Debug)]
pub enum Gave {
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// Reals, row by row, of these sizes.
    Reals(Items<f64>, Vec<usize>),
    /// Ints.
    Ints(Items<i64>, Vec<usize>),
    /// Truth values.
    Bools(Items<bool>, Vec<usize>),
    /// A String.
    Text(String),
    /// Strings.
    Texts(Vec<String>, Vec<usize>),
    /// Nothing, or an array without contents.
    Absent,
}

/// The elements of a result.
#[derive(Debug)]
pub enum Items<T> {
    /// A copy.
    Own(Vec<T>),
    /// What the run made, as it lies.
    Lent(Lent<T>),
}

/// Elements in a block that a run made, which goes back to the code's own memory in the end.
#[derive(Debug)]
pub struct Lent<T> {
    /// What is given back.
    block: *mut c_void,
    items: *mut T,
    count: usize,
    code: Arc<Callable>,
}

// SAFETY: nobody else holds the block, and it may be given back by any thread.
unsafe impl<T: Send> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: the block was lent by this code and is given back once.
        unsafe { (self.code.loaded.library.take_back)(self.block) }
    }
}

impl<T> std::ops::Deref for Items<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        match self {
            Self::Own(items) => items,
            // SAFETY: so many elements are in the block.
            Self::Lent(lent) => unsafe { std::slice::from_raw_parts(lent.items, lent.count) },
        }
    }
}

impl<T> std::ops::DerefMut for Items<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Own(items) => items,
            // SAFETY: so many elements are in the block, which nobody else holds.
            Self::Lent(lent) => unsafe { std::slice::from_raw_parts_mut(lent.items, lent.count) },
        }
    }
}

/// What a call may take, and who watches it.
#[derive(Clone, Default)]
pub struct Allowed {
    /// The most bytes.
    pub max_memory: Option<usize>,
    /// The most time.
    pub timeout: Option<Duration>,
    /// Who watches it.
    pub watch: Option<Arc<dyn Watch>>,
    /// Whether the watch is told how far it is.
    pub tells: bool,
}

impl std::fmt::Debug for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { max_memory, timeout, .. } = self;
        f.debug_struct("Allowed")
            .field("max_memory", max_memory)
            .field("timeout", timeout)
            .finish_non_exhaustive()
    }
}

/// The head of an array whose elements are the caller's: loaded code frees nothing that is counted so high.
#[repr(C, align(16))]
struct Head {
    count: i64,
    kind: u32,
    elem: u32,
    room: [u64; 2],
}

/// A context that no call uses, with room for the words of a call.
struct Idle {
    context: Handle,
    post: Arc<Post>,
    generation: usize,
    heads: Vec<Head>,
    /// The Strings that are given, as blocks that loaded code frees as little as the heads.
    strings: Vec<i64>,
    given: Vec<i64>,
    gave: Vec<i64>,
    close: unsafe extern "C" fn(*mut Context),
    _progress: Option<Arc<Progress>>,
}

/// The address of a context.
#[derive(Clone, Copy)]
struct Handle(*mut Context);

// SAFETY: a context is used by one thread at a time, but for being told to stop, which any may do.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    fn get(self) -> *mut Context {
        self.0
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        // SAFETY: no call uses the context, and nothing uses it afterwards.
        unsafe { (self.close)(self.context.get()) }
    }
}

/// What a function takes and gives, and what its errors name.
pub(crate) struct Signature {
    params: Vec<Type>,
    results: Vec<Type>,
    names: Names,
    texts: Vec<String>,
}

impl Signature {
    /// That of a function of a program.
    pub fn of(program: &Program, root: FuncId) -> Self {
        let func = &program.funcs[root];
        Self {
            params: func.params.iter().map(|param| program.vars[*param].ty).collect(),
            results: func.results.clone(),
            names: Names::of(program),
            texts: program.strings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Callable {
    /// Loaded code of a program, of which at least the outside is here, with this function as its only root.
    pub fn of(loaded: Loaded, program: &Program, root: FuncId, threads: usize) -> Arc<Self> {
        Self::with(loaded, Signature::of(program, root), threads)
    }

    /// Loaded code whose only root has this signature.
    pub(crate) fn with(loaded: Loaded, signature: Signature, threads: usize) -> Arc<Self> {
        let result_words = signature.results.iter().map(|ty| words(*ty)).sum();
        Arc::new(Self { loaded, signature, result_words, threads, idle: Mutex::default() })
    }

    /// A context, which may have been that of another call before.
    fn context(&self, allowed: &Allowed) -> Idle {
        let is_usual = allowed.max_memory.is_none() && !allowed.tells;
        if is_usual && let Ok(mut all) = self.idle.try_lock() {
            while let Some(idle) = all.pop() {
                if idle.generation == generation() {
                    return idle;
                }
                // It is that of another process, whose threads may have had its locks.
                std::mem::forget(idle);
            }
        }
        let memory = allowed.max_memory.unwrap_or(Limits::default().max_memory) as u64;
        // SAFETY: opening has no conditions; what it gives is closed when it is dropped.
        let context = Handle(unsafe { (self.loaded.library.open)(memory, std::ptr::null()) });
        if context.get().is_null() {
            bug("codegen", "memory for the state of a run");
        }
        let progress = allowed.tells.then(Arc::<Progress>::default);
        // SAFETY: the context has just been opened, and the counters live as long as it does.
        unsafe {
            (self.loaded.library.threads)(context.get(), self.threads as u64, WORTH);
            if let Some(progress) = &progress {
                (self.loaded.library.watch)(context.get(), progress.counters());
            }
        }
        let stop = self.loaded.library.stop;
        let stand = progress.clone();
        let post = Post::new(
            // SAFETY: the post has a call under way, so the context is open.
            Box::new(move || unsafe { stop(context.get()) }),
            Box::new(move || stand.as_ref().and_then(|progress| progress.stand())),
        );
        let (close, generation) = (self.loaded.library.close, generation());
        let (heads, strings, given, gave) = (vec![], vec![], vec![], vec![]);
        Idle { context, post, generation, heads, strings, given, gave, close, _progress: progress }
    }

    /// The results for what is given, which is as many and of such types as the function takes.
    pub fn call(
        self: &Arc<Self>,
        given: &[Given<'_>],
        allowed: &Allowed,
    ) -> Result<Vec<Gave>, Box<Diagnostic>> {
        let mut idle = self.context(allowed);
        self.put(given, &mut idle);
        let until = allowed.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        idle.post.begin(until, allowed.watch.clone());
        let status = self.run(&mut idle, allowed);
        let going = idle.post.end();
        let was_told = going.as_ref().is_some_and(|going| going.is_stopped || going.is_late);
        if status != 0 {
            return Err(self.failure(&idle, going.as_ref(), allowed));
        }
        let gave = self.take(&mut idle);
        let is_usual = allowed.max_memory.is_none() && !allowed.tells;
        if is_usual
            && !was_told
            && let Ok(mut all) = self.idle.try_lock()
        {
            all.push(idle);
        }
        Ok(gave)
    }

    /// Writes the words of what is given.
    fn put(&self, given: &[Given<'_>], idle: &mut Idle) {
        let Idle { heads, strings, given: to, .. } = idle;
        heads.clear();
        to.clear();
        // Their addresses stay what they are.
        heads.reserve(given.len());
        *strings = Vec::with_capacity(given.iter().map(string_words).sum());
        if given.len() != self.signature.params.len() {
            bug("codegen", "as many arguments as the function takes");
        }
        for (ty, given) in self.signature.params.iter().zip(given) {
            let (data, sizes) = match (given, ty.elem) {
                (Given::Real(x), Elem::Real) if !ty.is_array() => {
                    to.push(x.to_bits().cast_signed());
                    continue;
                }
                (Given::Int(n), Elem::Int) if !ty.is_array() => {
                    to.push(*n);
                    continue;
                }
                (Given::Bool(b), Elem::Bool) if !ty.is_array() => {
                    to.push(i64::from(*b));
                    continue;
                }
                (Given::Absent(_), Elem::Unit) if !ty.is_array() => {
                    to.push(0);
                    continue;
                }
                (Given::Text(text), Elem::Str) if !ty.is_array() => {
                    to.push(put_string(text, strings));
                    continue;
                }
                (Given::Texts(texts, sizes), Elem::Str) => {
                    whole(texts, sizes);
                    to.extend(put_strings(texts, strings));
                    to.extend(sizes.iter().map(|size| *size as i64));
                    continue;
                }
                (Given::Reals(items, sizes), Elem::Real) => (whole(items, sizes).cast(), sizes),
                (Given::Ints(items, sizes), Elem::Int) => (whole(items, sizes), sizes),
                (Given::Bools(items, sizes), Elem::Bool) => (whole(items, sizes).cast(), sizes),
                (Given::Absent(sizes), Elem::Unit) => (std::ptr::null(), sizes),
                (given, _) => bug("codegen", format_args!("an argument of {ty:?}, not {given:?}")),
            };
            if sizes.len() != usize::from(ty.rank) {
                bug("codegen", format_args!("{} sizes of {ty:?}", sizes.len()));
            }
            let head = if ty.elem == Elem::Unit {
                0
            } else {
                let elem = elem_number(ty.elem);
                heads.push(Head { count: BORROWED, kind: u32::MAX, elem, room: [0; 2] });
                heads.last().map_or(0, |head| std::ptr::from_ref(head) as i64)
            };
            to.extend([head, data as i64]);
            to.extend(sizes.iter().map(|size| *size as i64));
        }
    }

    /// Runs, on a large stack if the code recurses.
    fn run(&self, idle: &mut Idle, allowed: &Allowed) -> i32 {
        idle.gave.clear();
        idle.gave.resize(self.result_words.max(1), 0);
        let (context, given, gave) =
            (idle.context, Words(idle.given.as_mut_ptr()), Words(idle.gave.as_mut_ptr()));
        let run = self.loaded.library.run;
        // SAFETY: the words of arguments and results are as many as the root has, and the context is this call's.
        let call = move |stack| unsafe { run(context.get(), 0, given.get(), gave.get(), stack) };
        let memory = allowed.max_memory.unwrap_or(Limits::default().max_memory);
        run_on_stack(self.loaded.recurses, memory, call)
    }

    /// Reads the results, and lets go of what the run has of them.
    fn take(self: &Arc<Self>, idle: &mut Idle) -> Vec<Gave> {
        let mut at = 0;
        let mut all = Vec::with_capacity(self.signature.results.len());
        for ty in &self.signature.results {
            let place = &idle.gave[at..at + words(*ty)];
            at += words(*ty);
            all.push(match (ty.is_array(), ty.elem) {
                (false, Elem::Real) => Gave::Real(f64::from_bits(place[0].cast_unsigned())),
                (false, Elem::Int) => Gave::Int(place[0]),
                // The other bytes of the word say nothing.
                (false, Elem::Bool) => Gave::Bool(place[0] & 0xff != 0),
                (true, Elem::Real) => self.items(idle, place, Gave::Reals),
                (true, Elem::Int) => self.items(idle, place, Gave::Ints),
                (true, Elem::Bool) => self.items(idle, place, Gave::Bools),
                (_, Elem::Unit) => Gave::Absent,
                (false, Elem::Str) => Gave::Text(self.text(place[0])),
                (true, Elem::Str) => self.texts(place),
                (_, Elem::Data(_)) => bug("codegen", "results are numbers, Strings and arrays"),
            });
        }
        // What has been copied goes, before the Strings that were given: a result may hold these.
        let mut at = 0;
        for ty in &self.signature.results {
            let block = idle.gave[at];
            at += words(*ty);
            if ty.elem == Elem::Str && block & 1 == 0 {
                self.let_go(idle, block as *mut i64);
            }
        }
        idle.strings = vec![];
        all
    }

    /// The String of a word that a run gave.
    fn text(&self, word: i64) -> String {
        let literal = |at: usize| self.signature.texts.get(at).cloned();
        // SAFETY: the word is that of a text of this run, whose context is open.
        unsafe { string(&literal, word) }
    }

    /// The Strings of an array that a run gave.
    fn texts(&self, place: &[i64]) -> Gave {
        let sizes: Vec<usize> = place[2..].iter().map(|size| *size as usize).collect();
        let items = place[1] as *const i64;
        let count = if items.is_null() { 0 } else { sizes.iter().product() };
        // SAFETY: so many words are there.
        let texts = (0..count).map(|at| self.text(unsafe { items.add(at).read() }));
        Gave::Texts(texts.collect(), sizes)
    }

    fn items<T: Copy>(
        self: &Arc<Self>,
        idle: &Idle,
        place: &[i64],
        gave: impl FnOnce(Items<T>, Vec<usize>) -> Gave,
    ) -> Gave {
        let sizes: Vec<usize> = place[2..].iter().map(|size| *size as usize).collect();
        let count = sizes.iter().product();
        let (block, items) = (place[0] as *mut i64, place[1] as *mut T);
        if block.is_null() || items.is_null() || count == 0 {
            self.let_go(idle, block);
            return gave(Items::Own(vec![]), sizes);
        }
        let context = idle.context.get();
        let is_given =
            idle.heads.iter().any(|head| std::ptr::from_ref(head).cast() == block.cast_const());
        if !is_given {
            // SAFETY: the block is one of this context that holds elements.
            let lent = unsafe { (self.loaded.library.lend)(context, block) };
            if !lent.is_null() {
                let lent = Lent { block: lent, items, count, code: self.clone() };
                return gave(Items::Lent(lent), sizes);
            }
        }
        // SAFETY: so many elements are there.
        let copy = unsafe { std::slice::from_raw_parts(items, count) }.to_vec();
        if !is_given {
            self.let_go(idle, block);
        }
        gave(Items::Own(copy), sizes)
    }

    fn let_go(&self, idle: &Idle, block: *mut i64) {
        if block.is_null()
            || idle.heads.iter().any(|head| std::ptr::from_ref(head).cast() == block.cast_const())
        {
            return;
        }
        // SAFETY: a result is a block of this context, and one of its counts is ours.
        unsafe { (self.loaded.library.drop)(idle.context.get(), block) }
    }

    /// The error that a call has ended with.
    fn failure(&self, idle: &Idle, going: Option<&Going>, allowed: &Allowed) -> Box<Diagnostic> {
        let mut told: Report = [0; 8];
        // SAFETY: the context is open, and as many words are written.
        unsafe { (self.loaded.library.told)(idle.context.get(), told.as_mut_ptr()) }
        let text = |word: i64| self.text(word);
        let progress = going.is_some_and(|going| going.is_stopped).then(|| {
            let progress = Progress::default();
            progress.stop();
            Arc::new(progress)
        });
        let usual = Limits::default();
        let limits = Limits {
            max_memory: allowed.max_memory.unwrap_or(usual.max_memory),
            timeout: allowed.timeout,
            progress,
            ..usual
        };
        diagnostic(&told, &text, &self.signature.names, &self.loaded.sites, &limits)
    }
}

/// The address of words that a call reads or writes while their owner waits.
#[derive(Clone, Copy)]
struct Words(*mut i64);

// SAFETY: whoever has the words waits for the thread that is given their address.
unsafe impl Send for Words {}

impl Words {
    fn get(self) -> *mut i64 {
        self.0
    }
}

/// The words of blocks that hold what is given, if it is Strings.
fn string_words(given: &Given<'_>) -> usize {
    match given {
        Given::Text(text) => block_words(text),
        Given::Texts(texts, _) => array_words(texts),
        Given::Real(_)
        | Given::Int(_)
        | Given::Bool(_)
        | Given::Reals(..)
        | Given::Ints(..)
        | Given::Bools(..)
        | Given::Absent(_) => 0,
    }
}

/// Where elements lie that are as many as the sizes say.
fn whole<T>(items: &[T], sizes: &[usize]) -> *const i64 {
    let count = sizes.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    if count != Some(items.len()) {
        bug("codegen", format_args!("{} elements for the sizes {sizes:?}", items.len()));
    }
    items.as_ptr().cast()
}
