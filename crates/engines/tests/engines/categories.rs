//! Compiling through categories: CL keeps the meaning, its types are checked, and the two halves have their types
//! and costs. Their derivatives are compared with the oracle's on `tests/forms`.

use crate::linear_maps_forms::wrap;
use crate::support::source::{Form, forms, source};
use pullback_compile::Mode;
use pullback_engines::categories::{self, check, convert, custom, meaning, print};
use pullback_engines::{EngineInfo, engine_named, run, trace_engine};
use pullback_eval::{Machine, NoEngine, Options, Value, compile};
use pullback_lambda::{DefId, Program, Stage, Type, tangent, verify};

fn engine() -> &'static EngineInfo {
    engine_named("categories").expect("an engine")
}

/// The forms of the language, without derivatives inside them. All have halves; here are those whose functions are
/// known before the run, where the others become data first.
fn admitted() -> Vec<Form> {
    let mut forms = forms(|text| !text.starts_with("-- Derivatives inside"));
    let count = forms.len();
    for Form { name, program, def, .. } in &forms {
        assert!(categories::halves(program, *def).is_ok(), "{name}");
    }
    forms.retain(|Form { program, def, .. }| {
        let arrows = custom::prepare(program, *def)
            .and_then(|(work, customs)| convert::convert(&work, &customs, *def, true));
        arrows.is_ok()
    });
    assert!(count > 60 && forms.len() >= count - 4, "{} of {count}", forms.len());
    forms
}

fn sample(text: &str, argument: &str) -> (Program, DefId, Value) {
    let (program, defs) = source(&format!("{text}\ndef argument = {argument}"), &["f", "argument"]);
    let image = compile(&program);
    let mut machine = Machine::new(&image, trace_engine(), Options::default());
    let argument = machine.global(defs[1]).expect("an argument");
    (program, defs[0], argument)
}

/// Unlike `equal`, this tolerates rounding.
fn close(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (a.as_real(), b.as_real()) {
        return (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    }
    if let (Some(a), Some(b)) = (a.as_tuple(), b.as_tuple()) {
        return a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b));
    }
    if let (Some((s, a)), Some((t, b))) = (a.as_data(), b.as_data()) {
        return s == t && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b));
    }
    if let (Some(a), Some(b)) = (a.as_array(), b.as_array()) {
        return a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| close(&a, &b));
    }
    a.as_int() == b.as_int() && a.as_bool() == b.as_bool() && a.as_str() == b.as_str()
}

#[test]
fn converted_programs_are_well_typed_and_mean_the_same() {
    for Form { name: text, program, def: f, points } in admitted() {
        for prune in [false, true] {
            let (mut work, customs) = custom::prepare(&program, f).expect("within the fragment");
            let arrows = convert::convert(&work, &customs, f, prune).expect("within the fragment");
            check::check(&work, &arrows).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert!(!print::print(&work, &arrows).is_empty());
            meaning::replace(&mut work, &arrows);
            verify(&work, Stage::Any).unwrap_or_else(|why| panic!("{text}: {why:?}"));
            let value = |program: &Program, x: &Value| {
                let image = compile(program);
                let mut machine =
                    Machine::new(&image, std::rc::Rc::new(NoEngine), Options::default());
                let function = machine.global(f).expect("a function");
                machine.call(function, vec![x.clone()]).expect("a value")
            };
            for x in &points {
                let (before, after) = (value(&program, x), value(&work, x));
                assert!(close(&before, &after), "{text}: {before:?} {after:?}");
            }
            // Converting what was meant gives an arrow with the same meaning again.
            let again = convert::convert(&work, &customs, f, prune).expect("within the fragment");
            check::check(&work, &again).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
    }
}

#[test]
fn halves_are_well_typed() {
    for Form { name: text, program, def: f, .. } in admitted() {
        let (work, halves, f) = categories::halves(&program, f).expect("within the fragment");
        verify(&work, Stage::Any).unwrap_or_else(|why| panic!("{text}: {why:?}\n{}", work.print()));
        assert!(halves.contains_key(&f));
    }
}

#[test]
fn the_halves_of_what_is_differentiated_have_the_types_of_the_paper() {
    for Form { name: text, program, def: f, .. } in admitted() {
        // The cotangent of a sum may be absent, so it has a type of its own.
        if text.contains("sums.pull") {
            continue;
        }
        let (mut work, halves, f) = categories::halves(&program, f).expect("within the fragment");
        let (from, to) =
            work.defs[f].ty.as_fun().map(|(a, b)| (a.clone(), b.clone())).expect("a function");
        let halves = &halves[&f];
        // `revf$f : S -> (T, X)` and `revr$f : (X, δT) -> δS`
        let pair = Type::tuple(vec![to.clone(), halves.saved.clone()]);
        assert_eq!(work.defs[halves.forward].ty, Type::fun(from.clone(), pair), "{text}");
        let from_dot = tangent(&mut work.datas, &from).expect("first order");
        let to_dot = tangent(&mut work.datas, &to).expect("first order");
        let wanted = Type::fun(Type::tuple(vec![halves.saved.clone(), to_dot]), from_dot);
        assert_eq!(work.defs[halves.reverse].ty, wanted, "{text}");
    }
}

#[test]
fn every_form_is_shown() {
    for Form { name: text, program, def: f, .. } in admitted() {
        for stage in categories::STAGES {
            let shown = (stage.show)(&program, f, None);
            let shown = shown.unwrap_or_else(|fault| panic!("{text}: {}: {fault:?}", stage.name));
            let sign = match stage.name {
                "cl" | "cl-pruned" => "=>",
                "cl-rev" => "X of ",
                "cl-fwd" => "fwd$",
                _ => "def ",
            };
            assert!(shown.contains(sign), "{text}: {}\n{shown}", stage.name);
        }
    }
}

/// A definition of several parameters and the one that takes them as a tuple have two types, and two names.
#[test]
fn halves_are_told_apart_by_their_parameters() {
    let text = "def pow (x: Real) (n: Int): Real = if n == 0 then 1.0 else x * pow x (n - 1)";
    let (mut program, defs) = source(text, &["pow"]);
    let of_tuple = wrap(&mut program, defs[0]);
    let stage = categories::STAGES.iter().find(|stage| stage.name == "cl-rev").expect("a stage");
    let shown = (stage.show)(&program, of_tuple, None).expect("halves");
    let told: Vec<&str> = shown.lines().filter(|line| line.starts_with("X of ")).collect();
    assert_eq!(told, ["X of pow = X pow", "X of pow (x, n) = (X pow,)"], "{shown}");
}

#[test]
fn forward_mode_is_one_pass_however_many_results_there_are() {
    let cost = |n: usize| {
        let text = format!("def f (x: Real) = [ sin (x * real i) | i < {n} ]");
        let (program, f, x) = sample(&text, "1.5");
        let options = Options::default();
        let plain = run(engine(), &program, f, x.clone(), &Mode::Value, &options);
        let jvp = run(engine(), &program, f, x, &Mode::Jvp(Value::Real(1.0)), &options);
        (plain.expect("a value").counts.total(), jvp.expect("a value").counts.total())
    };
    for n in [10, 100, 1000] {
        let (plain, jvp) = cost(n);
        assert!(jvp <= 8 * plain + 20, "{n}: {plain} {jvp}");
    }
}

/// The nodes of the values that a program saves: the size of `X`.
fn saved(text: &str, argument: &str) -> usize {
    let (program, f, x) = sample(text, argument);
    let (work, halves, f) = categories::halves(&program, f).expect("within the fragment");
    let image = compile(&work);
    let mut machine = Machine::new(&image, std::rc::Rc::new(NoEngine), Options::default());
    let forward = machine.global(halves[&f].forward).expect("a function");
    let both = machine.call(forward, vec![x]).expect("a value");
    let mut todo = vec![both.as_tuple().expect("a pair")[1].clone()];
    let mut count = 0;
    while let Some(value) = todo.pop() {
        count += 1;
        if let Some(items) = value.as_tuple() {
            todo.extend(items.iter().cloned());
        } else if let Some((_, items)) = value.as_data() {
            todo.extend(items.iter().cloned());
        } else if let Some(array) = value.as_array() {
            todo.extend(array.iter());
        }
    }
    count
}

#[test]
fn what_is_saved_is_linear_in_the_turns_and_leaves_out_what_is_not_needed() {
    let squares = |n: usize| format!("def f (x: Real) = loop y = x for i < {n} do y * y * 0.5");
    let (ten, twenty, forty) =
        (saved(&squares(10), "1.0"), saved(&squares(20), "1.0"), saved(&squares(40), "1.0"));
    assert_eq!(forty - twenty, 2 * (twenty - ten));
    assert!(forty < 40 * 5, "{forty}");
    // Linear programs save nothing of their turns, however many there are.
    let sums = |n: usize| format!("def f (x: Real) = loop y = x for i < {n} do y + 3.0 * x");
    assert_eq!(saved(&sums(10), "1.0"), saved(&sums(1000), "1.0"));
    assert_eq!(saved("def f (x: Real) = x + x", "1.0"), 1);
}

#[test]
fn reverse_mode_costs_a_constant_times_the_program() {
    let cost = |text: &str, argument: &str| {
        let (program, f, x) = sample(text, argument);
        let options = Options::default();
        let mode = Mode::Vjp(Value::Real(1.0));
        let plain = run(engine(), &program, f, x.clone(), &Mode::Value, &options);
        let plain = plain.expect("a value").counts.total();
        let reverse = run(engine(), &program, f, x, &mode, &options).expect("a value");
        (plain, reverse.counts.total())
    };
    // Chained squarings, and reads of every element of an array in a loop.
    let chain = |n: usize| {
        let lets: String =
            (1..=n).map(|k| format!("let y{k} = y{j} * y{j} in ", j = k - 1)).collect();
        format!("def f (y0: Real) = {lets} y{n}")
    };
    for n in [5, 20, 60] {
        let (plain, reverse) = cost(&chain(n), "1.0");
        assert!(reverse <= 8 * plain + 20, "{n}: {plain} {reverse}");
    }
    for n in [10, 100, 400] {
        let text =
            format!("def f (v: [{n}]Real) = loop s = 0.0 for i < {n} do s + v[i] * v[{n} - 1 - i]");
        let (plain, reverse) = cost(&text, &format!("[ real i | i < {n} ]"));
        assert!(reverse <= 16 * plain + 20, "{n}: {plain} {reverse}");
    }
}

#[test]
fn the_type_checker_rejects_broken_arrows() {
    use pullback_engines::categories::cl::{Cl, ClKind, Function};
    /// Breaks one arrow after the other; the number of arrows.
    fn break_at(cl: &mut Cl, at: &mut usize) -> bool {
        if *at == 0 {
            let other = match &cl.kind {
                ClKind::Function(Function::Component(k)) => {
                    ClKind::Function(Function::Component(k + 7))
                }
                ClKind::Prune(kept, n) => ClKind::Prune(kept.clone(), n + 1),
                ClKind::Constant(_) => ClKind::Identity,
                ClKind::Identity
                | ClKind::Function(_)
                | ClKind::Compose(..)
                | ClKind::Tuple(_)
                | ClKind::If(..)
                | ClKind::Let(..)
                | ClKind::Build(..)
                | ClKind::Fold { .. }
                | ClKind::While { .. }
                | ClKind::Case(..) => ClKind::Constant(pullback_lambda::Lit::Str("broken".into())),
            };
            cl.kind = other;
            return true;
        }
        *at -= 1;
        match &mut cl.kind {
            ClKind::Compose(a, b) | ClKind::Let(_, a, b) | ClKind::Build(a, _, b) => {
                break_at(a, at) || break_at(b, at)
            }
            ClKind::Tuple(items) => items.iter_mut().any(|item| break_at(item, at)),
            ClKind::If(a, b, c)
            | ClKind::Fold { init: a, count: b, body: c, .. }
            | ClKind::While { init: a, cond: b, body: c, .. } => {
                break_at(a, at) || break_at(b, at) || break_at(c, at)
            }
            ClKind::Case(scrutinee, arms, default) => {
                break_at(scrutinee, at)
                    || arms.iter_mut().any(|arm| break_at(&mut arm.body, at))
                    || default.iter_mut().any(|default| break_at(default, at))
            }
            ClKind::Identity | ClKind::Constant(_) | ClKind::Prune(..) | ClKind::Function(_) => {
                false
            }
        }
    }
    let texts = [
        "def f (p: (Real, Real)) = if p.0 > 0.0 then p.0 * p.1 else sum [ p.1 | i < 3 ]",
        "def f (p: (Real, Real)) = loop a = p.0 for i < 3 do loop b = a while b < 9.0 do b * b + p.1",
        "type T = L Real | N T\ndef f (p: (Real, Real)) = match N (L p.0) with L x -> x | N _ -> p.1",
    ];
    for text in texts {
        let (program, f, _) = sample(text, "(1.0, 2.0)");
        let (work, customs) = custom::prepare(&program, f).expect("within the fragment");
        let arrows = convert::convert(&work, &customs, f, true).expect("within the fragment");
        check::check(&work, &arrows).expect("well-typed");
        let size = arrows[&f].body.size();
        assert!(size > 10);
        for at in 0..size {
            let mut broken = arrows.clone();
            let def = broken.get_mut(&f).expect("converted");
            assert!(break_at(&mut def.body, &mut { at }), "{text}: arrow {at} of {size}");
            let verdict = check::check(&work, &broken);
            assert!(verdict.is_err(), "{text}: arrow {at} of {size} is not noticed");
            // In a release build too.
            let stopped = std::panic::catch_unwind(|| check::demand(&work, &broken));
            assert!(stopped.is_err(), "{text}: arrow {at} of {size} is let through");
        }
    }
}
