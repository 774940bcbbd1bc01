//! The primitives of an image. Instructions name them by place, so that an instruction is 16 bytes though a
//! primitive may bring a row of its own.

use std::ops::Index;

use pullback_machine::surcharge;
use pullback_prim::{Class, Move, Prim};
use rustc_hash::FxHashMap;

/// A primitive of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimId(u16);

/// A primitive, with what the machine counts for each application.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Which it is.
    pub prim: Prim,
    /// How many operations on scalars it counts as.
    pub counted: u64,
    /// By how much its weight exceeds that of a multiplication.
    pub surcharge: u64,
}

/// All primitives of an image that have no instruction of their own.
#[derive(Clone, Debug, Default)]
pub struct Prims {
    operations: Vec<Operation>,
    ids: FxHashMap<Prim, PrimId>,
}

impl Prims {
    /// The id of a primitive, which is among those of the image from now on.
    pub fn id(&mut self, prim: Prim) -> PrimId {
        let next = self.operations.len();
        *self.ids.entry(prim).or_insert_with(|| {
            let (counted, surcharge) = (counted(prim), surcharge(prim));
            self.operations.push(Operation { prim, counted, surcharge });
            PrimId(u16::try_from(next).expect("fewer than 2^16 primitives"))
        })
    }
}

impl Index<PrimId> for Prims {
    type Output = Operation;

    #[inline]
    fn index(&self, id: PrimId) -> &Operation {
        &self.operations[usize::from(id.0)]
    }
}

fn counted(prim: Prim) -> u64 {
    u64::from(match prim.row().class {
        Class::Smooth(_) | Class::Structural(Move::Total { .. }) => true,
        Class::Discrete => !matches!(prim, Prim::Size | Prim::Dim | Prim::Argsort),
        Class::Structural(_) | Class::Control | Class::Tell | Class::Fail => false,
    })
}
