//! Fourier transforms by rustfft.
//!
//! Input: real and imaginary parts, and the sign of the exponent. Output: those of the transform, which is not scaled.
//! A thread keeps what it prepared for the sizes that it used last.

use std::cell::RefCell;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};

use crate::call::Outcome;
use crate::layout::transpose;

/// How many sizes a thread is prepared for at once.
const KEPT: usize = 4;

/// How many numbers a thread keeps room for between calls, so that images of usual sizes take no new memory.
const ROOM: usize = 1 << 18;

/// Tables for transforms of one size in one direction.
type Prepared = Arc<dyn Fft<f64>>;

thread_local! {
    /// What was used last comes last.
    static PREPARED: RefCell<Vec<Prepared>> = const { RefCell::new(vec![]) };
    /// Room for an image, and for the same turned.
    static IMAGES: RefCell<[Vec<Complex<f64>>; 2]> = const { RefCell::new([vec![], vec![]]) };
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

/// The direction of the transform whose exponent has this sign; none for another number.
fn direction_of(sign: f64) -> Option<FftDirection> {
    if sign == 1.0 {
        Some(FftDirection::Inverse)
    } else if sign == -1.0 {
        Some(FftDirection::Forward)
    } else {
        None
    }
}

fn paired([re, im]: [&[f64]; 2]) -> Vec<Complex<f64>> {
    re.iter().zip(im).map(|(re, im)| Complex::new(*re, *im)).collect()
}

fn parted(items: &[Complex<f64>], [re, im]: [&mut [f64]; 2]) {
    for ((item, re), im) in items.iter().zip(re).zip(im) {
        (*re, *im) = (item.re, item.im);
    }
}

/// The sums of `x[j]` with `exp (sign 2πi j k / n)`.
pub(crate) fn transform(sign: f64, from: [&[f64]; 2], to: [&mut [f64]; 2]) -> Outcome {
    let Some(direction) = direction_of(sign) else {
        return Outcome::Declined;
    };
    let mut items = paired(from);
    prepared(items.len(), direction).process(&mut items);
    parted(&items, to);
    Outcome::Done
}

/// The same of each row of a matrix, and then of each column.
pub(crate) fn transform2(
    sign: f64,
    from: [&[f64]; 2],
    [rows, columns]: [usize; 2],
    to: [&mut [f64]; 2],
) -> Outcome {
    let Some(direction) = direction_of(sign) else {
        return Outcome::Declined;
    };
    IMAGES.with_borrow_mut(|[items, turned]| {
        items.clear();
        items.extend(from[0].iter().zip(from[1]).map(|(re, im)| Complex::new(*re, *im)));
        turned.resize(items.len(), Complex::default());
        // A call transforms all rows, one after the other.
        prepared(columns, direction).process(items);
        transpose(items, rows, columns, turned);
        prepared(rows, direction).process(turned);
        transpose(turned, columns, rows, items);
        parted(items, to);
        items.truncate(ROOM);
        turned.truncate(ROOM);
        items.shrink_to(ROOM);
        turned.shrink_to(ROOM);
    });
    Outcome::Done
}
