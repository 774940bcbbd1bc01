//! Arrays of structures as structures of arrays: elements go in and come out as their leaves, arrays inside structures
//! in boxes.
//!
//! Input: a value of the calculus and the type of its elements. Output: statements on each leaf of the array.
//!
//! ```text
//! calculus  ps[i], where ps: [n](Real, [m]Real)
//! IR        element.3: f64 = ps.0[i.2]   element.4: box.0 = ps.1[i.2]   unboxed.5: []f64 = match element.4 { … }
//! ```
//!
//! Law: reading what was written gives the same value. An index is checked once for each leaf, by the same bound. An
//! array of units keeps its sizes as an array of units, and an index into it is checked too.

use pullback_base::bug;
use pullback_ir::{Arm, Atom, Elem, Loop, LoopForm, Match, Op, Type, VarId};
use pullback_lambda as lambda;
use pullback_lambda::TypeKind;

use crate::context::Ctx;
use crate::layout::fresh_vars;
use crate::name::NAME;
use crate::value::Value;

impl Ctx<'_> {
    /// The leaves of a value that is an array.
    #[track_caller]
    pub(crate) fn array_leaves(&self, value: Value) -> Vec<Atom> {
        match value {
            Value::Array(leaves) => leaves,
            Value::Leaf(_) | Value::Tuple(_) | Value::Fun(_) => bug(NAME, "an array"),
        }
    }

    /// An element of an array as it lies there, from its value.
    pub(crate) fn close(&mut self, value: Value, element: &lambda::Type) -> Vec<Atom> {
        let mut atoms = vec![];
        self.push_closed(value, element, false, &mut atoms);
        atoms
    }

    fn push_closed(
        &mut self,
        value: Value,
        ty: &lambda::Type,
        is_component: bool,
        atoms: &mut Vec<Atom>,
    ) {
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let Value::Tuple(items) = value else { bug(NAME, "a structure") };
                for (item, ty) in items.into_iter().zip(ty.parts()) {
                    self.push_closed(item, ty, true, atoms);
                }
            }
            TypeKind::Array(_) if is_component => {
                let data = self.layouts.boxed(&mut self.out, ty);
                let leaves = self.array_leaves(value);
                atoms.push(self.emit("box", Type::data(data), Op::Con(0, leaves)));
            }
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Data(_)
            | TypeKind::Array(_)
            | TypeKind::Fun(..) => atoms.extend(self.flatten(value, ty)),
        }
    }

    /// The value of an element that lies in an array.
    pub(crate) fn open(&mut self, atoms: Vec<Atom>, element: &lambda::Type) -> Value {
        self.take_open(&mut atoms.into_iter(), element, false)
    }

    fn take_open(
        &mut self,
        atoms: &mut dyn Iterator<Item = Atom>,
        ty: &lambda::Type,
        is_component: bool,
    ) -> Value {
        match ty.kind() {
            TypeKind::Tuple(_) | TypeKind::Record(_) => Value::Tuple(
                ty.parts().into_iter().map(|item| self.take_open(atoms, item, true)).collect(),
            ),
            TypeKind::Array(_) if is_component => {
                let Some(scrutinee) = atoms.next() else { bug(NAME, "as many atoms as leaves") };
                let leaves = self.leaves(ty);
                let params = fresh_vars(&mut self.out, "unboxed", &leaves);
                let results = params.iter().map(|var| Atom::Var(*var)).collect();
                let block = pullback_ir::Block { stmts: vec![], results };
                let arms = vec![Arm { tag: 0, params, block }];
                let op = Op::Match(Match { scrutinee, arms, default: None });
                Value::Array(self.emit_all("unboxed", &leaves, op))
            }
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Data(_)
            | TypeKind::Array(_)
            | TypeKind::Fun(..) => self.take(atoms, ty),
        }
    }

    /// `a[i]`
    pub(crate) fn index(&mut self, array: Value, at: Atom, element: &lambda::Type) -> Value {
        let leaves = self.array_leaves(array);
        let types = self.layouts.element_leaves(&mut self.out, element);
        let mut atoms = vec![];
        for (leaf, ty) in leaves.into_iter().zip(types) {
            atoms.push(self.emit("element", ty, Op::Index(leaf, vec![at])));
        }
        self.open(atoms, element)
    }

    /// `a with [i] = v`
    pub(crate) fn update(
        &mut self,
        array: Value,
        at: Atom,
        value: Value,
        element: &lambda::Type,
    ) -> Value {
        let leaves = self.array_leaves(array);
        let mut items = self.close(value, element);
        if items.is_empty() {
            // An array of units has nothing to replace, but its index must be in range.
            let unit = Type::scalar(Elem::Unit);
            self.emit("element", unit, Op::Index(leaves[0], vec![at]));
            items.clear();
            return Value::Array(leaves);
        }
        let pairs = leaves.into_iter().zip(items);
        let updated = pairs.map(|(leaf, item)| {
            let ty = self.out.type_of(leaf);
            self.emit("updated", ty, Op::Update(leaf, vec![at], item))
        });
        Value::Array(updated.collect())
    }

    /// `[e1, e2, …]`
    pub(crate) fn array(&mut self, items: Vec<Value>, element: &lambda::Type) -> Value {
        let types = self.layouts.element_leaves(&mut self.out, element);
        let count = items.len();
        let mut columns: Vec<Vec<Atom>> = vec![vec![]; types.len()];
        for item in items {
            let mut atoms = self.close(item, element);
            if atoms.is_empty() {
                atoms.push(Atom::Int(0));
            }
            for (column, atom) in columns.iter_mut().zip(atoms) {
                column.push(atom);
            }
        }
        let columns = types.into_iter().zip(columns).map(|(ty, column)| {
            if ty == Type::scalar(Elem::Unit) {
                let zeros = vec![Atom::Int(0); count];
                let ints = self.emit("units", Type::INT.array(), Op::Array(zeros));
                self.emit("units", ty.array(), Op::Shape(ints, 1))
            } else {
                self.emit("array", ty.array(), Op::Array(column))
            }
        });
        Value::Array(columns.collect())
    }

    /// `[ body | index < size ]`
    pub(crate) fn build(
        &mut self,
        size: Atom,
        index: VarId,
        element: &lambda::Type,
        body: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let types = self.layouts.element_leaves(&mut self.out, element);
        let is_units = types[..] == [Type::scalar(Elem::Unit)];
        let body = self.block(|ctx| {
            let value = body(ctx);
            let atoms = ctx.close(value, element);
            if is_units { vec![Atom::Int(0)] } else { atoms }
        });
        let form = LoopForm::For { index, count: size, down: false };
        let op = Op::Loop(Loop { form, states: vec![], init: vec![], body });
        if is_units {
            let ints = self.emit("units", Type::INT.array(), op);
            let unit = Type::scalar(Elem::Unit).array();
            return Value::Array(vec![self.emit("units", unit, Op::Shape(ints, 1))]);
        }
        let types: Vec<Type> = types.into_iter().map(Type::array).collect();
        Value::Array(self.emit_all("array", &types, op))
    }

    /// An operation on each leaf of an array, which keeps their types.
    pub(crate) fn each_leaf(&mut self, name: &str, array: Value, op: impl Fn(Atom) -> Op) -> Value {
        let leaves = self.array_leaves(array);
        let leaves = leaves.into_iter().map(|leaf| {
            let ty = self.out.type_of(leaf);
            self.emit(name, ty, op(leaf))
        });
        Value::Array(leaves.collect())
    }
}
