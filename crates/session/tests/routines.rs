//! Routines beside the texts of what they compute: values, derivatives and errors, on every engine that calls them.

use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_compile::Mode;
use pullback_engine::{BUILT_IN, run};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{DefId, Program};
use pullback_prim::{Routine, Slot};
use pullback_routines::{Given, Outcome, Wanted, any_plan};
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Memory, Query, on_large_stack};

const TEXT: &str = "
import \"linalg\" as la
import \"signal\" as signal
import \"sparse\" as sparse

def solve [n] (p: ([n][n]Real, [n]Real)): Real = weighed (la.solve p.0 p.1)
def inverse [n] (p: ([n][n]Real, [n]Real)): Real = weighed (flatten (la.inverse p.0))
def sizes [n] (p: ([n][n]Real, [n]Real)): Real = (la.sign_log_determinant p.0).1
def determinant [n] (p: ([n][n]Real, [n]Real)): Real = la.determinant (0.3 *. p.0)
def positive [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (la.cholesky_solve (covariance p.0) p.1) + la.log_determinant (covariance p.0)
def triangle [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (la.forward_solve (p.0 + la.diagonal_matrix [ 3.0 | _ <- p.1 ]) p.1)
def columns [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (flatten (la.back_solve_columns (p.0 + la.diagonal_matrix [ 3.0 | _ <- p.1 ]) p.0))
def eigenvalues [n] (p: ([n][n]Real, [n]Real)): Real = weighed (la.eigenvalues p.0)
def eigen [n] (p: ([n][n]Real, [n]Real)): Real =
  let (values, vectors) = la.eigen p.0 in
  weighed [ values[i] * la.dot (la.transpose vectors)[i] p.1 ^ 2 | i < n ]
def root [n] (p: ([n][n]Real, [n]Real)): Real = weighed (flatten (la.sqrtm (covariance p.0)))
def singular [n] (p: ([n][n]Real, [n]Real)): Real = weighed (la.singular_values p.0)
def wide [n] (p: ([n][n]Real, [n]Real)): Real = weighed (la.singular_values p.0[0:n / 2])
def squares [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (la.least_squares [ row[0:5] | row <- p.0 ] p.1)
def transform [n] (p: ([n][n]Real, [n]Real)): Real =
  let (re, im) = signal.fft (p.1, p.0[0]) in
  weighed re + 0.5 * weighed im
def spectrum [n] (p: ([n][n]Real, [n]Real)): Real =
  let (re, im) = signal.rfft p.1 in
  sum [ x * x | x <- re ] + sum [ x * x * x | x <- im ]
def image [n] (p: ([n][n]Real, [n]Real)): Real =
  let (re, im) = signal.fft2 (p.0, la.transpose p.0) in
  weighed (flatten re) + 0.5 * weighed (flatten im)
def sparse_general [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (sparse.solve (sparse.from_dense (thin p.0)) p.1)
def sparse_definite [n] (p: ([n][n]Real, [n]Real)): Real =
  weighed (sparse.cholesky_solve (sparse.from_dense (covariance (thin p.0))) p.1)
def thin [n] (a: [n][n]Real): [n][n]Real =
  [ if i == j then a[i, j] + 2.0 else if (i * i + 3 * j) % 7 == 0 then a[i, j] else 0.0 | i < n, j < n ]

def weighed [n] (x: [n]Real): Real = sum [ cos (real i) * x[i] | i < n ]
def covariance [n] (a: [n][n]Real): [n][n]Real =
  a @ la.transpose a + la.diagonal_matrix [ 1.0 | _ < n ]
def all [n] (p: ([n][n]Real, [n]Real)): Real =
  solve p + positive p + triangle p + eigenvalues p + singular p + squares p + transform p + image p + sparse_general p
";

const ENTRIES: [&str; 18] = [
    "solve",
    "inverse",
    "sizes",
    "determinant",
    "positive",
    "triangle",
    "columns",
    "eigenvalues",
    "eigen",
    "root",
    "singular",
    "wide",
    "squares",
    "transform",
    "spectrum",
    "image",
    "sparse_general",
    "sparse_definite",
];

/// The entries that are compiled to native code too, which takes longer.
const NATIVE: [&str; 6] =
    ["solve", "positive", "eigenvalues", "singular", "transform", "sparse_definite"];

/// The program of an entry, with and without routines.
fn programs(entry: &str) -> (Program, Program, DefId) {
    let files = Memory::default().with("a.pull", TEXT);
    let mut query = Query::new(&files, BUILT_IN);
    let modules = load(&mut query, "a.pull".as_ref()).expect("the file is there");
    let inferred = typed(&mut query, &modules);
    let id = inferred.global(entry).map(|(id, _)| id).expect("the entry is there");
    let (program, defs) = inferred.program(&mut query, &[id]).unwrap_or_else(|_| {
        panic!("{:?}", query.diagnostics);
    });
    let text = Program { routines: Default::default(), ..program.clone() };
    (program, text, defs[0])
}

/// Numbers between -0.5 and 0.5 that are the same each time.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn matrix(items: &[f64], columns: usize) -> Value {
    Value::array(items.chunks(columns).map(|row| Value::reals(row.to_vec())).collect())
}

/// All numbers in a value, in order.
fn flat(value: &Value, out: &mut Vec<f64>) {
    if let Some(x) = value.as_real() {
        out.push(x);
    } else if let Some(n) = value.as_int() {
        out.push(n as f64);
    } else if let Some(truth) = value.as_bool() {
        out.push(f64::from(u8::from(truth)));
    } else if let Some(array) = value.as_array() {
        array.iter().for_each(|item| flat(&item, out));
    } else if let Some(items) = value.as_tuple() {
        items.iter().for_each(|item| flat(item, out));
    }
}

fn flattened(value: &Value) -> Vec<f64> {
    let mut out = vec![];
    flat(value, &mut out);
    out
}

/// How far numbers are from others, beside the largest of these.
fn distance(found: &[f64], wanted: &[f64]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let largest = wanted.iter().fold(1e-300, |most: f64, x| most.max(x.abs()));
    found.iter().zip(wanted).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs() / largest))
}

/// What the text of a routine gives.
fn by_text(routine: Routine, args: Vec<Value>) -> Vec<f64> {
    let (program, text, _) = programs("all");
    let found = program.routines.iter().find(|(_, other)| **other == routine);
    let def = *found.expect("the program reaches it").0;
    let image = compile(&text);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let function = machine.global(def).expect("a function");
    flattened(&machine.call(function, args).expect("a value"))
}

/// What the routine gives, however small the arguments are, in the order of its results.
fn by_routine(routine: Routine, args: &[Given<'_>]) -> (Outcome, Vec<Vec<f64>>) {
    let plan = any_plan(routine, args).expect("arguments that fit");
    let mut reals: Vec<Vec<f64>> = vec![];
    let (mut ints, mut real, mut truth) = (vec![], 0.0, false);
    for (slot, sizes) in routine.row().results.iter().zip(&plan.sizes) {
        if *slot == Slot::Ints {
            ints = vec![0; sizes[0]];
        }
        let is_array = matches!(slot, Slot::Vector | Slot::Matrix);
        reals.push(if is_array { vec![0.0; sizes[0] * sizes[1]] } else { vec![] });
    }
    let (mut ints_place, mut real_place, mut truth_place) =
        (Some(&mut ints), Some(&mut real), Some(&mut truth));
    let mut wanted = vec![];
    for (slot, items) in routine.row().results.iter().zip(&mut reals) {
        wanted.push(match slot {
            Slot::Vector | Slot::Matrix => Wanted::Reals(items),
            Slot::Ints => Wanted::Ints(ints_place.take().expect("one array of Ints")),
            Slot::Real => Wanted::Real(real_place.take().expect("one Real")),
            Slot::Bool => Wanted::Bool(truth_place.take().expect("one Bool")),
        });
    }
    let outcome = pullback_routines::run(routine, args, &mut wanted, &|| false);
    for (slot, items) in routine.row().results.iter().zip(&mut reals) {
        match slot {
            Slot::Ints => *items = ints.iter().map(|n| *n as f64).collect(),
            Slot::Real => *items = vec![real],
            Slot::Bool => *items = vec![f64::from(u8::from(truth))],
            Slot::Vector | Slot::Matrix => {}
        }
    }
    (outcome, reals)
}

const SIZES: [usize; 9] = [1, 2, 3, 5, 8, 17, 31, 32, 50];
const SCALES: [f64; 3] = [1.0, 1e150, 1e-150];

/// Compares at sizes and scales; vectors that may point either way are made to point the way of the text.
fn agree(routine: Routine, symmetric: bool, is_scaled: bool) {
    for n in SIZES {
        for scale in SCALES.into_iter().filter(|scale| is_scaled || *scale == 1.0) {
            let mut a: Vec<f64> = numbers(n * n, n as u64).iter().map(|x| x * scale).collect();
            if symmetric {
                let half = a.clone();
                (0..n * n).for_each(|k| a[k] = half[k / n * n + k % n] + half[k % n * n + k / n]);
            }
            if routine == Routine::Cholesky {
                (0..n).for_each(|i| a[i * n + i] += n as f64 * scale);
            }
            let (outcome, found) = by_routine(routine, &[Given::Reals(&a, [n, n])]);
            assert_eq!(outcome, Outcome::Done, "{routine:?} {n} {scale}");
            let text = by_text(routine, vec![matrix(&a, n)]);
            let mut at = 0;
            for mut items in found {
                let wanted = &text[at..at + items.len()];
                at += items.len();
                if matches!(routine, Routine::Eigen | Routine::Svd) && items.len() == n * n {
                    for j in 0..n {
                        let dot: f64 = (0..n).map(|i| items[i * n + j] * wanted[i * n + j]).sum();
                        (0..n).for_each(|i| items[i * n + j] *= dot.signum());
                    }
                }
                let off = distance(&items, wanted);
                assert!(off < 1e-9, "{routine:?} {n} {scale}: {off}");
            }
            assert_eq!(at, text.len());
        }
    }
}

#[test]
fn factorisations_are_those_of_the_text() {
    on_large_stack(|| {
        agree(Routine::Lu, false, true);
        agree(Routine::Cholesky, true, true);
        agree(Routine::Qr, false, false);
        agree(Routine::Eigen, true, false);
        agree(Routine::Svd, false, false);
    });
}

/// Several blocks too, the last of them not full; of both matrices the upper half is not looked at.
#[test]
fn the_pullback_of_cholesky_is_that_of_the_text() {
    on_large_stack(|| {
        for n in SIZES.into_iter().chain([64, 150]) {
            for scale in SCALES {
                let mut l: Vec<f64> = numbers(n * n, 13).iter().map(|x| x * scale).collect();
                (0..n).for_each(|i| l[i * n + i] += n as f64 * scale);
                let l_bar = numbers(n * n, 14);
                let given = [Given::Reals(&l, [n, n]), Given::Reals(&l_bar, [n, n])];
                let (outcome, found) = by_routine(Routine::CholeskyPullback, &given);
                assert_eq!(outcome, Outcome::Done, "{n} {scale}");
                let args = vec![matrix(&l, n), matrix(&l_bar, n)];
                let off = distance(&found[0], &by_text(Routine::CholeskyPullback, args));
                assert!(off < 1e-12, "{n} {scale}: {off}");
            }
        }
    });
}

#[test]
fn solutions_and_transforms_are_those_of_the_text() {
    on_large_stack(|| {
        for n in SIZES {
            let t: Vec<f64> = (0..n * n)
                .zip(numbers(n * n, 3))
                .map(|(k, x)| if k / n == k % n { x + 2.0 } else { x / n as f64 })
                .collect();
            let b = numbers(3 * n, 4);
            let order: Vec<i64> = (0..n as i64).rev().collect();
            for truth in [false, true] {
                let (flag, right) = (Value::bool(truth), matrix(&b, n));
                let given =
                    [Given::Bool(truth), Given::Reals(&t, [n, n]), Given::Reals(&b, [3, n])];
                let (_, found) = by_routine(Routine::Triangle, &given);
                let args = vec![flag.clone(), matrix(&t, n), right.clone()];
                let off = distance(&found[0], &by_text(Routine::Triangle, args));
                assert!(off < 1e-12, "triangle {n} {truth}: {off}");
                let [flag_given, factors, b_given] = given;
                let given = [flag_given, factors, Given::Ints(&order), Given::Real(1.0), b_given];
                let (_, found) = by_routine(Routine::LuSolve, &given);
                let lu =
                    Value::tuple(vec![matrix(&t, n), Value::ints(order.clone()), Value::real(1.0)]);
                let off = distance(&found[0], &by_text(Routine::LuSolve, vec![flag, lu, right]));
                assert!(off < 1e-12, "solutions {n} {truth}: {off}");
            }
            for (sign, scale) in [(1.0, 1.0), (-1.0, 1e150), (1.0, 1e-150)] {
                let [re, im] =
                    [5, 6].map(|seed| numbers(n, seed).iter().map(|x| x * scale).collect());
                let (re, im): (Vec<f64>, Vec<f64>) = (re, im);
                let given =
                    [Given::Real(sign), Given::Reals(&re, [n, 1]), Given::Reals(&im, [n, 1])];
                let (_, found) = by_routine(Routine::Fourier, &given);
                let pair = Value::tuple(vec![Value::reals(re.clone()), Value::reals(im.clone())]);
                let text = by_text(Routine::Fourier, vec![Value::real(sign), pair]);
                let off = distance(&found.concat(), &text);
                assert!(off < 1e-12, "transform {n} {sign} {scale}: {off}");
                // An image of three rows.
                let image = [7, 8].map(|seed| numbers(3 * n, seed));
                let given = [
                    Given::Real(sign),
                    Given::Reals(&image[0], [3, n]),
                    Given::Reals(&image[1], [3, n]),
                ];
                let (_, found) = by_routine(Routine::Fourier2, &given);
                let args = vec![Value::real(sign), matrix(&image[0], n), matrix(&image[1], n)];
                let off = distance(&found.concat(), &by_text(Routine::Fourier2, args));
                assert!(off < 1e-12, "transform of an image {n} {sign}: {off}");
            }
        }
    });
}

/// Real images go another way than others, two rows at a time, and rows of zeros are not transformed.
#[test]
fn transforms_of_images_are_those_of_the_text() {
    on_large_stack(|| {
        let small = [[1, 1], [1, 6], [2, 1], [3, 2], [4, 5], [7, 7]];
        let large = [[32, 33], [41, 70], [67, 36]];
        for [n, m] in small.into_iter().chain(large) {
            let image = [15, 16].map(|seed| numbers(n * m, seed));
            let some_rows = |k: usize| if k / m % 3 == 1 || k / m + 1 == n { 0.0 } else { 1.0 };
            let imaginary: [&dyn Fn(usize) -> f64; 4] =
                [&|_| 0.0, &|k| if k % 2 == 0 { 0.0 } else { -0.0 }, &some_rows, &|_| 1.0];
            for (kind, is_there) in imaginary.into_iter().enumerate() {
                for (sign, scale) in [(1.0, 1.0), (-1.0, 1e150), (1.0, 1e-150)] {
                    let rows_of_zeros = kind == 1 || kind == 2;
                    let real = |k: usize| if rows_of_zeros { some_rows(k) } else { 1.0 };
                    let re: Vec<f64> = (0..n * m).map(|k| scale * image[0][k] * real(k)).collect();
                    let im: Vec<f64> = (0..n * m)
                        .map(|k| {
                            let x = is_there(k);
                            if x == 0.0 { x } else { scale * image[1][k] }
                        })
                        .collect();
                    let given =
                        [Given::Real(sign), Given::Reals(&re, [n, m]), Given::Reals(&im, [n, m])];
                    let (outcome, found) = by_routine(Routine::Fourier2, &given);
                    assert_eq!(outcome, Outcome::Done);
                    let args = vec![Value::real(sign), matrix(&re, m), matrix(&im, m)];
                    let text = by_text(Routine::Fourier2, args);
                    let off = distance(&found.concat(), &text);
                    assert!(off < 1e-12, "{n} × {m}, kind {kind}, {sign} {scale}: {off}");
                }
            }
        }
    });
}

/// The sizes that the table says are those that a routine gives. Each routine is given matrices of sizes of their own.
#[test]
fn results_are_like_the_parameters_that_the_table_names() {
    let [square, wide, tall] = [numbers(16, 17), numbers(12, 18), numbers(20, 19)];
    let order = [0, 1, 2, 3];
    for routine in Routine::ALL {
        let row = routine.row();
        let args: &[Given<'_>] = match routine {
            Routine::Dependences | Routine::Followed => continue,
            Routine::Fourier => {
                &[Given::Real(1.0), Given::Reals(&wide, [12, 1]), Given::Reals(&wide, [12, 1])]
            }
            Routine::Fourier2 => {
                &[Given::Real(1.0), Given::Reals(&wide, [3, 4]), Given::Reals(&wide, [3, 4])]
            }
            Routine::Lu | Routine::Cholesky | Routine::Eigen => &[Given::Reals(&square, [4, 4])],
            Routine::CholeskyPullback => {
                &[Given::Reals(&square, [4, 4]), Given::Reals(&square, [4, 4])]
            }
            Routine::LuSolve => &[
                Given::Bool(false),
                Given::Reals(&square, [4, 4]),
                Given::Ints(&order),
                Given::Real(1.0),
                Given::Reals(&wide, [3, 4]),
            ],
            Routine::Triangle => {
                &[Given::Bool(true), Given::Reals(&square, [4, 4]), Given::Reals(&wide, [3, 4])]
            }
            Routine::Svd | Routine::Qr => &[Given::Reals(&tall, [5, 4])],
            // Nothing is said of its results.
            Routine::SparseSolve => continue,
        };
        let plan = any_plan(routine, args).expect("arguments that fit");
        for (sizes, like) in plan.sizes.iter().zip(row.like) {
            for at in *like {
                let Given::Reals(_, given) = &args[*at] else { panic!("{routine:?} {at}") };
                assert_eq!(sizes, given, "{routine:?}");
            }
        }
    }
}

/// A matrix with a few elements in each row, in no order and some of them at one place, by compressed rows.
fn sparse(n: usize, definite: bool) -> (Vec<i64>, Vec<i64>, Vec<f64>) {
    let (mut starts, mut places, mut values) = (vec![0], vec![], vec![]);
    for i in 0..n {
        for (k, x) in numbers(3, (7 * i + 1) as u64).into_iter().enumerate() {
            let j = (5 * i + 11 * k) % n;
            if !definite || j < i {
                places.push(j as i64);
                values.push(x);
            }
        }
        places.push(i as i64);
        values.push(3.0);
        starts.push(places.len() as i64);
    }
    (starts, places, values)
}

#[test]
fn solutions_of_sparse_systems_are_those_of_the_text() {
    on_large_stack(|| {
        for n in SIZES {
            for (definite, turned) in [(false, false), (false, true), (true, false)] {
                let (starts, places, mut values) = sparse(n, definite);
                let b = numbers(2 * n, 14);
                let compare = |values: &[f64], limit: f64| {
                    let given = [
                        Given::Bool(definite),
                        Given::Bool(turned),
                        Given::Ints(&starts),
                        Given::Ints(&places),
                        Given::Reals(values, [values.len(), 1]),
                        Given::Reals(&b, [2, n]),
                    ];
                    let (outcome, found) = by_routine(Routine::SparseSolve, &given);
                    assert_eq!(outcome, Outcome::Done, "{n} {definite} {turned}");
                    let args = vec![
                        Value::bool(definite),
                        Value::bool(turned),
                        Value::ints(starts.clone()),
                        Value::ints(places.clone()),
                        Value::reals(values.to_vec()),
                        matrix(&b, n),
                    ];
                    let text = by_text(Routine::SparseSolve, args);
                    let off = distance(&found.concat(), &text);
                    assert!(off <= limit, "{n} {definite} {turned}: {off}");
                    found[1][0] == 1.0
                };
                assert!(compare(&values, 1e-11), "{n} {definite} {turned} is regular");
                // The last row is gone, so nothing has a solution.
                let last = starts[n - 1] as usize;
                values[last..].fill(0.0);
                assert!(!compare(&values, 0.0), "{n} {definite} {turned} is singular");
            }
        }
    });
}

/// The value and the gradient of an entry on an engine.
fn answer(
    engine: &str,
    (program, def): (&Program, DefId),
    argument: Value,
) -> Result<(Vec<f64>, Vec<f64>), Box<Diagnostic>> {
    let options = Options { strict_fp: true, ..Options::default() };
    let engine = BUILT_IN.named(engine).expect("an engine");
    let mode = Mode::Vjp(Value::real(1.0));
    let (value, gradient) = run(engine, program, def, argument, &mode, &options)?.with_derivative();
    Ok((flattened(&value), flattened(&gradient)))
}

fn argument(n: usize, scale: f64) -> Value {
    let a: Vec<f64> = numbers(n * n, 9).iter().map(|x| x * scale).collect();
    Value::tuple(vec![matrix(&a, n), Value::reals(numbers(n, 10))])
}

#[test]
fn values_and_gradients_are_those_of_the_text_on_every_engine() {
    on_large_stack(|| {
        for entry in ENTRIES {
            let (program, text, def) = programs(entry);
            for n in [20, 40] {
                let wanted = answer("ir", (&text, def), argument(n, 1.0)).expect("a value");
                let ir = answer("ir", (&program, def), argument(n, 1.0)).expect("a value");
                let trace = answer("trace", (&program, def), argument(n, 1.0)).expect("a value");
                for found in [&ir, &trace] {
                    let off = distance(&found.0, &wanted.0).max(distance(&found.1, &wanted.1));
                    assert!(off < 1e-8, "{entry} {n}: {off}");
                }
                let bits = |items: &[f64]| items.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&trace.0), bits(&ir.0), "{entry} {n}");
                if n == 40 && NATIVE.contains(&entry) {
                    let native = answer("native", (&program, def), argument(n, 1.0));
                    let native = native.expect("a value");
                    assert_eq!(bits(&native.0), bits(&ir.0), "{entry}");
                    assert_eq!(bits(&native.1), bits(&ir.1), "{entry}");
                }
            }
        }
    });
}

#[test]
fn errors_and_what_is_not_finite_are_those_of_the_text() {
    on_large_stack(|| {
        let n = 40;
        let ones = Value::tuple(vec![matrix(&vec![1.0; n * n], n), Value::reals(vec![1.0; n])]);
        let mut items = numbers(n * n, 11);
        items[n + 3] = f64::NAN;
        let nan = Value::tuple(vec![matrix(&items, n), Value::reals(numbers(n, 12))]);
        let entries = [
            "solve",
            "inverse",
            "determinant",
            "positive",
            "triangle",
            "transform",
            "sparse_general",
        ];
        for entry in entries {
            let (program, text, def) = programs(entry);
            for point in [&ones, &nan] {
                let wanted = answer("ir", (&text, def), point.clone());
                for engine in ["ir", "trace"] {
                    let found = answer(engine, (&program, def), point.clone());
                    match (found, &wanted) {
                        (Ok(found), Ok(wanted)) => {
                            same_where_finite(&found.0, &wanted.0, entry);
                            same_where_finite(&found.1, &wanted.1, entry);
                        }
                        (Err(found), Err(wanted)) => assert_eq!(found.code, wanted.code, "{entry}"),
                        (found, _) => panic!("{entry} {engine}: {found:?}, not {wanted:?}"),
                    }
                }
            }
        }
    });
}

/// Numbers are NaN or infinite where others are, and near them elsewhere.
fn same_where_finite(found: &[f64], wanted: &[f64], entry: &str) {
    let kinds = |items: &[f64]| items.iter().map(|x| x.classify()).collect::<Vec<_>>();
    let is_odd = |x: &f64| !x.is_finite();
    if wanted.iter().any(is_odd) || found.iter().any(is_odd) {
        assert_eq!(kinds(found), kinds(wanted), "{entry}");
    }
    let finite =
        |items: &[f64]| items.iter().copied().filter(|x| x.is_finite()).collect::<Vec<_>>();
    let off = distance(&finite(found), &finite(wanted));
    assert!(off < 1e-9, "{entry}: {off}");
}

#[test]
fn each_routine_has_its_definition() {
    on_large_stack(|| {
        let (program, _, _) = programs("all");
        let found: Vec<Routine> = program.routines.values().copied().collect();
        for routine in Routine::ALL.into_iter().filter(|routine| routine.is_numerical()) {
            assert!(found.contains(&routine), "{routine:?}");
        }
    });
}

#[test]
fn a_routine_stops_when_it_is_asked_to() {
    let n = 40;
    let (a, mut factors, mut order, mut sign) =
        (numbers(n * n, 13), vec![0.0; n * n], vec![0; n], 0.0);
    let mut results =
        [Wanted::Reals(&mut factors), Wanted::Ints(&mut order), Wanted::Real(&mut sign)];
    let given = [Given::Reals(&a, [n, n])];
    let outcome = pullback_routines::run(Routine::Lu, &given, &mut results, &|| true);
    assert_eq!(outcome, Outcome::Stopped);
}
