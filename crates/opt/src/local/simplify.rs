//! Algebraic simplification, constant folding, and propagation of copies and known constructors.
//!
//! ```text
//! a = mul(x, 1.0)
//! b = Pair(a, y)
//! c = match b { Pair(p, q) => { yield p } }        b = Pair(x, y)
//! d = add(c, y)                               =>   d = add(x, y)
//! ```
//!
//! One walk in the order of the statements: each is rewritten by a law until none applies, and its operation is
//! remembered for what follows (`Def`). Inside a branch its condition is a known Bool, inside an arm the constructor
//! is known, and after a branch of which one side fails the condition is known as well.
//!
//! Law: each law is exact in every bit, and drops no failure. NaNs count as one, and a strong product with an absent
//! (co)tangent may give a zero of either sign. The laws stand in tables, one a line, in `scalar`, `array` and `data`;
//! those of branches and loops are in `branch`, `sign` and `repeat`.

mod array;
mod branch;
mod data;
mod repeat;
mod scalar;
mod sign;

use pullback_base::Id;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, bodies};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "simplify",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: true,
    runs_in_trial: true,
    about: "evaluates what is known, and replaces operations by cheaper ones",
    law: "x * 1 = x, match C(a) { C(x) => b } = b with a for x, and the like: each exact in every bit",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    let mut ctx = Simplify::of(program);
    let (mut touched, mut is_simpler) = (vec![], false);
    for func in ctx.program.funcs.ids() {
        let mut body = std::mem::take(&mut ctx.program.funcs[func].body);
        ctx.block(&mut body);
        ctx.program.funcs[func].body = body;
        let changed = std::mem::take(&mut ctx.changed);
        is_simpler |= changed;
        if std::mem::take(&mut ctx.resolved) || changed {
            touched.push(func);
        }
    }
    if is_simpler || touched.is_empty() { bodies(touched) } else { Changed::Ids }
}

/// What is known of a variable.
#[derive(Clone, Debug)]
enum Def {
    /// The operation, without blocks, that it is the result of. The operation is simplified.
    Op(Op),
    /// It is what a loop collects in so many iterations; whether nothing of that is a negative zero.
    Collected(Atom, bool),
}

/// What becomes of a statement.
enum New {
    /// Its variables stand for these atoms.
    Atoms(Vec<Atom>),
    /// It has another operation.
    Op(Op),
    /// These statements first, then its variables stand for these atoms.
    Stmts(Vec<Stmt>, Vec<Atom>),
}

impl New {
    /// The one variable stands for this atom.
    fn atom(atom: Atom) -> Option<Self> {
        Some(Self::Atoms(vec![atom]))
    }
    fn op(op: Op) -> Option<Self> {
        Some(Self::Op(op))
    }
}

pub(crate) struct Simplify<'p> {
    pub(crate) program: &'p mut Program,
    /// What stands for a variable.
    atoms: Vec<Option<Atom>>,
    defs: Vec<Option<Box<Def>>>,
    /// States of loops, and what these are in the end, that are 0 and not -0, or more, or NaN.
    unsigned: FxHashSet<VarId>,
    /// The Bools that are known because a branch that fails was not taken.
    passed: Vec<usize>,
    changed: bool,
    /// Whether an operand is another one, such as a Bool that is known in a branch.
    resolved: bool,
}

impl<'p> Simplify<'p> {
    /// Nothing is known of a program yet.
    pub(crate) fn of(program: &'p mut Program) -> Self {
        Self {
            atoms: vec![None; program.vars.len()],
            defs: vec![None; program.vars.len()],
            unsigned: FxHashSet::default(),
            passed: vec![],
            program,
            changed: false,
            resolved: false,
        }
    }

    /// Notes what a statement binds, for a caller that walks the program itself.
    pub(crate) fn know(&mut self, stmt: &Stmt) {
        self.reach();
        self.define(stmt);
    }

    /// Simplifies a block whose variables are new, or known from before.
    pub(crate) fn again(&mut self, block: &mut Block) {
        self.reach();
        self.block(block);
    }

    /// Makes room for variables that the program has got since.
    fn reach(&mut self) {
        self.atoms.resize(self.program.vars.len(), None);
        self.defs.resize(self.program.vars.len(), None);
    }
}

impl Simplify<'_> {
    fn block(&mut self, block: &mut Block) {
        let passed = self.passed.len();
        let mut todo: Vec<Stmt> = std::mem::take(&mut block.stmts);
        todo.reverse();
        let mut done = Vec::with_capacity(todo.len());
        while let Some(mut stmt) = todo.pop() {
            stmt.op.for_each_atom_mut(&mut |atom| self.resolved |= put(&self.atoms, atom));
            let mut new = self.law(&stmt);
            if new.is_none() && !stmt.op.blocks().is_empty() {
                self.inside(&mut stmt);
                new = self.law_of_blocks(&mut stmt);
            }
            match new {
                None => {
                    self.define(&stmt);
                    self.pass(&stmt);
                    done.push(stmt);
                    continue;
                }
                Some(New::Op(op)) => {
                    stmt.op = op;
                    todo.push(stmt);
                }
                Some(New::Atoms(atoms)) => self.replace(&stmt.vars, &atoms),
                Some(New::Stmts(stmts, atoms)) => {
                    let copies = stmt.vars.iter().zip(&atoms).rev();
                    todo.extend(copies.map(|(var, atom)| copy(*var, *atom, &stmt)));
                    todo.extend(stmts.into_iter().rev());
                }
            }
            self.changed = true;
        }
        block.stmts = done;
        block.results.iter_mut().for_each(|atom| self.resolved |= put(&self.atoms, atom));
        let passed = self.passed.split_off(passed);
        self.forget(passed);
    }

    fn replace(&mut self, vars: &[VarId], atoms: &[Atom]) {
        for (var, atom) in vars.iter().zip(atoms) {
            self.atoms[var.index()] = Some(*atom);
        }
    }

    /// What holds of the results of a statement that stays.
    fn define(&mut self, stmt: &Stmt) {
        if let Op::Loop(repeat) = &stmt.op {
            self.unsigned_states(stmt, repeat);
        }
        if let Op::Loop(Loop { form: LoopForm::For { count, .. }, states, body, .. }) = &stmt.op {
            for (var, result) in stmt.vars.iter().zip(&body.results).skip(states.len()) {
                let is_unsigned = self.has_no_negative_zero(*result);
                self.defs[var.index()] = Some(Box::new(Def::Collected(*count, is_unsigned)));
            }
        } else if let ([var], true) = (stmt.vars.as_slice(), stmt.op.blocks().is_empty()) {
            self.defs[var.index()] = Some(Box::new(Def::Op(stmt.op.clone())));
        }
    }

    /// The operation that an atom is the result of.
    pub(crate) fn def(&self, atom: Atom) -> Option<&Op> {
        match self.defs.get(atom.var()?.index())?.as_deref()? {
            Def::Op(op) => Some(op),
            Def::Collected(_, _) => None,
        }
    }

    /// Whether nothing looks at a value.
    fn is_undefined(&self, atom: Atom) -> bool {
        matches!(self.def(atom), Some(Op::Undef))
    }

    /// A new variable with the name and type of another.
    fn alike(&mut self, var: VarId) -> VarId {
        let var = self.program.fresh_like(var);
        self.atoms.push(None);
        self.defs.push(None);
        var
    }

    /// The law that applies to a statement whose blocks have not been looked at.
    fn law(&mut self, stmt: &Stmt) -> Option<New> {
        match &stmt.op {
            Op::Copy(a) => New::atom(*a),
            Op::Prim(prim, args) => self.scalar_law(*prim, args),
            Op::Select(cond, a, b) => self.select_law(*cond, *a, *b),
            Op::MulZero(t, x) => self.strong_law(*t, *x),
            Op::If(_, _, _) => self.if_law(stmt),
            Op::Match(_) => self.match_law(stmt),
            Op::Loop(form) => self.loop_law(stmt, form),
            Op::Array(_)
            | Op::Index(_, _)
            | Op::Update(_, _, _)
            | Op::Slice(_, _, _)
            | Op::Concat(_, _)
            | Op::Flatten(_)
            | Op::Dim(_, _)
            | Op::Sized(_, _, _)
            | Op::CheckSize(_, _, _, _) => self.array_law(stmt),
            Op::Sum(a) => self.sum_law(stmt, *a),
            Op::Zero(_) | Op::Plus(_, _) | Op::Unpack { .. } | Op::AddAcc(_, _, _) => {
                self.data_law(stmt)
            }
            Op::Undef
            | Op::Stop(_)
            | Op::Call(_, _)
            | Op::Argsort(_)
            | Op::Shape(_, _)
            | Op::Con(_, _)
            | Op::ToTangent(_, _, _)
            | Op::FromTangent(_, _)
            | Op::NewAcc(_)
            | Op::AtAcc(_, _)
            | Op::PartAcc(_, _, _)
            | Op::ReadAcc(_)
            | Op::Tell(_)
            | Op::CheckCount(_)
            | Op::Fail(_, _)
            | Op::Custom { .. }
            | Op::Jvp(_, _, _)
            | Op::Linearize(_, _)
            | Op::Apply(_, _, _) => None,
        }
    }

    /// Simplifies the blocks of a statement.
    fn inside(&mut self, stmt: &mut Stmt) {
        if let Op::If(cond, then, other) = &mut stmt.op {
            self.assuming(*cond, true, then);
            self.assuming(*cond, false, other);
        } else if let Op::Match(cases) = &mut stmt.op {
            for arm in &mut cases.arms {
                self.in_arm(cases.scrutinee, arm);
            }
            if let Some(default) = &mut cases.default {
                self.block(default);
            }
        } else {
            for block in stmt.op.blocks_mut() {
                self.block(block);
            }
        }
    }

    /// The law that applies to a statement whose blocks are simplified.
    fn law_of_blocks(&mut self, stmt: &mut Stmt) -> Option<New> {
        if matches!(stmt.op, Op::Loop(_)) {
            self.steady_states(stmt);
            self.collected_twice(stmt);
            None
        } else {
            let law = self.sign_law(stmt).or_else(|| self.choice_law(stmt));
            law.or_else(|| Self::guard_law(stmt)).or_else(|| self.equal_results(stmt))
        }
    }
}

/// What stands for an atom in the end.
fn resolve(atoms: &[Option<Atom>], mut atom: Atom) -> Atom {
    while let Atom::Var(var) = atom
        && let Some(Some(other)) = atoms.get(var.index())
    {
        atom = *other;
    }
    atom
}

/// Puts what stands for an atom in its place; whether that is another one.
fn put(atoms: &[Option<Atom>], atom: &mut Atom) -> bool {
    let stand_in = |var: VarId| atoms.get(var.index()).is_some_and(Option::is_some);
    let is_other = atom.var().is_some_and(stand_in);
    *atom = resolve(atoms, *atom);
    is_other
}

fn copy(var: VarId, atom: Atom, stmt: &Stmt) -> Stmt {
    Stmt::new(vec![var], Op::Copy(atom), stmt.span)
}
