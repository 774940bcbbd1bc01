//! Values from outside, as a derivation knows them.
//!
//! Input: a leaf, and what is known of it. Output: a value; the numbers of inputs in an array are a form over its
//! indices, or it gives up.

use std::rc::Rc;

use pullback_ir::eval;

use super::relation::{Case, Form, Found, GaveUp, Guard, Scope, Sym, is_zero, plus_number};
use super::value::{Int, Real, Truth, Value};
use crate::given::Known;

/// Literal Ints up to so many are cases of a form.
const FEW: usize = 16;

/// How deep data from outside may be.
const DEEPEST: usize = 200;

impl Value {
    /// A value from outside.
    pub fn given(leaf: &eval::Value, known: Known, scope: &mut Scope) -> Found<Self> {
        Self::given_within(leaf, known, DEEPEST, scope)
    }

    fn given_within(
        leaf: &eval::Value,
        known: Known,
        depth: usize,
        scope: &mut Scope,
    ) -> Found<Self> {
        let depth = depth.checked_sub(1).ok_or(GaveUp)?;
        let is_data = known == Known::Data;
        Ok(match leaf {
            eval::Value::Undef => Self::Undef,
            eval::Value::Real(x) if known == Known::Inputs && *x > 0.0 => {
                Self::Real(Real::by(vec![Case::always(Form::of_number(*x as i64 - 1))]))
            }
            eval::Value::Real(_) => Self::Real(Real::constant(true)),
            eval::Value::Int(_) if is_data => Self::Int(Int::Data),
            eval::Value::Int(n) => Self::Int(Int::number(*n)),
            eval::Value::Bool(_) if is_data => Self::Bool(Truth::Data),
            eval::Value::Bool(truth) => Self::Bool(Truth::known(*truth)),
            eval::Value::Str(_) => Self::Str,
            eval::Value::Tag(_) | eval::Value::Data(_) => {
                let Some((tag, fields)) = leaf.as_data() else { return Err(GaveUp) };
                let fields: Found<Vec<Self>> =
                    fields.iter().map(|it| Self::given_within(it, known, depth, scope)).collect();
                Self::data(tag, fields?)
            }
            eval::Value::Array(array) => {
                let sizes: Vec<i64> = array.shape().sizes().iter().map(|n| *n as i64).collect();
                let params: Vec<Sym> = sizes.iter().map(|_| scope.fresh()).collect();
                let element = if let Some(reals) = array.reals() {
                    let is_followed = known == Known::Inputs && reals.iter().any(|x| *x != 0.0);
                    let by =
                        if is_followed { vec![numbers(reals, &sizes, &params)?] } else { vec![] };
                    Self::Real(Real { by: Rc::new(by), is_data: true })
                } else if let Some(ints) = array.ints() {
                    Self::Int(if is_data { Int::Data } else { few(ints, &params) })
                } else if array.bools().is_some() {
                    Self::Bool(if is_data { Truth::Data } else { Truth::Fixed })
                } else if array.values().is_some() {
                    Self::Unknown
                } else {
                    Self::Undef
                };
                Self::array(params, sizes, element)
            }
            eval::Value::Acc(_) => return Err(GaveUp),
        })
    }
}

/// The numbers of inputs of an array as a form over its indices.
fn numbers(reals: &[f64], sizes: &[i64], params: &[Sym]) -> Found<Case> {
    if reals.contains(&0.0) {
        return Err(GaveUp);
    }
    let first = reals[0] as i64 - 1;
    let (mut form, mut steps, mut stride) = (Form::of_number(first), vec![], 1_usize);
    for (sym, size) in params.iter().zip(sizes).rev() {
        let step = reals.get(stride).filter(|_| *size > 1).map_or(0, |x| *x as i64 - 1 - first);
        form.add_var(*sym, step).ok_or(GaveUp)?;
        steps.push((*size as usize, step));
        stride *= *size as usize;
    }
    let number = |mut at: usize| {
        steps.iter().fold(first + 1, |number, (size, step)| {
            let index = at % size;
            at /= size;
            number + index as i64 * step
        })
    };
    let is_form = reals.iter().enumerate().all(|(at, x)| *x as i64 == number(at));
    if is_form { Ok(Case::always(form)) } else { Err(GaveUp) }
}

/// A few Ints of one dimension, as a form in each case.
fn few(ints: &[i64], params: &[Sym]) -> Int {
    let [sym] = params else { return Int::Fixed };
    if ints.len() > FEW {
        return Int::Fixed;
    }
    let case = |(at, n): (usize, &i64)| {
        let here =
            plus_number(&Form::of(*sym), -(at as i64)).and_then(|form| is_zero(&form)).ok()?;
        Some(Case { when: Guard::of(here), form: Form::of_number(*n) })
    };
    let cases: Option<Vec<Case>> = ints.iter().enumerate().map(case).collect();
    cases.map_or(Int::Fixed, |cases| Int::Forms(Rc::new(cases)))
}
