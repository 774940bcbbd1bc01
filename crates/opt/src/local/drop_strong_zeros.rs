//! Strong products become plain products where the (co)tangent is never absent: a forward dataflow analysis of
//! absence.
//!
//! ```text
//! t = mul(y_bar, p)            t = mul(y_bar, p)
//! u = mul_zero(t, q)    =>     u = mul(t, q)
//! ```
//!
//! A (co)tangent may be absent, with a zero in its place, where it comes from a zero, from an accumulator to which
//! perhaps nothing was added, or from a branch that gives one. What is computed from numbers that are present is
//! present, and a sum is present if one of its parts is. The analysis starts with everything present and marks what
//! may be absent until nothing changes; it goes through calls, fields of data, and states of loops.
//!
//! Law: `mul_zero(t, x) = t * x` if `t` is present. Where `t` is present and is the number 0, and `x` is infinite or
//! NaN, the result is NaN as for any other product. A parameter of a function that a rule or a request names may be
//! absent; that of a root is present.

use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, FuncId, Op, Program, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use crate::pass::{Pass, Phase, Scope, each_body};

use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "drop_strong_zeros",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    about: "makes products of strong products with what is never absent",
    law: "mul_zero(t, x) = t * x, if t is a (co)tangent that is there",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let mut absence = Absence {
        program,
        vars: vec![false; program.vars.len()],
        fields: FxHashSet::default(),
        changed: true,
    };
    let graph = analyses.call_graph(program, roots);
    for (id, func) in program.funcs.iter_enumerated() {
        if graph.is_held[id] && !roots.contains(&id) {
            func.params.iter().for_each(|param| absence.vars[param.index()] = true);
        }
    }
    while std::mem::take(&mut absence.changed) {
        program.funcs.iter().for_each(|func| absence.block(&func.body));
    }
    let absent = absence.vars;
    each_body(program, |_, body| {
        let mut changed = false;
        body.visit_mut(&mut |stmt| {
            if let Op::MulZero(t, x) = stmt.op
                && !is_absent(&absent, t)
            {
                stmt.op = Op::Prim(Prim::Mul, vec![t, x]);
                changed = true;
            }
        });
        changed
    })
}

fn is_absent(vars: &[bool], atom: Atom) -> bool {
    match atom {
        Atom::Var(var) => vars[var.index()],
        Atom::Real(x) => x == 0.0,
        Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => false,
    }
}

struct Absence<'p> {
    program: &'p Program,
    /// Whether a variable, or a part of it, may be absent.
    vars: Vec<bool>,
    /// The fields of constructors that may be.
    fields: FxHashSet<(usize, u32, usize)>,
    changed: bool,
}

impl Absence<'_> {
    fn absent(&self, atom: Atom) -> bool {
        is_absent(&self.vars, atom)
    }

    fn set(&mut self, var: VarId, is_absent: bool) {
        if is_absent && !self.vars[var.index()] {
            self.vars[var.index()] = true;
            self.changed = true;
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.op.blocks().into_iter().for_each(|inner| self.block(inner));
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others give one value")]
        match &stmt.op {
            Op::If(_, _, _) => self.branches(stmt),
            Op::Match(cases) => {
                let data = self.data(cases.scrutinee);
                for arm in &cases.arms {
                    for (at, param) in arm.params.iter().enumerate() {
                        let is_absent = self.fields.contains(&(data, arm.tag, at))
                            || self.absent(cases.scrutinee);
                        self.set(*param, is_absent);
                    }
                }
                self.branches(stmt);
            }
            Op::Loop(form) => {
                for (at, (var, next)) in stmt.vars.iter().zip(&form.body.results).enumerate() {
                    let mut is_absent = self.absent(*next);
                    if let Some(state) = form.states.get(at) {
                        is_absent |= self.absent(form.init[at]);
                        self.set(*state, is_absent);
                    }
                    self.set(*var, is_absent);
                }
            }
            Op::Call(func, args) => {
                let func = &self.program.funcs[*func];
                for (param, arg) in func.params.iter().zip(args) {
                    let is_absent = self.absent(*arg);
                    self.set(*param, is_absent);
                }
                for (var, result) in stmt.vars.iter().zip(&func.body.results) {
                    let is_absent = self.absent(*result);
                    self.set(*var, is_absent);
                }
            }
            Op::Con(tag, fields) => {
                let data = self.data(stmt.vars[0].into());
                for (at, field) in fields.iter().enumerate() {
                    if self.absent(*field) && self.fields.insert((data, *tag, at)) {
                        self.changed = true;
                    }
                }
            }
            op => {
                let is_absent = self.value(op);
                stmt.vars.iter().for_each(|var| self.set(*var, is_absent));
            }
        }
    }

    fn data(&self, atom: Atom) -> usize {
        match self.program.type_of(atom).elem {
            Elem::Data(data) => data.index(),
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                pullback_base::bug("drop_strong_zeros", "a data value")
            }
        }
    }

    fn branches(&mut self, stmt: &Stmt) {
        for (at, var) in stmt.vars.iter().enumerate() {
            let is_absent = stmt.op.blocks().iter().any(|block| self.absent(block.results[at]));
            self.set(*var, is_absent);
        }
    }

    /// Whether the value of an operation without blocks may be absent.
    fn value(&self, op: &Op) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others that is never known")]
        match op {
            // A sum is there if a part of it is.
            Op::Prim(Prim::Add | Prim::Sub, args) => args.iter().all(|arg| self.absent(*arg)),
            Op::Plus(a, b) => self.absent(*a) && self.absent(*b),
            Op::MulZero(t, _) => self.absent(*t),
            Op::Undef | Op::Dim(_, _) | Op::Shape(_, _) | Op::Argsort(_) => false,
            Op::Index(a, _) => self.absent(*a),
            Op::Copy(_)
            | Op::Stop(_)
            | Op::Prim(_, _)
            | Op::Select(_, _, _)
            | Op::Array(_)
            | Op::Update(_, _, _)
            | Op::Slice(_, _, _)
            | Op::Concat(_, _)
            | Op::Flatten(_)
            | Op::Sized(_, _, _)
            | Op::Sum(_)
            | Op::NewAcc(_)
            | Op::AtAcc(_, _)
            | Op::PartAcc(_, _, _)
            | Op::ReadAcc(_) => {
                let mut is_absent = false;
                op.for_each_atom(&mut |atom| is_absent |= self.absent(atom));
                is_absent
            }
            _ => true,
        }
    }
}
