//! Strength reduction of powers: a power with a constant exponent becomes products, by repeated squaring.
//!
//! ```text
//!                        a = mul(x, x)
//!                        b = mul(a, a)
//! p = pow_int(x, 5)  =>  p = mul(x, b)
//! ```
//!
//! Loops run products in vectors, and powers of one number share their squares (`cse`). The pass does the same for
//! `pow_slope(x, n)`, which is `n * x ^ (n - 1)`.
//!
//! Law: every bit stays, since the primitive computes these products in this order. Exponents beyond ±16 and
//! exponents that are not constants stay powers. It runs on derived code only: the derivative of a power is one more
//! power, and that of its products is longer.

use pullback_ir::{Atom, FuncId, Op, Program, Stmt, Type};
use pullback_prim::Prim;

use crate::pass::{Pass, Phase, Scope, each_stmt};
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "expand_powers",
    phase: Phase::Simplify,
    scope: Scope::Derived,
    runs_last: false,
    runs_in_trial: false,
    about: "makes products of powers with constant exponents",
    law: "x ^ 5 = x * ((x * x) * (x * x)): the products that the primitive makes, in its order",
    run,
};

/// The largest exponent, of either sign, for which products are made.
const LARGEST: u64 = 16;

fn run(program: &mut Program, _: &mut [FuncId], _: &mut Analyses) -> Changed {
    each_stmt(program, |program, stmt, stmts| {
        let Some(op) = Products { program, stmt, stmts }.of_stmt() else { return false };
        stmt.op = op;
        true
    })
}

/// The products for one statement, which come before it.
struct Products<'a> {
    program: &'a mut Program,
    stmt: &'a Stmt,
    stmts: &'a mut Vec<Stmt>,
}

impl Products<'_> {
    /// The operation that gives the power, or `n * x ^ (n - 1)`, where the statement is one.
    fn of_stmt(&mut self) -> Option<Op> {
        let Op::Prim(prim, args) = &self.stmt.op else { return None };
        let [x, Atom::Int(n)] = args.as_slice() else { return None };
        if n.unsigned_abs() > LARGEST {
            return None;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these are powers")]
        match prim {
            Prim::PowInt => Some(Op::Copy(self.power(*x, *n))),
            // The slope of a constant is 0 everywhere, which `simplify` knows.
            Prim::PowSlope if *n == 0 => None,
            Prim::PowSlope => {
                let power = self.power(*x, n - 1);
                Some(Op::Prim(Prim::Mul, vec![Atom::Real(*n as f64), power]))
            }
            _ => None,
        }
    }

    /// A power by repeated squaring, as the primitive computes it.
    fn power(&mut self, x: Atom, n: i64) -> Atom {
        let mut rest = n.unsigned_abs();
        let mut square = x;
        let mut power = None;
        while rest > 0 {
            if rest & 1 == 1 {
                power = Some(match power {
                    None => square,
                    Some(lower) => self.result(Prim::Mul, lower, square),
                });
            }
            rest >>= 1;
            if rest > 0 {
                square = self.result(Prim::Mul, square, square);
            }
        }
        let power = power.unwrap_or(Atom::Real(1.0));
        if n < 0 { self.result(Prim::Div, Atom::Real(1.0), power) } else { power }
    }

    fn result(&mut self, prim: Prim, x: Atom, y: Atom) -> Atom {
        let var = self.program.fresh("power", Type::REAL);
        self.stmts.push(Stmt::new(vec![var], Op::Prim(prim, vec![x, y]), self.stmt.span));
        var.into()
    }
}
