//! What a campaign tried and found, as numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use crate::generate::{Feature, Mode};

/// What was tried and found.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Programs tried, by mode.
    pub programs: BTreeMap<&'static str, u64>,
    /// Programs with a value.
    pub values: u64,
    /// Programs that fail at run time, everywhere alike.
    pub failures: u64,
    /// Programs that ran too long for the oracle and were passed over.
    pub unended: u64,
    /// Programs on whose way a number came below the smallest normal one, which contenders that flush such were not
    /// asked for.
    pub vanished: u64,
    /// Programs whose derivative the oracle confirmed.
    pub confirmed: u64,
    /// Programs with a derivative other than zero.
    pub moving: u64,
    /// Programs that a contender declined, by contender.
    pub refused: BTreeMap<String, u64>,
    /// Programs with a feature.
    pub features: BTreeMap<Feature, u64>,
    /// How long the contenders took, by contender and question.
    pub taken: BTreeMap<String, Duration>,
    /// What went wrong.
    pub disagreements: Vec<Disagreement>,
}

/// A program on which not all agree.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Its seed.
    pub seed: u64,
    /// What it was made for.
    pub mode: Mode,
    /// Who says what.
    pub what: String,
    /// The smallest bytes found.
    pub bytes: Vec<u8>,
    /// The smallest program and its argument, as text.
    pub text: String,
}

/// How one program went.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub(super) value: bool,
    pub(super) failed: bool,
    pub(super) unended: bool,
    pub(super) vanished: bool,
    pub(super) confirmed: bool,
    pub(super) moving: bool,
    pub(super) refused: Vec<String>,
    pub(super) taken: Vec<(String, Duration)>,
}

impl Statistics {
    /// Adds how a program went.
    pub fn add(&mut self, verdict: Verdict) {
        self.values += u64::from(verdict.value);
        self.failures += u64::from(verdict.failed);
        self.unended += u64::from(verdict.unended);
        self.vanished += u64::from(verdict.vanished);
        self.confirmed += u64::from(verdict.confirmed);
        self.moving += u64::from(verdict.moving);
        for name in verdict.refused {
            *self.refused.entry(name).or_default() += 1;
        }
        for (question, taken) in verdict.taken {
            *self.taken.entry(question).or_default() += taken;
        }
    }

    /// Adds what another part of the campaign found.
    pub fn merge(&mut self, other: Self) {
        fn sum<K: Ord, V: AddAssign + Default>(into: &mut BTreeMap<K, V>, from: BTreeMap<K, V>) {
            for (key, value) in from {
                *into.entry(key).or_default() += value;
            }
        }
        sum(&mut self.programs, other.programs);
        self.values += other.values;
        self.failures += other.failures;
        self.unended += other.unended;
        self.vanished += other.vanished;
        self.confirmed += other.confirmed;
        self.moving += other.moving;
        sum(&mut self.refused, other.refused);
        sum(&mut self.features, other.features);
        sum(&mut self.taken, other.taken);
        self.disagreements.extend(other.disagreements);
    }

    /// How many programs were tried.
    pub fn count(&self) -> u64 {
        self.programs.values().sum()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} programs {:?}", self.count(), self.programs)?;
        writeln!(
            f,
            "{} with a value, {} failing alike, {} passed over, {} with numbers that vanish",
            self.values, self.failures, self.unended, self.vanished
        )?;
        writeln!(
            f,
            "{} with a derivative other than zero, {} confirmed by the oracle",
            self.moving, self.confirmed
        )?;
        writeln!(f, "features {:?}", self.features)?;
        writeln!(f, "refused {:?}", self.refused)?;
        for (question, taken) in &self.taken {
            writeln!(f, "{question}: {:.2} s", taken.as_secs_f64())?;
        }
        writeln!(f, "{} disagreements", self.disagreements.len())?;
        for found in &self.disagreements {
            writeln!(
                f,
                "\nseed {} ({:?}): {}\n{}",
                found.seed, found.mode, found.what, found.text
            )?;
        }
        Ok(())
    }
}
