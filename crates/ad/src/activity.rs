//! Activity analysis, its forward half: which variables of a function vary with the parameters that move.
//!
//! ```text
//! f(x, k) with x moving:   a = sin(x)   b = mul(a, k)   c = mul(k, k)   acc += b        a, b and acc vary, and c does not
//! ```
//!
//! Only variables that vary have tangents; all other tangents are structural zeros and cost nothing. The backward
//! half, which of these matter for a result, is `prune`.
//!
//! Input: a function and which of its parameters move. Output: the variables that vary.
//! Law: it is the least solution of the flow along operations that are differentiable in an operand. A call is known
//! by a summary: which results vary for which parameters. An accumulator varies if anything that varies is added to
//! it or to a part of it, so activity flows both ways between whole and part.
//!
//! Of primitives it knows what the table says (`Smooth::carriers`), as [`pullback_prim::activity`] does. It is
//! another analysis since that one has one answer for all results of a function, and knows no effects on parameters.
//! Here each result of a function with several, as derivatives have, is told by itself, and so is each accumulator
//! that it is given.

use pullback_base::bug;
use pullback_ir::{Atom, Block, FuncId, Loop, Op, Program, Rule, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;

/// The variables that vary.
pub(crate) type Active = FxHashSet<VarId>;

/// What varies after a call, given which parameters vary.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    /// Whether each result varies.
    pub(crate) results: Vec<bool>,
    /// Whether each parameter that is an accumulator varies then.
    pub(crate) params: Vec<bool>,
}

/// The summaries of a program, made when they are asked for.
#[derive(Default)]
pub(crate) struct Summaries {
    known: FxHashMap<(FuncId, Vec<bool>), Summary>,
    /// The summaries that do not change any more.
    stable: FxHashSet<(FuncId, Vec<bool>)>,
    /// The summaries that have been computed in this round.
    seen: FxHashSet<(FuncId, Vec<bool>)>,
    /// Whether one has changed in this round.
    changed: bool,
}

impl Summaries {
    /// The summary of a function.
    pub(crate) fn of(&mut self, program: &Program, func: FuncId, active: &[bool]) -> Summary {
        let key = (func, active.to_vec());
        // Recursive functions are looked at, once a round, until nothing changes.
        while !self.stable.contains(&key) {
            self.seen.clear();
            self.changed = false;
            self.look(program, &key);
            if !self.changed {
                self.stable.extend(self.seen.drain());
            }
        }
        self.known[&key].clone()
    }

    fn look(&mut self, program: &Program, key: &(FuncId, Vec<bool>)) {
        if self.stable.contains(key) || !self.seen.insert(key.clone()) {
            return;
        }
        let (func, active) = key;
        let source = &program.funcs[*func];
        let nothing = Summary {
            results: vec![false; source.results.len()],
            params: vec![false; source.params.len()],
        };
        self.known.entry(key.clone()).or_insert(nothing);
        let mut set = Active::default();
        for (param, moves) in source.params.iter().zip(active) {
            if *moves {
                set.insert(*param);
            }
        }
        let set = self.flow(program, &source.body, set);
        let summary = Summary {
            results: source.body.results.iter().map(|atom| is_in(&set, *atom)).collect(),
            params: source
                .params
                .iter()
                .map(|param| program.vars[*param].ty.is_acc && set.contains(param))
                .collect(),
        };
        if self.known[key] != summary {
            self.known.insert(key.clone(), summary);
            self.changed = true;
        }
    }

    /// The variables of a body that vary, given those from outside that do.
    pub(crate) fn vary(&mut self, program: &Program, body: &Block, set: Active) -> Active {
        loop {
            self.seen.clear();
            self.changed = false;
            let result = self.flow(program, body, set.clone());
            if !self.changed {
                self.stable.extend(self.seen.drain());
                return result;
            }
        }
    }

    /// As [`Summaries::vary`], as far as the summaries are known in this round.
    fn flow(&mut self, program: &Program, body: &Block, mut set: Active) -> Active {
        loop {
            let before = set.len();
            self.block(program, body, &mut set);
            if set.len() == before {
                return set;
            }
        }
    }

    fn block(&mut self, program: &Program, block: &Block, set: &mut Active) {
        for stmt in &block.stmts {
            self.stmt(program, stmt, set);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, program: &Program, stmt: &Stmt, set: &mut Active) {
        match &stmt.op {
            Op::Call(func, args) => {
                let active: Vec<bool> = args.iter().map(|arg| is_in(set, *arg)).collect();
                let summary = self.of_call(program, *func, &active);
                for (var, varies) in stmt.vars.iter().zip(&summary.results) {
                    mark(program, set, *var, *varies);
                }
                for (arg, varies) in args.iter().zip(&summary.params) {
                    mark_atom(program, set, *arg, *varies);
                }
            }
            Op::Custom { rule, value_captured, args, .. } => {
                let (Rule::Vjp { .. } | Rule::Jvp { .. }) = program.rules[*rule];
                let varies = args.iter().chain(value_captured).any(|arg| is_in(set, *arg));
                stmt.vars.iter().for_each(|var| mark(program, set, *var, varies));
            }
            Op::AddAcc(acc, _, value) => {
                let varies = is_in(set, *value);
                mark_atom(program, set, *acc, varies);
            }
            Op::AtAcc(acc, _) | Op::PartAcc(acc, _, _) => {
                let varies = is_in(set, *acc) || set.contains(&stmt.vars[0]);
                mark_atom(program, set, *acc, varies);
                mark(program, set, stmt.vars[0], varies);
            }
            Op::NewAcc(init) => {
                let varies = is_in(set, *init);
                mark(program, set, stmt.vars[0], varies);
            }
            Op::If(_, then, other) => {
                for block in [then, other] {
                    self.block(program, block, set);
                    join(program, set, &stmt.vars, &block.results);
                }
            }
            Op::Match(cases) => {
                let varies = is_in(set, cases.scrutinee);
                for arm in &cases.arms {
                    arm.params.iter().for_each(|var| mark(program, set, *var, varies));
                    self.block(program, &arm.block, set);
                    join(program, set, &stmt.vars, &arm.block.results);
                }
                if let Some(default) = &cases.default {
                    self.block(program, default, set);
                    join(program, set, &stmt.vars, &default.results);
                }
            }
            Op::Loop(Loop { states, init, body, .. }) => {
                join(program, set, states, init);
                self.block(program, body, set);
                join(program, set, states, &body.results[..states.len()]);
                join(program, set, &stmt.vars, init);
                join(program, set, &stmt.vars, &body.results);
            }
            Op::Jvp(..) | Op::Linearize(..) | Op::Apply(..) => {
                bug(NAME, "derivatives inside what is differentiated to have been made")
            }
            op => {
                let varies = sources(op).into_iter().any(|arg| is_in(set, arg));
                stmt.vars.iter().for_each(|var| mark(program, set, *var, varies));
            }
        }
    }

    /// The summary as far as it is known in this round.
    fn of_call(&mut self, program: &Program, func: FuncId, active: &[bool]) -> Summary {
        let key = (func, active.to_vec());
        self.look(program, &key);
        self.known[&key].clone()
    }
}

/// The operands by which an operation without blocks is differentiable.
fn sources(op: &Op) -> Vec<Atom> {
    match op {
        Op::Prim(prim, args) => {
            let Some(smooth) = prim.row().smooth() else { return vec![] };
            smooth.carriers().map(|at| args[at]).collect()
        }
        Op::Copy(a)
        | Op::Index(a, _)
        | Op::Slice(a, _, _)
        | Op::Flatten(a)
        | Op::Sized(a, _, _)
        | Op::Sum(a)
        | Op::ReadAcc(a)
        | Op::NewAcc(a)
        | Op::Unpack { tangent: a, .. }
        | Op::ToTangent(_, _, a)
        | Op::FromTangent(_, a) => vec![*a],
        Op::Select(_, a, b)
        | Op::MulZero(a, b)
        | Op::Concat(a, b)
        | Op::Plus(a, b)
        | Op::Update(a, _, b) => vec![*a, *b],
        Op::Array(items) | Op::Con(_, items) => items.clone(),
        Op::Undef
        | Op::Stop(_)
        | Op::Dim(..)
        | Op::CheckSize(..)
        | Op::CheckCount(_)
        | Op::Argsort(_)
        | Op::Shape(..)
        | Op::Zero(_)
        | Op::Tell(_)
        | Op::Fail(..) => vec![],
        Op::Call(..)
        | Op::If(..)
        | Op::Match(_)
        | Op::Loop(_)
        | Op::AddAcc(..)
        | Op::AtAcc(..)
        | Op::PartAcc(..)
        | Op::Custom { .. }
        | Op::Jvp(..)
        | Op::Linearize(..)
        | Op::Apply(..) => bug(NAME, "an operation without blocks or effects"),
    }
}

/// Whether an atom varies.
pub(crate) fn is_in(set: &Active, atom: Atom) -> bool {
    atom.var().is_some_and(|var| set.contains(&var))
}

fn join(program: &Program, set: &mut Active, vars: &[VarId], atoms: &[Atom]) {
    for (var, atom) in vars.iter().zip(atoms) {
        let varies = is_in(set, *atom);
        mark(program, set, *var, varies);
    }
}

fn mark(program: &Program, set: &mut Active, var: VarId, varies: bool) {
    if varies && program.has_tangent(program.vars[var].ty) {
        set.insert(var);
    }
}

fn mark_atom(program: &Program, set: &mut Active, atom: Atom, varies: bool) {
    if let Atom::Var(var) = atom {
        mark(program, set, var, varies);
    }
}
