//! Shapes of arrays: which symbol the size of each dimension is, and which symbols are equal.
//!
//! Input: a statement, with the sizes of its operands. Output: the sizes of its results; equalities of symbols, such as
//! a check of a size finds them.
//!
//! ```text
//! check_size(a.0, 0, n.1, "…")      from here on, in this block, the size of a.0 is n.1
//! b.2 = a.0 with [i.3] = v.4        b.2 has the sizes of a.0
//! c.5 = concat(a.0, b.2)            nothing is known of the sizes of c.5
//! ```
//!
//! Invariants. Of equal symbols one stands for all, a number if there is one. An equality is forgotten when the block
//! ends in which it was found.

use pullback_ir::{Atom, Block, Op, Precondition, Stmt, Type, VarId};

use super::range::ENDLESS;
use super::symbol::{Handed, Size, Symbol, own};
use super::{Ctx, Range};
use crate::sizes::{self, size_of};

impl Ctx<'_> {
    /// The symbol of an Int.
    pub(super) fn symbol(&self, atom: Atom) -> Symbol {
        match atom {
            Atom::Int(n) => Symbol::Number(n),
            Atom::Var(var) => match self.ranges.get(&var).and_then(|range| range.is) {
                Some((symbol, 0)) => self.representative(symbol),
                _ => self.representative(Symbol::Int(var)),
            },
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => {
                pullback_base::bug("sizes", "an Int to be a size")
            }
        }
    }

    /// The one of equal symbols that stands for all.
    pub(super) fn representative(&self, mut symbol: Symbol) -> Symbol {
        for (from, to) in &self.equal {
            if *from == symbol {
                symbol = *to;
            }
        }
        symbol
    }

    /// Whether two sizes are equal.
    pub(super) fn same(&self, one: Symbol, other: Symbol) -> bool {
        self.representative(one) == self.representative(other)
    }

    /// What is known of the size of a dimension; an Int is the outermost size of an array that is not there.
    pub(super) fn size(&self, a: Atom, k: usize) -> Option<Size> {
        if self.program.type_of(a) == Type::INT {
            return Some(Size::exact(self.symbol(a)));
        }
        let size = *self.dims.get(&a.var()?)?.get(k)?;
        Some(Size { symbol: self.representative(size.symbol), ..size })
    }

    /// What is so in every call.
    pub(super) fn require(&mut self, known: &Precondition) {
        let symbol = match known.size {
            (array, Some(k)) => Symbol::Dim(array, k),
            (n, None) => Symbol::Int(n),
        };
        if !known.is_exact {
            return self.if_rows.push((known.array, known.dimension, symbol));
        }
        if let Symbol::Int(n) = symbol {
            self.ranges.insert(n, Range { is: Some((symbol, 0)), ..Range::of(0, ENDLESS) });
        }
        let dims = self.dims.get_mut(&known.array);
        if let Some(size) = dims.and_then(|dims| dims.get_mut(usize::from(known.dimension))) {
            *size = Size::exact(symbol);
        }
    }

    /// What is known of a value that is handed over.
    pub(super) fn handed(&self, atom: Atom) -> Handed {
        if self.program.type_of(atom) == Type::INT {
            return vec![Some((self.symbol(atom), true))];
        }
        let known = |k| {
            let size = self.size(atom, k)?;
            let symbol = self.with_rows(size.symbol).filter(|_| !size.is_exact);
            Some((symbol.unwrap_or(size.symbol), size.is_exact))
        };
        (0..usize::from(self.program.type_of(atom).rank)).map(known).collect()
    }

    /// Two symbols are equal from here on, in this block. Of two numbers nothing follows but that this is not reached.
    pub(super) fn equate(&mut self, one: Symbol, other: Symbol) {
        let (one, other) = (self.representative(one), self.representative(other));
        match (one, other) {
            _ if one == other => {}
            (Symbol::Number(_), Symbol::Number(_)) => {}
            (Symbol::Number(_), _) => self.equal.push((other, one)),
            _ => self.equal.push((one, other)),
        }
    }

    /// The sizes of what a statement without blocks gives.
    pub(super) fn learn_sizes(&mut self, stmt: &Stmt) {
        if let Op::CheckSize(a, 0, n, _) = &stmt.op
            && let Some(size) = self.size(*a, 0)
        {
            let n = self.symbol(*n);
            return self.equate(size.symbol, n);
        }
        if let Op::CheckSize(Atom::Var(a), k, n, _) = &stmt.op {
            let n = self.symbol(*n);
            return self.if_rows.push((*a, *k, n));
        }
        if let Op::Call(func, args) = &stmt.op
            && let Some(routine) = self.program.funcs[*func].routine
        {
            for (var, like) in stmt.vars.iter().zip(routine.row().like) {
                let others: Vec<Atom> =
                    like.iter().filter_map(|at| args.get(*at).copied()).collect();
                self.learn_like(*var, &others);
            }
        }
        let [var] = stmt.vars[..] else { return };
        if let Some(dims) = self.result_sizes(var, &stmt.op) {
            self.dims.insert(var, dims);
        }
    }

    /// An array has as many rows as others, and where there are any, rows of the same size; without rows too, if several
    /// have one size.
    fn learn_like(&mut self, var: VarId, others: &[Atom]) {
        let Some((first, rest)) = others.split_first() else { return };
        let is_like = self.program.type_of(*first) == self.program.vars[var].ty;
        let Some(mut dims) = self.dims_of(*first).filter(|_| is_like) else { return };
        for (k, size) in dims.iter_mut().enumerate().skip(1) {
            let is_same = |other: &Atom| {
                let other = self.size(*other, k);
                other.is_some_and(|other| other.is_exact && self.same(other.symbol, size.symbol))
            };
            if rest.is_empty() || !size.is_exact || !rest.iter().all(is_same) {
                let symbol = self.with_rows(size.symbol).unwrap_or(size.symbol);
                *size = Size { symbol, is_exact: false, or_zero: false };
                self.if_rows.push((var, k as u8, symbol));
            }
        }
        self.dims.insert(var, dims);
    }

    /// What is known of a size that is one of two.
    pub(super) fn either(&self, one: Size, other: Size) -> Option<Size> {
        if self.same(one.symbol, other.symbol) {
            let is_exact = one.is_exact && other.is_exact;
            return Some(Size { is_exact, or_zero: one.or_zero && other.or_zero, ..one });
        }
        let (known, found) = match (self.with_rows(one.symbol), self.with_rows(other.symbol)) {
            (Some(known), _) => (known, other.symbol),
            (None, Some(known)) => (known, one.symbol),
            (None, None) => return None,
        };
        self.same(known, found).then_some(Size { symbol: known, is_exact: false, or_zero: false })
    }

    /// The sizes of what branches give: those of all that do not fail.
    pub(super) fn join_sizes(&mut self, stmt: &Stmt) {
        let blocks: Vec<&Block> =
            stmt.op.blocks().into_iter().filter(|block| !block.surely_fails()).collect();
        let Some((first, others)) = blocks.split_first() else { return };
        for (at, var) in stmt.vars.iter().enumerate() {
            let Some(mut dims) = self.dims_of(first.results[at]) else { continue };
            for other in others {
                let other = self.dims_of(other.results[at]).unwrap_or_default();
                for (k, size) in dims.iter_mut().enumerate() {
                    let both = other.get(k).and_then(|other| self.either(*size, *other));
                    *size = both.unwrap_or_else(|| own(*var, k));
                }
            }
            for (k, size) in dims.iter_mut().enumerate() {
                // What is bound inside a branch has no value outside.
                if !self.is_seen(size.symbol) {
                    *size = own(*var, k);
                }
            }
            self.dims.insert(*var, dims);
        }
    }

    /// Whether a size is this one wherever there are rows.
    pub(super) fn is_with_rows(&self, size: Size, n: Symbol) -> bool {
        self.same(size.symbol, n)
            || self.with_rows(size.symbol).is_some_and(|known| self.same(known, n))
    }

    /// The symbol that the size of a dimension has been found to be if there are rows there.
    fn with_rows(&self, symbol: Symbol) -> Option<Symbol> {
        let Symbol::Dim(array, k) = self.representative(symbol) else { return None };
        let checks = self.if_rows.iter().rev().take(super::NEAREST);
        let mut known =
            checks.filter(|(of, at, known)| (*of, *at) == (array, k) && self.is_seen(*known));
        known.next().map(|(_, _, known)| *known)
    }

    /// The sizes of an array that an operation gives: what [`size_of`] says, and whether that is so without rows too.
    fn result_sizes(&self, var: VarId, op: &Op) -> Option<Vec<Size>> {
        let ty = self.program.vars[var].ty;
        // What branches give is known already.
        if ty.rank == 0 || matches!(op, Op::If(..) | Op::Match(_)) {
            return None;
        }
        let known = |size| match size {
            sizes::Size::Atom(n) => Some(Size::exact(self.symbol(n))),
            sizes::Size::Of(a, k) => self.dims.get(&a)?.get(usize::from(k)).copied(),
        };
        let sizes = (0..ty.rank)
            .map(|k| size_of(op, k).and_then(known).unwrap_or_else(|| own(var, usize::from(k))));
        let mut dims: Vec<Size> = sizes.collect();
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "others have the sizes of their operands"
        )]
        match op {
            // A tangent of an array of numbers has the sizes of that, where there are rows.
            Op::ToTangent(_, a, _) => {
                let is_like = self.program.type_of(*a) == ty;
                let inner = dims.iter_mut().skip(1);
                inner.for_each(|size| *size = Size { is_exact: false, or_zero: false, ..*size });
                return is_like.then_some(dims);
            }
            // The array had a row there.
            Op::Index(..) | Op::AtAcc(..) => dims[0].is_exact = true,
            // Of an array with rows, none may be left.
            Op::Slice(..) | Op::PartAcc(..) => {
                dims[1..].iter_mut().for_each(|size| size.or_zero = false);
            }
            Op::Sized(a, k, n) => {
                let (size, n) = (self.size(*a, usize::from(*k))?, self.symbol(*n));
                if self.is_with_rows(size, n) {
                    dims[usize::from(*k)] = Size::exact(n);
                }
            }
            Op::Select(_, a, b) => {
                let (one, other) = (self.dims_of(*a)?, self.dims_of(*b)?);
                for (size, (one, other)) in dims.iter_mut().zip(one.into_iter().zip(other)) {
                    *size = self.either(one, other).unwrap_or(*size);
                }
            }
            _ => {}
        }
        Some(dims)
    }
}
