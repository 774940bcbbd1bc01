//! Arguments and results of routines as C has them.
//!
//! Input: operands in the memory of loaded code. Output: their elements. Invariant: the layout is that of `pb_operand`.

use std::ffi::c_void;

/// As `pb_operand` in `runtime/routines.c`.
#[repr(C)]
pub(crate) struct Operand {
    pub items: *mut c_void,
    pub sizes: [i64; 2],
    pub real: f64,
    pub number: i64,
}

/// The elements of an array; of an empty one there may be no address.
pub(super) unsafe fn items<'a, T>(at: *mut c_void, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(at.cast(), count) }
}

/// As [`items`], to be written to.
pub(super) unsafe fn places<'a, T>(at: *mut c_void, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts_mut(at.cast(), count) }
}
