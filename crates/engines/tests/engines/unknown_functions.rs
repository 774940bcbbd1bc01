//! Derivatives of functions that only the run knows, and of a function within itself, by every engine that transforms
//! programs; beside closed forms.

use pullback_engines::{How, evaluate, modes};
use pullback_eval::Options;

use crate::support::source::source;

const TEXT: &str = "
type List a = Nil | Cons a (List a)

def from_array (c: Real): [3]Real = [ grad f 1.0 | f <- [sin, \\y -> c * y * y, \\y -> exp (c * y)] ]
def fs = Cons (\\y -> y ^ 3) (Cons (\\y -> 2.0 * y) Nil)
def total (fs: List (Real -> Real)) (x: Real): Real = match fs with
  | Nil -> 0.0
  | Cons f rest -> grad f x + total rest x
def by_capture (c: Real): Real = grad (\\c -> sum (from_array c)) c

def own (x: Real): Real = if x > 2.0 then x * x else x * grad own (x + 2.0)
def local (x: Real): Real = let rec f y = if y > 2.0 then y * y else y * grad f (y + 2.0) in f x

def kept (x: Real): Real =
  let pulls = [ (vjp f x).1 | f <- [sin, \\y -> y * y] ] in sum [ pull 3.0 | pull <- pulls ]
def ruled (c: Real): [2](Real -> Real) =
  [\\y -> custom_vjp (\\y -> c * y) (\\y -> (c * y, \\dy -> 7.0 * dy)) y, \\y -> y]

def a = sum (from_array 2.0)
def b = total fs 2.0
def c = by_capture 2.0
def d = own 1.0
def e = grad own 1.0
def f = grad own (-1.0)
def g = (jvp local 1.0 1.0).1
def h = kept 0.0
def i = sum [ grad f 1.0 | f <- ruled 2.0 ]
";

#[test]
fn functions_that_only_the_run_knows_have_derivatives() {
    let e2 = 2.0_f64.exp();
    let wanted = [
        1.0_f64.cos() + 4.0 + 2.0 * e2,
        14.0,
        // d/dc (cos 1 + 2 c + c exp c)
        2.0 + 3.0 * e2,
        6.0,
        8.0,
        4.0,
        8.0,
        3.0,
        8.0,
    ];
    let (program, defs) = source(TEXT, &["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    for engine in modes().filter(|engine| matches!(engine.how, How::Transform { .. })) {
        for (def, wanted) in defs.iter().zip(wanted) {
            let name = program.defs[*def].name.clone();
            // `delta2` evaluates trees again and again, `curry-list` functions.
            let small =
                ["delta2", "curry-list"].contains(&engine.name) && (name == "f" || name == "g");
            match evaluate(engine, &program, *def, &Options::default()) {
                Ok(value) => {
                    let value = value.as_real().unwrap();
                    let near = (value - wanted).abs() <= 1e-12 * (1.0 + wanted.abs());
                    assert!(near, "{} {name}: {value}, not {wanted}", engine.name);
                }
                Err(problem) => assert!(small, "{} {name}: {problem:?}", engine.name),
            }
        }
    }
}
