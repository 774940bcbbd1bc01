//! Facts about data types that the walks over tangents need: which hold Reals, and which tag is the zero vector's.

use pullback_base::{Id, IdVec};

use crate::program::{Data, Program, holds_real};
use crate::ty::{DataId, Elem};

/// The data types of a program.
pub(in super::super) struct Types<'p> {
    pub datas: &'p IdVec<DataId, Data>,
    holds_real: Vec<bool>,
}

impl<'p> Types<'p> {
    pub fn new(program: &'p Program) -> Self {
        let datas = &program.datas;
        let holds_real = datas.ids().map(|data| holds_real(datas, Elem::Data(data))).collect();
        Self { datas, holds_real }
    }

    /// Whether values of this type have tangents.
    pub fn holds_real(&self, elem: Elem) -> bool {
        match elem {
            Elem::Real => true,
            Elem::Data(data) => self.holds_real[data.index()],
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => false,
        }
    }
}

/// The tag of the zero vector of a type of tangents: its last constructor.
pub(in super::super) fn zero_tag(data: &Data) -> u32 {
    data.constructors.len() as u32 - 1
}
