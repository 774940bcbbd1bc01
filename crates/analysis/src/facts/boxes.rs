//! Shape analysis through boxes: of arrays of boxes whose contents have one size everywhere it is known which.
//!
//! Input: statements that make, read or change arrays of boxes, as the sweep meets them. Output: for each such variable
//! the sizes of the fields of its boxes, of all contents of a field as one array; in [`super::Facts`] the results that
//! are regular, so that `unbox` in the crate `opt` can do without the boxes.
//!
//! ```text
//! b.4: []box.0 = for i.2 < n.1 { r.3: []f64 = for j.5 < m.0 { … } b.6 = Box.0(r.3) collect b.6 }  contents: n.1 by m.0
//! ```
//!
//! Invariants. A state of a loop keeps its contents only if an iteration keeps them. Sizes that are bound inside a
//! block are forgotten behind it.

use pullback_ir::{Atom, Loop, Op, Stmt, StmtId};

use super::{Contents, Ctx, Size, Symbol};

impl Ctx<'_> {
    /// What is known of the contents of a box, or of an array of boxes.
    pub(super) fn contents_of(&self, atom: Atom) -> Option<&Contents> {
        self.contents.get(&atom.var()?)
    }

    /// The contents of what a statement without blocks gives.
    pub(super) fn learn_contents(&mut self, stmt: &Stmt) {
        let [var] = stmt.vars[..] else { return };
        let known = self.result_contents(stmt);
        if matches!(stmt.op, Op::Array(_) | Op::Update(..)) {
            self.tell_regular((stmt.id, 0), known.as_ref());
        }
        self.contents.extend(known.map(|known| (var, known)));
    }

    fn tell_regular(&mut self, place: (StmtId, usize), known: Option<&Contents>) {
        self.facts.regular.remove(&place);
        let Some(known) = known else { return };
        let sizes = known.iter().map(|sizes| {
            let sizes = sizes.iter().map(|size| self.cheaper(self.representative(size.symbol)));
            sizes.collect()
        });
        self.facts.regular.insert(place, sizes.collect());
    }

    fn result_contents(&self, stmt: &Stmt) -> Option<Contents> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match &stmt.op {
            Op::Con(_, fields) => {
                let sizes = fields.iter().map(|field| self.dims_of(*field).unwrap_or_default());
                Some(sizes.collect())
            }
            Op::Index(a, at) => {
                let rows = self.contents_of(*a)?.iter().map(|sizes| {
                    let mut sizes = sizes[at.len()..].to_vec();
                    sizes.iter_mut().take(1).for_each(|size| size.is_exact = true);
                    sizes
                });
                Some(rows.collect())
            }
            Op::Copy(a) | Op::Stop(a) => self.contents_of(*a).cloned(),
            Op::Sized(a, k, _) => {
                let known = self.size(stmt.vars[0].into(), usize::from(*k))?;
                let mut all = self.contents_of(*a)?.clone();
                all.iter_mut().for_each(|sizes| sizes[usize::from(*k)] = known);
                Some(all)
            }
            Op::Slice(a, _, _) => {
                let count = self.size(stmt.vars[0].into(), 0)?;
                let rows = self.contents_of(*a)?.iter().map(|sizes| {
                    let rows = sizes[1..].iter().map(|size| Size { or_zero: false, ..*size });
                    std::iter::once(count).chain(rows).collect()
                });
                Some(rows.collect())
            }
            Op::Update(a, at, v) => {
                let (all, one) = (self.contents_of(*a)?, self.contents_of(*v)?);
                // Of absent rows the sizes must be known alike.
                let are_alike = all.iter().zip(one).all(|(all, one)| {
                    let mut both = all[at.len()..].iter().zip(one).enumerate();
                    both.all(|(k, (all, one))| {
                        let are_decided =
                            all.is_exact == one.is_exact && all.or_zero == one.or_zero;
                        self.same(all.symbol, one.symbol) && (k == 0 || are_decided)
                    })
                });
                are_alike.then(|| all.clone())
            }
            Op::Array(items) => {
                let (first, rest) = items.split_first()?;
                let first = self.contents_of(*first)?;
                let are_alike = rest.iter().all(|item| {
                    self.contents_of(*item).is_some_and(|other| self.are_same(first, other))
                });
                let count = Size::exact(Symbol::Number(items.len() as i64));
                let all = first
                    .iter()
                    .map(|sizes| std::iter::once(count).chain(sizes.iter().copied()).collect());
                are_alike.then(|| all.collect())
            }
            _ => None,
        }
    }

    /// Whether contents have the same sizes, which are sure.
    fn are_same(&self, one: &Contents, other: &Contents) -> bool {
        let mut both = one.iter().flatten().zip(other.iter().flatten());
        both.all(|(one, other)| {
            one.is_exact && other.is_exact && self.same(one.symbol, other.symbol)
        })
    }

    /// What is known of contents that are one of two.
    pub(super) fn either_contents(&self, one: Atom, other: Atom) -> Option<Contents> {
        let both = self.contents_of(one)?.iter().zip(self.contents_of(other)?);
        both.map(|(one, other)| {
            one.iter().zip(other).map(|(one, other)| self.either(*one, *other)).collect()
        })
        .collect()
    }

    /// The contents that states begin with.
    pub(super) fn first_contents(&self, form: &Loop) -> Vec<Option<Contents>> {
        let known = |init: &Atom| {
            let is_array = self.program.type_of(*init).is_array();
            self.contents_of(*init).filter(|_| is_array && self.depth < super::DEEPEST).cloned()
        };
        form.init.iter().map(known).collect()
    }

    /// Whether an iteration keeps the contents of states. What it does not keep is taken back.
    pub(super) fn confirm_contents(&self, form: &Loop, kept: &mut [Option<Contents>]) -> bool {
        let mut holds = true;
        for (known, result) in kept.iter_mut().zip(&form.body.results) {
            let Some(before) = known.take() else { continue };
            let next = self.contents_of(*result);
            let both = next.and_then(|next| {
                let fields = before.iter().zip(next).map(|(before, next)| {
                    before.iter().zip(next).map(|(one, other)| self.either(*one, *other)).collect()
                });
                fields.collect::<Option<Contents>>()
            });
            holds &= both.as_ref() == Some(&before);
            *known = both;
        }
        holds
    }

    /// What a loop collects of boxes.
    pub(super) fn collect_boxes(&mut self, stmt: &Stmt, form: &Loop) {
        for at in form.states.len()..stmt.vars.len() {
            let known = self.contents_of(form.body.results[at]).cloned();
            let is_known = |size: &Size| size.is_decided() && self.is_seen(size.symbol);
            let known = known.filter(|fields| fields.iter().flatten().all(is_known));
            let count = self.dims[&stmt.vars[at]][0];
            let rows = |size: Size| Size { is_exact: false, or_zero: true, ..size };
            let all = known.map(|fields| {
                let fields = fields.into_iter().map(|sizes| {
                    let rows = sizes.into_iter().map(rows);
                    std::iter::once(count).chain(rows).collect()
                });
                fields.collect()
            });
            self.tell_regular((stmt.id, at), all.as_ref());
            self.contents.extend(all.map(|all| (stmt.vars[at], all)));
        }
    }
}
