//! Moments of time, for limits and measurements.
//!
//! Where the system has a clock, a moment is that of the standard library. WebAssembly has none: there the host hands over
//! its clock once, before anything is asked, and until then no time goes by.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use of_host::{Instant, set_clock};

#[cfg(target_family = "wasm")]
mod of_host {
    use std::ops::{Add, Sub};
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// From now on this tells the time: how much has gone by since some moment. It never goes back. The first one stays.
    pub fn set_clock(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }

    /// A moment, as far as this crate's users ask for what the standard library's has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Self {
            Self(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }
        /// How much time has gone by since.
        pub fn elapsed(&self) -> Duration {
            Self::now().saturating_duration_since(*self)
        }
        /// How much later it is than another moment; nothing if it is earlier.
        pub fn saturating_duration_since(&self, other: Self) -> Duration {
            self.0.saturating_sub(other.0)
        }
        /// So much later, if there is such a moment.
        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Self)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;
        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }

    impl Sub for Instant {
        type Output = Duration;
        fn sub(self, other: Self) -> Duration {
            self.saturating_duration_since(other)
        }
    }
}
