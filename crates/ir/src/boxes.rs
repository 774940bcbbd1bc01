//! Boxed types on demand: a data type with one constructor around a value, for what is saved in each iteration of a
//! loop where that need not be of one size.
//!
//! Input: a program and the type of what is saved. Output: the data type, which the program has then. Invariant: there
//! is one box for each type.

use rustc_hash::FxHashMap;

use crate::{Constructor, Data, DataId, Program, Type};

/// The data types with one constructor, which holds one value, by the types of those.
#[derive(Debug, Default)]
pub struct Boxes(FxHashMap<Type, DataId>);

impl Boxes {
    /// The box for values of a type, which the program has then.
    pub fn of(&mut self, program: &mut Program, ty: Type) -> DataId {
        *self.0.entry(ty).or_insert_with(|| {
            let constructors = vec![Constructor::new("Saved".into(), vec![ty])];
            let data =
                Data { name: "saved".into(), constructors, tangent: None, is_tangent: false };
            program.datas.push(data)
        })
    }
}
