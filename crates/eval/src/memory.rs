//! The account of memory that values of this thread hold, so that a budget can be kept.
//!
//! Values are reference-counted and never leave their thread, hence one counter a thread. It counts
//! what structures ask for, not what the allocator adds.

use std::cell::Cell;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

/// What a value of this type takes behind a reference count: an allocator hands out multiples of 16 bytes.
pub(super) const fn shared<T>() -> usize {
    (size_of::<T>() + 16).next_multiple_of(16)
}

/// Notes that `bytes` more are in use.
#[inline]
pub fn charge(bytes: usize) {
    LIVE.with(|live| live.set(live.get().wrapping_add(bytes)));
}

/// Notes that `bytes` are free again.
#[inline]
pub fn release(bytes: usize) {
    // The counter has no destructor, so it is there even while the thread ends.
    LIVE.with(|live| live.set(live.get().wrapping_sub(bytes)));
}

/// The bytes in use on this thread.
#[inline]
pub fn live() -> usize {
    LIVE.with(Cell::get)
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
        charge(bytes);
        release(self.0);
        self.0 = bytes;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        release(self.0);
    }
}
