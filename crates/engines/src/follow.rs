//! What the engines that follow Reals at run time share.

use pullback_lambda::eval::{Ctx, Fault, Value, walk};
use pullback_lambda::{Prim, Smooth};

/// What the engine keeps of the derivative of a Real, if this level is the one that follows it.
#[inline]
pub(crate) fn tangent_at(value: &Value, level: u64) -> Option<&Value> {
    match value {
        Value::Active(active) if active.level == level => Some(&active.tangent),
        _ => None,
    }
}

/// A Real without the derivatives of levels above this one.
pub(crate) fn below_or_at(value: &Value, level: u64) -> &Value {
    let mut value = value;
    while let Value::Active(active) = value
        && active.level > level
    {
        value = &active.primal;
    }
    value
}

/// A Real with one more contribution to its derivative at this level. If the level follows it
/// already, or a later one does, the contribution is added in the form of a zero that carries it.
pub(crate) fn attach(
    ctx: &mut Ctx,
    level: u64,
    value: &Value,
    tangent: Value,
) -> Result<Value, Fault> {
    if value.level() < level {
        return ctx.follow(level, value.clone(), tangent);
    }
    // Adding the negative zero changes no number, not even a zero.
    let carrier = ctx.follow(level, Value::Real(-0.0), tangent)?;
    ctx.apply(Prim::Add, &[value.clone(), carrier])
}

/// The Reals of a tangent or cotangent, after a check that it has the shape of `value`.
pub(crate) fn checked_leaves(
    value: &Value,
    tangent: &Value,
    what: &'static str,
) -> Result<Vec<Value>, Fault> {
    let mut leaves = vec![];
    walk::zip_leaves(value, tangent, what, |leaf, tangent| {
        if leaf.as_real().is_some() {
            leaves.push(tangent.clone());
        }
        Ok(Value::Unit)
    })?;
    Ok(leaves)
}

/// The analysis of a primitive that an engine was given as a smooth one.
pub(crate) fn smooth(prim: Prim) -> Result<&'static Smooth, Fault> {
    prim.row().smooth().ok_or_else(|| Fault::internal(format!("{prim:?} is not smooth")))
}
