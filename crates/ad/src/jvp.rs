//! Forward mode (Jacobian-vector products): the only pass that reads partial derivatives.
//!
//! ```text
//! y = mul(x, p)        =>        y = mul(x, p)
//!                                y_dot = mul(x_dot, p)
//! ```
//!
//! Type: `(S -> T, which of S move) -> (S, T S of those that move) -> (T, T T of those that vary)`.
//! Law: the first results are those of the function. The others are its derivative at `S` applied to the tangents,
//! and each statement about tangents is linear in them (their variables are marked): the JVP of *You Only Linearize
//! Once* (POPL 2023).
//! Cost: each primitive gets at most a product and a sum for each operand that varies, and its partial derivatives
//! once; everything else happens as often as in the function. What does not vary has no tangent (`activity`).
//!
//! A tangent that is the number 0 where another path would have reached it is *absent* there. It contributes nothing,
//! also where a partial derivative is infinite, so its products are strong ([`Op::MulZero`]). Where every path
//! reaches a tangent they are plain ones. The tangent of data is that of what it holds, as that of an environment in
//! *The Differentiable Curry*, section 5.

use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Block, Elem, FuncId, Loop, Match, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::{Active, is_in};
use crate::state::{Ad, Kind, Result};

/// A function with tangents beside its values.
pub(crate) struct Dual {
    /// Its parameters, all of them.
    pub(crate) params: Vec<VarId>,
    /// The tangents of those that move.
    pub(crate) dots: Vec<VarId>,
    /// What it does; the results are the values, then the tangents of those that vary.
    pub(crate) body: Block,
    /// How many results are values.
    pub(crate) values: usize,
    /// The value that a tangent belongs to: it has the same shape.
    pub(crate) primals: FxHashMap<VarId, Atom>,
}

pub(crate) struct Jvp<'a> {
    pub(crate) ad: &'a mut Ad,
    pub(crate) kind: Kind,
    active: Active,
    /// The tangents of variables.
    dots: FxHashMap<VarId, Atom>,
    /// The tangents that are the number 0 on some path that does not reach them.
    absent: FxHashSet<VarId>,
    primals: FxHashMap<VarId, Atom>,
    stmts: Vec<Stmt>,
    pub(crate) span: Span,
}

/// Differentiates a function by the parameters that move. If other derivatives call it (`is_entry` is false), its
/// tangents may be absent.
pub(crate) fn jvp(
    ad: &mut Ad,
    func: FuncId,
    moving: &[bool],
    kind: Kind,
    is_entry: bool,
) -> Result<Dual> {
    let source = ad.program.funcs[func].clone();
    let mut atoms = FxHashMap::default();
    let mut params = vec![];
    for param in &source.params {
        let copy = ad.program.fresh_like(*param);
        atoms.insert(*param, Atom::Var(copy));
        params.push(copy);
    }
    let body = pullback_ir::rename(&mut ad.program, &source.body, &mut atoms);
    let mut active = Active::default();
    for (param, moves) in params.iter().zip(moving) {
        if *moves {
            active.insert(*param);
        }
    }
    let active = ad.summaries.vary(&ad.program, &body, active);
    let mut ctx = Jvp {
        ad,
        kind,
        active,
        dots: FxHashMap::default(),
        absent: FxHashSet::default(),
        primals: FxHashMap::default(),
        stmts: vec![],
        span: source.span,
    };
    let mut dots = vec![];
    for (param, moves) in params.iter().zip(moving) {
        if *moves {
            let dot = ctx.dot_var(*param);
            if !is_entry {
                ctx.absent.insert(dot);
            }
            dots.push(dot);
        }
    }
    let values = body.results.len();
    let body = ctx.block(body, |ctx, results| {
        // A request gets a tangent of each result that can have one.
        let wanted = |atom: &Atom| {
            is_in(&ctx.active, *atom)
                || is_entry && ctx.ad.program.has_tangent(ctx.ad.program.type_of(*atom))
        };
        let varying: Vec<Atom> = results.iter().copied().filter(wanted).collect();
        let dots: Vec<Atom> = varying.into_iter().map(|atom| ctx.dot_or_zero(atom)).collect();
        results.iter().copied().chain(dots).collect()
    })?;
    let primals = ctx.primals;
    Ok(Dual { params, dots, body, values, primals })
}

impl Jvp<'_> {
    pub(crate) fn program(&mut self) -> &mut Program {
        &mut self.ad.program
    }

    /// Adds a statement.
    pub(crate) fn push(&mut self, vars: Vec<VarId>, op: Op) {
        self.stmts.push(Stmt::new(vars, op, self.span));
    }

    /// Adds a statement about values.
    pub(crate) fn emit(&mut self, name: &str, ty: Type, op: Op) -> Atom {
        let var = self.program().fresh(name, ty);
        self.push(vec![var], op);
        Atom::Var(var)
    }

    /// Adds a statement about tangents.
    pub(crate) fn emit_linear(&mut self, ty: Type, op: Op) -> Atom {
        let var = self.linear("d", ty);
        self.push(vec![var], op);
        Atom::Var(var)
    }

    fn linear(&mut self, name: &str, ty: Type) -> VarId {
        let var = self.program().fresh(name, ty);
        self.program().vars[var].linear = true;
        var
    }

    /// A new tangent of a variable.
    pub(crate) fn dot_var(&mut self, var: VarId) -> VarId {
        let info = self.program().vars[var].clone();
        let Some(ty) = self.program().tangent_type(info.ty) else {
            bug(crate::name::NAME, format_args!("`{}` to have a tangent", info.name))
        };
        let dot = self.linear(&format!("{}_dot", info.name), ty);
        self.dots.insert(var, Atom::Var(dot));
        self.primals.insert(dot, Atom::Var(var));
        dot
    }

    /// The tangent of an atom, if it varies.
    pub(crate) fn dot(&self, atom: Atom) -> Option<Atom> {
        atom.var().and_then(|var| self.dots.get(&var).copied())
    }

    /// The tangent of an atom, as a number.
    pub(crate) fn dot_or_zero(&mut self, atom: Atom) -> Atom {
        match self.dot(atom) {
            Some(dot) => dot,
            None => self.zero(atom),
        }
    }

    /// The zero tangent of an atom.
    pub(crate) fn zero(&mut self, atom: Atom) -> Atom {
        let ty = self.ad.program.type_of(atom);
        let Some(tangent) = self.ad.program.tangent_type(ty.value()) else {
            bug(crate::name::NAME, "something that has tangents")
        };
        let op = match (tangent.elem, tangent.rank) {
            (Elem::Real, 0) => return Atom::Real(0.0),
            (Elem::Data(data), 0) => Op::Con(self.ad.program.zero_tag(data), vec![]),
            (..) => Op::Zero(atom),
        };
        let zero = self.emit_linear(tangent, op);
        if let Atom::Var(var) = zero {
            self.absent.insert(var);
            self.primals.insert(var, atom);
        }
        zero
    }

    /// Whether a tangent is the number 0 on some path that does not reach it.
    pub(crate) fn is_absent(&self, dot: Atom) -> bool {
        dot.var().is_none_or(|var| self.absent.contains(&var))
    }

    /// As [`Jvp::is_absent`] of any of these.
    fn any_absent(&self, dots: &[Atom]) -> bool {
        dots.iter().any(|dot| self.is_absent(*dot))
    }

    pub(crate) fn mark_absent(&mut self, atom: Atom, is_absent: bool) {
        if is_absent && let Atom::Var(var) = atom {
            self.absent.insert(var);
        }
    }

    pub(crate) fn block(
        &mut self,
        block: Block,
        results: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Result<Block> {
        let outer = std::mem::take(&mut self.stmts);
        for stmt in block.stmts {
            self.stmt(stmt)?;
        }
        let results = results(self, &block.results);
        let stmts = std::mem::replace(&mut self.stmts, outer);
        Ok(Block { stmts, results })
    }

    /// The block of the statements that `make` emits.
    pub(crate) fn linear_block(&mut self, make: impl FnOnce(&mut Self) -> Atom) -> Block {
        let outer = std::mem::take(&mut self.stmts);
        let result = make(self);
        let stmts = std::mem::replace(&mut self.stmts, outer);
        Block { stmts, results: vec![result] }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: Stmt) -> Result<()> {
        self.span = stmt.span;
        let Stmt { vars, op, .. } = stmt;
        match op {
            Op::Prim(prim, args) => {
                self.push(vars.clone(), Op::Prim(prim, args.clone()));
                if self.active.contains(&vars[0]) {
                    let dot = self.smooth(prim, &args, vars[0]);
                    self.tangent(vars[0], dot);
                }
                Ok(())
            }
            Op::Call(func, args) => self.call(vars, func, args),
            Op::If(cond, then, other) => {
                let varying = self.varying(&vars);
                let then = self.branch(then, &varying)?;
                let other = self.branch(other, &varying)?;
                let (then, absent) = then;
                let (other, absent_too) = other;
                let absent = absent.into_iter().zip(absent_too).map(|(a, b)| a || b).collect();
                self.joined(vars, &varying, absent, Op::If(cond, then, other));
                Ok(())
            }
            Op::Match(cases) => self.match_(vars, cases),
            Op::Loop(repeat) => self.loop_(vars, repeat),
            Op::Custom { rule, value_captured, rule_captured, args } => {
                self.custom(vars, rule, value_captured, rule_captured, args)
            }
            Op::AddAcc(acc, at, value) => {
                self.push(vars, Op::AddAcc(acc, at.clone(), value));
                if let Some(dot) = self.dot(value) {
                    let Some(acc) = self.dot(acc) else {
                        bug(crate::name::NAME, "an active accumulator")
                    };
                    self.push(vec![], Op::AddAcc(acc, at, dot));
                }
                Ok(())
            }
            op => {
                let out = vars.first().copied();
                self.push(vars.clone(), op.clone());
                if vars.iter().any(|var| self.active.contains(var)) {
                    if let Op::Unpack { tangent, tag, like } = op {
                        let dots: Vec<VarId> = vars.iter().map(|var| self.dot_var(*var)).collect();
                        self.absent.extend(dots.iter().copied());
                        let tangent = self.dot_or_zero(tangent);
                        self.push(dots, Op::Unpack { tangent, tag, like });
                    } else if let Some(out) = out {
                        self.structural(out, op);
                    }
                }
                Ok(())
            }
        }
    }

    /// The variables that vary.
    pub(crate) fn active(&self) -> &Active {
        &self.active
    }

    /// The value that a tangent belongs to.
    pub(crate) fn primal_of(&self, dot: VarId) -> Option<Atom> {
        self.primals.get(&dot).copied()
    }

    /// Records the tangent of a variable.
    pub(crate) fn tangent(&mut self, var: VarId, dot: Atom) {
        // A literal is a structural zero: such a variable has no tangent after all.
        if let Atom::Var(known) = dot {
            self.dots.insert(var, dot);
            self.primals.entry(known).or_insert(Atom::Var(var));
        }
    }

    /// The tangent of an operation that moves values: the operation on tangents.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn structural(&mut self, out: VarId, op: Op) {
        if let Op::Copy(a) | Op::ToTangent(_, _, a) | Op::FromTangent(_, a) = op {
            let dot = self.dot_or_zero(a);
            return self.tangent(out, dot);
        }
        // An accumulator has no sizes of its own, but those of what it starts from.
        let start = if let Op::NewAcc(start) = op { Some(start) } else { None };
        let mut dots = vec![];
        let mut take = |ctx: &mut Self, atom: Atom| {
            let dot = ctx.dot_or_zero(atom);
            dots.push(dot);
            dot
        };
        let op = match op {
            Op::Select(cond, a, b) => Op::Select(cond, take(self, a), take(self, b)),
            Op::MulZero(a, b) => return self.strong_product(out, a, b),
            Op::Array(items) => Op::Array(items.into_iter().map(|item| take(self, item)).collect()),
            Op::Index(a, at) => Op::Index(take(self, a), at),
            Op::Update(a, at, v) => Op::Update(take(self, a), at, take(self, v)),
            Op::Slice(a, lo, hi) => Op::Slice(take(self, a), lo, hi),
            Op::Concat(a, b) => Op::Concat(take(self, a), take(self, b)),
            Op::Flatten(a) => Op::Flatten(take(self, a)),
            Op::Sized(a, depth, size) => Op::Sized(take(self, a), depth, size),
            Op::Sum(a) => Op::Sum(take(self, a)),
            Op::Plus(a, b) => return self.sum(out, a, b),
            Op::Con(tag, fields) => {
                let fields: Vec<Atom> = fields
                    .into_iter()
                    .filter(|field| self.ad.program.has_tangent(self.ad.program.type_of(*field)))
                    .collect();
                Op::Con(tag, fields.into_iter().map(|field| take(self, field)).collect())
            }
            Op::NewAcc(a) => Op::NewAcc(take(self, a)),
            Op::AtAcc(a, at) => Op::AtAcc(take(self, a), at),
            Op::PartAcc(a, lo, hi) => Op::PartAcc(take(self, a), lo, hi),
            Op::ReadAcc(a) => Op::ReadAcc(take(self, a)),
            op => {
                bug(crate::name::NAME, format_args!("an operation that moves values, not {op:?}"))
            }
        };
        let is_absent = self.any_absent(&dots);
        let dot = self.dot_var(out);
        if let Some(start) = start {
            self.primals.insert(dot, start);
        }
        self.mark_absent(Atom::Var(dot), is_absent);
        self.push(vec![dot], op);
    }

    fn sum(&mut self, out: VarId, a: Atom, b: Atom) {
        let dot = match (self.dot(a), self.dot(b)) {
            (Some(a), Some(b)) => {
                let ty = self.ad.program.type_of(a);
                let dot = self.emit_linear(ty, Op::Plus(a, b));
                let is_absent = self.is_absent(a) && self.is_absent(b);
                self.mark_absent(dot, is_absent);
                dot
            }
            (Some(dot), None) | (None, Some(dot)) => dot,
            (None, None) => bug(crate::name::NAME, "a sum that varies"),
        };
        self.tangent(out, dot);
    }

    /// `x * p`, which is 0 where `x` is absent, whatever `p` and its tangent are.
    fn strong_product(&mut self, out: VarId, x: Atom, p: Atom) {
        let mut parts = vec![];
        if let Some(dot) = self.dot(x) {
            parts.push(self.emit_linear(Type::REAL, Op::MulZero(dot, p)));
        }
        if let Some(dot) = self.dot(p) {
            parts.push(self.emit_linear(Type::REAL, Op::MulZero(x, dot)));
        }
        let dot = self.total(parts);
        self.mark_absent(dot, true);
        self.tangent(out, dot);
    }

    /// The sum of contributions to the tangent of a scalar.
    pub(crate) fn total(&mut self, parts: Vec<Atom>) -> Atom {
        let mut parts = parts.into_iter();
        let Some(mut total) = parts.next() else { return Atom::Real(0.0) };
        for part in parts {
            let is_absent = self.is_absent(total) && self.is_absent(part);
            total =
                self.emit_linear(Type::REAL, Op::Prim(pullback_prim::Prim::Add, vec![total, part]));
            self.mark_absent(total, is_absent);
        }
        total
    }

    /// Those of the variables that vary.
    fn varying(&self, vars: &[VarId]) -> Vec<bool> {
        vars.iter().map(|var| self.active.contains(var)).collect()
    }

    /// A branch with the tangents of those of its results that vary, and which of them may be absent.
    fn branch(&mut self, block: Block, varying: &[bool]) -> Result<(Block, Vec<bool>)> {
        let mut absent = vec![];
        let block = self.block(block, |ctx, results| {
            let mut all = results.to_vec();
            for (result, varies) in results.iter().zip(varying) {
                if *varies {
                    let dot = ctx.dot_or_zero(*result);
                    absent.push(ctx.is_absent(dot));
                    all.push(dot);
                }
            }
            all
        })?;
        Ok((block, absent))
    }

    /// Adds a statement whose results are values, then tangents.
    fn joined(&mut self, vars: Vec<VarId>, varying: &[bool], absent: Vec<bool>, op: Op) {
        let mut all = vars.clone();
        let mut absent = absent.into_iter();
        for (var, varies) in vars.iter().zip(varying) {
            if *varies {
                let dot = self.dot_var(*var);
                self.mark_absent(Atom::Var(dot), absent.next().unwrap_or(true));
                all.push(dot);
            }
        }
        self.push(all, op);
    }

    fn match_(&mut self, vars: Vec<VarId>, cases: Match) -> Result<()> {
        let varying = self.varying(&vars);
        let mut absent = vec![false; varying.iter().filter(|varies| **varies).count()];
        let mut merge = |other: Vec<bool>| {
            for (absent, other) in absent.iter_mut().zip(other) {
                *absent |= other;
            }
        };
        let tangent = self.dot(cases.scrutinee);
        let mut arms = vec![];
        for Arm { tag, params, mut block } in cases.arms {
            if let Some(tangent) = tangent {
                // The tangents of the fields come first in the arm.
                let like: Vec<VarId> = params
                    .iter()
                    .copied()
                    .filter(|param| self.ad.program.has_tangent(self.ad.program.vars[*param].ty))
                    .collect();
                let dots: Vec<VarId> = like.iter().map(|var| self.dot_var(*var)).collect();
                self.absent.extend(dots.iter().copied());
                let like = like.into_iter().map(Atom::Var).collect();
                let (differentiated, other) = self.branch(block, &varying)?;
                merge(other);
                block = differentiated;
                if !dots.is_empty() {
                    let op = Op::Unpack { tangent, tag, like };
                    block.stmts.insert(0, Stmt::new(dots, op, self.span));
                }
            } else {
                let (differentiated, other) = self.branch(block, &varying)?;
                merge(other);
                block = differentiated;
            }
            arms.push(Arm { tag, params, block });
        }
        let default = match cases.default {
            Some(block) => {
                let (block, other) = self.branch(block, &varying)?;
                merge(other);
                Some(block)
            }
            None => None,
        };
        let op = Op::Match(Match { scrutinee: cases.scrutinee, arms, default });
        self.joined(vars, &varying, absent, op);
        Ok(())
    }

    fn loop_(&mut self, vars: Vec<VarId>, repeat: Loop) -> Result<()> {
        let states = repeat.states.len();
        let varying_states = self.varying(&repeat.states);
        let mut init = repeat.init.clone();
        let mut all_states = repeat.states.clone();
        let mut absent = vec![];
        for ((state, first), varies) in repeat.states.iter().zip(&repeat.init).zip(&varying_states)
        {
            if *varies {
                let dot = self.dot_or_zero(*first);
                absent.push(self.is_absent(dot));
                init.push(dot);
                all_states.push(self.dot_var(*state));
            }
        }
        let varying = self.varying(&vars);
        // A state's tangent may be absent if that of its next value may be. So the body is differentiated again until
        // no more are.
        let (body, collected_absent) = loop {
            for (state, absent) in all_states[states..].iter().zip(&absent) {
                if *absent {
                    self.absent.insert(*state);
                }
            }
            let mut next_absent = vec![];
            let mut collected_absent = vec![];
            let body = self.block(repeat.body.clone(), |ctx, results| {
                let (next, collected) = results.split_at(states);
                let mut all = next.to_vec();
                for (result, varies) in next.iter().zip(&varying_states) {
                    if *varies {
                        let dot = ctx.dot_or_zero(*result);
                        next_absent.push(ctx.is_absent(dot));
                        all.push(dot);
                    }
                }
                all.extend(collected);
                for (result, varies) in collected.iter().zip(&varying[states..]) {
                    if *varies {
                        let dot = ctx.dot_or_zero(*result);
                        collected_absent.push(ctx.is_absent(dot));
                        all.push(dot);
                    }
                }
                all
            })?;
            let more = absent.iter().zip(&next_absent).any(|(known, next)| *next && !known);
            if !more {
                break (body, collected_absent);
            }
            for (known, next) in absent.iter_mut().zip(next_absent) {
                *known |= next;
            }
        };
        let form = repeat.form;
        let mut absent = absent.into_iter();
        let mut all = vars[..states].to_vec();
        for (at, varies) in varying_states.iter().enumerate() {
            if *varies {
                let dot = self.dot_var(vars[at]);
                self.mark_absent(Atom::Var(dot), absent.next().unwrap_or(true));
                all.push(dot);
            }
        }
        all.extend(&vars[states..]);
        let mut collected_absent = collected_absent.into_iter();
        for (var, varies) in vars.iter().zip(&varying).skip(states) {
            if *varies {
                let dot = self.dot_var(*var);
                self.mark_absent(Atom::Var(dot), collected_absent.next().unwrap_or(true));
                all.push(dot);
            }
        }
        self.push(all, Op::Loop(Loop { form, states: all_states, init, body }));
        Ok(())
    }
}
