//! What the passes that fuse loops are for: several loops over one count that read each other's elements, boxes that
//! are saved and read again, accumulators of rows, sums.

use pullback_base::Span;
use pullback_ir::{Arm, Atom, Block, DataId, Loop, LoopForm, Match, Op, Stmt, Type, VarId};
use pullback_prim::Prim;

use super::{Generator, MATRIX, VECTOR};

/// What a body ends with, by its index and the results before.
type Finish<'f> = dyn FnMut(&mut Generator, VarId, &[Atom]) -> Vec<Atom> + 'f;

impl Generator {
    /// Loops over the sizes of one array, each of which may read what those before have collected.
    pub(super) fn sweeps(&mut self, depth: usize) {
        let like = self.atom(VECTOR);
        let count = self.emit(Type::INT, Op::Dim(like, 0));
        let other = if self.below(3) == 0 { self.atom(VECTOR) } else { like };
        let zero = self.emit(VECTOR, Op::Zero(other));
        let acc = self.begin(VECTOR, zero);
        let total = self.begin(Type::REAL, Atom::Real(0.0));
        let mut arrays: Vec<Atom> = vec![like];
        for _ in 0..2 + self.below(3) {
            match self.below(4) {
                0 => self.add_up(depth, count, &arrays),
                1 => self.gather(depth, count, &arrays, [acc, total]),
                _ => {
                    let more = self.produce(depth, count, &arrays);
                    arrays.extend(more);
                }
            }
        }
        self.emit(VECTOR, Op::ReadAcc(acc));
        self.emit(Type::REAL, Op::ReadAcc(total));
    }

    pub(super) fn begin(&mut self, ty: Type, init: Atom) -> Atom {
        let acc = self.program.fresh("acc", ty.acc());
        self.out.push(Stmt::new(vec![acc], Op::NewAcc(init), Span::NONE));
        acc.into()
    }

    /// An index, and elements of some arrays there, or at another place.
    fn elements(&mut self, arrays: &[Atom]) -> VarId {
        let index = self.bind(Type::INT);
        for array in arrays {
            if self.below(3) > 0 {
                let at = if self.below(12) == 0 { Atom::Int(0) } else { index.into() };
                self.emit(Type::REAL, Op::Index(*array, vec![at]));
            }
        }
        index
    }

    /// A loop over elements of arrays, whose body ends with what `finish` adds to it.
    fn sweep(
        &mut self,
        depth: usize,
        count: Atom,
        arrays: &[Atom],
        results: &[Type],
        finish: &mut Finish<'_>,
    ) -> Loop {
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        let index = self.elements(arrays);
        let mut inner = self.inner(results, depth);
        self.out.append(&mut inner.stmts);
        let results = finish(self, index, &inner.results);
        self.scope.truncate(outer.1);
        let stmts = std::mem::replace(&mut self.out, outer.0);
        let form = LoopForm::For { index, count, down: self.below(3) == 0 };
        Loop { form, states: vec![], init: vec![], body: Block { stmts, results } }
    }

    fn produce(&mut self, depth: usize, count: Atom, arrays: &[Atom]) -> Vec<Atom> {
        let types = vec![Type::REAL; 1 + self.below(2)];
        let form = self.sweep(depth, count, arrays, &types, &mut |_, _, results| results.to_vec());
        let vars: Vec<VarId> = types.iter().map(|_| self.program.fresh("x", VECTOR)).collect();
        self.out.push(Stmt::new(vars.clone(), Op::Loop(form), Span::NONE));
        self.scope.extend(&vars);
        vars.into_iter().map(Atom::Var).collect()
    }

    /// A loop that only adds up.
    pub(super) fn add_up(&mut self, depth: usize, count: Atom, arrays: &[Atom]) {
        let state = self.program.fresh("s", Type::REAL);
        let mut form = self.sweep(depth, count, arrays, &[Type::REAL], &mut |this, _, results| {
            let sum = this.program.fresh("s", Type::REAL);
            let add = Op::Prim(Prim::Add, vec![state.into(), results[0]]);
            this.out.push(Stmt::new(vec![sum], add, Span::NONE));
            vec![sum.into()]
        });
        form.states = vec![state];
        form.init = vec![Atom::Real([0.0, 0.0, -0.0, 1.0][self.below(4)])];
        self.give(&[Type::REAL], Op::Loop(form));
    }

    /// A loop that adds to accumulators. The sign of a zero is free there, so none is added that is negative.
    fn gather(&mut self, depth: usize, count: Atom, arrays: &[Atom], accs: [Atom; 2]) {
        let types = [Type::REAL, Type::REAL];
        let form = self.sweep(depth, count, arrays, &types, &mut |this, index, results| {
            let [one, other] = [0, 1].map(|at| this.unsigned(results[at]));
            if this.below(3) > 0 {
                this.act(Op::AddAcc(accs[0], vec![index.into()], one));
            }
            if this.below(3) > 0 {
                this.act(Op::AddAcc(accs[1], vec![], other));
            }
            vec![]
        });
        self.act(Op::Loop(form));
    }

    /// The number, but 0 for -0.
    pub(super) fn unsigned(&mut self, x: Atom) -> Atom {
        let sum = self.program.fresh("x", Type::REAL);
        let add = Op::Prim(Prim::Add, vec![x, Atom::Real(0.0)]);
        self.out.push(Stmt::new(vec![sum], add, Span::NONE));
        sum.into()
    }

    /// Boxes that one loop saves and another reads.
    pub(super) fn boxes(&mut self, depth: usize) {
        let like = self.atom(VECTOR);
        let count = self.emit(Type::INT, Op::Dim(like, 0));
        let saved = DataId(1);
        let types = self.program.datas[saved].constructors[0].fields.clone();
        let form = self.sweep(depth, count, &[like], &types, &mut |this, index, results| {
            let made = this.program.fresh("box", Type::data(saved));
            let mut fields = results.to_vec();
            match this.below(4) {
                // A row of a size that all boxes share.
                0 | 1 => fields[1] = like,
                // One that grows.
                2 => {
                    let row = Op::Slice(like, Atom::Int(0), index.into());
                    fields[1] = this.emit(VECTOR, row);
                }
                _ => {}
            }
            this.out.push(Stmt::new(vec![made], Op::Con(0, fields), Span::NONE));
            vec![made.into()]
        });
        let boxes = self.program.fresh("boxes", Type::data(saved).array());
        self.out.push(Stmt::new(vec![boxes], Op::Loop(form), Span::NONE));
        let form = self.sweep(depth, count, &[like], &[Type::REAL], &mut |this, index, results| {
            let read = this.program.fresh("box", Type::data(saved));
            let at = Op::Index(boxes.into(), vec![index.into()]);
            this.out.push(Stmt::new(vec![read], at, Span::NONE));
            let params: Vec<VarId> = types.iter().map(|ty| this.program.fresh("f", *ty)).collect();
            let block =
                Block { stmts: vec![], results: params.iter().map(|p| (*p).into()).collect() };
            let outs: Vec<VarId> = types.iter().map(|ty| this.program.fresh("g", *ty)).collect();
            let arms = vec![Arm { tag: 0, params, block }];
            let cases = Match { scrutinee: read.into(), arms, default: None };
            this.out.push(Stmt::new(outs.clone(), Op::Match(cases), Span::NONE));
            let sum = this.program.fresh("s", Type::REAL);
            this.out.push(Stmt::new(vec![sum], Op::Sum(outs[1].into()), Span::NONE));
            let product = this.program.fresh("p", Type::REAL);
            let multiply = Op::Prim(Prim::Mul, vec![sum.into(), outs[0].into()]);
            this.out.push(Stmt::new(vec![product], multiply, Span::NONE));
            vec![product.into(), results[0]]
        });
        self.give(&[VECTOR, VECTOR], Op::Loop(form));
    }

    /// Accumulators of a matrix: each iteration of a loop adds below its own row or column.
    pub(super) fn rows(&mut self, depth: usize) {
        let like = self.atom(MATRIX);
        let [n, m] = [0, 1].map(|k| self.emit(Type::INT, Op::Dim(like, k)));
        let start = if self.below(2) == 0 { self.emit(MATRIX, Op::Zero(like)) } else { like };
        let acc = self.begin(MATRIX, start);
        let (whole, by_part) = (self.below(4) == 0, self.below(2) == 0);
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        let i = self.bind(Type::INT);
        let part = self.program.fresh("part", VECTOR.acc());
        if by_part {
            self.out.push(Stmt::new(vec![part], Op::AtAcc(acc, vec![i.into()]), Span::NONE));
        }
        if whole {
            let row = self.emit(VECTOR, Op::Index(like, vec![i.into()]));
            self.act(Op::AddAcc(acc, vec![i.into()], row));
        }
        let form = self.sweep(depth - 1, m, &[], &[Type::REAL], &mut |this, j, results| {
            let value = this.unsigned(results[0]);
            if by_part {
                this.act(Op::AddAcc(part.into(), vec![j.into()], value));
            } else {
                this.act(Op::AddAcc(acc, vec![i.into(), j.into()], value));
            }
            vec![]
        });
        self.act(Op::Loop(form));
        self.scope.truncate(outer.1);
        let body = Block { stmts: std::mem::replace(&mut self.out, outer.0), results: vec![] };
        let form = LoopForm::For { index: i, count: n, down: self.below(2) == 0 };
        self.act(Op::Loop(Loop { form, states: vec![], init: vec![], body }));
        let sum = self.emit(MATRIX, Op::ReadAcc(acc));
        self.emit(Type::INT, Op::Dim(sum, 1));
    }
}
