//! Transposition of a linear part: structural, without rules of primitives.
//!
//! ```text
//! x_dot = a_dot[i]                       x_bar = mul(y_bar, p)
//! y_dot = mul(x_dot, p)            =>    a_acc[i] += x_bar
//! ```
//!
//! Type: `(residuals, T S) -> T T` becomes `(residuals, T T) -> T S`.
//! Law: `⟨u, L v⟩ = ⟨Lᵀ u, v⟩`, by construction: each linear statement has one transpose, and they come in the
//! opposite order (*Working notes on automatic differentiation*, section 2.3; *You Only Linearize Once*, POPL 2023).
//! Cost: as that of the linear part. A scalar used in several places gets a sum. An array that is read becomes an
//! accumulator, so that reading an element costs one addition and not an array of zeros. A part of it that is read
//! becomes a part of that accumulator. An array that a function only reads becomes an accumulator that the function
//! is given, through recursion too. An array that is passed on (a loop's state, with an element replaced) has its
//! cotangent passed on, in place. A loop with states runs backwards.
//!
//! A cotangent that some path does not reach is *absent* there, and its products are strong, as in `jvp`. Where a
//! Bool says which path was taken they are products on one and 0 on the other: a number 0 that reached a partial
//! derivative which is NaN gives NaN.

use crate::beside::Beside;
use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Block, Elem, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use crate::name::NAME;
use crate::state::Ad;
use crate::uses::{Part, Uses};

/// Whether a cotangent is present: whether the path that is taken reaches it. Where it is absent, a zero stands for
/// it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Presence {
    /// Every path reaches it.
    Always,
    /// The path reaches it if this Bool holds.
    If(Atom),
    /// That is not known.
    Perhaps,
}

impl Presence {
    /// The presence of a sum.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (a, b) if a == b => a,
            (Self::If(_) | Self::Perhaps, Self::If(_) | Self::Perhaps) => Self::Perhaps,
        }
    }
}

/// A cotangent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    /// A value, and whether it is reached.
    Value(Atom, Presence),
    /// An accumulator.
    Acc(Atom),
}

pub(crate) struct Transpose<'a> {
    pub(crate) ad: &'a mut Ad,
    pub(crate) uses: Uses,
    /// The value that a tangent belongs to.
    primals: &'a FxHashMap<VarId, Atom>,
    /// The cotangents of tangents, as far as they are known.
    pub(crate) bars: FxHashMap<VarId, Bar>,
    /// Sizes of values that have to be computed beside the values: after which variable, as which variable, by which
    /// operation.
    pub(crate) beside: Vec<Beside>,
    stmts: Vec<Stmt>,
    pub(crate) span: Span,
}

impl<'a> Transpose<'a> {
    pub(crate) fn new(ad: &'a mut Ad, uses: Uses, primals: &'a FxHashMap<VarId, Atom>) -> Self {
        let (bars, beside, stmts) = (FxHashMap::default(), vec![], vec![]);
        Self { ad, uses, primals, bars, beside, stmts, span: Span::NONE }
    }

    pub(crate) fn program(&mut self) -> &mut Program {
        &mut self.ad.program
    }

    pub(crate) fn push(&mut self, vars: Vec<VarId>, op: Op) {
        self.stmts.push(Stmt::new(vars, op, self.span));
    }

    pub(crate) fn emit(&mut self, name: &str, ty: Type, op: Op) -> Atom {
        let var = self.program().fresh(name, ty);
        self.push(vec![var], op);
        Atom::Var(var)
    }

    fn is_linear(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.ad.program.vars[var].linear)
    }

    fn ty(&self, var: VarId) -> Type {
        self.ad.program.vars[var].ty
    }

    /// The block that `make` makes.
    pub(crate) fn scoped(&mut self, make: impl FnOnce(&mut Self) -> Vec<Atom>) -> Block {
        let outer = std::mem::take(&mut self.stmts);
        let results = make(self);
        let stmts = std::mem::replace(&mut self.stmts, outer);
        Block { stmts, results }
    }

    /// Adds the transposes of a block's statements, given the cotangents of its results.
    pub(crate) fn block(&mut self, block: &Block, bars: Vec<Option<(Atom, Presence)>>) {
        for (result, bar) in block.results.iter().zip(bars) {
            if let Some((bar, presence)) = bar {
                self.add(*result, bar, presence);
            }
        }
        for stmt in block.stmts.iter().rev() {
            self.span = stmt.span;
            self.stmt(stmt);
        }
    }

    /// Adds to the cotangent of a tangent.
    pub(crate) fn add(&mut self, dot: Atom, bar: Atom, presence: Presence) {
        let Atom::Var(var) = dot else { return };
        if !self.is_linear(dot) {
            bug(NAME, format_args!("`{}` to be a tangent", self.ad.program.vars[var].name));
        }
        if self.uses.accumulates(var) {
            match self.bars.get(&var) {
                None if !self.uses.is_part(var) => {
                    // The first contribution starts the accumulator.
                    let ty = self.ty(var).acc();
                    let acc = self.emit("acc", ty, Op::NewAcc(bar));
                    self.bars.insert(var, Bar::Acc(acc));
                }
                _ => {
                    let acc = self.acc(var);
                    self.push(vec![], Op::AddAcc(acc, vec![], bar));
                }
            }
            return;
        }
        let bar = match self.bars.get(&var).copied() {
            None => Bar::Value(bar, presence),
            Some(Bar::Value(other, before)) => {
                let ty = self.ty(var);
                let op = if ty == Type::REAL {
                    Op::Prim(Prim::Add, vec![other, bar])
                } else {
                    Op::Plus(other, bar)
                };
                Bar::Value(self.emit("bar", ty, op), before.or(presence))
            }
            Some(Bar::Acc(acc)) => {
                self.push(vec![], Op::AddAcc(acc, vec![], bar));
                Bar::Acc(acc)
            }
        };
        self.bars.insert(var, bar);
    }

    /// The accumulator of a tangent's cotangent.
    pub(crate) fn acc(&mut self, var: VarId) -> Atom {
        let ty = self.ty(var).acc();
        let acc = match self.bars.get(&var).copied() {
            Some(Bar::Acc(acc)) => return acc,
            Some(Bar::Value(bar, _)) => self.emit("acc", ty, Op::NewAcc(bar)),
            None => match self.uses.part(var) {
                Some(Part::At(base, at)) => {
                    let base = self.acc(base);
                    self.emit("acc", ty, Op::AtAcc(base, at))
                }
                Some(Part::Range(base, lo, hi)) => {
                    let base = self.acc(base);
                    self.emit("acc", ty, Op::PartAcc(base, lo, hi))
                }
                None => {
                    let zero = self.zero(var);
                    self.emit("acc", ty, Op::NewAcc(zero))
                }
            },
        };
        self.bars.insert(var, Bar::Acc(acc));
        acc
    }

    /// Takes the cotangent of a tangent at the statement that binds it: nothing contributes to it any more.
    pub(crate) fn take(&mut self, var: VarId) -> Option<(Atom, Presence)> {
        match self.bars.remove(&var)? {
            Bar::Value(bar, presence) => Some((bar, presence)),
            // What a part of an accumulator got is in the whole already.
            Bar::Acc(_) if self.uses.is_part(var) => None,
            Bar::Acc(acc) => {
                let ty = self.ty(var);
                Some((self.emit("bar", ty, Op::ReadAcc(acc)), Presence::Perhaps))
            }
        }
    }

    /// As [`Transpose::take`], with a zero where nothing has contributed.
    pub(crate) fn take_or_zero(&mut self, var: VarId) -> (Atom, Presence) {
        match self.take(var) {
            Some(bar) => bar,
            None => (self.zero(var), Presence::Perhaps),
        }
    }

    /// The zero of the shape of a tangent.
    pub(crate) fn zero(&mut self, var: VarId) -> Atom {
        let ty = self.ty(var).value();
        match (ty.elem, ty.rank) {
            (Elem::Real, 0) => Atom::Real(0.0),
            (Elem::Data(data), 0) => {
                let tag = self.ad.program.zero_tag(data);
                self.emit("zero", ty, Op::Con(tag, vec![]))
            }
            (..) => {
                let shape = self.shape_of(var);
                self.emit("zero", ty, Op::Zero(shape))
            }
        }
    }

    /// The sizes of a tangent, from those of its value.
    fn shape_of(&mut self, var: VarId) -> Atom {
        let rank = self.ty(var).rank;
        let Some(Atom::Var(primal)) = self.primals.get(&var).copied() else {
            bug(NAME, "an array of tangents to belong to an array")
        };
        self.size_op(
            primal,
            Type::scalar(Elem::Unit).with_rank(rank),
            Op::Shape(primal.into(), rank),
        )
    }

    /// The sizes of a value.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn shape_like(&mut self, primal: Atom) -> Atom {
        let ty = self.ad.program.type_of(primal);
        match primal {
            Atom::Var(var) if ty.is_array() => {
                let unit = Type::scalar(Elem::Unit).with_rank(ty.rank);
                self.size_op(var, unit, Op::Shape(primal, ty.rank))
            }
            _ => Atom::Real(0.0),
        }
    }

    fn dim(&mut self, var: VarId, depth: u8) -> Atom {
        let Some(Atom::Var(primal)) = self.primals.get(&var).copied() else {
            bug(NAME, "an array of tangents to belong to an array")
        };
        self.size_op(primal, Type::INT, Op::Dim(primal.into(), depth))
    }

    /// The result of an operation on the sizes of a value, computed beside it, so that the value need not be saved.
    fn size_op(&mut self, primal: VarId, ty: Type, op: Op) -> Atom {
        let key = format!("{op:?}");
        let known =
            self.beside.iter().find(|(at, _, known)| *at == primal && format!("{known:?}") == key);
        if let Some((_, var, _)) = known {
            return Atom::Var(*var);
        }
        let var = self.program().fresh("size", ty);
        self.beside.push((primal, var, op));
        Atom::Var(var)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.op {
            Op::If(cond, then, other) => self.conditional(stmt, &[then, other], |blocks| {
                let [then, other] =
                    <[Block; 2]>::try_from(blocks).unwrap_or_else(|_| bug(NAME, "two branches"));
                Op::If(*cond, then, other)
            }),
            Op::Match(cases) => {
                let blocks = stmt.op.blocks();
                self.conditional(stmt, &blocks, |blocks| {
                    let mut blocks = blocks.into_iter();
                    let arms = cases.arms.iter().map(|arm| Arm {
                        tag: arm.tag,
                        params: arm.params.clone(),
                        block: blocks.next().unwrap_or_default(),
                    });
                    let arms = arms.collect();
                    Op::Match(Match { scrutinee: cases.scrutinee, arms, default: blocks.next() })
                });
            }
            Op::Loop(repeat) => self.loop_(stmt, repeat),
            Op::Call(func, args) => self.call(&stmt.vars, *func, args),
            Op::Custom { rule, rule_captured, args, .. } => {
                self.rule(&stmt.vars, *rule, rule_captured, args);
            }
            Op::Unpack { tangent, tag, like } => self.unpack(&stmt.vars, *tangent, *tag, like),
            Op::NewAcc(init) => {
                // The cotangent of the accumulated value goes to what it started from.
                if let Some(bar) = self.bars.remove(&stmt.vars[0])
                    && let Bar::Value(bar, presence) = bar
                {
                    self.add(*init, bar, presence);
                }
            }
            Op::ReadAcc(Atom::Var(acc)) => {
                if let Some((bar, presence)) = self.take(stmt.vars[0]) {
                    self.bars.insert(*acc, Bar::Value(bar, presence));
                }
            }
            Op::AddAcc(Atom::Var(acc), at, value) => {
                if let Some((bar, presence)) = self.part_of_bar(*acc) {
                    let ty = self.ad.program.type_of(*value);
                    let part = if at.is_empty() {
                        bar
                    } else {
                        self.emit("bar", ty, Op::Index(bar, at.clone()))
                    };
                    self.add(*value, part, presence);
                }
            }
            // Cotangents of parts of an accumulator are parts of that of the whole.
            Op::AtAcc(..) | Op::PartAcc(..) => {}
            op => {
                if let Some((bar, presence)) = self.take(stmt.vars[0]) {
                    self.simple(stmt.vars[0], op, bar, presence);
                }
            }
        }
    }

    /// The cotangent of what a linear accumulator, or a part of one, accumulates.
    fn part_of_bar(&mut self, acc: VarId) -> Option<(Atom, Presence)> {
        if let Some(Bar::Value(bar, presence)) = self.bars.get(&acc) {
            return Some((*bar, *presence));
        }
        let ty = self.ty(acc).value();
        match self.uses.part(acc)? {
            Part::At(base, at) => {
                let (bar, presence) = self.part_of_bar(base)?;
                Some((self.emit("bar", ty, Op::Index(bar, at)), presence))
            }
            Part::Range(base, lo, hi) => {
                let (bar, presence) = self.part_of_bar(base)?;
                Some((self.emit("bar", ty, Op::Slice(bar, lo, hi)), presence))
            }
        }
    }

    /// An operation with one result and no blocks.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn simple(&mut self, out: VarId, op: &Op, bar: Atom, presence: Presence) {
        match op {
            Op::Copy(a) | Op::Sized(a, _, _) => self.add(*a, bar, presence),
            Op::Plus(a, b) => {
                self.add(*a, bar, presence);
                self.add(*b, bar, presence);
            }
            Op::Prim(prim, args) => self.prim(*prim, args, bar, presence),
            Op::MulZero(a, b) => {
                if self.is_linear(*a) {
                    self.product(*a, bar, *b, presence);
                } else {
                    // The first factor, a value, may be absent itself.
                    let part = self.emit("bar", Type::REAL, Op::MulZero(*a, bar));
                    self.add(*b, part, Presence::Perhaps);
                }
            }
            Op::Select(cond, a, b) => {
                for (dot, is_first) in [(*a, true), (*b, false)] {
                    if self.is_linear(dot) {
                        let zero = self.zero(out);
                        let (first, second) = if is_first { (bar, zero) } else { (zero, bar) };
                        let ty = self.ty(out);
                        let part = self.emit("bar", ty, Op::Select(*cond, first, second));
                        self.add(dot, part, Presence::Perhaps);
                    }
                }
            }
            Op::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    if self.is_linear(*item) {
                        let ty = self.ad.program.type_of(*item);
                        let at = Atom::Int(i64::try_from(at).unwrap_or(i64::MAX));
                        let part = self.emit("bar", ty, Op::Index(bar, vec![at]));
                        self.add(*item, part, presence);
                    }
                }
            }
            Op::Index(Atom::Var(a), at) => {
                let acc = self.acc(*a);
                self.push(vec![], Op::AddAcc(acc, at.clone(), bar));
            }
            Op::Slice(Atom::Var(a), lo, hi) => {
                let ty = self.ty(*a).acc();
                let acc = self.acc(*a);
                let part = self.emit("acc", ty, Op::PartAcc(acc, *lo, *hi));
                self.push(vec![], Op::AddAcc(part, vec![], bar));
            }
            Op::Update(a, at, v) => {
                let ty = self.ad.program.type_of(*v);
                let part = self.emit("bar", ty, Op::Index(bar, at.clone()));
                let zero = match *v {
                    Atom::Var(var) => self.zero(var),
                    _ => Atom::Real(0.0),
                };
                self.add(*v, part, presence);
                if self.is_linear(*a) {
                    let ty = self.ty(out);
                    let rest = self.emit("bar", ty, Op::Update(bar, at.clone(), zero));
                    self.add(*a, rest, Presence::Perhaps);
                }
            }
            Op::Concat(Atom::Var(a), Atom::Var(b)) => {
                let ty = self.ty(out);
                let (n, m) = (self.dim(*a, 0), self.dim(*b, 0));
                let end = self.emit("n", Type::INT, Op::Prim(Prim::IntAdd, vec![n, m]));
                let first = self.emit("bar", ty, Op::Slice(bar, Atom::Int(0), n));
                let second = self.emit("bar", ty, Op::Slice(bar, n, end));
                self.add((*a).into(), first, presence);
                self.add((*b).into(), second, presence);
            }
            Op::Flatten(Atom::Var(a)) => self.flatten(*a, bar),
            Op::Sum(Atom::Var(a)) => self.total(*a, bar, presence),
            Op::Con(tag, fields) => self.con(out, *tag, fields, bar),
            Op::Zero(_) | Op::Undef => {}
            op => bug(NAME, format_args!("a linear operation, not {op:?}")),
        }
    }

    fn prim(&mut self, prim: Prim, args: &[Atom], bar: Atom, presence: Presence) {
        match (prim, args) {
            (Prim::Add, [a, b]) => {
                self.add(*a, bar, presence);
                self.add(*b, bar, presence);
            }
            (Prim::Neg, [a]) => {
                let part = self.emit("bar", Type::REAL, Op::Prim(Prim::Neg, vec![bar]));
                self.add(*a, part, presence);
            }
            (Prim::Mul, [a, b]) => {
                let (dot, factor) = if self.is_linear(*a) { (*a, *b) } else { (*b, *a) };
                self.product(dot, bar, factor, presence);
            }
            _ => bug(NAME, format_args!("a linear primitive, not {prim:?}")),
        }
    }

    /// Transposes `sum`: the cotangent of the sum goes to every element.
    fn total(&mut self, a: VarId, bar: Atom, presence: Presence) {
        let count = self.dim(a, 0);
        let index = self.program().fresh("i", Type::INT);
        let form = LoopForm::For { index, count, down: false };
        let collects = !self.bars.contains_key(&a) && !self.uses.is_part(a);
        if collects {
            let body = Block { stmts: vec![], results: vec![bar] };
            let op = Op::Loop(Loop { form, states: vec![], init: vec![], body });
            let ty = self.ty(a);
            let all = self.emit("bar", ty, op);
            self.add(a.into(), all, presence);
        } else {
            let acc = self.acc(a);
            let body = self.scoped(|ctx| {
                ctx.push(vec![], Op::AddAcc(acc, vec![index.into()], bar));
                vec![]
            });
            self.push(vec![], Op::Loop(Loop { form, states: vec![], init: vec![], body }));
        }
    }

    /// Transposes `flatten`: the rows of the flattened array are ranges of it.
    fn flatten(&mut self, a: VarId, bar: Atom) {
        let (rows, size) = (self.dim(a, 0), self.dim(a, 1));
        let acc = self.acc(a);
        let index = self.program().fresh("i", Type::INT);
        let ty = self.ty(a);
        let row_type = ty.with_rank(ty.rank - 1);
        let body = self.scoped(|ctx| {
            let lo = ctx.emit("lo", Type::INT, Op::Prim(Prim::IntMul, vec![index.into(), size]));
            let hi = ctx.emit("hi", Type::INT, Op::Prim(Prim::IntAdd, vec![lo, size]));
            let row = ctx.emit("row", row_type, Op::Slice(bar, lo, hi));
            ctx.push(vec![], Op::AddAcc(acc, vec![index.into()], row));
            vec![]
        });
        let form = LoopForm::For { index, count: rows, down: false };
        self.push(vec![], Op::Loop(Loop { form, states: vec![], init: vec![], body }));
    }

    fn con(&mut self, out: VarId, tag: u32, fields: &[Atom], bar: Atom) {
        if fields.is_empty() {
            return;
        }
        let Elem::Data(data) = self.ty(out).elem else { bug(NAME, "a data tangent") };
        let types = self.ad.program.constructors(data)[tag as usize].fields.clone();
        let mut like = vec![];
        for field in fields {
            let primal = field.var().and_then(|var| self.primals.get(&var).copied());
            like.push(primal.map_or(Atom::Real(0.0), |primal| self.shape_like(primal)));
        }
        let vars: Vec<VarId> = types.iter().map(|ty| self.program().fresh("bar", *ty)).collect();
        self.push(vars.clone(), Op::Unpack { tangent: bar, tag, like });
        for (field, var) in fields.iter().zip(vars) {
            self.add(*field, var.into(), Presence::Perhaps);
        }
    }

    fn unpack(&mut self, vars: &[VarId], tangent: Atom, tag: u32, like: &[Atom]) {
        let bars: Vec<Option<(Atom, Presence)>> = vars.iter().map(|var| self.take(*var)).collect();
        if bars.iter().all(Option::is_none) {
            return;
        }
        let mut fields = vec![];
        for ((var, bar), like) in vars.iter().zip(bars).zip(like) {
            let field = match bar {
                Some((bar, _)) => bar,
                None if self.ty(*var).is_array() => {
                    let shape = self.shape_like(*like);
                    let ty = self.ty(*var);
                    self.emit("zero", ty, Op::Zero(shape))
                }
                None => self.zero(*var),
            };
            fields.push(field);
        }
        let ty = self.ad.program.type_of(tangent);
        let bar = self.emit("bar", ty, Op::Con(tag, fields));
        self.add(tangent, bar, Presence::Perhaps);
    }

    /// Adds a cotangent times a number to that of `dot`.
    fn product(&mut self, dot: Atom, bar: Atom, factor: Atom, presence: Presence) {
        let op = match presence {
            Presence::Always => Op::Prim(Prim::Mul, vec![bar, factor]),
            Presence::If(is_reached) => {
                let op = Op::Prim(Prim::Mul, vec![bar, factor]);
                let part = self.emit("bar", Type::REAL, op);
                Op::Select(is_reached, part, Atom::Real(0.0))
            }
            Presence::Perhaps => Op::MulZero(bar, factor),
        };
        let part = self.emit("bar", Type::REAL, op);
        self.add(dot, part, presence);
    }
}
