//! The system's loader of shared objects.
//!
//! WebAssembly has none, and no C compiler either: there nothing is loaded, so an [`Object`] has no value and every
//! attempt to load one is refused.

#[cfg(not(target_family = "wasm"))]
pub(crate) use libloading::{Error, Library as Object};

#[cfg(target_family = "wasm")]
pub(crate) use absent::{Error, Object};

#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "this has the signatures of what takes its place elsewhere")]
mod absent {
    use std::fmt;
    use std::path::Path;

    /// What cannot be loaded.
    #[derive(Debug)]
    pub(crate) enum Object {}

    /// Why nothing is loaded.
    #[derive(Debug)]
    pub(crate) struct Error;

    impl fmt::Display for Error {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("WebAssembly has no loader")
        }
    }

    impl Object {
        /// Refuses to load an object. This is safe.
        pub(crate) unsafe fn new(_: &Path) -> Result<Self, Error> {
            Err(Error)
        }
        /// An entry point of an object, of which there is none.
        pub(crate) unsafe fn get<T>(&self, _: &[u8]) -> Result<&T, Error> {
            match *self {}
        }
    }
}
