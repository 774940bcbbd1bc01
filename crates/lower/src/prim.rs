//! Translation of primitives: those on scalars stay primitives, and those that move values become operations on arrays.
//!
//! Input: a primitive applied to terms. Output: its value; statements are appended.
//!
//! ```text
//! calculus  x + y       xs with [i] = v, where xs: [n](Real, Int)
//! IR        add(x, y)   updated.6 = xs.0 with [i.2] = v.3    updated.7 = xs.1 with [i.2] = v.4
//! ```
//!
//! Law: the row of the primitive table says what happens: its class, and, of a primitive that moves values, how it does
//! ([`Move`]). No primitive has a rule of its own here but `argsort`, which gives an order, and `size` and `sized`,
//! which are about sizes.

use pullback_base::bug;
use pullback_ir::{Atom, Op, Type};
use pullback_lambda as lambda;
use pullback_lambda::{Expr, ExprKind, Lit, TypeKind};
use pullback_prim::{Class, Move, Place, Prim};

use crate::context::Ctx;
use crate::name::NAME;
use crate::value::Value;

impl Ctx<'_> {
    /// A primitive applied.
    pub(crate) fn prim(&mut self, prim: Prim, args: &[Expr], ty: &lambda::Type) -> Value {
        let span = self.span;
        let values: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
        self.span = span;
        match &prim.row().class {
            Class::Smooth(_) => self.scalar(prim, &values, ty),
            Class::Discrete => self.discrete(prim, args, values, ty),
            Class::Structural(moves) => self.moved(*moves, prim, args, values, ty),
            Class::Control => {
                let [_, depth, _, _] = args else { bug(NAME, "the arguments of a check") };
                let depth = depth_of(depth);
                let (size, text) = (self.leaf(&values[2]), self.leaf(&values[3]));
                let leaf = self.first_leaf(&values[0]);
                self.effect(Op::CheckSize(leaf, depth, size, text));
                Value::unit()
            }
            Class::Tell => {
                let text = self.leaf(&values[0]);
                self.effect(Op::Tell(text));
                Value::unit()
            }
            Class::Fail => {
                let text = self.leaf(&values[0]);
                let leaves = self.leaves(ty);
                let never = self.emit_all("never", &leaves, Op::Fail(prim, text));
                self.unflatten(never, ty)
            }
        }
    }

    fn scalar(&mut self, prim: Prim, values: &[Value], ty: &lambda::Type) -> Value {
        let args = values.iter().map(|value| self.leaf(value)).collect();
        let [leaf] = self.leaves(ty)[..] else { bug(NAME, "a primitive with one result") };
        Value::Leaf(self.emit("t", leaf, Op::Prim(prim, args)))
    }

    fn discrete(
        &mut self,
        prim: Prim,
        args: &[Expr],
        values: Vec<Value>,
        ty: &lambda::Type,
    ) -> Value {
        if !matches!(values.first(), Some(Value::Array(_))) {
            return self.scalar(prim, &values, ty);
        }
        let array = self.first_leaf(&values[0]);
        if prim == Prim::Argsort {
            return Value::Array(vec![self.emit("order", Type::INT.array(), Op::Argsort(array))]);
        }
        // `size` is that of the outermost dimension.
        let depth = args.get(1).map_or(0, depth_of);
        Value::Leaf(self.emit("n", Type::INT, Op::Dim(array, depth)))
    }

    fn first_leaf(&self, value: &Value) -> Atom {
        let Value::Array(leaves) = value else { bug(NAME, "an array") };
        leaves[0]
    }

    fn moved(
        &mut self,
        moves: Move,
        prim: Prim,
        args: &[Expr],
        mut values: Vec<Value>,
        ty: &lambda::Type,
    ) -> Value {
        let place = |ctx: &Self, place, values: &[Value]| match place {
            Place::Arg(at) => ctx.leaf(&values[at]),
            Place::Int(n) => Atom::Int(n),
        };
        let mut taken = |at: usize| std::mem::replace(&mut values[at], Value::unit());
        match moves {
            Move::Keep { array } => {
                let value = taken(array);
                if prim != Prim::Sized {
                    return value;
                }
                let depth = depth_of(&args[1]);
                let size = self.leaf(&values[2]);
                let leaves = self.array_leaves(value);
                // Leaves in boxes have no dimensions so far in.
                let sized = leaves.into_iter().map(|leaf| {
                    let ty = self.out.type_of(leaf);
                    if ty.rank <= depth {
                        return leaf;
                    }
                    self.emit("sized", ty, Op::Sized(leaf, depth, size))
                });
                Value::Array(sized.collect())
            }
            Move::Pick { array, index } => {
                let value = taken(array);
                let at = place(self, index, &values);
                self.index(value, at, ty)
            }
            Move::Put { array, index, element } => {
                let (value, item) = (taken(array), taken(element));
                let at = place(self, index, &values);
                self.update(value, at, item, ty.item())
            }
            Move::Cut { array, from, to } => {
                let value = taken(array);
                let (lo, hi) = (place(self, from, &values), place(self, to, &values));
                self.each_leaf("slice", value, |leaf| Op::Slice(leaf, lo, hi))
            }
            Move::Join { first, second } => {
                let (first, second) = (taken(first), taken(second));
                let second = self.array_leaves(second);
                let first = self.array_leaves(first);
                let joined = first.into_iter().zip(second).map(|(first, second)| {
                    let ty = self.out.type_of(first);
                    self.emit("joined", ty, Op::Concat(first, second))
                });
                Value::Array(joined.collect())
            }
            Move::Unnest { rows } => {
                let rows = taken(rows);
                let rows = self.array_leaves(rows);
                let flat = rows.into_iter().map(|leaf| {
                    let ty = self.out.type_of(leaf);
                    self.emit("flat", ty.with_rank(ty.rank - 1), Op::Flatten(leaf))
                });
                Value::Array(flat.collect())
            }
            Move::Total { array } => {
                let value = taken(array);
                let array = self.first_leaf(&value);
                Value::Leaf(self.emit("total", Type::REAL, Op::Sum(array)))
            }
        }
    }
}

/// A nesting depth, which is a literal.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn depth_of(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Lit(Lit::Int(depth)) => u8::try_from(*depth)
            .unwrap_or_else(|_| bug(NAME, "arrays of fewer than 256 dimensions")),
        _ => bug(NAME, "a nesting depth to be a literal"),
    }
}

/// The type of the elements of an array.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
pub(crate) fn element(ty: &lambda::Type) -> &lambda::Type {
    match ty.kind() {
        TypeKind::Array(element) => element,
        _ => bug(NAME, "an array type"),
    }
}
