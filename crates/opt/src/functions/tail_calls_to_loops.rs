//! Tail-call elimination (Steele, 1977): a function that calls itself last becomes a loop.
//!
//! ```text
//! fn @f(i, n, y) {                    fn @f(i, n, y) {
//!   p = int_ge(i, n)                    j, w = loop with k = i, v = y while {
//!   r = if p { yield y } else {           p = int_ge(k, n)
//!     k = int_add(i, 1)                   q = not(p)
//!     z = y with [i] = 1.0                yield q
//!     s = @f(k, n, z)           =>      } do {
//!     yield s                             l = int_add(k, 1)
//!   }                                     z = v with [k] = 1.0
//!   yield r                               yield l, z
//! }                                     }
//!                                       …  -- the body for j and w, with undef for the call
//!                                     }
//! ```
//!
//! It is done for functions that hand on an array with other elements: then the gradient writes in place, and what it
//! saves is dense. It is also done for those that hand on other Reals below a loop that collects what they give,
//! since native code may run such a loop in several lanes. One that only counts stays: it is often called with a
//! known number, and `unroll_recursion` writes it out.
//!
//! Law: values, failures and their order stay. There must be one call of itself, at the end of one way through its
//! branches. What decides on going on is evaluated twice, before a step and in it, so it must be cheap, and nothing
//! that may fail or tell something may come before it.

use pullback_base::{Span, bug};
use pullback_ir::{
    Atom, Block, Elem, Func, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename,
};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, slice};
use pullback_analysis::call_graph::{names, reachable, runs};
use pullback_analysis::cost::again;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "tail_calls_to_loops",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes loops of functions that call themselves last and hand on an array with other elements, or other Reals \
            where a loop collects what they give",
    law: "f(x) = if c { a } else { b; f(y) } = f(x) = x = loop x while not c { b; y }; a",
    run,
};

/// The most operations that are evaluated twice to decide whether the function goes on.
const DEAREST: usize = 8;

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    let collected = collected(program);
    looped_all(program, &|func| collected.contains(&func)).into()
}

/// Makes loops of all functions that call themselves last and hand on other Reals, or an array with other elements: loops
/// can have checkpoints. Whether there were any; none if the pass is one of those left out.
pub fn loop_tail_calls(program: &mut Program, without: &[&str]) -> bool {
    !without.contains(&PASS.name) && looped_all(program, &|_| true)
}

/// The functions that collecting loops call, directly or not: if these are loops too, native code may run the
/// collecting loop in several lanes. Elsewhere recursion is faster, since its two sweeps may become one.
fn collected(program: &Program) -> FxHashSet<FuncId> {
    let mut called = vec![];
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            if let Op::Loop(repeat @ Loop { form: LoopForm::For { .. }, body, .. }) = &stmt.op
                && body.results.len() > repeat.states.len()
            {
                called.extend(names(program, body));
            }
        });
    }
    reachable(program, &called).into_iter().collect()
}

fn looped_all(program: &mut Program, may_compute: &dyn Fn(FuncId) -> bool) -> bool {
    let mut changed = false;
    for func in program.funcs.ids() {
        let Some(path) = path(program, func, may_compute(func)) else { continue };
        let body = looped(program, func, &path);
        program.funcs[func].body = body;
        changed = true;
    }
    changed
}

/// Which side of each branch leads to the one call of itself that a function ends with.
fn path(program: &Program, id: FuncId, may_compute: bool) -> Option<Vec<bool>> {
    let func = &program.funcs[id];
    if func.is_checkpoint || func.is_constant || calls(program, &func.body, id) != 1 {
        return None;
    }
    let (mut path, mut block) = (vec![], &func.body);
    let mut updates: FxHashMap<VarId, VarId> = FxHashMap::default();
    loop {
        for stmt in &block.stmts {
            if let (Op::Update(Atom::Var(of), ..), [var]) = (&stmt.op, stmt.vars.as_slice()) {
                updates.insert(*var, *of);
            }
        }
        let last = block.stmts.last()?;
        if !last.vars.iter().map(|var| Atom::Var(*var)).eq(block.results.iter().copied()) {
            return None;
        }
        if let Op::Call(callee, args) = &last.op
            && *callee == id
        {
            let is_handed_on = |(param, arg): (&VarId, &Atom)| {
                let mut from = arg.var();
                while let Some(before) = from.and_then(|var| updates.get(&var)) {
                    from = Some(*before);
                }
                from == Some(*param) && *arg != Atom::Var(*param)
            };
            let is_number = |(param, arg): (&VarId, &Atom)| {
                let Type { elem, rank, is_acc } = program.vars[*param].ty;
                let is_plain = matches!(elem, Elem::Real | Elem::Int | Elem::Bool);
                (is_plain && rank == 0 && !is_acc) || *arg == Atom::Var(*param)
            };
            let is_real = |(param, arg): (&VarId, &Atom)| {
                program.vars[*param].ty == Type::REAL && *arg != Atom::Var(*param)
            };
            let handed = || func.params.iter().zip(args);
            let computes = may_compute && handed().all(is_number) && handed().any(is_real);
            let is_loop = handed().any(is_handed_on) || computes;
            return (is_loop && is_cheap(program, func, &path)).then_some(path);
        }
        let Op::If(_, then, other) = &last.op else { return None };
        let is_then = calls(program, then, id) == 1;
        path.push(is_then);
        block = if is_then { then } else { other };
    }
}

/// How often a block calls a function.
fn calls(program: &Program, block: &Block, func: FuncId) -> usize {
    runs(program, block).into_iter().filter(|callee| *callee == func).count()
}

/// Whether the conditions on the path are cheap to evaluate twice, and evaluating them first changes neither which
/// failure comes first nor what has been told (`debug`) by then.
fn is_cheap(program: &Program, func: &Func, path: &[bool]) -> bool {
    let mut block = &func.body;
    let (mut stmts, mut asked): (Vec<&Stmt>, Vec<&Stmt>) = (vec![], vec![]);
    for is_then in path {
        let Some((last, before)) = block.stmts.split_last() else { return false };
        let Op::If(cond, then, other) = &last.op else { return false };
        stmts.extend(before);
        asked.extend(slice(stmts.iter().copied(), *cond).0);
        let is_asked = |stmt: &Stmt| asked.iter().any(|known| known.vars == stmt.vars);
        let last = stmts.iter().rposition(|stmt| is_asked(stmt) && !is_sure(stmt)).unwrap_or(0);
        if !stmts[..last].iter().all(|stmt| is_asked(stmt) || is_sure(stmt)) {
            return false;
        }
        block = if *is_then { then } else { other };
    }
    let is_plain = |stmt: &&Stmt| match stmt.vars[..] {
        [var] => again(&stmt.op, program.vars[var].ty).is_some(),
        _ => false,
    };
    !path.is_empty() && asked.len() <= DEAREST && asked.iter().all(is_plain)
}

/// Whether a statement only computes a value, and surely has one.
fn is_sure(stmt: &Stmt) -> bool {
    if let Op::Prim(prim, _) = &stmt.op {
        return prim.row().is_pure();
    }
    matches!(stmt.op, Op::Copy(_) | Op::Dim(..) | Op::Select(..))
}

/// The body of a function as a loop, and what it does in the end.
fn looped(program: &mut Program, id: FuncId, path: &[bool]) -> Block {
    let func = program.funcs[id].clone();
    let (step, args) = step(&func.body, path);
    let mut states = vec![];
    for (param, arg) in func.params.iter().zip(&args) {
        if *arg != Atom::Var(*param) {
            states.push((*param, *arg));
        }
    }
    // What the loop has for a parameter, and what comes out of it.
    let [inside, after] = [0; 2].map(|_| -> FxHashMap<VarId, Atom> {
        states.iter().map(|(param, _)| (*param, Atom::Var(program.fresh_like(*param)))).collect()
    });
    let vars = |of: &FxHashMap<VarId, Atom>| -> Vec<VarId> {
        states.iter().filter_map(|(param, _)| of[param].var()).collect()
    };
    let cond = asks(program, &func.body, path, &[], func.span);
    let cond = rename(program, &cond, &mut inside.clone());
    let results = states.iter().map(|(_, arg)| *arg).collect();
    let body = rename(program, &Block { stmts: step, results }, &mut inside.clone());
    let init = states.iter().map(|(param, _)| Atom::Var(*param)).collect();
    let repeat = Loop { form: LoopForm::While(cond), states: vars(&inside), init, body };
    let mut rest = func.body.clone();
    end(&mut rest, path);
    let mut rest = rename(program, &rest, &mut after.clone());
    rest.stmts.insert(0, Stmt::new(vars(&after), Op::Loop(repeat), func.span));
    rest
}

/// The block that says whether the function calls itself, that is whether all branches go along the path. `before`
/// are statements of outer blocks that are not in the result yet.
fn asks(
    program: &mut Program,
    block: &Block,
    path: &[bool],
    before: &[&Stmt],
    span: Span,
) -> Block {
    let (Some((last, stmts)), Some((is_then, path))) =
        (block.stmts.split_last(), path.split_first())
    else {
        bug(PASS.name, "a branch")
    };
    let Op::If(cond, then, other) = &last.op else { bug(PASS.name, "a branch") };
    let all: Vec<&Stmt> = before.iter().copied().chain(stmts).collect();
    let (needed, _) = slice(all.iter().copied(), *cond);
    let is_there = |stmt: &&Stmt| needed.iter().any(|known| known.vars == stmt.vars);
    let left: Vec<&Stmt> = all.iter().copied().filter(|stmt| !is_there(stmt)).collect();
    let result = program.fresh("goes_on", Type::BOOL);
    let no = Block { stmts: vec![], results: vec![Atom::Bool(false)] };
    let goes_on = if path.is_empty() {
        Block { stmts: vec![], results: vec![Atom::Bool(true)] }
    } else {
        asks(program, if *is_then { then } else { other }, path, &left, span)
    };
    let op = match (path.is_empty(), is_then) {
        (true, true) => Op::Copy(*cond),
        (true, false) => Op::Prim(Prim::Not, vec![*cond]),
        (false, true) => Op::If(*cond, goes_on, no),
        (false, false) => Op::If(*cond, no, goes_on),
    };
    let mut stmts: Vec<Stmt> = needed.into_iter().cloned().collect();
    stmts.push(Stmt::new(vec![result], op, span));
    Block { stmts, results: vec![Atom::Var(result)] }
}

/// Replaces the call at the end of the path by `undef`: the loop has ended, so it is not reached.
fn end(block: &mut Block, path: &[bool]) {
    let is_on_path = block.stmts.last_mut().zip(path.split_first());
    if let Some((last, (is_then, path))) = is_on_path {
        let Op::If(_, then, other) = &mut last.op else { bug(PASS.name, "a branch") };
        return end(if *is_then { then } else { other }, path);
    }
    let Some(call) = block.stmts.pop() else { bug(PASS.name, "a call") };
    block.stmts = call.vars.iter().map(|var| Stmt::new(vec![*var], Op::Undef, call.span)).collect();
}

/// The statements on the way to the call, and what it is given.
fn step(block: &Block, path: &[bool]) -> (Vec<Stmt>, Vec<Atom>) {
    let Some((last, before)) = block.stmts.split_last() else { bug(PASS.name, "a call") };
    let mut stmts = before.to_vec();
    match (&last.op, path.split_first()) {
        (Op::If(_, then, other), Some((is_then, path))) => {
            let (rest, args) = step(if *is_then { then } else { other }, path);
            stmts.extend(rest);
            (stmts, args)
        }
        (Op::Call(_, args), None) => (stmts, args.clone()),
        _ => bug(PASS.name, "a call at the end of the path"),
    }
}
