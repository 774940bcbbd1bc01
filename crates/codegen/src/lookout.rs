//! Watchdog: one thread that looks after all calls under way, so that a call pays nothing for a deadline or for somebody
//! who may stop it.
//!
//! Input: calls as they begin and end, each with a [`Post`] of its own. Output: calls that are too late, or that their
//! [`Watch`] stops, are told to end.
//!
//! Invariants. A call is told to end only between its beginning and its end, which the lock of its post orders. The
//! thread sleeps when no call has been under way for a while, and the next call wakes it. A process that has forked calls
//! [`forget`]: its thread is gone, and so are the locks that the thread may have held.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Builder;
use std::time::Duration;

use pullback_base::{Instant, Stand};

/// Somebody who watches a call from another thread.
pub trait Watch: Send + Sync {
    /// The call is longer than a moment. This is told once, and from then on the others are.
    fn is_long(&self) {}
    /// Whether the call may go on.
    fn goes_on(&self, stand: Option<Stand>) -> bool;
    /// The call has ended. Its own thread tells this, and only if it was long.
    fn has_ended(&self) {}
}

/// How often calls are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// After so many looks without a call the thread sleeps.
const IDLE: u32 = 100;

/// A call under way.
pub(crate) struct Going {
    pub until: Option<Instant>,
    pub watch: Option<Arc<dyn Watch>>,
    pub is_long: bool,
    /// Whether it was told to end, by its watch.
    pub is_stopped: bool,
    /// Whether it was told to end, by the clock.
    pub is_late: bool,
}

/// The place where a context says that a call of it is under way.
pub(crate) struct Post {
    going: Mutex<Option<Going>>,
    /// Tells the call to end.
    stop: Box<dyn Fn() + Send + Sync>,
    stand: Box<dyn Fn() -> Option<Stand> + Send + Sync>,
}

impl Post {
    /// A post, which is looked at from now on.
    pub fn new(
        stop: Box<dyn Fn() + Send + Sync>,
        stand: Box<dyn Fn() -> Option<Stand> + Send + Sync>,
    ) -> Arc<Self> {
        let post = Arc::new(Self { going: Mutex::new(None), stop, stand });
        lock(&lookout().posts).push(Arc::downgrade(&post));
        post
    }
    /// A call begins.
    pub fn begin(&self, until: Option<Instant>, watch: Option<Arc<dyn Watch>>) {
        let going = Going { until, watch, is_long: false, is_stopped: false, is_late: false };
        *lock(&self.going) = Some(going);
        fence(Ordering::SeqCst);
        let lookout = lookout();
        if lookout.sleeps.load(Ordering::SeqCst) {
            lookout.wake();
        }
    }
    /// The call has ended: how it went.
    pub fn end(&self) -> Option<Going> {
        let going = lock(&self.going).take()?;
        if let (true, Some(watch)) = (going.is_long, &going.watch) {
            watch.has_ended();
        }
        Some(going)
    }
    /// Looks at the call, if one is under way.
    fn look(&self) -> bool {
        let mut place = lock(&self.going);
        let Some(going) = place.as_mut() else { return false };
        if let Some(watch) = &going.watch {
            if !std::mem::replace(&mut going.is_long, true) {
                watch.is_long();
            }
            if !watch.goes_on((self.stand)()) {
                going.is_stopped = true;
                (self.stop)();
            }
        }
        if going.until.is_some_and(|until| Instant::now() >= until) {
            going.is_late = true;
            (self.stop)();
        }
        true
    }
}

/// The thread, and what it looks at.
struct Lookout {
    posts: Mutex<Vec<Weak<Post>>>,
    /// Whether it sleeps, as it does before it has begun.
    sleeps: AtomicBool,
    begun: AtomicBool,
    /// Whether the thread is to look again.
    wakes: Mutex<bool>,
    woken: Condvar,
}

/// A lookout for each generation of processes: those of others may have locks that are held for ever.
static LOOKOUTS: [OnceLock<Lookout>; 16] = [const { OnceLock::new() }; 16];
static GENERATION: AtomicUsize = AtomicUsize::new(0);

/// How many times this process has forked from another that made calls.
pub fn generation() -> usize {
    GENERATION.load(Ordering::Relaxed)
}

/// Forgets the thread and all contexts of the process that this one has forked from.
pub fn forget() {
    GENERATION.fetch_add(1, Ordering::SeqCst);
}

fn lookout() -> &'static Lookout {
    LOOKOUTS[generation().min(LOOKOUTS.len() - 1)].get_or_init(Lookout::default)
}

impl Lookout {
    /// Has the thread look again, or begins it.
    fn wake(&'static self) {
        let mut wakes = lock(&self.wakes);
        if self.sleeps.swap(false, Ordering::SeqCst) {
            *wakes = true;
            if self.begun.swap(true, Ordering::SeqCst) {
                self.woken.notify_one();
            } else {
                let thread = Builder::new().name("pullback lookout".to_owned());
                if thread.spawn(move || self.work()).is_err() {
                    // The next call tries again.
                    self.begun.store(false, Ordering::SeqCst);
                    self.sleeps.store(true, Ordering::SeqCst);
                }
            }
        }
    }
    fn work(&self) {
        loop {
            let mut idle = 0;
            while idle < IDLE {
                std::thread::sleep(LOOK);
                idle = if self.look() { 0 } else { idle + 1 };
            }
            *lock(&self.wakes) = false;
            self.sleeps.store(true, Ordering::SeqCst);
            fence(Ordering::SeqCst);
            // A call may have begun before it could see that the thread sleeps.
            if self.look() {
                self.sleeps.store(false, Ordering::SeqCst);
                continue;
            }
            let mut wakes = lock(&self.wakes);
            while !*wakes {
                wakes = self.woken.wait(wakes).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
    /// Looks at all calls: whether there are any.
    fn look(&self) -> bool {
        let posts: Vec<Arc<Post>> = {
            let mut posts = lock(&self.posts);
            posts.retain(|post| post.strong_count() > 0);
            posts.iter().filter_map(Weak::upgrade).collect()
        };
        posts.iter().fold(false, |any, post| post.look() | any)
    }
}

impl Default for Lookout {
    fn default() -> Self {
        Self {
            posts: Mutex::default(),
            sleeps: AtomicBool::new(true),
            begun: AtomicBool::new(false),
            wakes: Mutex::new(false),
            woken: Condvar::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
