//! What the polytypic functions do at a Real, and the terms they are made of.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, Lit, Type};
use pullback_prim::Prim;

use super::block::{Block, NONE, is_zero};
use super::op::{Op, Part};
use super::translation::Translation;
use super::version::Version;

impl Translation<'_> {
    /// What happens at a Real.
    pub(super) fn leaf(
        &mut self,
        op: Op,
        inputs: &[Expr],
        extra: Option<&Expr>,
        acc: Option<Expr>,
        block: &mut Block,
    ) -> Part {
        let x = inputs[0].clone();
        let part = |this: &Self, index| this.component(&inputs[0], index);
        let dual = |primal, delta| Some(Expr::tuple(vec![primal, delta], NONE));
        let only = |out| Part { out, acc: None };
        let acc = acc.unwrap_or_else(|| Expr::unit(NONE));
        let given = extra.cloned().unwrap_or_else(|| Expr::unit(NONE));
        match op {
            Op::InitZeros => only(dual(x, self.zero())),
            Op::Primal => only(Some(part(self, 0))),
            Op::Stop => {
                let x = part(self, 0);
                let ty = x.ty.clone();
                let stopped = Expr::ad(AdOp::StopGradient, vec![x], ty, NONE);
                only(dual(stopped, self.zero()))
            }
            Op::Zeros => only(dual(Expr::real(0.0, NONE), self.zero())),
            Op::Tangents => only(dual(Expr::real(0.0, NONE), part(self, 1))),
            Op::Graft => {
                let (y, dy) = (self.component(&inputs[1], 1), self.component(&inputs[2], 1));
                let delta = self.call("plus", vec![y, dy]);
                only(dual(x, delta))
            }
            Op::Meaning => only(Some(self.call("meaning", vec![part(self, 1), given]))),
            Op::Zip => only(dual(x, inputs[1].clone())),
            Op::Delta => only(Some(part(self, 1))),
            Op::InitVars => {
                let position = self.bind(block, "k", acc);
                let delta = self.given(given, &position);
                let delta = self.bind(block, "u", delta);
                Part { out: dual(x, delta), acc: Some(next(&position)) }
            }
            Op::Attach => {
                let position = self.bind(block, "k", acc);
                let delta = self.given(given, &position);
                let delta = self.call("plus", vec![part(self, 1), delta]);
                let delta = self.bind(block, "u", delta);
                Part { out: dual(part(self, 0), delta), acc: Some(next(&position)) }
            }
            Op::Lookup => {
                let position = self.bind(block, "k", acc);
                let found = self.call("lookupOrZero", vec![position.clone(), given]);
                let found = self.bind(block, "dx", found);
                Part { out: Some(found), acc: Some(next(&position)) }
            }
            Op::Seed => {
                let acc = self.bind(block, "acc", acc);
                let position = Expr::proj(acc.clone(), 1, NONE);
                let slot = self.just(inputs[1].clone());
                let map = Expr::proj(acc, 0, NONE);
                let map = Expr::prim(Prim::Update, vec![map, position.clone(), slot], NONE);
                let acc = Expr::tuple(vec![map, next(&position)], NONE);
                Part { out: None, acc: Some(self.bind(block, "acc", acc)) }
            }
            Op::Dot => {
                let scaled = self.call("scale", vec![inputs[1].clone(), part(self, 1)]);
                let sum = self.call("plus", vec![acc, scaled]);
                Part { out: None, acc: Some(self.bind(block, "u", sum)) }
            }
            Op::Active => {
                if self.version == Version::Forward {
                    let acc = if is_zero(&part(self, 1)) { acc } else { Expr::bool(true, NONE) };
                    return Part { out: None, acc: Some(acc) };
                }
                let active = self.call("isActive", vec![part(self, 1)]);
                let either = Expr::if_(acc, Expr::bool(true, NONE), active, NONE);
                Part { out: None, acc: Some(self.bind(block, "active", either)) }
            }
            Op::Spread => {
                let delta = part(self, 1);
                let (work, x_bar) = (self.bind(block, "work", acc), inputs[1].clone());
                let more = self.eval_work(x_bar, delta.clone(), work.clone());
                if self.version == Version::Forward {
                    let work = if is_zero(&delta) { work } else { more };
                    return Part { out: None, acc: Some(self.bind(block, "work", work)) };
                }
                let active = self.call("isActive", vec![delta]);
                let work = Expr::if_(active, more, work, NONE);
                Part { out: None, acc: Some(self.bind(block, "work", work)) }
            }
            Op::Count => Part { out: None, acc: Some(self.bind(block, "k", next(&acc))) },
            Op::AllActive => {
                let active = self.call("isActive", vec![part(self, 1)]);
                let both = Expr::if_(acc, active, Expr::bool(false, NONE), NONE);
                Part { out: None, acc: Some(self.bind(block, "active", both)) }
            }
        }
    }

    /// The extra argument at a position; where it is a function, its body there.
    fn given(&mut self, function: Expr, position: &Expr) -> Expr {
        if let ExprKind::Lam(params, body) = &function.kind {
            let replacements = [(params[0], position.clone())].into_iter().collect();
            return self.program.copy_with(body, &replacements);
        }
        Expr::app(function, vec![position.clone()], NONE)
    }

    /// A function of the library, applied.
    pub(super) fn call(&self, name: &str, args: Vec<Expr>) -> Expr {
        if self.version == Version::Forward
            && let Some(term) = self.arithmetic(name, &args)
        {
            return term;
        }
        Expr::app(self.program.global(self.library.def(name), NONE), args, NONE)
    }
    /// The delta of a constant.
    pub(super) fn zero(&self) -> Expr {
        if self.version == Version::Forward {
            return Expr::real(0.0, NONE);
        }
        self.con(self.library.delta(), 0, vec![])
    }
    /// `Nothing`
    pub(super) fn nothing(&self) -> Expr {
        if self.version == Version::Forward {
            return self.zero();
        }
        self.con(self.library.maybe(), 0, vec![])
    }
    /// `Just x`
    pub(super) fn just(&self, x: Expr) -> Expr {
        if self.version == Version::Forward {
            return x;
        }
        self.con(self.library.maybe(), 1, vec![x])
    }
    /// `Done`
    pub(super) fn done(&self) -> Expr {
        if self.version == Version::Forward {
            return self.zero();
        }
        self.con(self.library.work(), 0, vec![])
    }
    /// `Eval x u rest`
    pub(super) fn eval_work(&self, x: Expr, delta: Expr, rest: Expr) -> Expr {
        if self.version == Version::Forward {
            let term = self.call("scale", vec![x, delta]);
            return self.call("plus", vec![rest, term]);
        }
        self.con(self.library.work(), 1, vec![x, delta, rest])
    }
    fn con(&self, ty: Type, tag: usize, fields: Vec<Expr>) -> Expr {
        Expr::new(ExprKind::Con(tag, fields), ty, Span::NONE)
    }
}

/// The next position.
fn next(n: &Expr) -> Expr {
    if let ExprKind::Lit(Lit::Int(n)) = n.kind {
        return Expr::int(n + 1, NONE);
    }
    Expr::prim(Prim::IntAdd, vec![n.clone(), Expr::int(1, NONE)], NONE)
}
