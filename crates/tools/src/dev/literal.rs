//! Arguments of functions of the IR: numbers, truth values, and arrays of them, written as in programs.
//!
//! Input: an expression and the type of a parameter. Output: the value, if the expression is a literal of that type.

use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::{Elem, Type};
use pullback_syntax::ast::{Expr, ExprKind, Literal};

/// The value of a literal of a type.
pub(super) fn value(expr: &Expr, ty: Type) -> Option<Value> {
    let rank = usize::from(ty.rank);
    let (mut sizes, mut leaves) = (vec![], vec![]);
    gather(expr, rank, 0, &mut sizes, &mut leaves)?;
    if !ty.is_array() {
        return match ty.elem {
            Elem::Real => real(leaves[0]).map(Value::Real),
            Elem::Int => int(leaves[0]).map(Value::Int),
            Elem::Bool => truth(leaves[0]).map(Value::Bool),
            Elem::Str | Elem::Unit | Elem::Data(_) => None,
        };
    }
    // Nothing tells the sizes of rows that are absent.
    sizes.resize(rank, 0);
    let leaves = leaves.into_iter();
    let items = match ty.elem {
        Elem::Real => Items::Real(leaves.map(real).collect::<Option<_>>()?),
        Elem::Int => Items::Int(leaves.map(int).collect::<Option<_>>()?),
        Elem::Bool => Items::Bool(leaves.map(truth).collect::<Option<_>>()?),
        Elem::Str | Elem::Unit | Elem::Data(_) => return None,
    };
    Some(Value::array(Shape::new(&sizes), items))
}

/// The elements of an array with so many dimensions, and its sizes; rows must have the same.
fn gather<'e>(
    expr: &'e Expr,
    rank: usize,
    level: usize,
    sizes: &mut Vec<usize>,
    leaves: &mut Vec<&'e Expr>,
) -> Option<()> {
    if level == rank {
        leaves.push(expr);
        return Some(());
    }
    let ExprKind::Array(items) = &expr.kind else { return None };
    if sizes.len() == level {
        sizes.push(items.len());
    }
    if sizes[level] != items.len() {
        return None;
    }
    items.iter().try_for_each(|item| gather(item, rank, level + 1, sizes, leaves))
}

fn real(expr: &Expr) -> Option<f64> {
    let (is_negative, literal) = signed(expr)?;
    let size = match literal {
        Literal::Real(x) => *x,
        Literal::Int(n) => *n as f64,
        Literal::Bool(_) | Literal::Str(_) => return None,
    };
    Some(if is_negative { -size } else { size })
}

fn int(expr: &Expr) -> Option<i64> {
    let (is_negative, literal) = signed(expr)?;
    let Literal::Int(n) = literal else { return None };
    let n = i128::from(*n);
    i64::try_from(if is_negative { -n } else { n }).ok()
}

fn truth(expr: &Expr) -> Option<bool> {
    if let ExprKind::Lit(Literal::Bool(b)) = &expr.kind { Some(*b) } else { None }
}

/// A literal, and whether a minus stands before it.
fn signed(expr: &Expr) -> Option<(bool, &Literal)> {
    let (is_negative, expr) =
        if let ExprKind::Negate(inner) = &expr.kind { (true, &**inner) } else { (false, expr) };
    if let ExprKind::Lit(literal) = &expr.kind { Some((is_negative, literal)) } else { None }
}
