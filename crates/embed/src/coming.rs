//! Native code that is being compiled while calls are answered otherwise.
//!
//! Input: a [`Draft`], or code that was made before. Output: code, once there is some. A draft is compiled from the first
//! call on: who asks for parameters alone compiles nothing. Invariant: a process that has forked from the one that compiles
//! never waits for it: it is told that there is nothing to wait for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use pullback_base::{Diagnostic, SourceMap, Span, Stand};
use pullback_codegen::{Callable, Draft, Failure as NoCode, Watch, cannot_be_made, generation};

use crate::bug::bug;
use crate::failure::Failure;

/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(20);

/// By how much the evaluator is ahead where both share one processor: most first answers take it less.
const HEAD_START: Duration = Duration::from_millis(250);

type Found = Result<Arc<Callable>, Failure>;

/// Code that is there, is coming, or comes once it is called.
pub(crate) struct Coming {
    found: OnceLock<Found>,
    /// What a process found that has forked: the lock of the other may be held for ever.
    own: OnceLock<Found>,
    is_there: Mutex<bool>,
    comes: Condvar,
    /// What it is compiled from, until that begins.
    draft: Mutex<Option<Draft>>,
    sources: Arc<SourceMap>,
    has_begun: AtomicBool,
    /// The process that compiles.
    generation: AtomicUsize,
    /// Whether calls wait for it, whatever else could answer.
    pub is_awaited: bool,
    /// Whether somebody waits for it.
    is_wanted: AtomicBool,
}

impl std::fmt::Debug for Coming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coming").field("found", &self.found).finish_non_exhaustive()
    }
}

impl Coming {
    /// Code that is there.
    pub fn there(code: Arc<Callable>, sources: Arc<SourceMap>) -> Arc<Self> {
        Self::of(OnceLock::from(Ok(code)), None, sources, true)
    }

    /// Code that is compiled once it is called.
    pub fn new(draft: Draft, sources: Arc<SourceMap>, is_awaited: bool) -> Arc<Self> {
        Self::of(OnceLock::new(), Some(draft), sources, is_awaited)
    }

    fn of(
        found: OnceLock<Found>,
        draft: Option<Draft>,
        sources: Arc<SourceMap>,
        is_awaited: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            is_there: Mutex::new(found.get().is_some()),
            found,
            own: OnceLock::new(),
            comes: Condvar::new(),
            draft: Mutex::new(draft),
            sources,
            has_begun: AtomicBool::new(false),
            generation: AtomicUsize::new(generation()),
            is_awaited,
            is_wanted: AtomicBool::new(is_awaited),
        })
    }

    /// Has a thread compile it from now on, if none does; without a thread it is compiled here.
    pub fn begin(self: &Arc<Self>) {
        if self.has_begun.swap(true, Ordering::SeqCst) {
            return;
        }
        self.generation.store(generation(), Ordering::SeqCst);
        let to = self.clone();
        let thread = std::thread::Builder::new().name("pullback compiler".to_owned());
        if thread.spawn(move || to.compile_after_evaluator()).is_err() {
            self.compile();
        }
    }

    /// Compiles it; on one processor after the evaluator has had a head start, unless somebody waits.
    fn compile_after_evaluator(&self) {
        if available_parallelism().is_ok_and(|processors| processors.get() == 1) {
            let begun = Instant::now();
            while begun.elapsed() < HEAD_START && !self.is_wanted.load(Ordering::SeqCst) {
                std::thread::sleep(LOOK);
            }
        }
        self.compile();
    }

    fn compile(&self) {
        let draft = self.draft.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(draft) = draft {
            let found = draft.compile(None);
            self.set(found.map_err(|why| Failure::of(&self.sources, &uncompiled(why))));
        }
    }

    /// Has the code in a process that has forked from the one that compiles.
    pub fn set_here(&self, found: Found) {
        drop(self.own.set(found));
    }

    fn set(&self, found: Found) {
        drop(self.found.set(found));
        *self.is_there.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.comes.notify_all();
    }

    /// The code, if it is there.
    pub fn now(&self) -> Option<&Found> {
        self.found.get().or_else(|| self.own.get())
    }

    /// Whether nobody compiles it: that is done in the process that this one has forked from.
    pub fn is_lost(&self) -> bool {
        let has_begun = self.has_begun.load(Ordering::SeqCst);
        has_begun && self.generation.load(Ordering::SeqCst) != generation() && self.now().is_none()
    }

    /// The code, once it is there; nothing if whoever watches does not want to wait any longer.
    pub fn wait(&self, watch: Option<&Arc<dyn Watch>>) -> Option<&Found> {
        self.is_wanted.store(true, Ordering::SeqCst);
        if let Some(watch) = watch {
            watch.is_long();
        }
        let mut is_there = self.is_there.lock().unwrap_or_else(PoisonError::into_inner);
        let mut goes_on = true;
        while !*is_there && goes_on {
            let woken = self.comes.wait_timeout(is_there, LOOK);
            is_there = woken.unwrap_or_else(PoisonError::into_inner).0;
            goes_on = watch.is_none_or(|watch| watch.goes_on(None));
        }
        drop(is_there);
        if let Some(watch) = watch {
            watch.has_ended();
        }
        self.now()
    }
}

/// Watches a call of the evaluator, which ends when native code is there.
pub(crate) struct Until {
    coming: Arc<Coming>,
    other: Option<Arc<dyn Watch>>,
    /// Whether whoever watches otherwise has ended it.
    pub is_unwanted: AtomicBool,
}

impl Until {
    pub fn new(coming: Arc<Coming>, other: Option<Arc<dyn Watch>>) -> Arc<Self> {
        Arc::new(Self { coming, other, is_unwanted: AtomicBool::new(false) })
    }
}

impl Watch for Until {
    fn is_long(&self) {
        if let Some(other) = &self.other {
            other.is_long();
        }
    }
    fn goes_on(&self, stand: Option<Stand>) -> bool {
        let goes_on = self.other.as_ref().is_none_or(|other| other.goes_on(stand));
        self.is_unwanted.fetch_or(!goes_on, Ordering::SeqCst);
        goes_on && self.coming.now().is_none()
    }
    fn has_ended(&self) {
        if let Some(other) = &self.other {
            other.has_ended();
        }
    }
}

/// Why there is no native code.
pub(crate) fn uncompiled(why: NoCode) -> Diagnostic {
    match why {
        NoCode::NoCompiler => Diagnostic::error("E0823", Span::NONE, "there is no C compiler", "")
            .note("native code needs the command that `CC` names, or `cc`")
            .hint("install a C compiler, or choose the engine `ir`"),
        NoCode::Late => bug("code is compiled without a limit of time"),
        NoCode::Unsupported(told) | NoCode::Refused(told) => {
            cannot_be_made(told, "the engine `ir`")
        }
    }
}
