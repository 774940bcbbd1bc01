//! What only some programs hold: texts, and functions with derivatives of their own.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, Type, VarId};
use pullback_prim::{Prim, quoted};

use super::Generator;

/// Texts that differ in what quoting does to them.
const TEXTS: &[&str] = &["", "a", "1", "\\", "text \"\\\"", "\n\t", "ä"];

impl Generator<'_> {
    pub(super) fn text_literal(&mut self) -> Expr {
        Expr::str(TEXTS[self.entropy.below(TEXTS.len())], Span::NONE)
    }

    /// A text. None is made of a Real: two ways to compute a Real may differ in its last digit.
    pub(super) fn text(&mut self, fuel: usize) -> Expr {
        let (ty, fuel) = (Type::str(), fuel.saturating_sub(1));
        match self.entropy.below(5) {
            0 => self.text_literal(),
            1 | 2 => {
                let n = self.expr(&Type::int(), fuel);
                Expr::prim(Prim::ShowInt, vec![n], Span::NONE)
            }
            3 => Expr::prim(Prim::Quote, vec![self.expr(&ty, fuel)], Span::NONE),
            _ => {
                let sides = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
                Expr::prim(Prim::StrJoin, sides, Span::NONE)
            }
        }
    }

    /// Whether two texts are the same: any two, or one that is computed and what it should be.
    pub(super) fn same_text(&mut self, fuel: usize) -> Expr {
        if self.entropy.below(3) == 0 {
            let ty = Type::str();
            let sides = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
            return Expr::prim(Prim::StrEq, sides, Span::NONE);
        }
        let (computed, known) = self.known_text(3);
        let other = if self.entropy.below(4) == 3 { self.known_text(1).1 } else { known };
        Expr::prim(Prim::StrEq, vec![computed, Expr::str(&other, Span::NONE)], Span::NONE)
    }

    /// A text without variables, and what it is.
    fn known_text(&mut self, depth: usize) -> (Expr, String) {
        let choice = if depth == 0 { 0 } else { self.entropy.below(4) };
        match choice {
            0 => {
                let text = TEXTS[self.entropy.below(TEXTS.len())];
                (Expr::str(text, Span::NONE), text.to_owned())
            }
            1 => {
                let n = (self.entropy.below(200) * self.entropy.below(200)) as i64 - 100;
                (
                    Expr::prim(Prim::ShowInt, vec![Expr::int(n, Span::NONE)], Span::NONE),
                    n.to_string(),
                )
            }
            2 => {
                let (inner, text) = self.known_text(depth - 1);
                (Expr::prim(Prim::Quote, vec![inner], Span::NONE), quoted(&text))
            }
            _ => {
                let ((a, left), (b, right)) =
                    (self.known_text(depth - 1), self.known_text(depth - 1));
                (Expr::prim(Prim::StrJoin, vec![a, b], Span::NONE), left + &right)
            }
        }
    }

    /// `let f = \x -> … in custom_jvp f (\x dx -> (f x, slope * dx)) point`, or `custom_vjp` with a pullback. The slope is
    /// any number, so the derivative is what the program says. Of a pair there are two slopes.
    pub(super) fn ruled(&mut self, fuel: usize) -> Expr {
        let (real, fuel) = (Type::real(), fuel.saturating_sub(1));
        let is_pair = self.entropy.below(3) == 2;
        let from =
            if is_pair { Type::tuple(vec![real.clone(), real.clone()]) } else { real.clone() };
        let x = self.program.fresh("x", from.clone());
        let body = self.under(&[x], |this| this.expr(&real, fuel));
        let function = self.program.lam(vec![x], body);
        let f = self.program.fresh("f", function.ty.clone());
        let backward = self.entropy.below(2) == 0;
        let rule =
            if backward { self.pullback(f, &from, fuel) } else { self.pushforward(f, &from, fuel) };
        let op = if backward { AdOp::CustomVjp } else { AdOp::CustomJvp };
        let point = self.expr(&from, fuel);
        let args = vec![self.program.var(f, Span::NONE), rule, point];
        Expr::let_(f, function, Expr::ad(op, args, real, Span::NONE))
    }

    /// `\x -> (f x, \bar -> slope * bar)`
    fn pullback(&mut self, f: VarId, from: &Type, fuel: usize) -> Expr {
        let x = self.program.fresh("x", from.clone());
        let bar = self.program.fresh("bar", Type::real());
        let slopes = self.slopes(&[f, x], from, fuel);
        let products: Vec<Expr> = slopes
            .into_iter()
            .map(|slope| times(slope, self.program.var(bar, Span::NONE)))
            .collect();
        let back = match <[Expr; 1]>::try_from(products) {
            Ok([product]) => product,
            Err(products) => Expr::tuple(products, Span::NONE),
        };
        let back = self.program.lam(vec![bar], back);
        let result = Expr::tuple(vec![self.applied(f, x), back], Span::NONE);
        self.program.lam(vec![x], result)
    }

    /// `\x dx -> (f x, slope * dx)`
    fn pushforward(&mut self, f: VarId, from: &Type, fuel: usize) -> Expr {
        let x = self.program.fresh("x", from.clone());
        let dx = self.program.fresh("dx", from.clone());
        let slopes = self.slopes(&[f, x], from, fuel);
        let dx_part = |at: usize| {
            let dx = self.program.var(dx, Span::NONE);
            if *from == Type::real() { dx } else { Expr::proj(dx, at, Span::NONE) }
        };
        let products = slopes.into_iter().enumerate().map(|(at, slope)| times(slope, dx_part(at)));
        let sum = |a: Expr, b: Expr| Expr::prim(Prim::Add, vec![a, b], Span::NONE);
        let forth = products.reduce(sum).unwrap_or_else(|| Expr::real(0.0, Span::NONE));
        let result = Expr::tuple(vec![self.applied(f, x), forth], Span::NONE);
        self.program.lam(vec![x, dx], result)
    }

    /// A number for each Real of the argument.
    fn slopes(&mut self, scope: &[VarId], from: &Type, fuel: usize) -> Vec<Expr> {
        let count = if *from == Type::real() { 1 } else { 2 };
        let slope = |_| self.under(scope, |this| this.expr(&Type::real(), fuel));
        (0..count).map(slope).collect()
    }

    fn applied(&self, f: VarId, x: VarId) -> Expr {
        let (f, x) = (self.program.var(f, Span::NONE), self.program.var(x, Span::NONE));
        Expr::app(f, vec![x], Span::NONE)
    }
}

fn times(a: Expr, b: Expr) -> Expr {
    Expr::prim(Prim::Mul, vec![a, b], Span::NONE)
}
