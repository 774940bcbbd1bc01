//! What the engines that follow Reals at run time share.

use pullback_eval::{Ctx, Fault, NotFinite, Value, primal, tangent_at, walk};
use pullback_prim::Prim;

/// A derivative. In the strict domain it is an error if a number in it is not finite.
pub fn finite(ctx: &Ctx, derivative: Value) -> Result<Value, Fault> {
    match infinity(&derivative) {
        Some(number) if ctx.strict_domain() => {
            Err(Fault::NotFinite { what: NotFinite::Derivative, number })
        }
        Some(_) | None => Ok(derivative),
    }
}

/// The first Real that is not finite.
pub fn infinity(value: &Value) -> Option<f64> {
    let mut first = None;
    walk::for_each_real(value, |leaf| {
        let number = leaf.as_real().filter(|number| !number.is_finite());
        first = first.or(number);
    });
    first
}

/// A Real without the derivatives of levels above this one.
pub fn below_or_at(value: &Value, level: u64) -> &Value {
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
pub fn attach(ctx: &mut Ctx, level: u64, value: &Value, tangent: Value) -> Result<Value, Fault> {
    if value.level() < level {
        return ctx.follow(level, value.clone(), tangent);
    }
    // Adding the negative zero changes no number, not even a zero.
    let carrier = ctx.follow(level, Value::Real(-0.0), tangent)?;
    ctx.apply(Prim::Add, &[value.clone(), carrier])
}

/// Zeros that carry what is kept of the derivative of `x`: in a rule of forward mode they stand for its
/// tangent, and whatever is linear in them gets the right derivative.
pub fn carriers(ctx: &mut Ctx, level: u64, x: &Value) -> Result<Value, Fault> {
    walk::map_leaves(x, |leaf| match tangent_at(leaf, level) {
        Some(tangent) => ctx.follow(level, Value::Real(0.0), tangent.clone()),
        None => Ok(walk::zero(leaf)),
    })
}

/// What a rule of forward mode gave, with the derivative that the carriers brought to its tangent.
pub fn carried(ctx: &mut Ctx, level: u64, value: &Value, tangent: &Value) -> Result<Value, Fault> {
    walk::zip_leaves(value, tangent, "tangent", |leaf, tangent| {
        match tangent_at(below_or_at(tangent, level), level) {
            Some(tangent) => attach(ctx, level, leaf, tangent.clone()),
            None => Ok(leaf.clone()),
        }
    })
}

/// A sum that is followed, with nothing kept of its derivative.
pub fn followed_sum(ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault> {
    let below: Vec<Value> = items.iter().map(|item| primal(item, level).clone()).collect();
    let result = ctx.sum_values(&below)?;
    ctx.follow(level, result, Value::Unit)
}

/// The Reals of a tangent or cotangent, after a check that it has the shape of `value`.
pub fn checked_leaves(
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
