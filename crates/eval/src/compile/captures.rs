//! Which variables each function of a program captures.
//!
//! Law: for every lambda `f`, `captures.of(f)` is `f.free_vars()`, in the same order. All are computed in
//! one pass over the program, so functions inside functions cost no more than others.

use pullback_lambda::{Expr, ExprKind, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The captured variables of every lambda, by its first parameter, which no other lambda has.
pub(super) struct Captures {
    by_param: FxHashMap<VarId, Vec<VarId>>,
}

/// What the lambda at work mentions and binds so far.
#[derive(Default)]
struct Frame {
    /// In order of first occurrence.
    mentioned: Vec<VarId>,
    seen: FxHashSet<VarId>,
    bound: FxHashSet<VarId>,
}

impl Frame {
    fn mention(&mut self, var: VarId) {
        if self.seen.insert(var) {
            self.mentioned.push(var);
        }
    }
}

impl Captures {
    /// Looks through a whole program.
    pub(super) fn of_program(program: &Program) -> Self {
        let mut captures = Self { by_param: FxHashMap::default() };
        for def in program.defs.iter() {
            captures.visit(&def.body, &mut Frame::default());
        }
        captures
    }

    /// The variables that a lambda captures, in order of first occurrence.
    pub(super) fn of(&self, lambda: &Expr) -> &[VarId] {
        let ExprKind::Lam(params, _) = &lambda.kind else { return &[] };
        params.first().and_then(|param| self.by_param.get(param)).map_or(&[], Vec::as_slice)
    }

    /// The variables that functions which are bound together capture from outside of their group.
    pub(super) fn of_group(&self, functions: &[(VarId, Expr)]) -> Vec<VarId> {
        let mut inside: FxHashSet<VarId> = functions.iter().map(|(member, _)| *member).collect();
        let captured = functions.iter().flat_map(|(_, function)| self.of(function));
        captured.copied().filter(|var| inside.insert(*var)).collect()
    }

    fn visit(&mut self, expr: &Expr, frame: &mut Frame) {
        if let ExprKind::Lam(params, body) = &expr.kind {
            let mut inner = Frame::default();
            inner.bound.extend(params);
            self.visit(body, &mut inner);
            let Frame { mut mentioned, bound, .. } = inner;
            mentioned.retain(|var| !bound.contains(var));
            mentioned.iter().for_each(|var| frame.mention(*var));
            if let Some(param) = params.first() {
                self.by_param.insert(*param, mentioned);
            }
            return;
        }
        if let ExprKind::Var(var) = expr.kind {
            frame.mention(var);
        }
        frame.bound.extend(expr.binders());
        expr.for_each_child(&mut |child| self.visit(child, frame));
    }
}

#[cfg(test)]
mod tests {
    use pullback_base::FileId;
    use pullback_lambda::parse;

    use super::*;

    /// A program with functions in functions, recursive ones among them.
    const PROGRAM: &str = "def f.0 : Int -> Int = \\(x.0 : Int) ->
  let y.1 : Int = int_add x.0 1 in
  let g.2 : Int -> Int -> Int = \\(a.3 : Int) -> \\(b.4 : Int) ->
    let h.5 : Int -> Int = \\(c.6 : Int) -> int_add y.1 (int_add c.6 (int_mul b.4 x.0)) in
    h.5 a.3 in
  let rec down.7 : Int -> Int = \\(n.8 : Int) -> if int_le n.8 0 then g.2 n.8 y.1 else down.7 (int_sub n.8 1) in
  down.7 x.0";

    #[test]
    fn they_are_the_free_variables_in_order() {
        let program = parse(PROGRAM, FileId(0)).expect("a program");
        let captures = Captures::of_program(&program);
        let mut lambdas = 0;
        for def in program.defs.iter() {
            def.body.visit(&mut |expr| {
                if matches!(expr.kind, ExprKind::Lam(..)) {
                    lambdas += 1;
                    assert_eq!(captures.of(expr), expr.free_vars());
                }
            });
        }
        assert_eq!(lambdas, 5);
    }
}
