//! Interprocedural constant propagation (Callahan, Cooper, Kennedy and Torczon, 1986): which sizes and numbers are the
//! same whenever they are there, whatever calls, branches and loops they come from.
//!
//! Input: a program and its roots. Output: for each variable, and for each result of a function, its value and the
//! sizes of its dimensions: none, one constant, or varying ([`Flat`]).
//!
//! ```text
//! y.3 = @f(x.1, 0.5)
//! z.4 = @f(u.2, 0.5)
//! fn @f(a.10, b.11) {         b.11 is 0.5, and the size of a.10 varies if those of x.1 and u.2 are two numbers
//! ```
//!
//! Jump functions and bodies are one here (Grove and Torczon, 1993, compare what they may be): a parameter joins what
//! all calls hand to it, and a body is evaluated as far as values are handed on and sizes follow from sizes. Which
//! branches can be taken is not considered, unlike in sparse conditional constant propagation.
//!
//! Invariants: the analysis begins with no value at all and joins what each statement gives until nothing changes, so
//! that it finds the least solution. A recursive call that hands on its own parameter says nothing new. What a check of
//! a size says holds behind the check, in its block. Roots and rules get anything; what is derived gets values that
//! move, of the sizes that requests give it. Two Reals are one constant if all their bits are the same.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};

use crate::call_graph::{CallGraph, of_rule, request_of};
use crate::lattice::Flat;
use crate::sizes::{Size, size_of};

/// A value that a program writes down.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A literal.
    Literal(Atom),
    /// The result of a constant function that is put together from literals ([`is_plain`]).
    Result(FuncId),
}

impl Constant {
    fn int(n: i64) -> Self {
        Self::Literal(Atom::Int(n))
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(Atom::Real(x)), Self::Literal(Atom::Real(y))) => {
                x.to_bits() == y.to_bits()
            }
            (Self::Literal(one), Self::Literal(other)) => one == other,
            (Self::Result(one), Self::Result(other)) => one == other,
            (Self::Literal(_), Self::Result(_)) | (Self::Result(_), Self::Literal(_)) => false,
        }
    }
}

/// The most statements of a constant function that counts as plain.
const LARGEST: usize = 400;

/// Whether a function is a plain constant: put together from numbers and texts alone, and not too large.
pub fn is_plain(program: &Program, func: FuncId) -> bool {
    let func = &program.funcs[func];
    func.is_constant
        && func.results.len() == 1
        && func.body.stmts.len() <= LARGEST
        && func.body.stmts.iter().all(|stmt| matches!(stmt.op, Op::Con(_, _) | Op::Array(_)))
}

/// What is known of a variable or a result.
#[derive(Clone, Debug, Default)]
struct Fact {
    /// Its value.
    value: Flat<Constant>,
    /// The size of each dimension of an array, or of an accumulator of one.
    sizes: Vec<Flat<i64>>,
}

impl Fact {
    fn never(ty: Type) -> Self {
        Self { value: Flat::Never, sizes: vec![Flat::Never; usize::from(ty.rank)] }
    }

    /// An array of these sizes, or a value of which nothing is known.
    fn of_sizes(sizes: Vec<Flat<i64>>) -> Self {
        Self { value: Flat::Varies, sizes }
    }

    /// Joins what else is possible; whether that says more.
    fn learn(&mut self, other: &Self) -> bool {
        self.value.learn(other.value) | learn_all(&mut self.sizes, &other.sizes)
    }
}

fn learn_all(known: &mut [Flat<i64>], others: &[Flat<i64>]) -> bool {
    let mut is_new = false;
    for (known, other) in known.iter_mut().zip(others) {
        is_new |= known.learn(*other);
    }
    is_new
}

/// What is known of the values and sizes of a program.
pub struct Constants {
    vars: IdVec<VarId, Fact>,
    results: IdVec<FuncId, Vec<Fact>>,
}

impl Constants {
    /// What is known of a program that is entered at these roots, below which this is the call graph.
    pub fn of(program: &Program, roots: &[FuncId], graph: &CallGraph) -> Self {
        let results = |types: &[Type]| types.iter().map(|ty| Fact::never(*ty)).collect();
        let known = Self {
            vars: program.vars.iter().map(|var| Fact::never(var.ty)).collect(),
            results: program.funcs.iter().map(|func| results(&func.results)).collect(),
        };
        let mut ctx = Ctx {
            program,
            known,
            checked: vec![],
            has_changed: false,
            is_due: program.funcs.iter().map(|_| true).collect(),
        };
        for func in program.funcs.ids().filter(|func| graph.is_held[*func]) {
            for param in &program.funcs[func].params {
                ctx.known.vars[*param].value = Flat::Varies;
            }
        }
        let rules = program.rules.iter().flat_map(of_rule);
        for func in roots.iter().copied().chain(rules) {
            program.funcs[func].params.iter().for_each(|param| ctx.varies(*param));
        }
        let callers = graph.callers();
        while graph.order.iter().any(|func| ctx.is_due[*func]) {
            for func in &graph.order {
                if !std::mem::take(&mut ctx.is_due[*func]) {
                    continue;
                }
                if ctx.gives_more(*func) {
                    callers[*func].iter().for_each(|caller| ctx.is_due[*caller] = true);
                }
                // Its loops may hand on what they have only now been given.
                ctx.is_due[*func] |= std::mem::take(&mut ctx.has_changed);
            }
        }
        ctx.known
    }

    /// The value of a variable.
    pub fn value(&self, var: VarId) -> Flat<Constant> {
        self.vars[var].value
    }

    /// The number that an Int is.
    pub fn number(&self, var: VarId) -> Option<i64> {
        number_of(self.value(var)).value()
    }

    /// The sizes of an array, or of an accumulator of one.
    pub fn sizes(&self, var: VarId) -> &[Flat<i64>] {
        &self.vars[var].sizes
    }

    /// How many variables the program had.
    #[expect(clippy::len_without_is_empty, reason = "it is no collection")]
    pub fn len(&self) -> usize {
        self.vars.len()
    }

    /// The sizes of a result of a function.
    pub fn result_sizes(&self, func: FuncId, at: usize) -> &[Flat<i64>] {
        &self.results[func][at].sizes
    }
}

/// What is known of the number that an Int is.
fn number_of(value: Flat<Constant>) -> Flat<i64> {
    match value {
        Flat::Never => Flat::Never,
        Flat::Is(Constant::Literal(Atom::Int(n))) => Flat::Is(n),
        Flat::Is(Constant::Literal(_) | Constant::Result(_)) | Flat::Varies => Flat::Varies,
    }
}

struct Ctx<'p> {
    program: &'p Program,
    known: Constants,
    /// What checks before this place have made sure of: the array and the dimension, or an Int, and the number.
    checked: Vec<(VarId, usize, i64)>,
    /// Whether more is known of the function that is evaluated than before.
    has_changed: bool,
    /// The functions that are to be evaluated: more is known of their parameters, of what they call, or of themselves.
    is_due: IdVec<FuncId, bool>,
}

impl Ctx<'_> {
    /// Nothing is known of a variable.
    fn varies(&mut self, var: VarId) {
        let rank = self.known.vars[var].sizes.len();
        self.learn(var, &Fact::of_sizes(vec![Flat::Varies; rank]));
    }

    fn learn(&mut self, var: VarId, fact: &Fact) {
        self.has_changed |= self.known.vars[var].learn(fact);
    }

    fn fact(&self, atom: Atom) -> Fact {
        let Atom::Var(var) = atom else {
            return Fact { value: Flat::Is(Constant::Literal(atom)), sizes: vec![] };
        };
        let mut fact = self.known.vars[var].clone();
        for (_, at, n) in self.checked.iter().filter(|(of, _, _)| *of == var) {
            match fact.sizes.get_mut(*at) {
                Some(size @ Flat::Varies) => *size = Flat::Is(*n),
                None if fact.value == Flat::Varies => fact.value = Flat::Is(Constant::int(*n)),
                Some(_) | None => {}
            }
        }
        fact
    }

    fn sizes(&self, atom: Atom) -> Vec<Flat<i64>> {
        self.fact(atom).sizes
    }

    fn number(&self, atom: Atom) -> Flat<i64> {
        number_of(self.fact(atom).value)
    }

    fn block(&mut self, block: &Block) {
        let count = self.checked.len();
        self.stmts(block);
        self.checked.truncate(count);
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::CheckSize(Atom::Var(array), at, n, _), _) => {
                let n = self.number(*n).value();
                self.checked.extend(n.map(|n| (*array, usize::from(*at), n)));
            }
            (Op::Call(func, _), &[var]) if is_plain(self.program, *func) => {
                let sizes = self.known.results[*func][0].sizes.clone();
                self.learn(var, &Fact { value: Flat::Is(Constant::Result(*func)), sizes });
            }
            (Op::Call(func, args), vars) => {
                self.enter(*func, args);
                for (at, var) in vars.iter().enumerate() {
                    let fact = self.known.results[*func][at].clone();
                    self.learn(*var, &fact);
                }
            }
            (Op::If(_, then, other), vars) => self.branches(&[then, other], vars),
            (Op::Match(arms), vars) => {
                let params = arms.arms.iter().flat_map(|arm| arm.params.iter().copied());
                params.for_each(|param| self.varies(param));
                let blocks: Vec<&Block> =
                    arms.arms.iter().map(|arm| &arm.block).chain(&arms.default).collect();
                self.branches(&blocks, vars);
            }
            (Op::Loop(looped), vars) => self.repeat(looped, vars),
            (Op::Fail(..) | Op::Undef, _) => {}
            (op, vars) => {
                if let Some(request) = request_of(op)
                    && let Op::Jvp(_, args, _) | Op::Linearize(_, args) = op
                {
                    self.enter(self.program.requests[request].func, args);
                }
                if let &[var] = vars
                    && let Some(fact) = self.plain(op, self.program.vars[var].ty.rank)
                {
                    self.learn(var, &fact);
                } else {
                    vars.iter().for_each(|var| self.varies(*var));
                }
            }
        }
    }

    /// Evaluates a function; whether that says more of its results.
    fn gives_more(&mut self, func: FuncId) -> bool {
        let body = &self.program.funcs[func].body;
        self.stmts(body);
        let mut is_new = false;
        for (at, result) in body.results.iter().enumerate() {
            let fact = self.fact(*result);
            is_new |= self.known.results[func][at].learn(&fact);
        }
        self.checked.clear();
        is_new
    }

    /// Joins arguments into the parameters of a function.
    fn enter(&mut self, func: FuncId, args: &[Atom]) {
        for (param, arg) in self.program.funcs[func].params.iter().zip(args) {
            let fact = self.fact(*arg);
            self.is_due[func] |= self.known.vars[*param].learn(&fact);
        }
    }

    fn branches(&mut self, blocks: &[&Block], vars: &[VarId]) {
        for block in blocks {
            let count = self.checked.len();
            self.stmts(block);
            for (var, result) in vars.iter().zip(&block.results) {
                let fact = self.fact(*result);
                self.learn(*var, &fact);
            }
            self.checked.truncate(count);
        }
    }

    fn repeat(&mut self, looped: &Loop, vars: &[VarId]) {
        for (state, init) in looped.states.iter().zip(&looped.init) {
            let fact = self.fact(*init);
            self.learn(*state, &fact);
        }
        let count = match &looped.form {
            LoopForm::For { index, count, .. } => {
                self.varies(*index);
                self.number(*count)
            }
            LoopForm::While(condition) => {
                self.block(condition);
                Flat::Varies
            }
        };
        let outer = self.checked.len();
        self.stmts(&looped.body);
        let facts: Vec<Fact> =
            looped.body.results.iter().map(|result| self.fact(*result)).collect();
        self.checked.truncate(outer);
        for (at, (var, fact)) in vars.iter().zip(facts).enumerate() {
            if let Some(state) = looped.states.get(at) {
                self.learn(*state, &fact);
                let fact = self.known.vars[*state].clone();
                self.learn(*var, &fact);
            } else {
                // Where there is no iteration nothing is known of rows.
                let has_rows = matches!(count, Flat::Is(1..));
                let row = |size: Flat<i64>| if has_rows { size } else { Flat::Varies };
                let rows = fact.sizes.into_iter().map(row);
                self.learn(*var, &Fact::of_sizes(std::iter::once(count).chain(rows).collect()));
            }
        }
    }

    /// What an operation of one result, without blocks, gives.
    fn plain(&self, op: &Op, rank: u8) -> Option<Fact> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others give no value on")]
        match op {
            Op::Copy(a) | Op::Stop(a) => Some(self.fact(*a)),
            Op::Select(_, a, b) => {
                let mut fact = self.fact(*a);
                fact.learn(&self.fact(*b));
                Some(fact)
            }
            Op::Dim(a, at) => {
                let size = *self.sizes(*a).get(usize::from(*at))?;
                let value = match size {
                    Flat::Never => Flat::Never,
                    Flat::Is(n) => Flat::Is(Constant::int(n)),
                    Flat::Varies => Flat::Varies,
                };
                Some(Fact { value, sizes: vec![] })
            }
            op => Some(Fact::of_sizes(self.sizes_of(op, rank))),
        }
    }

    /// The sizes of what an operation gives, as far as they follow from sizes of its operands.
    fn sizes_of(&self, op: &Op, rank: u8) -> Vec<Flat<i64>> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others have sizes of their operands")]
        match op {
            Op::FromTangent(a, _) => self.sizes(*a),
            Op::Sized(a, at, n) => {
                let (mut known, at) = (self.sizes(*a), usize::from(*at));
                let has_rows = known[..at].iter().all(|size| matches!(size, Flat::Is(1..)));
                if !has_rows {
                    known[at] = known[at].join(self.number(*n));
                }
                known
            }
            Op::Concat(a, b) => {
                let (mut known, more) = (self.sizes(*a), self.sizes(*b));
                let both = known.iter_mut().zip(&more).enumerate();
                both.for_each(|(at, (one, other))| {
                    *one = match (*one, *other) {
                        (Flat::Is(m), Flat::Is(n)) if at == 0 => {
                            m.checked_add(n).map_or(Flat::Varies, Flat::Is)
                        }
                        (one, other) if at > 0 => one.join(other),
                        (Flat::Never, _) | (_, Flat::Never) => Flat::Never,
                        _ => Flat::Varies,
                    };
                });
                known
            }
            op => {
                let size = |k| match size_of(op, k) {
                    Some(Size::Atom(n)) => self.number(n),
                    Some(Size::Of(a, k)) => {
                        self.sizes(a.into()).get(usize::from(k)).copied().unwrap_or(Flat::Varies)
                    }
                    None => Flat::Varies,
                };
                (0..rank).map(size).collect()
            }
        }
    }
}
