//! Algebraic simplification of operations on arrays: the laws of reading, updating, slicing, concatenation and sizes.
//!
//! ```text
//! before   b.3 = a.0 with [i.1] = v.2;  x.4 = b.3[i.1];  n.5 = dim(b.3, 0)
//! after    b.3 = a.0 with [i.1] = v.2;  x.4 = v.2;       n.5 = dim(a.0, 0)
//! ```
//!
//! Input: a statement with an operation on arrays, and what is known of its operands. Output: what replaces it, if a
//! law applies. Each law stands as an equation over its arm, such as `(a with [i] = v)[i] = v`.
//!
//! Invariants: a failure stays where it was, for the inner operation stays until `dce` knows that it cannot fail. No
//! law makes an array of more than 64 elements.

use pullback_analysis::sizes::{Size, size_of};
use pullback_base::Id;
use pullback_ir::{Atom, FuncId, Op, Stmt};

use super::{Def, New, Simplify};

/// The longest array literal that a law makes.
const LONGEST: usize = 64;

impl Simplify<'_> {
    pub(super) fn array_law(&self, stmt: &Stmt) -> Option<New> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the caller has only these")]
        match &stmt.op {
            Op::Index(a, at) => self.index_law(*a, at),
            Op::Update(a, at, v) => self.update_law(*a, at, *v),
            Op::Slice(a, lo, hi) => self.slice_law(*a, *lo, *hi),
            Op::Concat(a, b) => self.concat_law(*a, *b),
            Op::Dim(a, k) => self.dim_law(*a, *k),
            Op::Flatten(a) => match self.def(*a)? {
                Op::Array(items) if items.len() == 1 => New::atom(items[0]),
                _ => None,
            },
            // The array has this size anyway, whether or not it has rows.
            Op::Sized(a, k, n) => {
                let is_known = matches!(self.def(*n), Some(Op::Dim(b, j)) if b == a && j == k);
                is_known.then(|| New::Atoms(vec![*a]))
            }
            Op::CheckSize(a, k, n, text) => self.check_law(*a, *k, *n, *text),
            _ => None,
        }
    }

    fn rank(&self, atom: Atom) -> usize {
        usize::from(self.program.type_of(atom).rank)
    }

    fn index_law(&self, a: Atom, at: &[Atom]) -> Option<New> {
        let Some(first) = at.first() else { return New::atom(a) };
        let is_element = self.rank(a) == at.len();
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have no law")]
        match self.def(a)? {
            // a[i][j] = a[i, j]; the first index still fails where it did
            Op::Index(b, outer) => New::op(Op::Index(*b, [outer, at].concat())),
            // [x, y][1] = y
            Op::Array(items) => {
                let Atom::Int(first) = first else { return None };
                let item = items.get(usize::try_from(*first).ok()?)?;
                if at.len() == 1 {
                    New::atom(*item)
                } else {
                    New::op(Op::Index(*item, at[1..].to_vec()))
                }
            }
            // a[2:5][1] = a[3]; the slice still fails where it did
            Op::Slice(b, Atom::Int(lo), Atom::Int(hi)) if let Atom::Int(i) = first => {
                let is_inside = *lo >= 0 && (0..hi.checked_sub(*lo)?).contains(i);
                let place = Atom::Int(lo.checked_add(*i)?);
                let at = std::iter::once(place).chain(at[1..].iter().copied()).collect();
                is_inside.then_some(New::Op(Op::Index(*b, at)))
            }
            // (a with [i] = v)[i] = v
            Op::Update(_, place, v) if place == at => New::atom(*v),
            // (a with [0] = v)[1] = a[1]
            Op::Update(b, place, _) if differ(place, at) => New::op(Op::Index(*b, at.to_vec())),
            // @c()[1] = y where @c is the constant [x, y]
            Op::Call(func, _) if is_element => New::atom(self.known_element(*func, at)?),
            // The element is there, so `sized` says nothing new about the rows around it.
            Op::Sized(b, _, _) if is_element => New::op(Op::Index(*b, at.to_vec())),
            _ => None,
        }
    }

    /// The number at known indices in a constant that is a literal of numbers.
    fn known_element(&self, func: FuncId, at: &[Atom]) -> Option<Atom> {
        let constant = &self.program.funcs[func];
        if !constant.is_constant || constant.body.stmts.len() > LONGEST {
            return None;
        }
        let mut element = *constant.body.results.first()?;
        for index in at {
            let array = element.var()?;
            let stmt = constant.body.stmts.iter().find(|stmt| stmt.vars == [array])?;
            let (Op::Array(items), Atom::Int(i)) = (&stmt.op, index) else { return None };
            element = *items.get(usize::try_from(*i).ok()?)?;
        }
        element.var().is_none().then_some(element)
    }

    fn update_law(&self, a: Atom, at: &[Atom], v: Atom) -> Option<New> {
        if at.is_empty() && self.rank(a) == 0 {
            return New::atom(v);
        }
        // a with [i] = (a[i] with [j] = v): a with [i, j] = v
        if let Some(Op::Update(row, inner, v)) = self.def(v)
            && matches!(self.def(*row), Some(Op::Index(b, place)) if *b == a && place == at)
        {
            return New::op(Op::Update(a, [at, inner].concat(), *v));
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have no law")]
        match self.def(a)? {
            // a with [i] = u with [i] = v: a with [i] = v
            Op::Update(b, place, _) if place == at && self.rank(v) == 0 => {
                New::op(Op::Update(*b, at.to_vec(), v))
            }
            // [x, y] with [1] = v: [x, v]
            Op::Array(items)
                if let [Atom::Int(i)] = at
                    && self.rank(v) == 0 =>
            {
                let mut items = items.clone();
                *items.get_mut(usize::try_from(*i).ok()?)? = v;
                New::op(Op::Array(items))
            }
            _ => None,
        }
    }

    fn slice_law(&self, a: Atom, lo: Atom, hi: Atom) -> Option<New> {
        // a[0:dim a] = a
        if lo == Atom::Int(0) && matches!(self.def(hi), Some(Op::Dim(b, 0)) if *b == a) {
            return New::atom(a);
        }
        match (self.def(a)?, lo, hi) {
            // [x, y, z][1:3] = [y, z]
            (Op::Array(items), Atom::Int(lo), Atom::Int(hi)) if lo < hi => {
                let (lo, hi) = (usize::try_from(lo).ok()?, usize::try_from(hi).ok()?);
                New::op(Op::Array(items.get(lo..hi)?.to_vec()))
            }
            // a[1:9][2:4] = a[3:5]
            (Op::Slice(b, Atom::Int(from), Atom::Int(to)), Atom::Int(lo), Atom::Int(hi))
                if 0 <= lo && lo <= hi && hi <= to.checked_sub(*from)? =>
            {
                New::op(Op::Slice(*b, Atom::Int(from + lo), Atom::Int(from + hi)))
            }
            _ => None,
        }
    }

    fn concat_law(&self, a: Atom, b: Atom) -> Option<New> {
        // An array without rows still says how large rows would be, which would be lost.
        if self.rank(a) != 1 {
            return None;
        }
        match (self.def(a), self.def(b)) {
            (Some(Op::Array(items)), _) if items.is_empty() => New::atom(b),
            (_, Some(Op::Array(items))) if items.is_empty() => New::atom(a),
            (Some(Op::Array(items)), Some(Op::Array(more)))
                if items.len() + more.len() <= LONGEST =>
            {
                New::op(Op::Array([items.as_slice(), more].concat()))
            }
            _ => None,
        }
    }

    fn dim_law(&self, a: Atom, k: u8) -> Option<New> {
        if let Some(Def::Collected(count, _)) = self.defs.get(a.var()?.index())?.as_deref()
            && k == 0
        {
            return New::atom(*count);
        }
        match size_of(self.def(a)?, k)? {
            Size::Atom(n) => New::atom(n),
            // The size of an accumulator is that of what it begins with.
            Size::Of(b, k) if self.program.vars[b].ty.is_acc => self.dim_law(b.into(), k),
            Size::Of(b, k) => New::op(Op::Dim(b.into(), k)),
        }
    }

    fn check_law(&self, a: Atom, k: u8, n: Atom, text: Atom) -> Option<New> {
        if self.rank(a) == 0 {
            return a.is_same(n).then(|| New::Atoms(vec![]));
        }
        // `sized` changes nothing about rows that are there.
        if let Some(Op::Sized(b, _, _)) = self.def(a) {
            return New::op(Op::CheckSize(*b, k, n, text));
        }
        let is_dim = matches!(self.def(n), Some(Op::Dim(b, j)) if *b == a && *j == k);
        let is_known = match self.dim_law(a, k) {
            Some(New::Atoms(size)) => size[0].is_same(n),
            Some(New::Op(Op::Dim(b, j))) => {
                matches!(self.def(n), Some(Op::Dim(c, i)) if *c == b && *i == j)
            }
            Some(New::Op(_) | New::Stmts(_, _)) | None => false,
        };
        if is_dim || is_known {
            return Some(New::Atoms(vec![]));
        }
        // The size of a collected array is the count, which can be checked before the loop.
        match self.dim_law(a, k)? {
            New::Atoms(size) if k == 0 => New::op(Op::CheckSize(size[0], 0, n, text)),
            New::Atoms(_) | New::Op(_) | New::Stmts(_, _) => None,
        }
    }
}

/// Whether two places are known to be different, and neither inside the other.
fn differ(place: &[Atom], at: &[Atom]) -> bool {
    place.iter().zip(at).any(|(i, j)| matches!((i, j), (Atom::Int(m), Atom::Int(n)) if m != n))
}
