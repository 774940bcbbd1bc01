//! The requests of a program become calls of the functions that derivations make. A residual is data, unless the
//! function that makes it only applies it: then it stays several variables.

use pullback_base::{Diagnostic, Span, bug};
use pullback_ir::{
    Arm, Atom, Block, Constructor, DataId, FuncId, Match, Mode, Op, Request, RequestId, Stmt, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;
use crate::orders::{asked, asked_by};
use crate::state::{Ad, Derived, Kind};

type Told<T> = Result<T, Box<Diagnostic>>;

impl Ad {
    /// Makes those requests inside a function that are to be made now.
    pub(crate) fn resolve(&mut self, func: FuncId) -> Told<()> {
        let mut body = std::mem::take(&mut self.program.funcs[func].body);
        let resolved = if asked(&body).is_empty() {
            Ok(())
        } else {
            self.held.extend(applied(&body).into_iter().map(|residual| (residual, vec![])));
            self.block(&mut body)
        };
        self.program.funcs[func].body = body;
        resolved
    }

    fn block(&mut self, block: &mut Block) -> Told<()> {
        let mut stmts = vec![];
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.op.blocks_mut() {
                self.block(inner)?;
            }
            self.stmt(stmt, &mut stmts)?;
        }
        block.stmts = stmts;
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: Stmt, stmts: &mut Vec<Stmt>) -> Told<()> {
        if asked_by(&stmt.op).is_none_or(|request| !self.requests.contains(&request)) {
            stmts.push(stmt);
            return Ok(());
        }
        let Stmt { mut vars, op, span } = stmt;
        match op {
            Op::Jvp(request, mut args, dots) => {
                let (derived, _) = self.made(request, span)?;
                args.extend(dots);
                stmts.push(Stmt::new(vars, Op::Call(derived.forward, args), span));
            }
            Op::Linearize(request, args) => {
                let (derived, data) = self.made(request, span)?;
                let Some(residual) = vars.pop() else { bug(NAME, "a residual") };
                let types = &derived.residuals;
                let saved: Vec<VarId> =
                    types.iter().map(|ty| self.program.fresh("x", *ty)).collect();
                vars.extend(&saved);
                stmts.push(Stmt::new(vars, Op::Call(derived.forward, args), span));
                let fields = saved.into_iter().map(Atom::Var).collect();
                if let Some(held) = self.held.get_mut(&residual) {
                    *held = fields;
                } else {
                    stmts.push(Stmt::new(vec![residual], Op::Con(0, fields), span));
                }
                if data.is_none() {
                    bug(NAME, "a request for a linear map");
                }
            }
            Op::Apply(request, residual, directions) => {
                let (derived, _) = self.made(request, span)?;
                let pushes = matches!(self.program.requests[request].mode, Mode::Push(_));
                let target = if pushes { derived.push } else { derived.pull };
                if let Some(held) = residual.var().and_then(|residual| self.held.get(&residual)) {
                    let args = held.iter().copied().chain(directions).collect();
                    stmts.push(Stmt::new(vars, Op::Call(target, args), span));
                    return Ok(());
                }
                let op = self.opened(&derived, target, residual, directions, &vars, span);
                stmts.push(Stmt::new(vars, op, span));
            }
            op => stmts.push(Stmt::new(vars, op, span)),
        }
        Ok(())
    }

    /// What a request asks for, and the data type of its residual, which has its field now.
    fn made(&mut self, request: RequestId, span: Span) -> Told<(Derived, Option<DataId>)> {
        let Request { func, active, mode } = self.program.requests[request].clone();
        let (kind, data) = match mode {
            Mode::Jvp => (Kind::Jvp, None),
            Mode::Push(data) => (Kind::Push, Some(data)),
            Mode::Pull(data) => (Kind::Pull, Some(data)),
        };
        let derived = self.derive(func, &active, kind, true, span)?;
        if let Some(data) = data
            && self.program.datas[data].constructors.is_empty()
        {
            let fields = derived.residuals.clone();
            let constructor = Constructor { name: "Residuals".into(), fields };
            self.program.datas[data].constructors.push(constructor);
        }
        Ok((derived, data))
    }

    /// The linear part of what a box of residuals holds.
    fn opened(
        &mut self,
        derived: &Derived,
        target: FuncId,
        residual: Atom,
        directions: Vec<Atom>,
        vars: &[VarId],
        span: Span,
    ) -> Op {
        let params: Vec<VarId> =
            derived.residuals.iter().map(|ty| self.program.fresh("x", *ty)).collect();
        let args = params.iter().map(|var| Atom::Var(*var)).chain(directions).collect();
        let results: Vec<VarId> = vars.iter().map(|var| self.program.fresh_like(*var)).collect();
        let atoms = results.iter().map(|var| Atom::Var(*var)).collect();
        let stmts = vec![Stmt::new(results, Op::Call(target, args), span)];
        let arms = vec![Arm { tag: 0, params, block: Block { stmts, results: atoms } }];
        Op::Match(Match { scrutinee: residual, arms, default: None })
    }
}

/// The residuals that a body makes and only applies: they need no box.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
fn applied(body: &Block) -> FxHashSet<VarId> {
    let (mut uses, mut made) = (FxHashMap::default(), FxHashSet::default());
    body.visit_atoms(&mut |atom| {
        if let Atom::Var(var) = atom {
            *uses.entry(var).or_insert(0) += 1;
        }
    });
    body.visit(&mut |stmt| match &stmt.op {
        Op::Apply(_, Atom::Var(residual), _) => {
            uses.entry(*residual).and_modify(|uses| *uses -= 1);
        }
        Op::Linearize(..) => made.extend(stmt.vars.last()),
        _ => {}
    });
    made.retain(|residual| uses.get(residual).is_none_or(|uses| *uses == 0));
    made
}
