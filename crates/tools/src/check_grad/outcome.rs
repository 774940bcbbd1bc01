//! What a check found, and the checks themselves on plain numbers: nothing here runs a program.
//!
//! Input: values and derivatives as vectors of Reals. Output: an [`Outcome`]. A check that cannot say
//! anything at this point is left out with the reason; it never passes for lack of evidence.

use pullback_base::Span;
use pullback_data::output::real_text;

use super::neighbour::{Neighbour, remainder};
use super::noise::Noise;

/// How closely the two modes must agree, relative to the size of what is added up.
const DOT_TOLERANCE: f64 = 1e-10;
/// How closely the complex step must agree, relative to the size of the derivative.
const STEP_TOLERANCE: f64 = 1e-9;
/// How far the complex step may be off by its own length, relative to the values of the function: it leaves out
/// terms of the third order, which its square, 2^-664, multiplies. Where the derivative is 0 they are all there is.
const STEP_ERROR: f64 = 1e-100;
/// Below this derivative the imaginary part of a complex step, 2^-332 times as large, has too few digits.
const LEAST_BY_STEP: f64 = f64::from_bits((1023 - 1022 + 332 + 53) << 52);
/// What rounding may change in a result, relative to the numbers it is made of.
const ROUNDING: f64 = 1e-14;
/// Over how many steps in a row the error of the difference quotient may stay as small as it gets.
/// Where the derivative is right it falls with the step until rounding makes it grow again; an error
/// of the derivative itself stays.
const LONGEST_PLATEAU: usize = 4;

/// From which part of the values on what stays between them is a jump.
const JUMP: f64 = 1e-6;

/// Whether a check holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// It says nothing here.
    NotTried,
}

/// What a check found.
#[derive(Debug)]
pub struct Outcome {
    /// Its name.
    pub check: &'static str,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The numbers compared, or why there are none.
    pub detail: String,
    /// Where in the program the reason is; nowhere for most.
    pub place: Span,
}

impl Outcome {
    fn new(check: &'static str, holds: bool, detail: String) -> Self {
        let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
        Self { check, verdict, detail, place: Span::NONE }
    }

    /// A check that says nothing here.
    pub fn not_tried(check: &'static str, why: &str) -> Self {
        Self { check, verdict: Verdict::NotTried, detail: why.to_owned(), place: Span::NONE }
    }

    /// The outcome as a line.
    pub fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Holds => "holds",
            Verdict::Fails => "FAILS",
            Verdict::NotTried => "not tried",
        };
        format!("{} {verdict}: {}", self.check, self.detail)
    }
}

/// `⟨u, J v⟩ = ⟨Jᵀ u, v⟩`: the two modes against each other. Rounding may have changed both by `noise`.
pub fn dot_product(
    y_bar: &[f64],
    y_dot: &[f64],
    x_bar: &[f64],
    x_dot: &[f64],
    noise: f64,
) -> Outcome {
    const CHECK: &str = "dot product";
    let (forward, forward_size) = dot(y_bar, y_dot);
    let (backward, backward_size) = dot(x_bar, x_dot);
    let scale = forward_size + backward_size;
    if !scale.is_finite() {
        let alike = forward == backward || (forward.is_nan() && backward.is_nan());
        if alike || (finite(y_dot) && finite(x_bar)) {
            return Outcome::not_tried(CHECK, "the products are not finite");
        }
        return Outcome::new(CHECK, false, sides(forward, backward));
    }
    let tolerance = DOT_TOLERANCE * scale + noise;
    let holds = (forward - backward).abs() <= tolerance || forward == backward;
    Outcome::new(CHECK, holds, sides(forward, backward))
}

fn sides(forward: f64, backward: f64) -> String {
    format!("⟨u, J v⟩ = {}, ⟨Jᵀ u, v⟩ = {}", real_text(forward), real_text(backward))
}

/// The steps are 4^-k for these k. The direction is to the scale of the point, so that the shortest
/// step still moves it by more than rounding.
pub const STEPS: std::ops::Range<i32> = 3..23;

/// `f (x + h v) - f x - h J v = O(h²)`: the derivative against values only. The direction is to the
/// scale of the point. `neighbours` come from the longest step to the shortest. Rounding may have changed each Real
/// of the derivative, and the values next to the point, by `noise`.
pub fn taylor(y: &[f64], y_dot: &[f64], neighbours: &[Neighbour], noise: &Noise) -> Outcome {
    const CHECK: &str = "Taylor";
    if !finite(y) {
        return Outcome::not_tried(CHECK, "the value is not finite");
    }
    let usable =
        neighbours.iter().filter(|near| near.value.len() == y.len() && finite(&near.value));
    let usable: Vec<&Neighbour> = usable.collect();
    if usable.len() < LONGEST_PLATEAU {
        return Outcome::not_tried(CHECK, "there are no values next to this point");
    }
    if let Some(at) = y_dot.iter().position(|x| !x.is_finite()) {
        return Outcome::new(CHECK, false, quotient(y, y_dot, usable[usable.len() / 2], at));
    }
    let spread = usable.iter().map(|near| norm(&difference(&near.value, y))).fold(0.0, f64::max);
    if ROUNDING * norm(y_dot) > 0.1 * spread && spread > 0.0 {
        let why = "rounding the argument changes the value as much as a step does";
        return Outcome::not_tried(CHECK, why);
    }
    if let Some(jump) = jump(y, y_dot, &usable).filter(|jump| jump.abs() > noise.value) {
        let detail = format!("the value jumps by {} next to this point", real_text(jump));
        return Outcome::new(CHECK, false, detail);
    }
    // The error of the quotient of each step, no better than rounding lets it be known.
    let errors: Vec<(f64, f64)> = usable
        .iter()
        .map(|near| {
            let rest = remainder(y, y_dot, near);
            let sizes = norm(y) + norm(&near.value) + norm(y_dot);
            let floor = ROUNDING * sizes * (y.len() as f64).sqrt();
            (norm(&rest) / near.step, (norm(&rest) + floor) / near.step)
        })
        .collect();
    let (best, least) = errors
        .iter()
        .enumerate()
        .fold((0, f64::INFINITY), |best, (at, (_, e))| if *e < best.1 { (at, *e) } else { best });
    let level = |at: &usize| errors[*at].1 <= 2.5 * least;
    let before = (0..best).rev().take_while(level).count();
    let plateau = before + (best..errors.len()).take_while(level).count();
    if least == 0.0 || plateau <= LONGEST_PLATEAU {
        let from = best.saturating_sub(3);
        let (e, h) = (errors[from].0 / errors[best].0, usable[from].step / usable[best].step);
        let slope = 1.0 + e.log2() / h.log2();
        let detail = if from < best && slope.is_finite() {
            format!("the remainder shrinks like h^{slope:.2}")
        } else {
            "exact to rounding".to_owned()
        };
        return Outcome::new(CHECK, true, detail);
    }
    // In the middle neither curvature nor rounding shows.
    let middle = usable[best - before + plateau / 2];
    let rest = remainder(y, y_dot, middle);
    if norm(&rest) <= norm(&noise.y_dot) * middle.step {
        return Outcome::new(CHECK, true, "exact to rounding".to_owned());
    }
    let at = (0..rest.len()).fold(0, |w, at| if rest[at].abs() > rest[w].abs() { at } else { w });
    Outcome::new(CHECK, false, quotient(y, y_dot, middle, at))
}

/// How far the value is from those next to the point, however short the step: nothing where it is continuous. What
/// rounding leaves is smaller, or another number each time.
fn jump(y: &[f64], y_dot: &[f64], neighbours: &[&Neighbour]) -> Option<f64> {
    let (shortest, others) = neighbours.split_last()?;
    let rest = remainder(y, y_dot, shortest);
    let length = norm(&rest);
    let is_same =
        |near: &&Neighbour| norm(&difference(&remainder(y, y_dot, near), &rest)) <= 1e-2 * length;
    let stays = others.len() >= LONGEST_PLATEAU
        && others[others.len() - LONGEST_PLATEAU..].iter().all(is_same);
    let is_large = length > JUMP * (norm(y) + norm(&shortest.value));
    let largest =
        rest.iter().copied().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
    (stays && is_large).then_some(largest)
}

/// Both numbers of a component.
fn quotient(y: &[f64], y_dot: &[f64], near: &Neighbour, at: usize) -> String {
    let difference = (near.value[at] - y[at]) / near.step;
    both(y.len(), at, y_dot[at], difference, "by differences of values")
}

fn both(count: usize, at: usize, engine: f64, other: f64, by: &str) -> String {
    let component =
        if count == 1 { String::new() } else { format!(" in Real {} of the result", at + 1) };
    format!("{} by the engine, {} {by}{component}", real_text(engine), real_text(other))
}

/// How large the values of a function are at a point and next to it.
pub fn size(y: &[f64], neighbours: &[Neighbour]) -> f64 {
    let values = neighbours.iter().map(|near| near.value.as_slice()).chain([y]);
    values.filter(|value| finite(value)).map(norm).fold(0.0, f64::max)
}

/// `J v = Im f (x + i h v) / h`, where the program is analytic; `size` is that of its values. Rounding may have changed
/// each Real of the derivative by its `noise`.
pub fn complex_step(y_dot: &[f64], found: &[f64], size: f64, noise: &[f64]) -> Outcome {
    const CHECK: &str = "complex step";
    if !finite(found) {
        return Outcome::not_tried(CHECK, "the complex value is not finite");
    }
    if y_dot.len() != found.len() {
        return Outcome::not_tried(CHECK, "the complex value has another shape");
    }
    let scale = norm(found).max(norm(y_dot));
    let apart = |at: usize| {
        if y_dot[at].is_finite() {
            let noise = noise.get(at).copied().unwrap_or(0.0);
            ((y_dot[at] - found[at]).abs() - noise).max(0.0)
        } else {
            f64::INFINITY
        }
    };
    let worst = (0..found.len()).fold(0, |w, at| if apart(at) > apart(w) { at } else { w });
    let (Some(a), Some(b)) = (y_dot.get(worst), found.get(worst)) else {
        return Outcome::not_tried(CHECK, "the result holds no Reals");
    };
    let close = a.is_finite() && apart(worst) <= STEP_TOLERANCE * scale + STEP_ERROR * size;
    if !close && scale < LEAST_BY_STEP {
        return Outcome::not_tried(
            CHECK,
            "the derivative is too small for its digits to be compared",
        );
    }
    Outcome::new(CHECK, close, both(found.len(), worst, *a, *b, "by the complex step"))
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> (f64, f64) {
    a.iter().zip(b).fold((0.0, 0.0), |(sum, size), (x, y)| (sum + x * y, size + (x * y).abs()))
}

fn finite(items: &[f64]) -> bool {
    items.iter().all(|x| x.is_finite())
}

fn norm(items: &[f64]) -> f64 {
    items.iter().fold(0.0, |length: f64, x| length.hypot(*x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check of `f` at `x` in direction `v` with a derivative that the test gives.
    fn verdict(f: impl Fn(f64) -> f64, x: f64, v: f64, y_dot: f64) -> Verdict {
        let neighbours: Vec<Neighbour> = STEPS
            .map(|k| 2f64.powi(-2 * k))
            .map(|step| Neighbour { step, value: vec![f(x + step * v)] })
            .collect();
        taylor(&[f(x)], &[y_dot], &neighbours, &Noise::none()).verdict
    }

    #[test]
    fn right_derivatives_hold() {
        let holds = |f: fn(f64) -> f64, x: f64, v: f64, y_dot: f64| {
            assert_eq!(verdict(f, x, v, y_dot), Verdict::Holds, "at {x} along {v}");
        };
        holds(|x| x.sin(), 0.7, 0.5, 0.5 * 0.7f64.cos());
        holds(|x| x * x * x, 2.0, -1.3, -1.3 * 12.0);
        holds(|x| 3.0 * x + 1.0, 2.0, 1.0, 3.0);
        holds(|_| 5.0, 2.0, 1.0, 0.0);
        holds(f64::floor, 2.0, 1.0, 0.0);
        holds(f64::floor, 2.5, -1.0, 0.0);
        holds(|x| x, 1e-300, 1e-300, 1e-300);
        holds(|x| x * x, 1e150, 1e150, 2e300);
        // A kink close by, and a curvature that only short steps resolve.
        holds(|x| (x - 1.0).abs(), 1.0 + 1e-9, 1.0, 1.0);
        holds(|x| 1.0 / (x + 1e-8), 0.0, 0.5, -0.5e16);
        // The value is small, what it is made of is not.
        holds(|x| (x + 1e6).powi(2) - 1e12, 0.5, 1.0, 2.0 * (1e6 + 0.5));
        holds(|x| x.powf(1.5), 0.0, 1.0, 0.0);
    }

    #[test]
    fn wrong_derivatives_fail() {
        let fails = |f: fn(f64) -> f64, x: f64, v: f64, y_dot: f64| {
            assert_eq!(verdict(f, x, v, y_dot), Verdict::Fails, "at {x} along {v}");
        };
        fails(|x| x.sin(), 0.7, 0.5, 0.5 * 0.7f64.cos() * 1.000_01);
        fails(|x| x * x * x, 2.0, 1.0, 8.0);
        fails(|x| x.abs(), 0.0, 1.0, 0.0);
        fails(|x| x.max(2.0), 2.0, 1.0, 0.5);
        fails(|x| 2.0 * (x - 1.0).abs(), 1.0, 0.1, 0.0);
        fails(|x| x.sqrt(), 0.0, 1.0, f64::INFINITY);
        fails(|x| x, 1.0, 1.0, f64::NAN);
        fails(|x| 3.0 * x, 1e-300, 1e-300, 2e-300);
        fails(|_| 1.0, 1.0, 1.0, 1e-3);
        // Jumps, seen from the other side.
        fails(f64::floor, 2.0, -1.0, 0.0);
        fails(|x| if x >= 2.0 { x * x } else { x }, 2.0, -0.5, -2.0);
        fails(|x| 1e3 * x + f64::from(x > 1.0), 1.0, 1.0, 1e3);
    }

    #[test]
    fn where_values_say_nothing_nothing_is_said() {
        assert_eq!(verdict(|x| (-x).sqrt(), 1.0, 1.0, 1.0), Verdict::NotTried);
        assert_eq!(verdict(|x| x.exp(), 1000.0, 1.0, f64::INFINITY), Verdict::NotTried);
        assert_eq!(verdict(f64::sin, 1e300, 1e300, 1e300 * 1e300f64.cos()), Verdict::NotTried);
        assert_eq!(taylor(&[1.0], &[1.0], &[], &Noise::none()).verdict, Verdict::NotTried);
    }

    #[test]
    fn modes_that_disagree_fail() {
        let verdict =
            |y_dot: f64, x_bar: f64| dot_product(&[2.0], &[y_dot], &[x_bar], &[3.0], 0.0).verdict;
        assert_eq!(verdict(3.0, 2.0), Verdict::Holds);
        assert_eq!(verdict(3.0, 2.0 + 1e-9), Verdict::Fails);
        assert_eq!(verdict(f64::INFINITY, 2.0), Verdict::Fails);
        assert_eq!(verdict(f64::NAN, 2.0), Verdict::Fails);
        assert_eq!(verdict(f64::INFINITY, f64::INFINITY), Verdict::NotTried);
        assert_eq!(verdict(f64::INFINITY, f64::NEG_INFINITY), Verdict::Fails);
        assert_eq!(verdict(1e308, 1e308), Verdict::NotTried);
        assert_eq!(verdict(0.0, 0.0), Verdict::Holds);
    }

    #[test]
    fn complex_steps_are_compared_number_by_number() {
        let verdict = |y_dot: &[f64], found: &[f64]| complex_step(y_dot, found, 1.0, &[]).verdict;
        assert_eq!(verdict(&[1.0, 2.0], &[1.0, 2.0 + 1e-12]), Verdict::Holds);
        assert_eq!(verdict(&[1.0, 2.0], &[1.0, 2.000_001]), Verdict::Fails);
        assert_eq!(verdict(&[f64::NAN], &[1.0]), Verdict::Fails);
        assert_eq!(verdict(&[f64::INFINITY], &[1.0]), Verdict::Fails);
        assert_eq!(verdict(&[1.0], &[f64::NAN]), Verdict::NotTried);
        assert_eq!(verdict(&[], &[]), Verdict::NotTried);
        assert_eq!(verdict(&[1.0], &[1.0, 2.0]), Verdict::NotTried);
    }

    #[test]
    fn what_a_complex_step_leaves_out_is_no_mistake() {
        let verdict =
            |y_dot: f64, found: f64, size: f64| complex_step(&[y_dot], &[found], size, &[]).verdict;
        // `x ^ 3` at 0, as it is and scaled up and down.
        assert_eq!(verdict(0.0, -3.4e-203, 1e-6), Verdict::Holds);
        assert_eq!(verdict(0.0, -3.4e47, 1e244), Verdict::Holds);
        assert_eq!(verdict(0.0, 0.0, 0.0), Verdict::Holds);
        assert_eq!(verdict(0.0, -3.4e-303, 1e-106), Verdict::Holds);
        assert_eq!(verdict(1e-250, 0.0, 1e-250), Verdict::NotTried);
        // A wrong derivative there, however small beside the values.
        assert_eq!(verdict(1e-3, -3.4e-203, 1e-6), Verdict::Fails);
        assert_eq!(verdict(1e-90, -3.4e-203, 1e-6), Verdict::Fails);
        assert_eq!(verdict(1.0, 2.0, 1e20), Verdict::Fails);
        assert_eq!(verdict(0.0, 1e-190, 1e-190), Verdict::Fails);
    }
}
