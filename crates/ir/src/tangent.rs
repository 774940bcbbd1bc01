//! Tangent types of the IR: Reals and arrays of Reals are their own, a data type with Reals has a data type of
//! tangents, and everything else has none.
//!
//! ```text
//! data Tree.0 = Leaf.0(f64, i64) | Fork.1(Tree.0, Tree.0)
//! tangent data `T Tree`.1 = Leaf.0(f64) | Fork.1(`T Tree`.1, `T Tree`.1) | Zero.2
//! ```
//!
//! `T(D)` has the constructors of `D`, with the tangents of those fields that have some, and after them one without
//! fields that is the zero vector of any shape. `T(T(D)) = T(D)`, since tangents are vectors. A type of tangents is
//! declared when it is first asked for.

use pullback_base::{Id, bug};

use crate::program::{Constructor, Data, Program, holds_real};
use crate::ty::{DataId, Elem, Type};

impl Program {
    /// The type of the tangents of values of a type, if they have any.
    pub fn tangent_type(&mut self, ty: Type) -> Option<Type> {
        let elem = match ty.elem {
            Elem::Real => Elem::Real,
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => return None,
            Elem::Data(data) => {
                if !holds_real(&self.datas, ty.elem) {
                    return None;
                }
                Elem::Data(self.tangent_data(data))
            }
        };
        Some(Type { elem, ..ty })
    }

    /// Whether values of a type have tangents.
    pub fn has_tangent(&self, ty: Type) -> bool {
        holds_real(&self.datas, ty.elem)
    }

    /// The data type of the tangents of a data type.
    pub fn tangent_data(&mut self, data: DataId) -> DataId {
        self.make_tangent(data, false)
    }

    /// The data type of the tangents of a data type whose constructors, and those of all that it holds, are final: one
    /// type for equal tangents. Boxes around `[](Int, Real)` and around its tangent `[]((), Real)` differ, and the second
    /// is a vector of the first.
    pub fn shared_tangent_data(&mut self, data: DataId) -> DataId {
        self.make_tangent(data, true)
    }

    fn make_tangent(&mut self, data: DataId, is_shared: bool) -> DataId {
        if self.datas[data].is_tangent {
            return data;
        }
        if let Some(tangent) = self.datas[data].tangent {
            return tangent;
        }
        let name = format!("T {}", self.datas[data].name).into();
        let tangent =
            self.datas.push(Data { name, constructors: vec![], tangent: None, is_tangent: true });
        self.datas[data].tangent = Some(tangent);
        let mut constructors = vec![];
        for Constructor { name, fields, .. } in self.datas[data].constructors.clone() {
            if is_shared {
                self.share_tangents(&fields);
            }
            let fields = fields.into_iter().filter_map(|field| self.tangent_type(field)).collect();
            constructors.push(Constructor::new(name, fields));
        }
        constructors.push(Constructor::new("Zero".into(), vec![]));
        self.datas[tangent].constructors = constructors;
        // Nothing names the new type yet if no other was made for its fields.
        let is_named = Id::index(tangent) + 1 < self.datas.len();
        let made = &self.datas[tangent];
        let is_equal = |other: &DataId| *other != tangent && self.datas[*other] == *made;
        match self.datas.ids().find(is_equal) {
            Some(equal) if is_shared && !is_named => {
                self.datas.pop();
                self.datas[data].tangent = Some(equal);
                equal
            }
            Some(_) | None => tangent,
        }
    }

    /// Makes the data types of the tangents of some types, as [`Self::shared_tangent_data`] does.
    pub fn share_tangents(&mut self, types: &[Type]) {
        for field in types {
            if let Elem::Data(data) = field.elem
                && self.has_tangent(*field)
            {
                self.make_tangent(data, true);
            }
        }
    }

    /// The tag of the zero vector in a data type of tangents.
    pub fn zero_tag(&self, tangent: DataId) -> u32 {
        let data = &self.datas[tangent];
        if !data.is_tangent || data.constructors.is_empty() {
            bug("ir", format_args!("`{}` to be a type of tangents", data.name));
        }
        u32::try_from(data.constructors.len() - 1).unwrap_or(u32::MAX)
    }
}
