//! The two sweeps of a recursive function become one recursive function, where the cotangents of a call are known
//! before the call: then nothing is saved for the way back but what the stack holds anyway.
//!
//! A forward sweep `y, x = F(a)` gives a residual, which a backward sweep `c = B(x, g)` takes apart. If `g` does not
//! wait for `y`, both are one call `y, c = S(a, g)`. Its body is that of `F`, then that of `B`; in there the residual
//! is made and taken apart at once, and the two recursive calls are again such a pair if `g` is known early inside
//! too, as it is for what is called last, or for what is only scaled and added up. Then `S` calls itself.
//!
//! Whether that is so shows when the other passes have been at the body of `S` for a while: they are tried on a copy
//! of the program. A recursion of which one call still saves something stays as it was.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, Func, FuncId, Op, Program, Stmt, Tells, VarId, rename};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::access::{Roots, aliased};
use pullback_analysis::call_graph::call_graph;
use pullback_analysis::reorder::{Info, are_free, join};

pub(crate) const PASS: Pass = Pass {
    name: "fuse_recursive_sweeps",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "makes one recursive function of a forward sweep and the backward sweep that follows it",
    law: "y, x = F(a); c = B(x, g) = y, c = S(a, g), if nobody else sees x, S(a, g) = F(a), B(x, g) with the same law \
          for every call of F and B inside, and g does not wait for F",
    run,
};

/// The passes that bring the sweeps together: none of those that look at all calls of a function, since those of the
/// new one are yet to come.
const MEETING: [Pass; 12] = [
    crate::local::simplify::PASS,
    crate::constants::propagate_sizes::PASS,
    crate::local::merge_branches::PASS,
    crate::local::cse::PASS,
    crate::local::dce::PASS,
    crate::loops::hoist::PASS,
    crate::loops::reductions::SUMS,
    crate::aggregates::forward_elements::PASS,
    crate::accumulators::scatter_to_map::PASS,
    crate::accumulators::promote_accumulators::PASS,
    crate::accumulators::elementwise_adds::PASS,
    crate::loops::fuse::PASS,
];

/// How often those run at most.
const ROUNDS: usize = 4;

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let mut changed = false;
    let mut refused = FxHashSet::default();
    while let Some(pair) = wanted(program, roots, &refused) {
        changed |= both(program, roots, pair);
        refused.insert(pair);
    }
    changed
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

/// Two recursive sweeps that meet outside of themselves.
fn wanted(program: &Program, roots: &[FuncId], refused: &FxHashSet<Pair>) -> Option<Pair> {
    let graph = call_graph(program, roots);
    let calls_itself = |func: FuncId| graph.named[func].calls.contains(&func);
    let is_open = |func: FuncId| {
        calls_itself(func) && !graph.is_held[func] && !program.funcs[func].is_checkpoint
    };
    let outside = graph.order.iter().filter(|func| !calls_itself(**func));
    let tells = Tells::of(program);
    let aliased = aliased(program);
    for func in outside {
        let meetings = Meetings::of(program, &tells, &aliased, *func);
        let mut pairs = meetings.all(&program.funcs[*func].body).into_iter().map(|met| met.pair);
        let is_wanted = |pair: &Pair| {
            !refused.contains(pair) && is_open(pair.forward) && is_open(pair.backward)
        };
        if let Some(pair) = pairs.find(is_wanted) {
            return Some(pair);
        }
    }
    None
}

/// Makes one function of two sweeps, if no call in it saves anything.
fn both(program: &mut Program, roots: &[FuncId], pair: Pair) -> bool {
    let mut trial = program.clone();
    let composed = composed(&mut trial, pair);
    let id = trial.funcs.push(composed);
    // The sweeps keep their parameters and results, as calls of them become calls of both.
    let ends = [id, pair.forward, pair.backward];
    let mut roots: Vec<FuncId> = roots.iter().copied().chain(ends).collect();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for pass in &MEETING {
            changed |= (pass.run)(&mut trial, &mut roots);
        }
        if !changed {
            break;
        }
    }
    join_all(&mut trial, pair, id, &[id]);
    let mut saves = false;
    trial.funcs[id].body.visit(&mut |stmt| {
        saves |= matches!(stmt.op, Op::Call(callee, _) if callee == pair.forward || callee == pair.backward);
    });
    if saves {
        return false;
    }
    let all: Vec<FuncId> = trial.funcs.ids().collect();
    join_all(&mut trial, pair, id, &all);
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
        let mut found = self.here(block);
        for stmt in &block.stmts {
            found.extend(stmt.op.blocks().into_iter().flat_map(|inner| self.all(inner)));
        }
        found
    }

    /// Those of a block alone.
    fn here(&self, block: &Block) -> Vec<Meeting> {
        let is_call = |stmt: &&Stmt| matches!(stmt.op, Op::Call(..));
        if block.stmts.iter().filter(is_call).count() < 2 {
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
            let made = &block.stmts[first].vars;
            let result = made.iter().position(|var| *var == residual)?;
            let waits = made.iter().any(|var| *var != residual && infos[second].uses.contains(var));
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

/// Makes calls of the function that does both sweeps of the meetings in some functions.
fn join_all(program: &mut Program, pair: Pair, both: FuncId, funcs: &[FuncId]) {
    let (tells, aliased) = (Tells::of(program), aliased(program));
    for func in funcs {
        let mut body = program.funcs[*func].body.clone();
        let meetings = Meetings::of(program, &tells, &aliased, *func);
        join_in(&meetings, pair, both, &mut body);
        program.funcs[*func].body = body;
    }
}

fn join_in(meetings: &Meetings<'_>, pair: Pair, both: FuncId, block: &mut Block) {
    while let Some(met) = meetings.here(block).into_iter().find(|met| met.pair == pair) {
        let mut infos: Vec<Info> = block.stmts.iter().map(|stmt| meetings.info(stmt)).collect();
        join(block, &mut infos, met.first, met.second, |earlier, later| {
            let call = call_of_both(both, pair, earlier, later);
            let info = meetings.info(&call);
            (call, info)
        });
    }
    for stmt in &mut block.stmts {
        stmt.op.blocks_mut().into_iter().for_each(|inner| join_in(meetings, pair, both, inner));
    }
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
