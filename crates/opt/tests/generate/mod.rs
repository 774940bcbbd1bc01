//! Random programs of the IR that keep its rules. Indices and numbers are small, so that programs sometimes
//! fail and mostly do not.

mod directions;
mod kernels;
mod sweeps;

use pullback_base::Span;
use pullback_ir::{
    Arm, Atom, Block, Constructor, Data, DataId, Func, FuncId, Loop, LoopForm, Match, Op, Program,
    Stmt, Type, VarId,
};
use pullback_prim::Prim;

const VECTOR: Type = Type::REAL.array();
const MATRIX: Type = VECTOR.array();
/// How deep blocks lie in each other.
const DEEPEST: usize = 3;

pub struct Generator {
    state: u64,
    program: Program,
    /// What is seen.
    scope: Vec<VarId>,
    /// What can be called: with an Int first that bounds recursion.
    funcs: Vec<FuncId>,
    /// The function that is being made, and its bound, if it may call itself.
    own: Option<(FuncId, VarId)>,
    out: Vec<Stmt>,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5555;
        let mut program = Program::default();
        let constructor =
            |name: &str, fields: &[Type]| Constructor::new(name.into(), fields.to_vec());
        program.datas.push(Data {
            name: "Shape".into(),
            constructors: vec![
                constructor("Dot", &[]),
                constructor("Disc", &[Type::REAL, VECTOR]),
                constructor("Box", &[Type::REAL, Type::REAL, Type::INT]),
            ],
            tangent: None,
            is_tangent: false,
        });
        program.datas.push(Data {
            name: "Saved".into(),
            constructors: vec![constructor("Saved", &[Type::REAL, VECTOR, Type::data(DataId(0))])],
            tangent: None,
            is_tangent: false,
        });
        Self { state, program, scope: vec![], funcs: vec![], own: None, out: vec![] }
    }

    /// A program and its function `(f64, f64, i64, []f64, [][]f64) -> (f64, i64, []f64, [][]f64)`.
    pub fn program(mut self) -> (Program, FuncId) {
        for _ in 0..self.below(3) {
            let steps = 2 + self.below(6);
            self.func(
                "helper",
                &[Type::INT, Type::REAL, VECTOR],
                &[Type::REAL, Type::REAL, VECTOR],
                steps,
            );
        }
        let params = [Type::REAL, Type::REAL, Type::INT, VECTOR, MATRIX];
        let steps = 4 + self.below(12);
        let main = self.func("main", &params, &[Type::REAL, Type::INT, VECTOR, MATRIX], steps);
        (self.program, main)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % limit
    }

    fn func(&mut self, name: &str, params: &[Type], results: &[Type], steps: usize) -> FuncId {
        self.scope.clear();
        let params: Vec<VarId> = params.iter().map(|ty| self.bind(*ty)).collect();
        let func = Func {
            name: name.into(),
            params: params.clone(),
            results: results.to_vec(),
            body: Block::default(),
            is_constant: false,
            is_checkpoint: false,
            routine: None,
            preconditions: vec![],
            span: Span::NONE,
        };
        let id = self.program.funcs.push(func);
        self.own = (name == "helper").then(|| (id, params[0]));
        let body = self.block(results, steps, DEEPEST);
        self.program.funcs[id].body = body;
        self.funcs.push(id);
        id
    }

    /// A variable that is seen from now on.
    fn bind(&mut self, ty: Type) -> VarId {
        let var = self.program.fresh("x", ty);
        self.scope.push(var);
        var
    }

    fn emit(&mut self, ty: Type, op: Op) -> Atom {
        let var = self.program.fresh("x", ty);
        self.out.push(Stmt::new(vec![var], op, Span::NONE));
        self.scope.push(var);
        Atom::Var(var)
    }

    /// Statements that bind nothing.
    fn act(&mut self, op: Op) {
        self.out.push(Stmt::new(vec![], op, Span::NONE));
    }

    fn seen(&self, ty: Type) -> Vec<VarId> {
        let seen = self.scope.iter().copied();
        seen.filter(|var| self.program.vars[*var].ty == ty).collect()
    }

    fn atom(&mut self, ty: Type) -> Atom {
        const REALS: [f64; 9] = [0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 7e16, f64::INFINITY, f64::NAN];
        let seen = self.seen(ty);
        if !seen.is_empty() && self.below(5) > 0 {
            // What was made last is used more often.
            let from = if self.below(2) == 0 { seen.len().saturating_sub(3) } else { 0 };
            return Atom::Var(seen[from + self.below(seen.len() - from)]);
        }
        if ty == Type::REAL {
            return Atom::Real(REALS[self.below(9)]);
        }
        if ty == Type::INT {
            return Atom::Int([0, 0, 0, 0, 0, 1, 1, 2, 3, -1][self.below(10)]);
        }
        if ty == Type::BOOL {
            return Atom::Bool(self.below(2) == 0);
        }
        if ty.is_array() {
            let item = ty.with_rank(ty.rank - 1);
            let first = self.atom(item);
            let items = if self.below(8) == 0 { vec![] } else { vec![first; 1 + self.below(3)] };
            return self.emit(ty, Op::Array(items));
        }
        self.con(ty)
    }

    fn con(&mut self, ty: Type) -> Atom {
        let pullback_ir::Elem::Data(data) = ty.elem else { panic!("no data") };
        let constructors = self.program.datas[data].constructors.clone();
        let tag = self.below(constructors.len());
        let fields = constructors[tag].fields.iter().map(|ty| self.atom(*ty)).collect();
        self.emit(ty, Op::Con(tag as u32, fields))
    }

    fn any_type(&mut self) -> Type {
        let data = Type::data(DataId(self.below(2) as u32));
        [Type::REAL, Type::REAL, Type::REAL, Type::INT, Type::BOOL, VECTOR, VECTOR, MATRIX, data]
            [self.below(9)]
    }

    /// A block with so many steps and results of these types.
    fn block(&mut self, results: &[Type], steps: usize, depth: usize) -> Block {
        let outer = (std::mem::take(&mut self.out), self.scope.len());
        for _ in 0..steps {
            self.step(depth);
        }
        let results = results.iter().map(|ty| self.atom(*ty)).collect();
        self.scope.truncate(outer.1);
        Block { stmts: std::mem::replace(&mut self.out, outer.0), results }
    }

    fn inner(&mut self, results: &[Type], depth: usize) -> Block {
        let steps = self.below(4);
        self.block(results, steps, depth - 1)
    }

    fn step(&mut self, depth: usize) {
        let kinds = if depth == 0 { 16 } else { 35 };
        match self.below(kinds) {
            0..=3 => self.real_prim(),
            4 => self.int_prim(),
            5 | 6 => self.test(),
            7 => {
                let ty = self.any_type();
                let cond = self.atom(Type::BOOL);
                let (a, b) = (self.atom(ty), self.atom(ty));
                self.emit(ty, Op::Select(cond, a, b));
            }
            8 => {
                let (a, b) = (self.atom(Type::REAL), self.atom(Type::REAL));
                let product = self.program.fresh("x", Type::REAL);
                self.out.push(Stmt::new(vec![product], Op::MulZero(a, b), Span::NONE));
                // The sign of a zero is free there.
                let args = vec![Atom::Var(product), Atom::Real(0.0)];
                self.emit(Type::REAL, Op::Prim(Prim::Add, args));
            }
            9..=14 => self.array_op(),
            15 => {
                let ty = Type::data(DataId(self.below(2) as u32));
                self.con(ty);
            }
            16 | 17 => self.branch(depth),
            18 => self.cases(depth),
            19..=21 => self.for_loop(depth),
            22 => self.while_loop(depth),
            23 => self.accumulate(depth),
            24 => self.call(depth),
            25 => self.sweeps(depth),
            26 => self.boxes(depth),
            27 if depth > 1 => self.rows(depth),
            29 if depth == DEEPEST => self.directions(),
            30..=32 if depth == DEEPEST => self.kernel(),
            33 | 34 if depth == DEEPEST => self.deep(),
            28 => {
                let count = self.atom(Type::INT);
                self.add_up(depth, count, &[]);
            }
            _ => self.slot(depth),
        }
    }

    fn real_prim(&mut self) {
        const ONE: [Prim; 5] = [Prim::Neg, Prim::Exp, Prim::Abs, Prim::Sqrt, Prim::Sigmoid];
        const TWO: [Prim; 8] = [
            Prim::Add,
            Prim::Add,
            Prim::Sub,
            Prim::Mul,
            Prim::Mul,
            Prim::Div,
            Prim::Max,
            Prim::Min,
        ];
        let x = self.atom(Type::REAL);
        let op = match self.below(8) {
            0 | 1 => Op::Prim(ONE[self.below(5)], vec![x]),
            2 => {
                let prim = [Prim::PowInt, Prim::PowSlope][self.below(2)];
                Op::Prim(prim, vec![x, self.atom(Type::INT)])
            }
            3 => Op::Prim(Prim::ToReal, vec![self.atom(Type::INT)]),
            _ => Op::Prim(TWO[self.below(8)], vec![x, self.atom(Type::REAL)]),
        };
        self.emit(Type::REAL, op);
    }

    fn int_prim(&mut self) {
        const TWO: [Prim; 6] =
            [Prim::IntAdd, Prim::IntSub, Prim::IntMul, Prim::IntMax, Prim::IntMin, Prim::IntRem];
        let (m, n) = (self.atom(Type::INT), self.atom(Type::INT));
        let prim = TWO[self.below(6)];
        self.emit(Type::INT, Op::Prim(prim, vec![m, n]));
    }

    fn test(&mut self) {
        let op = match self.below(4) {
            0 => Op::Prim(Prim::Not, vec![self.atom(Type::BOOL)]),
            1 => {
                let prim = [Prim::Lt, Prim::Eq, Prim::Ne][self.below(3)];
                Op::Prim(prim, vec![self.atom(Type::REAL), self.atom(Type::REAL)])
            }
            _ => {
                let prim = [Prim::IntLt, Prim::IntGe, Prim::IntEq][self.below(3)];
                Op::Prim(prim, vec![self.atom(Type::INT), self.atom(Type::INT)])
            }
        };
        self.emit(Type::BOOL, op);
    }

    fn array_op(&mut self) {
        let ty = if self.below(5) == 0 { MATRIX } else { VECTOR };
        let a = self.atom(ty);
        let row = ty.with_rank(ty.rank - 1);
        let i = if self.below(2) == 0 { Atom::Int(0) } else { self.atom(Type::INT) };
        match self.below(18) {
            0..=2 => {
                self.emit(row, Op::Index(a, vec![i]));
            }
            3 => {
                let (a, j) = (self.atom(MATRIX), self.atom(Type::INT));
                self.emit(Type::REAL, Op::Index(a, vec![i, j]));
            }
            4 | 5 => {
                let v = self.atom(row);
                self.emit(ty, Op::Update(a, vec![i], v));
            }
            6 => {
                let hi = self.emit(Type::INT, Op::Dim(a, 0));
                self.emit(ty, Op::Slice(a, i, hi));
            }
            7 => {
                let b = self.atom(ty);
                self.emit(ty, Op::Concat(a, b));
            }
            8..=10 => {
                let k = self.below(ty.rank.into()) as u8;
                self.emit(Type::INT, Op::Dim(a, k));
            }
            11 => {
                let a = self.atom(VECTOR);
                self.emit(Type::REAL, Op::Sum(a));
            }
            12 => {
                let a = self.atom(MATRIX);
                self.emit(VECTOR, Op::Flatten(a));
            }
            13 => {
                let zero = self.emit(ty, Op::Zero(a));
                self.emit(ty, Op::Plus(a, zero));
            }
            14 => {
                let n = self.atom(Type::INT);
                let a = self.atom(MATRIX);
                self.emit(MATRIX, Op::Sized(a, 1, n));
            }
            _ if self.below(3) == 0 => {
                let x = self.atom(Type::REAL);
                let text = self.emit(Type::STR, Op::Prim(Prim::ShowReal, vec![x]));
                self.act(Op::Tell(text));
            }
            _ if self.below(3) == 0 => {
                let n = self.atom(Type::INT);
                self.act(Op::CheckCount(n));
            }
            _ => {
                let text = Atom::Str(self.program.string("the sizes"));
                let n = self.emit(Type::INT, Op::Dim(a, 0));
                self.act(Op::CheckSize(a, 0, n, text));
            }
        }
    }

    fn many_types(&mut self) -> Vec<Type> {
        (0..self.below(4)).map(|_| self.any_type()).collect()
    }

    /// A statement with blocks, which has results of these types.
    fn give(&mut self, types: &[Type], op: Op) {
        let vars: Vec<VarId> = types.iter().map(|ty| self.program.fresh("x", *ty)).collect();
        self.out.push(Stmt::new(vars.clone(), op, Span::NONE));
        self.scope.extend(vars);
    }

    fn branch(&mut self, depth: usize) {
        let types = self.many_types();
        let cond = self.atom(Type::BOOL);
        let (then, other) = (self.inner(&types, depth), self.inner(&types, depth));
        self.give(&types, Op::If(cond, then, other));
    }

    fn cases(&mut self, depth: usize) {
        let types = self.many_types();
        let data = DataId(self.below(2) as u32);
        let scrutinee = self.atom(Type::data(data));
        let mut arms = vec![];
        let constructors = self.program.datas[data].constructors.clone();
        let covered = 1 + self.below(constructors.len());
        for (tag, constructor) in constructors[..covered].iter().enumerate() {
            let outside = self.scope.len();
            let params = constructor.fields.iter().map(|ty| self.bind(*ty)).collect();
            let block = self.inner(&types, depth);
            self.scope.truncate(outside);
            arms.push(Arm { tag: tag as u32, params, block });
        }
        let default = (covered < constructors.len()).then(|| self.inner(&types, depth));
        self.give(&types, Op::Match(Match { scrutinee, arms, default }));
    }

    fn for_loop(&mut self, depth: usize) {
        let states = self.many_types();
        let collected: Vec<Type> = (0..self.below(3))
            .map(|_| [Type::REAL, Type::REAL, Type::REAL, VECTOR][self.below(4)])
            .collect();
        let count = if self.below(6) == 0 {
            self.atom(Type::INT)
        } else {
            let a = self.atom(VECTOR);
            self.emit(Type::INT, Op::Dim(a, 0))
        };
        let init = states.iter().map(|ty| self.atom(*ty)).collect();
        let outside = self.scope.len();
        let index = self.bind(Type::INT);
        let vars: Vec<VarId> = states.iter().map(|ty| self.bind(*ty)).collect();
        let results = [states.clone(), collected.clone()].concat();
        let body = self.inner(&results, depth);
        self.scope.truncate(outside);
        let down = self.below(4) == 0;
        let form = LoopForm::For { index, count, down };
        let types: Vec<Type> =
            states.into_iter().chain(collected.iter().map(|ty| ty.array())).collect();
        self.give(&types, Op::Loop(Loop { form, states: vars, init, body }));
    }

    fn while_loop(&mut self, depth: usize) {
        let mut types = vec![Type::INT];
        types.extend(self.many_types());
        let init =
            types.iter().map(|ty| if *ty == Type::INT { Atom::Int(0) } else { self.atom(*ty) });
        let init = init.collect();
        let outside = self.scope.len();
        let states: Vec<VarId> = types.iter().map(|ty| self.bind(*ty)).collect();
        let counter = Atom::Var(states[0]);
        let go = self.program.fresh("go", Type::BOOL);
        let test = Op::Prim(Prim::IntLt, vec![counter, Atom::Int(3)]);
        let condition = Block {
            stmts: vec![Stmt::new(vec![go], test, Span::NONE)],
            results: vec![Atom::Var(go)],
        };
        let mut body = self.inner(&types, depth);
        self.scope.truncate(outside);
        let next = self.program.fresh("next", Type::INT);
        let add = Op::Prim(Prim::IntAdd, vec![counter, Atom::Int(1)]);
        body.stmts.push(Stmt::new(vec![next], add, Span::NONE));
        body.results[0] = Atom::Var(next);
        let form = LoopForm::While(condition);
        self.give(&types, Op::Loop(Loop { form, states, init, body }));
    }

    /// A loop that adds to an array, and to a number.
    fn accumulate(&mut self, depth: usize) {
        let like = self.atom(VECTOR);
        let start = if self.below(2) == 0 { self.emit(VECTOR, Op::Zero(like)) } else { like };
        let first = self.atom(Type::REAL);
        let accs = [(VECTOR, start), (Type::REAL, first)].map(|(ty, init)| {
            let acc = self.program.fresh("acc", ty.acc());
            self.out.push(Stmt::new(vec![acc], Op::NewAcc(init), Span::NONE));
            Atom::Var(acc)
        });
        let count = self.emit(Type::INT, Op::Dim(like, 0));
        let outside = self.scope.len();
        let index = self.bind(Type::INT);
        let mut body = self.inner(&[Type::REAL, Type::REAL, Type::INT], depth);
        self.scope.truncate(outside);
        let results = std::mem::take(&mut body.results);
        let at = if self.below(3) == 0 { results[2] } else { Atom::Var(index) };
        let outer = std::mem::replace(&mut self.out, std::mem::take(&mut body.stmts));
        let [one, other] = [0, 1].map(|nth| self.unsigned(results[nth]));
        self.act(Op::AddAcc(accs[0], vec![at], one));
        self.act(Op::AddAcc(accs[1], vec![], other));
        body.stmts = std::mem::replace(&mut self.out, outer);
        let form = LoopForm::For { index, count, down: self.below(2) == 0 };
        self.act(Op::Loop(Loop { form, states: vec![], init: vec![], body }));
        if self.below(4) > 0 {
            self.emit(VECTOR, Op::ReadAcc(accs[0]));
        }
        if self.below(4) > 0 {
            self.emit(Type::REAL, Op::ReadAcc(accs[1]));
        }
    }

    fn call(&mut self, depth: usize) {
        let types = [Type::REAL, Type::REAL, VECTOR];
        let args = vec![self.atom(Type::REAL), self.atom(VECTOR)];
        let with = |bound: Atom| [&[bound][..], &args].concat();
        if let (Some((own, bound)), 0) = (self.own, self.below(2)) {
            // if bound > 0 { own(bound - 1, …) } else { … }
            let go = self.emit(Type::BOOL, Op::Prim(Prim::IntGt, vec![bound.into(), Atom::Int(0)]));
            let other = self.inner(&types, depth);
            let less = self.program.fresh("less", Type::INT);
            let results: Vec<VarId> = types.iter().map(|ty| self.program.fresh("r", *ty)).collect();
            let minus = Op::Prim(Prim::IntSub, vec![bound.into(), Atom::Int(1)]);
            let then = Block {
                results: results.iter().map(|var| Atom::Var(*var)).collect(),
                stmts: vec![
                    Stmt::new(vec![less], minus, Span::NONE),
                    Stmt::new(results, Op::Call(own, with(less.into())), Span::NONE),
                ],
            };
            return self.give(&types, Op::If(go, then, other));
        }
        let callable: Vec<FuncId> = self
            .funcs
            .iter()
            .copied()
            .filter(|id| self.program.funcs[*id].name == "helper")
            .collect();
        if !callable.is_empty() {
            let func = callable[self.below(callable.len())];
            let bound = Atom::Int(self.below(3) as i64);
            self.give(&types, Op::Call(func, with(bound)));
        }
    }

    /// A value that is there only if a condition holds, and looked at only then.
    fn slot(&mut self, depth: usize) {
        let ty = [Type::REAL, VECTOR][self.below(2)];
        let cond = self.atom(Type::BOOL);
        let then = self.inner(&[ty], depth);
        let nothing = self.program.fresh("nothing", ty);
        let other = Block {
            stmts: vec![Stmt::new(vec![nothing], Op::Undef, Span::NONE)],
            results: vec![Atom::Var(nothing)],
        };
        let outside = self.scope.len();
        self.give(&[ty], Op::If(cond, then, other));
        let used = self.inner(&[Type::REAL], depth);
        self.scope.truncate(outside);
        let none = self.inner(&[Type::REAL], depth);
        self.give(&[Type::REAL], Op::If(cond, used, none));
    }
}
