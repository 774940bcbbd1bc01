//! Scatter to map: an accumulator of which each iteration owns one row becomes an array that the loop collects.
//!
//! ```text
//! acc = new_acc(b)                 r = for i < n {
//! for i < n {                        y = b[i]
//!   x = f[i]                         x = f[i]
//!   acc[i] += x              =>      z = add(y, x)
//! }                                  collect z
//! r = read_acc(acc)                }
//! ```
//!
//! More exactly, each iteration gets an accumulator of its own for its row, which `promote_accumulators` then makes a
//! value.
//!
//! An accumulator that begins with zeros ends behind the first loop that adds to it, if each iteration owns a row, and
//! another one begins there with what has been collected.
//!
//! Law: every number keeps its bits, and its terms their order. It applies where one loop alone touches the
//! accumulator, each iteration touches only the row of its index, and there is an iteration for each row. Rows that
//! are not there keep their sizes (`sized`).

use std::rc::Rc;

use pullback_base::Span;
use pullback_ir::{Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::access::{Access, Roots, accumulators};
use pullback_analysis::zeros::{Extent, Zeros};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "scatter_to_map",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: true,
    about: "lets a loop collect what it adds to an accumulator row by row",
    law: "a = new_acc(x); for i < n { a[i] += v }; y = read_acc(a) = y = for i < n { b = new_acc(x[i]); b += v; \
          collect read_acc(b) }, if x has n rows and nothing else adds to it",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (aliased, facts) = (analyses.aliased(program), analyses.facts(program));
    each_func(program, |program, func, body| {
        let roots = Roots::within(program, &program.funcs[func].params, body, aliased[func]);
        let zeros = analyses.zeros(func, body);
        let covers = &facts.func(func).covers;
        let mut collect = Collect { program, roots, covers, zeros, changed: false };
        collect.block(body);
        collect.changed
    })
}

struct Collect<'p> {
    program: &'p mut Program,
    roots: Roots,
    /// The loops, by index, that have an iteration for each row of an accumulator that they add to.
    covers: &'p FxHashSet<(VarId, VarId)>,
    zeros: Rc<Zeros>,
    changed: bool,
}

/// Where an accumulator begins, the one loop that adds to it, and where it is read.
struct Life {
    acc: VarId,
    begin: usize,
    repeat: usize,
    end: usize,
}

impl Collect<'_> {
    fn block(&mut self, block: &mut Block) {
        self.split(block);
        let lives = self.lives(block);
        let mut instead: FxHashMap<usize, Vec<Stmt>> = FxHashMap::default();
        for life in &lives {
            instead.insert(life.begin, vec![]);
            instead.insert(life.end, self.collect(block, life));
        }
        for (at, stmt) in take(block).into_iter().enumerate() {
            match instead.remove(&at) {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
        for stmt in &mut block.stmts {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// Ends accumulators that begin with zeros behind the first loop that adds to them, if that can be collected and others
    /// follow, which add to what it has collected.
    fn split(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let begin = (&block.stmts[at].op, block.stmts[at].vars.first().copied());
            at += 1;
            let (Op::NewAcc(init), Some(acc)) = begin else { continue };
            if self.program.vars[acc].ty.rank == 0 || self.zeros.extent(*init).is_none() {
                continue;
            }
            let touches: Vec<(usize, bool)> = (at..block.stmts.len())
                .filter(|at| !matches!(block.stmts[*at].op, Op::ReadAcc(_)))
                .filter_map(|at| {
                    let mut touched = self.touched(&block.stmts[at]).into_iter();
                    touched.find(|(root, _)| *root == acc).map(|(_, is_own)| (at, is_own))
                })
                .collect();
            let [(first, true), _, ..] = touches[..] else { continue };
            let (value, next) = (
                self.program.fresh("bar", self.program.vars[acc].ty.value()),
                self.program.fresh_like(acc),
            );
            let mut rest = Block {
                stmts: block.stmts.split_off(first + 1),
                results: std::mem::take(&mut block.results),
            };
            rest.substitute(&FxHashMap::from_iter([(acc, Atom::Var(next))]));
            let span = block.stmts[first].span;
            block.stmts.push(Stmt::new(vec![value], Op::ReadAcc(acc.into()), span));
            block.stmts.push(Stmt::new(vec![next], Op::NewAcc(value.into()), span));
            block.stmts.append(&mut rest.stmts);
            block.results = rest.results;
            self.changed = true;
        }
    }

    /// The accumulators of a block that can be collected.
    fn lives(&self, block: &Block) -> Vec<Life> {
        let mut lives: Vec<(Life, usize)> = vec![];
        for (at, stmt) in block.stmts.iter().enumerate() {
            if let (Op::NewAcc(_), [acc]) = (&stmt.op, &stmt.vars[..]) {
                if self.program.vars[*acc].ty.rank > 0 {
                    lives.push((Life { acc: *acc, begin: at, repeat: 0, end: 0 }, 0));
                }
                continue;
            }
            if lives.is_empty() {
                continue;
            }
            if let Op::ReadAcc(Atom::Var(acc)) = &stmt.op {
                lives
                    .iter_mut()
                    .filter(|(life, _)| life.acc == *acc)
                    .for_each(|(life, _)| life.end = at);
                continue;
            }
            for (root, is_own) in self.touched(stmt) {
                for (life, touches) in lives.iter_mut().filter(|(life, _)| life.acc == root) {
                    *touches += if is_own { 1 } else { 2 };
                    life.repeat = at;
                }
            }
        }
        let once =
            lives.into_iter().filter(|(life, touches)| *touches == 1 && life.end > life.repeat);
        once.map(|(life, _)| life).collect()
    }

    /// The accumulators that a statement touches, and whether it is a loop of which each iteration adds to its
    /// own row alone, and there is one for each row.
    fn touched(&self, stmt: &Stmt) -> Vec<(VarId, bool)> {
        if let Op::Loop(looped) = &stmt.op
            && let Some(index) = looped.for_index()
        {
            let is_own = |root: VarId, way: Access| {
                way == Access::Own(root, 0) && self.covers.contains(&(index, root))
            };
            let ways = accumulators(self.program, &self.roots, looped).into_iter();
            return ways.map(|(root, way)| (root, is_own(root, way))).collect();
        }
        let mut touched = vec![];
        let mut touch = |atom: Atom| {
            if let Some(var) = atom.var().filter(|var| self.program.vars[*var].ty.is_acc) {
                touched.push((self.roots.of_var(var), false));
            }
        };
        stmt.op.for_each_atom(&mut touch);
        stmt.op.blocks().into_iter().for_each(|inner| inner.visit_atoms(&mut touch));
        touched
    }

    /// Makes the loop collect; gives the statements that replace the read of the accumulator.
    fn collect(&mut self, block: &mut Block, life: &Life) -> Vec<Stmt> {
        self.changed = true;
        let Op::NewAcc(init) = block.stmts[life.begin].op else {
            pullback_base::bug("scatter_to_map", "an accumulator to begin where it did")
        };
        let result = block.stmts[life.end].vars[0];
        let repeat = &mut block.stmts[life.repeat];
        let span = repeat.span;
        let Op::Loop(Loop { form: LoopForm::For { index, .. }, body, .. }) = &mut repeat.op else {
            pullback_base::bug("scatter_to_map", "a loop with an index")
        };
        let ty = self.program.vars[life.acc].ty;
        let row_ty = ty.with_rank(ty.rank - 1);
        let index = Atom::Var(*index);
        let acc = self.program.fresh("acc", row_ty);
        let sum = self.program.fresh("bar", row_ty.value());
        let (mut stmts, row) =
            first_row(self.program, init, self.zeros.extent(init), index, span, row_ty.value());
        stmts.push(Stmt::new(vec![acc], Op::NewAcc(row), span));
        redirect(body, life.acc, acc);
        stmts.append(&mut body.stmts);
        stmts.push(Stmt::new(vec![sum], Op::ReadAcc(acc.into()), span));
        body.stmts = stmts;
        body.results.push(sum.into());
        // If there are no iterations, rows still have their sizes.
        let mut rows = if ty.rank == 1 { result } else { self.program.fresh_like(result) };
        repeat.vars.push(rows);
        let mut sized = vec![];
        for k in 1..ty.rank {
            let size = self.program.fresh("size", Type::INT);
            let next = if k + 1 == ty.rank { result } else { self.program.fresh_like(result) };
            sized.push(Stmt::new(vec![size], Op::Dim(init, k), span));
            sized.push(Stmt::new(vec![next], Op::Sized(rows.into(), k, size.into()), span));
            rows = next;
        }
        sized
    }
}

/// The row that an accumulator begins with, at an index: of zeros if it begins with those.
fn first_row(
    program: &mut Program,
    init: Atom,
    zeros: Option<Extent>,
    index: Atom,
    span: Span,
    ty: Type,
) -> (Vec<Stmt>, Atom) {
    let row = program.fresh("row", ty);
    if zeros.is_some() && ty == Type::REAL {
        return (vec![], Atom::Real(0.0));
    }
    let Some(Extent::Like(like)) = zeros else {
        return (vec![Stmt::new(vec![row], Op::Index(init, vec![index]), span)], row.into());
    };
    let like_ty = program.type_of(like);
    let like_ty = like_ty.with_rank(like_ty.rank - 1);
    if let (Elem::Data(data), 0, Elem::Unit) = (ty.elem, ty.rank, like_ty.elem) {
        let zero = Op::Con(program.zero_tag(data), vec![]);
        return (vec![Stmt::new(vec![row], zero, span)], row.into());
    }
    let like_row = program.fresh("row", like_ty);
    let stmts = vec![
        Stmt::new(vec![like_row], Op::Index(like, vec![index]), span),
        Stmt::new(vec![row], Op::Zero(like_row.into()), span),
    ];
    (stmts, row.into())
}

/// Lets what touches a row of an accumulator touch the accumulator of that row.
fn redirect(block: &mut Block, from: VarId, to: VarId) {
    let mut same = FxHashMap::default();
    block.visit_mut(&mut |stmt| {
        if let Op::AddAcc(acc, at, _) | Op::AtAcc(acc, at) = &mut stmt.op
            && *acc == Atom::Var(from)
        {
            *acc = to.into();
            at.remove(0);
        }
    });
    // A part without indices is the accumulator itself.
    block.visit_mut(&mut |stmt| {
        stmt.op.blocks_mut().into_iter().for_each(|inner| without_whole_parts(inner, &mut same));
    });
    without_whole_parts(block, &mut same);
    block.substitute(&same);
}

fn without_whole_parts(block: &mut Block, same: &mut FxHashMap<VarId, Atom>) {
    block.stmts.retain(|stmt| {
        let Op::AtAcc(acc, at) = &stmt.op else { return true };
        if at.is_empty() {
            same.insert(stmt.vars[0], *acc);
        }
        !at.is_empty()
    });
}
