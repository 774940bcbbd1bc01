//! Interrupts: Ctrl-C ends a long call of the main thread, though the interpreter cannot look meanwhile.
//!
//! While a call of the main thread is long, a handler of SIGINT stands before the interpreter's own: it sets a flag, which
//! the lookout of calls reads, and calls the other one. Short calls install nothing.
//!
//! Invariants. The handler is in place only between the first look at a call and the end of that call, which a lock
//! orders. It does nothing but store a flag and call the handler that was there before.
#![expect(unsafe_code, reason = "handlers of signals are installed by the C library")]

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pullback_embed::Watch;
use pyo3::prelude::*;

/// Whether a signal has arrived.
static ARRIVED: AtomicBool = AtomicBool::new(false);
/// The handler that was there before.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
/// Whether that handler takes what the signal is about too. Those of some libraries do, such as that of polars.
static TAKES_MORE: AtomicBool = AtomicBool::new(false);
/// The main thread of the interpreter.
static MAIN: AtomicU64 = AtomicU64::new(0);

/// What watches calls of the main thread.
static WATCH: LazyLock<Arc<Interrupt>> = LazyLock::new(Arc::default);

/// The watch of calls that this thread makes: only the main one handles signals.
pub fn watch() -> Option<Arc<dyn Watch>> {
    // SAFETY: this asks for the number of the thread.
    let this = unsafe { libc::pthread_self() } as u64;
    (this == MAIN.load(Ordering::Relaxed)).then(|| WATCH.clone() as Arc<dyn Watch>)
}

/// Says which thread is the main one, by `threading.main_thread().ident`.
#[pyfunction]
pub fn main_thread(ident: u64) {
    MAIN.store(ident, Ordering::Relaxed);
}

/// Forgets what threads of the process were doing from which this one has forked.
#[pyfunction]
pub fn after_fork(ident: u64) {
    pullback_embed::forget();
    main_thread(ident);
}

#[derive(Default)]
struct Interrupt {
    installed: Mutex<Option<libc::sigaction>>,
}

impl Watch for Interrupt {
    fn is_long(&self) {
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if installed.is_none() {
            *installed = install();
        }
    }
    fn goes_on(&self, _: Option<pullback_embed::Stand>) -> bool {
        !ARRIVED.load(Ordering::Relaxed)
    }
    fn has_ended(&self) {
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = installed.take() {
            // SAFETY: this is the action that was there before.
            unsafe { libc::sigaction(libc::SIGINT, &before, std::ptr::null_mut()) };
        }
        ARRIVED.store(false, Ordering::Relaxed);
    }
}

/// Puts the handler before the one that is there, if that is one. Gives what was there.
fn install() -> Option<libc::sigaction> {
    // SAFETY: an action of zeros is one; the C library fills it.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: this asks for the action that is there.
    if unsafe { libc::sigaction(libc::SIGINT, std::ptr::null(), &mut before) } != 0 {
        return None;
    }
    if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
        return None;
    }
    BEFORE.store(before.sa_sigaction, Ordering::SeqCst);
    TAKES_MORE.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::SeqCst);
    ARRIVED.store(false, Ordering::SeqCst);
    let mut ours = before;
    ours.sa_flags |= libc::SA_SIGINFO;
    ours.sa_sigaction = arrived as Handler as usize;
    // SAFETY: the handler stores a flag and calls the handler that was there.
    (unsafe { libc::sigaction(libc::SIGINT, &ours, std::ptr::null_mut()) } == 0).then_some(before)
}

/// A handler that takes what the signal is about.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn arrived(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    ARRIVED.store(true, Ordering::SeqCst);
    let before = BEFORE.load(Ordering::SeqCst);
    if before == 0 {
        return;
    }
    if TAKES_MORE.load(Ordering::SeqCst) {
        // SAFETY: this is the address of a handler of this kind.
        let handler: Handler = unsafe { std::mem::transmute(before) };
        handler(signal, info, context);
    } else {
        // SAFETY: this is the address of a handler that takes the number of a signal.
        let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(before) };
        handler(signal);
    }
}
