//! Loop idiom recognition: a loop that only copies elements from one array to another, or writes one number to them,
//! becomes a bare loop of C after one look at the places.
//!
//! ```text
//! IR  y.3 = for i.4 < k.2 with a.5: []f64 = x.1 { b.6 = a.5 with [i.4] = 0.5  yield b.6 }
//! C   if (v2 > 0 && 0 <= v5.d[0] - v2) { …;  for (int64_t i = 0; i < v2; i++) to[i] = 0.5; }
//! C   else { … the loop, each step checked … }
//! ```
//!
//! Input: a loop. Output: a [`Moved`] if the loop has one state, an array of numbers, and each iteration writes one
//! element of it: at the index, or at the index and a base, in one dimension. What it writes is one number, or an
//! element of another array at places that move on likewise.
//!
//! Law: the array is the same. If a place could be outside, the checked loop runs instead, and fails where it would
//! have failed.

use pullback_analysis::affine::{Affine, Inside, Ints, Moving};
use pullback_analysis::loop_shape::Shape;
use pullback_ir::{Atom, Elem, Loop, LoopForm, Op, VarId};
use pullback_prim::Prim;

use super::body::Body;
use crate::layout::elem_type;
use crate::transformations::Which;

/// A loop that writes elements of an array, which is its state, one after the other.
pub(super) struct Moved {
    count: Atom,
    array: VarId,
    /// Where the first element goes, and in which dimension the others lie beside it.
    place: Vec<Atom>,
    dimension: usize,
    from: From,
}

/// What such a loop writes.
enum From {
    Number(Atom),
    /// The elements of an array from this place on.
    Array(VarId, Vec<Atom>),
}

impl Moved {
    /// The idiom that a loop is, if it is one.
    pub fn of(looped: &Loop) -> Option<Self> {
        let LoopForm::For { index, count, .. } = looped.form else { return None };
        let ([array], [_]) = (looped.states.as_slice(), looped.body.results.as_slice()) else {
            return None;
        };
        let written = Shape::of(looped, 0)
            .written()
            .filter(|written| written.at + 1 == looped.body.stmts.len())?;
        let (ints, inside) = (Ints::of(&looped.body), Inside::of(looped));
        // Where a place is in the first iteration, as it can be written down before the loop, and its dimension.
        let first = |at: &[Atom]| {
            let Moving { dimension, start } = Moving::of(&ints, at, index, &inside)?;
            let start = start.iter().map(Affine::as_atom).collect::<Option<Vec<Atom>>>()?;
            Some((start, dimension))
        };
        let mut read = None;
        for stmt in &looped.body.stmts[..written.at] {
            if let Op::Index(Atom::Var(other), at) = &stmt.op
                && read.is_none()
                && *other != *array
            {
                read = Some((stmt.vars[0], *other, at));
            } else if !matches!(stmt.op, Op::Prim(Prim::IntAdd, _)) {
                return None;
            }
        }
        let (place, dimension) = first(written.place)?;
        let from = match read {
            Some((var, other, at)) if written.value == Atom::Var(var) => {
                let (place, dimension) = first(at)?;
                (dimension + 1 == at.len()).then_some(From::Array(other, place))?
            }
            None if inside.is_uniform(written.value) => From::Number(written.value),
            _ => return None,
        };
        Some(Self { count, array: *array, place, dimension, from })
    }
}

impl Body<'_, '_> {
    /// Writes the bare loop, under a condition that all places are in the arrays, and opens the block for the checked
    /// loop.
    pub(super) fn begin_moved(&mut self, moved: &Moved) {
        let Moved { count, array, place, dimension, from } = moved;
        let (ty, count) = (self.ty(*array), self.atom(*count));
        let to = self.atom(Atom::Var(*array));
        let mut asked = vec![format!("{count} > 0")];
        self.ask(&to, place, *dimension, &count, &mut asked);
        let value = match from {
            From::Number(value) => self.atom(*value),
            From::Array(of, place) => {
                let from = self.atom(Atom::Var(*of));
                self.ask(&from, place, place.len() - 1, &count, &mut asked);
                "from[i]".to_owned()
            }
        };
        self.open(format_args!("if ({}) {{", asked.join(" && ")));
        let (c_type, elem, rank, site) = (self.c_type(ty), self.elem(ty), ty.rank, self.site());
        self.line(format_args!("{c_type} t = {to};"));
        self.line(format_args!("if (t.b->count != 1) pb_own(c, {site}, {elem}, {rank}, &t);"));
        self.line(format_args!("{to} = t;"));
        let number = elem_type(ty.elem);
        let offset = self.offset("t", None, place, rank);
        self.line(format_args!("{number} *const restrict to = t.p + {offset};"));
        if let From::Array(of, place) = from {
            let from = self.atom(Atom::Var(*of));
            let offset = self.offset(&from, Some(*of), place, self.ty(*of).rank);
            self.line(format_args!("const {number} *const restrict from = {from}.p + {offset};"));
        }
        let steps: Vec<String> =
            (*dimension + 1..usize::from(rank)).map(|k| format!(" * t.d[{k}]")).collect();
        let steps = steps.concat();
        self.line(format_args!("for (int64_t i = 0; i < {count}; i++) to[i{steps}] = {value};"));
        self.close();
        self.open(format_args!("else {{"));
    }

    /// Asks whether places are in an array: so many in a dimension.
    fn ask(
        &self,
        array: &str,
        place: &[Atom],
        dimension: usize,
        count: &str,
        asked: &mut Vec<String>,
    ) {
        for (k, atom) in place.iter().enumerate() {
            let at = self.atom(*atom);
            if k != dimension {
                asked.push(format!("(uint64_t){at} < (uint64_t){array}.d[{k}]"));
                continue;
            }
            if *atom != Atom::Int(0) {
                asked.push(format!("{at} >= 0"));
            }
            asked.push(format!("{at} <= {array}.d[{k}] - {count}"));
        }
    }

    /// If a loop writes elements that are plain numbers at once, how.
    pub(super) fn moved(&self, looped: &Loop) -> Option<Moved> {
        if self.emit.without.has(Which::LoopIdioms) {
            return None;
        }
        let moved = Moved::of(looped)?;
        let is_number = |elem| matches!(elem, Elem::Real | Elem::Int | Elem::Bool);
        let ty = self.ty(moved.array);
        (is_number(ty.elem) && !ty.is_acc).then_some(moved)
    }
}
