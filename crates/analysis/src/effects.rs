//! Effect analysis: whether an operation may fail, tell something, or touch an accumulator, beside giving values.
//!
//! Input: a program. Output: [`Effects`] of its functions and statements: the least solution over the call graph, with
//! what [`crate::facts`] proves of statements.
//!
//! ```text
//! e.4: f64 = x.0[i.3]                       may fail, unless facts prove that `i.3` is inside `x.0`
//! y.5: f64 = @f.1(e.4)                      may fail if something in `@f.1` may
//! t.6: f64 = mul(e.4, 2.0)                  may not fail, and may move
//! ```
//!
//! Law: what is said not to fail does not fail, where it stands, or inside so many loops as [`Effects::needs_inside`]
//! says. That an operation may not end, or take more memory than there is, is none of its effects.

pub mod debug;

use std::rc::Rc;

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, FuncId, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::FxHashSet;

use self::debug::Tells;
use crate::call_graph::{above, runs};
use crate::facts::{Facts, FuncFacts};

/// Which functions may fail, and which tell something.
pub struct Effects {
    /// Which functions tell something.
    pub tells: Rc<Tells>,
    may_fail: IdVec<FuncId, bool>,
    facts: Facts,
}

/// The effects of the statements of a function.
#[derive(Clone, Copy)]
pub struct FuncEffects<'e> {
    /// Those of functions.
    whole: &'e Effects,
    facts: &'e FuncFacts,
}

impl Effects {
    /// The effects of a program's functions.
    pub fn of(program: &mut Program) -> Self {
        let facts = Facts::of(program);
        Self::by(program, facts, Rc::new(Tells::of(program)))
    }

    /// The effects of a program's functions by what is known of it: the least solution.
    pub(crate) fn by(program: &Program, facts: Facts, tells: Rc<Tells>) -> Self {
        let may_fail = program.funcs.ids().map(|_| false).collect();
        let mut effects = Self { tells, may_fail, facts };
        let fails = |func: &FuncId| {
            let (own, mut fails) = (effects.func(*func), false);
            program.funcs[*func].body.visit(&mut |stmt| fails |= own.fails_itself(program, stmt));
            fails
        };
        // What goes by a rule fails itself, so that calls are all edges.
        let failing: Vec<FuncId> = program.funcs.ids().filter(fails).collect();
        effects.may_fail = above(program, |block| runs(program, block), failing);
        effects
    }

    /// The effects of the statements of a function.
    pub fn func(&self, func: FuncId) -> FuncEffects<'_> {
        FuncEffects { whole: self, facts: self.facts.func(func) }
    }
}

impl FuncEffects<'_> {
    /// Whether an operation tells something, or one inside it.
    pub fn tells(self, program: &Program, op: &Op) -> bool {
        self.whole.tells.op(program, op)
    }

    /// Whether an operation in a block tells something.
    pub fn tells_in(self, program: &Program, block: &Block) -> bool {
        self.whole.tells.block(program, block)
    }

    /// Whether a statement computes an Int and cannot fail, whichever branches are taken.
    pub fn computes_int(self, program: &Program, stmt: &Stmt) -> bool {
        let is_int = |atom: &Atom| program.type_of(*atom) == Type::INT;
        let is_free =
            || !self.seems_to_fail(program, stmt) || self.facts.anywhere.contains(&stmt.id);
        matches!(&stmt.op, Op::Prim(_, args) if args.iter().all(is_int) && is_free())
            && stmt.vars.iter().all(|var| program.vars[*var].ty == Type::INT)
    }

    /// Whether a statement may fail, those inside it left out.
    pub fn fails_itself(self, program: &Program, stmt: &Stmt) -> bool {
        !self.facts.is_proven(stmt) && self.seems_to_fail(program, stmt)
    }

    /// Whether a statement neither fails nor tells anything, those inside it left out: others may pass it.
    pub fn is_calm(self, program: &Program, stmt: &Stmt) -> bool {
        !self.fails_itself(program, stmt) && !self.tells(program, &stmt.op)
    }

    /// Whether neither a statement nor anything inside it fails or tells anything.
    pub fn is_calm_throughout(self, program: &Program, stmt: &Stmt) -> bool {
        let is_calm = |inner: &Stmt| self.is_calm_throughout(program, inner);
        self.is_calm(program, stmt)
            && stmt.op.blocks().into_iter().all(|block| block.stmts.iter().all(is_calm))
    }

    /// Whether a statement may fail before the loops around it.
    pub fn fails_outside(self, program: &Program, stmt: &Stmt) -> bool {
        self.needs_inside(program, stmt) > 0
    }

    /// Inside how many loops of its function a statement surely has a value: 0 if it has one anywhere, and
    /// [`usize::MAX`] if it may fail.
    pub fn needs_inside(self, program: &Program, stmt: &Stmt) -> usize {
        let may_fail = self.fails_itself(program, stmt);
        if may_fail { usize::MAX } else { self.facts.inside.get(&stmt.id).copied().unwrap_or(0) }
    }

    fn seems_to_fail(self, program: &Program, stmt: &Stmt) -> bool {
        match &stmt.op {
            Op::Prim(prim, _) => !prim.row().is_pure(),
            Op::Call(func, _) => self.whole.may_fail[*func],
            // The count of what is collected must not be negative, and its rows must be of one size.
            Op::Loop(form) => {
                let collected = &stmt.vars[form.states.len()..];
                let has_count = match form.form {
                    LoopForm::For { count: Atom::Int(count), .. } => count < 0,
                    LoopForm::For { .. } => true,
                    LoopForm::While(_) => false,
                };
                let has_rows = collected.iter().any(|var| program.vars[*var].ty.rank > 1);
                !collected.is_empty() && (has_count || has_rows)
            }
            Op::Array(items) => {
                items.len() > 1 && stmt.vars.iter().any(|var| program.vars[*var].ty.rank > 1)
            }
            Op::Concat(a, _) => program.type_of(*a).rank > 1,
            Op::Index(_, at) | Op::AddAcc(_, at, _) | Op::AtAcc(_, at) => !at.is_empty(),
            Op::Update(_, _, _)
            | Op::Slice(_, _, _)
            | Op::CheckSize(_, _, _, _)
            | Op::CheckCount(_)
            | Op::ToTangent(_, _, _)
            | Op::PartAcc(_, _, _)
            | Op::Fail(_, _)
            | Op::Custom { .. }
            | Op::Jvp(_, _, _)
            | Op::Linearize(_, _)
            | Op::Apply(_, _, _) => true,
            Op::Copy(_)
            | Op::Tell(_)
            | Op::Undef
            | Op::Select(_, _, _)
            | Op::MulZero(_, _)
            | Op::Stop(_)
            | Op::If(_, _, _)
            | Op::Match(_)
            | Op::Flatten(_)
            | Op::Dim(_, _)
            | Op::Sized(_, _, _)
            | Op::Sum(_)
            | Op::Argsort(_)
            | Op::Shape(_, _)
            | Op::Con(_, _)
            | Op::Zero(_)
            | Op::Plus(_, _)
            | Op::Unpack { .. }
            | Op::FromTangent(_, _)
            | Op::NewAcc(_)
            | Op::ReadAcc(_) => false,
        }
    }
}

/// Whether an operation makes, writes or reads an accumulator that is seen outside of it: then it stays
/// where it is.
pub fn touches_acc(program: &Program, op: &Op) -> bool {
    let is_acc = |var: VarId| program.vars[var].ty.is_acc;
    let mut touches = matches!(op, Op::NewAcc(_));
    op.for_each_atom(&mut |atom| touches |= atom.var().is_some_and(is_acc));
    if touches || op.blocks().is_empty() {
        return touches;
    }
    let mut named: FxHashSet<VarId> = FxHashSet::default();
    for block in op.blocks() {
        block.visit_atoms(&mut |atom| named.extend(atom.var().filter(|var| is_acc(*var))));
    }
    if !named.is_empty() {
        for block in op.blocks() {
            block.visit(&mut |stmt| {
                for var in &stmt.vars {
                    named.remove(var);
                }
            });
        }
    }
    !named.is_empty()
}
