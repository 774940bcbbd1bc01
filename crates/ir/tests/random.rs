//! `parse ∘ print = id` on random programs. They have every form of the IR, and their types mean nothing:
//! the text is that of any program.

use std::collections::BTreeSet;

use pullback_base::{FileId, Id, Span};
use pullback_ir::{
    Arm, Atom, Block, Constructor, Data, DataId, Elem, Func, FuncId, Loop, LoopForm, Match, Mode,
    Op, Program, Request, RequestId, Role, Rule, RuleId, Stmt, Type, VarId, parse, verify,
};
use pullback_prim::{Class, Prim};

/// How many forms of operations and loops there are.
const FORMS: usize = 42;

struct Random {
    state: u64,
    program: Program,
    /// What is bound so far, of any block.
    vars: Vec<VarId>,
    /// The forms that were made.
    forms: BTreeSet<usize>,
}

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % limit
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    fn name(&mut self) -> &'static str {
        ["x", "if", "y'", "a b", "_", "", "`", "\\", "é\n\u{7}", "lin", "1"][self.below(11)]
    }

    fn number(&mut self) -> u32 {
        self.below(3) as u32
    }

    fn many<T>(&mut self, limit: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(limit)).map(|_| make(self)).collect()
    }

    fn ty(&mut self) -> Type {
        let data = DataId(self.number());
        let elems = [Elem::Real, Elem::Int, Elem::Bool, Elem::Str, Elem::Unit, Elem::Data(data)];
        let rank = [0, 0, 1, 2, 5][self.below(5)];
        Type { elem: elems[self.below(6)], rank, is_acc: self.below(5) == 0 }
    }

    fn var(&mut self) -> VarId {
        let (name, mut ty) = (self.name(), self.ty());
        if self.chance() {
            ty = Type::INT;
        }
        let var = self.program.fresh(name, ty);
        self.program.vars[var].linear = self.below(4) == 0;
        self.vars.push(var);
        var
    }

    fn some_vars(&mut self) -> Vec<VarId> {
        (0..1 + self.below(3)).map(|_| self.var()).collect()
    }

    fn atom(&mut self) -> Atom {
        let reals = [0.1, -0.0, 1e300, -2.5e-7, 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        match self.below(8) {
            0 => Atom::Real(reals[self.below(reals.len())]),
            1 => Atom::Real(f64::from_bits(self.state.rotate_left(31))),
            2 => Atom::Int([0, 7, -1, i64::MIN, i64::MAX][self.below(5)]),
            3 => Atom::Bool(self.chance()),
            4 => {
                let name = self.name();
                Atom::Str(self.program.string(name))
            }
            _ if self.vars.is_empty() => Atom::Int(1),
            _ => {
                let index = self.below(self.vars.len());
                Atom::Var(self.vars[index])
            }
        }
    }

    fn atoms(&mut self) -> Vec<Atom> {
        self.many(4, Self::atom)
    }

    fn block(&mut self, depth: usize) -> Block {
        let stmts = if depth == 0 { vec![] } else { self.many(4, |random| random.stmt(depth - 1)) };
        Block { stmts, results: self.atoms() }
    }

    /// The body of a loop with so many states.
    fn body(&mut self, states: usize, depth: usize) -> Block {
        let mut body = self.block(depth);
        while body.results.len() < states {
            body.results.push(self.atom());
        }
        body
    }

    fn states(&mut self) -> (Vec<VarId>, Vec<Atom>) {
        let states = self.many(3, Self::var);
        let init = states.iter().map(|_| self.atom()).collect();
        (states, init)
    }

    fn prim(&mut self, fails: bool) -> Prim {
        loop {
            let prim = Prim::ALL[self.below(Prim::ALL.len())];
            let fits = match prim.row().class {
                Class::Fail => fails,
                Class::Smooth(_) => !fails,
                Class::Discrete => !fails && prim != Prim::Argsort && prim != Prim::Dim,
                Class::Structural(_) | Class::Control | Class::Tell => false,
            };
            if fits {
                return prim;
            }
        }
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        let form = self.below(FORMS);
        self.forms.insert(form);
        let op = if form < 24 { self.plain(form) } else { self.special(form, depth) };
        let may_be_unbound = matches!(
            op,
            Op::AddAcc(_, _, _)
                | Op::CheckSize(_, _, _, _)
                | Op::CheckCount(_)
                | Op::Tell(_)
                | Op::Fail(_, _)
                | Op::Call(_, _)
                | Op::If(_, _, _)
                | Op::Match(_)
                | Op::Loop(_)
        );
        let vars = if may_be_unbound && self.chance() { vec![] } else { self.some_vars() };
        Stmt::new(vars, op, Span::NONE)
    }

    /// The forms that have operands alone.
    fn plain(&mut self, form: usize) -> Op {
        let (a, b, c, k) = (self.atom(), self.atom(), self.atom(), self.below(256) as u8);
        match form {
            0 => Op::Copy(a),
            1 => Op::Undef,
            2 => Op::Select(a, b, c),
            3 => Op::MulZero(a, b),
            4 => Op::Stop(a),
            5 => Op::Slice(a, b, c),
            6 => Op::Concat(a, b),
            7 => Op::Flatten(a),
            8 => Op::Dim(a, k),
            9 => Op::Sized(a, k, b),
            10 if k % 3 == 0 => Op::Tell(a),
            10 if k % 3 == 1 => Op::CheckCount(a),
            10 => Op::CheckSize(a, k, b, c),
            11 => Op::Sum(a),
            12 => Op::Argsort(a),
            13 => Op::Shape(a, k),
            14 => Op::Zero(a),
            15 => Op::Plus(a, b),
            16 => Op::ToTangent(if k == 0 { Role::Tangent } else { Role::Cotangent }, a, b),
            17 => Op::FromTangent(a, b),
            18 => Op::NewAcc(a),
            19 => Op::AddAcc(a, self.atoms(), b),
            20 => Op::AtAcc(a, self.atoms()),
            21 => Op::PartAcc(a, b, c),
            22 => Op::ReadAcc(a),
            _ => Op::Fail(self.prim(true), a),
        }
    }

    /// The forms with lists, numbers and blocks.
    fn special(&mut self, form: usize, depth: usize) -> Op {
        match form {
            24 => Op::Prim(self.prim(false), self.atoms()),
            25 => Op::Call(FuncId(self.number()), self.atoms()),
            26 => Op::Array(self.atoms()),
            27 => Op::Index(self.atom(), self.atoms()),
            28 => Op::Update(self.atom(), self.atoms(), self.atom()),
            29 | 30 => Op::Con(self.number(), self.atoms()),
            31 => Op::Unpack { tangent: self.atom(), tag: self.number(), like: self.atoms() },
            32 => Op::Custom {
                rule: RuleId(self.number()),
                value_captured: self.atoms(),
                rule_captured: self.atoms(),
                args: self.atoms(),
            },
            33 => Op::Jvp(RequestId(self.number()), self.atoms(), self.atoms()),
            34 => Op::Linearize(RequestId(self.number()), self.atoms()),
            35 => Op::Apply(RequestId(self.number()), self.atom(), self.atoms()),
            36 | 37 => Op::If(self.atom(), self.block(depth), self.block(depth)),
            38 => {
                let arm = |random: &mut Self| Arm {
                    tag: random.number(),
                    params: random.many(3, Self::var),
                    block: random.block(depth),
                };
                let arms = self.many(4, arm);
                let default = if self.chance() { Some(self.block(depth)) } else { None };
                Op::Match(Match { scrutinee: self.atom(), arms, default })
            }
            39 => {
                let (states, init) = self.states();
                let form = LoopForm::While(self.block(depth));
                let body = self.body(states.len(), depth);
                Op::Loop(Loop { form, states, init, body })
            }
            _ => {
                let (index, count, down) = (self.var(), self.atom(), self.chance());
                let (states, init) = self.states();
                let body = self.body(states.len(), depth);
                Op::Loop(Loop { form: LoopForm::For { index, count, down }, states, init, body })
            }
        }
    }

    fn data(&mut self) -> Data {
        let constructor = |random: &mut Self| {
            let mut made = Constructor::new(random.name().into(), random.many(3, Self::ty));
            made.unseen = (0..made.fields.len()).filter(|_| random.chance()).collect();
            made
        };
        Data {
            name: self.name().into(),
            constructors: self.many(4, constructor),
            tangent: if self.chance() { Some(DataId(self.number())) } else { None },
            is_tangent: self.chance(),
        }
    }

    fn request(&mut self) -> Request {
        let data = DataId(self.number());
        Request {
            func: FuncId(self.number()),
            active: self.many(4, Self::chance),
            mode: [Mode::Jvp, Mode::Push(data), Mode::Pull(data)][self.below(3)],
        }
    }

    fn rule(&mut self) -> Rule {
        let (value, forward) = (FuncId(self.number()), FuncId(self.number()));
        if self.chance() {
            Rule::Jvp { value, forward }
        } else {
            Rule::Vjp { value, forward, pullback: FuncId(self.number()) }
        }
    }

    fn func(&mut self) -> Func {
        let is_constant = self.below(3) == 0;
        let is_checkpoint = !is_constant && self.below(3) == 0;
        Func {
            name: self.name().into(),
            params: self.many(4, Self::var),
            results: self.many(4, Self::ty),
            body: self.block(5),
            is_constant,
            is_checkpoint,
            routine: None,
            preconditions: vec![],
            span: Span::NONE,
        }
    }

    fn fill(&mut self) {
        for _ in 0..self.below(4) {
            let (data, request, rule) = (self.data(), self.request(), self.rule());
            self.program.datas.push(data);
            self.program.requests.push(request);
            self.program.rules.push(rule);
        }
        for _ in 0..1 + self.below(4) {
            let func = self.func();
            self.program.funcs.push(func);
        }
    }
}

/// A program without what the text leaves out: spans, texts that nothing uses, and the order of the others.
fn bare(mut program: Program) -> Program {
    let mut texts = BTreeSet::new();
    for func in program.funcs.iter() {
        func.body.visit_atoms(&mut |atom| {
            if let Atom::Str(text) = atom {
                texts.insert(program.strings[text].clone());
            }
        });
    }
    let strings = std::mem::replace(&mut program.strings, texts.into_iter().collect());
    let ids: Vec<_> = program.funcs.ids().collect();
    for id in ids {
        let mut body = std::mem::take(&mut program.funcs[id].body);
        body.visit_mut(&mut |stmt| stmt.span = Span::NONE);
        body.visit_atoms_mut(&mut |atom| {
            if let Atom::Str(text) = atom {
                *text = program.string(&strings[*text]);
            }
        });
        let func = &mut program.funcs[id];
        (func.body, func.span) = (body, Span::NONE);
    }
    program
}

#[test]
fn random_programs_read_back() {
    let (mut forms, mut lines) = (BTreeSet::new(), 0);
    for seed in 0..1500 {
        let program = Program::default();
        let mut random =
            Random { state: seed * 77_777, program, vars: vec![], forms: BTreeSet::new() };
        random.fill();
        let text = random.program.print();
        let again = parse(&text, FileId(0)).unwrap_or_else(|problem| {
            panic!("{} at {:?}\n{text}", problem.labels[0].text, problem.span())
        });
        assert_eq!(again.print(), text);
        // All of the programs' parts print for debugging, with every number in them.
        let (before, after) = (bare(random.program), bare(again));
        assert_eq!(format!("{before:?}"), format!("{after:?}"), "{text}");
        let _judged = verify(&before, pullback_ir::Stage { resolved: true, linear: true });
        forms.extend(random.forms);
        lines += text.lines().count();
    }
    assert_eq!(forms.len(), FORMS);
    assert!(lines > 20_000, "only {lines} lines were printed");
}

#[test]
fn the_words_of_operations_are_no_primitives() {
    // What a primitive on scalars is called must not be read as another operation.
    for prim in Prim::ALL {
        let row = prim.row();
        if !matches!(row.class, Class::Smooth(_) | Class::Discrete) || *prim == Prim::Argsort {
            continue;
        }
        let text = format!("fn @f.0() {{\n  x.0: f64 = {}()\n}}\n", row.name);
        match parse(&text, FileId(0)) {
            Ok(program) => {
                let stmt = &program.funcs[FuncId::from_index(0)].body.stmts[0];
                assert!(matches!(stmt.op, Op::Prim(known, _) if known == *prim), "{text}");
            }
            Err(problem) => assert_eq!(*prim, Prim::Dim, "{problem:?}"),
        }
    }
}
