//! Affine forms of Ints, as dependence analysis has them (Banerjee 1988): what an index is as a sum of multiples of
//! other Ints and a number.
//!
//! Input: the Ints of a block ([`Ints`]), and what a loop binds ([`Inside`]). Output: the [`Affine`] form of an Int, the
//! difference of two, bounds over all iterations of loops, and how a place moves on with an index ([`Moving`]).
//!
//! ```text
//! for i.3 < n.1 {
//!   a.4 = int_add(i.3, k.2)
//!   b.5 = int_sub(a.4, 1)         b.5 = i.3 + k.2 - 1, which is 1 more from iteration to iteration
//!   c.6 = int_mul(b.5, 2)         c.6 = 2 i.3 + 2 k.2 - 2;  c.6 - b.5 = i.3 + k.2 - 1
//!   d.7 = int_mul(k.2, i.3)       d.7 = d.7: a product of two Ints is an Int of its own
//! }
//! ```
//!
//! Law: where an Int has a value, its form has the same, in integers without bounds. Arithmetic on the coefficients
//! gives up where it would overflow, and never wraps around.

use std::collections::BTreeMap;

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many nested sums are followed, and how often an index is replaced by its bound.
const DEPTH: usize = 8;

/// An affine form: multiples of Ints, and a number. The Ints are variables, or symbols of whoever makes the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine<S = VarId> {
    /// Each Int with its coefficient, which is not 0.
    terms: BTreeMap<S, i64>,
    number: i64,
}

impl<S> Default for Affine<S> {
    fn default() -> Self {
        Self { terms: BTreeMap::new(), number: 0 }
    }
}

impl<S: Ord + Copy> Affine<S> {
    /// A number alone.
    pub fn of_number(number: i64) -> Self {
        Self { number, ..Self::default() }
    }

    /// An Int alone.
    pub fn of(var: S) -> Self {
        Self { terms: BTreeMap::from([(var, 1)]), number: 0 }
    }

    /// Each Int in it with its coefficient.
    pub fn terms(&self) -> impl Iterator<Item = (S, i64)> {
        self.terms.iter().map(|(var, times)| (*var, *times))
    }

    /// The number in it.
    pub fn number(&self) -> i64 {
        self.number
    }

    /// What an Int is multiplied with.
    pub fn coefficient(&self, var: S) -> i64 {
        self.terms.get(&var).copied().unwrap_or(0)
    }

    /// The form without an Int, as if that were 0.
    #[must_use]
    pub fn without(&self, var: S) -> Self {
        let mut rest = self.clone();
        rest.terms.remove(&var);
        rest
    }

    /// How much it is more than another form.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(other, -1)
    }

    /// Its sum with a multiple of another form.
    pub fn plus(&self, other: &Self, times: i64) -> Option<Self> {
        let mut sum = self.clone();
        for (var, own) in &other.terms {
            sum.add_var(*var, own.checked_mul(times)?)?;
        }
        sum.add_number(other.number, times)?;
        Some(sum)
    }

    /// The number that it is, if no Int is in it.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.number)
    }

    /// Whether all Ints in it are like this.
    pub fn all(&self, is: impl Fn(S) -> bool) -> bool {
        self.terms.keys().all(|var| is(*var))
    }

    /// Adds a multiple of an Int.
    pub fn add_var(&mut self, var: S, times: i64) -> Option<()> {
        let all = self.terms.entry(var).or_default();
        *all = all.checked_add(times)?;
        if *all == 0 {
            self.terms.remove(&var);
        }
        Some(())
    }

    /// Adds a multiple of a number.
    pub fn add_number(&mut self, number: i64, times: i64) -> Option<()> {
        self.number = self.number.checked_add(number.checked_mul(times)?)?;
        Some(())
    }
}

impl Affine {
    /// The number or the Int that it is, if it is just that.
    pub fn as_atom(&self) -> Option<Atom> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (None, _) => Some(Atom::Int(self.number)),
            (Some((var, 1)), None) if self.number == 0 => Some(Atom::Var(*var)),
            (Some(_), _) => None,
        }
    }
}

/// The Ints of which an Int is the sum, each with its coefficient, if an operation on Ints gives one: at most two.
pub fn addends(prim: Prim, args: &[Atom]) -> Option<[(Atom, i64); 2]> {
    let nothing = (Atom::Int(0), 0);
    match (prim, args) {
        (Prim::IntAdd, &[a, b]) => Some([(a, 1), (b, 1)]),
        (Prim::IntSub, &[a, b]) => Some([(a, 1), (b, -1)]),
        (Prim::IntNeg, &[a]) => Some([(a, -1), nothing]),
        (Prim::IntMul, &[a, Atom::Int(n)] | &[Atom::Int(n), a]) => Some([(a, n), nothing]),
        _ => None,
    }
}

/// What is known of the Ints of a block: which are sums, and which are the indices of loops.
#[derive(Debug, Default)]
pub struct Ints {
    sums: FxHashMap<VarId, [(Atom, i64); 2]>,
    /// The counts of loops by their indices.
    counts: FxHashMap<VarId, Atom>,
}

impl Ints {
    /// The Ints of a block, at any depth. Those from outside are known by name only.
    pub fn of(block: &Block) -> Self {
        let mut ints = Self::default();
        block.visit(&mut |stmt| {
            if let (Op::Prim(prim, args), [var]) = (&stmt.op, stmt.vars.as_slice()) {
                ints.sums.extend(addends(*prim, args).map(|addends| (*var, addends)));
            } else if let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, .. }) = &stmt.op
            {
                ints.counts.insert(*index, *count);
            }
        });
        ints
    }

    /// Whether an Int is computed by sums and multiples alone from those that are given.
    pub fn follows_from(&self, atom: Atom, is_given: impl Fn(VarId) -> bool) -> bool {
        let (mut todo, mut seen) = (vec![atom], FxHashSet::default());
        while let Some(atom) = todo.pop() {
            let Some(var) = atom.var().filter(|var| !is_given(*var) && seen.insert(*var)) else {
                continue;
            };
            let Some(addends) = self.sums.get(&var) else { return false };
            todo.extend(addends.iter().map(|(addend, _)| *addend));
        }
        true
    }

    /// An Int as a form over Ints that are no sums themselves.
    pub fn form(&self, atom: Atom) -> Option<Affine> {
        let mut form = Affine::default();
        self.add(&mut form, atom, 1, DEPTH)?;
        Some(form)
    }

    /// How much one Int is more than another.
    pub fn difference(&self, one: Atom, other: Atom) -> Option<Affine> {
        self.form(one)?.minus(&self.form(other)?)
    }

    /// How much one Int is more than another, if that is always the same number.
    pub fn distance(&self, one: Atom, other: Atom) -> Option<i64> {
        self.difference(one, other)?.as_number()
    }

    /// The Int that is so much more than another, if the other is computed from it by adding numbers.
    pub fn beyond(&self, atom: Atom, more: i64) -> Option<Atom> {
        if let Atom::Int(n) = atom {
            return n.checked_add(more).map(Atom::Int);
        }
        let (mut atom, mut left) = (atom, more);
        for _ in 0..DEPTH {
            if left == 0 {
                break;
            }
            match self.sums.get(&atom.var()?)? {
                [(of, 1), (Atom::Int(n), times)] | [(Atom::Int(n), times), (of, 1)] => {
                    left = left.checked_add(n.checked_mul(*times)?)?;
                    atom = *of;
                }
                _ => return None,
            }
        }
        (left == 0).then_some(atom)
    }

    /// A lower bound of a form, over all iterations of all loops.
    pub fn least(&self, mut form: Affine) -> Option<i64> {
        for _ in 0..DEPTH {
            let mut terms = form.terms.iter();
            let last = terms.find(|(var, times)| **times < 0 && self.counts.contains_key(var));
            let Some((index, times)) = last.map(|(var, times)| (*var, *times)) else { break };
            // At its largest an index is one less than the count.
            form.terms.remove(&index);
            self.add(&mut form, self.counts[&index], times, DEPTH)?;
            form.add_number(-1, times)?;
        }
        let is_fine = |(var, times): (&VarId, &i64)| *times >= 0 && self.counts.contains_key(var);
        form.terms.iter().all(is_fine).then_some(form.number)
    }

    /// Whether two Ints are different in all iterations.
    pub fn are_apart(&self, one: Atom, other: Atom) -> bool {
        let is_more = |one, other| {
            let least = self.difference(one, other).and_then(|form| self.least(form));
            least.is_some_and(|least| least > 0)
        };
        is_more(one, other) || is_more(other, one)
    }

    /// Adds a multiple of an Int to a form.
    fn add(&self, form: &mut Affine, atom: Atom, times: i64, depth: usize) -> Option<()> {
        let var = match atom {
            Atom::Int(n) => return form.add_number(n, times),
            Atom::Var(var) => var,
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => pullback_base::bug("affine", "an Int"),
        };
        match self.sums.get(&var) {
            Some(addends) if depth > 0 => {
                for (addend, coefficient) in addends {
                    self.add(form, *addend, times.checked_mul(*coefficient)?, depth - 1)?;
                }
                Some(())
            }
            _ => form.add_var(var, times),
        }
    }
}

/// What a loop binds: its index, its states, and all in its body. Whatever else there is, is the same in all of its
/// iterations.
pub struct Inside(FxHashSet<VarId>);

impl Inside {
    /// What a loop binds.
    pub fn of(looped: &Loop) -> Self {
        let mut inside: FxHashSet<VarId> = looped.states.iter().copied().collect();
        inside.extend(looped.for_index());
        looped.blocks().for_each(|block| inside.extend(block.bound()));
        Self(inside)
    }

    /// Adds what a function binds that the loop calls.
    pub fn add(&mut self, params: &[VarId], body: &Block) {
        self.0.extend(params);
        self.0.extend(body.bound());
    }

    /// Whether a variable is bound there.
    pub fn has(&self, var: VarId) -> bool {
        self.0.contains(&var)
    }

    /// Whether an atom is the same in all iterations, since it comes from outside.
    pub fn is_uniform(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.has(var))
    }
}

/// A place that moves on by one with each iteration of a loop, in one dimension alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moving {
    /// The dimension.
    pub dimension: usize,
    /// Where the place is if the index is 0.
    pub start: Vec<Affine>,
}

impl Moving {
    /// How a place moves on with the index of a loop, if it does.
    pub fn of(ints: &Ints, place: &[Atom], index: VarId, inside: &Inside) -> Option<Self> {
        let (mut dimension, mut start) = (None, vec![]);
        for (at, atom) in place.iter().enumerate() {
            let form = ints.form(*atom)?;
            let rest = form.without(index);
            if !rest.all(|var| !inside.has(var)) {
                return None;
            }
            match form.coefficient(index) {
                0 => {}
                1 if dimension.is_none() => dimension = Some(at),
                _ => return None,
            }
            start.push(rest);
        }
        Some(Self { dimension: dimension?, start })
    }
}
