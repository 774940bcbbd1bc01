//! Shape propagation: which Int the size of an array in a dimension is, or which other array has the same size there,
//! as far as the operations that make arrays say.
//!
//! Input: an operation, or a body. Output: the [`Size`] of a dimension of what the operation gives; [`Sizes`], which
//! answer for all arrays and accumulators of a body.
//!
//! ```text
//! b.2: []f64 = a.0 with [i.1] = 0.0                       b.2 is as large as a.0
//! c.4: [][]f64 = for i.5 < n.3 { … collect b.2 }          c.4 has n.3 rows, each as large as a.0
//! d.6: []f64 = c.4[i.1]                                   so has d.6, as it is a row of c.4
//! ```
//!
//! What a check of a size has made sure of holds in a part of the code alone, and stands in [`crate::facts`].
//!
//! Law: what is said of a variable holds wherever the variable is. The size of rows is that of all rows there are;
//! an array without rows may have another size inside.

use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

use crate::affine::Inside;

/// The size of an array in a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// This Int.
    Atom(Atom),
    /// That of another array, or of an accumulator, in a dimension.
    Of(VarId, u8),
}

/// The size of a dimension of what an operation without blocks gives, if it follows from its operands.
pub fn size_of(op: &Op, k: u8) -> Option<Size> {
    let like = |a: &Atom, k: u8| a.var().map(|a| Size::Of(a, k));
    #[expect(clippy::wildcard_enum_match_arm, reason = "others have sizes of their own")]
    match op {
        Op::Copy(a)
        | Op::Stop(a)
        | Op::Update(a, _, _)
        | Op::Zero(a)
        | Op::Plus(a, _)
        | Op::NewAcc(a)
        | Op::ReadAcc(a)
        | Op::Argsort(a)
        | Op::Shape(a, _)
        | Op::ToTangent(_, a, _) => like(a, k),
        Op::Sized(a, at, _) if *at != k => like(a, k),
        Op::Index(a, at) | Op::AtAcc(a, at) => {
            like(a, k.checked_add(u8::try_from(at.len()).ok()?)?)
        }
        Op::Slice(a, _, _) | Op::PartAcc(a, _, _) if k > 0 => like(a, k),
        Op::Slice(_, Atom::Int(0), hi) | Op::PartAcc(_, Atom::Int(0), hi) => Some(Size::Atom(*hi)),
        Op::Slice(_, Atom::Int(lo), Atom::Int(hi))
        | Op::PartAcc(_, Atom::Int(lo), Atom::Int(hi)) => {
            Some(Size::Atom(Atom::Int(hi.checked_sub(*lo)?)))
        }
        Op::Array(items) if k == 0 => Some(Size::Atom(Atom::Int(i64::try_from(items.len()).ok()?))),
        Op::Array(items) => like(items.first()?, k - 1),
        _ => None,
    }
}

/// The sizes of the arrays and accumulators that a body makes.
#[derive(Debug, Default)]
pub struct Sizes {
    /// Of each dimension. A size of which nothing else is known is the array's own.
    sizes: FxHashMap<VarId, Vec<Size>>,
    /// The Ints that are sizes, or copies of others.
    ints: FxHashMap<VarId, Size>,
    /// The counts of loops, by their indices.
    counts: FxHashMap<VarId, Atom>,
    /// The counts of loops, by the arrays that they collect.
    collected: FxHashMap<VarId, Atom>,
}

impl Sizes {
    /// Those of a body. Arrays from outside are known by name only.
    pub fn of(program: &Program, body: &Block) -> Self {
        let mut sizes = Self::default();
        sizes.block(program, body);
        sizes
    }

    /// Those of a loop with these results.
    pub fn of_loop(program: &Program, looped: &Loop, vars: &[VarId]) -> Self {
        let mut sizes = Self::default();
        sizes.repeat(program, looped, vars);
        sizes
    }

    /// The size of an array in a dimension: an Int that is there wherever the array is, or the size of the array, itself
    /// or another one, from which the size comes.
    pub fn size(&self, array: VarId, k: u8) -> Size {
        let known = self.sizes.get(&array).and_then(|sizes| sizes.get(usize::from(k)));
        known.copied().unwrap_or(Size::Of(array, k))
    }

    /// The arrays and accumulators that are made here, with their sizes.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &[Size])> {
        self.sizes.iter().map(|(var, sizes)| (*var, sizes.as_slice()))
    }

    /// Whether an Int is the size of an array in a dimension.
    pub fn is_size(&self, n: Atom, array: VarId, k: u8) -> bool {
        let size = match self.size(array, k) {
            Size::Atom(size) => self.int(size),
            size @ Size::Of(..) => size,
        };
        self.int(n) == size
    }

    /// The count of the loop that collects an array.
    pub fn collected(&self, array: VarId) -> Option<Atom> {
        self.collected.get(&array).copied()
    }

    /// A size that is at least this one, of what is there already. Of the index of a loop that is the count.
    pub fn bound(&self, size: Size, is_there: &impl Fn(VarId) -> bool) -> Option<Size> {
        let (Size::Atom(Atom::Var(var)) | Size::Of(var, _)) = size else { return Some(size) };
        if is_there(var) {
            return Some(size);
        }
        let next = match size {
            Size::Of(array, k) => self.size(array, k),
            Size::Atom(_) => {
                let count = self.counts.get(&var).map(|count| Size::Atom(*count));
                self.ints.get(&var).copied().or(count)?
            }
        };
        if next == size { None } else { self.bound(next, is_there) }
    }

    /// What an Int is as a size.
    fn int(&self, n: Atom) -> Size {
        n.var().and_then(|var| self.ints.get(&var)).copied().unwrap_or(Size::Atom(n))
    }

    fn block(&mut self, program: &Program, block: &Block) {
        for stmt in &block.stmts {
            if let Op::Loop(looped) = &stmt.op {
                self.repeat(program, looped, &stmt.vars);
            } else {
                stmt.op.blocks().into_iter().for_each(|inner| self.block(program, inner));
                self.stmt(program, stmt);
            }
        }
    }

    fn repeat(&mut self, program: &Program, looped: &Loop, vars: &[VarId]) {
        looped.blocks().for_each(|block| self.block(program, block));
        let LoopForm::For { index, count, .. } = looped.form else { return };
        self.counts.insert(index, count);
        let mut inside = None;
        for (var, row) in vars.iter().zip(&looped.body.results).skip(looped.states.len()) {
            self.collected.insert(*var, count);
            let mut sizes = vec![Size::Atom(count)];
            for k in 1..program.vars[*var].ty.rank {
                let size = row.var().map(|row| self.size(row, k - 1));
                let inside = inside.get_or_insert_with(|| Inside::of(looped));
                // Rows of several sizes have none, and what a row has of itself is not there outside.
                let stays = |size: &Size| match size {
                    Size::Atom(n) => inside.is_uniform(*n),
                    Size::Of(array, _) => !inside.has(*array),
                };
                sizes.push(size.filter(stays).unwrap_or(Size::Of(*var, k)));
            }
            self.sizes.insert(*var, sizes);
        }
    }

    fn stmt(&mut self, program: &Program, stmt: &Stmt) {
        let [var] = stmt.vars[..] else { return };
        if let Op::Dim(Atom::Var(array), k) = stmt.op {
            self.ints.insert(var, self.size(array, k));
        } else if let (Op::Copy(n) | Op::Stop(n), Elem::Int) = (&stmt.op, program.vars[var].ty.elem)
        {
            self.ints.insert(var, self.int(*n));
        }
        let sizes =
            (0..program.vars[var].ty.rank).map(|k| match (size_of(&stmt.op, k), &stmt.op) {
                (Some(Size::Of(array, k)), _) => self.size(array, k),
                (Some(size @ Size::Atom(_)), _) => size,
                // What rows have already is said of absent ones too.
                (None, Op::Sized(Atom::Var(array), _, n)) if self.is_size(*n, *array, k) => {
                    self.size(*array, k)
                }
                (None, _) => Size::Of(var, k),
            });
        let sizes: Vec<Size> = sizes.collect();
        if !sizes.is_empty() {
            self.sizes.insert(var, sizes);
        }
    }
}
