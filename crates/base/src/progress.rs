//! How far a long run is: what evaluation tells somebody who watches from another thread, and may stop it.
//!
//! Input: the counts of the outermost loop under way. Output: the same, to be read at any time. Whoever watches asks
//! ([`Progress::ask`]); evaluators look at whether they are asked where they look at their limits. Native code stores its
//! counts by itself, at the address of [`Progress::counters`]. Whoever watches may also stop the run
//! ([`Progress::stop`]): evaluators look for that in the same places.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Iterations of a loop.
    Iterations,
    /// Iterations of a loop that runs from its last index to its first, which only reverse mode makes.
    Backward,
    /// What reverse mode recorded, from the last operation to the first.
    Operations,
}

impl Counted {
    const ALL: [Self; 3] = [Self::Iterations, Self::Backward, Self::Operations];

    /// The number that stands for it in [`Progress::counters`]; 0 stands for nothing.
    pub fn number(self) -> i64 {
        self as i64 + 1
    }
}

/// How far a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// What is counted.
    pub counted: Counted,
    /// How many are done.
    pub done: u64,
    /// Of how many, if that is known.
    pub all: Option<u64>,
}

/// How far a run is: how many are done, of how many (-1 if that is not known), and what they are (0 for nothing).
#[derive(Debug, Default)]
pub struct Progress {
    counters: [AtomicI64; 3],
    is_asked: AtomicBool,
    /// Whether the run is to stop. What comes before and after a run shares this with it.
    stopped: Arc<AtomicBool>,
}

impl Progress {
    /// Asks for the stand, which evaluators tell when they look at their limits next.
    pub fn ask(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }
    /// Whether somebody asks, who has an answer from now on.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed) && self.is_asked.swap(false, Ordering::Relaxed)
    }
    /// Stops the run, and every run after it until [`Progress::resume`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
    /// Lets runs begin again.
    pub fn resume(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }
    /// Whether the run is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
    /// The progress of another run, which nobody watches and which stops with this one.
    #[must_use]
    pub fn unheard(&self) -> Self {
        Self { stopped: self.stopped.clone(), ..Self::default() }
    }
    /// Tells the stand of the outermost loop, if one is under way.
    pub fn tell(&self, stand: Option<Stand>) {
        let [done, all, counted] = match stand {
            None => [0; 3],
            Some(Stand { counted, done, all }) => {
                let all = all.map_or(-1, |all| i64::try_from(all).unwrap_or(i64::MAX));
                [i64::try_from(done).unwrap_or(i64::MAX), all, counted.number()]
            }
        };
        for (counter, value) in self.counters.iter().zip([done, all, counted]) {
            counter.store(value, Ordering::Relaxed);
        }
    }
    /// The stand that was told last. While it changes it may be that of no moment, but never more than all.
    pub fn stand(&self) -> Option<Stand> {
        let [done, all, counted] =
            [0, 1, 2].map(|at: usize| self.counters[at].load(Ordering::Relaxed));
        let counted = Counted::ALL.into_iter().find(|it| it.number() == counted)?;
        let (done, all) = (u64::try_from(done).ok()?, u64::try_from(all).ok());
        let fits = all.is_none_or(|all| done <= all);
        fits.then_some(Stand { counted, done, all })
    }
    /// Where native code stores how many are done, of how many, and what.
    pub fn counters(&self) -> *const AtomicI64 {
        self.counters.as_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read() {
        let progress = Progress::default();
        assert_eq!(progress.stand(), None);
        for counted in [Counted::Iterations, Counted::Backward, Counted::Operations] {
            for all in [None, Some(9)] {
                let stand = Some(Stand { counted, done: 7, all });
                progress.tell(stand);
                assert_eq!(progress.stand(), stand);
            }
        }
        progress.tell(None);
        assert_eq!(progress.stand(), None);
    }

    #[test]
    fn more_than_all_is_never_read() {
        let progress = Progress::default();
        let stand = Stand { counted: Counted::Iterations, done: 8, all: Some(7) };
        progress.tell(Some(stand));
        assert_eq!(progress.stand(), None);
    }

    #[test]
    fn what_is_unheard_stops_too() {
        let progress = Progress::default();
        let other = progress.unheard();
        other.tell(Some(Stand { counted: Counted::Iterations, done: 1, all: None }));
        assert_eq!(progress.stand(), None);
        progress.stop();
        assert!(other.is_stopped());
        progress.resume();
        assert!(!other.is_stopped());
    }

    #[test]
    fn a_question_is_answered_once() {
        let progress = Progress::default();
        assert!(!progress.is_asked());
        progress.ask();
        assert!(progress.is_asked());
        assert!(!progress.is_asked());
    }
}
