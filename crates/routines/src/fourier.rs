//! Fourier transforms by rustfft.
//!
//! Input: real and imaginary parts, and the sign of the exponent. Output: those of the transform, which is not scaled.
//! A thread keeps what it prepared for the sizes that it used last.

use std::cell::RefCell;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};

use crate::call::Outcome;

/// How many sizes a thread is prepared for at once.
const KEPT: usize = 4;

/// Tables for transforms of one size in one direction.
type Prepared = Arc<dyn Fft<f64>>;

thread_local! {
    /// What was used last comes last.
    static PREPARED: RefCell<Vec<Prepared>> = const { RefCell::new(vec![]) };
}

fn prepared(size: usize, direction: FftDirection) -> Prepared {
    PREPARED.with_borrow_mut(|kept| {
        let is_it = |fft: &Prepared| fft.len() == size && fft.fft_direction() == direction;
        let fft = match kept.iter().position(is_it) {
            Some(at) => kept.remove(at),
            None => FftPlanner::new().plan_fft(size, direction),
        };
        kept.push(fft.clone());
        if kept.len() > KEPT {
            kept.remove(0);
        }
        fft
    })
}

/// The sums of `x[j]` with `exp (sign 2πi j k / n)`.
pub(crate) fn transform(sign: f64, from: [&[f64]; 2], to: [&mut [f64]; 2]) -> Outcome {
    let direction = if sign == 1.0 {
        FftDirection::Inverse
    } else if sign == -1.0 {
        FftDirection::Forward
    } else {
        return Outcome::Declined;
    };
    let fft = prepared(from[0].len(), direction);
    let mut items: Vec<Complex<f64>> =
        from[0].iter().zip(from[1]).map(|(re, im)| Complex::new(*re, *im)).collect();
    fft.process(&mut items);
    let [re, im] = to;
    for ((item, re), im) in items.iter().zip(re).zip(im) {
        (*re, *im) = (item.re, item.im);
    }
    Outcome::Done
}
