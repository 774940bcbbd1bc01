//! Loops over directions: arrays that move, of which loops inside one another add products, one that may fail among
//! them.

use pullback_base::Span;
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, Type, VarId};
use pullback_prim::Prim;

use super::{Generator, MATRIX, VECTOR};

impl Generator {
    /// For each direction what a function from an array to another moves by.
    pub(super) fn directions(&mut self) {
        let like = self.atom(VECTOR);
        let count = self.emit(Type::INT, Op::Dim(like, 0));
        let zero = self.emit(VECTOR, Op::Zero(like));
        let rows = self.array_of(count, MATRIX, &mut |this, direction| {
            let one = Op::Update(zero, vec![direction.into()], Atom::Real(1.0));
            let direction = this.emit(VECTOR, one);
            let moved = this.array_of(count, VECTOR, &mut |this, index| {
                let x = this.emit(Type::REAL, Op::Index(direction, vec![index.into()]));
                this.emit(Type::REAL, Op::MulZero(x, Atom::Real(0.5)))
            });
            this.array_of(count, VECTOR, &mut |this, index| {
                this.emit(Type::REAL, Op::Index(like, vec![index.into()]));
                this.products(count, [moved, direction, like])
            })
        });
        self.scope.extend(rows.var());
    }

    /// An array of this type, by what an element is.
    pub(super) fn array_of(
        &mut self,
        count: Atom,
        ty: Type,
        element: &mut dyn FnMut(&mut Self, VarId) -> Atom,
    ) -> Atom {
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        let index = self.bind(Type::INT);
        let results = vec![element(self, index)];
        self.scope.truncate(outer.1);
        let body = Block { stmts: std::mem::replace(&mut self.out, outer.0), results };
        let form = LoopForm::For { index, count, down: false };
        self.emit(ty, Op::Loop(Loop { form, states: vec![], init: vec![], body }))
    }

    /// A sum of many products of numbers that move, mostly: now and then of others, and from another beginning.
    fn products(&mut self, count: Atom, arrays: [Atom; 3]) -> Atom {
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        let index = self.bind(Type::INT);
        let state = self.program.fresh("s", Type::REAL);
        let mut sum: Atom = state.into();
        for _ in 0..6 + self.below(4) {
            let from = arrays[[0, 0, 0, 0, 0, 1, 1, 2][self.below(8)]];
            let at = if self.below(12) == 0 { Atom::Int(1) } else { index.into() };
            let x = self.emit(Type::REAL, Op::Index(from, vec![at]));
            let factor = self.atom(Type::REAL);
            let product = self.program.fresh("x", Type::REAL);
            self.out.push(Stmt::new(vec![product], Op::MulZero(x, factor), Span::NONE));
            let prim = if self.below(20) == 0 { Prim::Sub } else { Prim::Add };
            sum = self.emit(Type::REAL, Op::Prim(prim, vec![sum, product.into()]));
        }
        self.scope.truncate(outer.1);
        let body = Block { stmts: std::mem::replace(&mut self.out, outer.0), results: vec![sum] };
        let form = LoopForm::For { index, count, down: self.below(3) == 0 };
        let init = vec![Atom::Real([0.0, 0.0, 0.0, -0.0, 1.0][self.below(5)])];
        self.emit(Type::REAL, Op::Loop(Loop { form, states: vec![state], init, body }))
    }
}
