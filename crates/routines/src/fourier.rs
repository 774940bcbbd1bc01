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

/// How many numbers a thread keeps room for between calls, so that images of usual sizes take no new memory.
const ROOM: usize = 1 << 18;

/// How many complex numbers a line of the cache has, and how many rows are turned at a time.
const LINE: usize = 4;

/// Tables for transforms of one size in one direction.
type Prepared = Arc<dyn Fft<f64>>;

thread_local! {
    /// What was used last comes last.
    static PREPARED: RefCell<Vec<Prepared>> = const { RefCell::new(vec![]) };
    static ROOMS: RefCell<[Vec<Complex<f64>>; 3]> = const { RefCell::new([vec![], vec![], vec![]]) };
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
///
/// The transform of a real image has half the numbers of others: the other half is conjugate to it, the element at
/// `(-p, -q)` to that at `(p, q)`. So half as many columns are transformed.
pub(crate) fn transform2(
    sign: f64,
    from: [&[f64]; 2],
    [rows, columns]: [usize; 2],
    to: [&mut [f64]; 2],
) -> Outcome {
    let Some(direction) = direction_of(sign) else {
        return Outcome::Declined;
    };
    let is_real = are_zeros(from[1]);
    let width = if is_real { columns / 2 + 1 } else { columns };
    let [along, down] = [columns, rows].map(|size| prepared(size, direction));
    let longest = along.get_inplace_scratch_len().max(down.get_inplace_scratch_len());
    ROOMS.with_borrow_mut(|[turned, lines, scratch]| {
        enlarge(turned, width * spread(rows));
        enlarge(lines, (LINE + 1) * spread(columns));
        enlarge(scratch, longest);
        for first in (0..rows).step_by(LINE) {
            let count = LINE.min(rows - first);
            let here = first * columns..(first + count) * columns;
            let from = from.map(|part| &part[here.clone()]);
            let (line, lines) = lines.split_at_mut(spread(columns));
            if is_real {
                transform_real_rows(&*along, from[0], &mut line[..columns], lines, scratch);
            } else {
                transform_rows(&*along, from, columns, lines, scratch);
            }
            for (q, column) in turned.chunks_exact_mut(spread(rows)).take(width).enumerate() {
                let column = &mut column[first..first + count];
                for (item, line) in column.iter_mut().zip(lines.chunks_exact(spread(columns))) {
                    *item = line[q];
                }
            }
        }
        for column in turned.chunks_exact_mut(spread(rows)).take(width) {
            down.process_with_scratch(&mut column[..rows], scratch);
        }
        turn_back(turned, [rows, columns, width], to);
        for room in [turned, lines, scratch] {
            room.truncate(ROOM);
            room.shrink_to(ROOM);
        }
    });
    Outcome::Done
}

/// How many numbers lie between the starts of two lines of an image: an odd number of lines of the cache. Lines that lie a
/// power of two apart would have what is beside each other in few places of the cache.
fn spread(width: usize) -> usize {
    (width.div_ceil(LINE) | 1) * LINE
}

/// The numbers that [`transform2`] needs room for.
pub(crate) fn room_for([rows, columns]: [usize; 2]) -> Option<usize> {
    let image = columns.checked_mul(spread(rows))?;
    let tables = rows.max(columns).checked_mul(8)?;
    image.checked_add(spread(columns).checked_mul(LINE + 1)?)?.checked_add(tables)?.checked_mul(2)
}

fn enlarge(room: &mut Vec<Complex<f64>>, count: usize) {
    if room.len() < count {
        room.resize(count, Complex::default());
    }
}

fn are_zeros(items: &[f64]) -> bool {
    items.iter().all(|x| *x == 0.0)
}

/// The transforms of some rows. Those of zeros are zeros.
fn transform_rows(
    fft: &dyn Fft<f64>,
    [re, im]: [&[f64]; 2],
    columns: usize,
    lines: &mut [Complex<f64>],
    scratch: &mut [Complex<f64>],
) {
    let rows = re.chunks_exact(columns).zip(im.chunks_exact(columns));
    for ((re, im), line) in rows.zip(lines.chunks_exact_mut(spread(columns))) {
        let line = &mut line[..columns];
        for (item, (re, im)) in line.iter_mut().zip(re.iter().zip(im)) {
            *item = Complex::new(*re, *im);
        }
        if !(are_zeros(re) && are_zeros(im)) {
            fft.process_with_scratch(line, scratch);
        }
    }
}

/// The first halves of the transforms of some real rows, two at a time: as the real and the imaginary part of one,
/// `z = x + iy`. The transform of `x` is the part of that of `z` that is conjugate to itself from behind.
fn transform_real_rows(
    fft: &dyn Fft<f64>,
    re: &[f64],
    line: &mut [Complex<f64>],
    lines: &mut [Complex<f64>],
    scratch: &mut [Complex<f64>],
) {
    let (columns, half) = (line.len(), line.len() / 2);
    for (pair, to) in re.chunks(2 * columns).zip(lines.chunks_mut(2 * spread(columns))) {
        let (x, y) = pair.split_at(columns);
        let (to_x, to_y) = to.split_at_mut(spread(columns));
        let (to_x, to_y) = (&mut to_x[..=half], &mut to_y[..=half]);
        // The last row of an odd number of them has none beside it.
        let beside = y.iter().copied().chain(std::iter::repeat(0.0));
        for (item, (x, y)) in line.iter_mut().zip(x.iter().zip(beside)) {
            *item = Complex::new(*x, y);
        }
        if !are_zeros(pair) {
            fft.process_with_scratch(line, scratch);
        }
        to_x[0] = Complex::new(line[0].re, 0.0);
        to_y[0] = Complex::new(line[0].im, 0.0);
        let both = line[1..].iter().zip(line[1..].iter().rev());
        for ((to_x, to_y), (z, behind)) in to_x[1..].iter_mut().zip(&mut to_y[1..]).zip(both) {
            *to_x = Complex::new(0.5 * z.re + 0.5 * behind.re, 0.5 * z.im - 0.5 * behind.im);
            *to_y = Complex::new(0.5 * z.im + 0.5 * behind.im, 0.5 * behind.re - 0.5 * z.re);
        }
    }
}

/// The rows of an image of which there are the columns, `width` of them. What is missing is conjugate to what is there.
fn turn_back(
    turned: &[Complex<f64>],
    [rows, columns, width]: [usize; 3],
    [to_re, to_im]: [&mut [f64]; 2],
) {
    let stride = spread(rows);
    let turned = &turned[..width * stride];
    let far = columns + 1 - width;
    let some = to_re.chunks_mut(LINE * columns).zip(to_im.chunks_mut(LINE * columns));
    for ((to_re, to_im), first) in some.zip((0..rows).step_by(LINE)) {
        let count = LINE.min(rows - first);
        for (q, column) in turned.chunks_exact(stride).enumerate() {
            for (r, item) in column[first..first + count].iter().enumerate() {
                (to_re[r * columns + q], to_im[r * columns + q]) = (item.re, item.im);
            }
        }
        for (q, column) in turned.chunks_exact(stride).enumerate().take(far).skip(1) {
            for r in 0..count {
                let opposite = if first + r == 0 { 0 } else { rows - first - r };
                let (at, item) = (r * columns + columns - q, column[opposite]);
                (to_re[at], to_im[at]) = (item.re, -item.im);
            }
        }
    }
}
