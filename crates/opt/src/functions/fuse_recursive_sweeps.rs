//! Fusion of recursive sweeps, by unfolding and folding (Burstall and Darlington, 1977).
//!
//! ```text
//! y, r = @forward(x, n)             y, c = @both(x, n, g)
//! c = @backward(r, g)         =>
//! ```
//!
//! A forward sweep gives a residual `r`, which the backward sweep takes apart. If the cotangent `g` does not wait for
//! `y`, both are one call. The body of `both` is that of `forward`, then that of `backward`. In it the residual is
//! made and taken apart at once, and the two recursive calls are again such a pair if the cotangent is known early
//! there too, as for what is called last, or for what is only scaled and added up. Then `both` calls itself, and what
//! the way back needs lies in its frame.
//!
//! Law: values and failures stay, and so does the order of what each accumulator gets. It applies where nobody else
//! sees the residual. Whether all recursive calls meet shows only after other passes have been at the new body
//! (`Pass::runs_in_trial`). They are tried on a copy of the program, all pairs at once, and a recursion of which one
//! call still saves something stays as it was.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, Func, FuncId, Op, Program, Stmt, VarId, rename};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Run, Scope};
use pullback_analysis::access::Roots;
use pullback_analysis::call_graph::runs;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::reorder::{Info, are_free, join};
use pullback_analysis::{Analyses, Changed};

/// The pass, which `run` runs with the passes to try.
pub(crate) const fn pass(run: Run) -> Pass {
    Pass {
        name: "fuse_recursive_sweeps",
        phase: Phase::Simplify,
        scope: Scope::Anywhere,
        runs_last: false,
        runs_in_trial: false,
        about: "makes one recursive function of a forward sweep and the backward sweep that follows it",
        law: "y, x = F(a); c = B(x, g) = y, c = S(a, g), if nobody else sees x, S(a, g) = F(a), B(x, g) with the same law \
          for every call of F and B inside, and g does not wait for F",
        run,
    }
}

/// How often the passes that are tried run at most.
const ROUNDS: usize = 4;

/// Runs the pass. The passes that are tried bring the two sweeps together in the new body.
pub(crate) fn run(
    program: &mut Program,
    roots: &mut [FuncId],
    analyses: &mut Analyses,
    tried: &[&Pass],
) -> Changed {
    let mut changed = false;
    let mut refused = FxHashSet::default();
    loop {
        let pairs = wanted(program, roots, &refused, analyses);
        if pairs.is_empty() {
            return changed.into();
        }
        if both(program, roots, &pairs, tried) {
            analyses.forget(&Changed::All);
            changed = true;
        }
        refused.extend(pairs);
    }
}

/// A forward sweep, and the backward sweep that takes its residual apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pair {
    forward: FuncId,
    /// Which result of it is the residual.
    result: usize,
    backward: FuncId,
    /// Which parameter of it is the residual.
    param: usize,
}

/// The pairs of recursive sweeps that other functions call one after the other. No function is in two pairs, so that
/// each pair can be fused without the others.
fn wanted(
    program: &Program,
    roots: &[FuncId],
    refused: &FxHashSet<Pair>,
    analyses: &mut Analyses,
) -> Vec<Pair> {
    let graph = analyses.call_graph(program, roots);
    let calls_itself = |func: FuncId| graph.named[func].calls.contains(&func);
    let is_open = |func: FuncId| {
        calls_itself(func) && !graph.is_held[func] && !program.funcs[func].is_checkpoint
    };
    let outside = graph.order.iter().filter(|func| !calls_itself(**func));
    let (tells, aliased) = (analyses.tells(program), analyses.aliased(program));
    let (mut wanted, mut taken) = (vec![], FxHashSet::default());
    for func in outside {
        let meetings = Meetings::of(program, &tells, &aliased, *func);
        for Meeting { pair, .. } in meetings.all(&program.funcs[*func].body) {
            let ends = [pair.forward, pair.backward];
            if !refused.contains(&pair)
                && ends.iter().all(|end| is_open(*end) && !taken.contains(end))
            {
                taken.extend(ends);
                wanted.push(pair);
            }
        }
    }
    wanted
}

/// Fuses the pairs in whose new function no call of either sweep is left; whether there are any. All pairs are tried
/// together, since the passes walk the whole program each time.
fn both(program: &mut Program, roots: &[FuncId], pairs: &[Pair], tried: &[&Pass]) -> bool {
    let mut trial = program.clone();
    let mut ids = vec![];
    for pair in pairs {
        let composed = composed(&mut trial, *pair);
        ids.push(trial.funcs.push(composed));
    }
    // The sweeps keep their parameters and results, as calls of them become calls of both.
    let ends = pairs.iter().flat_map(|pair| [pair.forward, pair.backward]);
    let mut kept: Vec<FuncId> = roots.iter().copied().chain(ids.clone()).chain(ends).collect();
    let mut analyses = Analyses::default();
    for _ in 0..ROUNDS {
        let mut is_new = false;
        for pass in tried {
            let changed = (pass.run)(&mut trial, &mut kept, &mut analyses);
            analyses.forget(&changed);
            is_new |= changed.is_new();
        }
        if !is_new {
            break;
        }
    }
    let own = |(pair, id): (&Pair, &FuncId)| (*id, FxHashMap::from_iter([(*pair, *id)]));
    let own: Vec<_> = pairs.iter().zip(&ids).map(own).collect();
    join_all(&mut trial, &mut analyses, own.iter().map(|(func, both)| (*func, both)));
    let saves = |(pair, id): &(&Pair, &FuncId)| {
        let called = runs(&trial, &trial.funcs[**id].body);
        called.iter().any(|callee| [pair.forward, pair.backward].contains(callee))
    };
    let good = pairs.iter().zip(&ids).filter(|both| !saves(both));
    let good: Vec<Pair> = good.map(|(pair, _)| *pair).collect();
    if good.len() < pairs.len() {
        // Those that stay as they were leave nothing behind.
        return !good.is_empty() && both(program, roots, &good, tried);
    }
    let known: FxHashMap<Pair, FuncId> = pairs.iter().copied().zip(ids).collect();
    let all: Vec<FuncId> = trial.funcs.ids().collect();
    join_all(&mut trial, &mut analyses, all.into_iter().map(|func| (func, &known)));
    *program = trial;
    true
}

/// A call of a forward sweep and a call of a backward sweep in one block that can be one call.
struct Meeting {
    pair: Pair,
    /// Where the calls stand.
    first: usize,
    second: usize,
}

/// What finds the meetings in a function.
struct Meetings<'p> {
    program: &'p Program,
    tells: &'p Tells,
    roots: Roots,
    /// How often each variable is used.
    uses: FxHashMap<VarId, usize>,
}

impl<'p> Meetings<'p> {
    fn of(
        program: &'p Program,
        tells: &'p Tells,
        aliased: &IdVec<FuncId, bool>,
        func: FuncId,
    ) -> Self {
        let uses = program.funcs[func].body.uses();
        let roots = Roots::of(program, &program.funcs[func], aliased[func]);
        Self { program, tells, roots, uses }
    }

    /// Those of a block, and of the blocks inside it.
    fn all(&self, block: &Block) -> Vec<Meeting> {
        let mut meetings = self.here(block);
        for stmt in &block.stmts {
            meetings.extend(stmt.op.blocks().into_iter().flat_map(|inner| self.all(inner)));
        }
        meetings
    }

    /// Those of a block alone.
    fn here(&self, block: &Block) -> Vec<Meeting> {
        if calls(block) < 2 {
            return vec![];
        }
        let infos: Vec<Info> = block.stmts.iter().map(|stmt| self.info(stmt)).collect();
        let seconds = 0..block.stmts.len();
        seconds.filter_map(|second| self.meeting(block, &infos, second)).collect()
    }

    fn info(&self, stmt: &Stmt) -> Info {
        Info::of(self.program, self.tells, &self.roots, stmt)
    }

    /// The meeting of which a call is the backward sweep.
    fn meeting(&self, block: &Block, infos: &[Info], second: usize) -> Option<Meeting> {
        let Op::Call(backward, args) = &block.stmts[second].op else { return None };
        args.iter().enumerate().find_map(|(param, arg)| {
            let residual = arg.var().filter(|var| self.is_residual(*var))?;
            let makes = |first: &usize| block.stmts[*first].vars.contains(&residual);
            let first = (0..second).rev().find(makes)?;
            let Op::Call(forward, _) = &block.stmts[first].op else { return None };
            let outputs = &block.stmts[first].vars;
            let result = outputs.iter().position(|var| *var == residual)?;
            let waits =
                outputs.iter().any(|var| *var != residual && infos[second].uses.contains(var));
            let is_apart = !waits
                && !infos[first].shares_acc(&infos[second])
                && are_free(block, infos, first, second);
            let pair = Pair { forward: *forward, result, backward: *backward, param };
            is_apart.then_some(Meeting { pair, first, second })
        })
    }

    /// Whether a variable is a box that one place takes.
    fn is_residual(&self, var: VarId) -> bool {
        let ty = self.program.vars[var].ty;
        matches!(ty.elem, Elem::Data(_))
            && ty.rank == 0
            && !ty.is_acc
            && self.uses.get(&var) == Some(&1)
    }
}

/// The function that does one sweep after the other.
fn composed(program: &mut Program, pair: Pair) -> Func {
    let Pair { forward, result, backward, param } = pair;
    let mut func = program.funcs[forward].clone();
    let mut atoms = FxHashMap::default();
    let params = renamed(program, &mut func.params, &mut atoms);
    let mut body = rename(program, &func.body, &mut atoms);
    let residual = body.results.remove(result);
    func.results.remove(result);
    let mut other = program.funcs[backward].clone();
    let own = other.params.remove(param);
    let mut atoms = FxHashMap::from_iter([(own, residual)]);
    let more = renamed(program, &mut other.params, &mut atoms);
    let mut later = rename(program, &other.body, &mut atoms);
    body.stmts.append(&mut later.stmts);
    body.results.append(&mut later.results);
    func.params = [params, more].concat();
    func.preconditions = vec![];
    func.results.append(&mut other.results);
    func.name = format!("both sweeps of {}", func.name).into();
    func.body = body;
    func
}

/// New names for parameters.
fn renamed(
    program: &mut Program,
    params: &mut [VarId],
    atoms: &mut FxHashMap<VarId, Atom>,
) -> Vec<VarId> {
    let fresh = |param: &VarId| {
        let fresh = program.fresh_like(*param);
        atoms.insert(*param, fresh.into());
        fresh
    };
    params.iter().map(fresh).collect()
}

/// Makes calls of the functions that do both sweeps of the meetings in some functions, for each by these pairs.
fn join_all<'f>(
    program: &mut Program,
    analyses: &mut Analyses,
    funcs: impl IntoIterator<Item = (FuncId, &'f FxHashMap<Pair, FuncId>)>,
) {
    let (tells, aliased) = (analyses.tells(program), analyses.aliased(program));
    for (func, both) in funcs {
        let mut body = program.funcs[func].body.clone();
        let meetings = Meetings::of(program, &tells, &aliased, func);
        join_in(&meetings, both, &mut body);
        program.funcs[func].body = body;
    }
    analyses.forget(&Changed::All);
}

fn join_in(meetings: &Meetings<'_>, both: &FxHashMap<Pair, FuncId>, block: &mut Block) {
    if calls(block) > 1 {
        let mut infos: Vec<Info> = block.stmts.iter().map(|stmt| meetings.info(stmt)).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut second = 0;
            while second < block.stmts.len() {
                let met = meetings.meeting(block, &infos, second);
                let known = met.and_then(|met| Some((*both.get(&met.pair)?, met)));
                if let Some((id, met)) = known {
                    join(block, &mut infos, met.first, met.second, |earlier, later| {
                        let call = call_of_both(id, met.pair, earlier, later);
                        let info = meetings.info(&call);
                        (call, info)
                    });
                    changed = true;
                } else {
                    second += 1;
                }
            }
        }
    }
    for stmt in &mut block.stmts {
        stmt.op.blocks_mut().into_iter().for_each(|inner| join_in(meetings, both, inner));
    }
}

/// How many calls there are in a block, but for those inside.
fn calls(block: &Block) -> usize {
    block.stmts.iter().filter(|stmt| matches!(stmt.op, Op::Call(..))).count()
}

/// The call of both sweeps in the place of a call of each.
fn call_of_both(both: FuncId, pair: Pair, mut earlier: Stmt, mut later: Stmt) -> Stmt {
    let (Op::Call(_, mut args), Op::Call(_, mut more)) = (earlier.op, later.op) else {
        pullback_base::bug("fuse_recursive_sweeps", "two calls")
    };
    earlier.vars.remove(pair.result);
    more.remove(pair.param);
    args.append(&mut more);
    earlier.vars.append(&mut later.vars);
    Stmt::new(earlier.vars, Op::Call(both, args), earlier.span)
}
