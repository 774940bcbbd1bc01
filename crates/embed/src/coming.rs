//! Native code that is being compiled while calls are answered otherwise.
//!
//! Input: a [`Draft`]. Output: code, once there is some. Invariant: a process that has forked from the one that compiles
//! never waits for it: it is told that there is nothing to wait for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pullback_base::{Diagnostic, SourceMap, Span, Stand};
use pullback_codegen::{Callable, Draft, Failure as NoCode, Watch, cannot_be_made, generation};

use crate::bug::bug;
use crate::failure::Failure;

/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(20);

type Found = Result<Arc<Callable>, Failure>;

/// Code that is there, or is coming.
pub(crate) struct Coming {
    found: OnceLock<Found>,
    /// What a process found that has forked: the lock of the other may be held for ever.
    own: OnceLock<Found>,
    is_there: Mutex<bool>,
    comes: Condvar,
    /// The process that compiles.
    generation: usize,
}

impl std::fmt::Debug for Coming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coming").field("found", &self.found).finish_non_exhaustive()
    }
}

impl Coming {
    /// Code that is there.
    pub fn there(code: Arc<Callable>) -> Arc<Self> {
        let coming = Self::new();
        coming.set(Ok(code));
        coming
    }

    /// Code that a thread compiles from now on; without a thread it is compiled here.
    pub fn begin(draft: Draft, sources: Arc<SourceMap>) -> Arc<Self> {
        let coming = Self::new();
        let to = coming.clone();
        let draft = Arc::new(Mutex::new(Some(draft)));
        let (given, of) = (draft.clone(), sources.clone());
        let thread = std::thread::Builder::new().name("pullback compiler".to_owned());
        if thread.spawn(move || to.compile(&given, &of)).is_err() {
            coming.compile(&draft, &sources);
        }
        coming
    }

    fn new() -> Arc<Self> {
        let (found, own) = (OnceLock::new(), OnceLock::new());
        let (is_there, comes) = (Mutex::new(false), Condvar::new());
        Arc::new(Self { found, own, is_there, comes, generation: generation() })
    }

    fn compile(&self, draft: &Mutex<Option<Draft>>, sources: &SourceMap) {
        let draft = draft.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(draft) = draft {
            let found = draft.compile(None);
            self.set(found.map_err(|why| Failure::of(sources, &uncompiled(why))));
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
        self.generation != generation() && self.now().is_none()
    }

    /// The code, once it is there; nothing if whoever watches does not want to wait any longer.
    pub fn wait(&self, watch: Option<&Arc<dyn Watch>>) -> Option<&Found> {
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
