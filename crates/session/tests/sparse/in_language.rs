//! Patterns that a program finds: the routine that reads them off code gives what the text gives, which looks at
//! answers to directions of NaN.

use pullback_compile::{Back, Compiled, evaluate};
use pullback_engine::BUILT_IN;
use pullback_eval::{Options, Value};
use pullback_lambda::Program;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Memory, Query, on_large_stack};

use super::indices::{Choices, program};

/// Functions about which code says all, and then those of which data decides something, each with what it is called.
const TOLD: [&str; 14] = [
    "[ (if i > 0 then x[i - 1] else 0.0) * x[i] + (if i < n - 1 then sin x[i + 1] else 0.0) | i < n ]",
    "[ if i == 0 then sum (map exp x) else x[0] * real i | i < n ]",
    "[ if i == 0 then sum (x * x) else real i * x[0] + x[i] ^ 3 | i < n ]",
    "scan (\\a b -> a + b) 0.0 x",
    "[ sum [ x[j] * x[j] | j < i ] | i < n ]",
    "[ x[(i + 1) % n] - x[(i + n - 1) % n] | i < n ]",
    "[ sum [ c * x[i + k] * real k | k < 4 ] | i < max 0 (n - 3) ]",
    "[ floor x[i] + abs x[0] | i < n ]",
    "concat x[1:n] (concat [ a * a | a <- x ] [x[0] * x[n - 1]])",
    "[ x[order[min i 3]] * x[i] | i < n ]",
    "[ if c > 2.0 then x[i] else x[n - 1 - i] * c | i < n ]",
    "[ a * 0.0 | a <- x ]",
    "[ 1.0 | _ < n ]",
    "loop u = x for _ < 3 do [ u[i] + 0.1 * u[max 0 (i - 1)] | i < n ]",
];
const DECIDED: [&str; 6] = [
    "sort x",
    "[ max a x[0] | a <- x ]",
    "[ if a > 3.0 then a * x[0] else a | a <- x ]",
    "[ loop y = 1.0 while abs (y * y - a) > 1e-12 do 0.5 * (y + a / y) | a <- x ]",
    "[ sqrt (a - 3.0) * x[0] | a <- x ]",
    "[ 1.0 / (a - 1.0) + x[1] | a <- x ]",
];

/// The plan for a function with the routine, without it, and by native code if that is to be; and whether the routine was
/// worth it.
fn plans(text: &str, of: &str, size: usize, is_native: bool) -> ([Value; 3], bool) {
    let text = format!(
        "import \"sparse\" as sparse\n{text}\
         def main: sparse.Plan = sparse.{of}_plan (\\x -> f 1.5 [3, 1, 0, 2] x) \
         [ 1.0 + 0.1 * real i | i < {size} ]\n"
    );
    let files = Memory::default().with("a.pull", text.as_bytes());
    let mut query = Query::new(&files, BUILT_IN);
    let modules = load(&mut query, "a.pull".as_ref()).expect("the file is there");
    let inferred = typed(&mut query, &modules);
    let (id, _) = inferred.global("main").unwrap_or_else(|| panic!("{:?}", query.diagnostics));
    let Ok((program, defs)) = inferred.program(&mut query, &[id]) else {
        panic!("{text}{:?}", query.diagnostics)
    };
    let plain = Program { routines: Default::default(), ..program.clone() };
    let options = Options::default();
    let run = |program: &Program| {
        let code = Compiled::of_value(program, defs[0], &options).expect("code");
        code.call(&[], &options).unwrap_or_else(|fault| panic!("{text}{fault:?}"))
    };
    let ((told, counts), (probed, others)) = (run(&program), run(&plain));
    let native = if is_native {
        evaluate(&program, defs[0], &options, Back::Native).expect("a plan")
    } else {
        told.clone()
    };
    // The text collects the answers to its directions.
    ([told, probed, native], 2 * counts.moved < others.moved)
}

fn same([told, probed, native]: &[Value; 3], text: &str) {
    assert_eq!(format!("{told:?}"), format!("{probed:?}"), "{text}");
    assert_eq!(format!("{told:?}"), format!("{native:?}"), "{text}");
}

#[test]
fn plans_are_those_of_the_text() {
    on_large_stack(|| {
        for (functions, is_told) in [(&TOLD[..], true), (&DECIDED, false)] {
            for (at, function) in functions.iter().enumerate() {
                let is_native = is_told && [0, 6].contains(&at);
                let text = format!(
                    "def f (c: Real) (order: []Int) (x: []Real): []Real = let n = size x in {function}\n"
                );
                for size in [5, 31, 37, 64] {
                    let is_native = is_native && size == 37;
                    let (plans, was_told) = plans(&text, "jacobian", size, is_native);
                    same(&plans, &text);
                    assert_eq!(was_told, is_told && size > 31, "{size} {text}");
                }
                let text = format!(
                    "def f (c: Real) (order: []Int) (x: []Real): Real =\n  let n = size x in sum [ sin a | a <- {function} ]\n"
                );
                for size in [31, 33] {
                    same(&plans(&text, "hessian", size, is_native && size == 33).0, &text);
                }
            }
        }
    });
}

#[test]
fn plans_of_programs_about_indices_are_those_of_the_text() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    on_large_stack(|| {
        let mut told = 0;
        for seed in 0..count {
            let mut choices = Choices::of(seed);
            let (text, is_real) = program(&mut choices);
            let text = text.replace("[n] (x:", "[n] (_: Real) (_: []Int) (x:");
            let of = if is_real { "hessian" } else { "jacobian" };
            let (plans, was_told) = plans(&text, of, 33 + choices.below(6), seed == 1);
            same(&plans, &text);
            told += u64::from(was_told);
        }
        assert!(told > count / 3, "{told} of {count} by the routine");
    });
}
