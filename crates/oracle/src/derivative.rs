//! The oracle's questions: values, and derivatives along a direction by ways that know no rule.
//!
//! A direction has one number for each Real in the arguments, in order; results have one for each
//! Real of the output.

use pullback_lambda::{DefId, Program};

use crate::eval::{Evaluator, Limits};
use crate::jet::{Coefficient, Jet};
use crate::{Complex, Data, Error, ErrorKind, Extent, Rational, Scalar};

/// The step of the complex-step derivative, 2^-332: its square is nothing beside any number, and
/// multiplying by a power of two never rounds.
const STEP: f64 = f64::from_bits((1023 - 332) << 52);

/// A derivative with an estimate of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The derivative.
    pub value: f64,
    /// How far off it may be.
    pub error: f64,
}

/// The value, over binary64.
pub fn eval_f64(program: &Program, def: DefId, args: &[Data<f64>]) -> Result<Data<f64>, Error> {
    run(program, def, args)
}

/// How large or small the numbers became on the way to the value, infinite if there is none; and whether one was below the
/// smallest normal number, but not 0.
pub fn extent(program: &Program, def: DefId, args: &[Data<f64>]) -> (f64, bool) {
    let args: Vec<_> = args.iter().map(|arg| arg.map(&mut |x| Extent::from_f64(*x))).collect();
    let found = run(program, def, &args);
    found.map_or((f64::INFINITY, false), |value| (Extent::of(&value), Extent::has_vanished(&value)))
}

/// The value, over exact fractions. The arguments must be finite.
pub fn exact(
    program: &Program,
    def: DefId,
    args: &[Data<Rational>],
) -> Result<Data<Rational>, Error> {
    run(program, def, args)
}

/// The derivative along `direction` as the imaginary part of a complex evaluation: exact up to
/// rounding wherever every primitive executed is analytic. Gives values and derivatives.
pub fn jvp_complex_step(
    program: &Program,
    def: DefId,
    args: &[Data<f64>],
    direction: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let moved = along(args, direction, |x, v| Ok(Complex { re: x, im: STEP * v }))?;
    let leaves = run(program, def, &moved)?.leaves();
    Ok(leaves.iter().map(|z| (z.re, z.im / STEP)).unzip())
}

/// The Taylor coefficients of `t -> f (args + t * direction)` up to `t^order`, for each output; the
/// k-th derivative is the k-th coefficient times k!.
pub fn taylor(
    program: &Program,
    def: DefId,
    args: &[Data<f64>],
    direction: &[f64],
    order: usize,
) -> Result<Vec<Vec<f64>>, Error> {
    let moved = along(args, direction, |x, v| Ok(line(x, v, v == 0.0, order)))?;
    Ok(coefficients(&run(program, def, &moved)?, order))
}

/// The Taylor coefficients over exact fractions, for piecewise rational programs.
pub fn taylor_exact(
    program: &Program,
    def: DefId,
    args: &[Data<f64>],
    direction: &[f64],
    order: usize,
) -> Result<Vec<Vec<Rational>>, Error> {
    let fraction = |x| {
        let not_finite = || Error::new(ErrorKind::Unsupported, "a fraction for what is not finite");
        Rational::of_f64(x).ok_or_else(not_finite)
    };
    let moved =
        along(args, direction, |x, v| Ok(line(fraction(x)?, fraction(v)?, v == 0.0, order)))?;
    Ok(coefficients(&run(program, def, &moved)?, order))
}

/// The derivative along `direction` by central differences with Richardson extrapolation, for programs
/// that are not analytic. Gives an estimate for each output.
pub fn finite_difference(
    program: &Program,
    def: DefId,
    args: &[Data<f64>],
    direction: &[f64],
) -> Result<Vec<Estimate>, Error> {
    let size = args.iter().flat_map(Data::leaves).fold(1.0, |size: f64, x| size.max(x.abs()));
    let at = |t: f64| -> Result<Vec<f64>, Error> {
        let moved = along(args, direction, |x, v| Ok(x + t * v))?;
        Ok(run(program, def, &moved)?.leaves())
    };
    difference_quotients(at, size * 2f64.powi(-5))
}

/// The derivative at 0 of a function with several outputs, by central differences with Richardson
/// extrapolation from this first step, for functions known only by their values.
pub fn difference_quotients<E>(
    at: impl Fn(f64) -> Result<Vec<f64>, E>,
    first_step: f64,
) -> Result<Vec<Estimate>, E> {
    let mut step = first_step;
    let mut rows: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut best: Vec<Estimate> = Vec::new();
    for level in 0..9 {
        let (above, below) = (at(step)?, at(-step)?);
        let quotients = above.iter().zip(below).map(|(a, b)| (a - b) / (2.0 * step));
        let mut row: Vec<Vec<f64>> = vec![quotients.collect()];
        for order in 1..=level {
            let factor = 4f64.powi(order as i32);
            let better = row[order - 1].iter().zip(&rows[level - 1][order - 1]);
            let better = better.map(|(new, old)| new + (new - old) / (factor - 1.0)).collect();
            row.push(better);
            for output in 0..row[order].len() {
                let value = row[order][output];
                let fine = (value - row[order - 1][output]).abs();
                let error = fine.max((value - rows[level - 1][order - 1][output]).abs());
                match best.get_mut(output) {
                    Some(known) if error < known.error => *known = Estimate { value, error },
                    Some(_) => {}
                    None => best.push(Estimate { value, error }),
                }
            }
        }
        rows.push(row);
        step *= 0.5;
    }
    Ok(best)
}

fn run<S: Scalar>(program: &Program, def: DefId, args: &[Data<S>]) -> Result<Data<S>, Error> {
    Evaluator::new(program, Limits::default()).run(def, args)
}

/// Replaces each Real of the arguments by a function of it and its component of the direction.
fn along<T>(
    args: &[Data<f64>],
    direction: &[f64],
    mut f: impl FnMut(f64, f64) -> Result<T, Error>,
) -> Result<Vec<Data<T>>, Error> {
    let mut components = direction.iter();
    let short = || Error::new(ErrorKind::Malformed, "a direction with too few components");
    let moved = args
        .iter()
        .map(|arg| arg.try_map(&mut |x| f(*x, *components.next().ok_or_else(short)?)))
        .collect::<Result<_, Error>>()?;
    match components.next() {
        None => Ok(moved),
        Some(_) => Err(Error::new(ErrorKind::Malformed, "a direction with too many components")),
    }
}

fn line<C: Coefficient>(start: C, slope: C, still: bool, order: usize) -> Jet<C> {
    // What does not move is a constant, which no singular point can turn into 0/0.
    if still { Jet::constant(start) } else { Jet::line(start, slope, order) }
}

fn coefficients<C: Coefficient>(output: &Data<Jet<C>>, order: usize) -> Vec<Vec<C>> {
    let leaves = output.leaves();
    leaves.iter().map(|jet| (0..=order).map(|k| jet.coefficient(k)).collect()).collect()
}
