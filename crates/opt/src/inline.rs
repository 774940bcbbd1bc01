//! Calls become what they call.

use pullback_base::{IdVec, Span};
use pullback_ir::{Atom, Block, FuncId, Op, Program, Stmt, rename};
use rustc_hash::FxHashMap;

use crate::calls::{CallGraph, call_graph};
use crate::pass::{Pass, block_size};

pub(crate) const PASS: Pass = Pass {
    name: "inline",
    about: "puts the bodies of small functions, and of those called once, in the place of calls",
    law: "f(a…) = body of f with a… for its parameters and fresh names for what it binds; checkpoints stay calls",
    run,
};

/// How many statements a small function has at most.
const SMALL: usize = 80;
/// How many statements a program may gain, beside as many as it has.
const GROWTH: usize = 4000;

fn run(program: &mut Program, roots: &mut [FuncId]) -> bool {
    let graph = call_graph(program, roots);
    let mut uses: IdVec<FuncId, usize> = program.funcs.ids().map(|_| 0).collect();
    for func in &graph.order {
        for callee in &graph.named[*func].calls {
            uses[*callee] += 1;
        }
    }
    let sizes: IdVec<FuncId, usize> =
        program.funcs.iter().map(|func| block_size(&func.body)).collect();
    let room = GROWTH + sizes.iter().sum::<usize>();
    let mut ctx = Inline { program, uses, sizes, room, changed: false };
    for func in &graph.order {
        let mut body = std::mem::take(&mut ctx.program.funcs[*func].body);
        ctx.block(&graph, &mut body);
        ctx.sizes[*func] = block_size(&body);
        ctx.program.funcs[*func].body = body;
    }
    ctx.changed
}

struct Inline<'p> {
    program: &'p mut Program,
    /// How often each function is called.
    uses: IdVec<FuncId, usize>,
    sizes: IdVec<FuncId, usize>,
    /// How many statements may still be added.
    room: usize,
    changed: bool,
}

impl Inline<'_> {
    fn block(&mut self, graph: &CallGraph, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.blocks_mut() {
                self.block(graph, inner);
            }
            if let Op::Call(func, args) = &stmt.op
                && self.is_wanted(graph, *func)
            {
                self.changed = true;
                self.call(*func, args, &stmt, &mut stmts);
            } else {
                stmts.push(stmt);
            }
        }
        block.stmts = stmts;
    }

    fn is_wanted(&mut self, graph: &CallGraph, func: FuncId) -> bool {
        let size = self.sizes[func];
        if graph.is_recursive[func] || self.program.funcs[func].is_checkpoint {
            return false;
        }
        // A constant is evaluated once, wherever it is used.
        if self.program.funcs[func].is_constant {
            return size == 0;
        }
        let is_only = self.uses[func] == 1 && !graph.is_held[func];
        if !is_only && (size > SMALL || size > self.room) {
            return false;
        }
        if !is_only {
            self.room -= size;
        }
        true
    }

    fn call(&mut self, func: FuncId, args: &[Atom], call: &Stmt, stmts: &mut Vec<Stmt>) {
        let callee = &self.program.funcs[func];
        let mut atoms: FxHashMap<_, _> =
            callee.params.iter().copied().zip(args.iter().copied()).collect();
        let body = callee.body.clone();
        let mut body = rename(self.program, &body, &mut atoms);
        self.tell_from_outside(&mut body, call.span);
        stmts.append(&mut body.stmts);
        for (var, result) in call.vars.iter().zip(body.results) {
            stmts.push(Stmt::new(vec![*var], Op::Copy(result), call.span));
        }
    }

    /// Errors of the library are told where it is called from outside.
    fn tell_from_outside(&self, body: &mut Block, call: Span) {
        let library = &self.program.library;
        if library.contains(&call.file) {
            return;
        }
        body.visit_mut(&mut |stmt| {
            if library.contains(&stmt.span.file) {
                stmt.span = call;
            }
        });
    }
}
