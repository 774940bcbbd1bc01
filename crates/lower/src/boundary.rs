//! Conversion of tangents at the boundary of derivatives: between what programs see of them and the tangents of the IR.
//!
//! Programs see `T t` as a type of the language, where an Int has the tangent `()` and a sum the same constructors. In
//! the IR only leaves with Reals have tangents ([`pullback_ir::Program::tangent_type`]), so the conversion goes along
//! the type.
//!
//! ```text
//! a program's tangent of a Tree      IR's tangent    x_dot.3: `T Tree`.1 = to_tangent(x.0, dot.2)
//! IR's tangent                       a program's     x_dot.4: Tree.0 = from_tangent(x.0, t.3)
//! ```
//!
//! Law: there and back is the identity, up to tangents of what has none. A tangent that comes from a program is checked
//! to have the shape of its value. Of a value only its shape is kept for that, so that no array lives longer than it
//! must.

use pullback_base::bug;
use pullback_ir::{Atom, Elem, Op, Role, Type};
use pullback_lambda as lambda;
use pullback_lambda::TypeKind;

use crate::context::Ctx;
use crate::layout::tag;
use crate::name::NAME;
use crate::value::Value;

impl Ctx<'_> {
    /// Which leaves of a value have tangents.
    pub(crate) fn moving(&mut self, ty: &lambda::Type) -> Vec<bool> {
        let leaves = self.leaves(ty);
        leaves.into_iter().map(|leaf| self.out.has_tangent(leaf)).collect()
    }

    /// The types of the tangents of the leaves that have some.
    pub(crate) fn tangent_leaves(&mut self, ty: &lambda::Type) -> Vec<Type> {
        let leaves = self.leaves(ty);
        self.layouts.link(&mut self.out, &leaves);
        leaves.into_iter().filter_map(|leaf| self.out.tangent_type(leaf)).collect()
    }

    /// What is kept of a value to check and convert its tangents: sizes of arrays of numbers, and sums as
    /// they are.
    pub(crate) fn shape(&mut self, value: &Value, ty: &lambda::Type) -> Value {
        let leaves = self.leaves(ty);
        let mut leaves = leaves.into_iter();
        let mut shape = value.clone();
        shape.for_each_atom(&mut |atom| {
            let Some(leaf) = leaves.next() else { bug(NAME, "as many atoms as leaves") };
            if leaf.is_array() && !matches!(leaf.elem, Elem::Data(_)) {
                let unit = Type::scalar(Elem::Unit).with_rank(leaf.rank);
                *atom = self.emit("shape", unit, Op::Shape(*atom, leaf.rank));
            }
        });
        shape
    }

    /// The tangents (or cotangents, as the role says) of the leaves of a value, from what the program has; `shape` is
    /// the value or its shape.
    #[expect(clippy::wrong_self_convention, reason = "the context is no value that is converted")]
    pub(crate) fn from_program(
        &mut self,
        role: Role,
        ty: &lambda::Type,
        shape: &Value,
        tangent: &Value,
    ) -> Vec<Atom> {
        let mut tangents = vec![];
        self.push_from(role, ty, shape, tangent, &mut tangents);
        tangents
    }

    fn push_from(
        &mut self,
        role: Role,
        ty: &lambda::Type,
        shape: &Value,
        tangent: &Value,
        tangents: &mut Vec<Atom>,
    ) {
        match (ty.kind(), shape, tangent) {
            (TypeKind::Tuple(_) | TypeKind::Record(_), Value::Tuple(xs), Value::Tuple(dots)) => {
                for ((ty, x), dot) in ty.parts().into_iter().zip(xs).zip(dots) {
                    self.push_from(role, ty, x, dot, tangents);
                }
            }
            (TypeKind::Real, ..) => tangents.push(self.leaf(tangent)),
            (TypeKind::Int | TypeKind::Bool | TypeKind::Str, ..) => {}
            (TypeKind::Data(_), Value::Leaf(x), Value::Leaf(dot)) => {
                let leaf = self.out.type_of(*x);
                self.checked(role, leaf, *x, *dot, tangents);
            }
            (TypeKind::Array(_), Value::Array(xs), Value::Array(dots)) => {
                let leaves = self.leaves(ty);
                let mut dots = dots.iter();
                let dot_type = self.layouts.tangent(ty);
                let without_leaves = self.only_sizes(&dot_type);
                for (leaf, x) in leaves.into_iter().zip(xs) {
                    let is_there = matches!(leaf.elem, Elem::Real | Elem::Data(_));
                    if is_there && let Some(dot) = dots.next() {
                        self.checked(role, leaf, *x, *dot, tangents);
                    }
                }
                if without_leaves && let (Some(x), Some(dot)) = (xs.first(), dots.next()) {
                    let rank = self.out.type_of(*dot).rank;
                    let unit = Type::scalar(Elem::Unit).with_rank(rank);
                    let sizes = self.emit("shape", unit, Op::Shape(*x, rank));
                    self.emit("checked", unit, Op::ToTangent(role, sizes, *dot));
                }
            }
            _ => bug(NAME, "a tangent with the structure of its value"),
        }
    }

    fn checked(&mut self, role: Role, leaf: Type, x: Atom, dot: Atom, tangents: &mut Vec<Atom>) {
        self.layouts.link(&mut self.out, &[leaf]);
        let moves = self.out.tangent_type(leaf);
        let ty = moves.unwrap_or_else(|| self.still(leaf));
        let tangent = self.emit("x_dot", ty, Op::ToTangent(role, x, dot));
        if moves.is_some() {
            tangents.push(tangent);
        }
    }

    /// The tangent type of data, also if it has no Reals.
    fn still(&mut self, leaf: Type) -> Type {
        match leaf.elem {
            Elem::Data(data) => Type { elem: Elem::Data(self.out.tangent_data(data)), ..leaf },
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => leaf,
        }
    }

    /// Whether an array type has no leaf but sizes.
    fn only_sizes(&mut self, ty: &lambda::Type) -> bool {
        let leaves = self.leaves(ty);
        matches!(leaves[..], [leaf] if leaf.elem == Elem::Unit)
    }

    /// What a program sees of the tangents of the leaves of a value.
    #[expect(clippy::wrong_self_convention, reason = "the context is no value that is converted")]
    pub(crate) fn to_program(
        &mut self,
        ty: &lambda::Type,
        shape: &Value,
        tangents: &mut dyn Iterator<Item = Atom>,
    ) -> Value {
        match (ty.kind(), shape) {
            (TypeKind::Tuple(_) | TypeKind::Record(_), Value::Tuple(xs)) => {
                let parts = ty.parts().into_iter().zip(xs);
                Value::Tuple(parts.map(|(ty, x)| self.to_program(ty, x, tangents)).collect())
            }
            (TypeKind::Real, _) => {
                let Some(tangent) = tangents.next() else { bug(NAME, "a tangent for each Real") };
                Value::Leaf(tangent)
            }
            (TypeKind::Int | TypeKind::Bool | TypeKind::Str, _) => Value::unit(),
            (TypeKind::Data(_), Value::Leaf(x)) => {
                let dot_type = self.layouts.tangent(ty);
                let [dot] = self.leaves(&dot_type)[..] else { bug(NAME, "a sum to be one leaf") };
                let leaf = self.out.type_of(*x);
                Value::Leaf(self.seen(leaf, dot, *x, tangents))
            }
            (TypeKind::Array(_), Value::Array(xs)) => {
                let dot_type = self.layouts.tangent(ty);
                if self.only_sizes(&dot_type) {
                    let [dot] = self.leaves(&dot_type)[..] else { bug(NAME, "one leaf of sizes") };
                    return Value::Array(vec![self.emit("x_dot", dot, Op::Shape(xs[0], dot.rank))]);
                }
                let mut dots = self.leaves(&dot_type).into_iter();
                let mut atoms = vec![];
                for (leaf, x) in self.leaves(ty).into_iter().zip(xs) {
                    match leaf.elem {
                        Elem::Real | Elem::Data(_) => {
                            let Some(dot) = dots.next() else { bug(NAME, "a leaf of the tangent") };
                            atoms.push(self.seen(leaf, dot, *x, tangents));
                        }
                        Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {}
                    }
                }
                Value::Array(atoms)
            }
            _ => bug(NAME, "a shape with the structure of its type"),
        }
    }

    /// What a program sees of the tangent of a leaf.
    fn seen(
        &mut self,
        leaf: Type,
        dot: Type,
        x: Atom,
        tangents: &mut dyn Iterator<Item = Atom>,
    ) -> Atom {
        self.layouts.link(&mut self.out, &[leaf]);
        let moves = self.out.has_tangent(leaf);
        let tangent = if moves { tangents.next() } else { None };
        match (leaf.elem, tangent) {
            (Elem::Data(_), Some(tangent)) => self.emit("x_dot", dot, Op::FromTangent(x, tangent)),
            (Elem::Data(data), None) if !moves => {
                // It holds no Real: its tangent is its shape.
                let still = Type::data(self.out.tangent_data(data));
                let Elem::Data(tangent) = still.elem else { bug(NAME, "data") };
                let zero = if leaf.is_array() {
                    let unit = Type::scalar(Elem::Unit).with_rank(leaf.rank);
                    let sizes = self.emit("shape", unit, Op::Shape(x, leaf.rank));
                    self.emit("zero", still.with_rank(leaf.rank), Op::Zero(sizes))
                } else {
                    self.emit("zero", still, Op::Con(self.out.zero_tag(tangent), vec![]))
                };
                self.emit("x_dot", dot, Op::FromTangent(x, zero))
            }
            (_, Some(tangent)) => tangent,
            (..) => bug(NAME, "a tangent for each leaf that has one"),
        }
    }

    /// The zero tangent of a value, as programs see it.
    pub(crate) fn zeros(&mut self, ty: &lambda::Type, value: &Value) -> Value {
        let leaves = self.leaves(ty);
        self.layouts.link(&mut self.out, &leaves);
        let mut atoms = self.flatten(value.clone(), ty).into_iter();
        let mut zeros = vec![];
        for leaf in leaves {
            let Some(atom) = atoms.next() else { bug(NAME, "as many atoms as leaves") };
            if let Some(tangent) = self.out.tangent_type(leaf) {
                zeros.push(if tangent == Type::REAL {
                    Atom::Real(0.0)
                } else {
                    self.emit("zero", tangent, Op::Zero(atom))
                });
            }
        }
        self.to_program(ty, value, &mut zeros.into_iter())
    }

    /// The number of a constructor.
    pub(crate) fn tag(position: usize) -> u32 {
        tag(position)
    }
}
