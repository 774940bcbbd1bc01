//! The last guard of the time limit: what evaluates looks at the limit itself, the rest is watched here.
//!
//! Input: work for a thread of its own, its clock and its limit. Output: what it gave, or that it was
//! not done in time and a grace after it; the thread goes on then, until the process ends.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use pullback_session::Clock;

/// How much longer than its limit work may take to notice by itself that the time is over, and where.
const GRACE: Duration = Duration::from_secs(1);

/// How work ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// With this.
    Done(T),
    /// With a panic, which has been told.
    Panicked,
    /// It did not, within this limit.
    Late(Duration),
}

/// Does work on a thread, within a limit if there is one.
pub fn guarded<T: Send + 'static>(
    thread: Builder,
    clock: &Clock,
    limit: Option<Duration>,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Outcome<T>> {
    let (at_work, ended) = channel::<()>();
    let worker = thread.spawn(move || {
        // Dropped at the end, also by a panic: whoever waits for it wakes up.
        let _at_work = at_work;
        work()
    })?;
    if let Some(limit) = limit {
        let whole = limit.saturating_add(GRACE);
        loop {
            let left = clock.left(whole);
            if left == Some(Duration::ZERO) {
                return Ok(Outcome::Late(limit));
            }
            // Work may begin anew while nothing is under way.
            if ended.recv_timeout(left.unwrap_or(GRACE)) == Err(RecvTimeoutError::Disconnected) {
                break;
            }
        }
    }
    Ok(worker.join().map_or(Outcome::Panicked, Outcome::Done))
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    fn outcome(clock: &Clock, work: impl FnOnce() -> u8 + Send + 'static) -> Outcome<u8> {
        let limit = Some(Duration::from_millis(1));
        guarded(Builder::new(), clock, limit, work).expect("there are threads")
    }

    #[test]
    fn work_that_notices_nothing_is_late() {
        let late = outcome(&Clock::default(), || {
            sleep(Duration::from_secs(600));
            0
        });
        assert_eq!(late, Outcome::Late(Duration::from_millis(1)));
    }

    #[test]
    fn what_follows_the_work_has_no_limit() {
        let clock = Clock::default();
        let work = clock.clone();
        let done = outcome(&clock, move || {
            work.stop();
            sleep(GRACE + Duration::from_millis(200));
            7
        });
        assert_eq!(done, Outcome::Done(7));
    }
}
