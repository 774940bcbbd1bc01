//! The functions that go eight lanes at a time are within 2 units in the last place of the truth (`rem` within none), have the special
//! values of C's library, and give an argument the same bits wherever it lies, among the last of a loop too.
//! The sign of a NaN means nothing, and the compiler chooses it. The truth is what C's library computes
//! in `long double`. `POINTS=1000000` tries so many of each.

use std::io::Write;
use std::process::{Command, Stdio};

use pullback_analysis::facts::Facts;
use pullback_base::FileId;
use pullback_codegen::{Fp, Level, Limits, Native, compiler, emit};
use pullback_ir::Program;
use pullback_ir::eval::Value;

/// How many points each function is tried at.
const POINTS: usize = 20_000;

/// The functions of one argument, and up to where they are tried.
const UNARY: &[(&str, f64)] = &[
    ("exp", 760.0),
    ("expm1", 720.0),
    ("log", 1e6),
    ("log1p", 1e6),
    ("sin", 3e5),
    ("cos", 3e5),
    ("tan", 3e5),
    ("asin", 1.001),
    ("acos", 1.001),
    ("atan", 10.0),
    ("sinh", 720.0),
    ("cosh", 720.0),
    ("tanh", 25.0),
    ("sech2", 700.0),
    ("sigmoid", 760.0),
    ("softplus", 760.0),
    ("erf", 7.0),
    ("erfc", 28.0),
];
/// Those of two.
const BINARY: &[&str] = &["pow", "xlogy", REMAINDER];
/// The one of them that is the truth, rounded once.
const REMAINDER: &str = "rem";

/// Reads points and what was computed there, and tells how far the worst is from the truth, and where that is.
const ORACLE: &str = r#"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
_Static_assert(LDBL_MANT_DIG > DBL_MANT_DIG, "numbers that are exact enough");
/* What `fmod` leaves is exact, and added to once in the precision of the result. */
static double remainder_of(double x, double y) {
  const double rest = fmod(x, y);
  return rest == 0 ? copysign(0, y) : (rest < 0) != (y < 0) ? rest + y : rest;
}
static long double truth(const char *name, long double x, long double y) {
#define IS(f, value) if (!strcmp(name, #f)) return value;
  IS(exp, expl(x)) IS(expm1, expm1l(x)) IS(log, logl(x)) IS(log1p, log1pl(x))
  IS(sin, sinl(x)) IS(cos, cosl(x)) IS(tan, tanl(x)) IS(asin, asinl(x)) IS(acos, acosl(x)) IS(atan, atanl(x))
  IS(sinh, sinhl(x)) IS(cosh, coshl(x)) IS(tanh, tanhl(x)) IS(sech2, 1 / coshl(x) / coshl(x))
  IS(sigmoid, 1 / (1 + expl(-x))) IS(softplus, isnan(x) ? x : fmaxl(x, 0) + log1pl(expl(-fabsl(x))))
  IS(erf, erfl(x)) IS(erfc, erfcl(x)) IS(pow, powl(x, y)) IS(xlogy, x == 0 && !isnan(y) ? 0 : x * logl(y))
  IS(rem, remainder_of((double)x, (double)y))
  abort();
}
static double units(double value, long double true_value) {
  const double nearest = (double)true_value;
  if (isnan(nearest) || isinf(nearest)) return isnan(nearest) ? (isnan(value) ? 0 : INFINITY) : value == nearest ? 0 : INFINITY;
  if (true_value == 0) return value == 0 && !signbit(value) == !signbit(nearest) ? 0 : INFINITY;
  /* What is below the smallest normal number is 0, a result as well as a step on the way to it. */
  if (fabsl(value - true_value) <= 0x1p-1022L) return 0;
  int exponent;
  frexpl(true_value, &exponent);
  const double error = (double)(fabsl(value - true_value) / ldexpl(1, exponent < -1021 ? -1074 : exponent - 53));
  return isnan(error) ? INFINITY : error;
}
int main(int count, char **args) {
  double point[3], worst[3] = {0}, most = 0;
  while (fread(point, sizeof point, 1, stdin) == 1) {
    const double error = units(point[2], truth(args[1], point[0], point[1]));
    if (error > most) most = error, memcpy(worst, point, sizeof point);
  }
  printf("%.3f %a %a %a", most, worst[0], worst[1], worst[2]);
  return 0;
}
"#;

/// Random numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn sign(&mut self) -> f64 {
        if self.unit() < 0.5 { -1.0 } else { 1.0 }
    }

    /// A number of any size up to the largest, half of them of about its size.
    fn sized(&mut self, largest: f64) -> f64 {
        let unit = self.unit();
        self.sign()
            * if self.sign() > 0.0 { unit * largest } else { largest * (unit * -60.0).exp2() }
    }

    /// A number and a divisor: quotients of all sizes, and many next to whole ones.
    fn divided(&mut self) -> (f64, f64) {
        let y = self.sign() * (self.unit() * 100.0 - 50.0).exp2();
        let times = self.sign() * (self.unit() * 56.0).exp2().floor();
        let x = match (self.unit() * 6.0) as u32 {
            0 => times * y,
            1 => (times * y).next_up(),
            2 => (times * y).next_down(),
            3 => self.sized(1e300),
            _ => times * y * self.unit(),
        };
        (x, y)
    }

    /// A base and an exponent whose power is a number in general.
    fn power(&mut self) -> (f64, f64) {
        let base = match (self.unit() * 4.0) as u32 {
            0 => (2000.0 * self.unit() - 1000.0).exp2(),
            1 => 1.0 + (self.unit() - 0.5) * (self.unit() * -50.0).exp2(),
            2 => return (-100.0 * self.unit(), (self.unit() * 100.0 - 50.0).floor()),
            _ => self.unit() * 10.0,
        };
        let most = 745.0 / base.ln().abs().max(1e-15);
        (base, (self.unit() * 2.0 - 1.0) * most)
    }
}

const SPECIAL: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-300,
    1e300,
    -1e300,
    1.000_000_000_000_000_2,
    0.999_999_999_999_999_9,
    -1.000_000_000_000_000_2,
    2.0,
    -2.0,
    3.0,
    -3.0,
    2.5,
    22.0,
    262_144.0,
    262_144.1,
    1e22,
    709.8,
    710.4,
    -745.2,
    std::f64::consts::FRAC_PI_2,
    1024.0,
    -1074.0,
    4_503_599_627_370_497.0,
    -4_503_599_627_370_497.0,
    9_007_199_254_740_991.0,
    -9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
];

/// The points of a function.
fn points(index: usize, count: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let Some((_, largest)) = UNARY.get(index) else {
        let is_remainder = BINARY[index - UNARY.len()] == REMAINDER;
        // A remainder jumps at 0, which is what a quotient of such a number is.
        let special = SPECIAL.iter().filter(|x| !(is_remainder && x.is_subnormal()));
        let pairs = special.flat_map(|x| SPECIAL.iter().map(|y| (*x, *y)));
        let more = (0..count).map(|_| if is_remainder { random.divided() } else { random.power() });
        return pairs.chain(more).unzip();
    };
    let xs = (0..count).map(|_| random.sized(*largest));
    let xs: Vec<f64> = SPECIAL.iter().copied().chain(xs).collect();
    (xs.clone(), xs)
}

fn names() -> impl Iterator<Item = &'static str> {
    UNARY.iter().map(|(name, _)| *name).chain(BINARY.iter().copied())
}

/// A program with a root for each of the functions, at all elements of arrays.
fn program() -> Program {
    let mut text = String::new();
    for (at, name) in names().enumerate() {
        let args = if at < UNARY.len() { "e.5" } else { "e.5, e.6" };
        text.push_str(&format!(
            "fn @main{at}.{at}(x.0: []f64, y.1: []f64) -> []f64 {{\n  n.2: i64 = dim(x.0, 0)\n  \
             array.3: []f64 = for i.4 < n.2 {{\n    e.5: f64 = x.0[i.4]\n    e.6: f64 = y.1[i.4]\n    \
             t.7: f64 = {name}({args})\n    collect t.7\n  }}\n  yield array.3\n}}\n"
        ));
    }
    pullback_ir::parse(&text, FileId(0)).expect("a program")
}

/// How many functions are compiled together, so that their text is short enough for all that the compiler has.
const TOGETHER: usize = 4;

/// The native code of the functions, a few in each.
fn natives(program: &mut Program, level: Level) -> Vec<Native> {
    let roots: Vec<_> = program.funcs.ids().collect();
    let facts = Facts::of(program);
    let native = |roots| Native::new(program, roots, &facts, level, Fp::Fast).expect("native code");
    roots.chunks(TOGETHER).map(native).collect()
}

/// The values of a function at points.
fn values(natives: &[Native], program: &Program, root: usize, xs: &[f64], ys: &[f64]) -> Vec<f64> {
    let (native, root) = (&natives[root / TOGETHER], root % TOGETHER);
    let limits =
        Limits { max_memory: 1 << 30, timeout: None, since: None, tell: |_| {}, progress: None };
    let args = [Value::reals(xs.to_vec()), Value::reals(ys.to_vec())];
    let results = native.call(program, root, &args, &limits).expect("a result");
    let Some(Value::Array(array)) = results.first() else { panic!("an array") };
    array.reals().expect("Reals").to_vec()
}

#[test]
fn functions_on_lanes_are_accurate() {
    let count =
        std::env::var("POINTS").ok().map_or(POINTS, |count| count.parse().expect("a number"));
    let folder = std::env::temp_dir().join(format!("pullback_lanes_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, oracle) = (folder.join("oracle.c"), folder.join("oracle"));
    std::fs::write(&source, ORACLE).expect("a file");
    let compile = Command::new(compiler().expect("a C compiler"))
        .args(["-O1", "-fno-builtin", "-o"])
        .args([&oracle, &source])
        .arg("-lm")
        .status();
    assert!(compile.expect("the compiler").success(), "the oracle compiles");
    let mut program = program();
    let mut wrong = vec![];
    // Where this machine has more, AVX2 is a way of its own.
    #[cfg(target_arch = "x86_64")]
    let is_wide = is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let is_wide = false;
    let narrow = is_wide.then_some(Level::V3);
    for level in [Level::Fast, Level::Large, Level::Portable].into_iter().chain(narrow) {
        let natives = natives(&mut program, level);
        for (root, name) in names().enumerate() {
            let (xs, ys) = points(root, count);
            let results = values(&natives, &program, root, &xs, &ys);
            let points = xs.iter().zip(&ys).zip(&results);
            let bytes: Vec<u8> = points
                .flat_map(|((x, y), value)| [*x, *y, *value])
                .flat_map(f64::to_ne_bytes)
                .collect();
            let mut child = Command::new(&oracle)
                .arg(name)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("the oracle");
            child.stdin.take().expect("a pipe").write_all(&bytes).expect("a reader");
            let output = child.wait_with_output().expect("an answer").stdout;
            let told = String::from_utf8(output).expect("text");
            let worst: f64 =
                told.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
            let most = if name == REMAINDER { 0.0 } else { 2.0 };
            if worst.is_nan() || worst > most {
                wrong.push(format!("{name} at {level:?}: {told}"));
            }
            println!("{name} at {level:?}: {told}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("to leave nothing");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The bits of a number, of which all NaN are one.
fn bit(x: &f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// A program whose roots give, at each element of an array, one function, another one, and a row of both. The first is
/// computed twice, so that one of its results is in no pair.
fn pair_program(pair: [&str; 2]) -> Program {
    let mut text = String::new();
    for (at, [first, second]) in [[pair[0]; 2], [pair[1]; 2], pair].into_iter().enumerate() {
        text.push_str(&format!(
            "fn @main{at}.{at}(x.0: []f64, y.1: []f64) -> []f64 {{\n  n.2: i64 = dim(x.0, 0)\n  \
             f.3: []f64, g.4: []f64 = for i.5 < n.2 {{\n    e.6: f64 = x.0[i.5]\n    \
             t.7: f64 = {first}(e.6)\n    u.8: f64 = {second}(e.6)\n    w.10: f64 = {first}(e.6)\n    \
             v.11: f64 = max(t.7, w.10)\n    collect v.11, u.8\n  }}\n  \
             both.9: []f64 = concat(f.3, g.4)\n  yield both.9\n}}\n"
        ));
    }
    pullback_ir::parse(&text, FileId(0)).expect("a program")
}

#[test]
fn functions_of_one_call_are_what_each_gives_alone() {
    for pair in [["tanh", "sech2"], ["sech2", "tanh"], ["sin", "cos"], ["cos", "sin"]] {
        let mut program = pair_program(pair);
        let roots: Vec<_> = program.funcs.ids().collect();
        let facts = Facts::of(&mut program);
        let code = emit(&program, &roots[2..], &facts, Fp::Fast).expect("a text");
        let both = if pair.contains(&"sin") { "pb_v_SinCos(" } else { "pb_v_TanhSech2(" };
        assert!(code.own().contains(both), "{}", code.own());
        let index = |name| UNARY.iter().position(|(other, _)| *other == name).expect("a function");
        let (xs, ys) = points(index(pair[0]), 1_000);
        for level in [Level::Fast, Level::Large, Level::Portable] {
            let natives = natives(&mut program, level);
            let [first, second, both] =
                [0, 1, 2].map(|root| values(&natives, &program, root, &xs, &ys));
            let wanted = first[..xs.len()].iter().chain(&second[xs.len()..]);
            for (at, (value, wanted)) in both.iter().zip(wanted).enumerate() {
                assert_eq!(bit(value), bit(wanted), "{pair:?} at {} {level:?}", xs[at % xs.len()]);
            }
        }
    }
}

#[test]
fn a_value_hangs_on_no_lane() {
    let mut program = program();
    let natives = natives(&mut program, Level::Fast);
    for (root, name) in names().enumerate() {
        let (xs, ys) = points(root, 100);
        let all = values(&natives, &program, root, &xs, &ys);
        for first in 1..20 {
            for last in [xs.len(), xs.len() - first, first + 8] {
                let part = values(&natives, &program, root, &xs[first..last], &ys[first..last]);
                let bits = |xs: &[f64]| xs.iter().map(bit).collect::<Vec<_>>();
                assert_eq!(bits(&part), bits(&all[first..last]), "{name} from {first} to {last}");
            }
        }
    }
}

#[test]
fn a_long_kernel_ends_at_its_limit() {
    for body in [
        "t.4: f64 = real(i.2)\n    t.5: f64 = add(s.3, t.4)\n    yield t.5",
        // Every step waits for the one before.
        "t.4: f64 = mul(s.3, 0.5)\n    t.5: f64 = add(t.4, 1.0)\n    yield t.5",
    ] {
        let text = format!(
            "fn @main.0(n.0: i64) -> f64 {{\n  r.1: f64 = for i.2 < n.0 with s.3: f64 = 0.0 {{\n    \
             {body}\n  }}\n  yield r.1\n}}\n"
        );
        let mut program = pullback_ir::parse(&text, FileId(0)).expect("a program");
        let roots: Vec<_> = program.funcs.ids().collect();
        let facts = Facts::of(&mut program);
        let native = Native::new(&program, &roots, &facts, Level::Quick, Fp::Fast).expect("code");
        let timeout = Some(std::time::Duration::from_millis(50));
        let limits =
            Limits { max_memory: 1 << 30, timeout, since: None, tell: |_| {}, progress: None };
        let result = native.call(&program, 0, &[Value::Int(1 << 60)], &limits);
        assert_eq!(result.err().map(|problem| problem.code), Some("E0711"));
    }
}
