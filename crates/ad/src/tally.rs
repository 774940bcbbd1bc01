//! What each pass did and how long it took.
//!
//! The passes call one another, for callees of what they differentiate: each is told its own time only.

use std::time::Duration;

use pullback_base::Instant;

/// The passes, by their position in a [`Tally`].
pub(crate) const JVP: usize = 0;
/// See [`JVP`].
pub(crate) const UNZIP: usize = 1;
/// See [`JVP`].
pub(crate) const TRANSPOSE: usize = 2;

/// What `jvp`, unzip and `transpose` did, in this order.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// One entry a pass.
    pub works: [Work; 3],
    running: Option<usize>,
    since: Option<Instant>,
}

/// What a pass did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// To how many functions.
    pub runs: usize,
    /// How many statements it made.
    pub size: usize,
    /// How long that took.
    pub time: Duration,
}

impl Tally {
    /// How many statements all of them have made.
    pub(crate) fn size(&self) -> usize {
        self.works.iter().map(|work| work.size).sum()
    }

    /// Notes that a pass begins; gives the pass that waits for it.
    pub(crate) fn enter(&mut self, pass: usize) -> Option<usize> {
        self.pause();
        self.running.replace(pass)
    }

    /// Notes that the running pass has made `size` statements, and that the waiting one goes on.
    pub(crate) fn leave(&mut self, waiting: Option<usize>, size: usize) {
        self.pause();
        if let Some(pass) = self.running {
            self.works[pass].runs += 1;
            self.works[pass].size += size;
        }
        self.running = waiting;
    }

    fn pause(&mut self) {
        let now = Instant::now();
        if let (Some(pass), Some(since)) = (self.running, self.since) {
            self.works[pass].time += now - since;
        }
        self.since = Some(now);
    }
}
