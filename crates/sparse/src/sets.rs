//! Sets of input numbers, as the tracer joins them: small ones are sorted lists, larger ones remember which two they
//! are the union of.
//!
//! Input: singletons, and unions of sets that are there. Output: the members of a set, in order. Invariants. A set is a
//! number that never changes its meaning. A union takes constant time and room, whatever the sets hold, so what a run
//! takes is linear in its operations; members are listed when the run is over.

use pullback_base::memory::Charge;
use pullback_machine::Meter;
use pullback_prim::Fault;

/// A set, by its number: 0 is empty, then come the singletons, then the sets that were joined.
pub type Set = u32;

/// The most members of a set that is kept as a list.
const SMALL: usize = 32;

/// How many unions are remembered, to be found again.
const REMEMBERED: usize = 1 << 12;

/// The sets of a run.
#[derive(Debug)]
pub struct Sets {
    singletons: u32,
    joined: Vec<Joined>,
    members: Vec<u32>,
    recent: Vec<[Set; 3]>,
    held: Charge,
}

#[derive(Clone, Copy, Debug)]
enum Joined {
    /// These members, in order.
    List { start: usize, len: u32 },
    /// All members of two sets.
    Both(Set, Set),
}

/// A set as its members are looked at.
enum View<'s> {
    Single(u32),
    List(&'s [u32]),
    Both(Set, Set),
}

impl Sets {
    /// The empty set.
    pub const EMPTY: Set = 0;

    /// Sets of so many inputs.
    pub fn new(inputs: u32) -> Self {
        Self {
            singletons: inputs,
            joined: vec![],
            members: vec![],
            recent: vec![[0; 3]; REMEMBERED],
            held: Charge::default(),
        }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.singletons
    }

    /// The set of one input.
    pub fn singleton(input: u32) -> Set {
        input + 1
    }

    /// Whether a number names a set that is there.
    pub fn has(&self, set: Set) -> bool {
        (set as usize) <= self.singletons as usize + self.joined.len()
    }

    fn view(&self, set: Set) -> View<'_> {
        if set == Self::EMPTY {
            return View::List(&[]);
        }
        if set <= self.singletons {
            return View::Single(set - 1);
        }
        match self.joined[(set - self.singletons - 1) as usize] {
            Joined::List { start, len } => View::List(&self.members[start..start + len as usize]),
            Joined::Both(one, other) => View::Both(one, other),
        }
    }

    /// All members of two sets.
    #[inline]
    pub fn union(&mut self, one: Set, other: Set) -> Set {
        if other == Self::EMPTY || one == other {
            one
        } else if one == Self::EMPTY {
            other
        } else {
            self.join(one, other)
        }
    }

    fn join(&mut self, one: Set, other: Set) -> Set {
        let (low, high) = (one.min(other), one.max(other));
        let at = low.wrapping_mul(0x9E37_79B1) ^ high.wrapping_mul(0x85EB_CA6B);
        let at = (at >> 8) as usize % REMEMBERED;
        let [a, b, known] = self.recent[at];
        if (a, b) == (low, high) {
            return known;
        }
        let joined = self.joined_now(low, high);
        self.recent[at] = [low, high, joined];
        joined
    }

    fn joined_now(&mut self, one: Set, other: Set) -> Set {
        let mut buffer = [0; 2 * SMALL];
        let (first, second);
        let (left, right) = match (self.view(one), self.view(other)) {
            (View::Both(a, b), _) if a == other || b == other => return one,
            (_, View::Both(a, b)) if a == one || b == one => return other,
            (View::Both(..), _) | (_, View::Both(..)) => {
                return self.push(Joined::Both(one, other));
            }
            (View::Single(a), View::Single(b)) => {
                (first, second) = ([a], [b]);
                (&first[..], &second[..])
            }
            (View::Single(a), View::List(list)) => {
                first = [a];
                (&first[..], list)
            }
            (View::List(list), View::Single(b)) => {
                second = [b];
                (list, &second[..])
            }
            (View::List(list), View::List(other)) => (list, other),
        };
        let (mut i, mut j, mut len) = (0, 0, 0);
        while i < left.len() || j < right.len() {
            let takes_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
            let takes_right = i == left.len() || (j < right.len() && right[j] <= left[i]);
            buffer[len] = if takes_left { left[i] } else { right[j] };
            i += usize::from(takes_left);
            j += usize::from(takes_right);
            len += 1;
        }
        if len == left.len() {
            return one;
        }
        if len == right.len() {
            return other;
        }
        if len > SMALL {
            return self.push(Joined::Both(one, other));
        }
        let start = self.members.len();
        self.members.extend_from_slice(&buffer[..len]);
        self.push(Joined::List { start, len: len as u32 })
    }

    /// The set of these members, which are in order.
    pub fn listed(&mut self, members: &[u32]) -> Set {
        match members {
            [] => Self::EMPTY,
            [input] => Self::singleton(*input),
            _ => {
                let start = self.members.len();
                self.members.extend_from_slice(members);
                self.push(Joined::List { start, len: members.len() as u32 })
            }
        }
    }

    fn push(&mut self, joined: Joined) -> Set {
        self.joined.push(joined);
        // The tracer asks for room long before numbers run out.
        self.singletons + self.joined.len() as u32
    }

    /// An error if the sets take more room than there is, or if there are too many for their numbers.
    pub fn check(&mut self, meter: &Meter) -> Result<(), Fault> {
        let bytes = self.joined.capacity() * size_of::<Joined>() + self.members.capacity() * 4;
        self.held.set(bytes);
        if self.joined.len() > (u32::MAX - self.singletons) as usize / 2 {
            return Err(meter.out_of_memory());
        }
        meter.check_memory()
    }

    /// A reader of members.
    pub fn reader(&self) -> Reader<'_> {
        Reader {
            sets: self,
            round: 0,
            inputs: vec![0; self.singletons as usize],
            joined: vec![0; self.joined.len()],
            work: vec![],
        }
    }

    /// Whether listing the members of a set takes longer than they are many.
    pub fn is_large(&self, set: Set) -> bool {
        matches!(self.view(set), View::Both(..))
    }
}

/// Lists members of one set after the other.
pub struct Reader<'s> {
    sets: &'s Sets,
    round: u32,
    /// The round in which an input was met last, and a set that was joined.
    inputs: Vec<u32>,
    joined: Vec<u32>,
    work: Vec<Set>,
}

impl Reader<'_> {
    /// Adds the members of a set, in order.
    pub fn members(&mut self, set: Set, found: &mut Vec<u32>) {
        let start = found.len();
        match self.sets.view(set) {
            View::Single(input) => return found.push(input),
            View::List(list) => return found.extend_from_slice(list),
            View::Both(..) => {}
        }
        self.round += 1;
        self.work.push(set);
        while let Some(set) = self.work.pop() {
            if set > self.sets.singletons {
                let met = &mut self.joined[(set - self.sets.singletons - 1) as usize];
                if std::mem::replace(met, self.round) == self.round {
                    continue;
                }
            }
            let single;
            let list = match self.sets.view(set) {
                View::Both(one, other) => {
                    self.work.extend([one, other]);
                    continue;
                }
                View::Single(input) => {
                    single = [input];
                    &single[..]
                }
                View::List(list) => list,
            };
            for input in list {
                let met = &mut self.inputs[*input as usize];
                if std::mem::replace(met, self.round) != self.round {
                    found.push(*input);
                }
            }
        }
        found[start..].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn members(sets: &Sets, set: Set) -> Vec<u32> {
        let mut found = vec![];
        sets.reader().members(set, &mut found);
        found
    }

    #[test]
    fn unions_hold_what_either_holds() {
        let mut sets = Sets::new(200);
        let mut known: Vec<(Set, BTreeSet<u32>)> =
            (0..200).map(|at| (Sets::singleton(at), BTreeSet::from([at]))).collect();
        known.push((Sets::EMPTY, BTreeSet::new()));
        let mut state = 7_u64;
        for _ in 0..3000 {
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as usize % known.len()
            };
            let (one, other) = (next(), next());
            let set = sets.union(known[one].0, known[other].0);
            let expected: BTreeSet<u32> = &known[one].1 | &known[other].1;
            known.push((set, expected));
        }
        let mut reader = sets.reader();
        for (set, expected) in &known {
            let mut found = vec![];
            reader.members(*set, &mut found);
            assert!(found.iter().eq(expected), "{found:?}");
        }
    }

    #[test]
    fn what_adds_nothing_makes_no_set() {
        let mut sets = Sets::new(3);
        let [a, b, c] = [0, 1, 2].map(Sets::singleton);
        let ab = sets.union(a, b);
        let abc = sets.union(ab, c);
        assert_eq!((sets.union(abc, ab), sets.union(b, abc)), (abc, abc));
        assert_eq!((sets.union(a, Sets::EMPTY), sets.union(Sets::EMPTY, b)), (a, b));
        assert_eq!(members(&sets, abc), [0, 1, 2]);
    }

    #[test]
    fn a_long_sum_takes_room_in_proportion() {
        let mut sets = Sets::new(100_000);
        let mut total = Sets::EMPTY;
        for input in 0..100_000 {
            total = sets.union(total, Sets::singleton(input));
        }
        assert!(sets.members.len() < 1000 && sets.joined.len() <= 100_000);
        assert_eq!(members(&sets, total).len(), 100_000);
    }
}
