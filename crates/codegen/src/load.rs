//! Loading compiled code, and the names that it has.
//!
//! What is loaded has been made by [`crate::emit`] alone, and the names below are those of `runtime/run.c` and of
//! the end of every text, with these types.
#![expect(unsafe_code, reason = "code that is loaded is called by its address")]

use std::ffi::c_void;

use libloading::Library as Object;

use crate::compiler::{Failure, Folder, Level, compile};

/// The memory and the state of a run, which only loaded code looks into.
#[repr(C)]
pub(crate) struct Context {
    private: [u8; 0],
}

/// Code that has been loaded.
#[derive(Debug)]
pub struct Library {
    pub(crate) open: unsafe extern "C" fn(u64, *const *const c_void) -> *mut Context,
    pub(crate) stop: unsafe extern "C" fn(*mut Context) -> *mut i32,
    pub(crate) make: unsafe extern "C" fn(*mut Context, u32, u32, u64) -> *mut i64,
    pub(crate) told: unsafe extern "C" fn(*const Context, *mut i64),
    pub(crate) drop: unsafe extern "C" fn(*mut Context, *mut i64),
    pub(crate) close: unsafe extern "C" fn(*mut Context),
    pub(crate) run: unsafe extern "C" fn(*mut Context, u32, *const i64, *mut i64, u64) -> i32,
    /// The functions above are in it.
    _object: Object,
}

impl Library {
    /// Compiles a text that [`crate::emit`] made, and loads it.
    pub fn new(text: &str, level: Level) -> Result<Self, Failure> {
        let folder = Folder::new()?;
        let path = compile(text, level, &folder)?;
        let refused = |error: libloading::Error| Failure::Refused(error.to_string());
        // SAFETY: the object has no code that runs when it is loaded, and each name is a function of its type.
        unsafe {
            let object = Object::new(&path).map_err(refused)?;
            Ok(Self {
                open: *object.get(b"pb_open\0").map_err(refused)?,
                stop: *object.get(b"pb_stop\0").map_err(refused)?,
                make: *object.get(b"pb_make\0").map_err(refused)?,
                told: *object.get(b"pb_told\0").map_err(refused)?,
                drop: *object.get(b"pb_drop\0").map_err(refused)?,
                close: *object.get(b"pb_close\0").map_err(refused)?,
                run: *object.get(b"pb_run\0").map_err(refused)?,
                _object: object,
            })
        }
    }
}
