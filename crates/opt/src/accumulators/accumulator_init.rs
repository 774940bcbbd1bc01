//! Initialisation of accumulators: one that begins with zeros, to which a whole array is added, begins with that
//! array.
//!
//! ```text
//! acc = new_acc(zeros)           acc = new_acc(a)
//! acc[0] += x               =>   acc[0] += x
//! acc += a
//! ```
//!
//! Transposition meets what is added to single elements first, and writes zeros for it. Afterwards no iteration makes
//! zeros, and none adds all of an array to them.
//!
//! Law: to each element the same terms are added, up to the sign of a zero, and the array comes first now, so that a
//! sum of three terms or more may be rounded otherwise. What stands in between must not name the accumulator except
//! to add to it; it runs before the accumulator begins. The order of failures stays: either the additions that wait
//! or what they wait for cannot fail.

use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, Type};
use rustc_hash::FxHashSet;

use crate::accumulators::accumulate_to_update::adds;
use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::reorder::names;
use pullback_analysis::zeros::Zeros;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "accumulator_init",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "begins with an array that is added to zeros",
    law: "acc = new_acc(zeros); acc[p] += x; s; acc += a = s; acc = new_acc(a); acc[p] += x, if s does not name acc",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let effects = analyses.effects_in_place(program);
    each_func(program, |program, func, body| {
        let (effects, zeros) = (effects.func(func), analyses.zeros(func, body));
        let mut ctx = AccumulatorInit { program, effects, zeros: &zeros, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

/// Makes accumulators that begin with zeros begin with an array that is added to them as a whole.
struct AccumulatorInit<'p> {
    program: &'p Program,
    effects: FuncEffects<'p>,
    zeros: &'p Zeros,
    changed: bool,
}

impl AccumulatorInit<'_> {
    fn block(&mut self, block: &mut Block) {
        let is_calm = |stmt: &Stmt| self.effects.is_calm_throughout(self.program, stmt);
        let mut calm: Vec<bool> = block.stmts.iter().map(is_calm).collect();
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
        for start in (0..block.stmts.len()).rev() {
            self.accumulator(block, &mut calm, start);
        }
    }

    /// Changes the accumulator that a statement makes, if it begins with zeros and an array is added to it as a
    /// whole.
    fn accumulator(&mut self, block: &mut Block, calm: &mut Vec<bool>, start: usize) {
        let Stmt { op: Op::NewAcc(init @ Atom::Var(_)), .. } = block.stmts[start] else { return };
        let acc = block.stmts[start].vars[0];
        // A number keeps the sign that a sum beginning with 0 gives it.
        if !self.zeros.has(init) || self.program.type_of(init) == Type::REAL {
            return;
        }
        let is_whole = |stmt: &Stmt| {
            adds(stmt, acc).is_some_and(|(at, value)| at.is_empty() && value.var().is_some())
        };
        let Some(end) = block.stmts.iter().position(is_whole) else { return };
        let own = FxHashSet::from_iter([acc]);
        let is_fine = |at: usize| {
            let stmt = &block.stmts[at];
            adds(stmt, acc).is_some() || !names(&stmt.op, &own)
        };
        if !(start + 1..end).all(is_fine) {
            return;
        }
        let (waits, others): (Vec<usize>, Vec<usize>) =
            (start + 1..end).partition(|at| adds(&block.stmts[*at], acc).is_some());
        // What fails first does so as before.
        if !waits.iter().all(|at| calm[*at]) && !others.iter().all(|at| calm[*at]) {
            return;
        }
        let Op::AddAcc(_, _, value) = block.stmts[end].op else { return };
        block.stmts[start].op = Op::NewAcc(value);
        let order = [others.as_slice(), &[start], &waits].concat();
        let stmts: Vec<Stmt> = order.iter().map(|at| block.stmts[*at].clone()).collect();
        let calms: Vec<bool> = order.iter().map(|at| calm[*at]).collect();
        block.stmts.splice(start..=end, stmts);
        calm.splice(start..=end, calms);
        self.changed = true;
        // If nothing else is added, it is that array.
        let is_read = |stmt: &Stmt| matches!(stmt.op, Op::ReadAcc(of) if of == Atom::Var(acc));
        if let Some(read) = block.stmts.iter().position(is_read)
            && block.mentions(acc) == 1
        {
            block.stmts[read].op = Op::Copy(value);
            block.stmts.remove(start + others.len());
            calm.remove(start + others.len());
        }
    }
}
