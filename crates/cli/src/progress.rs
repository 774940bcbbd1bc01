//! How far long work is: a bar on standard error, if that is a terminal, and nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar; the template says what stands beside it.
    pub fn new(template: &str) -> Self {
        // Nothing is drawn where standard error is no terminal.
        let bar = ProgressBar::new(1);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self(bar)
    }
    /// A bar that counts cases.
    pub fn of_cases() -> Self {
        Self::new("{bar:30} {pos} of {len} {msg} {elapsed}")
    }
    /// So much is done, of so much, and this is next.
    pub fn tell(&self, what: &str, done: u64, all: u64) {
        self.0.set_message(what.to_owned());
        self.0.set_length(all);
        self.0.set_position(done);
    }
    /// The work is done.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
