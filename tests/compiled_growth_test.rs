//! How the cost of the compiler's derivatives grows: counted at several sizes, with the code optimised.

use std::fmt::Write;
use std::path::Path;

use pullback_compile::{Form, Mode, Plan, Seen, compile, counted};
use pullback_engines::REGISTRY;
use pullback_eval::{Options, Value};
use pullback_ir::eval::Counts;
use pullback_ir::trimmed;
use pullback_lambda::{DefId, Program};
use pullback_session::{Call, Memory, Query, Settings};
use pullback_suite::deep;
use pullback_tools::function;

const PROGRAMS: &str = "
def at (n: Int) (xs: []Real): Real =
  loop total = 0.0 for i < n do total + xs[i] * xs[(7 * i) % n]

def table (n: Int) (xs: []Real): Real =
  let filled = loop ys = xs for i < n - 1 do ys with [i + 1] = ys[i + 1] * sin ys[i] in
  sum filled

def chosen (n: Int) (xs: []Real): Real =
  sum (loop ys = xs for i < n - 1 do ys with [i + 1] = (if i % 2 == 0 then ys[i] * ys[i + 1] else ys[i + 1] * ys[i + 1]))

def wide (xs: []Real): [][]Real = [ [ x + real j | j < 5 ] | x <- xs ]

def filled (n: Int) (xs: []Real): Real =
  let rows = wide xs in
  sum (flatten (loop m = zeros rows for i < n do m with [i] = 2.0 *. rows[i]))

def down (n: Int) (xs: []Real): Real =
  let m = loop m = wide xs for i < n - 1 do m with [i + 1, 0] = m[i + 1, 0] * sin m[i, 0] in
  sum [ row[0] | row <- m ]

def scattered (n: Int) (xs: []Real): Real =
  let rows = wide xs in
  let m = scatter (zeros rows) [ (7 * i) % n | i < n ] rows in
  sum [ x * x | x <- flatten m ]

def lines (n: Int) (xs: []Real): Real =
  let m = [ [ x + 0.01 * real j | j < size xs - n + 20 ] | x <- xs ] in
  sum (loop m = m for i < n - 1 do m with [i + 1] = map sin (m[i] * m[i + 1]))[n - 1]

def passed (n: Int) (xs: []Real): Real =
  let rows = [ [ x + 0.01 * real j | j < size xs - n + 20 ] | x <- xs ] in
  let all = loop all = zeros rows for i < n do all with [(7 * i) % n] = all[(7 * i) % n] + rows[(3 * i) % n] in
  sum [ x * x | x <- flatten all ]

def substituted (n: Int) (xs: []Real): Real =
  let ys = loop ys = xs for i < n do ys with [i] = ys[i] - 0.01 * sum [ ys[j] * xs[j] | j < i ] in
  ys[n - 1]

def onward [k] (i: Int) (n: Int) (ys: [k]Real): [k]Real =
  if i == n then ys else onward (i + 1) n (ys with [i] = ys[i] * ys[i - 1])

def handed (n: Int) (xs: []Real): Real = sum (onward 1 n xs)

def counted (n: Int) (xs: []Real): Real =
  let (_, ys) = loop (i, ys) = (0, xs) while i < n do (i + 1, ys with [i] = ys[i] + 0.01 * sum [ ys[j] * xs[j] | j < i ]) in
  ys[n - 1]

def columns (n: Int) (xs: []Real): Real =
  let ys = loop ys = xs for i < n do
    let ys = ys with [i] = ys[i] + 0.01 * sum [ ys[j] * xs[j] | j < i ] in
    let few = if i + 4 < n then 3 else 0 in
    loop ys = ys for r < few do ys with [i + 1 + r] = ys[i + 1 + r] - 0.01 * ys[i] * xs[r] in
  ys[n - 1]

def behind (n: Int) (xs: []Real): Real =
  let ys = loop ys = xs for i < n do
    if ys[i] > 2.0 then ys with [i] = 0.01 * sum [ ys[j] * xs[j] | j < i ] else ys in
  ys[n - 1]

def exchanged (n: Int) (xs: []Real): Real =
  let m = loop m = wide xs for k < n - 1 do
    if m[k][0] < m[k + 1][0] * real (k % 3) then (m with [k] = m[k + 1]) with [k + 1] = m[k] else m in
  sum [ m[i][1] * real i | i < n ]

def partners (_: Int) (xs: []Real): Real =
  let n = size xs in
  let (x, y) = loop (x, y) = (xs, map sin xs) for k < n do
    (x with [k] = x[k] + 0.1 * y[(k + 1) % n], y with [k] = y[k] - 0.1 * x[(k + 2) % n]) in
  sum x + sum y

def stopped (n: Int) (xs: []Real): Real =
  let s = loop s = Some xs for i < n do
    (match s with
     | Some ys -> if ys[i] > 1e9 then None else Some (ys with [i] = 0.5 * ys[i] + sin ys[(i + 1) % n])
     | None -> None) in
  match s with | Some ys -> sum ys | None -> 0.0

def optional (n: Int) (xs: []Real): Real =
  let o = if n > 1 then Some xs else None in
  sum [ (match o with | Some ys -> ys[i] | None -> 1.0) ^ 2 | i < n ]

type Layer = Scale { by: []Real, plus: Real } | Twice Layer

def layer (n: Int) (xs: []Real): Real =
  let l = Twice (Scale { by = xs, plus = xs[0] }) in
  sum [ (match l with | Twice (Scale { by, plus }) -> by[i] * xs[n - 1 - i] + plus | Twice _ -> 0.0 | Scale _ -> 1.0) | i < n ]

def rows (a: [][]Real) (i: Int): Real =
  if i == 0 then 0.0 else sin (sum [ x * x | x <- a[i - 1] ]) + rows a (i - 1)

def matrix (n: Int) (xs: []Real): Real = rows [ [x, 2 * x, 3.0] | x <- xs ] n

def tree (lo: Int) (hi: Int) (xs: []Real): Real =
  if hi - lo == 1 then xs[lo] * xs[lo]
  else let mid = (lo + hi) / 2 in sin (tree lo mid xs) * cos (tree mid hi xs)

def split (n: Int) (xs: []Real): Real = tree 0 n xs

def until (n: Int) (xs: []Real): Real =
  let (_, y) = loop (i, y) = (0, 1.0) while i < n do (i + 1, y * cos xs[i]) in y

def straight (n: Int) (x: Real): Real = sum [ sin (x * real i) ^ 2 | i < n ]
";

/// What a function of `PROGRAMS` costs at arguments, alone and with its gradient.
fn costs(text: &str, entry: &str, args: Vec<String>) -> (Counts, Counts, usize) {
    let path = Path::new("growth.pull");
    let files = Memory::default().with(path, text);
    let mut query = Query::new(&files, REGISTRY);
    let settings = Settings { engine: Some("ir".to_owned()), ..Settings::default() };
    let call =
        Call { file: path.to_owned(), entry: entry.to_owned(), args, settings, ..Call::default() };
    let called = function(&mut query, &call);
    let Ok((program, def, argument)) = called else { panic!("{:?}", query.diagnostics) };
    let mut size = 0;
    let mut run = |mode: &Mode| {
        let mut observe = |seen: Seen<'_>| {
            if let Seen::Stage("opt", Form::Code(code, roots)) = seen {
                size = trimmed(code, roots).0.size();
            }
        };
        let mut plan = Plan { observe: Some(&mut observe), ..Plan::of(&program) };
        let (argument, options) = (argument.clone(), Options::default());
        let ran = counted(&program, def, argument, mode, &options, &mut plan);
        ran.expect("a value").1
    };
    let counts = (run(&Mode::Value), run(&Mode::Vjp(Value::Real(1.0))));
    (counts.0, counts.1, size)
}

/// Everything that a run does.
fn work(counts: Counts) -> u64 {
    counts.weight() + counts.copied + counts.moved + counts.steps
}

fn numbers(count: usize) -> String {
    let items: Vec<String> = (0..count).map(|i| format!("{}.5", i % 7)).collect();
    format!("[{}]", items.join(", "))
}

#[test]
fn gradients_of_arrays_are_linear() {
    deep(|| {
        for entry in [
            "at",
            "table",
            "chosen",
            "filled",
            "down",
            "scattered",
            "lines",
            "passed",
            "substituted",
            "handed",
            "counted",
            "columns",
            "behind",
            "exchanged",
            "partners",
            "stopped",
            "optional",
            "layer",
            "matrix",
            "split",
            "until",
        ] {
            let cost = |n: usize| {
                let args = vec![n.to_string(), numbers(n)];
                let (value, gradient, _) = costs(PROGRAMS, entry, args);
                (work(value), work(gradient), gradient.peak)
            };
            let (small, middle, large) = (cost(100), cost(200), cost(400));
            let ratio = |n: (u64, u64, u64)| n.1 as f64 / n.0 as f64;
            assert!(ratio(large) < 1.05 * ratio(small), "{entry}: {small:?} {large:?}");
            assert!(ratio(large) < 8.0, "{entry}: {large:?}");
            // The next hundreds take what the hundreds before took.
            let twice = 2 * (middle.2 - small.2);
            assert!(large.2 - middle.2 <= twice + 4096, "{entry}: {small:?} {middle:?} {large:?}");
        }
    })
    .expect("no panic");
}

/// One loop sums and differentiates: it holds the same for any number of terms.
#[test]
fn a_sum_saves_nothing_of_its_terms() {
    deep(|| {
        let peak =
            |n: usize| costs(PROGRAMS, "straight", vec![n.to_string(), "0.5".to_owned()]).1.peak;
        assert_eq!(peak(4000), peak(2000));
    })
    .expect("no panic");
}

/// Each variable is used twice: written out, there are `2 ^ length` of them.
#[test]
fn chains_of_shared_variables_do_not_blow_up() {
    deep(|| {
        let cost = |length: usize| {
            let mut text = "def chain (x0: Real): Real =\n".to_owned();
            for i in 0..length {
                let _ = writeln!(text, "  let x{} = sin x{i} * x{i} in", i + 1);
            }
            let _ = writeln!(text, "  x{length}\ndef slope (x: Real): Real = grad chain x");
            let first = costs(&text, "chain", vec!["0.5".into()]);
            let second = costs(&text, "slope", vec!["0.5".into()]);
            [first.1.weight(), second.1.weight(), first.2 as u64, second.2 as u64]
        };
        let (small, large) = (cost(20), cost(40));
        for (small, large) in small.iter().zip(large) {
            // The first links are cheaper than the others.
            assert!(large <= 2 * small + 20, "{small} and {large}");
        }
    })
    .expect("no panic");
}

/// What is differentiated again is optimised before: of each order only a product more is left.
#[test]
fn derivatives_of_derivatives_stay_small() {
    deep(|| {
        let mut text = "def d0 (x: Real): Real = exp (2 * x)\n".to_owned();
        for order in 1..=10 {
            let _ = writeln!(text, "def d{order} (x: Real): Real = grad d{} x", order - 1);
        }
        let (value, gradient, size) = costs(&text, "d10", vec!["0.5".to_owned()]);
        assert!(value.weight() <= 12, "{value:?}");
        assert!(gradient.weight() <= 16, "{gradient:?}");
        assert!(size <= 8, "{size}");
    })
    .expect("no panic");
}

/// A condition is computed again where it is cheap, and not handed through all branches around it: code as large as the
/// square of the depth. Passes recurse over what is inside each other, and compare none of it with all around it.
#[test]
fn branches_inside_each_other_take_code_by_their_number() {
    deep(|| {
        let cost = |depth: usize| {
            let mut text = "def nest (x: Real): Real =\n".to_owned();
            for i in 0..depth {
                let _ = writeln!(text, "  if x > {i}.0 then sin x else");
            }
            text.push_str("  x\n");
            let (value, gradient, size) = costs(&text, "nest", vec!["0.5".to_owned()]);
            assert!(gradient.weight() <= 5 * value.weight() + 10, "{gradient:?}");
            size
        };
        let (small, large) = (cost(200), cost(400));
        assert!(large <= 2 * small + 20, "{small} and {large}");
    })
    .expect("no panic");
}

/// A function of a Real in the calculus.
fn program(text: &str, entry: &str) -> (Program, DefId) {
    let path = Path::new("growth.pull");
    let files = Memory::default().with(path, text);
    let mut query = Query::new(&files, REGISTRY);
    let settings = Settings { engine: Some("ir".to_owned()), ..Settings::default() };
    let (file, entry, args) = (path.to_owned(), entry.to_owned(), vec!["0.5".to_owned()]);
    let called = function(&mut query, &Call { file, entry, args, settings, ..Call::default() });
    let Ok((program, def, _)) = called else { panic!("{:?}", query.diagnostics) };
    (program, def)
}

/// The statements of the code that a function is lowered to.
fn lowered(text: &str, entry: &str) -> usize {
    let (program, def) = program(text, entry);
    let mut size = 0;
    let mut observe = |seen: Seen<'_>| {
        if let Seen::Stage("ir", Form::Code(code, _)) = seen {
            size = code.size();
        }
    };
    let mut plan =
        Plan { observe: Some(&mut observe), stop_after: Some("lower"), ..Plan::of(&program) };
    compile(&program, &[def], &mut plan).expect("code");
    size
}

/// Continuations of several kinds, and several continuations: neither is there code for each order of the kinds inside
/// each other, nor for each choice of the continuations.
#[test]
fn continuations_take_code_by_their_number() {
    deep(|| {
        let kinds = |count: usize| {
            let mut text =
                "def f (n: Int) (k: Real -> Real): Real =\n  if n == 0 then k 1.0\n".to_owned();
            for i in 0..count {
                let _ = writeln!(
                    text,
                    "  else if n % {count} == {i} then f (n - 1) (\\a -> k (a * {i}.0))"
                );
            }
            text.push_str("  else 0.0\ndef main (x: Real): Real = f 9 (\\y -> y * x)\n");
            lowered(&text, "main")
        };
        let several = |count: usize| {
            let list =
                |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(" ");
            let params = list(&|i| format!("(k{i}: Real -> Real)"));
            let mut text = format!("def f (n: Int) {params}: Real =\n");
            let _ = writeln!(text, "  if n == 0 then k0 1.0");
            for i in 0..count {
                let grown =
                    |j| if i == j { format!("(\\a -> k{j} (a + 1.0))") } else { format!("k{j}") };
                let _ =
                    writeln!(text, "  else if n % {count} == {i} then f (n - 1) {}", list(&grown));
            }
            let first = list(&|i| format!("(\\y -> y * x + {i}.0)"));
            let _ = writeln!(text, "  else 0.0\ndef main (x: Real): Real = f 9 {first}");
            lowered(&text, "main")
        };
        let (small, large) = (kinds(8), kinds(16));
        assert!(large <= 2 * small + 20 && small < 500, "{small} and {large}");
        // Each of as many definitions has as many branches.
        let (small, large) = (several(6), several(12));
        assert!(large <= 8 * small && small < 2_000, "{small} and {large}");
    })
    .expect("no panic");
}

/// Whoever could do without code does not wait for much of it, and is told what it was too much for.
#[test]
fn code_is_refused_that_would_be_more_than_is_wanted() {
    deep(|| {
        let mut text = "def g (x: Real): Real = grad f0 x\n\
                        def h (x: Real): Real = grad (grad (grad (grad f0))) x\n"
            .to_owned();
        for i in 0..8 {
            let then = format!("sin x * cos x * exp (sin x) + {i}.0");
            let _ =
                writeln!(text, "def f{i} (x: Real): Real = if x > 0 then {then} else f{i} (x + 1)");
        }
        let all: Vec<String> = (0..8).map(|i| format!("grad f{i} x")).collect();
        let _ = writeln!(text, "def wide (x: Real): Real = {}", all.join(" + "));
        let refused = |entry: &str, most: usize| {
            let (program, def) = program(&text, entry);
            let mut plan = Plan { most: Some(most), ..Plan::of(&program) };
            compile(&program, &[def], &mut plan).err().map(|problem| problem.title)
        };
        let title = |entry, most| refused(entry, most).unwrap_or_default();
        assert_eq!(refused("g", 1000), None);
        assert_eq!(title("g", 1), "code would be made of more than 1 statements");
        let (first, high) = (title("wide", 150), title("h", 150));
        assert!(first.ends_with("`, for which it would make too much code"), "{first}");
        assert!(high.ends_with("of so high an order"), "{high}");
    })
    .expect("no panic");
}
