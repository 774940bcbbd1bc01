//! Primitives and conditions: which instruction each becomes.

use pullback_lambda::{Arm, Expr, ExprKind, Lit};
use pullback_prim::{Class, Prim};

use super::{Function, Reg};
use crate::code::Instr;

/// A register that fits into the short operands of instructions with a constant.
fn short(reg: Reg) -> Option<u16> {
    u16::try_from(reg).ok()
}

fn real_literal(expr: &Expr) -> Option<f64> {
    if let ExprKind::Lit(Lit::Real(x)) = expr.kind { Some(x) } else { None }
}

fn int_literal(expr: &Expr) -> Option<i64> {
    if let ExprKind::Lit(Lit::Int(n)) = expr.kind { Some(n) } else { None }
}

fn short_literal(expr: &Expr) -> Option<u8> {
    int_literal(expr).and_then(|n| u8::try_from(n).ok())
}

impl Function<'_, '_> {
    /// Emits a primitive with its result in `d`.
    pub(super) fn prim(&mut self, prim: Prim, args: &[Expr], d: Reg) {
        match args {
            [a] => self.prim1(prim, a, d),
            [a, b] => self.prim2(prim, a, b, d),
            _ if prim == Prim::Update => self.update(args, d),
            [array, depth, size] if prim == Prim::Sized && self.sized(array, depth, size, d) => {}
            [array, depth, size, what]
                if prim == Prim::CheckSize && self.check_size([array, depth, size, what], d) => {}
            _ => {
                let first = self.run(args);
                let n = u8::try_from(args.len()).expect("fewer than 2^8 parameters of a primitive");
                let prim = self.shared.image.prims.id(prim);
                self.emit(Instr::PrimN { prim, d, first, n });
            }
        }
    }

    /// The size of absent rows at a literal depth, which all of elaboration's are: the array is moved.
    fn sized(&mut self, array: &Expr, depth: &Expr, size: &Expr, d: Reg) -> bool {
        let Some(depth) = short_literal(depth) else { return false };
        let a = self.operand(array);
        let n = self.operand(size);
        self.emit(Instr::Sized { d, a, n, depth });
        true
    }

    /// A check with a literal depth and text: nothing else comes to hold the array.
    fn check_size(&mut self, [array, depth, size, what]: [&Expr; 4], d: Reg) -> bool {
        let (Some(depth), ExprKind::Lit(Lit::Str(what))) = (short_literal(depth), &what.kind)
        else {
            return false;
        };
        let what = self.shared.string(what);
        let a = self.operand(array);
        let n = self.operand(size);
        self.emit(Instr::CheckSize { a, n, what, depth });
        self.emit(Instr::Unit { d });
        true
    }

    fn prim1(&mut self, prim: Prim, a: &Expr, d: Reg) {
        let a = self.operand(a);
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the primitives with instructions of their own"
        )]
        let instr = match prim {
            Prim::Neg => Instr::RealNeg { d, a },
            Prim::ToReal => Instr::ToReal { d, a },
            Prim::Size => Instr::Size { d, a },
            Prim::Sum => Instr::Sum { d, a },
            _ => {
                let id = self.shared.image.prims.id(prim);
                match prim.row().class {
                    Class::Smooth(_) => Instr::Real1 { prim: id, d, a },
                    Class::Discrete
                    | Class::Structural(_)
                    | Class::Control
                    | Class::Tell
                    | Class::Fail => Instr::Prim1 { prim: id, d, a },
                }
            }
        };
        self.emit(instr);
    }

    fn prim2(&mut self, prim: Prim, x: &Expr, y: &Expr, d: Reg) {
        if let Some(k) = real_literal(y).filter(|_| is_arithmetic(prim)) {
            let a = self.operand(x);
            if let (Some(d), Some(a)) = (short(d), short(a)) {
                self.emit(if prim == Prim::Add {
                    Instr::RealAddK { d, a, k }
                } else if prim == Prim::Sub {
                    Instr::RealSubK { d, a, k }
                } else if prim == Prim::Mul {
                    Instr::RealMulK { d, a, k }
                } else {
                    Instr::RealDivK { d, a, k }
                });
                return;
            }
            let b = self.operand(y);
            self.binary(prim, a, b, d);
            return;
        }
        if let (Some(k), Some(short_d)) =
            (real_literal(x).filter(|_| is_arithmetic(prim)), short(d))
        {
            let a = self.operand(y);
            if let Some(a) = short(a) {
                let d = short_d;
                self.emit(if prim == Prim::Add {
                    Instr::RealAddR { d, a, k }
                } else if prim == Prim::Sub {
                    Instr::RealSubR { d, a, k }
                } else if prim == Prim::Mul {
                    Instr::RealMulR { d, a, k }
                } else {
                    Instr::RealDivR { d, a, k }
                });
                return;
            }
        }
        if let (Some(k), Some(short_d)) = (int_literal(y), short(d)) {
            let a = self.operand(x);
            let instr = short(a).and_then(|a| {
                let d = short_d;
                if prim == Prim::IntAdd {
                    Some(Instr::IntAddK { d, a, k })
                } else if prim == Prim::IntSub {
                    Some(Instr::IntSubK { d, a, k })
                } else if prim == Prim::IntMul {
                    Some(Instr::IntMulK { d, a, k })
                } else {
                    None
                }
            });
            if let Some(instr) = instr {
                self.emit(instr);
                return;
            }
            let b = self.operand(y);
            self.binary(prim, a, b, d);
            return;
        }
        if prim == Prim::Index && self.index_twice(x, y, d) {
            return;
        }
        let a = self.operand(x);
        let b = self.operand(y);
        self.binary(prim, a, b, d);
    }

    /// `a[i][j]` in one instruction, where the registers' numbers are short.
    fn index_twice(&mut self, row: &Expr, column: &Expr, d: Reg) -> bool {
        let ExprKind::Prim(Prim::Index, args) = &row.kind else { return false };
        let ([array, row_index], true) = (&args[..], self.next < 60_000) else { return false };
        let a = self.operand(array);
        let i = self.operand(row_index);
        let j = self.operand(column);
        match (short(d), short(a), short(i), short(j)) {
            (Some(d), Some(a), Some(i), Some(j)) => self.emit(Instr::Index2 { d, a, i, j }),
            _ => {
                let inner = self.fresh();
                self.emit(Instr::Index { d: inner, a, i });
                self.emit(Instr::Index { d, a: inner, i: j })
            }
        };
        true
    }

    fn binary(&mut self, prim: Prim, a: Reg, b: Reg, d: Reg) {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "the primitives with instructions of their own"
        )]
        let instr = match prim {
            Prim::Add => Instr::RealAdd { d, a, b },
            Prim::Sub => Instr::RealSub { d, a, b },
            Prim::Mul => Instr::RealMul { d, a, b },
            Prim::Div => Instr::RealDiv { d, a, b },
            Prim::IntAdd => Instr::IntAdd { d, a, b },
            Prim::IntSub => Instr::IntSub { d, a, b },
            Prim::IntMul => Instr::IntMul { d, a, b },
            Prim::IntDiv => Instr::IntDiv { d, a, b },
            Prim::IntRem => Instr::IntRem { d, a, b },
            Prim::Index => Instr::Index { d, a, i: b },
            _ => Instr::Prim2 { prim: self.shared.image.prims.id(prim), d, a, b },
        };
        self.emit(instr);
    }

    /// Emits a test; the returned jumps are taken if the condition is `sense`.
    pub(super) fn condition(&mut self, cond: &Expr, sense: bool) -> Vec<usize> {
        match &cond.kind {
            // A condition on the components of a tuple names them first.
            ExprKind::Let(var, bound, body) => {
                let outer = self.enter_span(cond);
                self.bind(*var, bound);
                self.enter_span(body);
                let jumps = self.condition(body, sense);
                self.span = outer;
                return jumps;
            }
            ExprKind::Prim(Prim::Not, args) => return self.condition(&args[0], !sense),
            ExprKind::Prim(prim, args) if is_comparison(*prim) => {
                if let [x, y] = &args[..] {
                    return vec![self.comparison(*prim, x, y, sense)];
                }
            }
            ExprKind::If(a, b, c) => {
                if let Some(jumps) = self.connective(a, b, c, sense) {
                    return jumps;
                }
            }
            ExprKind::Match(scrutinee, arms, Some(default)) => {
                if let Some(jumps) = self.constructor_test(scrutinee, arms, default, sense) {
                    return jumps;
                }
            }
            ExprKind::Lit(Lit::Bool(value)) => {
                return if *value == sense {
                    vec![self.emit(Instr::Jump { to: 0 })]
                } else {
                    vec![]
                };
            }
            ExprKind::Var(_)
            | ExprKind::Global(_)
            | ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::Lam(..)
            | ExprKind::App(..)
            | ExprKind::LetRec(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Match(..)
            | ExprKind::Array(_)
            | ExprKind::Build { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Ad(..) => {}
        }
        let a = self.operand(cond);
        vec![self.emit(if sense {
            Instr::JumpIf { a, to: 0 }
        } else {
            Instr::JumpUnless { a, to: 0 }
        })]
    }

    /// `match x with T -> a | _ -> b` for the two truth values.
    fn constructor_test(
        &mut self,
        scrutinee: &Expr,
        arms: &[Arm],
        default: &Expr,
        sense: bool,
    ) -> Option<Vec<usize>> {
        let [Arm { tag, vars, body, .. }] = arms else { return None };
        let (ExprKind::Lit(Lit::Bool(here)), ExprKind::Lit(Lit::Bool(elsewhere))) =
            (&body.kind, &default.kind)
        else {
            return None;
        };
        if !vars.is_empty() || here == elsewhere {
            return None;
        }
        let a = self.operand(scrutinee);
        let other = self.emit(Instr::JNotTag { a, tag: *tag as u32, to: 0 });
        if *elsewhere == sense {
            return Some(vec![other]);
        }
        let jump = self.emit(Instr::Jump { to: 0 });
        self.land(other);
        Some(vec![jump])
    }

    /// `a && b` is `if a then b else false`, `a || b` is `if a then true else b`.
    fn connective(&mut self, a: &Expr, b: &Expr, c: &Expr, sense: bool) -> Option<Vec<usize>> {
        let literal = |expr: &Expr| {
            if let ExprKind::Lit(Lit::Bool(value)) = expr.kind { Some(value) } else { None }
        };
        // The value of `a` that decides alone, the other operand, and what is decided.
        let (deciding, rest) = match (literal(b), literal(c)) {
            (_, Some(false)) => (false, b),
            (Some(true), _) => (true, c),
            _ => return None,
        };
        Some(if deciding == sense {
            let mut jumps = self.condition(a, sense);
            jumps.extend(self.condition(rest, sense));
            jumps
        } else {
            let decided = self.condition(a, deciding);
            let jumps = self.condition(rest, sense);
            self.land_all(decided);
            jumps
        })
    }

    fn comparison(&mut self, prim: Prim, x: &Expr, y: &Expr, sense: bool) -> usize {
        if let (Some(k), true) = (int_literal(y), is_int_comparison(prim)) {
            let a = self.operand(x);
            if let Some(a) = short(a) {
                return self.emit(int_jump_k(if sense { prim } else { negated(prim) }, a, k));
            }
            let b = self.operand(y);
            return self.emit(int_jump(if sense { prim } else { negated(prim) }, a, b));
        }
        if let (Some(k), true) = (real_literal(y), has_constant_jump(prim)) {
            let a = self.operand(x);
            if let Some(a) = short(a) {
                return self.emit(real_jump_k(prim, a, k, sense));
            }
            let b = self.operand(y);
            return self.emit(real_jump(prim, a, b, sense));
        }
        let a = self.operand(x);
        let b = self.operand(y);
        self.emit(if is_int_comparison(prim) {
            int_jump(if sense { prim } else { negated(prim) }, a, b)
        } else {
            real_jump(prim, a, b, sense)
        })
    }
}

fn is_arithmetic(prim: Prim) -> bool {
    matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Div)
}

fn is_comparison(prim: Prim) -> bool {
    is_int_comparison(prim)
        || matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge | Prim::Eq | Prim::Ne)
}

fn is_int_comparison(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::IntLt | Prim::IntLe | Prim::IntGt | Prim::IntGe | Prim::IntEq | Prim::IntNe
    )
}

fn has_constant_jump(prim: Prim) -> bool {
    matches!(prim, Prim::Lt | Prim::Le | Prim::Gt | Prim::Ge)
}

/// The Int comparison that holds where this one does not.
fn negated(prim: Prim) -> Prim {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the Int comparisons among all primitives")]
    match prim {
        Prim::IntLt => Prim::IntGe,
        Prim::IntLe => Prim::IntGt,
        Prim::IntGt => Prim::IntLe,
        Prim::IntGe => Prim::IntLt,
        Prim::IntEq => Prim::IntNe,
        _ => Prim::IntEq,
    }
}

fn int_jump(prim: Prim, a: Reg, b: Reg) -> Instr {
    let to = 0;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the Int comparisons among all primitives")]
    match prim {
        Prim::IntLt => Instr::JIntLt { a, b, to },
        Prim::IntLe => Instr::JIntLe { a, b, to },
        Prim::IntGt => Instr::JIntLt { a: b, b: a, to },
        Prim::IntGe => Instr::JIntLe { a: b, b: a, to },
        Prim::IntEq => Instr::JIntEq { a, b, to },
        _ => Instr::JIntNe { a, b, to },
    }
}

fn int_jump_k(prim: Prim, a: u16, k: i64) -> Instr {
    let to = 0;
    #[expect(clippy::wildcard_enum_match_arm, reason = "the Int comparisons among all primitives")]
    match prim {
        Prim::IntLt => Instr::JIntLtK { a, k, to },
        Prim::IntLe => Instr::JIntLeK { a, k, to },
        Prim::IntGt => Instr::JIntGtK { a, k, to },
        Prim::IntGe => Instr::JIntGeK { a, k, to },
        Prim::IntEq => Instr::JIntEqK { a, k, to },
        _ => Instr::JIntNeK { a, k, to },
    }
}

fn real_jump(prim: Prim, a: Reg, b: Reg, sense: bool) -> Instr {
    let to = 0;
    match (prim, sense) {
        (Prim::Lt, true) => Instr::JRealLt { a, b, to },
        (Prim::Le, true) => Instr::JRealLe { a, b, to },
        (Prim::Gt, true) => Instr::JRealLt { a: b, b: a, to },
        (Prim::Ge, true) => Instr::JRealLe { a: b, b: a, to },
        (Prim::Lt, false) => Instr::JRealNotLt { a, b, to },
        (Prim::Le, false) => Instr::JRealNotLe { a, b, to },
        (Prim::Gt, false) => Instr::JRealNotLt { a: b, b: a, to },
        (Prim::Ge, false) => Instr::JRealNotLe { a: b, b: a, to },
        (Prim::Eq, true) | (Prim::Ne, false) => Instr::JRealEq { a, b, to },
        _ => Instr::JRealNe { a, b, to },
    }
}

fn real_jump_k(prim: Prim, a: u16, k: f64, sense: bool) -> Instr {
    let to = 0;
    match (prim, sense) {
        (Prim::Lt, true) => Instr::JRealLtK { a, k, to },
        (Prim::Le, true) => Instr::JRealLeK { a, k, to },
        (Prim::Gt, true) => Instr::JRealGtK { a, k, to },
        (Prim::Ge, true) => Instr::JRealGeK { a, k, to },
        (Prim::Lt, false) => Instr::JRealNotLtK { a, k, to },
        (Prim::Le, false) => Instr::JRealNotLeK { a, k, to },
        (Prim::Gt, false) => Instr::JRealNotGtK { a, k, to },
        _ => Instr::JRealNotGeK { a, k, to },
    }
}
