//! Common-subexpression elimination (Cocke, 1970), by value numbering with a hash table of what is in scope.
//!
//! ```text
//! b = mul(x, y)          b = mul(x, y)
//! c = mul(y, x)     =>
//! d = exp(c)             d = exp(b)
//! ```
//!
//! Two computations are equal if they are the same up to the names of what they bind: so whole loops and branches are
//! shared as well. Operands of commutative primitives are put in one order first. The first computation must be in
//! scope where the second stands: the pass shares nothing between the two sides of a branch.
//!
//! Law: every value keeps its bits, and a failure stays where it happened first. What adds to an accumulator or tells
//! something (`debug`) is never shared, and neither are rules of users and requests for derivatives.
//! Cost: a computation with blocks gets a key only if another one has the same outline (`Outline`), so that a deep
//! nest does not cost the square of its size.

use std::mem::{Discriminant, discriminant};
use std::rc::Rc;

use pullback_ir::{Atom, Block, FuncId, LoopForm, Op, Program, Stmt, StrId, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use crate::pass::{Pass, Phase, Scope, each_body};
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::effects::touches_acc;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "cse",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: true,
    runs_in_trial: true,
    about: "computes once what is computed again where the first result is seen",
    law: "x = e, y = e: y = x",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let tells = analyses.tells(program);
    each_body(program, |program, body| shared(program, &tells, body, FxHashMap::default()))
}

/// Shares the equal computations of a block, after replacing variables by `atoms`; whether any variable has been
/// replaced.
pub(crate) fn shared(
    program: &Program,
    tells: &Tells,
    block: &mut Block,
    atoms: FxHashMap<VarId, Atom>,
) -> bool {
    let mut ctx = Cse {
        program,
        tells,
        outlines: Outlines::of(program, block),
        values: FxHashMap::default(),
        seen: vec![],
        atoms,
        key: vec![],
        own: FxHashMap::default(),
    };
    ctx.block(block);
    !ctx.atoms.is_empty()
}

/// What a computation is, without the names of what it binds, as a list.
type Key = Rc<[Piece]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Piece {
    Op(Discriminant<Op>),
    Prim(Prim),
    Func(FuncId),
    Type(Type),
    /// A tag, a dimension, the length of a list.
    Number(u64),
    /// A variable from outside.
    Var(VarId),
    /// A variable that the computation binds, by the order of binding.
    Own(u64),
    Real(u64),
    Int(i64),
    Bool(bool),
    Str(StrId),
}

/// A cheap hash of a computation with blocks: equal computations have the same outline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Outline {
    op: Discriminant<Op>,
    size: usize,
    types: Vec<Type>,
}

/// How many computations with blocks look the same at first: in a deep nest, where it would take the square of its size
/// to compare the others, hardly any do.
#[derive(Default)]
struct Outlines {
    counts: FxHashMap<Outline, usize>,
    /// The computations that have blocks and results, by the first result.
    known: FxHashMap<VarId, Outline>,
}

impl Outlines {
    /// Those of what is in a block.
    fn of(program: &Program, block: &Block) -> Self {
        let mut outlines = Self::default();
        outlines.block(program, block);
        outlines
    }

    /// Looks at a block. How many statements it has.
    fn block(&mut self, program: &Program, block: &Block) -> usize {
        let stmt = |stmt: &Stmt| {
            let blocks = stmt.op.blocks();
            if blocks.is_empty() {
                return 1;
            }
            let size = blocks.into_iter().map(|block| self.block(program, block)).sum();
            if let Some(first) = stmt.vars.first() {
                let types = stmt.vars.iter().map(|var| program.vars[*var].ty).collect();
                let outline = Outline { op: discriminant(&stmt.op), size, types };
                *self.counts.entry(outline.clone()).or_insert(0) += 1;
                self.known.insert(*first, outline);
            }
            1 + size
        };
        block.stmts.iter().map(stmt).sum()
    }

    /// Whether a computation is the only one that looks as it does.
    fn is_alone(&self, stmt: &Stmt) -> bool {
        let outline = stmt.vars.first().and_then(|first| self.known.get(first));
        outline.is_some_and(|outline| self.counts.get(outline) == Some(&1))
    }
}

struct Cse<'p> {
    program: &'p Program,
    tells: &'p Tells,
    outlines: Outlines,
    /// What stands for a variable that was computed again.
    atoms: FxHashMap<VarId, Atom>,
    /// The results of the computations that are in scope.
    values: FxHashMap<Key, Vec<VarId>>,
    /// The keys of `values`, innermost block last.
    seen: Vec<Key>,
    /// Room for what is to be compared: the list, and the numbers of what it binds.
    key: Vec<Piece>,
    own: FxHashMap<VarId, u64>,
}

impl Cse<'_> {
    fn block(&mut self, block: &mut Block) {
        let outside = self.seen.len();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.op.for_each_atom_mut(&mut |atom| self.replace(atom));
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
            if self.outlines.is_alone(&stmt) || !self.is_known(&stmt) {
                stmts.push(stmt);
            }
        }
        block.stmts = stmts;
        block.results.iter_mut().for_each(|atom| self.replace(atom));
        for key in self.seen.drain(outside..) {
            self.values.remove(&key);
        }
    }

    fn replace(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom
            && let Some(other) = self.atoms.get(var)
        {
            *atom = *other;
        }
    }

    /// Whether the same has been computed before, in scope; if not, this computation is known from now on.
    fn is_known(&mut self, stmt: &Stmt) -> bool {
        if !is_shareable(&stmt.op)
            || stmt.vars.is_empty()
            || touches_acc(self.program, &stmt.op)
            || self.tells.op(self.program, &stmt.op)
        {
            return false;
        }
        self.key.clear();
        self.own.clear();
        let mut writer = Writer { program: self.program, key: &mut self.key, own: &mut self.own };
        writer.stmt(stmt);
        if let Some(vars) = self.values.get(self.key.as_slice()) {
            let same = stmt.vars.iter().zip(vars);
            self.atoms.extend(same.map(|(var, other)| (*var, Atom::Var(*other))));
            return true;
        }
        let key: Key = self.key.as_slice().into();
        self.values.insert(Rc::clone(&key), stmt.vars.clone());
        self.seen.push(key);
        false
    }
}

/// Whether an operation computes anything, and always the same.
fn is_shareable(op: &Op) -> bool {
    !matches!(
        op,
        Op::Copy(_)
            | Op::Undef
            | Op::Fail(_, _)
            | Op::Custom { .. }
            | Op::Jvp(_, _, _)
            | Op::Linearize(_, _)
            | Op::Apply(_, _, _)
    )
}

struct Writer<'p> {
    program: &'p Program,
    key: &'p mut Vec<Piece>,
    /// The numbers of what the computation binds.
    own: &'p mut FxHashMap<VarId, u64>,
}

impl Writer<'_> {
    fn number(&mut self, number: usize) {
        self.key.push(Piece::Number(number as u64));
    }

    fn bind(&mut self, vars: &[VarId]) {
        self.number(vars.len());
        for var in vars {
            let number = self.own.len() as u64;
            self.own.insert(*var, number);
            self.key.push(Piece::Type(self.program.vars[*var].ty));
        }
    }

    fn atom(&self, atom: Atom) -> Piece {
        match atom {
            Atom::Var(var) => match self.own.get(&var) {
                Some(number) => Piece::Own(*number),
                None => Piece::Var(var),
            },
            Atom::Real(x) => Piece::Real(x.to_bits()),
            Atom::Int(n) => Piece::Int(n),
            Atom::Bool(p) => Piece::Bool(p),
            Atom::Str(text) => Piece::Str(text),
        }
    }

    fn block(&mut self, block: &Block) {
        self.number(block.stmts.len());
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.number(block.results.len());
        for result in &block.results {
            self.key.push(self.atom(*result));
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let op = &stmt.op;
        self.key.push(Piece::Op(discriminant(op)));
        let mut atoms = vec![];
        op.for_each_atom(&mut |atom| atoms.push(self.atom(atom)));
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "only these are more than their operands"
        )]
        match op {
            Op::Prim(prim, args) => {
                self.key.push(Piece::Prim(*prim));
                if prim.is_commutative() && rank(args[0]) > rank(args[1]) {
                    atoms.reverse();
                }
            }
            Op::Fail(prim, _) => self.key.push(Piece::Prim(*prim)),
            Op::Call(func, _) => self.key.push(Piece::Func(*func)),
            Op::Dim(_, k) | Op::Shape(_, k) | Op::Sized(_, k, _) | Op::CheckSize(_, k, _, _) => {
                self.number((*k).into());
            }
            Op::ToTangent(role, _, _) => self.number(*role as usize),
            Op::Con(tag, _) | Op::Unpack { tag, .. } => self.number(*tag as usize),
            Op::Custom { rule, .. } => self.number(pullback_base::Id::index(*rule)),
            Op::Jvp(request, _, _) | Op::Linearize(request, _) | Op::Apply(request, _, _) => {
                self.number(pullback_base::Id::index(*request));
            }
            _ => {}
        }
        self.number(atoms.len());
        self.key.append(&mut atoms);
        self.blocks(op);
        self.bind(&stmt.vars);
    }

    fn blocks(&mut self, op: &Op) {
        if let Op::Match(cases) = op {
            for arm in &cases.arms {
                self.number(arm.tag as usize);
                self.bind(&arm.params);
                self.block(&arm.block);
            }
            self.number(cases.default.iter().len());
            cases.default.iter().for_each(|block| self.block(block));
            return;
        }
        if let Op::Loop(form) = op {
            let (kind, index) = match &form.form {
                LoopForm::For { index, down: false, .. } => (0, Some(*index)),
                LoopForm::For { index, down: true, .. } => (1, Some(*index)),
                LoopForm::While(_) => (2, None),
            };
            self.number(kind);
            self.bind(index.as_slice());
            self.bind(&form.states);
        }
        op.blocks().into_iter().for_each(|block| self.block(block));
    }
}

/// An arbitrary total order of operands.
fn rank(atom: Atom) -> (u8, u64) {
    match atom {
        Atom::Var(var) => (0, var.0.into()),
        Atom::Real(x) => (1, x.to_bits()),
        Atom::Int(n) => (2, n as u64),
        Atom::Bool(p) => (3, p.into()),
        Atom::Str(text) => (4, text.0.into()),
    }
}
