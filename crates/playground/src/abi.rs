//! The interface of the WebAssembly module: texts go in and out through its memory.
//!
//! The host calls [`begin`] once. For a question it calls [`room`] for a place, writes a request there, calls [`answer`], and reads
//! the answer from there: [`length`] says how long it is. Invariant: there is one place, which is only valid
//! until the next call of either function.
#![expect(unsafe_code, reason = "the host shares the memory of the module")]

use std::cell::RefCell;
use std::time::Duration;

use crate::playground::Playground;

thread_local! {
    static PLACE: RefCell<Vec<u8>> = const { RefCell::new(vec![]) };
    static PLAYGROUND: RefCell<Option<Playground>> = const { RefCell::new(None) };
}

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
    /// Is told why the module cannot go on: so many bytes of text.
    fn panicked(text: *const u8, length: usize);
}

/// Tells the module the time and whom to tell of a panic. The host calls it once, first.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    pullback_base::set_clock(|| Duration::from_secs_f64(now() / 1000.0));
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        // SAFETY: the host reads the text before it returns.
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
}

/// A place for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    PLACE.with_borrow_mut(|place| {
        place.clear();
        place.resize(length, 0);
        place.as_mut_ptr()
    })
}

/// Answers the request in the place; where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    let request = PLACE.take();
    let request = String::from_utf8_lossy(&request);
    let answer = PLAYGROUND.with_borrow_mut(|playground| {
        playground.get_or_insert_with(Playground::default).answer(&request)
    });
    PLACE.with_borrow_mut(|place| {
        *place = answer.into_bytes();
        place.as_ptr()
    })
}

/// How many bytes the latest answer has.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    PLACE.with_borrow(Vec::len)
}
