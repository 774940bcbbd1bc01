//! The translation of `build` and loops. The state goes round with a loop, and from element to element
//! of an array, if their code uses the monad: `sequence` of §8.3.

use pullback_lambda::{Expr, ExprKind, LoopForm, Type, VarId};

use super::block::{Block, NONE};
use super::prim::Names;
use super::translation::{Outcome, Translation};

impl Translation<'_> {
    pub(super) fn build(
        &mut self,
        size: &Expr,
        var: VarId,
        body: &Expr,
        block: &mut Block,
        names: Names,
    ) -> Outcome<Expr> {
        let span = size.span;
        let size = self.whole(size, block)?;
        let size = self.bind(block, "n", size);
        let index = self.binder(var);
        let state = self.fresh_state();
        let mut inner = Block::new(state);
        let item = match names {
            Names::Each => self.whole(body, &mut inner)?,
            Names::None => self.once(body, &mut inner)?,
        };
        if inner.leaves(state, &item) {
            return Ok(self.bind(block, "xs", Expr::build(size, index, inner.close(item), span)));
        }
        let element = item.ty.clone();
        let step = self.end(inner, item);
        let params = [index].into_iter().chain(state).collect();
        let step = self.program.lam(params, step);
        let sequence = self.sequence(&element, &self.library.state());
        let sequence = self.program.global(sequence, span);
        Ok(self.call_run(sequence, vec![size, step], block))
    }

    fn call_run(&mut self, callee: Expr, mut args: Vec<Expr>, block: &mut Block) -> Expr {
        args.extend(self.state(block));
        let span = callee.span;
        self.run(block, "xs", Expr::app(callee, args, span))
    }

    pub(super) fn loop_(
        &mut self,
        var: VarId,
        init: &Expr,
        form: &LoopForm,
        body: &Expr,
        block: &mut Block,
    ) -> Outcome<Expr> {
        let span = init.span;
        let init = self.whole(init, block)?;
        let ty = init.ty.clone();
        let form = match form {
            LoopForm::For { var, count } => {
                let count = self.whole(count, block)?;
                Head::For(self.binder(*var), count)
            }
            LoopForm::While(cond) => {
                // A condition is no Real: what it binds in the monad is of no use to anyone.
                let state = self.fresh_state();
                let value = self.binder(var);
                let mut inner = Block::new(state);
                let cond = self.whole(cond, &mut inner)?;
                let state = state.filter(|_| !inner.leaves(state, &cond));
                Head::While { value, state, cond: inner.close(cond) }
            }
        };
        let value = self.binder(var);
        let state = self.fresh_state();
        let mut inner = Block::new(state);
        let next = self.whole(body, &mut inner)?;
        let used = !inner.leaves(state, &next);
        let (Some(state), Some(outer)) = (state.filter(|_| used), block.state) else {
            let next = inner.close(next);
            let first = self.program.var(value, span);
            let outer = self.state(block);
            let form = form.finish(first, outer);
            let kind =
                ExprKind::Loop { var: value, init: Box::new(init), form, body: Box::new(next) };
            return Ok(self.bind(block, "r", Expr::new(kind, ty, span)));
        };
        let both = self.program.fresh("st", Type::tuple(vec![ty, self.library.state()]));
        let part = |this: &Self, index| Expr::proj(this.program.var(both, span), index, span);
        let next = self.end(inner, next);
        let next = Expr::lets([(value, part(self, 0)), (state, part(self, 1))], next);
        let init = Expr::tuple(vec![init, self.program.var(outer, NONE)], span);
        let form = form.finish(part(self, 0), Some(part(self, 1)));
        let ty = init.ty.clone();
        let kind = ExprKind::Loop { var: both, init: Box::new(init), form, body: Box::new(next) };
        Ok(self.run(block, "r", Expr::new(kind, ty, span)))
    }
}

/// The head of a loop, before it is known whether the state goes round with it.
enum Head {
    For(VarId, Expr),
    While { value: VarId, state: Option<VarId>, cond: Expr },
}

impl Head {
    fn finish(self, value: Expr, state: Option<Expr>) -> LoopForm {
        match self {
            Head::For(var, count) => LoopForm::For { var, count: Box::new(count) },
            Head::While { value: value_var, state: state_var, cond } => {
                let state = state_var.zip(state);
                let bindings = [(value_var, value)].into_iter().chain(state);
                let bindings: Vec<_> = bindings.collect();
                LoopForm::While(Box::new(Expr::lets(bindings, cond)))
            }
        }
    }
}
