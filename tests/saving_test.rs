//! What derivatives on the compiled path save, and how often they run the program: told by the counts of the
//! optimised code, and by the most bytes in use at once.

use std::path::PathBuf;

use pullback_engines::REGISTRY;
use pullback_session::{Call, Memory, Query, Settings};
use pullback_suite::deep;
use pullback_tools::{Dev, dev};

/// What an evaluation took.
#[derive(Debug)]
struct Taken {
    operations: f64,
    peak: f64,
}

/// What the value of a closed expression takes, in a program; or its gradient by an argument.
fn taken(source: &str, entry: &str, args: &[String]) -> Taken {
    taken_within(source, entry, args, None)
}

/// As [`taken`], with checkpoints where a loop would save more than this.
fn taken_within(source: &str, entry: &str, args: &[String], max_tape: Option<usize>) -> Taken {
    deep(|| {
        let file = PathBuf::from("saving.pull");
        let files = Memory::default().with(&file, source.to_owned());
        let mut query = Query::new(&files, REGISTRY);
        let settings = Settings { max_tape, ..Settings::default() };
        let (entry, args) = (entry.to_owned(), args.to_vec());
        let call = Call { file, entry, args, settings, ..Call::default() };
        let asked = Dev { count: true, ..Dev::default() };
        let table = match dev(&mut query, &call, &asked) {
            Ok(table) => table,
            Err(_) => panic!("{:?}", query.diagnostics),
        };
        let number = |name: &str| -> f64 {
            let row = table.lines().find(|line| line.starts_with(name)).expect("a row");
            // The last column is the gradient, where there is one.
            row.split_whitespace().last().expect("a number").parse().expect("a number")
        };
        Taken { operations: number("operations"), peak: number("peak") }
    })
    .expect("an account")
}

/// A Jacobian of `sin` sums with so many Reals on the sides, and the program alone.
const JACOBIANS: &str = "
def both (n: Int) (m: Int): [m]Real =
  let f = \\(x: [n]Real) -> [ sum [ sin (x[j] * real (i + 1)) | j < n ] | i < m ]
  in map sum (jacobian f [ 0.5 | _ < n ])
def alone (n: Int) (m: Int): [m]Real =
  [ sum [ sin (0.5 * real (i + j)) | j < n ] | i < m ]
";

#[test]
fn a_jacobian_takes_as_many_sweeps_as_its_smaller_side_has_numbers() {
    for (n, m) in [(2, 200), (200, 2), (1, 300), (300, 1)] {
        let args = [n.to_string(), m.to_string()];
        let (alone, both) = (taken(JACOBIANS, "alone", &args), taken(JACOBIANS, "both", &args));
        let sweeps = f64::from(n.min(m));
        let most = (4.0 + 3.0 * sweeps) * alone.operations;
        assert!(both.operations < most, "{n} × {m}: {both:?} for {alone:?}");
    }
}

/// Expensive values before a cheap linear part: of `heavy` a derivative needs one number.
const HESSIAN: &str = "
def heavy (x: Real): Real = loop y = x for _ < 1000 do cos y
def jac (n: Int): Real =
  let f = \\(x: [n]Real) -> let h = stop_gradient (heavy x[0]) in [ h * x[i] | i < n ]
  in sum (map sum (jacobian f [ 0.5 | _ < n ]))
def hess (n: Int): Real =
  let f = \\(x: [n]Real) -> let h = stop_gradient (heavy x[0]) in sum [ h * x[i] ^ 2 | i < n ]
  in sum (map sum (hessian f [ 0.5 | _ < n ]))
";

#[test]
fn the_program_does_not_run_again_for_each_direction() {
    for entry in ["jac", "hess"] {
        let [few, many] = [4, 40].map(|n: i32| taken(HESSIAN, entry, &[n.to_string()]).operations);
        // 40 directions of 40 numbers, and a constant number of runs.
        assert!(many - few < 30.0 * 40.0 * 40.0, "{entry}: {few}, {many}");
        assert!(few < 5000.0, "{entry}: {few}");
    }
}

/// A loop of `n * k` steps, plain and in segments of `k` steps that are checkpoints.
const SEGMENTS: &str = "
def step (x: Real): Real = 1.1 * sin x
def gradient (f: Real -> Real): Real = grad f 0.5
def plain (n: Int) (k: Int): Real = gradient (\\x -> loop y = x for _ < n * k do step y)
def value (n: Int) (k: Int): Real = loop y = 0.5 for _ < n * k do step y
def segment (k: Int) (x: Real): Real = loop y = x for _ < k do step y
def saving (n: Int) (k: Int): Real = gradient (\\x -> loop y = x for _ < n do checkpoint (segment k) y)
def forward (n: Int) (k: Int): Real =
  (jvp (\\x -> grad (\\y -> loop y = y for _ < n do checkpoint (segment k) y) x) 0.5 1.0).1
";

/// What is in use without anything that is saved.
const BASE: f64 = 30_000.0;

#[test]
fn a_checkpoint_saves_its_arguments() {
    let of = |entry: &str, n: i32, k: i32| taken(SEGMENTS, entry, &[n.to_string(), k.to_string()]);
    let (plain, saving, value) =
        (of("plain", 100, 100), of("saving", 100, 100), of("value", 100, 100));
    assert!(plain.peak > 80_000.0, "one number a step: {plain:?}");
    // 100 states, and one number for each of 100 steps.
    assert!(saving.peak < BASE, "{saving:?}");
    // The program once more, no more.
    let more = saving.operations - plain.operations;
    assert!(more <= 1.01 * value.operations + 200.0, "{saving:?} {plain:?} {value:?}");
    // The bound is kept where the gradient is differentiated forward.
    let (second, long) = (of("forward", 100, 100), of("forward", 200, 200));
    assert!(second.peak < 2.0 * BASE && long.peak < 2.0 * BASE, "{second:?} {long:?}");
}

/// The gradient of `n` steps, with checkpoints every `k` or by their root, of loops that count and that test.
const LOOPS: &str = "
def step (i: Int) (x: Real): Real = 1.1 * sin (x + real i)
def value (n: Int) (k: Int): Real = loop y = 0.5 for i < n do step i y
def plain (n: Int) (k: Int): Real = grad (\\x -> loop y = x for i < n do step i y) 0.5
def every (n: Int) (k: Int): Real = grad (\\x -> loop y = x for i < n checkpoint k do step i y) 0.5
def root (n: Int) (k: Int): Real = grad (\\x -> loop y = x for i < n checkpoint sqrt do step i y) 0.5
def test (n: Int) (k: Int): Real =
  grad (\\x -> (loop (y, i) = (x, 0) while i < n checkpoint sqrt do (step i y, i + 1)).0) 0.5
";

#[test]
fn a_loop_with_checkpoints_saves_states_and_one_segment() {
    const N: i32 = 10_000;
    let of = |entry: &str, k: i32| taken(LOOPS, entry, &[N.to_string(), k.to_string()]);
    let (plain, value) = (of("plain", 1), of("value", 1));
    assert!(plain.peak > 8.0 * f64::from(N), "one number a step: {plain:?}");
    for k in [20, 100, 500] {
        let saving = of("every", k);
        let saved = f64::from(N / k) + f64::from(k);
        // Arrays that grow are held twice for a moment.
        assert!(saving.peak < 20_000.0 + 20.0 * saved, "{k}: {saving:?}");
        // The program once more, and the arithmetic of indices.
        let more = saving.operations - plain.operations;
        assert!(more < 2.0 * value.operations, "{k}: {saving:?} {plain:?} {value:?}");
    }
    for entry in ["root", "test"] {
        assert!(of(entry, 1).peak < BASE, "{entry}: {:?}", of(entry, 1));
    }
}

/// The derivative in reverse mode of the gradient of a loop that reads an array: its transpose accumulates.
const READING: &str = "
def value (xs: [4]Real) (n: Int): Real = loop y = 0.5 for i < n do 1.1 * sin (y + xs[i % 4])
def every (xs: [4]Real) (n: Int) (k: Int): Real =
  loop y = 0.5 for i < n checkpoint k do 1.1 * sin (y + xs[i % 4])
def plain (n: Int) (k: Int): Real = sum (grad (\\xs -> sum (grad (\\xs -> value xs n) xs)) (replicate 4 0.1))
def twice (n: Int) (k: Int): Real = sum (grad (\\xs -> sum (grad (\\xs -> every xs n k) xs)) (replicate 4 0.1))
";

#[test]
fn the_gradient_of_a_gradient_saves_segments_too() {
    let of = |entry: &str, n: i32, k: i32| taken(READING, entry, &[n.to_string(), k.to_string()]);
    let (plain, twice) = (of("plain", 10_000, 100), of("twice", 10_000, 100));
    assert!(plain.peak > 160_000.0, "two numbers a step: {plain:?}");
    assert!(twice.peak < 2.0 * BASE, "{twice:?}");
    assert!(twice.operations < 3.0 * plain.operations, "{twice:?} {plain:?}");
}

/// Loops without checkpoints of their own: one that counts, one that tests, a function that calls itself last, one that
/// collects, and loops in one another.
const UNMARKED: &str = "
def step (i: Int) (x: Real): Real = 1.1 * sin (x + real i)
def value (n: Int): Real = loop y = 0.5 for i < n do step i y
def count (n: Int): Real = grad (\\x -> loop y = x for i < n do step i y) 0.5
def test (n: Int): Real = grad (\\x -> (loop (y, i) = (x, 0) while i < n do (step i y, i + 1)).0) 0.5
def onward (i: Int) (n: Int) (y: Real): Real = if i == n then y else onward (i + 1) n (step i y)
def call (n: Int): Real = grad (onward 0 n) 0.5
def collect (n: Int): Real =
  grad (\\x -> (sum [ loop y = x for j < 50 do step j (y * real i) | i < n / 50 ]) ^ 2) 0.5
def nest (n: Int): Real =
  grad (\\x -> loop y = x for i < 10 do loop z = y for j < n / 10 do step j z) 0.5
";

#[test]
fn max_tape_chooses_checkpoints_by_the_number_of_steps() {
    const N: i32 = 20_000;
    let of = |entry: &str, max_tape| taken_within(UNMARKED, entry, &[N.to_string()], max_tape);
    let value = of("value", None);
    for entry in ["count", "test", "call", "collect", "nest"] {
        let (plain, large, small) =
            (of(entry, None), of(entry, Some(1 << 30)), of(entry, Some(20_000)));
        // What fits is left as it is, but for the choice itself.
        assert!(large.operations < 1.3 * plain.operations, "{entry}: {large:?} {plain:?}");
        assert!(plain.peak > 8.0 * f64::from(N), "{entry}: {plain:?}");
        assert!(small.peak < 4.0 * BASE, "{entry}: {small:?}");
        assert!(4.0 * small.peak < plain.peak, "{entry}: {small:?} {plain:?}");
        // Two levels of loops that exceed take the program twice more.
        let levels = if entry == "nest" { 2.0 } else { 1.0 };
        // The state of `test` and `call` that is their count is no count of their segments, and `call` asks in each step.
        let counts =
            f64::from(N) * f64::from(i32::from(entry == "test") + 2 * i32::from(entry == "call"));
        let more = small.operations - large.operations - counts;
        assert!(more < 2.0 * levels * value.operations, "{entry}: {small:?} {large:?} {value:?}");
    }
}

/// Derivatives of derivatives of a loop, in both modes, and of a loop with a derivative in its steps.
const ORDERS: &str = "
def value (n: Int) (x: Real): Real = loop y = x for _ < n do y * y
def slope (n: Int) (x: Real): Real = grad (value n) x
def first (n: Int): Real = slope n 0.5
def again (n: Int): Real = grad (slope n) 0.5
def backward (n: Int): Real = grad (\\x -> (jvp (value n) x 1.0).1) 0.5
def hess (n: Int): Real = sum (map sum (hessian (\\xs -> value n (xs[0] * xs[1])) [0.5, 0.25]))
def third (n: Int): Real = grad (grad (slope n)) 0.5
def descent (n: Int): Real = grad (\\x -> loop y = x for _ < n do y - 0.1 * grad (\\z -> sin (z * x)) y) 0.5
";

#[test]
fn max_tape_counts_what_derivatives_of_derivatives_save() {
    const N: i32 = 20_000;
    let of = |entry: &str, max_tape| taken_within(ORDERS, entry, &[N.to_string()], max_tape);
    // By the estimate a step saves two operands, and twice that for each derivative more.
    let fits = |doublings: i32| usize::try_from((16 * N) << doublings).expect("bytes") + 1000;
    for (entry, doublings) in
        [("first", 0), ("again", 1), ("backward", 1), ("hess", 1), ("third", 2)]
    {
        let plain = of(entry, None);
        let within = of(entry, Some(fits(doublings)));
        assert!(within.operations < 1.1 * plain.operations, "{entry}: {within:?} {plain:?}");
        let most = fits(doublings) as f64 + BASE;
        assert!(plain.peak < most, "{entry}: the estimate is not less: {plain:?}");
        let small = of(entry, Some(fits(doublings) / 2));
        assert!(small.peak < 2.0 * BASE, "{entry}: {small:?}");
    }
    // What a step saves is known where it asks for derivatives itself.
    let (plain, large, small) =
        (of("descent", None), of("descent", Some(1 << 30)), of("descent", Some(100_000)));
    assert!(large.operations < 1.1 * plain.operations, "{large:?} {plain:?}");
    assert!(small.peak < 2.0 * BASE, "{small:?}");
}

/// The determinant by minors: the cotangent of a minor is known before the minor.
const MINORS: &str = "
def minor (a: []Real) (ell: Int) (start: Int) (columns: []Int): Real =
  if size columns == 1 then a[start + columns[0]] else
    sum
      [
        (if k % 2 == 0 then 1.0 else -1.0)
          * a[start + columns[k]]
          * minor a ell (start + ell) (concat columns[:k] columns[k + 1:])
        | k < size columns
      ]
def minors (ell: Int) (a: []Real): Real = minor a ell 0 (iota ell)
def gradient (ell: Int): []Real = grad (minors ell) [ sin (real i) | i < ell * ell ]
";

#[test]
fn recursion_whose_sweeps_are_one_saves_nothing() {
    // 6, 24 and 120 determinants of rank 3 are under way or to come; each would save a hundred bytes and more.
    for ell in [4, 5, 6] {
        let taken = taken(MINORS, "gradient", &[ell.to_string()]);
        assert!(taken.peak < BASE, "{ell}: {taken:?}");
    }
}
