//! Ctrl-C while something runs: the run stops, the prompt goes on.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use pullback_base::Progress;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::{Handle, Signals};

/// Stops runs as long as it lives.
pub struct Interrupt {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Interrupt {
    /// Begins to listen; without a thread Ctrl-C ends the command as usual.
    pub fn stopping(watch: Arc<Progress>) -> Option<Self> {
        let mut signals = Signals::new([SIGINT]).ok()?;
        let handle = signals.handle();
        let listen = move || signals.forever().for_each(|_| watch.stop());
        let thread = Builder::new().spawn(listen).ok()?;
        Some(Self { handle, thread: Some(thread) })
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
