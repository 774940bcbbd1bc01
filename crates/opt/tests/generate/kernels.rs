//! What kernels are for: loops of plain arithmetic over arrays that may be long, with conditions on the index, loops
//! inside them, and sums into places that iterations share.

use pullback_base::Span;
use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Stmt, Type, VarId};
use pullback_prim::Prim;

use super::{Generator, MATRIX, VECTOR};

/// An array, how many elements it has, and an accumulator of as many.
#[derive(Clone, Copy)]
struct Row {
    array: Atom,
    count: Atom,
    acc: Atom,
}

impl Generator {
    /// A loop over an array, which may have one over another inside it.
    pub(super) fn kernel(&mut self) {
        let rows = [0, 1].map(|_| {
            let array = self.atom(VECTOR);
            let count = self.emit(Type::INT, Op::Dim(array, 0));
            let zero = self.emit(VECTOR, Op::Zero(array));
            Row { array, count, acc: self.begin(VECTOR, zero) }
        });
        let total = self.begin(Type::REAL, Atom::Real(0.0));
        let has_edges = self.below(2) == 0;
        let index = self.program.fresh("i", Type::INT);
        let state = (self.below(2) == 0).then(|| self.program.fresh("s", Type::REAL));
        let collected = self.below(3);
        let body = self.apart(&mut |this| {
            this.scope.push(index);
            this.emit(Type::REAL, Op::Index(rows[0].array, vec![index.into()]));
            if has_edges {
                this.edge(rows[0], index, total);
            }
            this.plain();
            if this.below(2) == 0 {
                this.inner_sum(rows[1], total);
            }
            if has_edges && this.below(2) == 0 {
                this.edge(rows[0], index, total);
            }
            for _ in 0..this.below(3) {
                this.plain();
            }
            if this.below(2) == 0 {
                this.add_to(rows[0].acc, &[index.into()]);
            }
            if this.below(2) == 0 {
                this.add_to(total, &[]);
            }
            let state = state.map(|state| this.folded(state));
            state.into_iter().chain((0..collected).map(|_| this.number())).collect()
        });
        let form = LoopForm::For { index, count: rows[0].count, down: self.below(4) == 0 };
        let types: Vec<Type> =
            state.iter().map(|_| Type::REAL).chain((0..collected).map(|_| VECTOR)).collect();
        let (states, init) = (state.into_iter().collect(), state.map(|_| Atom::Real(0.0)));
        let init = init.into_iter().collect();
        self.give(&types, Op::Loop(Loop { form, states, init, body }));
        for (ty, acc) in [(VECTOR, rows[0].acc), (VECTOR, rows[1].acc), (Type::REAL, total)] {
            self.emit(ty, Op::ReadAcc(acc));
        }
    }

    /// A loop over an array with others inside one another, and little else.
    pub(super) fn deep(&mut self) {
        let array = self.atom(VECTOR);
        let count = self.emit(Type::INT, Op::Dim(array, 0));
        let zero = self.emit(VECTOR, Op::Zero(array));
        let row = Row { array, count, acc: self.begin(VECTOR, zero) };
        let total = self.begin(Type::REAL, Atom::Real(0.0));
        let square = self.array_of(count, MATRIX, &mut |this, i| {
            let x = this.emit(Type::REAL, Op::Index(array, vec![i.into()]));
            this.array_of(count, VECTOR, &mut |this, j| {
                let y = this.emit(Type::REAL, Op::Index(array, vec![j.into()]));
                this.emit(Type::REAL, Op::Prim(Prim::Sub, vec![x, y]))
            })
        });
        let index = self.program.fresh("i", Type::INT);
        let body = self.apart(&mut |this| {
            this.scope.push(index);
            this.emit(Type::REAL, Op::Index(array, vec![index.into()]));
            this.plain();
            let results = this.middle(row, square, total);
            let mut sum = this.number();
            for result in results {
                let add = Op::Prim(Prim::Add, vec![sum, result]);
                sum = this.emit(Type::REAL, add);
            }
            vec![sum]
        });
        let form = LoopForm::For { index, count, down: false };
        self.give(&[VECTOR], Op::Loop(Loop { form, states: vec![], init: vec![], body }));
        for (ty, acc) in [(VECTOR, row.acc), (Type::REAL, total)] {
            self.emit(ty, Op::ReadAcc(acc));
        }
    }

    /// A block of its own.
    fn apart(&mut self, write: &mut dyn FnMut(&mut Self) -> Vec<Atom>) -> Block {
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        let results = write(self);
        self.scope.truncate(outer.1);
        Block { stmts: std::mem::replace(&mut self.out, outer.0), results }
    }

    /// A number of usual size.
    fn number(&mut self) -> Atom {
        let seen = self.seen(Type::REAL);
        if seen.is_empty() || self.below(5) == 0 {
            return Atom::Real([0.0, 1.0, -1.0, 0.5, 0.3][self.below(5)]);
        }
        let last = seen.len().min(4);
        seen[seen.len() - 1 - self.below(last)].into()
    }

    /// Arithmetic that cannot fail.
    fn plain(&mut self) {
        const TWO: [Prim; 6] = [Prim::Add, Prim::Sub, Prim::Mul, Prim::Mul, Prim::Max, Prim::Min];
        let x = self.number();
        let op = match self.below(6) {
            0 => Op::Prim([Prim::Neg, Prim::Abs, Prim::Sigmoid][self.below(3)], vec![x]),
            _ => Op::Prim(TWO[self.below(6)], vec![x, self.number()]),
        };
        self.emit(Type::REAL, op);
    }

    fn add_to(&mut self, acc: Atom, at: &[Atom]) {
        let value = self.number();
        let value = self.unsigned(value);
        self.act(Op::AddAcc(acc, at.to_vec(), value));
    }

    /// What becomes of a sum, or of the largest.
    fn folded(&mut self, state: VarId) -> Atom {
        let more = self.number();
        let next = self.program.fresh("s", Type::REAL);
        let prim = [Prim::Add, Prim::Add, Prim::Sub, Prim::Max][self.below(4)];
        self.out.push(Stmt::new(vec![next], Op::Prim(prim, vec![state.into(), more]), Span::NONE));
        next.into()
    }

    /// A number that differs between the sides of an edge: a comparison of an index with a number or the last place.
    fn edge(&mut self, row: Row, index: VarId, total: Atom) {
        const PRIMS: [Prim; 6] =
            [Prim::IntLt, Prim::IntLe, Prim::IntGt, Prim::IntGe, Prim::IntEq, Prim::IntNe];
        let minus = |x: Atom| Op::Prim(Prim::IntSub, vec![x, Atom::Int(1)]);
        let last = self.emit(Type::INT, minus(row.count));
        let (prim, bound, shift) = match self.below(6) {
            0 => (Prim::IntLt, last, Some(Prim::IntAdd)),
            1 => (Prim::IntGt, Atom::Int(0), Some(Prim::IntSub)),
            2 => (PRIMS[self.below(6)], last, None),
            3 => (PRIMS[self.below(6)], self.atom(Type::INT), None),
            _ => (PRIMS[self.below(6)], Atom::Int([0, 1, 3, 8, 11, 40][self.below(6)]), None),
        };
        let cond = if shift.is_none() && self.below(3) == 0 {
            Op::Prim(prim, vec![bound, index.into()])
        } else {
            Op::Prim(prim, vec![index.into(), bound])
        };
        let cond = self.emit(Type::BOOL, cond);
        if shift.is_none() && self.below(3) == 0 {
            let (a, b) = (self.number(), self.number());
            self.emit(Type::REAL, Op::Select(cond, a, b));
            return;
        }
        let [then, other] = [shift, None].map(|shift| {
            self.apart(&mut |this| {
                if let Some(prim) = shift {
                    let at = Op::Prim(prim, vec![index.into(), Atom::Int(1)]);
                    let at = this.emit(Type::INT, at);
                    this.emit(Type::REAL, Op::Index(row.array, vec![at]));
                    if this.below(3) == 0 {
                        this.add_to(row.acc, &[at]);
                    }
                }
                if this.below(2) == 0 {
                    this.plain();
                }
                match this.below(6) {
                    0 => this.add_to(row.acc, &[index.into()]),
                    1 => this.add_to(total, &[]),
                    _ => {}
                }
                vec![this.number()]
            })
        });
        self.give(&[Type::REAL], Op::If(cond, then, other));
    }

    /// A loop over an array with loops inside that are as long, or grow from one iteration to the next: it may fold,
    /// collect, and add to places of its own and to shared ones.
    fn middle(&mut self, row: Row, square: Atom, total: Atom) -> Vec<Atom> {
        let index = self.program.fresh("j", Type::INT);
        let state = (self.below(2) == 0).then(|| self.program.fresh("s", Type::REAL));
        let collected = if state.is_none() { 1 } else { self.below(2) };
        let adds = self.below(3) == 0;
        let body = self.apart(&mut |this| {
            this.scope.push(index);
            this.emit(Type::REAL, Op::Index(row.array, vec![index.into()]));
            this.plain();
            let mut sums = vec![];
            for _ in 0..1 + this.below(2) {
                let count = if this.below(3) == 0 { index.into() } else { row.count };
                let places = (adds && this.below(3) == 0).then_some(total);
                this.innermost(Row { count, ..row }, (square, index), (adds, places));
                this.plain();
                let last = this.scope[this.scope.len() - 2];
                let more = Op::Prim(Prim::Add, vec![last.into(), Atom::Real(0.5)]);
                sums.push(this.emit(Type::REAL, more));
            }
            match this.below(4) {
                0 if adds => this.add_to(row.acc, &[index.into()]),
                1 if adds => this.add_to(row.acc, &[Atom::Int(0)]),
                _ => {}
            }
            let state = state.map(|state| this.folded(state));
            let elements = (0..collected).map(|_| *sums.iter().last().expect("a sum"));
            state.into_iter().chain(elements).collect()
        });
        let form = LoopForm::For { index, count: row.count, down: self.below(5) == 0 };
        let types: Vec<Type> =
            state.iter().map(|_| Type::REAL).chain((0..collected).map(|_| VECTOR)).collect();
        let (states, init) = (state.into_iter().collect(), state.map(|_| Atom::Real(0.5)));
        let init = init.into_iter().collect();
        self.give(&types, Op::Loop(Loop { form, states, init, body }));
        let results = self.scope[self.scope.len() - types.len()..].to_vec();
        let number = |(var, ty): (VarId, Type)| match ty {
            VECTOR => self.emit(Type::REAL, Op::Sum(var.into())),
            _ => var.into(),
        };
        results.into_iter().zip(types).map(number).collect()
    }

    /// A loop that folds, and adds to places that hang on its index, on that of the loop around, or on both.
    fn innermost(
        &mut self,
        row: Row,
        (square, outer): (Atom, VarId),
        (adds, total): (bool, Option<Atom>),
    ) {
        let (index, state) =
            (self.program.fresh("k", Type::INT), self.program.fresh("s", Type::REAL));
        let body = self.apart(&mut |this| {
            this.scope.push(index);
            if this.below(2) == 0 {
                this.emit(Type::REAL, Op::Index(square, vec![index.into(), outer.into()]));
            } else {
                this.emit(Type::REAL, Op::Index(row.array, vec![index.into()]));
            }
            this.plain();
            match this.below(6) {
                0 | 1 if adds => this.add_to(row.acc, &[index.into()]),
                2 if adds => this.add_to(row.acc, &[outer.into()]),
                3 if adds => {
                    let far = Op::Prim(Prim::IntSub, vec![outer.into(), index.into()]);
                    let far = this.emit(Type::INT, far);
                    let far = this.emit(Type::INT, Op::Prim(Prim::IntAbs, vec![far]));
                    this.add_to(row.acc, &[far]);
                }
                _ => {}
            }
            if let Some(total) = total {
                this.add_to(total, &[]);
            }
            vec![this.folded(state)]
        });
        let form = LoopForm::For { index, count: row.count, down: self.below(5) == 0 };
        let looped = Loop { form, states: vec![state], init: vec![Atom::Real(0.0)], body };
        self.give(&[Type::REAL], Op::Loop(looped));
    }

    /// A loop over an array that sums up, and adds to places that all iterations outside share.
    fn inner_sum(&mut self, row: Row, total: Atom) {
        let (index, state) =
            (self.program.fresh("j", Type::INT), self.program.fresh("s", Type::REAL));
        let body = self.apart(&mut |this| {
            this.scope.push(index);
            this.emit(Type::REAL, Op::Index(row.array, vec![index.into()]));
            this.plain();
            if this.below(4) == 0 {
                this.edge(row, index, total);
            }
            if this.below(2) == 0 {
                this.add_to(row.acc, &[index.into()]);
            }
            vec![this.folded(state)]
        });
        let form = LoopForm::For { index, count: row.count, down: self.below(4) == 0 };
        let looped = Loop { form, states: vec![state], init: vec![Atom::Real(0.0)], body };
        self.give(&[Type::REAL], Op::Loop(looped));
    }
}
