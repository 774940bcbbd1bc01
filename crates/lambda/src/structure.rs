//! The parts of structured values as terms: what every walk over a type is made of, whether it adds, compares
//! or differentiates. A tuple or record is taken apart by projections, an array by an index, a sum by an arm
//! with a variable for each field.

use pullback_base::Span;
use pullback_prim::Prim;

use crate::{Arm, Expr, Program, Type, TypeKind, VarId};

impl Type {
    /// Whether it is a tuple or a record.
    pub fn is_product(&self) -> bool {
        matches!(self.kind(), TypeKind::Tuple(_) | TypeKind::Record(_))
    }
}

impl Arm {
    /// An arm with one variable a field.
    pub fn new(tag: usize, vars: Vec<VarId>, body: Expr) -> Self {
        Self { tag, vars, body }
    }
}

impl Expr {
    /// The components of this tuple or record, which must be an atom.
    pub fn parts(&self, span: Span) -> Vec<Expr> {
        let count = self.ty.parts().len();
        (0..count).map(|part| Self::proj(self.clone(), part, span)).collect()
    }
    /// `array[index]`
    pub fn index(array: Expr, index: Expr, span: Span) -> Self {
        Self::prim(Prim::Index, [array, index], span)
    }
    /// How many elements an array has.
    pub fn size_of(array: Expr, span: Span) -> Self {
        Self::prim(Prim::Size, [array], span)
    }
    /// The size of an array at a depth, also of rows that are absent.
    pub fn dim(array: Expr, depth: usize, span: Span) -> Self {
        if depth == 0 {
            return Self::size_of(array, span);
        }
        Self::prim(Prim::Dim, [array, Self::int(depth as i64, span)], span)
    }
}

impl Program {
    /// Whether a type is that of the states of some translation.
    pub fn is_state(&self, ty: &Type) -> bool {
        let TypeKind::Record(fields) = ty.kind() else { return false };
        fields.iter().any(
            |(_, field)| matches!(field.kind(), TypeKind::Data(data) if self.states.contains(data)),
        )
    }
    /// Variables for the fields of a constructor, and their occurrences.
    pub fn fields(&mut self, name: &str, types: &[Type], span: Span) -> (Vec<VarId>, Vec<Expr>) {
        let vars: Vec<VarId> = types.iter().map(|ty| self.fresh(name, ty.clone())).collect();
        let occurrences = vars.iter().map(|var| self.var(*var, span)).collect();
        (vars, occurrences)
    }
    /// A variable for the index of an element, and its occurrence.
    pub fn place(&mut self, span: Span) -> (VarId, Expr) {
        let index = self.fresh("i", Type::int());
        (index, self.var(index, span))
    }
}
