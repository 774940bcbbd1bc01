//! How many bytes one step of a loop saves: a cost model, as a number that is there when the loop starts.
//!
//! ```text
//! for i < n with s = x { a = sin(s);  b = for j < m { … collect exp(a) } }
//!                        8            m times 8 for each, and 64 for the array         bytes of a step, computed before it
//! ```
//!
//! Input: a loop. Output: statements before the loop, and the numbers that they compute: bytes of a step and of a
//! state.
//!
//! A Real that a primitive makes counts eight bytes for each operand, and every other scalar eight. An array counts
//! where a loop makes its elements, and a reference to it counts 64. Branches count all together; a loop inside
//! counts its steps times what each saves. Its count is computed from sizes, of which those of a state are taken to
//! stay, and from indices, which are taken for their largest value. A derivative of a function counts what the
//! function does twice: values and tangents, or one sweep and the other, and each further sweep once more.
//!
//! Invariants: all numbers come from what is bound before the loop. Where a count is not known then, as in a `while`
//! or in recursion, the bytes of a step are not known either (`None`).

use pullback_base::Span;
use pullback_ir::{Arm, Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use pullback_analysis::affine::Inside;
use pullback_analysis::cost;

/// What is known of a loop when it starts, as Reals.
pub(super) struct Estimate {
    /// The bytes that a step saves, if they are known.
    pub step: Option<Atom>,
    /// The bytes of a state.
    pub state: Atom,
}

/// The bytes of a number, and of a reference to an array or to data.
const NUMBER: f64 = cost::NUMBER as f64;
const REFERENCE: f64 = cost::REFERENCE as f64;

/// The estimate for a loop, and the statements that compute it.
pub(super) fn estimate(program: &mut Program, repeat: &Loop, span: Span) -> (Vec<Stmt>, Estimate) {
    let types: Vec<Type> = repeat.states.iter().map(|var| program.vars[*var].ty).collect();
    let bound = Inside::of(repeat);
    let mut emitter = Emitter::new(program, span);
    // The arguments of a segment that are no states.
    let mut state = Bytes::of(2.0 * NUMBER);
    for (ty, first) in types.iter().zip(&repeat.init) {
        state = state.and(emitter.whole(*ty, *first), &mut emitter);
    }
    let arrays = repeat.states.iter().copied().zip(repeat.init.iter().copied()).collect();
    let mut ctx = Estimator {
        emitter,
        bound,
        arrays,
        numbers: FxHashMap::default(),
        under_way: FxHashSet::default(),
        residuals: FxHashMap::default(),
    };
    if let LoopForm::For { index, count, .. } = repeat.form {
        let count = ctx.emitter.real(count);
        ctx.numbers.insert(index, count);
    }
    let step = ctx.block(&repeat.body);
    let step = step.map(|step| step.total(&mut ctx.emitter));
    let state = state.total(&mut ctx.emitter);
    (ctx.emitter.stmts, Estimate { step, state })
}

/// A sum of a number and of numbers that are computed.
#[derive(Clone, Copy)]
struct Bytes {
    fixed: f64,
    more: Option<Atom>,
}

impl Bytes {
    fn of(fixed: f64) -> Self {
        Self { fixed, more: None }
    }

    fn and(self, other: Self, emitter: &mut Emitter<'_>) -> Self {
        let more = match (self.more, other.more) {
            (Some(a), Some(b)) => Some(emitter.real_prim(Prim::Add, &[a, b])),
            (a, b) => a.or(b),
        };
        Self { fixed: self.fixed + other.fixed, more }
    }

    fn times(self, count: Atom, emitter: &mut Emitter<'_>) -> Self {
        match (count, self.more) {
            (Atom::Real(count), None) => Self::of(count.max(0.0) * self.fixed),
            (..) => {
                let each = self.total(emitter);
                let all = emitter.real_prim(Prim::Mul, &[count, each]);
                // A count may be negative, and there is no such loop.
                let all = emitter.real_prim(Prim::Max, &[all, Atom::Real(0.0)]);
                Self { fixed: 0.0, more: Some(all) }
            }
        }
    }

    fn total(self, emitter: &mut Emitter<'_>) -> Atom {
        // At least one number: it divides.
        let fixed = Atom::Real(self.fixed.max(NUMBER));
        match self.more {
            Some(more) => emitter.real_prim(Prim::Add, &[more, fixed]),
            None => fixed,
        }
    }
}

struct Estimator<'p> {
    emitter: Emitter<'p>,
    /// What the loop binds: it does not exist when the loop starts.
    bound: Inside,
    /// For arrays inside the loop, arrays from before it with the same sizes.
    arrays: FxHashMap<VarId, Atom>,
    /// For Ints inside the loop, upper bounds that are known before it, as Reals.
    numbers: FxHashMap<VarId, Atom>,
    under_way: FxHashSet<FuncId>,
    /// The bytes of each residual that is made inside the loop.
    residuals: FxHashMap<VarId, Bytes>,
}

impl Estimator<'_> {
    fn block(&mut self, block: &Block) -> Option<Bytes> {
        let mut sum = Bytes::of(0.0);
        for stmt in &block.stmts {
            let bytes = self.stmt(stmt)?;
            sum = sum.and(bytes, &mut self.emitter);
        }
        Some(sum)
    }

    fn blocks(&mut self, blocks: &[&Block]) -> Option<Bytes> {
        let mut sum = Bytes::of(NUMBER);
        for block in blocks {
            let bytes = self.block(block)?;
            sum = sum.and(bytes, &mut self.emitter);
        }
        Some(sum)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: &Stmt) -> Option<Bytes> {
        let saved = cost::saved(self.emitter.program, stmt) as f64;
        let inside = match &stmt.op {
            Op::Prim(prim, args) => {
                let is_int = self.emitter.program.vars[stmt.vars[0]].ty == Type::INT;
                if is_int {
                    self.int(stmt.vars[0], *prim, args);
                }
                Bytes::of(0.0)
            }
            Op::Dim(array, depth) => {
                if let Some(array) = self.array(*array) {
                    let op = Op::Dim(array, *depth);
                    let size = self.emitter.typed(vec![Type::INT], op)[0];
                    let size = self.emitter.real(size);
                    self.numbers.insert(stmt.vars[0], size);
                }
                Bytes::of(0.0)
            }
            Op::Loop(repeat) => {
                let LoopForm::For { index, count, .. } = repeat.form else { return None };
                let count = self.number(count)?;
                self.numbers.insert(index, count);
                for (state, first) in repeat.states.iter().zip(&repeat.init) {
                    if let Some(first) = self.array(*first) {
                        self.arrays.insert(*state, first);
                    }
                }
                self.block(&repeat.body)?.times(count, &mut self.emitter)
            }
            Op::Call(func, args) => self.call(*func, args)?,
            Op::Custom { rule, value_captured, args, .. } => {
                let value = self.emitter.program.rules[*rule].value();
                let args: Vec<Atom> = value_captured.iter().chain(args).copied().collect();
                self.call(value, &args)?
            }
            Op::Match(cases) => {
                let fields =
                    cases.arms.iter().map(|Arm { params, .. }| params.len()).sum::<usize>();
                let inside = self.blocks(&stmt.op.blocks())?;
                inside.and(Bytes::of(fields as f64 * NUMBER), &mut self.emitter)
            }
            Op::If(..) => self.blocks(&stmt.op.blocks())?,
            Op::Jvp(request, args, _) => {
                let once = self.call(self.emitter.program.requests[*request].func, args)?;
                once.and(once, &mut self.emitter)
            }
            Op::Linearize(request, args) => {
                let once = self.call(self.emitter.program.requests[*request].func, args)?;
                self.residuals.extend(stmt.vars.last().map(|residual| (*residual, once)));
                once
            }
            Op::Apply(_, residual, _) => *self.residuals.get(&residual.var()?)?,
            _ => Bytes::of(0.0),
        };
        Some(inside.and(Bytes::of(saved), &mut self.emitter))
    }

    fn call(&mut self, func: FuncId, args: &[Atom]) -> Option<Bytes> {
        if !self.under_way.insert(func) {
            return None;
        }
        let source = self.emitter.program.funcs[func].clone();
        self.bound.add(&source.params, &source.body);
        for (param, arg) in source.params.iter().zip(args) {
            let ty = self.emitter.program.vars[*param].ty;
            let number = if ty == Type::INT { self.number(*arg) } else { None };
            let array = if ty.is_array() { self.array(*arg) } else { None };
            // An earlier call may have given other arguments.
            self.numbers.remove(param);
            self.arrays.remove(param);
            self.numbers.extend(number.map(|number| (*param, number)));
            self.arrays.extend(array.map(|array| (*param, array)));
        }
        let bytes = self.block(&source.body);
        self.under_way.remove(&func);
        bytes
    }

    /// An array from before the loop with the sizes of this one.
    fn array(&self, atom: Atom) -> Option<Atom> {
        let var = atom.var()?;
        if self.bound.has(var) { self.arrays.get(&var).copied() } else { Some(atom) }
    }

    /// An upper bound of an Int, as a Real that is known before the loop.
    fn number(&mut self, atom: Atom) -> Option<Atom> {
        match atom.var() {
            Some(var) if self.bound.has(var) => self.numbers.get(&var).copied(),
            _ => Some(self.emitter.real(atom)),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn int(&mut self, out: VarId, prim: Prim, args: &[Atom]) {
        let prim = match prim {
            Prim::IntAdd => Prim::Add,
            Prim::IntSub => Prim::Sub,
            Prim::IntMul => Prim::Mul,
            Prim::IntMin => Prim::Min,
            Prim::IntMax => Prim::Max,
            _ => return,
        };
        let numbers: Option<Vec<Atom>> = args.iter().map(|arg| self.number(*arg)).collect();
        if let Some(numbers) = numbers {
            let number = self.emitter.real_prim(prim, &numbers);
            self.numbers.insert(out, number);
        }
    }
}

/// Makes statements one after the other.
pub(super) struct Emitter<'p> {
    pub program: &'p mut Program,
    pub stmts: Vec<Stmt>,
    span: Span,
}

impl<'p> Emitter<'p> {
    pub(super) fn new(program: &'p mut Program, span: Span) -> Self {
        Self { program, stmts: vec![], span }
    }

    /// The results of an operation, of these types.
    pub(super) fn typed(&mut self, types: Vec<Type>, op: Op) -> Vec<Atom> {
        let vars: Vec<VarId> = types.into_iter().map(|ty| self.program.fresh("t", ty)).collect();
        self.stmts.push(Stmt::new(vars.clone(), op, self.span));
        vars.into_iter().map(Atom::Var).collect()
    }

    /// The results of an operation, with the names and types of these variables.
    pub(super) fn like(&mut self, vars: &[VarId], op: Op) -> Vec<Atom> {
        let vars: Vec<VarId> = vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        self.stmts.push(Stmt::new(vars.clone(), op, self.span));
        vars.into_iter().map(Atom::Var).collect()
    }

    pub(super) fn prim(&mut self, name: &str, ty: Type, prim: Prim, args: &[Atom]) -> Atom {
        let var = self.program.fresh(name, ty);
        self.stmts.push(Stmt::new(vec![var], Op::Prim(prim, args.to_vec()), self.span));
        var.into()
    }

    pub(super) fn real_prim(&mut self, prim: Prim, args: &[Atom]) -> Atom {
        self.prim("bytes", Type::REAL, prim, args)
    }

    /// An Int as a Real.
    pub(super) fn real(&mut self, atom: Atom) -> Atom {
        match atom {
            Atom::Int(number) => Atom::Real(number as f64),
            Atom::Var(_) | Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => {
                self.real_prim(Prim::ToReal, &[atom])
            }
        }
    }

    /// A block with the results that `make` gives.
    pub(super) fn scoped(&mut self, make: impl FnOnce(&mut Self) -> Vec<Atom>) -> Block {
        let outer = std::mem::take(&mut self.stmts);
        let results = make(self);
        let stmts = std::mem::replace(&mut self.stmts, outer);
        Block { stmts, results }
    }

    /// The bytes of a whole value.
    fn whole(&mut self, ty: Type, value: Atom) -> Bytes {
        if !ty.is_array() {
            return Bytes::of(NUMBER);
        }
        let mut numbers = Atom::Real(NUMBER);
        for depth in 0..ty.rank {
            let size = self.typed(vec![Type::INT], Op::Dim(value, depth))[0];
            let size = self.real(size);
            numbers = self.real_prim(Prim::Mul, &[numbers, size]);
        }
        Bytes { fixed: REFERENCE, more: Some(numbers) }
    }
}
