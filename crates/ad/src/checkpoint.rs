//! Checkpointing (Griewank, 1992): a call saves its arguments only, and its transpose runs the function again.
//!
//! ```text
//! forward    y = @f(x)                    the residual is x
//! backward   _, X = @forward_f(x);  x_bar = @pull_f(X, y_bar)
//! ```
//!
//! Type: `f : S -> T` has the residual `S`, and its transpose is `(S, T T) -> T S`.
//! Law: `\x y_bar -> let (_, residual) = forward f x in pull f residual y_bar` is that transpose. What `f` tells
//! (`debug`) is told once (`mute_debug`), and what it adds to accumulators is added once: when it runs again it adds
//! to others, of the sizes that their cotangents have, which nobody reads.
//! Cost: the values of `f` once more; what they save lives as long as the transpose runs.
//!
//! The transpose is a checkpoint itself. No pass puts it into the function that ran forward, where it would find that
//! what runs again is there already. A derivative of it saves no more than its arguments either.

use pullback_base::Span;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, Type, VarId};

use crate::state::{Ad, Derived, Kind, Result};

impl Ad {
    /// Differentiates a checkpoint, if that has not been done.
    pub(crate) fn run_again(
        &mut self,
        func: FuncId,
        moving: &[bool],
        span: Span,
    ) -> Result<Derived> {
        let key = (func, moving.to_vec());
        if let Some(derived) = self.again.get(&key) {
            return Ok(derived.clone());
        }
        let inner = self.derive(func, moving, Kind::Pull, false, span)?;
        let summary = self.summaries.of(&self.program, func, moving);
        let Func { name, params, results, span: place, .. } = self.program.funcs[func].clone();
        let types: Vec<Type> = params.iter().map(|param| self.program.vars[*param].ty).collect();
        let args = fresh_all(&mut self.program, "x", &types);
        // What `forward` gives: the values, and what it saves.
        let mut vars = fresh_all(&mut self.program, "y", &results);
        let saved = fresh_all(&mut self.program, "saved", &inner.residuals);
        vars.extend(&saved);
        let mut stmts = vec![];
        let forward = Stmt::new(vars, Op::Call(inner.forward, atoms(&args)), place);
        let mut bars_in = vec![];
        for (ty, varies) in results.iter().zip(&summary.results) {
            if *varies {
                let ty = self.tangent_of(*ty);
                bars_in.push(self.program.fresh("y_bar", ty));
            }
        }
        let mut returned = vec![];
        let moved = args.iter().zip(moving).filter(|(_, moves)| **moves);
        for ((arg, _), is_acc) in moved.zip(&inner.accs) {
            let ty = self.program.vars[*arg].ty;
            if ty.is_acc {
                let bar = self.program.fresh("bar", ty.value());
                bars_in.push(bar);
                let zero = self.program.fresh("zero", ty.value());
                stmts.push(Stmt::new(vec![zero], Op::Zero(bar.into()), place));
                stmts.push(Stmt::new(vec![*arg], Op::NewAcc(zero.into()), place));
                continue;
            }
            let ty = self.tangent_of(ty);
            if *is_acc {
                bars_in.push(self.program.fresh("acc", ty.acc()));
            } else {
                returned.push(ty);
            }
        }
        let bars = fresh_all(&mut self.program, "bar", &returned);
        let pull_args = saved.iter().chain(&bars_in).copied().map(Atom::Var).collect();
        let pull = Stmt::new(bars.clone(), Op::Call(inner.pull, pull_args), place);
        stmts.extend([forward, pull]);
        let body = Block { stmts, results: atoms(&bars) };
        // Accumulators are not saved.
        let is_saved = |arg: &VarId| !self.program.vars[*arg].ty.is_acc;
        let args: Vec<VarId> = args.into_iter().filter(is_saved).collect();
        let residuals = args.iter().map(|arg| self.program.vars[*arg].ty).collect();
        let mut declare = |prefix: &str, params: Vec<VarId>, results: Vec<Type>, body: Block| {
            self.program.funcs.push(Func {
                name: format!("{prefix} {name}").into(),
                params,
                results,
                body,
                is_constant: false,
                is_checkpoint: true,
                routine: None,
                preconditions: vec![],
                span: place,
            })
        };
        let push = declare("linear part", vec![], vec![], Block::default());
        let pull = declare("pull again", args.into_iter().chain(bars_in).collect(), returned, body);
        self.ran_again.push(pull);
        let derived = Derived { forward: func, push, pull, residuals, accs: inner.accs };
        self.again.insert(key, derived.clone());
        self.linear.insert(push, derived.clone());
        Ok(derived)
    }

    fn tangent_of(&mut self, ty: Type) -> Type {
        match self.program.tangent_type(ty) {
            Some(ty) => ty,
            None => pullback_base::bug(crate::name::NAME, "what varies to have a tangent"),
        }
    }
}

fn fresh_all(program: &mut Program, name: &str, types: &[Type]) -> Vec<VarId> {
    types.iter().map(|ty| program.fresh(name, *ty)).collect()
}

fn atoms(vars: &[VarId]) -> Vec<Atom> {
    vars.iter().map(|var| Atom::Var(*var)).collect()
}
