//! Value numbering: a pure scalar operation on the same atoms is computed once.
//!
//! | rule | before | after |
//! |---|---|---|
//! | [`Numbers::same`] | `let a = mul x y in … let b = mul y x in e` | `e`, where `b` stands for `a` |
//! | [`folded`] | `mul x 1.0`, `mul 2.0 3.0` | `x`, `6.0` |

use pullback_lambda::{Expr, ExprKind, Lit, TypeKind, VarId};
use pullback_prim::{Prim, Scalar};
use rustc_hash::FxHashMap;

/// An operation on atoms.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Operation(Prim, Vec<Operand>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operand {
    Var(VarId),
    Real(u64),
    Int(i64),
    Bool(bool),
}

/// The operations whose values have names, by scope.
#[derive(Default)]
pub(super) struct Numbers {
    names: FxHashMap<Operation, Expr>,
    scopes: Vec<Vec<Operation>>,
}

impl Numbers {
    /// Opens a scope.
    pub fn open(&mut self) {
        self.scopes.push(vec![]);
    }

    /// Closes the innermost scope: its names end.
    pub fn close(&mut self) {
        for operation in self.scopes.pop().into_iter().flatten() {
            self.names.remove(&operation);
        }
    }

    /// What has this value already; from now on the variable has it, if nothing does.
    pub fn same(&mut self, var: Expr, value: &Expr) -> Option<Expr> {
        let operation = operation(value)?;
        if let Some(known) = self.names.get(&operation) {
            return Some(known.clone());
        }
        self.scopes.last_mut()?.push(operation.clone());
        self.names.insert(operation, var);
        None
    }
}

fn operation(value: &Expr) -> Option<Operation> {
    let ExprKind::Prim(prim, args) = &value.kind else { return None };
    let is_scalar = matches!(value.ty.kind(), TypeKind::Real | TypeKind::Int | TypeKind::Bool);
    if !is_scalar || !prim.row().is_pure() {
        return None;
    }
    let mut operands = args.iter().map(operand).collect::<Option<Vec<_>>>()?;
    if prim.is_commutative() {
        operands.sort_unstable();
    }
    Some(Operation(*prim, operands))
}

fn operand(arg: &Expr) -> Option<Operand> {
    match &arg.kind {
        ExprKind::Var(var) => Some(Operand::Var(*var)),
        ExprKind::Lit(Lit::Real(x)) => Some(Operand::Real(x.to_bits())),
        ExprKind::Lit(Lit::Int(n)) => Some(Operand::Int(*n)),
        ExprKind::Lit(Lit::Bool(truth)) => Some(Operand::Bool(*truth)),
        ExprKind::Lit(Lit::Str(_))
        | ExprKind::Global(_)
        | ExprKind::Prim(..)
        | ExprKind::Lam(..)
        | ExprKind::App(..)
        | ExprKind::Let(..)
        | ExprKind::LetRec(..)
        | ExprKind::If(..)
        | ExprKind::Tuple(_)
        | ExprKind::Proj(..)
        | ExprKind::Con(..)
        | ExprKind::Match(..)
        | ExprKind::Array(_)
        | ExprKind::Build { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Ad(..) => None,
    }
}

/// What an operation comes to without being computed: the same bits in every run. A result that is not finite
/// is left to the run, which may have to tell where it arose.
pub(super) fn folded(prim: Prim, args: &[Expr]) -> Option<Expr> {
    let number = |arg: &Expr| {
        if let ExprKind::Lit(Lit::Real(x)) = arg.kind { Some(x) } else { None }
    };
    let [left, right] = args else { return None };
    let (first, second) = (number(left), number(right));
    if prim == Prim::Mul && first == Some(1.0) {
        return Some(right.clone());
    }
    if prim == Prim::Mul && second == Some(1.0) {
        return Some(left.clone());
    }
    if !matches!(prim, Prim::Add | Prim::Mul) {
        return None;
    }
    let value = prim.eval_scalar(&[Scalar::Real(first?), Scalar::Real(second?)]).ok()?;
    match value {
        Scalar::Real(value) if value.is_finite() => Some(Expr::real(value, left.span)),
        Scalar::Real(_) | Scalar::Int(_) | Scalar::Bool(_) | Scalar::Str(_) => None,
    }
}
