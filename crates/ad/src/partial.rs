//! Partial derivatives of primitives: the terms of the table of primitives become statements.
//!
//! ```text
//! y = sin(x)        =>        c = cos(x);  y_dot = mul(x_dot, c)
//! y = mul(x, p)     =>        a = mul(x_dot, p);  b = mul(p_dot, x);  y_dot = add(a, b)
//! ```
//!
//! Input: a primitive with its operands, result and their tangents. Output: the tangent of the result, as the sum of
//! each tangent times its partial derivative.
//!
//! Law: the sum is the total differential of the primitive. A term is computed once for each primitive, but anew in each branch of a conditional term. A partial
//! derivative that is structurally zero contributes nothing; a tangent that may be absent is multiplied by a strong
//! product.

use pullback_base::bug;
use pullback_ir::{Atom, Op, Type, VarId};
use pullback_prim::{Prim, PrimTy, Scalar, Term};

use crate::jvp::Jvp;

/// The operands and the result that terms speak of, and the terms that have been computed.
#[derive(Clone)]
struct Point {
    args: Vec<Atom>,
    result: Atom,
    known: Vec<(Term, Atom)>,
}

impl Jvp<'_> {
    /// The tangent of the result of a smooth primitive.
    pub(crate) fn smooth(&mut self, prim: Prim, args: &[Atom], out: VarId) -> Atom {
        let analysis = prim.row().analysis();
        let mut point = Point { args: args.to_vec(), result: Atom::Var(out), known: vec![] };
        let mut parts = vec![];
        for (arg, partial) in args.iter().zip(analysis.partials) {
            if let (Some(dot), Some(partial)) = (self.dot(*arg), partial) {
                parts.extend(self.contribution(partial, dot, &mut point));
            }
        }
        self.total(parts)
    }

    /// A tangent times a partial derivative; nothing if that is structurally zero.
    fn contribution(&mut self, partial: &Term, dot: Atom, point: &mut Point) -> Option<Atom> {
        match partial {
            Term::Zero => None,
            Term::Real(factor) if *factor == 1.0 => Some(dot),
            Term::Real(factor) if *factor == -1.0 => {
                let is_absent = self.is_absent(dot);
                let part = self.emit_linear(Type::REAL, Op::Prim(Prim::Neg, vec![dot]));
                self.mark_absent(part, is_absent);
                Some(part)
            }
            Term::If(cond, then, other) if has_zero(then) || has_zero(other) => {
                let cond = self.value(cond, point);
                if let Atom::Bool(is_then) = cond {
                    return self.contribution(if is_then { then } else { other }, dot, point);
                }
                let branch = |term: &Term, ctx: &mut Self| {
                    // What is computed in a branch is not in scope outside it.
                    let mut point = point.clone();
                    ctx.linear_block(|ctx| {
                        ctx.contribution(term, dot, &mut point).unwrap_or(Atom::Real(0.0))
                    })
                };
                let (then, other) = (branch(then, self), branch(other, self));
                let part = self.emit_linear(Type::REAL, Op::If(cond, then, other));
                self.mark_absent(part, true);
                Some(part)
            }
            Term::Arg(_)
            | Term::Result
            | Term::Real(_)
            | Term::Int(_)
            | Term::Prim(..)
            | Term::If(..) => {
                let factor = self.value(partial, point);
                let is_absent = self.is_absent(dot);
                let op = if is_absent {
                    Op::MulZero(dot, factor)
                } else {
                    Op::Prim(Prim::Mul, vec![dot, factor])
                };
                let part = self.emit_linear(Type::REAL, op);
                self.mark_absent(part, is_absent);
                Some(part)
            }
        }
    }

    /// The value of a term.
    fn value(&mut self, term: &Term, point: &mut Point) -> Atom {
        if let Some((_, atom)) = point.known.iter().find(|(known, _)| known == term) {
            return *atom;
        }
        let atom = match term {
            Term::Arg(at) => return point.args[*at],
            Term::Result => return point.result,
            Term::Real(x) => return Atom::Real(*x),
            Term::Int(n) => return Atom::Int(*n),
            Term::Zero => {
                bug(crate::name::NAME, "a structural zero only where a tangent is multiplied")
            }
            Term::Prim(prim, terms) => {
                let args: Vec<Atom> = terms.iter().map(|term| self.value(term, point)).collect();
                if let Some(known) = folded(*prim, &args) {
                    return known;
                }
                let ty = match prim.row().result {
                    PrimTy::Int => Type::INT,
                    PrimTy::Bool => Type::BOOL,
                    PrimTy::Real
                    | PrimTy::Str
                    | PrimTy::Unit
                    | PrimTy::Elem
                    | PrimTy::Array(_)
                    | PrimTy::AnyArray => Type::REAL,
                };
                self.emit("p", ty, Op::Prim(*prim, args))
            }
            Term::If(cond, then, other) => {
                let cond = self.value(cond, point);
                if let Atom::Bool(is_then) = cond {
                    return self.value(if is_then { then } else { other }, point);
                }
                let branch = |term: &Term, ctx: &mut Self| {
                    let mut point = point.clone();
                    ctx.linear_block(|ctx| ctx.value(term, &mut point))
                };
                let (then, other) = (branch(then, self), branch(other, self));
                self.emit("p", Type::REAL, Op::If(cond, then, other))
            }
        };
        point.known.push((*term, atom));
        atom
    }
}

/// The value of a primitive whose arguments are known.
fn folded(prim: Prim, args: &[Atom]) -> Option<Atom> {
    let scalar = |atom: &Atom| match atom {
        Atom::Real(x) => Some(Scalar::Real(*x)),
        Atom::Int(n) => Some(Scalar::Int(*n)),
        Atom::Bool(b) => Some(Scalar::Bool(*b)),
        Atom::Var(_) | Atom::Str(_) => None,
    };
    let args: Option<Vec<Scalar>> = args.iter().map(scalar).collect();
    match prim.eval_scalar(&args?) {
        Ok(Scalar::Real(x)) => Some(Atom::Real(x)),
        Ok(Scalar::Int(n)) => Some(Atom::Int(n)),
        Ok(Scalar::Bool(b)) => Some(Atom::Bool(b)),
        Ok(Scalar::Str(_)) | Err(_) => None,
    }
}

/// Whether a branch of a term is structurally zero.
fn has_zero(term: &Term) -> bool {
    match term {
        Term::Zero => true,
        Term::If(_, then, other) => has_zero(then) || has_zero(other),
        Term::Arg(_) | Term::Result | Term::Real(_) | Term::Int(_) | Term::Prim(..) => false,
    }
}
