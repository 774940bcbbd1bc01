//! Resolution of requests: what a program asks for is replaced by calls of what derivations make.
//!
//! ```text
//! before   y, m = linearize q0(x);  y_dot = apply m to x_dot
//! after    y, X = @forward(x);      y_dot = @push(X, x_dot)
//! ```
//!
//! Input: a function, and which requests are to be made now. Output: its body, with `jvp` as a call of the
//! derivative, `linearize` as a call of the forward half, and the application of a linear map as a call of `push` or
//! `pull`.
//! Invariants: a residual is data, with what the forward half saved in it. Where one function makes a residual and
//! only applies it, it stays several variables.

use pullback_base::{Span, bug};
use pullback_ir::{
    Arm, Atom, Block, Constructor, DataId, Elem, FuncId, Match, Mode, Op, Request, RequestId, Stmt,
    Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::name::NAME;
use crate::orders::asked;
use crate::state::{Ad, Derived, Kind, Result};
use pullback_analysis::call_graph::request_of;

impl Ad {
    /// Makes those requests inside a function that are to be made now.
    pub(crate) fn resolve(&mut self, func: FuncId) -> Result<()> {
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

    fn block(&mut self, block: &mut Block) -> Result<()> {
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
    fn stmt(&mut self, stmt: Stmt, stmts: &mut Vec<Stmt>) -> Result<()> {
        if request_of(&stmt.op).is_none_or(|request| !self.requests.contains(&request)) {
            stmts.push(stmt);
            return Ok(());
        }
        let Stmt { mut vars, op, span, .. } = stmt;
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
                let Some(data) = data else { bug(NAME, "a request for a linear map") };
                if let Some(held) = self.held.get_mut(&residual) {
                    *held = fields;
                } else {
                    let fields = self.padded(data, fields);
                    stmts.push(Stmt::new(vec![residual], Op::Con(0, fields), span));
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

    /// The derivation that a request asks for, and the data type of its residual, which has its fields from now on.
    fn made(&mut self, request: RequestId, span: Span) -> Result<(Derived, Option<DataId>)> {
        let Request { func, active, mode } = self.program.requests[request].clone();
        let (kind, data) = match mode {
            Mode::Jvp => (Kind::Jvp, None),
            Mode::Push(data) => (Kind::Push, Some(data)),
            Mode::Pull(data) => (Kind::Pull, Some(data)),
        };
        let derived = self.derive(func, &active, kind, true, span)?;
        if let Some(data) = data
            && self.filled.insert(data)
        {
            self.fill(data, derived.residuals.clone());
        }
        Ok((derived, data))
    }

    /// Gives the data type of a residual its fields. Where `specialise_orders` has promised that it has tangents, it
    /// holds a Real, since other data types may have tangents because of this promise.
    fn fill(&mut self, data: DataId, mut fields: Vec<Type>) {
        let is_promised = !self.program.datas[data].constructors.is_empty();
        if is_promised && fields.iter().all(|field| field.elem != Elem::Real) {
            fields.push(Type::REAL);
        }
        let constructor = Constructor::new("Residuals".into(), fields.clone());
        self.program.datas[data].constructors = vec![constructor];
        if let Some(tangent) = self.program.datas[data].tangent {
            let fields = fields.into_iter().filter_map(|field| self.program.tangent_type(field));
            self.program.datas[tangent].constructors[0].fields = fields.collect();
        }
    }

    /// The fields of a residual, with a number for the Real that was promised and that nothing reads.
    fn padded(&self, data: DataId, mut fields: Vec<Atom>) -> Vec<Atom> {
        let promised = self.program.constructors(data)[0].fields.len();
        fields.resize(promised, Atom::Real(0.0));
        fields
    }

    /// The match that opens a residual and calls the linear part with what it holds.
    fn opened(
        &mut self,
        derived: &Derived,
        target: FuncId,
        residual: Atom,
        directions: Vec<Atom>,
        vars: &[VarId],
        span: Span,
    ) -> Op {
        let Elem::Data(data) = self.program.type_of(residual).elem else {
            bug(NAME, "a residual to be data")
        };
        let fields = self.program.constructors(data)[0].fields.clone();
        let params: Vec<VarId> = fields.into_iter().map(|ty| self.program.fresh("x", ty)).collect();
        let saved = params.iter().take(derived.residuals.len());
        let args = saved.map(|var| Atom::Var(*var)).chain(directions).collect();
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
    let (mut uses, mut residuals) = (FxHashMap::default(), FxHashSet::default());
    body.visit_atoms(&mut |atom| {
        if let Atom::Var(var) = atom {
            *uses.entry(var).or_insert(0) += 1;
        }
    });
    body.visit(&mut |stmt| match &stmt.op {
        Op::Apply(_, Atom::Var(residual), _) => {
            uses.entry(*residual).and_modify(|uses| *uses -= 1);
        }
        Op::Linearize(..) => residuals.extend(stmt.vars.last()),
        _ => {}
    });
    residuals.retain(|residual| uses.get(residual).is_none_or(|uses| *uses == 0));
    residuals
}
