//! Laws of the compiler's derivatives, on applications in the expectations of the tests and examples: those of which a
//! table here speaks, and one in four of the others. Where `ALL` is set, as by `cargo xtask laws`, on every one.
//!
//! - Adjoint: `⟨u, J v⟩ = ⟨Jᵀ u, v⟩`, to 1e-12 of the terms of the two pairings.
//! - Rounded: the same, to 1e-12 of the terms or of the directions, and what the steps of a long run round. It holds
//!   where the first cannot: after a million steps, and where the derivative is 0 but for rounding.
//! - Operations, weighed as the primitive table says: `jvp` at most 3 times those of the function, `vjp` 5 times.
//! - Memory: what `vjp` holds at its peak, beyond what the function holds, is at most so many bytes for each of its
//!   operations, calls and iterations.
//! - Code: the optimised derivative has at most 10 times the statements of the function, and that of order `k` 10
//!   times those of order `k - 1`, to order 3.

use std::collections::BTreeSet;

use pullback_compile::{
    Answer, Form, LOWER, Mode, Plan, Seen, compile, counted, finished, simplified,
};
use pullback_eval::{Options, Value, walk};
use pullback_ir::eval::Counts;
use pullback_ir::{FuncId, trimmed};
use pullback_lambda::{DefId, Program};
use pullback_session::Settings;
use pullback_suite::{Case, Cases, Random, corpus, deep, on_all_processors};
use pullback_tools::function;

/// How far the two pairings may be from each other, beside their size.
const TOLERANCE: f64 = 1e-12;
/// Functions of a few operations may take this many more.
const SLACK: u64 = 10;
/// How many bytes for each operation, call and iteration, and for how many more.
const BYTES: u64 = 200;
const MORE: u64 = 200;
/// How many times the code of one order that of the next may have, and how many statements more.
const GROWTH: usize = 10;
const STATEMENTS: usize = 20;
/// To which order code is looked at.
const ORDERS: usize = 3;
/// Of how many statements no further derivative is made.
const LARGEST: usize = 5_000;

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Law {
    Adjoint,
    Rounded,
    Forward,
    Reverse,
    Memory,
    Code,
}

/// What breaks a law: all functions of a file, if none is named, and the reason.
type Leave = (Law, &'static str, &'static str, &'static str);

/// A rule of a user's costs what it costs, and need not be linear.
const RULE: &str = "a rule of its own";
const CLIPS: &str = "the rule clips its cotangent: it is not linear";
const QUOTIENT: &str = "a quotient of differences: rounding is divided by 2e-5";
/// The two modes go through them in opposite orders.
const LONG: &str = "a million factors or more, each rounded";
/// An optimum, a root found by Newton's method, or a difference of what is equal.
const VANISHES: &str = "the derivative is 0 but for rounding";
/// Two products and their sum, beside the product.
const PRODUCTS: &str = "products alone: with its tangent each takes four operations";
/// Of two checkpoints inside each other the inner runs its part a second time in the second run of the outer.
const AGAIN: &str = "checkpoints inside each other: the innermost steps run three times";
/// Ten steps, whose derivative saves so little that it is written out.
const WRITTEN: &str = "a short loop, and its derivative without one";
/// What solves an equation, or is differentiated as another function, which a run of the value does without.
const ELSE: &str = "its derivatives are those of another function, and cost what that costs";

const LEAVES: &[Leave] = &[
    (Law::Forward, "tests/ad/differentiated_as.pull", "", ELSE),
    (Law::Reverse, "tests/ad/differentiated_as.pull", "", ELSE),
    (Law::Forward, "examples/implicit_layer.pull", "(\\p -> (layer p)[0])", ELSE),
    (Law::Code, "examples/implicit_layer.pull", "", ELSE),
    (Law::Code, "examples/programs/logistic_regression.pull", "fit", ELSE),
    (Law::Code, "examples/programs/options.pull", "implied", ELSE),
    (Law::Adjoint, "tests/ad/clipping.pull", "", CLIPS),
    (Law::Adjoint, "tests/ad/clipping_refused.pull", "", CLIPS),
    (Law::Rounded, "tests/ad/clipping.pull", "", CLIPS),
    (Law::Rounded, "tests/ad/clipping_refused.pull", "", CLIPS),
    (Law::Forward, "tests/ad/clipping.pull", "", RULE),
    (Law::Reverse, "tests/ad/clipping.pull", "", RULE),
    (Law::Code, "tests/ad/clipping.pull", "", RULE),
    (
        Law::Reverse,
        "tests/ad/equal_values.pull",
        "(\\t -> (la.eigen (with_zeros t)).1[0, 2])",
        RULE,
    ),
    (Law::Forward, "tests/ad/deep_orders.pull", "(grad (grad (grad (grad (grad g)))))", PRODUCTS),
    (Law::Forward, "tests/ad/equal_values.pull", "(beside (la.matrix_function exp))", RULE),
    (Law::Reverse, "tests/ad/equal_values.pull", "(beside (la.matrix_function exp))", RULE),
    (Law::Reverse, "tests/ad/equal_values.pull", "(beside (la.matrix_function id))", RULE),
    (Law::Forward, "tests/ad/equal_values.pull", "(beside la.logm)", RULE),
    (Law::Reverse, "tests/ad/equal_values.pull", "(beside la.logm)", RULE),
    (Law::Forward, "tests/ad/spectral_second.pull", "map", RULE),
    (Law::Forward, "examples/programs/options.pull", "implied", RULE),
    (Law::Forward, "tests/run/absent_values.pull", "seconds", RULE),
    (Law::Forward, "tests/run/sparse_solves.pull", "sparse.solve", RULE),
    (Law::Forward, "tests/run/sparse_solves.pull", "sparse.solve_rows", RULE),
    (Law::Forward, "tests/run/einsum_recorded.pull", "(einsum \"jkZ,j ,Z k,->Z kj\")", PRODUCTS),
    (Law::Adjoint, "examples/cookbook/checking.pull", "difference", QUOTIENT),
    (Law::Rounded, "examples/cookbook/checking.pull", "difference", QUOTIENT),
    (Law::Adjoint, "examples/cookbook/checking.pull", "gap", VANISHES),
    (Law::Adjoint, "examples/logistic.pull", "standardise", VANISHES),
    (Law::Adjoint, "examples/newton.pull", "iterate", VANISHES),
    (Law::Adjoint, "examples/newton.pull", "root", VANISHES),
    (Law::Adjoint, "examples/programs/hidden_markov.pull", "surprise", VANISHES),
    (
        Law::Adjoint,
        "examples/programs/variational.pull",
        "(bound simple [[0.3], [1.0], [-2.0]])",
        VANISHES,
    ),
    (Law::Adjoint, "examples/programs/variational.pull", "bound", VANISHES),
    (Law::Adjoint, "tests/ad/depth.pull", "geometric", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "long_composition", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "long_list", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "long_power", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "sum_calls", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "tail_power", LONG),
    (Law::Adjoint, "tests/ad/depth.pull", "while_power", LONG),
    (Law::Forward, "examples/programs/gaussian_process.pull", "", RULE),
    (Law::Forward, "tests/ad/depth.pull", "long_power", PRODUCTS),
    (Law::Forward, "tests/ad/depth.pull", "turns", PRODUCTS),
    (Law::Forward, "tests/ad/depth.pull", "while_power", PRODUCTS),
    (Law::Forward, "tests/ad/depth.pull", "whiles", PRODUCTS),
    (Law::Reverse, "tests/ad/checkpoints.pull", "(again 2)", AGAIN),
    (Law::Reverse, "tests/ad/checkpoints.pull", "(nested 5)", AGAIN),
    (Law::Reverse, "tests/ad/checkpoints.pull", "(power 5)", AGAIN),
    (Law::Code, "examples/programs/interpreter.pull", "(run heron)", WRITTEN),
];

/// What has no derivative to ask for: the code of the error, all functions of a file, or of all files, if none is
/// named, and the reason.
const UNASKED: &[(&str, &str, &str, &str)] = &[
    ("E0811", "", "", "there are no Reals in its argument, or none in its result"),
    ("E0708", "tests/ad/rules_nested.pull", "quarrel", "its rule stops when it is asked"),
    ("E0708", "tests/ad/not_differentiated.pull", "shown", "what is differentiated has no value"),
    ("E0717", "examples/papers/nested.pull", "own", COUNTED),
    ("E0717", "tests/ad/counted_towers.pull", "", COUNTED),
    ("E0717", "tests/ad/high_towers.pull", "slopes", COUNTED),
    ("E0717", "tests/ad/recursion.pull", "", COUNTED),
    ("E0717", "tests/ad/towers.pull", "iterate", COUNTED),
    ("E0717", "tests/run/every_feature.pull", "self", COUNTED),
];

/// With the arguments in the text these are known, and so the laws are checked where they are part of the function.
const COUNTED: &str = "its arguments say how many derivatives are inside each other";

/// Whether a row of a list is about a function of a file.
fn is_about(row: (&str, &str), file: &Cases, case: &Case) -> bool {
    (row.0.is_empty() || row.0 == file.name) && (row.1.is_empty() || row.1 == case.function)
}

/// A function at a point, on the compiler.
struct Asked {
    program: Program,
    def: DefId,
    argument: Value,
}

/// What a run gave, and how many statements its code has.
type Ran = (Answer, Counts, usize);

impl Asked {
    fn run(&self, mode: &Mode) -> Result<Ran, &'static str> {
        let mut size = 0;
        let mut observe = |seen: Seen<'_>| {
            if let Seen::Stage("opt", Form::Code(code, roots)) = seen {
                size = statements(code, roots);
            }
        };
        let mut plan = Plan { observe: Some(&mut observe), ..Plan::of(&self.program) };
        let (argument, options) = (self.argument.clone(), Options::default());
        let ran = counted(&self.program, self.def, argument, mode, &options, &mut plan);
        let (answer, counts) = ran.map_err(|fault| fault.code)?;
        Ok((answer, counts, size))
    }

    /// How many statements the derivatives in reverse mode have, by order: as they are before the next is made of them,
    /// or as they are in the end, which is less and takes longer to find.
    fn orders(&self, in_the_end: bool) -> Vec<usize> {
        let mut plan = Plan { stop_after: Some(LOWER.name), ..Plan::of(&self.program) };
        let Ok(Some(lowered)) = compile(&self.program, &[self.def], &mut plan) else {
            return vec![];
        };
        let plan = Plan::of(&self.program);
        let mut roots = lowered.roots;
        let mut code = simplified(lowered.program, &mut roots, &plan);
        let mut orders = vec![];
        for _ in 0..ORDERS {
            // There may be no end to the derivatives of the next order.
            let mut between = |code, roots: &mut [FuncId]| simplified(code, roots, &plan);
            let Ok((next, root)) = pullback_ad::vjp(code, roots[0], &mut between) else { break };
            roots = vec![root];
            code = simplified(next, &mut roots, &plan);
            let mut last = roots.clone();
            orders.push(if in_the_end {
                statements(&finished(code.clone(), &mut last, &plan), &last)
            } else {
                statements(&code, &roots)
            });
            // What has grown so large says enough, and the next order takes its time.
            if orders.last().is_some_and(|size| *size > LARGEST) {
                break;
            }
        }
        orders
    }
}

fn statements(code: &pullback_ir::Program, roots: &[FuncId]) -> usize {
    trimmed(code, roots).0.size()
}

fn reals(value: &Value) -> Vec<f64> {
    let leaves = walk::real_leaves(value).expect("data");
    leaves.iter().map(|leaf| leaf.as_real().expect("a Real")).collect()
}

/// A random tangent of a value, and its Reals.
fn direction(random: &mut Random, value: &Value) -> (Value, Vec<f64>) {
    let components: Vec<f64> = reals(value).iter().map(|_| random.number()).collect();
    let leaves: Vec<Value> = components.iter().map(|x| Value::Real(*x)).collect();
    (walk::tangent_of(value, leaves).expect("data"), components)
}

/// The pairing of two vectors, and the sum of its terms without their signs.
fn pairing(a: &[f64], b: &[f64]) -> (f64, f64) {
    assert_eq!(a.len(), b.len());
    let terms = || a.iter().zip(b).map(|(x, y)| x * y);
    (terms().sum(), terms().map(f64::abs).sum())
}

/// The laws that a function breaks, each with the numbers, or the code of the error in which a run ends.
fn breaches(asked: &Asked) -> Result<Vec<(Law, String)>, &'static str> {
    let (primal, counts, size) = asked.run(&Mode::Value)?;
    let mut random = Random(1);
    let (u, u_reals) = direction(&mut random, &primal.value);
    let (v, v_reals) = direction(&mut random, &asked.argument);
    let (forward, forward_counts, forward_size) = asked.run(&Mode::Jvp(v))?;
    let (reverse, reverse_counts, _) = asked.run(&Mode::Vjp(u))?;
    let mut broken = vec![];

    let (y_dot, x_bar) = (reals(&forward.with_derivative().1), reals(&reverse.with_derivative().1));
    let ((left, left_size), (right, right_size)) =
        (pairing(&u_reals, &y_dot), pairing(&x_bar, &v_reals));
    let (terms, gap) = (left_size + right_size, (left - right).abs());
    // Where a derivative is infinite or undefined there is nothing to compare.
    if terms.is_finite() {
        if gap > TOLERANCE * terms {
            broken.push((Law::Adjoint, format!("{left:e} and {right:e} of terms {terms:e}")));
        }
        let norm = |reals: &[f64]| pairing(reals, reals).0.sqrt();
        let scale = terms + norm(&u_reals) * norm(&v_reals);
        let rounding = forward_counts.steps as f64 * f64::EPSILON;
        if gap > (TOLERANCE + rounding) * scale {
            broken.push((Law::Rounded, format!("{left:e} and {right:e} of {scale:e}")));
        }
    }

    let weight = counts.weight();
    if forward_counts.weight() > 3 * weight + SLACK {
        broken.push((Law::Forward, format!("{} for {weight}", forward_counts.weight())));
    }
    // Where an argument is returned many times over, its cotangents are added up.
    if reverse_counts.weight() > 5 * weight + SLACK + u_reals.len() as u64 {
        broken.push((Law::Reverse, format!("{} for {weight}", reverse_counts.weight())));
    }

    let beyond = reverse_counts.peak.saturating_sub(counts.peak);
    let work = weight + counts.steps;
    if beyond > BYTES * (work + MORE) {
        broken.push((Law::Memory, format!("{beyond} bytes for {work}")));
    }

    let grows = |(before, after): (&usize, &usize)| *after > GROWTH * before + STATEMENTS;
    let grow = |orders: &[usize]| std::iter::once(&size).chain(orders).zip(orders).any(grows);
    if grows((&size, &forward_size)) || grow(&asked.orders(false)) && grow(&asked.orders(true)) {
        broken.push((Law::Code, format!("{forward_size}, {:?} for {size}", asked.orders(true))));
    }
    Ok(broken)
}

/// The function of a case, or the code of the reason why it has no derivative.
fn asked(file: &Cases, case: &Case) -> Result<Asked, &'static str> {
    let settings = Settings { engine: Some("ir".to_owned()), ..Settings::default() };
    file.with(case, settings, |query, call| match function(query, call) {
        Ok((program, def, argument)) => Ok(Asked { program, def, argument }),
        Err(_) => Err(query.diagnostics[0].code),
    })
}

/// What asking the cases of a file found.
#[derive(Default)]
struct Found {
    count: usize,
    broken: Vec<String>,
    /// The rows of [`LEAVES`] and of [`UNASKED`] that it needs.
    used: BTreeSet<usize>,
    unasked: BTreeSet<usize>,
}

/// Whether a row of a table speaks of a case.
fn is_named(file: &Cases, case: &Case) -> bool {
    let speaks = |name: &str, function| !name.is_empty() && is_about((name, function), file, case);
    LEAVES.iter().any(|(_, name, function, _)| speaks(name, function))
        || UNASKED.iter().any(|(_, name, function, _)| speaks(name, function))
}

fn ask(file: &Cases) -> Found {
    let mut found = Found::default();
    for case in file.part(|case| is_named(file, case)) {
        let told = |what: &str| format!("{}: {case:?}: {what}", file.name);
        match asked(file, case).and_then(|asked| breaches(&asked)) {
            Ok(laws) => {
                found.count += 1;
                for (law, numbers) in laws {
                    let leave = LEAVES.iter().position(|(known, name, function, _)| {
                        *known == law && is_about((name, function), file, case)
                    });
                    match leave {
                        Some(leave) => drop(found.used.insert(leave)),
                        None => found.broken.push(told(&format!("{law:?}: {numbers}"))),
                    }
                }
            }
            Err(code) => {
                let row = UNASKED.iter().position(|(known, name, function, _)| {
                    *known == code && is_about((name, function), file, case)
                });
                match row {
                    Some(row) => drop(found.unasked.insert(row)),
                    None => found.broken.push(told(code)),
                }
            }
        }
    }
    found
}

/// The laws hold for the cases of a folder, of which there are so many at least.
fn hold(folder: &str, least: usize) {
    let files = corpus(&[folder], "pull");
    let found = on_all_processors(&files, |path| {
        deep(|| ask(&Cases::read(path.clone()))).expect("no panic")
    });
    let count: usize = found.iter().map(|found| found.count).sum();
    let mut broken: Vec<String> = found.iter().flat_map(|found| found.broken.clone()).collect();
    // Whatever needs no leave has none.
    for (index, (law, file, function, _)) in LEAVES.iter().enumerate() {
        if file.starts_with(folder) && !found.iter().any(|found| found.used.contains(&index)) {
            broken.push(format!("{file}: {function} keeps the law {law:?}; its leave can go"));
        }
    }
    for (index, (code, file, function, _)) in UNASKED.iter().enumerate() {
        if file.starts_with(folder) && !found.iter().any(|found| found.unasked.contains(&index)) {
            broken.push(format!("{file}: {function} is not refused with {code}"));
        }
    }
    assert!(broken.is_empty(), "{} of {count}:\n{}", broken.len(), broken.join("\n"));
    assert!(count >= Cases::least(least), "only {count} cases");
}

#[test]
fn the_laws_hold_on_the_examples() {
    hold("examples", 240);
}

#[test]
fn the_laws_hold_on_the_tests_of_derivatives() {
    hold("tests/ad", 1200);
}

#[test]
fn the_laws_hold_on_the_tests_of_the_language() {
    hold("tests/run", 380);
}
