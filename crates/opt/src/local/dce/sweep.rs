//! The sweep of dead-code elimination: it takes out of the program what the graph did not mark.
//!
//! ```text
//! before   s.3, t.4 = for i < n with u.5, v.6 { p.7 = add(u.5, x); q.8 = mul(v.6, x); yield p.7, q.8 }
//! after    s.3 = for i < n with u.5 { p.7 = add(u.5, x); yield p.7 }
//! ```
//!
//! Input: the program, the numbers of the nodes, and which of them are live. Output: the smaller program, and whether
//! anything went.
//! Invariant: statements have the ids that they had in the graph. An accumulator to which nothing adds any more is
//! replaced by what it began with.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Elem, FuncId, Loop, Op, Program, Stmt, VarId, keep};
use rustc_hash::FxHashSet;

use super::graph::Nodes;
use crate::pass::bodies as bodies_of;
use pullback_analysis::Changed;

/// Leaves only what is live; where anything else was.
pub(super) fn sweep(program: &mut Program, nodes: &Nodes, live: &[bool]) -> Changed {
    let ids = program.funcs.ids();
    let mut bodies: IdVec<FuncId, Block> =
        ids.map(|func| std::mem::take(&mut program.funcs[func].body)).collect();
    let written = FxHashSet::default();
    let mut sweep = Sweep { program, nodes, live, written, changed: false };
    let mut changed = FxHashSet::default();
    for func in sweep.program.funcs.ids() {
        sweep.block(func, &mut bodies[func]);
        let results: Vec<bool> = sweep.results(func, bodies[func].results.len());
        sweep.keep(&mut bodies[func].results, &results);
        if std::mem::take(&mut sweep.changed) {
            changed.insert(func);
        }
    }
    for func in bodies.ids() {
        sweep.unwritten(&mut bodies[func]);
        if std::mem::take(&mut sweep.changed) {
            changed.insert(func);
        }
    }
    for func in program.funcs.ids() {
        program.funcs[func].body = std::mem::take(&mut bodies[func]);
    }
    if signatures(program, nodes, live) {
        return Changed::All;
    }
    bodies_of(program.funcs.ids().filter(|func| changed.contains(func)).collect())
}

/// Takes out parameters and results of functions, and fields of constructors.
fn signatures(program: &mut Program, nodes: &Nodes, live: &[bool]) -> bool {
    let mut changed = false;
    for func in program.funcs.ids() {
        let known = &mut program.funcs[func];
        let before = known.params.len() + known.results.len();
        known.params.retain(|param| live[nodes.var(*param)]);
        let stays: Vec<bool> =
            (0..known.results.len()).map(|at| live[nodes.result(func, at)]).collect();
        keep(&mut known.results, &stays);
        changed |= before != known.params.len() + known.results.len();
    }
    for data in program.datas.ids() {
        for (tag, constructor) in program.datas[data].constructors.iter_mut().enumerate() {
            let stays = 0..constructor.fields.len();
            let stays: Vec<bool> =
                stays.map(|at| live[nodes.field(data, tag as u32, at)]).collect();
            changed |= stays.contains(&false);
            keep(&mut constructor.fields, &stays);
        }
    }
    changed
}

struct Sweep<'a> {
    program: &'a Program,
    nodes: &'a Nodes,
    live: &'a [bool],
    /// The accumulators that something adds to, or takes a part of.
    written: FxHashSet<VarId>,
    changed: bool,
}

impl Sweep<'_> {
    fn is_live(&self, var: VarId) -> bool {
        self.live[self.nodes.var(var)]
    }

    fn results(&self, func: FuncId, count: usize) -> Vec<bool> {
        (0..count).map(|at| self.live[self.nodes.result(func, at)]).collect()
    }

    fn fields(&self, ty: pullback_ir::Type, tag: u32, count: usize) -> Vec<bool> {
        let Elem::Data(data) = ty.elem else { return vec![true; count] };
        (0..count).map(|at| self.live[self.nodes.field(data, tag, at)]).collect()
    }

    fn keep<T>(&mut self, items: &mut Vec<T>, stays: &[bool]) {
        self.changed |= stays.contains(&false);
        keep(items, stays);
    }

    fn block(&mut self, func: FuncId, block: &mut Block) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            if self.live[self.nodes.stmt(func, &stmt)] {
                self.stmt(&mut stmt);
                for inner in stmt.op.blocks_mut() {
                    self.block(func, inner);
                }
                stmts.push(stmt);
            } else {
                self.changed = true;
            }
        }
        block.stmts = stmts;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        let vars: Vec<bool> = stmt.vars.iter().map(|var| self.is_live(*var)).collect();
        #[expect(clippy::wildcard_enum_match_arm, reason = "others stay as they are")]
        match &mut stmt.op {
            Op::Call(func, args) => {
                let params = &self.program.funcs[*func].params;
                let params: Vec<bool> = params.iter().map(|param| self.is_live(*param)).collect();
                self.keep(args, &params);
                self.written.extend(args.iter().filter_map(|arg| arg.var()));
                let results = self.results(*func, stmt.vars.len());
                self.keep(&mut stmt.vars, &results);
            }
            Op::Con(tag, fields) => {
                let ty = self.program.vars[stmt.vars[0]].ty;
                let stays = self.fields(ty, *tag, fields.len());
                self.keep(fields, &stays);
            }
            Op::If(_, then, other) => {
                self.keep(&mut stmt.vars, &vars);
                self.keep(&mut then.results, &vars);
                self.keep(&mut other.results, &vars);
            }
            Op::Match(cases) => {
                let ty = self.program.type_of(cases.scrutinee);
                for arm in &mut cases.arms {
                    let stays = self.fields(ty, arm.tag, arm.params.len());
                    self.keep(&mut arm.params, &stays);
                    self.keep(&mut arm.block.results, &vars);
                }
                if let Some(default) = &mut cases.default {
                    self.keep(&mut default.results, &vars);
                }
                self.keep(&mut stmt.vars, &vars);
            }
            Op::Loop(form) => self.repeat(&mut stmt.vars, form, vars),
            Op::AddAcc(acc, _, _) | Op::AtAcc(acc, _) | Op::PartAcc(acc, _, _) => {
                self.written.extend(acc.var());
            }
            _ => {}
        }
    }

    fn repeat(&mut self, vars: &mut Vec<VarId>, form: &mut Loop, mut stays: Vec<bool>) {
        let states = form.states.len();
        for (at, state) in form.states.iter().enumerate() {
            stays[at] = self.is_live(*state);
        }
        self.keep(vars, &stays);
        self.keep(&mut form.body.results, &stays);
        self.keep(&mut form.states, &stays[..states]);
        self.keep(&mut form.init, &stays[..states]);
    }

    /// An accumulator that nothing adds to holds what it began with.
    fn unwritten(&mut self, block: &mut Block) {
        let mut begins: Vec<(VarId, Atom)> = vec![];
        for stmt in &mut block.stmts {
            for inner in stmt.op.blocks_mut() {
                self.unwritten(inner);
            }
            if let (Op::NewAcc(init), [acc]) = (&stmt.op, &stmt.vars[..])
                && !self.written.contains(acc)
            {
                begins.push((*acc, *init));
            }
            if let Op::ReadAcc(Atom::Var(acc)) = stmt.op
                && let Some((_, init)) = begins.iter().find(|(known, _)| *known == acc)
            {
                stmt.op = Op::Copy(*init);
            }
        }
        if !begins.is_empty() {
            self.changed = true;
            block.stmts.retain(|stmt| {
                !stmt.vars.iter().any(|var| begins.iter().any(|(acc, _)| acc == var))
            });
        }
    }
}
