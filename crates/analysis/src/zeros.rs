//! Zero propagation: which numbers, arrays and accumulators are zeros, whatever a program is given.
//!
//! Input: a body, or an operation with what is known of its operands. Output: [`Zeros`], the variables that are zeros to
//! the bit, with their sizes; and for one operation whether it hands on zeros of either sign ([`hands_on`]).
//!
//! ```text
//! z.1: []f64 = zero(x.0)                                      zeros, as many as x.0 has
//! w.2: []f64 = for i.3 < n.4 { yield 0.0 }                    zeros, n.4 of them
//! a.5: [][]f64 = for i.6 < n.4 { … w.2 … yield w.2 }          zeros
//! acc.7 = new_acc(z.1)                                        begins with zeros
//! ```
//!
//! Law: what is said to be zeros has the bits of 0.0 everywhere, or is the zero vector of data. A sum that begins with
//! such a number is never -0. Only [`hands_on`] and [`is_either_zero`] take -0 for zero too.

use pullback_ir::{Atom, Block, LoopForm, Op, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

/// Whether an atom is the number 0.0, to the bit.
pub fn is_zero(atom: Atom) -> bool {
    matches!(atom, Atom::Real(x) if x.to_bits() == 0)
}

/// Whether an atom is the number 0.0 or -0.0.
pub fn is_either_zero(atom: Atom) -> bool {
    matches!(atom, Atom::Real(x) if x == 0.0)
}

/// How many zeros an array of zeros has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// As many as this value, or what has its sizes, has numbers.
    Like(Atom),
    /// So many, or so many rows.
    Count(Atom),
    /// That is not known.
    Unknown,
}

/// The variables of a body that are zeros to the bit.
#[derive(Debug, Default)]
pub struct Zeros(FxHashMap<VarId, Extent>);

impl Zeros {
    /// Those of a body.
    pub fn of(body: &Block) -> Self {
        let mut zeros = Self::default();
        zeros.block(body);
        zeros
    }

    /// Whether a value is zeros: 0.0, or a variable that is.
    pub fn has(&self, atom: Atom) -> bool {
        is_zero(atom) || self.extent(atom).is_some()
    }

    /// How many zeros a variable is, if it is zeros.
    pub fn extent(&self, atom: Atom) -> Option<Extent> {
        self.0.get(&atom.var()?).copied()
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.op.blocks().into_iter().for_each(|inner| self.block(inner));
            for (at, var) in stmt.vars.iter().enumerate() {
                if let Some(extent) = self.result(&stmt.op, at) {
                    self.0.insert(*var, extent);
                }
            }
        }
    }

    /// How many zeros a result of an operation is, if it is zeros.
    fn result(&self, op: &Op, at: usize) -> Option<Extent> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others give other numbers")]
        match op {
            Op::Zero(like) => Some(Extent::Like(*like)),
            Op::Copy(a) | Op::Stop(a) if self.has(*a) => {
                Some(self.extent(*a).unwrap_or(Extent::Unknown))
            }
            Op::Loop(looped) if at >= looped.states.len() && self.has(looped.body.results[at]) => {
                Some(match looped.form {
                    LoopForm::For { count, .. } => Extent::Count(count),
                    LoopForm::While(_) => Extent::Unknown,
                })
            }
            _ => None,
        }
    }
}

/// Whether an accumulator begins with zeros to the bit; `def` gives the operation that binds a variable, where that is
/// known.
pub fn begins_with_zeros<'p>(mut acc: Atom, def: impl Fn(Atom) -> Option<&'p Op>) -> bool {
    loop {
        match def(acc) {
            Some(Op::AtAcc(around, _) | Op::PartAcc(around, _, _)) => acc = *around,
            Some(Op::NewAcc(init)) => {
                return is_zero(*init) || matches!(def(*init), Some(Op::Zero(_)));
            }
            _ => return false,
        }
    }
}

/// Whether an operation on numbers gives a zero of either sign, if `is_zero` says which operands are such zeros.
pub fn hands_on(op: &Op, is_zero: impl Fn(Atom) -> bool) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others make numbers of their own")]
    match op {
        Op::Copy(x) | Op::MulZero(x, _) => is_zero(*x),
        Op::Prim(Prim::Neg | Prim::Add | Prim::Sub, args) => args.iter().all(|arg| is_zero(*arg)),
        Op::Select(_, a, b) => is_zero(*a) && is_zero(*b),
        _ => false,
    }
}
