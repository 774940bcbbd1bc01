//! Checkpointing of loops by themselves (`--max-tape`): two levels, with segments of about the square root of the
//! steps.
//!
//! ```text
//!                                                       if n * B <= bytes { the loop } else {
//! y = for i < n with s = x { t = @step(s); yield t }  =>  y = for j < n / k with s = x {
//!                                                             t = checkpoint @segment(s, j * k, k)    k iterations of it
//!                                                             yield t } … the n mod k that are left }
//! ```
//!
//! Type: `(Program with requests, bytes) -> Program with requests`.
//! Law: the program computes what it did. A loop of `n` steps becomes a choice that is made when it starts: where `n`
//! times an estimate of what one step saves fits, the loop; else segments of `k` steps, each a call of a checkpoint.
//! Cost: with `B` for what a step saves and `S` for the size of the state, both as estimated, `k` is the root of `n *
//! S / B`. That makes what is saved at once least: at most `2 * sqrt (n * S * B) + S + B` (Chen, Xu, Zhang and
//! Guestrin, 2016). Each level of loops that exceed takes the time of the program once more. There is no further
//! level: what is saved in the end may still exceed, and `--max-memory` is the limit that holds.
//!
//! The estimate is that of one derivative in reverse mode. Each derivative more that a loop is inside of doubles what
//! a step saves, and the size of the state: values beside tangents, or what the inner backward sweep computes. So `k`
//! stays, and the loop is compared with half of the bytes.
//!
//! A `while` does not know its count: it runs as many steps as fit, then segments that are one step longer each time.
//! Recursion is left alone, and so are loops that hold nothing that can vary.

mod estimate;

use pullback_base::Span;
use pullback_ir::{
    Atom, Block, Func, FuncId, Loop, LoopForm, Mode, Op, Program, Stmt, Type, VarId, rename,
};
use pullback_prim::Prim;
use rustc_hash::FxHashMap;

use crate::orders::asked;
use estimate::{Emitter, Estimate, estimate};
use pullback_analysis::call_graph::{names, reachable};

/// Gives checkpoints to loops that would save more than `bytes`, in functions that are differentiated in reverse
/// mode.
pub fn limit_tapes(program: &mut Program, roots: &[FuncId], bytes: usize) {
    let mut pulled = vec![];
    for func in reachable(program, roots) {
        program.funcs[func].body.visit(&mut |stmt| {
            if let Op::Linearize(request, _) = &stmt.op {
                let request = &program.requests[*request];
                if matches!(request.mode, Mode::Pull(_)) {
                    pulled.push(request.func);
                }
            }
        });
    }
    let orders = orders(program, roots);
    for func in reachable(program, &pulled) {
        let mut body = program.funcs[func].body.clone();
        let more = orders.get(&func).map_or(0, |order| order.saturating_sub(1));
        let mut ctx = Tape { program, bytes: bytes as f64 / f64::from(1 << more) };
        ctx.block(&mut body);
        program.funcs[func].body = body;
    }
}

/// The largest number of derivatives that each function is inside of. It is bounded, since a request that leads to
/// itself has no end.
fn orders(program: &Program, roots: &[FuncId]) -> FxHashMap<FuncId, u32> {
    const MOST: u32 = 16;
    let mut orders: FxHashMap<FuncId, u32> = roots.iter().map(|root| (*root, 0)).collect();
    let mut todo = roots.to_vec();
    while let Some(func) = todo.pop() {
        let order = orders[&func];
        let asked = asked(&program.funcs[func].body).into_iter();
        let asked: Vec<FuncId> = asked.map(|(request, _)| program.requests[request].func).collect();
        for callee in names(program, &program.funcs[func].body) {
            let next = (order + u32::from(asked.contains(&callee))).min(MOST);
            if orders.get(&callee).is_none_or(|known| *known < next) {
                orders.insert(callee, next);
                todo.push(callee);
            }
        }
    }
    orders
}

struct Tape<'p> {
    program: &'p mut Program,
    bytes: f64,
}

/// Some steps of a loop as a function, and a checkpoint that calls it.
struct Segment {
    func: FuncId,
    checkpoint: FuncId,
    captured: Vec<Atom>,
}

impl Segment {
    /// A call with what says which steps to take, the states, and what is captured.
    fn call(&self, is_checkpoint: bool, steps: &[Atom], states: &[Atom]) -> Op {
        let func = if is_checkpoint { self.checkpoint } else { self.func };
        Op::Call(func, [steps, states, &self.captured].concat())
    }
}

impl Tape<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let repeat = if let Op::Loop(repeat) = &stmt.op { Some(repeat) } else { None };
            // The estimate is taken before inner loops are changed.
            let saving = repeat.filter(|repeat| self.may_save(repeat)).cloned();
            let known = saving.map(|repeat| estimate(self.program, &repeat, stmt.span));
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
            match (stmt.op, known) {
                (Op::Loop(repeat), Some((mut stmts, estimate))) => {
                    block.stmts.append(&mut stmts);
                    self.limited(stmt.vars, repeat, &estimate, stmt.span, &mut block.stmts);
                }
                (op, _) => block.stmts.push(Stmt::new(stmt.vars, op, stmt.span)),
            }
        }
    }

    /// Whether a loop holds something that can vary, and runs up without effects.
    fn may_save(&self, repeat: &Loop) -> bool {
        let Loop { form, states, body, .. } = repeat;
        let of = |var: &VarId| self.program.vars[*var].ty;
        let is_plain = match form {
            LoopForm::For { down, .. } => !down,
            LoopForm::While(_) => body.results.len() == states.len(),
        };
        let free = free_of(repeat);
        let types = body.results.iter().map(|atom| self.program.type_of(*atom));
        is_plain
            && !free.iter().chain(states).any(|var| of(var).is_acc)
            && types.into_iter().any(|ty| self.program.has_tangent(ty))
    }

    fn limited(
        &mut self,
        vars: Vec<VarId>,
        repeat: Loop,
        estimate: &Estimate,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let segment = self.segment(&vars, &repeat, span);
        let mut emitter = Emitter::new(self.program, span);
        if let LoopForm::For { count, .. } = repeat.form {
            let count_real = emitter.real(count);
            let exceeds = match estimate.step {
                Some(step) => {
                    let all = emitter.real_prim(Prim::Mul, &[count_real, step]);
                    emitter.prim("exceeds", Type::BOOL, Prim::Gt, &[all, Atom::Real(self.bytes)])
                }
                None => {
                    emitter.prim("exceeds", Type::BOOL, Prim::Gt, &[count_real, Atom::Real(1.0)])
                }
            };
            let one = emitter.scoped(|emitter| {
                let op = segment.call(false, &[Atom::Int(0), count], &repeat.init);
                emitter.like(&vars, op)
            });
            let many = emitter
                .scoped(|emitter| counted(emitter, &vars, &repeat, &segment, estimate, count_real));
            out.append(&mut emitter.stmts);
            out.push(Stmt::new(vars, Op::If(exceeds, many, one), span));
        } else {
            let fits = match estimate.step {
                Some(step) => {
                    let fits = emitter.real_prim(Prim::Div, &[Atom::Real(self.bytes), step]);
                    let fits = emitter.real_prim(Prim::Max, &[fits, Atom::Real(1.0)]);
                    let fits = emitter.real_prim(Prim::Min, &[fits, Atom::Real(1e15)]);
                    emitter.prim("fits", Type::INT, Prim::ToInt, &[fits])
                }
                None => Atom::Int(1),
            };
            let first = emitter.like(&vars, segment.call(false, &[fits], &repeat.init));
            out.append(&mut emitter.stmts);
            self.conditional(vars, repeat, &segment, first, span, out);
        }
    }

    /// The rest of a `while`, in segments that are one step longer each time.
    fn conditional(
        &mut self,
        vars: Vec<VarId>,
        repeat: Loop,
        segment: &Segment,
        first: Vec<Atom>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut states: Vec<VarId> =
            repeat.states.iter().map(|state| self.program.fresh_like(*state)).collect();
        let atoms: Vec<Atom> = states.iter().map(|var| Atom::Var(*var)).collect();
        let cond = match &repeat.form {
            LoopForm::While(cond) => {
                let mut map = repeat.states.iter().copied().zip(atoms.iter().copied()).collect();
                rename(self.program, cond, &mut map)
            }
            LoopForm::For { .. } => Block::default(),
        };
        let limit = self.program.fresh("limit", Type::INT);
        states.push(limit);
        let mut emitter = Emitter::new(self.program, span);
        let mut next = emitter.like(&vars, segment.call(true, &[limit.into()], &atoms));
        next.push(emitter.prim("limit", Type::INT, Prim::IntAdd, &[limit.into(), Atom::Int(1)]));
        let body = Block { stmts: emitter.stmts, results: next };
        let init = first.into_iter().chain([Atom::Int(1)]).collect();
        let last = self.program.fresh("limit", Type::INT);
        let form = LoopForm::While(cond);
        let vars = vars.into_iter().chain([last]).collect();
        out.push(Stmt::new(vars, Op::Loop(Loop { form, states, init, body }), span));
    }

    /// The function of some steps of a loop: `(low, count, state…, captured…)` for one that counts,
    /// `(limit, state…, captured…)` for one that tests.
    fn segment(&mut self, vars: &[VarId], repeat: &Loop, span: Span) -> Segment {
        let captured = free_of(repeat);
        let inside: Vec<VarId> = captured.iter().map(|var| self.program.fresh_like(*var)).collect();
        let mut map: FxHashMap<VarId, Atom> =
            captured.iter().copied().zip(inside.iter().map(|var| Atom::Var(*var))).collect();
        let copies = |program: &mut Program| -> Vec<VarId> {
            repeat.states.iter().map(|state| program.fresh_like(*state)).collect()
        };
        let (firsts, mut states) = (copies(self.program), copies(self.program));
        map.extend(repeat.states.iter().copied().zip(states.iter().map(|var| Atom::Var(*var))));
        let mut init: Vec<Atom> = firsts.iter().map(|var| Atom::Var(*var)).collect();
        let mut steps = vec![];
        let mut results: Vec<VarId> =
            vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        let returned: Vec<Atom> = results.iter().map(|var| Atom::Var(*var)).collect();
        let (form, body) = match &repeat.form {
            LoopForm::For { index, .. } => {
                let low = self.program.fresh("low", Type::INT);
                let count = self.program.fresh("count", Type::INT);
                let own = self.program.fresh("j", Type::INT);
                let place = self.program.fresh_like(*index);
                map.insert(*index, place.into());
                let mut body = rename(self.program, &repeat.body, &mut map);
                let op = Op::Prim(Prim::IntAdd, vec![low.into(), own.into()]);
                body.stmts.insert(0, Stmt::new(vec![place], op, span));
                steps.extend([low, count]);
                (LoopForm::For { index: own, count: count.into(), down: false }, body)
            }
            LoopForm::While(cond) => {
                let limit = self.program.fresh("limit", Type::INT);
                let own = self.program.fresh("j", Type::INT);
                let mut emitter = Emitter::new(self.program, span);
                let is_short =
                    emitter.prim("short", Type::BOOL, Prim::IntLt, &[own.into(), limit.into()]);
                let mut stmts = emitter.stmts;
                let cond = rename(self.program, cond, &mut map);
                let none = Block { stmts: vec![], results: vec![Atom::Bool(false)] };
                let goes_on = self.program.fresh("more", Type::BOOL);
                stmts.push(Stmt::new(vec![goes_on], Op::If(is_short, cond, none), span));
                let cond = Block { stmts, results: vec![goes_on.into()] };
                let mut body = rename(self.program, &repeat.body, &mut map);
                let mut emitter = Emitter::new(self.program, span);
                let next = emitter.prim("j", Type::INT, Prim::IntAdd, &[own.into(), Atom::Int(1)]);
                body.stmts.append(&mut emitter.stmts);
                body.results.push(next);
                states.push(own);
                init.push(Atom::Int(0));
                results.push(self.program.fresh("j", Type::INT));
                steps.push(limit);
                (LoopForm::While(cond), body)
            }
        };
        let op = Op::Loop(Loop { form, states, init, body });
        let body = Block { stmts: vec![Stmt::new(results, op, span)], results: returned };
        let params: Vec<VarId> = steps.into_iter().chain(firsts).chain(inside).collect();
        let (func, checkpoint) = self.functions(params, vars, body, span);
        let captured = captured.into_iter().map(Atom::Var).collect();
        Segment { func, checkpoint, captured }
    }

    /// A function, and a checkpoint that calls it.
    fn functions(
        &mut self,
        params: Vec<VarId>,
        vars: &[VarId],
        body: Block,
        span: Span,
    ) -> (FuncId, FuncId) {
        let results: Vec<Type> = vars.iter().map(|var| self.program.vars[*var].ty).collect();
        let own: Vec<VarId> = params.iter().map(|var| self.program.fresh_like(*var)).collect();
        let mut declare = |params, body, is_checkpoint| {
            self.program.funcs.push(Func {
                name: "segment".into(),
                params,
                results: results.clone(),
                body,
                is_constant: false,
                is_checkpoint,
                routine: None,
                preconditions: vec![],
                span,
            })
        };
        let func = declare(params, body, false);
        let checkpoint = declare(own.clone(), Block::default(), true);
        let mut emitter = Emitter::new(self.program, span);
        let args = own.into_iter().map(Atom::Var).collect();
        let results = emitter.like(vars, Op::Call(func, args));
        let body = Block { stmts: emitter.stmts, results };
        self.program.funcs[checkpoint].body = body;
        (func, checkpoint)
    }
}

/// `n / k` segments of `k` steps, and one of the steps that are left.
fn counted(
    emitter: &mut Emitter<'_>,
    vars: &[VarId],
    repeat: &Loop,
    segment: &Segment,
    estimate: &Estimate,
    count_real: Atom,
) -> Vec<Atom> {
    let LoopForm::For { count, .. } = repeat.form else {
        pullback_base::bug(crate::name::NAME, "a loop that counts")
    };
    let states = repeat.states.len();
    let int = |emitter: &mut Emitter<'_>, prim, a, b| emitter.prim("n", Type::INT, prim, &[a, b]);
    let step = estimate.step.unwrap_or(estimate.state);
    let ratio = emitter.real_prim(Prim::Div, &[estimate.state, step]);
    let square = emitter.real_prim(Prim::Mul, &[count_real, ratio]);
    let root = emitter.real_prim(Prim::Sqrt, &[square]);
    let root = emitter.real_prim(Prim::Ceil, &[root]);
    let root = emitter.real_prim(Prim::Max, &[root, Atom::Real(1.0)]);
    let root = emitter.real_prim(Prim::Min, &[root, count_real]);
    let steps = emitter.prim("steps", Type::INT, Prim::ToInt, &[root]);
    let full = int(emitter, Prim::IntDiv, count, steps);
    let done = int(emitter, Prim::IntMul, full, steps);
    let left = int(emitter, Prim::IntSub, count, done);

    let index = emitter.program.fresh("segment", Type::INT);
    let own: Vec<VarId> =
        repeat.states.iter().map(|state| emitter.program.fresh_like(*state)).collect();
    let body = emitter.scoped(|emitter| {
        let low = int(emitter, Prim::IntMul, index.into(), steps);
        let atoms: Vec<Atom> = own.iter().map(|var| Atom::Var(*var)).collect();
        emitter.like(vars, segment.call(true, &[low, steps], &atoms))
    });
    let form = LoopForm::For { index, count: full, down: false };
    let types: Vec<Type> = vars.iter().map(|var| emitter.program.vars[*var].ty).collect();
    let raised = types.iter().enumerate();
    let raised = raised.map(|(at, ty)| if at < states { *ty } else { ty.array() }).collect();
    let op = Op::Loop(Loop { form, states: own, init: repeat.init.clone(), body });
    let main = emitter.typed(raised, op);
    let (last, rows) = main.split_at(states);
    let mut rounded = last.to_vec();
    for (row, ty) in rows.iter().zip(&types[states..]) {
        rounded.extend(emitter.typed(vec![*ty], Op::Flatten(*row)));
    }
    let is_done = emitter.prim("done", Type::BOOL, Prim::IntEq, &[left, Atom::Int(0)]);
    let exact = Block { stmts: vec![], results: rounded.clone() };
    let rest = emitter.scoped(|emitter| {
        let mut rest = emitter.like(vars, segment.call(true, &[done, left], last));
        for at in states..rest.len() {
            let both = Op::Concat(rounded[at], rest[at]);
            rest[at] = emitter.typed(vec![types[at]], both)[0];
        }
        rest
    });
    emitter.typed(types, Op::If(is_done, exact, rest))
}

/// The variables from outside that a loop uses in its rounds.
fn free_of(repeat: &Loop) -> Vec<VarId> {
    let mut free = vec![];
    if let LoopForm::While(cond) = &repeat.form {
        free.extend(cond.free());
    }
    free.extend(repeat.body.free());
    let own = |var: &VarId| {
        repeat.states.contains(var)
            || matches!(repeat.form, LoopForm::For { index, .. } if index == *var)
    };
    let mut seen = rustc_hash::FxHashSet::default();
    free.retain(|var| !own(var) && seen.insert(*var));
    free
}
