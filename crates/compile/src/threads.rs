//! Differential testing of native code against itself: whether it gives the same bits on one thread and on several, and
//! numbers near those of strict code.
//!
//! Input: native code, a root, arguments, and what strict code gave. Output: nothing, or a bug. It is asked of programs
//! whose passes are verified, whatever their loops are worth. Runs that fail may do so at different times, so they are
//! not compared.

use pullback_base::bug;
use pullback_codegen::{Limits, Native, Threads};
use pullback_ir::Program;
use pullback_ir::eval::Value;

/// Native code on several numbers of threads.
pub(crate) struct Alike(Vec<(usize, Native)>);

impl Alike {
    pub fn of(native: &Native) -> Self {
        let on = |most| (most, native.clone().on(Threads { most, worth: 0.0 }));
        Self([1, 2, 4].into_iter().map(on).collect())
    }

    /// Stops where the results of a root differ, or are far from those of strict code. Runs that fail may do so at
    /// different times.
    pub fn check(
        &self,
        program: &mut Program,
        root: usize,
        args: &[Value],
        limits: &Limits,
        strict: &[Value],
    ) {
        let limits = Limits { tell: |_| {}, ..limits.clone() };
        let mut first: Option<String> = None;
        for (most, native) in &self.0 {
            let Ok(results) = native.call(program, root, args, &limits) else { continue };
            // A number's text gives its bits, but for those of NaNs.
            let told = format!("{results:?}");
            if first.is_none() && !are_near(&reals(&results), &reals(strict)) {
                bug("native", format_args!("numbers near {strict:?}, not {told}"));
            }
            if *first.get_or_insert_with(|| told.clone()) != told {
                bug("threads", format_args!("the same bits on {most} threads"));
            }
        }
    }
}

/// How far numbers may be apart, in parts of the largest of them, or of 1.
const FAR: f64 = 1e-6;

fn are_near(ones: &[f64], others: &[f64]) -> bool {
    let finite = others.iter().filter(|x| x.is_finite());
    let far = FAR * finite.fold(1.0, |most: f64, x| most.max(x.abs()));
    let both = ones.iter().zip(others);
    let is_near = |(one, other): (&f64, &f64)| {
        one.to_bits() == other.to_bits()
            || (one.is_nan() && other.is_nan())
            || (one - other).abs() <= far
    };
    ones.len() == others.len() && both.into_iter().all(is_near)
}

/// All Reals in values, in order.
fn reals(values: &[Value]) -> Vec<f64> {
    let mut reals = vec![];
    let mut rest: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = rest.pop() {
        if let Some(x) = value.as_real() {
            reals.push(x);
        } else if let Some(array) = value.as_array() {
            reals.extend(array.reals().unwrap_or_default());
            rest.extend(array.values().unwrap_or_default().iter().rev());
        } else if let Some((_, fields)) = value.as_data() {
            rest.extend(fields.iter().rev());
        }
    }
    reals
}
