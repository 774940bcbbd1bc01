//! Deforestation (Wadler, 1990): a recursive function that makes data and one that takes it apart become one
//! function.
//!
//! ```text
//! t = @built(xs, n)                 y = @both(xs, n, x)
//! y = @product(t, x)          =>
//! ```
//!
//! The body of `both` is that of `built`, with the body of `product` in the place of each constructor, and a call of
//! `both` for each call of `product` on what `built` gives. So a tree that is built from an array and folded costs no
//! cells, nor does its cotangent.
//!
//! Law: values stay. It applies where nobody else sees the data, both functions call themselves and no other function
//! that calls them, and in the new body no call of either is left. A consumer that may stop early leaves such a call,
//! and then nothing changes, since what it would not look at may fail. A program that tells something (`debug`) is
//! left alone: the order of what is told would change.

use pullback_base::Id;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, VarId, keep, rename};
use rustc_hash::FxHashMap;

use crate::local::simplify::Simplify;
use crate::pass::{Pass, Phase, Scope};
use pullback_analysis::call_graph::{CallGraph, runs};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "deforest",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes one recursive function of two, of which one takes apart what the other makes",
    law: "f(g(x)) = h(x) with h(x) = g(x) with f(C(y)) for each C(y) it gives, and h(z) for f(g(z)), if nobody else sees g(x)",
    run,
};

/// How many statements such a function has at most.
const LONGEST: usize = 400;

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    // What is made would be made later, perhaps after something is told.
    if analyses.tells(program).any() {
        return Changed::Nothing;
    }
    let graph = analyses.call_graph(program, roots);
    let mut ctx = Deforest { program, graph: &graph, joined: FxHashMap::default() };
    let mut changed = false;
    for func in &graph.order {
        let mut body = std::mem::take(&mut ctx.program.funcs[*func].body);
        // The body of this function is taken out of the program, so it is in no pair.
        let is_other = |pair: &Pair| pair.makes != *func && pair.takes != *func;
        changed |= in_blocks(&mut body, &mut |block| {
            join(block, &mut |pair| is_other(&pair).then(|| ctx.one_of(pair))?)
        });
        ctx.program.funcs[*func].body = body;
    }
    changed.into()
}

/// Two functions of which the first takes apart, at this parameter, what the second makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    takes: FuncId,
    at: usize,
    makes: FuncId,
}

struct Deforest<'p> {
    program: &'p mut Program,
    graph: &'p CallGraph,
    /// The functions that were made of two, where they could be.
    joined: FxHashMap<Pair, Option<FuncId>>,
}

impl Deforest<'_> {
    /// The one function of two.
    fn one_of(&mut self, pair: Pair) -> Option<FuncId> {
        if !(self.is_alone(pair.makes) && self.is_alone(pair.takes)) {
            return None;
        }
        if let Some(joined) = self.joined.get(&pair) {
            return *joined;
        }
        let joined = self.joined_of(pair);
        self.joined.insert(pair, joined);
        joined
    }

    /// Whether a function is recursive by itself alone, not through others.
    fn is_alone(&self, func: FuncId) -> bool {
        if func.index() >= self.graph.named.len() || !self.graph.is_recursive[func] {
            return false;
        }
        let Func { params, is_checkpoint, .. } = &self.program.funcs[func];
        let is_plain = |param: &VarId| !self.program.vars[*param].ty.is_acc;
        !is_checkpoint
            && params.iter().all(is_plain)
            && self.graph.named[func].held.is_empty()
            && self.graph.named[func].calls.iter().all(|callee| {
                *callee == func || self.graph.component[*callee] != self.graph.component[func]
            })
    }

    fn joined_of(&mut self, pair: Pair) -> Option<FuncId> {
        let Pair { takes, at, makes } = pair;
        let (f, g) = (self.program.funcs[takes].clone(), self.program.funcs[makes].clone());
        let mut fresh = |params: &[VarId]| -> Vec<VarId> {
            params.iter().map(|param| self.program.fresh_like(*param)).collect()
        };
        let (own, mut others) = (fresh(&g.params), fresh(&f.params));
        others.remove(at);
        let mut atoms = g.params.iter().copied().zip(own.iter().copied().map(Atom::Var)).collect();
        let mut body = rename(self.program, &g.body, &mut atoms);
        let h = FuncId::from_index(self.program.funcs.len());
        let taken = Taken { f: &f, at, g: makes, h, others: &others };
        taken.from(self.program, &mut body)?;
        Simplify::of(self.program).again(&mut body);
        while drop_data(&mut body) {}
        in_blocks(&mut body, &mut |block| join(block, &mut |other| (other == pair).then_some(h)));
        let is_left = runs(self.program, &body).iter().any(|func| [takes, makes].contains(func));
        if is_left || body.size() > LONGEST {
            return None;
        }
        // The fused function has the name and place of the producer, for messages.
        let params = own.into_iter().chain(others).collect();
        Some(self.program.funcs.push(Func {
            params,
            results: f.results,
            body,
            routine: None,
            preconditions: vec![],
            ..g
        }))
    }
}

/// What takes data apart where another function gives it.
struct Taken<'f> {
    f: &'f Func,
    at: usize,
    g: FuncId,
    /// The fused function, whose parameters are those of `g` and then `others`.
    h: FuncId,
    others: &'f [VarId],
}

impl Taken<'_> {
    /// Rewrites a block that gives data so that it gives what `f` makes of that data.
    fn from(&self, program: &mut Program, block: &mut Block) -> Option<()> {
        let &[Atom::Var(data)] = block.results.as_slice() else { return None };
        let place = block.stmts.iter().position(|stmt| stmt.vars == [data])?;
        let is_last = place + 1 == block.stmts.len();
        let stmt = &mut block.stmts[place];
        let others = self.others.iter().copied().map(Atom::Var);
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these are taken apart")]
        match &mut stmt.op {
            Op::Con(_, _) => {
                let mut args: Vec<Atom> = others.collect();
                args.insert(self.at, Atom::Var(data));
                let mut atoms = self.f.params.iter().copied().zip(args).collect();
                let mut body = rename(program, &self.f.body, &mut atoms);
                block.stmts.append(&mut body.stmts);
                block.results = body.results;
                return Some(());
            }
            Op::Call(func, args) if *func == self.g => {
                *func = self.h;
                args.extend(others);
            }
            Op::Fail(_, _) => {}
            Op::If(_, _, _) | Op::Match(_) if is_last => {
                for inner in stmt.op.blocks_mut() {
                    self.from(program, inner)?;
                }
            }
            _ => return None,
        }
        stmt.vars = self.f.results.iter().map(|ty| program.fresh("taken", *ty)).collect();
        block.results = stmt.vars.iter().copied().map(Atom::Var).collect();
        Some(())
    }
}

/// Replaces calls of two functions, where one takes what the other makes, and nothing else does, by a call of one; whether
/// there were any.
fn join(block: &mut Block, one_of: &mut dyn FnMut(Pair) -> Option<FuncId>) -> bool {
    let is_data = |stmt: &Stmt| matches!(stmt.op, Op::Call(_, _)) && stmt.vars.len() == 1;
    if !block.stmts.iter().any(is_data) {
        return false;
    }
    let uses = block.uses();
    let mut makers: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut stays = vec![true; block.stmts.len()];
    for index in 0..block.stmts.len() {
        let Op::Call(takes, args) = &block.stmts[index].op else { continue };
        let joined = args.iter().enumerate().find_map(|(at, arg)| {
            let maker = *makers.get(&arg.var()?)?;
            let Op::Call(makes, inputs) = &block.stmts[maker].op else { return None };
            let one = one_of(Pair { takes: *takes, at, makes: *makes })?;
            let mut others = args.clone();
            others.remove(at);
            Some((maker, Op::Call(one, inputs.iter().copied().chain(others).collect())))
        });
        if let Some((maker, op)) = joined {
            stays[maker] = false;
            block.stmts[index].op = op;
            block.stmts[index].span = block.stmts[maker].span;
        }
        if let ([var], Op::Call(_, _)) =
            (block.stmts[index].vars.as_slice(), &block.stmts[index].op)
            && uses.get(var) == Some(&1)
        {
            makers.insert(*var, index);
        }
    }
    let changed = stays.contains(&false);
    keep(&mut block.stmts, &stays);
    changed
}

/// Leaves out data that nothing mentions; whether there was any.
fn drop_data(body: &mut Block) -> bool {
    let uses = body.uses();
    in_blocks(body, &mut |block| {
        let count = block.stmts.len();
        block.stmts.retain(|stmt| {
            !matches!((&stmt.op, stmt.vars.as_slice()), (Op::Con(_, _), [var]) if !uses.contains_key(var))
        });
        block.stmts.len() < count
    })
}

/// Runs over a block and those inside it; whether any changed.
fn in_blocks(block: &mut Block, run: &mut dyn FnMut(&mut Block) -> bool) -> bool {
    let mut changed = false;
    for stmt in &mut block.stmts {
        for inner in stmt.op.blocks_mut() {
            changed |= in_blocks(inner, run);
        }
    }
    changed | run(block)
}
