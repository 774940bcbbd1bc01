//! Derivations: the three passes one after the other, once for each function, set of parameters that move, and use.
//!
//! ```text
//! before   fn @f(x: f64, n: i64) -> f64, of which x moves
//! Jvp      fn @jvp f(x, n, x_dot) -> y, y_dot
//! Push     fn @linearize f(x, n) -> y, X         fn @push f(X, x_dot) -> y_dot
//! Pull     fn @forward f(x, n) -> y, X           fn @pull f(X, y_bar) -> x_bar
//! ```
//!
//! Type: `derive : (function, which parameters move, Jvp | Push | Pull) -> functions` (`state::Derived`).
//! Law: those of `jvp`, `unzip` and `transpose`, in this order. A derivation is looked up by its key, and one of a
//! recursive function is declared before its body is made, so that its calls find it.
//!
//! What a recursive function saves is data with one constructor; other functions save several variables. No function
//! is differentiated that asks for derivatives, or calls one that does: those are made before (`orders`). A program
//! whose derivatives have too many statements is refused (E0717).

use pullback_base::{Diagnostic, Span};
use pullback_ir::{
    Arm, Atom, Block, Constructor, Data, DataId, Func, FuncId, Match, Op, Program, Stmt, Type,
    VarId,
};
use rustc_hash::FxHashMap;

use crate::beside::{Beside, size_beside};
use crate::jvp::{Dual, jvp};
use crate::prune::prune;
use crate::rename_reads::rename_reads;
use crate::split::split;
use crate::state::{Ad, Derived, Key, Kind, Result};
use crate::tally::{JVP, TRANSPOSE, UNZIP};
use crate::transpose::{Bar, Presence, Transpose};
use crate::unzip::close;
use crate::uses::{Uses, only_read};

impl Ad {
    /// The functions that one calls, itself first.
    pub(crate) fn reachable(&self, func: FuncId) -> Vec<FuncId> {
        pullback_analysis::call_graph::reachable(&self.program, &[func])
    }

    /// The diagnostic for derivatives with too many statements: of a high order, or of a large program.
    fn too_large(&self, func: FuncId, span: Span) -> Box<Diagnostic> {
        // A derivative has the place of its function and comes after it, so the first one with that place is the
        // user's.
        let place = self.program.funcs[func].span;
        let first = self.program.funcs.iter().find(|func| func.span == place);
        let name = &first.unwrap_or(&self.program.funcs[func]).name;
        let what = if self.order > 1 {
            format!("derivatives of `{name}` of so high an order")
        } else {
            format!("the derivative of `{name}`, for which it would make too much code")
        };
        let title = format!("the engine `ir` does not cover {what}");
        let most = self.most;
        Box::new(
            Diagnostic::error("E0717", span, title, "with this one there are too many statements")
                .note(format!("the derivatives of a program have {most} statements at most"))
                .note("the compiler makes every derivative before the program runs")
                .hint("use `--engine trace`, which takes derivatives while the program runs"),
        )
    }

    /// Differentiates a function, if that has not been done.
    pub(crate) fn derive(
        &mut self,
        func: FuncId,
        moving: &[bool],
        kind: Kind,
        is_entry: bool,
        span: Span,
    ) -> Result<Derived> {
        let key: Key = (func, moving.to_vec(), kind, is_entry);
        if let Some(derived) = self.derived.get(&key) {
            return Ok(derived.clone());
        }
        if self.tally.size() > self.most {
            return Err(self.too_large(func, span));
        }
        let name = self.program.funcs[func].name.clone();
        let place = self.program.funcs[func].span;
        let declare = |program: &mut Program, prefix: &str| {
            program.funcs.push(Func {
                name: format!("{prefix} {name}").into(),
                params: vec![],
                results: vec![],
                body: Block::default(),
                is_constant: false,
                is_checkpoint: false,
                routine: None,
                preconditions: vec![],
                span: place,
            })
        };
        let (forward, push, pull) = match kind {
            Kind::Jvp => {
                let forward = declare(&mut self.program, "jvp");
                (forward, forward, forward)
            }
            Kind::Push => {
                let forward = declare(&mut self.program, "linearize");
                let push = declare(&mut self.program, "push");
                (forward, push, push)
            }
            Kind::Pull => {
                let forward = declare(&mut self.program, "forward");
                let push = declare(&mut self.program, "linear part");
                let pull = declare(&mut self.program, "pull");
                (forward, push, pull)
            }
        };
        let accs = self.accs(func, moving, is_entry);
        let mut derived = Derived { forward, push, pull, residuals: vec![], accs };
        let recursive = kind != Kind::Jvp && self.is_recursive(func);
        let residual = recursive.then(|| {
            let name = format!("X {name}").into();
            let data = Data { name, constructors: vec![], tangent: None, is_tangent: false };
            self.program.datas.push(data)
        });
        derived.residuals.extend(residual.map(Type::data));
        if recursive || kind == Kind::Jvp {
            self.derived.insert(key.clone(), derived.clone());
            self.linear.insert(push, derived.clone());
        }
        let waiting = self.tally.enter(JVP);
        let dual = jvp(self, func, moving, kind, is_entry)?;
        self.tally.leave(waiting, dual.body.size());
        match kind {
            Kind::Jvp => {
                let is_checkpoint = self.program.funcs[func].is_checkpoint;
                self.program.funcs[forward].is_checkpoint = is_checkpoint;
                let Dual { params, dots, body, .. } = dual;
                let params = params.into_iter().chain(dots).collect();
                self.define(forward, params, body);
            }
            Kind::Push | Kind::Pull => {
                self.linear_part(&mut derived, (kind, is_entry), dual, residual);
            }
        }
        self.derived.insert(key, derived.clone());
        self.linear.insert(push, derived.clone());
        Ok(derived)
    }

    fn is_recursive(&self, func: FuncId) -> bool {
        let callees = self.reachable(func);
        callees.into_iter().any(|callee| {
            let mut calls = false;
            self.program.funcs[callee].body.visit(&mut |stmt| {
                calls |= matches!(stmt.op, Op::Call(target, _) if target == func);
            });
            calls
        })
    }

    /// Which parameters that move have their cotangents accumulated by the caller.
    fn accs(&mut self, func: FuncId, moving: &[bool], is_entry: bool) -> Vec<bool> {
        let flags = if is_entry {
            vec![false; moving.len()]
        } else {
            self.only_read(func);
            self.reads[&func].clone()
        };
        let pairs = moving.iter().zip(flags);
        pairs.filter(|(moves, _)| **moves).map(|(_, flag)| flag).collect()
    }

    /// Finds which parameters of what a function calls are only read: the greatest solution.
    fn only_read(&mut self, func: FuncId) {
        if self.reads.contains_key(&func) {
            return;
        }
        let fresh: Vec<FuncId> = self
            .reachable(func)
            .into_iter()
            .filter(|func| !self.reads.contains_key(func))
            .collect();
        for func in &fresh {
            let params = self.program.funcs[*func].params.len();
            self.reads.insert(*func, vec![true; params]);
        }
        loop {
            let mut changed = false;
            for func in &fresh {
                let flags = only_read(&self.program, *func, &self.reads);
                changed |= self.reads.insert(*func, flags.clone()) != Some(flags);
            }
            if !changed {
                return;
            }
        }
    }

    /// Gives a function its parameters and body. Its tangents lose their marks of linearity: it is ordinary code now.
    fn define(&mut self, func: FuncId, params: Vec<VarId>, body: Block) {
        let results = body.results.iter().map(|atom| self.program.type_of(*atom)).collect();
        if !self.keeps_marks {
            let bound: std::collections::BTreeSet<VarId> = body.bound().into_iter().collect();
            for var in bound.iter().chain(&params) {
                self.program.vars[*var].linear = false;
            }
        }
        let target = &mut self.program.funcs[func];
        target.params = params;
        target.results = results;
        target.body = body;
    }

    /// Unzips, and transposes for [`Kind::Pull`].
    fn linear_part(
        &mut self,
        derived: &mut Derived,
        (kind, is_entry): (Kind, bool),
        dual: Dual,
        residual: Option<DataId>,
    ) {
        let Dual { params, dots, mut body, values, mut primals } = dual;
        let tangents = body.results.split_off(values);
        let waiting = self.tally.enter(UNZIP);
        let mut halves = split(&mut self.program, body);
        halves.tangents.results = tangents;
        let mut linear = std::mem::take(&mut halves.tangents);
        prune(&self.program, &mut linear, &dots);
        let mut tangents_in = dots.clone();
        if kind == Kind::Pull {
            let unzip = self.tally.enter(TRANSPOSE);
            rename_reads(&mut self.program, &mut linear, &mut primals);
            let (block, own, beside) = self.transposed(derived, is_entry, &dots, &linear, &primals);
            self.tally.leave(unzip, block.size());
            linear = block;
            tangents_in = own;
            size_beside(&mut self.program, &params, &mut halves.values, &mut linear, beside);
        }
        let closed =
            close(&mut self.program, &mut self.boxes, &params, halves, linear, &tangents_in);
        self.tally.leave(waiting, closed.values.size() + closed.linear.size());
        let mut forward_body = closed.values;
        let residuals: Vec<Atom> = closed.residuals.iter().map(|var| Atom::Var(*var)).collect();
        let types: Vec<Type> =
            closed.residuals.iter().map(|var| self.program.vars[*var].ty).collect();
        let mut inside: Vec<VarId> = vec![];
        let mut atoms = FxHashMap::default();
        for var in &closed.residuals {
            let own = self.program.fresh_like(*var);
            inside.push(own);
            atoms.insert(*var, Atom::Var(own));
        }
        let mut linear_body = closed.linear;
        linear_body.substitute(&atoms);
        let linear_params = match residual {
            None => {
                forward_body.results.extend(residuals);
                derived.residuals = types;
                inside
            }
            Some(data) => {
                let name = "Residuals".into();
                self.program.datas[data].constructors = vec![Constructor::new(name, types)];
                let saved = self.program.fresh("residual", Type::data(data));
                let op = Op::Con(0, residuals);
                forward_body.stmts.push(Stmt::new(vec![saved], op, Span::NONE));
                forward_body.results.push(saved.into());
                let param = self.program.fresh("residual", Type::data(data));
                let open = opened(&mut self.program, param, &inside);
                linear_body.stmts.insert(0, open);
                vec![param]
            }
        };
        self.define(derived.forward, params, forward_body);
        let linear_params = linear_params.into_iter().chain(tangents_in).collect();
        let target = if kind == Kind::Pull { derived.pull } else { derived.push };
        self.define(target, linear_params, linear_body);
    }

    /// The transpose of a linear part, its parameters, and the sizes of values that have to be computed beside the
    /// values for it.
    fn transposed(
        &mut self,
        derived: &Derived,
        is_entry: bool,
        dots: &[VarId],
        linear: &Block,
        primals: &FxHashMap<VarId, Atom>,
    ) -> (Block, Vec<VarId>, Vec<Beside>) {
        let uses = Uses::of(&self.program, &self.linear, dots, linear);
        let accs = derived.accs.clone();
        let mut ctx = Transpose::new(self, uses, primals);
        let mut own = vec![];
        let mut bars = vec![];
        for result in &linear.results {
            let ty = ctx.program().type_of(*result);
            let bar = ctx.program().fresh("y_bar", ty);
            own.push(bar);
            // If other derivatives call this one, the cotangents of its results may be absent.
            let presence = if is_entry { Presence::Always } else { Presence::Perhaps };
            bars.push(Some((Atom::Var(bar), presence)));
        }
        let mut returned = vec![];
        for (dot, is_acc) in dots.iter().zip(accs) {
            let ty = ctx.program().vars[*dot].ty;
            if ty.is_acc {
                let bar = ctx.program().fresh("bar", ty.value());
                own.push(bar);
                ctx.bars.insert(*dot, Bar::Value(bar.into(), Presence::Perhaps));
            } else if is_acc {
                let acc = ctx.program().fresh("acc", ty.acc());
                own.push(acc);
                ctx.uses.set_accumulates(*dot);
                ctx.bars.insert(*dot, Bar::Acc(acc.into()));
            } else {
                returned.push(*dot);
            }
        }
        let block = ctx.scoped(|ctx| {
            ctx.block(linear, bars);
            returned.into_iter().map(|dot| ctx.take_or_zero(dot).0).collect()
        });
        let beside = std::mem::take(&mut ctx.beside);
        (block, own, beside)
    }
}

/// Takes a box of residuals apart.
fn opened(program: &mut Program, boxed: VarId, vars: &[VarId]) -> Stmt {
    let params: Vec<VarId> = vars.iter().map(|var| program.fresh_like(*var)).collect();
    let results = params.iter().map(|var| Atom::Var(*var)).collect();
    let block = Block { stmts: vec![], results };
    let arms = vec![Arm { tag: 0, params, block }];
    let op = Op::Match(Match { scrutinee: boxed.into(), arms, default: None });
    Stmt::new(vars.to_vec(), op, Span::NONE)
}
