//! Loop interchange (Allen and Kennedy, 1984): a sum of outer products becomes a product of matrices.
//!
//! ```text
//! for i < n {                         for j < m {
//!   for j < m {                         for k < p {
//!     for k < p {                         s = for i < n with t = 0.0 {
//!       x = u[i, j]                         x = u[i, j]
//!       y = v[i, k]                  =>     y = v[i, k]
//!       z = mul(x, y)                       z = mul(x, y)
//!       acc[j, k] += z                      w = add(t, z)
//!     }                                     yield w
//!   }                                     }
//! }                                       acc[j, k] += s
//!                                       }
//!                                     }
//! ```
//!
//! The loop over what is summed becomes innermost and keeps its sum in a register. It may be the second one too: what is
//! added to `acc[k, i]` is summed over j. In the same way a vector times a matrix, inside a loop over rows, becomes a
//! product of matrices.
//!
//! Law: each element keeps its bits, since its terms are added in the same order. It applies where the accumulator
//! begins with zeros, one statement adds to it, and what is added hangs on the index that is summed over, but is no
//! element that only this iteration reads. A sum that does not hang on all three indices is then the same in many
//! iterations, so it leaves their loop. Factors that are cheap are computed again; others are collected by the first loop, if
//! no count is negative and rows have one size. A factor that is zero but where Reals are equal stays where it is,
//! since most of it is skipped there: through rows, sums and copies too.

use std::rc::Rc;

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func};
use pullback_analysis::affine::Inside;
use pullback_analysis::cost::speculative;
use pullback_analysis::zeros::{Zeros, hands_on, is_either_zero};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "interchange_loops",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "adds up outer products element by element",
    law: "a = new_acc(0); for i < n { for j < m { for k < p { a[j, k] += x[i, j] * y[i, k] } } } = a = new_acc(0); \
          for j < m { for k < p { s = for i < n with s = 0 { s + x[i, j] * y[i, k] }; a[j, k] += s } }",
    run,
};

/// The cost, in multiplications, of the dearest operation that may be done again in every iteration.
const CHEAP: u64 = 2;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (facts, effects) = (analyses.facts(program), analyses.effects(program));
    let undefined = analyses.undefined(program);
    each_func(program, |program, func, body| {
        let (counted, effects) = (&facts.func(func).counted, effects.func(func));
        let (mut safe, zeros) = (FxHashSet::default(), analyses.zeros(func, body));
        body.visit(&mut |stmt| {
            if !effects.fails_outside(program, stmt) {
                safe.extend(&stmt.vars);
            }
        });
        let undefined = &undefined;
        let mut ctx = InterchangeLoops { program, counted, undefined, safe, zeros, changed: false };
        ctx.block(body, None);
        ctx.changed
    })
}

struct InterchangeLoops<'p> {
    program: &'p mut Program,
    /// The indices of loops whose counts are not negative.
    counted: &'p FxHashSet<VarId>,
    undefined: &'p FxHashSet<VarId>,
    /// What is bound by statements that do not fail, wherever they stand.
    safe: FxHashSet<VarId>,
    zeros: Rc<Zeros>,
    changed: bool,
}

/// One of the loops inside each other of which the innermost adds.
struct Level<'b> {
    index: VarId,
    count: Atom,
    down: bool,
    body: &'b Block,
    /// The place of the next level, or of the addition, in the body.
    next: usize,
}

/// What an iteration adds, as it is computed in the new loops.
#[derive(Default)]
struct Slice {
    stmts: Vec<Stmt>,
    done: FxHashSet<VarId>,
    /// The factors that the old loops collect: a variable, and its level from 0.
    kept: Vec<(VarId, usize)>,
    /// The levels of which the index decides a variable's value. The loop around counts as one level more.
    hangs: FxHashMap<VarId, FxHashSet<usize>>,
    /// Whether an element is read that depends on all levels.
    reads_all: bool,
}

impl InterchangeLoops<'_> {
    fn block(&mut self, block: &mut Block, around: Option<&Inside>) {
        for stmt in &mut block.stmts {
            let own = if let Op::Loop(looped @ Loop { form: LoopForm::For { .. }, .. }) = &stmt.op {
                Some(Inside::of(looped))
            } else {
                None
            };
            for inner in stmt.op.blocks_mut() {
                self.block(inner, own.as_ref().or(around));
            }
        }
        let mut at = 0;
        while at < block.stmts.len() {
            if let (Op::NewAcc(init), &[acc]) =
                (&block.stmts[at].op, block.stmts[at].vars.as_slice())
                && self.zeros.extent(*init).is_some()
            {
                self.changed |= self.turn(block, acc, around).is_some();
            }
            at += 1;
        }
    }

    /// Interchanges the loops that add to an accumulator, if that is possible and gains something.
    fn turn(&mut self, block: &mut Block, acc: VarId, around: Option<&Inside>) -> Option<()> {
        let place = adding(block, acc)?;
        let Op::Loop(first) = &block.stmts[place].op else { return None };
        let inside = Inside::of(first);
        let levels = levels(&block.stmts[place], acc)?;
        let last = levels.last()?;
        let Op::AddAcc(_, at, Atom::Var(value)) = &last.body.stmts[last.next].op else {
            return None;
        };
        let is_nest = levels.len() == 3 || (levels.len() == 2 && around.is_some());
        let summed = summed(at, &levels).filter(|_| is_nest)?;
        let mut taking = Taking::new(self, &levels, &inside, around);
        if levels[1..].iter().any(|level| !inside.is_uniform(level.count)) {
            return None;
        }
        taking.take(*value)?;
        let is_seldom = taking.slice.kept.iter().any(|(var, _)| taking.is_seldom(*var));
        let slice = taking.slice;
        let is_summed = slice.hangs.get(value).is_some_and(|levels| levels.contains(&summed));
        if slice.reads_all || !is_summed || is_seldom {
            return None;
        }
        let shape: Vec<(VarId, Atom, bool)> =
            levels.iter().map(|level| (level.index, level.count, level.down)).collect();
        let path: Vec<usize> = levels.iter().map(|level| level.next).collect();
        let (at, value, span) = (at.clone(), *value, block.stmts[place].span);
        let arrays = self.keep(&mut block.stmts[place], &path, &slice.kept);
        let nest = self.nest((acc, &at, value), (&shape, summed), slice, &arrays, span);
        block.stmts.insert(place + 1, nest);
        Some(())
    }

    /// Makes the old loops collect the factors that the new ones need, instead of adding; gives the arrays.
    fn keep(&mut self, stmt: &mut Stmt, path: &[usize], kept: &[(VarId, usize)]) -> Vec<VarId> {
        let Op::Loop(first) = &mut stmt.op else {
            pullback_base::bug("interchange_loops", "a loop")
        };
        let mut arrays = vec![];
        for &(var, level) in kept {
            let mut row = var;
            if level > 0 {
                let inner = &mut first.body.stmts[path[0]];
                let Op::Loop(second) = &mut inner.op else {
                    pullback_base::bug("interchange_loops", "a loop")
                };
                second.body.results.push(var.into());
                row = self.program.fresh("bars", self.program.vars[var].ty.array());
                inner.vars.push(row);
            }
            first.body.results.push(row.into());
            let array = self.program.fresh("bars", self.program.vars[row].ty.array());
            stmt.vars.push(array);
            arrays.push(array);
        }
        let mut body = &mut first.body;
        for next in &path[..path.len() - 1] {
            let Op::Loop(inner) = &mut body.stmts[*next].op else {
                pullback_base::bug("interchange_loops", "a loop")
            };
            body = &mut inner.body;
        }
        body.stmts.remove(path[path.len() - 1]);
        arrays
    }

    /// The new loops.
    fn nest(
        &mut self,
        (acc, at, value): (VarId, &[Atom], VarId),
        (shape, summed): (&[(VarId, Atom, bool)], usize),
        slice: Slice,
        arrays: &[VarId],
        span: Span,
    ) -> Stmt {
        let mut body = Block::default();
        for ((var, level), array) in slice.kept.iter().zip(arrays) {
            let place = shape[..=*level].iter().map(|(index, ..)| (*index).into()).collect();
            body.stmts.push(Stmt::new(vec![*var], Op::Index((*array).into(), place), span));
        }
        body.stmts.extend(slice.stmts);
        body.results.push(value.into());
        let mut atoms = FxHashMap::default();
        for (index, ..) in shape {
            atoms.insert(*index, self.program.fresh_like(*index).into());
        }
        let mut body = rename(self.program, &body, &mut atoms);
        let (state, sum) = (self.sum(), self.sum());
        let add = Op::Prim(Prim::Add, vec![state.into(), body.results[0]]);
        body.stmts.push(Stmt::new(vec![sum], add, span));
        body.results = vec![sum.into()];
        let of = |level: &(VarId, Atom, bool)| LoopForm::For {
            index: atoms[&level.0].var().unwrap_or(level.0),
            count: level.1,
            down: level.2,
        };
        let (init, states) = (vec![Atom::Real(0.0)], vec![state]);
        let total = self.sum();
        let inner = Op::Loop(Loop { form: of(&shape[summed]), states, init, body });
        let place: Vec<Atom> =
            at.iter().map(|at| at.var().map_or(*at, |index| atoms[&index])).collect();
        let adds = Op::AddAcc(acc.into(), place, total.into());
        let mut stmts = vec![Stmt::new(vec![total], inner, span), Stmt::new(vec![], adds, span)];
        for index in at.iter().rev() {
            let Some(level) = shape.iter().find(|level| Atom::Var(level.0) == *index) else {
                pullback_base::bug("interchange_loops", "the loop of an index")
            };
            let body = Block { stmts, results: vec![] };
            let op = Op::Loop(Loop { form: of(level), states: vec![], init: vec![], body });
            stmts = vec![Stmt::new(vec![], op, span)];
        }
        stmts.remove(0)
    }

    fn sum(&mut self) -> VarId {
        self.program.fresh("total", Type::REAL)
    }
}

/// The place of the only statement of a block that adds to an accumulator, if it does so once.
fn adding(block: &Block, acc: VarId) -> Option<usize> {
    let mut place = None;
    for (at, stmt) in block.stmts.iter().enumerate() {
        let mut times = 0;
        let mut count = |atom: Atom| times += usize::from(atom == Atom::Var(acc));
        if matches!(stmt.op, Op::ReadAcc(_)) {
            continue;
        }
        stmt.op.for_each_atom(&mut count);
        stmt.op.blocks().into_iter().for_each(|inner| inner.visit_atoms(&mut count));
        match (times, place) {
            (0, _) => {}
            (1, None) => place = Some(at),
            _ => return None,
        }
    }
    place
}

/// The loops inside each other down to the one that adds to an accumulator.
fn levels(stmt: &Stmt, acc: VarId) -> Option<Vec<Level<'_>>> {
    let mut levels = vec![];
    let mut stmt = stmt;
    loop {
        let Op::Loop(Loop { form: LoopForm::For { index, count, down }, body, .. }) = &stmt.op
        else {
            return (matches!(stmt.op, Op::AddAcc(..)) && !levels.is_empty()).then_some(levels);
        };
        let mentions = |stmt: &Stmt| {
            let mut is_there = false;
            let mut look = |atom: Atom| is_there |= atom == Atom::Var(acc);
            stmt.op.for_each_atom(&mut look);
            stmt.op.blocks().into_iter().for_each(|inner| inner.visit_atoms(&mut look));
            is_there
        };
        let next = body.stmts.iter().position(mentions)?;
        levels.push(Level { index: *index, count: *count, down: *down, body, next });
        stmt = &body.stmts[next];
    }
}

/// The loop whose index a place does not name, if that of every other loop is in it once, and it is not the innermost:
/// what that adds up has a place at each step already.
fn summed(at: &[Atom], levels: &[Level<'_>]) -> Option<usize> {
    let is_named = |level: &Level<'_>| at.contains(&Atom::Var(level.index));
    let summed = levels.iter().position(|level| !is_named(level))?;
    let named = levels.iter().filter(|level| is_named(level)).count();
    (named == at.len() && named + 1 == levels.len() && summed < named).then_some(summed)
}

/// Finds out what the new loops compute.
struct Taking<'a, 'p> {
    ctx: &'a InterchangeLoops<'p>,
    levels: &'a [Level<'a>],
    /// What the first loop binds.
    inside: &'a Inside,
    around: Option<&'a Inside>,
    /// The statements of the levels, by what they bind.
    defs: FxHashMap<VarId, (usize, &'a Stmt)>,
    slice: Slice,
}

impl<'a, 'p> Taking<'a, 'p> {
    fn new(
        ctx: &'a InterchangeLoops<'p>,
        levels: &'a [Level<'a>],
        inside: &'a Inside,
        around: Option<&'a Inside>,
    ) -> Self {
        let mut defs = FxHashMap::default();
        for (level, Level { body, .. }) in levels.iter().enumerate() {
            for stmt in &body.stmts {
                defs.extend(stmt.vars.iter().map(|var| (*var, (level, stmt))));
            }
        }
        Self { ctx, levels, inside, around, defs, slice: Slice::default() }
    }

    /// Makes a variable available in the new loops: by its statement again, or by collecting it.
    fn take(&mut self, var: VarId) -> Option<()> {
        if !self.slice.done.insert(var) {
            return Some(());
        }
        if let Some(level) = self.levels.iter().position(|level| level.index == var) {
            self.slice.hangs.insert(var, FxHashSet::from_iter([level]));
            return Some(());
        }
        if !self.inside.has(var) {
            let is_around = self.around.is_some_and(|around| around.has(var));
            let hangs = is_around.then_some(self.levels.len());
            self.slice.hangs.insert(var, hangs.into_iter().collect());
            return Some(());
        }
        let (level, stmt) = *self.defs.get(&var)?;
        let is_innermost = level + 1 == self.levels.len();
        let is_read = matches!(stmt.op, Op::Index(..));
        if self.ctx.safe.contains(&var) && (is_read || (is_innermost && is_cheap(&stmt.op))) {
            let before = (self.slice.kept.len(), self.slice.stmts.len(), self.slice.done.clone());
            if self.again(var, stmt).is_some() {
                return Some(());
            }
            self.slice.kept.truncate(before.0);
            self.slice.stmts.truncate(before.1);
            self.slice.done = before.2;
        }
        if is_innermost || !self.can_be_kept(var, level, stmt) {
            return None;
        }
        self.slice.kept.push((var, level));
        let around = self.around.map(|_| self.levels.len());
        self.slice.hangs.insert(var, (0..=level).chain(around).collect());
        Some(())
    }

    /// Takes a statement into the new loops.
    fn again(&mut self, var: VarId, stmt: &Stmt) -> Option<()> {
        let mut operands = vec![];
        stmt.op.for_each_atom(&mut |atom| operands.extend(atom.var()));
        let mut hangs = FxHashSet::default();
        for operand in operands {
            self.take(operand)?;
            hangs.extend(self.slice.hangs.get(&operand).into_iter().flatten());
        }
        let is_element =
            matches!(stmt.op, Op::Index(..)) && !self.ctx.program.vars[var].ty.is_array();
        self.slice.reads_all |= is_element && is_all(&hangs);
        self.slice.hangs.insert(var, hangs);
        self.slice.stmts.push(stmt.clone());
        Some(())
    }

    /// Whether the loops can collect a number, or a row of numbers of one size.
    fn can_be_kept(&self, var: VarId, level: usize, stmt: &Stmt) -> bool {
        let ty = self.ctx.program.vars[var].ty;
        let is_counted =
            self.levels[..=level].iter().all(|level| self.ctx.counted.contains(&level.index));
        let is_there = !self.ctx.undefined.contains(&var);
        is_counted && is_there && (ty == Type::REAL || (level == 0 && self.is_row(ty, stmt)))
    }

    /// Whether a number, or each of a row, is 0 unless two Reals are equal. Few are, so code that adds it where it is
    /// can skip most.
    fn is_seldom(&self, var: VarId) -> bool {
        let Some((level, stmt)) = self.defs.get(&var) else { return false };
        let block = self.levels[*level].body;
        match (&stmt.op, stmt.vars.iter().position(|row| *row == var)) {
            // An element of a row that another level makes.
            (Op::Index(Atom::Var(row), _), _) => self.is_seldom(*row),
            (Op::ReadAcc(Atom::Var(acc)), _) => adds_seldom(block, *acc),
            (Op::Loop(Loop { body, .. }), Some(at)) => is_seldom(body, body.results[at]),
            _ => is_seldom(block, var.into()),
        }
    }

    fn is_row(&self, ty: Type, stmt: &Stmt) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the sizes of others are not known")]
        let has_one_size = match &stmt.op {
            Op::Loop(Loop { form: LoopForm::For { count, .. }, .. }) => {
                self.inside.is_uniform(*count)
            }
            Op::ReadAcc(Atom::Var(acc)) => matches!(
                self.defs.get(acc),
                Some((0, Stmt { op: Op::NewAcc(init), .. })) if self.inside.is_uniform(*init)
            ),
            _ => false,
        };
        has_one_size && ty == Type::REAL.array()
    }
}

/// Through how many operations in a row a zero is followed.
const FAR: usize = 6;

/// Whether a block gives 0 for a value unless Reals are equal.
fn is_seldom(block: &Block, value: Atom) -> bool {
    is_seldom_within(block, value, FAR)
}

fn is_seldom_within(block: &Block, value: Atom, far: usize) -> bool {
    let is_zero = |atom: &Atom| {
        is_either_zero(*atom) || op_of(block, *atom).is_some_and(|op| hands_on(op, is_either_zero))
    };
    match op_of(block, value) {
        Some(Op::Select(cond, _, other)) => is_zero(other) && is_equality(block, *cond),
        Some(Op::If(cond, _, other)) => {
            other.results.first().is_some_and(is_zero) && is_equality(block, *cond)
        }
        Some(op) if far > 0 => {
            hands_on(op, |atom| is_zero(&atom) || is_seldom_within(block, atom, far - 1))
        }
        _ => false,
    }
}

/// Whether a block adds nothing to an accumulator, or 0, unless Reals are equal.
fn adds_seldom(block: &Block, acc: VarId) -> bool {
    let stmt = adding(block, acc).map(|at| &block.stmts[at].op);
    match stmt {
        Some(Op::AddAcc(_, _, value)) => is_seldom(block, *value),
        Some(Op::Loop(Loop { body, .. })) => adds_seldom(body, acc),
        Some(Op::If(cond, _, other)) => is_equality(block, *cond) && other.mentions(acc) == 0,
        _ => false,
    }
}

/// Whether a block computes a Bool that is true where Reals are equal, or where something outside says so.
fn is_equality(block: &Block, cond: Atom) -> bool {
    match op_of(block, cond) {
        Some(Op::Select(_, Atom::Bool(true), cond) | Op::Copy(cond)) => is_equality(block, *cond),
        cond => matches!(cond, Some(Op::Prim(Prim::Eq, _))),
    }
}

fn op_of(block: &Block, atom: Atom) -> Option<&Op> {
    let stmt = block.stmts.iter().find(|stmt| stmt.vars.first().copied() == atom.var())?;
    Some(&stmt.op)
}

/// Whether something depends on all three loops.
fn is_all(hangs: &FxHashSet<usize>) -> bool {
    (0..3).all(|level| hangs.contains(&level))
}

/// Whether an operation may be done again in each iteration.
fn is_cheap(op: &Op) -> bool {
    speculative(op).is_some_and(|cost| cost <= CHEAP)
}
