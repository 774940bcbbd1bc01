//! Forward chaining in Horn clauses (Dowling and Gallier, 1984): what follows from what is known, in time linear in the
//! clauses.
//!
//! Input: clauses of one or two premises, and facts. Output: the least set that has the facts, and the conclusion of
//! every clause whose premises it has.
//!
//! ```text
//! a → b      b ∧ c → d      facts a, c      consequences a, b, c, d
//! ```
//!
//! A pass that may change values only where all that they meet is changed too states as clauses what spoils what, and
//! as facts what is spoiled by itself. Two things that only change together imply each other ([`Horn::equate`]).
//! Unification of the two (Steensgaard, 1996) would say the same of these; clauses also say what holds one way only,
//! as inclusion does (Andersen, 1994).
//!
//! Law: the consequences hang neither on the order of clauses nor on that of facts.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

/// Clauses over numbers from 0.
#[derive(Default)]
pub struct Clauses {
    /// The conclusions of one premise.
    simple: Vec<(usize, usize)>,
    /// The conclusions of one premise and another one, which comes first; each clause stands at both premises.
    joint: Vec<(usize, (usize, usize))>,
}

impl Clauses {
    /// Notes that a premise implies a conclusion.
    pub fn imply(&mut self, premise: usize, conclusion: usize) {
        self.simple.push((premise, conclusion));
    }

    /// Notes that two premises together imply a conclusion.
    pub fn imply_jointly(&mut self, one: usize, other: usize, conclusion: usize) {
        self.joint.push((one, (other, conclusion)));
        self.joint.push((other, (one, conclusion)));
    }

    /// The clauses about the numbers below `count`, with nothing known yet.
    pub fn chaining(&self, count: usize) -> Chaining {
        Chaining {
            simple: ByPremise::of(count, &self.simple),
            joint: ByPremise::of(count, &self.joint),
            holds: vec![false; count],
        }
    }
}

/// What is known to hold, and all that follows from it.
pub struct Chaining {
    simple: ByPremise<usize>,
    joint: ByPremise<(usize, usize)>,
    /// Whether each number holds.
    pub holds: Vec<bool>,
}

impl Chaining {
    /// Adds facts, with what follows from them.
    pub fn add(&mut self, facts: impl IntoIterator<Item = usize>) {
        let mut todo: Vec<usize> = facts.into_iter().collect();
        while let Some(fact) = todo.pop() {
            if std::mem::replace(&mut self.holds[fact], true) {
                continue;
            }
            todo.extend(self.simple.at(fact));
            let joint = self.joint.at(fact).iter().filter(|(other, _)| self.holds[*other]);
            todo.extend(joint.map(|(_, conclusion)| conclusion));
        }
    }
}

/// Items by premise, those of each next to each other.
struct ByPremise<T> {
    /// Where those of each premise begin, and where the last ones end.
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T: Copy + Default> ByPremise<T> {
    fn of(count: usize, pairs: &[(usize, T)]) -> Self {
        let mut starts = vec![0; count + 1];
        for (premise, _) in pairs {
            starts[*premise + 1] += 1;
        }
        for premise in 0..count {
            starts[premise + 1] += starts[premise];
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); pairs.len()];
        for (premise, item) in pairs {
            items[next[*premise]] = *item;
            next[*premise] += 1;
        }
        Self { starts, items }
    }

    fn at(&self, premise: usize) -> &[T] {
        &self.items[self.starts[premise]..self.starts[premise + 1]]
    }
}

/// Clauses over keys.
pub struct Horn<K> {
    numbers: FxHashMap<K, usize>,
    keys: Vec<K>,
    clauses: Clauses,
}

impl<K> Default for Horn<K> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), keys: vec![], clauses: Clauses::default() }
    }
}

impl<K: Copy + Eq + Hash> Horn<K> {
    fn number(&mut self, key: K) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    /// Notes that a premise implies a conclusion.
    pub fn imply(&mut self, premise: K, conclusion: K) {
        let (premise, conclusion) = (self.number(premise), self.number(conclusion));
        self.clauses.imply(premise, conclusion);
    }

    /// Notes that two premises together imply a conclusion.
    pub fn imply_jointly(&mut self, one: K, other: K, conclusion: K) {
        let (one, other) = (self.number(one), self.number(other));
        let conclusion = self.number(conclusion);
        self.clauses.imply_jointly(one, other, conclusion);
    }

    /// Notes that two keys hold together or not at all.
    pub fn equate(&mut self, one: K, other: K) {
        self.imply(one, other);
        self.imply(other, one);
    }

    /// All that follows from facts, and these.
    pub fn consequences(&mut self, facts: impl IntoIterator<Item = K>) -> FxHashSet<K> {
        let facts: Vec<usize> = facts.into_iter().map(|fact| self.number(fact)).collect();
        let mut chaining = self.clauses.chaining(self.keys.len());
        chaining.add(facts);
        let keys = self.keys.iter().zip(&chaining.holds);
        keys.filter(|(_, holds)| **holds).map(|(key, _)| *key).collect()
    }
}
