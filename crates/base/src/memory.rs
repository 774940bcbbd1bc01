//! The account of memory that values of this thread hold, so that a budget can be kept.
//!
//! Values are reference-counted and never leave their thread, hence one counter a thread. It counts
//! what structures ask for, not what the allocator adds.

use std::cell::Cell;

/// What a thread's values have taken, in bytes.
struct Account {
    live: Cell<usize>,
    peak: Cell<usize>,
    total: Cell<usize>,
}

thread_local! {
    static ACCOUNT: Account =
        const { Account { live: Cell::new(0), peak: Cell::new(0), total: Cell::new(0) } };
}

/// What a value of this type takes behind a reference count: an allocator hands out multiples of 16 bytes.
pub const fn shared<T>() -> usize {
    (size_of::<T>() + 16).next_multiple_of(16)
}

/// Notes that `bytes` more are in use.
#[inline]
pub fn charge(bytes: usize) {
    ACCOUNT.with(|account| {
        let live = account.live.get().wrapping_add(bytes);
        account.live.set(live);
        account.peak.set(account.peak.get().max(live));
        account.total.set(account.total.get().wrapping_add(bytes));
    });
}

/// Notes that `bytes` are free again.
#[inline]
pub fn release(bytes: usize) {
    // The account has no destructor, so it is there even while the thread ends.
    ACCOUNT.with(|account| account.live.set(account.live.get().wrapping_sub(bytes)));
}

/// The bytes in use on this thread.
#[inline]
pub fn live() -> usize {
    ACCOUNT.with(|account| account.live.get())
}

/// All the bytes that this thread has asked for.
pub fn total() -> usize {
    ACCOUNT.with(|account| account.total.get())
}

/// The most bytes in use on this thread at once, since [`forget_peak`].
pub fn peak() -> usize {
    ACCOUNT.with(|account| account.peak.get())
}

/// From now on the peak is that of what follows.
pub fn forget_peak() {
    ACCOUNT.with(|account| account.peak.set(account.live.get()));
}

/// Memory that no value holds, in the account until this is dropped.
#[derive(Debug, Default)]
pub struct Charge(usize);

impl Charge {
    /// Memory of this many bytes.
    pub fn new(bytes: usize) -> Self {
        charge(bytes);
        Self(bytes)
    }
    /// How many bytes it is.
    pub fn bytes(&self) -> usize {
        self.0
    }
    /// It is this many bytes now.
    pub fn set(&mut self, bytes: usize) {
        if bytes != self.0 {
            charge(bytes);
            release(self.0);
            self.0 = bytes;
        }
    }
}

impl Clone for Charge {
    fn clone(&self) -> Self {
        Self::new(self.0)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        release(self.0);
    }
}
