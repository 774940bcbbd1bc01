//! How far a call is, told to Python while it runs.
//!
//! Input: a callable. Output: a watch that calls it with the iterations done and all, about every tenth of a second, and
//! then asks the watch that there is anyway. Invariant: what the callable raises ends the call, and is kept for whoever made it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pullback_embed::{Stand, Watch};
use pyo3::prelude::*;

/// How often the callable is called at most.
const EVERY: Duration = Duration::from_millis(100);

/// A watch that tells a callable.
pub struct Telling {
    told: Py<PyAny>,
    next: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
    other: Option<Arc<dyn Watch>>,
}

impl Telling {
    pub fn new(told: Py<PyAny>, other: Option<Arc<dyn Watch>>) -> Arc<Self> {
        let (next, raised) = (Mutex::new(Instant::now() + EVERY), Mutex::new(None));
        Arc::new(Self { told, next, raised, other })
    }

    /// What the callable has raised.
    pub fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn tell(&self, stand: Stand) -> PyResult<()> {
        Python::attach(|py| {
            self.told.call1(py, (stand.done, stand.all))?;
            Ok(())
        })
    }
}

impl Watch for Telling {
    fn is_long(&self) {
        if let Some(other) = &self.other {
            other.is_long();
        }
    }
    fn goes_on(&self, stand: Option<Stand>) -> bool {
        if self.other.as_ref().is_some_and(|other| !other.goes_on(stand)) {
            return false;
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stand) = stand else { return true };
        if Instant::now() < *next {
            return true;
        }
        if let Err(error) = self.tell(stand) {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            return false;
        }
        *next = Instant::now() + EVERY;
        true
    }
    fn has_ended(&self) {
        if let Some(other) = &self.other {
            other.has_ended();
        }
    }
}
