//! Random programs that have a value: vectors have three elements and matrices two rows, so that indices are
//! known to be inside.

use pullback_base::Span;
use pullback_ir::{
    Arm, Atom, Block, Constructor, Data, DataId, Func, FuncId, Loop, LoopForm, Match, Op, Program,
    Stmt, Type, VarId,
};
use pullback_prim::Prim;

const VECTOR: Type = Type::REAL.array();
const MATRIX: Type = VECTOR.array();
const BOX: Type = Type::data(DataId(0));
const TYPES: [Type; 6] = [Type::REAL, Type::INT, Type::BOOL, VECTOR, MATRIX, BOX];

/// How deep blocks nest.
const DEPTH: usize = 3;

/// A source of numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

struct Maker {
    program: Program,
    numbers: Numbers,
    /// What is in scope, and may be used.
    scope: Vec<VarId>,
    /// What has been made of the block that is being made.
    stmts: Vec<Stmt>,
    depth: usize,
    /// The calls that a function makes at most, which run in loops.
    calls: usize,
    /// Whether what is made works on numbers alone.
    is_numeric: bool,
    /// Whether indices and divisors may be anything.
    may_fail: bool,
}

/// The program of a seed. Its last function has no parameters.
pub fn program(seed: u64) -> Program {
    program_with(seed, false)
}

/// The same, in which indices and divisors may be anything if it may fail.
pub fn program_with(seed: u64, may_fail: bool) -> Program {
    let mut program = Program::default();
    let fields = [vec![Type::REAL, VECTOR], vec![BOX, Type::INT], vec![]];
    let constructors = fields.map(|fields| Constructor::new("Con".into(), fields));
    let (name, constructors) = ("Box".into(), constructors.into());
    program.datas.push(Data { name, constructors, tangent: None, is_tangent: false });
    let numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let (scope, stmts, depth, calls) = (vec![], vec![], 0, 0);
    let is_numeric = false;
    let mut maker = Maker { program, numbers, scope, stmts, depth, calls, is_numeric, may_fail };
    let count = 1 + maker.numbers.below(3);
    for at in 0..count {
        maker.func(at + 1 == count);
    }
    maker.program
}

impl Maker {
    fn func(&mut self, is_last: bool) {
        let mut params = vec![];
        if !is_last {
            for _ in 0..self.numbers.below(4) {
                let ty = self.ty();
                params.push(self.bind(ty));
            }
            if self.numbers.below(3) == 0 {
                params.push(self.bind(VECTOR.acc()));
            }
        }
        self.calls = 3;
        let types: Vec<Type> = (0..=self.numbers.below(3)).map(|_| self.ty()).collect();
        let mut body = self.block(&params, &types);
        self.scope.clear();
        // Often the last statement gives what the function gives.
        if self.numbers.below(2) == 0
            && let Some(last) = body.stmts.last()
            && !last.vars.is_empty()
            && last.vars.iter().all(|var| !self.program.vars[*var].ty.is_acc)
        {
            body.results = last.vars.iter().copied().map(Atom::Var).collect();
        }
        let results = body.results.iter().map(|result| self.program.type_of(*result)).collect();
        let (name, span) = ("f".into(), Span::NONE);
        self.program.funcs.push(Func {
            name,
            params,
            results,
            body,
            is_constant: false,
            is_checkpoint: false,
            routine: None,
            preconditions: vec![],
            span,
        });
    }

    fn ty(&mut self) -> Type {
        TYPES[self.numbers.below(if self.is_numeric { 3 } else { TYPES.len() })]
    }

    /// A new variable, in scope from now on.
    fn bind(&mut self, ty: Type) -> VarId {
        let var = self.program.fresh("x", ty);
        self.scope.push(var);
        var
    }

    fn push(&mut self, op: Op, types: &[Type]) -> Vec<VarId> {
        let vars: Vec<VarId> = types.iter().map(|ty| self.program.fresh("x", *ty)).collect();
        self.scope.extend(&vars);
        self.stmts.push(Stmt::new(vars.clone(), op, Span::NONE));
        vars
    }

    fn push1(&mut self, op: Op, ty: Type) -> Atom {
        Atom::Var(self.push(op, &[ty])[0])
    }

    /// A block that sees some new variables and gives results of these types.
    fn block(&mut self, params: &[VarId], types: &[Type]) -> Block {
        self.block_with(params, types, |_| vec![])
    }

    /// As [`Maker::block`], where the first results are made by `first`.
    fn block_with(
        &mut self,
        params: &[VarId],
        types: &[Type],
        first: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> Block {
        let outer = self.scope.len();
        let new = params.iter().filter(|param| !self.scope.contains(param));
        let new: Vec<VarId> = new.copied().collect();
        self.scope.extend(new);
        let around = std::mem::take(&mut self.stmts);
        self.depth += 1;
        let mut results = first(self);
        for _ in 0..self.numbers.below(if self.depth == 1 { 14 } else { 6 }) {
            self.statement();
        }
        results.extend(types.iter().map(|ty| self.atom(*ty)).collect::<Vec<_>>());
        self.depth -= 1;
        self.scope.truncate(outer);
        Block { stmts: std::mem::replace(&mut self.stmts, around), results }
    }

    /// An atom of a type; a new one if there is none.
    fn atom(&mut self, ty: Type) -> Atom {
        let vars: Vec<VarId> =
            self.scope.iter().copied().filter(|var| self.program.vars[*var].ty == ty).collect();
        if !vars.is_empty() && self.numbers.below(8) > 0 {
            // The latest ones more often.
            let at = self.numbers.below(vars.len()).max(self.numbers.below(vars.len()));
            return Atom::Var(vars[at]);
        }
        match ty {
            Type::REAL => Atom::Real(self.numbers.below(5) as f64 - 1.5),
            Type::INT => Atom::Int(self.numbers.below(5) as i64),
            Type::BOOL => Atom::Bool(self.numbers.below(2) == 0),
            VECTOR => {
                let items = (0..3).map(|_| self.atom(Type::REAL)).collect();
                self.push1(Op::Array(items), VECTOR)
            }
            MATRIX => {
                let rows = (0..2).map(|_| self.atom(VECTOR)).collect();
                self.push1(Op::Array(rows), MATRIX)
            }
            _ => {
                let (tag, fields) = match self.numbers.below(3) {
                    0 => (0, vec![self.atom(Type::REAL), self.atom(VECTOR)]),
                    1 if !vars.is_empty() => (1, vec![self.atom(BOX), self.atom(Type::INT)]),
                    _ => (2, vec![]),
                };
                self.push1(Op::Con(tag, fields), BOX)
            }
        }
    }

    /// An index below a limit.
    fn index(&mut self, limit: i64) -> Atom {
        if self.numbers.below(2) == 0 {
            return Atom::Int(self.numbers.below(limit as usize) as i64);
        }
        let n = self.atom(Type::INT);
        if self.may_fail && self.numbers.below(8) == 0 {
            return n;
        }
        self.push1(Op::Prim(Prim::IntRem, vec![n, Atom::Int(limit)]), Type::INT)
    }

    fn statement(&mut self) {
        if self.is_numeric {
            return match self.numbers.below(8) {
                6 if self.depth <= DEPTH + 1 => self.branch(),
                7 if self.depth <= DEPTH + 1 => self.sums(),
                3..=5 => self.read(),
                _ => self.scalar(),
            };
        }
        match self.numbers.below(14) {
            12 | 13 if self.depth <= DEPTH => self.sums(),
            0 | 1 => self.scalar(),
            2..=5 => self.array(),
            6 => self.accumulate(),
            7 => self.call(),
            _ if self.depth > DEPTH => self.array(),
            8 => self.branch(),
            9 => self.cases(),
            _ => self.repeat(),
        }
    }

    fn scalar(&mut self) {
        let (x, y) = (self.atom(Type::REAL), self.atom(Type::REAL));
        let (m, n) = (self.atom(Type::INT), self.atom(Type::INT));
        match self.numbers.below(6) {
            0 => self.push1(Op::Prim(Prim::Add, vec![x, y]), Type::REAL),
            1 => self.push1(Op::Prim(Prim::Mul, vec![x, y]), Type::REAL),
            2 => self.push1(Op::Prim(Prim::Lt, vec![x, y]), Type::BOOL),
            3 => {
                let sum = self.push1(Op::Prim(Prim::IntAdd, vec![m, n]), Type::INT);
                self.push1(Op::Prim(Prim::IntRem, vec![sum, Atom::Int(7)]), Type::INT)
            }
            4 => {
                let ty = self.ty();
                let (c, a, b) = (self.atom(Type::BOOL), self.atom(ty), self.atom(ty));
                self.push1(Op::Select(c, a, b), ty)
            }
            _ => {
                let ty = self.ty();
                let a = self.atom(ty);
                self.push1(Op::Copy(a), ty)
            }
        };
    }

    /// Reads an array, or does something with a number that may fail or is rare.
    fn read(&mut self) {
        let (v, m) = (self.atom(VECTOR), self.atom(MATRIX));
        let (x, n) = (self.atom(Type::REAL), self.atom(Type::INT));
        match self.numbers.below(9) {
            0 => {
                let at = self.index(2);
                let row = self.push1(Op::Index(m, vec![at]), VECTOR);
                if self.numbers.below(2) == 0 {
                    self.push1(Op::Sum(row), Type::REAL)
                } else {
                    self.push1(Op::Dim(row, 0), Type::INT)
                }
            }
            1 | 2 => {
                let (i, j) = (self.index(2), self.index(3));
                self.push1(Op::Index(m, vec![i, j]), Type::REAL)
            }
            3 | 4 => {
                let at = self.index(3);
                self.push1(Op::Index(v, vec![at]), Type::REAL)
            }
            5 => self.push1(Op::Prim(Prim::Exp, vec![x]), Type::REAL),
            6 => {
                let y = self.atom(Type::REAL);
                self.push1(Op::Prim(Prim::Max, vec![x, y]), Type::REAL)
            }
            7 if self.may_fail => {
                self.push1(Op::Prim(Prim::IntDiv, vec![Atom::Int(12), n]), Type::INT)
            }
            _ => self.push1(Op::Prim(Prim::ToReal, vec![n]), Type::REAL),
        };
    }

    /// A loop of numbers, with sums over its iterations, that collects numbers.
    fn sums(&mut self) {
        let around = std::mem::replace(&mut self.is_numeric, true);
        let sums = self.numbers.below(3);
        let collects = !around && self.numbers.below(2) == 0;
        let index = self.program.fresh("i", Type::INT);
        let mut types: Vec<Type> =
            (0..sums).map(|_| [Type::REAL, Type::REAL, Type::INT][self.numbers.below(3)]).collect();
        let states: Vec<VarId> = types.iter().map(|ty| self.program.fresh("s", *ty)).collect();
        let init: Vec<Atom> = types.iter().map(|ty| self.atom(*ty)).collect();
        let count = if collects { Atom::Int(3) } else { self.index(5) };
        let collected = collects.then_some(Type::REAL);
        let values: Vec<Type> = types.iter().copied().chain(collected).collect();
        let mut body = self.block(&[index], &values);
        for (state, result) in states.iter().zip(&mut body.results) {
            let ty = self.program.vars[*state].ty;
            let ops: &[Prim] = if ty == Type::INT {
                &[Prim::IntAdd, Prim::IntSub, Prim::IntMax]
            } else {
                &[Prim::Add, Prim::Sub, Prim::Max, Prim::Mul]
            };
            let mut args = vec![Atom::Var(*state), *result];
            match self.numbers.below(6) {
                0 => args[0] = args[1],
                1..3 => args.reverse(),
                _ => {}
            }
            let next = self.program.fresh("t", ty);
            let op = Op::Prim(ops[self.numbers.below(ops.len())], args);
            body.stmts.push(Stmt::new(vec![next], op, Span::NONE));
            *result = Atom::Var(next);
        }
        self.is_numeric = around;
        let down = self.numbers.below(2) == 0;
        let form = LoopForm::For { index, count, down };
        types.extend(collects.then_some(VECTOR));
        self.push(Op::Loop(Loop { form, states, init, body }), &types);
    }

    fn array(&mut self) {
        let (v, m) = (self.atom(VECTOR), self.atom(MATRIX));
        match self.numbers.below(10) {
            0 => {
                let (at, x) = (self.index(3), self.atom(Type::REAL));
                self.push1(Op::Update(v, vec![at], x), VECTOR)
            }
            1 => {
                let (at, row) = (self.index(2), self.atom(VECTOR));
                self.push1(Op::Update(m, vec![at], row), MATRIX)
            }
            2 => {
                let (i, j, x) = (self.index(2), self.index(3), self.atom(Type::REAL));
                self.push1(Op::Update(m, vec![i, j], x), MATRIX)
            }
            3 => {
                let at = self.index(2);
                self.push1(Op::Index(m, vec![at]), VECTOR)
            }
            4 => {
                let (i, j) = (self.index(2), self.index(3));
                self.push1(Op::Index(m, vec![i, j]), Type::REAL)
            }
            5 => {
                let at = self.index(3);
                self.push1(Op::Index(v, vec![at]), Type::REAL)
            }
            6 => {
                let one = self.program.fresh("x", VECTOR);
                self.stmts.push(Stmt::new(
                    vec![one],
                    Op::Slice(v, Atom::Int(1), Atom::Int(3)),
                    Span::NONE,
                ));
                let x = self.atom(Type::REAL);
                let two = self.program.fresh("x", VECTOR);
                self.stmts.push(Stmt::new(vec![two], Op::Array(vec![x]), Span::NONE));
                self.push1(Op::Concat(one.into(), two.into()), VECTOR)
            }
            7 => {
                let flat = self.program.fresh("x", VECTOR);
                self.stmts.push(Stmt::new(vec![flat], Op::Flatten(m), Span::NONE));
                let at = self.numbers.below(4) as i64;
                self.push1(Op::Slice(flat.into(), Atom::Int(at), Atom::Int(at + 3)), VECTOR)
            }
            8 => {
                let (a, ty) = if self.numbers.below(2) == 0 { (v, VECTOR) } else { (m, MATRIX) };
                let b = self.atom(ty);
                self.push1(Op::Plus(a, b), ty)
            }
            _ => match self.numbers.below(3) {
                0 => self.push1(Op::Sum(v), Type::REAL),
                1 => self.push1(Op::Dim(m, 1), Type::INT),
                _ => self.push1(Op::Zero(m), MATRIX),
            },
        };
    }

    /// An accumulator, and what is added to it before it is read.
    fn accumulate(&mut self) {
        let (init, ty) = if self.numbers.below(2) == 0 {
            (self.atom(VECTOR), VECTOR)
        } else {
            (self.atom(MATRIX), MATRIX)
        };
        let acc = self.push(Op::NewAcc(init), &[ty.acc()])[0];
        let whole = acc;
        let rows = if ty == MATRIX {
            let at = self.index(2);
            self.push(Op::AtAcc(acc.into(), vec![at]), &[VECTOR.acc()])[0]
        } else {
            acc
        };
        for _ in 0..self.numbers.below(4) {
            self.add(rows);
            self.statement();
        }
        let value = self.atom(ty);
        self.push(Op::AddAcc(whole.into(), vec![], value), &[]);
        self.scope.retain(|var| *var != whole && *var != rows);
        self.push1(Op::ReadAcc(whole.into()), ty);
    }

    /// Adds to an accumulator of a vector, also in a loop.
    fn add(&mut self, acc: VarId) {
        if self.numbers.below(2) == 0 && self.depth <= DEPTH {
            let index = self.program.fresh("i", Type::INT);
            let around = self.is_numeric;
            self.is_numeric |= self.numbers.below(2) == 0;
            let body = self.block_with(&[index], &[], |maker| {
                let x = maker.atom(Type::REAL);
                let adds = maker.numbers.below(3);
                if adds < 2 {
                    maker.push(Op::AddAcc(acc.into(), vec![index.into()], x), &[]);
                }
                if adds > 0 {
                    maker.add_in_a_loop(acc);
                }
                vec![]
            });
            self.is_numeric = around;
            let form = LoopForm::For { index, count: Atom::Int(3), down: false };
            self.push(Op::Loop(Loop { form, states: vec![], init: vec![], body }), &[]);
        } else {
            let (at, x) = (self.index(3), self.atom(Type::REAL));
            self.push(Op::AddAcc(acc.into(), vec![at], x), &[]);
        }
    }

    /// Adds to each element of an accumulator of a vector, or to one several times.
    fn add_in_a_loop(&mut self, acc: VarId) {
        let index = self.program.fresh("i", Type::INT);
        let body = self.block_with(&[index], &[], |maker| {
            let at = if maker.numbers.below(3) == 0 { maker.index(3) } else { index.into() };
            let x = maker.atom(Type::REAL);
            maker.push(Op::AddAcc(acc.into(), vec![at], x), &[]);
            vec![]
        });
        let form = LoopForm::For { index, count: Atom::Int(3), down: self.numbers.below(2) == 0 };
        self.push(Op::Loop(Loop { form, states: vec![], init: vec![], body }), &[]);
    }

    fn call(&mut self) {
        let count = self.program.funcs.len();
        if count == 0 || self.calls == 0 {
            return self.scalar();
        }
        self.calls -= 1;
        let func = self.numbers.below(count);
        let id = FuncId(func as u32);
        let params: Vec<Type> = self.program.funcs[id]
            .params
            .iter()
            .map(|param| self.program.vars[*param].ty)
            .collect();
        let mut args = vec![];
        let mut acc = None;
        for ty in params {
            if ty.is_acc {
                let init = self.atom(ty.value());
                let var = self.push(Op::NewAcc(init), &[ty])[0];
                acc = Some(var);
                args.push(var.into());
            } else {
                args.push(self.atom(ty));
            }
        }
        let results = self.program.funcs[id].results.clone();
        self.push(Op::Call(id, args), &results);
        if let Some(acc) = acc {
            self.scope.retain(|var| *var != acc);
            self.push1(Op::ReadAcc(acc.into()), VECTOR);
        }
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.numbers.below(4)).map(|_| self.ty()).collect()
    }

    fn branch(&mut self) {
        let (cond, types) = (self.atom(Type::BOOL), self.types());
        let (then, other) = (self.block(&[], &types), self.block(&[], &types));
        self.push(Op::If(cond, then, other), &types);
    }

    fn cases(&mut self) {
        let (scrutinee, types) = (self.atom(BOX), self.types());
        let mut arms = vec![];
        for tag in 0..2 + self.numbers.below(2) as u32 {
            let fields = self.program.datas[DataId(0)].constructors[tag as usize].fields.clone();
            let params: Vec<VarId> = fields.iter().map(|ty| self.program.fresh("x", *ty)).collect();
            let block = self.block(&params, &types);
            arms.push(Arm { tag, params, block });
        }
        let default = (arms.len() < 3).then(|| self.block(&[], &types));
        self.push(Op::Match(Match { scrutinee, arms, default }), &types);
    }

    fn repeat(&mut self) {
        let mut types = self.types();
        let mut init: Vec<Atom> = types.iter().map(|ty| self.atom(*ty)).collect();
        let mut states: Vec<VarId> = types.iter().map(|ty| self.program.fresh("s", *ty)).collect();
        if self.numbers.below(4) == 0 {
            // The first state counts the iterations.
            let counter = self.program.fresh("n", Type::INT);
            let limit = Atom::Int(self.numbers.below(4) as i64);
            let test = |maker: &mut Self| {
                vec![maker.push1(Op::Prim(Prim::IntLt, vec![counter.into(), limit]), Type::BOOL)]
            };
            let all = [&[counter], states.as_slice()].concat();
            let cond = self.block_with(&all, &[], test);
            let body = self.block_with(&all, &types, |maker| {
                let next = Op::Prim(Prim::IntAdd, vec![counter.into(), Atom::Int(1)]);
                vec![maker.push1(next, Type::INT)]
            });
            types.insert(0, Type::INT);
            init.insert(0, Atom::Int(0));
            states = all;
            let form = LoopForm::While(cond);
            self.push(Op::Loop(Loop { form, states, init, body }), &types);
            return;
        }
        let index = self.program.fresh("i", Type::INT);
        let (count, collected) = match self.numbers.below(3) {
            0 => (Atom::Int(3), vec![Type::REAL]),
            1 => (Atom::Int(2), vec![VECTOR]),
            _ => (self.index(4), vec![]),
        };
        let down = self.numbers.below(2) == 0;
        let results = [types.as_slice(), &collected].concat();
        let body = self.block(&[&[index], states.as_slice()].concat(), &results);
        types.extend(collected.iter().map(|ty| ty.array()));
        let form = LoopForm::For { index, count, down };
        self.push(Op::Loop(Loop { form, states, init, body }), &types);
    }
}
