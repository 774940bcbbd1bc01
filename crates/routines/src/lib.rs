//! Routines: what numerical libraries compute in place of the text of a definition. Linear algebra is faer's,
//! Fourier transforms are rustfft's.
//!
//! Input: a [`Routine`] of the table and its arguments, row by row. Output: its results in the caller's memory, or that
//! it declines.
//!
//! Law. What a routine gives is what the text means, but for rounding and for what the text leaves open, such as the signs
//! of eigenvectors. It declines wherever that may not be so: arguments that are not finite, singular matrices, and
//! results that are not finite. Then the text runs, and so values at such points and errors are those of the text. A sparse
//! system is solved for right-hand sides that are not finite too, since its text is a dense one.
//!
//! A routine runs on the thread that calls it, so the bits are the same on any number of threads. Everyone calls the
//! same routine with the same arguments, so all evaluators and compiled code get the same bits.

mod call;
mod fourier;
mod layout;
mod lu;
mod sparse;
mod spectral;
mod triangular;

use pullback_prim::Routine;

pub use call::{Given, Outcome, Plan, Wanted};

/// What a call would take and give; none if the text does as well.
pub fn plan(routine: Routine, args: &[Given<'_>]) -> Option<Plan> {
    let size = match args.get(routine.sized_by())? {
        Given::Reals(_, [n, _]) => *n,
        Given::Ints(items) => items.len(),
        Given::Real(_) | Given::Bool(_) => return None,
    };
    if size < Routine::LEAST {
        return None;
    }
    any_plan(routine, args)
}

/// As [`plan`], however small the arguments are; none if the sizes do not fit each other.
pub fn any_plan(routine: Routine, args: &[Given<'_>]) -> Option<Plan> {
    let square = |sizes: [usize; 2]| (sizes[0] == sizes[1] && sizes[0] > 0).then_some(sizes[0]);
    let (sizes, numbers, operations) = match (routine, args) {
        (Routine::Fourier, [_, Given::Reals(_, [n, _]), Given::Reals(_, [m, _])]) => {
            if n != m || *n == 0 {
                return None;
            }
            (vec![[*n, 1], [*n, 1]], n.checked_mul(12)?, 4 * n * n.ilog2() as usize)
        }
        (Routine::Fourier2, [_, Given::Reals(_, sizes), Given::Reals(_, others)]) => {
            let count = sizes[0].checked_mul(sizes[1])?;
            if sizes != others || count == 0 {
                return None;
            }
            let work = fourier::room_for(*sizes)?.checked_add(12 * sizes[0].max(sizes[1]))?;
            (vec![*sizes, *sizes], work, 4 * count * count.ilog2() as usize)
        }
        (Routine::Lu, [Given::Reals(_, sizes)]) => {
            let n = square(*sizes)?;
            let numbers = n.checked_mul(n)?.checked_add(8 * n)?;
            (vec![[n, n], [n, 1], [1, 1]], numbers, n * n * n / 3)
        }
        (
            Routine::LuSolve,
            [_, Given::Reals(_, sizes), Given::Ints(order), _, Given::Reals(_, [m, k])],
        ) => {
            let n = square(*sizes)?;
            if order.len() != n || *k != n || *m == 0 {
                return None;
            }
            (vec![[*m, n]], n, m * n * n)
        }
        (Routine::Triangle, [_, Given::Reals(_, sizes), Given::Reals(_, [m, k])]) => {
            let n = square(*sizes)?;
            if *k != n || *m == 0 {
                return None;
            }
            (vec![[*m, n]], 0, m * n * n / 2)
        }
        (Routine::Cholesky, [Given::Reals(_, sizes)]) => {
            let n = square(*sizes)?;
            (vec![[n, n], [1, 1]], 2 * n, n * n * n / 6)
        }
        (Routine::CholeskyPullback, [Given::Reals(_, sizes), Given::Reals(_, others)]) => {
            let n = square(*sizes)?;
            if sizes != others {
                return None;
            }
            (vec![[n, n]], triangular::PULLED * triangular::PULLED, n * n * n / 3)
        }
        (Routine::Eigen, [Given::Reals(_, sizes)]) => {
            let n = square(*sizes)?;
            (vec![[n, 1], [n, n]], n.checked_mul(n)?.checked_mul(6)?, 6 * n * n * n)
        }
        (Routine::Svd, [Given::Reals(_, [n, m])]) => {
            if n < m || *m == 0 {
                return None;
            }
            let numbers = n.checked_mul(*m)?.checked_mul(8)?;
            (vec![[*n, *m], [*m, 1], [*m, *m]], numbers, 8 * n * m * m)
        }
        (Routine::Qr, [Given::Reals(_, [n, m])]) => {
            if n < m || *m == 0 {
                return None;
            }
            (vec![[*n, *m], [*m, *m]], n.checked_mul(*m)?.checked_mul(3)?, 2 * n * m * m)
        }
        (
            Routine::SparseSolve,
            [
                Given::Bool(definite),
                _,
                Given::Ints(starts),
                Given::Ints(places),
                Given::Reals(values, _),
                Given::Reals(_, [m, k]),
            ],
        ) => {
            let needs = sparse::needs(*definite, (starts, places, values), [*m, *k])?;
            (vec![[*m, *k], [1, 1]], needs.numbers, needs.operations)
        }
        _ => return None,
    };
    let operations = operations as u64;
    Some(Plan { sizes, work: numbers.checked_mul(size_of::<f64>())?, operations })
}

/// Runs a routine. `stops` says whether it is to end early. The arguments fit as [`any_plan`] says, and the results have
/// room for what it says.
pub fn run(
    routine: Routine,
    args: &[Given<'_>],
    results: &mut [Wanted<'_>],
    stops: &dyn Fn() -> bool,
) -> Outcome {
    let are_finite = args.iter().all(|given| match given {
        Given::Real(x) => x.is_finite(),
        Given::Reals(items, _) => is_finite(items),
        Given::Bool(_) | Given::Ints(_) => true,
    });
    if !are_finite && !routine.takes_all() {
        return Outcome::Declined;
    }
    let outcome = computed(routine, args, results, stops);
    let is_sound = results.iter().all(|wanted| match wanted {
        Wanted::Real(x) => x.is_finite(),
        Wanted::Reals(items) => is_finite(items),
        Wanted::Bool(_) | Wanted::Ints(_) => true,
    });
    if outcome == Outcome::Done && !is_sound && !routine.takes_all() {
        Outcome::Declined
    } else {
        outcome
    }
}

fn computed(
    routine: Routine,
    args: &[Given<'_>],
    results: &mut [Wanted<'_>],
    stops: &dyn Fn() -> bool,
) -> Outcome {
    use Given as G;
    use Wanted as W;
    match (routine, args, results) {
        (
            Routine::Fourier,
            [G::Real(sign), G::Reals(re, _), G::Reals(im, _)],
            [W::Reals(to_re), W::Reals(to_im)],
        ) => fourier::transform(*sign, [re, im], [to_re, to_im]),
        (
            Routine::Fourier2,
            [G::Real(sign), G::Reals(re, sizes), G::Reals(im, _)],
            [W::Reals(to_re), W::Reals(to_im)],
        ) => fourier::transform2(*sign, [re, im], *sizes, [to_re, to_im]),
        (
            Routine::Lu,
            [G::Reals(a, [n, _])],
            [W::Reals(factors), W::Ints(order), W::Real(sign)],
        ) => lu::factored(a, *n, (factors, order, sign), stops),
        (
            Routine::LuSolve,
            [G::Bool(turned), G::Reals(factors, [n, _]), G::Ints(order), _, G::Reals(b, _)],
            [W::Reals(x)],
        ) => lu::solved(*turned, factors, *n, order, (b, x), stops),
        (
            Routine::Triangle,
            [G::Bool(lower), G::Reals(t, [n, _]), G::Reals(b, _)],
            [W::Reals(x)],
        ) => triangular::solved(*lower, t, *n, (b, x), stops),
        (Routine::Cholesky, [G::Reals(a, [n, _])], [W::Reals(l), W::Bool(positive)]) => {
            **positive = true;
            triangular::cholesky(a, *n, l)
        }
        (
            Routine::CholeskyPullback,
            [G::Reals(l, [n, _]), G::Reals(l_bar, _)],
            [W::Reals(a_bar)],
        ) => triangular::cholesky_pullback(l, l_bar, *n, a_bar, stops),
        (Routine::Eigen, [G::Reals(a, [n, _])], [W::Reals(values), W::Reals(vectors)]) => {
            spectral::eigen(a, *n, values, vectors)
        }
        (Routine::Svd, [G::Reals(a, sizes)], [W::Reals(u), W::Reals(s), W::Reals(v)]) => {
            spectral::svd(a, *sizes, (u, s, v))
        }
        (Routine::Qr, [G::Reals(a, sizes)], [W::Reals(q), W::Reals(r)]) => {
            spectral::qr(a, *sizes, q, r)
        }
        (
            Routine::SparseSolve,
            [
                G::Bool(definite),
                G::Bool(turned),
                G::Ints(starts),
                G::Ints(places),
                G::Reals(values, _),
                G::Reals(b, _),
            ],
            [W::Reals(x), W::Bool(regular)],
        ) => sparse::solved([*definite, *turned], (starts, places, values), b, (x, regular)),
        _ => Outcome::Declined,
    }
}

fn is_finite(items: &[f64]) -> bool {
    // Without branches, so that several are looked at at once.
    items.iter().fold(true, |are_finite, x| are_finite & x.is_finite())
}
