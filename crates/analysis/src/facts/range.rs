//! Value ranges of Ints, and what cannot fail because of them (elimination of bounds checks, Bodík, Gupta & Sarkar
//! 2000).
//!
//! Input: a statement, with the ranges of its operands. Output: the range of its result, whether it is proved, and a
//! cheaper operation that gives the same Int or Bool if there is one.
//!
//! A [`Range`] has a least and a greatest number, a sum of a symbol and a number that the Int is, and one that it is
//! not larger than. Bounds of bounds are followed for a few steps. What an Int is as a sum of several others, without
//! bounds, says [`crate::affine`].
//!
//! ```text
//! i.2 <= n.1 - 1,  n.1 = dim(x.0, 0)     x.0[i.2] is proved;  int_lt(i.2, n.1) is true;  int_add(i.2, 1) is proved
//! ```
//!
//! Invariants. Arithmetic on bounds saturates or gives up, and never wraps around. Sizes and indices that count up are
//! below [`ENDLESS`].

use pullback_ir::{Atom, Elem, LoopForm, Op, Stmt, Type, VarId};
use pullback_prim::Prim;

use super::{Ctx, Range, Symbol};

impl Range {
    pub(super) fn of(lo: i64, hi: i64) -> Self {
        Self { lo, hi, is: None, below: None }
    }
    fn number(n: i64) -> Self {
        Self { is: Some((Symbol::Number(n), 0)), ..Self::of(n, n) }
    }
}

/// For how many steps bounds of bounds are followed.
const FARTHEST: usize = 4;

/// No loop comes so far, counting from 0, and no array has more rows: each takes an iteration, and this many take years.
pub(super) const ENDLESS: i64 = 1 << 56;

const ANY: (i64, i64) = (i64::MIN, i64::MAX);

impl Ctx<'_> {
    /// What is known of an Int.
    pub(super) fn range(&self, atom: Atom) -> Range {
        match atom {
            Atom::Int(n) => Range::number(n),
            Atom::Var(var) => self
                .ranges
                .get(&var)
                .copied()
                .unwrap_or(Range { is: Some((Symbol::Int(var), 0)), ..Range::of(ANY.0, ANY.1) }),
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => Range::of(ANY.0, ANY.1),
        }
    }

    /// The range of the index of a loop: from 0 to below the count.
    pub(super) fn index_range(&self, count: Atom, down: bool) -> Range {
        let hi = self.range(count).hi.saturating_sub(1);
        let hi = if down { hi } else { hi.min(ENDLESS) };
        let below = Some((self.symbol(count), -1));
        Range { below, ..Range::of(0, hi) }
    }

    /// The range of what a statement without blocks gives.
    pub(super) fn learn_range(&mut self, stmt: &Stmt) {
        let [var] = stmt.vars[..] else { return };
        if let Op::Dim(a, k) = &stmt.op {
            return self.learn_dim(stmt, *a, *k);
        }
        if let Op::Prim(prim, args) = &stmt.op {
            if let Some(truth) = self.compare(*prim, args) {
                self.facts.known.insert(stmt.id, Op::Copy(Atom::Bool(truth)));
            }
            if self.program.vars[var].ty == Type::INT {
                if let Some(chosen) = self.choose(*prim, args) {
                    self.facts.known.insert(stmt.id, Op::Copy(chosen));
                }
                if let Some(range) = self.arithmetic(*prim, args) {
                    self.ranges.insert(var, range);
                }
            }
            if let (Prim::IntMax, [smaller, Atom::Int(0)] | [Atom::Int(0), smaller]) =
                (prim, args.as_slice())
            {
                self.at_least_zero.push((var, *smaller));
            }
        }
        if let Op::Select(_, a, b) = stmt.op {
            self.join_ranges(var, [a, b]);
        }
        if let Op::Copy(Atom::Var(a)) = stmt.op
            && let Some(range) = self.ranges.get(&a).copied()
        {
            self.ranges.insert(var, range);
        }
        let same = self.learn_row_copy(stmt).or_else(|| self.same_array(&stmt.op));
        if let Some(a) = same.or_else(|| self.same_tangent(&stmt.op)) {
            self.facts.known.insert(stmt.id, Op::Copy(a));
        }
        if let Op::Zero(a) = stmt.op {
            self.learn_zero(stmt, var, a);
        }
    }

    /// Zeros as many as an array of units has elements: as many as what is known of its size.
    fn learn_zero(&mut self, stmt: &Stmt, var: VarId, a: Atom) {
        self.facts.zeros.remove(&stmt.id);
        let is_vector = self.program.vars[var].ty == Type::REAL.array();
        if !is_vector || self.program.type_of(a).elem != Elem::Unit {
            return;
        }
        let Some(size) = self.size(a, 0).filter(|size| size.is_exact) else { return };
        let is_units = |symbol| matches!(symbol, Symbol::Dim(b, _) if self.program.vars[b].ty.elem == Elem::Unit);
        let count = self.cheaper(size.symbol).filter(|_| !is_units(size.symbol));
        self.facts.zeros.extend(count.map(|count| (stmt.id, count)));
    }

    /// The array that an operation gives back as it is.
    fn same_array(&self, op: &Op) -> Option<Atom> {
        let (a, k, n) = if let Op::Sized(a, k, n) = op {
            (*a, usize::from(*k), *n)
        } else if let Op::Slice(a, Atom::Int(0), hi) = op {
            (*a, 0, *hi)
        } else {
            return None;
        };
        let size = self.size(a, k)?;
        (size.is_exact && self.same(size.symbol, self.symbol(n))).then_some(a)
    }

    /// The tangent of an array of numbers that a program made, if it is known to have the array's sizes.
    fn same_tangent(&self, op: &Op) -> Option<Atom> {
        let Op::ToTangent(_, x, made) = op else { return None };
        let ty = self.program.type_of(*x);
        if ty != self.program.type_of(*made) || !matches!(ty.elem, Elem::Real | Elem::Unit) {
            return None;
        }
        let (needed, found) = (self.dims_of(*x)?, self.dims_of(*made)?);
        let mut both = needed.iter().zip(&found);
        let fits = both.all(|(needed, found)| {
            needed.is_exact && found.is_exact && self.same(needed.symbol, found.symbol)
        });
        fits.then_some(*made)
    }

    fn learn_dim(&mut self, stmt: &Stmt, a: Atom, k: u8) {
        let Some(size) = self.size(a, usize::from(k)) else { return };
        let own = a.var().map(|a| Symbol::Dim(a, k));
        // Without rows there the size may be another one.
        let symbol = if size.is_exact { Some(size.symbol) } else { own };
        self.ranges.insert(
            stmt.vars[0],
            Range {
                is: symbol.map(|symbol| (symbol, 0)),
                below: symbol.map(|symbol| (symbol, 0)),
                ..Range::of(0, ENDLESS)
            },
        );
        let known = symbol.filter(|_| symbol != own).and_then(|symbol| self.cheaper(symbol));
        self.facts.known.extend(known.map(|op| (stmt.id, op)));
    }

    /// The operation that gives a number which is known by name, if there is one here.
    pub(super) fn cheaper(&self, symbol: Symbol) -> Option<Op> {
        let is_here = matches!(symbol, Symbol::Number(_)) || self.is_seen(symbol);
        self.given(symbol).filter(|_| is_here)
    }

    /// The operation that gives a number which is known by name, wherever the name is known.
    pub(super) fn given(&self, symbol: Symbol) -> Option<Op> {
        match symbol {
            Symbol::Number(n) => Some(Op::Copy(Atom::Int(n))),
            Symbol::Int(n) => Some(Op::Copy(n.into())),
            Symbol::Dim(a, k) => (!self.program.vars[a].ty.is_acc).then(|| Op::Dim(a.into(), k)),
        }
    }

    fn arithmetic(&self, prim: Prim, args: &[Atom]) -> Option<Range> {
        let [x, y] = args[..] else { return None };
        let (x, y) = (self.range(x), self.range(y));
        let shifted = |of: Option<(Symbol, i64)>, by: i64| {
            of.and_then(|(symbol, offset)| Some((symbol, offset.checked_add(by)?)))
        };
        let exact = |range: &Range| (range.lo == range.hi).then_some(range.lo);
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match prim {
            Prim::IntAdd => {
                let is = match (exact(&x), exact(&y)) {
                    (_, Some(c)) => shifted(x.is, c),
                    (Some(c), _) => shifted(y.is, c),
                    (None, None) => None,
                };
                let below =
                    shifted(x.below.or(x.is), y.hi).or_else(|| shifted(y.below.or(y.is), x.hi));
                let (lo, hi) = (x.lo.saturating_add(y.lo), x.hi.saturating_add(y.hi));
                Some(Range { lo, hi, is, below })
            }
            Prim::IntSub => {
                let is = exact(&y).and_then(|c| shifted(x.is, c.checked_neg()?));
                let below = shifted(x.below.or(x.is), y.lo.saturating_neg());
                let mut lo = x.lo.saturating_sub(y.hi);
                // n - 1 - i is not negative if i is at most n - 1
                if let (Some((s, c)), Some((t, d))) = (x.is, y.below)
                    && self.same(s, t)
                {
                    lo = lo.max(c.saturating_sub(d));
                }
                Some(Range { lo, hi: x.hi.saturating_sub(y.lo), is, below })
            }
            Prim::IntMin => {
                let below = x.below.or(x.is).or(y.below).or(y.is);
                Some(Range { below, ..Range::of(x.lo.min(y.lo), x.hi.min(y.hi)) })
            }
            Prim::IntMax => Some(Range::of(x.lo.max(y.lo), x.hi.max(y.hi))),
            // Where there is a remainder the divisor is not 0.
            Prim::IntRem if y.lo >= 0 => {
                let below = shifted(y.is.or(y.below), -1);
                Some(Range { below, ..Range::of(0, y.hi.saturating_sub(1).max(0)) })
            }
            Prim::IntDiv if x.lo >= 0 && y.lo >= 0 => {
                let below = x.below.or(x.is);
                Some(Range { below, ..Range::of(0, x.hi / y.lo.max(1)) })
            }
            Prim::IntMul if x.lo >= 0 && y.lo >= 0 => {
                Some(Range::of(x.lo.saturating_mul(y.lo), x.hi.saturating_mul(y.hi)))
            }
            _ => None,
        }
    }

    /// A comparison of Ints whose bounds decide it.
    fn compare(&self, prim: Prim, args: &[Atom]) -> Option<bool> {
        let [a, b] = args[..] else { return None };
        let is_less = |a, b| self.is_below(a, b, -1);
        let is_at_most = |a, b| self.is_below(a, b, 0);
        let is_equal = || is_at_most(a, b) && is_at_most(b, a);
        let differs = || is_less(a, b) || is_less(b, a);
        let decided = |yes: bool, no: &dyn Fn() -> bool| {
            if yes { Some(true) } else { no().then_some(false) }
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "others compare no Ints")]
        match prim {
            Prim::IntLt => decided(is_less(a, b), &|| is_at_most(b, a)),
            Prim::IntLe => decided(is_at_most(a, b), &|| is_less(b, a)),
            Prim::IntGt => decided(is_less(b, a), &|| is_at_most(a, b)),
            Prim::IntGe => decided(is_at_most(b, a), &|| is_less(a, b)),
            Prim::IntEq => decided(is_equal(), &differs),
            Prim::IntNe => decided(differs(), &is_equal),
            _ => None,
        }
    }

    /// The larger or smaller Int, if bounds decide it.
    fn choose(&self, prim: Prim, args: &[Atom]) -> Option<Atom> {
        let [a, b] = args[..] else { return None };
        let is_at_most = |a, b| self.is_below(a, b, 0);
        #[expect(clippy::wildcard_enum_match_arm, reason = "others choose no Int")]
        match prim {
            Prim::IntMax if is_at_most(b, a) => Some(a),
            Prim::IntMax if is_at_most(a, b) => Some(b),
            Prim::IntMin if is_at_most(a, b) => Some(a),
            Prim::IntMin if is_at_most(b, a) => Some(b),
            _ => None,
        }
    }

    /// Whether `a ≤ b + by` for sure.
    fn is_below(&self, a: Atom, b: Atom, by: i64) -> bool {
        let (x, y) = (self.range(a), self.range(b));
        if y.lo.checked_add(by).is_some_and(|least| x.hi <= least) {
            return true;
        }
        let Some((t, d)) = y.is else { return false };
        let limit = d.checked_add(by);
        self.bounds(x).any(|(s, c)| limit.is_some_and(|limit| c <= limit) && self.same(s, t))
    }

    /// What an Int is not larger than, and what that is not larger than, for a few steps.
    pub(super) fn bounds(&self, range: Range) -> impl Iterator<Item = (Symbol, i64)> {
        let further = |(symbol, offset): &(Symbol, i64)| {
            let Symbol::Int(var) = self.representative(*symbol) else { return None };
            let (symbol, by) = self.ranges.get(&var)?.below?;
            Some((symbol, offset.checked_add(by)?))
        };
        std::iter::successors(range.below.or(range.is), further).take(FARTHEST)
    }

    /// Whether a statement cannot fail itself.
    pub(super) fn prove(&self, stmt: &Stmt) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match &stmt.op {
            Op::Index(a, at) | Op::AddAcc(a, at, _) | Op::AtAcc(a, at) => self.is_inside(*a, at),
            Op::Update(a, at, v) => self.is_inside(*a, at) && self.is_row(*a, at.len(), *v),
            Op::CheckSize(a, k, n, _) => {
                let n = self.symbol(*n);
                let size = self.size(*a, usize::from(*k));
                size.is_some_and(|size| self.is_with_rows(size, n))
            }
            Op::CheckCount(n) => self.is_count(*n),
            Op::Slice(a, lo, hi) | Op::PartAcc(a, lo, hi) => {
                self.range(*lo).lo >= 0 && self.is_below(*lo, *hi, 0) && self.is_up_to(*hi, *a)
            }
            Op::Array(items) => self.are_alike(items),
            Op::Prim(prim, args) => self.has_value(*prim, args),
            _ => false,
        }
    }

    /// Whether indices are inside an array.
    fn is_inside(&self, a: Atom, at: &[Atom]) -> bool {
        let mut looked = self.looked.iter().rev().take(super::NEAREST);
        if looked.any(|(of, place)| *of == a && place.starts_with(at)) {
            return true;
        }
        at.iter().enumerate().all(|(k, index)| self.is_place(a, k, *index))
    }

    /// Whether a value has the sizes of a row of an array that has rows, at so many indices.
    fn is_row(&self, a: Atom, indices: usize, v: Atom) -> bool {
        (0..usize::from(self.program.type_of(v).rank)).all(|k| {
            let (own, row) = (self.size(a, indices + k), self.size(v, k));
            own.zip(row).is_some_and(|(own, row)| {
                let are_sure = row.is_exact && (k == 0 || own.is_exact);
                are_sure && self.same(own.symbol, row.symbol)
            })
        })
    }

    /// Whether an index is inside a dimension of an array.
    fn is_place(&self, a: Atom, k: usize, index: Atom) -> bool {
        let range = self.range(index);
        let Some(size) = self.size(a, k) else { return false };
        let is_small = matches!(size.symbol, Symbol::Number(n) if range.hi < n)
            || (k > 0 && range.hi < self.row_size(a, k));
        let is_below = |(bound, offset): (Symbol, i64)| {
            let is_own = a.var().is_some_and(|a| bound == Symbol::Dim(a, k as u8));
            offset < 0 && (is_own || self.same(size.symbol, bound))
        };
        range.lo >= 0 && (is_small || self.bounds(range).any(is_below))
    }

    /// Inside how many loops a statement cannot fail because these have iterations: it looks at first elements of
    /// arrays, or of rows, that have as many, or divides by their number.
    pub(super) fn first_inside(&self, op: &Op) -> Option<usize> {
        if let Op::Prim(Prim::IntDiv | Prim::IntRem, args) = op {
            return self.positive_inside(self.symbol(args[1]));
        }
        let (Op::Index(a, at) | Op::AddAcc(a, at, _) | Op::AtAcc(a, at)) = op else { return None };
        let mut depth = 0;
        for (k, index) in at.iter().enumerate() {
            if !self.is_place(*a, k, *index) {
                let size = self.size(*a, k).filter(|_| *index == Atom::Int(0))?;
                depth = depth.max(self.positive_inside(size.symbol)?);
            }
        }
        Some(depth)
    }

    /// Inside how many loops, the fewest, something is not 0.
    pub(super) fn positive_inside(&self, symbol: Symbol) -> Option<usize> {
        let known = self.positive.iter().find(|(n, _)| self.same(*n, symbol));
        known.map(|(_, depth)| *depth)
    }

    /// The number that rows have been found to have at a dimension, where there are rows; else 0.
    fn row_size(&self, a: Atom, k: usize) -> i64 {
        let checks = self.if_rows.iter().rev().take(super::NEAREST);
        let mut numbers = checks.filter_map(|(array, at, symbol)| match symbol {
            Symbol::Number(n) if Atom::Var(*array) == a && usize::from(*at) == k => Some(*n),
            Symbol::Number(_) | Symbol::Int(_) | Symbol::Dim(..) => None,
        });
        numbers.next().unwrap_or(0)
    }

    /// Whether an Int is not larger than the size of an array.
    fn is_up_to(&self, n: Atom, a: Atom) -> bool {
        let Some(size) = self.size(a, 0) else { return false };
        let range = self.range(n);
        let is_small = matches!(size.symbol, Symbol::Number(size) if range.hi <= size);
        let is_below =
            |(bound, offset): (Symbol, i64)| offset <= 0 && self.same(size.symbol, bound);
        is_small || self.bounds(range).any(is_below)
    }

    /// Whether rows are of one size.
    fn are_alike(&self, rows: &[Atom]) -> bool {
        let sizes: Vec<_> = rows.iter().map(|row| self.dims_of(*row)).collect();
        sizes.windows(2).all(|pair| match pair {
            [Some(one), Some(other)] => one.iter().zip(other).all(|(one, other)| {
                one.is_exact && other.is_exact && self.same(one.symbol, other.symbol)
            }),
            _ => false,
        })
    }

    /// Whether arithmetic of Ints has a value.
    fn has_value(&self, prim: Prim, args: &[Atom]) -> bool {
        let [x, y] = args[..] else { return false };
        if self.program.type_of(x) != Type::INT {
            return false;
        }
        let (x, y) = (self.range(x), self.range(y));
        let fits = |lo: Option<i64>, hi: Option<i64>| lo.is_some() && hi.is_some();
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match prim {
            Prim::IntAdd => fits(x.lo.checked_add(y.lo), x.hi.checked_add(y.hi)),
            Prim::IntSub => fits(x.lo.checked_sub(y.hi), x.hi.checked_sub(y.lo)),
            Prim::IntMul if x.lo >= 0 && y.lo >= 0 => x.hi.checked_mul(y.hi).is_some(),
            Prim::IntDiv | Prim::IntRem => y.lo > 0,
            _ => false,
        }
    }

    /// Whether a loop that collects has a count for it.
    pub(super) fn counts(&self, form: &LoopForm) -> bool {
        match form {
            LoopForm::For { count, .. } => self.is_count(*count),
            LoopForm::While(_) => true,
        }
    }

    /// Whether an Int is not negative. A size is not, nor is what is equal to one.
    fn is_count(&self, n: Atom) -> bool {
        let symbol = self.symbol(n);
        let is_size = |(one, other): &(Symbol, Symbol)| {
            matches!(one, Symbol::Dim(_, _)) && self.same(*other, symbol)
        };
        self.range(n).lo >= 0 || self.equal.iter().any(is_size)
    }
}
